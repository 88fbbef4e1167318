"""What a theorem's numbers may be: a bad one is refused by name, with what was found and what is expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from thresher.errors import ParameterError

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["as_float", "check", "not_negative", "positive", "whole"]


def check(rule: str, good: Callable[[float], bool], **numbers: float) -> None:
    """Refuse the first number that is not good.

    >>> check("above 0", lambda number: number > 0, margin=-1)
    Traceback (most recent call last):
        ...
    thresher.errors.ParameterError: found margin = -1, expected a number above 0
    """
    for name, number in numbers.items():
        if not good(number):
            raise ParameterError(f"found {name} = {number}, expected a number {rule}")


def positive(**numbers: float) -> None:
    """Numbers above 0, finite."""
    check("above 0", lambda number: 0 < number < math.inf, **numbers)


def not_negative(**numbers: float) -> None:
    """Numbers of at least 0; infinity too: a sum may have overflowed, and the bound is then infinite."""
    check("of at least 0", lambda number: number >= 0, **numbers)


def whole(least: int, most: float = math.inf, **numbers: float) -> None:
    """Counts from `least` to `most`."""
    limits = f"of at least {least}" if math.isinf(most) else f"from {least} to {most}"
    check(f"without a fraction, {limits}", lambda number: least <= number <= most and _no_fraction(number), **numbers)


def as_float(number: Fraction | int) -> float:
    """The nearest float; infinite where there is none.

    >>> from fractions import Fraction
    >>> as_float(Fraction(1, 4)), as_float(10**400)
    (0.25, inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _no_fraction(number: float) -> bool:
    return number < math.inf and number == math.floor(number)
