"""Winnow over attributes and their negations: for disjunctions that are not monotone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import LiteralWinnowRule
from thresher.linear import winnow
from thresher.linear.learner import LinearLearner, Parameters, Planes, within
from thresher.parameters import attributes

__all__ = ["LiteralWinnow", "definition"]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thresher.linear.winnow import Number

_SUM_SLACK = 1e-6


def definition(
    n: int,
    stream: Iterable[tuple[Sequence[Number], int]],
    threshold: Number | None = None,
    factor: Number = 2.0,
    strict: bool = False,
) -> Iterator[tuple[Number, int, list[Number]]]:
    """The algorithm as on the blackboard: Winnow on (x, 1 − x)."""
    doubled = (([*x, *(1 - v for v in x)], y) for x, y in stream)
    return winnow.definition(2 * n, doubled, threshold, factor, strict)


class LiteralWinnow(LinearLearner):
    r"""Winnow on the 2n attributes (x, 1 − x), in the time of x's nonzeros alone.

    A literal is an attribute or its negation. So this learns any disjunction of literals; a conjunction is the negation
    of one, so it is learned with the labels swapped (`thresher.compose.Flipped`).

    - ``threshold`` None means 2n, the number of literals; ``factor`` and ``strict`` are Winnow's.

    A step moves nearly all negations: so they share an exponent, and the sum of their weights is kept. That sum is part
    of the definition: it decides near the threshold, and what it may be off by widens what is certified.

    Guarantee
    ---------
    Winnow's with 2n in the place of n, for r literals: `th.bounds.winnow_disjunction(r, n=2 * n, …)`.

    >>> import thresher as th
    >>> learner = th.LiteralWinnow(3)
    >>> for t in range(5):
    ...     for x in ([0, 0, 0], [1, 0, 1], [1, 1, 0], [0, 1, 1]):
    ...         _ = learner.learn(x, +1 if not x[0] else -1)
    >>> learner.predict([0, 1, 0]).label, learner.predict([1, 1, 1]).label
    (1, -1)
    """

    _PLANES = ("exponents", "negated")
    _HEADS = ("exponent", "sum", "rest", "slack", "doubt")

    def __init__(self, n: int, *, threshold: float | None = None, factor: float = 2.0, strict: bool = False) -> None:
        slots = attributes(n)
        theta = 2.0 * slots if threshold is None else threshold
        super().__init__(slots, LiteralWinnowRule(*winnow.parameters(theta, factor, strict)))

    @property
    def negated_weights(self) -> NDArray[np.float64]:
        """The weights of the negations now: a fresh read-only array of length n."""
        planes, heads = self._state()
        rule = self._rule(LiteralWinnowRule)
        with np.errstate(under="ignore"):
            weights = np.power(rule.factor, planes["negated"] + heads["exponent"])
        weights.flags.writeable = False
        return weights

    @property
    def doubt(self) -> float:
        """How far a score may ever have been off, by rounding."""
        return self._state()[1]["doubt"]

    def _on_the_blackboard(self) -> NDArray[np.float64]:
        return np.concatenate((self.weights, self.negated_weights))

    def _lean(self) -> NDArray[np.float64]:
        return self._state()[0]["exponents"]

    def _arguments(self) -> Parameters:
        rule = self._rule(LiteralWinnowRule)
        return {"n": self.n, "threshold": rule.threshold, "factor": rule.factor, "strict": rule.strict}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        rule, negated = self._rule(LiteralWinnowRule), planes["negated"]
        if not all(within(plane, rule.highest, rule.lowest) for plane in planes.values()):
            return f"the state's exponents are not all from {rule.lowest:g} to {rule.highest:g}"
        if heads["updates"] == 0 and (heads["exponent"] != 0.0 or any(plane.any() for plane in planes.values())):
            return "found exponents other than 0 in a learner that never moved"
        with np.errstate(under="ignore"):
            own = float(np.power(rule.factor, negated).sum())
        if not abs(heads["sum"] - own) <= _SUM_SLACK * own or not abs(heads["rest"]) <= 1e-10 * own:
            return f"found a kept sum of {heads['sum']} for weights whose own is {own}"
        if not abs(heads["exponent"]) < rule.far or not 0.0 <= heads["slack"] <= _SUM_SLACK * own or not heads["doubt"] >= 0.0:
            return "found an exponent, a slack or a doubt that no run of rounds can have"
        return ""
