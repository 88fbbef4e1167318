"""`thresher certify`: what it finds, what it shows, what it saves, and what it makes of what was saved."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.commands import Ran, check_refused_command, run, svmlight
from thresher.cli.duel import Duel, Side
from thresher.cli.picturing import Charted
from thresher.data.names import slot_of
from thresher.linear import LEARNERS
from thresher.store.proof import Reading

ROWS: list[tuple[int, dict[int, float]]] = [
    (+1, {1: 1.0, 3: 1.0}),
    (-1, {2: 1.0}),
    (+1, {1: 1.0, 2: 1.0}),
    (-1, {2: 1.0, 3: 1.0}),
    (+1, {1: 1.0}),
    (-1, {3: 1.0, 4: 1.0}),
] * 10


def small(folder: Path, rows: list[tuple[int, dict[int, float]]] = ROWS) -> Path:
    path = folder / "small.svm"
    path.write_text(svmlight(rows))
    return path


def certified(*arguments: object) -> dict[str, Any]:
    ran = run("certify", *arguments, "--json")
    assert (ran.status, ran.err) == (0, "")
    return ran.json


def by_name(found: dict[str, Any], name: str, *, normalize: bool = False) -> dict[str, Any]:
    """What is told of a learner."""
    told: dict[str, Any] = next(
        each
        for each in found["learners"]
        if each["learner"]["name"] == name and each["learner"]["parameters"].get("normalize", False) == normalize
    )
    return told


# ---- what is found -----------------------------------------------------------------------------------------------------------


def test_the_perceptron_of_the_demo_makes_the_mistakes_of_learn_under_a_smaller_bound() -> None:
    found = certified("demo:oranges")
    learned = run("learn", "--learner", "perceptron", "demo:oranges", "--json").json
    perceptron = by_name(found, "Perceptron")
    assert perceptron["mistakes"] == learned["mistakes"]
    assert perceptron["certificates"][0]["at_most"] < learned["headline"]["at_most"] / 2
    assert found["headline"]["verdict"] == "certified"
    assert found["baselines"] == learned["baselines"]
    assert found["examples"] == learned["examples"]


def test_what_fits_is_found_and_every_learner_is_held_against_it(tmp_path: Path) -> None:
    found = certified(small(tmp_path), "--n", 8)
    theorems = {each["theorem"] for told in found["learners"] for each in told["certificates"]}
    assert {"Perceptron, separable", "Winnow, disjunction", "Elimination", "Margin Perceptron, mistakes"} <= theorems
    assert by_name(found, "Winnow")["found"][0]["says"] == "a disjunction of 1 attribute fits every example"
    assert all(each["unable"] is None for each in found["learners"])


def test_a_disjunction_that_misses_some_is_not_said_to_fit_because_another_does(tmp_path: Path) -> None:
    path = tmp_path / "other.vw"
    path.write_text("".join(f"1 |w p{i} q\n-1 |w z{i}\n" for i in range(30)) + "-1 |w q\n")
    found = certified(path, "--bits", 12, "--threshold", 4096)
    says = "a disjunction fits every example; the one with the least bound has 1 attribute and misses 1"
    assert by_name(found, "Winnow")["found"][0]["says"] == says
    assert run("certify", path, "--bits", 12, "--threshold", 4096, "--report", tmp_path / "page.html").status == 0
    assert says in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_of_each_theorem_only_the_tightest_is_shown_and_none_that_says_nothing(tmp_path: Path) -> None:
    for told in certified(small(tmp_path), "--n", 8)["learners"]:
        theorems = [each["theorem"] for each in told["certificates"]]
        assert len(theorems) == len(set(theorems))
        assert all(each["at_most"] < each["rounds"] for each in told["certificates"])
        assert all(each["verdict"] == "certified" and not each["diagnostic"] for each in told["certificates"])


def test_the_options_say_what_learns(tmp_path: Path) -> None:
    given = certified(small(tmp_path), "--n", 8, "--no-bias", "--threshold", 5, "--factor", 1.5, "--strict")
    assert by_name(given, "Winnow")["learner"]["parameters"] == {"n": 8, "threshold": 5.0, "factor": 1.5, "strict": True}
    assert by_name(given, "Perceptron")["learner"]["parameters"]["bias"] is None
    assert by_name(certified(small(tmp_path), "--n", 8), "Winnow")["learner"]["parameters"]["threshold"] == 2.0
    assert by_name(certified(small(tmp_path), "--n", 8), "Perceptron")["learner"]["parameters"]["bias"] == 1.0


rows = st.lists(
    st.tuples(
        st.sampled_from([-1, 1]),
        st.dictionaries(st.integers(1, 4), st.one_of(st.just(1.0), st.sampled_from([0.5, 0.25, -1.0, 3.0])), max_size=4),
    ),
    min_size=2,
    max_size=24,
)


@given(rows, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_no_order_of_the_rows_makes_more_mistakes_than_is_said_of_any(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, dict[int, float]]], random: Any
) -> None:
    found = certified(small(tmp_path_factory.mktemp("rows"), rows), "--n", 4, "--positive", 1)
    X, y = np.array([[x.get(i, 0.0) for i in range(1, 5)] for _, x in rows]), np.array([label for label, _ in rows])
    for told in found["learners"]:
        limits = [each["at_most"] for each in told["certificates"] if each["any_order"] and each["on"] == "mistakes"]
        for _ in range(8 if limits else 0):
            order = random.sample(range(len(y)), len(y))
            learner = LEARNERS[told["learner"]["name"]](**told["learner"]["parameters"])
            assert learner.learn_many(X[order], y[order]).mistakes <= min(limits)


# ---- what is shown -----------------------------------------------------------------------------------------------------------


def test_the_text_has_the_table_the_premises_the_headline_and_the_duel(tmp_path: Path) -> None:
    out = run("certify", small(tmp_path), "--n", 8).out
    assert "60 examples of" in out
    assert "baselines: the best constant makes 30 mistakes, repeating the last label 59" in out
    assert re.search(r"^  Winnow +\d+ +\d+  any +Winnow, disjunction +1 attribute, index 1$", out, re.MULTILINE)
    assert "Checked on every row" in out
    assert "How good the witnesses are" in out
    assert re.search(r"^Claim     certified: ", out, re.MULTILINE)
    assert "Perceptron or Winnow?" in out


def test_attributes_are_called_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "small.vw"
    path.write_text("".join(f"{label} | {' '.join(f'n{i}' for i in x)}\n" for label, x in ROWS))
    assert re.search(
        r"Winnow, disjunction +1 attribute, n1$", run("certify", path, "--n", 64, "--threshold", 64).out, re.MULTILINE
    )


def test_what_says_little_comes_last_and_is_no_headline(tmp_path: Path) -> None:
    noisy = [(label if k % 3 else -label, x) for k, (label, x) in enumerate(ROWS)]
    ran = run("certify", small(tmp_path, noisy), "--n", 8)
    assert ran.status == 0
    assert "Claim" not in ran.out
    table = [line for line in ran.out.splitlines() if re.search(r"  (any|this one)  ", line)]
    assert all("(says little)" in line for line in table)


# ---- learn --certify ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("learner", "theorem"), [("perceptron", "Perceptron, separable"), ("winnow", "Winnow, disjunction")])
def test_learn_takes_what_hindsight_finds_if_asked(tmp_path: Path, learner: str, theorem: str) -> None:
    path = small(tmp_path)
    found = certified(path, "--n", 8)
    told = next(each for each in found["learners"] if each["learner"]["name"].lower() == learner)
    learned = run("learn", path, "--n", 8, "--learner", learner, "--certify", "--json").json
    bounds = [
        min(each["at_most"] for each in some if each["theorem"] == theorem and each["verdict"] == "certified")
        for some in (told["certificates"], learned["certificates"])
    ]
    assert bounds[0] == bounds[1]


def test_learn_looks_at_the_rows_of_all_passes(tmp_path: Path) -> None:
    learned = run("learn", small(tmp_path), "--n", 8, "--learner", "perceptron", "--certify", "--passes", 3, "--json").json
    assert {each["rounds"] for each in learned["certificates"]} == {180}
    assert learned["headline"]["verdict"] == "certified"


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


# ---- saved, and checked ------------------------------------------------------------------------------------------------------


def saved(folder: Path, path: Path, *arguments: object) -> Path:
    file = folder / "small.proof.json"
    ran = run("certify", path, "--save", file, *arguments)
    assert ran.status == 0
    assert f"--check {file}" in ran.out
    return file


def check_holds(ran: Ran) -> None:
    assert (ran.status, ran.err) == (0, "")
    assert " holds: " in ran.out


def test_what_was_saved_holds_for_the_source_its_gzip_and_another_spelling(tmp_path: Path) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)
    check_holds(run("certify", path, "--check", file))
    packed, spelled = tmp_path / "packed.svm.gz", tmp_path / "spelled.svm"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    spelled.write_text(path.read_text().replace("+1 ", "1 ").replace(":1.0", ":1"))
    check_holds(run("certify", packed, "--check", file))
    check_holds(run("certify", spelled, "--check", file))
    zero_based = [(label, {i - 1: value for i, value in x.items()}) for label, x in ROWS]
    (tmp_path / "zero.svm").write_text(svmlight(zero_based))
    check_holds(run("certify", tmp_path / "zero.svm", "--check", file, "--zero-based"))
    assert th.Proof.load(file).check(lambda: th.open_stream(path, n=8))


def test_a_proof_remembers_which_label_is_positive_and_where_indices_begin(tmp_path: Path) -> None:
    path = tmp_path / "zero.svm"
    path.write_text(svmlight((label, {i - 1: value for i, value in x.items()}) for label, x in ROWS))
    file = saved(tmp_path, path, "--n", 8, "--zero-based", "--positive", "-1")
    check_holds(run("certify", path, "--check", file))
    told = {"positive": "-1", "zero_based": True, "interactions": [], "ngrams": 1}
    assert json.loads(file.read_text())["reading"] == told


def test_a_proof_remembers_which_names_are_taken_together(tmp_path: Path) -> None:
    path = tmp_path / "together.vw"
    path.write_text("1 |a x |b y\n-1 |a x |b z\n1 |a v |b z\n-1 |a v |b y\n" * 10)
    file = saved(tmp_path, path, "--n", 64, "--interactions", "ab", "--ngrams", 2)
    assert th.Proof.load(file).reading == Reading("1", False, ("ab",), 2)
    check_holds(run("certify", path, "--check", file))
    check_refused_command(
        tmp_path, "certify", path, "--check", file, "--ngrams", 1, "--interactions", "aa", says=["is not of this"]
    )


def test_names_that_share_a_slot_are_resolved_as_each_learner_does(tmp_path: Path) -> None:
    names = [f"n{k}" for k in range(100)]
    one, other = next((a, b) for a in names for b in names if a < b and slot_of(a, 8) == slot_of(b, 8))
    rest = [name for name in names if slot_of(name, 8) != slot_of(one, 8)]
    path = tmp_path / "shared.vw"
    path.write_text("".join(f"1 | {one} {other} {rest[k]}\n-1 | {rest[k]}\n" for k in range(20)))
    file = saved(tmp_path, path, "--n", 8)
    prints = {each["learner"]["name"]: each["stream"]["fingerprint"] for each in json.loads(file.read_text())["runs"]}
    assert prints["Perceptron"] == prints["PassiveAggressive"] != prints["Winnow"]
    check_holds(run("certify", path, "--check", file))


def test_a_check_says_in_json_what_was_found(tmp_path: Path) -> None:
    path = small(tmp_path)
    checked = run("certify", path, "--check", saved(tmp_path, path, "--n", 8), "--json").json
    assert checked["holds"]
    assert {each["verdict"] for each in checked["certificates"]} == {"certified"}


def test_another_stream_is_named_as_one(tmp_path: Path) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)
    path.write_text(path.read_text().replace("+1 1:1.0\n", "+1 4:1.0\n", 1))
    check_refused_command(
        tmp_path, "certify", path, "--check", file, says=["is not of this stream", "stream.fingerprint: found '", "expected '"]
    )
    path.write_text(path.read_text().replace("1:1.0", "1:-1.0", 1))
    check_refused_command(tmp_path, "certify", path, "--check", file, says=["a learner that it names cannot learn this source"])


def test_a_changed_number_is_named(tmp_path: Path) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)
    whole = json.loads(file.read_text())
    whole["runs"][1]["mistakes"] += 1
    file.write_text(json.dumps(whole))
    mistakes = whole["runs"][1]["mistakes"]
    says = [f"does not hold: runs[1].mistakes: found {mistakes}, expected {mistakes - 1}"]
    check_refused_command(tmp_path, "certify", path, "--check", file, says=says)


# ---- bad input ---------------------------------------------------------------------------------------------------------------


def test_bad_sources_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty.svm").write_text("")
    check_refused_command(tmp_path, "certify", tmp_path / "empty.svm", says=["found no example with a label"])
    check_refused_command(
        tmp_path, "certify", "-", stdin=b"1 1:1\n", says=["found standard input, which can be read only once"]
    )
    check_refused_command(tmp_path, "certify", tmp_path / "none.svm", says=["none.svm: No such file"])
    check_refused_command(tmp_path, "certify", small(tmp_path), "--n", 2, says=["small.svm:1:"])
    check_refused_command(tmp_path, "certify", small(tmp_path), "--threshold", 0.5, says=["found threshold = 0.5"])


def test_bad_options_of_a_check_are_refused_in_one_line(tmp_path: Path) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)
    refused = check_refused_command
    refused(tmp_path, "certify", path, "--check", file, "--n", 9, says=["found 9 slots asked for, but", "are of 8"])
    refused(tmp_path, "certify", path, "--check", file, "--factor", 2, says=["found --factor with --check"])
    refused(tmp_path, "certify", path, "--check", path, says=["found no JSON"])
    refused(tmp_path, "certify", path, "--check", tmp_path / "none", says=["none: No such file"])
    refused(tmp_path, "certify", path, "--check", file, "--save", file, says=["not allowed with"])


HARD = {
    "one class": "1 1:1 2:1\n1 2:1\n1 1:1\n",
    "zero vectors": "1\n-1\n1\n",
    "contradictory": "1 1:1\n-1 1:1\n1 1:1\n-1 1:1\n",
    "huge": "1 1:1e70 2:1\n-1 2:1e70\n1 1:1e-300\n",
    "one example": "1 1:1\n",
    "tiny": "1 1:1e-200\n-1 2:1e-250\n",
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("bias", [(), ("--no-bias",)])
def test_hard_streams_have_defined_answers(tmp_path: Path, name: str, bias: tuple[str, ...]) -> None:
    path = tmp_path / "hard.svm"
    path.write_text(HARD[name])
    found = certified(path, "--n", 4, *bias)
    assert found["examples"] == len(HARD[name].splitlines())
    assert found["duel"]["sentence"]
    ran = run("certify", path, "--n", 4, *bias, "--report", tmp_path / "page.html")
    assert ran.status == 0
    assert found["duel"]["sentence"].partition(",")[0] in (tmp_path / "page.html").read_text()
    if name == "one class":
        assert "every example has the same label, 1: no bound is below the best constant" in ran.out
        assert found["headline"] is None
        assert found["duel"]["sentence"].startswith("With one label")


def test_where_nothing_is_proven_nothing_is_saved_and_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "hard.svm"
    path.write_text(HARD["contradictory"])
    ran = run("certify", path, "--n", 4, "--save", tmp_path / "proof.json")
    assert ran.status == 2
    assert "found nothing proven below 4, the number of examples: no certificate was saved" in ran.err
    assert not (tmp_path / "proof.json").exists()


def test_weights_are_told_and_void_the_theorems(tmp_path: Path) -> None:
    path = tmp_path / "weighted.vw"
    path.write_text("1 2.0 | a\n-1 | b\n" * 10)
    found = certified(path)
    assert found["notices"] == ["10 examples have a weight other than 1, and the theorems are about weight 1"]
    assert all(told["certificates"] == [] for told in found["learners"])


def test_lines_that_cannot_be_read_are_left_out_if_asked(tmp_path: Path) -> None:
    path = small(tmp_path)
    path.write_text("+1 1:x\n" + path.read_text())
    found = certified(path, "--n", 8, "--on-bad", "skip")
    assert found["examples"] == 60
    assert "1 lines cannot be read and are left out; the first:" in found["notices"][0]
