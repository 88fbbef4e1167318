"""Consistent, Halving and Optimal against their definitions, within their bounds, and what they refuse."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher import bounds
from thresher.classes import (
    DNF,
    AllFunctions,
    ClassLearner,
    Concept,
    ConceptClass,
    Conjunctions,
    Disjunctions,
    Explicit,
    Intervals,
    Thresholds,
    VersionSpace,
    consistent,
    halving,
    optimal,
    unpack,
)

Definition = Callable[[Sequence[Sequence[int]], Any], Iterator[tuple[int, int]]]
KINDS: dict[type[ClassLearner], Definition] = {
    th.Consistent: consistent.definition,
    th.Halving: halving.definition,
    th.Optimal: optimal.definition,
}
every_kind = pytest.mark.parametrize("kind", KINDS)
CLASSES: list[ConceptClass] = [
    Explicit([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], points=["a", ("b", 2), 3.5]),
    AllFunctions(7),
    Disjunctions(7),
    Conjunctions(4, monotone=False),
    DNF(3, 2, 2),
    Thresholds([3, 1, 2.5]),
    Intervals(range(9)),
]


class Stream(NamedTuple):
    """A table of concepts, and a stream on its points that one of them fits."""

    table: list[tuple[int, ...]]
    xs: list[int]
    ys: list[int]


@st.composite
def streams(draw: st.DrawFn, most: int = 12) -> Stream:
    points = draw(st.integers(1, 5))
    table = draw(st.lists(st.tuples(*[st.integers(0, 1)] * points), min_size=1, max_size=most))
    target = draw(st.sampled_from(table))
    xs = draw(st.lists(st.integers(0, points - 1), max_size=12))
    return Stream(table, xs, [target[x] for x in xs])


def a_stream(concepts: ConceptClass, rounds: int, seed: int = 0) -> tuple[list[object], list[int]]:
    """Random examples of the class, labelled by one of its concepts."""
    chance = np.random.default_rng(seed)
    target = concepts.concept(int(chance.integers(concepts.size)))
    X = [concepts.example(int(place)) for place in chance.integers(0, concepts.places, rounds)]
    return X, [target.predict(x).label for x in X]


def each(rounds: th.Rounds | None) -> list[th.Round]:
    return [] if rounds is None else [rounds[k] for k in range(len(rounds))]


def facts(learner: ClassLearner) -> tuple[object, ...]:
    return learner.rounds, learner.mistakes, learner.updates, learner.left, learner.fitting.tolist()


# ------------------------------------------------------------------------------------------------ what they do


@every_kind
@settings(deadline=None)
@given(stream=streams())
def test_a_learner_is_its_definition(kind: type[ClassLearner], stream: Stream) -> None:
    learner = kind(stream.table)
    rounds = list(zip(stream.xs, stream.ys, strict=True))
    left = len(stream.table)
    for t, ((x, y), (said, then)) in enumerate(zip(rounds, KINDS[kind](stream.table, rounds), strict=True), 1):
        assert learner.predict(x).label == 2 * said - 1
        played = learner.learn(x, y)
        assert (played.t, played.prediction.label, played.label, played.example) == (t, 2 * said - 1, 2 * y - 1, x)
        assert (learner.left, played.changed, played.loss) == (then, then < left, float(said != y))
        left = then
    assert learner.mistakes <= learner.proven.at_most <= max(0, len(stream.table) - 1)
    assert learner.updates <= len(stream.table) - left


@pytest.mark.parametrize("kind", [th.Consistent, th.Halving])
@pytest.mark.parametrize("target", [0, 63, 64, 150, 299])
def test_concepts_of_more_than_one_word(kind: type[ClassLearner], target: int) -> None:
    chance = np.random.default_rng(target)
    table = chance.integers(0, 2, (300, 12)).tolist()
    rounds = [(int(x), table[target][x]) for x in chance.permutation(12)]
    learner = kind(table)
    for (x, y), (said, left) in zip(rounds, KINDS[kind](table, rounds), strict=True):
        assert learner.learn(x, y).prediction.label == 2 * said - 1
        assert learner.left == left
    assert unpack(learner.fitting, 300)[target]


@every_kind
@pytest.mark.parametrize("concepts", CLASSES, ids=repr)
def test_many_rounds_are_rounds_one_by_one(kind: type[ClassLearner], concepts: ConceptClass) -> None:
    X, y = a_stream(concepts, 40)
    many, alone = kind(concepts), kind(concepts)
    first, second = many.learn_many(X[:25], y[:25]), many.learn_many(X[25:], y[25:])
    one_by_one = [alone.learn(x, label) for x, label in zip(X, y, strict=True)]
    assert each(first) + each(second) == one_by_one
    assert (first.first, second.first, second.mistakes) == (1, 26, sum(played.mistake for played in one_by_one[25:]))
    assert facts(many) == facts(alone)
    assert many.mistakes <= many.proven.at_most
    said = [alone.predict(x) for x in X]
    assert many.predict_many(X).tolist() == [prediction.label for prediction in said]
    assert many.score_many(X).tolist() == [prediction.score for prediction in said]
    if isinstance(many, th.Halving):
        assert many.p_positive_many(X).tolist() == [prediction.p_positive for prediction in said]
    assert facts(many) == facts(alone)


@settings(deadline=None)
@given(stream=streams())
def test_halving_is_the_weighted_majority_at_beta_zero_but_for_ties(stream: Stream) -> None:
    concepts = Explicit(stream.table)
    halving_learner, majority = th.Halving(concepts), th.WeightedMajority(concepts.size, beta=0)
    for x, y in zip(stream.xs, stream.ys, strict=True):
        advice = unpack(concepts.values(x), concepts.size)
        ours, theirs = halving_learner.learn(x, y).prediction, majority.learn(advice, y).prediction
        assert ours.p_positive == theirs.p_positive
        if ours.score == 0.0:
            assert (ours.label, theirs.label) == (+1, -1)
        else:
            assert ours.label == theirs.label
        assert (majority.expert_mistakes == 0).tolist() == unpack(halving_learner.fitting, concepts.size).tolist()


def test_the_golden_streams() -> None:
    for key, learner in [
        ("hal_forced_k3", th.Halving(AllFunctions(3))),
        ("con_forced_5", th.Consistent(np.eye(5, dtype=int))),
    ]:
        golden = GOLDEN[key]
        rounds = [learner.learn(x, y) for x, y in golden["stream"]]
        assert learner.mistakes == golden["M"] == learner.proven.at_most
        said = [[(played.prediction.label + 1) // 2, int(played.mistake)] for played in rounds]
        assert said == golden.get("out", [[1, 1]] * 4)


def test_scores_and_shares() -> None:
    table = [[1, 0, 0], [1, 1, 0], [0, 1, 0]]
    halves, dimensions, first = th.Halving(table), th.Optimal(table), th.Consistent(table)
    assert [(halves.predict(x).score, halves.predict(x).p_positive) for x in range(3)] == [
        (1.0, 2 / 3),
        (1.0, 2 / 3),
        (-3.0, 0),
    ]
    assert [dimensions.predict(x).score for x in range(3)] == [1.0, 1.0, -2.0]
    assert [first.predict(x).score for x in range(3)] == [1.0, -1.0, -1.0]
    assert halves.learn_many([0, 1], [1, 1]).p_positive is not None
    assert dimensions.learn_many([0, 1], [1, 1]).p_positive is None
    assert halves.learn_many([], []).mistakes == 0


def test_a_million_concepts() -> None:
    concepts = Disjunctions(20)
    learner = th.Halving(concepts)
    X = np.random.default_rng(0).integers(0, 2, (60, 20))
    rounds = learner.learn_many(X, X[:, 3] | X[:, 7])
    assert rounds.mistakes <= learner.proven.at_most == 20
    left = [concepts.concept(int(i)) for i in np.flatnonzero(unpack(learner.fitting, concepts.size))]
    assert "x3 or x7" in [str(concept) for concept in left]
    assert len(left) == learner.left
    assert all(np.array_equal(concept.predict_many(X), rounds.labels) for concept in left)


def test_hypotheses_are_frozen() -> None:
    concepts = Thresholds([1, 2, 3])
    for kind in KINDS:
        learner = kind(concepts)
        frozen, before = learner.hypothesis(), learner.predict_many([0.5, 1.5, 2.5, 3.5]).tolist()
        learner.learn_many([2.5, 1.5], [0, 0])
        assert (
            frozen.predict_many([0.5, 1.5, 2.5, 3.5]).tolist() == before != learner.predict_many([0.5, 1.5, 2.5, 3.5]).tolist()
        )
        assert frozen.predict(1.5).label == before[1]
        assert not hasattr(frozen, "learn")
        assert isinstance(frozen, Concept if kind is th.Consistent else VersionSpace)
    halves = th.Halving(concepts).hypothesis()
    assert isinstance(halves, VersionSpace)
    assert (halves.left, halves.rounds, halves.concepts) == (4, 0, concepts)
    assert repr(halves) == "VersionSpace(4 of 4 concepts after 0 rounds)"


def test_the_rounds_enter_a_ledger() -> None:
    ledger, learner = th.Ledger(), th.Halving(AllFunctions(4))
    ledger.enter(learner.learn_many([0, 1], [0, 0]))
    ledger.enter(learner.learn(2, 0))
    assert (ledger.mistakes, ledger.loss, learner.rounds) == (3, 3.0, 3)
    assert isinstance(learner, th.Learner)


# ------------------------------------------------------------------------------------------------ bounds


def test_bounds_are_whole_numbers_by_whole_numbers() -> None:
    for exponent in (1, 29, 53, 64, 1000, 2000):
        size = 2**exponent
        assert [bounds.halving(n).at_most for n in (size - 1, size, size + 1)] == [exponent - 1, exponent, exponent]
        assert bounds.consistent(size).at_most == size - 1
        assert not bounds.consistent(size).allows(size)
        assert bounds.consistent(size).allows(size - 1)
    assert th.Halving(AllFunctions(20)).proven == bounds.halving(2**20)
    assert th.Consistent(AllFunctions(20)).proven == bounds.consistent(2**20)
    assert th.Optimal(AllFunctions(9)).proven == bounds.optimal(9)
    assert str(bounds.consistent(2**20_000)) == "mistakes ≤ 2^20000 by Consistent"
    assert str(bounds.consistent(10**12 + 1)) == "mistakes ≤ 1,000,000,000,000 by Consistent"


@pytest.mark.parametrize("number", [0, -1, 1.5, True, None])
def test_bounds_of_no_class(number: Any) -> None:
    for make in (bounds.consistent, bounds.halving):
        with pytest.raises(th.ParameterError, match=f"found size = {number}, expected a whole number of at least 1"):
            make(number)
    if number != 0:
        with pytest.raises(th.ParameterError, match=f"found dimension = {number}"):
            bounds.optimal(number)


# ------------------------------------------------------------------------------------------------ refused


@every_kind
def test_no_concept_left_names_the_round_and_changes_nothing(kind: type[ClassLearner]) -> None:
    learner = kind(Thresholds([1, 2]))
    learner.learn(1.5, 1)
    before = facts(learner)
    with pytest.raises(th.NotRealizable, match=r"round 2: found label -1, but all concepts .* say \+1 \(1 of 3\)"):
        learner.learn(3, 0)
    assert facts(learner) == before
    with pytest.raises(th.NotRealizable, match="round 4"):
        learner.learn_many([1.5, 2.5, 0.5, 1.5], [1, 1, 1, 1])
    assert learner.rounds == 3
    assert learner.learn(0.5, -1).t == 4  # minus was never spelled before: the refused 0 left no trace


@every_kind
def test_a_bad_row_stops_as_the_loop_would(kind: type[ClassLearner]) -> None:
    learner, alone = kind(AllFunctions(5)), kind(AllFunctions(5))
    bad: list[tuple[list[Any], list[Any], type[th.ExampleError], str]] = [
        ([0, 1, 9, 2], [1, 0, 0, 0], th.ExampleError, "row 2: found 9, expected a whole number from 0 to 4"),
        ([2, 3, 4], [1, 0, "yes"], th.LabelError, "row 2: found label 'yes'"),
        ([2, 3, 4], [1, 0, -1], th.LabelError, "row 2: found label -1, but this stream has spelled minus the other way"),
    ]
    for X, y, error, message in bad:
        with pytest.raises(error, match=message) as caught:
            learner.learn_many(X, y)
        rounds = [alone.learn(x, label) for x, label in zip(X[:2], y[:2], strict=True)]
        assert isinstance(caught.value.rounds, th.Rounds)
        assert (caught.value.row, each(caught.value.rounds)) == (2, rounds)
        assert facts(learner) == facts(alone)
    with pytest.raises(th.ExampleError, match="row 1: found 7") as caught:
        learner.predict_many([0, 7])
    assert caught.value.row == 1


@every_kind
def test_what_cannot_be_learned(kind: type[ClassLearner]) -> None:
    learner = kind(AllFunctions(3))
    learner.learn(0, False)
    before = facts(learner)
    for label in (2, None, "1", float("nan")):
        with pytest.raises(th.LabelError, match="found label"):
            learner.learn(1, label)
    with pytest.raises(th.LabelError, match="the other way"):
        learner.learn(1, -1)
    with pytest.raises(th.ExampleError, match=r"found weight 2\.0, expected 1"):
        learner.learn(1, 1, 2.0)
    with pytest.raises(th.ExampleError, match="weights other than 1"):
        learner.learn_many([1], [1], [0.5])
    with pytest.raises(th.ExampleError, match="found 5"):
        learner.learn(5, 1)
    with pytest.raises(th.LabelError, match="found 1 labels, expected one for each of 2 rows"):
        learner.learn_many([1, 2], [1])
    with pytest.raises(th.ExampleError, match="expected a list or an array"):
        learner.learn_many(3, [1])
    assert facts(learner) == before
    assert learner.learn_many([1, 2], [1, 0], [1.0, 1.0]).first == 2


def test_a_class_too_large_for_optimal_says_what_is_tried() -> None:
    with pytest.raises(th.ParameterError, match=r"found 1,048,576 concepts on 1,048,576 kinds .* tried up to 4,096 and 4,096"):
        th.Optimal(Disjunctions(20))


def test_one_writer() -> None:
    learner = th.Halving(AllFunctions(2))
    inside, done = threading.Event(), threading.Event()

    class Slow(list[int]):
        def __getitem__(self, k: Any) -> Any:
            inside.set()
            assert done.wait(10)
            return super().__getitem__(k)

        def __iter__(self) -> Iterator[int]:
            return (self[k] for k in range(len(self)))

    thread = threading.Thread(target=learner.learn_many, args=(Slow([0]), [1]))
    thread.start()
    assert inside.wait(10)
    try:
        for enter in (lambda: learner.learn(1, 1), lambda: learner.learn_many([1], [1])):
            with pytest.raises(th.ConcurrentUse):
                enter()
        assert learner.predict(0).label == 1
        assert copy.copy(learner).learn(1, 1).t == 1
    finally:
        done.set()
        thread.join()
    assert learner.rounds == 1


# ------------------------------------------------------------------------------------------------ states


@every_kind
@pytest.mark.parametrize("concepts", CLASSES, ids=repr)
def test_a_state_goes_on_as_if_it_had_never_stopped(kind: type[ClassLearner], concepts: ConceptClass) -> None:
    X, y = a_stream(concepts, 30, seed=1)
    learner = kind(concepts)
    learner.learn_many(X[:10], y[:10])
    parameters, arrays = learner.state()
    twins = [
        copy.copy(learner),
        copy.deepcopy(learner),
        pickle.loads(pickle.dumps(learner)),
        kind.from_state(json.loads(json.dumps(parameters)), arrays),
    ]
    rounds = each(learner.learn_many(X[10:], y[10:]))
    for twin in twins:
        assert (twin.concepts, twin.rounds) == (concepts, 10)
        assert each(twin.learn_many(X[10:], y[10:])) == rounds
        assert facts(twin) == facts(learner)
        assert repr(twin) == repr(learner) == f"{kind.__name__}({concepts!r})"
    with pytest.raises(ValueError, match="read-only"):
        learner.fitting[0] = 0


def test_forged_states_are_refused() -> None:
    learner = th.Halving(Explicit([[0, 1], [1, 0], [1, 1]]))
    learner.learn(0, 1)
    parameters, arrays = learner.state()

    def check_refused(message: str, heads: dict[str, Any] | None = None, cls: Any = None, **changed: Any) -> None:
        concepts = {**parameters["arguments"]["concepts"], **(cls or {})}
        forged = {**parameters, "arguments": {"concepts": concepts}, "heads": {**parameters["heads"], **(heads or {})}}
        with pytest.raises(th.StoreError, match=message):
            th.Halving.from_state(forged, {**arrays, **changed})

    check_refused("heads", {"rounds": -1})
    check_refused("heads", {"rounds": 1.0})
    check_refused("heads", {"mistakes": 2})
    check_refused("heads", {"more": 2})
    check_refused("minus", {"negative": 5})
    check_refused("cannot be", {"updates": 0})
    check_refused("cannot be", fitting=np.array([0], dtype=np.uint64))
    check_refused("cannot be", fitting=np.array([7], dtype=np.uint64))
    check_refused("not bits of 3 concepts", fitting=np.array([8], dtype=np.uint64))
    check_refused("not bits of 3 concepts", fitting=np.array([1, 0], dtype=np.uint64))
    check_refused("not bits of 3 concepts", fitting=np.array([1], dtype=np.int64))
    check_refused("expected one of the classes", cls={"class": "Everything"})
    check_refused("do not fit", cls={"class": "Disjunctions"})
    check_refused("do not fit", cls={"size": 5000})
    check_refused("do not fit", cls={"points": [0]})
    check_refused("do not fit", columns=np.array([[9], [5]], dtype=np.uint64))
    with pytest.raises(th.StoreError, match="found the state of 'Halving', expected one of 'Optimal'"):
        th.Optimal.from_state(parameters, arrays)
    broken: Any
    for broken in (None, {}, {**parameters, "arguments": {}}, {**parameters, "heads": None}):
        with pytest.raises(th.StoreError):
            th.Halving.from_state(broken, arrays)
    with pytest.raises(th.StoreError, match="which concepts fit"):
        th.Halving.from_state(parameters, {})
    large = {**parameters, "arguments": {"concepts": {"class": "AllFunctions", "k": 60}}}
    with pytest.raises(th.StoreError, match="does not fit Halving: found 1,152,921,504,606,846,976 concepts"):
        th.Halving.from_state(large, {"fitting": arrays["fitting"]})
