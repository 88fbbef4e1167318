"""Model files of portfolios: they come back bit for bit, and what is damaged or forged is refused or harmless."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import run
from tests.model_lines import LINES
from tests.stored import FOLDER, learned_portfolio
from tests.test_model_files import NASTY, refusal
from thresher._core import pack, unpack
from thresher.compose import default_lanes, use_threads
from thresher.store import Model, container
from thresher.store.kinds import packed

VERSION_1 = FOLDER / "version-1-portfolio-closed.thresher"
#: Whose Invariant lane took other steps: see stored.CHANGED.
VERSION_1_BEFORE = FOLDER / "version-1-portfolio.thresher"


def everything(learner: object) -> tuple[object, dict[str, bytes]]:
    assert isinstance(learner, th.Portfolio)
    parameters, arrays = learner.state()
    return parameters, {name: array.tobytes() for name, array in arrays.items()}


def rows(count: int, n: int, seed: int = 0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, n)) * (rng.random((count, n)) < 0.4)
    return X, np.where(X[:, 0] - X[:, 1] + 0.3 * rng.standard_normal(count) > 0, 1, -1)


# ---- there and back ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("master", [th.AdaHedge, th.FixedShare, th.Hedge])
def test_a_portfolio_comes_back_and_goes_on_bit_for_bit(
    master: type[th.AdaHedge | th.FixedShare | th.Hedge], tmp_path: Path
) -> None:
    lanes = [*default_lanes(20, bias=1.0), th.PNormPerceptron(20), th.AveragedPerceptron(20)]
    portfolio = th.Portfolio(20, lanes, master(len(lanes)), cost_positive=2.5)
    X, y = rows(300, 20)
    portfolio.learn_many(X[:200], y[:200], np.linspace(0.5, 2.0, 200))
    th.save(portfolio, tmp_path / "model")
    loaded = th.load(tmp_path / "model")
    assert everything(loaded) == everything(portfolio)
    for each in (portfolio, loaded):
        each.learn_many(X[200:], y[200:])
    assert everything(loaded) == everything(portfolio)


@pytest.mark.parametrize("slots", [2, 63, 64, 65, 1000])
@pytest.mark.parametrize("used", ["none", "few", "all"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_holds_the_arrays_of_the_state(slots: int, used: str, threads: int) -> None:
    before = use_threads(threads)
    try:
        portfolio = th.Portfolio(slots, bias=1.0)
    finally:
        use_threads(before)
    X, y = rows(0 if used == "none" else 60, slots)
    if used == "few":
        X[:, 1:-1] = 0.0
    portfolio.learn_many(X, y)
    header, sections = packed(portfolio)
    arrays = portfolio.state()[1]
    assert [name for name, _ in header["precision"]] == list(arrays)
    portfolio.learn_many(*rows(20, slots, 1))  # what is to be written is as it was
    whole = unpack(b"".join(pack(dict(sections))))
    assert [section.tobytes() for section in whole.values()] == [array.tobytes() for array in arrays.values()]


def test_a_large_plane_is_written_in_several_pieces() -> None:
    portfolio = th.Portfolio(2**17, [th.Perceptron(2**17)])
    portfolio.learn({5: 1.0, 2**16: 0.5, 2**17 - 1: 2.0}, -1)
    sections = packed(portfolio)[1]
    pieces = list(pack(dict(sections)))
    assert len(pieces) > 2 * len(sections) + 1
    whole = unpack(b"".join(pieces))
    assert [section.tobytes() for section in whole.values()] == [each.tobytes() for each in portfolio.state()[1].values()]


def test_a_fresh_portfolio_comes_back(tmp_path: Path) -> None:
    portfolio = th.Portfolio(3)
    th.save(portfolio, tmp_path / "model")
    assert everything(th.load(tmp_path / "model")) == everything(portfolio)


def test_a_learner_of_ones_own_cannot_be_saved_and_nothing_is_written(tmp_path: Path) -> None:
    portfolio = th.Portfolio(3, [th.Perceptron(3), th.Conservative(th.AROW(3))])
    (tmp_path / "model").write_bytes(b"before")
    with pytest.raises(th.ParameterError, match="Conservative"):
        th.save(portfolio, tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == b"before"


@pytest.mark.parametrize(("kind", "lanes"), [(th.AROW, 2000), (th.PNormPerceptron, 100)])
def test_many_lanes_are_saved_and_more_arrays_than_a_file_has_room_for_are_not(
    kind: type[th.AROW | th.PNormPerceptron], lanes: int, tmp_path: Path
) -> None:
    portfolio = th.Portfolio(2, [kind(2) for _ in range(lanes)])
    th.save(portfolio, tmp_path / "model")
    assert everything(th.load(tmp_path / "model")) == everything(portfolio)
    with pytest.raises(th.StoreError, match="arrays, expected at most 1020: fewer lanes"):
        th.save(th.Portfolio(2, [th.PNormPerceptron(2) for _ in range(1100)]), tmp_path / "more")
    assert not (tmp_path / "more").exists()


def test_version_1_loads_for_ever_and_goes_on() -> None:
    loaded, expected = th.load(VERSION_1), learned_portfolio()
    assert everything(loaded) == everything(expected)
    X, y = rows(200, 6)
    assert isinstance(loaded, th.Portfolio)
    assert loaded.learn_many(X, y).predictions.tolist() == expected.learn_many(X, y).predictions.tolist()


def test_version_1_of_other_steps_loads_for_ever_and_goes_on(tmp_path: Path) -> None:
    loaded, now = th.load(VERSION_1_BEFORE), learned_portfolio()
    assert isinstance(loaded, th.Portfolio)
    assert (loaded.lanes, loaded.rounds) == (now.lanes, now.rounds)
    th.save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == VERSION_1_BEFORE.read_bytes()
    X, y = rows(200, 6)
    assert loaded.learn_many(X, y).mistakes == pytest.approx(now.learn_many(X, y).mistakes, abs=3)


# ---- damage --------------------------------------------------------------------------------------------------------


def test_a_file_with_any_byte_changed_or_cut_off_is_refused(tmp_path: Path) -> None:
    whole, path = VERSION_1.read_bytes(), tmp_path / "model"
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (0x01, 0x80, 0xFF)[place % 3]]) + whole[place + 1 :])
        assert refusal(path).startswith(f"{path}: ")
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert refusal(path).startswith(f"{path}: ")


# ---- forgery -------------------------------------------------------------------------------------------------------

Place = tuple[str | int, ...]


def places(value: Any, above: Place = ()) -> Iterator[Place]:
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    for key in keys:
        yield *above, key
        yield from places(value[key], (*above, key))


def whole_model(path: Path) -> Path:
    """A portfolio's file with all that the command saves: recipe, ledger, run and names."""
    (path.parent / "lines.vw").write_text(LINES)
    assert run("learn", path.parent / "lines.vw", "--bits", 4, "--quiet", "--save", path).status == 0
    return path


def forged(path: Path, whole: Path, place: Place, *value: Any) -> Path:
    """The file with another value in its header, or with none, and a right checksum."""
    header, sections = container.read(whole)
    inner: Any = header
    for key in place[:-1]:
        inner = inner[key]
    if isinstance(inner, list) and not value:
        inner.pop(int(place[-1]))
    elif value:
        (inner[place[-1]],) = value
    else:
        del inner[place[-1]]
    container.write(path, header, sections)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_model(tmp_path_factory.mktemp("portfolio") / "whole")


def test_a_header_with_another_value_is_refused_or_harmless(made: Path, tmp_path: Path) -> None:
    header = container.read(made).header
    known = list(places(header))
    borne = 0
    for number, place in enumerate(known):
        # Each place is tried with some of the values, all of them with some place: all with all would take minutes.
        for value in NASTY[number % 5 :: 5]:
            path = forged(tmp_path / "model", made, place, value)
            said = refusal(path)
            if said:
                assert said.startswith(f"{path}: ")
                continue
            borne += 1
            assert run("inspect", path).status == 0
            assert run("predict", path, made.parent / "lines.vw", "--probabilities").status in (0, 2)
            assert run("learn", made.parent / "lines.vw", "--from", path, "--quiet").status in (0, 2)
    assert borne < 0.1 * len(known) * len(NASTY) / 5


def test_a_header_that_lacks_anything_is_refused(made: Path, tmp_path: Path) -> None:
    header = container.read(made).header
    for place in places(header):
        if place == ("ledger", "rest"):  # a loss without a rest could be
            continue
        with pytest.raises(th.StoreError):
            Model.load(forged(tmp_path / "model", made, place))


def test_sections_that_do_not_fit_are_refused(made: Path, tmp_path: Path) -> None:
    header, sections = container.read(made)
    changes: list[dict[str, Any]] = [
        {**sections, "99": np.zeros(4)},
        {name: array for name, array in sections.items() if name != "0"},
        {**sections, "0": sections["0"][:-1]},
        {**sections, "0": sections["0"][:-8]},
        {**sections, "0": np.full(sections["0"].size // 8, np.nan)},
    ]
    for changed in changes:
        container.write(tmp_path / "model", header, {name: np.ascontiguousarray(array) for name, array in changed.items()})
        assert refusal(tmp_path / "model").startswith(str(tmp_path / "model"))
