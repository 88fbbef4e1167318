"""The adversaries of majorities attain what theory says, and no stream, theirs or chance's, is above it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any, cast

import pytest

import thresher as th
from tests.golden import GOLDEN
from tests.plain_experts import (
    PlainFollowTheLeader,
    PlainImprovedMajority,
    PlainRandomizedMajority,
    PlainWeightedMajority,
)
from thresher import bounds
from thresher.adversaries import Halves, InTurn, LeaderErrs, RandomExperts, TwoConstants, force

# The product's learners, and plain ones that are nothing but the definition.
LEARNERS: dict[str, list[Any]] = {
    "WeightedMajority": [th.WeightedMajority, PlainWeightedMajority],
    "RandomizedMajority": [th.RandomizedMajority, PlainRandomizedMajority],
    "ImprovedMajority": [th.ImprovedMajority, PlainImprovedMajority],
    "FollowTheLeader": [th.FollowTheLeader, PlainFollowTheLeader],
}
weighted = pytest.mark.parametrize("WeightedMajority", LEARNERS["WeightedMajority"])
randomized = pytest.mark.parametrize("RandomizedMajority", LEARNERS["RandomizedMajority"])
improved = pytest.mark.parametrize("ImprovedMajority", LEARNERS["ImprovedMajority"])
leaders = pytest.mark.parametrize("FollowTheLeader", LEARNERS["FollowTheLeader"])
coins = pytest.mark.parametrize("Majority", LEARNERS["RandomizedMajority"] + LEARNERS["ImprovedMajority"])
majorities = pytest.mark.parametrize("kind", ["WeightedMajority", "RandomizedMajority", "ImprovedMajority"])

#: What the theorem of each is about, and the theorem.
BOUNDS: dict[str, tuple[str, Callable[..., bounds.Bound]]] = {
    "WeightedMajority": ("mistakes", bounds.weighted_majority),
    "RandomizedMajority": ("loss", bounds.randomized_majority),
    "ImprovedMajority": ("loss", bounds.improved_majority),
}

Stream = list[tuple[tuple[float, ...], int]]


def signed(label: int) -> int:
    """A golden 0/1 as −1/+1."""
    return 2 * label - 1


def pairs(rounds: Iterable[th.Round]) -> Stream:
    """The stream that was played."""
    return [(tuple(cast("Iterable[float]", played.example)), played.label) for played in rounds]


def wrong_in(stream: Stream) -> list[int]:
    """How often each expert errs in a stream of at least one round."""
    return [sum(said[i] != y for said, y in stream) for i in range(len(stream[0][0]))]


def relative(weights: Iterable[float | Fraction]) -> list[float]:
    """The heaviest weighing 1."""
    numbers = [float(w) for w in weights]
    return [w / max(numbers) for w in numbers]


def check_attained(learner: Any, kind: str, beta: float, n: int) -> float:
    """That the learner is within what its theorem allows for its best expert; and what part of it that is."""
    count, theorem = BOUNDS[kind]
    bound = theorem(int(min(learner.expert_mistakes)), n=n, beta=beta)
    made = float(getattr(learner, count))
    assert bound.allows(made)
    return made / bound.value if bound.value else 1.0


def random_stream(chance: random.Random, n: int, rounds: int) -> Stream:
    """Experts of all kinds, from nearly perfect to nearly always wrong."""
    skill = [chance.choice([0.02, 0.3, 0.5, 0.95]) for _ in range(n)]
    labels = [chance.choice([-1, +1]) for _ in range(rounds)]
    return [(tuple(float(-y if chance.random() < s else y) for s in skill), y) for y in labels]


# ------------------------------------------------------------------------------------------------ golden


@weighted
def test_the_golden_run_of_the_weighted_majority(WeightedMajority: Any) -> None:
    case = GOLDEN["experts_beta_half"]
    learner = WeightedMajority(case["N"], beta=0.5)
    for now in case["rounds"]:
        played = learner.learn([signed(said) for said in now["xi"]], signed(now["y"]))
        assert played.prediction.label == signed(now["wma_pred"])
        assert learner.mistakes == now["wma_M"]
        assert relative(learner.weights) == relative(Fraction(w) for w in now["w_after"])
    assert list(learner.expert_mistakes) == case["expert_mistakes"]


@randomized
def test_the_golden_run_of_the_randomized_majority(RandomizedMajority: Any) -> None:
    case = GOLDEN["experts_beta_half"]
    learner = RandomizedMajority(case["N"], beta=0.5)
    for now in case["rounds"]:
        played = learner.learn([signed(said) for said in now["xi"]], signed(now["y"]))
        assert played.prediction.p_positive == pytest.approx(float(Fraction(now["rwma_prob1"])), rel=1e-15)
        assert float(learner.loss) == pytest.approx(float(Fraction(now["rwma_LA"])), rel=1e-15)


def test_the_plain_randomized_majority_is_exact() -> None:
    case = GOLDEN["experts_beta_half"]
    learner = PlainRandomizedMajority(case["N"])
    for now in case["rounds"]:
        advice = [signed(said) for said in now["xi"]]
        assert learner.chance(advice) == Fraction(now["rwma_prob1"])
        learner.learn(advice, signed(now["y"]))
        assert learner.loss == Fraction(now["rwma_LA"])


@improved
def test_the_golden_run_of_the_improved_majority(ImprovedMajority: Any) -> None:
    case = GOLDEN["experts_beta_half"]
    learner = ImprovedMajority(case["N"], beta=0.5)
    for now in case["rounds"]:
        played = learner.learn([signed(said) for said in now["xi"]], signed(now["y"]))
        assert played.prediction.p_positive == pytest.approx(now["improved_linear"], rel=1e-12)
        assert float(learner.loss) == pytest.approx(now["improved_linear_LA"], rel=1e-12)


@leaders
def test_the_golden_stream_is_the_leader_adversary_s(FollowTheLeader: Any) -> None:
    case = GOLDEN["ftl_forced"]
    learner = FollowTheLeader(case["N"])
    rounds = force(LeaderErrs(case["N"], 2), learner)
    assert pairs(rounds) == [(tuple(float(signed(said)) for said in advice), signed(y)) for advice, y in case["stream"]]
    assert learner.mistakes == case["M"] == len(rounds) == case["T"]


# ------------------------------------------------------------------------------------------------ attained


@weighted
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 16, 21, 64, 1000])
def test_halves_force_every_mistake_of_the_weighted_majority_at_beta_0(WeightedMajority: Any, n: int) -> None:
    learner = WeightedMajority(n, beta=0.0)
    rounds = force(Halves(n), learner)
    assert learner.mistakes == len(rounds) == n.bit_length() - 1 == bounds.weighted_majority(0, n=n, beta=0.0).at_most
    assert learner.expert_mistakes[n - 1] == 0


@weighted
@pytest.mark.parametrize(
    ("beta", "n", "m", "part"),
    [
        (0.5, 16, 20, 0.93),
        (0.5, 100, 30, 0.97),
        (0.5, 1000, 50, 0.98),
        (0.1, 100, 30, 0.96),
        (0.9, 100, 30, 0.90),
        (0.5, 2, 10, 0.79),
    ],
)
def test_halves_force_most_of_the_weighted_majority_s_bound(
    WeightedMajority: Any, beta: float, n: int, m: int, part: float
) -> None:
    learner = WeightedMajority(n, beta=beta)
    rounds = force(Halves(n, m), learner)
    assert learner.mistakes == len(rounds)
    assert min(wrong_in(pairs(rounds))) == wrong_in(pairs(rounds))[n - 1] == m
    assert check_attained(learner, "WeightedMajority", beta, n) > part


@weighted
@pytest.mark.parametrize("beta", ["1/10", "1/2", "3/4"])
def test_the_weighted_majority_s_bound_in_exact_fractions(WeightedMajority: Any, beta: str) -> None:
    """β^m ≤ W ≤ n((1 + β)/2)^M, what the theorem is before logarithms are taken."""
    for n, m in product([1, 2, 3, 10, 40], [0, 1, 7]):
        learner, kept = WeightedMajority(n, beta=float(Fraction(beta))), Fraction(beta)
        force(Halves(n, m), learner)
        assert kept ** int(min(learner.expert_mistakes)) <= n * ((1 + kept) / 2) ** learner.mistakes


@improved
@pytest.mark.parametrize("k", range(8))
def test_halves_cost_the_improved_majority_all_of_its_bound_at_beta_0(ImprovedMajority: Any, k: int) -> None:
    learner = ImprovedMajority(2**k, beta=0.0)
    force(Halves(2**k), learner)
    assert learner.loss == k / 2 == bounds.improved_majority(0, n=2**k, beta=0.0).value
    assert learner.loss == bounds.improved_majority_tuned(0, n=2**k, most=0).value
    assert min(learner.expert_mistakes) == 0


@improved
@pytest.mark.parametrize(("beta", "n", "m", "part"), [(0.5, 16, 20, 0.96), (0.5, 100, 30, 0.98), (0.1, 100, 30, 0.99)])
def test_halves_cost_the_improved_majority_most_of_its_bound(
    ImprovedMajority: Any, beta: float, n: int, m: int, part: float
) -> None:
    learner = ImprovedMajority(n, beta=beta)
    force(Halves(n, m), learner)
    assert min(learner.expert_mistakes) == m
    assert check_attained(learner, "ImprovedMajority", beta, n) > part


@randomized
def test_experts_that_err_in_turn_cost_the_randomized_majority_its_bound(RandomizedMajority: Any) -> None:
    learner = RandomizedMajority(50, beta=0.5)
    rounds = force(InTurn(50, 20), learner)
    assert min(learner.expert_mistakes) == learner.expert_mistakes[49] == 20
    assert all(sum(said != y for said in advice) == 1 for advice, y in pairs(rounds))
    assert check_attained(learner, "RandomizedMajority", 0.5, 50) > 0.99


@randomized
def test_a_perfect_expert_among_many_in_turn(RandomizedMajority: Any) -> None:
    """β = 0 and m = 0: L = Σ 1/k for k = n … 2, which tends to the bound ln n less a constant."""
    learner = RandomizedMajority(30, beta=0.0)
    force(InTurn(30, 0), learner)
    assert float(learner.loss) == pytest.approx(sum(1 / k for k in range(2, 31)), rel=1e-12)
    assert check_attained(learner, "RandomizedMajority", 0.0, 30) < 1


@leaders
@pytest.mark.parametrize(("n", "m"), list(product([1, 2, 3, 10], [0, 1, 6])))
def test_the_leader_alone_errs_and_the_bound_is_met(FollowTheLeader: Any, n: int, m: int) -> None:
    learner = FollowTheLeader(n)
    rounds = force(LeaderErrs(n, m), learner)
    assert learner.mistakes == len(rounds) == n * m + n - 1 == bounds.follow_the_leader(m, n=n).at_most
    assert min(learner.expert_mistakes) == m


class LastLeader(PlainFollowTheLeader):
    def label(self, x: Any) -> int:
        return int(x[max(i for i in range(len(x)) if self.wrong[i] == min(self.wrong))])


def test_the_leader_errs_however_ties_are_broken() -> None:
    learner = LastLeader(5)
    assert all(played.mistake for played in force(LeaderErrs(5, 3), learner))
    assert learner.mistakes == 19


# ------------------------------------------------------------------------------------------------ two constants


class AlwaysNo:
    def predict(self, x: object) -> th.Prediction:
        return th.Prediction(-1, 0.0)

    def learn(self, x: object, y: th.Label, weight: float = 1.0) -> th.Round:
        return th.Round(1, x, self.predict(x), y, changed=False, weight=weight)


WITHOUT_COINS = [lambda n: AlwaysNo(), th.Perceptron, lambda n: th.Perceptron(n, tie="mistake"), th.BalancedWinnow]


@pytest.mark.parametrize("make", [*WITHOUT_COINS, *LEARNERS["WeightedMajority"], *LEARNERS["FollowTheLeader"]])
@pytest.mark.parametrize("rounds", [1, 8, 101])
def test_two_constants_force_a_mistake_in_every_round(make: Callable[[int], Any], rounds: int) -> None:
    played = force(TwoConstants(rounds), make(2))
    assert [now.mistake for now in played] == [True] * rounds
    assert all(advice == (1.0, -1.0) for advice, _ in pairs(played))
    assert min(wrong_in(pairs(played))) <= rounds / 2


@coins
def test_two_constants_cost_a_coin_half_a_mistake_in_every_round(Majority: Any) -> None:
    learner = Majority(2, beta=0.5)
    force(TwoConstants(100), learner)
    assert float(learner.loss) >= 50
    assert min(learner.expert_mistakes) <= 50


# ------------------------------------------------------------------------------------------------ random experts


@randomized
def test_the_regret_over_all_streams_is_exactly_the_formula(RandomizedMajority: Any) -> None:
    regret, streams = 0.0, list(product(product((-1.0, 1.0), repeat=2), (-1, +1)))
    for stream in product(streams, repeat=3):
        learner = RandomizedMajority(2, beta=0.5)
        for advice, y in stream:
            learner.learn(advice, y)
        regret += float(learner.loss) - int(min(learner.expert_mistakes))
    assert regret / len(streams) ** 3 == pytest.approx(RandomExperts(2, 3).regret, rel=1e-12)


@pytest.mark.parametrize("make", [make for alike in LEARNERS.values() for make in alike])
def test_the_regret_over_many_seeds_is_about_the_formula(make: Any) -> None:
    regret = 0.0
    for seed in range(60):
        learner = make(10)
        force(RandomExperts(10, 40, seed), learner)
        regret += (float(learner.loss) - int(min(learner.expert_mistakes))) / 60
    assert regret == pytest.approx(RandomExperts(10, 40).regret, abs=1.5)  # about three standard deviations


def test_random_experts_are_fair_and_their_seed_is_all_there_is() -> None:
    first, again, other = (pairs(force(RandomExperts(7, 400, seed), AlwaysNo())) for seed in (3, 3, 4))
    assert first == again != other
    for column in [*zip(*(advice for advice, _ in first), strict=True), [y for _, y in first]]:
        assert set(column) == {-1, +1}
        assert 150 < sum(v == 1 for v in column) < 250
    assert len(first) == 400


# ------------------------------------------------------------------------------------------------ never above


@majorities
@pytest.mark.parametrize("beta", [0.1, 0.5, 0.875])
def test_no_random_stream_is_above_the_bound(kind: str, beta: float) -> None:
    for make in LEARNERS[kind]:
        for seed in range(250):
            chance = random.Random(seed)
            n = chance.randint(1, 6)
            learner = make(n, beta=beta)
            for advice, y in random_stream(chance, n, chance.choice([1, 5, 25])):
                learner.learn(advice, y)
            check_attained(learner, kind, beta, n)


@majorities
@pytest.mark.parametrize("beta", [0.0, 0.25, 0.5, 0.75])
@pytest.mark.parametrize("n", [2, 3, 8, 20])
def test_no_adversary_is_above_the_bound(kind: str, beta: float, n: int) -> None:
    adversaries: list[Any] = [Halves(n), InTurn(n, 0), LeaderErrs(n, 0)]
    if beta:
        adversaries += [Halves(n, 4), InTurn(n, 2), LeaderErrs(n, 3), RandomExperts(n, 30, n), TwoConstants(20)]
    for make, adversary in product(LEARNERS[kind], adversaries):
        if not isinstance(adversary, TwoConstants) or n == 2:
            learner = make(n, beta=beta)
            assert force(adversary, learner, most=300)
            check_attained(learner, kind, beta, n)


@leaders
def test_no_stream_is_above_the_leader_s_bound(FollowTheLeader: Any) -> None:
    for seed in range(400):
        chance = random.Random(seed)
        n = chance.randint(1, 6)
        learner = FollowTheLeader(n)
        for advice, y in random_stream(chance, n, 30):
            learner.learn(advice, y)
        assert bounds.follow_the_leader(int(min(learner.expert_mistakes)), n=n).allows(learner.mistakes)


# ------------------------------------------------------------------------------------------------ what they see


ALL: list[Any] = [RandomExperts(6, 40), TwoConstants(40), InTurn(6, 3), Halves(6, 5), LeaderErrs(6, 5)]


@coins
@pytest.mark.parametrize("adversary", ALL)
def test_no_adversary_looks_at_a_coin(Majority: Any, adversary: Any) -> None:
    n = getattr(adversary, "n", 2)
    games = [force(adversary, Majority(n, beta=0.5, seed=seed), most=200) for seed in range(6)]
    streams, labels = zip(*((pairs(game), [now.prediction.label for now in game]) for game in games), strict=True)
    assert all(stream == streams[0] for stream in streams)
    assert any(said != labels[0] for said in labels)  # the coins did differ


@pytest.mark.parametrize("adversary", ALL)
def test_an_adversary_leaves_the_learner_alone_and_may_be_played_again(adversary: Any) -> None:
    n = getattr(adversary, "n", 2)
    learner = PlainWeightedMajority(n)
    first = next(adversary.against(learner))
    assert (learner.rounds, learner.wrong) == (0, [0] * n)
    games = [pairs(force(adversary, PlainWeightedMajority(n), most=100)) for _ in range(2)]
    assert games[0] == games[1]
    assert games[0][0] == first


def test_experts_in_turn_go_on_against_who_never_learns() -> None:
    stream = pairs(force(InTurn(4, 2), AlwaysNo(), most=50))
    assert wrong_in(stream) == [16, 16, 16, 2]


# ------------------------------------------------------------------------------------------------ bad parameters


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: RandomExperts(0, 5), "found n = 0, expected a whole number of at least 1"),
        (lambda: RandomExperts(2, -1), "found rounds = -1, expected a whole number of at least 0"),
        (lambda: RandomExperts(2, 5, -3), "found seed = -3, expected a whole number of at least 0"),
        (lambda: RandomExperts(2, cast("int", 5.0)), "found rounds = 5.0, expected a whole number"),
        (lambda: TwoConstants(-1), "found rounds = -1"),
        (lambda: TwoConstants(True), "found rounds = True"),
        (lambda: InTurn(1, 5), "found n = 1, expected a whole number of at least 2"),
        (lambda: InTurn(2, -5), "found mistakes = -5"),
        (lambda: Halves(0), "found n = 0"),
        (lambda: Halves(4, -1), "found mistakes = -1"),
        (lambda: Halves(cast("int", "4")), "found n = '4'"),
        (lambda: LeaderErrs(0, 1), "found n = 0"),
        (lambda: LeaderErrs(2, -1), "found mistakes = -1"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], match: str) -> None:
    with pytest.raises(th.ParameterError, match=match):
        make()


def test_halves_say_what_they_cannot_play_against() -> None:
    with pytest.raises(th.ParameterError, match="found 3 weights in PlainWeightedMajority, but this adversary plays against 4"):
        force(Halves(4), PlainWeightedMajority(3))
    blind: Any = PlainFollowTheLeader(4)
    with pytest.raises(th.ParameterError, match="found no weights to look at in PlainFollowTheLeader"):
        force(Halves(4), blind)
