"""What `thresher certify --check` does: play the learners of a file on the source again, and compare."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.bounds import Certificate
from thresher.bounds.printed import plural
from thresher.cli.certified import theorem_table
from thresher.cli.certifying import Facts, Streams, called, names_by_slot, tightest
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar
from thresher.cli.reading import columns, reading
from thresher.data.recipe import Recipe
from thresher.data.source import Source
from thresher.data.stream import Batch, Stream
from thresher.errors import ExampleError, ParameterError, SourceError, StoreError
from thresher.evaluate.differences import Difference, other_length
from thresher.evaluate.proof import Proof

__all__ = ["verify"]

_OF_LEARNERS = {"threshold": "--threshold", "factor": "--factor", "strict": "--strict", "no_bias": "--no-bias"}


def verify(options: argparse.Namespace) -> int:
    """Runs the command."""
    given = [flag for name, flag in _OF_LEARNERS.items() if getattr(options, name) is not None]
    if given:
        raise ParameterError(
            f"found {given[0]} with --check, but {options.check} says which learners play: leave the option out"
        )
    if options.report is not None:
        raise ParameterError("found --report with --check, which makes no page: leave one of them out")
    source = Source(*options.source)
    if not source.again:
        raise ParameterError(f"found {source}, which can be read only once, expected a file: a check looks more than once")
    proof = Proof.load(options.check)
    with Bar(quiet=options.quiet or options.json) as bar:
        streams = Streams(source, bar, **_read(options, proof))
        found = [_compared(proof, runs, streams, options.check) for runs in _together(proof, streams)]
    wrong = [each for _, differences in found for each in differences]
    if wrong:
        other = other_length(wrong) or next((str(each) for each in wrong if each.field.endswith(".fingerprint")), "")
        if other and len(wrong) > 1:
            raise StoreError(f"{options.check} is not of this stream: {other}")
        raise StoreError(f"{options.check} does not hold: {'; '.join(map(str, wrong[:3]))}{_more(len(wrong) - 3)}")
    certified = [each for some, _ in found for each in some]
    if options.json:
        told = [each.as_dict() for _, certificates in certified for each in certificates]
        prints = [{"fingerprint": value, "learners": names} for value, names in _fingerprints(proof).items()]
        print_json({"certificates": told, "fingerprints": prints, "holds": True, "source": list(source.places)})
    else:
        print(_as_text(options.check, source, proof, certified))
    return 0


def _fingerprints(proof: Proof) -> dict[str, list[str]]:
    """Of the examples, as the learners see them that are named with it."""
    prints: dict[str, list[str]] = {}
    for run, learner in zip(proof.runs, proof.learners, strict=True):
        prints.setdefault(run["stream"]["fingerprint"], []).append(called(learner))
    return prints


def _more(fields: int) -> str:
    return f"; and {fields} more" if fields > 0 else ""


def _read(options: argparse.Namespace, proof: Proof) -> dict[str, Any]:
    """What `open_stream` is to be called with: as the options say, and where they say nothing, as the proof does."""
    read = {**reading(options, None), "n": _slots(options, proof.runs[0])}
    if proof.reading is None:
        return read
    given = {name: getattr(options, name) for name in ("positive", "zero_based", "interactions", "ngrams")} | columns(options)
    return {**read, **proof.reading.options, **{name: value for name, value in given.items() if value is not None}}


def _slots(options: argparse.Namespace, run: Mapping[str, Any]) -> int:
    n = int(run["learner"]["parameters"]["n"])
    asked = options.n if options.n is not None else None if options.bits is None else 2 ** min(options.bits, 64)
    if asked not in (None, n):
        raise ParameterError(f"found {asked:,} slots asked for, but the certificates are of {n:,}: leave the option out")
    return n


def _together(proof: Proof, streams: Streams) -> list[list[int]]:
    """Which runs share a pass: all, unless names may share a slot, where the learner says what becomes of their values."""
    kinds: dict[str, list[int]] = {}
    for k, learner in enumerate(proof.learners):
        kinds.setdefault(learner.rule.values if streams.recipe.named else "", []).append(k)
    return list(kinds.values())


def _compared(
    proof: Proof, runs: list[int], streams: Streams, path: str
) -> tuple[list[tuple[str, list[Certificate]]], list[Difference]]:
    """These runs of the file, in one pass over the examples as their learners see them."""
    some = Proof(tuple(proof.runs[k] for k in runs), proof.reading)
    rule = some.learners[0].rule if streams.recipe.named else None
    naming = Naming(some, streams.recipe)
    try:
        made, differences = some.compared(streams.opened(rule, "checking", naming.keep), naming.name)
    except SourceError as error:
        raise StoreError(f"{path} cannot be checked on this source: {error}") from None
    except ExampleError as error:
        raise StoreError(f"{path}: a learner that it names cannot learn this source: {error}") from None
    return [(called(learner), of_run) for learner, of_run in zip(some.learners, made, strict=True)], [
        _renumbered(each, runs) for each in differences
    ]


class Naming:
    """What the attributes of a proof's disjunctions are called in its source, found in the pass that checks it."""

    def __init__(self, proof: Proof, recipe: Recipe) -> None:
        witnesses = [each["witness"] for run in proof.runs for each in run["proven"]]
        self._slots = [slot for witness in witnesses for name in ("on", "off") for slot in witness.get(name, [])]
        self._facts = Facts(recipe)
        self._stream: Stream | None = None

    def keep(self, stream: Stream, batch: Batch) -> None:
        """Keeps the names of examples that have such an attribute."""
        if self._slots and self._facts.recipe.named:
            matrix, has = batch.matrix(), np.zeros(len(batch), np.bool_)
            has[np.repeat(np.arange(len(batch)), np.diff(matrix.indptr))[np.isin(matrix.indices, self._slots)]] = True
            stream.keep_names(batch, has)
            self._stream = stream

    def name(self, slot: int) -> str:
        """What the source calls a slot."""
        if self._stream is not None:
            self._facts.names, self._stream = names_by_slot(self._stream), None
        return self._facts.name(slot)


def _renumbered(difference: Difference, runs: list[int]) -> Difference:
    """The run by its number in the file."""
    place, dot, rest = difference.field.partition(".")
    return difference._replace(field=f"runs[{runs[int(place[5:-1])]}]{dot}{rest}")


def _as_text(path: str, source: Source, proof: Proof, certified: list[tuple[str, list[Certificate]]]) -> str:
    prints, examples = _fingerprints(proof), proof.runs[0]["stream"]["examples"]
    lines = [
        f"{path} holds: every learner was played on the {plural(examples, 'example')}",
        f"of {source} again, and all that it says was found",
    ]
    for value, names in prints.items():
        lines.append(f"fingerprint {value}" + (f" ({'; '.join(names)})" if len(prints) > 1 else ""))
    shown = [(name, each) for name, some in certified for each in tightest(some)]
    return "\n".join([*lines, "", *(theorem_table(shown) if shown else ["It proves nothing: there is no certificate in it."])])
