"""Certificates of Margin Perceptron and Balanced Winnow, and the rounding they cover, against exact fractions."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.exactly import Rows, contrary, decimal, dot, entered, margin_recursion, numbers, root_above, verdicts
from tests.streams import by_theorem
from thresher.adversaries import Grazing, Orthonormal, force
from thresher.bounds import Verdict
from thresher.bounds.rounding import balanced_winnow_rounding, margin_perceptron_rounding


def with_dummy(x: list[float], bias: float | None) -> list[float]:
    return x if bias is None else [*x, bias]


def separable(rng: np.random.Generator, n: int, margin: float) -> tuple[Rows, np.ndarray[Any, np.dtype[np.float64]]]:
    """Rows that u separates with about this margin of their length, many of them just so, and u; of several passes."""
    u = rng.standard_normal(n)
    u /= math.hypot(*u)
    X = rng.standard_normal((int(rng.integers(2, 40)), n))
    across = X - np.outer(X @ u, u)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    along = np.where(rng.random(len(X)) < 0.7, margin, rng.uniform(margin, 1.0, len(X)))
    y = rng.choice([-1, 1], len(X))
    X = (along * y)[:, None] * u + np.sqrt(1 - along**2)[:, None] * across
    X *= rng.choice([1.0, 1e-9, 1e12], len(X))[:, None] if rng.integers(2) else 1.0
    rows = [(x, int(label)) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    return rows * int(rng.integers(1, 4)), u * float(rng.choice([1.0, 7.0, 1e-6]))


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 5),
    margin=st.sampled_from([0.9, 0.5, 0.2, 0.05]),
    bias=st.sampled_from([None, None, 0.1]),
    noise=st.sampled_from([0.0, 0.0, 0.1]),
)
def test_margin_certificates_survive_exact_fractions(
    seed: int, n: int, margin: float, bias: float | None, noise: float
) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(3):
        rows, u = separable(rng, n, margin)
        rows = [(x, -y if rng.random() < noise else y) for x, y in rows]
        epsilon = float(rng.choice([0.5, 0.1, 0.9]))
        learner = th.MarginPerceptron(n, margin * 0.99, epsilon=epsilon, bias=bias)
        ledger = entered(learner, rows, th.Separator(u, bias_weight=0.01))
        assert Verdict.VIOLATED not in verdicts(ledger)
        found = by_theorem(ledger)
        recursion, mistakes = found["Margin Perceptron, recursion"], found["Margin Perceptron, mistakes"]
        assert recursion.verdict is mistakes.verdict
        if recursion.verdict is Verdict.VOID:
            continue
        full = with_dummy(numbers(u), None if bias is None else 0.01)
        square = sum((Fraction(v) ** 2 for v in full), Fraction(0))
        shares = [
            y * dot(full, with_dummy(x, bias)) / root_above(square * sum(Fraction(v) ** 2 for v in with_dummy(x, bias)))
            for x, y in rows
        ]
        exact, rho = min(shares), Fraction((1.0 - epsilon) * (margin * 0.99))
        assert exact > rho
        assert Fraction(recursion.numbers["margin"]) <= exact
        assert recursion.count == learner.updates - 1
        assert mistakes.count == learner.mistakes
        most = margin_recursion(exact, rho)
        assert recursion.bound.at_most >= most >= recursion.count
        assert mistakes.bound.at_most == recursion.bound.at_most + 1
        assert recursion.bound.at_most <= most + 1 + most // 1000


@pytest.mark.parametrize(("margin", "updates"), [(0.5, 7), (0.3, 25), (0.2, 60), (0.1, 248), (0.07, 510)])
def test_grazing_examples_attain_what_is_certified(margin: float, updates: int) -> None:
    adversary, learner = Grazing(margin), th.MarginPerceptron(3, margin)
    ledger = th.Ledger(th.Separator(adversary.separator))
    for played in force(adversary, learner):
        ledger.enter(played)
    certificate = by_theorem(ledger)["Margin Perceptron, recursion"]
    assert (certificate.verdict, certificate.count, certificate.bound.at_most) == (Verdict.CERTIFIED, updates, updates)


def test_a_margin_that_is_halved_or_not_reached_is_not_certified() -> None:
    rows: Rows = [([1.0, 0.2], +1), ([1.0, -0.2], -1)] * 20
    assert entered(th.MarginPerceptron(2, None), rows, th.Separator([0.0, 1.0])).certificates() == []
    assert verdicts(entered(th.MarginPerceptron(2, 0.9), rows, th.Separator([0.0, 1.0]))) == {Verdict.VOID}
    assert verdicts(entered(th.MarginPerceptron(2, 0.1), rows, th.Separator([0.0, 0.0]))) == {Verdict.VOID}
    assert verdicts(entered(th.MarginPerceptron(2, 0.1), rows, th.Separator([0.0, 1.0]))) == {Verdict.CERTIFIED}


@pytest.mark.parametrize("make", [lambda: th.MarginPerceptron(2, 0.1), lambda: th.BalancedWinnow(2, eta=0.1)])
def test_verdicts_follow_what_is_known_of_the_rounds(make: Any) -> None:
    X, y, u = [[1.0, 0.2], [1.0, -0.2], [0.1, 1.0]], [+1, -1, +1], [0.0, 1.0]
    late, ledger = make(), th.Ledger(th.Separator(u))
    late.learn(X[0], y[0])
    ledger.enter(late.learn_many(X, y))
    assert verdicts(ledger) == {Verdict.VOID}
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(make().learn_many(X, y, [1.0, 0.5, 1.0]))
    assert verdicts(ledger) == {Verdict.VOID}
    earlier, other = th.Ledger(), make()
    earlier.enter(other.learn_many(X, y))
    ledger = th.Ledger(th.Separator(u), after=earlier.tally)
    assert verdicts(ledger) <= {Verdict.CONDITIONAL, Verdict.VOID}
    ledger.enter(other.learn_many(X, y))
    assert verdicts(ledger) == {Verdict.CONDITIONAL}
    rounds, ledger = make().learn_many(X, y), th.Ledger(th.Separator(u))
    for k in range(3):
        ledger.enter(rounds[k])
    assert verdicts(ledger) == {Verdict.CONDITIONAL}


@pytest.mark.parametrize("make", [lambda: th.MarginPerceptron(4, 0.02), lambda: th.BalancedWinnow(4, eta=0.03)])
def test_any_order_of_the_rows_keeps_the_promise(make: Any) -> None:
    rng = np.random.default_rng(3)
    X, u = rng.uniform(-1, 1, (80, 4)), np.array([0.5, -0.3, 0.2, 0.1])
    X = X[np.abs(X @ u) > 0.08]
    y = np.where(X @ u > 0, 1, -1)
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(make().learn_many(X, y))
    promised = min(c.bound.at_most for c in ledger.certificates() if c.bound.on == "mistakes" and c.any_order)
    orders = [rng.permutation(len(X)) for _ in range(200)]
    assert max(make().learn_many(X[order], y[order]).mistakes for order in orders) <= promised


@pytest.mark.parametrize("margin", [0.3, 1e-2, 1e-4, 1e-5])
def test_the_norm_that_the_margin_perceptron_keeps_is_within_its_rounding(margin: float) -> None:
    """Thousands of updates of tiny margin: the kept |w|², and the weights' own, which the proof lets drift apart."""
    rng, n = np.random.default_rng(1), 40
    learner, updates = th.MarginPerceptron(n, min(1.0, 2 * margin)), 0
    for t in range(3000):
        x = rng.standard_normal(n)
        x[0], x[1] = 0.0, 1e3 * (-1) ** t
        x[0] = margin * math.hypot(*x)
        updates += learner.learn(x, +1).changed
    heads, weights = learner.state()[0]["heads"], numbers(learner.weights)
    own = sum((Fraction(w) ** 2 for w in weights), Fraction(0))
    rounding = margin_perceptron_rounding(margin, updates=updates, terms=n)
    assert updates > 30
    assert abs(Fraction(heads["square"]) - own) <= own * Fraction(rounding)


@settings(max_examples=200)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 6),
    eta=st.sampled_from([0.01, 0.1, 0.5, 2.0]),
    bias=st.sampled_from([None, 1.0, -0.3]),
    kind=st.sampled_from(["target", "noisy", "contrary"]),
)
def test_balanced_certificates_survive_exact_fractions(seed: int, n: int, eta: float, bias: float | None, kind: str) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(3):
        u = rng.choice([1.0, -1.0, 0.3, 0.0], n)
        u_bias, gamma = float(rng.choice([0.0, 0.2])), float(rng.choice([0.05, 0.4, 1.0, 5.0]))
        X = rng.choice([-1.0, 0.3, 1.0, 0.0], (int(rng.integers(1, 60)), n))
        learner = th.BalancedWinnow(n, eta=eta, bias=bias)
        full = with_dummy(numbers(u), None if bias is None else u_bias)
        flip = 0.1 if kind == "noisy" else 0.0
        labelled = [(x, +1 if (dot(full, with_dummy(x, bias)) >= 0) != (rng.random() < flip) else -1) for x in X.tolist()]
        rows = contrary(learner, X) if kind == "contrary" else labelled
        ledger = entered(learner, rows, th.Separator(u, bias_weight=u_bias, margin=gamma))
        norm = sum((abs(Fraction(v)) for v in [*numbers(u), u_bias]), Fraction(0))
        if norm == 0:
            assert ledger.certificates() == []
            continue
        shares = [y * dot(full, with_dummy(x, bias)) for x, y in rows]
        assert len(ledger.certificates()) == 2
        for certificate in ledger.certificates():
            assert certificate.verdict is (Verdict.CERTIFIED if "distance" in certificate.numbers else certificate.verdict)
            assert certificate.verdict is not Verdict.VIOLATED
            if certificate.verdict is Verdict.VOID:
                assert min(shares) <= Fraction(1, 10**12)
                continue
            margin, distance = Fraction(certificate.numbers["margin"]), Fraction(certificate.numbers.get("distance", 0.0))
            assert distance >= sum((max(Fraction(0), margin - share) for share in shares), Fraction(0))
            assert certificate.numbers["norm"] >= norm
            assert certificate.count == learner.mistakes
            rate, weights = decimal(eta), Decimal(2 * n + 2 * (bias is not None))
            cosh = (rate.exp() + (-rate).exp()) / 2
            room = rate * decimal(margin / norm) - cosh.ln()
            exact = (weights.ln() + rate * decimal(distance / norm)) / room if room > 0 else Decimal("Infinity")
            assert learner.mistakes <= exact
            assert Decimal(certificate.bound.value) * Decimal("1.000000001") + Decimal("1e-9") >= exact


def test_balanced_winnow_makes_four_of_four() -> None:
    learner, ledger = th.BalancedWinnow(4, eta=3.0), th.Ledger(th.Separator([1.0, 1.0, 1.0, 1.0], margin=1.0))
    for played in force(Orthonormal(4), learner):
        ledger.enter(played)
    assert learner.mistakes == 4
    assert Verdict.VIOLATED not in verdicts(ledger)


@pytest.mark.parametrize("eta", [0.1, 20.0, 100.0, 250.0, 2.0**20])
def test_balanced_scores_are_within_their_rounding(eta: float) -> None:
    """Weights that rise by hundreds of orders of magnitude and fall again, and scores with fifty digits."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        learner = th.BalancedWinnow(4, eta=eta)
        for _ in range(40):
            x = [float(v) for v in rng.uniform(-1, 1, 4).round(3)]
            theta = [Fraction(v) for v in learner.state()[1]["exponents"].tolist()]
            offset = max(abs(t) for t in theta) * Fraction(eta)
            pairs = [(exponential(Fraction(eta) * t - offset), exponential(-Fraction(eta) * t - offset)) for t in theta]
            total = sum((up + down for up, down in pairs), Decimal(0))
            exact = sum(((up - down) * decimal(v) for (up, down), v in zip(pairs, x, strict=True)), Decimal(0)) / total
            said = learner.predict(x)
            slack = balanced_winnow_rounding(mistakes=learner.mistakes, terms=4, eta=eta)
            assert abs(Decimal(said.score) - exact) <= decimal(slack)
            learner.learn(x, -said.label)
        again = th.BalancedWinnow.from_state(*learner.state())
        assert again.predict([1, 1, 1, 1]) == learner.predict([1, 1, 1, 1])


def exponential(number: Fraction) -> Decimal:
    return decimal(number).exp() if number > -2000 else Decimal(0)
