"""What is measured: one function a case. Each first checks that both sides compute the same, then times them in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th
from benchmarks.data import SHAPES, Workload
from benchmarks.timing import Ratio, Samples, interleaved
from thresher.linear import LinearLearner

__all__ = ["CASES", "Case", "Comparison", "Disagreement", "Result", "faster", "longer"]


class Disagreement(Exception):
    """The two sides did not compute the same, so their times must not be compared."""


@dataclass(frozen=True)
class Comparison:
    """One line of the table: the time or memory of `ours` beside that of `other`, and what their ratio should be."""

    ours: str
    other: str
    ratio: Ratio
    aim: str


def faster(samples: Samples, ours: str, other: str, aim: str = "no aim") -> Comparison:
    """How many times as fast ours is."""
    return Comparison(ours, other, samples.ratio(other, ours), aim)


def longer(samples: Samples, ours: str, other: str, aim: str = "no aim") -> Comparison:
    """How many times as long ours takes, or as much."""
    return Comparison(ours, other, samples.ratio(ours, other), aim)


@dataclass(frozen=True)
class Result:
    """A case as it was run."""

    case: str
    about: str
    samples: Samples
    comparisons: list[Comparison]


@dataclass(frozen=True)
class Case:
    """`run(turns, quick)` measures; `peers` are the distributions that it needs beside thresher."""

    run: Callable[[int, bool], Result]
    peers: tuple[str, ...]


def matrix(name: str, aim: str, turns: int, quick: bool) -> Result:
    """One pass over a matrix against scikit-learn, and what a ledger and a comparator add to it."""
    make, full, few = SHAPES[name]
    workload = make(few if quick else full)
    X, y, n = workload.X, workload.y, workload.n
    u = np.random.default_rng(4).standard_normal(n)
    scikit = import_module("sklearn.linear_model")

    def learn() -> th.Rounds:
        return th.Perceptron(n, tie="mistake").learn_many(X, y)

    def peer() -> Any:
        return scikit.Perceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)

    def one_epoch() -> Any:
        return scikit.Perceptron(fit_intercept=False, shuffle=False).partial_fit(X, y, classes=[-1, 1])

    learner = th.Perceptron(n, tie="mistake")
    mistakes = learner.learn_many(X, y).mistakes
    _check_same(workload, learner.weights, peer().coef_[0])
    times = interleaved(
        {
            "learn_many": learn,
            "learn_many and a Ledger": lambda: th.Ledger().enter(learn()),
            "learn_many and a Separator": lambda: th.Ledger(th.Separator(u)).enter(learn()),
            "scikit-learn fit": peer,
            "scikit-learn partial_fit": one_epoch,
        },
        turns,
    )
    return Result(
        name,
        f"{workload.about}; {mistakes:,} mistakes",
        times,
        [
            faster(times, "learn_many", "scikit-learn fit", aim),
            faster(times, "learn_many", "scikit-learn partial_fit"),
            longer(times, "learn_many and a Ledger", "learn_many", "≤ 1.05 × as long"),
            longer(times, "learn_many and a Separator", "learn_many", "≤ 2.2 × as long"),
        ],
    )


def learners(name: str, turns: int, quick: bool) -> Result:
    """The other learners beside our Perceptron, in memory, on rows that all of them take."""
    make, full, few = SHAPES[name]
    workload = make(few if quick else full)
    X, y, n = workload.X, workload.y, workload.n
    kinds: dict[str, Callable[[], LinearLearner]] = {"Perceptron": lambda: th.Perceptron(n)}
    kinds |= {
        "AveragedPerceptron": lambda: th.AveragedPerceptron(n),
        "PNormPerceptron": lambda: th.PNormPerceptron(n),
        "PassiveAggressive": lambda: th.PassiveAggressive(n),
    }
    if name == "S1":
        kinds |= {f"MarginPerceptron {margin}": partial(th.MarginPerceptron, n, margin) for margin in (0.01, 0.1)}
        kinds |= {"AROW": lambda: th.AROW(n), "AdaGrad": lambda: th.AdaGrad(n), "Invariant": lambda: th.Invariant(n)}
    else:
        kinds |= {"Winnow": lambda: th.Winnow(n), "LiteralWinnow": lambda: th.LiteralWinnow(n)}
        kinds |= {"BalancedWinnow": lambda: th.BalancedWinnow(n), "Elimination": lambda: th.Elimination(n)}
    rounds = {kind: make_learner().learn_many(X, y) for kind, make_learner in kinds.items()}
    counts = ", ".join(f"{kind} {played.mistakes:,}/{played.updates:,}" for kind, played in rounds.items())

    def learn(make_learner: Callable[[], LinearLearner]) -> None:
        make_learner().learn_many(X, y)

    times = interleaved({kind: partial(learn, make_learner) for kind, make_learner in kinds.items()}, turns)
    aims = {"Winnow": "≤ 1.3 × as long", "MarginPerceptron 0.01": "≤ 1.3 × as long"}
    comparisons = [longer(times, kind, "Perceptron", aims.get(kind, "no aim")) for kind in kinds if kind != "Perceptron"]
    return Result(f"learners-{name}", f"{workload.about}; mistakes/updates: {counts}", times, comparisons)


def _check_same(workload: Workload, ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> None:
    """Elsewhere than in exact workloads the two sum in another order: equal but for rounding, relative to the largest."""
    apart = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    if not apart <= (0.0 if workload.exact else 1e-9):
        raise Disagreement(f"{workload.name}: the weights differ from scikit-learn's by {apart:.3g} of the largest")


#: The cases in memory by their names, in the order in which they run.
CASES: dict[str, Case] = {
    "S1": Case(partial(matrix, "S1", "≥ 1.7 × as fast, aim 2.5"), ("scikit-learn",)),
    "S2": Case(partial(matrix, "S2", "≥ 1.5 × as fast, aim 2"), ("scikit-learn",)),
    "S3": Case(partial(matrix, "S3", "≥ 3 × as fast, aim 4"), ("scikit-learn",)),
    "learners-S1": Case(partial(learners, "S1"), ()),
    "learners-S2": Case(partial(learners, "S2"), ()),
}
