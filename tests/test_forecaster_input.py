"""Forecaster: who sleeps, who is out, what is refused and leaves everything as it was, states that are damaged."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.forecasts import MAKERS, everything, losses_of, streams
from thresher.experts import LossRule

nan, inf = math.nan, math.inf
each_kind = pytest.mark.parametrize("name", MAKERS)


# ---- asleep ---------------------------------------------------------------------------------------------------------


@each_kind
@given(data=st.data())
def test_an_expert_asleep_loses_nothing_and_says_nothing(name: str, data: st.DataObject) -> None:
    stream = data.draw(streams(name, rounds=8, asleep=True))
    forecaster = MAKERS[name]()
    asleep = np.isnan(stream.given if stream.given.ndim == 2 else stream.given[:, :, 0])
    rounds = forecaster.learn_many(*stream)
    lost = losses_of(name, stream.given, stream.outcomes)
    assert np.array_equal(np.isnan(rounds.losses), asleep)
    if not len(rounds):
        return
    assert np.allclose(forecaster.losses, np.where(asleep, 0.0, lost).sum(axis=0))
    met = rounds.loss[:, np.newaxis] - lost
    assert math.isclose(forecaster.regret, np.where(asleep, 0.0, met).sum(axis=0).max(), abs_tol=1e-9)
    assert rounds.forecasts is not None
    low, high = np.nanmin(stream.given, axis=1), np.nanmax(stream.given, axis=1)
    if name != "brier, outcomes":
        assert (low <= rounds.forecasts + 1e-12).all()
        assert (rounds.forecasts <= high + 1e-12).all()
    assert (forecaster.proven is None) == bool(asleep.any())


@pytest.mark.parametrize("name", ["range", "log", "log, outcomes", "brier", "brier, outcomes"])
@given(data=st.data())
def test_who_aggregates_is_close_to_every_expert_while_it_is_awake(name: str, data: st.DataObject) -> None:
    stream = data.draw(streams(name, asleep=True))
    forecaster = MAKERS[name]()
    forecaster.learn_many(*stream)
    width = 50.0 if name == "range" else 1.0  # (b - a)^2 / 2
    assert forecaster.regret <= width * math.log(stream.given.shape[1]) + 1e-9


@each_kind
def test_an_expert_asleep_keeps_its_weight_among_all(name: str) -> None:
    forecaster = MAKERS[name]()
    x = np.array([0.25, 0.5, 0.7])
    asleep = np.array([0.4, nan, 0.4])  # those awake say the same, so nobody moves
    if "outcomes" in name:
        x, asleep = (np.stack([1 - each, each], axis=1) for each in (x, asleep))
    forecaster.learn(x, 1)
    before = forecaster.weights
    played = forecaster.learn(asleep, 1)
    assert np.asarray(played.forecast) == pytest.approx(asleep[0])
    assert played.mixture[1] == 0.0
    assert played.mixture.sum() == pytest.approx(1.0)
    if forecaster.rule is None:
        assert forecaster.weights == pytest.approx(before)
    assert forecaster.proven is None
    assert forecaster.rounds == 2


def test_none_is_asleep_too() -> None:
    cases: list[tuple[str, list[Any]]] = [("squared", [1.0, None, 3.0]), ("log", [[0.5, 0.5], None, [0.25, 0.75]])]
    for kind, rows in cases:
        blank = [nan, nan] if kind == "log" else nan
        a, b = MAKERS[kind](), MAKERS[kind]()
        spelled = [blank if each is None else each for each in rows]
        assert np.array_equal(a.predict(rows), b.predict(spelled))
        a.learn_many([rows, rows], [1, 0])
        b.learn_many([spelled, spelled], [1, 0])
        a.learn(rows, 1)
        b.learn(np.array(spelled), 1)
        a.learn(np.array(rows, dtype=object), 1)
        b.learn(spelled, True)
        assert everything(a) == everything(b)


# ---- out ------------------------------------------------------------------------------------------------------------


def test_who_gave_probability_0_to_what_happened_is_out_for_ever() -> None:
    forecaster = th.Forecaster(loss="log")
    forecaster.learn([0.0, 0.5, 0.25], 1)
    assert forecaster.losses.tolist() == [inf, pytest.approx(math.log(2)), pytest.approx(math.log(4))]
    assert forecaster.weights == pytest.approx([0.0, 2 / 3, 1 / 3])
    for _ in range(100):
        played = forecaster.learn([1.0, 0.5, 0.5], 1)  # right for ever after, and not asked
        assert (played.forecast, played.mixture[0]) == (0.5, 0.0)
    assert forecaster.proven is not None
    assert forecaster.regret <= forecaster.proven.value
    again = th.Forecaster.from_state(*copy.deepcopy(forecaster.state()))
    assert everything(again) == everything(forecaster)
    with pytest.raises(th.ExampleError, match=r"round 102: every expert awake is out"):
        forecaster.predict([0.5, nan, nan])
    with pytest.raises(th.ExampleError, match=r"round 102: found outcome 1, to which every expert awake and not out gave"):
        forecaster.learn([0.5, 0.0, 0.0], 1)
    assert everything(again) == everything(forecaster)


def test_the_fall_of_a_leader_costs_what_it_must_though_no_weight_was_left() -> None:
    forecaster = th.Forecaster(loss="log")
    good, fair, bad = 1.0, math.exp(-2.0), math.exp(-4.0)
    forecaster.learn_many([[good, fair, bad]] * 500, np.ones(500))
    assert forecaster.weights.tolist() == [1.0, 0.0, 0.0]  # e^-1000 is none
    played = forecaster.learn([1.0, 0.5, 0.5], 0)
    assert played.forecast == 1.0
    assert played.loss == pytest.approx(1000 + math.log(2), abs=1e-6)
    assert forecaster.weights.tolist() == [0.0, 1.0, 0.0]  # and not halves: bad is 1000 behind
    assert forecaster.regret == pytest.approx(math.log(3), abs=1e-6)


def test_probabilities_of_0_and_1_are_fine_while_one_of_them_is_right() -> None:
    forecaster = th.Forecaster(loss="log")
    rounds = forecaster.learn_many([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], [1, 1])
    assert rounds.forecasts is not None
    assert rounds.forecasts.tolist() == [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]
    assert rounds.loss.tolist() == [pytest.approx(math.log(2)), 0.0]
    assert forecaster.losses.tolist() == [inf, 0.0]


# ---- refused --------------------------------------------------------------------------------------------------------

NUMBERS: list[tuple[Any, Any, str]] = [
    ([1.0, inf], 1.0, r"expert 1: found inf, expected a finite number of at most 2\^100"),
    ([-inf, 1.0], 1.0, "expert 0: found -inf"),
    ([1e31, 1.0], 1.0, r"expert 0: found 1e\+31"),
    ([nan, nan], 1.0, "every expert is asleep, expected one awake at least"),
    ([1.0, 2.0], nan, "found outcome nan, expected a finite number"),
    ([1.0, 2.0], inf, "found outcome inf"),
    ([1.0, 2.0], -1e31, r"found outcome -1e\+31"),
]
CHANCES: list[tuple[Any, Any, str]] = [
    ([0.5, 1.5], 1, "expert 1: found 1.5, expected a probability, from 0 to 1"),
    ([-0.1, 0.5], 1, "expert 0: found -0.1"),
    ([0.5, inf], 1, "expert 1: found inf"),
    ([nan, nan], 1, "every expert is asleep"),
    ([0.5, 0.5], 2, "found outcome 2, expected 0 or 1"),
    ([0.5, 0.5], 0.5, "found outcome 0.5, expected 0 or 1"),
    ([0.5, 0.5], -1, "found outcome -1, expected 0 or 1"),
    ([0.5, 0.5], nan, "found outcome nan, expected 0 or 1"),
]
TABLES: list[tuple[Any, Any, str]] = [
    ([[0.5, 0.25, 0.25], [0.5, 0.5, 0.5]], 1, "expert 1: found probabilities that add up to 1.5, expected 1"),
    ([[0.5, 0.25, 0.24], [0.5, 0.25, 0.25]], 1, "expert 0: found probabilities that add up to 0.99"),
    ([[1.25, -0.25, 0.0], [0.5, 0.25, 0.25]], 1, "expert 0: found 1.25, expected a probability"),
    ([[0.5, 0.25, 0.25], [nan, 0.5, 0.5]], 1, "expert 1: found NaN for some outcomes, expected it for all"),
    ([[nan] * 3, [nan] * 3], 1, "every expert is asleep"),
    ([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]], 3, "found outcome 3, expected a whole number from 0 to 2"),
    ([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]], 0.5, "found outcome 0.5, expected a whole number from 0 to 2"),
]
RANGED = [
    ([1.0, 9.5], 1.0, r"expert 1: found 9.5, expected a number in the range \[-1, 9\]"),
    ([1.0, 9.0], -1.5, r"found outcome -1.5, expected a number in the range \[-1, 9\]"),
]
REFUSED = [
    *((name, *case) for name in ("squared", "squared, expert", "absolute", "range") for case in NUMBERS),
    *((name, *case) for name in ("log", "brier") for case in CHANCES),
    *((name, *case) for name in ("log, outcomes", "brier, outcomes") for case in TABLES),
    *(("range", *case) for case in RANGED),
    ("log", [1.0, 1.0], 0, "found outcome 0, to which every expert awake and not out gave probability 0"),
    ("log, outcomes", [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], 2, "found outcome 2, to which every expert"),
]


@pytest.mark.parametrize(("name", "x", "y", "said"), REFUSED)
def test_what_cannot_be_learned_is_refused_and_changes_nothing(name: str, x: Any, y: Any, said: str) -> None:
    fine: Any = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]] if "outcomes" in name else [0.5, 0.25]
    forecaster = MAKERS[name]()
    with pytest.raises(th.ExampleError, match="^round 1: " + said):
        forecaster.learn(x, y)
    assert (forecaster.n, forecaster.rounds, forecaster.state()[1]) == (None, 0, {})
    forecaster.learn(fine, 1)
    left = everything(forecaster)
    with pytest.raises(th.ExampleError, match="^round 2: " + said):
        forecaster.learn(x, y)
    assert everything(forecaster) == left
    with pytest.raises(th.ExampleError, match="^row 0: " + said) as first:
        forecaster.learn_many([x, fine], [y, 1])
    assert (first.value.row, everything(forecaster)) == (0, left)
    twin = copy.copy(forecaster)
    with pytest.raises(th.ExampleError, match="^row 2: " + said) as later:
        forecaster.learn_many([fine, fine, x, fine], [1, 0, y, 1])
    twin.learn_many([fine, fine], [1, 0])
    assert (later.value.row, everything(forecaster)) == (2, everything(twin))
    if "expert " in said[:7]:
        assert later.value.column == int(said[7])
        with pytest.raises(th.ExampleError, match="^row 1: " + said):
            forecaster.predict_many([fine, x])


SHAPES: list[tuple[str, Any, Any, str]] = [
    ("squared", [1.0], 1.0, "found forecasts of 1 experts, expected 2"),
    ("squared", [1.0, 2.0, 3.0], 1.0, "found forecasts of 3 experts, expected 2"),
    ("squared", [[0.5, 0.5], [0.5, 0.5]], 1, "found forecasts of shape .*, expected one number for each expert"),
    ("squared", 3.0, 1.0, "found forecasts of shape"),
    ("squared", ["a", "b"], 1.0, "found a list of strings for the forecasts"),
    ("squared", [1.0, "b"], 1.0, "found a list of strings for the forecasts"),
    ("squared", [1.0, [2.0]], 1.0, "for the forecasts, expected one number for each expert"),
    ("squared", [1.0, 2.0], "2", "found outcome '2', expected a number"),
    ("squared", [1.0, 2.0], None, "found outcome None, expected a number"),
    ("squared", [1.0, 2.0], np.array([1.0]), "found outcome array"),
    ("squared", [1.0, 2.0], 10**400, "expected a number that float64 holds"),
    ("squared", np.ma.masked_equal([1.0, 2.0], 2.0), 1.0, "found a masked array"),
    ("log", [[0.5, 0.5], [0.5, 0.5]], 1, "found the probabilities of 2 outcomes of each expert, expected one number"),
    ("log, outcomes", [0.5, 0.5], 1, "found one number of each expert, expected the probabilities of 3 outcomes as before"),
    ("brier, outcomes", [[0.5, 0.5], [0.5, 0.5]], 1, "found the probabilities of 2 outcomes .* expected .* 3 outcomes"),
]


@pytest.mark.parametrize(("name", "x", "y", "said"), SHAPES)
def test_what_has_another_shape_is_refused_and_changes_nothing(name: str, x: Any, y: Any, said: str) -> None:
    forecaster = MAKERS[name]()
    forecaster.learn([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]] if "outcomes" in name else [0.5, 0.25], 1)
    left = everything(forecaster)
    with pytest.raises(th.ExampleError, match=said):
        forecaster.learn(x, y)
    assert everything(forecaster) == left


def test_a_first_round_without_experts_or_with_one_outcome_is_refused() -> None:
    for x, said in [([], "no expert"), ([[1.0], [1.0]], "the probabilities of 1 outcomes, expected two at least")]:
        forecaster = th.Forecaster(loss="log")
        with pytest.raises(th.ExampleError, match=said):
            forecaster.learn(x, 0)
        assert forecaster.n is None
    with pytest.raises(th.ExampleError, match="found forecasts of 3 experts, expected 2"):
        th.Forecaster(th.AdaHedge(2)).learn([1.0, 2.0, 3.0], 1.0)
    with pytest.raises(th.ExampleError, match="found outcomes of shape"):
        th.Forecaster().learn_many([[1.0, 2.0]], [1.0, 2.0])


def test_probabilities_that_add_up_to_one_nearly_are_divided_by_their_sum() -> None:
    forecaster = th.Forecaster(loss="brier")
    near = np.array([[0.3, 0.3, 0.4 + 9e-7]])
    assert np.asarray(forecaster.predict(near)) == pytest.approx(near[0] / near.sum(), rel=1e-12)
    with pytest.raises(th.ExampleError, match="add up to"):
        forecaster.predict([[0.3, 0.3, 0.4 + 2e-6]])


def test_numbers_as_large_as_can_be_stay_finite() -> None:
    most = 2.0**100
    for name in ("squared", "squared, expert", "absolute", "absolute, expert", "range"):
        forecaster = th.Forecaster(range=(-most, most)) if name == "range" else MAKERS[name]()
        forecaster.learn_many([[most, -most]] * 50, [most, -most] * 25)
        assert np.isfinite(forecaster.losses).all()
        assert forecaster.proven is not None
        assert forecaster.proven.allows(forecaster.regret)
        assert math.isfinite(forecaster.proven.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"loss": "hinge"}, "found loss = 'hinge', expected 'squared', 'absolute', 'log' or 'brier'"),
        ({"against": "me"}, "found against = 'me', expected None, 'mixture' or 'expert'"),
        ({"loss": "log", "range": (0, 1)}, "with loss = 'log', expected it with 'squared' alone"),
        ({"loss": "absolute", "range": (0, 1)}, "with loss = 'absolute', expected it with 'squared' alone"),
        ({"range": (1, 1)}, "expected low < high"),
        ({"range": (0, nan)}, "expected low < high"),
        ({"range": (0, inf)}, "expected low < high"),
        ({"range": (0, "1")}, "expected two numbers"),
        ({"range": 3}, "expected two numbers"),
        ({"range": (1, 2, 3)}, "expected two numbers"),
        ({"range": "01"}, "expected two numbers"),
        ({"range": (0, 1), "against": "mixture"}, "found against = 'mixture' with loss = 'squared' with a range"),
        ({"loss": "log", "against": "mixture"}, "found against = 'mixture' with loss = 'log', expected None or 'expert'"),
        ({"loss": "brier", "against": "mixture"}, "found against = 'mixture' with loss = 'brier'"),
        ({"rule": "AdaHedge"}, "found rule = 'AdaHedge', expected None or a fresh AdaHedge, Hedge or FixedShare"),
        ({"rule": th.AdaHedge}, "expected None or a fresh AdaHedge, Hedge or FixedShare"),
    ],
)
def test_parameters_that_cannot_be_are_refused(arguments: Any, said: str) -> None:
    with pytest.raises(th.ParameterError, match=said):
        th.Forecaster(**arguments)


def test_a_rule_that_has_rounds_is_refused_and_any_where_there_is_another() -> None:
    rule = th.AdaHedge(2)
    forecaster: Any = th.Forecaster
    for loss, limits in [("log", None), ("brier", None), ("squared", (0, 1))]:
        with pytest.raises(
            th.ParameterError, match=r"found rule = AdaHedge\(n=2\) with .*, expected None: it has a rule of its own"
        ):
            forecaster(rule, loss=loss, range=limits)
    rule.learn_losses([0.0, 1.0])
    with pytest.raises(th.ParameterError, match="expected None or a fresh"):
        th.Forecaster(rule)


# ---- before the first round, and states -----------------------------------------------------------------------------


@each_kind
def test_before_the_first_round_nothing_is_known_and_all_weigh_alike(name: str) -> None:
    forecaster = MAKERS[name]()
    assert (forecaster.n, forecaster.rounds, forecaster.loss, forecaster.regret) == (None, 0, 0.0, 0.0)
    assert (forecaster.weights.tolist(), forecaster.losses.tolist(), forecaster.rule, forecaster.proven) == ([], [], None, None)
    x: Any = [[0.75, 0.25], [0.25, 0.75]] if "outcomes" in name else [0.25, 0.75]
    assert forecaster.predict(x) == pytest.approx(0.5, abs=0.01)  # the aggregating rule is no mean
    assert forecaster.predict_many([x, x]) == pytest.approx(0.5, abs=0.01)
    assert forecaster.n is None
    forecaster.learn_many(np.empty((0, *np.shape(x))), [])
    assert (forecaster.n, everything(forecaster)) == (None, everything(MAKERS[name]()))
    assert everything(th.Forecaster.from_state(*forecaster.state())) == everything(forecaster)


def test_a_rule_says_how_many_experts_there_are() -> None:
    forecaster = th.Forecaster(th.Hedge(4), loss="absolute")
    assert (forecaster.n, forecaster.weights.tolist()) == (4, [0.25] * 4)
    assert isinstance(forecaster.rule, LossRule)
    assert repr(forecaster) == "Forecaster(Hedge(n=4, eta=None, horizon=None), loss='absolute', range=None, against='mixture')"
    forecaster.learn_many([[0.5, 0.25, 0.0, 0.125]] * 3, [0.25] * 3)
    assert forecaster.proven is not None
    assert forecaster.proven.theorem.name == "Hedge, anytime"
    forecaster.learn([0.0, 3.0, 0.0, 0.0], 0.0)  # losses that differ by more than 1
    assert forecaster.proven is None


def test_what_is_proven_names_its_theorem() -> None:
    names = {name: make for name, make in MAKERS.items() if "outcomes" not in name}
    theorems = {}
    for name, make in names.items():
        forecaster = make()
        forecaster.learn([0.25, 0.75], 1)
        assert forecaster.proven is not None
        theorems[name] = (forecaster.against, forecaster.proven.theorem.name)
    run = "AdaHedge, after the run"
    assert theorems == {
        "squared": ("mixture", run),
        "squared, expert": ("expert", run),
        "absolute": ("mixture", run),
        "absolute, expert": ("expert", run),
        "range": ("expert", "Aggregating, squared loss"),
        "log": ("expert", "Mixture, log loss"),
        "brier": ("expert", "Aggregating, Brier score"),
    }


@each_kind
def test_predicting_changes_nothing_and_a_copy_goes_its_own_way(name: str) -> None:
    forecaster = MAKERS[name]()
    x: Any = [[0.75, 0.25], [0.25, 0.75]] if "outcomes" in name else [0.25, 0.75]
    forecaster.learn(x, 1)
    left = everything(forecaster)
    kept = forecaster.losses.copy()
    shown = forecaster.losses
    twin = copy.copy(forecaster)
    assert np.array_equal(forecaster.predict_many([x, x])[1], forecaster.predict(x))
    twin.learn(x, 0)
    assert everything(forecaster) == left
    forecaster.learn(x, 0)
    assert everything(forecaster) == everything(twin) != left
    assert np.array_equal(shown, kept)  # what was looked at stays as it was


def damaged(forecaster: th.Forecaster) -> list[tuple[Any, Any]]:
    parameters, arrays = forecaster.state()
    heads, arguments = parameters["heads"], parameters["arguments"]
    ruin: dict[str, list[Any]] = {
        "rounds": [-1, 1.0, 0], "gap": [nan, -1.0], "loss": ["1", inf], "slept": [9], "largest": [-1.0],
        "rule_loss": [nan, 1], "outcomes": [-1, 1, 2**40, None],
    }  # fmt: skip
    states: list[tuple[Any, Any]] = [
        ({**parameters, "heads": {**heads, head: value}}, arrays) for head, values in ruin.items() for value in values
    ]
    states += [({**parameters, "arguments": {**arguments, "loss": "none"}}, arrays)]
    states += [({**parameters, "arguments": {**arguments, "rule": each}}, arrays) for each in ("Hedge", {"rule": "X"}, 3)]
    states += [({**parameters, "arguments": {**arguments, "range": each}}, arrays) for each in (3, [1], [2, 1], "ab")]
    states += [({**parameters, "arguments": each}, arrays) for each in (None, {}, {**arguments, "more": 1})]
    states += [({**parameters, "rule": "Hedge"}, arrays), (None, arrays), ({}, arrays), ({**parameters, "heads": None}, arrays)]
    states += [({**parameters, "heads": each}, arrays) for each in (3, {}, {**heads, "more": 1})]
    worse: list[dict[str, Any]] = [
        {"losses": np.full(3, -inf)}, {"losses": np.full(3, nan)}, {"missed": np.full(3, inf)}, {"rule_weights": np.zeros(3)},
        {"losses": np.ones(2)}, {"rule_losses": np.ones((3, 1))}, {"missed": np.ones(3, np.float32)}, {"more": np.ones(3)},
        {"losses": [1.0, 2.0, 3.0]}, {"losses": None},
    ]  # fmt: skip
    return states + [(parameters, {}), (parameters, None)] + [(parameters, {**arrays, **each}) for each in worse]


@each_kind
def test_damaged_states_are_refused(name: str) -> None:
    forecaster = MAKERS[name]()
    x: Any = [[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]] if "outcomes" in name else [0.25, 0.75, 0.5]
    forecaster.learn_many([x] * 5, [1, 0, 1, 1, 1])
    parameters, arrays = forecaster.state()
    json.dumps(parameters)
    assert everything(th.Forecaster.from_state(json.loads(json.dumps(parameters)), arrays)) == everything(forecaster)
    for state in damaged(forecaster):
        with pytest.raises(th.StoreError):
            th.Forecaster.from_state(*state)


def test_a_busy_forecaster_is_not_entered() -> None:
    forecaster = th.Forecaster()
    table = np.random.default_rng(1).random((200_000, 5))
    started, refused = threading.Event(), 0

    def work() -> None:
        started.set()
        while forecaster.rounds == 0:
            with contextlib.suppress(th.ConcurrentUse):  # the other may be the first
                forecaster.learn_many(table, table[:, 0])

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    while thread.is_alive():
        try:
            forecaster.predict(table[0])
        except th.ConcurrentUse:
            refused += 1
        time.sleep(0.001)  # or the two would keep each other out
    thread.join()
    assert refused > 0
    assert forecaster.rounds == len(table)
