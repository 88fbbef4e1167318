"""Commands that are measured as whole processes, in the interpreter that measures."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.cases import Disagreement

__all__ = ["PYTHON", "THRESHER", "heard", "peak", "process"]

PYTHON = [sys.executable]
THRESHER = [*PYTHON, "-m", "thresher"]

#: A process counts as its own peak what the one it was forked from held: so a small one must start the one that is measured.
_PEAK = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""


def process(command: Sequence[str], *, one_core: bool = False) -> Callable[[], object]:
    """What runs the command and hears nothing of it; with `one_core` all of its threads share one."""
    silent = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return partial(subprocess.run, command, **silent, preexec_fn=_keep_to_one_core if one_core else None)


def _keep_to_one_core() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def heard(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The command and all that it said, or, if it fails, an error that says it."""
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise Disagreement(f"exit status {done.returncode} of {shlex.join(command)}\n{done.stderr.strip()}")
    return done


def peak(command: Sequence[str]) -> float:
    """The most resident memory, in bytes, that the process held."""
    return 1024.0 * int(heard([*PYTHON, "-c", _PEAK, *command]).stdout)
