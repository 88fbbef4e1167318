"""`thresher experts` on tables that few write: huge cells, strange times and bytes, files that change while they are read."""

from __future__ import annotations

import csv
import errno
import gzip
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.commands import check_refused_command, run
from thresher.data.table import open_table
from thresher.evaluate.combine import combine
from thresher.report.chart import Line, chart, ticks
from thresher.store.atomic import replace

ARROW, PARQUET = import_module("pyarrow"), import_module("pyarrow.parquet")
TABLE = "a,b,y\n" + "".join(f"{i},{i + 2},{i + 1}\n" for i in range(20))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*arguments: object) -> dict[str, Any]:
    ran = run("experts", *arguments, "--json")
    assert (ran.status, ran.err) == (0, "")
    return ran.json


# ---- scores --------------------------------------------------------------------------------------------------------


def test_a_huge_loss_at_first_does_not_swallow_the_last_rounds() -> None:
    rows = [f"{i % 7 + 0.1},{i % 7 + 2},{i % 7}" for i in range(99)]
    Path("t").write_text("\n".join(["a,b,y", "-999999999,3,1", *rows]) + "\n")
    found = said("t", "--outcome", "y")
    last = [one["last"]["RMSE"] for one in (*found["experts"], found["average"])]
    assert last == pytest.approx([0.1, 2.0, 1.05])
    (u, v) = found["best_mixture"]["weights"].values()
    assert found["best_mixture"]["last"]["RMSE"] == pytest.approx(0.1 * u + 2.0 * v)
    assert 0.1 <= found["combination"]["last"]["RMSE"] <= 2.0


def test_a_row_for_which_only_those_are_awake_who_are_out_stays_empty_as_if_they_slept() -> None:
    Path("t").write_text("a,b,y\n0,.5,1\n.5,,\n,,\n.5,.25,\n")
    assert run("experts", "t", "--outcome", "y", "--loss", "log", "--forecasts", "out").status == 0
    with Path("out").open(newline="") as out:
        made = [row["combination"] for row in csv.DictReader(out)]
    assert made[1:] == ["", "", "0.25"]


def test_numbers_near_the_least_double_have_a_report() -> None:
    Path("t").write_text("a,b,y\n1e-323,5e-324,0\n2e-323,5e-324,0\n")
    assert run("experts", "t", "--outcome", "y", "--loss", "absolute", "--report", "r.html").status == 0
    assert "<svg" in Path("r.html").read_text()
    assert ticks(0.0, 5e-324) == ticks(0.0, 1.0)
    assert len(chart("t", [1, 2], [Line("a", [0.0, 1e-290], "line-1")], axis="y")) < 5000


# ---- cells ---------------------------------------------------------------------------------------------------------


def test_every_cell_of_the_forecasts_is_read_as_it_was_written() -> None:
    cells = ["one\rtwo", "\r\n", "\n", 'a "b"', "c,d", " e ", ""]
    with Path("t").open("w", newline="") as out:
        csv.writer(out, quoting=csv.QUOTE_ALL).writerows([["a\rb", "x", "y"], *([cell, 1, 2] for cell in cells)])
    assert run("experts", "t", "--outcome", "y", "--forecasts", "out").status == 0
    with Path("out").open(newline="") as written:
        rows = list(csv.reader(written))
    assert [row[0] for row in rows] == ["a\rb", *cells]
    assert {len(row) for row in rows} == {4}
    with open_table("out") as table:
        assert next(table.blocks()).texts(0) == cells


TIMES: dict[str, tuple[Any, list[int], str]] = {
    "nanoseconds": (ARROW.timestamp("ns"), [1, 10**18], "1970-01-01 00:00:00.000000001"),
    "time of nanoseconds": (ARROW.time64("ns"), [1, 2], "00:00:00.000000001"),
    "duration": (ARROW.duration("ns"), [1, 2], "1"),
    "seconds": (ARROW.timestamp("us"), [0, 10**6], "1970-01-01 00:00:00"),
    "far from now": (ARROW.timestamp("ms"), [2**60, 0], ""),
    "a late day": (ARROW.date32(), [2**31 - 1, 0], ""),
}


@pytest.mark.parametrize(("kind", "values", "first"), TIMES.values(), ids=list(TIMES))
def test_times_that_python_cannot_hold_are_written_and_shown(kind: Any, values: list[int], first: str) -> None:
    whole = ARROW.int32() if kind == ARROW.date32() else ARROW.int64()
    times = ARROW.array(values, whole).view(kind)
    PARQUET.write_table(ARROW.table({"at": times, "a": [1.0, 2.0], "y": [1.0, 2.0]}), "t")
    assert said("t", "--outcome", "y")["left_out"] == ["at"]
    assert run("experts", "t", "--outcome", "y", "--time", "at", "--forecasts", "out.csv", "--report", "r.html").status == 0
    with Path("out.csv").open(newline="") as out:
        assert next(csv.DictReader(out))["at"].startswith(first)


def broken() -> Any:
    bytes_of = ARROW.array([b"\xff", b"ok"], ARROW.binary())
    return ARROW.Array.from_buffers(ARROW.string(), 2, bytes_of.buffers())


@pytest.mark.parametrize(
    "cells", [broken(), ARROW.array([0, 1], ARROW.timestamp("us", "Mars/Base"))], ids=["no UTF-8", "no such zone"]
)
def test_a_column_that_has_no_text_is_named_where_it_is_needed_and_only_there(cells: Any, folder: Path) -> None:
    PARQUET.write_table(ARROW.table({"at": cells, "a": [1.0, 2.0], "y": [1.0, 2.0]}), "t", store_schema=True)
    assert said("t", "--outcome", "y")["left_out"] == ["at"]
    for options in (["--time", "at"], ["--forecasts", "out.csv"], ["--experts", "at"]):
        check_refused_command(folder, "experts", "t", "--outcome", "y", *options, says=["t: ", "column 'at': found"])


# ---- heads ---------------------------------------------------------------------------------------------------------


def test_names_that_are_longer_than_a_block_are_read(folder: Path) -> None:
    names = [f"{'n' * 1000}{k}" for k in range(1200)]
    Path("t").write_text(",".join([*names, "y"]) + "\n" + ",".join(["1"] * 1201) + "\n")
    with open_table("t") as table:
        assert len(next(table.blocks())) == 1
        assert table.columns == (*names, "y")


def test_names_without_rows_are_an_empty_table_with_and_without_a_last_newline(folder: Path) -> None:
    for content in ("a,b,y", "a,b,y\n", "a,b,y\r\n\n"):
        Path("t").write_text(content)
        check_refused_command(folder, "experts", "t", "--outcome", "y", says=["t: found an empty table, expected rows below"])


def test_names_of_parquet_may_be_numbers() -> None:
    PARQUET.write_table(ARROW.table({"1": [1.0, 2.0], "2": [2.0, 3.0], "3": [1.0, 3.0]}), "t")
    assert [one["name"] for one in said("t", "--outcome", "3")["experts"]] == ["1", "2"]


def test_a_damaged_end_of_parquet_is_refused_with_the_name_of_the_file(folder: Path) -> None:
    PARQUET.write_table(ARROW.table({"a": [1.0, 2.0], "y": [2.0, 3.0]}), "t")
    good = Path("t").read_bytes()
    length = int.from_bytes(good[-8:-4], "little")
    Path("t").write_bytes(good[: -8 - length] + b"\xff" * length + good[-8:])
    check_refused_command(folder, "experts", "t", "--outcome", "y", says=["t: found damaged Parquet"])


# ---- files ---------------------------------------------------------------------------------------------------------

CHANGES: dict[str, bytes] = {
    "a row more": (TABLE + "1,2,3\n").encode(),
    "a row less": TABLE.rpartition("1")[0].encode(),
    "other values": TABLE.replace("5", "6").encode(),
    "a column less": "".join(f"{line.rpartition(',')[0]}\n" for line in TABLE.splitlines()).encode(),
    "other names": TABLE.replace("a,b", "b,a").encode(),
    "only names": b"a,b,y\n",
    "nothing": b"",
    "compressed": gzip.compress(TABLE.encode()),
}


@pytest.mark.parametrize("content", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
@pytest.mark.parametrize("anew", [False, True])
def test_a_table_that_changes_before_its_forecasts_are_written_is_refused(
    content: bytes, out: str, anew: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def and_change(*arguments: Any, **options: Any) -> Any:
        if anew:
            replace("t", [content])
        else:
            Path("t").write_bytes(content)
        return combine(*arguments, **options)

    Path("t").write_text(TABLE)
    Path(out).write_text("old")
    monkeypatch.setattr("thresher.cli.experting.combine", and_change)
    ran = run("experts", "t", "--outcome", "y", "--forecasts", out)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert ran.err.startswith("thresher: t: found ")
    assert sorted(path.name for path in folder.iterdir()) == sorted(["t", out])
    assert Path(out).read_text() == "old"


def test_nothing_is_written_if_the_page_cannot_be_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_run: Any) -> str:
        raise MemoryError

    Path("t").write_text(TABLE)
    monkeypatch.setattr("thresher.cli.reporting.as_page", fails)
    asked = ["experts", "t", "--outcome", "y", "--forecasts", "out.csv", "--report", "r.html"]
    told = check_refused_command(folder, *asked, says=["not enough memory"])
    assert "--bits" not in told


@pytest.mark.parametrize("option", ["--forecasts", "--report"])
def test_a_full_disk_is_said_with_the_file_that_did_not_fit(option: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: str, _pieces: Iterable[bytes]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    Path("t").write_text(TABLE)
    monkeypatch.setattr("thresher.cli.experting.replace", full)
    says = ["thresher: out: No space left on device"]
    check_refused_command(folder, "experts", "t", "--outcome", "y", option, "out", says=says)
