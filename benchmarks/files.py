"""From a file of text to a saved model, in a process of its own: `thresher learn` beside Vowpal Wabbit and scikit-learn."""

from __future__ import annotations

import atexit
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import thresher as th
from benchmarks.cases import Case, Comparison, Disagreement, Result
from benchmarks.data import SHAPES
from benchmarks.texts import FORMATS, write
from benchmarks.timing import Samples, interleaved

__all__ = ["CASES", "PEERS", "PYTHON", "THRESHER", "Text", "check_counts", "peak"]

#: The command lines that are measured run in the interpreter that measures.
PYTHON = [sys.executable]
THRESHER = [*PYTHON, "-m", "thresher"]

#: Slots for each workload's attributes: 2 to this power.
BITS = {"S1": 18, "S2": 20}

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

#: A process counts as its own peak what the one it was forked from held: so a small one must start the one that is measured.
_PEAK = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
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

    def learn(self, *options: str) -> list[str]:
        command = [*THRESHER, "learn", str(self.file), "--save", str(self.model), "--learner", "perceptron"]
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
    found = re.search(r"^number of examples = (\d+)$", _heard(vowpal_wabbit(text)).stderr, re.MULTILINE)
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
        counted = json.loads(_heard(text.learn("--json", *options)).stdout)
        for what, number in expected.items():
            if counted[what] != number:
                raise Disagreement(f"{text.file.name}: found {counted[what]} {what}, expected {number}")


@dataclass(frozen=True)
class Peer:
    """Who reads a format beside us; one that takes very long runs in one of so many turns."""

    name: str
    command: Callable[[Text], list[str]]
    check: Callable[[Text], str]
    aim: str
    one_in: int = 1


PEERS = {
    "svmlight": Peer("scikit-learn", scikit_learn, check_scikit_learn, "≥ 25 × as fast", one_in=3),
    "vw": Peer("Vowpal Wabbit", vowpal_wabbit, check_vowpal_wabbit, "≥ 2.5 × as fast"),
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
    """`thresher learn`, without its check and with it, against the peer for each format."""
    written = texts(name, quick)
    samples, comparisons, about = Samples(), [], [written[0].about]
    for text in written:
        peer = PEERS[text.format]
        about.append(peer.check(text))
        checked, unchecked = f"learn {text.format}", f"learn {text.format} --no-check"
        commands = {unchecked: text.learn("--no-check"), checked: text.learn(), peer.name: peer.command(text)}
        timed = _timed(commands, max(1, turns // peer.one_in))
        comparisons.append(Comparison(unchecked, peer.name, timed.ratio(peer.name, unchecked), peer.aim))
        comparisons.append(Comparison(checked, peer.name, timed.ratio(peer.name, checked), "no aim"))
        samples.values.update(timed.values)
    return Result(f"file-{name}", "; ".join(about), samples, comparisons)


def helping(turns: int, quick: bool) -> Result:
    """The shortest thing a command does, against Python itself."""
    ours, other = "thresher --help", "python -c pass"
    commands = {ours: [*THRESHER, "--help"], other: [*PYTHON, "-c", "pass"]}
    _heard(commands[ours])
    times = _timed(commands, turns if quick else 3 * turns)
    return Result("help", "a fresh process", times, [Comparison(ours, other, times.ratio(ours, other), "≤ 150 ms")])


def memory(_turns: int, quick: bool) -> Result:
    """The most memory that learning a file, check included, holds at once, against the peer."""
    peaks, comparisons = Samples(unit="B"), []
    for name in BITS:
        for text in texts(name, quick):
            peer = PEERS[text.format]
            ours, other = f"learn {name} {text.format}", f"{peer.name} {name}"
            peaks.values |= {ours: [peak(text.learn())], other: [peak(peer.command(text))]}
            aim = f"< 150 MB plus the model ({text.model.stat().st_size / 1e6:.1f} MB)"
            comparisons.append(Comparison(ours, other, peaks.ratio(ours, other), aim))
    return Result("memory", "peak of resident memory, once", peaks, comparisons)


def peak(command: Sequence[str]) -> float:
    """The most resident memory, in bytes, that the process held."""
    return 1024.0 * int(_heard([*PYTHON, "-c", _PEAK, *command]).stdout)


def _timed(commands: Mapping[str, Sequence[str]], turns: int) -> Samples:
    silently = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return interleaved({name: partial(silently, command) for name, command in commands.items()}, turns)


def _heard(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise Disagreement(f"exit status {done.returncode} of {shlex.join(command)}\n{done.stderr.strip()}")
    return done


#: The cases with commands by their names, in the order in which they run.
CASES: dict[str, Case] = {
    **{f"file-{name}": Case(partial(from_file, name), ("scikit-learn", "vowpalwabbit")) for name in BITS},
    "memory": Case(memory, ("scikit-learn", "vowpalwabbit")),
    "help": Case(helping, ()),
}
