"""Growth as a picture: one panel for each thing that grows, both axes logarithmic, with what would be in proportion dashed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

__all__ = ["picture"]

_WIDTH, _HEIGHT, _COLUMNS = 300, 230, 3
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 36, 40, 30
_SHARED = ("threads",)  # what divides the work instead of adding to it
_STYLE = """
  svg { font: 12px sans-serif; background: #fff }
  text { fill: #333 } .title { font-weight: bold } .axis { stroke: #bbb; fill: none }
  .time { stroke: #2463a8; stroke-width: 2; fill: none } .point { fill: #2463a8 }
  .even { stroke: #999; stroke-dasharray: 4 3; fill: none }
"""


def picture(times: Mapping[str, Mapping[int, float]]) -> str:
    """An SVG of the seconds for each value, by what grew.

    >>> drawn = picture({"rows": {100: 0.001, 800: 0.008}})
    >>> drawn.startswith("<svg"), "rows" in drawn, "8 ms" in drawn
    (True, True, True)
    """
    columns = min(_COLUMNS, len(times))
    rows = math.ceil(len(times) / columns)
    panels = [
        f'<g transform="translate({_WIDTH * (k % columns)} {_HEIGHT * (k // columns)})">{_panel(over, seconds)}</g>'
        for k, (over, seconds) in enumerate(times.items())
    ]
    size = f'viewBox="0 0 {_WIDTH * columns} {_HEIGHT * rows}" width="{_WIDTH * columns}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}><title>Time by {escape(", ".join(times))}</title>'
    return "\n".join([f"{head}<style>{_STYLE}</style>", *panels, "</svg>", ""])


def _panel(over: str, seconds: Mapping[int, float]) -> str:
    values, times = list(seconds), list(seconds.values())
    first, last = math.log(values[0]), math.log(values[-1])
    low, high = math.log(min(times) / 1.5), math.log(max(times) * 1.5)
    if high - low < math.log(16):  # so that what hardly grows looks so
        low, high = (low + high - math.log(16)) / 2, (low + high + math.log(16)) / 2

    def place(value: float, time: float) -> tuple[float, float]:
        across = (math.log(value) - first) / (last - first)
        up = (math.log(time) - low) / (high - low)
        x = _LEFT + across * (_WIDTH - _LEFT - _RIGHT)
        return round(x, 1), round(_HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM), 1)

    points = [place(value, time) for value, time in seconds.items()]
    parts = [f'<text class="title" x="{_LEFT}" y="18">{escape(over)}</text>']
    parts.append(f'<path class="axis" d="M{_LEFT} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - _RIGHT}"/>')
    power = -1 if over in _SHARED else 1
    even = [(value, times[0] * (value / values[0]) ** power) for value in values]
    shown = [place(value, time) for value, time in even if low <= math.log(time) <= high]
    if len(shown) > 1:
        parts.append(f'<path class="even" d="{_path(shown)}"/>')
    parts.append(f'<path class="time" d="{_path(points)}"/>')
    for (x, y), value, time in zip(points, values, times, strict=True):
        parts.append(f'<circle class="point" cx="{x}" cy="{y}" r="3"/>')
        parts.append(f'<text x="{x}" y="{_HEIGHT - 12}" text-anchor="middle">{_short(value)}</text>')
        parts.append(f'<text x="{x}" y="{y - 8}" text-anchor="middle">{_spelled(time)}</text>')
    return "".join(parts)


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def _short(value: int) -> str:
    """A number as an axis has room for it."""
    if value >= 4096 and value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return f"{value // 1000:,}k" if value >= 10_000 else f"{value:,}"


def _spelled(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
