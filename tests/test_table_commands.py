"""Commands on tables: models that remember the columns, predictions, runs that go on, proofs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import check_refused_command, run, stop_after
from tests.tables import FORMS, Row
from thresher.store import Model


def people(rows: int = 400, seed: int = 0) -> list[Row]:
    """Numbers of wild ranges, words, and a label that they tell."""
    rng = np.random.default_rng(seed)
    age, income = rng.integers(17, 90, rows), np.round(rng.lognormal(10.0, 1.0, rows), 2)
    town = rng.choice(["Ulm", "Bonn", "New York"], rows)
    score = (age - 50) / 20 + np.log(income) - 10 + (town == "Bonn") + 0.3 * rng.standard_normal(rows)
    bought = np.where(score > 0, "yes, twice", "no")
    columns = (age.tolist(), income.tolist(), town.tolist(), bought.tolist())
    names = ("age", "income", "town", "bought")
    return [{"id": f"p{k}", **dict(zip(names, cells, strict=True))} for k, cells in enumerate(zip(*columns, strict=True))]


LEARN = ("learn", "--label", "bought", "--ignore", "id")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    place: Path = FORMS["csv"](people(), tmp_path)
    return place


def test_a_model_remembers_the_columns_and_reads_any_form_of_them(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "my.thresher"
    ran = run(*LEARN, table, "--save", model, "--json")
    assert (ran.status, ran.json["examples"]) == (0, 400)
    assert ran.json["mistakes"] < 120 < ran.json["baselines"]["best_constant"]
    predicted = [run("predict", model, FORMS[form](people(60, 1), tmp_path)) for form in ("csv", "parquet", "jsonl", "tsv")]
    assert len({ran.out for ran in predicted}) == 1
    assert {*predicted[0].out.splitlines()} == {"no", "yes, twice"}
    assert "mistakes" in predicted[0].err
    recipe = Model.load(model).recipe
    assert recipe is not None
    assert recipe.table is not None
    assert recipe.table.kinds == {"age": "number", "income": "number", "town": "category"}
    assert {*recipe.table.scales} == {"age", "income"}


def test_predictions_come_with_the_column_that_was_asked_for_and_need_no_label(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "my.thresher"
    run(*LEARN, table, "--save", model)
    unlabelled = [{name: value for name, value in row.items() if name != "bought"} for row in people(9, 2)]
    ran = run("predict", model, FORMS["csv"](unlabelled, tmp_path), "--id", "id", "--scores")
    assert [line.split("\t")[0] for line in ran.out.splitlines()] == [f"p{k}" for k in range(9)]
    assert "said" not in ran.err
    check_refused_command(tmp_path, "predict", model, table, "--id", "name", says=["found no column 'name', as --id says"])


def test_predictions_do_not_depend_on_what_is_predicted_beside(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "my.thresher"
    run(*LEARN, table, "--save", model)
    whole = run("predict", model, table, "--scores").out.splitlines()
    tail: Any = FORMS["jsonl"](people()[-5:], tmp_path)
    assert run("predict", model, tail, "--scores").out.splitlines() == whole[-5:]


@pytest.mark.parametrize("known", [["id", "age", "income", "town", "bought"], ["id", "town", "bought"]])
def test_columns_that_the_model_does_not_know_change_no_prediction(known: list[str], tmp_path: Path) -> None:
    rows, model = people(), tmp_path / "my.thresher"
    run(*LEARN, FORMS["csv"]([{name: row[name] for name in known} for row in rows], tmp_path), "--save", model)
    plain = run("predict", model, tmp_path / "table.csv", "--probabilities").out
    more = [{**row, "height": float(k), "shoes": f"s{k % 7}"} for k, row in enumerate(rows)]
    for form in ("csv", "parquet", "jsonl"):
        assert run("predict", model, FORMS[form](more, tmp_path), "--probabilities").out == plain, form


def test_columns_that_the_model_knows_and_the_table_has_not_are_named(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "my.thresher"
    run(*LEARN, table, "--save", model)
    fewer: Any = FORMS["jsonl"]([{"age": 30, "town": "Ulm"}], tmp_path)
    assert "the first rows have no column income, which the model knows" in run("predict", model, fewer).err
    others: Any = FORMS["parquet"]([{"height": 1.8}], tmp_path)
    says = ["found none of the columns that the model knows (age, income, town)"]
    check_refused_command(tmp_path, "predict", model, others, says=says)


def test_text_that_the_model_knows_and_the_source_has_not_is_told_as_the_models(tmp_path: Path) -> None:
    mail, model, other = (tmp_path / name for name in ("mail.csv", "model", "other.csv"))
    mail.write_text("text,a,kind\ncheap offer,1,junk\nhello you,2,fine\n")
    other.write_text("Text,a\nhello,3\n")
    run("learn", mail, "--label", "kind", "--text", "text", "--save", model, "--quiet")
    says = ["other.csv: found no column 'text', as the model says (did you mean Text?); the columns are a"]
    check_refused_command(tmp_path, "predict", model, other, says=says)


def test_inspect_shows_attributes_by_name(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "my.thresher"
    run(*LEARN, table, "--learner", "arow", "--save", model)
    shown = run("inspect", model).out
    assert "reads tables, label bought, without id, numbers scaled; +1 is yes, twice, -1 is no" in shown
    for name in ("income", "age", "town=Bonn", "town=New York"):
        assert name in shown
    assert json.loads(run("inspect", model, "--json").out)["recipe"]["table"]["label"] == "bought"


@pytest.mark.parametrize("learner", ["perceptron", "portfolio"])
def test_a_resumed_run_is_as_one_that_was_not_interrupted(learner: str, tmp_path: Path) -> None:
    place: Path = FORMS["csv"](people(60_000), tmp_path)
    options = [*LEARN, place, "--learner", learner, "--passes", 2, "--bits", 12]
    whole, part = tmp_path / "whole", tmp_path / "part"
    assert run(*options, "--save", whole).status == 0
    with stop_after(1):
        assert run(*options, "--save", part).status == 130
    stopped = Model.load(part)
    assert stopped.run is not None
    assert 0 < stopped.run.position.offset < 60_000
    resumed = run("learn", place, "--resume", part, "--json")
    assert resumed.status == 0
    assert part.read_bytes() == whole.read_bytes()
    assert {each["verdict"] for each in resumed.json["certificates"]} <= {"certified", "void"}
    assert resumed.json["certificates"]


def test_text_without_columns_is_no_table_of_a_model(table: Path, tmp_path: Path) -> None:
    model, words = tmp_path / "model", tmp_path / "b.vw"
    words.write_text("junk |t offer\nfine |t hello\n")
    run(*LEARN, table, "--save", model, "--quiet")
    says = ["b.vw:1: found what looks like Vowpal Wabbit text", "expected a table, as the model has learned"]
    check_refused_command(tmp_path, "predict", model, words, says=says)
    check_refused_command(tmp_path, "learn", words, "--from", model, says=says)


def test_another_table_is_not_gone_on_with(tmp_path: Path) -> None:
    place: Path = FORMS["csv"](people(60_000), tmp_path)
    part = tmp_path / "part"
    with stop_after(1):
        assert run(*LEARN, place, "--save", part, "--bits", 12).status == 130
    FORMS["csv"](people(60_000, 1), tmp_path)
    check_refused_command(
        tmp_path, "learn", place, "--resume", part, "--quiet", says=["found other rows than the run was reading"]
    )


def test_scaled_numbers_are_certified_as_they_were_learned(table: Path, tmp_path: Path) -> None:
    ran = run(*LEARN, table, "--learner", "perceptron", "--passes", 3, "--certify", "--json")
    assert ran.status == 0
    assert "certified" in {each["verdict"] for each in ran.json["certificates"]}
    model = tmp_path / "my.thresher"
    run(*LEARN, table, "--learner", "perceptron", "--save", model)
    more = run("learn", FORMS["jsonl"](people(50, 3), tmp_path), "--from", model, "--json")
    assert (more.status, more.json["examples"]) == (0, 50)


def test_what_contradicts_the_model_is_refused(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "my.thresher"
    run(*LEARN, table, "--save", model)
    for options, says in {
        "--label town": "found --label town, but the model was made with bought",
        "--text town": "found --text town, but the model was made with none",
        "--numeric raw": "found --numeric raw, but the model was made with scale",
        "--format vw": "found --format vw, but the model was made with table",
    }.items():
        check_refused_command(tmp_path, "predict", model, table, *options.split(), says=[says])
    assert run("predict", model, table, "--label", "bought", "--format", "csv", "--ignore", "id").status == 0


def test_certificates_of_a_table_are_checked_again(tmp_path: Path) -> None:
    place: Path = FORMS["tsv"](people(80), tmp_path)
    proof = tmp_path / "proof.json"
    ran = run("certify", place, "--label", "bought", "--ignore", "id", "--bits", 10, "--save", proof, "--quiet")
    assert ran.status == 0, ran.err
    checked = run("certify", place, "--check", proof, "--quiet")
    assert checked.status == 0, checked.err
    assert "holds" in checked.out


def test_a_proof_of_a_run_on_scaled_numbers_is_checked_again(table: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    assert run(*LEARN, table, "--bits", 10, "--proof", proof, "--quiet").status == 0
    checked = run("certify", table, "--check", proof, "--quiet")
    assert (checked.status, checked.err) == (0, "")


def test_a_frame_is_learned_as_its_file_is(tmp_path: Path) -> None:
    rows = people(200)
    learners = []
    for form in ("pandas", "polars", "csv"):
        learner = th.Perceptron(2**12, bias=1.0)
        with th.open_stream(FORMS[form](rows, tmp_path), n=2**12, label="bought", ignore="id") as stream:
            for batch in stream:
                learner.learn_many(batch.X, batch.y)
        learners.append(learner.weights.tobytes())
    assert len({*learners}) == 1


def test_the_last_column_may_be_text(tmp_path: Path) -> None:
    place = tmp_path / "mail.tsv"
    place.write_text('label\ttext\nspam\tFree prize!\nham\tlunch "at noon\nspam\tfree free\n')
    model = tmp_path / "my.thresher"
    assert run("learn", place, "--text", "text", "--ngrams", 2, "--save", model).status == 0
    assert b"text=free prize" in Model.load(model).names


@pytest.mark.parametrize("command", [("certify",), ("learn", "--learner", "perceptron", "--certify")])
def test_another_order_of_scaled_numbers_is_said_to_be_another_matter(command: tuple[str, ...], tmp_path: Path) -> None:
    numbers = [(1.0 if k % 2 else -1.0) * 2.0**k for k in range(40)]
    place = FORMS["csv"]([{"x": x, "label": "up" if x > 0 else "down"} for x in numbers], tmp_path)
    notice = "a bound in any order is of these examples as they were scaled"
    assert any(notice in each for each in run(*command, place, "--quiet", "--json").json["notices"])
    raw = run(*command, place, "--quiet", "--json", "--numeric", "raw").json
    assert not any(notice in each for each in raw["notices"])
