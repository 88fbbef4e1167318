"""What a portfolio has counted, and the columns in which its rounds come."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thresher._core import Block, PortfolioRule, Rounds, Rule, Standing, Vote, room, voted_rounds
from thresher.bounds import Bound
from thresher.compose.lanes import Lanes
from thresher.experts.rule import Heads, LossRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Columns", "Counted", "Rows"]


class Rows(NamedTuple):
    """Rows to play, with good labels and weights; `example` gives one as the user holds it. Those `held` are not learned."""

    block: Block
    codes: NDArray[np.int8] | memoryview
    weights: NDArray[np.float64] | None
    example: Callable[[int], object]
    held: NDArray[np.bool_] | None = None

    def among(self, block: Block, held: NDArray[np.bool_]) -> Rows:
        """These rows where they come in the block, among others, which are held out: no label or weight of theirs is bad."""
        codes, weights = np.ones(len(block), np.int8), None if self.weights is None else np.ones(len(block))
        codes[~held] = np.asarray(self.codes)
        if weights is not None:
            weights[~held] = self.weights
        return Rows(block, codes, weights, block.__getitem__, held)

    def part(self, start: int, end: int) -> Rows:
        """Those from `start` until before `end`."""
        block, codes, weights, example, held = self
        weights = None if weights is None else weights[start:end]
        held = None if held is None else held[start:end]
        return Rows(block.rows(start, end), codes[start:end], weights, example, held)


class Columns:
    """The outcomes of rounds, in columns of plain memory; and what each lane scored, for whom `lane_scores` has room."""

    def __init__(self, rows: int, lane_scores: NDArray[np.float64] | None = None) -> None:
        self.predictions, self.moved = room("int8", rows), room("bool", rows)
        self.scores, self.shares, self.losses, self.chances = (room("float64", rows) for _ in range(4))
        self.lane_scores = lane_scores

    def room(self, at: int, rows: int) -> tuple[memoryview, memoryview, memoryview, memoryview, memoryview]:
        """Where the vote on so many rounds from `at` on is written: its labels, scores, shares, losses and chances."""
        to = slice(at, at + rows)
        return self.predictions[to], self.scores[to], self.shares[to], self.losses[to], self.chances[to]

    def keep_scores(self, at: int, scores: memoryview) -> None:
        """Takes what the lanes scored in rounds from `at` on, if there is room for it."""
        if self.lane_scores is not None:
            self.lane_scores[at : at + len(scores)] = np.asarray(scores)

    def judged(self) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.float64]]:
        """What was said, the scores and the calibrated chances, as arrays."""
        return np.asarray(self.predictions), np.asarray(self.scores), np.asarray(self.chances)

    def of(self, which: slice | NDArray[np.bool_] | NDArray[np.intp]) -> Columns:
        """Those of some of the rows."""
        some, columns = Columns(0), {name: column for name, column in vars(self).items() if column is not self.lane_scores}
        plain = isinstance(which, slice)
        taken = {name: column[which] if plain else np.asarray(column)[which].data for name, column in columns.items()}
        vars(some).update(taken)
        return some

    def rounds(
        self, first: int, examples: object, rows: Rows, rule: Rule, history: tuple[int, int], *, standing: Standing
    ) -> Rounds:
        """The rounds of a portfolio of which this came out, with the first of these rows, as many as there are rounds."""
        played = len(self.predictions)
        return voted_rounds(
            first,
            examples,
            rows.block,
            None if rows.weights is None else rows.weights[:played],
            rule,
            history,
            self.predictions,
            rows.codes[:played],
            self.scores,
            self.shares,
            self.losses,
            self.moved,
            self.chances,
            standing,
        )


class Counted:
    """What a portfolio has counted: its lanes, its master and its vote."""

    def _count(self, lanes: Lanes, master: LossRule, vote: Vote) -> None:
        self._lanes, self._master, self._vote = lanes, master, vote
        self._rule = PortfolioRule(list(lanes.names), repr(master), vote.cost_positive, lanes.bias)

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""
        return self._lanes.n

    @property
    def rule(self) -> Rule:
        """What its rounds are known by: its lanes' names, its master and its cost."""
        return self._rule

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes' names."""
        return self._lanes.names

    @property
    def cost_positive(self) -> float:
        """What a missed positive example costs."""
        return self._vote.cost_positive

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self._vote.rounds

    @property
    def mistakes(self) -> int:
        """In how many of them the vote was wrong."""
        return self._vote.mistakes

    @property
    def updates(self) -> int:
        """In how many of them some lane moved."""
        return self._vote.updates

    @property
    def collisions(self) -> int:
        """How many features fell into a slot that another one of the same example held."""
        return self._vote.collisions

    @property
    def loss(self) -> float:
        """The weight on wrong lanes, times what each round costs, summed."""
        return self._vote.loss

    @property
    def log_loss(self) -> float:
        """The sum of −ln of the calibrated probabilities that were given to what came, each before it came, by weight."""
        return self._vote.log_loss

    @property
    def lane_mistakes(self) -> NDArray[np.int64]:
        """How often each lane was wrong: a fresh read-only array."""
        return self._vote.lane_mistakes

    @property
    def lane_losses(self) -> NDArray[np.float64]:
        """What each lane lost: a fresh read-only array."""
        return self._vote.lane_losses

    @property
    def lane_weights(self) -> NDArray[np.float64]:
        """The lanes' weights in the next round, which add up to 1: a fresh read-only array."""
        return self._vote.lane_weights

    @property
    def best_lane(self) -> int:
        """The lane that lost least; the first, if there are several."""
        return self._vote.best_lane

    @property
    def master(self) -> LossRule:
        """The rule that weighs the lanes, as it stands: a copy."""
        planes, rule = self._vote._memory()[1], copy(self._master)
        rule._restore(planes["losses"], planes["weights"], *self._vote._heads()[1])
        return rule

    @property
    def regret(self) -> float:
        """How much more was lost than by the best lane."""
        return self.loss - min(self._vote._memory()[1]["losses"])

    @property
    def proven(self) -> Bound | None:
        """What the regret is proven to stay below, in exact arithmetic; None where the master's theorem is silent."""
        return self._master._proves(Heads(*self._vote._heads()[1]))

    def _counts(self) -> tuple[list[int], list[float], list[float]]:
        """Of each lane: how often it was wrong, what it lost, and its weight in the next round."""
        return self._vote._counts()

    def _standing(self, wrong: list[int]) -> Standing:
        """Where it stands; the lanes' mistakes since they were `wrong`."""
        proven = self.proven
        return self._vote._standing(wrong, None if proven is None else proven.value)
