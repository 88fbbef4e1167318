"""Tables of any form are the examples that mappings of names are, bit for bit."""

from __future__ import annotations

import gzip
import tempfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.tables import FORMS, Row, as_csv, attributes, learned_as_mappings, learned_as_table, rows_of
from thresher._core import slot_of
from thresher.data.arrow import arrow

LETTERS = "ab ,;\"'|=^é漢"
WORDS = st.text(LETTERS, max_size=6).map("w".__add__)
ROW = st.fixed_dictionaries(
    {
        "size": st.none() | st.floats(-1e9, 1e9, allow_nan=False),
        "whole": st.none() | st.integers(-(2**40), 2**40),
        "colour": st.none() | WORDS,
        "flag": st.none() | st.booleans(),
        "label": st.sampled_from(["no", "yes"]),
    }
)


@given(rows=st.lists(ROW, min_size=1, max_size=30), n=st.sampled_from([8, 2**18]))
def test_every_form_of_a_table_is_learned_as_mappings_of_names_are(rows: list[Row], n: int) -> None:
    expected = learned_as_mappings(rows, n, "yes")
    with tempfile.TemporaryDirectory() as folder:
        for name, write in FORMS.items():
            learner = learned_as_table(write(rows, Path(folder)), n, numeric="raw", positive="yes")
            assert (learner.rounds, learner.mistakes) == (expected.rounds, expected.mistakes), name
            assert learner.weights.tobytes() == expected.weights.tobytes(), name


def messages(count: int = 60, seed: int = 0) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    words = np.array(["Free", "prize", "it's", "lunch", "für", "2,000", "Ok..", "Привет", "win-win", "£5"])
    return [
        {
            "label": "spam" if k % 3 == 0 else "ham",
            "text": " ".join(rng.choice(words, rng.integers(0, 9))),
            "length": float(rng.integers(0, 200)),
            "when": datetime(2024, 1 + k % 12, 1 + k % 28, k % 24, k % 60),
        }
        for k in range(count)
    ]


@pytest.mark.parametrize("form", FORMS)
def test_words_and_times_are_attributes(form: str, tmp_path: Path) -> None:
    rows = messages()
    source = FORMS[form](rows, tmp_path)
    expected = learned_as_mappings(rows, 2**16, "spam", {"text"})
    learner = learned_as_table(source, 2**16, numeric="raw", text="text")
    assert learner.mistakes == expected.mistakes > 0
    assert learner.weights.tobytes() == expected.weights.tobytes()


def test_words_are_what_stands_between_marks_in_lower_case(tmp_path: Path) -> None:
    told = {"text": "FREE entry, it's “free” £5… Ünü-bar 東京、大阪 x2×3", "label": "a"}
    source = FORMS["jsonl"]([told, {"text": "other", "label": "b"}], tmp_path)
    with th.open_stream(source, text="text") as stream:
        batch = next(iter(stream))
        names = stream.names_of(batch, 0)
    words = ["free", "entry", "it's", "5", "ünü", "bar", "東京", "大阪", "x2", "3"]
    assert sorted(names.values()) == sorted(f"text={word}" for word in words)
    assert batch.X[0][slot_of("text=free", stream.n)] == 2.0


def test_ngrams_are_words_that_follow_each_other(tmp_path: Path) -> None:
    source = FORMS["csv"]([{"text": "to be or to be", "label": 1}, {"text": "no", "label": 0}], tmp_path)
    with th.open_stream(source, text="text", ngrams=2) as stream:
        batch = next(iter(stream))
    row, n = batch.X[0], stream.n
    assert row[slot_of("text=to be", n)] == row[slot_of("text=to", n)] == 2.0
    assert row[slot_of("text=be or", n)] == 1.0
    assert len(row) == 6


def test_objects_have_dotted_names_and_lists_one_for_each_value(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"user": {"age": 3, "from": {"town": "Ulm"}}, "tags": ["red", "red", "big"], "label": "y"},
        {"user": {"age": 5, "from": {"town": None}}, "tags": [], "label": "n"},
    ]
    for form in ("jsonl", "parquet", "arrow stream", "polars"):
        found = rows_of(FORMS[form](rows, tmp_path), numeric="raw")
        expected = [{slot_of(name, 2**18): value for name, value in attributes(row).items()} for row in rows]
        assert [row for row, _ in found] == expected
    assert attributes(rows[0]) == {"user.age": 3, "user.from.town=Ulm": 1, "tags=red": 2, "tags=big": 1}


def test_empty_cells_blanks_and_words_for_nothing_are_missing(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text("size,colour,label\n1, red ,a\nNA,,b\n?,   ,a\nnan,NA,b\n")
    rows = [row for row, _ in rows_of(place, numeric="raw")]
    size, red = slot_of("size", 2**18), slot_of("colour=red", 2**18)
    assert rows == [{size: 1.0, red: 1.0}, {}, {}, {slot_of("colour=NA", 2**18): 1.0}]


def test_a_decimal_comma_is_one_between_semicolons(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text("size;label\n1,5;a\n2;b\n")
    assert [row for row, _ in rows_of(place, numeric="raw")] == [{slot_of("size", 2**18): 1.5}, {slot_of("size", 2**18): 2.0}]


def test_several_files_and_patterns_are_one_stream_with_columns_by_name(tmp_path: Path) -> None:
    (tmp_path / "day-1.csv").write_text("label,size,colour\na,1,red\nb,2,blue\n")
    (tmp_path / "day-2.tsv").write_text("colour\tlabel\tsize\nred\ta\t3\n")
    (tmp_path / "day-3.jsonl").write_text('{"size": "4", "label": "b", "extra": true}\n')
    slots = {name: slot_of(name, 2**18) for name in ("size", "colour=red", "colour=blue", "extra")}
    found = rows_of(tmp_path / "day-*", numeric="raw")
    assert [row for row, _ in found] == [
        {slots["size"]: 1.0, slots["colour=red"]: 1.0},
        {slots["size"]: 2.0, slots["colour=blue"]: 1.0},
        {slots["size"]: 3.0, slots["colour=red"]: 1.0},
        {slots["size"]: 4.0, slots["extra"]: 1.0},
    ]
    assert [label for _, label in found] == [-1, 1, -1, 1]
    with pytest.raises(th.ParameterError, match="found no file like"):
        th.open_stream(tmp_path / "night-*.csv")


def large(rows: int) -> bytes:
    """CSV of several chunks, with quoted line breaks in it."""
    lines = [f'{k % 7},{k / 3!r},"word {k % 11}\nand ""more""",{"yes" if k % 2 else "no"}' for k in range(rows)]
    return ("a,b,c,label\n" + "\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_many_chunks_are_as_one_whatever_the_threads(threads: int, tmp_path: Path) -> None:
    text = large(120_000)
    assert len(text) > 5_000_000
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text, 1))
    with th.open_stream(tmp_path / "t.csv.gz", threads=threads, numeric="raw") as stream:
        rows = seen = 0
        for batch in stream:
            matrix = batch.matrix()
            for k in (0, len(batch) - 1):
                number = rows + k
                word = slot_of(f'c=word {number % 11}\nand "more"', stream.n)
                assert matrix[k, slot_of("b", stream.n)] == number / 3
                assert matrix[k, word] == 1.0
                seen += 1
            rows += len(batch)
    assert rows == 120_000
    assert seen >= 10
    assert stream.position.offset == rows


def test_a_number_becomes_how_far_it_is_from_the_mean_in_deviations_so_far(tmp_path: Path) -> None:
    values = [3.0, 5.0, None, -100.0, 3.25]
    rows: list[Row] = [{"x": value, "label": k % 2} for k, value in enumerate(values)]
    found = [row.get(slot_of("x", 2**18), 0.0) for row, _ in rows_of(FORMS["csv"](rows, tmp_path))]
    seen: list[float] = []
    for value, got in zip(values, found, strict=True):
        if value is None:
            assert got == 0.0
            continue
        seen.append(value)
        deviation = float(np.std(seen))
        assert got == pytest.approx(0.0 if deviation == 0.0 else (value - np.mean(seen)) / deviation, rel=1e-12)


def test_a_row_that_is_left_out_moves_no_scale(tmp_path: Path) -> None:
    good: list[Row] = [{"x": float(k * k), "label": k % 2} for k in range(20)]
    bad = [*good[:7], {"x": 1e9, "label": "maybe"}, *good[7:], {"x": 1e9, "label": None}]
    kept, left = (FORMS["jsonl"](rows, folder) for rows, folder in ((good, tmp_path), (bad, _folder(tmp_path))))
    assert rows_of(left, on_bad="skip") == rows_of(kept)


def _folder(parent: Path) -> Path:
    made = parent / "other"
    made.mkdir()
    return made


def test_csv_of_a_name_in_a_line_of_its_own_is_the_first_line_or_given(tmp_path: Path) -> None:
    rows: list[Row] = [{"label": "a", "size": 1, "colour": "red"}, {"label": "b", "size": 2, "colour": "blue"}]
    bare = tmp_path / "bare.csv"
    bare.write_bytes(as_csv(rows).partition(b"\n")[2])
    named = rows_of(FORMS["csv"](rows, tmp_path))
    assert rows_of(bare, header=["label", "size", "colour"]) == named


@pytest.mark.parametrize("form", FORMS)
def test_dates_are_the_same_in_every_form(form: str, tmp_path: Path) -> None:
    rows = [{"day": None if k == 2 else date(2024, 7, 1 + k), "label": "yes" if k % 2 else "no"} for k in range(6)]
    with th.open_stream(FORMS[form](rows, tmp_path), numeric="raw") as stream:
        names = [{*stream.names_of(batch, k).values()} for batch in stream for k in range(len(batch))]
    assert names[0] == {"day.year=2024", "day.month=7", "day.weekday=mon"}
    assert not names[2]


def test_times_with_a_zone_are_those_of_utc_in_csv_and_json(tmp_path: Path) -> None:
    for form in ("csv", "jsonl"):
        rows = [{"when": f"2024-07-3{k}T23:30:00-02:00", "label": "yes" if k else "no"} for k in range(2)]
        with th.open_stream(FORMS[form](rows, tmp_path)) as stream:
            names = [{*stream.names_of(batch, k).values()} for batch in stream for k in range(len(batch))]
        assert names[1] == {"when.year=2024", "when.month=8", "when.weekday=thu", "when.hour=1"}, form


def test_words_of_json_are_spelled_alike_however_it_is_cut(tmp_path: Path) -> None:
    cells = ["x", "2024-07-31", 3.0, 1e20, 7, True, "2024-07-31 13:00"]
    rows = [{"a": cell, "label": "yes" if k % 2 else "no"} for k, cell in enumerate(cells)]
    for k, row in enumerate(rows):
        FORMS["jsonl"]([row], tmp_path).rename(tmp_path / f"part-{k}.jsonl")
    whole = rows_of(FORMS["jsonl"](rows, tmp_path), positive="yes")
    assert rows_of(str(tmp_path / "part-*.jsonl"), positive="yes") == whole
    assert whole[1][0] == {slot_of("a=2024-07-31", 2**18, 0): 1.0}


def test_a_position_does_not_depend_on_how_rows_came_in_batches(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    flags = rng.random((60_000, 3)) < 0.5
    names = [*(f"x{k}" for k in range(12)), "p", "q", "label"]
    columns = [*rng.random((12, 60_000)), *flags.T]
    source = arrow().table(dict(zip(names, columns, strict=True)))
    with th.open_stream(source) as stream:
        positions = [stream.position for _ in stream]
    assert len(positions) > 2
    for position in positions:
        with th.open_stream(source) as stream:
            stream.skip_to(position)


def test_a_row_may_be_longer_than_a_block(tmp_path: Path) -> None:
    place = tmp_path / "long.csv"
    long = "w" * 3_000_000
    for cell in (long, f'"{long[:9]}\n{long}"'):
        place.write_bytes(b"a,label\nx,yes\n" + f"{cell},no\ny,yes\n".encode())
        assert [label for _, label in rows_of(place)] == [1, -1, 1]


def test_labels_are_numbers_or_words_without_blanks_and_nan_is_none(tmp_path: Path) -> None:
    place = tmp_path / "labels.csv"
    place.write_bytes(b"a,label\nx,0\nx,1.0\ny, 1\ny,0.0\nz,\nz,  \n")
    assert [label for _, label in rows_of(place)] == [-1, 1, 1, -1]
    source = arrow().table({"a": ["x", "y", "z"], "label": [0.0, float("nan"), 1.0], "b": [[1.0, float("nan")], [], None]})
    with th.open_stream(source) as stream:
        named = [(batch.y[k], {*stream.names_of(batch, k).values()}) for batch in stream for k in range(len(batch))]
    assert named == [(-1, {"a=x", "b=1"}), (1, {"a=z"})]
