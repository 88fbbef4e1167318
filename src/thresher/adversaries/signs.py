"""Against learners of signs: the literal that is true is one of half of those that are left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from thresher.adversaries.adversary import Pair, Vector, check_counts, contrary
from thresher.protocol import Learner

__all__ = ["Literals"]


@dataclass(frozen=True)
class Literals:
    """Of n = 2^k attributes, −1 or +1 each, one says the label or its contrary: which of the 2n is found by halving.

    In the first example all attributes are +1, which decides between x and −x; in the others attribute j has the sign of one
    binary digit of j. Each is labelled otherwise than the learner says, and leaves half of the literals. Forces lg 2n
    mistakes of any learner at all, while u = ±e_j, of norm 1, has the margin 1. That is what Balanced Winnow is allowed as
    its margin comes near to 1 (`th.bounds.balanced_winnow_tuned`)::

        M ≤ ln 2n/(½((1 + γ) ln(1 + γ) + (1 − γ) ln(1 − γ))) → lg 2n

    >>> from math import atanh
    >>> import thresher as th
    >>> from thresher.adversaries import Literals, force
    >>> learner = th.BalancedWinnow(8, eta=atanh(0.999))
    >>> rounds = force(Literals(3), learner)
    >>> learner.mistakes, th.bounds.balanced_winnow_tuned(0.999, n=8).at_most
    (4, 4)
    """

    k: int

    def __post_init__(self) -> None:
        check_counts(0, k=self.k)

    def against(self, learner: Learner[Vector], /) -> Iterator[Pair]:
        """One example more than k, for a learner of 2^k attributes."""
        for digit in range(self.k, -1, -1):
            x = tuple(-1.0 if j >> digit & 1 else 1.0 for j in range(2**self.k))
            yield x, contrary(learner, x)
