"""How many examples a property is tried on, where the usual number would be too few or too many for it."""

from __future__ import annotations

import os

from hypothesis import settings

__all__ = ["tried"]

_MOST = int(os.environ.get("THRESHER_MOST", "1000000"))


def tried(number: int) -> settings:
    """So many; at most THRESHER_MOST, where each takes long, as under the sanitizers."""
    return settings(max_examples=min(number, _MOST))
