"""What the ledger counts of every round, and who else may watch it count."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._core import Round, Rounds, Rule
from thresher.errors import LedgerError, StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Tally"]

_NOT_STORED = {"rule", "unseen", "doubt"}
_MOST_ROUNDS = 2**62


@dataclass(frozen=True, slots=True)
class Tally:
    """The facts of the rounds entered so far.

    `first` is the number of the first of them. `weighted` is the first round whose example had a weight other than 1, and
    `moved` the first that changed the learner without a mistake, which no Perceptron does. `history` is the core's digest of
    the rounds up to now, by which the next ones are known to follow; None if some came without one. `missed` counts the
    mistakes on positive examples. The first `unseen` rounds were counted, but no comparator has seen them: they were
    played before this ledger was opened. `doubt` is how far a score may ever have been off, beyond the rounding of a sum;
    `rest` is the low part of the loss.
    """

    first: int = 1
    rounds: int = 0
    mistakes: int = 0
    updates: int = 0
    loss: float = 0.0
    positives: int = 0
    missed: int = 0
    repeat_last: int = 0
    last_label: int = +1
    weighted: int | None = None
    moved: int | None = None
    rule: Rule | None = None
    history: int | None = 0
    unseen: int = 0
    doubt: float = 0.0
    rest: float = 0.0

    @property
    def negatives(self) -> int:
        return self.rounds - self.positives

    @property
    def best_constant(self) -> int:
        """The mistakes of whoever always says the more frequent label."""
        return min(self.positives, self.negatives)

    def after(self, entered: Round | Rounds) -> Tally:
        """The tally with these rounds added. They must follow those that were entered before."""
        if isinstance(entered, Rounds) and len(entered) == 0:
            return self
        first = entered.first if isinstance(entered, Rounds) else entered.t
        if self.rounds:
            self._check_follows(entered, first)
        if isinstance(entered, Rounds):
            rounds, mistakes, updates = len(entered), entered.mistakes, entered.updates
            positives, missed, repeats, last = entered._counts(self.last_label)
        else:
            rounds, mistakes, updates, last = 1, int(entered.mistake), int(entered.changed), entered.label
            positives, repeats = int(last > 0), int(last != self.last_label)
            missed = int(last > 0 and entered.prediction.label <= 0)
        known = self.history is not None and entered.before is not None
        loss, rest = entered.loss_after(self.loss, self.rest)
        return Tally(
            first=self.first if self.rounds else first,
            rounds=self.rounds + rounds,
            mistakes=self.mistakes + mistakes,
            updates=self.updates + updates,
            loss=loss,
            rest=rest,
            positives=self.positives + positives,
            missed=self.missed + missed,
            repeat_last=self.repeat_last + repeats,
            last_label=last,
            weighted=self.weighted or _first_weighted(entered),
            moved=self.moved or (_first_moved(entered) if entered.rule is None else None),
            rule=entered.rule,
            history=entered.after if known else None,
            unseen=self.unseen,
            doubt=max(self.doubt, entered.doubt),
        )

    def as_dict(self) -> dict[str, Any]:
        """The tally as JSON can hold it; the rule is the learner's, and a rest is there only where losses are no counts."""
        stored = {name: value for name, value in asdict(self).items() if name not in _NOT_STORED}
        return {name: value for name, value in stored.items() if name != "rest" or value != 0.0}

    @classmethod
    def from_dict(cls, stored: object, rule: Rule | None) -> Tally:
        """The tally whose `as_dict` this is."""
        names = set(cls.__dataclass_fields__) - _NOT_STORED - {"rest"}
        if not isinstance(stored, Mapping) or set(stored) - {"rest"} != names:
            raise StoreError(f"the ledger's sums are not {', '.join(sorted(names))}")
        optional = {"weighted", "moved", "history"}
        whole = all(type(stored[name]) is int or (name in optional and stored[name] is None) for name in names - {"loss"})
        if not whole or type(stored["loss"]) is not float or not stored["loss"] >= 0.0:
            raise StoreError("the ledger's sums are not whole counts and a loss")
        rest = stored.get("rest", 0.0)
        if type(rest) is not float or not abs(rest) <= math.ulp(stored["loss"]):
            raise StoreError(f"found {rest!r} for the rest of a loss of {stored['loss']!r}, expected less than its last digit")
        tally = cls(**stored, rule=rule if stored["rounds"] else None)
        if not tally._possible():
            raise StoreError(f"found sums {dict(stored)!r} that no run of rounds can have")
        return tally

    def _possible(self) -> bool:
        """Whether there can be rounds with these sums."""
        if self.rounds == 0:
            return self == Tally()
        counts = (self.mistakes, self.updates, self.positives, self.repeat_last, self.missed, self.loss)
        rounds = (self.first if self.weighted is None else self.weighted, self.first if self.moved is None else self.moved)
        return (
            1 <= self.first <= _MOST_ROUNDS
            and self.rounds <= _MOST_ROUNDS
            and all(0 <= count <= self.rounds for count in counts)
            and self.missed <= min(self.mistakes, self.positives)
            and self.mistakes - self.missed <= self.negatives
            and self.last_label in (-1, 1)
            and all(self.first <= t < self.first + self.rounds for t in rounds)
            and (self.history is None or 0 < self.history < 2**64)
        )

    def _check_follows(self, entered: Round | Rounds, first: int) -> None:
        if first != self.first + self.rounds:
            raise LedgerError(f"found round {first}, expected round {self.first + self.rounds}: none may be left out")
        forked = self.history is not None and entered.before is not None and entered.before != self.history
        if entered.rule != self.rule or forked:
            raise LedgerError(
                "these rounds do not follow from those entered before: they are another learner's, or a copy's that went "
                "its own way"
            )


def _first_weighted(entered: Round | Rounds) -> int | None:
    if isinstance(entered, Round):
        return None if entered.weight == 1.0 else entered.t
    if entered.weights is None:
        return None
    return _first(entered, np.asarray(entered.weights) != 1.0)


def _first_moved(entered: Round | Rounds) -> int | None:
    if isinstance(entered, Round):
        return entered.t if entered.changed and not entered.mistake else None
    return _first(entered, entered.changed & (entered.predictions == entered.labels))


def _first(entered: Rounds, where: NDArray[np.bool_]) -> int | None:
    found = np.flatnonzero(where)
    return entered.first + int(found[0]) if found.size else None
