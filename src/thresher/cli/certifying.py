"""What `thresher certify` does: look for witnesses, play, hold, show."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thresher._core import Rule, slot_of_bytes
from thresher.bounds import Certificate
from thresher.cli.clues import Clue, clues, separator, sum_margin
from thresher.cli.learners import BIAS
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar
from thresher.cli.reading import first_sum, nothing, reading
from thresher.data.recipe import Recipe
from thresher.data.source import Source
from thresher.data.stream import Batch, open_stream
from thresher.errors import ExampleError, ParameterError
from thresher.evaluate import witnesses
from thresher.evaluate.proof import Played, Proof, play_again
from thresher.ledger import Disjunction, Separator
from thresher.linear import (
    BalancedWinnow,
    Elimination,
    LinearLearner,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from thresher.store.atomic import check_place
from thresher.store.proof import Reading

__all__ = ["Certified", "Facts", "Held", "Streams", "certify"]


@dataclass
class Facts:
    """What one pass over the source tells."""

    recipe: Recipe
    examples: int = 0
    positives: int = 0
    repeat_last: int = 0
    largest: float = 0.0
    first_sum: float = 1.0
    names: dict[int, list[str]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    @property
    def best_constant(self) -> int:
        return min(self.positives, self.examples - self.positives)

    def name(self, slot: int) -> str:
        """What the source calls a slot."""
        if not self.recipe.named:
            return f"index {self.recipe.attribute(slot)}"
        return " and ".join(self.names.get(slot, [f"slot {slot}"]))


@dataclass
class Held:
    """A learner held against its theorems: what hindsight found, and, unless it cannot learn the source, how it played."""

    learner: LinearLearner
    clues: list[Clue]
    played: Played | None = None
    fingerprint: str = ""
    unable: str = ""

    @property
    def certificates(self) -> list[Certificate]:
        """Of each theorem the tightest certificate that says something, the tightest first."""
        found: dict[str, Certificate] = {}
        for each in (each for some in ([] if self.played is None else self.played.certificates) for each in some):
            best = found.setdefault(each.bound.theorem.name, each)
            if each.bound.value < best.bound.value:
                found[each.bound.theorem.name] = each
        return sorted((each for each in found.values() if not each.bound.allows(each.rounds)), key=lambda each: each.bound.value)

    def told(self) -> dict[str, Any] | None:
        """The run for a file, with the witnesses of what is shown."""
        shown = self.certificates
        if self.played is None or not shown:
            return None
        whole = self.played.told(self.fingerprint)
        used = [any(each in shown for each in some) for some in self.played.certificates]
        return {**whole, "proven": [proven for proven, kept in zip(whole["proven"], used, strict=True) if kept]}


@dataclass(frozen=True)
class Certified:
    """Everything that is shown."""

    source: Source
    facts: Facts
    held: list[Held]
    saved: str | None

    def of(self, *kinds: type[LinearLearner]) -> Held | None:
        """Of learners of these kinds the one with the least bound, or the first that played."""
        able = [each for each in self.held if isinstance(each.learner, kinds) and each.played is not None]
        return min(able, key=lambda each: each.certificates[0].bound.value if each.certificates else math.inf, default=None)


class Streams:
    """The source, opened anew for each pass, with a bar that says what the pass is for."""

    def __init__(self, options: argparse.Namespace, source: Source, bar: Bar, **read: Any) -> None:
        self._options, self._source, self._bar, self._read = options, source, bar, read

    def opened(self, rule: Rule | None, what: str) -> Callable[[], Iterator[Batch]]:
        """What gives the batches anew, as a learner with this rule sees them."""

        def batches() -> Iterator[Batch]:
            examples = 0
            with open_stream(self._source, **self._read, rule=rule) as stream:
                for batch in stream:
                    yield batch
                    examples += len(batch)
                    self._bar.advance(what, stream, examples)
            self._bar.end()

        return batches

    def facts(self) -> Facts:
        """One pass that counts."""
        with open_stream(self._source, **self._read) as stream:
            facts, last, first = Facts(stream.recipe), 1, True
            for batch in stream:
                if first:
                    facts.first_sum, first = max(1.0, first_sum(batch)), False
                facts.examples += len(batch)
                facts.positives += int(np.count_nonzero(batch.y > 0))
                facts.repeat_last += int(batch.y[0] != last) + int(np.count_nonzero(batch.y[1:] != batch.y[:-1]))
                facts.largest = max(facts.largest, float(np.abs(batch.rows.data).max(initial=0.0)))
                last = int(batch.y[-1])
                stream.keep_names(batch, np.ones(len(batch), np.bool_))
                self._bar.advance("reading", stream, facts.examples)
            self._bar.end()
            if facts.examples == 0:
                raise nothing(stream)
            facts.recipe, facts.notices = stream.recipe, stream.notices
            for name in stream.names.split(b"\n")[:-1]:
                facts.names.setdefault(slot_of_bytes(name, stream.n), []).append(name.decode("utf-8", "backslashreplace"))
        return facts


def certify(options: argparse.Namespace) -> int:
    """Runs the command."""
    from thresher.cli.certified import as_json, as_text

    source = Source(*options.source)
    if not source.again:
        raise ParameterError(f"found {source}, which can be read only once, expected a file: hindsight looks several times")
    if options.save is not None:
        check_place(options.save)
    with Bar(quiet=options.quiet or options.json) as bar:
        streams = Streams(options, source, bar, **reading(options, None))
        facts = streams.facts()
        held = [_held(streams, facts, learner) for learner in _learners(options, streams, facts)]
    made = Certified(source, facts, held, options.save)
    if options.save is not None:
        _saved(made, options)
    if options.json:
        print_json(as_json(made))
    else:
        print(as_text(made))
    return 0


def _saved(made: Certified, options: argparse.Namespace) -> None:
    runs = tuple(told for each in made.held if (told := each.told()) is not None)
    if not runs:
        raise ParameterError("found nothing proven that says anything of this source, so there is no certificate to save")
    Proof(runs, Reading(made.facts.recipe.plus, bool(options.zero_based))).save(options.save)


def _learners(options: argparse.Namespace, streams: Streams, facts: Facts) -> Iterator[LinearLearner]:
    """Those whose theorems are tried; where one asks for a margin or a rate, hindsight gives the best."""
    n, bias = facts.recipe.n, None if options.no_bias else BIAS
    yield Perceptron(n, bias=bias)
    yield PassiveAggressive(n, bias=bias)
    winnow = {"factor": options.factor, "strict": options.strict}
    threshold = facts.first_sum if options.threshold is None else options.threshold
    yield Winnow(n, threshold=threshold, **{name: value for name, value in winnow.items() if value is not None})
    yield BalancedWinnow(n, bias=bias)
    yield Elimination(n)


def _held(streams: Streams, facts: Facts, learner: LinearLearner) -> Held:
    """Looks for witnesses, plays once to have the learner's own, and once more to hold them all against it."""
    name = type(learner).__name__
    try:
        found = clues(learner, streams.opened(learner.rule, f"looking for witnesses for {name}"))
        learner = _tuned(learner, found)
        examples = streams.opened(learner.rule, f"playing {name}")
        alone = Played(learner, [])
        play_again([alone], examples)
        if alone.count.rounds != facts.examples:
            return Held(learner, found, unable=f"it cannot learn {facts.examples - alone.count.rounds:,} of the examples")
        own = witnesses(alone.learner, next(examples()), facts.examples)
    except ExampleError as error:
        return Held(learner, [], unable=str(error))
    except ParameterError:
        own = []  # its final weights are no witness
    compared = [clue.witness for clue in found if clue.witness is not None] + own
    for witness in compared:
        if isinstance(witness, Disjunction):
            witness.names = facts.name
    played = Played(learner, compared)
    return Held(learner, found, played, play_again([played], examples))


def _tuned(learner: LinearLearner, found: list[Clue]) -> LinearLearner:
    """Balanced Winnow at the best rate for the margin that was found."""
    return learner
