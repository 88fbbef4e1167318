"""Which learners' scores are w·x + b, with which w and b: what other libraries can take over of a learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.errors import ParameterError
from thresher.linear import (
    AROW,
    AdaGrad,
    AveragedPerceptron,
    BalancedWinnow,
    Constant,
    Elimination,
    LinearLearner,
    LiteralWinnow,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    Winnow,
)

__all__ = ["Affine", "affine", "parts_of"]


class Affine(NamedTuple):
    """The score w·x + intercept, which predicts +1 above the threshold, −1 below it, and `at_threshold` there."""

    weights: NDArray[np.float64]
    intercept: float
    threshold: float
    at_threshold: int


def affine(learner: LinearLearner) -> Affine:
    """The learner's score as a function of x, but for rounding; `ParameterError` where it is not w·x + b.

    >>> import thresher as th
    >>> learner = th.Perceptron(2, bias=2.0)
    >>> _ = learner.learn([1, 0], -1)
    >>> affine(learner)
    Affine(weights=array([-1.,  0.]), intercept=-4.0, threshold=0.0, at_threshold=1)
    """
    if type(learner) not in _PARTS or learner._arguments().get("normalize"):
        raise ParameterError(f"found {learner!r}, whose score is not w·x + b; expected one of {_EXPECTED}")
    weights, intercept, threshold = parts_of(learner)
    between = learner._predictions(np.array([threshold]))
    return Affine(weights, intercept, threshold, int(between[0]))


Parts = tuple[NDArray[np.float64], float, float]


def parts_of(learner: LinearLearner) -> Parts:
    """W, b and the threshold with which it decides about x, or about x times a number above 0, such as x scaled to norm 1."""
    return _PARTS.get(type(learner), _weighed)(learner)


def _weighed(learner: Any) -> Parts:
    bias = learner.rule.bias
    return learner.weights, 0.0 if bias is None else learner.bias_weight * bias, 0.0


def _balanced(learner: BalancedWinnow) -> Parts:
    total = learner._state()[1]["sum"]
    weights, intercept, _ = _weighed(learner)
    return weights / total, intercept / total, 0.0


def _winnow(learner: Winnow) -> Parts:
    return learner.weights, 0.0, learner._arguments()["threshold"]


def _literal_winnow(learner: LiteralWinnow) -> Parts:
    """A negation's value is 1 − x: its weight is there at x = 0, and goes as x comes."""
    negated = learner.negated_weights
    return learner.weights - negated, float(negated.sum()), learner._arguments()["threshold"]


def _elimination(learner: Elimination) -> Parts:
    """The score is a whole number: how many literals are true."""
    plain, negated = learner.left
    return plain.astype(np.float64) - negated, float(np.count_nonzero(negated)), 0.5


def _constant(learner: Constant) -> Parts:
    return learner.weights, float(learner.score_many(np.zeros((1, learner.n)))[0]), 0.0


_PARTS: Mapping[type[LinearLearner], Callable[[Any], Parts]] = {
    **dict.fromkeys((AROW, AdaGrad, AveragedPerceptron, PNormPerceptron, PassiveAggressive, Perceptron), _weighed),
    BalancedWinnow: _balanced,
    Winnow: _winnow,
    LiteralWinnow: _literal_winnow,
    Elimination: _elimination,
    Constant: _constant,
}
_EXPECTED = ", ".join(kind.__name__ for kind in _PARTS) + ", without normalize"
