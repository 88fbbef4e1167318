"""What rounds can be held against: a comparator makes a fresh watcher for each ledger, and that sees every round of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from thresher._core import Round, Rounds
    from thresher.bounds import Certificate
    from thresher.class_rounds import ClassRounds
    from thresher.ledger.class_tally import ClassTally
    from thresher.ledger.losses import LossTally, Played
    from thresher.ledger.tally import Tally

__all__ = ["ClassComparator", "ClassWatcher", "Comparator", "LossComparator", "LossWatcher", "Watcher"]


class Watcher(Protocol):
    """A comparator at work in one ledger: it sees every round and sums what its theorems need."""

    def enter(self, entered: Round | Rounds) -> Callable[[], None]:
        """Adds these rounds, all or none, and returns what takes them back."""
        ...

    def certificates(self, tally: Tally) -> list[Certificate]:
        """What the theorems say of the rounds entered."""
        ...


class LossWatcher(Protocol):
    """The same, of rounds with losses."""

    def enter(self, entered: Played, /) -> Callable[[], None]:
        """Adds these rounds, all or none, and returns what takes them back."""
        ...

    def certificates(self, tally: LossTally) -> list[Certificate]:
        """What the theorems say of the rounds entered."""
        ...


class ClassWatcher(Protocol):
    """The same, of rounds with many classes."""

    def enter(self, entered: ClassRounds) -> Callable[[], None]:
        """Adds these rounds, all or none, and returns what takes them back."""
        ...

    def certificates(self, tally: ClassTally) -> list[Certificate]:
        """What the theorems say of the rounds entered."""
        ...


@runtime_checkable
class Comparator(Protocol):
    """Something to hold a learner against."""

    def watch(self) -> Watcher: ...


@runtime_checkable
class LossComparator(Protocol):
    """Something to hold a rule for losses against."""

    def watch_losses(self) -> LossWatcher: ...


@runtime_checkable
class ClassComparator(Protocol):
    """Something to hold a learner of many classes against."""

    def watch_classes(self) -> ClassWatcher: ...
