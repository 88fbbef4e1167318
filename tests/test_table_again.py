"""Memory of rows serves again, and what lies in it from before is not written twice: nobody may see that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher._core import Column, Columns, TableReader
from thresher.data.labelled import Wishes

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

ROWS = 30_000
Made = list[tuple[bytes, ...]]


def table(seed: int, numbers: int, words: int, *, zeros: float = 0.0) -> Any:
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for k in range(numbers):
        cells = rng.normal(3.0, 1.0, ROWS)
        cells[rng.random(ROWS) < zeros] = 0.0
        columns[f"x{k}"] = cells
    names = pyarrow.array([f"word{k}" for k in range(50)])
    for k in range(words):
        columns[f"c{k}"] = names.take(pyarrow.array(rng.integers(0, 50, ROWS)))
    return pyarrow.table({**columns, "label": rng.integers(0, 2, ROWS)})


def made(files: list[str], bits: int, numeric: str, threads: int, *, kept: bool) -> Made:
    """The arrays of all batches; `kept`: all of them are held to the end, so that no memory serves again."""
    found: Made = []
    held = []
    with th.open_stream(files, bits=bits, numeric=numeric, threads=threads) as stream:
        for batch in stream:
            rows = batch.rows
            found.append(tuple(np.asarray(part).tobytes() for part in (rows.indptr, rows.indices, rows.data, batch.y)))
            if kept:
                held.append(batch)
    return found


TABLES = {
    "numbers": [table(0, 7, 0), table(1, 7, 0)],
    "numbers, some of them 0": [table(2, 8, 0, zeros=0.00002)],
    "words": [table(3, 0, 6)],
    "both": [table(4, 3, 4, zeros=0.1)],
    "one after the other": [table(5, 6, 0), table(6, 0, 5), table(7, 6, 0), table(8, 3, 3), table(9, 0, 5)],
}


@pytest.mark.parametrize("bits", [3, 6, 18])  # many names share a slot, some rows have two such, none has
@pytest.mark.parametrize("name", TABLES)
def test_memory_that_serves_again_tells_nothing_of_what_it_held(tmp_path: Any, name: str, bits: int) -> None:
    files = []
    for number, each in enumerate(TABLES[name]):
        files.append(str(tmp_path / f"{number}.parquet"))
        pyarrow.parquet.write_table(each, files[-1])
    for numeric in ("raw", "scale"):
        fresh = made(files, bits, numeric, 1, kept=True)
        assert len(fresh) > 2
        assert made(files, bits, numeric, 1, kept=False) == fresh
        assert made(files, bits, numeric, 2, kept=False) == fresh


def digest(values: Any, *cuts: int) -> int:
    reader = TableReader(8, **Wishes(None, True, True, False, None, 1).policy, ngrams=1, scaled=False, frozen=False, threads=1)
    for part in np.split(np.asarray(values, np.float64), cuts):
        reader.begin(Columns(len(part), [Column.numbers("x", "x", np.ascontiguousarray(part))]))
        reader.skip(len(part))
    return int(reader.digest)


def test_the_digest_of_cells_is_the_same_however_they_are_cut() -> None:
    values = np.random.default_rng(0).normal(size=1000)
    whole = digest(values)
    assert digest(values, 1, 7, 500, 998) == whole
    assert digest(values, *range(1, 1000)) == whole


def test_the_digest_of_cells_knows_their_order_their_signs_and_their_number() -> None:
    values = np.random.default_rng(0).normal(size=100)
    whole = digest(values)
    others = [values[::-1], np.append(values, 0.0), np.insert(values, 0, 0.0), values[:-1], np.append(values[1:], values[:1])]
    for first in range(0, 90, 9):  # of two numbers: that of one is another digest in any case
        flipped = values.copy()
        flipped[[first, first + 5]] *= -1.0
        others.append(flipped)
    assert whole not in {digest(each) for each in others}
    assert len({digest(each) for each in others}) == len(others)
