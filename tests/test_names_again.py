"""Rows of names that are read one after the other: the core knows the last names again, and must never take others for them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.oracles import everything
from tests.strategies import any_value, names_of_slots
from thresher._core import one_block, slot_of

N = 2**18

#: Names of which some are equal and yet different objects.
POOL = [f"name {k}" for k in range(6)] + [f"name {k}" for k in range(3)]


def read(x: object, n: int = N) -> tuple[dict[int, str], int]:
    """The row that the core makes of an example, with its collisions."""
    block = one_block(x, n)
    return {slot: value.hex() for slot, value in block[0].items()}, block.collisions


def plain(x: dict[str, Any], n: int = N) -> tuple[dict[int, str], int]:
    """The same from the definition: what shares a slot is added, the smaller value first; zeros are left out."""
    slots: dict[int, list[float]] = {}
    for name, value in x.items():
        slots.setdefault(slot_of(name, n), []).append(float(value))
    sums = {slot: reduce(add, sorted(values)) for slot, values in sorted(slots.items())}
    return {slot: value.hex() for slot, value in sums.items() if value != 0.0}, len(x) - len(slots)


def forget() -> None:
    """Has the core read something without names."""
    one_block([1.0], 1)


small = any_value.map(lambda value: value / 64)  # a few of them can be added
rows = st.lists(
    st.tuples(st.sampled_from(POOL), st.one_of(small, st.integers(-3, 3), st.booleans(), st.sampled_from([0.0, -0.0]))),
    max_size=9,
).map(dict)


@given(st.lists(rows, min_size=1, max_size=4), st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1, 2, 7, N, 2**40]))))
def test_whatever_was_read_before_a_row_is_the_same(some: list[dict[str, Any]], reads: list[tuple[int, int]]) -> None:
    for which, n in reads:
        x = some[which % len(some)]
        assert read(x, n) == plain(x, n)


@given(rows, st.data())
def test_the_same_names_with_other_values(x: dict[str, Any], data: st.DataObject) -> None:
    read(x)
    for name in x:
        x[name] = data.draw(small)
    assert read(x) == plain(x)
    assert list(read(x)[0]) == sorted(read(x)[0])


def replaced(x: dict[str, float]) -> None:
    x["b"] = -7.0


def removed(x: dict[str, float]) -> None:
    del x["b"]


def added(x: dict[str, float]) -> None:
    x["d"] = 4.0


def turned(x: dict[str, float]) -> None:
    x["a"] = x.pop("a")


def exchanged(x: dict[str, float]) -> None:
    del x["c"]
    x["e"] = 3.0


def swapped(x: dict[str, float]) -> None:
    x["a"], x["b"] = x["b"], x["a"]


def emptied(x: dict[str, float]) -> None:
    x.clear()


def nought(x: dict[str, float]) -> None:
    x["a"] = 0.0


def equal(x: dict[str, float]) -> None:
    x["a"] = math.sqrt(x["a"] ** 2)


CHANGES = [replaced, removed, added, turned, exchanged, swapped, emptied, nought, equal]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_changed_after_predict_is_what_is_learned(change: Callable[[dict[str, float]], None]) -> None:
    x = {"a": 1.0, "b": 2.0, "c": 3.0}
    learner, other = th.Perceptron(N), th.Perceptron(N)
    learner.predict(x)
    change(x)
    learner.learn(x, -1)
    forget()
    other.learn(x, -1)
    assert everything(learner) == everything(other)
    assert read(x) == plain(x)


def test_names_at_the_address_of_others_are_read_anew() -> None:
    met: set[int] = set()
    for k in range(200):
        x = {f"{k:04d}": 1.0, f"{k:05d}": 2.0}
        met.update(map(id, x))
        assert read(x) == plain(x)
        del x
        assert read({}) == ({}, 0)
    assert len(met) < 400  # addresses did come again


def test_the_same_row_for_learners_of_different_sizes() -> None:
    x = {"a": 1.0, "b": 2.0, "c": 3.0}
    for n in (1, 2, 3, N, 2**40, 3, N):
        assert read(x, n) == plain(x, n)


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 127, 128, 129, 300])
def test_rows_of_every_size(size: int) -> None:
    x = {f"name {k}": k - 60.5 for k in range(size)}
    for factor in (1, -2, 0.1):
        x = {name: factor * value for name, value in x.items()}
        assert read(x) == plain(x)


def test_names_of_one_slot_are_added_the_smaller_first_each_time() -> None:
    one, two, three = names_of_slots(4, 3)[1]
    for values in ((1e16, 1.0, 1.0), (1.0, 1e16, 1.0), (1.0, 1.0, -1e16)):
        x = dict(zip((one, two, three), values, strict=True))
        assert read(x, 4) == plain(x, 4)
        assert read(x, 4)[1] == 2


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e300, 10**400, "1", None])
def test_a_value_that_is_refused_leaves_nothing_behind(bad: object) -> None:
    x: dict[str, Any] = {"a": 1.0, "b": 2.0}
    read(x)
    x["b"] = bad
    with pytest.raises(th.ExampleError, match="key 'b'"):
        read(x)
    x["b"] = 3.0
    assert read(x) == plain(x)


def test_a_value_that_reads_other_rows_as_it_is_read() -> None:
    class Reading:
        def __float__(self) -> float:
            assert read({"a": 5.0, "b": 6.0}) == plain({"a": 5.0, "b": 6.0})
            return 2.0

    x: dict[str, Any] = {"a": 1.0, "b": 2.0}
    for value in (3.0, Reading(), 4.0):
        x["b"] = value
        assert read(x)[0] == {slot_of(name, N): float(value).hex() for name, value in sorted(x.items(), key=in_order)}


def in_order(item: tuple[str, object]) -> int:
    return slot_of(item[0], N)


def test_names_are_held_until_the_next_row() -> None:
    names = [f"a name of this test {k}" for k in range(3)]
    before = [sys.getrefcount(name) for name in names]
    read(dict.fromkeys(names, 1.0))
    assert [sys.getrefcount(name) for name in names] == [count + 1 for count in before]
    read(dict.fromkeys(names, 2.0))
    assert [sys.getrefcount(name) for name in names] == [count + 1 for count in before]
    forget()
    assert [sys.getrefcount(name) for name in names] == before


class Name(str):
    """A str that may be another tomorrow."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return self is other


def test_names_that_are_not_plain_and_indices_are_not_held() -> None:
    plain_name, other = "a name of this test", Name("another")
    for x in ({plain_name: 1.0, other: 2.0}, {plain_name: 1.0, 3: 2.0}):
        before = sys.getrefcount(plain_name)
        rows = [one_block(x, N)[0] for _ in range(3)]
        assert rows[0] == rows[1] == rows[2]
        assert len(rows[0]) == 2
        assert sys.getrefcount(plain_name) == before
