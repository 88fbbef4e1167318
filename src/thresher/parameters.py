"""What a parameter may be: checked here for every learner."""

from __future__ import annotations

from operator import index
from typing import SupportsFloat, SupportsIndex

from thresher._core import MOST_ATTRIBUTES
from thresher.errors import ParameterError

__all__ = ["attributes", "number", "number_or_none"]


def attributes(n: object) -> int:
    """The number of attributes, checked.

    >>> attributes(3)
    3
    """
    if isinstance(n, bool) or not isinstance(n, SupportsIndex) or not 1 <= index(n) <= MOST_ATTRIBUTES:
        raise ParameterError(f"found n = {n!r}, expected a whole number of attributes from 1 to 2^48")
    return index(n)


def number(name: str, value: object, expected: str) -> float:
    """A parameter that is a number, checked to be one.

    >>> number("factor", 2, "a number above 1")
    2.0
    """
    found = number_or_none(name, value, expected)
    if found is None:
        raise ParameterError(f"found {name} = None, expected {expected}")
    return found


def number_or_none(name: str, value: object, expected: str = "None or a number") -> float | None:
    """A parameter that is a number or left out, checked.

    >>> number_or_none("bias", 1)
    1.0
    """
    if value is None or type(value) is float:  # what most are need not be asked what it can do, which takes long
        return value
    if not isinstance(value, SupportsFloat | SupportsIndex):
        raise ParameterError(f"found {name} = {value!r}, expected {expected}")
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise ParameterError(f"found {name} = {value!r}, expected a number that float64 holds") from None
