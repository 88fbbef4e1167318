"""What a classifier has learned so far: one learner for two classes, or a learner of many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher._core import Rounds
from thresher.adapters.sklearn.classes import Classes, Codes
from thresher.adapters.sklearn.lines import Line, line, zero
from thresher.class_rounds import ClassRounds
from thresher.compose import OneVersusRest, Portfolio
from thresher.errors import ExampleError, ParameterError
from thresher.ledger import Ledger
from thresher.ledger.comparators import ClassComparator, Comparator
from thresher.linear import LinearLearner, MulticlassPerceptron

__all__ = ["Course", "EachClass", "Pair", "Together"]

_SMALLEST = np.nextafter(0.0, 1.0)


class Course(Protocol):
    """A learner with its classes, in scikit-learn's terms: columns are in the order of the sorted classes."""

    classes: Classes
    #: How many rows of each class there were, by code.
    counts: NDArray[np.int64]

    ledger: Ledger

    @property
    def learner(self) -> Any: ...

    def learn(self, X: object, codes: Codes, weights: NDArray[np.float64] | None, classes: Classes) -> None:
        """One round a row; `classes` are those before, and behind them those that these rows bring.

        At a row that is refused, everything is as after the rows before it.
        """
        ...

    def predict(self, X: object) -> NDArray[np.intp]:
        """For each row the place of its class among the sorted ones."""
        ...

    def decide(self, X: object) -> NDArray[np.float64]:
        """For two classes one number a row, above 0 where it predicts the second; else one for each class."""
        ...

    def chances(self, X: object) -> NDArray[np.float64]: ...

    def lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`coef_` and `intercept_`."""
        ...


class Pair:
    """Two classes, known beforehand: one binary learner, for which the second of them is +1."""

    def __init__(self, learner: LinearLearner | Portfolio, classes: Classes, comparators: Sequence[Any]) -> None:
        self.learner, self.classes = learner, classes
        self.counts = np.zeros(2, np.int64)
        self.ledger = Ledger(*_watching(comparators, Comparator, "th.Separator, as there are two classes"))

    def learn(self, X: object, codes: Codes, weights: NDArray[np.float64] | None, classes: Classes) -> None:
        self.classes = classes  # the same: both were known
        try:
            rounds = self.learner.learn_many(X, 2 * codes.astype(np.int8, copy=False) - 1, weights)
        except ExampleError as error:
            if isinstance(error.rounds, Rounds):
                self._enter(error.rounds, codes)
            raise
        self._enter(rounds, codes)

    def _enter(self, rounds: Rounds, codes: Codes) -> None:
        self.ledger.enter(rounds)
        second = np.count_nonzero(codes[: len(rounds)])
        self.counts += (len(rounds) - second, second)

    def predict(self, X: object) -> NDArray[np.intp]:
        return (self.learner.predict_many(X) > 0).astype(np.intp)

    def decide(self, X: object) -> NDArray[np.float64]:
        scores = self.learner.score_many(X)
        if isinstance(self.learner, Portfolio):
            return scores
        decisions = scores - zero(self.learner)
        ties = decisions == 0.0
        if ties.any():  # scikit-learn takes 0 for the first class, most learners for the second
            decisions[ties] = np.where(self.learner._predictions(scores[ties]) > 0, _SMALLEST, 0.0)
        return decisions

    def chances(self, X: object) -> NDArray[np.float64]:
        second = self.learner.calibrated_many(X) if isinstance(self.learner, Portfolio) else self.learner.p_positive_many(X)
        return np.column_stack((1.0 - second, second))

    def lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        weights, intercept = _line(self.learner)
        return weights[np.newaxis], np.array([intercept])


class Many(ABC):
    """Any number of classes: a learner of many, which calls them by their labels. Scores are counted from `zero` on."""

    def __init__(
        self, learner: OneVersusRest | MulticlassPerceptron, classes: Classes, comparators: Sequence[Any], *, zero: float = 0.0
    ) -> None:
        self.learner, self.classes, self._zero = learner, classes, zero
        self.counts = np.zeros(len(classes), np.int64)
        self.ledger = Ledger(
            *_watching(comparators, ClassComparator, "th.ClassSeparator, as there may be more than two classes")
        )

    def learn(self, X: object, codes: Codes, weights: NDArray[np.float64] | None, classes: Classes) -> None:
        try:
            rounds = self.learner.learn_many(X, _called(classes)[codes], weights)
        except ExampleError as error:
            if isinstance(error.rounds, ClassRounds):
                self._enter(error.rounds, codes, classes)
            raise
        self._enter(rounds, codes, classes)

    def _enter(self, rounds: ClassRounds, codes: Codes, classes: Classes) -> None:
        self.classes = classes.first(len(self.learner.classes))  # fewer, where a row was refused before the others came
        counts = np.bincount(codes[: len(rounds)], minlength=len(self.classes))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.ledger.enter(rounds)  # last: a comparator may refuse them

    def predict(self, X: object) -> NDArray[np.intp]:
        said: NDArray[Any] = self.learner.predict_many(X)
        return np.searchsorted(self.classes.sorted, said)

    def decide(self, X: object) -> NDArray[np.float64]:
        scores = self.learner.score_many(X)
        if len(self.classes) != 2:
            decisions = scores[:, self.classes.codes] - self._zero
            said = self.classes.places[scores.argmax(axis=1)]  # among equals the class that came first is predicted
            ties = np.flatnonzero(decisions.argmax(axis=1) != said)
            decisions[ties, said[ties]] = np.nextafter(decisions[ties, said[ties]], np.inf)
            return decisions
        first, second = self.classes.codes
        decisions = scores[:, second] - scores[:, first]
        if second < first:  # among equals the class that came first is predicted
            decisions[decisions == 0.0] = _SMALLEST
        return decisions

    def chances(self, X: object) -> NDArray[np.float64]:
        if isinstance(self.learner, MulticlassPerceptron):
            raise AttributeError("a MulticlassPerceptron has no chances")
        return self.learner.p_many(X)[:, self.classes.codes]

    def lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        weights, intercepts = self._lines()
        if len(self.classes) != 2:
            return weights, intercepts
        return weights[1:] - weights[:1], intercepts[1:] - intercepts[:1]

    @abstractmethod
    def _lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A line for each class."""


class EachClass(Many):
    """A binary learner for each class, which plays it against the rest."""

    def __init__(self, learner: LinearLearner | Portfolio, classes: Classes, comparators: Sequence[Any]) -> None:
        self._each = OneVersusRest(learner, classes=_called(classes).tolist())
        super().__init__(self._each, classes, comparators, zero=zero(learner))

    def _lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        names = self._each.classes
        lines = [_line(self._each.learner(names[code])) for code in self.classes.codes.tolist()]
        return np.array([each.weights for each in lines]), np.array([each.intercept for each in lines])


class Together(Many):
    """One learner of all classes: a mistake moves the right class and the predicted one."""

    def __init__(self, n: int, bias: float | None, classes: Classes, comparators: Sequence[Any]) -> None:
        self._all = MulticlassPerceptron(n, bias=bias, classes=_called(classes).tolist())
        super().__init__(self._all, classes, comparators)

    def _lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        codes = self.classes.codes
        return self._all.weights[codes], (self._all.bias or 0.0) * self._all.bias_weights[codes]


def _called(classes: Classes) -> NDArray[Any]:
    """The labels in the order of their codes, as a learner calls them: floats, which scikit-learn takes if whole, as ints."""
    labels = classes.sorted[classes.places]
    return labels.astype(np.int64) if labels.dtype.kind == "f" else labels


def _line(learner: LinearLearner | Portfolio) -> Line:
    if isinstance(learner, Portfolio):
        raise AttributeError(_NO_LINE)
    return line(learner)


def _watching(comparators: Sequence[Any], kind: type, expected: str) -> Sequence[Any]:
    """The comparators, each of which can watch these rounds: to find out after they were learned would be too late."""
    for comparator in comparators:
        if not isinstance(comparator, kind):
            raise ParameterError(f"found the comparator {comparator!r}, expected one such as {expected}")
    return comparators


_NO_LINE = (
    "a portfolio has no weights of its own: its learners vote, and each has some; those of the best are "
    "p.learner(p.best_lane).weights, where p is learner_, or of many classes learner_.learner(label)"
)
