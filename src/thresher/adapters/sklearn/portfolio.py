"""A classifier of many learners at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.adapters.sklearn.classifier import BinaryLearnerClassifier, ClassWeight, WeightedClassifier
from thresher.compose import Portfolio
from thresher.compose.named_portfolio import named_portfolio
from thresher.ledger import BestLane

__all__ = ["PortfolioClassifier"]


class PortfolioClassifier(WeightedClassifier, BinaryLearnerClassifier):
    """`th.Portfolio` as a classifier: many learners in one pass, and a vote that is provably close to the best of them.

    - ``master`` is "adahedge", or "fixed-share" for streams in which the best learner changes.
    - ``bias`` is the largest of the constant attributes that its learners get.
    - ``cost_positive`` is what a missed row of the second class costs.

    `predict` is the vote: that is what `ledger_` certifies, by `th.BestLane()` beside the ``comparators``. `predict_proba` is
    calibrated as rounds come, and `decision_function` is the combined score, which it grows with; on few rows they may be on
    another side than the vote. For more than two classes each class has a portfolio, and `th.OneVersusRest` says the rest.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher.adapters.sklearn import PortfolioClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> classifier = PortfolioClassifier().fit(X, y)
    >>> classifier.mistakes_ <= 2 * classifier.learner_.loss, str(classifier.ledger_.certificates()[0].verdict)
    (True, 'certified')
    """

    _ALWAYS = (BestLane(),)

    def __init__(
        self,
        *,
        master: str = "adahedge",
        cost_positive: float = 1.0,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        comparators: Sequence[Any] = (),
    ) -> None:
        self.master = master
        self.cost_positive = cost_positive
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.comparators = comparators

    def _learner(self, n: int) -> Portfolio:
        return named_portfolio(n, master=self.master, cost_positive=self.cost_positive, bias=self.bias)

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """The calibrated chance of each class, one row a row."""
        return self._chances(X)

    def predict_log_proba(self, X: object) -> NDArray[np.float64]:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self._chances(X))
