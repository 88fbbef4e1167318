"""How the time grows with what there is to do: rows, nonzeros, dimension, lanes and threads. `--picture FILE.svg` draws it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import thresher as th
from benchmarks.cases import Case, Result, longer
from benchmarks.data import sparse
from benchmarks.texts import write
from benchmarks.timing import Samples, interleaved
from thresher import examples, labels
from thresher._core import Bank

__all__ = ["CASES", "Sweep", "growth", "sweeps", "times"]

#: What stays while one thing grows: rows, nonzeros in each, dimensions.
ROWS, QUICK_ROWS, NONZEROS, DIMENSIONS = 200_000, 8_000, 40, 2**16


@dataclass(frozen=True)
class Sweep:
    """One thing that grows: its values, the function that makes what is timed from each, and what is to be expected."""

    over: str
    values: Sequence[int]
    make: Callable[[int], Callable[[], object]]
    expected: str

    def contender(self, value: int) -> str:
        return f"{self.over} {value:,}"


def sweeps(rows: int, place: Path) -> list[Sweep]:
    """Everything that grows, around so many rows; texts are written to `place`."""
    return [
        Sweep("rows", [rows >> k for k in (3, 2, 1, 0)], lambda k: from_text(place, k), "8 × as long"),
        Sweep("nonzeros a row", [10, 20, 40, 80], lambda k: from_text(place, rows, nonzeros=k), "8 × as long"),
        Sweep("dimensions", [2**k for k in (12, 14, 16, 18, 20)], lambda k: from_text(place, rows, n=k), "hardly longer"),
        Sweep("lanes", [1, 2, 4, 8, 16], lambda k: in_lanes(rows, k), "less than 16 × as long"),
        Sweep("threads", [1, 2, 4], lambda k: from_text(place, rows, threads=k), "shorter, up to the cores"),
    ]


def from_text(
    place: Path, rows: int, *, nonzeros: int = NONZEROS, n: int = DIMENSIONS, threads: int | None = None
) -> Callable[[], object]:
    """From svmlight text to a Perceptron."""
    file = place / f"{rows}-{nonzeros}-{n}.txt"
    if not file.exists():
        write(sparse(rows, n, nonzeros), "svmlight", file)

    def run() -> int:
        with th.open_stream(file, n=n, threads=threads) as stream:
            learner = th.Perceptron(n, bias=1.0)
            return sum(learner.learn_many(batch.X, batch.y).mistakes for batch in stream)

    return run


def in_lanes(rows: int, lanes: int) -> Callable[[], object]:
    """From a matrix to so many lanes of a bank."""
    workload = sparse(rows, DIMENSIONS, NONZEROS)
    rules = [th.PassiveAggressive(1, C=2.0**-k, bias=1.0).rule for k in range(lanes)]
    block, _ = examples.many(workload.X, workload.n)
    codes, _ = labels.read(workload.y, len(block))
    says, changed = np.zeros((len(block), lanes), np.int8), np.zeros(len(block), np.bool_)
    scores = np.zeros((len(block), lanes), np.float32)

    def run() -> None:
        Bank(workload.n, rules)._learn_block(block, codes, None, says, scores, changed, codes)

    return run


def growth(turns: int, quick: bool) -> Result:
    """Times for every value of everything that grows, and each time the last beside the first."""
    samples, comparisons = Samples(), []
    with TemporaryDirectory(prefix="benchmarks-") as place:
        for sweep in sweeps(QUICK_ROWS if quick else ROWS, Path(place)):
            runs = {sweep.contender(value): sweep.make(value) for value in sweep.values}
            samples.values |= interleaved(runs, turns).values
            first, *_, last = runs
            comparisons.append(longer(samples, last, first, sweep.expected))
    about = (
        f"{ROWS:,} rows of {NONZEROS} nonzeros in 2^16 dimensions, in process: from text to a Perceptron; lanes from a matrix"
    )
    return Result("growth", about, samples, comparisons)


def times(samples: Samples) -> dict[str, dict[int, float]]:
    """The best time of every value, by what grew."""
    found: dict[str, dict[int, float]] = {}
    for contender in samples.values:
        over, _, value = contender.rpartition(" ")
        found.setdefault(over, {})[int(value.replace(",", ""))] = samples.best(contender)
    return found


CASES: dict[str, Case] = {"growth": Case(growth, ())}
