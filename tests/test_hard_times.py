"""Full disks, readers that leave, pauses, long lines: nothing is lost, nothing is taken for the end."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import thresher as th
from tests.commands import PERCEPTRON, fruit, run
from thresher.data.recipe import Recipe
from thresher.store import Model

THRESHER = f"{shlex.quote(sys.executable)} -m thresher"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["/bin/bash", "-c", command], cwd=folder, capture_output=True, check=False)


def test_a_table_that_cannot_be_written_does_not_stop_the_learning(tmp_path: Path) -> None:
    (tmp_path / "fruit.vw").write_text(fruit(100))
    done = shell(f"{THRESHER} learn fruit.vw --save model 2>/dev/full", tmp_path)
    assert done.returncode == 0
    assert Model.load(tmp_path / "model").learner.rounds == 100


def test_an_error_that_cannot_be_told_is_an_error_all_the_same(tmp_path: Path) -> None:
    assert shell(f"{THRESHER} learn missing.vw 2>/dev/full", tmp_path).returncode == 2


@pytest.mark.parametrize("command", ["--help", "--version", "", "learn --help"])
def test_help_that_cannot_be_written_is_an_error(command: str, tmp_path: Path) -> None:
    done = shell(f"{THRESHER} {command} >/dev/full", tmp_path)
    assert (done.returncode, done.stderr) == (2, b"thresher: No space left on device\n")


def test_ctrl_c_saves_though_it_ended_the_reader_of_the_table(tmp_path: Path) -> None:
    (tmp_path / "fruit.vw").write_text(fruit(30_000))
    command = (
        f"{THRESHER} learn fruit.vw --passes 100000 --no-check --save model 2>&1 | tee log >/dev/null; echo ${{PIPESTATUS[0]}}"
    )
    process = subprocess.Popen(["/bin/bash", "-c", command], cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True)
    while not (tmp_path / "log").exists() or not (tmp_path / "log").read_text():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    for _ in range(600):  # the shell is gone; what it started is still saving
        if (tmp_path / "model").exists():
            break
        time.sleep(0.05)
    assert Model.load(tmp_path / "model").learner.rounds > 0


def test_a_model_is_not_written_over_the_file_that_standard_input_is(tmp_path: Path) -> None:
    (tmp_path / "fruit.vw").write_text(fruit(10))
    assert shell(f"{THRESHER} learn - --save fruit.vw < fruit.vw", tmp_path).returncode == 2
    assert (tmp_path / "fruit.vw").read_text() == fruit(10)


def test_a_pause_of_the_writer_is_not_the_end(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    command = [sys.executable, "-m", "thresher", *PERCEPTRON, "-", "--format", "vw", "--json"]
    process = subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE)
    os.close(reading)

    def write() -> None:
        for line in fruit(20).splitlines(keepends=True):
            os.write(writing, line.encode())
            time.sleep(0.02)
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    out, _ = process.communicate()
    writer.join()
    assert b'"examples": 20' in out


@pytest.mark.parametrize("label", ["", "a b", "a,b", "a\nb", "a|b"])
def test_a_positive_label_that_no_line_can_have_is_refused(label: str, tmp_path: Path) -> None:
    (tmp_path / "one.svm").write_text("-1 1:1\n-1 2:1\n")
    ran = run(*PERCEPTRON, tmp_path / "one.svm", "--passes", 2, f"--positive={label}", "--save", tmp_path / "model")
    assert ran.status == 2
    assert not (tmp_path / "model").exists()


def test_a_label_that_was_named_but_never_met_is_not_remembered(tmp_path: Path) -> None:
    (tmp_path / "one.svm").write_text("-1 1:1\n-1 2:1\n")
    run(*PERCEPTRON, tmp_path / "one.svm", "--passes", 2, "--positive", "7", "--save", tmp_path / "model")
    recipe = Model.load(tmp_path / "model").recipe
    assert recipe is not None
    assert (recipe.plus, recipe.minus) == (None, "-1")


def test_a_label_that_was_named_must_be_the_one_that_comes(tmp_path: Path) -> None:
    (tmp_path / "one.svm").write_text("-1 1:1\n")
    (tmp_path / "two.svm").write_text("5 1:1\n")
    run(*PERCEPTRON, tmp_path / "one.svm", "--save", tmp_path / "model")
    ran = run("learn", tmp_path / "two.svm", "--from", tmp_path / "model", "--positive", "7")
    assert (ran.status, "found label '5', expected '7', as --positive says" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("met", "label", "other"), [("1", -1, "-1"), ("1", +1, "not-1"), ("-1", -1, "not--1"), ("spam", -1, "not-spam")]
)
def test_a_label_that_was_never_met_is_not_spelled_like_the_other(met: str, label: int, other: str) -> None:
    recipe = Recipe("svmlight", 4, plus=met) if label < 0 else Recipe("svmlight", 4, minus=met)
    assert recipe.spelled(label) == other


def test_absurd_passes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "fruit.vw").write_text(fruit(10))
    assert run(*PERCEPTRON, tmp_path / "fruit.vw", "--passes", 2**62).status == 2


def test_a_stream_that_was_closed_gives_nothing_more(tmp_path: Path) -> None:
    for name in ("a.svm", "b.svm"):
        (tmp_path / name).write_text("1 1:1\n-1 2:1\n")
    stream = th.open_stream([tmp_path / "a.svm", tmp_path / "b.svm"])
    batches = iter(stream)
    next(batches)
    stream.close()
    assert list(batches) == []


def test_memory_stays_low_after_a_long_line(tmp_path: Path) -> None:
    with (tmp_path / "long.vw").open("wb") as file:
        file.write(b"1 | " + b"x" * (15 << 20) + b"\n")
        file.write(b"-1 | a b c d e f g h i j k l m n o p q r s t u v w x y z\n" * 600_000)
    command = [sys.executable, "-m", "thresher", *PERCEPTRON, str(tmp_path / "long.vw"), "--quiet"]
    code = f"""
import resource, subprocess
subprocess.run({command!r}, check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    unit = 1024 if sys.platform == "linux" else 1
    assert int(done.stdout) * unit < 150 * 10**6 + 4 * 2**21
