"""The p-norm Perceptron (Grove, Littlestone and Schuurmans 2001; Gentile 2003): from the Perceptron, p = 2, towards Winnow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from math import copysign, log
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import LARGEST_STATE, PNormPerceptronRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.parameters import attributes, number, number_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PNormPerceptron", "definition"]

_LARGEST_P = 100.0
_SUM_SLACK = 1e-6
_LOWEST = -1000  # as in the core: the least exponent that θ is scaled by
_LEAST_SUM = 2.0**-300  # and the least sum that is kept without a sweep


def definition(
    n: int, stream: Iterable[tuple[Sequence[float], int]], p: float, bias: float | None = None
) -> Iterator[tuple[float, int, list[float]]]:
    """The algorithm as on the blackboard: yields score, prediction and θ after each round."""
    theta = [0.0] * (n + (bias is not None))
    for x, y in stream:
        z = [*x, bias] if bias is not None else list(x)
        norm = sum(abs(t) ** p for t in theta) ** (1 / p) or 1.0
        w = [copysign(abs(t) ** (p - 1) / norm ** (p - 2), t) for t in theta]
        score = sum(wi * zi for wi, zi in zip(w, z, strict=True))
        prediction = 1 if score >= 0 else -1
        if prediction != y:
            theta = [t + y * v for t, v in zip(theta, z, strict=True)]
        yield score, prediction, theta


class PNormPerceptron(LinearLearner):
    r"""The p-norm Perceptron over n attributes.

    Starts from θ = 0, and weighs by wᵢ = sgn(θᵢ)·|θᵢ|^(p−1)/‖θ‖ₚ^(p−2). On x it predicts the sign of w·x (0 is +1); on a
    mistake θ ← θ + y·x. With p = 2, w is θ and this is the Perceptron; the larger p, the more the largest |θᵢ| decide, as in
    Winnow, but for values of any size and sign.

    - ``p``, from 2 to 100; ``None`` means 2 ln n, to the nearest whole number (and at least 2): then powers are products.
    - ``bias`` appends an attribute of that value to each example.

    |θᵢ/2ᵏ|^(p−1) is kept, with a k that keeps it from overflowing; what lies 2^−1000 below the largest counts as 0.

    Guarantee
    ---------
    With 1/p + 1/q = 1 and Xₚ = max ‖x‖ₚ, for every u with margin γ = min y·(u·x) > 0::

        mistakes ≤ (p − 1)·(‖u‖_q·Xₚ/γ)²                            th.bounds.p_norm

    and for every v whatever, with H = Σ max(0, 1 − y·(v·x)) over all rounds::

        mistakes ≤ H + √(p − 1)·Xₚ‖v‖_q·√mistakes, solved            th.bounds.p_norm_hinge

    At p = 2 ln n the first is at most (2 ln n − 1)·e·(‖u‖₁X∞/γ)²: logarithmic in n, for a target of few attributes. Examples of
    weight other than 1 void both.

    >>> import thresher as th
    >>> learner = th.PNormPerceptron(1000)
    >>> learner
    PNormPerceptron(n=1000, p=14.0, bias=None)
    >>> for t in range(1, 100):
    ...     _ = learner.learn({0: 1, t: 1}, -1), learner.learn({t: 1, t + 1: 1}, +1)
    >>> learner.mistakes, th.PNormPerceptron(1000, p=2).learn({0: 1}, -1).mistake
    (3, True)
    """

    _PLANES = ("theta",)
    _HEADS = ("bias_theta", "exponent", "sum", "rest", "highest")

    def __init__(self, n: int, *, p: float | None = None, bias: float | None = None) -> None:
        size = attributes(n)
        power = max(2.0, float(round(2.0 * log(size)))) if p is None else number("p", p, "a number")
        if not 2.0 <= power <= _LARGEST_P:
            raise ParameterError(f"found p = {p!r}, expected None, or a number from 2 to 100")
        super().__init__(size, PNormPerceptronRule(power, number_or_none("bias", bias)))

    @property
    def theta(self) -> NDArray[np.float64]:
        """θ, the sum of the examples that it moved along: a read-only array of length n."""
        return self._state()[0]["theta"]

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights w now: a fresh read-only array of length n."""
        weights: NDArray[np.float64] = super().weights * self._scale()
        weights.flags.writeable = False
        return weights

    @property
    def bias_weight(self) -> float:
        """The weight of the appended attribute; 0 where there is none."""
        return super().bias_weight * self._scale()

    def _scale(self) -> float:
        """What |θᵢ/2ᵏ|^(p−1), which the core keeps, must be multiplied by to be w."""
        rule, heads = self._rule(PNormPerceptronRule), self._state()[1]
        power = math.pow(heads["sum"], -(rule.p - 2.0) / rule.p) if heads["sum"] >= _LEAST_SUM else 1.0
        return math.ldexp(power, int(heads["exponent"]))

    def _arguments(self) -> Parameters:
        rule = self._rule(PNormPerceptronRule)
        return {"n": self.n, "p": rule.p, "bias": rule.bias}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        rule, theta, bias = self._rule(PNormPerceptronRule), planes["theta"], heads["bias_theta"]
        if not within(theta, LARGEST_STATE) or not abs(bias) <= LARGEST_STATE:
            return "the state's θ are not all finite numbers that learning can reach"
        if heads["updates"] == 0 and (theta.any() or bias != 0.0):
            return "found θ other than 0 in a learner that never moved"
        if rule.bias is None and bias != 0.0:
            return f"found a θ of {bias} for the bias of a learner without one"
        return _impossible_sum(rule.p, np.append(theta, bias), heads)


def _impossible_sum(p: float, theta: NDArray[np.float64], heads: Parameters) -> str:
    """Why the kept sum is not that of these θ; nothing, if it is."""
    kept, rest, highest, exponent = heads["sum"], heads["rest"], heads["highest"], heads["exponent"]
    if not (exponent == round(exponent) and _LOWEST <= exponent <= 1000):
        return f"found an exponent of {exponent}, expected a whole number from {_LOWEST} to 1000"
    with np.errstate(under="ignore", over="ignore"):
        scaled = np.abs(theta) * 2.0**-exponent
        own = float((scaled**p).sum())
    farthest, reach = float(scaled.max()), 2.0 ** (200.0 / (p - 1.0)) * (1.0 + 1e-9)
    if not farthest <= reach:
        return f"found θ that reach {farthest} of their scale, expected at most {reach}"
    same = abs(kept - own) <= _SUM_SLACK * own + 2.0**-1000 and abs(rest) <= 1e-10 * kept
    if not (same and kept <= highest <= kept * 2.0**41):
        return f"found a kept sum of {kept}, with a rest of {rest} and {highest} at its highest, of θ whose own is {own}"
    if kept < _LEAST_SUM and exponent > _LOWEST and farthest > 0.0:
        return f"found a kept sum of {kept} where a sweep would have scaled it"
    return ""
