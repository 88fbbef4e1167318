"""How a header is spelled: two that say the same have one text."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["in_order"]


def in_order(value: object) -> object:
    """What JSON can hold, with the keys of every mapping in order.

    >>> in_order({"b": [1, {"z": 2, "a": 3}], "a": 4})
    [('a', 4), ('b', [1, [('a', 3), ('z', 2)]])]
    """
    if isinstance(value, list):
        return [in_order(each) for each in value]
    return sorted((key, in_order(each)) for key, each in value.items()) if isinstance(value, Mapping) else value
