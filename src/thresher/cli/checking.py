"""The check after `thresher learn`: the source is read again, and the theorems are held against the run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import Rounds
from thresher.cli.lanes import parameters
from thresher.cli.running import CHECK_INTERRUPTED, Learned, Session, Start
from thresher.data.recipe import Recipe
from thresher.data.stream import Batch, Position, Stream, open_stream
from thresher.errors import ExampleError, ParameterError, SourceError
from thresher.evaluate import play, witnesses
from thresher.evaluate.measuring import learned_alone
from thresher.evaluate.play import Plays
from thresher.ledger import BestLane, Comparator, Disjunction, Ledger, Separator, Tally
from thresher.linear import LinearLearner
from thresher.store import linear

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thresher.compose import Portfolio

__all__ = ["check", "check_portfolio"]


def check(session: Session, start: Start, learned: Learned) -> Exception | None:
    """The check of one learner, or why there is none."""
    return _checked(session, learned, lambda: _check(session, start, learned))


def check_portfolio(
    session: Session, start: Start, learned: Learned, portfolio: Portfolio, *, unseen: bool
) -> Exception | None:
    """What is proven of a portfolio was summed while it learned; but the first part of a resumed run is `unseen`."""
    failed = None
    if unseen:
        failed = _checked(session, learned, lambda: _see_all(session, learned, portfolio))
    if session.options.certify and not learned.unchecked:
        failed = _certify_the_best(session, start, learned, portfolio)
    return failed


def _see_all(session: Session, learned: Learned, portfolio: Portfolio) -> None:
    """Plays a resumed run from its start, so that nothing about its first rounds has to be believed."""
    ledger = Ledger(BestLane())
    if not _play_again(session, learned, portfolio.fresh(), ledger):
        learned.unchecked = CHECK_INTERRUPTED
    elif ledger.tally.history != learned.ledger.tally.history:
        raise _other_text(learned)
    else:
        learned.checked = ledger


def _certify_the_best(session: Session, start: Start, learned: Learned, portfolio: Portfolio) -> Exception | None:
    """Plays the best lane alone, from the start and in float64, and checks its own theorems."""
    lane = portfolio.fresh_learner(portfolio.best_lane)
    if lane is None:
        learned.unchecked = f"the ledger has no theorem about {portfolio.lanes[portfolio.best_lane]}"
        return None
    winner = replace(learned, learner=lane, ledger=Ledger(), checked=None)
    failed = _checked(session, winner, lambda: _certify(session, start, winner, portfolio.cost_positive))
    if winner.checked is None:
        learned.unchecked = winner.unchecked
    else:
        learned.winner = winner
    return failed


def _certify(session: Session, start: Start, winner: Learned, cost: float) -> None:
    if start.began.rounds:
        winner.unchecked = "what was learned before this source cannot be read again"
        return
    try:
        played = _replay(session, winner, cost)
    except ExampleError as error:
        winner.unchecked = f"alone it cannot learn all of these examples ({error})"
        return
    if played is None:
        winner.unchecked = CHECK_INTERRUPTED
        return
    winner.ledger = played
    _hold(session, winner, Tally(), cost=cost)


def _checked(session: Session, learned: Learned, check: Callable[[], None]) -> Exception | None:
    """A check, where there can be one."""
    if isinstance(learned.learner, LinearLearner) and not learned.learner._PROVEN:
        learned.unchecked = f"the ledger has no theorem about {type(learned.learner).__name__}"
    elif learned.interrupted:
        learned.unchecked = "the theorems are checked when the run is finished"
    elif not session.source.again:
        learned.unchecked = f"{session.source} cannot be read again to check the theorems on it; a file can"
    else:
        began = time.monotonic()
        try:
            check()
        except KeyboardInterrupt:
            learned.unchecked = CHECK_INTERRUPTED
        except (SourceError, OSError) as error:
            learned.unchecked = str(error)
            return error
        finally:
            session.bar.end()
        learned.check_seconds = time.monotonic() - began if learned.checked is not None else 0.0
    return None


def _check(session: Session, start: Start, learned: Learned) -> None:
    """Reads the run again, with its final weights as witness."""
    outcomes = session.outcomes
    before, done, position, seen = start.before, start.done, start.position, start.seen
    if not start.began.rounds:  # it began at zero weights: all of it can be checked
        before, done, position, seen = Tally(), 0, None, 0
    if outcomes.rounds < learned.ledger.rounds - before.rounds and not before.rounds:
        # The learner that plays ends as what was learned, bit for bit, and takes its place before it begins: the weights
        # of both would not fit the memory that a user counts on.
        learned.learner = type(learned.learner)(**parameters(learned.learner))
        played = _replay(session, learned)
        if played is None:
            learned.unchecked = CHECK_INTERRUPTED
            return
        if played.tally.history != learned.ledger.tally.history:
            raise _other_text(learned)
    _hold(session, learned, before, done=done, position=position, seen=seen)


def _hold(
    session: Session,
    learned: Learned,
    before: Tally,
    *,
    done: int = 0,
    position: Position | None = None,
    seen: int = 0,
    cost: float = 1.0,
) -> None:
    """Reads the rounds after `before` again, whose outcomes were kept, and holds them against the final weights."""
    outcomes, learner = session.outcomes, linear(learned.learner)
    if outcomes.lost is not None:
        raise outcomes.lost
    with _again(session, learned, learned.recipe.scaled(learned.scales)) as stream:
        sample = next(iter(stream), None)  # always the first: an interrupted run shows the same as another
    if sample is None:
        raise _other_text(learned)
    try:
        compared = witnesses(learner, sample, learner.rounds)
        if session.options.certify and not before.rounds:
            compared = _better(compared, _found(session, learned, learner))
        for witness in compared:
            if isinstance(witness, Disjunction):
                witness.names = _names(learned, witness.shown)
        ledger = Ledger(*compared, after=before)
    except ParameterError as error:
        learned.unchecked = f"the final weights cannot be the witness: {error}"
        return
    retelling = Costs(outcomes.retelling(learner, before.rounds + 1), cost)
    if not _play_again(session, learned, retelling, ledger, done=done, position=position, seen=seen):
        learned.unchecked = CHECK_INTERRUPTED
        return
    if not ledger._confirm(learned.ledger.tally):
        raise _other_text(learned)
    if ledger.rounds == before.rounds:
        learned.unchecked = "the run had no example left to check the theorems on"
    else:
        learned.checked = ledger


def _better(own: list[Comparator], found: list[Comparator]) -> list[Comparator]:
    """The witnesses that were found; beside a separator the learner's own weights prove nothing more."""
    separated = any(isinstance(witness, Separator) for witness in found)
    return found + [witness for witness in own if not (separated and isinstance(witness, Separator))]


def _found(session: Session, learned: Learned, learner: LinearLearner) -> list[Comparator]:
    """Better witnesses, that hindsight finds on the rows of all passes."""
    from thresher.cli.clues import clues

    def batches() -> Iterator[Batch]:
        recipe = learned.recipe.scaled(learned.scales)
        for _ in range(learned.run.passes):
            examples = 0
            with _again(session, learned, recipe) as stream:
                for batch in learned_alone(stream, learned.measuring.every):
                    yield batch
                    examples += len(batch)
                    session.bar.advance("looking for witnesses", stream, examples)
                recipe = stream.recipe
            session.bar.end()

    try:
        return [clue.witness for clue in clues(learner, batches) if clue.witness is not None]
    except ExampleError:
        return []  # what it cannot look at, it finds nothing in; the learner's own weights are there


class Costs:
    """Whatever plays, as a lane of a portfolio does: positive examples weigh so much more."""

    def __init__(self, plays: Plays, positive: float) -> None:
        self._plays = plays
        self._positive = positive

    def learn_many(self, X: object, y: NDArray[np.int8], weights: NDArray[np.float64] | None = None) -> Rounds:
        """The rounds with these examples."""
        if self._positive != 1.0:
            weights = np.where(y > 0, self._positive, 1.0) * (1.0 if weights is None else weights)
        return self._plays.learn_many(X, y, weights)


def _names(learned: Learned, slots: list[int]) -> Callable[[int], str]:
    """What these slots are called in the source."""
    if not learned.recipe.named:
        return lambda slot: f"index {learned.recipe.attribute(slot)}"
    known = {slot: " and ".join(names) for slot, names in learned.model.names_by_slot().items() if slot in slots}
    return lambda slot: known.get(slot, f"slot {slot}")


def _replay(session: Session, learned: Learned, cost: float = 1.0) -> Ledger | None:
    """Plays the whole run from its start with the learner, a fresh one, and keeps the outcomes; None if interrupted."""
    session.outcomes.clear()
    ledger = Ledger()
    keeping = Costs(session.outcomes.keeping(linear(learned.learner)), cost)
    return ledger if _play_again(session, learned, keeping, ledger) else None


def _play_again(
    session: Session,
    learned: Learned,
    learner: Plays,
    ledger: Ledger,
    *,
    done: int = 0,
    position: Position | None = None,
    seen: int = 0,
) -> bool:
    """Plays the passes that were not done again, in the first from `position` on, after `seen` examples; to the end?"""
    before, recipe = ledger.rounds, learned.recipe.scaled(learned.scales)
    for _ in range(done, learned.run.passes):
        with _again(session, learned, recipe) as stream:
            if position is not None:
                stream.skip_to(position)
                position = None

            def watch(_batch: Batch, _rounds: Rounds, stream: Stream = stream) -> bool:
                session.bar.advance("checking", stream, ledger.rounds - before)
                return not session.interrupt.wished

            if not play(learner, learned_alone(stream, learned.measuring.every, seen), ledger, watch):
                return False
            seen = 0
            if stream.position.digest != learned.run.whole:
                raise _other_text(learned)
            recipe = stream.recipe
    session.bar.end()
    return True


def _again(session: Session, learned: Learned, recipe: Recipe) -> Stream:
    return open_stream(session.source, recipe=recipe, on_bad=session.options.on_bad, rule=learned.rule)


def _other_text(learned: Learned) -> SourceError:
    saved = "" if learned.saved is None else f"; what was learned is in {learned.saved}"
    message = f"found other text when it was read again for the check, expected the same{saved}"
    return SourceError(message, file=str(learned.source))
