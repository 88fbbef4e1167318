"""Winnow's and Elimination's certificates: bounds that adversaries attain, floors, ties, and what each verdict needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.exactly import DIGITS, Rows, decimal, entered, ln, most_promotions, verdicts
from tests.streams import by_theorem
from thresher._core import WinnowRule
from thresher.adversaries import Flips, OneByOne, TightFit, force, worst_sequence
from thresher.bounds import Verdict
from thresher.linear import LinearLearner


@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("monotone", [False, True])
def test_eliminations_bound_is_attained_for_every_r(n: int, monotone: bool) -> None:
    for r in range(n + 1):
        learner, ledger = th.Elimination(n, monotone=monotone), th.Ledger(th.Disjunction(n, range(r)))
        for played in force(Flips(n, dict.fromkeys(range(r), True)), learner):
            ledger.enter(played)
        if ledger.rounds:
            (certificate,) = ledger.certificates()
            assert certificate.verdict is Verdict.CERTIFIED
            assert certificate.count == certificate.bound.at_most == n + (not monotone) - r
        else:
            assert n + (not monotone) - r == 0


@pytest.mark.parametrize(("n", "r", "strict", "mistakes", "most"), [(8, 2, False, 14, 15), (8, 2, True, 16, 17)])
def test_the_worst_streams_of_winnow_come_within_one_of_the_certificate(
    n: int, r: int, strict: bool, mistakes: int, most: int
) -> None:
    learner = th.Winnow(n, strict=strict)
    ledger = entered(learner, [(list(x), y) for x, y in worst_sequence(n, r, strict=strict)], th.Disjunction(n, range(r)))
    certificate = by_theorem(ledger)["Winnow, disjunction"]
    assert (certificate.verdict, certificate.count, certificate.bound.at_most) == (Verdict.CERTIFIED, mistakes, most)


def test_tight_fits_make_twenty_of_the_twenty_one_that_are_certified() -> None:
    learner, ledger = th.Winnow(16), th.Ledger(th.Disjunction(16, {0, 1}))
    for played in force(TightFit(16, {0, 1}), learner):
        ledger.enter(played)
    certificate = by_theorem(ledger)["Winnow, disjunction"]
    assert (certificate.verdict, certificate.count, certificate.bound.at_most) == (Verdict.CERTIFIED, 20, 21)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("factor", "threshold"), [(2.0, 12.0), (1.5, 5.0), (3.6, 1.0), (1.01, 4.0)])
def test_adversaries_stay_within_what_is_certified_in_three_passes_too(factor: float, threshold: float, strict: bool) -> None:
    for relevant in ({0}, {0, 5, 11}, set(range(11))):
        learner = th.Winnow(12, factor=factor, threshold=threshold, strict=strict)
        rows: Rows = []
        for x, y in islice(TightFit(12, relevant, threshold, factor).against(learner), 300):
            learner.learn(x, y)
            rows.append((list(x), y))
        mu = np.array([float(i in relevant) for i in range(12)])
        comparators = th.Disjunction(12, relevant), th.Cover(mu), th.Threshold(mu, delta=0.99)
        ledger = entered(th.Winnow(12, factor=factor, threshold=threshold, strict=strict), rows * 3, *comparators)
        assert verdicts(ledger) == {Verdict.CERTIFIED}
        assert by_theorem(ledger)["Winnow, disjunction"].count >= learner.mistakes


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("n", [1, 3, 8])
def test_one_by_one_attains_the_certificate_of_all_attributes(n: int, strict: bool) -> None:
    learner, ledger = th.Winnow(n, strict=strict), th.Ledger(th.Disjunction(n, range(n)))
    for played in force(OneByOne(n, set(range(n))), learner):
        ledger.enter(played)
    if ledger.rounds:
        certificate = by_theorem(ledger)["Winnow, disjunction"]
        assert certificate.verdict is Verdict.CERTIFIED
        assert certificate.count == certificate.bound.at_most == n * most_promotions(Fraction(n), Fraction(2), strict)


def test_fractional_rows_void_what_is_proven_for_binary_ones_alone() -> None:
    rows: Rows = [([1.0, 0.5], +1), ([0.0, 1.0], -1)]
    for learner in (th.Winnow(2), th.LiteralWinnow(2)):
        ledger = entered(learner, rows, th.Disjunction(2, {0}))
        assert verdicts(ledger) == {Verdict.VOID}
        assert "examples are of zeros and ones (1 are not)" in str(ledger.certificates()[0])
    assert verdicts(entered(th.Winnow(2), rows, th.Cover([1, 0]))) == {Verdict.VOID}
    found = by_theorem(entered(th.Winnow(2, factor=1.25), rows, th.Threshold([1, 0], delta=0.5)))
    assert found["Winnow, threshold"].verdict is Verdict.VOID
    assert found["Winnow, relative entropy"].verdict is Verdict.CERTIFIED


def test_a_rule_whose_theorem_it_is_not_has_no_certificates() -> None:
    rows: Rows = [([1.0, 0.0], +1), ([0.0, 1.0], -1)]
    comparators: list[th.ledger.Comparator] = [th.Disjunction(2, {0}), th.Cover([1, 0]), th.Threshold([1, 0], delta=1.0)]
    additive: list[LinearLearner] = [th.Perceptron(2), th.MarginPerceptron(2, 0.5), th.BalancedWinnow(2)]
    for learner in additive:
        assert entered(learner, rows, *comparators).certificates() == []
    others: list[LinearLearner] = [th.Winnow(2), th.LiteralWinnow(2), th.Elimination(2)]
    for learner in others:
        assert entered(learner, rows, th.Separator([1.0, -1.0])).certificates() == []
    assert entered(th.Winnow(2), rows, th.Disjunction(2, (), {1})).certificates() == []
    assert entered(th.Elimination(2, monotone=True), rows, th.Disjunction(2, (), {1})).certificates() == []
    assert entered(th.LiteralWinnow(2), rows, *comparators[1:]).certificates() == []


WITNESSES: list[tuple[Callable[[], LinearLearner], Callable[[], th.ledger.Comparator]]] = [
    (lambda: th.Winnow(2), lambda: th.Disjunction(2, {0})),
    (lambda: th.Winnow(2, factor=1.5), lambda: th.Threshold([1, 0], delta=0.9)),
    (lambda: th.Winnow(2), lambda: th.Cover([1, 0])),
    (lambda: th.LiteralWinnow(2), lambda: th.Disjunction(2, {0})),
    (lambda: th.Elimination(2), lambda: th.Disjunction(2, {0})),
]


@pytest.mark.parametrize(("learner", "comparator"), WITNESSES)
def test_verdicts_follow_what_is_known_of_the_rounds(learner: Any, comparator: Any) -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [+1, -1, +1]
    assert verdicts(entered(learner(), list(zip(X, y, strict=True)), comparator())) == {Verdict.CERTIFIED}

    late, ledger = learner(), th.Ledger(comparator())
    late.learn(X[0], y[0])
    ledger.enter(late.learn_many(X, y))
    assert verdicts(ledger) == {Verdict.VOID}

    ledger = th.Ledger(comparator())
    if isinstance(learner(), th.Elimination):
        with pytest.raises(th.ExampleError, match="row 1: found weight"):
            learner().learn_many(X, y, [1.0, 0.5, 1.0])
    else:
        ledger.enter(learner().learn_many(X, y, [1.0, 0.5, 1.0]))
        assert verdicts(ledger) == {Verdict.VOID}

    earlier, other = th.Ledger(), learner()
    earlier.enter(other.learn_many(X, y))
    ledger = th.Ledger(comparator(), after=earlier.tally)
    ledger.enter(other.learn_many(X, y))
    assert verdicts(ledger) <= {Verdict.CONDITIONAL, Verdict.REFUTED}

    rounds, ledger = learner().learn_many(X, y), th.Ledger(comparator())
    for k in range(3):
        ledger.enter(rounds[k])
    assert verdicts(ledger) == {Verdict.CONDITIONAL}

    foreign = th.Ledger(comparator())
    foreign.enter(th.Round(1, X[0], th.Prediction(1, 1.0), +1, changed=False))
    assert foreign.certificates() == []


@pytest.mark.parametrize("factor", [2.0, 2.0**19, 1.25])
def test_thousands_of_demotions_reach_the_floor_and_are_certified(factor: float) -> None:
    learner = th.Winnow(3, threshold=1.0, factor=factor)
    rows: Rows = []
    for t in range(1500):
        x = [1.0, float(t % 2), 1.0]
        y = -1 if learner.predict(x).label == +1 else +1
        rows += [(x, -1), ([0.0, 0.0, 1.0], +1)] if y < 0 else [(x, +1)]
        learner.learn_many([x for x, _ in rows[-2:]], [label for _, label in rows[-2:]])
    learner = th.Winnow(3, threshold=1.0, factor=factor)
    ledger = entered(learner, rows, th.Disjunction(3, {2}), th.Disjunction(3, {0}))
    lowest = factor ** Fraction(int(learner.state()[1]["exponents"].min()))
    assert Fraction(lowest) <= Fraction(factor) / 2**199
    for certificate in ledger.certificates():
        assert certificate.verdict in (Verdict.CERTIFIED, Verdict.VOID)
        if certificate.bound.value >= 200:
            left = Fraction(certificate.numbers["threshold"]) - Fraction(certificate.numbers["floor"])
            assert left <= 1 - 3 * Fraction(lowest)


def test_where_too_few_mistakes_can_be_demotions_the_floor_costs_nothing() -> None:
    one, other = ([float(i == k) for i in range(126)] for k in (7, 8))
    ledger = entered(th.Winnow(126), [(one, +1), *[(other, -1)] * 13] * 22, th.Disjunction(126, range(7)))
    certificate = next(each for each in ledger.certificates() if each.bound.theorem.name == "Winnow, attribute errors")
    assert certificate.numbers["errors"] == 22.0
    assert (certificate.numbers["floor"], certificate.bound.at_most) == (0.0, 2 + 3 * (7 * 7 + 22) - 1)


def test_where_rounding_decides_the_threshold_is_widened() -> None:
    learner = th.Winnow(4, factor=1 + 2.0**-30, threshold=1.0)
    assert isinstance(learner.rule, WinnowRule)
    assert not learner.rule.exact
    rows: Rows = [([1.0, 1.0, 0.0, 0.0], -1), ([0.0, 0.0, 1.0, 0.0], +1)] * 20
    ledger = entered(learner, rows, th.Disjunction(4, {2}))
    for certificate in ledger.certificates():
        assert certificate.verdict is Verdict.CERTIFIED
        assert certificate.numbers["threshold"] > 1.0 > certificate.numbers["threshold"] - certificate.numbers["floor"]


def test_any_order_of_the_rows_keeps_winnows_promise() -> None:
    rng = np.random.default_rng(5)
    X = (rng.random((40, 8)) < 0.4).astype(float)
    y = np.where(X[:, :2].any(axis=1), 1, -1)
    y[::11] *= -1
    ledger = th.Ledger(th.Disjunction(8, {0, 1}), th.Threshold([1.0, 1.0, *[0.0] * 6], delta=0.75))
    ledger.enter(th.Winnow(8, factor=1.5).learn_many(X, y))
    promised = min(c.bound.at_most for c in ledger.certificates() if c.any_order and c.verdict is Verdict.CERTIFIED)
    orders = [rng.permutation(len(X)) for _ in range(300)]
    assert max(th.Winnow(8, factor=1.5).learn_many(X[order], y[order]).mistakes for order in orders) <= promised


def test_no_weights_that_a_comparator_may_have_make_it_raise() -> None:
    for n in (1, 3000):
        for value in (0.0, 1.0, 5e-324, 2.0**250):
            rounds = th.Winnow(n, factor=1.5).learn_many(np.ones((2, n)), [+1, -1])
            for comparator in (th.Cover(np.full(n, value)), th.Threshold(np.full(n, value), delta=0.5)):
                ledger = th.Ledger(comparator)
                ledger.enter(rounds)
                assert all(str(c) and c.as_dict() for c in ledger.certificates())
                assert Verdict.VIOLATED not in verdicts(ledger)


@pytest.mark.parametrize("mu", [[], [[1.0]], [-1.0], [math.nan], [math.inf], ["a"]])
def test_weights_that_no_comparator_has_are_refused(mu: Any) -> None:
    for make in (th.Cover, lambda mu: th.Threshold(mu, delta=0.5)):
        with pytest.raises(th.ParameterError, match="found"):
            make(mu)


@pytest.mark.parametrize("factor", [1.1, 2.0, 50.0, 1 + 2.0**-20])
def test_the_rounding_of_winnow_on_fractions_is_within_what_covers_it(factor: float) -> None:
    """Each kept exponent moves by x but for 2⁻⁴⁵ in ln w, and a score is that of the kept exponents."""
    rng, n = np.random.default_rng(2), 5
    learner = th.Winnow(n, factor=factor, threshold=3.0)
    for _ in range(400):
        x = [float(v) for v in rng.choice([0.0, 1.0, 0.3, 1e-9, float(rng.random())], n)]
        before = [Fraction(e) for e in learner.state()[1]["exponents"].tolist()]
        said = learner.predict(x)
        weights = [DIGITS.exp(DIGITS.multiply(decimal(e), ln(factor))) for e in before]
        exact = sum((w * decimal(v) for w, v in zip(weights, x, strict=True)), Decimal(0))
        assert abs(decimal(said.score) - exact) <= exact * (n + 32) / 2**50
        learner.learn(x, -said.label)
        for old, new, value in zip(before, learner.state()[1]["exponents"].tolist(), x, strict=True):
            assert abs(decimal(Fraction(new) - old + said.label * Fraction(value))) * ln(factor) <= Decimal(2) ** -45


@pytest.mark.parametrize(
    ("n", "threshold", "factor", "strict"),
    [(4, 1.0, 2.0, False), (4, 1.0, 2.0**20, True), (5, 8.0, 1.5, True), (6, 6.0, 2.0, True), (3, 3.0, 1.0625, False)],
)
def test_every_decision_of_a_long_run_is_exact_down_to_the_floor(n: int, threshold: float, factor: float, strict: bool) -> None:
    rng, learner = np.random.default_rng(n), th.Winnow(n, threshold=threshold, factor=factor, strict=strict)
    assert isinstance(learner.rule, WinnowRule)
    lowest, exponents, theta, alpha = int(learner.rule.lowest), [0] * n, Fraction(threshold), Fraction(factor)
    for _ in range(1500):
        x = [int(v) for v in rng.random(n) < rng.choice([0.2, 0.6, 1.0])]
        score = sum((alpha**e for e, v in zip(exponents, x, strict=True) if v), Fraction(0))
        expected = +1 if score > theta or (score == theta and not strict) else -1
        y = int(rng.choice([-expected, -expected, +1, -1]))
        assert learner.learn([float(v) for v in x], y).prediction.label == expected
        if y != expected:
            exponents = [max(lowest, e + y * v) for e, v in zip(exponents, x, strict=True)]
    assert learner.state()[1]["exponents"].tolist() == exponents


def test_an_array_of_slots_is_the_set_of_them() -> None:
    made = th.Disjunction(9, np.array([7, 2, 7], dtype=np.uint8), np.array([], dtype=np.int64))
    assert (made.on, made.off, made.plain.tolist(), made.r) == (frozenset({2, 7}), frozenset(), [2, 7], 2)
    assert str(th.Disjunction(9, np.arange(5), np.arange(5, 9))) == "x0 or x1 or x2 or x3 or x4 or not x5 or 3 more"
    with pytest.raises(ValueError, match="read-only"):
        made.plain[0] = 3


@pytest.mark.parametrize("slots", [np.array([0, 9]), np.array([-1, 3]), np.array([0.0, 1.0]), np.array([True, False])])
def test_an_array_of_anything_else_is_refused(slots: Any) -> None:
    with pytest.raises(th.ParameterError, match="an index from 0 to 8"):
        th.Disjunction(9, slots)
