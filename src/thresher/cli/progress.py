"""What is shown while a stream is read: a table whose rows come at doubled distances, and a bar on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from thresher.evaluate import percent

if TYPE_CHECKING:
    from thresher._core import Rounds
    from thresher.data.source import Source
    from thresher.ledger import Tally

__all__ = ["Bar", "Table"]

_HEAD = ("examples", "positives", "mistakes", "error so far", "since last row", "best constant", "repeat last")


class Table:
    """A row after 1, 2, 4, 8, … examples and one at the end; `show` writes it."""

    def __init__(self, bar: Bar, began: Tally, now: Tally) -> None:
        self._bar = bar
        self._examples = now.rounds - began.rounds
        self._positives = now.positives - began.positives
        self._mistakes = now.mistakes - began.mistakes
        self._repeats = now.repeat_last - began.repeat_last
        self._last_label = now.last_label
        self._next = 1
        while self._next <= self._examples:
            self._next *= 2
        self._row_before = (self._examples, self._mistakes)
        self._headed = False

    def enter(self, rounds: Rounds) -> None:
        """Counts rounds, and shows the rows that fall among them."""
        labels, wrong = rounds.labels, rounds.predictions != rounds.labels
        before = np.concatenate(([self._last_label], labels[:-1]))
        start = 0
        while start < len(labels):
            end = min(len(labels), start + self._next - self._examples)
            part = slice(start, end)
            self._examples += end - start
            self._positives += int(np.count_nonzero(labels[part] > 0))
            self._mistakes += int(np.count_nonzero(wrong[part]))
            self._repeats += int(np.count_nonzero(labels[part] != before[part]))
            start = end
            if self._examples == self._next:
                self._show()
                self._next *= 2
        self._last_label = int(labels[-1])

    def end(self) -> None:
        """Shows the last row, unless it was shown."""
        if self._row_before[0] != self._examples:
            self._show()
        self._bar.write("")

    def _show(self) -> None:
        if not self._headed:
            self._bar.write("  ".join(_HEAD))
            self._headed = True
        examples, mistakes = self._row_before
        constant = min(self._positives, self._examples - self._positives)
        cells = (
            f"{self._examples:,}",
            f"{self._positives:,}",
            f"{self._mistakes:,}",
            percent(self._mistakes / self._examples),
            percent((self._mistakes - mistakes) / (self._examples - examples)),
            percent(constant / self._examples),
            percent(self._repeats / self._examples),
        )
        self._bar.write("  ".join(f"{cell:>{len(name)}}" for cell, name in zip(cells, _HEAD, strict=True)))
        self._row_before = (self._examples, self._mistakes)


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

    def advance(self, what: str, stream: Reading, examples: int) -> None:
        """Says how far the stream was read."""
        self._update(what, stream.source.size if self._progress is None else None, stream.read, examples)

    def count(self, what: str, rounds: int, of: int | None = None) -> None:
        """Says how many rounds were played, of how many if that is known."""
        self._update(what, of, rounds, rounds)

    def _update(self, what: str, total: int | None, completed: int, examples: int) -> None:
        if not self._terminal or time.monotonic() - self._began < 0.5:
            return
        if self._progress is None:
            self._start(what, total)
        rate = examples / max(time.monotonic() - self._began, 1e-9)
        self._progress.update(self._task, completed=completed, rate=f"{rate:,.0f} examples/s")

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
