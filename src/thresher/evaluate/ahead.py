"""The batches of a stream that the lanes of a portfolio learn ahead of its vote."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from thresher._core import Crew, Rounds
from thresher.data.stream import Batch
from thresher.errors import ParameterError

if TYPE_CHECKING:
    from thresher.compose import Portfolio
    from thresher.compose.ahead import Ahead, Begun

__all__ = ["BegunBatch", "Lookahead"]

_MOST = 2  # batches that are begun beside the one at hand: with one, lanes wait for whoever notes it


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BegunBatch(Batch):
    """Examples that the lanes of a portfolio have begun to learn."""

    ahead: Ahead
    begun: Begun

    @classmethod
    def of(cls, batch: Batch, ahead: Ahead, begun: Begun) -> Self:
        """The batch with what is known of it."""
        columns = batch.X, batch.codes, batch.weights, batch.tags, batch.rows, batch.first, batch.places
        return cls(*columns, ahead=ahead, begun=begun)

    def part(self, start: int, end: int) -> Batch:
        """Its examples from `start` until before `end`; the parts are to be learned in order."""
        return BegunBatch.of(super().part(start, end), self.ahead, self.begun)

    def learned_by(self, learner: object) -> Rounds:
        """The rounds, once the lanes have learned them."""
        if learner is not self.ahead.portfolio:
            raise ParameterError(f"found {learner!r} to learn, expected {self.ahead.portfolio!r}, whose lanes have begun")
        return self.ahead.hear(self.begun, len(self))


class Lookahead:
    """Batches to learn, of which a crew lets the lanes of a portfolio begin the next ones while the one at hand is noted.

    The rounds are those of `learn_many`, batch after batch. What goes wrong with a later batch comes when all before it were
    given. Learn each before you ask for the next.

    >>> import thresher as th
    >>> from thresher.evaluate import play
    >>> learner, ledger = th.Portfolio(2**18, bias=1.0), th.Ledger(th.BestLane())
    >>> with th.open_stream("demo:oranges") as stream, Lookahead(stream, learner, stream.crew) as batches:
    ...     play(learner, batches, ledger)
    True
    >>> learner.rounds
    9600
    """

    def __init__(self, batches: Iterable[Batch], learner: Portfolio, crew: Crew) -> None:
        from thresher.compose.ahead import Ahead

        self._batches = batches
        self._ahead = Ahead(learner, crew)
        self._begun: deque[BegunBatch] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ahead.__exit__(kind, error, trace)

    def __iter__(self) -> Iterator[Batch]:
        try:
            for batch in self._batches:
                begun = self._ahead.begin(batch.X, batch.codes, batch.weights)
                if begun is None:  # it cannot be learned as it is: whoever learns it hears why
                    yield from self._rest(0)
                    yield batch
                    continue
                self._begun.append(BegunBatch.of(batch, self._ahead, begun))
                yield from self._rest(_MOST)
        except Exception:
            yield from self._rest(0)
            raise
        yield from self._rest(0)

    def _rest(self, most: int) -> Iterator[BegunBatch]:
        """Those that wait, until at most so many are left."""
        while len(self._begun) > most:
            yield self._begun.popleft()
