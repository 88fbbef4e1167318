"""A bound: what a theorem says of a count, as a value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from thresher.bounds.printed import above, shown
from thresher.errors import ParameterError

__all__ = ["Bound", "Theorem"]


_IN_DIGITS = 10**30
_COUNTS = ("mistakes", "mistakes after the first round", "updates after the first", "examples")
_ANY_SIZE = ("regret", "loss", "weighted mistakes")  # in the units of the losses: nothing is small beside them


class Theorem(NamedTuple):
    """A theorem's name, its formula and who proved it."""

    name: str
    formula: str
    citation: str

    def __str__(self) -> str:
        return f"{self.name}: {self.formula} ({self.citation})"


@dataclass(frozen=True, slots=True)
class Bound:
    """`on` (say, "mistakes") is at most `value`, by `theorem`, if everything in `assumes` holds.

    >>> from thresher import bounds
    >>> bound = bounds.perceptron_separable(margin=0.1)
    >>> bound.on, bound.at_most
    ('mistakes', 100)
    >>> print(bound)
    mistakes ≤ 100 by Perceptron, separable
    """

    value: float
    on: str
    theorem: Theorem
    assumes: tuple[str, ...]

    @property
    def counts(self) -> bool:
        """Whether what is bounded is a whole number; a loss or a regret is not."""
        return self.on in _COUNTS

    @property
    def at_most(self) -> int:
        """The largest whole count within the bound, which must be on a count.

        A whole number is exact. A float is rounded outward by a relative and an absolute 1e-9: for k orthonormal examples the
        formula falls below the k mistakes that are made for 12 of the values k ≤ 40.

        >>> from thresher import bounds
        >>> bounds.weighted_majority(5, n=10, beta=0.5).at_most
        20
        """
        if self.infinite:
            raise OverflowError("the bound is infinite: it allows any count")
        if not self.counts:
            raise ParameterError(f"found a bound on {self.on}, expected one on a count: take its `most`")
        return math.floor(self._outward)

    @property
    def most(self) -> float:
        """The most that the bound allows: `at_most` of a count, and otherwise the value, rounded up as it is printed.

        >>> from thresher import bounds
        >>> bounds.weighted_majority(5, n=10, beta=0.5).most, bounds.mixture_log(10).most
        (20, 2.30259)
        """
        if self.infinite:
            return math.inf
        return self.at_most if self.counts else float(above(self.value))

    @property
    def infinite(self) -> bool:
        """Whether the bound allows any count."""
        return self._outward == math.inf

    @property
    def limit(self) -> str:
        """The most that the bound allows, in digits: a whole number if a count, and otherwise rounded up.

        >>> from thresher import bounds
        >>> bounds.mixture_log(10).limit, bounds.weighted_majority(5, n=10, beta=0.5).limit
        ('2.30259', '20')
        """
        if self.infinite:
            return "∞"
        if not self.counts:
            return above(self.value)
        return f"{self.at_most:,}" if self.at_most < _IN_DIGITS else f"2^{self.at_most.bit_length()}"

    def allows(self, count: float) -> bool:
        """Whether a count stays within the bound."""
        return count <= self._outward

    def covers(self, count: float) -> bool:
        """The same for a certificate: a regret or a loss may be of any size, so no absolute number is added to its bound."""
        return count <= self.value * (1 + 1e-9) if self.on in _ANY_SIZE else self.allows(count)

    @property
    def _outward(self) -> float:
        return self.value if isinstance(self.value, int) else self.value * (1 + 1e-9) + 1e-9

    def __repr__(self) -> str:
        rest = f"on={self.on!r}, theorem={self.theorem!r}, assumes={self.assumes!r}"
        return f"Bound(value={shown(self.value)}, {rest})"

    def __str__(self) -> str:
        return f"{self.on} ≤ {self.limit} by {self.theorem.name}"
