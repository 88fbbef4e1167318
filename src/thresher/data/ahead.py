"""Text that is decompressed ahead of whoever reads it, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread, current_thread
from typing import Protocol

__all__ = ["Ahead", "Pieces", "Text", "started"]

_PIECE = 1 << 18  # bytes at most
_WAITING = 32  # pieces


class Pieces(Protocol):
    """What is read ahead: it gives some bytes at a time, and none at its end."""

    def read1(self, size: int = ..., /) -> bytes: ...


class Text(Pieces, Protocol):
    """What a reader needs of a file."""

    def readinto(self, buffer: memoryview, /) -> int: ...

    def readinto1(self, buffer: memoryview, /) -> int: ...

    def peek(self, size: int = ..., /) -> bytes: ...


class Ahead:
    """A text, read by a thread: a few pieces of it wait, and while they do the thread sleeps.

    What the text raises comes after all that was read before it, in the thread that reads here. `close` ends the thread; until
    then nobody else may use the text. Where no thread is to be had, whoever reads here reads the text, too.

    >>> import io
    >>> text = Ahead(io.BufferedReader(io.BytesIO(b"1 1:1")))
    >>> room = bytearray(8)
    >>> text.peek(1), text.readinto(memoryview(room)), text.peek(1)
    (b'1', 5, b'')
    >>> text.close()
    """

    def __init__(self, text: Pieces) -> None:
        self._text = text
        self._pieces: SimpleQueue[bytes | BaseException] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()  # an entry for each piece that may still be read
        for _ in range(_WAITING):
            self._room.put(None)
        self._rest = b""  # of the piece at hand
        self._ended = False
        self._closed = Event()
        self._thread = started(self._read, "thresher: decompressing")

    def readinto(self, buffer: memoryview, /) -> int:
        filled = 0
        while filled < len(buffer) and self.peek():
            piece = self.read1(len(buffer) - filled)
            buffer[filled : filled + len(piece)] = piece
            filled += len(piece)
        return filled

    def read1(self, size: int = _PIECE, /) -> bytes:
        rest = self._at_hand()
        self._rest = rest[size:]
        return rest[:size]

    def peek(self, size: int = 1, /) -> bytes:
        return self._at_hand()[:size]

    def readinto1(self, buffer: memoryview, /) -> int:
        piece = self.read1(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Ends the thread, and whoever waits for a piece; it may be called anywhere, also by a signal or by the collector."""
        self._closed.set()
        self._room.put(None)
        self._pieces.put(b"")
        if self._thread is not None and current_thread() is not self._thread:
            self._thread.join()

    def _at_hand(self) -> bytes:
        """What is left of a piece; nothing at the end."""
        while not self._rest and not self._ended:
            if self._thread is None and self._pieces.empty():
                self._read_piece()
            piece = self._pieces.get()
            self._room.put(None)
            self._ended = not piece or isinstance(piece, BaseException)
            if isinstance(piece, BaseException):
                raise piece
            self._rest = piece
        return self._rest

    def _read(self) -> None:
        while self._read_piece():
            pass

    def _read_piece(self) -> bool:
        """Reads one, when there is room for it; whether another may follow."""
        try:
            self._room.get()
            if self._closed.is_set():
                return False
            piece = self._text.read1(_PIECE)
            self._pieces.put(piece)
        except BaseException as error:
            self._pieces.put(error)
            return False
        return bool(piece)


def started(work: Callable[[], None], name: str) -> Thread | None:
    """A thread that does this and keeps no process from its end; None where no more threads are to be had."""
    thread = Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread
