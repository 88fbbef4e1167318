"""Rows in blocks of 256, counted from the first, however they come: so that sums over blocks do not depend on the pieces."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["ROWS", "Pending"]

ROWS = 256


class Pending(NamedTuple):
    """The rows of a block that is not full: the first `filled` of the array. A value, though what follows shares its memory.

    >>> pending, full = Pending.empty(1).plus(np.ones((600, 1)))
    >>> len(pending.rows), [len(block) for block in full]
    (88, [256, 256])
    """

    array: NDArray[np.float64]
    filled: int

    @classmethod
    def empty(cls, n: int) -> Self:
        return cls(np.empty((ROWS, n)), 0)

    @property
    def rows(self) -> NDArray[np.float64]:
        return self.array[: self.filled]

    def plus(self, rows: NDArray[np.float64]) -> tuple[Pending, list[NDArray[np.float64]]]:
        """What is pending with these rows added, and the blocks that they fill."""
        pending, full = self, []
        while len(rows):
            taken = rows[: ROWS - pending.filled]
            pending.array[pending.filled : pending.filled + len(taken)] = taken
            rows = rows[len(taken) :]
            pending = Pending(pending.array, pending.filled + len(taken))
            if pending.filled == ROWS:
                full.append(pending.array)
                pending = Pending.empty(pending.array.shape[1])
        return pending, full
