"""The best sequence of experts as comparator: who changes a few times, after the fact."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from thresher.bounds import Certificate
from thresher.bounds.printed import above
from thresher.errors import ParameterError
from thresher.ledger.blocks import Pending
from thresher.ledger.losses import LossTally, Played
from thresher.ledger.regret import Compared, certificates, promises, run_of
from thresher.ledger.sums import down

__all__ = ["BestSequence"]

_U = 2.0**-53
_MOST_SWITCHES = 2**20


class BestSequence:
    """The comparator "the best sequence of experts with at most s changes, chosen after the fact".

    Its loss comes from dynamic programming: the least loss of a sequence with at most k changes that now is at expert i is

        D(k, i) ← min(D(k, i), minⱼ D(k − 1, j)) + ℓᵢ,

    in memory (s + 1)·n for any number of rounds. What rounding may have changed is added to the regret. Where an expert had an
    infinite loss it says nothing.

    >>> import thresher as th
    >>> rule, ledger = th.FixedShare(2, eta=1.0, alpha=0.02), th.Ledger(th.BestSequence(1))
    >>> ledger.enter(rule.learn_losses_many([[0.0, 1.0]] * 50 + [[1.0, 0.0]] * 50))
    >>> ledger.certificates()[0]
    <certificate: certified: regret 7.5482 of at most 19.0851 in 100 rounds by Fixed share>
    """

    def __init__(self, switches: SupportsIndex) -> None:
        try:
            self.switches = index(switches)
        except TypeError:
            self.switches = -1
        if not 0 <= self.switches <= _MOST_SWITCHES:
            raise ParameterError(f"found switches = {switches!r}, expected a whole number from 0 to 2^20")

    def watch_losses(self) -> BestSequenceWatcher:
        """A fresh watcher for one ledger."""
        return BestSequenceWatcher(self)

    def __repr__(self) -> str:
        return f"BestSequence({self.switches})"


class _Best(NamedTuple):
    """D, and how far it may be off."""

    least: NDArray[np.float64]
    doubt: float

    def plus(self, losses: NDArray[np.float64]) -> _Best:
        """After these rounds: level by level, all rounds of a level at once.

        With C the sums of losses in this block, D(k, i) after round t is C(t, i) + the least of D(k, i) before the block and
        of M(k − 1, r) − C(r, i) over the earlier rounds r, where M(k − 1, r) = minⱼ D(k − 1, j) after round r.
        """
        sums = np.vstack([np.zeros_like(losses[:1]), np.cumsum(losses, axis=0)])
        after = np.empty_like(self.least)
        reached = np.full(len(sums), math.inf)  # M of the level above
        for k, start in enumerate(self.least):
            cheapest = np.vstack([start[np.newaxis], reached[:-1, np.newaxis] - sums[:-1]])
            level = sums + np.minimum.accumulate(cheapest, axis=0)
            reached = level.min(axis=1)
            after[k] = level[-1]
        size = float(np.abs(self.least).max()) + 3 * float(np.abs(losses).max(axis=1).sum())
        levels = min(len(self.least), len(losses) + 1)
        return _Best(after, self.doubt + 1.01 * levels * (2 * len(losses) + 6) * _U * size)


class BestSequenceWatcher:
    """The best sequence at work."""

    def __init__(self, given: BestSequence) -> None:
        self._given = given
        self._best: _Best | None = None
        self._pending = Pending.empty(0)

    def enter(self, entered: Played, /) -> Callable[[], None]:
        before = self._best, self._pending

        def take_back() -> None:
            self._best, self._pending = before

        if len(entered.loss):
            best, pending = self._best, self._pending
            if best is None:
                best, pending = _Best(np.zeros((self._given.switches + 1, entered.n)), 0.0), Pending.empty(entered.n)
            for few in entered.slices():
                pending, full = pending.plus(np.nan_to_num(few.losses, nan=0.0, posinf=0.0))
                for block in full:
                    best = best.plus(block)
            self._best, self._pending = best, pending
        return take_back

    @property
    def loss(self) -> tuple[float, float]:
        """What the best sequence lost: from below and from above."""
        if self._best is None:
            return 0.0, 0.0
        best = self._best.plus(self._pending.rows) if self._pending.filled else self._best
        least = float(best.least[-1].min())
        return down([least, -best.doubt]), -down([-least, -best.doubt])

    def certificates(self, tally: LossTally) -> list[Certificate]:
        """What the theorems of the rule that played say of sequences."""
        run = run_of(tally)
        if run is None or tally.rounds == 0 or tally.out.any():  # an infinite loss is not summed
            return []
        low, high = self.loss
        switches = self._given.switches
        changes = "1 change" if switches == 1 else f"{switches:,} changes"
        witness = f"the best sequence of {tally.n:,} experts with at most {changes}, which lost {above(high)}"
        made = [promise for promise in promises(tally, run, switches) if not promise.sleeping]
        return certificates(tally, run, made, Compared([*tally.loss_parts, -low], high, witness, 2 * (high - low)))
