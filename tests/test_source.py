"""Where text comes from, what is decided about its labels, and what is said when it cannot be read."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.text_oracles import read_pieces, written
from thresher.data.files import Files
from thresher.data.names import slot_of
from thresher.data.recipe import Recipe
from thresher.data.source import Opened, Place, Source
from thresher.data.spelling import positive_index
from thresher.data.text import TextStream

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

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
        assert stream.names_of(batch, 80_000) == {slot_of("a", 2**18): "a"}
        assert other.names_of(batch, 80_000) == {}
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


# ---- files -----------------------------------------------------------------------------------------------------------


def values_of(places: list[Place], **options: Any) -> list[float]:
    """The values in slot 0, in order."""
    with th.open_stream(places, n=1, **options) as stream:
        return [value for batch in stream for value in batch.matrix().toarray().ravel().tolist()]


def test_files_are_read_in_order_and_none_needs_a_last_line_break(tmp_path: Path) -> None:
    texts = [b"1 1:1\n1 1:2", b"", b"1 1:3\r", b"\n", b"\xef\xbb\xbf1 1:4", b"# only a comment", b"1 1:5\n"]
    places = written(tmp_path, *texts)
    assert values_of(places) == [1, 2, 3, 4, 5]
    assert values_of(places[::-1]) == [5, 4, 3, 1, 2]
    with th.open_stream(places) as stream:
        list(stream)
        assert stream.read == stream.source.size == sum(map(len, texts))


def test_every_file_counts_its_own_lines(tmp_path: Path) -> None:
    places = written(tmp_path, b"1 1:1\n1 1:2", b"1 1:1\n1 1:2\n1 1:x\n")
    with th.open_stream(places) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(places[1]), 3, 5)


def test_an_empty_file_has_no_examples(tmp_path: Path) -> None:
    assert values_of(written(tmp_path, b"")) == []
    assert values_of(written(tmp_path, b"\xef\xbb\xbf")) == []
    assert values_of(written(tmp_path, gzip.compress(b""))) == []
    assert values_of(written(tmp_path, zstd.compress(b""))) == []


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    code = (
        "import thresher as th\n"
        "stream = th.open_stream('-', n=4)\n"
        "assert not stream.source.again and stream.source.size is None\n"
        "print([batch.matrix().toarray().tolist() for batch in stream], stream.bad)"
    )
    for text in (b"1 1:5\n-1 2:6", gzip.compress(b"1 1:5\n-1 2:6"), zstd.compress(b"1 1:5\n-1 2:6")):
        done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, check=True)
        assert done.stdout == b"[[[5.0, 0.0, 0.0, 0.0], [0.0, 6.0, 0.0, 0.0]]] 0\n"


def test_an_error_in_standard_input_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"1 1:1\n1 x"))))
    with th.open_stream("-") as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert (caught.value.file, caught.value.line, caught.value.column) == ("standard input", 2, 3)


@pytest.mark.parametrize("places", [(), ("-", "text"), ("demo:pears",)])
def test_sources_that_make_no_sense_are_refused(places: tuple[str, ...]) -> None:
    with pytest.raises(th.ParameterError, match=r"found .*expected"):
        th.open_stream(list(places))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (np.ones((3, 2)), "found ndarray for a source, expected a file.* a data frame; .*learn_many"),
        ([[1.0, 2.0], [3.0, 4.0]], "found list for a source.*learn_many"),
        ({"day": "monday.vw"}, "found dict for a source"),
        (None, "found NoneType for a source"),
        (b"monday.vw", "found bytes for a source"),
        (7, "found int for a source"),
        ((), "found no source"),
    ],
)
def test_what_is_no_source_is_told_what_takes_it(given: Any, says: str) -> None:
    with pytest.raises(th.ParameterError, match=says):
        th.open_stream(given)


def test_a_lazy_frame_is_to_be_collected() -> None:
    import polars

    frame: Any = polars.LazyFrame({"age": [1, 2], "label": [0, 1]})
    with pytest.raises(th.ParameterError, match=r"found LazyFrame for a source, .*; frame\.collect\(\) is one"):
        th.open_stream(frame)
    assert len(list(th.open_stream(frame.collect()))) == 1


@pytest.mark.parametrize("text", ["a | x\nb | y\n", "x,label\n1,a\n2,b\n"])
def test_a_stream_that_has_ended_gives_nothing_more_as_a_file_does(text: str, tmp_path: Path) -> None:
    (place,) = written(tmp_path, text.encode())
    with th.open_stream(place) as stream:
        assert [len(batch) for batch in stream] == [2]
        assert list(stream) == []
    assert [len(batch) for batch in th.open_stream(place)] == [2]


def test_a_named_pipe_is_read_but_not_again(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"1 1:1\n" * 50_000 + b"1 1:2",))
    writer.start()
    with th.open_stream(pipe, n=1) as stream:
        assert (stream.source.again, stream.source.size) == (False, None)
        assert sum(batch.matrix().sum() for batch in stream) == 50_002
    writer.join()


def test_a_pipe_cut_off_in_its_compressed_data_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(b"1 1:1\n" * 1000)[:-5],))
    writer.start()
    with pytest.raises(th.SourceError) as caught:
        values_of([pipe])
    writer.join()
    said = "found the end of the file, in the middle of its compressed data, expected the rest: it was cut off"
    assert str(caught.value) == f"{pipe}: {said}"


def test_a_place_that_cannot_be_opened_is_told_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (good,) = written(tmp_path, b"1 1:1\n")
    missing = tmp_path / "missing"
    for before in ([], [good]):
        with pytest.raises(FileNotFoundError) as lost:
            th.open_stream([*before, missing])
        assert lost.value.filename == str(missing)
    with pytest.raises(IsADirectoryError) as folder:
        th.open_stream(tmp_path)
    assert folder.value.filename == str(tmp_path)

    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError) as closed:
        th.open_stream(good)
    assert closed.value.filename == str(good)


def test_how_far_one_has_read_can_be_asked_while_the_file_is_being_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closing(_: Opened) -> int:
        raise OSError(errno.EBADF, "Bad file descriptor")

    files = Files(Source(*written(tmp_path, b"1 1:1\n")), ahead=False)
    monkeypatch.setattr(Opened, "position", closing)
    assert files.read == 0
    files.close()


def test_an_error_of_the_disk_stays_what_it_is(tmp_path: Path) -> None:
    class Broken:
        def readinto(self, buffer: memoryview, /) -> int:
            raise OSError(errno.EIO, "Input/output error")

        def readinto1(self, buffer: memoryview, /) -> int:
            return self.readinto(buffer)

        def read1(self, size: int = 0, /) -> bytes:
            return b""

        def peek(self, size: int = 0, /) -> bytes:
            return b""

    (place,) = written(tmp_path, b"1 1:1\n")
    with th.open_stream(place) as stream:
        assert isinstance(stream, TextStream)
        stream._files.file = Opened("text", Broken(), None)
        with pytest.raises(OSError, match="Input/output error"):
            list(stream)


def test_binary_data_is_refused_at_its_first_line(tmp_path: Path) -> None:
    for noise in (b"\x7fELF\x02\x01\x01" + bytes(9), bytes(100), bytes(range(256)), b"\x89PNG\r\n\x1a\n" + bytes(8)):
        with th.open_stream(written(tmp_path, noise)) as stream, pytest.raises(th.SourceError) as caught:
            list(stream)
        assert caught.value.line == 1
        assert str(caught.value).isprintable()


# ---- compressed files ------------------------------------------------------------------------------------------------

TEXT = b"".join(b"1 1:%d.5\n-1 1:-%d\n" % (i, i) for i in range(1, 40))
VALUES = [value for i in range(1, 40) for value in (i + 0.5, -i)]
COMPRESS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "Zstandard": zstd.compress}


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_files_are_known_by_content_whatever_their_parts(tmp_path: Path, kind: str) -> None:
    compress = COMPRESS[kind]
    half = len(TEXT) // 2 + 3  # in the midst of a line
    parts = compress(TEXT[:half]) + compress(b"") + compress(TEXT[half:])
    for text in (compress(TEXT), parts):
        assert values_of(written(tmp_path, text)) == VALUES
    mixed = written(tmp_path, parts, TEXT, compress(b"\xef\xbb\xbf" + TEXT))
    assert values_of(mixed) == VALUES * 3
    with th.open_stream(mixed, n=1) as stream:
        list(stream)
        assert stream.read == stream.source.size


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_compressed_file_cut_off_at_any_byte_is_refused(tmp_path: Path, kind: str) -> None:
    whole = COMPRESS[kind](TEXT)
    for size in range(1, len(whole)):
        (place,) = written(tmp_path, whole[:size])
        with pytest.raises(th.SourceError) as caught:
            values_of([place])
        assert caught.value.file == str(place)
        if size >= 4:
            said = f"found the end of the file after {size:,} bytes, in the middle of its compressed data, expected the rest"
            assert str(caught.value) == f"{place}: {said}: it was cut off"


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_damaged_byte_never_changes_what_is_read(tmp_path: Path, kind: str) -> None:
    whole = (
        zstd.compress(TEXT, options={zstd.CompressionParameter.checksum_flag: 1})
        if kind == "Zstandard"
        else gzip.compress(TEXT)
    )
    errors: list[th.SourceError] = []
    for at in range(4, len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0x41
        (place,) = written(tmp_path, bytes(damaged))
        try:
            assert values_of([place]) == VALUES
        except th.SourceError as error:
            errors.append(error)
    assert len(errors) > len(whole) - 20  # some bytes say nothing about the text, such as the time
    assert {refusal.file for refusal in errors} == {str(place)}
    assert all(re.fullmatch(r".*: found .+, expected .+", str(refusal)) for refusal in errors)


@pytest.mark.parametrize(
    ("kind", "content"),
    [("bzip2", bz2.compress(TEXT)), ("xz", lzma.compress(TEXT)), ("zip", b"PK\x03\x04" + bytes(30))],
    ids=["bzip2", "xz", "zip"],
)
def test_other_compressions_are_told_by_name(tmp_path: Path, kind: str, content: bytes) -> None:
    (place,) = written(tmp_path, content)
    with pytest.raises(th.SourceError) as caught:
        th.open_stream(place)
    assert str(caught.value) == f"{place}: found {kind}, expected text, or text compressed by gzip or Zstandard"


# ---- the format ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (b"1 | a", "vw"),
        (b"\n \t\n1 |a b\n", "vw"),
        (b"\xef\xbb\xbf| a", "vw"),
        (b"1 | a # b", "vw"),
        (b"1 1:1", "svmlight"),
        (b"# | comment\n1 1:1 # | more\n", "svmlight"),
        (b"1 1:1 # a | b\n", "svmlight"),
        (b"1:1", "svmlight"),
        (b"", "svmlight"),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstd.compress], ids=["text", "gzip", "Zstandard"])
def test_the_first_line_tells_the_format(tmp_path: Path, text: bytes, wanted: str, compress: Callable[[bytes], bytes]) -> None:
    with th.open_stream(written(tmp_path, compress(text))) as stream:
        assert stream.recipe.format == wanted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_bad": "ignore"}, "found on_bad = 'ignore', expected 'stop' or 'skip'"),
        ({"bits": 0}, "found bits = 0, expected from 1 to 31"),
        ({"bits": 32}, "found bits = 32, expected from 1 to 31"),
        ({"n": 0}, "found n = 0, expected from 1 to 2^31 slots"),
        ({"n": 2**31 + 1}, "found n = 2147483649, expected from 1 to 2^31 slots"),
        ({"format": "xml"}, "found format 'xml', expected one of svmlight, vw, csv, parquet, arrow, jsonl"),
        ({"format": "vw", "zero_based": True}, "found --zero-based for Vowpal Wabbit text, which has names and no indices"),
        ({"format": "svmlight", "tags": True}, "svmlight or LIBSVM text has no tags"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(th.ParameterError) as caught:
        th.open_stream(written(tmp_path, b"1 1:1\n"), **options)
    assert str(caught.value) == message
