"""The page of `thresher experts --report`: scores, the course of weights, scores and regret, what is proven and what comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from thresher.notebook import table
from thresher.report.chart import CLASSES, Line, chart, legend

__all__ = ["Page", "Picture", "page"]

#: The colours of lines on white and on black; the first is the combination's. Apart for colour-blind eyes, too.
_LIGHT = ("#111111", "#0060a8", "#c04a00", "#00795a", "#a8307a", "#7a6a00", "#5a4fcf", "#008ba3", "#8c8c8c")
_DARK = ("#f5f5f5", "#5fb0f0", "#ff9b57", "#3fd0a4", "#f08cc6", "#e6d04a", "#a79dff", "#52d3e8", "#8c8c8c")
_DASHES = ("", "", "7 3", "2 3", "9 3 2 3", "5 5", "1 4", "12 4", "")

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --soft: #666; --paper: #fff; --rule: #ddd; --band: #f4f4f2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --soft: #a0a0a0; --paper: #161616; --rule: #383838; --band: #202020; }
}
@media print { :root { --ink: #000; --soft: #444; --paper: #fff; --rule: #ccc; --band: #fff; } }
body { margin: 2rem auto; max-width: 52rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
body { color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.3rem; }
p { margin: 0.3rem 0; }
.soft { color: var(--soft); }
.proof { border-left: 4px solid var(--ink); background: var(--band); padding: 0.6rem 1rem; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.6rem 0; }
th, td { text-align: right; padding: 0.15rem 0.8rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; }
th:first-child, td:first-child { min-width: 7.5rem; }
@media (max-width: 30rem) { th, td { padding: 0.15rem 0.4rem; } }
.theorems th:last-child, .theorems td:last-child { text-align: left; white-space: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; font-size: 0.9rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
@media print { .scroll { overflow-x: visible; } }
.chart { width: 100%; height: auto; }
.chart text { font: 12px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--rule); stroke-opacity: 1; }
.axis { stroke: var(--soft); fill: none; }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.line-0 { stroke-width: 2.6; }
.line-8 { stroke-width: 1; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1.2rem; padding: 0; margin: 0.2rem 0; }
.legend { font-size: 0.85rem; }
.swatch { width: 28px; height: 10px; margin-right: 0.4rem; }
section { break-inside: avoid; }
"""


class Picture(NamedTuple):
    """A chart with a heading, a line of text below it, and the lines: the name, the values, and whose colour it has.

    `owner` is 0 for the combination, 1 and on for those that have a colour of their own, −1 for all others.
    """

    heading: str
    text: str
    axis: str
    lines: Sequence[tuple[str, Sequence[float], int]]
    top: float | None = None


class Page(NamedTuple):
    """What is on the page."""

    title: str
    about: Sequence[str]
    scores: tuple[Sequence[str], Sequence[Sequence[str]]]
    notices: Sequence[str]
    proof: str
    x: Sequence[float]
    label: Callable[[float], str] | None
    pictures: Sequence[Picture]
    coming: tuple[Sequence[str], Sequence[Sequence[str]]]
    theorems: tuple[Sequence[str], Sequence[Sequence[str]]]
    certificate: Mapping[str, str]


def page(shown: Page) -> str:
    """The page as HTML: one file that needs no other, no script, and no net.

    >>> picture = Picture("Weights", "", "weight", [("the combination", [1.0, 1.0], 0)])
    >>> made = page(Page("t & u", ["3 rounds"], (["who"], [["a"]]), [], "", [1, 2], None, [picture], ([], []), ([], []), {}))
    >>> made.startswith("<!DOCTYPE html>"), "t &amp; u" in made, "http" in made.replace("http://www.w3.org/2000/svg", "")
    (True, True, False)
    """
    parts = [f"<h1>{escape(shown.title)}</h1>", *(f'<p class="soft">{escape(line)}</p>' for line in shown.about)]
    if shown.proof:
        parts.append(f'<p class="proof">{escape(shown.proof)}</p>')
    notices = "".join(f"<p>{escape(notice)}</p>" for notice in shown.notices)
    parts.append(f'<section><h2>Scores</h2><div class="scroll">{table(*shown.scores)}</div>{notices}</section>')
    parts += [_drawn(picture, shown) for picture in shown.pictures]
    if shown.coming[1]:
        parts.append(f'<section><h2>Next forecasts</h2><div class="scroll">{table(*shown.coming)}</div></section>')
    if shown.theorems[1]:
        parts.append(f'<section><h2>What is proven</h2><div class="scroll theorems">{table(*shown.theorems)}</div></section>')
    if shown.certificate:
        lines = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in shown.certificate.items())
        parts.append(f"<section><h2>The certificate</h2><dl>{lines}</dl></section>")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(shown.title)}</title>\n<style>{_STYLE}{_colours()}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _drawn(picture: Picture, shown: Page) -> str:
    lines = [Line(name, values, f"line-{_class(owner)}") for name, values, owner in picture.lines]
    drawn = chart(picture.heading, shown.x, lines, axis=picture.axis, top=picture.top, label=shown.label)
    text = f'<p class="soft">{escape(picture.text)}</p>' if picture.text else ""
    own = [line for line, (_, _, owner) in zip(lines, picture.lines, strict=True) if 0 <= owner < CLASSES - 1]
    others = len(lines) - len(own)
    if others:
        own.append(Line("another forecaster" if others == 1 else f"{others:,} other forecasters", (), f"line-{CLASSES - 1}"))
    return f"<section><h2>{escape(picture.heading)}</h2>{text}{legend(own)}{drawn}</section>"


def _class(owner: int) -> int:
    return owner if 0 <= owner < CLASSES - 1 else CLASSES - 1


def _colours() -> str:
    dashes = "".join(f".line-{k} {{ stroke-dasharray: {dash}; }}\n" for k, dash in enumerate(_DASHES) if dash)
    dark = f"@media (prefers-color-scheme: dark) {{ {_themed(_DARK)} }}"
    return f"{_themed(_LIGHT)}{dashes}{dark}\n@media print {{ {_themed(_LIGHT)} }}\n"


def _themed(colours: Sequence[str]) -> str:
    return "".join(f".line-{k} {{ stroke: {colour}; }}\n" for k, colour in enumerate(colours))
