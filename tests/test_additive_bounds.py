"""The theorems of PA-I and the p-norm Perceptron: values, adversaries, random streams, and certificates in exact fractions."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.exactly import contrary, dot, entered, numbers, verdicts
from thresher import bounds
from thresher.adversaries import Orthonormal, force
from thresher.bounds import Verdict
from thresher.bounds.rounding import p_norm_factor, passive_aggressive_rounding
from thresher.linear import LinearLearner

MAKE: dict[str, Callable[[int, float | None], LinearLearner]] = {
    "PA-I": lambda n, bias: th.PassiveAggressive(n, bias=bias),
    "PA-I, C = 0.1": lambda n, bias: th.PassiveAggressive(n, C=0.1, bias=bias),
    "p = 2": lambda n, bias: th.PNormPerceptron(n, p=2, bias=bias),
    "p = 6.5": lambda n, bias: th.PNormPerceptron(n, p=6.5, bias=bias),
    "p = 20": lambda n, bias: th.PNormPerceptron(n, p=20, bias=bias),
}
every_learner = pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)


# ---- the bounds ---------------------------------------------------------------------------------------------------


def test_values_by_hand() -> None:
    assert bounds.passive_aggressive(0.5, C=0.25, radius=3).value == 36.0
    assert bounds.passive_aggressive(0.5, C=0.01, radius=3).value == 400.0
    assert bounds.passive_aggressive(0.5, C=0.25, distance=3, radius=3).value == 9 * (4 + 3)
    assert bounds.p_norm(0.5, p=10, radius=2, norm=3).value == pytest.approx(9 * 144)
    assert bounds.p_norm_hinge(7.0, p=3, norm=0.0).at_most == 7
    assert bounds.p_norm_textbook(0.5, n=1000).value == pytest.approx((2 * math.log(1000) - 1) * math.e * 4)


@given(st.floats(0.01, 10), st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0, 100))
def test_with_p_2_the_theorems_are_the_perceptrons(margin: float, radius: float, norm: float, distance: float) -> None:
    assert bounds.p_norm(margin, p=2, radius=radius, norm=norm).value == pytest.approx(
        bounds.perceptron_separable(margin, radius=radius, norm=norm).value
    )
    assert bounds.p_norm_distance(distance, margin=margin, p=2, radius=radius, norm=norm).value == pytest.approx(
        bounds.perceptron_distance(distance, margin=margin, radius=radius, norm=norm).value
    )
    assert bounds.p_norm_hinge(distance, p=2, radius=radius, norm=norm).value == pytest.approx(
        bounds.perceptron_hinge(distance, radius=radius, norm=norm).value
    )


@pytest.mark.parametrize("n", [3, 10, 1000, 10**6])
def test_the_textbook_form_is_never_below_the_exact_one(n: int) -> None:
    """u with one attribute, x with all: ‖u‖_q is 1, and ‖x‖ₚ is n^(1/p)."""
    p = 2 * math.log(n)
    exact = bounds.p_norm(0.5, p=p, radius=n ** (1 / p))
    assert exact.value <= bounds.p_norm_textbook(0.5, n=n).value * (1 + 1e-12)


@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_orthonormal_examples_attain_them(k: int) -> None:
    for learner in (th.PassiveAggressive(k), th.PNormPerceptron(k, p=2)):
        ledger = th.Ledger(th.Separator([-1.0] * k))
        for played in force(Orthonormal(k), learner):
            ledger.enter(played)
        separable = next(c for c in ledger.certificates() if "separable" in c.bound.theorem.name)
        assert (separable.verdict, separable.count, separable.bound.at_most) == (Verdict.CERTIFIED, k, k)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.passive_aggressive(0.0),
        lambda: bounds.passive_aggressive(1.0, C=0.0),
        lambda: bounds.passive_aggressive(1.0, C=math.inf),
        lambda: bounds.passive_aggressive(1.0, distance=-1.0),
        lambda: bounds.passive_aggressive(1.0, rounding=math.nan),
        lambda: bounds.p_norm(0.0, p=3),
        lambda: bounds.p_norm(1.0, p=1.9),
        lambda: bounds.p_norm(1.0, p=math.nan),
        lambda: bounds.p_norm_hinge(-1.0, p=3, norm=1),
        lambda: bounds.p_norm_distance(1.0, margin=-1.0, p=3),
        lambda: bounds.p_norm_distance(-1.0, margin=1.0, p=3),
        lambda: bounds.p_norm_textbook(0.5, n=2),
        lambda: bounds.p_norm_textbook(0.0, n=20),
    ],
)
def test_numbers_a_theorem_cannot_have_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(th.ParameterError, match=r"found \w+ = .*, expected a number "):
        make()


# ---- certificates -------------------------------------------------------------------------------------------------


def q_norm(u: list[float], p: float) -> float:
    q = p / (p - 1)
    return math.pow(math.fsum(abs(v) ** q for v in u), 1 / q)


def check_numbers(given: Any, learner: LinearLearner, seen: list[list[float]], u: list[float], shares: list[Fraction]) -> None:
    """Asserts that what a certificate is computed from is on the safe side of what the rows come to."""
    margin, distance = Fraction(given["margin"]), Fraction(given.get("distance", 0.0))
    assert distance >= sum((max(Fraction(0), margin - share) for share in shares), Fraction(0))
    p = given.get("p", 2.0)
    assert p == learner._arguments().get("p", 2.0)
    largest = max(math.fsum(abs(v) ** p for v in x) ** (1 / p) for x in seen)
    assert given["radius"] >= largest * (1 - 1e-14)
    assert given["norm"] >= q_norm(u, p) * (1 - 1e-14)
    if "rounding" in given:
        assert 0 < given["rounding"] < 1e-6 * (1 + (given["norm"] / given["margin"]) ** 2)


@every_learner
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 6),
    bias=st.sampled_from([None, 1.0, -0.3]),
    kind=st.sampled_from(["target", "noisy", "contrary"]),
)
def test_certificates_survive_exact_fractions(
    make: Callable[[int, float | None], LinearLearner], seed: int, n: int, bias: float | None, kind: str
) -> None:
    rng = np.random.default_rng(seed)
    u, gamma = rng.choice([1.0, -1.0, 0.3, 0.0], n), float(rng.choice([0.05, 0.4, 1.0, 5.0]))
    u_bias = float(rng.choice([0.0, 0.2])) if bias is not None else 0.0
    X = rng.choice([-1.0, 0.3, 2.0, 0.0], (int(rng.integers(1, 60)), n))
    learner, dummy = make(n, bias), [] if bias is None else [bias]
    full = [*numbers(u), *([u_bias] if dummy else [])]
    flip = 0.1 if kind == "noisy" else 0.0
    labelled = [(x, +1 if (dot(full, [*x, *dummy]) >= 0) != (rng.random() < flip) else -1) for x in X.tolist()]
    rows = contrary(learner, X) if kind == "contrary" else labelled
    ledger = entered(learner, rows, th.Separator(u, bias_weight=u_bias, margin=gamma))
    seen = [[*x, *dummy] for x, _ in rows]
    shares = [y * dot(full, x) for x, (_, y) in zip(seen, rows, strict=True)]
    assert len(ledger.certificates()) == 2
    for certificate in ledger.certificates():
        assert certificate.count == learner.mistakes
        if "separable" in certificate.bound.theorem.name and certificate.verdict is Verdict.VOID:
            assert min(shares) <= Fraction(1, 10**12)
            continue
        assert certificate.verdict is Verdict.CERTIFIED
        check_numbers(certificate.numbers, learner, seen, full, shares)


@every_learner
def test_verdicts_follow_what_is_known_of_the_rounds(make: Callable[[int, float | None], LinearLearner]) -> None:
    X, y, u = [[1.0, 0.2], [1.0, -0.2], [0.1, 1.0]], [+1, -1, +1], [0.0, 1.0]
    late, ledger = make(2, None), th.Ledger(th.Separator(u))
    late.learn(X[0], y[0])
    ledger.enter(late.learn_many(X, y))
    assert verdicts(ledger) == {Verdict.VOID}
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(make(2, None).learn_many(X, y, [1.0, 0.5, 1.0]))
    assert verdicts(ledger) == {Verdict.VOID}
    rounds, ledger = make(2, None).learn_many(X, y), th.Ledger(th.Separator(u))
    for k in range(3):
        ledger.enter(rounds[k])
    assert verdicts(ledger) == {Verdict.CONDITIONAL}
    assert verdicts(entered(make(2, None), list(zip(X, y, strict=True)), th.Separator(u))) == {Verdict.CERTIFIED}


@every_learner
def test_any_order_of_the_rows_keeps_the_promise(make: Callable[[int, float | None], LinearLearner]) -> None:
    rng = np.random.default_rng(3)
    X, u = rng.uniform(-1, 1, (80, 4)), np.array([0.5, -0.3, 0.2, 0.1])
    X = X[np.abs(X @ u) > 0.08]
    y = np.where(X @ u > 0, 1, -1)
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(make(4, None).learn_many(X, y))
    promised = min(c.bound.at_most for c in ledger.certificates() if c.any_order)
    orders = [rng.permutation(len(X)) for _ in range(100)]
    assert max(make(4, None).learn_many(X[order], y[order]).mistakes for order in orders) <= promised


def test_a_few_relevant_attributes_are_where_the_p_norm_proves_more() -> None:
    rng, n = np.random.default_rng(5), 400
    X = rng.choice([-1.0, 1.0], (2000, n))
    y = np.where(X[:, :3].sum(axis=1) > 0, 1, -1)
    u = np.zeros(n)
    u[:3] = 1.0
    limits, mistakes = {}, {}
    for learner in (th.PNormPerceptron(n), th.Perceptron(n)):
        ledger = th.Ledger(th.Separator(u))
        ledger.enter(learner.learn_many(X, y))
        limits[type(learner).__name__] = min(c.bound.at_most for c in ledger.certificates() if c.any_order)
        mistakes[type(learner).__name__] = learner.mistakes
    assert mistakes["PNormPerceptron"] < 0.5 * mistakes["Perceptron"]
    assert limits["PNormPerceptron"] < 0.5 * limits["Perceptron"]


def test_no_theorem_is_told_of_an_average() -> None:
    ledger = th.Ledger(th.Separator([1.0, 0.0]))
    ledger.enter(th.AveragedPerceptron(2).learn_many([[1.0, 0.0], [-1.0, 0.0]], [+1, -1]))
    assert ledger.certificates() == []
    assert "nothing is proven of an average's mistakes" in str(ledger)


# ---- rounding -----------------------------------------------------------------------------------------------------


def test_what_the_rounding_cannot_cover_is_said() -> None:
    assert math.isinf(passive_aggressive_rounding(C=1.0, radius=1e9, norm=1.0, rounds=10**9, terms=100))
    assert math.isinf(p_norm_factor(1.0, p=20, rounds=2**62, terms=100))
    assert math.isinf(p_norm_factor(1e-100, p=20, rounds=10, terms=1))
    huge, ledger = th.PassiveAggressive(1), th.Ledger(th.Separator([1.0]))
    ledger.enter(huge.learn_many([[2.0**60], [2.0**60]], [+1, -1]))
    assert verdicts(ledger) == {Verdict.VOID}


@pytest.mark.parametrize("C", [1.0, 0.01, 100.0])
def test_steps_of_pa_bring_it_as_near_as_the_proof_says(C: float) -> None:
    """Σ τℓ ≤ ‖v‖² + 2CΣh and what covers rounding, with τ and ℓ as computed, sums in fractions."""
    rng, n, rounds = np.random.default_rng(8), 5, 400
    X, v = rng.standard_normal((rounds, n)), [0.9, -1.3, 0.4, 0.0, 2.0]
    y = np.where((X @ v > 0) != (rng.random(rounds) < 0.1), 1, -1)
    learner, gained, hinge = th.PassiveAggressive(n, C=C), Fraction(0), Fraction(0)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        score = learner.learn(x, label).prediction.score
        loss = max(0.0, 1.0 - label * score)
        gained += Fraction(min(C, loss / float(np.square(x).sum()))) * Fraction(loss)
        hinge += max(Fraction(0), 1 - label * dot(v, x))
    radius, norm = float(np.sqrt(np.square(X).sum(axis=1).max())), float(np.linalg.norm(v))
    slack = passive_aggressive_rounding(C=C, radius=radius, norm=norm, rounds=rounds, terms=n)
    assert 0 < slack < 1e-5
    assert gained <= dot(v, v) + 2 * Fraction(C) * hinge + Fraction(slack)


@pytest.mark.parametrize("p", [2.0, 3.0, 7.3, 25.0, 60.5, 100.0])
@pytest.mark.parametrize("size", [1.0, 2.0**200, 2.0**-200])
def test_scores_of_the_p_norm_are_within_their_rounding(p: float, size: float) -> None:
    """Against sixty digits: off by at most (terms + p + 2048)·2⁻⁵² of ‖θ‖ₚ‖x‖ₚ."""
    rng, n = np.random.default_rng(int(p)), 4
    learner = th.PNormPerceptron(n, p=p)
    with decimal.localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**9, -(10**9)
        power = decimal.Decimal(p)
        for t in range(60):
            x = [float(v) * size for v in rng.standard_normal(n) * 10 ** rng.uniform(-2, 2, n)]
            theta = [decimal.Decimal(float(v)) for v in learner.theta]
            said = learner.predict(x).score
            if any(theta):
                length = sum((abs(v) ** power for v in theta if v), decimal.Decimal(0)) ** (1 / power)
                w = [abs(v) ** (power - 1) / length ** (power - 2) * (1 if v > 0 else -1) if v else v for v in theta]
                exact = sum((a * decimal.Decimal(b) for a, b in zip(w, x, strict=True)), decimal.Decimal(0))
                reach = length * sum((abs(decimal.Decimal(v)) ** power for v in x), decimal.Decimal(0)) ** (1 / power)
                assert abs(decimal.Decimal(said) - exact) <= (4 + decimal.Decimal(p) + 2048) / 2**52 * reach
            learner.learn(x, -1 if said >= 0 else +1, 1.0 if t % 7 else 2.0**-3)
    assert learner.updates == 60
