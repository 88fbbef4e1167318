"""What the definition of the Perceptron does on the sources of the commands, to hold the commands against."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import thresher as th
from tests.commands import PERCEPTRON, Ran, run
from tests.oracles import everything
from thresher.data.demos import find
from thresher.linear.perceptron import definition
from thresher.store import Model

__all__ = ["SLOTS", "Played", "by_the_definition", "everything_of", "learned_oranges", "oranges"]

SLOTS = 2**18


class Played(NamedTuple):
    """What the definition did: examples as sets of names, labels, predictions, and the weights at the end."""

    examples: list[list[str]]
    labels: list[int]
    predictions: list[int]
    weights: dict[str, Fraction | float]

    @property
    def wrong(self) -> list[bool]:
        return [said != label for said, label in zip(self.predictions, self.labels, strict=True)]


def by_the_definition(text: str, positive: str, passes: int = 1, **parameters: Any) -> Played:
    """The definition of the Perceptron on Vowpal Wabbit text whose features are names of value 1."""
    split = [line.partition("|") for line in text.splitlines()]
    examples = [names.split() for _, _, names in split] * passes
    labels = [1 if head.split()[0] == positive else -1 for head, _, _ in split] * passes
    names = sorted({name for example in examples for name in example})
    place = {name: k for k, name in enumerate(names)}

    def rows() -> Iterator[tuple[list[float], int]]:
        for example, label in zip(examples, labels, strict=True):
            row = [0.0] * len(names)
            for name in example:
                row[place[name]] = 1
            yield row, label

    played = [(said, after) for _, said, after in definition(len(names), rows(), **parameters)]
    names_and_bias = names if parameters.get("bias") is None else [*names, ""]
    return Played(examples, labels, [said for said, _ in played], dict(zip(names_and_bias, played[-1][1], strict=True)))


@cache
def oranges() -> Played:
    return by_the_definition(b"".join(find("oranges").blocks()).decode(), "export", bias=1)


@cache
def learned_oranges() -> Ran:
    return run(*PERCEPTRON, "demo:oranges")


def everything_of(path: Path) -> tuple[object, ...]:
    """All that a model is, but for the run that made it."""
    model = Model.load(path)
    assert isinstance(model.learner, th.Perceptron)
    return *everything(model.learner), model.recipe, model.tally, model.names
