"""The rows of tables in pieces, file after file, read ahead by a thread."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterator

from thresher.data.ahead import started
from thresher.data.arrow_file import frame_pieces, ipc_pieces, parquet_pieces
from thresher.data.csv_file import CsvFile
from thresher.data.detect import format_of
from thresher.data.files import Files
from thresher.data.json_file import JsonFile
from thresher.data.pieces import Piece
from thresher.data.plan import Plan
from thresher.data.source import Opened
from thresher.errors import SourceError

__all__ = ["Pieces", "frame_pieces", "pieces_of"]

_AHEAD = 2


class Pieces:
    """Pieces in order, made when the first is asked for; by a thread that makes some ahead, if it is wished and to be had.

    `settled` is what whoever makes them waits for before another file: the first rows tell what their columns hold, and all
    files are read alike.
    """

    def __init__(self, made: Iterator[Piece], *, ahead: bool, settled: threading.Event | None = None) -> None:
        self._made, self._ahead = made, ahead
        self._settled = settled or threading.Event()
        self._ending = False
        self._at_work = False
        self._seen: deque[Piece | SourceError] = deque()
        self._waiting: queue.Queue[Piece | Exception | None] = queue.Queue(_AHEAD)
        self._thread: threading.Thread | None = None

    def __iter__(self) -> Iterator[Piece]:
        return self

    def __next__(self) -> Piece:
        piece = self._seen.popleft() if self._seen else self._next()
        if isinstance(piece, SourceError):
            raise piece
        return piece

    def look_on(self) -> Iterator[Piece]:
        """The pieces that come next, to be looked at: they will come again, and what is wrong behind them is said then."""
        try:
            while True:
                piece = self._next()
                self._seen.append(piece)
                yield piece
        except StopIteration:
            return
        except SourceError as error:
            self._seen.append(error)

    @property
    def at_work(self) -> bool:
        """Whether the thread is making a piece: else it waits for room, or has ended."""
        return self._at_work

    def settle(self) -> None:
        """The first rows have told what their columns hold."""
        self._settled.set()

    def _next(self) -> Piece:
        if self._thread is None:
            first = next(self._made)
            if self._ahead and not self._ending:
                self._thread = started(self._make, "thresher: reading tables")
                self._ahead = self._thread is not None
            return first
        piece = self._waiting.get()
        if isinstance(piece, Piece):
            return piece
        self._waiting.put(piece)  # whoever asks again gets the same
        if piece is not None:
            raise piece
        raise StopIteration

    def close(self) -> None:
        """Ends the thread."""
        self._ending = True
        self.settle()
        while self._thread is not None and self._thread.is_alive():
            try:
                self._waiting.get(timeout=0.01)
            except queue.Empty:
                continue

    def _make(self) -> None:
        end: Exception | None = None
        try:
            self._at_work = True
            for piece in self._made:
                self._at_work = False
                self._waiting.put(piece)
                if self._ending:
                    return
                self._at_work = True
        except Exception as error:
            end = error
        self._at_work = False
        self._waiting.put(end)


def pieces_of(files: Files, format: str | None, plan: Plan, *, labelled: bool, skip_bad: bool, threads: int) -> Pieces:
    """The rows of all files of a source; `labelled`: a file without the column of labels cannot be read."""
    waits = files.file is not None and files.file.pipe is not None  # who waits for a pipe could not be told to stop
    settled = threading.Event()
    made = _each(files, format, plan, settled, labelled=labelled, skip_bad=skip_bad, threads=threads)
    return Pieces(made, ahead=threads > 1 and not waits, settled=settled)


def _each(
    files: Files, format: str | None, plan: Plan, settled: threading.Event, *, labelled: bool, skip_bad: bool, threads: int
) -> Iterator[Piece]:
    opened = files.file
    decimals = dict(plan.recipe.decimals)
    while opened is not None:
        form = format or format_of(opened, table=True)
        told = False
        for piece in _of_file(opened, form, plan, decimals, said=format is not None, skip_bad=skip_bad, threads=threads):
            told = told or piece.rows > 0 or piece.failure is not None
            if labelled and piece.rows and form != "jsonl" and settled.is_set():  # an object of JSON may lack what others have
                plan.check_labelled(piece, opened.name)
            plan.meet(piece)
            yield piece
        if told:
            settled.wait()
        opened = files.next()


def _of_file(
    opened: Opened, format: str, plan: Plan, decimals: dict[str, str], *, said: bool, skip_bad: bool, threads: int
) -> Iterator[Piece]:
    if format == "parquet":
        return parquet_pieces(opened, plan, threads=threads)
    if format == "arrow":
        return ipc_pieces(opened, plan, stream=not opened.peek().startswith(b"ARROW1"))
    if format == "jsonl":
        return JsonFile(opened, skip_bad=skip_bad, threads=threads).pieces()
    file = CsvFile(opened, plan.recipe.header, plan.csv_type, decimals, plan.unmet, skip_bad=skip_bad, threads=threads)
    if not said:
        plan.check_table(file.names, opened.name)
    return file.pieces()
