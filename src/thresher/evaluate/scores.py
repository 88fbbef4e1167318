"""What forecasts lost, and what that means in the units of whoever made them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.ledger.scores import scores

__all__ = ["METRICS", "Metric", "losses"]


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
    >>> losses("brier", np.array([[0.25, 1.0]]), np.array([1.0])).tolist()
    [[1.125, 0.0]]
    """
    sure = np.zeros((len(forecasts), *forecasts.shape[2:]))
    columns = (scores(loss, forecasts[:, k], sure, outcomes)[0] for k in range(forecasts.shape[1]))
    return np.column_stack([np.abs(column) for column in columns])  # never −0
