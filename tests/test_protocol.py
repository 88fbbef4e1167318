"""Public names, the values of a round, one writer at a time, nothing leaked."""

from __future__ import annotations

import copy
import gc
import inspect
import math
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import thresher as th


def test_the_public_names() -> None:
    assert th.__all__ == sorted(th.__all__)
    assert set(th.__all__) == {
        "AROW", "AdaGrad", "AdaHedge", "AveragedPerceptron", "BalancedWinnow", "Batch", "BestExpert", "BestLane",
        "BestMixture", "BestSequence", "BoundViolated", "ClassLearner", "ClassPrediction", "ClassRound", "ClassRounds",
        "ClassSeparator", "ConcurrentUse", "Conservative", "Consistent", "Constant", "Cover", "Disjunction", "Elimination",
        "ExampleError", "FixedShare", "FollowTheLeader", "Forecaster", "Halving", "Hedge", "Hypothesis", "ImprovedMajority",
        "Invariant", "Label", "LabelError", "LaneError", "Learner", "LearnerError", "Ledger", "LedgerError", "LiteralWinnow",
        "LossRound", "LossRounds", "MarginPerceptron", "Measured", "Metrics", "Mixture", "MulticlassPerceptron",
        "NotRealizable", "OneVersusRest", "Optimal", "PNormPerceptron", "ParameterError", "PassiveAggressive", "Perceptron",
        "Portfolio", "Prediction", "Proof",
        "RandomizedMajority", "Round", "Rounds", "ScaledWinnow", "Separator", "SourceError", "StoreError", "Stream",
        "ThresherError", "Threshold", "Trace", "WeightedMajority", "Winnow", "bounds", "certify", "hindsight", "lab", "load",
        "open_stream", "pac", "save", "trace",
    }  # fmt: skip
    assert all(hasattr(th, name) for name in th.__all__)


@pytest.mark.parametrize("name", [name for name in th.__all__ if name not in {"Label"}])
def test_every_public_name_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(th, name))


def test_every_error_is_a_thresher_error() -> None:
    public = [getattr(th, name) for name in th.__all__]
    errors = [value for value in public if inspect.isclass(value) and issubclass(value, BaseException)]
    assert len(errors) == 12
    assert all(issubclass(error, th.ThresherError) for error in errors)
    assert issubclass(th.LabelError, th.ExampleError)


def test_an_error_with_a_place_survives_pickling() -> None:
    with pytest.raises(th.ExampleError) as caught:
        th.Perceptron(2).learn_many([[1.0, 2.0], [3.0, np.nan]], [1, -1])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.row, again.column) == (str(caught.value), 1, 1)
    assert len(again.rounds) == 1


def test_a_perceptron_and_a_learner_of_ones_own_are_learners() -> None:
    assert isinstance(th.Perceptron(1), th.Learner)
    assert not isinstance(th.Perceptron(1).hypothesis(), th.Learner)


def test_values_are_immutable() -> None:
    played = th.Perceptron(1).learn([1.0], -1)
    rounds = th.Perceptron(1).learn_many([[1.0]], [-1])
    for value, name in [(played, "label"), (played.prediction, "score"), (rounds, "mistakes")]:
        with pytest.raises(AttributeError):
            setattr(value, name, 1)
    for column in (rounds.predictions, rounds.labels, rounds.scores, rounds.changed, th.Perceptron(2).weights):
        with pytest.raises(ValueError, match="read-only"):
            column[...] = 0


@given(
    t=st.integers(1, 2**62),
    label=st.sampled_from([-1, 1]),
    said=st.sampled_from([-1, 0, 1]),
    score=st.floats(allow_nan=False),
    p=st.none() | st.floats(0.0, 1.0),
    changed=st.booleans(),
)
def test_a_round_made_in_python_keeps_what_it_was_given(
    t: int, label: int, said: int, score: float, p: float | None, changed: bool
) -> None:
    prediction = th.Prediction(said, score, p)
    played = th.Round(t, "x", prediction, label, changed, weight=2.0)
    assert (played.t, played.example, played.prediction, played.label) == (t, "x", prediction, label)
    assert (played.changed, played.weight, played.rule) == (changed, 2.0, None)
    assert played.mistake == (said != label)
    assert (prediction.label, prediction.score, prediction.p_positive) == (said, score, p)
    for again in (copy.copy(played), copy.deepcopy(played), pickle.loads(pickle.dumps(played))):
        assert again == played
        assert hash(again) == hash(played)
    assert played != th.Round(t, "x", prediction, -label, changed, weight=2.0)
    assert (played == "a round") is False


@pytest.mark.parametrize(
    ("error", "t", "said", "label", "weight"),
    [(th.ParameterError, 0, 1, 1, 1.0), (th.LabelError, 1, 1, 2, 1.0), (th.LabelError, 1, 2, 1, 1.0),
     (th.ExampleError, 1, 1, 1, -1.0), (th.ExampleError, 1, 1, 1, float("nan"))],
)  # fmt: skip
def test_a_round_that_cannot_be_is_refused(error: type[Exception], t: int, said: int, label: int, weight: float) -> None:
    with pytest.raises(error):
        th.Round(t, None, th.Prediction(said, 0.0), label, changed=False, weight=weight)


def test_the_types_of_numpy_make_rounds_too() -> None:
    pairs: list[tuple[Any, Any]] = [(np.sign(-2.5), np.int8(-1)), (np.False_, False), (False, np.float32(-1)), (-1, 0)]
    t, score, moved = (cast("Any", value) for value in (np.int64(3), np.float32(0.5), np.True_))
    for said, label in pairs:
        played = th.Round(t, None, th.Prediction(said, score), label, changed=moved)
        assert (played.t, played.prediction.label, played.label, played.changed) == (3, -1, -1, True)
    assert th.Prediction(0, 0.0).label == 0  # neither


def test_a_chance_outside_zero_and_one_is_refused() -> None:
    with pytest.raises(th.ParameterError, match=r"p_positive = 1\.5"):
        th.Prediction(1, 0.0, 1.5)


def test_rounds_are_their_columns_and_each_is_a_round() -> None:
    X = np.arange(8.0).reshape(4, 2)
    learner, again = th.Perceptron(2), th.Perceptron(2)
    again.learn_many(X, [1, 1, 1, 1])
    learner.learn_many(X, [1, 1, 1, 1])
    rounds = learner.learn_many(X, [-1, 1, -1, 1], [1.0, 2.0, 1.0, 0.0])
    one_by_one = [again.learn(x, y, w) for x, y, w in zip(X, [-1, 1, -1, 1], [1.0, 2.0, 1.0, 0.0], strict=True)]
    assert [rounds[k] for k in range(4)] == one_by_one
    assert rounds[-1] == one_by_one[-1]
    assert np.array_equal(np.asarray(rounds[1].example), [2.0, 3.0])
    assert (rounds.first, len(rounds), rounds.mistakes) == (5, 4, sum(r.mistake for r in one_by_one))
    assert rounds.updates == sum(r.changed for r in one_by_one)
    assert rounds.loss == float(rounds.mistakes)
    assert rounds.examples is X
    with pytest.raises(IndexError):
        rounds[4]


def test_rounds_can_be_made_in_python_and_pickled() -> None:
    rounds = th.Rounds(
        3,
        np.eye(2),
        predictions=np.array([1, -1], dtype=np.int8),
        labels=np.array([1, 1], dtype=np.int8),
        scores=np.array([0.5, -0.5]),
        changed=np.array([False, True]),
    )
    assert (rounds.first, rounds.mistakes, rounds.updates, rounds.rule) == (3, 1, 1, None)
    again = pickle.loads(pickle.dumps(rounds))
    assert [again[k] for k in range(2)] == [rounds[k] for k in range(2)]
    with pytest.raises(th.ParameterError, match="one entry a round"):
        th.Rounds(1, np.eye(2), rounds.predictions, rounds.labels[:1], rounds.scores, rounds.changed)


@pytest.mark.parametrize("normalize", [False, True])
def test_pickled_rounds_are_worth_as_much_in_a_ledger(normalize: bool) -> None:
    X = scipy.sparse.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]))
    learner = th.Perceptron(2, normalize=normalize)
    rounds = learner.learn_many(X, [-1, -1, -1], np.ones(3))
    one = learner.learn({0: 1.0}, -1)
    fresh, pickled = (th.Ledger(th.Separator([-1.0, -1.0])) for _ in range(2))
    fresh.enter(rounds)
    fresh.enter(one)
    pickled.enter(pickle.loads(pickle.dumps(rounds)))
    pickled.enter(pickle.loads(pickle.dumps(one)))
    assert [c.as_dict() for c in fresh.certificates()] == [c.as_dict() for c in pickled.certificates()]
    assert str(fresh.certificates()[0].verdict) == "certified"


def test_columns_outlive_their_rounds() -> None:
    scores = th.Perceptron(1).learn_many(np.ones((1000, 1)), -np.ones(1000)).scores
    gc.collect()
    assert scores.tolist() == [0.0] + [-1.0] * 999


def test_a_cycle_through_an_example_is_collected() -> None:
    class Example(dict[int, float]):
        kept: th.Round

    example = Example({0: 1.0})
    gone = weakref.ref(example)
    example.kept = th.Perceptron(1).learn(example, -1)
    del example
    gc.collect()
    assert gone() is None


def test_the_values_show_well_in_a_notebook() -> None:
    played = th.Perceptron(1).learn([1.0], -1)
    assert "<td>+1</td><td>0.0</td><td>-1</td><td>yes</td><td>yes</td>" in played._repr_html_()
    assert "<td>1</td>" in th.Perceptron(1).learn_many([[1.0]], [-1])._repr_html_()


def test_a_busy_learner_refuses_a_second_thread_while_the_gil_is_free() -> None:
    X, y = np.ones((200_000, 64)), np.ones(200_000)
    learner = th.Perceptron(64)
    uses: dict[str, Callable[[], object]] = {
        "predict": lambda: learner.predict(X[0]),
        "learn": lambda: learner.learn(X[0], 1),
        "weights": lambda: learner.weights,
        "state": learner.state,
        "many": lambda: learner.learn_many(X[:1], y[:1]),
    }
    refused: set[str] = set()

    def occupy() -> None:
        with suppress(th.ConcurrentUse):  # the main thread may be the first
            learner.learn_many(X, y)

    for _ in range(50):
        thread = threading.Thread(target=occupy)
        thread.start()
        while thread.is_alive():
            for name, use in uses.items():
                try:
                    use()
                except th.ConcurrentUse:
                    refused.add(name)
        thread.join()
        if refused == set(uses):
            break
    assert refused == set(uses)
    assert learner.predict(X[0]).label == 1  # and it is whole afterwards


def test_an_example_may_use_the_learner_while_it_is_read() -> None:
    learner = th.Perceptron(2)

    class Meddler:
        def __float__(self) -> float:
            learner.learn({0: 1.0}, -1)
            return 1.0

    played = learner.learn({1: Meddler()}, -1)
    assert (played.t, learner.rounds) == (2, 2)
    assert learner.weights.tolist() == [-1.0, -1.0]


def test_a_state_is_of_one_moment() -> None:
    X, y = np.ones((2, 8)), np.array([1, -1])
    learner = th.Perceptron(8, tie="mistake")
    done = threading.Event()

    def learn() -> None:
        while not done.wait(1e-6):
            learner.learn_many(X, y)  # two mistakes, and the weights are 0 again

    thread = threading.Thread(target=learn)
    thread.start()
    taken = seen = 0
    try:
        while taken < 500 or seen == 0:
            try:
                parameters, arrays = learner.state()
            except th.ConcurrentUse:
                continue
            seen = parameters["heads"]["rounds"]
            assert seen % 2 == 0
            assert not arrays["weights"].any()
            taken += 1
    finally:
        done.set()
        thread.join()
    assert learner.rounds > 0


def test_an_interrupt_while_an_example_is_read_is_not_swallowed() -> None:
    class Interrupted:
        def __float__(self) -> float:
            raise KeyboardInterrupt

    learner = th.Perceptron(1)
    with pytest.raises(KeyboardInterrupt):
        learner.learn({0: Interrupted()}, 1)
    assert learner.rounds == 0


def test_a_dict_that_changes_while_it_is_read_is_refused() -> None:
    example: dict[int, object] = {}

    class Growing:
        def __float__(self) -> float:
            example[len(example)] = 1.0
            return 1.0

    example.update({0: Growing(), 1: 1.0})
    learner = th.Perceptron(8)
    with pytest.raises(th.ExampleError, match="changed while it was read"):
        learner.learn(example, 1)
    assert learner.rounds == 0


def test_a_subclass_that_lies_about_its_size_reads_nothing_out_of_bounds() -> None:
    class Liar(th.Perceptron):
        @property
        def n(self) -> int:
            return 4

    with pytest.raises(th.ParameterError, match="found examples of 4 attributes, expected 2"):
        Liar(2).learn_many(np.ones((1, 4)), [1])
    with pytest.raises(th.ParameterError, match="found examples of 4 attributes, expected 2"):
        Liar(2).score_many(np.ones((1, 4)))


def test_columns_that_another_thread_changes_meanwhile_never_lead_outside_the_weights() -> None:
    """In a process of its own, because what it guards against would end it."""
    code = """
import threading, numpy as np, scipy.sparse as sp, thresher as th
X = sp.csr_matrix(np.ones((4000, 8)))
good, bad = X.indices.copy(), np.full_like(X.indices, 2**30)
done = threading.Event()
def flip():
    while not done.is_set():
        X.indices[:] = bad
        X.indices[:] = good
thread = threading.Thread(target=flip)
thread.start()
for _ in range(300):
    try:
        th.Perceptron(8).learn_many(X, np.tile([1, -1], 2000))
    except th.ExampleError:
        pass
done.set()
thread.join()
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("weight", ["x", None, [1.0], 1j, -1.0, math.nan])
def test_rounds_made_in_python_have_weights_that_examples_can_have(weight: object) -> None:
    said, label = np.array([1], np.int8), np.array([-1], np.int8)
    with pytest.raises(th.ExampleError, match="found weight"):
        th.Rounds(1, [{"a"}], said, label, np.array([0.5]), np.array([True]), weights=[weight])
