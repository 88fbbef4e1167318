"""Balanced Winnow, exponentiated gradient over (x, −x): multiplied weights for signed targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import LARGEST_STATE, BalancedWinnowRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.parameters import attributes, number, number_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BalancedWinnow", "definition"]

_LARGEST_RATE = 2.0**20
_SUM_SLACK = 1e-6
_ROOM = 200.0  # as in the core: how far a weight may rise above the scale before a sweep moves it


def definition(
    n: int, stream: Iterable[tuple[Sequence[float], int]], eta: float = 0.1, bias: float | None = None
) -> Iterator[tuple[float, int, list[float]]]:
    """The algorithm as on the blackboard: yields score, prediction and θ after each round."""
    theta = [0.0] * (n + (bias is not None))
    for x, y in stream:
        z = [*x, bias] if bias is not None else list(x)
        total = sum(exp(eta * t) + exp(-eta * t) for t in theta)
        score = sum((exp(eta * t) - exp(-eta * t)) * v for t, v in zip(theta, z, strict=True)) / total
        prediction = 1 if score >= 0 else -1
        if prediction != y:
            theta = [t + y * v for t, v in zip(theta, z, strict=True)]
        yield score, prediction, theta


class BalancedWinnow(LinearLearner):
    r"""Balanced Winnow over n attributes with values from −1 to 1.

    Two weights for each attribute, e^(ηθ) for x and e^(−ηθ) for −x, all over their sum: a point of the simplex. It predicts
    the sign of w·x (0 is +1); on a mistake θ ← θ + y·x, which multiplies each weight by e^(±ηyx).

    - ``eta`` is η > 0, the rate. For a margin γ the best is artanh γ; above about 2γ nothing is proven.
    - ``bias`` appends an attribute of that value, from −1 to 1.

    `weights` are the differences e^(ηθ) − e^(−ηθ), all divided by one number that keeps them from overflowing.

    Guarantee
    ---------
    For every u with ‖u‖₁ = 1 and margin γ = min y·(u·x), N = 2n (2n + 2 with a bias)::

        mistakes ≤ ln N / (ηγ − ln cosh η)                  th.bounds.balanced_winnow
        mistakes ≤ 2 ln N / γ²  with the best η             th.bounds.balanced_winnow_textbook

    >>> import thresher as th
    >>> learner = th.BalancedWinnow(100, eta=0.5)
    >>> for t in range(1, 50):
    ...     _ = learner.learn({0: 1, t: 1}, +1), learner.learn({0: -1, t: 1}, -1)
    >>> learner.mistakes, learner.predict({0: -1, 77: 1}).label
    (1, -1)
    """

    _PLANES = ("exponents",)
    _HEADS = ("bias_exponent", "offset", "sum", "rest", "highest", "farthest")

    def __init__(self, n: int, *, eta: float = 0.1, bias: float | None = None) -> None:
        rate = number("eta", eta, "a number above 0")
        if not 0.0 < rate <= _LARGEST_RATE:
            raise ParameterError(f"found eta = {eta!r}, expected a number above 0 and at most 2^20")
        super().__init__(attributes(n), BalancedWinnowRule(rate, number_or_none("bias", bias)))

    @property
    def farthest(self) -> float:
        """The largest η|θ| there ever was."""
        return self._state()[1]["farthest"]

    def _on_the_blackboard(self) -> NDArray[np.float64]:
        return self.weights / self._state()[1]["sum"]

    def _arguments(self) -> Parameters:
        rule = self._rule(BalancedWinnowRule)
        return {"n": self.n, "eta": rule.eta, "bias": rule.bias}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        rule, theta, bias = self._rule(BalancedWinnowRule), planes["exponents"], heads["bias_exponent"]
        if not within(theta, LARGEST_STATE) or not abs(bias) <= LARGEST_STATE:
            return "the state's exponents are not all finite numbers that learning can reach"
        if heads["updates"] == 0 and (theta.any() or bias != 0.0):
            return "found exponents other than 0 in a learner that never moved"
        if rule.bias is None and bias != 0.0:
            return f"found a bias exponent of {bias} in a learner without a bias"
        with np.errstate(under="ignore", over="ignore"):
            scaled = rule.eta * np.append(theta, [bias] if rule.bias is not None else [])
            own = float((np.exp(scaled - heads["offset"]) + np.exp(-scaled - heads["offset"])).sum())
        kept, rest, highest = heads["sum"], heads["rest"], heads["highest"]
        if not (abs(kept - own) <= _SUM_SLACK * own and abs(rest) <= 1e-10 * kept and 0.0 < kept <= highest <= kept * 2.0**20):
            return (
                f"found a kept sum of {kept}, with a rest of {rest} and {highest} at its highest, of weights whose own is {own}"
            )
        reach = float(np.abs(scaled).max())
        if not 0.0 <= heads["offset"] <= heads["farthest"] or not reach <= min(heads["farthest"], heads["offset"] + _ROOM):
            return f"found an offset of {heads['offset']} and {heads['farthest']} as the farthest, where weights reach {reach}"
        return ""
