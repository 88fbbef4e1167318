"""From what a solver found, in its own scale and columns, to a comparator; and the theorem that speaks of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher._core import LARGEST_VALUE
from thresher.bounds import Bound, Certificate, Verdict
from thresher.hindsight.rows import Floats, Rows, Signed, power_of_two
from thresher.ledger import Separator

__all__ = ["ROUNDING", "compact", "made", "separator", "theorem"]

#: More than what covers a Perceptron's rounding in its bounds, as a part of them.
ROUNDING = 2.0**-20


def compact(signed: Signed) -> tuple[NDArray[np.int64], Signed]:
    """The columns that hold anything, and the rows with these alone."""
    from scipy.sparse import csr_matrix

    columns, indices = np.unique(signed.z.indices, return_inverse=True)
    z = csr_matrix((signed.z.data, indices.astype(np.int32), signed.z.indptr), shape=(signed.z.shape[0], max(1, len(columns))))
    return columns.astype(np.int64), replace(signed, rows=signed.rows._replace(z=z))


def separator(v: Floats, margin: float, rows: Rows, called: str) -> Separator:
    """V with this margin on rows that were divided by `scale`, as a comparator of the rows as they are.

    u = v and γ = margin·scale, or both times a power of two, if that is out of the range of a comparator; if there is none for
    rows so small, the comparator that says nothing.
    """
    gamma, factor = margin * rows.signed.scale, 1.0
    if gamma < 1 / LARGEST_VALUE:
        factor = power_of_two(1 / LARGEST_VALUE / gamma)
    elif gamma > LARGEST_VALUE:
        factor = 1 / power_of_two(gamma / LARGEST_VALUE)
    u = v * factor
    if not float(np.abs(u).max(initial=0.0)) <= LARGEST_VALUE:
        return Separator(np.zeros(rows.n), called=called)
    return Separator(
        u[: rows.n], bias_weight=float(u[rows.n]) if len(u) > rows.n else 0.0, margin=gamma * factor, called=called
    )


def theorem(certificates: Sequence[Certificate], wanted: Callable[..., Bound]) -> Certificate:
    """The certificate of this theorem that is no diagnostic."""
    call = f"th.bounds.{wanted.__name__}("
    return next(each for each in certificates if each.verify.startswith(call) and not each.diagnostic)


def made(certificate: Certificate, rounding: float = 0.0) -> float:
    """The mistakes that were made: no witness has a bound below them by a theorem whose other premises were seen to hold.

    But for a part `rounding`, by which a learner that adds in float64 may make more of them than one that rounds nothing.
    """
    return float(certificate.count) * (1.0 - rounding) if certificate.verdict is Verdict.CERTIFIED else 0.0
