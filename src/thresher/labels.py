"""Labels as they are given, and as the core codes them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from thresher._core import NOT_A_LABEL, label_code, label_codes
from thresher.errors import LabelError
from thresher.examples import is_masked

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Given", "Labels", "codes", "read"]

#: Labels as somebody gave them, or as a stream has them.
Given: TypeAlias = "list[object] | NDArray[Any] | memoryview"

_CODED = ("int8", "int32", "int64", "uint8", "float32", "float64")


class Labels(NamedTuple):
    """One code a row, 1, 0, −1 or `NOT_A_LABEL`, which the core refuses when it comes to that row; and what was given."""

    codes: NDArray[np.int8]
    given: list[object] | NDArray[Any]


def read(y: object, rows: int) -> Labels:
    """The labels of many rows, from a sequence or an array.

    >>> read([True, False, 1.0, 0], 4).codes
    array([1, 0, 1, 0], dtype=int8)
    >>> read([1, "yes", -1], 3).codes.tolist() == [1, NOT_A_LABEL, -1]
    True
    """
    given = _given(y)
    if len(given) != rows:
        raise LabelError(f"found {len(given)} labels, expected one for each of {rows} rows")
    if isinstance(given, list):
        return Labels(np.array([label_code(label) for label in given], dtype=np.int8), given)
    array = given.view(np.uint8) if given.dtype == np.bool_ else given
    if array.dtype.name in _CODED:
        return Labels(label_codes(np.require(array, array.dtype.newbyteorder("="), ["C", "A"])), given)
    codes = np.full(rows, NOT_A_LABEL, dtype=np.int8)
    for label in (-1, 0, 1):
        codes[given == label] = label
    return Labels(codes, given)


def codes(y: object, rows: int) -> tuple[NDArray[np.int8] | memoryview, Given]:
    """The same for the core alone: the codes of a stream's batch, in a memoryview, are left where they lie."""
    if isinstance(y, memoryview) and y.format == "b" and y.shape == (rows,) and y.c_contiguous:
        return y, y
    return read(y, rows)


def _given(y: object) -> list[object] | NDArray[Any]:
    """An array of numbers where y is one, else its elements one by one, each as it is."""
    if is_masked(y):
        y = cast("Any", y).tolist()  # None where it is masked
    try:
        array = np.asarray(y)
    except (TypeError, ValueError):  # ragged, or of types that do not go together
        array = np.asarray(None)
    if array.ndim > 1:
        raise LabelError(f"found labels of shape {array.shape}, expected one dimension")
    if array.ndim == 1 and array.dtype.kind in "biuf":
        return array
    if isinstance(y, Iterable) and not isinstance(y, str | bytes):
        with suppress(TypeError, NotImplementedError):  # of no dimension, or memory of a format that Python does not know
            return list(y)
    raise LabelError(f"found {type(y).__name__} for the labels, expected one for each row")
