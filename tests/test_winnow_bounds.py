"""Winnow's theorems as values: golden numbers, exact fractions, their order, and streams that never exceed them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher import bounds

BOUNDS = GOLDEN["bounds"]
factors = st.one_of(st.sampled_from([1.25, 1.5, 2.0, 3.0, 4.0]), st.floats(1.01, 5.0))
thresholds = st.one_of(st.sampled_from([1.0, 2.0, 3.375, 8.0, 2.25, 64.0]), st.floats(1.0, 1e4))
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 50).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


def winnow(
    stream: Iterable[tuple[set[int], bool]], n: int, theta: float, alpha: float, strict: bool = False, least: float = 0.0
) -> list[tuple[set[int], bool]]:
    """The rounds on which Winnow errs, in exact fractions; no weight falls below `least`."""
    w = [Fraction(1)] * n
    mistakes = []
    for x, y in stream:
        score = sum(w[i] for i in x)
        if (score > theta if strict else score >= theta) != y:
            mistakes.append((x, y))
            for i in x:
                w[i] = w[i] * Fraction(alpha) if y else max(w[i] / Fraction(alpha), Fraction(least))
    return mistakes


@pytest.mark.parametrize("case", BOUNDS["winnow"])
def test_disjunction_golden(case: dict[str, Any]) -> None:
    rule: dict[str, Any] = {"threshold": case["theta"], "factor": float(Fraction(case["factor"])), "strict": case["strict"]}
    assert bounds.most_promotions(**rule) == case["k"]
    assert bounds.winnow_disjunction(case["r"], n=case["n"], **rule).at_most == case["sharp_max"]
    assert bounds.winnow_simple(case["r"], n=case["n"], **rule).value == math.ceil(case["simple_lt"]) - 1


@pytest.mark.parametrize("case", GOLDEN["winnow_game_value"])
def test_no_stream_exceeds_the_sharp_bound_the_worst_of_all_included(case: dict[str, Any]) -> None:
    bound = bounds.winnow_disjunction(case["r"], n=case["n"], strict=case["strict"])
    assert bound.at_most == case["sharp_bound"] >= case["exact_worst_case"]


@pytest.mark.parametrize("case", BOUNDS["winnow_N0"])
def test_textbook_golden(case: dict[str, Any]) -> None:
    assert bounds.winnow_textbook(case["r"], n=case["n"]).value == pytest.approx(case["value"], rel=1e-12)


@pytest.mark.parametrize("case", BOUNDS["winnow2"])
def test_threshold_golden(case: dict[str, Any]) -> None:
    target: dict[str, Any] = {"norm": case["mu1"], "delta": case["delta"], "n": case["n"], "threshold": case["theta"]}
    golden = pytest.approx(case["value_lt"], rel=1e-12)
    assert bounds.winnow_threshold_tuned(**target, errors=case["A"]).value == golden
    assert bounds.winnow_threshold(**target, errors=case["A"], factor=1 + case["delta"] / 2).value == golden
    if case["simple"] is not None:
        assert bounds.winnow_threshold_simple(**target).value == pytest.approx(case["simple"], rel=1e-12)


@given(thresholds, factors, st.booleans())
def test_promotions_are_counted_as_by_repeated_multiplication(threshold: float, factor: float, strict: bool) -> None:
    k, weight = 0, Fraction(1)
    while weight <= threshold if strict else weight < threshold:
        k, weight = k + 1, weight * Fraction(factor)
    assert bounds.most_promotions(threshold, factor, strict) == k


@pytest.mark.parametrize("factor", [1.5, 2.0, 3.0, 1 + 2.0**-10])
@pytest.mark.parametrize("m", [0, 1, 2, 5])
def test_promotions_at_an_exact_power_and_beside_it(factor: float, m: int) -> None:
    power = factor**m  # exact: it has few digits
    assert Fraction(power) == Fraction(factor) ** m
    above = math.nextafter(power, math.inf)
    assert bounds.most_promotions(power, factor) == m
    assert bounds.most_promotions(power, factor, strict=True) == m + 1
    assert bounds.most_promotions(above, factor) == bounds.most_promotions(above, factor, strict=True) == m + 1


@pytest.mark.parametrize("factor", [1 + 1e-6, 1 + 2.0**-52])
def test_factors_next_to_one_cost_no_time(factor: float) -> None:
    k = bounds.most_promotions(2**20, factor)
    assert k == pytest.approx(20 * math.log(2) / math.log1p(factor - 1), rel=1e-12, abs=1)
    sharp = bounds.winnow_disjunction(3, n=2**20, factor=factor).value
    assert 6 * k * 0.9 < sharp <= bounds.winnow_simple(3, n=2**20, factor=factor).value


def test_a_threshold_beyond_the_floats_is_kept_exactly() -> None:
    assert bounds.most_promotions(2**60 + 1, 2.0) == 61
    assert bounds.winnow_simple(1, n=2**60 + 1).value == bounds.winnow_simple(1, n=2**61).value == 1 + 3 * 61


@given(sizes, thresholds, factors, st.booleans(), st.floats(0.0, 0.9))
def test_sharp_is_never_above_simple(size: tuple[int, int], theta: float, factor: float, strict: bool, floor: float) -> None:
    n, r = size
    rule: dict[str, Any] = {"n": n, "threshold": theta, "factor": factor, "strict": strict, "floor": floor}
    simple = bounds.winnow_simple(r, **rule)
    assert bounds.winnow_disjunction(r, **rule).value <= simple.value
    assert bounds.winnow_cover(r, **rule).value == simple.value
    assert bounds.winnow_agnostic(r, errors=0.0, **rule).value == simple.value


@given(sizes, st.booleans())
def test_simple_is_never_above_the_textbook(size: tuple[int, int], strict: bool) -> None:
    n, r = size
    assert bounds.winnow_simple(r, n=n, strict=strict).at_most <= bounds.winnow_textbook(r, n=n).at_most


@given(st.integers(2, 10**6), st.booleans(), st.data())
def test_the_sharp_form_implies_that_of_lecture_notes_without_the_one_in_front_of_the_logarithm(
    n: int, strict: bool, data: st.DataObject
) -> None:
    r = data.draw(st.integers(1, n - 1))
    assert bounds.winnow_disjunction(r, n=n, strict=strict).at_most < 2 - r + 3 * r * math.log2(n) + 1e-6 * r


@given(sizes, thresholds, factors, st.booleans(), st.floats(0.0, 0.4), st.floats(0.0, 0.4))
def test_more_relevant_attributes_or_a_higher_floor_never_lower_a_bound(
    size: tuple[int, int], theta: float, factor: float, strict: bool, a: float, b: float
) -> None:
    n, r = size
    rule: dict[str, Any] = {"n": n, "threshold": theta, "factor": factor, "strict": strict}
    low, high = sorted((a, b))
    for make in (bounds.winnow_disjunction, bounds.winnow_simple):
        assert make(r, **rule, floor=low).value <= make(r, **rule, floor=high).value
    if r > 0:
        assert bounds.winnow_simple(r - 1, **rule).value <= bounds.winnow_simple(r, **rule).value
    assert bounds.winnow_cover(low, **rule).value <= bounds.winnow_cover(high, **rule).value
    assert bounds.winnow_agnostic(r, errors=low, **rule).value <= bounds.winnow_agnostic(r, errors=high, **rule).value


def test_the_edges() -> None:
    assert bounds.winnow_disjunction(0, n=1).at_most == 1  # x = {0} with label 0, once
    assert bounds.winnow_disjunction(1, n=1).at_most == 0  # θ = 1: right from the start
    assert bounds.winnow_disjunction(1, n=1, strict=True).at_most == 1
    assert bounds.winnow_disjunction(5, n=5).at_most == 15
    assert bounds.winnow_disjunction(0, n=1000).at_most == 1
    assert bounds.winnow_cover(0.0, n=8).at_most == 1
    assert math.isinf(bounds.winnow_cover(math.inf, n=8).value)
    assert math.isinf(bounds.winnow_agnostic(1, errors=math.inf, n=8).value)
    assert math.isinf(bounds.winnow_threshold(math.inf, delta=1.0, n=8, factor=2.0).value)
    assert math.isinf(bounds.winnow_entropy(math.inf, entropy=0.0, delta=1.0, n=8).value)
    assert math.isinf(bounds.winnow_entropy(1.0, entropy=0.0, delta=1.0, n=8, errors=math.inf).value)


def test_values_are_the_largest_whole_number_below_the_fraction() -> None:
    """αn/((α − 1)θ) = 5·7/(2·3·2): at r = 0 nothing else is left."""
    assert bounds.winnow_simple(0, n=7, threshold=3.0, factor=2.5).value == math.ceil(Fraction(5, 3) * Fraction(7, 3)) - 1 == 3
    assert bounds.winnow_simple(0, n=6, threshold=3.0, factor=2.0).value == 3  # M < 4


@given(seeds, st.integers(1, 8), factors, st.booleans(), st.sampled_from([0.0, 0.02, 0.1]))
def test_no_stream_of_a_disjunction_exceeds_its_bounds(seed: int, n: int, factor: float, strict: bool, least: float) -> None:
    chance = random.Random(seed)
    theta = chance.choice([1.0, n / 2, float(n)]) if n > 1 else 1.0
    relevant = {i for i in range(n) if chance.random() < 0.3}
    xs = [{i for i in range(n) if chance.random() < 0.4} for _ in range(200)]
    count = len(winnow(((x, bool(x & relevant)) for x in xs), n, theta, factor, strict, least))
    rule: dict[str, Any] = {"n": n, "threshold": theta, "factor": factor, "strict": strict, "floor": n * least}
    assert bounds.winnow_disjunction(len(relevant), **rule).allows(count)
    assert bounds.winnow_cover(len(relevant), **rule).allows(count)


@given(seeds, st.integers(1, 8), factors, st.booleans(), st.sampled_from([0.0, 0.02, 0.1]))
def test_no_stream_with_wrong_labels_exceeds_the_agnostic_bound(
    seed: int, n: int, factor: float, strict: bool, least: float
) -> None:
    chance = random.Random(seed)
    xs = [{i for i in range(n) if chance.random() < 0.5} for _ in range(150)]
    relevant = {i for i in range(n) if chance.random() < 0.3}
    stream = [(x, bool(x & relevant) != (chance.random() < 0.1)) for x in xs]
    mistakes = winnow(stream, n, n, factor, strict, least)
    errors = sum((not x & relevant) if y else len(x & relevant) for x, y in mistakes)
    rule: dict[str, Any] = {"n": n, "factor": factor, "strict": strict, "floor": n * least}
    assert bounds.winnow_agnostic(len(relevant), errors=errors, **rule).allows(len(mistakes))


@given(seeds, st.integers(2, 8), st.booleans(), st.sampled_from([0.0, 1e-3]))
def test_no_stream_of_a_threshold_exceeds_its_bounds(seed: int, n: int, strict: bool, least: float) -> None:
    chance = random.Random(seed)
    k = chance.randint(1, n)
    r = chance.randint(1, k)
    wrong = chance.choice([0.0, 0.05])
    xs = [{i for i in range(n) if chance.random() < 0.6} for _ in range(200)]
    stream = [(x, (len(x & set(range(k))) >= r) != (chance.random() < wrong)) for x in xs]
    mistakes = winnow(stream, n, n, 1 + 1 / (2 * r), strict, least)
    shares = [(len(x & set(range(k))) / r, y) for x, y in mistakes]
    errors = sum(max(0.0, 1 - s) if y else max(0.0, s - (1 - 1 / r)) for s, y in shares)
    target: dict[str, Any] = {"norm": k / r, "delta": 1 / r, "n": n, "errors": errors}
    assert bounds.winnow_threshold_tuned(**target, floor=n * least).allows(len(mistakes))
    if least == 0.0:
        entropy = k / r * math.log(1 / r)
        assert bounds.winnow_entropy(**target, entropy=entropy, factor=1 + 1 / (2 * r)).allows(len(mistakes))
        assert bounds.winnow_r_of_k(r, k, n=n).allows(len(mistakes)) or wrong


@given(st.floats(0.0, 100.0), st.floats(0.01, 1.0), st.integers(1, 1000), st.floats(1.0, 1000.0))
def test_tuned_simple_and_littlestones_in_this_order(norm: float, delta: float, n: int, threshold: float) -> None:
    target: dict[str, Any] = {"norm": norm, "delta": delta, "n": n, "threshold": threshold}
    tuned, simple = bounds.winnow_threshold_tuned(**target).value, bounds.winnow_threshold_simple(**target).value
    assert tuned <= simple * (1 + 1e-12)
    assert simple <= bounds.winnow_littlestone(**target).value * (1 + 1e-12)
    floored = bounds.winnow_threshold_tuned(**target, floor=0.1).value
    assert tuned <= floored
    assert tuned <= bounds.winnow_threshold_tuned(**target, errors=1.0).value


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 100))
def test_r_of_k_is_the_simple_form_in_its_own_scale(r: int, more: int, others: int) -> None:
    k = r + more - 1
    scaled = bounds.winnow_threshold_simple(k / r, delta=1 / r, n=k + others).value
    assert bounds.winnow_r_of_k(r, k, n=k + others).value == pytest.approx(scaled, rel=1e-9)


def test_a_floor_too_high_for_the_factor_leaves_no_bound() -> None:
    assert math.isinf(bounds.winnow_threshold(1.0, delta=0.5, n=8, factor=1.5, floor=3.0).value)
    assert math.isfinite(bounds.winnow_threshold(1.0, delta=0.5, n=8, factor=1.5, floor=1.0).value)


@given(st.floats(0.05, 1.0), st.integers(1, 100), st.floats(0.1, 200.0), st.floats(0.0, 20.0), st.data())
def test_the_entropy_form_is_the_least_over_c(delta: float, n: int, theta: float, errors: float, data: st.DataObject) -> None:
    mu = data.draw(st.lists(st.floats(0.01, 3.0), min_size=1, max_size=n))
    factor = data.draw(st.floats(1.01, 4.0))
    entropy = sum(m * math.log(m) for m in mu)
    target: dict[str, Any] = {"norm": sum(mu), "entropy": entropy, "delta": delta, "n": n, "errors": errors, "threshold": theta}
    value = bounds.winnow_entropy(**target, factor=factor).value
    eta = math.log(factor)
    start, end = (factor - 1) * theta / eta, (1 - 1 / factor) * theta / (eta * (1 - delta)) if delta < 1 else 1e3 * theta
    for share in (0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        c = start + share * (end - start)
        room = min(c * eta - (factor - 1) * theta, (1 - 1 / factor) * theta - c * eta * (1 - delta))
        if room > 1e-9 * theta:
            sums = sum(c * m * math.log(c * m) - c * m + 1 for m in mu) + n - len(mu)
            assert value <= (sums + eta * c * errors) / room * (1 + 1e-6) + 1e-9
    assert value <= bounds.winnow_entropy(**target, factor=factor, rounding=1e-3).value * (1 + 1e-9) + 1e-9
    if end <= start * (1 - 1e-9):
        assert math.isinf(value)


@given(seeds, st.integers(1, 6))
def test_no_stream_of_fractions_exceeds_the_entropy_form(seed: int, n: int) -> None:
    chance = random.Random(seed)
    mu, delta, eta = [chance.choice([0.0, 0.5, 2.0]) for _ in range(n)], 0.5, math.log(1.25)
    w, count = [1.0] * n, 0
    for _ in range(300):
        x = [chance.random() for _ in range(n)]
        value = sum(m * v for m, v in zip(mu, x, strict=True))
        if 1 - delta < value < 1:
            continue
        y = value >= 1
        if (sum(a * v for a, v in zip(w, x, strict=True)) >= n) != y:
            count += 1
            w = [a * math.exp(eta * v if y else -eta * v) for a, v in zip(w, x, strict=True)]
    entropy = sum(m * math.log(m) for m in mu if m)
    assert bounds.winnow_entropy(sum(mu), entropy=entropy, delta=delta, n=n, factor=1.25, rounding=1e-9).allows(count)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.most_promotions(0.5, 2.0),
        lambda: bounds.most_promotions(math.nan, 2.0),
        lambda: bounds.most_promotions(8.0, 1.0),
        lambda: bounds.most_promotions(8.0, math.inf),
        lambda: bounds.winnow_disjunction(9, n=8),
        lambda: bounds.winnow_disjunction(-1, n=8),
        lambda: bounds.winnow_disjunction(1, n=0),
        lambda: bounds.winnow_disjunction(1, n=8, threshold=0.0),
        lambda: bounds.winnow_simple(1, n=8, factor=0.5),
        lambda: bounds.winnow_simple(1, n=8, floor=8.0),
        lambda: bounds.winnow_simple(1, n=8, floor=-1.0),
        lambda: bounds.winnow_cover(-1.0, n=8),
        lambda: bounds.winnow_cover(math.nan, n=8),
        lambda: bounds.winnow_agnostic(1, errors=-1.0, n=8),
        lambda: bounds.winnow_agnostic(9, errors=0.0, n=8),
        lambda: bounds.winnow_textbook(9, n=8),
        lambda: bounds.winnow_threshold(1.0, delta=0.5, n=8, factor=2.0),
        lambda: bounds.winnow_threshold(1.0, delta=0.5, n=8, factor=1.0),
        lambda: bounds.winnow_threshold(1.0, delta=0.0, n=8, factor=1.5),
        lambda: bounds.winnow_threshold_tuned(1.0, delta=1.5, n=8),
        lambda: bounds.winnow_threshold_simple(1.0, delta=math.nan, n=8),
        lambda: bounds.winnow_r_of_k(3, 2, n=8),
        lambda: bounds.winnow_r_of_k(3, 9, n=8),
        lambda: bounds.winnow_r_of_k(0, 2, n=8),
        lambda: bounds.winnow_entropy(1.0, entropy=-3.0, delta=1.0, n=8),
        lambda: bounds.winnow_entropy(1.0, entropy=math.nan, delta=1.0, n=8),
        lambda: bounds.winnow_entropy(1.0, entropy=0.0, delta=1.0, n=8, threshold=0.0),
        lambda: bounds.winnow_entropy(1.0, entropy=0.0, delta=1.0, n=8, rounding=-1.0),
        lambda: bounds.winnow_littlestone(-1.0, delta=0.5, n=8),
    ],
)
def test_numbers_a_theorem_cannot_have_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(th.ParameterError, match=r"found \w+ = .*, expected a number "):
        make()
