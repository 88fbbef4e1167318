"""Finite classes: |C| concepts, listed as rows of zeros and ones, on points 0, 1, …"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from thresher import bounds
from thresher.adversaries import Shattering, Sparing
from thresher.classes import Consistent, Halving, Optimal
from thresher.lab.experiment import Experiment, Facts, Game, Stream
from thresher.lab.streams import Stubborn

__all__ = ["EXPERIMENTS"]

_Table = list[list[int]]


class _Class(Facts):
    def __init__(self, concepts: _Table) -> None:
        super().__init__()
        self.size = len(concepts)


def _singletons(size: int) -> _Table:
    return [[int(i == j) for j in range(size)] for i in range(size)]


def _functions(size: int) -> _Table:
    """All functions of k points, |C| = 2^k."""
    return [list(values) for values in product((0, 1), repeat=size.bit_length() - 1)]


def _cuts(size: int) -> _Table:
    """Concept i is 1 from point i on: |C| − 1 points, so that the last is always 0."""
    return [[int(point >= cut) for point in range(size - 1)] for cut in range(size)]


def _at_random(
    algorithm: Callable[..., Any], table: Callable[[int], _Table]
) -> Callable[[int, np.random.Generator], Game[_Class]]:
    """The points in some order, labelled by one concept."""

    def game(size: int, chance: np.random.Generator) -> Game[_Class]:
        concepts = table(size)
        target = concepts[int(chance.integers(size))]
        points = [(int(point), 2 * target[point] - 1) for point in chance.permutation(len(target))]
        return Game(algorithm, {"concepts": concepts}, Stubborn(points).against, _Class(concepts))

    return game


def _against(
    algorithm: Callable[..., Any], table: Callable[[int], _Table], adversary: type[Sparing] | type[Shattering]
) -> Callable[[int, np.random.Generator], Game[_Class]]:
    def game(size: int, _chance: np.random.Generator) -> Game[_Class]:
        concepts = table(size)
        return Game(algorithm, {"concepts": concepts}, adversary(concepts).against, _Class(concepts))

    return game


EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(
        bounds.consistent, Consistent, "concepts |C|", (2, 4, 8, 16, 32, 64),
        (
            Stream("one point each", "forced", _against(Consistent, _singletons, Sparing)),
            Stream("thresholds, at random", "random", _at_random(Consistent, _cuts)),
        ),
        1.0, lambda facts: {"size": facts.size},
    ),
    Experiment(
        bounds.halving, Halving, "concepts |C|", (2, 4, 8, 16, 32, 64, 128, 256),
        (
            Stream("all functions of k points", "forced", _against(Halving, _functions, Sparing)),
            Stream("thresholds, at random", "random", _at_random(Halving, _cuts)),
        ),
        1.0, lambda facts: {"size": facts.size},
    ),
    Experiment(
        bounds.optimal, Optimal, "thresholds |C|", (2, 4, 8, 16, 32, 64),
        (
            Stream("down the tree", "forced", _against(Optimal, _cuts, Shattering)),
            Stream("thresholds, at random", "random", _at_random(Optimal, _cuts)),
        ),
        1.0, lambda facts: {"dimension": facts.size.bit_length() - 1},
    ),
)  # fmt: skip
