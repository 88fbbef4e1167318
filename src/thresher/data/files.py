"""The files of a source, opened one after the other."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress

from thresher.data.source import Opened, Source

__all__ = ["Files"]


class Files:
    """The first file of a source, open, and then the others in turn; `file` is None when all were read."""

    def __init__(self, source: Source, *, ahead: bool) -> None:
        source.check()
        self._files = source.open(ahead=ahead)
        self.file: Opened | None = None
        self.names: list[str] = []
        self._before = 0
        self._context: AbstractContextManager[Opened] | None = None
        self.next()

    @property
    def read(self) -> int:
        """How many bytes were read on disk."""
        file = self.file
        with suppress(OSError, ValueError):  # another thread may have closed it, or be about to
            return self._before + (0 if file is None else file.position())
        return self._before

    def next(self) -> Opened | None:
        """Closes the file and opens the one behind it, if there is one."""
        self._before = self.read
        self.close()
        self._context = next(self._files, None)
        if self._context is not None:
            self.file = self._context.__enter__()
            self.names.append(self.file.name)
        return self.file

    def close(self) -> None:
        """Closes the file that is open."""
        self.file, context = None, self._context
        self._context = None
        if context is not None:
            context.__exit__(None, None, None)
