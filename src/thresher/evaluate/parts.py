"""Examples that can be read again and again: rows in memory, or whatever opens a stream anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._core import Block
from thresher.data.stream import Batch, Stream
from thresher.errors import ExampleError, ParameterError
from thresher.examples import many

__all__ = ["Examples", "Part", "parts"]

#: Rows with their labels, as `learn_many` takes them, or a batch of a stream.
Given = Batch | tuple[Any, Any]
#: Such parts in memory, or what gives them anew each time that it is called.
Examples = Sequence[Given] | Callable[[], Iterable[Given]]


class Part(NamedTuple):
    """Some of the examples, for `learn_many`, and the same rows as a canonical CSR matrix."""

    X: Block
    y: Any
    weights: NDArray[np.float64] | None
    matrix: Any


def parts(given: Examples, n: int) -> Iterator[Part]:
    """The examples, part by part, each with n columns.

    >>> [len(part.y) for part in parts([([[1, 0], [0, 1]], [True, False]), ([[1, 1]], [1])], 2)]
    [2, 1]
    """
    opened = given() if callable(given) else given
    if not callable(given) and not isinstance(given, Sequence):
        raise ParameterError(
            f"found {type(given).__name__} for the examples, expected [(X, y)], or a function that gives them anew, "
            "such as lambda: th.open_stream(path)"
        )
    with opened if isinstance(opened, Stream) else nullcontext():
        for each in opened:
            yield _part(each, n)


def _part(given: object, n: int) -> Part:
    if isinstance(given, Batch):
        if given.X.n != n:
            raise ExampleError(f"found a stream of n = {given.X.n} slots, expected n = {n}")
        return Part(given.X, given.y, given.weights, given.matrix())
    if not isinstance(given, tuple) or len(given) != 2:
        raise ParameterError(f"found {type(given).__name__} among the examples, expected (X, y) or a batch of a stream")
    from scipy.sparse import csr_matrix

    X, y = given
    block, read = many(X, n)
    matrix = csr_matrix(read, dtype=np.float64, copy=True)
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return Part(block, y, None, matrix)
