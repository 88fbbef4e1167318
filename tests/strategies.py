"""Hypothesis strategies: numbers, examples in every form a user may hold them, labels in every spelling, streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from numpy.typing import NDArray

from thresher._core import slot_of

__all__ = ["Stream", "Variant", "examples", "forms", "labels", "names_of_slots", "streams", "values", "variants"]

#: The largest value an example may hold.
LARGEST = 2.0**250

#: Anything an example may hold: zeros of both signs, denormal numbers, the largest.
any_value = st.floats(-LARGEST, LARGEST, allow_nan=False, allow_infinity=False)

#: Numbers of very different sizes that float32 holds exactly, so that every form can hold them.
portable_value = st.one_of(
    st.just(0.0),
    st.just(1.0),
    st.integers(-100, 100).map(float),
    st.floats(-1e6, 1e6, width=32, allow_nan=False),
    st.sampled_from([2.0**100, -(2.0**100), 2.0**-100, -(2.0**-40), -0.0]),
)

#: The spellings of a label; the two streams of spellings do not mix, as 0 and −1 may not.
PLUS: list[Any] = [1, True, 1.0, np.int8(1), np.True_, np.float32(1), np.uint64(1), np.float16(1)]
MINUS: list[Any] = [-1, -1.0, np.int8(-1), np.int64(-1), np.float32(-1), np.longdouble(-1)]
ZERO: list[Any] = [0, False, 0.0, -0.0, np.uint8(0), np.False_, np.float64(0), np.int16(0)]


class Variant(NamedTuple):
    """The parameters of a Perceptron."""

    normalize: bool
    bias: float | None
    tie: str

    def keywords(self) -> dict[str, Any]:
        return self._asdict()


class Stream(NamedTuple):
    """Rows, their labels (−1 or +1) and their weights."""

    rows: NDArray[np.float64]
    labels: list[int]
    weights: list[float]


variants = st.builds(
    Variant, st.booleans(), st.sampled_from([None, 1.0, -0.3, 1e-200, 1e70]), st.sampled_from(["plus", "minus", "mistake"])
)
example_weights = st.one_of(st.just(1.0), st.just(0.0), st.floats(0, 2.0**150), st.floats(0.01, 100))


@cache
def values(n: int, value: st.SearchStrategy[float] = portable_value) -> st.SearchStrategy[list[float]]:
    """One example as n numbers; about two thirds of them sparse or binary."""
    some = st.integers(0, 2**n - 1)  # which of them: a bit each
    dense = st.tuples(*[value] * n).map(list)
    sparse = st.tuples(some, dense).map(lambda drawn: [x if drawn[0] >> i & 1 else 0.0 for i, x in enumerate(drawn[1])])
    binary = some.map(lambda ones: [float(ones >> i & 1) for i in range(n)])
    return st.one_of(dense, sparse, binary)


@cache
def streams(n: int, value: st.SearchStrategy[float] = portable_value, zeros: bool = True) -> st.SearchStrategy[Stream]:
    """A stream; without `zeros`, no row of it is a zero vector."""
    row = values(n, value) if zeros else values(n, value).filter(any)
    label = st.sampled_from([-1, 1])
    plain = st.lists(st.tuples(row, label, st.just(1.0)), max_size=12)
    weighed = st.lists(st.tuples(row, label, example_weights), max_size=12)
    return st.one_of(plain, weighed).map(lambda drawn: _stream(n, drawn))


def _stream(n: int, drawn: list[tuple[list[float], int, float]]) -> Stream:
    rows = np.array([row for row, _, _ in drawn], dtype=np.float64).reshape(-1, n)
    return Stream(rows, [label for _, label, _ in drawn], [weight for _, _, weight in drawn])


@st.composite
def labels(draw: st.DrawFn, size: int) -> tuple[list[int], list[Any]]:
    """Labels as −1 or +1, and the same as users spell them."""
    minus = draw(st.sampled_from([MINUS, ZERO]))
    signs = draw(st.lists(st.sampled_from([-1, 1]), min_size=size, max_size=size))
    return signs, [draw(st.sampled_from(PLUS if sign > 0 else minus)) for sign in signs]


@cache
def names_of_slots(n: int, each: int = 1) -> list[list[str]]:
    """For every slot, `each` names that fall into it."""
    found: list[list[str]] = [[] for _ in range(n)]
    for number in count():
        slot = found[slot_of(f"word {number}", n)]
        if len(slot) < each:
            slot.append(f"word {number}")
        if all(len(names) == each for names in found):
            return found
    raise AssertionError("count() never ends")


def forms(row: list[float]) -> Iterator[tuple[str, object]]:
    """The example in every form that can hold it, each with its name."""
    n, dense = len(row), np.array(row)
    names = [slot[0] for slot in names_of_slots(n)]
    active = {slot: value for slot, value in enumerate(row) if value != 0.0}
    yield "list", row
    yield "tuple", tuple(row)
    yield "float64 array", dense
    yield "float64 array, strided", np.repeat(dense, 2)[::2]
    yield "float64 array, reversed", dense[::-1].copy()[::-1]
    yield "float64 array, big-endian", dense.astype(">f8")
    yield "longdouble array", dense.astype(np.longdouble)
    if (dense.astype(np.float32) == dense).all():
        yield "float32 array", dense.astype(np.float32)
        yield "float32 CSR row", sp.csr_array(dense.astype(np.float32).reshape(1, n))
    if (np.abs(dense) < 2**53).all() and (dense == np.round(dense)).all():
        yield "int64 array", dense.astype(np.int64)
        yield "list of ints", [int(value) for value in row]
        if (np.abs(dense) < 128).all():
            yield "int8 array", dense.astype(np.int8)
            yield "float16 array", dense.astype(np.float16)
    yield "dict by index, zeros too", dict(enumerate(row))
    yield "dict by index, backwards", {slot: active[slot] for slot in reversed(active)}
    yield "dict by NumPy index", {np.int32(slot): np.float64(value) for slot, value in active.items()}
    yield "dict by name", {names[slot]: value for slot, value in active.items()}
    yield "dict by name or index", {names[slot] if slot % 2 else slot: value for slot, value in active.items()}
    yield "mapping", MappingProxyType(active)
    if set(active.values()) <= {1.0}:
        yield "set of indices", set(active)
        yield "frozen set of names", frozenset(names[slot] for slot in active)
        yield "set of names and indices", {names[slot] if slot % 2 else slot for slot in active}
        yield "keys of a dict", active.keys()
        yield "bool array", dense.astype(bool)
    yield from sparse_forms(dense, active)


def sparse_forms(dense: NDArray[np.float64], active: Mapping[int, float]) -> Iterator[tuple[str, object]]:
    n, row = len(dense), dense.reshape(1, -1)
    yield "csr_matrix", sp.csr_matrix(row)
    yield "csr_array", sp.csr_array(row)
    yield "csc_matrix", sp.csc_matrix(row)
    yield "csc_array", sp.csc_array(row)
    yield "coo_matrix", sp.coo_matrix(row)
    yield "coo_array", sp.coo_array(row)
    yield "lil_array", sp.lil_array(row)
    yield "bsr_array", sp.bsr_array(row)
    yield "1-D coo_array", sp.coo_array(dense)
    backwards = np.array(sorted(active, reverse=True), dtype=np.int64)
    ends = np.array([0, len(backwards)])
    yield "CSR row, unsorted, int64", sp.csr_array((dense[backwards], backwards, ends), shape=(1, n))
    stored = np.arange(n, dtype=np.int32)
    yield "CSR row, zeros stored, int32", sp.csr_array((dense, stored, np.array([0, n], dtype=np.int32)), shape=(1, n))


@st.composite
def examples(draw: st.DrawFn, n: int) -> tuple[list[float], str, object]:
    """An example as n numbers, and the same in one of its forms, with that form's name."""
    row = draw(values(n))
    name, form = draw(st.sampled_from(list(forms(row))))
    return row, name, form
