"""Against Winnow: the relevant variables one by one, examples that fit just under the threshold or just over, wrong labels."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from thresher.adversaries.adversary import Pair, Vector, WeightedLearner, check_counts, errs, indicator, weights_of
from thresher.adversaries.greedy import Greedy
from thresher.errors import ParameterError
from thresher.protocol import Learner

#: Below this a weight is as good as none: Winnow's own never come near, those of others may be 0 or less.
_LIGHTEST = 2.0**-200

__all__ = ["AttributeErrors", "OneByOne", "TightFit"]


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
    still fit is the best fit there is. Of the tight examples the one is played that costs the least potential.
    Forces 20 mistakes of the 21 allowed at n = 16, r = 2, and 35 of 38 at n = 100, r = 2; 37 with `ahead` = 2.

    With `least` = s the target is "at least s of the relevant variables", a linear threshold μ = 1/s with δ = 1/s
    (`th.bounds.winnow_threshold`). Then positive examples have s relevant variables and negative ones at most s − 1; and
    with b = (1 + α)/(1 − (1 − δ)α) the same argument holds, by its proof, for::

        Φ = α(1 + b(1 − δ))/((α − 1)θ) · Σ wᵢ  −  b · Σ_{relevant} log_α wᵢ/s

    At n = 128, 2 of 4 and α = 1 + δ/2 that forces 0.62 of the bound, and 0.89 of the one by relative entropy.

    `threshold` (None means n) and `factor` are the learner's own, α < 1/(1 − δ); its rule for ties is seen from what it
    predicts. `ahead` is how many rounds are tried before each choice.

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
    least: int = 1

    def __post_init__(self) -> None:
        _check(self.n, self.relevant)
        check_counts(1, least=self.least)
        if self.threshold is not None and not self.threshold >= 1:
            raise ParameterError(f"found threshold = {self.threshold}, expected None or a number of at least 1")
        if not self.factor > 1:
            raise ParameterError(f"found factor = {self.factor}, expected a number above 1")
        if not self.factor * (1 - 1 / self.least) < 1:
            most = self.least / (self.least - 1)
            raise ParameterError(f"found factor = {self.factor}, expected one below {most:g} for at least {self.least}")

    def against(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """One mistake after the other, until there is none left."""
        return Greedy(self.pool, self.potential, self.ahead).against(learner)

    def pool(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """Tight positive examples of relevant variables that are about equally heavy, and tight negative ones."""
        w = weights_of(learner, self.n)
        others = set(range(self.n)) - self.relevant
        for some in _alike(self.relevant, self.least, w):
            yield _just_under(some, others, learner, self.n), +1
        for few in range(min(self.least, len(self.relevant) + 1)):
            for some in _alike(self.relevant, few, w):
                yield _just_over(some, others, learner, self.n), -1

    def potential(self, learner: WeightedLearner, /) -> float:
        """Φ: every mistake costs at least 1 of it."""
        w, threshold = weights_of(learner, self.n), self.n if self.threshold is None else self.threshold
        promotions = sum(math.log2(max(_LIGHTEST, w[i])) for i in self.relevant) / math.log2(
            self.factor
        )  # exact for powers of 2
        missed = 1 - 1 / self.least
        each = (1 + self.factor) / (1 - missed * self.factor)
        paid = self.factor * (1 + each * missed) / ((self.factor - 1) * threshold)
        return paid * math.fsum(w) - each * promotions / self.least


@dataclass(frozen=True)
class AttributeErrors:
    """The tight fits against Winnow, and when none is left a label that the disjunction does not give: so many times.

    One attribute error each: +1 for variables of which none is relevant, as many as the learner does not yet find positive, or
    −1 for one relevant variable alone; whichever costs less of Φ (`TightFit`). An error gives Φ back the 1 + α that a
    promotion of a relevant variable costs, so that 1 + α mistakes more can be had of it, as the bound says
    (`th.bounds.winnow_agnostic`)::

        mistakes < αn/((α − 1)θ) + (1 + α)(rk + A)

    Forces 98 mistakes of the 103 allowed at n = 128, r = 2 and A = 20.

    >>> import thresher as th
    >>> from thresher.adversaries import AttributeErrors, force
    >>> learner = th.Winnow(16)
    >>> rounds = force(AttributeErrors(16, {0, 1}, 20), learner)
    >>> learner.mistakes, th.bounds.winnow_agnostic(2, errors=20, n=16).at_most
    (80, 85)
    """

    n: int
    relevant: Set[int]
    errors: int

    def __post_init__(self) -> None:
        _check(self.n, self.relevant)
        check_counts(0, errors=self.errors)

    def against(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """One mistake after the other, against Winnow of factor 2 and threshold n."""
        fit = TightFit(self.n, self.relevant)
        yield from fit.against(learner)
        for _ in range(self.errors):
            yield from islice(Greedy(self.wrong, fit.potential).against(learner), 1)
            yield from fit.against(learner)

    def wrong(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """The labels that are one attribute wrong."""
        yield _just_under(set(), set(range(self.n)) - self.relevant, learner, self.n), +1
        for i in sorted(self.relevant):
            yield indicator(self.n, {i}), -1


def _alike(some: Set[int], count: int, w: NDArray[np.float64]) -> Iterator[set[int]]:
    """So many of them whose weights are next to each other."""
    order = sorted(some, key=lambda i: (w[i], i))
    return (set(order[start : start + count]) for start in range(len(order) - count + 1 if count else 1))


def _groups(some: Set[int], w: NDArray[np.float64]) -> list[list[int]]:
    """The heaviest first, those of equal weight together."""
    return [list(group) for _, group in groupby(sorted(some, key=lambda i: -w[i]), key=lambda i: w[i])]


def _just_under(on: Set[int], others: Set[int], learner: WeightedLearner, n: int) -> Vector:
    """With the heaviest of the others that can be turned on as well before the learner says +1."""
    groups = _groups(others, weights_of(learner, n))
    return indicator(n, on | _heaviest(groups, lambda more: learner.predict(indicator(n, on | more)).label == -1))


def _just_over(on: Set[int], others: Set[int], learner: WeightedLearner, n: int) -> Vector:
    """With all the others but the heaviest, which can be turned off before the learner says −1."""
    groups, full = _groups(others, weights_of(learner, n)), on | others
    return indicator(n, full - _heaviest(groups, lambda fewer: learner.predict(indicator(n, full - fewer)).label == +1))


def _heaviest(alike: list[list[int]], fit: Callable[[set[int]], bool]) -> set[int]:
    """The heaviest first, while they fit. Of a group of equal weight any will do, and how many is found by bisection."""
    taken: set[int] = set()
    for group in alike:
        counts = range(1, len(group) + 1)
        taken |= set(group[: bisect_left(counts, True, key=lambda count: not fit(taken | set(group[:count])))])
    return taken


def _check(n: int, relevant: Set[int]) -> None:
    strangers = sorted(i for i in relevant if not 0 <= i < n)
    if strangers:
        raise ParameterError(f"found relevant variable {strangers[0]}, expected indices from 0 to {n - 1}")
