"""The page of `thresher lab --report`: every theorem that was played by family, the classics, and learners to step through."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from thresher.bounds.printed import plural
from thresher.lab.registry import EXPERIMENTS
from thresher.lab.result import Result
from thresher.lab.spelled import ratio
from thresher.lab.theorems import FAMILIES
from thresher.report.bench import BENCHES, STYLE, script
from thresher.report.classics import CLASSICS
from thresher.report.page import document, tabled
from thresher.report.theorem import theorem

__all__ = ["laboratory_page"]

_STYLE = """
h3 { font-size: 1rem; margin: 1.6rem 0 0.2rem; }
cite { color: var(--soft); font-style: normal; font-size: 0.9rem; margin-left: 0.6rem; }
.premises { margin: 0.3rem 0 0.6rem; padding-left: 1.2rem; font-size: 0.9rem; }
nav ul { columns: 15rem; padding-left: 1.2rem; }
a { color: inherit; }
.games table, .overview table { font-size: 0.85rem; }
.games th { white-space: normal; vertical-align: bottom; max-width: 11rem; }
.overview td:last-child, .overview th:last-child { text-align: left; }
.line.bound { stroke-width: 3; stroke-dasharray: none; stroke-opacity: 0.75; }
.planes { display: flex; flex-wrap: wrap; gap: 0.8rem; }
.planes figure { margin: 0; width: 15.5rem; max-width: 100%; }
.planes figcaption { font-size: 0.85rem; color: var(--soft); }
.plane { width: 100%; border: 1px solid var(--rule); display: block; }
.plane .line { stroke-width: 0.045; stroke-dasharray: none; }
.plane .grid { stroke-width: 0.02; }
.blocks { width: 100%; height: auto; }
.blocks text { font: 14px system-ui, sans-serif; fill: var(--soft); }
.blocks .line { stroke-dasharray: none; stroke-width: 2; }
.plane .line-0, .plane .sign { stroke-width: 0.08; }
article { break-inside: avoid; }
h2, h3 { break-after: avoid; }
section { break-inside: auto; }
"""


def laboratory_page(results: Sequence[Result]) -> str:
    """The page as HTML: one file that needs no other and no net.

    >>> import thresher as th
    >>> made = laboratory_page([th.lab.play("elimination", quick=True)])
    >>> "<h1>The laboratory</h1>" in made, '<h2 id="elimination-family">Elimination</h2>' in made
    (True, True)
    """
    above_it = sum(result.refuted is not None for result in results)
    verdict = f"{plural(len(results), 'theorem')}, seed {results[0].seed}: {above_it or 'none'} above its bound"
    parts = ["<h1>The laboratory</h1>", f'<p class="soft">{escape(verdict)}.</p>']
    families = [(family, of) for family in FAMILIES if (of := [result for result in results if _family(result) == family])]
    if len(families) > 1:
        parts.append(_contents(families))
    parts += [_section(family, of) for family, of in families]
    if any(family in BENCHES for family, _ in families):
        parts.append(script())
    return document("The laboratory", parts, _STYLE + STYLE)


def _family(result: Result) -> str:
    made = EXPERIMENTS[result.name].theorem
    return next(family for family, makers in FAMILIES.items() if made in makers)


def _anchor(family: str) -> str:
    return f"{'-'.join(family.lower().replace(',', '').split())}-family"


def _contents(families: Sequence[tuple[str, Sequence[Result]]]) -> str:
    """Where each family is, and how near its games came to every bound."""
    links = "".join(f'<li><a href="#{_anchor(family)}">{escape(family)}</a></li>' for family, _ in families)
    rows = [
        (result.theorem.name, ratio(result.worst), "forced" if result.tight == 1 else "", result.worst.stream)
        for _, of in families
        for result in of
    ]
    return f"<nav><ul>{links}</ul></nav>{tabled(('theorem', 'attained / bound', '', 'by'), rows, 'overview')}"


def _section(family: str, results: Sequence[Result]) -> str:
    """A family under its name."""
    tried = [BENCHES[family]()] if family in BENCHES else []
    classics = [f"<article><h3>{escape(name)}</h3>{draw()}</article>" for name, draw in CLASSICS.get(family, {}).items()]
    inside = "".join([*classics, *tried, *(theorem(result) for result in results)])
    return f'<section><h2 id="{_anchor(family)}">{escape(family)}</h2>{inside}</section>'
