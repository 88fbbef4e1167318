"""What float64 costs a theorem: the factor by which a bound on the Perceptron's norms must grow.

The theorems are about real numbers; the core's Perceptron rounds. Let u = 2⁻⁵³, g = (terms + 16)·2⁻⁵², T the rounds, and
for a normalised Perceptron q = g, else q = 0 (the step and its products are then exact). On each mistake

- the computed score has the wrong sign or is 0, so y·(w·x) ≤ g·‖w‖·R + a, with a = terms·2⁻¹⁰⁰⁰ for underflow;
- the new weights are w + y·x + d with ‖d‖ ≤ u·‖w'‖·(1 + 2u) + q·R.

Hence ‖w'‖² ≤ (1 + u)²·(‖w‖² + R²·(1 + 8(g + q)√T + 2a/R² + q²)) as long as ‖w‖ ≤ 2R√T, and so ‖w‖ ≤ ρR√M after M ≤ T
mistakes with ρ² = (1 + u)^{2T}·(1 + 8(g + q)√T + 2a/R² + q²), which must not exceed 4. On the other side v·w falls short of
Σ v·z by at most ‖v‖·Σ‖d‖ ≤ ‖v‖·R·√M·(1.01·u·ρ·T + q·√T). Put together: the theorem holds for the rounded run with R
multiplied by ρ(1 + 2uT) + q√T. At a million rounds of a hundred terms that is 1 + 5·10⁻¹⁰.
"""

from __future__ import annotations

import math

__all__ = ["perceptron_factor"]


def perceptron_factor(radius: float, *, rounds: int, terms: int, normalize: bool) -> float:
    """By how much R grows for a Perceptron that computes in float64; infinite where the proof does not reach.

    >>> 1 < perceptron_factor(1.0, rounds=1_000_000, terms=100, normalize=False) < 1 + 1e-9
    True
    """
    u, root = 2.0**-53, math.sqrt(rounds)
    g = (terms + 16) * 2.0**-52
    q = g if normalize else 0.0
    underflow = terms * 2.0**-1000 / radius / radius if radius > 0.0 else math.inf if terms else 0.0
    rho = (1 + 2 * u * rounds) * math.sqrt(1 + 8 * (g + q) * root + 2 * underflow + q * q)
    if rho > 2.0:
        return math.inf
    return (rho * (1 + 2 * u * rounds) + q * root) * (1 + 2.0**-50)
