"""The p-norm Perceptron's theorems, 1/p + 1/q = 1: the Perceptron's own with √(p − 1)·Xₚ for R and ‖u‖_q for ‖u‖.

½‖θ‖ₚ² has the gradient w, and moving by y·x raises it by at most y·(w·x) + ½(p − 1)‖x‖ₚ²: so ‖θ‖ₚ ≤ Xₚ√((p − 1)M) after M
mistakes. On the other side u·θ grows by at least γ with each, and Hölder's u·θ ≤ ‖u‖_q‖θ‖ₚ joins the two. `norm` is ‖u‖_q,
and `radius` is Xₚ, at least every ‖x‖ₚ.
"""

from __future__ import annotations

import math

from thresher.bounds.arguments import check, not_negative, positive, whole
from thresher.bounds.bound import Bound, Theorem

__all__ = ["P_NORM", "p_norm", "p_norm_distance", "p_norm_hinge", "p_norm_textbook"]

#: What every one of these theorems assumes.
P_NORM = "the rounds are a p-norm Perceptron's with this p, from θ = 0, every example with weight 1"
_RADIUS = "every example has a p-norm of at most Xₚ"

_CITATION = "Grove, Littlestone and Schuurmans 2001; Gentile 2003"
_SEPARABLE = Theorem("p-norm Perceptron, separable", "M ≤ (p − 1)(‖u‖_q·Xₚ/γ)²", _CITATION)
_HINGE = Theorem("p-norm Perceptron, hinge", "M ≤ ((L + √(L² + 4H))/2)², L = √(p − 1)·Xₚ‖v‖_q", f"{_CITATION}, solved for M")
_DISTANCE = Theorem(
    "p-norm Perceptron, distance", "M ≤ ((L + √(L² + 4D/γ))/2)², L = √(p − 1)·Xₚ‖u‖_q/γ", "the hinge form for v = u/γ, H = D/γ"
)
_TEXTBOOK = Theorem("p-norm Perceptron, as in textbooks", "M ≤ (2 ln n − 1)·e·(‖u‖₁L∞/γ)²", f"{_CITATION}, p = 2 ln n")


def p_norm(margin: float, *, p: float, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """M ≤ (p − 1)(‖u‖_q·Xₚ/γ)²: some u has y·(u·x) ≥ γ > 0 on every round.

    With p = 2 it is the Perceptron's.

    >>> p_norm(margin=0.5, p=5).value
    16.0
    """
    positive(margin=margin)
    length = _length(p, radius, norm) / margin
    return Bound(length * length, "mistakes", _SEPARABLE, (P_NORM, "y·(u·x) ≥ γ on every round", _RADIUS))


def p_norm_hinge(hinge: float, *, p: float, norm: float, radius: float = 1.0) -> Bound:
    """The M that solves M ≤ H + √(p − 1)·Xₚ‖v‖_q·√M, for any v and H = Σ max(0, 1 − y·(v·x)).

    >>> p_norm_hinge(hinge=5, p=5, norm=0).at_most, p_norm_hinge(hinge=0, p=5, norm=3).at_most
    (5, 36)
    """
    not_negative(hinge=hinge)
    value = _solved(hinge, _length(p, radius, norm))
    return Bound(value, "mistakes", _HINGE, (P_NORM, "H is the sum for this v", _RADIUS))


def p_norm_distance(distance: float, *, margin: float, p: float, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """The hinge form in another scale: any u, any γ > 0, D = Σ max(0, γ − y·(u·x)).

    >>> p_norm_distance(distance=0, margin=0.5, p=5).value, p_norm_distance(distance=1, margin=0.5, p=2).at_most
    (16.0, 7)
    """
    positive(margin=margin)
    not_negative(distance=distance)
    value = _solved(distance / margin, _length(p, radius, norm) / margin)
    return Bound(value, "mistakes", _DISTANCE, (P_NORM, "D is the sum for this u and γ", _RADIUS))


def p_norm_textbook(margin: float, *, n: int, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """M ≤ (2 ln n − 1)·e·(‖u‖₁L∞/γ)² for n ≥ 3 and p = 2 ln n: `norm` is ‖u‖₁, and `radius` is L∞, the largest |xᵢ|.

    ‖u‖_q ≤ ‖u‖₁, and ‖x‖ₚ ≤ n^(1/p)·L∞ = √e·L∞.

    >>> p_norm_textbook(margin=0.5, n=100).at_most
    89
    """
    whole(3, n=n)
    positive(margin=margin)
    not_negative(radius=radius, norm=norm)
    length = 0.0 if 0.0 in (radius, norm) else radius * norm / margin
    assumes = (P_NORM, "p = 2 ln n", "y·(u·x) ≥ γ on every round", "attributes are from −L∞ to L∞")
    return Bound((2 * math.log(n) - 1) * math.e * length * length, "mistakes", _TEXTBOOK, assumes)


def _length(p: float, radius: float, norm: float) -> float:
    check("at least 2", lambda number: number >= 2, p=p)
    not_negative(radius=radius, norm=norm)
    return 0.0 if 0.0 in (radius, norm) else math.sqrt(p - 1) * radius * norm


def _solved(hinge: float, length: float) -> float:
    root = (length + math.sqrt(length * length + 4 * hinge)) / 2
    return root * root
