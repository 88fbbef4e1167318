"""A model file is replaced as a whole, or not at all; and what a path may lead to."""

from __future__ import annotations

import errno
import os
import resource
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import thresher as th
from thresher._core import unpack
from thresher.store import container
from thresher.store.atomic import replace

SECTIONS = {"weights": bytes(range(24)), "none": b""}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model"


def holds(path: Path, header: object) -> bool:
    found = container.read(path)
    return found.header == header and {name: section.tobytes() for name, section in found.sections.items()} == SECTIONS


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(("failure", "error"), [(full, OSError), (interrupted, KeyboardInterrupt)])
@pytest.mark.parametrize(("place", "step"), [(os, "fsync"), (os, "fchmod"), (Path, "replace")])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: Callable[..., None],
    error: type[BaseException],
    place: object,
    step: str,
) -> None:
    container.write(path, {"old": True}, SECTIONS)
    with monkeypatch.context() as patch:
        patch.setattr(place, step, failure)
        with pytest.raises(error) as caught:
            container.write(path, {"new": True}, {})
    assert caught.type is error
    assert list(path.parent.iterdir()) == [path]
    assert holds(path, {"old": True})


def test_a_disk_that_takes_no_more_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    container.write(path, {"old": True}, SECTIONS)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OSError, match="too large") as caught:
            container.write(path, {}, {"large": bytes(1_000_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    assert list(path.parent.iterdir()) == [path]
    assert holds(path, {"old": True})


def test_a_failure_where_nothing_was_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        container.write(path, {}, SECTIONS)
    assert list(path.parent.iterdir()) == []


def test_all_bytes_are_on_the_disk_before_the_name_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    container.write(path, {"old": True}, SECTIONS)
    synced = []

    def fsync(descriptor: int) -> None:
        assert holds(path, {"old": True})
        synced.append(Path(f"/proc/self/fd/{descriptor}").read_bytes())

    monkeypatch.setattr(os, "fsync", fsync)
    container.write(path, {"new": True}, SECTIONS)
    assert synced == [path.read_bytes()]
    assert holds(path, {"new": True})


def test_a_reader_of_the_old_file_keeps_it(path: Path) -> None:
    container.write(path, {"old": True}, SECTIONS)
    with path.open("rb") as old:
        container.write(path, {"new": True}, {})
        assert unpack(old.read())["weights"].tobytes() == SECTIONS["weights"]
    assert container.read(path).header == {"new": True}


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link, target = tmp_path / "link", tmp_path / "folder" / "model"
    link.symlink_to(Path("folder", "model"))
    for header in ({"first": 1}, {"then": 2}):  # the link leads nowhere at first
        container.write(link, header, SECTIONS)
        assert link.is_symlink()
        assert not target.is_symlink()
        assert holds(target, header)
        assert holds(link, header)
    assert list(target.parent.iterdir()) == [target]


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o027, 0o077])
def test_a_new_file_has_the_mode_of_any_new_file(path: Path, umask: Callable[[int], int], mask: int) -> None:
    umask(mask)
    container.write(path, {}, {})
    assert mode_of(path) == 0o666 & ~mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_a_file_that_is_replaced_keeps_its_mode(path: Path, umask: Callable[[int], int], mask: int, mode: int) -> None:
    path.write_bytes(b"old")
    path.chmod(mode)
    umask(mask)
    container.write(path, {}, {})
    assert mode_of(path) == mode
    assert container.read(path).header == {}


def test_a_file_that_may_not_be_written_is_not_replaced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # the tests may run as root, who may do anything
    with pytest.raises(PermissionError) as caught:
        container.write(path, {}, {})
    assert (caught.value.errno, caught.value.filename) == (errno.EACCES, str(path))
    assert path.read_bytes() == b"old"


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name, kind in (("", "a directory"), ("pipe", "a pipe, socket or device"), ("link", "a pipe, socket or device")):
        with pytest.raises(th.StoreError, match=f"found {kind}, expected a regular file or none"):
            container.write(tmp_path / name, {}, {})
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


def test_what_the_system_refuses_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        container.read(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        container.read(tmp_path)
    with pytest.raises(FileNotFoundError):
        container.write(tmp_path / "missing" / "model", {}, {})
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        container.write(tmp_path / "file" / "model", {}, {})
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        container.write(tmp_path / "loop", {}, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "loop"]


def test_a_pipe_or_device_is_not_read_nor_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(th.StoreError, match="found a pipe or device, expected a regular file"):
            container.read(path)


@pytest.mark.parametrize("advised", [True, False])
def test_a_large_file_is_whole_whether_the_system_takes_advice_or_not(
    advised: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    given: list[tuple[int, int]] = []

    def advise(_file: int, start: int, size: int, _advice: int) -> None:
        given.append((start, size))
        if not advised:
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "posix_fadvise", advise)
    pieces = [bytes([k]) * (1 << 20) for k in range(7)]
    replace(path, pieces)
    assert path.read_bytes() == b"".join(pieces)
    assert given == [(0, 2 << 20), (2 << 20, 2 << 20), (4 << 20, 2 << 20)]
