"""What experts' weights fall by: the two logarithms in every theorem about them.

N experts begin with weight 1, and a wrong one keeps β of its weight. An expert with m mistakes ends with β^m, and the sum W of
all weights is never below that: so ln W falls by no more than m·ln(1/β) + ln N, and a theorem says how much it falls with each
mistake.
"""

from __future__ import annotations

import math

from thresher.bounds.arguments import check, not_negative, whole

__all__ = ["check_beta", "fall_at_half", "ln_kept", "most_fall"]


def check_beta(beta: float) -> None:
    """β is at least 0 and below 1."""
    check("of at least 0 and below 1", lambda number: 0 <= number < 1, beta=beta)


def ln_kept(share: float, beta: float) -> float:
    """ln(1 − share + share·β): by how much ln W falls, as a negative number, if this share of the weight is wrong.

    >>> ln_kept(1.0, 0.5) == -math.log(2), ln_kept(1.0, 0.0)
    (True, -inf)
    """
    lost = share * (1 - beta)
    if lost < 0.5:
        return math.log1p(-lost)
    kept = (1 - share) + share * beta  # 1 − lost would cancel
    return math.log(kept) if kept > 0 else -math.inf


def fall_at_half(beta: float) -> float:
    """ln(2/(1 + β)): by how much ln W falls if half of the weight is wrong.

    >>> fall_at_half(0.0) == math.log(2)
    True
    """
    return -ln_kept(0.5, beta)


def most_fall(mistakes: float, n: int, beta: float) -> float:
    """m·ln(1/β) + ln N: infinite for β = 0, unless some expert is never wrong; mistakes may be losses too.

    >>> most_fall(3, 2, 0.5) == 4 * math.log(2), most_fall(0, 1, 0.0), most_fall(1, 2, 0.0)
    (True, 0.0, inf)
    """
    whole(1, n=n)
    check_beta(beta)
    not_negative(mistakes=mistakes)
    return (mistakes * -ln_kept(1.0, beta) if mistakes > 0 else 0.0) + math.log(n)
