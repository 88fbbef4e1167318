"""A column of which the first files tell nothing is the same whenever they are read again, though by then it is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import PERCEPTRON, run, stop_after
from thresher._core import Column, Columns, TableReader
from thresher.data.arrow import arrow
from thresher.data.labelled import Wishes
from thresher.store import Model

Row = dict[str, Any]
CELLS: dict[str, list[Any]] = {
    "numbers": [1.5, 2.0, None],
    "words": ["red", "blue", None],
    "truth": [True, False, None],
    "days": ["2024-01-02", None, "2024-05-06"],
    "moments": ["2024-01-02 03:04:05", "2024-07-31 23:00:00", None],
    "lists": [["a"], ["b", "c"], None],
    "objects": [{"x": 1, "y": None}, {"x": 2, "y": "red"}, None],
}


def csv(path: Path, rows: list[Row], missing: str = "") -> None:
    lines = [",".join(missing if cell is None else str(cell) for cell in row.values()) for row in rows]
    path.write_text("\n".join([",".join(rows[0]), *lines, ""]))


def spelled_na(path: Path, rows: list[Row]) -> None:
    csv(path, rows, "NA")


def jsonl(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def parquet(path: Path, rows: list[Row]) -> None:
    table = arrow().table({name: [row[name] for row in rows] for name in rows[0]})
    arrow(".parquet").write_table(table, path)


FORMS: dict[str, Callable[[Path, list[Row]], None]] = {"csv": csv, "NA": spelled_na, "jsonl": jsonl, "parquet": parquet}


def files_of(folder: Path, form: str, cells: list[Any], first: int, *, all_columns: bool) -> list[Path]:
    """Three files, the first of which has so many rows, and nothing in one column or in all but the label."""
    files = []
    for number, count in enumerate((first, 20, 10)):
        rows: list[Row] = []
        for k in range(count):
            cell = cells[k % len(cells)] if number > 0 else None
            rows.append({"c1": cell, "c2": cell if all_columns else k, "label": "ab"[(k + k // 3) % 2]})
        files.append(folder / f"{number}.{'csv' if form == 'NA' else form}")
        FORMS[form](files[-1], rows)
    return files


@pytest.mark.parametrize("all_columns", [False, True], ids=["one column", "all columns"])
@pytest.mark.parametrize(
    ("form", "cells"),
    [(form, name) for form in FORMS for name in CELLS if form in ("jsonl", "parquet") or name not in ("lists", "objects")],
)
def test_files_are_read_again_as_the_same_and_from_any_batch_on(
    form: str, cells: str, all_columns: bool, tmp_path: Path
) -> None:
    for first in (1, 4):
        files = files_of(tmp_path, form, CELLS[cells], first, all_columns=all_columns)
        whole, part = tmp_path / "whole", tmp_path / "part"
        options = [*PERCEPTRON, *files, "--bits", 6, "--passes", 2, "--quiet"]
        ran = run(*options, "--save", whole)  # which checks the run by reading it once more
        assert (ran.status, ran.err) == (0, "")
        for batches in range(1, 6):
            with stop_after(batches):
                assert run(*options, "--save", part).status == 130
            stopped = Model.load(part).run
            assert stopped is not None
            assert not stopped.finished
            resumed = run("learn", *files, "--resume", part, "--quiet")
            assert (resumed.status, resumed.err) == (0, "")
            assert part.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_na_is_no_word_before_the_first_word_of_its_column(threads: int, tmp_path: Path) -> None:
    first, second = tmp_path / "0.csv", tmp_path / "1.csv"
    first.write_text("c1,c2,label\nNA,1,a\n,2,b\n")
    second.write_text("c1,c2,label\nred,3,a\nNA,4,b\n")
    with th.open_stream([first, second], label="label", numeric="raw", threads=threads) as stream:
        counts = [int(count) for batch in stream for count in np.diff(batch.matrix().indptr)]
        recipe, position = stream.recipe, stream.position
    assert counts == [1, 1, 2, 2]
    with th.open_stream([first, second], recipe=recipe, threads=threads) as again:
        assert [int(count) for batch in again for count in np.diff(batch.matrix().indptr)] == counts
        assert again.position == position


def test_what_a_column_holds_is_known_to_the_file_behind_though_its_rows_were_not_taken_yet(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.csv" for number in range(3)]
    for file, rows in zip(files, ("NA,1,a\n,2,b\n", "red,3,a\nblue,4,b\n", "NA,5,a\n7,6,b\n"), strict=True):
        file.write_text(f"c1,c2,label\n{rows}")
    for _ in range(20):  # threads that read ahead do not always come so far
        with th.open_stream(files, label="label", numeric="raw", threads=2) as stream:
            assert [int(count) for batch in stream for count in np.diff(batch.matrix().indptr)] == [1, 1, 2, 2, 2, 2]


def test_na_is_a_label_wherever_it_stands(tmp_path: Path) -> None:
    first, second = tmp_path / "0.csv", tmp_path / "1.csv"
    first.write_text("c1,label\n1,NA\n2,NA\n")
    second.write_text("c1,label\n3,b\n4,NA\n")
    ran = run(*PERCEPTRON, first, second, "--bits", 6, "--passes", 2, "--positive", "b", "--json")
    assert ran.status == 0
    assert ran.json["examples"] == 8


def test_rows_with_a_bad_one_among_them_are_read_again_as_the_same(tmp_path: Path) -> None:
    files = files_of(tmp_path, "NA", CELLS["words"], 4, all_columns=False)
    files[0].write_text(f"{files[0].read_text()}NA,a\nNA,7,b\n")
    ran = run(*PERCEPTRON, *files, "--bits", 6, "--passes", 2, "--on-bad", "skip")
    assert ran.status == 0


@pytest.mark.parametrize("cells", [[np.nan, np.nan, 1.0, np.nan], [np.nan] * 4])
def test_the_digest_of_a_column_begins_where_something_is_given(cells: list[float]) -> None:
    def digest(known: int, *cuts: int) -> int:
        policy = Wishes(None, True, True, False, None, 1).policy
        reader = TableReader(8, **policy, ngrams=1, scaled=False, frozen=False, threads=1)
        for begin, end in zip([0, *cuts], [*cuts, len(cells)], strict=True):
            columns = [Column.numbers("y", "y", np.arange(float(begin), end))]
            if begin >= known:
                columns.append(Column.numbers("x", "x", np.array(cells[begin:end])))
            reader.begin(Columns(end - begin, columns))
            reader.skip(end - begin)
        return int(reader.digest)

    whole = digest(0)
    assert {digest(0, 1), digest(0, 2, 3), digest(1, 1), digest(2, 2), digest(2, 1, 2, 3)} == {whole}
    if cells[2] == 1.0:
        assert digest(3, 3) != whole
