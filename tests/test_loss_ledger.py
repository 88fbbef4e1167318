"""The ledger of rounds with losses: exact sums, comparators against brute force, verdicts, and never a bound that fails."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher.bounds import Certificate, Status, Verdict
from thresher.experts import Heads, LossRule, Origin
from thresher.hindsight import best_sequence
from thresher.ledger.best_sequence import BestSequenceWatcher
from thresher.ledger.losses import played
from thresher.ledger.sums import Sums, down, up

RULES: dict[str, Callable[[int], LossRule]] = {
    "Hedge": th.Hedge,
    "Hedge, eta": lambda n: th.Hedge(n, eta=0.7),
    "Hedge, large eta": lambda n: th.Hedge(n, eta=8.0),
    "Hedge, horizon": lambda n: th.Hedge(n, horizon=50),
    "AdaHedge": th.AdaHedge,
    "FixedShare": lambda n: th.FixedShare(n, eta=0.8, alpha=0.05),
    "FixedShare, much": lambda n: th.FixedShare(n, eta=2.0, alpha=0.9),
}
each_rule = pytest.mark.parametrize("name", RULES)
seeds = st.integers(0, 2**32 - 1)


def exactly(column: Any) -> Fraction:
    return sum(map(Fraction, np.asarray(column, dtype=np.float64).tolist()), Fraction(0))


def table_of(seed: int, *, scale: float = 1.0, most: int = 60) -> NDArray[np.float64]:
    """Losses from 0 to `scale`: any, or zeros and ones, or one expert much better than the others."""
    rng = np.random.default_rng(seed)
    rounds, n = int(rng.integers(1, most)), int(rng.integers(1, 6))
    table = [rng.random((rounds, n)), (rng.random((rounds, n)) < 0.5) * 1.0, rng.random((rounds, n)) * np.linspace(0, 1, n)]
    return np.asarray(scale * table[int(rng.integers(3))], dtype=np.float64)


def check_printed(certificate: Certificate, regret: Fraction | None = None) -> None:
    """What is printed as an upper bound is one, and the verdict is what the printed numbers say."""
    assert certificate.verdict is Verdict.CERTIFIED, certificate
    assert Fraction(certificate.counted) <= Fraction(certificate.limit)
    if regret is not None and certificate.bound.on == "regret":
        assert Fraction(certificate.counted) >= Fraction(certificate.count) >= regret


@given(st.lists(st.tuples(st.floats(-1e60, 1e60), st.floats(-1.0, 1.0)), max_size=20), st.integers(0, 20))
def test_sums_are_exact_in_any_pieces(rows: list[tuple[float, float]], cut: int) -> None:
    table = np.array(rows).reshape(-1, 2)
    at_once = Sums(2).plus(table)
    for sums in (at_once, Sums(2).plus(table[cut:]).plus(table[:cut])):
        for i in range(2):
            exact = exactly(table[:, i])
            assert sum(map(Fraction, sums.parts(i)), Fraction(0)) == exact
            assert Fraction(down(sums.parts(i))) <= exact <= Fraction(up(sums.parts(i)))
            assert up(sums.parts(i)) - down(sums.parts(i)) <= 2 * math.ulp(up(sums.parts(i)))
        least = min(range(2), key=lambda i: exactly(table[:, i]))
        assert exactly(table[:, sums.least()]) == exactly(table[:, least])


@each_rule
@given(seed=seeds, power=st.integers(-3, 4))
def test_no_bound_is_violated_at_any_scale_and_every_number_survives_fractions(name: str, seed: int, power: int) -> None:
    table = table_of(seed, scale=10.0**power)
    rule, switches = RULES[name](table.shape[1]), seed % 4
    ledger = th.Ledger(th.BestExpert(), th.BestSequence(switches))
    rounds = rule.learn_losses_many(table)
    ledger.enter(rounds)
    best = min(exactly(column) for column in table.T)
    regret = exactly(rounds.loss) - best
    assert Fraction(ledger.regret) == pytest.approx(regret, rel=1e-12, abs=1e-300)
    ledger.check()
    for certificate in ledger.certificates():
        if certificate.verdict is Verdict.VOID:
            assert power > 0 or name.startswith("FixedShare")
            assert name != "AdaHedge" or certificate.bound.theorem.name == "AdaHedge"
        else:
            check_printed(certificate, regret)


@each_rule
@given(seed=seeds)
def test_no_bound_is_violated_by_who_sees_the_weights(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, scale = int(rng.integers(2, 6)), 1.0 if not name.startswith("Ada") else 10.0 ** int(rng.integers(-3, 5))
    rule, ledger = RULES[name](n), th.Ledger(th.BestExpert(), th.BestSequence(2))
    for _ in range(40):
        heaviest = np.arange(n) == rule.weights.argmax()
        ledger.enter(rule.learn_losses(scale * (heaviest if rng.random() < 0.8 else rng.random(n))))
    ledger.check()
    for certificate in ledger.certificates():
        if certificate.verdict is Verdict.VOID:
            assert (scale > 1.0, certificate.bound.theorem.name) == (True, "AdaHedge")
        else:
            check_printed(certificate)


def test_a_hard_stream_comes_close_to_what_hedge_is_promised() -> None:
    rule, ledger = th.Hedge(2, horizon=200), th.Ledger(th.BestExpert())
    for _ in range(200):
        ledger.enter(rule.learn_losses(np.arange(2) == rule.weights.argmax()))
    certificate = ledger.certificates()[0]
    assert certificate.verdict is Verdict.CERTIFIED
    assert 0.2 < certificate.count / certificate.bound.value <= 1.0


@given(seed=seeds, switches=st.integers(0, 3))
def test_the_best_sequence_is_the_best_of_all(seed: int, switches: int) -> None:
    rng = np.random.default_rng(seed)
    rounds, n = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    table = np.round(rng.random((rounds, n)) * 10.0 ** int(rng.integers(-3, 5)), 3)
    paths = [p for p in product(range(n), repeat=rounds) if sum(a != b for a, b in pairwise(p)) <= switches]
    best = min(sum((Fraction(table[t, i]) for t, i in enumerate(path)), Fraction(0)) for path in paths)
    watcher = th.BestSequence(switches).watch_losses()
    watcher.enter(played(th.AdaHedge(n).learn_losses_many(table)))
    low, high = watcher.loss
    assert Fraction(low) <= best <= Fraction(high)
    assert high - low <= 1e-12 * max(1.0, table.sum())
    found = best_sequence(table, switches)
    assert tuple(found.path) in paths
    assert float(best) == pytest.approx(found.loss, rel=1e-12)
    assert Fraction(found.loss) >= sum((Fraction(table[t, i]) for t, i in enumerate(found.path)), Fraction(0))


def test_a_long_sequence_is_followed_through_many_blocks() -> None:
    rng = np.random.default_rng(3)
    table = rng.random((3000, 4))
    for switches in (0, 1, 5):
        watcher = BestSequenceWatcher(th.BestSequence(switches))
        watcher.enter(played(th.AdaHedge(4).learn_losses_many(table)))
        assert watcher.loss[0] <= best_sequence(table, switches).loss <= watcher.loss[1] * (1 + 1e-12)


def retold(rounds: th.LossRounds, **changes: Any) -> th.LossRounds:
    return th.LossRounds(**{**{name: getattr(rounds, name) for name in rounds._fields}, **changes})


def facts(ledger: th.Ledger) -> list[object]:
    return [ledger.rounds, ledger.loss, ledger.regret if ledger.rounds else None, *map(str, ledger.certificates())]


@each_rule
def test_rounds_in_pieces_are_rounds_at_once_bit_for_bit(name: str) -> None:
    table = np.random.default_rng(4).random((700, 3))
    at_once, one_by_one, narrow = (th.Ledger(th.BestExpert(), th.BestSequence(2)) for _ in range(3))
    at_once.enter(RULES[name](3).learn_losses_many(table))
    rule = RULES[name](3)
    for row in table[:300]:
        one_by_one.enter(rule.learn_losses(row))
    one_by_one.enter(rule.learn_losses_many(table[300:300]))
    one_by_one.enter(rule.learn_losses_many(table[300:]))
    assert facts(at_once) == facts(one_by_one)
    narrow.enter(RULES[name](3).learn_losses_many(table.astype(np.float32)))
    assert narrow.rounds == 700


def test_a_row_changed_after_its_round_was_entered_is_counted_as_it_was() -> None:
    rule, ledger = th.AdaHedge(2), th.Ledger(th.BestExpert(), th.BestSequence(1))
    row = np.array([0.25, 1.0])
    for _ in range(3):
        ledger.enter(rule.learn_losses(row))
    row[:] = 7.0
    assert ledger.losses.lost_by(0) == (0.75, 0.75)
    assert ledger.regret == pytest.approx(rule.loss - 0.75, rel=1e-12)


def test_an_empty_ledger_says_nothing() -> None:
    ledger = th.Ledger(th.BestExpert(), th.BestSequence(1))
    ledger.enter(th.AdaHedge(2).learn_losses_many(np.empty((0, 2))))
    assert (ledger.rounds, ledger.loss, ledger.regret, ledger.certificates()) == (0, 0.0, 0.0, [])


def statuses(certificate: Certificate, word: str) -> list[tuple[Status, str]]:
    return [(premise.status, premise.detail) for premise in certificate.premises if word in premise.statement]


def test_losses_that_differ_by_more_than_1_void_hedge_and_say_where() -> None:
    ledger, rule = th.Ledger(th.BestExpert()), th.Hedge(2)
    ledger.enter(rule.learn_losses_many([[0.0, 1.0], [5.5, 6.5]]))
    assert [c.verdict for c in ledger.certificates()] == [Verdict.CERTIFIED]  # their size does not matter
    ledger.enter(rule.learn_losses([0.0, 1.5]))
    [certificate] = ledger.certificates()
    assert certificate.verdict is Verdict.VOID
    assert statuses(certificate, "differ by at most 1") == [(Status.BROKEN, "in round 3 they do not")]
    assert ledger.headline is None
    assert "void" in str(ledger)


def test_losses_outside_the_unit_void_what_is_about_their_sum_alone() -> None:
    ledger = th.Ledger(th.BestExpert())
    ledger.enter(th.Hedge(2, eta=0.5).learn_losses_many([[-0.5, 0.25], [0.0, 0.5]]))
    verdicts = {c.bound.theorem.name: c.verdict for c in ledger.certificates()}
    assert verdicts == {"Hedge, fixed rate": Verdict.CERTIFIED, "Hedge": Verdict.VOID}
    ledger = th.Ledger(th.BestExpert())
    ledger.enter(th.AdaHedge(2).learn_losses_many([[0.0, 2.0], [2.0, 0.0]]))
    verdicts = {c.bound.theorem.name: c.verdict for c in ledger.certificates()}
    assert verdicts.pop("AdaHedge") is Verdict.VOID
    assert set(verdicts.values()) == {Verdict.CERTIFIED}


@each_rule
def test_an_expert_asleep_voids_all_but_hedge_at_a_fixed_rate(name: str) -> None:
    rng = np.random.default_rng(6)
    table = rng.random((60, 3))
    table[20:30, 1] = math.nan
    table[25:45, 2] = math.nan
    ledger, rule = th.Ledger(th.BestExpert(), th.BestSequence(0)), RULES[name](3)
    rounds = rule.learn_losses_many(table)
    ledger.enter(rounds)
    fixed = name in ("Hedge, eta", "Hedge, large eta", "Hedge, horizon")
    for certificate in ledger.certificates():
        if certificate.bound.theorem.name == "Sleeping experts":
            awake = ~np.isnan(table)
            regrets = [exactly(rounds.loss[w]) - exactly(row[w]) for row, w in zip(table.T, awake.T, strict=True)]
            check_printed(certificate, max(regrets))
            assert float(max(regrets)) == pytest.approx(ledger.regret, rel=1e-12)
        else:
            assert certificate.verdict is Verdict.VOID
            assert (Status.BROKEN, "one did in round 21") in statuses(certificate, "no expert sleeps")
    assert any(c.verdict is Verdict.CERTIFIED for c in ledger.certificates()) == fixed


def test_rounds_made_in_python_are_conditional_or_refute_what_they_claim() -> None:
    rule, ledger = th.AdaHedge(2), th.Ledger(th.BestExpert())
    ledger.enter(retold(rule.learn_losses_many(np.random.default_rng(1).random((50, 2))), origin=None))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.CONDITIONAL}
    assert {c.bound.theorem.name for c in ledger.certificates()} == {"AdaHedge, any scale", "AdaHedge", "Hedge, anytime"}
    ledger, losses = th.Ledger(th.BestExpert()), np.tile([0.0, 1.0], (400, 1))
    ledger.enter(th.LossRounds(1, losses, np.ones(400)))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.REFUTED}
    ledger.check()  # it is no bug of ours


def test_rounds_that_begin_later_are_void() -> None:
    rule, ledger = th.AdaHedge(2), th.Ledger(th.BestExpert())
    rule.learn_losses([0.0, 1.0])
    ledger.enter(rule.learn_losses_many([[1.0, 0.0]] * 3))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.VOID}
    assert "the ledger begins at round 2" in str(ledger.certificates()[0])


def test_a_rule_of_which_no_theorem_speaks_leaves_the_ledger_silent() -> None:
    ledger = th.Ledger(th.BestSequence(3))
    ledger.enter(th.Hedge(2).learn_losses([0.0, 1.0]))
    assert ledger.certificates() == []
    assert "no theorem about a Hedge like this one speaks of a BestSequence" in str(ledger)


def check_refused(ledger: th.Ledger, entered: Any, said: str) -> None:
    left = facts(ledger)
    with pytest.raises(th.LedgerError, match=said):
        ledger.enter(entered)
    assert facts(ledger) == left


def test_rounds_that_do_not_follow_are_refused_and_change_nothing() -> None:
    rule, ledger = th.AdaHedge(2), th.Ledger(th.BestExpert(), th.BestSequence(1))
    first, second, third = (rule.learn_losses([0.25, float(k)]) for k in range(3))
    ledger.enter(first)
    check_refused(ledger, third, "found round 3, expected round 2")
    check_refused(ledger, first, "found round 1, expected round 2")
    other = th.AdaHedge(2)
    other.learn_losses([0.0, 1.0])
    check_refused(ledger, other.learn_losses([0.0, 1.0]), "do not follow")
    check_refused(ledger, th.LossRound(2, np.zeros(3), np.full(3, 1 / 3), 0.0), "found losses of 3 experts, expected 2")
    check_refused(ledger, th.Perceptron(2).learn([1, 1], 1), "found rounds with labels, expected rounds with losses")
    ledger.enter(second)
    ledger.enter(third)
    assert ledger.rounds == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"loss": math.nan}, "found a loss of the mixture"),
        ({"losses": np.array([math.nan, math.nan])}, "no expert is awake"),
        ({"losses": np.array([-math.inf, 1.0])}, "round 2: found a loss of -inf of expert 0"),
        ({"losses": np.array([["a", "b"]])}, "found losses of shape"),
        ({"losses": np.array(1.0)}, "found losses of shape"),
        ({"t": 0}, "found round 0"),
        ({"t": 2.0}, "found round 2.0"),
        ({"losses": np.array([0.5, 0.75])}, "the origin of these rounds is not theirs"),
        ({"loss": 0.99}, "the origin of these rounds is not theirs"),
        ({"origin": "AdaHedge"}, "found origin 'AdaHedge'"),
        (
            {"origin": Origin("AdaHedge", {"n": 2}, Heads(0, 0.0, 0.0, 0.0, 0, 0.0), Heads(1, 0.0, 0.5, 0.0, 0, 1.0))},
            "not theirs",
        ),
    ],
)
def test_what_cannot_be_a_round_or_has_a_forged_origin_is_refused(change: dict[str, Any], said: str) -> None:
    rule, ledger = th.AdaHedge(2), th.Ledger(th.BestExpert(), th.BestSequence(1))
    ledger.enter(rule.learn_losses([0.0, 1.0]))
    check_refused(ledger, rule.learn_losses([0.0, 1.0])._replace(**change), said)


def test_an_origin_with_other_heads_is_not_theirs() -> None:
    rounds = th.AdaHedge(2).learn_losses_many([[0.0, 1.0], [1.0, 0.0]])
    origin = rounds.origin
    assert origin is not None
    for heads in ({"rounds": 3}, {"loss": 0.25}, {"slept": 1}, {"largest": 0.5}, {"gap": -1.0}):
        check_refused(th.Ledger(), retold(rounds, origin=origin._replace(after=origin.after._replace(**heads))), "not theirs")
    check_refused(th.Ledger(), retold(rounds, origin=origin._replace(arguments={"n": 3})), "not theirs")


def test_comparators_take_the_rounds_that_they_can_watch() -> None:
    labels, losses = th.Ledger(th.Separator([1.0, 1.0])), th.Ledger(th.BestSequence(1))
    with pytest.raises(th.LedgerError, match="found rounds with losses, which a Separator does not watch"):
        labels.enter(th.AdaHedge(2).learn_losses([0.0, 1.0]))
    with pytest.raises(th.LedgerError, match="found rounds with labels, which a BestSequence does not watch"):
        losses.enter(th.Perceptron(2).learn([1, 1], 1))
    labels.enter(th.Perceptron(2).learn([1, 1], 1))
    with pytest.raises(th.LedgerError, match="found rounds with labels: a regret is of rounds with losses"):
        _ = labels.regret
    bad: Any
    for bad in (-1, 1.5, "1", 2**21):
        with pytest.raises(th.ParameterError, match="found switches"):
            th.BestSequence(bad)


def test_a_refused_block_is_taken_back_from_every_watcher() -> None:
    ledger = th.Ledger(th.BestSequence(1), th.BestExpert(), th.Mixture([0.5, 0.5]))
    check_refused(ledger, th.AdaHedge(2).learn_losses([0.0, 1.0]), "a Mixture mixes forecasts")
    assert ledger.rounds == 0


def test_a_certificate_of_losses_in_words_and_as_json() -> None:
    ledger = th.Ledger(th.BestExpert(names=["ann", "bob"].__getitem__))
    ledger.enter(th.AdaHedge(2).learn_losses_many([[0.0, 1.0]] * 40))
    certificate = ledger.headline
    assert certificate is not None
    lines = certificate.lines()
    assert lines["Witness"] == "ann, the best of 2, which lost 0"
    assert lines["Compare"] == "40 rounds; the plain average of the experts lost 20, the worst expert 40"
    assert lines["Says"].startswith("in these 40 rounds, in this order, the regret is at most ")
    assert lines["Assumed"] == "nothing"
    told = json.loads(json.dumps(certificate.as_dict()))
    assert {"theorem", "on", "count", "bound", "verdict", "premises"} <= set(told)
    assert (told["on"], told["verdict"], told["at_most"] >= told["bound"] >= told["count"]) == ("regret", "certified", True)
    assert certificate.verify.startswith(f"th.bounds.adahedge_run(gaps={certificate.numbers['gaps']!r}, rounding=")
    assert th.bounds.adahedge_run(**certificate.numbers) == certificate.bound
    assert "regret" in ledger._repr_html_()


def test_a_bound_no_smaller_than_what_the_worst_expert_loses_says_little() -> None:
    ledger = th.Ledger(th.BestExpert())
    ledger.enter(th.AdaHedge(2).learn_losses_many([[0.5, 0.5], [0.5, 0.75]]))
    assert all(certificate.says_little for certificate in ledger.certificates())
    assert "says little: the worst expert comes to 0.25" in str(ledger)
    assert "nothing certified here says more than the worst expert does" in str(ledger)


@given(seed=seeds)
def test_adahedge_keeps_its_promise_where_losses_grow_a_million_times(seed: int) -> None:
    """Weights below what float64 holds count in the mix loss: without them the gaps of such a jump would be lost."""
    rng = np.random.default_rng(seed)
    table = np.cumsum(rng.normal(size=(300, int(rng.integers(2, 6)))), axis=0)
    table[200:] *= 10.0 ** int(rng.integers(1, 8))
    ledger = th.Ledger(th.BestExpert())
    ledger.enter(th.AdaHedge(table.shape[1]).learn_losses_many(table))
    assert ledger.certificates()[0].verdict is Verdict.CERTIFIED
