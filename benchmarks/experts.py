"""Rules for losses and majorities beside loops in NumPy, and beside reading the losses once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster, longer
from benchmarks.timing import interleaved

__all__ = ["CASES", "advice", "check_same", "loop", "losses", "masks", "products"]

_EXPERTS, _ROUNDS, _FEW = 1_000, 100_000, 10_000


def losses(rounds: int, n: int) -> NDArray[np.float32]:
    """Losses from 0 to 1, those of the first expert a little lower."""
    table = np.random.default_rng(6).random((rounds, n), dtype=np.float32)
    table[:, 0] *= np.float32(0.95)
    return table


def loop(L: NDArray[np.float32], eta: float) -> NDArray[np.float64]:
    """Hedge at a fixed rate in float32, the fastest of the loops that were tried: all in place, nothing looked up twice."""
    multiply, exp, divide, total = np.multiply, np.exp, np.divide, np.add.reduce
    rate = np.float32(-eta)
    loss = np.empty(len(L))
    w = np.ones(L.shape[1], dtype=np.float32)
    p, fallen = w / total(w), np.empty_like(w)
    for t, row in enumerate(L):
        loss[t] = p.dot(row)
        multiply(row, rate, out=fallen)
        exp(fallen, out=fallen)
        multiply(w, fallen, out=w)
        divide(w, total(w), out=p)
        if t % 100 == 99:
            w[:] = p  # before float32 runs out of exponents
    return loss


def check_same(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> None:
    """The loop's weights drift by the rounding of float32."""
    apart = float(np.abs(ours - theirs).max())
    if not apart <= 1e-3:
        raise Disagreement(f"hedge: the losses of a round differ from the loop's by {apart:.3g}")


def hedge(turns: int, quick: bool) -> Result:
    """One pass over a table of losses."""
    rounds, n = _FEW if quick else _ROUNDS, _EXPERTS
    L = losses(rounds, n)

    def known() -> th.Hedge:
        return th.Hedge(n, horizon=rounds)

    rate = known().rate
    check_same(known().learn_losses_many(L).loss, loop(L, rate))
    times = interleaved(
        {
            "Hedge, horizon": lambda: known().learn_losses_many(L),
            "Hedge, anytime": lambda: th.Hedge(n).learn_losses_many(L),
            "AdaHedge": lambda: th.AdaHedge(n).learn_losses_many(L),
            "FixedShare": lambda: th.FixedShare(n).learn_losses_many(L),
            "a NumPy loop": lambda: loop(L, rate),
            "L.sum()": L.sum,
        },
        turns,
    )
    comparisons = [
        faster(times, "Hedge, horizon", "a NumPy loop", "≥ 8 × as fast"),
        longer(times, "Hedge, horizon", "L.sum()", "≤ 3 × as long"),
    ]
    for name in ("Hedge, anytime", "AdaHedge", "FixedShare"):
        comparisons.append(faster(times, name, "a NumPy loop"))
    return Result("hedge", f"{rounds:,} rounds of {n:,} experts, float32 losses", times, comparisons)


def advice(rounds: int, n: int) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """What experts say, 0 or 1, each right in half of the rounds, but the first in more; and what is true."""
    chance = np.random.default_rng(7)
    said, truth = chance.integers(0, 2, (rounds, n), dtype=np.uint8), chance.integers(0, 2, rounds, dtype=np.int8)
    said[::4, 0] = truth[::4]
    return said, truth


def masks(X: NDArray[np.uint8], y: NDArray[np.int8], beta: float) -> NDArray[np.bool_]:
    """Weighted majority as it is written in NumPy: what says 1, what says 0, who was wrong."""
    w, said = np.ones(X.shape[1]), np.empty(len(y), dtype=np.bool_)
    for t, row in enumerate(X):
        one = row == 1
        said[t] = w[one].sum() > w[~one].sum()
        w[one != y[t]] *= beta
        w /= w.max()
    return said


def products(X: NDArray[np.uint8], y: NDArray[np.int8], beta: float) -> NDArray[np.bool_]:
    """The same by products alone, all in place: the fastest of five loops that were tried."""
    w, said = np.ones(X.shape[1]), np.empty(len(y), dtype=np.bool_)
    x, kept = np.empty_like(w), np.empty_like(w)
    multiply, total = np.multiply, np.add.reduce
    for t, row in enumerate(X):
        x[:] = row
        said[t] = 2 * w.dot(x) > total(w)
        multiply(x, 1 - beta if y[t] else beta - 1, out=kept)
        kept += beta if y[t] else 1.0
        multiply(w, kept, out=w)
        if t % 64 == 63:
            w /= w.max()
    return said


def majority(turns: int, quick: bool) -> Result:
    """One pass over a table of advice."""
    rounds, n = (_FEW if quick else _ROUNDS) // 5, _EXPERTS
    X, y = advice(rounds, n)
    ours = th.WeightedMajority(n).learn_many(X, y).predictions == 1
    if not (np.array_equal(ours, masks(X, y, 0.5)) and np.array_equal(ours, products(X, y, 0.5))):
        raise Disagreement("majority: the predictions differ from the loops'")
    times = interleaved(
        {
            "WeightedMajority": lambda: th.WeightedMajority(n).learn_many(X, y),
            "a NumPy loop with masks": lambda: masks(X, y, 0.5),
            "the fastest NumPy loop": lambda: products(X, y, 0.5),
        },
        turns,
    )
    comparisons = [
        faster(times, "WeightedMajority", name, aim)
        for name, aim in (("a NumPy loop with masks", "≥ 50 × as fast"), ("the fastest NumPy loop", "no aim"))
    ]
    return Result("majority", f"{rounds:,} rounds of {n:,} experts, uint8 advice", times, comparisons)


#: The cases of experts by their names.
CASES: dict[str, Case] = {"hedge": Case(hedge, ()), "majority": Case(majority, ())}
