"""Against elimination: every example costs one variable, and no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from thresher.adversaries.adversary import Pair, Vector, errs
from thresher.errors import ParameterError
from thresher.protocol import Learner

__all__ = ["Flips"]


@dataclass(frozen=True)
class Flips:
    """One example on which the target is false, then the same with each variable flipped that the target does not name.

    The target is a disjunction of r literals of n variables: {0: True, 3: False} means x₀ ∨ ¬x₃, and {} is false always.
    Every example is a negative one, and only those are played on which the learner errs.

    - Elimination starts with 2n literals. The first example makes n of them true and removes them; then each of the n − r
      flips makes just one new literal true. Forces n + 1 − r mistakes, the theorem's bound, for every r.
    - Its monotone variant knows no ¬x; the first example has no variable that is on, and is no mistake. Forces n − r, the
      bound of the monotone variant, with a target that names variables as True.

    >>> import thresher as th
    >>> from thresher.adversaries import Flips, force
    >>> learner = th.Elimination(5)
    >>> for played in force(Flips(5, {0: True, 1: True}), learner):
    ...     print(played.t, played.example, played.mistake)
    1 (0.0, 0.0, 0.0, 0.0, 0.0) True
    2 (0.0, 0.0, 1.0, 0.0, 0.0) True
    3 (0.0, 0.0, 0.0, 1.0, 0.0) True
    4 (0.0, 0.0, 0.0, 0.0, 1.0) True
    >>> th.bounds.elimination(5, r=2).at_most
    4
    """

    n: int
    target: Mapping[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        strangers = [i for i in self.target if not 0 <= i < self.n]
        if strangers:
            raise ParameterError(f"found variable {strangers[0]} in the target, expected indices from 0 to {self.n - 1}")

    def against(self, learner: Learner[Vector], /) -> Iterator[Pair]:
        """The examples on which the learner errs, in the order of the variables."""
        false = tuple(float(i in self.target and not self.target[i]) for i in range(self.n))
        flips = [(*false[:i], 1.0 - false[i], *false[i + 1 :]) for i in range(self.n) if i not in self.target]
        for x in (false, *flips):
            if errs(learner, (x, -1)):
                yield x, -1
