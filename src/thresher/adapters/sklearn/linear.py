"""A classifier for every linear learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from thresher.adapters.sklearn.classifier import BinaryLearnerClassifier, ClassWeight, WeightedClassifier
from thresher.linear import (
    AROW,
    AdaGrad,
    AveragedPerceptron,
    BalancedWinnow,
    Elimination,
    Invariant,
    LiteralWinnow,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    ScaledWinnow,
    Winnow,
)

__all__ = [
    "AROWClassifier",
    "AdaGradClassifier",
    "AveragedPerceptronClassifier",
    "BalancedWinnowClassifier",
    "EliminationClassifier",
    "InvariantClassifier",
    "LiteralWinnowClassifier",
    "MarginPerceptronClassifier",
    "PNormPerceptronClassifier",
    "PassiveAggressiveClassifier",
    "PerceptronClassifier",
    "ScaledWinnowClassifier",
    "WinnowClassifier",
]


class PerceptronClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.Perceptron` as a classifier.

    - ``normalize`` scales each row to norm 1 first.
    - ``bias`` is the value of the constant attribute that rows get; None for none.
    - ``passes`` is how often `fit` goes through the rows.
    - ``class_weight`` is None, a weight for each class, or "balanced": row t has weight t/(kₜ·cₜ), where kₜ counts the classes
      and cₜ the rows of its class among the rows up to it. Weights other than 1 void the theorems.
    - ``comparators`` are those of `ledger_`, such as `th.Separator(u)`; the second class is +1.

    All classifiers have the last three, and all but the Winnows and Elimination a bias.

    >>> from thresher.adapters.sklearn import PerceptronClassifier
    >>> classifier = PerceptronClassifier().fit([[2.0, 0.1], [0.1, 2.0], [1.9, 0.3], [0.2, 1.8]], ["ham", "spam"] * 2)
    >>> classifier.predict([[3.0, 0.0]]), classifier.mistakes_, classifier.coef_, classifier.intercept_
    (array(['ham'], dtype='<U4'), 2, array([[-1.9,  1.9]]), array([0.]))
    """

    def __init__(
        self,
        *,
        normalize: bool = False,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.normalize = normalize
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> Perceptron:
        return Perceptron(n, normalize=self.normalize, bias=self.bias)


class AveragedPerceptronClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.AveragedPerceptron` as a classifier: the average of a Perceptron's weights predicts, and is `coef_`."""

    def __init__(
        self,
        *,
        normalize: bool = False,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.normalize = normalize
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> AveragedPerceptron:
        return AveragedPerceptron(n, normalize=self.normalize, bias=self.bias)


class PNormPerceptronClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.PNormPerceptron` as a classifier; ``p`` None means 2 ln n."""

    def __init__(
        self,
        *,
        p: float | None = None,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.p = p
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> PNormPerceptron:
        return PNormPerceptron(n, p=self.p, bias=self.bias)


class MarginPerceptronClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.MarginPerceptron` as a classifier. Rows are scaled to norm 1; ``margin`` None means that it is found as rows come."""

    def __init__(
        self,
        *,
        margin: float | None = None,
        epsilon: float = 0.5,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.margin = margin
        self.epsilon = epsilon
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> MarginPerceptron:
        return MarginPerceptron(n, self.margin, epsilon=self.epsilon, bias=self.bias)


class PassiveAggressiveClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.PassiveAggressive` (PA-I) as a classifier; ``C`` is the most that a step is along a row."""

    def __init__(
        self,
        *,
        C: float = 1.0,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.C = C
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> PassiveAggressive:
        return PassiveAggressive(n, C=self.C, bias=self.bias)


class WinnowClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.Winnow` as a classifier, for values from 0 to 1: others are refused, and `ScaledWinnowClassifier` takes them.

    ``threshold`` None means the number of attributes. There is no bias: the threshold does that work.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import Binarizer
    >>> from thresher.adapters.sklearn import WinnowClassifier
    >>> counts, y = [[3, 0, 0, 1], [0, 2, 0, 0], [4, 1, 0, 0], [0, 0, 5, 1]] * 5, [True, False, True, False] * 5
    >>> make_pipeline(Binarizer(), WinnowClassifier()).fit(counts, y).predict([[9, 9, 0, 0], [0, 9, 9, 0]])
    array([ True, False])
    """

    _NOT_NEGATIVE = True
    _REMEDY = "ScaledWinnowClassifier takes any values, or scale them, as with Binarizer or MaxAbsScaler"

    def __init__(
        self,
        *,
        threshold: float | None = None,
        factor: float = 2.0,
        strict: bool = False,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.threshold = threshold
        self.factor = factor
        self.strict = strict
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> Winnow:
        return Winnow(n, threshold=self.threshold, factor=self.factor, strict=self.strict)


class LiteralWinnowClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.LiteralWinnow` as a classifier: Winnow over (x, 1 − x), for values from 0 to 1."""

    _NOT_NEGATIVE = True
    _REMEDY = "scale the values, as with Binarizer or MinMaxScaler(clip=True)"

    def __init__(
        self,
        *,
        threshold: float | None = None,
        factor: float = 2.0,
        strict: bool = False,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.threshold = threshold
        self.factor = factor
        self.strict = strict
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> LiteralWinnow:
        return LiteralWinnow(n, threshold=self.threshold, factor=self.factor, strict=self.strict)


class ScaledWinnowClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.ScaledWinnow` as a classifier: Winnow for any values. Those below 0 have weights apart, so there is no `coef_`."""

    def __init__(
        self,
        *,
        times: float = 1.0,
        factor: float = 2.0,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.times = times
        self.factor = factor
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> ScaledWinnow:
        return ScaledWinnow(n, times=self.times, factor=self.factor, bias=self.bias)


class BalancedWinnowClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.BalancedWinnow` as a classifier, for values from −1 to 1: others are refused; scale them (`MaxAbsScaler`)."""

    _REMEDY = "scale the values, as with MaxAbsScaler(clip=True)"

    def __init__(
        self,
        *,
        eta: float = 0.1,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.eta = eta
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> BalancedWinnow:
        return BalancedWinnow(n, eta=self.eta, bias=self.bias)


class EliminationClassifier(BinaryLearnerClassifier):
    """`th.Elimination` as a classifier, for values 0 and 1. A version space knows no weights, so there are none."""

    _NOT_NEGATIVE = True
    _REMEDY = "make them 0 and 1, as with Binarizer"

    def __init__(self, *, monotone: bool = False, passes: int = 1, comparators: Sequence[Any] = ()) -> None:
        self.monotone = monotone
        self.passes = passes
        self.comparators = comparators

    def _learner(self, n: int) -> Elimination:
        return Elimination(n, monotone=self.monotone)

    def fit(self, X: object, y: object) -> Self:
        """A fresh learner, one pass over the rows in the order given (`passes` of them): nothing is shuffled."""
        return self._fit(X, y, None)

    def partial_fit(self, X: object, y: object, classes: object = None) -> Self:
        """One round a row, after those before, as the other classifiers do it."""
        return self._partial_fit(X, y, classes, None)


class AROWClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.AROW` as a classifier; a larger ``r`` trusts an example less."""

    def __init__(
        self,
        *,
        r: float = 1.0,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.r = r
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> AROW:
        return AROW(n, r=self.r, bias=self.bias)


class AdaGradClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.AdaGrad` as a classifier, with `predict_proba` where the ``loss`` is "logistic"."""

    def __init__(
        self,
        *,
        loss: str = "logistic",
        rate: float = 0.3,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.loss = loss
        self.rate = rate
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> AdaGrad:
        return AdaGrad(n, loss=self.loss, rate=self.rate, bias=self.bias)

    def _has_chances(self) -> bool:
        return self.loss == "logistic"

    @available_if(_has_chances)
    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """The chance of each class, one row a row."""
        return self._chances(X)

    @available_if(_has_chances)
    def predict_log_proba(self, X: object) -> NDArray[np.float64]:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self._chances(X))


class InvariantClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.Invariant` as a classifier: for attributes of any scale, with `predict_proba`.

    Values beyond the largest that it has met count as that one, so beyond them `coef_` is not all of the decision.
    """

    def __init__(
        self,
        *,
        rate: float = 1.0,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.rate = rate
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> Invariant:
        return Invariant(n, rate=self.rate, bias=self.bias)

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """The chance of each class, one row a row."""
        return self._chances(X)

    def predict_log_proba(self, X: object) -> NDArray[np.float64]:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self._chances(X))
