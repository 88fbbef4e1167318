"""What all pages share: one file that needs no other and no net; light and dark, on a screen and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from thresher.notebook import table

__all__ = ["document", "listed", "on_paper", "said", "section", "tabled"]

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
h1 { font-size: 1.5rem; margin-bottom: 0.2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.3rem; }
p { margin: 0.3rem 0; }
.soft { color: var(--soft); }
.proof { border-left: 4px solid var(--ink); background: var(--band); padding: 0.6rem 1rem; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.6rem 0; }
th, td { text-align: right; padding: 0.15rem 0.8rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; }
th:first-child, td:first-child { min-width: 7.5rem; }
@media (max-width: 30rem) { th, td { padding: 0.15rem 0.4rem; } }
.theorems th:last-child, .theorems td:last-child { text-align: left; white-space: normal; min-width: 12rem; }
@media (min-width: 40rem) { .proven th:first-child, .proven td:first-child { white-space: nowrap; } }
@media (max-width: 40rem) { .theorems table { font-size: 0.85rem; } }
.proven th:first-child, .proven td:first-child { overflow-wrap: normal; }
.pairs th:nth-child(3), .pairs td:nth-child(3) { text-align: left; padding-left: 2rem; }
.pairs td:nth-child(3) { white-space: normal; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; font-size: 0.9rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
@media print { .scroll { overflow-x: visible; } }
@media print { .theorems th:last-child, .theorems td:last-child { min-width: 0; } }
.chart { width: 100%; height: auto; }
.chart text { font: 12px system-ui, sans-serif; fill: var(--soft); }
@media (max-width: 30rem) { .chart { overflow: visible; } .chart text { font-size: 22px; } }
.grid { stroke: var(--rule); stroke-opacity: 1; }
.axis { stroke: var(--soft); fill: none; }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.line-0 { stroke-width: 2.6; }
.line-8 { stroke-width: 1; }
.dot { fill: var(--paper); stroke-width: 1.8; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1.2rem; padding: 0; margin: 0.2rem 0; }
.legend { font-size: 0.85rem; }
.swatch { width: 28px; height: 10px; margin-right: 0.4rem; }
section { break-inside: avoid; }
@media print {
  html { font-size: 12px; }
  body { font-size: 1rem; margin: 0; padding: 0; max-width: none; }
  .chart { max-width: 50rem; }
}
"""


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """The page as HTML; `style` is what it has beside what all have.

    >>> made = document("t & u", ["<p>3 rounds</p>"])
    >>> made.startswith("<!DOCTYPE html>"), "t &amp; u" in made, "http" in made
    (True, True, False)
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{_colours()}{style}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def section(heading: str, inside: str) -> str:
    """A part of the page with a heading of its own."""
    return f"<section><h2>{escape(heading)}</h2>{inside}</section>"


def said(lines: Iterable[str], kind: str = "") -> list[str]:
    """Lines of text, each a paragraph of this class."""
    opened = f'<p class="{kind}">' if kind else "<p>"
    return [f"{opened}{escape(line)}</p>" for line in lines]


def tabled(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table, which may be wider than the page: then the arrow keys move it."""
    return f'<div class="{f"scroll {kind}".strip()}" tabindex="0" role="group">{table(head, rows)}</div>'


def listed(lines: Mapping[str, str]) -> str:
    """What each is about, and what it says."""
    return f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{escape(text)}</dd>' for name, text in lines.items())}</dl>"


def on_paper() -> str:
    """How lines look on white.

    >>> on_paper().splitlines()[0]
    '.line-0 { stroke: #111111; }'
    """
    dashes = "".join(f".line.line-{k} {{ stroke-dasharray: {dash}; }}\n" for k, dash in enumerate(_DASHES) if dash)
    return f"{_themed(_LIGHT)}{dashes}"


def _colours() -> str:
    dark = f"@media (prefers-color-scheme: dark) {{ {_themed(_DARK)} }}"
    return f"{on_paper()}{dark}\n@media print {{ {_themed(_LIGHT)} }}\n"


def _themed(colours: Sequence[str]) -> str:
    return "".join(f".line-{k} {{ stroke: {colour}; }}\n" for k, colour in enumerate(colours))
