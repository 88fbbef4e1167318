"""The rows that the core makes of columns, against the definition: every name in its slot, numbers by a running scale."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import _core
from thresher.data.names import slot_of

pyarrow = pytest.importorskip("pyarrow")


def expected_rows(columns: dict[str, list[Any]], n: int, *, scaled: bool) -> list[dict[int, float]]:
    """Welford's recurrence and a sum for each slot, the smaller values first."""
    states: dict[str, tuple[float, float, float]] = {}
    rows = []
    for row in range(len(next(iter(columns.values())))):
        slots: dict[int, list[float]] = {}
        for name, cells in columns.items():
            cell = cells[row]
            if isinstance(cell, str):
                slots.setdefault(slot_of(f"{name}={cell}", n), []).append(1.0)
            elif cell is not None and not math.isnan(cell):
                value = cell
                if scaled:
                    count, mean, squares = states.get(name, (0.0, 0.0, 0.0))
                    before = cell - mean
                    count += 1.0
                    share = 1.0 / count
                    mean += before * share
                    squares += before * (cell - mean)
                    states[name] = count, mean, squares
                    deviation = math.sqrt(squares * share)
                    value = (cell - mean) / deviation if deviation > 0.0 else 0.0
                if value:
                    slots.setdefault(slot_of(name, n), []).append(value)
        summed = {}
        for slot, values in slots.items():
            total, *others = sorted(values)
            for value in others:
                total += value
            summed[slot] = total
        rows.append({slot: summed[slot] for slot in sorted(summed) if summed[slot]})
    return rows


def cells(rng: np.random.Generator, rows: int, kind: str, different: int) -> list[Any]:
    if kind == "word":
        drawn = rng.integers(0, different, rows).tolist()
        return [None if rng.random() < 0.05 else f"w{value}" for value in drawn]
    drawn = np.round(rng.normal(3.0, 10.0, rows), 1)
    drawn[rng.random(rows) < 0.1] = 0.0
    return [None if rng.random() < 0.1 else value for value in drawn.tolist()]


@pytest.mark.parametrize("numeric", ["raw", "scale"])
@pytest.mark.parametrize(
    ("numbers", "words", "different", "n"),
    [
        (1, 0, 0, 2**18),
        (7, 0, 0, 2**18),
        (8, 0, 0, 8),
        (0, 1, 5, 2**18),
        (0, 13, 40, 2**18),
        (5, 9, 40, 2**18),
        (6, 4, 3, 64),  # most rows have two names in a slot
        (2, 20, 4000, 2**20),  # more names than 16 bits tell apart
    ],
)
def test_rows_are_as_the_definition_has_them(numbers: int, words: int, different: int, n: int, numeric: str) -> None:
    rng = np.random.default_rng(numbers * 31 + words)
    rows = 4000 if different > 1000 else 333
    columns = {f"x{k}": cells(rng, rows, "number", 0) for k in range(numbers)}
    columns |= {f"c{k}": cells(rng, rows, "word", different) for k in range(words)}
    if different > 1000:
        assert sum(len({*columns[f"c{k}"]}) for k in range(words)) > 2**15
    labels = rng.integers(0, 2, rows).tolist()
    kept = [row for row in range(rows) if row % 50 != 7]  # a row without a label moves no scale
    labels = [labels[row] if row % 50 != 7 else None for row in range(rows)]
    table = pyarrow.table({**columns, "label": labels})
    found: list[dict[int, float]] = []
    with th.open_stream(table, n=n, numeric=numeric) as stream:
        for batch in stream:
            found += [dict(batch.X[row]) for row in range(len(batch))]
    expected = expected_rows(columns, n, scaled=numeric == "scale")
    if numeric == "scale":
        expected = expected_rows({name: [each[row] for row in kept] for name, each in columns.items()}, n, scaled=True)
    else:
        expected = [expected[row] for row in kept]
    assert found == expected
    assert [list(row) for row in found] == [sorted(row) for row in found]


def test_columns_part_where_one_misses_a_number() -> None:
    """As long as columns have as many numbers, they share what each is of all."""
    rng = np.random.default_rng(5)
    rows = 777
    columns = {f"x{k}": np.round(rng.normal(3.0, 10.0, rows), 1).tolist() for k in range(13)}
    for k, row in ((2, 63), (6, 64), (7, 300), (11, 0), (12, rows - 1)):
        columns[f"x{k}"][row] = None
    table = pyarrow.table({**columns, "label": rng.integers(0, 2, rows)})
    with th.open_stream(table, bits=18) as stream:
        found = [dict(batch.X[row]) for batch in stream for row in range(len(batch))]
    assert found == expected_rows(columns, 2**18, scaled=True)


@pytest.mark.parametrize("words", [*range(1, 19), 40])
def test_words_of_any_number_of_columns_come_in_order_with_every_instruction_set(words: int) -> None:
    """Few columns are sorted in registers, by exchanges that are known for each number of them."""
    rng = np.random.default_rng(words)
    columns = {f"c{k}": cells(rng, 150, "word", 30) for k in range(words)}
    table = pyarrow.table({**columns, "label": rng.integers(0, 2, 150)})
    expected = expected_rows(columns, 2**18, scaled=False)
    used = _core.instruction_set()
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            with th.open_stream(table, bits=18) as stream:
                found = [list(batch.X[row].items()) for batch in stream for row in range(len(batch))]
            assert found == [list(row.items()) for row in expected]
    finally:
        _core.use_instruction_set(used)
