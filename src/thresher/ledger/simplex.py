"""The least of a quadratic form over mixtures: by an active set, on a matrix that may be singular."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_mixture", "least_mixture"]


def as_mixture(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of at least 0 divided by their sum, which then is within n + 2 units of 1."""
    kept: NDArray[np.float64] = np.maximum(u, 0.0)
    return kept / float(kept.sum())


def least_mixture(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mixture u with the least u'Gu, as nearly as float64 finds it; G is positive semidefinite.

    u is the direction of the v ≥ 0 with the least v'Gv + (1 − Σv)², found by Lawson's and Hanson's active set: for a direction
    u the best size leaves u'Gu/(1 + u'Gu). Whoever uses u checks what it loses.

    >>> least_mixture(np.array([[2.0, 0.0], [0.0, 1.0]])).round(6).tolist()
    [0.333333, 0.666667]
    >>> least_mixture(np.array([[1.0, 2.0], [2.0, 5.0]])).tolist()
    [1.0, 0.0]
    """
    n = len(gram)
    size = float(np.diag(gram).max(initial=0.0))
    if not 0.0 < size < np.inf:
        return np.full(n, 1 / n)
    scaled = gram / size
    best: NDArray[np.float64] = np.eye(n)[int(np.diag(gram).argmin())]
    form = scaled + 1.0
    v, active = np.zeros(n), np.zeros(n, dtype=np.bool_)
    for _ in range(3 * n + 8):
        slack = np.where(active, -np.inf, 1.0 - form @ v)
        i = int(slack.argmax())
        if active.all() or slack[i] <= 1e-14:
            break
        active[i] = True
        v, active = _stepped(form, v, active)
        if not v.any():
            break
        u = as_mixture(v)
        if u @ scaled @ u < best @ scaled @ best:
            best = u
    return best


def _stepped(
    form: NDArray[np.float64], v: NDArray[np.float64], active: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """From v to the least point of the active coordinates, or, where one would fall below 0, until it is 0 and goes."""
    active = active.copy()
    while active.any():
        on = np.flatnonzero(active)
        aim = np.zeros(len(v))
        aim[on] = np.linalg.lstsq(form[np.ix_(on, on)], np.ones(len(on)), rcond=None)[0]
        below = on[aim[on] <= 0.0]
        if not below.size:
            return aim, active
        steps = v[below] / np.where(v[below] > aim[below], v[below] - aim[below], 1.0)
        v = v + float(steps.min()) * (aim - v)
        out = below[steps <= steps.min()]
        v[out], active[out] = 0.0, False
    return v, active
