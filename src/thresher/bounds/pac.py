"""From mistakes to risk: what a learner that makes few mistakes says of examples that nobody has seen yet.

The risk of a hypothesis is its chance to err on a fresh example. All theorems here need examples that are independent draws
from one distribution; nothing in a sample can check that. M is a bound on the mistakes of a run, or their count, as each
function says; h₀, h₁, … are the hypotheses of the run, each made before the examples that it is tried on.
"""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from numbers import Rational
from operator import index
from typing import SupportsIndex

from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.printed import shown
from thresher.errors import ParameterError
from thresher.parameters import number

__all__ = [
    "INDEPENDENT",
    "MISTAKE_BOUND",
    "PAC_CHOSEN",
    "RUN_CHOSEN",
    "online_to_batch",
    "online_to_batch_vote",
    "pac_block",
    "pac_sample",
    "random_stop",
    "rounded_up",
]

#: What the theorems assume of the examples, of what was chosen, and of the learner.
INDEPENDENT = "the examples are independent draws from one distribution"
PAC_CHOSEN = "the learner, M, ε and δ were chosen before they were seen"
RUN_CHOSEN = "the learner, δ and the number of examples were chosen before they were seen"
MISTAKE_BOUND = "the learner makes at most M mistakes on every sequence of examples with these labels"

_PAC = Theorem(
    "PAC from mistakes",
    "M·⌈ln(M/δ)/ε⌉ examples: risk ≤ ε with probability at least 1 − δ",
    "Mansour 2012, corrected; after Angluin 1988 and Littlestone 1989",
)
_AVERAGE = Theorem(
    "Online to batch",
    "average risk of h₀, …, hₙ₋₁ ≤ M/n + √(ln(1/δ)/(2n))",
    "Cesa-Bianchi, Conconi and Gentile 2004; Azuma 1967",
)
_VOTE = Theorem(
    "Online to batch, vote", "risk of the vote of h₀, …, hₙ₋₁ ≤ 2M/n + 2√(ln(1/δ)/(2n))", "the average's, twice, by Markov"
)
_STOP = Theorem("Random stop", "E[risk] = E[M]/(n + 1)", "Helmbold and Warmuth 1995; Freund and Schapire 1999")

_DIGITS = 60
_LARGEST = 2**1000  # what grows beyond it is taken as this: floats end there, and the bounds only fall with it


def pac_sample(mistakes: int, epsilon: float | Fraction, delta: float | Fraction) -> Bound:
    """M·⌈ln(M/δ)/ε⌉ examples are enough for a hypothesis with risk at most ε, with probability at least 1 − δ.

    A conservative learner moves only on mistakes, so it has at most M + 1 hypotheses. One whose risk is above ε is right on b
    examples in a row with a chance below (1 − ε)^b ≤ e^(−εb) ≤ δ/M. So with probability 1 − δ none of the first M with such a
    risk survives b examples, and the first that survives them is good; if none does, M mistakes were made, and the last
    hypothesis never errs. For M = 0 that is the first one, and no example is needed.

    >>> pac_sample(3, 0.1, 0.05).at_most                    # 3 · 41
    123
    >>> print(pac_sample(3, 0.1, 0.05))
    examples ≤ 123 by PAC from mistakes
    """
    most = _checked(mistakes) * pac_block(mistakes, epsilon, delta)
    return Bound(most, "examples", _PAC, (INDEPENDENT, PAC_CHOSEN, MISTAKE_BOUND))


def pac_block(mistakes: int, epsilon: float | Fraction, delta: float | Fraction) -> int:
    """⌈ln(M/δ)/ε⌉, which is at least 1: how many examples in a row a hypothesis must be right on. None (0) for M = 0.

    ε and δ are taken as exactly the floats or fractions that they are, and the logarithm is computed to sixty digits and
    rounded up: so rounding never makes a block shorter than the formula.

    >>> pac_block(3, 0.1, 0.05), pac_block(0, 0.1, 0.05)
    (41, 0)
    >>> epsilon = math.log(2) / 49                          # in floats ln 2/ε is 49, but ε is a little below that
    >>> math.ceil(math.log(2) / epsilon), pac_block(1, epsilon, 0.5)
    (49, 50)
    """
    from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal

    m = _checked(mistakes)
    e, d = _inside("epsilon", epsilon), _inside("delta", delta)
    if m == 0:
        return 0
    up, down = (Context(_DIGITS, way, MIN_EMIN, MAX_EMAX) for way in (ROUND_CEILING, ROUND_FLOOR))
    ratio = Fraction(m) / d
    ln = up.next_plus(up.ln(up.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))))  # ln itself rounds to the nearest
    blocks = up.divide(ln, down.divide(Decimal(e.numerator), Decimal(e.denominator)))
    return max(1, math.ceil(blocks))


def online_to_batch(mistakes: int, examples: int, delta: float | Fraction) -> Bound:
    """Average risk of h₀, …, hₙ₋₁ ≤ M/n + √(ln(1/δ)/(2n)) with probability at least 1 − δ: M mistakes were made on n examples.

    Whatever the learner is, whatever the labels: hᵢ was made before example i + 1, so on average it errs there as often as its
    risk says, and the sum of n such differences, each between two numbers 1 apart, strays by no more than that (Azuma). The
    average is the risk of a hypothesis drawn anew for each example.

    >>> round(online_to_batch(30, 1000, 0.05).value, 4)
    0.0687
    """
    return Bound(_average(mistakes, examples, delta), "risk", _AVERAGE, (INDEPENDENT, RUN_CHOSEN))


def online_to_batch_vote(mistakes: int, examples: int, delta: float | Fraction) -> Bound:
    """Risk of the majority vote of h₀, …, hₙ₋₁ ≤ twice the average's, with the same probability.

    Where the vote errs, at least half of the hypotheses do.

    >>> round(online_to_batch_vote(30, 1000, 0.05).value, 4)
    0.1374
    """
    return Bound(min(1.0, 2 * _average(mistakes, examples, delta)), "risk", _VOTE, (INDEPENDENT, RUN_CHOSEN))


def random_stop(mistakes: float, examples: int) -> Bound:
    """Risk ≤ M/(n + 1) on average over n examples and the draw of one of h₀, …, hₙ, if M bounds the mistakes on n + 1 examples.

    A stop after a random number of examples: the hypothesis is then tried on the next, which is as good as any fresh one. M
    bounds the expected mistakes, so any mistake bound will do. The majority vote of h₀, …, hₙ has at most twice that.

    >>> random_stop(3, 99).value
    0.03
    """
    n = _checked(examples, "examples")
    most = mistakes if isinstance(mistakes, int) else number("mistakes", mistakes, "a number of at least 0")
    if not most >= 0:
        raise ParameterError(f"found mistakes = {shown(mistakes)}, expected a number of at least 0")
    value = most / min(n + 1, _LARGEST) if most <= n else 1.0
    assumes = (INDEPENDENT, "M bounds the expected number of mistakes on n + 1 of them", "on average over examples and draw")
    return Bound(value, "risk", _STOP, assumes)


def _average(mistakes: int, examples: int, delta: float | Fraction) -> float:
    made, n, d = _checked(mistakes), _checked(examples, "examples"), _rounded_down(_inside("delta", delta))
    if made > n:
        raise ParameterError(f"found mistakes = {shown(mistakes)} on examples = {shown(examples)}, expected at most as many")
    if n == 0 or d == 0.0:
        return 1.0
    return min(1.0, (made / n + math.sqrt(-math.log(d) / (2 * min(n, _LARGEST)))) * (1 + 2.0**-50))


def rounded_up(name: str, share: object) -> float:
    """A number above 0 and below 1 as a float that is not below it: one that no float below 1 reaches is refused.

    >>> rounded_up("delta", 0.05), rounded_up("delta", Fraction(1, 10**400))
    (0.05, 5e-324)
    """
    exact = _inside(name, share)
    nearest = float(exact)
    found = nearest if Fraction(nearest) >= exact else math.nextafter(nearest, 1.0)
    if found == 1.0:
        raise ParameterError(f"found {name} = {shown(share)}, expected a number so far below 1 that float64 can tell")
    return found


def _rounded_down(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, 0.0)


def _checked(count: object, name: str = "mistakes") -> int:
    """A whole number of at least 0, exactly."""
    found = int(count) if isinstance(count, float) and count.is_integer() else count
    if isinstance(found, SupportsIndex) and not isinstance(found, bool):
        with suppress(TypeError):  # an array of several is not an index
            if (whole_count := index(found)) >= 0:
                return whole_count
    raise ParameterError(f"found {name} = {shown(count)}, expected a whole number of at least 0")


def _inside(name: str, share: object) -> Fraction:
    """A number above 0 and below 1, exactly."""
    expected = "a number above 0 and below 1"
    found = Fraction(share) if isinstance(share, Rational) else number(name, share, expected)
    if not 0 < found < 1:
        raise ParameterError(f"found {name} = {shown(share)}, expected {expected}")
    return Fraction(found)
