"""The page of `thresher certify --report`: theorems, mistakes under their bounds, margins, heaviest attributes, the duel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from thresher.report.chart import Line, chart, legend
from thresher.report.page import document, listed, section, tabled

__all__ = ["CertifiedPage", "Curves", "certified_page"]

Rows = tuple[Sequence[str], Sequence[Sequence[str]]]


class Curves(NamedTuple):
    """A chart with a heading and a line of text: for each line its name, its values over x, and which style it has."""

    heading: str
    text: str
    axis: str
    x: Sequence[float]
    lines: Sequence[tuple[str, Sequence[float], int]]
    label: Callable[[float], str] | None = None


class CertifiedPage(NamedTuple):
    """What is on the page."""

    title: str
    about: Sequence[str]
    notices: Sequence[str]
    headline: str
    theorems: Rows
    curves: Sequence[Curves]
    attributes: Rows
    duel: Rows
    verdict: Sequence[str]
    found: Sequence[str]
    certificate: Mapping[str, str]


def certified_page(shown: CertifiedPage) -> str:
    """The page as HTML: one file that needs no other, no script, and no net.

    >>> curves = Curves("Mistakes", "", "mistakes", [0, 1], [("a < b", [0.0, 1.0], 0)])
    >>> page = CertifiedPage("t", ["3"], [], "5 of 9", ([], []), [curves], ([], []), ([], []), ["Neither."], [], {})
    >>> made = certified_page(page)
    >>> "a &lt; b" in made, '<p class="proof">5 of 9</p>' in made, "Neither." in made, "<script" in made
    (True, True, True, False)
    """
    parts = [f"<h1>{escape(shown.title)}</h1>", *_said(shown.about, "soft"), *_said(shown.notices)]
    parts += _said([shown.headline], "proof")
    if shown.theorems[1]:
        parts.append(section("What is proven, every premise checked on every row", tabled(*shown.theorems, "theorems proven")))
    parts += [_drawn(curves) for curves in shown.curves]
    if shown.attributes[1]:
        parts.append(section("The heaviest attributes of the Perceptron's witness", tabled(*shown.attributes)))
    parts.append(section("Perceptron or Winnow?", tabled(*shown.duel, "theorems proven") + "".join(_said(shown.verdict))))
    if shown.found:
        parts.append(section("How good the witnesses are", "".join(_said(shown.found))))
    if shown.certificate:
        parts.append(section("The certificate", listed(shown.certificate)))
    return document(shown.title, parts)


def _said(lines: Sequence[str], kind: str = "") -> list[str]:
    opened = f'<p class="{kind}">' if kind else "<p>"
    return [f"{opened}{escape(line)}</p>" for line in lines]


def _drawn(curves: Curves) -> str:
    lines = [Line(name, values, f"line-{style}") for name, values, style in curves.lines]
    drawn = chart(curves.heading, curves.x, lines, axis=curves.axis, label=curves.label)
    return section(curves.heading, f'<p class="soft">{escape(curves.text)}</p>{legend(lines)}{drawn}')
