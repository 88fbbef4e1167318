"""Rows that a learner of many classes plays, and the columns in which their outcomes come."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._core import Block
from thresher.class_labels import ClassLabels

__all__ = ["ClassColumns", "ClassRows"]


_PLUS, _MINUS = np.array([+1], np.int8), np.array([-1], np.int8)


class ClassRows(NamedTuple):
    """Rows with the codes of their labels, all the classes of these, and the weights."""

    block: Block
    codes: NDArray[np.int32]
    labels: ClassLabels
    weights: NDArray[np.float64] | None

    def signs(self, code: int, rows: slice) -> tuple[Block, NDArray[np.int8], NDArray[np.float64] | None]:
        """Some of the rows, with +1 where the label is this class and −1 elsewhere, and their weights."""
        if len(self.codes) == 1:
            return self.block, _PLUS if self.codes[0] == code else _MINUS, self.weights
        signs = np.where(self.codes[rows] == code, np.int8(+1), np.int8(-1))
        return self.block.rows(rows.start, rows.stop), signs, None if self.weights is None else self.weights[rows]


class ClassColumns:
    """Room for what is said of rows, and whether a learner moved."""

    def __init__(self, rows: int) -> None:
        self.codes, self.scores, self.changed = np.empty(rows, np.int32), np.empty(rows), np.empty(rows, np.bool_)
