"""Perceptron beside Winnow: which of the two a stream favours, and why.

For one u that separates, the Perceptron's bound is (‖x‖₂·‖u‖₂/γ)² and Balanced Winnow's 2 ln N·(‖x‖∞·‖u‖₁/γ)². So addition pays
for (‖x‖₂/‖x‖∞)², the attributes that are on at once, and multiplication for (‖u‖₁/‖u‖₂)², those that matter, 2 ln N times.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.bounds.printed import above, below
from thresher.linear import BalancedWinnow

if TYPE_CHECKING:
    from thresher.cli.certifying import Certified, Held

__all__ = ["Duel", "Side", "duel"]


class Side(NamedTuple):
    """One of the two: what it counted, the least that is proven, and between what its largest margin lies.

    `literals` are, where its witness is a disjunction, how many it has and how many attributes would have to change.
    """

    called: str
    mistakes: int | None
    bound: int | None
    theorem: str | None
    margin: tuple[float, float] | None
    literals: tuple[int, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        margin = None if self.margin is None else {"at_least": self.margin[0], "at_most": self.margin[1]}
        counts = {"learner": self.called, "mistakes": self.mistakes, "bound": self.bound, "theorem": self.theorem}
        return {**counts, "margin": margin}


@dataclass(frozen=True)
class Duel:
    """The two, and what their bounds depend on: the attributes on at once, and those that matter to the witness."""

    additive: Side
    multiplicative: Side
    on_at_once: float
    that_matter: float
    slots: int
    trivial: bool

    @property
    def favoured(self) -> str | None:
        """Whose bound is smaller, or, where neither has one, who made fewer mistakes; nobody, where both are the same."""
        one, other = self.additive, self.multiplicative
        if self.trivial or (one.bound, one.mistakes) == (other.bound, other.mistakes):
            return None
        bounds = [math.inf if side.bound is None else side.bound for side in (one, other)]
        counts = [math.inf if side.mistakes is None else side.mistakes for side in (one, other)]
        return one.called if (bounds[0], counts[0]) < (bounds[1], counts[1]) else other.called

    @property
    def sentence(self) -> str:
        """Which one the data favour, and why."""
        one, other = self.additive, self.multiplicative
        if self.trivial:
            return "With one label there is nothing to choose between: saying it makes no mistake."
        if other.mistakes is None:
            return f"{other.called} cannot learn these examples, whose values it does not take: the {one.called} is alone."
        if self.favoured is None:
            proven = (
                "nothing is proven of either that says anything" if one.bound is None else f"both have the bound {one.bound:,}"
            )
            return f"Neither is favoured: both made {one.mistakes:,} mistakes, and {proven}."
        won, lost = (one, other) if self.favoured == one.called else (other, one)
        fewer = won.mistakes is not None and lost.mistakes is not None and won.mistakes <= lost.mistakes
        counts = f"it made {won.mistakes:,} mistakes against {lost.mistakes:,}"
        return f"{_the(won)} is favoured: {_against(won, lost)}, {'and' if fewer else 'but'} {counts}."

    @property
    def reason(self) -> str:
        """What the bounds depend on, where there is a witness."""
        if not self.that_matter or not self.on_at_once or self.trivial:
            return ""
        spread = (
            f"the Perceptron's witness spreads over about {self.that_matter:,.0f} attributes, (‖u‖₁/‖u‖₂)², and up to "
            f"{self.on_at_once:,.0f} are on at once, (‖x‖₂/‖x‖∞)²"
        )
        other = self.multiplicative
        if other.literals is not None and self.favoured == other.called:
            r, errors = other.literals
            fits = "fits" if not errors else f"fits but for {errors:,.0f}"
            return f"Why: one of {r:,} attributes of {self.slots:,} {fits}, and each costs Winnow a logarithm; {spread}."
        price = 2.0 * math.log(2 * self.slots) * self.that_matter
        less = "less" if self.on_at_once < price else "more"
        return (
            f"Why: {spread}. For one u addition pays for the second, multiplication 2 ln 2n times for the first, {price:,.0f}: "
            f"addition pays {less}."
        )

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "perceptron": self.additive.as_dict(),
            "winnow": self.multiplicative.as_dict(),
            "on_at_once": self.on_at_once,
            "that_matter": self.that_matter,
            "favoured": self.favoured,
            "sentence": self.sentence,
            "reason": self.reason or None,
        }

    def rows(self) -> list[tuple[str, ...]]:
        """A table of the two, its head first."""
        rows: list[tuple[str, ...]] = [("", "mistakes", "at most", "largest margin")]
        for side, kind in (
            (self.additive, "‖u‖₂ = 1, of the largest ‖x‖₂"),
            (self.multiplicative, "‖u‖₁ = 1, of the largest |xᵢ|"),
        ):
            margin = "none was found" if side.margin is None else f"{below(side.margin[0])} to {above(side.margin[1])}"
            counts = ("–" if count is None else f"{count:,}" for count in (side.mistakes, side.bound))
            rows.append((side.called, *counts, f"{margin} ({kind})"))
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        table = [f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip() for row in rows]
        said = [textwrap.fill(each, 110) for each in (self.sentence, self.reason) if each]
        return "\n".join(["Perceptron or Winnow? In any order of these rows", *table, *said])


def duel(made: Certified) -> Duel:
    """The Perceptron of a certified source, on the examples as they are, and of Winnow and Balanced Winnow the better."""
    facts, perceptron = made.facts, made.held[0]
    return Duel(
        _side(perceptron, perceptron, facts.longest),
        _side(made.multiplicative, next(each for each in made.held if isinstance(each.learner, BalancedWinnow)), facts.largest),
        (facts.longest / facts.largest) ** 2 if facts.largest else 0.0,
        _that_matter(perceptron),
        facts.recipe.n,
        facts.best_constant == 0,
    )


def _side(held: Held, with_margin: Held, size: float) -> Side:
    shares = [clue.share for clue in with_margin.clues if clue.share is not None]
    margin = (shares[0][0] / size, shares[0][1] / size) if shares and size else None
    mistakes = None if held.played is None else held.played.count.mistakes
    best = held.best
    if best is None:
        return Side(held.name, mistakes, None, None, margin)
    numbers = best.numbers
    literals = (int(numbers["r"]), numbers.get("errors", 0.0)) if "r" in numbers else None
    return Side(held.name, mistakes, best.bound.at_most, best.bound.theorem.name, margin, literals)


def _that_matter(held: Held) -> float:
    """(‖u‖₁/‖u‖₂)² of the witness with the least bound."""
    if held.witness is None:
        return 0.0
    sizes = np.abs(np.append(held.witness.u, held.witness.bias_weight))
    length = float(np.linalg.norm(sizes))
    return (float(sizes.sum()) / length) ** 2 if length else 0.0


def _the(side: Side) -> str:
    return f"The {side.called}" if side.called == "Perceptron" else side.called


def _against(won: Side, lost: Side) -> str:
    if won.bound is None:
        return "nothing is proven of either that says anything"
    if lost.bound is None:
        return f"it is proven to make at most {won.bound:,} mistakes, and of {lost.called} nothing is proven that says anything"
    return f"its bound is {won.bound:,} against {lost.bound:,}"
