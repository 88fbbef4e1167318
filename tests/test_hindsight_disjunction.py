"""Disjunctions and covers found in hindsight: against every subset, in fractions, in any order, by passes, on bad input."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.small_streams import Small, dot, exact, small_streams
from thresher.bounds import Verdict
from thresher.bounds.winnow import most_promotions
from thresher.hindsight import FoundDisjunction, best_cover, best_disjunction

bits = st.sampled_from([0.0, 1.0])
winnows = st.fixed_dictionaries(
    {"threshold": st.sampled_from([None, 1.0, 3.0]), "factor": st.sampled_from([2.0, 1.5]), "strict": st.booleans()}
)


def subsets(n: int) -> Iterator[tuple[int, ...]]:
    for r in range(n + 1):
        yield from combinations(range(n), r)


def attribute_errors(small: Small, chosen: tuple[int, ...]) -> int:
    active = [int(sum(x[i] for i in chosen)) for x in small.X.tolist()]
    return sum(count if y < 0 else count == 0 for count, y in zip(active, small.y.tolist(), strict=True))


def check_best(small: Small, found: FoundDisjunction, keywords: dict[str, Any]) -> None:
    """That no subset is better by either theorem, no shorter one fits, and A is what it is."""
    n = small.X.shape[1]
    errors = {chosen: attribute_errors(small, chosen) for chosen in subsets(n)}
    agnostic = [th.bounds.winnow_agnostic(len(chosen), errors=a, n=n, **keywords).value for chosen, a in errors.items()]
    fitting = [len(chosen) for chosen, a in errors.items() if not a]
    sharp = [th.bounds.winnow_disjunction(r, n=n, **keywords).value for r in fitting]
    assert found.errors == errors[tuple(sorted(found.witness.on))]
    assert found.least == min(agnostic + sharp)
    assert found.bound == min(agnostic + sharp[:1])  # the shortest that fits comes first
    assert found.consistent == bool(sharp)
    assert found.certificate.verdict is Verdict.CERTIFIED


@given(small_streams(4, 7, bits), winnows)
def test_no_subset_of_four_attributes_is_better(small: Small, keywords: dict[str, Any]) -> None:
    check_best(small, best_disjunction([(small.X, small.y)], **keywords), keywords)


@given(small_streams(3, 4, bits).flatmap(lambda small: st.tuples(st.just(small), st.integers(1, 40))))
def test_no_subset_is_better_for_rows_that_come_again_and_again(given: tuple[Small, int]) -> None:
    small = Small(given[0].X.repeat(given[1], axis=0), given[0].y.repeat(given[1]))
    check_best(small, best_disjunction([(small.X, small.y)]), {})


@given(small_streams(3, 5, bits), winnows)
def test_no_order_of_the_rows_makes_more_mistakes(small: Small, keywords: dict[str, Any]) -> None:
    bound = best_disjunction([(small.X, small.y)], **keywords).certificate.bound
    cover = best_cover([(small.X, small.y)], **keywords).certificate
    for order in permutations(range(len(small.y))):
        rounds = th.Winnow(3, **keywords).learn_many(small.X[list(order)], small.y[list(order)])
        assert rounds.mistakes <= bound.most
        assert cover is None or rounds.mistakes <= cover.bound.most


@given(small_streams(4, 7, bits), st.sampled_from([1, 150]))
def test_with_hardly_any_memory_nothing_false_is_said(small: Small, memory: int) -> None:
    found, whole = best_disjunction([(small.X, small.y)], memory=memory), best_disjunction([(small.X, small.y)])
    assert found.errors == attribute_errors(small, tuple(sorted(found.witness.on)))
    assert found.least <= whole.least
    assert (found.candidates, found.uncovered) == (whole.candidates, whole.uncovered)
    cover, best = best_cover([(small.X, small.y)], memory=memory), best_cover([(small.X, small.y)])
    assert cover.least <= best.norm
    assert cover.norm >= best.least


@given(small_streams(5, 6, bits))
def test_a_cover_is_one_in_fractions_and_the_shortest(small: Small) -> None:
    found, disjunction = best_cover([(small.X, small.y)]), best_disjunction([(small.X, small.y)])
    assert (found.candidates, found.uncovered) == (disjunction.candidates, disjunction.uncovered)
    if found.witness is None:
        assert found.uncovered > 0
        assert found.norm == found.least == math.inf
        return
    mu = exact(found.witness.mu.tolist())
    products = [(dot(mu, exact(x)), y) for x, y in zip(small.X.tolist(), small.y.tolist(), strict=True)]
    lowest = min((product for product, y in products if y > 0), default=Fraction(1))
    assert all(product == 0 for product, y in products if y < 0)
    assert lowest > 0
    assert sum(mu) / lowest <= Fraction(found.norm)
    assert found.least <= found.norm <= found.least * (1 + 1e-9) + 1e-9
    fitting = [len(chosen) for chosen in subsets(5) if not attribute_errors(small, chosen)]
    assert found.least <= min(fitting)


def test_fractions_are_shorter_than_disjunctions_on_odd_cycles() -> None:
    cycle = np.eye(6)[:5] + np.roll(np.eye(5, 6), 1, axis=0)
    X, y = np.vstack([cycle, np.eye(6)[5:]]).repeat(30, axis=0), np.repeat([1, 1, 1, 1, 1, 0], 30)
    assert math.isclose(best_cover([(X, y)]).norm, 2.5)
    assert len(best_disjunction([(X, y)]).witness.on) == 3


def planted(seed: int, rows: int, noise: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, 60)) < 0.06).astype(float)
    y = (X[:, [3, 14, 15, 9]].sum(axis=1) > 0).astype(np.int64)
    return X, np.where(rng.random(rows) < noise, 1 - y, y)


@pytest.mark.parametrize("memory", [2**28, 2**15])
def test_a_planted_disjunction_is_found_in_memory_and_by_passes(memory: int) -> None:
    X, y = planted(0, 8000, 0.0)
    found = best_disjunction(
        lambda: [(sp.csr_matrix(X[k : k + 400]), y[k : k + 400]) for k in range(0, 8000, 400)], memory=memory
    )
    assert ("a sample of" in found.how) == (memory == 2**15)
    assert found.witness.on == {3, 9, 14, 15}
    assert found.certificate.bound.theorem.name == "Winnow, disjunction"
    cover = best_cover([(X, y)], memory=memory)
    assert cover.least <= 4.0 <= cover.norm < 4.0001


@pytest.mark.parametrize("memory", [2**28, 2**15])
def test_with_noise_the_planted_attributes_are_named(memory: int) -> None:
    X, y = planted(1, 8000, 0.02)
    found = best_disjunction([(X, y)], memory=memory)
    assert found.witness.on == {3, 9, 14, 15}
    assert not found.consistent
    assert found.certificate.bound.theorem.name == "Winnow, attribute errors"
    assert found.least <= found.bound


def test_what_a_sample_leaves_uncovered_later_passes_add() -> None:
    X = np.zeros((20_000, 40))
    X[np.arange(20_000), 39] = 1.0
    X[::1000, 39] = 0.0
    X[np.arange(0, 20_000, 1000), np.arange(20)] = 1.0  # each of these attributes in one row alone
    cover = best_cover([(X, np.ones(20_000))], memory=2**12)
    assert "a sample of" in cover.how
    assert cover.least <= 21.0 <= cover.norm < 21.0001
    found = best_disjunction([(X, np.ones(20_000))], memory=2**12)  # each of them costs more than its one row
    assert found.witness.on == {39}
    assert found.errors == 20.0


def test_one_class_has_the_empty_disjunction_or_what_covers() -> None:
    never, always = best_disjunction([(np.eye(3), [0, 0, 0])]), best_disjunction([(np.eye(3), [1, 1, 1])])
    assert (never.witness.on, never.candidates, never.uncovered, never.consistent) == (frozenset(), 0, 0, True)
    assert (always.candidates, always.uncovered) == (3, 0)
    assert best_cover([(np.eye(3), [0, 0, 0])]).norm == 0.0


def test_examples_without_an_attribute_and_contradictions_are_explained() -> None:
    found = best_disjunction([([[0, 0], [0, 0], [1, 0], [1, 0]], [1, 0, 1, 0])])
    assert (found.uncovered, found.consistent) == (2, False)
    assert found.certificate.verdict is Verdict.CERTIFIED
    assert best_cover([([[0, 0]], [1])]).witness is None


def test_examples_that_are_not_binary_leave_the_theorem_void() -> None:
    found = best_disjunction([([[0.5, 0.0], [0.0, 1.0]], [1, 0])])
    assert found.certificate.verdict is Verdict.VOID
    cover = best_cover([([[0.5, 0.0], [0.0, 1.0]], [1, 0])])
    assert cover.certificate is not None
    assert cover.certificate.verdict is Verdict.VOID


def test_what_winnow_refuses_is_refused() -> None:
    with pytest.raises(th.ExampleError, match="found -1"):
        best_disjunction([([[-1.0, 0.0]], [1])])
    with pytest.raises(th.ExampleError, match="no examples"):
        best_cover([])
    with pytest.raises(th.ParameterError, match="factor"):
        best_disjunction([(np.eye(2), [1, 0])], factor=1.0)


@pytest.mark.parametrize("often", [3, 4, 5, 16])
def test_the_price_of_an_attribute_is_its_promotions(often: int) -> None:
    n, k = 16, most_promotions(16, 2.0)
    X, y = np.vstack([np.eye(n)[[0] * often], np.eye(n)[:3]]), [1] * often + [0, 0, 0]  # one negative example has it, too
    found = best_disjunction([(X, y)])
    assert found.least == th.bounds.winnow_agnostic(0, errors=min(often, k + 1), n=n).value
    assert found.witness.on == ({0} if often > k + 1 else frozenset())
