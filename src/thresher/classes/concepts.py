"""A concept class as a value, and one concept of it as a hypothesis."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from thresher.bounds.printed import counted, shown
from thresher.classes.bits import Words, words_for
from thresher.errors import ExampleError, ParameterError
from thresher.examples import is_masked
from thresher.protocol import Prediction

__all__ = ["MOST_CONCEPTS", "Concept", "ConceptClass", "as_index", "rows_of", "whole"]

#: Classes beyond this have a size and concepts, but are not gone through: 128 MiB of bits an example.
MOST_CONCEPTS = 2**30


class ConceptClass(ABC):
    """Finitely many concepts, functions from examples to −1 and +1, in an order: concept 0, concept 1, …

    The examples that all concepts treat alike are one *place*, and the places are finitely many: `place(x)` is the number of
    the place of x, `example(place)` an example there. What all concepts say of an example is packed, one bit a concept
    (`thresher.classes.unpack` gives bools), so that a million of them are 128 KiB.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """How many concepts there are, exactly."""

    @property
    def _enough(self) -> int:
        """The size up to 10^30; beyond, a number from there to the size: enough for every limit, and for a message."""
        return self.size

    @property
    @abstractmethod
    def places(self) -> int:
        """How many kinds of examples the concepts can tell apart, at most."""

    @property
    @abstractmethod
    def domain(self) -> str:
        """What an example is, in words."""

    @abstractmethod
    def place(self, x: object) -> int:
        """The number of the place of an example; one outside the domain is an `ExampleError`."""

    @abstractmethod
    def example(self, place: int) -> object:
        """An example of this place."""

    @abstractmethod
    def _at(self, place: int) -> Words:
        """What all concepts say there, packed."""

    @abstractmethod
    def _says(self, i: int, place: int) -> bool:
        """What concept i says there."""

    @abstractmethod
    def _words(self, i: int) -> str:
        """Concept i in words."""

    @abstractmethod
    def _arguments(self) -> dict[str, Any]:
        """What to call the class with for an equal one, as JSON can hold it, but for `_arrays`."""

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """The arguments that are arrays, by name."""
        return {}

    @classmethod
    def _from(cls, arguments: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The class that had these `_arguments` and `_arrays`."""
        return cls(**arguments, **arrays)

    def at(self, place: int) -> Words:
        """What every concept says of the examples of a place, packed, one bit a concept."""
        self._check_size()
        return self._at(place)

    def _check_size(self) -> None:
        if (size := self._enough) > MOST_CONCEPTS:
            raise ParameterError(f"found {counted(size)} concepts, expected at most {MOST_CONCEPTS:,} where all are asked")

    def values(self, x: object) -> Words:
        """What every concept says of one example, packed, one bit a concept: 1 for +1, 0 for −1."""
        return self.at(self.place(x))

    def values_many(self, X: object) -> Words:
        """The same for many examples, one a row: a bit matrix."""
        self._check_size()
        rows = rows_of(X)
        matrix = np.empty((len(rows), words_for(self.size)), dtype=np.uint64)
        for k, place in self.places_of(rows):
            matrix[k] = self.at(place)
        return matrix

    def places_of(self, rows: Sequence[object] | NDArray[Any]) -> Iterator[tuple[int, int]]:
        """Each row's number and place. A bad one raises with its row when it is asked for."""
        for k, x in enumerate(rows):
            try:
                yield k, self.place(x)
            except ExampleError as error:
                raise ExampleError(f"row {k}: {error}", row=k, column=error.column) from None

    def concept(self, i: SupportsIndex) -> Concept:
        """Concept i, counted from 0, as a hypothesis."""
        k = as_index(i)
        if k is None or k < 0 or not (k < self._enough or k < self.size):
            found = shown(i) if k is None else counted(k)
            raise ParameterError(f"found concept {found}, expected one of {counted(self._enough)}, from 0")
        return Concept(self, k)

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self)._from, (self._arguments(), self._arrays())

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return True  # also where the size is beyond what `len` may return


@dataclass(frozen=True, repr=False)
class Concept:
    """One concept of a class. It predicts, and never changes.

    >>> from thresher.classes import Disjunctions
    >>> concept = Disjunctions(4).concept(9)
    >>> print(concept)
    x0 or x3
    >>> concept.predict([0, 0, 0, 1]).label, concept.predict_many([[1, 0, 0, 0], [0, 1, 1, 0]]).tolist()
    (1, [1, -1])
    """

    concepts: ConceptClass
    number: int

    def predict(self, x: object) -> Prediction:
        """What the concept says of one example."""
        label = self._label(self.concepts.place(x))
        return Prediction(label, float(label))

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """What the concept says of many examples, one a row."""
        rows = rows_of(X)
        return np.array([self._label(place) for _, place in self.concepts.places_of(rows)], dtype=np.int8)

    def _label(self, place: int) -> int:
        return +1 if self.concepts._says(self.number, place) else -1

    def __str__(self) -> str:
        return self.concepts._words(self.number)

    def __repr__(self) -> str:
        return f"Concept({self})"


def whole(name: str, value: object, least: int, most: int) -> int:
    """A parameter that is a whole number, checked.

    >>> whole("k", 3, 1, 2**20)
    3
    """
    found = as_index(value)
    if found is None or not least <= found <= most:
        raise ParameterError(f"found {name} = {shown(value)}, expected a whole number from {least} to {most:,}")
    return found


def as_index(value: object) -> int | None:
    """A whole number as an int; None for anything else, a bool and an array too.

    >>> as_index(np.int8(3)), as_index(3.0), as_index(True)
    (3, None, None)
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex) or is_masked(value):
        return None
    try:
        return index(value)
    except TypeError:  # an array of several
        return None


def rows_of(X: object) -> Sequence[object] | NDArray[Any]:
    """Many examples, one a row: a sequence or an array with at least one dimension."""
    if isinstance(X, np.ndarray) and X.ndim > 0:
        return X
    if not isinstance(X, Sequence) or isinstance(X, str | bytes):
        raise ExampleError(f"found {type(X).__name__} for the examples, expected a list or an array with one a row")
    return X
