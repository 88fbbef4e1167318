"""Weighted majority (Littlestone and Warmuth 1994): experts vote by weight, and a wrong one keeps a part β of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from thresher.experts.majority import WeighingMajority, beta_below_one

__all__ = ["WeightedMajority", "definition"]


def definition(n: int, rounds: Iterable[tuple[Sequence[int], int]], beta: float = 0.5) -> Iterator[tuple[int, float]]:
    """The algorithm as on the blackboard: yields the prediction, 0 or 1, and the share of the weight that is wrong."""
    w = [1.0] * n
    for advice, y in rounds:
        q1 = sum(weight for weight, said in zip(w, advice, strict=True) if said == 1)
        q0 = sum(weight for weight, said in zip(w, advice, strict=True) if said == 0)
        yield int(q1 > q0), (q0 if y == 1 else q1) / (q0 + q1)
        w = [weight * (beta if said != y else 1) for weight, said in zip(w, advice, strict=True)]


class WeightedMajority(WeighingMajority):
    r"""Weighted majority over n experts: says what the larger weight says, minus where both weigh the same.

    An expert that has been wrong L times has the weight β^L. The mistakes are kept as whole numbers and the weights follow from
    them, so that no number of rounds makes them drift; where the two sides are too near for doubles to tell, whole numbers
    decide.

    ``beta=0`` drops an expert at its first mistake: it is Halving over the experts, and needs one that never errs
    (`NotRealizable` names the round in which there is none left). `th.bounds.beta_for` gives the β for a known number of
    mistakes of the best expert.

    Guarantee
    ---------
    On every stream, where some expert makes m mistakes::

        M ≤ (m ln(1/β) + ln n)/ln(2/(1 + β))       th.bounds.weighted_majority

    A round's `loss` is the share of the weight that was wrong, and `p_positive` the share that says plus. The theorem is
    silent from the first round on in which an expert sleeps.

    >>> import thresher as th
    >>> learner = th.WeightedMajority(3)
    >>> learner.learn([0, 1, 1], 1).mistake, learner.learn([1, 0, 1], 0).mistake, learner.predict([1, 1, 0]).label
    (False, True, 1)
    >>> learner.expert_mistakes.tolist(), learner.weights.round(3).tolist()
    ([2, 0, 1], [0.143, 0.571, 0.286])
    """

    _KIND: ClassVar[str] = "weighted"
    _GIVEN: ClassVar[tuple[str, ...]] = ("n", "beta")

    def __init__(self, n: int, *, beta: float = 0.5) -> None:
        super().__init__(n, beta_below_one(beta), 0)
