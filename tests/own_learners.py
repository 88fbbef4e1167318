"""A class of one's own, out of a file, as a student would write it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from thresher.lab.files import load

__all__ = ["written"]


def written(folder: Path, body: str) -> Callable[..., Any]:
    """The class Mine with these methods, which begin in line 6 of mine.py."""
    file = folder / "mine.py"
    head = "import math\nimport random\n\n\nclass Mine:\n"
    file.write_text(head + textwrap.indent(body, "    ") + "\n", encoding="utf-8")
    return load(f"{file}:Mine")
