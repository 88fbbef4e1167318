"""Every theorem is played: none is above its bound, what is forced attains it, and wrong learners are refuted."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.lab import EXPERIMENTS, Result, find, play
from thresher.lab.experiment import Stream, Trials
from thresher.lab.files import load
from thresher.lab.theorems import FAMILIES

quick = cache(lambda name: play(name, quick=True))
every = pytest.mark.parametrize("name", EXPERIMENTS)

# These have the games of winnow-threshold-tuned and bounds that are never below its own: they need not be played here.
WEAKER = {"winnow-threshold", "winnow-threshold-simple", "winnow-littlestone", "winnow-r-of-k"}
each = pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in WEAKER])


def attained(result: Result, stream: str) -> list[tuple[int, float, float]]:
    return [(outcome.size, outcome.attained, outcome.allowed) for outcome in result.of(stream)]


# ------------------------------------------------------------------------------------------------ all theorems


def test_every_theorem_has_an_experiment() -> None:
    assert [experiment.theorem for experiment in EXPERIMENTS.values()] == [
        make for makers in FAMILIES.values() for make in makers
    ]


@each
def test_no_count_is_above_its_bound(name: str) -> None:
    result = quick(name)
    assert result.refuted is None
    assert result.worst.ratio <= 1 + 1e-9
    assert {outcome.size for outcome in result.outcomes} == set(EXPERIMENTS[name].sizes[:3])


@each
def test_what_is_forced_attains_the_bound_in_every_size(name: str) -> None:
    forced = [outcome for outcome in quick(name).outcomes if outcome.kind == "forced"]
    assert bool(forced) == (EXPERIMENTS[name].tight == 1)
    assert all(outcome.ratio == pytest.approx(1, abs=1e-9) for outcome in forced)


@every
def test_a_full_run_has_random_streams_too(name: str) -> None:
    kinds = {stream.kind for stream in EXPERIMENTS[name].streams}
    assert "random" in kinds
    assert kinds != {"random"} or EXPERIMENTS[name].tight < 1


@every
def test_the_definition_of_the_algorithm_can_be_shown(name: str) -> None:
    code = EXPERIMENTS[name].code
    assert code.startswith("def definition")
    compile(code, name, "exec")


@pytest.mark.parametrize(
    ("name", "stream", "expected"),
    [
        ("perceptron-separable", "orthonormal examples", [(4, 4, 4), (9, 9, 9), (16, 16, 16)]),
        ("perceptron-distance", "spiral of Theodorus", [(5, 5, 5), (10, 10, 10), (20, 20, 20)]),
        ("multiclass-perceptron", "two classes, orthonormal", [(4, 8, 8), (9, 18, 18), (16, 32, 32)]),
        ("margin-perceptron-recursion", "grazing examples", [(2, 7, 7), (4, 37, 37), (6, 87, 87)]),
        ("elimination", "flips", [(4, 3, 3), (8, 7, 7), (16, 15, 15)]),
        ("winnow-disjunction", "the worst there is", [(4, 7, 9), (8, 14, 15)]),
        ("winnow-disjunction", "tight fits", [(4, 7, 9), (8, 13, 15), (16, 20, 21)]),
        ("consistent", "one point each", [(2, 1, 1), (4, 3, 3), (8, 7, 7)]),
        ("halving", "all functions of k points", [(2, 1, 1), (4, 2, 2), (8, 3, 3)]),
        ("optimal", "down the tree", [(2, 1, 1), (4, 2, 2), (8, 3, 3)]),
        ("weighted-majority", "β = 0: half of the rest err", [(2, 1, 1), (4, 2, 2), (8, 3, 3)]),
        ("improved-majority", "β = 0: half of the rest err", [(2, 0.5, 0.5), (4, 1, 1), (8, 1.5, 1.5)]),
        ("follow-the-leader", "the leader errs", [(2, 11, 11), (4, 23, 23), (8, 47, 47)]),
    ],
)
def test_what_the_streams_are_known_to_attain(name: str, stream: str, expected: list[tuple[int, float, float]]) -> None:
    assert attained(quick(name), stream) == expected


@pytest.mark.parametrize("name", ["hedge-fixed", "fixed-share"])
def test_a_full_run_attains_what_the_list_says(name: str) -> None:
    result = play(name)
    assert result.refuted is None
    assert result.tight <= result.worst.ratio < result.tight + 0.01


# ------------------------------------------------------------------------------------------------ the streams


def played(name: str, stream: str, size: int) -> tuple[Any, list[tuple[Any, Any]]]:
    """The facts of a game that the algorithm played, and its rounds."""
    chosen = next(known for known in EXPERIMENTS[name].streams if known.name == stream)
    assert isinstance(chosen, Stream)
    game = chosen.game(size, np.random.default_rng(1))
    learner, rounds = game.algorithm(**game.given), []
    for x, y in islice(game.against(learner), 3000):
        rounds.append((x, y))
        game.facts.enter(learner.learn(x, y))
    return game.facts, rounds


@pytest.mark.parametrize("size", [4, 16])
@pytest.mark.parametrize("stream", ["orthonormal examples", "margin γ, least sure first", "margin γ, at random"])
def test_streams_with_a_margin_have_it(stream: str, size: int) -> None:
    facts, rounds = played("perceptron-separable", stream, size)
    assert np.linalg.norm(facts.u) == pytest.approx(1)
    for x, y in rounds:
        assert np.linalg.norm(x) == pytest.approx(1)
        assert y * (facts.u @ x) == pytest.approx(size**-0.5)
    assert {y for _, y in rounds} == {-1, 1} or stream == "orthonormal examples"


@pytest.mark.parametrize("stream", ["threshold ¼, least sure first", "threshold ¼, at random"])
def test_streams_with_a_threshold_have_it_and_the_dummy(stream: str) -> None:
    facts, rounds = played("perceptron-gap", stream, 4)
    for x, y in rounds:
        assert np.linalg.norm(x[:-1]) == pytest.approx(1)
        assert x[-1] == 1
        assert y * (facts.u[:-1] @ x[:-1] - 0.25) == pytest.approx(0.25)
    assert {y for _, y in rounds} == {-1, 1}


@pytest.mark.parametrize("stream", ["the worst there is", "tight fits", "one by one", "at random"])
def test_disjunctions_are_disjunctions(stream: str) -> None:
    facts, rounds = played("winnow-disjunction", stream, 8)
    assert all(y == (1 if x[0] or x[1] else -1) and set(x) <= {0, 1} for x, y in rounds)
    assert facts.errors == 0


def test_attribute_errors_are_what_would_have_to_change() -> None:
    facts, rounds = played("winnow-agnostic", "one label in ten wrong", 8)
    assert facts.errors == sum(int(x[0] + x[1] == 0) if y == 1 else x[0] + x[1] for x, y in rounds) > 0


def test_covers_cover() -> None:
    for stream in ("least sure first", "at random"):
        _, rounds = played("winnow-cover", stream, 16)
        assert all(sum(x[:3]) / 2 >= 1 if y == 1 else sum(x[:3]) == 0 for x, y in rounds)


@pytest.mark.parametrize(
    "stream", ["2 of 4, at the least cost", "2 of 4, at random", "from 0 to 1, at the least cost", "from 0 to 1, at random"]
)
def test_thresholds_are_kept(stream: str) -> None:
    facts, rounds = played("winnow-entropy", stream, 16)
    for x, y in rounds:
        assert 0 <= min(x) <= max(x) <= 1
        assert sum(x[:4]) >= 2 - 1e-9 if y == 1 else sum(x[:4]) <= 1 + 1e-9
    assert facts.errors == pytest.approx(0, abs=1e-9)


def test_the_majority_of_three_has_the_margin_of_a_third() -> None:
    for stream in ("majority of 3, least sure first", "majority of 3, at random"):
        facts, rounds = played("balanced-winnow", stream, 8)
        assert all(set(x) <= {-1, 1} and y * sum(x[:3]) >= 1 for x, y in rounds)
        assert (facts.norm, facts.margin, facts.radius) == (1, 1 / 3, 1)
        assert facts.distance == pytest.approx(0, abs=1e-12)


def test_a_gap_is_between_what_is_positive_and_what_is_not() -> None:
    facts, rounds = played("balanced-winnow-gap", "2 of 3 at random", 8)
    assert all(sum(x[:3]) >= 2 if y == 1 else sum(x[:3]) <= 1 for x, y in rounds)
    assert facts.gap < 1 == rounds[0][0][-1]


def test_distances_are_those_of_the_definition() -> None:
    facts, rounds = played("perceptron-hinge", "one label in seven wrong", 80)
    short = [max(0, 0.25 - y * (facts.u @ x)) for x, y in rounds]
    assert facts.distance == pytest.approx(sum(short))
    assert facts.squared == pytest.approx(sum(d * d for d in short))
    assert sum(d > 0.4 for d in short) in range(4, 21)  # 80/7 labels, more or less, are wrong


def test_the_best_of_random_experts_makes_twenty_mistakes_at_most() -> None:
    facts, rounds = played("randomized-majority-tuned", "at random", 16)
    wrong = [sum(x[i] != y for x, y in rounds) for i in range(16)]
    assert facts.wrong.tolist() == wrong
    assert facts.best == min(wrong) <= 20 == facts.most


# ------------------------------------------------------------------------------------------------ seeds and names


def test_the_same_seed_plays_the_same_games_and_another_others() -> None:
    first, again, other = (play("perceptron-hinge", quick=True, seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first.of("one label in seven wrong") != other.of("one label in seven wrong")
    assert first.of("spiral of Theodorus") == other.of("spiral of Theodorus")


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", ["perceptron-hinge", "winnow-agnostic", "randomized-majority", "hedge-horizon"])
def test_no_other_seed_is_above_the_bound(name: str, seed: int) -> None:
    assert play(name, quick=True, seed=seed).refuted is None


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("hedge", "hedge"),
        ("Perceptron Sep", "perceptron-separable"),
        ("winnow_disj", "winnow-disjunction"),
        ("halv", "halving"),
    ],
)
def test_a_theorem_is_found_by_how_it_begins(said: str, name: str) -> None:
    assert find(said).name == name


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ("perceptron", "several theorems begin: perceptron-separable, perceptron-run"),
        ("winow-cover", "no theorem 'winow-cover'; near are winnow-cover"),
        ("", "no theorem ''"),
        ("zzz", "thresher lab lists all"),
    ],
)
def test_a_wrong_name_is_told_what_is_near(said: str, match: str) -> None:
    with pytest.raises(th.ParameterError, match=match):
        find(said)


def test_a_seed_below_0_is_refused() -> None:
    with pytest.raises(th.ParameterError, match="found seed = -1"):
        play("halving", seed=-1)


# ------------------------------------------------------------------------------------------------ learners of one's own


class Perceptron:
    def __init__(self, n: int) -> None:
        self.weights = [0.0] * n

    def predict(self, x: Any) -> int:
        return +1 if sum(w * v for w, v in zip(self.weights, x, strict=True)) >= 0 else -1

    def learn(self, x: Any, y: int) -> object:
        if self.predict(x) != y:
            self.weights = [w + y * v for w, v in zip(self.weights, x, strict=True)]
        return None


class Deaf(Perceptron):
    """Adds the example whatever its label: it errs on a negative one for ever."""

    def learn(self, x: Any, y: int) -> object:
        return super().learn(x, +1)


class Winnow:
    factor = 2.0

    def __init__(self, n: int) -> None:
        self.threshold, self.weights = n, [1.0] * n

    def predict(self, x: Any) -> int:
        return +1 if sum(w * v for w, v in zip(self.weights, x, strict=True)) >= self.threshold else -1

    def learn(self, x: Any, y: int) -> None:
        if self.predict(x) != y:
            self.weights = [w * self.factor ** (y * v) for w, v in zip(self.weights, x, strict=True)]


class SlowWinnow(Winnow):
    factor = 1.1


class Halving:
    def __init__(self, concepts: list[list[int]]) -> None:
        self.left = concepts

    def predict(self, x: int) -> int:
        return +1 if 2 * sum(concept[x] for concept in self.left) >= len(self.left) else -1

    def learn(self, x: int, y: int) -> None:
        self.left = [concept for concept in self.left if 2 * concept[x] - 1 == y]


class FirstOfClass(Halving):
    """Not the majority but the first that is left: it may need |C| − 1 mistakes."""

    def predict(self, x: int) -> int:
        return 2 * self.left[0][x] - 1


class Leader:
    def __init__(self, n: int) -> None:
        self.lost = np.zeros(n)

    @property
    def weights(self) -> Any:
        return np.eye(len(self.lost))[self.lost.argmin()]

    def learn_losses(self, losses: Any) -> None:
        self.lost += losses


class AnytimeHedge(Leader):
    @property
    def weights(self) -> Any:
        rate = 2 * np.sqrt(np.log(len(self.lost)) / (self.rounds + 1))
        w = np.exp(-rate * (self.lost - self.lost.min()))
        return w / w.sum()

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.rounds = 0

    def learn_losses(self, losses: Any) -> None:
        super().learn_losses(losses)
        self.rounds += 1


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("perceptron-separable", Perceptron),
        ("perceptron-distance", Perceptron),
        ("winnow-disjunction", Winnow),
        ("halving", Halving),
        ("consistent", FirstOfClass),
        ("hedge-anytime", AnytimeHedge),
    ],
)
def test_a_learner_that_is_right_plays_as_the_algorithm_does(name: str, learner: Callable[..., Any]) -> None:
    result, ours = play(name, learner=learner, quick=True), quick(name)
    assert result.refuted is None
    assert result.learner == learner.__name__
    for game, expected in zip(result.outcomes, ours.outcomes, strict=True):
        assert (game.stream, game.size) == (expected.stream, expected.size)
        if expected.kind != "adversary" or "least sure" not in game.stream:  # without scores it plays the first mistake
            assert game.attained == pytest.approx(expected.attained, rel=1e-9)


@pytest.mark.parametrize(
    "name", ["perceptron-separable", "margin-perceptron-recursion", "weighted-majority", "optimal", "hedge"]
)
def test_thresher_s_own_learners_can_be_given_as_one_s_own(name: str) -> None:
    algorithm = EXPERIMENTS[name].algorithm
    assert play(name, learner=algorithm, quick=True).outcomes == quick(name).outcomes


def test_a_broken_perceptron_is_refuted_where_it_errs_once_too_often() -> None:
    refuted = play("perceptron-separable", learner=Deaf).refuted
    assert refuted is not None
    assert refuted.refuted is not None
    assert (refuted.stream, refuted.size, refuted.rounds) == ("margin γ, least sure first", 4, 5)
    assert (refuted.attained, refuted.allowed, refuted.refuted.round) == (5, 4, 5)
    assert (refuted.refuted.said, refuted.refuted.truth) == ("+1", "-1")


def test_winnow_with_a_wrong_factor_is_refuted() -> None:
    refuted = play("winnow-disjunction", learner=SlowWinnow).refuted
    assert refuted is not None
    assert refuted.refuted is not None
    assert (refuted.stream, refuted.size, refuted.attained, refuted.allowed) == ("tight fits", 4, 10, 9)
    assert (refuted.refuted.round, refuted.refuted.said, refuted.refuted.truth) == (10, "-1", "+1")


def test_a_learner_without_the_majority_is_refuted_by_halving_s_bound() -> None:
    refuted = play("halving", learner=FirstOfClass).refuted
    assert refuted is not None
    assert refuted.attained == refuted.allowed + 1


def test_who_follows_the_leader_is_refuted_by_hedge_s_bound() -> None:
    refuted = play("hedge-anytime", learner=Leader).refuted
    assert refuted is not None
    assert (refuted.stream, refuted.rounds, refuted.attained) == ("seesaw", 3, 1.5)  # √(3 ln 2) = 1.442
    assert refuted.allowed == pytest.approx(np.sqrt(3 * np.log(2)))


class Bare:
    """No weights to look at, and nothing to be called with."""

    def predict(self, x: Any) -> float:
        return np.float64(1.0)

    def learn(self, x: Any, y: int) -> None:
        pass


def test_streams_that_look_at_weights_are_left_out_where_there_are_none() -> None:
    result = play("winnow-disjunction", learner=Bare)
    assert result.skipped == ("tight fits: it looks at weights, and this learner shows none",)
    assert result.refuted is not None


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Callable[..., Any]]:
    """A class out of a file of its own, with these methods."""

    def make(body: str) -> Callable[..., Any]:
        file = tmp_path / "mine.py"
        file.write_text("import random\n\n\nclass Mine:\n" + textwrap.indent(body, "    ") + "\n", encoding="utf-8")
        return load(f"{file}:Mine")

    return make


LEARNS_NOTHING = "def learn(self, x, y):\n    pass\n"


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("return 0", r"mine.py:7: round 1: Mine.predict gave 0, expected −1 or \+1"),
        ("return 'spam'", "mine.py:7: round 1: Mine.predict gave 'spam'"),
        ("return None", "mine.py:7: round 1: Mine.predict gave None"),
        ("return [1, 1]", r"mine.py:7: round 1: Mine.predict gave \[1, 1\]"),
        ("self.asked = x\n    return 1", r"mine.py:7: round 1: Mine.predict changed self.asked: .* may be called self._asked"),
        ("return random.choice([-1, 1])", r"mine.py:7: round \d: Mine.predict gave [-+]1, then [-+]1 for the same example"),
    ],
)
def test_what_predict_must_not_do(made: Callable[[str], Callable[..., Any]], body: str, match: str) -> None:
    with pytest.raises(th.LearnerError, match=match):
        play("perceptron-separable", learner=made(f"{LEARNS_NOTHING}def predict(self, x):\n    {body}"))


def test_what_predict_remembers_may_not_change_what_is_said(made: Callable[[str], Callable[..., Any]]) -> None:
    """It is asked three times a round, and says something else from the tenth question on: asked once, it would not yet."""
    body = "self._asked = getattr(self, '_asked', 0) + 1\n    return 1 if self._asked < 10 else -1"
    with pytest.raises(th.LearnerError, match=r"mine.py:7: round 4: Mine.predict gave -1, but \+1 when all was played again"):
        play("perceptron-separable", learner=made(f"{LEARNS_NOTHING}def predict(self, x):\n    {body}"))


class Remembering(Perceptron):
    """A cache is no change."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self._said: dict[Any, int] = {}

    def predict(self, x: Any) -> int:
        return self._said.setdefault((tuple(self.weights), x), super().predict(x))


def test_a_cache_is_no_change() -> None:
    assert play("perceptron-separable", learner=Remembering, quick=True).refuted is None


def test_who_peeks_is_found_out_in_the_first_round_that_it_pays() -> None:
    class Peeking(Perceptron):
        def learn(self, x: Any, y: int) -> th.Round:
            super().learn(x, y)
            return th.Round(1, x, th.Prediction(y, 0.0), y, changed=True)

    with pytest.raises(
        th.LearnerError, match=r"round 1: Peeking.learn says that -1 was predicted, but predict said \+1"
    ) as told:
        play("perceptron-separable", learner=Peeking)
    assert (told.value.t, told.value.line) == (1, inspect.getsourcelines(Peeking.learn)[1])


def test_what_a_learner_raises_is_told_with_the_round_and_the_line() -> None:
    class Fragile(Perceptron):
        def learn(self, x: Any, y: int) -> None:
            super().learn(x, y)
            if sum(map(abs, self.weights)) > 2:
                raise RuntimeError("too heavy")

    with pytest.raises(th.LearnerError, match=r"round 3: Fragile.learn raised RuntimeError: too heavy") as told:
        play("perceptron-separable", learner=Fragile)
    assert (told.value.t, told.value.line) == (3, inspect.getsourcelines(Fragile.learn)[1] + 3)


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("pass", "mine.py:4: found Mine without predict, expected one with predict and learn"),
        ("predict = 3", "mine.py:4: found Mine without predict"),
        ("def __init__(self, n, colour):\n    pass", "Mine asks for colour, but what it may ask for here is n, or nothing"),
        ("def __init__(self):\n    1 / 0", r"mine.py:6: Mine\(\) raised ZeroDivisionError: division by zero"),
    ],
)
def test_a_class_that_is_no_learner(made: Callable[[str], Callable[..., Any]], body: str, match: str) -> None:
    with pytest.raises(th.LearnerError, match=match):
        play("perceptron-separable", learner=made(body))


@pytest.mark.parametrize("weights", ["[0.5, 0.4]", "[1.5, -0.5]", "[1.0]", "'heavy'", "[float('nan'), 1.0]"])
def test_a_mixture_that_is_none(made: Callable[[str], Callable[..., Any]], weights: str) -> None:
    rule = made(f"weights = {weights}\ndef learn_losses(self, losses):\n    pass")
    with pytest.raises(
        th.LearnerError, match=r"round 1: Mine.weights gave .* expected 2 numbers of at least 0 that add up to 1"
    ):
        play("hedge-fixed", learner=rule)


def test_some_theorems_take_no_learner_of_one_s_own() -> None:
    with pytest.raises(th.ParameterError, match="found a learner of one's own for mixture-log"):
        play("mixture-log", learner=Bare)


# ------------------------------------------------------------------------------------------------ bounds of one's own


def test_a_bound_of_one_s_own_is_refuted_in_the_round_that_is_above_it() -> None:
    def half(margin: float, radius: float, norm: float) -> float:
        return (radius * norm / margin) ** 2 / 2

    result = play("perceptron-separable", bound=half)
    assert result.theorem.name == "half, in the place of Perceptron, separable"
    assert result.refuted is not None
    assert (result.refuted.attained, result.refuted.allowed, result.refuted.rounds) == (3, 2, 3)


def test_a_bound_of_one_s_own_that_is_true_stays() -> None:
    def twice(margin: float, **_others: float) -> th.bounds.Bound:
        return th.bounds.perceptron_separable(margin=margin / 2)

    assert play("perceptron-separable", bound=twice, quick=True).worst.ratio == 0.25


@pytest.mark.parametrize(
    ("bound", "match"),
    [
        (lambda margin, radius, norm: -1.0, "found -1.0 from <lambda>"),
        (lambda margin, radius, norm: None, "found None from"),
        (lambda margin, radius, norm: float("nan"), "found nan from"),
        (lambda margin: 1.0, "raised TypeError"),
    ],
)
def test_a_bound_that_is_none(bound: Callable[..., Any], match: str) -> None:
    with pytest.raises(th.LearnerError, match=match):
        play("perceptron-separable", bound=bound)


# ------------------------------------------------------------------------------------------------ with a probability


@pytest.mark.parametrize(("of", "stands"), [(0.05, 19.0), (0.1, 18.0), (0.0, 20.0), ("mean", 10.5)])
def test_what_stands_for_many_runs(of: Any, stands: float) -> None:
    trials = Trials("runs", lambda size, chance: (0.0, {}), 20, of)
    assert trials.stands([float(k) for k in range(20, 0, -1)]) == stands


def test_a_game_ends_even_where_nothing_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.lab.playing._MOST_ROUNDS", 50)
    result = play("perceptron-separable", learner=Bare, bound=lambda **_numbers: math.inf, quick=True)
    assert max(outcome.rounds for outcome in result.outcomes) == 50
    assert result.refuted is None
