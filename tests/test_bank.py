"""Banks: a lane is the learner alone, bit for bit, whatever lies beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher import _core, examples
from thresher._core import Bank, Bank64, Rule
from thresher.linear import LinearLearner

N = 7
LANES: dict[str, LinearLearner] = {
    "Perceptron": th.Perceptron(N),
    "Perceptron, bias": th.Perceptron(N, bias=-0.7, tie="minus"),
    "Perceptron, tie": th.Perceptron(N, tie="mistake"),
    "Perceptron, normalized": th.Perceptron(N, normalize=True, bias=0.5),
    "passive-aggressive": th.PassiveAggressive(N, C=0.3),
    "passive-aggressive, bias": th.PassiveAggressive(N, bias=2.0),
    "averaged": th.AveragedPerceptron(N),
    "averaged, normalized": th.AveragedPerceptron(N, normalize=True, bias=1.0),
    "averaged, bias": th.AveragedPerceptron(N, bias=0.3),
    "AROW": th.AROW(N),
    "AROW, bias": th.AROW(N, r=0.1, bias=1.0),
    "AROW 10": th.AROW(N, r=10.0, bias=-0.2),
    "AdaGrad": th.AdaGrad(N, rate=0.3),
    "AdaGrad, bias": th.AdaGrad(N, rate=2.0, bias=1.0),
    "AdaGrad, hinge": th.AdaGrad(N, loss="hinge", bias=0.5),
    "Invariant": th.Invariant(N),
    "Invariant 2, bias": th.Invariant(N, rate=2.0, bias=1.0),
    "ScaledWinnow": th.ScaledWinnow(N),
    "ScaledWinnow, bias": th.ScaledWinnow(N, times=0.5, factor=1.3, bias=1.0),
    "ScaledWinnow 8": th.ScaledWinnow(N, times=4.0, factor=8.0, bias=1.0),
    "minus": th.Constant(N, -1),
    "plus": th.Constant(N, +1),
}
RULES: list[Rule] = [learner.rule for learner in LANES.values()]

values = st.one_of(st.sampled_from([0.0, 0.0, 1.0, -1.0, 1.0]), st.floats(-9, 9).map(lambda v: round(v, 2)))
rows = st.lists(values, min_size=N, max_size=N)
weights = st.sampled_from([1.0, 1.0, 1.0, 0.0, 0.25, 3.0])
streams = st.lists(st.tuples(rows, st.sampled_from([-1, 1]), weights), min_size=1, max_size=40)
Stream = list[tuple[list[float], int, float]]
Said = tuple[NDArray[np.int8], NDArray[Any], NDArray[np.bool_]]


def learned(bank: Bank | Bank64, stream: Stream, kind: type[np.floating], block: Any = None) -> Said:
    """What the lanes say of each row, as a bank learns them."""
    X = np.array([x for x, _, _ in stream])
    y = np.array([label for _, label, _ in stream], np.int8)
    held = examples.block(X if block is None else block(X), N)
    says, scores = np.zeros((len(y), bank.lanes), np.int8), np.zeros((len(y), bank.lanes), kind)
    changed = np.zeros(len(y), np.bool_)
    bank._learn_block(held, y, np.array([weight for _, _, weight in stream]), says, scores, changed, y)
    return says, scores, changed


def check_equal(one: Said, other: Said) -> None:
    """Asserts that what lanes said is the same, bit for bit."""
    for mine, yours in zip(one, other, strict=True):
        assert np.ascontiguousarray(mine).tobytes() == np.ascontiguousarray(yours).tobytes()


@settings(deadline=None)
@given(streams)
def test_a_lane_is_the_learner_alone(stream: Stream) -> None:
    bank = Bank64(N, RULES)
    says, scores, changed = learned(bank, stream, np.float64)
    moved = np.zeros(len(stream), np.bool_)
    for lane, learner in enumerate(LANES.values()):
        alone = type(learner)(**learner._arguments())
        rounds = [alone.learn(*example) for example in stream]
        assert says[:, lane].tolist() == [each.prediction.label for each in rounds], learner
        assert scores[:, lane].tobytes() == np.array([each.prediction.score for each in rounds]).tobytes(), learner
        planes, heads = alone._state()
        assert bank.weights(lane).tobytes() == planes["weights"].tobytes(), learner
        assert bank.bias_weight(lane) == heads.get("bias_weight", 0.0), learner
        moved |= [each.changed for each in rounds]
    assert changed.tolist() == moved.tolist()


@settings(deadline=None)
@given(streams, st.lists(st.integers(0, len(RULES) - 1), min_size=1, max_size=9))
def test_neighbours_change_nothing(stream: Stream, chosen: Sequence[int]) -> None:
    says, scores, _ = learned(Bank(N, [RULES[i] for i in chosen]), stream, np.float32)
    for lane, i in enumerate(chosen):
        alone = learned(Bank(N, [RULES[i]]), stream, np.float32)
        assert says[:, [lane]].tobytes() == alone[0].tobytes()
        assert scores[:, [lane]].tobytes() == alone[1].tobytes()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@settings(deadline=None)
@given(streams)
def test_every_instruction_set_has_the_same_bits(kind: type[np.floating], stream: Stream) -> None:
    made = Bank if kind is np.float32 else Bank64
    before, said = _core.instruction_set(), []
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            said.append(learned(made(N, RULES), stream, kind))
    finally:
        _core.use_instruction_set(before)
    for other in said[1:]:
        check_equal(said[0], other)


@settings(deadline=None)
@given(streams)
def test_sparse_is_dense_and_many_is_one_by_one(stream: Stream) -> None:
    bank, other = Bank(N, RULES), Bank(N, RULES)
    said = learned(bank, stream, np.float32)
    check_equal(said, learned(Bank(N, RULES), stream, np.float32, sp.csr_array))
    says, scores = np.zeros(len(RULES), np.int8), np.zeros(len(RULES), np.float32)
    for k, (x, y, weight) in enumerate(stream):
        other._score(x, says, scores)
        check_equal((says, scores, said[2][[k]]), (said[0][k], said[1][k], said[2][[k]]))
        assert other._learn(x, y, weight, says, scores) == said[2][k]
        check_equal((says, scores, said[2][[k]]), (said[0][k], said[1][k], said[2][[k]]))
    assert bank.rounds == other.rounds == len(stream)


@pytest.mark.parametrize("made", [Bank, Bank64])
def test_rows_of_any_length_that_are_fetched_ahead_are_what_they_are_alone(made: type[Bank] | type[Bank64]) -> None:
    n, rng = 2**14, np.random.default_rng(0)  # records of more than a near cache holds
    lengths = [0, 1, 3, 4, 5, 90, 2, 0, 17, 64, 1, 8]
    X = sp.vstack([sp.random_array((1, n), density=size / n, rng=rng, format="csr") for size in lengths], format="csr")
    y = rng.choice(np.array([-1, 1], np.int8), len(lengths))
    kind = np.float32 if made is Bank else np.float64
    says, scores = np.zeros((len(y), len(RULES)), np.int8), np.zeros((len(y), len(RULES)), kind)
    changed = np.zeros(len(y), np.bool_)
    one, other = made(n, RULES), made(n, RULES)
    one._learn_block(examples.block(X, n), y, None, says, scores, changed, y)
    for k in range(len(y)):
        alone = np.zeros((1, len(RULES)), np.int8), np.zeros((1, len(RULES)), kind), np.zeros(1, np.bool_)
        other._learn_block(examples.block(X[[k]], n), y[[k]], None, *alone, y[[k]])
        check_equal(alone, (says[[k]], scores[[k]], changed[[k]]))
    assert [plane.tobytes() for plane in one._state()[0].values()] == [plane.tobytes() for plane in other._state()[0].values()]


@settings(deadline=None)
@given(streams, streams)
def test_a_kept_bank_goes_on_as_if_it_had_never_stopped(first: Stream, second: Stream) -> None:
    bank = Bank(N, RULES)
    learned(bank, first, np.float32)
    arrays, heads = bank._state()
    again, twin = Bank(N, RULES, arrays, heads), Bank(bank)
    said = learned(bank, second, np.float32)
    check_equal(said, learned(again, second, np.float32))
    check_equal(said, learned(twin, second, np.float32))
    for mine, yours in zip(bank._state(), again._state(), strict=True):
        assert repr(mine) == repr(yours)


def test_values_of_every_size_leave_numbers() -> None:
    sizes = [1e75, -1e75, 1e-75, 5e-324, 1.0, -3e38, 1e12]
    bank = Bank(N, RULES)
    hefts = [1.0, 2.0**150, 1.0, 2.0**-150, 0.5]
    stream = [([sizes[(i * k) % 7] for i in range(N)], 1 if k % 3 else -1, hefts[k % 5]) for k in range(1, 400)]
    _, scores, _ = learned(bank, stream, np.float32)
    assert np.isfinite(scores).all()
    arrays, _ = bank._state()
    assert not any(np.isnan(plane).any() for plane in arrays.values())
    assert all(np.isfinite(plane).all() for name, plane in arrays.items() if "squares" not in name)


def test_a_row_that_cannot_be_learned_leaves_the_rows_before_it() -> None:
    good = [([1.0, 0, 0, 2, 0, 0, 0], 1, 1.0), ([0.0, 1, 0, 0, 0, 0, 3], -1, 1.0)]
    bad = ([1.0, np.nan, 0, 0, 0, 0, 0], 1, 1.0)
    bank, other = Bank(N, RULES), Bank(N, RULES)
    with pytest.raises(th.ExampleError, match="row 2") as caught:
        learned(bank, [*good, bad, *good], np.float32)
    assert caught.value.row == 2
    learned(other, good, np.float32)
    assert repr(bank._state()) == repr(other._state())


def test_a_group_behind_another_reads_no_further_than_its_lanes() -> None:
    aside, three = th.AROW(N).rule, [th.Perceptron(N).rule] * 3  # the sanitizers see one number too many
    stream: Stream = [([1.0] * N, -1, 1.0), ([1.0] * N, 1, 1.0)]
    says, scores, changed = learned(Bank(N, [aside, *three]), stream, np.float32)
    check_equal((says[:, 1:], scores[:, 1:], changed), learned(Bank(N, three), stream, np.float32))


def test_what_fits() -> None:
    assert all(Bank.fits(rule) for rule in RULES)
    assert not Bank.fits(th.Winnow(N).rule)
    assert not Bank.fits(th.Perceptron(N, normalize=True).rule)  # it refuses a row of zeros
    with pytest.raises(TypeError, match="fit a bank"):
        Bank(N, [th.Winnow(N).rule])


def test_sixteen_numbers_a_slot_are_one_line_of_the_cache() -> None:
    rules = [th.Perceptron(N).rule] * 4 + [th.ScaledWinnow(N).rule] * 3 + [th.AROW(N).rule] * 2
    rules += [th.AdaGrad(N).rule, th.Invariant(N).rule]
    assert 64 * 2**16 <= Bank(2**16, rules).bytes < 65 * 2**16
