"""Mixtures as comparators: what they lose, against fractions and brute force, and what is proven of a forecaster."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher.bounds import Status, Verdict
from thresher.experts import LossRule
from thresher.hindsight import best_mixture
from thresher.ledger.losses import played

Loss = Literal["squared", "absolute", "log", "brier"]

LOSSES: tuple[Loss, ...] = ("squared", "absolute", "log", "brier")
FORECASTERS: dict[str, dict[str, Any]] = {
    "squared": {},
    "absolute": {"loss": "absolute"},
    "squared, expert": {"against": "expert"},
    "absolute, expert": {"loss": "absolute", "against": "expert"},
    "range": {"range": (0.0, 1.0)},
    "log": {"loss": "log"},
    "brier": {"loss": "brier"},
}
each_forecaster = pytest.mark.parametrize("name", FORECASTERS)
each_loss = pytest.mark.parametrize("loss", LOSSES)
seeds = st.integers(0, 2**32 - 1)


def solved(matrix: list[list[Fraction]]) -> list[Fraction] | None:
    """The v with matrix·v = (1, …, 1), by elimination; None if there is none, or more than one."""
    n = len(matrix)
    rows = [[*row, Fraction(1)] for row in matrix]
    for i in range(n):
        pivot = next((k for k in range(i, n) if rows[k][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [each / rows[i][i] for each in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[n] for row in rows]


def least_square(x: NDArray[np.float64], y: NDArray[np.float64]) -> Fraction:
    """The least squared loss of a mixture, in fractions: of each set of experts the point where the slopes are equal."""
    d = [[Fraction(each) - Fraction(came) for each in row] for row, came in zip(x.tolist(), y.tolist(), strict=True)]
    n = x.shape[1]
    gram = [[sum((row[i] * row[j] for row in d), Fraction(0)) for j in range(n)] for i in range(n)]
    best = min(gram[i][i] for i in range(n))
    for size in range(2, n + 1):
        for on in combinations(range(n), size):
            v = solved([[gram[i][j] for j in on] for i in on])
            if v is not None and min(v) >= 0 and sum(v) > 0:
                best = min(best, 1 / sum(v, Fraction(0)))  # u = v/Σv has u'Gu = 1/Σv
    return best


def lost_by(u: Sequence[float], x: NDArray[np.float64], y: NDArray[np.float64], loss: str) -> Fraction:
    """What the mixture u/Σu loses, in fractions (log: to fifty digits)."""
    weights = [Fraction(each) / sum(map(Fraction, u)) for each in u]
    total = Fraction(0)
    for row, came in zip(x.tolist(), y.tolist(), strict=True):
        p = sum((w * Fraction(each) for w, each in zip(weights, row, strict=True)), Fraction(0))
        if loss == "log":
            chance = p if came == 1.0 else 1 - p
            with localcontext() as context:
                context.prec = 50
                total -= Fraction((Decimal(chance.numerator) / Decimal(chance.denominator)).ln())
        else:
            d = abs(p - Fraction(came))
            total += {"squared": d * d, "absolute": d, "brier": 2 * d * d}[loss]
    return total


def stream(seed: int, loss: str, *, scale: float = 1.0, most: int = 40) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    rounds, n = int(rng.integers(1, most)), int(rng.integers(1, 5))
    x, y = rng.random((rounds, n)), rng.random(rounds)
    if rng.random() < 0.5:
        x = np.clip(y[:, np.newaxis] + 0.3 * (x - 0.5) * np.linspace(1, 3, n), 0.0, 1.0)  # some good, some bad
    if loss in ("log", "brier"):
        return np.clip(x, 0.01, 0.99), np.round(y)
    return scale * x, scale * y


@given(seed=seeds, power=st.integers(-3, 4))
def test_the_best_mixture_for_squared_loss_is_that_of_fractions(seed: int, power: int) -> None:
    x, y = stream(seed, "squared", scale=10.0**power)
    watcher = th.BestMixture().watch_losses()
    watcher.enter(played(th.Forecaster().learn_many(x, y)))
    found = watcher.found()
    assert found is not None
    exact, best = lost_by(found.u.tolist(), x, y, "squared"), least_square(x, y)
    assert Fraction(found.low) <= exact <= Fraction(found.high)
    assert Fraction(found.high) - best <= Fraction(found.gap) + Fraction(found.high) - Fraction(found.low)
    assert found.gap <= 1e-9 * max(1.0, float((x - y[:, np.newaxis]).max() ** 2)) * len(y)


@each_loss
@given(seed=seeds)
def test_what_a_mixture_loses_is_that_of_fractions(loss: Loss, seed: int) -> None:
    x, y = stream(seed, loss)
    u = np.random.default_rng(seed).dirichlet(np.ones(x.shape[1]))
    watcher = th.Mixture(u).watch_losses()
    watcher.enter(played(th.Forecaster(loss=loss).learn_many(x, y)))
    value, doubt = (math.fsum(watcher._sums.parts(k)) for k in range(2))
    assert abs(Fraction(value) - lost_by(u.tolist(), x, y, loss)) <= Fraction(doubt) * Fraction(1.0001)
    assert doubt <= 1e-12 * (1 + value)


@each_forecaster
@given(seed=seeds, power=st.integers(-3, 4))
def test_no_bound_on_a_forecaster_is_violated_at_any_scale(name: str, seed: int, power: int) -> None:
    made = dict(FORECASTERS[name])
    loss = made.get("loss", "squared")
    x, y = stream(seed, loss, scale=10.0**power)
    if "range" in made:
        made["range"] = (0.0, 10.0**power)
    comparators: list[Any] = [th.BestExpert(), th.Mixture(np.full(x.shape[1], 1 / x.shape[1]))]
    ledger = th.Ledger(*comparators, *([th.BestMixture()] if loss == "squared" else []))
    rounds = th.Forecaster(**made).learn_many(x, y)
    ledger.enter(rounds)
    ledger.check()
    certified = [c for c in ledger.certificates() if c.verdict is Verdict.CERTIFIED]
    assert certified
    for certificate in certified:
        assert Fraction(certificate.counted) <= Fraction(certificate.limit)
    speaks = any("mixture" in c.witness for c in certified)
    assert speaks == (name in ("squared", "absolute"))


@pytest.mark.parametrize(
    "make", [lambda: th.Hedge(3), lambda: th.Hedge(3, eta=0.5), lambda: th.FixedShare(3), lambda: th.AdaHedge(3)]
)
def test_a_forecaster_is_as_good_as_its_rule_and_void_where_that_is(make: Callable[[], LossRule]) -> None:
    rng = np.random.default_rng(2)
    for scale, verdict in ((0.5, Verdict.CERTIFIED), (9.0, Verdict.VOID)):
        ledger = th.Ledger(th.BestMixture(), th.BestExpert(), th.BestSequence(1))
        ledger.enter(th.Forecaster(make()).learn_many(scale * rng.random((50, 3)), scale * rng.random(50)))
        verdicts = {c.verdict for c in ledger.certificates()}
        assert verdicts == {Verdict.CERTIFIED if isinstance(make(), th.AdaHedge) else verdict}
        assert any("sequence" in c.witness for c in ledger.certificates()) == isinstance(make(), th.FixedShare)


@each_forecaster
def test_forecasts_in_pieces_are_forecasts_at_once_bit_for_bit(name: str) -> None:
    made = FORECASTERS[name]
    loss = made.get("loss", "squared")
    rng = np.random.default_rng(5)
    x, y = rng.uniform(0.1, 0.9, (600, 3)), rng.random(600)
    y = np.round(y) if loss in ("log", "brier") else y
    comparators: list[Any] = [
        th.BestExpert(),
        th.Mixture([0.5, 0.25, 0.25]),
        *([th.BestMixture()] if loss == "squared" else []),
    ]
    at_once, pieces = th.Ledger(*comparators), th.Ledger(*comparators)
    at_once.enter(th.Forecaster(**made).learn_many(x, y))
    forecaster = th.Forecaster(**made)
    for k in range(300):
        pieces.enter(forecaster.learn(x[k], y[k]))
    pieces.enter(forecaster.learn_many(x[300:], y[300:]))
    assert list(map(str, at_once.certificates())) == list(map(str, pieces.certificates()))
    assert (at_once.loss, at_once.regret) == (pieces.loss, pieces.regret)
    assert at_once.regret == pytest.approx(forecaster.regret, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("loss", ["log", "brier"])
def test_several_outcomes(loss: Loss) -> None:
    rng = np.random.default_rng(8)
    x, y = rng.dirichlet(np.ones(3), size=(80, 4)), rng.integers(0, 3, 80)
    ledger = th.Ledger(th.BestExpert(), th.Mixture([0.25] * 4))
    ledger.enter(th.Forecaster(loss=loss).learn_many(x, y))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.CERTIFIED}
    average = ledger.certificates()[0].lost
    assert average is not None
    even = best_mixture([(x, y)], loss)
    assert even.loss <= average.average  # the plain average is a mixture
    assert even.gap <= 1e-3 * even.loss


def test_who_gave_no_chance_to_what_happened_is_not_the_best_and_loses_without_end() -> None:
    ledger = th.Ledger(th.BestExpert())
    ledger.enter(th.Forecaster(loss="log").learn_many([[0.0, 0.5], [1.0, 0.5]], [1.0, 1.0]))
    [certificate] = ledger.certificates()
    assert certificate.verdict is Verdict.CERTIFIED
    assert certificate.witness.startswith("expert 1")
    assert certificate.as_dict()["lost"] == {"average": pytest.approx(-math.log(0.25 * 0.75)), "worst": None, "reach": None}


def test_a_forecaster_asleep_voids_what_is_proven() -> None:
    ledger = th.Ledger(th.BestMixture(), th.BestExpert())
    ledger.enter(th.Forecaster().learn_many([[1.0, 2.0], [math.nan, 2.0], [1.0, 2.0]], [1.5, 1.5, 1.0]))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.VOID}
    for certificate in ledger.certificates():
        broken = [premise for premise in certificate.premises if premise.status is Status.BROKEN]
        assert [premise.detail for premise in broken] == ["one did in round 2"]


def test_mixtures_that_cannot_be_are_refused() -> None:
    u: Any
    for u in ([0.5, 0.6], [-0.5, 1.5], [], [[1.0]], [math.nan, 1.0], "no"):
        with pytest.raises(th.ParameterError):
            th.Mixture(u)
    with pytest.raises(th.LedgerError, match="found forecasts of 2 experts, expected 3"):
        th.Ledger(th.Mixture([1.0, 0.0, 0.0])).enter(th.Forecaster().learn([1.0, 2.0], 1.0))
    with pytest.raises(th.LedgerError, match="found rounds with absolute loss, expected squared"):
        th.Ledger(th.BestMixture()).enter(th.Forecaster(loss="absolute").learn([1.0, 2.0], 1.0))
    with pytest.raises(th.LedgerError, match="found rounds without forecasts"):
        th.Ledger(th.BestMixture()).enter(th.AdaHedge(2).learn_losses([1.0, 2.0]))


def grid(n: int) -> list[list[float]]:
    if n == 1:
        return [[1.0]]
    cells = [(i, j) for i in range(17) for j in range(17 - i)] if n == 3 else [(i, 0) for i in range(65)]
    return [[i / 16, j / 16, (16 - i - j) / 16] if n == 3 else [i / 64, 1 - i / 64] for i, j in cells]


@each_loss
@given(seed=seeds)
def test_no_mixture_is_better_than_the_one_found_by_more_than_its_gap(loss: Loss, seed: int) -> None:
    x, y = stream(seed, loss, most=12)
    x = x[:, :3]
    cut = len(y) // 2
    found = best_mixture([(x[:cut], y[:cut]), (x[cut:], y[cut:])], loss)
    exact = lost_by(found.u.tolist(), x, y, loss)
    assert Fraction(found.loss) >= exact
    assert found.loss <= float(exact) * (1 + 1e-9) + 1e-12
    for u in grid(x.shape[1]):
        assert lost_by(u, x, y, loss) >= Fraction(found.loss) - Fraction(found.gap)
    assert found.gap <= (0.02 if loss == "log" else 1e-9) * max(1.0, found.loss)


@each_loss
def test_the_gap_holds_however_few_passes_are_made(loss: Loss) -> None:
    x, y = stream(11, loss, most=200)
    best = best_mixture([(x, y)], loss)
    few = best_mixture(lambda: iter([(x, y)]), loss, passes=1)
    assert few.loss - few.gap <= best.loss <= few.loss + 1e-12


def test_absolute_loss_beyond_a_linear_program_is_found_by_slopes() -> None:
    rng = np.random.default_rng(9)
    y = rng.random(60_000)
    x = y[:, np.newaxis] + rng.normal(size=(60_000, 9)) * np.linspace(0.1, 0.5, 9)
    found = best_mixture([(x[:30_000], y[:30_000]), (x[30_000:], y[30_000:])], "absolute", passes=64)
    alone = np.abs(x - y[:, np.newaxis]).sum(axis=0).min()
    assert found.loss < 0.9 * alone
    assert found.gap < 0.05 * found.loss
    assert found.u.min() > 0.0
    assert found.u.sum() == pytest.approx(1.0)


def test_what_cannot_be_mixed_is_refused() -> None:
    bad: Any
    for bad in (
        [],
        [([[1.0, math.nan]], [1.0])],
        [([1.0], [1.0])],
        [([[1.0]], [1.0, 2.0])],
        [([[1.0]], [1.0]), ([[1.0, 2.0]], [1.0])],
    ):
        with pytest.raises(th.ExampleError):
            best_mixture(bad)
    with pytest.raises(th.ExampleError, match="every forecaster gives probability 0"):
        best_mixture([([[0.0, 0.0]], [1.0])], "log")
    bad = "cubic"
    with pytest.raises(th.ParameterError, match="found loss = 'cubic'"):
        best_mixture([([[1.0]], [1.0])], bad)
    bad = iter([([[1.0]], [1.0])])
    with pytest.raises(th.ParameterError, match="expected a list of blocks or a function"):
        best_mixture(bad)
