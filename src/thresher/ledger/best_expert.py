"""The best expert as comparator: of rules for losses, and of the majorities whose examples are advice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher._core import Round, Rounds
from thresher.bounds import Certificate, Premise, Status
from thresher.bounds.printed import above
from thresher.bounds.rounding import majority_rounding
from thresher.errors import LedgerError
from thresher.ledger.losses import LossTally, Played
from thresher.ledger.regret import Compared, certificates, promises, run_of
from thresher.ledger.statement import Statement, certificate
from thresher.ledger.tally import Tally

__all__ = ["BestExpert"]

_CHANCE = 0.01
_CALLED = {
    "weighted": "WeightedMajority",
    "randomized": "RandomizedMajority",
    "improved": "ImprovedMajority",
    "leader": "FollowTheLeader",
}


class BestExpert:
    """The comparator "the best of the experts, chosen after the fact": whoever lost, or erred, least.

    In rounds with losses each expert's losses are summed without rounding; the regret is what was lost more. In rounds of a
    majority the example is the advice, and each expert's mistakes are counted. `names` says how expert i, from 0, is printed.

    >>> import thresher as th
    >>> rule, ledger = th.AdaHedge(3), th.Ledger(th.BestExpert())
    >>> ledger.enter(rule.learn_losses_many([[0.1, 0.5, 0.9], [0.2, 0.4, 0.9]] * 50))
    >>> round(ledger.loss, 3), round(ledger.regret, 3)
    (15.645, 0.645)
    >>> for certificate in ledger.certificates()[:2]:
    ...     print(certificate.verdict, certificate.bound)
    certified regret ≤ 0.966432 by AdaHedge, after the run
    certified regret ≤ 14.6726 by AdaHedge, any scale
    """

    def __init__(self, *, names: Callable[[int], str] = "expert {}".format) -> None:
        self.names = names

    def watch(self) -> AdviceWatcher:
        """A fresh watcher for one ledger of a majority's rounds."""
        return AdviceWatcher(self)

    def watch_losses(self) -> BestExpertWatcher:
        """A fresh watcher for one ledger of rounds with losses."""
        return BestExpertWatcher(self)

    def __repr__(self) -> str:
        return "BestExpert()"


class BestExpertWatcher:
    """The best expert at work in rounds with losses: the tally itself holds all that it needs."""

    def __init__(self, given: BestExpert) -> None:
        self._given = given

    def enter(self, _entered: Played, /) -> Callable[[], None]:
        return lambda: None

    def certificates(self, tally: LossTally) -> list[Certificate]:
        """What the theorems of the rule that played say."""
        run = run_of(tally)
        if run is None or tally.rounds == 0:
            return []
        i = tally.best
        loss = tally.lost_by(i)[1]
        awake = "" if tally.slept is None else f", over its {tally.rounds - int(tally.absent[i]):,} rounds awake"
        witness = f"{self._given.names(i)}, the best of {tally.n:,}, which lost {above(loss)}{awake}"
        return certificates(tally, run, promises(tally, run, 0), Compared(tally.against(i), loss, witness))


@runtime_checkable
class Majority(Protocol):
    """The rule of a majority: its kind, how many experts, and what a wrong one keeps (None: by doubling)."""

    kind: str
    n: int
    beta: float | None


class AdviceWatcher:
    """The best expert at work in a majority's rounds: every expert's mistakes are counted."""

    def __init__(self, given: BestExpert) -> None:
        self._given = given
        self._mistakes: NDArray[np.int64] | None = None
        self._slept: int | None = None

    def enter(self, entered: Round | Rounds) -> Callable[[], None]:
        before = self._mistakes, self._slept

        def take_back() -> None:
            self._mistakes, self._slept = before

        first, advice, labels = _advice(entered)
        if len(labels) == 0:
            return take_back
        if self._mistakes is not None and len(self._mistakes) != advice.shape[1]:
            raise LedgerError(f"round {first}: found advice of {advice.shape[1]} experts, expected {len(self._mistakes)}")
        asleep = np.isnan(advice)
        wrong = ((advice > 0.0) != (labels > 0)[:, np.newaxis]) & ~asleep
        counted: NDArray[np.int64] = wrong.sum(axis=0, dtype=np.int64)
        self._mistakes = counted if self._mistakes is None else self._mistakes + counted
        found = np.flatnonzero(asleep.any(axis=1))
        self._slept = self._slept or (first + int(found[0]) if found.size else None)
        return take_back

    def certificates(self, tally: Tally) -> list[Certificate]:
        """What the theorems of the majority that played say; nothing, of other learners."""
        rule: object = tally.rule
        if not isinstance(rule, Majority) or self._mistakes is None:
            return []
        i = int(self._mistakes.argmin())
        m, n = int(self._mistakes[i]), len(self._mistakes)
        witness = f"{self._given.names(i)}, the best of {n:,}, which makes {m:,} mistakes"
        premises = self._premises(tally, rule)
        return [certificate(tally, statement, premises) for statement in majority_statements(rule, tally, m, n, witness)]

    def _premises(self, tally: Tally, rule: Majority) -> tuple[Premise, ...]:
        status = Status.ASSUMED if tally.history is None else Status.CHECKED
        begin, weight = "they begin at equal weights", "every example has weight 1"
        return (
            Premise(f"the rounds are one {_CALLED.get(rule.kind, rule.kind)}'s", status),
            Premise(begin, status)
            if tally.first == 1
            else Premise(begin, Status.BROKEN, f"the ledger begins at round {tally.first}"),
            Premise(weight, Status.CHECKED)
            if tally.weighted is None
            else Premise(weight, Status.BROKEN, f"not the one of round {tally.weighted}"),
            Premise("no expert sleeps", Status.CHECKED)
            if self._slept is None
            else Premise("no expert sleeps", Status.BROKEN, f"one did in round {self._slept}"),
        )


def majority_statements(rule: Majority, tally: Tally, mistakes: int, n: int, witness: str) -> list[Statement]:
    """What is proven of a majority's rounds, if the best of n experts makes so many mistakes."""
    loss = tally.loss * (1 + (tally.rounds + 8) * 2.0**-52)
    common: dict[str, float] = {"mistakes": mistakes, "n": n}
    if rule.kind == "leader":
        return [Statement(bounds.follow_the_leader, common, witness, ())]
    wide = majority_rounding(n=n, rounds=tally.rounds, beta=0.5 if rule.beta is None else rule.beta)
    if rule.beta is None:
        statements = [Statement(bounds.doubling, {**common, "rounding": wide}, witness, (), counted=loss)]
    else:
        theorem = {
            "weighted": bounds.weighted_majority,
            "randomized": bounds.randomized_majority,
            "improved": bounds.improved_majority,
        }[rule.kind]
        counted = None if rule.kind == "weighted" else loss
        statements = [Statement(theorem, {**common, "beta": rule.beta, "rounding": wide}, witness, (), counted=counted)]
    if rule.kind == "weighted":
        return statements
    chance = f"{1 - _CHANCE:g}"
    coins = (
        Premise("examples and labels do not depend on the coins", Status.ASSUMED),
        Premise(f"the coins fell as they do with probability at least {chance}", Status.ASSUMED),
    )
    said = f"the chances of a mistake, which add up to {above(loss)}; with probability at least {chance}"
    return [*statements, Statement(bounds.realised_mistakes, {"loss": loss, "delta": _CHANCE}, said, coins)]


def _advice(entered: Round | Rounds) -> tuple[int, NDArray[np.float64], NDArray[np.int8]]:
    """The number of the first round, the advice as −1, 0, 1 or NaN, one row a round, and the labels."""
    many = isinstance(entered, Rounds)
    first = entered.first if isinstance(entered, Rounds) else entered.t
    given = entered.examples if isinstance(entered, Rounds) else [entered.example]
    labels = entered.labels if isinstance(entered, Rounds) else np.array([entered.label], dtype=np.int8)
    try:
        table = np.asarray(given)
        if table.dtype == object and table.ndim == 2:  # None is asleep
            table = np.array([[math.nan if one is None else one for one in row] for row in table.tolist()])
        advice = table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise LedgerError(f"found examples that are no advice: {error}") from None
    if advice.ndim != 2 or len(advice) != len(labels):
        raise LedgerError(f"found examples of shape {advice.shape[0 if many else 1 :]}, expected the advice of each expert")
    if not (np.isnan(advice) | (np.abs(advice) <= 1.0) & (advice == np.floor(advice))).all():
        raise LedgerError("found examples that are no advice, expected -1 or 0, 1, and NaN for an expert asleep")
    return first, advice, labels
