"""Disjunctions as comparators: the theorems of Winnow and Elimination with one as witness."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from thresher import bounds
from thresher._core import EliminationRule, LiteralWinnowRule, Round, Rounds, Sided, WinnowRule, slot_of
from thresher.bounds import Certificate, Premise, Status
from thresher.bounds.printed import above
from thresher.errors import ParameterError
from thresher.ledger.statement import Statement, certificate, played
from thresher.ledger.tally import Tally
from thresher.ledger.winnow import AnyWinnowRule, binary, winnow_statement
from thresher.parameters import attributes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Disjunction"]

_SHOWN = 6


class Disjunction:
    """The comparator "one of these": +1 exactly where one of the attributes is on, or one of the negated ones is off.

    `attributes_on` and `negated` hold indices or names; a name stands for the slot it falls into among n. `names` says how
    a slot is printed. Any set gives valid
    bounds: where it does not fit, the attributes that would have to change are counted, A: one for a positive example
    without any of them, and for a negative example those that are on.

    >>> import thresher as th
    >>> ledger = th.Ledger(th.Disjunction(8, {0, 1}))
    >>> learner = th.Winnow(8)
    >>> for i in [0, 1] * 4 + [2, 3, 4]:
    ...     ledger.enter(learner.learn({i}, +1 if i < 2 else -1))
    >>> for certificate in ledger.certificates()[:2]:
    ...     print(certificate.verdict, certificate.count, certificate.bound)
    certified 6 mistakes ≤ 15 by Winnow, disjunction
    certified 6 mistakes ≤ 19 by Winnow, attribute errors
    """

    def __init__(
        self,
        n: int,
        attributes_on: Iterable[SupportsIndex | str],
        negated: Iterable[SupportsIndex | str] = (),
        *,
        called: str = "the disjunction that was given",
        names: Callable[[int], str] = "x{}".format,
    ) -> None:
        self.n = attributes(n)
        self.plain, self.negated = _slots(attributes_on, self.n), _slots(negated, self.n)
        self.called, self.names = called, names
        both = np.intersect1d(self.plain, self.negated, assume_unique=True)
        if len(both):
            raise ParameterError(f"found attribute {both[0]} and its negation, of which one is always true")

    @property
    def on(self) -> frozenset[int]:
        """The slots of its attributes, of which one being on is enough; in order, as an array, they are `plain`."""
        return frozenset(self.plain.tolist())

    @property
    def off(self) -> frozenset[int]:
        """The slots of its negated attributes, of which one being off is enough; in order, as an array, they are `negated`."""
        return frozenset(self.negated.tolist())

    @property
    def r(self) -> int:
        """How many literals it has."""
        return len(self.plain) + len(self.negated)

    def watch(self) -> DisjunctionWatcher:
        """A fresh watcher for one ledger."""
        return DisjunctionWatcher(self)

    def __str__(self) -> str:
        shown, plain = self.shown, len(self.plain)
        literals = [f"{'' if k < plain else 'not '}{self.names(slot)}" for k, slot in enumerate(shown)]
        rest = [f"{self.r - _SHOWN:,} more"] if self.r > _SHOWN else []
        return " or ".join(literals + rest) or "never"

    @property
    def shown(self) -> list[int]:
        """The slots that it names when it is printed."""
        return [*self.plain[:_SHOWN].tolist(), *self.negated[:_SHOWN].tolist()][:_SHOWN]

    def __repr__(self) -> str:
        return f"Disjunction({self.n}, <{self}>)"


def _slots(keys: object, n: int) -> NDArray[np.int64]:
    """The slots of these keys, ascending, each once; an array of millions of whole numbers is not gone through one by one."""
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        raise ParameterError(f"found {keys!r}, expected a set of indices or names")
    if isinstance(keys, np.ndarray) and keys.ndim == 1 and np.issubdtype(keys.dtype, np.integer):
        for end in (keys.min(), keys.max()) if len(keys) else ():
            _slot(end.item(), n)
        marked = np.zeros(n, np.bool_)
        marked[keys] = True
        slots = np.flatnonzero(marked)
    else:
        slots = np.array(sorted({_slot(key, n) for key in keys}), dtype=np.int64)
    slots.flags.writeable = False
    return slots


def _slot(key: object, n: int) -> int:
    if isinstance(key, str):
        if key.startswith("not "):
            raise ParameterError(f"found {key!r} in the disjunction, expected negated literals in `negated`, without the not")
        return slot_of(key, n)
    if isinstance(key, int | SupportsIndex) and not isinstance(key, bool) and 0 <= index(key) < n:
        return index(key)
    raise ParameterError(f"found {key!r} in the disjunction, expected a name, or an index from 0 to {n - 1}")


class DisjunctionWatcher:
    """A disjunction at work: the core sums what does not fit, and here the sums become certificates."""

    def __init__(self, disjunction: Disjunction) -> None:
        self._disjunction = disjunction
        u = np.zeros(disjunction.n)
        u[disjunction.plain] = 1.0
        u[disjunction.negated] = -1.0
        self._sided = Sided(u, float(len(disjunction.negated)), 1.0, 0.0)

    def enter(self, entered: Round | Rounds) -> Callable[[], None]:
        before = self._sided.sums

        def take_back() -> None:
            self._sided.sums = before

        self._sided.enter(entered)
        return take_back

    def certificates(self, tally: Tally) -> list[Certificate]:
        """What the theorems of the rule that played say; nothing, if they are not about disjunctions like this one."""
        rule = tally.rule
        if isinstance(rule, WinnowRule) and not len(self._disjunction.negated):
            return self._winnow(tally, rule, self._disjunction.n, "Winnow")
        if isinstance(rule, LiteralWinnowRule):
            return self._winnow(tally, rule, 2 * self._disjunction.n, "LiteralWinnow")
        if isinstance(rule, EliminationRule) and not (rule.monotone and len(self._disjunction.negated)):
            return self._elimination(tally, rule)
        return []

    def _winnow(self, tally: Tally, rule: AnyWinnowRule, n: int, called: str) -> list[Certificate]:
        sided = self._sided
        premises = (
            *played(
                tally,
                type(rule),
                called=called,
                begins="weights 1",
                unseen="fit the disjunction, add nothing to A, and are of zeros and ones",
            ),
            binary(sided),
        )
        common = {"r": self._disjunction.r, "n": n, "strict": rule.strict}
        statement = partial(winnow_statement, tally=tally, rule=rule, terms=sided.terms)
        statements = [
            statement(bounds.winnow_disjunction, common, self._witness(), (self._fits(),)),
            statement(
                bounds.winnow_agnostic,
                {"errors": sided.missing, **common},
                f"{self._witness()}; A = {above(sided.missing)} attributes would have to change",
                (),
            ),
            statement(
                bounds.winnow_agnostic,
                {"errors": sided.missing_on_mistakes, **common},
                f"{self._witness()}; A over the mistakes alone is {above(sided.missing_on_mistakes)}",
                (),
                diagnostic=True,
            ),
        ]
        return [certificate(tally, made, premises) for made in statements]

    def _elimination(self, tally: Tally, rule: EliminationRule) -> list[Certificate]:
        given = self._disjunction
        premises = played(tally, EliminationRule, called="Elimination", begins="all literals", unseen="fit the disjunction")
        numbers = {"n": given.n, "r": given.r, "monotone": rule.monotone}
        statement = Statement(bounds.elimination, numbers, self._witness(), (self._fits(),), any_order=True)
        return [certificate(tally, statement, premises)]

    def _witness(self) -> str:
        return f"{self._disjunction.called}: {self._disjunction}"

    def _fits(self) -> Premise:
        missing = self._sided.missing
        detail = "" if missing == 0.0 else f"{above(missing)} attributes would have to change"
        return Premise("the disjunction fits every round", Status.BROKEN if missing else Status.CHECKED, detail)
