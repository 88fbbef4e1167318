"""What `thresher learn` does: learn, save, check, show."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from thresher._core import Rounds
from thresher.bounds import Verdict
from thresher.cli.interrupt import Interrupt
from thresher.cli.learners import check_learner, make_learner
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar, Table
from thresher.cli.reading import no_recipe, reading
from thresher.cli.summary import as_json, as_text, refutations
from thresher.data.recipe import Recipe
from thresher.data.source import Source
from thresher.data.stream import Batch, Position, Stream, open_stream
from thresher.errors import ParameterError, SourceError, StoreError
from thresher.evaluate import Outcomes, Trace, play, trace, witnesses
from thresher.evaluate.play import Plays
from thresher.ledger import Disjunction, Ledger, Tally
from thresher.linear import Elimination, LinearLearner
from thresher.store import Model, Run
from thresher.store.atomic import check_place

__all__ = ["Learned", "learn"]

VIOLATED = 3
INTERRUPTED = 130
_MOST_PASSES = 10**9
_KEPT_IN_MEMORY = 2**24
CHECK_INTERRUPTED = "the check was interrupted"


@dataclass(frozen=True)
class Session:
    """What was asked for, and how the user is told and heard meanwhile."""

    options: argparse.Namespace
    source: Source
    bar: Bar
    interrupt: Interrupt
    outcomes: Outcomes


@dataclass
class Start:
    """Where a run begins: in the midst of pass `done`, or at its start; `before` was counted until then."""

    learner: LinearLearner | None = None
    recipe: Recipe | None = None
    before: Tally = field(default_factory=Tally)
    began: Tally = field(default_factory=Tally)
    done: int = 0
    position: Position | None = None
    whole: int | None = None
    names: bytes = b""


@dataclass
class Learned:
    """A run, or as much of it as there was."""

    source: Source
    learner: LinearLearner
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
    arguments: list[str] = field(default_factory=list)
    resumed: int = 0
    saved: str | None = None
    checked: Ledger | None = None
    unchecked: str = ""
    check_seconds: float = 0.0

    @property
    def model(self) -> Model:
        """What is saved."""
        return Model(self.learner, self.recipe, self.ledger.tally, self.run, self.names)


def learn(options: argparse.Namespace) -> int:
    """Runs the command."""
    source = Source(*options.source)
    start, passes = _start(options)
    if passes > _MOST_PASSES:
        raise ParameterError(f"found --passes {passes}, expected at most 10^9")
    if passes > 1 and not source.again:
        raise ParameterError(f"found --passes {passes} for {source}, which can be read only once")
    save = options.resume if options.save is None else options.save
    if save is not None:
        _check_save(save, source)
    with (
        Interrupt() as interrupt,
        Bar(quiet=options.quiet or options.json) as bar,
        SpooledTemporaryFile(max_size=_KEPT_IN_MEMORY, buffering=0) as file,
    ):
        session = Session(options, source, bar, interrupt, Outcomes(file))
        learned = _learn(session, start, passes)
        if save is not None:
            learned.model.save(save)
            learned.saved = save
        failed = _check_if_possible(session, start, learned)
    if options.json:
        print_json(as_json(learned))
    else:
        print(as_text(learned))
    if failed is not None:
        raise failed
    if learned.checked is not None and any(c.verdict is Verdict.VIOLATED for c in learned.checked.certificates()):
        print("thresher: a theorem with checked premises has failed, which is a bug of ours; please report it", file=sys.stderr)
        return VIOLATED
    return INTERRUPTED if learned.interrupted or learned.unchecked == CHECK_INTERRUPTED else 0


def _start(options: argparse.Namespace) -> tuple[Start, int]:
    """What the run begins with, and how many passes it has."""
    path = options.resume if options.start is None else options.start
    if path is None:
        return Start(), options.passes or 1
    model = Model.load(path)
    if model.recipe is None or model.tally is None:
        raise no_recipe(path)
    check_learner(options, model.learner)
    start = Start(model.learner, model.recipe, model.tally, model.tally, names=model.names)
    if options.start is not None:
        return start, options.passes or 1
    run = model.run
    if run is None or run.finished:
        raise StoreError(f"{path}: its run is finished; to learn more start from it with --from {path}")
    if options.passes not in (None, run.passes):
        raise ParameterError(f"found --passes {options.passes}, but the run has {run.passes}: leave the option out")
    start.began, start.done, start.position, start.whole = run.began, run.done, run.position, run.whole
    return start, run.passes


def _check_save(path: str, source: Source) -> None:
    """What would keep the model from being written is said before anything is learned."""
    check_place(path)
    for place in source.places:
        if Path(path).exists() and source.is_file(place, Path(path)):
            raise ParameterError(f"found {path} as source and for --save, expected another file for the model")


def _learn(session: Session, start: Start, passes: int) -> Learned:
    options, source, bar = session.options, session.source, session.bar
    learner, start.learner = start.learner, None  # one learner, one set of weights in memory
    ledger = Ledger(after=start.before)
    table = Table(bar, start.began, start.before)
    recipe, done, position, whole, names = start.recipe, start.done, start.position, start.whole, start.names
    rule = make_learner(options, 1, 1.0).rule if learner is None else learner.rule
    traces: list[Trace] = []
    began = time.monotonic()
    while True:
        with open_stream(source, **reading(options, recipe), rule=rule) as stream:
            if position is not None:
                stream.skip_to(position)
            stream.remember(names)
            batches: Iterable[Batch] = stream
            if learner is None:
                first = next(iter(stream), None)  # Winnow's threshold comes from it
                batches = stream if first is None else chain([first], stream)
                learner = make_learner(options, stream.n, 1.0 if first is None else _first_sum(first))

            everything = isinstance(learner, Elimination)  # what it never moved along is what it is left with

            def watch(batch: Batch, rounds: Rounds, stream: Stream = stream, everything: bool = everything) -> bool:
                stream.keep_names(batch, rounds.changed | everything)
                if not stream.failing:  # then one line that says why is enough
                    table.enter(rounds)
                bar.advance("learning", stream, ledger.rounds - start.before.rounds)
                return not session.interrupt.wished

            if options.trace and not traces:
                batches = _traced(stream, batches, learner, options.trace, traces)
            to_check = source.again and not options.no_check
            complete = play(session.outcomes.keeping(learner) if to_check else learner, batches, ledger, watch)
            recipe, names = stream.recipe, stream.names
            position = stream.position
            if complete:
                if whole is not None and whole != position.digest:
                    raise SourceError("found other text in this pass than in the first, expected the same", file=str(source))
                done, whole, position = done + 1, position.digest, None
        if not complete or done == passes:
            break
    bar.end()
    if ledger.rounds == start.began.rounds:
        raise _nothing(stream)
    table.end()
    return Learned(
        source=source,
        learner=learner,
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
        refutations=refutations(learner),
        traced=traces[0] if traces else None,
        arguments=options.arguments,
        resumed=start.before.rounds - start.began.rounds,
    )


def _nothing(stream: Stream) -> SourceError:
    """What to say of a source without an example."""
    if stream.bad:
        return SourceError(f"found no line that can be read, of {stream.bad:,}; the first: {stream.first_bad[0]}")
    return SourceError("found no example with a label, expected at least one to learn from", file=str(stream.source))


def _first_sum(batch: Batch) -> float:
    rows = batch.rows
    return float(rows.data[: rows.indptr[1]].sum())


def _traced(
    stream: Stream, batches: Iterable[Batch], learner: LinearLearner, rounds: int, traces: list[Trace]
) -> Iterator[Batch]:
    """The batches of a stream, with a trace made of the first rounds on a copy of the learner."""
    apprentice = [copy(learner)]  # to be taken out: its weights need not stay
    examples: list[tuple[Any, ...]] = []
    names: dict[int, str] = {}
    for batch in batches:
        for row in range(min(len(batch), rounds - len(examples))):
            weight = 1.0 if batch.weights is None else float(batch.weights[row])
            examples.append((batch.X[row], int(batch.y[row]), weight))
            names |= stream.names_of(batch, row)
        if len(examples) == rounds and not traces:
            traces.append(trace(apprentice.pop(), examples, names=names, digits=6, most=4))
        yield batch
    if not traces:
        traces.append(trace(apprentice.pop(), examples, names=names, digits=6, most=4))


def _check_if_possible(session: Session, start: Start, learned: Learned) -> Exception | None:
    """The check, or why there is none. What goes wrong in it comes after the results: they are there, and saved, by now."""
    if session.options.no_check:
        learned.unchecked = "the theorems were not checked, as --no-check says"
    elif not learned.learner._PROVEN:
        learned.unchecked = f"the ledger has no theorem about {type(learned.learner).__name__}"
    elif learned.interrupted:
        learned.unchecked = "the theorems are checked when the run is finished"
    elif not session.source.again:
        learned.unchecked = f"{session.source} cannot be read again to check the theorems on it; a file can"
    else:
        try:
            _check(session, start, learned)
        except KeyboardInterrupt:
            learned.unchecked = CHECK_INTERRUPTED
        except (SourceError, OSError) as error:
            learned.unchecked = str(error)
            return error
        finally:
            session.bar.end()
    return None


def _check(session: Session, start: Start, learned: Learned) -> None:
    """Reads the run again, with its final weights as witness."""
    outcomes = session.outcomes
    before, done, position = start.before, start.done, start.position
    if not start.began.rounds:  # it began at zero weights: all of it can be checked
        before, done, position = Tally(), 0, None
    began = time.monotonic()
    if outcomes.rounds < learned.ledger.rounds - before.rounds and not before.rounds and not _replay(session, learned):
        learned.unchecked = CHECK_INTERRUPTED
        return
    if outcomes.lost is not None:
        raise outcomes.lost
    with _again(session, learned) as stream:
        sample = next(iter(stream), None)  # always the first: an interrupted run shows the same as another
    if sample is None:
        raise _other_text(learned)
    try:
        compared = witnesses(learned.learner, sample, learned.learner.rounds)
        for witness in compared:
            if isinstance(witness, Disjunction):
                witness.names = _names(learned, witness.shown)
        ledger = Ledger(*compared, after=before)
    except ParameterError as error:
        learned.unchecked = f"the final weights cannot be the witness: {error}"
        return
    retelling = outcomes.retelling(learned.learner, before.rounds + 1)
    if not _play_again(session, learned, retelling, ledger, done=done, position=position):
        learned.unchecked = CHECK_INTERRUPTED
        return
    if not ledger._confirm(learned.ledger.tally):
        raise _other_text(learned)
    learned.check_seconds = time.monotonic() - began
    if ledger.rounds == before.rounds:
        learned.unchecked = "the run had no example left to check the theorems on"
    else:
        learned.checked = ledger


def _names(learned: Learned, slots: list[int]) -> Callable[[int], str]:
    """What these slots are called in the source."""
    if not learned.recipe.named:
        return lambda slot: f"index {learned.recipe.attribute(slot)}"
    known = {slot: " and ".join(names) for slot, names in learned.model.names_by_slot().items() if slot in slots}
    return lambda slot: known.get(slot, f"slot {slot}")


def _replay(session: Session, learned: Learned) -> bool:
    """Plays a resumed run from its start, for the outcomes of its first rounds; the answer is whether it came to the end.

    The learner that plays ends as what was learned, bit for bit, and takes its place before it begins: the weights of both
    would not fit the memory that a user counts on.
    """
    learned.learner = type(learned.learner)(**learned.learner._arguments())
    session.outcomes.clear()
    ledger = Ledger()
    if not _play_again(session, learned, session.outcomes.keeping(learned.learner), ledger):
        return False
    if ledger.tally.history != learned.ledger.tally.history:
        raise _other_text(learned)
    return True


def _play_again(
    session: Session, learned: Learned, learner: Plays, ledger: Ledger, *, done: int = 0, position: Position | None = None
) -> bool:
    """Plays the passes that were not done again, from `position` in the first of them on; was the end reached?"""
    before = ledger.rounds
    for _ in range(done, learned.run.passes):
        with _again(session, learned) as stream:
            if position is not None:
                stream.skip_to(position)
                position = None

            def watch(_batch: Batch, _rounds: Rounds, stream: Stream = stream) -> bool:
                session.bar.advance("checking", stream, ledger.rounds - before)
                return not session.interrupt.wished

            if not play(learner, stream, ledger, watch):
                return False
            if stream.position.digest != learned.run.whole:
                raise _other_text(learned)
    session.bar.end()
    return True


def _again(session: Session, learned: Learned) -> Stream:
    rule, on_bad = learned.learner.rule, session.options.on_bad
    return open_stream(session.source, recipe=learned.recipe, on_bad=on_bad, rule=rule)


def _other_text(learned: Learned) -> SourceError:
    saved = "" if learned.saved is None else f"; what was learned is in {learned.saved}"
    message = f"found other text when it was read again for the check, expected the same{saved}"
    return SourceError(message, file=str(learned.source))
