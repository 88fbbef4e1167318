"""What hindsight finds for a learner: witnesses for its theorems, and how near to the best they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from thresher import hindsight
from thresher.bounds.printed import above, below, plural
from thresher.errors import NotRealizable
from thresher.evaluate.parts import Examples
from thresher.ledger import Comparator
from thresher.linear import (
    BalancedWinnow,
    LinearLearner,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Winnow,
)

__all__ = ["CHEAP", "PROGRAMS", "Clue", "Finders", "clues", "tuned"]

_MOST_SHARE = 1.0 - 2.0**-20
_NOTHING = 1e-9
_FEW = 5


class Clue(NamedTuple):
    """A witness, if one was found; what is known of the best there can be, and what found it, in words.

    `margin` holds, where the witness separates, what no less and no more the largest margin is, and `radius` how large the
    examples are as that finder saw them: the largest ‖x‖₂, or for ‖u‖₁ = 1 the largest |xᵢ|.
    """

    witness: Comparator | None
    says: str
    how: str
    margin: tuple[float, float] | None = None
    radius: float = 0.0


class Finders(NamedTuple):
    """What looks for witnesses, and how: programs on the rows in memory, or learners in a few passes."""

    hinge: Callable[..., hindsight.FoundHinge] = hindsight.best_hinge
    separator: Callable[..., hindsight.FoundSeparator] = hindsight.best_separator
    disjunction: Callable[..., hindsight.FoundDisjunction] = hindsight.best_disjunction
    cover: Callable[..., hindsight.FoundCover] | None = hindsight.best_cover
    sum_margin: Callable[..., hindsight.FoundSumMargin] = hindsight.best_sum_margin
    memory: int | None = None

    @property
    def within(self) -> dict[str, int]:
        """The argument that says how many bytes of rows to hold, if they are to be told."""
        return {} if self.memory is None else {"memory": self.memory}


PROGRAMS = Finders()
CHEAP = Finders(hindsight.cheap_hinge, hindsight.cheap_separator, hindsight.cheap_disjunction, None, hindsight.cheap_sum_margin)


def clues(learner: LinearLearner, examples: Examples, *, separable: bool = True, finders: Finders = PROGRAMS) -> list[Clue]:
    """What hindsight finds for the theorems of this learner on these examples; separators only if `separable`."""
    arguments, memory = learner._arguments(), finders.within
    if isinstance(learner, Perceptron | PassiveAggressive):
        seen = {"bias": arguments["bias"], "normalize": arguments.get("normalize", False), **memory}
        hinge = _hinge(finders.hinge(examples, **seen))
        return [hinge, _separator(finders.separator(examples, **seen), arguments["bias"])] if separable else [hinge]
    if isinstance(learner, MarginPerceptron):
        bias = arguments["bias"]
        return [_separator(finders.separator(examples, bias=bias, normalize=True, **memory), bias)]
    if isinstance(learner, Winnow):
        rule = {name: value for name, value in arguments.items() if name != "n"}
        disjunction = _disjunction(finders.disjunction(examples, **rule, **memory))
        return [disjunction] if finders.cover is None else [disjunction, _cover(finders.cover(examples, **memory))]
    if isinstance(learner, BalancedWinnow):
        return [_sum_margin(finders.sum_margin(examples, bias=arguments["bias"], **memory))] if separable else []
    return []


def tuned(learner: LinearLearner, found: list[Clue]) -> LinearLearner:
    """The learner with the margin, or the rate, that is best for what was found; `NotRealizable` where it needs one in vain."""
    margins = [clue.margin for clue in found if clue.margin is not None]
    if isinstance(learner, MarginPerceptron):
        if not margins:
            raise NotRealizable("nothing was found that separates the examples")
        return MarginPerceptron(**{**learner._arguments(), "margin": margins[0][0]})
    if isinstance(learner, BalancedWinnow) and margins:
        return BalancedWinnow(**{**learner._arguments(), "eta": math.atanh(min(margins[0][0], _MOST_SHARE))})
    return learner


def _hinge(found: hindsight.FoundHinge) -> Clue:
    says = f"no u and γ give the theorem of distance a bound below {below(found.least)}, in any order of these rows"
    return Clue(found.witness, says, found.how)


def _separator(found: hindsight.FoundSeparator, bias: float | None) -> Clue:
    if found.inseparable:
        return Clue(None, f"nothing separates the examples: {_inseparable(found.proof, bias)}", found.how)
    if found.witness is None:
        most = max(found.most, _NOTHING)
        return Clue(None, f"nothing was found that separates the examples; no margin is above {above(most)}", found.how)
    says = f"the largest margin of a unit vector lies between {below(found.margin)} and {above(found.most)}"
    return Clue(found.witness, says, found.how, (found.margin, found.most), found.radius)


def _inseparable(proof: tuple[tuple[int, int], ...], bias: float | None) -> str:
    """Which examples prove that nothing separates, counted from 1, where they are few."""
    numbers = [f"{row + 1:,}" for row, _ in proof]
    if len(proof) == 1:
        return f"example {numbers[0]} is of zeros"
    if len(proof) > _FEW:
        return f"of {len(proof)} of them a sum with whole coefficients is exactly 0"
    named = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
    if len(proof) == 2 and bias:
        return f"examples {named} are equal, with both labels"
    return f"of examples {named} a sum of y·x with whole coefficients is exactly 0"


def _disjunction(found: hindsight.FoundDisjunction) -> Clue:
    attributes = plural(found.witness.r, "attribute")
    if found.consistent and not found.errors:
        return Clue(found.witness, f"a disjunction of {attributes} fits every example", found.how)
    if found.consistent:
        says = (
            f"a disjunction fits every example; the one with the least bound has {attributes} and misses {above(found.errors)}"
        )
        return Clue(found.witness, says, found.how)
    says = (
        f"no disjunction fits: {found.uncovered:,} positive examples have none of the {found.candidates:,} attributes that are "
        f"never on in a negative one; with {attributes} {found.errors:,.0f} would have to change"
    )
    return Clue(found.witness, says, found.how)


def _cover(found: hindsight.FoundCover) -> Clue:
    if found.witness is None:
        return Clue(None, "", found.how)
    return Clue(found.witness, f"the lightest cover has ‖μ‖₁ between {below(found.least)} and {above(found.norm)}", found.how)


def _sum_margin(found: hindsight.FoundSumMargin) -> Clue:
    if found.witness is None:
        most = max(found.most, _NOTHING)  # below it are but the solver's last digits
        return Clue(None, f"no u with ‖u‖₁ = 1 was found that separates; no margin is above {above(most)}", found.how)
    says = f"the largest margin of a u with ‖u‖₁ = 1 lies between {below(found.margin)} and {above(found.most)}"
    return Clue(found.witness, says, found.how, (found.margin, found.most), found.radius)
