"""The standard optimal algorithm: say what leaves the part of the larger Littlestone dimension (Littlestone 1988)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thresher import bounds
from thresher.bounds import Bound
from thresher.classes import littlestone
from thresher.classes.learner import ClassLearner, Parts
from thresher.classes.littlestone import Littlestone, as_int
from thresher.classes.named import as_class
from thresher.protocol import Prediction

__all__ = ["Optimal", "definition"]


def definition(concepts: Sequence[Sequence[int]], rounds: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The algorithm as on the blackboard: yields the prediction, 0 or 1, and how many concepts are left."""
    left = list(concepts)
    for x, y in rounds:
        one = [concept for concept in left if concept[x] == 1]
        zero = [concept for concept in left if concept[x] == 0]
        prediction = 1 if littlestone.definition(one) >= littlestone.definition(zero) else 0
        left = one if y == 1 else zero
        yield prediction, len(left)


class Optimal(ClassLearner):
    r"""Predicts the label whose concepts, of those that fit all examples so far, have the larger Littlestone dimension;
    +1 where they are equal.

    The score is the difference of the dimensions (−1 for no concept). They are exact, which takes exponential time: for small
    classes, up to 4,096 concepts and as many kinds of examples; and some of these are given up, after 2^24 splits.

    Guarantee
    ---------
    On every stream that some concept of C fits::

        mistakes ≤ Ldim(C) ≤ ⌊lg|C|⌋            th.bounds.optimal

    because the two parts cannot both have the dimension of the whole: with a mistake it falls. No learner without coins can
    promise less: `thresher.adversaries.Shattering` makes every one err so often.

    >>> import thresher as th
    >>> singletons = [[int(i == j) for j in range(100)] for i in range(100)]
    >>> th.Optimal(singletons).dimension, th.Halving(singletons).proven.at_most, th.Consistent(singletons).proven.at_most
    (1, 6, 99)
    """

    def __init__(self, concepts: object) -> None:
        self._solver = Littlestone(as_class(concepts))  # before the limit for all learners, which is larger
        super().__init__(self._solver.concepts)
        self._dimension = self._solver.dimension(self._solver.everything)

    @property
    def dimension(self) -> int:
        """The Littlestone dimension of the class."""
        return self._dimension

    def _prediction(self, parts: Parts) -> Prediction:
        plus, minus = (self._solver.dimension(as_int(part.bits)) for part in (parts.plus, parts.minus))
        difference = plus - minus
        return Prediction(+1 if difference >= 0 else -1, float(difference))

    @property
    def proven(self) -> Bound:
        """As many mistakes at most as the Littlestone dimension."""
        return bounds.optimal(self._dimension)
