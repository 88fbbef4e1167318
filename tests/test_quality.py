"""The data and the table of the benchmark that counts mistakes; nothing here needs a peer or a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import thresher as th
from benchmarks import quality
from benchmarks.__main__ import main
from benchmarks.peers import DISTRIBUTIONS
from benchmarks.quality import Counts, cases, limit, ours, table
from benchmarks.sets import FILES, GENERATED, Labelled, found, words
from thresher.data.names import slot_of

ROWS = 600

CONTENTS = {
    "mushroom.svm": "1 3:1 10:1\n0 1:1 4:1\n" * 10,
    "sms_spam.tsv": "Label\tSMS\nham\tSee you\tat 5\nspam\tFree FREE entry, it's free\n",
    "adult.svm": "-1 5:1 7:0 \n+1 2:0.5 \n",
    "electricity.csv": "price,class,demand\n0.5,1,0\n0,0,0.25\n",
    "rcv1_small.vw": "1 |f 0:0.5 12:2e-1\n-1 |f 7:0.125\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in CONTENTS.items():
        tmp_path.joinpath(name).write_text(text, encoding="utf-8")
    return tmp_path


def made(name: str) -> Labelled:
    return GENERATED[name](np.random.default_rng(1), ROWS)


def read(folder: Path, file: str) -> Labelled:
    return FILES[file](folder / file)


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_stream_is_canonical_with_a_label_for_every_row_and_both_labels(name: str) -> None:
    data = made(name)
    assert data.X.shape[0] == len(data.y) == ROWS
    assert data.X.has_canonical_format
    assert set(data.y.tolist()) == {-1, 1}
    assert 0.3 < (data.y > 0).mean() < 0.7


def test_the_sparse_target_is_a_disjunction_and_the_dense_one_is_not() -> None:
    sparse, dense = th.Elimination(2000, monotone=True), th.Elimination(2000, monotone=True)
    for learner, data in ((sparse, made("sparse target")), (dense, made("dense target"))):
        learner.learn_many(data.X, data.y)
    assert sparse.refuted_at is None
    assert dense.refuted_at is not None


def test_what_was_learned_before_the_drift_is_wrong_after_it() -> None:
    data = made("drifting")
    before, after = slice(0, ROWS // 2), slice(ROWS // 2, ROWS)
    learner = th.AROW(200)
    learner.learn_many(data.X[before], data.y[before])
    assert (learner.predict_many(data.X[after]) == data.y[after]).mean() < 0.35


def test_the_separable_stream_is_separated_in_a_few_passes_and_the_noisy_one_is_not() -> None:
    last = {}
    for name in ("separable", "noisy"):
        data, learner = made(name), th.PassiveAggressive(50)
        last[name] = [learner.learn_many(data.X, data.y).mistakes for _ in range(20)][-1]
    assert last["separable"] == 0
    assert last["noisy"] > ROWS // 20


def test_svmlight_and_vowpal_wabbit_lines_become_rows_of_their_own_indices(folder: Path) -> None:
    mushroom, adult, rcv1 = (read(folder, file) for file in ("mushroom.svm", "adult.svm", "rcv1_small.vw"))
    assert mushroom.y.tolist() == [1, -1] * 10
    assert (mushroom.X.shape, mushroom.X[1].indices.tolist()) == ((20, 11), [1, 4])
    assert adult.y.tolist() == [-1, 1]
    assert (adult.X.indices.tolist(), adult.X.data.tolist()) == ([5, 2], [1.0, 0.5])  # a value of 0 is no entry
    assert (rcv1.X[0].indices.tolist(), rcv1.X[0].data.tolist()) == ([0, 12], [0.5, 0.2])


def test_a_message_is_the_set_of_its_words(folder: Path) -> None:
    data = read(folder, "sms_spam.tsv")
    assert data.y.tolist() == [-1, 1]
    assert words("See you\tat 5") == {"see", "you", "at", "5"}
    assert set(data.X[1].indices.tolist()) == {slot_of(word, 2**18) for word in ("free", "entry", "it's")}
    assert data.X.data.tolist() == [1.0] * 7


def test_the_column_of_labels_is_no_attribute(folder: Path) -> None:
    data = read(folder, "electricity.csv")
    assert data.y.tolist() == [1, -1]
    assert data.X.toarray().tolist() == [[0.5, 0.0], [0.0, 0.25]]


def test_only_files_that_are_there_are_found(folder: Path) -> None:
    assert list(found(folder)) == ["mushroom", "sms_spam", "adult", "electricity", "rcv1_small"]
    folder.joinpath("adult.svm").unlink()
    assert "adult" not in found(folder)


def test_ours_are_the_portfolio_its_best_lane_and_the_baselines() -> None:
    data = made("noisy").first(200)
    lane, mistakes = ours(data)
    assert "(" in lane
    assert mistakes["best constant"] == min((data.y > 0).sum(), (data.y < 0).sum())
    last = [1, *data.y.tolist()[:-1]]
    assert mistakes["repeat the last label"] == sum(a != b for a, b in zip(last, data.y.tolist(), strict=True))
    assert 0 < mistakes["its best lane"] <= mistakes["best constant"]  # the constants are lanes
    assert mistakes["Portfolio"] < mistakes["best constant"]


def test_the_aim_is_the_best_peer_plus_one_in_a_hundred_plus_5() -> None:
    assert [limit(best) for best in (0, 100, 138, 4798)] == [5, 106, 144, 4850]


def test_the_table_has_a_column_for_each_data_set() -> None:
    counted = {
        "a": Counts(1000, "AROW(r=1.0)", {"Portfolio": 9}, {"one": 1200, "other": 8}),
        "b": Counts(20, "Constant(label=+1)", {"Portfolio": 7}, {"one": 3, "other": 4}),
    }
    assert [counts.best_peer for counts in counted.values()] == ["other", "one"]
    assert table(counted).splitlines() == [
        "|  | a | b |",
        "| --- | ---: | ---: |",
        "| rows | 1,000 | 20 |",
        "| Portfolio | 9 | 7 |",
        "| one | 1,200 | 3 |",
        "| other | 8 | 4 |",
        "| the aim | ≤ 13 | ≤ 8 |",
        "| the best lane | AROW(r=1.0) | Constant(label=+1) |",
    ]


def test_a_folder_of_data_is_what_quality_counts_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    shown: list[int] = []

    def peer(data: Labelled) -> int:
        shown.append(len(data.y))
        return 2

    monkeypatch.setattr(quality, "PEERS", {"a peer": peer})
    monkeypatch.setattr(quality, "DISTRIBUTIONS", ())
    for file in folder.iterdir():
        if file.name != "mushroom.svm":
            file.unlink()
    assert main(["--only", "quality", "--data", str(folder), "--json", "-"]) == 0
    assert main(["--only", "quality", "--data", str(folder), "--quick"]) == 0
    assert shown == [20, 2]
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].startswith("quality  mushroom: Portfolio  ")
    assert printed[1].endswith("≤ 7 mistakes")
    assert "mushroom: a peer  2 mistakes" in printed[1]
    assert "| a peer | 2 |" in printed


def test_a_folder_without_the_data_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--only", "quality", "--data", str(tmp_path)])
    assert stopped.value.code == 2
    assert f"found none of mushroom.svm, {', '.join(list(FILES)[1:])} in {tmp_path}" in capsys.readouterr().err


def test_without_a_folder_the_streams_are_generated() -> None:
    assert cases(None)["quality"].peers == DISTRIBUTIONS
    assert quality.CASES.keys() == {"quality"}
