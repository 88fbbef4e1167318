"""Readers of svmlight and Vowpal Wabbit text in plain Python, a line at a time, and the core's reader fed by hand."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from itertools import repeat
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from thresher._core import Reader
from thresher.data.names import slot_of
from thresher.data.source import Place
from thresher.data.stream import UNLABELLED, Stream

__all__ = [
    "CoreReading",
    "Example",
    "Text",
    "read_pieces",
    "read_stream",
    "spelled_as_first_met",
    "svmlight",
    "svmlight_line",
    "value_of",
    "vowpal",
    "vowpal_line",
    "vowpal_names",
    "written",
]

_BLANKS = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class Example:
    """A line that was read: slots and values ascending, the label as it is spelled or None, a weight, a tag."""

    row: tuple[tuple[int, bytes], ...]
    label: bytes | None
    weight: bytes
    tag: bytes = b""


def packed(value: float) -> bytes:
    """A number by its bits."""
    return struct.pack("<d", value)


def canonical(features: Iterable[tuple[int, float]]) -> tuple[tuple[int, bytes], ...]:
    """What shares a slot is added, the smaller value first; slots ascend; zeros are left out."""
    slots: dict[int, list[float]] = {}
    for slot, value in features:
        slots.setdefault(slot, []).append(value)
    sums = ((slot, reduce(add, sorted(slots[slot]))) for slot in sorted(slots))  # sum() of Python 3.12 rounds otherwise
    return tuple((slot, packed(value)) for slot, value in sums if value != 0.0)


def slot_of_name(name: bytes, n: int) -> int:
    """The slot of a name that need not be UTF-8."""
    try:
        return slot_of(name.decode(), n)
    except UnicodeDecodeError:
        return xxhash.xxh64_intdigest(name) * n >> 64


def split(line: bytes) -> list[bytes]:
    return [token for token in _BLANKS.split(line) if token]


def svmlight_line(line: bytes, n: int, first: int = 1) -> Example | None:
    """`label [qid:number] index:value ... [# comment]`; None if nothing stands in it."""
    tokens = split(line.partition(b"#")[0])
    if not tokens:
        return None
    label = None if b":" in tokens[0] else tokens.pop(0)
    pairs = [token.split(b":") for token in tokens if not token.startswith(b"qid:")]
    features = {int(index) - first: float(value) for index, value in pairs}
    assert len(features) == len(pairs)
    assert all(0 <= slot < n for slot in features)
    return Example(canonical(features.items()), label, packed(1.0))


def vowpal_line(line: bytes, n: int) -> Example | None:
    """`[label [importance]] ['tag]|namespace[:value] feature[:value] ...`; None if the line is blank."""
    if not line.strip(b" \t"):
        return None
    head = line.partition(b"|")[0]
    before = split(head)
    tag = b""
    if before and (before[-1].startswith(b"'") or not head.endswith((b" ", b"\t"))):
        tag = before.pop().removeprefix(b"'")
    label = before[0] if before else None
    weight = float(before[1]) if len(before) > 1 else 1.0
    names = vowpal_names(line)
    return Example(canonical((slot_of_name(name, n), value) for name, value in names), label, packed(weight), tag)


def vowpal_names(line: bytes) -> list[tuple[bytes, float]]:
    """The names of a line, in order, each with its value times that of its namespace."""
    found = []
    for part in line.split(b"|")[1:]:
        tokens = split(part)
        space, scale = b"", 1.0
        if tokens and not part.startswith((b" ", b"\t")):
            name, colon, value = tokens.pop(0).partition(b":")
            space, scale = name + b"^" if name else b"", float(value) if colon else 1.0
        for token in tokens:
            name, colon, value = token.partition(b":")
            found.append((space + name, (float(value) if colon else 1.0) * scale))
    return found


@dataclass(frozen=True)
class Text:
    """A file by its lines, and the examples in it."""

    lines: tuple[bytes, ...]
    ends: tuple[bytes, ...]
    mark: bytes = b""

    @property
    def content(self) -> bytes:
        return self.mark + b"".join(line + end for line, end in zip(self.lines, self.ends, strict=True))

    def examples(self, read: Callable[[bytes], Example | None]) -> list[Example]:
        return [example for example in map(read, self.lines) if example is not None]


def svmlight(n: int, first: int = 1) -> Callable[[bytes], Example | None]:
    return lambda line: svmlight_line(line, n, first)


def vowpal(n: int) -> Callable[[bytes], Example | None]:
    return lambda line: vowpal_line(line, n)


def read_stream(stream: Stream) -> list[Example]:
    """What a stream gives, example by example; labels as the recipe spells them."""
    examples: list[Example] = []
    for batch in stream:
        matrix, recipe = batch.matrix(), stream.recipe
        spelled = {1: recipe.plus, -1: recipe.minus, UNLABELLED: None}
        weights = repeat(1.0, len(batch)) if batch.weights is None else batch.weights.tolist()
        tags = batch.tags or repeat("", len(batch))
        for k, (y, weight, tag) in enumerate(zip(batch.y.tolist(), weights, tags, strict=True)):
            some = slice(int(matrix.indptr[k]), int(matrix.indptr[k + 1]))
            row = zip(matrix.indices[some].tolist(), map(packed, matrix.data[some].tolist()), strict=True)
            label = spelled[y]
            spelling = None if label is None else label.encode()
            examples.append(Example(tuple(row), spelling, packed(weight), tag.encode("utf-8", "surrogateescape")))
    return examples


def spelled_as_first_met(examples: list[Example]) -> list[Example]:
    """The same, each label as it was spelled when it was first met."""
    first: dict[float | bytes, bytes] = {}
    return [
        Example(one.row, None if one.label is None else first.setdefault(value_of(one.label), one.label), one.weight, one.tag)
        for one in examples
    ]


def value_of(label: bytes) -> float | bytes:
    try:
        return float(label)
    except ValueError:
        return label


@dataclass
class CoreReading:
    """What the core's reader makes of bytes."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    labels: list[tuple[bytes, int]] = field(default_factory=list)
    bad: list[tuple[int, int, bytes, str]] = field(default_factory=list)
    counts: tuple[Any, ...] = ()


def read_pieces(
    files: Iterable[bytes], sizes: Iterable[int], format: str = "svmlight", n: int = 8, **given: Any
) -> CoreReading:
    """Feeds the core's reader with pieces of these sizes, one after the other."""
    options: dict[str, Any] = {
        "zero_based": False,
        "keep_tags": format == "vw",
        "labels": "optional",
        "drop_unlabelled": False,
        "skip_bad": True,
        "needs_features": False,
        "values": "any",
        "unweighted": False,
        "threads": 1,
    }
    reader = Reader(format, n, **(options | given))
    sizes, made = iter(sizes), CoreReading()

    def take() -> None:
        batch = reader.next()
        assert batch is not None
        weights = [1.0] * len(batch) if batch.weights is None else batch.weights.tolist()
        for k, code in enumerate(batch.codes(1).tolist()):
            some = slice(int(batch.indptr[k]), int(batch.indptr[k + 1]))
            names = reader.names_of(batch, k)
            tag = batch.tags[k] if batch.tags else b""
            slots, values = batch.indices[some].tolist(), batch.data[some].tobytes()
            made.rows.append((slots, values, code, packed(weights[k]), tag, names))
        reader.keep_names(batch, np.asarray(batch.codes(1)) == 1)

    for text in files:
        reader.start_file()
        left, last = memoryview(text), False

        def readinto(room: memoryview) -> int:
            nonlocal left
            size = min(next(sizes), len(room), len(left))
            room[:size], left = left[:size], left[size:]
            return size

        while not last and not reader.stopped:
            while not reader.has_room and reader.has_next:
                take()
            last = reader.fill(readinto) == 0
            if reader.has_room:
                reader.cut(last)
    while reader.has_next:
        take()
    made.labels, made.bad = reader.labels, reader.bad
    made.counts = (reader.bad_lines, reader.without_label, reader.offset, reader.digest, reader.file, reader.names)
    return made


def written(folder: Path, *texts: bytes) -> list[Place]:
    """Texts as files in a folder."""
    places: list[Place] = []
    for number, text in enumerate(texts):
        places.append(folder / f"text-{number}")
        (folder / f"text-{number}").write_bytes(text)
    return places
