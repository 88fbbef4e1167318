"""Comparators that a learner's final weights suggest: what to hold its run against when nothing better is known.

Any comparator gives a valid bound, so guesses are enough; they are made on a sample, and checked on every row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from thresher import bounds
from thresher.bounds import Bound
from thresher.data.stream import Batch
from thresher.errors import ParameterError
from thresher.evaluate.margin import promising_margin, sample_radius
from thresher.ledger import Comparator, Disjunction, Separator, Threshold
from thresher.linear import (
    BalancedWinnow,
    Elimination,
    LinearLearner,
    LiteralWinnow,
    PassiveAggressive,
    PNormPerceptron,
    Winnow,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["witnesses"]

_MOST_LITERALS = 100_000
_SHARES = (1.0, 0.5, 0.25, 0.1, 0.05, 0.01)
_DELTAS = (1.0, 0.75, 0.5, 0.3, 0.2, 0.1, 0.05)


def witnesses(learner: LinearLearner, sample: Batch, rounds: int) -> list[Comparator]:
    """What to hold a run of so many rounds against, from the learner's weights at its end and some of its examples.

    >>> import thresher as th
    >>> with th.open_stream("demo:oranges") as stream:
    ...     batch = next(iter(stream))
    >>> learner = th.Winnow(stream.n, threshold=20)
    >>> _ = learner.learn_many(batch.X, batch.y)
    >>> [type(witness).__name__ for witness in witnesses(learner, batch, 9600)]
    ['Disjunction', 'Threshold']
    """
    called = f"from the learner's weights after {learner.rounds:,} rounds"
    if isinstance(learner, Elimination):
        on, off = learner.left
        return [Disjunction(learner.n, np.flatnonzero(on), np.flatnonzero(off), called="the literals left at the end")]
    if isinstance(learner, Winnow):
        return [_disjunction(learner, sample, rounds, called), _threshold(learner, sample, rounds, called)]
    if isinstance(learner, LiteralWinnow):
        return [_disjunction(learner, sample, rounds, called)]
    if not learner._PROVEN:
        return []
    return [_separator(learner, sample, rounds, called)]


def _separator(learner: LinearLearner, sample: Batch, rounds: int, called: str) -> Separator:
    if isinstance(learner, BalancedWinnow):
        return _balanced(learner, sample, rounds, called)
    if isinstance(learner, PassiveAggressive):
        return _passive_aggressive(learner, sample, rounds)
    if isinstance(learner, PNormPerceptron):
        return _p_norm(learner, sample, rounds)
    return Separator.of(learner, margin=promising_margin(learner, sample, rounds))


def _disjunction(learner: Winnow | LiteralWinnow, sample: Batch, rounds: int, called: str) -> Disjunction:
    """Of the sets of heaviest literals the one whose bound would be smallest if all rounds were like the sample."""
    n, arguments = learner.n, learner._arguments()
    on, off = learner.weights, learner.negated_weights if isinstance(learner, LiteralWinnow) else np.zeros(0)
    matrix, positive = sample.matrix(), sample.y > 0
    parameters = {name: arguments[name] for name in ("threshold", "factor", "strict")}

    def fits() -> Iterator[tuple[float, Disjunction]]:
        for share in (2.0, *_SHARES):
            weight = max(share * arguments["threshold"], 1.5)
            chosen = np.flatnonzero(on >= weight), np.flatnonzero(off >= weight)
            if sum(map(len, chosen)) > _MOST_LITERALS:
                continue
            u = np.zeros(n)
            u[chosen[0]] = 1.0
            u[chosen[1]] = -1.0
            true = matrix @ u + len(chosen[1])
            errors = float(np.where(positive, true <= 0, np.maximum(true, 0.0)).sum()) * rounds / len(sample)
            r = len(chosen[0]) + len(chosen[1])
            literals = n if isinstance(learner, Winnow) else 2 * n
            bound = bounds.winnow_agnostic(r, errors=errors, n=literals, **parameters)
            yield bound.value, Disjunction(n, *chosen, called=f"the heaviest literals, {called}")

    return min(fits(), key=lambda each: each[0], default=(0.0, Disjunction(n, ())))[1]


def _threshold(learner: Winnow, sample: Batch, rounds: int, called: str) -> Threshold:
    """w/θ, scaled, and a δ: of a few the best on the sample."""
    arguments = learner._arguments()
    mu = learner.weights / arguments["threshold"]
    scores, positive = sample.matrix() @ mu, sample.y > 0
    numbers = {"n": learner.n, "threshold": arguments["threshold"], "factor": arguments["factor"]}
    weights = mu[mu > 0]
    total, entropy = float(weights.sum()), float((weights * np.log(weights)).sum())

    def bound(scale: float, delta: float) -> Bound:
        scaled = scale * scores
        missing = np.where(positive, np.maximum(0.0, 1.0 - scaled), np.maximum(0.0, scaled - (1.0 - delta)))
        grown = scale * (entropy + total * math.log(scale))
        errors = float(missing.sum()) * rounds / len(sample)
        return bounds.winnow_entropy(scale * total, entropy=grown, delta=delta, errors=errors, **numbers)

    candidates = ((scale, delta) for scale in _scales(scores[positive]) for delta in _DELTAS)
    scale, delta = min(candidates, key=lambda each: bound(*each).value)
    return Threshold(scale * mu, delta=delta, called=f"w/θ times {scale:.6g}, {called}")


def _scales(positive: NDArray[np.float64]) -> Iterable[float]:
    """1, and what brings a share of the positive examples to 1."""
    usable = positive[positive > 0.0]
    if not usable.size:
        return (1.0,)
    return (1.0, *(1.0 / float(each) for each in np.quantile(usable, (0.0, 0.05, 0.25, 0.5), method="lower")))


def _balanced(learner: BalancedWinnow, sample: Batch, rounds: int, called: str) -> Separator:
    """The weights, scaled to ‖u‖₁ = 1, and the γ that would be best on the sample."""
    total = float(np.abs(learner.weights).sum()) + abs(learner.bias_weight)
    if not total > 0.0:
        raise ParameterError("they are all 0")
    u, bias_weight = learner.weights / total, learner.bias_weight / total
    arguments = learner._arguments()
    agreed = sample.y * (sample.matrix() @ u + bias_weight * (arguments["bias"] or 0.0))
    candidates = [float(each) for each in np.quantile(np.abs(agreed), np.linspace(0.05, 1.0, 20)) if each > 1e-9] or [1.0]

    def bound(gamma: float) -> float:
        distance = float(np.maximum(0.0, gamma - agreed).sum()) * rounds / len(sample)
        limit = bounds.balanced_winnow(
            gamma, n=learner.n, eta=arguments["eta"], distance=distance, bias=arguments["bias"] is not None
        )
        return limit.value

    return Separator(u, bias_weight=bias_weight, margin=min(candidates, key=bound), called=f"the weights scaled, {called}")


def _passive_aggressive(learner: PassiveAggressive, sample: Batch, rounds: int) -> Separator:
    """The weights, and the γ that would be best on the sample."""
    norm = math.sqrt(float(learner.weights @ learner.weights) + learner.bias_weight**2)
    numbers = {"C": learner._arguments()["C"], "radius": sample_radius(learner, sample), "norm": norm}

    def limit(distance: float, gamma: float) -> float:
        return bounds.passive_aggressive(gamma, distance=distance, **numbers).value

    return Separator.of(learner, margin=promising_margin(learner, sample, rounds, limit))


def _p_norm(learner: PNormPerceptron, sample: Batch, rounds: int) -> Separator:
    """w, and the γ that would be best on the sample."""
    p, bias = learner._arguments()["p"], learner._arguments()["bias"]
    separator = Separator.of(learner)
    sizes = np.abs(sample.rows.data)
    top = max(float(sizes.max(initial=0.0)), abs(bias or 0.0)) or 1.0
    sums = np.concatenate(([0.0], np.cumsum(np.power(sizes / top, p))))
    most = float((sums[sample.rows.indptr[1:]] - sums[sample.rows.indptr[:-1]]).max()) + (abs(bias or 0.0) / top) ** p
    numbers = {"p": p, "radius": top * most ** (1.0 / p), "norm": separator.norm(p / (p - 1.0))}

    def limit(distance: float, gamma: float) -> float:
        return bounds.p_norm_distance(distance, margin=gamma, **numbers).value

    return Separator.of(learner, margin=promising_margin(learner, sample, rounds, limit))
