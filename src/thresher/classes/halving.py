"""Halving: say what most of the concepts say that fit all examples so far (Angluin 1988; Littlestone 1988)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thresher import bounds
from thresher.bounds import Bound
from thresher.classes.learner import ClassLearner, Parts
from thresher.protocol import Prediction

__all__ = ["Halving", "definition"]


def definition(concepts: Sequence[Sequence[int]], rounds: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The algorithm as on the blackboard: yields the prediction, 0 or 1, and how many concepts are left."""
    left = list(concepts)
    for x, y in rounds:
        one = [concept for concept in left if concept[x] == 1]
        zero = [concept for concept in left if concept[x] == 0]
        prediction = 0 if len(zero) > len(one) else 1
        left = one if y == 1 else zero
        yield prediction, len(left)


class Halving(ClassLearner):
    r"""Predicts what the majority says of the concepts of a finite class that fit all examples so far; +1 where they are equal.

    The score is how many more say +1 than −1, and `p_positive` the share of those that say +1. It is the weighted majority at
    β = 0 with the concepts as experts, but for ties.

    Guarantee
    ---------
    On every stream that some concept of C fits::

        mistakes ≤ ⌊lg|C|⌋                      th.bounds.halving

    because with a mistake at least half of the concepts go. Attained: by all functions of k points, k mistakes. The optimal
    number is the Littlestone dimension (`Optimal`), which may be far smaller.

    >>> import thresher as th
    >>> from thresher.classes import Disjunctions
    >>> learner = th.Halving(Disjunctions(20))
    >>> played = learner.learn({3, 7}, 0)
    >>> played.mistake, learner.left, learner.proven.at_most
    (True, 262144, 20)
    """

    def _prediction(self, parts: Parts) -> Prediction:
        whole, plus, minus = (part.size for part in parts)
        return Prediction(+1 if plus >= minus else -1, float(plus - minus), plus / whole)

    @property
    def proven(self) -> Bound:
        """⌊lg|C|⌋ mistakes at most."""
        return bounds.halving(self._concepts.size)
