"""A source as a stream of examples: `open_stream`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from thresher._core import Batch as CoreBatch
from thresher._core import Reader, Rule, slot_of_bytes
from thresher.data.batch import UNLABELLED, Batch, Position
from thresher.data.recipe import FORMATS, Recipe
from thresher.data.source import Opened, Place, Source
from thresher.data.spelling import positive_index
from thresher.errors import ParameterError, SourceError

__all__ = ["DEFAULT_BITS", "MOST_THREADS", "UNLABELLED", "Batch", "Position", "Stream", "open_stream"]

DEFAULT_BITS = 18
MOST_THREADS = 64
_PIECE = 1 << 19


class Stream:
    """The examples of a source, batch by batch, once. Use it in a `with`, or read it to its end.

    >>> import thresher as th
    >>> with th.open_stream("demo:oranges") as stream:
    ...     learner = th.Perceptron(stream.n, bias=1.0)
    ...     for batch in stream:
    ...         rounds = learner.learn_many(batch.X, batch.y, batch.weights)
    >>> stream.recipe.plus, stream.recipe.minus, learner.rounds
    ('export', 'local-market', 9600)
    """

    def __init__(
        self,
        source: Source,
        recipe: Recipe | None,
        *,
        format: str | None,
        n: int,
        zero_based: bool,
        interactions: tuple[str, ...],
        ngrams: int,
        positive: str | None,
        skip_bad: bool,
        keep_unlabelled: bool,
        ignore_labels: bool,
        rule: Rule | None,
        tags: bool,
        threads: int,
    ) -> None:
        self.source = source
        source.check()
        if source.demo is not None and source.demo.positive is None:
            raise ParameterError(f"found {source}, a table of forecasts, expected examples: try thresher experts {source}")
        self._files = source.open(ahead=threads > 1)
        self._context = next(self._files)
        self._file: Opened | None = self._context.__enter__()
        self._names = [self._file.name]
        self._read_before = 0
        self._closed = False
        self._failure: Exception | None = None
        self._lost = False
        self._first_bad: list[SourceError] = []
        try:
            if recipe is None:
                spelled = format or _detected(self._file, source)
                recipe = Recipe(spelled, n, zero_based, interactions=interactions, ngrams=ngrams)
            if tags and not recipe.named:
                raise ParameterError(f"{FORMATS[recipe.format]} has no tags")
            self._recipe = recipe
            self._wanted = positive if positive is not None or source.demo is None else source.demo.positive
            self._reader = Reader(
                recipe.format,
                recipe.n,
                zero_based=recipe.zero_based,
                keep_tags=tags,
                labels="ignored" if ignore_labels else "optional" if keep_unlabelled else "needed",
                drop_unlabelled=not keep_unlabelled,
                skip_bad=skip_bad,
                needs_features=rule is not None and rule.normalize and rule.bias is None,
                values="any" if rule is None else rule.values,
                interactions=recipe.interactions,
                ngrams=recipe.ngrams,
                threads=threads,
            )
        except BaseException:
            self._close_file()
            raise
        known = [label for label in (recipe.minus, recipe.plus) if label is not None]
        for label in known:
            self._reader.know_label(label.encode())
        self._fixed = bool(known)  # then a label that was not met before takes the place that is left
        self._decided = 0
        self._positive = 0 if recipe.minus is None else 1
        self._reader.start_file()

    # ---- what is known of it -----------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of slots."""
        return self._recipe.n

    @property
    def recipe(self) -> Recipe:
        """How it is read, with the labels met so far."""
        labels = [spelling.decode() for spelling, _ in self._reader.labels]
        first, second = (*labels, None, None)[:2]
        plus, minus = (first, second) if self._positive == 0 else (second, first)
        return replace(self._recipe, plus=plus, minus=minus)

    @property
    def position(self) -> Position:
        """How far it was read."""
        return Position(self._reader.offset, self._reader.digest)

    @property
    def read(self) -> int:
        """How many bytes were read on disk, some of them ahead; with `source.size` it tells how much is left."""
        return self._read_before + (0 if self._file is None else self._file.position())

    @property
    def unlabelled(self) -> int:
        """How many examples had no label."""
        return self._reader.without_label

    @property
    def bad(self) -> int:
        """How many lines could not be read and were left out."""
        return self._reader.bad_lines

    @property
    def failing(self) -> bool:
        """Whether a line that cannot be read comes right after the batch at hand."""
        return self._reader.stopped

    @property
    def first_bad(self) -> list[SourceError]:
        """The first few of them."""
        return list(self._first_bad)

    @property
    def notices(self) -> list[str]:
        """What a user should know of it."""
        notices = []
        if self._reader.saw_query:
            notices.append("the file has query ids (qid); they are not used")
        if self._reader.names_full:
            notices.append("there are more names than a model keeps; the later ones will be shown by their slots")
        return notices

    # ---- names -------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> bytes:
        """The names that were kept, each ended by a line break."""
        return self._reader.names

    def remember(self, names: bytes) -> None:
        """Takes up names that were kept earlier."""
        for name in names.split(b"\n")[:-1]:
            self._reader.keep_name(name)

    def keep_names(self, batch: Batch, changed: NDArray[np.bool_]) -> None:
        """Keeps the names of the rows that changed a learner, up to a limit."""
        of_all = np.zeros(len(batch.rows), np.bool_)
        of_all[batch.first : batch.first + len(batch)] = changed
        self._reader.keep_names(batch.rows, of_all)

    def names_of(self, batch: Batch, row: int) -> dict[int, str]:
        """The slots of a row with their names, as the source spells them."""
        if not self._recipe.named:
            return {slot: self._recipe.attribute(slot) for slot in batch.X[row]}
        names = self._reader.names_of(batch.rows, batch.first + row)
        return {slot_of_bytes(name, self.n): name.decode("utf-8", "backslashreplace") for name in names}

    # ---- reading -----------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Batch]:
        while not self._closed:
            if self._reader.stopped:
                raise self._first_bad[-1]
            if self._lost:
                raise SourceError("found a stream that was interrupted while it read, expected it opened anew", file=self._name)
            self._lost = True  # unless what follows comes to its end
            self._read_ahead()
            if not self._reader.has_next:
                break
            rows = self._reader.next()
            self._first_bad += [self._error(*bad) for bad in self._reader.bad[len(self._first_bad) :]]
            if len(rows):
                self._decide()
            self._lost = False
            if len(rows):
                yield self._batch(rows)
        self._lost = False
        if self._failure is not None and not self._closed:
            raise self._failure

    def _read_ahead(self) -> None:
        """Text for the threads, as much as may wait. What goes wrong is said after all that was read before it."""
        try:
            while self._file is not None and not self._closed and self._reader.has_room:
                if self._file.pipe is None:
                    self._reader.fill(self._file.readinto)
                    last = not self._file.peek()  # then the last line comes along, whether or not a line break ends it
                elif self._file.waits and self._reader.has_next:
                    return  # what is there comes first
                else:
                    last = self._fill_from(self._file)
                self._reader.cut(last)
                if last:
                    self._next_file()
        except Exception as error:
            self._failure = error
            self._close_file()

    def _fill_from(self, pipe: Opened) -> bool:
        """Reads what has come through a pipe, up to half a megabyte; whether it has ended."""
        size = got = self._reader.fill(pipe.readinto1)
        while got and size < _PIECE and not pipe.waits:
            got = self._reader.fill(pipe.readinto1)
            size += got
        return got == 0

    def skip_to(self, position: Position) -> None:
        """Passes over what was read before; if it is not the same text, says so."""
        left = position.offset
        while self._file is not None and (left or self._reader.digest != position.digest):
            done, got = left == 0, self._reader.fill(self._file.readinto)
            left -= self._reader.skip(left)
            if got == 0:
                self._next_file()  # one without a byte counts, too
            elif done:
                break
        if left or self._reader.digest != position.digest:
            raise SourceError(
                f"found another text than the run was reading, in its first {position.offset:,} bytes; "
                "expected the same, to go on where it stopped",
                file=str(self.source),
            )

    def close(self) -> None:
        """Ends it: no more batches are given."""
        self._closed = True
        self._reader.end()
        self._close_file()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file = None
            self._context.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _next_file(self) -> None:
        self._read_before = self.read
        self._close_file()
        following = next(self._files, None)
        if following is not None and not self._closed:
            self._context = following
            self._file = following.__enter__()
            self._names.append(self._file.name)
            self._reader.start_file()

    def _decide(self) -> None:
        """Which label is the positive one, as soon as that matters."""
        labels = self._reader.labels
        if len(labels) == self._decided:
            return
        if self._fixed:
            self._check_wanted([spelling.decode() for spelling, _ in labels], labels[-1][1])
            return
        spelled = [spelling.decode() for spelling, _ in labels]
        wanted = -1 if self._wanted is None else self._reader.find_label(self._wanted.encode("utf-8", "surrogateescape"))
        line = labels[-1][1]
        try:
            positive = positive_index(spelled, self._wanted, wanted)
        except ParameterError as error:
            raise SourceError(str(error), file=self._name, line=line) from None
        if self._decided and positive != self._positive:
            met = "positive" if self._positive == 0 else "negative"
            raise SourceError(
                f"found label {spelled[1]!r} after {spelled[0]!r} was taken for the {met} one; "
                "say with --positive LABEL which one is positive",
                file=self._name,
                line=line,
            )
        self._positive = positive
        self._decided = len(labels)

    def _check_wanted(self, labels: list[str], line: int) -> None:
        """With a recipe, a label that was named must come to stand where the recipe has room for it."""
        if self._wanted is not None and len(labels) == 2:
            wanted = self._reader.find_label(self._wanted.encode("utf-8", "surrogateescape"))
            if wanted != self._positive:
                found = labels[self._positive]
                raise SourceError(
                    f"found label {found!r}, expected {self._wanted!r}, as --positive says", file=self._name, line=line
                )
        self._decided = len(labels)

    def _batch(self, rows: CoreBatch) -> Batch:
        tags = [tag.decode("utf-8", "surrogateescape") for tag in rows.tags]
        return Batch(rows.X, rows.codes(self._positive), rows.weights, tags, rows)

    @property
    def _name(self) -> str:
        """The file that the batch at hand is from."""
        return self._names[self._reader.file]

    def _error(self, line: int, column: int, found: bytes, expected: str) -> SourceError:
        message = f"found {found.decode('utf-8', 'backslashreplace')}, expected {expected}"
        shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in message)
        return SourceError(shown, file=self._name, line=line, column=column)


def _detected(file: Opened, source: Source) -> str:
    """The format of a text by its first line: Vowpal Wabbit's has a bar."""
    if source.demo is not None:
        return source.demo.format
    start = file.peek().removeprefix(b"\xef\xbb\xbf")
    lines = (line for line in start.splitlines() if line.strip() and not line.lstrip().startswith(b"#"))
    first = next(lines, b"")
    before_comment = first.partition(b"#")[0]
    indexed = all(b":" in token for token in before_comment.split()[1:])
    return "vw" if b"|" in before_comment or (b"|" in first and not indexed) else "svmlight"


def _default_threads() -> int:
    return min(len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1, 8)


def _spellable(label: object) -> bool:
    """Whether a line of text can have this label."""
    return isinstance(label, str) and label.isprintable() and 0 < len(label) <= 256 and not set(label) & set(" ,:|")


def open_stream(
    source: Place | Sequence[Place] | Source,
    *,
    format: str | None = None,
    n: int | None = None,
    bits: int = DEFAULT_BITS,
    zero_based: bool = False,
    interactions: str | Sequence[str] = (),
    ngrams: int = 1,
    positive: str | None = None,
    on_bad: str = "stop",
    keep_unlabelled: bool = False,
    ignore_labels: bool = False,
    rule: Rule | None = None,
    tags: bool = False,
    recipe: Recipe | None = None,
    threads: int | None = None,
) -> Stream:
    """The examples of a source: a file, several, `-` for standard input, or `demo:oranges`.

    - ``format`` is ``"svmlight"`` or ``"vw"``; by default it is seen from the first line. gzip and Zstandard are known by
      content.
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
        raise ParameterError(f"found positive = {positive!r}, expected a label: without blanks, commas or control characters")
    if n is None and not 1 <= bits <= 31:
        raise ParameterError(f"found bits = {bits}, expected from 1 to 31")
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise ParameterError(f"found threads = {threads}, expected from 1 to {MOST_THREADS}")
    if not isinstance(source, Source):
        source = Source(source) if isinstance(source, str | PathLike) else Source(*source)
    return Stream(
        source,
        recipe,
        format=format,
        n=2**bits if n is None else n,
        zero_based=zero_based,
        interactions=(interactions,) if isinstance(interactions, str) else tuple(interactions),
        ngrams=ngrams,
        positive=positive,
        skip_bad=on_bad == "skip",
        keep_unlabelled=keep_unlabelled or ignore_labels,
        ignore_labels=ignore_labels,
        rule=rule,
        tags=tags,
        threads=_default_threads() if threads is None else threads,
    )
