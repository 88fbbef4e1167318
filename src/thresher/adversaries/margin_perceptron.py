"""Against the Margin Perceptron: examples that graze the margin it asks for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from thresher.adversaries.adversary import Pair, Vector, WeightedLearner
from thresher.errors import ParameterError

__all__ = ["Grazing"]

#: How far below the margin asked for an example stays, relatively: far above float64's rounding.
_SLACK = 1e-12


@dataclass(frozen=True)
class Grazing:
    """Unit examples in three dimensions, of margin exactly γ for u = e₁, that the learner gets right by just under ρ.

    The Margin Perceptron moves when y·(w·x)/‖w‖ < ρ = (1 − ε)γ. Each example here has u·x = γ, and w·x = ρ‖w‖ less a
    hair: so each forces an update, after which u·w has grown by γ, the least there is, and ‖w‖ = f to √(f² + 2ρf + 1), the
    most there is. That is the recursion of the theorem (`th.bounds.margin_perceptron_recursion`) itself, with f₀ = 1 ::

        updates ≤ max{M : γ(M + 1) ≤ f_M},   f_{t+1} = √(f_t² + 2ρf_t + 1)

    Such an example is x = γu + bv + ce, where hv is the part of w at a right angle to u, e is at a right angle to both,
    b = (ρ‖w‖ − γ(u·w))/h, and c takes what is left of length 1. It exists while b ≥ −√(1 − γ²), and that depends on the
    cosine u·w/‖w‖ alone: the smaller, the more room. As no sequence leaves a smaller one after t updates than γ(t + 1)/f_t,
    none forces more updates than this.

    For ε = ½ it forces what the recursion allows at γ = 0.5, 0.3, 0.2, 0.1 and 0.07: 7, 25, 60, 248 and 510 updates. For a
    few γ (0.302 is one) the last of them does not exist: there the theorem is one above the truth.

    >>> import thresher as th
    >>> from thresher.adversaries import Grazing, force
    >>> learner = th.MarginPerceptron(3, margin=0.1)
    >>> rounds = force(Grazing(0.1), learner)
    >>> forced = sum(played.changed for played in rounds[1:])   # the first example only initialises
    >>> forced, th.bounds.margin_perceptron_recursion(0.1).at_most
    (248, 248)
    """

    margin: float
    epsilon: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.margin <= 1:
            raise ParameterError(f"found margin = {self.margin}, expected a number above 0 and at most 1")
        if not 0 < self.epsilon < 1:
            raise ParameterError(f"found epsilon = {self.epsilon}, expected a number between 0 and 1")

    @property
    def separator(self) -> Vector:
        """The unit u of the claim: u·x ≥ γ for every example, and every label is +1."""
        return (1.0, 0.0, 0.0)

    def against(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """Examples for a fresh learner of three attributes, while there is one that makes it move."""
        across = math.sqrt(1 - self.margin**2)
        asked = (1 - self.epsilon) * self.margin * (1 - _SLACK)
        yield (self.margin, across, 0.0), +1
        while True:
            along, w1, w2 = (float(w) for w in learner.weights)
            h = math.hypot(w1, w2)
            needed = asked * math.hypot(along, h) - self.margin * along
            if needed < -across * h or h == 0:
                return
            b = min(needed / h, across)
            c = math.sqrt(across**2 - b**2)
            yield (self.margin, (b * w1 - c * w2) / h, (b * w2 + c * w1) / h), +1
