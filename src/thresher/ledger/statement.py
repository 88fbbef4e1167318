"""From a comparator's sums to certificates: what a theorem is computed from, and what every theorem here needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from thresher._core import Rule
from thresher.bounds import Bound, Certificate, Premise, Status
from thresher.ledger.tally import Tally

__all__ = ["Counted", "Statement", "certificate", "known", "played", "verified"]


@dataclass(frozen=True, eq=False, repr=False)  # nobody compares or prints these
class Statement:
    """One bound: the theorem, the numbers it is computed from, and what it needs beside what every theorem here needs.

    `counted` is what is held against it; None means the mistakes.
    """

    theorem: Callable[..., Bound]
    numbers: Mapping[str, float]
    witness: str
    premises: tuple[Premise, ...]
    any_order: bool = False
    diagnostic: bool = False
    counted: float | None = None


#: What each number stands for; all are rounded to the safe side.
_MEANING = {
    "margin": "margin is at most every y·(u·x), or γ where one is given",
    "radius": "radius at least every ‖x‖ and what covers rounding",
    "norm": "norm at least the comparator's",
    "squares": "squares at least Σ‖x‖² over the mistakes and what covers rounding",
    "distance": "distance at least D",
    "squared": "squared at least D₂",
    "epsilon": "(1 − epsilon)·margin is where the learner stops moving",
    "rounding": "rounding covers the learner's",
    "eta": "eta is the learner's rate",
    "C": "C is the learner's",
    "p": "p is the learner's, radius of the examples' p-norms, norm the comparator's q-norm",
    "n": "n weights",
    "r": "r literals",
    "errors": "errors at least A",
    "threshold": "threshold at least the learner's",
    "floor": "threshold − floor at most the learner's less what its floor and its rounding cost",
    "factor": "factor the learner's",
    "delta": "delta at most the comparator's",
    "entropy": "entropy at least Σ μ ln μ",
    "gaps": "gaps is Δ, the sum of the mixability gaps that the rule holds",
    "scale": "scale at least the range of losses in a round",
    "best": "best is what the best expert lost, on the safe side",
    "switches": "switches at least the changes, or 0 where that allows more",
    "mistakes": "mistakes are those of the best expert",
    "regret": "regret is what the master proves of its own",
    "weighted": "weighted if rounds do not all cost 1",
    "loss": "loss at least what was lost",
    "known": "known if there was a class to predict in the first round",
}


class Counted(Protocol):
    """What a certificate says of the rounds themselves."""

    @property
    def rounds(self) -> int: ...

    @property
    def mistakes(self) -> int: ...

    @property
    def best_constant(self) -> int: ...

    @property
    def repeat_last(self) -> int: ...


def certificate(tally: Counted, statement: Statement, premises: tuple[Premise, ...]) -> Certificate:
    """The statement held against what was counted, with the premises on how the rounds were played."""
    return Certificate(
        bound=statement.theorem(**statement.numbers),
        count=tally.mistakes if statement.counted is None else statement.counted,
        rounds=tally.rounds,
        premises=(*premises, *statement.premises),
        witness=statement.witness,
        verify=verified(statement.theorem, statement.numbers),
        best_constant=tally.best_constant,
        repeat_last=tally.repeat_last,
        numbers=statement.numbers,
        any_order=statement.any_order,
        diagnostic=statement.diagnostic,
    )


def verified(theorem: Callable[..., Bound], numbers: Mapping[str, float]) -> str:
    """What to call to have the bound again, and what the numbers stand for."""
    call = ", ".join(f"{name}={_literal(value)}" for name, value in numbers.items())
    return f"th.bounds.{theorem.__name__}({call}); {', '.join(_MEANING[name] for name in numbers if name in _MEANING)}"


def _literal(value: float) -> str:
    return repr(value) if math.isfinite(value) else "math.inf"


def known(tally: Tally, kind: type[Rule]) -> bool:
    """Whether the core itself played these rounds, one after the other, by a rule of this kind."""
    return isinstance(tally.rule, kind) and tally.history is not None


def played(tally: Tally, kind: type[Rule], *, called: str, begins: str, unseen: str) -> tuple[Premise, ...]:
    """The premises on how the rounds were played: by one learner, from its beginning, every example with weight 1."""
    status = Status.CHECKED if known(tally, kind) else Status.ASSUMED
    earlier = Premise(
        f"the first {tally.unseen:,} rounds {unseen}", Status.ASSUMED, "they were learned earlier and cannot be read again"
    )
    return (
        *((earlier,) if tally.unseen else ()),
        Premise(f"the rounds are one {called}'s", status)
        if tally.moved is None
        else Premise(f"the rounds are one {called}'s", Status.BROKEN, f"round {tally.moved} moved it without a mistake"),
        Premise(f"they begin at {begins}", status)
        if tally.first == 1
        else Premise(f"they begin at {begins}", Status.BROKEN, f"the ledger begins at round {tally.first}"),
        Premise("every example has weight 1", Status.CHECKED)
        if tally.weighted is None
        else Premise("every example has weight 1", Status.BROKEN, f"not the one of round {tally.weighted}"),
    )
