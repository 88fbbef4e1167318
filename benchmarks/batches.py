"""The same rows in batches, as they come from a queue: `learn_many` beside scikit-learn's `partial_fit`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster
from benchmarks.data import SHAPES
from benchmarks.timing import Samples, interleaved

__all__ = ["CASES", "batches", "learned"]

_LARGE, _SMALL = 10_000, 100
#: In small batches only so many of all rows are learned: a peer that copies its weights in each call takes long.
_SHARE = 0.02


def learned(n: int, parts: Iterable[tuple[Any, Any]]) -> th.Perceptron:
    learner = th.Perceptron(n, tie="mistake")
    for X, y in parts:
        learner.learn_many(X, y)
    return learner


def fitted(parts: Iterable[tuple[Any, Any]]) -> Any:
    learner = import_module("sklearn.linear_model").Perceptron(fit_intercept=False, shuffle=False)
    for X, y in parts:
        learner.partial_fit(X, y, classes=[-1, 1])
    return learner


def batches(name: str, aim: str, turns: int, quick: bool) -> Result:
    """Batches of ten thousand rows, and of a hundred; the weights at the end are asserted to be those of one call."""
    make, full, few = SHAPES[name]
    workload = make(few if quick else full)
    some = int(_SHARE * len(workload.y))
    samples, comparisons = Samples(), []
    for size, rows, aimed in ((_LARGE, len(workload.y), aim), (_SMALL, some, "no aim")):
        X, y = workload.X[:rows], workload.y[:rows]
        parts = [(X[k : k + size], y[k : k + size]) for k in range(0, rows, size)]
        if not np.array_equal(learned(workload.n, parts).weights, learned(workload.n, [(X, y)]).weights):
            raise Disagreement(f"{name}: batches of {size} give other weights than one call")
        ours, other = f"learn_many, {size:,} rows", f"scikit-learn partial_fit, {size:,} rows"
        contenders = {ours: partial(learned, workload.n, parts), other: partial(fitted, parts)}
        samples.values |= interleaved(contenders, turns).values
        comparisons.append(faster(samples, ours, other, aimed))
    about = f"{workload.about}; all of them in batches of {_LARGE:,}, the first {some:,} in batches of {_SMALL}"
    return Result(f"batches-{name}", about, samples, comparisons)


#: The cases by their names.
CASES: dict[str, Case] = {
    "batches-S1": Case(partial(batches, "S1", "≥ 3.5 × as fast"), ("scikit-learn",)),
    "batches-S2": Case(partial(batches, "S2", "≥ 4.5 × as fast"), ("scikit-learn",)),
}
