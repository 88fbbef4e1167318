"""Steps that belong together, between which Ctrl-C, or a handler of SIGTERM, must not come."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["Shielded"]


class Shielded:
    """While it is entered, SIGINT (Ctrl-C) and SIGTERM wait: they come with `now`, when what belongs together is done.

    Signals come to the main thread alone, so elsewhere there is nothing to do; nor where Python does not handle them.

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
        self._came: list[int] = []
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
            for number, handler in handlers.items():
                if callable(handler):
                    self._before[number] = handler
                    signal.signal(number, self._wait)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def now(self) -> None:
        """What came meanwhile comes now."""
        for number in self._came:
            signal.raise_signal(number)

    def _wait(self, number: int, _frame: FrameType | None) -> None:
        self._came.append(number)
