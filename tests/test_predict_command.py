"""`thresher predict`: labels as the user spells them, one a line, and the table of mistakes beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests.commands import PERCEPTRON, check_refused_command, fruit, read_in_pieces, run, started, written
from thresher.store import Model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("learned.vw").write_text(fruit(60))
    Path("new.vw").write_text(fruit(30, seed=7))
    run(*PERCEPTRON, "learned.vw", "--quiet", "--bits", 8, "--no-bias", "--save", "model")
    return tmp_path


def said_by_the_learner(source: str, ignore_labels: bool = False) -> tuple[list[str], list[float], list[int]]:
    """Labels, scores and the labels given, straight from the learner."""
    model = Model.load("model")
    recipe = model.recipe
    assert recipe is not None
    scores: list[float] = []
    given: list[int] = []
    with th.open_stream(source, recipe=recipe, keep_unlabelled=True, ignore_labels=ignore_labels) as stream:
        for batch in stream:
            scores += model.learner.score_many(batch.X).tolist()
            given += batch.y.tolist()
    return [recipe.spelled(1 if score >= 0 else -1) for score in scores], scores, given


def test_labels_come_one_a_line_as_they_are_spelled(folder: Path) -> None:
    before = written(folder)
    ran = run("predict", "model", "new.vw")
    assert ran.status == 0
    assert ran.out.splitlines() == said_by_the_learner("new.vw")[0]
    assert set(run("predict", "model", "learned.vw").out.split()) == {"ham", "spam"}
    assert written(folder) == before


@pytest.mark.parametrize("piece", [50, 10**6])
def test_scores_are_the_learners_to_the_last_bit(piece: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_pieces(monkeypatch, piece)
    labels, scores, _ = said_by_the_learner("new.vw")
    rows = [line.split("\t") for line in run("predict", "model", "new.vw", "--scores").out.splitlines()]
    assert [row[0] for row in rows] == labels
    assert [float(row[1]) for row in rows] == scores


def test_scores_of_a_learner_that_normalises_are_written_in_full(folder: Path) -> None:
    run(*PERCEPTRON, "learned.vw", "--quiet", "--bits", 8, "--save", "model", "--normalize")
    _, scores, _ = said_by_the_learner("new.vw")
    rows = [line.split("\t") for line in run("predict", "model", "new.vw", "--scores").out.splitlines()]
    assert any(len(row[1]) > 12 for row in rows)
    assert [float(row[1]) for row in rows] == scores


def test_tags_come_first_and_empty_where_there_are_none(folder: Path) -> None:
    Path("tagged.vw").write_bytes(b"spam 'one| n1\n'two| n2\n| n3\nham caf\xc3\xa9| n4\n'\xff\xfe| n1\n")
    done = subprocess.run(
        [sys.executable, "-m", "thresher", "predict", "model", "tagged.vw", "--id", "tag", "--scores"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    rows = [line.split(b"\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [b"one", b"two", b"", b"caf\xc3\xa9", b"\xff\xfe"]
    assert [row[1].decode() for row in rows] == said_by_the_learner("tagged.vw")[0]


def test_where_labels_are_given_the_table_of_mistakes_goes_to_stderr(folder: Path) -> None:
    ran = run("predict", "model", "new.vw")
    labels, _, given = said_by_the_learner("new.vw")
    counts = {
        (truth, guess): sum((y, said) == (sign, guess) for y, said in zip(given, labels, strict=True))
        for truth, sign in (("spam", 1), ("ham", -1))
        for guess in ("spam", "ham")
    }
    table = [line.split() for line in ran.err.splitlines()]
    assert table[0] == ["said", "spam", "said", "ham"]
    assert table[1] == ["spam", str(counts["spam", "spam"]), str(counts["spam", "ham"])]
    assert table[2] == ["ham", str(counts["ham", "spam"]), str(counts["ham", "ham"])]
    wrong = counts["spam", "ham"] + counts["ham", "spam"]
    assert f"mistakes {wrong} of 30 " in ran.err


def test_only_what_has_a_label_is_in_the_table(folder: Path) -> None:
    Path("some.vw").write_text("spam | n1\n| n2\n\n| n3\nham | n4\n")
    ran = run("predict", "model", "some.vw")
    assert len(ran.out.splitlines()) == 4
    assert "of 2 (" in ran.err
    Path("none.vw").write_text("| n1\n| n2\n")
    ran = run("predict", "model", "none.vw")
    assert (len(ran.out.splitlines()), ran.err) == (2, "")


def test_a_foreign_label_is_refused_unless_labels_are_ignored(folder: Path) -> None:
    Path("foreign.vw").write_text("eggs | n1\nspam | n2\n")
    check_refused_command(folder, "predict", "model", "foreign.vw", says=["foreign.vw:1:1: ", "'eggs'", "'ham' or 'spam'"])
    ran = run("predict", "model", "foreign.vw", "--ignore-labels")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines() == said_by_the_learner("foreign.vw", ignore_labels=True)[0]


def test_probabilities_are_refused_by_a_learner_without_them(folder: Path) -> None:
    check_refused_command(folder, "predict", "model", "new.vw", "--probabilities", says=["Perceptron", "--scores"])


@pytest.mark.parametrize("learner", ["adagrad", "invariant"])
def test_probabilities_come_after_the_label_and_the_score(folder: Path, learner: str) -> None:
    assert run("learn", "learned.vw", "--learner", learner, "--save", "chances", "--quiet").status == 0
    ran = run("predict", "chances", "new.vw", "--scores", "--probabilities")
    model = Model.load("chances")
    with th.open_stream("new.vw", recipe=model.recipe, keep_unlabelled=True) as stream:
        chances = np.concatenate([model.learner.p_positive_many(batch.X) for batch in stream])
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert [float(row[2]) for row in rows] == chances.tolist()
    assert [row[0] for row in rows] == ["spam" if chance >= 0.5 else "ham" for chance in chances]
    assert [float(row[1]) >= 0 for row in rows] == [chance >= 0.5 for chance in chances]


def test_bad_lines_are_left_out_on_demand_and_told(folder: Path) -> None:
    Path("bad.vw").write_text("spam | n1\nno bar\n| n2:x\nham | n3\n")
    ran = run("predict", "model", "bad.vw", "--on-bad", "skip")
    assert (ran.status, len(ran.out.splitlines())) == (0, 2)
    assert "bad.vw:2:" in ran.err
    assert "bad.vw:3:" in ran.err
    assert "2 lines could not be read and were left out" in ran.err


def test_standard_input_and_several_files_are_predicted_in_order(folder: Path) -> None:
    whole = run("predict", "model", "learned.vw").out + run("predict", "model", "new.vw").out
    assert run("predict", "model", "learned.vw", "new.vw").out == whole
    text = Path("learned.vw").read_bytes() + Path("new.vw").read_bytes()
    assert run("predict", "model", "-", stdin=text).out == whole


def test_a_tie_that_is_a_mistake_is_neither_label(folder: Path) -> None:
    run(*PERCEPTRON, "learned.vw", "--quiet", "--bits", 8, "--save", "model", "--tie", "mistake", "--no-bias")
    Path("unknown.vw").write_text("| never-seen-before\n")
    assert (Model.load("model").learner.predict({"never-seen-before"}).label, run("predict", "model", "unknown.vw").out) == (
        0,
        "0\n",
    )


def test_a_label_that_was_never_met_is_named_after_the_other(folder: Path) -> None:
    Path("one.svm").write_text("-1 1:1\n")
    run(*PERCEPTRON, "one.svm", "--quiet", "--bits", 4, "--save", "model")
    Path("two.svm").write_text("1 2:-9\n-1 1:1\n")
    ran = run("predict", "model", "two.svm")
    assert ran.status == 0
    assert set(ran.out.split()) <= {"1", "-1"}


def test_whoever_stops_reading_ends_the_command_quietly(folder: Path) -> None:
    Path("many.vw").write_text(fruit(50_000))
    with started("predict", "model", "many.vw") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() in (b"spam\n", b"ham\n")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
