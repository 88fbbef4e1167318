"""The page of `thresher lab --report`: what it says of each theorem, and classics that are what definitions give."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html import escape, unescape
from pathlib import Path

import numpy as np
import pytest

from tests.commands import run
from tests.html import charts, lines, parsed, tables
from tests.plays import quick
from thresher.experts.follow_the_leader import definition as follow
from thresher.experts.improved_majority import linear
from thresher.lab import EXPERIMENTS, Refutation, Result, play
from thresher.lab.theorems import FAMILIES
from thresher.linear.perceptron import definition as perceptron
from thresher.linear.winnow import definition as winnow
from thresher.report import classics
from thresher.report.curves import Curves
from thresher.report.laboratory import laboratory_page
from thresher.report.theorem import theorem

FEW = ("elimination", "halving", "hedge")


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [quick(name) for name in FEW]


@pytest.fixture(scope="module")
def html(results: list[Result]) -> str:
    return laboratory_page(results)


def heights(curves: Curves) -> dict[str, list[float]]:
    return {name: list(values) for name, values, _ in curves.lines}


# ------------------------------------------------------------------------------------------------ the page


def test_the_command_writes_the_page_of_what_it_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, html: str) -> None:
    monkeypatch.setattr("thresher.cli.laboratory.EXPERIMENTS", {name: EXPERIMENTS[name] for name in FEW})
    path = tmp_path / "lab.html"
    path.write_text("old", encoding="utf-8")
    ran = run("lab", "--all", "--quick", "--quiet", "--report", path)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == run("lab", "--all", "--quick").out
    assert path.read_text(encoding="utf-8") == html
    assert [each.name for each in tmp_path.iterdir()] == ["lab.html"]


def test_every_theorem_has_its_statement_premises_citation_and_numbers(html: str, results: list[Result]) -> None:
    found = parsed(html)
    words = " ".join(found.text)
    assert "3 theorems, seed 0: none above its bound." in words
    overview, *games = tables(html)
    assert [row[0] for row in overview[1:]] == [result.theorem.name for result in results]
    for result, table in zip(results, games, strict=True):
        assert result.theorem.formula in words
        assert result.theorem.citation in words
        assert all(f"<li>{escape(premise)}</li>" in html for premise in result.assumes)
        assert table[0][0] == result.axis
        for row in table[1:]:
            told = {outcome.stream: outcome for outcome in result.outcomes if f"{outcome.size:,}" == row[0]}
            assert len(told) == len(row) - 1 - row.count("–")
            for outcome, cell in zip(told.values(), (cell for cell in row[1:] if cell != "–"), strict=True):
                attained, allowed = (float(part.replace(",", "")) for part in cell.split(" of "))
                assert attained == pytest.approx(outcome.attained, rel=2e-3)
                assert allowed == pytest.approx(outcome.allowed, rel=2e-3)


def test_the_page_stands_alone_and_has_a_script_only_where_there_is_something_to_step_through(html: str) -> None:
    assert "<script" not in html
    assert not re.search(r'url\(|@import|src=|href="[^#]', html)
    stepped = laboratory_page([quick("winnow-simple")])
    assert stepped.count("<script>") == 1
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|src=|fetch\(|import\(", stepped)


def test_a_family_and_its_classics_are_where_their_theorems_are(html: str) -> None:
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", html) == ["Elimination", "Finite classes", "Hedge and its kin"]
    assert "The version space, halved" in html
    assert "Follow the leader, or hedge" in html
    assert "The Perceptron's steps" not in unescape(html)
    assert set(classics.CLASSICS) <= set(FAMILIES)


def test_the_figure_lies_where_the_numbers_are(results: list[Result]) -> None:
    (svg,) = charts(theorem(results[1]))
    drawn = lines(svg)
    assert list(drawn) == ["the bound", *reversed(results[1].streams)]
    assert drawn["the bound"] == drawn["all functions of k points"]  # which attain it
    (x0, y0), (x1, y1), (x2, y2) = drawn["the bound"]
    assert x1 - x0 == pytest.approx((x2 - x0) / 3, abs=0.2)  # 2, 4 and 8, not by logarithms below eight times the least
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2)  # lg of them
    assert svg.count("<circle") == len(results[1].outcomes)


def test_bounds_that_differ_have_a_line_each() -> None:
    (svg,) = charts(theorem(quick("weighted-majority")))
    assert [name for name in lines(svg) if name.startswith("bound: ")] == [
        f"bound: {stream}"
        for stream in (
            "β = ½: at random", "β = 0.9: half of the weight errs", "β = 0.1: half of the weight errs",
            "β = ½: half of the weight errs", "β = 0: half of the rest err",
        )
    ]  # fmt: skip


def test_a_bound_that_says_nothing_is_no_line() -> None:
    (svg,) = charts(theorem(play("perceptron-separable", quick=True, bound=lambda margin, radius, norm: math.inf)))
    drawn = lines(svg)
    assert drawn["the bound"] == []
    assert len(drawn["orthonormal examples"]) == 3


def test_a_refutation_is_told(results: list[Result]) -> None:
    first, *rest = results[0].outcomes
    broken = replace(first, attained=first.allowed + 1, refuted=Refutation(3, "(1, 0)", "+1", "-1"))
    html = laboratory_page([replace(results[0], outcomes=(broken, *rest), learner="<Mine>")])
    words = " ".join(parsed(html).text)
    assert "1 theorem, seed 0: 1 above its bound." in words
    assert "Refuted: 1.333 of the bound, by flips, n = 4." in words
    assert "4 of 3 above" in words
    assert "Played by <Mine>, seed 0." in words


# ------------------------------------------------------------------------------------------------ classics


def test_the_plane_shows_each_mistake_of_the_definition() -> None:
    shown = classics.plane()
    rounds = [*shown.points] * (1 + shown.steps[-1].t // len(shown.points))
    before, found = [0.0, 0.0], []
    for t, ((x, y), (_, prediction, after)) in enumerate(zip(rounds, perceptron(2, rounds), strict=True), 1):
        if prediction != y:
            found.append((t, x, y, tuple(before), tuple(after)))
        before = [float(weight) for weight in after]
    assert [tuple(step) for step in shown.steps] == found
    assert all(y * float(np.dot(before, x)) > 0 for x, y in shown.points)


def test_the_hinge_loss_is_never_below_the_mistake() -> None:
    curves = classics.hinge()
    hinge, mistake = heights(curves).values()
    assert hinge == pytest.approx([max(0.0, 1 - score) for score in curves.x])
    assert mistake == [float(score < 0) for score in curves.x]


def test_majorities_are_a_step_a_diagonal_and_a_line_between() -> None:
    curves = classics.majorities()
    vote, randomised, *improved = heights(curves).values()
    assert vote == [float(share > 0.5) for share in curves.x]
    assert randomised == pytest.approx(curves.x)
    for beta, chances in zip((0.5, 0.01), improved, strict=True):
        assert chances == pytest.approx([linear(share, beta) for share in curves.x])


def test_the_duel_is_what_the_definitions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classics, "_ROUNDS", 60)
    X, y = classics._disjunction(16, 8)
    assert all(label == (1 if x[0] or x[1] else -1) and x[2:].sum() == 8 for x, label in zip(X, y, strict=True))
    stream = [(tuple(x), int(label)) for x, label in zip(X.tolist(), y, strict=True)]
    expected = [
        sum(prediction != label for (_, label), (_, prediction, _) in zip(stream, played, strict=True))
        for played in (perceptron(16, stream, bias=1), winnow(16, stream))
    ]
    drawn = heights(classics.wider())
    assert [round(math.exp(drawn[name][1])) for name in ("Perceptron", "Winnow")] == expected


def test_winnow_stays_below_its_bound_and_the_perceptron_goes_above() -> None:
    for curves in (classics.wider(), classics.denser()):
        drawn = heights(curves)
        assert all(low <= high for low, high in zip(drawn["Winnow"], drawn["Winnow's bound"], strict=True))
        assert drawn["Perceptron"][-1] - drawn["Winnow"][-1] > math.log(10)


def test_who_follows_the_leader_errs_in_every_round() -> None:
    drawn = heights(classics.leader())
    rounds = len(drawn["Hedge"]) - 1
    assert drawn["follow the leader"] == [t - t // 2 for t in range(rounds + 1)]
    assert all(low <= high for low, high in zip(drawn["Hedge"], drawn["Hedge's bound"], strict=True))
    turns = [((0, 1) if t % 2 == 0 else (1, 0), 1) for t in range(rounds)]
    assert list(follow(2, turns)) == [0] * rounds


def test_a_mistake_halves_what_is_left() -> None:
    left, most = heights(classics.halving()).values()
    assert all(low <= high for low, high in zip(left, most, strict=True))
    fell = [k for k in range(1, len(most)) if most[k] < most[k - 1]]
    assert len(fell) == 4
    assert all(left[k] <= left[k - 1] - 1 and most[k] == most[k - 1] - 1 for k in fell)


def test_only_the_last_block_is_clean() -> None:
    run_of = classics.pac_blocks()
    assert run_of.length == math.ceil(math.log(run_of.most / run_of.delta) / run_of.epsilon)
    assert {at // run_of.length for at in run_of.erred} == set(range(run_of.played - 1))
