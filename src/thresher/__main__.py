"""`python -m thresher` and the command `thresher`: the command line as a process."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from thresher.cli import main
from thresher.late import postpone

__all__ = ["process"]


def process() -> NoReturn:
    """Runs a command and ends the process at once, with its status.

    Threads that pyarrow reads ahead with may be about to call Python when a command stops early; one that meets an interpreter
    on its way out brings the process down. So nothing is taken apart: what a command opened it has closed.
    """
    postpone("numpy")
    gc.set_threshold(100_000)  # what is imported is not garbage; a command leaves little of it
    try:
        status = main()
    except SystemExit as error:  # of argparse, which has printed what there is to say
        status = error.code if isinstance(error.code, int) else 0
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    process()
