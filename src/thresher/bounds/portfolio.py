"""A portfolio's theorems: lanes vote by the weights of a rule for losses, the master, and no coin is tossed.

A wrong lane loses what the round costs, 1 unless examples have weights or labels have costs. L is the sum of the weights on
wrong lanes, each times the round's cost: the loss of the master's mixture. `rounding` is what float64 may cost beside it
(docs/rounding.md).
"""

from __future__ import annotations

from thresher.bounds.arguments import not_negative
from thresher.bounds.bound import Bound, Theorem

__all__ = ["portfolio_loss", "portfolio_mistakes"]

_PORTFOLIO = "the rounds are a portfolio's, which votes by its master's weights, from its first round on"
_LOSS = Theorem("Portfolio, loss", "L ≤ L* + regret", "the master's theorem, on lanes as experts")
_MISTAKES = Theorem("Portfolio, mistakes", "M ≤ 2L", "a wrong vote has half of the weight on wrong lanes")


def portfolio_loss(best: float, *, regret: float, rounding: float = 0.0) -> Bound:
    """L ≤ L* + regret: the weight on wrong lanes is at most what any lane lost and what the master proves of its regret.

    `best` is what the lane lost, the best one if the bound is to be small: its mistakes, where every round costs 1.

    >>> portfolio_loss(118, regret=30.5).value
    148.5
    """
    not_negative(best=best, regret=regret, rounding=rounding)
    assumes = (_PORTFOLIO, "the master's regret to that lane is at most so much")
    return Bound(best + regret + rounding, "loss", _LOSS, assumes)


def portfolio_mistakes(loss: float, *, weighted: bool = False, rounding: float = 0.0) -> Bound:
    """M ≤ 2L: a vote says what at least half of the weight says, so if it is wrong, half of the weight is on wrong lanes.

    If rounds do not all cost 1, M is the cost of the mistakes (`weighted`). With `portfolio_loss`, M ≤ 2(L* + regret).

    Attained: two lanes of equal weight, of which one is right.

    >>> portfolio_mistakes(10.5).at_most, portfolio_mistakes(10.5, weighted=True).on
    (21, 'weighted mistakes')
    """
    not_negative(loss=loss, rounding=rounding)
    on = "weighted mistakes" if weighted else "mistakes"
    return Bound(2 * loss + rounding, on, _MISTAKES, (_PORTFOLIO, "L is the weight on wrong lanes, summed"))
