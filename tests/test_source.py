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


def test_a_line_too_long_is_refused_with_and_without_its_line_break() -> None:
    longest = 1 << 24
    label = b"1 1:1"
    for end in (b"\n", b""):
        assert read_pieces([label.ljust(longest) + end], ALL).counts[0] == 0
        assert read_pieces([label.ljust(longest + 1) + end], ALL).bad == [(1, 1, b"a line of more than 16 MiB", "shorter ones")]


def test_a_line_too_long_at_the_end_of_a_file_takes_nothing_from_the_next() -> None:
    made = read_pieces([b"1".ljust((1 << 24) + 1), b"2 1:1\n2 1:2\n"], ALL)
    assert [row[0] for row in made.rows] == [[0], [0]]
    assert (made.labels, made.counts[0]) == ([(b"2", 1)], 1)


# ---- what a line that is left out leaves behind: nothing -------------------------------------------------------------


def test_a_line_without_features_brings_no_label_where_a_learner_needs_features() -> None:
    made = read_pieces([b"5\n1 1:1\n2 1:1\n"], ALL, needs_features=True)
    assert (len(made.rows), made.labels, made.counts[0]) == (2, [(b"1", 2), (b"2", 3)], 1)
