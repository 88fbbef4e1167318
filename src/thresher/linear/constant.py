"""The constant learners: one label, whatever comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thresher._core import ConstantRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes
from thresher.parameters import attributes

__all__ = ["Constant", "definition"]


def definition(n: int, stream: Iterable[tuple[Sequence[float], int]], label: int) -> Iterator[tuple[float, int, list[float]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round."""
    for _x, _y in stream:
        yield float(label), label, [0.0] * n


class Constant(LinearLearner):
    """Says one label of every example, and never learns.

    Among the lanes of a portfolio the two of them make it provably close to the more frequent label.

    - ``label`` is +1 or −1.

    >>> import thresher as th
    >>> learner = th.Constant(2, -1)
    >>> [learner.learn(x, y).mistake for x, y in [([1, 0], -1), ([0, 1], +1)]], learner.updates
    ([False, True], 0)
    """

    _HEADS = ()
    _PROVEN = False

    def __init__(self, n: int, label: int = +1) -> None:
        if isinstance(label, bool) or label not in (-1, 1):
            raise ParameterError(f"found label = {label!r}, expected -1 or +1")
        super().__init__(attributes(n), ConstantRule(int(label)))

    def _arguments(self) -> Parameters:
        return {"n": self.n, "label": self._rule(ConstantRule).label}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        if planes["weights"].any() or heads["updates"]:
            return "found a constant learner that has learned"
        return ""
