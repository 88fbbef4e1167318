"""Numbers as people write them in the cells of a table."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.data.arrow import arrow

__all__ = ["MISSING", "NUMBER", "numbers_spelled"]

#: How a number that is missing may be written, in any case.
MISSING = ("", "nan", "na", "n/a", "null", "none", "?")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)", re.ASCII | re.IGNORECASE)


def numbers_spelled(cells: Any, decimal: str = ".") -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """The numbers that texts spell, NaN where they are missing, and which of them are none.

    >>> import pyarrow
    >>> values, wrong = numbers_spelled(pyarrow.array(["1.5", " -2", "n/a", "many", None]))
    >>> values.tolist(), wrong.tolist()
    ([1.5, -2.0, nan, nan, nan], [False, False, False, True, False])
    """
    library, compute = arrow(), arrow(".compute")
    trimmed = compute.utf8_trim_whitespace(cells)
    missing = compute.is_in(compute.utf8_lower(trimmed), value_set=library.array(MISSING, cells.type))
    given = compute.if_else(missing, library.scalar(None, cells.type), trimmed)
    try:
        numbers = compute.cast(given, library.float64())
    except library.ArrowInvalid:
        each = [None if cell is None else cell.replace(decimal, ".") for cell in given.to_pylist()]
        values = np.array([float(cell) if cell is not None and NUMBER.fullmatch(cell) else np.nan for cell in each])
        wrong = np.array([cell is not None and not NUMBER.fullmatch(cell) for cell in each], np.bool_)
        return values, wrong if wrong.any() else None
    return np.ascontiguousarray(numbers.to_numpy(zero_copy_only=False), np.float64), None
