"""What a theorem assumes, whether the stream was seen to satisfy it, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from thresher.bounds.bound import Bound

__all__ = ["Premise", "Status", "Verdict", "judge"]


class Status(Enum):
    """What is known of a premise."""

    CHECKED = "checked"
    ASSUMED = "assumed"
    BROKEN = "broken"


class Premise(NamedTuple):
    """One premise of a theorem: what it says, what is known of it, and, if it broke, how."""

    statement: str
    status: Status
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.statement} ({self.detail})" if self.detail else self.statement


class Verdict(Enum):
    """What a theorem and a run say of each other.

    ============  ==============================  =========================================
    verdict       premises                        the count against the bound
    ============  ==============================  =========================================
    certified     checked on the stream           within
    conditional   assumed, not checkable here     within
    void          seen to break                   the theorem is silent
    refuted       assumed                         above: so the assumption is false
    violated      checked                         above: a bug of ours
    ============  ==============================  =========================================
    """

    CERTIFIED = "certified"
    CONDITIONAL = "conditional"
    VOID = "void"
    REFUTED = "refuted"
    VIOLATED = "violated"

    def __str__(self) -> str:
        return self.value


def judge(premises: Iterable[Premise], count: float, bound: Bound) -> Verdict:
    """The verdict on a count under a bound with these premises.

    >>> from thresher import bounds
    >>> bound = bounds.perceptron_separable(margin=0.5)     # at most 4
    >>> assumed = bounds.Premise("every example has margin 0.5", bounds.Status.ASSUMED)
    >>> print(judge([assumed], 4, bound), judge([assumed], 5, bound))
    conditional refuted
    """
    statuses = {premise.status for premise in premises}
    if Status.BROKEN in statuses:
        return Verdict.VOID
    if Status.ASSUMED in statuses:
        return Verdict.CONDITIONAL if bound.covers(count) else Verdict.REFUTED
    return Verdict.CERTIFIED if bound.covers(count) else Verdict.VIOLATED
