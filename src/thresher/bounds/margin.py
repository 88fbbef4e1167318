"""The Margin Perceptron's theorems: it also updates on right predictions whose margin y·(w·x)/‖w‖ is below ρ = (1 − ε)γ.

Throughout, examples have norm 1, a unit vector u has y·(u·x) ≥ γ on every round, and M counts the updates after the first
example, which sets w and is not counted. After M updates u·w ≥ γ(M + 1), while ‖w‖ ≤ f_M, where f_0 = 1 and
f_{t+1} = √(f_t² + 2ρf_t + 1): an update adds an example of norm 1 whose y·(w·x) is below ρ‖w‖. As u·w ≤ ‖w‖, γ(M + 1) ≤ f_M.
"""

from __future__ import annotations

import math

from thresher.bounds.arguments import check, not_negative
from thresher.bounds.bound import Bound, Theorem

__all__ = [
    "MARGIN_PERCEPTRON",
    "margin_perceptron",
    "margin_perceptron_mistakes",
    "margin_perceptron_recursion",
    "margin_perceptron_textbook",
]

#: What every one of these theorems assumes.
MARGIN_PERCEPTRON = "the rounds are a Margin Perceptron's with this γ and ε, every example of norm 1 and with weight 1"
_SEPARABLE = "y·(u·x) ≥ γ on every round for a unit u"
_UPDATES = "updates after the first"

_CLOSED = Theorem("Margin Perceptron", "M ≤ 2/(εγ)² + 2/(εγ) − 2/ε", "Mansour 2012, with sharper constants")
_RECURSION = Theorem(
    "Margin Perceptron, recursion",
    "γ(M + 1) ≤ f_M with f_0 = 1, f_{t+1} = √(f_t² + 2(1 − ε)γf_t + 1)",
    "Mansour 2012, solved exactly",
)
_MISTAKES = Theorem("Margin Perceptron, mistakes", "mistakes ≤ 1 + the recursion's M", _RECURSION.citation)
_TEXTBOOK = Theorem("Margin Perceptron, as in textbooks", "M ≤ 12/γ²", "Mansour 2012, for ε = 1/2")

_SINGLE = 100_000  # steps of the recursion that are taken one by one
_STRIDE = 1 / 5000  # of f(1 + ρf): how far a longer step goes
_STRIDES = 100_000  # longer steps, enough for margins down to 1e-9
_UP = 1 + 2.0**-50  # more than a step's rounding


def margin_perceptron(margin: float, *, epsilon: float = 0.5) -> Bound:
    """M ≤ 2/(εγ)² + 2/(εγ) − 2/ε: at ε = 1/2, M ≤ 8/γ² + 4/γ − 4.

    Once ‖w‖ ≥ 1/(εγ), an update lengthens w by at most (1 − ε/2)γ; so ‖w‖ ≤ 1 + 1/(εγ) + (1 − ε/2)γM, against γ(M + 1).

    >>> margin_perceptron(margin=0.5).value
    36.0
    """
    _ranges(margin, epsilon)
    return Bound(_closed(margin, 1.0, epsilon * margin), _UPDATES, _CLOSED, (MARGIN_PERCEPTRON, _SEPARABLE))


def margin_perceptron_recursion(margin: float, *, epsilon: float = 0.5, rounding: float = 0.0) -> Bound:
    """The largest M with γ(M + 1) ≤ f_M: the tightest form, about 2.513/γ² at ε = 1/2 and small γ.

    `rounding` = r covers a learner that computes with relative errors up to r: γ(1 − r), ρ(1 + r) + r, and 1 + r in the place
    of 1. Infinite where that leaves no room between ρ and γ.

    Attained: by an adversary, at ε = 1/2 for γ = 0.5, 0.3, 0.2, 0.1 and 0.07: 7, 25, 60, 248 and 510 updates.

    >>> [margin_perceptron_recursion(margin).at_most for margin in (0.5, 0.1, 0.07)]
    [7, 248, 510]
    >>> margin_perceptron_recursion(0.1, rounding=1e-9).at_most
    248
    """
    return Bound(_recursion(margin, epsilon, rounding), _UPDATES, _RECURSION, (MARGIN_PERCEPTRON, _SEPARABLE))


def margin_perceptron_mistakes(margin: float, *, epsilon: float = 0.5, rounding: float = 0.0) -> Bound:
    """Mistakes ≤ 1 + M, with the recursion's M: a mistake is an update, but for the first example's, which is not in M.

    >>> margin_perceptron_mistakes(margin=0.5).at_most
    8
    """
    return Bound(1 + _recursion(margin, epsilon, rounding), "mistakes", _MISTAKES, (MARGIN_PERCEPTRON, _SEPARABLE))


def margin_perceptron_textbook(margin: float) -> Bound:
    """M ≤ 12/γ² for ε = 1/2: true, and never below the closed form.

    >>> margin_perceptron_textbook(margin=0.5).value
    48.0
    """
    _ranges(margin, 0.5)
    return Bound(12 / margin / margin, _UPDATES, _TEXTBOOK, (MARGIN_PERCEPTRON, _SEPARABLE, "ε = 1/2"))


def _ranges(margin: float, epsilon: float) -> None:
    check("above 0 and at most 1", lambda number: 0 < number <= 1, margin=margin)
    check("above 0 and below 1", lambda number: 0 < number < 1, epsilon=epsilon)


def _closed(margin: float, one: float, room: float) -> float:
    """M with γ(M + 1) ≤ one + one/room + (γ − room/2)M, where room = γ − ρ: from one/room on, a step is at most ρ + room/2."""
    return 2 * (one + one / room - margin) / room if room > 0 else math.inf


def _recursion(margin: float, epsilon: float, rounding: float) -> float:
    """The largest M with γ(M + 1) ≤ f_M, every estimate outward.

    The step d(f) = √(f² + 2ρf + 1) − f falls in f and is convex, as ρ < 1. So γ(t + 1) − f_t is convex in t, not positive at
    t = 0, and once positive it stays so: if t is the last before the first that fails, M = t. Many steps can be taken at once:
    s steps from f lead at most to g = f + s·d(f), so each is at least d(g), the j-th begins at or above f + j·d(g), and, d
    being convex, together they are at most s·(d(f) + d(f + (s − 1)·d(g)))/2. With s·d(f) up to f(1 + ρf)/5000 that is too much
    by a relative 10⁻⁷ or so. Where a long step would go too far it is halved, down to a single one, or to 10⁻⁸ of t.
    """
    _ranges(margin, epsilon)
    not_negative(rounding=rounding)
    one = 1 + rounding
    low, rho = margin * (1 - rounding), (1 - epsilon) * margin * one + rounding
    room = epsilon * margin if rounding == 0 else low - rho
    if not room > 0:
        return math.inf
    closed = _closed(low, one, room)
    t, f, longest = 0, one, math.inf
    for strides in range(_SINGLE + _STRIDES):
        first = _step(f, rho, one)
        s = 1 if strides < _SINGLE else max(1, int(min(min(_STRIDE * (1 + rho * f), 0.1) * f / first, longest)))
        after = (f + first) * _UP
        if s > 1:
            least = _step(f + s * first, rho, one)
            after = (f + s * (first + _step(f + (s - 1) * least, rho, one) * _UP) / 2) * _UP
        if low * (t + s + 1) <= after * _UP:
            t, f = t + s, after
        elif s > 1 + 1e-8 * t:
            longest = s / 2
        else:
            return min(float(t + s - 1), closed)
        if t > closed or f > 1e150:  # no square of f may overflow
            break
    return closed


def _step(f: float, rho: float, one: float) -> float:
    return (2 * rho * f + one) / (math.sqrt(f * f + 2 * rho * f + one) + f)  # d(f), without cancellation
