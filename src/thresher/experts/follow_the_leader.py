"""Follow the leader: says what the expert says that has made the fewest mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from thresher.experts.majority import MajorityLearner

__all__ = ["FollowTheLeader", "definition"]


def definition(n: int, rounds: Iterable[tuple[Sequence[int], int]]) -> Iterator[int]:
    """The algorithm as on the blackboard: yields the prediction, 0 or 1."""
    mistakes = [0] * n
    for advice, y in rounds:
        yield advice[mistakes.index(min(mistakes))]
        mistakes = [count + (said != y) for count, said in zip(mistakes, advice, strict=True)]


class FollowTheLeader(MajorityLearner):
    r"""Follow the leader over n experts: the one with the fewest mistakes so far, of several the first.

    What most people do, and what the other rules are measured against: an adversary that lets the leader err, and nobody else,
    makes it wrong in every round, while the best expert is wrong in one of n.

    Guarantee
    ---------
    On every stream, where some expert makes m mistakes::

        M ≤ n·m + n − 1                       th.bounds.follow_the_leader, and it is attained

    An expert asleep does not lead; the theorem is silent from then on.

    >>> import thresher as th
    >>> learner = th.FollowTheLeader(3)
    >>> [learner.learn(said, 1).mistake for said in ([0, 1, 1], [1, 0, 1], [1, 1, 0])], learner.expert_mistakes.tolist()
    ([True, True, True], [1, 1, 1])
    """

    _KIND: ClassVar[str] = "leader"

    def __init__(self, n: int) -> None:
        super().__init__(n, 0.5, 0)
