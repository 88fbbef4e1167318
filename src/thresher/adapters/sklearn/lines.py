"""The weights w and the number b with which a learner decides by the sign of w·x + b."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._core import LiteralWinnowRule, WinnowRule
from thresher.adapters.affine import parts_of
from thresher.compose import Portfolio
from thresher.linear import Elimination, LinearLearner, ScaledWinnow

__all__ = ["Line", "line", "zero"]

#: Elimination says +1 where one literal or more is true.
_HALF_A_LITERAL = 0.5


class Line(NamedTuple):
    """w and b."""

    weights: NDArray[np.float64]
    intercept: float


def zero(learner: LinearLearner | Portfolio) -> float:
    """The score from which on it says +1, or above which.

    >>> import thresher as th
    >>> zero(th.Winnow(3)), zero(th.Perceptron(3))
    (3.0, 0.0)
    """
    if isinstance(learner.rule, WinnowRule | LiteralWinnowRule):
        return learner.rule.threshold
    return _HALF_A_LITERAL if isinstance(learner, Elimination) else 0.0


def line(learner: LinearLearner) -> Line:
    """W and b, so that the score is w·x + b above its `zero`, divided by the norm of x where examples are scaled to norm 1."""
    if isinstance(learner, ScaledWinnow):
        raise AttributeError(
            "ScaledWinnow has weights for values above 0 and others for values below, so no line decides: see learner_.weights "
            "and learner_.below"
        )
    weights, intercept, threshold = parts_of(learner)
    return Line(weights, intercept - threshold)
