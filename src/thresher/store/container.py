"""A file of a header, which is JSON, and of sections of plain bytes. The core keeps its format: cpp/thresher/store.hpp.

Nothing in a file is ever run. A damaged, foreign or newer one raises `StoreError`, whatever its bytes are.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from io import BufferedReader
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from thresher._core import check_head, pack, unpack
from thresher.errors import StoreError
from thresher.store.atomic import replace

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer

    from thresher._core import Drawn

__all__ = ["Contents", "each_once", "is_model", "read", "write"]

_HEADER = "header"
_ALIGNMENT = 64
_LONGEST_HEADER = 2**25  # it takes a hundred thousand classes to fill it

Section: TypeAlias = "Buffer | NDArray[Any] | Drawn"


class Contents(NamedTuple):
    """What a file holds; the sections are read-only, and start at multiples of 64 bytes in memory."""

    header: dict[str, Any]
    sections: dict[str, NDArray[np.uint8]]


def write(path: str | os.PathLike[str], header: Mapping[str, Any], sections: Mapping[str, Section]) -> None:
    """Writes a file, or replaces it as a whole: see `thresher.store.atomic.replace` for what a path may be.

    Up to 1,023 sections, their names of 1 to 16 printable ASCII characters, each a C-contiguous array or other bytes-like
    object, or one that is drawn while it is written. What JSON would not give back as it was (a tuple, a key that is no str)
    cannot be in the header.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(Path(folder, "model"), {"n": 2}, {"weights": np.array([1.0, -0.5])})
    ...     contents = read(Path(folder, "model"))
    >>> contents.header, contents.sections["weights"].view(np.float64)
    ({'n': 2}, array([ 1. , -0.5]))
    """
    if _HEADER in sections:
        raise StoreError(f"found a section named {_HEADER!r}, expected another name: this one is taken")
    replace(path, pack({_HEADER: _encoded(header), **sections}))


def read(path: str | os.PathLike[str]) -> Contents:
    """Reads a file that `write` wrote, every byte of it checked.

    The sections are one piece of memory: keep a copy if you need a small one for long. What the system refuses (no such
    file, a directory, no permission) is an `OSError`.
    """
    with _opened(path) as file:
        try:
            sections = unpack(_whole(file))
            return Contents(_decoded(sections.pop(_HEADER, None)), sections)
        except StoreError as error:
            raise StoreError(f"{os.fspath(path)}: {error}") from None


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as `write` begins one, and is as long as it says there; what cannot be read is none."""
    try:
        with _opened(path) as file:
            _checked_size(file)
    except (StoreError, OSError, ValueError):
        return False
    return True


def _opened(path: str | os.PathLike[str]) -> BufferedReader:
    # A pipe without a writer would make us wait for one; a regular file does not know the difference.
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))


def _checked_size(file: BufferedReader) -> int:
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise StoreError("found a pipe or device, expected a regular file")
    check_head(file.read(64), status.st_size)
    return status.st_size


def _whole(file: BufferedReader) -> NDArray[np.uint8]:
    size = _checked_size(file)  # before memory is taken for it
    file.seek(0)
    memory = np.empty(size + _ALIGNMENT - 1, np.uint8)
    start = -memory.__array_interface__["data"][0] % _ALIGNMENT
    whole = memory[start : start + size]
    return whole[: file.readinto(whole.data)]


def _encoded(header: Mapping[str, Any]) -> bytes:
    try:
        given = dict(header)
        text = _json(given)
        same = _parsed(text) == given
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"the header cannot be written as JSON: {error}") from None
    if not same:
        raise StoreError("the header would not come back from JSON as it is: keys must be str, sequences lists")
    if len(text) > _LONGEST_HEADER:  # what would not load is not written over what does
        raise StoreError(f"found a header of {len(text):,} bytes, expected at most {_LONGEST_HEADER:,}: fewer classes")
    return text


def _decoded(text: NDArray[np.uint8] | None) -> dict[str, Any]:
    if text is None:
        raise StoreError(f"found no section named {_HEADER!r}, expected one")
    if text.size > _LONGEST_HEADER:
        raise StoreError(f"found a header of {text.size:,} bytes, expected at most {_LONGEST_HEADER:,}")
    try:
        header = _parsed(text.tobytes())
        _json(header)  # what could not be written cannot be read: NaN, 1e999 and lone surrogates
    except (ValueError, RecursionError) as error:
        raise StoreError(f"its header is not the JSON of a model: {error}") from None
    return header


def _json(header: dict[str, Any]) -> bytes:
    return json.dumps(header, allow_nan=False, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _parsed(text: bytes) -> dict[str, Any]:
    header = json.loads(text.decode(), object_pairs_hook=each_once)
    if not isinstance(header, dict):
        raise ValueError(f"found {type(header).__name__}, expected an object")
    return header


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose keys must differ."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"found the key {key[:40]!r} twice, expected it once")
        found[key] = value
    return found
