"""What hindsight finds for a learner: witnesses for its theorems, and how near to the best they are."""

from __future__ import annotations

from typing import NamedTuple

from thresher import hindsight
from thresher.bounds.printed import above, below
from thresher.evaluate.parts import Examples
from thresher.ledger import Comparator
from thresher.linear import (
    BalancedWinnow,
    Elimination,
    LinearLearner,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Winnow,
)

__all__ = ["Clue", "clues"]


class Clue(NamedTuple):
    """A witness, if one was found; what is known of the best there can be, and what found it, in words."""

    witness: Comparator | None
    says: str
    how: str


def clues(learner: LinearLearner, examples: Examples) -> list[Clue]:
    """What hindsight finds for the theorems of this learner on these examples."""
    arguments = learner._arguments()
    if isinstance(learner, Perceptron):
        seen = {"bias": arguments["bias"], "normalize": arguments["normalize"]}
        return [hinge(examples, **seen), separator(examples, **seen)]
    if isinstance(learner, PassiveAggressive):
        return [hinge(examples, bias=arguments["bias"])]
    if isinstance(learner, MarginPerceptron):
        return [separator(examples, bias=arguments["bias"], normalize=True)]
    if isinstance(learner, Winnow):
        return [disjunction(examples, learner), cover(examples)]
    if isinstance(learner, Elimination):
        return [disjunction(examples)]
    if isinstance(learner, BalancedWinnow):
        return [sum_margin(examples, arguments["bias"])]
    return []


def hinge(examples: Examples, *, bias: float | None, normalize: bool = False) -> Clue:
    found = hindsight.best_hinge(examples, bias=bias, normalize=normalize)
    return Clue(found.witness, f"no u and γ give the Perceptron a bound below {below(found.least)}", found.how)


def separator(examples: Examples, *, bias: float | None, normalize: bool = False) -> Clue:
    found = hindsight.best_separator(examples, bias=bias, normalize=normalize)
    if found.inseparable:
        says = f"nothing separates these examples: {len(found.proof)} of them, each counted so and so often, add up to 0"
    elif found.witness is None:
        says = f"nothing was found that separates these examples; no unit vector has a margin above {above(found.most)}"
    else:
        says = f"the largest L₂ margin of a unit vector lies between {below(found.margin)} and {above(found.most)}"
    return Clue(found.witness, says, found.how)


def disjunction(examples: Examples, learner: Winnow | None = None) -> Clue:
    arguments = {} if learner is None else learner._arguments()
    found = hindsight.best_disjunction(examples, **{name: value for name, value in arguments.items() if name != "n"})
    says = f"{found.witness.r} attributes make a disjunction that fits every example"
    if not found.consistent:
        says = (
            f"no disjunction fits: {found.uncovered:,} positive examples have none of the {found.candidates:,} attributes that "
            f"no negative one has; {found.witness.r} attributes leave {found.errors:,} that would have to change"
        )
    return Clue(found.witness, says, found.how)


def cover(examples: Examples) -> Clue:
    found = hindsight.best_cover(examples)
    if found.witness is None:
        return Clue(None, "", found.how)
    says = f"the lightest cover has ‖μ‖₁ between {below(found.least)} and {above(found.norm)}"
    return Clue(found.witness, says, found.how)


def sum_margin(examples: Examples, bias: float | None) -> Clue:
    found = hindsight.best_sum_margin(examples, bias=bias)
    says = f"no u with ‖u‖₁ = 1 was found that separates these examples; none has a margin above {above(found.most)}"
    if found.witness is not None:
        says = f"the largest margin for ‖u‖₁ = 1 lies between {below(found.margin)} and {above(found.most)}"
    return Clue(found.witness, says, found.how)
