"""The least bound of the Perceptron: in fractions, against liblinear, in any order, by passes, and on bad input."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

import thresher as th
from tests.small_streams import Small, dot, exact, signed, small_streams
from thresher.bounds import Verdict
from thresher.hindsight import best_hinge, best_separator

biases = st.sampled_from([None, 1.0, -0.3])
hard_values = st.sampled_from([0.0, 1.0, -1.0, 0.1, -0.3, 2.0**60, 2.0**-60, -(2.0**-30), 1e-160, 3.0])


def check_honest(small: Small, bias: float | None, memory: int = 2**28) -> None:
    """Every number of the certificate in fractions, and the floor against many other v."""
    found = best_hinge([(small.X, small.y)], bias=bias, memory=memory, passes=4)
    rows, witness, numbers = signed(small, bias), found.witness, found.certificate.numbers
    u = exact([*witness.u.tolist(), *([] if bias is None else [witness.bias_weight])])
    gamma = Fraction(witness.margin)
    distance = sum((max(Fraction(0), gamma - dot(u, z)) for z in rows), Fraction(0))
    assert found.certificate.verdict is Verdict.CERTIFIED
    assert distance <= Fraction(numbers["distance"])
    assert dot(u, u) <= Fraction(numbers["norm"]) ** 2
    assert max(dot(z, z) for z in rows) <= Fraction(numbers["radius"]) ** 2
    assert found.bound == th.bounds.perceptron_distance(**numbers).value
    least = Fraction(found.least)
    for v in others(rows, u, gamma):
        assert not below(v, rows, least)
    for order in permutations(range(len(rows)), r=len(rows)):
        learner = th.Perceptron(small.X.shape[1], bias=bias)
        assert learner.learn_many(small.X[list(order)], small.y[list(order)]).mistakes <= found.certificate.bound.most


def others(rows: list[tuple[Fraction, ...]], u: tuple[Fraction, ...], gamma: Fraction) -> list[list[Fraction]]:
    """Vectors to hold against the floor: the one found, sums of rows, single rows, each in several lengths."""
    total = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
    given = [[each / gamma for each in u], total, *map(list, rows)]
    return [[scale * each for each in v] for v in given for scale in (Fraction(0), Fraction(1, 7), Fraction(1), Fraction(5, 2))]


def below(v: list[Fraction], rows: list[tuple[Fraction, ...]], limit: Fraction) -> bool:
    """Whether the bound with v is below `limit`, exactly: whether s² > H + sR‖v‖ where s² = limit, or s²R²‖v‖² < (s² − H)²."""
    hinge = sum((max(Fraction(0), 1 - dot(v, z)) for z in rows), Fraction(0))
    square = max(dot(z, z) for z in rows) * dot(v, v)
    return limit > hinge and limit * square < (limit - hinge) ** 2


@given(small_streams(2, 4), biases)
def test_no_bound_and_no_floor_is_contradicted_by_fractions(small: Small, bias: float | None) -> None:
    check_honest(small, bias)


@given(small_streams(3, 3, hard_values), biases)
def test_nor_with_numbers_of_very_different_sizes(small: Small, bias: float | None) -> None:
    check_honest(small, bias)


@given(small_streams(2, 4), biases, st.sampled_from([1, 150]))
def test_nor_by_passes_with_hardly_any_memory(small: Small, bias: float | None, memory: int) -> None:
    check_honest(small, bias, memory)


def noisy(seed: int, rows: int, n: int, noise: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X, u = rng.standard_normal((rows, n)), rng.standard_normal(n)
    y = np.where(X @ u > 0, 1, -1)
    return X, np.where(rng.random(rows) < noise, -y, y)


@pytest.mark.parametrize(("seed", "noise"), [(0, 0.0), (1, 0.02), (2, 0.1), (3, 0.3)])
def test_a_sweep_of_support_vector_machines_finds_nothing_better(seed: int, noise: float) -> None:
    X, y = noisy(seed, 300, 5, noise)
    found = best_hinge([(X, y)], gap=1e-3)
    radius = float(np.linalg.norm(X, axis=1).max())
    swept = []
    for C in np.geomspace(1e-4, 10.0, 26):
        svm = LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-4, max_iter=1_000_000, random_state=0).fit(X, y)
        v = svm.coef_.ravel()
        hinge = float(np.maximum(0.0, 1.0 - y * (X @ v)).sum())
        swept.append(th.bounds.perceptron_hinge(hinge, norm=float(np.linalg.norm(v)), radius=radius).value)
    assert found.least <= found.bound <= 1.001 * found.least
    assert found.least <= min(swept) * (1 + 1e-9)
    assert found.bound <= 1.001 * min(swept)


@pytest.mark.parametrize("keywords", [{}, {"bias": 2.0}, {"normalize": True}, {"bias": 1.0, "normalize": True}])
def test_the_bound_is_that_of_the_ledger_with_this_learner(keywords: dict[str, Any]) -> None:
    X, y = noisy(4, 500, 8, 0.05)
    found = best_hinge([(X, y)], **keywords)
    ledger = th.Ledger(found.witness)
    ledger.enter(th.Perceptron(8, **keywords).learn_many(X, y))
    assert found.bound in [certificate.bound.value for certificate in ledger.certificates()]
    assert found.certificate.count == ledger.mistakes
    assert found.bound <= 1.01 * found.least


def test_dense_sparse_and_in_parts_come_to_the_same() -> None:
    X, y = noisy(5, 200, 6, 0.05)
    whole = best_hinge([(X, y)])
    for examples in ([(sp.csr_matrix(X), y)], [(X[:50], y[:50]), (X[50:50], y[50:50]), (sp.csr_array(X[50:]), y[50:])]):
        found = best_hinge(examples)
        assert (found.bound, found.least) == (whole.bound, whole.least)
        assert found.witness.u.tolist() == whole.witness.u.tolist()


def test_a_larger_stream_is_sampled_and_gone_through_in_passes() -> None:
    X, y = noisy(6, 20_000, 5, 0.02)
    reads: list[int] = []

    def again() -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        reads.append(len(reads))
        return [(X[k : k + 1000], y[k : k + 1000]) for k in range(0, 20_000, 1000)]

    few, whole = best_hinge(again, memory=200_000, passes=0), best_hinge([(X, y)])
    assert "a sample of" in few.how
    assert "all 20,000 rows in memory" in whole.how
    assert few.passes == len(reads) == 3
    assert few.certificate.verdict is Verdict.CERTIFIED
    assert whole.least <= few.bound <= 1.1 * whole.bound
    more = best_hinge(again, memory=2000)
    assert more.least <= whole.bound
    assert whole.least <= more.bound <= 1.02 * more.least


def test_a_stream_is_read_again_from_its_source() -> None:
    found = best_hinge(lambda: th.open_stream("demo:oranges"), bias=1.0, memory=2**18, passes=2)
    assert found.certificate.rounds == 9600
    assert not found.certificate.says_little


def test_where_nothing_helps_the_bound_is_the_number_of_rows() -> None:
    X, y = np.eye(2).repeat(50, axis=0), np.tile([1, -1], 50)
    found = best_hinge([(X, y)])
    assert not found.witness.u.any()
    assert found.certificate.limit == "100"
    assert math.isclose(found.least, 100.0)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], [1, 1]),
        ([[0.0, 0.0], [0.0, 0.0]], [-1, -1]),
        ([[1.0, 2.0], [1.0, 2.0]], [1, -1]),
        ([[2.0**250, 1.0], [1.0, 2.0**-250]], [1, -1]),
        ([[2.0**-900, 0.0], [0.0, 2.0**-900]], [1, -1]),
    ],
)
@pytest.mark.parametrize("bias", [None, 1.0])
def test_strange_streams_have_a_bound_that_is_no_worse_than_nothing(X: Any, y: Any, bias: float | None) -> None:
    found = best_hinge([(X, y)], bias=bias)
    assert found.certificate.verdict is Verdict.CERTIFIED
    assert found.bound <= 2.0 * (1 + 1e-6)
    assert found.least <= found.bound


def test_weights_break_the_theorems_premise() -> None:
    with th.open_stream("demo:oranges") as stream:
        batch = next(iter(stream))
    weighted = th.Batch(batch.X, batch.y, np.full(len(batch), 2.0), batch.tags, batch.rows, batch.first)
    assert best_hinge([weighted]).certificate.verdict is Verdict.VOID


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1.0, 4e74])
def test_rows_of_any_size_are_divided_by_their_norms(size: float) -> None:
    X = np.array([[size, 4 * size], [-size, 4 * size]] * 10)
    found = best_hinge([(X, [1] * 20)], normalize=True)
    ledger = th.Ledger(th.Separator([0.0, 1.0], margin=0.5))
    ledger.enter(th.Perceptron(2, normalize=True).learn_many(X, [1] * 20))
    bounds = [each.bound.value for each in ledger.certificates() if each.verdict is Verdict.CERTIFIED and each.any_order]
    assert found.least <= found.bound
    assert found.least <= min(bounds)
    margin = best_separator([(X, [1] * 20)], normalize=True)
    assert margin.margin <= 4 / math.sqrt(17) <= margin.most < 1.01 * margin.margin


@pytest.mark.parametrize(
    ("examples", "error", "message"),
    [
        ([], th.ExampleError, "no examples"),
        ([(np.zeros((0, 3)), [])], th.ExampleError, "no examples"),
        ((np.eye(2), [1, -1]), th.ParameterError, r"such as \[\(X, y\)\]"),
        (iter([]), th.ParameterError, "anew"),
        ([(np.eye(2), [1, 2])], th.LabelError, "found label"),
        ([([[np.nan, 1.0]], [1])], th.ExampleError, "found nan"),
        ([(np.eye(2), [1, -1]), (np.eye(3), [1, 1, 1])], th.ExampleError, "3 columns after one with 2"),
        ([(np.eye(2), [1])], th.LabelError, "one for each"),
        ([([1.0, 2.0], [1, 1])], th.ExampleError, "rows and columns"),
    ],
)
def test_what_cannot_be_read_is_refused(examples: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        best_hinge(examples)


@pytest.mark.parametrize("keywords", [{"gap": 0.0}, {"gap": math.nan}, {"memory": 0}, {"bias": math.inf}])
def test_bad_arguments_are_refused(keywords: dict[str, Any]) -> None:
    with pytest.raises(th.ParameterError):
        best_hinge([(np.eye(2), [1, -1])], **keywords)
