"""What the ledger counts of rounds whose label is one of many classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from thresher._core import one_block
from thresher.class_labels import NO_CLASS, ClassLabel, ClassLabels
from thresher.class_rounds import ClassOrigin, ClassRound, ClassRounds
from thresher.errors import LedgerError

__all__ = ["ClassTally", "in_columns"]


@dataclass(frozen=True, slots=True)
class ClassTally:
    """The facts of the rounds entered so far.

    `nameless` counts the rounds in which no class was predicted, since none was known; `weighted` is the first round whose
    example had a weight other than 1. `origin` is by whom the rounds say that they were played.
    """

    first: int = 1
    rounds: int = 0
    mistakes: int = 0
    updates: int = 0
    nameless: int = 0
    repeat_last: int = 0
    last_label: ClassLabel | None = None
    frequencies: Mapping[ClassLabel, int] = field(default_factory=dict)
    weighted: int | None = None
    origin: ClassOrigin | None = None

    @property
    def best_constant(self) -> int:
        """The mistakes of whoever always says the most frequent class."""
        return self.rounds - max(self.frequencies.values(), default=0)

    def after(self, entered: ClassRounds) -> ClassTally:
        """The tally with these rounds added. They must follow those that were entered before."""
        if len(entered) == 0:
            return self
        if self.rounds:
            self._check_follows(entered)
        counts = np.bincount(entered.labels, minlength=len(entered.classes))
        told = {entered.classes.at(int(code)): int(counts[code]) for code in np.flatnonzero(counts)}
        labels = entered.labels
        changes = int(entered.classes.at(int(labels[0])) != self.last_label) + int(np.count_nonzero(np.diff(labels)))
        return ClassTally(
            first=self.first if self.rounds else entered.first,
            rounds=self.rounds + len(entered),
            mistakes=self.mistakes + entered.mistakes,
            updates=self.updates + entered.updates,
            nameless=self.nameless + int(np.count_nonzero(entered.predictions == NO_CLASS)),
            repeat_last=self.repeat_last + changes,
            last_label=entered.classes.at(int(labels[-1])),
            frequencies=Counter(self.frequencies) + Counter(told),
            weighted=self.weighted or _first_weighted(entered),
            origin=entered.origin,
        )

    def _check_follows(self, entered: ClassRounds) -> None:
        expected = self.first + self.rounds
        if entered.first != expected:
            raise LedgerError(f"found round {entered.first}, expected round {expected}: none may be left out")
        if entered.origin != self.origin:
            raise LedgerError("these rounds do not follow from those entered before: they are another learner's")


def in_columns(entered: ClassRound | ClassRounds) -> ClassRounds:
    """The rounds in columns, checked: one or many come to the same."""
    if isinstance(entered, ClassRound):
        said = [] if entered.prediction.label is None else [entered.prediction.label]
        classes = ClassLabels(dict.fromkeys([*said, entered.label]))
        example = [entered.example] if entered.origin is None else one_block(entered.example, entered.origin.n)
        entered = ClassRounds(
            entered.t,
            example,
            classes,
            np.array([classes.code(entered.prediction.label)], np.int32),
            np.array([classes.code(entered.label)], np.int32),
            np.array([entered.prediction.score]),
            np.array([entered.changed]),
            None if entered.weight == 1.0 else np.array([entered.weight]),
            entered.origin,
        )
    columns: tuple[object, ...] = (entered.predictions, entered.labels, entered.scores, entered.changed)
    arrays = all(isinstance(column, np.ndarray) and column.ndim == 1 for column in columns)
    named: object = entered.classes
    if not arrays or not isinstance(named, ClassLabels):
        raise LedgerError("found rounds whose columns are no arrays, or whose classes are no ClassLabels")
    if entered.predictions.dtype.kind != "i" or entered.labels.dtype.kind != "i":
        raise LedgerError("found predictions or labels that are no codes, expected whole numbers: places in the classes")
    origin: object = entered.origin
    if origin is not None and not isinstance(origin, ClassOrigin):
        raise LedgerError(f"found the origin {origin!r}, expected a ClassOrigin or None")
    lengths = {len(entered.predictions), len(entered.labels), len(entered.scores), len(entered.changed)}
    if len(lengths) > 1 or (entered.weights is not None and len(entered.weights) != len(entered)):
        raise LedgerError("found columns of different lengths, expected one entry a round in each")
    for codes, least in ((entered.predictions, NO_CLASS), (entered.labels, 0)):
        if codes.size and not (least <= codes.min() and codes.max() < len(entered.classes)):
            raise LedgerError(f"found codes that are no places among the {len(entered.classes)} classes")
    return entered


def _first_weighted(entered: ClassRounds) -> int | None:
    found = np.flatnonzero([] if entered.weights is None else entered.weights != 1.0)
    return entered.first + int(found[0]) if found.size else None
