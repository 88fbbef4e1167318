"""Line charts as SVG: no script, no resource, colours by the classes of the page that holds them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

__all__ = ["CLASSES", "Line", "chart", "legend", "ticks"]

#: How many classes of lines there are, `line-0` and on; a page says which colour each has.
CLASSES = 9

_WIDTH, _HEIGHT = 760, 300
_PLAIN = 'fill="none" stroke="currentColor"'  # where no page says otherwise
_DOT = 5  # how far a dot reaches
_CIRCLE = f'<circle class="dot {{style}}" {_PLAIN} cx="{{x:.1f}}" cy="{{y:.1f}}" r="3.5"/>'
_RIGHT, _TOP, _BOTTOM = 16, 30, 32
_LEAST = 1e-300  # numbers near the least double have no tenths
_LETTER = 8  # how wide one of 12 pixels is, at most


class Line(NamedTuple):
    """A line: its name, a value for each point (NaN: none there), the class that gives it its colour, whether it has dots."""

    name: str
    values: Sequence[float]
    style: str
    dots: bool = False


def chart(
    title: str,
    x: Sequence[float],
    lines: Sequence[Line],
    *,
    axis: str,
    bottom: float = 0.0,
    top: float | None = None,
    label: Callable[[float], str] | None = None,
    below: str = "",
    marks_across: Mapping[float, str] | None = None,
    marks_up: Mapping[float, str] | None = None,
) -> str:
    """An SVG of lines over x, which ascends. `axis` is what is on the y axis, which begins at `bottom` or below, `top` where it
    is cut off; `label` spells x, and `below` says what it is. Marks of one's own, each with its words, take the place of round
    numbers: so values can be logarithms, and marks say of what.

    >>> picture = chart("Weights", [1, 2, 3], [Line("a < b", [0.0, 0.5, 1.0], "line-1")], axis="weight")
    >>> picture.startswith("<svg"), "a &lt; b" in picture, "<script" in picture
    (True, True, False)
    """
    values = [value for line in lines for value in line.values if math.isfinite(value)]
    low, high = min([bottom, *values]), max([bottom, *values])
    if top is not None:
        high = min(high, top)
    marks = ticks(low, high) if marks_up is None else list(marks_up)
    low, high = min(low, marks[0]), max(high, marks[-1])
    spelled = [_spelled(mark, marks) for mark in marks] if marks_up is None else list(marks_up.values())
    left = 12 + _LETTER * max(map(len, spelled))
    across = _scale(x[0], x[-1], left, _WIDTH - _RIGHT)
    up = _scale(low, high, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" font-size="12" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escape(title)}</title><desc>{escape(', '.join(line.name for line in lines))} over {len(x)} points</desc>",
    ]
    for mark, words in zip(marks, spelled, strict=True):
        y = up(mark)
        parts.append(f'<path class="grid" {_PLAIN} stroke-opacity="0.2" d="M{left} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(f'<text class="tick" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{words}</text>')
    parts += _below(_marks(x, label) if marks_across is None else marks_across, left, across)
    parts.append(f'<path class="axis" {_PLAIN} d="M{left} {up(low):.1f}H{_WIDTH - _RIGHT}"/>')
    parts.append(f'<text class="name" x="{left}" y="16">{escape(axis)}</text>')
    if below:
        parts.append(f'<text class="name" x="{_WIDTH - _RIGHT}" y="16" text-anchor="end">{escape(below)} →</text>')
    box = left - _DOT, _TOP - _DOT, _WIDTH - _RIGHT - left + 2 * _DOT, _HEIGHT - _BOTTOM - _TOP + 2 * _DOT
    inside = 'x="{}" y="{}" width="{}" height="{}"'.format(*box)
    parts.append(f'<svg {inside} viewBox="{" ".join(map(str, box))}">')  # cuts off what leaves it
    for line in reversed(lines):  # the first is drawn last, over the others
        points = [(across(at), up(value)) for at, value in zip(x, line.values, strict=True)]
        parts.append(f'<path class="line {line.style}" {_PLAIN} d="{_path(points)}"><title>{escape(line.name)}</title></path>')
        if line.dots:
            parts += [_CIRCLE.format(style=line.style, x=at, y=y) for at, y in points if math.isfinite(y)]
    return "\n".join([*parts, "</svg>", "</svg>"])


def legend(lines: Sequence[Line]) -> str:
    """Which colour is whose."""
    items = "".join(f"<li>{_swatch(line)}{escape(line.name)}</li>" for line in lines)
    return f'<ul class="legend">{items}</ul>'


def _swatch(line: Line) -> str:
    dot = _CIRCLE.format(style=line.style, x=14, y=5) if line.dots else ""
    stroke = f'<path class="line {line.style}" {_PLAIN} d="M1 5H27"/>'
    return f'<svg class="swatch" viewBox="0 0 28 10" aria-hidden="true">{stroke}{dot}</svg>'


def ticks(low: float, high: float) -> list[float]:
    """Three to seven round numbers that cover the interval; one without length, or hardly any, is taken to have length 1.

    >>> ticks(0.0, 27.3), ticks(0.0, 1.0)
    ([0.0, 10.0, 20.0, 30.0], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    high = high if high - low >= _LEAST else low + 1.0
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, -math.floor(math.log10(step)))
    return [round(k * step, digits) + 0.0 for k in range(first, last + 1)]  # + 0.0 turns −0 into 0


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    width = high - low if high > low else 1.0
    return lambda value: start + (value - low) / width * (end - start)


def _marks(x: Sequence[float], label: Callable[[float], str] | None) -> dict[float, str]:
    """Round numbers, whole ones where x has only such; with a label of its own, five even points."""
    if label is not None:
        return {mark: label(mark) for mark in sorted({x[(len(x) - 1) * k // 4] for k in range(5)})}
    marks = [mark for mark in ticks(x[0], x[-1]) if x[0] <= mark <= x[-1]]
    if all(float(at).is_integer() for at in x):
        marks = [mark for mark in marks if mark.is_integer()]
    marks = marks or [x[0]]
    return {mark: f"{mark:,.0f}" if len(marks) == 1 else _spelled(mark, marks) for mark in marks}


def _below(marks: Mapping[float, str], left: int, across: Callable[[float], float]) -> list[str]:
    """The marks of the x axis."""
    parts = []
    for mark, words in marks.items():
        at = across(mark)
        side = "start" if at < left + 30 else "end" if at > _WIDTH - _RIGHT - 30 else "middle"
        parts.append(f'<path class="axis" {_PLAIN} d="M{at:.1f} {_HEIGHT - _BOTTOM}v5"/>')
        parts.append(
            f'<text class="tick" x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 19}" text-anchor="{side}">{escape(words)}</text>'
        )
    return parts


def _spelled(mark: float, marks: Sequence[float]) -> str:
    step = marks[1] - marks[0]
    if max(abs(marks[0]), abs(marks[-1])) >= 1e9 or step < 1e-6:
        return f"{mark:.3g}"
    return f"{mark:,.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


def _path(points: Sequence[tuple[float, float]]) -> str:
    """The points joined by straight lines, with gaps where there is none."""
    drawn, pen = [], "M"
    for x, y in points:
        if not math.isfinite(y):
            pen = "M"
            continue
        drawn.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    if len(drawn) == 1:
        drawn.append("h0.1")  # or a single point would not be seen
    return "".join(drawn)
