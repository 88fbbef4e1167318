"""What a witness comes to in exact fractions: it decides where rounding alone could.

The core sums with outward rounding; what is below has no rounding, takes a thousand times as long, and shares no code with it.
"""

from __future__ import annotations

import math
from fractions import Fraction

from thresher.evaluate.parts import Examples, parts
from thresher.ledger import Comparator, Cover, Disjunction, Separator, Threshold

__all__ = ["exactly"]

_ONE = Fraction(1)


def exactly(witness: Comparator, examples: Examples, bias: float | None) -> dict[str, Fraction]:
    """The numbers of a witness's theorems by name, exact; but a separator's norm, which may be irrational, from just above.

    >>> exactly(Separator([0.1, -0.1], margin=0.25), [([[1, 0], [0, 3]], [+1, -1])], None)["margin"] == Fraction(0.1)
    True
    >>> exactly(Disjunction(2, {0}), [([[1, 0], [1, 1]], [+1, -1])], None)
    {'errors': Fraction(1, 1)}
    """
    if isinstance(witness, Separator):
        return _separator(witness, examples, bias)
    if isinstance(witness, Disjunction):
        weights = {**dict.fromkeys(witness.on, _ONE), **dict.fromkeys(witness.off, -_ONE)}
        scores = _scores(weights, Fraction(len(witness.off)), examples)
        return {"errors": sum((_ONE * (score <= 0) if y > 0 else max(score, Fraction(0)) for score, y in scores), Fraction(0))}
    if not isinstance(witness, Cover | Threshold):
        return {}
    weights = {i: Fraction(weight) for i, weight in enumerate(witness.mu.tolist()) if weight}
    norm, scores = sum(weights.values(), Fraction(0)), _scores(weights, Fraction(0), examples)
    if isinstance(witness, Cover):
        least = min((score for score, y in scores if y > 0), default=_ONE)
        return {"norm": norm / least} if least > 0 else {}
    top = _ONE - Fraction(witness.delta)
    missing = (_ONE - score if y > 0 else score - top for score, y in scores)
    return {"norm": norm, "errors": sum((each for each in missing if each > 0), Fraction(0))}


def _separator(witness: Separator, examples: Examples, bias: float | None) -> dict[str, Fraction]:
    weights = {i: Fraction(weight) for i, weight in enumerate(witness.u.tolist()) if weight}
    gamma, shift = Fraction(witness.margin), Fraction(witness.bias_weight)
    agreed = [y * score for score, y in _scores(weights, shift * Fraction(bias or 0.0), examples)]
    short = [gamma - each for each in agreed if each < gamma]
    return {
        "margin": min(agreed, default=gamma),
        "distance": sum(short, Fraction(0)),
        "squared": sum((each * each for each in short), Fraction(0)),
        "norm": _root_above(sum((weight * weight for weight in weights.values()), shift * shift)),
    }


def _root_above(square: Fraction) -> Fraction:
    """The square root, or a fraction that is larger by less than 2^-200 of it."""
    shift = 2 * max(0, 200 + square.denominator.bit_length() - square.numerator.bit_length())
    scaled = -((-square.numerator << shift) // square.denominator)
    root = math.isqrt(scaled)
    return Fraction(root if root * root == scaled else root + 1, 1 << shift // 2)


def _scores(weights: dict[int, Fraction], shift: Fraction, examples: Examples) -> list[tuple[Fraction, int]]:
    """w·x and the label of every row."""
    scores = []
    for part in parts(examples):
        rows = part.matrix()
        slots, values, starts = rows.indices.tolist(), rows.data.tolist(), rows.indptr.tolist()
        for k, positive in enumerate(part.positive().tolist()):
            terms = range(starts[k], starts[k + 1])
            score = sum((weights[slots[j]] * Fraction(values[j]) for j in terms if slots[j] in weights), shift)
            scores.append((score, 1 if positive else -1))
    return scores
