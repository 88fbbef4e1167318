"""A source as a stream of examples: `open_stream`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike

from thresher._core import Rule
from thresher.data.batch import UNLABELLED, Batch, Position
from thresher.data.detect import FORMATS as KNOWN
from thresher.data.detect import TABLES, check_said, format_of
from thresher.data.files import Files
from thresher.data.frame import ArrowStream, Frame
from thresher.data.labelled import Stream, Wishes
from thresher.data.recipe import FORMATS, Recipe
from thresher.data.source import Place, Source
from thresher.data.table_recipe import DECIMALS, TableRecipe
from thresher.data.text import TextStream
from thresher.errors import ParameterError
from thresher.threads import MOST_THREADS, processors

__all__ = ["DEFAULT_BITS", "MOST_THREADS", "UNLABELLED", "Batch", "Position", "Stream", "open_stream"]

DEFAULT_BITS = 18


def _spellable(label: object) -> bool:
    """Whether a source can have this label."""
    return isinstance(label, str) and label.isprintable() and 0 < len(label) <= 256


def open_stream(
    source: Place | Sequence[Place] | Source | ArrowStream,
    *,
    format: str | None = None,
    n: int | None = None,
    bits: int = DEFAULT_BITS,
    zero_based: bool = False,
    interactions: str | Sequence[str] = (),
    ngrams: int = 1,
    label: str | None = None,
    text: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    numeric: str = "scale",
    header: Sequence[str] = (),
    decimal: str | None = None,
    positive: str | None = None,
    on_bad: str = "stop",
    keep_unlabelled: bool = False,
    ignore_labels: bool = False,
    rule: Rule | None = None,
    tags: bool | str = False,
    recipe: Recipe | None = None,
    threads: int | None = None,
) -> Stream:
    """The examples of a source: a file, several, `-` for standard input, `demo:oranges`, or a data frame.

    The stream is read once: when it has ended it gives no more batches, as a file gives no more lines. Open it again to read
    it again.

    - ``format`` is ``"svmlight"``, ``"vw"``, ``"csv"``, ``"parquet"``, ``"arrow"`` or ``"jsonl"``; by default it is seen from
      the first bytes and the name. gzip and Zstandard are known by content. A data frame is any object with
      ``__arrow_c_stream__``, as those of pandas, polars and DuckDB are.
    - Of tables, ``label`` names the column of labels (by default the one that is called label, target, class or y), ``ignore``
      columns to leave out, ``text`` those whose words are attributes. ``numeric`` is ``"scale"``, numbers by the running mean
      and deviation of their column, or ``"raw"``. ``header`` names the columns of CSV that does not. ``decimal``, a comma or a
      point, is the decimal sign of all numbers of CSV; by default each column tells between semicolons, and else it is a point.
    - ``n`` is the number of slots, by default 2^bits. Indices are used as they are, names fall into the slot that their
      hash gives.
    - ``interactions`` such as ``"ab"``, or several of them, add the products of features: each of a namespace that begins with
      a, with each of one that begins with b; ``:`` stands for any. ``ngrams=2`` adds the pairs of words that follow each other
      in a namespace, 3 the triples, too, and so on. Both are for names.
    - ``positive`` names the positive label. By default it is the larger number, or the later word in the alphabet.
    - ``on_bad="skip"`` leaves out lines that cannot be read, and counts them; by default they raise `SourceError`.
    - ``keep_unlabelled`` gives examples without a label, too, for a learner to predict; ``ignore_labels`` takes all for such.
    - ``rule`` is that of the learner, `learner.rule`: a line that it could not learn is then refused with its place, and where
      it takes values up to 1 alone, the larger in size of two in one slot is kept instead of their sum.
    - ``tags`` keeps the tags of Vowpal Wabbit text, or, of a table, the cells of the column that it names.
    - ``recipe`` is that of a model, instead of all that says how to read.
    - ``threads`` is how many read the text, yours included: batches come in the order of the text, and are the same for any
      number. By default one a core, up to 8: whoever learns takes them one by one, and more would wait for that.

    >>> import thresher as th
    >>> with th.open_stream("demo:oranges") as stream:
    ...     batch = next(iter(stream))
    >>> batch.matrix().shape[1] == stream.n == 2**18
    True
    """
    if on_bad not in ("stop", "skip"):
        raise ParameterError(f"found on_bad = {on_bad!r}, expected 'stop' or 'skip'")
    if positive is not None and not _spellable(positive):
        raise ParameterError(f"found positive = {positive!r}, expected a label: without control characters, up to 256 letters")
    if format not in (None, *KNOWN):
        raise ParameterError(f"found format {format!r}, expected one of {', '.join(KNOWN)}")
    if n is None and not 1 <= bits <= 31:
        raise ParameterError(f"found bits = {bits}, expected from 1 to 31")
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise ParameterError(f"found threads = {threads}, expected from 1 to {MOST_THREADS}")
    source = _source(source)
    if source.demo is not None and source.demo.positive is None:
        raise ParameterError(f"found {source}, a table of forecasts, expected examples: try thresher experts {source}")
    threads = min(processors(), 8) if threads is None else threads
    wishes = Wishes(positive, on_bad == "skip", keep_unlabelled or ignore_labels, ignore_labels, rule, threads)
    files = Files(source, ahead=threads > 1)
    try:
        check_said(files.file, format)
        if recipe is None:
            columns = TableRecipe(label, tuple(_listed(ignore)), tuple(_listed(text)), tuple(_listed(header)), numeric)
            spelled = format or _format(source, files, asked=columns != TableRecipe(numeric=numeric))
            recipe = Recipe(
                "table" if spelled in TABLES else spelled,
                2**bits if n is None else n,
                zero_based,
                interactions=tuple(_listed(interactions)),
                ngrams=ngrams,
                table=columns if spelled in TABLES else None,
            )
            if recipe.table is None and columns != TableRecipe(numeric=numeric):
                raise ParameterError(
                    f"found --label, --text, --ignore or --header for {FORMATS[recipe.format]}, which has no columns"
                )
        recipe = _with_decimal(recipe, decimal, format or _format(source, files, asked=recipe.table is not None))
        if recipe.table is None:
            if isinstance(tags, str):
                raise ParameterError(f"found the column {tags!r} for tags, but {FORMATS[recipe.format]} has no columns")
            return TextStream(source, recipe, files, wishes, tags=tags)
        from thresher.data.table_stream import TableStream  # pyarrow need not be there for text

        if tags is True:
            raise ParameterError("found tags of a table, expected the name of a column")
        return TableStream(source, recipe, files, wishes, format=format, tag=tags or None)
    except BaseException:
        files.close()
        raise


def _source(given: Place | Sequence[Place] | Source | ArrowStream) -> Source:
    if isinstance(given, Source):
        return given
    if isinstance(given, str | PathLike):
        return Source(given)
    if isinstance(given, ArrowStream):
        return Frame(given)
    places = None if isinstance(given, Mapping) or not isinstance(given, Iterable) else list(given)
    if places is None or not all(isinstance(place, str | PathLike) for place in places):
        raise _no_source(given)
    return Source(*places)


def _no_source(given: object) -> ParameterError:
    """What to do with what is no source."""
    lazy = type(given).__name__ == "LazyFrame"  # of polars
    instead = "frame.collect() is one" if lazy else "rows in memory need none: learner.learn_many(X, y) learns them"
    found = f"found {type(given).__name__} for a source"
    return ParameterError(f"{found}, expected a file, several, - for standard input, demo:oranges, or a data frame; {instead}")


def _format(source: Source, files: Files, *, asked: bool) -> str:
    """What a source holds; `asked`: for columns, so that it is a table."""
    if source.demo is not None:
        return source.demo.format
    return "arrow" if files.file is None else format_of(files.file, table=asked)


def _with_decimal(recipe: Recipe, decimal: str | None, format: str) -> Recipe:
    """The recipe with the decimal sign that somebody said."""
    if decimal is None:
        return recipe
    if decimal not in DECIMALS:
        raise ParameterError(f"found decimal = {decimal!r}, expected ',' or '.'")
    if recipe.table is None or format != "csv":
        raise ParameterError(f"found --decimal {decimal} (decimal= in Python) for {format}, expected CSV")
    return replace(recipe, table=recipe.table.with_decimal(decimal))


def _listed(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given
