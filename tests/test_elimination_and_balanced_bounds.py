"""Balanced Winnow's and Elimination's theorems as values: golden numbers, their order, streams within them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher import bounds

shares = st.floats(1e-3, 0.999)


@pytest.mark.parametrize("case", GOLDEN["bounds"]["norm_winnow"])
def test_balanced_golden(case: dict[str, Any]) -> None:
    margin, n = case["gamma"], case["N"] // 2
    golden = pytest.approx(case["value"], rel=1e-12)
    assert bounds.balanced_winnow_tuned(margin, n=n).value == golden
    assert bounds.balanced_winnow(margin, n=n, eta=math.atanh(margin)).value == golden
    assert bounds.balanced_winnow_textbook(margin, n=n).value == pytest.approx(case["loose_2lnN_g2"], rel=1e-12)


@given(shares, st.integers(1, 1000), st.floats(0.01, 5.0), st.floats(0.1, 10.0), st.booleans())
def test_the_tuned_rate_is_the_best_and_the_textbook_is_above(
    share: float, n: int, eta: float, norm: float, bias: bool
) -> None:
    comparator: dict[str, Any] = {"margin": share * norm, "n": n, "norm": norm, "bias": bias}
    tuned = bounds.balanced_winnow_tuned(**comparator).value
    assert tuned <= bounds.balanced_winnow(**comparator, eta=eta).value * (1 + 1e-9)
    assert tuned <= bounds.balanced_winnow_textbook(**comparator).value * (1 + 1e-9)
    assert tuned == pytest.approx(bounds.balanced_winnow_tuned(share, n=n, bias=bias).value, rel=1e-9)
    assert tuned <= bounds.balanced_winnow_tuned(**(comparator | {"n": n + 1})).value


@given(shares, st.floats(0.01, 3.0), st.floats(0.0, 10.0), st.floats(0.0, 0.1))
def test_what_is_missed_and_what_is_rounded_never_lower_the_bound(share: float, eta: float, missed: float, e: float) -> None:
    plain = bounds.balanced_winnow(share, n=10, eta=eta).value
    assert plain <= bounds.balanced_winnow(share, n=10, eta=eta, distance=missed).value
    assert plain <= bounds.balanced_winnow(share, n=10, eta=eta, rounding=e).value


def test_a_tiny_rate_loses_no_digits_and_one_too_large_leaves_no_bound() -> None:
    assert bounds.balanced_winnow(1e-9, n=2, eta=1e-9).value == pytest.approx(2 * math.log(4) * 1e18, rel=1e-9)
    assert bounds.balanced_winnow_tuned(1e-9, n=2).value == pytest.approx(2 * math.log(4) * 1e18, rel=1e-9)
    assert bounds.balanced_winnow(0.1, n=2, eta=0.3).infinite
    assert bounds.balanced_winnow(1.0, n=2, eta=1e4).value == pytest.approx(2.0, rel=1e-6)  # ln 4/ln 2
    assert bounds.balanced_winnow(0.1, n=2, eta=0.1, rounding=0.1).infinite


def test_a_gap_is_a_quarter_margin_of_the_textbook_form_with_a_dummy() -> None:
    textbook = bounds.balanced_winnow_textbook(0.5 / (4 * 3 * 2), n=7, bias=True).value
    assert bounds.balanced_winnow_gap(0.5, n=7, radius=2.0, norm=3.0).value == pytest.approx(textbook, rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0.05, 1.0), st.booleans())
def test_no_random_stream_exceeds_balanced_winnows_bound(seed: int, n: int, eta: float, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (150, n))
    seen = np.hstack([X, np.ones((len(X), 1))]) if bias else X
    u = rng.standard_normal(seen.shape[1])
    y = np.where(seen @ u >= 0.0, 1, -1) * rng.choice([1, -1], len(X), p=[0.95, 0.05])
    w = np.full(2 * seen.shape[1], 1 / (2 * seen.shape[1]))
    count = 0
    for x, label in zip(np.hstack([seen, -seen]), y, strict=True):
        if label * (w @ x) <= 0.0:
            count += 1
            w *= np.exp(eta * label * x)
            w /= w.sum()
    norm = float(np.abs(u).sum())
    for margin in (0.05 * norm, 0.3 * norm, 0.8 * norm):
        distance = float(np.maximum(0.0, margin - y * (seen @ u)).sum())
        bound = bounds.balanced_winnow(margin, n=n, eta=eta, distance=distance, norm=norm, bias=bias, rounding=1e-12)
        assert bound.allows(count)


def eliminated(n: int, stream: list[tuple[list[int], int]], monotone: bool) -> int:
    """Elimination's mistakes. A literal is an attribute and the value that makes it true."""
    literals = {(i, 1) for i in range(n)} | (set() if monotone else {(i, 0) for i in range(n)})
    mistakes = 0
    for x, y in stream:
        true = {(i, v) for i, v in literals if x[i] == v}
        if bool(true) != bool(y):
            mistakes += 1
            literals -= true
    return mistakes


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("monotone", [False, True])
def test_elimination_is_attained_for_every_r(n: int, monotone: bool) -> None:
    """The target is x₁ ∨ … ∨ x_r. All zeros strike every negation; then one irrelevant attribute after another is struck."""
    for r in range(n + 1):
        zeros = [([0] * n, 0)] if n else []
        stream = zeros + [([int(i == j) for i in range(n)], 0) for j in range(r, n)]
        assert eliminated(n, stream, monotone) == bounds.elimination(n, r=r, monotone=monotone).at_most - (
            n == 0 and not monotone
        )
        assert bounds.elimination(n, r=r).at_most <= bounds.elimination_textbook(n).at_most == n + 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_no_random_disjunction_exceeds_eliminations_bound(seed: int, n: int, monotone: bool) -> None:
    rng = np.random.default_rng(seed)
    r = int(rng.integers(0, n + 1))
    chosen, signs = rng.permutation(n)[:r], np.ones(r) if monotone else rng.integers(0, 2, r)
    X = rng.integers(0, 2, (60, n))
    stream = [(x.tolist(), int((x[chosen] == signs).any())) for x in X]
    assert bounds.elimination(n, r=r, monotone=monotone).allows(eliminated(n, stream, monotone))


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.balanced_winnow(0.0, n=2, eta=0.1),
        lambda: bounds.balanced_winnow(1.5, n=2, eta=0.1),
        lambda: bounds.balanced_winnow(0.5, n=0, eta=0.1),
        lambda: bounds.balanced_winnow(0.5, n=2, eta=0.0),
        lambda: bounds.balanced_winnow(0.5, n=2, eta=math.inf),
        lambda: bounds.balanced_winnow(0.5, n=2, eta=0.1, distance=-1.0),
        lambda: bounds.balanced_winnow(0.5, n=2, eta=0.1, rounding=math.nan),
        lambda: bounds.balanced_winnow_tuned(1.0, n=2),
        lambda: bounds.balanced_winnow_tuned(0.5, n=2, norm=0.0),
        lambda: bounds.balanced_winnow_textbook(-1.0, n=2),
        lambda: bounds.balanced_winnow_gap(0.0, n=2),
        lambda: bounds.elimination(3, r=4),
        lambda: bounds.elimination(-1, r=0),
        lambda: bounds.elimination(3, r=-1),
        lambda: bounds.elimination_textbook(-1),
    ],
)
def test_numbers_a_theorem_cannot_have_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(th.ParameterError, match=r"found \w+ = .*, expected a number "):
        make()


@pytest.mark.parametrize("n", [2.5, math.inf, math.nan])
def test_a_count_has_no_fraction(n: Any) -> None:
    with pytest.raises(th.ParameterError, match="without a fraction"):
        bounds.elimination_textbook(n)
