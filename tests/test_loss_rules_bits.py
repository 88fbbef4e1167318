"""Rules for losses on long runs: the same bits on every way through the same rounds, and the weights of the definition."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.effort import tried
from thresher import _core
from thresher.experts import LossRule, adahedge

#: Rates at which weights are multiplied by a short series, by a longer one, and derived anew in each round.
RULES: dict[str, Callable[[int], LossRule]] = {
    "Hedge, eta 0.01": lambda n: th.Hedge(n, eta=0.01),
    "Hedge, eta 0.2": lambda n: th.Hedge(n, eta=0.2),
    "Hedge, eta 3": lambda n: th.Hedge(n, eta=3.0),
    "Hedge, eta huge": lambda n: th.Hedge(n, eta=2.0**60),
    "Hedge": th.Hedge,
    "AdaHedge": th.AdaHedge,
    "FixedShare": lambda n: th.FixedShare(n, eta=0.8, alpha=0.05),
}
each_rule = pytest.mark.parametrize("name", RULES)

Table = NDArray[np.float64]


def table_of(rounds: int, n: int, seed: int = 3) -> Table:
    """Losses that float32 holds, now and then of another size, with rounds that are all alike and some experts asleep."""
    rng = np.random.default_rng(seed)
    table = rng.random((rounds, n))
    table[rng.random(rounds) < 0.1] *= 8.0
    table[rng.random(rounds) < 0.1] -= 0.5
    table[rng.random(rounds) < 0.05] = 0.25
    asleep = (rng.random((rounds, n)) < 0.2) & (rng.random((rounds, 1)) < 0.1)
    asleep[:, 0] = False
    table[asleep] = np.nan
    return table.astype(np.float32).astype(np.float64)


def everything(rule: LossRule) -> bytes:
    parameters, arrays = rule.state()
    return repr(parameters).encode() + b"".join(array.tobytes() for array in arrays.values()) + rule.weights.tobytes()


# ---- the same bits ------------------------------------------------------------------------------------------------


@pytest.fixture
def each_instruction_set() -> Iterator[Callable[[], Iterator[str]]]:
    before = _core.instruction_set()

    def each() -> Iterator[str]:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            yield name

    yield each
    _core.use_instruction_set(before)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 41])
@each_rule
def test_every_instruction_set_gives_the_same_bits(
    each_instruction_set: Callable[[], Iterator[str]], name: str, n: int, kind: type[np.floating]
) -> None:
    table = table_of(300, n).astype(kind)
    seen, changing = set(), RULES[name](n)
    for k, _ in enumerate(each_instruction_set()):
        rule = RULES[name](n)
        seen.add((rule.learn_losses_many(table).loss.tobytes(), everything(rule)))
        if k < 2:
            changing.learn_losses_many(table[:133] if k == 0 else table[133:])  # half by one, half by the next
    assert len(seen) == 1
    if len(_core.instruction_sets()) > 1:
        assert everything(changing) == everything(rule)


@given(
    n=st.integers(1, 19),
    cuts=st.lists(st.integers(0, 200), max_size=5),
    stop=st.sampled_from(["copy", "deepcopy", "pickle", "state"]),
    narrow=st.booleans(),
)
@tried(15)
@each_rule
def test_where_a_run_is_cut_or_stopped_does_not_matter(name: str, n: int, cuts: list[int], stop: str, narrow: bool) -> None:
    stops: dict[str, Callable[[LossRule], LossRule]] = {
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda rule: pickle.loads(pickle.dumps(rule)),
        "state": lambda rule: type(rule).from_state(*rule.state()),
    }
    table = table_of(200, n, seed=n)
    alone, pieces = RULES[name](n), RULES[name](n)
    losses = [alone.learn_losses(row).loss for row in table]
    found: list[float] = []
    for a, b in pairwise([0, *sorted(cuts), 200]):
        part = table[a:b].astype(np.float32) if narrow else table[a:b]
        found += pieces.learn_losses_many(part).loss.tolist()
        pieces = stops[stop](pieces)
    assert found == losses
    assert everything(pieces) == everything(alone)


@pytest.mark.parametrize("bad", [math.inf, -math.inf, 1e76, "asleep"])
@pytest.mark.parametrize("k", [0, 63, 64, 90])
@each_rule
def test_a_row_that_is_refused_leaves_the_rule_as_after_the_row_before(name: str, k: int, bad: Any) -> None:
    table = table_of(100, 11)
    before, rule = RULES[name](11), RULES[name](11)
    before.learn_losses_many(table[:k])
    table[k, :] = np.nan
    if bad != "asleep":
        table[k, 3:6] = 0.5, bad, 0.5
    with pytest.raises(th.ExampleError) as caught:
        rule.learn_losses_many(table)
    assert caught.value.row == k
    assert everything(rule) == everything(before)
    after = table_of(80, 11, seed=8)
    assert rule.learn_losses_many(after).loss.tobytes() == before.learn_losses_many(after).loss.tobytes()


# ---- the definition, in long runs ---------------------------------------------------------------------------------


def weighed(lost: Table, eta: float) -> Table:
    """The mixture of each row of losses so far."""
    weights = np.exp(-eta * (lost - lost.min(axis=1, keepdims=True)))
    mixtures: Table = weights / weights.sum(axis=1, keepdims=True)
    return mixtures


FLOOR = 1e-260  # weights below 2^-900 are 0, and others may have risen a little since


def check_hedge(table: Table, eta: float, piece: int) -> th.Hedge:
    """Asserts that every round loses what the definition loses; the losses are such that their sums are exact."""
    rule, before = th.Hedge(table.shape[1], eta=eta), np.zeros(table.shape[1])
    for start in range(0, len(table), piece):
        part = table[start : start + piece]
        lost = before + np.vstack([np.zeros(part.shape[1]), np.cumsum(part, axis=0)])
        assert np.allclose(rule.weights, weighed(lost[:1], eta)[0], rtol=1e-11, atol=FLOOR)
        expected = (weighed(lost[:-1], eta) * part).sum(axis=1)
        assert np.allclose(rule.learn_losses_many(part).loss, expected, rtol=1e-11, atol=FLOOR)
        before = lost[-1]
        assert (rule.losses == before).all()
    return rule


@pytest.mark.parametrize("eta", [2.0**-9, 0.02, 0.45, 1.5])
def test_in_a_million_rounds_the_weights_are_those_of_exact_sums(eta: float) -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(0, 2**10, (100_003, 5)) / 2.0**10
    table[:, 1] = np.minimum(table[:, 1] + 0.125, 1.0)
    rule = check_hedge(np.tile(table, (10, 1)), eta, piece=54_321)
    assert rule.rounds == 1_000_030


@pytest.mark.parametrize("eta", [0.01, 0.1, 3.0])
def test_an_expert_whose_weight_vanished_comes_back(eta: float) -> None:
    behind = int(1500 / eta) + 5  # rounds until its weight is far below what a float holds
    table = np.full((3 * behind, 3), 1.0)
    table[:behind, 1] = 0.0
    table[behind:, 0] = 0.0
    table[::2, 2] = 0.75
    rule = check_hedge(table, eta, piece=behind)
    assert rule.weights[0] == pytest.approx(1.0)
    halfway = th.Hedge(3, eta=eta)
    halfway.learn_losses_many(table[:behind])
    assert halfway.weights[0] < 1e-200


def test_who_has_no_weight_left_counts_when_the_leader_falls() -> None:
    """Its weight is e^−2800 then, but the leader keeps e^(−10^6): so the mix loss is the other's, and the gap nearly 1."""
    rounds = [[0.0, 1e-6]] * 2000 + [[1.0, 0.0]] + [[0.5, 0.25]] * 10  # the rate is near 10^6 when the leader falls
    rule = th.AdaHedge(2)
    for losses, (mixture, loss) in zip(rounds, adahedge.definition(2, rounds), strict=True):
        played = rule.learn_losses(losses)
        assert np.allclose(played.mixture, mixture, rtol=1e-6, atol=1e-12)
        assert math.isclose(played.loss, loss, rel_tol=1e-6, abs_tol=1e-12)
    assert rule.proven is not None
    assert rule.regret <= rule.proven.value < 2.1


def test_fixed_share_leaves_a_leader_that_falls_out_of_sight() -> None:
    rule = th.FixedShare(2, eta=2000.0, alpha=1e-200)
    rule.learn_losses([0.0, 1.0])
    assert rule.weights.tolist() == [1.0, 1e-200]
    rule.learn_losses([1.0, 0.0])
    assert rule.weights.tolist() == [1e-200, 1.0]


def test_losses_far_from_zero_weigh_as_their_differences() -> None:
    table = np.random.default_rng(2).integers(0, 2**10, (500, 6)) / 2.0**10
    near, far = th.Hedge(6, eta=0.05), th.Hedge(6, eta=0.05)
    near.learn_losses_many(table)
    far.learn_losses_many(table + 2.0**20)
    assert np.allclose(near.weights, far.weights, rtol=1e-11)
    assert far.regret == pytest.approx(near.regret, abs=1e-6)


@pytest.mark.parametrize("n", [1, 5])
def test_the_largest_losses_at_the_smallest_rate_are_weighed(n: int) -> None:
    size = 2.0**249
    table = np.random.default_rng(6).random((200, n)) * size
    rule = th.Hedge(n, eta=0.25 / size)
    for played in map(rule.learn_losses, table):
        assert math.isclose(played.loss, float(played.mixture @ played.losses), rel_tol=1e-12)
    assert np.allclose(rule.weights, weighed(rule.losses[None, :] / size, 0.25)[0], rtol=1e-11)


@pytest.mark.parametrize("eta", [2.0**-7, 0.04, 0.5, 6.0])
def test_one_round_weighs_to_within_a_few_units_in_the_last_place(eta: float) -> None:
    losses = np.linspace(0.0, 1.0, 33)
    rule = th.Hedge(33, eta=eta)
    rule.learn_losses(losses)
    found = rule.state()[1]["weights"]
    with localcontext(prec=40):
        middle = Decimal("0.5")
        for loss, weight in zip(losses.tolist(), found.tolist(), strict=True):
            exact = (-Decimal(eta) * (Decimal(loss) - middle)).exp() * Decimal(found[16])
            assert abs(Decimal(weight) / exact - 1) < Decimal(12 + 6 * eta) * Decimal(2) ** -53


# ---- asleep -------------------------------------------------------------------------------------------------------


def with_sleepers(n: int, rounds: Sequence[Sequence[float]], rate: Callable[[int, float], float]) -> Iterator[float]:
    """Hedge's definition, where NaN is an expert asleep: left out of the mixture, and charged the mix loss of the others."""
    lost, gap = [0.0] * n, 0.0
    for t, losses in enumerate(rounds, start=1):
        eta, awake = rate(t, gap), [i for i in range(n) if not math.isnan(losses[i])]
        best = min(lost[i] for i in awake)
        w = {i: math.exp(-eta * (lost[i] - best)) for i in awake}
        p = {i: w[i] / sum(w.values()) for i in awake}
        low = min(losses[i] for i in awake)
        loss = sum(p[i] * losses[i] for i in awake)
        mix = low - math.log(sum(p[i] * math.exp(-eta * (losses[i] - low)) for i in awake)) / eta
        gap += max(0.0, loss - mix)
        lost = [before + (mix if math.isnan(each) else each) for before, each in zip(lost, losses, strict=True)]
        yield loss


@pytest.mark.parametrize("eta", [None, 0.01, 0.1, 0.7])
@pytest.mark.parametrize("n", [2, 9, 21])
def test_hedge_with_sleepers_is_its_definition(n: int, eta: float | None) -> None:
    table = table_of(300, n, seed=n)
    rule = th.Hedge(n, eta=eta)

    def rate(t: int, gap: float) -> float:
        return 2 * math.sqrt(math.log(n) / t) if eta is None else eta

    assert np.isnan(table).any()
    assert np.allclose(rule.learn_losses_many(table).loss, list(with_sleepers(n, table.tolist(), rate)), rtol=1e-9, atol=1e-12)


def test_adahedge_with_sleepers_is_its_definition() -> None:
    n = 9
    table = table_of(300, n)
    rule = th.AdaHedge(n)

    def rate(t: int, gap: float) -> float:
        return math.log(n) / gap if gap > 0 else 1e9  # as good as infinite on losses that differ by 2^-24 and more

    assert np.isnan(table).any()
    assert np.allclose(rule.learn_losses_many(table).loss, list(with_sleepers(n, table.tolist(), rate)), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("eta", [0.02, 2.0])
def test_those_awake_share_alike_where_all_weight_sleeps(eta: float) -> None:
    rule = th.Hedge(4, eta=eta)
    table = np.tile([0.0, 1.0, 1.0, 1.0], (int(1500 / eta), 1))
    rule.learn_losses_many(table)
    assert rule.learn_losses([math.nan, 0.0, 0.25, 0.5]).loss == pytest.approx(0.25)


@each_rule
@pytest.mark.parametrize("scale", [1.0, 21.0])
def test_rounds_in_which_few_lose_are_the_same_one_by_one(name: str, scale: float) -> None:
    """What need not be derived anew is, one by one: the weights of those that lost nothing while the best did not change."""
    rng = np.random.default_rng(5)
    table = scale * (rng.random((400, 21)) < np.linspace(0.001, 0.5, 21)).astype(np.float64)
    table[::3, :15] = 0.0
    many, one = RULES[name](21), RULES[name](21)
    many.learn_losses_many(table)
    for row in table:
        one.learn_losses(row)
    assert many.state()[0] == one.state()[0]
    assert all(array.tobytes() == one.state()[1][each].tobytes() for each, array in many.state()[1].items())
