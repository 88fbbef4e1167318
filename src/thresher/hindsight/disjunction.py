"""Disjunctions and fractional covers for Winnow, found after the fact."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.bounds import Certificate, Status, winnow_agnostic, winnow_cover, winnow_disjunction
from thresher.bounds.winnow import most_promotions
from thresher.evaluate.parts import Examples
from thresher.hindsight.attributes import Market, cheapest, fractions
from thresher.hindsight.rows import MEMORY, Floats, Rows, Some
from thresher.hindsight.witness import made, theorem
from thresher.ledger import Cover, Disjunction
from thresher.linear import Winnow

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["FoundCover", "FoundDisjunction", "best_cover", "best_disjunction", "tighter"]

_PASSES = 20
_WORKING = 20_000  # positive rows of a program at first


@dataclass(frozen=True)
class FoundDisjunction:
    """Attributes whose disjunction makes Winnow's bound small, and what is known of those that would make it smaller.

    `certificate` holds Winnow's theorem against its pass over these examples: that of consistent labels, or of attribute
    errors. By neither does any set of attributes have a bound below `least`. `candidates` counts the attributes that are on in
    some positive example and in no negative one, `uncovered` the positive examples without any of these: no disjunction fits
    them.
    """

    witness: Disjunction
    certificate: Certificate
    least: float
    candidates: int
    uncovered: int
    how: str
    passes: int

    @property
    def bound(self) -> float:
        """At most so many mistakes, in any order of the rows."""
        return self.certificate.bound.value

    @property
    def consistent(self) -> bool:
        """Whether a disjunction fits every example; the witness need not be it, if another has a smaller bound."""
        return self.uncovered == 0

    @property
    def errors(self) -> float:
        """A: how many attributes would have to change for the witness to fit."""
        return self.certificate.numbers.get("errors", 0.0)


@dataclass(frozen=True)
class FoundCover:
    """A fractional cover with a small ‖μ‖₁, or None if there is none: `uncovered` positive examples have no attribute for it.

    `norm` is ‖μ‖₁ when it just covers, from above, and no cover has less than `least`. `certificate` holds Winnow's theorem
    against its pass over these examples.
    """

    witness: Cover | None
    certificate: Certificate | None
    least: float
    candidates: int
    uncovered: int
    how: str
    passes: int

    @property
    def norm(self) -> float:
        """‖μ‖₁ when it just covers, from above; infinite if nothing covers."""
        return math.inf if self.certificate is None else self.certificate.numbers["norm"]


def best_disjunction(
    examples: Examples,
    *,
    threshold: float | None = None,
    factor: float = 2.0,
    strict: bool = False,
    memory: int = MEMORY,
) -> FoundDisjunction:
    """The attributes S with the least r·k + A, for Winnow's bound M < αn/((α − 1)θ) + (1 + α)(rk + A).

    θ, α and `strict` are Winnow's, k is how often a weight can be promoted, A counts the positive examples without any
    attribute of S and, of each negative one, those of S that are on. So an attribute costs k and the negative examples in which
    it is on, a positive example costs 1 unless it is covered: a greedy choice, a linear program, and branch and bound, where
    programs of this size can be solved. If there are disjunctions that fit every example, the shortest that was found
    competes, with its sharper theorem.

    Any S has a valid bound, and the ledger counts A in a last pass. `least` is the smaller of what the two theorems leave. From
    fines y ≤ 1 of the positive examples, where those of any attribute add up to no more than what it costs, rk + A ≥ Σy for
    every S. And where some S fits, from fines y ≥ 0 that add up to at most 1 for any attribute that is never on in a negative
    example, r ≥ Σy for every S that fits, and r ≤ s, the number of these attributes. The sharper bound is linear in r < n: so
    none is below its values at ⌈Σy⌉ and at s, or at n − 1 and n if s = n. Nor is any below the
    mistakes that were made.

    Of examples that exceed `memory`, the counts of attributes are those of all rows, and the choice that of a sample.

    >>> X = [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 0]] * 20
    >>> found = best_disjunction([(X, [1, 1, 0, 1, 0] * 20)])
    >>> found.witness, found.consistent
    (Disjunction(4, <x0 or x1>), True)
    >>> found.certificate
    <certificate: certified: 6 of at most 9 mistakes in 100 rounds by Winnow, disjunction>
    """
    rows = Rows(examples, lambda n: Winnow(n, threshold=threshold, factor=factor, strict=strict), memory)
    counted = _Counted(rows)
    k = most_promotions(rows.n if threshold is None else threshold, factor, strict)
    prices, each = k + counted.negatives, rows.signed.each
    columns = np.flatnonzero(counted.positives > prices)
    market = Market(counted.on(columns), prices[columns], each)
    chosen, least = cheapest(market)
    found, floors = [columns[chosen]], []
    numbers: dict[str, Any] = {"n": rows.n, "threshold": threshold, "factor": factor, "strict": strict}
    if not counted.uncovered:
        fits, fewest = _consistent(rows, counted)
        found.append(fits)
        most = int(np.count_nonzero(counted.negatives == 0.0))
        sizes = {_whole(fewest), most, max(_whole(fewest), min(most, rows.n - 1))}
        floors = [winnow_disjunction(r, **numbers).value for r in sizes]
    witnesses = [Disjunction(rows.n, chosen.tolist(), called="the disjunction found in hindsight") for chosen in found]
    witness, certificate = tighter(witnesses, rows.held(*witnesses))
    floors.append(winnow_agnostic(0, errors=_whole(least / each), **numbers).value)
    return FoundDisjunction(
        witness=witness,
        certificate=certificate,
        least=max(min(floors), made(certificate)),
        candidates=len(counted.candidates),
        uncovered=counted.uncovered,
        how=f"{'linear programs' if least > 0.0 else 'a greedy choice'} on {rows.how}",
        passes=rows.passes,
    )


def best_cover(
    examples: Examples,
    *,
    threshold: float | None = None,
    factor: float = 2.0,
    strict: bool = False,
    memory: int = MEMORY,
) -> FoundCover:
    """The μ ≥ 0 with the least ‖μ‖₁ that has μ·x ≥ 1 on positive examples, and μᵢ = 0 wherever xᵢ = 1 in a negative one.

    A linear program, first with some of the positive examples and then with those that its solution falls short of, pass by
    pass. Its dual proves `least`: fines y ≥ 0 of the positive examples where those of any attribute add up to at most 1 have
    Σy ≤ ‖μ‖₁ for every cover. Never larger than the number of attributes of a disjunction that fits.

    >>> X = [[1, 1, 0, 0, 1], [0, 1, 1, 0, 0], [1, 0, 1, 0, 1], [0, 0, 0, 1, 1]] * 20
    >>> found = best_cover([(X, [1, 1, 1, 0] * 20)])
    >>> found.witness.mu.round(6).tolist(), round(found.norm, 6), round(found.least, 6)
    ([0.5, 0.5, 0.5, 0.0, 0.0], 1.5, 1.5)
    """
    rows = Rows(examples, lambda n: Winnow(n, threshold=threshold, factor=factor, strict=strict), memory)
    counted = _Counted(rows)
    mu, least = np.zeros(rows.n), 0.0
    if not counted.uncovered:
        mu, least = _fractional(rows, counted)
    witness = Cover(mu, called="the μ found in hindsight")
    certificate = theorem(rows.held(witness)[0], winnow_cover)
    covered = not any(premise.status is Status.BROKEN and premise.statement.startswith("μ") for premise in certificate.premises)
    return FoundCover(
        witness=witness if covered else None,
        certificate=certificate if covered else None,
        least=least if not counted.uncovered else math.inf,
        candidates=len(counted.candidates),
        uncovered=counted.uncovered,
        how=f"linear programs on {rows.how}",
        passes=rows.passes,
    )


class _Counted:
    """In how many positive and negative examples each attribute is on, and what follows for disjunctions that fit all."""

    def __init__(self, rows: Rows) -> None:
        self._kept = rows.signed.rows
        self.positives, self.negatives = np.zeros(rows.n), np.zeros(rows.n)
        for some in rows.blocks():
            self.positives += np.bincount(some.where(some.positive).z.indices, minlength=rows.n)
            self.negatives += np.bincount(some.where(~some.positive).z.indices, minlength=rows.n)
        self.candidates = np.flatnonzero((self.positives > 0.0) & (self.negatives == 0.0))
        mask = self.indicator(self.candidates)
        self.uncovered = sum(int(np.count_nonzero(_pattern(_plus(some)) @ mask == 0.0)) for some in rows.blocks())

    def indicator(self, slots: NDArray[np.intp]) -> Floats:
        """1 for each of these, else 0."""
        made = np.zeros(len(self.positives))
        made[slots] = 1.0
        return made

    def on(self, columns: NDArray[np.intp], rows: Some | None = None) -> csr_matrix:
        """Which of these attributes are on in the positive rows that were kept, or are given."""
        return _pattern(_plus(self._kept if rows is None else rows))[:, columns]


def _plus(some: Some) -> Some:
    return some.where(some.positive)


def _pattern(some: Some) -> csr_matrix:
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(some.z.nnz), some.z.indices, some.z.indptr), shape=some.z.shape)


def _whole(least: float) -> int:
    """The least whole number that is not below it, but for the last digits of a sum."""
    return math.ceil(least * (1 - 2.0**-40))


def _consistent(rows: Rows, counted: _Counted) -> tuple[NDArray[np.intp], float]:
    """A short disjunction of candidates that covers the positive rows: those kept, and then those that it left out.

    And how many attributes any such one has at least.
    """
    working, chosen, fewest = rows.signed, counted.candidates, 0.0
    for _ in range(_PASSES):
        market = Market(counted.on(counted.candidates, working.rows), np.ones(len(counted.candidates)), math.inf)
        picked, least = cheapest(market)
        chosen, fewest = counted.candidates[picked], max(fewest, least)
        if not rows.sampled:
            break
        smallest, missing = rows.lowest(counted.indicator(chosen), 2.0**-60, among=lambda some: some.positive)
        if smallest > 0.0:
            break
        working = working.plus(missing)
    return chosen, fewest


def _fractional(rows: Rows, counted: _Counted) -> tuple[Floats, float]:
    """A cover and what none is smaller than, from programs with ever more rows."""
    mu, floor, enough = counted.indicator(counted.candidates), 0.0, (1 - 1e-9) / rows.signed.scale
    positive = rows.signed.rows.where(np.flatnonzero(rows.signed.rows.positive)[:_WORKING])
    working = replace(rows.signed, rows=positive)
    for _ in range(_PASSES):
        market = Market(counted.on(counted.candidates, working.rows), np.ones(len(counted.candidates)), math.inf)
        shares, proven = fractions(market)
        if not shares.any():
            break
        found, floor = np.zeros(rows.n), max(floor, proven)
        found[counted.candidates] = shares
        least, missing = rows.lowest(found, enough, among=lambda some: some.positive)
        if least > 0.0:
            mu = found
        if least >= enough:
            break
        working = working.plus(missing)
    return mu, floor


def tighter(witnesses: list[Disjunction], proven: list[list[Certificate]]) -> tuple[Disjunction, Certificate]:
    """Of what is proven with each of these, by either theorem, the certificate with the least bound, and its witness."""
    kinds = winnow_agnostic, winnow_disjunction
    found = [(witness, theorem(some, kind)) for witness, some in zip(witnesses, proven, strict=True) for kind in kinds]
    return min(found, key=lambda each: (_broken(each[1]), each[1].bound.value))


def _broken(certificate: Certificate) -> int:
    return sum(premise.status is Status.BROKEN for premise in certificate.premises)
