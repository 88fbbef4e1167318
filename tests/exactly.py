"""Theorems and their numbers in exact fractions, or with fifty digits, from raw rows: what certificates are held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher.bounds import Verdict
from thresher.linear import LinearLearner

__all__ = [
    "DIGITS",
    "Rows",
    "contrary",
    "decimal",
    "dot",
    "entered",
    "ln",
    "margin_recursion",
    "most_promotions",
    "numbers",
    "root_above",
    "sharp",
    "start",
    "verdicts",
]

#: Examples with their labels, −1 or +1.
Rows = list[tuple[list[float], int]]

DIGITS = Context(prec=50)


def decimal(number: Fraction | float) -> Decimal:
    exact = Fraction(number)
    return DIGITS.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def ln(number: Fraction | float) -> Decimal:
    return DIGITS.ln(decimal(number))


def dot(u: Sequence[float], x: Sequence[float]) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in zip(u, x, strict=True) if a and b), Fraction(0))


def numbers(mu: NDArray[np.float64]) -> list[float]:
    return [float(v) for v in mu]


def entered(learner: LinearLearner, rows: Rows, *comparators: th.ledger.Comparator) -> th.Ledger:
    """The ledger of a learner that learns these rows, half of them one by one."""
    ledger, half = th.Ledger(*comparators), len(rows) // 2
    for x, y in rows[:half]:
        ledger.enter(learner.learn(x, y))
    if rows[half:]:
        ledger.enter(learner.learn_many([x for x, _ in rows[half:]], [y for _, y in rows[half:]]))
    return ledger


def contrary(learner: LinearLearner, examples: NDArray[np.float64]) -> Rows:
    """The rows with the labels that a copy of the learner does not expect."""
    twin, rows = type(learner).from_state(*learner.state()), []
    for x in examples.tolist():
        y = -1 if twin.predict(x).label == +1 else +1
        twin.learn(x, y)
        rows.append((x, y))
    return rows


def verdicts(ledger: th.Ledger) -> set[Verdict]:
    return {certificate.verdict for certificate in ledger.certificates()}


def most_promotions(theta: Fraction, alpha: Fraction, strict: bool) -> int:
    k, power = 0, Fraction(1)
    while power < theta or (strict and power == theta):
        k, power = k + 1, power * alpha
    return k


def start(n: int, theta: Fraction, alpha: Fraction) -> Fraction:
    """αn/((α − 1)θ)."""
    return alpha * n / ((alpha - 1) * theta)


def sharp(r: int, n: int, theta: Fraction, alpha: Fraction, strict: bool) -> Fraction:
    """What Winnow's mistakes stay below for a disjunction of r of n attributes."""
    k = most_promotions(theta, alpha, strict)
    if r == n:
        return Fraction(n * k + 1)
    return start(n, theta, alpha) + r * ((1 + alpha) * k - alpha ** (k + 1) / ((alpha - 1) * theta))


def margin_recursion(margin: Fraction, rho: Fraction, most: int = 100_000) -> int:
    """The largest M with γ(M + 1) ≤ f_M."""
    gamma, asked, f, steps = decimal(margin), decimal(rho), Decimal(1), 0
    while steps < most:
        grown = DIGITS.sqrt(DIGITS.add(DIGITS.multiply(f, f), DIGITS.add(DIGITS.multiply(2 * asked, f), Decimal(1))))
        if DIGITS.multiply(gamma, Decimal(steps + 2)) > grown:
            return steps
        steps, f = steps + 1, grown
    return steps


def root_above(square: Fraction) -> Fraction:
    """A fraction just above the square root."""
    scaled = math.isqrt(int(square * 4**200))
    return Fraction(scaled + 1, 2**200)
