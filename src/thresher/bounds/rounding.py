"""What float64 costs a theorem: the factor by which a bound on the Perceptron's norms must grow.

The theorems are about real numbers; the core's Perceptron rounds. Its theorem holds for the rounded run with R multiplied by
the factor here, about 1 + 5·10⁻¹⁰ at a million rounds of a hundred terms. docs/rounding.md has the proof.
"""

from __future__ import annotations

import math

__all__ = ["balanced_winnow_rounding", "margin_perceptron_rounding", "perceptron_factor", "winnow_rounding"]


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


def margin_perceptron_rounding(margin: float, *, updates: int, terms: int) -> float:
    """The relative error r of a Margin Perceptron that computes in float64, as `bounds.margin_perceptron_recursion` takes it.

    >>> 0 < margin_perceptron_rounding(0.1, updates=1000, terms=100) < 1e-9
    True
    """
    g = (terms + 32) * 2.0**-50
    return min(1.0, (2 * g + 2.0**-50 * (updates + 8)) / (margin * margin))


def balanced_winnow_rounding(*, mistakes: int, terms: int, eta: float) -> float:
    """How far the normalised w·x of a Balanced Winnow may be off in float64, as `bounds.balanced_winnow` takes it.

    >>> 0 < balanced_winnow_rounding(mistakes=1000, terms=100, eta=0.1) < 1e-11
    True
    """
    return (terms + 64) * 2.0**-50 + (1 + eta) * (mistakes + 1) * 2.0**-50


def winnow_rounding(norm: float, *, n: int, delta: float, threshold: float, factor: float, mistakes: int, terms: int) -> float:
    """The part of θ by which a Winnow on values between 0 and 1 may be off in float64, as `bounds.winnow_entropy` takes it.

    Infinite for δ = 1, where the proof does not reach.

    >>> 0 < winnow_rounding(2.0, n=100, delta=0.5, threshold=100.0, factor=1.25, mistakes=1000, terms=20) < 1e-9
    True
    """
    if delta == 1.0:
        return math.inf
    kept = (factor - 1) / factor * threshold
    most_c = kept / (math.log(factor) * (1 - delta))
    weights = n + factor * threshold * (mistakes + 1)
    return (terms + 32) * 2.0**-50 + 2.0**-43 * (weights + most_c * norm) / kept
