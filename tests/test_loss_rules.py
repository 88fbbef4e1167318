"""Hedge, AdaHedge and Fixed Share: against their definitions, bit for bit many = one by one, and never above what is proven."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher.experts import LossRule, adahedge, fixed_share, hedge

Definition = Callable[[int, Sequence[Sequence[float]]], Iterator[tuple[list[float], float]]]

RULES: dict[str, tuple[Callable[[int], LossRule], Definition]] = {
    "Hedge": (th.Hedge, hedge.definition),
    "Hedge, eta": (lambda n: th.Hedge(n, eta=0.7), lambda n, rounds: hedge.definition(n, rounds, 0.7)),
    "Hedge, slow": (lambda n: th.Hedge(n, eta=0.02), lambda n, rounds: hedge.definition(n, rounds, 0.02)),
    "Hedge, horizon": (
        lambda n: th.Hedge(n, horizon=50),
        lambda n, rounds: hedge.definition(n, rounds, math.sqrt(8 * math.log(n) / 50) if n > 1 else 1.0),
    ),
    "AdaHedge": (th.AdaHedge, adahedge.definition),
    "FixedShare": (
        lambda n: th.FixedShare(n, eta=0.8, alpha=0.05),
        lambda n, rounds: fixed_share.definition(n, rounds, 0.8, 0.05),
    ),
}
each_rule = pytest.mark.parametrize("name", RULES)


@st.composite
def tables(draw: st.DrawFn, scale: float = 1.0) -> NDArray[np.float64]:
    """Losses from 0 to `scale`, among them many that are 0, 1 or alike."""
    n, rounds = draw(st.integers(1, 6)), draw(st.integers(0, 30))
    loss = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1, width=32))
    rows = draw(st.lists(st.lists(loss, min_size=n, max_size=n), min_size=rounds, max_size=rounds))
    return scale * np.array(rows, dtype=np.float64).reshape(rounds, n)


def everything(rule: LossRule) -> bytes:
    parameters, arrays = rule.state()
    return repr(parameters).encode() + b"".join(array.tobytes() for array in arrays.values())


@each_rule
@given(table=tables())
def test_a_rule_is_its_definition(name: str, table: NDArray[np.float64]) -> None:
    make, definition = RULES[name]
    n = table.shape[1]
    rule = make(n)
    for losses, (mixture, loss) in zip(table, definition(n, table.tolist()), strict=True):
        played = rule.learn_losses(losses)
        assert np.allclose(played.mixture, mixture, rtol=1e-9, atol=1e-12)
        assert math.isclose(played.loss, loss, rel_tol=1e-9, abs_tol=1e-12)
    assert np.allclose(rule.losses, table.sum(axis=0))


@each_rule
@given(table=tables())
def test_many_is_one_by_one_and_stopping_is_going_on(name: str, table: NDArray[np.float64]) -> None:
    make, _ = RULES[name]
    one, many, narrow = make(table.shape[1]), make(table.shape[1]), make(table.shape[1])
    losses = [one.learn_losses(row).loss for row in table]
    half = len(table) // 2
    first = many.learn_losses_many(table[:half])
    stopped = [copy.copy(many), copy.deepcopy(many), pickle.loads(pickle.dumps(many)), type(many).from_state(*many.state())]
    for going_on in [many, *stopped]:
        rounds = going_on.learn_losses_many(table[half:])
        assert rounds.first == half + 1
        assert [*first.loss, *rounds.loss] == losses
        assert everything(going_on) == everything(one)
    assert narrow.learn_losses_many(table.astype(np.float32)).loss.tolist() == losses  # float32 holds all of them
    assert everything(narrow) == everything(one)


@each_rule
@given(table=tables())
def test_the_regret_never_exceeds_what_is_proven(name: str, table: NDArray[np.float64]) -> None:
    rule = RULES[name][0](table.shape[1])
    for losses in table:
        rule.learn_losses(losses)
        assert rule.proven is not None
        assert rule.proven.allows(rule.regret - 1e-9)


@given(table=tables(), power=st.integers(-10, 13))
def test_adahedge_does_not_feel_the_scale(table: NDArray[np.float64], power: int) -> None:
    small, large = th.AdaHedge(table.shape[1]), th.AdaHedge(table.shape[1])
    for losses in table:
        a, b = small.learn_losses(losses), large.learn_losses(losses * 2.0**power)
        assert a.mixture.tolist() == b.mixture.tolist()
        assert b.loss == a.loss * 2.0**power
        assert large.proven is not None
        assert large.proven.allows(large.regret * (1 - 1e-12))


def test_follow_the_leader_is_what_adahedge_begins_with_and_what_the_leader_adversary_punishes() -> None:
    rule = th.AdaHedge(2)
    for t in range(1000):
        losses = [0.5, 0.0] if t == 0 else [float(t % 2 == 0), float(t % 2 == 1)]
        rule.learn_losses(losses)
    assert rule.proven is not None
    assert 0 < rule.regret <= rule.proven.value < 60  # follow the leader would lose 500 more than the best


def test_fixed_share_follows_a_change() -> None:
    rule = th.FixedShare(3, eta=1.0, alpha=0.02)
    table = np.ones((300, 3))
    for start, best in ((0, 0), (100, 1), (200, 2)):
        table[start : start + 100, best] = 0.0
    lost = rule.learn_losses_many(table).loss.sum()
    proven = rule.proven_with(2)
    assert proven is not None
    assert lost <= proven.value < 100
    assert rule.proven_with(300) is None


@each_rule
def test_a_million_rounds_neither_underflow_nor_drift(name: str) -> None:
    rule = RULES[name][0](2)
    table = np.tile([[0.25, 0.5], [0.5, 0.25]], (50_000, 1))
    for _ in range(10):
        rule.learn_losses_many(table)
    assert rule.losses.tolist() == [375_000.0, 375_000.0]
    assert rule.proven is not None
    assert rule.proven.allows(rule.regret)
    assert rule.weights.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("eta", [0.1, 1.5])
def test_hedge_for_sleeping_experts_is_its_definition(eta: float) -> None:
    chance = np.random.default_rng(5)
    table = chance.random((60, 4))
    table[chance.random((60, 4)) < 0.4] = math.nan
    table[:, 0] = np.where(np.isnan(table).all(axis=1), 0.5, table[:, 0])
    rule = th.Hedge(4, eta=eta)
    rows = [[None if math.isnan(loss) else loss for loss in row] for row in table.tolist()]
    for row, (mixture, loss) in zip(table, hedge.definition_sleeping(4, rows, eta), strict=True):
        played = rule.learn_losses(row)
        assert played.loss == pytest.approx(loss, rel=1e-12)
        assert played.mixture.tolist() == pytest.approx([mixture.get(i, 0.0) for i in range(4)], rel=1e-12)


@each_rule
def test_an_expert_asleep_takes_no_part_and_keeps_its_place(name: str) -> None:
    rule = RULES[name][0](3)
    rule.learn_losses([0.25, 0.5, 0.75])
    before = rule.weights
    played = rule.learn_losses([0.5, math.nan, 0.5])
    assert played.loss == 0.5  # those awake all lose that
    if name.startswith("Hedge, "):
        assert np.allclose(rule.weights, before)  # and so nobody moves
    assert rule.proven is None
    slept = [math.nan] * 3
    with pytest.raises(th.ExampleError, match=r"round 3: every expert is asleep"):
        rule.learn_losses(slept)
    with pytest.raises(th.ExampleError, match=r"row 1: every expert is asleep") as caught:
        rule.learn_losses_many([[0.0, 0.0, 0.0], slept])
    assert (caught.value.row, rule.rounds) == (1, 3)


@pytest.mark.parametrize(
    "losses", [[1.0, math.inf], [-math.inf, 0.0], [1e300, 0.0], [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], "no"]
)
@each_rule
def test_losses_that_cannot_be_are_refused_and_change_nothing(name: str, losses: Any) -> None:
    rule = RULES[name][0](2)
    rule.learn_losses([0.0, 1.0])
    left = everything(rule)
    with pytest.raises(th.ExampleError):
        rule.learn_losses(losses)
    assert everything(rule) == left


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: th.Hedge(0), "found n = 0"),
        (lambda: th.Hedge(2, eta=0.0), "found eta = 0.0"),
        (lambda: th.Hedge(2, eta=math.nan), "found eta = nan"),
        (lambda: th.Hedge(2, horizon=0), "found horizon = 0"),
        (lambda: th.Hedge(2, eta=1.0, horizon=5), "expected one of them"),
        (lambda: th.FixedShare(2, alpha=0.0), "found alpha = 0.0"),
        (lambda: th.FixedShare(2, alpha=1.0), "found alpha = 1.0"),
        (lambda: th.FixedShare(2, eta=-1.0), "found eta = -1.0"),
    ],
)
def test_parameters_that_cannot_be_are_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(th.ParameterError, match=said):
        make()


def test_losses_beyond_the_unit_silence_hedge() -> None:
    rule = th.Hedge(2)
    rule.learn_losses([0.0, 1.0])
    assert rule.proven is not None
    rule.learn_losses([0.0, 1.5])
    assert rule.proven is None


@each_rule
def test_damaged_states_are_refused(name: str) -> None:
    rule = RULES[name][0](3)
    rule.learn_losses_many(np.random.default_rng(1).random((5, 3)))
    for head, value in {"rounds": -1, "gap": math.nan, "loss": "1", "slept": 9, "largest": -1.0}.items():
        parameters, arrays = rule.state()
        with pytest.raises(th.StoreError):
            type(rule).from_state({**parameters, "heads": {**parameters["heads"], head: value}}, arrays)
    parameters, arrays = rule.state()
    with pytest.raises(th.StoreError, match="n = 2147483648"):  # before memory is taken for so many
        type(rule).from_state({**parameters, "arguments": {**parameters["arguments"], "n": 2**31}}, arrays)
    worse = [{"losses": np.full(3, math.inf)}, {"weights": np.zeros(3)}, {"losses": np.ones(2)}, {"more": np.ones(3)}]
    for damaged in ({}, *({**arrays, **each} for each in worse)):
        with pytest.raises(th.StoreError):
            type(rule).from_state(parameters, damaged)


def test_hedge_and_adahedge_are_within_their_bounds_on_random_and_on_hard_streams() -> None:
    rng = np.random.default_rng(7)
    for n in (2, 10, 100):
        for table in (rng.random((400, n)), (rng.random((400, n)) < 0.5).astype(float), np.eye(n)[rng.integers(0, n, 400)]):
            for make, _ in RULES.values():
                rule = make(n)
                rule.learn_losses_many(table)
                assert rule.proven is not None
                assert rule.proven.allows(rule.regret)
            best = th.AdaHedge(n)
            best.learn_losses_many(table)
            assert best.regret <= th.bounds.adahedge(float(best.losses.min()), rounds=400, n=n).value
