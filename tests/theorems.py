"""docs/theorems.md: every theorem as the function that makes its bound tells it."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable

from thresher.bounds import Bound
from thresher.lab.theorems import FAMILIES

__all__ = ["FAMILIES", "theorems_page"]

_HEAD = """# The theorems

Each is a pure function in `thresher.bounds` that gives a `Bound`: what is counted, at most how much, by which theorem, and what
must hold for it. `help(th.bounds.winnow_disjunction)` has the idea of the proof and an example. A bound is rounded outward;
where a theorem says M < B for a fraction B, its value is the whole number below. Forms "as in textbooks" are for comparison;
[traps in textbook statements](traps.md) says where what is printed elsewhere is not so. `thresher lab` plays each, against the
streams that are hardest for it: [the laboratory](lab.md).

The Verify line of a certificate calls one of these functions, and may give it two numbers that no theorem has. `rounding`
and `floor` are what a learner in float64 may be off by, and what the floor under Winnow's weights costs ([how](rounding.md));
with 0 the bound is the theorem's own. Throughout, k is the number of promotions that a weight can take (`most_promotions`),
z = y·x, and L∞ the largest |xᵢ|.

This page is made from the functions by `python -m tests.pages`.
"""


def theorems_page() -> str:
    """The page, made from the functions."""
    parts = [_HEAD]
    for family, makers in FAMILIES.items():
        parts.append(f"## {family}\n")
        parts += [_entry(make, numbers) for make, numbers in makers.items()]
    return "\n".join(parts)


def _entry(make: Callable[..., Bound], numbers: dict[str, float]) -> str:
    bound = make(**numbers)
    first, *paragraphs = (inspect.getdoc(make) or "").split("\n\n")
    call = f"{make.__name__}({', '.join(f'{name}={number}' for name, number in numbers.items())})"
    facts = [
        f"Theorem: `{bound.theorem.formula}`",
        f"By: {bound.theorem.citation}",
        f"Counts: {bound.on}",
        f"Holds if: {'; '.join(bound.assumes)}",
        *(paragraph for paragraph in paragraphs if paragraph.startswith("Attained: ")),
        f"Example: `{call}`: {bound.on} ≤ {bound.limit}",
    ]
    lines = [_wrapped(f"- {fact}", "  ") for fact in facts]
    return "\n".join([f"### {bound.theorem.name}", "", _wrapped(first), "", *lines, ""])


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 128, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
