"""The one loop that plays a learner against a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from thresher._core import Rounds
from thresher.data.stream import Batch
from thresher.evaluate.ahead import BegunBatch
from thresher.evaluate.holding import Holding
from thresher.ledger import Ledger

__all__ = ["Plays", "Watch", "play"]

#: Is shown every batch with its rounds, and says whether to go on.
Watch = Callable[[Batch, Rounds], bool]


class Plays(Protocol):
    """Whatever makes rounds of examples: a learner, or what tells again how one learned."""

    def learn_many(self, X: Any, y: Any, weights: Any = None) -> Rounds: ...


def play(learner: Plays, stream: Iterable[Batch], ledger: Ledger, watch: Watch | None = None) -> bool:
    """Learns a stream and enters every round. `watch` may stop it after any batch; the answer is whether it came to the end.

    >>> import thresher as th
    >>> learner, ledger = th.Perceptron(2**18, bias=1.0), th.Ledger()
    >>> with th.open_stream("demo:oranges") as stream:
    ...     play(learner, stream, ledger)
    True
    >>> ledger.rounds == learner.rounds == 9600
    True
    """
    plain = hasattr(learner, "_learn_beside")  # one of ours: it needs no array
    for batch in stream:
        if isinstance(batch, Holding | BegunBatch):
            rounds = batch.learned_by(learner)
        else:
            rounds = learner.learn_many(batch.X, batch.codes if plain else batch.y, batch.weights)
        ledger.enter(rounds)
        if watch is not None and not watch(batch, rounds):
            return False
    return True
