"""The state of a portfolio: what is damaged is refused, and nothing else ever happens."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.effort import tried
from tests.oracles import everything
from tests.portfolios import KITS, N, everything_of, lanes, noisy
from thresher.linear import LinearLearner

Damage = Callable[[dict[str, Any], dict[str, Any]], None]


def state_of(kit: str = "mixed", *, weighted: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    made = th.Portfolio(N, KITS[kit](), cost_positive=2.0 if weighted else 1.0)
    X, y = noisy(60)
    made.learn_many(X, y, np.linspace(0.0, 2.0, 60) if weighted else None)
    parameters, arrays = made.state()
    return copy.deepcopy(parameters), {name: np.array(array) for name, array in arrays.items()}


def setter(*path: Any, to: Any) -> Damage:
    """Damage to the parameters at this path."""

    def damage(parameters: dict[str, Any], _arrays: dict[str, Any]) -> None:
        at: Any = parameters
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = to

    return damage


def entry(name: str, to: Any, i: int = 0) -> Damage:
    return lambda _parameters, arrays: arrays[name].__setitem__(i, to)


def array(name: str, to: Callable[[Any], Any]) -> Damage:
    return lambda _parameters, arrays: arrays.__setitem__(name, to(arrays[name]))


def head(name: str, to: Any) -> Damage:
    return setter("heads", name, to=to)


def bank(name: str, to: Any) -> Damage:
    return setter("bank", name, to=to)


def both(*damages: Damage) -> Damage:
    def damage(parameters: dict[str, Any], arrays: dict[str, Any]) -> None:
        for each in damages:
            each(parameters, arrays)

    return damage


def _put(anything: Any, key: object, value: object) -> None:
    anything[key] = value


def told(learner: LinearLearner) -> dict[str, Any]:
    """What a state says of this learner, were it a lane of the bank."""
    return {**learner.state()[0], "heads": None}


CALLED = next(i for i, lane in enumerate(lanes()) if isinstance(lane, th.PNormPerceptron))

DAMAGES: dict[str, Damage] = {
    "another learner": setter("learner", to="Perceptron"),
    "no lanes": setter("lanes", to=[]),
    "lanes that are none": setter("lanes", to="AROW"),
    "a lane that is none": setter("lanes", 3, to="AROW"),
    "a lane of no known kind": setter("lanes", 3, "learner", to="os.system"),
    "a lane whose kind is no name": setter("lanes", 3, "learner", to=["AROW"]),
    "a lane of another size": setter("lanes", 3, "arguments", "n", to=4),
    "a lane with another argument": setter("lanes", 5, "arguments", "q", to=4),
    "a lane without heads": lambda parameters, _: parameters["lanes"][3].pop("heads"),
    "a lane with no argument but n": setter("lanes", 5, "arguments", to={"n": N}),
    "a lane whose argument is none": setter("lanes", 5, "arguments", "r", to="1"),
    "a lane whose argument is of another type": setter("lanes", 5, "arguments", "bias", to=1),
    "a lane whose argument float32 has no room for": setter("lanes", 5, "arguments", "bias", to=2.0**60),
    "a lane that became one of a kind that fits no bank": setter("lanes", 5, to=told(th.Winnow(N))),
    "a lane that became another of the bank": setter("lanes", 5, to=told(th.Perceptron(N))),
    "a lane of the bank that is called": setter("lanes", 5, to=th.AROW(N, r=0.1, bias=1.0).state()[0]),
    "a called lane in the bank": setter("lanes", CALLED, "heads", to=None),
    "a called lane with fewer rounds": setter("lanes", CALLED, "heads", "rounds", to=59),
    "a called lane with rounds that are none": setter("lanes", CALLED, "heads", "rounds", to=2**70),
    "a called lane with another head": setter("lanes", CALLED, "heads", to={"mistakes": 3}),
    "a constant of no label": setter("lanes", 0, "arguments", "label", to=2),
    "a constant with heads of its own": setter("lanes", 0, "heads", to={"rounds": 60}),
    "no bank": setter("bank", to=None),
    "a bank that is a list": setter("bank", to=[]),
    "a bank with a head less": lambda parameters, _: parameters["bank"].pop("AROW bias_weight"),
    "a bank with another head": bank("AROW more", [0.0]),
    "a bank of other rounds": bank("rounds", 59),
    "a bank whose rounds are none": bank("rounds", 60.0),
    "a bank with another spelling": bank("negative", 0),
    "a bank with a spelling that is none": bank("negative", 7),
    "a bank with other collisions": bank("collisions", 3),
    "a bank with collisions below 0": both(bank("collisions", -1), head("collisions", -1)),
    "a bank's head that is no list": bank("AROW bias_weight", 0.5),
    "a bank's head of another size": bank("AROW bias_weight", [0.5, 0.5]),
    "a bank's head that is a whole number": bank("AROW bias_weight", [1]),
    "a bank's head that is no number": bank("AROW bias_weight", [math.nan]),
    "a bank's head that is infinite": bank("AROW bias_weight", [math.inf]),
    "a bank's head that float32 does not have": bank("AROW bias_weight", [0.1]),
    "a bank's variance of 0": bank("AROW bias_variance", [0.0]),
    "a bank's variance below 0": bank("AROW bias_variance", [-0.5]),
    "a bank's variance above 1": bank("AROW bias_variance", [1.5]),
    "a bank's square below 0": bank("AdaGrad bias_square", [-1.0, 0.0]),
    "a bank's total below 0": bank("Invariant total", [-1.0]),
    "a bank's normalizer below 0": bank("Invariant normalizer", [-1.0]),
    "a bank's age below 0": bank("averaged age", [-1.0]),
    "a bank's scale below 0": bank("Winnow scale", [-1.0]),
    "a bank's threshold below 0": bank("Winnow threshold", [-1.0]),
    "a bank's weight of Winnow at 0": bank("Winnow bias_weight", [0.0]),
    "a bank's weight of Winnow beyond its reach": bank("Winnow bias_weight", [2.0**61]),
    "one lane less": lambda parameters, _: parameters["lanes"].pop(),
    "n": setter("arguments", "n", to=4),
    "n that is none": setter("arguments", "n", to="5"),
    "n that is huge": setter("arguments", "n", to=2**60),
    "another argument": setter("arguments", "m", to=4),
    "a cost of 0": setter("arguments", "cost_positive", to=0.0),
    "a cost that is none": setter("arguments", "cost_positive", to="1"),
    "no master": setter("master", to=None),
    "a master of no known kind": setter("master", "rule", to="Forecaster"),
    "a master whose kind is no name": setter("master", "rule", to=["AdaHedge"]),
    "a master of another size": setter("master", "arguments", "n", to=4),
    "a master with another argument": setter("master", "arguments", "eta", to=4.0),
    "a master of other rounds": setter("master", "heads", "rounds", to=61),
    "a master that lost too much": setter("master", "heads", "loss", to=1e6),
    "a master that gained": setter("master", "heads", "loss", to=-5.0),
    "a master that was told other losses": entry("master.losses", 1.0),
    "a master without weights": array("master.weights", lambda a: a * 0.0),
    "heads that are none": setter("heads", to=[]),
    "a head less": lambda parameters, _: parameters["heads"].pop("slope"),
    "more mistakes than rounds": head("mistakes", 61),
    "mistakes that are none": head("mistakes", 3.0),
    "updates below 0": head("updates", -1),
    "collisions below 0": head("collisions", -1),
    "no history": head("history", 0),
    "a spelling that is none": head("negative", 3),
    "weights from later on": head("weighted", 61),
    "mistakes that cost less": head("missed", 0.0),
    "mistakes that cost more than all rounds": head("missed", 1e9),
    "rounds that cost nothing": head("cost", 0.0),
    "a sum that is no number": head("cost", math.nan),
    "a sum that is infinite": head("log_loss", math.inf),
    "a slope below 0": head("slope", -1.0),
    "a slope that is too steep": head("slope", 65.0),
    "an offset that is too far": head("offset", -33.0),
    "a spread below 0": head("slope_spread", -1.0),
    "a spread above that of the beginning": head("offset_spread", 1.0),
    "a spread of no matrix": head("cross_spread", 0.3),
    "weights below 0": head("weights", -1.0),
    "a log loss below 0": head("log_loss", -1.0),
    "a product of chances above 1": head("product", 1.5),
    "a product of chances of 0": head("product", 0.0),
    "a lane that erred too often": entry("vote.mistakes", 61),
    "a lane that erred less than never": entry("vote.mistakes", -1),
    "a lane that lost another number": entry("vote.losses", 1.5),
    "a lane that lost no number": entry("vote.losses", math.nan),
    "a lane with a rest": entry("vote.rests", 1e-3),
    "a size below 0": entry("vote.sizes", -1.0),
    "a size that is infinite": entry("vote.sizes", math.inf),
    "a unit below 0": entry("vote.units", -1.0),
    "a unit that is infinite": entry("vote.units", math.inf),
    "a unit of another size": entry("vote.units", 1e-9),
    "sizes of another kind": array("vote.sizes", lambda a: a.astype(np.float32)),
    "sizes of another shape": array("vote.sizes", lambda a: a[:-1]),
    "sizes that are none": array("vote.sizes", lambda a: a.tolist()),
    "a called lane's weights of another shape": array(f"lane{CALLED}.theta", lambda a: a[:-1]),
    "a called lane's weights that are no numbers": entry(f"lane{CALLED}.theta", math.nan),
    "an array less": lambda _, arrays: arrays.pop("vote.sizes"),
    "an array of a called lane less": lambda _, arrays: arrays.pop(f"lane{CALLED}.theta"),
    "an array of a lane of the bank": lambda _, arrays: arrays.update({"lane5.weights": np.zeros(N)}),
    "an array of the bank less": lambda _, arrays: arrays.pop("bank.AROW variances"),
    "an array of the bank more": lambda _, arrays: arrays.update({"bank.AROW more": np.zeros(N, np.float32)}),
    "an array of the bank twice as wide": array("bank.AROW weights", lambda a: np.concatenate([a, a])),
    "an array of the bank too short": array("bank.AROW weights", lambda a: a[:-1]),
    "an array of the bank in rows": array("bank.AROW weights", lambda a: a.reshape(N, 1)),
    "an array of the bank in float64": array("bank.AROW weights", lambda a: a.astype(np.float64)),
    "an array of the bank in another order": array("bank.AROW weights", lambda a: a.astype(">f4")),
    "an array of the bank that is a list": array("bank.AROW weights", lambda a: a.tolist()),
    "an array of the bank with masks": array("bank.AROW weights", np.ma.masked_array),
    "a weight of the bank that is no number": entry("bank.AROW weights", math.nan),
    "a weight of the bank that is infinite": entry("bank.first order weights", math.inf),
    "a weight of the bank beyond its reach": entry("bank.first order weights", 2.0**61),
    "a lag of the bank beyond its reach": entry("bank.averaged lag", 2.0**121),
    "a variance of the bank of 0": entry("bank.AROW variances", 0.0),
    "a variance of the bank below 0": entry("bank.AROW variances", -0.5),
    "a variance of the bank above 1": entry("bank.AROW variances", 1.5),
    "a square of the bank below 0": entry("bank.AdaGrad squares", -1.0),
    "a square of the bank that is no number": entry("bank.Invariant squares", math.nan),
    "a scale of the bank below 0": entry("bank.Invariant scales", -1.0),
    "a scale of the bank beyond all values": entry("bank.Invariant scales", 2.0**41),
    "a weight of Winnow of 0": entry("bank.Winnow weights", 0.0),
    "a weight of Winnow below 0": entry("bank.Winnow below", -1.0),
    "a weight of Winnow beyond its reach": entry("bank.Winnow below", 2.0**61),
    "weights of Winnow below 0 too short": array("bank.Winnow below", lambda a: a[:-1]),
    "an array of nobody's": lambda _, arrays: arrays.update({"lane99.weights": np.zeros(N)}),
    "an array of a constant": lambda _, arrays: arrays.update({"lane0.weights": np.zeros(N)}),
    "an array with a number for a name": lambda _, arrays: _put(arrays, 3, np.zeros(N)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_state_is_refused(damage: str) -> None:
    parameters, arrays = state_of()
    DAMAGES[damage](parameters, arrays)
    with pytest.raises(th.StoreError):
        th.Portfolio.from_state(parameters, arrays)


@pytest.mark.parametrize("parameters", [None, [], {}, {"learner": "Portfolio"}, "Portfolio"])
def test_what_is_no_state_is_refused(parameters: Any) -> None:
    with pytest.raises(th.StoreError):
        th.Portfolio.from_state(parameters, {})
    with pytest.raises(th.StoreError):
        th.Portfolio.from_state(state_of()[0], parameters)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kit", KITS)
def test_a_state_survives_json_in_any_order_and_is_copied(kit: str, weighted: bool) -> None:
    parameters, arrays = state_of(kit, weighted=weighted)
    made = th.Portfolio.from_state(json.loads(json.dumps(parameters, sort_keys=True)), arrays)
    before = everything_of(made)
    assert before == (repr(parameters), {name: array.tobytes() for name, array in arrays.items()})
    for each in arrays.values():
        each[...] = 0
    assert everything_of(made) == before
    assert json.loads(json.dumps(parameters)) == parameters


@pytest.mark.parametrize("kit", KITS)
def test_a_state_before_the_first_round_is_one(kit: str) -> None:
    fresh = th.Portfolio(N, KITS[kit]())
    assert everything_of(th.Portfolio.from_state(*fresh.state())) == everything_of(fresh)
    parameters, arrays = fresh.state()
    spoiled = {name: np.array(array) for name, array in arrays.items()}
    spoiled["vote.sizes"][2] = 1.0
    with pytest.raises(th.StoreError):
        th.Portfolio.from_state(parameters, spoiled)


def test_winnow_has_weights_for_values_below_0_once_they_came() -> None:
    made = th.Portfolio(N, KITS["banked"]())
    made.learn_many(np.abs(noisy(30)[0]), noisy(30)[1])
    parameters, arrays = made.state()
    assert "bank.Winnow below" not in arrays
    again = th.Portfolio.from_state(parameters, arrays)
    for each in (made, again):
        each.learn_many(*noisy(30))
    assert "bank.Winnow below" in made.state()[1]
    assert everything_of(again) == everything_of(made)


numbers = st.one_of(
    st.floats(), st.integers(-(2**70), 2**70), st.none(), st.booleans(), st.sampled_from(["", "AROW", [], {}, [1.0]])
)


@tried(300)
@given(data=st.data(), kit=st.sampled_from(sorted(KITS)), weighted=st.booleans())
def test_whatever_is_changed_it_is_refused_or_goes_on_to_learn(data: st.DataObject, kit: str, weighted: bool) -> None:
    parameters, arrays = state_of(kit, weighted=weighted)
    if data.draw(st.booleans()):
        at: Any = parameters
        while True:
            key = (
                data.draw(st.sampled_from(sorted(at, key=str)))
                if isinstance(at, dict)
                else data.draw(st.integers(0, len(at) - 1))
            )
            if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.integers(0, 9)) == 0:
                break
            at = at[key]
        at[key] = data.draw(numbers)
    else:
        name = data.draw(st.sampled_from(sorted(arrays)))
        kinds = {"f8": st.floats(), "f4": st.floats(width=32), "i8": st.integers(-(2**63), 2**63 - 1)}
        at = data.draw(st.integers(0, len(arrays[name]) - 1))
        arrays[name][at] = data.draw(kinds[arrays[name].dtype.str[1:]])
    try:
        made = th.Portfolio.from_state(parameters, arrays)
    except th.StoreError:
        return
    X, y = noisy(20, seed=7)
    rounds = made.learn_many(X, y)
    assert np.isfinite(rounds.losses).all()
    assert np.isfinite(rounds.scores).all()
    assert everything_of(th.Portfolio.from_state(*made.state())) == everything_of(made)
    assert all(0.0 <= chance <= 1.0 for chance in made.calibrated_many(X))


def test_weights_that_undo_the_cost_leave_a_state_that_can_be_read() -> None:
    made = th.Portfolio(N, cost_positive=2.0)
    made.learn_many(np.ones((5, N)), [+1] * 5, [0.5] * 5)  # each round costs 1, and there is no negative example
    assert th.Portfolio.from_state(*made.state()).loss == made.loss


@pytest.mark.parametrize("cost", [7.1, 0.3, 0.001])
def test_an_invariant_lane_that_was_taken_out_can_be_made_again(cost: float) -> None:
    """Its sums are rounded to float32: one of them sooner than the other."""
    portfolio = th.Portfolio(4, [th.Invariant(4, bias=1.0)], cost_positive=cost)
    portfolio.learn_many(np.ones((3000, 4)), np.where(np.arange(3000) % 2, 1, -1), np.full(3000, 0.1))
    taken = portfolio.learner(0)
    assert everything(th.Invariant.from_state(*taken.state())) == everything(taken)


def test_an_adagrad_lane_whose_squares_are_infinite_can_be_made_again_when_it_was_taken_out() -> None:
    portfolio = th.Portfolio(2, [th.AdaGrad(2, bias=1.0)], cost_positive=2.0**60)
    portfolio.learn_many(np.full((8000, 2), 2.0**40), np.where(np.arange(8000) % 2, 1, -1), np.full(8000, 2.0**20))
    assert np.isinf(portfolio.state()[1]["bank.AdaGrad squares"]).all()
    taken = portfolio.learner(0)
    assert np.isfinite(taken.state()[1]["squares"]).all()
    assert everything(th.AdaGrad.from_state(*taken.state())) == everything(taken)
