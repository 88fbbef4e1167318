"""The Margin Perceptron's theorems as values: golden numbers, the recursion against its definition, their order."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher import bounds

CASES = [case for case in GOLDEN["bounds"]["margin"] if case["eps"] < 1]
margins, epsilons = st.floats(0.02, 1.0), st.floats(0.05, 0.95)


def recursion(margin: float, epsilon: float) -> int:
    """The largest M with γ(M + 1) ≤ f_M, with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        gamma, rho, f, m = Decimal(margin), (1 - Decimal(epsilon)) * Decimal(margin), Decimal(1), 0
        while gamma * (m + 2) <= (f := (f * f + 2 * rho * f + 1).sqrt()):
            m += 1
    return m


@pytest.mark.parametrize("case", CASES)
def test_golden(case: dict[str, Any]) -> None:
    margin, epsilon = case["gamma"], case["eps"]
    assert bounds.margin_perceptron(margin, epsilon=epsilon).value == pytest.approx(case["closed"], rel=1e-12)
    assert bounds.margin_perceptron_recursion(margin, epsilon=epsilon).value == case["recursion"]
    assert bounds.margin_perceptron_textbook(margin).value == pytest.approx(case["note_12"], rel=1e-12)


@pytest.mark.parametrize(("margin", "updates"), [(0.5, 7), (0.3, 25), (0.2, 60), (0.1, 248), (0.07, 510)])
def test_the_recursion_is_what_an_adversary_attains(margin: float, updates: int) -> None:
    assert bounds.margin_perceptron_recursion(margin).at_most == updates
    assert bounds.margin_perceptron_mistakes(margin).at_most == updates + 1
    assert bounds.margin_perceptron_mistakes(margin).on == "mistakes"


@given(margins, epsilons)
def test_the_recursion_is_its_definition(margin: float, epsilon: float) -> None:
    assert bounds.margin_perceptron_recursion(margin, epsilon=epsilon).value == recursion(margin, epsilon)


@given(margins, epsilons)
def test_recursion_closed_and_textbook_in_this_order(margin: float, epsilon: float) -> None:
    exact = bounds.margin_perceptron_recursion(margin, epsilon=epsilon).value
    assert exact <= bounds.margin_perceptron(margin, epsilon=epsilon).value * (1 + 1e-12)
    assert bounds.margin_perceptron(margin).value <= bounds.margin_perceptron_textbook(margin).value * (1 + 1e-12)
    assert exact <= bounds.margin_perceptron_recursion(margin, epsilon=epsilon, rounding=1e-6).value
    assert exact <= bounds.margin_perceptron_recursion(margin * 0.9, epsilon=epsilon).value


@pytest.mark.parametrize(("margin", "exact"), [(3e-3, 279_204), (1e-3, 2_512_859)])
def test_many_steps_at_once_are_outward_and_nearly_exact(margin: float, exact: int) -> None:
    """The numbers were iterated one by one."""
    assert exact <= bounds.margin_perceptron_recursion(margin).value <= exact * (1 + 1e-6)


@pytest.mark.parametrize("margin", [1e-4, 1e-6, 1e-8])
def test_small_margins_have_the_limit_of_the_theory(margin: float) -> None:
    """M·γ² tends to the s with s = 2·ln(1 + s)."""
    s = bounds.margin_perceptron_recursion(margin).value * margin * margin
    assert s == pytest.approx(2 * math.log1p(s), rel=1e-3)


@pytest.mark.parametrize(("margin", "epsilon"), [(1e-200, 0.5), (1e-13, 0.5), (0.5, 1e-14), (1.0, 5e-324), (5e-324, 0.5)])
def test_where_the_recursion_would_not_end_the_closed_form_stands(margin: float, epsilon: float) -> None:
    bound = bounds.margin_perceptron_recursion(margin, epsilon=epsilon)
    assert bound.value == bounds.margin_perceptron(margin, epsilon=epsilon).value


def test_rounding_that_closes_the_room_leaves_no_bound() -> None:
    assert bounds.margin_perceptron_recursion(0.1, rounding=0.1).infinite
    assert bounds.margin_perceptron_mistakes(0.1, rounding=math.inf).infinite
    assert bounds.margin_perceptron_recursion(0.1, rounding=0.02).value > 248


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from([0.25, 0.5, 0.9]))
def test_no_random_stream_exceeds_the_recursion(seed: int, n: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    u = np.eye(n)[0]
    X = rng.standard_normal((60, n))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X[:, 0]) > 0.1]
    z = X * np.sign(X[:, :1])
    if len(z):
        margin = float((z @ u).min())
        w, updates = z[0].copy(), 0
        for row in np.tile(z, (20, 1)):
            if row @ w < (1 - epsilon) * margin * np.linalg.norm(w):
                w += row
                updates += 1
        assert bounds.margin_perceptron_recursion(margin, epsilon=epsilon, rounding=1e-12).allows(updates)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.margin_perceptron(0.0),
        lambda: bounds.margin_perceptron(1.5),
        lambda: bounds.margin_perceptron(math.nan),
        lambda: bounds.margin_perceptron(0.5, epsilon=0.0),
        lambda: bounds.margin_perceptron(0.5, epsilon=1.0),
        lambda: bounds.margin_perceptron_recursion(0.5, epsilon=math.nan),
        lambda: bounds.margin_perceptron_recursion(0.5, rounding=-1e-9),
        lambda: bounds.margin_perceptron_mistakes(-0.5),
        lambda: bounds.margin_perceptron_textbook(2.0),
    ],
)
def test_numbers_a_theorem_cannot_have_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(th.ParameterError, match=r"found \w+ = .*, expected a number "):
        make()
