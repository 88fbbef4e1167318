"""Bad parameters, damaged states and nonsense of every kind: a typed error, and nothing changed."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import thresher as th
from tests.effort import tried
from tests.oracles import GOOD, LABELS, N, everything, taught

# ---- parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, -1, np.int64(0), 2**48 + 1, 2**70])
def test_a_learner_of_too_few_or_too_many_attributes_is_refused(n: int) -> None:
    with pytest.raises(th.ParameterError, match=r"found n = .*expected"):
        th.Perceptron(n)


@pytest.mark.parametrize("n", ["3", 2.5, 3.0, None, [3]])
def test_a_learner_whose_n_is_no_integer_is_refused(n: Any) -> None:
    with pytest.raises((TypeError, th.ParameterError), match=r"integer|expected"):
        th.Perceptron(n)


@pytest.mark.parametrize("tie", ["", "Plus", "zero", 1, 0, None])
def test_an_unknown_tie_is_refused(tie: Any) -> None:
    with pytest.raises(th.ParameterError, match=r"found tie = .*expected one of plus, minus, mistake"):
        th.Perceptron(N, tie=tie)


@pytest.mark.parametrize("bias", [0, 0.0, -0.0, math.nan, math.inf, -math.inf, 2.0**251])
def test_a_bias_that_is_none_is_refused(bias: float) -> None:
    with pytest.raises(th.ParameterError, match=r"found bias = .*expected None, or a number other than 0"):
        th.Perceptron(N, bias=bias)


@pytest.mark.parametrize("weight", ["heavy", None, [1.0]])
def test_a_weight_that_is_no_number_is_refused(weight: Any) -> None:
    learner = taught()
    with pytest.raises((TypeError, th.ExampleError), match="weight"):
        learner.learn(GOOD[2], -1, weight)
    assert everything(learner) == everything(taught())


# ---- states -------------------------------------------------------------------------------------------------------

Damage = Callable[[dict[str, Any], dict[str, Any]], None]


def head(name: str, value: object) -> Damage:
    return lambda parameters, arrays: parameters["heads"].update({name: value})


def argument(name: str, value: object) -> Damage:
    return lambda parameters, arrays: parameters["arguments"].update({name: value})


def part(name: Any, value: object) -> Damage:
    return lambda parameters, arrays: parameters.update({name: value})


def weights(value: object) -> Damage:
    return lambda parameters, arrays: arrays.update({"weights": value})


DAMAGES: dict[str, Damage] = {
    "another learner": part("learner", "Winnow"),
    "no learner": part("learner", None),
    "an array as the learner": part("learner", np.zeros(2)),
    "a part too many": part("more", 1),
    "a part of another type too many": part(1, 1),
    "no part": lambda parameters, arrays: parameters.clear(),
    "no heads": part("heads", None),
    "heads as a list": part("heads", [1, 2]),
    "no arguments": part("arguments", None),
    "arguments as a list": part("arguments", [3]),
    "an argument too many": argument("more", 1),
    "n = 0": argument("n", 0),
    "n as text": argument("n", "3"),
    "n = 4": argument("n", 4),
    "n larger than any memory": argument("n", 2**47),
    "n beyond 64 bits": argument("n", 2**70),
    "bias = 0": argument("bias", 0.0),
    "bias = nan": argument("bias", math.nan),
    "bias as text": argument("bias", "1"),
    "tie = zero": argument("tie", "zero"),
    "tie as a list": argument("tie", []),
    "a head too many": head("more", 0),
    "rounds < mistakes": head("rounds", 0),
    "rounds < 0": head("rounds", -1),
    "rounds as float": head("rounds", 2.0),
    "rounds as bool": head("rounds", True),
    "rounds = 2^63": head("rounds", 2**63),
    "mistakes < 0": head("mistakes", -1),
    "updates > rounds": head("updates", 3),
    "updates = 0 with weights": head("updates", 0),
    "collisions < 0": head("collisions", -1),
    "negative = 2": head("negative", 2),
    "bias weight of no bias": head("bias_weight", 1.0),
    "bias weight = nan": head("bias_weight", math.nan),
    "bias weight as int": head("bias_weight", 0),
    "no weights": lambda parameters, arrays: arrays.clear(),
    "an array too many": lambda parameters, arrays: arrays.update(more=np.zeros(3)),
    "weights as a list": weights([0.0, 0.0, 0.0]),
    "weights too few": weights(np.zeros(2)),
    "weights in two dimensions": weights(np.zeros((3, 1))),
    "weights of float32": weights(np.zeros(3, dtype=np.float32)),
    "weights of objects": weights(np.array([0.0, 0.0, None])),
    "weights with nan": weights(np.array([0.0, math.nan, 0.0])),
    "weights with inf": weights(np.array([0.0, 0.0, -math.inf])),
    "weights too large": weights(np.array([0.0, 1e140, 0.0])),
    "masked weights": weights(np.ma.array([0.0, math.nan, 1.0], mask=[False, True, False])),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_state_is_refused(damage: str) -> None:
    parameters, arrays = copy.deepcopy(taught().state())
    DAMAGES[damage](parameters, arrays)
    with pytest.raises(th.StoreError, match=r"found|state"):
        th.Perceptron.from_state(parameters, arrays)


@pytest.mark.parametrize("rounds", [2**62 + 1, 2**63 - 1, 2**63, 2**64])
def test_a_state_near_the_end_of_its_counts_is_refused(rounds: int) -> None:
    parameters, arrays = copy.deepcopy(taught().state())
    parameters["heads"]["rounds"] = rounds
    with pytest.raises(th.StoreError, match="no run of rounds can have"):
        th.Perceptron.from_state(parameters, arrays)


scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=5), st.complex_numbers()
)
odd_arrays: st.SearchStrategy[Any] = hnp.arrays(
    dtype=st.one_of(
        hnp.scalar_dtypes(), hnp.unicode_string_dtypes(max_len=3), st.sampled_from(["f8", "f4", "i8", "O", "?", "g", ">f4"])
    ).map(np.dtype),
    shape=st.one_of(hnp.array_shapes(max_dims=3, max_side=4), st.sampled_from([(3,), (4, 3), (0, 3), (1, 3), (4,)])),
)
nonsense: st.SearchStrategy[Any] = st.recursive(
    st.one_of(scalars, odd_arrays),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(scalars, st.tuples(scalars)), inner, max_size=4),
        st.sets(scalars, max_size=4),
        st.lists(st.lists(st.one_of(scalars, st.floats(-9, 9)), min_size=3, max_size=3), min_size=4, max_size=4),
    ),
    max_leaves=8,
)
blocks: st.SearchStrategy[Any] = st.one_of(
    nonsense,
    hnp.arrays(st.sampled_from([np.float64, np.float32, np.longdouble, np.float16]).map(np.dtype), (4, 3)),
    st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=1, max_size=4),
)


@given(
    st.dictionaries(st.sampled_from(["learner", "arguments", "heads", 1]), nonsense),
    st.dictionaries(st.just("weights"), nonsense),
)
def test_a_state_with_nonsense_in_it_is_refused(parts: dict[Any, Any], arrays: dict[str, Any]) -> None:
    parameters, kept = copy.deepcopy(taught().state())
    try:
        learner = th.Perceptron.from_state({**parameters, **parts}, {**kept, **arrays})
    except th.StoreError:
        assert parts or arrays
    else:
        assert np.isfinite(learner.weights).all()
        assert everything(copy.copy(learner)) == everything(learner)


# ---- nonsense -----------------------------------------------------------------------------------------------------


def check_result_or_typed_error(learner: th.Perceptron, call: Callable[[], object]) -> None:
    """Calls; if that is refused, the learner must be as after the rounds that the error tells of."""
    loop = copy.copy(learner)
    error = None
    try:
        result = call()
    except th.ExampleError as raised:
        error = raised
    if error is None:
        assert isinstance(result, th.Prediction | th.Round | th.Rounds | np.ndarray)
        return
    played = [error.rounds[k] for k in range(len(error.rounds))] if isinstance(error.rounds, th.Rounds) else []
    assert [loop.learn(again.example, again.label, again.weight) for again in played] == played
    assert everything(learner) == everything(loop)


@tried(200)
@given(nonsense)
def test_any_object_as_an_example_gives_a_result_or_a_typed_error(x: object) -> None:
    learner = taught()
    check_result_or_typed_error(learner, lambda: learner.predict(x))
    assert everything(learner) == everything(taught())
    check_result_or_typed_error(learner, lambda: learner.learn(x, 1))


@tried(200)
@given(blocks)
def test_any_object_as_a_block_gives_a_result_or_a_typed_error(X: Any) -> None:
    learner = taught()
    check_result_or_typed_error(learner, lambda: learner.score_many(X))
    check_result_or_typed_error(learner, lambda: learner.predict_many(X))
    assert everything(learner) == everything(taught())
    for size in (0, 1, 4):
        again = taught()
        check_result_or_typed_error(again, partial(again.learn_many, X, LABELS[:size]))


@given(nonsense)
def test_any_object_as_a_label_gives_a_result_or_a_typed_error(y: object) -> None:
    learner = taught()
    check_result_or_typed_error(learner, lambda: learner.learn(GOOD[2], y))


@given(st.one_of(nonsense, st.lists(nonsense, min_size=4, max_size=4)))
def test_any_object_as_labels_gives_a_result_or_a_typed_error(y: Any) -> None:
    learner = taught()
    check_result_or_typed_error(learner, lambda: learner.learn_many(GOOD, y))


@given(st.one_of(nonsense, st.lists(nonsense, min_size=4, max_size=4)))
def test_any_object_as_weights_gives_a_result_or_a_typed_error(given_: Any) -> None:
    learner = taught()
    check_result_or_typed_error(learner, lambda: learner.learn_many(GOOD, LABELS, given_))


@given(st.data(), st.sampled_from([np.int32, np.int64]))
def test_any_indices_in_a_sparse_matrix_give_a_result_or_a_typed_error(
    data: st.DataObject, index: type[np.signedinteger[Any]]
) -> None:
    X = sp.csr_array(np.array(GOOD))
    anything = st.one_of(st.integers(-3, 12), st.integers(np.iinfo(index).min, np.iinfo(index).max))
    X.indptr = np.array(data.draw(st.lists(anything, min_size=5, max_size=5)), dtype=index)
    X.indices = np.array(data.draw(st.lists(anything, min_size=9, max_size=9)), dtype=index)
    learner = taught()
    row, message = None, ""
    try:
        learner.score_many(X)
    except th.ExampleError as error:
        row, message = error.row, str(error)
    if row is None:
        assert len(learner.learn_many(X, LABELS)) == len(LABELS)
    else:
        with pytest.raises(th.ExampleError) as caught:
            learner.learn_many(X, LABELS)
        assert (caught.value.row, str(caught.value)) == (row, message)
        assert learner.rounds == 2 + row
    assert np.isfinite(learner.weights).all()
