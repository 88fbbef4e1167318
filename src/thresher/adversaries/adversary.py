"""An adversary chooses each example with the learner in sight."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import islice
from operator import index
from typing import Any, Protocol, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.errors import ParameterError
from thresher.protocol import Learner, Round

__all__ = [
    "Adversary",
    "Pair",
    "Vector",
    "Weighing",
    "WeightedLearner",
    "check_counts",
    "check_most",
    "contrary",
    "errs",
    "force",
    "indicator",
    "leaning",
    "weights_of",
]

#: A dense example.
Vector = tuple[float, ...]

#: An example and its label, −1 or +1.
Pair = tuple[Vector, int]

L_contra = TypeVar("L_contra", bound=Learner[Any], contravariant=True)
L = TypeVar("L", bound=Learner[Any])
X = TypeVar("X")
X_co = TypeVar("X_co", covariant=True)


class Weighing(Protocol):
    """Whoever lets its weights be seen."""

    @property
    def weights(self) -> NDArray[np.float64]: ...


class WeightedLearner(Learner[Vector], Weighing, Protocol):
    """A learner that lets its weights be seen."""


class Adversary(Protocol[L_contra, X_co]):
    """Whoever chooses examples and labels, one at a time, so that the learner does as badly as theory allows.

    `against` is lazy: an example is chosen when it is asked for, against the learner as it then stands. It never changes
    the learner; who asks must teach it each example before asking for the next, as `force` does. An adversary keeps nothing
    between games, so one may be played again, against another learner.

    An adversary of one's own is one generator:

    >>> import thresher as th
    >>> from thresher.adversaries import force
    >>> class Contrary:
    ...     def against(self, learner):
    ...         while True:
    ...             yield (1.0,), -1 if learner.predict((1.0,)).label == +1 else +1
    >>> sum(played.mistake for played in force(Contrary(), th.Perceptron(1), most=10))
    10
    """

    def against(self, learner: L_contra, /) -> Iterator[tuple[X_co, int]]: ...


def force(adversary: Adversary[L, object], learner: L, *, most: int | None = None) -> list[Round]:
    """Plays until the adversary has no more examples, or for the most rounds given: what `learn` returned, in order.

    >>> import thresher as th
    >>> from thresher.adversaries import Orthonormal, force
    >>> [played.mistake for played in force(Orthonormal(3), th.Perceptron(3))]
    [True, True, True]
    """
    check_most(most)
    return [learner.learn(x, y) for x, y in islice(adversary.against(learner), most)]


def check_most(most: int | None) -> None:
    """Refuses a number of rounds below 0."""
    if most is not None and most < 0:
        raise ParameterError(f"found most = {most}, expected None or a number of rounds of at least 0")


def weights_of(learner: Weighing, n: int) -> NDArray[np.float64]:
    """The weights that the adversary looks at, n of them.

    >>> import thresher as th
    >>> weights_of(th.Winnow(2), 2).tolist()
    [1.0, 1.0]
    """
    weights = getattr(learner, "weights", None)
    if weights is None or len(weights) != n:
        found = "no weights to look at" if weights is None else f"{len(weights)} weights"
        raise ParameterError(f"found {found} in {type(learner).__name__}, but this adversary plays against {n} of them")
    return np.asarray(weights)


def leaning(learner: Learner[X], x: X) -> int:
    """What the learner says of x; of one that tosses coins (it has a `seed`) what it would rather say.

    `predict` shows a coin of the round to come, and no adversary may look at that: only at its chance, `p_positive`.
    """
    said = learner.predict(x)
    if said.p_positive is None or getattr(learner, "seed", None) is None:
        return said.label
    return +1 if said.p_positive >= 0.5 else -1


def contrary(learner: Learner[X], x: X) -> int:
    """The label that the learner does not say; if it says neither, −1."""
    return +1 if leaning(learner, x) == -1 else -1


def errs(learner: Learner[Vector], pair: Pair) -> bool:
    """Whether the learner would be wrong on this example now."""
    x, y = pair
    return learner.predict(x).label != y


def indicator(n: int, active: Set[int]) -> Vector:
    """The example of n binary attributes that has exactly these.

    >>> indicator(4, {0, 2})
    (1.0, 0.0, 1.0, 0.0)
    """
    row = [0.0] * n
    for i in active:
        row[i] = 1.0
    return tuple(row)


def check_counts(least: int, /, **counts: object) -> None:
    """Refuses the first that is not a whole number of at least so many.

    >>> check_counts(1, n=0)
    Traceback (most recent call last):
        ...
    thresher.errors.ParameterError: found n = 0, expected a whole number of at least 1
    """
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, SupportsIndex) or index(count) < least:
            raise ParameterError(f"found {name} = {count!r}, expected a whole number of at least {least}")
