"""The Perceptron's theorems.

Throughout, z = y·x is an example as the algorithm sees it (dummy appended, normalised) signed by its label, u a comparator
and R ≥ ‖x‖ for every example. `margin` is functional: the smallest u·z, so it scales with `norm`, which is ‖u‖.
"""

from __future__ import annotations

import math

from thresher.bounds.arguments import not_negative, positive
from thresher.bounds.bound import Bound, Theorem

__all__ = [
    "PERCEPTRON",
    "perceptron_distance",
    "perceptron_distance_textbook",
    "perceptron_gap",
    "perceptron_hinge",
    "perceptron_largest_margin",
    "perceptron_run",
    "perceptron_separable",
    "perceptron_squared_distance",
    "perceptron_threshold",
]

#: What every one of these theorems assumes.
PERCEPTRON = "the rounds are a Perceptron's, from zero weights, every example with weight 1"
_RADIUS = "every example has norm at most R"

_SEPARABLE = Theorem("Perceptron, separable", "M ≤ (R‖u‖/γ)²", "Novikoff 1962")
_RUN = Theorem("Perceptron, separable, after the run", "M ≤ ‖u‖·√(Σ‖x‖² over mistakes)/γ", "Novikoff 1962")
_THRESHOLD = Theorem("Perceptron, with threshold", "M ≤ 4(R/γ)²", "Novikoff 1962, dummy of value R")
_GAP = Theorem("Perceptron, with a gap", "M ≤ 16(‖u‖R/a)²", "Novikoff 1962, dummy of value R")
_HINGE = Theorem(
    "Perceptron, hinge", "M ≤ ((R‖v‖ + √(R²‖v‖² + 4H))/2)²", "Freund and Schapire 1999; Shalev-Shwartz 2012, solved for M"
)
_DISTANCE = Theorem("Perceptron, distance", "M ≤ ((R‖u‖ + √(R²‖u‖² + 4γD))/(2γ))²", "the hinge form for v = u/γ, H = D/γ")
_TEXTBOOK = Theorem(
    "Perceptron, distance, as in textbooks", "M ≤ (R‖u‖/γ)² + 2D/γ", "Mansour 2012; weaker than the solved form"
)
_SQUARED = Theorem("Perceptron, squared distance", "M ≤ ((R‖u‖ + √D₂)/γ)²", "Freund and Schapire 1999")
_LARGEST = Theorem("Perceptron, converse", "γ ≤ R/√M for every unit u", "Novikoff 1962, read backwards")


def perceptron_separable(margin: float, *, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """M ≤ (R‖u‖/γ)²: some u has u·z ≥ γ > 0 on every round.

    Attained: k orthonormal examples, all labelled −1, with γ = 1/√k make k mistakes.

    >>> perceptron_separable(margin=1, radius=10, norm=3).value
    900.0
    """
    positive(margin=margin)
    not_negative(radius=radius, norm=norm)
    return Bound(
        _square(_product(radius, norm) / margin), "mistakes", _SEPARABLE, (PERCEPTRON, "u·z ≥ γ on every round", _RADIUS)
    )


def perceptron_run(margin: float, *, squares: float, norm: float = 1.0) -> Bound:
    """M ≤ ‖u‖·√S/γ with S the sum of ‖x‖² over the mistakes of this run: never above the separable form.

    >>> perceptron_run(margin=0.5, squares=3.0).at_most
    3
    """
    positive(margin=margin)
    not_negative(squares=squares, norm=norm)
    assumes = (PERCEPTRON, "u·z ≥ γ on every round", "S is the sum of ‖x‖² over the mistakes")
    return Bound(_product(norm, math.sqrt(squares)) / margin, "mistakes", _RUN, assumes)


def perceptron_threshold(margin: float, *, radius: float) -> Bound:
    """M ≤ 4(R/γ)²: a unit u and a threshold τ with y·(u·x − τ) ≥ γ, a dummy of value R, both labels seen.

    >>> perceptron_threshold(margin=0.5, radius=1.0).value
    16.0
    """
    positive(margin=margin)
    not_negative(radius=radius)
    assumes = (PERCEPTRON, "y·(u·x − τ) ≥ γ on every round for a unit u", "bias = R", _RADIUS, "both labels occur")
    return Bound(4 * _square(radius / margin), "mistakes", _THRESHOLD, assumes)


def perceptron_gap(gap: float, *, radius: float, norm: float = 1.0) -> Bound:
    """M ≤ 16(‖u‖R/a)²: u·x > c on positive examples and u·x < c − a on negative ones, a dummy of value R.

    The same as the threshold form with γ = a/2 in the middle of the gap.

    >>> perceptron_gap(gap=1.0, radius=1.0).value
    16.0
    """
    positive(gap=gap)
    not_negative(radius=radius, norm=norm)
    assumes = (PERCEPTRON, "u·x > c or u·x < c − a, as the label says", "bias = R", _RADIUS, "both labels occur")
    return Bound(16 * _square(_product(norm, radius) / gap), "mistakes", _GAP, assumes)


def perceptron_hinge(hinge: float, *, norm: float, radius: float = 1.0) -> Bound:
    """The M that solves M ≤ H + R‖v‖·√M, for any v and H = Σ max(0, 1 − v·z).

    With H over all rounds it holds for the same rows in any order, and v = 0 gives the honest M ≤ T. With H over mistake
    rounds alone it holds too, but v = 0 gives M ≤ M: use that as a diagnostic.

    Attained: k orthonormal examples, all labelled −1, against v = −c in every coordinate, 0 < c ≤ 1, make k mistakes.

    >>> perceptron_hinge(hinge=5, norm=0).at_most, perceptron_hinge(hinge=0, norm=3).at_most
    (5, 9)
    """
    not_negative(hinge=hinge, norm=norm, radius=radius)
    return Bound(_solved(hinge, _product(radius, norm)), "mistakes", _HINGE, (PERCEPTRON, "H is the sum for this v", _RADIUS))


def perceptron_distance(distance: float, *, margin: float, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """The hinge form in another scale: any u, any γ > 0, D = Σ max(0, γ − u·z).

    >>> perceptron_distance(distance=1, margin=0.5).value
    7.464101615137754
    """
    positive(margin=margin)
    not_negative(distance=distance, radius=radius, norm=norm)
    value = _solved(distance / margin, _product(radius, norm) / margin)
    return Bound(value, "mistakes", _DISTANCE, (PERCEPTRON, "D is the sum for this u and γ", _RADIUS))


def perceptron_distance_textbook(distance: float, *, margin: float, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """M ≤ (R‖u‖/γ)² + 2D/γ: true, and never below the solved form.

    >>> perceptron_distance_textbook(distance=1, margin=0.5).value
    8.0
    """
    positive(margin=margin)
    not_negative(distance=distance, radius=radius, norm=norm)
    value = _square(_product(radius, norm) / margin) + 2 * distance / margin
    return Bound(value, "mistakes", _TEXTBOOK, (PERCEPTRON, "D is the sum for this u and γ", _RADIUS))


def perceptron_squared_distance(squared: float, *, margin: float, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """M ≤ ((R‖u‖ + √D₂)/γ)² with D₂ = Σ max(0, γ − u·z)². Below the hinge form where few rounds miss γ, and not by far.

    >>> perceptron_squared_distance(squared=0.25, margin=0.5).value
    9.0
    """
    positive(margin=margin)
    not_negative(squared=squared, radius=radius, norm=norm)
    value = _square((_product(radius, norm) + math.sqrt(squared)) / margin)
    return Bound(value, "mistakes", _SQUARED, (PERCEPTRON, "D₂ is the sum for this u and γ", _RADIUS))


def perceptron_largest_margin(mistakes: int, *, radius: float = 1.0) -> Bound:
    """The converse: after M mistakes no unit vector separates the rounds with a margin above R/√M.

    >>> perceptron_largest_margin(100).value
    0.1
    """
    positive(mistakes=mistakes)
    not_negative(radius=radius)
    return Bound(radius / math.sqrt(min(mistakes, 2**1000)), "margin", _LARGEST, (PERCEPTRON, _RADIUS))


def _solved(hinge: float, length: float) -> float:
    return _square((length + math.sqrt(length * length + 4 * hinge)) / 2)


def _product(a: float, b: float) -> float:
    return 0.0 if 0.0 in (a, b) else a * b  # not NaN where the other is infinite


def _square(number: float) -> float:
    return number * number  # number ** 2 raises where this is infinite
