"""The greedy adversary: of all examples on which the learner errs, the one that leaves most to come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Generic, TypeVar

from thresher.adversaries.adversary import Pair, Vector, errs
from thresher.errors import ParameterError
from thresher.protocol import Learner

__all__ = ["Greedy", "Pool", "Potential"]

L = TypeVar("L", bound=Learner[Vector])

#: Which examples may be played against the learner as it stands. All that it ever gives must agree with one target.
Pool = Callable[[L], Iterable[Pair]]

#: How much the learner still has to lose: the larger, the more mistakes are to come.
Potential = Callable[[L], float]


def _indifferent(_learner: object) -> float:
    return 0.0


@dataclass(frozen=True)
class Greedy(Generic[L]):
    """Plays mistakes only, while the pool has one; each time that after which most is still to come.

    Most is: first, more mistakes within the next `ahead` rounds, this one included; then, a larger potential after them.
    Both are tried on copies, so any learner that can be copied will do. Among equals the first of the pool is played.
    Nothing is left to chance.

    Against a conservative learner nothing is lost by playing mistakes only, as no other round changes it. What is reached
    is a floor under the worst case, proved by playing it. It ends if the learner has a mistake bound for the pool's target.

    Here the target is x₀ > 0, and the Perceptron is led astray by x₁. The potential comes from its proof: ‖w‖² can grow by
    R² at most. (The bound is 37.)

    >>> import thresher as th
    >>> from thresher.adversaries import Greedy, force
    >>> points = [((float(y), float(a)), y) for y in (+1, -1) for a in range(-6, 7)]
    >>> def pool(learner):
    ...     return points
    >>> def squared_length(learner):
    ...     return sum(learner.weights**2)
    >>> len(force(Greedy(pool), th.Perceptron(2))), len(force(Greedy(pool, squared_length), th.Perceptron(2)))
    (2, 19)
    """

    pool: Pool[L]
    potential: Potential[L] = _indifferent
    ahead: int = 1

    def __post_init__(self) -> None:
        if self.ahead < 1:
            raise ParameterError(f"found ahead = {self.ahead}, expected a number of rounds of at least 1")

    def against(self, learner: L, /) -> Iterator[Pair]:
        """One mistake after the other."""
        while mistakes := self._mistakes(learner):
            yield max(mistakes, key=lambda pair: self._after(learner, pair, self.ahead))

    def _mistakes(self, learner: L) -> list[Pair]:
        return [pair for pair in self.pool(learner) if errs(learner, pair)]

    def _after(self, learner: L, pair: Pair, ahead: int) -> tuple[int, float]:
        """How many mistakes can be had, this one first and at most so many, and the potential then."""
        learned = deepcopy(learner)
        learned.learn(*pair)
        later = [self._after(learned, following, ahead - 1) for following in self._mistakes(learned)] if ahead > 1 else []
        further, potential = max(later, default=(0, self.potential(learned)))
        return 1 + further, potential
