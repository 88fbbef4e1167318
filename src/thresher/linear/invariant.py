"""The invariant rule: normalised adaptive gradient steps, for attributes of any scale, known beforehand or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import LARGEST_VALUE, InvariantRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.parameters import attributes, number, number_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Invariant", "definition", "risen"]

_LARGEST_RATE = 2.0**20
_LARGEST_SQUARE = 2.0**713  # 2^63 gradients of 2^250, squared, with a weight of 2^150
_LARGEST_PART = 2.0**200  # of a score, by one attribute
_LARGEST_WEIGHT = 2.0**150
_SLACK = 2.0  # a lane's sums are float32: many small weights are rounded away, of one sum sooner than of the other


def definition(
    n: int, stream: Iterable[tuple[Sequence[float], int]], rate: float = 1.0, bias: float | None = None
) -> Iterator[tuple[float, int, list[float]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round."""
    size, t, total = n + (bias is not None), 0, 0.0
    w, squares, scales = [0.0] * size, [0.0] * size, [0.0] * size
    for x, y in stream:
        z = [*x, bias] if bias is not None else list(x)
        w = [wi * si / abs(zi) if abs(zi) > si else wi for wi, si, zi in zip(w, scales, z, strict=True)]
        scales = [max(si, abs(zi)) for si, zi in zip(scales, z, strict=True)]
        score = sum(wi * zi for wi, zi in zip(w, z, strict=True))
        if y * score < 3:
            t, total = t + 1, total + sum((zi / si) ** 2 for zi, si in zip(z, scales, strict=True) if si)
            pull = 1 / (1 + exp(y * score))
            squares = [q + (pull * zi) ** 2 for q, zi in zip(squares, z, strict=True)]
            r = [sqrt(t / total) / (si * sqrt(q)) if q else 0.0 for si, q in zip(scales, squares, strict=True)]
            if reach := sum(zi * zi * ri for zi, ri in zip(z, r, strict=True)):
                u = risen(y * score, rate * reach) / reach
                w = [wi + u * y * zi * ri for wi, zi, ri in zip(w, z, r, strict=True)]
        yield score, 1 if score >= 0 else -1, w


def risen(m: float, a: float) -> float:
    """How far a margin rises from m on a way of length a, pulled by p = 1/(1 + e^m) at first, and by less as it rises.

    Pulled by 1/(1 + e^margin) wherever it is, it would rise by the d with d + e^(m+d) − e^m = a, which is
    p·d + q·(e^d − 1) = p·a with q = 1 − p. With d + d²/2 for e^d − 1, or without p·d, the left side is less, so the root is
    larger: ours is the lesser of these two, and at most 1.3 times that d.

    >>> round(risen(0.0, 1.0), 6), round(risen(-30.0, 1.0), 6)     # one pull of 1/2 that falls, and one of 1
    (0.44949, 1.0)
    """
    p = 1 / (1 + exp(m))
    b, q = p * a, p * exp(m)
    return min(2 * b / (1 + sqrt(1 + 2 * q * b)), log((q + b) / p) - m)


class Invariant(LinearLearner):
    r"""A normalised, adaptive, importance-invariant gradient rule for the logistic loss over n attributes.

    Of each attribute it knows the largest size that it has met, sᵢ, and the sum of its squared gradients, Gᵢ; of all, T, the
    rounds, and N, the sum of (xᵢ/sᵢ)² over all attributes and rounds. In a round it first raises each sᵢ to |xᵢ| where that is
    larger, with wᵢ ← wᵢ·sᵢ/|xᵢ|, and adds to N; it predicts the sign of w·x (0 is +1), p = 1/(1 + e^(y·(w·x))) is how hard the
    example pulls, and then::

        Gᵢ ← Gᵢ + (pxᵢ)²        wᵢ ← wᵢ + u·y·xᵢ·rᵢ        rᵢ = √(T/N)/(sᵢ√Gᵢ)

    - ``rate`` is above 0 and at most 2^20.
    - ``bias`` appends an attribute of that value to each example.

    Multiply an attribute by any number, in all examples: every prediction stays the same. `p_positive` is 1/(1 + e^(−w·x)).

    With u = rate·p this is NAG, normalised adaptive gradient (Ross, Mineiro and Langford 2013), which Vowpal Wabbit's default
    descends from. Infinitely many small steps on the same line, the pull falling as the margin rises, would come to another u
    (Karampatziakis and Langford 2011): with R = Σ xᵢ²rᵢ the margin m rises by the d with d + e^(m+d) − e^m = rate·R, and
    u = d/R. So a long step does not overshoot. An example of weight c has rate·c there, and adds c times as much to T, N and G.

    Ours: instead of that d the lesser of two numbers that are had without finding a root, at most 1.3 times as large: with
    b = rate·R·p and q = 1 − p they are 2b/(1 + √(1 + 2qb)) and ln((q + b)/p) − m; `predict` changes nothing, and gives the
    score of x clipped to the sizes met, which is what rescaling first comes to; from a margin of 3 on nothing changes but the
    sizes, so a round counts in T and N only below that; values below 2^−250 in size are not met; √(T/N) is at most 2^32; and
    the default rate of 1, chosen by one pass over five data sets and six generated streams: from 0.7 to 2 little differs, but
    where the concept drifts larger is better.

    Guarantee
    ---------
    None is claimed. NAG's regret bound is about the plain step, and against an adversary who may choose the scales but not when
    they become known.

    >>> import thresher as th
    >>> metres, millimetres = th.Invariant(2, bias=1.0), th.Invariant(2, bias=1.0)
    >>> for t in range(40):
    ...     height, age = 1.5 + t % 5 / 10, t % 7
    ...     _ = metres.learn([height, age], +1 if height > 1.7 else -1)
    ...     _ = millimetres.learn([1024 * height, age], +1 if height > 1.7 else -1)
    >>> metres.mistakes == millimetres.mistakes, metres.predict([1.9, 3]) == millimetres.predict([1.9 * 1024, 3])
    (True, True)
    """

    _PLANES = ("weights", "squares", "scales")
    _HEADS = ("bias_weight", "bias_square", "total", "normalizer")
    _PROVEN = False

    def __init__(self, n: int, *, rate: float = 1.0, bias: float | None = None) -> None:
        step = number("rate", rate, "a number above 0")
        if not 0.0 < step <= _LARGEST_RATE:
            raise ParameterError(f"found rate = {rate!r}, expected a number above 0 and at most 2^20")
        super().__init__(attributes(n), InvariantRule(step, number_or_none("bias", bias)))

    @property
    def scales(self) -> NDArray[np.float64]:
        """The largest size that each attribute has met; 0 where none. A read-only array of length n."""
        return self._state()[0]["scales"]

    def _lean(self) -> NDArray[np.float64]:
        return self.weights * self.scales

    def _arguments(self) -> Parameters:
        rule = self._rule(InvariantRule)
        return {"n": self.n, "rate": rule.rate, "bias": rule.bias}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        if impossible := super()._impossible(planes, heads) or _impossible_slots(planes):
            return impossible
        weight, square, bias = heads["bias_weight"], heads["bias_square"], self.rule.bias or 0.0
        total, normalizer = heads["total"], heads["normalizer"]
        if not 0.0 <= square <= _LARGEST_SQUARE or (square == 0.0 and weight != 0.0) or (square != 0.0 and bias == 0.0):
            return f"found a bias weight of {weight} with a square of {square} and a bias of {bias}"
        if not abs(weight * bias) <= _LARGEST_PART:
            return f"found a bias weight of {weight} for a bias of {bias}, beyond what learning can reach"
        if not 0.0 <= total <= _LARGEST_WEIGHT * heads["rounds"] or not 0.0 <= normalizer <= total * (heads["n"] + 1) * _SLACK:
            return f"found a total of {total} and a normalizer of {normalizer} after {heads['rounds']} rounds"
        return ""


def _impossible_slots(planes: Planes) -> str:
    weights, squares, scales = planes["weights"], planes["squares"], planes["scales"]
    if not within(squares, _LARGEST_SQUARE, 0.0):
        return "the state's squares are not all numbers that learning can reach"
    if not within(scales, LARGEST_VALUE, 0.0) or ((scales > 0.0) & (scales < 1.0 / LARGEST_VALUE)).any():
        return "the state's scales are not all 0 or numbers from 2^-250 to 2^250"
    if ((scales == 0.0) & (squares != 0.0)).any() or ((squares == 0.0) & (weights != 0.0)).any():
        return "found a gradient where no value was met, or a weight other than 0 where no gradient was"
    if not within(weights * scales, _LARGEST_PART):
        return "the state's weights are not all within what values of their scales can lead to"
    return ""
