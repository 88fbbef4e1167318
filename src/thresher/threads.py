"""How many threads may work at once."""

from __future__ import annotations

import os
import sys
from operator import index
from pathlib import Path
from typing import SupportsIndex

from thresher.errors import ParameterError

__all__ = ["MOST_THREADS", "allowed_threads", "processors", "use_threads"]

MOST_THREADS = 64
#: Where the kernel tells how much time a container has, of how much: in one file, and in two where it is an older one.
_LIMITS = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))
_TOLD = Path("/sys/fs/cgroup")
_asked: int | None = None


def processors() -> int:
    """How many processors this process may use: those it is bound to, and no more than its container may use at once.

    >>> processors() >= 1
    True
    """
    found = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    for names in _LIMITS:
        try:
            quota, period = (int(word) for name in names for word in (_TOLD / name).read_text(encoding="ascii").split())
        except (OSError, ValueError):  # no container, or "max", which is no limit
            continue
        if quota > 0 and period > 0:  # -1 is none, too
            found = min(found, -(-quota // period))
    return found


def use_threads(count: int | None) -> int | None:
    """From now on learners use up to so many threads, the caller's included; None means one a processor. Returns what was set.

    It is for learners that can share their work, which are portfolios, and for those that are made, loaded or copied from now
    on. It changes nothing but the time: any number gives the same bits. A portfolio takes as many threads as gain something,
    for 500 rows at once or more; one example is always the caller's own work.

    >>> import thresher as th
    >>> from thresher.compose import use_threads
    >>> X, y = [[1, 0, 1], [0, 1, 1], [1, 1, 0]] * 400, [+1, -1, +1] * 400
    >>> before = use_threads(1)
    >>> alone = th.Portfolio(3)
    >>> use_threads(2)
    1
    >>> together = th.Portfolio(3)
    >>> bool((alone.learn_many(X, y).scores == together.learn_many(X, y).scores).all())
    True
    >>> use_threads(before)
    2
    """
    global _asked
    if count is not None:
        count = _counted(count)
    before, _asked = _asked, count
    return before


def _counted(count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, SupportsIndex) or not 1 <= index(count) <= MOST_THREADS:
        raise ParameterError(f"found {count!r} threads, expected None or a whole number from 1 to {MOST_THREADS}")
    return index(count)


def allowed_threads() -> int:
    """How many threads a learner may use now.

    >>> before = use_threads(3)
    >>> allowed_threads()
    3
    >>> use_threads(before)
    3
    """
    return min(processors(), 8) if _asked is None else _asked
