"""One's own of other kinds than learners of two labels: forecasters, rules for losses, many classes, votes and portfolios."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.own_learners import written
from tests.plays import quick
from thresher.lab import EXPERIMENTS, play
from thresher.lab.experiment import Stream
from thresher.lab.own_kinds import OwnRule

# ------------------------------------------------------------------------------------------------ right and wrong ones


class Mean:
    """Never learns."""

    def __init__(self, n: int) -> None:
        self.w = [1 / n] * n

    def predict(self, forecasts: Sequence[float]) -> float:
        return sum(w * p for w, p in zip(self.w, forecasts, strict=True))

    def learn(self, forecasts: Sequence[float], outcome: int) -> None:
        pass


class Bayes(Mean):
    def learn(self, forecasts: Sequence[float], outcome: int) -> None:
        gave = [w * (p if outcome == 1 else 1 - p) for w, p in zip(self.w, forecasts, strict=True)]
        self.w = [each / sum(gave) for each in gave]


class Aggregating:
    """Vovk's substitution, for the squared loss and for the Brier score, which is twice that."""

    def __init__(self, n: int, loss: str) -> None:
        self.lost, self.times = np.zeros(n), 2.0 if loss == "brier" else 1.0

    def _mixed(self, x: Any, y: int) -> float:
        eta = 2 / self.times
        w = np.exp(-eta * (self.lost - self.lost.min()))
        return -math.log(float(w @ np.exp(-eta * self.times * (np.array(x) - y) ** 2) / w.sum())) / eta

    def predict(self, x: Any) -> float:
        return 0.5 + (self._mixed(x, 0) - self._mixed(x, 1)) / (2 * self.times)

    def learn(self, x: Any, y: int) -> None:
        self.lost = self.lost + self.times * (np.array(x) - y) ** 2


class Multiclass:
    sign = +1

    def __init__(self, n: int, classes: Sequence[str]) -> None:
        self.W = {name: np.zeros(n) for name in classes}

    def predict(self, x: Any) -> str:
        return max(self.W, key=lambda name: float(self.W[name] @ x))

    def learn(self, x: Any, y: str) -> None:
        said = self.predict(x)
        if said != y:
            self.W[y] = self.W[y] + self.sign * np.array(x)
            self.W[said] = self.W[said] - self.sign * np.array(x)


class Backwards(Multiclass):
    sign = -1


class Sleeping:
    def __init__(self, n: int, eta: float) -> None:
        self.weights, self.eta = np.full(n, 1 / n), eta

    def learn_losses(self, losses: Any) -> None:
        up, w = ~np.isnan(losses), self.weights.copy()
        w[up] *= np.exp(-self.eta * np.array(losses)[up])
        w[up] *= self.weights[up].sum() / w[up].sum()
        self.weights = w


class Dreaming(Sleeping):
    """Who sleeps gains on those who lose: their total is not kept."""

    def learn_losses(self, losses: Any) -> None:
        w = self.weights * np.exp(-self.eta * np.nan_to_num(losses))
        self.weights = w / w.sum()


class Voting:
    def __init__(self, n: int, learners: Sequence[Any]) -> None:
        self.lanes, self.rule = learners, th.AdaHedge(len(learners))

    def predict(self, x: Any) -> th.Prediction:
        says = [lane.predict(x).label == +1 for lane in self.lanes]
        p = min(1.0, sum(float(w) for w, yes in zip(self.rule.weights, says, strict=True) if yes))
        return th.Prediction(+1 if p >= 0.5 else -1, 0.0, p)

    def learn(self, x: Any, y: int) -> None:
        self.rule.learn_losses([float(lane.predict(x).label != y) for lane in self.lanes])
        for lane in self.lanes:
            lane.learn(x, y)


class Unmoved(Voting):
    """Its lanes learn, and their weights stay equal."""

    def learn(self, x: Any, y: int) -> None:
        for lane in self.lanes:
            lane.learn(x, y)


class Majority:
    def __init__(self, n: int, beta: float) -> None:
        self.w, self.beta = np.ones(n), beta

    def predict(self, x: Any) -> th.Prediction:
        p = float(self.w[np.array(x) > 0].sum() / self.w.sum())
        return th.Prediction(+1 if p >= 0.5 else -1, 0.0, p)

    def learn(self, x: Any, y: int) -> None:
        self.w = np.where(np.array(x) != y, self.beta * self.w, self.w)


class Minority(Majority):
    def predict(self, x: Any) -> th.Prediction:
        said = super().predict(x)
        return th.Prediction(-said.label, 0.0, said.p_positive)


@pytest.mark.parametrize(
    ("name", "right", "wrong", "stream"),
    [
        ("mixture-log", Bayes, Mean, "at random"),
        ("aggregating-squared", Aggregating, Mean, "half are wrong"),
        ("aggregating-brier", Aggregating, Mean, "half are wrong"),
        ("multiclass-perceptron", Multiclass, Backwards, "three classes"),
        ("sleeping", Sleeping, Dreaming, "a sleeper returns"),
        ("portfolio-loss", Voting, Unmoved, "separable, at random"),
        ("vote", Majority, Minority, "two constants"),
    ],
)
def test_a_right_one_passes_and_a_wrong_one_is_refuted(
    name: str, right: Callable[..., Any], wrong: Callable[..., Any], stream: str
) -> None:
    result, ours = play(name, learner=right, quick=True), quick(name)
    assert result.refuted is None
    ties = 1 if name == "vote" else 0  # a tie of weights is broken by how they are rounded
    expected = [game.attained for game in ours.outcomes]
    assert [game.attained for game in result.outcomes] == pytest.approx(expected, rel=1e-6, abs=ties)
    refuted = play(name, learner=wrong).refuted
    assert refuted is not None
    assert refuted.stream == stream
    assert refuted.attained > refuted.allowed


@pytest.mark.parametrize(
    "name",
    [
        "mixture-log", "aggregating-squared", "aggregating-brier", "multiclass-perceptron", "multiclass-perceptron-distance",
        "sleeping", "vote", "portfolio-mistakes",
    ],
)  # fmt: skip
def test_thresher_s_own_can_be_given_as_one_s_own(name: str) -> None:
    result, ours = play(name, learner=EXPERIMENTS[name].algorithm, quick=True), quick(name)
    assert [game.rounds for game in result.outcomes] == [game.rounds for game in ours.outcomes]
    for game, expected in zip(result.outcomes, ours.outcomes, strict=True):
        assert (game.attained, game.bound) == pytest.approx((expected.attained, expected.bound), rel=1e-12)


def test_a_portfolio_is_held_against_adahedge_s_regret_and_the_best_lane() -> None:
    game = play("portfolio-loss", learner=th.Portfolio, quick=True).of("never as it says")[0]
    assert game.size == 10
    assert game.bound == pytest.approx(5 + th.bounds.adahedge(5, rounds=10, n=3).value)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_theorem_plays_one_s_own_or_says_what_to_play_instead(name: str) -> None:
    experiment = EXPERIMENTS[name]
    if not experiment.alone:
        assert all(isinstance(stream, Stream) for stream in experiment.streams)
        return
    with pytest.raises(th.ParameterError, match=f"found a learner of one's own for {name}: it is about") as told:
        play(name, learner=Mean)
    found = re.search("play ([a-z-]+),", str(told.value))
    assert found is not None
    assert EXPERIMENTS[found[1]].alone == ""


def test_few_theorems_are_played_by_thresher_alone() -> None:
    assert [name for name, experiment in EXPERIMENTS.items() if experiment.alone] == [
        "realised-mistakes", "adahedge-run", "pac-sample", "online-to-batch", "online-to-batch-vote", "random-stop",
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------ what is to be mended

LEARN = "def learn(self, x, y):\n    self.t = getattr(self, 't', 0) + 1\n"
PREDICT = LEARN + "def predict(self, x):\n    return "
RULE = "def learn_losses(self, losses):\n    pass\n"
WEIGHTS = RULE + "@property\ndef weights(self):\n    "
CHANCE = r"gave 1, expected the weight that votes \+1, too: th.Prediction\(label, score, p_positive\)"


@pytest.mark.parametrize(
    ("name", "body", "match"),
    [
        ("mixture-log", PREDICT + "math.nan", r"mine.py:8: round 1: Mine.predict gave nan, expected a number from 0 to 1"),
        ("mixture-log", PREDICT + "1.5", "gave 1.5, expected a number from 0 to 1, the probability of outcome 1"),
        ("mixture-log", PREDICT + "list(x)", r"gave \[1.0, 0.0\], expected a number from 0 to 1"),
        ("mixture-log", PREDICT + "random.random()", r"gave 0\.\d+, then 0\.\d+ in the same round"),
        ("mixture-log", PREDICT + "vars(self).update(p=1) or 1", "mine.py:8: round 1: Mine.predict changed self.p: only learn"),
        ("mixture-log", RULE, "mine.py:5: found Mine without predict, expected one with predict and learn"),
        ("mixture-log", PREDICT.replace("x, y", "x") + "0.5", "mine.py:6: round 1: Mine.learn raised TypeError"),
        ("aggregating-squared", PREDICT + "math.inf", "gave inf, expected a finite number, the forecast"),
        ("aggregating-squared", PREDICT + "'0.5'", "gave '0.5', expected a finite number, the forecast"),
        ("aggregating-squared", PREDICT + "0.5 / (1 - getattr(self, 't', 0))", "mine.py:9: round 2: Mine.predict raised Zero"),
        ("aggregating-brier", PREDICT + "None", "gave None, expected a number from 0 to 1"),
        ("multiclass-perceptron", PREDICT + "'elm'", r"mine.py:8: .* gave 'elm', expected one of the classes 'ash', 'oak'"),
        ("multiclass-perceptron", PREDICT + "None", "gave None, expected one of the classes"),
        ("multiclass-perceptron", PREDICT + "+1", "gave 1, expected one of the classes"),
        ("multiclass-perceptron", PREDICT + "next(self._s)\n_s = iter(['ash', 'oak'] * 9)", "gave 'oak', then 'ash' in the"),
        ("vote", PREDICT + "+1", CHANCE),
        ("portfolio-loss", PREDICT + "+1", CHANCE),
        ("hedge", RULE, "mine.py:5: found Mine without weights"),
        ("hedge", RULE + "def weights(self):\n    pass", r"mine.py:8: .* is a method, expected numbers: write @property above"),
        ("hedge", WEIGHTS + "return 1 / 0", "mine.py:10: Mine.weights raised ZeroDivisionError"),
        ("hedge", WEIGHTS + "self.w = random.random(); return [0.5, 0.5]", r"mine.py:8: .* changed self.w: only learn_losses"),
        ("hedge", WEIGHTS + "p = random.random(); return [p, 1 - p]", r"mine.py:8: round 1: .* gave \(.*\), then \(.*\) in"),
    ],
)  # fmt: skip
def test_what_one_s_own_must_not_do(tmp_path: Path, name: str, body: str, match: str) -> None:
    mine = written(tmp_path, body)
    with pytest.raises(th.LearnerError, match=match):
        play(name, learner=mine)


def test_a_mixture_of_sleepers_is_none() -> None:
    class Sleepy:
        weights = (1.0, 0.0)

        def learn_losses(self, losses: Any) -> None:
            pass

    rule = OwnRule(Sleepy(), 2)
    assert rule.learn_losses((0.5, math.nan)).loss == 0.5
    with pytest.raises(th.LearnerError, match=r"round 2: Sleepy.weights gave \(1.0, 0.0\), nothing to any .* who are awake"):
        rule.learn_losses((math.nan, 0.5))


def test_what_a_rule_remembers_may_not_change_what_it_plays(tmp_path: Path) -> None:
    body = WEIGHTS + "self._t = getattr(self, '_t', 0) + 1\n    return [0.5, 0.5] if self._t < 8 else [0.6, 0.4]"
    with pytest.raises(
        th.LearnerError, match=r"mine.py:8: round \d: Mine.weights gave \(0.6, 0.4\), but \(0.5, 0.5\) when all"
    ):
        play("hedge-horizon", learner=written(tmp_path, body))


def test_weights_that_are_no_numbers_are_told_before_an_adversary_looks_at_them(tmp_path: Path) -> None:
    body = PREDICT + "+1\n@property\ndef weights(self):\n    return [math.nan] * 4"
    with pytest.raises(th.LearnerError, match=r"mine.py:10: round 1: Mine.weights are .*, expected finite numbers"):
        play("winnow-disjunction", learner=written(tmp_path, body))


@pytest.mark.parametrize("weight", [0.0, -1.0])
def test_winnow_s_adversaries_play_against_weights_that_are_not_above_0(weight: float) -> None:
    class Flat:
        def __init__(self, n: int) -> None:
            self.weights = [weight] * n

        def predict(self, x: Any) -> int:
            return +1

        def learn(self, x: Any, y: int) -> None:
            pass

    for name in ("winnow-disjunction", "winnow-agnostic", "winnow-threshold"):
        assert play(name, learner=Flat).refuted is not None


def test_what_is_given_may_be_changed() -> None:
    class Eating:
        def __init__(self, concepts: list[list[int]]) -> None:
            self.left = concepts

        def predict(self, x: int) -> int:
            return +1 if 2 * sum(concept[x] for concept in self.left) >= len(self.left) else -1

        def learn(self, x: int, y: int) -> None:
            self.left[:] = [concept for concept in self.left if 2 * concept[x] - 1 == y]

    assert play("halving", learner=Eating, quick=True).refuted is None


@pytest.mark.parametrize("catches", ["pass", "time.sleep(0.01)"])
def test_a_call_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, catches: str) -> None:
    monkeypatch.setattr("thresher.lab.own._SECONDS", 0.2)
    body = (
        "def predict(self, x):\n    import time\n    while True:\n        try:\n"
        f"            {catches}\n        except Exception:\n            pass\ndef learn(self, x, y):\n    pass"
    )
    with pytest.raises(
        th.LearnerError, match=r"mine.py:\d+: round 1: Mine.predict was stopped here after 0.2 seconds: does it loop"
    ):
        play("perceptron-separable", learner=written(tmp_path, body))


def test_an_import_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.lab.files._SECONDS", 0.2)
    with pytest.raises(th.LearnerError, match=r"mine.py:\d: its import was stopped here after 0.2 seconds: does it loop?"):
        written(tmp_path, "while True:\n    pass")
