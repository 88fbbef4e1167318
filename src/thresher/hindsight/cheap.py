"""Witnesses that cost two or three passes, whatever the size of a stream: the weights that a learner ends with.

Nothing is kept of the examples but a few numbers for each attribute. What is found is checked as everything is; it may be far
from the best, and of the best nothing is known but what the learner's own mistakes prove.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._core import LARGEST_VALUE, Frozen, Rounds
from thresher.bounds import perceptron_distance
from thresher.bounds.winnow import most_promotions
from thresher.errors import ExampleError
from thresher.evaluate.parts import Examples, Part, parts
from thresher.hindsight.disjunction import FoundDisjunction, tighter
from thresher.hindsight.hinge import FoundHinge
from thresher.hindsight.margins import Margins
from thresher.hindsight.rows import held, lengths
from thresher.hindsight.separator import FoundSeparator
from thresher.hindsight.sum_margin import FoundSumMargin
from thresher.hindsight.witness import ROUNDING, made, theorem
from thresher.ledger import Disjunction, Separator
from thresher.linear import AROW, AveragedPerceptron, BalancedWinnow, LinearLearner, Perceptron, Winnow

__all__ = ["cheap_disjunction", "cheap_hinge", "cheap_separator", "cheap_sum_margin"]

_U = 2.0**-53
_SPREADS = (1.0, 10.0, 100.0)  # r of AROW
_RATES = (0.5, 0.1, 0.02)  # η of Balanced Winnow

Counts = NDArray[np.int64]


def cheap_hinge(examples: Examples, *, bias: float | None = None, normalize: bool = False) -> FoundHinge:
    """A u and γ for the Perceptron's distance bound, in three passes; arguments as for `best_hinge`.

    In the first pass the Perceptron, its average, and AROW at three rates learn side by side; u is what one of them ends with.
    The second counts the margins y·(u·x) of each, rounded down to edges that are half a percent apart: so D, the sum of
    max(0, γ − y·(u·x)), is known for every γ at once, and the u and γ with the least bound. In the third the ledger checks it.

    No u and γ has a bound below `least`, the mistakes that were made but for rounding: each of these bounds holds for them.

    >>> X, y = [[1, 0], [0, 1]] * 50, [+1, -1] * 45 + [-1, +1] * 5
    >>> found = cheap_hinge([(X, y)])
    >>> found.certificate
    <certificate: certified: 3 of at most 27 mistakes in 100 rounds by Perceptron, distance>
    >>> round(found.least, 3), found.how, found.passes
    (3.0, 'the weights after one pass of AROW(r=1.0)', 3)
    """
    run = _Run(examples, lambda n: _additive(n, bias, normalize))
    tried = run.units
    counted = [Margins() for _ in tried]
    columns, biases = np.array([each.u for each in tried]).T, np.array([each.bias_weight for each in tried]) * (bias or 0.0)
    for part in parts(examples) if tried else ():
        x, signs = part.matrix(), np.where(part.positive(), 1.0, -1.0) / run.radius
        if normalize:
            signs /= np.hypot(lengths(x), bias or 0.0)
        for margins, scores in zip(counted, (x @ columns + biases).T, strict=True):
            margins.add(signs * scores)
    gammas = [margins.best(norm=1.0, radius=1.0, each=1.0) for margins in counted]
    witness = Separator(np.zeros(run.n), called="the u of zeros")
    if tried:
        best = min(range(len(tried)), key=lambda k: gammas[k][1])
        gamma = gammas[best][0] * run.radius
        if 1 / LARGEST_VALUE <= gamma <= LARGEST_VALUE:
            unit = tried[best]
            witness = Separator(unit.u, bias_weight=unit.bias_weight, margin=gamma, called=unit.called)
    certificate = theorem(held(run.again(), witness)[0], perceptron_distance)
    return FoundHinge(witness, certificate, made(certificate, ROUNDING), witness.called, 3)


def cheap_separator(examples: Examples, *, bias: float | None = None, normalize: bool = False) -> FoundSeparator:
    """What the learners of `cheap_hinge` end one pass with, checked in a second; arguments as for `best_separator`.

    No margin is above `most`, which is ‖Σy·x‖/M, the sum over the M mistakes of the Perceptron, rounded outward: a unit vector
    u with margin γ has u·Σy·x ≥ γM. If none of them separates, it is not known whether anything does.

    >>> found = cheap_separator([([[2, 0], [0, 2], [3, 1], [1, 4]] * 9, [+1, -1, +1, -1] * 9)])
    >>> 0.0 < found.margin <= 2**0.5 <= found.most
    True
    """
    run = _Run(examples, lambda n: _additive(n, bias, normalize))
    witness, margin = run.checked(lambda witness: witness.norm(2.0))
    most = min(run.radius, run.most(lambda w: _length(w) * (1 + (len(w) + 8) * 2 * _U)))
    return FoundSeparator(witness, margin, most, run.radius, (), _how(witness), 2)


def cheap_sum_margin(examples: Examples, *, bias: float | None = None) -> FoundSumMargin:
    """What Balanced Winnow ends one pass with, at three rates side by side, or the Perceptron; checked in a second pass.

    As `best_sum_margin`, of examples with values from −1 to 1. No margin is above `most`, which is maxᵢ |Σy·xᵢ|/M, the sum over
    the M mistakes of the Perceptron, rounded outward.

    >>> found = cheap_sum_margin([([[1, 1, 0], [-1, 0, 1], [1, 0, 0], [-1, 1, 1]] * 5, [+1, -1, +1, -1] * 5)])
    >>> 0.4 < found.margin <= 1.0 <= found.most
    True
    """
    largest = abs(bias or 0.0)

    def measured(part: Part) -> None:
        nonlocal largest
        largest = max(largest, float(np.abs(part.matrix().data).max(initial=0.0)))

    run = _Run(examples, lambda n: _multiplicative(n, bias), measured)
    witness, margin = run.checked(lambda witness: witness.sum_of_sizes)
    most = min(largest, run.most(lambda w: float(np.abs(w).max())))
    return FoundSumMargin(witness, margin, most, largest, _how(witness), 2)


def cheap_disjunction(
    examples: Examples, *, threshold: float | None = None, factor: float = 2.0, strict: bool = False
) -> FoundDisjunction:
    """The heaviest attributes of Winnow after one pass, as many as make the bound least; arguments as for `best_disjunction`.

    The first pass also counts in how many positive and negative examples each attribute is on: p and q. In the second each
    positive example is counted at the heaviest of its attributes. So A is known for the r heaviest, for every r at once: the
    positive examples whose heaviest comes later, and the negative ones of each of the r. As much is counted by p/(k + q), what
    an attribute covers for what it costs, and among the attributes that are never on in a negative example: the heaviest of
    these, up to the last one that is needed, fit, if any do. In the third pass the ledger checks the best of each.

    No set of attributes has a bound below `least`, the mistakes that were made.

    >>> X = [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 0]] * 20
    >>> found = cheap_disjunction([(X, [1, 1, 0, 1, 0] * 20)])
    >>> found.certificate, found.witness, found.consistent
    (<certificate: certified: 6 of at most 9 mistakes in 100 rounds by Winnow, disjunction>, Disjunction(4, <x0 or x1>), True)
    """
    counts: dict[bool, Counts] = {}

    def counted(part: Part) -> None:
        x, positive = part.matrix(), part.positive()
        for label in (True, False):
            np.add.at(counts.setdefault(label, np.zeros(part.n, np.int64)), x[positive == label].indices, 1)

    run = _Run(examples, lambda n: [Winnow(n, threshold=threshold, factor=factor, strict=strict)], counted)
    positives, negatives, weights = counts[True], counts[False], run.learners[0].weights
    on = np.flatnonzero(positives)
    heavy = on[np.lexsort((-positives[on], negatives[on], -weights[on]))]
    k = most_promotions(run.n if threshold is None else threshold, factor, strict)
    worthy = on[np.argsort(-positives[on] / (k + negatives[on]), kind="stable")] if k else heavy
    alone = heavy[negatives[heavy] == 0]
    at_heavy, at_worthy, at_alone = _first(examples, (heavy, worthy, alone), run.n)
    found = {
        "the heaviest attributes after one pass of Winnow": _cheapest(heavy, k, at_heavy, negatives),
        "the attributes that cover the most for what they cost": _cheapest(worthy, k, at_worthy, negatives),
    }
    uncovered = int(at_alone[-1])
    if not uncovered:
        needed = 1 + int(np.flatnonzero(at_alone).max(initial=-1))
        found["the heaviest attributes that are never on in a negative example"] = alone[:needed]
    witnesses = [Disjunction(run.n, chosen, called=called) for called, chosen in found.items()]
    witness, certificate = tighter(witnesses, held(run.again(), *witnesses))
    return FoundDisjunction(witness, certificate, made(certificate), len(alone), uncovered, witness.called, 3)


class _Run:
    """One pass by some learners side by side, and what it measures of the examples as the first of them sees them."""

    def __init__(
        self,
        examples: Examples,
        learners: Callable[[int], Sequence[LinearLearner]],
        also: Callable[[Part], None] | None = None,
    ) -> None:
        self._examples, self._make = examples, learners
        self.learners: Sequence[LinearLearner] = ()
        self.n, self.radius = 0, 0.0
        self._terms, self._weighted = 0, False
        for part in parts(examples):
            if not self.learners:
                self.n, self.learners = part.n, learners(part.n)
                measures = Frozen(np.zeros(self.n), 0.0, 1.0)
            first, *_ = [learner.learn_many(part.X, part.y, part.weights) for learner in self.learners]
            measures.enter(first)
            self.radius, self._terms = measures.largest_norm, measures.terms
            self._weighted |= part.weights is not None and bool(np.any(np.asarray(part.weights) != 1.0))
            if also is not None:
                also(part)
        if not self.learners:
            raise ExampleError("found no examples, expected one at least")

    def again(self) -> Iterator[Rounds]:
        """The rounds of the first learner in one more pass."""
        learner = self._make(self.n)[0]
        for part in parts(self._examples):
            yield learner.learn_many(part.X, part.y, part.weights)

    @property
    def units(self) -> list[Separator]:
        """What the learners ended with, divided by its norm, but for those that have zeros alone."""
        found = []
        for learner in self.learners:
            norm = _length(_with_bias(learner))
            if 0.0 < norm < math.inf:
                called = f"the weights after one pass of {_name(learner)}"
                found.append(Separator(learner.weights / norm, bias_weight=learner.bias_weight / norm, called=called))
        return found

    def checked(self, size: Callable[[Separator], float]) -> tuple[Separator | None, float]:
        """The one with the largest min y·(u·x)/size, from below, by the core's sums in one more pass; if it separates."""
        witnesses = self.units
        frozen = [Frozen(witness.u, witness.bias_weight, witness.margin) for witness in witnesses]
        for rounds in self.again():
            for each in frozen:
                each.enter(rounds)
        margins = [each.smallest_margin / size(witness) for each, witness in zip(frozen, witnesses, strict=True)]
        margin, k = max(((margin * (1 - 2.0**-50), k) for k, margin in enumerate(margins)), default=(0.0, 0))
        return (witnesses[k], margin) if margin > 0.0 else (None, 0.0)

    def most(self, size: Callable[[NDArray[np.float64]], float]) -> float:
        """size(Σy·x)/M over the M mistakes of the first learner, a Perceptron, from above: w is this sum.

        Each of the M additions, and each division of a row by its norm, is off by as much as `Dual.length` says.
        """
        learner = self.learners[0]
        if learner.mistakes == 0 or self._weighted:
            return math.inf
        slack = (2 * learner.mistakes + 4 * self._terms + 64) * 2 * _U * self.radius
        return (size(_with_bias(learner)) / learner.mistakes + slack) * (1 + 8 * _U)


def _additive(n: int, bias: float | None, normalize: bool) -> list[LinearLearner]:
    seen: dict[str, Any] = {"bias": bias, "normalize": normalize}
    return [Perceptron(n, **seen), AveragedPerceptron(n, **seen), *(AROW(n, r=r, bias=bias) for r in _SPREADS)]


def _multiplicative(n: int, bias: float | None) -> list[LinearLearner]:
    return [Perceptron(n, bias=bias), *(BalancedWinnow(n, eta=eta, bias=bias) for eta in _RATES)]


def _name(learner: LinearLearner) -> str:
    """What it is called, with the number that it is tried with."""
    tried = {name: value for name, value in learner._arguments().items() if name in ("r", "eta")}
    return type(learner).__name__ + "".join(f"({name}={value})" for name, value in tried.items())


def _with_bias(learner: LinearLearner) -> NDArray[np.float64]:
    return np.append(learner.weights, learner.bias_weight)


def _length(weights: NDArray[np.float64]) -> float:
    """The norm, but for rounding, of weights of any size."""
    largest = float(np.abs(weights).max())
    return largest * float(np.linalg.norm(weights / largest)) if 0.0 < largest < math.inf else largest


def _how(witness: Separator | None) -> str:
    return "the weights of learners after one pass, none of which separate" if witness is None else witness.called


def _cheapest(order: NDArray[np.intp], k: int, at: Counts, negatives: Counts) -> NDArray[np.intp]:
    """The first r of an order, for the r with the least r·k + A."""
    costs = k * np.arange(len(at)) + np.cumsum(at[::-1])[::-1] + np.append(0, np.cumsum(negatives[order]))
    return order[: int(costs.argmin())]


def _first(examples: Examples, orders: Iterable[NDArray[np.intp]], n: int) -> list[Counts]:
    """For each order of attributes, how many positive examples have each as the first of theirs; last, how many have none."""
    ranks, found = [], []
    for order in orders:
        ranks.append(np.full(n, len(order)))
        ranks[-1][order] = np.arange(len(order))
        found.append(np.zeros(len(order) + 1, np.int64))
    for part in parts(examples):
        x = part.matrix()[part.positive()]
        filled = np.flatnonzero(np.diff(x.indptr))
        for rank, count in zip(ranks, found, strict=True):
            count[-1] += x.shape[0] - len(filled)
            if len(filled):
                np.add.at(count, np.minimum.reduceat(rank[x.indices], x.indptr[filled]), 1)
    return found
