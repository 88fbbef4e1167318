"""What is measured: one function a case. Each first checks that both sides compute the same, then times them in turn."""

from __future__ import annotations

import subprocess
import sys
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
from thresher.data.names import slot_of
from thresher.linear import LinearLearner

__all__ = ["CASES", "Case", "Comparison", "Disagreement", "Result"]


class Disagreement(Exception):
    """The two sides did not compute the same, so their times must not be compared."""


@dataclass(frozen=True)
class Comparison:
    """One line of the table: the time or memory of `ours` beside that of `other`, and what their ratio should be."""

    ours: str
    other: str
    ratio: Ratio
    aim: str


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
            "and a Ledger": lambda: th.Ledger().enter(learn()),
            "and a Separator": lambda: th.Ledger(th.Separator(u)).enter(learn()),
            "scikit-learn": peer,
            "its partial_fit": one_epoch,
        },
        turns,
    )
    return Result(
        name,
        f"{workload.about}; {mistakes:,} mistakes",
        times,
        [
            Comparison("learn_many", "scikit-learn", times.ratio("scikit-learn", "learn_many"), aim),
            Comparison("learn_many", "its partial_fit", times.ratio("its partial_fit", "learn_many"), "no aim"),
            Comparison("and a Ledger", "learn_many", times.ratio("and a Ledger", "learn_many"), "≤ 1.05 × as long"),
            Comparison("and a Separator", "learn_many", times.ratio("and a Separator", "learn_many"), "≤ 2.2 × as long"),
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
    comparisons = [
        Comparison(kind, "Perceptron", times.ratio(kind, "Perceptron"), aims.get(kind, "no aim"))
        for kind in kinds
        if kind != "Perceptron"
    ]
    return Result(f"learners-{name}", f"{workload.about}; mistakes/updates: {counts}", times, comparisons)


def _check_same(workload: Workload, ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> None:
    """Elsewhere than in exact workloads the two sum in another order: equal but for rounding, relative to the largest."""
    apart = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    if not apart <= (0.0 if workload.exact else 1e-9):
        raise Disagreement(f"{workload.name}: the weights differ from scikit-learn's by {apart:.3g} of the largest")


def named(per_example: int) -> tuple[list[dict[str, float]], list[bool]]:
    """Examples over 150 names. The first 20 come again with the other label: nothing separates them, so mistakes never end."""
    rng = np.random.default_rng(5)
    names = [f"attribute={k}" for k in range(150)]
    teacher = rng.standard_normal(len(names))
    rows, labels = [], []
    for _ in range(380):
        chosen = rng.choice(len(names), per_example, replace=False)
        values = rng.lognormal(0.0, 0.5, per_example)
        rows.append({names[k]: float(value) for k, value in zip(chosen, values, strict=True)})
        labels.append(bool(values @ teacher[chosen] > 0.0))
    return rows + rows[:20], labels + [not label for label in labels[:20]]


def one_by_one(per_example: int, aims: tuple[str, str], turns: int, quick: bool) -> Result:
    """One example at a time, as a dict, against river. It always has an intercept, so ours gets a bias."""
    rows, labels = named(per_example)
    river = import_module("river.linear_model")
    ours, theirs = th.Perceptron(2**18, bias=1.0, tie="mistake"), river.Perceptron()

    # The loops are written out, the same for both: a call through a helper would cost more than some of what is timed.
    def learn() -> None:
        for x, y in zip(rows, labels, strict=True):
            ours.learn(x, y)

    def learn_one() -> None:
        for x, y in zip(rows, labels, strict=True):
            theirs.learn_one(x, y)

    def predict() -> None:
        for x in rows:
            ours.predict(x)

    def predict_one() -> None:
        for x in rows:
            theirs.predict_one(x)

    learn()
    learn_one()
    for name, weight in theirs.weights.items():
        if abs(ours.weights[slot_of(name, ours.n)] - weight) > 1e-9:
            raise Disagreement(f"{per_example} names: the weight of {name!r} differs from river's")
    passes = interleaved(
        {"learn": learn, "river learn_one": learn_one, "predict": predict, "river predict_one": predict_one},
        turns,
        calls=5 if quick else 50,
    )
    times = Samples({name: [second / len(rows) for second in seconds] for name, seconds in passes.values.items()})
    return Result(
        f"dict-{per_example}",
        f"one example, a dict of {per_example} names; mistakes in {ours.mistakes / ours.rounds:.0%} of rounds",
        times,
        [
            Comparison("learn", "river learn_one", times.ratio("river learn_one", "learn"), aims[0]),
            Comparison("predict", "river predict_one", times.ratio("river predict_one", "predict"), aims[1]),
        ],
    )


def importing(turns: int, quick: bool) -> Result:
    """A fresh process that imports thresher and uses it, against one that imports only NumPy."""

    def start(statement: str) -> None:
        subprocess.run([sys.executable, "-c", statement], check=True)

    ours, other = "from thresher import Perceptron, Ledger", "import numpy"
    times = interleaved({ours: partial(start, ours), other: partial(start, other)}, turns if quick else 3 * turns)
    more = 1000.0 * (times.best(ours) - times.best(other))
    aim = f"≤ 20 ms more (is {more:.1f})"
    return Result("import", "import in a fresh process", times, [Comparison(ours, other, times.ratio(ours, other), aim)])


#: The cases in memory by their names, in the order in which they run.
CASES: dict[str, Case] = {
    "S1": Case(partial(matrix, "S1", "≥ 1.7 × as fast, aim 2.5"), ("scikit-learn",)),
    "S2": Case(partial(matrix, "S2", "≥ 1.5 × as fast, aim 2"), ("scikit-learn",)),
    "S3": Case(partial(matrix, "S3", "≥ 3 × as fast, aim 4"), ("scikit-learn",)),
    "learners-S1": Case(partial(learners, "S1"), ()),
    "learners-S2": Case(partial(learners, "S2"), ()),
    "dict-10": Case(partial(one_by_one, 10, ("≥ 8 × as fast, aim 10", "≥ 3 × as fast")), ("river",)),
    "dict-50": Case(partial(one_by_one, 50, ("aim 10", "aim 3")), ("river",)),
    "import": Case(importing, ()),
}
