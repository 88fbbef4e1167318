"""A small source for `thresher certify`, and what the command makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.commands import run, svmlight

ROWS: list[tuple[int, dict[int, float]]] = [
    (+1, {1: 1.0, 3: 1.0}),
    (-1, {2: 1.0}),
    (+1, {1: 1.0, 2: 1.0}),
    (-1, {2: 1.0, 3: 1.0}),
    (+1, {1: 1.0}),
    (-1, {3: 1.0, 4: 1.0}),
] * 10


def small(folder: Path, rows: list[tuple[int, dict[int, float]]] = ROWS) -> Path:
    path = folder / "small.svm"
    path.write_text(svmlight(rows))
    return path


def certified(*arguments: object) -> dict[str, Any]:
    ran = run("certify", *arguments, "--json")
    assert (ran.status, ran.err) == (0, "")
    return ran.json


def saved(folder: Path, path: Path, *arguments: object) -> Path:
    file = folder / "small.proof.json"
    ran = run("certify", path, "--save", file, *arguments)
    assert ran.status == 0
    assert f"--check {file}" in ran.out
    return file
