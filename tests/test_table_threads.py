"""Any number of threads makes of a table what one makes of it: rows, labels, scales, names, and what is wrong where."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import thresher as th
from tests.commands import run
from thresher import _core
from thresher._core import Column, Columns, TableReader
from thresher.data.arrow import arrow
from thresher.data.labelled import Wishes
from thresher.data.recipe import Recipe
from thresher.errors import SourceError

pyarrow = pytest.importorskip("pyarrow")

THREADS = (1, 2, 3, 7)
ROWS = 40_000
POLICY = Wishes(None, True, True, False, None, 1).policy  # rows that cannot be read are left out, labels need not be there


class Found(NamedTuple):
    """All that a stream gives, and how it ended."""

    batches: list[tuple[bytes, ...]]
    positions: list[tuple[int, int | None]]
    recipe: Recipe
    names: bytes
    counts: tuple[int, int]
    said: list[str]
    error: str


def found(source: Any, threads: int, **options: Any) -> Found:
    batches, positions, error = [], [], ""
    with th.open_stream(source, threads=threads, **options) as stream:
        try:
            for batch in stream:
                rows = batch.rows
                parts = (rows.indptr, rows.indices, rows.data, batch.y)
                batches.append(tuple(np.asarray(part).tobytes() for part in parts))
                stream.keep_names(batch, np.arange(len(batch)) % 997 == 0)
                positions.append((stream.position.offset, stream.position.digest))
        except SourceError as wrong:
            error = str(wrong)
    said = [*stream.notices, *map(str, stream.first_bad)]
    return Found(batches, positions, stream.recipe, stream.names, (stream.bad, stream.unlabelled), said, error)


def table(seed: int = 0, **others: Any) -> dict[str, Any]:
    """Numbers of which some are missing or 0, words of which some are missing, and labels, the second of them late."""
    rng = np.random.default_rng(seed)
    numbers = np.round(rng.normal(5.0, 100.0, (5, ROWS)), 1)
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    numbers[rng.random(numbers.shape) < 0.05] = 0.0
    words = [f"word{k}" for k in range(300)]
    codes = rng.integers(-1, 300, (4, ROWS))
    columns: dict[str, Any] = {f"x{k}": each for k, each in enumerate(numbers)}
    columns |= {f"c{k}": [words[code] if code >= 0 else None for code in each] for k, each in enumerate(codes.tolist())}
    label = np.where(rng.random(ROWS) < 0.5, "yes", "no").astype(object)
    label[:25_000] = "no"
    label[rng.random(ROWS) < 0.01] = None
    return {**columns, "label": label.tolist(), **others}


def spoilt(name: str, rows: dict[int, Any]) -> dict[str, Any]:
    made = table()
    cells = list(made[name])
    for row, cell in rows.items():
        cells[row] = cell
    return {**made, name: cells}


CASES: dict[str, dict[str, Any]] = {
    "plain": table(),
    "a number too large": spoilt("x1", {30_001: 1e300}),
    "several": spoilt("x2", dict.fromkeys(range(20_007, ROWS, 2_001), np.inf)),
    "a leap": spoilt("x3", {29_000: 1e9, 31_000: 1e12}),
    "only words": {name: cells for name, cells in table().items() if not name.startswith("x")},
    "only numbers": {name: cells for name, cells in table().items() if not name.startswith("c")},
    "lists": table(tags=[["red", "blue"][: k % 3] for k in range(ROWS)]),
}


@pytest.mark.parametrize("on_bad", ["stop", "skip"])
@pytest.mark.parametrize("numeric", ["raw", "scale"])
@pytest.mark.parametrize("case", CASES)
def test_threads_change_nothing(case: str, numeric: str, on_bad: str) -> None:
    frame = pyarrow.table(CASES[case])
    alone = found(frame, 1, numeric=numeric, on_bad=on_bad, bits=12, positive="yes")
    assert len(alone.batches) >= 3
    assert (alone.error != "") == (on_bad == "stop" and case in ("a number too large", "several"))
    for threads in THREADS[1:]:
        assert found(frame, threads, numeric=numeric, on_bad=on_bad, bits=12, positive="yes") == alone


def numbers(count: int) -> dict[str, Any]:
    """So many columns of numbers, every third with some that are missing."""
    cells = np.random.default_rng(count).normal(3.0, 50.0, (count, 3_000))
    cells[::3, 1_000::7] = np.nan
    return {**{f"x{k}": each for k, each in enumerate(cells)}, "label": [("no", "yes")[k % 2] for k in range(3_000)]}


@pytest.mark.parametrize("numeric", ["raw", "scale"])
@pytest.mark.parametrize("made_of", [CASES["a leap"], *map(numbers, (1, 2, 9, 20))], ids=["a leap", "1", "2", "9", "20"])
def test_instruction_sets_change_nothing(made_of: dict[str, Any], numeric: str) -> None:
    frame = pyarrow.table(made_of)
    before = _core.instruction_set()
    made = []
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            made += [found(frame, threads, numeric=numeric, positive="yes") for threads in (1, 2)]
    finally:
        _core.use_instruction_set(before)
    assert all(one == made[0] for one in made)


@pytest.mark.parametrize("scaled", [False, True])
def test_it_does_not_matter_when_rows_are_shared_with_other_threads(scaled: bool) -> None:
    cells = table()
    columns = [Column.numbers(name, name, np.array(cells[name])) for name in cells if name.startswith("x")]
    columns[0] = Column.numbers("x0", "x0", np.where(np.arange(ROWS) == 20_000, np.inf, 1.0))
    made = []
    for seed in range(8):
        shared = np.random.default_rng(seed).random(ROWS) * 7 < seed
        reader = TableReader(1 << 12, **POLICY, ngrams=1, scaled=scaled, frozen=False, threads=2)
        batches: list[tuple[bytes, ...]] = []
        for _ in range(2):
            reader.begin(Columns(ROWS, columns))
            while reader.has_next:
                batch = reader.next(bool(shared[len(batches)]))
                batches.append(tuple(np.asarray(part).tobytes() for part in (batch.indptr, batch.indices, batch.data)))
        made.append((batches, reader.digest, reader.rows, reader.scales, reader.bad_lines))
    assert made[0][-1] == 2
    assert all(one == made[0] for one in made)


@pytest.mark.parametrize("on_bad", ["stop", "skip"])
def test_a_third_label_is_refused_in_the_same_row(on_bad: str) -> None:
    with th.open_stream(pyarrow.table(table()), positive="yes") as stream:
        for _ in stream:
            recipe = stream.recipe
    frame = pyarrow.table(spoilt("label", {33_333: "maybe", 33_334: "perhaps"}))
    alone = found(frame, 1, recipe=recipe, on_bad=on_bad)
    wrong = "a Table: row 33334: column 'label': found label 'maybe', expected 'no' or 'yes', the labels of the model"
    assert any(said.startswith(wrong) for said in alone.said)
    assert alone.counts[0] == (1 if on_bad == "stop" else 2)
    for threads in THREADS[1:]:
        assert found(frame, threads, recipe=recipe, on_bad=on_bad) == alone


def test_rows_before_a_fault_are_the_same_and_so_is_its_place(tmp_path: Path) -> None:
    rows = [f"{k % 13},{k / 7!r},w{k % 50},{'yes' if k % 3 else 'no'}" for k in range(200_000)]
    rows[193_210] = "1,many,w1,yes"
    (tmp_path / "t.csv").write_text("a,b,c,label\n" + "\n".join(rows) + "\n")
    alone = found(tmp_path / "t.csv", 1)
    assert alone.error.startswith(f"{tmp_path / 't.csv'}:193212: column 'b': found 'many', expected a number")
    assert alone.positions[-1][0] == 193_210
    for threads in THREADS[1:]:
        assert found(tmp_path / "t.csv", threads) == alone


def test_words_of_texts_are_the_same() -> None:
    frame = pyarrow.table(
        {"body": [f"word{k % 97} and {'more ' * (k % 40)}{k}" for k in range(30_000)], "label": [k % 2 for k in range(30_000)]}
    )
    alone = found(frame, 1, text="body", ngrams=2)
    assert len(alone.batches) > 5
    for threads in THREADS[1:]:
        assert found(frame, threads, text="body", ngrams=2) == alone


def test_a_row_that_is_left_out_moves_no_scale_for_any_number_of_threads() -> None:
    """The scales behind it were foreseen with it among the rows."""
    good = pyarrow.table(table())
    left = [row for row in range(ROWS) if row != 12_345]
    for threads in THREADS:
        without = found(good.take(left), threads, bits=12, positive="yes")
        with_one = found(pyarrow.table(spoilt("x0", {12_345: -np.inf})), threads, bits=12, positive="yes", on_bad="skip")
        assert with_one.counts[0] == 1
        assert with_one.recipe == without.recipe


def test_a_run_that_goes_on_reads_what_was_left() -> None:
    frame = pyarrow.table(table())
    for threads in THREADS:
        with th.open_stream(frame, positive="yes", threads=threads) as stream:
            batches = iter(stream)
            first = next(batches)
            position, recipe = stream.position, stream.recipe
            rest = [batch.matrix() for batch in batches]
        with th.open_stream(frame, recipe=recipe, threads=threads) as again:
            again.skip_to(position)
            got = [batch.matrix() for batch in again]
        assert len(first) + sum(part.shape[0] for part in rest) + again.unlabelled <= ROWS + stream.unlabelled
        assert np.concatenate([part.data for part in got]).tobytes() == np.concatenate([part.data for part in rest]).tobytes()


def test_a_stream_that_is_left_half_read_ends_its_threads() -> None:
    frame = pyarrow.table(table())
    for threads in THREADS:
        with th.open_stream(frame, positive="yes", threads=threads) as stream:
            batch = next(iter(stream))
        assert list(stream) == []
        assert batch.matrix().nnz > 0
        assert stream.position.offset > 0


def test_model_and_predictions_are_the_same(tmp_path: Path) -> None:
    arrow(".parquet").write_table(pyarrow.table(table()), tmp_path / "t.parquet")
    models, said = set(), set()
    for threads in THREADS:
        model = tmp_path / f"{threads}.thresher"
        done = run("learn", tmp_path / "t.parquet", "--threads", str(threads), "--positive", "yes", "--save", model, "--quiet")
        assert done.status == 0, done.err
        models.add(model.read_bytes())
        said.add(run("predict", model, tmp_path / "t.parquet", "--threads", str(threads)).out)
    assert len(models) == len(said) == 1
