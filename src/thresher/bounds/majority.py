"""The majorities' theorems: N experts say 0 or 1 in every round, and a wrong one keeps β of its weight.

m is the number of mistakes of any expert, the best one if the bound is to be small; N experts begin with equal weights. The
weighted majority says what the larger weight says: it loses at least half of the weight to β with each mistake. The randomised
one says what an expert says that it draws by weight, so its loss in a round, the chance of a mistake, is the share of the
weight that is wrong. The sum of these losses, L, is what its theorems bound, as "expected mistakes": on every stream, for every
draw; the mistakes themselves are chance, and `realised_mistakes` says how far they stray. How β and the logarithms are computed
is in thresher.bounds.weights.
"""

from __future__ import annotations

import math
from typing import Literal

from thresher.bounds.arguments import as_float, check, not_negative, whole
from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.weights import fall_at_half, most_fall
from thresher.errors import ParameterError

__all__ = [
    "FOLLOW_THE_LEADER",
    "IMPROVED_MAJORITY",
    "RANDOMIZED_MAJORITY",
    "WEIGHTED_MAJORITY",
    "beta_for",
    "doubling",
    "follow_the_leader",
    "improved_majority",
    "improved_majority_tuned",
    "randomized_majority",
    "randomized_majority_textbook",
    "randomized_majority_tuned",
    "realised_mistakes",
    "weighted_majority",
    "weighted_majority_textbook",
]

#: What each rule's theorems assume of the rounds.
WEIGHTED_MAJORITY = "the rounds are the weighted majority's with this β, from equal weights, every round with weight 1"
RANDOMIZED_MAJORITY = "the rounds are the randomised majority's with this β, from equal weights, every round with weight 1"
IMPROVED_MAJORITY = "the rounds are the improved majority's with this β, from equal weights, every round with weight 1"
FOLLOW_THE_LEADER = "the rounds are the leader's, an expert with the fewest mistakes before, every round with weight 1"
_SOME_EXPERT = "some expert makes at most m mistakes"
_KNOWN = "K ≥ m was known before the first round"
_ETA = "β = 1 − η"

_WEIGHTED = Theorem(
    "Weighted majority", "M ≤ (m ln(1/β) + ln N)/ln(2/(1 + β)); β = 0: M ≤ lg N", "Littlestone and Warmuth 1994"
)
_WEIGHTED_TEXTBOOK = Theorem(
    "Weighted majority, as in textbooks", "M ≤ 2(1 + η)m + 2 ln N/η", "Kitani 2022, with the range of η that it needs"
)
_RANDOMIZED = Theorem("Randomised majority", "L ≤ (m ln(1/β) + ln N)/(1 − β)", "Littlestone and Warmuth 1994")
_RANDOMIZED_TEXTBOOK = Theorem(
    "Randomised majority, as in textbooks", "L ≤ (1 + η)m + ln N/η", "Kitani 2022, with the range of η that it needs"
)
_RANDOMIZED_TUNED = Theorem(
    "Randomised majority, tuned", "L ≤ m + √(2K ln N) + ln N", "Freund and Schapire 1997; Schapire 2006"
)
_IMPROVED = Theorem("Improved majority", "L ≤ (m ln(1/β) + ln N)/(2 ln(2/(1 + β)))", "Vovk 1990; Cesa-Bianchi and others 1997")
_IMPROVED_TUNED = Theorem("Improved majority, tuned", "L ≤ m + √(K ln N) + lg N/2", "Cesa-Bianchi and others 1997")
_REALISED = Theorem("Realised mistakes", "M ≤ L + l/3 + √(l²/9 + 2Ll) with l = ln(1/δ)", "Freedman 1975")
_DOUBLING = Theorem(
    "Randomised majority, doubling",
    "L ≤ m + 4√(2m ln N) + (2 + √2 + max(0, lg(m/ln N))/2)·ln N",
    "the tuned form phase by phase, after Cesa-Bianchi and others 1997",
)
_LEADER = Theorem("Follow the leader", "M ≤ Nm + N − 1", "by counting, expert by expert")


def weighted_majority(mistakes: float, *, n: int, beta: float, rounding: float = 0.0) -> Bound:
    """M ≤ (m ln(1/β) + ln N)/ln(2/(1 + β)): a mistake leaves at most (1 + β)/2 of the weight, and β^m stays.

    Infinite for β = 0 and m > 0; for β = 0 and m = 0 it is lg N, and the rule is Halving. Where the weights are equal on both
    sides it may say either, and it may leave the weights alone in rounds without a mistake of its own.

    Attained: at β = 0, if half of the experts that never erred err in each round. At β = 1/2 0.93 of it with N = 16
    and m = 20, 0.98 with N = 1,000 and m = 50, if the heaviest err that hold half of the weight.

    >>> weighted_majority(5, n=10, beta=0.5).at_most, weighted_majority(0, n=16, beta=0).at_most
    (20, 4)
    """
    not_negative(rounding=rounding)
    return Bound(_weighted(mistakes, n, beta) + rounding, "mistakes", _WEIGHTED, (WEIGHTED_MAJORITY, _SOME_EXPERT))


def weighted_majority_textbook(mistakes: float, *, n: int, eta: float) -> Bound:
    """M ≤ 2(1 + η)m + 2 ln N/η for β = 1 − η, η ≤ 1/2: never below the form with β.

    >>> weighted_majority_textbook(5, n=10, eta=0.5).at_most
    24
    """
    value = 2 * _textbook(mistakes, n, eta)
    return Bound(value, "mistakes", _WEIGHTED_TEXTBOOK, (WEIGHTED_MAJORITY, _ETA, _SOME_EXPERT))


def randomized_majority(mistakes: float, *, n: int, beta: float, rounding: float = 0.0) -> Bound:
    """L ≤ (m ln(1/β) + ln N)/(1 − β): a round with loss l leaves 1 − (1 − β)l ≤ e^(−(1 − β)l) of the weight.

    Infinite for β = 0 and m > 0: once every expert has erred there is no weight to draw by.

    Attained: 0.99 of it at β = 1/2, N = 50, m = 20, if all err in turn, one in each round, until one alone is left to be right.

    >>> round(randomized_majority(5, n=10, beta=0.5).value, 3)
    11.537
    """
    not_negative(rounding=rounding)
    value = most_fall(mistakes, n, beta) / (1 - beta) + rounding
    return Bound(value, "expected mistakes", _RANDOMIZED, (RANDOMIZED_MAJORITY, _SOME_EXPERT))


def randomized_majority_textbook(mistakes: float, *, n: int, eta: float) -> Bound:
    """L ≤ (1 + η)m + ln N/η for β = 1 − η, η ≤ 1/2: never below the form with β, and false from 0.69 on.

    >>> round(randomized_majority_textbook(5, n=10, eta=0.5).value, 3)
    12.105
    """
    value = _textbook(mistakes, n, eta)
    return Bound(value, "expected mistakes", _RANDOMIZED_TEXTBOOK, (RANDOMIZED_MAJORITY, _ETA, _SOME_EXPERT))


def randomized_majority_tuned(mistakes: float, *, n: int, most: float) -> Bound:
    """L ≤ m + √(2K ln N) + ln N, where K ≥ m is known and β = 1/(1 + √(2 ln N/K)), which `beta_for` gives.

    It is the form with β, where ln(1/β) ≤ (1 − β²)/(2β).

    >>> round(randomized_majority_tuned(8, n=10, most=10).value, 3)
    17.089
    """
    _check_known(mistakes, most, n)
    value = mistakes + math.sqrt(2 * math.log(n)) * math.sqrt(most) + math.log(n)
    assumes = (RANDOMIZED_MAJORITY, "β = 1/(1 + √(2 ln N/K))", _KNOWN, _SOME_EXPERT)
    return Bound(value, "expected mistakes", _RANDOMIZED_TUNED, assumes)


def improved_majority(mistakes: float, *, n: int, beta: float, rounding: float = 0.0) -> Bound:
    """L ≤ (m ln(1/β) + ln N)/(2 ln(2/(1 + β))): half of the weighted majority's, for every β.

    The chance to say 1 is any that lies between the limits in thresher.bounds.improved: its loss is at most as many times
    1/(2 ln(2/(1 + β))) as ln W falls. Infinite for β = 0 and m > 0.

    Attained: at β = 0 and N = 2^k, if half of the experts that are left err in each of k rounds. At β = 1/2 0.98 of it with
    N = 100 and m = 30, if the heaviest err that hold half of the weight.

    >>> improved_majority(0, n=16, beta=0).value
    2.0
    """
    not_negative(rounding=rounding)
    value = _weighted(mistakes, n, beta) / 2 + rounding
    return Bound(value, "expected mistakes", _IMPROVED, (IMPROVED_MAJORITY, _SOME_EXPERT))


def improved_majority_tuned(mistakes: float, *, n: int, most: float) -> Bound:
    """L ≤ m + √(K ln N) + lg N/2, where K ≥ m is known, z = √(ln N/K), β = 1/(1 + 2z + z²/ln 2), which `beta_for` gives.

    With a complement for every expert (2N of them), K = T/2 is always known.

    Attained: at K = 0 and N = 2^k, as without tuning.

    >>> round(improved_majority_tuned(8, n=10, most=10).value, 3)
    14.459
    """
    _check_known(mistakes, most, n)
    value = mistakes + math.sqrt(math.log(n)) * math.sqrt(most) + math.log2(n) / 2
    assumes = (IMPROVED_MAJORITY, "β = 1/(1 + 2z + z²/ln 2), z = √(ln N/K)", _KNOWN, _SOME_EXPERT)
    return Bound(value, "expected mistakes", _IMPROVED_TUNED, assumes)


def beta_for(most: float, n: int, *, rule: Literal["randomized", "improved"] = "randomized") -> float:
    """The β of the tuned forms, if the best of n experts makes at most K = `most` mistakes; below 1 always.

    >>> round(beta_for(10, 10), 4), round(beta_for(10, 10, rule="improved"), 4), beta_for(0, 10)
    (0.5957, 0.4363, 0.0)
    """
    _check_known(0, most, n)
    if rule not in ("randomized", "improved"):
        raise ParameterError(f"found rule = {rule!r}, expected randomized or improved")
    z = math.sqrt(math.log(n) / most) if most > 0 else math.inf
    inverse = 1 + math.sqrt(2) * z if rule == "randomized" else 1 + 2 * z + z * z / math.log(2)
    return min(1 / inverse, math.nextafter(1.0, 0.0))


def realised_mistakes(loss: float, *, delta: float) -> Bound:
    """M ≤ L + l/3 + √(l²/9 + 2Ll) with probability at least 1 − δ over the coins, l = ln(1/δ).

    `loss` bounds the sum of the chances of a mistake. It is no chance itself: it is a theorem's bound with an m that was known
    before, or the sum itself if the stream does not depend on the coins. A coin's variance is at most its chance of a mistake.

    >>> realised_mistakes(100, delta=0.01).at_most
    131
    """
    not_negative(loss=loss)
    check("above 0 and at most 1", lambda number: 0 < number <= 1, delta=delta)
    ln = -math.log(delta)
    value = loss + ln / 3 + (math.sqrt(ln * ln / 9 + 2 * loss * ln) if ln > 0 else 0.0)
    assumes = (
        "a fresh coin for each round, on which its example and label do not depend",
        "L bounds the loss for every outcome of the coins",
        "with probability at least 1 − δ",
    )
    return Bound(value, "mistakes", _REALISED, assumes)


def doubling(mistakes: float, *, n: int, rounding: float = 0.0) -> Bound:
    """L ≤ m + 4√(2m ln N) + (2 + √2 + max(0, lg(m/ln N))/2)·ln N: nothing is known of m.

    Phase j = 0, 1, … begins with equal weights and the β of `beta_for` for K = 4^j·ln N, and ends after the round in which the
    last expert has made more than K mistakes in it. If there is a phase j ≥ 1, m > 4^(j − 1)·ln N, so the roots of the tuned
    form are a geometric sum. The round that ends a phase may cost 1/(√2·2^j) more than that form, √2 in all; the constant has
    2√2·ln N to spare as soon as there is such a round.

    >>> round(doubling(100, n=10).value, 1)
    200.0
    """
    whole(1, n=n)
    not_negative(mistakes=mistakes, rounding=rounding)
    ln = math.log(n)
    phases = 2 + math.sqrt(2) + (max(0.0, math.log2(mistakes / ln)) / 2 if mistakes > 0 and ln > 0 else 0.0)
    root = 4 * math.sqrt(2 * ln) * math.sqrt(mistakes) if ln > 0 else 0.0
    assumes = ("the rounds are the randomised majority's, in phases with K = 4^j·ln N", _SOME_EXPERT)
    return Bound(mistakes + root + phases * ln + rounding, "expected mistakes", _DOUBLING, assumes)


def follow_the_leader(mistakes: int, *, n: int) -> Bound:
    """M ≤ Nm + N − 1: an expert that leads has made at most m mistakes, so each errs at most m + 1 times as leader.

    That with m mistakes in all errs at most m times. Ties may be broken in any way. The regret grows with T: no guarantee to
    rely on, and the reason to give experts weights.

    Attained: in every round the leader alone errs.

    >>> follow_the_leader(3, n=4).at_most
    15
    """
    whole(1, n=n)
    whole(0, mistakes=mistakes)
    return Bound(as_float(int(n * (mistakes + 1) - 1)), "mistakes", _LEADER, (FOLLOW_THE_LEADER, _SOME_EXPERT))


def _weighted(mistakes: float, n: int, beta: float) -> float:
    fall = most_fall(mistakes, n, beta)
    return math.log2(n) if beta == 0 == mistakes else fall / fall_at_half(beta)


def _textbook(mistakes: float, n: int, eta: float) -> float:
    whole(1, n=n)
    check("above 0 and at most 1/2", lambda number: 0 < number <= 0.5, eta=eta)
    not_negative(mistakes=mistakes)
    return (1 + eta) * mistakes + math.log(n) / eta


def _check_known(mistakes: float, most: float, n: int) -> None:
    whole(1, n=n)
    check("of at least 0, finite", lambda number: 0 <= number < math.inf, most=most)
    check("of at least 0 and at most `most`", lambda number: 0 <= number <= most, mistakes=mistakes)
