"""Advice as users hold it, and as the core reads it: a byte for each expert."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._core import ASLEEP
from thresher.errors import ExampleError
from thresher.examples import is_masked

__all__ = ["Advice", "read"]

_NOT_ADVICE = ASLEEP + 1


class Advice(NamedTuple):
    """One code for each expert: 1 is plus, 0 and −1 are minus, `ASLEEP`, or one more, which the core refuses at its place.

    `read` is the advice as it was given. What it `holds` is "bits", 0 and 1 alone, "signs", bytes as they were given, or
    "sleepers" among codes that were made here.
    """

    codes: NDArray[np.int8]
    read: NDArray[Any]
    holds: str


def read(x: object, dimensions: int) -> Advice:
    """The advice of one round (one dimension) or of many (two, a round a row).

    Bytes and booleans are read where they lie; other numbers become bytes. NaN and None are experts asleep.

    >>> read([1, 0, None], 1).codes.tolist() == [1, 0, ASLEEP]
    True
    >>> read(np.array([[True, False]]), 2)[::2]
    (array([[1, 0]], dtype=int8), 'bits')
    """
    array = _array(x, dimensions)
    if array.dtype == np.bool_:
        array = _true_or_false(array)
    bits = array.dtype == np.bool_ or (array.dtype == np.uint8 and (array.size == 0 or array.max() <= 1))
    if bits or array.dtype == np.int8:
        return Advice(np.require(array, None, ["C", "A"]).view(np.int8), array, "bits" if bits else "signs")
    codes = np.full(array.shape, _NOT_ADVICE, dtype=np.int8)
    for said in (-1, 0, 1):
        codes[array == said] = said
    if array.dtype.kind == "f":
        codes[np.isnan(array)] = ASLEEP
    return Advice(codes, array, "sleepers")


def _true_or_false(array: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The same with bytes of 0 and 1 alone: a view of other bytes as booleans may hold any."""
    numbers = np.ascontiguousarray(array).view(np.uint8)
    return array if array.size == 0 or numbers.max() <= 1 else numbers != 0


def _array(x: object, dimensions: int) -> NDArray[Any]:
    expected = "one number for each expert" if dimensions == 1 else "rows of numbers, one for each expert"
    if is_masked(x):
        raise ExampleError(f"found a masked array for the advice, expected {expected}: fill it first, NaN is an expert asleep")
    try:
        array = np.asarray(x)
        if array.dtype == np.object_ and not any(isinstance(each, str | bytes) for each in array.flat):  # None among numbers
            array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ExampleError(f"found a {type(x).__name__} that is no array for the advice, expected {expected}") from None
    if array.dtype.kind not in "biuf" or array.ndim != dimensions:
        found = f"{type(x).__name__} of {array.dtype} and shape {array.shape}"
        raise ExampleError(f"found a {found} for the advice, expected {expected}")
    return array
