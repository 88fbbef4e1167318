"""Streams that any learner can be played on: lists, again and again while it errs, or of a pool what it is least sure of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.adversaries.adversary import Vector, contrary
from thresher.protocol import Learner

__all__ = ["Contradicting", "Listed", "Nearest", "Pairs", "Stubborn", "pairs", "unit"]

#: Examples and their labels.
Pairs = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Listed:
    """The examples, in order, once."""

    rounds: Pairs

    def against(self, _learner: object, /) -> Iterator[tuple[Any, Any]]:
        """All of them, whoever learns."""
        yield from self.rounds


@dataclass(frozen=True)
class Stubborn:
    """The examples in order, over and over, until the learner is right on all of them in a row.

    Whoever has a mistake bound for them comes to an end. Whoever learns wrongly goes on, until it is above the bound.

    >>> import thresher as th
    >>> stream = Stubborn([((1.0, 0.0), -1), ((0.0, 1.0), +1)])
    >>> learner = th.Perceptron(2)
    >>> [learner.learn(x, y).mistake for x, y in stream.against(learner)]
    [True, False, False, False]
    """

    pool: Pairs

    def against(self, learner: Learner[Any], /) -> Iterator[tuple[Any, Any]]:
        """Passes over the pool, the last without a mistake."""
        wrong = True
        while wrong:
            wrong = False
            for x, y in self.pool:
                wrong = wrong or learner.predict(x).label != y
                yield x, y


@dataclass(frozen=True)
class Nearest:
    """Of the examples in the pool on which the learner errs, the one whose score is the nearest to where it decides, `at`.

    For the Perceptron on unit vectors that is what lets ‖w‖ grow the most, for Winnow what changes the sum of the weights the
    least: what their proofs pay with. It sees predictions alone; without scores the first mistake is as good as any.

    >>> import thresher as th
    >>> learner = th.Perceptron(2)
    >>> _ = learner.learn((1.0, 0.0), -1)
    >>> next(Nearest([((0.9, 0.1), +1), ((0.1, 0.9), +1)]).against(learner))
    ((0.1, 0.9), 1)
    """

    pool: Pairs
    at: float = 0.0

    def against(self, learner: Learner[Any], /) -> Iterator[tuple[Any, Any]]:
        """One mistake after the other."""
        while True:
            said = ((learner.predict(x), x, y) for x, y in self.pool)
            wrong = [(abs(prediction.score - self.at), x, y) for prediction, x, y in said if prediction.label != y]
            if not wrong:
                return
            _, x, y = min(wrong, key=lambda each: each[0])
            yield x, y


@dataclass(frozen=True)
class Contradicting:
    """These examples in order, each labelled as the learner does not say."""

    examples: Sequence[Vector]

    def against(self, learner: Learner[Any], /) -> Iterator[tuple[Vector, int]]:
        """A mistake in every round."""
        for x in self.examples:
            yield x, contrary(learner, x)


def unit(chance: np.random.Generator, n: int, rows: int = 1) -> NDArray[np.float64]:
    """Unit vectors in every direction alike, one a row.

    >>> np.linalg.norm(unit(np.random.default_rng(0), 5, 2), axis=1).round(12).tolist()
    [1.0, 1.0]
    """
    drawn = chance.standard_normal((rows, n))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def pairs(X: NDArray[np.float64], y: NDArray[Any]) -> Pairs:
    """Rows and labels as learners are given them one by one: tuples, so that no learner can change an example.

    >>> pairs(np.array([[1.0, 0.0]]), np.array([-1]))
    [((1.0, 0.0), -1)]
    """
    return [(tuple(row), label) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
