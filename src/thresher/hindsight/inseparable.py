"""A proof that nothing separates the examples: rows whose signed sum, with positive coefficients, is exactly zero (Gordan).

If Σ cz = 0 with c > 0, then no u has u·z > 0 on all of these rows, for the sum of c·(u·z) is zero. Where rows are divided by
their norms, that changes c alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.hindsight.rows import Floats, Rows, Signed

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Proof", "contradiction", "gordan", "relation"]

#: Rows, counted from 0, each with its coefficient.
Proof = tuple[tuple[int, int], ...]

_MOST_ROWS = 2000  # of the linear program
_MOST_TERMS = 40  # of a sum that is computed in fractions


def contradiction(rows: Rows) -> Proof:
    """A row of zeros, or an example that has both labels, if there is one among the rows at hand."""
    return _proven(rows, rows.signed, _opposite(rows.signed.z))


def gordan(rows: Rows, signed: Signed, alpha: Floats) -> Proof:
    """A few rows that add up to zero, if some were found; α of the dual says where to look."""
    return _proven(rows, signed, _vertex(signed.z, alpha))


def _proven(rows: Rows, signed: Signed, chosen: NDArray[np.intp]) -> Proof:
    """The proof with these rows, if it is one: they are read again, and reckoned with in fractions."""
    numbers = [int(number) for number in signed.rows.numbers[chosen]]
    coefficients = relation(rows.exactly(numbers)) if 0 < len(numbers) <= _MOST_TERMS else []
    return tuple(zip(numbers, coefficients, strict=True)) if coefficients else ()


def relation(rows: Sequence[dict[int, Fraction]]) -> list[int]:
    """Positive whole coefficients with which the rows add up to zero, if there is one such relation; else none.

    By elimination: of the equations, one for each column, all but one coefficient follow from the last.

    >>> relation([{0: Fraction(1)}, {0: Fraction(-1), 1: Fraction(2)}, {1: Fraction(-1)}])
    [1, 1, 2]
    """
    k = len(rows)
    solved: dict[int, list[Fraction]] = {}
    for column in sorted(set().union(*rows)):
        equation = [row.get(column, Fraction(0)) for row in rows]
        for pivot, other in solved.items():
            if equation[pivot]:
                equation = [a - equation[pivot] * b for a, b in zip(equation, other, strict=True)]
        pivot = next((i for i, a in enumerate(equation) if a), -1)
        if pivot < 0:
            continue
        equation = [a / equation[pivot] for a in equation]
        for i, other in solved.items():
            if other[pivot]:
                solved[i] = [a - other[pivot] * b for a, b in zip(other, equation, strict=True)]
        solved[pivot] = equation
    free = [i for i in range(k) if i not in solved]
    if len(free) != 1:
        return []
    values = [-solved[i][free[0]] if i in solved else Fraction(1) for i in range(k)]
    if min(values) <= 0:
        return []
    common = math.lcm(*(value.denominator for value in values))
    whole = [int(value * common) for value in values]
    return [value // math.gcd(*whole) for value in whole]


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
    """The rows with a coefficient where a linear program has Σαz = 0: a vertex has no more of them than it needs."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, vstack

    likely = np.sort(np.argsort(-alpha, kind="stable")[:_MOST_ROWS])
    likely = likely[alpha[likely] > 0.0]
    if not len(likely):
        return likely
    equations = vstack([csr_matrix(z[likely].T), csr_matrix(np.ones((1, len(likely))))], format="csr")
    target = np.append(np.zeros(z.shape[1]), 1.0)
    solved = linprog(np.zeros(len(likely)), A_eq=equations, b_eq=target, method="highs-ds")
    return likely[np.asarray(solved.x) > 1e-9] if solved.status == 0 else likely[:0]
