"""Experts where numbers end: weights that vanish, rates beyond floats, bytes that are no bits, states that nobody reached."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.bounds import Verdict
from thresher.experts import improved_majority
from thresher.hindsight import best_mixture

NAN = math.nan


def test_a_forecaster_weighs_those_awake_relative_to_the_best_of_them() -> None:
    """The leader of 1,300 rounds sleeps; of the others one is right and one is wrong, and both had vanished beside it."""
    forecaster, ledger = th.Forecaster(th.Hedge(3, eta=0.5), loss="absolute", against="expert"), th.Ledger(th.BestExpert())
    ledger.enter(forecaster.learn_many(np.tile([0.0, 1.0, 1.0], (1300, 1)), np.zeros(1300)))
    ledger.enter(forecaster.learn_many(np.tile([NAN, 0.0, 1.0], (3000, 1)), np.zeros(3000)))
    assert ledger.certificates()[0].verdict is Verdict.CERTIFIED
    assert ledger.regret < 5
    rule = th.Hedge(3, eta=0.5)
    rule.learn_losses_many(np.tile([0.0, 1.0, 1.0], (1300, 1)))
    assert rule.learn_losses([NAN, 0.0, 1.0]).loss == 0.5


def test_booleans_that_are_other_bytes_are_true() -> None:
    advice = np.array([[255, 0]] * 30, dtype=np.uint8).view(np.bool_)
    learner, plain = th.WeightedMajority(2), th.WeightedMajority(2)
    learner.learn_many(advice, [1] * 30)
    plain.learn_many(advice.astype(np.int64), [1] * 30)
    assert learner.expert_mistakes.tolist() == plain.expert_mistakes.tolist() == [0, 30]
    with pytest.raises(th.ExampleError, match=r"strings|object"):
        th.WeightedMajority(2).predict(np.array(["1", None], dtype=object))


def test_a_rate_beyond_floats_is_a_large_one() -> None:
    rule = th.AdaHedge(2)
    rule.learn_losses([9.24e-309, 0.0])
    rule.learn_losses([0.0, 1.0])
    assert np.isfinite(rule.weights).all()
    assert rule.weights.sum() == pytest.approx(1.0)


def test_a_share_that_floats_cannot_hand_on_is_refused() -> None:
    for alpha in (5e-324, 1e-310, 2.0**-900):
        with pytest.raises(th.ParameterError, match="found alpha"):
            th.FixedShare(2, alpha=alpha)
    rule = th.FixedShare(3, eta=1000.0, alpha=1e-200)
    rule.learn_losses([0.0, 1.0, 1.0])
    rule.learn_losses([1.0, 0.0, NAN])  # those awake weigh 1 and 5e-201: the mix loss is ln(1/5e-201)/1000
    assert rule.losses[2] - 1.0 == pytest.approx(-math.log(5e-201) / 1000, rel=1e-6)


@pytest.mark.parametrize(("beta", "rounds"), [(0.5, 262_300), (0.75, 140_000)])
def test_weights_beyond_all_doubles_break_a_tie(beta: float, rounds: int) -> None:
    """Two that erred once weigh 2β against 1 and, for β = 1/2, as much; then one decides that is hopelessly behind."""
    learner = th.WeightedMajority(4, beta=beta)
    advice = np.ones((rounds, 4), dtype=np.bool_)
    advice[:, 3] = False
    learner.learn_many(advice, np.ones(rounds, dtype=np.int8))
    learner.learn([1, 0, 0, 1], 1)
    heavier = 2 * Fraction(beta) >= 1  # β^rounds is on the same side
    assert learner.predict([0, 1, 1, 1]).label == (1 if heavier else -1)
    assert learner.predict([1, 0, 0, 0]).label == (-1 if heavier else 1)


def test_ties_that_cancel_are_decided_at_once() -> None:
    """What is left after both sides have cancelled lies far apart: no large number has to be made."""
    for beta, mistakes in ((0.75, [0, 0, 1000, 130_000]), (3 * 2.0**-300, [0, 0, 1000, 50_000])):
        rounds = max(mistakes)
        said = np.ones((rounds, 4), dtype=np.uint8)
        for i, made in enumerate(mistakes):
            said[:made, i] = 0
        learner = th.WeightedMajority(4, beta=beta)
        learner.learn_many(said, np.ones(rounds, dtype=np.int8))
        assert learner.predict([1, 0, 1, 0]).label == 1


def test_the_improved_chance_near_one() -> None:
    for beta in (1 - 2.0**-53, 1 - 1e-12, 1 - 1e-6):
        said = th.ImprovedMajority(3, beta=beta).predict([0, 1, 1]).p_positive
        assert said is not None
        assert said == pytest.approx(improved_majority.linear(2 / 3, beta), rel=1e-9)
        assert said == pytest.approx(2 / 3, rel=1e-5)


def test_tiny_losses_are_certified_with_what_underflow_may_take() -> None:
    s = 2.0**-537
    for forecaster in (th.Forecaster(range=(0.0, 5 * s)), th.Forecaster(), th.Forecaster(against="expert")):
        ledger = th.Ledger(th.BestExpert(), th.BestMixture())
        ledger.enter(forecaster.learn_many([[0.7 * s, 0.7746 * s], [0.7746 * s, 0.7 * s]] * 100, np.zeros(200)))
        ledger.check()
        for certificate in ledger.certificates():
            assert certificate.count <= certificate.bound.value


def test_a_bound_in_the_losses_units_is_not_widened_by_an_absolute_number() -> None:
    assert not th.bounds.adahedge_run(1e-20).covers(1e-10)
    assert th.bounds.adahedge_run(1.0).covers(2.0)
    assert th.bounds.weighted_majority(0, n=1, beta=0.5).covers(1e-10)


def test_a_rule_that_never_played_has_lost_nothing() -> None:
    parameters, _ = th.Hedge(2, eta=0.5).state()
    for losses, weights in (([0.0, 1e6], [1.0, 1.0]), ([0.0, 0.0], [1.0, 0.5]), ([0.0, 0.0], [5e-324, 5e-324])):
        with pytest.raises(th.StoreError):
            th.Hedge.from_state(parameters, {"losses": np.array(losses), "weights": np.array(weights)})


def test_a_phase_that_the_rounds_cannot_have_reached() -> None:
    parameters, arrays = th.RandomizedMajority(3, beta=None).state()
    with pytest.raises(th.StoreError, match="phase"):
        th.RandomizedMajority.from_state({**parameters, "heads": {**parameters["heads"], "phase": 20}}, arrays)


def test_a_copy_keeps_what_a_subclass_holds() -> None:
    class Named(th.WeightedMajority):
        pass

    learner = Named(2)
    learner.__dict__["called"] = "mine"
    assert learner.__copy__().__dict__ == {"called": "mine"}


def test_the_mixture_of_a_round_has_only_those_awake() -> None:
    assert th.Hedge(2, eta=1.0).learn_losses([NAN, 0.25]).mixture.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("horizon", [10**400, "5", True, 0, 1.5])
def test_a_horizon_is_a_number_of_rounds(horizon: Any) -> None:
    with pytest.raises(th.ParameterError, match="found horizon"):
        th.Hedge(2, horizon=horizon)


def test_a_sequence_is_not_compared_with_infinite_losses() -> None:
    ledger = th.Ledger(th.BestSequence(0), th.BestExpert())
    ledger.enter(th.Forecaster(loss="log").learn_many([[1.0, 0.5]] * 10, [1] * 9 + [0]))
    assert [certificate.bound.theorem.name for certificate in ledger.certificates()] == ["Mixture, log loss"]


@pytest.mark.parametrize(
    ("loss", "forecasts", "outcome"),
    [
        ("log", [[0.5, 0.5]], -1.0),
        ("log", [[0.5, 0.5]], 0.5),
        ("log", [[0.5, 2.0]], 1.0),
        ("brier", [[[0.5, 0.5], [0.5, 0.5]]], 7.0),
        ("squared", [[1e160, 1.0]], 0.0),
        ("absolute", [[1e300, 1.0]], 0.0),
    ],
)
def test_hindsight_refuses_what_a_forecaster_does(loss: Any, forecasts: Any, outcome: float) -> None:
    with pytest.raises(th.ExampleError):
        best_mixture([(forecasts, [outcome])], loss)


def test_the_best_mixture_for_the_log_loss_is_never_worse_than_its_best_expert() -> None:
    rng = np.random.default_rng(4)
    x = rng.dirichlet(np.ones(3), (200, 6))
    y = rng.integers(0, 3, 200)
    x[:, 2] = np.where(np.arange(3) == y[:, np.newaxis], 0.98, 0.01)
    found = best_mixture([(x, y.astype(np.float64))], "log")
    alone = -np.log(x[np.arange(200), :, y]).sum(axis=0).min()
    assert found.loss <= alone * (1 + 1e-6)
    assert found.gap <= 1e-6 * max(1.0, found.loss)
