"""Any number of threads makes of a text what one makes of it, and what goes wrong comes where it would come with one."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import random
import threading
import time
from itertools import cycle
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.commands import run
from tests.tables import FORMS
from tests.text_oracles import read_pieces
from thresher.data.ahead import Ahead
from thresher.data.text import TextStream
from thresher.errors import ParameterError, SourceError

NUMBERS = (2, 3, 8)

LINES = {
    "svmlight": [
        b"1 1:1 3:0.5",
        b"-1 2:1",
        b"2 1:1",
        b"+1 4:1 qid:1",
        b"x 1:1",
        b"1 9999:1",
        b"",
        b"1 3:1 1:1 # late",
        b"1 1:",
    ],
    "vw": [b"1 | a b", b"-1 |n a:2 c", b"2 | a", b"+1 0.5 't|m x", b"word | y", b"1 | a:", b"", b"| only", b"no bar"],
}


@given(data=st.data(), format=st.sampled_from(list(LINES)), skip=st.booleans(), threads=st.sampled_from(NUMBERS))
def test_threads_change_nothing(data: st.DataObject, format: str, skip: bool, threads: int) -> None:
    lines = st.lists(st.sampled_from([*LINES[format][:2] * 8, *LINES[format]]), max_size=60)
    files = [b"\n".join(data.draw(lines)) for _ in range(data.draw(st.integers(1, 3)))]
    sizes = data.draw(st.lists(st.integers(1, 200), min_size=1, max_size=5))
    alone = read_pieces(files, cycle(sizes), format, skip_bad=skip)
    together = read_pieces(files, cycle(sizes), format, skip_bad=skip, threads=threads)
    assert (together.rows, together.labels, together.bad) == (alone.rows, alone.labels, alone.bad)
    assert together.counts == alone.counts or not skip  # at a bad line that ends it, who knows how much had been read


def made(path: Path, rows: int) -> Path:
    """A text of some megabytes, with a few lines that cannot be read."""
    chance = random.Random(1)
    words = [f"word{k}" for k in range(400)]
    with path.open("w") as file:
        for _ in range(rows):
            some = " ".join(f"{word}:{chance.randint(1, 9)}" for word in chance.choices(words, k=20))
            file.write(f"{chance.choice((-1, 1))} |n {some}\n" if chance.random() > 1e-4 else "1 |n a:\n")
    return path


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("threads") / "text.vw", 15_000)


def test_the_model_and_what_is_said_are_the_same(text: Path, tmp_path: Path) -> None:
    packed = tmp_path / "text.vw.gz"
    packed.write_bytes(gzip.compress(text.read_bytes(), 1))
    models, said = set(), set()
    for source, threads in itertools.product((text, packed), ("1", "2", "5")):
        model = tmp_path / "model"
        model.unlink(missing_ok=True)
        done = run(
            "learn", source, "--learner", "perceptron", "--on-bad", "skip", "--threads", threads, "--save", model, "--json"
        )
        assert done.status == 0
        models.add(model.read_bytes())
        counts = run("predict", model, source, "--on-bad", "skip", "--threads", threads)
        said.add(counts.out)
    assert len(models) == len(said) == 1


def batches(*places: Path, threads: int, on_bad: str = "stop") -> tuple[list[tuple[int, bytes]], str]:
    """The batches of a stream, and how it ended."""
    found = []
    try:
        with th.open_stream(places, threads=threads, on_bad=on_bad) as stream:
            for batch in stream:
                found.append((len(batch), batch.matrix().data.tobytes()))
    except SourceError as error:
        return found, str(error)
    return found, ""


def test_a_bad_line_comes_after_the_batches_before_it(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("1 1:1 2:2\n-1 3:0.25\n" * 200_000)
    bad.write_text("1 1:1 2:2\n-1 3:0.25\n" * 150_000 + "1 1:one\n" + "1 1:1\n" * 100_000)
    (found, error) = batches(good, bad, threads=1)
    assert error.startswith(f"{bad}:300001:5: found 'one', expected a finite number")
    assert sum(rows for rows, _ in found) == 700_000
    for threads in NUMBERS:
        assert batches(good, bad, threads=threads) == (found, error)


def test_compressed_text_that_was_cut_off_comes_after_the_batches_before_it(text: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(text.read_bytes(), 1)[:-100_000])
    (found, error) = batches(cut, threads=1, on_bad="skip")
    assert len(found) > 1
    assert "in the middle of its compressed data" in error
    for threads in NUMBERS:
        assert batches(cut, threads=threads, on_bad="skip") == (found, error)


def test_a_third_label_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "late"
    path.write_text("1 | a\n" * 10_000 + "0 | b\n" * 100_000 + "2 | b\n" + "1 | b\n" * 50_000)
    (found, error) = batches(path, threads=1, on_bad="skip")
    assert not error
    for threads in NUMBERS:
        assert batches(path, threads=threads, on_bad="skip") == (found, error)
        with pytest.raises(SourceError, match=r"late:110001:1: found label '2', expected '1' or '0', the two labels before it"):
            learn_all(path, threads)


def learn_all(path: Path, threads: int) -> int:
    with th.open_stream(path, threads=threads) as stream:
        learner = th.Perceptron(stream.n)
        return sum(learner.learn_many(batch.X, batch.y).mistakes for batch in stream)


@pytest.mark.parametrize("threads", [1, *NUMBERS])
def test_a_file_that_grows_is_read_as_far_as_it_is_there(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "grows"
    path.write_text("1 1:1\n-1 2:1\n" * 300_000)
    with th.open_stream(path, threads=threads) as stream:
        count = 0
        for number, batch in enumerate(stream):
            count += len(batch)
            if number == 0:
                with path.open("a") as file:
                    file.write("1 1:1\n" * 1000)
    assert count == 601_000


@pytest.mark.parametrize("threads", [1, *NUMBERS])
def test_a_file_that_is_cut_while_it_is_read_ends_there(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "cut"
    path.write_text("1 1:1\n-1 2:1\n" * 2_000_000)
    whole = path.stat().st_size
    with th.open_stream(path, threads=threads) as stream:
        count = 0
        for number, batch in enumerate(stream):
            count += len(batch)
            if number == 0:
                os.truncate(path, whole // 2)
        assert stream.position.offset == whole // 2
    assert count == 2_000_000


def test_a_stream_that_is_left_ends_its_threads(text: Path, tmp_path: Path) -> None:
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(text.read_bytes(), 1))
    before = threading.active_count()
    for source in (text, packed):
        with th.open_stream(source, threads=4, on_bad="skip") as stream:
            assert len(next(iter(stream)))
        assert list(stream) == []
    assert threading.active_count() == before


def test_what_a_text_raises_comes_after_what_it_gave() -> None:
    class Failing:
        given = 0

        def read1(self, size: int = 1, /) -> bytes:
            self.given += 1
            if self.given == 3:
                raise EOFError
            return b"ab"

    text, room = Ahead(Failing()), bytearray(3)
    assert text.readinto(memoryview(room)) == 3
    assert (bytes(room), text.read1(), text.readinto(memoryview(b""))) == (b"aba", b"b", 0)
    with pytest.raises(EOFError):
        text.peek()
    assert text.readinto(memoryview(room)) == 0
    text.close()


@pytest.mark.parametrize("threads", [1, *NUMBERS])
def test_what_came_through_a_pipe_is_given_before_more_is_waited_for(tmp_path: Path, threads: int) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = b"1 1:1\n-1 2:1\n" * 200_000
    given = threading.Event()

    def write() -> None:
        with pipe.open("wb") as out:
            out.write(lines)
            out.flush()
            given.wait(60)  # no more comes before everything that came was given
            out.write(b"1 1:1")

    writer = threading.Thread(target=write)
    writer.start()
    count = 0
    with th.open_stream(pipe, threads=threads) as stream:
        for batch in stream:
            count += len(batch)
            if count == 400_000:
                given.set()
    writer.join()
    assert count == 400_001


def test_whoever_waits_for_a_piece_is_told_when_it_is_closed() -> None:
    ahead = Ahead(io.BufferedReader(io.BytesIO(b"1 1:1\n" * 100_000)))
    while ahead.read1():
        pass
    ahead.close()
    ahead.close()
    assert ahead.read1() == b""
    waiting = Ahead(Silent())
    threading.Timer(0.1, waiting.close).start()
    assert waiting.read1() == b""


@pytest.fixture
def no_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)


@pytest.mark.usefixtures("no_more_threads")
def test_where_no_thread_is_to_be_had_whoever_reads_decompresses(text: Path, tmp_path: Path) -> None:
    packed, cut = tmp_path / "packed.gz", tmp_path / "cut.gz"
    whole = gzip.compress(text.read_bytes(), 1)
    packed.write_bytes(whole)
    cut.write_bytes(whole[: len(whole) // 2])
    assert batches(packed, threads=2, on_bad="skip") == batches(text, threads=2, on_bad="skip")
    assert batches(packed, packed, threads=2, on_bad="skip") == batches(text, text, threads=1, on_bad="skip")
    found, says = batches(cut, threads=2, on_bad="skip")
    assert found
    assert "cut.gz" in says
    with th.open_stream(packed, threads=2, on_bad="skip") as stream:
        assert len(next(iter(stream)))


@pytest.mark.usefixtures("no_more_threads")
def test_text_that_no_thread_reads_ends_where_it_is_closed() -> None:
    ahead = Ahead(io.BufferedReader(io.BytesIO(b"1 1:1\n" * 100_000)))
    room = bytearray(500_000)
    assert ahead.readinto(memoryview(room)) == 500_000
    assert bytes(room[:6]) == b"1 1:1\n"
    ahead.close()
    ahead.close()
    while ahead.read1():
        pass
    assert ahead.peek() == b""


@pytest.mark.usefixtures("no_more_threads")
@pytest.mark.parametrize("form", ["csv", "csv.gz", "jsonl", "parquet"])
def test_where_no_thread_is_to_be_had_whoever_reads_makes_the_rows_of_tables(form: str, tmp_path: Path) -> None:
    rows = [{"size": k / 7, "colour": ["red", "blue"][k % 2], "label": ["no", "yes"][k // 3 % 2]} for k in range(9000)]
    name, _, packed = form.partition(".")
    written = FORMS[name](rows, tmp_path)
    if packed:
        place = tmp_path / "packed.csv.gz"
        place.write_bytes(gzip.compress(written.read_bytes()))
        written = place

    def read(threads: int) -> list[bytes]:
        with th.open_stream([written, written], label="label", threads=threads) as stream:
            return [batch.matrix().data.tobytes() for batch in stream]

    assert b"".join(read(2)) == b"".join(read(1))


class Silent:
    """A text that says nothing for a while, and then ends."""

    def read1(self, size: int = -1, /) -> bytes:
        time.sleep(0.3)
        return b""


def test_a_stream_that_was_interrupted_while_it_read_says_so(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with th.open_stream(text, on_bad="skip") as stream:
        batches = iter(stream)
        assert len(next(batches))
        assert isinstance(stream, TextStream)

        def interrupted(buffer: memoryview) -> int:
            raise KeyboardInterrupt

        broken = mock.Mock(wraps=stream._files.file, readinto=interrupted, pipe=None)
        monkeypatch.setattr(stream._files, "file", broken)
        with pytest.raises(KeyboardInterrupt):
            list(batches)
        with pytest.raises(SourceError, match="interrupted while it read, expected it opened anew"):
            list(stream)


@pytest.mark.parametrize("texts", [(b"1 1:1\n", b""), (b"", b"1 1:1\n", b"", b"")])
def test_a_position_after_empty_files_is_found_again(tmp_path: Path, texts: tuple[bytes, ...]) -> None:
    places = [tmp_path / str(k) for k in range(len(texts))]
    for place, text in zip(places, texts, strict=True):
        place.write_bytes(text)
    with th.open_stream(places) as stream:
        assert len(list(stream)) == 1
        position = stream.position
    with th.open_stream(places) as stream:
        stream.skip_to(position)
        assert (list(stream), stream.position) == ([], position)
    places[0].write_bytes(b"2 1:1\n" + texts[0])
    with th.open_stream(places) as stream, pytest.raises(SourceError, match="found another text"):
        stream.skip_to(position)


def test_the_number_of_threads_is_checked(text: Path) -> None:
    for wrong in (0, 65):
        with pytest.raises(ParameterError, match=f"found threads = {wrong}, expected from 1 to 64"):
            th.open_stream(text, threads=wrong)
    assert "found threads = 65, expected from 1 to 64" in run("learn", text, "--threads", "65").err
    assert "found '0', expected a whole number of at least 1" in run("learn", text, "--threads", "0").err
