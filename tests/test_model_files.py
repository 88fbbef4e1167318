"""Model files: what is loaded goes on as if it had never stopped, and what is damaged or forged is refused."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import stored
from tests.commands import PERCEPTRON, check_refused_command, run
from tests.model_lines import LINES, OPTIONS
from tests.oracles import everything
from tests.strategies import Stream, Variant, streams, variants
from thresher.data.recipe import Recipe
from thresher.linear import LEARNERS, LinearLearner
from thresher.store import Model, container, linear

VERSION_1 = Path(__file__).parent / "models" / "version-1.thresher"
N = 5

# What stands in the file of version 1.
VERSION_1_SUMS = (2, 2, 1, 11, 2.0)
VERSION_1_NAMES = ["colour=orange", "peel=smooth", "sugar", "colour=greenish", "peel=puffy"]
VERSION_1_BIAS = "-0x1.54ea4c7b36e50p-5"
VERSION_1_PREDICTIONS = """\
1	export	0.4442961010638761
a	export	0.6404840745109168
b	local-market	-0.6404840745109165
c	export	0.34138945716446556
d	local-market	-0.041615628602553856
e	export	0.3674581127929882
f	local-market	-0.33868351859490026
g	export	0.08563565352863131
"""


def all_of(model: Model) -> tuple[object, ...]:
    """Everything that a model is."""
    assert isinstance(model.learner, th.Perceptron)
    return *everything(model.learner), model.recipe, model.tally, model.run, model.names


# ---- save and load -------------------------------------------------------------------------------------------------


@given(variant=variants, before=streams(N, zeros=False), after=streams(N, zeros=False))
def test_a_learner_that_was_saved_goes_on_bit_for_bit(
    variant: Variant, before: Stream, after: Stream, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("models") / "model"
    never_stopped = th.Perceptron(N, **variant.keywords())
    never_stopped.learn_many(*before)
    th.save(never_stopped, path)
    loaded, copied = th.load(path), copy.copy(never_stopped)
    assert isinstance(loaded, th.Perceptron)
    assert everything(loaded) == everything(never_stopped)
    for learner in (never_stopped, loaded, copied):
        learner.learn_many(*after)
    assert everything(loaded) == everything(never_stopped) == everything(copied)


@pytest.mark.parametrize("kind", LEARNERS.values(), ids=list(LEARNERS))
def test_every_learner_can_be_saved_from_the_start(kind: type[LinearLearner], tmp_path: Path) -> None:
    make: Any = kind
    learner: LinearLearner = make(3, margin=0.5) if kind is th.MarginPerceptron else make(3)
    th.save(learner, tmp_path / "model")
    loaded = th.load(tmp_path / "model")
    assert type(loaded) is kind
    assert loaded.state()[0] == learner.state()[0]


@pytest.mark.parametrize("name", stored.MADE)
def test_a_file_of_each_learner_loads_for_ever(name: str, tmp_path: Path) -> None:
    place = stored.FOLDER / f"version-1-{name}.thresher"
    loaded, expected = th.load(place), stored.learned(name)
    assert repr(loaded) == repr(expected)
    th.save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == place.read_bytes()
    if name not in stored.CHANGED:
        assert loaded.state()[0] == expected.state()[0]
        assert all(plane.tobytes() == loaded.state()[1][name].tobytes() for name, plane in expected.state()[1].items())
    assert loaded.rounds == expected.rounds
    assert loaded.learn_many(*stored.rows()).mistakes == expected.learn_many(*stored.rows()).mistakes


def test_the_same_learner_makes_the_same_bytes(tmp_path: Path) -> None:
    learner = th.Perceptron(N, bias=1.0)
    learner.learn(np.ones(N), -1)
    th.save(learner, tmp_path / "one")
    th.save(th.load(tmp_path / "one"), tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_what_is_no_learner_is_not_saved(tmp_path: Path) -> None:
    things: list[Any] = [None, "model", th.Perceptron, th.Perceptron(2).hypothesis()]
    for thing in things:
        with pytest.raises(th.ParameterError, match="expected a linear learner"):
            th.save(thing, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# ---- the file of version 1 -----------------------------------------------------------------------------------------


def test_version_1_is_loaded_for_ever() -> None:
    model = Model.load(VERSION_1)
    assert repr(model.learner) == "Perceptron(n=64, normalize=True, bias=1.0, tie='minus')"
    assert model.recipe == Recipe("vw", 64, minus="local-market", plus="export")
    assert model.tally is not None
    tally = model.tally.as_dict()
    assert {name: tally[name] for name in ("first", "rounds", "positives", "weighted", "moved", "last_label")} == {
        "first": 1, "rounds": 13, "positives": 7, "weighted": 5, "moved": None, "last_label": -1
    }  # fmt: skip
    assert (tally["mistakes"], tally["updates"], tally["missed"], tally["repeat_last"], tally["loss"]) == VERSION_1_SUMS
    assert model.run is not None
    assert (model.run.passes, model.run.done, model.run.position.offset) == (2, 1, 352)
    assert model.names.decode().split() == VERSION_1_NAMES
    assert sorted(name for names in model.names_by_slot().values() for name in names) == sorted(VERSION_1_NAMES)
    assert linear(model.learner).bias_weight.hex() == VERSION_1_BIAS


def test_version_1_predicts_for_ever(tmp_path: Path) -> None:
    (tmp_path / "lines.vw").write_text(LINES)
    ran = run("predict", VERSION_1, tmp_path / "lines.vw", "--scores", "--id", "tag")
    assert ran.status == 0
    assert ran.out == VERSION_1_PREDICTIONS


def test_version_1_goes_on_for_ever(tmp_path: Path) -> None:
    source = tmp_path / "lines.vw"
    source.write_text(LINES)
    assert run(*PERCEPTRON, source, *OPTIONS, "--quiet", "--save", tmp_path / "whole").status == 0
    assert run("learn", source, "--resume", VERSION_1, "--quiet", "--save", tmp_path / "resumed").status == 0
    assert all_of(Model.load(tmp_path / "resumed")) == all_of(Model.load(tmp_path / "whole"))
    said = run("learn", source, "--from", VERSION_1, "--json").json
    assert (said["examples"], said["rounds_in_all"], said["unlabelled"]) == (7, 20, 1)


# ---- damage --------------------------------------------------------------------------------------------------------


def refusal(path: Path) -> str:
    """What is said when the file is refused; nothing if it is not."""
    try:
        Model.load(path)
    except th.StoreError as error:
        return str(error)
    return ""


def check_damage_is_noticed(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert refusal(path).startswith(f"{path}: ")


def test_a_file_with_any_byte_changed_is_refused(tmp_path: Path) -> None:
    whole = VERSION_1.read_bytes()
    for place in range(len(whole)):
        for change in (0x01, 0x80, 0xFF):
            damaged = whole[:place] + bytes([whole[place] ^ change]) + whole[place + 1 :]
            check_damage_is_noticed(tmp_path / "model", damaged)


def test_a_file_cut_off_anywhere_or_too_long_is_refused(tmp_path: Path) -> None:
    whole = VERSION_1.read_bytes()
    for size in range(len(whole)):
        check_damage_is_noticed(tmp_path / "model", whole[:size])
    for more in (b"\0", b"\n", whole):
        check_damage_is_noticed(tmp_path / "model", whole + more)


@given(content=st.binary(max_size=300), known=st.booleans())
def test_bytes_that_are_no_model_are_refused(content: bytes, known: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "foreign"
    path.write_bytes(VERSION_1.read_bytes()[:32] * known + content)
    with pytest.raises(th.StoreError):
        Model.load(path)


# ---- forgery -------------------------------------------------------------------------------------------------------

#: Values that a header may hold where another was expected.
NASTY: list[Any] = [
    None, True, False, -1, 0, 1, 2, 13, 64, 65, 2**31, 2**62, 2**63, 2**64 - 1, 2**64, 10**400, 0.5, -0.0, 1e308,
    "", "x", "1", "Perceptron", "a b\nc", "\0", [], [1], {}, {"a": 1},
]  # fmt: skip

#: What no check can tell from the truth: other weights, other counts that rounds can have, another label.
CREDIBLE = {
    "learner.arguments.bias", "learner.arguments.normalize", "learner.heads.bias_weight", "learner.heads.collisions",
    "learner.heads.negative", "ledger.last_label", "ledger.loss", "ledger.missed", "ledger.moved", "ledger.positives",
    "ledger.repeat_last", "ledger.weighted", "recipe.minus", "recipe.plus", "run", "run.passes", "run.position.offset",
    "run.position.digest", "run.whole", "run.began.loss",
}  # fmt: skip


def places(header: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in header.items():
        yield *above, key
        if isinstance(value, dict):
            yield from places(value, (*above, key))


def forged(path: Path, place: tuple[str, ...], *value: Any) -> Path:
    """The file of version 1 with another value in its header, or with none, and a right checksum."""
    header, sections = container.read(VERSION_1)
    inner = header
    for key in place[:-1]:
        inner = inner[key]
    del inner[place[-1]]
    if value:
        (inner[place[-1]],) = value
    container.write(path, header, sections)
    return path


EVERY = list(places(container.read(VERSION_1).header))


@pytest.mark.parametrize("place", EVERY, ids=".".join)
def test_a_header_with_another_value_is_refused_or_credible(place: tuple[str, ...], tmp_path: Path) -> None:
    """And what is credible can be shown and used for predictions: no command ever fails in another way."""
    source = tmp_path / "lines.vw"
    source.write_text(LINES)
    known = container.read(VERSION_1).header
    for key in place:
        known = known[key]
    for value in NASTY:
        if repr(value) == repr(known):
            continue
        path = forged(tmp_path / "model", place, value)
        refused = refusal(path)
        assert refused.startswith(f"{path}: ") or ".".join(place) in CREDIBLE
        if refused:
            continue
        assert run("inspect", path).status == 0
        assert run("predict", path, source).status in (0, 2)
        assert run("learn", source, "--from", path, "--quiet").status in (0, 2)
        # A run of 2^31 passes could be: it would only last.
        if place != ("run", "passes"):
            assert run("learn", source, "--resume", path, "--save", tmp_path / "new", "--quiet").status in (0, 2)


@pytest.mark.parametrize("place", EVERY, ids=".".join)
def test_a_header_that_lacks_anything_is_refused(place: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(th.StoreError):
        Model.load(forged(tmp_path / "model", place))


@pytest.mark.parametrize(
    "inside", [(), ("learner",), ("learner", "arguments"), ("learner", "heads"), ("recipe",), ("ledger",), ("run",)]
)
def test_a_header_with_anything_more_is_refused(inside: tuple[str, ...], tmp_path: Path) -> None:
    header, sections = container.read(VERSION_1)
    inner = header
    for key in inside:
        inner = inner[key]
    inner["more"] = 1
    container.write(tmp_path / "model", header, sections)
    with pytest.raises(th.StoreError):
        Model.load(tmp_path / "model")


REFUSED: dict[str, tuple[tuple[str, ...], Any, str]] = {
    "another kind": (("kind",), "mixture", "kind 'mixture', expected 'learner'"),
    "another precision": (("precision",), "float32", "'float32', expected 'float64'"),
    "an unknown learner": (("learner", "learner"), "Winnower", "'Winnower', expected one of "),
    "n of the learner": (("learner", "arguments", "n"), 65, "not n = 65 numbers"),
    "a huge n of the learner": (("learner", "arguments", "n"), 2**48, "not n = 281474976710656 numbers"),
    "n of the recipe": (("recipe", "n"), 128, "n = 128 with a learner of n = 64"),
    "a bool for n": (("recipe", "n"), True, "wrong types"),
    "another hash": (("recipe", "hash"), "murmur3", "'murmur3'"),
    "names with indices from 0": (("recipe", "zero_based"), True, "cannot be followed"),
    "one label twice": (("recipe", "plus"), "local-market", "both labels"),
    "negative counts": (("learner", "heads", "rounds"), -1, "no run of rounds can have"),
    "the ledger's rounds": (("ledger", "rounds"), 14, "not those of the learner"),
    "the ledger's updates": (("ledger", "updates"), 1, "not those of the learner"),
    "the ledger's history": (("ledger", "history"), 5, "not those of the learner"),
    "the ledger's beginning": (("ledger", "first"), 2, "not those of the learner"),
    "a weight in a round to come": (("ledger", "weighted"), 14, "no run of rounds can have"),
    "more missed than there are": (("ledger", "missed"), 9, "no run of rounds can have"),
    "no passes": (("run", "passes"), 0, "a run that cannot be"),
    "more passes than there are": (("run", "done"), 3, "a run that cannot be"),
    "a run that began later": (
        ("run", "began"),
        {"first": 1, "history": 7, "last_label": 1, "loss": 0.0, "missed": 0, "mistakes": 0, "moved": None, "positives": 0,
         "repeat_last": 0, "rounds": 13, "updates": 0, "weighted": None},
        "cannot have led",
    ),
    "a run without a ledger": (("ledger",), None, "cannot have led"),
    "a run without a recipe": (("recipe",), None, "no recipe"),
}  # fmt: skip


@pytest.mark.parametrize(("place", "value", "match"), REFUSED.values(), ids=list(REFUSED))
def test_a_contradiction_in_a_header_is_named(place: tuple[str, ...], value: Any, match: str, tmp_path: Path) -> None:
    path = forged(tmp_path / "model", place, value)
    with pytest.raises(th.StoreError, match=match):
        Model.load(path)
    check_refused_command(tmp_path, "predict", path, "demo:oranges", says=["model: ", match])


@pytest.mark.parametrize(
    "weights",
    [np.zeros(63), np.zeros(65), np.zeros(0), np.full(64, np.nan), np.full(64, np.inf), np.full(64, 1e300), b"123", None],
    ids=["63", "65", "0", "NaN", "infinite", "beyond reach", "3 bytes", "none"],
)
def test_weights_that_no_learner_has_are_refused(weights: Any, tmp_path: Path) -> None:
    header, sections = container.read(VERSION_1)
    others = {"names": sections["names"]} | ({} if weights is None else {"weights": weights})
    container.write(tmp_path / "model", header, others)
    with pytest.raises(th.StoreError):
        Model.load(tmp_path / "model")


def test_a_section_that_is_not_known_is_refused(tmp_path: Path) -> None:
    header, sections = container.read(VERSION_1)
    container.write(tmp_path / "model", header, {**sections, "plane": np.zeros(64)})
    with pytest.raises(th.StoreError):
        Model.load(tmp_path / "model")


@pytest.mark.parametrize(
    "names", [b"", b"\n", b"no end", b"\xff\xfe\n\x00\n\x1b[2J\n", b"a\n" * 9, b"\n" * 99, b"x" * 10**6 + b"\n"]
)
def test_names_of_any_bytes_are_borne(names: bytes, tmp_path: Path) -> None:
    source, path = tmp_path / "lines.vw", tmp_path / "model"
    source.write_text(LINES)
    header, sections = container.read(VERSION_1)
    container.write(path, header, {**sections, "names": names})
    assert Model.load(path).names == names
    assert run("inspect", path, "--json").status == 0
    assert run("learn", source, "--from", path, "--quiet", "--save", tmp_path / "new").status == 0
