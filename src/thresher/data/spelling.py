"""How labels are spelled, and which of two is the positive one."""

from __future__ import annotations

from thresher.errors import ParameterError

__all__ = ["number", "positive_index", "same_label"]


def positive_index(labels: list[str], wanted: str | None, found: int) -> int:
    """The number of the positive label among those met so far, one or two; it may be the one that is still to come.

    `wanted` is the label that the user named, and `found` its number among them, or −1. If none was named: of two
    numbers the larger, of two words the one later in the alphabet. A single label is taken for what it usually means.

    >>> positive_index(["ham", "spam"], None, -1), positive_index(["2", "1"], None, -1)
    (1, 0)
    >>> positive_index(["1"], None, -1), positive_index(["0"], None, -1)
    (0, 1)
    """
    if wanted is not None:
        if found < 0 and len(labels) == 2:
            raise ParameterError(f"found the labels {labels[0]!r} and {labels[1]!r}, expected one of them to be {wanted!r}")
        return found if found >= 0 else 1
    numbers = [number(label) for label in labels]
    if len(labels) == 1:
        if numbers[0] in (-1.0, 0.0, 1.0):
            return 0 if numbers[0] == 1.0 else 1
        raise ParameterError(
            f"found only the label {labels[0]!r} so far; say with --positive LABEL (positive= in Python) which one is positive"
        )
    first, second = numbers
    if (first is None) != (second is None):
        raise ParameterError(
            f"found the labels {labels[0]!r} and {labels[1]!r}; "
            "say with --positive LABEL (positive= in Python) which one is positive"
        )
    if first is None or second is None:
        return int(labels[1] > labels[0])
    return int(second > first)


def number(label: str) -> float | None:
    """The number that a label is, as the core reads it (Python's float knows more spellings); None if it is a word.

    >>> number("+1"), number("spam"), number("1_0")
    (1.0, None, None)
    """
    try:
        return float(label) if label.isascii() and "_" not in label else None
    except ValueError:
        return None


def same_label(one: str, other: str | None) -> bool:
    """Whether two spellings are one label: the same number, or the same word.

    >>> same_label("+1", "1.0"), same_label("spam", "Spam")
    (True, False)
    """
    return one == other or (other is not None and number(one) is not None and number(one) == number(other))
