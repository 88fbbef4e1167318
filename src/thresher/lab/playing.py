"""The loop of the laboratory: a theorem's algorithm, or a learner of one's own, on its streams, with the bound beside it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from thresher.bounds import Bound, Theorem
from thresher.bounds.printed import shown
from thresher.errors import LearnerError, ParameterError
from thresher.lab.experiment import Experiment, Game, Numbers, Stream, Trials
from thresher.lab.own import Watched, guarded, named, place
from thresher.lab.own_kinds import own
from thresher.lab.registry import find
from thresher.lab.result import Outcome, Refutation, Result

__all__ = ["Watch", "play"]

#: Told before each game which of how many it is.
Watch = Callable[[int, int], object]

#: What one's own bound is: a function of the theorem's numbers.
OwnBound = Callable[..., Bound | float]

_MOST_ROUNDS = 10_000
_GAMES_OF_CHANCE = 5


def play(
    theorem: str,
    *,
    learner: Callable[..., Any] | None = None,
    bound: OwnBound | None = None,
    seed: int = 0,
    quick: bool = False,
    watch: Watch | None = None,
) -> Result:
    """Plays a theorem: its algorithm on streams that are forced, adversarial and random, of growing sizes.

    - ``theorem`` is its name, or the beginning of it: `thresher.lab.EXPERIMENTS` has all.
    - ``learner`` is a class of one's own, with `predict(x)`, which gives a label or a `th.Prediction` and changes nothing, and
      `learn(x, y)`. It is called with what the experiment gives, as far as it takes it: `n`, say, or nothing.
    - ``bound`` is a function of one's own that stands in the place of the theorem's, called with those of its numbers that it
      names: it gives a number, or a `th.bounds.Bound`.
    - ``seed`` is all that chance depends on: the same seed plays the same games.
    - ``quick`` plays the first three sizes, and one game of chance in the place of five.

    A count that is above its bound ends the play: `Result.refuted` is the game, with the round.

    >>> import thresher as th
    >>> result = th.lab.play("perceptron-separable", quick=True)
    >>> result.worst.stream, result.worst.ratio
    ('orthonormal examples', 1.0)

    A learner that never learns errs once too often, in the first round after the bound is reached:

    >>> class Stuck:
    ...     def predict(self, x):
    ...         return +1
    ...     def learn(self, x, y):
    ...         pass
    >>> game = th.lab.play("perceptron-separable", learner=Stuck, quick=True).refuted
    >>> game.stream, game.attained, game.allowed
    ('margin γ, least sure first', 5, 4)

    And whoever believes that half as many mistakes are possible at most:

    >>> game = th.lab.play("perceptron-separable", bound=lambda margin: 0.5 / margin**2).refuted
    >>> game.stream, game.refuted.round
    ('orthonormal examples', 3)
    """
    experiment = find(theorem)
    if seed < 0:
        raise ParameterError(f"found seed = {seed}, expected a whole number of at least 0")
    if learner is not None and experiment.alone:
        raise ParameterError(f"found a learner of one's own for {experiment.name}: {experiment.alone}")
    table = _Table(experiment, learner, bound, seed, 1 if quick else _GAMES_OF_CHANCE)
    sizes = experiment.quick if quick else experiment.sizes
    games = [(size, stream) for size in sizes for stream in experiment.streams if size <= stream.upto]
    for number, (size, stream) in enumerate(games):
        if watch is not None:
            watch(number, len(games))
        table.play(stream, size)
        if table.refuted:
            break
    return table.result()


class _Table:
    """Where an experiment is played: who plays, which bound is held against it, and what came of it."""

    def __init__(
        self, experiment: Experiment[Any], learner: Callable[..., Any] | None, bound: OwnBound | None, seed: int, games: int
    ) -> None:
        self.experiment, self.learner, self.own_bound, self.seed, self.games = experiment, learner, bound, seed, games
        self.outcomes: list[Outcome] = []
        self.skipped: dict[str, None] = {}
        self.refuted = False
        self._known: dict[tuple[tuple[str, Any], ...], Bound] = {}

    def play(self, stream: Stream[Any] | Trials, size: int) -> None:
        """Adds the game that comes nearest to its bound, or above it."""
        played = [self._trials(stream, size)] if isinstance(stream, Trials) else list(self._games(stream, size))
        if played:
            outcome = max(played, key=lambda outcome: (outcome.refuted is not None, outcome.ratio))
            self.outcomes.append(outcome)
            self.refuted = outcome.refuted is not None

    def result(self) -> Result:
        """What came of it all."""
        if not self.outcomes:
            raise ParameterError(f"found no stream of {self.experiment.name} for a learner that shows no weights")
        *_, bound = self._known.values()
        return Result(
            name=self.experiment.name,
            theorem=bound.theorem,
            on=bound.on,
            assumes=bound.assumes,
            learner=getattr(self.learner or self.experiment.algorithm, "__name__", "a learner"),
            axis=self.experiment.axis,
            tight=self.experiment.tight,
            seed=self.seed,
            outcomes=tuple(self.outcomes),
            skipped=tuple(self.skipped),
        )

    def _games(self, stream: Stream[Any], size: int) -> Iterator[Outcome]:
        """One game, or several by chance; none where the stream looks at weights that the learner does not show."""
        for repetition in range(self.games if stream.kind == "random" else 1):
            game = stream.game(size, np.random.default_rng([self.seed, repetition, size]))
            player = game.algorithm(**game.given) if self.learner is None else own(self.learner, game)
            if stream.weighted and not hasattr(player, "weights"):
                self.skipped[f"{stream.name}: it looks at weights, and this learner shows none (self.weights)"] = None
                return
            outcome = self._game(stream, size, game, player)
            if self.learner is not None and isinstance(player, Watched):
                player.check_again(own(self.learner, game))
            yield outcome
            if outcome.refuted is not None:
                return

    def _game(self, stream: Stream[Any], size: int, game: Game[Any], player: Any) -> Outcome:
        facts, learn = game.facts, getattr(player, game.verb)
        bound: Bound | None = None
        refuted: Refutation | None = None
        for chosen in islice(game.against(player), _MOST_ROUNDS):
            played = learn(*chosen)
            if not facts.enter(played) or (
                bound is not None and self.experiment.rising and bound.allows(facts.count(bound.on))
            ):
                continue
            bound = self._bound(self.experiment.numbers(facts))
            if not bound.allows(facts.count(bound.on)):
                refuted = Refutation(facts.rounds, *_told(chosen, played, bound.on))
                break
        bound = self._bound(self.experiment.numbers(facts))
        count = facts.count(bound.on)
        return Outcome(stream.name, stream.kind, size, facts.rounds, count, bound.value, _allowed(bound), refuted)

    def _trials(self, stream: Trials, size: int) -> Outcome:
        """Each run has a bound of its own: what stands for all is a share of it."""
        runs = [stream.run(size, np.random.default_rng([self.seed, run, size])) for run in range(stream.runs)]
        held = [(count, self._bound(numbers)) for count, numbers in runs]
        share = stream.stands([count / bound.value for count, bound in held])
        bound = max((bound for _, bound in held), key=lambda bound: bound.value)
        count = share * bound.value
        refuted = None if bound.allows(count) else Refutation(stream.runs, "", "", "")
        return Outcome(stream.name, stream.kind, size, stream.runs, count, bound.value, bound.value, refuted)

    def _bound(self, numbers: Numbers) -> Bound:
        """The theorem's bound, or one's own, for these numbers."""
        key = tuple(numbers.items())
        if key not in self._known:
            proven = (self.experiment.reads or self.experiment.theorem)(**numbers)
            self._known[key] = proven if self.own_bound is None else _own_bound(self.own_bound, numbers, proven)
        return self._known[key]


def _own_bound(bound: OwnBound, numbers: Numbers, proven: Bound) -> Bound:
    """What a function of one's own gives, on what the theorem is on."""
    name = getattr(bound, "__name__", "bound")
    taken = _taken(bound, name, numbers)
    call = f"{name}({', '.join(f'{each}={shown(number)}' for each, number in taken.items())})"
    value: object = guarded(lambda: bound(**taken), call, thing=bound)
    if isinstance(value, Bound):
        return value
    if not isinstance(value, int | float) or not value >= 0:
        raise LearnerError(f"found {shown(value)} from {call}, expected a number of at least 0, or a th.bounds.Bound")
    theorem = Theorem(f"{name}, in the place of {proven.theorem.name}", f"{name}({', '.join(taken)})", "one's own")
    return replace(proven, value=value, theorem=theorem)


def _taken(bound: OwnBound, name: str, numbers: Numbers) -> Numbers:
    """Those of the theorem's numbers that a function of one's own declares; a name that the theorem has not is refused."""
    try:
        parameters = list(inspect.signature(bound).parameters.values())
    except (TypeError, ValueError):  # of some that are not written in Python nobody knows
        return numbers
    asked, taken = named(parameters, numbers)
    if missing := [each.name for each in asked if each.default is each.empty and each.name not in taken]:
        file, line = place(bound)
        raise LearnerError(f"{name} asks for {missing[0]}, but the theorem has {', '.join(numbers)}", file=file, line=line)
    return taken


def _allowed(bound: Bound) -> float:
    return bound.at_most if bound.counts and not bound.infinite else bound.value


def _told(chosen: tuple[Any, ...], played: Any, on: str) -> tuple[str, str, str]:
    """The example, what was said, and what was true, for a message; with the chance, where that is what counts."""
    if getattr(played, "forecast", None) is not None:
        return _spelled(chosen[0]), f"{played.forecast:.4g}", str(chosen[1])
    if not hasattr(played, "prediction"):
        return _spelled(chosen[0]), f"the mixture {_spelled(played.mixture)}", ""
    x, y = chosen
    chance = None if on == "mistakes" else getattr(played.prediction, "p_positive", None)
    sure = "" if chance is None else f" with the chance {chance:.4g} of +1"
    return _spelled(x), f"{_label(played.prediction.label)}{sure}", _label(y)


def _label(value: Any) -> str:
    """With its sign, where it is −1 or +1."""
    return f"{value:+d}" if isinstance(value, int) and abs(value) == 1 else str(value)


def _spelled(value: Any) -> str:
    """An example with short numbers, and no more of them than fit a line."""
    if not isinstance(value, tuple | np.ndarray):
        return str(value)
    numbers = [f"{number:.4g}" for number in value]
    return f"({', '.join(numbers[:12])}{', …' if len(numbers) > 12 else ''})"
