"""How the counts of a ledger went, at some hundred points."""

from __future__ import annotations

import numpy as np

from thresher._core import Round, Rounds
from thresher.drawing import Counted
from thresher.ledger.tally import Tally

__all__ = ["Course"]

_MOST = 256

#: Rounds, and until after them: mistakes, positives, labels other than the one before, loss.
Point = tuple[int, int, int, int, float]


class Course:
    """What was counted after each round, or after each second, fourth, eighth …, so that there are at most 256 points."""

    def __init__(self, start: Tally) -> None:
        self._step = 1
        self._start = _point(start)
        self._points: list[Point] = []

    def enter(self, entered: Round | Rounds, before: Tally, after: Tally) -> None:
        """Notes the counts that fall into these rounds."""
        while after.rounds - self._start[0] > _MOST * self._step:
            self._step *= 2
            self._points = [point for point in self._points if point[0] % self._step == 0]
        if isinstance(entered, Round):
            if after.rounds % self._step == 0:
                self._points.append(_point(after))
            return
        first = (before.rounds // self._step + 1) * self._step
        if first <= after.rounds:
            marks = range(first, after.rounds + 1, self._step)
            found = entered._counted([mark - before.rounds for mark in marks], before.last_label)
            _, mistakes, positives, repeats, loss = _point(before)
            self._points += [
                (mark, mistakes + wrong, positives + plus, repeats + other, loss + lost)
                for mark, (wrong, plus, other, lost) in zip(marks, found, strict=True)
            ]

    def until(self, now: Tally) -> Counted:
        """The counts in columns, the last of them those of now."""
        points = [self._start, *self._points]
        points += [_point(now)] if points[-1][0] != now.rounds else []
        since, mistakes, positives, repeats = (np.array([point[k] for point in points], np.int64) for k in range(4))
        return Counted(since, mistakes, positives, repeats, np.array([point[4] for point in points], np.float64))


def _point(tally: Tally) -> Point:
    return tally.rounds, tally.mistakes, tally.positives, tally.repeat_last, tally.loss
