"""One model file for the command line and for Python: what one of them saves the other loads, and says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import run
from thresher.adapters.onnx import to_onnx
from thresher.adapters.river import OneExampleClassifier
from thresher.class_rounds import ClassLearner
from thresher.cli.learners import NAMES
from thresher.data.names import slot_of
from thresher.data.recipe import Recipe
from thresher.store import Model

WORDS = ["free", "money", "now", "lunch", "noon", "friend", "offer", "click", "meeting", "tomorrow"]


def lines(rows: int, seed: int) -> list[tuple[str, list[str]]]:
    """Mails of five words; those with money or click are spam."""
    rng = np.random.default_rng(seed)
    mails = [sorted(rng.choice(WORDS, 5, replace=False).tolist()) for _ in range(rows)]
    return [("spam" if {"money", "click"} & set(mail) else "ham", mail) for mail in mails]


def text(path: Path, rows: int, seed: int) -> Path:
    path.write_text("".join(f"{label} | {' '.join(mail)}\n" for label, mail in lines(rows, seed)))
    return path


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    return text(tmp_path / "mails.vw", 200, seed=1)


def said_by_command(model: Path, source: Path, *options: str) -> list[list[str]]:
    ran = run("predict", model, source, *options)
    assert ran.status == 0, ran.err
    return [line.split("\t") for line in ran.out.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_command_saves_says_the_same_in_python(name: str, mails: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    assert run("learn", mails, "--learner", name, "--bits", 10, "--positive", "spam", "--save", model).status == 0
    learner, recipe = th.load(model), Model.load(model).recipe
    assert not isinstance(learner, ClassLearner)
    assert recipe is not None
    told = said_by_command(model, mails, "--scores")
    assert len(told) == 200
    for (label, score), (_, mail) in zip(told, lines(200, seed=1), strict=True):
        said = learner.predict(dict.fromkeys(mail, 1.0))
        assert (recipe.spelled(said.label), said.score + 0.0) == (label, float(score))


@pytest.mark.parametrize("name", NAMES)
def test_what_python_saves_says_the_same_to_the_command(name: str, mails: Path, tmp_path: Path) -> None:
    kind, _ = NAMES[name]
    learner, ledger = getattr(th, kind)(2**10), th.Ledger()
    with th.open_stream(mails, n=2**10, positive="spam") as stream:
        for batch in stream:
            ledger.enter(learner.learn_many(batch.X, batch.y, batch.weights))
        Model(learner, stream.recipe, ledger.tally).save(tmp_path / "model")
    told = said_by_command(tmp_path / "model", mails, "--scores")
    for (label, score), (_, mail) in zip(told, lines(200, seed=1), strict=True):
        said = learner.predict(dict.fromkeys(mail, 1.0))
        assert ({+1: "spam", -1: "ham"}[said.label], said.score + 0.0) == (label, float(score))
    assert kind.lower() in run("inspect", tmp_path / "model").out.lower()
    more = text(tmp_path / "more.vw", 50, seed=2)
    assert run("learn", more, "--from", tmp_path / "model", "--save", tmp_path / "model").status == 0
    with th.open_stream(more, **reading(stream)) as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y, batch.weights)
    loaded = th.load(tmp_path / "model")
    assert loaded.rounds == 250
    assert [array.tobytes() for array in loaded.state()[1].values()] == [
        array.tobytes() for array in learner.state()[1].values()
    ]


def reading(stream: th.Stream) -> dict[str, Any]:
    return {"n": stream.recipe.n, "positive": stream.recipe.plus}


def test_a_fresh_learner_of_python_is_taught_by_the_command(mails: Path, tmp_path: Path) -> None:
    with th.open_stream(mails, n=2**10, positive="spam") as stream:
        next(iter(stream))
    portfolio = th.Portfolio(2**10, [th.Winnow(2**10, threshold=3), th.AROW(2**10)])
    Model(portfolio, stream.recipe).save(tmp_path / "model")
    assert run("learn", mails, "--from", tmp_path / "model", "--save", tmp_path / "model").status == 0
    loaded = th.load(tmp_path / "model")
    assert isinstance(loaded, th.Portfolio)
    assert (loaded.rounds, loaded.lanes) == (200, portfolio.lanes)


def test_rounds_that_no_ledger_has_counted_are_said_to_be_missing(mails: Path, tmp_path: Path) -> None:
    learner = th.Perceptron(2**10)
    with th.open_stream(mails, n=2**10, positive="spam") as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y)
    Model(learner, stream.recipe).save(tmp_path / "model")
    ran = run("learn", mails, "--from", tmp_path / "model")
    assert (ran.status, ran.out) == (2, "")
    assert "found 200 rounds that no ledger has counted" in ran.err
    assert said_by_command(tmp_path / "model", mails)


def test_probabilities_are_the_same_on_both_sides(mails: Path, tmp_path: Path) -> None:
    for name in ("portfolio", "adagrad"):
        model = tmp_path / name
        run("learn", mails, "--learner", name, "--bits", 10, "--positive", "spam", "--save", model)
        learner: Any = th.load(model)
        told = said_by_command(model, mails, "--probabilities")
        for (_, chance), (_, mail) in zip(told, lines(200, seed=1), strict=True):
            x = dict.fromkeys(mail, 1.0)
            assert float(chance) == (learner.calibrated(x) if name == "portfolio" else learner.predict(x).p_positive)


def test_what_has_no_recipe_is_shown_and_the_command_says_what_is_missing(mails: Path, tmp_path: Path) -> None:
    th.save(th.Perceptron(2**10), tmp_path / "model")
    assert "no recipe" in run("inspect", tmp_path / "model").out
    ran = run("predict", tmp_path / "model", mails)
    assert (ran.status, "found no recipe to read a source by" in ran.err) == (2, True)


def test_what_the_command_could_not_load_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"before")
    many: Any = th.MulticlassPerceptron(4)
    with pytest.raises(th.ParameterError, match=r"expected a linear learner or a portfolio; th\.save keeps learners of many"):
        Model(many, Recipe("vw", 4)).save(tmp_path / "model")
    with pytest.raises(th.ParameterError, match="found a recipe for n = 8 beside a learner of n = 4, expected the same"):
        Model(th.Perceptron(4), Recipe("vw", 8)).save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == b"before"


def test_a_model_of_many_classes_is_for_python(mails: Path, tmp_path: Path) -> None:
    th.save(th.MulticlassPerceptron(2**10, classes=["ham", "spam"]), tmp_path / "model")
    for command in (
        ("inspect", tmp_path / "model"),
        ("predict", tmp_path / "model", mails),
        ("learn", mails, "--from", tmp_path / "model"),
    ):
        ran = run(*command)
        assert (ran.status, ran.out) == (2, "")
        assert "found a learner of many classes, expected one of two labels; th.load reads it" in ran.err


def test_a_model_of_the_command_goes_to_river_and_to_onnx(mails: Path, tmp_path: Path) -> None:
    run("learn", mails, "--learner", "arow", "--bits", 10, "--positive", "spam", "--save", tmp_path / "model")
    learner = th.load(tmp_path / "model")
    assert isinstance(learner, th.AROW)
    river = OneExampleClassifier(learner, classes=("ham", "spam"))
    told = [label for (label,) in said_by_command(tmp_path / "model", mails)]
    assert [river.predict_one(dict.fromkeys(mail, 1.0)) for _, mail in lines(200, seed=1)] == told
    river.learn_one({"free": 1.0, "money": 1.0}, "spam")
    assert river.taught.rounds == 201
    exported = to_onnx(learner, classes=("ham", "spam"), precision="float64")
    weights = np.frombuffer(next(each.raw_data for each in exported.graph.initializer if each.name == "weights"))
    assert weights[slot_of("money", 2**10)] > 0.0 > weights[slot_of("meeting", 2**10)]


def test_elimination_stops_at_a_line_with_an_importance(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 | a\n-1 2 | b\n")
    ran = run("learn", path, "--learner", "elimination", "--save", tmp_path / "model")
    assert ran.status == 2
    assert "rows.vw:2:4: found importance '2', expected 1: the learner takes no weights" in ran.err
    assert not (tmp_path / "model").exists()
