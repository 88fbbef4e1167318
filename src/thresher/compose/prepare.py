"""Winnow for what is not a monotone disjunction: small steps that choose the learner and its parameters."""

from __future__ import annotations

from thresher.bounds.arguments import whole
from thresher.errors import ParameterError
from thresher.linear import LiteralWinnow, Winnow
from thresher.parameters import number

__all__ = ["factor_for", "negations", "r_of_k"]


def negations(winnow: object) -> LiteralWinnow:
    """A fresh Winnow over the attributes and their negations, with the factor and the tie rule of this one.

    The threshold is doubled with the number of literals. For conjunctions, `Flipped(negations(winnow))`.

    >>> import thresher as th
    >>> from thresher.compose import negations
    >>> negations(th.Winnow(100, factor=1.5))
    LiteralWinnow(n=100, threshold=200.0, factor=1.5, strict=False)
    """
    if not isinstance(winnow, Winnow):
        raise ParameterError(f"found {winnow!r}, expected a Winnow")
    arguments = winnow._arguments()
    return LiteralWinnow(**{**arguments, "threshold": 2 * arguments["threshold"]})


def factor_for(delta: float) -> float:
    """1 + δ/2: the factor for targets with μ·x ≥ 1 on positive examples and μ·x ≤ 1 − δ on negative ones.

    With a larger one Winnow may err for ever: th.bounds.winnow_threshold_tuned, and docs/traps.md.

    >>> factor_for(0.2)
    1.1
    """
    if not 0.0 < number("delta", delta, "a number above 0 and at most 1") <= 1.0:
        raise ParameterError(f"found delta = {delta!r}, expected a number above 0 and at most 1")
    return 1.0 + delta / 2.0


def r_of_k(n: int, r: int, *, threshold: float | None = None) -> Winnow:
    """A fresh Winnow for "at least r of some k attributes": the gap is δ = 1/r, so the factor is 1 + 1/(2r).

    Its mistakes are bounded for every k: th.bounds.winnow_r_of_k.

    >>> r_of_k(100, 5)
    Winnow(n=100, threshold=100.0, factor=1.1, strict=False)
    """
    whole(1, r=r)
    return Winnow(n, threshold=threshold, factor=factor_for(1.0 / r))
