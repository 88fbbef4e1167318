"""Small concept classes, a learner of one's own for each, and risks by counting: for the tests of conversions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Generic, TypeVar

import numpy as np

import thresher as th
from thresher.compose import Predictor

__all__ = ["Domain", "PlainHalving", "all_functions", "thresholds"]

X = TypeVar("X")


class PlainHalving:
    """Halving over a table of −1 and +1, one row a concept, one column a point: learns from every round, right or wrong."""

    def __init__(self, table: Sequence[Sequence[int]]) -> None:
        self.left = [tuple(row) for row in table]
        self.rounds = 0

    def predict(self, x: int) -> th.Prediction:
        balance = sum(row[x] for row in self.left)
        return th.Prediction(+1 if balance >= 0 else -1, float(balance))

    def learn(self, x: int, y: th.Label, weight: float = 1.0) -> th.Round:
        played = th.Round(self.rounds + 1, x, self.predict(x), y, changed=False, weight=weight)
        left = [row for row in self.left if row[x] == played.label]
        if not left:
            raise th.NotRealizable(f"round {played.t}: no concept is left")
        changed = len(left) < len(self.left)
        self.left, self.rounds = left, played.t
        return th.Round(played.t, x, played.prediction, y, changed=changed, weight=weight)


def all_functions(points: int) -> list[tuple[int, ...]]:
    return list(product((-1, +1), repeat=points))


def thresholds(points: int) -> list[tuple[int, ...]]:
    return [tuple(+1 if x >= cut else -1 for x in range(points)) for cut in range(points + 1)]


@dataclass(frozen=True)
class Domain(Generic[X]):
    """Finitely many examples with their labels and chances, in whole parts of their sum."""

    examples: Sequence[X]
    labels: Sequence[int]
    parts: Sequence[int]

    def draws(self, rng: np.random.Generator, size: int = 64) -> Iterator[tuple[X, int]]:
        """Independent draws, without end."""
        chances = np.array(self.parts) / sum(self.parts)
        while True:
            for k in rng.choice(len(self.examples), size, p=chances):
                yield self.examples[k], self.labels[k]

    def risk(self, hypothesis: Predictor[Any]) -> Fraction:
        """How likely the hypothesis errs, exactly."""
        said = [hypothesis.predict(x).label for x in self.examples]
        wrong = sum(part for part, s, y in zip(self.parts, said, self.labels, strict=True) if s != y)
        return Fraction(wrong, sum(self.parts))
