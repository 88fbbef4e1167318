"""Rows as they are given: what the core reads where it lies, and what is in them."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse

__all__ = ["any_negative", "readable"]


def readable(X: object) -> TypeGuard[Any]:
    """Whether these are rows, one at least, that the core reads where they lie.

    >>> readable(np.eye(2)), readable(np.eye(2, dtype=int)), readable([[1.0, 2.0]])
    (True, False, False)
    """
    if type(X) is np.ndarray:
        plain = X.ndim == 2 and X.flags.c_contiguous
    elif isinstance(X, csr_matrix | csr_array):
        plain = X.ndim == 2
    else:
        return False
    return bool(plain and X.dtype in (np.float64, np.float32) and min(X.shape) > 0)


def any_negative(rows: Any) -> bool:
    """Whether a value is below 0."""
    sparse: bool = issparse(rows)
    return bool(((rows.data if sparse else rows) < 0.0).any())
