"""The theorems of finite classes: one of finitely many concepts fits every example.

All three learners keep the concepts that fit all examples so far; what a mistake must cost of them bounds the mistakes. The
bounds are whole numbers, by whole numbers: ⌊lg|C|⌋ is read from the digits of |C| and not from a logarithm.
"""

from __future__ import annotations

from contextlib import suppress
from operator import index
from typing import SupportsIndex

from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.printed import shown
from thresher.errors import ParameterError

__all__ = ["CONSISTENT", "HALVING", "OPTIMAL", "consistent", "halving", "optimal"]

#: What each learner's theorem assumes of the rounds.
CONSISTENT = "each prediction is that of a concept of C that fits all rounds before"
HALVING = "each prediction is that of at least half of the concepts of C that fit all rounds before"
OPTIMAL = "each prediction leaves, if it is right, the part of the larger Littlestone dimension of what fits all rounds before"
_FITS = "some concept of C fits every round"

_CONSISTENT = Theorem("Consistent", "M ≤ |C| − 1", "by counting; Mansour 2012")
_HALVING = Theorem("Halving", "M ≤ ⌊lg|C|⌋", "Angluin 1988; Littlestone 1988")
_OPTIMAL = Theorem("Optimal", "M ≤ Ldim(C)", "Littlestone 1988")


def consistent(size: int) -> Bound:
    """M ≤ |C| − 1: a mistake is the end of the concept that made it, and one is left.

    Attained: by the points one after the other, where each concept is +1 on one of them and they come in that order.

    >>> consistent(2**70).at_most == 2**70 - 1
    True
    """
    return Bound(_whole(1, size=size) - 1, "mistakes", _CONSISTENT, (CONSISTENT, _FITS))


def halving(size: int) -> Bound:
    """M ≤ ⌊lg|C|⌋: with a mistake at least half of what is left goes, and one concept stays.

    It may say either where the two sides are equal, and may keep what does not fit in rounds without a mistake.

    Attained: by all functions of k points, |C| = 2^k, whatever the learner.

    >>> halving(2**20).at_most, halving(2**20 - 1).at_most
    (20, 19)
    """
    return Bound(_whole(1, size=size).bit_length() - 1, "mistakes", _HALVING, (HALVING, _FITS))


def optimal(dimension: int) -> Bound:
    """M ≤ Ldim(C), the Littlestone dimension: both parts cannot have that of the whole, so with a mistake it falls.

    Attained: on every class, by a tree of examples so deep, all whose ways some concept takes; so no learner without coins can
    promise less.

    >>> optimal(3).at_most
    3
    """
    return Bound(_whole(0, dimension=dimension), "mistakes", _OPTIMAL, (OPTIMAL, _FITS))


def _whole(least: int, **numbers: object) -> int:
    (name, number), *_ = numbers.items()
    if isinstance(number, SupportsIndex) and not isinstance(number, bool):
        with suppress(TypeError):  # an array of several is not an index
            if (found := index(number)) >= least:
                return found
    raise ParameterError(f"found {name} = {shown(number)}, expected a whole number of at least {least}")
