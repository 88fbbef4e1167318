"""Ctrl-C as a wish to stop after the block at hand."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Interrupt"]


class Interrupt:
    """While it is entered, the first Ctrl-C only sets `wished`; a second one interrupts at once."""

    def __init__(self) -> None:
        self.wished = False

    def __enter__(self) -> Self:
        self._active = threading.current_thread() is threading.main_thread()
        if self._active:
            self._before = signal.signal(signal.SIGINT, self._wish)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._active:
            signal.signal(signal.SIGINT, self._before)

    def _wish(self, _number: int, _frame: FrameType | None) -> None:
        if self.wished:
            raise KeyboardInterrupt
        self.wished = True
        with suppress(OSError, ValueError):  # Ctrl-C may have ended whoever reads this, too
            print("\nstopping after this block; once more to stop at once, without saving", file=sys.stderr, flush=True)
