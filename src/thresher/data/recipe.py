"""How a source is read: what a model must remember so that others read theirs in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from thresher.data.spelling import number, same_label
from thresher.data.table_recipe import Scales, TableRecipe
from thresher.errors import ParameterError, StoreError

__all__ = ["FORMATS", "HASH", "MOST_SLOTS", "MOST_TOGETHER", "Recipe", "interactions_in_order", "spellable"]

FORMATS = {"svmlight": "svmlight or LIBSVM text", "vw": "Vowpal Wabbit text", "table": "tables"}
MOST_SLOTS = 2**31
#: Features of an interaction, words of an n-gram.
MOST_TOGETHER = 8

#: How names become slots.
HASH = {"hash": "xxh64", "seed": 0}
#: What a recipe leaves out that does not use it, so that it is written as it was before there was any.
_UNUSED: dict[str, object] = {"interactions": (), "ngrams": 1, "table": None}


@dataclass(frozen=True)
class Recipe:
    """A format, the number of slots, where its indices start, the two labels as they are spelled, and what names make together.

    A label is None until it was met. An interaction has a letter for each namespace that it takes a feature from; `ngrams` is
    the number of words that an n-gram has at most. `table` is what is known of columns, where there are any.

    >>> Recipe("svmlight", 2**18, minus="-1", plus="+1").spelled(-1)
    '-1'
    >>> Recipe("vw", 2**18, interactions=("ba", "ab", "aa")).interactions
    ('aa', 'ab')
    """

    format: str
    n: int
    zero_based: bool = False
    minus: str | None = None
    plus: str | None = None
    interactions: tuple[str, ...] = ()
    ngrams: int = 1
    table: TableRecipe | None = None

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ParameterError(f"found format {self.format!r}, expected one of {', '.join(FORMATS)}")
        if not 1 <= self.n <= MOST_SLOTS:
            raise ParameterError(f"found n = {self.n}, expected from 1 to 2^31 slots")
        if self.zero_based and self.format != "svmlight":
            raise ParameterError(f"found --zero-based for {FORMATS[self.format]}, which has names and no indices")
        if (self.format == "table") != (self.table is not None):
            raise ParameterError(
                f"found a recipe of {FORMATS[self.format]}, expected its columns if it is of tables, and only then"
            )
        if self.table is not None and self.interactions:
            raise ParameterError("found --interactions for a table, which has no namespaces, as Vowpal Wabbit text has")
        if self.table is not None and self.ngrams != 1 and not self.table.text:
            raise ParameterError("found --ngrams for a table without --text, which names the columns whose words are read")
        if self.format == "svmlight" and (self.interactions or self.ngrams != 1):
            option = "--interactions" if self.interactions else "--ngrams"
            raise ParameterError(f"found {option} for {FORMATS[self.format]}, which has indices: no namespaces, and no words")
        if self.ngrams not in range(1, MOST_TOGETHER + 1):
            raise ParameterError(f"found ngrams = {self.ngrams!r}, expected from 1 to {MOST_TOGETHER} words")
        object.__setattr__(self, "interactions", interactions_in_order(self.interactions))

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

    @property
    def together(self) -> str:
        """What names make together, in words that follow those of the format."""
        if self.table is not None:
            return self.table.said() + (f", n-grams of up to {self.ngrams} words" if self.ngrams > 1 else "")
        interactions = f", interactions {' '.join(self.interactions)}" if self.interactions else ""
        return interactions + (f", n-grams of up to {self.ngrams} words" if self.ngrams > 1 else "")

    def scaled(self, scales: Scales) -> Recipe:
        """The same with these scales of a table's columns; without a table it is the same."""
        return self if self.table is None else replace(self, table=replace(self.table, scales=scales))

    @property
    def scales(self) -> Scales:
        """The scales of a table's columns."""
        return {} if self.table is None else self.table.scales

    @property
    def notice(self) -> str:
        """What is to be known of theorems that hold in any order, where a row is read by what came before it."""
        if not self.scales:
            return ""
        return (
            "numbers are scaled by what their column had before: a bound in any order is of these examples as they were "
            "scaled, not of the rows of the table in another order"
        )

    def as_dict(self) -> dict[str, Any]:
        """The recipe as JSON can hold it."""
        fields = {name: value for name, value in asdict(self).items() if name not in _UNUSED or value != _UNUSED[name]}
        if self.interactions:
            fields["interactions"] = list(self.interactions)
        if self.table is not None:
            fields["table"] = self.table.as_dict()
        return {**fields, **HASH}

    @classmethod
    def from_dict(cls, stored: object) -> Recipe:
        """The recipe whose `as_dict` this is."""
        known = {*cls.__dataclass_fields__, *HASH}
        if not isinstance(stored, Mapping) or not known - {*_UNUSED} <= set(stored) <= known:
            raise StoreError("the recipe is not a format, n, zero_based, two labels, a hash and its seed")
        if {name: stored[name] for name in HASH} != HASH:
            raise StoreError(f"found the hash {stored['hash']!r} with seed {stored['seed']!r}, expected xxh64 with seed 0")
        fields = {**_UNUSED, **{name: stored[name] for name in cls.__dataclass_fields__ if name in stored}}
        labels = (fields["minus"], fields["plus"])
        typed = type(fields["n"]) is int and type(fields["zero_based"]) is bool and isinstance(fields["format"], str)
        typed = typed and type(fields["ngrams"]) is int and isinstance(fields["interactions"], list | tuple)
        if not typed or not all(label is None or (isinstance(label, str) and spellable(label)) for label in labels):
            raise StoreError(f"found a recipe {fields!r} of the wrong types")
        if labels[0] is not None and labels[0] == labels[1]:
            raise StoreError(f"found {labels[0]!r} for both labels")
        if fields["table"] is not None:
            fields["table"] = TableRecipe.from_dict(fields["table"])
        try:
            return cls(**fields)
        except ParameterError as error:
            raise StoreError(f"the recipe cannot be followed: {error}") from error


def interactions_in_order(given: Iterable[object]) -> tuple[str, ...]:
    """Each interaction once, since the order of its letters means nothing.

    >>> interactions_in_order(["cab", "ab", "ba"])
    ('ab', 'abc')
    """
    ordered = set()
    for letters in given:
        if not isinstance(letters, str) or not 2 <= len(letters) <= MOST_TOGETHER or not all(map(_begins, letters)):
            raise ParameterError(
                f"found interaction {letters!r}, expected from 2 to {MOST_TOGETHER} ASCII letters, each the first one of a "
                "namespace's name, or : for any namespace"
            )
        ordered.add("".join(sorted(letters)))
    return tuple(sorted(ordered))


def _begins(letter: str) -> bool:
    """Whether a namespace's name can begin with it; or a colon."""
    return "!" <= letter <= "~" and letter != "|"


def spellable(label: str) -> bool:
    """Whether a text can hold it: half of a surrogate pair is no letter."""
    return bool(label) and not any("\ud800" <= letter <= "\udfff" for letter in label)
