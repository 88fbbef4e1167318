"""Vowpal Wabbit text against a reader in plain Python, bit for bit."""

from __future__ import annotations

import struct
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.effort import tried
from tests.oracles import everything
from tests.strategies import names_of_slots
from tests.text_oracles import (
    Text,
    packed,
    read_pieces,
    read_stream,
    slot_of_name,
    spelled_as_first_met,
    value_of,
    vowpal,
    vowpal_names,
)
from tests.text_strategies import LARGEST, vowpal_texts
from thresher.data.names import slot_of

slots = st.sampled_from([1, 2, 3, 7, 64, 2**18, 2**31])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vowpal") / "text"


def collisions(names: list[tuple[bytes, float]], n: int) -> int:
    """How many different names met another one in their slot."""
    different = {name for name, _ in names}
    return len(different) - len({slot_of_name(name, n) for name in different})


# ---- whole files -----------------------------------------------------------------------------------------------------


@tried(150)
@given(vowpal_texts(), slots)
def test_a_file_gives_what_a_reader_in_plain_python_gives(path: Path, text: Text, n: int) -> None:
    path.write_bytes(text.content)
    wanted = text.examples(vowpal(n))
    with th.open_stream(path, n=n, format="vw", tags=True) as stream:
        assert read_stream(stream) == spelled_as_first_met(wanted)
    assert (stream.bad, stream.unlabelled) == (0, 0)
    assert stream.position.offset == len(text.content)
    with th.open_stream(path, n=n, format="vw") as stream:
        assert [one.tag for one in read_stream(stream)] == [b""] * len(wanted)


@tried(70)
@given(vowpal_texts(unlabelled=True), st.sampled_from([1, 3, 64]))
def test_lines_without_a_label_are_counted_and_given_only_where_they_are_asked_for(path: Path, text: Text, n: int) -> None:
    path.write_bytes(text.content)
    wanted = spelled_as_first_met(text.examples(vowpal(n)))
    missing = sum(one.label is None for one in wanted)
    with th.open_stream(path, n=n, format="vw", tags=True, keep_unlabelled=True) as stream:
        assert read_stream(stream) == wanted
    assert stream.unlabelled == missing
    learner = th.Perceptron(n)
    with th.open_stream(path, n=n, format="vw", tags=True) as stream:
        assert read_stream(stream) == [one for one in wanted if one.label is not None]
    assert (stream.bad, stream.unlabelled) == (0, missing)
    with th.open_stream(path, n=n, format="vw") as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y, batch.weights)
    labelled = [line for line in text.lines if (one := vowpal(n)(line)) is not None and one.label is not None]
    assert learner.collisions == sum(collisions(vowpal_names(line), n) for line in labelled)


@tried(70)
@given(vowpal_texts(), st.sampled_from([2, 3, 64, 2**10]))
def test_learning_a_file_equals_learning_its_dicts_one_by_one(path: Path, text: Text, n: int) -> None:
    utf8 = [line for line in text.lines if line.decode("utf-8", "ignore").encode() == line]
    lines = [line for line in utf8 if len(dict(vowpal_names(line))) == len(vowpal_names(line))]  # in a dict no name repeats
    path.write_bytes(b"\n".join(lines))
    learner, loop = th.Perceptron(n, bias=-0.5), th.Perceptron(n, bias=-0.5)
    with th.open_stream(path, n=n, format="vw") as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y, batch.weights)
    plus = (stream.recipe.plus or "").encode()
    for line in lines:
        if line.strip():
            example = {name.decode(): value for name, value in vowpal_names(line)}
            one = vowpal(n)(line)
            assert one is not None
            assert one.label is not None
            loop.learn(example, 1 if value_of(one.label) == value_of(plus) else -1, *struct.unpack("<d", one.weight))
    assert everything(learner) == everything(loop)


@tried(70)
@given(vowpal_texts(unlabelled=True), st.binary(max_size=60), st.lists(st.integers(1, 40), min_size=1))
def test_how_the_bytes_are_split_changes_nothing(text: Text, noise: bytes, sizes: list[int]) -> None:
    files = [text.content, text.content[: len(text.content) // 2] + noise, noise]
    assert read_pieces(files, cycle(sizes), "vw") == read_pieces(files, cycle([1 << 30]), "vw")


def test_a_name_that_comes_again_is_kept_in_the_first_slot_too(path: Path) -> None:
    path.write_bytes(b"1 | a\n1 | q q\n")  # q falls into slot 0 of 3
    with th.open_stream(path, n=3, format="vw") as stream:
        for batch in stream:
            stream.keep_names(batch, batch.y != 0)
    assert stream.names == b"a\nq\n"


@tried(50)
@given(vowpal_texts(), st.sampled_from([3, 2**18]))
def test_rows_are_shown_with_their_names_and_names_are_kept_once(path: Path, text: Text, n: int) -> None:
    path.write_bytes(text.content)
    lines = [vowpal_names(line) for line in text.lines if line.strip(b" \t")]
    with th.open_stream(path, n=n, format="vw") as stream:
        for batch in stream:
            shown = [stream.names_of(batch, row) for row in range(len(batch))]
            assert shown == [
                {slot_of_name(name, n): name.decode("utf-8", "backslashreplace") for name, _ in line} for line in lines
            ]
            stream.keep_names(batch, batch.y > 0)
            moved = {slot for row in range(len(batch)) if batch.y[row] > 0 for slot in batch.X[row]}
            names = [name for line, y in zip(lines, batch.y.tolist(), strict=True) if y > 0 for name, value in line if value]
    kept = stream.names.split(b"\n")[:-1]
    assert kept == list(dict.fromkeys(kept))
    assert set(kept) <= set(names)
    assert moved <= {slot_of_name(name, n) for name in kept}


# ---- names -----------------------------------------------------------------------------------------------------------


def rows_of(path: Path, text: bytes, n: int) -> list[tuple[tuple[int, bytes], ...]]:
    path.write_bytes(text)
    with th.open_stream(path, n=n, format="vw") as stream:
        return [one.row for one in read_stream(stream)]


def test_the_namespace_stands_before_the_name_unless_it_has_none(path: Path) -> None:
    n = 2**18
    for line, name in [
        (b"| a", "a"),
        (b"|n a", "n^a"),
        (b"|n:1 a", "n^a"),
        (b"|n | a", "a"),
        (b"||a b", "a^b"),
        (b"|n 7", "n^7"),
    ]:
        assert rows_of(path, b"1 " + line, n) == [((slot_of(name, n), packed(1.0)),)]


@pytest.mark.parametrize("space", [0, 2, 3, 6, 7, 8, 9, 20, 31, 32, 40])
def test_names_of_every_length_fall_into_the_slot_of_their_hash(path: Path, space: int) -> None:
    n = 2**31
    names = ["x" * size for size in range(1, 80)] + [f"ab{letter}" * 3 for letter in "cdefghijk"]
    start = "" if space == 0 else "s" * (space - 1) + "^"
    lines = "".join(f"1 |{start[:-1]} {name}\n" for name in names)
    assert rows_of(path, lines.encode(), n) == [((slot_of(start + name, n), packed(1.0)),) for name in names]


def test_a_name_that_comes_again_is_a_count_and_no_collision(path: Path) -> None:
    path.write_bytes(b"1 | a a a b:2 a:0.5\n")
    learner = th.Perceptron(2**18)
    with th.open_stream(path) as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y)
            values = dict(zip(batch.matrix().indices.tolist(), batch.matrix().data.tolist(), strict=True))
    assert values == {slot_of("a", 2**18): 3.5, slot_of("b", 2**18): 2.0}
    assert learner.collisions == 0


def test_what_shares_a_slot_is_added_the_smaller_value_first_in_any_order(path: Path) -> None:
    assert 1e16 + 1.0 + 1.0 == 1e16
    for line in (b"a:1e16 b c", b"c a:1e16 b:1", b"b c a:1e16", b"a:1e16 a a:1"):
        assert rows_of(path, b"1 | " + line, 1) == [((0, packed(1e16 + 2.0)),)]


def test_values_that_add_up_to_nothing_are_left_out(path: Path) -> None:
    assert rows_of(path, b"1 | a a:-1 b:0 c:-0 d:1e-300 |n:1e-300 e:1e-300\n", 2**18) == [
        ((slot_of("d", 2**18), packed(1e-300)),)
    ]


@pytest.mark.parametrize("again", [1, 500])
@pytest.mark.parametrize("size", [1, 2, 191, 192, 193, 255, 256, 257, 5000])
def test_rows_of_every_size_are_ascending_with_all_their_names(path: Path, size: int, again: int) -> None:
    n = 1000
    names = [f"name-{i}" for i in range(size)] + ["name-0"] * (again - 1)
    wanted: dict[int, float] = {}
    for name in names:
        wanted[slot_of(name, n)] = wanted.get(slot_of(name, n), 0.0) + 1.0
    (row,) = rows_of(path, b"1 | " + " ".join(names).encode(), n)
    assert row == tuple((slot, packed(wanted[slot])) for slot in sorted(wanted))


def test_names_that_all_fall_into_one_slot_are_added(path: Path) -> None:
    names = names_of_slots(4, 60)[2]
    (row,) = rows_of(path, b"1 | " + b" ".join(name.replace(" ", "_").encode() for name in names), 1)
    assert row == ((0, packed(60.0)),)


# ---- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", range(-6, 7))
def test_lines_around_the_end_of_the_buffer_are_read_whole(path: Path, short: int) -> None:
    line = b"-1 0.5 'tag|namespace:2 name:0.25 other\r\n"
    filler = b" " * ((1 << 20) - 8 - len(line) - len(line) // 2 + short) + b"\n"
    row = rows_of(path, b"1 | a\n" + line + filler + line * 3 + b"1 | b", 2**18)
    assert len(set(row[1:5])) == 1
    assert [len(one) for one in row] == [1, 2, 2, 2, 2, 1]


def test_a_value_may_be_as_large_as_2_to_the_250_and_no_larger(path: Path) -> None:
    largest = f"{LARGEST:.0f}".encode()
    assert rows_of(path, b"1 | a:" + largest, 1) == [((0, packed(LARGEST)),)]
    path.write_bytes(b"1 | a:1.81e75")
    with th.open_stream(path) as stream, pytest.raises(th.SourceError, match=r":1:7: found '1\.81e75', expected a finite"):
        list(stream)
