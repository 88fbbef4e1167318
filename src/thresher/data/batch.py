"""What a stream gives: examples in batches, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import NOT_A_LABEL, Block
from thresher._core import Batch as CoreBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

__all__ = ["UNLABELLED", "Batch", "Position"]

#: What stands in `Batch.y` where an example has no label.
UNLABELLED = NOT_A_LABEL


@dataclass(frozen=True, eq=False)
class Batch:
    """Some thousand examples as they came: `learner.learn_many(batch.X, batch.y, batch.weights)` learns them.

    `X` holds the rows, `y` a label for each (−1 or +1; `UNLABELLED` where there is none), `weights` is None if all
    are 1, `tags` is empty unless they were asked for. `rows` are those that the reader gave; `first` says which of them
    this batch begins with, and `places`, where some are left out, which they are.
    """

    X: Block
    codes: NDArray[np.int8] | memoryview
    weights: NDArray[np.float64] | None
    tags: list[str]
    rows: CoreBatch
    first: int = 0
    places: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> NDArray[np.int8]:
        """The labels as an array."""
        return np.asarray(self.codes)

    def part(self, start: int, end: int) -> Batch:
        """Its examples from `start` until before `end`, by reference."""
        weights = None if self.weights is None else self.weights[start:end]
        X, codes, tags = self.X.rows(start, end), self.codes[start:end], self.tags[start:end]
        if self.places is None:
            return Batch(X, codes, weights, tags, self.rows, self.first + start)
        places = self.places[start:end]
        return Batch(X, codes, weights, tags, self.rows, int(places[0]) if end > start else self.first, places)

    def without(self, out: NDArray[np.bool_]) -> Batch:
        """Its examples but for those that are left out, by reference."""
        kept = np.flatnonzero(~out)
        weights = None if self.weights is None else self.weights[kept]
        tags = [self.tags[k] for k in kept.tolist()] if self.tags else []
        places = kept + self.first if self.places is None else self.places[kept]
        first = int(places[0]) if len(kept) else self.first
        return Batch(self.X.without(out), self.y[kept], weights, tags, self.rows, first, places)

    def place(self, row: int) -> int:
        """Which of the reader's rows this example is."""
        return self.first + row if self.places is None else int(self.places[row])

    def matrix(self) -> csr_matrix:
        """The rows as a SciPy matrix, for other libraries."""
        from scipy.sparse import csr_matrix

        rows = self.rows
        whole = csr_matrix((rows.data, rows.indices, rows.indptr), shape=(len(rows), self.X.n))
        if self.places is not None:
            return whole[self.places]
        return whole if len(rows) == len(self) else whole[self.first : self.first + len(self)]


@dataclass(frozen=True)
class Position:
    """How far a stream was read: so many bytes of text, with this digest."""

    offset: int = 0
    digest: int | None = None
