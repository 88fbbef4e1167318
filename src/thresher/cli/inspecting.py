"""What `thresher inspect` does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from thresher.cli.printing import print_json
from thresher.data.recipe import FORMATS
from thresher.evaluate import Confusion, percent
from thresher.store import Model

__all__ = ["inspect"]


class Weight(NamedTuple):
    """A weight with its slot and the names that fall into it."""

    slot: int | None
    names: list[str]
    weight: float


def inspect(options: argparse.Namespace) -> int:
    """Runs the command."""
    model = Model.load(options.model)
    heaviest = _heaviest(model, options.top)
    if options.json:
        print_json(_as_json(model, heaviest))
    else:
        print(_as_text(model, heaviest))
    return 0


def _heaviest(model: Model, top: int) -> list[Weight]:
    """The largest weights, then the smallest; only what is not 0. The bias is one of them."""
    learner, names = model.learner, _names(model)
    weights = np.append(learner.weights, learner.bias_weight)
    order = np.argsort(weights, kind="stable")
    sides = (order[::-1][:top], order[:top][::-1])
    chosen = [[int(slot) for slot in side if weights[slot] * sign > 0] for side, sign in zip(sides, (1, -1), strict=True)]
    return [
        Weight(None, ["(bias)"], float(weights[slot])) if slot == learner.n else Weight(slot, names(slot), float(weights[slot]))
        for slot in (*chosen[0], *chosen[1])
    ]


def _names(model: Model) -> Callable[[int], list[str]]:
    recipe = model.recipe
    if recipe is not None and not recipe.named:
        return lambda slot: [f"index {recipe.attribute(slot)}"]
    kept = model.names_by_slot()
    return lambda slot: kept.get(slot, [f"slot {slot}"])


def _as_json(model: Model, heaviest: list[Weight]) -> dict[str, Any]:
    learner, recipe, tally = model.learner, model.recipe, model.tally
    return {
        "learner": {"name": type(learner).__name__, "parameters": learner._arguments()},
        "rounds": learner.rounds,
        "mistakes": learner.mistakes,
        "updates": learner.updates,
        "collisions": learner.collisions,
        "bias_weight": learner.bias_weight,
        "nonzero_weights": int(np.count_nonzero(learner.weights)),
        "recipe": None if recipe is None else recipe.as_dict(),
        "confusion": None if tally is None else Confusion.of(tally).as_dict(),
        "finished": None if model.run is None else model.run.finished,
        "weights": [weight._asdict() for weight in heaviest],
    }


def _as_text(model: Model, heaviest: list[Weight]) -> str:
    learner, recipe, tally = model.learner, model.recipe, model.tally
    weights = learner.weights
    lines = [f"{learner!r}"]
    error = percent(learner.mistakes / learner.rounds if learner.rounds else None)
    lines.append(f"learned {learner.rounds:,} examples with {learner.mistakes:,} mistakes ({error})")
    if model.run is not None and not model.run.finished:
        lines.append("its run was interrupted: thresher learn SOURCE --resume MODEL goes on")
    if recipe is None:
        lines.append("saved from Python: no recipe to read files by")
    else:
        base = "" if recipe.named else ", indices from " + ("0" if recipe.zero_based else "1")
        lines.append(f"reads {FORMATS[recipe.format]}{base}; +1 is {recipe.spelled(+1)}, -1 is {recipe.spelled(-1)}")
        if tally is not None:
            lines += ["", Confusion.of(tally).table(recipe.spelled(-1), recipe.spelled(+1))]
    lines += ["", f"{np.count_nonzero(weights):,} of {learner.n:,} weights are not 0; the bias has {learner.bias_weight:g}"]
    lines.append(f"{'weight':>12}  name")
    lines += [f"{weight.weight:>12.6g}  {' and '.join(weight.names)}" for weight in heaviest]
    return "\n".join(lines)
