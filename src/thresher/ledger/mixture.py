"""Fixed mixtures of the experts' forecasts as comparators: one that is given, and the best for the squared loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.bounds import Certificate
from thresher.bounds.printed import above
from thresher.errors import ExampleError, LedgerError, ParameterError
from thresher.examples import numeric
from thresher.ledger.blocks import Pending
from thresher.ledger.losses import LossTally, Played
from thresher.ledger.regret import Compared, certificates, promises, run_of
from thresher.ledger.scores import mixed, normal, scores
from thresher.ledger.simplex import as_mixture, least_mixture
from thresher.ledger.sums import Sums, up

__all__ = ["BestMixture", "Mixture"]

_U = 2.0**-53
_SHOWN = 4
_ROUNDING = 1e-9  # a mixture so near the best is the best but for rounding


class Mixture:
    """The comparator "this fixed mixture of the experts", the forecast u·x in every round.

    `u` has one weight for each expert, of at least 0, that add up to 1 within 1e-6; it is divided by their sum. How it was
    found does not matter: what it loses is summed, in whichever loss the forecaster has, rounded to the safe side. `names` says
    how expert i, from 0, is printed.

    >>> import numpy as np, thresher as th
    >>> forecaster, ledger = th.Forecaster(), th.Ledger(th.Mixture([0.5, 0.5]))
    >>> ledger.enter(forecaster.learn_many([[1.0, 4.0], [3.0, 6.0]] * 20, [2.0, 5.0] * 20))
    >>> print(ledger.certificates()[0].verdict, ledger.certificates()[0].bound.on)
    certified regret
    """

    def __init__(
        self, u: ArrayLike, *, called: str = "the mixture that was given", names: Callable[[int], str] = "expert {}".format
    ) -> None:
        try:
            weights = np.array(numeric(u, "u", "one weight for each expert"), dtype=np.float64, ndmin=1)
        except ExampleError as error:
            raise ParameterError(str(error)) from None
        if weights.ndim != 1 or weights.size == 0 or not (weights >= 0.0).all() or not abs(weights.sum() - 1.0) <= 1e-6:
            raise ParameterError(f"found u = {u!r}, expected weights of at least 0, one for each expert, that add up to 1")
        self._u = as_mixture(weights)
        self._u.flags.writeable = False
        self.called, self.names = called, names

    @property
    def u(self) -> NDArray[np.float64]:
        """The weights, read-only."""
        return self._u

    def watch_losses(self) -> MixtureWatcher:
        """A fresh watcher for one ledger."""
        return MixtureWatcher(self)

    def __repr__(self) -> str:
        return f"Mixture({_shown(self._u)})"


class MixtureWatcher:
    """A mixture at work: what it lost, and how far that may be off, each summed without rounding."""

    def __init__(self, given: Mixture) -> None:
        self._given = given
        self._sums = Sums(2)

    def enter(self, entered: Played, /) -> Callable[[], None]:
        before = self._sums

        def take_back() -> None:
            self._sums = before

        sums = self._sums
        for few in entered.slices():
            loss, x, y = _forecasts(few, type(self._given).__name__)
            if few.n != len(self._given.u):
                raise LedgerError(f"found forecasts of {few.n} experts, expected {len(self._given.u)}")
            lost = np.column_stack(scores(loss, *mixed(np.nan_to_num(x), self._given.u), y))
            sums = sums.plus(np.where(np.isfinite(lost), lost, 0.0))  # infinite for the log alone, where nothing is claimed
        self._sums = sums
        return take_back

    def certificates(self, tally: LossTally) -> list[Certificate]:
        """What the theorems of the forecaster that played say of mixtures."""
        lost, off = self._sums.parts(0), self._sums.parts(1)
        high = up([*lost, *off])
        doubt = up(off) * (1 + 2.0**-40)
        regret = [*tally.loss_parts, *(-part for part in lost), doubt]
        witness = f"{self._given.called}, {_shown(self._given.u, self._given.names)}, which lost {above(high)}"
        return _against(tally, Compared(regret, high, witness, 3 * doubt))


class BestMixture:
    """The comparator "the best fixed mixture of the experts, chosen after the fact", for the squared loss.

    The loss of a mixture u over all rounds is u'Gu with Gᵢⱼ = Σ (xᵢ − y)(xⱼ − y), so n² numbers are enough for any number of
    rounds. The u that is found is a witness like any other: u'Gu is evaluated with what rounding may have changed, and the
    witness says how far it can be from the best. For other losses: `thresher.hindsight.best_mixture`, by passes.

    >>> import thresher as th
    >>> forecaster, ledger = th.Forecaster(), th.Ledger(th.BestMixture())
    >>> ledger.enter(forecaster.learn_many([[1.0, 4.0], [3.0, 6.0]] * 20, [2.0, 5.0] * 20))
    >>> print(ledger.certificates()[0].lines()["Witness"])         # doctest: +ELLIPSIS
    the best fixed mixture, 0.5 × expert 0 + 0.5 × expert 1, which lost 10...
    """

    def __init__(self, *, names: Callable[[int], str] = "expert {}".format) -> None:
        self.names = names

    def watch_losses(self) -> BestMixtureWatcher:
        """A fresh watcher for one ledger."""
        return BestMixtureWatcher(self)

    def __repr__(self) -> str:
        return "BestMixture()"


class Found(NamedTuple):
    """A mixture: its weights, its loss from below and from above, and how much less another can have lost at most."""

    u: NDArray[np.float64]
    low: float
    high: float
    gap: float


class BestMixtureWatcher:
    """The best mixture at work: the Gram matrix of x − y, summed in blocks of 256 rounds."""

    def __init__(self, given: BestMixture) -> None:
        self._given = given
        self._gram: NDArray[np.float64] | None = None
        self._pending = Pending.empty(0)
        self._rounds = 0

    def enter(self, entered: Played, /) -> Callable[[], None]:
        before = self._gram, self._pending, self._rounds

        def take_back() -> None:
            self._gram, self._pending, self._rounds = before

        gram, pending = self._gram, self._pending
        for few in entered.slices():
            loss, x, y = _forecasts(few, "BestMixture")
            if loss != "squared":
                raise LedgerError(
                    f"found rounds with {loss} loss, expected squared: thresher.hindsight.best_mixture is for others"
                )
            if gram is None:
                gram, pending = np.zeros((few.n, few.n)), Pending.empty(few.n)
            pending, full = pending.plus(np.nan_to_num(x - y[:, np.newaxis]))
            for block in full:
                gram = gram + block.T @ block
        self._gram, self._pending, self._rounds = gram, pending, self._rounds + len(entered.loss)
        return take_back

    def found(self) -> Found | None:
        """The best mixture of the rounds so far; None before the first."""
        if self._gram is None:
            return None
        gram = self._gram + self._pending.rows.T @ self._pending.rows
        u = least_mixture(gram)
        doubt = (self._rounds / 128 + 8 * len(u) + 1024) * _U * float(u @ np.diag(gram))
        slopes = gram @ u
        value = float(u @ slopes)
        largest = (self._rounds / 128 + 8 * len(u) + 1024) * _U * float(np.diag(gram).max())
        gap = 2 * max(0.0, value - float(slopes.min())) + 4 * largest
        return Found(u, value - doubt, value + doubt, gap)

    def certificates(self, tally: LossTally) -> list[Certificate]:
        """What the theorems of the forecaster that played say of mixtures."""
        found = self.found()
        if found is None:
            return []
        shown = _shown(found.u, self._given.names)
        witness = f"the best fixed mixture, {shown}, which lost {above(found.high)}" + (
            "" if found.gap <= _ROUNDING * abs(found.high) else f" (at most {above(found.gap)} above the least)"
        )
        return _against(tally, Compared([*tally.loss_parts, -found.low], found.high, witness, 2 * (found.high - found.low)))


def _against(tally: LossTally, compared: Compared) -> list[Certificate]:
    run = run_of(tally)
    if run is None or not run.against_mixtures or tally.rounds == 0:
        return []
    made = [promise for promise in promises(tally, run, 0) if not promise.sleeping]
    return certificates(tally, run, made, compared)


def _forecasts(few: Played, who: str) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
    """The loss, the experts' forecasts and the outcomes, or a `LedgerError`."""
    if few.scored is None or few.given is None or few.outcomes is None:
        raise LedgerError(f"found rounds without forecasts, expected those of a Forecaster: a {who} mixes forecasts")
    x = normal(few.given)
    if x.shape[:2] != few.losses.shape or few.outcomes.ndim != 1:
        raise LedgerError(f"found forecasts of shape {x.shape} for losses of shape {few.losses.shape}")
    return few.scored, x, few.outcomes


def _shown(u: NDArray[np.float64], names: Callable[[int], str] = "expert {}".format) -> str:
    heaviest = [int(i) for i in np.argsort(-u, kind="stable")[:_SHOWN] if u[i] > 0.0]
    rest = int(np.count_nonzero(u)) - len(heaviest)
    terms = [f"{u[i]:.4g} × {names(i)}" for i in heaviest]
    return " + ".join([*terms, f"{rest:,} more"] if rest else terms)
