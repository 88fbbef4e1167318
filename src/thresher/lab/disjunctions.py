"""Elimination and Winnow where the target is a disjunction, or nearly one: of n attributes, zeros and ones, few matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.adversaries import AttributeErrors, Flips, OneByOne, TightFit, worst_sequence
from thresher.lab.experiment import Experiment, Facts, Game, Numbers, Stream
from thresher.lab.streams import Contradicting, Listed, Nearest, Stubborn, pairs
from thresher.linear import Elimination, Winnow

__all__ = ["EXPERIMENTS"]

_R = 2
_RELEVANT = frozenset(range(_R))
_NOISE = 0.1
_ERRORS = 20


class _Disjunction(Facts):
    """Rounds with r relevant attributes of n. `errors` counts the attributes of all rounds that would have to change."""

    def __init__(self, n: int, r: int = _R) -> None:
        super().__init__()
        self.n, self.r, self.errors = n, r, 0

    def enter(self, played: Any) -> bool:
        """Adds the attribute errors of x₀ ∨ … ∨ x_{r−1}."""
        on = sum(value != 0 for value in played.example[: self.r])
        self.errors += int(on == 0) if played.label == +1 else on
        return super().enter(played)


def _bits(chance: np.random.Generator, n: int, rows: int) -> NDArray[np.float64]:
    """Zeros and ones, about six of them on, so that disjunctions of few are true and false."""
    return (chance.random((rows, n)) < min(0.5, 6 / n)).astype(np.float64)


# ---- Elimination


def _flips(n: int, _chance: np.random.Generator) -> Game[_Disjunction]:
    return Game(Elimination, {"n": n}, Flips(n, {0: True, 1: False}).against, _Disjunction(n))


def _flips_of_nothing(n: int, _chance: np.random.Generator) -> Game[_Disjunction]:
    return Game(Elimination, {"n": n}, Flips(n).against, _Disjunction(n, 0))


def _literals(n: int, chance: np.random.Generator) -> Game[_Disjunction]:
    X = _bits(chance, n, 4 * n)
    y = np.where((X[:, 0] == 1) | (X[:, 1] == 0), 1, -1)
    return Game(Elimination, {"n": n}, Stubborn(pairs(X, y)).against, _Disjunction(n))


# ---- Winnow


def _winnow(n: int, stream: Any, r: int = _R) -> Game[_Disjunction]:
    return Game(Winnow, {"n": n}, stream.against, _Disjunction(n, r))


def _tight_fit(n: int, _chance: np.random.Generator) -> Game[_Disjunction]:
    return _winnow(n, TightFit(n, _RELEVANT))


def _worst(n: int, _chance: np.random.Generator) -> Game[_Disjunction]:
    return _winnow(n, Listed(worst_sequence(n, _R)))


def _one_by_one(n: int, _chance: np.random.Generator) -> Game[_Disjunction]:
    return _winnow(n, OneByOne(n, _RELEVANT))


def _at_random(n: int, chance: np.random.Generator) -> Game[_Disjunction]:
    X = _bits(chance, n, 8 * n)
    return _winnow(n, Stubborn(pairs(X, np.where(X[:, :_R].any(axis=1), 1, -1))))


def _with_noise(n: int, chance: np.random.Generator) -> Game[_Disjunction]:
    X = _bits(chance, n, 8 * n)
    y = np.where(X[:, :_R].any(axis=1) != (chance.random(len(X)) < _NOISE), 1, -1)
    return _winnow(n, Listed(pairs(X, y)))


def _errors(n: int, _chance: np.random.Generator) -> Game[_Disjunction]:
    return _winnow(n, AttributeErrors(n, _RELEVANT, _ERRORS))


def _contradicting(n: int, chance: np.random.Generator) -> Game[_Disjunction]:
    """Positive examples have relevant attributes alone, negative ones none: labels are wrong all the same."""
    return _winnow(n, Contradicting([tuple(row) for row in _bits(chance, n, 4 * n).tolist()]))


_STREAMS = (
    Stream("the worst there is", "adversary", _worst, upto=8),
    Stream("tight fits", "adversary", _tight_fit, weighted=True),
    Stream("one by one", "adversary", _one_by_one),
    Stream("at random", "random", _at_random),
)


class _Cover(Facts):
    """Positive examples have two at least of three attributes, negative ones none: μ = ½ on each is a cover."""

    norm = 1.5

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n


def _covered(n: int, chance: np.random.Generator) -> list[tuple[Any, Any]]:
    X = _bits(chance, n, 8 * n)
    y = chance.choice([-1, 1], len(X))
    X[:, :3] = 0
    for row in np.flatnonzero(y == 1):
        X[row, chance.choice(3, 2, replace=False)] = 1
    return list(pairs(X, y))


def _cover_nearest(n: int, chance: np.random.Generator) -> Game[_Cover]:
    return Game(Winnow, {"n": n}, Nearest(_covered(n, chance), at=n).against, _Cover(n))


def _cover_at_random(n: int, chance: np.random.Generator) -> Game[_Cover]:
    return Game(Winnow, {"n": n}, Stubborn(_covered(n, chance)).against, _Cover(n))


def _of_r(facts: _Disjunction) -> Numbers:
    return {"r": facts.r, "n": facts.n}


_BY_N = ("attributes n", (4, 8, 16, 32, 64, 128))

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(
        bounds.elimination, Elimination, *_BY_N,
        (Stream("flips", "forced", _flips), Stream("x₀ ∨ ¬x₁ at random", "random", _literals)), 1.0, _of_r,
    ),
    Experiment(
        bounds.elimination_textbook, Elimination, *_BY_N,
        (Stream("flips, target 0", "forced", _flips_of_nothing), Stream("x₀ ∨ ¬x₁ at random", "random", _literals)), 1.0,
        lambda facts: {"n": facts.n},
    ),
    Experiment(bounds.winnow_disjunction, Winnow, *_BY_N, _STREAMS, 0.97, _of_r),
    Experiment(bounds.winnow_simple, Winnow, *_BY_N, _STREAMS, 0.88, _of_r),
    Experiment(bounds.winnow_textbook, Winnow, *_BY_N, _STREAMS, 0.76, _of_r),
    Experiment(
        bounds.winnow_cover, Winnow, *_BY_N,
        (Stream("least sure first", "adversary", _cover_nearest), Stream("at random", "random", _cover_at_random)), 0.54,
        lambda facts: {"norm": facts.norm, "n": facts.n},
    ),
    Experiment(
        bounds.winnow_agnostic, Winnow, *_BY_N,
        (
            Stream("tight fits and 20 wrong labels", "adversary", _errors, weighted=True),
            Stream("never as it says", "adversary", _contradicting),
            Stream("one label in ten wrong", "random", _with_noise),
        ),
        0.95, lambda facts: {"r": facts.r, "errors": facts.errors, "n": facts.n},
    ),
)  # fmt: skip
