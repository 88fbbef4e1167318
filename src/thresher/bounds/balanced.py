"""Balanced Winnow's theorems: weights on the simplex, of each attribute and of its negative, as in exponentiated gradient.

Attributes are from −1 to 1. A mistake with label y multiplies the weight of xᵢ by e^(ηyxᵢ) and that of −xᵢ by e^(−ηyxᵢ), and
norms all N = 2n of them (2n + 2 with a dummy) to sum 1. The relative entropy of u to w starts at no more than ln N and falls by
at least ηγ − ln cosh η with each mistake. Plain Winnow with a fixed factor has no such theorem: on a target that needs fine
weights it can cycle for ever; the rate has to follow the margin.
"""

from __future__ import annotations

import math

from thresher.bounds.arguments import check, not_negative, positive, whole
from thresher.bounds.bound import Bound, Theorem

__all__ = [
    "BALANCED_WINNOW",
    "balanced_winnow",
    "balanced_winnow_gap",
    "balanced_winnow_textbook",
    "balanced_winnow_tuned",
]

#: What every one of these theorems assumes.
BALANCED_WINNOW = "the rounds are Balanced Winnow's with this η, from equal weights, every example with weight 1"
_SCALE = "attributes are from −1 to 1"
_MARGIN = "y·(u·x) ≥ γ on every round"
_TUNED_RATE = "η = artanh(γ/‖u‖₁)"

_GENERAL = Theorem(
    "Balanced Winnow, distance",
    "M ≤ (ln N + ηD/‖u‖₁)/(ηγ/‖u‖₁ − ln cosh η), N = 2n, 2n + 2 with a dummy",
    "exponentiated gradient; explicit form of a bound in Mansour 2012",
)
_SEPARABLE = Theorem(
    "Balanced Winnow, separable", "M ≤ ln N/(ηγ/‖u‖₁ − ln cosh η), N = 2n, 2n + 2 with a dummy", _GENERAL.citation
)
_TUNED = Theorem(
    "Balanced Winnow, tuned",
    "M ≤ 2 ln N/((1 + g)ln(1 + g) + (1 − g)ln(1 − g)), g = γ/‖u‖₁",
    "the general form at its best η",
)
_TEXTBOOK = Theorem("Balanced Winnow, as in textbooks", "M ≤ 2 ln N·(‖u‖₁/γ)²", "the tuned form, estimated")
_GAP = Theorem("Balanced Winnow, with a gap", "M ≤ 32(‖u‖₁L∞/a)² ln(2n + 2)", "Mansour 2012, with an explicit constant")


def balanced_winnow(
    margin: float,
    *,
    n: int,
    eta: float,
    distance: float = 0.0,
    norm: float = 1.0,
    bias: bool = False,
    rounding: float = 0.0,
) -> Bound:
    """M ≤ (ln N + ηD/‖u‖₁)/(ηγ/‖u‖₁ − ln cosh η): any u, any γ > 0, D = Σ max(0, γ − y·(u·x)).

    `margin` and `distance` are functional: they scale with `norm`, which is ‖u‖₁. `rounding` = e covers a learner that sees w·x
    with an error up to e and rounds each step's exponents by as much: ln(cosh η + e sinh η) in the place of ln cosh η, and ηe
    less in the denominator. Infinite if η is too large for γ.

    Attained: where γ is large, 4 mistakes of at most 4.

    >>> balanced_winnow(margin=0.5, n=100, eta=0.5).at_most
    40
    """
    whole(1, n=n)
    positive(eta=eta, norm=norm)
    not_negative(distance=distance, rounding=rounding)
    if distance > 0:
        positive(margin=margin)
    else:
        check("above 0 and at most norm", lambda number: 0 < number <= norm, margin=margin)
    gain, cost = eta * (margin / norm), _ln_cosh(eta, rounding) + eta * rounding
    room = gain * (1 - 2.0**-49) - cost * (1 + 2.0**-49)  # a difference of rounded numbers, on the safe side
    value = (_ln_weights(n, bias) + eta * (distance / norm)) / room if room > 0 else math.inf
    if distance == 0:
        return Bound(value, "mistakes", _SEPARABLE, (BALANCED_WINNOW, _SCALE, _MARGIN))
    return Bound(value, "mistakes", _GENERAL, (BALANCED_WINNOW, _SCALE, "D is the sum for this u and γ"))


def balanced_winnow_tuned(margin: float, *, n: int, norm: float = 1.0, bias: bool = False) -> Bound:
    """M ≤ 2 ln N/((1 + g)ln(1 + g) + (1 − g)ln(1 − g)), where g = γ/‖u‖₁ < 1 and η = artanh g, the best rate.

    >>> balanced_winnow_tuned(margin=0.5, n=100).at_most
    40
    """
    share = _share(margin, n, norm)
    value = _ln_weights(n, bias) / (share * math.atanh(share) + math.log1p(-share * share) / 2)
    return Bound(value, "mistakes", _TUNED, (BALANCED_WINNOW, _SCALE, _TUNED_RATE, _MARGIN))


def balanced_winnow_textbook(margin: float, *, n: int, norm: float = 1.0, bias: bool = False) -> Bound:
    """M ≤ 2 ln N·(‖u‖₁/γ)²: true at the same rate, and never below the tuned form.

    >>> balanced_winnow_textbook(margin=0.5, n=100).at_most
    42
    """
    share = _share(margin, n, norm)
    return Bound(
        2 * _ln_weights(n, bias) / share / share, "mistakes", _TEXTBOOK, (BALANCED_WINNOW, _SCALE, _TUNED_RATE, _MARGIN)
    )


def balanced_winnow_gap(gap: float, *, n: int, radius: float = 1.0, norm: float = 1.0) -> Bound:
    """M ≤ 32(‖u‖₁L∞/a)² ln(2n + 2): u·x > c on positive examples, u·x < c − a on negative ones, a dummy of value L∞.

    `norm` is ‖u‖₁, and `radius` is L∞: no attribute is larger. With the threshold in the middle of the gap, and all divided
    by L∞, the margin is at least a/(4L∞‖u‖₁) of the comparator's norm, and the textbook form gives the rest.

    >>> balanced_winnow_gap(gap=1.0, n=100).at_most
    169
    """
    whole(1, n=n)
    positive(gap=gap)
    not_negative(radius=radius, norm=norm)
    length = 0.0 if 0.0 in (radius, norm) else radius * norm / gap
    assumes = (
        BALANCED_WINNOW,
        "u·x > c or u·x < c − a, as the label says",
        "bias = L∞, attributes divided by L∞",
        "both labels occur",
    )
    return Bound(32 * length * length * math.log(2 * n + 2), "mistakes", _GAP, (*assumes, "η = artanh(a/(4‖u‖₁L∞))"))


def _share(margin: float, n: int, norm: float) -> float:
    whole(1, n=n)
    positive(norm=norm)
    check("above 0 and below norm", lambda number: 0 < number < norm and number / norm < 1, margin=margin)
    return margin / norm


def _ln_weights(n: int, bias: bool) -> float:
    return math.log(2 * n + 2 * bias)


def _ln_cosh(eta: float, rounding: float) -> float:
    """ln(cosh η + e sinh η), without cancellation or overflow."""
    if eta < 1:
        return math.log1p(2 * math.sinh(eta / 2) ** 2 + rounding * math.sinh(eta))
    return eta + math.log(((1 + rounding) + (1 - rounding) * math.exp(-2 * eta)) / 2)
