"""Which class is said: each lane has one that scores highest in it, and the lanes vote."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.class_labels import NO_CLASS
from thresher.experts.rule import LossRule

__all__ = ["Heard", "ask", "shares", "teach"]


class Heard:
    """For each row and lane the class with the largest score so far, the first among equals; and which rows moved a learner."""

    def __init__(self, rows: int, lanes: int) -> None:
        self.codes, self.scores = np.full((rows, lanes), NO_CLASS, np.int32), np.zeros((rows, lanes))
        self.changed = np.zeros(rows, np.bool_)

    def hear(self, code: int, scores: NDArray[np.floating], begin: int = 0, *, seen: bool = True) -> None:
        """What a class scores from row `begin` on; unless it was `seen` before, it can be said from the next row on."""
        if self.codes.size == scores.size == 1:  # one example, one lane: then comparing arrays takes longer than learning
            if seen and (self.codes.item() == NO_CLASS or scores.item() > self.scores.item()):
                self.codes.fill(code)
                self.scores.fill(scores.item())
            return
        scores, begin = (scores, begin) if seen else (scores[1:], begin + 1)
        rows = slice(begin, begin + len(scores))
        better = (scores > self.scores[rows]) | (self.codes[rows] == NO_CLASS)
        np.copyto(self.scores[rows], scores, where=better)
        np.copyto(self.codes[rows], np.int32(code), where=better)

    def move(self, changed: NDArray[np.bool_], begin: int) -> None:
        """Whether a class's learner moved, from row `begin` on."""
        if len(self.changed) == len(changed) == 1:
            if changed.item():
                self.changed.fill(True)
        else:
            self.changed[begin : begin + len(changed)] |= changed

    def first(self, rows: int) -> Heard:
        """What was heard of the first rows."""
        if rows == len(self.codes):
            return self
        part = Heard(0, 0)
        part.codes, part.scores, part.changed = self.codes[:rows], self.scores[:rows], self.changed[:rows]
        return part


def ask(heard: Heard, master: LossRule | None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """What is said of each row, and its score: that of the only lane; of several, the weight of those that say so."""
    codes = heard.codes
    if master is None:
        return codes[:, 0], heard.scores[:, 0]
    said, scores = codes[:, 0].copy(), np.where(codes[:, 0] == NO_CLASS, 0.0, 1.0)
    weights = master.weights.tolist()
    for row in np.flatnonzero(_divided(codes)).tolist():
        said[row], scores[row] = _voted(codes[row].tolist(), weights)
    return said, scores


def teach(heard: Heard, labels: NDArray[np.int32], master: LossRule | None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The same, row by row: after each, the master is told which lanes were wrong.

    Where all lanes say the same, their weights do not matter, and do not change.
    """
    if master is None:
        return ask(heard, None)
    codes = heard.codes
    said, scores = codes[:, 0].copy(), np.where(codes[:, 0] == NO_CLASS, 0.0, 1.0)
    wrong = (codes != labels[:, None]).astype(np.float64)
    done = 0
    for row in np.flatnonzero(_divided(codes)).tolist():
        if row > done:
            master._learn_many(wrong[done:row])
        said[row], scores[row] = _voted(codes[row].tolist(), master.weights.tolist())
        master._learn(wrong[row])
        done = row + 1
    if done < len(wrong):
        master._learn_many(wrong[done:])
    return said, scores


def shares(heard: Heard, master: LossRule, classes: int) -> NDArray[np.float64]:
    """The weight of the lanes that say each class: rows × classes."""
    codes, table = heard.codes, np.zeros((len(heard.codes), classes))
    if not classes:
        return table
    each = np.arange(len(codes))
    for lane, weight in enumerate(master.weights.tolist()):
        table[each, codes[:, lane]] += weight
    same = ~_divided(codes)
    table[same] = np.round(table[same])  # all of it: 1, whatever the weights add up to in floating point
    return table


def _divided(codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """The rows of which not all lanes say the same."""
    divided: NDArray[np.bool_] = (codes != codes[:, :1]).any(axis=1)
    return divided


def _voted(codes: list[int], weights: list[float]) -> tuple[int, float]:
    """The class with the largest weight of lanes, the one that appeared first among equals.

    >>> _voted([2, 0, 2, 1], [0.25, 0.25, 0.25, 0.25]), _voted([1, 0], [0.5, 0.5])
    ((2, 0.5), (0, 0.5))
    """
    table: dict[int, float] = {}
    for code, weight in zip(codes, weights, strict=True):
        table[code] = table.get(code, 0.0) + weight
    best = min(table, key=lambda code: (-table[code], code))
    return best, table[best]
