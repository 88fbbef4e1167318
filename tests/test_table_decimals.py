"""The decimal sign of a column is part of the model: a file that shows none is read as the one that was learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import run
from thresher.data.names import slot_of
from thresher.data.recipe import Recipe
from thresher.data.table_recipe import TableRecipe
from thresher.errors import ParameterError, SourceError, StoreError

pytest.importorskip("pyarrow")

COMMAS = "a;b;label\n1,5;7;no\n1.234;8;yes\n2.345,25;9;no\n3;1;yes\n"


def csv(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def read(source: Any, *columns: str, **options: Any) -> tuple[list[list[float]], Recipe]:
    """The numbers of columns, row by row, and the recipe."""
    rows = []
    with th.open_stream(source, numeric="raw", **options) as stream:
        for batch in stream:
            matrix = batch.matrix()
            rows += [[matrix[row, slot_of(name, stream.n)] for name in columns] for row in range(len(batch))]
        return rows, stream.recipe


def learned(text: str, path: Path) -> Recipe:
    return read(csv(path / "learned.csv", text), "a", "b")[1]


def again(text: str, recipe: Recipe, path: Path, **options: Any) -> list[list[float]]:
    return read(csv(path / "again.csv", text), "a", "b", recipe=recipe, keep_unlabelled=True, **options)[0]


def test_the_recipe_says_which_sign_the_columns_have(tmp_path: Path) -> None:
    rows, recipe = read(csv(tmp_path / "t.csv", COMMAS), "a", "b")
    assert rows == [[1.5, 7.0], [1234.0, 8.0], [2345.25, 9.0], [3.0, 1.0]]
    assert recipe.table is not None
    assert recipe.table.decimals == {"a": ",", "b": ","}
    assert Recipe.from_dict(recipe.as_dict()) == recipe


def test_where_nothing_shows_it_the_recipe_says_nothing(tmp_path: Path) -> None:
    for text in ("a;label\n1;no\n2;yes\n", "a,label\n1.5,no\n2.5,yes\n", 'a,label\n"1,234",no\n2,yes\n'):
        _, recipe = read(csv(tmp_path / "t.csv", text), "a")
        assert recipe.table is not None
        assert recipe.table.decimals == {}
        assert "decimals" not in recipe.as_dict()["table"]
    points = learned("a;b;label\n1.5;2;no\n$2;3;yes\n", tmp_path)
    assert points.table is not None
    assert points.table.decimals == {"a": "."}


def test_a_file_without_a_comma_is_read_as_what_was_learned(tmp_path: Path) -> None:
    recipe = learned(COMMAS, tmp_path)
    few = "a;b\n1.234;5\n12;2.000\n"
    assert again(few, recipe, tmp_path) == [[1234.0, 5.0], [12.0, 2000.0]]
    points = learned("a;b;label\n1.234;2;no\n5.5;3.25;yes\n", tmp_path)
    assert again(few, points, tmp_path) == [[1.234, 5.0], [12.0, 2.0]]


def test_a_file_with_the_other_sign_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "again.csv"
    recipe = learned(COMMAS, tmp_path)
    wrong = f"{file}:3: column 'a': found '1.5', expected a number with a decimal comma, as in the rows that were learned"
    wrong += ": write it so, or commas between the cells and points in the numbers"
    with pytest.raises(SourceError) as refused:
        again("a;b\n1,25;5\n1.5;6\n2,5;7\n", recipe, tmp_path)
    assert str(refused.value) == wrong
    assert again("a;b\n1,25;5\n1.5;6\n2,5;7\n", recipe, tmp_path, on_bad="skip") == [[1.25, 5.0], [2.5, 7.0]]
    points = learned("a;b;label\n1.234;2;no\n5.5;3.25;yes\n", tmp_path)
    with pytest.raises(SourceError, match=r"again.csv:2: column 'a': found '1,5', expected a number with a decimal point"):
        again("a;b\n1,5;5\n2,5;6\n", points, tmp_path)


def test_a_ragged_row_and_another_sign_are_both_told(tmp_path: Path) -> None:
    recipe = learned(COMMAS, tmp_path)
    text = "a;b\n1,25;5\n1;2;3\n1.5;6\n2,5;7\n"
    with th.open_stream(csv(tmp_path / "t.csv", text), recipe=recipe, keep_unlabelled=True, on_bad="skip") as stream:
        assert sum(len(batch) for batch in stream) == 2
        assert [error.line for error in stream.first_bad] == [3, 4]


def test_columns_may_differ(tmp_path: Path) -> None:
    text = "a;b;label\n1,5;$1,234.50;no\n2,25;$2.25;yes\n"
    rows, recipe = read(csv(tmp_path / "t.csv", text), "a", "b")
    assert rows == [[1.5, 1234.5], [2.25, 2.25]]
    assert recipe.table is not None
    assert recipe.table.decimals == {"a": ",", "b": "."}
    assert again("a;b\n1.234;1.234\n", recipe, tmp_path) == [[1234.0, 1.234]]
    with pytest.raises(SourceError, match="column 'b': found '1,5', expected a number with a decimal point"):
        again("a;b\n1,5;1,5\n", recipe, tmp_path)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_later_chunk_with_the_other_sign_is_refused(threads: int, tmp_path: Path) -> None:
    rows = [f"{k % 90},{k % 10}5;{k};{'yes' if k % 2 else 'no'};{'x' * 20}" for k in range(150_000)]
    rows[140_000] = f"1.5;7;yes;{'x' * 20}"
    file = csv(tmp_path / "t.csv", "a;b;label;c\n" + "\n".join(rows) + "\n")
    assert file.stat().st_size > 1 << 22
    wrong = "t.csv:140002: column 'a': found '1.5', expected a number with a decimal comma, as in the first rows"
    with th.open_stream(file, threads=threads) as stream, pytest.raises(SourceError, match=wrong):
        for _ in stream:
            pass
    assert stream.position.offset == 140_000
    with th.open_stream(file, threads=threads, on_bad="skip") as stream:
        assert sum(len(batch) for batch in stream) == 149_999


def test_files_of_one_stream_have_one_sign(tmp_path: Path) -> None:
    first = csv(tmp_path / "1.csv", COMMAS)
    assert read([first, csv(tmp_path / "2.csv", "a;b;label\n4.321;1;no\n")], "a")[0][-1] == [4321.0]
    with pytest.raises(SourceError, match=r"3.csv:2: column 'a': found '4.3', expected a number with a decimal comma"):
        read([first, csv(tmp_path / "3.csv", "a;b;label\n4.3;1;no\n")], "a")


def test_a_recipe_of_an_older_model_guesses_as_before(tmp_path: Path) -> None:
    stored = learned(COMMAS, tmp_path).as_dict()
    del stored["table"]["decimals"]
    older = Recipe.from_dict(stored)
    assert again("a;b\n1.234;5\n", older, tmp_path) == [[1.234, 5.0]]
    assert again("a;b\n1,25;5\n", older, tmp_path) == [[1.25, 5.0]]


def test_what_is_no_sign_is_no_recipe() -> None:
    good = TableRecipe(decimals={"a": ","}).as_dict()
    for bad in ({"a": ";"}, {"a": 1}, {"": ";"}, [","]):
        with pytest.raises(StoreError):
            TableRecipe.from_dict({**good, "decimals": bad})


@pytest.mark.parametrize(("field", "value"), [("decimals", ";"), ("decimals", None), ("kinds", "numbers")])
def test_what_no_column_can_hold_is_refused_from_python_too(field: str, value: Any) -> None:
    given: dict[str, Any] = {field: {"a": value}}
    with pytest.raises(ParameterError, match=f"found {value!r} in {field}, for the column 'a', expected '"):
        TableRecipe(**given)


@pytest.mark.parametrize(("field", "value"), [("scales", [1.0, 0.0, 0.0]), ("decimals", ",")])
@pytest.mark.parametrize("column", ["b", "nowhere"])
def test_a_scale_or_a_sign_of_what_holds_no_numbers_is_no_recipe(field: str, value: Any, column: str, tmp_path: Path) -> None:
    stored = learned("a;b;label\n1,5;x;no\n2,5;y;yes\n", tmp_path).as_dict()
    stored["table"][field] = {"a": value}
    assert Recipe.from_dict(stored).as_dict() == stored
    stored["table"][field] = {"a": value, column: value}
    with pytest.raises(StoreError, match=f"of the column '{column}', which holds no numbers"):
        Recipe.from_dict(stored)


@pytest.mark.parametrize("label", ["label", "Label"])
def test_labels_are_words_as_they_are_spelled_and_have_no_sign(label: str, tmp_path: Path) -> None:
    recipe = learned(f"a;{label}\n1,5;1,0\n2,5;0,0\n", tmp_path)
    assert recipe.table is not None
    assert recipe.table.decimals == {"a": ","}
    assert (recipe.plus, recipe.minus) == ("1,0", "0,0")


def test_learn_and_predict_agree_and_so_does_a_run_that_goes_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [f"{1000 * value:.2f}".replace(".", ",") + f";{'yes' if value > 0 else 'no'}" for value in rng.normal(0, 1, 500)]
    model, file = tmp_path / "m.thresher", csv(tmp_path / "t.csv", "a;label\n" + "\n".join(rows) + "\n")
    assert run("learn", file, "--save", model, "--quiet").status == 0
    whole = csv(tmp_path / "whole.csv", "a\n2.500\n-2.500\n".replace("a\n", "a;b\n").replace("00\n", "00;1\n"))
    assert run("predict", model, whole).out.split() == ["yes", "no"]
    more = csv(tmp_path / "more.csv", "a;label\n2.5;yes\n")
    refused = run("learn", more, "--from", model, "--save", tmp_path / "n.thresher")
    assert refused.status == 2
    assert "more.csv:2: column 'a': found '2.5', expected a number with a decimal comma" in refused.err
    assert not (tmp_path / "n.thresher").exists()


def test_a_zero_before_the_comma_is_no_thousand(tmp_path: Path) -> None:
    rows, recipe = read(csv(tmp_path / "t.csv", "a;b;label\n8,050;0,808;no\n9,100;0,125;yes\n"), "a", "b")
    assert rows == [[8.05, 0.808], [9.1, 0.125]]
    assert recipe.table is not None
    assert recipe.table.decimals == {"a": ",", "b": ","}
    with pytest.raises(SourceError, match=r"again\.csv:2: column 'b': found '0\.500', expected a number with a decimal comma"):
        again("a;b\n1,5;0.500\n", recipe, tmp_path)


def test_commas_that_may_be_decimal_are_told_and_stay_what_they_were_taken_for(tmp_path: Path) -> None:
    model, text = tmp_path / "model", csv(tmp_path / "t.csv", "a;label\n8,050;no\n9,100;yes\n")
    ran = run("learn", text, "--label", "label", "--save", model)
    assert "column 'a': '8,050' was read as 8050, since three digits follow each comma; if the comma is decimal" in ran.out
    ran = run("predict", model, csv(tmp_path / "new.csv", "a\n8,05\n"), "--format", "csv")
    assert ran.status == 2
    more = csv(tmp_path / "more.csv", "a;x\n8,05;1\n")
    assert "column 'a': found '8,05', expected a number with a decimal point" in run("predict", model, more).err


def test_a_table_between_semicolons_without_a_known_column_is_another_table(tmp_path: Path) -> None:
    recipe = learned(COMMAS, tmp_path)
    with pytest.raises(SourceError, match=r"found none of the columns that the model knows \(a, b\)"):
        again("Extra;Foo\n1,5;b\n", recipe, tmp_path)


@pytest.mark.parametrize("field", ["kinds", "decimals"])
def test_a_recipe_with_what_no_column_can_be_is_refused(field: str) -> None:
    stored = TableRecipe(kinds={"a": "number"}, decimals={"a": ","}).as_dict()
    with pytest.raises(StoreError, match="wrong types"):
        TableRecipe.from_dict({**stored, field: {"a": [","]}})


# ---- a sign that was said ----------------------------------------------------------------------------------------------

THOUSANDS = "a;b;label\n" + "1.234;7;no\n2.345;8;yes\n3.456;7;no\n" * 20


@pytest.mark.parametrize(("decimal", "first"), [(None, 1.234), (",", 1234.0), (".", 1.234)])
def test_the_sign_that_is_said_is_that_of_all_numbers(decimal: str | None, first: float, tmp_path: Path) -> None:
    rows, recipe = read(csv(tmp_path / "t.csv", THOUSANDS), "a", "b", decimal=decimal)
    assert rows[0] == [first, 7.0]
    assert recipe.table is not None
    assert recipe.table.decimal == decimal
    assert recipe.table.decimals == ({"a": "."} if decimal is None else {"": decimal, "a": decimal, "b": decimal})
    assert Recipe.from_dict(recipe.as_dict()) == recipe


def test_where_nothing_tells_what_a_comma_is_it_can_be_said(tmp_path: Path) -> None:
    place = csv(tmp_path / "t.csv", "a;label\n8,050;no\n9,100;yes\n")
    for decimal, number, told in ((None, 8050.0, 1), (",", 8.05, 0), (".", 8050.0, 0)):
        assert read(place, "a", decimal=decimal)[0][0] == [number]
        with th.open_stream(place, decimal=decimal) as stream:
            assert sum("say --decimal ," in notice for notice in stream.notices) == told


@pytest.mark.parametrize(
    ("name", "text"), [("t.tsv", "a\tlabel\n1,5\tno\n2,5\tyes\n"), ("t.csv", 'a,label\n"1,5",no\n"2,5",yes\n')]
)
def test_the_sign_that_is_said_holds_whatever_is_between_the_cells(name: str, text: str, tmp_path: Path) -> None:
    rows, recipe = read(csv(tmp_path / name, text), "a", decimal=",")
    assert rows == [[1.5], [2.5]]
    assert read(csv(tmp_path / name, text.replace(",5", ",75")), "a", recipe=recipe)[0] == [[1.75], [2.75]]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "text", ["a;label\n1,5;no\n1.5;yes\n", "a;label\n7;no\n1.5;yes\n2.5;no\n", "a\tlabel\n1,5\tno\n1.5\tyes\n"]
)
def test_a_number_against_what_was_said_is_told_with_its_line(text: str, threads: int, tmp_path: Path) -> None:
    place = csv(tmp_path / "t.csv", text)
    wrong = (
        r"t.csv:3: column 'a': found '1\.5', expected a number with a decimal comma, as --decimal \(decimal= in Python\) said"
    )
    with pytest.raises(SourceError, match=wrong):
        read(place, "a", decimal=",", positive="yes", threads=threads)


def test_columns_of_later_files_have_the_sign_that_was_said(tmp_path: Path) -> None:
    places = [csv(tmp_path / "1.csv", "a;label\n1,5;no\n2,5;yes\n"), csv(tmp_path / "2.csv", "c;label\n1.234;no\n")]
    assert read(places, "a", "c", decimal=",")[0] == [[1.5, 0.0], [2.5, 0.0], [0.0, 1234.0]]
    assert read(places, "a", "c")[0][-1] == [0.0, 1.234]


@pytest.mark.parametrize("decimal", [";", "", "comma", 1])
def test_a_sign_that_is_none_is_refused(decimal: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"found decimal = .*, expected ',' or '\.'"):
        th.open_stream(csv(tmp_path / "t.csv", THOUSANDS), decimal=decimal)


@pytest.mark.parametrize(
    ("name", "text"), [("t.jsonl", '{"a": 1.5, "label": 0}\n'), ("t.vw", "a | x\nb | y\n"), ("t.svm", "1 1:1\n")]
)
def test_only_csv_has_a_sign_to_say(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=f"found --decimal , .* for {name[2:].replace('svm', 'svmlight')}, expected CSV"):
        th.open_stream(csv(tmp_path / name, text), decimal=",")


def test_the_model_keeps_what_was_said_and_a_proof_is_checked_by_it(tmp_path: Path) -> None:
    place, model, proof = csv(tmp_path / "t.csv", THOUSANDS), tmp_path / "m.thresher", tmp_path / "proof.json"
    learn = ("learn", place, "--learner", "perceptron", "--decimal", ",", "--quiet")
    assert run(*learn, "--save", model, "--proof", proof).status == 0
    assert run(*learn, "--passes", 2).status == 0
    assert run("certify", place, "--check", proof).status == 0
    assert "decimal comma" in run("inspect", model).out
    labels = ["no", "yes", "no"] * 20
    for options in ([], ["--decimal", ","]):
        assert run("predict", model, place, *options).out.split() == labels
    whole = csv(tmp_path / "whole.csv", THOUSANDS.replace("1.234", "1234").replace("2.345", "2345").replace("3.456", "3456"))
    assert run("predict", model, whole).out.split() == labels
    for command in (("predict", model, place), ("learn", place, "--from", model)):
        refused = run(*command, "--decimal", ".")
        assert refused.status == 2
        assert "found --decimal . (decimal= in Python), but the model has learned numbers with a decimal comma" in refused.err
