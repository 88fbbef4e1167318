"""Elimination's theorem: it keeps a list of literals, says 1 where one of them is true, and strikes what was true in vain.

The list begins with every literal, x₁, ¬x₁, …, xₙ, ¬xₙ (monotone: x₁, …, xₙ), and always holds the target's r. So a mistake is
always a 1 where 0 was right, and strikes at least one literal.
"""

from __future__ import annotations

from thresher.bounds.arguments import as_float, whole
from thresher.bounds.bound import Bound, Theorem

__all__ = ["ELIMINATION", "elimination", "elimination_textbook"]

#: What both forms assume.
ELIMINATION = "the rounds are Elimination's, from the full list, on examples of zeros and ones"

_SHARP = Theorem("Elimination", "M ≤ n + 1 − r; monotone: M ≤ n − r", "Mansour 2012, sharpened by r")
_TEXTBOOK = Theorem("Elimination, as in textbooks", "M ≤ n + 1", "Mansour 2012; sharp for r = 0 alone")


def elimination(n: int, *, r: int, monotone: bool = False) -> Bound:
    """M ≤ n + 1 − r: the labels are a disjunction of r literals of n attributes, none beside its negation (r = 0: always 0).

    The first mistake strikes n literals, one of each pair, and leaves n; of these the target's r stay, and every further
    mistake strikes one of the others. The monotone list begins with n, so there M ≤ n − r. (A disjunction of a literal and its
    negation is always 1: then no mistake is made.)

    Attained: for every r, by a stream that lets each mistake strike as few literals as it can.

    >>> elimination(10, r=3).at_most, elimination(10, r=3, monotone=True).at_most
    (8, 7)
    """
    whole(0, n=n)
    whole(0, n, r=r)
    literals = "of r attributes, none negated" if monotone else "of r literals, none beside its negation"
    return Bound(
        as_float(int(n - r + (not monotone))), "mistakes", _SHARP, (ELIMINATION, f"the labels are a disjunction {literals}")
    )


def elimination_textbook(n: int) -> Bound:
    """M ≤ n + 1: the same for any disjunction of literals.

    Attained: by the target that is always 0, and by no other.

    >>> elimination_textbook(10).at_most
    11
    """
    whole(0, n=n)
    return Bound(as_float(int(n + 1)), "mistakes", _TEXTBOOK, (ELIMINATION, "the labels are a disjunction of literals"))
