"""Numbers as a certificate prints them: six digits, rounded to the safe side; what was found, as a message shows it; lines."""

from __future__ import annotations

import math
import re

import numpy as np

__all__ = ["WIDTH", "above", "below", "counted", "filled", "plural", "shown", "whole"]

#: How wide text is: a terminal of eighty columns shows it as it is.
WIDTH = 80

_DIGITS = 6
_RELATION = re.compile(" ([≤≥<>=]) ")


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


def counted(size: int) -> str:
    """A size for a message: in digits, or as a power of 2 below it where it has too many.

    >>> counted(1048576), counted(3**1000)
    ('1,048,576', 'more than 2^1584')
    """
    if abs(size) < 10**30:
        return f"{size:,}"
    return f"more than 2^{(size - 1).bit_length() - 1}" if size > 0 else f"less than -2^{(size + 1).bit_length() - 1}"


def filled(text: str, first: str = "", rest: str | None = None) -> str:
    """Text in lines of at most `WIDTH` letters, what begins the first line, and what begins the others.

    Words stay whole, and so do statements such as γ ≥ 0.5.

    >>> print(filled("no line ends in the midst of a bound: " * 2 + "γ ≥ 0.5", "  ", "    "))
      no line ends in the midst of a bound: no line ends in the midst of a bound:
        γ ≥ 0.5
    """
    from textwrap import fill

    rest = first if rest is None else rest
    lines = fill(
        whole(text), WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\u00a0", " ")


def whole(text: str) -> str:
    r"""The same text, whose statements such as γ ≥ 0.5 no line ends in the midst of.

    >>> whole("where γ ≥ 0.5").split(" ")
    ['where', 'γ\xa0≥\xa00.5']
    """
    return _RELATION.sub("\u00a0\\1\u00a0", text)


def plural(count: int, word: str) -> str:
    """A number of things.

    >>> plural(1, "mistake"), plural(6513, "example")
    ('1 mistake', '6,513 examples')
    """
    return f"{count:,} {word}{'s' * (count != 1)}"


def shown(x: object) -> str:
    """What was found, for a message: not too long, and a scalar of NumPy's as Python's.

    >>> import numpy as np
    >>> shown(np.int64(3)), shown("x" * 100)[-2:], shown(10**5000)
    ('3', 'x…', 'an int of 16,610 bits')
    """
    x = x.item() if isinstance(x, np.generic) else x
    try:
        text = repr(x)
    except ValueError:  # Python prints no whole number of more than 4,300 digits
        return (
            f"an int of {x.bit_length():,} bits"
            if isinstance(x, int)
            else f"{type(x).__name__} with a number too long to print"
        )
    except Exception:  # whatever a stranger's class raises when it is printed
        return f"{type(x).__name__}, which cannot be printed"
    return text if len(text) <= 80 else f"{text[:77]}…"


def _decimal(number: float, *, upwards: bool) -> str:
    from decimal import ROUND_CEILING, ROUND_FLOOR, Context

    if not math.isfinite(number):
        return str(number)
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if upwards else ROUND_FLOOR)
    rounded = context.create_decimal_from_float(number + 0.0).normalize(context)  # + 0.0 turns −0 into 0
    return f"{rounded:f}" if 1e-4 <= abs(number) < 1e16 or number == 0 else f"{rounded:e}"
