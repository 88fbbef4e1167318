"""Forecasters whose regret does not grow: log loss, Brier score, and squared loss on a range."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from thresher import bounds
from thresher.experts import Forecaster
from thresher.experts.forecaster import definition_brier, definition_log, definition_range
from thresher.lab.experiment import Experiment, Game, Stream
from thresher.lab.losses import Losses
from thresher.lab.streams import Listed

__all__ = ["EXPERIMENTS"]

_REPEATED = 12


def _forecaster(**given: Any) -> Forecaster:
    return Forecaster(**{name: value for name, value in given.items() if name != "n"})


def _game(given: dict[str, Any], against: Callable[[Any], Iterator[tuple[Any, ...]]]) -> Game[Losses]:
    return Game(_forecaster, given, against, Losses(given["n"]), "forecasts")


def _at_random(**given: Any) -> Callable[[int, np.random.Generator], Game[Losses]]:
    """Forecasts of 0 or 1 by experts of all kinds, for 200 rounds."""

    def game(n: int, chance: np.random.Generator) -> Game[Losses]:
        outcomes = chance.integers(0, 2, 200)
        skill = chance.random(n)
        p = np.clip(skill * outcomes[:, None] + (1 - skill) * chance.random((200, n)), 0.02, 0.98)
        rounds = [(tuple(row), outcome) for row, outcome in zip(p.tolist(), outcomes.tolist(), strict=True)]
        return _game({"n": n, **given}, Listed(rounds).against)

    return game


def _one_is_right(n: int, _chance: np.random.Generator) -> Game[Losses]:
    """One expert is sure of what comes, all others of the contrary: they are out, and it has cost ln N."""
    return _game({"n": n, "loss": "log"}, Listed([((1.0, *[0.0] * (n - 1)), 1)]).against)


def _halving(**given: Any) -> Callable[[int, np.random.Generator], Game[Losses]]:
    """To question i an expert says digit i of its number; expert 0 is always right. Each is asked again and again."""

    def game(n: int, _chance: np.random.Generator) -> Game[Losses]:
        digits = range(max(1, (n - 1).bit_length()))
        questions = [(tuple(float(expert >> digit & 1) for expert in range(n)), 0) for digit in digits]
        return _game({"n": n, **given}, Listed([round_ for round_ in questions for _ in range(_REPEATED)]).against)

    return game


_BY_N = ("experts N", (2, 4, 8, 16, 32, 64, 128))
_SQUARED = {"loss": "squared", "range": (0.0, 1.0)}

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(
        bounds.mixture_log, Forecaster, *_BY_N,
        (Stream("one is right", "forced", _one_is_right), Stream("at random", "random", _at_random(loss="log"))), 1.0,
        lambda facts: {"n": facts.n}, definition=definition_log,
    ),
    Experiment(
        bounds.aggregating_squared, Forecaster, *_BY_N,
        (Stream("half are wrong", "adversary", _halving(**_SQUARED)), Stream("at random", "random", _at_random(**_SQUARED))),
        0.91, lambda facts: {"n": facts.n, "low": 0.0, "high": 1.0}, definition=definition_range,
    ),
    Experiment(
        bounds.aggregating_brier, Forecaster, *_BY_N,
        (
            Stream("half are wrong", "adversary", _halving(loss="brier")),
            Stream("at random", "random", _at_random(loss="brier")),
        ),
        0.91, lambda facts: {"n": facts.n}, definition=definition_brier,
    ),
)  # fmt: skip
