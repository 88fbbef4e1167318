"""The largest margin: its interval against exact geometry and planted margins, and proofs that there is none."""

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
from thresher.hindsight import FoundSeparator, best_separator
from thresher.hindsight.relation import relation

Point = tuple[Fraction, ...]


def cross(a: Point, b: Point) -> Fraction:
    return a[0] * b[1] - a[1] * b[0]


def around_zero(points: list[Point]) -> bool:
    """Whether zero lies in the hull of these points of the plane: it is one of them, between two, or inside three."""
    between = any(cross(a, b) == 0 and dot(a, b) < 0 for a, b in combinations(points, 2))
    inside = any(cross(a, b) * cross(b, c) > 0 and cross(b, c) * cross(c, a) > 0 for a, b, c in combinations(points, 3))
    return between or inside or any(not any(point) for point in points)


def squared_distance(points: list[Point]) -> Fraction:
    """From zero to the hull of these points, which zero is not in: to one of them, or to a segment."""
    squares = [dot(point, point) for point in points]
    for a, b in combinations(points, 2):
        along = tuple(y - x for x, y in zip(a, b, strict=True))
        length = dot(along, along)
        if length and 0 < -dot(a, along) < length:
            squares.append(cross(a, b) ** 2 / length)
    return min(squares)


def check_interval(found: FoundSeparator, rows: list[Point], bias: bool) -> None:
    """What it says of its witness, in fractions."""
    witness = found.witness
    assert witness is not None
    u = exact([*witness.u.tolist(), *([witness.bias_weight] if bias else [])])
    smallest = min(dot(u, z) for z in rows)
    assert smallest > 0
    assert Fraction(found.margin) ** 2 * dot(u, u) <= smallest**2


def check_proof(found: FoundSeparator, rows: list[Point]) -> None:
    """That the rows it names add up to zero."""
    assert found.proof
    assert all(coefficient > 0 for _, coefficient in found.proof)
    for column in range(len(rows[0])):
        assert sum(coefficient * rows[row][column] for row, coefficient in found.proof) == 0
    assert (found.witness, found.margin, found.most, found.inseparable) == (None, 0.0, 0.0, True)


@given(small_streams(2, 6))
def test_in_the_plane_the_interval_holds_the_margin_or_a_proof_is_found(small: Small) -> None:
    rows, found = signed(small), best_separator([(small.X, small.y)])
    if around_zero(rows):
        check_proof(found, rows)
    else:
        square = squared_distance(rows)
        check_interval(found, rows, bias=False)
        assert Fraction(found.margin) ** 2 <= square <= Fraction(found.most) ** 2
        assert found.most <= 1.01 * found.margin
        assert not found.inseparable


@given(small_streams(2, 6), st.sampled_from([1, 150]))
def test_with_hardly_any_memory_nothing_false_is_said(small: Small, memory: int) -> None:
    rows, found = signed(small), best_separator([(small.X, small.y)], memory=memory)
    if found.proof:
        check_proof(found, rows)
    if found.witness is not None:
        check_interval(found, rows, bias=False)
    square = Fraction(0) if around_zero(rows) else squared_distance(rows)
    assert Fraction(found.margin) ** 2 <= square <= Fraction(found.most) ** 2


@given(small_streams(1, 6), st.sampled_from([1.0, -0.3]))
def test_the_dummy_is_one_more_dimension(small: Small, bias: float) -> None:
    rows, found = signed(small, bias), best_separator([(small.X, small.y)], bias=bias)
    if around_zero(rows):
        check_proof(found, rows)
    else:
        check_interval(found, rows, bias=True)
        assert Fraction(found.margin) ** 2 <= squared_distance(rows) <= Fraction(found.most) ** 2


@given(small_streams(4, 9), st.booleans())
def test_in_four_dimensions_there_is_a_witness_or_a_proof(small: Small, normalize: bool) -> None:
    normalize = normalize and bool(small.X.any(axis=1).all())
    rows, found = signed(small), best_separator([(small.X, small.y)], normalize=normalize)
    if found.witness is None:
        check_proof(found, rows)
    else:
        assert min(dot(exact(found.witness.u.tolist()), z) for z in rows) > 0
        assert found.margin <= found.most <= 1.01 * found.margin


def planted(rows: int, n: int, margin: float, seed: int) -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    """Rows y·(margin·e₀ + something on three other columns), each with its mirror image: so margin·e₀ is in their hull."""
    rng = np.random.default_rng(seed)
    columns = 1 + np.sort(rng.permuted(np.tile(np.arange((n - 1) // 3), (rows // 2, 1)), axis=1)[:, :3], axis=1) * 3
    aside = rng.standard_normal((rows // 2, 3))
    y = np.repeat(rng.choice([-1, 1], rows // 2), 2)
    data = np.column_stack([np.full(rows, margin), np.stack([aside, -aside], axis=1).reshape(rows, 3)]) * y[:, np.newaxis]
    indices = np.column_stack([np.zeros(rows, dtype=np.int64), np.repeat(columns, 2, axis=0)])
    return sp.csr_matrix((data.ravel(), indices.ravel(), np.arange(0, 4 * rows + 1, 4)), shape=(rows, n)), y


@pytest.mark.parametrize("margin", [1.0, 0.1, 0.01])
def test_a_planted_margin_is_found_to_a_percent(margin: float) -> None:
    X, y = planted(4000, 61, margin, 0)
    found = best_separator([(X, y)])
    assert found.margin <= margin <= found.most <= 1.01 * found.margin
    assert found.witness is not None
    ledger = th.Ledger(found.witness)
    ledger.enter(th.Perceptron(61).learn_many(X, y))
    assert all(certificate.verdict is Verdict.CERTIFIED for certificate in ledger.certificates())


def test_with_little_memory_a_few_passes_add_the_rows_that_matter() -> None:
    X, y = planted(20_000, 61, 0.1, 1)
    found = best_separator(lambda: [(X[k : k + 500], y[k : k + 500]) for k in range(0, 20_000, 500)], memory=2**17)
    assert "a sample of" in found.how
    assert found.passes <= 8
    assert found.margin <= 0.1 <= found.most <= 1.01 * found.margin


def test_a_narrower_interval_is_found_if_it_is_asked_for() -> None:
    X, y = planted(400, 31, 0.5, 2)
    found = best_separator([(X, y)], gap=1e-6)
    assert found.margin <= 0.5 <= found.most <= found.margin * (1 + 1e-6)


def test_the_same_example_with_both_labels_is_the_whole_proof() -> None:
    X, y = planted(1000, 31, 0.5, 3)
    doubled = sp.vstack([X, X[17]], format="csr")
    found = best_separator([(doubled, np.append(y, -y[17]))])
    assert found.proof == ((17, 1), (1000, 1))


def test_rows_of_many_dimensions_that_add_up_to_zero_are_found() -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(-9, 10, (12, 12)).astype(float)
    X = np.vstack([X, -(X * np.arange(1, 13)[:, np.newaxis]).sum(axis=0)])
    found = best_separator([(X, np.ones(13))])
    check_proof(found, signed(Small(X, np.ones(13, dtype=np.int64))))
    assert found.proof == (*((k, k + 1) for k in range(12)), (12, 1))


def test_a_relation_needs_positive_coefficients_and_no_freedom() -> None:
    one, two = {0: Fraction(1)}, {0: Fraction(2)}
    minus = {0: Fraction(-1, 3)}
    assert relation([one, minus]) == [1, 3]
    assert relation([one, two]) == []
    assert relation([one, minus, two]) == []
    assert relation([one]) == []
    assert relation([{}]) == [1]


@pytest.mark.parametrize(
    ("X", "y", "margin"),
    [
        ([[3.0, 4.0]], [1], 5.0),
        ([[1.0, 2.0], [3.0, 4.0]], [1, 1], 5**0.5),
        ([[2.0**250, 0.0], [0.0, 2.0**250]], [1, -1], 2.0**249.5),
        ([[2.0**-300, 0.0], [0.0, 2.0**-300]], [1, -1], 2.0**-300.5),
    ],
)
def test_one_class_and_huge_and_tiny_values_have_a_margin(X: Any, y: Any, margin: float) -> None:
    found = best_separator([(X, y)])
    assert found.margin <= margin * (1 + 1e-12)
    assert 0.99 * margin <= found.margin
    assert margin * (1 - 1e-12) <= found.most <= 1.01 * margin


def test_a_margin_of_next_to_nothing_is_neither_found_nor_denied() -> None:
    found = best_separator([([[2.0**60, 1.0], [2.0**60, -1.0]], [1, -1])])
    assert found.witness is None
    assert not found.inseparable
    assert 1.0 <= found.most < 2.0**40


def test_zero_vectors_and_empty_streams_are_explained() -> None:
    assert best_separator([([[0.0, 0.0], [1.0, 0.0]], [1, -1])]).proof == ((0, 1),)
    with pytest.raises(th.ExampleError, match="no examples"):
        best_separator([])
    with pytest.raises(th.ExampleError, match="zero vector"):
        best_separator([([[0.0, 0.0]], [1])], normalize=True)
