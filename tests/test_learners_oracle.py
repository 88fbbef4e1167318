"""Every learner against its definition: in exact fractions where examples are binary, near ties too."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.learners import N
from tests.oracles import columns
from tests.strategies import streams
from thresher.linear import (
    LinearLearner,
    averaged_perceptron,
    balanced_winnow,
    elimination,
    literal_winnow,
    margin_perceptron,
    p_norm_perceptron,
    passive_aggressive,
    perceptron,
    winnow,
)

Binary = list[tuple[list[int], int]]

SMALL = [Fraction(2), Fraction(3, 2), Fraction(5, 4), Fraction(3), Fraction(33, 32)]
FACTORS = [*SMALL, Fraction(1.1), Fraction(1000)]
NEAR = 1e-9

attributes = st.integers(1, 6)


@st.composite
def binary_rows(draw: st.DrawFn, n: int, most: int = 40) -> list[tuple[list[int], bool]]:
    """Binary examples, the empty and the full one often among them; each is to be labelled against the learner or with it."""
    row = st.one_of(st.lists(st.integers(0, 1), min_size=n, max_size=n), st.sampled_from([[0] * n, [1] * n]))
    contrary = st.sampled_from([True, True, True, False])
    return draw(st.lists(st.tuples(row, contrary), max_size=most))


def told(learner: LinearLearner, rows: Sequence[tuple[Sequence[Any], bool]]) -> list[tuple[Any, int]]:
    """The rows with labels, most of which the learner gets wrong: streams on which it moves a lot."""
    again, stream = copy.copy(learner), []
    for x, contrary in rows:
        y = again.predict(x).label * (-1 if contrary else 1)
        again.learn(x, y)
        stream.append((x, y))
    return stream


def thresholds(factor: Fraction, n: int) -> st.SearchStrategy[Fraction]:
    """Thresholds that weights meet exactly, for they are sums of powers of the factor; and others."""
    hit = [Fraction(n), Fraction(1), factor, factor + 1, factor**2, 2 * factor + Fraction(1, 2)]
    return st.sampled_from([theta for theta in hit if Fraction(float(theta)) == theta])


# ---- Winnow -------------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.data(), attributes, st.sampled_from(FACTORS), st.booleans())
def test_winnow_is_its_definition_in_fractions(data: st.DataObject, n: int, factor: Fraction, strict: bool) -> None:
    theta = data.draw(thresholds(factor, n))
    learner = th.Winnow(n, threshold=float(theta), factor=float(factor), strict=strict)
    stream = told(learner, data.draw(binary_rows(n)))
    for (x, y), (score, prediction, w) in zip(stream, winnow.definition(n, stream, theta, factor, strict), strict=True):
        played = learner.learn(x, y)
        assert played.prediction.label == prediction
        assert played.mistake == (prediction != y)
        assert played.changed == (played.mistake and any(x))
        assert played.prediction.score == pytest.approx(float(score), rel=1e-12)
        assert [factor ** int(e) for e in learner.state()[1]["exponents"]] == w
        assert learner.weights.tolist() == [float(v) for v in w]


@given(st.data(), attributes, st.booleans())
def test_winnow_is_its_definition_on_fractional_examples(data: st.DataObject, n: int, strict: bool) -> None:
    value = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0]))
    rows = data.draw(st.lists(st.tuples(st.lists(value, min_size=n, max_size=n), st.booleans()), max_size=30))
    learner = th.Winnow(n, factor=1.5, strict=strict)
    stream = told(learner, rows)
    for (x, y), (score, prediction, w) in zip(stream, winnow.definition(n, stream, n, 1.5, strict), strict=True):
        played = learner.learn(x, y)
        assert played.prediction.score == pytest.approx(float(score), rel=NEAR, abs=1e-300)
        if abs(float(score) - n) < NEAR:  # floats cannot tell what the definition would say
            return
        assert played.prediction.label == prediction
        assert learner.weights.tolist() == pytest.approx([float(v) for v in w], rel=NEAR)


def test_an_example_without_attributes_is_negative_for_ever() -> None:
    learner = th.Winnow(3, threshold=1)
    for _ in range(5):
        played = learner.learn({}, +1)
        assert (played.prediction.label, played.mistake, played.changed) == (-1, True, False)
    assert learner.weights.tolist() == [1.0, 1.0, 1.0]


# ---- Winnow, near the threshold -----------------------------------------------------------------------------------


def brought(exponents: Sequence[int], factor: float, threshold: float, strict: bool = False) -> th.Winnow:
    """A Winnow whose first weights have these exponents: a lever, the last slot, is promoted so that they can be demoted."""
    learner = th.Winnow(len(exponents) + 1, threshold=threshold, factor=factor, strict=strict)
    lever = len(exponents)
    for depth in range(-min(*exponents, 0)):
        while learner.predict({lever}).label == -1:
            learner.learn({lever}, +1)
        assert learner.learn({lever, *(i for i, e in enumerate(exponents) if -e > depth)}, -1).demotion
    for i, exponent in enumerate(exponents):
        for _ in range(exponent):
            assert learner.learn({i}, +1).promotion
    assert learner.state()[1]["exponents"][:-1].tolist() == list(exponents)
    return learner


def check_decided(exponents: Sequence[int], factor: Fraction, threshold: Fraction) -> None:
    """Asserts that the sum of these powers is compared with the threshold as fractions compare, on every way to a score."""
    exact = sum((factor**e for e in exponents), Fraction(0))
    order = (exact > threshold) - (exact < threshold)
    for strict in (False, True):
        learner = brought(exponents, float(factor), float(threshold), strict)
        expected = +1 if order > 0 or (order == 0 and not strict) else -1
        row = np.array([[1.0] * len(exponents) + [0.0]])
        shuffled = np.random.default_rng(len(exponents)).permutation(len(exponents))
        said = learner.predict(set(range(len(exponents))))
        assert said == learner.predict(row[0]) == learner.predict({int(i): 1 for i in shuffled})
        assert said.label == expected
        assert (said.score > float(threshold)) - (said.score < float(threshold)) == order
        for predictor in (learner, learner.hypothesis()):
            for X in (row, row.astype(np.float32), sp.csr_array(row)):
                assert predictor.predict_many(X).tolist() == [expected]
                assert predictor.score_many(X).tolist() == [said.score]
        assert learner.learn(row[0], -expected).mistake


HALVES = [1 - k for k in range(71)]  # 2 + 1 + 1/2 + … + 2^−69


@pytest.mark.parametrize(
    "exponents",
    [HALVES, [*HALVES, -69], [*HALVES, -69, -69], [*HALVES, -70, -71], [*HALVES, -70, -70, -190], [*HALVES, -69, -200]],
    ids=["below", "equal", "above", "still below", "above by 2^-190", "above by 2^-200"],
)
def test_sums_next_to_the_threshold_are_compared_exactly(exponents: list[int]) -> None:
    assert sum(2.0**e for e in exponents) == 4.0  # which is what doubles see
    check_decided(exponents, Fraction(2), Fraction(4))


@st.composite
def sums_that_hit(draw: st.DrawFn, factor: Fraction) -> list[int]:
    """Exponents whose powers add up to the factor's denominator: with a = p/q, q times a^e is p times a^(e−1)."""
    p, q = factor.numerator, factor.denominator
    exponents = [0] * q
    for _ in range(draw(st.integers(1, 60 // p + 2))):
        splittable = sorted(e for e in set(exponents) if exponents.count(e) >= q)
        at = draw(st.sampled_from(splittable))
        for _ in range(q):
            exponents.remove(at)
        exponents += [at - 1] * p
    return exponents


@settings(max_examples=60)
@given(st.data(), st.sampled_from(SMALL), st.sampled_from(["equal", "below", "above"]), st.integers(1, 40))
def test_sums_that_hit_the_threshold_or_miss_it_by_little(data: st.DataObject, factor: Fraction, how: str, deeper: int) -> None:
    exponents = data.draw(sums_that_hit(factor))
    p, q = factor.numerator, factor.denominator
    bottom = min(exponents)
    for _ in range(deeper if how == "below" and q < 10 else 0):  # goes on splitting at the bottom, and drops the last part
        if exponents.count(bottom) < q:
            break
        for _ in range(q):
            exponents.remove(bottom)
        bottom -= 1
        exponents += [bottom] * p
    if how == "below":
        exponents.remove(bottom)
    if how == "above":
        exponents.append(bottom - deeper)
    check_decided(exponents, factor, Fraction(q))


def test_factor_three_halves_is_decided_beyond_the_precision_of_doubles() -> None:
    exponents, at = [-1, -1, -1], -1  # 2, split again and again: two of a^e are three of a^(e−1)
    while at > -200:
        exponents = [*exponents[:-2], at - 1, at - 1, at - 1]
        at -= 1
    for changed in (exponents, exponents[:-1], [*exponents, -341], [*exponents[:-1], -201]):
        assert sum(1.5**e for e in changed) == pytest.approx(2.0, rel=1e-13)
        check_decided(changed, Fraction(3, 2), Fraction(2))


# ---- LiteralWinnow ------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.data(), attributes, st.sampled_from(FACTORS), st.booleans())
def test_literal_winnow_is_winnow_on_attributes_and_negations(
    data: st.DataObject, n: int, factor: Fraction, strict: bool
) -> None:
    theta = data.draw(st.one_of(thresholds(factor, n), st.just(Fraction(2 * n))))
    learner = th.LiteralWinnow(n, threshold=float(theta), factor=float(factor), strict=strict)
    stream = told(learner, data.draw(binary_rows(n)))
    for (x, y), (score, prediction, w) in zip(stream, literal_winnow.definition(n, stream, theta, factor, strict), strict=True):
        played = learner.learn(x, y)
        assert abs(Fraction(played.prediction.score) - Fraction(score)) <= Fraction(learner.doubt)
        if played.prediction.label != prediction:  # the kept sum decides within what it may be off by
            assert factor != 2
            assert abs(Fraction(score) - theta) <= Fraction(learner.doubt)
            return
        assert played.changed == played.mistake
        assert [*learner.weights, *learner.negated_weights] == pytest.approx([float(v) for v in w], rel=1e-12)
    assert learner.doubt < 1e-9 * float(theta + 2 * n)


@given(st.data(), attributes, st.sampled_from([1.5, 2.0, 3.0]))
def test_literal_winnow_is_its_definition_on_fractional_examples(data: st.DataObject, n: int, factor: float) -> None:
    value = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0]))
    rows = data.draw(st.lists(st.tuples(st.lists(value, min_size=n, max_size=n), st.booleans()), max_size=30))
    learner = th.LiteralWinnow(n, factor=factor)
    stream = told(learner, rows)
    for (x, y), (score, prediction, w) in zip(stream, literal_winnow.definition(n, stream, factor=factor), strict=True):
        played = learner.learn(x, y)
        assert played.prediction.score == pytest.approx(float(score), rel=NEAR)
        if abs(float(score) - 2 * n) < NEAR:
            return
        assert played.prediction.label == prediction
        assert [*learner.weights, *learner.negated_weights] == pytest.approx([float(v) for v in w], rel=NEAR)


def attributes_first(literal: tuple[int, int]) -> tuple[int, int]:
    return (-literal[1], literal[0])


# ---- Elimination --------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.data(), attributes, st.booleans())
def test_elimination_is_its_definition(data: st.DataObject, n: int, monotone: bool) -> None:
    learner = th.Elimination(n, monotone=monotone)
    stream: Binary = told(learner, data.draw(binary_rows(n)))
    refuted_at = None
    before = {(i, value) for i in range(n) for value in ((1,) if monotone else (0, 1))}
    for t, ((x, y), (true, prediction, left)) in enumerate(
        zip(stream, elimination.definition(n, stream, monotone), strict=True), start=1
    ):
        played = learner.learn(x, y)
        assert (played.prediction.score, played.prediction.label) == (true, prediction)
        assert played.changed == (left != before)
        if (prediction, y) == (-1, +1) and refuted_at is None:
            refuted_at = t
        own, negated = learner.left
        found = {(int(i), 1) for i in np.flatnonzero(own)} | {(int(i), 0) for i in np.flatnonzero(negated)}
        assert found == left
        assert learner.literals == [f"{'' if value else 'not '}x{i}" for i, value in sorted(left, key=attributes_first)]
        assert learner.refuted_at == refuted_at
        before = left


def test_a_refutation_stays_the_first_and_changes_nothing() -> None:
    learner = th.Elimination(2, monotone=True)
    learner.learn([1, 1], -1)
    for _ in range(3):
        played = learner.learn([1, 0], +1)
        assert (played.mistake, played.changed) == (True, False)
    assert (learner.refuted_at, learner.literals, learner.mistakes, learner.updates) == (2, [], 4, 1)


# ---- in floats ----------------------------------------------------------------------------------------------------


Definition = Callable[[Any], Any]


def check_within(learner: LinearLearner, stream: Sequence[tuple[list[float], int]], definition: Definition) -> None:
    """Asserts that scores and labels are the definition's, as long as none is within its rounding of 0."""
    for (x, y), (score, prediction, _) in zip(stream, definition(stream), strict=True):
        said = learner.predict(x)
        assert said.score == pytest.approx(score, rel=NEAR, abs=NEAR)
        if score != 0 and abs(score) < NEAR:
            return
        assert said.label == prediction
        learner.learn(x, y)


def float_rows(n: int, value: st.SearchStrategy[float]) -> st.SearchStrategy[list[tuple[list[float], bool]]]:
    row = st.lists(value, min_size=n, max_size=n).filter(lambda x: any(abs(v) > 1e-3 for v in x))
    return st.lists(st.tuples(row, st.booleans()), max_size=30)


@settings(max_examples=100)
@given(st.data(), attributes, st.sampled_from([0.01, 0.1, 1.0, 5.0]), st.sampled_from([None, 1.0, -0.3]))
def test_balanced_winnow_is_its_definition(data: st.DataObject, n: int, eta: float, bias: float | None) -> None:
    value = st.one_of(st.floats(-1.0, 1.0), st.sampled_from([-1.0, 0.0, 1.0]))
    learner = th.BalancedWinnow(n, eta=eta, bias=bias)
    stream = told(learner, data.draw(float_rows(n, value)))
    check_within(copy.copy(learner), stream, lambda stream: balanced_winnow.definition(n, stream, eta, bias))


@settings(max_examples=100)
@given(st.data(), attributes, st.sampled_from([(0.5, 0.5), (0.1, 0.9), (1.0, 0.25)]), st.sampled_from([None, 1.0, -0.3]))
def test_margin_perceptron_is_its_definition(
    data: st.DataObject, n: int, hoped: tuple[float, float], bias: float | None
) -> None:
    margin, epsilon = hoped
    learner = th.MarginPerceptron(n, margin, epsilon=epsilon, bias=bias)
    stream = told(learner, data.draw(float_rows(n, st.floats(-8, 8).map(lambda v: round(v, 2)))))
    length = 0.0
    for (x, y), (score, prediction, w) in zip(
        stream, margin_perceptron.definition(n, stream, margin, epsilon, bias), strict=True
    ):
        if length and (abs(y * score - (1 - epsilon) * margin * length) < NEAR or abs(score) < NEAR):
            return
        played = learner.learn(x, y)
        assert played.prediction.score == pytest.approx(score, rel=NEAR, abs=NEAR)
        assert played.prediction.label == prediction
        assert [*learner.weights, learner.bias_weight][: len(w)] == pytest.approx(w, rel=NEAR, abs=NEAR)
        length = float(np.linalg.norm(w))
        if length < 1e-6:
            return


# ---- averaged, passive-aggressive, p-norm -------------------------------------------------------------------------


whole_rows = st.lists(st.tuples(st.lists(st.integers(-3, 3), min_size=3, max_size=3), st.booleans()), max_size=40)


@settings(max_examples=100)
@given(whole_rows, st.sampled_from([None, 1, -2]), st.sampled_from(["plus", "minus", "mistake"]))
def test_the_averaged_perceptron_is_its_definition_in_fractions(
    rows: list[tuple[list[int], bool]], bias: int | None, tie: str
) -> None:
    learner = th.AveragedPerceptron(3, bias=bias, tie=tie)
    stream = told(learner, rows) if tie != "mistake" else [(x, 1 if up else -1) for x, up in rows]
    exact: Any = [([Fraction(v) for v in x], y) for x, y in stream]
    kept = None if bias is None else Fraction(bias)
    said: Any = averaged_perceptron.definition(3, exact, bias=kept, tie=perceptron.TIES[tie])
    inside = perceptron.definition(3, exact, bias=kept, tie=perceptron.TIES[tie])
    for (x, y), (score, prediction, w), (_, own, weights) in zip(stream, said, inside, strict=True):
        played = learner.learn(x, y)
        assert w == weights
        assert played.prediction.score == pytest.approx(float(score), rel=NEAR, abs=NEAR)
        assert played.prediction.label == prediction  # ties too: division by t is exact where it can be
        assert played.changed == (own != y and (any(x) or bias is not None))
        assert learner.last_weights.tolist() == [float(v) for v in w[:3]]
        assert learner.predict(x).score == pytest.approx(
            float(learner.weights @ np.array(x)) + learner.bias_weight * (bias or 0), rel=NEAR, abs=NEAR
        )


@settings(max_examples=60)
@given(st.data(), st.sampled_from([None, 1.0, -0.3]))
def test_the_normalized_averaged_perceptron_is_its_definition(data: st.DataObject, bias: float | None) -> None:
    learner = th.AveragedPerceptron(3, normalize=True, bias=bias)
    stream = told(learner, data.draw(float_rows(3, st.floats(-8, 8).map(lambda v: round(v, 2)))))
    inside: Any = perceptron.definition(3, stream, normalize=True, bias=bias)
    if not any(abs(score) < NEAR for t, (score, _, _) in enumerate(inside) if t):  # rounding decides what it learns from
        check_within(learner, stream, lambda stream: averaged_perceptron.definition(3, stream, True, bias))


@settings(max_examples=100)
@given(whole_rows, st.sampled_from([None, 1, -2]), st.sampled_from([1.0, 0.0625, 2.0**60]))
def test_the_passive_aggressive_learner_is_its_definition(
    rows: list[tuple[list[int], bool]], bias: int | None, C: float
) -> None:
    learner = th.PassiveAggressive(3, C=C, bias=bias)
    stream = told(learner, rows)
    exact: Any = [([Fraction(v) for v in x], y) for x, y in stream]
    kept = None if bias is None else Fraction(bias)
    said: Any = passive_aggressive.definition(3, exact, Fraction(C), kept)
    for (x, y), (score, prediction, w) in zip(stream, said, strict=True):
        played = learner.learn(x, y)
        assert played.prediction.score == pytest.approx(float(score), rel=NEAR, abs=NEAR)
        if 0 < abs(score) < NEAR or (score == 0 and played.prediction.score != 0):  # rounding decides
            return
        assert played.prediction.label == prediction
        if abs(1 - y * score) > NEAR:
            assert played.changed == (y * score < 1 and (any(x) or bias is not None))
        assert [*learner.weights, learner.bias_weight][: len(w)] == pytest.approx([float(v) for v in w], rel=NEAR, abs=NEAR)


def test_a_step_is_as_far_as_the_example_asks_for_or_c() -> None:
    learner = th.PassiveAggressive(2, C=0.1)
    learner.learn([3.0, 4.0], +1)  # ‖x‖² = 25 asks for 1/25
    assert learner.predict([3.0, 4.0]).score == pytest.approx(1.0)
    learner.learn([0.1, 0.0], -1)  # asks for 112
    assert learner.weights.tolist() == pytest.approx([0.12 - 0.01, 0.16])
    again = th.PassiveAggressive(2, C=0.1)
    again.learn([3.0, 4.0], +1, 2.0)
    assert again.weights.tolist() == pytest.approx([0.24, 0.32])
    for tiny in (1e-160, 1e-300, 5e-324):  # its squared norm is not a number that a division would survive
        again = th.PassiveAggressive(2)
        again.learn([tiny, 0.0], -1)
        assert again.weights.tolist() == [-tiny, 0.0]


@settings(max_examples=100)
@given(st.data(), attributes, st.sampled_from([2.0, 2.5, 3.0, 7.25, 12.0]), st.sampled_from([None, 1.0, -0.3]))
def test_the_p_norm_perceptron_is_its_definition(data: st.DataObject, n: int, p: float, bias: float | None) -> None:
    learner = th.PNormPerceptron(n, p=p, bias=bias)
    stream = told(learner, data.draw(float_rows(n, st.floats(-8, 8).map(lambda v: round(v, 2)))))
    check_within(copy.copy(learner), stream, lambda stream: p_norm_perceptron.definition(n, stream, p, bias))
    learner.learn_many([x for x, _ in stream] or np.zeros((0, n)), [y for _, y in stream])
    for x in np.eye(n):
        own = float(learner.weights @ x) + learner.bias_weight * (bias or 0.0)
        assert learner.predict(x).score == pytest.approx(own, rel=NEAR, abs=NEAR)


@given(st.data(), st.sampled_from([None, 1.0, -0.3]))
def test_with_p_2_it_is_the_perceptron_bit_for_bit(data: st.DataObject, bias: float | None) -> None:
    stream = data.draw(streams(N))
    one, other = th.PNormPerceptron(N, p=2, bias=bias), th.Perceptron(N, bias=bias)
    rounds = one.learn_many(stream.rows, stream.labels, stream.weights)
    assert columns(rounds) == columns(other.learn_many(stream.rows, stream.labels, stream.weights))
    assert one.theta.tobytes() == other.weights.tobytes()


@pytest.mark.parametrize("p", [2.0, 7.5, 100.0])
@pytest.mark.parametrize("size", [5e-324, 1e-310, 2.0**-1000, 2.0**-300, 2.0**250])
def test_the_smallest_and_the_largest_values_leave_numbers(p: float, size: float) -> None:
    learner = th.PNormPerceptron(2, p=p)
    for x, y in (([size, 0.0], -1), ([0.0, size], -1), ([size, size], +1), ([-size, size], -1)) * 5:
        learner.learn(x, y, 2.0**150 if size > 1 else 1.0)
        assert np.isfinite(learner.score_many([[1.0, 1.0], [1.0, -1.0], [size, size]])).all()
        assert np.isfinite(learner.weights).all()
    assert th.PNormPerceptron.from_state(*learner.state()).theta.tolist() == learner.theta.tolist()


def test_a_step_that_no_mistake_asked_for_is_a_margin_mistake() -> None:
    learner = th.PassiveAggressive(1, C=0.25)
    rounds = [learner.learn([1.0], y) for y in (+1, +1, -1, +1)]
    assert [(played.mistake, played.margin_mistake) for played in rounds] == [
        (False, True), (False, True), (True, False), (False, True),
    ]  # fmt: skip
    learner = th.PassiveAggressive(1)
    assert [learner.learn([1.0], +1).margin_mistake for _ in range(2)] == [True, False]
