"""The majorities' theorems as values: golden numbers, their order, no stream above them, adversaries that reach them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.golden import GOLDEN
from thresher import bounds

BOUNDS = GOLDEN["bounds"]
KINDS: list[Literal["linear", "mean", "vovk"]] = ["linear", "mean", "vovk"]
RULES: list[Literal["randomized", "improved"]] = ["randomized", "improved"]
betas = st.one_of(st.sampled_from([0.0, 1e-300, 1e-10, 0.1, 0.5, 0.9, 1 - 2.0**-53]), st.floats(0.0, 1.0, exclude_max=True))
seeds = st.integers(0, 2**32 - 1)
experts = st.integers(1, 10**6)
counts = st.integers(0, 10**6)

Stream = Iterable[tuple[Sequence[int], int]]


def near(number: float) -> Any:
    return pytest.approx(number, rel=1e-12, abs=1e-15)


class Played(NamedTuple):
    mistakes: int
    loss: Fraction
    improved: dict[str, float]
    experts: list[int]


def play(stream: Stream, n: int, beta: Fraction, tie: int = 0) -> Played:
    """The weighted, the randomised and the improved majorities, exactly as far as their rules are."""
    wrong, mistakes, loss = [0] * n, 0, Fraction(0)
    improved = {str(kind): 0.0 for kind in KINDS}
    for advice, y in stream:
        w = [beta**count for count in wrong]
        share = sum((a * b for a, b in zip(w, advice, strict=True)), Fraction(0)) / sum(w, Fraction(0))
        said = int(share > Fraction(1, 2)) if share != Fraction(1, 2) else tie
        mistakes += said != y
        loss += abs(y - share)
        for kind in KINDS:
            improved[kind] += abs(y - bounds.improved_share(float(share), float(beta), kind))
        wrong = [count + (said != y) for count, said in zip(wrong, advice, strict=True)]
    return Played(mistakes, loss, improved, wrong)


def heavier_half(w: Sequence[Fraction]) -> list[int]:
    """A set with at least half of the weight, and not much more: each goes where there is less, the heaviest first."""
    sides: tuple[list[int], list[int]] = ([], [])
    sums = [Fraction(0), Fraction(0)]
    for i in sorted(range(len(w)), key=lambda i: -w[i]):
        side = sums[1] < sums[0]
        sides[side].append(i)
        sums[side] += w[i]
    return sides[sums[1] > sums[0]]


def forced(n: int, beta: Fraction, rounds: int) -> list[int]:
    """The experts' mistakes after so many mistakes of the weighted majority: in each round the heavier half is wrong."""
    wrong = [0] * n
    for _ in range(rounds):
        for i in heavier_half([beta**count for count in wrong]):
            wrong[i] += 1
    return wrong


def random_stream(chance: random.Random, n: int, rounds: int) -> list[tuple[list[int], int]]:
    skill = [chance.choice([0.05, 0.3, 0.5, 0.9]) for _ in range(n)]
    labels = [chance.randint(0, 1) for _ in range(rounds)]
    return [([y ^ (chance.random() < s) for s in skill], y) for y in labels]


@pytest.mark.parametrize("case", BOUNDS["wma"])
def test_weighted_majority_golden(case: dict[str, Any]) -> None:
    value = bounds.weighted_majority(case["m"], n=case["N"], beta=case["beta"]).value
    assert value == near(case["value"])
    if "a" in case:
        assert case["a"] * case["m"] + case["c"] * math.log2(case["N"]) == near(value)


@pytest.mark.parametrize("case", BOUNDS["rwma"])
def test_randomized_majority_golden(case: dict[str, Any]) -> None:
    assert bounds.randomized_majority(case["m"], n=case["N"], beta=case["beta"]).value == near(case["value"])


@pytest.mark.parametrize("case", BOUNDS["improved"])
def test_improved_majority_golden(case: dict[str, Any]) -> None:
    assert bounds.improved_majority(case["m"], n=case["N"], beta=case["beta"]).value == near(case["value"])


@pytest.mark.parametrize("case", BOUNDS["tuned"])
def test_tuned_golden(case: dict[str, Any]) -> None:
    n, most = case["N"], case["K"]
    assert bounds.beta_for(most, n) == near(case["beta_rwma"])
    assert bounds.beta_for(most, n, rule="improved") == near(case["beta_improved"])
    assert bounds.randomized_majority_tuned(most, n=n, most=most).value == near(case["rwma_bound"])
    assert bounds.improved_majority_tuned(most, n=n, most=most).value == near(case["improved_bound"])


@pytest.mark.parametrize("case", GOLDEN["improved_F"])
def test_improved_shares_golden(case: dict[str, Any]) -> None:
    low, high = bounds.improved_limits(case["r"], case["beta"])
    assert low == near(-math.inf if case["L"] is None else case["L"])
    assert high == near(math.inf if case["U"] is None else case["U"])
    for kind in KINDS:
        assert bounds.improved_share(case["r"], case["beta"], kind) == near(case[kind])


def test_a_run_round_by_round_golden() -> None:
    case = GOLDEN["experts_beta_half"]
    stream = [(now["xi"], now["y"]) for now in case["rounds"]]
    for rounds, now in enumerate(case["rounds"], 1):
        played = play(stream[:rounds], case["N"], Fraction(case["beta"]))
        assert (played.mistakes, played.loss) == (now["wma_M"], Fraction(now["rwma_LA"]))
        for kind in KINDS:
            assert played.improved[kind] == near(now[f"improved_{kind}_LA"])
    assert played.experts == case["expert_mistakes"]
    best: dict[str, Any] = {"mistakes": min(played.experts), "n": case["N"], "beta": 0.5}
    assert bounds.weighted_majority(**best).value == near(case["bounds"]["wma"])
    assert bounds.randomized_majority(**best).value == near(case["bounds"]["rwma"])
    assert bounds.improved_majority(**best).value == near(case["bounds"]["improved"])


@given(counts, experts, betas)
def test_improved_is_half_of_weighted_and_randomized_between(m: int, n: int, beta: float) -> None:
    weighted = bounds.weighted_majority(m, n=n, beta=beta).value
    improved = bounds.improved_majority(m, n=n, beta=beta).value
    assert improved == weighted / 2
    assert improved <= bounds.randomized_majority(m, n=n, beta=beta).value * (1 + 1e-12) <= weighted * (1 + 1e-11)
    assert improved >= m * (1 - 1e-12)


@given(counts, experts, betas)
def test_more_mistakes_or_more_experts_never_lower_a_bound(m: int, n: int, beta: float) -> None:
    for make in (bounds.weighted_majority, bounds.randomized_majority, bounds.improved_majority):
        assert make(m, n=n, beta=beta).value <= make(m + 1, n=n, beta=beta).value
        assert make(m, n=n, beta=beta).value <= make(m, n=n + 1, beta=beta).value
    for double in (bounds.doubling, bounds.follow_the_leader):
        assert double(m, n=n).value <= double(m + 1, n=n).value
        assert double(m, n=n).value <= double(m, n=n + 1).value


@given(counts, experts, st.floats(1e-6, 0.5))
def test_the_textbook_forms_are_never_below(m: int, n: int, eta: float) -> None:
    weighted = bounds.weighted_majority(m, n=n, beta=1 - eta).value
    assert weighted <= bounds.weighted_majority_textbook(m, n=n, eta=eta).value * (1 + 1e-9)
    randomized = bounds.randomized_majority(m, n=n, beta=1 - eta).value
    assert randomized <= bounds.randomized_majority_textbook(m, n=n, eta=eta).value * (1 + 1e-9)


def test_how_far_the_textbook_forms_would_follow() -> None:
    def per_mistake(make: Callable[..., bounds.Bound], eta: float) -> float:
        return make(1, n=1, beta=1 - eta).value / (1 + eta)

    assert per_mistake(bounds.weighted_majority, 0.8938) < 2 < per_mistake(bounds.weighted_majority, 0.8940)
    assert per_mistake(bounds.randomized_majority, 0.6837) < 1 < per_mistake(bounds.randomized_majority, 0.6839)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000, 10**6])
def test_the_tuned_forms_follow_from_their_beta(n: int) -> None:
    nearest = dict.fromkeys(RULES, 0.0)
    for step in range(200):
        most = 0 if step == 0 else 10 ** (step / 20 - 2)
        for m in (0.0, most / 3, most):
            for rule, make, tuned in (
                (RULES[0], bounds.randomized_majority, bounds.randomized_majority_tuned),
                (RULES[1], bounds.improved_majority, bounds.improved_majority_tuned),
            ):
                value = make(m, n=n, beta=bounds.beta_for(most, n, rule=rule)).value
                limit = tuned(m, n=n, most=most).value
                assert value <= limit * (1 + 1e-9) + 1e-9
                nearest[rule] = max(nearest[rule], value / limit if limit else 0.0)
    assert min(nearest.values()) > 0.999


@given(st.floats(0.0, 1.0), betas)
def test_every_share_is_between_its_limits_and_fair(r: float, beta: float) -> None:
    low, high = bounds.improved_limits(r, beta)
    assert low <= high + 1e-12
    for kind in KINDS:
        share = bounds.improved_share(r, beta, kind)
        assert max(0.0, low) - 1e-12 <= share <= min(1.0, high) + 1e-12
        assert share + bounds.improved_share(1 - r, beta, kind) == pytest.approx(1.0, abs=1e-12)
    assert all(bounds.improved_share(0.5, beta, kind) == 0.5 for kind in KINDS)


def test_the_logarithms_lose_no_digits_at_either_end() -> None:
    tiny = 1e-10  # 1 − β would keep six digits of it
    assert bounds.randomized_majority(1, n=1, beta=tiny).value == near(10 * math.log(10) / (1 - tiny))
    assert bounds.weighted_majority(1, n=1, beta=1e-300).value == near(300 * math.log(10) / math.log(2))
    close = 1 - 2.0**-40
    assert bounds.randomized_majority(1, n=1, beta=close).value == near(1 + 2.0**-41)
    assert bounds.improved_majority(1, n=1, beta=close).value == near(1 + 2.0**-42)


def test_the_edges() -> None:
    assert bounds.weighted_majority(0, n=1, beta=0.0).value == 0.0
    assert bounds.weighted_majority(7, n=1, beta=0.5).at_most == 16  # alone it makes 7: the formula does not know
    assert [bounds.weighted_majority(0, n=2**k, beta=0.0).value for k in range(64)] == list(range(64))
    for make in (bounds.weighted_majority, bounds.randomized_majority, bounds.improved_majority):
        assert make(1, n=2, beta=0.0).infinite
        assert make(math.inf, n=2, beta=0.5).infinite
        assert math.isfinite(make(0, n=10**400, beta=0.5).value)
    assert bounds.randomized_majority(3, n=1, beta=1 - 2.0**-53).value == near(3.0)
    assert bounds.randomized_majority_tuned(0, n=1, most=0).value == 0.0
    assert bounds.improved_majority_tuned(0, n=1, most=0).value == 0.0
    assert bounds.improved_majority_tuned(0, n=2**7, most=0).value == 3.5
    assert bounds.beta_for(0, 1) == bounds.beta_for(0, 5, rule="improved") == 0.0
    assert bounds.beta_for(3, 1) == bounds.beta_for(1e300, 2) == math.nextafter(1.0, 0.0)
    assert bounds.doubling(5, n=1).value == 5.0
    assert bounds.doubling(0, n=2).value == near((2 + math.sqrt(2)) * math.log(2))
    assert bounds.doubling(math.inf, n=2).infinite
    assert bounds.follow_the_leader(0, n=1).value == 0.0
    assert bounds.follow_the_leader(4, n=1).value == 4.0
    assert bounds.realised_mistakes(7.0, delta=1.0).value == 7.0
    assert bounds.realised_mistakes(0.0, delta=math.exp(-3)).value == near(2.0)
    assert bounds.realised_mistakes(math.inf, delta=0.5).infinite


@given(seeds, st.integers(1, 6), st.sampled_from(["1/10", "1/2", "9/10"]), st.integers(0, 1))
def test_no_stream_exceeds_the_bounds_of_any_expert(seed: int, n: int, beta: str, tie: int) -> None:
    played = play(random_stream(random.Random(seed), n, 30), n, Fraction(beta), tie)
    best: dict[str, Any] = {"mistakes": min(played.experts), "n": n, "beta": float(Fraction(beta))}
    assert bounds.weighted_majority(**best).allows(played.mistakes)
    assert bounds.randomized_majority(**best).allows(float(played.loss))
    assert all(bounds.improved_majority(**best).allows(loss) for loss in played.improved.values())


@given(seeds, st.integers(1, 6), st.sampled_from([40, 400]))
def test_doubling_stays_within_its_bound(seed: int, n: int, rounds: int) -> None:
    stream = random_stream(random.Random(seed), n, rounds)
    phase, beta, w, loss = 0, bounds.beta_for(math.log(n), n), [1.0] * n, 0.0
    here, wrong = [0] * n, [0] * n
    for advice, y in stream:
        missed = [i for i in range(n) if advice[i] != y]
        loss += sum(w[i] for i in missed) / sum(w)
        for i in missed:
            w[i], here[i], wrong[i] = w[i] * beta, here[i] + 1, wrong[i] + 1
        if min(here) > 4**phase * math.log(n):
            phase, here, w = phase + 1, [0] * n, [1.0] * n
            beta = bounds.beta_for(4**phase * math.log(n), n)
    assert bounds.doubling(min(wrong), n=n).allows(loss)


def test_halving_is_forced_to_all_that_the_bound_allows() -> None:
    for k in range(7):
        assert min(forced(2**k, Fraction(0), k)) == 0
        assert bounds.weighted_majority(0, n=2**k, beta=0.0).at_most == k


@pytest.mark.parametrize(("n", "beta", "rounds", "part"), [(127, "1/10", 49, 0.97), (16, "1/2", 58, 0.92)])
def test_the_weighted_majority_is_forced_to_most_of_its_bound(n: int, beta: str, rounds: int, part: float) -> None:
    best = min(forced(n, Fraction(beta), rounds))
    assert part < rounds / bounds.weighted_majority(best, n=n, beta=float(Fraction(beta))).value <= 1


def test_experts_that_err_in_turn_cost_the_randomized_majority_almost_its_bound() -> None:
    n, m, beta = 100, 30, 0.5
    w, loss = [1.0] * n, 0.0
    for cycle in range(m + 15):
        for i in range(n if cycle < m else n - 1):  # at the end one expert is always right
            loss += w[i] / sum(w)
            w[i] *= beta
    assert 0.99 < loss / bounds.randomized_majority(m, n=n, beta=beta).value <= 1


@pytest.mark.parametrize("k", range(7))
def test_halving_costs_the_improved_majority_all_of_its_bound(k: int) -> None:
    """Half of those that were always right err: the share of the weight is 1/2, so is the loss."""
    stream = [([int(i >> round_ & 1) for i in range(2**k)], 1) for round_ in range(k)]
    played = play(stream, 2**k, Fraction(0))
    for loss in played.improved.values():
        assert loss == bounds.improved_majority(0, n=2**k, beta=0.0).value == k / 2
        assert loss == bounds.improved_majority_tuned(0, n=2**k, most=0).value


def test_the_leader_alone_errs_and_the_bound_is_met() -> None:
    case = GOLDEN["ftl_forced"]
    wrong, mistakes = [0] * case["N"], 0
    for advice, y in case["stream"]:
        mistakes += advice[wrong.index(min(wrong))] != y
        wrong = [count + (said != y) for count, said in zip(wrong, advice, strict=True)]
    assert mistakes == case["M"] == bounds.follow_the_leader(min(wrong), n=case["N"]).at_most


@given(seeds, st.integers(1, 6))
def test_no_leader_errs_more_often(seed: int, n: int) -> None:
    wrong, mistakes = [0] * n, 0
    for advice, y in random_stream(random.Random(seed), n, 100):
        mistakes += advice[wrong.index(min(wrong))] != y
        wrong = [count + (said != y) for count, said in zip(wrong, advice, strict=True)]
    assert bounds.follow_the_leader(min(wrong), n=n).allows(mistakes)


@pytest.mark.parametrize("chances", [[0.5] * 40, [0.1] * 60, [0.02] * 100, [0.01, 0.5, 0.99] * 15])
def test_realised_mistakes_exceed_their_bound_no_more_often_than_said(chances: list[float]) -> None:
    """The exact distribution of a sum of independent coins."""
    masses = [1.0]
    for p in chances:
        masses = [a * (1 - p) + b * p for a, b in zip([*masses, 0.0], [0.0, *masses], strict=True)]
    for delta in (0.5, 0.1, 0.01, 1e-6):
        bound = bounds.realised_mistakes(sum(chances), delta=delta)
        assert sum(masses[math.floor(bound.at_most) + 1 :]) <= delta


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.weighted_majority(-1, n=2, beta=0.5),
        lambda: bounds.weighted_majority(1, n=0, beta=0.5),
        lambda: bounds.weighted_majority(1, n=2, beta=1.0),
        lambda: bounds.weighted_majority(1, n=2, beta=-0.1),
        lambda: bounds.weighted_majority(math.nan, n=2, beta=0.5),
        lambda: bounds.weighted_majority_textbook(1, n=2, eta=0.6),
        lambda: bounds.weighted_majority_textbook(1, n=2, eta=0.0),
        lambda: bounds.randomized_majority(1, n=2, beta=math.nan),
        lambda: bounds.randomized_majority_textbook(1, n=2, eta=0.51),
        lambda: bounds.randomized_majority_textbook(-1, n=2, eta=0.5),
        lambda: bounds.randomized_majority_tuned(11, n=2, most=10),
        lambda: bounds.randomized_majority_tuned(0, n=2, most=math.inf),
        lambda: bounds.improved_majority(1, n=-2, beta=0.5),
        lambda: bounds.improved_majority_tuned(-1, n=2, most=10),
        lambda: bounds.improved_majority_tuned(0, n=0, most=10),
        lambda: bounds.beta_for(-1, 2),
        lambda: bounds.beta_for(1, 0),
        lambda: bounds.realised_mistakes(-1, delta=0.1),
        lambda: bounds.realised_mistakes(1, delta=0.0),
        lambda: bounds.realised_mistakes(1, delta=1.5),
        lambda: bounds.doubling(-1, n=2),
        lambda: bounds.doubling(1, n=0),
        lambda: bounds.follow_the_leader(-1, n=2),
        lambda: bounds.follow_the_leader(1, n=0),
        lambda: bounds.improved_limits(1.1, 0.5),
        lambda: bounds.improved_limits(0.5, 1.0),
        lambda: bounds.improved_share(-0.1, 0.5),
        lambda: bounds.improved_share(math.nan, 0.5),
    ],
)
def test_numbers_a_theorem_cannot_have_are_refused_by_name(make: Callable[[], object]) -> None:
    with pytest.raises(th.ParameterError, match=r"found \w+ = .*, expected a number "):
        make()


def test_rules_and_kinds_that_there_are_not_are_refused() -> None:
    unknown: Any = "best"
    with pytest.raises(th.ParameterError, match="found rule = 'best', expected randomized or improved"):
        bounds.beta_for(1, 2, rule=unknown)
    with pytest.raises(th.ParameterError, match="found kind = 'best', expected one of linear, mean, vovk"):
        bounds.improved_share(0.5, 0.5, unknown)


def test_what_is_not_a_count_is_printed_with_its_decimals_and_never_below() -> None:
    assert str(bounds.improved_majority(0, n=2, beta=0.0)) == "expected mistakes ≤ 0.5 by Improved majority"
    assert str(bounds.mixture_log(10)) == "regret ≤ 2.30259 by Mixture, log loss"
    assert str(bounds.hedge(1.0, n=2, beta=0.0)) == "loss ≤ ∞ by Hedge"
    assert str(bounds.weighted_majority(5, n=10, beta=0.5)) == "mistakes ≤ 20 by Weighted majority"
