"""Where a proof and what checking it came to are not the same, and which of that is rounding alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from thresher.bounds.printed import shown

__all__ = ["Difference", "Exact", "differences", "other_length", "settled"]

#: For the witness of this number what its theorems' numbers are exactly, by name, as far as that is known.
Exact = Callable[[int], Mapping[str, Fraction]]

_NUMBER = re.compile(r"proven\[(\d+)\]\.certificates\[\d+\]\.(bound|numbers\.(\w+))")
_NEAR = 1e-9
_AT_MOST = ("margin", "delta")
_AT_LEAST = ("norm", "radius", "squares", "distance", "squared", "errors", "entropy", "rounding", "floor", "regret", "loss")


class Difference(NamedTuple):
    """A field of a proof that is not what checking it came to."""

    field: str
    found: object
    expected: object

    def __str__(self) -> str:
        return f"{self.field}: found {shown(self.found)}, expected {shown(self.expected)}"


def differences(found: object, expected: object, field: str = "") -> Iterator[Difference]:
    """Every field that is not the same: True is not 1, nor is 1.0.

    >>> [str(each) for each in differences({"a": [1, 2], "b": "x"}, {"a": [1, 2.0], "b": "y"})]
    ['a[1]: found 2, expected 2.0', "b: found 'x', expected 'y'"]
    """
    if isinstance(found, Mapping) and isinstance(expected, Mapping) and set(found) == set(expected):
        for name in expected:
            yield from differences(found[name], expected[name], f"{field}.{name}".lstrip("."))
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for k, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{field}[{k}]")
    elif type(found) is not type(expected) or found != expected:
        yield Difference(field, found, expected)


def other_length(wrong: Sequence[Difference]) -> str:
    """What to say, instead of all that differs, where the stream has not as many examples as that of the proof."""
    counts = [each for each in wrong if each.field.endswith("stream.examples")]
    if not counts or not any(each.field.endswith("stream.fingerprint") for each in wrong):
        return ""
    found, expected = counts[0].found, counts[0].expected
    shows = [f"{count:,}" if type(count) is int else shown(count) for count in (expected, found)]
    return f"found {shows[0]} example{'s' * (expected != 1)}, the proof is of {shows[1]}"


def settled(difference: Difference, exact: Exact) -> bool:
    """Whether a number of a certificate differs by rounding alone, and is true: on the safe side of the exact one.

    Where the exact one is not known, as of a bound, the number must be on the safe side of what was expected.

    >>> field, exact = "proven[0].certificates[1].numbers.margin", {"margin": Fraction(1, 2)}
    >>> [settled(Difference(field, near, 0.5), lambda _: exact) for near in (0.5 - 1e-12, 0.5 + 1e-12, 0.25)]
    [True, False, False]
    """
    place, found, expected = _NUMBER.fullmatch(difference.field), difference.found, difference.expected
    if place is None or not (isinstance(found, float) and isinstance(expected, float)):
        return False
    if not abs(found - expected) <= _NEAR * abs(expected):
        return False
    witness, which, name = place.groups()
    if which == "bound":
        return found >= expected
    if name in _AT_MOST:
        return found <= exact(int(witness)).get(name, expected)
    return name in _AT_LEAST and found >= exact(int(witness)).get(name, expected)
