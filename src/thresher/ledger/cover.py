"""Weights that are not negative as comparators of Winnow: fractional covers and linear thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from thresher import bounds
from thresher._core import LARGEST_VALUE, Round, Rounds, Sided, WinnowRule
from thresher.bounds import Certificate, Premise, Status
from thresher.bounds.printed import above, below
from thresher.bounds.rounding import winnow_rounding
from thresher.errors import ExampleError, ParameterError
from thresher.examples import numeric
from thresher.ledger.statement import Statement, certificate, known, played
from thresher.ledger.tally import Tally
from thresher.ledger.winnow import binary, winnow_statement
from thresher.parameters import number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Cover", "Threshold"]

_LARGEST_GAP = 1.0 - 2.0**-20  # a smaller δ asks for less, and this one's rounding is covered


class Cover:
    """The comparator μ ≥ 0 that covers: μ·x ≥ 1 on positive examples, and μ = 0 on what is on in a negative one.

    A fractional disjunction, and never worse than one: if of three attributes two are on in every positive example, ½ for
    each will do. μ is scaled so that it just covers; how it was found does not matter.

    >>> import thresher as th
    >>> ledger = th.Ledger(th.Cover([0.5, 0.5, 0.5, 0, 0, 0, 0, 0]))
    >>> X = [[1, 1, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0, 0], [0, 1, 1, 0, 1, 0, 0, 0]]
    >>> ledger.enter(th.Winnow(8).learn_many(X, [1, 0, 1]))
    >>> print(ledger.certificates()[0].bound)
    mistakes ≤ 15 by Winnow, cover
    """

    def __init__(self, mu: ArrayLike, *, called: str = "the μ that was given") -> None:
        self._mu = _weights(mu)
        self.called = called

    @property
    def mu(self) -> NDArray[np.float64]:
        """The weights, read-only."""
        return self._mu

    def watch(self) -> CoverWatcher:
        """A fresh watcher for one ledger."""
        return CoverWatcher(self)

    def __repr__(self) -> str:
        return f"Cover(<{len(self.mu)} weights>)"


class Threshold:
    """The comparator μ ≥ 0 with a gap: μ·x ≥ 1 on positive examples and μ·x ≤ 1 − δ on negative ones.

    Any μ and δ give valid bounds: what is missing is summed, A. On binary examples the theorem needs a factor below
    1/(1 − δ); the one for values between 0 and 1 takes any.

    >>> import thresher as th
    >>> two_of_three = th.Threshold([0.5, 0.5, 0.5, 0, 0], delta=0.5)
    >>> ledger = th.Ledger(two_of_three)
    >>> X = [[1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [0, 1, 1, 0, 0]] * 40
    >>> ledger.enter(th.Winnow(5, factor=1.25).learn_many(X, [1, 0, 1] * 40))
    >>> ledger.certificates()[0].verdict
    <Verdict.CERTIFIED: 'certified'>
    """

    def __init__(self, mu: ArrayLike, *, delta: float, called: str = "the μ that was given") -> None:
        self._mu = _weights(mu)
        self.called = called
        self.delta = number("delta", delta, "a number above 0 and at most 1")
        if not 0.0 < self.delta <= 1.0:
            raise ParameterError(f"found delta = {delta!r}, expected a number above 0 and at most 1")

    @property
    def mu(self) -> NDArray[np.float64]:
        """The weights, read-only."""
        return self._mu

    def watch(self) -> ThresholdWatcher:
        """A fresh watcher for one ledger."""
        return ThresholdWatcher(self)

    def __repr__(self) -> str:
        return f"Threshold(<{len(self.mu)} weights>, delta={self.delta!r})"


def _weights(mu: ArrayLike) -> NDArray[np.float64]:
    expected = "one weight for each attribute, none of them negative"
    try:
        weights = np.array(numeric(mu, "mu", expected), dtype=np.float64, ndmin=1)
    except ExampleError as error:
        raise ParameterError(str(error)) from None
    if weights.ndim != 1 or weights.size == 0:
        raise ParameterError(f"found mu of shape {weights.shape}, expected {expected}")
    if not (weights.min() >= 0.0 and weights.max() <= LARGEST_VALUE):
        raise ParameterError(f"found mu with weights from {weights.min():g} to {weights.max():g}, expected {expected}")
    weights.flags.writeable = False
    return weights


class _Watching:
    """What both watchers do: enter rounds into the core's sums."""

    def __init__(self, mu: NDArray[np.float64], below_this: float) -> None:
        self._mu = mu
        self._sided = Sided(mu, 0.0, 1.0, below_this)
        self._norm = float(mu.sum()) * (1 + (len(mu) + 2) * 2.0**-52)

    def enter(self, entered: Round | Rounds) -> Callable[[], None]:
        before = self._sided.sums

        def take_back() -> None:
            self._sided.sums = before

        self._sided.enter(entered)
        return take_back

    def _played(self, tally: Tally) -> tuple[Premise, ...]:
        unseen = "keep to what μ asks for"
        return played(tally, WinnowRule, called="Winnow", begins="weights 1", unseen=unseen)


class CoverWatcher(_Watching):
    """A cover at work."""

    def __init__(self, cover: Cover) -> None:
        super().__init__(cover.mu, 0.0)
        self._cover = cover

    def certificates(self, tally: Tally) -> list[Certificate]:
        """The cover's theorem, for Winnow's rounds."""
        rule, sided = tally.rule, self._sided
        if not isinstance(rule, WinnowRule):
            return []
        least = sided.lowest_positive if math.isfinite(sided.lowest_positive) else 1.0
        covers = least > 0.0
        norm = self._norm / least * (1 + 2.0**-50) if covers else self._norm
        n = len(self._mu)
        premises = (
            *self._played(tally),
            binary(sided),
            _seen("μ·x ≥ 1 on every positive round", covers, "" if covers else f"the least is {below(least)}"),
            _seen("μᵢ = 0 wherever xᵢ = 1 on a negative round", sided.highest_negative <= 0.0, ""),
        )
        numbers = {"norm": norm, "n": n, "strict": rule.strict}
        witness = f"{self._cover.called}, ‖μ‖₁ ≤ {above(norm)} when it just covers"
        made = winnow_statement(bounds.winnow_cover, numbers, witness, (), tally=tally, rule=rule, terms=sided.terms)
        return [certificate(tally, made, premises)]


class ThresholdWatcher(_Watching):
    """A threshold at work."""

    def __init__(self, threshold: Threshold) -> None:
        super().__init__(threshold.mu, 1.0 - threshold.delta)
        self._threshold = threshold
        self._entropy = _entropy_above(threshold.mu, self._norm)

    def certificates(self, tally: Tally) -> list[Certificate]:
        """Littlestone's theorem on binary examples, and the one by relative entropy on values between 0 and 1."""
        rule, sided, delta = tally.rule, self._sided, self._threshold.delta
        if not isinstance(rule, WinnowRule):
            return []
        n, errors = len(self._mu), sided.missing
        numbers = {"norm": self._norm, "delta": delta, "n": n, "errors": errors}
        witness = f"{self._threshold.called}, ‖μ‖₁ ≤ {above(self._norm)}; δ = {delta!r}; A ≤ {above(errors)} is missing"
        statements = []
        if Fraction(rule.factor) * (1 - Fraction(delta)) < 1:
            statements.append(
                winnow_statement(
                    bounds.winnow_threshold,
                    {**numbers, "factor": rule.factor},
                    witness,
                    (binary(sided),),
                    tally=tally,
                    rule=rule,
                    terms=sided.terms,
                )
            )
        gap = min(delta, _LARGEST_GAP)
        rounding = winnow_rounding(
            self._norm,
            n=n,
            delta=gap,
            threshold=rule.threshold,
            factor=rule.factor,
            mistakes=tally.rounds,  # in any order there are no more
            terms=sided.terms,
        )
        covered = math.isfinite(rounding) and known(tally, WinnowRule)
        entropy = {
            **numbers,
            "delta": gap,
            "entropy": self._entropy,
            "threshold": rule.threshold,
            "factor": rule.factor,
            "rounding": rounding if math.isfinite(rounding) else 2.0**-30,
        }
        premise = Premise(
            "the learner's rounding to float64 is covered",
            Status.CHECKED if covered else Status.ASSUMED,
            f"by a relative {above(entropy['rounding'])} of θ",
        )
        statements.append(Statement(bounds.winnow_entropy, entropy, witness, (premise,), any_order=True))
        return [certificate(tally, statement, self._played(tally)) for statement in statements]


def _entropy_above(mu: NDArray[np.float64], norm: float) -> float:
    """Σ μ ln μ from above, by so much that it also covers what ‖μ‖₁ was rounded up by: |ln c − 1| is below 64 for any c."""
    positive = mu[mu > 0.0]
    terms = positive * np.log(positive)
    slack = (len(mu) + 8) * 2.0**-50 * (float(np.abs(terms).sum()) + 64.0 * norm)
    least = norm * math.log(norm / len(mu)) if norm > 0.0 else 0.0  # of all μ with this norm
    return max(float(terms.sum()) + slack, least)


def _seen(statement: str, holds: bool, detail: str) -> Premise:
    return Premise(statement, Status.CHECKED if holds else Status.BROKEN, detail)
