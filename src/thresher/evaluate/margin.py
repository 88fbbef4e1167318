"""A margin for the distance bound, before the distances are known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from thresher._core import LARGEST_VALUE
from thresher.bounds import perceptron_distance
from thresher.data.stream import Batch
from thresher.linear import LinearLearner

__all__ = ["Limit", "promising_margin", "sample_radius"]

#: What a theorem comes to, from a distance and a margin.
Limit = Callable[[float, float], float]

_PIECE = 2**16  # weights at a time: their squares take memory


def promising_margin(learner: LinearLearner, sample: Batch, rounds: int, limit: Limit | None = None) -> float:
    """The γ at which the distance bound with the learner's weights would be smallest if all rounds were like the sample.

    Any γ gives a valid bound, so a guess is enough. It is sought among some of the values y·(w·x) of the sample. `limit` is
    what another theorem than `thresher.bounds.perceptron_distance` says of a distance and a γ.

    >>> import thresher as th
    >>> with th.open_stream("demo:oranges") as stream:
    ...     batch = next(iter(stream))
    >>> learner = th.Perceptron(stream.n, bias=1.0)
    >>> _ = learner.learn_many(batch.X, batch.y)
    >>> promising_margin(learner, batch, rounds=9600)
    5.0
    """
    agreed = sample.y * learner.score_many(sample.X)
    weights = learner.weights
    squares = sum(float(np.square(weights[k : k + _PIECE]).sum()) for k in range(0, len(weights), _PIECE))
    norm = math.sqrt(squares + learner.bias_weight**2)
    each = len(agreed) / rounds
    shares = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5]
    candidates = [1.0, *np.quantile(agreed, shares, method="lower"), *np.quantile(np.abs(agreed), shares, method="lower")]
    least = max(1e-9 * sample_radius(learner, sample) * norm, 1 / LARGEST_VALUE)  # below it is but rounding
    usable = [float(gamma) for gamma in candidates if least <= gamma <= LARGEST_VALUE]

    def bound(gamma: float) -> float:
        distance = float(np.maximum(0.0, gamma - agreed).sum()) / each
        if limit is not None:
            return limit(distance, gamma)
        return perceptron_distance(distance=distance, margin=gamma, radius=sample_radius(learner, sample), norm=norm).value

    return min(usable, key=bound, default=1.0)


def sample_radius(learner: LinearLearner, sample: Batch) -> float:
    """The largest norm of the sample's examples, as the learner sees them."""
    if learner.rule.normalize:
        return 1.0
    sums = np.concatenate(([0.0], np.cumsum(np.square(sample.rows.data))))
    squares = sums[sample.rows.indptr[1:]] - sums[sample.rows.indptr[:-1]]
    return float(np.sqrt(max(squares.max(), 0.0) + (learner.rule.bias or 0.0) ** 2))
