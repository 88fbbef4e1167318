"""Winnow (Littlestone 1988): weights that are multiplied, for targets with few relevant attributes among many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import WinnowRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.parameters import attributes, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Winnow", "definition", "parameters"]

if TYPE_CHECKING:  # the definition runs on exact fractions, too
    from fractions import Fraction

    Number = float | Fraction

_LARGEST_THRESHOLD = 2.0**64
_LARGEST_FACTOR = 2.0**20


def definition(
    n: int,
    stream: Iterable[tuple[Sequence[Number], int]],
    threshold: Number | None = None,
    factor: Number = 2.0,
    strict: bool = False,
) -> Iterator[tuple[Number, int, list[Number]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round."""
    theta = n if threshold is None else threshold
    w: list[Number] = [1] * n
    for x, y in stream:
        score = sum(wi * xi for wi, xi in zip(w, x, strict=True))
        prediction = 1 if score > theta or (score == theta and not strict) else -1
        if prediction != y:
            w = [wi * factor ** (y * xi) for wi, xi in zip(w, x, strict=True)]
        yield score, prediction, w


def parameters(threshold: object, factor: object, strict: object) -> tuple[float, float, bool]:
    """The parameters of any Winnow, checked.

    >>> parameters(8, 2, False)
    (8.0, 2.0, False)
    """
    theta, alpha = number("threshold", threshold, "a number of at least 1"), number("factor", factor, "a number above 1")
    if not 1.0 <= theta <= _LARGEST_THRESHOLD:
        raise ParameterError(f"found threshold = {threshold!r}, expected None, or a number from 1 to 2^64")
    if not 1.0 < alpha <= _LARGEST_FACTOR:
        raise ParameterError(f"found factor = {factor!r}, expected a number above 1 and at most 2^20")
    return theta, alpha, bool(strict)


class Winnow(LinearLearner):
    r"""Winnow over n attributes with values from 0 to 1.

    Starts from w = (1, …, 1). On x it predicts +1 where w·x ≥ θ; on a mistake it multiplies the weights of what is on: by
    the factor, to the power x, where it missed a positive example (a promotion), by its inverse where it took a negative
    one for positive (a demotion).

    - ``threshold`` is θ ≥ 1; ``None`` means n.
    - ``factor`` is what a weight is multiplied or divided by, above 1.
    - ``strict`` predicts +1 only where w·x > θ.

    The example without attributes is −1 for ever. A weight is factor^e, e kept, and never falls below 2^−200: it can always
    come back. On binary examples e is whole, and decisions are exact: where w·x is too near θ for float64 to tell, whole
    numbers decide, and the score is moved to the side of θ that is right. Two names in one slot count as the larger
    value, not as their sum.

    Guarantee
    ---------
    For a disjunction of r attributes, binary examples, with k the promotions that a weight can take, r < n (Littlestone 1988,
    sharpened)::

        mistakes < αn/((α−1)θ) + r[(1+α)k − α^(k+1)/((α−1)θ)]      th.bounds.winnow_disjunction

    and for any set of r attributes, with A the attributes that would have to change (`th.Disjunction`)::

        mistakes < αn/((α−1)θ) + (1+α)(rk + A)                     th.bounds.winnow_agnostic

    Fractional covers and linear thresholds: `th.Cover`, `th.Threshold`.

    >>> import thresher as th
    >>> learner = th.Winnow(1000)
    >>> for t in range(12):
    ...     _ = learner.learn({"colour=orange", f"orchard={t}"}, +1), learner.learn({"colour=green", f"orchard={t}"}, -1)
    >>> learner.mistakes, learner.predict({"colour=orange"}).label
    (10, 1)
    """

    _PLANES = ("exponents",)
    _HEADS = ("whole",)

    def __init__(self, n: int, *, threshold: float | None = None, factor: float = 2.0, strict: bool = False) -> None:
        slots = attributes(n)
        super().__init__(slots, WinnowRule(*parameters(float(slots) if threshold is None else threshold, factor, strict)))

    def _lean(self) -> NDArray[np.float64]:
        return self._state()[0]["exponents"]

    def _arguments(self) -> Parameters:
        rule = self._rule(WinnowRule)
        return {"n": self.n, "threshold": rule.threshold, "factor": rule.factor, "strict": rule.strict}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        rule, exponents = self._rule(WinnowRule), planes["exponents"]
        if not within(exponents, rule.highest, rule.lowest):
            return f"the state's exponents are not all from {rule.lowest:g} to {rule.highest:g}"
        if heads["updates"] == 0 and exponents.any():
            return "found exponents other than 0 in a learner that never moved"
        if heads["whole"] not in (0.0, 1.0) or (heads["whole"] == 1.0 and (exponents % 1.0).any()):
            return "found exponents that are not whole, in a learner that says they are"
        return ""
