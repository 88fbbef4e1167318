"""Perceptron beside Winnow: which of the two a stream favours, and why.

For one u that separates, the Perceptron's bound is (‖x‖₂·‖u‖₂/γ)² and Balanced Winnow's 2 ln N·(‖x‖∞·‖u‖₁/γ)². So addition pays
for (‖x‖₂/‖x‖∞)², the attributes that are on at once, and multiplication for (‖u‖₁/‖u‖₂)², those that matter, 2 ln N times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.bounds.printed import above, below, filled, plural
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
    """The two, and what their bounds depend on: the attributes on at once, and those that matter to the witness.

    `constant` is how many mistakes the best constant makes: a bound that is not below it favours nobody.
    """

    additive: Side
    multiplicative: Side
    on_at_once: float
    that_matter: float
    slots: int
    constant: int

    @property
    def favoured(self) -> str | None:
        """Whose bound is smaller, and of equal ones who made fewer mistakes; nobody, if it does not beat the constant."""
        one, other = self.additive, self.multiplicative
        ranks = [(math.inf if side.bound is None else side.bound, side.mistakes or 0) for side in (one, other)]
        if None in (one.mistakes, other.mistakes) or min(ranks)[0] >= self.constant or ranks[0] == ranks[1]:
            return None
        return one.called if ranks[0] < ranks[1] else other.called

    @property
    def sentence(self) -> str:
        """Which one the data favour, and by which theorems."""
        one, other = self.additive, self.multiplicative
        if self.constant == 0:
            return "With one label there is nothing to choose between: saying it makes no mistake."
        unable = next((side for side in (other, one) if side.mistakes is None), None)
        if unable is not None:
            able = one if unable is other else other
            return f"{_the(unable)} cannot learn these examples, whose values it does not take: {_the(able, 't')} is alone."
        won, lost = (other, one) if self.favoured == other.called else (one, other)
        counts = f"{_the(won)} made {_mistakes(won)}, {_the(lost, 't')} {_mistakes(lost)}"
        if self.favoured is not None:
            fewer = "and" if (won.mistakes or 0) <= (lost.mistakes or 0) else "but"
            made = f"it made {_mistakes(won)} against {lost.mistakes:,}"
            return f"{_the(won)} is favoured: {_against(won, lost)}, {fewer} {made}."
        if one.bound is not None and one.bound < self.constant:
            return f"Neither is favoured: both bounds are {one.bound:,}, and both made {_mistakes(one)}."
        constant = plural(self.constant, "mistake")
        return f"Neither is favoured: neither bound tells more than the best constant, which makes {constant}. {counts}."

    @property
    def reason(self) -> str:
        """What the bounds depend on, where that is why one is smaller."""
        other, on = self.multiplicative, f"{self.on_at_once:,.0f}"
        if self.favoured is None or not self.that_matter:
            return ""
        if other.literals is not None and self.favoured == other.called:
            r, errors = other.literals
            fits = "fits" if not errors else f"fits but for {errors:,.0f}"
            return (
                f"Why: a disjunction of {r:,} of the {self.slots:,} attributes {fits}, and Winnow pays a logarithm for each of "
                f"the {r:,}; the Perceptron pays for what is on at once, up to {on} attributes here."
            )
        price = 2.0 * math.log(2 * self.slots) * self.that_matter
        if (self.on_at_once < price) != (self.favoured == self.additive.called):
            return ""
        return (
            f"Why: with one and the same u the Perceptron pays for what is on at once, up to {on} attributes; Balanced Winnow "
            f"pays 2 ln 2n times for those that matter to u, about {self.that_matter:,.0f}, which makes {price:,.0f}."
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
        for side in (self.additive, self.multiplicative):
            margin = "none was found" if side.margin is None else f"{below(side.margin[0])} to {above(side.margin[1])}"
            counts = ("–" if count is None else f"{count:,}" for count in (side.mistakes, side.bound))
            rows.append((side.called, *counts, margin))
        return rows

    @property
    def margins(self) -> str:
        """What the margins in the table are, where there is one."""
        if self.additive.margin is None and self.multiplicative.margin is None:
            return ""
        return "Margins: of ‖u‖₂ = 1 as a part of the largest ‖x‖₂, and of ‖u‖₁ = 1 as a part of the largest |xᵢ|."

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        table = [f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip() for row in rows]
        said = [filled(each) for each in (self.margins, self.sentence, self.reason) if each]
        return "\n".join(["Perceptron or Winnow? In any order of these rows", *table, *said])


def duel(made: Certified) -> Duel:
    """The better Perceptron of a certified source, and of Winnow and Balanced Winnow the better."""
    additive, balanced = made.additive, next(each for each in made.held if isinstance(each.learner, BalancedWinnow))
    return Duel(
        _side(additive, additive),
        _side(made.multiplicative, balanced),
        made.facts.on_at_once,
        _that_matter(additive),
        made.facts.recipe.n,
        made.facts.best_constant,
    )


def _side(held: Held, with_margin: Held) -> Side:
    margins = [(clue.margin[0] / clue.radius, clue.margin[1] / clue.radius) for clue in with_margin.clues if clue.margin]
    margin = margins[0] if margins else None
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


def _the(side: Side, article: str = "T") -> str:
    name, _, how = side.called.partition(", ")
    return f"{article}he {f'{how} {name}'.lstrip()}" if name == "Perceptron" else name


def _mistakes(side: Side) -> str:
    return plural(side.mistakes or 0, "mistake")


def _against(won: Side, lost: Side) -> str:
    if lost.bound is None:
        nothing = f"of {_the(lost, 't')} nothing is proven below the number of examples"
        return f"its bound is {won.bound:,} ({won.theorem}), and {nothing}"
    return f"its bound is {won.bound:,} ({won.theorem}) against {lost.bound:,} ({lost.theorem})"
