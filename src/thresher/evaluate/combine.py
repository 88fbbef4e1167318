"""The loop that plays a forecaster against a table: rows with an outcome are rounds, the others are only forecast."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher._core import Rounds
from thresher.bounds import Bound
from thresher.errors import ExampleError
from thresher.evaluate.scores import losses
from thresher.experts import LossRounds
from thresher.ledger import Ledger
from thresher.ledger.scores import averages

__all__ = ["Course", "Player", "Point", "Rows", "combine", "mixture_losses"]

_POINTS = 240
_PART, _LEAST = 10, 10

Numbers = NDArray[np.float64]


class Rows(NamedTuple):
    """Rows of a table: forecasts, rows × forecasters (× outcomes), NaN for one asleep; outcomes, NaN for one not known yet."""

    forecasts: Numbers
    outcomes: Numbers


class Player(Protocol):
    """What is played: `th.Forecaster`, or what does the same. Rounds with labels are those of advice of zeros and ones."""

    @property
    def weights(self) -> Numbers: ...

    @property
    def proven(self) -> Bound | None: ...

    def learn_many(self, forecasts: Numbers, outcomes: Numbers, /) -> LossRounds | Rounds: ...

    def predict_many(self, forecasts: Numbers, /) -> Numbers: ...


class Point(NamedTuple):
    """Where things stand after a round: losses are sums from the first round on, `awake` counts each forecaster's rounds."""

    t: int
    row: int
    weights: Numbers
    loss: float
    losses: Numbers
    awake: NDArray[np.int64]
    average: float
    proven: float | None


class Course(NamedTuple):
    """A run: what was forecast for every row (NaN if all slept), and how things stood at some hundred points, the last the end.

    `part` is the point before the last part of the rounds: a tenth of them, and at least ten. `tail` is the end with sums of
    that part alone, which differences of sums would not give after a round of huge losses.
    """

    forecasts: Numbers
    points: list[Point]
    part: Point
    tail: Point

    @property
    def rounds(self) -> int:
        return self.points[-1].t

    @property
    def last(self) -> int:
        """How many rounds the last part has."""
        return self.rounds - self.part.t


def combine(
    player: Player,
    table: Sequence[Rows],
    loss: str,
    ledger: Ledger | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Course:
    """Plays all rows in order, and enters the rounds into the ledger; `progress` is told how many were played, and of how many.

    A row that cannot be played raises `ExampleError` with `.row` counted over the whole table.
    """
    rounds = sum(int(np.count_nonzero(~np.isnan(rows.outcomes))) for rows in table)
    part = max(0, rounds - max(_LEAST, rounds // _PART))
    marks = {0, part, *(-(-rounds * k // _POINTS) for k in range(1, _POINTS + 1))}
    n = table[0].forecasts.shape[1]
    tally, tail = _Tally(n), _Tally(n)
    made: list[Numbers] = []
    points = {0: tally.point(player, 0)}
    for start, stop, rows in _pieces(table, marks):
        known = not np.isnan(rows.outcomes[0])
        try:
            if known:
                played = player.learn_many(rows.forecasts, rows.outcomes)
                said = _said(played, rows.outcomes)
                if tally.t >= part:
                    tail.enter(loss, rows, said)
                tally.enter(loss, rows, said)
                if ledger is not None:
                    ledger.enter(played)
                if tally.t in marks:
                    points[tally.t] = tally.point(player, stop)
            else:
                said = _only_forecast(player, tally.without_out(rows.forecasts))
        except ExampleError as error:
            row = start + (error.row or 0)
            raise ExampleError(re.sub(r"^row \d+: ", "", str(error)), row=row, column=error.column) from None
        made.append(said)
        if progress is not None:
            progress(tally.t, rounds)
    course = [point for t, point in sorted(points.items()) if t > 0]
    return Course(np.concatenate(made), course, points[part], tail.point(player, course[-1].row))


def mixture_losses(course: Course, table: Sequence[Rows], loss: str, mixture: Numbers) -> tuple[dict[int, float], float]:
    """What a fixed mixture of forecasters that never sleep would have lost up to each point of the course, and in its tail."""
    wanted = {0: 0.0, **{point.t: 0.0 for point in (*course.points, course.part)}}
    t, total, tail = 0, 0.0, 0.0
    for _, _, rows in _pieces(table, set(wanted)):
        if not np.isnan(rows.outcomes[0]):
            said = np.tensordot(rows.forecasts, mixture, axes=(1, 0))
            lost = float(losses(loss, said[:, None], rows.outcomes).sum())
            total += lost
            tail += lost if t >= course.part.t else 0.0
            t += len(said)
            if t in wanted:
                wanted[t] = total
    return wanted, tail


def _pieces(table: Sequence[Rows], marks: set[int]) -> Iterator[tuple[int, int, Rows]]:
    """The table in pieces all of whose outcomes are known, or none, and which end after the rounds in `marks`."""
    first, before = 0, 0
    ends = np.array(sorted(marks))
    for rows in table:
        known = ~np.isnan(rows.outcomes)
        t = before + np.cumsum(known)
        cut = np.flatnonzero((known[1:] != known[:-1]) | (known & np.isin(t, ends))[:-1]) + 1
        for start, stop in zip((0, *cut.tolist()), (*cut.tolist(), len(known)), strict=True):
            if start < stop:
                yield first + start, first + stop, Rows(rows.forecasts[start:stop], rows.outcomes[start:stop])
        first += len(known)
        before = int(t[-1]) if len(t) else before


def _said(played: LossRounds | Rounds, outcomes: Numbers) -> Numbers:
    """What was forecast; of rounds with labels the chance, or the share of the weight, of 1."""
    if isinstance(played, LossRounds):
        return np.asarray(played.forecasts, np.float64)
    return np.asarray(np.abs(outcomes - played.losses), np.float64)


def _only_forecast(player: Player, forecasts: Numbers) -> Numbers:
    """Forecasts for rows that are not learned; NaN where everybody sleeps."""
    awake = ~np.isnan(forecasts).all(axis=tuple(range(1, forecasts.ndim)))
    said = np.full((len(forecasts), *forecasts.shape[2:]), np.nan)
    if awake.any():
        said[awake] = player.predict_many(forecasts[awake])
    return said


class _Tally:
    """Sums of losses."""

    def __init__(self, n: int) -> None:
        self.t = 0
        self._loss = self._average = 0.0
        self._losses = np.zeros(n)
        self._awake = np.zeros(n, np.int64)

    def enter(self, loss: str, rows: Rows, said: Numbers) -> None:
        each = losses(loss, rows.forecasts, rows.outcomes)
        self._losses = self._losses + np.nansum(each, axis=0)
        self._awake = self._awake + np.count_nonzero(~np.isnan(each), axis=0)
        self._loss += float(losses(loss, said[:, None], rows.outcomes).sum())
        self._average += float(losses(loss, averages(rows.forecasts)[:, None], rows.outcomes).sum())
        self.t += len(said)

    def without_out(self, forecasts: Numbers) -> Numbers:
        """Forecasts with those asleep who have lost infinitely much: their weight is 0 for good."""
        out = np.isinf(self._losses)
        return np.where(out.reshape(-1, *[1] * (forecasts.ndim - 2)), np.nan, forecasts) if out.any() else forecasts

    def point(self, player: Player, row: int) -> Point:
        proven = None if self.t == 0 else player.proven
        weights = player.weights if self.t else np.full(len(self._losses), 1 / len(self._losses))
        value = None if proven is None or proven.infinite else proven.value
        return Point(self.t, row, weights, self._loss, self._losses, self._awake, self._average, value)
