"""Improved majority (Vovk 1990; Cesa-Bianchi and others 1997): a better chance than the share of the weight."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar

from thresher.experts.majority import WeighingMajority, beta_below_one, seed_of

__all__ = ["CHANCES", "ImprovedMajority", "definition", "linear", "mean", "vovk"]


def linear(r: float, beta: float) -> float:
    """The chance that `ImprovedMajority` takes: a straight line through (1/2, 1/2), between 0 and 1.

    Its slope is that of both limits at r = 1/2, so that it lies between them.

    >>> round(linear(2 / 3, 0.5), 6)
    0.693114
    """
    z = (1 - beta) / 2
    c = (1 + beta) * -math.log1p(-z) / (4 * z)
    return min(1.0, max(0.0, 0.5 + (r - 0.5) / (2 * c)))


def mean(r: float, beta: float) -> float:
    """The middle of the limits between which the chance may lie, cut to 0 and 1.

    >>> round(mean(2 / 3, 0.5), 6)
    0.693915
    """
    down, up = _logs(r, beta)
    bottom = 2 * math.log(2 / (1 + beta))
    return min(1.0, max(0.0, 0.5 + (up - down) / (2 * bottom))) if 0 < r < 1 or beta > 0 else r


def vovk(r: float, beta: float) -> float:
    """Vovk's chance: the two logarithms' shares of their sum.

    >>> round(vovk(2 / 3, 0.5), 6)
    0.689817
    """
    down, up = _logs(r, beta)
    return down / (down + up) if 0 < r < 1 or beta > 0 else r


def _logs(r: float, beta: float) -> tuple[float, float]:
    """ln(1 − r + rβ), by which the weight falls if minus is right, and ln(r + (1 − r)β), if plus is."""
    if beta == 0 and not 0 < r < 1:
        return 0.0, 0.0
    return math.log(1 - r + r * beta), math.log(r + (1 - r) * beta)


#: The chances that satisfy the theorem, by name.
CHANCES: dict[str, Callable[[float, float], float]] = {"linear": linear, "mean": mean, "vovk": vovk}


def definition(
    n: int, rounds: Iterable[tuple[Sequence[int], int]], beta: float = 0.5, chance: Callable[[float, float], float] = linear
) -> Iterator[tuple[float, float]]:
    """The algorithm as on the blackboard: yields the chance to say 1, and the chance of a mistake."""
    w = [1.0] * n
    for advice, y in rounds:
        r = sum(weight for weight, said in zip(w, advice, strict=True) if said == 1) / sum(w)
        p = chance(r, beta)
        yield p, 1 - p if y == 1 else p
        w = [weight * (beta if said != y else 1) for weight, said in zip(w, advice, strict=True)]


class ImprovedMajority(WeighingMajority):
    r"""Improved majority over n experts: half the bound of the weighted majority, for every β.

    Where a share r of the weight says plus, it says plus with the chance p = ½ + (r − ½)/(2c), cut to 0 and 1, with
    c = (1 + β) ln(2/(1 + β))/(2(1 − β)): surer than r where the experts agree. Any chance between
    1 + ln(r + (1 − r)β)/(2 ln(2/(1 + β))) and −ln(1 − r + rβ)/(2 ln(2/(1 + β))) would do; `mean` and `vovk` beside this class
    are two others.

    The coin of round t is a function of the seed and t (Philox4x32-10). `p_positive` is p, and a round's `loss` the chance of
    a mistake. ``beta=0`` needs an expert that never errs.

    Guarantee
    ---------
    On every stream, whatever the coins, where some expert makes m mistakes and L is the sum of the losses::

        L ≤ (m ln(1/β) + ln n)/(2 ln(2/(1 + β)))            th.bounds.improved_majority
        L ≤ m + √(K ln n) + lg n/2                          th.bounds.improved_majority_tuned, β from a known K ≥ m

    The theorems are silent from the first round on in which an expert sleeps.

    >>> import thresher as th
    >>> learner = th.ImprovedMajority(3)
    >>> round(learner.predict([0, 1, 1]).p_positive, 4), round(learner.learn([0, 1, 1], 1).loss, 4)
    (0.6931, 0.3069)
    """

    _KIND: ClassVar[str] = "improved"
    _GIVEN: ClassVar[tuple[str, ...]] = ("n", "beta", "seed")

    def __init__(self, n: int, *, beta: float = 0.5, seed: int = 0) -> None:
        super().__init__(n, beta_below_one(beta), seed_of(seed))

    @property
    def seed(self) -> int:
        """What the coins are drawn from."""
        return self.rule.seed
