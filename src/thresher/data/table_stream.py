"""A table as a stream of examples: CSV, Parquet, Arrow, JSON Lines, and data frames."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._core import Batch as CoreBatch
from thresher._core import Column, Columns, TableReader
from thresher.data.arrow import arrow, first_line
from thresher.data.batch import Batch, Position
from thresher.data.columns import convert, kind_of
from thresher.data.files import Files
from thresher.data.frame import Frame
from thresher.data.labelled import Stream, Wishes, printable
from thresher.data.pieces import Piece, by_number
from thresher.data.plan import Plan, distinct
from thresher.data.recipe import Recipe
from thresher.data.source import Source
from thresher.data.spelling import positive_index
from thresher.data.table_files import Pieces, frame_pieces, pieces_of
from thresher.data.table_recipe import TableRecipe
from thresher.errors import ParameterError, SourceError

__all__ = ["TableStream"]

_FIRST_BAD = 5
_FEW = 100
_NEARLY = 0.9  # of all
_SHOWN = 8
_SLASHED = re.compile(r"\s*\d{1,2}/\d{1,2}/\d{2,4}\b", re.ASCII)
_LOOKED = 1 << 26  # so many bytes are kept to look for a second label


class TableStream(Stream):
    """A stream of the rows of tables; `open_stream` makes one."""

    def __init__(
        self, source: Source, recipe: Recipe, files: Files, wishes: Wishes, *, format: str | None, tag: str | None
    ) -> None:
        table = recipe.table or TableRecipe()
        predicts = wishes.keep_unlabelled and bool(table.kinds)  # as the model was when it had learned
        self._reader = TableReader(
            recipe.n,
            ngrams=recipe.ngrams,
            scaled=table.numeric == "scale",
            frozen=predicts,
            threads=wishes.threads,
            **wishes.policy,
        )
        super().__init__(source, recipe, self._reader, wishes.positive)
        for name, state in table.scales.items():
            self._reader.scale(name, *state)
        self._skip_bad, self._files = wishes.skip_bad, files
        self._spare_threads = wishes.threads > 2  # two have enough to do as long as one of them decodes
        self._plan, self._predicts = Plan(table, tag, fixed=predicts), predicts
        self._notices: list[str] = []
        self._bad = 0
        self._failure: SourceError | None = None
        self._closed = self._lost = self._leapt = False
        self._piece = Piece([], [], 0, by_number(str(source), 0))
        self._called: list[str | None] = []  # the columns, as errors call them
        self._pieces = (
            Pieces(frame_pieces(source.frame, str(source), self._plan), ahead=False)
            if isinstance(source, Frame)
            else pieces_of(
                files,
                format,
                self._plan,
                labelled=not wishes.keep_unlabelled,
                skip_bad=wishes.skip_bad,
                threads=wishes.threads,
            )
        )
        try:
            self._begin_first(needed=not wishes.keep_unlabelled, known=bool(recipe.plus or recipe.minus))
        except BaseException:
            self.close()
            raise

    # ---- what is known of it -----------------------------------------------------------------------------------------

    @property
    def recipe(self) -> Recipe:
        """How it is read, with the labels met so far, what the columns hold, and the scales of numbers."""
        return replace(super().recipe, table=self._plan.known(self._reader.scales))

    @property
    def position(self) -> Position:
        """How far it was read, in rows; one that cannot be read counts, too."""
        return Position(self._reader.rows, self._reader.digest)

    @property
    def read(self) -> int:
        """How many bytes were read on disk, some of them ahead; with `source.size` it tells how much is left."""
        return self._files.read

    @property
    def bad(self) -> int:
        """How many rows could not be read and were left out."""
        return self._bad + super().bad

    @property
    def failing(self) -> bool:
        """Whether a row that cannot be read comes right after the batch at hand."""
        return super().failing or (self._failure is not None and not self._reader.has_next)

    @property
    def notices(self) -> list[str]:
        """What a user should know of it."""
        return self._notices + super().notices

    # ---- reading -----------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Batch]:
        while not self._closed:
            if self.failing and self._failure is not None:
                raise self._failure
            if self._lost:
                raise SourceError(
                    "found a stream that was interrupted while it read, expected it opened anew", file=str(self.source)
                )
            self._lost = True  # unless what follows comes to its end
            if not self._reader.has_next and not self._begin_next():
                break
            shared = self._spare_threads or not self._pieces.at_work
            rows = self._reader.next(shared) if self._reader.has_next else None
            if rows is not None:
                self._note(rows)
                if len(rows):
                    self._decide_unless_failing()
            self._lost = False
            if rows is not None and len(rows):
                yield self._batch(rows)
        self._lost = False

    def skip_to(self, position: Position) -> None:
        """Passes over the rows that were read before; if they are not the same, says so."""
        left = position.offset
        while left and (self._reader.has_next or self._begin_next()):
            left -= self._reader.skip(left)
        if left or self._reader.digest != position.digest:
            raise SourceError(
                f"found other rows than the run was reading, in its first {position.offset:,}; "
                "expected the same, to go on where it stopped",
                file=str(self.source),
            )

    def close(self) -> None:
        """Ends it: no more batches are given."""
        self._closed = True
        self._reader.end()
        self._pieces.close()
        self._files.close()

    # ---- pieces ------------------------------------------------------------------------------------------------------

    def _begin_first(self, *, needed: bool, known: bool) -> None:
        """The first rows tell which column is the label, and what the others hold."""
        for piece in self._pieces:
            if piece.rows or piece.failure is not None:
                break
            self._leave_out(piece.skipped)
        else:
            raise SourceError(
                "found a table without a row, expected some below the names of the columns", file=str(self.source)
            )
        file = self._name
        if piece.rows:
            self._plan.choose_label(piece, file, needed=needed)
            if needed and not known and not self._skip_bad:
                labels = self._plan.check_label(piece, file)
            self._look(piece)
        self._begin(piece)
        self._pieces.settle()
        if piece.rows and needed and not known and not self._skip_bad and self._wanted is None and labels < 2:
            self._wanted = self._later_positive(piece)

    def _later_positive(self, first: Piece) -> str | None:
        """The positive label, where the first rows have but one and those that follow have another."""
        met = TableReader(1, **Wishes(None, True, True, False, None, 1).policy, ngrams=1, scaled=False, frozen=False, threads=1)
        size = 0
        for piece in chain([first], self._pieces.look_on()):
            if self._plan.label in piece.names:
                cells = piece.columns[piece.names.index(self._plan.label)]
                met.begin(Columns(piece.rows, [], convert(self._plan.label, "category", cells).columns[0], None))
                while met.has_next:
                    met.next()
            labels = [spelling.decode() for spelling, _ in met.labels]
            size += sum(cells.nbytes for cells in piece.columns)
            if len(labels) == 2 or piece.failure is not None or size > _LOOKED:
                break
        if piece is first or len(labels) < 2:
            return None
        try:
            return labels[positive_index(labels, None, -1)]
        except ParameterError as error:
            raise piece.error(met.labels[1][1] - 1, str(error)) from None

    def _begin_next(self) -> bool:
        """Takes up the next piece with a row; whether there is one. What could not be read behind the last one is said now."""
        while True:
            if self._failure is not None:
                raise self._failure
            piece = next(self._pieces, None)
            if piece is None:
                return False
            self._begin(piece)
            if self._reader.has_next:
                return True

    def _begin(self, piece: Piece) -> None:
        columns, wrong = self._converted(piece)
        skipped, failure, more = list(piece.skipped), piece.failure, 0
        if wrong:
            rows = sorted(wrong)
            if self._skip_bad:
                skipped += [_refused(piece, row, *wrong[row]) for row in rows[:_FIRST_BAD]]  # to place one takes a while
                more = len(rows[_FIRST_BAD:])
                kept = np.setdiff1d(np.arange(piece.rows), rows)
                piece = _taken(piece, kept)
            else:
                failure = _refused(piece, rows[0], *wrong[rows[0]])
                piece = _taken(piece, np.arange(rows[0]))
            columns, _ = self._converted(piece)
        self._leave_out(skipped, more)
        self._plan.decimals.update(piece.decimals)
        self._failure, self._piece = failure, piece
        self._reader.begin(columns)

    def _leave_out(self, skipped: list[SourceError], more: int = 0) -> None:
        self._bad += len(skipped) + more
        self._first_bad += skipped[: _FIRST_BAD - len(self._first_bad)]

    def _converted(self, piece: Piece) -> tuple[Columns, dict[int, tuple[str, str, Any]]]:
        """The core's columns, and by the rows that cannot be read the name, the kind and the cells of a column that is why."""
        plan, library = self._plan, arrow()
        columns: list[Column] = []
        label = tag = None
        wrong: dict[int, tuple[str, str, Any]] = {}
        for name, cells in zip(piece.names, piece.columns, strict=True):
            try:
                if name == plan.label:
                    label = convert(name, "category", cells).columns[0]
                if name == plan.tag:
                    tag = _tags(name, cells)
                kind = plan.kind(name, cells) if plan.uses(name) else None
                if kind == "":
                    found = f"column {name!r}: found {cells.type}, expected numbers, words, dates or lists of them"
                    raise SourceError(f"{found}; --ignore {name} (ignore= in Python) leaves it out", file=self._name)
                if kind is None:
                    continue
                made = convert(name, kind, cells)
            except library.ArrowException as error:
                found = f"column {name!r}: found cells that cannot be read ({first_line(error)})"
                raise SourceError(f"{found}, expected them whole", file=self._name) from None
            columns += made.columns
            for row in [] if made.wrong is None else np.flatnonzero(made.wrong).tolist():
                wrong.setdefault(row, (name, kind, cells))
        self._called = [*(column.name for column in columns), plan.label]
        return Columns(piece.rows, columns, label, tag), wrong

    def _look(self, piece: Piece) -> None:
        """What a user should know of the columns; if none that the model knows is there, they are another table's."""
        self._notices += piece.notices
        known, there = self._plan.recipe.kinds, {*piece.names}
        empty = tuple(f"{name}." for name, cells in zip(piece.names, piece.columns, strict=True) if kind_of(cells.type) is None)
        missing = [name for name in known if name not in there and not name.startswith(empty)]  # objects may be null
        if missing:
            told = f"{', '.join(missing[:_SHOWN])}{', …' if len(missing) > _SHOWN else ''}"
            if len(missing) == len(known):
                raise SourceError(f"found none of the columns that the model knows ({told})", file=self._name)
            self._notices.append(f"the first rows have no column {told}, which the model knows")
        if piece.rows < _FEW or self._predicts:  # by then nobody can leave a column out
            return
        for name, cells in zip(piece.names, piece.columns, strict=True):
            if not self._plan.uses(name) or self._plan.kind(name, cells) != "category" or _plainly_words(cells):
                continue
            values = distinct(cells)
            if values and all(_SLASHED.match(str(value)) for value in values):
                order = "since the order of day and month is not told: as 2024-07-31 it would be taken apart"
                self._notices.append(f"column {name!r} has dates such as {values[0]!r}, which are read as words, {order}")
            elif len(values) > _NEARLY * piece.rows:
                other = f"--text {name} reads its words, --ignore {name} leaves it out"
                self._notices.append(f"column {name!r} has another value in nearly every row, which tells nothing: {other}")

    def _decide_unless_failing(self) -> None:
        """Which label is positive. Where nobody can tell, since what follows cannot be read, what is wrong there is said."""
        try:
            self._decide()
        except SourceError:
            if self.failing and self._failure is not None:
                raise self._failure from None
            raise

    # ---- what is wrong -----------------------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return self._files.names[-1] if self._files.names else str(self.source)

    def _note(self, rows: CoreBatch) -> None:
        """What the core could not read becomes an error with its place; what it met that a user should know, a notice."""
        if not self._leapt and self._reader.leap is not None:
            self._leapt = self._leap(*self._reader.leap)
        for row, column, found, expected in rows.bad:
            name = (self._called[column - 1] or "") if column else ""
            what = f"column {name!r}: " if column else ""
            spelled = found.decode("utf-8", "backslashreplace")
            shown = printable(f"{what}found {spelled}, expected {expected}{_instead(name, spelled, expected)}")
            error = self._placed(shown, row + 1)
            if len(self._first_bad) < _FIRST_BAD:
                self._first_bad.append(error)
            if self._reader.stopped:
                self._failure = error

    def _leap(self, column: int, row: int, times: float) -> bool:
        """Says which number made those of its column small beside it."""
        name = self._called[column]
        cell = self._piece.columns[self._piece.names.index(name)][row].as_py() if name in self._piece.names else "a number"
        found = f"column {name!r}: found {cell}, which made the deviation of the column {times:,.0f} times as large"
        told = self._piece.error(row, f"{found}, so that its other numbers hardly differ: empty the cell if it is a slip")
        self._notices.append(printable(str(told)))
        return True

    def _placed(self, message: str, line: int) -> SourceError:
        return self._piece.error(max(line - 1, 0), message)


def _refused(piece: Piece, row: int, name: str, kind: str, cells: Any) -> SourceError:
    expected = {"number": "a number", "truth": "true or false"}.get(kind, "a date or a time as in 2024-07-31 13:00:00")
    cell = str(cells[row].as_py())
    found = repr(cell if len(cell) <= 60 else f"{cell[:60]}…")
    return piece.error(row, f"column {name!r}: found {found}, expected {expected}, as in the first rows, or an empty cell")


def _plainly_words(cells: Any) -> bool:
    """Whether a dictionary and its first cell tell that most values come again, and that they are no dates."""
    if not arrow().types.is_dictionary(cells.type) or len(cells.dictionary) > _NEARLY * len(cells):
        return False
    first = cells[0].as_py()
    return bool(first) and not _SLASHED.match(str(first))


def _instead(column: str, found: str, expected: str) -> str:
    """What to do about a number that a learner refuses when it is scaled: as it is it may fit, or not.

    >>> _instead("a", "1 (scaled: -1)", "a number from 0 to 1")
    '; --numeric raw (numeric= in Python) takes numbers as they are'
    >>> _instead("a", "47 (scaled: -1)", "a number from 0 to 1")
    '; --ignore a (ignore= in Python), or a learner of numbers of any size, such as portfolio'
    """
    number, scaled, _ = found.partition(" (scaled: ")
    if not scaled:
        return ""
    if (-1 if "-1" in expected else 0) <= float(number) <= 1:
        return "; --numeric raw (numeric= in Python) takes numbers as they are"
    return f"; --ignore {shlex.quote(column)} (ignore= in Python), or a learner of numbers of any size, such as portfolio"


def _taken(piece: Piece, kept: NDArray[np.int64]) -> Piece:
    """These rows of a piece."""
    chosen = arrow().array(kept)
    columns = [cells.take(chosen) for cells in piece.columns]

    def error(row: int, message: str) -> SourceError:
        return piece.error(int(kept[row]), message)

    return Piece(piece.names, columns, len(kept), error, decimals=piece.decimals)


def _tags(name: str, cells: Any) -> Column:
    """Cells to be printed as they are, on a line of their own and between tabs."""
    library, compute = arrow(), arrow(".compute")
    if library.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    text = compute.fill_null(compute.cast(cells, library.string()), "")
    plain = compute.replace_substring_regex(text, r"[\t\r\n]", " ")
    _, offsets, data = plain.buffers()
    starts = (
        np.frombuffer(offsets, np.int32, count=len(plain) + 1, offset=4 * plain.offset) if len(plain) else np.zeros(1, np.int32)
    )
    return Column.words(name, "", np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8), starts)
