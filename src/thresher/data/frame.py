"""A data frame as a source: pandas, polars, DuckDB, whatever speaks Arrow's C stream interface."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from thresher.data.source import Source

__all__ = ["ArrowStream", "Frame"]


@runtime_checkable
class ArrowStream(Protocol):
    """An object that gives its rows as Arrow has them."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Frame(Source):
    """The rows of a data frame."""

    def __init__(self, frame: ArrowStream) -> None:
        self.frame: Any = frame
        self.places = ()

    def __str__(self) -> str:
        return f"a {type(self.frame).__name__}"

    @property
    def again(self) -> bool:
        """Whether it can be read a second time: what can be read but once does not tell."""
        return False

    @property
    def size(self) -> int | None:
        """It has no bytes on disk."""
        return None
