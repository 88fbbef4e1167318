"""Each class against the rest, where it is hard: bad rows, no memory, damaged states, threads, interrupts, many classes."""

from __future__ import annotations

import copy
import json
import pickle
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.learners import Case
from tests.learners import N as LEARNERS_N
from tests.many_classes import CLASSES, KINDS, blobs, classified, columns, every_case, every_kind, everything
from tests.portfolios import N
from thresher import memory
from thresher.compose import binary
from thresher.compose.binary import Binary
from thresher.linear import LinearLearner

# ---- bad input ---------------------------------------------------------------------------


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
@settings(max_examples=15)
@given(data=st.data())
def test_values_that_a_rule_refuses_change_nothing_wherever_they_stand(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case).filter(lambda made: len(made[1]) > 0))
    row, bad = data.draw(st.integers(0, len(y) - 1)), data.draw(st.sampled_from(case.refused))
    X = stream.rows.copy()
    X[row, data.draw(st.integers(0, LEARNERS_N - 1))] = bad
    learner, alone = th.OneVersusRest(case.make()), th.OneVersusRest(case.make())
    with pytest.raises(th.ExampleError) as caught:
        learner.learn_many(X, y, stream.weights)
    alone.learn_many(X[:row], y[:row], stream.weights[:row])
    assert caught.value.row == row
    assert everything(learner) == everything(alone)
    for call in (learner.predict, lambda x: learner.learn(x, "oak")):
        with pytest.raises(th.ExampleError) as single:
            call(X[row])
        assert single.value.row is None
    for many in (learner.predict_many, learner.score_many):
        with pytest.raises(th.ExampleError) as caught:
            many(X)
        assert caught.value.row == row
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


# ---- memory ---------------------------------------------------------------------------


def test_a_class_for_which_there_is_no_memory_is_refused_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2 * 16_000)
    learner, alone = th.OneVersusRest(th.AROW(1000)), th.OneVersusRest(th.AROW(1000))
    X = sp.csr_array((5, 1000))
    told = r"row 3: found the class 'yew', whose learner needs 16,000 bytes .* 2 classes, but 32,000 bytes are left for 3 new"
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


# ---- states ---------------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", [KINDS["AROW, bias"], KINDS["portfolio"]])
def test_a_state_that_no_run_can_lead_to_is_refused(kind: Callable[[], Binary]) -> None:
    X, y = blobs(60, seed=10)
    learner = th.OneVersusRest(kind())
    learner.learn_many(X, y)
    parameters, arrays = learner.state()
    heads, told = parameters["heads"], parameters["learners"]
    used = th.OneVersusRest(kind())
    used.learn_many(X[:3], y[:3])
    changes: list[dict[str, Any]] = [
        {"learner": "Perceptron"},
        {"classes": ["oak", "oak", "yew", "elm"]},
        {"classes": ["oak", 1, "yew", "elm"]},
        {"classes": [1.5, 2.5, 3.5, 4.5]},
        {"classes": None},
        {"classes": parameters["classes"][:3]},
        {"learners": told[:3]},
        {"learners": told[::-1]},
        {"learners": [None] * 4},
        {"learners": [{"learner": "Nobody"}] * 4},
        {"fresh": told[0]},
        {"fresh": None},
        {"heads": {**heads, "mistakes": 61}},
        {"heads": {**heads, "rounds": 61}},
        {"heads": {**heads, "rounds": 59}},
        {"heads": {**heads, "updates": -1}},
        {"heads": {**heads, "updates": 1.0}},
        {"heads": None},
        {"master": {"rule": "AdaHedge"}},
        {"master": {**(parameters["master"] or {}), "arguments": {"n": 2}}},
        {"extra": 1},
    ]
    for change in changes:
        with pytest.raises(th.StoreError):
            th.OneVersusRest.from_state({**parameters, **change}, arrays)
    names = list(arrays)
    for broken in (
        {name: arrays[name] for name in names[1:]},
        {**arrays, "4.weights": arrays[names[0]]},
        None,
        {1: arrays[names[0]]},
    ):
        wrong: Any = broken
        with pytest.raises(th.StoreError):
            th.OneVersusRest.from_state(parameters, wrong)
    if parameters["master"] is not None:
        other = used.state()
        mixed = {**arrays, **{name: array for name, array in other[1].items() if name.startswith("master.")}}
        with pytest.raises(th.StoreError, match="found a master that was told other losses"):
            th.OneVersusRest.from_state({**parameters, "master": other[0]["master"]}, mixed)


# ---- one writer, all in step ---------------------------------------------------------------------------


def test_a_busy_learner_refuses_a_second_use() -> None:
    learner = th.OneVersusRest(th.Perceptron(1), ["oak", "fir"])
    uses: list[Callable[[], object]] = [
        lambda: learner.predict([1.0]),
        lambda: learner.learn([1.0], "oak"),
        lambda: learner.learn_many([[1.0]], ["oak"]),
        lambda: learner.predict_many([[1.0]]),
        lambda: learner.score_many([[1.0]]),
        lambda: learner.weights,
        lambda: learner.learner("oak"),
        lambda: copy.copy(learner),
        learner.state,
        learner.hypothesis,
    ]
    with learner._busy.writing():
        for use in uses:
            with pytest.raises(th.ConcurrentUse):
                use()
    for use in uses:
        use()


def test_labels_that_use_the_learner_while_they_are_read_are_refused() -> None:
    learner = th.OneVersusRest(th.Perceptron(1))

    def meddling() -> Iterator[str]:
        yield "oak"
        learner.learn([1.0], "fir")
        yield "oak"

    with pytest.raises(th.ConcurrentUse):
        learner.learn_many([[1.0], [2.0]], meddling())
    assert (learner.rounds, learner.classes) == (0, ())
    learner.learn_many([[1.0], [2.0]], iter(["oak", "fir"]))


def test_classes_that_are_not_in_step_are_never_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = th.OneVersusRest(th.Perceptron(1), ["oak", "fir"])
    real, calls = binary.learn, list[int]()

    def failing(*arguments: Any) -> binary.Played:
        calls.append(1)
        if len(calls) == 2:
            raise MemoryError
        return real(*arguments)

    monkeypatch.setattr(binary, "learn", failing)
    with pytest.raises(th.LaneError, match="it broke off in round 1, and its classes are not in step any more"):
        learner.learn([1.0], "oak")
    for use in (lambda: learner.predict([1.0]), lambda: learner.learn([1.0], "oak"), learner.state, learner.hypothesis):
        with pytest.raises(th.LaneError, match="not in step"):
            use()


@every_kind
def test_an_interrupt_comes_when_all_classes_have_learned_the_rows(
    kind: Callable[[], Binary], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = blobs(40, seed=14)
    learner, alone_ = th.OneVersusRest(kind()), th.OneVersusRest(kind())
    real = binary.learn

    def interrupted(*arguments: Any) -> binary.Played:
        signal.raise_signal(signal.SIGINT)
        return real(*arguments)

    monkeypatch.setattr("thresher.compose.one_versus_rest._CHUNK", 10)
    with monkeypatch.context() as patched:
        patched.setattr(binary, "learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learner.learn_many(X, y)
    alone_.learn_many(X[:10], y[:10])
    assert everything(learner) == everything(alone_)


# ---- names and sizes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda: th.Winnow(2), lambda: th.BalancedWinnow(2), lambda: th.Elimination(2), lambda: th.AROW(2)]
)
def test_names_that_meet_in_a_slot_count_as_they_do_for_the_learner_alone(make: Callable[[], LinearLearner]) -> None:
    rng = np.random.default_rng(15)
    learner, single = th.OneVersusRest(make(), ["oak"]), make()
    for _ in range(30):
        names = {f"word {k}" for k in rng.integers(0, 8, 3).tolist()}
        label = "oak" if rng.random() < 0.5 else "fir"
        x: Any = names if rng.random() < 0.5 else dict.fromkeys(names, 1.0)
        assert learner.predict(x).label in (*learner.classes, None)
        learner.learn(x, label)
        single.learn(x, +1 if label == "oak" else -1)
    mine = learner.learner("oak")
    assert isinstance(mine, LinearLearner)
    assert (mine.weights.tolist(), mine.mistakes) == (single.weights.tolist(), single.mistakes)


def test_thousands_of_classes_each_seen_once() -> None:
    rng = np.random.default_rng(16)
    learner = th.OneVersusRest(th.Perceptron(3))
    rounds = learner.learn_many(rng.normal(size=(2000, 3)), np.arange(2000))
    assert (len(learner.classes), rounds.mistakes) == (2000, 2000)
    assert learner.score_many(rng.normal(size=(2, 3))).shape == (2, 2000)
    assert learner.learn([1.0, 2.0, 3.0], 2000).prediction.label in range(2000)


@pytest.mark.parametrize("X", [np.empty((0, N)), sp.csr_array((0, N))])
def test_no_rows_are_no_rounds(X: Any) -> None:
    for kind in KINDS.values():
        learner = th.OneVersusRest(kind(), CLASSES)
        assert len(learner.learn_many(X, [])) == 0
        assert (learner.score_many(X).shape, learner.predict_many(X).shape, learner.rounds) == ((0, 4), (0,), 0)


@pytest.mark.parametrize(
    ("X", "y"), [(np.ones((2, 3)), ["oak"] * 2), (np.ones(5), ["oak"]), (np.ones((2, 5)), ["oak"]), (np.ones((1, 5)), "oak")]
)
def test_a_block_of_another_shape_is_refused(X: Any, y: Any) -> None:
    learner = th.OneVersusRest(th.Perceptron(5))
    with pytest.raises(th.ExampleError):
        learner.learn_many(X, y)
    assert (learner.rounds, learner.classes) == (0, ())
