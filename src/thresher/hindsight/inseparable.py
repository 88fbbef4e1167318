"""A proof that nothing separates the examples: rows whose signed sum, with positive coefficients, is exactly zero (Gordan).

If Σ cz = 0 with c > 0, then no u has u·z > 0 on all of these rows, for the sum of c·(u·z) is zero. Where rows are divided by
their norms, that changes c alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.hindsight.relation import MOST_TERMS, relation
from thresher.hindsight.rows import Floats, Rows, Signed
from thresher.hindsight.witness import compact

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Proof", "contradiction", "gordan"]

#: Rows, counted from 0, each with its coefficient.
Proof = tuple[tuple[int, int], ...]

_MOST_ROWS = 2000  # of the linear program
_PIVOTS, _FEWER = 2000, 100  # of its solver; the fewer if there are so many columns that a vertex is hardly of any use


def contradiction(rows: Rows) -> Proof:
    """A row of zeros, or an example that has both labels, if there is one among the rows at hand."""
    return _proven(rows, rows.signed, _opposite(rows.signed.z))


def gordan(rows: Rows, signed: Signed, alpha: Floats) -> Proof:
    """A few rows that add up to zero, if some were found; α of the dual says where to look."""
    return _proven(rows, signed, _vertex(compact(signed)[1].z, alpha))


def _proven(rows: Rows, signed: Signed, chosen: NDArray[np.intp]) -> Proof:
    """The proof with these rows, if it is one: they are read again, and reckoned with in fractions."""
    numbers = [int(number) for number in signed.rows.numbers[chosen]]
    coefficients = relation(rows.exactly(numbers)) if 0 < len(numbers) <= MOST_TERMS else []
    return tuple(zip(numbers, coefficients, strict=True)) if coefficients else ()


def _opposite(z: csr_matrix) -> NDArray[np.intp]:
    """A row of zeros, or two of which one is the other's negative: then so are their products with any vector."""
    products = z @ np.random.default_rng(0).standard_normal(z.shape[1])
    order = np.argsort(np.abs(products), kind="stable")
    first, second = products[order[:-1]], products[order[1:]]
    if len(order) and products[order[0]] == 0.0:
        return order[:1]
    pairs = np.flatnonzero(first == -second)
    return order[pairs[0] : pairs[0] + 2] if len(pairs) else order[:0]


def _vertex(z: csr_matrix, alpha: Floats) -> NDArray[np.intp]:
    """The rows with a coefficient where a linear program has Σαz = 0: a vertex has at most one more than there are columns.

    The program is given rows that are drawn with chances in proportion to α. As Σαz is nearly zero, they lie around zero, and a
    few times as many as there are columns nearly always have it in their hull; those with the largest α all lie on one side.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, vstack

    columns = z.shape[1]
    held = np.flatnonzero(alpha > 0.0)
    waits = np.random.default_rng(0).exponential(size=len(held)) / alpha[held]
    drawn = held[np.sort(np.argsort(waits, kind="stable")[: min(4 * columns + 50, _MOST_ROWS)])]
    if not len(drawn):
        return drawn
    equations = vstack([csr_matrix(z[drawn].T), csr_matrix(np.ones((1, len(drawn))))], format="csr")
    target, pivots = np.append(np.zeros(columns), 1.0), _PIVOTS if columns <= MOST_TERMS else _FEWER
    solved = linprog(np.zeros(len(drawn)), A_eq=equations, b_eq=target, method="highs-ds", options={"maxiter": pivots})
    return drawn[np.asarray(solved.x) > 1e-9] if solved.status == 0 else drawn[:0]
