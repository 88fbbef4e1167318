"""Which weights of a model are the heaviest, and what their attributes are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.cli.lanes import lane_of
from thresher.compose import Portfolio
from thresher.linear import LinearLearner, LiteralWinnow, ScaledWinnow
from thresher.store import Model

__all__ = ["Weight", "heaviest", "names_of", "weighed"]

_PIECE = 2**16  # weights that are sorted at a time


class Weight(NamedTuple):
    """A weight with its slot and the names that fall into it."""

    slot: int | None
    names: list[str]
    weight: float


def weighed(model: Model) -> LinearLearner | None:
    """The learner whose weights are shown: of a portfolio the best one's, if it has any."""
    learner = model.learner
    return lane_of(learner, learner.best_lane) if isinstance(learner, Portfolio) else learner


def heaviest(model: Model, learner: LinearLearner, top: int) -> tuple[list[Weight], list[Weight]]:
    """The weights that lean most to +1, and those to -1, the most last; only what ever moved. The bias is one of them."""
    names = names_of(model)
    weights, lean = learner.weights, learner._lean()
    slots = np.arange(0)
    for start in range(0, learner.n, _PIECE):
        more = start + np.flatnonzero(lean[start : start + _PIECE])
        slots = _extreme(np.append(slots, more), lean, top)
    found = [(float(lean[slot]), Weight(int(slot), names(int(slot)), float(weights[slot]))) for slot in slots]
    bias = learner.bias_weight
    leans = bias
    if isinstance(learner, LiteralWinnow):
        found += _others("not {}", learner.negated_weights, learner._state()[0]["negated"], names, top)
    elif isinstance(learner, ScaledWinnow):
        leans = float(np.log(bias))
        found += _others("{} below 0", learner.below, np.log(learner.below), names, top)
    found += [(leans, Weight(None, ["(bias)"], bias))] if leans else []
    found.sort(key=lambda each: each[0])  # stable: of equal ones the first slot comes first
    largest = [weight for each, weight in found if each > 0][::-1][:top]
    return largest, [weight for each, weight in found if each < 0][:top][::-1]


def _others(
    named: str, weights: NDArray[np.float64], lean: NDArray[np.float64], names: Callable[[int], list[str]], top: int
) -> list[tuple[float, Weight]]:
    """Of weights that slots have besides, those that lean most either way, relative to one that never moved alone."""
    slots = _extreme(np.flatnonzero(lean), lean, top)
    shown = [[named.format(name) for name in names(int(slot))] for slot in slots]
    return [(float(lean[slot]), Weight(int(slot), name, float(weights[slot]))) for slot, name in zip(slots, shown, strict=True)]


def _extreme(slots: NDArray[np.int64], weights: NDArray[np.float64], top: int) -> NDArray[np.int64]:
    """Those of the slots, in order, that have the largest and the smallest weights."""
    order = np.argsort(weights[slots], kind="stable")
    return slots[np.sort(np.concatenate((order[:top], order[max(top, len(order) - top) :])))]


def names_of(model: Model) -> Callable[[int], list[str]]:
    recipe = model.recipe
    if recipe is not None and not recipe.named:
        return lambda slot: [f"index {recipe.attribute(slot)}"]
    kept = model.names_by_slot()
    return lambda slot: kept.get(slot, [f"slot {slot}"])
