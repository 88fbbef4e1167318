"""Against the Perceptron: examples at right angles to all it knows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from thresher.adversaries.adversary import Pair, Vector, WeightedLearner, contrary, indicator
from thresher.errors import ParameterError
from thresher.protocol import Learner

__all__ = ["Orthonormal", "Spiral"]

#: The angle, far above float64's rounding, by which the spiral's examples lean to the wrong side of a tie.
_LEAN = 1e-12


@dataclass(frozen=True)
class Orthonormal:
    """The k unit vectors e₁ … e_k, each labelled otherwise than the learner says.

    Forces k mistakes, on any learner at all: the labels contradict each prediction. And whatever they were,
    u = Σ yᵢeᵢ/√k separates the examples with margin γ = 1/√k. So no learner whatever has a bound below 1/γ² for unit
    examples of margin γ, and the Perceptron's, M ≤ (R‖u‖/γ)² (Novikoff 1962), is attained for each of its tie rules. What
    predicts neither label (``tie="mistake"``) is told −1.

    >>> import thresher as th
    >>> from thresher.adversaries import Orthonormal, force
    >>> learner = th.Perceptron(40)
    >>> rounds = force(Orthonormal(40), learner)
    >>> learner.mistakes, th.bounds.perceptron_separable(margin=40**-0.5).at_most
    (40, 40)
    """

    k: int

    def __post_init__(self) -> None:
        _check(self.k)

    def against(self, learner: Learner[Vector], /) -> Iterator[Pair]:
        """Each unit vector once, for a learner of k attributes."""
        for i in range(self.k):
            x = indicator(self.k, {i})
            yield x, contrary(learner, x)


@dataclass(frozen=True)
class Spiral:
    """The spiral of Theodorus: k unit vectors of the plane, each at a right angle to the weights.

    Every example has score 0, so it is a mistake and ‖w‖² grows by exactly 1: after t mistakes ‖w‖ = √t, while w turns for
    ever in one direction. From the fifth example on no line separates them, so that the separable theorem is silent.

    Forces equality in the theorem for every stream: with D = Σ max(0, γ − u·z), z = y·x ::

        M ≤ ((1 + √(1 + 4γD))/(2γ))²                       th.bounds.perceptron_distance

    Take u = w/‖w‖ for the last w and any γ ≥ max u·z. Then D = γk − u·Σz = γk − ‖w‖ = γk − √k, hence 1 + 4γD =
    (2γ√k − 1)² and the bound is k. (The examples lean by 1e−12 to the wrong side, so that every tie rule errs in floats.)

    >>> import thresher as th
    >>> from thresher.adversaries import Spiral, force
    >>> learner = th.Perceptron(2)
    >>> rounds = force(Spiral(29), learner)
    >>> signed = [[played.label * v for v in played.example] for played in rounds]
    >>> u = learner.weights / sum(learner.weights**2) ** 0.5
    >>> margins = [u @ z for z in signed]
    >>> distance = sum(max(margins) - m for m in margins)
    >>> learner.mistakes, th.bounds.perceptron_distance(distance, margin=max(margins)).at_most
    (29, 29)
    """

    k: int

    def __post_init__(self) -> None:
        _check(self.k)

    def against(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """So many examples for a fresh Perceptron of two attributes."""
        yield (1.0, 0.0), contrary(learner, (1.0, 0.0))
        for _ in range(1, self.k):
            angle = math.atan2(learner.weights[1], learner.weights[0]) + math.pi / 2 + _LEAN
            yield (math.cos(angle), math.sin(angle)), +1


def _check(k: int) -> None:
    if k < 1:
        raise ParameterError(f"found k = {k}, expected a number of examples of at least 1")
