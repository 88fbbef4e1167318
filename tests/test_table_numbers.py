"""Numbers in CSV as people write them, and what is said of a column that is nearly numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thresher as th
from tests.commands import run
from thresher.data.number_cells import MISSING

SPELLED: dict[str, tuple[list[str], str, list[float | None]]] = {
    "currency": (["$1,234.50", "$0.99", "-$3.00", "€12"], ",", [1234.5, 0.99, -3.0, 12.0]),
    "percent": (["12.5%", "3 %", "100%", "0%"], ",", [12.5, 3.0, 100.0, 0.0]),
    "brackets": (["(3.00)", "4.00", "(1,000)", "5"], ",", [-3.0, 4.0, -1000.0, 5.0]),
    "thousands": (["1,234", "12", "1,234,567", "7"], ",", [1234.0, 12.0, 1234567.0, 7.0]),
    "blank cells": (["1.5", " ", "2.5", "3"], ",", [1.5, None, 2.5, 3.0]),
    "decimal comma": (["1.234,5", "0,25", "7", "12,0 €"], ";", [1234.5, 0.25, 7.0, 12.0]),
    "decimal point": (["1234.5", "0.25", "7", "12.0"], ";", [1234.5, 0.25, 7.0, 12.0]),
    **{f"missing {word}": (["1.5", word, "2", "3"], ",", [1.5, None, 2.0, 3.0]) for word in MISSING if word},
}


def written(place: Path, cells: list[str], separator: str) -> Path:
    quoted = [f'"{cell}"' for cell in cells]
    labels = ["no", "yes"] * len(cells)
    lines = [separator.join(("x", "label")), *(separator.join(pair) for pair in zip(quoted, labels, strict=False))]
    place.write_text("\n".join(lines) + "\n", "utf-8")
    return place


def values(place: Any, **options: Any) -> list[float | None]:
    """The numbers of column x, as they are."""
    found: list[float | None] = []
    with th.open_stream(place, n=2**18, numeric="raw", **options) as stream:
        for batch in stream:
            rows = [dict(batch.X[row]) for row in range(len(batch))]
            found += [next(iter(row.values()), None) for row in rows]
        assert stream.recipe.table is not None
        assert [*stream.recipe.table.kinds.values()] == ["number"]
    return found


@pytest.mark.parametrize("case", SPELLED)
def test_numbers_as_people_write_them_are_numbers(case: str, tmp_path: Path) -> None:
    cells, separator, expected = SPELLED[case]
    assert values(written(tmp_path / "t.csv", cells, separator)) == [value or None for value in expected]


def test_columns_may_have_decimal_signs_of_their_own(tmp_path: Path) -> None:
    """1.5 beside 1.234 is what it is, though another column has a decimal comma: not 1.5 and 1,234."""
    rows = [("0,5", "1.5"), ("0,25", "1.234"), ("1.000,5", "1234.567"), ("3", "7")]
    place = tmp_path / "t.csv"
    place.write_text("a;b;label\n" + "".join(f"{a};{b};{'no' if b == '7' else 'yes'}\n" for a, b in rows), "utf-8")
    assert values(place, ignore=("b",)) == [0.5, 0.25, 1000.5, 3.0]
    assert values(place, ignore=("a",)) == [1.5, 1.234, 1234.567, 7.0]
    with th.open_stream(place, numeric="raw") as stream:
        given = [sorted(dict(batch.X[row]).values()) for batch in stream for row in range(len(batch))]
    assert given == [[0.5, 1.5], [0.25, 1.234], [1000.5, 1234.567], [3.0, 7.0]]


def test_a_later_chunk_is_read_as_the_first(tmp_path: Path) -> None:
    cells = ["$1,234.50", "7"] * 300_000
    assert values(written(tmp_path / "t.csv", cells, ",")) == [1234.5, 7.0] * 300_000


def test_words_that_look_a_little_like_numbers_stay_words(tmp_path: Path) -> None:
    for cells in (["1,23", "4"], ["10.0.0.1", "192.168.100.200"], ["5 km", "6"], ["$", "1"], ["1-2", "3-4"], ["%", "%"]):
        place = written(tmp_path / "t.csv", cells, ",")
        with th.open_stream(place) as stream:
            assert stream.recipe.table is not None
            list(stream)
            assert stream.recipe.table.kinds == {"x": "category"}, cells


def test_a_few_words_among_numbers_are_told_with_their_line(tmp_path: Path) -> None:
    cells = [f"{k / 7:.3f}" for k in range(200)]
    cells[150] = "error"
    with th.open_stream(written(tmp_path / "t.csv", cells, ",")) as stream:
        told = "column 'x' was taken for words: line 152 has 'error' among 199 numbers; empty it, and the column is numbers"
        assert told in stream.notices
    cells[170] = "broken"
    with th.open_stream(written(tmp_path / "t.csv", cells, ",")) as stream:
        assert any(
            "line 152 has 'error' among 198 numbers, with 1 other cell like it; empty them" in notice
            for notice in stream.notices
        )
    cells[150] = cells[170] = ""
    with th.open_stream(written(tmp_path / "t.csv", cells, ",")) as stream:
        assert stream.notices == []


def test_predict_reads_either_spelling_and_says_which_cell_is_none(tmp_path: Path) -> None:
    model = str(tmp_path / "model")
    cells = [f"${k + 1:,}.00" for k in range(40)]
    ran = run("learn", str(written(tmp_path / "t.csv", cells, ",")), "--quiet", "--save", model)
    assert ran.status == 0
    plain = [cell.replace("$", "").replace(",", "") for cell in cells]
    given = [run("predict", model, str(written(tmp_path / f"{k}.csv", each, ","))) for k, each in enumerate((cells, plain))]
    assert given[0].out == given[1].out != ""
    cells[2] = "many"
    ran = run("predict", model, str(written(tmp_path / "bad.csv", cells, ",")))
    assert ran.status == 2
    assert "bad.csv:4: column 'x': found 'many', expected a number" in ran.err


@pytest.mark.parametrize("n", [2**18, 1])
def test_a_number_that_flattens_its_column_is_told_with_its_line(n: int, tmp_path: Path) -> None:
    rows = [f"{k % 10},{k % 7},{'no' if k % 3 else 'yes'}" for k in range(300)]
    place = tmp_path / "t.csv"
    place.write_text("\n".join(["size,width,label", *rows]) + "\n", "utf-8")
    with th.open_stream(place, n=n) as stream:
        list(stream)
        assert stream.notices == []
    for row in (250, 270):
        rows[row] = f"1000000000000,{row % 7},no"
    place.write_text("\n".join(["size,width,label", *rows]) + "\n", "utf-8")
    with th.open_stream(place, n=n) as stream:
        list(stream)
        (told,) = stream.notices
    assert told.startswith(f"{place}:252: column 'size': found 1000000000000, which made the deviation of the column ")
    with th.open_stream(place, n=n, numeric="raw") as stream:
        list(stream)
        assert stream.notices == []
