"""Forecasters of every kind, and streams for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th

Array = NDArray[np.float64]

MAKERS: dict[str, Callable[[], th.Forecaster]] = {
    "squared": th.Forecaster,
    "squared, expert": lambda: th.Forecaster(against="expert"),
    "absolute": lambda: th.Forecaster(loss="absolute"),
    "absolute, expert": lambda: th.Forecaster(loss="absolute", against="expert"),
    "range": lambda: th.Forecaster(range=(-1.0, 9.0)),
    "log": lambda: th.Forecaster(loss="log"),
    "log, outcomes": lambda: th.Forecaster(loss="log"),
    "brier": lambda: th.Forecaster(loss="brier"),
    "brier, outcomes": lambda: th.Forecaster(loss="brier"),
}


class Stream(NamedTuple):
    """Rounds × experts (× outcomes), and what came."""

    given: Array
    outcomes: Array


@st.composite
def streams(draw: st.DrawFn, name: str, rounds: int = 20, asleep: bool = False) -> Stream:
    """Forecasts on a grid that float32 holds, among them many alike; outcomes off it, or 0, 1, 2."""
    n, T = draw(st.integers(1, 5)), draw(st.integers(0, rounds))
    K = draw(st.integers(2, 4)) if "outcomes" in name else 2
    if name.startswith(("log", "brier")):
        # Shares of 64 points; no probability is 0, or all might be of what happens.
        points = draw(st.lists(st.lists(st.integers(0, 60), min_size=K - 1, max_size=K - 1), min_size=T * n, max_size=T * n))
        cuts = np.sort(np.array(points, dtype=np.float64).reshape(T, n, K - 1), axis=2) + np.arange(1, K)
        edges = np.concatenate([np.zeros((T, n, 1)), cuts, np.full((T, n, 1), 64.0)], axis=2)
        shares = np.diff(edges, axis=2) / 64.0
        came = draw(st.lists(st.integers(0, K - 1), min_size=T, max_size=T))
        given = shares if "outcomes" in name else shares[:, :, 1]
        outcomes = np.array(came, dtype=np.float64)
    else:
        values = draw(st.lists(st.integers(0, 64), min_size=T * n, max_size=T * n))
        given = np.array(values, dtype=np.float64).reshape(T, n) / 8.0
        outcomes = np.array(draw(st.lists(st.integers(-7, 70), min_size=T, max_size=T)), dtype=np.float64) / 8.0 + 0.0123
    if asleep and n > 1:
        sleepers = draw(st.lists(st.integers(0, 2 * n), min_size=T, max_size=T))
        given = given.copy()
        for t, i in enumerate(sleepers):
            if i < n:
                given[t, i] = np.nan
    return Stream(given, outcomes)


def everything(forecaster: th.Forecaster) -> bytes:
    parameters, arrays = forecaster.state()
    return repr(parameters).encode() + b"".join(array.tobytes() for array in arrays.values())


def losses_of(name: str, forecasts: Array, outcomes: Array) -> Array:
    """What forecasts lose, from the definitions: one number a round (and expert, if the last axis but outcomes is theirs)."""
    y = outcomes.reshape(len(outcomes), *[1] * (forecasts.ndim - 1 - ("outcomes" in name)))
    if name.startswith("absolute"):
        return np.asarray(np.abs(forecasts - y))
    if name.startswith(("squared", "range")):
        return np.asarray((forecasts - y) ** 2)
    shares = forecasts if "outcomes" in name else np.stack([1 - forecasts, forecasts], axis=-1)
    happened = (np.arange(shares.shape[-1]) == y[..., np.newaxis]).astype(np.float64)
    if name.startswith("brier"):
        return np.asarray(((shares - happened) ** 2).sum(axis=-1))
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log((shares * happened).sum(axis=-1)))
