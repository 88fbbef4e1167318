"""Thresher where people already work: what its adapters cost beside the core, and beside those whose place they take."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster, longer
from benchmarks.data import SHAPES
from benchmarks.timing import interleaved

__all__ = ["CASES"]

_BATCH = 10_000


def scikit_learn(name: str, turns: int, quick: bool) -> Result:
    """`partial_fit` in batches beside scikit-learn's Perceptron, and `fit` beside the core's pass over the same rows."""
    make, full, few = SHAPES[name]
    workload = make(few if quick else full)
    X, y, n = workload.X, workload.y, workload.n
    batches = [(X[k : k + _BATCH], y[k : k + _BATCH]) for k in range(0, X.shape[0], _BATCH)]
    ours, theirs = import_module("thresher.adapters.sklearn"), import_module("sklearn.linear_model")

    def in_batches(classifier: Any) -> Any:
        for rows, labels in batches:
            classifier.partial_fit(rows, labels, classes=[-1, 1])
        return classifier

    def learn() -> th.Perceptron:
        learner = th.Perceptron(n, bias=1.0)
        learner.learn_many(X, y)
        return learner

    def fit() -> Any:
        return ours.PerceptronClassifier().fit(X, y)

    def learn_and_enter() -> None:
        th.Ledger().enter(th.Perceptron(n, bias=1.0).learn_many(X, y))

    weights = learn().weights
    for classifier in (fit(), in_batches(ours.PerceptronClassifier())):
        if not np.array_equal(classifier.coef_[0], weights):
            raise Disagreement(f"{name}: the classifier's weights are not the learner's")
    times = interleaved(
        {
            "partial_fit": lambda: in_batches(ours.PerceptronClassifier()),
            "scikit-learn": lambda: in_batches(theirs.Perceptron()),
            "scikit-learn, in order": lambda: in_batches(theirs.Perceptron(shuffle=False)),
            "fit": fit,
            "learn_many": learn,
            "learn_many, Ledger": learn_and_enter,
        },
        turns,
    )
    return Result(
        f"sklearn-{name}",
        f"{workload.about}; batches of {_BATCH:,}, the Perceptron with a bias",
        times,
        [
            faster(times, "partial_fit", "scikit-learn", "≥ 3 × as fast"),
            faster(times, "partial_fit", "scikit-learn, in order"),
            longer(times, "fit", "learn_many", "≤ 1.1 × as long"),
            longer(times, "fit", "learn_many, Ledger"),
        ],
    )


#: The cases by their names, in the order in which they run.
CASES: dict[str, Case] = {
    "sklearn-S1": Case(partial(scikit_learn, "S1"), ("scikit-learn",)),
    "sklearn-S2": Case(partial(scikit_learn, "S2"), ("scikit-learn",)),
}
