"""The digest of bytes that come in pieces."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from thresher._core import digest, hash64


@given(st.lists(st.one_of(st.binary(max_size=40), st.binary(min_size=60, max_size=200)), max_size=8))
def test_the_digest_of_pieces_is_xxh64_of_the_whole(pieces: list[bytes]) -> None:
    assert digest(*pieces) == digest(b"".join(pieces)) == xxhash.xxh64_intdigest(b"".join(pieces))


def test_the_digest_is_the_same_however_the_bytes_are_cut_in_three() -> None:
    whole = bytes(7 * k % 251 for k in range(100))
    expected = xxhash.xxh64_intdigest(whole)
    for first in range(101):
        for second in range(first, 101):
            assert digest(whole[:first], whole[first:second], whole[second:]) == expected


@given(st.lists(st.text(), max_size=8))
def test_the_digest_of_names_is_their_hash(names: list[str]) -> None:
    assert digest(*(name.encode() for name in names)) == hash64("".join(names))


def test_the_digest_reads_every_bytes_like_object() -> None:
    numbers = np.arange(12.0)
    expected = xxhash.xxh64_intdigest(numbers.tobytes())
    for form in (numbers, numbers.reshape(3, 4), numbers.tobytes(), bytearray(numbers.tobytes()), numbers.data):
        assert digest(form) == expected
    assert digest() == digest(b"") == xxhash.xxh64_intdigest(b"")


def test_what_is_not_bytes_in_one_piece_has_no_digest() -> None:
    with pytest.raises(TypeError, match="bytes-like"):
        digest(cast("bytes", "text"))
    with pytest.raises(ValueError, match="contiguous"):
        digest(np.arange(12.0)[::2])
