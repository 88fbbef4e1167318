"""How much memory the machine has to give."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["available_memory"]

_TOLD = Path("/proc/meminfo")


def available_memory() -> int | None:
    """The bytes that can be had without swapping; None where the system does not say.

    >>> from thresher.memory import available_memory
    >>> bytes_now = available_memory()
    >>> bytes_now is None or bytes_now > 0
    True
    """
    try:
        lines = _TOLD.read_text(encoding="ascii").splitlines()
        found = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
        if found is not None:
            return int(found) * 1024
    except (OSError, ValueError, IndexError):  # another system: it may know its free pages
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
