"""Numbers as people write them in the cells of a table."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.data.arrow import arrow

__all__ = [
    "MISSING",
    "NUMBER",
    "Seen",
    "against",
    "contradicted",
    "contradicts",
    "grouped",
    "numbers_spelled",
    "seen",
    "unadorned",
]

#: How a number that is missing may be written, in any case.
MISSING = ("", "nan", "na", "n/a", "#n/a", "<na>", "null", "none", "?", "-")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)", re.ASCII | re.IGNORECASE)

_SOME = 500
_SELDOM = 20  # so many texts for each that is no number
_PLAIN = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_GROUPED = r"[1-9]\d{0,2}"  # what stands before a thousand: nobody writes 0,500 for it
_OTHERS = {  # by the decimal sign: a fraction with the other one, unless that groups thousands
    decimal: (rf"[+-]?(\d+{other}\d*|{other}\d+)([eE][+-]?\d+)?", rf"[+-]?{_GROUPED}({other}\d{{3}})+")
    for decimal, other in ((",", r"\."), (".", ","))
}
_SIGN = r"(\p{Sc}\s?)"  # of a currency


def numbers_spelled(cells: Any, decimal: str = ".") -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """The numbers that texts spell, NaN where they are missing, and which of them are none.

    >>> import pyarrow
    >>> values, wrong = numbers_spelled(pyarrow.array(["1.5", " -2", "n/a", "many", None]))
    >>> values.tolist(), wrong.tolist()
    ([1.5, -2.0, nan, nan, nan], [False, False, False, True, False])
    """
    library, compute = arrow(), arrow(".compute")
    trimmed = compute.utf8_trim_whitespace(cells)
    missing = compute.is_in(compute.utf8_lower(trimmed), value_set=library.array(MISSING, cells.type))
    given = compute.if_else(missing, library.scalar(None, cells.type), trimmed)
    try:
        numbers = compute.cast(given, library.float64())
    except library.ArrowInvalid:
        each = [None if cell is None else cell.replace(decimal, ".") for cell in given.to_pylist()]
        values = np.array([float(cell) if cell is not None and NUMBER.fullmatch(cell) else np.nan for cell in each])
        wrong = np.array([cell is not None and not NUMBER.fullmatch(cell) for cell in each], np.bool_)
        return values, wrong if wrong.any() else None
    return np.ascontiguousarray(numbers.to_numpy(zero_copy_only=False), np.float64), None


class Seen(NamedTuple):
    """What is seen of texts: how many are given, how many of these are numbers, and which is the first that is none."""

    given: int
    numbers: int
    first_other: int | None

    @property
    def mostly(self) -> bool:
        """Whether nearly all are numbers, but not all: then the others may be slips."""
        return 0 < self.given - self.numbers <= self.given // _SELDOM


def seen(cells: Any, decimal: str) -> Seen:
    """Whether texts are numbers as people write them: $1,234.50, 12 %, (3.00), or 1.234,50 € where the comma is decimal.

    >>> import pyarrow
    >>> seen(pyarrow.array(["$1,234.50", "7", "-", " ", "many"]), ".")
    Seen(given=3, numbers=2, first_other=4)
    >>> seen(pyarrow.array(["1.234", "1.5"]), ","), seen(pyarrow.array(["1.234", "1.5"]), ".").numbers
    (Seen(given=2, numbers=1, first_other=1), 2)
    """
    compute = arrow(".compute")
    if len(cells) > 2 * _SOME:
        some = cells.slice(0, _SOME)
        first = _lettered(some) or seen(some, decimal)
        if first.numbers < first.given / 2:
            return first  # words: a look at some of them is enough
    plain = unadorned(cells, decimal)
    given = compute.invert(compute.is_in(compute.utf8_lower(plain), value_set=arrow().array(MISSING, plain.type)))
    fits = compute.match_substring_regex(plain, _PLAIN)
    if decimal == ",":  # 1.5 is no number where 1.234 is a thousand and more
        point, comma = compute.match_substring(plain, "."), compute.match_substring(compute.fill_null(cells, ""), ",")
        fits = compute.and_not(fits, compute.and_not(point, comma))
    other = compute.index(compute.and_not(given, fits), True).as_py()
    count = compute.sum(given).as_py() or 0
    return Seen(count, compute.sum(compute.and_(given, fits)).as_py() or 0, other if other >= 0 else None)


def _lettered(cells: Any) -> Seen | None:
    """The same at a glance, if more than half of the texts begin with a letter, which no number does."""
    given = [text for cell in cells.to_pylist() if cell and (text := cell.strip()).lower() not in MISSING]
    letters = sum(text[0].isascii() and text[0].isalpha() for text in given)
    return Seen(len(given), 0, None) if 2 * letters > len(given) else None


def contradicts(cell: str, decimal: str) -> bool:
    """Whether a text is a number by the other decimal sign alone: with this one it is none, or another.

    >>> [contradicts(cell, ",") for cell in ("1.5", "0.500", "1.234", "1,5", "many")], contradicts("1,5", ".")
    ([True, True, False, False, False], True)
    """
    fraction, groups = _OTHERS[decimal]
    return bool(re.fullmatch(fraction, cell.strip(), re.ASCII)) and not re.fullmatch(groups, cell.strip(), re.ASCII)


def contradicting(cells: Any, decimal: str) -> Any:
    """Which of the texts do."""
    compute = arrow(".compute")
    fraction, groups = (rf"^\s*{pattern}\s*$" for pattern in _OTHERS[decimal])
    return compute.and_not(compute.match_substring_regex(cells, fraction), compute.match_substring_regex(cells, groups))


def contradicted(cells: Any, decimal: str) -> bool:
    """Whether one of the texts does."""
    return bool(arrow(".compute").any(contradicting(cells, decimal)).as_py())


def against(cells: Any, decimal: str) -> bool:
    """Whether texts would be numbers, were it not for some that are by the other decimal sign.

    >>> import pyarrow
    >>> columns = ["1,5", "1.5", "7"], ["1,5", "7"], ["1.5", "many"], ["$1.50"], [None]
    >>> [against(pyarrow.array(cells, "string"), ",") for cells in columns]
    [True, False, False, True, False]
    """
    (other,) = _OTHERS.keys() - {decimal}
    rest = cells.filter(arrow(".compute").invert(contradicting(cells, decimal)))
    left, whole = seen(rest, decimal), seen(cells, other)
    return (contradicted(cells, decimal) and left.numbers == left.given) or 0 < whole.numbers == whole.given


def grouped(cells: Any) -> str | None:
    """The first text such as 8,050, which may be eight thousand or eight, if no other has a point, or a 0 before its comma.

    >>> import pyarrow
    >>> grouped(pyarrow.array(["7", "8,050", "9,100"])), grouped(pyarrow.array(["8,050", "9.5"]))
    ('8,050', None)
    """
    compute = arrow(".compute")
    found = compute.index(compute.match_substring_regex(cells, rf"^\s*[+-]?{_GROUPED},\d{{3}}\s*$"), True).as_py()
    pointed = compute.any(compute.match_substring(cells, ".")).as_py()
    return None if found < 0 or pointed else str(cells[found]).strip()


def unadorned(cells: Any, decimal: str) -> Any:
    """Numbers as people write them without what adorns them, and with a decimal point; other texts trimmed.

    >>> import pyarrow
    >>> unadorned(pyarrow.array(["$1,234.50", "12 %", "(3.00)", "1,23", "many"]), ".").to_pylist()
    ['1234.50', '12', '-3.00', '1,23', 'many']
    >>> unadorned(pyarrow.array(["1.234,50 €", "0,5"]), ",").to_pylist()
    ['1234.50', '0.5']
    """
    library, compute = arrow(), arrow(".compute")
    groups, point = (r"[.' \x{a0}\x{202f}]", ",") if decimal == "," else (r"[,' \x{a0}\x{202f}]", r"\.")
    digits = rf"(({_GROUPED}({groups}\d{{3}})+|\d+)({point}\d*)?|{point}\d+)"
    amount = rf"([+-]?{_SIGN}?|{_SIGN}[+-]){digits}([eE][+-]?\d+)?\s*({_SIGN}|%)?"
    trimmed = compute.utf8_trim_whitespace(compute.fill_null(cells, library.scalar("", cells.type)))
    fits = compute.match_substring_regex(trimmed, rf"^({amount}|\({amount}\))$")
    plain = compute.replace_substring_regex(trimmed, r"^\((.*)\)$", r"-\1")
    plain = compute.replace_substring_regex(plain, rf"{groups}|[%\s]|{_SIGN}", "")
    plain = plain if decimal == "." else compute.replace_substring(plain, decimal, ".")
    return compute.if_else(fits, plain, trimmed)
