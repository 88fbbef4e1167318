"""How the counts of a ledger went, at some hundred points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher._core import Round, Rounds
from thresher.drawing import Counted, counted
from thresher.ledger.tally import Tally

__all__ = ["Course"]

_MOST = 256


class Course:
    """What was counted after each round, or after each second, fourth, eighth …, so that there are at most 256 points."""

    def __init__(self, start: Tally) -> None:
        self._step = 1
        self._points = [_row(start)]

    def enter(self, entered: Round | Rounds, before: Tally, after: Tally) -> None:
        """Notes the counts that fall into these rounds."""
        if after.rounds - self._points[0][0, 0] > _MOST * self._step:
            self._thin(after.rounds)
        if isinstance(entered, Round):
            if after.rounds % self._step == 0:
                self._points.append(_row(after))
            return
        marks = self._step * np.arange(before.rounds // self._step + 1, after.rounds // self._step + 1)
        if len(marks):
            found = counted(entered, before.last_label, marks - before.rounds)
            self._points.append(_row(before) + np.stack(found, axis=1))

    def _thin(self, rounds: int) -> None:
        start, *others = self._points
        while rounds - start[0, 0] > _MOST * self._step:
            self._step *= 2
        points = np.concatenate(others) if others else start[:0]
        self._points = [start, points[points[:, 0] % self._step == 0]]

    def until(self, now: Tally) -> Counted:
        """The counts in columns, the last of them those of now."""
        points = np.concatenate([*self._points, _row(now)])
        points = points[: len(points) - (len(points) > 1 and points[-2, 0] == points[-1, 0])]
        since, mistakes, positives, repeats = (points[:, k].astype(np.int64) for k in range(4))
        return Counted(since, mistakes, positives, repeats, points[:, 4])


def _row(tally: Tally) -> NDArray[np.float64]:
    """The counts as they stand, exact in float64."""
    return np.array([[tally.rounds, tally.mistakes, tally.positives, tally.repeat_last, tally.loss]], np.float64)
