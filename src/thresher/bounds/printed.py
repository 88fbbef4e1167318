"""Numbers as a certificate prints them: six digits, rounded to the safe side of what they stand for."""

from __future__ import annotations

import math

__all__ = ["above", "below"]

_DIGITS = 6


def above(number: float) -> str:
    """A decimal that is not below the number.

    >>> above(2**0.5), above(135.0), above(1e-20)
    ('1.41422', '135', '1e-20')
    """
    return _decimal(number, upwards=True)


def below(number: float) -> str:
    """A decimal that is not above the number.

    >>> below(2 / 3), below(-1 / 3)
    ('0.666666', '-0.333334')
    """
    return _decimal(number, upwards=False)


def _decimal(number: float, *, upwards: bool) -> str:
    from decimal import ROUND_CEILING, ROUND_FLOOR, Context

    if not math.isfinite(number):
        return str(number)
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if upwards else ROUND_FLOOR)
    rounded = context.create_decimal_from_float(number + 0.0).normalize(context)  # + 0.0 turns −0 into 0
    return f"{rounded:f}" if 1e-4 <= abs(number) < 1e16 or number == 0 else f"{rounded:e}"
