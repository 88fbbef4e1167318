"""How lanes read rows: every place of a row is looked at, whatever a register holds at once. And what nobody keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import thresher as th
from thresher import _core, examples
from thresher._core import Bank, Bank64
from thresher.errors import ExampleError

N, SIZES = 64, (1, 3, 4, 7, 8, 9, 12, 15, 16, 21)
RULES = [lane.rule for lane in (th.PassiveAggressive(N, bias=1.0), th.AROW(N), th.ScaledWinnow(N), th.Invariant(N))]
KINDS = [(index, value) for index in (np.int32, np.int64) for value in (np.float32, np.float64)]


@pytest.fixture(params=_core.instruction_sets(), autouse=True)
def _kept_to_one_set(request: pytest.FixtureRequest) -> Iterator[None]:
    before = _core.instruction_set()
    _core.use_instruction_set(request.param)
    yield
    _core.use_instruction_set(before)


def row(size: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Slots and values of one row."""
    rng = np.random.default_rng(size)
    return np.sort(rng.choice(N, size, replace=False)), rng.choice([-1.0, 1.0, 1.0], size) * rng.uniform(0.1, 2.0, size).round(
        3
    )


def after(made: type[Bank] | type[Bank64], slots: NDArray[Any], values: NDArray[Any]) -> bytes:
    """What lanes are after a row that all learn, and this one, as the user holds it."""
    bank, first = made(N, RULES), np.array([0, 1])
    X = sp.csr_matrix((2, N), dtype=values.dtype)
    X.data = np.concatenate([np.ones(2, values.dtype), values])
    X.indices, X.indptr = np.concatenate([first, slots]).astype(slots.dtype), np.array([0, 2, 2 + len(slots)], slots.dtype)
    y = np.array([1, -1], np.int8)
    bank._learn_block(examples.block(X, N), y, None, None, None, np.zeros(2, np.bool_), y)
    arrays, heads = bank._state()
    return b"".join(array.tobytes() for array in arrays.values()) + repr(heads).encode()


@pytest.mark.parametrize(("index", "value"), KINDS)
@pytest.mark.parametrize("made", [Bank, Bank64])
@pytest.mark.parametrize("size", SIZES[1:])
def test_neighbours_out_of_order_are_seen_at_every_place(
    made: type[Bank] | type[Bank64], index: Any, value: Any, size: int
) -> None:
    slots, values = row(size)
    slots, values = slots.astype(index), values.astype(value)
    expected = after(made, slots, values)
    for j in range(size - 1):
        order = np.arange(size)
        order[[j, j + 1]] = j + 1, j
        assert after(made, slots[order], values[order]) == expected


@pytest.mark.parametrize(("index", "value"), KINDS)
@pytest.mark.parametrize("made", [Bank, Bank64])
@pytest.mark.parametrize("size", SIZES)
def test_what_is_wrong_is_found_at_every_place(made: type[Bank] | type[Bank64], index: Any, value: Any, size: int) -> None:
    slots, values = row(size)
    slots, values = slots.astype(index), values.astype(value)
    for j in range(size):
        for bad in (np.nan, np.inf, -np.inf):
            spoiled = values.copy()
            spoiled[j] = bad
            with pytest.raises(ExampleError) as caught:
                after(made, slots, spoiled)
            assert (caught.value.row, caught.value.column) == (1, slots[j])
        for outside in (N, -1):
            moved = slots.copy()
            moved[j] = outside
            with pytest.raises(ExampleError) as caught:
                after(made, moved, values)
            assert caught.value.row == 1
        if j > 0:
            twice = slots.copy()
            twice[j] = twice[j - 1]
            with pytest.raises(ExampleError, match="twice"):
                after(made, twice, values)


@pytest.mark.parametrize("made", [Bank, Bank64])
@pytest.mark.parametrize("size", SIZES)
def test_zeros_are_left_out_at_every_place(made: type[Bank] | type[Bank64], size: int) -> None:
    slots, values = row(size)
    for j in range(size):
        spoiled, others = values.copy(), np.arange(size) != j
        for zero in (0.0, -0.0):
            spoiled[j] = zero
            assert after(made, slots, spoiled) == after(made, slots[others], values[others])


@pytest.mark.parametrize("size", SIZES)
def test_large_and_tiny_values_are_seen_at_every_place(size: int) -> None:
    """Lanes of float32 clip values to 2^40 and leave out those below 2^-40."""
    slots, values = row(size)
    for j in range(size):
        spoiled, clipped, others = values.copy(), values.copy(), np.arange(size) != j
        spoiled[j], clipped[j] = -(2.0**60), -(2.0**40)
        assert after(Bank, slots, spoiled) == after(Bank, slots, clipped)
        spoiled[j] = 2.0**-60
        assert after(Bank, slots, spoiled) == after(Bank, slots[others], values[others])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_lanes_are_the_same_whether_somebody_keeps_what_they_say_or_not(threads: int) -> None:
    rng = np.random.default_rng(0)
    X, y = sp.random_array((3000, N), density=0.2, rng=rng, format="csr"), rng.choice(np.array([-1, 1], np.int8), 3000)
    rules, told = [*RULES, *(th.AdaGrad(N, rate=rate).rule for rate in (0.1, 1.0))], []
    for keeps_labels in (True, False):
        for keeps_scores in (True, False):
            bank, changed = Bank(N, rules, threads), np.zeros(3000, np.bool_)
            says = np.zeros((3000, len(rules)), np.int8) if keeps_labels else None
            scores = np.zeros((3000, len(rules)), np.float32) if keeps_scores else None
            bank._learn_block(examples.block(X, N), y, None, says, scores, changed, y)
            arrays, heads = bank._state()
            told.append((changed.tobytes(), repr(heads), *(array.tobytes() for array in arrays.values())))
    assert len(set(told)) == 1


@pytest.mark.parametrize("cost", [1.0, 3.0])
def test_a_vote_leaves_its_master_as_the_rule_alone_would_be(cost: float) -> None:
    """Most rounds here have only lanes wrong whose weight no double holds: the vote knows them, and asks the master nothing."""
    rng = np.random.default_rng(1)
    X = (rng.random((4000, N)) < np.r_[0.5, np.full(N - 1, 0.2)]).astype(np.float64)
    y = np.where(X[:, 0] > 0, 1, -1)
    portfolio, lanes = th.Portfolio(N, bias=1.0, cost_positive=cost), th.Portfolio(N, bias=1.0, cost_positive=cost)
    rounds, alone, losses = portfolio.learn_many(X, y), th.AdaHedge(len(portfolio.lanes)), []
    for x, label in zip(X, y, strict=True):
        before = lanes.lane_mistakes
        lanes.learn(x, label)
        losses.append((lanes.lane_mistakes - before) * (cost if label > 0 else 1.0))
    alone.learn_losses_many(np.array(losses))
    assert rounds.mistakes == lanes.mistakes
    assert (portfolio.master.weights[:2] == 0.0).all()  # those that always say the same
    for master in (portfolio.master, lanes.master):
        assert repr(master.state()) == repr(alone.state())
