"""The averaged Perceptron (Freund and Schapire 1999): a Perceptron that predicts by the average of all it ever believed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import LARGEST_STATE, AveragedPerceptronRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.linear.perceptron import TIES
from thresher.parameters import attributes, number_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AveragedPerceptron", "definition"]

_MOST_ROUNDS = 2.0**62

if TYPE_CHECKING:  # the definition runs on exact fractions, too
    from fractions import Fraction

    Number = float | Fraction


def definition(
    n: int, stream: Iterable[tuple[Sequence[Number], int]], normalize: bool = False, bias: Number | None = None, tie: int = 1
) -> Iterator[tuple[Number, int, list[Number]]]:
    """The algorithm as on the blackboard: yields score, prediction and the last weights w after each round."""
    w: list[Number] = [0] * (n + (bias is not None))
    total: list[Number] = list(w)
    for t, (x, y) in enumerate(stream, start=1):
        z = [*x, bias] if bias is not None else list(x)
        norm = sum(v * v for v in z) ** 0.5 if normalize else 1
        total = [si + wi for si, wi in zip(total, w, strict=True)]
        score, last = (sum(vi * zi for vi, zi in zip(v, z, strict=True)) / norm for v in (total, w))
        if (1 if last > 0 else -1 if last < 0 else tie) != y:
            w = [wi + y * zi / norm for wi, zi in zip(w, z, strict=True)]
        yield score / t, 1 if score > 0 else -1 if score < 0 else tie, w


class AveragedPerceptron(LinearLearner):
    r"""The averaged Perceptron over n attributes.

    A Perceptron runs inside: it predicts the sign of w·x, and on a mistake of its own it moves, w ← w + y·x. What is said
    outside is the sign of the average's score, w̄·x with w̄ = (w₁ + … + wₜ)/t, where wₛ are the weights before round s.
    The average is not kept: it is w less a lag that is divided by t, and both change in active slots only.

    - ``normalize`` scales each example to ‖x‖₂ = 1 first; a zero vector is then refused.
    - ``bias`` appends an attribute of that value to each example (before normalising), whose weight is `bias_weight`.
    - ``tie`` is what a score of 0 predicts, to the Perceptron inside and outside: "plus", "minus" or "mistake".

    `weights` and `bias_weight` are the average's; `last_weights` are w. An example's weight scales its step; a round of weight
    0 takes none, but is one of those that are averaged.

    Guarantee
    ---------
    None on the average's own mistakes. `updates` are the mistakes of the Perceptron inside, so that all its theorems bound
    them (`th.bounds.perceptron_separable` and the others). If examples are drawn at random, independently, a vote of all
    those Perceptrons errs with at most twice their average chance (Freund and Schapire 1999; `th.bounds.random_stop` has
    that chance); the average stands for the vote, and nothing is proven of it.

    >>> import thresher as th
    >>> learner = th.AveragedPerceptron(2)
    >>> for t in range(10):
    ...     _ = learner.learn([1, 0.1], -1)
    >>> learner.learn([1, 0], +1).mistake           # noise: the Perceptron inside is brought to a tie
    True
    >>> learner.last_weights[0], learner.predict([1, 0]).label
    (np.float64(0.0), -1)
    """

    _PLANES = ("weights", "lag")
    _HEADS = ("bias_weight", "bias_lag", "age")

    def __init__(self, n: int, *, normalize: bool = False, bias: float | None = None, tie: str = "plus") -> None:
        if tie not in list(TIES):
            raise ParameterError(f"found tie = {tie!r}, expected one of {', '.join(TIES)}")
        super().__init__(attributes(n), AveragedPerceptronRule(bool(normalize), number_or_none("bias", bias), TIES[tie]))

    @property
    def weights(self) -> NDArray[np.float64]:
        """The average of the weights before each round, the next one included: a fresh read-only array of length n."""
        planes, heads = self._state()
        average: NDArray[np.float64] = planes["weights"] - planes["lag"] / (heads["age"] + 1.0)
        average.flags.writeable = False
        return average

    @property
    def bias_weight(self) -> float:
        """The average's weight of the appended attribute; 0 where there is none."""
        heads = self._state()[1]
        return heads["bias_weight"] - heads["bias_lag"] / (heads["age"] + 1.0)

    @property
    def last_weights(self) -> NDArray[np.float64]:
        """The weights of the Perceptron inside, now."""
        return self._state()[0]["weights"]

    def _arguments(self) -> Parameters:
        rule = self._rule(AveragedPerceptronRule)
        tie = next(name for name, label in TIES.items() if label == rule.tie)
        return {"n": self.n, "normalize": rule.normalize, "bias": rule.bias, "tie": tie}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        if impossible := super()._impossible(planes, heads):
            return impossible
        lag, bias_lag = planes["lag"], heads["bias_lag"]
        if not within(lag, LARGEST_STATE * _MOST_ROUNDS) or not abs(bias_lag) <= LARGEST_STATE * _MOST_ROUNDS:
            return "the state's lags are not all finite numbers that learning can reach"
        if heads["updates"] == 0 and (lag.any() or bias_lag != 0.0):
            return "found lags other than 0 in a learner that never moved"
        if self.rule.bias is None and bias_lag != 0.0:
            return f"found a bias lag of {bias_lag} in a learner without a bias"
        if heads["age"] != heads["rounds"]:
            return f"found an age of {heads['age']} after {heads['rounds']} rounds"
        return ""
