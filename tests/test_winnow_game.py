"""The game of Winnow and the worst sequence: its exact value, attained and never exceeded."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from tests.test_adversaries import both, says, winnows
from thresher.adversaries import game_value, worst_sequence

VALUES = [(row["n"], row["r"], row["strict"], row["exact_worst_case"]) for row in GOLDEN["winnow_game_value"]]
VALUES += [(8, 2, False, 14), (8, 2, True, 16)]


@winnows
@pytest.mark.parametrize(("n", "r", "strict", "value"), VALUES)
def test_the_worst_sequence_attains_the_golden_value(Winnow: Any, n: int, r: int, strict: bool, value: int) -> None:
    sequence = worst_sequence(n, r, strict=strict)
    learner = Winnow(n, strict=strict)
    assert all(learner.learn(x, y).mistake for x, y in sequence)
    assert learner.mistakes == len(sequence) == game_value(n, r, strict=strict) == value
    assert all(says(range(r), x) == y for x, y in sequence)
    assert th.bounds.winnow_disjunction(r, n=n, strict=strict).allows(value)


def every_way(n: int, r: int, strict: bool) -> int:
    """The game value with nothing left out: every example of every position, in exact fractions."""

    @cache
    def value(w: tuple[Fraction, ...]) -> int:
        best = 0
        for x in product((0, 1), repeat=n):
            score, y = sum(wi for wi, v in zip(w, x, strict=True) if v), says(range(r), x)
            if y != (+1 if score > n or (score == n and not strict) else -1):
                best = max(best, 1 + value(tuple(wi * Fraction(2) ** (y * v) for wi, v in zip(w, x, strict=True))))
        return best

    return value((Fraction(1),) * n)


@both
@pytest.mark.parametrize(("n", "r"), [(n, r) for n in (1, 2, 3, 4) for r in range(n + 1)])
def test_the_moves_left_out_are_not_missed(n: int, r: int, strict: bool) -> None:
    assert game_value(n, r, strict=strict) == every_way(n, r, strict)


@winnows
@given(st.data(), st.integers(0, 5), st.booleans())
def test_no_stream_is_worse_than_the_worst(Winnow: Any, data: st.DataObject, r: int, strict: bool) -> None:
    stream = data.draw(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0])] * 5), max_size=60))
    learner = Winnow(5, strict=strict)
    for x in stream:
        learner.learn(x, says(range(r), x))
    assert learner.mistakes <= game_value(5, r, strict=strict)
