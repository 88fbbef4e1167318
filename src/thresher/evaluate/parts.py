"""Examples that can be read again and again: pairs (X, y) in memory, or batches of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher import labels
from thresher.data.stream import Batch, Stream
from thresher.errors import ExampleError, ParameterError
from thresher.examples import many, numeric

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

__all__ = ["Examples", "Part", "parts"]

#: A list of parts, each a pair (X, y) or a batch of a stream, or a function that gives them anew.
Examples = Sequence[tuple[Any, Any] | Batch] | Callable[[], Iterable[tuple[Any, Any] | Batch]]

_EXPECTED = "a list of pairs (X, y), such as [(X, y)], or a function that gives them, or batches of a stream, anew"


@dataclass(frozen=True)
class Part:
    """Some of the examples, as `learn_many` takes them; `batch` is where they come from, if it is a stream."""

    X: Any
    y: Any
    weights: Any = None
    batch: Batch | None = None

    @classmethod
    def of(cls, given: object) -> Part:
        """A pair (X, y), or a batch."""
        if isinstance(given, Batch):
            return cls(given.X, given.y, given.weights, given)
        if not isinstance(given, tuple) or len(given) != 2:
            raise ParameterError(f"found a part of type {type(given).__name__}, expected {_EXPECTED}")
        X = given[0] if hasattr(given[0], "shape") else numeric(given[0], "the examples", "a 2-D array or a SciPy matrix")
        if len(X.shape) != 2 or X.shape[1] == 0:
            raise ExampleError(f"found examples of shape {X.shape}, expected rows and columns")
        return cls(X, given[1])

    @property
    def n(self) -> int:
        """The number of columns."""
        return int(self.X.shape[1])

    def positive(self) -> NDArray[np.bool_]:
        """Which rows have the positive label, of labels that are known to be good."""
        return labels.read(self.y, self.X.shape[0]).codes > 0

    def matrix(self) -> csr_matrix:
        """The rows, canonical: in float64, slots ascending, without zeros."""
        from scipy.sparse import csr_matrix

        if self.batch is not None:
            return self.batch.matrix()
        made = csr_matrix(many(self.X, self.n)[1], dtype=np.float64, copy=True)  # what was given is not ours to change
        made.sort_indices()
        made.eliminate_zeros()
        return made


def parts(examples: Examples) -> Iterator[Part]:
    """The examples once more, part by part; those without a row are left out.

    >>> [part.X.shape for part in parts([([[1, 0], [0, 1]], [True, False]), ([[1, 1]], [1])])]
    [(2, 2), (1, 2)]
    """
    if not callable(examples) and not isinstance(examples, Sequence):
        raise ParameterError(f"found {type(examples).__name__}, expected {_EXPECTED}")
    n = None
    opened = examples() if callable(examples) else examples
    with opened if isinstance(opened, Stream) else nullcontext():
        for given in opened:
            part = Part.of(given)
            if part.n != (n or part.n):
                raise ExampleError(f"found a part with {part.n} columns after one with {n}, expected as many in each")
            n = part.n
            if part.X.shape[0]:
                yield part
