"""The conservative twin: it learns from its mistakes alone, keeps the mistake bound, and takes any learner."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.plain_classes import PlainHalving, all_functions
from thresher.compose import Frozen
from thresher.compose.conservative import definition

#: Learners of every kind, over examples of three zeros and ones.
MAKERS: dict[str, Callable[[], Any]] = {
    "Perceptron": lambda: th.Perceptron(3, bias=1.0),
    "MarginPerceptron": lambda: th.MarginPerceptron(3, 0.2, bias=1.0),
    "AveragedPerceptron": lambda: th.AveragedPerceptron(3, bias=1.0),
    "PNormPerceptron": lambda: th.PNormPerceptron(3, p=5, bias=1.0),
    "PassiveAggressive": lambda: th.PassiveAggressive(3, bias=1.0),
    "Winnow": lambda: th.Winnow(3),
    "LiteralWinnow": lambda: th.LiteralWinnow(3),
    "BalancedWinnow": lambda: th.BalancedWinnow(3, eta=0.3),
    "Elimination": lambda: th.Elimination(3),
    "AROW": lambda: th.AROW(3, bias=1.0),
    "AdaGrad": lambda: th.AdaGrad(3, bias=1.0),
    "Invariant": lambda: th.Invariant(3, bias=1.0),
    "WeightedMajority": lambda: th.WeightedMajority(3),
    "RandomizedMajority": lambda: th.RandomizedMajority(3, seed=5),
    "ImprovedMajority": lambda: th.ImprovedMajority(3, seed=5),
    "FollowTheLeader": lambda: th.FollowTheLeader(3),
}
CONSERVATIVE = ("Perceptron", "PNormPerceptron", "Winnow", "LiteralWinnow", "BalancedWinnow", "Elimination")

STREAMS = st.lists(st.tuples(st.tuples(*[st.integers(0, 1)] * 3), st.sampled_from([-1, 1])), max_size=30)
CUBE = list(product((0, 1), repeat=3))


def said_of_all(learner: Any) -> list[int]:
    return [learner.predict(x).label for x in CUBE]


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=20)
@given(stream=STREAMS)
def test_it_is_its_definition_for_every_learner(name: str, stream: list[tuple[tuple[int, ...], int]]) -> None:
    lazy, plain = th.Conservative(MAKERS[name]()), MAKERS[name]()
    played = [lazy.learn(x, y) for x, y in stream]
    assert [r.prediction.label for r in played] == list(definition(plain, stream))
    assert [r.t for r in played] == list(range(1, len(stream) + 1))
    assert said_of_all(lazy) == said_of_all(plain) == said_of_all(lazy.hypothesis())
    assert not any(r.changed and not r.mistake for r in played)
    counts = (lazy.rounds, lazy.mistakes, lazy.updates)
    assert counts == (len(stream), sum(r.mistake for r in played), sum(r.changed for r in played))
    assert lazy.inner.rounds == lazy.inner.mistakes == lazy.mistakes


@pytest.mark.parametrize("name", CONSERVATIVE)
@settings(max_examples=20)
@given(stream=STREAMS)
def test_a_conservative_learner_is_its_own_twin(name: str, stream: list[tuple[tuple[int, ...], int]]) -> None:
    lazy, plain = th.Conservative(MAKERS[name]()), MAKERS[name]()
    for x, y in stream:
        assert lazy.learn(x, y) == plain.learn(x, y)
    assert lazy.inner.weights.tobytes() == plain.weights.tobytes()


def test_the_hypothesis_stays_between_mistakes_though_the_learner_itself_would_move() -> None:
    lazy, eager = th.Conservative(th.WeightedMajority(3)), th.WeightedMajority(3)
    for advice, y in [([1, 1, 0], 1), ([1, 0, 1], 1)]:
        lazy.learn(advice, y)
        eager.learn(advice, y)
    assert lazy.mistakes == eager.mistakes == 0
    assert eager.expert_mistakes.tolist() == [0, 1, 1]
    assert lazy.inner.expert_mistakes.tolist() == [0, 0, 0]


@pytest.mark.parametrize("points", [1, 2, 3])
def test_conservative_halving_is_forced_to_exactly_its_bound_and_no_further(points: int) -> None:
    worst = 0
    for target in all_functions(points):
        for order in product(range(points), repeat=points + 1):
            lazy = th.Conservative(PlainHalving(all_functions(points)))
            worst = max(worst, sum(lazy.learn(x, target[x]).mistake for x in order))
    assert worst == points


@given(st.lists(st.tuples(st.integers(0, 15), st.booleans()), max_size=40), st.integers(0, 15))
def test_the_weighted_majority_keeps_its_bound_with_a_perfect_expert(rounds: list[tuple[int, bool]], perfect: int) -> None:
    lazy = th.Conservative(th.WeightedMajority(16, beta=0.5))
    for pattern, y in rounds:
        advice = [(pattern >> (i % 4)) & 1 for i in range(16)]
        advice[perfect] = int(y)
        lazy.learn(advice, y)
    assert th.bounds.weighted_majority(0, n=16, beta=0.5).allows(lazy.mistakes)


@pytest.mark.parametrize(
    "X", [np.eye(4), np.eye(4).tolist(), scipy.sparse.csr_array(np.eye(4)), scipy.sparse.coo_array(np.eye(4))]
)
def test_many_rounds_are_the_same_one_by_one(X: Any) -> None:
    y = [-1, 1, -1, 1]
    many, one = th.Conservative(th.MarginPerceptron(4, 0.3)), th.Conservative(th.MarginPerceptron(4, 0.3))
    many.learn([1, 0, 0, 0], 1)
    one.learn([1, 0, 0, 0], 1)
    rounds = many.learn_many(X, y)
    assert [rounds[k] for k in range(4)] == [one.learn(x, label) for x, label in zip(np.eye(4), y, strict=True)]
    assert (rounds.first, many.rounds, many.mistakes) == (2, one.rounds, one.mistakes)
    assert rounds.examples is X


def test_many_rounds_of_votes_keep_the_share_of_the_weight() -> None:
    rounds = th.Conservative(th.WeightedMajority(2)).learn_many([[1, 0], [1, 0]], [1, 1])
    assert [rounds[k].prediction.p_positive for k in range(2)] == [0.5, 2 / 3]
    assert rounds.changed.tolist() == [True, False]
    assert len(th.Conservative(th.Winnow(2)).learn_many(np.empty((0, 2)), [])) == 0


def test_a_row_that_is_refused_stops_many_rounds_with_those_before_it() -> None:
    lazy = th.Conservative(th.Perceptron(2))
    with pytest.raises(th.ExampleError, match="row 1: column 1: found nan") as caught:
        lazy.learn_many([[1.0, 0.0], [0.0, np.nan], [1.0, 1.0]], [-1, 1, 1])
    assert (caught.value.row, caught.value.column, lazy.rounds) == (1, 1, 1)
    assert caught.value.rounds is not None
    assert len(caught.value.rounds) == 1
    with pytest.raises(th.LabelError, match="found 1 labels, expected one for each of 2 rows"):
        lazy.learn_many(np.eye(2), [1])
    with pytest.raises(th.LabelError, match="found int for the labels"):
        lazy.learn_many(np.eye(2), 1)
    with pytest.raises(th.ParameterError, match="found int for X"):
        lazy.learn_many(1, [1])


@pytest.mark.parametrize(
    ("x", "y", "weight", "error"),
    [([1.0, 1.0], 2, 1.0, th.LabelError), ([1.0, 1.0], "yes", 1.0, th.LabelError), ([1.0, np.nan], 1, 1.0, th.ExampleError),
     ([1.0, 1.0], -1, -1.0, th.ExampleError), ([-1.0, 0.0], -1, np.nan, th.ExampleError), ([1.0], 1, 1.0, th.ExampleError)],
)  # fmt: skip
def test_a_round_that_is_refused_changes_nothing(x: Any, y: Any, weight: float, error: type[Exception]) -> None:
    lazy = th.Conservative(th.Perceptron(2))
    lazy.learn([1.0, 0.0], -1)
    before = (lazy.rounds, lazy.mistakes, lazy.inner.rounds, said_of_two(lazy))
    with pytest.raises(error):
        lazy.learn(x, y, weight)
    assert (lazy.rounds, lazy.mistakes, lazy.inner.rounds, said_of_two(lazy)) == before


def said_of_two(lazy: th.Conservative[Any]) -> list[float]:
    return [lazy.predict(x).score for x in ([1.0, 0.0], [0.0, 1.0])]


def test_a_learner_of_ones_own_that_checks_no_weight_is_still_not_moved_by_a_bad_one() -> None:
    lazy = th.Conservative(PlainHalving(all_functions(1)))
    with pytest.raises(th.ExampleError, match="found weight -1"):
        lazy.learn(0, -1, -1.0)
    assert len(lazy.inner.left) == 2


def test_both_spellings_of_minus_in_one_stream_are_refused_though_the_learner_would_see_one_alone() -> None:
    lazy = th.Conservative(th.Perceptron(2, tie="minus"))
    assert not lazy.learn([1, 0], 0).mistake
    with pytest.raises(th.LabelError, match="spelled its negative label 0 before"):
        lazy.learn([1, 0], -1)
    assert not lazy.learn([1, 0], False).mistake
    assert lazy.rounds == 2


def test_a_weight_is_handed_on_and_one_of_zero_moves_nothing() -> None:
    lazy = th.Conservative(th.Perceptron(2))
    assert lazy.learn([1, 0], -1, 3.0).changed
    assert lazy.inner.weights.tolist() == [-3.0, 0.0]
    played = lazy.learn([0, 1], -1, 0.0)
    assert (played.mistake, played.changed, played.weight, lazy.mistakes, lazy.updates) == (True, False, 0.0, 2, 1)


def test_many_rounds_take_a_weight_for_each_row() -> None:
    lazy = th.Conservative(th.Perceptron(2))
    rounds = lazy.learn_many(np.eye(2), [-1, -1], [3.0, 2])
    assert lazy.inner.weights.tolist() == [-3.0, -2.0]
    assert [rounds[k].weight for k in range(2)] == [3.0, 2.0]
    for bad in ([1.0], ["a", "b"], [[1.0, 1.0]]):
        with pytest.raises(th.ExampleError, match="expected one number for each of 2 rows"):
            lazy.learn_many(np.eye(2), [-1, -1], cast("Any", bad))
    assert lazy.rounds == 2


def test_neither_is_always_a_mistake() -> None:
    lazy = th.Conservative(th.Perceptron(1, tie="mistake"))
    assert lazy.learn([1.0], 1).mistake
    assert lazy.learn([1.0], 1).changed is False


def test_what_is_no_learner_is_refused() -> None:
    for bad in (None, 3, "perceptron", th.Perceptron, th.Perceptron(2).hypothesis(), th.Hedge(2)):
        with pytest.raises(th.ParameterError, match="expected a learner"):
            th.Conservative(cast("Any", bad))


@pytest.mark.parametrize("name", MAKERS)
def test_copies_and_pickles_go_their_own_way(name: str) -> None:
    lazy = th.Conservative(MAKERS[name]())
    stream = [(x, 1 if x[0] == x[1] else -1) for x in CUBE if any(x)] * 2
    for x, y in stream[:5]:
        lazy.learn(x, y)
    twins = [copy.copy(lazy), copy.deepcopy(lazy), pickle.loads(pickle.dumps(lazy))]
    played = [lazy.learn(x, y) for x, y in stream[5:]]
    for twin in twins:
        assert twin.rounds == 5
        assert [twin.learn(x, y) for x, y in stream[5:]] == played


def test_a_hypothesis_never_changes_and_cannot_learn() -> None:
    lazy = th.Conservative(th.WeightedMajority(2, beta=0))
    frozen = lazy.hypothesis()
    lazy.learn([1, 0], 1)
    assert (frozen.predict([1, 0]).label, lazy.predict([1, 0]).label) == (-1, 1)
    assert isinstance(frozen, Frozen)
    assert not isinstance(frozen, th.Learner)
    assert repr(frozen) == "<hypothesis of WeightedMajority(n=2, beta=0.0)>"
    assert repr(lazy) == "Conservative(WeightedMajority(n=2, beta=0.0))"


def test_a_learner_that_cannot_be_copied_has_no_hypothesis_and_says_so() -> None:
    class Alone(PlainHalving):
        def __deepcopy__(self, memo: dict[int, object]) -> Alone:
            raise TypeError("there is only one")

    with pytest.raises(th.ParameterError, match="cannot be copied: there is only one"):
        th.Conservative(Alone(all_functions(1))).hypothesis()


def test_its_rounds_go_into_a_ledger() -> None:
    ledger = th.Ledger()
    lazy = th.Conservative(th.Perceptron(2))
    ledger.enter(lazy.learn([1, 0], -1))
    ledger.enter(lazy.learn_many(np.eye(2), [-1, -1]))
    assert ledger.mistakes == lazy.mistakes == 2
