"""How the counts of a ledger went, at some hundred points."""

from __future__ import annotations

import numpy as np

from thresher._core import Round, Rounds
from thresher.drawing import Counted, counted
from thresher.ledger.tally import Tally

__all__ = ["Course"]

_MOST = 1000


class Course:
    """What was counted after each round; of more than a thousand points each second is kept."""

    def __init__(self, start: Tally) -> None:
        self._step = 1
        self._points = [_row(start)]

    def enter(self, entered: Round | Rounds, before: Tally, after: Tally) -> None:
        """Notes the counts that fall into these rounds."""
        first = before.rounds + 1
        marks = np.arange(first + -first % self._step, after.rounds + 1, self._step)
        if isinstance(entered, Round):
            self._points += [_row(after)] * len(marks)
        elif len(marks):
            found = counted(entered, before.last_label, marks - before.rounds)
            rows = zip(*(column.tolist() for column in found), strict=True)
            self._points += [tuple(map(sum, zip(_row(before), row, strict=True))) for row in rows]
        while len(self._points) > _MOST:
            self._step *= 2
            start, *others = self._points
            self._points = [start, *(point for point in others if point[0] % self._step == 0)]

    def until(self, now: Tally) -> Counted:
        """The counts in columns, the last of them those of now."""
        points = self._points if self._points[-1][0] == now.rounds else [*self._points, _row(now)]
        *counts, loss = zip(*points, strict=True)
        since, mistakes, positives, repeats = (np.array(column, np.int64) for column in counts)
        return Counted(since, mistakes, positives, repeats, np.array(loss, np.float64))


def _row(tally: Tally) -> tuple[float, ...]:
    return tally.rounds, tally.mistakes, tally.positives, tally.repeat_last, tally.loss
