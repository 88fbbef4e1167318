"""What every classifier does: rows and labels are read as scikit-learn wants it, and a learner learns them in one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher.adapters.sklearn.classes import Classes, Codes, labels
from thresher.adapters.sklearn.courses import Course, EachClass, Pair
from thresher.adapters.sklearn.rows import any_negative, readable
from thresher.adapters.sklearn.weights import class_weights, sample_weights
from thresher.compose import Portfolio
from thresher.errors import ExampleError, LabelError, ParameterError
from thresher.ledger import Ledger
from thresher.linear import LinearLearner

__all__ = ["BinaryLearnerClassifier", "ClassWeight", "OnlineClassifier", "WeightedClassifier"]

#: A weight for each class; "balanced"; or None, where all weigh 1.
ClassWeight = Mapping[Any, float] | str | None


class OnlineClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A learner of Thresher's as a classifier of scikit-learn's.

    `learner_` is the learner, and `mistakes_` counts the rounds in which what it predicted, before it was told the label, was
    wrong.
    """

    #: Whether values below 0 are refused; and what to do where values are refused that scikit-learn's own would take.
    _NOT_NEGATIVE: ClassVar[bool] = False
    _REMEDY: ClassVar[str] = ""

    passes: int
    class_weight: ClassWeight = None
    n_features_in_: int
    _course: Course

    @abstractmethod
    def _begin(self, n: int, classes: Classes) -> Course:
        """What learns these classes of rows with n attributes, and others if they are still to come."""

    # ---- learning -------------------------------------------------------------------------------------------------------

    def _fit(self, X: object, y: object, sample_weight: object) -> Self:
        if hasattr(self, "_course"):
            del self._course  # a fit that fails leaves nothing behind that could be taken for its result
        rows, given = self._read(X, y, reset=True)
        classes = Classes.of(given)
        if len(classes) < 2:
            raise ValueError(
                f"found one class, {classes.sorted.tolist()!r}, expected two or more classes in y; partial_fit learns a stream "
                "whose other classes are still to come"
            )
        weights = sample_weights(sample_weight, len(given))
        if weights is not None and not weights.any():
            raise ValueError("found zero for every sample_weight, expected one above 0")
        course, codes = self._begin(rows.shape[1], classes), classes.read(given)[1]
        for _ in range(self._checked_passes()):
            self._learn(course, classes, rows, codes, weights)
        self._course = course
        return self

    def _partial_fit(self, X: object, y: object, classes: object, sample_weight: object) -> Self:
        first = not hasattr(self, "_course")
        rows, given = self._read(X, y, reset=first)
        if first:
            before = Classes.none() if classes is None else _named(classes)
        else:
            before = self._course.classes
            _check_same(before, classes)
        seen, codes = before.read(given)
        weights = sample_weights(sample_weight, len(given))
        course = self._begin(rows.shape[1], before) if first else self._course
        try:
            self._learn(course, seen, rows, codes, weights)
        finally:
            if course.learner.rounds:
                self._course = course
        return self

    def _checked_passes(self) -> int:
        if isinstance(self.passes, bool) or not isinstance(self.passes, Integral) or self.passes < 1:
            raise ParameterError(f"found passes = {self.passes!r}, expected a whole number of at least 1")
        return int(self.passes)

    def _learn(self, course: Course, classes: Classes, rows: Any, codes: Codes, weights: NDArray[np.float64] | None) -> None:
        by_class = class_weights(self.class_weight, classes, codes, course.counts)
        both = by_class if weights is None else weights if by_class is None else weights * by_class
        with self._refusing(rows):
            course.learn(rows, codes, both, classes)

    def _read(self, X: object, y: object, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        rows = self._rows(X, reset=reset)
        return rows, labels(y, rows, type(self).__name__)

    def _rows(self, X: object, *, reset: bool = False) -> Any:
        """The rows as the core reads them, without a copy where they are so already. The core itself refuses NaN.

        Where nothing is to be made or compared, nothing is asked of scikit-learn: that takes longer than small batches do.
        """
        if readable(X) and not hasattr(self, "feature_names_in_") and (reset or X.shape[1] == self.n_features_in_):
            self.n_features_in_ = X.shape[1]
            return X
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
        )

    @contextmanager
    def _refusing(self, rows: Any) -> Iterator[None]:
        """A row that is refused is told of in the words by which users of scikit-learn know it."""
        try:
            yield
        except LabelError:
            raise
        except ExampleError as error:
            told = str(error)
            if "found nan" in told:
                told = f"Input X contains NaN: {told}"
            elif "found inf" in told or "found -inf" in told:
                told = f"Input X contains infinity: {told}"
            elif self._NOT_NEGATIVE and any_negative(rows):
                told = f"Negative values in data passed to {type(self).__name__}: {told}"
            if self._REMEDY and any(words in told for words in ("expected a number from", "expected 0 or 1")):
                told = f"{told}; {self._REMEDY}"
            raise ExampleError(told, row=error.row, column=error.column, rounds=error.rounds) from error

    # ---- what it learned ------------------------------------------------------------------------------------------------

    def predict(self, X: object) -> NDArray[Any]:
        """The class of each row."""
        rows = self._asked(X)
        with self._refusing(rows):
            return self.classes_[self._course.predict(rows)]

    def decision_function(self, X: object) -> NDArray[np.float64]:
        """For two classes a score a row, above 0 where `predict` says the second; for more a score for each class."""
        rows = self._asked(X)
        with self._refusing(rows):
            return self._course.decide(rows)

    def _chances(self, X: object) -> NDArray[np.float64]:
        rows = self._asked(X)
        with self._refusing(rows):
            return self._course.chances(rows)

    def _asked(self, X: object) -> Any:
        check_is_fitted(self)
        return self._rows(X)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted; while classes may still come, those so far."""
        return self._course.classes.sorted

    @property
    def learner_(self) -> Any:
        """The learner itself; for many classes it knows them by codes, in the order in which they came."""
        return self._course.learner

    @property
    def mistakes_(self) -> int:
        """In how many rounds the prediction, made before the label was shown, was wrong."""
        return int(self._course.learner.mistakes)

    @property
    def ledger_(self) -> Ledger:
        """What happened in all rounds, held against what is proven.

        Of two classes that were known beforehand the second is +1; else the rounds have codes for classes: places in `classes_`
        if these were known beforehand, and otherwise in the order in which they came.
        """
        return self._course.ledger

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights: one row for two classes, else one for each class. Computed when it is asked for."""
        return self._course.lines()[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """What is added to X @ coef_.T."""
        return self._course.lines()[1]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_course")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._NOT_NEGATIVE
        return tags


class BinaryLearnerClassifier(OnlineClassifier):
    """A learner of two labels as a classifier. The classifiers say in `_learner` which one.

    Two classes that are known beforehand (all of `y` in `fit`, `classes` in the first `partial_fit`) are learned by one
    learner; more, or classes that are still to come, by a `th.OneVersusRest` of such learners.
    """

    #: What a ledger of two classes always has.
    _ALWAYS: ClassVar[Sequence[Any]] = ()

    comparators: Sequence[Any]

    @abstractmethod
    def _learner(self, n: int) -> LinearLearner | Portfolio:
        """A fresh learner over n attributes."""

    def _begin(self, n: int, classes: Classes) -> Course:
        if len(classes) == 2 and not classes.open:
            return Pair(self._learner(n), classes, (*self._ALWAYS, *self.comparators))
        return EachClass(self._learner(n), classes, self.comparators)


class WeightedClassifier(OnlineClassifier):
    """A classifier whose examples may have weights: `sample_weight`, times that of `class_weight`."""

    def fit(self, X: object, y: object, sample_weight: ArrayLike | None = None) -> Self:
        """A fresh learner, one pass over the rows in the order given (`passes` of them): nothing is shuffled."""
        return self._fit(X, y, sample_weight)

    def partial_fit(
        self, X: object, y: object, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """One round a row, after those before. Rows in batches come to the same as all at once, bit for bit.

        `classes` in the first call names all there will be. Without it, which scikit-learn's own do not allow, classes may come
        at any time, and `classes_` grows. At a row that is refused, all rows before it are learned, and `.row` of the error
        says which it is.
        """
        return self._partial_fit(X, y, classes, sample_weight)


def _named(classes: object) -> Classes:
    """The classes of a first call."""
    array = np.asarray(classes)
    if array.ndim != 1 or len(named := Classes.of(array)) < 2:
        raise ValueError(f"found classes = {classes!r}, expected two or more classes, or None where they are still to come")
    return named


def _check_same(before: Classes, classes: object) -> None:
    if classes is None or (not before.open and np.array_equal(before.sorted, np.asarray(classes))):
        return
    if before.open or not np.array_equal(before.sorted, np.unique(np.asarray(classes))):
        known = "the first call had none" if before.open else f"the first call had {before.sorted.tolist()!r}"
        raise ValueError(f"found `classes={classes!r}` that is not the same as on the first call to partial_fit: {known}")
