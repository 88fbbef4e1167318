"""Every field of a proof's file, changed: it is named, or what it says is true of what it names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import thresher as th
from tests.commands import run
from thresher.evaluate.parts import Examples
from thresher.evaluate.players import made_player
from thresher.evaluate.proof import Proof
from thresher.ledger.told import made
from thresher.store.proof import Reading

X = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] * 4
Y = [+1, -1, +1, -1, +1, -1] * 4
EXAMPLES: Examples = [(X, Y)]

Place = tuple[str | int, ...]


PROOFS = {
    "perceptron": lambda: th.certify(th.Perceptron(3, bias=0.5), EXAMPLES, th.Separator([0.75, -0.5, 0.25], margin=0.2)),
    "winnow": lambda: th.certify(
        th.Winnow(3, factor=1.25), EXAMPLES, th.Disjunction(3, {0}), th.Cover([1.0, 0, 0]), th.Threshold([1.0, 0, 0], delta=0.5)
    ),
    "portfolio": lambda: th.certify(
        th.Portfolio(3, [th.Perceptron(3), th.AROW(3)], th.FixedShare(2, eta=0.5)), EXAMPLES, th.BestLane()
    ),
}


def leaves(stored: Any, place: Place = ()) -> Iterator[Place]:
    inside = stored.items() if isinstance(stored, dict) else enumerate(stored) if isinstance(stored, list) else ()
    for key, each in inside:
        yield from leaves(each, (*place, key))
    if not inside:
        yield place


def spelled(place: Place) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in place).lstrip(".")


def others(value: Any) -> list[Any]:
    """Values that are near, far, and of another type: each kind of change to each field."""
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, int | float):
        return [
            value + 1,
            value - 1,
            2 * value,
            -value,
            float(value),
            int(value),
            str(value),
            None,
            10**400,
            value * (1 + 1e-12),
        ]
    if isinstance(value, str):
        return [f"{value}x"]
    return [0.5, "x", True, [0]]


def nested(whole: Any, place: Place) -> Any:
    for key in place:
        whole = whole[key]
    return whole


def changed(whole: dict[str, Any], place: Place, value: object) -> dict[str, Any]:
    other = deepcopy(whole)
    nested(other, place[:-1])[place[-1]] = value
    return other


def same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("name", PROOFS)
def test_every_changed_field_is_named_or_what_it_says_is_true(tmp_path: Path, name: str) -> None:
    path = tmp_path / "proof.json"
    Proof(PROOFS[name]().runs, Reading("1", zero_based=False)).save(path)
    whole = json.loads(path.read_text())
    assert all(proven["certificates"] for proven in whole["runs"][0]["proven"])
    for place in leaves(whole):
        before = nested(whole, place)
        for value in others(before):
            if not same(value, before):
                path.write_text(json.dumps(changed(whole, place, value)))
                check_found_or_true(path, place, before, value)


def refused(path: Path) -> str:
    """Why a proof is not so; nothing, if it is."""
    try:
        th.Proof.load(path).check(EXAMPLES)
    except th.StoreError as error:
        return str(error)
    return ""


def limits(one: Any) -> list[Any]:
    """What a run says was counted, and what it says was proven."""
    certificates = [each for proven in one["proven"] for each in proven["certificates"]]
    return [one["mistakes"], one["stream"], *((each["theorem"], each["count"], each["at_most"]) for each in certificates)]


def check_found_or_true(path: Path, place: Place, before: Any, value: Any) -> None:
    """Asserts that the file is refused by a message that names the field; or that what was changed makes nothing false."""
    made_with = "learner" in place or "witness" in place  # no claim: what is named is a claim that does not follow from it
    if refusal := refused(path):
        assert ("runs[0]" if made_with else spelled(place)) in refusal, (place, value)
        return
    if {"numbers", "bound"} & {*place}:
        assert abs(value - before) <= 1e-9 * abs(before), (place, value)
    elif made_with:  # true of another learner, or with another witness, as if it had been made of them
        one = th.Proof.load(path).runs[0]
        learner, witnesses = made_player(one["learner"]), [made(each["witness"], 3) for each in one["proven"]]
        assert limits(th.certify(learner, EXAMPLES, *witnesses).runs[0]) == limits(one), (place, value)
    else:
        assert place[0] == "reading", (place, value)  # it says how to read, and no more: see below


NAMED = "1 |a x |b y\n-1 |a x |b z\n1 |a v |b z\n-1 |a v |b y\n" * 10
READINGS: list[tuple[str, Any, str]] = [
    ("positive", "-1", "is not of this stream"),
    ("positive", "banana", "'banana'"),
    ("positive", "", "reading.positive: found ''"),
    ("positive", 1, "reading.positive: found 1, expected a label or null"),
    ("positive", "+1.0", ""),
    ("positive", None, ""),
    ("zero_based", True, "zero-based"),
    ("zero_based", 0, "reading.zero_based: found 0, expected true or false"),
    ("interactions", [], "is not of this stream"),
    ("interactions", ["aa"], "is not of this stream"),
    ("interactions", ["ba"], "reading.interactions: found ['ba'], expected ['ab']"),
    ("interactions", ["ab", "ab"], "reading.interactions: found"),
    ("interactions", ["a"], "reading.interactions: found interaction 'a'"),
    ("interactions", "ab", "reading.interactions: found 'ab', expected a list"),
    ("interactions", ["ab", "cd"], ""),
    ("ngrams", 1, "is not of this stream"),
    ("ngrams", 3, ""),
    ("ngrams", 2.0, "reading.ngrams: found 2.0, expected from 1 to 8"),
    ("ngrams", 9, "reading.ngrams: found 9, expected from 1 to 8"),
]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("named")
    source, file = folder / "named.vw", folder / "proof.json"
    source.write_text(NAMED.replace(" x ", " x w "))
    learner = th.Perceptron(64, bias=1.0)

    def opened() -> th.Stream:
        return th.open_stream(source, n=64, interactions=("ab",), ngrams=2)

    found = th.hindsight.best_hinge(opened, bias=1.0)
    reading = Reading("1", zero_based=False, interactions=("ab",), ngrams=2)
    th.certify(learner, opened, found.witness, reading=reading).save(file)
    return source, file


@pytest.mark.parametrize(("name", "value", "says"), READINGS, ids=str)
def test_a_changed_reading_gives_other_examples_or_the_very_same(
    named: tuple[Path, Path], tmp_path: Path, name: str, value: object, says: str
) -> None:
    source, file = named
    whole = json.loads(file.read_text())
    fingerprint = whole["runs"][0]["stream"]["fingerprint"]
    whole["reading"][name] = value
    (tmp_path / "changed.json").write_text(json.dumps(whole))
    ran = run("certify", source, "--check", tmp_path / "changed.json")
    assert ran.status == (2 if says else 0)
    assert says in ran.err
    assert (f"fingerprint {fingerprint}" in ran.out) == (not says)
