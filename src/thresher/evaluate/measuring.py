"""The metrics of a run: of the rounds that were learned, and apart of the examples that were held out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from thresher.data.stream import Batch
from thresher.errors import StoreError
from thresher.evaluate.holding import Holding, held_out, judgement, plays_among
from thresher.evaluate.metrics import Metrics
from thresher.linear import LinearLearner
from thresher.store.kinds import HELD, WINDOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thresher.compose import Portfolio

__all__ = ["Measuring", "learned_alone"]

_MOST = 2**62

Windows: TypeAlias = "dict[str, NDArray[np.uint8]]"


class Measuring:
    """Metrics over a window; with `every` = k each k-th example of a pass is predicted, measured apart, and never learned.

    Such an example is predicted by the learner as it stands when the example comes, after all that came before it. The
    ledger and its certificates know nothing of it: they speak of the rounds that were learned.

    >>> import thresher as th
    >>> from thresher.evaluate import play
    >>> learner, ledger, measuring = th.Perceptron(2**18, bias=1.0), th.Ledger(), Measuring(every=10)
    >>> with th.open_stream("demo:oranges") as stream:
    ...     play(learner, measuring.learned(stream, learner), ledger)
    True
    >>> ledger.rounds, measuring.held.so_far.rounds
    (8640, 960)
    """

    def __init__(self, window: int = 1000, every: int | None = None) -> None:
        self.metrics = Metrics(window)
        self.every = every
        self.held = None if every is None else Metrics(window)
        self.seen = 0

    def learned(self, batches: Iterable[Batch], learner: LinearLearner | Portfolio) -> Iterator[Batch]:
        """The examples to learn; the others are predicted as they come. Learn each batch before you ask for the next."""
        for batch in batches:
            if self.every is None or self.held is None:
                yield batch
            else:
                yield from _parted(batch, held_out(batch, self.every, self.seen), learner, self.held)
            self.seen += len(batch)

    def end_pass(self) -> None:
        """The examples are counted anew in the next pass, so that the same ones are held out."""
        self.seen = 0

    def state(self) -> tuple[dict[str, Any], Windows]:
        """Everything, as JSON and bytes can hold it; `from_state` makes it again."""
        told, window = self.metrics.state()
        if self.held is None:
            return {"learned": told, "holdout": None}, {WINDOW: window}
        held, beside = self.held.state()
        holdout = {"every": self.every, "seen": self.seen, "held": held}
        return {"learned": told, "holdout": holdout}, {WINDOW: window, HELD: beside}

    @classmethod
    def from_state(cls, stored: object, windows: Mapping[str, NDArray[np.uint8]]) -> Self:
        """The metrics whose `state()` this is."""
        if not isinstance(stored, Mapping) or set(stored) != {"learned", "holdout"}:
            raise StoreError("the metrics are not learned and holdout")
        holdout = stored["holdout"]
        if set(windows) != ({WINDOW} if holdout is None else {WINDOW, HELD}):
            raise StoreError("the metrics' windows are not there")
        metrics = Metrics.from_state(stored["learned"], windows[WINDOW])
        made = cls(metrics.window)
        made.metrics = metrics
        if holdout is not None:
            if not isinstance(holdout, Mapping) or set(holdout) != {"every", "seen", "held"}:
                raise StoreError("the holdout is not every, seen and held")
            every, seen = holdout["every"], holdout["seen"]
            if not all(type(count) is int and 0 <= count < _MOST for count in (every, seen)) or every < 2:
                raise StoreError(f"found each {every}th of {seen} examples held out, expected whole numbers, and from 2 on")
            made.every, made.seen = every, seen
            made.held = Metrics.from_state(holdout["held"], windows[HELD])
        return made


def learned_alone(batches: Iterable[Batch], every: int | None, seen: int = 0) -> Iterator[Batch]:
    """The examples that are not held out, where `seen` came before them."""
    for batch in batches:
        kept = batch if every is None else batch.without(held_out(batch, every, seen))
        if len(kept):
            yield kept
        seen += len(batch)


def _parted(batch: Batch, held: NDArray[np.bool_], learner: LinearLearner | Portfolio, measured: Metrics) -> Iterator[Batch]:
    """What is to be learned of a batch; what is held out is predicted in between, and measured.

    Where the learner cannot do it while it learns, each example that is held out is cut out.
    """
    start, cuts = 0, np.flatnonzero(held)
    if plays_among(learner):
        cuts = cuts[cuts == len(batch) - 1]
    for cut in [*cuts.tolist(), len(batch)]:
        part, out = batch.part(start, cut), held[start:cut]
        if len(part):
            yield Holding.of(part, out, learner, measured.add) if out.any() else part
        if cut < len(batch):
            measured.add(judgement(learner, batch.part(cut, cut + 1)))
        start = cut + 1
