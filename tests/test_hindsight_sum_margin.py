"""The largest margin for ‖u‖₁ = 1: its interval against exact geometry, row by row and column by column."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.small_streams import Small, dot, exact, signed, small_streams
from thresher.bounds import Verdict
from thresher.hindsight import best_sum_margin
from thresher.hindsight import sum_margin as module

Point = tuple[Fraction, ...]


def largest_margin(points: list[Point]) -> Fraction:
    """In the plane: the least max(|x|, |y|) of the hull, which lies on a segment between two points, or is zero inside three.

    Along a segment the larger size is piecewise linear: it bends where x = 0, y = 0, x = y or x = −y.
    """
    found = [max(map(abs, point)) for point in points]
    for a, b in combinations(points, 2):
        for p, q in ((1, 0), (0, 1), (1, -1), (1, 1)):
            here, there = p * a[0] + q * a[1], p * b[0] + q * b[1]
            if here != there and 0 <= here / (here - there) <= 1:
                share = here / (here - there)
                found.append(max(abs(x + share * (y - x)) for x, y in zip(a, b, strict=True)))

    def cross(a: Point, b: Point) -> Fraction:
        return a[0] * b[1] - a[1] * b[0]

    inside = any(cross(a, b) * cross(b, c) > 0 and cross(b, c) * cross(c, a) > 0 for a, b, c in combinations(points, 3))
    return Fraction(0) if inside else min(found)


@given(small_streams(2, 6))
def test_in_the_plane_the_interval_holds_the_margin(small: Small) -> None:
    rows, found = signed(small), best_sum_margin([(small.X, small.y)])
    exactly = largest_margin(rows)
    assert Fraction(found.margin) <= exactly <= Fraction(found.most)
    assert found.most <= 1.01 * found.margin + 1e-7
    assert found.radius == np.abs(small.X).max()
    if found.witness is None:
        assert exactly == 0
    else:
        u = exact(found.witness.u.tolist())
        assert Fraction(found.margin) * sum(map(abs, u)) <= min(dot(u, z) for z in rows)


@given(small_streams(1, 6), st.sampled_from([1.0, -0.25]))
def test_the_dummy_is_one_more_dimension(small: Small, bias: float) -> None:
    found = best_sum_margin([(small.X, small.y)], bias=bias)
    assert Fraction(found.margin) <= largest_margin(signed(small, bias)) <= Fraction(found.most)


@given(small_streams(2, 6), st.sampled_from([1, 150]))
def test_with_hardly_any_memory_nothing_false_is_said(small: Small, memory: int) -> None:
    found = best_sum_margin([(small.X, small.y)], memory=memory)
    assert Fraction(found.margin) <= largest_margin(signed(small)) <= Fraction(found.most)


def voted(seed: int, rows: int, n: int, relevant: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The majority of an odd number of attributes, −1 or 1: the largest margin is 1 in so many."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], (rows, n))
    return X, np.where(X[:, :relevant].sum(axis=1) > 0, 1, -1)


@pytest.mark.parametrize("memory", [2**28, 2**16])
def test_rows_and_columns_are_added_as_they_are_needed(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MORE", 20)
    X, y = voted(0, 4000, 60, 5)
    found = best_sum_margin(
        lambda: [(sp.csr_matrix(X[k : k + 500]), y[k : k + 500]) for k in range(0, 4000, 500)], memory=memory
    )
    assert ("a sample of" in found.how) == (memory == 2**16)
    assert found.margin <= 0.2 <= found.most <= 1.01 * found.margin


def test_balanced_winnow_keeps_to_what_its_margin_promises() -> None:
    X, y = voted(1, 3000, 40, 3)
    found = best_sum_margin([(X, y)])
    assert found.witness is not None
    assert found.eta is not None
    ledger = th.Ledger(found.witness)
    ledger.enter(th.BalancedWinnow(40, eta=found.eta).learn_many(X, y))
    best = ledger.certificates()[0]
    assert best.verdict is Verdict.CERTIFIED
    assert best.bound.value <= 1.1 * th.bounds.balanced_winnow_tuned(1 / 3, n=40).value


@pytest.mark.parametrize(
    ("X", "y", "margin"),
    [
        ([[3.0, 4.0]], [1], 4.0),
        ([[0.0, 0.0], [1.0, 0.0]], [1, -1], 0.0),
        ([[1.0, 2.0], [1.0, 2.0]], [1, -1], 0.0),
        ([[2.0**250, 0.0], [0.0, 2.0**250]], [1, -1], 2.0**249),
    ],
)
def test_one_class_zeros_contradictions_and_huge_values(X: Any, y: Any, margin: float) -> None:
    found = best_sum_margin([(X, y)])
    assert found.margin <= margin <= found.most
    assert found.margin >= 0.99 * margin
    assert (found.witness is None) == (found.eta is None) == (margin == 0.0)


def test_no_examples_and_bad_arguments_are_refused() -> None:
    with pytest.raises(th.ExampleError, match="no examples"):
        best_sum_margin([])
    with pytest.raises(th.ParameterError, match="gap"):
        best_sum_margin([(np.eye(2), [1, -1])], gap=-1.0)
