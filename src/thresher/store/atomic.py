"""Replacing a file as a whole: whoever looks, even after a crash, finds the old bytes or the new, never a part of them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedWriter
from pathlib import Path

from thresher.errors import StoreError

__all__ = ["check_place", "replace"]

_TOLD = 1 << 21


def replace(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview]) -> None:
    """Writes the pieces, one after the other, to a new file in the same folder, and moves it to where `path` leads.

    A link is followed and stays. A file that is replaced hands on its mode; a new one gets what the umask leaves. A
    directory, a pipe or a device raises `StoreError`: nothing can take its place. If anything fails, the old file is as
    it was and the new one is gone.
    """
    old = _replaceable(Path(path))
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
    target = Path(path).resolve()
    made = target.with_name(f".thresher-{os.urandom(8).hex()}")
    try:
        # Never more open than the old file, not even for a moment; what the umask took from its mode is given back.
        with open(made, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if old is not None:
                os.fchmod(file.fileno(), mode)
            _write(file, pieces)
            file.flush()
            os.fsync(file.fileno())
        made.replace(target)
    except BaseException:
        with suppress(OSError):
            made.unlink()
        raise


def _write(file: BufferedWriter, pieces: Iterable[bytes | memoryview]) -> None:
    """Writes the pieces, and has the system begin with those before on its disk: fsync then waits for little."""
    told = 0
    for piece in pieces:
        file.write(piece)
        written = file.tell()
        if written - told >= _TOLD:
            with suppress(OSError):  # it is advice; what is not on disk yet stays in memory
                os.posix_fadvise(file.fileno(), told, written - told, os.POSIX_FADV_DONTNEED)
            told = written


def check_place(path: str | os.PathLike[str]) -> None:
    """Raises what would keep `replace` from writing there, as far as that can be known before."""
    _replaceable(Path(path))
    folder = Path(path).resolve().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise StoreError(f"{os.fspath(path)}: expected a file in a folder that exists and can be written to")


def _replaceable(path: Path) -> os.stat_result | None:
    """What is there now, if anything."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        kind = "a directory" if stat.S_ISDIR(found.st_mode) else "a pipe, socket or device"
        raise StoreError(f"{path}: found {kind}, expected a regular file or none")
    if not os.access(path, os.W_OK):  # a move would not ask: it needs a permission of the folder alone
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return found
