"""Examples that are held out: predicted as they come among those that are learned, and never learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from thresher._core import Rounds
from thresher.data.stream import Batch
from thresher.errors import ParameterError
from thresher.evaluate.metrics import Judged
from thresher.linear import LinearLearner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thresher.compose import Portfolio

__all__ = ["Holding", "held_out", "judgement", "plays_among"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Holding(Batch):
    """Examples to learn, among which others come that the learner predicts, each after all that came before it.

    `among` has all of them, and `held` says which are not learned; the last of all is. `hear` is told how these went.
    """

    among: Batch
    held: NDArray[np.bool_]
    learner: LinearLearner | Portfolio
    hear: Callable[[Judged], None]

    @classmethod
    def of(
        cls, among: Batch, held: NDArray[np.bool_], learner: LinearLearner | Portfolio, hear: Callable[[Judged], None]
    ) -> Self:
        """The batch with what is held out in it."""
        kept = among.without(held)
        columns = kept.X, kept.codes, kept.weights, kept.tags, kept.rows, kept.first, kept.places
        return cls(*columns, among=among, held=held, learner=learner, hear=hear)

    def part(self, start: int, end: int) -> Batch:
        """The examples to learn from `start` until before `end`, with what comes before each of them."""
        if start == end:
            return super().part(start, end)
        places = np.flatnonzero(~self.held)
        first, last = int(places[start - 1]) + 1 if start else 0, int(places[end - 1]) + 1
        return Holding.of(self.among.part(first, last), self.held[first:last], self.learner, self.hear)

    def learned_by(self, learner: object) -> Rounds:
        """The rounds with the examples to learn; what is held out is predicted meanwhile."""
        if learner is not self.learner:
            raise ParameterError(f"found {learner!r} to learn, expected {self.learner!r}, which predicts what is held out")
        given = self.X, self.codes, self.weights, self.among.X, self.held
        if isinstance(self.learner, LinearLearner):
            rounds, scores = self.learner._learn_beside(*given)
            said, chances = self.learner._predictions(scores), self.learner._chances(scores)
        else:
            rounds, asked = self.learner._learn_beside(*given)
            said, scores, chances = asked.judged()
        weights = None if self.among.weights is None else self.among.weights[self.held]
        self.hear(Judged(self.among.y[self.held], said, scores, chances, weights))
        return rounds


def plays_among(learner: LinearLearner | Portfolio) -> bool:
    """Whether it can predict examples among those that it learns at once: not a portfolio with lanes outside its bank."""
    return isinstance(learner, LinearLearner) or learner._lanes.whole


def held_out(batch: Batch, every: int, seen: int) -> NDArray[np.bool_]:
    """Which examples of a batch are held out, each `every`-th, where `seen` came before them."""
    held = np.zeros(len(batch), np.bool_)
    held[every - 1 - seen % every :: every] = True
    return held


def judgement(learner: LinearLearner | Portfolio, batch: Batch) -> Judged:
    """What the learner says now."""
    if not isinstance(learner, LinearLearner):
        return Judged(batch.y, *learner._ask(batch.X).judged(), batch.weights)
    scores = learner.score_many(batch.X)
    return Judged(batch.y, learner._predictions(scores), scores, learner._chances(scores), batch.weights)
