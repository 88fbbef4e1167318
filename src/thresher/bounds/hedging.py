"""Hedge's theorems and those of its kin: N experts have losses, and the learner's is their mean by its weights.

Losses are from 0 to 1 unless a theorem says otherwise. T is the number of rounds, L* the least loss of an expert over all of
them, and the regret what the learner lost more than that. All hold on every stream, round by round chosen with the weights in
sight. `rounding` is what a rule in float64 may lose beside, and is added (docs/rounding.md).
"""

from __future__ import annotations

import math

from thresher.bounds.arguments import check, not_negative, positive, whole
from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.weights import most_fall

__all__ = [
    "ADAHEDGE",
    "HEDGE",
    "adahedge",
    "adahedge_run",
    "adahedge_scaled",
    "aggregating_brier",
    "aggregating_squared",
    "fixed_share",
    "hedge",
    "hedge_anytime",
    "hedge_fixed",
    "hedge_horizon",
    "mixture_log",
    "random_experts_regret",
    "sleeping",
    "vote",
]

#: What each rule's theorems assume of the rounds.
HEDGE = "the rounds are Hedge's, with weights β^L = e^(−ηL) by cumulative losses, every round with weight 1"
ADAHEDGE = "the rounds are AdaHedge's, every round with weight 1"
_UNIT = "losses are from 0 to 1"
_ADAHEDGE_START = 16 / 3

_HEDGE = Theorem("Hedge", "L ≤ (L* ln(1/β) + ln N)/(1 − β)", "Freund and Schapire 1997")
_FIXED = Theorem("Hedge, fixed rate", "regret ≤ ln N/η + ηT/8", "Freund and Schapire 1997; Cesa-Bianchi and Lugosi 2006")
_HORIZON = Theorem("Hedge, known horizon", "regret ≤ √(T ln N/2)", "Cesa-Bianchi and others 1997; the fixed rate at its best")
_ANYTIME = Theorem("Hedge, anytime", "regret ≤ √(T ln N)", "after Auer, Cesa-Bianchi and Gentile 2002")
_ADAHEDGE = Theorem(
    "AdaHedge", "regret ≤ 2√(L*(T − L*)/T·ln N) + (16/3) ln N + 2", "de Rooij, van Erven, Grünwald and Koolen 2014"
)
_SCALED = Theorem(
    "AdaHedge, any scale", "regret ≤ S(√(T ln N) + (16/3) ln N + 2)", "de Rooij, van Erven, Grünwald and Koolen 2014"
)
_RUN = Theorem("AdaHedge, after the run", "regret ≤ 2Δ", "de Rooij, van Erven, Grünwald and Koolen 2014")
_SHARE = Theorem(
    "Fixed share",
    "regret ≤ (ln N + s ln((N − 1)/α) + (T − 1 − s)ln(1/(1 − α)))/η + ηT/8",
    "Herbster and Warmuth 1998",
)
_SLEEPING = Theorem("Sleeping experts", "regret ≤ ln N/η + ηT/8", "Freund, Schapire, Singer and Warmuth 1997")
_LOG = Theorem("Mixture, log loss", "regret ≤ ln N", "Bayes's mixture; DeSantis, Markowsky and Wegman 1988")
_SQUARED = Theorem("Aggregating, squared loss", "regret ≤ (b − a)²/2·ln N", "Vovk 1990; Haussler, Kivinen and Warmuth 1998")
_BRIER = Theorem("Aggregating, Brier score", "regret ≤ ln N", "Vovk and Zhdanov 2009")
_VOTE = Theorem("A vote instead of a coin", "M ≤ 2L", "a wrong vote has a loss of at least 1/2")


def hedge(best: float, *, n: int, beta: float, rounding: float = 0.0) -> Bound:
    """L ≤ (L* ln(1/β) + ln N)/(1 − β): the randomised majority's bound, for losses from 0 to 1, as β^l ≤ 1 − (1 − β)l.

    `best` is the loss of any expert. Infinite for β = 0, unless it is 0.

    Attained: 0.99 of it at β = 1/2, N = 100, L* = 30, if all lose in turn, one in each round, until one alone is left.

    >>> round(hedge(5.0, n=10, beta=0.5).value, 3)
    11.537
    """
    not_negative(best=best)
    not_negative(rounding=rounding)
    return Bound(most_fall(best, n, beta) / (1 - beta) + rounding, "loss", _HEDGE, (HEDGE, _UNIT))


def hedge_fixed(rounds: int, *, n: int, eta: float, rounding: float = 0.0) -> Bound:
    """Regret ≤ ln N/η + ηT/8: ln Σ wᵢe^(−ηlᵢ) ≤ −η·Σ wᵢlᵢ + η²/8, by Hoeffding's lemma, for losses in an interval of length 1.

    Attained: 0.97 of it at η = 1, N = 2, T = 1000, if whoever leads loses.

    >>> round(hedge_fixed(1000, n=10, eta=0.1).value, 2)
    35.53
    """
    not_negative(rounding=rounding)
    return Bound(_at_rate(rounds, n, eta) + rounding, "regret", _FIXED, (HEDGE, _UNIT, "η is the same in every round"))


def hedge_horizon(rounds: int, *, n: int) -> Bound:
    """Regret ≤ √(T ln N/2), where T is known and η = √(8 ln N/T).

    Attained: its factor 1/√2 is the best there is, as N and T grow; `random_experts_regret` is the exact lower bound.

    >>> round(hedge_horizon(1000, n=10).value, 2)
    33.93
    """
    return Bound(_root(rounds, n) / math.sqrt(2), "regret", _HORIZON, (HEDGE, _UNIT, "η = √(8 ln N/T), T known"))


def hedge_anytime(rounds: int, *, n: int, rounding: float = 0.0) -> Bound:
    """Regret ≤ √(T ln N) after every T at once, with η = 2√(ln N/t) in round t.

    The weights of round t are e^(−ηL) with this round's η and the losses so far. Multiplied step by step, each loss with the η
    of its own round, they lose the theorem: the regret can be T/2.

    >>> round(hedge_anytime(1000, n=10).value, 2)
    47.99
    """
    not_negative(rounding=rounding)
    return Bound(_root(rounds, n) + rounding, "regret", _ANYTIME, (HEDGE, _UNIT, "η = 2√(ln N/t) in round t"))


def adahedge(best: float, *, rounds: int, n: int, rounding: float = 0.0) -> Bound:
    """Regret ≤ 2√(L*(T − L*)/T·ln N) + (16/3) ln N + 2: small if the best expert's loss is small, or close to T.

    >>> round(adahedge(10.0, rounds=1000, n=10).value, 2)
    23.83
    """
    whole(0, rounds=rounds)
    whole(1, n=n)
    check("of at least 0 and at most rounds", lambda number: 0 <= number <= rounds, best=best)
    spread = best * ((rounds - best) / rounds) if rounds > 0 else 0.0
    not_negative(rounding=rounding)
    value = 2 * math.sqrt(spread * math.log(n)) + _ADAHEDGE_START * math.log(n) + 2 + rounding
    return Bound(value, "regret", _ADAHEDGE, (ADAHEDGE, _UNIT, "L* is the least loss of an expert"))


def adahedge_scaled(rounds: int, *, n: int, scale: float, rounding: float = 0.0) -> Bound:
    """Regret ≤ S(√(T ln N) + (16/3) ln N + 2) for losses of any size: in no round do two differ by more than S.

    AdaHedge does not need to know S, nor T.

    >>> round(adahedge_scaled(1000, n=10, scale=0.01).value, 3)
    0.623
    """
    not_negative(scale=scale, rounding=rounding)
    start = _root(rounds, n) + _ADAHEDGE_START * math.log(n) + 2
    return Bound(scale * start + rounding, "regret", _SCALED, (ADAHEDGE, "in every round losses differ by at most S"))


def adahedge_run(gaps: float, *, rounding: float = 0.0) -> Bound:
    """Regret ≤ 2Δ, with Δ = `gaps` the sum of the mixability gaps, which the rule itself holds: for losses of any size.

    A round's gap is w·l + ln Σ wᵢe^(−ηlᵢ)/η. AdaHedge's η is ln N divided by the gaps so far, so that what the weights cost and
    what the gaps cost are the same.

    Attained: 0.97 of it at N = 5, T = 1000, if all lose in turn, the last in the first half only.

    >>> adahedge_run(3.5).value
    7.0
    """
    not_negative(gaps=gaps, rounding=rounding)
    return Bound(2 * gaps + rounding, "regret", _RUN, (ADAHEDGE, "Δ is the sum of this run's mixability gaps"))


def fixed_share(rounds: int, *, n: int, switches: int, eta: float, alpha: float, rounding: float = 0.0) -> Bound:
    """Regret ≤ (ln N + s ln((N − 1)/α) + (T − 1 − s)ln(1/(1 − α)))/η + ηT/8 to any sequence of experts that changes s times.

    After each round an expert gives the part α of its weight to the others, in equal shares. Without switches and with α = 0
    this is Hedge at a fixed rate. It grows with s for α ≤ 1 − 1/N, and then s may be any upper limit of the changes.

    >>> round(fixed_share(1000, n=10, switches=3, eta=0.2, alpha=0.003).value, 1)
    171.6
    """
    whole(0, rounds=rounds)
    whole(1, n=n)
    whole(0, max(0, rounds - 1) if n > 1 else 0, switches=switches)
    check("of at least 0 and below 1", lambda number: 0 <= number < 1, alpha=alpha)
    base = _at_rate(rounds, n, eta)
    stays = max(0, rounds - 1 - switches) * -math.log1p(-alpha)
    moves = 0.0 if switches == 0 else switches * (math.log(n - 1) - math.log(alpha)) if alpha > 0 else math.inf
    assumes = ("the rounds are Fixed Share's with this η and α, from equal weights", _UNIT, "the sequence changes s times")
    not_negative(rounding=rounding)
    return Bound(base + (stays + moves) / eta + rounding, "regret", _SHARE, assumes)


def sleeping(rounds: int, *, n: int, eta: float, rounding: float = 0.0) -> Bound:
    """Regret ≤ ln N/η + ηT/8 to any expert, summed over the T rounds in which it is awake.

    The learner's weights are those of the experts that are awake; their sum, and the others, stay as they are.

    >>> round(sleeping(400, n=10, eta=0.2).value, 2)
    21.51
    """
    assumes = (
        "the rounds are Hedge's for sleeping experts with this η, from equal weights",
        _UNIT,
        "T counts the expert's rounds awake",
    )
    not_negative(rounding=rounding)
    return Bound(_at_rate(rounds, n, eta) + rounding, "regret", _SLEEPING, assumes)


def mixture_log(n: int, *, rounding: float = 0.0) -> Bound:
    """Regret ≤ ln N for the log loss, any number of rounds and of outcomes, and losses of any size.

    What the mixture gives to a sequence of outcomes is at least 1/N of what any expert does. An expert that gave probability 0
    to what happened is out for ever.

    >>> round(mixture_log(10).value, 4)
    2.3026
    """
    whole(1, n=n)
    assumes = ("forecasts are mixtures by weights that are multiplied by the probability given to what happened",)
    not_negative(rounding=rounding)
    return Bound(math.log(n) + rounding, "regret", _LOG, (*assumes, "the loss is −ln of that probability"))


def aggregating_squared(n: int, *, low: float, high: float, rounding: float = 0.0) -> Bound:
    """Regret ≤ (b − a)²/2·ln N for the squared loss, any number of rounds: forecasts and outcomes are from a to b.

    The aggregating rule has η = 2/(b − a)², the largest for which a forecast (a + b)/2 + (g(a) − g(b))/(2(b − a)) exists that
    is never worse than g(y) = −ln(Σ wᵢe^(−η(xᵢ − y)²))/η.

    >>> round(aggregating_squared(10, low=-1.0, high=1.0).value, 4)
    4.6052
    """
    whole(1, n=n)
    check("that is finite", math.isfinite, low=low, high=high)
    check("of at least low", lambda number: number >= low, high=high)
    width = high - low
    assumes = ("the rounds are the aggregating rule's with η = 2/(b − a)²", "forecasts and outcomes are from a to b")
    not_negative(rounding=rounding)
    value = width * (width / 2) * math.log(n) if n > 1 else 0.0
    return Bound(value + rounding, "regret", _SQUARED, assumes)


def aggregating_brier(n: int, *, rounding: float = 0.0) -> Bound:
    """Regret ≤ ln N for the Brier score, Σ (p − 1{it happened})² over the outcomes, any number of them and of rounds.

    >>> round(aggregating_brier(10).value, 4)
    2.3026
    """
    whole(1, n=n)
    assumes = ("the rounds are the aggregating rule's with η = 1", "forecasts are probabilities of the outcomes")
    not_negative(rounding=rounding)
    return Bound(math.log(n) + rounding, "regret", _BRIER, assumes)


def vote(loss: float) -> Bound:
    """M ≤ 2L: who says what at least half of the weight says, and is wrong, had a loss of at least 1/2.

    The loss of a round is the weight on the wrong side. With a bound on the regret, M ≤ 2(m + regret), and no coin is tossed.

    >>> vote(10.5).at_most
    21
    """
    not_negative(loss=loss)
    return Bound(2 * loss, "mistakes", _VOTE, ("the learner says what at least half of the weight says", "L is the loss"))


def random_experts_regret(rounds: int, n: int) -> float:
    """T/2 − Σₖ Pr[Bin(T, ½) ≥ k]^N: what every learner's regret is on average, if experts and labels are fair coins.

    So for every learner there is a stream with at least this regret. It is E[max of N binomials] − T/2; √(T ln N/2) is only
    what it tends to as N and T grow. The sum is taken from the middle outwards, where nothing cancels: twelve digits are right.

    >>> round(random_experts_regret(1000, 2), 2), round(hedge_horizon(1000, n=2).value, 2)
    (8.92, 18.62)
    """
    whole(0, rounds=rounds)
    whole(1, 2**64, n=n)
    if n == 1:
        return 0.0
    half = rounds // 2
    # Pr[X = half − j], up to a factor, for j = 0, 1, …, until the floats end; and the same on the other side of the middle.
    masses = [1.0]
    while len(masses) <= half and masses[-1] > 0.0:
        lower = half - len(masses)
        masses.append(masses[-1] * ((lower + 1) / (rounds - lower)))
    tails = _sums_from_the_end(masses)  # Pr[X ≤ half − j] = Pr[X ≥ rounds − half + j], up to the same factor
    everything = 2 * tails[0] - (1 - rounds % 2)
    chances = [tail / everything for tail in tails]
    # With X the most of n: E[X] = Σ Pr[X > k], whose terms are near 1 below the middle and near 0 above it.
    odd = rounds % 2
    below = math.fsum(math.exp(n * math.log(chance)) for chance in chances[1 - odd :] if chance > 0)
    above = math.fsum(-math.expm1(n * math.log1p(-chance)) for chance in chances[1:])
    return odd / 2 + above - below


def _sums_from_the_end(numbers: list[float]) -> list[float]:
    sums, total = [], 0.0
    for number in reversed(numbers):
        total += number
        sums.append(total)
    return sums[::-1]


def _root(rounds: int, n: int) -> float:
    whole(0, rounds=rounds)
    whole(1, n=n)
    return math.sqrt(rounds) * math.sqrt(math.log(n))


def _at_rate(rounds: int, n: int, eta: float) -> float:
    whole(0, rounds=rounds)
    whole(1, n=n)
    positive(eta=eta)
    return math.log(n) / eta + eta * rounds / 8
