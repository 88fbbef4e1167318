"""Examples as users hold them, and as the core reads them: rows of numbers by reference.

Mappings and sets are read by the core itself, key by key; what is here turns everything else into a block of rows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._core import Block, dense_block, sparse_block
from thresher.errors import ExampleError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["block", "is_masked", "many", "numbers", "numeric", "one"]


def many(X: object, n: int) -> tuple[Block, Any]:
    """Many examples, one a row: a 2-D array or a SciPy sparse matrix with n columns; and X as it was read, row by row.

    Rows that a reader made of text are read as they are. float32 and float64 are read where they lie, without a copy; other
    numbers become float64.

    >>> rows, read = many([[1.0, 0.0], [0.5, 2.0]], n=2)
    >>> len(rows), read[1].tolist()
    (2, [0.5, 2.0])
    """
    if isinstance(X, Block):
        return X, X
    if _is_sparse(X):
        csr = _csr(X, n)
        return _sparse(csr, n), csr
    array = numeric(X, "the examples", "a 2-D array of numbers or a SciPy sparse matrix; call learn for each mapping or set")
    if array.ndim != 2:
        raise ExampleError(
            f"found an array of shape {array.shape}, expected two dimensions, rows and {n} columns; "
            "for one example call learn or predict"
        )
    if array.shape[1] != n:
        raise ExampleError(f"found {array.shape[1]} columns, expected n = {n}")
    return dense_block(numbers(array)), array


def block(X: object, n: int) -> Block:
    """Many examples as the core reads them."""
    return many(X, n)[0]


def one(x: object, n: int) -> Block | dict[object, object]:
    """One example that is neither a dict nor a set: a block of one row, or a dict for the core to read."""
    if _is_sparse(x):
        return _sparse(_csr(_one_row(x), n), n)
    if isinstance(x, Mapping):
        return _each_once(list(x.items()))
    if isinstance(x, Set):
        return _each_once([(key, 1.0) for key in x])
    array = numeric(x, "an example", "a vector of numbers, a mapping, a set, or a SciPy sparse row")
    if array.shape != (n,):
        raise ExampleError(f"found an array of shape {array.shape}, expected one example of n = {n} values")
    return dense_block(numbers(array).reshape(1, n))


def numbers(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself where the core can read it, else a copy: C order, aligned, native, float32 or float64.

    >>> numbers(np.array([1, 2], dtype=">i4"))
    array([1., 2.])
    """
    kept = array.dtype.newbyteorder("=") if array.dtype.type in (np.float32, np.float64) else np.float64
    with np.errstate(over="ignore"):  # what becomes infinite is refused where it stands
        return np.require(array, kept, ["C", "A"])


def numeric(x: object, what: str, expected: str) -> NDArray[Any]:
    """X as an array of numbers, or an `ExampleError` that says what was found and what is expected.

    >>> numeric([1, 2], "an example", "numbers")
    array([1, 2])
    """
    if is_masked(x):
        raise ExampleError(f"found a masked array for {what}, expected plain numbers: fill it first")
    try:
        array = np.asarray(x)
    except (ValueError, TypeError, OverflowError):
        raise ExampleError(f"found a {type(x).__name__} that is no array for {what}, expected {expected}") from None
    if array.dtype.kind not in "biuf":
        kind = "strings" if array.dtype.kind in "SUT" else str(array.dtype)
        raise ExampleError(f"found a {type(x).__name__} of {kind} for {what}, expected {expected}")
    return array


def _each_once(pairs: list[tuple[object, object]]) -> dict[object, object]:
    try:
        features = dict(pairs)
    except (TypeError, ValueError):
        raise ExampleError("found a key that cannot be one, expected an int (an index) or a str (a name)") from None
    if len(features) != len(pairs):
        raise ExampleError("the example gives a key twice, expected every key once")
    return features


def is_masked(x: object) -> bool:
    """Whether x is a masked array of NumPy's.

    >>> is_masked(np.ma.masked_equal([1, 2], 2)), is_masked([1, 2])
    (True, False)
    """
    masked = sys.modules.get("numpy.ma")  # not imported: then x is none of its arrays
    return masked is not None and isinstance(x, masked.MaskedArray)


def _is_sparse(x: object) -> bool:
    sparse = sys.modules.get("scipy.sparse")  # not imported: then x is none of its matrices
    return sparse is not None and bool(sparse.issparse(x))


def _one_row(x: Any) -> Any:
    if x.ndim == 1:
        return x.reshape(1, -1)
    if x.shape[0] != 1:
        raise ExampleError(f"found a sparse matrix of shape {x.shape}, expected one row")
    return x


def _csr(X: Any, n: int) -> Any:
    if X.ndim != 2 or X.shape[1] != n:
        raise ExampleError(f"found a sparse matrix of shape {X.shape}, expected rows and n = {n} columns")
    return X.tocsr()


def _sparse(csr: Any, n: int) -> Block:
    data, indices, indptr = csr.data, csr.indices, csr.indptr
    if not all(isinstance(array, np.ndarray) and array.ndim == 1 for array in (data, indices, indptr)):
        raise ExampleError("the sparse matrix is damaged: data, indices and indptr must be vectors")
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise ExampleError(f"the sparse matrix has indices of {indices.dtype} and {indptr.dtype}, expected whole numbers")
    if len(indptr) != csr.shape[0] + 1 or len(indices) != len(data):
        raise ExampleError("the sparse matrix is damaged: indptr, indices and data do not fit together")
    index = np.int32 if indices.dtype == indptr.dtype == np.int32 else np.int64
    return sparse_block(
        np.require(indptr, index, ["C", "A"]),
        np.require(indices, index, ["C", "A"]),
        numbers(numeric(data, "a sparse matrix", "numbers")),
        n,
    )
