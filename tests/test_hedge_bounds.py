"""The theorems of Hedge and its kin as values: golden numbers, their order, and plain rules that stay within them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher import bounds

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
rounds_ = st.integers(0, 10**6)
experts = st.integers(1, 10**6)

Losses = Callable[[list[float]], list[float]]


def near(number: float) -> Any:
    return pytest.approx(number, rel=1e-12, abs=1e-15)


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def weights(sums: Sequence[float], eta: float) -> list[float]:
    """By cumulative losses; the leaders alone if η is infinite."""
    least = min(sums)
    w = [float(s == least) if math.isinf(eta) else math.exp(-eta * (s - least)) for s in sums]
    return [x / sum(w) for x in w]


def losses_of(seed: int, n: int) -> Losses:
    """Losses from 0 to 1: fractions, or zeros and ones, by skill; or all for the expert that weighs most."""
    chance = random.Random(seed)
    skill = [chance.random() for _ in range(n)]
    kind = chance.choice(["fractions", "bits", "heaviest"])

    def next_losses(w: list[float]) -> list[float]:
        if kind == "heaviest":
            return [float(i == w.index(max(w))) for i in range(n)]
        if kind == "bits":
            return [float(chance.random() < s) for s in skill]
        return [min(1.0, s * 2 * chance.random()) for s in skill]

    return next_losses


def hedge(losses: Losses, n: int, rounds: int, rate: Callable[[int], float]) -> list[tuple[float, float]]:
    """Hedge's loss and the best expert's, after each round."""
    sums, loss, course = [0.0] * n, 0.0, []
    for t in range(1, rounds + 1):
        w = weights(sums, rate(t))
        now = losses(w)
        loss += dot(w, now)
        sums = [a + b for a, b in zip(sums, now, strict=True)]
        course.append((loss, min(sums)))
    return course


@pytest.mark.parametrize("case", GOLDEN["bounds"]["random_expert_regret_lower_bound"])
def test_random_experts_golden(case: dict[str, Any]) -> None:
    assert bounds.random_experts_regret(case["T"], case["N"]) == near(case["value"])


@pytest.mark.parametrize(("rounds", "n"), [(0, 1), (0, 3), (1, 1), (1, 2), (2, 2), (3, 2), (4, 3)])
def test_random_experts_by_all_their_streams(rounds: int, n: int) -> None:
    """The labels are all 0: by symmetry they may be."""
    streams = list(product(product((0, 1), repeat=rounds), repeat=n))
    total = sum(Fraction(rounds, 2) - min(map(sum, advice)) for advice in streams)
    assert bounds.random_experts_regret(rounds, n) == near(float(total / len(streams)))


@pytest.mark.parametrize(("rounds", "n"), [(50, 1), (51, 1), (99, 5), (100, 7), (300, 40), (2001, 3)])
def test_random_experts_in_exact_fractions(rounds: int, n: int) -> None:
    tail, total = 0, 0
    for k in range(rounds, 0, -1):
        tail += math.comb(rounds, k)
        total += tail**n
    exact = Fraction(rounds, 2) - Fraction(total, 2 ** (rounds * n))
    assert bounds.random_experts_regret(rounds, n) == pytest.approx(float(exact), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("rounds", [10, 1001, 10**5])
def test_two_random_experts_have_a_closed_form(rounds: int) -> None:
    exact = (rounds * math.comb(2 * rounds, rounds) << 100 >> 2 * rounds + 1) / 2**100
    assert bounds.random_experts_regret(rounds, 2) == pytest.approx(exact, rel=1e-12)


@given(st.integers(0, 3000), st.integers(1, 10**6))
def test_the_lower_bound_is_below_the_upper_one_and_grows(rounds: int, n: int) -> None:
    value = bounds.random_experts_regret(rounds, n)
    assert 0 <= value <= bounds.hedge_horizon(rounds, n=n).value
    assert value <= bounds.random_experts_regret(rounds, n + 1) * (1 + 1e-12)
    assert value <= bounds.random_experts_regret(rounds + 1, n) * (1 + 1e-12) + 1e-12


@given(rounds_, experts, st.floats(1e-3, 10.0))
def test_no_fixed_rate_is_better_than_the_tuned_one(rounds: int, n: int, eta: float) -> None:
    horizon = bounds.hedge_horizon(rounds, n=n).value
    assert horizon <= bounds.hedge_fixed(rounds, n=n, eta=eta).value * (1 + 1e-12)
    assert bounds.hedge_anytime(rounds, n=n).value == near(horizon * math.sqrt(2))
    if rounds and n > 1:
        assert bounds.hedge_fixed(rounds, n=n, eta=math.sqrt(8 * math.log(n) / rounds)).value == near(horizon)
    assert bounds.sleeping(rounds, n=n, eta=eta).value == bounds.hedge_fixed(rounds, n=n, eta=eta).value
    assert (
        bounds.fixed_share(rounds, n=n, switches=0, eta=eta, alpha=0.0).value == bounds.hedge_fixed(rounds, n=n, eta=eta).value
    )


@given(st.integers(1, 10**4), experts, st.floats(0.0, 1.0), st.floats(0.0, 0.99))
def test_the_forms_in_their_order(rounds: int, n: int, part: float, beta: float) -> None:
    best = part * rounds
    ada = bounds.adahedge(best, rounds=rounds, n=n).value
    assert ada <= bounds.adahedge_scaled(rounds, n=n, scale=1.0).value * (1 + 1e-12)
    assert ada == pytest.approx(bounds.adahedge(rounds - best, rounds=rounds, n=n).value, rel=1e-6)
    assert bounds.hedge(best, n=n, beta=beta).value == bounds.randomized_majority(best, n=n, beta=beta).value
    assert bounds.hedge(best, n=n, beta=beta).value >= best * (1 - 1e-12)


@given(seeds, sizes, st.sampled_from([0.05, 0.5, 2.0]))
def test_hedge_at_a_fixed_rate(seed: int, n: int, eta: float) -> None:
    for t, (loss, best) in enumerate(hedge(losses_of(seed, n), n, 60, lambda t: eta), 1):
        assert bounds.hedge_fixed(t, n=n, eta=eta).allows(loss - best)
        assert bounds.hedge(best, n=n, beta=math.exp(-eta)).allows(loss)


@given(seeds, sizes, st.sampled_from([1, 10, 100]))
def test_hedge_with_a_known_horizon(seed: int, n: int, rounds: int) -> None:
    loss, best = hedge(losses_of(seed, n), n, rounds, lambda t: math.sqrt(8 * math.log(n) / rounds))[-1]
    assert bounds.hedge_horizon(rounds, n=n).allows(loss - best)


@given(seeds, sizes)
def test_hedge_at_any_time(seed: int, n: int) -> None:
    for t, (loss, best) in enumerate(hedge(losses_of(seed, n), n, 100, lambda t: 2 * math.sqrt(math.log(n) / t)), 1):
        assert bounds.hedge_anytime(t, n=n).allows(loss - best)


@given(seeds, st.integers(2, 6), st.sampled_from([1e-3, 1.0, 1e4]))
def test_adahedge_at_any_scale(seed: int, n: int, scale: float) -> None:
    losses, sums, loss, gaps = losses_of(seed, n), [0.0] * n, 0.0, 0.0
    for t in range(1, 101):
        eta = math.log(n) / gaps if gaps > 0 else math.inf
        w = weights(sums, eta)
        now = [scale * x for x in losses(w)]
        after = [a + b for a, b in zip(sums, now, strict=True)]
        if math.isinf(eta):
            mixed = min(after) - min(sums)
        else:
            mixed = -math.log(sum(a * math.exp(-eta * (x - min(now))) for a, x in zip(w, now, strict=True))) / eta + min(now)
        loss, gaps, sums = loss + dot(w, now), gaps + max(0.0, dot(w, now) - mixed), after
        regret = loss - min(sums)
        assert bounds.adahedge_run(gaps).allows(regret - 1e-9 * scale)
        assert bounds.adahedge_scaled(t, n=n, scale=scale).allows(regret)
        assert bounds.adahedge(min(t, min(sums) / scale), rounds=t, n=n).allows(regret / scale)


@given(seeds, st.integers(2, 5), st.sampled_from([0.2, 1.0]), st.sampled_from([0.01, 0.2]))
def test_fixed_share_against_every_sequence_of_experts(seed: int, n: int, eta: float, alpha: float) -> None:
    rounds, losses, w, loss = 40, losses_of(seed, n), [1 / n] * n, 0.0
    least = [[0.0] * n]  # least[s][i]: the least loss of a sequence that changed s times and ends with i
    for t in range(rounds):
        now = losses(w) if t < rounds // 2 else losses(w)[::-1]
        loss += dot(w, now)
        w = [a * math.exp(-eta * x) for a, x in zip(w, now, strict=True)]
        w = [((1 - alpha) * a + alpha * (sum(w) - a) / (n - 1)) / sum(w) for a in w]
        rows = [*least, [math.inf] * n] if t else least
        least = [
            [min(rows[s][i], min(rows[s - 1], default=math.inf) if s and t else math.inf) + now[i] for i in range(n)]
            for s in range(len(rows))
        ]
    for s, row in enumerate(least):
        bound = bounds.fixed_share(rounds, n=n, switches=s, eta=eta, alpha=alpha)
        assert bound.allows(loss - min(row))


@given(seeds, st.integers(1, 6), st.sampled_from([0.1, 1.0]))
def test_sleeping_experts(seed: int, n: int, eta: float) -> None:
    chance, losses, w = random.Random(seed), losses_of(seed, n), [1 / n] * n
    regret, awake_for = [0.0] * n, [0] * n
    for _ in range(80):
        awake = [i for i in range(n) if chance.random() < 0.6]
        now, total = losses(w), sum(w[i] for i in awake)
        loss = sum(w[i] * now[i] for i in awake) / total if awake else 0.0
        kept = sum(w[i] * math.exp(-eta * now[i]) for i in awake)
        for i in awake:
            w[i] *= math.exp(-eta * now[i]) * total / kept
            regret[i], awake_for[i] = regret[i] + loss - now[i], awake_for[i] + 1
    assert all(bounds.sleeping(awake_for[i], n=n, eta=eta).allows(regret[i]) for i in range(n))


@given(seeds, sizes, st.integers(2, 4))
def test_mixtures_under_the_log_loss_and_the_brier_score(seed: int, n: int, outcomes: int) -> None:
    chance = random.Random(seed)
    logs, briers, log_loss, brier_loss = [0.0] * n, [0.0] * n, 0.0, 0.0
    for _ in range(30):
        raw = [[chance.random() ** 3 + 1e-9 for _ in range(outcomes)] for _ in range(n)]
        forecasts = [[x / sum(row) for x in row] for row in raw]
        y = chance.choices(range(outcomes), forecasts[0])[0]
        scores = [[dot(p, p) - 2 * p[o] + 1 for o in range(outcomes)] for p in forecasts]
        log_loss -= math.log(sum(a * p[y] for a, p in zip(weights(logs, 1.0), forecasts, strict=True)))
        logs = [a - math.log(p[y]) for a, p in zip(logs, forecasts, strict=True)]
        p = brier_forecast(weights(briers, 1.0), scores)
        brier_loss += dot(p, p) - 2 * p[y] + 1
        briers = [a + row[y] for a, row in zip(briers, scores, strict=True)]
    assert bounds.mixture_log(n).allows(log_loss - min(logs))
    assert bounds.aggregating_brier(n).allows(brier_loss - min(briers))


def brier_forecast(w: list[float], scores: list[list[float]]) -> list[float]:
    """p = (s − g)⁺/2 where it sums to 1, for g the mixed scores of the outcomes."""
    g = [-math.log(dot(w, [math.exp(-row[o]) for row in scores])) for o in range(len(scores[0]))]
    smallest = sorted(g)
    levels = [(2 + sum(smallest[:k])) / k for k in range(1, len(g) + 1)]
    s = min(levels)
    return [max(0.0, s - x) / 2 for x in g]


@given(seeds, sizes, st.sampled_from([(0.0, 1.0), (-3.0, 5.0), (100.0, 100.5)]))
def test_the_aggregating_rule_under_the_squared_loss(seed: int, n: int, limits: tuple[float, float]) -> None:
    (a, b), chance = limits, random.Random(seed)
    eta, sums, loss = 2 / (b - a) ** 2, [0.0] * n, 0.0
    for _ in range(40):
        xs, y = [chance.choice([a, b, chance.uniform(a, b)]) for _ in range(n)], chance.choice([a, b, chance.uniform(a, b)])
        w = weights(sums, eta)
        at_a, at_b = (-math.log(dot(w, [math.exp(-eta * (x - end) ** 2) for x in xs])) / eta for end in (a, b))
        loss += ((a + b) / 2 + (at_a - at_b) / (2 * (b - a)) - y) ** 2
        sums = [s + (x - y) ** 2 for s, x in zip(sums, xs, strict=True)]
    assert bounds.aggregating_squared(n, low=a, high=b).allows(loss - min(sums))


@given(seeds, sizes)
def test_a_vote_errs_at_most_twice_as_often_as_it_loses(seed: int, n: int) -> None:
    chance, sums, loss, mistakes = random.Random(seed), [0.0] * n, 0.0, 0
    for _ in range(60):
        w, wrong = weights(sums, 0.5), [float(chance.random() < 0.5) for _ in range(n)]
        loss += dot(w, wrong)
        mistakes += dot(w, wrong) >= 0.5
        sums = [s + x for s, x in zip(sums, wrong, strict=True)]
    assert bounds.vote(loss).allows(mistakes)


def test_the_edges() -> None:
    for make in (bounds.hedge_horizon, bounds.hedge_anytime):
        assert make(0, n=5).value == make(7, n=1).value == 0.0
    assert bounds.hedge(0.0, n=1, beta=0.0).value == 0.0
    assert bounds.hedge(0.5, n=2, beta=0.0).infinite
    assert bounds.hedge_fixed(0, n=1, eta=1.0).value == 0.0
    assert bounds.adahedge(0.0, rounds=0, n=1).value == 2.0
    assert bounds.adahedge(1.0, rounds=1, n=2).value == near(16 / 3 * math.log(2) + 2)
    assert bounds.adahedge_scaled(9, n=1, scale=0.0).value == 0.0
    assert bounds.adahedge_run(0.0).value == bounds.vote(0.0).value == 0.0
    assert bounds.adahedge_run(math.inf).infinite
    assert bounds.fixed_share(9, n=2, switches=1, eta=1.0, alpha=0.0).infinite
    assert bounds.fixed_share(0, n=2, switches=0, eta=1.0, alpha=0.5).value == near(math.log(2))
    assert bounds.fixed_share(9, n=1, switches=0, eta=1.0, alpha=0.0).value == near(9 / 8)
    assert bounds.mixture_log(1).value == bounds.aggregating_brier(1).value == 0.0
    assert bounds.aggregating_squared(1, low=-1e308, high=1e308).value == 0.0
    assert bounds.aggregating_squared(5, low=2.0, high=2.0).value == 0.0
    assert bounds.aggregating_squared(2, low=-1e308, high=1e308).infinite
    assert bounds.random_experts_regret(10**5, 1) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.hedge(-1.0, n=2, beta=0.5),
        lambda: bounds.hedge(1.0, n=2, beta=1.0),
        lambda: bounds.hedge_fixed(-1, n=2, eta=1.0),
        lambda: bounds.hedge_fixed(1, n=2, eta=0.0),
        lambda: bounds.hedge_fixed(1, n=0, eta=1.0),
        lambda: bounds.hedge_horizon(-1, n=2),
        lambda: bounds.hedge_anytime(1, n=0),
        lambda: bounds.adahedge(2.0, rounds=1, n=2),
        lambda: bounds.adahedge(math.nan, rounds=1, n=2),
        lambda: bounds.adahedge(0.0, rounds=-1, n=2),
        lambda: bounds.adahedge_scaled(1, n=2, scale=-1.0),
        lambda: bounds.adahedge_run(-1.0),
        lambda: bounds.fixed_share(9, n=2, switches=9, eta=1.0, alpha=0.1),
        lambda: bounds.fixed_share(9, n=1, switches=1, eta=1.0, alpha=0.1),
        lambda: bounds.fixed_share(9, n=2, switches=1, eta=1.0, alpha=1.0),
        lambda: bounds.fixed_share(9, n=2, switches=1, eta=-1.0, alpha=0.1),
        lambda: bounds.sleeping(1, n=2, eta=math.inf),
        lambda: bounds.mixture_log(0),
        lambda: bounds.aggregating_brier(0),
        lambda: bounds.aggregating_squared(0, low=0.0, high=1.0),
        lambda: bounds.aggregating_squared(2, low=1.0, high=0.0),
        lambda: bounds.aggregating_squared(2, low=0.0, high=math.inf),
        lambda: bounds.vote(-0.5),
        lambda: bounds.random_experts_regret(-1, 2),
        lambda: bounds.random_experts_regret(1, 0),
        lambda: bounds.random_experts_regret(1, 2**65),
    ],
)
def test_numbers_a_theorem_cannot_have_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(th.ParameterError, match=r"found \w+ = .*, expected a number "):
        make()
