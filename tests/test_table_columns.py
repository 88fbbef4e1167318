"""Which columns of a table are learned, and what is said of those that a user named."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import thresher as th
from tests.commands import check_refused_command, run
from tests.tables import rows_of
from thresher.data.arrow import arrow
from thresher.data.table_recipe import TableRecipe

pandas: Any = import_module("pandas")
ROWS = "customer,size,label\nc1,1,no\nc2,2,yes\nc3,3,no\n"


def shuffled() -> Any:
    """A frame whose index tells the label."""
    frame = pandas.DataFrame({"size": [1.0, 2.0] * 20, "label": ["no"] * 20 + ["yes"] * 20})
    return frame.sample(frac=1, random_state=0)


def written(kind: str, frame: Any, folder: Path) -> Any:
    place = folder / "frame"
    if kind == "parquet":
        frame.to_parquet(place)
    elif kind == "arrow stream":
        table = arrow().Table.from_pandas(frame)
        with arrow(".ipc").new_stream(str(place), table.schema) as out:
            out.write_table(table)
    else:
        return frame
    return place


def kinds_of(source: Any, **options: Any) -> dict[str, str]:
    with th.open_stream(source, **options) as stream:
        list(stream)
    assert stream.recipe.table is not None
    return dict(stream.recipe.table.kinds)


@pytest.mark.parametrize("kind", ["frame", "parquet", "arrow stream"])
def test_the_index_of_a_frame_is_no_attribute(kind: str, tmp_path: Path) -> None:
    frame = shuffled()
    plain = rows_of(frame.reset_index(drop=True))
    assert rows_of(written(kind, frame, tmp_path)) == plain
    assert kinds_of(written(kind, frame.rename_axis("place"), tmp_path)) == {"size": "number"}


@pytest.mark.parametrize("kind", ["frame", "parquet", "arrow stream"])
def test_an_index_that_was_named_is_read(kind: str, tmp_path: Path) -> None:
    labelled = written(kind, shuffled().set_index("label"), tmp_path)
    assert rows_of(labelled, label="label") == rows_of(shuffled().reset_index(drop=True))
    told = written(kind, shuffled().assign(note="some words").set_index("note"), tmp_path)
    assert kinds_of(told, text="note") == {"size": "number", "note": "words"}


def test_an_index_that_a_model_knows_as_a_column_is_read() -> None:
    frame = shuffled().reset_index(names="place")
    with th.open_stream(frame, numeric="raw") as stream:
        expected = [batch.X[k] for batch in stream for k in range(len(batch))]
    with th.open_stream(frame.set_index("place"), recipe=stream.recipe) as again:
        found = [batch.X[k] for batch in again for k in range(len(batch))]
    assert found == expected


@pytest.mark.parametrize("told", [b"{", b"[]", b'{"index_columns": 3}', b'{"index_columns": [{"kind": "range"}, 7]}'])
def test_metadata_that_name_no_column_are_passed_over(told: bytes) -> None:
    table = arrow().table({"size": [1.0, 2.0], "label": ["a", "b"]}).replace_schema_metadata({b"pandas": told})
    assert kinds_of(table) == {"size": "number"}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_an_ignored_column_that_is_not_there_is_refused_with_those_that_are(kind: str, tmp_path: Path) -> None:
    place = tmp_path / f"t.{kind}"
    place.write_text(ROWS)
    if kind == "parquet":
        pandas.read_csv(place).to_parquet(place)
    says = ["t.", "found no column 'custmer', as --ignore says", "the columns are ", "size (3 different numbers from 1 to 3"]
    check_refused_command(tmp_path, "learn", place, "--ignore", "custmer", says=says)
    with pytest.raises(th.SourceError, match=r"found no column 'custmer'.*customer .left out"):
        rows_of(place, ignore=["customer", "custmer"])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_that_a_model_ignores_may_be_missing_and_may_be_the_id(kind: str, tmp_path: Path) -> None:
    place, model = tmp_path / f"t.{kind}", tmp_path / "model"
    frame = pandas.DataFrame({"customer": ["c1", "c2"], "size": [1.0, 2.0], "label": ["no", "yes"]})
    frame.to_csv(place, index=False) if kind == "csv" else frame.to_parquet(place)
    assert run("learn", place, "--ignore", "customer", "--save", model, "--quiet").status == 0
    assert [line.split("\t")[0] for line in run("predict", model, place, "--id", "customer").out.splitlines()] == ["c1", "c2"]
    rest = frame.drop(columns="customer")
    rest.to_csv(place, index=False) if kind == "csv" else rest.to_parquet(place)
    assert len(run("predict", model, place).out.splitlines()) == 2
    assert run("learn", place, "--from", model, "--quiet").status == 0


@pytest.mark.parametrize("column", ["size", "colour", "born", "sure", "said"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "jsonl"])
def test_a_column_that_the_model_knows_is_read_though_it_is_the_id(kind: str, column: str, tmp_path: Path) -> None:
    place, model = tmp_path / f"t.{kind}", tmp_path / "model"
    columns = {
        "size": [k / 4 for k in range(40)],
        "colour": ["red", "blue", "green", "red"] * 10,
        "born": [f"2024-0{k % 9 + 1}-17" for k in range(40)],
        "sure": [k % 3 == 0 for k in range(40)],
        "said": [f"word{k % 5} and more" for k in range(40)],
        "label": ["no", "yes", "yes", "no"] * 10,
    }
    frame = pandas.DataFrame(columns)
    if kind == "parquet":
        frame.to_parquet(place)
    elif kind == "jsonl":
        frame.to_json(place, orient="records", lines=True)
    else:
        frame.to_csv(place, index=False, sep="\t" if kind == "tsv" else ",")
    assert run("learn", place, "--text", "said", "--learner", "perceptron", "--save", model, "--quiet").status == 0
    plain, with_id = (run("predict", model, place, "--scores", *more) for more in ((), ("--id", column)))
    assert [line.split("\t", 1)[1] for line in with_id.out.splitlines()] == plain.out.splitlines()
    assert with_id.err == plain.err


@pytest.mark.parametrize("kind", ["chunks", "parquet", "csv"])
def test_the_positive_label_is_looked_for_beyond_the_first_piece(kind: str, tmp_path: Path) -> None:
    rows = 200_000 if kind == "csv" else 4
    frame = pandas.DataFrame({"size": [1.0] * (rows + 2), "label": ["no"] * rows + ["yes", "no"]})
    source: Any = arrow().Table.from_batches(arrow().Table.from_pandas(frame).to_batches(max_chunksize=1))
    if kind != "chunks":
        source = tmp_path / "t"
        frame.to_csv(source, index=False) if kind == "csv" else frame.to_parquet(source, row_group_size=1)
    with th.open_stream(source) as stream:
        labels = [label for batch in stream for label in batch.y.tolist()]
    assert labels == [-1] * rows + [1, -1]
    assert (stream.recipe.minus, stream.recipe.plus) == ("no", "yes")


def test_the_first_rows_say_what_columns_hold_however_far_labels_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,label\nred,no\n")
    (tmp_path / "2.csv").write_text("a,label\n1.50,yes\n")
    with th.open_stream([tmp_path / "1.csv", tmp_path / "2.csv"]) as stream:
        names = [list(stream.names_of(batch, k).values()) for batch in stream for k in range(len(batch))]
    assert names == [["a=red"], ["a=1.50"]]


def test_a_positive_label_that_nobody_can_tell_is_asked_for_at_its_row() -> None:
    table = arrow().Table.from_batches(arrow().table({"a": [1, 2, 3], "label": ["x", "x", "1"]}).to_batches(max_chunksize=1))
    with pytest.raises(th.SourceError, match=r"row 3: found the labels 'x' and '1'; say with .*positive= in Python"):
        rows_of(table)
    with pytest.raises(th.SourceError, match="found only the label 'x' so far"):
        rows_of(table.slice(0, 2))


def test_what_is_wrong_behind_the_first_piece_is_said_behind_its_rows(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,label\n1,1\n")
    (tmp_path / "2.csv").write_text("a,a\n1,1\n")
    with th.open_stream([tmp_path / "1.csv", tmp_path / "2.csv"]) as stream:
        batches = iter(stream)
        assert next(batches).y.tolist() == [1]
        with pytest.raises(th.SourceError, match=r"2.csv:1: found two columns named 'a'"):
            next(batches)


def test_learn_and_inspect_say_what_columns_were_taken_for(tmp_path: Path) -> None:
    place, model = tmp_path / "t.csv", tmp_path / "model"
    place.write_text("customer,age,color,when,note,label\nc1,1,red,2024-07-31,a b,no\nc2,2,blue,2024-08-01,b c,yes\n")
    ran = run("learn", place, "--ignore", "customer", "--text", "note", "--save", model, "--quiet")
    said = "\nnumbers age; words color; text note; dates when; left out customer\n"
    assert said in ran.out
    assert said in run("inspect", model).out


def test_many_columns_are_told_in_lines_of_80_letters() -> None:
    told = TableRecipe(kinds={f"a long name of a column, number {k}": "number" for k in range(20)}).taken()
    assert max(map(len, told.splitlines())) <= 80
    assert told.split()[-3:] == ["and", "14", "more"]


def test_what_arrow_columns_hold_is_seen_in_some_thousand_rows_whatever_its_batches_are() -> None:
    when = ["2024-01-01"] * 10 + ["soon"] * 10
    colours = arrow().array(["red", "green"] * 10).dictionary_encode()
    table = arrow().table({"when": when, "colour": colours, "label": ["no", "yes"] * 10})
    schema = table.schema
    batches = [batch for start in range(0, 20, 3) for batch in table.slice(start, 3).to_batches()]
    reader = arrow().RecordBatchReader.from_batches(schema, batches)
    assert kinds_of(reader) == {"when": "category", "colour": "category"}
    other = arrow().RecordBatchReader.from_batches(schema, table.to_batches())
    assert rows_of(arrow().RecordBatchReader.from_batches(schema, batches)) == rows_of(other)


class Result:
    """What a database gives: an object that speaks Arrow's C stream interface, and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def test_whatever_speaks_arrows_stream_interface_is_a_source() -> None:
    table = arrow().table({"size": [1.0, 2.0, 3.0], "label": ["no", "yes", "no"]})
    assert rows_of(Result(table)) == rows_of(table)


def test_rows_before_a_batch_that_cannot_be_read_are_given() -> None:
    schema = arrow().schema([("size", arrow().float64()), ("label", arrow().string())])

    def batches() -> Any:
        yield arrow().record_batch([[1.0, 2.0], ["no", "yes"]], schema=schema)
        raise OSError("the connection was lost")

    with th.open_stream(Result(arrow().RecordBatchReader.from_batches(schema, batches()))) as stream:
        found = iter(stream)
        assert len(next(found)) == 2
        with pytest.raises(th.SourceError, match="the connection was lost"):
            next(found)


def test_dates_with_dots_have_the_day_first_and_dates_with_slashes_are_told(tmp_path: Path) -> None:
    days = [f"{1 + k % 28:02d}.{1 + k % 12}.20{20 + k % 5}" for k in range(150)]
    iso = [f"20{20 + k % 5}-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(150)]
    slashed = [day.replace("-", "/") for day in iso]
    american = [f"{day[5:7]}/{day[8:]}/{day[:4]}" for day in iso]
    labels = ["no", "yes", "no"] * 50

    def written_days(name: str, cells: list[str]) -> Path:
        place = tmp_path / name
        place.write_text("\n".join(["day,label", *map(",".join, zip(cells, labels, strict=True))]) + "\n")
        return place

    expected = rows_of(written_days("iso.csv", iso))
    assert kinds_of(written_days("iso.csv", iso)) == {"day": "date"}
    assert rows_of(written_days("dots.csv", days)) == expected
    assert rows_of(written_days("slashes.csv", slashed)) == expected
    with th.open_stream(written_days("american.csv", american)) as stream:
        (told,) = stream.notices
    assert told.startswith(
        "column 'day' has dates such as '01/01/2020', which are read as words, since the order of day and month"
    )
