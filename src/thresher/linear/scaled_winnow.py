"""Winnow for any values: scaled to [0, 1] as they come, with attributes of their own for what lies below 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import LARGEST_VALUE, ScaledWinnowRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.parameters import attributes, number, number_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ScaledWinnow", "definition"]

_LOWEST, _HIGHEST = 2.0**-200, 2.0**300
_LARGEST_FACTOR = 2.0**20


def definition(
    n: int, stream: Iterable[tuple[Sequence[float], int]], times: float = 1.0, factor: float = 2.0, bias: float | None = None
) -> Iterator[tuple[float, int, list[float]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round, those below 0 behind."""
    w, scale, threshold = [1.0] * (2 * n + (bias is not None)), 0.0, 0.0
    for x, y in stream:
        scale = max(scale, *(abs(xi) for xi in x))
        u = [max(0.0, side * xi) / scale if xi else 0.0 for side in (+1, -1) for xi in x] + [1.0] * (bias is not None)
        threshold = threshold or times * sum(u)
        score = sum(wi * ui for wi, ui in zip(w, u, strict=True)) / threshold - 1 if threshold else 0.0
        prediction = 1 if score >= 0 else -1
        if prediction != y:
            w = [wi * (1 + (factor - 1) * ui) ** y for wi, ui in zip(w, u, strict=True)]
        yield score, prediction, w


class ScaledWinnow(LinearLearner):
    r"""Winnow over n attributes of any values, which need no threshold and no scaling beforehand.

    An attribute is two: one for values above 0 and one for values below. Each sees u = |x|/s, s the largest size of any value
    so far, this example's included. It predicts +1 where w·u ≥ θ, and on a mistake::

        wᵢ ← wᵢ·(1 + (factor − 1)·uᵢ)^y

    which is Winnow's own step where u is 1. All weights are 1 at first; θ is `times` the sum of u over the first example that
    has any, so nothing has to be known of the stream.

    - ``times`` is from 2^−20 to 2^20.
    - ``factor`` is above 1 and at most 2^20. Large ones suit concepts that drift.
    - ``bias``, where it is not None, appends an attribute that is always 1.

    The score is w·u/θ − 1. An example of weight c has factor^c instead. A weight stays between 2^−200 and 2^300.

    Guarantee
    ---------
    None is claimed: the scale may move while it learns. `th.Winnow`, for values from 0 to 1, has one.

    >>> import thresher as th
    >>> learner = th.ScaledWinnow(4)
    >>> rows = [[700, 0, 0, 350], [0, 700, 350, 0], [700, 700, 0, 0], [0, 0, 700, 350]]
    >>> rounds = learner.learn_many(rows * 5, [1, -1, 1, -1] * 5)
    >>> learner.mistakes, learner.predict([700, 0, 0, 700]).label, learner.predict([0, 700, 0, 0]).label
    (1, 1, -1)
    """

    _PLANES = ("weights", "below")
    _HEADS = ("bias_weight", "threshold", "scale")
    _PROVEN = False

    def __init__(self, n: int, *, times: float = 1.0, factor: float = 2.0, bias: float | None = None) -> None:
        share, step = number("times", times, "a number above 0"), number("factor", factor, "a number above 1")
        if not 2.0**-20 <= share <= 2.0**20:
            raise ParameterError(f"found times = {times!r}, expected a number from 2^-20 to 2^20")
        if not 1.0 < step <= _LARGEST_FACTOR:
            raise ParameterError(f"found factor = {factor!r}, expected a number above 1 and at most 2^20")
        super().__init__(attributes(n), ScaledWinnowRule(share, step, number_or_none("bias", bias)))

    @property
    def below(self) -> NDArray[np.float64]:
        """The weights of values below 0: a fresh read-only array of length n."""
        return self._state()[0]["below"]

    def _lean(self) -> NDArray[np.float64]:
        return np.log(self.weights)

    def _arguments(self) -> Parameters:
        rule = self._rule(ScaledWinnowRule)
        return {"n": self.n, "times": rule.times, "factor": rule.factor, "bias": rule.bias}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        bias_weight, threshold, scale = heads["bias_weight"], heads["threshold"], heads["scale"]
        if not all(within(planes[name], _HIGHEST, _LOWEST) for name in self._PLANES) or not _LOWEST <= bias_weight <= _HIGHEST:
            return "the state's weights are not all from 2^-200 to 2^300"
        moved = (planes["weights"] != 1.0).any() or (planes["below"] != 1.0).any()
        if (heads["updates"] == 0 and (moved or bias_weight != 1.0)) or (moved and scale == 0.0):
            return "found weights other than 1 in a learner that never moved, or met no value"
        if self.rule.bias is None and bias_weight != 1.0:
            return f"found a bias weight of {bias_weight} in a learner without a bias"
        reached = threshold == 0.0 or 2.0**-21 <= threshold <= 2.0**20 * (heads["n"] + 1)  # a sum is at least 1
        if not reached or not 0.0 <= scale <= LARGEST_VALUE:
            return f"found a threshold of {threshold} and a scale of {scale}, beyond what learning can reach"
        if (heads["rounds"] == 0 and (threshold, scale) != (0.0, 0.0)) or (threshold == 0.0 and heads["updates"] > 0):
            return f"found a threshold of {threshold} and a scale of {scale} after {heads['rounds']} rounds"
        return ""
