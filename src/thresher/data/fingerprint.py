"""The fingerprint of a stream: what its examples are, whatever file or format they came from."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.data.recipe import HASH

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Fingerprint"]


class Fingerprint:
    """SHA-256 over canonical examples, in order: their slots, the bits of their values, labels and weights.

    Canonical is: ascending slots, no zeros. What is hashed are six digests: of a text that names n, the hash of names and its
    seed; then, over all rows and little-endian, of the rows' lengths and of the slots (unsigned, 8 bytes), of the values and of
    the weights (float64), and of the labels (−1 or +1, one byte). How rows are cut into batches does not matter.

    >>> from scipy.sparse import csr_matrix
    >>> whole, pieces = Fingerprint(3), Fingerprint(3)
    >>> rows, y = csr_matrix([[0.0, 1.0, 2.0], [0.5, 0.0, 0.0]]), np.array([1, -1], np.int8)
    >>> whole.enter(rows, y, None)
    >>> pieces.enter(rows[:1], y[:1], None)
    >>> pieces.enter(rows[1:], y[1:], np.ones(1))
    >>> whole.value == pieces.value, whole.value[:12]
    (True, '53fdb226c478')
    """

    def __init__(self, n: int) -> None:
        named = f"thresher examples 1, n={n}, hash={HASH['hash']}, seed={HASH['seed']}"
        self._named = hashlib.sha256(named.encode())
        self._columns = [hashlib.sha256() for _ in range(5)]

    def enter(self, rows: Any, y: NDArray[np.int8], weights: NDArray[np.float64] | None) -> None:
        """Adds rows, a canonical CSR matrix, with their labels and their weights; None for 1 throughout."""
        weighed = np.ones(len(y)) if weights is None else weights
        columns = (np.diff(rows.indptr), rows.indices, rows.data, weighed, y)
        kinds = ("<u8", "<u8", "<f8", "<f8", "i1")
        for digest, column, kind in zip(self._columns, columns, kinds, strict=True):
            digest.update(np.ascontiguousarray(column, kind).data)

    @property
    def value(self) -> str:
        """The fingerprint of what was entered so far, in hexadecimal digits."""
        return hashlib.sha256(b"".join(each.digest() for each in (self._named, *self._columns))).hexdigest()
