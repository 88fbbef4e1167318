"""Forecaster: against its definitions, never above what is proven, bit for bit many = one by one."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.forecasts import MAKERS, Array, Stream, everything, losses_of, streams
from thresher.experts import fixed_share, hedge
from thresher.experts.forecaster import definition, definition_brier, definition_log, definition_range

each_kind = pytest.mark.parametrize("name", MAKERS)


def defined(name: str, stream: Stream) -> list[Any]:
    """The forecasts of the blackboard."""
    rounds: list[Any] = list(zip(stream.given.tolist(), stream.outcomes.tolist(), strict=True))
    if name == "range":
        return list(definition_range(rounds, -1.0, 9.0))
    if not name.startswith(("log", "brier")):
        loss: Any = name.split(",", maxsplit=1)[0]
        return list(definition(rounds, loss, "expert" if "expert" in name else "mixture"))
    by = definition_log if name.startswith("log") else definition_brier
    if "outcomes" in name:
        return list(by([(x, int(y)) for x, y in rounds]))
    return [p for _, p in by([([[1 - each, each] for each in x], int(y)) for x, y in rounds])]


@each_kind
@given(data=st.data())
def test_a_forecaster_is_its_definition(name: str, data: st.DataObject) -> None:
    stream = data.draw(streams(name))
    forecaster = MAKERS[name]()
    expected = defined(name, stream)
    for x, y, said in zip(stream.given, stream.outcomes, expected, strict=True):
        assert np.allclose(forecaster.predict(x), said, rtol=1e-9, atol=1e-9)
        played = forecaster.learn(x, y)
        assert np.allclose(np.asarray(played.forecast), said, rtol=1e-9, atol=1e-9)
        assert math.isclose(played.loss, losses_of(name, np.array([said]), np.array([y]))[0], rel_tol=1e-7, abs_tol=1e-9)
    lost = losses_of(name, stream.given, stream.outcomes)
    if len(lost):
        assert np.allclose(forecaster.losses, lost.sum(axis=0))
        assert math.isclose(forecaster.regret, forecaster.loss - lost.sum(axis=0).min(), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("rule", "by"),
    [
        (th.Hedge, hedge.definition),
        (lambda n: th.Hedge(n, eta=0.3), lambda n, rounds: hedge.definition(n, rounds, 0.3)),
        (lambda n: th.FixedShare(n, eta=0.2, alpha=0.1), lambda n, rounds: fixed_share.definition(n, rounds, 0.2, 0.1)),
    ],
)
@given(stream=streams("squared"))
def test_a_rule_of_ones_own_is_followed(rule: Callable[[int], Any], by: Any, stream: Stream) -> None:
    rounds = list(zip(stream.given.tolist(), stream.outcomes.tolist(), strict=True))
    for against in ("mixture", "expert"):
        fresh = rule(stream.given.shape[1])
        forecaster = th.Forecaster(fresh, against=against)
        said = [forecaster.learn(x, y).forecast for x, y in rounds]
        assert np.allclose(np.array(said, dtype=float), list(definition(rounds, "squared", against, by)), rtol=1e-8)
        assert forecaster.rule is not None
        assert (type(forecaster.rule), forecaster.rule.rounds, fresh.rounds) == (type(fresh), len(rounds), 0)
        assert np.array_equal(forecaster.rule.weights, forecaster.weights)


@each_kind
@given(data=st.data())
def test_many_is_one_by_one_and_stopping_is_going_on(name: str, data: st.DataObject) -> None:
    stream = data.draw(streams(name, asleep=True))
    one, many, narrow = MAKERS[name](), MAKERS[name](), MAKERS[name]()
    played = [one.learn(x, y) for x, y in zip(stream.given, stream.outcomes, strict=True)]
    stop = data.draw(st.integers(0, len(played)))
    first = many.learn_many(stream.given[:stop], stream.outcomes[:stop])
    stopped = [copy.copy(many), copy.deepcopy(many), pickle.loads(pickle.dumps(many)), type(many).from_state(*many.state())]
    for going_on in [many, *stopped]:
        rounds = going_on.learn_many(stream.given[stop:], stream.outcomes[stop:])
        assert everything(going_on) == everything(one)
        assert first.origin is not None
        assert rounds.origin is not None
        assert (rounds.first, len(rounds)) == (stop + 1, len(played) - stop)
        assert rounds.origin.before == first.origin.after
        for each, t in [(first, 0), (rounds, stop)]:
            assert each.forecasts is not None
            for k in range(len(each)):
                assert np.array_equal(np.asarray(played[t + k].forecast), each.forecasts[k])
                assert played[t + k].loss == each.loss[k]
                assert np.array_equal(played[t + k].losses, each.losses[k], equal_nan=True)
    exact = stream.outcomes.astype(np.float32).astype(np.float64)
    wide = MAKERS[name]()
    a, b = narrow.learn_many(stream.given.astype(np.float32), exact), wide.learn_many(stream.given, exact)
    assert everything(narrow) == everything(wide)  # float32 holds all of the forecasts
    assert a.given is not None
    assert a.given.dtype == np.float32
    assert a.loss.tolist() == b.loss.tolist()


def test_a_round_says_all_that_happened() -> None:
    forecaster = th.Forecaster()
    x = np.array([1.0, 3.0])
    played = forecaster.learn(x, 1.5)
    assert (played.t, played.forecast, played.outcome, played.loss) == (1, 2.0, 1.5, 0.25)
    assert (played.losses.tolist(), played.mixture.tolist()) == ([0.25, 2.25], [0.5, 0.5])
    assert played.given is not None
    assert played.given.tolist() == [1.0, 3.0]
    assert played.origin is not None
    assert (played.origin.rule, played.origin.before.rounds, played.origin.after.rounds) == ("Forecaster", 0, 1)
    assert played.origin.arguments == {"rule": None, "loss": "squared", "range": None, "against": "mixture"}
    table = np.array([[1.0, 3.0], [2.0, 0.0]])
    rounds = forecaster.learn_many(table, [1.0, 2.0])
    assert rounds.given is not None
    assert np.shares_memory(rounds.given, table)
    assert rounds.origin is not None
    assert rounds.origin.before == played.origin.after
    assert rounds.origin.after.loss + rounds.origin.after.rest == forecaster.loss
    by_rule = th.Forecaster(th.Hedge(2, eta=0.5), loss="absolute", against="expert").learn(x, 1.5).origin
    assert by_rule is not None
    assert by_rule.arguments["rule"] == {"rule": "Hedge", "arguments": {"n": 2, "eta": 0.5, "horizon": None}}


@pytest.mark.parametrize("make", [lambda: th.Hedge(2), lambda: th.AdaHedge(2), lambda: th.FixedShare(2)])
def test_rounds_of_a_rule_for_losses_know_their_origin(make: Callable[[], Any]) -> None:
    rule = make()
    one = rule.learn_losses([0.5, 1.0])
    many = rule.learn_losses_many([[0.5, 1.0], [0.0, 1.0]])
    assert one.origin.rule == type(rule).__name__
    assert one.origin.arguments == rule.state()[0]["arguments"]
    assert one.origin.before.rounds == 0
    assert many.origin.before == one.origin.after
    assert many.origin.after._asdict() == rule.state()[0]["heads"]
    assert (many.forecasts, many.outcomes, many.given, one.forecast, one.outcome, one.given) == (None,) * 6


# ---- what is proven -------------------------------------------------------------------------------------------------


def best_mixture(given: Array, outcomes: Array) -> float:
    """The least squared loss of a fixed mixture, by Frank and Wolfe's steps with exact line search: never below the truth."""
    off = given - outcomes[:, np.newaxis]
    gram = off.T @ off
    u = np.full(len(gram), 1 / len(gram))
    for _ in range(200):
        slope = gram @ u
        towards = -u
        towards[slope.argmin()] += 1.0
        curve = towards @ gram @ towards
        if curve <= 0.0:
            break
        u = u + towards * min(1.0, max(0.0, -(slope @ towards) / curve))
    return float(u @ gram @ u)


def rivals(forecaster: th.Forecaster, name: str, given: Array, outcomes: Array, rng: np.random.Generator) -> Iterator[float]:
    """What those lost that the forecaster is proven to be close to."""
    yield losses_of(name, given, outcomes).sum(axis=0).min()
    if forecaster.against == "mixture":
        for u in rng.dirichlet(np.full(given.shape[1], 0.5), 10):
            yield float(losses_of(name, given @ u, outcomes).sum())
        if name == "squared":
            yield best_mixture(given, outcomes)


def check_proven(forecaster: th.Forecaster, name: str, given: Array, outcomes: Array, rng: np.random.Generator) -> float:
    """The largest part of what is proven that the regret reaches."""
    assert forecaster.proven is not None
    regrets = [forecaster.loss - lost for lost in rivals(forecaster, name, given, outcomes, rng)]
    assert math.isclose(forecaster.regret, regrets[0], rel_tol=1e-6, abs_tol=1e-9 * forecaster.loss)
    rounding = 1e-12 * forecaster.loss
    assert all(forecaster.proven.allows(regret - rounding) for regret in regrets)
    assert max(regrets) <= forecaster.proven.value * (1 + 1e-9) + rounding + 1e-12
    return max(regrets) / forecaster.proven.value if forecaster.proven.value > 0 else 0.0


def made(name: str, scale: float) -> th.Forecaster:
    return th.Forecaster(range=(-scale, 2 * scale)) if name == "range" else MAKERS[name]()


def drawn(name: str, scale: float, T: int, n: int, rng: np.random.Generator) -> Stream:
    if name.startswith(("log", "brier")):
        if "outcomes" in name:
            given = rng.dirichlet(np.full(4, 0.3), (T, n))
            return Stream(given, rng.integers(0, 4, T).astype(np.float64))
        return Stream(rng.beta(0.3, 0.3, (T, n)), rng.integers(0, 2, T).astype(np.float64))
    outcomes = rng.choice([rng.random(T), (rng.random(T) < 0.5).astype(np.float64), 0.5 + 0.4 * np.sin(np.arange(T) / 5)])
    noise = rng.choice([0.05, 0.3], n) * rng.standard_normal((T, n)) + rng.choice([0.0, 0.3], n)
    given = np.clip(outcomes[:, np.newaxis] + noise, -1.0, 2.0)
    return Stream(scale * given, scale * outcomes)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@each_kind
def test_no_random_stream_exceeds_what_is_proven(name: str, scale: float) -> None:
    rng = np.random.default_rng(11)
    reached = 0.0
    for k in range(200):
        stream = drawn(name, scale, int(rng.choice([3, 60])), 1 + k % 7, rng)
        forecaster = made(name, scale)
        forecaster.learn_many(*stream)
        reached = max(reached, check_proven(forecaster, name, *stream, rng))
    assert reached > 0.05  # the streams are hard enough to be worth the name


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@each_kind
def test_no_adversary_that_sees_the_forecast_exceeds_what_is_proven(name: str, scale: float) -> None:
    rng = np.random.default_rng(12)
    for k in range(30):
        stream = drawn(name, scale, 40, 2 + k % 3, rng)
        forecaster = made(name, scale)
        possible = sorted(set(range(4)) if "outcomes" in name else {0, 1} if name[0] in "lb" else {-scale, 2 * scale})
        came = []
        for x in stream.given:
            said = np.asarray(forecaster.predict(x))
            losses = [
                losses_of(name, said[np.newaxis], np.array([y])).item()
                - losses_of(name, x[np.newaxis], np.array([y])).min() * (k % 2)
                for y in possible
            ]
            came.append(float(possible[int(np.argmax(losses))]))
            forecaster.learn(x, came[-1])
        check_proven(forecaster, name, stream.given, np.array(came), rng)


@pytest.mark.parametrize(("loss", "least"), [("log", 0.999), ("brier", 0.3)])
def test_ln_n_is_nearly_reached(loss: Any, least: float) -> None:
    forecaster = th.Forecaster(loss=loss)
    sure = np.full(8, 1e-9)
    sure[3] = 1 - 1e-9
    forecaster.learn_many(np.tile(sure, (12, 1)), np.ones(12))
    assert forecaster.proven is not None
    assert least < forecaster.regret / forecaster.proven.value <= 1.0


@pytest.mark.parametrize("name", ["squared", "absolute"])
def test_two_biased_forecasters_are_beaten_by_their_mixture_and_so_by_the_forecaster(name: Any) -> None:
    rng = np.random.default_rng(5)
    truth = rng.random(4000)
    given = np.stack([truth + 1.0, truth - 1.0], axis=1)
    mixing, choosing = th.Forecaster(loss=name), th.Forecaster(loss=name, against="expert")
    for forecaster in (mixing, choosing):
        forecaster.learn_many(given, truth)
    assert mixing.loss < 0.1 * mixing.losses.min()
    assert mixing.regret < 0.0


@each_kind
def test_many_rounds_neither_underflow_nor_drift(name: str) -> None:
    forecaster = MAKERS[name]()
    x = np.array([[0.25, 0.75], [0.75, 0.25]])
    table = np.stack([1 - x, x], axis=2) if "outcomes" in name else x
    y = np.array([1.0, 1.0])
    blocks = 1 if forecaster.against == "mixture" or "expert" in name else 10  # the rules' own tests play a million
    for _ in range(blocks):
        forecaster.learn_many(np.tile(table, (50_000, *[1] * (table.ndim - 1))), np.tile(y, 50_000))
    lost = losses_of(name, table, y).sum(axis=0) * 50_000 * blocks
    assert np.allclose(forecaster.losses, lost, rtol=1e-10)
    assert forecaster.proven is not None
    assert forecaster.proven.allows(forecaster.regret - 1e-9 * forecaster.loss)
    assert forecaster.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert forecaster.weights == pytest.approx([0.5, 0.5], abs=1e-3)


@each_kind
def test_permuting_the_experts_permutes_the_weights(name: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = int(rng.integers(2, 9))
        given, outcomes = drawn(name, 1.0, 30, n, rng)
        order = rng.permutation(n)
        a, b = made(name, 1.0), made(name, 1.0)
        first, second = a.learn_many(given, outcomes), b.learn_many(given[:, order], outcomes)
        assert first.loss == pytest.approx(second.loss, rel=1e-9, abs=1e-12)
        assert a.weights[order] == pytest.approx(b.weights, rel=1e-8, abs=1e-12)


@each_kind
def test_one_expert_is_followed(name: str) -> None:
    stream = drawn(name, 1.0, 20, 1, np.random.default_rng(9))
    forecaster = made(name, 1.0)
    rounds = forecaster.learn_many(*stream)
    assert rounds.forecasts is not None
    assert rounds.forecasts == pytest.approx(stream.given[:, 0], rel=1e-12, abs=1e-15)
    assert forecaster.weights.tolist() == [1.0]
    assert forecaster.proven is not None
    assert forecaster.proven.allows(forecaster.regret - 1e-12 * forecaster.loss)


@given(q=st.floats(0.0, 1.0, exclude_min=True))
def test_the_logarithm_is_right_to_the_last_digits(q: float) -> None:
    lost = th.Forecaster(loss="log").learn([q], 1).loss
    assert math.isclose(lost, -math.log(q), rel_tol=2**-51)
    assert lost > 0.0 or q == 1.0
