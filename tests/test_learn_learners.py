"""`thresher learn --learner`: every learner from a file to a certificate, a model, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import read_in_pieces, run, stop_after
from thresher.cli.learners import NAMES
from thresher.data.names import slot_of
from thresher.linear import LEARNERS
from thresher.store import Model, linear

OPTIONS: dict[str, tuple[str, ...]] = {
    "perceptron": ("--normalize", "--tie", "minus"),
    "margin-perceptron": ("--margin", "0.05", "--epsilon", "0.25"),
    "averaged-perceptron": ("--normalize", "--tie", "minus"),
    "p-norm-perceptron": ("--p", "6", "--no-bias"),
    "passive-aggressive": ("--C", "0.1"),
    "winnow": ("--threshold", "4", "--factor", "1.5", "--strict"),
    "literal-winnow": ("--factor", "1.5"),
    "scaled-winnow": ("--times", "2", "--factor", "4", "--no-bias"),
    "balanced-winnow": ("--eta", "0.3", "--no-bias"),
    "elimination": ("--monotone",),
    "arow": ("--r", "0.5"),
    "adagrad": ("--loss", "hinge", "--rate", "0.2"),
    "invariant": ("--rate", "0.5", "--no-bias"),
}


def disjunction(rows: int = 300, seed: int = 1) -> str:
    """Rows of ten attributes out of fifty; the label is x1 or x2."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        on = sorted(rng.choice(50, 10, replace=False) + 1)
        label = "+1" if on[0] <= 2 else "-1"
        lines.append(f"{label} " + " ".join(f"{index}:1" for index in on))
    return "\n".join(lines) + "\n"


def learned(*arguments: object) -> dict[str, Any]:
    ran = run("learn", *arguments, "--json", "--quiet")
    assert ran.status == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hundred rows come in about eight batches."""
    read_in_pieces(monkeypatch, 2000)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "rows.svm"
    path.write_text(disjunction())
    return path


def test_every_learner_has_a_name() -> None:
    assert {made for made, _ in NAMES.values()} == {"Portfolio", *LEARNERS} - {"Constant"}  # which learns nothing
    assert {"portfolio", *OPTIONS} == set(NAMES)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_command_is_the_library(name: str, source: Path, tmp_path: Path) -> None:
    said = learned(source, "--n", 50, "--learner", name, *OPTIONS[name], "--save", tmp_path / "model")
    model = Model.load(tmp_path / "model")
    learner = linear(model.learner)
    fresh = type(learner)(**learner._arguments())
    with th.open_stream(source, n=50) as stream:
        for batch in stream:
            fresh.learn_many(batch.X, batch.y)
    assert fresh.state()[0] == model.learner.state()[0]
    assert said["mistakes"] == fresh.mistakes
    assert said["learner"]["parameters"] == fresh._arguments()
    assert all(certificate["verdict"] != "violated" for certificate in said["certificates"])


@pytest.mark.parametrize("name", NAMES)
def test_a_model_goes_on_predicts_and_shows_itself(name: str, source: Path, tmp_path: Path) -> None:
    model, more = tmp_path / "model", tmp_path / "more.svm"
    more.write_text(disjunction(seed=2))
    learned(source, "--n", 50, "--learner", name, "--save", model)
    twice = learned(more, "--from", model, "--save", model)
    once = learned(source, more, "--n", 50, "--learner", name)
    assert twice["rounds_in_all"] == once["examples"]
    ran = run("predict", model, more, "--scores")
    assert (ran.status, len(ran.out.splitlines())) == (0, 300)
    loaded = th.load(model)
    with th.open_stream(more, n=50) as stream:
        scores = np.concatenate([loaded.score_many(batch.X) for batch in stream])
    assert [float(line.split("\t")[1]) for line in ran.out.splitlines()] == scores.tolist()
    assert type(loaded).__name__.lower() in run("inspect", model).out.lower()


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("name", NAMES)
def test_a_resumed_run_is_an_uninterrupted_one(name: str, source: Path, tmp_path: Path) -> None:
    whole = learned(source, "--n", 50, "--learner", name, "--save", tmp_path / "whole")
    with stop_after(2):
        run("learn", source, "--n", 50, "--learner", name, "--save", tmp_path / "part", "--quiet")
    resumed = learned(source, "--resume", tmp_path / "part")
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()
    assert resumed["certificates"] == whole["certificates"]


def test_a_constant_that_python_saved_goes_on(source: Path, tmp_path: Path) -> None:
    learner, ledger = th.Constant(50, -1), th.Ledger()
    with th.open_stream(source, n=50) as stream:
        for batch in stream:
            ledger.enter(learner.learn_many(batch.X, batch.y))
        Model(learner, stream.recipe, ledger.tally).save(tmp_path / "model")
    said = learned(source, "--from", tmp_path / "model")
    assert (said["mistakes"], said["updates"]) == (disjunction().count("+1"), 0)
    ran = run("learn", source, "--from", tmp_path / "model", "--r", 1)
    assert (ran.status, "found --r, which Constant does not have; it has none" in ran.err) == (2, True)


def test_inspect_shows_what_scaled_winnow_knows_of_values_below_0(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("-1 | a:2\n1 | a:-2\n-1 | b c d\n-1 | b\n" * 9)
    learned(path, "--learner", "scaled-winnow", "--save", tmp_path / "model")
    said, learner = run("inspect", tmp_path / "model", "--json").json, th.load(tmp_path / "model")
    assert isinstance(learner, th.ScaledWinnow)
    shown = {name: row["weight"] for row in said["weights"] for name in row["names"]}
    known = {name: learner.weights[slot_of(name, learner.n)] for name in "abcd"}
    known |= {"a below 0": learner.below[slot_of("a", learner.n)], "(bias)": learner.bias_weight}
    assert shown == {name: weight for name, weight in known.items() if weight != 1}
    assert next(iter(shown)) == "a below 0"
    assert shown["(bias)"] < 1
    assert list(shown.values()) == sorted(shown.values(), reverse=True)


def test_winnow_certifies_a_disjunction(source: Path) -> None:
    said = learned(source, "--n", 50, "--learner", "winnow", "--threshold", 50, "--passes", 5)
    sharp = next(each for each in said["certificates"] if each["theorem"] == "Winnow, disjunction")
    assert sharp["verdict"] == "certified"
    assert sharp["at_most"] == th.bounds.winnow_disjunction(2, n=50).at_most
    assert said["headline"]["at_most"] <= sharp["at_most"]


def test_elimination_certifies_a_disjunction_and_says_when_none_fits(source: Path, tmp_path: Path) -> None:
    said = learned(source, "--n", 50, "--learner", "elimination")
    (certificate,) = said["certificates"]
    assert (certificate["verdict"], certificate["count"]) == ("certified", said["mistakes"])
    (tmp_path / "odd.svm").write_text(disjunction() + "+1 49:1\n")
    noticed = learned(tmp_path / "odd.svm", "--n", 50, "--learner", "elimination")["notices"]
    assert noticed == ["round 301 showed that no disjunction of literals fits the examples"]


def test_a_margin_that_is_impossible_is_said_to_be(source: Path) -> None:
    said = learned(source, "--n", 50, "--learner", "margin-perceptron", "--passes", 5)
    assert "the updates showed that no unit vector has a margin of 0.25" in said["notices"][0]


def test_winnow_takes_its_threshold_from_the_first_example(source: Path) -> None:
    assert learned(source, "--learner", "winnow")["learner"]["parameters"]["threshold"] == 10.0


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("-1 3:1 7:2.5", "winnow", "2:10: found '2.5', expected a number from 0 to 1"),
        ("-1 3:1 7:-0.5", "literal-winnow", "2:10: found '-0.5', expected a number from 0 to 1"),
        ("-1 3:1 7:-1.5", "balanced-winnow", "2:10: found '-1.5', expected a number from -1 to 1"),
        ("-1 3:1 7:0.5", "elimination", "2:10: found '0.5', expected 0 or 1"),
        ("-1 3:0", "margin-perceptron --no-bias", "2:1: found no feature other than 0, expected one at least"),
    ],
)
def test_a_value_that_a_learner_cannot_take_is_refused_with_its_place(line: str, name: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text(f"+1 1:1\n{line}\n+1 2:1\n")
    ran = run("learn", path, "--learner", *name.split(), "--quiet", "--save", tmp_path / "model")
    assert ran.status == 2
    assert f"{path}:{said}" in ran.err
    assert not (tmp_path / "model").exists()
    assert learned(path, "--learner", *name.split(), "--on-bad", "skip")["bad_lines"] == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 2.5 'tag| a", "3:3: found importance '2.5', expected 1: the learner takes no weights"),
        ("  -1   0 | b", "3:8: found importance '0', expected 1: the learner takes no weights"),
    ],
)
def test_a_weight_that_elimination_cannot_take_is_refused_with_its_place(line: str, said: str, tmp_path: Path) -> None:
    path, model = tmp_path / "rows.vw", tmp_path / "model"
    path.write_text(f"1 1.0 | a\n-1 | b\n{line}\n1 | a\n")
    ran = run("learn", path, "--learner", "elimination", "--quiet", "--save", model)
    assert (ran.status, ran.out, ran.err) == (2, "", f"thresher: {path}:{said}\n")
    assert not model.exists()
    skipped = learned(path, "--learner", "elimination", "--on-bad", "skip", "--save", model)
    assert (skipped["bad_lines"], skipped["examples"]) == (1, 3)
    assert run("predict", model, path).out == "1\n-1\n" + ("1\n" if " a" in line else "-1\n") + "1\n"  # no weight is needed


def test_names_that_come_again_or_collide_keep_the_larger_value_for_winnow(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 | a a:0.5 b:0.25 c\n-1 | b\n")
    counted, kept = (learned(path, "--n", 1, "--learner", name) for name in ("perceptron", "winnow"))
    assert kept["learner"]["parameters"]["threshold"] == 1.0
    assert counted["collisions"] == kept["collisions"] == 2
    path.write_text("1 | a:-0 b\n-1 | b c:-0\n")
    assert learned(path, "--n", 1, "--learner", "winnow")["updates"] == 1  # -0 is 0, and hides nothing
    signed = learned(path, "--n", 1, "--learner", "balanced-winnow", "--no-bias", "--eta", 1)
    assert (signed["collisions"], signed["mistakes"]) == (2, 1)
    path.write_text("1 | a b:-0.5\n-1 | b\n")
    assert run("learn", path, "--n", 1, "--learner", "winnow", "--quiet").status == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--learner", "winnow", "--tie", "plus"),
            "found --tie, which winnow does not have; it has --threshold",
        ),
        (("--learner", "winnow", "--no-bias"), "found --no-bias, which winnow does not have"),
        (
            ("--learner", "perceptron", "--eta", "1"),
            "found --eta, which perceptron does not have; it has --normalize, --tie, --no-bias",
        ),
        (("--learner", "winnow", "--factor", "1"), "found factor = 1.0, expected a number above 1 and at most 2^20"),
        (("--learner", "winnow", "--threshold", "0.5"), "found threshold = 0.5, expected None, or a number from 1 to 2^64"),
        (("--learner", "margin-perceptron", "--margin", "1.5"), "found margin = 1.5, expected None, or a number above 0"),
        (("--learner", "margin-perceptron", "--epsilon", "1"), "found epsilon = 1.0, expected a number between 0 and 1"),
        (("--learner", "balanced-winnow", "--eta", "0"), "found eta = 0.0, expected a number above 0"),
        (("--learner", "scaled-winnow", "--times", "0"), "found times = 0.0, expected a number"),
        (
            ("--learner", "scaled-winnow", "--strict"),
            "found --strict, which scaled-winnow does not have; it has --times, --factor",
        ),
        (("--learner", "arow", "--r", "0"), "found r = 0.0, expected a number from 2^-20 to 2^20"),
        (("--learner", "adagrad", "--rate", "0"), "found rate = 0.0, expected a number above 0"),
        (("--learner", "adagrad", "--loss", "squared"), "argument --loss: invalid choice: 'squared'"),
        (
            ("--learner", "invariant", "--loss", "hinge"),
            "found --loss, which invariant does not have; it has --rate, --no-bias",
        ),
        (("--learner", "winnow", "--factor", "two"), "argument --factor: found 'two', expected a number"),
        (("--learner", "adaboost"), "invalid choice: 'adaboost'"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments: tuple[str, ...], said: str, source: Path) -> None:
    ran = run("learn", source, *arguments, "--quiet")
    assert ran.status == 2
    assert said in ran.err


def test_an_option_that_contradicts_the_model_is_refused(source: Path, tmp_path: Path) -> None:
    learned(source, "--n", 50, "--learner", "winnow", "--factor", "1.5", "--save", tmp_path / "model")
    for arguments in (("--factor", "2"), ("--learner", "perceptron"), ("--tie", "plus")):
        assert run("learn", source, "--from", tmp_path / "model", *arguments, "--quiet").status == 2
    learned(source, "--from", tmp_path / "model", "--factor", "1.5", "--learner", "winnow")
