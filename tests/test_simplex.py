"""The least of a quadratic form over mixtures of many: no other mixture is better by more than rounding."""

from __future__ import annotations

import numpy as np
import pytest

from thresher.ledger.simplex import least_mixture


@pytest.mark.parametrize("n", [64, 65, 150, 300])
@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_no_forecaster_would_improve_the_best_of_many(n: int, shared: float) -> None:
    check_least(n, shared, 1e-9)


def test_the_best_of_thousands_is_found_where_few_count() -> None:
    check_least(2100, 1.0, 1e-9)


@pytest.mark.parametrize(("shared", "within"), [(1.0, 1e-9), (0.0, 0.1)])  # of thousands that all count: roughly
def test_the_best_of_hundreds_is_found_as_that_of_thousands_is(
    shared: float, within: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thresher.ledger.simplex._HUGE", 500)
    monkeypatch.setattr("thresher.ledger.simplex._CHOSEN", 125)
    check_least(525, shared, within)


def check_least(n: int, shared: float, within: float) -> None:
    rng = np.random.default_rng(n)
    errors = rng.normal(size=(2 * n, n)) * rng.uniform(0.5, 4.0, n) + shared * rng.normal(size=(2 * n, 1)) * rng.uniform(
        0, 2, n
    )
    gram = errors.T @ errors
    u = least_mixture(gram)
    assert (u >= 0).all()
    assert u.sum() == pytest.approx(1.0)
    slopes = gram @ u
    assert float(u @ slopes) - float(slopes.min()) <= within * float(u @ slopes)


@pytest.mark.parametrize(("copies", "huge"), [(3, 2000), (30, 2000), (11, 500)])
def test_more_forecasters_than_rounds_and_copies_of_each_other_have_a_mixture_too(
    copies: int, huge: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thresher.ledger.simplex._HUGE", huge)
    rng = np.random.default_rng(0)
    errors = np.tile(rng.normal(size=(20, 50)), (1, copies))
    gram = errors.T @ errors
    u = least_mixture(gram)
    assert float(u @ gram @ u) <= 1e-9 * float(gram.diagonal().max())
