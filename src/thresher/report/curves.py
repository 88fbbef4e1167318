"""A chart on a page: its heading, a line of text, a legend, and the lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from thresher.report.chart import CLASSES, Line, chart, legend
from thresher.report.page import section

__all__ = ["GREY", "Curves", "drawn", "pictured", "plotted"]

#: The style of lines that have no colour of their own.
GREY = CLASSES - 1


class Curves(NamedTuple):
    """A chart with a heading and a line of text: for each line its name, its values over x, and which style it has.

    Lines without a colour of their own are in the legend together, as so many other `others`. The y axis begins at `bottom` or
    below; `top` is where the chart is cut off, `label` spells x, `below` says what x is; marks are as in `chart`.
    """

    heading: str
    text: str
    axis: str
    x: Sequence[float]
    lines: Sequence[tuple[str, Sequence[float], int]]
    label: Callable[[float], str] | None = None
    bottom: float = 0.0
    top: float | None = None
    others: str = "line"
    below: str = ""
    marks_across: Mapping[float, str] | None = None
    marks_up: Mapping[float, str] | None = None


def drawn(curves: Curves) -> str:
    """The section of a page with this chart.

    >>> made = drawn(Curves("Weights", "", "weight", [1, 2], [("a", [0.0, 1.0], 1), ("b", [1.0, 0.0], GREY)], others="expert"))
    >>> "</svg>a</li>" in made, "</svg>b</li>" in made, "</svg>another expert</li>" in made
    (True, False, True)
    """
    return section(curves.heading, pictured(curves))


def pictured(curves: Curves) -> str:
    """The same without its heading."""
    known, picture = plotted(curves)
    text = f'<p class="soft">{escape(curves.text)}</p>' if curves.text else ""
    return f"{text}{legend(known)}{picture}"


def plotted(curves: Curves) -> tuple[list[Line], str]:
    """The lines that the legend names, and the chart alone.

    >>> known, picture = plotted(Curves("Weights", "", "weight", [1, 2], [("a", [0.0, 1.0], 1)]))
    >>> [line.name for line in known], picture.startswith("<svg")
    (['a'], True)
    """
    lines = [Line(name, values, f"line-{style}") for name, values, style in curves.lines]
    known = [line for line, (_, _, style) in zip(lines, curves.lines, strict=True) if style != GREY]
    rest = len(lines) - len(known)
    if rest:
        known.append(Line(f"another {curves.others}" if rest == 1 else f"{rest:,} other {curves.others}s", (), f"line-{GREY}"))
    return known, chart(
        curves.heading,
        curves.x,
        lines,
        axis=curves.axis,
        bottom=curves.bottom,
        top=curves.top,
        label=curves.label,
        below=curves.below,
        marks_across=curves.marks_across,
        marks_up=curves.marks_up,
    )
