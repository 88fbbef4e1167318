"""The Perceptron's theorems as values: golden numbers, their order, and streams that never exceed and sometimes attain them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher import bounds
from thresher.bounds.rounding import perceptron_factor

BOUNDS = GOLDEN["bounds"]
positive = st.floats(1e-3, 1e3)
amount = st.floats(0.0, 1e3)


@pytest.mark.parametrize("case", BOUNDS["perceptron"])
def test_separable_golden(case: dict[str, Any]) -> None:
    bound = bounds.perceptron_separable(case["gamma"], radius=case["R"], norm=case["U"])
    assert bound.value == pytest.approx(case["value"], rel=1e-12)


@pytest.mark.parametrize("case", BOUNDS["perceptron_td_solved"])
def test_distance_golden(case: dict[str, Any]) -> None:
    bound = bounds.perceptron_distance(case["TD"], margin=case["gamma"], radius=case["R"])
    assert bound.value == pytest.approx(case["value"], rel=1e-12)


@pytest.mark.parametrize("case", BOUNDS["perceptron_td_note"])
def test_distance_textbook_golden(case: dict[str, Any]) -> None:
    bound = bounds.perceptron_distance_textbook(case["TD"], margin=case["gamma"], radius=case["R"])
    assert bound.value == pytest.approx(case["value"], rel=1e-12)


@pytest.mark.parametrize("case", BOUNDS["perceptron_hinge"])
def test_hinge_golden(case: dict[str, Any]) -> None:
    assert bounds.perceptron_hinge(case["H"], norm=case["V"]).value == pytest.approx(case["value"], rel=1e-12)


@given(hinge=amount, norm=amount, radius=positive)
def test_the_hinge_form_solves_its_inequality(hinge: float, norm: float, radius: float) -> None:
    m = bounds.perceptron_hinge(hinge, norm=norm, radius=radius).value
    assert m == pytest.approx(hinge + radius * norm * math.sqrt(m), rel=1e-9, abs=1e-9)


@given(distance=amount, margin=positive, radius=positive, norm=positive)
def test_the_solved_form_is_never_above_the_textbook_form(distance: float, margin: float, radius: float, norm: float) -> None:
    scale = {"margin": margin, "radius": radius, "norm": norm}
    solved = bounds.perceptron_distance(distance, **scale)
    assert solved.value <= bounds.perceptron_distance_textbook(distance, **scale).value * (1 + 1e-12)


@given(margin=positive, radius=positive, norm=positive)
def test_every_form_with_nothing_missed_is_the_separable_form(margin: float, radius: float, norm: float) -> None:
    scale = {"margin": margin, "radius": radius, "norm": norm}
    separable = pytest.approx(bounds.perceptron_separable(**scale).value, rel=1e-12)
    assert bounds.perceptron_distance(0.0, **scale).value == separable
    assert bounds.perceptron_squared_distance(0.0, **scale).value == separable
    assert bounds.perceptron_hinge(0.0, norm=norm / margin, radius=radius).value == separable


@given(margin=positive, radius=positive)
def test_a_gap_is_two_margins(margin: float, radius: float) -> None:
    threshold = bounds.perceptron_threshold(margin, radius=radius).value
    assert bounds.perceptron_gap(2 * margin, radius=radius).value == pytest.approx(threshold, rel=1e-12)


def test_forty_orthonormal_examples_are_never_above_the_whole_bound() -> None:
    for k in range(1, 41):
        assert bounds.perceptron_separable(1 / math.sqrt(k)).at_most == k


def test_the_converse_turns_mistakes_into_a_ceiling_on_margins() -> None:
    bound = bounds.perceptron_largest_margin(40)
    assert bound.on == "margin"
    assert bound.value == pytest.approx(1 / math.sqrt(40))


def test_a_bound_that_overflows_is_infinite_and_allows_everything() -> None:
    bound = bounds.perceptron_separable(1e-300, radius=1e50)
    assert math.isinf(bound.value)
    assert bound.allows(10**9)
    assert str(bound) == "mistakes ≤ ∞ by Perceptron, separable"
    with pytest.raises(OverflowError):
        _ = bound.at_most


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.perceptron_separable(0.0),
        lambda: bounds.perceptron_separable(-1.0),
        lambda: bounds.perceptron_separable(math.nan),
        lambda: bounds.perceptron_separable(math.inf),
        lambda: bounds.perceptron_separable(1.0, radius=-1.0),
        lambda: bounds.perceptron_hinge(-0.5, norm=1.0),
        lambda: bounds.perceptron_hinge(math.nan, norm=1.0),
        lambda: bounds.perceptron_distance(1.0, margin=0.0),
        lambda: bounds.perceptron_run(0.5, squares=-1.0),
        lambda: bounds.perceptron_threshold(0.0, radius=1.0),
        lambda: bounds.perceptron_gap(0.0, radius=1.0),
        lambda: bounds.perceptron_largest_margin(0),
    ],
)
def test_numbers_a_theorem_cannot_have_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(th.ParameterError, match=r"found \w+ = "):
        make()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 60), st.floats(0.0, 0.4), st.booleans())
def test_no_random_stream_exceeds_a_bound(seed: int, n: int, rows: int, noise: float, normalize: bool) -> None:
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(n)
    X = rng.standard_normal((rows, n)) * rng.choice([0.1, 1.0, 10.0])
    y = np.where(X @ u >= 0.0, 1, -1) * rng.choice([1, -1], rows, p=[1 - noise, noise])
    learner = th.Perceptron(n, normalize=normalize)
    learner.learn_many(X, y)
    seen = X / np.linalg.norm(X, axis=1, keepdims=True) if normalize else X
    margins = y * (seen @ u)
    radius, norm = float(np.linalg.norm(seen, axis=1).max()), float(np.linalg.norm(u))
    for gamma in (0.01, 0.1, 1.0):
        scale = {"margin": gamma, "radius": radius, "norm": norm}
        short = np.maximum(0.0, gamma - margins)
        assert bounds.perceptron_distance(float(short.sum()), **scale).allows(learner.mistakes)
        assert bounds.perceptron_squared_distance(float((short**2).sum()), **scale).allows(learner.mistakes)
    if margins.min() > 0.0:
        assert bounds.perceptron_separable(float(margins.min()), radius=radius, norm=norm).allows(learner.mistakes)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 60))
def test_no_random_stream_exceeds_the_threshold_form(seed: int, n: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(n)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((rows, n))
    tau = float(rng.uniform(-0.5, 0.5))
    keep = np.abs(X @ u - tau) > 0.05
    X, y = X[keep], np.where(X[keep] @ u > tau, 1, -1)
    if len(set(y.tolist())) == 2:
        radius = float(np.linalg.norm(X, axis=1).max())
        gamma = float((y * (X @ u - tau)).min())
        learner = th.Perceptron(n, bias=radius)
        learner.learn_many(X, y)
        assert bounds.perceptron_threshold(gamma, radius=radius).allows(learner.mistakes)


@pytest.mark.parametrize("k", [1, 2, 7, 29])
@pytest.mark.parametrize("c", [0.25, 0.5, 1.0])
def test_the_hinge_form_is_attained(k: int, c: float) -> None:
    """k orthonormal examples against v = −c·Σe: H = k(1 − c) and ‖v‖ = c√k, so H + ‖v‖√k = k, and k mistakes are made."""
    learner = th.Perceptron(k)
    learner.learn_many(np.eye(k), -np.ones(k))
    assert learner.mistakes == bounds.perceptron_hinge(k * (1 - c), norm=c * math.sqrt(k)).at_most == k


def test_rounding_costs_next_to_nothing_and_is_refused_where_unproven() -> None:
    assert 1.0 < perceptron_factor(1.0, rounds=10**6, terms=100, normalize=True) < 1 + 1e-8
    assert math.isinf(perceptron_factor(1.0, rounds=2**60, terms=100, normalize=False))
    assert math.isinf(perceptron_factor(1e-160, rounds=10, terms=100, normalize=False))
    assert perceptron_factor(0.0, rounds=10, terms=0, normalize=False) >= 1.0


def test_the_factor_covers_what_rounding_does_to_the_norm() -> None:
    """The norm of the rounded weights, exactly, against ρ·R·√M."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((3000, 5))
    learner = th.Perceptron(5)
    learner.learn_many(X, rng.choice([-1, 1], len(X)))
    square = sum(Fraction(v) ** 2 for v in learner.weights.tolist())
    largest = max(sum(Fraction(v) ** 2 for v in row) for row in X.tolist())
    factor = Fraction(perceptron_factor(1.0, rounds=len(X), terms=5, normalize=False))
    assert square <= factor**2 * largest * learner.mistakes
