"""What `thresher inspect` does."""

from __future__ import annotations

import argparse
from itertools import chain
from typing import Any

import numpy as np

from thresher.bounds.printed import plural
from thresher.cli.heaviest import Weight, heaviest, names_of, weighed
from thresher.cli.lanes import called, lanes_as_dicts, lanes_table, parameters
from thresher.cli.printing import print_json
from thresher.compose import Portfolio
from thresher.data.recipe import FORMATS
from thresher.evaluate import Confusion, percent
from thresher.linear import Elimination, Invariant, LinearLearner
from thresher.store import Model

__all__ = ["inspect"]


def inspect(options: argparse.Namespace) -> int:
    """Runs the command."""
    model = Model.load(options.model)
    learner = weighed(model)
    weights = [] if learner is None else list(chain(*heaviest(model, learner, options.top)))
    if options.json:
        print_json(_as_json(model, learner, weights))
    else:
        print(_as_text(model, learner, weights, options.top))
    return 0


def _left(model: Model, learner: Elimination, top: int) -> str:
    """What literals are left, in words; of the attributes those that were met."""
    on, off = learner.left
    names = names_of(model)
    met = [slot for slot in model.names_by_slot() if on[slot]] if model.names else np.flatnonzero(on).tolist()
    literals = [name for slot in met[:top] for name in names(slot)]
    literals += [f"not {name}" for slot in np.flatnonzero(off)[:top].tolist() for name in names(slot)]
    shown = f", such as {', '.join(literals[:top])}" if literals else ""
    refuted = learner.refuted_at
    end = "" if refuted is None else f"; round {refuted:,} showed that no disjunction fits"
    return f"literals left: {np.count_nonzero(on):,} attributes, {np.count_nonzero(off):,} negations{shown}{end}"


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
    lines.append(f"learned {plural(learner.rounds, 'example')} with {plural(learner.mistakes, 'mistake')} ({error})")
    if model.run is not None and not model.run.finished:
        lines.append("its run was interrupted: thresher learn SOURCE --resume MODEL goes on")
    if recipe is None:
        lines.append("saved from Python: no recipe to read files by")
    else:
        base = recipe.together if recipe.named else ", indices from " + ("0" if recipe.zero_based else "1")
        lines.append(f"reads {FORMATS[recipe.format]}{base}; +1 is {recipe.spelled(+1)}, -1 is {recipe.spelled(-1)}")
        if recipe.table is not None:
            lines.append(recipe.table.taken())
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
