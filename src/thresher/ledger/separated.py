"""What a separator's sums come to for the passive-aggressive learner and the p-norm Perceptron."""

from __future__ import annotations

import math

from thresher import bounds
from thresher._core import Frozen, PassiveAggressiveRule, PNormPerceptronRule
from thresher.bounds import Certificate, Premise, Status
from thresher.bounds.printed import above, below
from thresher.bounds.rounding import p_norm_factor, passive_aggressive_rounding
from thresher.ledger.statement import Statement, certificate, known, played
from thresher.ledger.tally import Tally

__all__ = ["p_norm", "passive_aggressive"]

_UNSEEN = "keep to this margin and these sizes, and add nothing to D"


def passive_aggressive(
    called: str, frozen: Frozen, gamma: float, tally: Tally, rule: PassiveAggressiveRule
) -> list[Certificate]:
    """The separable form, void where u does not separate the rounds, and the form that holds for any u."""
    separates, margin = _separates(frozen, gamma)
    radius = frozen.largest_norm * (1.0 + (frozen.terms + 16) * 2.0**-51)
    witness = f"{called}, ‖u‖ ≤ {above(frozen.norm)}; every ‖x‖ ≤ {above(frozen.largest_norm)}"

    def statement(at: float, distance: float, about: str, *premises: Premise) -> Statement:
        rounding = passive_aggressive_rounding(
            C=rule.most, radius=radius, norm=frozen.norm / at, rounds=tally.rounds, terms=frozen.terms
        )
        numbers = {"margin": at, "C": rule.most, "distance": distance, "radius": radius, "norm": frozen.norm}
        covered = _covered(tally, PassiveAggressiveRule, rounding, f"by {above(rounding)} in the squared distance to u/γ")
        return Statement(
            bounds.passive_aggressive,
            {**numbers, "rounding": rounding if math.isfinite(rounding) else 0.0},
            f"{witness}{about}",
            (*premises, covered),
            any_order=True,
        )

    premises = played(tally, PassiveAggressiveRule, called="PA-I", begins="zero weights", unseen=_UNSEEN)
    about = f"; γ = {gamma!r}, D = Σ max(0, γ − y·(u·x)) ≤ {above(frozen.distance)}"
    statements = [statement(margin, 0.0, "", separates), statement(gamma, frozen.distance, about)]
    return [certificate(tally, each, premises) for each in statements]


def p_norm(
    called: str, frozen: Frozen, gamma: float, tally: Tally, rule: PNormPerceptronRule, *, norm: float
) -> list[Certificate]:
    """The same two for the p-norm Perceptron; `norm` is ‖u‖_q."""
    separates, margin = _separates(frozen, gamma)
    largest = _largest_p_norm(frozen, rule.p)
    factor = p_norm_factor(largest, p=rule.p, rounds=tally.rounds, terms=frozen.terms)
    covered = _covered(tally, PNormPerceptronRule, factor, f"by norms larger by a relative {above(max(factor - 1.0, 0.0))}")
    common = {"p": rule.p, "radius": largest * factor if math.isfinite(factor) else largest, "norm": norm}
    witness = f"{called}, ‖u‖_q ≤ {above(norm)}; every ‖x‖ₚ ≤ {above(largest)}"
    premises = played(tally, PNormPerceptronRule, called="p-norm Perceptron", begins="θ = 0", unseen=_UNSEEN)
    statements = [
        Statement(bounds.p_norm, {"margin": margin, **common}, witness, (separates, covered), any_order=True),
        Statement(
            bounds.p_norm_distance,
            {"distance": frozen.distance, "margin": gamma, **common},
            f"{witness}; γ = {gamma!r}, D = Σ max(0, γ − y·(u·x)) ≤ {above(frozen.distance)}",
            (covered,),
            any_order=True,
        ),
    ]
    return [certificate(tally, each, premises) for each in statements]


def _separates(frozen: Frozen, gamma: float) -> tuple[Premise, float]:
    """Whether u separates the rounds, and the margin; γ, where it does not or there are none."""
    smallest = frozen.smallest_margin
    if not smallest > 0.0:
        told = f"not shown: the smallest is only known to be at least {below(smallest)}"
        return Premise("y·(u·x) ≥ γ > 0 on every round", Status.BROKEN, told), gamma
    margin = smallest if frozen.rounds else gamma
    return Premise("y·(u·x) ≥ γ > 0 on every round", Status.CHECKED, f"γ = {below(margin)}"), margin


def _covered(tally: Tally, kind: type[PassiveAggressiveRule | PNormPerceptronRule], rounding: float, by: str) -> Premise:
    statement = "the learner's rounding to float64 is covered"
    if math.isinf(rounding):
        return Premise(statement, Status.BROKEN, "too many rounds, or examples too large or too small, for its proof")
    return Premise(statement, Status.CHECKED if known(tally, kind) else Status.ASSUMED, by)


def _largest_p_norm(frozen: Frozen, p: float) -> float:
    """At least every ‖x‖ₚ: from the largest |xᵢ|, with the most terms or with the largest ‖x‖₂, whichever is less."""
    largest, longest = frozen.largest_value, frozen.largest_norm
    if largest == 0.0:
        return 0.0
    by_terms = largest * math.pow(max(1, frozen.terms), 1.0 / p)
    by_norm = largest * math.pow(longest / largest, 2.0 / p)
    return min(by_terms, by_norm) * (1.0 + 2.0**-45)
