"""How the metrics of a run went, at some hundred points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from thresher.evaluate.measuring import Measuring
from thresher.evaluate.metrics import NAMES, Measured

__all__ = ["Course", "Point"]

_FINER = 10
_MOST = 1000
_PREFIXES = {1: "", 2: "last_", 3: "held_"}


class Point(NamedTuple):
    """After so many rounds: what was measured so far, over the window, of what was held out, and the lanes' weights."""

    rounds: int
    so_far: Measured
    last: Measured
    held: Measured | None
    weights: list[float] | None


class Course:
    """A point each tenth of a window; of more than a thousand each tenth is kept, and the next are ten times as far apart.

    >>> from thresher.evaluate.measuring import Measuring
    >>> measuring = Measuring(window=20)
    >>> course = Course(measuring)
    >>> for k in range(7):
    ...     measuring.metrics.count([1], [1], [0.5])
    ...     course.enter(lambda: None)
    >>> [point.rounds for point in course.points], course.left
    ([2, 4, 6], 1)
    """

    def __init__(self, measuring: Measuring) -> None:
        self._measuring = measuring
        self._step = max(1, measuring.metrics.window // _FINER)
        self.points: list[Point] = []

    @property
    def left(self) -> int:
        """How many rounds there are until the next point."""
        return self._step - self._measuring.metrics.so_far.rounds % self._step

    def enter(self, weights: Callable[[], list[float] | None]) -> None:
        """Notes a point, if one is due after the rounds that were measured."""
        rounds = self._measuring.metrics.so_far.rounds
        if rounds and rounds % self._step == 0:
            self._note(weights())
            if len(self.points) > _MOST:
                self._step *= _FINER
                self.points = [point for point in self.points if point.rounds % self._step == 0]

    def end(self, weights: list[float] | None) -> None:
        """Notes the last point; one that is there already may not know of examples held out after it."""
        if self.points and self.points[-1].rounds == self._measuring.metrics.so_far.rounds:
            self.points.pop()
        self._note(weights)

    def _note(self, weights: list[float] | None) -> None:
        metrics, held = self._measuring.metrics, self._measuring.held
        so_far = metrics.so_far
        self.points.append(Point(so_far.rounds, so_far, metrics.last, None if held is None else held.last, weights))

    def csv(self) -> Iterator[str]:
        """The points as lines of CSV, each number as Python spells it, and nothing where there is none."""
        columns = [(1, name) for name in NAMES if name != "auc"] + [(2, name) for name in NAMES]
        columns += [] if self._measuring.held is None else [(3, name) for name in NAMES]
        yield ",".join(["rounds", *(f"{_PREFIXES[group]}{name}" for group, name in columns)]) + "\n"
        for point in self.points:
            cells = [getattr(point[group], name) for group, name in columns]
            yield ",".join([str(point.rounds), *("" if cell is None else repr(cell) for cell in cells)]) + "\n"
