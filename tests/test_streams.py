"""What a stream goes on from, and what its labels mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import read_in_pieces
from tests.oracles import everything
from tests.text_oracles import written
from thresher.data.recipe import Recipe
from thresher.data.source import Place

# ---- going on where one stopped --------------------------------------------------------------------------------------


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


def labels_of(places: list[Place], **options: Any) -> tuple[list[int], str | None, str | None]:
    with th.open_stream(places, n=8, **options) as stream:
        y = [label for batch in stream for label in batch.y.tolist()]
    return y, stream.recipe.minus, stream.recipe.plus


@pytest.mark.parametrize(
    ("labels", "positive", "wanted"),
    [
        ("1 -1", None, ([1, -1], "-1", "1")),
        ("-1 1", None, ([-1, 1], "-1", "1")),
        ("0 1", None, ([-1, 1], "0", "1")),
        ("1 0", None, ([1, -1], "0", "1")),
        ("1 2", None, ([-1, 1], "1", "2")),
        ("2 1", None, ([1, -1], "1", "2")),
        ("-3 -2.5", None, ([-1, 1], "-3", "-2.5")),
        ("10 9", None, ([1, -1], "9", "10")),
        ("ham spam", None, ([-1, 1], "ham", "spam")),
        ("spam ham", None, ([1, -1], "ham", "spam")),
        ("nein Ja", None, ([1, -1], "Ja", "nein")),
        ("ß z", None, ([1, -1], "z", "ß")),
        ("1 +1 -1 1.0 -1e0 -1.", None, ([1, 1, -1, 1, -1, -1], "-1", "1")),
        ("+1 1 -1", None, ([1, 1, -1], "-1", "+1")),
        ("0 -0 1", None, ([-1, -1, 1], "0", "1")),
        ("1 -1", "-1", ([-1, 1], "1", "-1")),
        ("1 -1", "-1.0", ([-1, 1], "1", "-1")),
        ("ham spam", "ham", ([1, -1], "spam", "ham")),
        ("a 1", "a", ([1, -1], "1", "a")),
        ("a 1", "1", ([-1, 1], "a", "1")),
        ("1", None, ([1], None, "1")),
        ("1.0 +1", None, ([1, 1], None, "1.0")),
        ("-1", None, ([-1], "-1", None)),
        ("0", None, ([-1], "0", None)),
        ("5", "5", ([1], None, "5")),
        ("5", "7", ([-1], "5", None)),
        ("ham", "spam", ([-1], "ham", None)),
    ],
)
@pytest.mark.parametrize("feature", [" 1:1", " | a"])
def test_labels_mean_what_they_usually_mean(
    tmp_path: Path, labels: str, positive: str | None, wanted: tuple[list[int], str | None, str | None], feature: str
) -> None:
    places = written(tmp_path, "".join(label + feature + "\n" for label in labels.split()).encode())
    assert labels_of(places, positive=positive) == wanted


@pytest.mark.parametrize(
    ("labels", "positive", "line", "message"),
    [
        (
            "ham",
            None,
            1,
            "found only the label 'ham' so far; say with --positive LABEL (positive= in Python) which one is positive",
        ),
        (
            "5 5",
            None,
            1,
            "found only the label '5' so far; say with --positive LABEL (positive= in Python) which one is positive",
        ),
        (
            "1 1 a",
            None,
            3,
            "found the labels '1' and 'a'; say with --positive LABEL (positive= in Python) which one is positive",
        ),
        ("a b", "c", 2, "found the labels 'a' and 'b', expected one of them to be 'c'"),
        ("1 -1", "2", 2, "found the labels '1' and '-1', expected one of them to be '2'"),
    ],
)
def test_labels_whose_meaning_is_open_are_told_with_the_line(
    tmp_path: Path, labels: str, positive: str | None, line: int, message: str
) -> None:
    (place,) = written(tmp_path, "".join(f"{label} 1:1\n" for label in labels.split()).encode())
    with th.open_stream(place, positive=positive) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert str(caught.value) == f"{place}:{line}: {message}"
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(place), line, None)


def test_a_second_label_that_contradicts_what_the_first_was_taken_for_is_refused(tmp_path: Path) -> None:
    places = written(tmp_path, b"1 1:1\n", b"# none\n2 1:1\n")
    said = "found label '2' after '1' was taken for the positive one; "
    said += "say with --positive LABEL (positive= in Python) which one is positive"
    with th.open_stream(places) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert str(caught.value) == f"{places[1]}:2: {said}"
    assert labels_of(places, positive="1") == ([1, -1], "2", "1")
    assert labels_of(places, positive="2") == ([-1, 1], "1", "2")


def test_a_third_label_is_told_with_line_and_column_in_its_file(tmp_path: Path) -> None:
    places = written(tmp_path, b"1 1:1\n-1 1:1", b"\n  0 1:1\n")
    with th.open_stream(places) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert str(caught.value) == f"{places[1]}:2:3: found label '0', expected '1' or '-1', the two labels before it"


@pytest.mark.parametrize(
    ("minus", "plus", "labels", "wanted"),
    [
        ("ham", "spam", "spam ham", ([1, -1], "ham", "spam")),
        ("spam", "ham", "spam ham", ([-1, 1], "spam", "ham")),
        ("1", "-1", "-1.0 +1 1", ([1, -1, -1], "1", "-1")),
        (None, "ham", "spam ham", ([-1, 1], "spam", "ham")),
        ("spam", None, "spam ham", ([-1, 1], "spam", "ham")),
        ("spam", None, "spam", ([-1], "spam", None)),
        (None, "1", "2 1", ([-1, 1], "2", "1")),
        (None, None, "1 2", ([-1, 1], "1", "2")),
    ],
)
def test_a_recipe_decides_what_labels_mean(
    tmp_path: Path, minus: str | None, plus: str | None, labels: str, wanted: tuple[list[int], str | None, str | None]
) -> None:
    (place,) = written(tmp_path, "".join(f"{label} | a\n" for label in labels.split()).encode())
    with th.open_stream(place, recipe=Recipe("vw", 8, minus=minus, plus=plus)) as stream:
        assert [label for batch in stream for label in batch.y.tolist()] == wanted[0]
    assert (stream.recipe.minus, stream.recipe.plus) == wanted[1:]


def test_a_label_that_a_recipe_does_not_know_is_refused(tmp_path: Path) -> None:
    (place,) = written(tmp_path, b"1 | a\n7 | a\n")
    with th.open_stream(place, recipe=Recipe("vw", 8, minus="0", plus="1")) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    labels = "'0' or '1', the labels of the model; predict --ignore-labels does not look at them"
    assert str(caught.value) == f"{place}:2:1: found label '7', expected {labels}"


# ---- parts of a batch ----------------------------------------------------------------------------------------------


def test_the_parts_of_a_batch_are_its_rows_by_reference(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 2 'a| x y\n-1 'b| y z:2\n1 'c| x x\n-1 'd| z\n")
    with th.open_stream(path, n=8, tags=True) as stream:
        (batch,) = stream
    parts = [batch.part(0, 1), batch.part(1, 3), batch.part(3, 4)]
    assert [row for part in parts for row in map(part.X.__getitem__, range(len(part)))] == [batch.X[k] for k in range(4)]
    assert [label for part in parts for label in part.y.tolist()] == batch.y.tolist()
    assert [tag for part in parts for tag in part.tags] == ["a", "b", "c", "d"]
    assert [None if part.weights is None else part.weights.tolist() for part in parts] == [[2.0], [1.0, 1.0], [1.0]]
    inner = batch.part(1, 4).part(1, 2)
    assert (inner.first, inner.tags) == (2, ["c"])
    assert np.array_equal(inner.matrix().toarray(), batch.matrix().toarray()[2:3])


def test_names_are_kept_of_the_rows_of_a_part(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 | a\n-1 | b\n1 | c d\n-1 | e\n")
    with th.open_stream(path, n=64) as stream:
        for batch in stream:
            part = batch.part(1, 3)
            assert set(stream.names_of(part, 1).values()) == {"c", "d"}
            stream.keep_names(part, np.array([False, True]))
        assert stream.names == b"c\nd\n"


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("n", [1, 40, 2**18, 2**20 + 1])
def test_names_come_in_the_order_of_the_rows_that_changed_something(
    n: int, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    rows = [[f"w{k}" for k in rng.zipf(1.3, 5) % 300] for _ in range(4000)]
    changed = rng.random(4000) < np.repeat([0.0, 0.01, 1.0, 0.5], 1000)
    path = tmp_path / "rows.vw"
    path.write_text("".join(f"{'1' if k % 2 else '-1'} | {' '.join(row)}\n" for k, row in enumerate(rows)))
    read_in_pieces(monkeypatch, 3000)
    expected = dict.fromkeys(name for row, moved in zip(rows, changed, strict=True) if moved for name in row)
    first = 0
    with th.open_stream(path, n=n, threads=threads) as stream:
        for batch in stream:
            stream.keep_names(batch, changed[first : first + len(batch)])
            first += len(batch)
        kept = stream.names.decode().split()
    assert first == 4000
    assert kept == list(expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_names_are_kept_after_the_stream_was_closed(threads: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("".join(f"{'1' if k % 3 else '-1'} | n{k}\n" for k in range(300)))
    with th.open_stream(path, bits=10, threads=threads) as stream:
        batches = list(stream)
    for batch in batches:
        stream.keep_names(batch, np.ones(len(batch), np.bool_))
    assert stream.names.decode().split() == [f"n{k}" for k in range(300)]


def test_collisions_of_a_batch_are_counted_with_its_last_part(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 | a b\n-1 | b\n1 | c d e\n")
    counted = []
    with th.open_stream(path, n=1) as stream:
        for batch in stream:
            learner = th.Perceptron(1)
            for start, end in ((0, 2), (2, 3)):
                part = batch.part(start, end)
                learner.learn_many(part.X, part.y)
                counted.append(learner.collisions)
    assert counted == [0, 3]
