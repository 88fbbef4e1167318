"""A portfolio is its definition, one round or many, and its lanes are the learners alone."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.portfolios import KITS, MASTERS, Follower, N, PlainPlatt, Single, alone, everything_of, lanes, noisy
from tests.strategies import Stream, streams
from thresher import _core
from thresher.compose import default_lanes
from thresher.compose.portfolio import definition

each_master = pytest.mark.parametrize("master", MASTERS)
each_kit = pytest.mark.parametrize("kit", KITS)


def portfolio(master: str = "AdaHedge", kit: str = "mixed", **keywords: Any) -> th.Portfolio:
    lanes = KITS[kit]()
    return th.Portfolio(N, lanes, MASTERS[master](len(lanes)), **keywords)


def test_lanes_are_where_they_fit() -> None:
    for kit, made in {kit: portfolio(kit=kit) for kit in KITS}.items():
        banked, called = (len(columns) for columns in made._lanes.columns())
        assert ((banked > 0), (called > 0)) == (kit != "called", kit != "banked")
        assert banked + called == len(KITS[kit]())
    given = [th.AROW(N, bias=2.0**200), th.Invariant(N, rate=2.0**-40), th.Perceptron(N, normalize=True), th.Winnow(N)]
    assert th.Portfolio(N, given)._lanes.columns() == ([], [0, 1, 2, 3])


@each_master
@each_kit
def test_it_is_its_definition(master: str, kit: str) -> None:
    X, y = noisy(300)
    rule, made = MASTERS[master](len(KITS[kit]())), portfolio(master, kit)

    def weigh(losses: list[float]) -> list[float]:
        rule.learn_losses(losses)
        return [float(weight) for weight in rule.weights]

    rounds = made.learn_many(X, y)
    for k, (p, vote) in enumerate(definition(alone(KITS[kit]()), zip(X, y.tolist(), strict=True), weigh)):
        assert rounds.p_positive is not None
        assert rounds.p_positive[k] == pytest.approx(p, abs=1e-12)
        assert rounds.predictions[k] == vote or abs(p - 0.5) < 1e-12
    assert rounds.mistakes == made.mistakes == np.count_nonzero(rounds.predictions != y)


@each_master
@each_kit
def test_the_master_is_bit_for_bit_the_rule_that_is_told_the_lanes_losses(master: str, kit: str) -> None:
    X, y = noisy(400, seed=3)
    X[:200], y[:200] = np.abs(X[:200]) + 1.0, +1  # rounds in which all lanes agree, and are right
    lanes, made = alone(KITS[kit]()), portfolio(master, kit)
    rule = MASTERS[master](len(lanes))
    wrong = np.array([[lane.learn(x, label).mistake for lane in lanes] for x, label in zip(X, y.tolist(), strict=True)])
    made.learn_many(X, y)
    assert (kit == "banked") != (np.count_nonzero((~wrong).all(axis=1)) > 100)  # with both constants one is always wrong
    rule.learn_losses_many(wrong.astype(np.float64))
    own, other = made.master.state(), rule.state()
    assert own[0] == other[0]
    assert {name: array.tobytes() for name, array in own[1].items()} == {name: a.tobytes() for name, a in other[1].items()}
    assert made.lane_mistakes.tolist() == wrong.sum(axis=0).tolist() == made.lane_losses.tolist()
    assert made.lane_weights.tolist() == rule.weights.tolist()
    assert made.regret == rule.regret


@each_master
@each_kit
@given(stream=streams(N), cost=st.sampled_from([1.0, 0.3, 7.0]))
def test_many_rounds_are_one_round_after_the_other(master: str, kit: str, stream: Stream, cost: float) -> None:
    many, one = portfolio(master, kit, cost_positive=cost), portfolio(master, kit, cost_positive=cost)
    weights = [min(weight, 2.0**140) for weight in stream.weights]  # times a cost of 7 they are within limits
    rounds = many.learn_many(stream.rows, stream.labels, weights)
    singles = [one.learn(x, y, w) for x, y, w in zip(stream.rows, stream.labels, weights, strict=True)]
    assert [rounds[k] for k in range(len(rounds))] == singles
    assert everything_of(many) == everything_of(one)
    assert rounds.lane_mistakes is not None
    told = [played.lane_mistakes for played in singles if played.lane_mistakes is not None]
    assert rounds.lane_mistakes.tolist() == sum(told, np.zeros(len(many.lanes), int)).tolist()
    if singles:
        assert (rounds.after, rounds.regret_bound) == (singles[-1].after, singles[-1].regret_bound)
        assert [played.before for played in singles[1:]] == [played.after for played in singles[:-1]]


@each_kit
def test_rounds_in_pieces_and_in_chunks_are_the_same(kit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(500)
    whole, pieces, chunks = (portfolio(kit=kit) for _ in range(3))
    rounds = whole.learn_many(X, y)
    for part in np.array_split(np.arange(500), 7):
        pieces.learn_many(X[part], y[part])
    monkeypatch.setattr("thresher.compose.portfolio._CHUNK", 64)
    chunked = chunks.learn_many(X, y)
    assert everything_of(whole) == everything_of(pieces) == everything_of(chunks)
    assert [chunked[k] for k in range(500)] == [rounds[k] for k in range(500)]
    for name in ("predict_many", "score_many", "p_positive_many", "calibrated_many"):
        asked = getattr(chunks, name)(X)
        monkeypatch.setattr("thresher.compose.portfolio._CHUNK", 4096)
        assert asked.tobytes() == getattr(whole, name)(X).tobytes()
        monkeypatch.setattr("thresher.compose.portfolio._CHUNK", 64)


@each_kit
@given(stream=streams(N))
def test_dense_sparse_and_mappings_are_the_same(kit: str, stream: Stream) -> None:
    dense, sparse, mapped = (portfolio(kit=kit) for _ in range(3))
    dense.learn_many(stream.rows, stream.labels, stream.weights)
    sparse.learn_many(sp.csr_array(stream.rows), stream.labels, stream.weights)
    for x, y, w in zip(stream.rows, stream.labels, stream.weights, strict=True):
        mapped.learn({i: value for i, value in enumerate(x.tolist()) if value}, y, w)
    assert everything_of(dense) == everything_of(sparse) == everything_of(mapped)


@each_master
@each_kit
def test_every_instruction_set_gives_the_same_bits(master: str, kit: str) -> None:
    X, y = noisy(300)
    weights = np.random.default_rng(0).choice([1.0, 1.0, 0.5, 3.0], 300)
    before, told = _core.instruction_set(), []
    try:
        for kernels in _core.instruction_sets():
            _core.use_instruction_set(kernels)
            made = portfolio(master, kit, cost_positive=2.0)
            made.learn_many(X, y, weights)
            told.append((everything_of(made), made.calibrated_many(X).tobytes()))
    finally:
        _core.use_instruction_set(before)
    assert all(each == told[0] for each in told)


@each_kit
def test_a_lane_is_the_learner_alone_and_the_learners_given_stay_as_they_are(kit: str) -> None:
    X, y = noisy(200)
    weights = np.linspace(0.0, 2.0, 200)
    given_lanes, used = KITS[kit](), th.AROW(N)
    used.learn_many(X[:50], np.where(y[:50] > 0, 1, 0))  # it has spelled its negative label 0
    made = th.Portfolio(N, [*given_lanes, used], cost_positive=3.0)
    before = [repr(lane.state()) for lane in given_lanes]
    made.learn_many(X, y, weights)
    assert [repr(lane.state()) for lane in given_lanes] == before
    assert used.rounds == 50
    costs = np.where(y > 0, 3.0, 1.0) * weights
    for i, lane in enumerate([*alone(given_lanes), used]):
        found = made.learner(i)
        if isinstance(lane, Single):
            for x, label, cost in zip(X, y.tolist(), costs.tolist(), strict=True):
                lane.learn(x, label, cost)
            assert (found.rule, found.rounds, found.mistakes) == (lane.rule, 200, made.lane_mistakes[i])
            assert found._state()[0]["weights"].tobytes() == lane.bank.weights(0).tobytes()
            assert found._state()[1].get("bias_weight", 0.0) == lane.bank.bias_weight(0)
            said = [lane.predict(x).score for x in X]
            assert found.score_many(X) == pytest.approx(said, rel=1e-3, abs=1e-4)
            continue
        lane.learn_many(X, np.where(y > 0, 1, 0) if lane is used else y, costs)
        assert repr(lane.state()[0]) == repr(found.state()[0])
        assert all(array.tobytes() == found.state()[1][name].tobytes() for name, array in lane.state()[1].items())


def test_a_lane_that_is_wrong_loses_the_weight_times_the_cost() -> None:
    X, y = noisy(200)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 4.0], 200)
    made = th.Portfolio(N, [th.Constant(N, +1), th.Constant(N, -1)], cost_positive=5.0)
    rounds = made.learn_many(X, y, weights)
    assert made.lane_losses.tolist() == [weights[y < 0].sum(), 5.0 * weights[y > 0].sum()]
    assert made.lane_mistakes.tolist() == [np.count_nonzero(y < 0), np.count_nonzero(y > 0)]
    assert made.best_lane == int(np.argmin(made.lane_losses))
    assert made.loss == pytest.approx(float((rounds.losses * weights * np.where(y > 0, 5.0, 1.0)).sum()))
    assert made.updates == 0


def test_rounds_without_weight_or_with_weight_one_cost_what_they_say() -> None:
    X, y = noisy(50)
    plain, ones = portfolio(), portfolio()
    plain.learn_many(X, y)
    ones.learn_many(X, y, np.ones(50))
    assert everything_of(plain) == everything_of(ones)


def test_a_tie_is_plus_and_a_vote_is_wrong_with_half_of_the_weight_at_least() -> None:
    made = th.Portfolio(1, [th.Constant(1, +1), th.Constant(1, -1)])
    assert made.predict([1.0]) == th.Prediction(+1, 0.0, 0.5)
    played = made.learn([1.0], -1)
    assert (played.mistake, played.loss) == (True, 0.5)


def test_a_lane_that_says_neither_is_wrong_for_both_labels() -> None:
    made = th.Portfolio(1, [th.Perceptron(1, tie="mistake"), th.Constant(1, -1)])
    assert made.predict([1.0]).p_positive == 0.0
    played = made.learn([0.0], -1)
    assert (played.prediction.label, played.loss) == (-1, 0.5)
    assert played.lane_mistakes is not None
    assert played.lane_mistakes.tolist() == [1, 0]


@each_kit
def test_the_score_and_the_calibration_are_those_of_the_blackboard(kit: str) -> None:
    X, y = noisy(200)
    weights = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 1.0, 30.0], 200)
    made, lanes = portfolio(kit=kit), alone(KITS[kit]())
    plain = PlainPlatt(len(lanes))
    for x, label, weight in zip(X, y.tolist(), weights.tolist(), strict=True):
        scores = [lane.predict(x).score for lane in lanes]
        z = plain.score(made.lane_weights.tolist(), scores)
        assert made.calibrated(x) == pytest.approx(plain.chance(z), rel=1e-9)
        played = made.learn(x, label, weight)
        assert played.prediction.score == pytest.approx(z, rel=1e-9, abs=1e-12)
        plain.learn(z, scores, label, weight)
        for lane in lanes:
            lane.learn(x, label, weight)
    assert made.log_loss == pytest.approx(plain.log_loss, rel=1e-9)
    assert made.log_loss < 0.6 * weights.sum()


@each_kit
def test_predicting_is_what_the_next_round_says_and_changes_nothing(kit: str) -> None:
    X, y = noisy(100)
    made = portfolio(kit=kit)
    made.learn_many(X, y)
    before = everything_of(made)
    said, belief = made.predict(X[0]), made.hypothesis()
    assert (said.label, said.score, said.p_positive) == (
        made.predict_many(X)[0], made.score_many(X)[0], made.p_positive_many(X)[0],
    )  # fmt: skip
    assert made.calibrated(X[0]) == made.calibrated_many(X)[0]
    assert everything_of(made) == before
    assert made.learn(X[0], y[0]).prediction == said
    made.learn_many(X, -y)
    assert belief.predict(X[0]) == said
    assert (belief.n, belief.rounds, belief.lanes) == (N, 100, made.lanes)
    assert not isinstance(belief, th.Learner)
    assert belief.calibrated(X[0]) == belief.calibrated_many(X)[0]
    assert (belief.predict_many(X)[0], belief.score_many(X)[0]) == (said.label, said.score)
    assert belief.p_positive_many(X)[0] == said.p_positive


@each_master
@each_kit
def test_copies_pickles_and_states_go_on_as_if_they_had_never_stopped(master: str, kit: str) -> None:
    X, y = noisy(300)
    weights = np.random.default_rng(0).choice([1.0, 2.0], 300)
    made = portfolio(master, kit, cost_positive=2.0)
    made.learn_many(X[:150], y[:150])
    twins = [copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made)), th.Portfolio.from_state(*made.state())]
    assert all(everything_of(twin) == everything_of(made) for twin in twins)
    rounds = made.learn_many(X[150:], y[150:], weights[150:])
    for twin in twins:
        again = twin.learn_many(X[150:], y[150:], weights[150:])
        assert everything_of(twin) == everything_of(made)
        assert (again.before, again.after, twin.rule) == (rounds.before, rounds.after, made.rule)
    assert made.rule != portfolio(master, kit).rule
    assert hash(made.rule) == hash(twins[0].rule)
    assert pickle.loads(pickle.dumps(made.rule)) == made.rule


def test_rounds_with_lanes_survive_pickling() -> None:
    X, y = noisy(30)
    made = portfolio()
    for value in (made.learn_many(X, y), made.learn(X[0], y[0])):
        again = pickle.loads(pickle.dumps(value))
        assert value.lane_mistakes is not None
        assert (again.regret_bound, again.lane_mistakes.tolist()) == (value.regret_bound, value.lane_mistakes.tolist())
        assert again.standing.__getstate__() == value.standing.__getstate__()
    single = made.learn_many(X, y)[3]
    assert (single.standing, single.lane_mistakes, single.regret_bound) == (None, None, None)
    assert th.Perceptron(N).learn_many(X, y).lane_mistakes is None


def test_a_learner_of_ones_own_is_a_lane() -> None:
    X, y = noisy(60)
    own, alone = Follower(), Follower()
    made = th.Portfolio(N, [th.AROW(N), own, th.Constant(N, -1)], cost_positive=3.0)
    rounds = made.learn_many(X[:40], y[:40], np.full(40, 2.0))
    singles = [made.learn(x, label) for x, label in zip(X[40:], y[40:], strict=True)]
    wrong = [alone.learn(x, label).mistake for x, label in zip(X, y, strict=True)]
    assert made.lanes == ("AROW(r=1.0)", "Follower", "Constant(label=-1)")
    assert own.seen[:40] == [(int(label), 6.0 if label > 0 else 2.0) for label in y[:40]]
    assert int(made.lane_mistakes[1]) == sum(wrong)
    assert len(rounds) == 40
    assert made.rounds == 60
    assert singles[-1].changed
    assert made.predict_many(X[:3]).tolist() == [made.predict(x).label for x in X[:3]]
    assert made.learner(1) is own
    assert made.fresh_learner(1) is None
    with pytest.raises(th.ParameterError, match="a learner of your own"):
        made.fresh()
    twin, belief = copy.copy(made), made.hypothesis()
    twin.learn_many(X, -y)
    assert own.rounds == 60
    assert belief.predict(X[0]) == made.predict(X[0])


def test_the_default_lanes_have_both_constants_and_biases_up_to_the_one_that_is_asked_for() -> None:
    made, biased = th.Portfolio(N), th.Portfolio(N, bias=2.0)
    assert {"Constant(label=-1)", "Constant(label=1)"} <= set(made.lanes) & set(biased.lanes)
    assert made.rule.bias is None
    assert biased.rule.bias == 2.0
    rules = [biased.learner(lane).rule for lane in range(len(biased.lanes))]
    biases = [rule.bias for rule in rules if rule.bias is not None]
    assert len(biases) == len(rules) - 2
    assert max(biases) == 2.0
    assert 0 < min(biases) < 0.1
    assert (made.rule.values, made.cost_positive, repr(made.master)) == ("any", 1.0, f"AdaHedge(n={len(made.lanes)})")
    assert "lanes over n = 5 under AdaHedge" in repr(made)
    with pytest.raises(th.ParameterError, match=r"found bias = 1\.0 beside learners"):
        th.Portfolio(N, lanes(), bias=1.0)


@pytest.mark.parametrize("bias", [None, 1.0])
def test_default_lanes_are_the_same_lanes_given_one_by_one(bias: float | None) -> None:
    X, y = noisy(100)
    made, given_one_by_one = th.Portfolio(N, bias=bias), th.Portfolio(N, default_lanes(N, bias))
    for each in (made, given_one_by_one):
        each.learn_many(X, y)
    assert made.lanes == given_one_by_one.lanes
    assert len(set(made.lanes)) == len(made.lanes)
    assert everything_of(made) == everything_of(given_one_by_one)


@each_kit
def test_a_fresh_portfolio_is_the_one_before_the_first_round(kit: str) -> None:
    made = portfolio("FixedShare", kit, cost_positive=2.0)
    lanes = [type(lane)(**lane._arguments()) for lane in KITS[kit]()]
    first = th.Portfolio(N, lanes, MASTERS["FixedShare"](len(lanes)), cost_positive=2.0)
    made.learn_many(*noisy(50))
    assert everything_of(made.fresh()) == everything_of(first)
    for i, lane in enumerate(lanes):
        assert repr(made.fresh_learner(i)) == repr(lane)
    other = made.fresh_learner(-1, 3)
    assert other is not None
    assert (type(other), other.n) == (type(lanes[-1]), 3)


@pytest.mark.parametrize("lane", [99, -99])
def test_a_lane_that_is_not_there_is_no_lane(lane: int) -> None:
    with pytest.raises(IndexError):
        portfolio().learner(lane)


@given(stream=streams(N), rounds=st.integers(0, 1))
def test_a_lane_as_a_learner_can_be_kept(stream: Stream, rounds: int) -> None:
    made = portfolio(kit="banked")
    if rounds:
        made.learn_many(stream.rows, stream.labels, stream.weights)
    for i in range(len(made.lanes)):
        lane = made.learner(i)
        assert repr(type(lane).from_state(*lane.state()).state()) == repr(lane.state())
        assert np.isfinite(lane.score_many(np.eye(N))).all()
    assert everything_of(th.Portfolio.from_state(*made.state())) == everything_of(made)


def test_collisions_are_counted_once() -> None:
    made = th.Portfolio(1, [th.Perceptron(1), th.AROW(1)])
    made.learn({"a", "b", "c"}, 1)
    assert made.collisions == 2


@pytest.mark.parametrize("kit", KITS)
@pytest.mark.parametrize("negative", [0, -1])
def test_a_lane_taken_out_goes_on_with_the_labels_of_the_stream(kit: str, negative: int) -> None:
    made = th.Portfolio(N, [lane for lane in KITS[kit]() if lane.rounds == 0])
    X, y = noisy(40)
    made.learn_many(X, np.where(y > 0, 1, negative))
    for lane in range(len(made.lanes)):
        assert made.learner(lane).learn(X[0], negative).label == -1
