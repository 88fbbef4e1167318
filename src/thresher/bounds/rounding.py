"""What float64 costs a theorem: the factor by which a bound on the Perceptron's norms must grow.

The theorems are about real numbers; the core's Perceptron rounds. Its theorem holds for the rounded run with R multiplied by
the factor here, about 1 + 5·10⁻¹⁰ at a million rounds of a hundred terms. docs/rounding.md has the proof.
"""

from __future__ import annotations

import math

__all__ = [
    "adahedge_rounding",
    "aggregating_rounding",
    "balanced_winnow_rounding",
    "fixed_share_rounding",
    "hedge_rounding",
    "log_rounding",
    "loss_stretch",
    "majority_rounding",
    "margin_perceptron_rounding",
    "multiclass_factor",
    "p_norm_factor",
    "passive_aggressive_rounding",
    "perceptron_factor",
    "sleeping_rounding",
    "winnow_rounding",
]


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


def multiclass_factor(radius: float, *, rounds: int, terms: int) -> float:
    """By how much R grows for a multiclass Perceptron that computes in float64; infinite where the proof does not reach.

    >>> 1 < multiclass_factor(1.0, rounds=1_000_000, terms=100) < 1 + 1e-6
    True
    """
    u, g = 2.0**-53, (terms + 16) * 2.0**-52
    underflow = terms * 2.0**-1000 / radius / radius if radius > 0.0 else math.inf if terms else 0.0
    drift = 4.1 * u * rounds * math.sqrt(rounds)  # of the sum of all classes' weights, which is zero without rounding
    rho = (1 + 2 * u * rounds) * math.sqrt(1 + 8 * g * math.sqrt(rounds) + 2 * underflow + drift)
    return math.inf if rho > 2.0 else rho * (1 + 2 * u * rounds) * (1 + 2.0**-50)


def margin_perceptron_rounding(margin: float, *, updates: int, terms: int) -> float:
    """The relative error r of a Margin Perceptron that computes in float64, as `bounds.margin_perceptron_recursion` takes it.

    >>> 0 < margin_perceptron_rounding(0.1, updates=1000, terms=100) < 1e-9
    True
    """
    g = (terms + 32) * 2.0**-50
    return min(1.0, (2 * g + 2.0**-50 * (updates + 8)) / (margin * margin))


def p_norm_factor(radius: float, *, p: float, rounds: int, terms: int) -> float:
    """By how much Xₚ grows for a p-norm Perceptron that computes in float64; infinite where the proof does not reach.

    >>> 1 < p_norm_factor(1.0, p=20, rounds=1_000_000, terms=100) < 1 + 1e-8
    True
    """
    u, g = 2.0**-53, (terms + p + 2048) * 2.0**-52
    rho = (1 + 4 * u * rounds) * math.sqrt(1 + 4 * g * math.sqrt(rounds))
    if rho > 2.0 or not (radius == 0.0 or radius >= 2.0**-200):
        return math.inf
    return rho * (1 + 4 * u * rounds) * (1 + 2.0**-50)


def passive_aggressive_rounding(*, C: float, radius: float, norm: float, rounds: int, terms: int) -> float:
    """What covers the rounding of PA-I in float64, as `bounds.passive_aggressive` takes it; `norm` is ‖u‖/γ.

    Infinite where the proof does not reach.

    >>> 0 < passive_aggressive_rounding(C=1.0, radius=1.0, norm=10.0, rounds=1_000_000, terms=100) < 0.1
    True
    """
    g, longest = (terms + 16) * 2.0**-52, 2 * math.sqrt(C * (rounds + 1))
    if not (16 * g * (1 + longest * radius) <= 1 and rounds <= 2.0**46):
        return math.inf
    a_round = 8 * g * C * (2 + longest * radius) + 2.0**-48 * longest * (longest + norm) + terms * 2.0**-700
    return rounds * a_round


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


_LOST = 2.0**-1060  # what products of a round may lose to underflow, each a unit of 2^-1074
_HEDGE_UNITS = 2048  # a weight may be the product of 64 factors, 1024 units off, and its exponent a few more


def loss_stretch(sizes: float) -> float:
    """How far losses whose sums are rounded may leave their interval, on both sides together; `sizes` is Σ max |loss|.

    >>> 0 < loss_stretch(1000.0) < 1e-12
    True
    """
    return 2.0**-51 * (sizes + 1)


def hedge_rounding(*, n: int, rounds: int, sizes: float, ranges: float) -> float:
    """What Hedge may lose beside its theorem as it computes in float64; `ranges` is the sum of the rounds' ranges of losses.

    >>> 0 < hedge_rounding(n=10, rounds=1000, sizes=1000.0, ranges=1000.0) < 1e-8
    True
    """
    u = 2.0**-53
    rounded = u * (2.02 * rounds * sizes + (n + 32) * sizes + _HEDGE_UNITS * (2 + math.log(n)) * ranges)
    return rounded + rounds * (n + 8) * _LOST


def adahedge_rounding(*, n: int, rounds: int, sizes: float, ranges: float, gaps: float) -> float:
    """What AdaHedge may lose beside twice its sum of mixability gaps, `gaps`, as it computes in float64.

    >>> 0 < adahedge_rounding(n=10, rounds=1000, sizes=1000.0, ranges=1000.0, gaps=30.0) < 1e-7
    True
    """
    if n == 1:
        return 2 * hedge_rounding(n=n, rounds=rounds, sizes=sizes, ranges=ranges)
    a_round = _HEDGE_UNITS * (1 + 1 / math.log(n)) + (n + 32) / math.log(n)
    return 2 * hedge_rounding(n=n, rounds=rounds, sizes=sizes, ranges=ranges) + 2.0**-53 * (rounds * a_round + 8) * gaps


def fixed_share_rounding(*, n: int, rounds: int, sizes: float, ranges: float, eta: float, alpha: float) -> float:
    """What Fixed Share may lose beside its theorem as it computes in float64; infinite where the proof does not reach.

    >>> 0 < fixed_share_rounding(n=10, rounds=1000, sizes=1000.0, ranges=1000.0, eta=0.5, alpha=0.01) < 1e-7
    True
    """
    if eta > 600 or alpha < n * 2.0**-900:
        return math.inf
    return 2.0**-53 * ((_HEDGE_UNITS + n) / (1 - alpha) * (rounds / eta + ranges) + 2 * (n + 32) * sizes)


def sleeping_rounding(*, n: int, rounds: int, sizes: float, ranges: float, eta: float) -> float:
    """What Hedge at a fixed rate may lose beside its theorem for sleeping experts.

    >>> 0 < sleeping_rounding(n=10, rounds=1000, sizes=1000.0, ranges=1000.0, eta=0.5) < 1e-7
    True
    """
    charged = 2.0**-53 * rounds * (n + 32 + _HEDGE_UNITS * (2 + math.log(n))) / eta
    return 2 * hedge_rounding(n=n, rounds=rounds, sizes=sizes, ranges=ranges) + charged


def majority_rounding(*, n: int, rounds: int, beta: float) -> float:
    """What a majority may lose, or err, beside its theorem as it computes in float64.

    >>> 0 < majority_rounding(n=10, rounds=1000, beta=0.5) < 1e-8
    True
    """
    return 2.0**-52 * (n + _HEDGE_UNITS) * rounds / min(1.0, math.log1p((1 - beta) / (1 + beta)))


def aggregating_rounding(*, n: int, rounds: int, sizes: float, scale: float) -> float:
    """What an aggregating rule may lose beside its theorem; `scale` is the largest loss that its kind can have.

    >>> 0 < aggregating_rounding(n=10, rounds=1000, sizes=1000.0, scale=1.0) < 1e-7
    True
    """
    rounded = 2.0**-53 * rounds * (2.02 * sizes + scale * (_HEDGE_UNITS * (4 + math.log(n)) + n + 32))
    return rounded + rounds * (n + 8) * _LOST


def log_rounding(*, n: int, rounds: int, best: float) -> float:
    """What Bayes's mixture may lose beside its theorem for the log loss; `best` is at least the best expert's loss.

    >>> 0 < log_rounding(n=10, rounds=1000, best=500.0) < 1e-7
    True
    """
    return 2.0**-53 * (_HEDGE_UNITS * (rounds * (2 + math.log(n)) + best) + (n + 32) * rounds + 4.04 * rounds * best)
