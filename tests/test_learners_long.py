"""Long runs: weights that fall to the floor and come back, sums that are folded and swept, margins that are halved."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import thresher as th
from tests.oracles import everything

# ---- Winnow -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [2.0, 1.5, 3.0, 2.0**20])
def test_a_weight_never_falls_below_its_floor_and_comes_back(factor: float) -> None:
    learner, lever = th.Winnow(2, threshold=2, factor=factor), 1
    lowest = math.floor(-200 / math.log2(factor) + 1e-9) if factor == 2.0**20 else -math.floor(200 / math.log2(factor))
    for depth in range(1, 3 - 2 * lowest):
        while learner.predict({lever}).label == -1:
            learner.learn({lever}, +1)
        assert learner.learn({0, lever}, -1).demotion
        assert learner.state()[1]["exponents"][0] == max(-depth, lowest)
    assert 2.0**-200 <= learner.weights[0] < 2.0**-200 * factor
    for height in range(lowest + 1, 1):
        assert learner.learn({0}, +1).promotion
        assert learner.weights[0] == float(Fraction(factor) ** height)
    learner.learn({0}, +1)
    assert learner.predict({0}).label == +1 or factor < 2
    assert everything(pickle.loads(pickle.dumps(learner))) == everything(learner)


# ---- LiteralWinnow ------------------------------------------------------------------------------------------------


class Literals:
    """Winnow on (x, 1 − x) by whole exponents; sums have 90 digits."""

    def __init__(self, n: int, factor: float) -> None:
        self.exponents = [0] * (2 * n)
        self.power = cache(lambda exponent: Decimal(factor) ** exponent)

    def score(self, x: list[int]) -> Decimal:
        return sum((self.power(e) for e, v in zip(self.exponents, self.doubled(x), strict=True) if v), Decimal(0))

    def move(self, x: list[int], y: int) -> None:
        self.exponents = [e + y * v for e, v in zip(self.exponents, self.doubled(x), strict=True)]

    @staticmethod
    def doubled(x: list[int]) -> list[int]:
        return [*x, *(1 - v for v in x)]


def check_literal_run(learner: th.LiteralWinnow, rounds: int, towards: int) -> int:
    """Asserts that contrary labels lead both the same way, where rows are chosen for many steps `towards` one side.

    Returns how often the common exponent was folded.
    """
    arguments = learner.state()[0]["arguments"]
    n, theta, factor = learner.n, Decimal(arguments["threshold"]), arguments["factor"]
    oracle, folds, before, random = Literals(n, factor), 0, 0.0, np.random.default_rng(3)
    with localcontext() as context:
        context.prec = 90
        for _ in range(rounds):
            rows = random.integers(0, 2, (64, n))
            gaps = learner.score_many(rows) - float(theta)
            above = np.where(gaps >= 0, gaps, gaps.max() - gaps)  # the least of them costs a demotion the least weight
            x = [int(v) for v in rows[np.argmin(gaps if towards > 0 else above)]]
            score = oracle.score(x)
            played = learner.learn(x, -learner.predict(x).label)
            assert played.prediction.score == pytest.approx(float(score), rel=1e-12)
            if abs(score - theta) > Decimal(learner.doubt):
                assert played.prediction.label == (1 if score > theta else -1)
            oracle.move(x, played.label)
            exponent = learner.state()[0]["heads"]["exponent"]
            folds += exponent == 0.0 and abs(before) > 1.0
            before = exponent
        expected = [float(oracle.power(e)) for e in oracle.exponents]
    assert min(expected) > 2.0**-200  # so that no floor was touched
    assert [*learner.weights, *learner.negated_weights] == pytest.approx(expected, rel=1e-12)
    assert learner.doubt < 1e-12 * (float(theta) + 2 * n)
    assert everything(pickle.loads(pickle.dumps(learner))) == everything(learner)
    return folds


@pytest.mark.parametrize(("factor", "rounds"), [(2.0, 600), (1.5, 2000)])
def test_many_demotions_are_folded_without_a_trace(factor: float, rounds: int) -> None:
    assert check_literal_run(th.LiteralWinnow(12, threshold=12, factor=factor), rounds, towards=-1) >= 1


@pytest.mark.parametrize(("factor", "rounds"), [(2.0, 250), (1.5, 400), (1.01, 9000)])
def test_many_promotions_are_folded_without_a_trace(factor: float, rounds: int) -> None:
    assert check_literal_run(th.LiteralWinnow(5, threshold=2.0**63, factor=factor), rounds, towards=+1) >= 1


@pytest.mark.parametrize("factor", [1.01, 1.5, 2.0, 1000.0])
@pytest.mark.parametrize("weight", [3.0, 20.0, 99.0, 500.0, 1e6, 2.0**150])
def test_a_heavy_example_moves_only_the_literals_that_are_true(factor: float, weight: float) -> None:
    down = th.LiteralWinnow(3, threshold=1, factor=factor)
    floor, ceiling = factor ** -(200 // math.log2(factor)), factor ** (300 // math.log2(factor))
    down.learn([1, 0, 0], -1, weight)
    lowered = max(float(np.exp2(-min(weight * math.log2(factor), 1000.0))), floor)
    assert [*down.weights, *down.negated_weights] == pytest.approx([lowered, 1, 1, 1, lowered, lowered], rel=0.01)
    up = th.LiteralWinnow(3, threshold=7, factor=factor)
    up.learn([1, 0, 0], +1, weight)
    raised = min(float(np.exp2(min(weight * math.log2(factor), 1000.0))), ceiling)
    assert [*up.weights, *up.negated_weights] == pytest.approx([raised, 1, 1, 1, raised, raised], rel=0.01)
    for learner in (down, up):
        assert everything(pickle.loads(pickle.dumps(learner))) == everything(learner)


def test_a_sum_that_was_far_larger_is_taken_anew() -> None:
    learner = th.LiteralWinnow(5, threshold=1, factor=1.5)
    assert learner.learn({0}, -1, 160.0).demotion  # its own weight and every negation but its own, over all of which it towers
    assert learner.learn({0, 1}, -1, 0.7).demotion
    assert learner.learn({0, 1}, +1, 0.3).promotion
    assert learner.learn({0}, +1, 160.4).promotion  # and back
    own = float(learner.negated_weights.sum())
    assert own == pytest.approx(4.0, rel=0.5)
    assert learner.predict({}).score == pytest.approx(own, rel=1e-12)
    assert learner.doubt < 1e-9


def test_the_doubt_covers_what_heavy_examples_do_to_a_score() -> None:
    for seed in range(200):
        random = np.random.default_rng(seed)
        learner = th.LiteralWinnow(4, threshold=random.uniform(1, 9), factor=1 + 10 ** random.uniform(-3, 2))
        for x in random.random((10, 4)).round(1):
            own = float(learner.weights @ x + learner.negated_weights @ (1 - x))
            played = learner.learn(x, -learner.predict(x).label, 10 ** random.uniform(-2, 3))
            assert abs(played.prediction.score - own) <= learner.doubt + 1e-9 * own


# ---- BalancedWinnow -----------------------------------------------------------------------------------------------


def log_domain_score(theta: list[Fraction], x: list[float], eta: float) -> Decimal:
    """The score in decimals whose exponents have no end."""
    scaled = [Decimal(t.numerator) / Decimal(t.denominator) * Decimal(eta) for t in theta]
    total = sum((s.exp() + (-s).exp() for s in scaled), Decimal(0))
    return sum(((s.exp() - (-s).exp()) * Decimal(v) for s, v in zip(scaled, x, strict=True)), Decimal(0)) / total


@pytest.mark.parametrize(
    ("eta", "heavy"), [(0.5, 1.0), (0.5, 900.0), (20.0, 1.0), (190.0, 1.0), (3000.0, 1.0), (2.0**20, 2.0**10)]
)
def test_weights_that_leave_every_scale_and_come_back_keep_their_proportions(eta: float, heavy: float) -> None:
    n, random = 4, np.random.default_rng(int(eta))
    learner, theta = th.BalancedWinnow(n, eta=eta), [Fraction(0)] * n
    sweeps = offset = 0.0
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**12, -(10**12)
        for t in range(120):
            x = [float(v) for v in (random.choice([0.0, 0.25, 0.5, 1.0, -1.0, -0.75], n))]
            weight = heavy if t % 3 else 1.0
            y = -learner.predict(x).label if t % 4 else int(random.choice([-1, 1]))
            score = log_domain_score(theta, x, eta)
            played = learner.learn(x, y, weight)
            assert played.prediction.score == pytest.approx(float(score), rel=1e-8, abs=1e-12)
            if played.changed:
                theta = [t + y * Fraction(weight) * Fraction(v) for t, v in zip(theta, x, strict=True)]
            heads = learner.state()[0]["heads"]
            sweeps += heads["offset"] != offset
            offset = heads["offset"]
    assert learner.state()[1]["exponents"].tolist() == [float(t) for t in theta]
    assert sweeps >= (heavy > 1.0 or eta > 200.0)
    assert everything(pickle.loads(pickle.dumps(learner))) == everything(learner)


@pytest.mark.parametrize("eta", [30.0, 60.0, 190.0, 300.0])
def test_a_sum_that_towered_over_the_rest_has_not_forgotten_it(eta: float) -> None:
    learner = th.BalancedWinnow(100, eta=eta)
    for y in (-1, +1):  # there and back again
        assert learner.learn({0: 1.0, 1: 0.9}, y).changed
    learner.learn({2: 2.0**-10}, -1)
    half = eta * 2.0**-10
    assert learner.predict({2: 1.0}).score == pytest.approx(-math.sinh(half) / (99 + math.cosh(half)), rel=1e-12)
    assert everything(pickle.loads(pickle.dumps(learner))) == everything(learner)
    assert learner.farthest == eta


# ---- MarginPerceptron ---------------------------------------------------------------------------------------------


def narrow(slope: float, copies: int = 1) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], list[int], float]:
    """Two examples whose best margin is known: the unit vector (0, 1) has it."""
    X = np.array([[1.0, slope], [1.0, -slope]] * copies)
    return X, [+1, -1] * copies, slope / math.hypot(1.0, slope)


@pytest.mark.parametrize("slope", [1.0, 0.5, 0.2, 0.05, 0.02])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_no_margin_that_some_vector_has_is_called_impossible(slope: float, epsilon: float) -> None:
    X, y, best = narrow(slope, copies=3000)
    learner = th.MarginPerceptron(2, None, epsilon=epsilon)
    learner.learn_many(X, y)
    assert all(margin > best for margin in learner.impossible)
    assert learner.impossible == [2.0**-k for k in range(len(learner.impossible))]
    assert learner.margin == 2.0 ** -len(learner.impossible)
    assert everything(pickle.loads(pickle.dumps(learner))) == everything(learner)


def test_halving_begins_again_from_nothing() -> None:
    X, y, _ = narrow(0.2, copies=10)
    learner = th.MarginPerceptron(2, None)
    for x, label in zip(X, y, strict=True):
        learner.learn(x, label)
        if learner.impossible:
            break
    heads = learner.state()[0]["heads"]
    assert (learner.weights.tolist(), heads["square"], heads["steps"], heads["margin"]) == ([0.0, 0.0], 0.0, 0.0, 0.5)
    assert learner.updates == 10  # 8 is what a margin of 1 allows after the first


@pytest.mark.parametrize("slope", [1.0, 0.3, 0.05])
@pytest.mark.parametrize("hoped", [None, 0.04])
def test_training_ends_with_the_margin_it_tells(slope: float, hoped: float | None) -> None:
    X, y, best = narrow(slope)
    learner = th.MarginPerceptron(2, hoped)
    trained = learner.train_to_margin(X, y)
    w = learner.weights / np.linalg.norm(learner.weights)
    margins = y * (X @ w) / np.linalg.norm(X, axis=1)
    assert trained.reached
    assert trained.margin == 0.5 * learner.margin
    assert min(margins) >= trained.margin * (1 - 1e-12)
    assert trained.margin <= best
    assert trained.updates == learner.updates
    assert trained.passes * len(X) == learner.rounds
    assert learner.learn_many(X, y).updates == 0
    if hoped is not None:
        assert learner.updates - 1 <= th.bounds.margin_perceptron_recursion(hoped).at_most


def test_a_margin_that_no_vector_has_is_told() -> None:
    X, y, _ = narrow(0.2)
    with pytest.raises(
        th.NotRealizable, match=r"found \d+ updates, expected at most \d+: so no unit vector has a margin of 0.9"
    ):
        th.MarginPerceptron(2, 0.9).train_to_margin(X, y)
    with pytest.raises(th.NotRealizable):
        th.MarginPerceptron(1, 0.5).train_to_margin([[1.0], [1.0]], [+1, -1])


def test_steps_of_other_weights_prove_nothing() -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]], [+1, +1]  # of margin √½
    halving, given = th.MarginPerceptron(2, None), th.MarginPerceptron(2, 0.7)
    for t in range(1000):
        for learner in (halving, given):
            learner.learn(X[t % 50 > 0], +1, 1.0 if t % 50 == 0 else 1e-9)
    assert halving.margin < 0.5
    assert halving.impossible in ([], [1.0])
    assert given.train_to_margin(X, y).reached
    again = pickle.loads(pickle.dumps(halving))
    again.learn_many(np.tile([1.0, 0.0], (400_000, 1)), [+1, -1] * 200_000)  # now everything is refuted, by steps of weight 1
    assert again.impossible == [2.0**-k for k in range(len(again.impossible))]
    assert again.impossible[-1] == 2 * again.margin < halving.margin


def test_what_was_learned_before_counts_and_is_told() -> None:
    learner = th.MarginPerceptron(1, 0.5)
    learner.learn_many([[1.0]] * 80, [+1, -1] * 40)
    with pytest.raises(th.NotRealizable, match="on all that was learned"):
        learner.train_to_margin([[1.0]], [-1])


def test_a_norm_that_was_far_larger_is_taken_anew() -> None:
    for seed in range(200):
        random = np.random.default_rng(seed)
        learner = th.MarginPerceptron(3, 0.5, bias=0.3 if seed % 2 else None)
        X, heavy = random.standard_normal((4, 3)), 10 ** random.uniform(-3, 12, 4)
        for t in (*range(4), *range(4)):  # there and back again, as far as it moves
            learner.learn(X[t], -learner.predict(X[t]).label, heavy[t])
            own = float(learner.weights @ learner.weights) + learner.bias_weight**2
            assert learner.state()[0]["heads"]["square"] == pytest.approx(own, rel=1e-6)
            assert everything(pickle.loads(pickle.dumps(learner))) == everything(learner)


def test_training_that_cannot_end_says_that_it_did_not() -> None:
    learner = th.MarginPerceptron(1, None)
    trained = learner.train_to_margin([[1.0], [1.0]], [+1, -1], most_passes=50)
    assert (trained.reached, trained.margin, trained.passes, trained.updates) == (False, 0.0, 50, learner.updates)
    assert learner.impossible[:2] == [1.0, 0.5]
    X, y, _ = narrow(0.05)
    assert not th.MarginPerceptron(2, 0.04).train_to_margin(X, y, most_passes=1).reached


# ---- Elimination --------------------------------------------------------------------------------------------------


def test_elimination_over_many_attributes_keeps_exactly_what_no_negative_example_met() -> None:
    n, random = 300, np.random.default_rng(2)
    X = random.random((400, n)) < 0.05
    target = [3, 77]
    y = np.where(X[:, target].any(axis=1), 1, -1)
    for monotone in (False, True):
        learner = th.Elimination(n, monotone=monotone)
        learner.learn_many(X, y)
        attributes, negations = learner.left
        assert attributes[target].all()
        assert not attributes[X[y < 0].any(axis=0)].any()
        assert learner.refuted_at is None
        assert learner.mistakes == learner.updates <= n + 1
        assert not (negations & (monotone | ~X[y < 0].all(axis=0))).any()
