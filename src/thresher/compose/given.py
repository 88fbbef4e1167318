"""What learners made from learners are given, one example at a time; and what was wrong with it, said of the right row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import SupportsFloat, SupportsIndex

import numpy as np

from thresher._core import Block, one_block, slot_of
from thresher.bounds.printed import shown
from thresher.errors import ExampleError, LabelError, PlayedRounds

__all__ = ["one_row", "one_weight", "restated"]


def one_row(x: object, n: int, values: str) -> Block:
    """One example as a block of one row. Names that meet in one slot are added where a rule takes any `values`.

    >>> one_row({0: 1.0, 3: 2.0}, 4, "any")[0]
    {0: 1.0, 3: 2.0}
    >>> one_row({"tree", "bird", "word"}, 2, "unit")[0]
    {0: 1.0, 1: 1.0}
    """
    block = one_block(x, n)
    return one_block(_apart(x, n, values), n) if block.collisions and values != "any" else block


def _apart(x: object, n: int, values: str) -> dict[int, object]:
    """The example slot by slot: of those that meet the larger in size is kept, and none that the rule refuses is lost."""
    features = list(x.items()) if isinstance(x, Mapping) else [(key, 1.0) for key in x] if isinstance(x, Set) else []
    found: dict[int, list[float]] = {}
    for key, value in features:
        found.setdefault(slot_of(key, n) if isinstance(key, str) else int(key), []).append(float(value))
    if values == "signed unit":
        return {slot: max(sorted(met, reverse=True), key=abs) for slot, met in found.items()}
    return {slot: min(met) if min(met) < 0.0 else max(met) for slot, met in found.items()}


def one_weight(weight: object) -> float:
    """An example's weight, checked to be a number.

    >>> one_weight(2)
    2.0
    """
    if type(weight) is float:
        return weight
    if isinstance(weight, SupportsFloat | SupportsIndex) and not isinstance(weight, np.ndarray | np.complexfloating):
        try:
            return float(weight)
        except (OverflowError, TypeError, ValueError):
            pass
    raise ExampleError(f"found weight {shown(weight)}, expected a number of at least 0")


def restated(error: ExampleError, row: int | None, rounds: PlayedRounds | None) -> ExampleError:
    """The same error, said of the row that the caller gave, with the rounds before it.

    >>> restated(ExampleError("row 3: found nan"), 7, None)
    ExampleError('row 7: found nan')
    """
    kind = LabelError if isinstance(error, LabelError) else ExampleError
    told = re.sub(r"^row \d+: ", "", str(error))
    made = kind(told if row is None else f"row {row}: {told}", row=row, column=error.column, rounds=rounds)
    made.__cause__ = error.__cause__
    return made
