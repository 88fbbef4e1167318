"""Witnesses from a pass of a learner: each number in fractions, each order of attributes by counting, and never too few."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.small_streams import Small, dot, exact, signed, small_streams
from thresher.bounds import Verdict
from thresher.hindsight import (
    best_disjunction,
    best_hinge,
    best_separator,
    best_sum_margin,
    cheap_disjunction,
    cheap_hinge,
    cheap_separator,
    cheap_sum_margin,
)
from thresher.hindsight.cheap import _cheapest, _first

bits = st.sampled_from([0.0, 1.0])
biases = st.sampled_from([None, 1.0, -0.3])
hard_values = st.sampled_from([0.0, 1.0, -1.0, 0.1, -0.3, 2.0**60, 2.0**-60, 1e-160, 3.0])
unit_values = st.sampled_from([0.0, 1.0, -1.0, 0.1, -0.3, 2.0**-30])


def weights(witness: th.Separator, bias: float | None) -> tuple[Fraction, ...]:
    return exact([*witness.u.tolist(), *([] if bias is None else [witness.bias_weight])])


@given(st.one_of(small_streams(2, 4), small_streams(3, 4, hard_values)), biases)
def test_no_hinge_bound_is_contradicted_by_fractions_or_by_any_order(small: Small, bias: float | None) -> None:
    found, rows = cheap_hinge([(small.X, small.y)], bias=bias), signed(small, bias)
    u, gamma, numbers = weights(found.witness, bias), Fraction(found.witness.margin), found.certificate.numbers
    assert found.certificate.verdict is Verdict.CERTIFIED
    assert sum((max(Fraction(0), gamma - dot(u, z)) for z in rows), Fraction(0)) <= Fraction(numbers["distance"])
    assert dot(u, u) <= Fraction(numbers["norm"]) ** 2
    assert found.least <= best_hinge([(small.X, small.y)], bias=bias).bound
    for order in permutations(range(len(rows))):
        learner = th.Perceptron(small.X.shape[1], bias=bias)
        assert learner.learn_many(small.X[list(order)], small.y[list(order)]).mistakes <= found.certificate.bound.most


@given(st.one_of(small_streams(2, 6), small_streams(3, 5, hard_values)), biases, st.booleans())
def test_the_interval_of_a_margin_is_honest(small: Small, bias: float | None, normalize: bool) -> None:
    rows = signed(small, bias)
    if normalize and not all(any(z) for z in rows):
        return
    found = cheap_separator([(small.X, small.y)], bias=bias, normalize=normalize)
    best = best_separator([(small.X, small.y)], bias=bias, normalize=normalize)
    assert best.margin <= found.most
    assert found.margin <= best.most
    if found.witness is not None:
        u = weights(found.witness, bias)
        for z in rows:
            assert dot(u, z) > 0
            assert Fraction(found.margin) ** 2 * dot(u, u) * (dot(z, z) if normalize else 1) <= dot(u, z) ** 2


@given(small_streams(3, 6, unit_values), biases)
def test_so_is_that_of_a_margin_for_sums_of_sizes(small: Small, bias: float | None) -> None:
    found, best = cheap_sum_margin([(small.X, small.y)], bias=bias), best_sum_margin([(small.X, small.y)], bias=bias)
    rows = signed(small, bias)
    assert found.radius == best.radius == max(abs(value) for z in rows for value in z)
    assert best.margin <= found.most
    assert found.margin <= best.most
    if found.witness is not None:
        u = weights(found.witness, bias)
        assert Fraction(found.margin) * sum(map(abs, u)) <= min(dot(u, z) for z in rows)


@given(small_streams(4, 7, bits), st.sampled_from([None, 1.0, 3.0]))
def test_attributes_are_counted_as_they_are(small: Small, threshold: float | None) -> None:
    found = cheap_disjunction([(small.X, small.y)], threshold=threshold)
    best = best_disjunction([(small.X, small.y)], threshold=threshold)
    active = [int(sum(x[i] for i in found.witness.on)) for x in small.X.tolist()]
    errors = sum(count if y < 0 else count == 0 for count, y in zip(active, small.y.tolist(), strict=True))
    assert found.errors == errors
    assert (found.candidates, found.uncovered) == (best.candidates, best.uncovered)
    assert found.certificate.verdict is Verdict.CERTIFIED
    assert found.least <= best.bound
    assert best.least <= found.bound


@given(small_streams(4, 8, bits), st.permutations(range(4)), st.integers(0, 3))
def test_of_an_order_the_first_are_taken_that_cost_least(small: Small, order: list[int], k: int) -> None:
    (at,) = _first([(small.X, small.y)], [np.array(order)], 4)
    negatives = small.X[small.y < 0].sum(axis=0).astype(np.int64)

    def cost(r: int) -> int:
        counts = small.X[:, order[:r]].sum(axis=1)
        return k * r + int(np.where(small.y > 0, counts == 0, counts).sum())

    chosen = _cheapest(np.array(order), k, at, negatives).tolist()
    assert chosen == order[: len(chosen)]
    assert cost(len(chosen)) == min(cost(r) for r in range(5))


def planted(rows: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows of ±1 with a margin, whose first attribute alone is the label, and another thirty at random."""
    rng = np.random.default_rng(1)
    X = rng.choice([-1.0, 1.0], (rows, 31))
    return X, X[:, 0].astype(np.int64)


def test_a_stream_is_read_two_or_three_times_and_not_kept() -> None:
    X, y = planted(20_000)
    reads: list[int] = []

    def again() -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        reads.append(len(reads))
        return [(X[k : k + 1000], y[k : k + 1000]) for k in range(0, 20_000, 1000)]

    passes = []
    for cheap in (cheap_hinge, cheap_separator, cheap_sum_margin):
        passes.append(cheap(again).passes)
        assert len(reads) == sum(passes)
    found = cheap_disjunction(lambda: [(X > 0, y) for X, y in again()])
    assert len(reads) == sum(passes) + found.passes == 10
    assert (found.witness.plain.tolist(), found.errors) == ([0], 0.0)


def test_what_is_easy_is_found_as_well_as_by_programs() -> None:
    X, y = planted(20_000)
    hinge, best = cheap_hinge([(X, y)]), best_hinge([(X, y)])
    assert hinge.bound <= 1.5 * best.bound
    margin = cheap_separator([(X, y)])
    assert 0.5 <= margin.margin <= 1.0 <= margin.most
    total = cheap_sum_margin([(X, y)])
    assert 0.4 <= total.margin <= 1.0 <= total.most


def test_weights_leave_nothing_proven_of_the_best() -> None:
    with th.open_stream("demo:oranges") as stream:
        batch = next(iter(stream))
    weighted = th.Batch(batch.X, batch.y, np.full(len(batch), 2.0), batch.tags, batch.rows, batch.first)
    found, margin = cheap_hinge([weighted]), cheap_separator([weighted])
    assert (found.certificate.verdict, found.least) == (Verdict.VOID, 0.0)
    assert margin.most == margin.radius


@pytest.mark.parametrize(
    ("X", "y"), [([[1.0, 2.0], [3.0, 4.0]], [1, 1]), ([[0.0, 0.0], [0.0, 0.0]], [-1, -1]), ([[2.0**250], [2.0**-250]], [1, -1])]
)
def test_strange_streams_are_no_worse_than_nothing(X: Any, y: Any) -> None:
    assert cheap_hinge([(X, y)]).bound <= 2.0 * (1 + 1e-6)
    assert cheap_separator([(X, y)]).proof == ()
    for cheap in (cheap_hinge, cheap_separator, cheap_sum_margin, cheap_disjunction):
        with pytest.raises(th.ExampleError, match="no examples"):
            cheap([])
