"""What it costs to begin: fresh processes that import, that say what they can do, and that learn a hundred lines."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.cases import Case, Result, faster, longer
from benchmarks.processes import PYTHON, THRESHER, heard, process
from benchmarks.timing import interleaved

__all__ = ["CASES"]

_OURS, _NUMPY = "thresher", "numpy alone"
_STATEMENTS = {
    _OURS: "from thresher import Perceptron, Ledger",
    _NUMPY: "import numpy",
    "Vowpal Wabbit": "from vowpalwabbit import Workspace",
    "river": "from river.linear_model import Perceptron",
    "scikit-learn": "from sklearn.linear_model import Perceptron",
}
_BARE = "python -c pass"


def importing(turns: int, _quick: bool) -> Result:
    """A fresh process that imports a learner."""
    times = interleaved({who: process([*PYTHON, "-c", statement]) for who, statement in _STATEMENTS.items()}, turns)
    more = 1000.0 * (times.best(_OURS) - times.best(_NUMPY))
    comparisons = [longer(times, _OURS, _NUMPY, f"≤ 20 ms more (is {more:.1f})")]
    comparisons += [faster(times, _OURS, who) for who in _STATEMENTS if who not in (_OURS, _NUMPY)]
    return Result("import", "a fresh process that imports a linear learner", times, comparisons)


def helping(turns: int, _quick: bool) -> Result:
    """The shortest thing a command does, against Python itself."""
    ours, peer = [*THRESHER, "--help"], [*PYTHON, "-m", "vowpalwabbit", "--help"]
    heard(ours)
    contenders = {"thresher --help": ours, "Vowpal Wabbit --help": peer, _BARE: [*PYTHON, "-c", "pass"]}
    times = interleaved({who: process(command) for who, command in contenders.items()}, turns)
    ours_first, theirs, bare = contenders
    comparisons = [longer(times, ours_first, bare, "≤ 150 ms"), faster(times, ours_first, theirs)]
    return Result("help", "a fresh process that says what it can do", times, comparisons)


def few_lines(turns: int, _quick: bool) -> Result:
    """A hundred lines to a model, where starting is all there is."""
    with TemporaryDirectory(prefix="benchmarks-") as folder:
        file, model = Path(folder, "few.vw"), Path(folder, "few.model")
        file.write_text("".join(f"{1 if k % 3 else -1} | a{k % 3} b{k % 7}\n" for k in range(100)), encoding="ascii")
        learn = [*THRESHER, "learn", str(file), "--save", str(model), "--quiet"]
        contenders = {
            "thresher learn": learn,
            "thresher learn, Perceptron": [*learn, "--learner", "perceptron", "--no-check"],
            "Vowpal Wabbit": [*PYTHON, "-m", "vowpalwabbit", "--quiet", "-d", str(file), "-f", f"{model}.peer"],
        }
        for command in contenders.values():
            heard(command)
        times = interleaved({who: process(command) for who, command in contenders.items()}, turns)
    ours, one, peer = contenders
    comparisons = [faster(times, ours, peer), faster(times, one, peer)]
    return Result("few-lines", "a hundred lines of text to a model, as a process", times, comparisons)


#: The cases by their names.
CASES: dict[str, Case] = {
    "import": Case(importing, ("scikit-learn", "river", "vowpalwabbit")),
    "help": Case(helping, ("vowpalwabbit",)),
    "few-lines": Case(few_lines, ("vowpalwabbit",)),
}
