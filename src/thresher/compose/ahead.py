"""Lanes that learn ahead of their vote."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Self

from thresher._core import BankAhead, Block, Crew, Rounds, room
from thresher.compose.counted import Columns, Rows
from thresher.errors import ConcurrentUse, ExampleError, LaneError, ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from thresher.compose.portfolio import Portfolio

__all__ = ["Ahead", "Begun"]


class Begun:
    """Rows that the lanes of a portfolio learn, or have learned, and how many of them the vote has heard of."""

    def __init__(
        self,
        block: Block,
        codes: NDArray[np.int8] | memoryview,
        weights: NDArray[np.float64] | None,
        costs: memoryview | None,
        lanes: int,
    ) -> None:
        self.block, self.codes, self.weights, self.costs = block, codes, weights, costs
        rows = len(block)
        self.says, self.scores, self.changed = room("int8", rows, lanes), room("float32", rows, lanes), room("bool", rows)
        self.heard = 0


class Ahead:
    """Teaches a portfolio as `learn_many` does, with the same rounds, in two steps: the lanes learn now, the vote hears later.

    Lanes need nothing of the vote. So a crew of threads plays them on rows as soon as these are begun, while whoever has begun
    them reads the next ones, or has the vote hear of those before. Until it has heard of all, the portfolio refuses everything
    else; if it is left before that, for good, since its lanes are then ahead of their weights.

    >>> import thresher as th
    >>> with th.open_stream("demo:oranges") as stream:
    ...     first, second, *_ = stream
    >>> portfolio, other = th.Portfolio(stream.n, bias=1.0), th.Portfolio(stream.n, bias=1.0)
    >>> with Ahead(portfolio, stream.crew) as ahead:
    ...     begun = [ahead.begin(batch.X, batch.codes, batch.weights) for batch in (first, second)]
    ...     rounds = [ahead.hear(each, len(each.block)) for each in begun]
    >>> rounds[1].loss == [other.learn_many(batch.X, batch.codes) for batch in (first, second)][1].loss
    True
    """

    def __init__(self, portfolio: Portfolio, crew: Crew) -> None:
        if not portfolio._lanes.whole:
            raise ParameterError(f"found {portfolio!r} with lanes apart, expected all lanes in the bank")
        portfolio._check_whole()
        self.portfolio = portfolio
        self._begun: deque[Begun] = deque()
        self._lanes = BankAhead(portfolio._lanes.banked.bank, crew)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._lanes.end()

    def begin(self, block: Block, codes: NDArray[np.int8] | memoryview, weights: NDArray[np.float64] | None) -> Begun | None:
        """The lanes will learn these rows, after all that were begun before.

        None if there are none, or a label or a weight cannot be learned: then `learn_many` says so, once the vote has heard of
        the others.
        """
        portfolio, vote = self.portfolio, self.portfolio._vote
        if not self._begun:
            portfolio._check_whole()
        if len(block) == 0 or block.n != portfolio.n or vote._check(codes, weights) < len(block):
            return None
        begun = Begun(block, codes, weights, vote._costs(codes, weights), len(portfolio.lanes))
        before = portfolio._broken
        portfolio._broken = LaneError("its lanes learn ahead of their vote, which has not heard of all their rounds")
        try:
            self._lanes.give(block, codes, begun.costs, begun.says, begun.scores, begun.changed)
        except ConcurrentUse:  # nothing was given
            portfolio._broken = before
            raise
        self._begun.append(begun)
        return begun

    def hear(self, begun: Begun, rows: int) -> Rounds:
        """The vote on so many more of these rows; those that were begun before them must have been heard of."""
        if not self._begun or begun is not self._begun[0] or not 0 < rows <= len(begun.block) - begun.heard:
            raise ParameterError(f"found {rows} rows to hear of, expected some of those that were begun next")
        if begun.heard == 0:
            try:
                self._lanes.take()  # they come in order
            except BaseException as error:
                told = f"it was interrupted in round {self.portfolio.rounds + 1}, and its lanes are not in step any more"
                self.portfolio._broken = LaneError(told)
                self._begun.clear()
                if isinstance(error, ExampleError):
                    raise self.portfolio._broken from error
                raise
        portfolio, vote = self.portfolio, self.portfolio._vote
        part = slice(begun.heard, begun.heard + rows)
        played = Rows(begun.block, begun.codes, begun.weights, begun.block.__getitem__).part(part.start, part.stop)
        first, before, wrong = portfolio.rounds + 1, vote.history, portfolio._counts()[0]
        made = Columns(rows)
        made.moved = begun.changed[part]
        vote._learn_block(begun.says[part], begun.scores[part], played.codes, played.weights, made.moved, *made.room(0, rows))
        vote._collide(played.block.collisions)
        begun.heard += rows
        if begun.heard == len(begun.block):
            self._begun.popleft()
        if not self._begun:
            portfolio._broken = None
        history, standing = (before, vote.history), portfolio._standing(wrong)
        return made.rounds(first, played.block, played, portfolio.rule, history, standing=standing)
