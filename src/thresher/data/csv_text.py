"""What can be seen of CSV before it is read: its separator, the names of its columns, and letters that are none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thresher.data.number_cells import NUMBER
from thresher.errors import SourceError

__all__ = ["UTF_8_MARK", "check_different", "check_names", "check_text", "counted", "separator_of", "shown"]

UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MARKUP = re.compile(rb"\s*<(!doctype|html|\?xml)", re.IGNORECASE)
_SEPARATORS = (",", "\t", ";")


def separator_of(head: bytes, file: str) -> str:
    """The one of comma, tab and semicolon that is in the first line most often; what is no text raises `SourceError`."""
    if head.startswith(_UTF_16_MARKS):
        raise SourceError("found UTF-16, expected text in UTF-8: iconv -f utf-16 -t utf-8 makes it so", file=file)
    if _MARKUP.match(head):
        raise SourceError("found HTML or XML, expected a table: CSV, TSV, JSON Lines or Parquet", file=file, line=1)
    if b"\0" in head:
        raise SourceError("found binary data, expected a table: CSV, TSV or Parquet", file=file)
    lines = head.decode("utf-8", "replace").lstrip("\ufeff\r\n").splitlines()
    outside = re.sub(r'"[^"]*"', "", lines[0]) if lines else ""
    return max(_SEPARATORS, key=outside.count)


def check_names(columns: Sequence[str], file: str, line: int | None, separator: str) -> None:
    """Raises what is wrong with the names of columns: none at all, two alike, or, in the first line of CSV, numbers."""
    if not columns:
        raise SourceError("found an empty table, expected a line with the names of the columns, and rows", file=file)
    check_different([name for name in columns if name], file, line)
    if line is not None and all(NUMBER.fullmatch(name) for name in columns):
        found = shown(separator.join(columns))
        wanted = "expected the names of the columns first, or --header NAME,… (header= in Python)"
        raise SourceError(f"found {found}, {wanted}", file=file, line=line)


def check_different(columns: Sequence[str], file: str, line: int | None = None) -> None:
    """Raises what is wrong with names of columns of which two are alike."""
    seen: set[str] = set()
    for name in columns:
        if name in seen:
            unnamed = "" if line is None else "; if the first line is a row, --header (header= in Python) names them"
            raise SourceError(f"found two columns named {name!r}, expected different names{unnamed}", file=file, line=line)
        seen.add(name)


def check_text(cells: Sequence[str], file: str, line: int) -> None:
    """Raises what is wrong with cells that were decoded with `surrogateescape`, if they were no UTF-8."""
    for cell in cells:
        if any("\udc80" <= letter <= "\udcff" for letter in cell):
            found = cell.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            wanted = "expected text in UTF-8: iconv -f latin1 -t utf-8 makes it so, if it is Latin-1"
            raise SourceError(f"found '{found[:60]}', {wanted}", file=file, line=line)


def shown(cell: str) -> str:
    """A cell as an error shows it."""
    return repr(cell if len(cell) <= 60 else f"{cell[:60]}…")


def counted(cells: int) -> str:
    """So many cells, in words."""
    return "1 cell" if cells == 1 else f"{cells:,} cells"
