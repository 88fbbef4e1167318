"""Plain-Python oracles: canonical arithmetic, a Perceptron made of nothing else, and what a refusal must leave."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from thresher import ExampleError, Perceptron, Rounds
from thresher.linear import LinearLearner

__all__ = [
    "GOOD",
    "LABELS",
    "FloatPerceptron",
    "N",
    "Outcome",
    "bits",
    "canonical",
    "canonical_dot",
    "canonical_sum",
    "check_refused",
    "check_refused_at",
    "check_unchanged",
    "columns",
    "everything",
    "taught",
]

#: A squared norm below this may have lost terms to underflow; its row is first multiplied by 2^500, which is exact.
TINY, MAGNIFIER = 2.0**-500, 2.0**500

#: Slots ascending, no zeros.
Row = list[tuple[int, float]]


@dataclass(frozen=True)
class Outcome:
    score: float
    prediction: int
    changed: bool


def bits(numbers: Iterable[float]) -> bytes:
    """Numbers as bytes: equal only if every bit is, zero's sign too."""
    return b"".join(struct.pack("<d", number) for number in numbers)


def everything(learner: LinearLearner) -> tuple[object, ...]:
    """All that a learner is, floats as bytes."""
    parameters, arrays = learner.state()
    heads = parameters["heads"]
    return (
        parameters["learner"],
        sorted(parameters["arguments"].items()),
        {name: bits([value]) if isinstance(value, float) else value for name, value in heads.items()},
        {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in arrays.items()},
    )


def columns(rounds: Rounds) -> tuple[bytes, ...]:
    """The columns of rounds as bytes."""
    return tuple(column.tobytes() for column in (rounds.scores, rounds.predictions, rounds.labels, rounds.changed))


def canonical(values: Sequence[float]) -> Row:
    return [(slot, float(value)) for slot, value in enumerate(values) if value != 0.0]


def canonical_sum(terms: Sequence[float]) -> float:
    """Four partial sums, term j into sum j mod 4, reduced (s0 + s2) + (s1 + s3)."""
    s = [0.0, 0.0, 0.0, 0.0]
    for j, term in enumerate(terms):
        s[j % 4] += term
    return (s[0] + s[2]) + (s[1] + s[3])


def canonical_dot(weights: Sequence[float], row: Row) -> float:
    return canonical_sum([weights[slot] * value for slot, value in row])


@dataclass
class FloatPerceptron:
    """The Perceptron in canonical arithmetic: its bits are the core's."""

    n: int
    normalize: bool = False
    bias: float | None = None
    tie: int = +1
    weights: list[float] = field(default_factory=list)
    bias_weight: float = 0.0

    def __post_init__(self) -> None:
        self.weights = [0.0] * self.n

    def seen(self, values: Sequence[float]) -> tuple[Row, float, float]:
        """The row, the dummy and the norm; the first two magnified where the norm is tiny."""
        row, dummy = canonical(values), self.bias or 0.0
        if not self.normalize:
            return row, dummy, 1.0
        while (square := canonical_sum([value * value for _, value in row]) + dummy * dummy) < TINY:
            row, dummy = [(slot, value * MAGNIFIER) for slot, value in row], dummy * MAGNIFIER
        return row, dummy, math.sqrt(square)

    def score(self, values: Sequence[float]) -> float:
        row, dummy, norm = self.seen(values)
        return (canonical_dot(self.weights, row) + self.bias_weight * dummy) / norm

    def learn(self, values: Sequence[float], label: int, weight: float = 1.0) -> Outcome:
        row, dummy, norm = self.seen(values)
        score = self.score(values)
        prediction = 1 if score > 0 else -1 if score < 0 else self.tie
        changed = prediction != label and weight != 0.0 and (row != [] or dummy != 0.0)
        if changed:
            step = label * weight / norm
            for slot, value in row:
                self.weights[slot] += step * value
            self.bias_weight += step * dummy
        return Outcome(score, prediction, changed)


#: A small stream that every refusal is tried on.
N = 3
GOOD: list[list[float]] = [[1.0, 0.0, 2.0], [0.5, -1.0, 0.0], [0.0, 3.0, -0.25], [1.0, 1.0, 1.0]]
LABELS = [-1, 1, -1, 1]


def taught(rows: int = 2, **parameters: Any) -> Perceptron:
    """A learner that has learned the first good rows, one by one."""
    learner = Perceptron(N, **parameters)
    for x, y in zip(GOOD[:rows], LABELS, strict=False):
        learner.learn(x, y)
    return learner


def check_refused(x: object, match: str, column: object = None, y: object = 1) -> ExampleError:
    """Asserts that `learn` and `predict` refuse x, that the error tells where, and that nothing has changed."""
    learner = taught()
    before = everything(learner)
    with pytest.raises(ExampleError, match=match) as caught:
        learner.learn(x, y)
    with pytest.raises(ExampleError, match=match):
        learner.predict(x)
    assert everything(learner) == before
    assert (caught.value.row, caught.value.rounds) == (None, None)
    assert caught.value.column == column
    return caught.value


def check_refused_at(row: int, X: Any, y: Any, match: str, column: object = None, weights: Any = None) -> ExampleError:
    """Asserts that `learn_many`, given GOOD rows up to this one, stops at it as the loop would, those before it learned."""
    learner, loop = Perceptron(N), Perceptron(N)
    with pytest.raises(ExampleError, match=match) as caught:
        learner.learn_many(X, y, weights)
    error = caught.value
    assert (error.row, error.column) == (row, column)
    assert str(error).startswith(f"row {row}: ")
    played = [loop.learn(GOOD[k], y[k], 1.0 if weights is None else weights[k]) for k in range(row)]
    assert everything(learner) == everything(loop)
    assert isinstance(error.rounds, Rounds)
    assert [error.rounds[k] for k in range(len(error.rounds))] == played
    return error


def check_unchanged(X: Any, y: Any, match: str, weights: Any = None) -> ExampleError:
    """Asserts that `learn_many` refuses the whole block, and that nothing has changed."""
    learner = taught()
    before = everything(learner)
    with pytest.raises(ExampleError, match=match) as caught:
        learner.learn_many(X, y, weights)
    assert everything(learner) == before
    return caught.value
