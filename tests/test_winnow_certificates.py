"""Certificates of Winnow and Elimination: every printed number survives exact fractions, and no stream exceeds a bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.exactly import Rows, contrary, decimal, dot, entered, ln, most_promotions, numbers, sharp, start
from tests.streams import by_theorem
from thresher.bounds import Certificate, Verdict
from thresher.linear import LinearLearner
from thresher.linear.winnow import definition

KINDS = ["target", "noisy", "random", "contrary"]


def binary_rows(rng: np.random.Generator, learner: LinearLearner, labels: Callable[[list[float]], bool], kind: str) -> Rows:
    """Binary rows, up to three passes over them, labelled by a target, in part, at random, or by an adversary."""
    X = (rng.random((int(rng.integers(1, 30)), learner.n)) < rng.choice([0.1, 0.4, 0.8])).astype(float)
    X = np.concatenate([X] * int(rng.integers(1, 4)))
    if kind == "contrary":
        return contrary(learner, X)
    flip = {"target": 0.0, "noisy": 0.1, "random": 0.5}[kind]
    return [(x, +1 if labels(x) != (rng.random() < flip) else -1) for x in X.tolist()]


def winnow_of(rng: np.random.Generator, n: int) -> th.Winnow:
    factor = float(rng.choice([2.0, 1.5, 4.0, 1.1, 1.0 + rng.random()]))
    threshold = float(rng.choice([1.0, n, 1.0 + 3.0 * n * rng.random(), 2.0 ** int(rng.integers(0, 8))]))
    return th.Winnow(n, threshold=threshold, factor=factor, strict=bool(rng.integers(2)))


def rule_of(learner: LinearLearner) -> tuple[Fraction, Fraction, bool]:
    arguments = learner.state()[0]["arguments"]
    return Fraction(arguments["threshold"]), Fraction(arguments["factor"]), arguments["strict"]


def attribute_errors(rows: Rows, on: set[int], off: set[int]) -> int:
    """How many attributes would have to change for the disjunction to fit."""
    errors = 0
    for x, y in rows:
        true = sum(x[i] == 1 for i in on) + sum(x[i] == 0 for i in off)
        errors += true if y < 0 else true == 0
    return errors


def check_disjunctions(ledger: th.Ledger, learner: LinearLearner, rows: Rows, on: set[int], off: set[int], n: int) -> None:
    """Both of Winnow's certificates for a disjunction against the same in exact fractions."""
    theta, alpha, strict = rule_of(learner)
    found, errors, r = by_theorem(ledger), attribute_errors(rows, on, off), len(on) + len(off)
    fits, agnostic = found["Winnow, disjunction"], found["Winnow, attribute errors"]
    assert fits.verdict is (Verdict.VOID if errors else Verdict.CERTIFIED)
    assert agnostic.verdict is Verdict.CERTIFIED
    assert Fraction(agnostic.numbers["errors"]) == errors
    assert Fraction(agnostic.numbers["threshold"]) >= theta
    assert agnostic.numbers["n"] == n
    assert agnostic.numbers["r"] == r
    assert {c.count for c in found.values()} == {learner.mistakes}
    if not errors:
        exact = sharp(r, n, theta, alpha, strict)
        assert learner.mistakes < exact
        assert fits.bound.value >= math.ceil(exact) - 1
    exact = start(n, theta, alpha) + (1 + alpha) * (r * most_promotions(theta, alpha, strict) + errors)
    assert learner.mistakes < exact
    assert agnostic.bound.value >= math.ceil(exact) - 1
    assert found["Winnow, attribute errors (diagnostic)"].verdict is Verdict.CERTIFIED


@settings(max_examples=250)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9), kind=st.sampled_from(KINDS))
def test_disjunctions_of_winnow_survive_exact_fractions(seed: int, n: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        learner, r = winnow_of(rng, n), int(rng.integers(0, n + 1))
        on = set(rng.permutation(n)[:r].tolist())
        rows = binary_rows(rng, learner, disjunction(on, set()), kind)
        theta, alpha, strict = rule_of(learner)
        played = definition(n, [([int(v) for v in x], y) for x, y in rows], theta, alpha, strict)
        wrong = sum(said != y for (_, said, _), (_, y) in zip(played, rows, strict=True))
        ledger = entered(learner, rows, th.Disjunction(n, on))
        assert learner.mistakes == wrong
        check_disjunctions(ledger, learner, rows, on, set(), n)


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), kind=st.sampled_from(KINDS))
def test_disjunctions_of_literals_survive_exact_fractions(seed: int, n: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        factor, theta = float(rng.choice([2.0, 1.5, 8.0])), float(rng.choice([1.0, 2.0 * n, 16.0]))
        learner = th.LiteralWinnow(n, factor=factor, threshold=theta, strict=bool(rng.integers(2)))
        order = rng.permutation(n).tolist()
        r, cut = int(rng.integers(0, n + 1)), int(rng.integers(0, n + 1))
        on, off = set(order[:r][:cut]), set(order[:r][cut:])
        rows = binary_rows(rng, learner, disjunction(on, off), kind)
        ledger = entered(learner, rows, th.Disjunction(n, on, off))
        check_disjunctions(ledger, learner, rows, on, off, 2 * n)
        assert not any(c.any_order for c in ledger.certificates())


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9), monotone=st.booleans(), kind=st.sampled_from(KINDS))
def test_elimination_survives_exact_fractions(seed: int, n: int, monotone: bool, kind: str) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        learner, order = th.Elimination(n, monotone=monotone), rng.permutation(n).tolist()
        r, cut = int(rng.integers(0, n + 1)), n if monotone else int(rng.integers(0, n + 1))
        on, off = set(order[:r][:cut]), set(order[:r][cut:])
        rows = binary_rows(rng, learner, disjunction(on, off), kind)
        (certificate,) = entered(learner, rows, th.Disjunction(n, on, off)).certificates()
        fits = attribute_errors(rows, on, off) == 0
        assert certificate.verdict is (Verdict.CERTIFIED if fits else Verdict.VOID)
        assert certificate.bound.value == n + (not monotone) - r
        assert certificate.count == learner.mistakes


def disjunction(on: set[int], off: set[int]) -> Callable[[list[float]], bool]:
    return lambda x: any(x[i] for i in on) or not all(x[i] for i in off)


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), kind=st.sampled_from(["target", "target", "noisy", "contrary"]))
def test_covers_survive_exact_fractions(seed: int, n: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        learner, r = winnow_of(rng, n), int(rng.integers(1, n + 1))
        on = set(rng.permutation(n)[:r].tolist())
        mu = np.array([float(rng.choice([1.0, 0.5, 0.3, rng.random()])) * (i in on) for i in range(n)])
        rows = binary_rows(rng, learner, disjunction(on, set()), kind)
        (certificate,) = entered(learner, rows, th.Cover(mu)).certificates()
        least = min((dot(numbers(mu), x) for x, y in rows if y > 0), default=Fraction(1))
        covers = least > 0 and all(dot(numbers(mu), x) == 0 for x, y in rows if y < 0)
        assert certificate.verdict is (Verdict.CERTIFIED if covers else Verdict.VOID)
        if not covers:
            continue
        theta, alpha, strict = rule_of(learner)
        norm = sum(map(Fraction, numbers(mu)), Fraction(0)) / least
        assert Fraction(certificate.numbers["norm"]) >= norm
        assert certificate.numbers["norm"] == pytest.approx(float(norm), rel=1e-12)
        exact = start(n, theta, alpha) + (1 + alpha) * norm * most_promotions(theta, alpha, strict)
        assert certificate.count == learner.mistakes < exact
        assert certificate.bound.value >= math.ceil(exact) - 1


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), binary=st.booleans(), kind=st.sampled_from(KINDS))
def test_thresholds_survive_exact_fractions(seed: int, n: int, binary: bool, kind: str) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(3):
        delta = float(rng.choice([1.0, 0.5, 0.1, 0.25, rng.random() * 0.9 + 0.05]))
        whole = bool(rng.integers(2))
        mu = (rng.integers(0, 3, n) if whole else rng.choice([0.0, 0.5, 1 / 3, 0.9], n)).astype(float)
        factor = float(rng.choice([1 + delta / 2, 2.0, 1 + delta / 8, min(1 / (1.0001 - delta), 3.0)]))
        learner = th.Winnow(n, factor=factor, threshold=float(rng.choice([1.0, n, 2.5 * n])))
        rows = binary_rows(rng, learner, disjunction(set(), set()), "target")
        scaled = [([v * float(rng.choice([1.0, 0.3, rng.random()])) for v in x], y) for x, y in rows]
        X = np.array([x for x, _ in (rows if binary else scaled)]).reshape(-1, n)
        flip = {"target": 0.0, "noisy": 0.1, "random": 0.5, "contrary": 0.0}[kind]
        labelled = [(x, +1 if (dot(numbers(mu), x) >= 1) != (rng.random() < flip) else -1) for x in X.tolist()]
        rows = contrary(learner, X) if kind == "contrary" else labelled
        check_threshold(entered(learner, rows, th.Threshold(mu, delta=delta)), learner, rows, numbers(mu), Fraction(delta))


def check_threshold(ledger: th.Ledger, learner: th.Winnow, rows: Rows, mu: list[float], delta: Fraction) -> None:
    theta, alpha, _ = rule_of(learner)
    found, n = by_theorem(ledger), len(mu)
    missing = [max(Fraction(0), 1 - dot(mu, x) if y > 0 else dot(mu, x) - (1 - delta)) for x, y in rows]
    norm = sum(map(Fraction, mu), Fraction(0))
    entropy = sum((decimal(v) * ln(v) for v in mu if v), Decimal(0))
    entropic = found["Winnow, relative entropy"]
    assert entropic.verdict is Verdict.CERTIFIED
    assert decimal(entropic.numbers["entropy"]) >= entropy - Decimal("1e-45")
    bound = least_entropy(norm, entropy, sum(missing, Fraction(0)), n, delta, theta, alpha)
    assert outward(entropic) >= bound
    for certificate in found.values():
        assert Fraction(certificate.numbers["norm"]) >= norm
        assert Fraction(certificate.numbers["errors"]) >= sum(missing)
        assert certificate.numbers["errors"] == pytest.approx(float(sum(missing)), rel=1e-11, abs=1e-11)
        assert certificate.count == learner.mistakes
    assert ("Winnow, threshold" in found) == (alpha * (1 - delta) < 1)
    if "Winnow, threshold" in found:
        littlestone = found["Winnow, threshold"]
        binary = all(v in (0.0, 1.0) for x, _ in rows for v in x)
        assert littlestone.verdict is (Verdict.CERTIFIED if binary else Verdict.VOID)
        first, logs = start(n, theta, alpha), decimal(norm) * (1 + ln(theta) / ln(alpha))
        promotions = (logs + decimal(sum(missing, Fraction(0)) + (1 - delta) * first)) / decimal(1 - (1 - delta) * alpha)
        exact = decimal(first) + decimal(1 + alpha) * promotions
        assert outward(littlestone) >= exact
        assert not binary or learner.mistakes < exact


def outward(certificate: Certificate) -> Decimal:
    """What the bound allows, exactly."""
    value = certificate.bound.value
    return decimal(Fraction(value) * (1 + Fraction(1, 10**9)) + Fraction(1, 10**9)) if value < math.inf else Decimal("Infinity")


def least_entropy(
    norm: Fraction, entropy: Decimal, errors: Fraction, n: int, delta: Fraction, theta: Fraction, alpha: Fraction
) -> Decimal:
    """The theorem by relative entropy at the best c, with fifty digits."""
    eta, up, down = ln(alpha), decimal((alpha - 1) * theta), decimal((1 - 1 / alpha) * theta)

    def at(c: Decimal) -> Decimal:
        room = min(c * eta - up, down - c * eta * decimal(1 - delta))
        gained = c * entropy + c * (c.ln() - 1) * decimal(norm) + n + eta * c * decimal(errors)
        return gained / room if room > 0 else Decimal("Infinity")

    low = up / eta
    high = down / (eta * decimal(1 - delta)) if delta < 1 else low * 1000
    if low >= high:
        return Decimal("Infinity")
    for _ in range(60):
        left, right = low + (high - low) * 2 / 5, low + (high - low) * 3 / 5
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    return at((low + high) / 2)
