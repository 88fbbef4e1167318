"""A theorem on a page: what it says, what was attained under the curve of its bound, and the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from thresher.lab.result import Outcome, Result
from thresher.lab.spelled import number
from thresher.report.chart import Line, chart, legend
from thresher.report.page import tabled

__all__ = ["Scale", "plotted", "scale", "theorem"]


class Scale(NamedTuple):
    """Where a number stands on an axis, and the marks of that axis; None leaves them to the chart."""

    place: Callable[[float], float]
    marks: dict[float, str] | None


def scale(numbers: Sequence[float], *, span: float, marked: Sequence[float] = ()) -> Scale:
    """A scale of logarithms where the largest number is more than `span` times the least, which is above 0; else a plain one.

    `marked` are the numbers that have a mark; without them 1, 2, 5, 10, 20, … have one, as far as they are needed.

    >>> scale([3, 400], span=30).marks == {math.log(k): f"{k:g}" for k in (2, 5, 10, 20, 50, 100, 200, 500)}
    True
    >>> scale([0, 400], span=30).marks is None, scale([4, 9], span=30, marked=[4, 9]).marks
    (True, {4: '4', 9: '9'})
    """
    low, high = min(numbers), max(numbers)
    if low <= 0 or high < span * low:
        return Scale(float, {mark: f"{mark:,}" for mark in marked} or None)
    return Scale(math.log, {math.log(mark): f"{mark:,g}" for mark in marked or _round_numbers(low, high)})


def _round_numbers(low: float, high: float) -> list[float]:
    """From the last not above `low` to the first not below `high`: 1, 2, 5, 10, …, or powers of 10 where these are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if last - first <= 3 else (1,)
    every = [float(f"{factor}e{power}") for power in range(first, last + 1) for factor in factors]
    start = max(k for k, each in enumerate(every) if each <= low)
    end = min(k for k, each in enumerate(every) if each >= high)
    return every[start : end + 1]


def theorem(result: Result) -> str:
    """The part of a page about one theorem.

    >>> import thresher as th
    >>> made = theorem(th.lab.play("halving", quick=True))
    >>> made.startswith('<article id="halving"><h3>Halving</h3>'), "M ≤ ⌊lg|C|⌋" in made, made.count("</article>")
    (True, True, 1)
    """
    lines, picture = plotted(result, below=result.axis)
    says = f'<p class="proof">{escape(result.theorem.formula)} <cite>{escape(result.theorem.citation)}</cite></p>'
    premises = "".join(f"<li>{escape(premise)}</li>" for premise in result.assumes)
    worst = result.worst
    how = "Worst" if worst.refuted is None else "Refuted"
    told = f"{how}: {worst.ratio:.3f} of the bound, by {worst.stream}, {result.symbol} = {worst.size:,}."
    skipped = "".join(f'<p class="soft">Left out: {escape(each)}.</p>' for each in result.skipped)
    return (
        f'<article id="{escape(result.name)}"><h3>{escape(result.theorem.name)}</h3>{says}'
        f'<ul class="premises soft" aria-label="premises">{premises}</ul>{legend(lines)}{picture}'
        f"{_table(result)}<p>{escape(told)} Played by {escape(result.learner)}, seed {result.seed}.</p>{skipped}</article>"
    )


def _table(result: Result) -> str:
    """A row for each size, a column for each stream: what was attained, of what was allowed."""
    sizes = dict.fromkeys(outcome.size for outcome in result.outcomes)
    played = {(outcome.stream, outcome.size): outcome for outcome in result.outcomes}
    head = (result.axis, *(f"{name} ({result.of(name)[0].kind})" for name in result.streams))
    rows = [(f"{size:,}", *(_cell(played.get((name, size))) for name in result.streams)) for size in sizes]
    return tabled(head, rows, "games")


def _cell(outcome: Outcome | None) -> str:
    if outcome is None:
        return "–"
    return f"{number(outcome.attained)} of {number(outcome.allowed)}" + (" above" if outcome.refuted is not None else "")


def plotted(result: Result, *, below: str) -> tuple[list[Line], str]:
    """The lines for a legend, and the chart: sizes across, with the words `below`, counts upwards.

    Streams have dots; bounds have none: one for all, or thick in a stream's colour.

    >>> import thresher as th
    >>> lines, picture = plotted(th.lab.play("halving", quick=True), below="concepts")
    >>> [line.name for line in lines], "concepts →" in picture
    (['the bound', 'all functions of k points', 'thresholds, at random'], True)
    """
    sizes = sorted({outcome.size for outcome in result.outcomes})
    across = scale(sizes, span=8, marked=sizes)
    counts = [height for outcome in result.outcomes for height in (outcome.attained, outcome.bound) if math.isfinite(height)]
    up = scale(counts, span=30)
    curves: dict[tuple[tuple[int, float], ...], list[str]] = {}
    for name in result.streams:
        curves.setdefault(tuple((outcome.size, float(f"{outcome.bound:.6g}")) for outcome in result.of(name)), []).append(name)
    widest = max(curves, key=len)
    longest = dict(widest)
    shared = all(longest.get(size) == bound for points in curves for size, bound in points)
    if shared:
        bounds = {"the bound": longest}
    else:
        bounds = {f"bound: {'; '.join(names)}": dict(points) for points, names in curves.items()}
    streams = {name: {outcome.size: outcome.attained for outcome in result.of(name)} for name in result.streams}

    def line(name: str, heights: dict[int, float], style: str, dots: bool) -> Line:
        values = [up.place(heights.get(size, math.nan)) for size in sizes]
        return Line(name, values, style, dots)

    styles = {name: f"line-{k}" for k, name in enumerate(streams, 1)}
    whose = ["line-0"] if shared else [f"{styles[names[0]]} bound" for names in curves.values()]
    over = [line(name, heights, style, dots=False) for (name, heights), style in zip(bounds.items(), whose, strict=True)]
    under = [line(name, heights, styles[name], dots=True) for name, heights in streams.items()]
    picture = chart(
        f"{result.theorem.name}: {result.on} over {result.axis}",
        [across.place(size) for size in sizes],
        [*under, *over],  # dots lie above the bound that they attain
        axis=result.on,
        bottom=0.0 if up.marks is None else min(up.marks),
        below=below,
        marks_across=across.marks,
        marks_up=up.marks,
    )
    return [*over, *under], picture
