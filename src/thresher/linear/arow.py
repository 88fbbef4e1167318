"""AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009): rare attributes move far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import AROWRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.parameters import attributes, number, number_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AROW", "definition"]

_FARTHEST = 2.0**20  # r lies between its inverse and it
_SMALLEST_VARIANCE = 2.0**-740  # 1/s grows by at most x²·c/r a round


def definition(
    n: int, stream: Iterable[tuple[Sequence[float], int]], r: float = 1.0, bias: float | None = None
) -> Iterator[tuple[float, int, list[float]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round."""
    w, s = [0.0] * (n + (bias is not None)), [1.0] * (n + (bias is not None))
    for x, y in stream:
        z = [*x, bias] if bias is not None else list(x)
        score = sum(wi * zi for wi, zi in zip(w, z, strict=True))
        if y * score < 1:
            b = 1 / (sum(si * zi * zi for si, zi in zip(s, z, strict=True)) + r)
            w = [wi + b * (1 - y * score) * y * si * zi for wi, si, zi in zip(w, s, z, strict=True)]
            s = [si - b * si * si * zi * zi for si, zi in zip(s, z, strict=True)]
        yield score, 1 if score >= 0 else -1, w


class AROW(LinearLearner):
    r"""AROW over n attributes, with a diagonal covariance.

    Each weight wᵢ has a variance sᵢ, which is 1 at first: how far it may still move. It predicts the sign of w·x (0 is +1), and
    moves wherever y·(w·x) < 1: with v = Σ sᵢxᵢ² and b = 1/(v + r)::

        wᵢ ← wᵢ + b(1 − y·(w·x))·y·sᵢxᵢ        sᵢ ← sᵢ − b·sᵢ²xᵢ²

    which is the full matrix's step with all but the diagonal dropped.

    - ``r``, from 2^−20 to 2^20, is how little one example is trusted: the larger, the shorter the steps and the slower the
      variances shrink.
    - ``bias`` appends an attribute of that value to each example.

    An example of weight c is one whose r is r/c. No weight passes 2^463 in size.

    The default, r = 1, is the authors', and between the best on the data sets that we tried: smaller ones do better where
    examples are few and long, larger ones where labels are noisy.

    Guarantee
    ---------
    None is claimed. The mistake bound of Crammer, Kulesza and Dredze is about the full matrix, which takes n² numbers.

    >>> import thresher as th
    >>> learner = th.AROW(22)
    >>> for t in range(20):        # attribute 0 is always on, 1 tells the label, each of the others comes twice
    ...     _ = learner.learn({0, 1, t + 2}, +1), learner.learn({0, t + 2}, -1)
    >>> learner.mistakes, learner.predict({0, 1}).label
    (3, 1)
    >>> bool(learner.variances[0] < learner.variances[1] < learner.variances[7])
    True
    """

    _PLANES = ("weights", "variances")
    _HEADS = ("bias_weight", "bias_variance")
    _PROVEN = False

    def __init__(self, n: int, *, r: float = 1.0, bias: float | None = None) -> None:
        trust = number("r", r, "a number from 2^-20 to 2^20")
        if not 1.0 / _FARTHEST <= trust <= _FARTHEST:
            raise ParameterError(f"found r = {r!r}, expected a number from 2^-20 to 2^20")
        super().__init__(attributes(n), AROWRule(trust, number_or_none("bias", bias)))

    @property
    def variances(self) -> NDArray[np.float64]:
        """How far each weight may still move: 1 where it has met nothing yet. A read-only array of length n."""
        return self._state()[0]["variances"]

    def _arguments(self) -> Parameters:
        rule = self._rule(AROWRule)
        return {"n": self.n, "r": rule.r, "bias": rule.bias}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        if impossible := super()._impossible(planes, heads):
            return impossible
        variances, own = planes["variances"], heads["bias_variance"]
        least = _SMALLEST_VARIANCE if heads["updates"] > 0 else 1.0
        if not within(variances, 1.0, least) or not least <= own <= 1.0:
            return f"the state's variances are not all from {least:g} to 1, as after {heads['updates']} updates"
        if self.rule.bias is None and own != 1.0:
            return f"found a bias variance of {own} in a learner without a bias"
        return ""
