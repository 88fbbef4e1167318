"""The conservative twin of a learner: it learns from its mistakes, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from thresher._core import NOT_A_LABEL, label_code
from thresher.compose.frozen import Predictor, frozen
from thresher.compose.given import one_weight
from thresher.compose.sample import at_round, pairs, placed
from thresher.errors import ExampleError, LabelError, NotRealizable, ParameterError
from thresher.protocol import Label, Learner, Prediction, Round, Rounds

__all__ = ["Conservative", "definition"]

X = TypeVar("X")
L = TypeVar("L", bound=Learner[Any])


def definition(learner: Learner[X], stream: Iterable[tuple[X, int]]) -> Iterator[int]:
    """The conversion as on the blackboard: yields what is said in each round."""
    for x, y in stream:
        said = learner.predict(x).label
        if said != y:
            learner.learn(x, y)
        yield said


class Conservative(Generic[L]):
    r"""Predicts as the learner does, and lets it learn from the examples on which it errs alone.

    Any learner will do, of one's own too. Between two mistakes its hypothesis stays as it is, which is what `th.pac` needs. The
    rounds are those of the whole stream, t counts them all, and `changed` is true on mistakes alone; the learner inside counts
    only what it was given, so that its `rounds` are its mistakes.

    Guarantee
    ---------
    A bound M on the mistakes of the learner that holds for every stream of a kind, and so for a part of one, holds for this::

        mistakes ≤ M

    What is fed is such a stream, and the learner errs in each of its rounds. (A bound that counts on the rounds between, such
    as a regret after T of them, is not meant.)

    >>> import thresher as th
    >>> lazy = th.Conservative(th.WeightedMajority(4, beta=0))
    >>> [lazy.learn(advice, 1).changed for advice in ([1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0])]
    [False, True, False, False]
    >>> lazy.rounds, lazy.mistakes, lazy.inner.rounds, lazy.inner.expert_mistakes.tolist()
    (4, 1, 1, [0, 1, 1, 1])
    """

    def __init__(self, learner: L) -> None:
        _check_learner(learner)
        self.inner: L = learner
        self._rounds = self._mistakes = self._updates = 0
        self._negative: int | None = None

    @property
    def rounds(self) -> int:
        """How many rounds it has played."""
        return self._rounds

    @property
    def mistakes(self) -> int:
        """In how many of them it erred; the learner inside was given these, and no others."""
        return self._mistakes

    @property
    def updates(self) -> int:
        """How many of its mistakes moved it."""
        return self._updates

    def predict(self, x: Any) -> Prediction:
        """What the learner says of one example. Never changes it."""
        return self.inner.predict(x)

    def learn(self, x: Any, y: Label, weight: float = 1.0) -> Round:
        """One whole round: predict, compare with the label y, and let the learner learn from it if that was a mistake."""
        code, weight = label_code(y), one_weight(weight)
        if code not in (+1, NOT_A_LABEL) and self._negative not in (None, code):
            raise LabelError(f"found label {y!r}, but this stream has spelled its negative label {self._negative} before")
        t, said = self._rounds + 1, self.inner.predict(x)
        played = Round(t, x, said, y, changed=False, weight=weight)  # refuses a label or a weight before anything moves
        try:
            changed = played.mistake and self.inner.learn(x, y, weight).changed
        except NotRealizable as error:
            raise at_round(error, f"round {t}") from error
        if changed:
            played = Round(t, x, said, y, changed=True, weight=weight)
        self._rounds = t
        self._mistakes += played.mistake
        self._updates += played.changed
        self._negative = self._negative if code == +1 else code
        return played

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> Rounds:
        """One round a row, in order: the same as calling `learn` for each.

        A row that cannot be learned raises `ExampleError`, and one that nothing fits `NotRealizable`, with `.row`, its number,
        and `.rounds`, those before it; it is then as after them.
        """
        first, played = self._rounds + 1, list[Round]()
        rows = list(pairs((X, y)))
        for row, ((x, label), weight) in enumerate(zip(rows, _weights(weights, len(rows)), strict=True)):
            try:
                played.append(self.learn(x, label, weight))
            except ExampleError as error:
                refused = placed(error, row)
                refused.rounds = _columns(first, X, played)
                raise refused from error
            except NotRealizable as error:
                error.row, error.rounds = row, _columns(first, X, played)
                raise
        return _columns(first, X, played)

    def hypothesis(self) -> Predictor[Any]:
        """What the learner believes now, as a predictor that never changes."""
        return frozen(self.inner)

    def __copy__(self) -> Self:
        twin = type(self)(copy(self.inner))
        twin.__dict__.update({**self.__dict__, "inner": twin.inner})
        return twin

    def __repr__(self) -> str:
        return f"Conservative({self.inner!r})"


def _check_learner(learner: object) -> None:
    if isinstance(learner, type) or not isinstance(learner, Learner):
        raise ParameterError(f"found {learner!r}, expected a learner, which predicts and learns")


def _weights(weights: ArrayLike | None, rows: int) -> list[float]:
    if weights is None:
        return [1.0] * rows
    array = np.asarray(weights)
    if array.dtype.kind not in "biuf" or array.shape != (rows,):
        raise ExampleError(
            f"found weights of {array.dtype} and shape {array.shape}, expected one number for each of {rows} rows"
        )
    return [float(weight) for weight in array]


def _columns(first: int, examples: object, played: list[Round]) -> Rounds:
    said: list[Any] = [round_.prediction for round_ in played]
    chances = [prediction.p_positive for prediction in said]
    return Rounds(
        first,
        examples,
        predictions=np.array([prediction.label for prediction in said], dtype=np.int8),
        labels=np.array([round_.label for round_ in played], dtype=np.int8),
        scores=np.array([prediction.score for prediction in said], dtype=np.float64),
        changed=np.array([round_.changed for round_ in played], dtype=np.bool_),
        weights=np.array([round_.weight for round_ in played], dtype=np.float64),
        p_positive=np.array(chances, dtype=np.float64) if chances and None not in chances else None,
    )
