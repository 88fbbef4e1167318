"""Majorities and leaders in plain Python, straight from their definitions: counts of mistakes, shares as exact fractions."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import thresher as th
from tests.plain_learners import PlainLearner

__all__ = [
    "PlainFollowTheLeader",
    "PlainImprovedMajority",
    "PlainLeaderOnLosses",
    "PlainRandomizedMajority",
    "PlainWeightedMajority",
]


class PlainExperts(PlainLearner):
    """Counts each expert's mistakes and, as `loss`, the chance of one of its own: here 1 or 0."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.wrong = [0] * n
        self.loss = Fraction(0)

    @property
    def expert_mistakes(self) -> NDArray[np.int64]:
        return np.array(self.wrong, dtype=np.int64)

    def chance(self, x: Sequence[float]) -> Fraction:
        """Of saying +1."""
        return Fraction(self.label(x) == +1)

    def move(self, x: Sequence[float], y: int, predicted: int) -> bool:
        self.loss += 1 - self.chance(x) if y == +1 else self.chance(x)
        self.wrong = [count + (said != y) for count, said in zip(self.wrong, x, strict=True)]
        return any(said != y for said in x)


class PlainFollowTheLeader(PlainExperts):
    def label(self, x: Sequence[float]) -> int:
        return int(x[self.wrong.index(min(self.wrong))])


class PlainMajority(PlainExperts):
    """Experts weigh β^(mistakes)."""

    def __init__(self, n: int, *, beta: float | Fraction = 0.5) -> None:
        super().__init__(n)
        self.beta = Fraction(beta)
        self.asked: tuple[object, Fraction] = None, Fraction(0)

    def exact(self, wrong: Iterable[int]) -> Fraction:
        """The weight of experts with so many mistakes, the best of all weighing 1; 0⁰ = 1."""
        least = min(self.wrong)
        if self.beta == 0 and least > 0:
            raise th.NotRealizable(f"round {self.rounds + 1}: every expert has erred")
        return sum((count * self.beta ** (w - least) for w, count in Counter(wrong).items()), Fraction(0))

    @property
    def weights(self) -> NDArray[np.float64]:
        each = {w: float(self.exact([w])) for w in set(self.wrong)}
        return np.array([each[w] for w in self.wrong])

    def share(self, x: Sequence[float]) -> Fraction:
        """Of the weight that says +1; kept until another is asked for, as a round asks four times."""
        question = (self.rounds, tuple(x))
        if self.asked[0] != question:
            plus = self.exact(w for w, said in zip(self.wrong, x, strict=True) if said == +1)
            self.asked = question, plus / self.exact(self.wrong)
        return self.asked[1]

    def predict(self, x: Sequence[float]) -> th.Prediction:
        return th.Prediction(self.label(x), float(self.share(x)), float(self.chance(x)))

    @abstractmethod
    def label(self, x: Sequence[float]) -> int: ...


class PlainWeightedMajority(PlainMajority):
    def label(self, x: Sequence[float]) -> int:
        return +1 if self.share(x) > Fraction(1, 2) else -1

    def chance(self, x: Sequence[float]) -> Fraction:
        return self.share(x)


class PlainRandomizedMajority(PlainMajority):
    """Tosses a coin for its label; its chance is the share, and so its loss the weight on the wrong side."""

    def __init__(self, n: int, *, beta: float | Fraction = 0.5, seed: int = 0) -> None:
        super().__init__(n, beta=beta)
        self.seed = seed

    def label(self, x: Sequence[float]) -> int:
        return +1 if random.Random(f"{self.seed} {self.rounds}").random() < self.chance(x) else -1

    def chance(self, x: Sequence[float]) -> Fraction:
        return self.share(x)


class PlainImprovedMajority(PlainRandomizedMajority):
    kind: Literal["linear", "mean", "vovk"] = "linear"

    def chance(self, x: Sequence[float]) -> Fraction:
        return Fraction(th.bounds.improved_share(float(self.share(x)), float(self.beta), self.kind))


class PlainLeaderOnLosses:
    """A rule for losses that plays the expert with the least loss so far, the first of several: no rule to rely on."""

    def __init__(self, n: int) -> None:
        self.lost = [Fraction(0)] * n
        self.loss, self.rounds = Fraction(0), 0

    @property
    def weights(self) -> NDArray[np.float64]:
        leader = self.lost.index(min(self.lost))
        return np.array([float(i == leader) for i in range(len(self.lost))])

    def learn_losses(self, losses: Sequence[float]) -> th.LossRound:
        mixture, loss = self.weights, losses[self.lost.index(min(self.lost))]
        self.rounds += 1
        self.loss += Fraction(loss)
        self.lost = [before + Fraction(now) for before, now in zip(self.lost, losses, strict=True)]
        return th.LossRound(self.rounds, np.array(losses), mixture, loss)

    @property
    def regret(self) -> Fraction:
        return self.loss - min(self.lost)
