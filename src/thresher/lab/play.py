"""The loop of the laboratory: a theorem's algorithm, or a learner of one's own, on its streams, with the bound beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from thresher.bounds import Bound, Theorem
from thresher.bounds.printed import shown
from thresher.errors import ParameterError
from thresher.lab.experiment import Experiment, Game, Numbers, Stream, Trials
from thresher.lab.own import OwnLearner, OwnRule, offered
from thresher.lab.registry import find
from thresher.lab.result import Outcome, Refutation, Result

__all__ = ["Watch", "play"]

#: Told before each game which of how many it is.
Watch = Callable[[int, int], object]

#: What one's own bound is: a function of the theorem's numbers.
OwnBound = Callable[..., Bound | float]

_MOST_ROUNDS = 20_000
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
    - ``bound`` is a function of one's own that stands in the place of the theorem's, called with the same names: it gives a number,
      or a `th.bounds.Bound`.
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
    >>> game.stream, game.attained, game.bound
    ('margin γ, the least sure first', 5, 4.0)

    And whoever believes that half as many mistakes are possible at most:

    >>> game = th.lab.play("perceptron-separable", bound=lambda margin, radius, norm: 0.5 / margin**2).refuted
    >>> game.stream, game.refuted.round
    ('orthonormal examples', 3)
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(f"found seed = {shown(seed)}, expected a whole number of at least 0")
    experiment = find(theorem)
    if learner is not None and not experiment.own:
        raise ParameterError(f"found a learner of one's own for {experiment.name}, which plays Thresher's alone")
    held = _Held(experiment, bound)
    sizes = experiment.quick if quick else experiment.sizes
    games = [(size, stream) for size in sizes for stream in experiment.streams if size <= stream.upto]
    outcomes: list[Outcome] = []
    skipped: dict[str, None] = {}
    for number, (size, stream) in enumerate(games):
        if watch is not None:
            watch(number, len(games))
        outcome = _outcome(held, stream, size, seed, learner, 1 if quick else _GAMES_OF_CHANCE)
        if outcome is None:
            skipped[f"{stream.name}: it looks at weights, and this learner shows none"] = None
            continue
        outcomes.append(outcome)
        if outcome.refuted is not None:
            break
    if held.last is None:
        raise ParameterError(f"found no stream of {experiment.name} that this learner can be played on")
    return Result(
        name=experiment.name,
        theorem=held.last.theorem,
        on=held.last.on,
        assumes=held.last.assumes,
        learner=getattr(learner or experiment.algorithm, "__name__", "a learner"),
        axis=experiment.axis,
        tight=experiment.tight,
        seed=seed,
        outcomes=tuple(outcomes),
        skipped=tuple(skipped),
    )


class _Held:
    """The bound that is held against the facts: the theorem's, or one's own of the same numbers."""

    def __init__(self, experiment: Experiment[Any], own: OwnBound | None) -> None:
        self.experiment, self._own = experiment, own
        self._known: dict[tuple[tuple[str, Any], ...], Bound] = {}
        self.last: Bound | None = None

    def bound(self, numbers: Numbers) -> Bound:
        key = tuple(numbers.items())
        if key not in self._known:
            self._known[key] = self._of(numbers)
        self.last = self._known[key]
        return self.last

    def _of(self, numbers: Numbers) -> Bound:
        proven = (self.experiment.reads or self.experiment.theorem)(**numbers)
        if self._own is None:
            return proven
        name = getattr(self._own, "__name__", "a function")
        given = ", ".join(f"{name}={number!r}" for name, number in numbers.items())
        try:
            mine = self._own(**numbers)
        except Exception as error:
            raise ParameterError(f"the bound {name}({given}) raised {type(error).__name__}: {error}") from error
        if isinstance(mine, Bound):
            return mine
        if not isinstance(mine, int | float | np.integer | np.floating) or not mine >= 0:
            raise ParameterError(f"found {shown(mine)} from the bound {name}({given}), expected a number of at least 0")
        theorem = Theorem(f"{name}, in the place of {proven.theorem.name}", f"{name}({', '.join(numbers)})", "one's own")
        value = int(mine) if isinstance(mine, int | np.integer) else float(mine)
        return replace(proven, value=value, theorem=theorem)


def _outcome(
    held: _Held, stream: Stream[Any] | Trials, size: int, seed: int, learner: Callable[..., Any] | None, games: int
) -> Outcome | None:
    """The game that comes nearest to its bound, or above it; None where the learner has no weights to be looked at."""
    if isinstance(stream, Trials):
        return _trials(held, stream, size, seed)
    best: Outcome | None = None
    for repetition in range(games if stream.kind == "random" else 1):
        game = stream.game(size, np.random.default_rng([seed, repetition, size]))
        player = game.algorithm(**game.given) if learner is None else _own(learner, game)
        if stream.weighted and not hasattr(player, "weights"):
            return None
        outcome = _played(held, game, player, stream, size)
        if best is None or outcome.ratio > best.ratio or outcome.refuted is not None:
            best = outcome
        if outcome.refuted is not None:
            break
    return best


def _own(learner: Callable[..., Any], game: Game[Any]) -> Any:
    made = offered(learner, game.given)
    return OwnRule(made, game.given["n"]) if game.verb == "learn_losses" else OwnLearner(made, game.given.get("classes"))


def _played(held: _Held, game: Game[Any], player: Any, stream: Stream[Any], size: int) -> Outcome:
    experiment, facts = held.experiment, game.facts
    verb = getattr(player, game.verb)
    bound: Bound | None = None
    refuted: Refutation | None = None
    for chosen in islice(game.against(player), _MOST_ROUNDS):
        played = verb(*chosen)
        if not facts.enter(played) or (experiment.rising and bound is not None and bound.allows(facts.count(bound.on))):
            continue
        bound = held.bound(experiment.numbers(facts))
        if not bound.allows(facts.count(bound.on)):
            refuted = Refutation(facts.rounds, *_told(chosen, played))
            break
    bound = held.bound(experiment.numbers(facts))
    return _of(bound, stream, size, facts.rounds, facts.count(bound.on), refuted)


def _trials(held: _Held, stream: Trials, size: int, seed: int) -> Outcome:
    runs = [stream.run(size, np.random.default_rng([seed, run, size])) for run in range(stream.runs)]
    held_against = [(count, held.bound(numbers)) for count, numbers in runs]
    # Where each run has a bound of its own, what stands for all is the count for which count/bound does.
    share = stream.stands([count / bound.value for count, bound in held_against])
    bound = max((bound for _, bound in held_against), key=lambda bound: bound.value)
    attained = share * bound.value
    above = None if bound.allows(attained) else Refutation(stream.runs, "", "", "")
    return _of(bound, stream, size, stream.runs, attained, above)


def _of(
    bound: Bound, stream: Stream[Any] | Trials, size: int, rounds: int, attained: float, refuted: Refutation | None
) -> Outcome:
    allowed = bound.at_most if bound.counts and not bound.infinite else bound.value
    return Outcome(stream.name, stream.kind, size, rounds, attained, bound.value, allowed, refuted)


def _told(chosen: tuple[Any, ...], played: Any) -> tuple[str, str, str]:
    """The example, what was said, and what was true, for a message."""
    if not hasattr(played, "prediction"):
        return _vector(chosen[0]), f"the mixture {_vector(played.mixture)}", ""
    x, y = chosen
    said = played.prediction.label
    return _vector(x), f"{said:+d}" if isinstance(said, int) else repr(said), f"{y:+d}" if isinstance(y, int) else repr(y)


def _vector(x: Any) -> str:
    """An example as it is printed: short numbers, and no more of them than fit a line."""
    if not isinstance(x, Iterable) or isinstance(x, str):
        return str(x)
    numbers = [f"{number:.4g}" for number in _flat(x)]
    return f"({', '.join(numbers[:12])}{', …' if len(numbers) > 12 else ''})"


def _flat(x: Iterable[Any]) -> Iterator[float]:
    return iter(np.asarray(x, dtype=np.float64).ravel().tolist())
