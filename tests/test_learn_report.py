"""The page of `thresher learn --report`: it says what the JSON says, whatever was learned."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.commands import PERCEPTRON, Ran, fruit, read_in_pieces, run, stop_after, svmlight
from tests.html import charts, check_stands_alone, lines, parsed, tables

BITS = ("--quiet", "--bits", 7)


def page(folder: Path, *arguments: object) -> tuple[str, Ran]:
    """The page, whose charts hold nothing but finite numbers, and what was printed."""
    path = folder / "page.html"
    ran = run(*arguments, *BITS, "--report", path)
    assert ran.status in (0, 130), ran.err
    html = path.read_text(encoding="utf-8")
    check_stands_alone(html)
    for svg in charts(html):
        assert all(math.isfinite(value) for line in lines(svg).values() for point in line for value in point)
    return html, ran


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "fruit.vw"
    path.write_text(fruit(120))
    return path


def test_the_page_holds_the_numbers_of_the_json(source: Path, tmp_path: Path) -> None:
    html, ran = page(tmp_path, "learn", source, "--json", "--window", 30, "--holdout-every", 6)
    told, found = ran.json, tables(html)
    metrics = {row[0]: row[1:] for row in found[0][1:]}
    columns = [told["metrics"][name] for name in ("so_far", "last")]
    assert metrics["examples"] == ["100", "30", "20", "20"]
    assert metrics["F1"][:2] == [f"{each['f1']:.4f}" for each in columns]
    words = " ".join(" ".join(parsed(html).text).split())
    assert "Each 6th example was held out" in words
    assert "100 learned, 20 held out" in words
    assert f"command thresher learn {source}" in words
    assert [row[0] for table in found for row in table if row[0] in {lane["name"] for lane in told["lanes"]}]
    for certificate in told["certificates"]:
        assert certificate["theorem"] in words


def test_what_was_held_out_is_drawn_from_the_first_of_it_on(source: Path, tmp_path: Path) -> None:
    html, _ = page(tmp_path, *PERCEPTRON, source, "--window", 10, "--holdout-every", 6)
    drawn = lines(charts(html)[0])
    so_far, held = drawn["so far"], drawn["held out, of the last 10 of them"]
    assert len(so_far) == 100
    assert [x for x, _ in held] == [x for x, _ in so_far[5:]]
    assert len({y for _, y in held}) > 1


def test_the_error_so_far_ends_where_the_table_says(source: Path, tmp_path: Path) -> None:
    html, ran = page(tmp_path, *PERCEPTRON, source, "--json", "--window", 10)
    course = next(table for table in tables(html) if table[0][0] == "rounds")
    assert course[-1][:2] == ["120", f"{100 * ran.json['mistakes'] / 120:.2f} %"]
    so_far = lines(charts(html)[0])["so far"]
    assert so_far[0][0] < so_far[-1][0]
    assert len(so_far) == 120


def test_a_learner_alone_has_neither_lanes_nor_probabilities(source: Path, tmp_path: Path) -> None:
    html, _ = page(tmp_path, *PERCEPTRON, source)
    for heading in ("Weights of the learners", "Which learners won", "Probabilities"):
        assert heading not in html
    assert '<p class="soft">of Perceptron(n=128' in html
    assert "Log loss (in nats)" not in html


def test_a_learner_with_chances_of_its_own_says_whose_they_are(source: Path, tmp_path: Path) -> None:
    html, _ = page(tmp_path, "learn", source, "--learner", "adagrad")
    assert "p_positive of the learner" in html
    assert "Nothing more is proven: the ledger has no theorem about AdaGrad." in html


@pytest.mark.parametrize("text", ["1 | a\n", "1 | a\n-1 | b\n", "1 |\n-1 |\n", "1 0 | a\n-1 0 | b\n"])
@pytest.mark.parametrize("learner", ["portfolio", "perceptron"])
def test_the_shortest_runs_have_a_page(text: str, learner: str, tmp_path: Path) -> None:
    source = tmp_path / "short.vw"
    source.write_text(text)
    html, _ = page(tmp_path, "learn", source, "--learner", learner, "--positive", "1", "--holdout-every", 9)
    assert "The data" in html


def test_names_and_labels_are_shown_as_they_are_spelled(tmp_path: Path) -> None:
    source = tmp_path / "odd.vw"
    source.write_text("<no> | <i>a</i> b&c\nyes | d\n" * 20)
    html, _ = page(tmp_path, *PERCEPTRON, source, "--positive", "yes")
    words = parsed(html).text
    assert "said <no>" in words
    assert "<i>a</i>" in words
    assert "b&c" in words


def test_attributes_without_names_are_shown_by_their_index(tmp_path: Path) -> None:
    source = tmp_path / "rows.svm"
    source.write_text(svmlight((1 if k % 2 else -1, {1 + k % 2: 1.0}) for k in range(20)))
    html, _ = page(tmp_path, *PERCEPTRON, source)
    assert "index 2" in html


def test_an_interrupted_run_and_a_resumed_one_have_pages(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_pieces(monkeypatch, 500)
    with stop_after(3):
        html, ran = page(tmp_path, "learn", source, "--save", tmp_path / "model")
    assert ran.status == 130
    assert "interrupted in pass 1 of 1" in html
    html, ran = page(tmp_path, "learn", source, "--resume", tmp_path / "model")
    assert ran.status == 0
    assert "resumed after" in html
    assert "since the run was resumed" in html
    assert tables(html)[0][1][1] == "120"


def test_a_run_after_another_counts_its_own(source: Path, tmp_path: Path) -> None:
    assert run("learn", source, *BITS, "--save", tmp_path / "model").status == 0
    html, _ = page(tmp_path, "learn", source, "--from", tmp_path / "model", "--passes", 2)
    assert tables(html)[0][1][1] == "240"
    assert "after 120 examples that the model had learned before" in html


def test_figures_of_a_second_pass_are_told_to_be_of_examples_that_were_learned_before(source: Path, tmp_path: Path) -> None:
    html, ran = page(tmp_path, "learn", source)
    assert "learned before" not in html + ran.out
    html, ran = page(tmp_path, "learn", source, "--passes", 2)
    assert "from the second pass on not for the first time" in html
    assert "so these figures say little of new ones: --holdout-every K keeps some apart" in " ".join(ran.out.split())
    _, ran = page(tmp_path, "learn", source, "--passes", 2, "--holdout-every", 5, "--json")
    assert ran.json["notices"][-1].endswith("say little of new ones")
