"""Rules for losses beside a loop in NumPy, and beside reading the losses once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import thresher as th
from benchmarks.cases import Case, Comparison, Disagreement, Result
from benchmarks.timing import interleaved

__all__ = ["CASES", "check_same", "loop", "losses"]

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
        Comparison("Hedge, horizon", "a NumPy loop", times.ratio("a NumPy loop", "Hedge, horizon"), "≥ 8 × as fast"),
        Comparison("Hedge, horizon", "L.sum()", times.ratio("Hedge, horizon", "L.sum()"), "≤ 3 × as long"),
    ]
    for name in ("Hedge, anytime", "AdaHedge", "FixedShare"):
        comparisons.append(Comparison(name, "a NumPy loop", times.ratio("a NumPy loop", name), "no aim"))
    return Result("hedge", f"{rounds:,} rounds of {n:,} experts, float32 losses", times, comparisons)


#: The cases of rules for losses by their names.
CASES: dict[str, Case] = {"hedge": Case(hedge, ())}
