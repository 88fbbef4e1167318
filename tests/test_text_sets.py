"""Text that is read several tokens at a time is read as a reader in plain Python reads it, by every instruction set."""

from __future__ import annotations

from itertools import repeat

from hypothesis import example, given
from hypothesis import strategies as st

from tests.effort import tried
from tests.text_oracles import CoreReading, read_pieces, svmlight_line, vowpal_line, vowpal_names
from thresher import _core

N = 100_000

#: As most files have them: a digit, or a fraction below one of up to eight digits.
plain = st.one_of(
    st.integers(0, 9).map(str),
    st.builds(lambda digits, number: f"0.{number % 10**digits:0{digits}}", st.integers(1, 8), st.integers(0, 10**8 - 1)),
)
odd = st.sampled_from(
    ["10", "1.5", "-0.5", "-1", ".5", "0.", "0.123456789", "1e-3", "00.5", "+1", "0.5e1", "007", "0.0", "0", "0.00000000"]
)
wrong = st.sampled_from(["", "0.5x", "0.5.5", "0.12345a", "0.:5", "x", "0,5", "1:1", "0.5:", "/", ":", "0.1234567/"])
gaps = st.sampled_from([" ", " ", " ", " ", " ", " ", "  ", "\t", " \t "])


def with_some(draw: st.DrawFn, usual: st.SearchStrategy[str], others: st.SearchStrategy[str], size: int) -> list[str]:
    """Of the usual kind, save that a few may be others."""
    made = draw(st.lists(usual, min_size=size, max_size=size))
    for place in draw(st.lists(st.integers(0, max(size - 1, 0)), max_size=min(size, 2))):
        made[place] = draw(others)
    return made


@st.composite
def indexed(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    indices = draw(st.lists(st.integers(1, N), unique=True, max_size=40))
    if draw(st.integers(0, 3)):
        indices.sort()
    spelled = [f"{'0' * draw(st.sampled_from([0, 0, 0, 0, 0, 3, 9]))}{index}" for index in indices]
    features = [f"{i}:{x}" for i, x in zip(spelled, with_some(draw, plain, values, len(spelled)), strict=True)]
    return "1" + "".join(draw(gaps) + feature for feature in features) + draw(st.sampled_from(["", "", " ", "\r", " # 1:1"]))


words = st.one_of(st.integers(0, 10**7).map(str), st.text("abcdefgh=é", min_size=1, max_size=33))


@st.composite
def named(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    line = "1"
    for space in draw(st.lists(st.sampled_from(["", "a", "colour", "sevenlt", "eightlet", "b:0.5"]), min_size=1, max_size=3)):
        names = draw(st.lists(words, max_size=40))
        behind = [f":{x}" for x in with_some(draw, plain, values, len(names))] if draw(st.booleans()) else [""] * len(names)
        for place in draw(st.lists(st.integers(0, max(len(names) - 1, 0)), max_size=min(len(names), 1))):
            behind[place] = draw(st.sampled_from(["", ":0.25"]))
        line += f" |{space}" + "".join(draw(gaps) + a + b for a, b in zip(names, behind, strict=True))
    return line + draw(st.sampled_from(["", "", " ", "\r"]))


def read(line: str, format: str) -> CoreReading:
    """What every instruction set makes of the line."""
    before, made = _core.instruction_set(), []
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            made.append(read_pieces([line.encode() + b"\n"], repeat(1 << 20), format, n=N))
    finally:
        _core.use_instruction_set(before)
    assert all(one == made[0] for one in made)
    return made[0]


def row_of(made: CoreReading) -> tuple[tuple[int, bytes], ...]:
    assert not made.bad
    (row,) = made.rows
    return tuple(zip(row[0], (row[1][8 * k : 8 * k + 8] for k in range(len(row[0]))), strict=True))


@tried(150)
@given(indexed(odd))
@example("1 " + " ".join(f"{i}:0.5" for i in range(1, 2000)))  # more than is looked at in one go
@example("1 " + " ".join(f"{i}:1" for i in range(1, 2000)) + " ")
@example("1 " + " ".join(f"{i}:1" for i in range(10, 0, -1)))
@example("1 " + " ".join(f"{i}:1" for i in (1, 2, 3, 4, 5, 6, 7, 9, 8, 10)))
@example("1 " + " ".join(f"{i}:{i % 3}" for i in range(1, 30)))
@example("1 " + "0" * 4200 + "1:1 2:1")
def test_indices_and_values(line: str) -> None:
    oracle = svmlight_line(line.rstrip("\r").encode(), N)
    assert oracle is not None
    assert row_of(read(line, "svmlight")) == oracle.row


@tried(150)
@given(named(odd))
@example("1 |a " + " ".join(f"x{i}" for i in range(2000)))
@example("1 |a " + " ".join(f"x{i}:0.5" for i in range(2000)) + " |b y")
@example("1 |a " + " ".join(["x"] * 30))
@example("1 |a " + " ".join(f"{'x' * k}" for k in range(1, 40)))
@example("1 |a " + "x" * 5000 + " y" * 20)
def test_names_and_values(line: str) -> None:
    text = line.rstrip("\r").encode()
    oracle, made = vowpal_line(text, N), read(line, "vw")
    assert oracle is not None
    assert row_of(made) == oracle.row
    assert made.rows[0][5] == [name for name, _ in vowpal_names(text)]


@tried(150)
@given(st.one_of(st.tuples(indexed(wrong), st.just("svmlight")), st.tuples(named(wrong), st.just("vw"))))
@example(("1 1:1 2 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1", "svmlight"))
@example(("1 12 1:5 7:1 8:1 9:1 10:1 11:1 12:1 13:1", "svmlight"))
@example((f"1 1:1 {N + 1}:1 " + " ".join(f"{i}:1" for i in range(N + 2, N + 12)), "svmlight"))
@example(("1 " + " ".join(f"{i}:1" for i in (0, 1, 2, 3, 4, 5, 6, 7, 8)), "svmlight"))
@example(("1 " + " ".join(f"{i}:1" for i in (1, 2, 3, 4, 5, 6, 7, 8, 8)), "svmlight"))
@example(("1 " + "1" * 5000 + ":1", "svmlight"))
@example(("1 |a " + " ".join(f"x{i}:1" for i in range(8)) + "\x7f", "vw"))
@example(("1 |a " + " ".join(f"x{i}" for i in range(8)) + "\x00 y", "vw"))
def test_what_cannot_be_read_is_told_alike(given: tuple[str, str]) -> None:
    assert len(read(*given).bad) <= 1
