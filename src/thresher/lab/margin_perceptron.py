"""The Margin Perceptron's theorems: examples that graze the margin it asks for, and examples of margin γ at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher import bounds
from thresher.adversaries import Grazing
from thresher.lab.experiment import Experiment, Facts, Game, Kind, Numbers, Stream
from thresher.lab.perceptron import of_margin
from thresher.lab.streams import Nearest, Stubborn
from thresher.linear import MarginPerceptron

__all__ = ["EXPERIMENTS"]


class _Margin(Facts):
    def __init__(self, margin: float) -> None:
        super().__init__()
        self.margin = margin


def _grazing(size: int, _chance: np.random.Generator) -> Game[_Margin]:
    return Game(MarginPerceptron, {"n": 3, "margin": 1 / size}, Grazing(1 / size).against, _Margin(1 / size))


def _nearest(size: int, chance: np.random.Generator) -> Game[_Margin]:
    _, pool = of_margin(chance, 10, 1 / size, 120)
    return Game(MarginPerceptron, {"n": 10, "margin": 1 / size}, Nearest(pool).against, _Margin(1 / size))


def _at_random(size: int, chance: np.random.Generator) -> Game[_Margin]:
    _, pool = of_margin(chance, 10, 1 / size, 120)
    return Game(MarginPerceptron, {"n": 10, "margin": 1 / size}, Stubborn(pool).against, _Margin(1 / size))


def _streams(kind: Kind) -> tuple[Stream[_Margin], ...]:
    return (
        Stream("grazing examples", kind, _grazing, weighted=True),
        Stream("margin γ, least sure first", "adversary", _nearest),
        Stream("margin γ, at random", "random", _at_random),
    )


def _margin(facts: _Margin) -> Numbers:
    return {"margin": facts.margin}


_BY_SCALE = ("1/γ", (2, 4, 6, 8, 10, 16))

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(bounds.margin_perceptron_recursion, MarginPerceptron, *_BY_SCALE, _streams("forced"), 1.0, _margin),
    Experiment(bounds.margin_perceptron_mistakes, MarginPerceptron, *_BY_SCALE, _streams("adversary")[1:], 0.39, _margin),
    Experiment(bounds.margin_perceptron, MarginPerceptron, *_BY_SCALE, _streams("adversary"), 0.3, _margin),
    Experiment(bounds.margin_perceptron_textbook, MarginPerceptron, *_BY_SCALE, _streams("adversary"), 0.2, _margin),
)
