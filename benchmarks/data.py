"""Generated data of the three shapes that everything is measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

__all__ = ["SHAPES", "Workload", "sparse"]


@dataclass(frozen=True)
class Workload:
    """A matrix and its labels. `exact` says whether sums of its values are exact in float64."""

    name: str
    about: str
    X: Any
    y: NDArray[np.int64]
    exact: bool

    @property
    def n(self) -> int:
        return int(self.X.shape[1])


def _columns(rng: np.random.Generator, rows: int, n: int, per_row: int, skew: float) -> NDArray[np.int32]:
    """Distinct ascending columns for each row; the larger the skew, the more popular the low ones."""
    columns = np.sort(((n - per_row) * rng.random((rows, per_row)) ** skew).astype(np.int32), axis=1)
    columns += np.arange(per_row, dtype=np.int32)
    return columns


def _csr(columns: NDArray[np.int32], values: NDArray[np.float64], n: int) -> Any:
    rows, per_row = columns.shape
    indptr = np.arange(0, rows * per_row + 1, per_row, dtype=np.int32)
    return scipy.sparse.csr_matrix((values.ravel(), columns.ravel(), indptr), shape=(rows, n))


def text(rows: int) -> Workload:
    """S1: like tf-idf of news text. 47,236 attributes, 76 of them in a row, rows of norm 1, 3 % of labels flipped."""
    rng = np.random.default_rng(1)
    n, per_row = 47_236, 76
    columns = _columns(rng, rows, n, per_row, skew=3.0)
    values = rng.lognormal(0.0, 0.5, (rows, per_row))
    values /= np.sqrt((values * values).sum(axis=1, keepdims=True))
    X = _csr(columns, values, n)
    teacher = rng.standard_normal(n) / (1.0 + np.arange(n) / 300.0)
    y = np.where(X @ teacher > 0.0, 1, -1)
    y[rng.random(rows) < 0.03] *= -1
    return Workload("S1", f"{rows:,} × {n:,}, {per_row} nonzeros a row, like tf-idf", X, y, exact=False)


def disjunction(rows: int) -> Workload:
    """S2: 2^20 binary attributes, 40 in a row; positive if one of 20 relevant attributes is there."""
    rng = np.random.default_rng(2)
    n, per_row, relevant = 2**20, 40, 20
    columns = _columns(rng, rows, n, per_row, skew=1.0)
    spread = np.arange(relevant, dtype=np.int32) * (n // relevant) + 17
    columns[np.isin(columns, spread)] += 1  # only what is planted below is relevant
    planted = rng.random(rows) < 0.5
    columns[planted, 0] = spread[rng.integers(0, relevant, planted.sum())]
    columns.sort(axis=1)
    distinct = (columns[:, 1:] != columns[:, :-1]).all(axis=1)
    X = _csr(columns[distinct], np.ones((int(distinct.sum()), per_row)), n)
    y = np.where(planted[distinct], 1, -1)
    return Workload("S2", f"{X.shape[0]:,} × 2^20, {per_row} binary attributes a row, an OR of 20", X, y, exact=True)


def dense(rows: int) -> Workload:
    """S3: 28 dense attributes, a noisy halfspace."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((rows, 28))
    y = np.where(X @ rng.standard_normal(28) + rng.standard_normal(rows) > 0.0, 1, -1)
    return Workload("S3", f"{rows:,} × 28, dense", X, y, exact=False)


def sparse(rows: int, n: int, per_row: int) -> Workload:
    """A noisy halfspace over so many attributes, so many of them in a row."""
    rng = np.random.default_rng(5)
    columns = _columns(rng, rows, n, per_row, skew=2.0)
    X = _csr(columns, rng.uniform(0.01, 0.99, columns.shape), n)
    y = np.where(X @ rng.standard_normal(n) > 0.0, 1, -1)
    y[rng.random(rows) < 0.1] *= -1
    return Workload("sparse", f"{rows:,} × {n:,}, {per_row} nonzeros a row", X, y, exact=False)


#: Name to what makes it, with its full and its quick number of rows.
SHAPES: dict[str, tuple[Callable[[int], Workload], int, int]] = {
    "S1": (text, 400_000, 40_000),
    "S2": (disjunction, 1_000_000, 100_000),
    "S3": (dense, 1_000_000, 100_000),
}
