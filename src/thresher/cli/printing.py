"""JSON on any stdout."""

from __future__ import annotations

import json
import sys

__all__ = ["print_json"]


def print_json(value: object) -> None:
    """Prints a value as one line of JSON: readable where stdout can spell it, escaped where it cannot."""
    readable = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        readable.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        readable = json.dumps(value, allow_nan=False)
    print(readable)
