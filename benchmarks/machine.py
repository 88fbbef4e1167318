"""What the times depend on: the processor and its caches, the load, and versions. No names of hosts, no paths."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

from thresher import _core

__all__ = ["machine", "version"]

_DISTRIBUTIONS = ("thresher", "numpy", "scipy", "scikit-learn", "river", "vowpalwabbit")


def machine() -> dict[str, str]:
    """In the order in which it is shown; the load is that before the run."""
    return {
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "caches": _caches(Path("/sys/devices/system/cpu/cpu0/cache")),
        "instructions": _core.instruction_set(),
        "load": f"{os.getloadavg()[0]:.2f}",
        "system": platform.system(),
        "Python": platform.python_version(),
        **{name: version(name) or "missing" for name in _DISTRIBUTIONS},
    }


def version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _caches(folder: Path) -> str:
    """As Linux tells them of the first core, those for data: L1 32K / L2 512K / L3 32768K."""
    found = []
    for cache in sorted(folder.glob("index*")):
        level, kind, size = (cache.joinpath(what).read_text(encoding="ascii").strip() for what in ("level", "type", "size"))
        if kind != "Instruction":
            found.append(f"L{level} {size}")
    return " / ".join(found) or "unknown"
