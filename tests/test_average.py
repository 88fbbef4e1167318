"""Online to batch: all hypotheses of a pass, their average, their vote, and the risk that is proven of them."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import thresher as th
from tests.plain_classes import Domain
from thresher.bounds import Status
from thresher.compose import Averaged, online_to_batch
from thresher.compose.average import definition

CUBE = list(product((0, 1), repeat=4))
MAKERS: dict[str, Callable[[], Any]] = {
    "Perceptron": lambda: th.Perceptron(4, bias=1.0),
    "neither": lambda: th.Perceptron(4, tie="mistake"),
    "MarginPerceptron": lambda: th.MarginPerceptron(4, 0.2, bias=1.0),
    "Winnow": lambda: th.Winnow(4),
    "WeightedMajority": lambda: th.WeightedMajority(4),
    "Conservative": lambda: th.Conservative(th.WeightedMajority(4)),
    "FollowTheLeader": lambda: th.FollowTheLeader(4),
}


def noisy() -> Domain[Any]:
    """A target that none of these learners can hold: an exclusive or."""
    return Domain(CUBE, [+1 if x[0] != x[1] else -1 for x in CUBE], [1 + k for k in range(16)])


def drawn(seed: int, size: int) -> list[tuple[Any, int]]:
    return list(islice(noisy().draws(np.random.default_rng(seed)), size))


def average_risk(averaged: Averaged) -> Fraction:
    risks = [noisy().risk(hypothesis) * tried for hypothesis, tried in zip(averaged.hypotheses, averaged.tried, strict=True)]
    return sum(risks, Fraction(0)) / averaged.examples


@pytest.mark.parametrize("name", MAKERS)
def test_the_average_is_its_definition_and_mistakes_are_those_of_the_pass(name: str) -> None:
    sample = drawn(1, 60)
    averaged, plain = online_to_batch(MAKERS[name](), sample, delta=0.1), MAKERS[name]()
    assert averaged.mistakes == sum(plain.learn(x, y).mistake for x, y in sample)
    assert averaged.examples == 60
    for x in CUBE[1:]:
        assert averaged.predict(x).p_positive == definition(MAKERS[name](), sample, x)


@pytest.mark.parametrize("name", MAKERS)
def test_a_learner_that_did_not_change_keeps_its_hypothesis(name: str) -> None:
    sample = drawn(2, 60)
    averaged, plain = online_to_batch(MAKERS[name](), sample, delta=0.1), MAKERS[name]()
    moved = [plain.learn(x, y).changed for x, y in sample]
    assert len(averaged.hypotheses) == 1 + sum(moved[:-1])
    assert all(averaged.tried)


@pytest.mark.parametrize("name", MAKERS)
def test_the_vote_risks_at_most_twice_the_average(name: str) -> None:
    for seed in range(5):
        averaged = online_to_batch(MAKERS[name](), drawn(seed, 40), delta=0.1)
        assert noisy().risk(averaged) <= 2 * average_risk(averaged)


@pytest.mark.parametrize("name", ["Perceptron", "Conservative"])
def test_the_average_risk_is_above_its_bound_less_often_than_delta(name: str) -> None:
    runs, delta = 150, 0.3
    failures = 0
    for seed in range(runs):
        averaged = online_to_batch(MAKERS[name](), drawn(seed, 30), delta=delta)
        failures += average_risk(averaged) > averaged.average.risk
        assert averaged.average.risk == th.bounds.online_to_batch(averaged.mistakes, 30, delta).value
    assert binom.cdf(failures, runs, delta) < 0.001  # were the chance of a failure δ, so few would be this unlikely


@pytest.mark.parametrize("make", [lambda: th.RandomizedMajority(4, seed=1), lambda: th.ImprovedMajority(4, seed=1)])
def test_where_coins_are_tossed_the_hypotheses_that_are_kept_are_the_ones_whose_mistakes_count(make: Callable[[], Any]) -> None:
    sample = drawn(3, 50)
    averaged = online_to_batch(make(), sample, delta=0.1)
    kept = [h for h, tried in zip(averaged.hypotheses, averaged.tried, strict=True) for _ in range(tried)]
    assert averaged.mistakes == sum(h.predict(x).label != y for h, (x, y) in zip(kept, sample, strict=True))


def test_a_draw_is_as_likely_as_a_hypothesis_was_tried_often_and_a_function_of_the_seed() -> None:
    averaged = online_to_batch(th.Perceptron(4), drawn(4, 12), delta=0.1)
    drawn_ones = [averaged.draw(seed) for seed in range(3000)]
    counts = [sum(h is one for one in drawn_ones) for h in averaged.hypotheses]
    assert sum(counts) == 3000
    for count, tried in zip(counts, averaged.tried, strict=True):
        chance = tried / 12
        assert abs(count - 3000 * chance) < 5 * math.sqrt(3000 * chance * (1 - chance))
    assert averaged.draw(7) is averaged.draw(7)


def test_a_tie_is_plus() -> None:
    averaged = online_to_batch(th.Perceptron(1), [([1.0], -1), ([1.0], -1)], delta=0.1)
    assert averaged.tried == (1, 1)
    said = averaged.predict([1.0])
    assert (said.label, said.score, said.p_positive) == (+1, 0.0, 0.5)


def test_certificates_say_what_they_are_about() -> None:
    averaged = online_to_batch(th.Perceptron(4), drawn(5, 400), delta=0.05)
    for certificate, about in ((averaged.average, "a hypothesis drawn anew"), (averaged.vote, "the vote of the hypotheses")):
        lines = certificate.lines()
        assert about in lines["Says"]
        assert "with probability at least 0.95 over the draw of these 400 examples" in lines["Says"]
        assert lines["Run"] == f"one pass over 400 examples, {averaged.mistakes} mistakes"
        assert [p.status for p in certificate.premises] == [Status.CHECKED, Status.ASSUMED]
        assert "independent draws" in lines["Assumed"]
    assert averaged.vote.risk == min(1.0, 2 * averaged.average.risk)
    assert "mistakes: risk ≤ " in repr(averaged)


def test_hypotheses_stay_though_the_learner_goes_on() -> None:
    learner = th.Perceptron(4)
    averaged = online_to_batch(learner, drawn(6, 30), delta=0.1)
    said = [averaged.predict(x) for x in CUBE]
    learner.learn_many(CUBE, [+1] * 16)
    assert [averaged.predict(x) for x in CUBE] == said
    assert [copy.deepcopy(averaged).predict(x) for x in CUBE] == said


def test_samples_that_cannot_be_learned() -> None:
    with pytest.raises(th.ParameterError, match="found a sample without examples"):
        online_to_batch(th.Perceptron(2), [], delta=0.1)
    with pytest.raises(th.ExampleError, match="row 1: column 0: found nan") as caught:
        online_to_batch(th.Perceptron(1), ([[1.0], [math.nan]], [1, 1]), delta=0.1)
    assert caught.value.row == 1
    with pytest.raises(th.LabelError, match="row 0: found label 'a'"):
        online_to_batch(th.Perceptron(1), [([1.0], "a")], delta=0.1)
    with pytest.raises(th.NotRealizable, match=r"^round 2 of the sample: no expert is left"):
        online_to_batch(th.WeightedMajority(2, beta=0), [([0, 1], 1), ([0, 0], 1)], delta=0.1)
    learner = th.Perceptron(1)
    with pytest.raises(th.ParameterError, match="found delta = 0"):
        online_to_batch(learner, [([1.0], -1)], delta=0)
    assert learner.rounds == 0


@pytest.mark.parametrize(
    ("mistakes", "examples", "delta"), [(-1, 5, 0.1), (2.5, 5, 0.1), (6, 5, 0.1), (1, -1, 0.1), (1, 5, 1.0)]
)
def test_bounds_refuse_what_cannot_be(mistakes: Any, examples: Any, delta: float) -> None:
    for bound in (th.bounds.online_to_batch, th.bounds.online_to_batch_vote):
        with pytest.raises(th.ParameterError):
            bound(mistakes, examples, delta)


def test_the_bounds_by_hand() -> None:
    assert th.bounds.online_to_batch(0, 200, math.exp(-1)).value == pytest.approx(0.05)
    assert th.bounds.online_to_batch(20, 200, math.exp(-1)).value == pytest.approx(0.15)
    assert th.bounds.online_to_batch_vote(20, 200, math.exp(-1)).value == pytest.approx(0.3)
    assert th.bounds.online_to_batch(3, 3, 0.5).value == th.bounds.online_to_batch(0, 0, 0.5).value == 1.0
    assert th.bounds.random_stop(5, 9).value == 0.5
    assert th.bounds.random_stop(50, 9).value == 1.0
    bad: Any
    for bad in (-1, math.nan, None):
        with pytest.raises(th.ParameterError):
            th.bounds.random_stop(bad, 9)


def test_a_random_stop_errs_as_often_as_the_theorem_says_on_average() -> None:
    """E[risk of a hypothesis drawn from h₀, …, hₙ] = E[M on n + 1 examples]/(n + 1), here over all samples of two examples."""
    domain = Domain([(0,), (1,)], [+1, -1], [1, 2])
    pairs = list(zip(domain.examples, domain.labels, strict=True))
    left = right = Fraction(0)
    for sample in product(range(2), repeat=3):
        chance = math.prod([Fraction(domain.parts[k], 3) for k in sample], start=Fraction(1))
        learner = th.Elimination(1)
        for k in sample:
            left += chance * domain.risk(learner.hypothesis()) / 3
            right += chance * learner.learn(*pairs[k]).mistake / 3
    assert left == right > 0
