"""Each class against the rest: what it says, what it learns, many as one by one, and what it refuses."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.learners import CASES, Case, N
from tests.strategies import Stream
from thresher.class_rounds import ClassLearner, ClassRounds
from thresher import memory
from thresher.compose.binary import Binary
from thresher.compose.one_versus_rest import definition

CLASSES = ("oak", "fir", "yew", "elm")
KINDS: dict[str, Callable[[], Binary]] = {
    "Perceptron": lambda: th.Perceptron(N),
    "AROW, bias": lambda: th.AROW(N, bias=1.0),
    "AdaGrad": lambda: th.AdaGrad(N),
    "portfolio": lambda: th.Portfolio(N, [th.Perceptron(N), th.AROW(N), th.AdaGrad(N, bias=1.0)]),
    "portfolio, called lanes": lambda: th.Portfolio(
        N, [th.Perceptron(N), th.PNormPerceptron(N), th.MarginPerceptron(N, 0.1, bias=1.0)]
    ),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def everything(learner: th.OneVersusRest) -> tuple[object, dict[str, bytes]]:
    parameters, arrays = learner.state()
    return repr(parameters), {name: array.tobytes() for name, array in arrays.items()}


def columns(rounds: object) -> tuple[object, ...]:
    assert isinstance(rounds, ClassRounds)
    arrays = rounds.predictions, rounds.labels, rounds.scores, rounds.changed
    weights = None if rounds.weights is None else rounds.weights.tolist()
    return rounds.first, rounds.classes, *(array.tolist() for array in arrays), weights


def blobs(rows: int, seed: int = 0, classes: tuple[Any, ...] = CLASSES) -> tuple[NDArray[np.float64], list[Any]]:
    """Examples around a middle for each class; most classes appear after some rows."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(len(classes), N)) * 0.8
    codes = np.minimum(rng.integers(0, len(classes), rows), np.arange(rows) // 9)
    return middles[codes] + rng.normal(size=(rows, N)), [classes[code] for code in codes]


def class_labels(size: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(CLASSES), min_size=size, max_size=size)


@st.composite
def classified(draw: st.DrawFn, case: Case) -> tuple[Stream, list[str]]:
    stream = draw(case.streams())
    return stream, draw(class_labels(len(stream.rows)))


def one_by_one(learner: th.OneVersusRest, X: Any, y: list[Any], weights: list[float] | None = None) -> list[Any]:
    return [learner.learn(x, label, weight) for x, label, weight in zip(X, y, weights or [1.0] * len(y), strict=True)]


def check_same_rounds(rounds: ClassRounds, alone: list[Any]) -> None:
    assert [rounds.classes[int(code)] for code in rounds.predictions] == [each.prediction.label for each in alone]
    assert [rounds.classes[int(code)] for code in rounds.labels] == [each.label for each in alone]
    assert rounds.scores.tolist() == [each.prediction.score for each in alone]
    assert rounds.changed.tolist() == [each.changed for each in alone]
    assert [each.t for each in alone] == [*range(rounds.first, rounds.first + len(rounds))]


def test_it_is_a_learner_of_many_classes() -> None:
    assert isinstance(th.OneVersusRest(th.Perceptron(1)), ClassLearner)
    assert not isinstance(th.OneVersusRest(th.Perceptron(1)).hypothesis(), ClassLearner)


@every_kind
def test_it_says_what_the_definition_says(kind: Callable[[], Binary]) -> None:
    X, y = blobs(150)
    learner = th.OneVersusRest(kind())
    rounds = learner.learn_many(X, y)
    said = [rounds.classes[int(code)] for code in rounds.predictions]
    assert said == list(definition(kind(), zip(X, y, strict=True)))
    assert learner.mistakes == rounds.mistakes == sum(a != b for a, b in zip(said, y, strict=True)) > 3
    assert learner.classes == tuple(dict.fromkeys(y))


@every_case
@settings(max_examples=20)
@given(data=st.data())
def test_each_class_has_the_learner_that_plays_it_against_the_rest(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case))
    learner = th.OneVersusRest(case.make())
    learner.learn_many(stream.rows, y, stream.weights)
    for label in learner.classes:
        first = y.index(str(label))
        alone = case.make()
        alone.learn_many(stream.rows[first:], [1 if each == label else -1 for each in y[first:]], stream.weights[first:])
        mine = learner.learner(label)
        assert repr(mine.state()) == repr(alone.state())


@every_case
@settings(max_examples=20)
@given(data=st.data())
def test_many_are_one_by_one_bit_for_bit(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case))
    many, alone = th.OneVersusRest(case.make()), th.OneVersusRest(case.make())
    rounds = many.learn_many(stream.rows, y, stream.weights)
    check_same_rounds(rounds, one_by_one(alone, stream.rows, y, stream.weights))
    assert everything(many) == everything(alone)
    sparse = th.OneVersusRest(case.make())
    assert columns(sparse.learn_many(sp.csr_array(stream.rows), y, stream.weights)) == columns(rounds)
    assert everything(sparse) == everything(many)


@every_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_any_split_into_blocks_gives_the_same(kind: Callable[[], Binary], weighted: bool) -> None:
    X, y = blobs(100, seed=1)
    weights = np.random.default_rng(2).choice([0.0, 1.0, 2.5], 100) if weighted else None
    whole, alone = th.OneVersusRest(kind()), th.OneVersusRest(kind())
    rounds = whole.learn_many(X, y, weights)
    check_same_rounds(rounds, one_by_one(alone, X, y, None if weights is None else weights.tolist()))
    assert everything(whole) == everything(alone)
    for size in (7, 64):
        parts = th.OneVersusRest(kind())
        for at in range(0, 100, size):
            parts.learn_many(X[at : at + size], y[at : at + size], None if weights is None else weights[at : at + size])
        assert everything(parts) == everything(whole)


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = blobs(100, seed=3)
    whole = th.OneVersusRest(th.AROW(N))
    rounds = whole.learn_many(X, y)
    monkeypatch.setattr("thresher.compose.one_versus_rest._CHUNK", 8)
    chunked = th.OneVersusRest(th.AROW(N))
    assert columns(chunked.learn_many(X, y)) == columns(rounds)
    assert everything(chunked) == everything(whole)


@every_kind
def test_predicting_changes_nothing_and_agrees_with_learning(kind: Callable[[], Binary]) -> None:
    X, y = blobs(80, seed=4)
    learner = th.OneVersusRest(kind())
    assert learner.predict_many(X).tolist() == [None] * 80
    assert learner.score_many(X).shape == (80, 0)
    learner.learn_many(X, y)
    before = everything(learner)
    said, table = learner.predict_many(X), learner.score_many(X)
    assert table.shape == (80, 4)
    assert said.tolist() == [learner.classes[code] for code in table.argmax(axis=1)]
    assert [learner.predict(x).label for x in X] == said.tolist()
    assert [learner.predict(x).score for x in X] == table.max(axis=1).tolist()
    assert everything(learner) == before
    expected = learner.predict(X[0])
    assert learner.learn(X[0], y[0]).prediction == expected


def test_the_class_that_appeared_first_is_said_among_equals() -> None:
    learner = th.OneVersusRest(th.Perceptron(2), ["b", "a", "c"])
    assert learner.predict([1.0, 1.0]).label == "b"
    assert learner.learn([1.0, 1.0], "b").prediction.label == "b"
    assert th.OneVersusRest(th.Perceptron(2), [True, False]).predict([1.0, 1.0]).label is True


def test_a_class_is_not_predicted_in_the_round_in_which_it_appears() -> None:
    learner = th.OneVersusRest(th.Perceptron(1, bias=1.0))
    rounds = learner.learn_many([[1.0]] * 3, ["oak", "fir", "fir"])
    assert rounds.predictions.tolist() == [-1, 0, 1]
    assert (rounds.mistakes, learner.mistakes, learner.rounds) == (2, 2, 3)
    assert (rounds.scores[0], learner.learner("fir").rounds) == (0.0, 2)


@pytest.mark.parametrize(
    "y", [[3, -7, 3, 10**30], [True, False, True, True], np.array([5, 4, 4, 5], np.uint8), np.array(["a", "b", "a", "c"])]
)
def test_labels_come_back_as_they_were_given(y: Any) -> None:
    learner = th.OneVersusRest(th.Perceptron(2))
    learner.learn_many(np.eye(2)[[0, 1, 0, 1]], y)
    plain = [label.item() if isinstance(label, np.generic) else label for label in y]
    assert learner.classes == tuple(dict.fromkeys(plain))
    assert {type(label) for label in learner.classes} == {type(plain[0])}
    assert set(learner.predict_many(np.eye(2)).tolist()) <= set(plain)


# ---- chances ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [KINDS["AdaGrad"], KINDS["portfolio"]])
def test_chances_add_up_to_one_and_are_those_of_the_classes(kind: Callable[[], Binary]) -> None:
    X, y = blobs(80, seed=5)
    learner = th.OneVersusRest(kind())
    assert learner.p_many(X).shape == (80, 0)
    learner.learn_many(X, y)
    chances = learner.p_many(X)
    assert np.allclose(chances.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    single = [learner.learner(label) for label in learner.classes]
    own = [each.calibrated_many(X) if isinstance(each, th.Portfolio) else each.p_positive_many(X) for each in single]
    assert np.allclose(chances, np.array(own).T / np.sum(own, axis=0)[:, None], rtol=1e-12)
    assert learner.p_many(X[:0]).shape == (0, 4)


def test_chances_are_equal_where_every_class_has_none() -> None:
    learner = th.OneVersusRest(th.AdaGrad(1, rate=1000.0), ["oak", "fir"])
    for _ in range(5):
        learner.learn([1.0], "yew")
    sure = learner.p_many([[-1e6]])
    assert sure.tolist() == [[0.5, 0.5, 0.0]]
    assert learner.learner("yew").p_positive_many([[-1e6]]).tolist() == [0.0]
    hopeless = th.OneVersusRest(th.AdaGrad(1, rate=1000.0), ["oak", "fir"])
    for t in range(4):
        hopeless.learn([1.0], ("oak", "fir")[t % 2])
    assert hopeless.p_many([[1.0]]).sum() == 1.0


def test_a_learner_without_chances_is_refused() -> None:
    with pytest.raises(th.ParameterError, match=r"found Perceptron\(.*expected a learner whose scores stand for chances"):
        th.OneVersusRest(th.Perceptron(2)).p_many([[1.0, 2.0]])


# ---- bad input -------------------------------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("row", [0, 1, 9, 30])
@pytest.mark.parametrize("what", ["example", "label", "weight"])
def test_a_bad_row_stops_as_the_loop_would(kind: Callable[[], Binary], row: int, what: str) -> None:
    X, y = blobs(40, seed=6)
    weights = np.ones(40)
    labels: list[Any] = list(y)
    if what == "example":
        X[row, 2] = np.nan
    elif what == "weight":
        weights[row] = -1.0
    else:
        labels[row] = 3.5 if row == 0 else 3
    learner, alone = th.OneVersusRest(kind()), th.OneVersusRest(kind())
    with pytest.raises(th.ExampleError) as caught:
        learner.learn_many(X, labels, weights)
    error = caught.value
    assert str(error).startswith(f"row {row}: ")
    assert isinstance(error, th.LabelError) == (what == "label")
    rounds = alone.learn_many(X[:row], y[:row], weights[:row])
    assert (error.row, columns(error.rounds)) == (row, columns(rounds))
    assert everything(learner) == everything(alone)
    with pytest.raises(type(error)) as single:
        alone.learn(X[row], labels[row], weights[row])
    assert (single.value.row, single.value.rounds) == (None, None)
    assert str(single.value) == str(error).removeprefix(f"row {row}: ")
    assert everything(alone) == everything(learner)
    assert columns(pickle.loads(pickle.dumps(error)).rounds)[2:] == columns(rounds)[2:]


@every_case
@settings(max_examples=20)
@given(data=st.data())
def test_values_that_a_rule_refuses_change_nothing_wherever_they_stand(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case).filter(lambda made: len(made[1]) > 0))
    row, bad = data.draw(st.integers(0, len(y) - 1)), data.draw(st.sampled_from(case.refused))
    X = stream.rows.copy()
    X[row, data.draw(st.integers(0, N - 1))] = bad
    learner, alone = th.OneVersusRest(case.make()), th.OneVersusRest(case.make())
    with pytest.raises(th.ExampleError) as caught:
        learner.learn_many(X, y, stream.weights)
    alone.learn_many(X[:row], y[:row], stream.weights[:row])
    assert caught.value.row == row
    assert everything(learner) == everything(alone)
    for call in (learner.predict, lambda x: learner.learn(x, "oak")):
        if learner.classes:
            with pytest.raises(th.ExampleError) as single:
                call(X[row])
            assert single.value.row is None
    assert everything(learner) == everything(alone)


def test_the_classes_after_a_bad_row_were_never_seen() -> None:
    learner = th.OneVersusRest(th.Perceptron(1))
    with pytest.raises(th.ExampleError, match="row 1: "):
        learner.learn_many([[1.0], [np.inf], [1.0]], ["oak", "fir", "yew"])
    assert (learner.classes, learner.rounds) == (("oak",), 1)
    with pytest.raises(th.LabelError, match="row 2: found label None, expected a label of type str like the classes before it"):
        learner.learn_many([[1.0]] * 4, iter(["oak", "fir", None, "yew"]))
    assert (learner.classes, learner.rounds) == (("oak", "fir"), 3)


@pytest.mark.parametrize("y", [1.5, None, b"oak", ["oak"], np.float64(1.0), float("nan")])
def test_a_label_that_cannot_be_one_is_refused(y: Any) -> None:
    learner = th.OneVersusRest(th.Perceptron(1))
    with pytest.raises(th.LabelError, match="expected a str, an int or a bool"):
        learner.learn([1.0], y)
    assert (learner.rounds, learner.classes) == (0, ())


def test_a_type_of_labels_that_changes_is_refused() -> None:
    learner = th.OneVersusRest(th.Perceptron(1), [1, 2])
    bad: Any
    for bad in (True, "1", 1.0):
        with pytest.raises(th.LabelError, match="expected a label of type int like the classes before it"):
            learner.learn([1.0], bad)
    bad = np.int8(2)
    assert learner.learn([1.0], bad).label == 2  # which is an int


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), "heavy", None, 1j])
def test_a_weight_that_cannot_be_one_is_refused(weight: Any) -> None:
    learner = th.OneVersusRest(th.Perceptron(1))
    with pytest.raises(th.ExampleError, match="found weight"):
        learner.learn([1.0], "oak", weight)
    assert (learner.rounds, learner.classes) == (0, ())


def test_a_weight_of_zero_shows_a_class_and_moves_nothing() -> None:
    learner = th.OneVersusRest(th.AROW(1))
    played = learner.learn([1.0], "oak", 0.0)
    assert (played.changed, played.weight, learner.classes, learner.updates) == (False, 0.0, ("oak",), 0)


@pytest.mark.parametrize(
    "make", [lambda: th.WeightedMajority(3), lambda: th.Perceptron, lambda: None, lambda: th.Conservative(th.Perceptron(2))]
)
def test_what_cannot_be_copied_for_each_class_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(th.ParameterError, match=r"found .*, expected a linear learner or a portfolio"):
        th.OneVersusRest(make())


def test_a_used_learner_is_refused_and_a_portfolio_with_a_learner_of_ones_own() -> None:
    used = th.Perceptron(1)
    used.learn([1.0], -1)
    with pytest.raises(th.ParameterError, match="found a learner that has played 1 rounds, expected a fresh one"):
        th.OneVersusRest(used)
    with pytest.raises(th.ParameterError, match=r"found lane 1 .* a learner of your own"):
        th.OneVersusRest(th.Portfolio(3, [th.Perceptron(3), th.WeightedMajority(3)]))


@pytest.mark.parametrize("classes", [["oak", "oak"], ["oak", 1], [1.5], [None]])
def test_classes_that_cannot_be_are_refused(classes: Any) -> None:
    with pytest.raises(th.LabelError):
        th.OneVersusRest(th.Perceptron(1), classes)


@pytest.mark.parametrize("classes", ["oak", 3])
def test_classes_that_are_no_list_are_refused(classes: Any) -> None:
    with pytest.raises(th.ParameterError, match="expected one label for each class"):
        th.OneVersusRest(th.Perceptron(1), classes)


def test_the_users_learner_never_changes() -> None:
    mine = th.Perceptron(2)
    learner = th.OneVersusRest(mine, ["oak"])
    learner.learn([1.0, 0.0], "fir")
    taken = learner.learner("fir")
    taken.learn([1.0, 0.0], -1)
    assert (mine.rounds, taken.rounds, learner.learner("fir").rounds) == (0, 2, 1)
    with pytest.raises(th.LabelError, match="found the class 'yew', expected one of those seen so far: 'oak', 'fir'"):
        learner.learner("yew")


# ---- memory ----------------------------------------------------------------------------------------------------------------


def test_a_class_for_which_there_is_no_memory_is_refused_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2 * 16_000)
    learner, alone = th.OneVersusRest(th.AROW(1000)), th.OneVersusRest(th.AROW(1000))
    X = sp.csr_array((5, 1000))
    told = r"row 3: found the class 'yew', whose learner needs 16,000 bytes .* 2 classes, but 32,000 bytes are left"
    with pytest.raises(th.LabelError, match=told) as caught:
        learner.learn_many(X, ["oak", "fir", "oak", "yew", "oak"])
    assert caught.value.row == 3
    assert list(learner.classes) == ["oak", "fir"]
    alone.learn_many(X[:3], ["oak", "fir", "oak"])
    assert everything(learner) == everything(alone)
    monkeypatch.setattr(memory, "available_memory", lambda: 15_999)
    with pytest.raises(th.LabelError, match="found the class 'yew'"):
        learner.learn({0: 1.0}, "yew")
    assert learner.learn({0: 1.0}, "fir").t == 4  # classes that are there go on
    with pytest.raises(th.LabelError, match="found the class 'oak'"):
        th.OneVersusRest(th.AROW(1000), ["oak"])
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    learner.learn({0: 1.0}, "yew")
    assert list(learner.classes) == ["oak", "fir", "yew"]


# ---- states ----------------------------------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("rows", [0, 1, 40])
def test_a_state_goes_on_as_if_it_had_never_stopped(kind: Callable[[], Binary], rows: int) -> None:
    X, y = blobs(60, seed=7)
    learner = th.OneVersusRest(kind())
    learner.learn_many(X[:rows], y[:rows])
    parameters, arrays = learner.state()
    twins = [
        th.OneVersusRest.from_state(json.loads(json.dumps(parameters)), arrays),
        pickle.loads(pickle.dumps(learner)),
        copy.copy(learner),
        copy.deepcopy(learner),
    ]
    before = everything(learner)
    rounds = learner.learn_many(X[rows:], y[rows:])
    for twin in twins:
        assert everything(twin) == before
        assert columns(twin.learn_many(X[rows:], y[rows:])) == columns(rounds)
        assert everything(twin) == everything(learner)


@every_kind
def test_a_hypothesis_never_changes(kind: Callable[[], Binary]) -> None:
    X, y = blobs(60, seed=8)
    learner = th.OneVersusRest(kind())
    learner.learn_many(X[:30], y[:30])
    frozen = learner.hypothesis()
    table, said = learner.score_many(X), learner.predict_many(X)
    learner.learn_many(X[30:], y[30:])
    assert not np.array_equal(learner.score_many(X), table)
    assert np.array_equal(frozen.score_many(X), table)
    assert np.array_equal(frozen.predict_many(X), said)
    assert (frozen.rounds, frozen.n, frozen.predict(X[0]).label) == (30, N, said[0])


def test_the_weights_of_linear_learners_are_a_row_a_class() -> None:
    X, y = blobs(60, seed=9)
    learner = th.OneVersusRest(th.Perceptron(N, bias=1.0))
    assert (learner.weights.shape, learner.bias_weights.shape) == ((0, N), (0,))
    learner.learn_many(X, y)
    assert np.allclose(X @ learner.weights.T + learner.bias_weights, learner.score_many(X))
    with pytest.raises(th.ParameterError, match="a portfolio has no weights of its own"):
        _ = th.OneVersusRest(th.Portfolio(2), ["oak"]).weights
