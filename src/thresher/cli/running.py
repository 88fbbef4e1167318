"""A run of `thresher learn`: how it was asked for, where it begins, and what came of it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from thresher._core import Rule
from thresher.cli.interrupt import Interrupt
from thresher.cli.progress import Bar, Row
from thresher.data.recipe import Recipe
from thresher.data.source import Source
from thresher.data.stream import Position
from thresher.data.table_recipe import Scales
from thresher.errors import SourceError
from thresher.evaluate import Course, Measuring, Outcomes
from thresher.ledger import Ledger, Tally
from thresher.store import Measures, Model, Run, StoredLearner

if TYPE_CHECKING:
    from thresher.evaluate import Trace

__all__ = ["CHECK_INTERRUPTED", "Learned", "Session", "Start"]

#: Why a check that Ctrl-C has ended proves nothing.
CHECK_INTERRUPTED = "the check was interrupted"


@dataclass(frozen=True, eq=False, repr=False)  # nobody compares or prints these: every command would wait for it
class Session:
    """What was asked for, and how the user is told and heard meanwhile."""

    options: argparse.Namespace
    source: Source
    bar: Bar
    interrupt: Interrupt
    outcomes: Outcomes


@dataclass(eq=False, repr=False)
class Start:
    """Where a run begins: after `seen` examples of pass `done`, or at its start; `before` was counted until then."""

    learner: StoredLearner | None = None
    recipe: Recipe | None = None
    before: Tally = field(default_factory=Tally)
    began: Tally = field(default_factory=Tally)
    done: int = 0
    position: Position | None = None
    whole: int | None = None
    names: bytes = b""
    measuring: Measuring | None = None
    seen: int = 0


@dataclass(eq=False, repr=False)
class Learned:
    """A run, or as much of it as there was.

    `rule` is the one by which the source is read. `checked` is the ledger that holds the certificates, `unchecked` says why
    there is none. `winner` is the best lane of a portfolio, replayed alone. `unmeasured` counts the rounds before the run was
    resumed whose metrics a file of an older version did not keep. `written` are the other files by the options that name them.
    """

    source: Source
    learner: StoredLearner
    rule: Rule
    recipe: Recipe
    ledger: Ledger
    run: Run
    names: bytes
    seconds: float
    interrupted: bool
    unlabelled: int
    bad: int
    collisions: int
    first_bad: list[SourceError]
    notices: list[str]
    refutations: list[str]
    traced: Trace | None
    measuring: Measuring
    course: Course | None = None
    nonzeros: int = 0
    unmeasured: int = 0
    progress: list[Row] = field(default_factory=list)
    options: argparse.Namespace = field(default_factory=argparse.Namespace)
    resumed: int = 0
    scales: Scales = field(default_factory=dict)  # of a table, where the rounds begin that can be checked
    saved: str | None = None
    proof: str | None = None
    written: dict[str, str] = field(default_factory=dict)
    checked: Ledger | None = None
    unchecked: str = ""
    check_seconds: float = 0.0
    winner: Learned | None = None

    @property
    def model(self) -> Model:
        """What is saved."""
        measures = None if self.run.finished else Measures(*self.measuring.state())
        return Model(self.learner, self.recipe, self.ledger.tally, self.run, self.names, measures)
