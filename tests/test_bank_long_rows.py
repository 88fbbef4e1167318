"""Long rows and many lanes: whatever registers hold at once, and what is left over, the bits are those of the learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import thresher as th
from thresher import _core, examples
from thresher._core import Bank, Bank64
from thresher.linear import LinearLearner
from thresher.threads import allowed_threads

N, ROWS = 300, 700


def lanes(first_order: int) -> list[LinearLearner]:
    """So many lanes of first order, with one of each other kind and two of some."""
    first: list[LinearLearner] = [th.PassiveAggressive(N, C=2.0**-k, bias=1.0) for k in range(first_order)]
    if first_order > 8:
        first[3] = th.Perceptron(N, normalize=True, bias=0.5)
    others: list[LinearLearner] = [
        th.ScaledWinnow(N, times=4.0, factor=8.0, bias=1.0),
        th.ScaledWinnow(N, bias=1.0),
        th.AROW(N, r=10.0, bias=-0.2),
        th.AdaGrad(N, rate=0.3),
        th.AdaGrad(N, loss="hinge", bias=0.5),
        th.Invariant(N, rate=2.0, bias=1.0),
    ]
    return first + others + ([th.Invariant(N), th.AROW(N)] if first_order % 2 else [])


def stream(seed: int) -> tuple[Any, NDArray[np.int8]]:
    """Rows of 0 to 61 terms, some of them below 0, and labels that can nearly be learned."""
    rng = np.random.default_rng(seed)
    X = np.zeros((ROWS, N))
    for k, size in enumerate(rng.integers(0, 62, ROWS)):
        X[k, rng.choice(N, size, replace=False)] = rng.lognormal(0.0, 1.0, size) * rng.choice([1.0, 1.0, 1.0, -0.3], size)
    return sp.csr_array(X), np.where(X @ rng.standard_normal(N) > 0, 1, -1).astype(np.int8)


def played(bank: Bank | Bank64, X: Any, y: NDArray[np.int8], kind: type[np.floating]) -> tuple[bytes, ...]:
    """What the lanes say and score, when they move, and what they are afterwards."""
    says, scores = np.zeros((ROWS, bank.lanes), np.int8), np.zeros((ROWS, bank.lanes), kind)
    changed = np.zeros(ROWS, np.bool_)
    bank._learn_block(examples.block(X, N), y, None, says, scores, changed, y)
    arrays, heads = bank._state()
    return says.tobytes(), scores.tobytes(), changed.tobytes(), *(a.tobytes() for a in arrays.values()), repr(heads).encode()


@pytest.mark.parametrize(("made", "kind"), [(Bank, np.float32), (Bank64, np.float64)])
@pytest.mark.parametrize("first_order", [0, 1, 4, 7, 8, 16, 19, 37])
def test_every_instruction_set_has_the_same_bits(made: Any, kind: type[np.floating], first_order: int) -> None:
    X, y = stream(first_order)
    rules, before, told = [lane.rule for lane in lanes(first_order)], _core.instruction_set(), set()
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            for threads in (1, 2, 3):
                told.add(played(made(N, rules, threads), X, y, kind))
    finally:
        _core.use_instruction_set(before)
    assert len(told) == 1


@pytest.mark.parametrize("first_order", [1, 8, 19])
def test_a_lane_of_long_rows_is_the_learner_alone(first_order: int) -> None:
    X, y = stream(100 + first_order)
    kinds = lanes(first_order)
    bank = Bank64(N, [lane.rule for lane in kinds], allowed_threads())
    says, scores, changed = np.zeros((ROWS, len(kinds)), np.int8), np.zeros((ROWS, len(kinds))), np.zeros(ROWS, np.bool_)
    bank._learn_block(examples.block(X, N), y, None, says, scores, changed, y)
    for lane, learner in enumerate(kinds):
        rounds = learner.learn_many(X, y)
        assert scores[:, lane].tobytes() == np.asarray(rounds.scores).tobytes(), learner
        assert bank.weights(lane).tobytes() == learner.weights.tobytes(), learner


def test_instruction_sets_are_named_from_the_narrowest_on() -> None:
    assert _core.instruction_sets() == ["baseline", "avx2", "avx512"][: len(_core.instruction_sets())]
    assert _core.instruction_set() == _core.instruction_sets()[-1]


@pytest.mark.parametrize("bad", [0, 255, 256, 511, 600, 699])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_bad_row_ends_all_lanes_after_the_row_before_it(bad: int, threads: int) -> None:
    X, y = stream(5)
    rules = [lane.rule for lane in lanes(7)]
    X = X.tolil()
    X[bad, 3] = np.inf
    y[:], y[min(bad + 20, ROWS - 1)] = 1, -1
    block, told = examples.block(X.tocsr(), N), []
    for many in (threads, 1):
        bank = Bank(N, rules, many)
        says, scores = np.zeros((ROWS, bank.lanes), np.int8), np.zeros((ROWS, bank.lanes), np.float32)
        with pytest.raises(th.ExampleError) as caught:
            bank._learn_block(block, y, None, says, scores, np.zeros(ROWS, np.bool_), y)
        assert caught.value.row == bad == bank.rounds
        arrays, heads = bank._state()
        told.append((says[:bad].tobytes(), *(a.tobytes() for a in arrays.values()), repr(heads)))
    assert told[0] == told[1]
    assert bank._heads()["negative"] == 1  # none was seen: the one that comes behind the bad row was not learned
