"""One pass beside a solver that reads the data until nothing changes: liblinear, which is inside scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import thresher as th
from benchmarks.cases import Case, Result, faster, longer
from benchmarks.data import SHAPES, Workload
from benchmarks.timing import MISTAKES, Samples, interleaved

__all__ = ["CASES", "held_out", "solving"]

#: Rows to learn from, and rows kept back, by shape.
_ROWS = {"S1": (50_000, 25_000), "S3": (100_000, 25_000)}

OURS: dict[str, Callable[..., Any]] = {
    "AveragedPerceptron": th.AveragedPerceptron,
    "AROW": th.AROW,
    "the default portfolio": th.Portfolio,
}
SUPPORT, LOGISTIC = "liblinear (LinearSVC)", "liblinear (LogisticRegression)"


def _data(name: str, quick: bool) -> tuple[Workload, int]:
    """A workload, and how many of its rows are to be learned from."""
    learned, kept = (count // 10 if quick else count for count in _ROWS[name])
    return SHAPES[name][0](learned + kept), learned


def _contenders(workload: Workload, learned: int) -> dict[str, Callable[[], Any]]:
    """Each gives what it made of the rows, which has `predict` or `predict_many`."""
    X, y = workload.X[:learned], workload.y[:learned]
    solvers: dict[str, Callable[[], Any]] = {
        SUPPORT: import_module("sklearn.svm").LinearSVC,
        LOGISTIC: partial(import_module("sklearn.linear_model").LogisticRegression, solver="liblinear"),
    }

    def one_pass(make: Callable[..., Any]) -> Any:
        learner = make(workload.n, bias=1.0)
        learner.learn_many(X, y)
        return learner

    def solve(make: Callable[[], Any]) -> Any:
        return make().fit(X, y)

    return {who: partial(one_pass, make) for who, make in OURS.items()} | {
        who: partial(solve, make) for who, make in solvers.items()
    }


def solving(name: str, turns: int, quick: bool) -> Result:
    """How long. Solvers take so long that they have fewer turns."""
    workload, learned = _data(name, quick)
    times = interleaved(_contenders(workload, learned), max(1, turns // 3), cold=True)
    comparisons = [faster(times, ours, peer) for ours in OURS for peer in (SUPPORT, LOGISTIC)]
    return Result(f"solvers-{name}", f"the first {learned:,} rows of {workload.about}", times, comparisons)


def held_out(_turns: int, quick: bool) -> Result:
    """How good: mistakes on rows that nobody learned from. They are the same in every turn, so there is one."""
    counts, comparisons = Samples(unit=MISTAKES), []
    about = []
    for name in _ROWS:
        workload, learned = _data(name, quick)
        A, b = workload.X[learned:], workload.y[learned:]
        for who, make in _contenders(workload, learned).items():
            made = make()
            said = made.predict_many(A) if who in OURS else made.predict(A)
            counts.values[f"{name}: {who}"] = [float((said != b).sum())]
        about.append(f"{len(b):,} rows of {name} after {learned:,} others")
        best = min((SUPPORT, LOGISTIC), key=lambda who: counts.best(f"{name}: {who}"))
        comparisons += [longer(counts, f"{name}: {ours}", f"{name}: {best}") for ours in OURS]
    return Result("held-out", f"mistakes on {', '.join(about)}", counts, comparisons)


#: The cases by their names.
CASES: dict[str, Case] = {
    **{f"solvers-{name}": Case(partial(solving, name), ("scikit-learn",)) for name in _ROWS},
    "held-out": Case(held_out, ("scikit-learn",)),
}
