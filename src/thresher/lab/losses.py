"""Rules for losses, Hedge and its kin: regret to the best of N experts in T rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.adversaries import LeaderLoses, LossAdversary, LossesInTurn, RandomLosses, Relay, Scaled, Seesaw, Tug
from thresher.adversaries.adversary import Vector, Weighing
from thresher.experts import AdaHedge, FixedShare, Hedge
from thresher.experts.hedge import definition_sleeping
from thresher.lab.experiment import Experiment, Facts, Game, Numbers, Stream

__all__ = ["EXPERIMENTS", "Losses", "Told"]

_SHARE = {"eta": 1.0, "alpha": 0.02}
_LITTLE_SHARE = 1e-4
_LEGS = 5
_SCALE = 100.0
_SLEEPING_RATE = 0.3
_OWN_GAPS = "it is about the sum of gaps that AdaHedge itself has counted; play adahedge, which has no such number"


class Losses(Facts):
    """What each expert lost, and the mixture; `gap` is AdaHedge's Δ, which it holds itself, `horizon` how long the game is."""

    def __init__(self, n: int, *, eta: float = 0.0, horizon: int = 0) -> None:
        super().__init__()
        self.n, self.eta, self.horizon, self.gap = n, eta, horizon, 0.0
        self.lost: NDArray[np.float64] = np.zeros(n)

    def enter(self, played: Any) -> bool:
        """Adds the losses."""
        self.rounds += 1
        self.loss += float(played.loss)
        self.lost += played.losses
        if played.origin is not None:
            self.gap = played.origin.after.gap
        return bool(played.loss > 0)

    def count(self, on: str) -> float:
        """The loss, or the regret to the best expert."""
        return self.loss if on == "loss" else self.loss - self.best

    @property
    def best(self) -> float:
        """L*, the least that an expert lost."""
        return max(0.0, float(self.lost.min()))


class _Sequence(Losses):
    """Against a sequence of experts that changes in so many legs: `runner` says who it is in round t, counted from 0."""

    def __init__(
        self,
        n: int,
        runner: Callable[[int], int],
        legs: int = _LEGS,
        eta: float = _SHARE["eta"],
        alpha: float = _SHARE["alpha"],
    ) -> None:
        super().__init__(n, eta=eta)
        self.alpha, self._runner, self._legs, self._best = alpha, runner, legs, 0.0

    def enter(self, played: Any) -> bool:
        """Adds what the sequence lost."""
        self._best += float(played.losses[self._runner(self.rounds)])
        return super().enter(played)

    @property
    def best(self) -> float:
        """What the sequence lost so far."""
        return self._best

    @property
    def switches(self) -> int:
        """How often it changed, at most."""
        return min(self._legs, self.rounds) - 1


class _Unbeaten(_Sequence):
    """Against a sequence that loses nothing."""

    def __init__(self, n: int) -> None:
        super().__init__(n, lambda _t: 0)

    @property
    def best(self) -> float:
        """Nothing."""
        return 0.0


class _Slept(Losses):
    """Each expert's regret over the rounds in which it is awake; what counts is that nearest to its own bound."""

    def __init__(self, n: int, eta: float) -> None:
        super().__init__(n, eta=eta)
        self.more: NDArray[np.float64] = np.zeros(n)
        self.awake: NDArray[np.int64] = np.zeros(n, dtype=np.int64)

    def enter(self, played: Any) -> bool:
        """Adds the difference for those awake."""
        self.rounds += 1
        up = ~np.isnan(played.losses)
        self.more[up] += played.loss - played.losses[up]
        self.awake += up
        return True

    @property
    def worst(self) -> int:
        """The expert with the largest share of its bound."""
        return int(np.argmax(self.more / (math.log(self.n) / self.eta + self.eta * self.awake / 8)))

    def count(self, on: str) -> float:
        """Its regret."""
        return float(self.more[self.worst]) if on == "regret" else super().count(on)


@dataclass(frozen=True)
class Told:
    """Losses as a table says, a row for each round."""

    table: NDArray[np.float64]

    def against(self, _rule: object, /) -> Iterator[Vector]:
        """All of them, whoever plays."""
        return (tuple(row) for row in self.table.tolist())


_Make = Callable[[int, np.random.Generator], Game[Losses]]


def _game(rule: Callable[..., Any], given: dict[str, Any], adversary: LossAdversary, facts: Losses) -> Game[Losses]:
    def against(player: Any) -> Iterator[tuple[Any, ...]]:
        return ((losses,) for losses in adversary.against(player))

    return Game(rule, given, against, facts, "losses")


def _growing(
    rule: Callable[..., Any], given: Callable[[int], dict[str, Any]], scale: float = 1.0
) -> tuple[Stream[Losses], ...]:
    """The streams for rules whose regret grows with T; `given` is what the rule is called with for so many rounds."""

    def stream(n: int, adversary: Callable[[int, np.random.Generator], LossAdversary]) -> _Make:
        def game(rounds: int, chance: np.random.Generator) -> Game[Losses]:
            facts = Losses(n, eta=given(rounds).get("eta", 0.0), horizon=rounds)
            return _game(rule, {"n": n, **given(rounds)}, Scaled(adversary(rounds, chance), scale), facts)

        return game

    return (
        Stream("seesaw", "adversary", stream(2, lambda rounds, _: Seesaw(rounds))),
        Stream("the leader of ten loses", "adversary", stream(10, lambda rounds, _: LeaderLoses(10, rounds))),
        Stream("five in turn, then four", "adversary", stream(5, lambda rounds, _: LossesInTurn(5, rounds, rounds // 10))),
        Stream(
            "ten fair coins", "random",
            stream(10, lambda rounds, chance: RandomLosses(10, rounds, int(chance.integers(2**32)))),
        ),
    )  # fmt: skip


def _in_turn(n: int, _chance: np.random.Generator) -> Game[Losses]:
    return _game(Hedge, {"n": n, "eta": math.log(2)}, LossesInTurn(n, 45 * n, turns=30), Losses(n, eta=math.log(2)))


def _coins(n: int, chance: np.random.Generator) -> Game[Losses]:
    stream = RandomLosses(n, 500, int(chance.integers(2**32)))
    return _game(Hedge, {"n": n, "eta": math.log(2)}, stream, Losses(n, eta=math.log(2)))


def _relay(n: int) -> _Make:
    def game(rounds: int, _chance: np.random.Generator) -> Game[Losses]:
        relay = Relay(n, legs=_LEGS, length=rounds // _LEGS)
        return _game(FixedShare, {"n": n, **_SHARE}, relay, _Unbeaten(n))

    return game


def _tug(legs: int, eta: float) -> _Make:
    def game(rounds: int, _chance: np.random.Generator) -> Game[Losses]:
        tug = Tug(legs, rounds // legs, pull=math.ceil(math.log(1 / _LITTLE_SHARE) / eta))
        given = {"n": 2, "eta": eta, "alpha": _LITTLE_SHARE}
        return _game(FixedShare, given, tug, _Sequence(2, tug.runner, legs, eta, _LITTLE_SHARE))

    return game


def _changing(rounds: int, chance: np.random.Generator) -> Game[Losses]:
    """Ten experts that lose by chance; in each leg another of them loses little."""
    best = np.repeat(chance.integers(10, size=_LEGS), rounds // _LEGS)
    table = chance.random((rounds, 10))
    table[np.arange(rounds), best] *= 0.2
    return _game(FixedShare, {"n": 10, **_SHARE}, Told(table), _Sequence(10, best.tolist().__getitem__))


def _sleepers(rounds: int, chance: np.random.Generator) -> Game[Losses]:
    """Ten experts, each awake in half of the rounds."""
    table = chance.random((rounds, 10)) ** chance.choice([0.5, 1.0, 2.0], 10)
    table[chance.random((rounds, 10)) < 0.5] = math.nan
    table[:, 0] = np.where(np.isnan(table).all(axis=1), 0.5, table[:, 0])

    return _game(Hedge, {"n": 10, "eta": _SLEEPING_RATE}, Told(table), _Slept(10, _SLEEPING_RATE))


@dataclass(frozen=True)
class _Dozing:
    """Two experts, of whom the heavier alone loses; in every third round the lighter sleeps, and the heavier loses nothing."""

    rounds: int

    def against(self, rule: Weighing, /) -> Iterator[Vector]:
        for t in range(self.rounds):
            first = rule.weights[0] >= rule.weights[1]
            if t % 3 == 2:
                yield (0.0, math.nan) if first else (math.nan, 0.0)
            else:
                yield (1.0, 0.0) if first else (0.0, 1.0)


@dataclass(frozen=True)
class _Returning:
    """Three experts: the first sleeps while the others lose, for half of the rounds; then it alone loses.

    Who lets a sleeper gain on those who lose has given it all the weight when it returns.
    """

    rounds: int

    def against(self, _rule: object, /) -> Iterator[Vector]:
        for t in range(self.rounds):
            yield (math.nan, 1.0, 1.0) if 2 * t < self.rounds else (1.0, 0.0, 0.0)


def _returning(rounds: int, _chance: np.random.Generator) -> Game[Losses]:
    return _game(Hedge, {"n": 3, "eta": _SLEEPING_RATE}, _Returning(rounds), _Slept(3, _SLEEPING_RATE))


def _heavy_sleepers(rounds: int, _chance: np.random.Generator) -> Game[Losses]:
    return _game(Hedge, {"n": 2, "eta": _SLEEPING_RATE}, _Dozing(rounds), _Slept(2, _SLEEPING_RATE))


def _time(facts: Losses) -> Numbers:
    return {"rounds": facts.rounds, "n": facts.n}


_BY_ROUNDS = ("rounds T", (50, 100, 200, 400, 800, 1600))
_ADAPTIVE = _growing(AdaHedge, lambda _rounds: {})

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(
        bounds.hedge, Hedge, "experts N", (2, 5, 10, 20, 50, 100),
        (Stream("one loses, in turn", "adversary", _in_turn), Stream("fair coins", "random", _coins)), 0.99,
        lambda facts: {"best": facts.best, "n": facts.n, "beta": 0.5},
    ),
    Experiment(
        bounds.hedge_fixed, Hedge, *_BY_ROUNDS, _growing(Hedge, lambda _rounds: {"eta": 1.0}), 0.97,
        lambda facts: {**_time(facts), "eta": facts.eta},
    ),
    Experiment(
        bounds.hedge_horizon, Hedge, *_BY_ROUNDS, _growing(Hedge, lambda rounds: {"horizon": rounds}), 0.83,
        lambda facts: {"rounds": facts.horizon, "n": facts.n},
    ),
    Experiment(bounds.hedge_anytime, Hedge, *_BY_ROUNDS, _growing(Hedge, lambda _rounds: {}), 0.67, _time),
    Experiment(
        bounds.adahedge, AdaHedge, *_BY_ROUNDS, _ADAPTIVE, 0.72, lambda facts: {"best": facts.best, **_time(facts)}
    ),
    Experiment(
        bounds.adahedge_scaled, AdaHedge, *_BY_ROUNDS, _growing(AdaHedge, lambda _rounds: {}, _SCALE), 0.49,
        lambda facts: {**_time(facts), "scale": _SCALE},
    ),
    Experiment(bounds.adahedge_run, AdaHedge, *_BY_ROUNDS, _ADAPTIVE, 0.98, lambda facts: {"gaps": facts.gap}, alone=_OWN_GAPS),
    Experiment(
        bounds.fixed_share, FixedShare, *_BY_ROUNDS,
        (
            Stream("tug of war", "adversary", _tug(1, 0.5)),
            Stream("tug of war, five legs", "adversary", _tug(_LEGS, 1.0)),
            Stream("a relay of ten", "adversary", _relay(10)),
            Stream("a relay of fifty", "adversary", _relay(50)),
            Stream("five legs, at random", "random", _changing),
        ),
        0.98,
        lambda facts: {**_time(facts), "switches": facts.switches, "eta": facts.eta, "alpha": facts.alpha},
    ),
    Experiment(
        bounds.sleeping, Hedge, *_BY_ROUNDS,
        (
            Stream("the heavier loses", "adversary", _heavy_sleepers),
            Stream("a sleeper returns", "adversary", _returning),
            Stream("ten, half of them asleep", "random", _sleepers),
        ),
        0.94, lambda facts: {"rounds": int(facts.awake[facts.worst]), "n": facts.n, "eta": facts.eta},
        definition=definition_sleeping, rising=False,
    ),
)  # fmt: skip
