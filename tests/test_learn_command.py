"""`thresher learn`: what it counts, shows and proves, against the definition played in plain Python."""

from __future__ import annotations

import gzip
import math
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import thresher as th
from tests.commands import Ran, fruit, read_in_pieces, run, started, svmlight, written
from tests.oracles import bits, everything
from thresher.data.demos import RIGHTLY_LABELLED, find
from thresher.data.names import slot_of
from thresher.linear.perceptron import definition
from thresher.store import Model

SLOTS = 2**18


class Played(NamedTuple):
    """What the definition did: examples as sets of names, labels, predictions, and the weights at the end."""

    examples: list[list[str]]
    labels: list[int]
    predictions: list[int]
    weights: dict[str, Fraction | float]

    @property
    def wrong(self) -> list[bool]:
        return [said != label for said, label in zip(self.predictions, self.labels, strict=True)]


def by_the_definition(text: str, positive: str, passes: int = 1, **parameters: Any) -> Played:
    """The definition of the Perceptron on Vowpal Wabbit text whose features are names of value 1."""
    split = [line.partition("|") for line in text.splitlines()]
    examples = [names.split() for _, _, names in split] * passes
    labels = [1 if head.split()[0] == positive else -1 for head, _, _ in split] * passes
    names = sorted({name for example in examples for name in example})
    place = {name: k for k, name in enumerate(names)}

    def rows() -> Iterator[tuple[list[float], int]]:
        for example, label in zip(examples, labels, strict=True):
            row = [0.0] * len(names)
            for name in example:
                row[place[name]] = 1
            yield row, label

    played = [(said, after) for _, said, after in definition(len(names), rows(), **parameters)]
    names_and_bias = names if parameters.get("bias") is None else [*names, ""]
    return Played(examples, labels, [said for said, _ in played], dict(zip(names_and_bias, played[-1][1], strict=True)))


@cache
def oranges() -> Played:
    return by_the_definition(b"".join(find("oranges").blocks()).decode(), "export", bias=1)


@cache
def learned_oranges() -> Ran:
    return run("learn", "demo:oranges")


def numbers(line: str) -> list[str]:
    return re.sub(r" %", "%", line).split()


def share(count: int, of: int) -> str:
    return f"{100 * count / of:.2f}%"


# ---- counts --------------------------------------------------------------------------------------------------------


def test_the_rows_of_the_table_come_at_doubled_distances_and_count_what_the_definition_does() -> None:
    head, *rows = learned_oranges().err.strip().splitlines()
    assert head.split("  ") == [
        "examples",
        "positives",
        "mistakes",
        "error so far",
        "since last row",
        "best constant",
        "repeat last",
    ]
    labels, wrong = oranges().labels, oranges().wrong
    repeats = [label != before for label, before in zip(labels, [1, *labels], strict=False)]
    ends = [2**k for k in range(14)] + [len(labels)]
    for row, end, start in zip(rows, ends, [0, *ends], strict=False):
        positives = labels[:end].count(1)
        expected = [
            f"{end:,}",
            f"{positives:,}",
            f"{sum(wrong[:end]):,}",
            share(sum(wrong[:end]), end),
            share(sum(wrong[start:end]), end - start),
            share(min(positives, end - positives), end),
            share(sum(repeats[:end]), end),
        ]
        assert numbers(row) == expected
    assert len(rows) == len(ends)


@pytest.mark.parametrize("piece", [1, 37, 500])
def test_the_table_does_not_depend_on_the_pieces_in_which_the_source_comes(
    piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(60))
    whole = run("learn", source, "--positive", "spam")
    read_in_pieces(monkeypatch, piece)
    assert run("learn", source, "--positive", "spam").err == whole.err


def test_a_last_row_that_was_shown_is_not_shown_again(tmp_path: Path) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(64))
    assert [numbers(row)[0] for row in run("learn", source).err.strip().splitlines()[1:]] == [
        "1",
        "2",
        "4",
        "8",
        "16",
        "32",
        "64",
    ]


def test_confusion_precision_recall_and_baselines_are_those_of_the_definition() -> None:
    labels, said, wrong = oranges().labels, oranges().predictions, oranges().wrong
    found = sum(label == 1 == guess for label, guess in zip(labels, said, strict=True))
    missed = labels.count(1) - found
    alarms = sum(wrong) - missed
    out = learned_oranges().out
    rows = [line.split() for line in out.splitlines()]
    assert ["export", f"{found:,}", f"{missed:,}"] in rows
    assert ["local-market", f"{alarms:,}", f"{labels.count(-1) - alarms:,}"] in rows
    precision, recall = (f"{100 * found / of:.2f} %" for of in (found + alarms, found + missed))
    error = f"{100 * sum(wrong) / 9600:.2f} %"
    assert f"mistakes {sum(wrong)} of 9,600 ({error}); of export: precision {precision}, recall {recall}" in out
    repeats = sum(label != before for label, before in zip(labels, [1, *labels], strict=False))
    assert f"the best constant makes {labels.count(-1):,} mistakes, repeating the last label {repeats:,}" in out


def test_json_is_the_only_thing_on_stdout_and_agrees_with_the_definition() -> None:
    ran = run("learn", "demo:oranges", "--json")
    said, labels = ran.json, oranges().labels
    mistakes = sum(oranges().wrong)
    repeats = sum(label != before for label, before in zip(labels, [1, *labels], strict=False))
    assert (ran.status, ran.err, ran.out.count("\n")) == (0, "", 1)
    assert (said["examples"], said["mistakes"], said["updates"], said["loss"]) == (9600, mistakes, mistakes, float(mistakes))
    assert said["error_rate"] == mistakes / 9600
    assert said["seconds"] >= 0
    assert said["baselines"] == {"best_constant": labels.count(-1), "repeat_last": repeats}
    assert said["learner"] == {
        "name": "Perceptron",
        "parameters": {"n": SLOTS, "normalize": False, "bias": 1.0, "tie": "plus"},
    }
    assert said["certificates"]
    for certificate in said["certificates"]:
        assert {"theorem", "on", "count", "bound", "verdict", "premises"} <= set(certificate)
        assert (certificate["on"], certificate["count"]) == ("mistakes", mistakes)
        assert all(set(premise) == {"statement", "status", "detail"} for premise in certificate["premises"])
    assert said["headline"] == said["certificates"][0]


def test_the_weights_are_those_of_the_definition(tmp_path: Path) -> None:
    run("learn", "demo:oranges", "--quiet", "--no-check", "--save", tmp_path / "model")
    model = Model.load(tmp_path / "model")
    *named, bias = oranges().weights.items()
    assert (model.learner.bias_weight, "") == (bias[1], bias[0])
    expected = np.zeros(SLOTS)
    for name, weight in named:
        expected[slot_of(name, SLOTS)] += float(weight)
    assert (model.learner.weights == expected).all()


def test_quiet_leaves_stderr_empty_and_changes_nothing_else() -> None:
    quiet = run("learn", "demo:oranges", "--quiet")
    assert quiet.err == ""
    assert quiet.out == learned_oranges().out


def test_learning_goes_on_when_whoever_read_the_table_has_left(tmp_path: Path) -> None:
    model = tmp_path / "model"
    process = started("learn", "-", "--save", model, stdin=subprocess.PIPE)
    assert process.stderr is not None
    process.stderr.close()
    out, _ = process.communicate(fruit(3000).encode())
    assert process.returncode == 0
    assert out.startswith(b"3,000 examples of standard input in one pass")
    assert Model.load(model).learner.rounds == 3000


def test_a_source_sorted_by_label_is_said_to_look_so(tmp_path: Path) -> None:
    source = tmp_path / "sorted.svm"
    source.write_text("1 1:1\n" * 99 + "-1 2:1\n" * 101)
    ran = run("learn", source, "--json")
    assert ran.json["baselines"] == {"best_constant": 99, "repeat_last": 1}
    assert [notice for notice in ran.json["notices"] if "looks sorted by label" in notice]
    assert "looks sorted by label: repeating the last label makes only 1 mistakes in 200" in run("learn", source).out
    source.write_text("1 1:1\n-1 2:1\n" * 100)
    assert "looks sorted" not in run("learn", source).out


# ---- options -------------------------------------------------------------------------------------------------------


def test_the_trace_is_the_blackboard_table_of_the_first_rounds(tmp_path: Path) -> None:
    source = tmp_path / "three.vw"
    source.write_text("-1 | a:2\n1 | b\n1 | a b:3\n")
    ran = run("learn", source, "--trace", 2, "--quiet", "--no-bias", "--bits", 6)
    learner = th.Perceptron(64)
    names = {slot_of(name, 64): name for name in "ab"}
    table = th.trace(learner, [({"a": 2.0}, -1), ({"b": 1.0}, 1)], names=names)
    lines = [line.split() for line in ran.out.splitlines()[:3]]
    assert [line[-2:] for line in lines[1:]] == [line.split()[-2:] for line in str(table).splitlines()[1:]]
    assert ran.out.splitlines()[1].startswith("1  {a: 2}")
    rows = run("learn", source, "--trace", 9, "--json", "--bits", 6).json["trace"]
    assert [row["t"] for row in rows] == ["1", "2", "3"]
    assert rows[0]["x"] == "{a: 2}"
    assert run("learn", source, "--json").json["trace"] is None


def test_tracing_changes_nothing_that_is_learned(tmp_path: Path) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(50))
    run("learn", source, "--save", tmp_path / "plain", "--bits", 8, "--quiet")
    run("learn", source, "--save", tmp_path / "traced", "--bits", 8, "--quiet", "--trace", 20)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "traced").read_bytes()


@pytest.mark.parametrize("form", ["vw", "svm"])
def test_k_passes_equal_the_file_k_times(form: str, tmp_path: Path) -> None:
    rows = [(1 if k % 3 else -1, {1 + k % 5: 0.1 * k + 1, 6 + k % 2: 1 / 3}) for k in range(40)]
    text = fruit(40) if form == "vw" else svmlight(rows)
    (tmp_path / "once").write_text(text)
    (tmp_path / "thrice").write_text(text * 3)
    one = run("learn", tmp_path / "once", "--passes", 3, "--json", "--bits", 8, "--save", tmp_path / "passes").json
    other = run("learn", tmp_path / "thrice", "--json", "--bits", 8, "--save", tmp_path / "long").json
    assert one["examples"] == other["examples"] == 120
    same = ("mistakes", "updates", "confusion", "baselines", "error_rate", "labels", "rounds_in_all")
    assert {key: one[key] for key in same} == {key: other[key] for key in same}
    assert everything_of(tmp_path / "passes") == everything_of(tmp_path / "long")


def everything_of(path: Path) -> tuple[object, ...]:
    """All that a model is, but for the run that made it."""
    model = Model.load(path)
    assert isinstance(model.learner, th.Perceptron)
    return *everything(model.learner), model.recipe, model.tally, model.names


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ((), {"bias": 1}),
        (("--no-bias",), {}),
        (("--tie", "minus"), {"bias": 1, "tie": -1}),
        (("--tie", "mistake", "--no-bias"), {"tie": 0}),
        (("--normalize",), {"bias": 1, "normalize": True}),
        (("--normalize", "--no-bias", "--tie", "minus"), {"normalize": True, "tie": -1}),
        (("--passes", "2"), {"bias": 1, "passes": 2}),
        (("--positive", "ham"), {"bias": 1, "positive": "ham"}),
    ],
)
def test_every_option_of_the_learner_is_played_as_defined(
    options: tuple[str, ...], parameters: dict[str, Any], tmp_path: Path
) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(80, seed=5))
    said = run("learn", source, *options, "--json", "--save", tmp_path / "model").json
    played = by_the_definition(source.read_text(), **{"positive": "spam", **parameters})
    positives = [(label, guess) for label, guess in zip(played.labels, played.predictions, strict=True) if label > 0]
    assert said["mistakes"] == said["updates"] == sum(played.wrong)
    assert said["confusion"]["false_negatives"] == sum(guess != label for label, guess in positives)
    learner = Model.load(tmp_path / "model").learner
    for name, weight in played.weights.items():
        learned = learner.weights[slot_of(name, SLOTS)] if name else learner.bias_weight
        assert math.isclose(learned, float(weight), rel_tol=1e-12, abs_tol=1e-12)


def test_the_positive_label_may_be_either_and_is_spelled_as_in_the_file(tmp_path: Path) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(30))
    spam, ham = (run("learn", source, "--json", *options).json for options in ((), ("--positive", "ham")))
    assert spam["labels"] == {"positive": "spam", "negative": "ham"}
    assert ham["labels"] == {"positive": "ham", "negative": "spam"}
    assert spam["positives"] + ham["positives"] == 30


def test_a_positive_label_may_be_named_again_however_it_is_spelled(tmp_path: Path) -> None:
    source, model = tmp_path / "source", tmp_path / "model"
    source.write_text("1 1:1\n-1 2:1\n")
    assert run("learn", source, "--positive", "+1", "--passes", 2, "--save", model, "--quiet").status == 0
    for spelled in ("1", "+1", "1.0"):
        assert run("learn", source, "--from", model, "--positive", spelled, "--quiet").status == 0
        assert run("predict", model, source, "--positive", spelled).out == "1\n-1\n"
    assert run("learn", source, "--from", model, "--positive", "-1.0", "--quiet").status == 2


def test_a_positive_label_that_was_named_may_still_be_to_come(tmp_path: Path) -> None:
    ham, both, model = tmp_path / "ham", tmp_path / "both", tmp_path / "model"
    ham.write_text("ham | a\nham | b\n")
    both.write_text("spam | c\nham | a\n")
    named = ("--positive", "spam", "--quiet", "--bits", 6)
    assert run("learn", ham, *named, "--passes", 2, "--save", model).status == 0
    assert run("learn", both, "--from", model, *named, "--save", model).status == 0
    recipe = Model.load(model).recipe
    assert recipe is not None
    assert (recipe.minus, recipe.plus) == ("ham", "spam")
    run("learn", ham, *named, "--save", model)
    both.write_text("eggs | c\nham | a\n")
    refused = run("learn", both, "--from", model, *named)
    assert (refused.status, "'eggs'" in refused.err) == (2, True)


def test_standard_input_is_learned_but_cannot_be_read_again(tmp_path: Path) -> None:
    text = fruit(30)
    ran = run("learn", "-", "--quiet", "--bits", 8, "--save", tmp_path / "piped", stdin=text.encode())
    assert ran.status == 0
    assert "Nothing is proven yet: standard input cannot be read again" in ran.out
    said = run("learn", "-", "--json", "--bits", 8, stdin=gzip.compress(text.encode())).json
    assert said["certificates"] == []
    assert "cannot be read again" in said["unchecked"]
    (tmp_path / "file").write_text(text)
    run("learn", tmp_path / "file", "--quiet", "--bits", 8, "--save", tmp_path / "model")
    assert (tmp_path / "piped").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_named_pipe_is_learned_like_standard_input(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(fruit(30),))
    writer.start()
    ran = run("learn", pipe, "--quiet")
    writer.join()
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("30 examples")
    assert "cannot be read again" in ran.out


def test_without_a_check_nothing_is_proven_and_the_model_is_the_same(tmp_path: Path) -> None:
    checked = run("learn", "demo:oranges", "--json", "--save", tmp_path / "checked").json
    unchecked = run("learn", "demo:oranges", "--json", "--no-check", "--save", tmp_path / "unchecked").json
    assert checked["certificates"]
    assert checked["unchecked"] is None
    assert (unchecked["certificates"], unchecked["headline"]) == ([], None)
    assert "--no-check" in unchecked["unchecked"]
    assert (tmp_path / "checked").read_bytes() == (tmp_path / "unchecked").read_bytes()


def test_examples_without_a_label_are_counted_and_not_learned(tmp_path: Path) -> None:
    (tmp_path / "all.vw").write_text("1 | a\n| b\n-1 | c\n'tag| a c\n")
    (tmp_path / "some.vw").write_text("1 | a\n-1 | c\n")
    said = run("learn", tmp_path / "all.vw", "--json", "--bits", 6, "--save", tmp_path / "all").json
    assert (said["examples"], said["unlabelled"]) == (2, 2)
    assert "2 examples had no label and were not learned" in said["notices"]
    run("learn", tmp_path / "some.vw", "--bits", 6, "--save", tmp_path / "some", "--quiet")
    assert everything_of(tmp_path / "all") == everything_of(tmp_path / "some")


def test_bad_lines_are_skipped_on_demand_and_the_first_are_shown(tmp_path: Path) -> None:
    good = fruit(20).splitlines(keepends=True)
    bad = ["no bar here\n", "spam | a:b\n"]
    (tmp_path / "bad.vw").write_text("".join([*good[:7], bad[0], *good[7:], bad[1]]))
    (tmp_path / "good.vw").write_text("".join(good))
    said = run("learn", tmp_path / "bad.vw", "--on-bad", "skip", "--json", "--bits", 6, "--save", tmp_path / "bad").json
    assert (said["examples"], said["bad_lines"]) == (20, 2)
    assert [line.rpartition("bad.vw:")[2].split(":")[0] for line in said["first_bad_lines"]] == ["8", "22"]
    assert said["certificates"][0]["verdict"] == "certified"
    run("learn", tmp_path / "good.vw", "--bits", 6, "--save", tmp_path / "good", "--quiet")
    assert everything_of(tmp_path / "bad") == everything_of(tmp_path / "good")


# ---- what is proven ------------------------------------------------------------------------------------------------


def test_the_verdict_on_the_demo_is_certified_and_assumes_nothing() -> None:
    out = learned_oranges().out
    assert re.search(r"^Claim     certified: 58 of at most 318 mistakes in 9,600 rounds$", out, re.MULTILINE)
    assert re.search(r"^Assumed   nothing$", out, re.MULTILINE)
    assert re.search(r"^Witness   the learner's weights after 9,600 rounds, ", out, re.MULTILINE)


def test_the_numbers_of_the_distance_certificates_hold_in_exact_fractions() -> None:
    played = oranges()
    certificates = run("learn", "demo:oranges", "--json").json["certificates"]
    by_name = {(c["theorem"], c["diagnostic"]): c for c in certificates}
    u = {name: Fraction(weight) for name, weight in played.weights.items()}
    norm_squared = sum(weight * weight for weight in u.values())
    radius_squared = max(len(example) + 1 for example in played.examples)
    agreed = [
        label * (u[""] + sum(u[name] for name in example))
        for example, label in zip(played.examples, played.labels, strict=True)
    ]
    for (theorem, diagnostic), certificate in by_name.items():
        if "separable" in theorem:
            assert min(agreed) < 0
            assert certificate["verdict"] == "void"
            continue
        found = {name: Fraction(number) for name, number in certificate["numbers"].items()}
        gamma = found["margin"]
        short = [max(Fraction(0), gamma - margin) for margin in agreed]
        if diagnostic:
            short = [distance for distance, wrong in zip(short, played.wrong, strict=True) if wrong]
        exact = {
            "norm": (found["norm"] ** 2, norm_squared),
            "radius": (found["radius"] ** 2, Fraction(radius_squared)),
            "distance": (found.get("distance", Fraction(0)), sum(short)),
            "squared": (found.get("squared", Fraction(0)), sum(distance**2 for distance in short)),
        }
        for name in set(found) - {"margin"}:
            stated, least = exact[name]
            assert least <= stated <= least * (1 + Fraction(1, 10**9))
        assert certificate["verdict"] == "certified"
        assert certificate["count"] == sum(played.wrong) <= certificate["at_most"]
        check_allows_no_less(certificate, norm_squared * radius_squared / gamma**2, exact, gamma)


def check_allows_no_less(
    certificate: dict[str, Any], length_squared: Fraction, exact: dict[str, tuple[Fraction, Any]], gamma: Fraction
) -> None:
    """Asserts that the printed bound is not below the theorem's in exact arithmetic, and not far above it."""
    for bound, below in ((Fraction(certificate["bound"]) * (1 + Fraction(1, 10**9)), False), (None, True)):
        value = Fraction(certificate["bound"]) * (1 - Fraction(1, 10**8)) if bound is None else bound
        if "distance" in certificate["numbers"]:  # value ≥ H + L·√value, with both sides squared
            rest = value - exact["distance"][1] / gamma
            holds = rest >= 0 and rest**2 >= length_squared * value
        else:  # √value ≥ L + √D₂/γ, squared twice
            rest = value - length_squared - exact["squared"][1] / gamma**2
            holds = rest >= 0 and rest**2 >= 4 * length_squared * exact["squared"][1] / gamma**2
        assert holds is not below


def test_where_the_final_weights_separate_the_separable_forms_hold_in_exact_fractions(tmp_path: Path) -> None:
    source = tmp_path / "right.vw"
    source.write_text("".join(b"".join(find("oranges").blocks()).decode().splitlines(keepends=True)[:1000]))
    assert RIGHTLY_LABELLED > 1000
    said = run("learn", source, "--positive", "export", "--passes", 6, "--json").json
    played = by_the_definition(source.read_text(), "export", passes=6, bias=1)
    u = {name: Fraction(weight) for name, weight in played.weights.items()}
    margin = min(
        label * (u[""] + sum(u[name] for name in example))
        for example, label in zip(played.examples, played.labels, strict=True)
    )
    assert margin > 0
    by_name = {c["theorem"]: c for c in said["certificates"] if not c["diagnostic"]}
    separable, after = by_name["Perceptron, separable"], by_name["Perceptron, separable, after the run"]
    wrong = [len(example) + 1 for example, mistake in zip(played.examples, played.wrong, strict=True) if mistake]
    for certificate in (separable, after):
        assert certificate["verdict"] == "certified"
        assert certificate["count"] == sum(played.wrong) <= certificate["at_most"]
        assert margin * (1 - Fraction(1, 10**9)) <= Fraction(certificate["numbers"]["margin"]) <= margin
    assert sum(wrong) <= Fraction(after["numbers"]["squares"]) <= sum(wrong) * (1 + Fraction(1, 10**9))
    norm_squared, outward = sum(weight**2 for weight in u.values()), 1 + Fraction(1, 10**9)
    radius_squared = max(len(example) + 1 for example in played.examples)
    assert Fraction(separable["bound"]) * outward >= norm_squared * radius_squared / margin**2
    assert (Fraction(after["bound"]) * outward * margin) ** 2 >= norm_squared * sum(wrong)


def test_weighted_examples_void_the_theorem_and_the_certificate_says_which(tmp_path: Path) -> None:
    source = tmp_path / "weighted.vw"
    source.write_text("1 | a\n-1 | b\n1 2.0 | c\n-1 | d\n")
    said = run("learn", source, "--json", "--bits", 6).json
    assert {certificate["verdict"] for certificate in said["certificates"]} == {"void"}
    broken = [premise for premise in said["certificates"][0]["premises"] if premise["status"] == "broken"]
    assert {"statement": "every example has weight 1", "status": "broken", "detail": "not the one of round 3"} in broken
    assert said["headline"] is None
    source.write_text("1 1.0 | a\n-1 1 | b\n")
    assert run("learn", source, "--json", "--bits", 6).json["certificates"][0]["verdict"] == "certified"


def test_weights_too_large_for_a_witness_are_learned_and_saved_though_nothing_is_proven(tmp_path: Path) -> None:
    source = tmp_path / "large.svm"
    source.write_text("1 1:1.8e75\n-1 1:1.8e75 2:1.8e75\n1 1:-1.8e75\n-1 2:1.8e75\n1 1:1e75 2:-1e75\n" * 3)
    ran = run("learn", source, "--quiet", "--bits", 6, "--save", tmp_path / "model")
    assert (ran.status, ran.err) == (0, "")
    assert "Nothing is proven yet: the final weights cannot be the witness" in ran.out
    assert abs(Model.load(tmp_path / "model").learner.weights).max() > 2.0**250


def test_a_source_that_changes_before_it_is_read_again_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, model, save = tmp_path / "fruit.vw", tmp_path / "model", Model.save
    for other in (fruit(30, seed=3), fruit(29), fruit(30) + "spam | n1\n", fruit(30).replace("n1 ", "n2 ", 1)):
        source.write_text(fruit(30))

        def save_and_change(self: Model, path: Path, other: str = other) -> None:
            save(self, path)
            source.write_text(other)

        with monkeypatch.context() as patch:
            patch.setattr(Model, "save", save_and_change)
            ran = run("learn", source, "--save", model, "--quiet", "--bits", 8)
        assert (ran.status, ran.out) == (2, "")
        assert "found other text when it was read again" in ran.err
        assert Model.load(model).learner.rounds == 30


def test_a_source_that_changes_between_two_passes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, model = tmp_path / "fruit.vw", tmp_path / "model"
    source.write_text(fruit(30))
    passes: list[th.Stream] = []

    def open_and_change(*arguments: Any, **options: Any) -> th.Stream:
        if passes:
            source.write_text(fruit(30, seed=4))
        passes.append(th.open_stream(*arguments, **options))
        return passes[-1]

    monkeypatch.setattr("thresher.cli.learning.open_stream", open_and_change)
    ran = run("learn", source, "--save", model, "--quiet", "--passes", 2)
    assert (ran.status, ran.out) == (2, "")
    assert "found other text in this pass than in the first" in ran.err
    assert not model.exists()


def test_a_violated_bound_ends_with_3_after_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_small(**_numbers: float) -> th.bounds.Bound:
        theorem = th.bounds.Theorem("too small", "M ≤ 1", "nobody")
        return th.bounds.Bound(1.0, "mistakes", theorem, ())

    monkeypatch.setattr(th.bounds, "perceptron_squared_distance", too_small)
    ran = run("learn", "demo:oranges", "--quiet", "--save", tmp_path / "model")
    assert ran.status == 3
    assert "violated" in ran.out
    assert ran.err == "thresher: a theorem with checked premises has failed, which is a bug of ours; please report it\n"
    assert Model.load(tmp_path / "model").learner.rounds == 9600


# ---- from a model --------------------------------------------------------------------------------------------------


def test_learning_more_from_a_model_equals_learning_all_at_once(tmp_path: Path) -> None:
    one, two = fruit(40), fruit(35, seed=9)
    (tmp_path / "one").write_text(one)
    (tmp_path / "two").write_text(two)
    (tmp_path / "both").write_text(one + two)
    run("learn", tmp_path / "one", "--quiet", "--bits", 8, "--save", tmp_path / "model", "--normalize")
    run("learn", tmp_path / "two", "--quiet", "--from", tmp_path / "model", "--save", tmp_path / "model")
    run("learn", tmp_path / "both", "--quiet", "--bits", 8, "--save", tmp_path / "at once", "--normalize")
    assert everything_of(tmp_path / "model") == everything_of(tmp_path / "at once")
    learner = Model.load(tmp_path / "model").learner
    assert bits(learner.weights) == bits(Model.load(tmp_path / "at once").learner.weights)


def test_what_follows_a_model_is_counted_from_zero_weights_and_at_most_conditional(tmp_path: Path) -> None:
    one, two = fruit(40), fruit(35, seed=9)
    (tmp_path / "one").write_text(one)
    (tmp_path / "two").write_text(two)
    run("learn", tmp_path / "one", "--quiet", "--save", tmp_path / "model")
    ran = run("learn", tmp_path / "two", "--json", "--from", tmp_path / "model")
    said, both = ran.json, by_the_definition(one + two, "spam", bias=1)
    assert (said["examples"], said["rounds_in_all"]) == (35, 75)
    assert said["mistakes"] == sum(both.wrong[40:])
    assert {c["count"] for c in said["certificates"]} == {sum(both.wrong)}
    assert {c["rounds"] for c in said["certificates"]} == {75}
    assert {c["verdict"] for c in said["certificates"]} <= {"conditional", "void"}
    assert any(c["verdict"] == "conditional" for c in said["certificates"])
    for certificate in said["certificates"]:
        (assumed,) = [premise for premise in certificate["premises"] if premise["status"] == "assumed"]
        assert assumed["statement"] == "the first 40 rounds keep to the same margin, sizes and distances"
    assert said["headline"] is None
    out = run("learn", tmp_path / "two", "--quiet", "--from", tmp_path / "model").out
    assert "after 40 examples that the model had learned before" in out
    assert "  certified " not in out


def test_the_model_that_one_starts_from_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(fruit(40))
    run("learn", tmp_path / "one", "--quiet", "--save", tmp_path / "model")
    before = written(tmp_path)
    assert run("learn", tmp_path / "one", "--quiet", "--from", tmp_path / "model").status == 0
    assert written(tmp_path) == before
