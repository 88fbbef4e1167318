"""Pieces of tables: however large they are and whoever makes them, what comes of a table is the same."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.data.arrow_file import parquet_pieces
from thresher.data.files import Files
from thresher.data.plan import Plan
from thresher.data.source import Source
from thresher.data.table_files import pieces_of
from thresher.data.table_recipe import TableRecipe
from thresher.errors import SourceError

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = 300_000


def long_table() -> Any:
    rng = np.random.default_rng(1)
    words = pyarrow.array([f"word{k}" for k in range(40)])
    return pyarrow.table(
        {
            "x": rng.normal(3.0, 2.0, ROWS),
            "c": words.take(pyarrow.array(rng.integers(0, 40, ROWS))),
            "label": rng.integers(0, 2, ROWS),
        }
    )


def found(source: Any, threads: int, **options: Any) -> tuple[Any, ...]:
    with th.open_stream(source, threads=threads, **options) as stream:
        rows = [(np.diff(batch.rows.indptr), batch.rows.indices, batch.rows.data, batch.y) for batch in stream]
    return *(np.concatenate(part).tobytes() for part in zip(*rows, strict=True)), stream.position, stream.recipe


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("long") / "long.parquet"
    parquet.write_table(long_table(), place, row_group_size=170_000)
    return place


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_long_parquet_is_what_its_rows_are_in_memory(long_file: Path, threads: int) -> None:
    assert found(long_file, threads) == found(long_table(), 1)


def test_first_rows_of_parquet_are_a_piece_and_later_pieces_are_larger(long_file: Path) -> None:
    files = Files(Source(long_file), ahead=False)
    assert files.file is not None
    sizes = [piece.rows for piece in parquet_pieces(files.file, Plan(TableRecipe(), None), threads=1)]
    files.close()
    assert sum(sizes) == ROWS
    assert sizes[0] == 1 << 16 < max(sizes) <= 1 << 17


def test_row_groups_that_were_read_are_not_kept(tmp_path: Path) -> None:
    rows, groups = 1 << 16, 24
    place = tmp_path / "groups.parquet"
    numbers = np.random.default_rng(2).random(rows * groups)
    parquet.write_table(pyarrow.table({"x": numbers, "y": numbers}), place, row_group_size=rows, use_dictionary=False)
    files = Files(Source(place), ahead=False)
    assert files.file is not None
    before = pyarrow.total_allocated_bytes()
    most = 0
    for _ in parquet_pieces(files.file, Plan(TableRecipe(), None), threads=1):
        most = max(most, pyarrow.total_allocated_bytes() - before)
    files.close()
    assert most < place.stat().st_size / 2


def test_no_other_file_is_opened_before_the_first_rows_were_looked_at(tmp_path: Path) -> None:
    small = pyarrow.table({"x": [1.0, 2.0], "label": [0, 1]})
    for name in ("a", "b"):
        parquet.write_table(small, tmp_path / f"{name}.parquet")
    files = Files(Source(tmp_path / "a.parquet", tmp_path / "b.parquet"), ahead=False)
    pieces = pieces_of(files, None, Plan(TableRecipe(), None), labelled=True, skip_bad=False, threads=2)
    assert next(pieces).rows == 2
    assert not Event().wait(0.05)  # the thread would have had time
    assert files.names == [str(tmp_path / "a.parquet")]
    pieces.settle()
    assert next(pieces).rows == 2
    assert files.names == [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    pieces.close()
    files.close()


@pytest.mark.parametrize("code", [-7, 2, 2**31 - 1])
@pytest.mark.parametrize("more", [[], [None]])
def test_codes_beyond_their_dictionary_are_refused(code: int, more: list[None]) -> None:
    codes = pyarrow.array([0, 1, code, *more], pyarrow.int32())
    cells = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(["red", "green"]), safe=False)
    frame = pyarrow.table({"colour": cells, "label": [0, 1, 0, *[1 for _ in more]]})
    with pytest.raises(SourceError, match=r"a code from -?\d+ to \d+ in a dictionary of 2"):
        th.open_stream(frame)
