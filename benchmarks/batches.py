"""The same rows in batches, as they come from a queue: `learn_many` beside scikit-learn's `partial_fit`."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster
from benchmarks.data import SHAPES
from benchmarks.timing import Samples, interleaved

__all__ = ["CASES", "batches"]

#: Rows in a batch, and in how many of the full, or quick, rows: a peer that copies its weights in each call takes long.
_SIZES = {10_000: 1.0, 100: 0.02}


def batches(name: str, aim: str, turns: int, quick: bool) -> Result:
    """Batches of ten thousand rows, and of a hundred; the weights at the end are those of one call."""
    make, full, few = SHAPES[name]
    workload = make(few if quick else full)
    scikit, samples, comparisons = import_module("sklearn.linear_model"), Samples(), []
    for size, share in _SIZES.items():
        rows = int(share * len(workload.y))
        X, y, n = workload.X[:rows], workload.y[:rows], workload.n
        parts = [(X[k : k + size], y[k : k + size]) for k in range(0, rows, size)]
        ours, other = f"learn_many, {size:,} rows", f"scikit-learn partial_fit, {size:,} rows"

        def learn(n: int, parts: list[Any]) -> th.Perceptron:
            learner = th.Perceptron(n, tie="mistake")
            for some, labels in parts:
                learner.learn_many(some, labels)
            return learner

        def peer(parts: list[Any]) -> None:
            learner = scikit.Perceptron(fit_intercept=False, shuffle=False)
            for some, labels in parts:
                learner.partial_fit(some, labels, classes=[-1, 1])

        if not np.array_equal(learn(n, parts).weights, learn(n, [(X, y)]).weights):
            raise Disagreement(f"{name}: batches of {size} give other weights than one call")
        samples.values |= interleaved({ours: partial(learn, n, parts), other: partial(peer, parts)}, turns).values
        comparisons.append(faster(samples, ours, other, aim if share == 1.0 else "no aim"))
    about = f"{workload.about}; all of them in batches of 10,000, the first {rows:,} in batches of {size:,}"
    return Result(f"batches-{name}", about, samples, comparisons)


#: The cases by their names.
CASES: dict[str, Case] = {
    "batches-S1": Case(partial(batches, "S1", "≥ 3.5 × as fast"), ("scikit-learn",)),
    "batches-S2": Case(partial(batches, "S2", "≥ 4.5 × as fast"), ("scikit-learn",)),
}
