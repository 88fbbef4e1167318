"""Against learners of finite classes: the example that spares the most concepts, and the way down a shattered tree.

Both keep for themselves which concepts of the class still fit, label every example against the learner and stop before no
concept would fit: so the stream is realisable, and every round is a mistake. They look at nothing but predictions, so they play
against any learner without coins whose examples are those of the class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thresher.adversaries.adversary import contrary
from thresher.bounds.printed import counted
from thresher.classes import ConceptClass
from thresher.classes.bits import count, every
from thresher.classes.littlestone import Littlestone
from thresher.classes.named import as_class
from thresher.errors import ParameterError
from thresher.protocol import Learner

__all__ = ["Shattering", "Sparing"]

#: How many kinds of examples are looked at before each round, at most.
_MOST_PLACES = 2**16


class Sparing:
    """Of all examples the one on which the mistake spares the most concepts, while there is one that spares some.

    Forces what is proven for Consistent, |C| − 1 mistakes, where each concept is +1 on one point alone and they come in order;
    and ⌊lg|C|⌋ of Halving, k on all functions of k points. Against a learner that errs again and again where all
    concepts agree it does not end: give `force` the `most` rounds.

    >>> import thresher as th
    >>> from thresher.adversaries import Sparing, force
    >>> singletons = [[int(i == j) for j in range(5)] for i in range(5)]
    >>> len(force(Sparing(singletons), th.Consistent(singletons))), th.bounds.consistent(5).at_most
    (4, 4)
    """

    def __init__(self, concepts: object) -> None:
        self.concepts: ConceptClass = as_class(concepts)
        if self.concepts.places > _MOST_PLACES:
            raise ParameterError(
                f"found {counted(self.concepts.places)} kinds of examples in {self.concepts!r}, "
                f"expected at most {_MOST_PLACES:,}, as all are looked at before each round"
            )
        self.concepts.at(0)  # a class too large to be gone through is refused here

    def against(self, learner: Learner[Any], /) -> Iterator[tuple[object, int]]:
        """One mistake after the other, the first example of those that spare as many."""
        concepts, left = self.concepts, every(self.concepts.size)
        while True:
            total, most, best = count(left), 0, None
            for place in range(concepts.places):
                plus = count(left & concepts.at(place))
                if most >= max(plus, total - plus):
                    continue
                x = concepts.example(place)
                y = contrary(learner, x)
                if (spared := plus if y == +1 else total - plus) > most:
                    most, best = spared, (place, x, y)
            if best is None:
                return
            place, x, y = best
            left = left & concepts.at(place) if y == +1 else left & ~concepts.at(place)
            yield x, y


class Shattering:
    """Down a tree of examples whose every way some concept takes, always against the learner: as deep as there is one.

    Forces as many mistakes as the class has Littlestone dimension, `value`, of every learner without coins, and of `Optimal`
    not one more: this is the value of the game. Small classes, as for `Optimal`.

    >>> import thresher as th
    >>> from thresher.adversaries import Shattering, force
    >>> from thresher.classes import Thresholds
    >>> concepts = Thresholds(range(7))
    >>> [len(force(Shattering(concepts), kind(concepts))) for kind in (th.Optimal, th.Halving, th.Consistent)]
    [3, 3, 3]
    >>> Shattering(concepts).value
    3
    """

    def __init__(self, concepts: object) -> None:
        self._solver = Littlestone(as_class(concepts))
        self.value = self._solver.dimension(self._solver.everything)

    @property
    def concepts(self) -> ConceptClass:
        """The class."""
        return self._solver.concepts

    def against(self, learner: Learner[Any], /) -> Iterator[tuple[object, int]]:
        """At least as many examples as the dimension."""
        left = self._solver.everything
        while (place := self._solver.split(left)) is not None:
            x = self.concepts.example(place)
            y = contrary(learner, x)
            left = self._solver.part(left, place, y)
            yield x, y
