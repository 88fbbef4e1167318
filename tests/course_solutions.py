"""A right solution of each graded exercise of the course, by its number. The pages do not print them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th

__all__ = ["SOLUTIONS"]


def _dot(w: Sequence[float], x: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(w, x, strict=True))


class Consistent:
    def __init__(self, concepts: list[list[int]]) -> None:
        self.left = concepts

    def predict(self, x: int) -> int:
        return 2 * self.left[0][x] - 1

    def learn(self, x: int, y: int) -> None:
        self.left = [concept for concept in self.left if 2 * concept[x] - 1 == y]


class Halving(Consistent):
    def predict(self, x: int) -> int:
        return +1 if 2 * sum(concept[x] for concept in self.left) >= len(self.left) else -1


class LazyHalving(Halving):
    def learn(self, x: int, y: int) -> None:
        if self.predict(x) != y:
            super().learn(x, y)


class Elimination:
    def __init__(self, n: int) -> None:
        self.left = {(i, value) for i in range(n) for value in (0, 1)}

    def predict(self, x: Sequence[float]) -> int:
        return +1 if any(x[i] == value for i, value in self.left) else -1

    def learn(self, x: Sequence[float], y: int) -> None:
        if self.predict(x) == +1 and y == -1:
            self.left = {(i, value) for i, value in self.left if x[i] != value}


class Perceptron:
    def __init__(self, n: int) -> None:
        self.weights = [0.0] * n

    def predict(self, x: Sequence[float]) -> int:
        return +1 if _dot(self.weights, x) >= 0 else -1

    def learn(self, x: Sequence[float], y: int) -> None:
        if self.predict(x) != y:
            self.weights = [w + y * value for w, value in zip(self.weights, x, strict=True)]


class MarginPerceptron(Perceptron):
    def __init__(self, n: int, margin: float) -> None:
        super().__init__(n)
        self.least = margin / 2

    def learn(self, x: Sequence[float], y: int) -> None:
        norm = math.sqrt(_dot(self.weights, self.weights))
        if norm == 0 or y * _dot(self.weights, x) < self.least * norm:
            self.weights = [w + y * value for w, value in zip(self.weights, x, strict=True)]


class Winnow:
    def __init__(self, n: int) -> None:
        self.weights = [1.0] * n

    def predict(self, x: Sequence[float]) -> int:
        return +1 if _dot(self.weights, x) >= len(self.weights) else -1

    def learn(self, x: Sequence[float], y: int) -> None:
        if self.predict(x) != y:
            self.weights = [w * 2.0 ** (y * value) for w, value in zip(self.weights, x, strict=True)]


class BalancedWinnow:
    def __init__(self, n: int, eta: float) -> None:
        self.eta, self.sums = eta, [0.0] * n

    def predict(self, x: Sequence[float]) -> int:
        return +1 if _dot([math.sinh(self.eta * each) for each in self.sums], x) >= 0 else -1

    def learn(self, x: Sequence[float], y: int) -> None:
        if self.predict(x) != y:
            self.sums = [each + y * value for each, value in zip(self.sums, x, strict=True)]


class WeightedMajority:
    def __init__(self, n: int, beta: float) -> None:
        self.beta, self.weights = beta, [1.0] * n

    def predict(self, x: Sequence[float]) -> Any:
        return +1 if _dot(self.weights, x) > 0 else -1

    def learn(self, x: Sequence[float], y: int) -> None:
        self.weights = [w if said == y else w * self.beta for w, said in zip(self.weights, x, strict=True)]


class ImprovedMajority(WeightedMajority):
    def predict(self, x: Sequence[float]) -> th.Prediction:
        r = (1 + _dot(self.weights, x) / sum(self.weights)) / 2
        c = (1 + self.beta) * math.log(2 / (1 + self.beta)) / (2 * (1 - self.beta))
        p = min(1.0, max(0.0, 0.5 + (r - 0.5) / (2 * c)))
        return th.Prediction(+1 if p > 0.5 else -1, 0.0, p)


class Hedge:
    def __init__(self, n: int) -> None:
        self.lost: NDArray[np.float64] = np.zeros(n)
        self.t = 1

    @property
    def weights(self) -> NDArray[np.float64]:
        rate = 2 * math.sqrt(math.log(len(self.lost)) / self.t)
        w = np.exp(-rate * (self.lost - self.lost.min()))
        return np.asarray(w / w.sum())

    def learn_losses(self, losses: Sequence[float]) -> None:
        self.lost += losses
        self.t += 1


class FixedShare:
    def __init__(self, n: int, eta: float, alpha: float) -> None:
        self.eta, self.alpha, self.weights = eta, alpha, np.full(n, 1 / n)

    def learn_losses(self, losses: Sequence[float]) -> None:
        kept = self.weights * np.exp(-self.eta * np.array(losses))
        kept /= kept.sum()
        self.weights = (1 - self.alpha) * kept + self.alpha * (1 - kept) / (len(kept) - 1)


#: By the number of its exercise.
SOLUTIONS: dict[str, Callable[..., Any]] = {
    "1.1": Consistent,
    "2.1": Halving,
    "3.1": Elimination,
    "4.1": Perceptron,
    "5.1": Perceptron,
    "6.1": MarginPerceptron,
    "7.1": Winnow,
    "8.1": Winnow,
    "8.2": BalancedWinnow,
    "9.1": WeightedMajority,
    "10.1": ImprovedMajority,
    "11.1": Hedge,
    "11.2": FixedShare,
    "12.1": LazyHalving,
}
