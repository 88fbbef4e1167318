"""The best sequence of experts, with the experts that it goes through."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.bounds.arguments import whole
from thresher.errors import ExampleError
from thresher.examples import numeric
from thresher.ledger.sums import up

__all__ = ["FoundSequence", "best_sequence"]

_MOST_CELLS = 2**27


class FoundSequence(NamedTuple):
    """A sequence of experts, one for each round, and what it lost, rounded up."""

    path: NDArray[np.intp]
    loss: float


def best_sequence(losses: ArrayLike, switches: int) -> FoundSequence:
    """The sequence of experts with the least loss that changes at most so many times, by dynamic programming.

    `losses` is rounds × experts. It needs memory for rounds × experts × (switches + 1) choices; `th.BestSequence` has the loss
    alone, in flat memory.

    >>> found = best_sequence([[0, 1], [0, 1], [1, 0], [1, 0], [0, 1]], 1)
    >>> found.path.tolist(), found.loss
    ([0, 0, 1, 1, 1], 1.0)
    """
    table = numeric(losses, "losses", "rounds × experts").astype(np.float64)
    if table.ndim != 2 or table.shape[1] == 0 or not np.isfinite(table).all():
        raise ExampleError(f"found losses of shape {table.shape}, expected finite numbers, rounds × experts")
    whole(0, switches=switches)
    rounds, n = table.shape
    levels = min(int(switches), max(0, rounds - 1)) + 1
    if rounds * levels * n > _MOST_CELLS:
        raise ExampleError(
            f"found {rounds} rounds × {levels} × {n} experts, expected at most 2^27 choices: see th.BestSequence"
        )
    least = np.zeros((levels, n))
    came = np.empty((rounds, levels, n), dtype=np.int32)  # from which expert, one level above where that is another
    for t, row in enumerate(table):
        came[t] = np.arange(n)
        if t and levels > 1:
            cheapest = least.argmin(axis=1)
            change = least[np.arange(levels), cheapest][:-1, np.newaxis] < least[1:]
            came[t, 1:] = np.where(change, cheapest[:-1, np.newaxis], came[t, 1:])
            least[1:] = np.where(change, least[np.arange(levels), cheapest][:-1, np.newaxis], least[1:])
        least = least + row
    path = np.zeros(rounds, dtype=np.intp)
    level, i = levels - 1, int(least[-1].argmin())
    for t in range(rounds - 1, -1, -1):
        path[t] = i
        before = int(came[t, level, i])
        level, i = level - (before != i), before
    return FoundSequence(path, up(table[np.arange(rounds), path].tolist()))
