"""The state of a portfolio: what is damaged is refused, and nothing else ever happens."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.portfolios import N, everything_of, lanes, noisy

Damage = Callable[[dict[str, Any], dict[str, Any]], None]


def state_of(*, weighted: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    made = th.Portfolio(N, lanes(), cost_positive=2.0 if weighted else 1.0)
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


def _put(anything: Any, key: object, value: object) -> None:
    anything[key] = value


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
    "a lane with fewer rounds": setter("lanes", 3, "heads", "rounds", to=59),
    "a constant of no label": setter("lanes", 0, "arguments", "label", to=2),
    "a constant with fewer rounds": setter("lanes", 0, "heads", "rounds", to=59),
    "a constant with rounds that are none": setter("lanes", 0, "heads", "rounds", to=2**70),
    "a constant with another head": setter("lanes", 0, "heads", to={"mistakes": 3}),
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
    "sizes of another kind": array("vote.sizes", lambda a: a.astype(np.float32)),
    "sizes of another shape": array("vote.sizes", lambda a: a[:-1]),
    "sizes that are none": array("vote.sizes", lambda a: a.tolist()),
    "a lane's weights of another shape": array("lane5.weights", lambda a: a[:-1]),
    "a lane's weights that are no numbers": entry("lane5.weights", math.nan),
    "an array less": lambda _, arrays: arrays.pop("vote.sizes"),
    "an array of a lane less": lambda _, arrays: arrays.pop("lane5.weights"),
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
def test_a_state_survives_json_and_is_copied(weighted: bool) -> None:
    parameters, arrays = state_of(weighted=weighted)
    made = th.Portfolio.from_state(json.loads(json.dumps(parameters)), arrays)
    before = everything_of(made)
    for each in arrays.values():
        each[...] = 0
    assert everything_of(made) == before
    assert json.loads(json.dumps(parameters)) == parameters


def test_a_state_before_the_first_round_is_one() -> None:
    fresh = th.Portfolio(N, lanes())
    assert everything_of(th.Portfolio.from_state(*fresh.state())) == everything_of(fresh)
    parameters, arrays = fresh.state()
    spoiled = {name: np.array(array) for name, array in arrays.items()}
    spoiled["vote.sizes"][2] = 1.0
    with pytest.raises(th.StoreError):
        th.Portfolio.from_state(parameters, spoiled)


numbers = st.one_of(
    st.floats(), st.integers(-(2**70), 2**70), st.none(), st.booleans(), st.sampled_from(["", "AROW", [], {}, [1.0]])
)


@settings(max_examples=300)
@given(data=st.data(), weighted=st.booleans())
def test_whatever_is_changed_it_is_refused_or_goes_on_to_learn(data: st.DataObject, weighted: bool) -> None:
    parameters, arrays = state_of(weighted=weighted)
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
        arrays[name][data.draw(st.integers(0, len(arrays[name]) - 1))] = data.draw(
            st.floats() if arrays[name].dtype == np.float64 else st.integers(-(2**63), 2**63 - 1)
        )
    try:
        made = th.Portfolio.from_state(parameters, arrays)
    except th.StoreError:
        return
    X, y = noisy(20, seed=7)
    rounds = made.learn_many(X, y)
    assert np.isfinite(rounds.losses).all()
    assert all(0.0 <= chance <= 1.0 for chance in made.calibrated_many(X))
