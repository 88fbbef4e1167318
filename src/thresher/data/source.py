"""Where bytes come from: files, several in order, standard input, or a demo; gzip and Zstandard are known by content."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from thresher.errors import ParameterError, SourceError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from thresher.data.ahead import Text
    from thresher.data.demos import Demo

__all__ = ["Opened", "Place", "Source"]

Place = str | os.PathLike[str]

STANDARD_INPUT = "-"
_DEMO = "demo:"
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}
_READ = ("gzip", "Zstandard")
_MODEL = b"thresher"  # and a version of four bytes, of which one at least is 0
_PEEK = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Opened:
    """A file that is being read: its name for errors, its text, and how far in its bytes on disk one has come."""

    name: str
    text: Text
    raw: BinaryIO | None
    compressed: bool = False
    pipe: int | None = None  # what to ask whether more has come, where one may have to wait for it

    @property
    def waits(self) -> bool:
        """Whether reading on would have to wait for whoever writes."""
        try:
            return self.pipe is not None and not select.select([self.pipe], [], [], 0)[0]
        except (OSError, ValueError):
            return False

    def position(self) -> int:
        return self.raw.tell() if self.raw is not None else 0

    def place(self) -> tuple[int, int] | None:
        """Where its text goes on, for who reads by descriptors: the file's, and a byte. A pipe has none, nor what is packed."""
        if self.raw is None or self.compressed or not self.raw.seekable():
            return None
        return self.raw.fileno(), self.raw.tell()

    def readinto(self, buffer: memoryview) -> int:
        """Reads text into the buffer: how many bytes, 0 at the end."""
        with self._said():
            return self.text.readinto(buffer) or 0

    def readinto1(self, buffer: memoryview) -> int:
        """The same, as much as is there; it waits only if nothing is."""
        with self._said():
            return self.text.readinto1(buffer) or 0

    def peek(self) -> bytes:
        """The next bytes, some thousand of them, without reading on."""
        with self._said():
            return self.text.peek(_PEEK)

    @contextmanager
    def _said(self) -> Iterator[None]:
        """What is wrong with the compression of a file becomes a `SourceError`."""
        try:
            yield
        except EOFError:
            after = f" after {self.position():,} bytes" if self.raw is not None else ""
            raise SourceError(
                f"found the end of the file{after}, in the middle of its compressed data, expected the rest: it was cut off",
                file=self.name,
            ) from None
        except Exception as error:
            if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno is not None):
                raise
            raise SourceError(f"found damaged compressed data ({error}), expected it whole", file=self.name) from None


class Source:
    """Files in order, standard input (`-`), or `demo:NAME`.

    >>> source = Source("demo:oranges")
    >>> source.again, source.size
    (True, None)
    >>> with next(source.open()) as opened:
    ...     opened.text.peek(12)[:12]
    b'local-market'
    """

    def __init__(self, *places: Place) -> None:
        self.places = tuple(each for place in places for each in _matching(os.fspath(place)))
        if not self.places:
            raise ParameterError("found no source, expected a file, several, - for standard input, or demo:oranges")
        if STANDARD_INPUT in self.places and len(self.places) > 1:
            raise ParameterError("found - among several sources, expected standard input alone")
        for place in self.places:
            if "\0" in place:
                raise ParameterError(f"found the place {place!r}, expected one without a NUL")
            if place.startswith(_DEMO):
                _demo(place)

    @property
    def demo(self) -> Demo | None:
        """The demo, if the source is one."""
        found = [place for place in self.places if len(self.places) == 1 and place.startswith(_DEMO)]
        return _demo(found[0]) if found else None

    @property
    def again(self) -> bool:
        """Whether it can be read a second time, from its start."""
        return all(place.startswith(_DEMO) or _regular(place) for place in self.places)

    @property
    def size(self) -> int | None:
        """The bytes on disk, if that is known."""
        regular = [place for place in self.places if not place.startswith(_DEMO) and _regular(place)]
        return sum(Path(place).stat().st_size for place in regular) if len(regular) == len(self.places) else None

    def check(self) -> None:
        """Raises what opening its files would raise, before anything is read."""
        for place in self.places:
            if not place.startswith(_DEMO) and place != STANDARD_INPUT and _regular(place):
                Path(place).open("rb").close()

    def is_file(self, place: str, path: Path) -> bool:
        """Whether one of its places is this file, under whatever name."""
        try:
            here = os.fstat(sys.stdin.fileno()) if place == STANDARD_INPUT else Path(place).stat()
        except (OSError, ValueError):
            return False
        return os.path.samestat(here, path.stat())

    def __str__(self) -> str:
        return " ".join("standard input" if place == STANDARD_INPUT else place for place in self.places)

    def open(self, *, ahead: bool = False) -> Iterator[AbstractContextManager[Opened]]:
        """Each file in turn, to be opened with `with`; what is compressed is read `ahead`, if so wished, by another thread."""
        return (_open(place, ahead) for place in self.places)


def _demo(place: str) -> Demo:
    from thresher.data import demos

    return demos.find(place.removeprefix(_DEMO))


def _matching(place: str) -> list[str]:
    """The files that a pattern such as `day-*.csv` means, in order; what is none means itself."""
    if not set(place) & set("*?[") or "\0" in place or Path(place).exists():
        return [place]
    anchor = Path(place).anchor
    found = sorted(str(path) for path in Path(anchor).glob(str(Path(place).relative_to(anchor))))
    if not found:
        raise ParameterError(f"found no file like {place}, expected one at least")
    return found


def _regular(place: str) -> bool:
    try:
        return place != STANDARD_INPUT and stat.S_ISREG(Path(place).stat().st_mode)
    except OSError:
        return True  # what is wrong with it will be said when it is opened


@contextmanager
def _open(place: str, ahead: bool) -> Iterator[Opened]:
    if place.startswith(_DEMO):
        yield Opened(place, io.BufferedReader(_Blocks(_demo(place).blocks()), _PEEK), None)
    elif place == STANDARD_INPUT:
        with suppress(OSError, ValueError):  # or a pause of whoever writes would be taken for the end
            os.set_blocking(sys.stdin.fileno(), True)
        yield _uncompressed("standard input", sys.stdin.buffer, None)
    else:
        with Path(place).open("rb", buffering=_PEEK) as file:
            opened = _uncompressed(place, file, file if file.seekable() else None)  # a pipe has no position
            if ahead and opened.compressed and opened.raw is not None:  # who waits for a pipe could not be told to stop
                from thresher.data.ahead import Ahead

                with closing(Ahead(opened.text)) as text:
                    yield replace(opened, text=text)
            else:
                yield opened


def _uncompressed(name: str, file: BinaryIO, raw: BinaryIO | None) -> Opened:
    buffered = cast("io.BufferedReader", file)
    start = buffered.peek(12)
    kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
    if start.startswith(_MODEL) and b"\0" in start[len(_MODEL) : len(_MODEL) + 4]:
        use = "thresher learn --from MODEL learns on from it, thresher predict MODEL and thresher inspect MODEL use it"
        raise SourceError(f"found a model of Thresher, expected examples; {use}", file=name)
    pipe = None if file.seekable() else file.fileno()
    if kind == "gzip":
        import gzip

        return Opened(name, cast("Text", gzip.GzipFile(fileobj=buffered, mode="rb")), raw, True, pipe)
    if kind == "Zstandard":
        return Opened(name, _zstandard(buffered), raw, True, pipe)
    if kind is not None:
        raise SourceError(f"found {kind}, expected text, or text compressed by {' or '.join(_READ)}", file=name)
    return Opened(name, buffered, raw, False, pipe)


def _zstandard(file: io.BufferedReader) -> Text:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdFile
    else:
        from backports.zstd import ZstdFile
    return cast("Text", ZstdFile(file, "rb"))


class _Blocks(io.RawIOBase):
    """Blocks of bytes as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        room = memoryview(buffer)
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        size = min(len(room), len(self._rest))
        room[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
