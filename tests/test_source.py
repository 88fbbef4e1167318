"""Where text comes from, what is decided about its labels, and what is said when it cannot be read."""

from __future__ import annotations

from itertools import repeat
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests.oracles import everything
from tests.text_oracles import read_pieces
from thresher.data.names import slot_of
from thresher.data.recipe import Recipe
from thresher.data.source import Place
from thresher.data.spelling import positive_index

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


def test_collisions_are_counted_only_in_examples_that_are_given(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"1 | a b\n| c d\n-1 | a e f\n1 oops | g h\n2 | i j\n1 | k:2e75 l:-1 m:1e75 n:2e75\n")
    learner = th.Perceptron(1)
    with th.open_stream(path, n=1, on_bad="skip") as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y)
    assert (learner.rounds, stream.unlabelled, stream.bad) == (2, 1, 3)
    assert learner.collisions == 1 + 2


def test_a_stream_has_no_names_for_the_rows_of_another(tmp_path: Path) -> None:
    long, short = tmp_path / "long", tmp_path / "short"
    long.write_text("1 | a\n" * 100_000)
    short.write_text("1 | b\n")
    with th.open_stream(long) as stream, th.open_stream(short) as other:
        batch = next(iter(stream))
        next(iter(other))
        assert stream.names_of(batch, 99_000) == {slot_of("a", 2**18): "a"}
        assert other.names_of(batch, 99_000) == {}
        other.keep_names(batch, np.ones(len(batch), dtype=bool))
        assert other.names == b""


# ---- lines at the edge of what can be read ---------------------------------------------------------------------------


def test_zeros_before_an_index_do_not_change_it() -> None:
    made = read_pieces([b"1 " + b"0" * 30 + b"3:1\n1 " + b"0" * 30 + b":1\n1 1" + b"0" * 20 + b":1\n"], ALL)
    assert [row[0] for row in made.rows] == [[2]]
    assert [bad[2] for bad in made.bad] == [b"index " + b"0" * 30, b"index 1" + b"0" * 20]


def test_bytes_that_are_no_letters_are_shown_cut_too() -> None:
    (bad,) = read_pieces([b"1 " + b"\x80" * 1000], ALL).bad
    assert bad[2] == b"'" + b"\x80" * 43 + b"...'"
    (bad,) = read_pieces([b"1 " + "€".encode() * 1000], ALL).bad
    assert bad[2].decode() == "'" + "€" * 14 + "...'"


def test_a_label_beyond_all_numbers_is_none() -> None:
    made = read_pieces([b"1e400 1:1\n-2e999 1:1\n1e308 1:1\n"], ALL)
    assert [bad[2:] for bad in made.bad] == [(b"'1e400'", "a label"), (b"'-2e999'", "a label")]
    assert made.labels == [(b"1e308", 3)]


def test_lines_that_are_skipped_are_told_with_the_file_they_stand_in(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1 1:1\n-1 x\n")
    second.write_bytes(b"1 y\n1 1:1\n-1 2:z")
    with th.open_stream([first, second], on_bad="skip") as stream:
        assert sum(len(batch) for batch in stream) == 2
    found = [(error.file, error.line, error.column) for error in stream.first_bad]
    assert found == [(str(first), 2, 4), (str(second), 1, 3), (str(second), 3, 6)]


def test_what_does_not_print_is_told_by_its_number_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("1 1:1\n1 1:\u2028\x85\x9b\x1b\u200fß\n".encode())
    with th.open_stream(path) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert str(caught.value).startswith(f"{path}:2:5: found '\\u2028\\x85\\x9b\\x1b\\u200fß', expected ")


# ---- recipes and labels that only a program can make -----------------------------------------------------------------


@pytest.mark.parametrize("label", ["\ud800", "a\udfff", ""])
def test_a_recipe_whose_label_no_text_can_hold_is_refused(label: str) -> None:
    stored = Recipe("vw", 8, minus="a", plus="b").as_dict()
    assert Recipe.from_dict(stored).plus == "b"
    with pytest.raises(th.StoreError, match="of the wrong types"):
        Recipe.from_dict({**stored, "plus": label})


@pytest.mark.parametrize("word", ["1_0", "１"])
def test_what_only_python_takes_for_a_number_is_a_word(word: str) -> None:
    with pytest.raises(th.ParameterError, match="say with --positive LABEL"):
        positive_index([word, "5"], None, -1)
    assert positive_index([word, "0x"], None, -1) == int(word < "0x")


# ---- going on where one stopped --------------------------------------------------------------------------------------


def written(folder: Path, *texts: bytes) -> list[Place]:
    places: list[Place] = []
    for number, text in enumerate(texts):
        places.append(folder / f"text-{number}")
        (folder / f"text-{number}").write_bytes(text)
    return places


#: Some batches long; labels that are told apart in the first line; the second file has a mark, the third no last line break.
LONG = (
    b"1 | a b:2\n-1 | c\n" + b"1 | d e f:0.1\n" * 90_000,
    b"",
    b"\xef\xbb\xbf-1 | first\r\n" + b"\n1 't| x y\n" * 100_000 + b"-1 | z",
    b"1 | " + b"w " * 700_000 + b"\n-1 | v",
)


def test_going_on_from_any_batch_equals_never_having_stopped(tmp_path: Path) -> None:
    places = written(tmp_path, *LONG)
    whole, positions, counts = th.Perceptron(64), [], [0]
    with th.open_stream(places, n=64) as stream:
        positions.append(stream.position)
        for batch in stream:
            whole.learn_many(batch.X, batch.y, batch.weights)
            positions.append(stream.position)
            counts.append(whole.rounds)
    positions.append(stream.position)
    counts.append(whole.rounds)
    assert len(positions) > 5
    for count, position in zip(counts, positions, strict=True):
        learner = th.Perceptron(64)
        with th.open_stream(places, n=64) as stream:
            for batch in stream:
                if learner.rounds == count:
                    break
                learner.learn_many(batch.X, batch.y, batch.weights)
        with th.open_stream(places, recipe=stream.recipe) as rest:
            rest.skip_to(position)
            assert rest.position == position
            for batch in rest:
                learner.learn_many(batch.X, batch.y, batch.weights)
        assert everything(learner) == everything(whole)
        assert rest.position == positions[-1]


def test_lines_are_counted_on_after_going_on(tmp_path: Path) -> None:
    places = written(tmp_path, b"1 1:1\n-1 1:1\n" * 90_000 + b"x y\n", b"1 1:1\n1 z\n")
    with th.open_stream(places) as stream:
        next(iter(stream))
        position = stream.position
    with th.open_stream(places, on_bad="skip") as rest:
        rest.skip_to(position)
        assert sum(len(batch) for batch in rest) < 180_001
    assert [(error.file, error.line) for error in rest.first_bad] == [(str(places[0]), 180_001), (str(places[1]), 2)]


@pytest.mark.parametrize(
    "texts",
    [
        (b"1 1:1\n-1 1:2\n", b"1 1:3\n-1 1:5"),
        (b"1 1:1\n-1 1:2\n", b"1 1:3\n"),
        (b"1 1:1\n", b"-1 1:2\n1 1:3\n-1 1:4"),
        (b"1 1:1\n-1 1:2\n1 1:3\n-1 1:4",),
        (b"1 1:1\n-1 1:2\n", b"", b"1 1:3\n-1 1:4"),
        (b"",),
    ],
    ids=["another byte", "shorter", "moved to the next file", "in one file", "an empty file between", "nothing"],
)
def test_going_on_in_another_text_is_refused(tmp_path: Path, texts: tuple[bytes, ...]) -> None:
    with th.open_stream(written(tmp_path, b"1 1:1\n-1 1:2\n", b"1 1:3\n-1 1:4")) as stream:
        list(stream)
    places = written(tmp_path, *texts)
    with th.open_stream(places) as other, pytest.raises(th.SourceError) as caught:
        other.skip_to(stream.position)
    assert str(caught.value) == (
        f"{' '.join(map(str, places))}: found another text than the run was reading, in its first 25 bytes; "
        "expected the same, to go on where it stopped"
    )


# ---- labels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n"])
def test_the_last_line_has_a_say_in_what_the_labels_are_even_without_a_line_break(tmp_path: Path, end: bytes) -> None:
    (place,) = written(tmp_path, b"spam | a\nham | b" + end)
    with th.open_stream(place) as stream:
        assert [batch.y.tolist() for batch in stream] == [[1, -1]]
    assert (stream.recipe.plus, stream.recipe.minus) == ("spam", "ham")
