"""Steps that belong together, between which Ctrl-C must not come."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Shielded"]


class Shielded:
    """While it is entered, Ctrl-C waits: it comes with `now`, when what belongs together is done.

    Signals come to the main thread alone, so elsewhere there is nothing to do; nor where Python does not handle Ctrl-C.

    >>> import signal
    >>> done = []
    >>> try:
    ...     with Shielded() as shield:
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("all of it")
    ...     shield.now()
    ... except KeyboardInterrupt:
    ...     done.append("then the interrupt")
    >>> done
    ['all of it', 'then the interrupt']
    """

    def __enter__(self) -> Self:
        self._came = False
        before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
        self._before = before if callable(before) else None
        if self._before is not None:
            signal.signal(signal.SIGINT, self._wait)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def now(self) -> None:
        """The Ctrl-C that came meanwhile comes now."""
        if self._came:
            signal.raise_signal(signal.SIGINT)

    def _wait(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
