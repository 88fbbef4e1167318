"""What Winnow's certificates share: its θ, widened by what rounding and the floor of its weights cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from thresher._core import LiteralWinnowRule, Sided, WinnowRule
from thresher.bounds import Bound, Premise, Status
from thresher.bounds.arguments import as_float
from thresher.bounds.printed import above
from thresher.bounds.winnow import rule_of
from thresher.ledger.statement import Statement, known
from thresher.ledger.tally import Tally

__all__ = ["AnyWinnowRule", "binary", "winnow_statement"]

AnyWinnowRule = WinnowRule | LiteralWinnowRule


def binary(sided: Sided) -> Premise:
    """The premise that examples are binary."""
    return Premise(
        "examples are of zeros and ones",
        Status.BROKEN if sided.fractional else Status.CHECKED,
        f"{sided.fractional:,} are not" if sided.fractional else "",
    )


def winnow_statement(
    theorem: Callable[..., Bound],
    given: Mapping[str, float],
    witness: str,
    premises: tuple[Premise, ...],
    *,
    tally: Tally,
    rule: AnyWinnowRule,
    terms: int,
    diagnostic: bool = False,
) -> Statement:
    """One of Winnow's theorems on binary examples, with the learner's θ and factor in the numbers (docs/rounding.md).

    A score is off by at most d: what is promoted was below θ + d, and what is demoted at least θ − d. A weight that the
    floor holds falls by less than it should, which counts only once there can have been as many demotions as it takes to
    get there. Over literals d is what it was in this order of the rounds, and says nothing of another.
    """
    literals = isinstance(rule, LiteralWinnowRule)
    if literals:
        doubt = tally.doubt + given["n"] * rule.factor * 2.0**-100
    else:
        doubt = 0.0 if rule.exact else (terms + 32) * 2.0**-51 * rule.threshold
    numbers = {**given, **_widened(rule, doubt, 0.0)}
    if not literals and min(_demotions(theorem(**numbers).value, numbers), tally.negatives) >= -rule.lowest:
        numbers |= _widened(rule, doubt, terms * rule.factor * 2.0**-200)
    reached = numbers["floor"] <= rule.threshold / 2
    if not reached:
        numbers["floor"] = 0.0
    covered = Premise(
        "the learner's rounding to float64 is covered",
        (Status.CHECKED if known(tally, type(rule)) else Status.ASSUMED) if reached else Status.BROKEN,
        f"a score is off by at most {above(doubt)}" if doubt else "every decision is exact",
    )
    return Statement(
        theorem, numbers, witness, (*premises, covered), any_order=not (literals or diagnostic), diagnostic=diagnostic
    )


def _demotions(mistakes: float, numbers: Mapping[str, float]) -> float:
    """What the demotions among so many mistakes stay below: D < s + aP and P + D ≤ M give D < (s + aM)/(1 + a).

    >>> _demotions(214.0, {"n": 126, "threshold": 126.0, "factor": 2.0, "floor": 0.0})
    143.33333333333334
    """
    if math.isinf(mistakes):
        return mistakes
    rule = rule_of(int(numbers["n"]), numbers["threshold"], numbers["factor"], numbers["floor"])
    return as_float((rule.start + rule.each * Fraction(mistakes)) / (1 + rule.each))


def _widened(rule: AnyWinnowRule, doubt: float, held: float) -> dict[str, float]:
    """A threshold of at least θ + d, and a floor that leaves at most θ − d − held of it."""
    threshold = math.nextafter(rule.threshold + doubt, math.inf) if doubt else rule.threshold
    floor = ((threshold - rule.threshold) + doubt + held) * (1 + 2.0**-50)
    return {"threshold": threshold, "factor": rule.factor, "floor": floor}
