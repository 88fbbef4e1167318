"""Winnow's theorems for disjunctions.

Winnow starts with weights 1 on n attributes of zeros and ones and says 1 where w·x ≥ θ (strict: w·x > θ). A promotion (0 was
said, 1 is right) multiplies the weights of the active attributes by α > 1, a demotion (1 was said, 0 is right) divides them by
it. Two facts give every theorem here. First, an attribute that is never demoted is promoted at most k times, k the least with
α^k ≥ θ (strict: α^k > θ): from there on it says 1 alone. Second, the sum of the weights stays above 0, starts at n,
grows by at most (α − 1)θ with a promotion and falls by at least (1 − 1/α)θ with a demotion, so
demotions < αn/((α − 1)θ) + α·promotions.

Where weights do not fall below some φ > 0, a demotion of m active attributes takes at least (1 − 1/α)(θ − mφ) from the sum. The
largest mφ is the parameter `floor`: in the second fact θ becomes θ − floor for demotions, that is, with a = αθ/(θ − floor),
demotions < αn/((α − 1)(θ − floor)) + a·promotions.

Numbers are taken as the floats they are and reckoned with exactly. Where a theorem says M < B, the value is the largest whole
number below B.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from thresher.bounds.arguments import as_float, check, not_negative, whole
from thresher.bounds.bound import Bound, Theorem

__all__ = [
    "BINARY",
    "WINNOW",
    "Rule",
    "most_promotions",
    "rule_of",
    "winnow_agnostic",
    "winnow_cover",
    "winnow_disjunction",
    "winnow_simple",
    "winnow_textbook",
]

#: What every one of Winnow's theorems assumes.
WINNOW = "the rounds are Winnow's with this α and θ, from weights 1, every example with weight 1"
BINARY = "examples are of zeros and ones"
_DISJUNCTION = "the labels are a disjunction of r of the n attributes"

_SHARP = Theorem(
    "Winnow, disjunction",
    "M < αn/((α − 1)θ) + r((1 + α)k − α^(k+1)/((α − 1)θ)) for r < n; M ≤ nk for r = n",
    "Littlestone 1988, sharpened by the relevant weights at the end",
)
_SIMPLE = Theorem("Winnow, disjunction, simple", "M < αn/((α − 1)θ) + (1 + α)rk", "Littlestone 1988; Mansour 2012")
_COVER = Theorem("Winnow, cover", "M < αn/((α − 1)θ) + (1 + α)‖μ‖₁k", "Littlestone 1988, with a fractional cover μ")
_AGNOSTIC = Theorem(
    "Winnow, attribute errors",
    "M < αn/((α − 1)θ) + (1 + α)(rk + A)",
    "after Littlestone 1988, for labels that no disjunction gives",
)
_TEXTBOOK = Theorem("Winnow, as in textbooks", "M ≤ 2 + 3r(1 + lg n)", "Littlestone 1988; Mansour 2012")

_EXACT_POWER = 1000  # up to this k, α^(k+1) is computed


def most_promotions(threshold: float, factor: float, strict: bool = False) -> int:
    """The least k with factor^k ≥ threshold (strict: above it): how often a weight that is never demoted can be promoted.

    Exactly that of repeated multiplication in fractions, and fast for factors near 1: ln θ/ln α is computed with 50 digits, and
    rounded up unless a whole number m is too near to tell. Then either α^m is exactly θ, which is decided in whole numbers, or
    more digits will tell.

    >>> most_promotions(8, 2), most_promotions(8, 2, strict=True), most_promotions(2**20, 1 + 1e-6)
    (3, 4, 13862951)
    """
    _check_rule(threshold, factor)
    from decimal import Context, Decimal

    digits = 50
    while True:
        context = Context(prec=digits)
        steps = Fraction(context.divide(context.ln(Decimal(threshold)), context.ln(Decimal(factor))))
        nearest = round(steps)
        if abs(steps - nearest) > Fraction(1 + nearest, 10 ** (digits - 5)):
            return math.ceil(steps)
        if _is_power(Fraction(threshold), Fraction(factor), nearest):
            return nearest + strict
        digits *= 2


def winnow_disjunction(
    r: int, *, n: int, threshold: float | None = None, factor: float = 2.0, strict: bool = False, floor: float = 0.0
) -> Bound:
    """M < αn/((α − 1)θ) + r((1 + α)k − α^(k+1)/((α − 1)θ)): the labels are a disjunction of r < n attributes; θ = n by default.

    At the end the sum of the weights exceeds Σ α^d over the relevant attributes, d the promotions of each; promotions ≤ Σ d. So
    M < αn/((α − 1)θ) + Σ((1 + α)d − α^(d+1)/((α − 1)θ)), and as α^d ≤ θ before a promotion, each adds at least 1: d = k is the
    worst. If r = n, nothing is demoted and M ≤ nk. (Beyond k = 1000, αθ ≤ α^(k+1) stands in its place.)

    With a floor, M < αn/((α − 1)b) + r((1 + a)k − α^(k+1)/((α − 1)b)), where b = θ − floor and a = αθ/b: the sum of the weights
    at the end is as before, a promotion adds (1 + a) − α^(d+1)/b ≥ 1, and relevant weights are never demoted.

    Attained: nearly. At n = 8 and r = 2 the worst stream makes 14 mistakes (the bound is 15), and 16 of 17 if strict.

    >>> winnow_disjunction(2, n=8).at_most, winnow_disjunction(2, n=8, strict=True).at_most
    (15, 17)
    """
    rule = rule_of(n, threshold, factor, floor)
    whole(0, n, r=r)
    k = rule.promotions(strict)
    if r == n:
        return Bound(as_float(int(n) * k), "mistakes", _SHARP, (WINNOW, BINARY, _DISJUNCTION))
    power = rule.alpha ** (k + 1) if k <= _EXACT_POWER else rule.alpha * rule.theta
    return _below(rule.mistakes(r * k) - r * power / ((rule.alpha - 1) * rule.low), _SHARP, (WINNOW, BINARY, _DISJUNCTION))


def winnow_simple(
    r: int, *, n: int, threshold: float | None = None, factor: float = 2.0, strict: bool = False, floor: float = 0.0
) -> Bound:
    """M < αn/((α − 1)θ) + (1 + α)rk: the same, without the weights at the end. At α = 2 and θ = n: M ≤ 1 + 3rk.

    With a floor, M < αn/((α − 1)(θ − floor)) + (1 + a)rk, where a = αθ/(θ − floor).

    >>> winnow_simple(2, n=8).at_most
    19
    """
    rule = rule_of(n, threshold, factor, floor)
    whole(0, n, r=r)
    k = rule.promotions(strict)
    return _below(rule.mistakes(r * k), _SIMPLE, (WINNOW, BINARY, _DISJUNCTION))


def winnow_cover(
    norm: float, *, n: int, threshold: float | None = None, factor: float = 2.0, strict: bool = False, floor: float = 0.0
) -> Bound:
    """M < αn/((α − 1)θ) + (1 + α)‖μ‖₁k: μ ≥ 0 with μ·x ≥ 1 where the label is 1, and μᵢ = 0 if xᵢ = 1 where it is 0.

    Σ μᵢ·(promotions of i) grows by μ·x ≥ 1 with a promotion and never exceeds ‖μ‖₁k. A disjunction of r attributes is such a μ
    with ‖μ‖₁ = r; fractions can be smaller. A floor changes it as it does the simple form.

    >>> winnow_cover(1.5, n=8).at_most          # three attributes, two of them active in every positive example
    15
    """
    rule = rule_of(n, threshold, factor, floor)
    not_negative(norm=norm)
    assumes = (WINNOW, BINARY, "μ·x ≥ 1 on positive rounds", "μᵢ = 0 wherever xᵢ = 1 on a negative round")
    if math.isinf(norm):
        return Bound(math.inf, "mistakes", _COVER, assumes)
    return _below(rule.mistakes(Fraction(norm) * rule.promotions(strict)), _COVER, assumes)


def winnow_agnostic(
    r: int,
    *,
    errors: float,
    n: int,
    threshold: float | None = None,
    factor: float = 2.0,
    strict: bool = False,
    floor: float = 0.0,
) -> Bound:
    """M < αn/((α − 1)θ) + (1 + α)(rk + A): any r attributes, and A the attribute errors of their disjunction.

    A sums over the mistakes (or over all rounds): 1 where the label is 1 and none of them is active, and their active number
    where it is 0. For an attribute's promotions less its demotions are at most k, so their sum over the r is at most rk; a
    promotion adds at least 1 to it, or nothing where A grows by 1, and a demotion takes from it no more than A grows.

    A floor changes it as it does the simple form, and k stays: a weight that the floor has held up is still at least α to the
    power of promotions less demotions, so these are below k before each promotion.

    >>> winnow_agnostic(2, errors=3, n=8).at_most
    28
    """
    rule = rule_of(n, threshold, factor, floor)
    whole(0, n, r=r)
    not_negative(errors=errors)
    assumes = (WINNOW, BINARY, "A is the sum for these r attributes")
    if math.isinf(errors):
        return Bound(math.inf, "mistakes", _AGNOSTIC, assumes)
    return _below(rule.mistakes(r * rule.promotions(strict) + Fraction(errors)), _AGNOSTIC, assumes)


def winnow_textbook(r: int, *, n: int) -> Bound:
    """M ≤ 2 + 3r(1 + lg n), for α = 2 and θ = n: true, and never below the simple form.

    >>> winnow_textbook(2, n=8).at_most
    26
    """
    whole(1, n=n)
    whole(0, n, r=r)
    return Bound(2 + 3 * r * (1 + math.log2(n)), "mistakes", _TEXTBOOK, (WINNOW, BINARY, _DISJUNCTION, "α = 2 and θ = n"))


class Rule(NamedTuple):
    """Winnow's n, θ and α, and θ − floor, exactly."""

    n: int
    theta: Fraction
    alpha: Fraction
    low: Fraction

    @property
    def start(self) -> Fraction:
        """αn/((α − 1)(θ − floor)): the demotions that the first weights pay for."""
        return self.alpha * self.n / ((self.alpha - 1) * self.low)

    @property
    def each(self) -> Fraction:
        """αθ/(θ − floor): the demotions that a promotion pays for."""
        return self.alpha * self.theta / self.low

    @property
    def most_log(self) -> Fraction:
        """1 + log_α θ, and no less than log_α of any weight."""
        return 1 + Fraction(math.log(self.theta) / math.log1p(self.alpha - 1)) * (1 + Fraction(1, 2**50))

    def promotions(self, strict: bool) -> int:
        """k, how often a weight that is never demoted can be promoted."""
        theta = int(self.theta) if self.theta.denominator == 1 else float(self.theta)  # exact: it was one of them
        return most_promotions(theta, float(self.alpha), strict)

    def mistakes(self, promotions: Fraction | int) -> Fraction:
        """What promotions and demotions together stay below."""
        return self.start + (1 + self.each) * promotions


def rule_of(n: int, threshold: float | None, factor: float, floor: float = 0.0) -> Rule:
    """The rule with these numbers, or a ParameterError."""
    whole(1, n=n)
    theta = n if threshold is None else threshold
    _check_rule(theta, factor)
    check("of at least 0 and below the threshold", lambda number: 0 <= number < theta, floor=floor)
    return Rule(int(n), Fraction(theta), Fraction(factor), Fraction(theta) - Fraction(floor))


def _check_rule(threshold: float, factor: float) -> None:
    check("of at least 1", lambda number: 1 <= number < math.inf, threshold=threshold)
    check("above 1", lambda number: 1 < number < math.inf, factor=factor)


def _is_power(theta: Fraction, alpha: Fraction, m: int) -> bool:
    """Whether θ = α^m, in lowest terms; no power is computed that is longer than θ."""
    if m * (alpha.numerator.bit_length() - 1) > theta.numerator.bit_length():
        return False
    return theta == alpha**m


def _below(limit: Fraction, theorem: Theorem, assumes: tuple[str, ...]) -> Bound:
    """M < limit, that is, M is at most the largest whole number below it."""
    return Bound(as_float(math.ceil(limit) - 1), "mistakes", theorem, assumes)
