"""How a source is read: what a model must remember so that others read theirs in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from thresher.data.spelling import number, same_label
from thresher.errors import ParameterError, StoreError

__all__ = ["FORMATS", "HASH", "MOST_SLOTS", "Recipe"]

FORMATS = {"svmlight": "svmlight or LIBSVM text", "vw": "Vowpal Wabbit text"}
MOST_SLOTS = 2**31

#: How names become slots.
HASH = {"hash": "xxh64", "seed": 0}


@dataclass(frozen=True)
class Recipe:
    """A format, the number of slots, where its indices start, and the two labels as they are spelled.

    A label is None until it was met.

    >>> Recipe("svmlight", 2**18, minus="-1", plus="+1").spelled(-1)
    '-1'
    """

    format: str
    n: int
    zero_based: bool = False
    minus: str | None = None
    plus: str | None = None

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ParameterError(f"found format {self.format!r}, expected one of {', '.join(FORMATS)}")
        if not 1 <= self.n <= MOST_SLOTS:
            raise ParameterError(f"found n = {self.n}, expected from 1 to 2^31 slots")
        if self.zero_based and self.format != "svmlight":
            raise ParameterError(f"found --zero-based for {FORMATS[self.format]}, which has names and no indices")

    @property
    def named(self) -> bool:
        """Whether features are names; otherwise they are indices."""
        return self.format != "svmlight"

    def spelled(self, label: int) -> str:
        """A label as the user spells it; one that was never met is named after the other."""
        met, other = (self.plus, self.minus) if label > 0 else (self.minus, self.plus)
        if met is not None:
            return met
        guess = "1" if label > 0 else "-1"
        if other is None or (number(other) is not None and not same_label(other, guess)):
            return guess
        return f"not-{other}"

    def attribute(self, slot: int) -> str:
        """What the source calls a slot, where it has indices."""
        return str(slot + (not self.zero_based))

    def as_dict(self) -> dict[str, Any]:
        """The recipe as JSON can hold it."""
        return {**asdict(self), **HASH}

    @classmethod
    def from_dict(cls, stored: object) -> Recipe:
        """The recipe whose `as_dict` this is."""
        if not isinstance(stored, Mapping) or set(stored) != {*cls.__dataclass_fields__, *HASH}:
            raise StoreError("the recipe is not a format, n, zero_based, two labels, a hash and its seed")
        if {name: stored[name] for name in HASH} != HASH:
            raise StoreError(f"found the hash {stored['hash']!r} with seed {stored['seed']!r}, expected xxh64 with seed 0")
        fields = {name: stored[name] for name in cls.__dataclass_fields__}
        labels = (fields["minus"], fields["plus"])
        typed = type(fields["n"]) is int and type(fields["zero_based"]) is bool and isinstance(fields["format"], str)
        if not typed or not all(label is None or (isinstance(label, str) and _spellable(label)) for label in labels):
            raise StoreError(f"found a recipe {fields!r} of the wrong types")
        if labels[0] is not None and labels[0] == labels[1]:
            raise StoreError(f"found {labels[0]!r} for both labels")
        try:
            return cls(**fields)
        except ParameterError as error:
            raise StoreError(f"the recipe cannot be followed: {error}") from error


def _spellable(label: str) -> bool:
    """Whether a text can hold it: half of a surrogate pair is no letter."""
    return bool(label) and not any("\ud800" <= letter <= "\udfff" for letter in label)
