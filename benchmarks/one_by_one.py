"""One example at a time, as a dict of names: `learn` and `predict` beside river, and beside Vowpal Wabbit in this process."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import numpy as np

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster
from benchmarks.timing import Samples, interleaved
from thresher.data.names import slot_of

__all__ = ["CASES", "lines", "named", "one_by_one"]


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


def lines(rows: list[dict[str, float]], labels: list[bool]) -> list[str]:
    """The same as lines of Vowpal Wabbit.

    >>> lines([{"a": 0.5, "b": 2.0}], [False])
    ['-1 | a:0.5 b:2.0']
    """
    pairs = (" ".join(f"{name}:{value!r}" for name, value in row.items()) for row in rows)
    return [f"{1 if label else -1} | {text}" for text, label in zip(pairs, labels, strict=True)]


def one_by_one(per_example: int, aims: tuple[str, str], turns: int, quick: bool) -> Result:
    """river always has an intercept, so ours gets a bias. Vowpal Wabbit gets lines that are ready, which spares it work."""
    rows, labels = named(per_example)
    ready = lines(rows, labels)
    ours, theirs = th.Perceptron(2**18, bias=1.0, tie="mistake"), import_module("river.linear_model").Perceptron()
    workspace = import_module("vowpalwabbit").Workspace("--quiet --sgd -b 18")

    # The loops are written out, the same for all: a call through a helper would cost more than some of what is timed.
    def learn() -> None:
        for x, y in zip(rows, labels, strict=True):
            ours.learn(x, y)

    def learn_one() -> None:
        for x, y in zip(rows, labels, strict=True):
            theirs.learn_one(x, y)

    def learn_line() -> None:
        for line in ready:
            workspace.learn(line)

    def predict() -> None:
        for x in rows:
            ours.predict(x)

    def predict_one() -> None:
        for x in rows:
            theirs.predict_one(x)

    def predict_line() -> None:
        for line in ready:
            workspace.predict(line)

    learn()
    learn_one()
    for name, weight in theirs.weights.items():
        if abs(ours.weights[slot_of(name, ours.n)] - weight) > 1e-9:
            raise Disagreement(f"{per_example} names: the weight of {name!r} differs from river's")
    passes = interleaved(
        {
            "learn": learn,
            "river learn_one": learn_one,
            "Vowpal Wabbit learn": learn_line,
            "predict": predict,
            "river predict_one": predict_one,
            "Vowpal Wabbit predict": predict_line,
        },
        turns,
        calls=5 if quick else 50,
    )
    workspace.finish()
    times = Samples({name: [second / len(rows) for second in seconds] for name, seconds in passes.values.items()})
    return Result(
        f"dict-{per_example}",
        f"one example, a dict of {per_example} names (Vowpal Wabbit: a ready line of text); "
        f"mistakes in {ours.mistakes / ours.rounds:.0%} of rounds",
        times,
        [
            faster(times, "learn", "river learn_one", aims[0]),
            faster(times, "learn", "Vowpal Wabbit learn", "≥ 5 × as fast"),
            faster(times, "predict", "river predict_one", aims[1]),
            faster(times, "predict", "Vowpal Wabbit predict"),
        ],
    )


_PEERS = ("river", "vowpalwabbit")

#: The cases by their names.
CASES: dict[str, Case] = {
    "dict-10": Case(partial(one_by_one, 10, ("≥ 8 × as fast, aim 10", "≥ 3 × as fast")), _PEERS),
    "dict-50": Case(partial(one_by_one, 50, ("aim 10", "aim 3")), _PEERS),
}
