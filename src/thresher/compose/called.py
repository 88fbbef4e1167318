"""Lanes of a portfolio that are called one after the other, and what lanes say."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from thresher._core import Block, Group, room
from thresher.errors import ExampleError
from thresher.linear import LinearLearner

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Called", "Said"]

Codes: TypeAlias = "NDArray[np.int8] | memoryview"
Weights: TypeAlias = "NDArray[np.float64] | memoryview"


class Said:
    """What lanes said of some rows, in plain memory: labels and scores, a column a lane, and whether one moved."""

    def __init__(self, rows: int, lanes: int, kind: str = "float64") -> None:
        self.says, self.scores, self.changed = room("int8", rows, lanes), room(kind, rows, lanes), room("bool", rows)

    def arrays(self) -> tuple[NDArray[np.int8], NDArray[np.floating], NDArray[np.bool_]]:
        """The same memory as arrays."""
        return np.asarray(self.says), np.asarray(self.scores), np.asarray(self.changed)

    def first(self, rows: int) -> tuple[memoryview, memoryview, memoryview]:
        """What was said of the first rows."""
        says, scores, changed = self.arrays()
        return says[:rows].data, scores[:rows].data, changed[:rows].data

    def place(self, columns: list[int], other: Said, rows: int) -> None:
        """Takes what the lanes of these columns said of the first rows."""
        says, scores, changed = self.arrays()
        other_says, other_scores, other_changed = other.arrays()
        says[:rows, columns], scores[:rows, columns] = other_says[:rows], other_scores[:rows]
        changed[:rows] |= other_changed[:rows]


class Called:
    """Linear learners that do not fit the bank: each learns a block of rows at once.

    It promises what a bank does: a row that one lane cannot learn no lane learns.
    """

    def __init__(self, members: Iterable[LinearLearner]) -> None:
        self.members = list(members)
        # What a lane refuses depends on what its rule says of values and of zero vectors: one lane of each kind tells it.
        kinds = {(each.rule.values, each.rule.normalize and each.rule.bias is None): each for each in self.members}
        self._gates = [*kinds.values()]
        # A lane that has learned before has spelled its negative label; one that has not spells it as the stream does.
        self._negative = [int(each._state()[1]["negative"]) for each in self.members]

    def fault(self, block: Block) -> ExampleError | None:
        """What is wrong with the first row that some lane cannot learn, if there is one."""
        first: ExampleError | None = None
        for gate in self._gates:
            try:
                gate._score_block(block)
            except ExampleError as error:
                if error.row is not None and (first is None or first.row is None or error.row < first.row):
                    first = error
        return first

    def learn_block(self, block: Block, codes: Codes, weights: Weights | None, said: Said) -> None:
        """One round a row for all lanes; the rows have no fault. What they say and whether one moved is written."""
        says, scores, changed = said.arrays()
        given, scales = np.asarray(codes), None if weights is None else np.asarray(weights)
        spelled = {-1: np.where(given > 0, given, np.int8(-1)), 0: np.where(given > 0, given, np.int8(0))}
        for i, (lane, negative) in enumerate(zip(self.members, self._negative, strict=True)):
            own = spelled.get(negative, given)
            # The core's own: what is given to all lanes has a weight, and one that takes none learns what has more than 0.
            played = Group._learn_block(lane, block, own, scales, block, own)
            says[:, i], scores[:, i] = played.predictions, played.scores
            changed |= played.changed

    def score_block(self, block: Block, said: Said) -> None:
        """What the lanes say of each row is written; nothing is learned."""
        says, scores, _ = said.arrays()
        for i, lane in enumerate(self.members):
            made = lane._score_block(block)
            says[:, i], scores[:, i] = lane._predictions(made), made

    def __copy__(self) -> Called:
        return Called(copy(each) for each in self.members)
