"""The river adapter beside river: the same stream, one example at a time, predicted and then learned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster, longer
from benchmarks.one_by_one import named
from benchmarks.timing import Samples, interleaved
from thresher.data.names import slot_of

__all__ = ["CASES", "one_by_one"]


def one_by_one(per_example: int, aim: str, turns: int, quick: bool) -> Result:
    """`predict_one` and `learn_one` of our Perceptron in river's clothes, and of river's own."""
    rows, labels = named(per_example)
    adapter = import_module("thresher.adapters.river")
    ours = adapter.OneExampleClassifier(th.Perceptron(2**18, bias=1.0, tie="mistake"))
    theirs, bare = import_module("river.linear_model").Perceptron(), th.Perceptron(2**18, bias=1.0, tie="mistake")

    # The loops are written out, one for each: Python specialises a call by what it has met there.
    def play_ours() -> None:
        for x, y in zip(rows, labels, strict=True):
            ours.predict_one(x)
            ours.learn_one(x, y)

    def play_theirs() -> None:
        for x, y in zip(rows, labels, strict=True):
            theirs.predict_one(x)
            theirs.learn_one(x, y)

    def play_bare() -> None:
        for x, y in zip(rows, labels, strict=True):
            bare.predict(x)
            bare.learn(x, y)

    play_ours()
    play_theirs()
    for name, weight in theirs.weights.items():
        if abs(ours.taught.weights[slot_of(name, ours.taught.n)] - weight) > 1e-9:
            raise Disagreement(f"{per_example} names: the weight of {name!r} differs from river's")
    contenders: dict[str, Callable[[], object]] = {
        "OneExampleClassifier": play_ours,
        "river Perceptron": play_theirs,
        "predict and learn": play_bare,
    }
    passes = interleaved(contenders, turns, calls=5 if quick else 50)
    times = Samples({name: [second / len(rows) for second in seconds] for name, seconds in passes.values.items()})
    return Result(
        f"river-{per_example}",
        f"predict_one and learn_one, a dict of {per_example} names",
        times,
        [
            faster(times, "OneExampleClassifier", "river Perceptron", aim),
            longer(times, "OneExampleClassifier", "predict and learn"),
        ],
    )


#: The cases by their names.
CASES: dict[str, Case] = {
    "river-10": Case(partial(one_by_one, 10, "≥ 5 × as fast"), ("river",)),
    "river-50": Case(partial(one_by_one, 50, "≥ 5 × as fast"), ("river",)),
}
