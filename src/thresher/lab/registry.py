"""Every experiment by the name of its theorem."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from thresher.bounds import Bound
from thresher.errors import ParameterError
from thresher.lab import (
    classes,
    disjunctions,
    forecasts,
    losses,
    majorities,
    margin_perceptron,
    perceptron,
    risk,
    thresholds,
)
from thresher.lab.experiment import Experiment
from thresher.lab.theorems import FAMILIES

__all__ = ["EXPERIMENTS", "find"]

_FILES = (perceptron, margin_perceptron, disjunctions, thresholds, classes, majorities, losses, forecasts, risk)
_PLAYED: dict[Callable[..., Bound], Experiment[Any]] = {
    experiment.theorem: experiment for file in _FILES for experiment in file.EXPERIMENTS
}

#: Every theorem that is played, in the order of their families.
EXPERIMENTS: dict[str, Experiment[Any]] = {
    _PLAYED[theorem].name: _PLAYED[theorem] for makers in FAMILIES.values() for theorem in makers
}


def find(name: str) -> Experiment[Any]:
    """The experiment of this name, or of the only one that begins so.

    >>> find("perceptron_sep").name
    'perceptron-separable'
    >>> find("halvng")
    Traceback (most recent call last):
        ...
    thresher.errors.ParameterError: found no theorem 'halvng'; near are halving
    """
    sought = name.strip().lower().replace("_", "-").replace(" ", "-")
    if sought in EXPERIMENTS:
        return EXPERIMENTS[sought]
    begun = [known for known in EXPERIMENTS if known.startswith(sought)]
    if len(begun) == 1:
        return EXPERIMENTS[begun[0]]
    if begun and sought:
        raise ParameterError(f"found {name!r}, with which several theorems begin: {', '.join(begun)}")
    near = get_close_matches(sought, EXPERIMENTS, n=4, cutoff=0.5)
    hint = f"near are {', '.join(near)}" if near else "thresher lab lists all"
    raise ParameterError(f"found no theorem {name!r}; {hint}")
