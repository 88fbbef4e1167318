"""Pictures of counts for a notebook. matplotlib is imported when something is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher._core import Rounds
from thresher.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Counted", "counted", "draw_counts", "draw_rounds"]

_POINTS = 2000
_FAR = 3.0


class Counted(NamedTuple):
    """What was counted until after some rounds, in columns; `since` are the numbers of these rounds, from 0."""

    since: NDArray[np.int64]
    mistakes: NDArray[np.int64]
    positives: NDArray[np.int64]
    repeats: NDArray[np.int64]
    loss: NDArray[np.float64]


def counted(rounds: Rounds, last_label: int, at: NDArray[np.int64]) -> Counted:
    """What was counted of these rounds after so many of them, where `last_label` came before the first.

    >>> import thresher as th
    >>> rounds = th.Perceptron(1).learn_many([[1.0], [1.0], [-1.0]], [-1, -1, 1])
    >>> [column.tolist() for column in counted(rounds, 1, np.array([1, 3]))]
    [[1, 3], [1, 1], [0, 1], [1, 2], [1.0, 1.0]]
    """
    found = rounds._counted(at.tolist(), last_label)
    mistakes, positives, repeats = (np.array([each[k] for each in found], np.int64) for k in range(3))
    return Counted(at, mistakes, positives, repeats, np.array([loss for *_, loss in found], np.float64))


def draw_rounds(rounds: Rounds, ax: Any = None) -> Any:
    """Draws how the mistakes of these rounds went, and the loss where it is another, beside two baselines."""
    at = np.unique(np.linspace(0, len(rounds), min(len(rounds), _POINTS) + 1).round().astype(np.int64))
    return draw_counts(ax, rounds.first - 1, counted(rounds, +1, at))


def draw_counts(ax: Any, before: int, course: Counted, bounds: Iterable[tuple[str, float]] = ()) -> Any:
    """Draws counts on the Axes, or on new ones, with bounds as level lines; the rounds are those after `before`."""
    axes = _axes() if ax is None else ax
    t = before + course.since
    axes.plot(t, course.mistakes, label="mistakes")
    if not np.array_equal(course.loss, course.mistakes):
        axes.plot(t, course.loss, dashes=(6, 2), label="loss")
    constant = np.minimum(course.positives, course.since - course.positives)
    axes.plot(t, constant, "--", label="best constant")
    axes.plot(t, course.repeats, ":", label="repeating the last label")
    own = [float(course.mistakes[-1]), float(course.loss[-1])]
    for name, limit in bounds:
        axes.axhline(limit, color="0.5", linestyle="-.", label=name)
        own.append(limit)
    top = _FAR * max(own)  # baselines far above it leave the picture
    axes.set_ylim(0.0, top if 0.0 < top < max(constant[-1], course.repeats[-1]) else None)
    axes.set_xlabel("round")
    axes.set_ylabel("counted so far")
    axes.legend()
    return axes


def _axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ParameterError("found no matplotlib to draw with: pip install 'thresher[plot]', or give an ax") from None
    return pyplot.subplots()[1]
