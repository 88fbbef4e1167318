"""Text in chunks of whole rows, for pyarrow to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from thresher._core import whole_rows
from thresher.data.source import Opened
from thresher.errors import SourceError

__all__ = ["LONGEST", "Chunk", "chunks"]

_SIZE = 1 << 22
LONGEST = 1 << 26


class Chunk(NamedTuple):
    """Whole rows, and the number of their first line, from 1.

    `unclosed`: behind them is a quote that nothing closes; `broken`: cells in quotes may have line breaks.
    """

    text: bytes | bytearray
    line: int
    unclosed: bool = False
    broken: bool = True


def chunks(opened: Opened, text: bytes, line: int, separator: str, *, quotes: bool) -> Iterator[Chunk]:
    """What is left of a file behind `text`, which begins at `line`; a quote at the start of a cell keeps rows together."""
    rest, ended = text, False
    while not ended:
        buffer = bytearray(len(rest) + _SIZE)
        buffer[: len(rest)] = rest
        size = len(rest) + _fill(opened, memoryview(buffer)[len(rest) :])
        ended = size < len(buffer)
        del buffer[size:]
        if ended and buffer and not buffer.endswith(b"\n"):
            buffer += b"\n"
        end, lines, broken = whole_rows(np.frombuffer(buffer, np.uint8), separator, quotes)
        rest = bytes(memoryview(buffer)[end:])
        if ended or end:
            del buffer[end:]
            yield Chunk(buffer, line, unclosed=ended and bool(rest), broken=broken)
            line += lines
        elif len(rest) > LONGEST:
            wrong = "found a row of more than 64 MiB, expected shorter ones, or a quote that closes"
            raise SourceError(wrong, file=opened.name, line=line)


def _fill(opened: Opened, room: memoryview) -> int:
    """Reads until there is no more room, or the file has ended: how many bytes."""
    size = 0
    while size < len(room) and (got := opened.readinto(room[size:])):
        size += got
    room.release()
    return size
