"""The page of `thresher experts --report`: scores, the course of weights, scores and regret, what is proven and what comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from thresher.report.curves import Curves, drawn
from thresher.report.page import document, listed, said, section, tabled

__all__ = ["Page", "page"]


class Page(NamedTuple):
    """What is on the page."""

    title: str
    about: Sequence[str]
    scores: tuple[Sequence[str], Sequence[Sequence[str]]]
    notices: Sequence[str]
    proof: str
    pictures: Sequence[Curves]
    coming: tuple[Sequence[str], Sequence[Sequence[str]]]
    theorems: tuple[Sequence[str], Sequence[Sequence[str]]]
    certificate: Mapping[str, str]


def page(shown: Page) -> str:
    """The page as HTML: one file that needs no other, no script, and no net.

    >>> picture = Curves("Weights", "", "weight", [1, 2], [("the combination", [1.0, 1.0], 0)])
    >>> made = page(Page("t & u", ["3 rounds"], (["who"], [["a"]]), [], "", [picture], ([], []), ([], []), {}))
    >>> made.startswith("<!DOCTYPE html>"), "t &amp; u" in made, "http" in made.replace("http://www.w3.org/2000/svg", "")
    (True, True, False)
    """
    parts = [f"<h1>{escape(shown.title)}</h1>", *said(shown.about, "soft")]
    parts += said([shown.proof] if shown.proof else [], "proof")
    parts.append(section("Scores", tabled(*shown.scores) + "".join(said(shown.notices))))
    parts += [drawn(picture) for picture in shown.pictures]
    if shown.coming[1]:
        parts.append(section("Next forecasts", tabled(*shown.coming)))
    if shown.theorems[1]:
        parts.append(section("What is proven", tabled(*shown.theorems, "theorems")))
    if shown.certificate:
        parts.append(section("The certificate", listed(shown.certificate)))
    return document(shown.title, parts)
