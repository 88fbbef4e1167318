"""What is shown while a stream is read: a table whose rows come at doubled distances, and a bar on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from thresher.evaluate import percent

if TYPE_CHECKING:
    from thresher.data.source import Source
    from thresher.ledger import Tally

__all__ = ["Bar", "Row", "Table"]

_HEAD = ("examples", "positives", "mistakes", "   error", "since last", "best constant", "repeat last")  # in 80 letters


class Row(NamedTuple):
    """A row of the table: what was counted by then, and how a portfolio weighed its lanes."""

    examples: int
    positives: int
    mistakes: int
    repeat_last: int
    weights: list[float] | None

    @property
    def best_constant(self) -> int:
        """The mistakes of whoever always says the label that was more frequent."""
        return min(self.positives, self.examples - self.positives)

    def as_dict(self) -> dict[str, object]:
        """The row as JSON can hold it; `weights` only of a portfolio."""
        counts: dict[str, object] = {
            "examples": self.examples,
            "positives": self.positives,
            "mistakes": self.mistakes,
            "best_constant": self.best_constant,
            "repeat_last": self.repeat_last,
        }
        return counts if self.weights is None else {**counts, "weights": self.weights}


class Table:
    """A row after 1, 2, 4, 8, … examples and one at the end, written as they come and kept in `rows`.

    The batches must be cut when `left` examples are, so that what a row says of the learner is as it was then.
    """

    def __init__(self, bar: Bar, began: Tally, now: Tally) -> None:
        self._bar = bar
        self._began, self._now = began, now
        self._next = 1
        while self._next <= self._examples:
            self._next *= 2
        self._row_before = (self._examples, now.mistakes - began.mistakes)
        self.rows: list[Row] = []

    @property
    def _examples(self) -> int:
        return self._now.rounds - self._began.rounds

    @property
    def left(self) -> int:
        """How many examples there are until the next row."""
        return self._next - self._examples

    def enter(self, now: Tally, weights: Callable[[], list[float] | None]) -> None:
        """Notes what was counted by now, and shows it if a row is due; `weights` are the lanes' then."""
        self._now = now
        if self._examples == self._next:
            self._show(weights())
            self._next *= 2

    def end(self, weights: list[float] | None) -> None:
        """Shows the last row, unless it was shown."""
        if self._row_before[0] != self._examples:
            self._show(weights)
        self._bar.write("")

    def _show(self, weights: list[float] | None) -> None:
        if not self.rows:
            self._bar.write("  ".join(_HEAD))
        now, began = self._now, self._began
        row = Row(
            examples=self._examples,
            positives=now.positives - began.positives,
            mistakes=now.mistakes - began.mistakes,
            repeat_last=now.repeat_last - began.repeat_last,
            weights=weights,
        )
        examples, mistakes = self._row_before
        cells = (
            f"{row.examples:,}",
            f"{row.positives:,}",
            f"{row.mistakes:,}",
            percent(row.mistakes / row.examples),
            percent((row.mistakes - mistakes) / (row.examples - examples)),
            percent(row.best_constant / row.examples),
            percent(row.repeat_last / row.examples),
        )
        self._bar.write("  ".join(f"{cell:>{len(name)}}" for cell, name in zip(cells, _HEAD, strict=True)))
        self._row_before = (row.examples, row.mistakes)
        self.rows.append(row)


class Reading(Protocol):
    """What is being read: where from, and how many bytes so far."""

    @property
    def source(self) -> Source: ...

    @property
    def read(self) -> int: ...


class Bar:
    """Lines on stderr; below them, on a terminal and after half a second, how far one has come, how fast, and what is left."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty() and not quiet
        self._began = time.monotonic()
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()  # or the terminal would stay without its cursor

    def write(self, line: str) -> None:
        """Writes a line, above the bar if there is one."""
        if self._quiet:
            return
        if self._progress is None:
            try:
                print(line, file=sys.stderr, flush=True)
            except OSError:  # whoever read the table has left, or its disk is full: what is learned matters more
                self._quiet = True
        else:
            self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def note(self, line: str) -> None:
        """Writes a line that tells how far one has come, where there is no bar to do so."""
        if not self._terminal:
            self.write(line)

    def advance(self, what: str, stream: Reading, examples: int) -> None:
        """Says how far the stream was read; how much is left, where that can be told: of Parquet and Arrow it cannot."""
        if self._shows:
            size = stream.source.size if self._progress is None and stream.read else None
            self._update(what, size, stream.read, examples)

    def count(self, what: str, done: int, of: int | None = None, unit: str = "examples") -> None:
        """Says how many rounds were played, or other units done, of how many if that is known."""
        if self._shows:
            self._update(what, of, done, done, unit)

    @property
    def _shows(self) -> bool:
        return self._terminal and time.monotonic() - self._began >= 0.5

    def _update(self, what: str, total: int | None, completed: int, done: int, unit: str = "examples") -> None:
        if self._progress is None:
            self._start(what, total)
        rate = done / max(time.monotonic() - self._began, 1e-9)
        self._progress.update(self._task, completed=completed, rate=f"{rate:,.0f} {unit}/s")

    def end(self) -> None:
        """Takes the bar away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        self._began = time.monotonic()

    def _start(self, what: str, size: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(what, total=size, rate="")
        self._progress.start()
