"""One arithmetic: every way to the same examples gives the same bits."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.effort import tried
from tests.oracles import FloatPerceptron, bits, canonical_dot, columns, everything
from tests.strategies import (
    Stream,
    Variant,
    any_value,
    examples,
    forms,
    labels,
    streams,
    values,
    variants,
)
from thresher import _core
from thresher.linear.perceptron import TIES

N = 7
FROZEN_SUMS = ("norm", "smallest_margin", "largest_norm", "squares_on_mistakes", "distance", "distance_on_mistakes")

#: No zero vectors, so that every variant accepts every row.
stream = streams(N, zeros=False)
wild_stream = streams(N, value=any_value, zeros=False)


def taught(given_: Stream, variant: Variant) -> th.Perceptron:
    learner = th.Perceptron(N, **variant.keywords())
    learner.learn_many(given_.rows, given_.labels, given_.weights)
    return learner


def one_by_one(learner: th.Perceptron, given_: Stream) -> list[th.Round]:
    return [learner.learn(*row) for row in zip(given_.rows, given_.labels, given_.weights, strict=True)]


# ---- the core and the oracle --------------------------------------------------------------------------------------


@given(wild_stream, variants)
def test_the_core_has_the_bits_of_canonical_arithmetic(given_: Stream, variant: Variant) -> None:
    learner = th.Perceptron(N, **variant.keywords())
    oracle = FloatPerceptron(N, variant.normalize, variant.bias, TIES[variant.tie])
    for x, y, weight in zip(given_.rows, given_.labels, given_.weights, strict=True):
        said = learner.predict(x)
        played = learner.learn(x, y, weight)
        expected = oracle.learn(x.tolist(), y, weight)
        assert bits([said.score]) == bits([played.prediction.score]) == bits([expected.score])
        assert said.label == played.prediction.label == expected.prediction
        assert played.changed == expected.changed
        assert learner.weights.tobytes() == bits(oracle.weights)
        assert bits([learner.bias_weight]) == bits([oracle.bias_weight])


@given(
    st.integers(0, 40).flatmap(lambda size: st.tuples(*[st.lists(any_value.filter(bool), min_size=size, max_size=size)] * 2))
)
def test_scores_of_any_length_are_four_partial_sums(pair: tuple[list[float], list[float]]) -> None:
    weights, x = pair
    learner = th.Perceptron(max(len(x), 1), tie="mistake")
    if x:
        learner.learn(weights, 1)
    row = list(enumerate(x))
    assert bits([learner.predict(dict(row)).score]) == bits([canonical_dot(weights, row) + 0.0])


# ---- many, one by one, in pieces ----------------------------------------------------------------------------------


@given(stream, variants)
def test_many_is_one_by_one(given_: Stream, variant: Variant) -> None:
    alone, together = th.Perceptron(N, **variant.keywords()), th.Perceptron(N, **variant.keywords())
    played = one_by_one(alone, given_)
    rounds = together.learn_many(given_.rows, given_.labels, given_.weights)
    assert everything(alone) == everything(together)
    assert len(rounds) == len(played)
    assert [rounds[k] for k in range(len(rounds))] == played
    assert rounds.scores.tobytes() == bits(r.prediction.score for r in played)
    assert rounds.predictions.tolist() == [r.prediction.label for r in played]
    assert rounds.labels.tolist() == [r.label for r in played]
    assert rounds.changed.tolist() == [r.changed for r in played]
    assert (rounds.mistakes, rounds.updates) == (sum(r.mistake for r in played), sum(r.changed for r in played))


@given(stream, variants, values(N).filter(any))
def test_many_predictions_are_predictions_one_by_one(given_: Stream, variant: Variant, x: list[float]) -> None:
    learner = taught(given_, variant)
    X = np.vstack([given_.rows, [x]])
    before = everything(learner)
    alone = [learner.predict(row) for row in X]
    for predictor in (learner, learner.hypothesis()):
        assert predictor.score_many(X).tobytes() == bits(p.score for p in alone)
        assert predictor.predict_many(X).tolist() == [p.label for p in alone]
        assert predictor.predict(x) == alone[-1]
    assert everything(learner) == before


@given(stream, variants, st.lists(st.integers(0, 12), max_size=4))
def test_where_blocks_end_does_not_matter(given_: Stream, variant: Variant, cuts: list[int]) -> None:
    whole, pieces = th.Perceptron(N, **variant.keywords()), th.Perceptron(N, **variant.keywords())
    rounds = whole.learn_many(given_.rows, given_.labels, given_.weights)
    at = [0, *sorted(min(cut, len(given_.rows)) for cut in cuts), len(given_.rows)]
    parts = [pieces.learn_many(given_.rows[a:b], given_.labels[a:b], given_.weights[a:b]) for a, b in pairwise(at)]
    assert everything(whole) == everything(pieces)
    assert [part.first for part in parts] == [a + 1 for a in at[:-1]]
    joined = zip(*(columns(part) for part in parts), strict=True)
    assert tuple(b"".join(column) for column in joined) == columns(rounds)


@given(stream, variants, labels(12))
def test_how_labels_are_spelled_does_not_matter(given_: Stream, variant: Variant, spelled: tuple[list[int], list[Any]]) -> None:
    size = len(given_.rows)
    plain, alone, together = (th.Perceptron(N, **variant.keywords()) for _ in range(3))
    rounds = plain.learn_many(given_.rows, spelled[0][:size])
    for x, y in zip(given_.rows, spelled[1], strict=False):
        alone.learn(x, y)
    assert columns(together.learn_many(given_.rows, spelled[1][:size])) == columns(rounds)
    assert everything(alone) == everything(together)
    assert alone.weights.tobytes() == plain.weights.tobytes()
    for dtype in (np.int8, np.int16, np.int64, np.float16, np.float32, np.longdouble, object):
        learner = th.Perceptron(N, **variant.keywords())
        assert columns(learner.learn_many(given_.rows, np.array(spelled[0][:size], dtype=dtype))) == columns(rounds)


# ---- forms of an example ------------------------------------------------------------------------------------------


@tried(50)
@given(stream, variants, values(N).filter(any), st.sampled_from([-1, 1]))
def test_every_form_of_an_example_gives_the_same_bits(given_: Stream, variant: Variant, x: list[float], y: int) -> None:
    start = taught(given_, variant)
    expected = copy.copy(start)
    played = expected.learn(dict(enumerate(x)), y)
    for name, form in forms(x):
        learner = copy.copy(start)
        assert bits([learner.predict(form).score]) == bits([played.prediction.score]), name
        assert learner.learn(form, y) == played, name
        assert everything(learner) == everything(expected), name


@given(st.lists(st.tuples(examples(N), st.sampled_from([-1, 1])), max_size=12), st.sampled_from([None, 0.3]))
def test_a_stream_of_mixed_forms_is_the_dense_stream(
    mixed: list[tuple[tuple[list[float], str, object], int]], bias: float | None
) -> None:
    one, other = th.Perceptron(N, bias=bias), th.Perceptron(N, bias=bias)
    scores = bits(one.learn(form, y).prediction.score for (_, _, form), y in mixed)
    rows = np.array([row for (row, _, _), _ in mixed]).reshape(-1, N)
    assert other.learn_many(rows, [y for _, y in mixed]).scores.tobytes() == scores
    assert everything(one) == everything(other)


BLOCKS: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "list of lists": lambda X: X.tolist(),
    "Fortran order": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": lambda X: X.astype(">f8"),
    "float32": lambda X: X.astype(np.float32),
    "longdouble": lambda X: X.astype(np.longdouble),
    "csr_matrix": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "coo_matrix": sp.coo_matrix,
    "lil_array": sp.lil_array,
    "dok_array": sp.dok_array,
    "float32 CSR": lambda X: sp.csr_array(X.astype(np.float32)),
    "float32 CSC": lambda X: sp.csc_array(X.astype(np.float32)),
}


@given(given_=stream, variant=variants)
def test_every_form_of_a_block_gives_the_same_bits(given_: Stream, variant: Variant) -> None:
    dense = th.Perceptron(N, **variant.keywords())
    rounds = dense.learn_many(given_.rows, given_.labels, given_.weights)
    for name, form in BLOCKS.items():
        X = form(given_.rows) if len(given_.rows) else given_.rows
        learner = th.Perceptron(N, **variant.keywords())
        assert columns(learner.learn_many(X, given_.labels, given_.weights)) == columns(rounds), name
        assert everything(learner) == everything(dense), name
        assert learner.score_many(X).tobytes() == dense.score_many(given_.rows).tobytes(), name


@pytest.mark.parametrize("form", [sp.dok_array, sp.dok_matrix])
def test_a_row_in_dictionary_of_keys_format_is_no_empty_dict(form: Callable[[list[list[float]]], object]) -> None:
    learner = th.Perceptron(3)
    assert learner.learn(form([[1.0, 0.0, 2.0]]), -1).changed
    assert learner.weights.tolist() == [-1.0, 0.0, -2.0]


def csr(X: NDArray[Any], index: type[np.signedinteger[Any]], shuffled: bool) -> sp.csr_array:
    """X with indices of this kind, each row backwards if `shuffled`."""
    X = X.reshape(len(X), -1)
    order = -1 if shuffled else 1
    slots = [np.flatnonzero(row)[::order] for row in X]
    ends = np.cumsum([0, *(len(row) for row in slots)]).astype(index)
    data = np.concatenate([row[at] for row, at in zip(X, slots, strict=True)])
    made = sp.csr_array((data, np.concatenate(slots).astype(index), ends), shape=X.shape)
    made.indices, made.indptr = made.indices.astype(index), ends
    return made


@given(stream, variants, st.sampled_from([np.int32, np.int64]), st.sampled_from([np.float32, np.float64]))
def test_unsorted_columns_give_the_same_bits(
    given_: Stream, variant: Variant, index: type[np.signedinteger[Any]], kind: type[np.floating[Any]]
) -> None:
    rows = np.vstack([given_.rows, np.ones(N)])
    y, weights = [*given_.labels, -1], [*given_.weights, 1.0]
    ascending, backwards = th.Perceptron(N, **variant.keywords()), th.Perceptron(N, **variant.keywords())
    rounds = ascending.learn_many(rows, y, weights)
    X = csr(rows.astype(kind), index, shuffled=True)
    assert columns(backwards.learn_many(X, y, weights)) == columns(rounds)
    assert everything(backwards) == everything(ascending)


def test_rows_of_any_length_in_any_order_give_the_same_bits() -> None:
    n, random = 1000, np.random.default_rng(11)
    start = th.Perceptron(n)
    start.learn(random.normal(size=n), -1)
    for length in range(270):
        slots, sizes = random.permutation(n)[:length], random.normal(size=length)
        row = np.zeros(n)
        row[slots] = sizes
        expected = bits([start.predict(row).score])
        assert bits([start.predict(dict(zip(slots.tolist(), sizes.tolist(), strict=True))).score]) == expected
        assert start.score_many(sp.csr_array((sizes, slots, [0, length]), shape=(1, n))).tobytes() == expected


# ---- instruction sets ---------------------------------------------------------------------------------------------


@pytest.fixture
def each_instruction_set() -> Iterator[Callable[[], Iterator[str]]]:
    before = _core.instruction_set()

    def each() -> Iterator[str]:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            assert _core.instruction_set() == name
            yield name

    yield each
    _core.use_instruction_set(before)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["dense", "int32", "int64"])
@pytest.mark.parametrize("normalize", [False, True])
def test_every_instruction_set_gives_the_same_bits(
    each_instruction_set: Callable[[], Iterator[str]], kind: type[np.floating[Any]], layout: str, normalize: bool
) -> None:
    n, random = 41, np.random.default_rng(7)
    lengths = np.repeat(np.arange(41), 4)
    X = (random.normal(size=(len(lengths), n)) * 10.0 ** random.integers(-30, 30, size=(len(lengths), n))).astype(kind)
    for row, length in zip(X, lengths, strict=True):
        row[random.permutation(n)[length:]] = 0.0
    X = np.vstack([X, random.normal(size=(20, n)).astype(kind)])  # rows without a zero are scored where they lie
    rows: Any = X if layout == "dense" else csr(X, np.int32 if layout == "int32" else np.int64, shuffled=False)
    y = np.where(random.random(len(X)) < 0.5, -1, 1)
    weights = random.random(len(X)) * 3
    seen = set()
    for _ in each_instruction_set():
        learner = th.Perceptron(n, normalize=normalize, bias=0.7, tie="mistake")
        rounds = learner.learn_many(rows, y, weights)
        together = _core.Frozen(X[-1].astype(np.float64), 0.5, 1.0)
        together.enter(rounds)
        alone = _core.Frozen(X[-1].astype(np.float64), 0.5, 1.0)
        for k in range(len(rounds)):
            alone.enter(rounds[k])
        sums = [bits(getattr(frozen, name) for name in FROZEN_SUMS) for frozen in (together, alone)]
        assert sums[0] == sums[1]
        seen.add((repr(everything(learner)), columns(rounds), learner.score_many(rows).tobytes(), sums[0]))
    assert len(seen) == 1
    assert learner.updates > 50


def test_an_unknown_instruction_set_is_refused() -> None:
    before = _core.instruction_set()
    with pytest.raises(ValueError, match="abacus"):
        _core.use_instruction_set("abacus")
    assert _core.instruction_set() == before


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_many_slots_give_the_same_bits_as_few(index: type[np.signedinteger[Any]]) -> None:
    few, many, random = 300, 2**18, np.random.default_rng(3)
    X = random.normal(size=(50, few)) * (random.random((50, few)) < 0.2)
    y = np.where(random.random(50) < 0.5, -1, 1)
    small, large = th.Perceptron(few, bias=1.0), th.Perceptron(many, bias=1.0)  # the large one fetches rows ahead
    narrow = csr(X, index, shuffled=False)
    wide = sp.csr_array((narrow.data, narrow.indices, narrow.indptr), shape=(50, many))
    wide.indices, wide.indptr = narrow.indices, narrow.indptr
    assert columns(large.learn_many(wide, y)) == columns(small.learn_many(X, y))
    assert large.weights[:few].tobytes() == small.weights.tobytes()
    assert not large.weights[few:].any()


# ---- stopping and going on ----------------------------------------------------------------------------------------

STOPS: dict[str, Callable[[th.Perceptron], th.Perceptron]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda learner: pickle.loads(pickle.dumps(learner)),
    "pickle 2": lambda learner: pickle.loads(pickle.dumps(learner, protocol=2)),
    "state": lambda learner: th.Perceptron.from_state(*learner.state()),
}


@given(before=wild_stream, after=wild_stream, variant=variants)
def test_stopping_and_going_on_is_never_having_stopped(before: Stream, after: Stream, variant: Variant) -> None:
    for name, stop in STOPS.items():
        original = taught(before, variant)
        left = everything(original)
        resumed = stop(original)
        assert everything(resumed) == left, name
        rounds = resumed.learn_many(after.rows, after.labels, after.weights)
        assert everything(original) == left, name  # the copy's rounds are its own
        going_on = original.learn_many(after.rows, after.labels, after.weights)
        assert (going_on.first, columns(going_on)) == (rounds.first, columns(rounds)), name
        assert everything(original) == everything(resumed), name


def test_a_resumed_learner_remembers_how_negative_labels_were_spelled() -> None:
    learner = th.Perceptron(2)
    learner.learn([1, 0], 0)
    for stop in STOPS.values():
        with pytest.raises(th.LabelError, match="use -1 or 0, not both"):
            stop(learner).learn([1, 0], -1)
