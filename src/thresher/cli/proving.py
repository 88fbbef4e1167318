"""What `thresher learn --proof` writes: what was proven of the run, in a file that `thresher certify --check` checks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from thresher.bounds.printed import plural
from thresher.cli.running import Learned, Session
from thresher.compose import Portfolio
from thresher.data.source import Source
from thresher.data.stream import Batch, open_stream
from thresher.errors import ParameterError
from thresher.evaluate.proof import Proof, certify
from thresher.ledger import BestLane, Cover, Disjunction, Separator, Threshold
from thresher.store.atomic import check_place
from thresher.store.proof import Reading

__all__ = ["check_provable", "prove"]

_WITNESSES = (Separator, Disjunction, Cover, Threshold, BestLane)


def check_provable(options: argparse.Namespace, source: Source, passes: int) -> None:
    """What would keep a proof from being written is said before anything is learned."""
    check_place(options.proof)
    if not source.again:
        raise ParameterError(f"found --proof for {source}, which can be read only once: a proof is made by playing again")
    if options.start is not None or options.resume is not None:
        raise ParameterError("found --proof for a learner that starts from a model, expected one from its first round on")
    if passes > 1:
        raise ParameterError(f"found --proof with --passes {passes}, expected one pass, which is what a proof is of")
    if options.holdout_every is not None:
        raise ParameterError("found --proof with --holdout-every, expected all examples learned, which is what a proof is of")
    if options.no_check:
        raise ParameterError("found --proof with --no-check, expected that theorems are checked: leave one of them out")


def prove(session: Session, learned: Learned, path: str) -> Exception | None:
    """Plays the learner on the source again, and a portfolio's best lane if that was replayed, and writes what is proven."""
    # With a cost the best lane plays with weights, and theorems are about weight 1.
    winner = learned.winner if isinstance(learned.learner, Portfolio) and learned.learner.cost_positive == 1.0 else None
    runs = [told for each in (learned, winner) if each is not None and (told := _run(session, each)) is not None]
    session.bar.end()
    if not runs:
        why = learned.unchecked or f"no bound is below {plural(learned.ledger.rounds, 'mistake')}, the number of examples"
        return ParameterError(f"found nothing proven, so there is no proof in {path}: {why}")
    Proof(tuple(runs), Reading.of(learned.recipe)).save(path)
    learned.proof = path
    return None


def _run(session: Session, learned: Learned) -> Mapping[str, Any] | None:
    """A run for the file, with the witnesses that prove something; None if there is none."""
    compared = () if learned.checked is None else learned.checked.comparators
    known = [each for each in compared if isinstance(each, _WITNESSES)]
    if not known:
        return None

    def batches() -> Iterator[Batch]:
        examples = 0
        with open_stream(
            session.source,
            recipe=learned.recipe.scaled(learned.scales),
            on_bad=session.options.on_bad,
            rule=learned.learner.rule,
        ) as stream:
            for batch in stream:
                yield batch
                examples += len(batch)
                session.bar.advance("proving", stream, examples)

    run = certify(learned.learner, batches, *known).runs[0]
    examples = run["stream"]["examples"]
    proven = [each for each in run["proven"] if any(made["at_most"] < examples for made in each["certificates"])]
    return {**run, "proven": proven} if proven else None
