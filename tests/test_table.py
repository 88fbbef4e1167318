"""Tables: what is read of them, and what is said of what cannot be read."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.test_bad_commands import zstandard
from thresher.data import table as reading
from thresher.data.table import Block, Table, open_table

PLAIN = b"day,a,b\nmon,1,2.5\ntue,,-3e2\n"


@contextmanager
def opened(folder: Path, content: bytes) -> Iterator[Table]:
    path = folder / "table"
    path.write_bytes(content)
    with open_table(path) as table:
        yield table


def only(table: Table) -> Block:
    (block,) = table.blocks()
    return block


def parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    arrow, writer = import_module("pyarrow"), import_module("pyarrow.parquet")
    writer.write_table(arrow.table(columns), path)


def check_refused(folder: Path, content: bytes, *says: str) -> None:
    def read() -> None:
        with opened(folder, content) as table:
            for block in table.blocks():
                for name in table.columns[1:]:
                    block.numbers(name)

    with pytest.raises(th.SourceError) as caught:
        read()
    for part in says:
        assert part in str(caught.value)
    assert str(folder / "table") in str(caught.value)


# ---- what is read --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + PLAIN,
        PLAIN.removesuffix(b"\n"),
        PLAIN.replace(b"\n", b"\n\n"),
        PLAIN.replace(b",", b"\t"),
        PLAIN.replace(b",", b";"),
        PLAIN.replace(b",", b";").replace(b".", b","),
        b'"day","a","b"\n"mon","1","2.5"\n"tue","","-3e2"\n',
        b"day, a ,b\nmon, 1 , +2.5\ntue,NaN,-300\n",
        b"day,a,b\nmon,true,2.5\ntue,None,-300.\n",
        gzip.compress(PLAIN),
        zstandard(PLAIN),
    ],
    ids=[
        "plain",
        "CRLF",
        "byte-order mark",
        "no last newline",
        "blank lines",
        "tabs",
        "semicolons",
        "decimal commas",
        "quoted",
        "blanks",
        "words for numbers",
        "gzip",
        "Zstandard",
    ],
)
def test_a_table_is_the_same_in_every_dress(content: bytes, tmp_path: Path) -> None:
    with opened(tmp_path, content) as table:
        assert table.columns == ("day", "a", "b")
        block = only(table)
        assert block.text("day") == ["mon", "tue"]
        assert (block.numeric("day"), block.numeric("a"), block.numeric("b")) == (False, True, True)
        assert block.numbers("a")[0] == 1.0
        assert math.isnan(block.numbers("a")[1])
        assert block.numbers("b").tolist() == [2.5, -300.0]


def test_parquet_is_read_as_the_same_table_with_its_own_types(tmp_path: Path) -> None:
    parquet(
        tmp_path / "t", {"day": ["mon", "tue"], "a": [1, None], "b": [2.5, -300.0], "sure": [True, False], "none": [None, None]}
    )
    with open_table(tmp_path / "t") as table:
        block = only(table)
        assert table.columns == ("day", "a", "b", "sure", "none")
        assert block.text("a") == ["1", ""]
        assert np.array_equal(block.numbers("a"), [1.0, np.nan], equal_nan=True)
        assert block.numbers("sure").tolist() == [1.0, 0.0]
        assert [block.numeric(name) for name in table.columns] == [False, True, True, True, False]


def test_a_table_can_be_read_again(tmp_path: Path) -> None:
    with opened(tmp_path, PLAIN) as table:
        assert [len(block) for _ in range(3) for block in table.blocks()] == [2, 2, 2]


def test_quoted_cells_may_hold_separators_quotes_and_line_breaks(tmp_path: Path) -> None:
    with opened(tmp_path, b'"the ""best""",a\n"x,y",1\n"two\nlines",2\nz,3\n') as table:
        assert table.columns == ('the "best"', "a")
        assert only(table).text('the "best"') == ["x,y", "two\nlines", "z"]
        assert str(table.error(2, "here")) == f"{tmp_path / 'table'}:5: here"


def test_rows_come_in_blocks_and_keep_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_ROWS", 7)
    monkeypatch.setattr(reading, "_BYTES", 64)
    rows = 100
    with opened(tmp_path, b"i,x\n" + b"".join(b"%d,%d\n" % (i, 3 * i) for i in range(rows))) as table:
        blocks = list(table.blocks())
    assert len(blocks) > rows // 7
    assert [block.first + k for block in blocks for k in range(len(block))] == list(range(rows))
    assert np.concatenate([block.numbers("x") for block in blocks]).tolist() == [3.0 * i for i in range(rows)]


def test_columns_without_a_name_may_be_several(tmp_path: Path) -> None:
    with opened(tmp_path, b",a,\n1,2,3\n") as table:
        assert table.columns == ("", "a", "")
        assert only(table).numbers("a").tolist() == [2.0]


# ---- what is refused -----------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["found an empty table", "names of the columns"]),
    "blank": (b"\n\r\n", ["found an empty table"]),
    "a word": (b"d,a\nx,1\n\ny,two\n", [":4: column 'a': found 'two', expected a number"]),
    "a date": (b"d,a\nx,2020-01-01\n", [":2: column 'a': found '2020-01-01'"]),
    "two numbers in a cell": (b'd,a\nx,"1,5"\n', [":2: column 'a': found '1,5'"]),
    "digits of other scripts": ("d,a\nx,٣\n".encode(), [":2: column 'a': found '٣'"]),
    "underscores": (b"d,a\nx,1_0\n", [":2: column 'a': found '1_0'"]),
    "infinite": (b"d,a\nx,1\ny,-inf\n", [":3: column 'a': found '-inf', expected a finite number"]),
    "too large for a float": (b"d,a\nx,1e999\n", [":2: column 'a': found '1e999'"]),
    "short row": (b"d,a\nx,1\ny\n", [":3: found 1 cell in 'y', expected 2 cells"]),
    "long row": (b"d,a\nx,1\ny,2,3\n", [":3: found 3 cells in 'y,2,3', expected 2 cells"]),
    "no UTF-8": (b"d,a\nx,1\n\xff,2\n", [":3: found '\\xff', expected text in UTF-8"]),
    "no UTF-8 in a name": (b"d,\xe9\nx,1\n", [":1: found '\\xe9', expected text in UTF-8"]),
    "UTF-16": ("d,a\nx,1\n".encode("utf-16"), ["found UTF-16"]),
    "binary": (bytes(range(256)), ["found binary data", "CSV, TSV or Parquet"]),
    "a name twice": (b"a,b,a\n1,2,3\n", [":1: found two columns named 'a'"]),
    "no names": (b"1,2.5\n3,4\n", [":1: found '1,2.5', expected the names of the columns first"]),
    "zip": (b"PK\x03\x04\x14\0", ["found zip"]),
    "cut gzip": (gzip.compress(PLAIN * 999)[:-9], ["found the end of the file", "cut off"]),
    "cut Parquet": (b"PAR1 and no more", ["found damaged Parquet"]),
    "Parquet in gzip": (gzip.compress(b"PAR1 and no more"), ["found Parquet in compressed data"]),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=list(REFUSED))
def test_a_bad_table_is_refused_with_its_place(content: bytes, says: list[str], tmp_path: Path) -> None:
    check_refused(tmp_path, content, *says)


def test_a_bad_row_is_named_by_its_line_in_a_later_block_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_BYTES", 64)
    good = b"d,a\n" + b"x,1\n" * 200
    check_refused(tmp_path, good + b"y,z\n", ":202: column 'a': found 'z'")
    check_refused(tmp_path, good + b"y\n", ":202: found 1 cell")
    check_refused(tmp_path, good + b"\xfe,1\n", ":202: found '\\xfe'")


def test_a_row_of_parquet_is_named_by_its_number(tmp_path: Path) -> None:
    parquet(tmp_path / "t", {"a": ["1", "2", "x"], "at": [[1], [2], [3]]})
    with open_table(tmp_path / "t") as table:
        with pytest.raises(th.SourceError, match=r"t: row 3: column 'a': found 'x'"):
            only(table).numbers("a")
        with pytest.raises(th.SourceError, match=r"column 'at': found a column of list"):
            only(table).numbers("at")


@pytest.mark.parametrize("demo", ["demo:oranges", "demo:apples"])
def test_a_demo_that_is_no_table_is_refused(demo: str) -> None:
    with pytest.raises(th.ParameterError, match="forecasts"), open_table(demo):
        pass


def test_an_index_of_pandas_without_a_name_is_no_column(tmp_path: Path) -> None:
    frame = import_module("pandas").DataFrame({"a.b": [1.0, 2.0], "at": ["x", "y"]}, index=[7, 5])
    frame.to_parquet(tmp_path / "t")
    with open_table(tmp_path / "t") as table:
        assert table.columns == ("a.b", "at")
        assert only(table).numbers("a.b").tolist() == [1.0, 2.0]
