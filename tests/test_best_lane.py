"""The composed certificate of a portfolio: it holds against exact fractions, on every stream, whoever chooses the labels."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.portfolios import MASTERS, N, lanes, noisy
from thresher import bounds
from thresher.bounds import Verdict

each_master = pytest.mark.parametrize("master", MASTERS)


def exactly(weights: NDArray[np.float64], wrong: NDArray[np.bool_]) -> Fraction:
    """The share of these weights on wrong lanes."""
    parts = [Fraction(float(weight)) for weight in weights]
    return sum((part for part, erred in zip(parts, wrong, strict=True) if erred), Fraction(0)) / sum(parts)


def check_exactly(made: th.Portfolio, ledger: th.Ledger, lost: Fraction, by_lane: list[Fraction], missed: Fraction) -> None:
    """Both certificates hold of what was lost, summed in fractions, and are made of numbers on the safe side."""
    certificates = {each.bound.theorem.name: each for each in ledger.certificates()}
    loss, mistakes = certificates["Portfolio, loss"], certificates["Portfolio, mistakes"]
    assert {loss.verdict, mistakes.verdict} == {Verdict.CERTIFIED}
    assert lost <= Fraction(loss.bound.value)
    assert missed <= 2 * lost * (1 + Fraction(1, 10**12)) <= Fraction(mistakes.bound.value) * (1 + Fraction(1, 10**9))
    assert abs(lost - Fraction(loss.count)) <= Fraction(1, 10**9) * (1 + lost)
    assert Fraction(loss.numbers["best"]) >= min(by_lane)
    assert Fraction(mistakes.numbers["loss"]) + Fraction(mistakes.numbers["rounding"]) >= lost
    assert bounds.portfolio_loss(**loss.numbers).value == loss.bound.value
    assert made.loss == pytest.approx(float(lost), rel=1e-9)
    ledger.check()


@each_master
@pytest.mark.parametrize("cost", [1.0, 0.25, 3.0])
def test_an_adversary_that_sees_the_weights_does_not_get_past_it(master: str, cost: float) -> None:
    """Labels against the vote, then against the best lane: with weights and costs too, and summed in fractions."""
    made = th.Portfolio(N, lanes(), MASTERS[master](len(lanes())), cost_positive=cost)
    ledger, rng = th.Ledger(th.BestLane()), np.random.default_rng(0)
    lost, missed, by_lane = Fraction(0), Fraction(0), [Fraction(0)] * len(lanes())
    for t in range(150):
        x, weights = rng.integers(-2, 3, N).astype(float), made.lane_weights
        against = made.predict(x).label if t < 75 else made.learner(made.best_lane).predict(x).label or 1
        weight = float(rng.choice([1.0, 0.5, 0.0])) if cost != 1.0 else 1.0
        played = made.learn(x, -against, weight)
        ledger.enter(played)
        assert played.lane_mistakes is not None
        wrong, price = played.lane_mistakes.astype(bool), Fraction(weight) * Fraction(cost if played.label > 0 else 1.0)
        lost += exactly(weights, wrong) * price
        missed += price * played.mistake
        by_lane = [each + price * bool(erred) for each, erred in zip(by_lane, wrong, strict=True)]
    check_exactly(made, ledger, lost, by_lane, missed)
    assert made.mistakes >= 75


@each_master
@given(signs=st.lists(st.tuples(st.integers(0, 2**10 - 1), st.booleans()), min_size=1, max_size=40))
def test_no_stream_gets_past_it(master: str, signs: list[tuple[int, bool]]) -> None:
    X = np.array([[(row >> k) & 1 for k in range(N)] for row, _ in signs], dtype=np.float64)
    made, ledger = th.Portfolio(N, lanes(), MASTERS[master](len(lanes()))), th.Ledger(th.BestLane())
    ledger.enter(made.learn_many(X, [label for _, label in signs]))
    assert {each.verdict for each in ledger.certificates()} == {Verdict.CERTIFIED}
    best = min(made.lane_mistakes.tolist())
    loss = next(each for each in ledger.certificates() if each.bound.on == "loss")
    assert loss.numbers["best"] == best


def test_two_lanes_of_equal_weight_attain_twice_the_loss() -> None:
    made, ledger = th.Portfolio(1, [th.Constant(1, +1), th.Constant(1, -1)]), th.Ledger(th.BestLane())
    ledger.enter(made.learn([1.0], -1))
    certificate = next(each for each in ledger.certificates() if each.bound.on == "mistakes")
    assert (certificate.count, certificate.bound.at_most) == (1, 1)


def test_the_witness_is_the_lane_by_name() -> None:
    X, y = noisy(300)
    made, ledger = th.Portfolio(N, lanes()), th.Ledger(th.BestLane())
    ledger.enter(made.learn_many(X, y))
    headline = ledger.headline
    assert headline is not None
    name, erred = made.lanes[made.best_lane], made.lane_mistakes[made.best_lane]
    assert headline.witness == f"the lane {name}, which made {erred} mistakes"
    assert headline.bound.on == "loss"
    assert "the loss is at most" in headline.lines()["Says"]
    assert headline.lines()["Verify"].startswith("th.bounds.portfolio_loss(best=")


def test_weighted_rounds_are_held_against_weighted_mistakes() -> None:
    X, y = noisy(300)
    made, ledger = th.Portfolio(N, lanes(), cost_positive=3.0), th.Ledger(th.BestLane())
    rounds = made.learn_many(X, y)
    ledger.enter(rounds)
    costs = np.where(y > 0, 3.0, 1.0)
    weighted = next(each for each in ledger.certificates() if each.bound.on == "weighted mistakes")
    assert weighted.count == costs[rounds.predictions != rounds.labels].sum()
    assert "the weighted mistakes are at most" in weighted.lines()["Says"]
    assert "weighted=True" in weighted.lines()["Verify"]
    assert f"which lost {made.lane_losses.min():g} with" in ledger.certificates()[0].witness
    assert weighted.as_dict()["on"] == "weighted mistakes"


def test_one_by_one_many_pieces_and_pickles_are_worth_the_same() -> None:
    X, y = noisy(90)
    ledgers = [th.Ledger(th.BestLane()) for _ in range(3)]
    ledgers[0].enter(th.Portfolio(N, lanes()).learn_many(X, y))
    one, pieces = th.Portfolio(N, lanes()), th.Portfolio(N, lanes())
    for x, label in zip(X, y, strict=True):
        ledgers[1].enter(one.learn(x, label))
    for part in np.array_split(np.arange(90), 4):
        ledgers[2].enter(pickle.loads(pickle.dumps(pieces.learn_many(X[part], y[part]))))
    told = [[each.as_dict() for each in ledger.certificates()] for ledger in ledgers]
    assert told[0] == told[1] == told[2]
    assert str(ledgers[0]) == str(ledgers[1])


def verdicts(ledger: th.Ledger) -> set[Verdict]:
    return {each.verdict for each in ledger.certificates()}


def test_what_is_not_known_is_not_certified() -> None:
    X, y = noisy(60)
    made, late, whole = th.Portfolio(N, lanes()), th.Ledger(th.BestLane()), th.Ledger()
    rounds = made.learn_many(X[:30], y[:30])
    whole.enter(rounds)
    single = th.Ledger(th.BestLane())
    for k in range(30):
        single.enter(rounds[k])
    assert single.certificates() == []
    resumed, more = th.Ledger(th.BestLane(), after=whole.tally), made.learn_many(X[30:], y[30:])
    late.enter(more)
    assert verdicts(late) == {Verdict.VOID}
    resumed.enter(more)
    assert verdicts(resumed) == {Verdict.CONDITIONAL}
    with pytest.raises(th.LedgerError, match="another learner's"):
        resumed.enter(copy_that_went_its_own_way(X, y))


def copy_that_went_its_own_way(X: Any, y: Any) -> th.Rounds:
    made = th.Portfolio(N, lanes())
    made.learn_many(X, -y)
    return made.learn_many(X, y)


def test_other_learners_have_no_lanes() -> None:
    X, y = noisy(20)
    ledger = th.Ledger(th.BestLane())
    ledger.enter(th.Perceptron(N).learn_many(X, y))
    assert ledger.certificates() == []
    assert "no theorem about a Perceptron speaks of a BestLane" in str(ledger)


@pytest.mark.parametrize("comparators", [(), (th.Separator(np.ones(N)),)])
def test_a_ledger_that_says_nothing_of_a_portfolio_says_what_to_type(comparators: tuple[th.Separator, ...]) -> None:
    X, y = noisy(20)
    rounds, ledger = th.Portfolio(N, lanes()).learn_many(X, y), th.Ledger(*comparators)
    typed = "th.Ledger(th.BestLane())"
    assert typed not in str(ledger) + ledger._repr_html_()
    ledger.enter(rounds)
    assert typed in str(ledger)
    assert typed in ledger._repr_html_()
    said = th.Ledger(th.BestLane())
    said.enter(rounds)
    assert typed not in str(said)
    assert said.certificates()


def test_rounds_are_no_comparators() -> None:
    others: list[Any] = [th.Portfolio(N, lanes()).learn_many(*noisy(20)), th.BestLane]
    for found in others:
        with pytest.raises(th.ParameterError, match=r"expected a comparator.* th\.BestLane\(\) for a portfolio; .* by enter"):
            th.Ledger(found)


def test_a_failed_entry_leaves_the_standing_as_it_was() -> None:
    X, y = noisy(40)
    made, ledger = th.Portfolio(N, lanes()), th.Ledger(th.BestLane(), th.Separator(np.ones(N)))
    rounds = made.learn_many(X, y)
    ledger.enter(rounds)
    before = [each.as_dict() for each in ledger.certificates()]
    with pytest.raises(th.LedgerError):
        ledger.enter(rounds)
    assert [each.as_dict() for each in ledger.certificates()] == before


def test_a_rate_that_rounding_does_not_cover_is_void() -> None:
    X, y = noisy(20)
    made, ledger = th.Portfolio(N, lanes(), th.FixedShare(len(lanes()), eta=601.0)), th.Ledger(th.BestLane())
    ledger.enter(made.learn_many(X, y))
    assert {each.bound.on: each.verdict for each in ledger.certificates()} == {
        "loss": Verdict.VOID, "mistakes": Verdict.CERTIFIED,
    }  # fmt: skip


@pytest.mark.parametrize(("numbers", "words"), [({"best": -1, "regret": 1}, "best"), ({"best": 1, "regret": -1}, "regret")])
def test_a_bound_of_negative_numbers_is_refused(numbers: dict[str, float], words: str) -> None:
    with pytest.raises(th.ParameterError, match=words):
        bounds.portfolio_loss(**numbers)
    with pytest.raises(th.ParameterError, match="loss"):
        bounds.portfolio_mistakes(-1.0)
