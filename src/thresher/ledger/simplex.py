"""The least of a quadratic form over mixtures: by an active set, on a matrix that may be singular."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_mixture", "least_mixture"]

_MANY, _HUGE = 64, 2000
_DESCENTS = 400
_FEW, _WORK = 20, 2 * 10**10
_DROPS = 100
_SHORT, _READ = 50, 4 * 10**9
_CHOSEN, _ADDED = 500, 32


def as_mixture(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of at least 0 divided by their sum, which then is within n + 2 units of 1."""
    kept: NDArray[np.float64] = np.maximum(u, 0.0)
    return kept / float(kept.sum())


def least_mixture(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mixture u with the least u'Gu, as nearly as float64 finds it; G is positive semidefinite.

    u is the direction of the v ≥ 0 with the least v'Gv + (1 − Σv)², found by Lawson's and Hanson's active set: for a direction
    u the best size leaves u'Gu/(1 + u'Gu). Of many coordinates the active ones are guessed first, by descent on the mixtures,
    and the search may end before the least; of more than 2000 only those that descent leaves are searched, and a few that would
    improve what was found. Whoever uses u checks what it loses.

    >>> least_mixture(np.array([[2.0, 0.0], [0.0, 1.0]])).round(6).tolist()
    [0.333333, 0.666667]
    >>> least_mixture(np.array([[1.0, 2.0], [2.0, 5.0]])).tolist()
    [1.0, 0.0]
    """
    n = len(gram)
    size = float(np.diag(gram).max(initial=0.0))
    if not 0.0 < size < np.inf:
        return np.full(n, 1 / n)
    if n > _HUGE:
        return _of_few(gram)
    scaled = gram / size
    best: NDArray[np.float64] = np.zeros(n)
    best[int(np.diag(gram).argmin())] = 1.0
    form = scaled + 1.0
    v, active = np.zeros(n), np.zeros(n, dtype=np.bool_)
    if n > _MANY:
        best = _descended(scaled)
        if float(best @ scaled @ best) <= 1e-15:  # nothing is left to gain
            return best
        v, active = _stepped(form, best / (1.0 + float(best @ scaled @ best)), best > 0.0)
        best = min(best, as_mixture(v), key=lambda u: float(u @ scaled @ u)) if v.any() else best
    for _ in range(min(3 * n + 8, max(_FEW, _WORK // n**3))):
        if n > _MANY and float(best @ scaled @ best) <= 1e-15:  # nothing is left to gain
            break
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


def _of_few(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least of so many that the whole matrix is multiplied seldom, and copied never: of those that a short descent leaves.

    The coordinates that would improve that most are added a few times.
    """
    best = _descended(gram, min(_DESCENTS, max(_SHORT, _READ // len(gram) ** 2)))
    value = float(best @ _times(gram, best))
    chosen = np.sort(np.argsort(-best, kind="stable")[: min(_CHOSEN // 2, int(np.count_nonzero(best)))])
    for _ in range(_FEW):
        u = np.zeros(len(gram))
        u[chosen] = least_mixture(gram[np.ix_(chosen, chosen)])
        slopes = _times(gram, u)
        lost = float(u @ slopes)
        if lost < value:
            best, value = u, lost
        better = np.argsort(slopes, kind="stable")[:_ADDED]
        better = better[slopes[better] < lost - 1e-12 * abs(lost)]
        chosen, before = np.union1d(np.flatnonzero(u), better), chosen
        if not better.size or len(chosen) > _CHOSEN or np.array_equal(chosen, before):
            break
    return best


def _times(form: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gu of a symmetric G, from few of its rows where u has few coordinates."""
    on = np.flatnonzero(u)
    return np.asarray(u[on] @ form[on] if 4 * len(on) < len(u) else form @ u, np.float64)


def _row_sum(form: NDArray[np.float64]) -> float:
    """The largest sum of the sizes in a row, which no eigenvalue exceeds."""
    return max(float(np.abs(form[k : k + _MANY]).sum(axis=1).max()) for k in range(0, len(form), _MANY))


def _descended(form: NDArray[np.float64], steps: int = _DESCENTS) -> NDArray[np.float64]:
    """Nearly the mixture with the least u'Gu: accelerated descent, with u brought back to the mixtures after each step."""
    size = _row_sum(form)
    u = ahead = np.full(len(form), 1 / len(form))
    for k in range(steps):
        after = _nearest_mixture(ahead - _times(form, ahead) / size)
        if float((ahead - after) @ (after - u)) > 0.0:  # it went too far: momentum begins anew
            after = _nearest_mixture(u - _times(form, u) / size)
        ahead = after + k / (k + 3) * (after - u)
        u = after
    return as_mixture(u)


def _nearest_mixture(point: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mixture at the least distance: the point less a number, where that is above 0."""
    high = np.sort(point)[::-1]
    sums = np.cumsum(high) - 1.0
    k = int(np.flatnonzero(high > sums / np.arange(1, len(point) + 1))[-1])
    return np.asarray(np.maximum(point - sums[k] / (k + 1), 0.0), np.float64)


def _solved(form: NDArray[np.float64]) -> NDArray[np.float64]:
    """The x with Gx = 1: the shortest that comes nearest, or, of many coordinates, by Cholesky, where singular only nearly."""
    ones = np.ones(len(form))
    if len(form) <= _MANY:
        return np.asarray(np.linalg.lstsq(form, ones, rcond=None)[0], np.float64)
    low = _root(form)
    if low is None:
        low = _root(form + 1e-9 * form.trace() / len(form) * np.eye(len(form)))
    return ones if low is None else np.asarray(np.linalg.solve(low.T, np.linalg.solve(low, ones)), np.float64)


def _root(form: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Cholesky's root, if there is one that is far from singular."""
    try:
        low = np.asarray(np.linalg.cholesky(form), np.float64)
    except np.linalg.LinAlgError:
        return None
    return low if low.diagonal().min() >= 1e-6 * low.diagonal().max() else None


def _stepped(
    form: NDArray[np.float64], v: NDArray[np.float64], active: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """From v to the least point of the active coordinates, or, where one would fall below 0, until it is 0 and goes."""
    active = active.copy()
    for _ in range(len(v) if len(v) <= _MANY else _DROPS):
        if not active.any():
            break
        on = np.flatnonzero(active)
        aim = np.zeros(len(v))
        aim[on] = _solved(form[np.ix_(on, on)])
        below = on[aim[on] <= 0.0]
        if not below.size:
            return aim, active
        steps = v[below] / np.where(v[below] > aim[below], v[below] - aim[below], 1.0)
        v = v + float(steps.min()) * (aim - v)
        out = below[steps <= steps.min()]
        v[out], active[out] = 0.0, False
    return v, active
