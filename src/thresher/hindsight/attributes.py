"""What a choice of attributes costs, and the choices that cost least: greedily, and by linear programs.

Each attribute has a price, each positive row a fine that is paid unless one of its attributes is chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.hindsight.rows import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Market", "cheapest", "fractions", "greedy"]

Slots = NDArray[np.intp]

_LARGEST_PROGRAM = 100_000  # nonzeros: HiGHS takes minutes for a few times as many
_NODES = 200  # of a search for the best whole solution: beyond, the best so far will do
_SECONDS = 5.0  # for a program whose nodes take long: what it has found by then


@dataclass(frozen=True)
class Market:
    """Rows of positive examples, the attributes that may be chosen as columns, the price of each, and the fine of a row.

    An infinite fine means that every row must be covered.
    """

    on: csr_matrix
    prices: Floats
    fine: float

    def cost(self, chosen: Slots) -> float:
        """What these columns cost with the fines."""
        left = int(np.count_nonzero(self._covers(chosen) == 0))
        return float(self.prices[chosen].sum()) + (left * self.fine if left else 0.0)

    def pruned(self, chosen: Slots) -> Slots:
        """Without those that cost no less than they save, the dearest first."""
        columns, covers = self.on.tocsc(), self._covers(chosen)
        left = set(chosen.tolist())
        for column in sorted(left, key=lambda column: (-self.prices[column], column)):
            rows = columns.indices[columns.indptr[column] : columns.indptr[column + 1]]
            alone = int(np.count_nonzero(covers[rows] == 1))
            if alone == 0 or self.prices[column] >= alone * self.fine:
                covers[rows] -= 1
                left.remove(column)
        return np.array(sorted(left), dtype=np.intp)

    def _covers(self, chosen: Slots) -> NDArray[np.int64]:
        """How many of these columns are on in each row."""
        picked = np.zeros(self.on.shape[1])
        picked[chosen] = 1.0
        return np.asarray(self.on @ picked, dtype=np.int64)


def greedy(market: Market) -> Slots:
    """Again and again the column with the most new rows for its price, as long as they are worth it.

    >>> from scipy.sparse import csr_matrix
    >>> on = csr_matrix([[1.0, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]])
    >>> greedy(Market(on, np.array([1.0, 1.0, 1.0]), fine=2.0)).tolist()
    [0, 1]
    """
    chosen: list[int] = []
    columns, bare = market.on.tocsc(), np.ones(market.on.shape[0], dtype=np.bool_)
    counts = np.diff(columns.indptr).astype(np.float64)
    while True:
        worth = (counts > 0.0) & (counts * min(market.fine, 2.0**60) > market.prices)
        if not worth.any():
            return np.array(sorted(chosen), dtype=np.intp)
        best = int(np.argmax(np.where(worth, counts / np.maximum(market.prices, 2.0**-60), -1.0)))
        chosen.append(best)
        rows = columns.indices[columns.indptr[best] : columns.indptr[best + 1]]
        new = rows[bare[rows]]
        bare[new] = False
        counts -= np.bincount(market.on[new].indices, minlength=len(counts))


def fractions(market: Market) -> tuple[Floats, float]:
    """Shares of the columns that cost least with the fines, and what no choice, of shares or of whole columns, costs less than.

    With fines y of the rows, 0 ≤ y ≤ fine, where those of a column's rows add up to no more than its price, no choice costs
    less than Σy. The solver's y are made to be such: so the answer holds whatever the solver did. Where the program is too
    large, or the solver gives up, no shares and 0.
    """
    from scipy.optimize import linprog

    rows, columns = market.on.shape
    nothing = np.zeros(columns)
    if rows == 0 or columns == 0:
        return nothing, rows * market.fine if rows else 0.0
    if market.on.nnz > _LARGEST_PROGRAM:
        return nothing, 0.0
    prices, left = _with_fines(market)
    solved = linprog(prices, A_ub=-left, b_ub=-np.ones(rows), method="highs", options={"time_limit": 2 * _SECONDS})
    if solved.status != 0 or solved.x is None:
        return nothing, 0.0
    y = np.clip(-np.asarray(solved.ineqlin.marginals, dtype=np.float64), 0.0, market.fine)
    loads = market.on.T @ y
    loaded = loads > 0.0
    share = float((market.prices[loaded] / loads[loaded]).min(initial=1.0))
    least = share * float(y.sum()) * (1 - (rows + columns + 16) * 2.0**-51)
    return np.maximum(np.asarray(solved.x[:columns], dtype=np.float64), 0.0), max(0.0, least)


def cheapest(market: Market) -> tuple[Slots, float]:
    """The best whole choice that was found, and what none costs less than: greedily, by a program, by branch and bound."""
    shares, least = fractions(market)
    best = min((market.pruned(greedy(market)), market.pruned(np.flatnonzero(shares > 0.4))), key=market.cost)
    if market.cost(best) <= least * (1 + 1e-9) or not shares.any():
        return best, least
    return min((best, market.pruned(_branched(market))), key=market.cost), least


def _branched(market: Market) -> Slots:
    from scipy.optimize import Bounds, LinearConstraint, milp

    prices, left = _with_fines(market)
    columns = len(market.prices)
    solved = milp(
        prices,
        integrality=np.append(np.ones(columns), np.zeros(len(prices) - columns)),
        bounds=Bounds(0.0, 1.0),
        constraints=LinearConstraint(left, lb=1.0),
        options={"node_limit": _NODES, "time_limit": _SECONDS},
    )
    return np.flatnonzero(np.zeros(0) if solved.x is None else np.asarray(solved.x[:columns]) > 0.5)


def _with_fines(market: Market) -> tuple[Floats, Any]:
    """What is chosen costs, a fine for each row as a column of its own; and the rows, as HiGHS takes them.

    (The types of `linprog` know dense matrices alone.)
    """
    from scipy.sparse import csr_array, eye_array, hstack

    if math.isinf(market.fine):
        return market.prices, csr_array(market.on)
    rows = market.on.shape[0]
    return np.append(market.prices, np.full(rows, market.fine)), csr_array(hstack([market.on, eye_array(rows)]))
