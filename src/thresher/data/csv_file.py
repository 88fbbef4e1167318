"""CSV as pieces of a table.

pyarrow reads chunks of whole rows, with types that the first chunk shows. Where it finds something that it cannot read, the
chunk is read again cell by cell, to say where that is.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from thresher._core import end_of_rows, stray_quote
from thresher.bounds.printed import plural
from thresher.data.arrow import arrow, is_text
from thresher.data.chunks import LONGEST, Chunk, chunks
from thresher.data.csv_text import UTF_8_MARK, check_names, check_text, counted, separator_of, shown
from thresher.data.number_cells import MISSING, Seen, against, contradicted, contradicts, grouped, seen, unadorned
from thresher.data.pieces import Piece, Placed, Types, by_number
from thresher.data.source import Opened
from thresher.data.table_recipe import DECIMALS
from thresher.errors import SourceError

__all__ = ["CsvFile"]

_BLOCK = 1 << 20
_SPELLINGS = [spelled for word in MISSING for spelled in dict.fromkeys((word, word.upper(), word.capitalize()))] + ["NaN"]


class CsvFile:
    """A file of CSV: with commas, tabs (then quotes mean nothing) or semicolons (then numbers may have a decimal comma)."""

    def __init__(
        self,
        opened: Opened,
        header: tuple[str, ...],
        types: Types,
        decimals: dict[str, str],
        unmet: Callable[[str], bool],
        *,
        skip_bad: bool,
        threads: int,
    ) -> None:
        self.name = opened.name
        self._decimals = decimals  # of columns, as far as they are known; what this file shows is added
        self._learned = dict(decimals)
        self._said = decimals.get("")  # that of all columns, if somebody said it
        self._opened, self._types, self._skip_bad, self._threads = opened, types, skip_bad, threads
        self._unmet = unmet  # whether nothing is seen yet of a column, in this file and those before it
        self._decimal = "."
        self._typed: dict[str, Any] = {}
        self._adorned: dict[str, str] = {}  # columns of numbers as people write them, read as texts, and their decimal sign
        self._mostly: list[tuple[str, Seen, str]] = []  # columns of words that are nearly all numbers
        self._grouped: list[tuple[str, str]] = []  # columns whose commas may be decimal, and a cell
        self._separator = separator_of(opened.peek(), self.name)
        self._signed = self._separator == ";" or self._said is not None  # elsewhere the point is decimal, whatever is known
        self._quotes = self._separator != "\t"
        self._rest, self._line = b"", 1
        first = self._first_row()
        if header and len(first) != len(header):
            found = f"found {counted(len(first))} in {shown(self._separator.join(first))}"
            raise SourceError(f"{found}, expected {counted(len(header))}, as --header says", file=self.name, line=self._line)
        self.names = list(header) if header else [name.strip() for name in first]
        check_names(self.names, self.name, None if header else self._line, self._separator)
        if not header:
            self._line += self._head.count(b"\n")
        else:
            self._rest = self._head + self._rest

    def pieces(self) -> Iterator[Piece]:
        """The rows."""
        for chunk in chunks(self._opened, self._rest, self._line, self._separator, quotes=self._quotes):
            *pieces, last = [Piece([], [], 0, by_number(self.name, 0)), *self._pieces(chunk)]
            yield from pieces
            if chunk.unclosed:
                line = chunk.line + chunk.text.count(b"\n")
                error = SourceError("found a quote that nothing closes, expected one before the end", file=self.name, line=line)
                last.skipped += [error] * self._skip_bad
                last.failure = last.failure or (None if self._skip_bad else error)
            yield last

    @property
    def _unread(self) -> list[str]:
        return [name for name in self.names if name and name not in self._typed]

    def _first_row(self) -> list[str]:
        """The cells of the first row, whose bytes are in `_head`; what was read behind it is in `_rest`."""
        text = b""
        while True:
            buffer = bytearray(max(1 << 16, len(text)))  # twice as much each time, so that a long row is not read too often
            got = self._opened.readinto(memoryview(buffer))
            text += memoryview(buffer)[:got]
            if self._line == 1:
                text = text.removeprefix(UTF_8_MARK)
            blank = len(text) - len(text.lstrip(b"\r\n"))
            self._line += text.count(b"\n", 0, blank)
            text = text[blank:]
            if not got and text and not text.endswith(b"\n"):
                text += b"\n"
            end = self._end_of_row(text)
            if end or (not text and not got):
                break
            if not got or len(text) > LONGEST:
                wrong = "found a quote that nothing closes in the first row, or a row of more than 64 MiB"
                raise SourceError(f"{wrong}, expected the names of the columns", file=self.name, line=self._line)
        self._head, self._rest = text[:end], text[end:]
        rows = [cells for _, cells in self._cells(self._head, self._line)]
        if len(rows) > 1:
            wrong = "found lines that end with a carriage return alone, expected a line feed behind it"
            raise SourceError(wrong, file=self.name, line=self._line)
        cells = rows[0] if rows else []
        check_text(cells, self.name, self._line)
        return cells

    def _end_of_row(self, text: bytes) -> int:
        """Behind the first row, or 0: the shortest part of the text that has a whole row in it."""
        seen = np.frombuffer(text, np.uint8)
        breaks = np.flatnonzero(seen == ord("\n")) + 1

        def whole(end: int) -> int:
            return end_of_rows(seen[:end], self._separator, self._quotes)

        first = bisect_left(breaks, 1, key=whole)
        return int(breaks[first]) if first < len(breaks) else 0

    # ---- reading -----------------------------------------------------------------------------------------------------

    def _pieces(self, chunk: Chunk) -> Iterator[Piece]:
        """The rows of a chunk, but for those that a quote nobody meant has swallowed."""
        while chunk.broken and self._quotes and b'"' in chunk.text:
            row, quote, end = stray_quote(np.frombuffer(chunk.text, np.uint8), self._separator)
            if not end:
                break
            text, line = bytes(chunk.text), chunk.line
            pieces = [Piece([], [], 0, by_number(self.name, 0)), *self._whole_rows(Chunk(text[:row], line))]
            found = shown(text[quote:end].partition(b"\n")[0].decode("utf-8", "backslashreplace"))
            wrong = f"found a quote at the start of a cell ({found}) that closes in the middle of one, lines below"
            error = SourceError(
                f"{wrong}, expected it to close before {self._separator!r}",
                file=self.name,
                line=line + text.count(b"\n", 0, quote),
            )
            if self._skip_bad:
                pieces[-1].skipped.append(error)
            else:
                pieces[-1].failure = pieces[-1].failure or error
            yield from pieces
            if not self._skip_bad:
                return
            chunk = Chunk(text[end:], line + text.count(b"\n", 0, end), chunk.unclosed)
        yield from self._whole_rows(chunk)

    def _whole_rows(self, chunk: Chunk) -> Iterator[Piece]:
        if not chunk.text or chunk.text.isspace():
            return
        library = arrow()
        try:
            table = self._typed_table(chunk) if self._typed else self._first_table(chunk)
        except library.ArrowInvalid:
            yield self._cell_by_cell(chunk)
            return
        for k, name in enumerate(table.column_names):
            if self._still_missing(name, table[name].chunks):
                table = table.set_column(k, name, library.nulls(table.num_rows))
        first = 0
        for batch in table.to_batches():
            places = self._places(chunk, first)
            told, signs = self._told(places), dict(self._decimals)
            names = list(table.column_names)
            yield Piece(names, batch.columns, batch.num_rows, places, unread=self._unread, notices=told, decimals=signs)
            first += batch.num_rows

    def _first_table(self, chunk: Chunk) -> Any:
        """The first rows, with the types that they look like: those that the others must have, too."""
        library = arrow()
        given = {name: kind for name in self.names if name and (kind := self._types(name, None)) not in (True, None)}
        try:
            return self._seen(chunk, given)
        except library.ArrowInvalid:
            numbers = {name for name, kind in given.items() if library.types.is_floating(kind)}
            if not numbers:
                raise
        return self._seen(chunk, {name: kind for name, kind in given.items() if name not in numbers})

    def _seen(self, chunk: Chunk, given: dict[str, Any]) -> Any:
        library = arrow()
        names = [name for name in self.names if name and self._types(name, None) is not None]
        known = {name: self._decimals[name] for name in names if name in self._decimals} if self._signed else {}
        signs = {*known.values(), *filter(None, [self._said])}
        decimals = tuple(signs) if len(signs) == 1 else (".", ",") if self._separator == ";" else (".",)
        if len(signs) > 1:  # each column by its own
            given = {**given, **dict.fromkeys(known, library.string())}
        tables = [(decimal, self._read(chunk, names, given, decimal)) for decimal in decimals]
        if any(library.types.is_binary(kind) for _, table in tables for kind in table.schema.types):
            raise library.ArrowInvalid("found cells that are no UTF-8")
        looks = [
            {name: seen(table[name], decimal) for name in names if name not in given and is_text(table[name].type)}
            for decimal, table in tables
        ]
        words = [sum(not each.numbers or each.numbers < each.given for each in look.values()) for look in looks]
        best = words.index(min(words))
        self._decimal, table = tables[best]
        self._adorned = {name: self._decimal for name in looks[best] if self._types(name, None) is not True}
        for name in looks[best].keys() - self._adorned.keys():
            others = (decimal for decimal in decimals if decimal != self._decimal)
            if _all_numbers(looks[best][name]) or (self._said is not None and against(table[name], self._said)):
                self._adorned[name] = self._decimal  # what is against what was said is told with its line
            elif (decimal := next((each for each in others if _all_numbers(seen(table[name], each))), None)) is not None:
                self._adorned[name] = decimal
        if len(signs) > 1:
            self._adorned |= known
        self._mostly = [
            (name, each, str(table[name][each.first_other]))
            for name, each in looks[best].items()
            if each.mostly and name not in self._adorned
        ]
        plain = {name: library.float64() for name in self._adorned}
        self._typed = {field.name: self._types(field.name, plain.get(field.name, field.type)) for field in table.schema}
        plain_table = self._unadorned(table)
        if self._signed:
            fractions = {field.name for field in table.schema if library.types.is_floating(field.type)} - given.keys()
            self._note_decimals(table, fractions)
        return plain_table

    def _note_decimals(self, table: Any, fractions: set[str]) -> None:
        """Which decimal sign columns of numbers have, if it is to be seen: whole numbers say nothing of points."""
        compute = arrow(".compute")
        for name in self._numbers():
            decimal = self._adorned.get(name, self._decimal)
            pointed = name in self._adorned and compute.any(compute.match_substring(table[name], ".")).as_py()
            cell = grouped(table[name]) if decimal == "." and name in self._adorned else None
            if cell is not None and self._said is None:
                self._grouped.append((name, cell))
            if decimal == "," or pointed or name in fractions or cell is not None or self._said is not None:
                self._decimals.setdefault(name, decimal)

    def _numbers(self) -> list[str]:
        return [name for name, kind in self._typed.items() if kind is not None and arrow().types.is_floating(kind)]

    def _told(self, places: Placed) -> list[str]:
        """That columns are words because of a few cells among numbers, or have commas that may be decimal; once."""
        told = [
            f"column {name!r}: {cell!r} was read as {cell.replace(',', '')}, since three digits follow each comma; "
            "if the comma is decimal, say --decimal , (decimal= in Python)"
            for name, cell in self._grouped
        ]
        for name, found, cell in self._mostly:
            others = found.given - found.numbers
            where = f"line {places(found.first_other or 0, '').line:,} has {cell[:60]!r}"
            more = f", with {plural(others - 1, 'other cell')} like it" if others > 1 else ""
            told.append(
                f"column {name!r} was taken for words: {where} among {plural(found.numbers, 'number')}{more}; "
                f"empty {'them' if others > 1 else 'it'}, and the column is numbers"
            )
        self._mostly, self._grouped = [], []
        return told

    def _typed_table(self, chunk: Chunk) -> Any:
        library = arrow()
        types = {name: library.string() if name in self._adorned else kind for name, kind in self._typed.items()}
        return self._unadorned(self._read(chunk, list(types), types, self._decimal))

    def _unadorned(self, table: Any) -> Any:
        """The same with numbers in place of texts that spell them; a column with a cell that does not is left as texts."""
        library, compute = arrow(), arrow(".compute")
        for name, decimal in self._adorned.items():
            if self._signed and contradicted(table[name], decimal):
                raise library.ArrowInvalid("found another decimal sign")
            plain = unadorned(table[name], decimal)
            missing = compute.is_in(compute.utf8_lower(plain), value_set=library.array(MISSING))
            try:
                cells = compute.cast(compute.if_else(missing, None, plain), library.float64())
            except library.ArrowInvalid:
                cells = plain
            table = table.set_column(table.column_names.index(name), name, cells)
        return table

    def _read(self, chunk: Chunk, names: list[str], types: dict[str, Any], decimal: str) -> Any:
        block = max(_BLOCK, 64 * len(self.names))
        try:
            return self._read_blocks(chunk, names, types, decimal, block)
        except arrow().ArrowInvalid:
            if len(chunk.text) <= block:
                raise
            return self._read_blocks(chunk, names, types, decimal, len(chunk.text) + 1)  # a row may be longer than a block

    def _read_blocks(self, chunk: Chunk, names: list[str], types: dict[str, Any], decimal: str, block: int) -> Any:
        reading = arrow(".csv")
        quoted = chunk.broken and self._quotes and b'"' in chunk.text
        called = [name or f"\0{number}" for number, name in enumerate(self.names)]
        return reading.read_csv(
            arrow().BufferReader(chunk.text),
            read_options=reading.ReadOptions(use_threads=self._threads > 1, block_size=block, column_names=called),
            parse_options=reading.ParseOptions(
                delimiter=self._separator, quote_char='"' if self._quotes else False, newlines_in_values=quoted
            ),
            convert_options=reading.ConvertOptions(
                column_types=types, include_columns=names, null_values=_SPELLINGS, decimal_point=decimal
            ),
        )

    # ---- where something stands --------------------------------------------------------------------------------------

    def _cells(self, text: bytes | bytearray, line: int) -> Iterator[tuple[int, list[str]]]:
        """The rows of a text as lists of cells, each with the number of its first line."""
        lines = io.TextIOWrapper(io.BytesIO(text), "utf-8", "surrogateescape", newline="")
        limit = csv.field_size_limit(1 << 30)
        try:
            rows = csv.reader(lines, delimiter=self._separator, quoting=csv.QUOTE_MINIMAL if self._quotes else csv.QUOTE_NONE)
            at = line
            for cells in rows:
                if cells:
                    yield at, cells
                at = line + rows.line_num
        finally:
            csv.field_size_limit(limit)

    def _places(self, chunk: Chunk, first: int) -> Any:
        def error(row: int, message: str) -> SourceError:
            line = next((line for line, _ in islice(self._cells(chunk.text, chunk.line), first + row, None)), None)
            return SourceError(message, file=self.name, line=line)

        return error

    def _cell_by_cell(self, chunk: Chunk) -> Piece:
        """Every cell of the chunk as text, without the rows that cannot be read."""
        rows: list[list[str]] = []
        lines: list[int] = []
        skipped: list[SourceError] = []
        failure: SourceError | None = None
        for line, cells in self._cells(chunk.text, chunk.line):
            wrong = self._wrong(cells, line)
            if wrong is None:
                rows.append(cells)
                lines.append(line)
            elif self._skip_bad:
                skipped.append(wrong)
            else:
                failure = wrong
                break
        try:
            seen = self._seen(self._written(rows, chunk.line), {}) if rows and not self._typed else None
        except arrow().ArrowInvalid:
            if not self._typed:
                raise
            return self._cell_by_cell(chunk)  # now that types and decimal signs are known
        placed = [(name, k) for k, name in enumerate(self.names) if name in self._typed] if rows else []
        columns = []
        for name, k in placed:
            if seen is not None and self._types(name, None) is True:
                columns.append(_joined(seen[name]))
            else:
                column = self._column(name, [cells[k] for cells in rows])
                missing = self._still_missing(name, [column])
                columns.append(arrow().nulls(len(rows)) if missing else column)

        def error(row: int, message: str) -> SourceError:
            return SourceError(message, file=self.name, line=lines[row])

        names, told = [name for name, _ in placed], self._told(error)
        return Piece(names, columns, len(rows), error, skipped, failure, self._unread, told, dict(self._decimals))

    def _written(self, rows: list[list[str]], line: int) -> Chunk:
        """Rows as text again, for their types to be seen."""
        text = io.StringIO(newline="")
        quoting: Any = {"quoting": csv.QUOTE_MINIMAL} if self._quotes else {"quoting": csv.QUOTE_NONE, "quotechar": None}
        csv.writer(text, delimiter=self._separator, lineterminator="\n", **quoting).writerows(rows)
        return Chunk(text.getvalue().encode(), line)

    def _column(self, name: str, cells: list[str]) -> Any:
        library = arrow()
        texts = library.array(cells, library.string())
        decimal = self._adorned.get(name, self._decimal)
        return unadorned(texts, decimal) if library.types.is_floating(self._typed[name]) else texts

    def _still_missing(self, name: str, cells: list[Any]) -> bool:
        """Whether a column of texts of which nothing is seen yet has none but empty cells, NA and the like."""
        if not all(is_text(getattr(each.type, "value_type", each.type)) for each in cells) or not self._unmet(name):
            return False
        texts = (each.dictionary if arrow().types.is_dictionary(each.type) else each for each in cells)
        return all(text is None or text in _SPELLINGS for each in texts for text in arrow(".compute").unique(each).to_pylist())

    def _wrong(self, cells: list[str], line: int) -> SourceError | None:
        try:
            check_text(cells, self.name, line)
        except SourceError as error:
            return error
        if len(cells) == len(self.names):
            return self._other_decimal(cells, line) if self._signed else None
        found = shown(self._separator.join(cells))
        tabs = "" if self._quotes else "; between tabs quotes mean nothing"
        wrong = f"found {counted(len(cells))} in {found}, expected {counted(len(self.names))}, as in the first line{tabs}"
        return SourceError(wrong, file=self.name, line=line)

    def _other_decimal(self, cells: list[str], line: int) -> SourceError | None:
        """A number that has another decimal sign than its column: by the column's own it would be none, or another."""
        for name in self._numbers():
            cell, decimal = cells[self.names.index(name)], self._adorned.get(name, self._decimal)
            if contradicts(cell, decimal):
                other = "write it so, or commas between the cells and points in the numbers"
                before = f"as in {'the rows that were learned' if name in self._learned else 'the first rows'}: {other}"
                before = before if self._said is None else "as --decimal (decimal= in Python) said"
                wrong = f"column {name!r}: found {shown(cell)}, expected a number with a decimal {DECIMALS[decimal]}"
                return SourceError(f"{wrong}, {before}", file=self.name, line=line)
        return None


def _all_numbers(look: Seen) -> bool:
    return 0 < look.numbers == look.given


def _joined(column: Any) -> Any:
    return arrow().concat_arrays(column.unify_dictionaries().chunks)
