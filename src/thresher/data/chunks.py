"""Text in chunks of whole rows, for pyarrow to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from thresher._core import end_of_rows
from thresher.data.source import Opened
from thresher.errors import SourceError

__all__ = ["Chunk", "chunks"]

_SIZE = 1 << 22
_LONGEST = 1 << 26


class Chunk(NamedTuple):
    """Whole rows, and the number of their first line, from 1; `unclosed`: behind them is a quote that nothing closes."""

    text: bytes
    line: int
    unclosed: bool = False


def chunks(opened: Opened, text: bytes, line: int, separator: str, *, quotes: bool) -> Iterator[Chunk]:
    """What is left of a file behind `text`, which begins at `line`; a quote at the start of a cell keeps rows together."""
    buffer = bytearray(_SIZE)
    ended = False
    while not ended:
        size = _fill(opened, buffer)
        ended = size < len(buffer)
        text += memoryview(buffer)[:size]
        if ended and text and not text.endswith(b"\n"):
            text += b"\n"
        end = end_of_rows(np.frombuffer(text, np.uint8), separator, quotes)
        if ended or end:
            yield Chunk(text[:end], line, unclosed=ended and end < len(text))
            line += text.count(b"\n", 0, end)
            text = text[end:]
        elif len(text) > _LONGEST:
            raise SourceError(
                "found a row of more than 64 MiB, expected shorter ones, or a quote that closes", file=opened.name, line=line
            )


def _fill(opened: Opened, buffer: bytearray) -> int:
    """Reads until the buffer is full or the file has ended: how many bytes."""
    room, size = memoryview(buffer), 0
    while size < len(buffer) and (got := opened.readinto(room[size:])):
        size += got
    return size
