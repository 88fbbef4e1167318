"""Rounds whose label is one of many classes: the same two verbs, and the values they give.

>>> import thresher as th
>>> learner = th.MulticlassPerceptron(2)
>>> played = learner.learn([1, 0], "oak")
>>> played.prediction.label, played.mistake  # before it has seen a class it says None
(None, True)
>>> learner.learn([0, 1], "fir").prediction.label
'oak'
>>> learner.predict([0, 1]).label, learner.classes
('fir', ('oak', 'fir'))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from thresher.class_labels import ClassLabel, ClassLabels

__all__ = ["ClassLearner", "ClassPrediction", "ClassRound", "ClassRounds"]

X_contra = TypeVar("X_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class ClassPrediction:
    """What a learner of many classes says: a class, None before it has seen one, and its score."""

    label: ClassLabel | None
    score: float


@dataclass(frozen=True, slots=True)
class ClassRound:
    """One whole round: example t, what was predicted, the truth, and whether the learner changed."""

    t: int
    example: object
    prediction: ClassPrediction
    label: ClassLabel
    changed: bool
    weight: float = 1.0

    @property
    def mistake(self) -> bool:
        """Whether the prediction was another class, or none."""
        return self.prediction.label != self.label

    @property
    def loss(self) -> float:
        """1 for a mistake, else 0."""
        return float(self.mistake)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassRounds:
    """Many rounds in columns: `predictions` and `labels` are codes, places in `classes`; a prediction of −1 is None.

    `first` is the number of the first of them, `examples` are the rows as they were given, by reference, `weights` theirs, if
    some were given.
    """

    first: int
    examples: object
    classes: ClassLabels
    predictions: NDArray[np.int32]
    labels: NDArray[np.int32]
    scores: NDArray[np.float64]
    changed: NDArray[np.bool_]
    weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def mistakes(self) -> int:
        """In how many of them the prediction was wrong."""
        return int(np.count_nonzero(self.predictions != self.labels))

    @property
    def updates(self) -> int:
        """In how many of them the learner changed."""
        return int(np.count_nonzero(self.changed))

    @property
    def loss(self) -> float:
        """The sum of their losses."""
        return float(self.mistakes)

    def __repr__(self) -> str:
        rounds = f"rounds {self.first} to {self.first + len(self) - 1}" if len(self) else "no rounds"
        return f"<{rounds} of {len(self.classes)} classes, {self.mistakes} mistakes, {self.updates} updates>"


@runtime_checkable
class ClassLearner(Protocol[X_contra]):
    """Whoever predicts one of many classes, is told the truth, and learns from it. Classes may appear at any time."""

    @property
    def classes(self) -> tuple[ClassLabel, ...]:
        """The classes seen so far, in order of appearance."""
        ...

    def predict(self, x: X_contra, /) -> ClassPrediction: ...

    def learn(self, x: X_contra, y: ClassLabel, /, weight: float = 1.0) -> ClassRound: ...
