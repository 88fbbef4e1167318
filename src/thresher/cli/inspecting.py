"""What `thresher inspect` does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.cli.lanes import called, lane_of, lanes_as_dicts, lanes_table, parameters
from thresher.cli.printing import print_json
from thresher.compose import Portfolio
from thresher.data.recipe import FORMATS
from thresher.evaluate import Confusion, percent
from thresher.linear import Elimination, Invariant, LinearLearner, LiteralWinnow, ScaledWinnow
from thresher.store import Model

__all__ = ["inspect"]

_PIECE = 2**16  # weights that are sorted at a time


class Weight(NamedTuple):
    """A weight with its slot and the names that fall into it."""

    slot: int | None
    names: list[str]
    weight: float


def inspect(options: argparse.Namespace) -> int:
    """Runs the command."""
    model = Model.load(options.model)
    weighed = _weighed(model)
    heaviest = [] if weighed is None else _heaviest(model, weighed, options.top)
    if options.json:
        print_json(_as_json(model, weighed, heaviest))
    else:
        print(_as_text(model, weighed, heaviest, options.top))
    return 0


def _weighed(model: Model) -> LinearLearner | None:
    """The learner whose weights are shown: of a portfolio the best one's, if it has any."""
    learner = model.learner
    return lane_of(learner, learner.best_lane) if isinstance(learner, Portfolio) else learner


def _heaviest(model: Model, learner: LinearLearner, top: int) -> list[Weight]:
    """The weights that lean most to +1, then most to -1; only what ever moved. The bias is one of them."""
    names = _names(model)
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
    return largest + [weight for each, weight in found if each < 0][:top][::-1]


def _others(
    named: str, weights: NDArray[np.float64], lean: NDArray[np.float64], names: Callable[[int], list[str]], top: int
) -> list[tuple[float, Weight]]:
    """Of weights that slots have besides, those that lean most either way, relative to one that never moved alone."""
    slots = _extreme(np.flatnonzero(lean), lean, top)
    shown = [[named.format(name) for name in names(int(slot))] for slot in slots]
    return [(float(lean[slot]), Weight(int(slot), name, float(weights[slot]))) for slot, name in zip(slots, shown, strict=True)]


def _left(model: Model, learner: Elimination, top: int) -> str:
    """What literals are left, in words; of the attributes those that were met."""
    on, off = learner.left
    names = _names(model)
    met = [slot for slot in model.names_by_slot() if on[slot]] if model.names else np.flatnonzero(on).tolist()
    literals = [name for slot in met[:top] for name in names(slot)]
    literals += [f"not {name}" for slot in np.flatnonzero(off)[:top].tolist() for name in names(slot)]
    shown = f", such as {', '.join(literals[:top])}" if literals else ""
    refuted = learner.refuted_at
    end = "" if refuted is None else f"; round {refuted:,} showed that no disjunction fits"
    return f"literals left: {np.count_nonzero(on):,} attributes, {np.count_nonzero(off):,} negations{shown}{end}"


def _extreme(slots: NDArray[np.int64], weights: NDArray[np.float64], top: int) -> NDArray[np.int64]:
    """Those of the slots, in order, that have the largest and the smallest weights."""
    order = np.argsort(weights[slots], kind="stable")
    return slots[np.sort(np.concatenate((order[:top], order[max(top, len(order) - top) :])))]


def _names(model: Model) -> Callable[[int], list[str]]:
    recipe = model.recipe
    if recipe is not None and not recipe.named:
        return lambda slot: [f"index {recipe.attribute(slot)}"]
    kept = model.names_by_slot()
    return lambda slot: kept.get(slot, [f"slot {slot}"])


def _as_json(model: Model, weighed: LinearLearner | None, heaviest: list[Weight]) -> dict[str, Any]:
    learner, recipe, tally = model.learner, model.recipe, model.tally
    lanes: dict[str, Any] = {}
    if isinstance(learner, Portfolio):
        lanes = {"lanes": lanes_as_dicts(learner), "best_lane": learner.lanes[learner.best_lane]}
    return {
        "learner": {"name": type(learner).__name__, "parameters": parameters(learner)},
        **lanes,
        "rounds": learner.rounds,
        "mistakes": learner.mistakes,
        "updates": learner.updates,
        "collisions": learner.collisions,
        "bias_weight": None if weighed is None else weighed.bias_weight,
        "nonzero_weights": None if weighed is None else int(np.count_nonzero(weighed._lean())),
        "recipe": None if recipe is None else recipe.as_dict(),
        "confusion": None if tally is None else Confusion.of(tally).as_dict(),
        "finished": None if model.run is None else model.run.finished,
        "weights": [weight._asdict() for weight in heaviest],
    }


def _as_text(model: Model, weighed: LinearLearner | None, heaviest: list[Weight], top: int) -> str:
    learner, recipe, tally = model.learner, model.recipe, model.tally
    lines = [called(learner)]
    error = percent(learner.mistakes / learner.rounds if learner.rounds else None)
    lines.append(f"learned {learner.rounds:,} examples with {learner.mistakes:,} mistakes ({error})")
    if model.run is not None and not model.run.finished:
        lines.append("its run was interrupted: thresher learn SOURCE --resume MODEL goes on")
    if recipe is None:
        lines.append("saved from Python: no recipe to read files by")
    else:
        base = recipe.together if recipe.named else ", indices from " + ("0" if recipe.zero_based else "1")
        lines.append(f"reads {FORMATS[recipe.format]}{base}; +1 is {recipe.spelled(+1)}, -1 is {recipe.spelled(-1)}")
        if tally is not None:
            lines += ["", Confusion.of(tally).table(recipe.spelled(-1), recipe.spelled(+1))]
    if isinstance(learner, Portfolio):
        lines += ["", lanes_table(learner)]
        lines += ["", f"the weights of the best, {learner.lanes[learner.best_lane]}:"] if weighed is not None else []
    if weighed is not None:
        lines += [*[""] * (weighed is learner), *_weights(model, weighed, heaviest, top)]
    return "\n".join(lines)


def _weights(model: Model, learner: LinearLearner, heaviest: list[Weight], top: int) -> list[str]:
    bias = "" if learner.rule.bias is None else f"; the bias has {learner.bias_weight:g}"
    lines = [f"{np.count_nonzero(learner._lean()):,} of {learner.n:,} weights are not as they began{bias}"]
    if isinstance(learner, Elimination):
        lines.append(_left(model, learner, top))
    order = ", by weight times the largest size it was met with" if isinstance(learner, Invariant) else ""
    lines.append(f"{'weight':>12}  name{order}")
    return lines + [f"{weight.weight:>12.6g}  {' and '.join(weight.names)}" for weight in heaviest]
