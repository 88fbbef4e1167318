"""What an example's weight does to every learner, to its theorems, and which weights are refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from tests.learners import CASES, N
from thresher.bounds import Status, Verdict
from thresher.classes import Disjunctions
from thresher.linear import LEARNERS, LinearLearner

#: An example that every learner takes, and on which one of the two labels moves it.
X = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0])

WEIGHED = [name for name, case in CASES.items() if case.weighed]
ADDITIVE = [name for name in WEIGHED if name.startswith(("averaged", "margin", "p-norm", "passive"))]
GRADIENTS = [name for name in WEIGHED if name.startswith(("AROW", "AdaGrad", "Invariant"))]


def moved(name: str, weight: float) -> LinearLearner:
    """The learner after a first round that moves it."""
    for label in (-1, +1):
        learner = CASES[name].make()
        if learner.learn(X, label, weight).changed:
            return learner
    raise AssertionError(f"{name} is moved by neither label")


def planes(learner: LinearLearner) -> dict[str, NDArray[np.float64]]:
    return learner.state()[1]


# ---- the step -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0.25, 2.0, 3.0])
@pytest.mark.parametrize("name", ADDITIVE)
def test_additive_rules_scale_the_step(name: str, weight: float) -> None:
    one, scaled = moved(name, 1.0), moved(name, weight)
    assert one.weights.any()
    assert scaled.weights == pytest.approx(weight * one.weights, rel=1e-12)
    assert scaled.bias_weight == pytest.approx(weight * one.bias_weight, rel=1e-12)


@pytest.mark.parametrize("weight", [0.0, 0.25, 2.0, 3.0])
def test_the_multiclass_perceptron_scales_its_step(weight: float) -> None:
    learner = th.MulticlassPerceptron(N, classes=["oak", "fir"])
    learner.learn(X, "fir", weight)
    assert learner.weights.tolist() == [(-weight * X).tolist(), (weight * X).tolist()]
    assert learner.updates == (weight > 0.0)


@pytest.mark.parametrize("weight", [0.25, 2.0, 3.0])
@pytest.mark.parametrize("name", [name for name in WEIGHED if name.startswith(("Winnow", "Literal", "Balanced"))])
def test_multiplicative_rules_scale_the_exponent(name: str, weight: float) -> None:
    one, scaled = moved(name, 1.0), moved(name, weight)
    assert planes(one)["exponents"].any()
    assert planes(scaled)["exponents"] == pytest.approx(weight * planes(one)["exponents"], rel=1e-12)


@pytest.mark.parametrize("weight", [0.25, 2.0, 3.0])
def test_a_winnow_of_any_values_has_its_factor_to_that_power(weight: float) -> None:
    one, scaled = moved("ScaledWinnow", 1.0), moved("ScaledWinnow", weight)
    assert (one.weights != 1.0).sum() == 3
    assert np.log(scaled.weights) == pytest.approx(weight * np.log(one.weights), rel=1e-12)


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient_rules_have_a_step_of_the_same_sign_that_grows_with_the_weight_or_stays(name: str) -> None:
    """AROW divides r by it, the invariant rule multiplies its rate, AdaGrad its loss, whose first step has always one size."""
    steps = [moved(name, weight).weights[0] for weight in (0.25, 1.0, 3.0)]
    assert len({np.sign(step) for step in steps}) == 1
    sizes = np.abs(steps)
    if name.startswith("AdaGrad"):
        assert sizes == pytest.approx(sizes[0], rel=1e-12)
    else:
        assert sizes[0] < sizes[1] < sizes[2]


def test_a_later_gradient_of_adagrad_is_scaled_by_the_weight() -> None:
    """With G = g², a second gradient c·g makes a step of rate·c·g/√(g² + c²g²)."""
    for weight in (0.25, 1.0, 3.0):
        learner = th.AdaGrad(2, loss="hinge", rate=0.5)
        learner.learn([0.1, 0.0], +1)
        before = learner.weights[0]
        learner.learn([0.1, 0.0], +1, weight)
        assert learner.weights[0] - before == pytest.approx(0.5 * weight / math.sqrt(1.0 + weight**2), rel=1e-12)


@pytest.mark.parametrize("name", WEIGHED)
def test_a_weight_of_0_moves_nothing_and_the_round_counts(name: str) -> None:
    learner, fresh = CASES[name].make(), CASES[name].make()
    played = [learner.learn(X, label, 0.0) for label in (-1, +1)]
    assert [each.changed for each in played] == [False, False]
    assert learner.weights.tobytes() == fresh.weights.tobytes()
    assert (learner.rounds, learner.updates, learner.mistakes) == (2, 0, sum(each.mistake for each in played))


# ---- who takes none ---------------------------------------------------------------------------------------------------


CONCEPTS = Disjunctions(N)
COUNTED: dict[str, Callable[[], Any]] = {
    "Consistent": lambda: th.Consistent(CONCEPTS),
    "Halving": lambda: th.Halving(CONCEPTS),
    "Optimal": lambda: th.Optimal(Disjunctions(3)),
    "Elimination": lambda: th.Elimination(N),
    "Elimination, monotone": lambda: th.Elimination(N, monotone=True),
    "Elimination, conservative": lambda: th.Conservative(th.Elimination(N)),
    "Elimination for each class": lambda: th.OneVersusRest(th.Elimination(N), classes=[-1, 1]),
    "WeightedMajority": lambda: th.WeightedMajority(N),
    "RandomizedMajority": lambda: th.RandomizedMajority(N),
    "ImprovedMajority": lambda: th.ImprovedMajority(N),
    "FollowTheLeader": lambda: th.FollowTheLeader(N),
}


def an_example(name: str) -> NDArray[np.int64]:
    return X[: 3 if name == "Optimal" else N].astype(int)


@pytest.mark.parametrize("weight", [2.0, 0.5, 0.0, -1.0, math.nan, math.inf, 2])
@pytest.mark.parametrize("name", COUNTED)
def test_who_counts_examples_refuses_a_weight_other_than_1(name: str, weight: float) -> None:
    learner, x = COUNTED[name](), an_example(name)
    with pytest.raises(th.ExampleError, match=r"found weight .*, expected (1: |a finite number from 0)"):
        learner.learn(x, -1, weight)
    with pytest.raises(th.ExampleError, match="found weight"):
        learner.learn_many([x], [-1], [weight])
    assert learner.rounds == 0
    assert learner.learn(x, -1, 1).t == 1
    assert len(learner.learn_many([x], [-1], [1.0])) == 1


def test_elimination_has_learned_what_came_before_the_weight() -> None:
    rows, labels = np.eye(N)[:5], [-1, 1, -1, 1, -1]
    learner, loop = th.Elimination(N), th.Elimination(N)
    with pytest.raises(th.ExampleError, match=r"row 3: found weight 0\.5, expected 1: a literal fits") as refused:
        learner.learn_many(rows, labels, [1.0, 1.0, 1.0, 0.5, 2.0])
    played = [loop.learn(x, y) for x, y in zip(rows[:3], labels[:3], strict=True)]
    assert refused.value.row == 3
    assert refused.value.rounds is not None
    assert len(refused.value.rounds) == 3
    assert refused.value.rounds.mistakes == sum(each.mistake for each in played)
    assert learner.state()[0] == loop.state()[0]
    assert {name: plane.tobytes() for name, plane in planes(learner).items()} == {
        name: plane.tobytes() for name, plane in planes(loop).items()
    }


@pytest.mark.parametrize("weight", [1, True, np.float32(1.0), np.int64(1), Decimal(1)])
def test_a_1_of_any_type_is_1(weight: Any) -> None:
    learner = th.Elimination(N)
    assert learner.learn(X, -1, weight).weight == 1.0


def test_elimination_as_a_lane_learns_what_has_a_weight_above_0() -> None:
    rows, labels = np.eye(N), [-1] * N
    portfolio = th.Portfolio(N, [th.Elimination(N), th.Perceptron(N)], cost_positive=3.0)
    portfolio.learn_many(rows, labels, [2.0] * (N - 1) + [0.0])
    alone = th.Elimination(N)
    alone.learn_many(rows[:-1], labels[:-1])
    assert portfolio.learner(0).literals == alone.literals


# ---- what is refused everywhere ---------------------------------------------------------------------------------------


def everyone() -> dict[str, Callable[[], Any]]:
    return {
        **{name: case.make for name, case in CASES.items()},
        "Constant": lambda: th.Constant(N),
        "Portfolio": lambda: th.Portfolio(N, [th.Perceptron(N), th.AROW(N)]),
        "Conservative": lambda: th.Conservative(th.AROW(N)),
        "OneVersusRest": lambda: th.OneVersusRest(th.AROW(N), classes=[-1, 1]),
        "MulticlassPerceptron": lambda: th.MulticlassPerceptron(N),
    }


@pytest.mark.parametrize("weight", [-1.0, -5e-324, math.nan, math.inf, -math.inf, 2.0**151, None, "1", [1.0, 2.0], 1j])
@pytest.mark.parametrize("name", everyone())
def test_what_is_no_weight_is_refused_and_nothing_changes(name: str, weight: Any) -> None:
    learner = everyone()[name]()
    with pytest.raises(th.ExampleError, match="found weight"):
        learner.learn(X, -1, weight)
    assert learner.rounds == 0
    if isinstance(weight, float):
        with pytest.raises(th.ExampleError, match="row 1: found weight") as refused:
            learner.learn_many([X, X], [-1, -1], [1.0, weight])
        assert refused.value.row == 1
        assert learner.rounds == 1


# ---- theorems -----------------------------------------------------------------------------------------------------------

ROWS = np.array([[k >> i & 1 for i in range(N)] for k in range(1, 2**N, 5)], dtype=float)
LABELS = np.where(ROWS[:, 0] > 0, 1, -1)
SEPARATOR = np.eye(N)[0]

#: Every learner of which the ledger has a theorem that a comparator of this stream brings about.
SIGNED: dict[str, Callable[[], LinearLearner]] = {
    "Perceptron": lambda: th.Perceptron(N),
    "MarginPerceptron": lambda: th.MarginPerceptron(N, 0.1),
    "PNormPerceptron": lambda: th.PNormPerceptron(N),
    "PassiveAggressive": lambda: th.PassiveAggressive(N),
    "BalancedWinnow": lambda: th.BalancedWinnow(N),
}
BINARY: dict[str, Callable[[], LinearLearner]] = {
    "Winnow": lambda: th.Winnow(N),
    "LiteralWinnow": lambda: th.LiteralWinnow(N),
}


def certificates(name: str, weights: list[float] | None) -> list[Any]:
    if name in SIGNED:
        learner, rows, ledger = SIGNED[name](), 2.0 * ROWS - 1.0, th.Ledger(th.Separator(SEPARATOR))
    else:
        learner, rows, ledger = BINARY[name](), ROWS, th.Ledger(th.Disjunction(N, {0}))
    ledger.enter(learner.learn_many(rows, LABELS, weights))
    return list(ledger.certificates())


@pytest.mark.parametrize("weight", [2.0, 0.0, 1.0 + 2.0**-52])
@pytest.mark.parametrize("name", [*SIGNED, *BINARY])
def test_a_theorem_about_weight_1_is_void_and_says_which_round_had_another(name: str, weight: float) -> None:
    plain = certificates(name, None)
    assert plain
    assert all(certificate.verdict is not Verdict.VOID for certificate in plain)
    assert [each.verdict for each in certificates(name, [1.0] * len(ROWS))] == [each.verdict for each in plain]
    weighed = certificates(name, [1.0] * 4 + [weight] * (len(ROWS) - 4))
    assert weighed
    for certificate in weighed:
        assert certificate.verdict is Verdict.VOID
        broken = [premise for premise in certificate.premises if premise.status is Status.BROKEN]
        assert [tuple(map(str, premise[::2])) for premise in broken] == [
            ("every example has weight 1", "not the one of round 5")
        ]
        assert "not the one of round 5" in str(certificate)


def test_a_portfolios_theorems_cover_weights() -> None:
    ledger = th.Ledger(th.BestLane())
    portfolio = th.Portfolio(N, [th.Perceptron(N), th.AROW(N)])
    ledger.enter(portfolio.learn_many(ROWS, LABELS, np.linspace(0.0, 3.0, len(ROWS))))
    assert {str(certificate.verdict) for certificate in ledger.certificates()} == {"certified"}


def test_every_learner_with_a_theorem_is_here() -> None:
    """But for Elimination, which takes no weights, and the average, whose theorems are those of the Perceptron inside."""
    proven = {kind.__name__ for kind in LEARNERS.values() if kind._PROVEN}
    assert proven - {"Elimination", "AveragedPerceptron"} == {*SIGNED, *BINARY}
