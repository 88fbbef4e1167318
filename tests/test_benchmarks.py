"""The benchmarks' own data, arithmetic and output; nothing here needs scikit-learn or river."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.cases import CASES, Case, Comparison, Disagreement, Result, named
from benchmarks.data import SHAPES, Workload
from benchmarks.timing import Ratio, Times, interleaved

ROWS = 500


def small(name: str) -> Workload:
    make, _, _ = SHAPES[name]
    return make(ROWS)


@pytest.mark.parametrize("name", SHAPES)
def test_a_workload_has_a_label_for_every_row_and_both_labels(name: str) -> None:
    workload = small(name)
    assert workload.name == name
    assert workload.X.shape == (len(workload.y), workload.n)
    assert 0.9 * ROWS < len(workload.y) <= ROWS
    assert set(workload.y.tolist()) == {-1, 1}
    assert min((workload.y > 0).mean(), (workload.y < 0).mean()) > 0.2


@pytest.mark.parametrize(("name", "per_row"), [("S1", 76), ("S2", 40)])
def test_sparse_workloads_are_canonical_with_the_stated_number_of_nonzeros(name: str, per_row: int) -> None:
    X = small(name).X
    assert (np.diff(X.indptr) == per_row).all()
    columns = X.indices.reshape(-1, per_row)
    assert (np.diff(columns, axis=1) > 0).all()
    assert columns.min() >= 0
    assert columns.max() < X.shape[1]
    assert (X.data != 0.0).all()
    assert X.has_canonical_format


def test_rows_like_text_have_norm_1() -> None:
    X = small("S1").X
    assert np.allclose(X.multiply(X).sum(axis=1), 1.0)


def test_dense_rows_are_finite_and_contiguous() -> None:
    X = small("S3").X
    assert np.isfinite(X).all()
    assert X.flags.c_contiguous


def test_the_disjunction_is_the_or_of_its_twenty_planted_attributes() -> None:
    workload = small("S2")
    planted = [k * (2**20 // 20) + 17 for k in range(20)]
    present = np.isin(workload.X.indices.reshape(-1, 40), planted)
    assert (workload.y == np.where(present.any(axis=1), 1, -1)).all()
    assert set(workload.X.indices[present.ravel()].tolist()) == set(planted)


def test_only_the_workload_of_whole_numbers_calls_itself_exact() -> None:
    assert {name: small(name).exact for name in SHAPES} == {"S1": False, "S2": True, "S3": False}
    assert (small("S2").X.data == 1.0).all()


@pytest.mark.parametrize("name", SHAPES)
def test_the_same_shape_is_the_same_data_every_time(name: str) -> None:
    one, other = small(name), small(name)
    assert (one.y == other.y).all()
    assert abs(one.X - other.X).max() == 0.0


@pytest.mark.parametrize("per_example", [10, 50])
def test_named_examples_have_the_stated_number_of_names_and_both_labels(per_example: int) -> None:
    rows, labels = named(per_example)
    assert {len(row) for row in rows} == {per_example}
    assert len(rows) == len(labels)
    assert set(labels) == {False, True}
    assert named(per_example) == (rows, labels)


def test_some_named_examples_come_with_both_labels_so_that_nothing_separates_them() -> None:
    labelled = {(tuple(row.items()), label) for row, label in zip(*named(10), strict=True)}
    assert len(labelled) - len({row for row, _ in labelled}) == 20


def test_a_ratio_is_of_the_minima_and_its_spread_of_the_turns() -> None:
    times = Times({"slow": [8.0, 6.0, 10.0], "fast": [2.0, 3.0, 4.0]})
    ratio = times.ratio("slow", "fast")
    assert ratio.of_minima == 6.0 / 2.0
    assert 2.0 <= ratio.low <= 2.5 <= ratio.high <= 4.0
    assert times.ratio("fast", "slow").of_minima == 2.0 / 6.0


def test_a_single_turn_has_no_spread() -> None:
    assert Times({"slow": [3.0], "fast": [2.0]}).ratio("slow", "fast") == Ratio(1.5, 1.5, 1.5)
    assert str(Ratio(1.5, 1.25, 2.0)) == "1.50 (1.25 to 2.00)"


def test_contenders_are_called_in_turn_and_equally_often() -> None:
    called: list[str] = []
    times = interleaved({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, turns=20, calls=2)
    turns = ["".join(called[k : k + 4]) for k in range(2, len(called), 4)]
    assert called[:2] == ["a", "b"]  # once to warm up
    assert len(turns) == 20
    assert set(turns) == {"aabb", "bbaa"}  # each once a turn, in changing order
    assert {name: len(seconds) for name, seconds in times.seconds.items()} == {"a": 20, "b": 20}
    assert min(times.best("a"), times.best("b")) >= 0.0


def made_up(turns: int, quick: bool) -> Result:
    times = Times({"ours": [0.002] * turns, "theirs": [0.005] * turns})
    about = "quick" if quick else "full"
    return Result("S1", about, times, [Comparison("ours", "theirs", times.ratio("theirs", "ours"), "≥ 2")])


def test_the_table_has_both_times_and_the_file_every_sample(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(CASES, "S1", Case(made_up, None))
    file = tmp_path / "samples.json"
    assert main(["--only", "S1", "--turns", "2", "--json", str(file)]) == 0
    printed = capsys.readouterr()
    assert printed.err == "S1 ...\n"
    assert printed.out.splitlines()[1] == "S1    ours  2 ms  theirs   5 ms  2.50 (2.50 to 2.50)  ≥ 2"
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["results"][0]["times"] == {"seconds": {"ours": [0.002] * 2, "theirs": [0.005] * 2}}
    assert record["results"][0]["comparisons"][0]["ratio"] == {"of_minima": 2.5, "low": 2.5, "high": 2.5}


def test_a_quick_run_writes_no_file_unless_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(CASES, "S1", Case(made_up, None))
    monkeypatch.chdir(tmp_path)
    assert main(["--only", "S1", "--quick"]) == 0
    assert list(tmp_path.iterdir()) == []
    assert main(["--only", "S1"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["benchmarks.json"]


def test_a_missing_peer_is_named_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(distribution: str) -> str:
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(metadata, "version", missing)
    assert main(["--only", "dict-10", "S3"]) == 2
    said = capsys.readouterr().err
    assert said == "river and scikit-learn must be installed to be measured: pip install '.[bench]'\n"


def test_times_of_different_results_are_not_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def disagreeing(turns: int, quick: bool) -> Result:
        raise Disagreement("S1: the weights differ")

    monkeypatch.setitem(CASES, "S1", Case(disagreeing, None))
    assert main(["--only", "S1"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "S1 ...\nS1: the weights differ\n"
