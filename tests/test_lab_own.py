"""Learners and bounds of one's own: right ones play as Thresher's do, wrong ones are refuted or told what to mend."""

from __future__ import annotations

import inspect
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.own_learners import written
from tests.plays import quick
from thresher.lab import EXPERIMENTS, play

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


def test_a_point_that_refutes_is_told_as_it_is_and_labels_with_their_signs() -> None:
    class Repeating:
        last = +1

        def predict(self, x: int) -> int:
            return self.last

        def learn(self, x: int, y: int) -> None:
            self.last = y

    refuted = play("consistent", learner=Repeating).refuted
    assert refuted is not None
    assert refuted.refuted is not None
    assert (refuted.refuted.example, refuted.refuted.said, refuted.refuted.truth) == ("1", "-1", "+1")


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
    assert result.skipped == ("tight fits: it looks at weights, and this learner shows none (self.weights)",)
    assert result.refuted is not None


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Callable[..., Any]]:
    """A class out of a file of its own, with these methods."""

    return lambda body: written(tmp_path, body)


LEARNS_NOTHING = "def learn(self, x, y):\n    pass\n"


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("return 0", r"mine.py:8: round 1: Mine.predict gave 0, expected −1 or \+1"),
        ("return 'spam'", "mine.py:8: round 1: Mine.predict gave 'spam'"),
        ("return None", "mine.py:8: round 1: Mine.predict gave None"),
        ("return [1, 1]", r"mine.py:8: round 1: Mine.predict gave \[1, 1\]"),
        ("self.asked = x\n    return 1", r"mine.py:8: round 1: Mine.predict changed self.asked: .* may be called self._asked"),
        ("return 1 + 0j", r"mine.py:8: round 1: Mine.predict gave \(1\+0j\), expected −1 or \+1"),
        ("return type('Odd', (), {'__eq__': lambda *_: 1 / 0})()", "mine.py:8: round 1: Mine.predict gave <"),
        ("return type('Odd', (), {'__repr__': lambda _: 1 / 0})()", "Mine.predict gave Odd, which cannot be printed, expected"),
        ("raise SystemExit", "mine.py:9: round 1: Mine.predict raised SystemExit$"),
        ("raise type('Odd', (BaseException,), {})(3)", "mine.py:9: round 1: Mine.predict raised Odd: 3"),
        ("raise type('Odd', (Exception,), {'__str__': lambda _: 1 / 0})", "mine.py:9: round 1: Mine.predict raised Odd$"),
        ("return random.choice([-1, 1])", r"mine.py:8: round \d: Mine.predict gave [-+]1, then [-+]1 in the same round"),
    ],
)
def test_what_predict_must_not_do(made: Callable[[str], Callable[..., Any]], body: str, match: str) -> None:
    random.seed(0)  # with which a coin falls otherwise when it is tossed again, before the first game is over
    with pytest.raises(th.LearnerError, match=match):
        play("perceptron-separable", learner=made(f"{LEARNS_NOTHING}def predict(self, x):\n    {body}"))


def test_what_predict_remembers_may_not_change_what_is_said(made: Callable[[str], Callable[..., Any]]) -> None:
    """It is asked three times a round, and says something else from the tenth question on: asked once, it would not yet."""
    body = "self._asked = getattr(self, '_asked', 0) + 1\n    return 1 if self._asked < 10 else -1"
    with pytest.raises(th.LearnerError, match=r"mine.py:8: round 4: Mine.predict gave -1, but \+1 when all was played again"):
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
        ("def predict(x):\n    return 1", r"mine.py:8: .* were given; the first parameter of a method is self$"),
        ("def predict(self, x):\n    return random.choice([])", r"mine.py:9: round 1: Mine.predict raised IndexError: Cannot"),
        ("def predict(self, x):\n    exit()", r"mine.py:9: round 1: Mine.predict raised SystemExit: None$"),
    ],
)
def test_what_goes_wrong_is_told_of_the_line_that_is_to_be_mended(
    made: Callable[[str], Callable[..., Any]], body: str, match: str
) -> None:
    """Not of a line of Python's library; and who leaves Python has not passed."""
    with pytest.raises(th.LearnerError, match=match):
        play("perceptron-separable", learner=made(LEARNS_NOTHING + body))


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("pass", "mine.py:5: found Mine without predict, expected one with predict and learn"),
        ("predict = 3", "mine.py:5: found Mine without predict"),
        ("def __init__(self, n, colour):\n    pass", "Mine asks for colour, but what it may ask for here is n, or nothing"),
        ("def __init__(self, *, colour):\n    pass", "Mine asks for colour, but what it may ask for here is n, or nothing"),
        ("def __init__(self):\n    raise SystemExit(0)", r"mine.py:7: Mine\(\) raised SystemExit: 0"),
        ("def __init__(self):\n    1 / 0", r"mine.py:7: Mine\(\) raised ZeroDivisionError: division by zero"),
    ],
)
def test_a_class_that_is_no_learner(made: Callable[[str], Callable[..., Any]], body: str, match: str) -> None:
    with pytest.raises(th.LearnerError, match=match):
        play("perceptron-separable", learner=made(body))


@pytest.mark.parametrize("weights", ["[0.5, 0.4]", "[1.5, -0.5]", "[1.0]", "'heavy'", "[float('nan'), 1.0]", "[10**400, 0]"])
def test_a_mixture_that_is_none(made: Callable[[str], Callable[..., Any]], weights: str) -> None:
    rule = made(f"weights = {weights}\ndef learn_losses(self, losses):\n    pass")
    with pytest.raises(
        th.LearnerError, match=r"round 1: Mine.weights gave .* expected 2 numbers of at least 0 that add up to 1"
    ):
        play("hedge-fixed", learner=rule)


def test_weights_that_are_no_row_of_numbers_are_not_looked_at(made: Callable[[str], Callable[..., Any]]) -> None:
    ragged = made(f"weights = [[1.0], [2.0, 3.0]]\n{LEARNS_NOTHING}def predict(self, x):\n    return 1")
    assert play("perceptron-separable", learner=ragged, quick=True).refuted is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_copy_of_the_process_that_a_learner_makes_does_not_play_on() -> None:
    """Two would come back from each call, and play on: only the one that called may."""
    code = "import os; from thresher.lab.own import guarded; guarded(os.fork, 'Mine.learn'); os.write(1, b'back ')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (run.stdout, run.returncode) == ("back ", 0)


# ------------------------------------------------------------------------------------------------ bounds of one's own


def test_a_bound_of_one_s_own_is_refuted_in_the_round_that_is_above_it() -> None:
    def half(margin: float, radius: float, norm: float) -> float:
        return (radius * norm / margin) ** 2 / 2

    result = play("perceptron-separable", bound=half)
    assert result.theorem.name == "half, in the place of Perceptron, separable"
    assert result.refuted is not None
    assert (result.refuted.attained, result.refuted.allowed, result.refuted.rounds) == (3, 2, 3)


@pytest.mark.parametrize(
    ("bound", "formula"),
    [
        (lambda margin: 1 / margin**2, "<lambda>(margin)"),
        (lambda norm, margin: (norm / margin) ** 2, "<lambda>(margin, norm)"),
        (lambda margin, factor=1.0: factor / margin**2, "<lambda>(margin)"),
        (lambda **numbers: (numbers["radius"] / numbers["margin"]) ** 2, "<lambda>(margin, radius, norm)"),
        (lambda: 16.0, "<lambda>()"),
    ],
)
def test_a_bound_of_one_s_own_is_given_what_it_declares(bound: Callable[..., Any], formula: str) -> None:
    result = play("perceptron-separable", bound=bound, quick=True)
    assert (result.refuted, result.worst.ratio, result.theorem.formula) == (None, 1.0, formula)


def test_a_bound_whose_parameters_nobody_knows_is_given_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(function: Callable[..., Any]) -> inspect.Signature:
        raise ValueError(f"no signature found for {function}")

    monkeypatch.setattr("thresher.lab.playing.inspect.signature", unknown)
    assert play("perceptron-separable", bound=lambda margin, radius, norm: 1 / margin**2, quick=True).worst.ratio == 1.0


def test_a_bound_of_one_s_own_that_is_true_stays() -> None:
    def twice(margin: float) -> th.bounds.Bound:
        return th.bounds.perceptron_separable(margin=margin / 2)

    assert play("perceptron-separable", bound=twice, quick=True).worst.ratio == 0.25


@pytest.mark.parametrize(
    ("bound", "match"),
    [
        (lambda margin, radius, norm: -1.0, "found -1.0 from <lambda>"),
        (lambda margin, radius, norm: None, "found None from"),
        (lambda margin, radius, norm: float("nan"), "found nan from"),
        (lambda margin: margin / 0, r"test_lab_own.py:\d+: <lambda>\(margin=0.5\) raised ZeroDivisionError"),
        (lambda gamma: 1.0, r"test_lab_own.py:\d+: <lambda> asks for gamma, but the theorem has margin, radius, norm$"),
        (lambda margin, *, beta: 1.0, r"<lambda> asks for beta, but the theorem has margin, radius, norm$"),
        (lambda margin, /: 1.0, r"test_lab_own.py:\d+: <lambda>\(margin=0.5\) raised TypeError"),
    ],
)
def test_a_bound_that_is_none(bound: Callable[..., Any], match: str) -> None:
    with pytest.raises(th.LearnerError, match=match):
        play("perceptron-separable", bound=bound)


def test_a_game_ends_even_where_nothing_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.lab.playing._MOST_ROUNDS", 50)
    result = play("perceptron-separable", learner=Bare, bound=lambda **_numbers: math.inf, quick=True)
    assert max(outcome.rounds for outcome in result.outcomes) == 50
    assert result.refuted is None
