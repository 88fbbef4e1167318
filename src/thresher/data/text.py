"""Text as a stream of examples: svmlight and Vowpal Wabbit, read by threads of the core."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import suppress

from thresher._core import Reader
from thresher.data.batch import Batch, Position
from thresher.data.files import Files
from thresher.data.labelled import Stream, Wishes, printable
from thresher.data.recipe import FORMATS, Recipe
from thresher.data.source import Opened, Source
from thresher.errors import ParameterError, SourceError

__all__ = ["TextStream"]

_PIECE = 1 << 19


class TextStream(Stream):
    """A stream of the lines of a text; `open_stream` makes one."""

    def __init__(self, source: Source, recipe: Recipe, files: Files, wishes: Wishes, *, tags: bool) -> None:
        if tags and not recipe.named:
            raise ParameterError(f"{FORMATS[recipe.format]} has no tags")
        if set(wishes.positive or "") & set(" ,:|"):
            raise ParameterError(f"found positive = {wishes.positive!r}, expected a label that a line of text can have")
        self._reader = Reader(
            recipe.format,
            recipe.n,
            zero_based=recipe.zero_based,
            keep_tags=tags,
            unweighted=not (wishes.rule is None or wishes.rule.weighs or wishes.keep_unlabelled),  # to predict needs no weight
            interactions=recipe.interactions,
            ngrams=recipe.ngrams,
            threads=wishes.threads,
            **wishes.policy,
        )
        super().__init__(source, recipe, self._reader, wishes.positive)
        self._files = files
        self._closed = False
        self._failure: Exception | None = None
        self._lost = False
        self._begun: Opened | None = None
        self._following: Opened | None = None
        self._reader.start_file()

    @property
    def position(self) -> Position:
        """How far it was read, in bytes; a line that cannot be read counts, too."""
        return Position(self._reader.offset, self._reader.digest)

    @property
    def read(self) -> int:
        """How many bytes were read on disk, some of them ahead; with `source.size` it tells how much is left."""
        self._catch_up()
        return self._files.read

    @property
    def notices(self) -> list[str]:
        """What a user should know of it."""
        queries = "the file has query ids (qid); they are not used"
        return [queries] * self._reader.saw_query + super().notices

    def __iter__(self) -> Iterator[Batch]:
        while not self._closed:
            if self._reader.stopped:
                raise self._first_bad[-1]
            if self._lost:
                raise SourceError("found a stream that was interrupted while it read, expected it opened anew", file=self._name)
            self._lost = True  # unless what follows comes to its end
            self._read_ahead()
            if not self._reader.has_next:
                break
            try:
                rows = self._reader.next()
            except OSError as error:
                self._fail(error)
                rows = None
            if rows is None:  # the file that was followed has no more
                self._lost = False
                continue
            self._first_bad += [self._error(*bad) for bad in self._reader.bad[len(self._first_bad) :]]
            if len(rows):
                self._decide()
            self._lost = False
            if len(rows):
                yield self._batch(rows)
        self._lost = False
        if self._failure is not None and not self._closed:
            raise self._failure

    def _read_ahead(self) -> None:
        """Text for the threads, as much as may wait. What goes wrong is said after all that was read before it."""
        try:
            while (file := self._files.file) is not None and not self._closed and self._reader.has_room:
                if file is self._following:  # to its end, or there were no room
                    self._catch_up()
                    self._following = None
                    self._next_file()
                elif file is self._begun and (place := file.place()) is not None and self._follows(place):
                    self._following = file
                elif file.waits and self._reader.has_next:
                    return  # what is there comes first
                elif self._gave_all(file):
                    self._next_file()
                else:
                    self._begun = file
        except Exception as error:
            self._fail(error)

    def _follows(self, place: tuple[int, int]) -> bool:
        """Whether the threads read the file from there on by themselves: not where there are no more descriptors for that."""
        try:
            self._reader.follow(*place)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            return False
        return True

    def _gave_all(self, file: Opened) -> bool:
        """Gives the next bytes of a file; whether they are its last."""
        if file.pipe is None:
            self._reader.fill(file.readinto)
            last = not file.peek()  # then the last line comes along, whether or not a line break ends it
        else:
            last = self._fill_from(file)
        self._reader.cut(last)
        return last

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._following = None
        self._files.close()

    def _catch_up(self) -> None:
        """The file that is followed is as far as it was read."""
        file = self._following  # another thread may have closed it, or be about to
        if file is not None and file.raw is not None:
            with suppress(OSError, ValueError):
                file.raw.seek(self._reader.reached)

    def _fill_from(self, pipe: Opened) -> bool:
        """Reads what has come through a pipe, up to half a megabyte; whether it has ended."""
        size = got = self._reader.fill(pipe.readinto1)
        while got and size < _PIECE and not pipe.waits:
            got = self._reader.fill(pipe.readinto1)
            size += got
        return got == 0

    def skip_to(self, position: Position) -> None:
        """Passes over what was read before; if it is not the same text, says so."""
        left = position.offset
        while (file := self._files.file) is not None and (left or self._reader.digest != position.digest):
            done, got = left == 0, self._reader.fill(file.readinto)
            left -= self._reader.skip(left)
            if got == 0:
                self._next_file()  # one without a byte counts, too
            elif done:
                break
        if left or self._reader.digest != position.digest:
            raise SourceError(
                f"found another text than the run was reading, in its first {position.offset:,} bytes; "
                "expected the same, to go on where it stopped",
                file=str(self.source),
            )

    def close(self) -> None:
        """Ends it: no more batches are given."""
        self._closed = True
        self._reader.end()
        self._files.close()

    def _next_file(self) -> None:
        if self._files.next() is not None:
            self._reader.start_file()

    def _placed(self, message: str, line: int) -> SourceError:
        return SourceError(message, file=self._name, line=line)

    @property
    def _name(self) -> str:
        """The file that the batch at hand is from."""
        return self._files.names[self._reader.file]

    def _error(self, line: int, column: int, found: bytes, expected: str) -> SourceError:
        message = f"found {found.decode('utf-8', 'backslashreplace')}, expected {expected}"
        return SourceError(printable(message), file=self._name, line=line, column=column)
