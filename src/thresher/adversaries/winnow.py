"""Against Winnow: the relevant variables one by one, and examples that fit just under the threshold, or just over."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from itertools import groupby

from thresher.adversaries.adversary import Pair, Vector, WeightedLearner, errs, indicator, weights_of
from thresher.adversaries.greedy import Greedy
from thresher.errors import ParameterError
from thresher.protocol import Learner

__all__ = ["OneByOne", "TightFit"]


@dataclass(frozen=True)
class OneByOne:
    """Each relevant variable alone, again and again, until the learner knows it.

    The target is the disjunction of the relevant variables, so every example is positive. A weight that is never demoted is
    promoted k times before it reaches the threshold alone, k = ⌈log_α θ⌉ (1 + ⌊log_α θ⌋ where w·x = θ predicts −1), and
    here each promotion moves one weight only. Forces r·k promotions, the most that Winnow can make, and thereby its bound
    n·k where all n variables are relevant. Against a learner that never learns a single variable it does not end: give
    `force` the `most` rounds.

    >>> import thresher as th
    >>> from thresher.adversaries import OneByOne, force
    >>> learner = th.Winnow(100)
    >>> rounds = force(OneByOne(100, {3, 14}), learner)
    >>> learner.mistakes   # 2 · ⌈lg 100⌉
    14
    """

    n: int
    relevant: Set[int]

    def __post_init__(self) -> None:
        _check(self.n, self.relevant)

    def against(self, learner: Learner[Vector], /) -> Iterator[Pair]:
        """The relevant variables in order, each while the learner misses it."""
        for i in sorted(self.relevant):
            pair = indicator(self.n, {i}), +1
            while errs(learner, pair):
                yield pair


@dataclass(frozen=True)
class TightFit:
    """The greedy adversary against Winnow, of factor α and threshold θ, for the disjunction of the relevant variables.

    The proof of Winnow's bound, turned round. Consider the potential::

        Φ = α/((α − 1)θ) · Σ wᵢ  −  (1 + α) · Σ_{relevant} log_α wᵢ

    A promotion adds (α − 1)·(w·x) < (α − 1)θ to the weights and one at least to the logarithms: it costs more than 1. A
    demotion takes (1 − 1/α)·(w·x) from the weights, and no relevant one is among them: it costs w·x/θ, at least 1. From
    αn/((α − 1)θ) at the start, Φ cannot fall below what the r relevant weights alone leave at the end, promoted k times
    each; hence, for r < n (`th.bounds.winnow_disjunction`)::

        mistakes < αn/((α − 1)θ) + r·[(1 + α)k − α^{k+1}/((α − 1)θ)]

    So the adversary wants w·x as near to θ as it can be: just under it for a promotion of one relevant variable, just over
    it for a demotion. Where each weight is a whole multiple of the next smaller, as for α = 2, to take the heaviest that
    still fit is the best fit there is. Of the r + 1 tight examples the one is played that costs the least potential.
    Forces 20 mistakes of the 21 allowed at n = 16, r = 2, and 35 of 38 at n = 100, r = 2; 36 and 37 with `ahead` 2 and 3.

    `threshold` (None means n) and `factor` are the learner's own; its rule for ties is seen from what it predicts. `ahead`
    is how many rounds are tried before each choice.

    >>> import thresher as th
    >>> from thresher.adversaries import TightFit, force
    >>> learner = th.Winnow(16)
    >>> rounds = force(TightFit(16, {0, 1}), learner)
    >>> learner.mistakes, th.bounds.winnow_disjunction(2, n=16).at_most
    (20, 21)
    """

    n: int
    relevant: Set[int]
    threshold: float | None = None
    factor: float = 2.0
    ahead: int = 1

    def __post_init__(self) -> None:
        _check(self.n, self.relevant)
        if self.threshold is not None and not self.threshold >= 1:
            raise ParameterError(f"found threshold = {self.threshold}, expected None or a number of at least 1")
        if not self.factor > 1:
            raise ParameterError(f"found factor = {self.factor}, expected a number above 1")

    def against(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """One mistake after the other, until there is none left."""
        return Greedy(self.pool, self.potential, self.ahead).against(learner)

    def pool(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """For each relevant variable the tightest positive example, if it can be missed; and the tightest negative one."""
        w = weights_of(learner, self.n)
        others = sorted(set(range(self.n)) - self.relevant, key=lambda i: -w[i])
        alike = [list(group) for _, group in groupby(others, key=lambda i: w[i])]
        for i in sorted(self.relevant):
            yield self._just_under({i}, alike, learner), +1
        yield self._just_over(set(others), alike, learner), -1

    def potential(self, learner: WeightedLearner, /) -> float:
        """Φ: every mistake costs at least 1 of it."""
        w, threshold = weights_of(learner, self.n), self.n if self.threshold is None else self.threshold
        promotions = sum(math.log2(w[i]) for i in self.relevant) / math.log2(self.factor)  # exact for powers of 2
        return self.factor / ((self.factor - 1) * threshold) * math.fsum(w) - (1 + self.factor) * promotions

    def _just_under(self, on: set[int], alike: list[list[int]], learner: Learner[Vector]) -> Vector:
        """With the heaviest that can be turned on as well before the learner says +1."""
        return indicator(self.n, on | _heaviest(alike, lambda more: self._says(learner, on | more) == -1))

    def _just_over(self, on: set[int], alike: list[list[int]], learner: Learner[Vector]) -> Vector:
        """Without the heaviest that can be turned off before the learner says −1."""
        return indicator(self.n, on - _heaviest(alike, lambda fewer: self._says(learner, on - fewer) == +1))

    def _says(self, learner: Learner[Vector], on: set[int]) -> int:
        return learner.predict(indicator(self.n, on)).label


def _heaviest(alike: list[list[int]], fit: Callable[[set[int]], bool]) -> set[int]:
    """The heaviest first, while they fit. Of a group of equal weight any will do, and how many is found by bisection."""
    taken: set[int] = set()
    for group in alike:
        more = [taken | set(group[:count]) for count in range(len(group) + 1)]
        taken = more[bisect_left(more, True, lo=1, key=lambda together: not fit(together)) - 1]
    return taken


def _check(n: int, relevant: Set[int]) -> None:
    strangers = sorted(i for i in relevant if not 0 <= i < n)
    if strangers:
        raise ParameterError(f"found relevant variable {strangers[0]}, expected indices from 0 to {n - 1}")
