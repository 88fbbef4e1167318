"""A run as it is kept: JSON, numbers with four digits, a line for each contender."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import Comparison, Result
from benchmarks.timing import Ratio, Samples

__all__ = ["COMMITTED", "Record", "read", "write"]

#: The run that the pages quote.
COMMITTED = Path(__file__).with_name("results.json")


@dataclass(frozen=True)
class Record:
    """The machine, how often, what was measured, and which cases were left out, and why."""

    machine: dict[str, str]
    quick: bool
    turns: int
    results: list[Result]
    left_out: dict[str, str]


def write(record: Record, file: Path) -> None:
    text = json.dumps(_short(asdict(record)), indent=1, ensure_ascii=False)
    in_a_line = re.sub(r"\[\n([-\d.e+,\s]+?)\n\s*\]", lambda numbers: f"[{' '.join(numbers[1].split())}]", text)
    file.write_text(in_a_line + "\n", encoding="utf-8")


def _short(value: Any) -> Any:
    """Floats with four digits, wherever they are."""
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_short(inner) for inner in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def read(file: Path) -> Record:
    found = json.loads(file.read_text(encoding="utf-8"))
    results = [
        Result(
            result["case"],
            result["about"],
            Samples(**result["samples"]),
            [Comparison(**{**each, "ratio": Ratio(**each["ratio"])}) for each in result["comparisons"]],
        )
        for result in found.pop("results")
    ]
    return Record(**found, results=results)
