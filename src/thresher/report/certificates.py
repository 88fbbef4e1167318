"""The page of `thresher certify --report`: theorems, mistakes under their bounds, margins, heaviest attributes, the duel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from thresher.report.curves import Curves, drawn
from thresher.report.page import document, listed, said, section, tabled

__all__ = ["CertifiedPage", "certified_page"]

Rows = tuple[Sequence[str], Sequence[Sequence[str]]]


class CertifiedPage(NamedTuple):
    """What is on the page."""

    title: str
    about: Sequence[str]
    notices: Sequence[str]
    headline: str
    theorems: Rows
    curves: Sequence[Curves]
    attributes: Rows
    attributes_of: str
    duel: Rows
    verdict: Sequence[str]
    found: Sequence[str]
    certificate: Mapping[str, str]


def certified_page(shown: CertifiedPage) -> str:
    """The page as HTML: one file that needs no other, no script, and no net.

    >>> curves = Curves("Mistakes", "", "mistakes", [0, 1], [("a < b", [0.0, 1.0], 0)])
    >>> page = CertifiedPage("t", ["3"], [], "5 of 9", ([], []), [curves], ([], []), "", ([], []), ["Neither."], [], {})
    >>> made = certified_page(page)
    >>> "a &lt; b" in made, '<p class="proof">5 of 9</p>' in made, "Neither." in made, "<script" in made
    (True, True, True, False)
    """
    parts = [f"<h1>{escape(shown.title)}</h1>", *said(shown.about, "soft"), *said(shown.notices)]
    parts += said([shown.headline], "proof")
    if shown.theorems[1]:
        parts.append(section("What is proven, every premise checked on every row", tabled(*shown.theorems, "theorems proven")))
    parts += [drawn(curves) for curves in shown.curves]
    if shown.attributes[1]:
        parts.append(section(f"The heaviest attributes of {shown.attributes_of}", tabled(*shown.attributes)))
    parts.append(section("Perceptron or Winnow?", tabled(*shown.duel, "theorems proven") + "".join(said(shown.verdict))))
    if shown.found:
        parts.append(section("How good the witnesses are", "".join(said(shown.found))))
    if shown.certificate:
        parts.append(section("The certificate", listed(shown.certificate)))
    return document(shown.title, parts)
