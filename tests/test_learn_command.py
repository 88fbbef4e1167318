"""`thresher learn`: what it counts, shows and proves, against the definition played in plain Python."""

from __future__ import annotations

import gzip
import math
import os
import re
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import PERCEPTRON, fruit, read_in_pieces, run, started, svmlight
from tests.played import SLOTS, by_the_definition, everything_of, learned_oranges, oranges
from thresher.data.names import slot_of
from thresher.store import Model, linear


def numbers(line: str) -> list[str]:
    return re.sub(r" %", "%", line).split()


def share(count: int, of: int) -> str:
    return f"{100 * count / of:.2f}%"


# ---- counts --------------------------------------------------------------------------------------------------------


def test_the_rows_of_the_table_come_at_doubled_distances_and_count_what_the_definition_does() -> None:
    head, *rows = learned_oranges().err.strip().splitlines()
    assert re.split("  +", head) == ["examples", "positives", "mistakes", "error", "since last", "best constant", "repeat last"]
    assert {len(line) for line in (head, *rows)} == {79}
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
    whole = run(*PERCEPTRON, source, "--positive", "spam")
    read_in_pieces(monkeypatch, piece)
    assert run(*PERCEPTRON, source, "--positive", "spam").err == whole.err


def test_a_last_row_that_was_shown_is_not_shown_again(tmp_path: Path) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(64))
    assert [numbers(row)[0] for row in run(*PERCEPTRON, source).err.strip().splitlines()[1:]] == [
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
    ran = run(*PERCEPTRON, "demo:oranges", "--json")
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
    run(*PERCEPTRON, "demo:oranges", "--quiet", "--no-check", "--save", tmp_path / "model")
    learner = linear(Model.load(tmp_path / "model").learner)
    *named, bias = oranges().weights.items()
    assert (learner.bias_weight, "") == (bias[1], bias[0])
    expected = np.zeros(SLOTS)
    for name, weight in named:
        expected[slot_of(name, SLOTS)] += float(weight)
    assert (learner.weights == expected).all()


def test_quiet_leaves_stderr_empty_and_changes_nothing_else() -> None:
    quiet = run(*PERCEPTRON, "demo:oranges", "--quiet")
    assert quiet.err == ""
    assert quiet.out == learned_oranges().out


def test_learning_goes_on_when_whoever_read_the_table_has_left(tmp_path: Path) -> None:
    model = tmp_path / "model"
    process = started(*PERCEPTRON, "-", "--save", model, stdin=subprocess.PIPE)
    assert process.stderr is not None
    process.stderr.close()
    out, _ = process.communicate(fruit(3000).encode())
    assert process.returncode == 0
    assert out.startswith(b"3,000 examples of standard input in one pass")
    assert Model.load(model).learner.rounds == 3000


def test_a_source_sorted_by_label_is_said_to_look_so(tmp_path: Path) -> None:
    source = tmp_path / "sorted.svm"
    source.write_text("1 1:1\n" * 99 + "-1 2:1\n" * 101)
    ran = run(*PERCEPTRON, source, "--json")
    assert ran.json["baselines"] == {"best_constant": 99, "repeat_last": 1}
    assert [notice for notice in ran.json["notices"] if "looks sorted by label" in notice]
    assert "looks sorted by label: repeating the last label makes only 1 mistake in 200" in run(*PERCEPTRON, source).out
    source.write_text("1 1:1\n-1 2:1\n" * 100)
    assert "looks sorted" not in run(*PERCEPTRON, source).out


@pytest.mark.parametrize(("length", "runs"), [(5, True), (3, False), (1, False)])
def test_labels_that_come_in_runs_are_said_to(length: int, runs: bool, tmp_path: Path) -> None:
    """Runs of k labels cost repeating the last one n/k mistakes, and the best constant n/2."""
    source = tmp_path / "runs.svm"
    source.write_text(("1 1:1\n" * length + "-1 2:1\n" * length) * 50)
    line = "labels come in runs: these figures hold only where each label is known before the next prediction"
    ran = run(*PERCEPTRON, source)
    assert (line in ran.out.splitlines()) == runs
    assert "looks sorted" not in ran.out


def test_one_of_each_is_in_the_singular(tmp_path: Path) -> None:
    source = tmp_path / "once.vw"
    source.write_text("1 | a b c\n-1 |\n1 | :\n| d\n-1 | a:2\n1 | d\n")
    out = run(*PERCEPTRON, source, "--bits", 1, "--on-bad", "skip").out
    assert "1 example had no label and was not learned" in out
    assert "1 line could not be read and was left out" in out
    assert "1 time two names of one example fell into one slot" in out
    assert not re.search(r"\b1 (times|lines|mistakes|examples)\b", out)


# ---- options -------------------------------------------------------------------------------------------------------


def test_the_trace_is_the_blackboard_table_of_the_first_rounds(tmp_path: Path) -> None:
    source = tmp_path / "three.vw"
    source.write_text("-1 | a:2\n1 | b\n1 | a b:3\n")
    ran = run(*PERCEPTRON, source, "--trace", 2, "--quiet", "--no-bias", "--bits", 6)
    learner = th.Perceptron(64)
    names = {slot_of(name, 64): name for name in "ab"}
    table = th.trace(learner, [({"a": 2.0}, -1), ({"b": 1.0}, 1)], names=names)
    lines = [line.split() for line in ran.out.splitlines()[:3]]
    assert [line[-2:] for line in lines[1:]] == [line.split()[-2:] for line in str(table).splitlines()[1:]]
    assert ran.out.splitlines()[1].startswith("1  {a: 2}")
    rows = run(*PERCEPTRON, source, "--trace", 9, "--json", "--bits", 6).json["trace"]
    assert [row["t"] for row in rows] == ["1", "2", "3"]
    assert rows[0]["x"] == "{a: 2}"
    assert run(*PERCEPTRON, source, "--json").json["trace"] is None


def test_tracing_changes_nothing_that_is_learned(tmp_path: Path) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(50))
    run(*PERCEPTRON, source, "--save", tmp_path / "plain", "--bits", 8, "--quiet")
    run(*PERCEPTRON, source, "--save", tmp_path / "traced", "--bits", 8, "--quiet", "--trace", 20)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "traced").read_bytes()


@pytest.mark.parametrize("form", ["vw", "svm"])
def test_k_passes_equal_the_file_k_times(form: str, tmp_path: Path) -> None:
    rows = [(1 if k % 3 else -1, {1 + k % 5: 0.1 * k + 1, 6 + k % 2: 1 / 3}) for k in range(40)]
    text = fruit(40) if form == "vw" else svmlight(rows)
    (tmp_path / "once").write_text(text)
    (tmp_path / "thrice").write_text(text * 3)
    one = run(*PERCEPTRON, tmp_path / "once", "--passes", 3, "--json", "--bits", 8, "--save", tmp_path / "passes").json
    other = run(*PERCEPTRON, tmp_path / "thrice", "--json", "--bits", 8, "--save", tmp_path / "long").json
    assert one["examples"] == other["examples"] == 120
    same = ("mistakes", "updates", "confusion", "baselines", "error_rate", "labels", "rounds_in_all")
    assert {key: one[key] for key in same} == {key: other[key] for key in same}
    assert everything_of(tmp_path / "passes") == everything_of(tmp_path / "long")


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
    said = run(*PERCEPTRON, source, *options, "--json", "--save", tmp_path / "model").json
    played = by_the_definition(source.read_text(), **{"positive": "spam", **parameters})
    positives = [(label, guess) for label, guess in zip(played.labels, played.predictions, strict=True) if label > 0]
    assert said["mistakes"] == said["updates"] == sum(played.wrong)
    assert said["confusion"]["false_negatives"] == sum(guess != label for label, guess in positives)
    learner = linear(Model.load(tmp_path / "model").learner)
    for name, weight in played.weights.items():
        learned = learner.weights[slot_of(name, SLOTS)] if name else learner.bias_weight
        assert math.isclose(learned, float(weight), rel_tol=1e-12, abs_tol=1e-12)


def test_the_positive_label_may_be_either_and_is_spelled_as_in_the_file(tmp_path: Path) -> None:
    source = tmp_path / "fruit.vw"
    source.write_text(fruit(30))
    spam, ham = (run(*PERCEPTRON, source, "--json", *options).json for options in ((), ("--positive", "ham")))
    assert spam["labels"] == {"positive": "spam", "negative": "ham"}
    assert ham["labels"] == {"positive": "ham", "negative": "spam"}
    assert spam["positives"] + ham["positives"] == 30


def test_how_to_turn_labels_round_is_said_where_the_alphabet_chose(tmp_path: Path) -> None:
    words, numbers, model = tmp_path / "fruit.vw", tmp_path / "numbers.vw", tmp_path / "model"
    words.write_text(fruit(30).replace("ham", "good.mail").replace("spam", "it's"))
    numbers.write_text("1 | a\n0 | b\n")
    chosen = run(*PERCEPTRON, words, "--quiet", "--save", model).out.splitlines()[1]
    assert chosen == """+1 is it's, -1 is good.mail (--positive good.mail turns it round)"""
    turned = run(*PERCEPTRON, words, "--quiet", "--positive", "good.mail").out.splitlines()[1]
    assert turned == "+1 is good.mail, -1 is it's"
    for command in ([words, "--from", model], [numbers], ["demo:oranges"]):
        assert "turns it round" not in run("learn", *command, "--quiet").out


def test_a_positive_label_may_be_named_again_however_it_is_spelled(tmp_path: Path) -> None:
    source, model = tmp_path / "source", tmp_path / "model"
    source.write_text("1 1:1\n-1 2:1\n")
    assert run(*PERCEPTRON, source, "--positive", "+1", "--passes", 2, "--save", model, "--quiet").status == 0
    for spelled in ("1", "+1", "1.0"):
        assert run("learn", source, "--from", model, "--positive", spelled, "--quiet").status == 0
        assert run("predict", model, source, "--positive", spelled).out == "1\n-1\n"
    assert run("learn", source, "--from", model, "--positive", "-1.0", "--quiet").status == 2


def test_a_positive_label_that_was_named_may_still_be_to_come(tmp_path: Path) -> None:
    ham, both, model = tmp_path / "ham", tmp_path / "both", tmp_path / "model"
    ham.write_text("ham | a\nham | b\n")
    both.write_text("spam | c\nham | a\n")
    named = ("--positive", "spam", "--quiet", "--bits", 6)
    assert run(*PERCEPTRON, ham, *named, "--passes", 2, "--save", model).status == 0
    assert run("learn", both, "--from", model, *named, "--save", model).status == 0
    recipe = Model.load(model).recipe
    assert recipe is not None
    assert (recipe.minus, recipe.plus) == ("ham", "spam")
    run(*PERCEPTRON, ham, *named, "--save", model)
    both.write_text("eggs | c\nham | a\n")
    refused = run("learn", both, "--from", model, *named)
    assert (refused.status, "'eggs'" in refused.err) == (2, True)


def test_standard_input_is_learned_but_cannot_be_read_again(tmp_path: Path) -> None:
    text = fruit(30)
    ran = run(*PERCEPTRON, "-", "--quiet", "--bits", 8, "--save", tmp_path / "piped", stdin=text.encode())
    assert ran.status == 0
    assert "Nothing is proven yet: standard input cannot be read again" in ran.out
    said = run(*PERCEPTRON, "-", "--json", "--bits", 8, stdin=gzip.compress(text.encode())).json
    assert said["certificates"] == []
    assert "cannot be read again" in said["unchecked"]
    (tmp_path / "file").write_text(text)
    run(*PERCEPTRON, tmp_path / "file", "--quiet", "--bits", 8, "--save", tmp_path / "model")
    assert (tmp_path / "piped").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_named_pipe_is_learned_like_standard_input(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(fruit(30),))
    writer.start()
    ran = run(*PERCEPTRON, pipe, "--quiet")
    writer.join()
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("30 examples")
    assert "cannot be read again" in ran.out


def test_without_a_check_nothing_is_proven_and_the_model_is_the_same(tmp_path: Path) -> None:
    checked = run(*PERCEPTRON, "demo:oranges", "--json", "--save", tmp_path / "checked").json
    unchecked = run(*PERCEPTRON, "demo:oranges", "--json", "--no-check", "--save", tmp_path / "unchecked").json
    assert checked["certificates"]
    assert checked["unchecked"] is None
    assert (unchecked["certificates"], unchecked["headline"]) == ([], None)
    assert "--no-check" in unchecked["unchecked"]
    assert (tmp_path / "checked").read_bytes() == (tmp_path / "unchecked").read_bytes()


def test_examples_without_a_label_are_counted_and_not_learned(tmp_path: Path) -> None:
    (tmp_path / "all.vw").write_text("1 | a\n| b\n-1 | c\n'tag| a c\n")
    (tmp_path / "some.vw").write_text("1 | a\n-1 | c\n")
    said = run(*PERCEPTRON, tmp_path / "all.vw", "--json", "--bits", 6, "--save", tmp_path / "all").json
    assert (said["examples"], said["unlabelled"]) == (2, 2)
    assert "2 examples had no label and were not learned" in said["notices"]
    run(*PERCEPTRON, tmp_path / "some.vw", "--bits", 6, "--save", tmp_path / "some", "--quiet")
    assert everything_of(tmp_path / "all") == everything_of(tmp_path / "some")


def test_bad_lines_are_skipped_on_demand_and_the_first_are_shown(tmp_path: Path) -> None:
    good = fruit(20).splitlines(keepends=True)
    bad = ["no bar here\n", "spam | a:b\n"]
    (tmp_path / "bad.vw").write_text("".join([*good[:7], bad[0], *good[7:], bad[1]]))
    (tmp_path / "good.vw").write_text("".join(good))
    said = run(*PERCEPTRON, tmp_path / "bad.vw", "--on-bad", "skip", "--json", "--bits", 6, "--save", tmp_path / "bad").json
    assert (said["examples"], said["bad_lines"]) == (20, 2)
    assert [line.rpartition("bad.vw:")[2].split(":")[0] for line in said["first_bad_lines"]] == ["8", "22"]
    assert said["certificates"][0]["verdict"] == "certified"
    run(*PERCEPTRON, tmp_path / "good.vw", "--bits", 6, "--save", tmp_path / "good", "--quiet")
    assert everything_of(tmp_path / "bad") == everything_of(tmp_path / "good")
