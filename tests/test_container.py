"""Model files: what is written is read, and whatever else the bytes are is refused."""

from __future__ import annotations

import gc
import json
import mmap
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher._core import pack, unpack
from thresher.store import container

SEEDS = Path(__file__).parent.parent / "cpp" / "fuzz" / "seeds" / "store"
HEADER = {"learner": "Perceptron", "arguments": {"n": 3, "bias": None}, "é": [1, -0.5, True, "漢"]}
SECTIONS = {"weights": bytes(range(24)), "none": b"", "names": b"a\nb\n"}
NEAR_THE_END = [2**64 - 1, 2**64 - 8, 2**64 - 63, 2**64 - 64, 2**63, 2**63 - 1, 2**56, 2**32]

names = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=16)
contents = st.dictionaries(names, st.one_of(st.binary(max_size=3), st.binary(min_size=60, max_size=130)), max_size=6)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)

# ---- the format, from its definition ------------------------------------------------------------------------------

Entry = tuple[bytes, int, int]


def signed(body: bytes) -> bytes:
    """With a right checksum."""
    return body + struct.pack("<Q", xxhash.xxh64_intdigest(body))


def forged(entries: list[Entry], rest: bytes, *, count: int | None = None) -> bytes:
    """A file whose size and checksum are right, and the rest as it is given."""
    size = 24 + 32 * len(entries) + len(rest) + 8
    head = struct.pack("<8sIIQ", b"thresher", 1, len(entries) if count is None else count, size)
    return signed(head + b"".join(struct.pack("<16sQQ", *entry) for entry in entries) + rest)


def defined(sections: Mapping[str, bytes]) -> bytes:
    """The file that holds these sections."""
    entries, rest = [], b""
    begin = 24 + 32 * len(sections)
    for name, section in sections.items():
        rest += bytes(-(begin + len(rest)) % 64)
        entries.append((name.encode(), begin + len(rest), len(section)))
        rest += section
    return forged(entries, rest)


def packed(sections: Mapping[str, bytes]) -> bytes:
    return b"".join(pack(dict(sections)))


def small() -> bytes:
    return defined({"header": b'{"n":2}', "weights": b"\1\2\3", "none": b""})


@given(contents)
def test_the_core_packs_as_the_format_is_defined(sections: dict[str, bytes]) -> None:
    assert packed(sections) == defined(sections)


@given(contents)
def test_what_is_packed_unpacks(sections: dict[str, bytes]) -> None:
    assert {name: section.tobytes() for name, section in unpack(packed(sections)).items()} == sections
    assert list(unpack(packed(sections))) == list(sections)


@pytest.mark.parametrize(
    ("name", "sections"),
    [
        ("nothing", {}),
        ("empty", {"header": b"{}", "one": b"", "two": b""}),
        ("model", {"header": b'{"n":2}', "weights": bytes(range(16)), "sixteen letters.": b"",
                   "exactly 64": bytes(64), "last": b"\xff"}),
    ],
)  # fmt: skip
def test_the_fuzzer_starts_from_files_of_this_format(name: str, sections: dict[str, bytes]) -> None:
    assert (SEEDS / name).read_bytes() == packed(sections)


# ---- what is written is read --------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model"


def bytes_of(found: container.Contents) -> tuple[dict[str, Any], dict[str, bytes]]:
    return found.header, {name: section.tobytes() for name, section in found.sections.items()}


@given(st.dictionaries(st.text(), json_values, max_size=4), contents.filter(lambda sections: "header" not in sections))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, header: dict[str, Any], sections: dict[str, bytes]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round trip"
    container.write(path, header, sections)
    assert bytes_of(container.read(path)) == (header, sections)


def test_equal_contents_give_equal_files(tmp_path: Path) -> None:
    container.write(tmp_path / "one", {"a": 1, "b": [2.5]}, SECTIONS)
    container.write(str(tmp_path / "two"), {"b": [2.5], "a": 1}, SECTIONS)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_arrays_come_back_aligned_and_read_only(path: Path) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "plane": np.linspace(-1, 1, 1001),
        "heads": np.arange(3),
        "lanes": np.ones((5, 7), np.float32),
    }
    container.write(path, {}, arrays)
    for name, section in container.read(path).sections.items():
        assert section.dtype == np.uint8
        assert section.__array_interface__["data"][0] % 64 == 0
        assert section.view(arrays[name].dtype).tolist() == arrays[name].ravel().tolist()
        with pytest.raises(ValueError, match="read-only"):
            section[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            section.flags.writeable = True


def test_sections_are_views_that_keep_the_file_alive() -> None:
    file = np.frombuffer(small(), np.uint8).copy()
    sections = unpack(file)
    assert np.shares_memory(sections["weights"], file)
    del file
    gc.collect()
    assert sections["weights"].tolist() == [1, 2, 3]


def test_a_mapped_file_is_read_where_it_lies_and_cannot_be_closed_under_its_sections(path: Path) -> None:
    path.write_bytes(small())
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    sections = unpack(mapped)
    with pytest.raises(BufferError):
        mapped.close()
    assert sections["weights"].tolist() == [1, 2, 3]
    del sections
    mapped.close()


def test_what_is_not_bytes_in_one_piece_is_refused() -> None:
    with pytest.raises(TypeError, match="bytes-like"):
        unpack(cast("bytes", "thresher"))
    with pytest.raises(ValueError, match="contiguous"):
        unpack(np.frombuffer(small(), np.uint8)[::2])
    with pytest.raises(BufferError, match="contiguous"):
        pack({"a": np.arange(4.0)[::2]})


def test_a_section_cannot_move_before_it_is_written() -> None:
    section = bytearray(b"weights")
    pieces = pack({"a": section})
    with pytest.raises(BufferError):
        section.append(0)
    assert b"".join(pieces) == defined({"a": b"weights"})


# ---- damage -------------------------------------------------------------------------------------------------------


def damaged(file: bytes) -> Iterator[bytes]:
    """Every byte with each of its bits flipped, with all of them off, and with all of them on."""
    for at, byte in enumerate(file):
        for other in {*(byte ^ 1 << bit for bit in range(8)), 0x00, 0xFF} - {byte}:
            yield file[:at] + bytes([other]) + file[at + 1 :]


def refused(file: bytes) -> bool:
    try:
        unpack(file)
    except th.StoreError:
        return True
    return False


def test_every_damaged_byte_is_noticed() -> None:
    assert not refused(small())
    assert all(refused(file) for file in damaged(small()))


def test_every_cut_and_everything_appended_is_noticed() -> None:
    file = small()
    assert all(refused(file[:size]) for size in range(len(file)))
    assert all(refused(file + more) for more in (b"\0", b"\n", b"thresher", bytes(64), file))


def test_a_damaged_or_cut_file_is_not_read(path: Path) -> None:
    file = small()
    for at in range(len(file)):
        for bad in (file[:at], file[:at] + bytes([file[at] ^ 0x20]) + file[at + 1 :]):
            path.write_bytes(bad)
            with pytest.raises(th.StoreError) as caught:
                container.read(path)
            assert str(caught.value).startswith(f"{path}: ")


def test_a_damaged_byte_under_a_right_checksum_is_refused_or_is_what_the_file_says() -> None:
    accepted = 0
    for file in damaged(small()[:-8]):
        try:
            sections = unpack(signed(file))
        except th.StoreError:
            continue
        accepted += 1
        assert packed({name: section.tobytes() for name, section in sections.items()}) == signed(file)
    assert accepted  # another letter in a name, another byte in a section


def test_a_cut_under_a_right_size_and_checksum_is_refused() -> None:
    body = small()[:-8]
    for size in range(24, len(body)):
        with pytest.raises(th.StoreError):
            unpack(signed(body[:16] + struct.pack("<Q", size + 8) + body[24:size]))


def with_field(at: int, layout: str, value: int) -> bytes:
    file = bytearray(small())
    struct.pack_into(layout, file, at, value)
    return bytes(file)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "found 0 bytes, expected 32 or more: too short for a model file"),
        (b"thresh", "found 6 bytes, expected 32 or more"),
        (small()[:31], "found 31 bytes, expected 32 or more"),
        (b"hello", r"not a Thresher model: it begins with 'hello', expected 'thresher'"),
        (with_field(8, "<I", 7), "found a model file of version 7, this Thresher reads up to 1: install a newer one"),
        (with_field(8, "<I", 0), "found a model file of version 0, expected 1"),
        (small()[:-1], "found 263 bytes, expected 264: the file was cut off"),
        (with_field(16, "<Q", 2**64 - 1), "expected 18446744073709551615: the file was cut off"),
        (small() + b"\n", "found 265 bytes, expected 264: more was appended"),
        (with_field(130, "<B", 0), "damaged: its checksum does not match"),
        (with_field(263, "<B", 0), "damaged: its checksum does not match"),
    ],
)  # fmt: skip
def test_the_message_says_what_is_wrong(path: Path, file: bytes, message: str) -> None:
    path.write_bytes(file)
    with pytest.raises(th.StoreError, match=message) as caught:
        container.read(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "file",
    [
        b"PK\3\4" + bytes(60),
        b"\x1f\x8b\x08" + bytes(60),
        b"\x80\x04\x95" + bytes(60),
        b"\x93NUMPY" + bytes(60),
        b'{"learner": "Perceptron", "arguments": {}, "heads": {}}',
        b"+1 1:0.5 2:0.25\n-1 3:1\n",
        b"Thresher" + bytes(60),
        b"\xef\xbb\xbfthresher" + bytes(60),
        bytes(100),
        b"\xff" * 100,
    ],
)
def test_a_foreign_file_is_called_one(path: Path, file: bytes) -> None:
    path.write_bytes(file)
    with pytest.raises(th.StoreError, match="not a Thresher model: it begins with"):
        container.read(path)


def test_a_large_foreign_file_takes_no_memory(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**38)  # a hole: it takes no disk either
    with pytest.raises(th.StoreError, match="not a Thresher model"):
        container.read(path)
    with path.open("r+b") as file:
        file.write(small())
    with pytest.raises(th.StoreError, match="found 274877906944 bytes, expected 264: more was appended"):
        container.read(path)


# ---- forgeries under a right checksum -----------------------------------------------------------------------------

PADDING = bytes(64 - 56)  # after the head and a table of one


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (forged([(b"a", 64, 3)], PADDING + b"abc", count=1025), "found 1025 sections, expected 1024 at most"),
        (forged([], b"", count=2**32 - 1), "found 4294967295 sections, expected 1024 at most"),
        (forged([], b"", count=1), "found a table of 1 sections, expected one that fits 24 bytes"),
        (forged([(b"a", 64, 3)], PADDING + b"abc", count=2), "found a table of 2 sections, expected one that fits 67 bytes"),
        (forged([(b"a", 64, 3)], PADDING + b"abc", count=0), "found 43 bytes after the last section, expected none"),
        (forged([(b"", 64, 3)], PADDING + b"abc"), "found a section named '', expected a name of 1 to 16"),
        (forged([(b"\xc3\xa9", 64, 3)], PADDING + b"abc"), r"found a section named '\\xc3\\xa9', expected"),
        (forged([(b"a\0b", 64, 3)], PADDING + b"abc"), r"found a section named 'a\\x00b', expected"),
        (forged([(b"a\n", 64, 3)], PADDING + b"abc"), r"found a section named 'a\\x0a', expected"),
        (forged([(b"a", 64, 3)], PADDING + b"abcd"), "found 1 bytes after the last section, expected none"),
        (forged([(b"a", 64, 4)], PADDING + b"abc"), "found section 'a' of 4 bytes from byte 64, expected an end by byte 67"),
        (forged([(b"a", 64, 0)], b""), "found section 'a' of 0 bytes from byte 64, expected an end by byte 56"),
        (forged([(b"a", 64, 2**64 - 8)], b""), "of 18446744073709551608 bytes from byte 64, expected an end by byte 56"),
        (forged([(b"a", 65, 2)], PADDING + b"abc"), "found section 'a' at byte 65, expected 64"),
        (forged([(b"a", 128, 3)], bytes(72) + b"abc"), "found section 'a' at byte 128, expected 64"),
        (forged([(b"a", 0, 3)], PADDING + b"abc"), "found section 'a' at byte 0, expected 64"),
        (forged([(b"a", 64, 3)], b"\0\0\0\0\0\0\0\1abc"), "found other bytes than 0 before section 'a', expected none"),
        (forged([(b"a", 128, 1), (b"a", 192, 0)], bytes(104)), "found two sections named 'a', expected one"),
        (forged([(b"a", 128, 1), (b"b", 128, 1)], bytes(105)), "found section 'b' at byte 128, expected 192"),
        (forged([(b"b", 192, 1), (b"a", 128, 1)], bytes(105)), "found section 'b' at byte 192, expected 128"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_structure_that_is_not_the_formats_is_refused(file: bytes, message: str) -> None:
    with pytest.raises(th.StoreError, match=message):
        unpack(file)


@pytest.mark.parametrize("value", NEAR_THE_END)
@pytest.mark.parametrize("field", [16, *(24 + 32 * k + at for k in range(3) for at in (16, 24))])
def test_a_number_near_the_end_of_all_numbers_is_refused(field: int, value: int) -> None:
    with pytest.raises(th.StoreError):
        unpack(signed(with_field(field, "<Q", value)[:-8]))


def test_sizes_that_lead_around_all_numbers_and_back_are_refused() -> None:
    """They add up to the right size, if one adds as machines do: 128 + (2^64 - 128) + 192."""
    with pytest.raises(th.StoreError, match="expected an end by byte 192"):
        unpack(forged([(b"a", 128, 2**64 - 128), (b"b", 0, 192)], bytes(104)))


# ---- what cannot be packed ----------------------------------------------------------------------------------------


def test_a_thousand_and_twenty_four_sections_are_packed_and_no_more() -> None:
    assert len(unpack(packed({f"{k}": b"x" for k in range(1024)}))) == 1024
    with pytest.raises(th.StoreError, match="found 1025 sections, expected 1024 at most"):
        packed({f"{k}": b"x" for k in range(1025)})


@pytest.mark.parametrize("name", ["", "é", "a\0", "a\n", "\x7f", "seventeen letters", "\ud800", 1, None, b"a"])
def test_a_name_that_is_none_is_refused(path: Path, name: Any) -> None:
    with pytest.raises(th.StoreError, match=r"found a section named .*, expected"):
        container.write(path, {}, {name: b""})
    assert not path.exists()


def test_the_headers_name_is_taken(path: Path) -> None:
    with pytest.raises(th.StoreError, match="found a section named 'header'"):
        container.write(path, {}, {"header": b"{}"})
    assert not path.exists()


# ---- headers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        {"a": float("nan")},
        {"a": [float("inf")]},
        {"a": {1, 2}},
        {"a": b"bytes"},
        {"a": np.float32(1)},
        {"a": (1, 2)},
        {"a": "\ud800"},
        {1: "a"},
        {1: "a", "1": "b"},
        {"a": {None: 1}},
        {"a": 10**5000},
        [1],
        None,
    ],
)
def test_a_header_that_would_not_come_back_is_not_written(path: Path, header: Any) -> None:
    with pytest.raises(th.StoreError, match="header"):
        container.write(path, header, {})
    assert not path.exists()


def test_a_header_nested_without_end_is_not_written(path: Path) -> None:
    header: dict[str, Any] = {}
    for _ in range(100_000):
        header = {"a": header}
    with pytest.raises(th.StoreError, match="the header cannot be written as JSON"):
        container.write(path, header, {})
    assert not path.exists()


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"null",
        b'"text"',
        b"{}{}",
        b"{} x",
        b'{"a":NaN}',
        b'{"a":[Infinity]}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b'{"a":"\\ud800"}',
        b'{"\\udfff":1}',
        b'{"a":"\xff"}',
        b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"),
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' * 100_000,
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=lambda header: f"{header!r:.24}",
)
def test_a_header_that_is_not_the_json_of_a_model_is_refused(path: Path, header: bytes) -> None:
    path.write_bytes(defined({"header": header}))
    with pytest.raises(th.StoreError, match="its header is not the JSON of a model: ") as caught:
        container.read(path)
    assert len(str(caught.value)) < 1000


def test_a_file_without_a_header_is_refused(path: Path) -> None:
    path.write_bytes(defined({"weights": b""}))
    with pytest.raises(th.StoreError, match="found no section named 'header', expected one"):
        container.read(path)


def test_the_header_is_readable_json(path: Path) -> None:
    container.write(path, HEADER, {})
    header = unpack(path.read_bytes())["header"].tobytes()
    assert json.loads(header) == HEADER
    assert "漢".encode() in header
