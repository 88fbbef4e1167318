"""Commands, run in the process of the tests or in one of their own, and the small sources they are tried on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from unittest import mock

import pytest

from thresher.cli import main
from thresher.data.source import Opened

__all__ = [
    "PERCEPTRON",
    "Ran",
    "StopAfter",
    "check_refused_command",
    "fruit",
    "read_in_pieces",
    "run",
    "run_outside",
    "started",
    "stop_after",
    "svmlight",
    "written",
]

#: How a command begins whose outcome is held against the definition of the Perceptron: `run(*PERCEPTRON, source)`.
PERCEPTRON = ("learn", "--learner", "perceptron")


@dataclass(frozen=True)
class Ran:
    """What a command printed, and the status it ended with."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The object on stdout, which must be all there is."""
        return cast("dict[str, Any]", json.loads(self.out))


class Stderr(io.TextIOWrapper):
    """Bytes in UTF-8 that may pass for a terminal."""

    terminal = False

    def isatty(self) -> bool:
        return self.terminal


@contextmanager
def _streams(stdin: bytes, terminal: bool) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    out, err = io.BytesIO(), io.BytesIO()
    given = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
    errors = Stderr(err, encoding="utf-8", errors="backslashreplace", write_through=True)
    errors.terminal = terminal
    with (
        mock.patch.object(sys, "stdin", given),
        redirect_stdout(io.TextIOWrapper(out, encoding="utf-8", write_through=True)) as shown,
        redirect_stderr(errors) as told,
    ):
        yield out, err
        shown.flush()
        told.flush()
        shown.detach()
        told.detach()


def run(*arguments: object, stdin: bytes = b"", terminal: bool = False) -> Ran:
    """Runs `thresher ARGUMENTS` in this process, stderr perhaps a terminal."""
    with _streams(stdin, terminal) as (out, err):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as left:
            status = cast("int", left.code)
    return Ran(status, out.getvalue().decode(), err.getvalue().decode())


def started(*arguments: object, stdin: int | None = None) -> subprocess.Popen[bytes]:
    """`python -m thresher ARGUMENTS` as a process of its own that goes on by itself."""
    command = [sys.executable, "-m", "thresher", *map(str, arguments)]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run_outside(*arguments: object, stdin: bytes = b"", **environment: str) -> Ran:
    """Runs `python -m thresher ARGUMENTS` as a process of its own, to its end."""
    command = [sys.executable, "-m", "thresher", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, env={**os.environ, **environment})
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def written(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder, byte for byte; None for what is no file."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def check_refused_command(folder: Path, *arguments: object, says: Iterable[str] = (), stdin: bytes = b"") -> str:
    """Asserts that the command ends with status 2 and one line that says all this, and that it has written nothing."""
    before = written(folder)
    ran = run(*arguments, stdin=stdin)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith("\n")
    assert len(ran.err.splitlines()) == 1
    assert ran.err.startswith("thresher")
    for part in says:
        assert part in ran.err
    assert written(folder) == before
    return ran.err


# ---- sources -------------------------------------------------------------------------------------------------------


def fruit(rows: int, seed: int = 0) -> str:
    """Vowpal Wabbit text with the labels ham and spam that a Perceptron needs a while for: one label in seven is wrong."""
    lines = []
    state = seed + 1
    for row in range(rows):
        state = (state * 1103515245 + 12345) % 2**31
        names = [f"n{(state >> shift) % 23}" for shift in (3, 8, 13)]
        spam = ("n1" in names or "n4" in names or (state >> 20) % 2 == 0) != (row % 7 == 6)
        lines.append(f"{'spam' if spam else 'ham'} 'row-{row}| {' '.join(dict.fromkeys(names))}\n")
    return "".join(lines)


def svmlight(rows: Iterable[tuple[int, dict[int, float]]]) -> str:
    """Rows of a label and {index: value} as svmlight text; indices from 1, ascending."""
    return "".join(f"{label:+d} {' '.join(f'{i}:{value!r}' for i, value in sorted(x.items()))}\n" for label, x in rows)


def read_in_pieces(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """From now on every source comes in pieces of at most so many bytes, and so in many small batches."""
    whole: Callable[[Opened, memoryview], int] = Opened.readinto

    def readinto(self: Opened, buffer: memoryview) -> int:
        return whole(self, buffer[:size])

    monkeypatch.setattr(Opened, "readinto", readinto)
    monkeypatch.setattr(Opened, "place", lambda _: None)  # who reads by descriptors would take more


# ---- interruptions -------------------------------------------------------------------------------------------------


class StopAfter:
    """Stands for an `Interrupt` at the moment when so many batches have been looked at."""

    def __init__(self, batches: int) -> None:
        self.left = batches

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    @property
    def wished(self) -> bool:
        self.left -= 1
        return self.left <= 0


@contextmanager
def stop_after(batches: int) -> Iterator[StopAfter]:
    """While this lasts, Ctrl-C seems to be pressed when so many batches have been learned."""
    stop = StopAfter(batches)
    with mock.patch("thresher.cli.learning.Interrupt", return_value=stop):
        yield stop
