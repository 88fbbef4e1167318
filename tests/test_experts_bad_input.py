"""`thresher experts` on wrong arguments and bad tables: status 2, one line that says what and where, nothing written."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands import check_refused_command, run, run_outside
from tests.forecast_tables import NAMES, forecasts, probabilities, write_table
from thresher.evaluate.combine import combine

ADVICE = "a,b,y\n1,0,1\n0,1,0\n1,1,1\n"
SEVERAL = "a_up,a_down,b_up,b_down,up,down\n.5,.5,.25,.75,1,0\n.5,.5,.25,.75,0,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run, with good tables of each kind, and files that must stay as they are."""
    monkeypatch.chdir(tmp_path)
    F, y = forecasts(20)
    write_table(tmp_path / "load.csv", {"day": ["d"] * 20, **{name: F[:, k] for k, name in enumerate(NAMES)}, "load": y})
    Path("several.csv").write_text(SEVERAL)
    Path("advice.csv").write_text(ADVICE)
    Path("empty").write_bytes(b"")
    Path("old.html").write_text("old")
    Path("link.csv").symlink_to("load.csv")
    return tmp_path


ARGUMENTS: dict[str, tuple[str, list[str]]] = {
    "no source": ("experts", ["SOURCE", "thresher experts --help"]),
    "no outcome": ("experts load.csv", ["load.csv: expected --outcome COLUMN; there are day, ann, bob, cy, load"]),
    "missing file": ("experts no.csv --outcome y", ["no.csv: No such file"]),
    "a directory": ("experts . --outcome y", [".: Is a directory"]),
    "an empty file": ("experts empty --outcome y", ["empty: found an empty table"]),
    "examples": ("experts demo:oranges", ["demo:oranges", "demo:forecasts"]),
    "forecasts as examples": ("learn demo:forecasts", ["demo:forecasts", "thresher experts demo:forecasts"]),
    "unknown outcome": ("experts load.csv --outcome y", ["no column 'y' for --outcome", "there are day, ann, bob, cy, load"]),
    "one of two unknown": ("experts several.csv --outcome up,side", ["no column 'side' for --outcome", "a_up"]),
    "an outcome twice": ("experts several.csv --outcome up,up", ["--outcome up,up", "different columns"]),
    "empty outcome": ("experts load.csv --outcome=", ["no column ''"]),
    "outcome of words": ("experts load.csv --outcome day", ["load.csv:2: column 'day': found 'd'", "write 1 and 0"]),
    "unknown time": ("experts load.csv --outcome load --time hour", ["no column 'hour' for --time", "there are day"]),
    "time is the outcome": ("experts load.csv --outcome load --time load", ["'load' for both --outcome and --time"]),
    "unknown expert": ("experts load.csv --outcome load --experts ann,dan", ["no forecaster 'dan'", "there are day, ann"]),
    "pattern of nobody": ("experts load.csv --outcome load --experts m*", ["no forecaster 'm*'"]),
    "expert of words": ("experts load.csv --outcome load --experts day", ["load.csv:2: column 'day': found 'd'"]),
    "expert is the outcome": ("experts load.csv --outcome load --experts load", ["'load' for both --outcome and --experts"]),
    "unknown family": ("experts several.csv --outcome up,down --experts c", ["no forecaster 'c'", "there are a, b"]),
    "unknown loss": ("experts load.csv --outcome load --loss hinge", ["'hinge'", "squared", "absolute", "log", "brier"]),
    "unknown rule": ("experts load.csv --outcome load --rule magic", ["'magic'", "adahedge"]),
    "unknown against": ("experts load.csv --outcome load --against me", ["'me'", "mixture", "expert"]),
    "eta of adahedge": ("experts load.csv --outcome load --eta 1", ["--eta, which adahedge does not have"]),
    "alpha of hedge": (
        "experts load.csv --outcome load --rule hedge --alpha 1",
        ["--alpha, which hedge does not have", "--eta"],
    ),
    "eta 0": ("experts load.csv --outcome load --rule hedge --eta 0", ["eta = 0.0", "above 0"]),
    "eta a word": ("experts load.csv --outcome load --rule hedge --eta fast", ["--eta", "'fast'", "a number"]),
    "alpha 2": ("experts load.csv --outcome load --rule fixed-share --alpha 2", ["alpha = 2.0", "between 0 and 1"]),
    "beta 1": ("experts advice.csv --outcome y --rule weighted-majority --beta 1", ["beta = 1.0", "below 1"]),
    "beta below 0": ("experts advice.csv --outcome y --rule improved-majority --beta=-.5", ["beta = -0.5", "from 0"]),
    "beta of adahedge": ("experts advice.csv --outcome y --beta 0.5", ["--beta, which adahedge does not have"]),
    "beta of the leader": (
        "experts advice.csv --outcome y --rule follow-the-leader --beta 0.5",
        ["--beta, which follow-the-leader"],
    ),
    "seed of a vote": ("experts advice.csv --outcome y --rule weighted-majority --seed 1", ["--seed, which weighted-majority"]),
    "seed below 0": ("experts advice.csv --outcome y --rule randomized-majority --seed=-1", ["seed = -1"]),
    "seed a word": ("experts advice.csv --outcome y --rule randomized-majority --seed x", ["--seed", "'x'", "whole number"]),
    "majority of squares": (
        "experts advice.csv --outcome y --rule weighted-majority --loss squared",
        ["--loss squared", "mistakes"],
    ),
    "majority and mixture": (
        "experts advice.csv --outcome y --rule weighted-majority --against mixture",
        ["--against mixture", "weighted-majority"],
    ),
    "majority of numbers": (
        "experts load.csv --outcome load --rule weighted-majority",
        ["load.csv:2: column 'ann': found ", "expected 0 or 1", "adahedge"],
    ),
    "majority of several": ("experts several.csv --outcome up,down --rule weighted-majority", ["weighted-majority", "several"]),
    "rule of log": ("experts load.csv --outcome load --loss log --rule hedge", ["--rule hedge", "--loss log", "leave"]),
    "rule of a range": ("experts load.csv --outcome load --range 0,1 --rule adahedge", ["--rule adahedge", "--range"]),
    "rule of several": ("experts several.csv --outcome up,down --rule hedge", ["--rule hedge", "several outcomes"]),
    "mixture of log": ("experts load.csv --outcome load --loss log --against mixture", ["--against mixture", "--loss log"]),
    "range of absolute": ("experts load.csv --outcome load --loss absolute --range 0,1", ["--range", "--loss absolute"]),
    "range of one": ("experts load.csv --outcome load --range 5", ["--range 5", "A,B"]),
    "range upside down": ("experts load.csv --outcome load --range 5,1", ["--range 5,1", "A below B"]),
    "range of nan": ("experts load.csv --outcome load --range nan,1", ["--range nan,1"]),
    "squared of several": ("experts several.csv --outcome up,down --loss squared", ["--loss squared", "log or brier"]),
    "odds of one": ("experts load.csv --outcome load --odds", ["--odds", "several outcomes"]),
    "odds of probabilities": (
        "experts several.csv --outcome up,down --odds",
        ["several.csv:2: column 'a_up': found 0.5", "at least 1"],
    ),
    "out is the source": ("experts load.csv --outcome load --forecasts load.csv", ["load.csv as source and for --forecasts"]),
    "out is a link to it": ("experts load.csv --outcome load --forecasts link.csv", ["link.csv as source and for --forecasts"]),
    "report is the source": ("experts load.csv --outcome load --report ./load.csv", ["./load.csv as source and for --report"]),
    "out is the report": (
        "experts load.csv --outcome load --report o --forecasts ./o",
        ["./o for both --forecasts and --report"],
    ),
    "out in no folder": ("experts load.csv --outcome load --forecasts no/out.csv", ["no/out.csv: ", "folder that exists"]),
    "report onto a folder": ("experts load.csv --outcome load --report .", [".: found a directory"]),
}


@pytest.mark.parametrize(("command", "says"), ARGUMENTS.values(), ids=list(ARGUMENTS))
def test_a_wrong_argument_is_refused_in_one_line(command: str, says: list[str], folder: Path) -> None:
    check_refused_command(folder, *command.split(), says=says)


TABLES: dict[str, tuple[bytes | str, str, list[str]]] = {
    "only names": ("a,y\n", "", ["found an empty table, expected rows"]),
    "no numeric column": ("a,y\nx,1\n", "", ["found no column of numbers beside the outcome", "there are a, y"]),
    "only the outcome": ("y\n1\n", "", ["found no column of numbers beside the outcome"]),
    "outcome empty throughout": ("a,y\n1,\n2,NA\n", "", ["found 'y' empty in every row"]),
    "both outcomes empty throughout": ("a_p,a_q,p,q\n.5,.5,,\n", "--outcome p,q", ["found 'p' and 'q' empty in every row"]),
    "infinite forecast": ("a,y\n1,1\ninf,2\n", "", ["t:3: column 'a': found 'inf', expected a finite number"]),
    "infinite outcome": ("a,y\n1,1\n2,-Infinity\n", "", ["t:3: column 'y': found '-Infinity'"]),
    "too large a forecast": ("a,y\n1,1\n1e200,2\n", "", ["t:3: round 2:", "1e+200", "expected"]),
    "too large an outcome": ("a,y\n1,1\n2,1e200\n", "", ["t:3: round 2:", "1e+200", "expected"]),
    "a word later": ("a,b,y\n1,1,1\n2,2,2\n3,x,3\n", "--experts a,b", ["t:4: column 'b': found 'x'"]),
    "all asleep": ("a,b,y\n1,1,1\n,2,\n,,3\n", "", ["t:4: round 2: found no forecast at all"]),
    "outside the range": ("a,y\n1,1\n7,2\n", "--range 0,5", ["t:3: column 'a': found 7.0, expected a number from 0 to 5"]),
    "outcome outside the range": ("a,y\n1,1\n2,-3\n", "--range 0,5", ["t:3: column 'y': found -3.0"]),
    "outcome of yes and no": ("a,y\n.5,yes\n.5,No\n.5,NA\n.5,no\n", "", ["t:2: column 'y': found 'yes'", "write 1 and 0"]),
    "outcome of many words": (
        "a,y\n.5,home\n.5,draw\n.5,away\n",
        "",
        ["t:2: column 'y': found 'home'", "split it into a column of 0 and 1 for each", "--outcome home,draw,away"],
    ),
    "a day as probability": (
        "day,a,y\n1,.5,1\n2,.5,0\n",
        "--loss brier",
        ["t:3: column 'day': found 2.0", "--time day, or --experts without it"],
    ),
    "a day as advice": (
        "day,a,y\n1,1,1\n2,0,0\n",
        "--rule weighted-majority",
        ["t:3: column 'day': found 2.0", "--time day, or --experts without it"],
    ),
    "odds unsaid": ("a_p,a_q,p,q\n2.35,1.7,1,0\n", "--outcome p,q", ["t:2: column 'a_p': found 2.35", "odds need --odds"]),
    "no probability": ("a,y\n.5,1\n1.2,1\n", "--loss log", ["t:3: column 'a': found 1.2, expected a probability"]),
    "negative probability": ("a,y\n-.5,1\n", "--loss brier", ["t:2: column 'a': found -0.5, expected a probability"]),
    "no 0 or 1": ("a,y\n.5,1\n.5,2\n", "--loss brier", ["t:3: column 'y': found 2.0, expected 0 or 1"]),
    "not one": ("a_p,a_q,p,q\n.5,.5,1,0\n.5,.4,1,0\n", "--outcome p,q", ["t:3: ", "'a' that add to 0.9, expected 1"]),
    "beyond 1 in several": ("a_p,a_q,p,q\n1.5,-.5,1,0\n", "--outcome p,q", ["t:2: column 'a_p': found 1.5"]),
    "half asleep": (
        "a_p,a_q,p,q\n.5,.5,1,0\n.5,,1,0\n",
        "--outcome p,q",
        ["t:3: column 'a_q': found an empty cell", "a_p, a_q"],
    ),
    "two happened": ("a_p,a_q,p,q\n.5,.5,1,1\n", "--outcome p,q", ["t:2: columns p, q: found '1', '1', expected one 1"]),
    "none happened": ("a_p,a_q,p,q\n.5,.5,0,0\n", "--outcome p,q", ["t:2: columns p, q: found '0', '0'"]),
    "half known": ("a_p,a_q,p,q\n.5,.5,1,\n", "--outcome p,q", ["t:2: columns p, q: found '1', ''"]),
    "a column missing": ("a_p,a_q,b_p,p,q\n.5,.5,.5,1,0\n", "--outcome p,q", ["t: found 'b_p' and no column of numbers 'b_q'"]),
    "no family": ("a,b,p,q\n.5,.5,1,0\n", "--outcome p,q", ["t: found no forecaster, expected columns NAME_p, NAME_q"]),
    "odds below 1": (
        "a_p,a_q,p,q\n2,2,1,0\n.9,9,1,0\n",
        "--outcome p,q --odds",
        ["t:3: column 'a_p': found 0.9", "at least 1"],
    ),
    "all gave zero": ("a,b,y\n.5,.5,1\n0,0,1\n", "--loss log", ["t:3: round 2:", "probability 0"]),
    "all gave zero, several": ("a_p,a_q,p,q\n.5,.5,1,0\n0,1,1,0\n", "--outcome p,q", ["t:3: round 2:", "probability 0"]),
    "all out": ("a,b,y\n0,1,1\n1,0,1\n", "--loss log", ["t:3: round 2:"]),
    "nobody perfect": (
        "a,b,y\n1,0,1\n\n1,0,\n1,1,1\n0,1,1\n",
        "--rule weighted-majority --beta 0",
        ["t:6: round 3: ", "beta = 0"],
    ),
    "a majority of halves": (
        "a,b,y\n1,0,1\n1,.5,1\n",
        "--rule improved-majority",
        ["t:3: column 'b': found 0.5, expected 0 or 1"],
    ),
    "a majority of twos": (
        "a,b,y\n1,0,1\n1,1,2\n",
        "--rule improved-majority",
        ["t:3: column 'y': found 2.0, expected 0 or 1"],
    ),
    "a majority asleep": ("a,b,y\n1,0,1\n,,1\n", "--rule improved-majority", ["t:3: round 2: found no forecast at all"]),
    "binary": (bytes(range(256)) * 9, "", ["t: found binary data"]),
    "ragged": ("a,y\n1,2\n3\n", "", ["t:3: found 1 cell in '3', expected 2 cells"]),
    "cut off": (gzip.compress(ADVICE.encode() * 999)[:-9], "", ["found the end of the file"]),
    "two names alike": ("a,a,y\n1,2,3\n", "", ["t:1: found two columns named 'a'"]),
    "no names": ("1,2\n3,4\n", "--outcome 2", ["t:1: found '1,2', expected the names"]),
}


@pytest.mark.parametrize(("content", "options", "says"), TABLES.values(), ids=list(TABLES))
@pytest.mark.parametrize("out", ["old.html", "new.html"])
def test_a_bad_table_is_refused_with_its_place_and_nothing_is_written(
    content: bytes | str, options: str, says: list[str], out: str, folder: Path
) -> None:
    given = content.encode() if isinstance(content, str) else content
    Path("t").write_bytes(given)
    outcome = [] if "--outcome" in options else ["--outcome", "y"]
    command = ["experts", "t", *outcome, *options.split(), "--report", out, "--forecasts", "out.csv"]
    check_refused_command(folder, *command, says=says)
    piped = [part.replace("t:", "standard input:", 1) if part.startswith("t:") else part for part in says]
    check_refused_command(folder, "experts", "-", *command[2:], "--json", says=piped, stdin=given)


def test_a_later_block_is_checked_as_well_as_the_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.data.table._ROWS", 5)
    monkeypatch.setattr("thresher.data.table._BYTES", 64)
    P, happened = probabilities(30, 2)
    P[25] = np.nan
    write_table(folder / "t", {**{name: P[:, k, 1] for k, name in enumerate(NAMES)}, "y": happened})
    check_refused_command(folder, "experts", "t", "--outcome", "y", "--loss", "log", says=["t:27: round 26: found no forecast"])


def test_the_status_reaches_the_shell_and_pyarrow_is_not_needed_for_help(folder: Path) -> None:
    ran = run_outside("experts", "no.csv", "--outcome", "y")
    assert (ran.status, ran.out, ran.err) == (2, "", "thresher: no.csv: No such file or directory\n")
    assert run("experts", "--help").status == 0


def test_a_table_that_grows_while_it_is_read_is_refused_and_nothing_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def and_more(*arguments: Any, **options: Any) -> Any:
        with Path("load.csv").open("a") as table:
            table.write("d,1,2,3,4\n")
        return combine(*arguments, **options)

    monkeypatch.setattr("thresher.cli.experting.combine", and_more)
    ran = run("experts", "load.csv", "--outcome", "load", "--forecasts", "out.csv")
    assert (ran.status, ran.out) == (2, "")
    assert "load.csv: found another table than before" in ran.err
    assert not Path("out.csv").exists()
