"""The largest margin: a weight vector that separates, how much more another could have, or a proof that there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from thresher._core import Frozen
from thresher.bounds.arguments import positive
from thresher.evaluate.parts import Examples
from thresher.hindsight.inseparable import Proof, contradiction, gordan
from thresher.hindsight.rows import MEMORY, Floats, Rows, Signed
from thresher.hindsight.soft import Dual, Soft, Work, descended
from thresher.hindsight.witness import compact, separator
from thresher.ledger import Separator
from thresher.linear import Perceptron

__all__ = ["FoundSeparator", "best_separator"]

_CALLED = "the u with the largest margin that was found in hindsight"
_NO_MARGIN = 2.0**-24  # of R: below it there is nothing to gain, and it is time to look for a proof
_PROGRAMS = 60
_PASSES = 20


@dataclass(frozen=True)
class FoundSeparator:
    """A separator with nearly the largest margin, and the interval that this one lies in.

    `margin` is min y·(u·x)/‖u‖ from below, and no u has more than `most`; both of the examples as the Perceptron sees them,
    whose largest ‖x‖ is `radius`.
    `witness` is None if no u was found that separates. `proof` holds rows, from 0, with whole coefficients above 0, whose sum
    of y·x is exactly zero: then nothing separates them, and `most` is 0. Without `witness` and `proof` it is not known, but no
    margin is above `most`.
    """

    witness: Separator | None
    margin: float
    most: float
    radius: float
    proof: Proof
    how: str
    passes: int

    @property
    def inseparable(self) -> bool:
        """Whether it is proven that nothing separates the examples."""
        return bool(self.proof)


def best_separator(
    examples: Examples, *, bias: float | None = None, normalize: bool = False, gap: float = 0.01, memory: int = MEMORY
) -> FoundSeparator:
    """The unit vector u with the largest min y·(u·x), to a part `gap`; arguments as for `best_hinge`.

    With z = y·x the program min ½‖v‖² subject to v·z ≥ 1 has ‖v‖ = 1/γ. It is made soft, ½‖v‖² + Σ max(0, 1 − v·z)²/2μ, and μ
    ever smaller. Any v has γ ≥ min z·v/‖v‖, and any α ≥ 0 proves γ ≤ ‖Σαz‖/Σα, for u·Σαz ≥ γΣα: both are rounded outward, the
    first by a pass of the ledger.

    Up to `memory` bytes of rows this is done on all of them. Of more, on a sample, to which each of a few passes adds the rows
    with the smallest margins; what α proves of some rows holds for all.

    >>> found = best_separator([([[2, 0], [0, 2], [3, 1], [1, 4]], [+1, -1, +1, -1])])
    >>> 1.40 < found.margin <= 2**0.5 <= found.most < 1.43
    True
    >>> best_separator([([[1, 1], [2, 0], [0, 1]], [+1, -1, -1])]).proof           # 2·(1, 1) = (2, 0) + 2·(0, 1)
    ((0, 2), (1, 1), (2, 2))
    """
    positive(gap=gap)
    rows = Rows(examples, lambda n: Perceptron(n, bias=bias, normalize=normalize), memory)
    radius = rows.signed.radius * rows.signed.scale
    if proof := contradiction(rows):
        return FoundSeparator(None, 0.0, 0.0, radius, proof, "a row of zeros, or an example with both labels", rows.passes)
    signed, work = rows.signed, Work()
    found = _hardest(signed, gap, work)
    for _ in range(_PASSES if rows.sampled else 0):
        low, worst = rows.lowest(found.v, 1.0)
        if (
            low * (1 + gap) >= found.most * float(np.linalg.norm(found.v))
            or found.most <= _NO_MARGIN * signed.radius
            or work.done
        ):
            break
        signed = signed.plus(worst)
        found = _hardest(signed, gap, work)
    proof = gordan(rows, signed, found.alpha) if found.margin <= 0.0 else ()
    witness, margin = separator(found.v, 1.0, rows, _CALLED), 0.0
    if found.margin > 0.0:
        frozen = Frozen(witness.u, witness.bias_weight, witness.margin)
        for rounds in rows.played():
            frozen.enter(rounds)
        margin = max(0.0, frozen.smallest_margin / frozen.norm * (1 - 2.0**-51)) if frozen.norm > 0.0 else 0.0
    return FoundSeparator(
        witness if margin > 0.0 else None,
        margin,
        0.0 if proof else found.most * rows.signed.scale,
        radius,
        proof,
        f"Newton's steps on {rows.how}",
        rows.passes,
    )


@dataclass(frozen=True)
class _Hard:
    """V, the α of its program, and the interval of the largest margin of the rows at hand."""

    v: Floats
    alpha: Floats
    margin: float
    most: float


def _hardest(signed: Signed, gap: float, work: Work) -> _Hard:
    """Programs that are ever less soft, until the interval is narrow or nothing is left of it."""
    columns, small = compact(signed)
    z, square = small.z, signed.radius * signed.radius
    width = max(1.0, z.shape[0] * square)
    v = np.zeros(z.shape[1])
    best = _Hard(v, np.ones(z.shape[0]), -math.inf, signed.radius)
    for _ in range(_PROGRAMS):
        soft = Soft(1.0, width, math.inf)
        v = descended(z, v, soft, min(0.02, gap / 2), work)
        norm, margins = float(np.linalg.norm(v)), z @ v
        dual, alpha = Dual(len(v)), soft.slopes(margins)
        dual.add(z, alpha)
        most = dual.length(small) / dual.size * (1 + 2.0**-50) if dual.size > 0.0 else math.inf
        margin = float(margins.min()) / norm if norm > 0.0 else 0.0
        better = best if margin <= best.margin else replace(best, v=v, margin=margin)
        best = better if most >= best.most else replace(better, alpha=alpha, most=most)
        if best.most <= max(_NO_MARGIN * signed.radius, (1 + 0.9 * gap) * best.margin) or work.done:
            break
        width /= 8
    wide = np.zeros(signed.z.shape[1])
    wide[columns] = best.v[: len(columns)]
    return replace(best, v=wide)
