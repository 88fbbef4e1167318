"""A figure of an experiment: what was attained, under the curve of the bound. No other file here needs matplotlib."""

from __future__ import annotations

import io
import math
import textwrap
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.errors import ParameterError
from thresher.lab.result import Result
from thresher.store.atomic import check_place, replace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_drawable", "draw", "figure"]

#: By the endings that a figure's name may have: nothing of the moment goes into it, so the same games give the same file.
_UNDATED: dict[str, dict[str, None]] = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}

# Okabe and Ito's colours, which all eyes tell apart; markers do so in print without colour. The paper is white, and
# stays white on a dark screen.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
_MARKERS = ("o", "s", "^", "D", "v")
_INK = "#222222"
_LINE = 92


def check_drawable(path: Path) -> None:
    """Raises what would keep a figure from being drawn there, as far as that can be known before.

    >>> check_drawable(Path("halving.gif"))
    Traceback (most recent call last):
        ...
    thresher.errors.ParameterError: found 'halving.gif' for a figure, expected a name that ends in .pdf, .svg or .png
    """
    if path.suffix.lower() not in _UNDATED:
        raise ParameterError(f"found {path.name!r} for a figure, expected a name that ends in .pdf, .svg or .png")
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise ParameterError("a figure needs matplotlib: pip install 'thresher[plot]'") from error
    check_place(path)


def draw(result: Result, path: Path) -> None:
    """Writes the figure as a whole, or not at all."""
    check_drawable(path)
    from matplotlib import rc_context

    kind, drawn = path.suffix.lower(), io.BytesIO()
    with rc_context({"svg.hashsalt": "thresher"}):  # names in an SVG are drawn by lot otherwise
        figure(result).savefig(drawn, format=kind.lstrip("."), metadata=_UNDATED[kind])
    replace(path, [drawn.getvalue()])


def figure(result: Result) -> Figure:
    """The figure: sizes across, what is counted upwards."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(7.2, 5.2), dpi=150, layout="constrained", facecolor="white")
    axes = made.add_subplot(facecolor="white")
    _curves(axes, result)
    _scales(axes, result)
    axes.set_xlabel(result.axis, fontsize=11)
    axes.set_ylabel(result.on, fontsize=11)
    axes.tick_params(labelsize=11)
    made.suptitle(result.theorem.name, fontsize=13, color=_INK)
    axes.set_title(_in_lines(result.theorem.formula), fontsize=10.5, color=_INK)
    axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    made.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=10)
    return made


def _in_lines(formula: str) -> str:
    """A long formula breaks where a clause ends, or else at a space."""
    if len(formula) <= _LINE:
        return formula
    clauses = formula.replace("; ", ";\n").replace(" with ", "\nwith ").replace(", η =", ",\nη =").splitlines()
    return "\n".join(line for clause in clauses for line in textwrap.wrap(clause, _LINE, break_on_hyphens=False))


def _curves(axes: Axes, result: Result) -> None:
    """A line with markers for each stream, over it the bound: in ink where all share it, else dashed in the stream's colour."""
    shared = {outcome.size: outcome.bound for outcome in result.outcomes}
    if all(math.isclose(outcome.bound, shared[outcome.size], rel_tol=1e-6) for outcome in result.outcomes):
        axes.plot(*zip(*shared.items(), strict=True), color=_INK, linewidth=3.5, solid_capstyle="round", label="the bound")
    else:
        axes.plot([], [], color=_INK, linewidth=2, linestyle="--", label="bounds, in the streams' colours")
        colours: dict[tuple[tuple[int, float], ...], list[str]] = {}
        for k, name in enumerate(result.streams):
            points = tuple((outcome.size, float(f"{outcome.bound:.6g}")) for outcome in result.of(name))
            colours.setdefault(points, []).append(_COLOURS[k % len(_COLOURS)])
        for points, (colour, *others) in colours.items():  # streams that share a bound take turns in its dashes
            gap = others[0] if others else None
            axes.plot(*zip(*points, strict=True), color=colour, gapcolor=gap, linewidth=2, linestyle="--")
    for k, name in enumerate(result.streams):
        outcomes = result.of(name)
        axes.plot(
            [outcome.size for outcome in outcomes], [outcome.attained for outcome in outcomes], label=name, linewidth=1.2,
            color=_COLOURS[k % len(_COLOURS)], marker=_MARKERS[k % len(_MARKERS)], markersize=7, markeredgecolor="white",
        )  # fmt: skip


def _scales(axes: Axes, result: Result) -> None:
    """Sizes that double stand equally far apart; heights are on a scale of logarithms where they differ widely."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    sizes = sorted({outcome.size for outcome in result.outcomes})
    heights = [height for outcome in result.outcomes for height in (outcome.attained, outcome.bound)]
    if sizes[-1] >= 8 * sizes[0]:
        axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    if min(heights) > 0 and max(heights) > 30 * min(heights):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda height, _place: f"{height:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.yaxis.set_major_locator(MaxNLocator("auto", integer=max(heights) >= 4))  # no mark at half a mistake
        axes.set_ylim(bottom=min(0.0, *heights))
