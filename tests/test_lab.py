"""Every theorem is played: none is above its bound, what is forced attains it, and streams are what they are said to be."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.plays import quick, whole
from thresher.lab import EXPERIMENTS, Result, find, play
from thresher.lab.experiment import Stream, Trials
from thresher.lab.theorems import FAMILIES

every = pytest.mark.parametrize("name", EXPERIMENTS)

# These have the games of another theorem of their family, and bounds that are never below its own: they are not played here.
WEAKER = {
    "balanced-winnow-textbook", "margin-perceptron", "margin-perceptron-textbook", "p-norm-hinge", "perceptron-gap",
    "winnow-littlestone", "winnow-r-of-k", "winnow-simple", "winnow-textbook", "winnow-threshold", "winnow-threshold-simple",
}  # fmt: skip
each = pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in WEAKER])


def attained(result: Result, stream: str) -> list[tuple[int, float, float]]:
    return [(outcome.size, outcome.attained, outcome.allowed) for outcome in result.of(stream)]


# ------------------------------------------------------------------------------------------------ all theorems


def test_every_theorem_has_an_experiment() -> None:
    assert [experiment.theorem for experiment in EXPERIMENTS.values()] == [
        make for makers in FAMILIES.values() for make in makers
    ]


@each
def test_no_count_is_above_its_bound(name: str) -> None:
    result = quick(name)
    assert result.refuted is None
    assert result.worst.ratio <= 1 + 1e-9
    assert {outcome.size for outcome in result.outcomes} == set(EXPERIMENTS[name].sizes[:3])


@each
def test_what_is_forced_attains_the_bound_in_every_size(name: str) -> None:
    forced = [outcome for outcome in quick(name).outcomes if outcome.kind == "forced"]
    assert bool(forced) == (EXPERIMENTS[name].tight == 1)
    assert all(outcome.ratio == pytest.approx(1, abs=1e-9) for outcome in forced)


@every
def test_a_full_run_has_random_streams_too(name: str) -> None:
    kinds = {stream.kind for stream in EXPERIMENTS[name].streams}
    assert "random" in kinds
    assert kinds != {"random"} or EXPERIMENTS[name].tight < 1


@every
def test_the_definition_of_the_algorithm_can_be_shown(name: str) -> None:
    code = EXPERIMENTS[name].code
    assert code.startswith("def definition")
    compile(code, name, "exec")


@pytest.mark.parametrize(
    ("name", "stream", "expected"),
    [
        ("perceptron-separable", "orthonormal examples", [(4, 4, 4), (9, 9, 9), (16, 16, 16)]),
        ("perceptron-distance", "spiral of Theodorus", [(5, 5, 5), (10, 10, 10), (20, 20, 20)]),
        ("multiclass-perceptron", "two classes, orthonormal", [(4, 8, 8), (9, 18, 18), (16, 32, 32)]),
        ("margin-perceptron-recursion", "grazing examples", [(2, 7, 7), (4, 37, 37), (6, 87, 87)]),
        ("multiclass-perceptron-distance", "two classes, orthonormal", [(5, 5, 5), (10, 10, 10), (20, 20, 20)]),
        ("balanced-winnow", "one literal, by halving", [(8, 4, 4), (16, 5, 5), (32, 6, 6)]),
        ("elimination", "flips", [(4, 3, 3), (8, 7, 7), (16, 15, 15)]),
        ("winnow-disjunction", "the worst there is", [(4, 7, 9), (8, 14, 15)]),
        ("winnow-disjunction", "tight fits", [(4, 7, 9), (8, 13, 15), (16, 20, 21)]),
        ("winnow-agnostic", "tight fits and 20 wrong labels", [(4, 57, 73), (8, 72, 79), (16, 80, 85)]),
        ("winnow-entropy", "2 of 4, tight fits", [(8, 45, 56), (16, 84, 93), (32, 119, 131)]),
        ("winnow-threshold-tuned", "2 of 4, tight fits", [(8, 45, 143), (16, 84, 181), (32, 119, 218)]),
        ("consistent", "one point each", [(2, 1, 1), (4, 3, 3), (8, 7, 7)]),
        ("halving", "all functions of k points", [(2, 1, 1), (4, 2, 2), (8, 3, 3)]),
        ("optimal", "down the tree", [(2, 1, 1), (4, 2, 2), (8, 3, 3)]),
        ("weighted-majority", "β = 0: half of the rest err", [(2, 1, 1), (4, 2, 2), (8, 3, 3)]),
        ("improved-majority", "β = 0: half of the rest err", [(2, 0.5, 0.5), (4, 1, 1), (8, 1.5, 1.5)]),
        ("follow-the-leader", "the leader errs", [(2, 11, 11), (4, 23, 23), (8, 47, 47)]),
    ],
)
def test_what_the_streams_are_known_to_attain(name: str, stream: str, expected: list[tuple[int, float, float]]) -> None:
    assert attained(quick(name), stream) == expected


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("winnow-threshold-tuned", 0.61), ("winnow-agnostic", 0.71), ("randomized-majority", 0.99),
        ("hedge-fixed", 0.8), ("hedge-horizon", 0.8), ("hedge-anytime", 0.63), ("adahedge", 0.34), ("fixed-share", 0.98),
        ("sleeping", 0.83),
    ],
)  # fmt: skip
def test_a_full_run_attains_what_the_list_says(name: str, least: float) -> None:
    """And no less than random streams and adversaries of the reference checks did."""
    result = whole(name)
    assert result.refuted is None
    assert least <= result.tight <= result.worst.ratio < result.tight + 0.01


@pytest.mark.parametrize(("beta", "least"), [("0", 1), ("0.1", 0.97), ("½", 0.922), ("0.9", 0.742)])
def test_half_of_the_weight_forces_most_of_the_majority_s_bound_at_every_beta(beta: str, least: float) -> None:
    result = whole("weighted-majority")
    found = [outcome for outcome in result.outcomes if outcome.stream.startswith(f"β = {beta}: half")]
    assert result.refuted is None
    assert max(outcome.ratio for outcome in found) >= least


# ------------------------------------------------------------------------------------------------ the streams


def played(name: str, stream: str, size: int) -> tuple[Any, list[tuple[Any, Any]]]:
    """The facts of a game that the algorithm played, and its rounds."""
    chosen = next(known for known in EXPERIMENTS[name].streams if known.name == stream)
    assert isinstance(chosen, Stream)
    game = chosen.game(size, np.random.default_rng(1))
    learner, rounds = game.algorithm(**game.given), []
    for x, y in islice(game.against(learner), 3000):
        rounds.append((x, y))
        game.facts.enter(learner.learn(x, y))
    return game.facts, rounds


@pytest.mark.parametrize("size", [4, 16])
@pytest.mark.parametrize("stream", ["orthonormal examples", "margin γ, least sure first", "margin γ, at random"])
def test_streams_with_a_margin_have_it(stream: str, size: int) -> None:
    facts, rounds = played("perceptron-separable", stream, size)
    assert np.linalg.norm(facts.u) == pytest.approx(1)
    for x, y in rounds:
        assert np.linalg.norm(x) == pytest.approx(1)
        assert y * (facts.u @ x) == pytest.approx(size**-0.5)
    assert {y for _, y in rounds} == {-1, 1} or stream == "orthonormal examples"


@pytest.mark.parametrize("stream", ["threshold ¼, least sure first", "threshold ¼, at random"])
def test_streams_with_a_threshold_have_it_and_the_dummy(stream: str) -> None:
    facts, rounds = played("perceptron-gap", stream, 4)
    for x, y in rounds:
        assert np.linalg.norm(x[:-1]) == pytest.approx(1)
        assert x[-1] == 1
        assert y * (facts.u[:-1] @ x[:-1] - 0.25) == pytest.approx(0.25)
    assert {y for _, y in rounds} == {-1, 1}


@pytest.mark.parametrize("stream", ["the worst there is", "tight fits", "one by one", "at random"])
def test_disjunctions_are_disjunctions(stream: str) -> None:
    facts, rounds = played("winnow-disjunction", stream, 8)
    assert all(y == (1 if x[0] or x[1] else -1) and set(x) <= {0, 1} for x, y in rounds)
    assert facts.errors == 0


def test_attribute_errors_are_what_would_have_to_change() -> None:
    facts, rounds = played("winnow-agnostic", "one label in ten wrong", 8)
    assert facts.errors == sum(int(x[0] + x[1] == 0) if y == 1 else x[0] + x[1] for x, y in rounds) > 0


def test_covers_cover() -> None:
    for stream in ("least sure first", "at random"):
        _, rounds = played("winnow-cover", stream, 16)
        assert all(sum(x[:3]) / 2 >= 1 if y == 1 else sum(x[:3]) == 0 for x, y in rounds)


@pytest.mark.parametrize(
    "stream", ["2 of 4, tight fits", "2 of 4, at random", "from 0 to 1, at the least cost", "from 0 to 1, at random"]
)
def test_thresholds_are_kept(stream: str) -> None:
    facts, rounds = played("winnow-entropy", stream, 16)
    for x, y in rounds:
        assert 0 <= min(x) <= max(x) <= 1
        assert sum(x[:4]) >= 2 - 1e-9 if y == 1 else sum(x[:4]) <= 1 + 1e-9
    assert facts.errors == pytest.approx(0, abs=1e-9)


def test_the_majority_of_three_has_the_margin_of_a_third() -> None:
    for stream in ("majority of 3, least sure first", "majority of 3, at random"):
        facts, rounds = played("balanced-winnow", stream, 8)
        assert all(set(x) <= {-1, 1} and y * sum(x[:3]) >= 1 for x, y in rounds)
        assert (facts.norm, facts.margin, facts.radius) == (1, 1 / 3, 1)
        assert facts.distance == pytest.approx(0, abs=1e-12)


def test_a_gap_is_between_what_is_positive_and_what_is_not() -> None:
    facts, rounds = played("balanced-winnow-gap", "2 of 3 at random", 8)
    assert all(sum(x[:3]) >= 2 if y == 1 else sum(x[:3]) <= 1 for x, y in rounds)
    assert facts.gap < 1 == rounds[0][0][-1]


def test_distances_are_those_of_the_definition() -> None:
    facts, rounds = played("perceptron-hinge", "one label in seven wrong", 80)
    short = [max(0, 0.25 - y * (facts.u @ x)) for x, y in rounds]
    assert facts.distance == pytest.approx(sum(short))
    assert facts.squared == pytest.approx(sum(d * d for d in short))
    assert sum(d > 0.4 for d in short) in range(4, 21)  # 80/7 labels, more or less, are wrong


def test_the_best_of_random_experts_makes_twenty_mistakes_at_most() -> None:
    facts, rounds = played("randomized-majority-tuned", "at random", 16)
    wrong = [sum(x[i] != y for x, y in rounds) for i in range(16)]
    assert facts.wrong.tolist() == wrong
    assert facts.best == min(wrong) <= 20 == facts.most


# ------------------------------------------------------------------------------------------------ seeds and names


def test_the_same_seed_plays_the_same_games_and_another_others() -> None:
    first, again, other = (play("perceptron-hinge", quick=True, seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first.of("one label in seven wrong") != other.of("one label in seven wrong")
    assert first.of("spiral of Theodorus") == other.of("spiral of Theodorus")


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", ["perceptron-hinge", "winnow-agnostic", "randomized-majority", "hedge-horizon"])
def test_no_other_seed_is_above_the_bound(name: str, seed: int) -> None:
    assert play(name, quick=True, seed=seed).refuted is None


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("hedge", "hedge"),
        ("Perceptron Sep", "perceptron-separable"),
        ("winnow_disj", "winnow-disjunction"),
        ("halv", "halving"),
    ],
)
def test_a_theorem_is_found_by_how_it_begins(said: str, name: str) -> None:
    assert find(said).name == name


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ("perceptron", "several theorems begin: perceptron-separable, perceptron-run"),
        ("winow-cover", "no theorem 'winow-cover'; near are winnow-cover"),
        ("", "no theorem ''"),
        ("zzz", "thresher lab lists all"),
    ],
)
def test_a_wrong_name_is_told_what_is_near(said: str, match: str) -> None:
    with pytest.raises(th.ParameterError, match=match):
        find(said)


def test_a_seed_below_0_is_refused() -> None:
    with pytest.raises(th.ParameterError, match="found seed = -1"):
        play("halving", seed=-1)


# ------------------------------------------------------------------------------------------------ with a probability


@pytest.mark.parametrize(("of", "stands"), [(0.05, 19.0), (0.1, 18.0), (0.0, 20.0), ("mean", 10.5)])
def test_what_stands_for_many_runs(of: Any, stands: float) -> None:
    trials = Trials("runs", lambda size, chance: (0.0, {}), 20, of)
    assert trials.stands([float(k) for k in range(20, 0, -1)]) == stands
