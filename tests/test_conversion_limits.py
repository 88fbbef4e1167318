"""Conversions at their limits: shares that floats cannot hold, rounds by whose count, samples that do not match."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.plain_classes import PlainHalving
from thresher.classes import Thresholds
from thresher.compose import online_to_batch

TINY, NEARLY_ONE = Fraction(1, 10**400), 1 - Fraction(1, 10**40)
SAMPLE = [([1.0], 1), ([-1.0], -1)] * 50


# ------------------------------------------------------------------------------------------------ shares


def test_a_delta_below_all_floats_is_still_a_chance() -> None:
    averaged = online_to_batch(th.Perceptron(1), SAMPLE, delta=TINY)
    assert 0 < averaged.delta < 1e-300
    for certificate in (averaged.average, averaged.vote):
        assert certificate.claim == "risk ≤ 1 with probability at least 0.999999"
        assert "never errs" not in certificate.lines()["Says"]
        assert certificate.lines()["Not said"] == "anything about examples from another distribution"


@pytest.mark.parametrize("delta", [0.05, 1 / 3, Fraction(1, 3), Fraction(2, 3), 1 - 2.0**-53, 1 - Fraction(1, 10**15)])
def test_an_average_claims_no_more_than_what_is_proven(delta: Any) -> None:
    averaged = online_to_batch(th.Perceptron(1), SAMPLE, delta=delta)
    assert Fraction(averaged.delta) >= Fraction(delta)
    found = re.fullmatch(r"risk ≤ (\S+) with probability at least (\S+)", averaged.average.claim)
    assert found is not None
    assert 0 <= Fraction(found[2]) <= 1 - Fraction(str(delta))  # a float stands for the decimal that it was given as


def test_the_average_risk_counts_a_delta_that_floats_would_take_for_one() -> None:
    assert th.bounds.online_to_batch(0, 100, NEARLY_ONE).value >= math.sqrt(1e-40 / 200)


@pytest.mark.parametrize("name", ["epsilon", "delta"])
def test_a_share_that_floats_cannot_tell_from_one_is_refused_before_anything_is_played(name: str) -> None:
    def never() -> Iterator[tuple[Any, int]]:
        raise AssertionError("an example was taken")
        yield

    message = f"found {name} = Fraction.*, expected a number so far below 1 that float64 can tell"
    shares: dict[str, Any] = {"epsilon": 0.1, "delta": 0.1, name: NEARLY_ONE}
    with pytest.raises(th.ParameterError, match=message):
        th.pac(th.Winnow(2), never(), mistakes=3, **shares)
    if name == "delta":
        with pytest.raises(th.ParameterError, match=message):
            online_to_batch(th.Winnow(2), never(), delta=NEARLY_ONE)


def test_a_mistake_bound_too_long_to_print() -> None:
    most = 10**5000
    learned = th.pac(th.Perceptron(1), [([1.0], 1)] * 30_000, mistakes=most, epsilon=0.9, delta=0.1)
    assert learned.most_mistakes == most
    assert re.search(r"of at most more than 2\^16609 mistakes", repr(learned))
    assert "M = more than 2^16609" in learned.certificate.lines()["Checked"]
    with pytest.raises(th.ParameterError, match=r"found a sample of 1 examples, expected more: more than 2\^\d+ more"):
        th.pac(th.Perceptron(1), [([1.0], 1)], mistakes=most, epsilon=0.9, delta=0.1)


# ------------------------------------------------------------------------------------------------ rounds


def first_errors() -> list[tuple[Callable[[], Any], Any]]:
    """Learners that are right on x twice, and that nothing fits when x has another label."""
    return [
        (lambda: PlainHalving([(+1, +1)] * 2), 0),
        (lambda: th.WeightedMajority(2, beta=0), [1, 1]),
        (lambda: th.Halving([[1, 1]]), 0),
    ]


@pytest.mark.parametrize(("make", "x"), first_errors())
def test_what_nothing_fits_is_named_by_the_round_of_the_stream(make: Callable[[], Any], x: Any) -> None:
    lazy = th.Conservative(make())
    lazy.learn(x, +1)
    lazy.learn(x, +1)
    with pytest.raises(th.NotRealizable, match=r"^round 3: (?!round)"):
        lazy.learn(x, -1)
    assert (lazy.rounds, lazy.mistakes) == (2, 0)
    with pytest.raises(th.NotRealizable, match=r"^round 4: (?!round)") as caught:
        lazy.learn_many([x, x, x], [+1, -1, +1])
    assert caught.value.row == 1
    assert caught.value.rounds is not None
    assert (len(caught.value.rounds), caught.value.rounds[0].t) == (1, 3)
    assert lazy.rounds == 3
    for played in (make(), lazy):
        with pytest.raises(th.NotRealizable, match=r"^round 2 of the sample: (?!round)"):
            th.pac(played, [(x, +1), (x, -1)], mistakes=4, epsilon=0.1, delta=0.1)
    with pytest.raises(th.NotRealizable, match=r"^round 2 of the sample: (?!round)"):
        online_to_batch(th.Conservative(make()), [(x, +1), (x, -1)], delta=0.1)


# ------------------------------------------------------------------------------------------------ samples


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [(1, 2, "row 1: found a label without an example"), (2, 1, "row 1: found an example without a label")],
)
def test_iterators_of_unequal_length(rows: int, labels: int, message: str) -> None:
    for convert in (
        lambda sample: th.pac(th.Perceptron(1), sample, mistakes=5, epsilon=0.1, delta=0.1),
        lambda sample: online_to_batch(th.Perceptron(1), sample, delta=0.1),
    ):
        with pytest.raises(th.LabelError, match=message) as caught:
            convert((iter([[1.0]] * rows), iter([1] * labels)))
        assert caught.value.row == 1


def test_an_error_of_the_samples_own_is_left_alone() -> None:
    def broken() -> Iterator[list[float]]:
        yield [1.0]
        raise ValueError("the disk is full")

    with pytest.raises(ValueError, match=r"^the disk is full$"):
        online_to_batch(th.Perceptron(1), (broken(), iter([1, 1])), delta=0.1)


# ------------------------------------------------------------------------------------------------ what to verify


@pytest.mark.parametrize("make", [lambda: th.RandomizedMajority(3, seed=1), lambda: th.Halving(Thresholds(range(9)))])
def test_the_line_to_verify_is_true_with_coins_and_for_learners_that_have_learned(make: Callable[[], Any]) -> None:
    learner = make()
    rng = np.random.default_rng(0)
    if isinstance(learner, th.Halving):
        learner.learn(6, 1)
        sample: list[tuple[Any, int]] = [(float(x), 2 * int(x >= 3) - 1) for x in rng.integers(0, 9, 60)]
    else:
        sample = [(advice, 1) for advice in rng.integers(0, 2, (60, 3)).tolist()]
    averaged = online_to_batch(learner, sample, delta=0.1)
    ends = np.cumsum(averaged.tried)
    erred = sum(
        averaged.hypotheses[int(np.searchsorted(ends, row, side="right"))].predict(x).label != y
        for row, (x, y) in enumerate(sample)
    )
    assert erred == averaged.mistakes > 0
    for certificate in (averaged.average, averaged.vote):
        assert f"on these 60 they err {erred} times" in certificate.verify
        assert "fresh" not in certificate.verify
