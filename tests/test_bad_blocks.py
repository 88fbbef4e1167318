"""Bad sparse matrices, labels and weights: the right answer or a typed error, and the learner as after the row before."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import thresher as th
from tests.oracles import GOOD, LABELS, N, check_refused, check_refused_at, check_unchanged, columns, everything, taught

INDEX = pytest.mark.parametrize("index", [np.int32, np.int64])
Index = type[np.signedinteger[Any]]


def damaged(index: Index, **attributes: list[int]) -> sp.csr_array:
    """The good rows as CSR (indices 0 2 | 0 1 | 1 2 | 0 1 2), with attributes set behind SciPy's back."""
    X = sp.csr_array(np.array(GOOD))
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    for name, numbers in attributes.items():
        setattr(X, name, np.array(numbers, dtype=index))
    return X


# ---- sparse matrices ----------------------------------------------------------------------------------------------


@INDEX
def test_unsorted_columns_are_learned_right(index: Index) -> None:
    X = damaged(index, indices=[2, 0, 1, 0, 2, 1, 2, 0, 1])
    X.data = np.array([2.0, 1.0, -1.0, 0.5, -0.25, 3.0, 1.0, 1.0, 1.0])
    plain, learner = th.Perceptron(N), th.Perceptron(N)
    assert columns(learner.learn_many(X, LABELS)) == columns(plain.learn_many(GOOD, LABELS))
    assert everything(learner) == everything(plain)
    assert X.indices.tolist() == [2, 0, 1, 0, 2, 1, 2, 0, 1]  # the user's matrix is left alone


@INDEX
def test_stored_zeros_are_learned_as_no_features(index: Index) -> None:
    dense = np.array(GOOD)
    full = np.tile(np.arange(N, dtype=index), len(dense))
    X = sp.csr_array((dense.ravel(), full, np.arange(0, dense.size + 1, N, dtype=index)), shape=dense.shape)
    assert X.nnz == dense.size
    plain, learner = th.Perceptron(N), th.Perceptron(N)
    assert columns(learner.learn_many(X, LABELS)) == columns(plain.learn_many(GOOD, LABELS))
    assert everything(learner) == everything(plain)


@INDEX
@pytest.mark.parametrize(("place", "slot", "row"), [(2, 1, 1), (5, 1, 2), (6, 2, 3), (8, 1, 3)])
def test_a_column_given_twice_is_refused(index: Index, place: int, slot: int, row: int) -> None:
    indices = [0, 2, 0, 1, 1, 2, 0, 1, 2]
    indices[place] = slot
    check_refused_at(row, damaged(index, indices=indices), LABELS, "given twice, expected every column once", column=slot)


@INDEX
@pytest.mark.parametrize("slot", [-1, N, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("place", [4, 5])
def test_a_column_outside_n_is_refused(index: Index, slot: int, place: int) -> None:
    indices = [0, 2, 0, 1, 1, 2, 0, 1, 2]
    indices[place] = slot
    match = f"column {slot}: found index {slot}, expected one from 0 to"
    check_refused_at(2, damaged(index, indices=indices), LABELS, match, column=slot)
    with pytest.raises(th.ExampleError, match=match) as caught:
        taught().score_many(damaged(index, indices=indices))
    assert (caught.value.row, caught.value.column) == (2, slot)
    single = sp.csr_array(np.array([[1.0, 0.0, 0.0]]))
    single.indices = np.array([slot], dtype=index)
    check_refused(single, match, column=slot)


def test_a_column_beyond_64_bits_of_sign_is_refused() -> None:
    check_refused_at(2, damaged(np.int64, indices=[0, 2, 0, 1, 1, 2**62, 0, 1, 2]), LABELS, "found index 4611686", column=2**62)


@INDEX
def test_a_column_outside_many_slots_is_refused(index: Index) -> None:
    n = 2**18  # from here on rows are fetched ahead, before they are checked
    X = sp.csr_array((np.ones(8), np.arange(8, dtype=index), np.arange(9, dtype=index)), shape=(8, n))
    X.indices, X.indptr = np.array([0, 1, 2, 3, 4, 2**31 - 1, -(2**31), 7], dtype=index), X.indptr.astype(index)
    learner = th.Perceptron(n)
    with pytest.raises(th.ExampleError, match="row 5: column 2147483647"):
        learner.learn_many(X, [-1] * 8)
    assert np.flatnonzero(learner.weights).tolist() == [0, 1, 2, 3, 4]


@INDEX
@pytest.mark.parametrize(
    ("indptr", "row"),
    [
        ([0, 2, 4, 3, 9], 2),
        ([0, 2, 4, 6, 10], 3),
        ([0, 2, 4, 2**31 - 1, 9], 2),
        ([0, 2, 4, -1, 9], 2),
        ([0, 2, -4, 6, 9], 1),
        ([-1, 2, 4, 6, 9], 0),
        ([-(2**31), 2, 4, 6, 9], 0),
        ([9, 2, 4, 6, 9], 0),
        ([10, 10, 4, 6, 9], 0),
    ],
)
def test_damaged_row_ends_are_refused(index: Index, indptr: list[int], row: int) -> None:
    check_refused_at(row, damaged(index, indptr=indptr), LABELS, "indptr does not point into its data")
    with pytest.raises(th.ExampleError, match="indptr") as caught:
        taught().predict_many(damaged(index, indptr=indptr))
    assert caught.value.row == row


@INDEX
def test_parts_of_a_sparse_matrix_that_do_not_fit_are_refused(index: Index) -> None:
    check_unchanged(damaged(index, indptr=[]), LABELS, "damaged: indptr, indices and data do not fit")
    check_unchanged(damaged(index, indices=[0, 2, 0]), LABELS, "damaged: indptr, indices and data do not fit")
    check_unchanged(damaged(index, indptr=[0, 2, 4]), LABELS, "damaged: indptr, indices and data do not fit")


def test_data_or_columns_of_another_kind_are_refused() -> None:
    deep = damaged(np.int32)
    deep.data = np.ones((9, 1))
    check_unchanged(deep, LABELS, "damaged")
    fractions = damaged(np.int32)
    fractions.indices = np.array([0.5, 2.5, 0.5, 1.5, 1.5, 2.5, 0.5, 1.5, 2.5])
    check_unchanged(fractions, LABELS, "expected whole numbers")


# ---- labels -------------------------------------------------------------------------------------------------------

NO_LABELS: list[Any] = [2, -2, "a", "1", b"1", None, math.nan, math.inf, 0.5, 2**70, -(2**70), [1], (), 1j, {}, object]


@pytest.mark.parametrize("label", NO_LABELS, ids=repr)
def test_a_label_that_is_none_is_refused(label: Any) -> None:
    learner = taught()
    before = everything(learner)
    with pytest.raises(th.LabelError, match=r"found label .*expected -1, 0 or False for minus, 1 or True for plus") as caught:
        learner.learn(GOOD[2], label)
    assert repr(label) in str(caught.value)
    assert (caught.value.row, caught.value.rounds) == (None, None)
    assert everything(learner) == before


@pytest.mark.parametrize("label", [2, -2, None, math.nan, math.inf, 0.5, 2**70, object])
def test_a_row_whose_label_is_none_is_refused(label: Any) -> None:
    error = check_refused_at(2, GOOD, [-1, 1, label, 1], "found label .*expected -1, 0 or False for minus")
    assert isinstance(error, th.LabelError)
    assert repr(label) in str(error)


@pytest.mark.parametrize("label", ["a", "1", b"1", 1j], ids=repr)
def test_a_label_of_another_type_spoils_no_row_before_it(label: Any) -> None:
    error = check_refused_at(2, GOOD, [-1, 1, label, 1], "found label")
    assert isinstance(error, th.LabelError)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int16, np.float16, np.float32, np.longdouble])
def test_a_row_whose_label_is_none_is_refused_in_any_array(dtype: type[np.generic]) -> None:
    error = check_refused_at(2, GOOD, np.array([0, 1, 3, 1], dtype=dtype), "found label .*3")
    assert isinstance(error, th.LabelError)


@pytest.mark.parametrize(
    "y", [[1], [1] * 5, [[1, 1, 1, 1]], 1, "abcd", None, {}, [[1]] * 4, np.ones((4, 1)), np.array(1)], ids=repr
)
def test_labels_of_another_shape_are_refused(y: Any) -> None:
    assert isinstance(check_unchanged(GOOD, y, "found .*labels.*, expected one"), th.LabelError)


@pytest.mark.parametrize(
    "y", [np.int8(1), np.ones(4, complex), np.zeros(4, [("a", "i1")])], ids=["of no dimension", "Zd", "T{b}"]
)
def test_memory_of_a_format_that_holds_no_labels_is_refused(y: Any) -> None:
    assert isinstance(check_unchanged(GOOD, memoryview(y), "found memoryview for the labels, expected one"), th.LabelError)


def test_labels_in_memory_with_gaps_are_labels() -> None:
    spread: Any = np.array([1, 9, -1, 9, 1, 9, -1, 9], np.int8)
    for given, labels in ((memoryview(spread)[::2], [1, -1, 1, -1]), (memoryview(spread[::2].copy())[::-1], [-1, 1, -1, 1])):
        assert th.Perceptron(N).learn_many(GOOD, given).labels.tolist() == labels


def test_ragged_labels_are_refused_where_they_are_ragged() -> None:
    assert isinstance(check_refused_at(1, GOOD, [1, [1], 1, 1], r"found label \[1\]"), th.LabelError)


def test_masked_labels_are_refused_where_they_are_masked() -> None:
    learner = th.Perceptron(N)
    with pytest.raises(th.LabelError, match="row 2"):
        learner.learn_many(GOOD, np.ma.masked_array(np.array(LABELS), [False, False, True, False]))
    assert everything(learner) == everything(taught())


class OnlyAnArray:
    """What NumPy can read, though it has no items: a stand-in for a column of a table."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.numbers, dtype=dtype)


def test_a_bad_label_in_a_column_without_items_is_refused() -> None:
    with pytest.raises(th.LabelError, match=r"row 1: found label .*2") as caught:
        taught().learn_many(GOOD, OnlyAnArray([1, 2, 1, 1]))
    assert caught.value.row == 1


@pytest.mark.parametrize(("first", "second"), [(0, -1), (-1, 0), (False, -1), (-1.0, 0.0), (-1, False)])
def test_zero_and_minus_one_do_not_mix(first: Any, second: Any) -> None:
    match = "spelled its negative label the other way before: use -1 or 0, not both"
    for kind in (np.array, list):
        assert isinstance(check_refused_at(2, GOOD, kind([first, 1, second, 1]), match), th.LabelError)
    learner = th.Perceptron(N)
    learner.learn(GOOD[0], first)
    learner.learn_many(GOOD[:2], [1, first])
    before = everything(learner)
    with pytest.raises(th.LabelError, match=match):
        learner.learn(GOOD[1], second)
    with pytest.raises(th.LabelError, match=f"row 0: .*{match}"):
        learner.learn_many(GOOD, [second, 1, 1, 1])
    assert everything(learner) == before
    learner.learn(GOOD[1], first)


def test_a_refused_round_spells_nothing() -> None:
    learner = th.Perceptron(N)
    with pytest.raises(th.ExampleError):
        learner.learn([math.nan, 0, 0], 0)
    learner.learn(GOOD[0], -1)
    assert learner.rounds == 1


def test_bools_mix_with_zeros_and_ones() -> None:
    learner = th.Perceptron(N)
    rounds = learner.learn_many(GOOD, [False, 1, 0, True])
    for label in (True, 0, False, 1, np.False_):
        learner.learn(GOOD[0], label)
    assert rounds.labels.tolist() == [-1, 1, -1, 1]
    assert learner.rounds == 9


# ---- weights ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [-1.0, -1e-300, math.nan, math.inf, -math.inf, math.nextafter(2.0**150, math.inf)])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    match = "found weight .*expected a finite number from 0 to 2\\^150"
    check_refused_at(2, GOOD, LABELS, match, weights=[1.0, 0.5, weight, 1.0])
    learner = taught()
    with pytest.raises(th.ExampleError, match=match):
        learner.learn(GOOD[2], -1, weight)
    assert everything(learner) == everything(taught())


@pytest.mark.parametrize("weights", [[1.0], [1.0] * 5, 1.0, [[1.0]] * 4, ["a"] * 4, [None] * 4, [1j] * 4, "abcd"], ids=repr)
def test_weights_of_another_shape_or_kind_are_refused(weights: Any) -> None:
    check_unchanged(GOOD, LABELS, "found .* for the weights, expected one number for each of 4 rows", weights=weights)


def test_ragged_weights_are_refused() -> None:
    check_unchanged(GOOD, LABELS, "weights", weights=[1.0, [1.0], 1.0, 1.0])


def test_masked_weights_are_refused() -> None:
    check_unchanged(GOOD, LABELS, "weight", weights=np.ma.masked_array(np.ones(4), [False, False, True, False]))


def test_a_weight_of_zero_counts_the_round_and_moves_nothing() -> None:
    learner = th.Perceptron(N)
    played = learner.learn(GOOD[0], -1, 0.0)
    assert (played.mistake, played.changed, learner.mistakes, learner.updates) == (True, False, 1, 0)
    assert not learner.weights.any()


def test_the_label_and_the_example_both_bad_give_the_same_error_alone_and_in_a_block() -> None:
    errors = []
    for call in (
        lambda: th.Perceptron(N).learn([math.nan, 1, 1], 2),
        lambda: th.Perceptron(N).learn_many([[math.nan, 1, 1]], [2]),
    ):
        with pytest.raises(th.ExampleError) as caught:
            call()
        errors.append(type(caught.value))
    assert errors[0] is errors[1]


def test_one_row_without_its_end_is_refused() -> None:
    X = sp.csr_matrix([[1.0, 2.0, 3.0]])
    X.indptr = np.array([0], dtype=np.int32)
    with pytest.raises(th.ExampleError, match="damaged"):
        th.Perceptron(3).learn(X, 1)


def test_bytes_that_are_no_bool_are_no_label() -> None:
    odd = np.array([1, 2, 0, 1], dtype=np.uint8).view(np.bool_)
    check_refused_at(1, GOOD, odd, "found label")
