"""One pass for every γ: a histogram of margins, and what the Perceptron's bound comes to at each."""

from __future__ import annotations

import numpy as np

from thresher.hindsight.rows import Floats

__all__ = ["Margins"]

_A_DOUBLING = 128
_EDGES = 2.0 ** (np.arange(-20 * _A_DOUBLING, 20 * _A_DOUBLING + 1) / _A_DOUBLING)


class Margins:
    """How many rows have a margin m = v·z between two edges, which are 0.5 % apart, from 2^-20 to 2^20; rounded down.

    So Σ max(0, γ − m) is known for every edge γ at once, from above, to half a percent of γ for each row below it.

    >>> margins = Margins()
    >>> margins.add(np.array([-1.0, 0.5, 1.0, 2.0]))
    >>> margin, bound = margins.best(norm=1.0, radius=1.0, each=1.0)
    >>> 1.9 < margin <= 2.0 and bound < 4.0
    True
    """

    def __init__(self) -> None:
        self._counts = np.zeros(len(_EDGES))
        self._few = 0.0  # rows below all edges, and the sum of their margins
        self._sum = 0.0

    def add(self, margins: Floats) -> None:
        """Counts these."""
        edge = np.searchsorted(_EDGES, margins, side="right") - 1
        above = edge >= 0
        self._counts += np.bincount(edge[above], minlength=len(_EDGES))
        self._few += float(np.count_nonzero(~above))
        self._sum += float(margins[~above].sum())

    def distances(self) -> Floats:
        """Σ max(0, γ − m) for each edge γ."""
        fewer = np.cumsum(self._counts) - self._counts
        sums = np.cumsum(self._counts * _EDGES) - self._counts * _EDGES
        return np.asarray(_EDGES * (fewer + self._few) - sums - self._sum)

    def best(self, *, norm: float, radius: float, each: float) -> tuple[float, float]:
        """The γ with the least ((R‖v‖ + √(R²‖v‖² + 4γD))/2γ)², D over all rows, of which each counted one stands for `each`."""
        length = radius * norm
        bounds = np.square((length + np.sqrt(length * length + 4 * each * _EDGES * self.distances())) / (2 * _EDGES))
        best = int(bounds.argmin())
        return float(_EDGES[best]), float(bounds[best])
