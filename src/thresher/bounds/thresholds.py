"""Winnow's theorems for linear thresholds: μ ≥ 0 with μ·x ≥ 1 where the label is 1 and μ·x ≤ 1 − δ where it is 0.

With u promotions and v demotions of zeros and ones: v < αn/((α − 1)θ) + αu, as for disjunctions; no weight exceeds αθ; and so
u − (1 − δ)v − A ≤ Σ μᵢ log_α wᵢ ≤ ‖μ‖₁(1 + log_α θ), where A sums by how much μ misses its 1 or its 1 − δ on mistakes. A target
w*·x ≥ θ* against w*·x ≤ θ* − γ is μ = w*/θ* and δ = γ/θ*: the factor that suits it is 1 + γ/(2θ*), not 1 + γ/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from thresher.bounds.arguments import as_float, check, not_negative, positive, whole
from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.winnow import BINARY, WINNOW, Rule, rule_of
from thresher.errors import ParameterError

__all__ = [
    "winnow_entropy",
    "winnow_littlestone",
    "winnow_r_of_k",
    "winnow_threshold",
    "winnow_threshold_simple",
    "winnow_threshold_tuned",
]

_TARGET = "μ·x ≥ 1 on positive rounds, μ·x ≤ 1 − δ on negative ones"
_MISSED = "where μ misses it, A sums by how much"
_TUNED_FACTOR = "α = 1 + δ/2"

_GENERAL = Theorem(
    "Winnow, threshold",
    "M < S + (1 + α)·(‖μ‖₁(1 + ln θ/ln α) + A + (1 − δ)S)/(1 − (1 − δ)α) with S = αn/((α − 1)θ)",
    "Littlestone 1988, for any factor",
)
_TUNED = Theorem(
    "Winnow, threshold, tuned",
    "M < 2(4 − δ²)/(δ²(1 + δ))·n/θ + (4 + δ)/(δ(1 + δ))·(‖μ‖₁(1 + ln θ/ln(1 + δ/2)) + A)",
    "Littlestone 1988, for the factor 1 + δ/2",
)
_SIMPLE = Theorem("Winnow, threshold, simple", "M ≤ 8n/(δ²θ) + (4/δ + 8 ln θ/δ²)‖μ‖₁", "the tuned form, estimated")
_R_OF_K = Theorem("Winnow, r of k", "M < 8r²n/θ + 4k + 8kr ln θ", "the simple form for μ = 1/r on k attributes, δ = 1/r")
_ENTROPY = Theorem(
    "Winnow, relative entropy",
    "M ≤ (Σᵢ(cμᵢ ln cμᵢ − cμᵢ + 1) + ηcA)/min(cη − (α − 1)θ, (1 − 1/α)θ − cη(1 − δ)), η = ln α, the best c",
    "after Littlestone 1988, by the relative entropy of cμ to the weights",
)
_LITTLESTONE = Theorem("Winnow, threshold, as in textbooks", "M ≤ 8n/(δ²θ) + (5/δ + 14 ln θ/δ²)‖μ‖₁", "Littlestone 1988")


def winnow_threshold(
    norm: float,
    *,
    delta: float,
    n: int,
    factor: float,
    errors: float = 0.0,
    threshold: float | None = None,
    floor: float = 0.0,
) -> Bound:
    """M < S + (1 + α)u, where S = αn/((α − 1)θ) and u(1 − (1 − δ)α) < ‖μ‖₁(1 + log_α θ) + A + (1 − δ)S; 1 < α < 1/(1 − δ).

    With a `floor` of the weights, as for disjunctions: θ − floor in S, and αθ/(θ − floor) for α in 1 + α and in (1 − δ)α. A
    weight that the floor holds falls by less than a demotion would take, so the sum of logarithms is as before. Infinite if
    (1 − δ)αθ/(θ − floor) reaches 1.

    >>> winnow_threshold(2, delta=1, n=10, factor=1.5).at_most
    36
    """
    _check_target(norm, delta, errors)
    check(
        "above 1 and below 1/(1 − delta)",
        lambda number: 1 < number < math.inf and number * (1 - Fraction(delta)) < 1,
        factor=factor,
    )
    value = _mistakes(norm, Fraction(delta), rule_of(n, threshold, factor, floor), errors)
    return Bound(value, "mistakes", _GENERAL, (WINNOW, BINARY, _TARGET, _MISSED))


def winnow_threshold_tuned(
    norm: float, *, delta: float, n: int, errors: float = 0.0, threshold: float | None = None, floor: float = 0.0
) -> Bound:
    """The same at α = 1 + δ/2: M < 2(4 − δ²)/(δ²(1 + δ))·n/θ + (4 + δ)/(δ(1 + δ))·(‖μ‖₁(1 + ln θ/ln(1 + δ/2)) + A).

    >>> winnow_threshold_tuned(1.6, delta=0.2, n=8).at_most
    803
    """
    _check_target(norm, delta, errors)
    rule = rule_of(n, threshold, 2.0, floor)._replace(alpha=1 + Fraction(delta) / 2)
    value = _mistakes(norm, Fraction(delta), rule, errors)
    return Bound(value, "mistakes", _TUNED, (WINNOW, BINARY, _TUNED_FACTOR, _TARGET, _MISSED))


def winnow_threshold_simple(norm: float, *, delta: float, n: int, threshold: float | None = None) -> Bound:
    """M ≤ 8n/(δ²θ) + (4/δ + 8 ln θ/δ²)‖μ‖₁ at α = 1 + δ/2, where nothing is missed: never below the tuned form.

    >>> winnow_threshold_simple(1.6, delta=0.2, n=8).at_most
    897
    """
    value = _printed(norm, delta, rule_of(n, threshold, 2.0), 4, 8)
    return Bound(value, "mistakes", _SIMPLE, (WINNOW, BINARY, _TUNED_FACTOR, _TARGET))


def winnow_r_of_k(r: int, k: int, *, n: int, threshold: float | None = None) -> Bound:
    """M < 8r²n/θ + 4k + 8kr ln θ at α = 1 + 1/(2r): the label is 1 where at least r of k attributes are active.

    It is the simple form with ‖μ‖₁ = k/r and δ = 1/r, and so never below the tuned one. r = 1 is a disjunction of k.

    >>> winnow_r_of_k(5, 8, n=8).at_most
    897
    """
    theta = rule_of(n, threshold, 2.0).theta
    whole(1, n, k=k)
    whole(1, k, r=r)
    assumes = (WINNOW, BINARY, "α = 1 + 1/(2r)", "the label is 1 where at least r of k attributes are active")
    return Bound(as_float(8 * r * r * n / theta) + 4 * k + 8 * k * r * math.log(theta), "mistakes", _R_OF_K, assumes)


def winnow_entropy(
    norm: float,
    *,
    entropy: float,
    delta: float,
    n: int,
    errors: float = 0.0,
    threshold: float | None = None,
    factor: float = 2.0,
    rounding: float = 0.0,
) -> Bound:
    """M ≤ (Σᵢ(cμᵢ ln cμᵢ − cμᵢ + 1) + ηcA)/min(g₊, g₋): for attributes from 0 to 1 too, where wᵢ ← wᵢα^(±xᵢ), and any θ > 0.

    Here η = ln α, g₊ = cη − (α − 1)θ, g₋ = (1 − 1/α)θ − cη(1 − δ), and c is any number that makes both positive; the best is
    searched for, and infinity is given if there is none. `entropy` is Σ μᵢ ln μᵢ (with 0·ln 0 = 0), so that the sum is
    c·entropy + c ln c·‖μ‖₁ − c‖μ‖₁ + n. The relative entropy of cμ to w starts there, never falls below 0, and falls by g₊ or
    g₋, less ηc times what μ misses, with each mistake: αˣ ≤ 1 + (α − 1)x bounds the sum of the weights.

    `rounding` = e covers a learner that may say either where w·x is from θ(1 − e) to θ(1 + e): θ(1 + e) in g₊, θ(1 − e) in g₋.

    >>> winnow_entropy(2, entropy=0, delta=1, n=10).at_most
    19
    """
    _check_target(norm, delta, errors)
    whole(1, n=n)
    theta = float(n if threshold is None else threshold)
    positive(threshold=theta)
    check("above 1", lambda number: 1 < number < math.inf, factor=factor)
    not_negative(rounding=rounding)
    assumes = (WINNOW, "attributes are from 0 to 1", _TARGET, _MISSED)
    if math.isinf(norm) or math.isinf(errors):
        return Bound(math.inf, "mistakes", _ENTROPY, assumes)
    entropy = _possible_entropy(entropy, norm, n)
    eta = math.log1p(factor - 1)
    up, down, slope = (factor - 1) * theta * (1 + rounding), (factor - 1) / factor * theta * (1 - rounding), eta * (1 - delta)

    def limit(c: float) -> float:
        tiny = 2.0**-48  # the differences of rounded numbers are taken on the safe side
        room = min(c * eta * (1 - tiny) - up, down * (1 - tiny) - c * slope)
        terms = (c * entropy, c * eta * errors, c * math.log(c) * norm, -c * norm, n)
        above = (n + 64) * 2.0**-50 * sum(map(abs, terms))  # they may cancel, and norm may be from above
        return (sum(terms) + above) / room if room > 0 else math.inf

    # The numerator is convex in c, the denominator concave: the quotient falls, then rises. From where g₊ = g₋ on the
    # denominator does not grow, so the best c is there, or before, or where the numerator is least.
    balanced = (up + down) / (eta + slope)
    least = math.exp(min(700.0, max(-700.0, -(entropy + eta * errors) / norm))) if norm > 0 else 0.0
    most = max(balanced, least) if slope == 0 else min(max(balanced, least), down / slope)
    value = _least(limit, up / eta, most)
    return Bound(value, "mistakes", _ENTROPY, assumes)


def winnow_littlestone(norm: float, *, delta: float, n: int, threshold: float | None = None) -> Bound:
    """M ≤ 8n/(δ²θ) + (5/δ + 14 ln θ/δ²)‖μ‖₁ at α = 1 + δ/2, as Littlestone printed it: true, and never below the simple form.

    >>> winnow_littlestone(1.6, delta=0.2, n=8).at_most
    1404
    """
    value = _printed(norm, delta, rule_of(n, threshold, 2.0), 5, 14)
    return Bound(value, "mistakes", _LITTLESTONE, (WINNOW, BINARY, _TUNED_FACTOR, _TARGET))


def _check_target(norm: float, delta: float, errors: float) -> None:
    not_negative(norm=norm, errors=errors)
    check("above 0 and at most 1", lambda number: 0 < number <= 1, delta=delta)


def _mistakes(norm: float, delta: Fraction, rule: Rule, errors: float) -> float:
    room = 1 - (1 - delta) * rule.each
    if room <= 0 or math.isinf(norm) or math.isinf(errors):
        return math.inf
    promotions = (Fraction(norm) * rule.most_log + Fraction(errors) + (1 - delta) * rule.start) / room
    return as_float(rule.mistakes(promotions))


def _printed(norm: float, delta: float, rule: Rule, a: int, b: int) -> float:
    """8n/(δ²θ) + (a/δ + b ln θ/δ²)‖μ‖₁."""
    _check_target(norm, delta, 0.0)
    start = as_float(8 * rule.n / (Fraction(delta) ** 2 * rule.theta))
    return start + (a / delta + b * math.log(rule.theta) / delta / delta) * norm if norm > 0 else start


def _possible_entropy(entropy: float, norm: float, n: int) -> float:
    """Σ μᵢ ln μᵢ is least where all n are equal: what is below that, but for rounding, is of another μ."""
    least = norm * math.log(norm / n) if norm > 0 else 0.0
    if not entropy >= least - (1e-9 + n * 2.0**-50) * (1 + norm + abs(least)):
        raise ParameterError(f"found entropy = {entropy}, expected a number of at least norm·ln(norm/n) = {least}")
    return max(entropy, least)


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """The least value found between two points of a function that falls, then rises, by golden sections of the logarithm."""
    if not low < high:
        return math.inf
    golden = (math.sqrt(5) - 1) / 2
    a, b = math.log(low), math.log(high)
    best = math.inf
    for _ in range(100):
        left, right = b - golden * (b - a), a + golden * (b - a)
        at_left, at_right = function(math.exp(left)), function(math.exp(right))
        best = min(best, at_left, at_right)
        a, b = (a, right) if at_left <= at_right else (left, b)
    return best
