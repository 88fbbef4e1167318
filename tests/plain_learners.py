"""Learners in plain Python, straight from their definitions: exact fractions for Winnow, sets for elimination."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import thresher as th

__all__ = ["PlainElimination", "PlainLearner", "PlainMarginPerceptron", "PlainWinnow"]


class PlainLearner(ABC):
    """Two verbs around a `label` and a `move`, which is asked whether it moved."""

    def __init__(self) -> None:
        self.rounds = self.mistakes = self.updates = 0

    @abstractmethod
    def label(self, x: Sequence[float]) -> int: ...

    @abstractmethod
    def move(self, x: Sequence[float], y: int, predicted: int) -> bool: ...

    def predict(self, x: Sequence[float]) -> th.Prediction:
        return th.Prediction(self.label(x), 0.0)

    def learn(self, x: Sequence[float], y: th.Label, weight: float = 1.0) -> th.Round:
        said, label = self.predict(x), +1 if float(y) > 0 else -1
        changed = self.move(x, label, said.label)
        self.rounds += 1
        self.updates += changed
        played = th.Round(self.rounds, x, said, label, changed=changed, weight=weight)
        self.mistakes += played.mistake
        return played


class PlainWinnow(PlainLearner):
    def __init__(self, n: int, *, threshold: float | None = None, factor: float = 2.0, strict: bool = False) -> None:
        super().__init__()
        self.exact = [Fraction(1)] * n
        self.threshold = Fraction(n if threshold is None else threshold)
        self.factor, self.strict = Fraction(factor), strict

    @property
    def weights(self) -> NDArray[np.float64]:
        return np.array([float(w) for w in self.exact])

    def label(self, x: Sequence[float]) -> int:
        score = sum((w for w, v in zip(self.exact, x, strict=True) if v), Fraction(0))
        return +1 if score > self.threshold or (score == self.threshold and not self.strict) else -1

    def move(self, x: Sequence[float], y: int, predicted: int) -> bool:
        if predicted != y:
            self.exact = [w * self.factor**y if v else w for w, v in zip(self.exact, x, strict=True)]
        return predicted != y and any(x)


class PlainElimination(PlainLearner):
    def __init__(self, n: int, *, monotone: bool = False) -> None:
        super().__init__()
        self.literals = {(i, sign) for i in range(n) for sign in (1.0, 0.0) if sign or not monotone}

    def true_in(self, x: Sequence[float]) -> set[tuple[int, float]]:
        return {(i, sign) for i, sign in self.literals if x[i] == sign}

    def label(self, x: Sequence[float]) -> int:
        return +1 if self.true_in(x) else -1

    def move(self, x: Sequence[float], y: int, predicted: int) -> bool:
        removed = self.true_in(x) if predicted != y else set()
        self.literals -= removed
        return bool(removed)


class PlainMarginPerceptron(PlainLearner):
    def __init__(self, n: int, margin: float, *, epsilon: float = 0.5) -> None:
        super().__init__()
        self.w, self.asked = [0.0] * n, (1 - epsilon) * margin

    @property
    def weights(self) -> NDArray[np.float64]:
        return np.array(self.w)

    def score(self, x: Sequence[float]) -> float:
        return math.fsum(w * v for w, v in zip(self.w, x, strict=True)) / math.hypot(*x)

    def label(self, x: Sequence[float]) -> int:
        return +1 if self.score(x) >= 0 else -1

    def move(self, x: Sequence[float], y: int, predicted: int) -> bool:
        norm = math.hypot(*self.w)
        moves = norm == 0 or y * self.score(x) / norm < self.asked
        if moves:
            length = math.hypot(*x)
            self.w = [w + y * v / length for w, v in zip(self.w, x, strict=True)]
        return moves
