"""Tables of forecasts, and what plain NumPy makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAMES", "Numbers", "adahedge", "cell", "forecasts", "mixture", "probabilities", "write_table"]

Numbers = NDArray[np.float64]
NAMES = ("ann", "bob", "cy")


def forecasts(rounds: int, seed: int = 0, scale: float = 100.0) -> tuple[Numbers, Numbers]:
    """Three forecasters, and outcomes: the first is best at first, the second later."""
    rng = np.random.default_rng(seed)
    y = scale * rng.normal(size=rounds)
    late = np.arange(rounds) > rounds // 2
    spread = np.column_stack([np.where(late, 0.9, 0.2), np.where(late, 0.2, 0.9), np.full(rounds, 0.6)])
    return y[:, None] + scale * spread * rng.normal(size=(rounds, 3)), y


def probabilities(rounds: int, outcomes: int, seed: int = 0) -> tuple[Numbers, NDArray[np.int64]]:
    """Three forecasters' probabilities of several outcomes, and which happened."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(outcomes), rounds)
    happened = np.array([rng.choice(outcomes, p=row) for row in truth])
    noisy = truth[:, None] + 0.1 * rng.random((rounds, 3, outcomes)) * np.array([1.0, 3.0, 9.0])[:, None]
    return noisy / noisy.sum(2, keepdims=True), happened


def cell(value: float | str) -> str:
    """A number as a table has it; NaN is an empty cell."""
    return value if isinstance(value, str) else "" if math.isnan(value) else repr(float(value))


def write_table(path: Path, columns: dict[str, Sequence[Any] | NDArray[Any]]) -> Path:
    """A CSV file."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(cell(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def adahedge(F: Numbers, y: Numbers, loss: str) -> tuple[Numbers, Numbers, float]:
    """AdaHedge on linear losses: the forecast of each round, the weights after the last, and the sum of the gaps."""
    n = F.shape[1]
    lost, gap, said = np.zeros(n), 0.0, []
    for x, outcome in zip(F, y, strict=True):
        w = _weights(lost, gap)
        p = float(w @ x)
        said.append(p)
        slope = 2 * (p - outcome) if loss == "squared" else float(np.sign(p - outcome))
        g = slope * (x - p)
        eta = math.log(n) / gap if gap > 0 else math.inf
        mix = g[w > 0].min() if eta == math.inf else g.min() - math.log(w @ np.exp(-eta * (g - g.min()))) / eta
        gap += max(0.0, float(w @ g) - float(mix))
        lost = lost + g
    return np.array(said), _weights(lost, gap), gap


def _weights(lost: Numbers, gap: float) -> Numbers:
    w = (lost == lost.min()).astype(float) if gap == 0 else np.exp(-math.log(len(lost)) / gap * (lost - lost.min()))
    return np.asarray(w / w.sum(), np.float64)


def mixture(F: Numbers, y: Numbers) -> tuple[Numbers, float]:
    """The best fixed mixture of few forecasters for the squared loss, over all faces of the simplex, and what it loses."""
    E, n = F - y[:, None], F.shape[1]
    best = (np.zeros(n), math.inf)
    for face in range(1, 2**n):
        chosen = [k for k in range(n) if face >> k & 1]
        G = E[:, chosen].T @ E[:, chosen]
        u = np.linalg.solve(G, np.ones(len(chosen)))
        u /= u.sum()
        whole = np.zeros(n)
        whole[chosen] = u
        lost = float(((E @ whole) ** 2).sum())
        if (u >= 0).all() and lost < best[1]:
            best = (whole, lost)
    return best
