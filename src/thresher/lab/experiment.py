"""What an experiment is: a theorem, an algorithm, and the streams on which the two meet.

A `Stream` makes a `Game` of a size: what the learner is called with, who chooses its rounds, and the `Facts` that watch them.
An `Experiment` says with which numbers of those facts its theorem's function is called: so another function of the same
numbers, a bound of one's own, can stand in its place.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from thresher.bounds import Bound

__all__ = ["Experiment", "Facts", "Game", "Kind", "Numbers", "Plays", "Stream", "Trials"]

#: How a stream is chosen: so that the bound is met exactly, so that the learner suffers, or by chance.
Kind = Literal["forced", "adversary", "random"]

#: What is said in a round: one of two labels, with its chance if coins are tossed, or always; one of many classes, a forecast
#: out of others, a mixture of experts who then lose, or the vote of a portfolio's lanes.
Plays = Literal["labels", "coins", "chances", "classes", "forecasts", "losses", "lanes"]

_ASKED: dict[Plays, str] = {
    "labels": "predict(x), +1 or -1, and learn(x, y)",
    "coins": "predict(x), +1 or -1, or a th.Prediction with the chance of +1, and learn(x, y)",
    "chances": "predict(x), a th.Prediction with its p_positive, and learn(x, y)",
    "classes": "predict(x), one of the classes, and learn(x, y)",
    "forecasts": "predict(forecasts), a number, and learn(forecasts, outcome)",
    "losses": "weights, a mixture of n, and learn_losses(losses)",
    "lanes": "predict(x), a th.Prediction with its p_positive, and learn(x, y)",
}

#: What a theorem's function is called with.
Numbers = dict[str, Any]


class Facts:
    """What the rounds of a game come to. A subclass adds what its theorem asks about.

    >>> import thresher as th
    >>> facts, learner = Facts(), th.Perceptron(1)
    >>> [facts.enter(learner.learn((1.0,), y)) for y in (-1, -1)]
    [True, False]
    >>> facts.rounds, facts.count("mistakes"), facts.count("updates after the first")
    (2, 1, 0)
    """

    def __init__(self) -> None:
        self.rounds = self.mistakes = self.later_updates = 0
        self.loss = 0.0

    def enter(self, played: Any) -> bool:
        """Counts a round; whether it cost anything. Only then can a count have come above its bound."""
        self.rounds += 1
        self.mistakes += bool(played.mistake)
        self.later_updates += bool(played.changed) and self.rounds > 1
        self.loss += float(played.loss)
        return bool(played.mistake or played.changed or played.loss > 0)

    def count(self, on: str) -> float:
        """What a bound is on, counted so far."""
        return {
            "mistakes": self.mistakes,
            "updates after the first": self.later_updates,
            "expected mistakes": self.loss,
            "loss": self.loss,
        }[on]


F = TypeVar("F", bound=Facts)


def _nothing(_facts: Facts) -> Numbers:
    return {}


@dataclass(frozen=True)
class Game(Generic[F]):
    """One game: the algorithm is called with `given`, `against` chooses what it is then told, `facts` watch.

    A learner of one's own is offered the same `given`.
    """

    algorithm: Callable[..., Any]
    given: Mapping[str, Any]
    against: Callable[[Any], Iterator[tuple[Any, ...]]]
    facts: F
    plays: Plays = "labels"

    @property
    def verb(self) -> str:
        """What is called in each round."""
        return "learn_losses" if self.plays == "losses" else "learn"


@dataclass(frozen=True)
class Stream(Generic[F]):
    """Games of every size, up to the size `upto`. `weighted` ones look at the learner's `weights`."""

    name: str
    kind: Kind
    game: Callable[[int, np.random.Generator], Game[F]]
    weighted: bool = False
    upto: int = sys.maxsize


@dataclass(frozen=True)
class Trials:
    """For what holds with a probability, or on average: many runs, each of which gives a count and the theorem's numbers.

    `of` says which count stands for all: that which the share 1 − δ of the runs does not exceed, or the mean.
    """

    name: str
    run: Callable[[int, np.random.Generator], tuple[float, Numbers]]
    runs: int
    of: Literal["mean"] | float
    kind: Kind = "random"
    upto: int = sys.maxsize

    def stands(self, counts: Sequence[float]) -> float:
        """The count that stands for all.

        >>> Trials("coins", lambda size, chance: (0.0, {}), 4, 0.25).stands([3.0, 1.0, 9.0, 2.0])
        3.0
        """
        if self.of == "mean":
            return sum(counts) / len(counts)
        return sorted(counts)[len(counts) - 1 - int(self.of * len(counts))]


@dataclass(frozen=True)
class Experiment(Generic[F]):
    """A theorem, as the laboratory plays it.

    - `theorem` is its function in `th.bounds`, `numbers` what that is called with, out of the facts of a game.
    - `axis` says what the sizes are.
    - `tight` is the share of the bound that the streams attain (1: it is forced, and cannot be improved).
    - `definition` is the algorithm as on the blackboard, if it is not that of the algorithm's own file.
    - `reads` is the function of the same numbers that gives the bound on what is counted, if it is not the theorem's.
    - `alone` is why no learner of one's own can play, and what to do instead; empty if one can.
    - `rising` is whether the bound never falls as rounds come, and so need not be computed while the count is below it.
    """

    theorem: Callable[..., Bound]
    algorithm: Callable[..., Any]
    axis: str
    sizes: tuple[int, ...]
    streams: tuple[Stream[F] | Trials, ...]
    tight: float
    numbers: Callable[[F], Numbers] = _nothing
    definition: Callable[..., Any] | None = None
    reads: Callable[..., Bound] | None = None
    alone: str = ""
    rising: bool = True

    @property
    def name(self) -> str:
        """What it is called: the function's name, spelled with hyphens."""
        return self.theorem.__name__.replace("_", "-")

    @property
    def quick(self) -> tuple[int, ...]:
        """The first sizes."""
        return self.sizes[:3]

    @property
    def asks(self) -> str:
        """What a class of one's own must be to play in the algorithm's place; empty if none can.

        >>> from thresher.lab import EXPERIMENTS
        >>> EXPERIMENTS["hedge"].asks
        'Mine(n, eta) with weights, a mixture of n, and learn_losses(losses)'
        """
        first = self.streams[0]
        if self.alone or isinstance(first, Trials):
            return ""
        game = first.game(self.sizes[0], np.random.default_rng(0))
        return f"Mine({', '.join(game.given)}) with {_ASKED[game.plays]}"

    @property
    def code(self) -> str:
        """The algorithm's definition, as on the blackboard."""
        return inspect.getsource(self.definition or sys.modules[self.algorithm.__module__].__dict__["definition"])
