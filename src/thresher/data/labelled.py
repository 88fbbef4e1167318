"""A stream of examples with two labels: what text and tables have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict

import numpy as np

from thresher._core import Batch as CoreBatch
from thresher._core import Crew, Reader, Rule, TableReader, slot_of_bytes
from thresher.data.batch import Batch, Position
from thresher.data.recipe import Recipe
from thresher.data.source import Source
from thresher.data.spelling import positive_index
from thresher.errors import ParameterError, SourceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Stream", "Wishes", "printable"]


class Wishes(NamedTuple):
    """What whoever opens a stream wants of it, whatever it is read from."""

    positive: str | None
    skip_bad: bool
    keep_unlabelled: bool
    ignore_labels: bool
    rule: Rule | None
    threads: int

    @property
    def policy(self) -> Policy:
        """The same for the core's readers."""
        rule = self.rule
        return {
            "labels": "ignored" if self.ignore_labels else "optional" if self.keep_unlabelled else "needed",
            "drop_unlabelled": not self.keep_unlabelled,
            "skip_bad": self.skip_bad,
            "needs_features": rule is not None and rule.normalize and rule.bias is None,
            "values": "any" if rule is None else rule.values,
        }


class Policy(TypedDict):
    """What the core's readers do with labels, bad lines and values."""

    labels: str
    drop_unlabelled: bool
    skip_bad: bool
    needs_features: bool
    values: str


class Stream(ABC):
    """The examples of a source, batch by batch, once. Use it in a `with`, or read it to its end.

    When it has ended, a second loop over it meets no batch, as with the lines of a file: open it again to read it again.

    >>> import thresher as th
    >>> with th.open_stream("demo:oranges") as stream:
    ...     learner = th.Perceptron(stream.n, bias=1.0)
    ...     for batch in stream:
    ...         rounds = learner.learn_many(batch.X, batch.y, batch.weights)
    >>> stream.recipe.plus, stream.recipe.minus, learner.rounds
    ('export', 'local-market', 9600)
    >>> list(stream)
    []
    """

    def __init__(self, source: Source, recipe: Recipe, reader: Reader | TableReader, positive: str | None) -> None:
        self.source = source
        self._recipe = recipe
        self._labels = reader
        self._wanted = positive if positive is not None or source.demo is None else source.demo.positive
        self._first_bad: list[SourceError] = []
        known = [label for label in (recipe.minus, recipe.plus) if label is not None]
        for label in known:
            reader.know_label(label.encode())
        self._fixed = bool(known)  # then a label that was not met before takes the place that is left
        self._decided = 0
        self._positive = 0 if recipe.minus is None else 1

    # ---- what is known of it -----------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of slots."""
        return self._recipe.n

    @property
    def recipe(self) -> Recipe:
        """How it is read, with the labels met so far."""
        labels = [spelling.decode() for spelling, _ in self._labels.labels]
        first, second = (*labels, None, None)[:2]
        plus, minus = (first, second) if self._positive == 0 else (second, first)
        return replace(self._recipe, plus=plus, minus=minus)

    @property
    @abstractmethod
    def position(self) -> Position:
        """How far it was read: behind the batch at hand and, if it is `failing`, behind the line that cannot be read."""

    @property
    @abstractmethod
    def read(self) -> int:
        """How many bytes were read on disk, some of them ahead; with `source.size` it tells how much is left."""

    @property
    def unlabelled(self) -> int:
        """How many examples had no label."""
        return self._labels.without_label

    @property
    def bad(self) -> int:
        """How many lines could not be read and were left out."""
        return self._labels.bad_lines

    @property
    def failing(self) -> bool:
        """Whether a line that cannot be read comes right after the batch at hand."""
        return self._labels.stopped

    @property
    def first_bad(self) -> list[SourceError]:
        """The first few of them."""
        return list(self._first_bad)

    @property
    def crew(self) -> Crew:
        """The threads that read it, who may do other work, too."""
        return self._labels.crew

    @property
    def notices(self) -> list[str]:
        """What a user should know of it."""
        full = "there are more names than a model keeps; the later ones will be shown by their slots"
        return [full] if self._labels.names_full else []

    # ---- names -------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> bytes:
        """The names that were kept, each ended by a line break."""
        return self._labels.names

    def remember(self, names: bytes) -> None:
        """Takes up names that were kept earlier."""
        for name in names.split(b"\n")[:-1]:
            self._labels.keep_name(name)

    def keep_names(self, batch: Batch, changed: NDArray[np.bool_] | memoryview) -> None:
        """Keeps the names of the rows that changed a learner, up to a limit."""
        if not self._recipe.named:
            return
        moved = changed if isinstance(changed, memoryview) else changed.data
        of_all = bytearray(len(batch.rows))
        if batch.places is None:
            of_all[batch.first : batch.first + len(batch)] = moved.cast("B")
        else:
            np.frombuffer(of_all, np.uint8)[batch.places] = moved.cast("B")
        self._labels.keep_names(batch.rows, memoryview(of_all).cast("?"))

    def names_of(self, batch: Batch, row: int) -> dict[int, str]:
        """The slots of a row with their names, as the source spells them."""
        if not self._recipe.named:
            return {slot: self._recipe.attribute(slot) for slot in batch.X[row]}
        names = self._labels.names_of(batch.rows, batch.place(row))
        return {slot_of_bytes(name, self.n): name.decode("utf-8", "backslashreplace") for name in names}

    # ---- reading -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def __iter__(self) -> Iterator[Batch]: ...

    @abstractmethod
    def skip_to(self, position: Position) -> None:
        """Passes over what was read before; if it is not the same, says so."""

    @abstractmethod
    def close(self) -> None:
        """Ends it: no more batches are given."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # ---- labels ------------------------------------------------------------------------------------------------------

    def _decide(self) -> None:
        """Which label is the positive one, as soon as that matters."""
        if self._decided == 2:
            return
        labels = self._labels.labels
        if len(labels) == self._decided:
            return
        if self._fixed:
            self._check_wanted([spelling.decode() for spelling, _ in labels], labels[-1][1])
            return
        spelled = [spelling.decode() for spelling, _ in labels]
        wanted = -1 if self._wanted is None else self._labels.find_label(self._wanted.encode("utf-8", "surrogateescape"))
        line = labels[-1][1]
        try:
            positive = positive_index(spelled, self._wanted, wanted)
        except ParameterError as error:
            raise self._placed(str(error), line) from None
        if self._decided and positive != self._positive:
            met = "positive" if self._positive == 0 else "negative"
            raise self._placed(
                f"found label {spelled[1]!r} after {spelled[0]!r} was taken for the {met} one; "
                "say with --positive LABEL (positive= in Python) which one is positive",
                line,
            )
        self._positive = positive
        self._decided = len(labels)

    def _check_wanted(self, labels: list[str], line: int) -> None:
        """With a recipe, a label that was named must come to stand where the recipe has room for it."""
        if self._wanted is not None and len(labels) == 2:
            wanted = self._labels.find_label(self._wanted.encode("utf-8", "surrogateescape"))
            if wanted != self._positive:
                found = labels[self._positive]
                raise self._placed(f"found label {found!r}, expected {self._wanted!r}, as --positive says", line)
        self._decided = len(labels)

    @abstractmethod
    def _placed(self, message: str, line: int) -> SourceError:
        """What is wrong with the label that was first met in this line, or row, of what is read."""

    def _batch(self, rows: CoreBatch) -> Batch:
        tags = [tag.decode("utf-8", "surrogateescape") for tag in rows.tags]
        return Batch(rows.X, rows.codes(self._positive), rows.weights, tags, rows)


def printable(message: str) -> str:
    """A message in which nothing moves the cursor."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in message)
