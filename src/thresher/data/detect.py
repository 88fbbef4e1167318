"""What a file holds, by its first bytes and by its name."""

from __future__ import annotations

from pathlib import PurePath

from thresher.data.source import Opened
from thresher.errors import SourceError

__all__ = ["FORMATS", "TABLES", "check_said", "format_of"]

#: The formats of files.
FORMATS = ("svmlight", "vw", "csv", "parquet", "arrow", "jsonl")
#: Those of tables.
TABLES = ("csv", "parquet", "arrow", "jsonl")
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".svm": "svmlight",
    ".vw": "vw",
}
_COMPRESSED = (".gz", ".zst")


def format_of(opened: Opened, *, table: bool = False) -> str:
    """The format of a file; `table`: one of those that tables have.

    Parquet and Arrow are known by their first bytes. Of texts the name tells, or else the first line: JSON Lines begin with a
    brace, Vowpal Wabbit's have a bar, svmlight's have colons; what has commas, tabs or semicolons instead is CSV.
    """
    start = opened.peek().removeprefix(b"\xef\xbb\xbf")
    magic = _binary(start)
    if magic is not None:
        return magic
    suffixes = [suffix for suffix in PurePath(opened.name).suffixes if suffix not in _COMPRESSED]
    named = _SUFFIXES.get(suffixes[-1].lower() if suffixes else "")
    if named is not None and (named in TABLES or not table):
        return named
    lines = (line for line in start.splitlines() if line.strip() and not line.lstrip().startswith(b"#"))
    first = next(lines, b"")
    if first.lstrip().startswith((b"{", b"[{")) or first.strip() == b"[":  # of an array it is said what to do
        return "jsonl"
    before_comment = first.partition(b"#")[0]
    after_label = before_comment.split()[1:]
    indexed = all(b":" in token for token in after_label)
    if table:
        return "csv"
    if b"|" in before_comment or (b"|" in first and not indexed):
        return "vw"
    separated = any(separator in first for separator in (b",", b"\t", b";"))
    separated = separated and b"\0" not in start
    return "csv" if separated and not (indexed and after_label) else "svmlight"


def check_said(opened: Opened | None, format: str | None) -> None:
    """Raises if somebody said a format, and the first bytes of the file, if there is one, tell another."""
    if opened is None or format is None:
        return
    found = _binary(opened.peek())
    if found not in (None, format):
        said = f"{format}, as --format (format= in Python) says: leave it out"
        raise SourceError(f"found what begins as {str(found).capitalize()} does, expected {said}", file=opened.name)


def _binary(start: bytes) -> str | None:
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
