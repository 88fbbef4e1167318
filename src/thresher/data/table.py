"""Tables with a head: CSV, TSV and Parquet, in blocks of rows.

A cell is kept as it was written until somebody asks for its number. An empty cell, NaN, NA, null and None are no number, and
become NaN. What is wrong with a cell is said with its file, its line and the name of its column.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.data.arrow import arrow, first_line, is_text
from thresher.data.csv_text import check_names, check_text, counted, separator_of, shown
from thresher.data.number_cells import NUMBER
from thresher.data.source import Opened, Place, Source
from thresher.errors import ParameterError, SourceError

__all__ = ["MISSING", "Block", "Table", "open_table"]

_PARQUET = b"PAR1"
#: How an empty cell may be written, in any case.
MISSING = ("", "nan", "na", "n/a", "null", "none")
_TRUTH = {"true": 1.0, "false": 0.0}
_INDEX = re.compile(r"__index_level_\d+__")  # of pandas, where it has no name: it counts rows, and is no forecaster
_BYTES = 1 << 20
_ROWS = 1 << 14
_IN_MEMORY = 1 << 24


class Block(NamedTuple):
    """Rows of a table: the number of the first, from 0, and the cells of each column."""

    table: Table
    first: int
    cells: Any

    def __len__(self) -> int:
        return int(self.cells.num_rows)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where a cell is empty; a cell that is no finite number raises `SourceError`."""
        values = self._converted(name)
        wrong = np.isinf(values)
        if wrong.any():
            row = int(wrong.argmax())
            raise self.error(row, f"column {name!r}: found {self.text(name)[row]!r}, expected a finite number or an empty cell")
        return values

    def numeric(self, name: str) -> bool:
        """Whether all cells of a column are numbers or empty, and not all are empty."""
        try:
            return not bool(np.isnan(self._converted(name)).all())
        except SourceError:
            return False

    def text(self, name: str) -> list[str]:
        """A column as it is written; an empty cell is an empty text."""
        return self.texts(self.table.places[name])

    def texts(self, number: int) -> list[str]:
        """The same by the column's number, from 0, for those that have no name. What has no text raises `SourceError`."""
        library, compute = arrow(), arrow(".compute")
        cells = self.cells.column(number)
        try:
            if library.types.is_temporal(cells.type):  # Python's times are fewer than Parquet's
                spelled = compute.cast(cells, library.string())
                cells = compute.replace_substring_regex(spelled, r"\.0+(Z?)$", r"\1")
            return ["" if cell is None else str(cell) for cell in cells.to_pylist()]
        except (library.ArrowException, ValueError, ArithmeticError, LookupError) as error:
            raise self._unreadable(self.table.columns[number], error) from None

    def blank(self, name: str) -> bool:
        """Whether all cells of a column are empty; what cannot be read is not."""
        cells = self.cells.column(self.table.places[name])
        if not is_text(cells.type):
            return int(cells.null_count) == len(self)
        try:
            return not any(cell.strip() for cell in self.text(name))
        except SourceError:
            return False

    def starts_with_digit(self, name: str) -> bool:
        """Whether the first cell of a column that is not empty does, as a date does; what cannot be read does not."""
        try:
            return next((cell.strip() for cell in self.text(name) if cell.strip()), "")[:1].isdigit()
        except SourceError:
            return False

    def error(self, row: int, message: str) -> SourceError:
        """What is wrong with one of these rows, counted from 0, as an error that says where it stands."""
        return self.table.error(self.first + row, message)

    def _converted(self, name: str) -> NDArray[np.float64]:
        library, compute = arrow(), arrow(".compute")
        cells = self.cells.column(self.table.places[name])
        kind = cells.type
        if is_text(kind):
            try:
                trimmed = compute.utf8_trim_whitespace(cells)
                missing = compute.is_in(compute.utf8_lower(trimmed), value_set=library.array(MISSING, kind))
            except library.ArrowException as error:
                raise self._unreadable(name, error) from None
            cells = compute.if_else(missing, library.scalar(None, kind), trimmed)
        elif not (library.types.is_primitive(kind) or library.types.is_decimal(kind)) or library.types.is_temporal(kind):
            raise self.error(0, f"column {name!r}: found a column of {kind}, expected numbers")
        try:
            numbers = compute.cast(cells, library.float64(), safe=False)
        except library.ArrowInvalid:
            spelled = cells.to_pylist()
            return np.array([self._spelled(name, row, cell) for row, cell in enumerate(spelled)], np.float64)
        return np.asarray(numbers.to_numpy(zero_copy_only=False), np.float64)

    def _unreadable(self, name: str, error: Exception) -> SourceError:
        found = f"found cells that cannot be read ({first_line(error)})"
        return SourceError(f"column {name!r}: {found}, expected text in UTF-8, numbers or times", file=self.table.name)

    def _spelled(self, name: str, row: int, cell: str | None) -> float:
        """A number in a spelling that pyarrow does not know."""
        if cell is None:
            return np.nan
        plain = cell.replace(",", ".") if self.table.separator == ";" else cell
        if NUMBER.fullmatch(plain):
            return float(plain)
        if cell.lower() not in _TRUTH:
            raise self.error(row, f"column {name!r}: found {shown(cell)}, expected a number or an empty cell")
        return _TRUTH[cell.lower()]


class Table:
    """A table that can be read again and again, in blocks of rows; `open_table` makes one."""

    def __init__(self, source: Source, kept: IO[bytes] | None) -> None:
        self.source = source
        self.name = str(source)
        self.read = 0
        self._kept = kept
        self._state: tuple[int, ...] | None = None
        with self._opened() as opened:
            head = opened.peek()
            self.parquet = head.startswith(_PARQUET)
            self.separator = "," if self.parquet else separator_of(head, self.name)
        self._written = self._names()
        self.columns = tuple(name.strip() for name in self._written)
        self.places = {name: number for number, name in reversed(list(enumerate(self.columns)))}
        check_names(self.columns, self.name, None if self.parquet else 1, self.separator)

    def blocks(self, *, unchanged: bool = False) -> Iterator[Block]:
        """The rows from the first one on; `unchanged`: if the file is not what it was the last time, `SourceError`."""
        first = 0
        with self._opened() as opened:
            before = self._state if unchanged else _state(opened)
            self._check_unchanged(before, opened)
            self._state = before
            for batch in self._batches(opened):
                if batch.num_columns != len(self.columns):
                    raise self._changed()
                for start in range(0, batch.num_rows, _ROWS):
                    block = Block(self, first, batch.slice(start, _ROWS))
                    self.read = opened.position()
                    yield block
                    first += len(block)
            if unchanged:
                self._check_unchanged(before, opened)

    def error(self, row: int, message: str) -> SourceError:
        """What is wrong with a row, counted from 0, as an error that says where it stands."""
        if self.parquet:
            return SourceError(f"row {row + 1}: {message}", file=self.name)
        line = next((line for number, (line, _) in enumerate(self._lines()) if number == row + 1), None)
        return SourceError(message, file=self.name, line=line)

    def _check_unchanged(self, before: tuple[int, ...] | None, opened: Opened) -> None:
        if before != _state(opened):
            raise self._changed()

    def _changed(self) -> SourceError:
        return SourceError("found another table than before, expected a file that does not change meanwhile", file=self.name)

    # ---- reading -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _opened(self) -> Iterator[Opened]:
        if self._kept is None:
            with next(self.source.open()) as opened:
                yield opened
        else:
            self._kept.seek(0)
            file = io.BufferedReader(_Unclosed(self._kept))
            yield Opened(self.name, file, None)

    def _batches(self, opened: Opened) -> Iterator[Any]:
        library = arrow()
        try:
            if self.parquet:
                yield from arrow(".parquet").ParquetFile(self._seekable(opened)).iter_batches(_ROWS, columns=self._written)
                return
            reading = arrow(".csv")
            try:
                yield from reading.open_csv(
                    io.BufferedReader(_Raw(opened), _BYTES),
                    read_options=reading.ReadOptions(use_threads=False, block_size=self._room()),
                    parse_options=reading.ParseOptions(delimiter=self.separator, newlines_in_values=True),
                    convert_options=reading.ConvertOptions(column_types=dict.fromkeys(self._written, library.string())),
                )
            except library.ArrowInvalid as error:
                raise self._explained(error) from None
        except (library.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise SourceError(
                f"found a table that cannot be read ({first_line(error)}), expected it whole", file=self.name
            ) from None

    def _room(self) -> int:
        """So many bytes that the names fit, and a row of numbers."""
        return max(_BYTES, 2 * sum(len(name.encode()) + 32 for name in self._written))

    def _seekable(self, opened: Opened) -> Any:
        if isinstance(opened.text, io.BufferedReader) and opened.text.seekable():
            return opened.text
        raise SourceError("found Parquet in compressed data, expected it as it is: it is compressed by itself", file=self.name)

    def _names(self) -> list[str]:
        if not self.parquet:
            names = next((cells for _, cells in self._lines()), [])
            check_text(names, self.name, 1)
            return names
        with self._opened() as opened:
            try:
                schema = arrow(".parquet").ParquetFile(self._seekable(opened)).schema_arrow
            except (arrow().ArrowException, OSError, UnicodeError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                raise SourceError(f"found damaged Parquet ({first_line(error)}), expected it whole", file=self.name) from None
            return [str(name) for name in schema.names if not _INDEX.fullmatch(str(name))]

    # ---- where an error stands ---------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """The number of each row's first line, from 1, and its cells: slowly, for the head and for errors."""
        with self._opened() as opened:
            text = io.TextIOWrapper(io.BufferedReader(_Raw(opened)), "utf-8-sig", "surrogateescape", newline="")
            rows = csv.reader(text, delimiter=self.separator)
            line = 1
            with suppress(csv.Error):
                for cells in rows:
                    if cells:
                        yield line, cells
                    line = rows.line_num + 1

    def _explained(self, error: Exception) -> SourceError:
        """What pyarrow could not read, with its place."""
        expected, lines = len(self.columns), 0
        for line, cells in self._lines():
            lines += 1
            check_text(cells, self.name, line)
            if len(cells) != expected:
                found = shown(self.separator.join(cells))
                wrong = f"found {counted(len(cells))} in {found}, expected {counted(expected)}, as in the first line"
                return SourceError(wrong, file=self.name, line=line)
        if lines == 1:
            return SourceError("found an empty table, expected rows below the names of the columns", file=self.name)
        return SourceError(f"found a row that cannot be read ({first_line(error)}), expected CSV", file=self.name)


@contextmanager
def open_table(place: Place) -> Iterator[Table]:
    """The table in a file, in standard input (`-`), or of a demo.

    CSV may have a byte-order mark, CRLF, quoted cells, and tabs or semicolons between them (with semicolons, a decimal comma);
    gzip and Zstandard are known by content, as for every source. What can be read only once is kept in a temporary file.

    >>> with open_table("demo:forecasts") as table:
    ...     block = next(table.blocks())
    >>> table.columns
    ('day', 'almanac', 'scales', 'trader', 'crates')
    >>> block.numbers("crates")[:3].tolist(), block.text("day")[:2]
    ([319.0, 344.0, 322.0], ['2023-01-02', '2023-01-03'])
    """
    source = Source(place)
    if source.demo is not None and source.demo.format != "csv":
        raise ParameterError(f"found {source}, which has examples, expected a table of forecasts: demo:forecasts is one")
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as kept:
        if source.again:
            yield Table(source, None)
            return
        with next(source.open()) as opened:
            shutil.copyfileobj(io.BufferedReader(_Raw(opened)), kept)
        yield Table(source, kept)


class _Raw(io.RawIOBase):
    """The text of an opened source as a file, whose errors say what is wrong with its compression."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self._opened.readinto(memoryview(buffer))


class _Unclosed(io.RawIOBase):
    """A file that stays open when this is closed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any, /) -> int:
        room = memoryview(buffer)
        read = self._file.read(len(room))
        room[: len(read)] = read
        return len(read)


def _state(opened: Opened) -> tuple[int, ...] | None:
    """What differs if a file has been replaced or written to; None for what is no file."""
    if opened.raw is None:
        return None
    found = os.fstat(opened.raw.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
