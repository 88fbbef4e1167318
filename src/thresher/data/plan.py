"""What becomes of the columns of a table: the label, what each of the others holds, and what they look like to a person."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

from thresher.bounds.printed import plural
from thresher.data.arrow import arrow, is_text
from thresher.data.columns import dates_in, kind_of
from thresher.data.pieces import Piece
from thresher.data.spelling import number
from thresher.data.table_recipe import TableRecipe
from thresher.errors import SourceError

__all__ = ["Plan", "distinct", "looks_like"]

#: What a column of labels is often called.
USUAL = ("label", "target", "class", "y")
_SHOWN = 12
#: What the first line looks like of text that has no columns: namespaces behind bars, or numbers behind indices.
_NO_TABLE = {
    "vw": ("Vowpal Wabbit text", re.compile(r"[^|,;\t]*\|\S*\s")),
    "svmlight": ("svmlight text", re.compile(r"[^\s:]+(\s+(qid|\d+):[^\s,;]+)+\s*(#|$)")),
}
_CLASSES = 20  # more labels are numbers to be compared, or names
_SELDOM = 20  # rows with one of the two usual labels for each row with another: then that is taken for a slip


class Plan:
    """What a recipe says of columns, and what is found out about the others as they come."""

    def __init__(self, recipe: TableRecipe, tag: str | None, *, fixed: bool = False) -> None:
        self.recipe, self.tag = recipe, tag
        self._fixed = fixed  # then columns that the recipe does not know are left out
        self.label = recipe.label
        self.kinds = dict(recipe.kinds)
        self.decimals = dict(recipe.decimals)
        self._left_out = {*recipe.ignore, None if tag in recipe.kinds else tag}  # what a model knows is read and printed
        self._met: dict[str, str] = {}  # what columns hold of which something has come, as whoever reads ahead sees it

    def known(self, scales: dict[str, tuple[float, float, float]]) -> TableRecipe:
        """The recipe with all that was found out, and these scales."""
        numbers = {*(name for name, kind in self.kinds.items() if kind == "number"), self.label, ""}
        decimals = {name: decimal for name, decimal in self.decimals.items() if name in numbers}
        return replace(self.recipe, label=self.label, kinds=dict(self.kinds), scales=scales, decimals=decimals)

    def uses(self, name: str) -> bool:
        """Whether a column makes attributes."""
        known = name in self.recipe.kinds or not self._fixed
        return known and name != self.label and name not in self._left_out and name != ""

    def reads(self, name: str, *, index: bool) -> bool:
        """Whether a column of Arrow is looked at; an index of pandas is, if somebody named it or the model knows it."""
        named = {self.label, *self.recipe.text, *self.recipe.kinds}
        return name == self.tag or (name not in self.recipe.ignore and (not index or name in named))

    def kind(self, name: str, cells: Any) -> str | None:
        """What a column holds, as it was first seen; None if that is not to be seen yet, '' if it cannot be read."""
        if name not in self.kinds:
            found = self._met.get(name) or self._seen(name, cells)
            if not found:
                return found
            self.kinds[name] = found
        return self.kinds[name]

    def _seen(self, name: str, cells: Any) -> str | None:
        found = "words" if name in self.recipe.text else kind_of(cells.type)
        return dates_in(cells) or found if found == "category" else found

    def csv_type(self, name: str, looks: Any) -> Any:
        """As which type a column of CSV is read: None to leave it out, True if that is to be seen, once it was."""
        library = arrow()
        words = library.dictionary(library.int32(), library.string())
        if self._may_be_label(name):
            return words
        if name == self.tag or name in self.recipe.text:
            return library.string()
        if not self.uses(name):
            return None
        kind = self.recipe.kinds.get(name, self._met.get(name))  # as files are read, however far their rows are taken
        kind = kind_of(looks) if kind is None and looks is not None else kind
        fixed = {"number": library.float64(), "category": words, "list": words}
        if kind in fixed or looks is None:
            return fixed.get(kind or "", True)
        return looks if kind_of(looks) == kind else library.string()

    def meet(self, piece: Piece) -> None:
        """Takes note of what columns hold that a piece tells, for the files behind it: its rows may be taken later."""
        for name, cells in zip(piece.names, piece.columns, strict=True):
            if name not in self._met and kind_of(cells.type) is not None:
                with suppress(arrow().ArrowException):  # which whoever takes the rows is told, too
                    self._met[name] = self._seen(name, cells) or ""

    def unmet(self, name: str) -> bool:
        """Whether nothing has come of a column yet that would tell what it holds: then NA is no word in it, whatever is known.

        So rows are the same when they are read again, by who knows what came behind them.
        """
        never = self._fixed or self._may_be_label(name) or name in self.recipe.text
        return not never and self.uses(name) and name not in self._met

    def _may_be_label(self, name: str) -> bool:
        return name == self.label or (self.label is None and name.lower() in USUAL)

    # ---- the label ---------------------------------------------------------------------------------------------------

    def check_table(self, names: list[str], file: str) -> None:
        """Raises what to do about a first line of text that was taken for CSV, since columns were named, or after its name."""
        seen = next(((format, called) for format, (called, looks) in _NO_TABLE.items() if looks.match(",".join(names))), None)
        known = {self.label, self.tag, *self.recipe.text, *self.recipe.kinds}
        if seen is None or any(name in known or name.lower() in USUAL for name in names):
            return
        if self.label is not None and _near(self.label, names):
            return
        told = {"--label": self.recipe.label, "--text": self.recipe.text, "--ignore": self.recipe.ignore}
        options = " and ".join(option for option, value in told.items() if value)
        instead = f"leave {options} out" if options else f"say --format {seen[0]} (format= in Python)"
        expected = "expected a table, as the model has learned" if self.recipe.kinds else instead
        raise SourceError(f"found what looks like {seen[1]}, which has no columns: {expected}", file=file, line=1)

    def choose_label(self, piece: Piece, file: str, *, needed: bool) -> None:
        """Finds the column of labels in the first rows, if nobody named it; raises what is wrong with it."""
        there = [*piece.names, *piece.unread]
        if self.label is None:
            usual = [
                name
                for name in piece.names
                if name.lower() in USUAL and name not in self._left_out and name not in self.recipe.text
            ]
            if len(usual) == 1:
                self.label = usual[0]
            elif needed:
                found = f"found {len(usual)} columns that could be ({', '.join(usual)})" if usual else "found none of that name"
                say = "say --label COLUMN (label= in Python)"
                raise SourceError(f"which column is the label? {found}: {say}; {self._columns(piece)}", file=file)
        elif needed:
            self.check_labelled(piece, file)
        ignored = () if self.recipe.kinds else self.recipe.ignore  # a model's may be missing
        of_text = "the model" if self.recipe.kinds else "--text"
        for who, names in ((of_text, self.recipe.text), ("--ignore", ignored), ("--id", (self.tag,))):
            unknown = [name for name in names if name is not None and name not in there]
            if unknown:
                found = f"found no column {unknown[0]!r}, as {who} says{_near(unknown[0], there)}"
                raise SourceError(f"{found}; {self._columns(piece)}", file=file)
        if needed and not any(self.uses(name) for name in piece.names):
            raise SourceError("found no column beside the label, expected one at least to learn from", file=file)

    def check_labelled(self, piece: Piece, file: str) -> None:
        """Raises that there is no column of labels."""
        if self.label is not None and self.label not in piece.names:
            near = _near(self.label, [*piece.names, *piece.unread])
            raise SourceError(f"found no column {self.label!r} for the label{near}; {self._columns(piece)}", file=file)

    def check_label(self, piece: Piece, file: str) -> int:
        """How many labels the first rows have; raises what is wrong with their column if that is more than two."""
        cells = self._cells(piece, self.label)
        if cells is None:
            return 0
        values = [str(value).strip() for value in distinct(cells)]
        labels = len({value if (read := number(value)) is None else read for value in values if value})
        if labels > 2:
            self._check_rare(piece, cells)
            raise SourceError(self._many_labels(piece, cells, labels), file=file)
        return labels

    def _many_labels(self, piece: Piece, cells: Any, labels: int) -> str:
        """What is said of a column of labels that has more than two, and what to do."""
        two = [name for name in piece.names if self.uses(name) and len(distinct(self._cells(piece, name))) == 2]
        better = f" (with two values: {', '.join(two[:_SHOWN])})" if two else ""
        if labels > _CLASSES or labels == piece.rows:
            numbers = kind_of(cells.type) == "number" or all(number(str(value)) is not None for value in distinct(cells))
            instead = ", or make a column that says whether it is above a threshold" if numbers else ""
            found = f"found {looks_like(cells)}, in column {self.label!r}, expected two labels"
            return f"{found}: say --label COLUMN (label= in Python){better}{instead}"
        counts = Counter(str(cell).strip() for cell in cells.to_pylist() if cell not in ("", None) and str(cell) != "nan")
        often = [f"{label!r} {plural(count, 'time')}" for label, count in counts.most_common(3)]
        first = counts.most_common(1)[0][0]
        found = (
            f"found {labels} labels in column {self.label!r} ({', '.join(often)}{', …' if labels > 3 else ''}), expected two: "
        )
        written = Counter(label.casefold() for label in counts)
        if len(written) <= 2:
            (twice, _), *_ = written.most_common(1)
            alike = [repr(label) for label in counts if label.casefold() == twice]
            return f"{found}{' and '.join(alike[:2])} differ in case alone, spell them alike"
        return (
            f"{found}make a column that says whether it is {first!r}, or say --label COLUMN (label= in Python){better}; "
            "in Python th.OneVersusRest learns many"
        )

    def _check_rare(self, piece: Piece, cells: Any) -> None:
        """Raises where a label stands that is none of the two usual ones, if that is seldom: it may be mistyped."""
        spelled = [None if cell in ("", None) or str(cell) == "nan" else cell for cell in cells.to_pylist()]
        (first, often), (second, less), *rare = Counter(cell for cell in spelled if cell is not None).most_common()
        if _SELDOM * sum(count for _, count in rare) > often + less:
            return
        others = dict(rare)
        row = next(row for row, cell in enumerate(spelled) if cell in others)
        count = f"{others[spelled[row]]:,} times" if others[spelled[row]] > 1 else "once"
        more = f" and {plural(len(others) - 1, 'other value')}" if len(others) > 1 else ""
        raise piece.error(
            row,
            f"column {self.label!r}: found {_spelled(spelled[row])} ({count}){more}, "
            f"expected {_spelled(first)} ({often:,} times) or {_spelled(second)} ({less:,} times), "
            "the labels of the first rows",
        )

    def _cells(self, piece: Piece, name: str | None) -> Any:
        return piece.columns[piece.names.index(name)] if name in piece.names else None

    def _columns(self, piece: Piece) -> str:
        """The columns and what they look like, in words."""
        told = [f"{name} ({looks_like(cells)})" for name, cells in zip(piece.names, piece.columns, strict=True)]
        told += [f"{name} (left out)" for name in piece.unread]
        more = f", and {len(told) - _SHOWN:,} more" if len(told) > _SHOWN else ""
        return f"the columns are {', '.join(told[:_SHOWN])}{more}"


def looks_like(cells: Any) -> str:
    """What the cells of a column look like, in words.

    >>> import pyarrow
    >>> looks_like(pyarrow.array([3, 5, 8, 5])), looks_like(pyarrow.array(["ham", "spam", "ham"]))
    ('3 different numbers from 3 to 8', "two values, 'ham' and 'spam'")
    """
    values = distinct(cells)
    if kind_of(cells.type) == "" or not values:
        return f"{cells.type}" if values else "nothing"
    if len(values) == 2:
        return f"two values, {_spelled(values[0])} and {_spelled(values[1])}"
    if len(values) == 1:
        return f"one value, {_spelled(values[0])}"
    every = ", another in every row" if len(values) == len(cells) else ""
    numbers = [number(str(value)) for value in values]
    known = [each for each in numbers if each is not None]
    if len(known) == len(values):
        return f"{len(values):,} different numbers from {min(known):g} to {max(known):g}{every}"
    return f"{len(values):,} different values such as {_spelled(values[0])}{every}"


def _spelled(value: object) -> str:
    """A cell as an error shows it: words in quotes, a date as 2024-07-31."""
    return repr(value) if isinstance(value, str) else str(value)


def _near(tried: str, names: list[str]) -> str:
    """The column that is spelled nearly like the one that was tried, as a question."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in reversed(names)}
    return "".join(f" (did you mean {folded[near]}?)" for near in get_close_matches(tried.casefold(), folded, n=1))


def distinct(cells: Any) -> list[Any]:
    """The different values of a column, missing ones left out."""
    library, compute = arrow(), arrow(".compute")
    try:
        if library.types.is_integer(cells.type) and (there := cells.drop_null()):
            numbers = there.to_numpy(zero_copy_only=False)
            first, least, most = int(numbers[0]), int(numbers.min()), int(numbers.max())
            if most - least < 2:  # as labels are, which need not be looked up
                return [first, *(number for number in {least, most} if number != first)]
        if library.types.is_dictionary(cells.type):
            cells = cells.dictionary.take(compute.unique(cells.indices))
        elif is_text(cells.type):
            cells = compute.cast(cells, library.string())
        elif library.types.is_floating(cells.type):
            cells = cells.filter(compute.invert(compute.is_nan(cells)))
        return [value for value in compute.unique(cells).to_pylist() if value is not None and value != ""]
    except (library.ArrowException, ValueError, OverflowError):
        return []
