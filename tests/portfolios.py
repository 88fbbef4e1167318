"""Portfolios to test: lanes of every kind, masters of every kind, and what they come to written out in plain Python."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher._core import Bank
from thresher.compose.banked import kind_of
from thresher.experts import LossRule
from thresher.linear import LinearLearner

__all__ = ["KITS", "MASTERS", "Follower", "N", "PlainPlatt", "Single", "alone", "everything_of", "lanes", "noisy"]

N = 5

MASTERS: dict[str, Callable[[int], LossRule]] = {
    "AdaHedge": th.AdaHedge,
    "FixedShare": lambda n: th.FixedShare(n, eta=0.8, alpha=0.05),
    "Hedge": th.Hedge,
    "Hedge, eta 0.01": lambda n: th.Hedge(n, eta=0.01),
    "Hedge, eta 2": lambda n: th.Hedge(n, eta=2.0),
    "Hedge, horizon": lambda n: th.Hedge(n, horizon=300),
}


def lanes(n: int = N) -> list[LinearLearner]:
    """Lanes of the bank, and two that are called; more than eight, so that the last block of lanes is not full."""
    return [
        th.Constant(n, +1),
        th.Perceptron(n),
        th.Perceptron(n, bias=1.0, normalize=True, tie="mistake"),
        th.AveragedPerceptron(n, bias=1.0),
        th.PassiveAggressive(n, C=0.1),
        th.AROW(n, r=0.1, bias=1.0),
        th.AdaGrad(n, loss="hinge"),
        th.AdaGrad(n),
        th.Invariant(n),
        th.PNormPerceptron(n),
        th.ScaledWinnow(n, factor=4.0, bias=1.0),
        th.MarginPerceptron(n, 0.1, bias=0.5),
    ]


def _banked(n: int = N) -> list[LinearLearner]:
    """All kinds of lanes that fit the bank, and nothing else."""
    more: list[LinearLearner] = [th.Constant(n, -1), th.ScaledWinnow(n), th.Invariant(n, rate=2.0, bias=-0.3)]
    return [*(lane for lane in lanes(n) if kind_of(lane) is not None), *more, th.AROW(n), th.PassiveAggressive(n, bias=0.3)]


def _called(n: int = N) -> list[LinearLearner]:
    """Lanes that do not fit, and some that would, had they not learned before."""
    used: list[LinearLearner] = [th.AROW(n), th.Invariant(n, bias=1.0), th.AveragedPerceptron(n), th.ScaledWinnow(n)]
    for lane in used:
        lane.learn(np.linspace(-1.0, 1.0, n), -1)
    return [*used, *(lane for lane in lanes(n) if kind_of(lane) is None), th.PNormPerceptron(n, p=3, bias=1.0)]


#: Lanes by how they are played.
KITS: dict[str, Callable[[], list[LinearLearner]]] = {"banked": _banked, "called": _called, "mixed": lanes}


class Single:
    """A lane of a bank, alone in it."""

    def __init__(self, learner: LinearLearner) -> None:
        self.bank, self.rule = Bank(learner.n, [learner.rule]), learner.rule

    def predict(self, x: Any) -> th.Prediction:
        says, scores = np.zeros(1, np.int8), np.zeros(1, np.float32)
        self.bank._score(x, says, scores)
        return th.Prediction(int(says[0]), float(scores[0]))

    def learn(self, x: Any, y: Any, weight: float = 1.0) -> th.Round:
        says, scores = np.zeros(1, np.int8), np.zeros(1, np.float32)
        changed = self.bank._learn(x, y, weight, says, scores)
        said = th.Prediction(int(says[0]), float(scores[0]))
        return th.Round(self.bank.rounds, x, said, y, changed=changed, weight=weight)


def alone(learners: list[LinearLearner]) -> list[Single | LinearLearner]:
    """The same lanes, each on its own, in the precision that it has in a portfolio."""
    return [Single(each) if kind_of(each) is not None else copy.copy(each) for each in learners]


def noisy(rows: int, seed: int = 0, n: int = N) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Examples whose labels a line tells but for noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, n))
    u = np.linspace(-1.0, 1.0, n) + 0.1
    return X, np.where(X @ u + rng.normal(size=rows) / 2 > 0, 1, -1)


def everything_of(portfolio: th.Portfolio) -> tuple[object, dict[str, bytes]]:
    """All that a portfolio is: floats compare by their digits, arrays by their bytes."""
    parameters, arrays = portfolio.state()
    return repr(parameters), {name: array.tobytes() for name, array in arrays.items()}


class PlainPlatt:
    """The combined score and the calibration as the portfolio's docstring tells them, in plain Python."""

    def __init__(self, n: int) -> None:
        self.sizes, self.rounds = [0.0] * n, 0
        self.means = [0.0] * n
        self.a, self.b = 1.0, 0.0
        self.matrix = [[4.0, 0.0], [0.0, 4.0]]
        self.log_loss = self.weights = 0.0

    def score(self, weights: list[float], scores: list[float]) -> float:
        total = 0.0
        for w, s, mean in zip(weights, scores, self.means, strict=True):
            total += w * max(-16.0, min(16.0, s / mean)) if mean > 0 else 0.0
        return total

    def chance(self, z: float) -> float:
        return 1 / (1 + math.exp(-max(-32.0, min(32.0, self.a * z + self.b))))

    def learn(self, z: float, scores: list[float], label: int, weight: float) -> None:
        q = self.chance(z)
        self.log_loss -= weight * math.log(q if label > 0 else 1 - q)
        self.weights += weight
        self.rounds += 1
        self.sizes = [size + abs(s) for size, s in zip(self.sizes, scores, strict=True)]
        if self.rounds < 64 or self.rounds % 64 == 0:
            self.means = [size / self.rounds for size in self.sizes]
        if weight == 0.0:
            return
        weight /= self.weights / self.rounds
        pull = (label > 0) - q
        gradient = [pull * z, pull]
        before = np.linalg.inv(self.matrix)
        for i in range(2):
            for j in range(2):
                self.matrix[i][j] += weight * gradient[i] * gradient[j]
        step = 3.0 * weight * np.linalg.solve(np.array(self.matrix), np.array(gradient))
        reach = float(np.array([z, 1.0]) @ before @ np.array([z, 1.0]))
        moved = abs(3.0 * weight * pull * reach / (1 + weight * pull * pull * reach))
        step *= min(1.0, 1.0 / moved) if moved > 0 else 1.0
        self.a = max(0.0, min(64.0, self.a + float(step[0])))
        self.b = max(-32.0, min(32.0, self.b + float(step[1])))


class Follower:
    """Says the last label it was told; breaks when it is told to."""

    def __init__(self) -> None:
        self.last, self.rounds, self.seen = +1, 0, list[tuple[int, float]]()
        self.breaks_at: int | None = None
        self.refuses: float | None = None

    def predict(self, x: Any) -> th.Prediction:
        if self.refuses is not None and x[0] == self.refuses:
            raise th.ExampleError("found what it does not like")
        return th.Prediction(self.last, 0.25 * self.last)

    def learn(self, x: Any, y: Any, weight: float = 1.0) -> th.Round:
        said = self.predict(x)
        self.rounds += 1
        if self.rounds == self.breaks_at:
            raise ZeroDivisionError("no more")
        self.seen.append((int(y), weight))
        changed, self.last = self.last != y, int(y)
        return th.Round(self.rounds, x, said, y, changed=changed, weight=weight)
