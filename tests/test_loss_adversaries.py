"""The adversaries of rules for losses force what they say, and no stream, theirs or chance's, is above what is proven."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from tests.plain_experts import PlainLeaderOnLosses
from thresher import bounds
from thresher.adversaries import (
    LeaderLoses,
    LossAdversary,
    LossesInTurn,
    RandomLosses,
    Relay,
    Scaled,
    Seesaw,
    Tug,
    force_losses,
)

Table = NDArray[np.float64]

#: Rules of n experts for T rounds, of which each has a theorem for losses in [0, 1].
RULES: dict[str, Callable[[int, int], Any]] = {
    "Hedge, eta 0.1": lambda n, rounds: th.Hedge(n, eta=0.1),
    "Hedge, eta 2": lambda n, rounds: th.Hedge(n, eta=2.0),
    "Hedge, horizon": lambda n, rounds: th.Hedge(n, horizon=rounds),
    "Hedge, anytime": lambda n, rounds: th.Hedge(n),
    "AdaHedge": lambda n, rounds: th.AdaHedge(n),
    "FixedShare": lambda n, rounds: th.FixedShare(n, eta=0.5, alpha=0.05),
    "FixedShare, wild": lambda n, rounds: th.FixedShare(n, eta=2.0, alpha=0.3),
}
each_rule = pytest.mark.parametrize("name", RULES)
sizes = pytest.mark.parametrize("n", [2, 3, 10])


def adversaries(n: int, rounds: int) -> list[LossAdversary]:
    legs = 5
    common: list[LossAdversary] = [
        *(RandomLosses(n, rounds, seed) for seed in range(3)),
        LeaderLoses(n, rounds),
        LossesInTurn(n, rounds),
        LossesInTurn(n, rounds, turns=rounds // (2 * n)),
        Relay(n, legs, rounds // legs),
    ]
    return [*common, Seesaw(rounds)] if n == 2 else common


def best_sequence(table: Table, switches: int) -> float:
    """The least loss of experts that change so often at most, by dynamic programming."""
    least = np.full((switches + 1, table.shape[1]), math.inf)
    least[0] = 0.0
    for t, losses in enumerate(table):
        changed = np.vstack(
            [np.full(table.shape[1], math.inf), np.repeat(least.min(axis=1)[:-1, None], table.shape[1], axis=1)]
        )
        least = (np.minimum(least, changed) if t else least) + losses
    return float(least.min())


def check_proven(rule: Any, scale: float = 1.0) -> float:
    """That the regret is within what the rule says is proven; and what part of it that is."""
    assert rule.proven is not None
    assert rule.proven.allows(rule.regret)
    if isinstance(rule, th.AdaHedge):
        best = min(float(rule.rounds), max(0.0, float(rule.losses.min()) / scale))
        assert bounds.adahedge(best, rounds=rule.rounds, n=rule.n).allows(rule.regret / scale)
        assert bounds.adahedge_scaled(rule.rounds, n=rule.n, scale=scale).allows(rule.regret)
    return float(rule.regret / rule.proven.value) if rule.proven.value else 0.0


def check_sequences(rule: Any, table: Table, most: int) -> None:
    """That a Fixed Share is within what is proven against every sequence with so many changes."""
    for switches in range(min(most, len(table) - 1) + 1):
        proven = rule.proven_with(switches)
        assert proven.allows(rule.loss - best_sequence(table, switches))


def random_table(seed: int) -> Table:
    """Losses from 0 to 1: fractions or bits, of experts who differ; some that change their skill halfway."""
    chance = np.random.Generator(np.random.PCG64(seed))
    n, rounds = int(chance.integers(1, 8)), int(chance.choice([1, 2, 7, 40, 150]))
    skill = np.repeat(chance.random((2, n)), -(-rounds // 2), axis=0)[:rounds]
    table = chance.random((rounds, n))
    return (table < skill).astype(np.float64) if seed % 3 else np.minimum(1.0, 2 * table * skill)


# ------------------------------------------------------------------------------------------------ never above


@each_rule
@sizes
def test_no_adversary_is_above_what_is_proven_in_any_round(name: str, n: int) -> None:
    for adversary in adversaries(n, 80):
        rule = RULES[name](n, 80)
        table = []
        for losses in adversary.against(rule):
            rule.learn_losses(losses)
            check_proven(rule)
            table.append(losses)
        assert len(table) == 80
        if isinstance(rule, th.FixedShare):
            check_sequences(rule, np.array(table), 6)


@each_rule
def test_no_random_stream_is_above_what_is_proven(name: str) -> None:
    for seed in range(400):
        table = random_table(seed)
        rule = RULES[name](table.shape[1], len(table))
        for part in np.array_split(table, 2):
            rule.learn_losses_many(part)
            check_proven(rule)
        if isinstance(rule, th.FixedShare) and seed % 20 == 0 and rule.n > 1:
            check_sequences(rule, table, 4)


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 30.0, 1e4])
@sizes
def test_adahedge_is_never_above_at_any_scale(scale: float, n: int) -> None:
    for adversary in adversaries(n, 100):
        rule = th.AdaHedge(n)
        for losses in Scaled(adversary, scale).against(rule):
            rule.learn_losses(losses)
            check_proven(rule, scale)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_adahedge_is_never_above_on_random_streams_at_any_scale(scale: float) -> None:
    for seed in range(400):
        table = random_table(seed)
        rule = th.AdaHedge(table.shape[1])
        rule.learn_losses_many(scale * table)
        check_proven(rule, scale)


@pytest.mark.parametrize("name", [name for name in RULES if name != "AdaHedge"])
def test_a_theorem_for_losses_in_0_1_is_silent_beyond_and_holds_below(name: str) -> None:
    for scale in (1.5, 1e4):
        rule = RULES[name](3, 50)
        force_losses(Scaled(LeaderLoses(3, 50), scale), rule)
        assert rule.proven is None
    small = RULES[name](3, 50)
    force_losses(Scaled(LeaderLoses(3, 50), 1e-3), small)
    check_proven(small)


def test_hedge_beyond_its_losses_does_fail() -> None:
    """The formula is not proven there, and it is not true there either."""
    rule = th.Hedge(2)
    force_losses(Scaled(Seesaw(1000), 1e4), rule)
    assert rule.proven is None
    assert rule.regret > 1e4 * bounds.hedge_anytime(1000, n=2).value


# ------------------------------------------------------------------------------------------------ attained


def test_losses_in_turn_attain_hedge_s_bound() -> None:
    rule = th.Hedge(100, eta=math.log(2))
    force_losses(LossesInTurn(100, 4500, turns=30), rule)
    assert rule.losses.min() == rule.losses[99] == 30
    bound = bounds.hedge(30.0, n=100, beta=0.5)
    assert bound.allows(rule.loss)
    assert rule.loss > 0.99 * bound.value


def test_losses_in_turn_attain_what_adahedge_holds_itself() -> None:
    rule = th.AdaHedge(5)
    force_losses(LossesInTurn(5, 1000, turns=100), rule)
    assert check_proven(rule) > 0.97


@pytest.mark.parametrize(("eta", "part"), [(1.0, 0.97), (0.5, 0.9), (2.0, 0.9)])
def test_the_seesaw_attains_hedge_s_bound_at_a_fixed_rate(eta: float, part: float) -> None:
    rule = th.Hedge(2, eta=eta)
    force_losses(Seesaw(1000), rule)
    assert check_proven(rule) > part


def test_a_relay_attains_most_of_fixed_share_s_bound() -> None:
    rule, relay = th.FixedShare(50, eta=1.0, alpha=0.02), Relay(50, 20, 30)
    force_losses(relay, rule)
    proven = rule.proven_with(relay.switches)
    assert proven is not None
    assert 0.6 < rule.loss / proven.value <= 1


# ------------------------------------------------------------------------------------------------ what each forces


@pytest.mark.parametrize("rounds", [1, 2, 3, 100, 1001])
def test_the_seesaw_costs_who_follows_the_leader_half_of_the_rounds(rounds: int) -> None:
    leader = PlainLeaderOnLosses(2)
    force_losses(Seesaw(rounds), leader)
    assert leader.regret * 2 == rounds
    wild = th.Hedge(2, eta=2.0**60)  # a rate at which Hedge follows the leader, but for the first tie
    force_losses(Seesaw(rounds), wild)
    assert wild.regret == rounds / 2 - 0.25
    check_proven(wild)


def test_the_seesaw_costs_the_others_little() -> None:
    for rule, most in ((th.Hedge(2), 27.0), (th.Hedge(2, horizon=1000), 19.0), (th.AdaHedge(2), 60.0)):
        force_losses(Seesaw(1000), rule)
        assert rule.proven is not None
        assert 0 < rule.regret <= rule.proven.value < most


@pytest.mark.parametrize(("n", "rounds"), [(1, 5), (2, 100), (3, 100), (7, 1000)])
def test_the_leader_loses_all_and_the_best_a_part(n: int, rounds: int) -> None:
    rule = PlainLeaderOnLosses(n)
    force_losses(LeaderLoses(n, rounds), rule)
    assert rule.loss == rounds
    assert rule.regret == rounds - rounds // n


def test_one_expert_loses_in_each_round_in_turn_and_the_last_is_spared() -> None:
    table = np.array(list(LossesInTurn(4, 23, turns=3).against(th.Hedge(4))))
    assert table.sum(axis=1).tolist() == [1.0] * 23
    assert table.sum(axis=0).tolist() == [7.0, 7.0, 6.0, 3.0]
    assert table.argmax(axis=1).tolist() == [0, 1, 2, 3] * 3 + [0, 1, 2] * 3 + [0, 1]


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_best_sequence_of_a_relay_loses_nothing(n: int) -> None:
    relay = Relay(n, legs=6, length=15)
    for make in RULES.values():
        rounds = force_losses(relay, make(n, 90))
        table = np.array([played.losses for played in rounds])
        assert len(table) == 90
        assert best_sequence(table, relay.switches) == 0 < best_sequence(table, relay.switches - 1)


def test_fixed_share_runs_a_relay_that_hedge_loses() -> None:
    relay = Relay(4, legs=5, length=200)
    hedge, share = th.Hedge(4, eta=0.5), th.FixedShare(4, eta=0.5, alpha=0.01)
    force_losses(relay, hedge)
    force_losses(relay, share)
    proven = share.proven_with(relay.switches)
    assert proven is not None
    assert share.loss < proven.value < hedge.loss / 2


# ------------------------------------------------------------------------------------------------ random losses


@each_rule
def test_the_regret_over_all_streams_is_exactly_the_formula(name: str) -> None:
    regret, rows = 0.0, list(product((0.0, 1.0), repeat=2))
    for table in product(rows, repeat=4):
        rule = RULES[name](2, 4)
        rule.learn_losses_many(table)
        regret += rule.regret
    assert regret / len(rows) ** 4 == pytest.approx(RandomLosses(2, 4).regret, rel=1e-12)


@each_rule
def test_the_regret_over_many_seeds_is_about_the_formula(name: str) -> None:
    regret = 0.0
    for seed in range(100):
        rule = RULES[name](10, 100)
        rule.learn_losses_many(list(RandomLosses(10, 100, seed).against(rule)))
        regret += rule.regret / 100
    assert regret == pytest.approx(RandomLosses(10, 100).regret, abs=1.0)


def test_random_losses_are_fair_and_their_seed_is_all_there_is() -> None:
    first, again, other = (np.array(list(RandomLosses(6, 400, seed).against(th.Hedge(6)))) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert set(first.ravel()) == {0.0, 1.0}
    assert (np.abs(first.mean(axis=0) - 0.5) < 0.1).all()


@pytest.mark.parametrize(("legs", "eta", "least"), [(1, 0.5, 0.98), (5, 1.0, 0.92), (2, 1.0, 0.94)])
def test_a_tug_of_war_forces_most_of_fixed_share_s_bound_and_no_more(legs: int, eta: float, least: float) -> None:
    rounds, alpha = 1600, 1e-4
    tug = Tug(legs, rounds // legs, pull=math.ceil(math.log(1 / alpha) / eta))
    rule, regret = th.FixedShare(2, eta=eta, alpha=alpha), 0.0
    for t, losses in enumerate(tug.against(rule)):
        regret += rule.learn_losses(losses).loss - losses[tug.runner(t)]
        switches = min(legs, t + 1) - 1
        assert regret <= bounds.fixed_share(t + 1, n=2, switches=switches, eta=eta, alpha=alpha).value
    assert regret >= least * bounds.fixed_share(rounds, n=2, switches=legs - 1, eta=eta, alpha=alpha).value


# ------------------------------------------------------------------------------------------------ playing


@pytest.mark.parametrize("scale", [1e-3, 4.0, 1e4])
def test_a_scaled_adversary_is_the_same_but_for_the_scale(scale: float) -> None:
    one, other = th.AdaHedge(2), th.AdaHedge(2)
    plain, scaled = force_losses(Seesaw(50), one), force_losses(Scaled(Seesaw(50), scale), other)
    assert [played.losses.tolist() for played in scaled] == [[scale * loss for loss in p.losses.tolist()] for p in plain]
    assert other.regret == pytest.approx(scale * one.regret, rel=1e-9)


def test_a_game_ends_after_the_most_rounds() -> None:
    assert [len(force_losses(Seesaw(9), th.Hedge(2), most=most)) for most in (0, 4, 9, 10)] == [0, 4, 9, 9]
    with pytest.raises(th.ParameterError, match="found most = -1, expected None or a number of rounds of at least 0"):
        force_losses(Seesaw(9), th.Hedge(2), most=-1)


@pytest.mark.parametrize("adversary", [*adversaries(2, 60), Tug(2, 30, 5), Scaled(LeaderLoses(2, 60), 5.0)])
def test_an_adversary_leaves_the_rule_alone_and_may_be_played_again(adversary: LossAdversary) -> None:
    rule = th.AdaHedge(2)
    first = next(adversary.against(rule))
    assert (rule.rounds, rule.weights.tolist()) == (0, [0.5, 0.5])
    games = [[played.losses.tolist() for played in force_losses(adversary, th.AdaHedge(2))] for _ in range(2)]
    assert games[0] == games[1]
    assert games[0][0] == list(first)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: RandomLosses(0, 5), "found n = 0, expected a whole number of at least 1"),
        (lambda: RandomLosses(2, -1), "found rounds = -1, expected a whole number of at least 0"),
        (lambda: RandomLosses(2, 5, -1), "found seed = -1"),
        (lambda: Seesaw(-1), "found rounds = -1"),
        (lambda: Seesaw(cast("int", 1.5)), "found rounds = 1.5, expected a whole number"),
        (lambda: LeaderLoses(0, 1), "found n = 0"),
        (lambda: LeaderLoses(2, -1), "found rounds = -1"),
        (lambda: LossesInTurn(1, 5), "found n = 1, expected a whole number of at least 2"),
        (lambda: LossesInTurn(2, 5, turns=-1), "found turns = -1"),
        (lambda: Relay(0, 1, 1), "found n = 0"),
        (lambda: Relay(2, 0, 1), "found legs = 0, expected a whole number of at least 1"),
        (lambda: Relay(2, 1, 0), "found length = 0"),
        (lambda: Tug(0, 1, 1), "found legs = 0, expected a whole number of at least 1"),
        (lambda: Tug(1, 1, -1), "found pull = -1, expected a whole number of at least 0"),
        (lambda: Scaled(Seesaw(3), 0.0), "found scale = 0.0, expected a number above 0"),
        (lambda: Scaled(Seesaw(3), -1.0), "found scale = -1.0, expected a number above 0"),
        (lambda: Scaled(Seesaw(3), math.inf), "found scale = inf, expected a number above 0"),
        (lambda: Scaled(Seesaw(3), math.nan), "found scale = nan, expected a number above 0"),
        (lambda: Scaled(Seesaw(3), cast("float", "big")), "found scale = 'big', expected a number above 0"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], match: str) -> None:
    with pytest.raises(th.ParameterError, match=match):
        make()


@pytest.mark.parametrize("adversary", [LeaderLoses(4, 5), Relay(4, 2, 2)])
def test_an_adversary_says_what_it_cannot_play_against(adversary: LossAdversary) -> None:
    with pytest.raises(th.ParameterError, match="found 3 weights in AdaHedge, but this adversary plays against 4"):
        force_losses(adversary, th.AdaHedge(3))
