"""How good: mistakes of the portfolio in one pass, nothing tuned, beside peers with their defaults on the same attributes."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.cases import Case, Result, longer
from benchmarks.peers import DISTRIBUTIONS, PEERS
from benchmarks.sets import FILES, GENERATED, Labelled, found
from benchmarks.timing import MISTAKES, Samples
from thresher.compose.named_portfolio import named_portfolio

__all__ = ["CASES", "Counts", "cases", "limit", "ours", "table"]

_PORTFOLIO, _SHARING, _LANE = "Portfolio", "Portfolio, FixedShare", "its best lane"
_ROWS = 4_000


@dataclass(frozen=True)
class Counts:
    """Mistakes on one data set: by whom, of ours, the baselines and the peers; and which lane was the best."""

    rows: int
    lane: str
    ours: dict[str, int]
    peers: dict[str, int]

    @property
    def best_peer(self) -> str:
        return min(self.peers, key=self.peers.__getitem__)

    @property
    def all(self) -> dict[str, int]:
        return self.ours | self.peers


def limit(best: int) -> int:
    """The aim: no more than the best peer's mistakes plus 1 % of them plus 5.

    >>> limit(138), limit(4798)
    (144, 4850)
    """
    return math.floor(best * 1.01 + 5)


def ours(data: Labelled) -> tuple[str, dict[str, int]]:
    """The best lane's name, and mistakes: of the portfolio as commands make it, under both masters, and of the baselines."""
    X, y, n = data.X, data.y, data.X.shape[1]
    portfolio, sharing = (named_portfolio(n, master=master, bias=1.0) for master in ("adahedge", "fixed-share"))
    positive = int((y > 0).sum())
    mistakes = {
        _PORTFOLIO: portfolio.learn_many(X, y).mistakes,
        _SHARING: sharing.learn_many(X, y).mistakes,
        _LANE: int(portfolio.lane_mistakes[portfolio.best_lane]),
        "best constant": min(positive, len(y) - positive),
        "repeat the last label": int((y[1:] != y[:-1]).sum()) + int(y[0] < 0),
    }
    return portfolio.lanes[portfolio.best_lane], mistakes


def quality(sets: Mapping[str, Callable[[], Labelled]], _turns: int, quick: bool) -> Result:
    """Counts are the same in every turn, so there is one."""
    counted: dict[str, Counts] = {}
    for name, read in sets.items():
        data = read()
        if quick:
            data = data.first(len(data.y) // 10)
        lane, mistakes = ours(data)
        peers = {}
        for peer, play in PEERS.items():
            print(f"  {name}: {peer}", file=sys.stderr, flush=True)
            peers[peer] = play(data)
        counted[name] = Counts(len(data.y), lane, mistakes, peers)
    samples = Samples(
        {f"{name}: {who}": [float(count)] for name, counts in counted.items() for who, count in counts.all.items()}, MISTAKES
    )
    comparisons = []
    for name, counts in counted.items():
        one, other = f"{name}: {_PORTFOLIO}", f"{name}: {counts.best_peer}"
        aim = f"≤ {limit(counts.peers[counts.best_peer]):,} mistakes"
        comparisons.append(longer(samples, one, other, aim))
    return Result(
        "quality", f"mistakes in one pass over {len(counted)} streams of two classes\n\n{table(counted)}", samples, comparisons
    )


def table(counted: Mapping[str, Counts]) -> str:
    """A Markdown table: a line for each contender, a column for each data set."""
    lines = [["", *counted], ["---", *("---:" for _ in counted)]]
    lines.append(["rows", *(f"{counts.rows:,}" for counts in counted.values())])
    for who in next(iter(counted.values())).all:
        lines.append([who, *(f"{counts.all[who]:,}" for counts in counted.values())])
    lines.append(["the aim", *(f"≤ {limit(counts.peers[counts.best_peer]):,}" for counts in counted.values())])
    lines.append(["the best lane", *(counts.lane for counts in counted.values())])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _generated(name: str) -> Labelled:
    return GENERATED[name](np.random.default_rng(6), _ROWS)


def _read(file: Path) -> Labelled:
    return FILES[file.name](file)


def cases(folder: Path | None) -> dict[str, Case]:
    """The case on the data sets that the folder has, or, without one, on generated streams."""
    sets: dict[str, Callable[[], Labelled]] = {name: partial(_generated, name) for name in GENERATED}
    if folder is not None:
        sets = {name: partial(_read, file) for name, file in found(folder).items()}
    return {"quality": Case(partial(quality, sets), DISTRIBUTIONS)}


#: On generated streams, which need no file.
CASES = cases(None)
