"""What `thresher learn` does: learn, save, check, show."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

from thresher._core import Rounds
from thresher.bounds import Verdict
from thresher.cli.checking import CHECK_INTERRUPTED, check_if_possible
from thresher.cli.interrupt import Interrupt
from thresher.cli.lanes import lane_weights
from thresher.cli.learners import check_learner, make_learner
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar, Table
from thresher.cli.proving import check_provable, prove
from thresher.cli.reading import first_sum, no_recipe, nothing, reading
from thresher.cli.running import Learned, Session, Start
from thresher.cli.summary import as_json, as_text, refutations
from thresher.compose import Portfolio
from thresher.data.source import Source
from thresher.data.stream import Batch, Position, Stream, open_stream
from thresher.errors import ParameterError, SourceError, StoreError
from thresher.evaluate import Outcomes, play
from thresher.ledger import BestLane, Ledger, Tally
from thresher.linear import Elimination
from thresher.store import Model, Run, StoredLearner, linear
from thresher.store.atomic import check_place

if TYPE_CHECKING:
    from thresher.evaluate import Trace

__all__ = ["learn"]

VIOLATED = 3
INTERRUPTED = 130
_MOST_PASSES = 10**9
_KEPT_IN_MEMORY = 2**24


def learn(options: argparse.Namespace) -> int:
    """Runs the command."""
    source = Source(*options.source)
    start, passes = _start(options)
    if passes > _MOST_PASSES:
        raise ParameterError(f"found --passes {passes}, expected at most 10^9")
    if passes > 1 and not source.again:
        raise ParameterError(f"found --passes {passes} for {source}, which can be read only once")
    check_provable(options, source, passes)
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
        failed = check_if_possible(session, start, learned) or prove(session, learned)
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
    table = Table(bar, start.began, start.before)
    recipe, done, position, whole, names = start.recipe, start.done, start.position, start.whole, start.names
    sample = make_learner(options, 1, 1.0) if learner is None else learner
    rule, voting = sample.rule, isinstance(sample, Portfolio)
    del sample
    ledger = Ledger(*[BestLane()] * voting, after=start.before)
    to_check = source.again and not options.no_check and not voting
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
                learner = make_learner(options, stream.n, 1.0 if first is None else first_sum(first))

            everything = isinstance(learner, Elimination)  # what it never moved along is what it is left with

            weights = partial(lane_weights, learner)

            def watch(
                batch: Batch,
                rounds: Rounds,
                stream: Stream = stream,
                everything: bool = everything,
                weights: Callable[[], list[float] | None] = weights,
            ) -> bool:
                stream.keep_names(batch, rounds.changed | everything)
                if not stream.failing:  # then one line that says why is enough
                    table.enter(rounds, weights)
                bar.advance("learning", stream, ledger.rounds - start.before.rounds)
                return not (batch.last and session.interrupt.wished)

            if options.trace and not traces:
                batches = _traced(stream, batches, learner, options.trace, traces)
            player = session.outcomes.keeping(linear(learner)) if to_check else learner
            complete = play(player, _in_parts(stream, batches, table), ledger, watch)
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
        raise nothing(stream)
    table.end(lane_weights(learner))
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
        refutations=refutations(learner),
        traced=traces[0] if traces else None,
        progress=table.rows,
        options=options,
        resumed=start.before.rounds - start.began.rounds,
        scales=start.recipe.scales if start.recipe is not None and start.began.rounds else {},
    )


def _in_parts(stream: Stream, batches: Iterable[Batch], table: Table) -> Iterator[Batch]:
    """The batches, cut where the table has a row; not the one before a bad line, which the table does not count."""
    for batch in batches:
        yield from [batch] if stream.failing else table.parts(batch)


def _traced(
    stream: Stream, batches: Iterable[Batch], learner: StoredLearner, rounds: int, traces: list[Trace]
) -> Iterator[Batch]:
    """The batches of a stream, with a trace made of the first rounds on a copy of the learner."""
    from thresher.evaluate import trace

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
