"""One bit a concept, packed: concept i is bit i mod 64 of word i div 64, and the bits after the last are 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words", "count", "every", "first", "has", "negated", "pack", "prefix", "unpack", "words_for"]

#: Packed bits, along the last axis.
Words = NDArray[np.uint64]

_ALL = np.uint64(2**64 - 1)


def words_for(size: int) -> int:
    """How many words hold so many bits."""
    return -(-size // 64)


def pack(bools: NDArray[np.bool_]) -> Words:
    """Packed along the last axis.

    >>> pack(np.array([True, False, True]))
    array([5], dtype=uint64)
    """
    size = bools.shape[-1]
    packed = np.packbits(bools, axis=-1, bitorder="little")
    whole = np.zeros((*packed.shape[:-1], 8 * words_for(size)), dtype=np.uint8)
    whole[..., : packed.shape[-1]] = packed
    return whole.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Words, size: int) -> NDArray[np.bool_]:
    """One bool a concept, along the last axis: what `pack` packed.

    >>> unpack(np.array([5], dtype=np.uint64), 3)
    array([ True, False,  True])
    """
    packed = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(packed, axis=-1, count=size, bitorder="little").view(np.bool_)


def every(size: int) -> Words:
    """So many ones.

    >>> int(count(every(100)))
    100
    """
    return prefix(size, size)


def prefix(ones: int, size: int) -> Words:
    """Ones, and then zeros up to the size.

    >>> prefix(2, 100)
    array([3, 0], dtype=uint64)
    """
    words = np.zeros(words_for(size), dtype=np.uint64)
    words[: ones // 64] = _ALL
    if ones % 64:
        words[ones // 64] = (1 << ones % 64) - 1
    return words


def negated(words: Words, size: int) -> Words:
    """Every bit turned round.

    >>> negated(np.array([5], dtype=np.uint64), 3)
    array([2], dtype=uint64)
    """
    turned = ~words
    if size % 64:
        turned[..., -1] &= np.uint64((1 << size % 64) - 1)
    return turned


def count(words: Words) -> int:
    """How many ones."""
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def first(words: Words) -> int:
    """The first one's number; there must be one.

    >>> first(prefix(0, 70) | np.array([0, 4], dtype=np.uint64))
    66
    """
    word = int((words != 0).argmax())
    bits = int(words[word])
    return 64 * word + (bits & -bits).bit_length() - 1


def has(words: Words, i: int) -> bool:
    """Whether bit i is a one."""
    return bool(int(words[i // 64]) >> i % 64 & 1)
