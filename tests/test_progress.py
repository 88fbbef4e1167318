"""What a terminal shows while a stream is read."""

from __future__ import annotations

from importlib import import_module
from itertools import count
from pathlib import Path

import pytest

from tests.commands import PERCEPTRON, fruit, read_in_pieces, run

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


@pytest.fixture(autouse=True)
def slow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that can move its cursor, a source that comes in pieces, and a second between any two of them."""
    read_in_pieces(monkeypatch, 300)
    seconds = count()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("thresher.cli.progress.time.monotonic", lambda: float(next(seconds)))


def test_a_terminal_has_a_bar_that_goes_away(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(60))
    ran = run(*PERCEPTRON, source, "--save", tmp_path / "model", terminal=True)
    assert ran.status == 0
    assert ran.err.count(HIDE) == ran.err.count(SHOW) >= 1
    assert "learning" in ran.err
    assert "examples/s" in ran.err
    assert HIDE not in run(*PERCEPTRON, source, "--quiet", terminal=True).err
    assert HIDE not in run(*PERCEPTRON, source, "--json", terminal=True).err
    assert HIDE not in run(*PERCEPTRON, source).err
    assert "predicting" in run("predict", tmp_path / "model", source, terminal=True).err


@pytest.mark.parametrize(
    ("name", "writer"), [("t.csv", "csv.write_csv"), ("t.parquet", "parquet.write_table"), ("t.arrow", "feather.write_feather")]
)
def test_the_share_that_was_read_is_shown_only_where_it_is_known(name: str, writer: str, tmp_path: Path) -> None:
    table = import_module("pyarrow").table({"age": [1, 2, 3, 4] * 50, "label": ["a", "b", "b", "a"] * 50})
    source = tmp_path / name
    module, write = writer.split(".")
    getattr(import_module(f"pyarrow.{module}"), write)(table, source)
    for command in (PERCEPTRON, ("certify", "--n", 32)):
        ran = run(*command, source, terminal=True)
        assert ran.status == 0
        assert "examples/s" in ran.err
        shown = {"100%" in ran.err, " 0%" in ran.err}
        assert shown == {name == "t.csv"}


def test_a_bad_line_leaves_the_terminal_its_cursor(tmp_path: Path) -> None:
    source, model = tmp_path / "source", tmp_path / "model"
    source.write_text(fruit(60))
    run(*PERCEPTRON, source, "--save", model, "--quiet")
    source.write_text(fruit(60) + "no bar\n")
    for command in ([*PERCEPTRON, source], ["predict", model, source]):
        ran = run(*command, terminal=True)
        assert ran.status == 2
        assert ran.err.count(HIDE) == ran.err.count(SHOW) >= 1
        assert ran.err.rindex(SHOW) < ran.err.rindex("thresher: ")


def test_forecasts_are_read_combined_and_compared_under_a_bar(tmp_path: Path) -> None:
    ran = run("experts", "demo:forecasts", "--loss", "absolute", terminal=True)
    assert ran.status == 0
    assert ran.err.count(HIDE) == ran.err.count(SHOW) >= 3
    for what in ("combining", "looking for the best mixture", "checking"):
        assert what in ran.err
    assert HIDE not in run("experts", "demo:forecasts", "--quiet", terminal=True).err
    assert HIDE not in run("experts", "demo:forecasts", "--json", terminal=True).err


def test_witnesses_are_looked_for_played_and_checked_under_a_bar(tmp_path: Path) -> None:
    source, proof = tmp_path / "source", tmp_path / "proof"
    source.write_text("1 | a c\n-1 | b c\n" * 60)
    ran = run("certify", source, "--n", 32, "--save", proof, terminal=True)
    assert ran.status == 0
    assert ran.err.count(HIDE) == ran.err.count(SHOW) >= 3
    for what in ("reading", "looking for witnesses for Winnow", "playing Perceptron"):
        assert what in ran.err
    assert "checking" in run("certify", source, "--check", proof, terminal=True).err
    for silent in (["--quiet"], ["--json"]):
        assert HIDE not in run("certify", source, "--n", 32, *silent, terminal=True).err
