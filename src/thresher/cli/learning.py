"""What `thresher learn` does: learn, save, check, show."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from thresher._core import EliminationRule, Rounds
from thresher.bounds import Verdict
from thresher.cli.interrupt import Interrupt
from thresher.cli.lanes import lane_weights
from thresher.cli.learners import check_learner, make_learner
from thresher.cli.noting import Notes, UntilStopped, in_parts, traced
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar, Table
from thresher.cli.reading import no_recipe, nothing, reading
from thresher.cli.running import CHECK_INTERRUPTED, Learned, Session, Start
from thresher.cli.summary import as_json, as_text
from thresher.data.source import Source
from thresher.data.stream import Batch, Position, Stream, open_stream
from thresher.errors import ParameterError, SourceError, StoreError
from thresher.evaluate import Course, Lookahead, Measuring, Outcomes, play
from thresher.evaluate.holding import plays_among
from thresher.evaluate.play import Watch
from thresher.ledger import Ledger, Tally
from thresher.linear import LinearLearner
from thresher.store import Model, Run
from thresher.store.atomic import check_place, replace
from thresher.store.container import is_model
from thresher.threads import processors

if TYPE_CHECKING:
    from thresher.compose import Portfolio
    from thresher.evaluate import Trace
    from thresher.store import StoredLearner

__all__ = ["learn"]

VIOLATED = 3
INTERRUPTED = 130
_MOST_PASSES = 10**9
_KEPT_IN_MEMORY = 2**24

#: How many rounds the metrics look back, unless --window says otherwise.
WINDOW = 1000


def learn(options: argparse.Namespace) -> int:
    """Runs the command."""
    source = Source(*options.source)
    start, passes = _start(options)
    if passes > _MOST_PASSES:
        raise ParameterError(f"found --passes {passes}, expected at most 10^9")
    if passes > 1 and not source.again:
        raise ParameterError(f"found --passes {passes} for {source}, which can be read only once")
    if options.proof is not None:
        from thresher.cli.proving import check_provable

        check_provable(options, source, passes)
    save = options.resume if options.save is None else options.save
    _check_places(source, {"--save": save, "--proof": options.proof, "--metrics": options.metrics, "--report": options.report})
    with (
        Interrupt() as interrupt,
        Bar(quiet=options.quiet or options.json) as bar,
        closing(Outcomes(_spool)) as outcomes,
    ):
        session = Session(options, source, bar, interrupt, outcomes)
        learned = _learn(session, start, passes)
        if save is not None:
            learned.model.save(save)
            learned.saved = save
        failed = _check(session, start, learned) or _prove(session, learned)
    try:
        return _shown(options, learned, failed)
    except KeyboardInterrupt:
        if learned.saved is None:
            raise
        print(f"thresher: interrupted; {learned.saved} was saved", file=sys.stderr)
        return INTERRUPTED


def _spool() -> IO[bytes]:
    """A file that lies in memory while it is small."""
    from tempfile import SpooledTemporaryFile

    return SpooledTemporaryFile(max_size=_KEPT_IN_MEMORY, buffering=0)


def _ledger(before: Tally, *, voting: bool) -> Ledger:
    """Where the rounds are entered; what is proven of a portfolio is summed while it learns."""
    if not voting:
        return Ledger(after=before)
    from thresher.ledger import BestLane

    return Ledger(BestLane(), after=before)


def _check(session: Session, start: Start, learned: Learned) -> Exception | None:
    """The check, or why there is none. What goes wrong in it comes after the results: they are there, and saved, by now."""
    options = session.options
    if isinstance(learned.learner, LinearLearner):
        if options.no_check:
            learned.unchecked = "the theorems were not checked, as --no-check says"
            return None
        from thresher.cli.checking import check

        return check(session, start, learned)
    learned.checked = learned.ledger
    unseen = start.before.rounds > 0 and start.began.rounds == 0 and not options.no_check
    if not unseen and not options.certify:
        return None
    from thresher.cli.checking import check_portfolio

    return check_portfolio(session, start, learned, learned.learner, unseen=unseen)


def _prove(session: Session, learned: Learned) -> Exception | None:
    """Writes what is proven, if somebody wants it in a file."""
    if session.options.proof is None or learned.interrupted:
        return None
    from thresher.cli.proving import prove

    return prove(session, learned, session.options.proof)


def _shown(options: argparse.Namespace, learned: Learned, failed: Exception | None) -> int:
    """Writes and prints what came out; how the process ends."""
    failed = _write(options, learned) or failed
    if options.json:
        print_json(as_json(learned))
    else:
        print(as_text(learned))
    if failed is not None:
        raise failed
    ledgers = [each.checked for each in (learned, learned.winner) if each is not None and each.checked is not None]
    if any(certificate.verdict is Verdict.VIOLATED for ledger in ledgers for certificate in ledger.certificates()):
        print("thresher: a theorem with checked premises has failed, which is a bug of ours; please report it", file=sys.stderr)
        return VIOLATED
    return INTERRUPTED if learned.interrupted or learned.unchecked == CHECK_INTERRUPTED else 0


def _write(options: argparse.Namespace, learned: Learned) -> Exception | None:
    """Writes what was asked for beside the model. What goes wrong comes after the results."""
    try:
        if options.metrics is not None and learned.course is not None:
            replace(options.metrics, (line.encode() for line in learned.course.csv()))
            learned.written["metrics"] = options.metrics
        if options.report is not None:
            from thresher.cli.showing import as_page

            replace(options.report, [as_page(learned).encode()])
            learned.written["report"] = options.report
    except (OSError, StoreError) as error:
        return error
    return None


def _start(options: argparse.Namespace) -> tuple[Start, int]:
    """What the run begins with, and how many passes it has."""
    path = options.resume if options.start is None else options.start
    if path is None:
        return Start(), options.passes or 1
    model = Model.load(path)
    if model.recipe is None:
        raise no_recipe(path)
    if model.tally is None and model.learner.rounds > 0:
        raise StoreError(
            f"{path}: found {model.learner.rounds:,} rounds that no ledger has counted, since it was saved from Python; "
            "thresher.store.Model(learner, stream.recipe, ledger.tally).save(path) saves what one has"
        )
    check_learner(options, model.learner)
    counted = model.tally or Tally()
    start = Start(model.learner, model.recipe, counted, counted, names=model.names)
    if options.start is not None:
        return start, options.passes or 1
    run = model.run
    if run is None or run.finished:
        raise StoreError(f"{path}: its run is finished; to learn more start from it with --from {path}")
    if options.passes not in (None, run.passes):
        raise ParameterError(f"found --passes {options.passes}, but the run has {run.passes}: leave the option out")
    start.began, start.done, start.position, start.whole = run.began, run.done, run.position, run.whole
    start.measuring = _measured(options, path, model, counted.rounds - run.began.rounds)
    start.seen = 0 if start.measuring is None else start.measuring.seen
    return start, run.passes


def _measured(options: argparse.Namespace, path: str, model: Model, rounds: int) -> Measuring | None:
    """The metrics of the run until it was interrupted; None if its file, of an older version, has none."""
    if model.measures is None:
        if options.holdout_every is not None:
            raise ParameterError(f"found --holdout-every {options.holdout_every}, but the run holds out none: leave it out")
        return None
    try:
        measuring = Measuring.from_state(*model.measures)
        if measuring.metrics.so_far.rounds != rounds:
            raise StoreError(
                f"found metrics of {measuring.metrics.so_far.rounds:,} rounds, expected {rounds:,}, those of the run"
            )
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    window, every = measuring.metrics.window, measuring.every
    if options.window not in (None, window):
        raise ParameterError(f"found --window {options.window}, but the run has {window}: leave the option out")
    if options.holdout_every not in (None, every):
        held = "holds out none" if every is None else f"has {every}"
        raise ParameterError(f"found --holdout-every {options.holdout_every}, but the run {held}: leave the option out")
    return measuring


def _check_places(source: Source, places: Mapping[str, str | None]) -> None:
    """What would keep a file from being written is said before anything is learned."""
    given = {option: path for option, path in places.items() if path is not None}
    for option, path in given.items():
        check_place(path)
        if any(Path(path).exists() and source.is_file(place, Path(path)) for place in source.places):
            raise ParameterError(f"found {path} as source and for {option}, expected another file")
        other = next((each for each in given if each != option and Path(given[each]).resolve() == Path(path).resolve()), None)
        if other is not None:
            raise ParameterError(f"found {path} for both {option} and {other}, expected two files")
        if option == "--save" and Path(path).exists() and Path(path).stat().st_size and not is_model(path):
            raise ParameterError(f"found {path} for --save, which is no model: expected a new file, or a model to replace")


def _goes_ahead(session: Session, learner: Portfolio, measuring: Measuring) -> bool:
    """Whether its lanes learn ahead of its vote: not where each example waits for the one before it to be done with."""
    options = session.options
    in_step = options.trace or measuring.every is not None or not session.source.again or not plays_among(learner)
    return not in_step and (processors() if options.threads is None else options.threads) > 1


def _watching(
    session: Session,
    stream: Stream,
    batches: UntilStopped,
    notes: Notes,
    *,
    learner: StoredLearner,
    ledger: Ledger,
    before: int,
    to_check: bool,
) -> Watch:
    """What is done with each batch that was learned; `before` rounds came before the run."""
    everything = isinstance(learner.rule, EliminationRule)  # what it never moved along is what it is left with
    weights = partial(lane_weights, learner)

    def watch(batch: Batch, rounds: Rounds) -> bool:
        if to_check:
            session.outcomes.keep(rounds)
        stream.keep_names(batch, memoryview(b"\1" * len(rounds)) if everything else rounds._moved)
        if not batches.fails_after(batch):  # else one line that says why is enough
            notes.enter(rounds, ledger.tally, weights)
        session.bar.advance("learning", stream, ledger.rounds - before)
        return True

    return watch


def _learn(session: Session, start: Start, passes: int) -> Learned:
    options, source, bar = session.options, session.source, session.bar
    learner, start.learner = start.learner, None  # one learner, one set of weights in memory
    recipe, done, position, whole, names = start.recipe, start.done, start.position, start.whole, start.names
    sample = make_learner(options, 1, None) if learner is None else learner
    rule, voting = sample.rule, not isinstance(sample, LinearLearner)
    del sample
    ledger = _ledger(start.before, voting=voting)
    to_check = source.again and not options.no_check and not voting
    measuring = start.measuring or Measuring(options.window or WINDOW, options.holdout_every)
    course = Course(measuring) if options.metrics is not None or options.report is not None else None
    notes = Notes(Table(bar, start.began, start.before), measuring, course)
    nonzeros = 0
    traces: list[Trace] = []
    began = time.monotonic()
    while True:
        with open_stream(source, **reading(options, recipe), rule=rule) as stream, ExitStack() as stack:
            if position is not None:
                stream.skip_to(position)
            stream.remember(names)
            batches = UntilStopped(stream, session.interrupt)
            if learner is None:
                first = batches.peek()  # Winnow's threshold comes from it
                learner = make_learner(options, stream.n, first)

            to_learn: Iterable[Batch] = measuring.learned(batches, learner)
            if options.trace and not traces:
                to_learn = traced(stream, to_learn, learner, options.trace, traces)
            if not isinstance(learner, LinearLearner) and _goes_ahead(session, learner, measuring):
                to_learn = stack.enter_context(Lookahead(to_learn, learner, stream.crew))
            seen = start.before.rounds
            watch = _watching(session, stream, batches, notes, learner=learner, ledger=ledger, before=seen, to_check=to_check)
            play(learner, in_parts(batches, to_learn, notes), ledger, watch)
            complete = not batches.stopped
            recipe, names, nonzeros = stream.recipe, stream.names, nonzeros + batches.nonzeros
            position = stream.position
            if complete:
                measuring.end_pass()
                if whole is not None and whole != position.digest:
                    raise SourceError("found other text in this pass than in the first, expected the same", file=str(source))
                done, whole, position = done + 1, position.digest, None
        if not complete or done == passes:
            break
    bar.end()
    if ledger.rounds == start.began.rounds:
        raise nothing(stream)
    notes.end(lane_weights(learner))
    return Learned(
        source=source,
        learner=learner,
        rule=rule,
        recipe=recipe,
        ledger=ledger,
        run=Run(passes, done, position or Position(), whole, start.began),
        names=names,
        seconds=time.monotonic() - began,
        interrupted=done < passes,
        unlabelled=stream.unlabelled,
        bad=stream.bad,
        collisions=learner.collisions,
        first_bad=stream.first_bad,
        notices=stream.notices,
        refutations=learner._refutations() if isinstance(learner, LinearLearner) else [],
        traced=traces[0] if traces else None,
        measuring=measuring,
        course=course,
        nonzeros=nonzeros,
        unmeasured=0 if start.measuring is not None else start.before.rounds - start.began.rounds,
        progress=notes.table.rows,
        options=options,
        resumed=start.before.rounds - start.began.rounds,
        scales=start.recipe.scales if start.recipe is not None and start.began.rounds else {},
    )
