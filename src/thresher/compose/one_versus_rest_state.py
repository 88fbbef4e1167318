"""The state of a learner that plays each class against the rest, and what a kept one must be before anything is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.class_labels import ClassLabels
from thresher.compose.binary import Binary, checked, master_of
from thresher.compose.portfolio import Portfolio
from thresher.errors import LabelError, ParameterError, StoreError
from thresher.experts.rule import LossRule
from thresher.linear import LEARNERS, LinearLearner
from thresher.linear.learner import Parameters

__all__ = ["Counts", "parts", "state"]

#: Rounds, mistakes and updates.
Counts = tuple[int, int, int]

_PARTS = {"learner", "fresh", "master", "classes", "learners", "heads"}
_COUNTS = ("rounds", "mistakes", "updates")
_MOST_ROUNDS = 2**62

Arrays = dict[str, NDArray[Any]]


def state(
    fresh: Binary, master: LossRule | None, labels: ClassLabels, learners: Sequence[Binary], counts: Counts
) -> tuple[Parameters, Arrays]:
    """What is kept: `fresh.<name>`, `master.<name>`, and `<code>.<name>` for the learner of each class."""
    states = {"fresh": fresh.state(), **{str(code): learner.state() for code, learner in enumerate(learners)}}
    arrays = {f"{owner}.{name}": array for owner, (_, kept) in states.items() for name, array in kept.items()}
    weighed = (None, {}) if master is None else master.state()
    arrays.update({f"master.{name}": array for name, array in weighed[1].items()})
    parameters = {
        "learner": "OneVersusRest",
        "fresh": states.pop("fresh")[0],
        "master": weighed[0],
        "classes": list(labels),
        "learners": [told for told, _ in states.values()],
        "heads": dict(zip(_COUNTS, counts, strict=True)),
    }
    return parameters, arrays


def parts(parameters: object, arrays: object) -> tuple[Binary, LossRule | None, ClassLabels, list[Binary], Counts]:
    """The fresh learner, the master, the classes, their learners and the counts; `StoreError` if no run can lead to them."""
    if not isinstance(parameters, Mapping) or set(parameters) != _PARTS:
        raise StoreError(f"the state's parameters are not {', '.join(sorted(_PARTS))}")
    if parameters["learner"] != "OneVersusRest":
        raise StoreError(f"found the state of {parameters['learner']!r}, expected one of 'OneVersusRest'")
    if not isinstance(arrays, Mapping) or not all(isinstance(name, str) for name in arrays):
        raise StoreError("the state's arrays are not a mapping of names")
    labels, told = _labels(parameters["classes"]), parameters["learners"]
    if not isinstance(told, list) or len(told) != len(labels):
        raise StoreError(f"the state's learners are not one for each of {len(labels)} classes")
    owned: dict[str, dict[str, NDArray[Any]]] = {"fresh": {}, "master": {}, **{str(code): {} for code in range(len(labels))}}
    for name, array in arrays.items():
        owner, _, rest = name.partition(".")
        if owner not in owned:
            raise StoreError(f"found an array {name!r}, expected those of the fresh learner and of the classes' learners")
        owned[owner][rest] = array
    try:
        fresh = checked(_learner("the fresh learner", parameters["fresh"], owned["fresh"]))
    except ParameterError as error:
        raise StoreError(f"the fresh learner: {error}") from error
    learners = [_learner(f"class {labels[code]!r}", told[code], owned[str(code)]) for code in range(len(labels))]
    if not all(_alike(learner, fresh) for learner in learners):
        raise StoreError("the state's learners are not all of the kind of the fresh one")
    counts = _counts(parameters["heads"], learners)
    return fresh, _master(parameters["master"], owned["master"], fresh, counts), labels, learners, counts


def _labels(told: object) -> ClassLabels:
    if not isinstance(told, list) or not all(type(label) in (str, int, bool) for label in told):
        raise StoreError("the state's classes are not a list of labels")
    try:
        return ClassLabels(told)
    except LabelError as error:
        raise StoreError(f"the state's classes: {error}") from error


def _learner(whose: str, told: object, arrays: Arrays) -> Binary:
    name = told.get("learner") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(name, str) or name not in {*LEARNERS, "Portfolio"}:
        raise StoreError(f"{whose}: found the learner {name!r}, expected a linear learner or a portfolio")
    kind = Portfolio if name == "Portfolio" else LEARNERS[name]
    try:
        return kind.from_state(told, arrays)
    except StoreError as error:
        raise StoreError(f"{whose}: {error}") from error


def _master(told: object, arrays: Arrays, fresh: Binary, counts: Counts) -> LossRule | None:
    """The master whose state this is: of the kind that the fresh portfolio has, and in step."""
    kind = master_of(fresh)
    if kind is None:
        if told is not None or arrays:
            raise StoreError("found a master of a linear learner, which has one lane")
        return None
    if not isinstance(told, Mapping) or told.get("rule") != type(kind).__name__ or told.get("arguments") != kind._arguments():
        raise StoreError(f"the state's master is not {kind!r}")
    master = type(kind).from_state(told, arrays)
    rounds, mistakes, _ = counts
    wrong = master.losses
    whole = bool(np.all((wrong >= 0) & (wrong <= rounds) & (wrong == np.floor(wrong))))
    if master._heads()[0] != rounds or not whole or not mistakes <= 2 * master.loss * (1 + 1e-9) + 1e-9:
        raise StoreError(f"found a master that was told other losses than those of {rounds} rounds with {mistakes} mistakes")
    return master


def _alike(learner: Binary, fresh: Binary) -> bool:
    if isinstance(learner, LinearLearner) and isinstance(fresh, LinearLearner):
        return type(learner) is type(fresh) and learner._arguments() == fresh._arguments()
    return type(learner) is type(fresh) and learner.n == fresh.n and learner.rule == fresh.rule


def _counts(heads: object, learners: Sequence[Binary]) -> Counts:
    if not isinstance(heads, dict) or set(heads) != set(_COUNTS) or not all(type(heads[name]) is int for name in _COUNTS):
        raise StoreError(f"the state's heads are not whole numbers of {', '.join(_COUNTS)}")
    rounds, mistakes, updates = (heads[name] for name in _COUNTS)
    played = [rounds, *(learner.rounds for learner in learners)]
    in_step = rounds == (learners[0].rounds if learners else 0) and played == sorted(played, reverse=True)
    if not 0 <= mistakes <= rounds <= _MOST_ROUNDS or not 0 <= updates <= rounds or not in_step:
        raise StoreError(f"found heads {heads!r} that no run of rounds can have with learners of {played[1:]} rounds")
    return rounds, mistakes, updates
