"""The best fixed mixture of forecasters, found by passes over what they forecast; with a proof of how good it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.bounds.arguments import not_negative, whole
from thresher.errors import ExampleError, ParameterError
from thresher.examples import numeric
from thresher.experts import AdaHedge
from thresher.ledger.scores import LOSSES, mixed, normal, scores
from thresher.ledger.simplex import as_mixture, least_mixture
from thresher.ledger.sums import Sums, up

__all__ = ["FoundMixture", "best_mixture"]

Floats = NDArray[np.float64]
Block = tuple[ArrayLike, ArrayLike]

_U = 2.0**-53
_SMALL = 500_000  # cells of a linear program
_LEAST_STEP = 2.0**-20
_LARGEST = 2.0**100


class FoundMixture(NamedTuple):
    """A mixture u of the forecasters, what it lost (rounded up), and at most how much less another mixture can have lost."""

    u: Floats
    loss: float
    gap: float
    passes: int


def best_mixture(
    blocks: Sequence[Block] | Callable[[], Iterable[Block]],
    loss: Literal["squared", "absolute", "log", "brier"] = "squared",
    *,
    passes: int = 100,
    gap: float = 1e-6,
) -> FoundMixture:
    """The mixture u with the least Σ ℓ(u·x, y) over all rounds, chosen after the fact.

    `blocks` can be read again: a list of pairs (forecasts, outcomes), or a function that gives such pairs anew. Forecasts are
    rounds × experts, or, for log and Brier, rounds × experts × outcomes. It stops after so many passes, or once no mixture can
    be better by more than `gap` times its loss.

    - Squared loss and Brier score are quadratic in u: one pass sums a Gram matrix, an active set finds u.
    - Log loss: Newton's steps on the mixtures. With r = x(y)/p(y) at u, the quadratic that fits there is least where
      Σ (v·r − 2)² is: a Gram matrix once more. A step that makes it worse is shortened.
    - Absolute loss: a linear program where it is small, else AdaHedge on the slopes of whole passes.

    `gap` in the answer holds whatever was done: with slopes g of the loss at u no mixture loses less than
    Σ ℓ(u·x, y) − (g·u − minᵢ gᵢ), as ℓ is convex; for the absolute loss with any slopes from −1 to 1 in place of signs.

    >>> found = best_mixture([([[1.0, 4.0], [3.0, 6.0]], [2.0, 5.0])], "absolute")
    >>> [round(float(weight), 3) for weight in found.u], round(found.loss, 6), found.gap < 1e-9
    ([0.667, 0.333], 1.0, True)
    """
    if loss not in LOSSES:
        raise ParameterError(f"found loss = {loss!r}, expected one of {', '.join(LOSSES)}")
    whole(1, passes=passes)
    not_negative(gap=gap)
    data = _Data(blocks, loss)
    if loss in ("squared", "brier"):
        return _checked(data, least_mixture(data.gram()), 2)[0]
    if loss == "log":
        return _by_newton(data, passes, gap)
    rounds, n = data.size()
    return _by_program(data) if rounds * n <= _SMALL else _by_slopes(data, n, passes, gap)


class _Data:
    """The blocks, read again and again, checked each time."""

    def __init__(self, blocks: Sequence[Block] | Callable[[], Iterable[Block]], loss: str) -> None:
        if not callable(blocks) and not isinstance(blocks, Sequence):
            raise ParameterError(f"found {type(blocks).__name__}, expected a list of blocks or a function that gives them anew")
        self._blocks = blocks
        self.loss = loss

    def __iter__(self) -> Iterator[tuple[Floats, Floats]]:
        n, seen = None, False
        for forecasts, outcomes in self._blocks() if callable(self._blocks) else self._blocks:
            x = normal(numeric(forecasts, "the forecasts", "rounds × experts"))
            y = numeric(outcomes, "the outcomes", "one for each round").astype(np.float64)
            if x.ndim not in ((2, 3) if self.loss in ("log", "brier") else (2,)) or y.shape != x.shape[:1]:
                raise ExampleError(f"found forecasts of shape {x.shape} and outcomes of shape {y.shape}, expected one a round")
            if not np.isfinite(x).all() or not np.isfinite(y).all() or x.shape[1] != (n or x.shape[1]) or x.shape[1] == 0:
                raise ExampleError(
                    f"found forecasts of shape {x.shape}, expected finite numbers of as many experts in each block"
                )
            _check_forecasts(self.loss, x, y)
            n, seen = x.shape[1], True
            yield x, y
        if not seen:
            raise ExampleError("found no forecasts, expected a block at least")

    def size(self) -> tuple[int, int]:
        shapes = [x.shape for x, _ in self]
        return sum(shape[0] for shape in shapes), shapes[0][1]

    def gram(self) -> Floats:
        """Σ (xᵢ − y)(xⱼ − y), over the outcomes too where there are several."""
        total: Floats | float = 0.0
        for x, y in self:
            if x.ndim == 2:
                d = x - y[:, np.newaxis]
            else:
                happened = np.arange(x.shape[2]) == y[:, np.newaxis]
                d = np.moveaxis(x - happened[:, np.newaxis, :], 1, 2).reshape(-1, x.shape[1])
            total = total + d.T @ d
        return np.asarray(total)

    def ratios(self, u: Floats) -> Floats:
        """Σ (rᵢ − 2)(rⱼ − 2) for the log loss, r what each expert gave to what happened over what the mixture gave."""
        total: Floats | float = 0.0
        for x, y in self:
            d = -_slopes("log", x, mixed(x, u)[0], y) - 2.0
            total = total + d.T @ d
        return np.asarray(total)

    def lost(self, u: Floats) -> tuple[float, Floats, float]:
        """What u lost, from above; the slopes g of that in each weight; and how far it, g·u and each g may be off."""
        sums, slopes, size, rounds, sure = Sums(2), np.zeros(len(u)), 0.0, 0, True
        for x, y in self:
            p, off = mixed(x, u)
            value, doubt = scores(self.loss, p, off, y)
            if not np.isfinite(value).all():
                raise ExampleError("found a round in which every forecaster gives probability 0 to what happened")
            sure = sure and bool(np.isfinite(doubt).all())
            sums = sums.plus(np.column_stack([value, np.where(np.isfinite(doubt), doubt, 0.0)]))
            each = _slopes(self.loss, x, p, y)
            slopes += each.sum(axis=0)
            size += float(np.abs(each).max(axis=1).sum())
            rounds += len(y)
        lost = up([*sums.parts(0), *sums.parts(1)]) if sure else math.inf
        return lost, slopes, (rounds + 8 * len(u) + 64) * _U * size + 2 * up(sums.parts(1))


def _check_forecasts(loss: str, x: Floats, y: Floats) -> None:
    if loss in ("log", "brier"):
        outcomes = 2 if x.ndim == 2 else x.shape[2]
        if not ((x >= 0.0) & (x <= 1.0)).all():
            raise ExampleError("found a forecast that is no probability, expected numbers from 0 to 1")
        if not ((y >= 0.0) & (y < outcomes) & (y == np.floor(y))).all():
            raise ExampleError(f"found an outcome that is none of {outcomes}, expected a whole number from 0 to {outcomes - 1}")
    elif not (np.abs(x) <= _LARGEST).all() or not (np.abs(y) <= _LARGEST).all():
        raise ExampleError("found a forecast or an outcome beyond 2^100 (1.3e30), expected smaller numbers")


def _slopes(loss: str, x: Floats, p: Floats, y: Floats) -> Floats:
    """The derivative of each round's loss in each weight."""
    if loss == "absolute":
        return np.sign(p - y)[:, np.newaxis] * x
    if loss == "log":
        rows = np.arange(len(y))
        k = y.astype(np.int64)
        chances = np.where(y[:, np.newaxis] == 1.0, x, 1.0 - x) if x.ndim == 2 else x[rows, :, k]
        mixture = np.where(y == 1.0, p, 1.0 - p) if x.ndim == 2 else p[rows, k]
        return -chances / mixture[:, np.newaxis]
    if x.ndim == 2:
        return (2.0 if loss == "squared" else 4.0) * (p - y)[:, np.newaxis] * x
    happened = np.arange(x.shape[2]) == y[:, np.newaxis]
    each: Floats = np.einsum("tk,tik->ti", 2.0 * (p - happened), x)
    return each


def _checked(data: _Data, u: Floats, passes: int) -> tuple[FoundMixture, Floats]:
    """What u lost, how far it can be from the best, whatever found it, and the slopes there."""
    lost, slopes, doubt = data.lost(u)
    return FoundMixture(u, lost, max(0.0, float(slopes @ u) - float(slopes.min())) + 2 * doubt, passes), slopes


def _by_newton(data: _Data, passes: int, gap: float) -> FoundMixture:
    n = data.size()[1]
    found, step = _checked(data, np.full(n, 1 / n), 2)[0], 1.0
    while found.passes < passes and found.gap > gap * max(1.0, found.loss) and step > _LEAST_STEP:
        ahead = least_mixture(data.ratios(found.u)) - found.u
        used, step = found.passes + 1, 1.0
        while used < passes and step > _LEAST_STEP:
            used += 1
            try:
                tried = _checked(data, as_mixture(np.maximum(found.u + step * ahead, 0.0)), used)[0]
            except ExampleError:  # so far ahead that what happened has probability 0
                step /= 4
                continue
            if tried.loss < found.loss:
                found = tried
                break
            step /= 4
        found = found._replace(passes=used)
    return found


def _by_slopes(data: _Data, n: int, passes: int, gap: float) -> FoundMixture:
    """AdaHedge against the slopes of whole passes: the mean of its weights is as good as its regret over the passes."""
    rule, mean, floor = AdaHedge(n), np.zeros(n), np.zeros(n)
    found = None
    for k in range(1, passes + 1):
        u = as_mixture(rule.weights)
        lost, slopes, doubt = data.lost(u)
        rule.learn_losses(slopes)
        mean += u
        floor += slopes + (lost - float(slopes @ u))  # every mixture v loses at least its mean·v, as the loss is convex
        if k & (k - 1) == 0 or k == passes:  # a check costs a pass
            v = as_mixture(mean)
            best = data.lost(v)[0]
            found = FoundMixture(v, best, max(0.0, best - float((floor / k).min())) + 4 * doubt, 2 * k)
            if found.gap <= gap * max(1.0, best):
                break
    if found is None:
        raise AssertionError("the last pass is checked")
    return found


def _by_program(data: _Data) -> FoundMixture:
    """The dual linear program: slopes s from −1 to 1 with the largest minᵢ Σ s(xᵢ − y); u is what its constraints cost.

    Any slopes from −1 to 1 prove that no mixture loses less than minᵢ Σ s(xᵢ − y), and any u is a mixture.
    """
    from scipy.optimize import linprog

    d = np.concatenate([x - y[:, np.newaxis] for x, y in data])
    rounds, n = d.shape
    scale = float(np.abs(d).max(initial=0.0)) or 1.0
    solved = linprog(
        np.concatenate([np.zeros(rounds), [-1.0]]),
        A_ub=np.column_stack([-(d / scale).T, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[*[(-1.0, 1.0)] * rounds, (None, None)],
        method="highs",
    )
    slopes = solved.x
    costs = np.zeros(n) if slopes is None else np.maximum(-np.asarray(solved.ineqlin.marginals, dtype=np.float64), 0.0)
    if slopes is None or not costs.any():
        return _by_slopes(data, n, 100, 0.0)
    u = as_mixture(costs)
    terms = np.clip(np.asarray(slopes[:rounds], dtype=np.float64), -1.0, 1.0)[:, np.newaxis] * d
    lost, _, doubt = data.lost(u)
    doubt += (rounds + 8 * n + 64) * _U * float(np.abs(d).max(axis=1).sum())
    return FoundMixture(u, lost, max(0.0, lost - float(terms.sum(axis=0).min())) + 2 * doubt, 1)
