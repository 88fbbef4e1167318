"""The page of `thresher experts --report`: scores, the course of weights, scores and regret, what is proven and what comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from thresher.report.chart import CLASSES, Line, chart, legend
from thresher.report.page import document, listed, section, tabled

__all__ = ["Page", "Picture", "page"]


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
    parts.append(section("Scores", tabled(*shown.scores) + notices))
    parts += [_drawn(picture, shown) for picture in shown.pictures]
    if shown.coming[1]:
        parts.append(section("Next forecasts", tabled(*shown.coming)))
    if shown.theorems[1]:
        parts.append(section("What is proven", tabled(*shown.theorems, "theorems")))
    if shown.certificate:
        parts.append(section("The certificate", listed(shown.certificate)))
    return document(shown.title, parts)


def _drawn(picture: Picture, shown: Page) -> str:
    lines = [Line(name, values, f"line-{_class(owner)}") for name, values, owner in picture.lines]
    drawn = chart(picture.heading, shown.x, lines, axis=picture.axis, top=picture.top, label=shown.label)
    text = f'<p class="soft">{escape(picture.text)}</p>' if picture.text else ""
    own = [line for line, (_, _, owner) in zip(lines, picture.lines, strict=True) if 0 <= owner < CLASSES - 1]
    others = len(lines) - len(own)
    if others:
        own.append(Line("another forecaster" if others == 1 else f"{others:,} other forecasters", (), f"line-{CLASSES - 1}"))
    return section(picture.heading, f"{text}{legend(own)}{drawn}")


def _class(owner: int) -> int:
    return owner if 0 <= owner < CLASSES - 1 else CLASSES - 1
