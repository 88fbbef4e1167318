"""Many learners in one pass: lanes of a bank and the default portfolio beside passes of scikit-learn and of our own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster, longer
from benchmarks.data import SHAPES, Workload
from benchmarks.timing import interleaved
from thresher import examples, labels
from thresher._core import Bank
from thresher.compose import default_lanes
from thresher.threads import allowed_threads

__all__ = ["CASES"]

_LINE = 16  # numbers of float32 in a line of the cache
_STEPS = [2.0**-k for k in range(16)]
_ONCE = "scikit-learn, one pass"


def lanes(workload: Workload) -> Callable[[], NDArray[np.int8]]:
    """Sixteen lanes of first order over the workload: passive-aggressive, with steps of up to 1, 1/2, 1/4 …"""
    rules = [th.PassiveAggressive(1, C=step, bias=1.0).rule for step in _STEPS]
    block, _ = examples.many(workload.X, workload.n)
    codes, _ = labels.read(workload.y, len(block))
    says, changed = np.zeros((len(block), len(rules)), np.int8), np.zeros(len(block), np.bool_)

    def run() -> NDArray[np.int8]:
        Bank(workload.n, rules, allowed_threads())._learn_block(block, codes, None, says, None, changed, codes)
        return says

    return run


def whole(workload: Workload) -> th.Portfolio:
    """The default portfolio, with its master, its calibration and a ledger."""
    portfolio, ledger = th.Portfolio(workload.n, bias=1.0), th.Ledger(th.BestLane())
    ledger.enter(portfolio.learn_many(workload.X, workload.y))
    ledger.check()
    return portfolio


def alone(workload: Workload) -> None:
    """The default lanes one after the other, each in a pass of its own."""
    for lane in default_lanes(1, bias=1.0):
        type(lane)(**{**lane._arguments(), "n": workload.n}).learn_many(workload.X, workload.y)


def lines(workload: Workload) -> None:
    """What memory takes at least: to read one line of the cache for each nonzero, and nothing else."""
    table = np.zeros((workload.n, _LINE), np.float32)
    room = np.empty((4096, _LINE), np.float32)
    indices: NDArray[np.int32] = workload.X.indices
    for start in range(0, len(indices), len(room)):
        part = indices[start : start + len(room)]
        np.take(table, part, axis=0, out=room[: len(part)], mode="clip")


def portfolio(name: str, turns: int, quick: bool) -> Result:
    """Sixteen lanes, and the default portfolio with everything, beside single passes, and so many times one of scikit-learn."""
    make, full, few = SHAPES[name]
    workload = make(few if quick else full)
    X, y, n = workload.X, workload.y, workload.n
    scikit: Any = import_module("sklearn.linear_model")

    def peer() -> Any:
        return scikit.Perceptron(shuffle=False).partial_fit(X, y, classes=[-1, 1])

    sixteen = lanes(workload)
    wrong = np.count_nonzero(sixteen()[:, 0] != np.sign(y))
    known = th.PassiveAggressive(n, C=1.0, bias=1.0).learn_many(X, y).mistakes
    if abs(wrong - known) > 0.02 * known + 10:
        raise Disagreement(f"{name}: a lane in float32 makes {wrong} mistakes, the learner {known}")
    made = whole(workload)
    times = interleaved(
        {
            "16 lanes": sixteen,
            "the default portfolio": partial(whole, workload),
            "its learners alone": partial(alone, workload),
            _ONCE: peer,
            "one line a nonzero": partial(lines, workload),
        },
        turns,
    )
    passes = {count: f"scikit-learn, {count} passes" for count in (len(_STEPS), len(made.lanes))}
    times.values |= {several: [count * one for one in times.values[_ONCE]] for count, several in passes.items()}
    best = made.lanes[made.best_lane]
    return Result(
        f"portfolio-{name}",
        f"{workload.about}; {len(made.lanes)} lanes, {made.mistakes:,} mistakes, best lane {best} {made.lane_mistakes.min():,}",
        times,
        [
            longer(times, ours, other, aim)
            for ours, other, aim in (
                ("16 lanes", _ONCE, "≤ 1.5 × as long"),
                ("16 lanes", "one line a nonzero", "no aim"),
                ("the default portfolio", _ONCE, "≤ 3 × as long"),
                ("the default portfolio", "one line a nonzero", "no aim"),
            )
        ]
        + [
            faster(times, "16 lanes", passes[len(_STEPS)], "≥ 10 × as fast"),
            faster(times, "the default portfolio", passes[len(made.lanes)], "≥ 5 × as fast"),
            faster(times, "the default portfolio", "its learners alone", "≥ 3 × as fast"),
        ],
    )


CASES = {f"portfolio-{name}": Case(partial(portfolio, name), ("scikit-learn",)) for name in ("S1", "S2")}
