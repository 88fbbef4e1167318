"""What `thresher certify` makes of the Perceptron beside Winnow, and the page with all of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.certifying import ROWS, certified, saved, small
from tests.commands import check_refused_command, run
from tests.html import charts, lines
from thresher.cli.duel import Duel, Side
from thresher.cli.picturing import Charted

# ---- the duel ----------------------------------------------------------------------------------------------------------------


def side(called: str, mistakes: int | None, bound: int | None) -> Side:
    return Side(called, mistakes, bound, f"{called}'s", None)


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (
            (5, 10),
            (7, 20),
            "The Perceptron is favoured: its bound is 10 (Perceptron's) against 20 (Winnow's), and it made 5 mis",
        ),
        (
            (9, 10),
            (7, 20),
            "The Perceptron is favoured: its bound is 10 (Perceptron's) against 20 (Winnow's), but it made 9 mis",
        ),
        (
            (9, 30),
            (1, 20),
            "Winnow is favoured: its bound is 20 (Winnow's) against 30 (Perceptron's), and it made 1 mistake ag",
        ),
        ((9, None), (7, 20), "Winnow is favoured: its bound is 20 (Winnow's), and of the Perceptron nothing is proven below"),
        (
            (9, 200),
            (7, 20),
            "Winnow is favoured: its bound is 20 (Winnow's) against 200 (Perceptron's), and it made 7 mistakes",
        ),
        (
            (9, None),
            (7, None),
            "Neither is favoured: neither bound tells more than the best constant, which makes 90 mistakes.",
        ),
        ((9, 90), (7, 91), "Neither is favoured: neither bound tells more than the best constant, which makes 90 mistakes."),
        ((7, 20), (7, 20), "Neither is favoured: both bounds are 20, and both made 7 mistakes."),
        ((6, 20), (7, 20), "The Perceptron is favoured: its bound is 20 (Perceptron's) against 20 (Winnow's), and it made 6"),
        ((7, 20), (None, None), "Winnow cannot learn these examples, whose values it does not take: the Perceptron is alone."),
        ((None, None), (7, 20), "The Perceptron cannot learn these examples, whose values it does not take: Winnow is alone."),
    ],
)
def test_the_duel_is_decided_by_the_bounds_and_then_by_the_counts(one: Any, other: Any, says: str) -> None:
    made = Duel(side("Perceptron", *one), side("Winnow", *other), 4.0, 2.0, 8, 90)
    assert made.sentence.startswith(says)
    assert made.sentence in str(made).replace("\n", " ")
    assert (made.favoured is None) == ("is favoured" not in says.replace("Neither is favoured", ""))


def test_the_counts_are_told_where_neither_bound_tells_more_than_the_constant() -> None:
    one, other = side("Perceptron, normalised", 9, None), side("Winnow", 7, None)
    says = "The normalised Perceptron made 9 mistakes, Winnow 7 mistakes."
    assert Duel(one, other, 4.0, 2.0, 8, 90).sentence.endswith(says)


def test_a_reason_is_given_only_if_it_points_to_the_favourite() -> None:
    add, multiply = side("Perceptron", 9, 20), side("BalancedWinnow", 7, 30)
    pays = "up to {} attributes; Balanced Winnow pays 2 ln 2n times for those that matter to u, about 2, which makes 11."
    assert Duel(add, multiply, 4.0, 2.0, 8, 90).reason.endswith(pays.format(4))
    assert Duel(add, multiply, 1000.0, 2.0, 8, 90).reason == ""
    assert Duel(add, multiply._replace(bound=10), 1000.0, 2.0, 8, 90).reason.endswith(pays.format("1,000"))
    assert Duel(add, multiply._replace(bound=10), 4.0, 2.0, 8, 90).reason == ""
    fits = side("Winnow", 7, 10)._replace(literals=(3, 5.0))
    says = "Why: a disjunction of 3 of the 8 attributes fits but for 5, and Winnow pays a logarithm for each of the 3; the Perc"
    assert Duel(add, fits, 4.0, 2.0, 8, 90).reason.startswith(says)
    assert Duel(add, fits._replace(bound=40), 4.0, 2.0, 8, 90).reason.endswith(pays.format(4))
    assert Duel(add, fits, 4.0, 2.0, 8, 10).reason == ""


def test_as_many_are_on_at_once_as_a_row_has_and_not_as_values_of_other_rows_say(tmp_path: Path) -> None:
    path = tmp_path / "words.svm"
    words = " ".join(f"{i}:1" for i in range(1, 51))
    path.write_text(f"1 {words}\n-1 51:1000\n1 1:0.5\n" * 10)
    assert certified(path, "--n", 64)["duel"]["on_at_once"] == 51.0
    assert certified(path, "--n", 64, "--no-bias")["duel"]["on_at_once"] == 50.0


TWICE = "".join("1 |w a a a a a a a a a a c\n-1 |w b c\n" for _ in range(5))


def test_the_margins_of_the_duel_are_parts_of_what_each_side_sees(tmp_path: Path) -> None:
    path = tmp_path / "twice.vw"
    path.write_text(TWICE)
    found = certified(path, "--bits", 6)
    margin = found["duel"]["winnow"]["margin"]  # 1/2: u = (a - b)/2, and what the names come to is at most 1
    assert 0.49 < margin["at_least"] <= 0.5 <= margin["at_most"] < 0.51
    assert found["duel"]["perceptron"]["learner"] == "Perceptron, normalised"
    assert "0.665457 to 0.66545" in run("certify", path, "--bits", 6).out.partition("Perceptron or Winnow?")[2]


def test_it_is_said_if_learners_play_different_examples(tmp_path: Path) -> None:
    path = tmp_path / "twice.vw"
    path.write_text(TWICE)
    says = "MarginPerceptron, PassiveAggressive read their sum; Winnow, BalancedWinnow, Elimination read the larger"
    assert [notice for notice in certified(path, "--bits", 6)["notices"] if says in notice]
    path.write_text(TWICE.replace(" a a a a a a a a a a ", " a "))
    assert certified(path, "--bits", 6)["notices"] == []


def test_few_attributes_that_matter_among_many_that_are_on_favour_multiplication(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = (rng.random((2000, 400)) < 0.5).astype(float)
    X[:, 0] = np.arange(2000) % 2
    rows = [(1 if row[0] else -1, {int(i) + 1: 1.0 for i in np.flatnonzero(row)}) for row in X]
    found = certified(small(tmp_path, rows), "--n", 400, "--threshold", 400)
    assert found["duel"]["favoured"] in ("Winnow", "BalancedWinnow")
    assert found["duel"]["winnow"]["mistakes"] < found["duel"]["perceptron"]["mistakes"]
    assert found["duel"]["reason"].startswith("Why: a disjunction of 1 of the 400 attributes fits, and Winnow pays")


# ---- the page ----------------------------------------------------------------------------------------------------------------


def test_the_page_is_one_file_with_pictures_names_and_nothing_that_it_would_load(tmp_path: Path) -> None:
    source, page = tmp_path / "a & <b>.vw", tmp_path / "page.html"
    source.write_text("".join(f"{label} | {' '.join(f'<n{i}>' for i in x)}\n" for label, x in ROWS))
    ran = run("certify", source, "--n", 64, "--report", page)
    assert (ran.status, ran.err) == (0, "")
    assert f"Wrote the page to {page}." in ran.out
    text = page.read_text(encoding="utf-8")
    assert "a &amp; &lt;b&gt;.vw: what is proven" in text
    assert "&lt;n1&gt;" in text
    assert text.count('<svg class="chart"') == 2
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"<script|<link|<img|src=|<b>|<n1>", text)
    assert re.search(r'<p class="proof">[^<]*certified: \d+ of at most \d+ mistakes in 60 rounds, by [^<]+</p>', text)
    assert [
        row for row in ("Perceptron, separable", "Winnow", "The certificate", "Perceptron or Winnow?") if row not in text
    ] == []


def test_the_page_draws_the_witness_of_its_headline_and_says_whose_it_is(tmp_path: Path) -> None:
    """The longest example is 512 times the shortest, which only the normalised Perceptron does not mind."""
    rows = [(y, {1: 2.0**k * (3 if y > 0 else 1), 2: 2.0**k * (1 if y > 0 else 3)}) for k in range(10) for y in (+1, -1)] * 6
    page = tmp_path / "page.html"
    ran = run("certify", small(tmp_path, rows), "--n", 2, "--no-bias", "--report", page, "--json")
    headline = ran.json["headline"]
    normalised = next(each for each in ran.json["learners"] if each["learner"]["parameters"].get("normalize"))
    assert headline in normalised["certificates"]
    text = page.read_text(encoding="utf-8")
    theorem = headline["theorem"].partition(", ")[2]
    assert f"<h2>The heaviest attributes of the witness of Perceptron, normalised ({theorem})</h2>" in text
    said = re.search(
        r"y·\(u·x\) of the witness of Perceptron, normalised \(([^)]*)\)[^<]* each ‖x‖[^<]* which is ([\d.]+) here", text
    )
    assert said is not None
    assert said[1] == theorem
    assert float(said[2]) == pytest.approx(2 / np.sqrt(20), rel=0.02)  # of (1, -1)/√2 on (3, 1)/√10
    assert [len(points) for points in lines(charts(text)[1]).values()] == [1, 1]  # normalised, they are equally far


def test_the_mistakes_of_the_page_are_those_that_were_counted() -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]] * 20, [-1, +1] * 20
    played = Charted(th.Perceptron(2), [])
    for start in (0, 7):
        stop = 7 if start == 0 else 40
        played.enter(X[start:stop], y[start:stop], None)
    rounds = th.Perceptron(2).learn_many(X, y)
    erred = (rounds.predictions != rounds.labels).tolist()
    assert played.course(range(41)) == [sum(erred[:t]) for t in range(41)]


def test_a_page_that_cannot_be_written_is_said_before_anything_is_read(tmp_path: Path) -> None:
    check_refused_command(tmp_path, "certify", small(tmp_path), "--report", tmp_path, says=[str(tmp_path)])
    file = saved(tmp_path, small(tmp_path), "--n", 8)
    page = tmp_path / "page.html"
    check_refused_command(tmp_path, "certify", small(tmp_path), "--check", file, "--report", page, says=["found --report with"])
