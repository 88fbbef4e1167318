"""Passive-aggressive learning, PA-I (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006): as far as an example asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from thresher._core import LARGEST_STATE, PassiveAggressiveRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters
from thresher.parameters import attributes, number, number_or_none

__all__ = ["PassiveAggressive", "definition"]

_LARGEST_C = 2.0**100

if TYPE_CHECKING:  # the definition runs on exact fractions, too
    from fractions import Fraction

    Number = float | Fraction


def definition(
    n: int, stream: Iterable[tuple[Sequence[Number], int]], C: Number = 1, bias: Number | None = None
) -> Iterator[tuple[Number, int, list[Number]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round."""
    w: list[Number] = [0] * (n + (bias is not None))
    for x, y in stream:
        z = [*x, bias] if bias is not None else list(x)
        score = sum(wi * zi for wi, zi in zip(w, z, strict=True))
        loss, square = max(0, 1 - y * score), sum(v * v for v in z)
        if square > 0:
            tau = min(C, loss / square)
            w = [wi + tau * y * zi for wi, zi in zip(w, z, strict=True)]
        yield score, 1 if score >= 0 else -1, w


class PassiveAggressive(LinearLearner):
    r"""The passive-aggressive learner over n attributes, in the form called PA-I.

    It predicts the sign of w·x (0 is +1). Where the hinge loss ℓ = max(0, 1 − y·(w·x)) is 0 it is passive; else it moves,
    w ← w + τ·y·x with τ = min(C, ℓ/‖x‖²): just far enough that y·(w·x) = 1, unless C is less.

    - ``C`` is the most that a step is along an example, from 2^−100 to 2^100. The smaller, the less one noisy example can do.
    - ``bias`` appends an attribute of that value to each example, whose weight is `bias_weight`.

    A step without a mistake is a margin mistake (`Round.margin_mistake`). An example's weight scales its step: above 1 it goes
    beyond what the example asks for.

    Guarantee
    ---------
    For every u, every γ > 0 and D = Σ max(0, γ − y·(u·x)) over all rounds, R = max ‖x‖₂::

        mistakes ≤ max(R², 1/C)·((‖u‖/γ)² + 2C·D/γ)          th.bounds.passive_aggressive

    Examples of weight other than 1 void it.

    >>> import thresher as th
    >>> learner = th.PassiveAggressive(2)
    >>> learner.learn([2, 0], -1).mistake, learner.weights.tolist()
    (True, [-0.5, 0.0])
    >>> learner.learn([1, 0], -1).changed, learner.weights.tolist()      # right, but not by 1
    (True, [-1.0, 0.0])
    >>> learner.learn([3, 0], -1).changed
    False
    """

    _LARGEST = LARGEST_STATE * _LARGEST_C

    def __init__(self, n: int, *, C: float = 1.0, bias: float | None = None) -> None:
        most = number("C", C, "a number above 0")
        if not 1 / _LARGEST_C <= most <= _LARGEST_C:
            raise ParameterError(f"found C = {C!r}, expected a number above 0, from 2^-100 to 2^100")
        super().__init__(attributes(n), PassiveAggressiveRule(most, number_or_none("bias", bias)))

    def _arguments(self) -> Parameters:
        rule = self._rule(PassiveAggressiveRule)
        return {"n": self.n, "C": rule.most, "bias": rule.bias}
