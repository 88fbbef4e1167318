"""Damaged states of every learner: refused where no run of rounds can lead there, and never a crash."""

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
from numpy.typing import NDArray

import thresher as th
from tests.effort import tried
from tests.learners import CASES, Case
from tests.oracles import everything
from thresher.linear import LEARNERS, LinearLearner

N = 3
State = tuple[dict[str, Any], dict[str, NDArray[Any]]]
Damage = Callable[[State], object]

STREAM: list[tuple[list[float], int]] = [
    ([1, 0, 1], -1), ([0, 1, 1], -1), ([0, 1, 0], +1), ([1, 1, 1], -1), ([1, 0, 0], +1), ([0, 1, 1], -1), ([1, 1, 0], +1)
]  # fmt: skip
MAKE: dict[str, Callable[[], LinearLearner]] = {
    "AveragedPerceptron": lambda: th.AveragedPerceptron(N, bias=1.0),
    "AveragedPerceptron, no bias": lambda: th.AveragedPerceptron(N),
    "MarginPerceptron": lambda: th.MarginPerceptron(N, None, bias=0.5),
    "MarginPerceptron, given": lambda: th.MarginPerceptron(N, 0.3),
    "PNormPerceptron": lambda: th.PNormPerceptron(N, p=5),
    "PNormPerceptron, bias": lambda: th.PNormPerceptron(N, p=5, bias=1.0),
    "PassiveAggressive": lambda: th.PassiveAggressive(N),
    "Winnow": lambda: th.Winnow(N, threshold=2),
    "LiteralWinnow": lambda: th.LiteralWinnow(N),
    "BalancedWinnow": lambda: th.BalancedWinnow(N, eta=0.5),
    "BalancedWinnow, bias": lambda: th.BalancedWinnow(N, eta=0.5, bias=1.0),
    "Elimination": lambda: th.Elimination(N),
    "Elimination, monotone": lambda: th.Elimination(N, monotone=True),
    "AROW": lambda: th.AROW(N),
    "AROW, bias": lambda: th.AROW(N, bias=0.5),
    "AdaGrad": lambda: th.AdaGrad(N),
    "AdaGrad, hinge, bias": lambda: th.AdaGrad(N, loss="hinge", bias=0.5),
    "Invariant": lambda: th.Invariant(N),
    "Invariant, bias": lambda: th.Invariant(N, bias=0.5),
    "ScaledWinnow": lambda: th.ScaledWinnow(N),
    "ScaledWinnow, bias": lambda: th.ScaledWinnow(N, times=0.5, factor=1.5, bias=0.5),
    "Constant": lambda: th.Constant(N, -1),
}


def state_of(name: str) -> tuple[LinearLearner, State]:
    """A learner that has moved, and its state as one that may be written to."""
    learner = MAKE[name]()
    for x, y in STREAM:
        learner.learn(x, y)
    assert learner.updates >= 2 or name == "Constant"
    parameters, arrays = learner.state()
    return learner, (copy.deepcopy(parameters), {key: np.array(array) for key, array in arrays.items()})


def check_refused(learner: LinearLearner, state: State) -> None:
    """Asserts that the state is refused, by the class and by pickle alike."""
    with pytest.raises(th.StoreError, match=r"found|state"):
        type(learner).from_state(*state)
    before = everything(learner)
    made, _ = learner.__reduce__()
    with pytest.raises(th.StoreError):
        made(*state)
    assert everything(learner) == before


# ---- round trips --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAKE)
def test_a_state_makes_the_same_learner_again(name: str) -> None:
    learner, state = state_of(name)
    again = type(learner).from_state(*state)
    assert everything(again) == everything(learner)
    assert (repr(again), again.rule) == (repr(learner), learner.rule)
    assert again.weights.tobytes() == learner.weights.tobytes()
    state[1][next(iter(state[1]))][:] = 7.0  # what is given is copied
    assert everything(again) == everything(learner)
    assert LEARNERS[state[0]["learner"]] is type(learner)


@pytest.mark.parametrize("name", MAKE)
def test_a_learner_that_never_played_has_a_state_too(name: str) -> None:
    learner = MAKE[name]()
    again = type(learner).from_state(*learner.state())
    assert everything(again) == everything(learner)
    assert everything(pickle.loads(pickle.dumps(again))) == everything(learner)


# ---- each part in turn --------------------------------------------------------------------------------------------


WRONG_ARGUMENTS: list[object] = ["three", [], math.nan, 1e300, -1e300]


def part(state: State, where: str) -> dict[str, Any]:
    return state[1] if where == "arrays" else state[0] if where == "parameters" else state[0][where]


def put(where: str, key: str, value: object) -> Damage:
    return lambda state: part(state, where).update({key: value})


def gone(where: str, key: str) -> Damage:
    return lambda state: part(state, where).pop(key)


def slot(key: str, at: int, value: float) -> Damage:
    return lambda state: state[1][key].put(at, value)


def other_kinds(array: NDArray[np.float64]) -> dict[str, object]:
    return {
        "as a list": array.tolist(),
        "too short": array[:-1],
        "too long": np.append(array, 0.0),
        "2-D": array.reshape(1, -1),
        "float32": array.astype(np.float32),
        "int64": array.astype(np.int64),
        "objects": array.astype(object),
        "big-endian": array.astype(">f8"),
        "none": None,
        "masked": np.ma.masked_array(array, [True, False, False]),
    }


def shapes(name: str) -> Iterator[tuple[str, Damage]]:
    """What no learner's state may hold, for every head, every array and every argument of this one."""
    parameters, arrays = state_of(name)[1]
    for key, value in parameters["heads"].items():
        other_type = int(value) if isinstance(value, float) else 1.0
        for bad in (math.nan, math.inf, -math.inf, None, "1", [1.0], True, other_type):
            yield f"{key} = {bad!r}", put("heads", key, bad)
        yield f"no {key}", gone("heads", key)
    for key, array in arrays.items():
        for what, other in other_kinds(array).items():
            yield f"{key} {what}", put("arrays", key, other)
        for number in (math.nan, math.inf, -math.inf, 1e300, -1e300):
            for at in range(N):
                yield f"{key}[{at}] = {number}", slot(key, at, number)
        yield f"no {key}", gone("arrays", key)
    for key in parameters["arguments"]:
        if key not in ("strict", "monotone", "normalize"):
            for wrong in WRONG_ARGUMENTS:
                yield f"{key} = {wrong!r}", put("arguments", key, wrong)
        if key in ("n", "margin"):
            yield f"no {key}", gone("arguments", key)
    for learner in (*LEARNERS, "", None):
        if learner != parameters["learner"]:
            yield f"the state of {learner}", put("parameters", "learner", learner)
    yield "a head too many", put("heads", "more", 0.0)
    yield "an array too many", put("arrays", "more", np.zeros(N))
    yield "an argument too many", put("arguments", "more", 0.0)


@pytest.mark.parametrize("name", MAKE)
def test_a_part_that_is_missing_or_of_the_wrong_kind_is_refused(name: str) -> None:
    for what, damage in shapes(name):
        learner, state = state_of(name)
        damage(state)
        try:
            check_refused(learner, state)
        except BaseException as error:
            raise AssertionError(f"{name}: {what}") from error


def head(key: str, value: float) -> Damage:
    return put("heads", key, value)


def times(key: str, factor: float) -> Damage:
    return lambda state: state[0]["heads"].update({key: state[0]["heads"][key] * factor})


IMPOSSIBLE: dict[str, dict[str, Damage]] = {
    "AveragedPerceptron": {
        "another age than its rounds": head("age", 6.0),
        "no updates": head("updates", 0),
        "a lag that no rounds can make": slot("lag", 0, 2.0**526),
        "a bias lag that no rounds can make": head("bias_lag", -(2.0**526)),
    },
    "AveragedPerceptron, no bias": {"bias lag of no bias": head("bias_lag", 1.0), "bias weight": head("bias_weight", 1.0)},
    "MarginPerceptron": {
        "square too large": times("square", 1.01),
        "square < 0": head("square", -1.0),
        "highest below the square": times("highest", 0.5),
        "highest far above the square": times("highest", 2.0**30),
        "weights without their square": slot("weights", 0, 9.0),
        "bias weight without its square": head("bias_weight", 9.0),
        "margin = 0": head("margin", 0.0),
        "margin < 0": head("margin", -0.5),
        "margin = 2": head("margin", 2.0),
        "margin = 0.3": head("margin", 0.3),
        "margin denormal": head("margin", 5e-324),
        "steps < 0": head("steps", -1.0),
        "weighted by half": head("weighted", 0.5),
        "a margin refuted that is still hoped for": lambda state: put("heads", "refuted", state[0]["heads"]["margin"])(state),
        "a margin refuted that was never hoped for": head("refuted", 0.7),
        "a margin above 1 refuted": head("refuted", 2.0),
        "half a step": head("steps", 0.5),
        "more steps than updates": head("steps", 1e6),
        "no updates": head("updates", 0),
    },
    "MarginPerceptron, given": {
        "a margin other than the one given": head("margin", 0.15),
        "a margin refuted that was given": head("refuted", 0.5),
        "bias weight of no bias": head("bias_weight", 1.0),
    },
    "PNormPerceptron": {
        "theta without its sum": slot("theta", 0, 9.0),
        "theta beyond its scale": slot("theta", 0, 2.0**60),
        "sum too large": times("sum", 1.01),
        "sum = 0": head("sum", 0.0),
        "sum < 0": times("sum", -1.0),
        "rest too large": head("rest", 0.01),
        "half an exponent": head("exponent", 0.5),
        "another exponent": head("exponent", 5.0),
        "exponent too low": head("exponent", -1001.0),
        "exponent too high": head("exponent", 2000.0),
        "highest below the sum": times("highest", 0.1),
        "highest far above the sum": times("highest", 2.0**50),
        "theta of no bias": head("bias_theta", 1.0),
        "no updates": head("updates", 0),
    },
    "PNormPerceptron, bias": {"bias theta without its sum": head("bias_theta", 9.0)},
    "PassiveAggressive": {
        "bias weight of no bias": head("bias_weight", 1.0),
        "a weight that no rounds can make": slot("weights", 0, 2.0**564),
        "no updates": head("updates", 0),
    },
    "Winnow": {
        "exponent above the highest": slot("exponents", 0, 301.0),
        "exponent below the lowest": slot("exponents", 0, -201.0),
        "half an exponent": slot("exponents", 0, 0.5),
        "whole = 0.5": head("whole", 0.5),
        "whole = -1": head("whole", -1.0),
        "no updates": head("updates", 0),
    },
    "LiteralWinnow": {
        "exponent above the highest": slot("exponents", 0, 301.0),
        "negation below the lowest": slot("negated", 0, -201.0),
        "sum too large": times("sum", 1.01),
        "sum too small": times("sum", 0.99),
        "sum = 0": head("sum", 0.0),
        "weights without their sum": slot("negated", 0, 9.0),
        "rest too large": head("rest", 0.01),
        "exponent too far": head("exponent", 100.0),
        "slack < 0": head("slack", -1e-30),
        "slack that allows any sum": head("slack", 1e3),
        "doubt < 0": head("doubt", -1e-30),
        "no updates": head("updates", 0),
    },
    "BalancedWinnow": {
        "exponents without their sum": slot("exponents", 0, 9.0),
        "sum too large": times("sum", 1.01),
        "sum = 0": head("sum", 0.0),
        "sum < 0": times("sum", -1.0),
        "rest too large": head("rest", 0.01),
        "offset < 0": head("offset", -1.0),
        "offset beyond the farthest": head("offset", 10.0),
        "farthest < 0": head("farthest", -1.0),
        "farthest nearer than a weight": head("farthest", 0.0),
        "highest below the sum": times("highest", 0.5),
        "highest far above the sum": times("highest", 2.0**30),
        "bias exponent of no bias": head("bias_exponent", 1.0),
        "no updates": head("updates", 0),
    },
    "BalancedWinnow, bias": {"bias exponent without its sum": head("bias_exponent", 9.0)},
    "Elimination": {
        "half a weight": slot("weights", 0, 0.5),
        "weight of 2": slot("weights", 0, 2.0),
        "an attribute back in L": lambda state: state[1]["weights"].fill(1.0),
        "met in half a removal": slot("met", 0, 0.5),
        "met more often than removed": slot("met", 0, 9.0),
        "removals other than updates": head("removals", 9.0),
        "negations more than left": head("negations", 3.0),
        "negations < 0": head("negations", -1.0),
        "refuted after the last round": head("refuted_at", 99.0),
        "refuted before the first": head("refuted_at", -1.0),
        "refuted in half a round": head("refuted_at", 1.5),
        "no updates": head("updates", 0),
    },
    "Elimination, monotone": {"negations in a monotone learner": head("negations", 1.0)},
    "AROW": {
        "a variance above 1": slot("variances", 0, math.nextafter(1.0, 2.0)),
        "a variance of 0": slot("variances", 0, 0.0),
        "a variance < 0": slot("variances", 0, -0.5),
        "bias weight of no bias": head("bias_weight", 1.0),
        "bias variance of no bias": head("bias_variance", 0.5),
        "no updates": head("updates", 0),
    },
    "AROW, bias": {
        "a bias variance above 1": head("bias_variance", 2.0),
        "a bias variance of 0": head("bias_variance", 0.0),
    },
    "AdaGrad": {
        "a square < 0": slot("squares", 0, -1.0),
        "a weight without gradients": slot("squares", 0, 0.0),
        "a weight farther than the steps lead": slot("weights", 0, 9.0),
        "bias weight of no bias": head("bias_weight", 1.0),
        "bias square of no bias": head("bias_square", 0.5),
        "no updates": head("updates", 0),
    },
    "AdaGrad, hinge, bias": {
        "a bias square < 0": head("bias_square", -1.0),
        "a bias weight without gradients": head("bias_square", 0.0),
        "a bias weight farther than the steps lead": head("bias_weight", 9.0),
    },
    "Invariant": {
        "a square < 0": slot("squares", 0, -1.0),
        "a weight without gradients": slot("squares", 0, 0.0),
        "gradients of no value": slot("scales", 0, 0.0),
        "a scale < 0": slot("scales", 0, -1.0),
        "a scale below those that are met": slot("scales", 0, 2.0**-260),
        "a scale above all values": slot("scales", 0, 2.0**251),
        "a weight beyond its scale": slot("weights", 0, 2.0**210),
        "total < 0": head("total", -1.0),
        "total beyond the rounds": head("total", 2.0**160),
        "normalizer < 0": head("normalizer", -1.0),
        "normalizer beyond all attributes": head("normalizer", 1e6),
        "bias weight of no bias": head("bias_weight", 1.0),
        "bias square of no bias": head("bias_square", 0.5),
        "no updates": head("updates", 0),
    },
    "Invariant, bias": {
        "a bias square < 0": head("bias_square", -1.0),
        "a bias weight without gradients": head("bias_square", 0.0),
        "a bias weight beyond its scale": head("bias_weight", 2.0**210),
    },
    "ScaledWinnow": {
        "a weight of 0": slot("weights", 0, 0.0),
        "a weight < 0": slot("below", 0, -1.0),
        "a weight below the lowest": slot("weights", 0, 2.0**-201),
        "a weight above the highest": slot("below", 0, 2.0**301),
        "bias weight of no bias": head("bias_weight", 2.0),
        "a threshold of 0": head("threshold", 0.0),
        "a threshold < 0": head("threshold", -1.0),
        "a threshold beyond all sums": head("threshold", 2.0**23),
        "a scale of 0": head("scale", 0.0),
        "a scale < 0": head("scale", -1.0),
        "a scale beyond all values": head("scale", 2.0**251),
        "no updates": head("updates", 0),
    },
    "ScaledWinnow, bias": {
        "a bias weight of 0": head("bias_weight", 0.0),
        "a bias weight above the highest": head("bias_weight", 2.0**301),
    },
    "Constant": {"a weight": slot("weights", 0, 1.0), "an update": head("updates", 1)},
}
COUNTS: dict[str, Damage] = {
    "rounds < mistakes": head("rounds", 0),
    "mistakes > rounds": head("mistakes", 99),
    "updates > rounds": head("updates", 99),
    "mistakes < 0": head("mistakes", -1),
    "collisions < 0": head("collisions", -1),
    "history = 0": head("history", 0),
    "history = 2^64": head("history", 2**64),
    "negative = 2": head("negative", 2),
    "rounds = 2^63": head("rounds", 2**63),
}


@pytest.mark.parametrize(("name", "what"), [(name, what) for name in MAKE for what in {**COUNTS, **IMPOSSIBLE[name]}])
def test_a_state_that_no_run_of_rounds_can_lead_to_is_refused(name: str, what: str) -> None:
    learner, state = state_of(name)
    {**COUNTS, **IMPOSSIBLE[name]}[what](state)
    check_refused(learner, state)


def test_what_was_struck_out_without_a_removal_is_refused() -> None:
    learner = th.Elimination(N)
    parameters, arrays = learner.state()
    check_refused(learner, (parameters, {**arrays, "weights": np.array([0.0, 1.0, 1.0])}))
    learner.learn([1, 0, 0], -1)
    parameters, arrays = learner.state()
    check_refused(learner, (parameters, {**arrays, "weights": np.array([0.0, 0.0, 1.0])}))


def test_a_refutation_needs_a_mistake_on_a_positive_example() -> None:
    learner = th.Elimination(N)
    learner.learn([1, 0, 0], -1)
    parameters, arrays = copy.deepcopy(learner.state())
    parameters["heads"]["refuted_at"] = 1.0
    check_refused(learner, (parameters, arrays))


# ---- anything at all ----------------------------------------------------------------------------------------------

numbers = st.one_of(st.floats(), st.integers(-3, 3).map(float), st.floats(-400, 400))


def test_a_threshold_that_would_make_a_score_infinite_is_refused() -> None:
    learner = th.ScaledWinnow(3, bias=1.0)
    learner.learn([0, 0, 0], -1)
    parameters, arrays = copy.deepcopy(learner.state())
    parameters["heads"]["threshold"] = 5e-324
    with pytest.raises(th.StoreError, match="found a threshold of 5e-324"):
        th.ScaledWinnow.from_state(parameters, arrays)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@given(data=st.data())
@tried(25)
def test_any_number_in_a_state_gives_a_learner_that_works_or_a_typed_error(case: Case, data: st.DataObject) -> None:
    learner = case.taught(data.draw(case.streams()))
    parameters, arrays = copy.deepcopy(learner.state())
    arrays = {key: np.array(array) for key, array in arrays.items()}
    own = sorted(key for key, value in parameters["heads"].items() if isinstance(value, float))
    for key in data.draw(st.lists(st.sampled_from(own), max_size=2)):
        parameters["heads"][key] = data.draw(numbers)
    for key in data.draw(st.lists(st.sampled_from(sorted(arrays)), max_size=2)):
        arrays[key][data.draw(st.integers(0, learner.n - 1))] = data.draw(numbers)
    try:
        made = type(learner).from_state(parameters, arrays)
    except th.StoreError:
        return
    assert everything(pickle.loads(pickle.dumps(made))) == everything(made)
    for x in np.eye(learner.n):
        made.learn(x, -made.predict(x).label)
    assert np.isfinite(made.weights).all()
    assert np.isfinite(made.score_many(np.eye(learner.n))).all()
