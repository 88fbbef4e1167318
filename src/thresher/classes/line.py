"""Classes on a line: thresholds and intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.bounds.arguments import as_float
from thresher.bounds.printed import shown
from thresher.classes.bits import Words, pack, prefix
from thresher.classes.concepts import ConceptClass
from thresher.errors import ExampleError, ParameterError
from thresher.examples import is_masked

__all__ = ["Intervals", "Thresholds"]

_SHOWN = 8
_FARTHEST = 1e300


class _OnALine(ConceptClass):
    """A class whose concepts begin and end at given points, and whose example is any finite number."""

    def __init__(self, points: ArrayLike) -> None:
        try:
            given = np.asarray(points)
            ends = np.unique(given.astype(np.float64))
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"found {shown(points)}, expected points that are numbers") from None
        if given.ndim != 1 or given.dtype.kind not in "biuf" or is_masked(points):
            raise ParameterError(f"found points of shape {given.shape} and {given.dtype}, expected one row of numbers")
        if not len(given):
            raise ParameterError("found no points, expected at least one")
        if given.dtype.kind in "iu" and (lost := next((k for k in given.tolist() if int(float(k)) != k), None)) is not None:
            raise ParameterError(f"found the point {lost}, expected numbers that float64 holds")
        if not (np.abs(ends) <= _FARTHEST).all():
            raise ParameterError(f"found points from {ends[0]} to {ends[-1]}, expected numbers from -1e300 to 1e300")
        if len(ends) != len(given):
            raise ParameterError(f"found {len(given)} points, of which {len(ends)} differ, expected every point once")
        ends.flags.writeable = False
        self._points: NDArray[np.float64] = ends

    @property
    def points(self) -> NDArray[np.float64]:
        """Where concepts begin and end, ascending; read-only."""
        return self._points

    @property
    def domain(self) -> str:
        """Every finite number."""
        return "a finite number"

    def _number(self, x: object) -> float:
        if is_masked(x):
            raise ExampleError(f"found a masked value, expected {self.domain}")
        if isinstance(x, np.ndarray) and x.ndim == 0:
            x = x.item()
        if not isinstance(x, int | float | np.integer | np.floating):
            raise ExampleError(f"found {shown(x)}, expected {self.domain}")
        number = as_float(x) if isinstance(x, int) else float(x)
        if not math.isfinite(number):
            raise ExampleError(f"found {shown(x)}, expected {self.domain}")
        if isinstance(x, int | np.integer) and int(number) != x:
            raise ExampleError(f"found {shown(x)}, expected a number that float64 holds")
        return number

    def _arguments(self) -> dict[str, Any]:
        return {}

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {"points": self._points}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _OnALine):
            return NotImplemented
        return type(self) is type(other) and np.array_equal(self._points, other._points)

    def __hash__(self) -> int:
        return hash((type(self), self._points.tobytes()))

    def __repr__(self) -> str:
        points = self._points
        listed = f"{points.tolist()}" if len(points) <= _SHOWN else f"{len(points):,} points from {points[0]} to {points[-1]}"
        return f"{type(self).__name__}({listed})"

    def __setattr__(self, name: str, value: object) -> None:
        if "_points" in self.__dict__:
            raise AttributeError(f"cannot set {name}: a concept class never changes")
        super().__setattr__(name, value)


class Thresholds(_OnALine):
    """+1 from a threshold on: one at each of m points, ascending, and one beyond them all, which is never reached: m + 1.

    >>> from thresher.classes import Thresholds
    >>> concepts = Thresholds([1, 2.5, 4])
    >>> [str(concepts.concept(i)) for i in range(len(concepts))]
    ['x >= 1.0', 'x >= 2.5', 'x >= 4.0', 'never']
    >>> concepts.concept(1).predict(3).label
    1
    """

    @property
    def size(self) -> int:
        """One more than points."""
        return len(self._points) + 1

    @property
    def places(self) -> int:
        """Before all points, and from each of them to the next."""
        return len(self._points) + 1

    def place(self, x: object) -> int:
        """How many points x has reached."""
        return int(np.searchsorted(self._points, self._number(x), side="right"))

    def example(self, place: int) -> object:
        """The point last reached."""
        return float(self._points[place - 1]) if place else float(np.nextafter(self._points[0], -np.inf))

    def _at(self, place: int) -> Words:
        return prefix(place, self.size)

    def _says(self, i: int, place: int) -> bool:
        return i < place

    def _words(self, i: int) -> str:
        return f"x >= {float(self._points[i])}" if i < len(self._points) else "never"


class Intervals(_OnALine):
    """+1 from one of m points to another or the same, both included; and one interval that is empty: m(m + 1)/2 + 1.

    They come by the right end and then by the left one; the empty one is the last.

    >>> from thresher.classes import Intervals
    >>> concepts = Intervals([1, 2])
    >>> [str(concepts.concept(i)) for i in range(len(concepts))]
    ['1.0 <= x <= 1.0', '1.0 <= x <= 2.0', '2.0 <= x <= 2.0', 'never']
    """

    def __init__(self, points: ArrayLike) -> None:
        super().__init__(points)
        between = self._points[:-1] / 2 + self._points[1:] / 2
        if not ((self._points[:-1] < between) & (between < self._points[1:])).all():
            raise ParameterError("found two points with no float between them, expected points farther apart")

    @property
    def size(self) -> int:
        """Pairs of points in order, and the empty interval."""
        m = len(self._points)
        return m * (m + 1) // 2 + 1

    @property
    def places(self) -> int:
        """Every point, and what lies before, between and after them."""
        return 2 * len(self._points) + 1

    def place(self, x: object) -> int:
        """How many points are below x and how many are at most x, together: odd where x is one of them."""
        number = self._number(x)
        return int(np.searchsorted(self._points, number, side="left") + np.searchsorted(self._points, number, side="right"))

    def example(self, place: int) -> object:
        """The point, or what lies half way to the next."""
        points, below = self._points, place // 2
        if place % 2:
            return float(points[below])
        if below == 0:
            return float(np.nextafter(points[0], -np.inf))
        if below == len(points):
            return float(np.nextafter(points[-1], np.inf))
        return float(points[below - 1] / 2 + points[below] / 2)

    def _at(self, place: int) -> Words:
        below, reached = place // 2, (place + 1) // 2
        said = np.zeros(self.size, dtype=np.bool_)
        for right in range(below, len(self._points)):
            start = right * (right + 1) // 2
            said[start : start + reached] = True
        return pack(said)

    def _says(self, i: int, place: int) -> bool:
        if i == self.size - 1:
            return False
        left, right = self._ends(i)
        return left < (place + 1) // 2 and right >= place // 2

    def _ends(self, i: int) -> tuple[int, int]:
        right = (math.isqrt(8 * i + 1) - 1) // 2
        return i - right * (right + 1) // 2, right

    def _words(self, i: int) -> str:
        if i == self.size - 1:
            return "never"
        left, right = self._ends(i)
        return f"{float(self._points[left])} <= x <= {float(self._points[right])}"
