"""Portfolios of the default lanes under a master that is named in a word, as commands and classifiers have them."""

from __future__ import annotations

from collections.abc import Callable

from thresher.compose.lanes import default_lanes
from thresher.compose.portfolio import Portfolio
from thresher.errors import ParameterError
from thresher.experts import AdaHedge, FixedShare
from thresher.experts.rule import LossRule
from thresher.parameters import attributes

__all__ = ["MASTERS", "named_portfolio"]

#: The rules by which a portfolio may weigh its lanes, by their names. Losses are as large as the largest cost, and a rate is
#: to 1 over that as it is to losses up to 1.
MASTERS: dict[str, Callable[[int, float], LossRule]] = {
    "adahedge": lambda lanes, _cost: AdaHedge(lanes),
    "fixed-share": lambda lanes, cost: FixedShare(lanes, eta=1.0 / max(1.0, cost), alpha=0.001),
}


def named_portfolio(n: int, *, master: str = "adahedge", cost_positive: float = 1.0, bias: float | None = None) -> Portfolio:
    """A portfolio of the default lanes.

    >>> named_portfolio(10, master="fixed-share")
    <Portfolio of 13 lanes over n = 10 under FixedShare(n=13, eta=1.0, alpha=0.001), after 0 rounds>
    """
    if master not in list(MASTERS):
        raise ParameterError(f"found master = {master!r}, expected one of {', '.join(MASTERS)}")
    lanes = default_lanes(1, bias)
    return Portfolio.of_kinds(attributes(n), lanes, MASTERS[master](len(lanes), cost_positive), cost_positive=cost_positive)
