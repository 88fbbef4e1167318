"""What `thresher certify` does: look for witnesses, play, hold, show."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._core import Rule, slot_of_bytes
from thresher.bounds import Certificate
from thresher.bounds.printed import plural
from thresher.cli.clues import CHEAP, PROGRAMS, Clue, Finders, clues, tuned
from thresher.cli.learners import BIAS
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar
from thresher.cli.reading import first_sum, nothing, reading
from thresher.data.recipe import Recipe
from thresher.data.source import Source
from thresher.data.stream import Batch, Stream, open_stream
from thresher.errors import ExampleError, NotRealizable, ParameterError
from thresher.evaluate import witnesses
from thresher.evaluate.proof import Played, Proof, play_again
from thresher.ledger import Comparator, Disjunction, Separator
from thresher.linear import (
    BalancedWinnow,
    Elimination,
    LinearLearner,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from thresher.store import StoredLearner, linear
from thresher.store.atomic import check_place, replace
from thresher.store.proof import Reading

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Batches", "Certified", "Facts", "Held", "Streams", "called", "certify", "names_by_slot", "tightest"]

_MOST_THRESHOLD = 2.0**64  # that Winnow takes; an example whose sum is larger it does not


@dataclass
class Facts:
    """What one pass over the source tells; with the bias, `longest` is the largest ‖x‖₂, `on_at_once` (‖x‖₂/‖x‖∞)².

    `bytes` is what the rows take in memory.
    """

    recipe: Recipe
    examples: int = 0
    positives: int = 0
    repeat_last: int = 0
    longest: float = 0.0
    on_at_once: float = 0.0
    first_sum: float = 1.0
    weighted: int = 0
    bytes: int = 0
    names: dict[int, list[str]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    @property
    def best_constant(self) -> int:
        return min(self.positives, self.examples - self.positives)

    @property
    def baselines(self) -> str:
        """What learners that look at nothing make of it."""
        constant = plural(self.best_constant, "mistake")
        return f"the best constant makes {constant}, repeating the last label {self.repeat_last:,}"

    def name(self, slot: int) -> str:
        """What the source calls a slot."""
        if not self.recipe.named:
            return f"index {self.recipe.attribute(slot)}"
        return " and ".join(self.names.get(slot, [f"slot {slot}"]))


def called(learner: StoredLearner) -> str:
    """What a learner is called in tables."""
    name = type(learner).__name__
    return f"{name}, normalised" if isinstance(learner, Perceptron) and learner.rule.normalize else name


def tightest(certificates: Iterable[Certificate]) -> list[Certificate]:
    """Of each theorem the tightest that says something, the tightest first."""
    found: dict[str, Certificate] = {}
    for each in certificates:
        best = found.setdefault(each.bound.theorem.name, each)
        if each.bound.value < best.bound.value:
            found[each.bound.theorem.name] = each
    return sorted((each for each in found.values() if not each.bound.allows(each.rounds)), key=lambda each: each.bound.value)


@dataclass
class Held:
    """A learner held against its theorems: what hindsight found, and, unless it cannot learn the source, how it played."""

    learner: LinearLearner
    clues: list[Clue]
    played: Played | None = None
    fingerprint: str = ""
    unable: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return called(self.learner)

    @property
    def certificates(self) -> list[Certificate]:
        """Of each theorem the tightest certificate that says something, the tightest first."""
        return tightest(each for some in ([] if self.played is None else self.played.certificates) for each in some)

    @property
    def witness(self) -> Separator | None:
        """The one with the least bound, if it is a separator."""
        return None if self.best is None else self.witness_of(self.best)

    def witness_of(self, certificate: Certificate) -> Separator | None:
        """The one of this certificate, if it is a separator and the certificate is about this learner."""
        if self.played is None:
            return None
        used = zip(self.played.witnesses, self.played.certificates, strict=True)
        witness = next((each for each, found in used if certificate in found), None)
        return witness if isinstance(witness, Separator) else None

    @property
    def best(self) -> Certificate | None:
        """The tightest on mistakes in any order of the examples, which can be held against another learner's."""
        return next((each for each in self.certificates if each.any_order and each.bound.on == "mistakes"), None)

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
    options: argparse.Namespace
    saved: str | None = None
    page: str | None = None

    @property
    def additive(self) -> Held:
        """Of the Perceptron on the examples as they are and on normalised ones the one with the smaller bound."""
        return _better(each for each in self.held if isinstance(each.learner, Perceptron))

    @property
    def multiplicative(self) -> Held:
        """Of Winnow and Balanced Winnow the one with the smaller bound."""
        return _better(each for each in self.held if isinstance(each.learner, Winnow | BalancedWinnow))


def _better(held: Iterable[Held]) -> Held:
    return min(held, key=lambda each: (each.played is None, math.inf if each.best is None else each.best.bound.at_most))


#: What gives the batches of a source anew.
Batches = Callable[[], Iterator[Batch]]


class Streams:
    """The source, opened anew for each pass, with a bar that says what the pass is for."""

    def __init__(self, source: Source, bar: Bar, **read: Any) -> None:
        self._source, self._bar, self._read = source, bar, read

    @cached_property
    def recipe(self) -> Recipe:
        """How the source is read, as far as its first line tells."""
        with open_stream(self._source, **self._read) as stream:
            return stream.recipe

    def opened(self, rule: Rule | None, what: str, watch: Callable[[Stream, Batch], None] | None = None) -> Batches:
        """What gives the batches anew, as a learner with this rule sees them; `watch` sees each of them, too."""

        def batches() -> Iterator[Batch]:
            examples = 0
            with open_stream(self._source, **self._read, rule=rule) as stream:
                for batch in stream:
                    yield batch
                    examples += len(batch)
                    if watch is not None:
                        watch(stream, batch)
                    self._bar.advance(what, stream, examples)
            self._bar.end()

        return batches

    def facts(self, bias: float) -> Facts:
        """One pass that counts."""
        with open_stream(self._source, **self._read) as stream:
            facts, last, first = Facts(stream.recipe), 1, True
            for batch in stream:
                if first:
                    facts.first_sum, first = min(max(1.0, first_sum(batch)), _MOST_THRESHOLD), False
                facts.examples += len(batch)
                facts.positives += int(np.count_nonzero(batch.y > 0))
                facts.repeat_last += int(batch.y[0] != last) + int(np.count_nonzero(batch.y[1:] != batch.y[:-1]))
                matrix = batch.matrix()
                facts.longest = max(facts.longest, _longest(matrix, bias))
                facts.on_at_once = max(facts.on_at_once, _on_at_once(matrix, bias))
                facts.bytes += 12 * (matrix.nnz + len(batch) * (bias != 0.0)) + 8 * len(batch)
                facts.weighted += 0 if batch.weights is None else int(np.count_nonzero(batch.weights != 1.0))
                last = int(batch.y[-1])
                stream.keep_names(batch, np.ones(len(batch), np.bool_))
                self._bar.advance("reading", stream, facts.examples)
            self._bar.end()
            if facts.examples == 0:
                raise nothing(stream)
            facts.recipe, facts.notices = stream.recipe, _notices(stream, facts.weighted)
            facts.names = names_by_slot(stream)
        return facts


def names_by_slot(stream: Stream) -> dict[int, list[str]]:
    """The names that were kept, by the slots that they fall into."""
    names: dict[int, list[str]] = {}
    for name in stream.names.split(b"\n")[:-1]:
        names.setdefault(slot_of_bytes(name, stream.n), []).append(name.decode("utf-8", "backslashreplace"))
    return names


def certify(options: argparse.Namespace) -> int:
    """Runs the command."""
    from thresher.cli.certified import as_json, as_text
    from thresher.cli.picturing import Charted, as_page

    source = Source(*options.source)
    if not source.again:
        raise ParameterError(f"found {source}, which can be read only once, expected a file: hindsight looks several times")
    for path in (options.save, options.report):
        if path is not None:
            check_place(path)
    with Bar(quiet=options.quiet or options.json) as bar:
        streams = Streams(source, bar, **reading(options, None))
        facts = streams.facts(0.0 if options.no_bias else BIAS)
        held: list[Held] = []
        finders, plays = _finders(facts, options.memory), Played if options.report is None else Charted
        for learner in _prototypes(options, facts):
            held.append(_held(streams, facts, learner, held, finders=finders, plays=plays))
        facts.notices += _read_otherwise(held)
        if options.report is not None:
            replace(options.report, [as_page(Certified(source, facts, held, options), streams).encode()])
    runs = () if options.save is None else tuple(told for each in held if (told := each.told()) is not None)
    if runs:
        Proof(runs, Reading.of(facts.recipe)).save(options.save)
    made = Certified(source, facts, held, options, options.save if runs else None, options.report)
    if options.json:
        print_json(as_json(made))
    else:
        print(as_text(made))
    if options.save is not None and not runs:
        raise ParameterError(f"found nothing proven below {facts.examples:,}, the number of examples: no certificate was saved")
    return 0


def _notices(stream: Stream, weighted: int) -> list[str]:
    notices = [*stream.notices, *filter(None, [stream.recipe.notice])]
    if weighted:
        have = "has" if weighted == 1 else "have"
        notices.append(f"{plural(weighted, 'example')} {have} a weight other than 1, and the theorems are about weight 1")
    if stream.unlabelled:
        have = "has no label and is" if stream.unlabelled == 1 else "have no label and are"
        notices.append(f"{plural(stream.unlabelled, 'example')} {have} left out")
    if stream.bad:
        are = "is" if stream.bad == 1 else "are"
        notices.append(f"{plural(stream.bad, 'line')} cannot be read and {are} left out; the first: {stream.first_bad[0]}")
    return notices


def _read_otherwise(held: list[Held]) -> list[str]:
    """Whether learners played different examples, as the fingerprints tell: one takes sums where the other does not."""
    played = [each for each in held if each.fingerprint]
    if len({each.fingerprint for each in played}) < 2:
        return []
    sums = ", ".join(dict.fromkeys(type(each.learner).__name__ for each in played if each.learner.rule.values == "any"))
    others = ", ".join(dict.fromkeys(type(each.learner).__name__ for each in played if each.learner.rule.values != "any"))
    twice = "where two values of an example fall into one slot, as those of a name that comes twice"
    return [f"not all learners play the same examples: {twice}, {sums} read their sum; {others} read the larger"]


def _longest(matrix: csr_matrix, bias: float) -> float:
    """The largest ‖x‖₂, with a constant feature."""
    squares = matrix.power(2).sum(axis=1)
    return math.hypot(math.sqrt(float(squares.max())), bias)


def _on_at_once(matrix: csr_matrix, bias: float) -> float:
    """The largest (‖x‖₂/‖x‖∞)², with a constant feature: of zeros and ones, how many ones there are."""
    rows = matrix.shape[0]
    row, sizes, largest = np.repeat(np.arange(rows), np.diff(matrix.indptr)), np.abs(matrix.data), np.full(rows, bias)
    np.maximum.at(largest, row, sizes)
    largest[largest == 0.0] = 1.0
    on = np.bincount(row, (sizes / largest[row]) ** 2, rows) + (bias / largest) ** 2
    return float(on.max())


def _prototypes(options: argparse.Namespace, facts: Facts) -> list[LinearLearner]:
    """The learners whose theorems are tried; margins and rates are set when hindsight has found the best."""
    n, bias = facts.recipe.n, None if options.no_bias else BIAS
    given = {name: getattr(options, name) for name in ("threshold", "factor", "strict")}
    winnow = {"threshold": facts.first_sum} | {name: value for name, value in given.items() if value is not None}
    return [
        Perceptron(n, bias=bias),
        Perceptron(n, bias=bias, normalize=True),
        MarginPerceptron(n, 1.0, bias=bias),
        PassiveAggressive(n, bias=bias),
        Winnow(n, **winnow),
        BalancedWinnow(n, bias=bias),
        Elimination(n),
    ]


def _finders(facts: Facts, megabytes: int) -> Finders:
    """Programs, if the rows fit the memory; else learners, which keep none, and a notice that says so."""
    if facts.bytes <= megabytes * 2**20:
        return PROGRAMS._replace(memory=megabytes * 2**20 + 8)
    size = f"{-(-facts.bytes // 2**20):,} MB, more than the {megabytes:,} of --memory"
    facts.notices.append(f"the examples take {size}: witnesses are the weights of learners after one pass")
    return CHEAP


def _held(
    streams: Streams, facts: Facts, learner: LinearLearner, before: list[Held], *, finders: Finders, plays: type[Played]
) -> Held:
    """Looks for witnesses, plays once to have the learner's own, and once more to hold them all against it."""
    name = type(learner).__name__
    try:
        examples = streams.opened(learner.rule, f"looking for witnesses for {name}")
        separable = finders is CHEAP or _separable(before)
        found = _known(learner, before) or clues(learner, examples, separable=separable, finders=finders)
        learner = tuned(learner, found)
        examples = streams.opened(learner.rule, f"playing {name}")
        alone = Played(learner, [])
        play_again([alone], examples)
        if alone.count.rounds != facts.examples:
            return Held(learner, found, unable=f"it cannot learn {facts.examples - alone.count.rounds:,} of the examples")
    except (ExampleError, NotRealizable) as error:
        return Held(learner, [], unable=str(error))
    compared = [clue.witness for clue in found if clue.witness is not None] + _own(linear(alone.learner), examples, facts)
    for witness in compared:
        if isinstance(witness, Disjunction):
            witness.names = facts.name
    played = plays(learner, compared)
    return Held(learner, found, played, play_again([played], examples))


def _separable(before: list[Held]) -> bool:
    """Whether a separator was found for the first learner: with another scale, or another norm, there is none either."""
    return not before or any(clue.margin is not None for clue in before[0].clues)


def _known(learner: LinearLearner, before: list[Held]) -> list[Clue]:
    """What was found for a Perceptron that sees the examples as this learner does, and is as good for it."""
    seen = learner.rule.normalize if isinstance(learner, PassiveAggressive | MarginPerceptron) else None
    alike = (each for each in before if isinstance(each.learner, Perceptron) and each.learner.rule.normalize == seen)
    return [clue._replace(says="") for each in alike for clue in each.clues]


def _own(learner: LinearLearner, examples: Batches, facts: Facts) -> list[Comparator]:
    """The witnesses that the learner's own weights make, if they can be any."""
    try:
        return witnesses(learner, next(examples()), facts.examples)
    except ParameterError:
        return []
