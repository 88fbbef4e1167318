"""What forecasts lost, and what that means in the units of whoever made them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["METRICS", "Metric", "average", "losses"]


class Metric(NamedTuple):
    """How a sum of losses is read: the mean, or its root."""

    name: str
    about: str
    rooted: bool = False

    def of(self, loss: float, rounds: float) -> float:
        """The score of so much loss in so many rounds.

        >>> METRICS["squared"].of(36.0, 4)
        3.0
        """
        mean = loss / rounds if rounds else math.nan
        return math.sqrt(max(0.0, mean)) if self.rooted else mean


#: What each loss is called when it is averaged.
METRICS = {
    "squared": Metric("RMSE", "the root of the mean squared error", rooted=True),
    "absolute": Metric("MAE", "the mean absolute error"),
    "log": Metric("nats", "the mean of −ln of the probability given to what happened"),
    "brier": Metric("Brier score", "the mean over rounds of Σ (p − 1{it happened})² over the outcomes"),
}


def losses(loss: str, forecasts: NDArray[np.float64], outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each forecast lost; forecasts are rounds × forecasters, or rounds × forecasters × outcomes. NaN stays NaN.

    >>> losses("absolute", np.array([[3.0, 5.0]]), np.array([4.5])).tolist()
    [[1.5, 0.5]]
    >>> losses("brier", np.array([[0.2]]), np.array([1.0])).tolist()
    [[1.2800000000000002]]
    """
    return _LOSSES[loss](forecasts, outcomes)


def average(forecasts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The plain average of those awake in each round; NaN where nobody is.

    >>> average(np.array([[1.0, 2.0], [np.nan, 5.0]])).tolist()
    [1.5, 5.0]
    """
    awake = ~np.isnan(forecasts)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(awake, forecasts, 0.0).sum(1) / awake.sum(1), np.float64)


def _squared(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return (x - y[:, None]) ** 2


def _absolute(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs(x - y[:, None])


def _log(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    given = x[np.arange(len(x)), :, y.astype(np.intp)] if x.ndim == 3 else np.where(y[:, None] > 0, x, 1.0 - x)
    with np.errstate(divide="ignore"):
        return np.abs(np.log(given))  # never −0


def _brier(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    if x.ndim == 2:
        return 2.0 * (x - y[:, None]) ** 2
    happened = np.arange(x.shape[2]) == y.astype(np.intp)[:, None]
    return np.asarray(((x - happened[:, None, :]) ** 2).sum(2), np.float64)


_LOSSES: dict[str, Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]] = {
    "squared": _squared,
    "absolute": _absolute,
    "log": _log,
    "brier": _brier,
}
