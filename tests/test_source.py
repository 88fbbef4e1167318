"""Where text comes from, what is decided about its labels, and what is said when it cannot be read."""

from __future__ import annotations

from itertools import repeat

from tests.text_oracles import read_pieces

ONE, ALL = repeat(1), repeat(1 << 30)

# ---- however the bytes come ------------------------------------------------------------------------------------------


def test_a_byte_order_mark_is_known_when_bytes_come_one_by_one() -> None:
    text = [b"\xef\xbb\xbf1 1:1\n", b"\xef\xbb\xbf1 1:2"]
    assert read_pieces(text, ONE) == read_pieces(text, ALL)
    assert read_pieces(text, ONE).labels == [(b"1", 1)]
