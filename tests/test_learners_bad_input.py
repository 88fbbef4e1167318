"""Bad examples and bad parameters of every learner: a typed error that says what was found, where, and what was expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import thresher as th
from tests.learners import NOT_BINARY, NOT_FINITE, NOT_SIGNED, NOT_UNIT
from tests.oracles import columns, everything
from tests.strategies import names_of_slots
from thresher.linear import LinearLearner

N = 3
Maker = Callable[[], LinearLearner]

LEARNERS: dict[str, Maker] = {
    "AveragedPerceptron": lambda: th.AveragedPerceptron(N),
    "MarginPerceptron": lambda: th.MarginPerceptron(N, 0.5),
    "PNormPerceptron": lambda: th.PNormPerceptron(N),
    "PassiveAggressive": lambda: th.PassiveAggressive(N),
    "Winnow": lambda: th.Winnow(N),
    "LiteralWinnow": lambda: th.LiteralWinnow(N),
    "BalancedWinnow": lambda: th.BalancedWinnow(N),
    "Elimination": lambda: th.Elimination(N),
    "AROW": lambda: th.AROW(N),
    "AdaGrad": lambda: th.AdaGrad(N),
    "Invariant": lambda: th.Invariant(N),
    "ScaledWinnow": lambda: th.ScaledWinnow(N),
    "Constant": lambda: th.Constant(N),
}
HUGE = math.nextafter(2.0**250, math.inf)
REFUSED: dict[str, tuple[tuple[float, ...], str]] = {
    **dict.fromkeys(
        (
            *("AveragedPerceptron", "MarginPerceptron", "PNormPerceptron", "PassiveAggressive"),
            *("AROW", "AdaGrad", "Invariant", "ScaledWinnow", "Constant"),
        ),
        ((*NOT_FINITE, HUGE, -HUGE), r"a finite number of at most 2\^250"),
    ),
    "Winnow": (NOT_UNIT, "a number from 0 to 1"),
    "LiteralWinnow": (NOT_UNIT, "a number from 0 to 1"),
    "BalancedWinnow": (NOT_SIGNED, "a number from -1 to 1"),
    "Elimination": (NOT_BINARY, "0 or 1"),
}
BAD_VALUES = [(name, value, expected) for name, (bad, expected) in REFUSED.items() for value in bad]
GOOD = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
LABELS = [-1, 1, -1, 1]

every_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)


def taught(make: Maker, rows: int = 2) -> LinearLearner:
    learner = make()
    for x, y in zip(GOOD[:rows], LABELS, strict=False):
        learner.learn(x, y)
    return learner


# ---- values -------------------------------------------------------------------------------------------------------


def check_one_refused(make: Maker, x: object, match: str, column: object) -> None:
    """Asserts that `learn` and `predict` refuse x, tell the column, and change nothing."""
    learner = taught(make)
    for call in (lambda: learner.learn(x, 1), lambda: learner.predict(x), lambda: learner.hypothesis().predict(x)):
        with pytest.raises(th.ExampleError, match=match) as caught:
            call()
        assert (caught.value.row, caught.value.column, caught.value.rounds) == (None, column, None)
    assert everything(learner) == everything(taught(make))


def check_row_refused(make: Maker, X: Any, row: int, match: str, column: object) -> None:
    """Asserts that the block is refused at this row, where those before it, GOOD ones, are learned."""
    learner, loop = make(), taught(make, row)
    with pytest.raises(th.ExampleError, match=f"^row {row}: {match}") as caught:
        learner.learn_many(X, LABELS)
    assert (caught.value.row, caught.value.column) == (row, column)
    assert isinstance(caught.value.rounds, th.Rounds)
    assert columns(caught.value.rounds) == columns(make().learn_many(GOOD[:row], LABELS[:row]))
    assert everything(learner) == everything(loop)
    for call in (learner.score_many, learner.predict_many):
        with pytest.raises(th.ExampleError, match=f"^row {row}: {match}"):
            call(X)
    assert everything(learner) == everything(loop)


@pytest.mark.parametrize(("name", "value", "expected"), BAD_VALUES)
def test_a_value_outside_the_learners_domain_is_refused(name: str, value: float, expected: str) -> None:
    make = LEARNERS[name]
    finite = "" if abs(value) <= 2.0**250 else r"|a finite number of at most 2\^250"  # no example of anybody's may hold it
    match = f"(column|key) 1: found .*expected ({expected}{finite})"
    X = np.array(GOOD)
    X[2, 1] = value
    check_one_refused(make, X[2], match, 1)
    check_one_refused(make, sp.csr_array(X[2:3]), match, 1)
    check_one_refused(make, {1: value, 2: 1.0}, match, 1)
    check_row_refused(make, X, 2, match, 1)
    check_row_refused(make, np.asfortranarray(X), 2, match, 1)
    check_row_refused(make, sp.csr_array(X), 2, match, 1)
    check_row_refused(make, sp.csc_matrix(X), 2, match, 1)
    with np.errstate(over="ignore"):
        narrow = X.astype(np.float32)
    if not abs(value) < 1.1:  # else float32 may round it into the domain
        check_row_refused(make, narrow, 2, "column 1: found", 1)
        check_row_refused(make, sp.csr_array(narrow), 2, "column 1: found", 1)


@pytest.mark.parametrize(
    ("name", "value"), [("Winnow", -0.5), ("LiteralWinnow", 1.5), ("BalancedWinnow", -1.5), ("Elimination", 0.25)]
)
def test_a_value_by_name_is_refused_by_its_slot(name: str, value: float) -> None:
    word = names_of_slots(N)[1][0]
    check_one_refused(LEARNERS[name], {word: value}, "expected (a number from|0 or 1)", 1)


@every_learner
def test_zeros_of_both_signs_are_no_attributes(make: Maker) -> None:
    one, other = taught(make), taught(make)
    assert one.learn([1.0, -0.0, 0.0], 1) == other.learn({0: 1.0}, 1)
    assert everything(one) == everything(other)


def test_a_zero_vector_has_no_direction_for_a_margin() -> None:
    make = LEARNERS["MarginPerceptron"]
    empty: list[object] = [{}, set(), [0.0, 0.0, -0.0], sp.csr_array((1, 3))]
    for x in empty:
        check_one_refused(make, x, "a zero vector has no direction", None)
    X = np.array(GOOD)
    X[1] = 0.0
    check_row_refused(make, X, 1, "a zero vector", None)
    check_row_refused(make, sp.csr_array(X), 1, "a zero vector", None)
    assert th.MarginPerceptron(N, 0.5, bias=1.0).learn({}, -1).changed


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "MarginPerceptron"])
def test_an_empty_example_is_an_example_for_the_others(name: str) -> None:
    empty: list[object] = [{}, set(), [0, 0, 0], sp.csr_array((1, 3))]
    assert len({repr(taught(LEARNERS[name]).learn(x, 1).prediction) for x in empty}) == 1


@every_learner
def test_shapes_keys_labels_and_weights_are_refused_as_for_the_perceptron(make: Maker) -> None:
    check_one_refused(make, [1.0, 0.0], "found an array of shape", None)
    check_one_refused(make, {3: 1.0}, "3", 3)
    learner = taught(make)
    with pytest.raises(th.LabelError, match="found label 2, expected"):
        learner.learn(GOOD[2], 2)
    with pytest.raises(th.LabelError, match="use -1 or 0, not both"):
        learner.learn(GOOD[2], 0)
    for weight in (-1.0, math.nan, math.inf, 2.0**151):
        with pytest.raises(th.ExampleError, match=r"found weight .*expected (a finite number from 0|1: )"):
            learner.learn(GOOD[2], 1, weight)
    with pytest.raises(th.ExampleError, match="found 4 columns, expected n = 3"):
        learner.learn_many(np.zeros((2, 4)), [1, 1])
    assert everything(learner) == everything(taught(make))


# ---- names that fall into one slot --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Winnow", "LiteralWinnow"])
def test_two_names_in_one_slot_count_as_the_larger_value(name: str) -> None:
    first, second = names_of_slots(N, 2)[1]
    pairs = ({first: 0.25, second: 0.75}, {second: 0.75, first: 0.25}, {first: 0.75, 1: 0.25}, {1: 0.75, second: 0.5})
    for colliding in (*pairs, {first: -0.0, second: 0.75}, {first: 0.75, second: -0.0}):
        one, other = taught(LEARNERS[name]), taught(LEARNERS[name])
        assert one.predict(colliding) == other.predict({1: 0.75})
        assert one.learn(colliding, 1).prediction == other.learn({1: 0.75}, 1).prediction
        assert one.weights.tobytes() == other.weights.tobytes()
        assert (one.collisions, other.collisions) == (1, 0)


def test_two_names_in_one_slot_are_one_attribute_that_is_on() -> None:
    both = set(names_of_slots(N, 2)[1])
    for name in ("Winnow", "LiteralWinnow", "Elimination"):
        one, other = LEARNERS[name](), LEARNERS[name]()
        assert one.learn(both, -1).prediction == other.learn({1}, -1).prediction
        assert one.weights.tobytes() == other.weights.tobytes()


@pytest.mark.parametrize(
    ("values", "kept"), [((-0.5, 1.0), 1.0), ((-1.0, 0.5), -1.0), ((0.5, 0.25), 0.5), ((-0.5, -0.25), -0.5), ((0.5, -0.5), 0.5)]
)
def test_where_values_are_signed_the_larger_in_size_of_a_slot_is_kept(values: tuple[float, float], kept: float) -> None:
    first, second = names_of_slots(N, 2)[1]
    for names in ((first, second), (second, first)):
        one, other = th.BalancedWinnow(N), th.BalancedWinnow(N)
        one.learn(dict(zip(names, values, strict=True)), -1)
        other.learn({1: kept}, -1)
        assert one.weights.tobytes() == other.weights.tobytes()
    with pytest.raises(th.ExampleError, match=r"found -1\.5, expected a number from -1 to 1"):
        th.BalancedWinnow(N).learn({first: -1.5, second: 1.0}, -1)


# ---- parameters ---------------------------------------------------------------------------------------------------

MAKE: dict[str, Callable[..., LinearLearner]] = {
    "AveragedPerceptron": th.AveragedPerceptron,
    "MarginPerceptron": lambda n, **given: th.MarginPerceptron(n, **{"margin": 0.5, **given}),
    "PNormPerceptron": th.PNormPerceptron,
    "PassiveAggressive": th.PassiveAggressive,
    "Winnow": th.Winnow,
    "LiteralWinnow": th.LiteralWinnow,
    "BalancedWinnow": th.BalancedWinnow,
    "Elimination": th.Elimination,
    "AROW": th.AROW,
    "AdaGrad": th.AdaGrad,
    "Invariant": th.Invariant,
    "ScaledWinnow": th.ScaledWinnow,
    "Constant": th.Constant,
}
NO_NUMBERS: list[Any] = ["1.5", [1.5], 1j, {}, 10**400]
NO_THRESHOLDS: list[Any] = [0, -3, math.nextafter(1.0, 0.0), math.nan, math.inf, 1e300, 2.0**65]
NO_RATES: list[Any] = [0, 0.0, -0.1, math.nan, math.inf, math.nextafter(2.0**20, math.inf), None]
NO_BIASES: list[Any] = [0, 0.0, math.nan, math.inf, 2.0**251]
NO_FACTORS: list[Any] = [1, 1.0, 0.5, 0, -2, math.nan, math.inf, 2.0**21, None]
BAD_PARAMETERS: list[tuple[str, str, list[Any], str]] = [
    ("MarginPerceptron", "margin", [0, 0.0, -0.5, math.nextafter(1.0, 2.0), 2, math.nan, math.inf], "above 0 and at most 1"),
    ("MarginPerceptron", "epsilon", [0, 1, 1.0, -0.5, 1.5, math.nan, math.inf, None], "a number between 0 and 1"),
    ("MarginPerceptron", "bias", [0, 0.0, math.nan, math.inf, 2.0**251], "None, or a number other than 0"),
    ("AveragedPerceptron", "bias", [0, 0.0, math.nan, math.inf, 2.0**251], "None, or a number other than 0"),
    ("PNormPerceptron", "p", [0, 1.0, math.nextafter(2.0, 1.0), 100.5, math.nan, math.inf], "a number from 2 to 100"),
    ("PNormPerceptron", "bias", [0, 0.0, math.nan, math.inf, 2.0**251], "None, or a number other than 0"),
    ("PassiveAggressive", "C", [0, -1.0, 2.0**101, 2.0**-101, math.nan, math.inf, None], "a number above 0"),
    ("PassiveAggressive", "bias", [0, 0.0, math.nan, math.inf, 2.0**251], "None, or a number other than 0"),
    ("Winnow", "threshold", NO_THRESHOLDS, "a number from 1 to 2"),
    ("Winnow", "factor", NO_FACTORS, "a number above 1"),
    ("LiteralWinnow", "threshold", NO_THRESHOLDS, "a number from 1 to 2"),
    ("LiteralWinnow", "factor", NO_FACTORS, "a number above 1"),
    ("BalancedWinnow", "eta", [0, 0.0, -0.1, math.nan, math.inf, 2.0**21, None], "a number above 0"),
    ("BalancedWinnow", "bias", [0, 0.0, 1.5, -1.5, math.nan, math.inf], "a number other than 0 from -1 to 1"),
    ("AROW", "r", [0, 0.0, -1.0, 2.0**-21, 2.0**21, math.nan, math.inf, None], r"a number from 2\^-20 to 2\^20"),
    ("AROW", "bias", NO_BIASES, "None, or a number other than 0"),
    ("AdaGrad", "loss", ["", "log", "Hinge", 0, None, math.nan], "one of logistic, hinge"),
    ("AdaGrad", "rate", NO_RATES, "a number above 0"),
    ("AdaGrad", "bias", NO_BIASES, "None, or a number other than 0"),
    ("Invariant", "rate", NO_RATES, "a number above 0"),
    ("Invariant", "bias", NO_BIASES, "None, or a number other than 0"),
    ("ScaledWinnow", "times", [0, -1.0, 2.0**-21, 2.0**21, math.nan, math.inf, None], "a number (above 0|from 2)"),
    ("ScaledWinnow", "factor", NO_FACTORS, "a number above 1"),
    ("ScaledWinnow", "bias", NO_BIASES, "None, or a number other than 0"),
    ("Constant", "label", [0, 2, -2, 0.5, True, math.nan, math.inf, None], "-1 or \\+1"),
]


@pytest.mark.parametrize(
    ("name", "parameter", "value", "expected"),
    [(name, parameter, value, expected) for name, parameter, bad, expected in BAD_PARAMETERS for value in bad],
)
def test_a_parameter_outside_its_range_is_refused(name: str, parameter: str, value: Any, expected: str) -> None:
    with pytest.raises(th.ParameterError, match=f"found {parameter} = .*, expected .*{expected}"):
        MAKE[name](N, **{parameter: value})


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value)[:9])
@pytest.mark.parametrize(("name", "parameter"), [(name, parameter) for name, parameter, _, _ in BAD_PARAMETERS])
def test_a_parameter_that_is_no_number_is_refused(name: str, parameter: str, value: Any) -> None:
    with pytest.raises(th.ParameterError, match=f"found {parameter} = .*, expected"):
        MAKE[name](N, **{parameter: value})


@pytest.mark.parametrize("n", [0, -1, 2**48 + 1, 2**70, 1.0, 2.5, "3", None, True, [3]])
@pytest.mark.parametrize("name", MAKE)
def test_a_number_of_attributes_that_is_none_is_refused(name: str, n: Any) -> None:
    with pytest.raises(th.ParameterError, match=r"found n = .*expected a whole number of attributes from 1"):
        MAKE[name](n)


@pytest.mark.parametrize("name", MAKE)
def test_one_attribute_is_enough(name: str) -> None:
    learner = MAKE[name](1)
    for y in (-1, +1, -1, -1, +1, +1):
        learner.learn([1.0], y)
    assert (learner.n, learner.rounds, learner.weights.shape) == (1, 6, (1,))
    assert np.isfinite(learner.predict({0}).score)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("MarginPerceptron", {"margin": 1.0, "epsilon": math.nextafter(1.0, 0.0)}),
        ("MarginPerceptron", {"margin": 5e-324, "epsilon": 5e-324, "bias": 5e-324}),
        ("AveragedPerceptron", {"bias": 2.0**250}),
        ("AveragedPerceptron", {"bias": 5e-324, "normalize": True}),
        ("PNormPerceptron", {"p": 2, "bias": 5e-324}),
        ("PNormPerceptron", {"p": 100, "bias": 2.0**250}),
        ("PNormPerceptron", {"p": 99.5, "bias": -(2.0**-250)}),
        ("PassiveAggressive", {"C": 2.0**100, "bias": 2.0**250}),
        ("PassiveAggressive", {"C": 2.0**100, "bias": 5e-324}),
        ("PassiveAggressive", {"C": 2.0**-100}),
        ("Winnow", {"threshold": 1, "factor": math.nextafter(1.0, 2.0)}),
        ("Winnow", {"threshold": 2.0**64, "factor": 2.0**20}),
        ("LiteralWinnow", {"threshold": 1, "factor": math.nextafter(1.0, 2.0)}),
        ("LiteralWinnow", {"threshold": 2.0**64, "factor": 2.0**20}),
        ("BalancedWinnow", {"eta": 5e-324, "bias": 1.0}),
        ("BalancedWinnow", {"eta": 2.0**20, "bias": -5e-324}),
        ("AROW", {"r": 2.0**-20, "bias": 2.0**250}),
        ("AROW", {"r": 2.0**20, "bias": -5e-324}),
        ("AdaGrad", {"loss": "logistic", "rate": 2.0**20, "bias": -(2.0**250)}),
        ("AdaGrad", {"loss": "hinge", "rate": 5e-324, "bias": 5e-324}),
        ("Invariant", {"rate": 2.0**20, "bias": -(2.0**250)}),
        ("Invariant", {"rate": 5e-324, "bias": 5e-324}),
        ("ScaledWinnow", {"times": 2.0**20, "factor": 2.0**20, "bias": -(2.0**250)}),
        ("ScaledWinnow", {"times": 2.0**-20, "factor": math.nextafter(1.0, 2.0), "bias": 5e-324}),
        ("Constant", {"label": -1}),
        ("Constant", {"label": np.int64(1)}),
    ],
)
def test_the_ends_of_the_ranges_are_within(name: str, given: dict[str, Any]) -> None:
    learner = MAKE[name](N, **given)
    for k in range(40):
        learner.learn(GOOD[k % 4], LABELS[k % 4] * (1 if k % 7 else -1), 1.0 if k % 5 else 2.0**140)
    assert np.isfinite(learner.weights).all()
    assert np.isfinite(learner.score_many(GOOD)).all()
    assert everything(type(learner).from_state(*learner.state())) == everything(learner)
    assert repr(learner).startswith(f"{name}(n=3, ")
