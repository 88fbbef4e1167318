"""JSON Lines as pieces of a table: an object a line, fields of objects within it with dots in their names.

pyarrow reads chunks of whole lines. What it cannot read, such as a field that is a number here and a word there, is read again
line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from thresher._core import depth_of_json
from thresher.data.arrow import arrow
from thresher.data.chunks import Chunk, chunks
from thresher.data.columns import MOST_NESTED, flat
from thresher.data.csv_text import UTF_8_MARK, shown
from thresher.data.pieces import Piece
from thresher.data.source import Opened
from thresher.errors import SourceError

__all__ = ["JsonFile"]

_BLOCK = 1 << 20


class JsonFile:
    """A file of JSON Lines."""

    def __init__(self, opened: Opened, *, skip_bad: bool, threads: int) -> None:
        self.name = opened.name
        self._opened, self._skip_bad, self._threads = opened, skip_bad, threads

    def pieces(self) -> Iterator[Piece]:
        """The rows."""
        for chunk in chunks(self._opened, b"", 1, ",", quotes=False):
            text = bytes(chunk.text).removeprefix(UTF_8_MARK if chunk.line == 1 else b"")
            if text and not text.isspace():
                yield self._piece(Chunk(text, chunk.line))

    def _piece(self, chunk: Chunk) -> Piece:
        library, reading = arrow(), arrow(".json")
        if depth_of_json(np.frombuffer(chunk.text, np.uint8)) > MOST_NESTED:
            return self._line_by_line(chunk)
        block = max(_BLOCK, len(max(chunk.text.split(b"\n"), key=len)) + 1) if len(chunk.text) > _BLOCK else len(chunk.text) + 1
        options = reading.ReadOptions(use_threads=self._threads > 1, block_size=block)
        try:
            table = reading.read_json(library.BufferReader(chunk.text), read_options=options)
            schema = library.schema([(field.name, _as_spelled(field.type)) for field in table.schema])
            if schema != table.schema:
                parsing = reading.ParseOptions(explicit_schema=schema)
                table = reading.read_json(library.BufferReader(chunk.text), read_options=options, parse_options=parsing)
            table = table.combine_chunks()
            table.validate(full=True)
            names, columns = [], []
            for name, cells in flat(table.column_names, [_joined(column) for column in table.columns]):
                names.append(name)
                columns.append(cells)
        except (library.ArrowInvalid, library.ArrowNotImplementedError, UnicodeError):
            return self._line_by_line(chunk)
        if len({*names}) < len(names) or "" in names:
            return self._line_by_line(chunk)

        def error(row: int, message: str) -> SourceError:
            line = next((line for line, _ in islice(_lines(chunk), row, None)), None)
            return SourceError(message, file=self.name, line=line)

        return Piece(names, columns, table.num_rows, error)

    def _line_by_line(self, chunk: Chunk) -> Piece:
        rows: list[dict[str, Any]] = []
        places: list[int] = []
        skipped: list[SourceError] = []
        failure: SourceError | None = None
        for line, text in _lines(chunk):
            try:
                rows.append(self._fields(text, line))
                places.append(line)
            except SourceError as wrong:
                if not self._skip_bad:
                    failure = wrong
                    break
                skipped.append(wrong)
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = [_array([row.get(name) for row in rows]) for name in names]

        def error(row: int, message: str) -> SourceError:
            return SourceError(message, file=self.name, line=places[row])

        return Piece(names, columns, len(rows), error, skipped, failure)

    def _fields(self, text: bytes, line: int) -> dict[str, Any]:
        """The fields of one line, by their dotted names."""

        def wrong(found: str, expected: str = 'an object of JSON, such as {"colour": "red"}, on each line') -> SourceError:
            return SourceError(f"found {found}, expected {expected}", file=self.name, line=line)

        if line == 1 and text.lstrip().startswith(b"["):
            raise wrong("an array of JSON", "an object on each line: jq -c '.[]' makes it so")
        if depth_of_json(np.frombuffer(text, np.uint8)) > MOST_NESTED:
            raise wrong(f"JSON nested more than {MOST_NESTED} deep", "less")
        try:
            read = json.loads(text.decode(), object_pairs_hook=_each_once)
        except UnicodeDecodeError:
            raise wrong(shown(text.decode("utf-8", "backslashreplace")), "text in UTF-8") from None
        except ValueError as error:
            raise wrong(f"{shown(text.decode('utf-8', 'backslashreplace'))} ({error})") from None
        if not isinstance(read, Mapping):
            raise wrong(shown(text.decode()))
        if b"\\u" in text and any("\ud800" <= letter <= "\udfff" for letter in json.dumps(read, ensure_ascii=False)):
            raise wrong(f"half of a surrogate pair in {shown(text.decode())}", "letters")
        fields: dict[str, Any] = {}
        for name, value in _dotted(read, ""):
            if name in fields or not name:
                raise wrong(f"the field {name!r} twice" if name else "a field without a name", "different names")
            fields[name] = value
        return fields


def _lines(chunk: Chunk) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    for number, line in enumerate(bytes(chunk.text).split(b"\n"), chunk.line):
        if line.strip():
            yield number, line


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field comes twice")
    return fields


def _dotted(fields: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _as_spelled(type_: Any) -> Any:
    """The type in which texts that look like times to pyarrow stay as they are written: it sees but a chunk of them."""
    library = arrow()
    if library.types.is_timestamp(type_):
        return library.string()
    if library.types.is_list(type_):
        return library.list_(_as_spelled(type_.value_type))
    if library.types.is_struct(type_):
        return library.struct([(field.name, _as_spelled(field.type)) for field in type_])
    return type_


def _joined(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else arrow().concat_arrays(column.chunks)


def _array(values: list[Any]) -> Any:
    """Values of one kind as an array; others as texts, so that what is wanted of the column decides."""
    library = arrow()
    try:
        return library.array(values)
    except (library.ArrowException, OverflowError):
        return library.array([None if value is None else _word(value) for value in values], library.string())


def _word(value: Any) -> str:
    """A value as a text; a number as pyarrow spells one."""
    if isinstance(value, float):
        return str(arrow().scalar(value).cast(arrow().string()).as_py())
    return value if isinstance(value, str) else json.dumps(value)
