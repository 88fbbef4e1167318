"""Small streams for what is found in hindsight, and the same in fractions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

__all__ = ["Small", "dot", "exact", "signed", "small_streams"]

Row = tuple[Fraction, ...]


class Small(NamedTuple):
    """A few rows and their labels."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]


def small_streams(n: int, most: int, value: st.SearchStrategy[float] | None = None) -> st.SearchStrategy[Small]:
    """From one row to `most` of n numbers, whole and small unless another kind is given."""
    number = st.integers(-3, 3).map(float) if value is None else value
    row = st.tuples(st.lists(number, min_size=n, max_size=n), st.sampled_from([-1, 1]))
    return st.lists(row, min_size=1, max_size=most).map(
        lambda rows: Small(np.array([x for x, _ in rows]), np.array([y for _, y in rows]))
    )


def exact(numbers: Iterable[float]) -> Row:
    return tuple(Fraction(number) for number in numbers)


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def signed(small: Small, bias: float | None = None) -> list[Row]:
    """y·x, with the dummy behind."""
    behind = [] if bias is None else [bias]
    return [exact(y * value for value in [*x, *behind]) for x, y in zip(small.X.tolist(), small.y.tolist(), strict=True)]
