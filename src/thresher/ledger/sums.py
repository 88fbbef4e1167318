"""Sums without an error: of columns of floats, in any order and in any pieces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Sums", "down", "up"]

_BITS = 21
_MOST_ROWS = 2**18


class Sums:
    """The sums of columns of floats, exact: a value, to which `plus` adds rows.

    A float is cut into parts on the grids 2^(21k), k a whole number, each part at most 2^20 units of its grid. Float64 adds
    2^32 such parts of one grid without rounding, in any order; so the sum of each grid is exact, and they are kept one by one.

    >>> sums = Sums(2).plus(np.array([[0.1, 1.0], [0.2, 1e-30]])).plus(np.array([[0.3, -1.0]]))
    >>> math.fsum(sums.parts(0)) == math.fsum([0.1, 0.2, 0.3]), math.fsum(sums.parts(1)) == 1e-30
    (True, True)
    >>> sums.least(), sums.greatest()
    (1, 0)
    """

    __slots__ = ("_grids", "n")

    def __init__(self, n: int, grids: Mapping[int, NDArray[np.float64]] | None = None) -> None:
        self.n = n
        self._grids = {} if grids is None else dict(grids)

    def plus(self, rows: NDArray[np.floating]) -> Sums:
        """The sums with these rows, of finite numbers of at most 2^900 in size, added."""
        grids = dict(self._grids)
        step = max(1, _MOST_ROWS // max(1, self.n))
        for start in range(0, len(rows), step):
            rest = rows[start : start + step].astype(np.float64)  # a copy
            most = float(np.abs(rest).max(initial=0.0))
            k = math.ceil((math.frexp(most)[1] - (_BITS - 1)) / _BITS)
            while rest.any():
                shift = 1.5 * math.ldexp(1.0, 52 + _BITS * k)  # what is added to it is rounded to the grid
                part = (rest + shift) - shift
                rest -= part
                grids[k] = grids.get(k, 0.0) + part.sum(axis=0)
                k -= 1
        return Sums(self.n, grids)

    def parts(self, i: int) -> list[float]:
        """Floats whose exact sum is that of column i."""
        return [float(grid[i]) for grid in self._grids.values()]

    def near(self) -> NDArray[np.float64]:
        """The sums as floats, each within a few units in the last place of the largest of its parts."""
        total = np.zeros(self.n)
        for _, grid in sorted(self._grids.items(), reverse=True):
            total += grid
        return total

    def least(self, among: NDArray[np.bool_] | None = None) -> int:
        """The column with the smallest sum, exactly; the first, if there are several."""
        return self._extreme(+1, among)

    def greatest(self, among: NDArray[np.bool_] | None = None) -> int:
        """The column with the largest sum, exactly; the first, if there are several."""
        return self._extreme(-1, among)

    def _extreme(self, sign: int, among: NDArray[np.bool_] | None) -> int:
        near = sign * self.near()
        doubt = 2.0**-48 * max((float(np.abs(grid).max(initial=0.0)) for grid in self._grids.values()), default=0.0)
        columns = np.arange(self.n) if among is None else np.flatnonzero(among)
        candidates = columns[near[columns] <= near[columns].min() + doubt]
        if len(candidates) == 1:
            return int(candidates[0])
        from fractions import Fraction

        return min(map(int, candidates), key=lambda i: sign * sum(map(Fraction, self.parts(i)), Fraction(0)))


def up(parts: Iterable[float]) -> float:
    """The smallest float that is not below the exact sum of these.

    >>> up([1.0, 2.0**-60]) == 1 + 2.0**-52, up([0.5, 0.25])
    (True, 0.75)
    """
    given = list(parts)
    near = math.fsum(given)
    return math.nextafter(near, math.inf) if math.isfinite(near) and math.fsum([*given, -near]) > 0.0 else near


def down(parts: Iterable[float]) -> float:
    """The largest float that is not above the exact sum of these.

    >>> down([1.0, -(2.0**-60)]) < 1.0
    True
    """
    return 0.0 - up(-part for part in parts)
