"""The multiclass Perceptron: as it is defined, bit for bit however rows come, and refused where it must."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher import _core, memory
from thresher.class_labels import ClassLabel
from thresher.linear.multiclass_perceptron import definition

N = 4
values = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 2.25, -3.5])
streams = st.lists(st.tuples(st.lists(values, min_size=N, max_size=N), st.sampled_from("abcdefgh")), min_size=1, max_size=40)
Stream = list[tuple[list[float], str]]


def columns(stream: Stream) -> tuple[NDArray[np.float64], list[str]]:
    return np.array([x for x, _ in stream]).reshape(-1, N), [y for _, y in stream]


def check_same(one: th.MulticlassPerceptron, other: th.MulticlassPerceptron) -> None:
    """Asserts that two learners are the same, bit for bit."""
    assert one.classes == other.classes
    assert one.weights.tobytes() == other.weights.tobytes()
    assert one.bias_weights.tobytes() == other.bias_weights.tobytes()
    assert (one.rounds, one.mistakes, one.updates) == (other.rounds, other.mistakes, other.updates)


@given(streams, st.sampled_from(["", "ha", "cab"]))
def test_it_is_what_it_is_defined_to_be(stream: Stream, known: str) -> None:
    learner = th.MulticlassPerceptron(N, classes=list(known))
    told: list[tuple[list[Fraction], ClassLabel]] = [([Fraction(v) for v in x], y) for x, y in stream]
    for t, ((x, y), (prediction, weights)) in enumerate(zip(stream, definition(N, told, list(known)), strict=True), 1):
        played = learner.learn(x, y)
        assert (played.t, played.prediction.label, played.mistake) == (t, prediction, prediction != y)
        assert dict(zip(learner.classes, learner.weights.tolist(), strict=True)) == weights
    assert learner.mistakes == sum(p != y for (_, y), (p, _) in zip(stream, definition(N, told, list(known)), strict=True))


@given(streams, st.integers(0, 40), st.sampled_from([None, 1.0, -0.5]), st.lists(st.sampled_from([1.0, 0.0, 2.5]), min_size=40))
def test_many_rounds_are_one_by_one(stream: Stream, cut: int, bias: float | None, hefts: list[float]) -> None:
    X, y = columns(stream)
    weights = np.array(hefts[: len(y)])
    one, many, halves, sparse = (th.MulticlassPerceptron(N, bias=bias) for _ in range(4))
    rounds = [one.learn(x, label, weight) for x, label, weight in zip(X, y, weights, strict=True)]
    played = many.learn_many(X, y, weights)
    halves.learn_many(X[:cut], y[:cut], weights[:cut])
    twin = th.MulticlassPerceptron.from_state(*json_again(halves))
    twin.learn_many(X[cut:], y[cut:], weights[cut:])
    sparse.learn_many(sp.csr_array(X.astype(np.float32)), np.array(y), weights)
    for other in (many, twin, sparse):
        check_same(one, other)
    assert [each.prediction.label for each in rounds] == [played.classes[code] for code in played.predictions]
    assert [each.prediction.score for each in rounds] == played.scores.tolist()
    assert [each.changed for each in rounds] == played.changed.tolist()
    assert (played.mistakes, played.updates, len(played), played.first) == (one.mistakes, one.updates, len(y), 1)
    scores = many.score_many(X)
    assert [many.classes[code] for code in scores.argmax(axis=1)] == many.predict_many(X).tolist()
    assert [many.predict(x).label for x in X] == many.predict_many(X).tolist()


def test_long_rows_leave_nothing_behind_for_short_ones() -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200, 12)) < rng.random((200, 1)), rng.integers(1, 5, (200, 12)), 0).astype(np.float64)
    y = rng.integers(0, 3, 200).tolist()
    played = th.MulticlassPerceptron(12).learn_many(X, y)
    told: list[tuple[list[Fraction], ClassLabel]] = [([Fraction(v) for v in x], label) for x, label in zip(X, y, strict=True)]
    assert [played.classes[code] for code in played.predictions[1:]] == [said for said, _ in definition(12, told)][1:]


def json_again(learner: th.MulticlassPerceptron) -> tuple[dict[str, Any], dict[str, Any]]:
    parameters, arrays = learner.state()
    return json.loads(json.dumps(parameters)), arrays


@given(streams)
def test_every_instruction_set_has_the_same_bits(stream: Stream) -> None:
    X, y = columns(stream)
    before, learned = _core.instruction_set(), []
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            learned.append(th.MulticlassPerceptron(N, bias=0.3))
            learned[-1].learn_many(X * 0.1, y)
    finally:
        _core.use_instruction_set(before)
    for other in learned[1:]:
        check_same(learned[0], other)


@given(streams)
def test_two_known_classes_are_a_perceptron(stream: Stream) -> None:
    """With w = w_b − w_a it is a Perceptron whose tie is the first class, and the step is twice as long."""
    told = [(x, y) for x, y in stream if y in "ab"]
    many, two = th.MulticlassPerceptron(N, classes=["a", "b"]), th.Perceptron(N, tie="minus")
    for x, y in told:
        said = two.learn(x, +1 if y == "b" else -1).prediction.label
        assert many.learn(x, y).prediction.label == ("b" if said > 0 else "a")
    assert (many.weights[1] - many.weights[0]).tolist() == (2 * two.weights).tolist()


@given(streams)
def test_the_weights_of_all_classes_sum_to_zero(stream: Stream) -> None:
    learner = th.MulticlassPerceptron(N)
    for x, y in stream:
        new = y not in learner.classes
        played = learner.learn(x, y)
        if new and played.t > 1:
            assert played.prediction.score >= 0.0  # what the theorem needs of a class that is new
    assert not learner.weights.sum(axis=0).any()


def test_labels_of_every_kind() -> None:
    for labels in (["x", "y"], [3, -7], [True, False]):
        learner = th.MulticlassPerceptron(2)
        learner.learn_many([[1, 0], [0, 1]], labels)
        learner.learn_many([[1, 0], [0, 1]], np.array(labels))
        assert learner.classes == tuple(labels)
        assert learner.predict([0, 1]).label == labels[1]
        assert type(learner.predict([0, 1]).label) is type(labels[1])


def test_a_label_that_is_none_stops_at_its_row() -> None:
    learner = th.MulticlassPerceptron(2)
    with pytest.raises(th.LabelError, match=r"row 2: found label 3, expected a label of type str") as caught:
        learner.learn_many([[1, 0], [0, 1], [1, 1], [1, 0]], ["a", "b", 3, "new"])
    assert caught.value.row == 2
    assert caught.value.rounds is not None
    assert (len(caught.value.rounds), learner.rounds, learner.classes) == (2, 2, ("a", "b"))
    with pytest.raises(th.LabelError, match="expected a label of type str"):
        learner.learn([1, 0], True)
    assert learner.learn([1, 0], "c").t == 3


def test_a_row_that_cannot_be_learned_stops_there() -> None:
    learner, other = th.MulticlassPerceptron(2), th.MulticlassPerceptron(2)
    with pytest.raises(th.ExampleError, match="nan") as caught:
        learner.learn_many([[1, 0], [0, 1], [1, float("nan")], [1, 0]], ["a", "b", "new", "a"])
    assert (caught.value.row, learner.classes) == (2, ("a", "b"))
    other.learn_many([[1, 0], [0, 1]], ["a", "b"])
    check_same(learner, other)
    wrong: list[Any] = [-1.0, float("nan"), float("inf"), "x"]
    for weight in wrong:
        with pytest.raises(th.ExampleError, match="weight"):
            learner.learn([1, 0], "new", weight)
    for x in ([1.0], {-1: 1.0}, {2: 1.0}, "ab", None):
        with pytest.raises(th.ExampleError):
            learner.learn(x, "new")
    check_same(learner, other)
    assert "new" not in learner.classes


def test_parameters_that_cannot_be() -> None:
    sizes: list[Any] = [0, -1, 2.5, True, None]
    for bad in sizes:
        with pytest.raises(th.ParameterError, match="n ="):
            th.MulticlassPerceptron(bad)
    biases: list[Any] = [0.0, float("nan"), float("inf"), "x"]
    for bias in biases:
        with pytest.raises(th.ParameterError, match="bias"):
            th.MulticlassPerceptron(2, bias=bias)
    with pytest.raises(th.ParameterError, match="classes"):
        th.MulticlassPerceptron(2, classes="spam")
    with pytest.raises(th.LabelError, match="twice"):
        th.MulticlassPerceptron(2, classes=["a", "a"])


def test_memory_is_looked_at_before_a_class_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = th.MulticlassPerceptron(1000)
    learner.learn_many(np.eye(4, 1000), ["a", "b", "c", "d"])
    monkeypatch.setattr(memory, "available_memory", lambda: 50_000)
    with pytest.raises(th.LabelError, match=r"class 'e', with which 5 classes need 64,064 bytes, but 50,000"):
        learner.learn([0.0] * 1000, "e")
    with pytest.raises(th.LabelError, match="row 1: found the class 'f'") as caught:
        learner.learn_many(np.eye(3, 1000), ["a", "f", "a"])
    assert (caught.value.row, learner.rounds, learner.classes) == (1, 5, ("a", "b", "c", "d"))
    with pytest.raises(th.LabelError, match="classes need"):
        th.MulticlassPerceptron(1000, classes=range(100))
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    assert learner.learn([0.0] * 1000, "e").mistake


def test_thousands_of_classes() -> None:
    labels = np.arange(3000) % 1500
    learner = th.MulticlassPerceptron(1500)
    X = sp.csr_array((np.ones(3000), (np.arange(3000), labels)), shape=(3000, 1500))
    learner.learn_many(X, labels)
    assert len(learner.classes) == 1500
    assert learner.predict_many(X[:1500]).tolist() == labels[:1500].tolist()
    one = th.MulticlassPerceptron(2)
    for label in range(200):
        one.learn([1.0, label], label)
    assert one.classes == tuple(range(200))


def test_copies_go_their_own_way() -> None:
    learner = th.MulticlassPerceptron(2)
    learner.learn_many([[1, 0], [0, 1]], ["a", "b"])
    frozen, twin, again = learner.hypothesis(), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))
    learner.learn([-1, 3], "c")
    assert twin.classes == again.classes == frozen.classes == ("a", "b")
    assert (frozen.rounds, frozen.n) == (2, 2)
    twin.learn([-1, 3], "c")
    again.learn([-1, 3], "c")
    check_same(learner, twin)
    check_same(learner, again)
    assert frozen.score_many([[-1, 3]]).shape == (1, 2)
    assert frozen.predict([0, 1]).label == frozen.predict_many([[0, 1]])[0] == "b"


def test_a_damaged_state_is_refused() -> None:
    learner = th.MulticlassPerceptron(2, bias=1.0)
    learner.learn_many([[1, 0], [0, 1]], ["a", "b"])
    parameters, arrays = learner.state()
    bad: list[dict[str, Any]] = [
        {"learner": "Perceptron"},
        {"classes": ["a"]},
        {"classes": ["a", "a"]},
        {"classes": ["a", 1.5]},
        {"known": 3},
        {"known": True},
        {"bias_weights": [1.0]},
        {"bias_weights": [1.0, float("nan")]},
        {"arguments": {"n": 3, "bias": 1.0}},
        {"arguments": {"n": 2, "bias": None}},
        {"arguments": {"n": 2}},
        {"heads": {**parameters["heads"], "mistakes": 3}},
        {"heads": {**parameters["heads"], "updates": 0}},
        {"heads": {**parameters["heads"], "rounds": True}},
        {"heads": {**parameters["heads"], "mistakes": 1, "updates": 1}},
    ]
    for change in bad:
        with pytest.raises(th.StoreError):
            th.MulticlassPerceptron.from_state({**parameters, **change}, arrays)
    kept = arrays["weights"]
    damaged: list[Any] = [kept[:1], kept.astype(np.float32), np.full((2, 2), np.nan), [[1.0, 0.0]]]
    for weights in damaged:
        with pytest.raises(th.StoreError, match="weights"):
            th.MulticlassPerceptron.from_state(parameters, {"weights": weights})
    with pytest.raises(th.StoreError):
        th.MulticlassPerceptron.from_state({}, {})
    check_same(th.MulticlassPerceptron.from_state(parameters, arrays), learner)


def test_no_rounds_and_no_classes() -> None:
    learner = th.MulticlassPerceptron(2)
    assert learner.predict([1, 0]).label is None
    assert learner.predict_many([[1, 0]]).tolist() == [None]
    assert learner.score_many([[1, 0]]).shape == (1, 0)
    assert len(learner.learn_many(np.empty((0, 2)), [])) == 0
    assert learner.weights.shape == (0, 2)
    check_same(learner, pickle.loads(pickle.dumps(learner)))
    assert "0 classes" in repr(learner)
    assert repr(learner.learn_many(np.empty((0, 2)), [])) == "<no rounds of 0 classes, 0 mistakes, 0 updates>"


def test_one_of_many_rounds_is_the_round() -> None:
    X, y = np.eye(3), ["a", "b", "a"]
    rounds = th.MulticlassPerceptron(3).learn_many(X, y, [1.0, 2.0, 1.0])
    learner = th.MulticlassPerceptron(3)
    single = [learner.learn(x, label, weight) for x, label, weight in zip(X, y, [1.0, 2.0, 1.0], strict=True)]
    assert [repr(each) for each in rounds] == [repr(each) for each in single]
    assert (rounds[-1].weight, rounds[1].weight, rounds[1].origin) == (1.0, 2.0, single[1].origin)
    assert repr(rounds[1]).startswith("ClassRound(t=2, ClassPrediction(label='a', score=0.0), label='b', mistake=True")
    with pytest.raises(IndexError):
        rounds[3]
