"""Model files of learners of many classes: they load for ever, go on bit for bit, and a damaged one is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests import stored
from tests.commands import run
from thresher.store import Model


def check_same(one: object, other: th.MulticlassPerceptron | th.OneVersusRest) -> None:
    """Asserts that a loaded learner is this one, bit for bit."""
    assert isinstance(one, type(other))
    told, arrays = one.state()
    expected, planes = other.state()
    assert told == expected
    assert {name: array.tobytes() for name, array in arrays.items()} == {name: a.tobytes() for name, a in planes.items()}


@pytest.mark.parametrize("name", stored.CLASSES)
def test_a_file_of_the_first_version_loads(name: str) -> None:
    loaded, expected = th.load(stored.FOLDER / f"version-1-{name}.thresher"), stored.learned_classes(name)
    check_same(loaded, expected)
    assert isinstance(loaded, th.MulticlassPerceptron | th.OneVersusRest)
    for learner in (loaded, expected):
        learner.learn_many(np.eye(6), ["none", "new", "two", "one", "many", "newer"])
    check_same(loaded, expected)


@pytest.mark.parametrize("name", stored.CLASSES)
def test_what_is_saved_is_what_was_kept(name: str, tmp_path: Path) -> None:
    th.save(stored.learned_classes(name), tmp_path / "model")
    kept = stored.FOLDER / f"version-1-{name}.thresher"
    assert (tmp_path / "model").read_bytes() == kept.read_bytes()
    fresh = stored.CLASSES[name]()
    th.save(fresh, tmp_path / "fresh")
    check_same(th.load(tmp_path / "fresh"), fresh)


@pytest.mark.parametrize("name", stored.CLASSES)
def test_every_damaged_byte_is_found(name: str, tmp_path: Path) -> None:
    whole, place = (stored.FOLDER / f"version-1-{name}.thresher").read_bytes(), tmp_path / "damaged"
    step = max(1, len(whole) // 700)
    for at in range(0, len(whole), step):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :]):
            place.write_bytes(damaged)
            with pytest.raises(th.StoreError, match="damaged"):
                th.load(place)


def test_a_command_says_what_the_file_is(tmp_path: Path) -> None:
    place = stored.FOLDER / "version-1-multiclass-perceptron.thresher"
    said = run("predict", place, "demo:oranges")
    assert said.status == 2
    assert "a learner of many classes, expected one of two labels" in said.err
    with pytest.raises(th.StoreError, match="many classes"):
        Model.load(place)
