"""From a file of text to a saved model, in a process of its own: `thresher learn` beside Vowpal Wabbit and scikit-learn."""

from __future__ import annotations

import atexit
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import thresher as th
from benchmarks.cases import Case, Disagreement, Result, faster, longer
from benchmarks.data import SHAPES
from benchmarks.processes import PYTHON, THRESHER, heard, peak, process
from benchmarks.texts import FORMATS, write
from benchmarks.timing import Samples, interleaved

__all__ = ["CASES", "PEERS", "Text", "check_counts"]

#: Slots for each workload's attributes: 2 to this power.
BITS = {"S1": 18, "S2": 20}

VOWPAL_WABBIT, CACHED = "Vowpal Wabbit", "Vowpal Wabbit from its cache"
ONE, CHECKED, PORTFOLIO, INSIDE = ", one thread", ", with the check", ", portfolio", ", in process"
CORE = ", one core"

#: scikit-learn reads indices of 64 bits, and its Perceptron wants 32.
_SCIKIT_LEARN = """
import pickle, sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron

file, n, model = sys.argv[1:]
X, y = load_svmlight_file(file, n_features=int(n), zero_based=False)
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
learner = Perceptron(shuffle=False).partial_fit(X, y, classes=[-1, 1])
with open(model, "wb") as out:
    pickle.dump(learner, out)
"""


@dataclass(frozen=True)
class Text:
    """A workload as a file, and the command that learns it."""

    about: str
    format: str
    file: Path
    rows: int
    bits: int

    @property
    def model(self) -> Path:
        return self.file.with_suffix(".model")

    @property
    def megabytes(self) -> str:
        return f"{self.file.stat().st_size / 1e6:.0f} MB as {self.format}"

    def learn(self, *options: str, learner: str = "perceptron") -> list[str]:
        command = [*THRESHER, "learn", str(self.file), "--save", str(self.model), "--learner", learner]
        return [*command, "--format", self.format, "--bits", str(self.bits), *options]


def vowpal_wabbit(text: Text) -> list[str]:
    """Its quickest update; from text it is bound by its parser, which has a thread of its own."""
    options = ["--sgd", "-b", str(text.bits), "-d", str(text.file), "-f", str(text.file.with_suffix(".peer"))]
    return [*PYTHON, "-m", "vowpalwabbit", *options]


def scikit_learn(text: Text) -> list[str]:
    return [*PYTHON, "-c", _SCIKIT_LEARN, str(text.file), str(2**text.bits), str(text.file.with_suffix(".peer"))]


def check_vowpal_wabbit(text: Text) -> str:
    """It learns by another rule, so what must agree is how many examples both found."""
    check_counts(text, {"examples": text.rows})
    found = re.search(r"^number of examples = (\d+)$", heard(vowpal_wabbit(text)).stderr, re.MULTILINE)
    if found is None or int(found[1]) != text.rows:
        raise Disagreement(f"{text.file.name}: Vowpal Wabbit did not find {text.rows} examples")
    return text.megabytes


def check_scikit_learn(text: Text) -> str:
    """Learning from the file makes the mistakes that learning from scikit-learn's matrix of it makes, to the last one."""
    load = import_module("sklearn.datasets").load_svmlight_file
    X, y = load(str(text.file), n_features=2**text.bits, zero_based=False)
    mistakes = th.Perceptron(2**text.bits, bias=1.0).learn_many(X, y).mistakes
    check_counts(text, {"examples": text.rows, "mistakes": mistakes})
    return f"{text.megabytes}, {mistakes:,} mistakes"


def check_counts(text: Text, expected: dict[str, int]) -> None:
    """Both of our runs, with the check and without, must count what is expected."""
    for options in ((), ("--no-check",)):
        counted = json.loads(heard(text.learn("--json", *options)).stdout)
        for what, number in expected.items():
            if counted[what] != number:
                raise Disagreement(f"{text.file.name}: found {counted[what]} {what}, expected {number}")


@dataclass(frozen=True)
class Peer:
    """Who reads a format beside us."""

    name: str
    command: Callable[[Text], list[str]]
    check: Callable[[Text], str]


PEERS = {
    "svmlight": Peer("scikit-learn", scikit_learn, check_scikit_learn),
    "vw": Peer(VOWPAL_WABBIT, vowpal_wabbit, check_vowpal_wabbit),
}


@cache
def texts(name: str, quick: bool) -> list[Text]:
    """The workload in each format, written once a run and deleted at its end."""
    directory = TemporaryDirectory(prefix="benchmarks-")
    atexit.register(directory.cleanup)
    make, full, few = SHAPES[name]
    workload = make(few if quick else full)
    made = []
    for format in FORMATS:
        file = Path(directory.name, f"{name}-{format}.txt")
        write(workload, format, file)
        made.append(Text(workload.about, format, file, len(workload.y), BITS[name]))
    return made


def from_file(name: str, turns: int, quick: bool) -> Result:
    """`thresher learn` in its ways from either format, against the peers, of whom one takes so long that it has fewer turns."""
    indexed, named = written = texts(name, quick)
    about = [indexed.about, *(PEERS[text.format].check(text) for text in written)]
    contenders = {peer: process(command) for peer, command in from_cache(named).items()}
    contenders[VOWPAL_WABBIT + CORE] = process(vowpal_wabbit(named), one_core=True)
    contenders["vw" + CORE] = process(named.learn("--no-check"), one_core=True)
    for text in written:
        contenders |= {text.format + way: run for way, run in our_ways(text).items()}
    times = interleaved(contenders, turns, cold=True)
    slow, fewer = PEERS["svmlight"].name, ", fewer turns"
    few = {way + fewer: contenders[way] for way in ("svmlight", "svmlight" + ONE)} | {slow: process(scikit_learn(indexed))}
    samples = Samples(times.values | interleaved(few, max(1, turns // 3), cold=True).values)
    comparisons = [
        faster(samples, "svmlight", VOWPAL_WABBIT, "≥ 4 × as fast"),
        faster(samples, "svmlight", CACHED, "≥ 1.5 × as fast"),
        faster(samples, "svmlight" + fewer, slow, "≥ 40 × as fast"),
        faster(samples, "vw", VOWPAL_WABBIT, "≥ 4 × as fast"),
        faster(samples, "svmlight" + ONE, VOWPAL_WABBIT, "≥ 2.5 × as fast"),
        faster(samples, "svmlight" + ONE + fewer, slow, "≥ 25 × as fast"),
        faster(samples, "vw" + CORE, VOWPAL_WABBIT + CORE, "≥ 2.5 × as fast"),
        faster(samples, "vw" + ONE, VOWPAL_WABBIT, "≥ 2.5 × as fast"),
    ]
    for format in FORMATS:
        comparisons += [
            faster(samples, format, format + ONE, "≥ 1.6 × as fast"),
            faster(samples, format + INSIDE, format + INSIDE + ONE, "≥ 1.6 × as fast"),
            longer(samples, format + PORTFOLIO, format, "≤ 2 × as long"),
            longer(samples, format + CHECKED, format),
        ]
    return Result(f"file-{name}", "; ".join(about), samples, comparisons)


def our_ways(text: Text) -> dict[str, Callable[[], object]]:
    """From a text to a model: as a process and in this one, with all threads and with one."""
    return {
        "": process(text.learn("--no-check")),
        ONE: process(text.learn("--no-check", "--threads", "1")),
        CHECKED: process(text.learn()),
        PORTFOLIO: process(text.learn("--no-check", learner="portfolio")),
        INSIDE: partial(_learned, text, None),
        INSIDE + ONE: partial(_learned, text, 1),
    }


def from_cache(text: Text) -> dict[str, list[str]]:
    """Vowpal Wabbit from its text, and from the binary cache that it makes of it."""
    cache = text.file.with_suffix(".cache")
    cached = [*vowpal_wabbit(text), "--cache_file", str(cache)]
    heard(cached)
    return {VOWPAL_WABBIT: vowpal_wabbit(text), CACHED: cached}


def _learned(text: Text, threads: int | None) -> int:
    """From the file to a learner, in this process."""
    with th.open_stream(text.file, format=text.format, bits=text.bits, threads=threads) as stream:
        learner = th.Perceptron(stream.n, bias=1.0)
        return sum(learner.learn_many(batch.X, batch.y).mistakes for batch in stream)


def memory(_turns: int, quick: bool) -> Result:
    """The most memory that learning a file, check included, holds at once, against the peer."""
    peaks, comparisons = Samples(unit="B"), []
    for name in BITS:
        for text in texts(name, quick):
            peer = PEERS[text.format]
            ours, other = f"learn {name} {text.format}", f"{peer.name} {name}"
            peaks.values |= {ours: [peak(text.learn())], other: [peak(peer.command(text))]}
            aim = f"< 150 MB plus the model ({text.model.stat().st_size / 1e6:.1f} MB)"
            comparisons.append(longer(peaks, ours, other, aim))
    return Result("memory", "peak of resident memory, once", peaks, comparisons)


#: The cases with commands by their names, in the order in which they run.
CASES: dict[str, Case] = {
    **{f"file-{name}": Case(partial(from_file, name), ("scikit-learn", "vowpalwabbit")) for name in BITS},
    "memory": Case(memory, ("scikit-learn", "vowpalwabbit")),
}
