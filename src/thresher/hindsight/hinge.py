"""The weights and the margin for which the Perceptron's bound is least, on examples that nothing need separate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from thresher.bounds import Certificate, perceptron_distance, perceptron_hinge
from thresher.bounds.arguments import positive, whole
from thresher.evaluate.parts import Examples
from thresher.hindsight.margins import Margins
from thresher.hindsight.rows import MEMORY, Floats, Rows, Signed
from thresher.hindsight.soft import Dual, Soft, Work, descended
from thresher.hindsight.witness import ROUNDING, compact, made, separator, theorem
from thresher.ledger import Separator
from thresher.linear import Perceptron

__all__ = ["FoundHinge", "best_hinge"]

_PROGRAMS = 60
_NARROWEST = 2.0**-30
_NOTHING = 2.0**-400
_SOFT = 0.25
_CALLED = "the u and γ with the least bound that was found in hindsight"


@dataclass(frozen=True)
class FoundHinge:
    """A separator whose distance bound for the Perceptron is near the least that any u and γ give.

    `certificate` holds the theorem against a Perceptron's pass over these examples, in any order of them; its bound is
    `bound`. No u and γ has a bound below `least`. `how` says what was done, `passes` how often the examples were read.
    """

    witness: Separator
    certificate: Certificate
    least: float
    how: str
    passes: int

    @property
    def bound(self) -> float:
        """At most so many mistakes, in any order of the rows."""
        return self.certificate.bound.value


def best_hinge(
    examples: Examples,
    *,
    bias: float | None = None,
    normalize: bool = False,
    gap: float = 0.01,
    memory: int = MEMORY,
    passes: int = 20,
) -> FoundHinge:
    """The u and γ with the least ((R‖u‖ + √(R²‖u‖² + 4γD))/2γ)², D = Σ max(0, γ − y·(u·x)), of all u and γ together.

    `examples` can be read again: a list of pairs (X, y), or a function that gives them, or batches of a stream, anew. `bias`
    and `normalize` are those of the Perceptron. It stops when the bound is within a part `gap` of what is proven to be least.

    With v = u/γ and H = D/γ the bound is s² for the s with H + sR‖v‖ = s². So the least bound is s² for the least s with
    min H(v) + sR‖v‖ ≤ s²: a convex program for each s. Where v solves it, v also has the least λ/2·‖v‖² + H for λ = sR/‖v‖; and
    the next s is that of v. The dual proves how near it is: any 0 ≤ α ≤ 1 has s² ≥ A·min(1, A·R²/G²), A = Σα, G = ‖Σαz‖, for
    s² = H + sR‖v‖ ≥ Σα(1 − v·z) + sR‖v‖ ≥ A + (sR − G)‖v‖, and as much for α made smaller by a factor. Nor is any bound below
    the mistakes that were made.

    Up to `memory` bytes of rows this is done on all of them. Of more, a sample gives a first v, and some `passes` over all rows
    better ones, in memory for a few vectors like v: each has the slopes of the program, the margins of all rows, rounded down
    to half a percent, so the best γ for this v, and a dual. In a last pass the ledger checks the bound, as always.

    >>> X, y = [[1, 0], [0, 1]] * 50, [+1, -1] * 45 + [-1, +1] * 5
    >>> found = best_hinge([(X, y)])
    >>> found.certificate
    <certificate: certified: 3 of at most 27 mistakes in 100 rounds by Perceptron, distance>
    >>> found.least <= found.bound <= 1.01 * found.least
    True
    """
    positive(gap=gap)
    whole(0, passes=passes)
    rows = Rows(examples, lambda n: Perceptron(n, bias=bias, normalize=normalize), memory)
    columns, signed = compact(rows.signed)
    swept = _sweep(signed, gap)
    v, gamma, least = np.zeros(rows.signed.z.shape[1]), 1.0, swept.least
    v[columns] = swept.v
    if rows.sampled:
        passed = _on_all(rows, v, passes, gap)
        v, gamma, least = passed.v, passed.gamma, passed.least
    witness = separator(v, gamma, rows, _CALLED)
    certificate = theorem(rows.held(witness)[0], perceptron_distance)
    how = f"Newton's steps on {rows.how}{', then passes over all' if rows.sampled else ''}"
    return FoundHinge(witness, certificate, max(least, made(certificate, ROUNDING)), how, rows.passes)


@dataclass(frozen=True)
class _Swept:
    """A v at γ = 1, its bound and what no other's is below, as far as the rows at hand tell, and the program that gave it."""

    v: Floats
    bound: float
    least: float
    soft: Soft


def _sweep(signed: Signed, gap: float) -> _Swept:
    """Programs with a λ that follows from the last solution, ever less smooth."""
    rounds = signed.z.shape[0] * signed.each
    dual = Dual(signed.z.shape[1])
    dual.add(signed.z, np.ones(signed.z.shape[0]))
    v, width = dual.vector, 1.0
    best = _Swept(np.zeros_like(v), rounds, _floor(dual, signed, signed.each), Soft(1.0, width))
    length = float(np.linalg.norm(v))
    if not length > _NOTHING:
        return best
    v, bound = _scaled(signed, v / length)
    weight, work = math.inf, Work()
    for _ in range(_PROGRAMS):
        before, weight = weight, math.sqrt(min(bound, best.bound)) * signed.radius / float(np.linalg.norm(v)) / signed.each
        if abs(weight - before) <= 0.1 * weight:
            width /= 4
        soft = Soft(weight, width)
        v = descended(signed.z, v, soft, min(0.02, gap / 2), work)
        dual = Dual(len(v))
        dual.add(signed.z, soft.slopes(signed.z @ v))
        v, bound = _scaled(signed, v)
        least = max(best.least, _floor(dual, signed, signed.each))
        best = _Swept(v, bound, least, soft) if bound < best.bound else replace(best, least=least)
        if best.bound <= (1 + 0.9 * gap) * least or width < _NARROWEST or work.done:
            break
    return best


def _scaled(signed: Signed, v: Floats) -> tuple[Floats, float]:
    """V itself or the multiple whose bound at γ = 1 is least, as far as a histogram tells; and that bound."""
    margins, of_rows, norm = Margins(), signed.z @ v, float(np.linalg.norm(v))
    margins.add(of_rows)
    likely, _ = margins.best(norm=norm, radius=signed.radius, each=signed.each)

    def bound(gamma: float) -> float:
        hinge = signed.each * float(np.maximum(0.0, 1.0 - of_rows / gamma).sum())
        return perceptron_hinge(hinge, norm=norm / gamma, radius=signed.radius).value

    gamma = min((1.0, likely), key=bound)
    return v / gamma, bound(gamma)


def _floor(dual: Dual, signed: Signed, each: float) -> float:
    """What no bound is below, from A from below, G from above and R from below."""
    size, length = each * dual.size, each * dual.length(signed)
    if not (math.isfinite(size) and math.isfinite(length)):
        return 0.0
    share = 1.0 if length == 0.0 else min(1.0, size / length * (signed.inner / length) * signed.inner)
    return size * share * (1 - 2.0**-50)


class _Passes:
    """The program over all rows, of which not all are kept: its value and slope at v, in one pass, and what that pass proves.

    `v`, with margin `gamma`, has the least bound of those that were tried.
    """

    def __init__(self, rows: Rows, v: Floats) -> None:
        self._rows, self._start = rows, v
        self.v, self.gamma, self.bound, self.least = np.zeros_like(v), 1.0, float(rows.rounds), 0.0
        self._soft = Soft(1.0, _SOFT)
        self.at(v)

    def tuned(self) -> Floats:
        """The λ that belongs to the best v so far from now on; and this v, scaled to γ = 1."""
        v = self.v / self.gamma if self.v.any() else self._start
        norm = float(np.linalg.norm(v))
        self._soft = Soft(math.sqrt(self.bound) * self._rows.signed.radius / norm if norm > 0.0 else 1.0, _SOFT)
        return v

    def at(self, v: Floats) -> tuple[float, Floats]:
        """P(v) and its slope."""
        margins, dual, value = Margins(), Dual(len(v)), self._soft.weight / 2 * float(v @ v)
        for some in self._rows.blocks():
            of_rows = some.z @ v
            alpha = self._soft.slopes(of_rows)
            margins.add(of_rows)
            dual.add(some.z, alpha)
            value += float(alpha @ (1.0 - of_rows - self._soft.width / 2 * alpha))
        gamma, bound = margins.best(norm=float(np.linalg.norm(v)), radius=self._rows.signed.radius, each=1.0)
        self.least = max(self.least, _floor(dual, self._rows.signed, 1.0))
        if bound < self.bound:
            self.v, self.gamma, self.bound = v.copy(), gamma, bound
        return value, self._soft.weight * v - dual.vector


def _on_all(rows: Rows, v: Floats, passes: int, gap: float) -> _Passes:
    """From this v on, by about so many passes of a quasi-Newton method over all rows, with λ tuned on half the way."""
    from scipy.optimize import minimize

    made = _Passes(rows, v)
    for budget in (passes // 2, passes - passes // 2):
        if budget and made.bound > (1 + gap) * made.least:
            minimize(made.at, made.tuned(), jac=True, method="L-BFGS-B", options={"maxfun": budget})
    return made
