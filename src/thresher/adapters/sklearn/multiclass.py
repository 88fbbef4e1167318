"""A classifier that learns all classes together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thresher.adapters.sklearn.classes import Classes
from thresher.adapters.sklearn.classifier import ClassWeight, WeightedClassifier
from thresher.adapters.sklearn.courses import Together

__all__ = ["MulticlassPerceptronClassifier"]


class MulticlassPerceptronClassifier(WeightedClassifier):
    """`th.MulticlassPerceptron` as a classifier: on a mistake the right class and the predicted one move, and no other.

    The parameters are those of `PerceptronClassifier`; comparators are such as `th.ClassSeparator`, whose classes are places in
    `classes_`. Also of two classes each has its weights, and `coef_` is their difference.

    >>> from sklearn.datasets import load_digits
    >>> from thresher.adapters.sklearn import MulticlassPerceptronClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> classifier = MulticlassPerceptronClassifier().fit(X[:1500], y[:1500])
    >>> classifier.mistakes_, classifier.coef_.shape, classifier.predict(X[1500:1504]), y[1500:1504]
    (268, (10, 64), array([1, 7, 4, 6]), array([1, 7, 4, 6]))
    """

    def __init__(
        self,
        *,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _begin(self, n: int, classes: Classes) -> Together:
        return Together(n, self.bias, classes, self.comparators)
