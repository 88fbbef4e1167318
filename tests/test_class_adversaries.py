"""The adversaries of finite classes attain what theory says, and nobody does better: in both directions, over every game."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher.adversaries import Shattering, Sparing, force
from thresher.classes import (
    DNF,
    AllFunctions,
    ClassLearner,
    ConceptClass,
    Conjunctions,
    Disjunctions,
    Explicit,
    Intervals,
    Thresholds,
    littlestone_dimension,
    unpack,
)

Concepts = frozenset[tuple[int, ...]]
SMALL: list[ConceptClass] = [
    AllFunctions(1),
    AllFunctions(3),
    Explicit(np.eye(6, dtype=int)),
    Explicit([[0, 1, 1]]),
    Explicit([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 1, 1]]),
    Thresholds(range(7)),
    Intervals(range(4)),
    Disjunctions(3),
    Conjunctions(2, monotone=False),
    DNF(2, 2, 1),
]
small = pytest.mark.parametrize("concepts", SMALL, ids=repr)


def table(concepts: ConceptClass) -> Concepts:
    """The concepts as rows, one value for each place."""
    columns = [unpack(concepts.at(place), concepts.size).astype(int).tolist() for place in range(concepts.places)]
    return frozenset(zip(*columns, strict=True))


def singletons(n: int) -> ConceptClass:
    return Explicit(np.eye(n, dtype=int))


def part(concepts: Collection[tuple[int, ...]], x: int, y: int) -> Concepts:
    return frozenset(concept for concept in concepts if concept[x] == y)


def value_of_the_game(concepts: Concepts) -> int:
    """What the best learner without coins errs against the best adversary: it picks x, the learner says 0 or 1, it picks y.

    The rules and nothing else: an example on which all agree costs nothing and brings nothing, so it is no move.
    """

    @cache
    def value(left: Concepts) -> int:
        worst = 0
        for x in range(len(next(iter(left)))):
            if all(part(left, x, y) for y in (0, 1)):
                after = [max((said != y) + value(part(left, x, y)) for y in (0, 1)) for said in (0, 1)]
                worst = max(worst, min(after))
        return worst

    return value(concepts)


def most_mistakes(concepts: Concepts, says: Callable[[Concepts, int], int]) -> int:
    """The most that a learner errs on any stream that some concept fits, if it says so when these concepts are left."""

    @cache
    def value(left: Concepts) -> int:
        worst = 0
        for x in range(len(next(iter(left)))):
            said = says(left, x)
            for y in (0, 1):
                after = part(left, x, y)
                if after and (after != left or said != y):
                    worst = max(worst, (said != y) + (value(after) if after != left else 0))
        return worst

    return value(concepts)


def saying(kind: type[ClassLearner]) -> Callable[[Concepts, int], int]:
    """What the product's learner says where these concepts are left, in this order."""

    @cache
    def learner(left: Concepts) -> ClassLearner:
        return kind(sorted(left))

    return lambda left, x: (learner(left).predict(x).label + 1) // 2


class Whim:
    """A learner without coins that says whatever it likes: a hash of what happened before."""

    def __init__(self, seed: int) -> None:
        self.history: tuple[object, ...] = (seed,)

    def predict(self, x: object) -> th.Prediction:
        return th.Prediction(random.Random(repr((self.history, x))).choice((-1, +1)), 0.0)

    def learn(self, x: object, y: Any, weight: float = 1.0) -> th.Round:
        played = th.Round(len(self.history), x, self.predict(x), y, changed=True, weight=weight)
        self.history += ((x, y),)
        return played


def check_realisable(concepts: ConceptClass, rounds: Sequence[th.Round]) -> None:
    """Every round was a mistake, and some concept fits them all."""
    assert all(played.mistake for played in rounds)
    fits = np.ones(concepts.size, dtype=bool)
    for played in rounds:
        fits &= unpack(concepts.values(played.example), concepts.size) == (played.label == +1)
    assert fits.any()


# ------------------------------------------------------------------------------------------------ Consistent and Halving


@pytest.mark.parametrize("n", [1, 2, 5, 40, 150])
def test_consistent_is_forced_to_all_but_one(n: int) -> None:
    learner = th.Consistent(singletons(n))
    rounds = force(Sparing(singletons(n)), learner)
    assert learner.mistakes == len(rounds) == n - 1 == learner.proven.at_most
    check_realisable(singletons(n), rounds)
    assert [played.example for played in rounds] == list(range(n - 1))


@pytest.mark.parametrize("k", [1, 2, 3, 8, 14])
def test_halving_is_forced_to_the_logarithm(k: int) -> None:
    learner = th.Halving(AllFunctions(k))
    rounds = force(Sparing(AllFunctions(k)), learner)
    assert learner.mistakes == len(rounds) == k == learner.proven.at_most
    assert learner.left == 1
    check_realisable(AllFunctions(k), rounds)


@pytest.mark.parametrize(
    ("key", "learner"), [("hal_forced_k3", th.Halving(AllFunctions(3))), ("con_forced_5", th.Consistent(singletons(5)))]
)
def test_sparing_plays_the_golden_streams(key: str, learner: ClassLearner) -> None:
    golden = GOLDEN[key]
    rounds = force(Sparing(learner.concepts), learner)
    assert [[played.example, (played.label + 1) // 2] for played in rounds] == golden["stream"]
    assert learner.mistakes == golden["M"]


@small
def test_sparing_leaves_a_concept_and_never_an_easy_round(concepts: ConceptClass) -> None:
    for learner in (th.Consistent(concepts), th.Halving(concepts), th.Optimal(concepts), Whim(1)):
        rounds = force(Sparing(concepts), learner, most=30)
        check_realisable(concepts, rounds)
        if isinstance(learner, ClassLearner):
            assert len(rounds) <= learner.proven.at_most


@small
def test_no_stream_forces_more_than_is_proven(concepts: ConceptClass) -> None:
    """Every stream there is, not those of an adversary alone."""
    rows = table(concepts)
    for kind in (th.Consistent, th.Halving, th.Optimal):
        assert most_mistakes(rows, saying(kind)) <= kind(sorted(rows)).proven.at_most
    assert most_mistakes(rows, saying(th.Optimal)) == littlestone_dimension(concepts)


@pytest.mark.parametrize("n", [2, 4, 6])
def test_what_each_learner_errs_at_most_where_one_point_is_plus(n: int) -> None:
    """With the concept of the last point first, Consistent still errs on all but one; the other two once."""
    rows = table(singletons(n))
    found = [most_mistakes(rows, saying(kind)) for kind in (th.Consistent, th.Halving, th.Optimal)]
    assert found == [n - 1, 1, 1]


def test_halving_is_not_optimal() -> None:
    """Eight concepts on which Halving can be made to err three times, and Optimal only twice."""
    bits = "0001 0010 0101 0110 1000 1010 1011 1110"
    rows = frozenset(tuple(int(bit) for bit in concept) for concept in bits.split())
    assert most_mistakes(rows, saying(th.Halving)) == 3 == th.bounds.halving(len(rows)).at_most
    assert most_mistakes(rows, saying(th.Optimal)) == 2 == littlestone_dimension(sorted(rows)) == value_of_the_game(rows)


# ------------------------------------------------------------------------------------------------ the value of the game


@small
def test_the_value_of_the_game_is_the_littlestone_dimension(concepts: ConceptClass) -> None:
    value = value_of_the_game(table(concepts))
    assert value == littlestone_dimension(concepts) == Shattering(concepts).value
    assert value == (th.bounds.optimal(value).at_most) <= th.bounds.halving(concepts.size).at_most


@settings(deadline=None, max_examples=60)
@given(
    rows=st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 1)] * n), min_size=1, max_size=10)),
    seed=st.integers(0, 99),
)
def test_in_both_directions_on_any_small_class(rows: list[tuple[int, ...]], seed: int) -> None:
    adversary, value = Shattering(rows), value_of_the_game(frozenset(rows))
    assert adversary.value == value
    assert most_mistakes(frozenset(rows), saying(th.Optimal)) == value
    assert len(force(adversary, th.Optimal(rows))) == value
    rounds = force(adversary, Whim(seed))
    assert len(rounds) >= value
    check_realisable(adversary.concepts, rounds)


@small
@pytest.mark.parametrize("seed", range(5))
def test_shattering_spares_no_learner(concepts: ConceptClass, seed: int) -> None:
    adversary = Shattering(concepts)
    for learner in (th.Consistent(concepts), th.Halving(concepts), th.Optimal(concepts), Whim(seed)):
        rounds = force(adversary, learner)
        assert len(rounds) >= adversary.value
        check_realisable(concepts, rounds)
    assert len(force(adversary, th.Optimal(concepts))) == adversary.value


def open_positions(left: Concepts) -> set[tuple[Concepts, int]]:
    """Each example on which not all agree, here and in whatever can be left after it."""
    found = set()
    for x in range(len(next(iter(left)))):
        parts = [part(left, x, y) for y in (0, 1)]
        if all(parts):
            found |= {(left, x)}.union(*(open_positions(then) for then in parts))
    return found


@pytest.mark.parametrize(("concepts", "rules", "most"), [(Thresholds(range(3)), 2**10, 3), (AllFunctions(2), 2**6, 2)])
def test_no_rule_at_all_does_better(concepts: ConceptClass, rules: int, most: int) -> None:
    """Every rule there is from what is left and the example to a label: the best of them errs as often as Optimal."""
    rows = table(concepts)
    positions = sorted(open_positions(rows), key=repr)
    assert 2 ** len(positions) == rules

    def follows(choice: int, left: Concepts, x: int) -> int:
        return choice >> positions.index((left, x)) & 1 if (left, x) in positions else next(iter(left))[x]

    worst = [most_mistakes(rows, partial(follows, choice)) for choice in range(rules)]
    assert min(worst) == littlestone_dimension(concepts) == 2
    assert max(worst) == most


@pytest.mark.parametrize(
    ("concepts", "value"), [(Thresholds(range(500)), 8), (AllFunctions(9), 9), (Disjunctions(5, monotone=False), 6)]
)
def test_larger_classes(concepts: ConceptClass, value: int) -> None:
    adversary = Shattering(concepts)
    for learner in (th.Optimal(concepts), th.Halving(concepts), Whim(0)):
        assert len(force(adversary, learner)) >= adversary.value == value
    learner = th.Optimal(concepts)
    check_realisable(concepts, force(adversary, learner))
    assert learner.mistakes == value == learner.proven.at_most


def test_learners_of_other_kinds_play_too() -> None:
    concepts = Disjunctions(4, monotone=False)
    for learner in (th.Elimination(4), th.LiteralWinnow(4), th.Perceptron(4, bias=1.0)):
        rounds = force(Shattering(concepts), learner)
        assert len(rounds) >= 5
        check_realisable(concepts, rounds)
    assert len(force(Shattering(concepts), th.Elimination(4))) == th.bounds.elimination_textbook(4).at_most == 5


def test_adversaries_leave_the_learner_alone_and_may_be_played_again() -> None:
    for adversary in (Sparing(AllFunctions(3)), Shattering(AllFunctions(3))):
        learner = th.Halving(AllFunctions(3))
        next(adversary.against(learner))
        assert (learner.rounds, learner.left) == (0, 8)
        first, again = (force(adversary, th.Halving(AllFunctions(3))) for _ in range(2))
        assert first == again


def test_classes_that_are_too_large_for_an_adversary() -> None:
    with pytest.raises(th.ParameterError, match=r"found 1,048,576 kinds of examples .* expected at most 65,536"):
        Sparing(Disjunctions(20))
    with pytest.raises(th.ParameterError, match="tried up to 4,096"):
        Shattering(Disjunctions(20))
