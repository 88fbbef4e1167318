"""Classes on finitely many points: concepts listed one by one, and all functions of k points."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher._core import NOT_A_LABEL, label_code
from thresher.bounds.printed import counted, shown
from thresher.classes.bits import Words, every, has, words_for
from thresher.classes.concepts import ConceptClass, as_index, whole
from thresher.errors import ExampleError, ParameterError
from thresher.examples import is_masked

__all__ = ["AllFunctions", "Explicit"]

_SHOWN = 12
_MOST_POINTS = 2**20


class Explicit(ConceptClass):
    """Concepts listed one by one: a table of zeros and ones with a row for each concept and a column for each point.

    `points` are the examples, numbers, strings or tuples of them; without them 0, 1, … An example that is a list or an array
    is looked up as a tuple. Instead of rows there may be functions, which are asked once about each point. Zeros and ones may
    be bools, or −1 and 1.

    >>> from thresher.classes import Explicit, unpack
    >>> singletons = Explicit([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> singletons.size, unpack(singletons.values(1), 3).tolist()
    (3, [False, True, False])
    >>> sizes = Explicit([lambda word: len(word) > 3, lambda word: "a" in word], points=["tea", "beer"])
    >>> print(sizes.concept(1))
    x in {'tea'}
    """

    def __init__(self, table: object, points: Sequence[object] | NDArray[Any] | None = None) -> None:
        if points is not None and not isinstance(points, Iterable):
            raise ParameterError(f"found points = {shown(points)}, expected a list of examples")
        given = None if points is None else [_point(point) for point in points]
        said = _table(table, given)
        names = list[Hashable](range(said.shape[1])) if given is None else given
        self._set(said.shape[0], tuple(names), _packed_by_point(said))

    def _set(self, size: int, points: tuple[Hashable, ...], columns: Words) -> None:
        columns.flags.writeable = False
        self._size, self._points, self._columns = size, points, columns
        self._index = {point: k for k, point in enumerate(points)}
        if len(self._index) != len(points):
            twice = next(point for k, point in enumerate(points) if self._index[point] != k)
            raise ParameterError(f"found the point {shown(twice)} twice, expected every point once")

    @property
    def size(self) -> int:
        """How many concepts are listed; equal ones count each."""
        return self._size

    @property
    def points(self) -> tuple[Hashable, ...]:
        """The examples, in order."""
        return self._points

    @property
    def places(self) -> int:
        """One for each point."""
        return len(self._points)

    @property
    def domain(self) -> str:
        """The points."""
        return f"one of the points {_listed(self._points)}"

    def place(self, x: object) -> int:
        """The point's number."""
        try:
            return self._index[_point(x)]
        except (KeyError, TypeError, ParameterError):
            raise ExampleError(f"found {shown(x)}, expected {self.domain}") from None

    def example(self, place: int) -> object:
        """The point."""
        return self._points[place]

    def _at(self, place: int) -> Words:
        column: Words = self._columns[place]
        return column

    def _says(self, i: int, place: int) -> bool:
        return has(self._columns[place], i)

    def _words(self, i: int) -> str:
        return _members([point for place, point in enumerate(self._points) if self._says(i, place)])

    def _arguments(self) -> dict[str, Any]:
        return {"size": self._size, "points": [_as_json(point) for point in self._points]}

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {"columns": self._columns}

    @classmethod
    def _from(cls, arguments: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        size, points, columns = arguments["size"], tuple(_point(p) for p in arguments["points"]), arrays["columns"]
        if type(size) is not int or size < 1 or not points or type(columns) is not np.ndarray or columns.dtype != np.uint64:
            raise ParameterError("the table is not bits of at least one concept and one point")
        if columns.shape != (len(points), words_for(size)) or (columns & ~every(size)).any():
            raise ParameterError(f"the table is not bits of {counted(size)} concepts for each of {len(points)} points")
        made = cls.__new__(cls)
        made._set(size, points, np.array(columns))
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explicit):
            return NotImplemented
        same = self._size == other._size and self._points == other._points
        return same and np.array_equal(self._columns, other._columns)

    def __hash__(self) -> int:
        return hash((self._size, self._points, self._columns.tobytes()))

    def __repr__(self) -> str:
        return f"Explicit({self._size:,} concepts on {_listed(self._points)})"

    def __setattr__(self, name: str, value: object) -> None:
        if "_index" in self.__dict__:
            raise AttributeError(f"cannot set {name}: a concept class never changes")
        super().__setattr__(name, value)


@dataclass(frozen=True)
class AllFunctions(ConceptClass):
    """All 2^k functions of the points 0, …, k − 1. Concept i says +1 of point j where bit j of i is 1.

    Every learner can be made to err on each point once: its Littlestone dimension is k, and so is ⌊lg|C|⌋.

    >>> from thresher.classes import AllFunctions
    >>> concepts = AllFunctions(3)
    >>> len(concepts), str(concepts.concept(5))
    (8, 'x in {0, 2}')
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 1, _MOST_POINTS))

    @property
    def size(self) -> int:
        """2^k."""
        return 1 << self.k

    @property
    def places(self) -> int:
        """One for each point."""
        return self.k

    @property
    def domain(self) -> str:
        """The points."""
        return f"a whole number from 0 to {self.k - 1}"

    def place(self, x: object) -> int:
        """The point itself."""
        point = as_index(x)
        if point is None or not 0 <= point < self.k:
            raise ExampleError(f"found {shown(x)}, expected {self.domain}")
        return point

    def example(self, place: int) -> object:
        """The point itself."""
        return place

    def _at(self, place: int) -> Words:
        size = words_for(self.size)
        if place < 6:
            period = ((1 << (1 << place)) - 1) << (1 << place)
            word = period * ((1 << 64) - 1) // ((1 << (2 << place)) - 1)
            return np.full(size, word & ((1 << min(self.size, 64)) - 1), dtype=np.uint64)
        runs = np.zeros((size >> (place - 5), 2, 1 << (place - 6)), dtype=np.uint64)
        runs[:, 1] = 2**64 - 1
        return runs.reshape(-1)

    def _says(self, i: int, place: int) -> bool:
        return bool(i >> place & 1)

    def _words(self, i: int) -> str:
        return _members([point for point in range(self.k) if i >> point & 1])

    def _arguments(self) -> dict[str, Any]:
        return {"k": self.k}


def _table(table: object, points: list[Hashable] | None) -> NDArray[np.bool_]:
    """Concepts × points, checked."""
    if is_masked(table):
        raise ParameterError("found a masked table, expected plain zeros and ones: fill it first")
    if not isinstance(table, np.ndarray):
        if not isinstance(table, Sequence) or isinstance(table, str | bytes):
            raise ParameterError(f"found {type(table).__name__} for a class, expected a table of zeros and ones or functions")
        table = _listed_concepts(table, points)
    if table.ndim != 2:
        raise ParameterError(f"found a table of shape {table.shape}, expected two dimensions: concepts and points")
    if not table.shape[0]:
        raise ParameterError("found an empty class, expected at least one concept")
    if not table.shape[1]:
        raise ParameterError("found concepts of no points, expected at least one point")
    if points is not None and len(points) != table.shape[1]:
        raise ParameterError(f"found {len(points)} points and concepts of {table.shape[1]}, expected the same domain")
    if table.dtype == np.bool_:
        return table
    if table.dtype.kind not in "iuf":
        raise ParameterError(f"found a table of {table.dtype}, expected zeros and ones")
    said: NDArray[np.bool_] = table == 1
    if not (said | (table == 0)).all() and not (said | (table == -1)).all():
        i, j = np.argwhere(~(said | (table == 0) | (table == -1)) | (table == -1))[0]
        raise ParameterError(f"concept {i} says {table[i, j]} of point {j}, expected 0 and 1 throughout (or −1 and 1)")
    return said


def _listed_concepts(concepts: Sequence[object], points: list[Hashable] | None) -> NDArray[Any]:
    """A table from concepts that are rows or functions, each checked against the domain of the first."""
    if not concepts:
        raise ParameterError("found an empty class, expected at least one concept")
    rows = [_row(i, concept, points) for i, concept in enumerate(concepts)]
    for i, row in enumerate(rows):
        if row.shape != rows[0].shape:
            raise ParameterError(
                f"concept {i} has {len(row)} points, concept 0 has {len(rows[0])}: expected concepts of one domain"
            )
    return np.array(rows)


def _row(i: int, concept: object, points: list[Hashable] | None) -> NDArray[np.int8]:
    if callable(concept):
        if points is None:
            raise ParameterError(
                "found functions without points: call Explicit(functions, points) with the examples they tell apart"
            )
        said: Sequence[object] | NDArray[Any] = [_asked(i, concept, point) for point in points]
    elif isinstance(concept, Sequence | np.ndarray) and not isinstance(concept, str | bytes):
        said = concept
    else:
        raise ParameterError(f"concept {i} is {shown(concept)}, expected a row of zeros and ones or a function")
    codes = [label_code(value) for value in said]
    if NOT_A_LABEL in codes:
        j = codes.index(NOT_A_LABEL)
        raise ParameterError(
            f"concept {i} says {shown(said[j])} of point {shown(j if points is None else points[j])}, expected 0 or 1"
        )
    return np.array(codes, dtype=np.int8)


def _asked(i: int, concept: Callable[[object], object], point: object) -> object:
    try:
        return concept(point)
    except Exception as error:
        raise ParameterError(
            f"concept {i} has no value at {shown(point)} ({type(error).__name__}: {error}), expected concepts of one domain"
        ) from error


def _packed_by_point(said: NDArray[np.bool_]) -> Words:
    """Points × words."""
    packed = np.zeros((said.shape[1], 8 * words_for(said.shape[0])), dtype=np.uint8)
    packed[:, : -(-said.shape[0] // 8)] = np.packbits(said, axis=0, bitorder="little").T
    return packed.view("<u8").astype(np.uint64, copy=False)


def _point(x: object) -> Hashable:
    """A point as it is kept: a number, a string, or a tuple of points."""
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, list | tuple):
        return tuple(_point(part) for part in x)
    if not isinstance(x, str | int | float) or math.isnan(float(x) if isinstance(x, float) else 0.0):
        raise ParameterError(f"found the point {shown(x)}, expected a number, a string or a tuple of them")
    return x


def _as_json(point: Hashable) -> object:
    return [_as_json(part) for part in point] if isinstance(point, tuple) else point


def _members(points: Sequence[object]) -> str:
    return f"x in {{{_listed(points)}}}" if points else "never"


def _listed(points: Sequence[object]) -> str:
    first = [shown(point) for point in points[:_SHOWN]]
    return ", ".join(first if len(points) <= _SHOWN else [*first[:-1], "…", shown(points[-1])])
