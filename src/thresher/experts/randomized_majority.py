"""Randomised majority (Littlestone and Warmuth 1994): says what an expert says that is drawn by weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from thresher.experts.majority import WeighingMajority, beta_below_one, seed_of

__all__ = ["RandomizedMajority", "definition"]


def definition(n: int, rounds: Iterable[tuple[Sequence[int], int]], beta: float = 0.5) -> Iterator[tuple[float, float]]:
    """The algorithm as on the blackboard: yields the chance to say 1, and the chance of a mistake."""
    w = [1.0] * n
    for advice, y in rounds:
        p = sum(weight for weight, said in zip(w, advice, strict=True) if said == 1) / sum(w)
        yield p, 1 - p if y == 1 else p
        w = [weight * (beta if said != y else 1) for weight, said in zip(w, advice, strict=True)]


class RandomizedMajority(WeighingMajority):
    r"""Randomised majority over n experts: says plus with a chance that is the share of the weight that says plus.

    The coin of round t is a function of the seed and t (Philox4x32-10), so that `predict` is pure and a replay gives the same
    rounds. `p_positive` is the chance of plus, and a round's `loss` the chance of a mistake: the share that was wrong.

    ``beta=None`` is for when nothing is known of the best expert: phase j, from 0 on, plays with the β of `th.bounds.beta_for`
    for K = 4^j ln n mistakes, from equal weights, and ends when its best expert has made more than K. ``beta=0`` needs an
    expert that never errs.

    Guarantee
    ---------
    On every stream, whatever the coins, where some expert makes m mistakes and L is the sum of the losses::

        L ≤ (m ln(1/β) + ln n)/(1 − β)                                        th.bounds.randomized_majority
        L ≤ m + 4√(2m ln n) + (2 + √2 + max(0, lg(m/ln n))/2)·ln n            th.bounds.doubling, with beta=None

    The mistakes themselves are chance: `th.bounds.realised_mistakes` says how far they stray, if whoever chooses the outcomes
    does not know the coin of the round. The theorems are silent from the first round on in which an expert sleeps.

    >>> import thresher as th
    >>> learner = th.RandomizedMajority(3)
    >>> round(learner.predict([0, 1, 1]).p_positive, 3), round(learner.learn([0, 1, 1], 1).loss, 3)
    (0.667, 0.333)
    >>> learner.learn([1, 0, 1], 0).loss                        # 3/5 of the weight was wrong
    0.6
    """

    _KIND: ClassVar[str] = "randomized"
    _GIVEN: ClassVar[tuple[str, ...]] = ("n", "beta", "seed")

    def __init__(self, n: int, *, beta: float | None = 0.5, seed: int = 0) -> None:
        super().__init__(n, None if beta is None else beta_below_one(beta), seed_of(seed))

    @property
    def seed(self) -> int:
        """What the coins are drawn from."""
        return self.rule.seed
