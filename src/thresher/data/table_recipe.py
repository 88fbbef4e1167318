"""How a table is read: which column is the label, what the others hold, and by what scale numbers are read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from thresher.errors import ParameterError, StoreError

__all__ = ["COLUMNS", "DECIMALS", "KINDS", "NUMERIC", "Scales", "TableRecipe"]

#: Of columns of numbers by their names: count, mean, Σ(x − mean)².
Scales = Mapping[str, tuple[float, float, float]]

#: What a column can hold, and what it is called.
KINDS = {
    "number": "numbers",
    "truth": "true or false",
    "category": "words",
    "words": "text",
    "date": "dates",
    "moment": "dates with times",
    "clock": "times",
    "list": "lists",
}
_TOLD = 6  # names of columns of a kind
NUMERIC = ("scale", "raw")
#: How a fraction may be set off in CSV, and what that is called.
DECIMALS = {".": "point", ",": "comma"}
#: What a user can say of columns.
COLUMNS = ("label", "ignore", "text", "header", "numeric", "decimal")


@dataclass(frozen=True)
class TableRecipe:
    """The columns of a table by their names. What is not known yet is found in the first rows, and is part of the recipe then.

    - ``label`` is the column of labels, ``ignore`` are columns left out; of ``text`` columns each word is an attribute.
    - ``header`` names the columns of CSV that has no line with their names.
    - ``numeric`` is how numbers are read: ``"raw"``, or ``"scale"``: as (x − mean)/deviation, of the column so far.
    - ``kinds`` says what the columns hold; ``scales`` is what was seen of those of numbers: count, mean, Σ(x − mean)².
    - ``decimals`` is the decimal sign of columns of numbers, a comma or a point, where CSV between semicolons showed it, or
      where somebody said it: of all columns of CSV, under the empty name.

    >>> TableRecipe(label="class", text=("subject",)).said()
    ', label class, words of subject, numbers scaled'
    """

    label: str | None = None
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    numeric: str = "scale"
    kinds: Mapping[str, str] = field(default_factory=dict)
    scales: Scales = field(default_factory=dict)
    decimals: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.numeric not in NUMERIC:
            raise ParameterError(f"found numeric = {self.numeric!r}, expected {' or '.join(NUMERIC)}")
        for name in ("ignore", "text", "header"):
            object.__setattr__(self, name, _columns(getattr(self, name), name))
        for name, known in (("kinds", KINDS), ("decimals", DECIMALS)):
            wrong = [each for each in getattr(self, name).items() if each[1] not in list(known)]
            if wrong:
                expected = " or ".join(map(repr, known))
                raise ParameterError(f"found {wrong[0][1]!r} in {name}, for the column {wrong[0][0]!r}, expected {expected}")
        again = {*self.text} & {*self.ignore, self.label} or {*self.ignore} & {self.label}
        if again:
            raise ParameterError(
                f"found the column {min(map(str, again))!r} for two of --label, --text and --ignore, expected one"
            )

    @property
    def decimal(self) -> str | None:
        """The decimal sign that all numbers of CSV have, if somebody said it."""
        return self.decimals.get("")

    def with_decimal(self, decimal: str) -> TableRecipe:
        """The same, with this decimal sign for all numbers of CSV."""
        if {*self.decimals.values()} - {decimal}:
            (other,) = DECIMALS.keys() - {decimal}
            known = f"the model has learned numbers with a decimal {DECIMALS[other]}"
            raise ParameterError(f"found --decimal {decimal} (decimal= in Python), but {known}: leave the option out")
        return replace(self, decimals={**self.decimals, "": decimal})

    def said(self) -> str:
        """What is special about it, in words that follow those of the format."""
        text = f", words of {' and '.join(self.text)}" if self.text else ""
        without = f", without {' and '.join(self.ignore)}" if self.ignore else ""
        decimal = "" if self.decimal is None else f", decimal {DECIMALS[self.decimal]}"
        numbers = f"numbers {'scaled' if self.numeric == 'scale' else 'as they are'}{decimal}"
        return f", label {self.label}{text}{without}, {numbers}"

    def taken(self) -> str:
        """What the columns were taken for, in lines of at most 80 letters.

        >>> print(TableRecipe(ignore=("customer",), kinds={"age": "number", "color": "category", "income": "number"}).taken())
        numbers age, income; words color; left out customer
        """
        from textwrap import fill

        named = {called: [name for name in self.kinds if self.kinds[name] == kind] for kind, called in KINDS.items()}
        lists = {**named, "left out": list(self.ignore)}
        told = [
            f"{called} {', '.join(names[:_TOLD])}{f' and {len(names) - _TOLD:,} more' if len(names) > _TOLD else ''}"
            for called, names in lists.items()
            if names
        ]
        return fill("; ".join(told), 80, break_long_words=False, break_on_hyphens=False)

    def as_dict(self) -> dict[str, Any]:
        """The recipe as JSON can hold it."""
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        if not self.decimals:
            del listed["decimals"]  # which no model had at first
        return {**listed, "scales": {name: list(state) for name, state in self.scales.items()}}

    @classmethod
    def from_dict(cls, stored: object) -> TableRecipe:
        """The recipe whose `as_dict` this is."""
        if not isinstance(stored, Mapping) or {*stored, "decimals"} != {*cls.__dataclass_fields__}:
            raise StoreError(f"the recipe of a table is not {', '.join(cls.__dataclass_fields__)}")
        kinds, scales, decimals = stored["kinds"], stored["scales"], stored.get("decimals", {})
        lists = [stored[name] for name in ("ignore", "text", "header")]
        good = all(isinstance(each, list) and all(_name(name) for name in each) for each in lists)
        good = good and isinstance(stored["numeric"], str) and (stored["label"] is None or _name(stored["label"]))
        for told, known, all_of_them in ((kinds, KINDS, None), (decimals, DECIMALS, "")):
            good = good and isinstance(told, Mapping) and all(_name(name) or name == all_of_them for name in told)
            good = good and all(each in list(known) for each in told.values())
        if not good or not isinstance(scales, Mapping) or not all(_name(each) and _state(scales[each]) for each in scales):
            raise StoreError("found a recipe of a table with the wrong types, or a scale that cannot be")
        numbers = {name for name, kind in kinds.items() if kind == "number"}
        others = {*scales} - numbers or ({*decimals} - numbers - {stored["label"], ""} if kinds else {})
        if others:
            raise StoreError(f"found a scale or a decimal sign of the column {min(others)!r}, which holds no numbers")
        try:
            return cls(**{**stored, "scales": {name: tuple(state) for name, state in scales.items()}})
        except ParameterError as error:
            raise StoreError(f"the recipe of a table cannot be followed: {error}") from error


def _columns(given: Iterable[object], name: str) -> tuple[str, ...]:
    found = tuple(given)
    for each in found:
        if not _name(each):
            raise ParameterError(f"found the column {each!r} for --{name}, expected a name")
    if len({*found}) < len(found):
        raise ParameterError(f"found a column twice for --{name}, expected different names")
    return tuple(str(each) for each in found)


def _name(given: object) -> bool:
    """Whether a column can be called so: half of a surrogate pair is no letter."""
    return isinstance(given, str) and bool(given) and not any("\ud800" <= letter <= "\udfff" for letter in given)


def _state(given: object) -> bool:
    """Whether it is a count, a mean and a sum of squares."""
    if not isinstance(given, list) or len(given) != 3 or not all(type(each) is float and math.isfinite(each) for each in given):
        return False
    count, _, squares = given
    return bool(count >= 0.0 and count == int(count) and squares >= 0.0)
