"""The adversaries attain what theory says, on streams that are what they claim to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from tests.golden import GOLDEN, vector
from tests.plain_learners import PlainElimination, PlainMarginPerceptron, PlainWinnow
from thresher.adversaries import (
    AttributeErrors,
    Flips,
    Grazing,
    Greedy,
    Literals,
    OneByOne,
    Orthonormal,
    Spiral,
    TightFit,
    force,
    game_value,
    worst_sequence,
)
from thresher.linear.perceptron import TIES

# The product's learners, and plain ones that are nothing but the definition.
winnows = pytest.mark.parametrize("Winnow", [PlainWinnow, th.Winnow])
eliminations = pytest.mark.parametrize("Elimination", [PlainElimination, th.Elimination])
margin_perceptrons = pytest.mark.parametrize("MarginPerceptron", [PlainMarginPerceptron, th.MarginPerceptron])

ties = pytest.mark.parametrize("tie", sorted(TIES))
both = pytest.mark.parametrize("strict", [False, True])


def signed(label: int) -> int:
    """A golden 0/1 as −1/+1."""
    return 2 * label - 1


def bits(x: str | Iterable[float]) -> tuple[float, ...]:
    return tuple(float(v) for v in x)


def says(relevant: Iterable[int], x: Sequence[float]) -> int:
    return +1 if any(x[i] for i in relevant) else -1


def pairs(rounds: Iterable[th.Round]) -> list[tuple[tuple[float, ...], int]]:
    """The stream that was played."""
    return [(bits(cast("tuple[float, ...]", played.example)), played.label) for played in rounds]


def directions(rounds: Iterable[th.Round]) -> NDArray[np.float64]:
    """The examples signed by their labels, z = y·x, one a row."""
    return np.array([[y * v for v in x] for x, y in pairs(rounds)])


def promotions_at_most(n: int, strict: bool) -> int:
    """K: how often a weight that is never demoted can be promoted, threshold n, factor 2."""
    return n.bit_length() if strict else (n - 1).bit_length()


def can_be_forced(margin: float, epsilon: float) -> int:
    """The updates for which an example exists: after t of them the cosine u·w/‖w‖ is at least γ(t + 1)/f_t, and an update
    needs an x of margin γ that w sees under a cosine below (1 − ε)γ.
    """
    f, t = 1.0, 0
    while (cosine := margin * (t + 1) / f) < 1:
        least = margin * cosine - math.sqrt((1 - margin**2) * (1 - cosine**2))
        if least >= (1 - epsilon) * margin:
            break
        f, t = math.sqrt(f**2 + 2 * (1 - epsilon) * margin * f + 1), t + 1
    return t


class AlwaysYes:
    def predict(self, x: object) -> th.Prediction:
        return th.Prediction(+1, 0.0)

    def learn(self, x: object, y: th.Label, weight: float = 1.0) -> th.Round:
        return th.Round(1, x, self.predict(x), y, changed=False, weight=weight)


# ------------------------------------------------------------------------------------------------ playing


class Endless:
    def against(self, learner: th.Learner[Any], /) -> Iterator[tuple[tuple[float, ...], int]]:
        while True:
            yield (1.0,), -1


def test_a_game_ends_after_the_most_rounds() -> None:
    assert [len(force(Endless(), th.Perceptron(1), most=most)) for most in (0, 1, 7)] == [0, 1, 7]
    with pytest.raises(th.ParameterError, match="most = -1"):
        force(Endless(), th.Perceptron(1), most=-1)


def test_rounds_are_those_of_the_learner() -> None:
    learner = th.Perceptron(3)
    rounds = force(Orthonormal(3), learner)
    assert [played.t for played in rounds] == [1, 2, 3]
    assert learner.mistakes == sum(played.mistake for played in rounds)


def test_an_adversary_may_be_played_again() -> None:
    adversary = TightFit(8, {0, 1})
    first, again = (force(adversary, PlainWinnow(8)) for _ in range(2))
    assert pairs(first) == pairs(again)


# ------------------------------------------------------------------------------------------------ Perceptron


@ties
@pytest.mark.parametrize("k", [1, 2, 3, 10, 40])
def test_orthonormal_examples_attain_the_separable_bound(k: int, tie: str) -> None:
    learner = th.Perceptron(k, tie=tie)
    rounds = force(Orthonormal(k), learner)
    assert len(rounds) == learner.mistakes == k
    z = directions(rounds)  # ones and zeros: all of this is exact
    u = z.sum(axis=0)
    assert (z @ u == 1).all()
    assert ((z * z).sum(axis=1) == 1).all()
    assert (u * u).sum() == k  # so the bound is (R‖u‖/γ)² = k


@pytest.mark.parametrize("case", GOLDEN["perceptron_forced"])
def test_orthonormal_examples_are_the_golden_ones(case: dict[str, Any]) -> None:
    rounds = force(Orthonormal(case["k"]), th.Perceptron(case["k"], tie=case["tie"]))
    assert pairs(rounds) == [(bits(x), y) for x, y in case["stream"]]
    assert sum(played.mistake for played in rounds) == case["M"] == case["one_over_gamma_sq"]


def test_orthonormal_examples_spare_no_learner() -> None:
    assert all(played.mistake for played in force(Orthonormal(12), AlwaysYes()))


@ties
@pytest.mark.parametrize("k", [1, 2, 5, 29, 400])
def test_the_spiral_attains_the_bound_for_every_stream(k: int, tie: str) -> None:
    learner = th.Perceptron(2, tie=tie)
    rounds = force(Spiral(k), learner)
    assert learner.mistakes == k
    z = directions(rounds)
    assert np.hypot(*z.T) == pytest.approx(1, abs=1e-15)
    length = math.hypot(*learner.weights)
    assert length == pytest.approx(math.sqrt(k), rel=1e-9)
    margins = z @ learner.weights / length
    for margin in (margins.max(), 1.0, 3.0):
        distance = float(np.maximum(0, margin - margins).sum())
        bound = th.bounds.perceptron_distance(distance, margin=float(margin))
        assert bound.at_most == k
        assert bound.value == pytest.approx(k, rel=1e-8)


def test_nothing_separates_five_of_the_spiral() -> None:
    z = directions(force(Spiral(5), th.Perceptron(2)))
    first, fourth, fifth = z[0], z[3], z[4]
    alpha = np.linalg.solve(np.column_stack([first, fourth]), -fifth)
    assert (alpha > 0.1).all()  # a positive combination of three is 0 (Gordan)


# ------------------------------------------------------------------------------------------------ Margin Perceptron


@margin_perceptrons
@pytest.mark.parametrize(("margin", "updates"), [(0.5, 7), (0.3, 25), (0.2, 60), (0.1, 248), (0.07, 510)])
def test_grazing_examples_attain_the_recursion(MarginPerceptron: Any, margin: float, updates: int) -> None:
    adversary = Grazing(margin)
    rounds = force(adversary, MarginPerceptron(3, margin))
    assert [played.changed for played in rounds[1:]] == [True] * updates
    assert th.bounds.margin_perceptron_recursion(margin).at_most == updates
    z = directions(rounds)
    assert (z @ adversary.separator >= margin - 1e-9).all()
    assert np.linalg.norm(z, axis=1) == pytest.approx(1, abs=1e-9)


@margin_perceptrons
@pytest.mark.parametrize("epsilon", [0.1, 0.25, 0.5, 0.75, 0.9])
@pytest.mark.parametrize("margin", [0.15, 0.302, 0.4, 0.6, 0.9, 1.0])
def test_grazing_examples_force_all_that_can_be_forced(MarginPerceptron: Any, margin: float, epsilon: float) -> None:
    rounds = force(Grazing(margin, epsilon), MarginPerceptron(3, margin, epsilon=epsilon), most=3000)
    updates = sum(played.changed for played in rounds[1:])
    assert updates == can_be_forced(margin, epsilon)
    bound = th.bounds.margin_perceptron_recursion(margin, epsilon=epsilon).at_most
    assert bound is not None
    assert bound - 1 <= updates <= bound


# ------------------------------------------------------------------------------------------------ Elimination


@eliminations
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_flips_force_n_plus_one_minus_r(Elimination: Any, n: int) -> None:
    for r in range(n + 1):
        target = {n - 1 - i: i % 3 != 1 for i in range(r)}  # some literals are negated
        learner = Elimination(n)
        rounds = force(Flips(n, target), learner)
        assert learner.mistakes == len(rounds) == n + 1 - r == th.bounds.elimination(n, r=r).at_most
        assert all(played.label == -1 for played in rounds)
        assert not any(x[i] == sign for x, _ in pairs(rounds) for i, sign in target.items())


@eliminations
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_flips_force_n_minus_r_of_the_monotone_variant(Elimination: Any, n: int) -> None:
    for r in range(n + 1):
        learner = Elimination(n, monotone=True)
        rounds = force(Flips(n, dict.fromkeys(range(r), True)), learner)
        assert learner.mistakes == len(rounds) == n - r == th.bounds.elimination(n, r=r, monotone=True).at_most
        assert not any(x[i] for x, _ in pairs(rounds) for i in range(r))


@eliminations
@pytest.mark.parametrize("case", GOLDEN["elim_forced"])
def test_flips_are_the_golden_streams(Elimination: Any, case: dict[str, Any]) -> None:
    target = {i: bool(sign) for i, sign in case.get("target_literals", [])}
    rounds = force(Flips(case["n"], target), Elimination(case["n"]))
    assert pairs(rounds) == [(bits(x), signed(y)) for x, y in case["stream"]]
    assert sum(played.mistake for played in rounds) == case["M"]


# ------------------------------------------------------------------------------------------------ Winnow


@winnows
@both
@pytest.mark.parametrize(("n", "r"), [(1, 1), (2, 1), (8, 3), (8, 8), (100, 2)])
def test_one_by_one_forces_every_promotion(Winnow: Any, n: int, r: int, strict: bool) -> None:
    learner = Winnow(n, strict=strict)
    rounds = force(OneByOne(n, set(range(n - r, n))), learner)
    assert learner.mistakes == len(rounds) == r * promotions_at_most(n, strict)
    assert all(says(range(n - r, n), x) == y for x, y in pairs(rounds))


@winnows
@pytest.mark.parametrize(
    ("n", "r", "strict", "ahead", "attained", "bound"),
    [
        (8, 2, False, 1, 13, 15),
        (8, 2, False, 2, 14, 15),
        (8, 2, True, 1, 16, 17),
        (16, 1, False, 1, 10, 11),
        (16, 2, False, 1, 20, 21),
        (16, 2, True, 1, 22, 23),
        (100, 2, False, 1, 35, 38),
        (100, 2, False, 2, 37, 38),
    ],
)
def test_tight_fits_come_close_to_the_sharp_bound(
    Winnow: Any, n: int, r: int, strict: bool, ahead: int, attained: int, bound: int
) -> None:
    learner = Winnow(n, strict=strict)
    rounds = force(TightFit(n, set(range(r)), ahead=ahead), learner)
    assert th.bounds.winnow_disjunction(r, n=n, strict=strict).at_most == bound
    assert learner.mistakes == len(rounds) == attained
    assert all(says(range(r), x) == y for x, y in pairs(rounds))


@winnows
@pytest.mark.parametrize(("factor", "threshold"), [(2.0, 16.0), (3.0, 16.0), (1.5, 20.0), (2.0, 5.0)])
def test_every_mistake_costs_one_of_the_potential(Winnow: Any, factor: float, threshold: float) -> None:
    adversary = TightFit(16, {4, 9}, threshold=threshold, factor=factor)
    learner = Winnow(16, threshold=threshold, factor=factor)
    before = adversary.potential(learner)
    assert before == pytest.approx(factor * 16 / ((factor - 1) * threshold))
    for x, y in adversary.against(learner):
        assert learner.learn(x, y).mistake
        after = adversary.potential(learner)
        assert after <= before - 1 + 1e-9
        before = after


@winnows
@pytest.mark.parametrize(("least", "of", "factor"), [(2, 4, 1.25), (2, 2, 1.5), (3, 5, 7 / 6)])
def test_tight_fits_of_a_threshold_cost_one_of_the_potential_each_and_keep_to_it(
    Winnow: Any, least: int, of: int, factor: float
) -> None:
    adversary = TightFit(16, frozenset(range(of)), factor=factor, least=least)
    learner = Winnow(16, factor=factor)
    before, mistakes = adversary.potential(learner), 0
    for x, y in adversary.against(learner):
        assert y == (+1 if sum(x[:of]) >= least else -1)
        assert learner.learn(x, y).mistake
        after = adversary.potential(learner)
        assert after <= before - 1 + 1e-9
        before, mistakes = after, mistakes + 1
    bound = th.bounds.winnow_threshold(of / least, delta=1 / least, n=16, factor=factor).at_most
    assert 0.33 * bound < mistakes <= bound


@winnows
@pytest.mark.parametrize(("n", "errors", "attained", "bound"), [(8, 0, 13, 19), (8, 20, 72, 79), (16, 50, 169, 175)])
def test_each_attribute_error_gives_three_mistakes_more(Winnow: Any, n: int, errors: int, attained: int, bound: int) -> None:
    learner = Winnow(n)
    rounds = force(AttributeErrors(n, {0, 1}, errors), learner)
    wrong = [int(x[0] + x[1] == 0) if y == +1 else int(x[0] + x[1]) for x, y in pairs(rounds)]
    assert sum(wrong) == errors
    assert max(wrong) <= 1
    assert th.bounds.winnow_agnostic(2, errors=errors, n=n).at_most == bound
    assert learner.mistakes == len(rounds) == attained


@pytest.mark.parametrize("learner", [th.Perceptron, th.BalancedWinnow, PlainWinnow])
@pytest.mark.parametrize("k", [0, 1, 4])
def test_every_learner_errs_on_each_halving_of_the_literals(k: int, learner: Callable[[int], Any]) -> None:
    rounds = force(Literals(k), learner(2**k))
    assert [played.mistake for played in rounds] == [True] * (k + 1)
    true = [(j, sign) for j in range(2**k) for sign in (-1, 1) if all(sign * x[j] == y for x, y in pairs(rounds))]
    assert len(true) == 1


@pytest.mark.parametrize("k", [3, 6])
def test_literals_force_all_that_balanced_winnow_is_allowed(k: int) -> None:
    learner = th.BalancedWinnow(2**k, eta=math.atanh(0.999))
    force(Literals(k), learner)
    assert learner.mistakes == th.bounds.balanced_winnow_tuned(0.999, n=2**k).at_most == k + 1


@winnows
def test_the_golden_greedy_stream_forces_seventeen(Winnow: Any) -> None:
    golden = GOLDEN["winnow_greedy_n16_r2"]
    learner = Winnow(16)
    rounds = [learner.learn(bits(x), signed(y)) for x, y in golden["stream"]]
    assert learner.mistakes == golden["M"] == 17
    assert sum(played.mistake and played.label == +1 for played in rounds) == golden["M_plus"]
    assert sum(played.mistake and played.label == -1 for played in rounds) == golden["M_minus"]
    assert [Fraction(w) for w in learner.weights] == vector(golden["w_final"])
    assert all(says((0, 1), bits(x)) == signed(y) for x, y in golden["stream"])


@winnows
def test_the_same_input_can_be_missed_twice(Winnow: Any) -> None:
    golden = GOLDEN["winnow_same_input_twice"]
    learner = Winnow(golden["n"], strict=golden["strict"])
    for row in golden["rounds"]:
        played = learner.learn(bits(row["x"]), signed(row["y"]))
        assert (played.prediction.label, played.mistake) == (signed(row["pred"]), bool(row["mistake"]))
        assert [Fraction(w) for w in learner.weights] == vector(row["w_after"])
    assert learner.mistakes == golden["M"]


# ------------------------------------------------------------------------------------------------ greedy


def test_greedy_without_a_potential_plays_the_first_mistake() -> None:
    pool = [((1.0, 0.0), +1), ((1.0, 0.0), -1), ((0.0, 1.0), -1)]
    first = next(Greedy[th.Perceptron](lambda learner: pool).against(th.Perceptron(2)))
    assert first == ((1.0, 0.0), -1)


def test_greedy_leaves_the_learner_alone() -> None:
    learner = PlainWinnow(8)
    next(TightFit(8, {0, 1}, ahead=3).against(learner))
    assert (learner.rounds, learner.weights.tolist()) == (0, [1.0] * 8)


def test_looking_ahead_sees_the_longer_way() -> None:
    """Of two mistakes the first in the pool ends the game: w = (−3, −1) is right on all."""
    pool = [((3.0, 1.0), -1), ((1.0, 0.0), -1), ((0.0, 1.0), -1)]
    greedy = [Greedy[th.Perceptron](lambda learner: pool, ahead=ahead) for ahead in (1, 2)]
    assert [len(force(adversary, th.Perceptron(2))) for adversary in greedy] == [1, 2]


# ------------------------------------------------------------------------------------------------ bad parameters


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Orthonormal(0), "k = 0"),
        (lambda: Spiral(-2), "k = -2"),
        (lambda: Grazing(0.0), "margin = 0.0"),
        (lambda: Grazing(1.5), "margin = 1.5"),
        (lambda: Grazing(0.5, 1.0), "epsilon = 1.0"),
        (lambda: Flips(3, {3: True}), "variable 3 .* from 0 to 2"),
        (lambda: OneByOne(3, {0, -1}), "variable -1"),
        (lambda: TightFit(3, {5}), "variable 5"),
        (lambda: TightFit(3, {0}, factor=1.0), "factor = 1.0"),
        (lambda: TightFit(3, {0, 1}, least=2), "factor = 2.0, expected one below 2 for at least 2"),
        (lambda: TightFit(3, {0}, least=0), "least = 0"),
        (lambda: AttributeErrors(3, {0}, -1), "errors = -1"),
        (lambda: AttributeErrors(3, {3}, 1), "relevant variable 3"),
        (lambda: Literals(-1), "k = -1"),
        (lambda: TightFit(3, {0}, threshold=0.5), "threshold = 0.5"),
        (lambda: Greedy(lambda learner: [], ahead=0), "ahead = 0"),
        (lambda: game_value(3, 4), "r = 4"),
        (lambda: worst_sequence(0, 0), "n = 0"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], match: str) -> None:
    with pytest.raises(th.ParameterError, match=match):
        make()


def test_an_adversary_says_what_it_cannot_play_against() -> None:
    with pytest.raises(th.ParameterError, match="found 8 weights in Winnow, but this adversary plays against 16"):
        force(TightFit(16, {0, 1}), th.Winnow(8))
