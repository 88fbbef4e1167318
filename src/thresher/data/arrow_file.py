"""Parquet, Arrow's own files and streams, and whatever speaks its C stream interface, as pieces of a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from thresher.data.arrow import arrow, first_line, is_text
from thresher.data.columns import flat
from thresher.data.csv_text import check_different
from thresher.data.pieces import Piece, by_number
from thresher.data.plan import Plan
from thresher.data.source import Opened
from thresher.errors import SourceError

__all__ = ["frame_pieces", "ipc_pieces", "parquet_pieces"]

_CELLS, _MOST = 1 << 20, 1 << 16  # cells and rows of a piece
_FIRST = 1 << 13  # rows of the first, if there are as many
_AT_ONCE, _DECODED = 3 * _MOST, 1 << 24  # rows and bytes that are decoded of Parquet, which costs less the more there are
_CODE, _NUMBER, _TEXT = 4, 8, 128  # bytes of a cell, then; of a text as many as it may have
_READ = 1 << 16  # bytes of a column of Parquet at a time, by the threads that decode it: else one of them reads all, before


def parquet_pieces(opened: Opened, plan: Plan, *, threads: int) -> Iterator[Piece]:
    """The rows of a Parquet file. Columns of words come as dictionaries, but for those that are read as text."""
    with _said(opened.name, "Parquet"):
        reading, place = arrow(".parquet"), _seekable(opened)
        looked = reading.ParquetFile(place)
        schema = looked.schema_arrow
        words = [field.name for field in schema if is_text(field.type) and field.name not in plan.recipe.text]
        unread = _unread(schema, plan)
        names = [field.name for field in schema if field.name not in unread]
        coded = {*words}
        place.seek(0)
        file = reading.ParquetFile(place, metadata=looked.metadata, read_dictionary=words, pre_buffer=False, buffer_size=_READ)
        wide = sum(_CODE if name in coded else _TEXT if name in plan.recipe.text else _NUMBER for name in names)
        size = _alike(looked.metadata.num_rows, max(1, min(_AT_ONCE, _DECODED // max(1, wide))))
        batches = file.iter_batches(size, columns=names, use_threads=threads > 1)
        yield from _pieces(opened.name, batches, unread, later=size)


def ipc_pieces(opened: Opened, plan: Plan, *, stream: bool) -> Iterator[Piece]:
    """The rows of an Arrow file, or of a stream. Nothing in it is believed before it was checked."""
    with _said(opened.name, "Arrow data"):
        ipc = arrow(".ipc")
        if stream:
            file = ipc.open_stream(opened.text)
            batches: Iterator[Any] = iter(file)
        else:
            file = ipc.open_file(_seekable(opened))
            batches = (file.get_batch(number) for number in range(file.num_record_batches))
        yield from _pieces(opened.name, batches, _unread(file.schema, plan))


def frame_pieces(frame: Any, name: str, plan: Plan) -> Iterator[Piece]:
    """The rows of an object with `__arrow_c_stream__`."""
    with _said(name, "a data frame"):
        reader = arrow().RecordBatchReader.from_stream(frame)
        yield from _pieces(name, iter(reader), _unread(reader.schema, plan))


def _pieces(name: str, batches: Iterator[Any], unread: list[str], *, later: int = 0) -> Iterator[Piece]:
    """The rows, the first few alone, since what columns hold is seen in them; `later`: so many in those behind them."""
    first = 0
    for whole in _gathered(map(_validated, batches)):
        batch = whole.select([number for number, each in enumerate(whole.schema.names) if each not in unread])
        rest = True
        while rest:
            part = batch.slice(0, later if first and later else _rows(batch.num_columns))
            batch = batch.slice(part.num_rows)
            rest = batch.num_rows > 0
            named = list(flat(part.schema.names, part.columns))
            names = [each for each, _ in named]
            check_different(names, name)
            yield Piece(names, [cells for _, cells in named], part.num_rows, by_number(name, first), unread=unread)
            first += part.num_rows


def _gathered(batches: Iterator[Any]) -> Iterator[Any]:
    """The batches, the first few of them as one: what columns hold is seen in it, and a batch may be small."""
    library = arrow()
    few: list[Any] = []
    failure: Exception | None = None
    try:
        while sum(batch.num_rows for batch in few) < _FIRST and (batch := next(batches, None)) is not None:
            few.append(batch)
    except Exception as error:  # which comes behind the rows that could be read
        failure = error
    if few:
        yield from few if len(few) == 1 else library.Table.from_batches(few).combine_chunks().to_batches()
    if failure is not None:
        raise failure
    yield from batches


def _validated(batch: Any) -> Any:
    batch.validate()
    for column in batch.columns:
        _validate(column)
    return batch


def _validate(column: Any) -> None:
    """Looks into a column in full, as pyarrow does; codes are compared with their dictionary's size all at once."""
    library = arrow()
    if not library.types.is_dictionary(column.type):
        column.validate(full=True)
        return
    column.dictionary.validate(full=True)
    if len(column) and not column.null_count and library.types.is_int32(column.type.index_type):
        codes = column.indices.to_numpy().view(np.uint32)  # where one that is negative is too large
        if codes.max() < len(column.dictionary):
            return
    least, most = arrow(".compute").min_max(column.indices).as_py().values()
    if least is not None and not 0 <= least <= most < len(column.dictionary):
        raise library.ArrowInvalid(f"a code from {least} to {most} in a dictionary of {len(column.dictionary)}")


def _unread(schema: Any, plan: Plan) -> list[str]:
    """The columns that are left out: an index of pandas still tells the order of the rows before they were shuffled."""
    try:
        told = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        indices = [name for name in told["index_columns"] if isinstance(name, str)]  # a range of numbers is no column
    except (ValueError, TypeError, LookupError):
        indices = []
    return [name for name in schema.names if not plan.reads(name, index=name in indices)]


def _rows(columns: int) -> int:
    """How many rows of so many columns are a piece."""
    return max(1, min(_MOST, _CELLS // max(1, columns)))


def _alike(rows: int, most: int) -> int:
    """How many rows are decoded at a time, `most` or hardly more, so that the last are as many: few cost nearly as much.

    >>> _alike(400_000, 131_072), _alike(400_000, 99_864), _alike(7, 10), _alike(0, 10)
    (133334, 100000, 7, 1)
    """
    return max(1, -(-rows // max(1, -(-rows // (most + most // 16)))))


def _seekable(opened: Opened) -> Any:
    """The file for pyarrow to go back and forth in: by itself where it can, else all of its bytes."""
    if opened.raw is not None and not opened.compressed:
        return arrow().OSFile(opened.name)
    parts = []
    buffer = bytearray(1 << 20)
    while got := opened.readinto(memoryview(buffer)):
        parts.append(bytes(memoryview(buffer)[:got]))
    return arrow().BufferReader(b"".join(parts))


@contextmanager
def _said(name: str, what: str) -> Iterator[None]:
    """What pyarrow finds wrong with a file becomes a `SourceError`."""
    library = arrow()
    try:
        yield
    except SourceError:
        raise
    except (library.ArrowException, OSError, UnicodeError, ValueError, TypeError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = first_line(error) or "more memory is asked for than there is"
        raise SourceError(f"found {what} that cannot be read ({why}), expected it whole", file=name) from None
