"""Tables in pieces of some thousand rows, whatever they are kept in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import SourceError

__all__ = ["Piece", "Placed", "Types", "by_number"]

#: Which type a column of text is to be read as, given its name and the type that it looks like; None to leave it out.
Types = Callable[[str, Any], Any]
#: An error with the place of a row, counted from 0 in its piece.
Placed = Callable[[int, str], SourceError]


@dataclass
class Piece:
    """Rows of a table: columns with their names, and how to say where a row stands.

    `unread` are the names of columns that are left out. `skipped` are rows that could not be read and are not among these, with
    their number; `failure` is what stopped the reading behind the last row; `notices` are what a user should know of columns;
    `decimals` are the decimal signs of columns, as far as they were seen.
    """

    names: list[str]
    columns: list[Any]
    rows: int
    error: Placed
    skipped: list[SourceError] = field(default_factory=list)
    failure: SourceError | None = None
    unread: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    decimals: dict[str, str] = field(default_factory=dict)


def by_number(file: str, first: int) -> Placed:
    """Errors of a piece that begins with this row, counted from 0, where rows have no lines."""
    return lambda row, message: SourceError(f"row {first + row + 1}: {message}", file=file)
