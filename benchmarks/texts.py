"""The sparse workloads as text, in the two formats that commands read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Workload

__all__ = ["FORMATS", "six_digits", "write"]

#: What opens a row of that label, what an attribute's value follows, and an attribute of value 1. They are numbered from 1.
FORMATS: dict[str, tuple[bytes, bytes, bytes]] = {
    "svmlight": (b"%d", b" %d:", b" %d:1"),
    "vw": (b"%d |f", b" %d:", b" f%d"),
}

_ROWS_AT_ONCE = 20_000
_DIGITS = np.array([b"%03d" % k for k in range(1000)])
_ZEROS = np.array([b"0.", b"0.0", b"0.00"])
_VALUE = [("zeros", _ZEROS.dtype), ("high", _DIGITS.dtype), ("low", _DIGITS.dtype)]


def write(workload: Workload, format: str, file: Path) -> None:
    """Writes rows that all have the same number of nonzeros; values that are all 1 are not written as numbers."""
    X, per_row = workload.X, int(workload.X.indptr[1])
    columns, values = X.indices.reshape(-1, per_row), X.data.reshape(-1, per_row)
    opening, before_value, binary = FORMATS[format]
    valued = bool((values != 1.0).any())
    names = np.array([(before_value if valued else binary) % k for k in range(1, workload.n + 1)])
    openings = np.where(workload.y > 0, opening % 1, opening % -1)
    attribute = np.dtype([("name", names.dtype), *(_VALUE if valued else [])])
    line = np.dtype([("opening", openings.dtype), ("attributes", attribute, (per_row,)), ("end", "S1")])
    with file.open("wb") as out:
        for start in range(0, len(columns), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            lines = np.zeros(len(columns[rows]), line)
            lines["opening"], lines["end"] = openings[rows], b"\n"
            attributes = lines["attributes"]
            attributes["name"] = names[columns[rows]]
            if valued:
                attributes["zeros"], attributes["high"], attributes["low"] = six_digits(values[rows])
            # Every field is as wide as its longest text; what is shorter is filled up with zero bytes.
            out.write(lines.tobytes().translate(None, b"\0"))


def six_digits(values: NDArray[np.float64]) -> tuple[NDArray[np.bytes_], NDArray[np.bytes_], NDArray[np.bytes_]]:
    """Numbers from 0.001 to below 1 with six significant digits, each in three pieces: 0.0627123 is 0.0, 627 and 123."""
    if not (values.min() >= 0.001 and values.max() < 1.0):
        raise ValueError(f"found values from {values.min()} to {values.max()}, expected from 0.001 to below 1")
    zeros = (values < 0.1).astype(np.intp) + (values < 0.01)
    digits = np.rint(values * 10.0 ** (6 + zeros)).astype(np.intp)
    digits = np.minimum(digits, 999_999)  # 0.09999999 would need a zero less
    return _ZEROS[zeros], _DIGITS[digits // 1000], _DIGITS[digits % 1000]
