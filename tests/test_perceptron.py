"""The Perceptron against its definition, its golden traces and its variants."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN, fraction, vector
from thresher.linear.perceptron import TIES, definition

SLIDES = ("perceptron_slides_as_printed", "perceptron_slides_corrected")

# Small multiples of 1/8: every sum of them is exact in float64, so the definition in fractions is the whole truth.
eighths = st.integers(-16, 16).map(lambda k: k / 8)


def exact_streams(n: int) -> st.SearchStrategy[list[tuple[list[float], int]]]:
    return st.lists(st.tuples(st.lists(eighths, min_size=n, max_size=n), st.sampled_from([-1, 1])), max_size=30)


@given(exact_streams(5), st.sampled_from([None, 1.0, -1.0, 0.5]), st.sampled_from(sorted(TIES)))
def test_the_core_is_the_definition(stream: list[tuple[list[float], int]], bias: float | None, tie: str) -> None:
    learner = th.Perceptron(5, bias=bias, tie=tie)
    in_fractions = [([Fraction(v) for v in x], y) for x, y in stream]
    exact_bias = None if bias is None else Fraction(bias)
    for (x, y), (score, prediction, w) in zip(stream, definition(5, in_fractions, bias=exact_bias, tie=TIES[tie]), strict=True):
        played = learner.learn(x, y)
        assert Fraction(played.prediction.score) == score
        assert played.prediction.label == prediction
        assert played.mistake == (prediction != y)
        assert [Fraction(v) for v in learner.weights] == w[:5]
        assert bias is None or Fraction(learner.bias_weight) == w[5]


@given(st.lists(st.tuples(st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=4), st.sampled_from([-1, 1]))))
def test_normalising_divides_score_and_step_by_the_norm(stream: list[tuple[list[float], int]]) -> None:
    learner = th.Perceptron(4, normalize=True)  # every norm here is 2, so all is exact
    for (x, y), (score, prediction, w) in zip(stream, definition(4, stream, normalize=True), strict=True):
        played = learner.learn(x, y)
        assert (played.prediction.score, played.prediction.label) == (score, prediction)
        assert learner.weights.tolist() == w


def test_the_dummy_is_appended_before_normalising() -> None:
    learner = th.Perceptron(1, normalize=True, bias=4.0)
    learner.learn([3.0], -1)
    assert learner.weights[0] == pytest.approx(-0.6)
    assert learner.bias_weight == pytest.approx(-0.8)


def test_norms_of_tiny_and_huge_examples_are_right() -> None:
    for size in (5e-324, 1e-310, 1e-200, 1e-160, 1e-80, 1.0, 1e70):
        learner = th.Perceptron(2, normalize=True)
        learner.learn([size, 0.0], -1)
        assert learner.weights.tolist() == [-1.0, 0.0]
        assert learner.predict([size, 0.0]).score == -1.0
        bent = th.Perceptron(2, normalize=True)
        bent.learn([size, -size], -1)
        assert bent.weights.tolist() == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)], rel=1e-15)


@pytest.mark.parametrize("normalize", [False, True])
def test_scaling_every_example_by_one_constant_changes_no_prediction(normalize: bool) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((200, 6)), rng.choice([-1, 1], 200)
    plain = th.Perceptron(6, normalize=normalize).learn_many(X, y)
    scaled = th.Perceptron(6, normalize=normalize).learn_many(X * 2.0**-40, y)
    assert plain.predictions.tolist() == scaled.predictions.tolist()


@pytest.mark.parametrize("slide", SLIDES)
def test_the_definition_gives_the_golden_slides_in_exact_fractions(slide: str) -> None:
    golden = GOLDEN[slide]
    stream = [(vector(r["x"]), r["y"]) for r in golden["rounds"]]
    for r, (score, prediction, w) in zip(golden["rounds"], definition(golden["n"], stream), strict=True):
        assert (score, prediction, w) == (fraction(r["score"]), r["pred"], vector(r["w_after"]))
        assert (prediction != r["y"]) == bool(r["mistake"])


@pytest.mark.parametrize("slide", SLIDES)
def test_the_core_gives_the_golden_slides_to_the_last_bit_of_the_definition_in_floats(slide: str) -> None:
    golden = GOLDEN[slide]
    stream = [([float(v) for v in vector(r["x"])], r["y"]) for r in golden["rounds"]]
    learner = th.Perceptron(golden["n"], tie=golden["tie"])
    for (x, y), (score, prediction, w) in zip(stream, definition(golden["n"], stream), strict=True):
        played = learner.learn(x, y)
        assert (played.prediction.score, played.prediction.label) == (score, prediction)
        assert learner.weights.tolist() == w
    assert learner.mistakes == golden["M"]


@pytest.mark.parametrize("tie", sorted(TIES))
def test_a_score_of_zero_predicts_as_the_tie_says(tie: str) -> None:
    assert th.Perceptron(3, tie=tie).predict([1, 0, 0]).label == GOLDEN["ties"]["perceptron_w0_score0"][tie]
    for label in (-1, +1):
        played = th.Perceptron(3, tie=tie).learn([1, 0, 0], label)
        assert played.mistake == (TIES[tie] != label)


@pytest.mark.parametrize("case", GOLDEN["perceptron_forced"], ids=lambda case: f"{case['k']}-{case['tie']}")
def test_orthonormal_examples_force_exactly_the_bound(case: dict[str, Any]) -> None:
    learner = th.Perceptron(case["k"], tie=case["tie"])
    rounds = learner.learn_many([x for x, _ in case["stream"]], [y for _, y in case["stream"]])
    assert rounds.mistakes == case["M"] == th.bounds.perceptron_separable(1 / math.sqrt(case["k"])).at_most


def test_weight_scales_the_step() -> None:
    learner = th.Perceptron(2, bias=1.0)
    learner.learn([1.0, 2.0], -1, weight=0.5)
    assert learner.weights.tolist() == [-0.5, -1.0]
    assert learner.bias_weight == -0.5


def test_weight_zero_is_a_round_that_moves_nothing() -> None:
    learner = th.Perceptron(2)
    played = learner.learn([1.0, 2.0], -1, weight=0.0)
    assert (played.mistake, played.changed, played.weight) == (True, False, 0.0)
    assert (learner.rounds, learner.mistakes, learner.updates) == (1, 1, 0)
    assert not learner.weights.any()


def test_a_zero_vector_errs_for_ever_without_moving_and_is_refused_where_it_must_be_normalised() -> None:
    learner = th.Perceptron(2)
    for t in range(1, 4):
        played = learner.learn({}, -1)
        assert (played.t, played.mistake, played.changed) == (t, True, False)
    with pytest.raises(th.ExampleError, match="zero vector"):
        th.Perceptron(2, normalize=True).learn([0.0, 0.0], -1)
    assert th.Perceptron(2, normalize=True, bias=1.0).learn([0.0, 0.0], -1).changed


def test_promotions_and_demotions_are_told_apart() -> None:
    learner = th.Perceptron(1)
    down, up, still = learner.learn([1.0], -1), learner.learn([1.0], +1), learner.learn([1.0], +1)
    assert (down.demotion, down.promotion, down.loss) == (True, False, 1.0)
    assert (up.demotion, up.promotion, up.loss) == (False, True, 1.0)
    assert (still.demotion, still.promotion, still.loss) == (False, False, 0.0)


def test_collisions_of_names_are_added_and_counted() -> None:
    learner = th.Perceptron(1)
    learner.learn({"a": 1.0, "b": 2.0, 0: 4.0}, -1)
    assert learner.weights.tolist() == [-7.0]
    assert learner.collisions == 2


def test_a_hypothesis_stays_when_the_learner_goes_on() -> None:
    learner = th.Perceptron(2, bias=1.0)
    learner.learn([1.0, 0.0], -1)
    hypothesis = learner.hypothesis()
    X = np.eye(2)
    before = hypothesis.score_many(X).tolist()
    learner.learn([0.0, 1.0], +1)
    assert hypothesis.score_many(X).tolist() == before != learner.score_many(X).tolist()
    assert hypothesis.predict_many(X).tolist() == [hypothesis.predict(x).label for x in X]
    assert (hypothesis.n, hypothesis.weights.tolist(), hypothesis.bias_weight) == (2, [-1.0, 0.0], -1.0)
    assert not hasattr(hypothesis, "learn")


def test_repr_is_how_to_make_it() -> None:
    learner = th.Perceptron(7, normalize=True, bias=2.0, tie="mistake")
    assert repr(learner) == "Perceptron(n=7, normalize=True, bias=2.0, tie='mistake')"
