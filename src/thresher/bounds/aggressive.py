"""The passive-aggressive learner's theorem, for the form called PA-I.

A step with τ = min(C, ℓ/‖x‖²) brings w nearer to any v, in squared distance, by at least 2τ(ℓ − h) − τ²‖x‖² ≥ τℓ − 2Ch, where
ℓ is the learner's hinge loss and h that of v. All steps together bring it no nearer than ‖v‖², so Σ τℓ ≤ ‖v‖² + 2CΣh; and a
mistake has ℓ ≥ 1, hence τℓ ≥ min(C, 1/R²).
"""

from __future__ import annotations

from thresher.bounds.arguments import not_negative, positive
from thresher.bounds.bound import Bound, Theorem

__all__ = ["PASSIVE_AGGRESSIVE", "passive_aggressive"]

#: What the theorem assumes.
PASSIVE_AGGRESSIVE = "the rounds are PA-I's with this C, from zero weights, every example with weight 1"

_CITATION = "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, theorem 4"
_SEPARABLE = Theorem("Passive-aggressive, separable", "M ≤ max(R², 1/C)·(‖u‖/γ)²", _CITATION)
_DISTANCE = Theorem("Passive-aggressive, distance", "M ≤ max(R², 1/C)·((‖u‖/γ)² + 2CD/γ)", _CITATION)


def passive_aggressive(
    margin: float, *, C: float = 1.0, distance: float = 0.0, radius: float = 1.0, norm: float = 1.0, rounding: float = 0.0
) -> Bound:
    """M ≤ max(R², 1/C)·((‖u‖/γ)² + 2CD/γ): any u, any γ > 0, D = Σ max(0, γ − y·(u·x)) over all rounds.

    With D = 0 it is the form for streams that u separates with margin γ. `rounding` covers a learner that rounds: it is added
    to what max(R², 1/C) is multiplied by.

    Attained: with C = 1, k orthonormal examples, all labelled −1, against u = −1 in every coordinate, γ = 1, make k mistakes.

    >>> passive_aggressive(margin=0.5, C=0.1).value, passive_aggressive(margin=1, distance=10).value
    (40.0, 21.0)
    """
    positive(margin=margin, C=C)
    not_negative(distance=distance, radius=radius, norm=norm, rounding=rounding)
    least, length = max(radius * radius, 1.0 / C), norm / margin
    total = length * length + 2.0 * C * (distance / margin) + rounding
    value = 0.0 if total == 0.0 else least * total
    every = "every example has norm at most R"
    if distance == 0.0:
        return Bound(value, "mistakes", _SEPARABLE, (PASSIVE_AGGRESSIVE, "y·(u·x) ≥ γ on every round", every))
    return Bound(value, "mistakes", _DISTANCE, (PASSIVE_AGGRESSIVE, "D is the sum for this u and γ", every))
