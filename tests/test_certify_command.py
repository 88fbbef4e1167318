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
from tests.certifying import ROWS, certified, saved, small
from tests.commands import Ran, check_refused_command, run, svmlight
from thresher.data.names import slot_of
from thresher.linear import LEARNERS
from thresher.store.proof import Reading


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


def test_of_more_examples_than_fit_the_memory_learners_find_the_witnesses(tmp_path: Path) -> None:
    file = tmp_path / "oranges.proof.json"
    source = "demo:oranges", "--bits", 12
    cheap, best = certified(*source, "--memory", 1, "--save", file), certified(*source, "--memory", 2)
    assert cheap["notices"] == [
        "the examples take 2 MB, more than the 1 of --memory: witnesses are the weights of learners after one pass"
    ]
    assert best["notices"] == []
    assert "after one pass of AROW" in by_name(cheap, "Perceptron")["found"][0]["how"]
    assert "in memory" in by_name(best, "Perceptron")["found"][0]["how"]
    assert best["headline"]["bound"] <= cheap["headline"]["bound"] <= 1.2 * best["headline"]["bound"]
    assert run("certify", *source, "--check", file).status == 0


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
    assert re.search(r"^  Winnow\n +\d+ +\d+  any +disjunction: 1 attribute \(1\)$", out, re.MULTILINE)
    assert "Checked on every row" in out
    assert "How good the witnesses are" in out
    assert re.search(r"^Claim     certified: ", out, re.MULTILINE)
    assert "Perceptron or Winnow?" in out


def test_attributes_are_called_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "small.vw"
    path.write_text("".join(f"{label} | {' '.join(f'n{i}' for i in x)}\n" for label, x in ROWS))
    assert re.search(
        r"  disjunction: 1 attribute \(n1\)$", run("certify", path, "--n", 64, "--threshold", 64).out, re.MULTILINE
    )


def test_what_says_little_comes_last_and_is_no_headline(tmp_path: Path) -> None:
    noisy = [(label if k % 3 else -label, x) for k, (label, x) in enumerate(ROWS)]
    ran = run("certify", small(tmp_path, noisy), "--n", 8)
    assert ran.status == 0
    assert "Claim" not in ran.out
    table = [line for line in ran.out.splitlines() if re.search(r"  (any|this)  ", line)]
    assert all("(says little)" in line for line in table)


def test_of_many_attributes_the_first_are_named(tmp_path: Path) -> None:
    rows = [(+1, {i: 1.0, 9: 1.0}) for i in (1, 2, 3, 4, 5)] * 20 + [(-1, {9: 1.0})] * 100
    out = run("certify", small(tmp_path, rows), "--n", 9, "--threshold", 9).out
    assert re.search(r"  disjunction: 5 attributes \(1, 2, 3 and 2 more\)$", out, re.MULTILINE)
    out = run("certify", small(tmp_path, rows[:2] * 20 + rows[-40:]), "--n", 9, "--threshold", 9).out
    assert re.search(r"  disjunction: 2 attributes \(1 and 2\)$", out, re.MULTILINE)


def test_what_all_learners_share_is_said_once(tmp_path: Path) -> None:
    out = run("certify", small(tmp_path), "--n", 8).out
    checked = out.partition("Checked on every row\n")[2].partition("\n\n")[0]
    assert checked.startswith("  all: every example has weight 1\n")
    assert checked.count("weight 1") == 1
    assert "the rounds are one Winnow's; they begin at weights 1" in checked


def test_the_examples_of_a_short_proof_that_nothing_separates_are_named(tmp_path: Path) -> None:
    path = small(tmp_path, [*ROWS, (-1, {1: 1.0})])
    found = by_name(certified(path, "--n", 8), "Perceptron")["found"][1]["says"]
    assert re.fullmatch(r"nothing separates the examples: examples \d+ and 61 are equal, with both labels", found)
    assert by_name(certified(path, "--n", 8), "BalancedWinnow")["found"] == []
    found = by_name(certified(path, "--n", 8, "--no-bias"), "Perceptron")["found"][1]["says"]
    assert re.fullmatch(r".*: of examples \d+ and 61 a sum of y·x with whole coefficients is exactly 0", found)
    empty = by_name(certified(small(tmp_path, [(+1, {}), *ROWS]), "--n", 8, "--no-bias"), "Perceptron")["found"][1]["says"]
    assert empty == "nothing separates the examples: example 1 is of zeros"


def test_it_is_said_where_the_threshold_leaves_nothing_of_the_bounds_of_winnow(tmp_path: Path) -> None:
    """Not of that of relative entropy, which is smaller here."""
    ran = run("certify", small(tmp_path), "--n", 2**14)
    assert (
        "  Winnow: 16,384 of each bound for disjunctions, covers and thresholds are\n"
        "    αn/((α − 1)θ): a larger --threshold, up to n, or a smaller --n lowers that\n"
    ) in ran.out
    assert "αn/((α − 1)θ)" not in run("certify", small(tmp_path), "--n", 2**14, "--threshold", 2**14).out


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


# ---- saved, and checked ------------------------------------------------------------------------------------------------------


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
    checked = run("certify", path, "--check", file)
    check_holds(checked)
    assert re.search(rf"^fingerprint {prints['Perceptron']} \(Perceptron; Perceptron, normalised; ", checked.out, re.MULTILINE)
    assert re.search(rf"^fingerprint {prints['Winnow']} \(Winnow", checked.out, re.MULTILINE)
    told = run("certify", path, "--check", file, "--json").json["fingerprints"]
    assert {each["fingerprint"]: "Winnow" in each["learners"] for each in told} == {
        prints["Perceptron"]: False,
        prints["Winnow"]: True,
    }


def test_a_check_shows_the_table_that_was_shown_when_it_was_made(tmp_path: Path) -> None:
    path = small(tmp_path)
    shown = run("certify", path, "--n", 8, "--save", tmp_path / "proof.json").out
    checked = run("certify", path, "--check", tmp_path / "proof.json").out
    tables = [[line for line in out.splitlines() if re.search(r"  (any|this)  ", line)] for out in (shown, checked)]
    assert tables[0] == tables[1] != []
    assert " holds: every learner was played on the 60 examples\nof " in checked


def test_a_stream_of_another_length_is_named_as_one_before_any_fingerprint(tmp_path: Path) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    says = ["small.proof.json is not of this stream: found 59 examples, the proof is of 60"]
    check_refused_command(tmp_path, "certify", path, "--check", file, says=says)
    with pytest.raises(th.StoreError, match=r"^found 59 examples, the proof is of 60$"):
        th.Proof.load(file).check(lambda: th.open_stream(path, n=8))


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
    assert "1 line cannot be read and is left out; the first:" in found["notices"][0]
