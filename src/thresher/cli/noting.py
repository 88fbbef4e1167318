"""How batches come to a learner, and what is noted of their rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from thresher._core import Batch as CoreBatch
from thresher._core import Rounds
from thresher.cli.interrupt import Interrupt
from thresher.cli.progress import Table
from thresher.data.stream import Batch, Stream
from thresher.evaluate import Course, Measuring
from thresher.ledger import Tally
from thresher.store import StoredLearner

if TYPE_CHECKING:
    from thresher.evaluate import Trace

__all__ = ["Notes", "UntilStopped", "in_parts", "traced"]


class Notes:
    """The table of progress, the metrics and, where somebody wants it, their course."""

    def __init__(self, table: Table, measuring: Measuring, course: Course | None) -> None:
        self.table, self.measuring, self.course = table, measuring, course

    @property
    def left(self) -> int:
        """How many rounds there are until something is to be noted."""
        return self.table.left if self.course is None else min(self.table.left, self.course.left)

    def enter(self, rounds: Rounds, now: Tally, weights: Callable[[], list[float] | None]) -> None:
        """Notes rounds, after which so much was counted; `weights` are the lanes' then."""
        self.measuring.metrics.enter(rounds)
        self.table.enter(now, weights)
        if self.course is not None:
            self.course.enter(weights)

    def end(self, weights: list[float] | None) -> None:
        """Notes that there are no more."""
        self.table.end(weights)
        if self.course is not None:
            self.course.end(weights)


class UntilStopped:
    """The batches of a stream, until Ctrl-C; whoever asks for one has done with the one before.

    Where a line that cannot be read comes next, that is said, Ctrl-C or not: a run that went on behind it would miss it.
    """

    def __init__(self, stream: Stream, interrupt: Interrupt) -> None:
        self._stream, self._batches = stream, iter(stream)
        self._interrupt = interrupt
        self._peeked: list[Batch] = []
        self.stopped = False
        self.nonzeros = 0
        self._last: CoreBatch | None = None

    def fails_after(self, batch: Batch) -> bool:
        """Whether a line that cannot be read comes right after this batch, or after that which it is a part of."""
        return batch.rows is self._last

    def peek(self) -> Batch | None:
        """The first batch, which will come again."""
        self._peeked = list(islice(self._batches, 1))
        return next(iter(self._peeked), None)

    def __iter__(self) -> Iterator[Batch]:
        for batch in chain(self._peeked, self._batches):
            if self._stream.failing:
                self._last = batch.rows
            yield batch
            self.nonzeros += batch.rows.nonzeros
            if self._interrupt.wished and not self._stream.failing:
                self.stopped = True
                return


def in_parts(read: UntilStopped, batches: Iterable[Batch], notes: Notes) -> Iterator[Batch]:
    """The batches, cut where something is to be noted; not the one before a bad line, which nobody counts."""
    for batch in batches:
        start = 0
        while start < len(batch):
            end = min(len(batch), start + (len(batch) if read.fails_after(batch) else notes.left))
            yield batch if end - start == len(batch) else batch.part(start, end)
            start = end


def traced(
    stream: Stream, batches: Iterable[Batch], learner: StoredLearner, rounds: int, traces: list[Trace]
) -> Iterator[Batch]:
    """The batches of a stream, with a trace made of the first rounds on a copy of the learner."""
    from thresher.evaluate import trace

    apprentice = [copy(learner)]  # to be taken out: its weights need not stay
    examples: list[tuple[Any, ...]] = []
    names: dict[int, str] = {}
    for batch in batches:
        for row in range(min(len(batch), rounds - len(examples))):
            weight = 1.0 if batch.weights is None else float(batch.weights[row])
            examples.append((batch.X[row], int(batch.y[row]), weight))
            names |= stream.names_of(batch, row)
        if len(examples) == rounds and not traces:
            traces.append(trace(apprentice.pop(), examples, names=names, digits=6, most=4))
        yield batch
    if not traces:
        traces.append(trace(apprentice.pop(), examples, names=names, digits=6, most=4))
