"""Labels as they are given, and as the core codes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._core import label_code, label_codes
from thresher.errors import LabelError

__all__ = ["codes"]

_CODED = (np.int8, np.int32, np.int64, np.uint8, np.bool_, np.float32, np.float64)


def codes(y: Sequence[object] | NDArray[Any], rows: int) -> NDArray[np.int8]:
    """One code a row: 1, 0 or −1, or `NOT_A_LABEL`, which the core refuses when it comes to that row.

    >>> codes([True, False, 1.0, 0], 4)
    array([1, 0, 1, 0], dtype=int8)
    """
    array = np.asarray(y)
    if array.ndim != 1 or len(array) != rows:
        raise LabelError(f"found labels of shape {array.shape}, expected one label for each of {rows} rows")
    if array.dtype.kind in "OSUVMmcT" or isinstance(array, np.ma.MaskedArray):
        return np.array([label_code(label) for label in y], dtype=np.int8)
    if array.dtype.type not in _CODED:
        array = array.astype(np.float64)
    return label_codes(np.require(array, array.dtype.newbyteorder("="), ["C", "A"]))
