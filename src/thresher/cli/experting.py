"""What `thresher experts` does."""

from __future__ import annotations

import argparse
import errno
import math
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from thresher.bounds import Certificate, Verdict
from thresher.cli.advice import Advice, Asked, Numbers, read, written
from thresher.cli.columns import Chosen, choose
from thresher.cli.experts import RULES
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar
from thresher.cli.voting import MAJORITIES, Voting
from thresher.data.source import Source
from thresher.data.table import Table, open_table
from thresher.errors import ExampleError, NotRealizable, ParameterError, SourceError
from thresher.evaluate.combine import Course, Player, combine, mixture_losses
from thresher.experts import AdaHedge, FixedShare, Forecaster, Hedge, LossRule
from thresher.hindsight import best_mixture
from thresher.ledger import BestExpert, BestMixture, Ledger, Mixture
from thresher.store.atomic import check_place, replace

__all__ = ["Combined", "Hindsight", "experts"]

VIOLATED = 3
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_IN_WORDS = {
    "adahedge": "AdaHedge",
    "hedge": "Hedge",
    "fixed-share": "Fixed Share",
    "log": "Bayes's mixture",
    "brier": "the aggregating rule",
    "weighted-majority": "the weighted majority",
    "randomized-majority": "the randomised majority",
    "improved-majority": "the improved majority",
    "follow-the-leader": "following the leader",
}
_AGGREGATED = ("log", "brier")
_PASSES, _FEW, _CELLS = 100, 10, 10**8
_LOSSES: dict[str, Literal["squared", "absolute", "log", "brier"]] = {
    "squared": "squared",
    "absolute": "absolute",
    "log": "log",
    "brier": "brier",
}


@dataclass(frozen=True)
class Hindsight:
    """The best fixed mixture, found afterwards: what it lost up to each point, and in the last part; how far it may be off."""

    weights: Numbers
    losses: dict[int, float]
    tail: float
    gap: float


@dataclass(frozen=True)
class Combined:
    """A run, for those who show it."""

    options: argparse.Namespace
    table: Table
    chosen: Chosen
    advice: Advice
    loss: str
    player: Player
    against: str
    course: Course
    hindsight: Hindsight | None
    certificates: list[Certificate]
    ledger: str
    seconds: float

    @property
    def binary(self) -> bool:
        """Whether all is 0 or 1, and what is counted are mistakes."""
        return self.advice.binary and self.loss == "absolute"

    @property
    def mistakes(self) -> int | None:
        """Of zeros and ones: how often the majority erred, or whoever says what at least half of the weight says."""
        if not self.binary:
            return None
        if isinstance(self.player, Voting):
            return self.player.learner.mistakes
        outcomes = np.concatenate([rows.outcomes for rows in self.advice.rows])
        known = ~np.isnan(outcomes)
        return int(np.count_nonzero((self.course.forecasts[known] >= 0.5) != (outcomes[known] == 1.0)))

    @property
    def coming(self) -> list[int]:
        """The rows that have a forecast and no outcome."""
        unknown = np.isnan(np.concatenate([rows.outcomes for rows in self.advice.rows]))
        said = ~np.isnan(self.course.forecasts.reshape(len(unknown), -1)).any(1)
        return [int(row) for row in np.flatnonzero(unknown & said)]

    @property
    def how(self) -> str:
        """The rule in words."""
        against = "the best fixed mixture" if self.against == "mixture" else "the best forecaster"
        what = "mistakes" if self.binary else f"the {self.loss} loss"
        return f"{_IN_WORDS[self.options.rule or self._usual]} for {what}, against {against}"

    @property
    def _usual(self) -> str:
        if self.loss == "log":
            return "log"
        return "brier" if self.loss == "brier" or self.options.range is not None else "adahedge"

    @property
    def regret(self) -> float | None:
        """What the combination lost more than what it is compared with."""
        end = self.course.points[-1]
        if self.against == "mixture":
            return None if self.hindsight is None else end.loss - self.hindsight.losses[end.t]
        return None if self.advice.asleep else end.loss - float(end.losses.min())


class Session(NamedTuple):
    """What was asked for, of which columns."""

    options: argparse.Namespace
    table: Table
    chosen: Chosen
    limits: tuple[float, float] | None
    bar: Bar
    began: float


def experts(options: argparse.Namespace) -> int:
    """Runs the command."""
    limits = _checked(options)
    with Bar(quiet=options.quiet or options.json) as bar, open_table(options.source) as table:
        _check_places(options, table.source)
        chosen = choose(table, options)
        if chosen.several and options.loss not in (None, *_AGGREGATED):
            raise ParameterError(f"found --loss {options.loss} with several outcomes, expected log or brier")
        if options.odds and not chosen.several:
            raise ParameterError("found --odds, expected several outcomes with it, such as --outcome home,draw,away")
        if chosen.several:
            _refuse_rule(options, "several outcomes")
        session = Session(options, table, chosen, limits, bar, time.monotonic())
        advice = read(table, chosen, Asked(options.odds, options.loss in _AGGREGATED, options.rule in MAJORITIES, limits), bar)
        combined = _combine(session, advice)
        _show(combined)
    if any(certificate.verdict is Verdict.VIOLATED for certificate in combined.certificates):
        print("thresher: a theorem with checked premises has failed, which is a bug of ours; please report it", file=sys.stderr)
        return VIOLATED
    return 0


def _show(combined: Combined) -> None:
    """Files are written when all that goes into them, and what is printed, is made."""
    from thresher.cli.scoreboard import as_json, as_text

    options = combined.options
    said = as_json(combined) if options.json else None
    text = "" if options.json else as_text(combined)
    page = b""
    if options.report is not None:
        from thresher.cli.reporting import as_page

        page = as_page(combined).encode("utf-8", "replace")
    if options.forecasts is not None:
        _write(options.forecasts, written(combined.table, combined.chosen, combined.course.forecasts, options.forecasts))
    if options.report is not None:
        _write(options.report, [page])
    if said is not None:
        print_json(said)
    else:
        print(text)


def _write(path: str, pieces: Iterable[bytes]) -> None:
    try:
        replace(path, pieces)
    except OSError as error:
        if error.filename is None and error.errno in _NO_ROOM:
            raise OSError(error.errno, error.strerror, path) from None
        raise


# ---- what was asked for --------------------------------------------------------------------------------------------


def _checked(options: argparse.Namespace) -> tuple[float, float] | None:
    """Options that go together; the range, if there is one."""
    rule = options.rule or "adahedge"
    for name in ("eta", "alpha", "beta", "seed"):
        if getattr(options, name) is not None and name not in RULES[rule]:
            own = ", ".join(f"--{each}" for each in RULES[rule]) or "none of its own"
            raise ParameterError(f"found --{name}, which {rule} does not have; it has {own}")
    limits = None if options.range is None else _range(options.range)
    if limits is not None and options.loss not in (None, "squared"):
        raise ParameterError(f"found --range with --loss {options.loss}, expected it with squared alone")
    if limits is not None or options.loss in _AGGREGATED:
        _refuse_rule(options, "--range" if limits is not None else f"--loss {options.loss}")
    if rule in MAJORITIES and (options.against == "mixture" or options.loss not in (None, "absolute")):
        found = "--against mixture" if options.against == "mixture" else f"--loss {options.loss}"
        raise ParameterError(f"found {found} with --rule {rule}, which counts mistakes against the best forecaster's")
    return limits


def _refuse_rule(options: argparse.Namespace, what: str) -> None:
    if options.rule is not None:
        raise ParameterError(f"found --rule {options.rule} with {what}, which has a rule of its own: leave the option out")
    if options.against == "mixture":
        raise ParameterError(f"found --against mixture with {what}, where the best forecaster is what is proven: leave it out")


def _range(text: str) -> tuple[float, float]:
    low, _, high = text.partition(",")
    try:
        limits = float(low), float(high)
    except ValueError:
        limits = math.nan, math.nan
    if not (math.isfinite(limits[0]) and math.isfinite(limits[1]) and limits[0] < limits[1]):
        raise ParameterError(f"found --range {text}, expected two numbers A,B with A below B; a negative one as --range=A,B")
    return limits


def _check_places(options: argparse.Namespace, source: Source) -> None:
    """What would keep a file from being written is said before anything is read."""
    places = [(f"--{name}", getattr(options, name)) for name in ("forecasts", "report") if getattr(options, name) is not None]
    for option, path in places:
        check_place(path)
        if Path(path).exists() and source.is_file(source.places[0], Path(path)):
            raise ParameterError(f"found {path} as source and for {option}, expected another file")
    if len(places) == 2 and Path(places[0][1]).resolve() == Path(places[1][1]).resolve():
        raise ParameterError(f"found {places[0][1]} for both --forecasts and --report, expected two files")


# ---- the run -------------------------------------------------------------------------------------------------------


def _combine(session: Session, advice: Advice) -> Combined:
    options, table, chosen, bar = session.options, session.table, session.chosen, session.bar
    loss = options.loss or _usual_loss(session, advice)
    player = _player(session, loss)
    names = chosen.experts.__getitem__
    mixes = player.against == "mixture" and not advice.asleep
    first = BestMixture(names=names) if mixes and loss == "squared" else BestExpert(names=names)
    ledger = Ledger(first)
    try:
        course = combine(player, advice.rows, loss, ledger, progress=partial(bar.count, "combining"))
    except ExampleError as error:
        raise _placed(error, table, chosen, advice) from None
    except NotRealizable as error:  # which names the round
        known = np.flatnonzero(~np.isnan(np.concatenate([rows.outcomes for rows in advice.rows])))
        done = player.learner.rounds if isinstance(player, Voting) else 0
        raise NotRealizable(str(table.error(int(known[done]), str(error)))) from None
    bar.end()
    hindsight = None if advice.asleep else _hindsight(advice, loss, course, bar)
    bar.end()
    if mixes and loss != "squared" and hindsight is not None:  # the witness is known now: the same rounds are played again
        ledger = Ledger(Mixture(hindsight.weights, called="the best fixed mixture", names=names))
        combine(_player(session, loss), advice.rows, loss, ledger, progress=partial(bar.count, "checking"))
    bar.end()
    return Combined(
        options=options,
        table=table,
        chosen=chosen,
        advice=advice,
        loss=loss,
        player=player,
        against=player.against,
        course=course,
        hindsight=hindsight,
        certificates=ledger.certificates(),
        ledger=str(ledger).partition("\n")[2],  # the scores say better what its first line does
        seconds=time.monotonic() - session.began,
    )


def _hindsight(advice: Advice, loss: str, course: Course, bar: Bar) -> Hindsight:
    seen = 0

    def rounds() -> Iterator[tuple[Numbers, Numbers]]:
        nonlocal seen
        for rows in advice.rows:
            known = ~np.isnan(rows.outcomes)
            seen += int(np.count_nonzero(known))
            bar.count("looking for the best mixture", seen)
            yield rows.forecasts[known], rows.outcomes[known]

    cells = sum(rows.forecasts.size for rows in advice.rows)
    found = best_mixture(rounds, _LOSSES[loss], passes=min(_PASSES, max(_FEW, _CELLS // cells)))
    return Hindsight(found.u, *mixture_losses(course, advice.rows, loss, found.u), found.gap)


def _usual_loss(session: Session, advice: Advice) -> str:
    if session.chosen.several:
        return "log"
    return "absolute" if advice.binary and session.limits is None else "squared"


def _player(session: Session, loss: str) -> Forecaster | Voting:
    options, n = session.options, len(session.chosen.experts)
    if options.rule in MAJORITIES:
        return Voting(options, n)
    rule: LossRule | None = None
    if options.rule == "hedge":
        rule = Hedge(n, eta=options.eta)
    elif options.rule == "fixed-share":
        given = {name: getattr(options, name) for name in ("eta", "alpha") if getattr(options, name) is not None}
        rule = FixedShare(n, **given)
    elif options.rule == "adahedge":
        rule = AdaHedge(n)
    return Forecaster(rule, loss=_LOSSES[loss], range=session.limits, against=options.against)


def _placed(error: ExampleError, table: Table, chosen: Chosen, advice: Advice) -> SourceError:
    """What could not be played, with its round, its line and the name of the forecaster."""
    row = error.row or 0
    known = ~np.isnan(np.concatenate([rows.outcomes for rows in advice.rows])[: row + 1])
    who = f"{chosen.experts[error.column]}: " if isinstance(error.column, int) else ""
    return table.error(row, f"round {np.count_nonzero(known):,}: {who}{error}")
