"""Majorities of N experts whose best makes m mistakes, and votes: portfolios too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.adversaries import Halves, InTurn, LeaderErrs, RandomExperts, TwoConstants
from thresher.compose import Portfolio
from thresher.experts import FollowTheLeader, ImprovedMajority, RandomizedMajority, WeightedMajority
from thresher.lab.experiment import Experiment, Facts, Game, Numbers, Plays, Stream, Trials
from thresher.lab.streams import Contradicting, Listed, Pairs, pairs
from thresher.linear import Constant, Perceptron

__all__ = ["EXPERIMENTS"]

_M = 20
_MORE = 50
_BETA = 0.5


class _Experts(Facts):
    """How often each of N experts errs; the best m times. `most` is what was known of m, where a theorem asks for it."""

    def __init__(self, n: int, beta: float | None, most: int = 0) -> None:
        super().__init__()
        self.n, self.beta, self.most = n, beta, most
        self.wrong: NDArray[np.int64] = np.zeros(n, dtype=np.int64)

    def enter(self, played: Any) -> bool:
        """Counts the experts that erred."""
        self.wrong += np.array(played.example) != played.label
        return super().enter(played)

    @property
    def best(self) -> int:
        """m, the fewest mistakes that an expert made."""
        return int(self.wrong.min())


def _advised(chance: np.random.Generator, n: int, best: int) -> Pairs:
    """Experts of all kinds, and one that errs so often in 200 rounds."""
    rounds = 200
    y = chance.choice([-1, 1], rounds)
    wrong = chance.random((rounds, n)) < chance.choice([0.3, 0.5, 0.9], n)
    wrong[:, chance.integers(n)] = chance.permutation(rounds) < best
    return pairs(np.where(wrong, -y[:, None], y[:, None]).astype(np.float64), y)


_Make = Callable[[int, np.random.Generator], Game[_Experts]]


def _of(
    algorithm: Callable[..., Any],
    stream: Callable[[int, np.random.Generator], Any],
    beta: Callable[[int], float | None] = lambda _n: _BETA,
    most: int = 0,
) -> _Make:
    def game(n: int, chance: np.random.Generator) -> Game[_Experts]:
        kept = beta(n)
        given = {"n": n} if algorithm is FollowTheLeader else {"n": n, "beta": kept}
        tossing: Plays = "coins" if algorithm in (RandomizedMajority, ImprovedMajority) else "labels"
        return Game(algorithm, given, stream(n, chance).against, _Experts(n, kept, most), tossing)

    return game


def _halves(algorithm: Callable[..., Any]) -> tuple[Stream[_Experts], ...]:
    """At β = 0 the theorem is met; at others almost, with many experts."""

    def half_of_the_weight(beta: float) -> _Make:
        return _of(algorithm, lambda n, _: Halves(n, _MORE), lambda _n: beta)

    return (
        Stream("β = 0: half of the rest err", "forced", _of(algorithm, lambda n, _: Halves(n), lambda _n: 0.0), weighted=True),
        Stream("β = ½: half of the weight errs", "adversary", half_of_the_weight(_BETA), weighted=True),
        Stream("β = 0.1: half of the weight errs", "adversary", half_of_the_weight(0.1), weighted=True),
        Stream("β = 0.9: half of the weight errs", "adversary", half_of_the_weight(0.9), weighted=True),
        Stream("β = ½: at random", "random", _of(algorithm, lambda n, chance: Listed(_advised(chance, n, _M)))),
    )


def _in_turn(beta: Callable[[int], float | None] = lambda _n: _BETA, most: int = 0) -> tuple[Stream[_Experts], ...]:
    return (
        Stream("one errs, in turn", "adversary", _of(RandomizedMajority, lambda n, _: InTurn(n, _M), beta, most)),
        Stream("at random", "random", _of(RandomizedMajority, lambda n, chance: Listed(_advised(chance, n, _M)), beta, most)),
    )


def _known(rule: str) -> Callable[[int], float]:
    return lambda n: bounds.beta_for(_M, n, rule="improved" if rule == "improved" else "randomized")


_IMPROVED_TUNED = (
    Stream(
        "K = 0: half of the rest err", "forced",
        _of(ImprovedMajority, lambda n, _: Halves(n), lambda _n: 0.0), weighted=True,
    ),
    Stream(
        "K = 20: half of the weight errs", "adversary",
        _of(ImprovedMajority, lambda n, _: Halves(n, _M), _known("improved"), _M), weighted=True,
    ),
    Stream(
        "K = 20: at random", "random",
        _of(ImprovedMajority, lambda n, chance: Listed(_advised(chance, n, _M)), _known("improved"), _M),
    ),
)  # fmt: skip


def _beta(facts: _Experts) -> Numbers:
    return {"mistakes": facts.best, "n": facts.n, "beta": facts.beta}


def _eta(facts: _Experts) -> Numbers:
    return {"mistakes": facts.best, "n": facts.n, "eta": 1 - _BETA}


def _tuned(facts: _Experts) -> Numbers:
    return {"mistakes": facts.best, "n": facts.n, "most": facts.most}


def _coins(rounds: int, chance: np.random.Generator) -> tuple[float, Numbers]:
    """The same stream for all runs, and other coins for each."""
    learner = RandomizedMajority(10, beta=_BETA, seed=int(chance.integers(2**32)))
    played = [learner.learn(x, y) for x, y in RandomExperts(10, rounds).against(learner)]
    return sum(each.mistake for each in played), {"loss": learner.loss, "delta": 0.05}


# ---- votes and portfolios


def _two_constants(rounds: int, _chance: np.random.Generator) -> Game[_Experts]:
    return Game(WeightedMajority, {"n": 2, "beta": _BETA}, TwoConstants(rounds).against, _Experts(2, _BETA), "chances")


def _random_experts(rounds: int, chance: np.random.Generator) -> Game[_Experts]:
    stream = RandomExperts(10, rounds, int(chance.integers(2**32)))
    return Game(WeightedMajority, {"n": 10, "beta": _BETA}, stream.against, _Experts(10, _BETA), "chances")


class _Lanes(Facts):
    """What each lane of a portfolio got wrong, and what its master proves so far."""

    def __init__(self, lanes: int) -> None:
        super().__init__()
        self.wrong: NDArray[np.int64] = np.zeros(lanes, dtype=np.int64)
        self.regret = 0.0

    def enter(self, played: Any) -> bool:
        """Counts the lanes that erred."""
        self.wrong += played.lane_mistakes
        self.regret = played.regret_bound
        return super().enter(played)


def _voting(stream: Any) -> Game[_Lanes]:
    lanes = [Constant(3, +1), Constant(3, -1), Perceptron(3)]
    return Game(Portfolio, {"n": 3, "learners": lanes}, stream.against, _Lanes(len(lanes)), "lanes")


def _contradicted(rounds: int, chance: np.random.Generator) -> Game[_Lanes]:
    examples = [tuple(row) for row in chance.standard_normal((rounds, 3)).tolist()]
    return _voting(Contradicting(examples))


def _learnable(rounds: int, chance: np.random.Generator) -> Game[_Lanes]:
    X = chance.standard_normal((rounds, 3))
    return _voting(Listed(pairs(X, np.where(X[:, 0] > X[:, 1], 1, -1))))


_VOTED = (
    Stream("never as it says", "adversary", _contradicted),
    Stream("separable, at random", "random", _learnable),
)

_BY_N = ("experts N", (2, 4, 8, 16, 32, 64, 128))
_BY_ROUNDS = ("rounds T", (10, 20, 50, 100, 200, 500))
_HALVES = _halves(WeightedMajority)

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(bounds.weighted_majority, WeightedMajority, *_BY_N, _HALVES, 1.0, _beta),
    Experiment(bounds.weighted_majority_textbook, WeightedMajority, *_BY_N, (_HALVES[1], _HALVES[-1]), 0.79, _eta),
    Experiment(bounds.randomized_majority, RandomizedMajority, *_BY_N, _in_turn(), 0.99, _beta),
    Experiment(bounds.randomized_majority_textbook, RandomizedMajority, *_BY_N, _in_turn(), 0.94, _eta),
    Experiment(bounds.randomized_majority_tuned, RandomizedMajority, *_BY_N, _in_turn(_known("randomized"), _M), 0.96, _tuned),
    Experiment(
        bounds.doubling, RandomizedMajority, *_BY_N, _in_turn(lambda _n: None), 0.65,
        lambda facts: {"mistakes": facts.best, "n": facts.n},
    ),
    Experiment(bounds.improved_majority, ImprovedMajority, *_BY_N, _halves(ImprovedMajority), 1.0, _beta),
    Experiment(bounds.improved_majority_tuned, ImprovedMajority, *_BY_N, _IMPROVED_TUNED, 1.0, _tuned),
    Experiment(
        bounds.realised_mistakes, RandomizedMajority, *_BY_ROUNDS, (Trials("coins, 19 of 20", _coins, 100, 0.05),), 0.9,
        alone="it is about the coins of a hundred runs, whatever tosses them; play randomized-majority, which it bounds",
    ),
    Experiment(
        bounds.follow_the_leader, FollowTheLeader, *_BY_N,
        (
            Stream("the leader errs", "forced", _of(FollowTheLeader, lambda n, _: LeaderErrs(n, 5))),
            Stream("at random", "random", _of(FollowTheLeader, lambda n, chance: Listed(_advised(chance, n, 5)))),
        ),
        1.0, lambda facts: {"mistakes": facts.best, "n": facts.n},
    ),
    Experiment(
        bounds.vote, WeightedMajority, *_BY_ROUNDS,
        (Stream("two constants", "adversary", _two_constants), Stream("fair coins", "random", _random_experts)), 0.9,
        lambda facts: {"loss": facts.loss},
    ),
    Experiment(
        bounds.portfolio_loss, Portfolio, *_BY_ROUNDS, _VOTED, 0.98,
        lambda facts: {"best": int(facts.wrong.min()), "regret": facts.regret},
    ),
    Experiment(
        bounds.portfolio_mistakes, Portfolio, *_BY_ROUNDS, _VOTED, 0.95, lambda facts: {"loss": facts.loss}
    ),
)  # fmt: skip
