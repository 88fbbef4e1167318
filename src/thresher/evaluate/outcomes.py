"""What came out of every round, kept until the same examples are read again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import IO, TYPE_CHECKING

import numpy as np

from thresher._core import Rounds
from thresher.linear import LinearLearner

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Outcomes"]

_CHANGED = 4


class Outcomes:
    """The prediction of each round and whether it moved the learner, a byte a round, in a file without a buffer.

    `spool` opens the file, once there is something to keep.

    With them a theorem is checked by reading the examples again: no second learner has to learn beside the first.

    >>> import io, thresher as th
    >>> learner, X, y = th.Perceptron(2), [[1, 0], [0, 1]], [-1, 1]
    >>> outcomes = Outcomes(io.BytesIO)
    >>> rounds = outcomes.keeping(learner).learn_many(X, y)
    >>> outcomes.retelling(learner, first=1).learn_many(X, y)
    Rounds(first=1, rounds=2, mistakes=1, updates=1)
    """

    def __init__(self, spool: Callable[[], IO[bytes]]) -> None:
        self._spool = spool
        self.rounds = 0
        self.lost: OSError | None = None

    @cached_property
    def _file(self) -> IO[bytes]:
        return self._spool()

    def close(self) -> None:
        """Lets the file go."""
        if "_file" in vars(self):
            self._file.close()

    def keep(self, rounds: Rounds) -> None:
        """Adds rounds. If the file cannot take them, all is `lost`, and learning goes on."""
        if self.lost is not None:
            return
        left = (rounds.predictions + 1 + _CHANGED * rounds.changed).astype(np.uint8).tobytes()
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            self.rounds, self.lost = 0, error
        else:
            self.rounds += len(rounds)

    def clear(self) -> None:
        """Forgets all rounds."""
        self._file.seek(0)
        self._file.truncate()
        self.rounds, self.lost = 0, None

    def keeping(self, learner: LinearLearner) -> Keeping:
        """The learner, with the outcomes kept of all that it plays."""
        return Keeping(self, learner)

    def retelling(self, learner: LinearLearner, first: int) -> Retelling:
        """Tells the rounds of the learner again; the first of them has this number."""
        self._file.seek(0)
        return Retelling(self._file, learner, first)


class Keeping:
    """A learner that plays, and what keeps its outcomes."""

    def __init__(self, outcomes: Outcomes, learner: LinearLearner) -> None:
        self._outcomes = outcomes
        self._learner = learner

    def learn_many(self, X: object, y: ArrayLike, weights: ArrayLike | None = None) -> Rounds:
        """The rounds with these examples."""
        rounds = self._learner.learn_many(X, y, weights)
        self._outcomes.keep(rounds)
        return rounds


class Retelling:
    """Stands in for the learner that played these rounds: the same examples give the same rounds, without their scores."""

    def __init__(self, file: IO[bytes], learner: LinearLearner, first: int) -> None:
        self._file = file
        self._learner = learner
        self._next = first

    def learn_many(self, X: object, y: ArrayLike, weights: ArrayLike | None = None) -> Rounds:
        """The rounds with these examples; those beyond the last that was kept are said to have gone well."""
        said = np.array(y, np.int8)
        kept = np.frombuffer(self._file.read(len(said)), np.int8)
        changed = np.zeros(len(said), np.bool_)
        said[: len(kept)] = kept % _CHANGED - 1
        changed[: len(kept)] = kept >= _CHANGED
        told = self._learner._told(self._next, X, y, weights, said=said, changed=changed)
        self._next += len(told)
        return told
