"""Whole coefficients with which some rows add up to zero, exactly: a system of equations, solved modulo a prime and lifted.

Fractions in an elimination grow with every step. Here there are none (Dixon 1982): with the inverse C of the system B modulo p,
the digit C·r mod p of the residual r is that of the solution in base p, and r − B·digit is divisible by p. As many digits as
Cramer's and Hadamard's bounds ask for give the solution, whose common denominator is found by Euclid's algorithm. What comes
out is then added up, in whole numbers: so nothing here has to be trusted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_TERMS", "relation"]

Whole = NDArray[np.int64]

#: Rows of a relation that are reckoned with: of more it takes minutes.
MOST_TERMS = 400

_BITS = 26
_PRIME = 2**26 - 5  # products of two digits, and sums of 2^10 of them, are below 2^63
_MOST_BITS = 2**16  # of the determinant: where values differ too much in size, it is given up


def relation(rows: Sequence[dict[int, Fraction]]) -> list[int]:
    """Positive whole coefficients with which the rows add up to zero, if there is one such relation; else none.

    >>> relation([{0: Fraction(1)}, {0: Fraction(-1), 1: Fraction(2)}, {1: Fraction(-1)}])
    [1, 1, 2]
    """
    if len(rows) > MOST_TERMS:
        return []
    equations = [equation for column in sorted(set().union(*rows)) if any(equation := _whole(rows, column))]
    solved = _solved(equations, len(rows))
    if not solved or min(solved) <= 0 or any(_total(equation, solved) for equation in equations):
        return []
    common = math.gcd(*solved)
    return [value // common for value in solved]


def _whole(rows: Sequence[dict[int, Fraction]], column: int) -> list[int]:
    """The equation of a column, times what makes it whole."""
    values = [row.get(column, Fraction(0)) for row in rows]
    common = math.lcm(*(value.denominator for value in values))
    return [int(value * common) for value in values]


def _total(equation: list[int], values: list[int]) -> int:
    return sum(a * b for a, b in zip(equation, values, strict=True) if a)


def _solved(equations: list[list[int]], k: int) -> list[int]:
    """Whole numbers that solve the equations, if they leave one of k free; unless the prime is an unlucky one."""
    chosen, free = _independent(equations, k)
    if len(free) != 1:
        return []
    system = np.array([equations[i] for i in chosen], dtype=object).reshape(k - 1, k)
    bits = sum(math.isqrt(_total(row, row)).bit_length() + 1 for row in system.tolist())
    if bits > _MOST_BITS:
        return []
    values, modulus = _lifted(np.delete(system, free[0], axis=1), -system[:, free[0]], 2 * bits + 2)
    denominator, limit = 1, math.isqrt(modulus // 2)
    for value in values:
        if abs(_centred(value * denominator, modulus)) > limit:
            denominator *= _denominator(value * denominator % modulus, modulus, limit)
    whole = [_centred(value * denominator, modulus) for value in values]
    return [*whole[: free[0]], denominator, *whole[free[0] :]]


def _independent(equations: list[list[int]], k: int) -> tuple[list[int], list[int]]:
    """As many equations as are independent modulo the prime, and the unknowns they leave free, two of them at most."""
    left: Whole = np.array([[a % _PRIME for a in equation] for equation in equations], dtype=np.int64).reshape(-1, k)
    order, free, done = np.arange(len(left)), [], 0
    for unknown in range(k):
        with_it = np.flatnonzero(left[done:, unknown])
        if not len(with_it):
            free.append(unknown)
            if len(free) > 1:
                break
            continue
        for array in (left, order):
            array[[done, done + with_it[0]]] = array[[done + with_it[0], done]]
        _cleared(left, done, unknown, np.arange(len(left)) > done)
        done += 1
    return order[:done].tolist(), free


def _cleared(left: Whole, pivot: int, unknown: int, others: NDArray[np.bool_]) -> None:
    """One step of elimination modulo the prime: the pivot has 1 at this unknown, and the others 0."""
    left[pivot] = left[pivot] * pow(int(left[pivot, unknown]), -1, _PRIME) % _PRIME
    which = np.flatnonzero(others & (left[:, unknown] != 0))
    left[which] = (left[which] - left[which, unknown][:, np.newaxis] * left[pivot]) % _PRIME


def _inverse(matrix: Whole) -> Whole:
    """Modulo the prime, of a matrix that has one."""
    k = len(matrix)
    both = np.hstack([matrix, np.eye(k, dtype=np.int64)])
    for unknown in range(k):
        pivot = unknown + int(np.flatnonzero(both[unknown:, unknown])[0])
        both[[unknown, pivot]] = both[[pivot, unknown]]
        _cleared(both, unknown, unknown, np.arange(k) != unknown)
    return np.ascontiguousarray(both[:, k:])


def _lifted(matrix: NDArray[Any], target: NDArray[Any], bits: int) -> tuple[list[int], int]:
    """The solution of matrix·x = target modulo a power of the prime that has so many bits; and this power."""
    sizes, signs = np.abs(matrix), np.where(matrix < 0, -1, 1)
    largest = int(sizes.max(initial=0)).bit_length()
    pieces: list[Whole] = [
        (signs * (sizes >> shift & (2**_BITS - 1))).astype(np.int64) for shift in range(0, max(1, largest), _BITS)
    ]
    inverse, residual = _inverse((matrix % _PRIME).astype(np.int64)), target
    digits: list[NDArray[Any]] = []
    steps = bits // (_BITS - 1) + 1
    for _ in range(steps):
        digit = inverse @ (residual % _PRIME).astype(np.int64) % _PRIME
        digits.append(digit.astype(object))
        product = sum((piece @ digit).astype(object) << (_BITS * j) for j, piece in enumerate(pieces))
        residual = (residual - product) // _PRIME
    base = _PRIME
    while len(digits) > 1:  # two digits are one in the square of the base
        digits += [np.zeros_like(target)] * (len(digits) % 2)
        digits = [low + base * high for low, high in zip(digits[::2], digits[1::2], strict=True)]
        base *= base
    return digits[0].tolist(), _PRIME**steps


def _centred(value: int, modulus: int) -> int:
    """The remainder that is nearest to zero."""
    value %= modulus
    return value - modulus if 2 * value > modulus else value


def _denominator(value: int, modulus: int, limit: int) -> int:
    """The d with |d·value mod modulus| ≤ limit, by Euclid's algorithm, stopped half-way."""
    before, here, d_before, d = modulus, value, 0, 1
    while here > limit:
        quotient = before // here
        before, here, d_before, d = here, before - quotient * here, d, d_before - quotient * d
    return abs(d)
