"""The convex program behind every separator that is found: a soft margin, smoothed, and solved by Newton's steps.

With rows z = y·x, P(v) = λ/2·‖v‖² + Σ h(1 − v·z), where h(t) is 0 for t ≤ 0, then t²/2μ, and from t = cap·μ on the line that
continues it, of slope `cap`. With cap = 1 and μ → 0 it is the hinge loss, with cap = ∞ and μ → 0 the hard margin. The slopes
α = h′(1 − v·z) are a point of the dual: what they prove holds whatever found v, and takes one pass and no memory for α.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thresher.hindsight.rows import Floats, Signed

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

__all__ = ["Dual", "Soft", "Work", "descended"]

_U = 2.0**-53
_STEPS = 40
_CONJUGATE = 250  # directions in one step: a step that falls short is made up for by the next


class Soft(NamedTuple):
    """What a program is made of, beside its rows."""

    weight: float  # λ
    width: float  # μ
    cap: float = 1.0

    def slopes(self, margins: Floats) -> Floats:
        """α, one for each row with this v·z."""
        return np.clip((1.0 - margins) / self.width, 0.0, self.cap)


class Work:
    """How much may still be done, in nonzeros multiplied: the same on every machine, where a clock is not."""

    def __init__(self, left: float = 4e9) -> None:
        self.left = left

    def product(self, z: csr_matrix | csc_matrix, v: Floats) -> Floats:
        """z·v, which is work."""
        self.left -= z.nnz
        return np.asarray(z @ v, dtype=np.float64)

    @property
    def done(self) -> bool:
        """Whether it is time to be content with what was found."""
        return self.left <= 0.0


class Dual:
    """Σα and Σαz for some α ≥ 0, summed block by block."""

    def __init__(self, columns: int) -> None:
        self.rows = 0
        self._size = 0.0
        self._vector = np.zeros(columns)

    def add(self, z: csr_matrix, alpha: Floats) -> None:
        """Adds the rows of a block."""
        self.rows += len(alpha)
        self._size += float(alpha.sum())
        self._vector += z.T @ alpha

    @property
    def vector(self) -> Floats:
        """Σαz, rounded."""
        return self._vector

    @property
    def size(self) -> float:
        """Σα, from below."""
        return self._size * (1 - (self.rows + 8) * 2 * _U)

    def length(self, signed: Signed) -> float:
        """‖Σαz‖, from above.

        A component is off by (2T + 8)·u·Σα|zᵢ| from sums and products, and by (2·terms + 32)·u·Σα|zᵢ| where rows were divided
        by their norms; both together by Minkowski's inequality by that part of R·Σα. Underflow is 2^-1000 at most for each.
        """
        computed = float(np.linalg.norm(self._vector)) * (1 + (len(self._vector) + 8) * 2 * _U)
        return (computed + self._slack(signed) * (signed.radius + signed.terms * 2.0**-1000)) * (1 + 4 * _U)

    def height(self, signed: Signed) -> float:
        """The largest component of Σαz in size, from above, off by as much as that part of Σα, as no |zᵢ| is above 1."""
        computed = float(np.abs(self._vector).max(initial=0.0))
        return (computed + self._slack(signed)) * (1 + 4 * _U)

    def _slack(self, signed: Signed) -> float:
        return (2 * self.rows + 4 * signed.terms + 64) * 2 * _U * self._size * (1 + (self.rows + 8) * 2 * _U)


def descended(z: csr_matrix, v: Floats, soft: Soft, precision: float, work: Work) -> Floats:
    """A v with ‖∇P(v)‖ ≤ precision·λ‖v‖, from here; or as near as some forty of Newton's steps come, or the work that is left.

    Each step solves (λI + Σ zzᵀ/μ) d = −∇P by conjugate gradients, over the rows where h is curved, and goes as far along d
    as P falls.
    """
    margins = work.product(z, v)
    for _ in range(_STEPS):
        slopes = soft.slopes(margins)
        gradient = soft.weight * v - work.product(z.T, slopes)
        if float(np.linalg.norm(gradient)) <= precision * soft.weight * float(np.linalg.norm(v)) or work.done:
            break
        curved = z[np.flatnonzero((slopes > 0.0) & (slopes < soft.cap))]
        direction = _newton(curved, soft, -gradient, work)
        along = work.product(z, direction)
        step = _step(soft, margins, along, float(v @ direction), float(direction @ direction))
        if step == 0.0:
            break  # rounding has the last word
        v = v + step * direction
        margins = work.product(z, v)
    return v


def _newton(curved: csr_matrix, soft: Soft, b: Floats, work: Work) -> Floats:
    """A d with (λI + Σ zzᵀ/μ) d ≈ b, to a tenth, the sum over these rows."""
    d, rest = np.zeros_like(b), b.copy()
    p, square = rest.copy(), float(rest @ rest)
    enough = 0.01 * square
    for _ in range(_CONJUGATE):
        if not square > enough or work.done:
            break
        q = soft.weight * p + work.product(curved.T, work.product(curved, p)) / soft.width
        length = square / float(p @ q)
        d += length * p
        rest -= length * q
        before, square = square, float(rest @ rest)
        p = rest + (square / before) * p
    return d


def _step(soft: Soft, margins: Floats, along: Floats, inner: float, square: float) -> float:
    """How far to go: to where the slope of P along the direction is a tenth of what it is here, or less. P is convex."""

    def slope(step: float) -> float:
        return soft.weight * (inner + step * square) - float(soft.slopes(margins + step * along) @ along)

    here = slope(0.0)
    if not here < 0.0:
        return 0.0
    low, high, step = 0.0, math.inf, 1.0
    for _ in range(60):
        there = slope(step)
        if abs(there) <= 0.1 * abs(here):
            return step
        if there < 0.0:
            low = step
        else:
            high = step
        step = 2 * step if math.isinf(high) else (low + high) / 2
    return low
