"""What is needed of pyarrow, imported when a table is read."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["arrow", "first_line", "is_text", "leave_signals"]

_wishes = {"leave signals": False}


def leave_signals() -> None:
    """From now on pyarrow does not look for Ctrl-C, which would end what it reads: whoever calls this hears it."""
    _wishes["leave signals"] = True


@cache
def arrow(part: str = "") -> Any:
    """Pyarrow or a part of it, which says nothing of its types."""
    library = import_module(f"pyarrow{part}")
    if not part and _wishes["leave signals"]:
        library.enable_signal_handlers(False)
    return library


def is_text(kind: Any) -> bool:
    """Whether cells of this type are texts."""
    types = arrow().types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def first_line(error: Exception) -> str:
    """What pyarrow says, without where in it that was."""
    return str(error).strip().partition("\n")[0]
