"""The multiclass Perceptron's theorems.

A comparator U has weights u_c for every class, ‖U‖² = Σ ‖u_c‖²; its margin on a round is u_y·x − max over c ≠ y of u_c·x. The
learner is a Perceptron on z, which holds x at the right class and −x at the predicted one: ‖z‖² = 2‖x‖², and U·z is at least
the margin. So every theorem about the Perceptron holds with √2·R for R.
"""

from __future__ import annotations

import math

from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.perceptron import perceptron_distance, perceptron_separable

__all__ = ["multiclass_perceptron", "multiclass_perceptron_distance"]

_PLAYED = "the rounds are a multiclass Perceptron's, from zero weights, every example with weight 1"
_RADIUS = "every example has norm at most R"
_NAMED = "the first round, in which no class is known yet, is not counted"

_SEPARABLE = Theorem("multiclass Perceptron, separable", "M ≤ 2(R‖U‖/γ)²", "Crammer and Singer 2003")
_DISTANCE = Theorem(
    "multiclass Perceptron, distance",
    "M ≤ ((√2·R‖U‖ + √(2R²‖U‖² + 4γD))/(2γ))²",
    "Crammer and Singer 2003, the hinge form solved for M",
)


def multiclass_perceptron(margin: float, *, radius: float = 1.0, norm: float = 1.0, known: bool = True) -> Bound:
    """M ≤ 2(R‖U‖/γ)²: some U has the margin γ > 0 on every round.

    Unless classes are `known` beforehand, it is about the mistakes after the first round, in which nothing can be named.

    >>> multiclass_perceptron(margin=0.5).value
    8.0
    """
    value = 2.0 * perceptron_separable(margin, radius=radius, norm=norm).value
    return _bound(value, _SEPARABLE, "the margin is at least γ on every round", known)


def multiclass_perceptron_distance(
    distance: float, *, margin: float, radius: float = 1.0, norm: float = 1.0, known: bool = True
) -> Bound:
    """The form for any U and any γ > 0, with D = Σ max(0, γ − margin) over the rounds.

    >>> multiclass_perceptron_distance(distance=1.0, margin=0.5).at_most
    11
    """
    grown = radius * math.sqrt(2.0) * (1.0 + 2.0**-52)
    value = perceptron_distance(distance, margin=margin, radius=grown, norm=norm).value
    return _bound(value, _DISTANCE, "D is the sum for this U and γ", known)


def _bound(value: float, theorem: Theorem, premise: str, known: bool) -> Bound:
    if known:
        return Bound(value, "mistakes", theorem, (_PLAYED, premise, _RADIUS))
    return Bound(value, "mistakes after the first round", theorem, (_PLAYED, premise, _RADIUS, _NAMED))
