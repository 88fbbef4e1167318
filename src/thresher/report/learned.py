"""The page of `thresher learn --report`: metrics, how they went, the lanes' weights, what is proven, and of which data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from thresher.report.curves import Curves, drawn
from thresher.report.page import document, listed, said, section, tabled

__all__ = ["LearnedPage", "Rows", "learned_page"]

Rows = tuple[Sequence[str], Sequence[Sequence[str]]]


class LearnedPage(NamedTuple):
    """What is on the page."""

    title: str
    about: Sequence[str]
    headline: str
    notices: Sequence[str]
    metrics: Rows
    measured: Sequence[str]
    confusion: Rows
    curves: Sequence[Curves]
    course: Rows
    window: int
    lanes: Rows
    won: Sequence[str]
    theorems: Rows
    unproven: Sequence[str]
    certificate: Mapping[str, str]
    attributes: Rows
    attributes_of: str
    facts: Mapping[str, str]
    run: Mapping[str, str]


def learned_page(shown: LearnedPage) -> str:
    """The page as HTML: one file that needs no other, no script, and no net.

    >>> curves = Curves("Error", "", "%", [1, 2], [("so far", [1.0, 0.5], 0)])
    >>> tables = [(["a"], [["<b>"]])] * 6
    >>> page = LearnedPage("t & u", ["3"], "5 of 9", [], tables[0], ["m"], tables[1], [curves], tables[2], 9, tables[3], ["w"],
    ...     tables[4], [], {"Claim": "c"}, tables[5], "AROW", {"examples": "3"}, {"command": "x"})
    >>> made = learned_page(page)
    >>> "t &amp; u" in made, '<p class="proof">5 of 9</p>' in made, made.count("&lt;b&gt;"), "<script" in made
    (True, True, 6, False)
    """
    parts = [f"<h1>{escape(shown.title)}</h1>", *said(shown.about, "soft")]
    parts += said([shown.headline] if shown.headline else [], "proof")
    parts += said(shown.notices)
    parts.append(section("Metrics", tabled(*shown.metrics) + "".join(said(shown.measured, "soft"))))
    parts.append(section("What was said, and what was so", tabled(*shown.confusion)))
    parts += [drawn(curves) for curves in shown.curves]
    if shown.course[1]:
        text = "".join(said([f"From the third column on of the last {shown.window:,} rounds."], "soft"))
        parts.append(section("The course in numbers", text + tabled(*shown.course)))
    if shown.lanes[1]:
        parts.append(section("Which learners won", tabled(*shown.lanes) + "".join(said(shown.won))))
    proven = tabled(*shown.theorems, "theorems proven") if shown.theorems[1] else ""
    parts.append(section("What is proven", proven + "".join(said(shown.unproven))))
    if shown.certificate:
        parts.append(section("The certificate", listed(shown.certificate)))
    if shown.attributes[1]:
        of = "".join(said([f"of {shown.attributes_of}"], "soft"))
        parts.append(section("The heaviest attributes", of + tabled(*shown.attributes, "pairs")))
    parts.append(section("The data", listed(shown.facts)))
    parts.append(section("What was run", listed(shown.run)))
    return document(shown.title, parts)
