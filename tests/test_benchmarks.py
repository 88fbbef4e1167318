"""The benchmarks' own data, arithmetic and output; nothing here needs a peer."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from benchmarks import experts, files
from benchmarks.__main__ import main
from benchmarks.cases import Case, Comparison, Disagreement, Result
from benchmarks.data import SHAPES, Workload
from benchmarks.files import Text, check_counts
from benchmarks.groups import CASES
from benchmarks.machine import machine
from benchmarks.one_by_one import named
from benchmarks.page import PEERS, README_ROWS, benchmarks_page
from benchmarks.picture import picture
from benchmarks.processes import peak
from benchmarks.record import COMMITTED, Record, read
from benchmarks.record import write as write_record
from benchmarks.texts import FORMATS, six_digits, write
from benchmarks.timing import MISTAKES, Ratio, Samples, interleaved

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
    times = Samples({"slow": [8.0, 6.0, 10.0], "fast": [2.0, 3.0, 4.0]})
    ratio = times.ratio("slow", "fast")
    assert ratio.of_minima == 6.0 / 2.0
    assert 2.0 <= ratio.low <= 2.5 <= ratio.high <= 4.0
    assert times.ratio("fast", "slow").of_minima == 2.0 / 6.0


def test_a_single_turn_has_no_spread() -> None:
    assert Samples({"slow": [3.0], "fast": [2.0]}).ratio("slow", "fast") == Ratio(1.5, 1.5, 1.5)
    assert str(Ratio(1.5, 1.25, 2.0)) == "1.50 (1.25 to 2.00)"


def test_contenders_are_called_in_turn_and_equally_often() -> None:
    called: list[str] = []
    times = interleaved({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, turns=20, calls=2)
    turns = ["".join(called[k : k + 4]) for k in range(2, len(called), 4)]
    assert called[:2] == ["a", "b"]  # once to warm up
    assert len(turns) == 20
    assert set(turns) == {"aabb", "bbaa"}  # each once a turn, in changing order
    assert {name: len(seconds) for name, seconds in times.values.items()} == {"a": 20, "b": 20}
    assert min(times.best("a"), times.best("b")) >= 0.0


def made_up(turns: int, quick: bool) -> Result:
    times = Samples({"ours": [0.002] * turns, "theirs": [0.005] * turns})
    about = "quick" if quick else "full"
    return Result("S1", about, times, [Comparison("ours", "theirs", times.ratio("theirs", "ours"), "≥ 2")])


def test_the_table_has_both_times_and_the_file_every_sample(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(CASES, "S1", Case(made_up, ()))
    file = tmp_path / "samples.json"
    assert main(["--only", "S1", "--turns", "2", "--json", str(file)]) == 0
    printed = capsys.readouterr()
    assert printed.err == "1 of 1, after 0:00: S1 ...\n"
    assert printed.out.splitlines()[1] == "S1    ours  2 ms  theirs   5 ms  2.50 (2.50 to 2.50)  ≥ 2"
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["results"][0]["samples"] == {"values": {"ours": [0.002] * 2, "theirs": [0.005] * 2}, "unit": "s"}
    assert record["results"][0]["comparisons"][0]["ratio"] == {"of_minima": 2.5, "low": 2.5, "high": 2.5}


def test_a_quick_run_writes_no_file_unless_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(CASES, "S1", Case(made_up, ()))
    monkeypatch.chdir(tmp_path)
    assert main(["--only", "S1", "--quick"]) == 0
    assert list(tmp_path.iterdir()) == []
    assert main(["--only", "S1"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["benchmarks.json"]


def test_a_case_whose_peer_is_missing_is_left_out_and_the_others_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def missing(distribution: str) -> str:
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(metadata, "version", missing)
    monkeypatch.setitem(CASES, "S1", Case(made_up, ()))
    file = tmp_path / "samples.json"
    assert main(["--only", "dict-10", "S1", "--json", str(file)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "dict-10 is left out: river and vowpalwabbit must be installed: pip install '.[bench]'",
        "2 of 2, after 0:00: S1 ...",
    ]
    record = read(file)
    assert [result.case for result in record.results] == ["S1"]
    assert record.left_out.keys() == {"dict-10"}
    page = benchmarks_page(record)
    assert "`dict-10` was left out: river and vowpalwabbit" in page
    assert "Not in this run: `S2`, `S3`," in page


def test_times_of_different_results_are_not_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def disagreeing(turns: int, quick: bool) -> Result:
        raise Disagreement("S1: the weights differ")

    monkeypatch.setitem(CASES, "S1", Case(disagreeing, ()))
    assert main(["--only", "S1", "--quick"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "1 of 1, after 0:00: S1 ...\nS1 is left out: S1: the weights differ\n"


def test_memory_is_shown_in_bytes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def measured(turns: int, quick: bool) -> Result:
        peaks = Samples({"ours": [28.8e6], "theirs": [1.44e9]}, unit="B")
        return Result("memory", "once", peaks, [Comparison("ours", "theirs", peaks.ratio("ours", "theirs"), "< 150 MB")])

    monkeypatch.setitem(CASES, "memory", Case(measured, ()))
    assert main(["--only", "memory", "--quick"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "memory  ours  28.8 MB  theirs   1.44 GB  0.02 (0.02 to 0.02)  < 150 MB"


def lines(name: str, format: str, tmp_path: Path) -> list[list[str]]:
    file = tmp_path / "text"
    write(small(name), format, file)
    return [line.split(" ") for line in file.read_text(encoding="ascii").removesuffix("\n").split("\n")]


@pytest.mark.parametrize(("format", "opening"), [("svmlight", []), ("vw", ["|f"])])
def test_text_with_values_has_six_digits_of_each(format: str, opening: list[str], tmp_path: Path) -> None:
    workload = small("S1")
    for (label, *rest), row, y in zip(lines("S1", format, tmp_path), workload.X, workload.y, strict=True):
        assert int(label) == y
        assert rest[: len(opening)] == opening
        pairs = [pair.split(":") for pair in rest[len(opening) :]]
        assert [int(index) - 1 for index, _ in pairs] == row.indices.tolist()
        assert [float(value) for _, value in pairs] == [float(f"{value:.6g}") for value in row.data]
        assert {len(value.removeprefix("0.").lstrip("0")) for _, value in pairs} == {6}


@pytest.mark.parametrize(("format", "opening", "one"), [("svmlight", "", "{}:1"), ("vw", "|f ", "f{}")])
def test_text_of_binary_attributes_has_no_values_to_read(format: str, opening: str, one: str, tmp_path: Path) -> None:
    workload = small("S2")
    written = [" ".join(line) for line in lines("S2", format, tmp_path)]
    rows = [" ".join(one.format(index + 1) for index in row.indices) for row in workload.X]
    assert written == [f"{y} {opening}{row}" for y, row in zip(workload.y, rows, strict=True)]


def test_text_longer_than_what_is_written_at_once_has_all_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    at_once = lines("S1", "vw", tmp_path)
    monkeypatch.setattr("benchmarks.texts._ROWS_AT_ONCE", 64)
    assert lines("S1", "vw", tmp_path) == at_once


def test_six_digits_stay_six_beside_a_power_of_ten() -> None:
    values = np.array([0.001, 0.00999999999, 0.01, 0.09999999, 0.1, 0.123456499, 0.99999999])
    joined = ["".join(piece.decode() for piece in pieces) for pieces in zip(*six_digits(values), strict=True)]
    assert joined == ["0.00100000", "0.00999999", "0.0100000", "0.0999999", "0.100000", "0.123456", "0.999999"]


@pytest.mark.parametrize("value", [0.0, -0.5, 0.00099, 1.0, np.nan])
def test_values_that_have_no_six_digits_in_their_place_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"expected from 0\.001 to below 1"):
        six_digits(np.array([0.5, value]))


def counting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str) -> Text:
    """A text of seven rows, and in place of thresher a program that is given the command's arguments."""
    monkeypatch.setattr(files, "THRESHER", [sys.executable, "-c", program])
    return Text("about", "svmlight", tmp_path / "seven.txt", rows=7, bits=18)


def test_a_file_is_learned_with_its_format_and_size_and_saved_beside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = counting(monkeypatch, tmp_path, "import sys; print(' '.join(sys.argv[1:]))")
    said = subprocess.run(text.learn("--no-check"), check=True, capture_output=True, text=True).stdout
    place = f"learn {tmp_path}/seven.txt --save {tmp_path}/seven.model"
    assert said == f"{place} --learner perceptron --format svmlight --bits 18 --no-check\n"


def test_both_of_our_runs_must_count_what_the_other_side_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    same = counting(monkeypatch, tmp_path, """print('{"examples": 7, "mistakes": 3}')""")
    check_counts(same, {"examples": 7, "mistakes": 3})
    with pytest.raises(Disagreement, match=r"^seven\.txt: found 3 mistakes, expected 2$"):
        check_counts(same, {"examples": 7, "mistakes": 2})
    program = """import sys; print('{"examples": %d}' % (6 if "--no-check" in sys.argv else 7))"""
    with pytest.raises(Disagreement, match=r"^seven\.txt: found 6 examples, expected 7$"):
        check_counts(counting(monkeypatch, tmp_path, program), {"examples": 7})


def test_a_command_that_fails_is_shown_with_what_it_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failing = counting(monkeypatch, tmp_path, "import sys; sys.exit('found no file')")
    with pytest.raises(Disagreement, match=r"(?s)exit status 1 of .*seven\.txt.*\nfound no file$"):
        check_counts(failing, {"examples": 7})
    with pytest.raises(Disagreement, match="found no file"):
        peak(failing.learn())


def test_the_peak_is_the_commands_own_however_large_who_starts_it() -> None:
    large = np.ones(25_000_000)
    assert peak([sys.executable, "-c", "pass"]) < large.nbytes / 2
    assert large.nbytes / 2 < peak([sys.executable, "-c", "held = b'x' * 150_000_000"]) < large.nbytes


def test_every_format_has_a_peer_to_be_measured_with() -> None:
    assert set(files.PEERS) == set(FORMATS)
    assert {"file-S1", "file-S2", "memory", "help"} <= set(CASES)


def test_growth_is_measured_for_everything_that_grows_and_drawn(tmp_path: Path) -> None:
    file = tmp_path / "growth.svg"
    assert main(["--quick", "--turns", "1", "--only", "growth", "--picture", str(file), "--json", "-"]) == 0
    drawn = file.read_text(encoding="utf-8")
    assert re.findall(r'<text class="title"[^>]*>([^<]*)', drawn) == [
        "rows",
        "nonzeros a row",
        "dimensions",
        "lanes",
        "threads",
    ]
    assert drawn.count("<circle") == 4 + 4 + 5 + 5 + 3


def test_a_picture_shows_every_time_above_its_value() -> None:
    drawn = picture({"rows": {1000: 0.001, 16_384: 0.5, 20_000: 2.5}})
    assert re.findall(r"<text[^>]*>([^<]*)", drawn) == ["rows", "1,000", "1 ms", "2^14", "500 ms", "20k", "2.5 s"]


def test_a_picture_needs_something_to_draw(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "help", "--picture", str(tmp_path / "growth.svg")])
    assert "expected it: that is what is drawn" in capsys.readouterr().err


def test_the_loop_that_hedge_is_measured_against_is_hedge() -> None:
    L = experts.losses(2_500, 40)
    assert L.dtype == np.float32
    ours = th.Hedge(40, eta=0.02).learn_losses_many(L).loss
    experts.check_same(ours, experts.loop(L, 0.02))
    with pytest.raises(Disagreement, match=r"^hedge: the losses of a round differ from the loop's by 0\."):
        experts.check_same(ours, experts.loop(L, 1.0))
    assert "hedge" in CASES


def test_the_loops_that_the_majority_is_measured_against_are_weighted_majorities() -> None:
    X, y = experts.advice(300, 20)
    said = th.WeightedMajority(20).learn_many(X, y).predictions == 1
    assert experts.masks(X, y, 0.5).tolist() == experts.products(X, y, 0.5).tolist() == said.tolist()
    assert 0.3 < said.mean() < 0.7
    assert "majority" in CASES


def test_a_record_is_read_as_it_was_written_to_four_digits(tmp_path: Path) -> None:
    times = Samples({"ours": [0.00201, 0.00123456], "a peer": [1.5, 2.0]})
    comparison = Comparison("ours", "a peer", Ratio(1.0, 0.5, 2.0), "no aim")
    record = Record({"cpu": "one [ 2 ]"}, False, 2, [Result("S1", "about [1, 2]", times, [comparison])], {"S2": "why"})
    file = tmp_path / "record.json"
    write_record(record, file)
    rounded = Samples({"ours": [0.00201, 0.001235], "a peer": [1.5, 2.0]})
    assert read(file) == replace(record, results=[replace(record.results[0], samples=rounded)])
    assert '"ours": [0.00201, 0.001235],' in file.read_text(encoding="utf-8")


def recorded(unit: str, ours: list[float], other: list[float], peer: str = "river Perceptron") -> Record:
    samples = Samples({"ours": ours, peer: other}, unit)
    result = Result("S1", "about", samples, [Comparison("ours", peer, samples.ratio("ours", peer), "no aim")])
    return Record(machine(), False, len(ours), [result], {})


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (recorded("s", [2.0], [5.0]), "| **2.50 ×** as fast | ours, 2 s | river Perceptron, 5 s |"),
        (recorded("s", [2.0, 4.0], [1.0, 1.0]), "| **0.50 ×** as fast (0.31 to 0.44) | ours, 2 s | river Perceptron, 1 s |"),
        (recorded("s", [3.0], [2.0], "ours, before"), "| **1.50 ×** as long | ours, 3 s | ours, before, 2 s |"),
        (recorded("B", [3e6], [2e6]), "| **1.50 ×** as much | ours, 3 MB | river Perceptron, 2 MB |"),
        (recorded(MISTAKES, [30], [20]), "| **1.50 ×** as many | ours, 30 mistakes | river Perceptron, 20 mistakes |"),
    ],
)
def test_the_page_says_of_each_ratio_what_it_means(record: Record, line: str) -> None:
    assert line in benchmarks_page(record).splitlines()


def test_where_a_peer_is_ahead_is_said_and_nothing_else_is_there() -> None:
    def ahead(record: Record) -> str:
        return benchmarks_page(record).partition("## Where a peer is ahead")[2].partition("## In memory")[0]

    assert "river Perceptron, 1 s | `S1` |" in ahead(recorded("s", [2.0], [1.0]))
    assert "river Perceptron, 20 mistakes | `S1` |" in ahead(recorded(MISTAKES, [30], [20]))
    for record in (recorded("s", [1.0], [2.0]), recorded("s", [2.0], [1.0], "ours, before")):
        assert ahead(record).strip() == "Nowhere in this run."


def test_the_committed_run_is_a_full_one_and_names_every_peer() -> None:
    record = read(COMMITTED)
    assert not record.quick
    assert record.left_out == {}
    run = {result.case for result in record.results}
    assert [result.case for result in record.results] == [name for name in CASES if name in run]
    named = {peer for peer in PEERS for result in record.results for c in result.comparisons if peer in c.other}
    to_come = {peer for name, case in CASES.items() if name not in run for peer in case.peers}
    assert {*PEERS} - named <= to_come


def test_every_line_of_the_readme_is_in_the_committed_run_and_one_of_them_is_lost() -> None:
    bests = {result.case: result.samples.best for result in read(COMMITTED).results}
    assert any(bests[case](ours) > bests[case](other) for case, ours, other, _ in README_ROWS)
    page = COMMITTED.parent.parent.joinpath("README.md").read_text(encoding="utf-8")
    assert [page.count(f"| {job} | **") for _, _, _, job in README_ROWS] == [1] * len(README_ROWS)


def test_all_is_every_case_and_only_a_full_run_is_published(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def named_case(name: str, turns: int, quick: bool) -> Result:
        return replace(made_up(turns, quick), case=name)

    for name in CASES:
        monkeypatch.setitem(CASES, name, Case(partial(named_case, name), ()))
    published: list[Record] = []
    monkeypatch.setattr("benchmarks.__main__.write_pages", lambda record, root: published.append(record))
    monkeypatch.setattr("benchmarks.__main__.COMMITTED", tmp_path / "results.json")
    assert main(["all", "--quick"]) == main(["all", "--json", str(tmp_path / "elsewhere.json")]) == 0
    assert published == []
    assert main(["all"]) == 0
    assert [[result.case for result in record.results] for record in published] == [list(CASES)]
    assert read(tmp_path / "results.json").results == published[0].results


def test_the_machine_is_described_without_its_name_and_without_paths() -> None:
    described = machine()
    assert int(described["cores"]) > 0
    assert described["thresher"] == th.__version__
    assert not [value for value in described.values() if re.search(r"(^|\s)/\w", value) or platform.node() in value]


def test_what_was_measured_before_an_interruption_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(turns: int, quick: bool) -> Result:
        raise KeyboardInterrupt

    for name, run in (("S1", made_up), ("S2", interrupted), ("S3", made_up)):
        monkeypatch.setitem(CASES, name, Case(run, ()))
    file = tmp_path / "samples.json"
    assert main(["--only", "S1", "S2", "S3", "--json", str(file)]) == 130
    record = read(file)
    assert [result.case for result in record.results] == ["S1"]
    assert record.left_out == dict.fromkeys(("S2", "S3"), "the run was interrupted")
