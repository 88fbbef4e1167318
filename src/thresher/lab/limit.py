"""A limit of time for what is not ours: a call that never ends is stopped, where the system has a clock for that."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TooLong", "limited"]

#: How often a call that catches everything is stopped again, in seconds.
_AGAIN = 1.0


class TooLong(BaseException):
    """Raised in a call that has taken too long; no `except Exception` of its own catches it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises `TooLong` in what is entered after so many seconds. In threads, and on Windows, it does nothing.

    >>> import time
    >>> try:
    ...     with limited(0.01):
    ...         time.sleep(60)
    ... except TooLong:
    ...     print("stopped")
    stopped
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooLong
