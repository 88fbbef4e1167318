"""Interleaved timing: every contender once a turn, so that a busy machine disturbs all alike.

Each turn has another order: whoever runs after one that fills the caches, or leaves threads that spin, pays for it.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

__all__ = ["MISTAKES", "Ratio", "Samples", "interleaved", "quantity"]

#: The unit of what is counted rather than measured.
MISTAKES = "mistakes"


@dataclass(frozen=True)
class Ratio:
    """How many times one contender's amount another's is: of the minima, and between which values turn by turn."""

    of_minima: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.of_minima:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass
class Samples:
    """What was measured of each contender, one entry a turn: seconds, if `unit` does not say otherwise."""

    values: dict[str, list[float]] = field(default_factory=dict)
    unit: str = "s"

    def best(self, name: str) -> float:
        return min(self.values[name])

    def ratio(self, more: str, less: str) -> Ratio:
        turns = [a / b for a, b in zip(self.values[more], self.values[less], strict=True)]
        low, _, high = statistics.quantiles(turns, n=4, method="inclusive") if len(turns) > 1 else (turns[0],) * 3
        return Ratio(self.best(more) / self.best(less), low, high)


def interleaved(contenders: Mapping[str, Callable[[], object]], turns: int, calls: int = 1, *, cold: bool = False) -> Samples:
    """Times each contender `turns` times, in turn; each time `calls` calls, of which the mean counts.

    Each is called once before, to warm up; not so if `cold`: a process of its own starts cold every time.
    """
    times = Samples({name: [] for name in contenders})
    for run in () if cold else contenders.values():
        run()
    shuffled = np.random.default_rng(0)
    gc.collect()
    gc.disable()
    try:
        for _ in range(turns):
            for name in shuffled.permutation(list(contenders)).tolist():
                run = contenders[name]
                start = perf_counter()
                for _ in range(calls):
                    run()
                times.values[name].append((perf_counter() - start) / calls)
    finally:
        gc.enable()
    return times


def quantity(amount: float, unit: str) -> str:
    """An amount as it is shown.

    >>> quantity(0.0523, "s"), quantity(7.46e8, "B"), quantity(1234, MISTAKES)
    ('52.3 ms', '746 MB', '1,234 mistakes')
    """
    if unit == MISTAKES:
        return f"{amount:,.0f} {unit}"
    prefixes = (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0), ("m", 1e-3))
    prefix, scale = next(((p, s) for p, s in prefixes if amount >= s), ("µ", 1e-6))
    return f"{amount / scale:.3g} {prefix}{unit}"
