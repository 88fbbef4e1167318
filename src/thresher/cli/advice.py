"""From the cells of a table to forecasts and outcomes, checked, and back to a table with one column more."""

from __future__ import annotations

import csv
import math
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.cli.columns import Chosen
from thresher.cli.progress import Bar
from thresher.data.table import MISSING, Block, Table
from thresher.errors import SourceError
from thresher.evaluate.combine import Rows

__all__ = ["Advice", "Asked", "read", "written"]

_TOLERANCE = 1e-6
_PIECE = 1 << 20

Numbers = NDArray[np.float64]


class Asked(NamedTuple):
    """What the cells are to be: odds, probabilities, zeros and ones, or numbers in a range."""

    odds: bool
    probabilities: bool
    binary: bool
    range: tuple[float, float] | None


class Advice(NamedTuple):
    """All rows of a table, in blocks; when each was, if there is a column that says so; and whether all is 0 or 1."""

    rows: list[Rows]
    times: list[str] | None
    binary: bool

    @property
    def rounds(self) -> int:
        return sum(int(np.count_nonzero(~np.isnan(rows.outcomes))) for rows in self.rows)

    @property
    def back(self) -> int | None:
        """The first row, from 0, that is earlier than the one above it, if the times are numbers or dates as in ISO 8601."""
        try:
            moments = np.array([_moment(text.strip()) for text in self.times or ()])
        except ValueError:
            return None
        back = np.flatnonzero(moments[1:] < moments[:-1])
        return int(back[0]) + 1 if len(back) else None

    @property
    def asleep(self) -> bool:
        """Whether a forecaster slept in a round."""
        return any(bool(np.isnan(rows.forecasts[~np.isnan(rows.outcomes)]).any()) for rows in self.rows)


def read(table: Table, chosen: Chosen, asked: Asked, bar: Bar) -> Advice:
    """Reads the table, once."""
    advice = Advice([], None if chosen.time is None else [], True)
    count = rounds = 0
    for block in table.blocks():
        rows = _several(block, chosen, asked) if chosen.several else _single(block, chosen, asked)
        known = ~np.isnan(rows.outcomes)
        silent = known & np.isnan(rows.forecasts).all(axis=tuple(range(1, rows.forecasts.ndim)))
        if silent.any():
            row = int(silent.argmax())
            t = rounds + int(np.count_nonzero(known[: row + 1]))
            raise block.error(row, f"round {t:,}: found no forecast at all, expected at least one forecaster awake")
        zeros_and_ones = not chosen.several and all(_binary(values) for values in rows)
        advice = advice._replace(binary=advice.binary and zeros_and_ones)
        advice.rows.append(rows)
        if advice.times is not None and chosen.time is not None:
            advice.times.extend(block.text(chosen.time))
        count += len(block)
        rounds += int(np.count_nonzero(known))
        bar.advance("reading", table, count)
    bar.end()
    if rounds == 0:
        names = " and ".join(repr(name) for name in chosen.outcomes)
        raise SourceError(f"found {names} empty in every row, expected outcomes to learn from", file=table.name)
    return advice


def _binary(values: Numbers) -> bool:
    return bool(((values == 0.0) | (values == 1.0) | np.isnan(values)).all())


def _moment(text: str) -> float:
    if _is_number(text):
        return float(text.replace(",", "."))
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _outcome(block: Block, name: str) -> Numbers:
    try:
        return block.numbers(name)
    except SourceError as error:
        words = {cell.strip().lower() for cell in block.text(name)}.difference(MISSING)
        if any(_is_number(word) for word in words):
            raise
        if len(words) <= 2:
            raise SourceError(f"{error}; write 1 and 0 for yes and no") from None
        raise SourceError(f"{error}; split it into a column of 0 and 1 for each outcome: --outcome home,draw,away") from None


def _single(block: Block, chosen: Chosen, asked: Asked) -> Rows:
    forecasts = np.column_stack([block.numbers(name) for (name,) in chosen.columns])
    outcomes = _outcome(block, chosen.outcomes[0])
    for name, values in ((name, forecasts[:, k]) for k, (name,) in enumerate(chosen.columns)):
        if asked.probabilities:
            wrong = (values < 0.0) | (values > 1.0)
            _check(block, name, values, wrong, f"a probability, from 0 to 1; {_no_forecaster(name)}")
        _check_binary(block, name, values, asked, f"; {_no_forecaster(name)}")
        _check_range(block, name, values, asked)
    _check_binary(block, chosen.outcomes[0], outcomes, asked)
    if asked.probabilities:
        wrong = ~np.isnan(outcomes) & (outcomes != 0.0) & (outcomes != 1.0)
        _check(block, chosen.outcomes[0], outcomes, wrong, "0 or 1")
    _check_range(block, chosen.outcomes[0], outcomes, asked)
    return Rows(forecasts, outcomes)


def _no_forecaster(name: str) -> str:
    return f"if it is no forecaster, use --time {name}, or --experts without it"


def _check_binary(block: Block, name: str, values: Numbers, asked: Asked, hint: str = "") -> None:
    if asked.binary:
        wrong = ~(np.isnan(values) | (values == 0.0) | (values == 1.0))
        _check(block, name, values, wrong, f"0 or 1: a majority counts mistakes; adahedge combines numbers{hint}")


def _check_range(block: Block, name: str, values: Numbers, asked: Asked) -> None:
    if asked.range is not None:
        low, high = asked.range
        _check(block, name, values, (values < low) | (values > high), f"a number from {low:g} to {high:g}, as --range says")


def _check(block: Block, name: str, values: Numbers, wrong: NDArray[np.bool_], expected: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise block.error(row, f"column {name!r}: found {float(values[row])!r}, expected {expected}")


def _several(block: Block, chosen: Chosen, asked: Asked) -> Rows:
    forecasts = np.empty((len(block), len(chosen.experts), len(chosen.outcomes)))
    for k, (expert, columns) in enumerate(zip(chosen.experts, chosen.columns, strict=True)):
        forecasts[:, k] = _distributions(block, expert, columns, asked)
    happened = np.column_stack([_outcome(block, name) for name in chosen.outcomes])
    missing = np.isnan(happened)
    wrong = ~missing.all(1) & (missing.any(1) | ~np.isin(happened, (0.0, 1.0)).all(1) | (happened.sum(1) != 1.0))
    if wrong.any():
        row = int(wrong.argmax())
        cells = ", ".join(f"{block.text(name)[row]!r}" for name in chosen.outcomes)
        names = ", ".join(chosen.outcomes)
        raise block.error(row, f"columns {names}: found {cells}, expected one 1 and otherwise 0, or all empty if not known yet")
    return Rows(forecasts, np.where(missing.all(1), np.nan, np.nan_to_num(happened).argmax(1)))


def _distributions(block: Block, expert: str, columns: Sequence[str], asked: Asked) -> Numbers:
    """The probabilities that a forecaster gave."""
    cells = np.column_stack([block.numbers(name) for name in columns])
    missing = np.isnan(cells)
    partly = missing.any(1) & ~missing.all(1)
    if partly.any():
        row = int(partly.argmax())
        empty = columns[int(missing[row].argmax())]
        raise block.error(row, f"column {empty!r}: found an empty cell, expected all of {', '.join(columns)}, or none of them")
    for k, name in enumerate(columns):
        if asked.odds:
            _check(block, name, cells[:, k], cells[:, k] < 1.0, "decimal odds, of at least 1")
        else:
            wrong = (cells[:, k] < 0.0) | (cells[:, k] > 1.0)
            _check(block, name, cells[:, k], wrong, "a probability, from 0 to 1; decimal odds need --odds")
    if asked.odds:
        chances = 1.0 / cells
        return np.asarray(chances / chances.sum(1, keepdims=True), np.float64)
    sums = cells.sum(1)
    off = np.abs(sums - 1.0) > _TOLERANCE
    if off.any():
        row = int(off.argmax())
        raise block.error(row, f"found probabilities of {expert!r} that add to {sums[row]:.9g}, expected 1 (odds need --odds)")
    return np.asarray(cells / sums[:, None], np.float64)


# ---- back to a table -----------------------------------------------------------------------------------------------


def written(table: Table, chosen: Chosen, forecasts: Numbers, name: str) -> Iterator[bytes]:
    """The table with the combined forecasts as its last columns, in pieces: Parquet if the name ends so, otherwise CSV."""
    names = [f"combination_{outcome}" for outcome in chosen.outcomes] if chosen.several else ["combination"]
    while set(names) & set(table.columns):
        names = [f"{each}_" for each in names]
    columns = forecasts.reshape(len(forecasts), -1)
    make = _parquet if name.lower().endswith((".parquet", ".pq")) else _csv
    return make(table, chosen, names, columns)


def _blocks(table: Table, columns: Numbers) -> Iterator[tuple[Block, Numbers]]:
    """The rows once more, which must be as they were, and what was forecast for them."""
    count = 0
    for block in table.blocks(unchanged=True):
        count += len(block)
        if count > len(columns):
            break
        yield block, columns[block.first : count]
    if count != len(columns):
        rows = f"more than {len(columns):,}" if count > len(columns) else f"{count:,}"
        raise SourceError(f"found {rows} rows, expected {len(columns):,} as before: it has changed", file=table.name)


class _Lines:
    """Rows of a CSV file, each written at once. Their end is CR LF to the writer, which quotes a cell with a part of it."""

    END = "\r\n"

    def __init__(self) -> None:
        self._lines: list[str] = []

    def write(self, line: str, /) -> None:
        self._lines.append(line.removesuffix(self.END) + "\n")

    def taken(self) -> bytes:
        lines, self._lines = self._lines, []
        return "".join(lines).encode("utf-8")


def _csv(table: Table, _chosen: Chosen, names: list[str], columns: Numbers) -> Iterator[bytes]:
    out = _Lines()
    writer = csv.writer(out, delimiter=table.separator, lineterminator=out.END)
    writer.writerow([*table.columns, *names])
    for block, made in _blocks(table, columns):
        cells = [block.texts(number) for number in range(len(table.columns))]
        cells += [["" if math.isnan(value) else repr(value) for value in made[:, k].tolist()] for k in range(made.shape[1])]
        writer.writerows(zip(*cells, strict=True))
        yield out.taken()


def _parquet(table: Table, chosen: Chosen, names: list[str], columns: Numbers) -> Iterator[bytes]:
    """Columns that were taken for numbers are numbers there."""
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    numeric = {*chosen.outcomes, *(name for family in chosen.columns for name in family)}
    with tempfile.SpooledTemporaryFile(_PIECE << 4) as file:
        writer: Any = None
        for block, made in _blocks(table, columns):
            arrays = [
                arrow.array(block.numbers(name), from_pandas=True) if name in numeric else block.cells.column(number)
                for number, name in enumerate(table.columns)
            ]
            arrays += [arrow.array(np.ascontiguousarray(made[:, k]), from_pandas=True) for k in range(made.shape[1])]
            rows = arrow.Table.from_arrays(arrays, names=[*table.columns, *names])
            writer = writer or parquet.ParquetWriter(file, rows.schema)
            writer.write_table(rows)
        writer.close()
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece
