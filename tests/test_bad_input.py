"""Bad input: the right answer or a typed error that names the place, and the learner as after the row before."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import thresher as th
from tests.oracles import GOOD, LABELS, N, check_refused, check_refused_at, check_unchanged, columns, everything, taught

LARGEST = 2.0**250


def rows_with(value: float, kind: type[np.floating[Any]] = np.float64) -> Any:
    X = np.array(GOOD, dtype=kind)
    X[2, 1] = value
    return X


# ---- values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, math.nextafter(LARGEST, math.inf), -1e300])
def test_a_value_that_is_no_number_or_too_large_is_refused(value: float) -> None:
    match = "column 1: found .*expected a finite number of at most 2\\^250"
    check_refused([1.0, value, 0.0], match, column=1)
    check_refused(sp.csr_array([[1.0, value, 0.0]]), match, column=1)
    check_refused({0: 1.0, 1: value}, "key 1: found", column=1)
    check_refused({"name": value}, "key 'name': found", column="name")
    check_refused_at(2, rows_with(value), LABELS, match, column=1)
    check_refused_at(2, sp.csr_array(rows_with(value)), LABELS, match, column=1)
    with pytest.raises(th.ExampleError, match=f"row 2: {match}") as caught:
        taught().score_many(rows_with(value))
    assert (caught.value.row, caught.value.column) == (2, 1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_float32_value_that_is_no_number_is_refused(value: float) -> None:
    check_refused_at(2, rows_with(value, np.float32), LABELS, "column 1: found", column=1)
    check_refused_at(2, sp.csr_array(rows_with(value, np.float32)), LABELS, "column 1: found", column=1)


def test_the_largest_value_is_learned() -> None:
    learner = th.Perceptron(N)
    learner.learn([LARGEST, -LARGEST, 0.0], -1)
    assert learner.weights.tolist() == [-LARGEST, LARGEST, 0.0]


def test_a_collision_that_grows_too_large_is_refused() -> None:
    learner = th.Perceptron(1)
    with pytest.raises(th.ExampleError, match=r"column 0: found .*2\^250") as caught:
        learner.learn({"a": LARGEST, "b": LARGEST}, -1)
    assert caught.value.column == 0
    assert everything(learner) == everything(th.Perceptron(1))


@pytest.mark.parametrize("value", ["1.0", None, [1.0], 1j, np.complex128(1 + 5j), b"1", 10**400, {}])
def test_a_value_of_a_mapping_that_is_no_number_is_refused(value: object) -> None:
    check_refused({2: value}, "key 2: found .*expected a number", column=2)


@pytest.mark.filterwarnings("ignore")  # NumPy only warns as it drops the imaginary part
def test_the_imaginary_part_of_a_value_or_label_is_never_dropped() -> None:
    check_refused({2: np.complex128(1 + 5j)}, "key 2: found .*expected a number", column=2)
    with pytest.raises(th.LabelError, match=r"found label .*5j"):
        taught().learn(GOOD[0], np.complex128(1 + 5j))
    check_refused_at(1, GOOD, [-1, np.complex128(1 + 5j), -1, 1], "found label .*5j")


@pytest.mark.parametrize("value", [True, 2, Fraction(1, 2), np.float16(0.5), np.int8(3)])
def test_any_number_may_stand_in_a_mapping(value: float) -> None:
    learner = th.Perceptron(N)
    learner.learn({1: value}, -1)
    assert learner.weights.tolist() == [0.0, -float(value), 0.0]


# ---- shapes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [[], [1.0], [1.0] * 4, [[1.0, 2.0, 3.0]], 3.0, np.zeros((3, 1)), np.zeros(0)], ids=repr)
def test_an_example_of_another_shape_is_refused(x: object) -> None:
    check_refused(x, "found an array of shape .*expected one example of n = 3 values")


@pytest.mark.parametrize("shape", [(1, 2), (1, 4), (2, 3), (0, 3)])
def test_a_sparse_example_of_another_shape_is_refused(shape: tuple[int, int]) -> None:
    check_refused(sp.csr_array(shape), "found a sparse matrix of shape")
    check_refused(sp.coo_array(shape), "found a sparse matrix of shape")


def test_a_block_of_another_shape_is_refused() -> None:
    check_unchanged([], [], "found an array of shape \\(0,\\), expected two dimensions")
    check_unchanged([1.0, 2.0, 3.0], [1], "for one example call learn or predict")
    check_unchanged(np.zeros((2, 3, 1)), [1, 1], "expected two dimensions")
    check_unchanged(np.zeros((2, 4)), [1, 1], "found 4 columns, expected n = 3")
    check_unchanged(sp.csr_array((2, 4)), [1, 1], "expected rows and n = 3 columns")
    check_unchanged([[1.0, 2.0, 3.0], [1.0]], [1, 1], "expected a 2-D array of numbers")


@pytest.mark.parametrize("X", [np.zeros((0, 3)), np.zeros((9, 6))[4:4, ::2], sp.csr_array((0, 3)), sp.csc_matrix((0, 3))])
def test_no_rows_give_no_rounds(X: object) -> None:
    learner = taught()
    before = everything(learner)
    rounds = learner.learn_many(X, [])
    assert (len(rounds), rounds.first, rounds.mistakes, rounds.scores.shape) == (0, 3, 0, (0,))
    assert everything(learner) == before
    assert (learner.score_many(X).shape, learner.predict_many(X).shape) == ((0,), (0,))


def test_an_empty_example_is_a_zero_vector() -> None:
    empty: list[object] = [{}, set(), frozenset(), [0, 0, 0], sp.csr_array((1, 3))]
    for x in empty:
        learner = taught()
        weights = learner.weights.tobytes()
        played = learner.learn(x, -1)
        assert (played.mistake, played.changed, learner.weights.tobytes()) == (True, False, weights)
        normalizing = th.Perceptron(N, normalize=True)
        with pytest.raises(th.ExampleError, match="zero vector"):
            normalizing.learn(x, -1)
        assert everything(normalizing) == everything(th.Perceptron(N, normalize=True))
    with pytest.raises(th.ExampleError, match="row 1: a zero vector") as caught:
        normalizing.learn_many([[1, 1, 1], [0, 0, 0]], [1, 1])
    assert caught.value.row == 1
    assert normalizing.rounds == 1


# ---- arrays -------------------------------------------------------------------------------------------------------


def misaligned(X: Any) -> Any:
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape)
    raw[...] = X
    assert not raw.flags.aligned
    return raw


def read_only(X: Any) -> Any:
    kept = X.copy()
    kept.flags.writeable = False
    return kept


WHOLE = np.array([[1, 0, 2], [3, 1, 0], [0, 1, 1], [1, 1, 1]])
READABLE: dict[str, Any] = {
    "read-only": read_only(WHOLE.astype(np.float64)),
    "read-only float32": read_only(WHOLE.astype(np.float32)),
    "misaligned": misaligned(WHOLE.astype(np.float64)),
    "misaligned float32": misaligned(WHOLE.astype(np.float32)),
    "Fortran": np.asfortranarray(WHOLE.astype(np.float64)),
    "strided": np.repeat(WHOLE.astype(np.float64), 2, axis=1)[:, ::2],
    "reversed": WHOLE.astype(np.float64)[::-1, ::-1].copy()[::-1, ::-1],
    "broadcast": np.broadcast_to(WHOLE.astype(np.float64), (1, 4, 3))[0],
    "matrix": np.asmatrix(WHOLE),
    **{kind: WHOLE.astype(kind) for kind in (">f8", ">f4", ">i2", "f2", "i1", "u8", "g", "u2", "<i8")},
    "int8 CSR": sp.csr_array(WHOLE.astype(np.int8)),
    "longdouble CSR": sp.csr_array(WHOLE.astype(np.longdouble)),
}


@pytest.mark.parametrize("name", READABLE)
def test_an_unusual_array_is_learned_right(name: str) -> None:
    plain, learner = th.Perceptron(N), th.Perceptron(N)
    rounds = plain.learn_many(WHOLE.tolist(), LABELS)
    assert columns(learner.learn_many(READABLE[name], LABELS)) == columns(rounds)
    assert everything(learner) == everything(plain)


def test_a_bool_array_is_learned_right() -> None:
    learner = th.Perceptron(N)
    learner.learn_many(np.eye(3, dtype=bool), [-1, 1, -1])
    assert learner.weights.tolist() == [-1.0, 0.0, -1.0]


@pytest.mark.parametrize(
    "X",
    [
        np.array(GOOD, dtype=object),
        np.array(GOOD, dtype=complex),
        np.array(GOOD).astype(str),
        np.array(GOOD).astype("S8"),
        np.zeros((4, 3), dtype="M8[s]"),
        np.zeros((4, 3), dtype=[("a", "f8")]),
        np.ma.masked_array(np.array(GOOD), np.eye(4, 3, dtype=bool)),
        sp.csr_array(np.array(GOOD, dtype=complex)),
        [["a", "b", "c"]] * 4,
        [{0: 1.0}] * 4,
        [None] * 4,
    ],
    ids=lambda X: f"{type(X).__name__} {getattr(X, 'dtype', '')}",
)
def test_an_array_that_holds_no_plain_numbers_is_refused(X: Any) -> None:
    check_unchanged(X, LABELS, "found .* for (the examples|a sparse matrix), expected")
    if isinstance(X, np.ndarray):
        check_refused(X[0], "found .*expected")


@pytest.mark.parametrize("x", [None, "abc", b"abc", object(), iter([1, 2, 3]), 1j, [[1], [1, 2], 3], type, ...], ids=repr)
def test_an_object_that_is_no_example_is_refused(x: object) -> None:
    check_refused(x, "found .*expected")
    check_unchanged(x, [1], "found .*expected")


def test_a_linear_operator_is_no_sparse_matrix() -> None:
    check_unchanged(aslinearoperator(np.eye(3)), [1, 1, 1], "expected")


# ---- keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [-1, N, 2**31, 2**63, 2**70, -(2**70), np.int64(-1), np.uint64(2**63)])
def test_an_index_outside_n_is_refused(key: int) -> None:
    for x in ({key: 1.0}, {key}, frozenset([key]), Repeated([(key, 1.0)])):
        check_refused(x, "found index .*expected one from 0 to 2", column=key)


@pytest.mark.parametrize("key", [1.0, True, np.True_, b"name", None, (0, 1), 1j, np.float64(1)], ids=repr)
def test_a_key_that_is_neither_index_nor_name_is_refused(key: Any) -> None:
    for x in ({key: 1.0}, {key}, Repeated([(key, 1.0)])):
        error = check_refused(x, "found the key .*expected an int \\(an index\\) or a str \\(a name\\)", column=key)
        assert repr(key) in str(error)


def test_a_lone_surrogate_in_a_name_is_refused() -> None:
    for x in ({"a\ud800": 1.0}, {"a\ud800"}):
        check_refused(x, "not valid Unicode", column="a\ud800")


class Repeated(Mapping[Any, Any]):
    """A mapping that may give a key twice."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        self.pairs = pairs

    def __getitem__(self, key: object) -> object:
        return next(value for at, value in self.pairs if at == key)

    def __iter__(self) -> Iterator[object]:
        return (key for key, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def items(self) -> Any:
        return self.pairs


def test_the_same_key_twice_is_refused() -> None:
    check_refused(Repeated([(1, 1.0), (1, 2.0)]), "gives a key twice")
    check_refused(Repeated([("a", 1.0), ("a", 1.0)]), "gives a key twice")
    learner = th.Perceptron(N)
    learner.learn(Repeated([(1, 1.0), (2, 2.0)]), -1)
    assert learner.weights.tolist() == [0.0, -1.0, -2.0]


def test_an_unhashable_key_is_refused() -> None:
    check_refused(Repeated([([1], 1.0)]), "key")
