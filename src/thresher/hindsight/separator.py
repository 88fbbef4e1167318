"""The largest margin: a weight vector that separates, how much more another could have, or a proof that there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from thresher._core import Frozen
from thresher.bounds.arguments import positive
from thresher.hindsight.inseparable import Proof, contradiction, gordan
from thresher.hindsight.rows import MEMORY, Examples, Floats, Rows, Signed
from thresher.hindsight.soft import Dual, Soft, descended
from thresher.hindsight.witness import compact, separator
from thresher.ledger import Separator

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["FoundSeparator", "best_separator"]

_CALLED = "the u with the largest margin that was found in hindsight"
_NO_MARGIN = 2.0**-24  # of R: below it there is nothing to gain, and it is time to look for a proof
_PROGRAMS = 60
_PASSES = 20


@dataclass(frozen=True)
class FoundSeparator:
    """A separator with nearly the largest margin, and the interval that this one lies in.

    `margin` is min y·(u·x)/‖u‖ from below, and no u has more than `most`; both of the examples as the Perceptron sees them.
    `witness` is None if no u was found that separates. `proof` holds rows, from 0, with whole coefficients above 0, whose sum
    of y·x is exactly zero: then nothing separates them, and `most` is 0. Without `witness` and `proof` it is not known, but no
    margin is above `most`.
    """

    witness: Separator | None
    margin: float
    most: float
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
    rows = Rows(examples, bias=bias, normalize=normalize, memory=memory)
    if proof := contradiction(rows):
        return FoundSeparator(None, 0.0, 0.0, proof, "a row of zeros, or an example with both labels", rows.passes)
    signed = rows.signed
    found = _hardest(signed, gap)
    for _ in range(_PASSES if rows.sampled else 0):
        low, worst = _worst(rows, found.v, memory)
        if low * (1 + gap) >= found.most or found.most <= _NO_MARGIN * signed.radius:
            break
        signed = _joined(signed, worst)
        found = _hardest(signed, gap)
    proof = gordan(rows, signed, found.alpha) if found.margin <= 0.0 else ()
    witness, margin = separator(found.v, 1.0, rows, _CALLED), 0.0
    if found.margin > 0.0:
        frozen = Frozen(witness.u, witness.bias_weight, witness.margin)
        for rounds in rows.played(rows.perceptron()):
            frozen.enter(rounds)
        margin = max(0.0, frozen.smallest_margin / frozen.norm * (1 - 2.0**-51)) if frozen.norm > 0.0 else 0.0
    return FoundSeparator(
        witness if margin > 0.0 else None,
        margin,
        0.0 if proof else found.most * rows.signed.scale,
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


def _hardest(signed: Signed, gap: float) -> _Hard:
    """Programs that are ever less soft, until the interval is narrow or nothing is left of it."""
    columns, small = compact(signed)
    z, square = small.z, signed.radius * signed.radius
    width = max(1.0, z.shape[0] * square)
    v = np.zeros(z.shape[1])
    best = _Hard(v, np.ones(z.shape[0]), -math.inf, math.inf)
    for _ in range(_PROGRAMS):
        soft = Soft(1.0, width, math.inf)
        v = descended(z, v, soft, min(0.02, gap / 2))
        norm, margins = float(np.linalg.norm(v)), z @ v
        dual, alpha = Dual(len(v)), soft.slopes(margins)
        dual.add(z, alpha)
        most = dual.length(small) / dual.size * (1 + 2.0**-50) if dual.size > 0.0 else math.inf
        margin = float(margins.min()) / norm if norm > 0.0 else 0.0
        better = best if margin <= best.margin else replace(best, v=v, margin=margin)
        best = better if most >= best.most else replace(better, alpha=alpha, most=most)
        if best.most <= max(_NO_MARGIN * signed.radius, (1 + 0.9 * gap) * best.margin):
            break
        width /= 8
    wide = np.zeros(signed.z.shape[1])
    wide[columns] = best.v[: len(columns)]
    return replace(best, v=wide)


def _worst(rows: Rows, v: Floats, memory: int) -> tuple[float, tuple[csr_matrix, NDArray[np.int64]]]:
    """The smallest margin z·v/‖v‖ of all rows, and the rows with the smallest, of each block its share."""
    from scipy.sparse import vstack

    low, start = math.inf, 0
    kept, numbers = [], []
    most = max(1, memory // (64 * max(1, rows.signed.terms)))  # at a time: a few of them will do
    for z in rows.blocks():
        margins = z @ v
        chosen = np.argsort(margins, kind="stable")[: max(1, most * len(margins) // rows.rounds)]
        chosen = chosen[margins[chosen] < 1.0]
        kept.append(z[chosen])
        numbers.append(start + chosen.astype(np.int64))
        low, start = min(low, float(margins.min())), start + len(margins)
    norm = float(np.linalg.norm(v))
    stacked = cast("csr_matrix", vstack(kept, format="csr"))
    return low / norm if norm > 0.0 else -math.inf, (stacked, np.concatenate(numbers))


def _joined(signed: Signed, more: tuple[csr_matrix, NDArray[np.int64]]) -> Signed:
    """The rows with these added that are not among them."""
    from scipy.sparse import vstack

    new = ~np.isin(more[1], signed.numbers)
    z = cast("csr_matrix", vstack([signed.z, more[0][new]], format="csr"))
    return replace(signed, z=z, numbers=np.concatenate([signed.numbers, more[1][new]]))
