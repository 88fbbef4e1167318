"""What a portfolio refuses, and what a refusal leaves: everything as it was, or as after the row before."""

from __future__ import annotations

import copy
import math
import pickle
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.portfolios import KITS, Follower, N, everything_of, lanes, noisy
from thresher import examples
from thresher.busy import Busy
from thresher.compose.banked import Banked


def taught(rows: int = 40) -> th.Portfolio:
    made = th.Portfolio(N, lanes())
    made.learn_many(*noisy(rows))
    return made


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (list, "found no learners"),
        (lambda: [th.Perceptron(N), th.AROW(3)], r"found n = 3 in lane 1 \(AROW.*and n = 5 in lane 0 \(Perceptron"),
        (lambda: [th.AROW(3)], r"found n = 3 in lane 0 .*n = 5 in the portfolio"),
        (lambda: [th.Perceptron], "as lane 0, expected a learner"),
        (lambda: [th.Perceptron(N), "a learner"], "found 'a learner' as lane 1"),
        (lambda: 7, "found learners = 7"),
        (lambda: "learners", "found learners = 'learners'"),
    ],
)
def test_lanes_that_cannot_be_are_refused(given: Any, words: str) -> None:
    with pytest.raises(th.ParameterError, match=words):
        th.Portfolio(N, given())


@pytest.mark.parametrize("bias", [0, math.nan, math.inf, "much", [1.0]])
def test_a_bias_that_cannot_be_is_refused(bias: Any) -> None:
    with pytest.raises(th.ParameterError, match="bias"):
        th.Portfolio(N, bias=bias)


@pytest.mark.parametrize("n", [0, -1, 2**48 + 1, 2.5, "3", None, True])
def test_a_number_of_attributes_that_is_none_is_refused(n: Any) -> None:
    with pytest.raises(th.ParameterError, match="found n = "):
        th.Portfolio(n)


def test_one_learner_of_ones_own_is_not_two_lanes() -> None:
    own = Follower()
    with pytest.raises(th.ParameterError, match="twice"):
        th.Portfolio(N, [own, th.AROW(N), own])


def test_a_learner_of_ones_own_that_refuses_to_predict_a_row_is_told_with_it() -> None:
    own = Follower()
    own.refuses = 7.0
    made, X = th.Portfolio(N, [th.AROW(N), own]), np.ones((4, N))
    X[2, 0] = 7.0
    for ask in (made.predict_many, made.score_many, made.p_positive_many):
        with pytest.raises(th.ExampleError, match="row 2: found what it does not like") as refused:
            ask(X)
        assert refused.value.row == 2


def used_master() -> th.AdaHedge:
    rule = th.AdaHedge(1)
    rule.learn_losses([0.5])
    return rule


@pytest.mark.parametrize(
    ("master", "words"),
    [
        (lambda: th.AdaHedge(3), "found a master over n = 3 experts, expected one for each of 1 lanes"),
        (used_master, "has played 1 rounds"),
        (lambda: th.AdaHedge, "expected None or a fresh rule"),
        (lambda: "adahedge", "expected None or a fresh rule"),
    ],
)
def test_masters_that_cannot_be_are_refused(master: Any, words: str) -> None:
    with pytest.raises(th.ParameterError, match=words):
        th.Portfolio(N, [th.AROW(N)], master())


@pytest.mark.parametrize("cost", [0.0, -1.0, math.nan, math.inf, 1e40, "much", None])
def test_a_cost_that_cannot_be_is_refused(cost: Any) -> None:
    with pytest.raises(th.ParameterError, match="cost_positive"):
        th.Portfolio(N, cost_positive=cost)


BAD: dict[str, Callable[[Any, Any, Any], None]] = {
    "nan": lambda X, _y, _w: X.__setitem__((7, 2), math.nan),
    "infinite": lambda X, _y, _w: X.__setitem__((7, 2), math.inf),
    "zero vector": lambda X, _y, _w: X.__setitem__(7, 0.0),
    "label": lambda _X, y, _w: y.__setitem__(7, 3),
    "mixed labels": lambda _X, y, _w: y.__setitem__(7, 0),
    "weight": lambda _X, _y, w: w.__setitem__(7, -1.0),
    "cost": lambda _X, _y, w: w.__setitem__(7, 2.0**150),
}


BANKED: list[Any] = [th.Perceptron(N), th.AROW(N), th.ScaledWinnow(N), th.Constant(N, 1)]
NORMAL: list[Any] = [th.Perceptron(N, normalize=True), th.PNormPerceptron(N)]
PLAYED: dict[str, list[Any]] = {"banked": BANKED, "called": NORMAL, "mixed": [*BANKED[:2], *NORMAL, *BANKED[2:]]}


@pytest.mark.parametrize(
    ("kit", "bad"), [(kit, bad) for kit in PLAYED for bad in BAD if (kit, bad) != ("banked", "zero vector")]
)
@pytest.mark.parametrize("chunk", [1, 3, 4096])
@pytest.mark.parametrize("own", [False, True])
def test_at_a_bad_row_everything_is_as_after_the_row_before(
    kit: str, bad: str, chunk: int, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thresher.compose.portfolio._CHUNK", chunk)
    given = PLAYED[kit]
    X, y = noisy(12)
    y[:7], y[7] = np.where(np.arange(7) % 2, 1, -1), 1
    weights = np.ones(12)
    good = th.Portfolio(N, [*given, *([Follower()] if own else [])], cost_positive=2.0)
    first = good.learn_many(X[:7], y[:7])
    BAD[bad](X, y, weights)
    made = th.Portfolio(N, [*given, *([Follower()] if own else [])], cost_positive=2.0)
    with pytest.raises(th.ExampleError) as caught:
        made.learn_many(X, y, weights)
    error = caught.value
    assert (error.row, len(error.rounds or ()), str(error)[:7]) == (7, 7, "row 7: ")
    assert isinstance(error, th.LabelError) == ("label" in bad)
    assert isinstance(error.rounds, th.Rounds)
    assert error.rounds.after == first.after
    assert made.rounds == 7
    assert made.lane_losses.tolist() == good.lane_losses.tolist()
    if not own:
        assert everything_of(made) == everything_of(good)
    with pytest.raises(type(error)) as single:
        made.learn(X[7], y[7], weights[7])
    assert "row" not in str(single.value)
    assert single.value.row is None
    assert made.rounds == 7
    made.learn(X[8], y[8])


def test_what_one_lane_refuses_no_lane_learns() -> None:
    given = [th.Perceptron(N), th.Winnow(N), th.AROW(N)]
    X, y = np.abs(noisy(10)[0]) % 1.0, noisy(10)[1]
    good, made = th.Portfolio(N, given), th.Portfolio(N, given)
    good.learn_many(X[:4], y[:4])
    X[4, 1] = 2.0
    with pytest.raises(th.ExampleError, match=r"row 4: column 1: found 2.*expected") as caught:
        made.learn_many(X, y)
    assert (caught.value.row, caught.value.column) == (4, 1)
    assert everything_of(made) == everything_of(good)
    with pytest.raises(th.ExampleError, match=r"^column 1: found 2"):
        made.predict(X[4])
    with pytest.raises(th.ExampleError, match=r"^row 4: column 1: found 2"):
        made.predict_many(X)


def test_constants_alone_refuse_what_is_no_example() -> None:
    made = th.Portfolio(2, [th.Constant(2, 1)])
    with pytest.raises(th.ExampleError, match="column 1"):
        made.learn_many([[1.0, 2.0], [1.0, np.nan]], [1, -1])
    assert made.rounds == 1
    with pytest.raises(th.ExampleError, match="column 1"):
        made.predict([1.0, np.nan])


@pytest.mark.parametrize("weight", ["heavy", None, [1.0], 1j, np.array([1.0])])
def test_a_weight_that_is_no_number_is_refused(weight: Any) -> None:
    made = taught()
    with pytest.raises(th.ExampleError, match="weight"):
        made.learn(np.ones(N), 1, weight)
    assert made.rounds == 40


def test_shapes_that_do_not_fit_are_refused() -> None:
    made = taught()
    X, y = noisy(3)
    for wrong in (X[:, :4], X[0], "rows"):
        with pytest.raises(th.ExampleError):
            made.learn_many(wrong, y)
    with pytest.raises(th.LabelError, match="found 2 labels"):
        made.learn_many(X, y[:2])
    with pytest.raises(th.ExampleError, match="weights"):
        made.learn_many(X, y, np.ones(2))
    with pytest.raises(th.ParameterError, match="found examples of 2 attributes, expected 5"):
        made.learn_many(examples.block(np.ones((3, 2)), 2), y)
    with pytest.raises(th.ParameterError, match="found examples of 2 attributes, expected 5"):
        made.predict_many(examples.block(np.ones((3, 2)), 2))
    assert everything_of(made) == everything_of(taught())


def test_no_rounds_are_no_rounds() -> None:
    made = taught()
    rounds = made.learn_many(np.empty((0, N)), [])
    assert (len(rounds), rounds.mistakes, everything_of(made)) == (0, 0, everything_of(taught()))
    assert made.predict_many(np.empty((0, N))).shape == (0,)


# ---- learners of one's own ------------------------------------------------------------------------------------------


def test_a_lane_that_breaks_while_it_learns_is_named_and_ends_the_portfolio() -> None:
    own = Follower()
    own.breaks_at = 4
    made = th.Portfolio(N, [th.AROW(N), own])
    X, y = noisy(10)
    with pytest.raises(th.LaneError, match=r"lane 1 \(Follower\) broke while it learned: ZeroDivisionError: no more") as caught:
        made.learn_many(X, y)
    assert (caught.value.lane, type(caught.value.__cause__)) == (1, ZeroDivisionError)
    assert made.rounds == 3
    uses: list[Callable[[], object]] = [
        lambda: made.learn(X[0], y[0]), lambda: made.learn_many(X, y), lambda: made.predict(X[0]),
        lambda: made.predict_many(X), lambda: made.calibrated(X[0]), made.hypothesis, made.state, lambda: copy.copy(made),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(th.LaneError) as again:
            use()
        assert again.value is caught.value
    told = pickle.loads(pickle.dumps(caught.value))
    assert (str(told), told.lane) == (str(caught.value), 1)


def test_a_lane_that_cannot_predict_breaks_what_learns_and_not_what_asks() -> None:
    class Moody(Follower):
        mood = "good"

        def predict(self, x: Any) -> Any:
            if self.mood == "bad":
                raise KeyError("mood")
            return super().predict(x) if self.mood == "good" else "plus"

    X, y = noisy(3)
    for mood, words in (("bad", "KeyError"), ("odd", "found 'plus', expected a Prediction")):
        own = Moody()
        made = th.Portfolio(N, [own, th.AROW(N)])
        own.mood = mood
        with pytest.raises(th.LaneError, match=rf"lane 0 \(Moody\) broke while it predicted: {words}"):
            made.predict(X[0])
        own.mood = "good"
        made.learn_many(X, y)
        assert (made.rounds, own.rounds) == (3, 3)
        own.mood = mood
        with pytest.raises(th.LaneError, match=rf"lane 0 \(Moody\) broke while it predicted: {words}"):
            made.learn(X[0], y[0])
        own.mood = "good"
        with pytest.raises(th.LaneError, match=words):
            made.learn(X[0], y[0])
        assert (made.rounds, own.rounds) == (3, 3)


def test_an_example_that_a_lane_of_ones_own_refuses_is_refused() -> None:
    own = Follower()
    own.refuses = 7.0
    made = th.Portfolio(N, [own, th.AROW(N)])
    X, y = noisy(6)
    X[4, 0] = 7.0
    with pytest.raises(th.ExampleError, match=r"^row 4: found what it does not like") as caught:
        made.learn_many(X, y)
    assert caught.value.rounds is not None
    assert (caught.value.row, len(caught.value.rounds), made.rounds, own.rounds) == (4, 4, 4, 4)
    made.learn(X[5], y[5])


def test_a_lane_whose_round_is_none_breaks() -> None:
    class Silent(Follower):
        def learn(self, x: Any, y: Any, weight: float = 1.0) -> Any:
            super().learn(x, y, weight)

    made = th.Portfolio(N, [Silent()])
    with pytest.raises(th.LaneError, match="found None, expected a Round"):
        made.learn(np.ones(N), 1)
    assert made.rounds == 0


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 1e308])
def test_whatever_score_a_lane_gives_the_portfolio_has_a_number(score: float) -> None:
    class Loud(Follower):
        def predict(self, _x: Any) -> th.Prediction:
            return th.Prediction(self.last, score)

    made = th.Portfolio(N, [Loud(), th.AROW(N)])
    X, y = noisy(30)
    rounds = made.learn_many(X, y)
    assert np.isfinite(rounds.scores).all()
    assert math.isfinite(made.log_loss)
    assert 0.0 < made.calibrated(X[0]) < 1.0


def test_nobody_can_keep_a_learner_of_ones_own() -> None:
    with pytest.raises(th.ParameterError, match=r"found lane 1 \(Follower\)"):
        th.Portfolio(N, [th.AROW(N), Follower()]).state()


def test_a_lane_that_cannot_be_copied_says_so() -> None:
    own = Follower()
    vars(own)["lock"] = threading.Lock()
    with pytest.raises(th.ParameterError, match=r"lane 0 \(Follower\) cannot be copied"):
        copy.copy(th.Portfolio(N, [own]))


def test_a_portfolio_in_use_is_refused_to_others() -> None:
    class Meddler(Follower):
        made: th.Portfolio

        def learn(self, x: Any, y: Any, weight: float = 1.0) -> th.Round:
            for use in (lambda: self.made.predict(x), lambda: self.made.learn(x, y), self.made.state):
                with pytest.raises(th.ConcurrentUse):
                    use()
            return super().learn(x, y, weight)

    own = Meddler()
    own.made = th.Portfolio(N, [own])
    own.made.learn(np.ones(N), 1)
    assert own.made.rounds == 1


def test_readers_share_and_a_writer_waits_for_nobody() -> None:
    busy = Busy()
    with busy.reading(), busy.reading(), pytest.raises(th.ConcurrentUse, match="in use"), busy.writing():
        pass
    with busy.writing(), pytest.raises(th.ConcurrentUse, match="in use"), busy.writing():
        pass
    with busy.writing():
        pass


# ---- streams that are all of a kind -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kit", KITS)
@pytest.mark.parametrize("label", [-1, 1])
@pytest.mark.parametrize("scale", [2.0**-200, 1.0, 2.0**200])
def test_one_class_constant_features_and_any_scale_are_defined(kit: str, label: int, scale: float) -> None:
    made = th.Portfolio(N, KITS[kit]())
    X = np.full((3000, N), scale)
    made.learn_many(X, np.full(3000, label))
    assert made.mistakes <= 3
    assert made.predict(X[0]).label == label
    chance = made.calibrated(X[0])
    assert 0.0 < chance < 1.0
    assert (chance > 0.99) == (label > 0)
    assert made.log_loss < 30.0
    assert math.isfinite(made.score_many(X).sum())


@pytest.mark.parametrize("kit", KITS)
def test_heavy_weights_leave_a_calibration(kit: str) -> None:
    X, y = noisy(200)
    made = th.Portfolio(N, KITS[kit]())
    made.learn_many(X, y, np.random.default_rng(0).choice([2.0**149, 1.0, 2.0**-200], 200))
    assert all(0.0 < chance < 1.0 for chance in made.calibrated_many(X))
    assert math.isfinite(made.log_loss)
    assert th.Portfolio.from_state(*made.state()).rounds == 200


@pytest.mark.parametrize("kit", KITS)
def test_an_interrupt_waits_until_lanes_and_vote_are_in_step(kit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(40)
    made, other = th.Portfolio(N, KITS[kit]()), th.Portfolio(N, KITS[kit]())
    other.learn_many(X, y)
    whole = Banked.learn_block

    def interrupted(self: Banked, *given: Any, **more: Any) -> Any:
        played = whole(self, *given, **more)
        signal.raise_signal(signal.SIGINT)
        return played

    monkeypatch.setattr(Banked, "learn_block", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made.learn_many(X, y)
    monkeypatch.undo()
    assert everything_of(made) == everything_of(other)
    made.learn_many(X, y)
    assert made.rounds == 80


def test_a_lane_that_makes_a_prediction_of_no_label_is_at_fault() -> None:
    class Odd(Follower):
        def predict(self, x: Any) -> th.Prediction:
            return th.Prediction(5, 1.0)

    with pytest.raises(th.LaneError, match=r"lane 0 \(Odd\) broke while it predicted: LabelError") as caught:
        th.Portfolio(N, [Odd()]).learn([1.0] * N, +1)
    assert caught.value.lane == 0


def test_a_lane_that_spoils_the_example_breaks_the_portfolio() -> None:
    class Spoiling(Follower):
        def learn(self, x: Any, y: Any, weight: float = 1.0) -> th.Round:
            made = super().learn(x, y, weight)
            x[0] = math.nan
            return made

    made = th.Portfolio(N, [th.AROW(N), Spoiling()])
    with pytest.raises(th.LaneError, match="has changed an example"):
        made.learn_many(np.ones((3, N)), [+1, -1, +1])
    assert made.rounds == 0
    with pytest.raises(th.LaneError, match="has changed an example"):
        made.predict([1.0] * N)
