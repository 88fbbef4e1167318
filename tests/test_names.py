"""The hash of names, the slots it gives, and the names that share one."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.oracles import everything
from tests.strategies import names_of_slots, portable_value
from thresher._core import hash64, slot_of

#: st.text() leaves out lone surrogates, which UTF-8 cannot write.
names = st.one_of(st.text(), st.text(min_size=30, max_size=120), st.text("aé漢🙂", max_size=80))
seeds = st.integers(0, 2**64 - 1)


@given(names, seeds)
def test_the_hash_is_xxh64_of_the_utf8_bytes(name: str, seed: int) -> None:
    assert hash64(name, seed) == xxhash.xxh64_intdigest(name.encode(), seed)
    assert hash64(name) == xxhash.xxh64_intdigest(name.encode())


def test_the_hash_is_xxh64_at_every_length() -> None:
    for length in range(200):
        name = "".join(chr(33 + (7 * k + length) % 90) for k in range(length))
        assert hash64(name, length) == xxhash.xxh64_intdigest(name.encode(), length)


def test_the_hash_has_its_published_values() -> None:
    assert hash64("") == 0xEF46DB3751D8E999
    assert hash64("abc") == 0x44BC2CF5AD770999


@given(names, st.integers(1, 2**64 - 1), seeds)
def test_a_slot_is_the_high_half_of_hash_times_n(name: str, n: int, seed: int) -> None:
    assert slot_of(name, n, seed) % 2**64 == hash64(name, seed) * n >> 64


@given(names, st.integers(1, 2**48), seeds)
def test_slots_lie_below_n(name: str, n: int, seed: int) -> None:
    assert 0 <= slot_of(name, n, seed) < n


@pytest.mark.parametrize("n", [2, 10, 64, 97, 1000])
def test_slots_are_spread_evenly(n: int) -> None:
    each = 400
    counts = np.bincount([slot_of(f"word {k}", n) for k in range(each * n)], minlength=n)
    chi_squared = float(((counts - each) ** 2).sum()) / each
    assert len(counts) == n
    assert abs(chi_squared - (n - 1)) < 5 * math.sqrt(2 * (n - 1))  # five standard deviations


def test_a_name_falls_into_its_slot() -> None:
    learner = th.Perceptron(1000)
    learner.learn({"size=large": 3.0}, -1)
    assert np.flatnonzero(learner.weights).tolist() == [slot_of("size=large", 1000)]


def test_no_slot_can_be_given_among_none() -> None:
    with pytest.raises(th.ParameterError, match="n is 0"):
        slot_of("a", 0)


@pytest.mark.parametrize("call", [hash64, lambda name: slot_of(name, 5)])
def test_a_lone_surrogate_has_no_hash(call: Callable[[str], int]) -> None:
    with pytest.raises(th.ExampleError, match="not valid Unicode") as caught:
        call("a\ud800")
    assert caught.value.column == "a\ud800"


# ---- names that share a slot --------------------------------------------------------------------------------------


@given(st.data(), st.lists(portable_value, min_size=12, max_size=12))
def test_the_order_of_colliding_names_does_not_matter(data: st.DataObject, sizes: list[float]) -> None:
    names = [name for slot in names_of_slots(3, each=4) for name in slot]
    features = list(zip(names, sizes, strict=True))
    again = data.draw(st.permutations(features))
    one, other = th.Perceptron(3, tie="mistake"), th.Perceptron(3, tie="mistake")
    one.learn(dict(features), 1)
    other.learn(dict(again), 1)
    assert everything(one) == everything(other)
    assert one.collisions == 9


def test_three_names_in_one_slot_of_very_different_sizes_are_added_smallest_first() -> None:
    a, b, c, d = names_of_slots(3, each=4)[1]
    for example in (
        {a: 1e16, b: 1.0, c: -1e16, d: 1.0},
        {d: 1.0, c: -1e16, b: 1.0, a: 1e16},
        {b: 1.0, a: 1e16, d: 1.0, c: -1e16},
    ):
        learner = th.Perceptron(3, tie="mistake")
        learner.learn(example, 1)
        assert learner.weights.tolist() == [0.0, ((-1e16 + 1.0) + 1.0) + 1e16, 0.0]


@given(st.data(), st.sets(st.text(), max_size=60))
def test_the_order_of_sets_does_not_matter(data: st.DataObject, names: set[str]) -> None:
    one, other = th.Perceptron(5), th.Perceptron(5)
    one.learn(set(data.draw(st.permutations(sorted(names)))), -1)
    other.learn(dict.fromkeys(sorted(names, reverse=True), 1.0), -1)
    assert everything(one) == everything(other)


def learn_names() -> str:
    """A digest of what is learned from sets of names, whose order Python's hash seed decides."""
    learner = th.Perceptron(50, normalize=True, bias=0.3)
    for t in range(40):
        learner.learn({f"{t}:{k}" for k in range(t)}, 1 if t % 3 else -1, 0.1 + t)
    return hashlib.sha256(repr(everything(learner)).encode()).hexdigest()


def test_processes_with_other_hash_seeds_learn_the_same() -> None:
    digests = {learn_names()}
    for seed in ("0", "1", "4321"):
        code = "from tests.test_names import learn_names; print(learn_names())"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        digests.add(subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).strip())
    assert len(digests) == 1
