"""Every error of Thresher.

ThresherError
├── ParameterError      a learner, bound or command was set up with a value it cannot have
├── ExampleError        an example, its weight or its label cannot be learned; says where
│   ├── LabelError      it is the label
│   └── SourceError     it stands in a file or another source of text; says in which line and column
├── LedgerError         rounds that do not continue the ledger
├── LaneError           a learner of a portfolio broke; says which
├── LearnerError        a learner of one's own broke the rules of the game; says in which round and line
├── NotRealizable       nothing in the class of hypotheses fits the examples
├── BoundViolated       a theorem with checked premises failed: a bug of ours
├── StoreError          a saved state or model file that cannot be trusted
└── ConcurrentUse       a busy learner was entered a second time
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from thresher._core import Rounds

__all__ = [
    "BoundViolated",
    "ConcurrentUse",
    "ExampleError",
    "LabelError",
    "LaneError",
    "LearnerError",
    "LedgerError",
    "NotRealizable",
    "ParameterError",
    "PlayedRounds",
    "SourceError",
    "StoreError",
    "ThresherError",
]


class PlayedRounds(Protocol):
    """What an error holds of the rounds before it: `Rounds`, or `ClassRounds` where there are many classes."""

    @property
    def first(self) -> int: ...

    @property
    def scores(self) -> NDArray[np.float64]: ...

    @property
    def changed(self) -> NDArray[np.bool_]: ...

    @property
    def mistakes(self) -> int: ...

    @property
    def updates(self) -> int: ...

    def __len__(self) -> int: ...


class ThresherError(Exception):
    """The root of every error that Thresher raises."""


class ParameterError(ThresherError, ValueError):
    """A parameter outside its range; the message names it, what was found and what is expected."""


class ExampleError(ThresherError, ValueError):
    """An example that cannot be learned.

    `row` is its number, from 0, where many were given; `column` the attribute at fault, as it was given; `rounds` the
    rounds that were played before it: the learner is exactly as after them.
    """

    def __init__(
        self, message: str, *, row: int | None = None, column: object = None, rounds: PlayedRounds | None = None
    ) -> None:
        super().__init__(message)
        self.row = row
        self.column = column
        self.rounds = rounds


class LabelError(ExampleError):
    """A label that is not one, or the two spellings of the negative label in one stream."""


class SourceError(ExampleError):
    """A source that cannot be read. `file`, `line` and `column`, both from 1, say where, as far as that is known."""

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None, column: int | None = None) -> None:
        super().__init__(
            ":".join(str(part) for part in (file, line, column) if part is not None) + f": {message}" if file else message
        )
        self.file = file
        self.line = line
        self.column = column


class LedgerError(ThresherError, ValueError):
    """Rounds that do not continue the ledger: a gap, a repetition, or another learner's."""


class LaneError(ThresherError, RuntimeError):
    """A learner of one's own that broke inside a portfolio: `lane` is its number, from 0, and the cause what it raised.

    If it broke while it learned, nobody knows how far it came: the portfolio refuses to go on, with the same error.
    """

    def __init__(self, message: str, *, lane: int | None = None) -> None:
        super().__init__(message)
        self.lane = lane


class LearnerError(ThresherError, RuntimeError):
    """A learner of one's own that cannot be played, or broke the rules of the game: round `t`, `file` and `line` say where."""

    def __init__(self, message: str, *, t: int | None = None, file: str | None = None, line: int | None = None) -> None:
        place = ":".join(str(part) for part in (file, line) if part is not None)
        when = "" if t is None else f"round {t}"
        super().__init__(": ".join(part for part in (place, when, message) if part))
        self.t = t
        self.file = file
        self.line = line


class NotRealizable(ThresherError, ValueError):
    """Nothing in the class of hypotheses fits the examples.

    Where many rounds were given, and as far as that is known, `row` is the number, from 0, of the one that nothing fits, and
    `rounds` those before it.
    """

    def __init__(self, message: str, *, row: int | None = None, rounds: Rounds | None = None) -> None:
        super().__init__(message)
        self.row = row
        self.rounds = rounds


class BoundViolated(ThresherError):
    """More was counted than a theorem allows whose premises were checked."""


class StoreError(ThresherError, ValueError):
    """A saved state or model file that is damaged, foreign or newer than this version."""


class ConcurrentUse(ThresherError, RuntimeError):
    """A learner was entered while another thread used it."""
