"""What the ledger counts of rounds with losses: sums that are exact, and what the theorems' premises need."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher._core import LARGEST_VALUE
from thresher.errors import LedgerError
from thresher.experts.rule import Heads, LossRound, LossRounds, Origin
from thresher.ledger.scores import LOSSES, averages, normal, scores, slopes
from thresher.ledger.sums import Sums, down, up

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LossTally", "Played", "played"]

_NO_ROUNDS = Heads(0, 0.0, 0.0, 0.0, 0, 0.0)
_OWN_LOSSES = ("AdaHedge", "FixedShare", "Hedge")  # rules whose losses are the rounds'
_LOSS, _AVERAGE, _SIZE, _RANGE, _SLOPE = range(5)
_CELLS = 2**18
_WAITING = 64


class Played(NamedTuple):
    """Rounds with losses in columns, checked: one or many come to the same."""

    first: int
    losses: NDArray[np.floating]
    loss: NDArray[np.float64]
    forecasts: NDArray[np.float64] | None
    outcomes: NDArray[np.float64] | None
    given: NDArray[np.floating] | None
    origin: Origin | None

    @property
    def n(self) -> int:
        return int(self.losses.shape[1])

    def slices(self) -> Iterator[Played]:
        """A few rounds at a time, the experts' losses as float64."""
        step = max(1, _CELLS // self.n)
        for start in range(0, len(self.loss), step):
            cut = slice(start, start + step)
            yield Played(
                self.first + start,
                self.losses[cut].astype(np.float64),
                self.loss[cut],
                None if self.forecasts is None else self.forecasts[cut],
                None if self.outcomes is None else self.outcomes[cut],
                None if self.given is None else self.given[cut],
                self.origin,
            )

    @property
    def scored(self) -> str | None:
        """The loss of a forecaster's rounds; None for a rule's, and where what was forecast is not told."""
        told = self.forecasts is not None and self.outcomes is not None and self.given is not None
        if not told or self.origin is None or self.origin.rule != "Forecaster":
            return None
        found = self.origin.arguments.get("loss")
        return found if isinstance(found, str) and found in LOSSES else None


def played(entered: LossRound | LossRounds) -> Played:
    """The rounds in columns, or a `LedgerError` that says why they cannot be rounds."""
    try:
        if isinstance(entered, LossRound):
            made = Played(
                entered.t,
                np.array(entered.losses)[np.newaxis],  # copies, as a single round is counted later
                np.array([entered.loss], dtype=np.float64),
                None if entered.forecast is None else np.asarray(entered.forecast, dtype=np.float64)[np.newaxis],
                None if entered.outcome is None else np.array([entered.outcome], dtype=np.float64),
                None if entered.given is None else np.array(entered.given)[np.newaxis],
                entered.origin,
            )
        else:
            made = Played(
                entered.first,
                np.asarray(entered.losses),
                np.asarray(entered.loss, dtype=np.float64),
                None if entered.forecasts is None else np.asarray(entered.forecasts, dtype=np.float64),
                None if entered.outcomes is None else np.asarray(entered.outcomes, dtype=np.float64),
                None if entered.given is None else np.asarray(entered.given),
                entered.origin,
            )
    except (TypeError, ValueError) as error:
        raise LedgerError(f"found rounds that are not numbers: {error}") from None
    _check(made)
    return made


def _check(made: Played) -> None:
    if type(made.first) is not int or made.first < 1:
        raise LedgerError(f"found round {made.first!r}, expected a number from 1")
    if made.losses.ndim != 2 or made.losses.dtype.kind != "f" or made.losses.shape[1] == 0:
        raise LedgerError(
            f"found losses of shape {made.losses.shape} and {made.losses.dtype}, expected rounds × experts of floats"
        )
    lengths = {name: len(column) for name, column in made._asdict().items() if isinstance(column, np.ndarray)}
    if len(set(lengths.values())) != 1 or made.loss.ndim != 1:
        raise LedgerError(f"found columns of {lengths}, expected one entry a round in each")
    if not (np.abs(made.loss) <= LARGEST_VALUE).all():
        raise LedgerError("found a loss of the mixture that is not a number of at most 2^250")
    for few in made.slices():
        first, losses = few.first, few.losses
        good = (np.abs(losses) <= LARGEST_VALUE) | np.isnan(losses) | (losses == math.inf)
        if not good.all():
            row, i = np.argwhere(~good)[0]
            raise LedgerError(
                f"round {first + row}: found a loss of {losses[row, i]} of expert {i}, expected at most 2^250 in size"
            )
        if not (losses < math.inf).any(axis=1).all():
            raise LedgerError("found a round in which no expert is awake with a finite loss")
    if made.origin is not None:
        _check_origin(made, made.origin)


def _check_origin(made: Played, origin: object) -> None:
    """Whether these can be the rounds of which the origin speaks."""
    if not isinstance(origin, Origin) or not all(isinstance(heads, Heads) for heads in origin[2:]):
        raise LedgerError(f"found origin {origin!r}, expected that of rounds which a rule played")
    before, after, rows = origin.before, origin.after, made.losses
    fits = after.rounds - before.rounds == len(made.loss) and (before.rounds + 1 == made.first or not len(made.loss))
    if fits and len(made.loss):
        lost, total = math.fsum(made.loss), math.fsum(np.abs(made.loss))
        told = math.fsum([after.loss, after.rest, -before.loss, -before.rest])
        slept = before.slept or _first(made.first, np.isnan(rows).any(axis=1)) or 0
        fits = (
            after.slept == slept and abs(told - lost) <= 1e-12 * (abs(before.loss) + total) and after.gap >= before.gap >= 0.0
        )
    if fits and origin.rule in _OWN_LOSSES and len(made.loss):
        low, high = np.nanmin(rows, axis=1).astype(np.float64), np.nanmax(rows, axis=1).astype(np.float64)
        fits = (
            origin.arguments.get("n") == made.n
            and bool(((low <= made.loss) & (made.loss <= high)).all())
            and after.largest == max(before.largest, float((high - low).max()))
        )
    if not fits:
        raise LedgerError(f"the origin of these rounds is not theirs: it says rounds {before.rounds + 1} to {after.rounds}")


def _first(first: int, where: NDArray[np.bool_]) -> int | None:
    found = np.flatnonzero(where)
    return first + int(found[0]) if found.size else None


@dataclass(frozen=True, slots=True)
class LossTally:
    """The facts of the rounds with losses entered so far; every sum is exact.

    `slept` is the first round in which an expert slept, `beyond` the first in which losses differed by more than 1, `largest`
    by how much they ever did; all losses lie from `low` to `high`. `origin` is that of all rounds together, None if some came
    without one. `out` marks experts with an infinite loss: theirs are not summed. Single rounds wait in `waiting` until there
    are enough of them, or somebody asks: `settled` has them counted.
    """

    first: int = 1
    rounds: int = 0
    n: int = 0
    lost: Sums = field(default_factory=lambda: Sums(5))
    experts: Sums = field(default_factory=lambda: Sums(0))
    missed: Sums = field(default_factory=lambda: Sums(0))  # what was lost while each expert slept
    absent: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # for how many rounds it did
    out: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    slept: int | None = None
    beyond: int | None = None
    largest: float = 0.0
    low: float = math.inf
    high: float = -math.inf
    origin: Origin | None = None
    waiting: tuple[Played, ...] = ()

    @property
    def loss(self) -> float:
        """What was lost, to the nearest float."""
        return math.fsum(self.lost.parts(_LOSS))

    @property
    def regret(self) -> float:
        """What was lost more than by the best expert in its rounds awake, to the nearest float; 0 before the first round."""
        return math.fsum(self.against(self.best)) if self.rounds else 0.0

    @property
    def loss_parts(self) -> list[float]:
        """Floats whose exact sum is what was lost."""
        return self.lost.parts(_LOSS)

    @property
    def average(self) -> float:
        """What the plain average of the experts that were awake lost, from above."""
        return up(self.lost.parts(_AVERAGE))

    @property
    def sizes(self) -> float:
        """Σ max |loss| over the rounds, from above."""
        return up(self.lost.parts(_SIZE))

    @property
    def ranges(self) -> float:
        """The sum of the rounds' ranges of losses, from above."""
        return up(self.lost.parts(_RANGE)) * (1 + 2.0**-52)

    @property
    def steepness(self) -> float:
        """Σ |ℓ′(p, y)|·max |x| over a forecaster's rounds, from above."""
        return up(self.lost.parts(_SLOPE)) * (1 + 2.0**-50)

    @property
    def best(self) -> int:
        """The expert with the largest regret, each over its rounds awake; the first, if there are several."""
        if self.slept is None:
            return self.experts.least(None if self.out.all() else ~self.out)
        over = self.experts.near() + self.missed.near()  # loss − Σ over its sleep − its own is largest where this is least
        return int(np.where(self.out, math.inf, over).argmin())

    @property
    def worst(self) -> float:
        """What the worst expert lost, from above."""
        return math.inf if self.out.any() else up(self.experts.parts(self.experts.greatest()))

    def against(self, i: int) -> list[float]:
        """Floats whose exact sum is the regret against expert i, over its rounds awake."""
        asleep = self.missed.parts(i) if self.slept is not None else []
        return [*self.loss_parts, *(-part for part in (*self.experts.parts(i), *asleep))]

    def lost_by(self, i: int) -> tuple[float, float]:
        """What expert i lost, from below and from above."""
        return down(self.experts.parts(i)), up(self.experts.parts(i))

    def after(self, made: Played) -> LossTally:
        """The tally with these rounds added. They must follow those that were entered before."""
        if len(made.loss) == 0:
            return self
        self._check_follows(made)
        tally = replace(
            self if self.rounds else _fresh(made),
            rounds=self.rounds + len(made.loss),
            origin=self._joined(made.origin),
            waiting=(*self.waiting, made),
        )
        return tally if len(made.loss) == 1 and len(tally.waiting) < _WAITING else tally.settled()

    def settled(self) -> LossTally:
        """The tally with every round counted."""
        if not self.waiting:
            return self
        tally = self
        for few in (few for made in _together(self.waiting) for few in made.slices()):
            tally = tally._plus(few)
        return replace(tally, waiting=())

    def _plus(self, few: Played) -> LossTally:
        first, losses, loss = few.first, few.losses, few.loss
        asleep, infinite = np.isnan(losses), losses == math.inf
        gone = asleep | infinite
        finite = np.where(gone, 0.0, losses)
        low = np.where(gone, math.inf, losses).min(axis=1)
        high = np.where(gone, -math.inf, losses).max(axis=1)
        ranges: NDArray[np.float64] = np.where(infinite.any(axis=1), math.inf, high - low)
        sizes = np.maximum(np.abs(low), np.abs(high))
        average, slope = _average(few, finite.sum(axis=1) / (self.n - gone.sum(axis=1)))
        sleepy = bool(asleep.any())
        return replace(
            self,
            lost=self.lost.plus(np.column_stack([loss, average, sizes, high - low, slope])),
            experts=self.experts.plus(finite),
            missed=self.missed.plus(np.where(asleep, loss[:, np.newaxis], 0.0)) if sleepy else self.missed,
            absent=self.absent + asleep.sum(axis=0) if sleepy else self.absent,
            out=self.out | infinite.any(axis=0),
            slept=self.slept or _first(first, asleep.any(axis=1)),
            beyond=self.beyond or _first(first, np.greater(ranges, 1.0)),
            largest=max(self.largest, float(ranges.max())),
            low=min(self.low, float(low.min())),
            high=max(self.high, float(high.max())),
        )

    def _check_follows(self, made: Played) -> None:
        if not self.rounds:
            return
        if made.first != self.first + self.rounds:
            raise LedgerError(f"found round {made.first}, expected round {self.first + self.rounds}: none may be left out")
        if made.n != self.n:
            raise LedgerError(f"found losses of {made.n} experts, expected {self.n}")
        if (
            self.origin is not None
            and made.origin is not None
            and _source(made.origin, made.origin.before) != _source(self.origin, self.origin.after)
        ):
            raise LedgerError(
                "these rounds do not follow from those entered before: they are another rule's, or a copy's that went "
                "its own way"
            )

    def _joined(self, origin: Origin | None) -> Origin | None:
        if not self.rounds or self.origin is None or origin is None:
            return None if self.rounds else origin
        return self.origin._replace(after=origin.after)

    @property
    def from_the_start(self) -> bool:
        """Whether the rounds begin where the rule was fresh, as far as is known."""
        return self.first == 1 and (self.origin is None or self.origin.before == _NO_ROUNDS)


def _fresh(made: Played) -> LossTally:
    n = made.n
    absent, out = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    return LossTally(first=made.first, n=n, experts=Sums(n), missed=Sums(n), absent=absent, out=out)


def _together(waiting: tuple[Played, ...]) -> tuple[Played, ...]:
    """The rounds in one piece, if they have the same columns."""
    first, *others = waiting
    shapes = {tuple(None if column is None else column.shape[1:] for column in made[1:6]) for made in waiting}
    if not others or len(shapes) > 1 or len({made.scored for made in waiting}) > 1:
        return waiting
    return (
        Played(
            first.first,
            np.concatenate([made.losses for made in waiting]),
            np.concatenate([made.loss for made in waiting]),
            _column([made.forecasts for made in waiting]),
            _column([made.outcomes for made in waiting]),
            _column([made.given for made in waiting]),
            first.origin,
        ),
    )


def _column(parts: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    told = [part for part in parts if part is not None]
    return np.concatenate(told) if told else None


def _average(few: Played, losses: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the plain average lost: its forecasts, or where there are none its losses; and the size of slope × forecasts."""
    loss, flat = few.scored, np.zeros(len(losses))
    if loss is None or few.given is None or few.outcomes is None or few.forecasts is None:
        return losses, flat
    x = normal(few.given)
    mean = averages(x)
    lost, _ = scores(loss, mean, np.zeros_like(mean), few.outcomes)
    slope = (
        slopes(loss, few.forecasts, few.outcomes) * np.nanmax(np.abs(x), axis=1) if loss in ("squared", "absolute") else flat
    )
    return np.where(np.isfinite(lost), lost, losses), slope


def _source(origin: Origin, heads: Heads) -> tuple[object, ...]:
    return origin.rule, origin.arguments, heads
