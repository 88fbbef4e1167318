"""How the improved randomised majority turns the share of the weight that says 1 into a chance to say 1.

With r the share that says 1, it says 1 with any probability p that satisfies L(r) ≤ p ≤ U(r), where

    U(r) = −ln(1 − r + rβ)/(2 ln(2/(1 + β)))    and    L(r) = 1 − U(1 − r).

If the label is 0, the loss p is at most U(r), that is, as many times 1/(2 ln(2/(1 + β))) as ln W falls; and likewise 1 − p if
it is 1. L ≤ U, as the geometric mean of two numbers is at most the arithmetic one. Vovk 1990; Cesa-Bianchi, Freund, Haussler,
Helmbold, Schapire and Warmuth 1997, "How to use expert advice".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from thresher.bounds.arguments import check
from thresher.bounds.weights import check_beta, fall_at_half, ln_kept
from thresher.errors import ParameterError

__all__ = ["improved_limits", "improved_share"]


def improved_limits(r: float, beta: float) -> tuple[float, float]:
    """L(r) and U(r); infinite where the learner's weight is on one side and β is 0.

    >>> improved_limits(0.25, 0.0)[0], improved_limits(1.0, 0.0)
    (0.0, (1.0, inf))
    """
    _check_share(r, beta)
    return 1 - _upper(1 - r, beta), _upper(r, beta)


def improved_share(r: float, beta: float, kind: Literal["linear", "mean", "vovk"] = "linear") -> float:
    """The chance to say 1 if the share r of the weight does; three that lie between L(r) and U(r).

    `linear`: ½ + (r − ½)/(2c), where c = (1 + β)ln(2/(1 + β))/(2(1 − β)), cut off at 0 and 1: the tangent that L and U have in
    common at ½. `mean`: (L + U)/2, cut off. `vovk`: ln(1 − r + rβ)/(ln(1 − r + rβ) + ln(r + (1 − r)β)).

    >>> [round(improved_share(0.25, 0.5, kind), 3) for kind in ("linear", "mean", "vovk")]
    [0.21, 0.208, 0.221]
    >>> improved_share(0.5, 0.9), improved_share(0.1, 0.0), improved_share(0.9, 0.0)
    (0.5, 0.0, 1.0)
    """
    _check_share(r, beta)
    if kind not in _KINDS:
        raise ParameterError(f"found kind = {kind!r}, expected one of {', '.join(_KINDS)}")
    return min(1.0, max(0.0, _KINDS[kind](r, beta)))


def _linear(r: float, beta: float) -> float:
    return 0.5 + (r - 0.5) * (1 - beta) / ((1 + beta) * fall_at_half(beta))


def _mean(r: float, beta: float) -> float:
    return 0.5 + (_upper(r, beta) - _upper(1 - r, beta)) / 2


def _vovk(r: float, beta: float) -> float:
    if beta == 0 and r in (0, 1):
        return float(r)
    ones, zeros = ln_kept(r, beta), ln_kept(1 - r, beta)
    return ones / (ones + zeros)


_KINDS: dict[str, Callable[[float, float], float]] = {"linear": _linear, "mean": _mean, "vovk": _vovk}


def _upper(r: float, beta: float) -> float:
    return -ln_kept(r, beta) / (2 * fall_at_half(beta))


def _check_share(r: float, beta: float) -> None:
    check("from 0 to 1", lambda number: 0 <= number <= 1, r=r)
    check_beta(beta)
