"""The weights are in memory once, whatever a command does with them; and who shares them never sees another write."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Callable
from copy import copy, deepcopy
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np
import pytest

import thresher as th
from tests.commands import PERCEPTRON, fruit, read_in_pieces, run, stop_after
from thresher.cli import learning
from thresher.evaluate import Outcomes
from thresher.store import linear

BITS = 22
PLANE = 8 * 2**BITS
OPTIONS = ("--bits", BITS)

#: A process counts as its own peak what the one it was forked from held: so a small one must start the one that is measured.
PEAK = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "thresher", *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak(*arguments: object) -> int:
    """The most memory, in bytes, that the command held."""
    done = subprocess.run([sys.executable, "-c", PEAK, *map(str, arguments)], capture_output=True, check=True)
    return int(done.stdout) * (1024 if sys.platform == "linux" else 1)


COMMANDS: dict[str, Callable[[Path], tuple[object, ...]]] = {
    "learn": lambda folder: (*PERCEPTRON, folder / "source", "--save", folder / "other"),
    "learn with a trace": lambda folder: (*PERCEPTRON, folder / "source", "--trace", 3),
    "learn --from": lambda folder: ("learn", folder / "source", "--from", folder / "model", "--save", folder / "model"),
    "learn --resume": lambda folder: ("learn", folder / "source", "--resume", folder / "part"),
    "predict": lambda folder: ("predict", folder / "model", folder / "source"),
    "inspect": lambda folder: ("inspect", folder / "model"),
    "inspect --json": lambda folder: ("inspect", folder / "model", "--json"),
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For few weights and for many: a source, a model of it, and one of a run that was interrupted."""
    made = tmp_path_factory.mktemp("prepared")
    for bits in (10, BITS):
        folder = made / str(bits)
        folder.mkdir()
        (folder / "source").write_text(fruit(500))
        assert run(*PERCEPTRON, folder / "source", "--bits", bits, "--save", folder / "model", "--quiet").status == 0
        with pytest.MonkeyPatch.context() as slowly, stop_after(2):
            read_in_pieces(slowly, 4096)
            assert run(*PERCEPTRON, folder / "source", "--bits", bits, "--save", folder / "part", "--quiet").status == 130
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_holds_the_weights_once(name: str, prepared: Path) -> None:
    """A second copy, even for a moment, would add two planes to what the command takes with few weights."""
    grown = []
    for bits in (10, BITS):
        size = () if {"--from", "--resume"} & set(name.split()) or not name.startswith("learn") else ("--bits", bits)
        grown.append(peak(*COMMANDS[name](prepared / str(bits)), *size))
    assert grown[1] - grown[0] < 1.5 * PLANE


def learned(n: int = 3) -> th.Perceptron:
    learner = th.Perceptron(n, bias=1.0)
    learner.learn([1.0] * n, -1)
    return learner


@pytest.mark.parametrize("twin", [copy, deepcopy])
def test_copies_go_their_own_ways(twin: Callable[[th.Perceptron], th.Perceptron]) -> None:
    learner = learned()
    other, third = twin(learner), twin(learner)
    other.learn([1, 0, 0], +1)
    third.learn_many([[0, 2, 0]], [+1])
    assert [each.weights.tolist() for each in (learner, other, third)] == [[-1, -1, -1], [0, -1, -1], [-1, 1, -1]]
    learner.learn([0, 0, 5], +1)
    assert [each.weights.tolist() for each in (learner, other, third)] == [[-1, -1, 4], [0, -1, -1], [-1, 1, -1]]
    assert [(each.rounds, each.bias_weight) for each in (learner, other, third)] == [(2, 0.0)] * 3


def test_what_was_shown_of_the_weights_stays_when_the_learner_goes_on(tmp_path: Path) -> None:
    learner = learned()
    th.save(learner, tmp_path / "model")
    for goes_on in (learner, linear(th.load(tmp_path / "model")), th.Perceptron.from_state(*learner.state())):
        shown, state, separator = goes_on.weights, goes_on.state()[1]["weights"], th.Separator.of(goes_on)
        goes_on.learn([1, 2, 3], +1)
        goes_on.learn_many([[1, 2, 3]] * 2, [-1, +1])
        assert goes_on.weights.tolist() != [-1, -1, -1]
        for kept in (shown, state, separator.u):
            assert kept.tolist() == [-1, -1, -1]
            with pytest.raises(ValueError, match="read-only"):
                kept[0] = 1.0
            with pytest.raises(ValueError, match="WRITEABLE"):
                kept.flags.writeable = True


def test_a_state_is_copied_from_the_arrays_that_are_given() -> None:
    parameters, arrays = learned().state()
    mine = np.array(arrays["weights"])
    learner = th.Perceptron.from_state(parameters, {"weights": mine})
    mine[:] = 7.0
    assert learner.weights.tolist() == [-1, -1, -1]
    learner.learn([1, 1, 1], +1)
    assert mine.tolist() == [7, 7, 7]


@pytest.mark.parametrize("tie", ["plus", "minus", "mistake"])
def test_rounds_told_again_are_those_that_were_played(tie: str) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(-1, 2, (60, 4)).astype(float), rng.choice([-1, 1], 60)
    weights = rng.integers(0, 2, 60).astype(float)
    learner, outcomes = th.Perceptron(4, tie=tie), Outcomes(BytesIO)
    played = outcomes.keeping(learner).learn_many(X, y, weights)
    retelling = outcomes.retelling(learner, first=1)
    for part in (slice(0, 7), slice(7, 60)):
        told = retelling.learn_many(X[part], y[part], weights[part])
        assert (told.first, told.rule, told.before) == (part.start + 1, learner.rule, None)
        for column in ("predictions", "labels", "changed", "weights"):
            np.testing.assert_array_equal(getattr(told, column), getattr(played, column)[part])
        assert np.isnan(told.scores).all()


def test_rounds_told_again_are_certified_only_if_all_their_counts_are_those_that_were_played() -> None:
    X, y = [[1, 0], [0, 1], [1, 1]], [-1, +1, -1]
    learner, outcomes, ledger = th.Perceptron(2), Outcomes(BytesIO), th.Ledger()
    ledger.enter(outcomes.keeping(learner).learn_many(X, y))
    told = [th.Ledger(th.Separator([-2.0, 1.0])) for _ in range(3)]
    for again, labels in zip(told, (y, [-1, +1, +1], y), strict=True):
        again.enter(outcomes.retelling(learner, first=1).learn_many(X, labels))
        assert again.headline is None
        assert "certified" not in {str(certificate.verdict) for certificate in again.certificates()}
    assert [again._confirm(ledger.tally) for again in told] == [True, False, True]
    assert told[0].tally == ledger.tally
    assert "certified" in {str(certificate.verdict) for certificate in told[0].certificates()}
    assert "certified" not in {str(certificate.verdict) for certificate in told[1].certificates()}


class Full(BytesIO):
    """A file on a disk that is full; `room` bytes are left."""

    room = 100

    def write(self, data: object, /) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = bytes(memoryview(data)[: self.room]) if isinstance(data, bytes) else b""
        self.room -= len(taken)
        return super().write(taken)


@pytest.mark.parametrize("start", ["zero", "a model"])
def test_a_full_disk_stops_the_check_and_not_the_learning(start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source").write_text(fruit(300))
    read_in_pieces(monkeypatch, 1000)
    run(*PERCEPTRON, tmp_path / "source", "--save", tmp_path / "model")
    arguments = (*PERCEPTRON, tmp_path / "source", *(("--from", tmp_path / "model") if start == "a model" else ()))
    assert run(*arguments, "--save", tmp_path / "whole").status == 0

    def full(**_options: object) -> IO[bytes]:
        return Full()

    monkeypatch.setattr("tempfile.SpooledTemporaryFile", full)
    ran = run(*arguments, "--save", tmp_path / "other", "--json")
    assert ran.status == 2
    assert "No space left on device" in ran.json["unchecked"]
    assert (ran.json["rounds_in_all"], ran.json["certificates"]) == (600 if start == "a model" else 300, [])
    assert (tmp_path / "other").read_bytes() == (tmp_path / "whole").read_bytes()


def test_outcomes_beyond_what_is_kept_in_memory_come_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source").write_text(fruit(300))
    read_in_pieces(monkeypatch, 1000)
    usual = run(*PERCEPTRON, tmp_path / "source", "--passes", 2)
    monkeypatch.setattr(learning, "_KEPT_IN_MEMORY", 50)
    assert run(*PERCEPTRON, tmp_path / "source", "--passes", 2) == usual
