"""Streams for the tests of ledger and certificates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher.bounds import Certificate

__all__ = ["by_theorem", "separable_stream"]


def separable_stream(
    rows: int = 200, n: int = 4, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(n)
    X = rng.standard_normal((rows, n))
    X = X[np.abs(X @ u) > 0.3]
    return X, np.where(X @ u > 0.0, 1, -1), u


def by_theorem(ledger: th.Ledger) -> dict[str, Certificate]:
    return {c.bound.theorem.name + (" (diagnostic)" if c.diagnostic else ""): c for c in ledger.certificates()}
