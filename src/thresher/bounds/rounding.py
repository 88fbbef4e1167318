"""What float64 costs a theorem: the factor by which a bound on the Perceptron's norms must grow.

The theorems are about real numbers; the core's Perceptron rounds. Its theorem holds for the rounded run with R multiplied by
the factor here, about 1 + 5·10⁻¹⁰ at a million rounds of a hundred terms. docs/rounding.md has the proof.
"""

from __future__ import annotations

import math

__all__ = ["perceptron_factor"]


def perceptron_factor(radius: float, *, rounds: int, terms: int, normalize: bool) -> float:
    """By how much R grows for a Perceptron that computes in float64; infinite where the proof does not reach.

    >>> 1 < perceptron_factor(1.0, rounds=1_000_000, terms=100, normalize=False) < 1 + 1e-9
    True
    """
    u, root = 2.0**-53, math.sqrt(rounds)  # the proof's names
    g = (terms + 16) * 2.0**-52
    q = g if normalize else 0.0
    underflow = terms * 2.0**-1000 / radius / radius if radius > 0.0 else math.inf if terms else 0.0
    rho = (1 + 2 * u * rounds) * math.sqrt(1 + 8 * (g + q) * root + 2 * underflow + q * q)
    if rho > 2.0:
        return math.inf
    return (rho * (1 + 2 * u * rounds) + q * root) * (1 + 2.0**-50)
