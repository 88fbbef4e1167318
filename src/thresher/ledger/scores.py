"""What forecasts lose: the four losses, on columns of rounds, each with what rounding may have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LOSSES", "averages", "mixed", "normal", "scores", "slopes"]

LOSSES = ("squared", "absolute", "log", "brier")
_U = 2.0**-53

Floats: TypeAlias = "NDArray[np.float64]"


def normal(given: NDArray[np.floating]) -> Floats:
    """Forecasts as float64, rounds × experts or rounds × experts × outcomes; probabilities of outcomes divided by their sum."""
    x = given.astype(np.float64)
    if x.ndim < 3:
        return x
    total: Floats = x.sum(axis=2, keepdims=True)
    return x / np.where(total == 0.0, 1.0, total)


def mixed(x: Floats, u: Floats) -> tuple[Floats, Floats]:
    """The mixture's forecast u·x of each round, and how far it may be off: u may be off by n + 2 units itself."""
    shape = (1, -1, *(1,) * (x.ndim - 2))
    parts = np.moveaxis(x * u.reshape(shape), 1, -1)
    size: Floats = np.abs(parts).sum(axis=-1)
    return np.ascontiguousarray(parts).sum(axis=-1), size * ((3 * x.shape[1] + 8) * _U)


def averages(x: Floats) -> Floats:
    """The plain average of the forecasts of those awake, in each round."""
    asleep = np.isnan(x)
    awake: Floats = np.where(asleep, 0.0, x).sum(axis=1)
    count: Floats = np.maximum(1.0, (~asleep).sum(axis=1))
    return awake / count


def scores(loss: str, p: Floats, off: Floats, y: Floats) -> tuple[Floats, Floats]:
    """What each forecast p loses, and how far that may be off if p is by `off`.

    >>> p, y = np.array([0.75]), np.array([1.0])
    >>> [float(scores(loss, p, np.zeros(1), y)[0][0]) for loss in LOSSES]
    [0.0625, 0.25, 0.2876820724517809, 0.125]
    """
    if loss in ("squared", "absolute"):
        d = np.abs(p - y)
        wide = off + _U * d
        return (d * d, wide * (2 * d + wide) + 2 * _U * d * d) if loss == "squared" else (d, wide)
    if loss == "brier":
        if p.ndim == 1:
            value, doubt = scores("squared", p, off, y)
            return 2 * value, 2 * doubt
        d = p - _happened(y, p.shape[1])
        wide = off + _U * np.abs(d)
        value = np.ascontiguousarray(d * d).sum(axis=1)
        return value, (wide * (2 * np.abs(d) + wide)).sum(axis=1) + (p.shape[1] + 4) * _U * value
    if p.ndim == 1:
        chance, wide = np.where(y == 1.0, p, 1.0 - p), off + _U
    else:
        rows = np.arange(len(y))
        chance, wide = p[rows, y.astype(np.int64)], off[rows, y.astype(np.int64)]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = -np.log(chance)
        least = chance - wide
        doubt = np.where(least > 0.0, wide / least, np.inf) + 4 * _U * (1.0 + np.abs(value))
    return value, doubt


def slopes(loss: str, p: Floats, y: Floats) -> Floats:
    """The size of the loss's derivative at each forecast, for the squared and the absolute loss, from above."""
    return 2 * np.abs(p - y) * (1 + 4 * _U) if loss == "squared" else np.ones(len(p))


def _happened(y: Floats, outcomes: int) -> Floats:
    return np.asarray(np.arange(outcomes) == y[:, np.newaxis], dtype=np.float64)
