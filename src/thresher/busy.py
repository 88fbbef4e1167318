"""One learner, one writer: readers share, a writer is alone, and whoever finds it otherwise is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from thresher.errors import ConcurrentUse

__all__ = ["Busy"]


class Busy:
    """Who uses a learner that is made of several: each of them guards itself alone.

    >>> busy = Busy()
    >>> with busy.reading(), busy.reading():
    ...     pass
    >>> with busy.writing():
    ...     with busy.reading():
    ...         pass
    Traceback (most recent call last):
        ...
    thresher.errors.ConcurrentUse: it is learning in another thread; give each thread its own
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0  # -1 is a writer

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Nobody writes meanwhile."""
        entered = False  # Ctrl-C may come anywhere
        try:
            with self._lock:
                if self._users < 0:
                    raise ConcurrentUse("it is learning in another thread; give each thread its own")
                self._users, entered = self._users + 1, True
            yield
        finally:
            if entered:
                with self._lock:
                    self._users -= 1

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Nobody else uses it meanwhile."""
        entered = False
        try:
            with self._lock:
                if self._users != 0:
                    raise ConcurrentUse("it is in use in another thread; give each thread its own")
                self._users, entered = -1, True
            yield
        finally:
            if entered:
                self._users = 0
