"""Rules for any values, from AROW to constants: their definitions, what leaves them unchanged, numbers of every size."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.oracles import everything
from thresher.linear import LinearLearner, adagrad, arow, constant, invariant, scaled_winnow

NEAR = 1e-9
Rows = list[tuple[list[float], int]]

attributes = st.integers(1, 6)
biases = st.sampled_from([None, 1.0, -0.3])
rates = st.sampled_from([0.05, 0.3, 1.0, 8.0])
MAKE: dict[str, Callable[..., LinearLearner]] = {
    "AROW": th.AROW,
    "AdaGrad": th.AdaGrad,
    "AdaGrad, hinge": lambda n, **given: th.AdaGrad(n, loss="hinge", **given),
    "Invariant": th.Invariant,
}


@st.composite
def streams(draw: st.DrawFn, n: int) -> Rows:
    value = st.one_of(st.floats(-8, 8).map(lambda v: round(v, 2)), st.sampled_from([0.0, 0.0, 1.0, -1.0]))
    row = st.lists(value, min_size=n, max_size=n)
    return draw(st.lists(st.tuples(row, st.sampled_from([-1, 1])), max_size=30))


def check_definition(learner: LinearLearner, stream: Rows, definition: Callable[[Rows], Any], corner: float = math.nan) -> None:
    """Asserts that scores, labels and weights are the definition's, until a score is too near 0 or a corner of the loss."""
    for (x, y), (score, prediction, w) in zip(stream, definition(stream), strict=True):
        said = learner.predict(x)
        assert said.score == pytest.approx(score, rel=NEAR, abs=NEAR)
        if abs(y * score - corner) < NEAR:
            return
        played = learner.learn(x, y)
        assert played.prediction == said
        if abs(score) > NEAR or said.score == score:  # nearer, its sign is a matter of rounding
            assert said.label == prediction
        assert [*learner.weights, learner.bias_weight][: len(w)] == pytest.approx(w, rel=NEAR, abs=NEAR)


@settings(max_examples=150)
@given(st.data(), attributes, st.sampled_from([0.01, 1.0, 20.0]), biases)
def test_arow_is_its_definition(data: st.DataObject, n: int, r: float, bias: float | None) -> None:
    check_definition(
        th.AROW(n, r=r, bias=bias), data.draw(streams(n)), lambda rows: arow.definition(n, rows, r, bias), corner=1.0
    )


@settings(max_examples=150)
@given(st.data(), attributes, st.sampled_from(["logistic", "hinge"]), rates, biases)
def test_adagrad_is_its_definition(data: st.DataObject, n: int, loss: str, rate: float, bias: float | None) -> None:
    check_definition(
        th.AdaGrad(n, loss=loss, rate=rate, bias=bias),
        data.draw(streams(n)),
        lambda rows: adagrad.definition(n, rows, loss, rate, bias),
        corner=1.0 if loss == "hinge" else math.nan,
    )


@settings(max_examples=150)
@given(st.data(), attributes, rates, biases)
def test_invariant_is_its_definition(data: st.DataObject, n: int, rate: float, bias: float | None) -> None:
    check_definition(
        th.Invariant(n, rate=rate, bias=bias),
        data.draw(streams(n)),
        lambda rows: invariant.definition(n, rows, rate, bias),
        corner=3.0,
    )


@settings(max_examples=150)
@given(st.data(), attributes, st.sampled_from([0.25, 1.0, 4.0]), st.sampled_from([1.1, 2.0, 8.0]), biases)
def test_scaled_winnow_is_its_definition(data: st.DataObject, n: int, times: float, factor: float, bias: float | None) -> None:
    learner, stream = th.ScaledWinnow(n, times=times, factor=factor, bias=bias), data.draw(streams(n))
    definition = scaled_winnow.definition(n, stream, times, factor, bias)
    for (x, y), (score, prediction, w) in zip(stream, definition, strict=True):
        said = learner.predict(x)
        assert said.score == pytest.approx(score, rel=NEAR, abs=NEAR)
        if abs(score) < NEAR:
            return  # which side of the threshold it is on is a matter of rounding
        assert said.label == prediction
        played = learner.learn(x, y)
        assert (played.prediction, played.changed) == (said, prediction != y and (any(x) or bias is not None))
        assert [*learner.weights, *learner.below, learner.bias_weight][: len(w)] == pytest.approx(w, rel=NEAR)


@given(st.data(), attributes, st.sampled_from([-1, 1]))
def test_constants_are_their_definition(data: st.DataObject, n: int, label: int) -> None:
    learner, stream = th.Constant(n, label), data.draw(streams(n))
    check_definition(learner, stream, lambda rows: constant.definition(n, rows, label))
    assert (learner.rounds, learner.updates) == (len(stream), 0)
    assert learner.mistakes == sum(y != label for _, y in stream)


def test_scaled_winnow_on_zeros_and_ones_is_winnow_with_a_threshold_from_the_first_example() -> None:
    random = np.random.default_rng(7)
    X = (random.random((300, 12)) < 0.4).astype(np.float64)
    X[0] = [1.0] * 4 + [0.0] * 8
    y = np.where(X[:, 1] + X[:, 5] > 0, 1, -1)
    one, other = th.ScaledWinnow(12, times=2.0), th.Winnow(12, threshold=8.0)
    assert one.learn_many(X, y).predictions.tolist() == other.learn_many(X, y).predictions.tolist()
    assert one.weights.tolist() == other.weights.tolist()
    assert one.mistakes > 3
    assert (one.below == 1.0).all()


@given(exponent=st.integers(-200, 200), seed=st.integers(0, 5))
@settings(max_examples=30)
def test_one_scale_for_all_values_leaves_no_trace_in_scaled_winnow(exponent: int, seed: int) -> None:
    X, y = rows(seed)
    one, other = (th.ScaledWinnow(12, factor=4.0, bias=1.0) for _ in range(2))
    assert one.learn_many(X, y).scores.tobytes() == other.learn_many(np.ldexp(X, exponent), y).scores.tobytes()
    assert (one.weights.tobytes(), one.below.tobytes()) == (other.weights.tobytes(), other.below.tobytes())


def test_the_other_sign_is_another_attribute_of_scaled_winnow() -> None:
    X, y = rows(8)
    one, other = th.ScaledWinnow(12, bias=1.0), th.ScaledWinnow(12, bias=1.0)
    one.learn_many(X, y)
    other.learn_many(-X, y)
    assert (one.weights.tobytes(), one.below.tobytes()) == (other.below.tobytes(), other.weights.tobytes())
    assert (one.below != 1.0).any()


def test_an_example_that_counts_twice_is_two_powers_of_the_factor_for_scaled_winnow() -> None:
    one, other = th.ScaledWinnow(2, factor=3.0), th.ScaledWinnow(2, factor=9.0)
    one.learn([1, 0], -1, 2.0)
    other.learn([1, 0], -1)
    assert one.weights.tolist() == pytest.approx(other.weights.tolist(), rel=NEAR)
    assert one.learn([1, 1], +1, 0.0).changed is False


def test_arow_moves_as_in_fractions() -> None:
    learner = th.AROW(2, r=2.0)
    w, s = [Fraction(0)] * 2, [Fraction(1)] * 2
    for x, y in [([1, 0], -1), ([2, 1], 1), ([0, 3], -1), ([1, 1], 1), ([1, -2], -1)]:
        score = sum((a * b for a, b in zip(w, x, strict=True)), Fraction(0))
        assert learner.learn(x, y).prediction.score == pytest.approx(float(score), rel=1e-14)
        if y * score < 1:
            b = 1 / (sum((v * a * a for v, a in zip(s, x, strict=True)), Fraction(2)))
            w = [u + b * (1 - y * score) * y * v * a for u, v, a in zip(w, s, x, strict=True)]
            s = [v - b * v * v * a * a for v, a in zip(s, x, strict=True)]
        assert learner.weights.tolist() == pytest.approx([float(u) for u in w], rel=1e-14)
        assert learner.variances.tolist() == pytest.approx([float(v) for v in s], rel=1e-14)


# ---- what leaves a learner unchanged ------------------------------------------------------------------------------


def rows(seed: int, size: int = 300, n: int = 12) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows of very different attributes, with labels that a few of them tell, and some noise."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((size, n)) * (random.random((size, n)) < 0.5)
    return X, np.where(X[:, 0] - 2 * X[:, 1] + 0.3 * random.standard_normal(size) > 0, 1, -1)


@given(exponents=st.lists(st.integers(-200, 200), min_size=12, max_size=12), seed=st.integers(0, 5))
@settings(max_examples=30)
def test_the_scales_of_attributes_leave_no_trace_in_invariant(exponents: list[int], seed: int) -> None:
    X, y = rows(seed)
    scaled = np.ldexp(X, exponents)
    one, other = th.Invariant(12, bias=1.0), th.Invariant(12, bias=1.0)
    assert one.learn_many(X, y).scores.tobytes() == other.learn_many(scaled, y).scores.tobytes()
    assert np.ldexp(other.weights, exponents).tobytes() == one.weights.tobytes()
    assert one.score_many(2 * X).tobytes() == other.score_many(2 * scaled).tobytes()


def test_what_is_larger_than_anything_met_counts_as_the_largest_met() -> None:
    learner = th.Invariant(12)
    learner.learn_many(*rows(1))
    x = np.zeros(12)
    x[0] = 50.0 * learner.scales[0]
    assert learner.predict(x).score == learner.weights[0] * learner.scales[0]
    before, played = learner.weights[0] * learner.scales[0], learner.learn(x, 1)
    assert played.prediction.score == before
    assert learner.scales[0] == x[0]
    assert learner.weights[0] * x[0] == pytest.approx(before, rel=0.5)


def test_a_weight_is_a_smaller_r_for_arow() -> None:
    X, y = rows(2)
    one, other = th.AROW(12, r=0.25), th.AROW(12, r=1.0)
    assert one.learn_many(X, y).mistakes == other.learn_many(X, y, np.full(len(y), 4.0)).mistakes
    assert one.weights == pytest.approx(other.weights, rel=NEAR)
    assert one.variances == pytest.approx(other.variances, rel=NEAR)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_one_weight_for_all_changes_no_step_of_adagrad(loss: str) -> None:
    X, y = rows(3)
    one, other = th.AdaGrad(12, loss=loss), th.AdaGrad(12, loss=loss)
    one.learn_many(X, y)
    other.learn_many(X, y, np.full(len(y), 2.0**40))
    assert one.weights.tobytes() == other.weights.tobytes()


def test_one_weight_for_all_is_its_root_times_the_rate_for_invariant() -> None:
    X, y = rows(4)
    one, other = th.Invariant(12, rate=0.8, bias=1.0), th.Invariant(12, rate=0.2, bias=1.0)
    one.learn_many(X, y)
    other.learn_many(X, y, np.full(len(y), 16.0))
    assert one.weights == pytest.approx(other.weights, rel=NEAR)


@pytest.mark.parametrize("name", MAKE)
def test_a_weight_of_0_moves_nothing(name: str) -> None:
    learner = MAKE[name](12, bias=1.0)
    learner.learn_many(*rows(5))
    planes = copy.deepcopy(learner.state()[1])
    played = learner.learn(np.ones(12), -1, 0.0)
    assert not played.changed
    assert all(array.tobytes() == planes[key].tobytes() for key, array in learner.state()[1].items())


# ---- steps --------------------------------------------------------------------------------------------------------


def test_arow_never_steps_over_the_margin_it_asks_for() -> None:
    X, y = rows(6)
    learner = th.AROW(12, r=0.001)
    for x, label in zip(X, y, strict=True):
        before = learner.learn(x, label).prediction.score
        after = learner.predict(x).score
        assert label * before <= label * after * (1 + NEAR) + NEAR
        assert label * after <= max(1.0, label * before) + NEAR
    assert (learner.variances <= 1).all()


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_no_step_of_adagrad_is_longer_than_its_rate(loss: str) -> None:
    X, y = rows(7)
    learner = th.AdaGrad(12, loss=loss, rate=0.7)
    for x, label in zip(X, y, strict=True):
        before = learner.weights
        learner.learn(x, label, 3.0)
        assert (np.abs(learner.weights - before) <= 0.7 * (1 + NEAR)).all()


@given(st.floats(-300, 2.9), st.floats(1e-12, 1e12))
@settings(max_examples=200)
def test_the_margin_rises_as_the_definition_says(margin: float, weight: float) -> None:
    """One attribute, whose weight brings it to that margin: the step is then the rise alone."""
    parameters, _ = th.Invariant(1).state()
    heads = {**parameters["heads"], "rounds": 9, "updates": 9, "history": 1, "total": 9.0, "normalizer": 9.0}
    one = {"weights": np.array([margin]), "squares": np.array([2.0]), "scales": np.array([1.0])}
    learner = th.Invariant.from_state({**parameters, "heads": heads}, one)
    pull = 1 / (1 + math.exp(margin))
    reach = 1 / math.sqrt(2.0 + weight * pull**2)
    learner.learn([1.0], 1, weight)
    rise = learner.weights[0] - margin
    expected = invariant.risen(margin, weight * reach)
    assert rise == pytest.approx(expected, rel=1e-7, abs=1e-13 * max(1.0, abs(margin)))


@given(st.floats(-300, 2.9), st.floats(1e-12, 1e12))
@settings(max_examples=200)
def test_the_margin_rises_by_little_more_than_by_infinitely_many_small_steps(margin: float, length: float) -> None:
    """What d + e^(m + d) - e^m = a has for d, by halving."""
    rise = invariant.risen(margin, length)
    low, high = 0.0, length
    for _ in range(100):
        d = (low + high) / 2
        way = d + math.exp(margin) * math.expm1(min(d, 600.0))
        low, high = (d, high) if way < length else (low, d)
    assert low * (1 - NEAR) <= rise <= 1.3 * high * (1 + NEAR)


def test_from_a_margin_of_3_on_invariant_stands_still() -> None:
    parameters, _ = th.Invariant(1).state()
    heads = {**parameters["heads"], "rounds": 9, "updates": 9, "history": 1, "total": 9.0, "normalizer": 9.0}
    one = {"weights": np.array([3.0]), "squares": np.array([2.0]), "scales": np.array([1.0])}
    learner = th.Invariant.from_state({**parameters, "heads": heads}, one)
    assert not learner.learn([1.0], 1).changed
    assert learner.learn([0.99], 1).changed
    assert learner.learn([1.0], -1).changed


# ---- chances ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["AdaGrad", "Invariant"])
def test_chances_are_the_logistic_function_of_scores(name: str) -> None:
    X, y = rows(8)
    learner = MAKE[name](12, bias=1.0)
    rounds = learner.learn_many(X, y)
    expected = 1 / (1 + np.exp(-rounds.scores))
    assert rounds.p_positive == pytest.approx(expected, rel=1e-14)
    for predictor in (learner, learner.hypothesis()):
        chances = predictor.p_positive_many(sp.csr_array(X))
        assert chances == pytest.approx(1 / (1 + np.exp(-learner.score_many(X))), rel=1e-14)
        assert chances.tolist() == [predictor.predict(x).p_positive for x in X]
        assert (predictor.predict_many(X) == np.where(chances >= 0.5, 1, -1)).all()
    assert learner.predict({}).p_positive is not None


def test_chances_of_any_score_are_chances() -> None:
    learner = th.AdaGrad(1)
    scores = np.array([0.0, -0.0, 1e-300, 36.0, -36.0, 700.0, -700.0, 1e300, -1e300])
    chances = learner._chances(scores)
    assert chances is not None
    assert chances[:3].tolist() == [0.5, 0.5, 0.5]
    assert ((chances >= 0) & (chances <= 1)).all()
    assert chances[[5, 6, 7, 8]].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert (chances[::2] + chances[::2][::-1]).shape == (5,)
    assert chances[3] + chances[4] == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("name", ["AROW", "AdaGrad, hinge"])
def test_who_has_no_chances_says_so(name: str) -> None:
    learner = MAKE[name](12)
    assert learner.learn_many(*rows(9)).p_positive is None
    assert learner.predict(np.ones(12)).p_positive is None
    for predictor in (learner, learner.hypothesis()):
        with pytest.raises(th.ParameterError, match=r"found (AROW|AdaGrad)\(.*expected a learner whose scores"):
            predictor.p_positive_many(np.ones((1, 12)))


# ---- numbers of every size ----------------------------------------------------------------------------------------

SIZES = [2.0**250, -(2.0**250), 2.0**100, 1.0, -1.0, 2.0**-100, 2.0**-249, -(2.0**-250), 2.0**-260, 2.0**-600, -5e-324, 0.0]
HEAVY = [2.0**150, 1.0, 2.0**-150, 2.0**-1000, 5e-324]


@pytest.mark.parametrize("parameter", [2.0**-20, 1.0, 2.0**20])
@pytest.mark.parametrize("name", MAKE)
@given(data=st.data())
@settings(max_examples=40)
def test_no_number_is_too_large_or_too_small(name: str, parameter: float, data: st.DataObject) -> None:
    n = 4
    bias = data.draw(st.sampled_from([None, 1.0, 2.0**250, -(2.0**-250), 5e-324]))
    learner = MAKE[name](n, bias=bias, **{"r" if name == "AROW" else "rate": parameter})
    row = st.lists(st.sampled_from(SIZES), min_size=n, max_size=n)
    stream: Sequence[tuple[list[float], bool, float]] = data.draw(
        st.lists(st.tuples(row, st.booleans(), st.sampled_from(HEAVY)), min_size=1, max_size=40)
    )
    for x, contrary, weight in stream:
        label = learner.predict(x).label * (-1 if contrary else 1)
        played = learner.learn(x, label, weight)
        assert math.isfinite(played.prediction.score)
        planes, heads = learner._state()
        assert all(np.isfinite(plane).all() for plane in planes.values())
        assert all(math.isfinite(head) for head in heads.values())
    assert everything(type(learner).from_state(*learner.state())) == everything(learner)


@pytest.mark.parametrize("name", MAKE)
def test_tiny_examples_are_learned(name: str) -> None:
    """At 2^−200 AROW needs a larger weight for it: its r has the size of squares."""
    X, y = rows(10)
    learner = MAKE[name](12)
    weights = np.full(len(y), 2.0**150)
    size = -70 if name == "AROW" else -200
    rounds = learner.learn_many(np.ldexp(X, size), y, weights)
    if name.startswith("AdaGrad"):  # its steps do not know the scale: it takes the direction alone
        assert (learner.weights != 0).all()
    else:
        assert rounds.mistakes < 0.35 * len(y)
