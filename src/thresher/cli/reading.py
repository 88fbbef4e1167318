"""The options that say how a source is read, and how they go together with a model's recipe."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thresher.data.spelling import same_label
from thresher.errors import ParameterError, SourceError, StoreError

if TYPE_CHECKING:
    from thresher.data.recipe import Recipe
    from thresher.data.stream import Batch, Stream

__all__ = ["add_reading_options", "add_source", "check_recipe", "columns", "first_sum", "no_recipe", "nothing", "reading"]

_FORMATS = ("svmlight", "vw", "csv", "parquet", "arrow", "jsonl")
_TABLES = _FORMATS[2:]
_DEFAULT_BITS = 18


def add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="a file, several in order, a pattern such as 'day-*.csv', - for standard input, or demo:oranges, demo:drift; gzip "
        "and Zstandard are known by content",
    )


def add_reading_options(
    parser: argparse.ArgumentParser, remembers: str = "a model remembers all of this but the last two"
) -> None:
    group = parser.add_argument_group(f"how SOURCE is read ({remembers})")
    group.add_argument(
        "--format",
        choices=_FORMATS,
        help="svmlight (LIBSVM) or Vowpal Wabbit text, CSV (commas, tabs or semicolons), Parquet, Arrow or JSON Lines; by "
        "default seen from the first bytes and the name",
    )
    group.add_argument(
        "--label", metavar="COLUMN", help="the column of labels (the one that is called label, target, class or y)"
    )
    group.add_argument(
        "--text", action="append", metavar="COLUMN", help="a column whose words are attributes; may be given several times"
    )
    group.add_argument(
        "--ignore", action="append", metavar="COLUMN", help="a column that is left out; may be given several times"
    )
    group.add_argument(
        "--numeric",
        choices=("scale", "raw"),
        help="numbers of a table by the running mean and deviation of their column, or as they are (scale)",
    )
    group.add_argument("--header", metavar="NAMES", help="the columns of CSV without a line of names, with commas between them")
    group.add_argument(
        "--decimal",
        choices=(",", "."),
        help="the decimal sign of all numbers of CSV; by default each column tells between semicolons, and else it is a point",
    )
    group.add_argument("--positive", metavar="LABEL", help="the positive label; by default the larger or later one")
    group.add_argument("--bits", type=whole, metavar="B", help="2^B slots for features (18)")
    group.add_argument("--n", type=whole, metavar="N", help="so many slots, instead of --bits")
    group.add_argument("--zero-based", action="store_true", default=None, help="svmlight indices count from 0, not from 1")
    group.add_argument(
        "--interactions",
        action="append",
        metavar="AB",
        help="Vowpal Wabbit text: also the product of each feature of a namespace that begins with A and each of one with B; "
        "ABC takes three, AA pairs of the same, : is any namespace; may be given several times",
    )
    group.add_argument(
        "--ngrams",
        type=whole,
        metavar="K",
        help="Vowpal Wabbit text, --text: up to K words that follow each other in a namespace or a cell, as one feature (1)",
    )
    group.add_argument(
        "--on-bad", choices=("stop", "skip"), default="stop", help="what to do at a line that cannot be read (stop)"
    )
    group.add_argument(
        "--threads",
        type=whole,
        metavar="K",
        help="how many threads read SOURCE and play the lanes of a portfolio; it changes nothing but the time "
        "(one a core, up to 8)",
    )


def whole(text: str) -> int:
    """A whole number of at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of at least 1")
    return number


def at_least_two(text: str) -> int:
    """A whole number of at least 2."""
    number = whole(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of at least 2")
    return number


def reading(options: argparse.Namespace, recipe: Recipe | None) -> dict[str, Any]:
    """What `open_stream` is to be called with."""
    if recipe is not None:
        check_recipe(options, recipe)
        asked = {name: getattr(options, name) for name in ("decimal", "positive", "on_bad", "threads")}
        given = {"recipe": recipe, **asked}
        return given if recipe.table is None else {**given, "format": options.format}
    if options.n is not None and options.bits is not None:
        raise ParameterError("found both --n and --bits, expected one of them")
    return {
        "format": options.format,
        "n": options.n,
        "bits": _DEFAULT_BITS if options.bits is None else options.bits,
        **{name: value for name, value in columns(options).items() if value is not None},
        "decimal": options.decimal,
        "zero_based": bool(options.zero_based),
        "interactions": options.interactions or (),
        "ngrams": 1 if options.ngrams is None else options.ngrams,
        "positive": options.positive,
        "on_bad": options.on_bad,
        "threads": options.threads,
    }


def columns(options: argparse.Namespace) -> dict[str, Any]:
    """What was said of the columns of a table; None where nothing was."""
    given = {name: getattr(options, name) for name in ("label", "text", "ignore", "numeric")}
    return {**given, "header": None if options.header is None else options.header.split(",")}


def no_recipe(path: str) -> StoreError:
    """What to say of a model that cannot read a source."""
    return StoreError(
        f"{path}: found no recipe to read a source by, since it was saved from Python; "
        "thresher.store.Model(learner, stream.recipe).save(path) saves one"
    )


def check_recipe(options: argparse.Namespace, recipe: Recipe) -> None:
    """An option that contradicts the model is an error."""
    said = {
        "--format": ("table" if options.format in _TABLES else options.format, recipe.format),
        "--n": (options.n, recipe.n),
        "--bits": (None if options.bits is None else 2 ** min(options.bits, 64), recipe.n),
        "--zero-based": (options.zero_based, recipe.zero_based),
        "--interactions": _interactions(options.interactions, recipe),
        "--ngrams": (options.ngrams, recipe.ngrams),
        "--positive": _positive(options.positive, recipe),
    }
    for name, given in columns(options).items():
        known = None if recipe.table is None else getattr(recipe.table, name)
        said[f"--{name}"] = (_in_words(given), _in_words(known))
    for option, (wanted, known) in said.items():
        if wanted is not None and wanted != known:
            shown = options.bits if option == "--bits" else wanted
            was = f"{known:,} slots" if option == "--bits" else known
            raise ParameterError(f"found {option} {shown}, but the model was made with {was}: leave the option out")


def _in_words(columns: str | Sequence[str] | None) -> str | None:
    """Names in order: that in which they were given means nothing."""
    return columns if columns is None or isinstance(columns, str) else " ".join(sorted(columns)) or "none"


def _interactions(wanted: list[str] | None, recipe: Recipe) -> tuple[str | None, str]:
    """Those that are wanted and those that are known, in words."""
    from thresher.data.recipe import interactions_in_order

    return None if wanted is None else " ".join(interactions_in_order(wanted)), " ".join(recipe.interactions) or "none"


def _positive(wanted: str | None, recipe: Recipe) -> tuple[str | None, str | None]:
    """The positive label as it is wanted and as it is known; the same word for both where they mean the same."""
    if wanted is None or same_label(wanted, recipe.plus) or (recipe.plus is None and not same_label(wanted, recipe.minus)):
        return recipe.plus, recipe.plus
    return wanted, recipe.spelled(+1)


def nothing(stream: Stream) -> SourceError:
    """What to say of a source without an example."""
    if stream.bad:
        return SourceError(f"found no line that can be read, of {stream.bad:,}; the first: {stream.first_bad[0]}")
    return SourceError("found no example with a label, expected at least one to learn from", file=str(stream.source))


def first_sum(batch: Batch) -> float:
    """The sum of the first example, for Winnow's threshold."""
    rows = batch.rows
    return float(rows.data[: rows.indptr[1]].sum())
