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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from thresher.class_labels import ClassLabel, ClassLabels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClassHypothesis", "ClassLearner", "ClassOrigin", "ClassPrediction", "ClassRound", "ClassRounds"]

X_contra = TypeVar("X_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class ClassPrediction:
    """What a learner of many classes says: a class, None before it has seen one, and its score."""

    label: ClassLabel | None
    score: float


@dataclass(frozen=True, slots=True)
class ClassOrigin:
    """By which learner rounds say that they were played: enough to play them again. `known` are its classes at the start."""

    learner: str
    n: int
    bias: float | None
    known: tuple[ClassLabel, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ClassRound:
    """One whole round: example t, what was predicted, the truth, and whether the learner changed."""

    t: int
    example: object
    prediction: ClassPrediction
    label: ClassLabel
    changed: bool
    weight: float = 1.0
    origin: ClassOrigin | None = None

    @property
    def mistake(self) -> bool:
        """Whether the prediction was another class, or none."""
        return self.prediction.label != self.label

    @property
    def loss(self) -> float:
        """1 for a mistake, else 0."""
        return float(self.mistake)

    def __repr__(self) -> str:
        said = f"{self.prediction}, label={self.label!r}, mistake={self.mistake}, changed={self.changed}"
        return f"ClassRound(t={self.t}, {said})"


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
    origin: ClassOrigin | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, k: int) -> ClassRound:
        """One of them. Its example is a row of `examples`."""
        at = range(len(self))[k]
        examples: Any = self.examples
        said = ClassPrediction(self.classes[int(self.predictions[at])], float(self.scores[at]))
        label, weight = self.classes.at(int(self.labels[at])), 1.0 if self.weights is None else float(self.weights[at])
        return ClassRound(self.first + at, examples[at], said, label, bool(self.changed[at]), weight, self.origin)

    def __iter__(self) -> Iterator[ClassRound]:
        return (self[k] for k in range(len(self)))

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


class _Predictor(Protocol):
    """What a learner of many classes can do beside learning."""

    @property
    def n(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def classes(self) -> tuple[ClassLabel, ...]: ...

    def predict(self, x: object, /) -> ClassPrediction: ...

    def predict_many(self, X: object, /) -> NDArray[Any]: ...

    def score_many(self, X: object, /) -> NDArray[np.float64]: ...


class ClassHypothesis:
    """What a learner of many classes believed at one moment. It predicts, and never changes.

    >>> import thresher as th
    >>> learner = th.MulticlassPerceptron(2, classes=["oak", "fir"])
    >>> frozen = learner.hypothesis()
    >>> _ = learner.learn([0, 1], "fir")
    >>> frozen.predict([0, 1]).label, learner.predict([0, 1]).label
    ('oak', 'fir')
    """

    def __init__(self, learner: _Predictor) -> None:
        self._learner = learner  # a copy, which nobody else has

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""
        return self._learner.n

    @property
    def rounds(self) -> int:
        """How many rounds led to it."""
        return self._learner.rounds

    @property
    def classes(self) -> tuple[ClassLabel, ...]:
        """The classes that it knows, in order of appearance."""
        return self._learner.classes

    def predict(self, x: object) -> ClassPrediction:
        """The class with the largest score; None where there is none."""
        return self._learner.predict(x)

    def predict_many(self, X: object) -> NDArray[Any]:
        """The classes predicted for many examples, one a row."""
        return self._learner.predict_many(X)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The scores of many examples: rows × classes."""
        return self._learner.score_many(X)

    def __repr__(self) -> str:
        return f"<hypothesis of {self._learner!r}>"
