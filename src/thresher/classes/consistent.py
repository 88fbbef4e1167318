"""Consistent: say what the first concept says that fits all examples so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thresher import bounds
from thresher.bounds import Bound
from thresher.classes.bits import first, has
from thresher.classes.concepts import Concept
from thresher.classes.learner import ClassLearner, Parts
from thresher.protocol import Prediction

__all__ = ["Consistent", "definition"]


def definition(concepts: Sequence[Sequence[int]], rounds: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The algorithm as on the blackboard: yields the prediction, 0 or 1, and how many concepts are left."""
    left = list(concepts)
    for x, y in rounds:
        prediction = left[0][x]
        left = [concept for concept in left if concept[x] == y]
        yield prediction, len(left)


class Consistent(ClassLearner):
    r"""Predicts with the first concept of a finite class that fits all examples so far: any one that fits would do.

    Its `hypothesis()` is that concept, in words where it is printed.

    Guarantee
    ---------
    On every stream that some concept of C fits::

        mistakes ≤ |C| − 1                      th.bounds.consistent

    because a mistake is the end of the concept that made it. Attained: by the points one after the other, where each concept is
    +1 on one of them. `Halving` promises ⌊lg|C|⌋.

    >>> import thresher as th
    >>> from thresher.classes import Disjunctions
    >>> learner = th.Consistent(Disjunctions(3))
    >>> [learner.learn(x, y).mistake for x, y in [([1, 1, 0], 1), ([1, 0, 0], 0), ([0, 0, 1], 0)]]
    [True, True, False]
    >>> learner.left, learner.hypothesis()
    (1, Concept(x1))
    """

    def _prediction(self, parts: Parts) -> Prediction:
        label = +1 if has(parts.plus.bits, first(parts.whole.bits)) else -1
        return Prediction(label, float(label))

    @property
    def proven(self) -> Bound:
        """|C| − 1 mistakes at most."""
        return bounds.consistent(self._concepts.size)

    def hypothesis(self) -> Concept:
        """The first concept that fits all examples so far."""
        return self._concepts.concept(first(self.fitting))
