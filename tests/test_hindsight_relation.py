"""Rows that add up to zero: whole coefficients against an elimination in fractions, and proofs on noisy examples."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.small_streams import dot
from thresher.hindsight import best_separator
from thresher.hindsight.relation import _PRIME, MOST_TERMS, relation

numbers = st.one_of(
    st.integers(-3, 3).map(Fraction),
    st.sampled_from([Fraction(0.1), Fraction(-0.3), Fraction(2) ** 60, Fraction(_PRIME), -Fraction(1, 3), Fraction(2) ** -70]),
)
Matrix = list[list[Fraction]]


def plain_relation(rows: Matrix) -> list[Fraction]:
    """By Gauss and Jordan: the one solution of Σcz = 0 whose last free coefficient is 1, if but one is free; else nothing."""
    equations = [list(column) for column in zip(*rows, strict=True)]
    pivots: list[int] = []
    for unknown in range(len(rows)):
        below = [i for i in range(len(pivots), len(equations)) if equations[i][unknown]]
        if not below:
            continue
        here = len(pivots)
        equations[here], equations[below[0]] = equations[below[0]], equations[here]
        equations[here] = [value / equations[here][unknown] for value in equations[here]]
        for i, other in enumerate(equations):
            if i != here:
                equations[i] = [a - other[unknown] * b for a, b in zip(other, equations[here], strict=True)]
        pivots.append(unknown)
    free = [unknown for unknown in range(len(rows)) if unknown not in pivots]
    if len(free) != 1:
        return []
    return [Fraction(1) if k in free else -equations[pivots.index(k)][free[0]] for k in range(len(rows))]


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    """Some rows; often one of them is such that all add up to zero."""
    k, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=k, max_size=k))
    if draw(st.booleans()):
        counts = draw(st.lists(st.integers(1, 5), min_size=k, max_size=k))
        rows.append([-dot([Fraction(c) for c in counts], column) for column in zip(*rows, strict=True)])
    return rows


@given(matrices())
def test_it_is_the_relation_that_elimination_finds(rows: Matrix) -> None:
    found, wanted = relation([{i: value for i, value in enumerate(row) if value} for row in rows]), plain_relation(rows)
    if found:
        assert math.gcd(*found) == 1
        assert [Fraction(value, found[0]) for value in found] == [value / wanted[0] for value in wanted]
    elif not any(value % _PRIME == 0 for row in rows for value in row if value):  # modulo the prime it is as free as ever
        assert not wanted or min(wanted) <= 0


def test_the_order_of_a_hundred_rows_does_not_matter_and_a_hundredth_less_is_none() -> None:
    rng = np.random.default_rng(0)
    z = rng.standard_normal((99, 99))
    z = np.vstack([z, -z.sum(axis=0).round(3)])
    rows = [{i: Fraction(value) for i, value in enumerate(row)} for row in z.tolist()]
    found = relation(rows)
    assert [sum(c * row[i] for c, row in zip(found, rows, strict=True)) for i in range(99)] == [0] * 99
    assert relation(rows[::-1]) == found[::-1]
    assert relation(rows[:99]) == []
    assert relation([{0: Fraction(1)}] * (MOST_TERMS + 1)) == []


def noisy(rows: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(5)
    X, u = rng.standard_normal((rows, n)).round(6), rng.standard_normal(n)
    y = np.where(X @ u > 0, 1, -1)
    return X, np.where(rng.random(rows) < 0.1, -y, y)


@pytest.mark.parametrize("n", [5, 20, 60])
def test_noisy_examples_have_a_proof_of_one_row_more_than_columns(n: int) -> None:
    X, y = noisy(5000, n)
    found = best_separator([(X, y)], bias=1.0)
    assert found.inseparable
    assert len(found.proof) <= n + 2
    assert all(coefficient > 0 for _, coefficient in found.proof)
    signed = [(c, [Fraction(float(y[row]) * value) for value in [*X[row].tolist(), 1.0]]) for row, c in found.proof]
    assert [sum(c * z[i] for c, z in signed) for i in range(n + 1)] == [0] * (n + 1)
