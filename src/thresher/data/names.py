"""How a name finds its slot.

The hash is XXH64 (Yann Collet) of the name's UTF-8 bytes, seed 0 unless said otherwise, and the slot the high 64 bits of
hash × n: even over any n, and the same on every platform, in every process, for ever.
"""

from __future__ import annotations

from thresher._core import hash64 as _hash64
from thresher._core import slot_of as _slot_of

__all__ = ["hash64", "slot_of"]


def hash64(name: str, seed: int = 0) -> int:
    """The 64-bit hash of a name.

    >>> hex(hash64("colour=orange"))
    '0x2a15b2a133cd8578'
    """
    return _hash64(name, seed)


def slot_of(name: str, n: int, seed: int = 0) -> int:
    """The slot, below n, that a name falls into.

    >>> slot_of("colour=orange", 1000)
    164
    """
    return _slot_of(name, n, seed)
