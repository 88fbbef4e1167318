"""A file of several pieces, whose threads take its bytes by themselves: the same rows, as far as the file is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from resource import RLIMIT_NOFILE, getrlimit, setrlimit

import pytest

import thresher as th
from thresher.data.batch import Position
from thresher.data.source import Opened

NUMBERS = (1, 2, 3, 5)


def svmlight(path: Path, rows: int, *, labels: str = "random") -> Path:
    """Some twenty terms a row; the second label comes with the last row, or with the first ones."""
    chance = Random(1)
    with path.open("w") as file:
        for k in range(rows):
            label = 1 if labels == "late" and k < rows - 1 else chance.choice((-1, 1))
            terms = " ".join(f"{slot}:{chance.randint(1, 99) / 8}" for slot in sorted(chance.sample(range(1, 9999), 20)))
            file.write(f"{label if k < rows - 1 else -1} {terms}\n")
    return path


def named(path: Path, rows: int) -> Path:
    chance = Random(2)
    with path.open("w") as file:
        file.writelines(f"{chance.choice((-1, 1))} 'row{k} |a w{k % 5000} x{k % 7}:0.5 |b y{k}\n" for k in range(rows))
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("following")
    return {
        "svmlight": svmlight(folder / "text.svm", 20_000),
        "vw": named(folder / "text.vw", 90_000),
        "late": svmlight(folder / "late.svm", 20_000, labels="late"),
    }


def everything(*places: Path, threads: int) -> tuple[list[object], Position, list[str], int]:
    """All rows of a stream, where it stands, what names it kept, and what it read."""
    with th.open_stream(places, threads=threads) as stream:
        found: list[object] = []
        for batch in stream:
            matrix = batch.matrix()
            found += zip(batch.y.tolist(), (matrix[k].data.tobytes() for k in range(0, len(batch), 500)), strict=False)
            found.append((len(batch), matrix.indices.tobytes(), matrix.data.tobytes()))
            stream.keep_names(batch, memoryview(b"\1" * len(batch)))
        return found, stream.position, stream.names.decode().split("\n"), stream.read


@pytest.mark.parametrize("name", ["svmlight", "vw", "late"])
def test_rows_are_those_of_bytes_that_are_handed_on(
    name: str, files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = tmp_path / "short"
    short.write_bytes(files[name].read_bytes()[:5000].rpartition(b"\n")[0])
    places = (files[name], short, files[name])
    followed = [everything(*places, threads=threads) for threads in NUMBERS]
    with monkeypatch.context() as patched:
        patched.setattr(Opened, "place", lambda _: None)
        handed_on = everything(*places, threads=1)
    assert sum(1 for _ in handed_on[0]) > 3 * len(places)
    assert handed_on[3] == sum(place.stat().st_size for place in places)
    assert all(found == handed_on for found in followed)


def test_batches_end_where_they_do_by_the_text_alone(tmp_path: Path) -> None:
    """What is left behind a long line asks for more memory than usual; who finds some that is larger must not use it."""
    chance, path = Random(12), tmp_path / "long.svm"
    with path.open("w") as file:
        for _ in range(12):
            file.write("# " + "c" * chance.randrange(100 << 10, 900 << 10) + "\n")
            file.write("1 1:1\n-1 2:1\n" * chance.randrange(5000, 60_000))

    def sizes(threads: int) -> list[int]:
        with th.open_stream(path, threads=threads) as stream:
            return [len(batch) for batch in stream]

    assert len(sizes(1)) > 10
    assert [sizes(threads) for _ in range(4) for threads in NUMBERS] == [sizes(1)] * 16


def test_what_was_read_is_told_as_it_goes(files: dict[str, Path]) -> None:
    size = files["vw"].stat().st_size
    with th.open_stream([files["vw"], files["vw"]], threads=2) as stream:
        told = [stream.read for _ in stream]
    assert told == sorted(told)
    assert len({*told}) > 3
    assert told[-1] == 2 * size


@pytest.mark.parametrize("threads", NUMBERS)
def test_a_run_goes_on_behind_what_was_followed(threads: int, files: dict[str, Path]) -> None:
    with th.open_stream([files["svmlight"]], threads=threads) as stream:
        batches = iter(stream)
        before = sum(len(next(batches)) for _ in range(3))
        position = stream.position
    with th.open_stream([files["svmlight"]], threads=threads) as stream:
        stream.skip_to(position)
        assert before + sum(len(batch) for batch in stream) == 20_000


@pytest.mark.parametrize("threads", NUMBERS)
def test_a_file_that_is_cut_ends_there(threads: int, tmp_path: Path) -> None:
    path = named(tmp_path / "text.vw", 300_000)
    with th.open_stream(path, threads=threads) as stream:
        batches = iter(stream)
        rows = len(next(batches))
        os.truncate(path, 2_000_000)
        rows += sum(len(batch) for batch in batches)
        cut = stream.position.offset
    assert rows < 300_000
    assert 2_000_000 <= cut < path.stat().st_size + 12_000_000  # some was read before


@pytest.mark.parametrize("threads", NUMBERS)
def test_a_file_that_grows_is_read_as_far_as_it_is_there(threads: int, tmp_path: Path) -> None:
    path = named(tmp_path / "text.vw", 100_000)
    with th.open_stream(path, threads=threads) as stream:
        batches = iter(stream)
        rows = len(next(batches))
        with path.open("a") as file:
            file.write("1 |a one more\n")
        assert rows + sum(len(batch) for batch in batches) == 100_001


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("threads", NUMBERS)
def test_what_the_system_refuses_comes_behind_what_was_read(
    threads: int, files: dict[str, Path], directory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Opened, "place", lambda _: (directory, 0))
    rows: list[int] = []
    with th.open_stream(files["svmlight"], threads=threads) as stream:
        with pytest.raises(IsADirectoryError):
            rows.extend(len(batch) for batch in stream)
        with pytest.raises(IsADirectoryError):
            next(iter(stream))
    assert len(rows) == 1
    assert 0 < rows[0] < 20_000


def test_a_descriptor_that_is_none_is_refused(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Opened, "place", lambda _: (-1, 0))
    with th.open_stream(files["svmlight"], threads=2) as stream, pytest.raises(OSError, match="Bad file descriptor"):
        for _ in stream:
            pass


def test_where_no_more_files_may_be_open_bytes_are_handed_on(files: dict[str, Path]) -> None:
    with th.open_stream(files["vw"], threads=2) as stream:
        before = getrlimit(RLIMIT_NOFILE)
        setrlimit(RLIMIT_NOFILE, (3, before[1]))
        try:
            rows = sum(len(batch) for batch in stream)
        finally:
            setrlimit(RLIMIT_NOFILE, before)
    assert rows == 90_000


def test_a_child_gets_no_file(files: dict[str, Path]) -> None:
    with th.open_stream(files["vw"], threads=2) as stream:
        batches = iter(stream)
        for _ in range(2):
            next(batches)
        opened = [int(link.name) for link in Path("/proc/self/fd").iterdir() if link.exists() and link.samefile(files["vw"])]
        assert len(opened) == 2
        assert not any(os.get_inheritable(descriptor) for descriptor in opened)


@pytest.mark.parametrize("taken", [1, 2, 4])
def test_who_stops_early_leaves_no_file_open(taken: int, files: dict[str, Path]) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for threads in NUMBERS:
        with th.open_stream(files["vw"], threads=threads) as stream:
            batches = iter(stream)
            for _ in range(taken):
                next(batches)
        assert list(batches) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before
