"""The largest margin for multiplied weights: u measured by the sum of its sizes, examples by their largest value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._core import Frozen
from thresher.bounds.arguments import positive
from thresher.evaluate.parts import Examples
from thresher.hindsight.rows import MEMORY, Floats, Rows, Signed
from thresher.hindsight.soft import Dual
from thresher.hindsight.witness import separator
from thresher.ledger import Separator
from thresher.linear import Perceptron

__all__ = ["FoundSumMargin", "best_sum_margin"]

_CALLED = "the u with the largest margin for ‖u‖₁ = 1 that was found in hindsight"
_PROGRAMS = 40
_LARGEST_PROGRAM = 5000  # rows and columns: beyond, what was found will do
_MORE = 500  # rows, and columns, that a program may grow by
_NO_MARGIN = 2.0**-24
_SECONDS = 5.0  # for one program; one that takes longer is the last


@dataclass(frozen=True)
class FoundSumMargin:
    """A separator with nearly the largest min y·(u·x)/‖u‖₁, and the interval that this one lies in.

    `margin` is that of the witness, from below, and no u has more than `most`. `radius` is the largest |xᵢ|, so that
    margin/radius is the γ of Balanced Winnow's theorem for examples divided by it. `witness` is None, and `margin` 0, if no u
    was found that separates.
    """

    witness: Separator | None
    margin: float
    most: float
    radius: float
    how: str
    passes: int

    @property
    def eta(self) -> float | None:
        """The best rate of a Balanced Winnow on these examples divided by `radius`: artanh of its margin there."""
        share = self.margin / self.radius if self.radius > 0.0 else 0.0
        return math.atanh(min(share, 1 - 2.0**-20)) if share > 0.0 else None


def best_sum_margin(
    examples: Examples, *, bias: float | None = None, gap: float = 0.01, memory: int = MEMORY
) -> FoundSumMargin:
    """The u with ‖u‖₁ = 1 and the largest min y·(u·x), to a part `gap`; arguments as for `best_hinge`.

    With z = y·x, a linear program: the largest γ with u·z ≥ γ. It begins with a few rows and columns, and grows: by the rows
    that its solution falls short of, and by the columns that its dual does. Any u has γ ≥ min z·u/‖u‖₁, and any α ≥ 0 proves
    γ ≤ maxᵢ |Σαzᵢ|/Σα, of all columns: both are rounded outward, the first by the core's sums in one pass.

    >>> found = best_sum_margin([([[1, 1, 0], [-1, 0, 1], [1, 0, 0], [-1, 1, 1]] * 5, [+1, -1, +1, -1] * 5)])
    >>> found.witness.u.tolist(), round(found.margin, 6), round(found.most, 6)
    ([1.0, 0.0, 0.0], 1.0, 1.0)
    """
    positive(gap=gap)
    rows = Rows(examples, lambda n: Perceptron(n, bias=bias), memory)
    signed = rows.signed
    total = Dual(signed.z.shape[1])
    total.add(signed.z, np.ones(signed.z.shape[0]))
    columns = _largest(np.abs(total.vector), _MORE)
    _, some = rows.lowest(total.vector, math.inf, most=_MORE)
    best, margin, most = np.zeros(signed.z.shape[1]), -math.inf, min(signed.largest, _ratio(total, signed))
    working = replace(signed, rows=some)
    for _ in range(_PROGRAMS):
        u, alpha = _program(working, columns)
        dual = Dual(len(u))
        dual.add(working.z, alpha)
        most = min(most, _ratio(dual, signed))
        size = float(np.abs(u).sum())
        smallest, worst = rows.lowest(u, math.inf, most=_MORE)
        if size > 0.0 and smallest / size > margin:
            best, margin = u / size, smallest / size
        grown, wider = working.plus(worst), np.union1d(columns, _largest(np.abs(dual.vector), _MORE))
        stuck = grown.z.shape[0] == working.z.shape[0] and len(wider) == len(columns)
        if most <= max(_NO_MARGIN, (1 + 0.9 * gap) * margin) or stuck or grown.z.shape[0] + len(wider) > _LARGEST_PROGRAM:
            break
        working, columns = grown, wider
    return _checked(rows, best, margin, most)


def _ratio(dual: Dual, signed: Signed) -> float:
    return dual.height(signed) / dual.size * (1 + 2.0**-50) if dual.size > 0.0 else math.inf


def _largest(sizes: Floats, most: int) -> NDArray[np.intp]:
    """Where the largest are, without zeros; at least one."""
    filled = np.flatnonzero(sizes) if sizes.any() else np.arange(1)
    return np.sort(filled[np.argsort(-sizes[filled], kind="stable")[: max(1, most)]])


def _program(working: Signed, columns: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """The u on these columns and the α on these rows that the linear program has; nothing, if the solver gives up."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    z = working.z[:, columns]
    rows, k = z.shape
    at_most: Any = csr_array(hstack([-z, z, csr_array(np.ones((rows, 1)))]))  # the types of linprog know dense ones alone
    solved = linprog(
        np.append(np.zeros(2 * k), -1.0),
        A_ub=at_most,
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(2 * k), 0.0)[np.newaxis],
        b_eq=[1.0],
        bounds=[*[(0.0, None)] * (2 * k), (None, None)],
        method="highs",
        options={"time_limit": _SECONDS},
    )
    u = np.zeros(working.z.shape[1])
    if solved.status != 0 or solved.x is None:
        return u, np.zeros(rows)
    u[columns] = np.asarray(solved.x[:k]) - np.asarray(solved.x[k : 2 * k])
    return u, np.maximum(-np.asarray(solved.ineqlin.marginals, dtype=np.float64), 0.0)


def _checked(rows: Rows, u: Floats, margin: float, most: float) -> FoundSumMargin:
    """What one more pass says of u."""
    witness, sure = separator(u, 1.0, rows, _CALLED), 0.0
    if margin > 0.0 and witness.sum_of_sizes > 0.0:
        frozen = Frozen(witness.u, witness.bias_weight, witness.margin)
        for rounds in rows.played():
            frozen.enter(rounds)
        sure = max(0.0, frozen.smallest_margin / witness.sum_of_sizes * (1 - 2.0**-51))
    return FoundSumMargin(
        witness=witness if sure > 0.0 else None,
        margin=sure,
        most=most * rows.signed.scale,
        radius=rows.signed.largest * rows.signed.scale,
        how=f"linear programs on {rows.how}",
        passes=rows.passes,
    )
