"""`thresher learn` measures: so far, over a window, apart what was held out; the same after an interruption."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import PERCEPTRON, check_refused_command, fruit, read_in_pieces, run, stop_after
from tests.stored import FOLDER
from thresher.evaluate.course import Course
from thresher.evaluate.measuring import Measuring, learned_alone
from thresher.evaluate.metrics import NAMES
from thresher.store import Measures, Model

OPTIONS = ("--quiet", "--bits", 7)


def learner(portfolio: bool) -> Any:
    return th.Portfolio(2**7, bias=1.0) if portfolio else th.Perceptron(2**7, bias=1.0)


def played(
    path: Path, portfolio: bool, every: int | None = None, passes: int = 1, course: dict[int, th.Measured] | None = None
) -> tuple[th.Metrics, th.Metrics]:
    """Metrics of a plain loop, row by row: of what it learned, and of what it only predicted; these after each round, too."""
    held_after = {} if course is None else course
    model, learned, held = learner(portfolio), th.Metrics(window=20), th.Metrics(window=20)
    with th.open_stream(path, bits=7) as stream:
        examples = [(batch.X[row], int(batch.y[row])) for batch in stream for row in range(len(batch))]
    for k, (x, y) in [*enumerate(examples, 1)] * passes:
        if every is None or k % every:
            learned.enter(model.learn(x, y))
            held_after[learned.so_far.rounds] = held.last
        else:
            said = model.predict(x)
            held.count([y], [said.label], [said.score], [model.calibrated(x)] if portfolio else None)
    held_after[learned.so_far.rounds] = held.last
    return learned, held


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.vw"
    path.write_text(fruit(90))
    return path


def command(portfolio: bool) -> tuple[str, ...]:
    return ("learn",) if portfolio else PERCEPTRON


# ---- what is measured ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("portfolio", [False, True])
def test_the_metrics_are_those_of_a_plain_loop(portfolio: bool, source: Path) -> None:
    learned, _ = played(source, portfolio)
    found = run(*command(portfolio), source, *OPTIONS, "--json", "--window", 20).json["metrics"]
    assert found == {"window": 20, "so_far": learned.so_far.as_dict(), "last": learned.last.as_dict(), "held_out": None}
    assert (found["so_far"]["log_loss"] is None) == (not portfolio)
    assert found["last"]["rounds"] == 20


@pytest.mark.parametrize("portfolio", [False, True])
@pytest.mark.parametrize(("every", "passes"), [(2, 1), (7, 1), (90, 1), (91, 1), (4, 2)])
def test_what_is_held_out_is_predicted_as_it_comes_and_never_learned(
    portfolio: bool, every: int, passes: int, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_pieces(monkeypatch, 300)
    learned, held = played(source, portfolio, every, passes)
    options = (*OPTIONS, "--json", "--window", 20, "--holdout-every", every, "--passes", passes)
    made = run(*command(portfolio), source, *options).json
    assert made["metrics"]["held_out"] == {"every": every, "so_far": held.so_far.as_dict(), "last": held.last.as_dict()}
    assert made["metrics"]["so_far"] == learned.so_far.as_dict()
    assert made["examples"] == learned.so_far.rounds == passes * (90 - 90 // every)
    assert made["certificates"]
    assert made["unchecked"] is None


def test_the_check_and_better_witnesses_leave_out_what_is_held_out(source: Path) -> None:
    made = run(*PERCEPTRON, source, *OPTIONS, "--json", "--holdout-every", 3, "--certify", "--trace", 4)
    assert made.json["certificates"][0]["verdict"] == "certified"
    assert made.json["rounds_in_all"] == 60
    assert [row["t"] for row in made.json["trace"]] == ["1", "2", "3", "4"]


def test_the_best_of_a_portfolio_is_replayed_without_what_is_held_out(source: Path) -> None:
    made = run("learn", source, *OPTIONS, "--json", "--holdout-every", 3, "--certify").json
    assert made["unchecked"] is None or "has no theorem about" in made["unchecked"]
    assert made["certificates"][0]["verdict"] == "certified"


def test_weights_of_examples_count(tmp_path: Path) -> None:
    path = tmp_path / "weighted.vw"
    path.write_text("1 3.0 | a\n-1 1.0 | b\n1 0.5 | c\n")
    made = run(*PERCEPTRON, path, *OPTIONS, "--json").json["metrics"]["so_far"]
    assert made["weight"] == 4.5
    assert made["accuracy"] == 3.0 / 4.5


def test_one_label_alone_is_measured_as_far_as_that_goes(tmp_path: Path) -> None:
    path = tmp_path / "one.vw"
    path.write_text("yes | a\nyes | b\n")
    ran = run("learn", path, *OPTIONS, "--window", 5, "--positive", "yes")
    assert ran.status == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["balanced", "accuracy", "–", "–"] in rows
    assert ["recall", "100.00", "%", "100.00", "%"] in rows


# ---- what is shown ---------------------------------------------------------------------------------------------------


def test_the_screen_has_a_line_of_metrics_and_a_table_if_asked(source: Path) -> None:
    plain = run("learn", source, *OPTIONS).out
    assert "metric" not in plain
    made = run("learn", source, *OPTIONS, "--json").json["metrics"]["so_far"]
    line = next(line for line in plain.splitlines() if line.startswith("balanced accuracy"))
    expected = (
        f"balanced accuracy {100 * made['balanced_accuracy']:.2f} %, F1 {made['f1']:.4f}, Matthews {made['matthews']:.4f}"
    )
    assert line == f"{expected}, log loss {made['log_loss']:.4f}, Brier {made['brier']:.4f}"
    asked = run("learn", source, *OPTIONS, "--window", 20).out.partition("metric")[2].splitlines()
    assert [line.split()[-2:] for line in asked[:2]] == [["last", "20"], ["90", "20"]]
    head = run("learn", source, *OPTIONS, "--holdout-every", 9).out.partition("metric")[2].splitlines()[0].split("  ")
    assert [cell.strip() for cell in head if cell] == ["so far", "last 1,000", "held out", "last 1,000 of them"]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("portfolio", [False, True])
def test_each_row_of_the_course_knows_what_was_held_out_before_it(portfolio: bool, tmp_path: Path) -> None:
    """The last row has what was held out after the last round, too."""
    source, made = tmp_path / "source.vw", tmp_path / "course.csv"
    source.write_text(fruit(88))
    expected: dict[int, th.Measured] = {}
    played(source, portfolio, every=4, course=expected)
    assert run(*command(portfolio), source, *OPTIONS, "--metrics", made, "--window", 20, "--holdout-every", 4).status == 0
    rows = rows_of(made)
    assert [int(row["rounds"]) for row in rows] == [*range(2, 67, 2)]
    assert [expected[2].rounds, expected[4].rounds, expected[66].rounds] == [0, 1, 20]
    for row in rows:
        held = {name: getattr(expected[int(row["rounds"])], name) for name in NAMES}
        assert {name: row[f"held_{name}"] for name in NAMES} == {k: "" if v is None else repr(v) for k, v in held.items()}


def test_the_course_as_csv(source: Path, tmp_path: Path) -> None:
    made = tmp_path / "course.csv"
    ran = run("learn", source, *OPTIONS, "--json", "--metrics", made, "--window", 20, "--holdout-every", 10)
    rows = rows_of(made)
    assert [int(row["rounds"]) for row in rows] == [*range(2, 81, 2), 81]
    for prefix, measured in (("", "so_far"), ("last_", "last")):
        for name in NAMES:
            value = ran.json["metrics"][measured][name]
            assert rows[-1].get(f"{prefix}{name}", "") == ("" if value is None else repr(value))
    assert rows[-1]["held_accuracy"] == repr(ran.json["metrics"]["held_out"]["last"]["accuracy"])
    assert rows[0]["held_accuracy"] == ""
    alone = tmp_path / "alone.csv"
    assert run(*PERCEPTRON, source, *OPTIONS, "--metrics", alone, "--window", 20).status == 0
    assert len(rows_of(alone)) == 45
    assert not [name for name in rows_of(alone)[0] if name.startswith("held")]


def test_cutting_for_a_course_changes_no_bit(source: Path, tmp_path: Path) -> None:
    models = tmp_path / "plain.model", tmp_path / "cut.model"
    assert run("learn", source, *OPTIONS, "--save", models[0]).status == 0
    extra = ("--metrics", tmp_path / "course.csv", "--report", tmp_path / "page.html", "--window", 15)
    assert run("learn", source, *OPTIONS, *extra, "--save", models[1]).status == 0
    assert models[0].read_bytes() == models[1].read_bytes()


def test_a_long_course_has_at_most_a_thousand_points() -> None:
    measuring = Measuring(window=20)
    course = Course(measuring)
    for _ in range(1_010):
        measuring.metrics.count([1, 1], [1, 1], [0.5, 0.5])
        course.enter(lambda: None)
    measuring.metrics.count([1], [1], [0.5])
    course.end(None)
    assert [point.rounds for point in course.points] == [*range(20, 2_021, 20), 2_021]
    assert course.left == 19


# ---- interrupted -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("portfolio", [False, True])
@pytest.mark.parametrize("options", [("--window", 7), ("--window", 30, "--holdout-every", 4, "--passes", 2)], ids=str)
def test_a_resumed_run_measures_as_one_that_never_stopped(
    portfolio: bool, options: tuple[object, ...], source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_pieces(monkeypatch, 500)
    model, whole = tmp_path / "part.model", tmp_path / "whole.model"
    expected = run(*command(portfolio), source, *OPTIONS, *options, "--json", "--save", whole).json["metrics"]
    batches = 1
    while True:
        with stop_after(batches):
            ran = run(*command(portfolio), source, *OPTIONS, *options, "--json", "--no-check", "--save", model)
        if not ran.json["interrupted"]:
            break
        resumed = run("learn", source, *OPTIONS, "--json", "--resume", model)
        assert resumed.json["metrics"] == expected
        assert resumed.json["certificates"]
        assert model.read_bytes() == whole.read_bytes()
        batches += 1
    assert batches > 5


@pytest.fixture
def stopped(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model of a run that was interrupted."""
    read_in_pieces(monkeypatch, 500)
    path = tmp_path / "stopped.model"
    with stop_after(2):
        assert run(*PERCEPTRON, source, *OPTIONS, "--window", 9, "--holdout-every", 4, "--save", path).status == 130
    return path


def test_what_a_run_measures_cannot_be_changed_in_its_midst(stopped: Path, source: Path, tmp_path: Path) -> None:
    command = ("learn", source, "--quiet", "--resume", stopped)
    check_refused_command(tmp_path, *command, "--window", 10, says=["--window 10", "the run has 9"])
    check_refused_command(tmp_path, *command, "--holdout-every", 5, says=["--holdout-every 5", "the run has 4"])
    assert run(*command, "--window", 9, "--holdout-every", 4).status == 0


def test_a_run_that_holds_out_none_goes_on_so(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_pieces(monkeypatch, 500)
    with stop_after(2):
        run(*PERCEPTRON, source, *OPTIONS, "--save", tmp_path / "model")
    command = ("learn", source, "--quiet", "--resume", tmp_path / "model", "--holdout-every", 5)
    check_refused_command(tmp_path, *command, says=["the run holds out none"])


def test_a_run_that_an_older_version_interrupted_goes_on_without_the_metrics_of_its_start(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_pieces(monkeypatch, 500)
    model, whole = tmp_path / "old.model", tmp_path / "whole.model"
    run(*PERCEPTRON, source, *OPTIONS, "--save", whole)
    with stop_after(2):
        run(*PERCEPTRON, source, *OPTIONS, "--save", model)
    replace(Model.load(model), measures=None).save(model)
    check_refused_command(tmp_path, "learn", source, "--resume", model, "--holdout-every", 3, says=["holds out none"])
    ran = run("learn", source, *OPTIONS, "--json", "--resume", model)
    assert ran.status == 0
    assert ran.json["examples"] == 90
    assert 0 < ran.json["metrics"]["so_far"]["rounds"] < 90
    assert any("of an older version, kept none" in notice for notice in ran.json["notices"])
    assert model.read_bytes() == whole.read_bytes()


def test_a_run_that_the_first_version_interrupted_goes_on_for_ever(source: Path, tmp_path: Path) -> None:
    kept, model = FOLDER / "version-1-interrupted.thresher", tmp_path / "model"
    model.write_bytes(kept.read_bytes())
    whole = run(*PERCEPTRON, source, *OPTIONS, "--window", 9, "--holdout-every", 4, "--json").json
    resumed = run("learn", source, "--quiet", "--resume", model, "--json").json
    assert resumed["metrics"] == whole["metrics"]
    assert resumed["certificates"] == whole["certificates"]


def spoiled(model: Model) -> Iterable[tuple[Measures, str]]:
    assert model.measures is not None
    sums, windows = model.measures
    learned, holdout = sums["learned"], sums["holdout"]
    yield Measures({"learned": learned}, windows), "learned and holdout"
    yield Measures({**sums, "learned": {**learned, "found": -1.0}}, windows), "at least 0"
    yield Measures({**sums, "holdout": {**holdout, "every": 1}}, windows), "whole numbers"
    yield Measures({**sums, "holdout": {**holdout, "seen": "3"}}, windows), "whole numbers"
    yield Measures({**sums, "holdout": {"every": 3}}, windows), "every, seen and held"
    yield Measures(sums, {"window": windows["window"]}), "windows are not there"
    yield Measures({**sums, "holdout": None}, windows), "windows are not there"
    yield Measures(sums, {**windows, "window": windows["window"][:-1]}), "a window of"
    other = Measuring(5, 4).state()
    yield Measures(*other), "metrics of 0 rounds"


def test_metrics_that_cannot_be_are_refused(stopped: Path, source: Path, tmp_path: Path) -> None:
    model = Model.load(stopped)
    for measures, says in spoiled(model):
        replace(model, measures=measures).save(stopped)
        check_refused_command(tmp_path, "learn", source, "--quiet", "--resume", stopped, says=["stopped.model: ", says])


def test_a_model_without_a_run_to_go_on_has_no_metrics(stopped: Path, source: Path, tmp_path: Path) -> None:
    model = Model.load(stopped)
    whole = tmp_path / "whole.model"
    run(*PERCEPTRON, source, *OPTIONS, "--save", whole)
    assert Model.load(whole).measures is None
    replace(Model.load(whole), measures=model.measures).save(whole)
    with pytest.raises(th.StoreError, match="metrics without a run that is to go on"):
        Model.load(whole)


# ---- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--window", 0), "at least 1"),
        (("--window", 10**9), "from 1 to 10^8"),
        (("--holdout-every", 1), "at least 2"),
        (("--holdout-every", 3, "--proof", "proof.json"), "--proof with --holdout-every"),
        (("--proof", "same", "--report", "same"), "same for both --proof and --report"),
        (("--metrics", "no/such/place.csv"), "folder that exists"),
        (("--metrics", "source.vw"), "source.vw as source and for --metrics"),
        (("--metrics", "same", "--report", "same"), "same for both --metrics and --report"),
        (("--report", "model", "--save", "model"), "model for both --save and --report"),
    ],
)
def test_a_wrong_option_is_said_before_anything_is_learned(
    arguments: tuple[object, ...], says: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_refused_command(tmp_path, "learn", source, "--quiet", *arguments, says=[says])


def test_a_run_that_fails_leaves_no_file(tmp_path: Path) -> None:
    source = tmp_path / "bad.vw"
    source.write_text("1 | a\n-1 | b\n1 | c:x\n")
    files = ("--metrics", tmp_path / "m.csv", "--report", tmp_path / "p.html", "--save", tmp_path / "m.model")
    check_refused_command(tmp_path, "learn", source, "--quiet", *files, says=["bad.vw:3"])


def test_a_file_that_cannot_be_written_comes_after_the_results(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: object, pieces: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("thresher.cli.learning.replace", full)
    ran = run("learn", source, *OPTIONS, "--json", "--report", tmp_path / "page.html", "--save", tmp_path / "model")
    assert ran.status == 2
    assert ran.err == f"thresher: {tmp_path}/page.html: No space left on device\n"
    assert (ran.json["written"], ran.json["saved"]) == ({}, str(tmp_path / "model"))


def test_the_files_that_were_written_are_named(source: Path, tmp_path: Path) -> None:
    files = {"metrics": str(tmp_path / "m.csv"), "report": str(tmp_path / "p.html")}
    options = [each for name, path in files.items() for each in (f"--{name}", path)]
    assert run("learn", source, *OPTIONS, *options, "--json").json["written"] == files
    assert (
        f"Wrote the metrics to {files['metrics']}.\nWrote the report to {files['report']}.\n"
        in run("learn", source, *OPTIONS, *options).out
    )


def test_the_json_holds_no_number_that_json_cannot(source: Path) -> None:
    beyond: list[str] = []
    found = json.loads(run("learn", source, *OPTIONS, "--json").out, parse_constant=beyond.append)
    assert found["metrics"]
    assert beyond == []


def test_what_is_not_held_out_comes_in_order(source: Path) -> None:
    with th.open_stream(source, bits=7) as stream:
        batches = list(stream)
    labels = np.concatenate([batch.y for batch in batches])
    kept = np.concatenate([part.y for part in learned_alone(batches, 4, seen=2)])
    assert kept.tolist() == [label for k, label in enumerate(labels.tolist(), 3) if k % 4]
