"""`python -m thresher` and the command `thresher`: the command line as a process."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from thresher.data.arrow import leave_signals
from thresher.late import postpone

__all__ = ["process"]

_INTERRUPTED = 130


def main() -> int:
    """The command line, which is imported when it is to run: the process is then ready for that."""
    from thresher.cli import main

    return main()


def process() -> NoReturn:
    """Runs a command and ends the process at once, with its status.

    Threads that pyarrow reads ahead with may be about to call Python when a command stops early; one that meets an interpreter
    on its way out brings the process down. So nothing is taken apart: what a command opened it has closed.
    """
    for module in ("numpy", "inspect", "ipaddress"):  # dataclasses and pathlib import the last two, and use neither here
        postpone(module)
    leave_signals()
    gc.set_threshold(100_000)  # what is imported is not garbage; a command leaves little of it
    try:
        try:
            status = main()
        except SystemExit as error:
            status = _status(error.code)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
    except KeyboardInterrupt:  # where nothing is left to say: before a command runs, or while the last of it is written
        status = _INTERRUPTED
    os._exit(status)


def _status(code: str | int | None) -> int:
    """The status of a `SystemExit`, as Python has it: a text is printed, and is a failure."""
    if code is None or isinstance(code, int):
        return code or 0
    with suppress(OSError):
        print(code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    process()
