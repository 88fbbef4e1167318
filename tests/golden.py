"""The golden traces and bound values of the theory, read from golden.json beside this file."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

__all__ = ["GOLDEN", "fraction", "vector"]

GOLDEN: dict[str, Any] = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))


def fraction(number: str | int) -> Fraction:
    return Fraction(number)


def vector(numbers: list[str | int]) -> list[Fraction]:
    return [Fraction(number) for number in numbers]
