"""Proofs: certificates of a finished stream, with everything that it takes to check them again and nothing to believe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._core import PerceptronRule, Rounds
from thresher.bounds import Certificate, Verdict
from thresher.bounds.printed import plural, shown
from thresher.data.fingerprint import Fingerprint
from thresher.data.recipe import HASH
from thresher.data.source import Place
from thresher.errors import BoundViolated, ExampleError, StoreError
from thresher.evaluate.differences import Difference, differences, other_length, settled
from thresher.evaluate.exact import exactly
from thresher.evaluate.parts import Examples, parts
from thresher.evaluate.players import called, fresh, made_player, told_player
from thresher.ledger import Comparator, Disjunction, Ledger, Separator
from thresher.ledger.told import made, rehearsed, told
from thresher.store import StoredLearner
from thresher.store.proof import Reading, read_proof, write_proof

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Played", "Proof", "certify", "play_again"]

_MUCH = 2**24  # slots: weights of 128 MB


class Played:
    """A learner that plays a stream from its start, and for each witness a ledger that holds the rounds against it."""

    def __init__(self, learner: StoredLearner, witnesses: Sequence[Comparator]) -> None:
        self.learner = fresh(learner)
        self.witnesses = tuple(witnesses)
        self.count = Ledger()
        self.ledgers = tuple(Ledger(witness) for witness in witnesses)

    def enter(self, X: object, y: object, weights: ArrayLike | None) -> Rounds:
        """Plays these rows and returns the rounds."""
        rounds = self.learner.learn_many(X, y, weights)
        for ledger in (self.count, *self.ledgers):
            ledger.enter(rounds)
        return rounds

    @cached_property
    def certificates(self) -> list[list[Certificate]]:
        """For each witness what is certified with it, once all was played."""
        found = [ledger.certificates() for ledger in self.ledgers]
        violated = next((each for some in found for each in some if each.verdict is Verdict.VIOLATED), None)
        if violated is not None:
            raise BoundViolated(str(violated))
        return [[each for each in some if _holds(each)] for some in found]

    def exactly(self, k: int, examples: Examples) -> Mapping[str, Fraction]:
        """What the numbers of this witness are in exact fractions, as far as the learner's theorems take them as they are."""
        rule = self.learner.rule
        if isinstance(self.witnesses[k], Separator) and (not isinstance(rule, PerceptronRule) or rule.normalize):
            return {}
        return exactly(self.witnesses[k], examples, rule.bias)

    def told(self, fingerprint: str) -> dict[str, Any]:
        """All of it as JSON can hold it."""
        tally = self.count.tally
        proven = zip(self.witnesses, self.certificates, strict=True)
        return {
            "stream": {
                "fingerprint": fingerprint,
                "n": self.learner.n,
                **HASH,
                "examples": tally.rounds,
                "positives": tally.positives,
                "best_constant": tally.best_constant,
                "repeat_last": tally.repeat_last,
            },
            "learner": told_player(self.learner),
            "mistakes": tally.mistakes,
            "updates": tally.updates,
            "proven": [
                {"witness": told(witness), "certificates": [_certificate(each) for each in made_here]}
                for witness, made_here in proven
            ],
        }


def play_again(played: Sequence[Played], examples: Examples) -> str:
    """Plays the examples once, all of these side by side, and returns the stream's fingerprint."""
    n = played[0].learner.n
    fingerprint = Fingerprint(n)
    for part in parts(examples):
        if part.n != n:
            raise ExampleError(f"found examples with n = {part.n}, expected n = {n}")
        rounds = [each.enter(part.X, part.y, part.weights) for each in played]
        fingerprint.enter(part.matrix(), rounds[0].labels, part.weights)
    if played[0].count.rounds == 0:
        raise ExampleError("found no examples, expected at least one")
    return fingerprint.value


@dataclass(frozen=True)
class Proof:
    """Certificates of one stream: for each learner what it did there, the witnesses, and what they prove.

    `th.certify` makes one, `th.Proof.load` reads one from a file, and `check` plays the learners on the stream again: neither a
    count nor a number nor a verdict is believed. Witnesses are taken as they are, since any comparator gives a valid bound.
    `reading` is no claim: it says how to open the stream, so that it has this fingerprint. `Proof(one.runs + other.runs)` joins
    two.

    >>> import thresher as th, tempfile, pathlib
    >>> examples = [([[2, 0], [0, 2]] * 50, [+1, -1] * 50)]
    >>> proof = th.certify(th.Perceptron(2), examples, th.Separator([1.0, -1.0]))
    >>> print(proof)
    Perceptron(n=2, normalize=False, bias=None, tie='plus'): 1 mistake in 100 examples
      at most 1 mistake by Perceptron, separable, after the run
      at most 2 mistakes by Perceptron, separable
      at most 8 mistakes by Perceptron, distance
      at most 8 mistakes by Perceptron, squared distance
    >>> proof
    <proof: Perceptron, 1 mistake in 100 examples, 4 certificates>
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     proof.save(pathlib.Path(folder) / "proof.json")
    ...     again = th.Proof.load(pathlib.Path(folder) / "proof.json")
    >>> again.check(examples)[0]
    <certificate: certified: 1 of at most 1 mistake in 100 rounds by Perceptron, separable, after the run>
    >>> try:
    ...     again.check([([[2, 0], [0, 2]] * 50, [+1, -1] * 49 + [+1, +1])])
    ... except th.StoreError as error:
    ...     print(str(error)[:40])
    runs[0].stream.fingerprint: found '5e0b1
    """

    runs: tuple[Mapping[str, Any], ...]
    reading: Reading | None = None

    def save(self, path: Place) -> None:
        """Writes it to a file, as JSON, whole or not at all."""
        write_proof(path, self.reading, self.runs)

    @classmethod
    def load(cls, path: Place) -> Proof:
        """Reads one from a file. A file that is damaged, foreign or newer raises `StoreError`."""
        reading, runs = read_proof(path)
        proof = cls(tuple(runs), reading)
        try:
            for k in range(len(runs)):
                proof._rehearse(k)
        except StoreError as error:
            raise StoreError(f"{path}: {error}") from None
        return proof

    def check(self, examples: Examples) -> list[Certificate]:
        """Plays the learners again and returns what is certified; `StoreError` names what the proof has otherwise."""
        certificates, wrong = self.compared(examples)
        if other := other_length(wrong):
            raise StoreError(other)
        if wrong:
            more = f"; and {len(wrong) - 1} more fields differ" if len(wrong) > 1 else ""
            raise StoreError(f"{wrong[0]}{more}")
        return [each for made in certificates for each in made]

    def compared(
        self, examples: Examples, names: Callable[[int], str] | None = None
    ) -> tuple[list[list[Certificate]], list[Difference]]:
        """What is certified of each run when the learners play again, in one pass, and every field that says otherwise.

        `names` says how a slot is printed.

        A number that differs by less than 10⁻⁹ of it, as another computer's logarithms may, is right if it is on the safe side
        of the exact one: a second pass, in fractions, decides that. No memory is taken for learners before it is seen that the
        examples have as many attributes; and for very many only after a pass that found the fingerprint to be theirs.
        """
        if wrong := self._of_other_examples(examples):
            return [[] for _ in self.runs], wrong
        try:
            return self._played_again(examples, names)
        except MemoryError:
            raise StoreError(f"found learners with n = {self._n:,}, for which there is not enough memory here") from None

    def _of_other_examples(self, examples: Examples) -> list[Difference]:
        """What differs already, before any learner is made."""
        for part in parts(examples):
            if part.n != self._n:
                return [Difference("runs[0].learner.parameters.n", self._n, part.n)]
            break
        if self._n <= _MUCH:
            return []
        fingerprint = Fingerprint(self._n)
        for part in parts(examples):
            fingerprint.enter(part.matrix(), np.where(part.positive(), 1, -1).astype(np.int8), part.weights)
        told = [(f"runs[{k}].stream.fingerprint", run["stream"]["fingerprint"]) for k, run in enumerate(self.runs)]
        return [Difference(field, found, fingerprint.value) for field, found in told if found != fingerprint.value]

    def _played_again(
        self, examples: Examples, names: Callable[[int], str] | None
    ) -> tuple[list[list[Certificate]], list[Difference]]:
        played = [self._played(k) for k in range(len(self.runs))]
        for witness in (witness for each in played for witness in each.witnesses):
            if names is not None and isinstance(witness, Disjunction):
                witness.names = names
        fingerprint = play_again(played, examples)
        found = []
        for k, (run, again) in enumerate(zip(self.runs, played, strict=True)):
            exact = cache(partial(again.exactly, examples=examples))
            found += [
                each._replace(field=f"runs[{k}].{each.field}")
                for each in differences(run, again.told(fingerprint))
                if not settled(each, exact)
            ]
        return [[each for made in again.certificates for each in made] for again in played], found

    @property
    def learners(self) -> list[StoredLearner]:
        """For each run a learner like its own, but over one attribute."""
        return [made_player(run["learner"], 1) for run in self.runs]

    @property
    def _n(self) -> int:
        return int(self.runs[0]["learner"]["parameters"]["n"])

    def _rehearse(self, k: int) -> None:
        """Makes the learner of a run and its witnesses so small that what cannot be made is seen before memory is taken."""
        run = self.runs[k]
        try:
            made_player(run["learner"], 1)
            n = run["learner"]["parameters"]["n"]
            if n != self._n:
                raise StoreError(f"found a learner of n = {n}, expected that of the first run")
            for each in run["proven"]:
                rehearsed(each["witness"], n)
        except StoreError as error:
            raise StoreError(f"runs[{k}]: {error}") from error

    def _played(self, k: int) -> Played:
        """The learner of a run, fresh, with its witnesses."""
        run = self.runs[k]
        return Played(made_player(run["learner"]), [made(each["witness"], self._n) for each in run["proven"]])

    def __str__(self) -> str:
        lines = []
        for run in self.runs:
            counts = f"{_many(run['mistakes'], 'mistakes')} in {_many(run['stream']['examples'], 'examples')}"
            lines.append(f"{called(run)}: {counts}")
            found = [each for proven in run["proven"] for each in proven["certificates"]]
            lines += [f"  {_most(each)} by {each['theorem']}" for each in found]
            lines += [] if found else [f"  nothing proven: {_nothing(run)}"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<proof: {'; '.join(map(_short, self.runs))}>"


def _many(count: object, what: object) -> str:
    """A count of a run, whatever a file says there."""
    if type(count) is not int:
        return f"{shown(count)} {what}"
    return plural(count, what.removesuffix("s")) if isinstance(what, str) and what.endswith("s") else f"{count:,} {what}"


def _most(certificate: Mapping[str, Any]) -> str:
    """What a certificate in a file says, whatever that is."""
    most, on = certificate["at_most"], certificate["on"]
    return f"{on} at most {most:,}" if isinstance(most, float) else f"at most {_many(most, on)}"


def _nothing(run: Mapping[str, Any]) -> str:
    """Why a run has no certificate."""
    if not run["proven"]:
        return "no witness was given"
    witness = "this witness" if len(run["proven"]) == 1 else "these witnesses"
    return f"no theorem about {run['learner']['name']} holds with {witness}; th.Ledger(witness) says why"


def _short(run: Mapping[str, Any]) -> str:
    counts = f"{_many(run['mistakes'], 'mistakes')} in {_many(run['stream']['examples'], 'examples')}"
    made = sum(len(proven["certificates"]) for proven in run["proven"])
    return f"{run['learner']['name']}, {counts}, {plural(made, 'certificate') if made else 'nothing proven'}"


def certify(learner: StoredLearner, examples: Examples, *witnesses: Comparator, reading: Reading | None = None) -> Proof:
    """What is proven of a fresh learner like this one on these examples, with these witnesses: a `th.Proof`.

    `examples` can be read again and again: ``[(X, y)]`` in memory, or a function that opens a stream anew, such as
    ``lambda: th.open_stream("mail.vw")``. Witnesses come from anywhere, such as `thresher.hindsight`; every row checks them.

    >>> import thresher as th
    >>> proof = th.certify(th.Winnow(4), [([[1, 0, 0, 0], [0, 1, 1, 0]] * 20, [+1, -1] * 20)], th.Disjunction(4, {0}))
    >>> proof.runs[0]["mistakes"], [each["at_most"] for each in proof.runs[0]["proven"][0]["certificates"]]
    (2, [5, 7])

    A portfolio is held against the best of its own lanes; to check that, all of them are played again:

    >>> lanes = [th.Perceptron(4), th.AROW(4)]
    >>> print(th.certify(th.Portfolio(4, lanes), [([[1, 0, 0, 0], [0, 1, 1, 0]] * 20, [+1, -1] * 20)], th.BestLane()))
    Portfolio(n=4) of 2 lanes under AdaHedge: 1 mistake in 40 examples
      loss at most 1.00001 by Portfolio, loss
      at most 2 mistakes by Portfolio, mistakes
    """
    played = Played(learner, witnesses)
    return Proof((played.told(play_again([played], examples)),), reading)


def _holds(certificate: Certificate) -> bool:
    return certificate.verdict is Verdict.CERTIFIED and not certificate.diagnostic and not certificate.bound.infinite


def _certificate(certificate: Certificate) -> dict[str, Any]:
    """A certificate in a file: the run says the rest."""
    theorem, said = certificate.bound.theorem, certificate.as_dict()
    return {
        "theorem": theorem.name,
        "formula": theorem.formula,
        "citation": theorem.citation,
        **{name: said[name] for name in ("on", "count", "bound", "at_most", "any_order", "numbers")},
        "checked": [str(premise) for premise in certificate.premises],
    }
