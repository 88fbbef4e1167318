"""The majorities against exact oracles: every prediction, tie, chance and loss, one by one and many at once."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.golden import GOLDEN
from thresher import _core, bounds
from thresher.experts import MajorityLearner, improved_majority

BETAS = (0.0, 0.1, 0.5, 0.75, 0.9, 1 - 2.0**-40, 2.0**-300)

KINDS: dict[str, Callable[[int], MajorityLearner]] = {
    "weighted": th.WeightedMajority,
    "weighted, 0.9": lambda n: th.WeightedMajority(n, beta=0.9),
    "randomized": th.RandomizedMajority,
    "randomized, doubling": lambda n: th.RandomizedMajority(n, beta=None, seed=5),
    "improved": lambda n: th.ImprovedMajority(n, beta=0.7, seed=2**40 + 1),
    "leader": th.FollowTheLeader,
}


def exact_shares(advice: Sequence[Sequence[int]], labels: Sequence[int], beta: float) -> Iterator[tuple[Fraction, Fraction]]:
    """The weight that says 1 and the weight that says 0, round by round, in fractions."""
    kept, w = Fraction(beta), [Fraction(1)] * len(advice[0])
    for said, y in zip(advice, labels, strict=True):
        yield (
            sum((each for each, one in zip(w, said, strict=True) if one == 1), Fraction(0)),
            sum((each for each, one in zip(w, said, strict=True) if one == 0), Fraction(0)),
        )
        w = [each * (kept if one != y else 1) for each, one in zip(w, said, strict=True)]


def streams(most: int = 6, rounds: int = 40) -> st.SearchStrategy[tuple[list[list[int]], list[int]]]:
    def rows(n: int) -> st.SearchStrategy[tuple[list[list[int]], list[int]]]:
        row = st.lists(st.integers(0, 1), min_size=n, max_size=n)
        return st.lists(st.tuples(row, st.integers(0, 1)), min_size=1, max_size=rounds).map(
            lambda pairs: ([said for said, _ in pairs], [y for _, y in pairs])
        )

    return st.integers(1, most).flatmap(rows)


@given(streams(), st.sampled_from([beta for beta in BETAS if beta > 0]))
def test_weighted_majority_decides_as_fractions_do(stream: tuple[list[list[int]], list[int]], beta: float) -> None:
    advice, labels = stream
    rounds = th.WeightedMajority(len(advice[0]), beta=beta).learn_many(advice, labels)
    for k, (plus, minus) in enumerate(exact_shares(advice, labels, beta)):
        assert rounds.predictions[k] == (1 if plus > minus else -1)
        assert rounds.p_positive is not None
        assert float(rounds.p_positive[k]) == pytest.approx(float(plus / (plus + minus)), rel=1e-13, abs=1e-15)
        wrong = minus if labels[k] == 1 else plus
        assert float(rounds.losses[k]) == pytest.approx(float(wrong / (plus + minus)), rel=1e-13, abs=1e-15)


def test_ties_of_many_experts_are_seen_whatever_the_order_of_the_sum() -> None:
    """Two halves with the same mistakes in another order weigh the same: minus, although doubles may differ."""
    rng = np.random.default_rng(1)
    n, beta = 60, 0.9
    learner = th.WeightedMajority(n, beta=beta)
    order = rng.permutation(n // 2)
    ties = 0
    for t in range(400):
        half = rng.integers(0, 2, n // 2)
        # Both halves say the same in another order, so their counts stay the same: then let one half against the other.
        learner.learn(np.concatenate([half, half[order]]), int(rng.integers(0, 2)))
        against = np.repeat([1, 0] if t % 2 else [0, 1], n // 2)
        mistakes = learner.expert_mistakes
        assert sorted(mistakes[: n // 2]) == sorted(mistakes[n // 2 :])
        assert learner.predict(against).label == -1
        ties += learner.predict(against).score != 0.0
    assert ties > 0, "the doubles should have differed at least once, or this test shows nothing"


@given(streams(), st.sampled_from(BETAS), st.integers(0, 2**64 - 1))
def test_coins_are_tossed_with_the_right_chance(stream: tuple[list[list[int]], list[int]], beta: float, seed: int) -> None:
    advice, labels = stream
    for kind, chance in ((th.RandomizedMajority, lambda r, _: r), (th.ImprovedMajority, improved_majority.linear)):
        learner = kind(len(advice[0]), beta=beta, seed=seed)
        for t, (said, y, (plus, minus)) in enumerate(
            zip(advice, labels, exact_shares(advice, labels, beta), strict=True), start=1
        ):
            try:
                played = learner.learn(said, y)
            except th.NotRealizable:
                assert beta == 0
                break
            p = chance(float(plus / (plus + minus)), beta)
            assert played.prediction.p_positive is not None
            assert played.prediction.p_positive == pytest.approx(p, rel=1e-12, abs=1e-12)
            assert played.loss == pytest.approx(1 - p if y == 1 else p, abs=1e-12)
            assert played.prediction.label == (1 if _core.coin(seed, t) < played.prediction.p_positive else -1)


def test_the_coin_is_philox() -> None:
    """Known answers of Random123, the reference implementation."""
    assert _core.philox(0, 0, 0) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    ones = 2**64 - 1
    assert _core.philox(ones, ones, ones) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    digits = (0x85A308D3_243F6A88, 0x03707344_13198A2E, 0x299F31D0_A4093822)
    assert _core.philox(*digits) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


def test_coins_are_even_and_independent_of_each_other() -> None:
    drawn = np.array([_core.coin(3, t) for t in range(1, 20_001)])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 4 * (1 / 12) ** 0.5 / len(drawn) ** 0.5
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 4 / len(drawn) ** 0.5


@given(streams())
def test_the_leader_is_the_first_with_the_fewest_mistakes(stream: tuple[list[list[int]], list[int]]) -> None:
    advice, labels = stream
    rounds = th.FollowTheLeader(len(advice[0])).learn_many(advice, labels)
    mistakes = [0] * len(advice[0])
    for k, (said, y) in enumerate(zip(advice, labels, strict=True)):
        assert rounds.predictions[k] == (1 if said[mistakes.index(min(mistakes))] else -1)
        mistakes = [count + (each != y) for count, each in zip(mistakes, said, strict=True)]
    assert rounds.p_positive is None
    assert rounds.loss == rounds.mistakes


def test_golden_traces() -> None:
    trace = GOLDEN["experts_beta_half"]
    n = trace["N"]
    weighted, randomized, improved = th.WeightedMajority(n), th.RandomizedMajority(n), th.ImprovedMajority(n)
    chances = {name: list(improved_majority.definition(n, rounds_of(trace), 0.5, chance)) for name, chance in CHANCES.items()}
    for k, row in enumerate(trace["rounds"]):
        assert weighted.predict(row["xi"]).label == (1 if row["wma_pred"] else -1)
        share = randomized.predict(row["xi"]).p_positive
        assert share == pytest.approx(float(Fraction(row["rwma_prob1"])), rel=1e-15)
        assert improved.predict(row["xi"]).p_positive == pytest.approx(row["improved_linear"], rel=1e-12)
        for name in CHANCES:
            assert chances[name][k][0] == pytest.approx(row[f"improved_{name}"], rel=1e-12)
            assert sum(loss for _, loss in chances[name][: k + 1]) == pytest.approx(row[f"improved_{name}_LA"], rel=1e-12)
        for learner in (weighted, randomized, improved):
            learner.learn(row["xi"], row["y"])
        assert weighted.mistakes == row["wma_M"]
        assert randomized.loss == pytest.approx(float(Fraction(row["rwma_LA"])), rel=1e-14)
        assert improved.loss == pytest.approx(row["improved_linear_LA"], rel=1e-12)
        after = [Fraction(weight) for weight in row["w_after"]]
        assert weighted.weights.tolist() == pytest.approx([float(each / sum(after)) for each in after], rel=1e-15)


CHANCES = improved_majority.CHANCES


def rounds_of(trace: dict[str, Any]) -> list[tuple[list[int], int]]:
    return [(row["xi"], row["y"]) for row in trace["rounds"]]


def test_golden_chances_and_limits() -> None:
    for row in GOLDEN["improved_F"]:
        for name, chance in CHANCES.items():
            assert chance(row["r"], row["beta"]) == pytest.approx(row[name], rel=1e-12, abs=1e-15)
        low, high = bounds.improved_limits(row["r"], beta=row["beta"])
        assert row["L"] is None or low == pytest.approx(row["L"], rel=1e-12, abs=1e-15)
        assert row["U"] is None or high == pytest.approx(row["U"], rel=1e-12, abs=1e-15)


def test_golden_leader() -> None:
    forced = GOLDEN["ftl_forced"]
    rounds = th.FollowTheLeader(forced["N"]).learn_many(*map(list, zip(*forced["stream"], strict=True)))
    assert rounds.mistakes == forced["M"] == len(rounds)


def random_rounds(n: int, rounds: int, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, rounds).astype(np.int8)
    skill = rng.uniform(0.2, 0.7, n)
    return np.where(rng.random((rounds, n)) < skill, labels[:, None], 1 - labels[:, None]).astype(np.uint8), labels


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 33, 100])
def test_one_by_one_many_pieces_types_and_kernels_give_the_same_bits(kind: str, n: int) -> None:
    advice, labels = random_rounds(n, 300, seed=n)
    whole = KINDS[kind](n)
    rounds = whole.learn_many(advice, labels)

    def check_same(learner: MajorityLearner, predictions: object, losses: object) -> None:
        assert predictions == rounds.predictions.tolist()
        assert losses == rounds.losses.tolist()
        assert learner.state()[0] == whole.state()[0]
        for name, counts in learner.state()[1].items():
            assert np.array_equal(counts, whole.state()[1][name])

    single = KINDS[kind](n)
    played = [single.learn(said.tolist(), int(y)) for said, y in zip(advice, labels, strict=True)]
    check_same(single, [each.prediction.label for each in played], [each.loss for each in played])
    assert [each.prediction.score for each in played] == rounds.scores.tolist()
    assert [each.changed for each in played] == rounds.changed.tolist()
    for given_as in (np.bool_, np.int8, np.int64, np.float32, np.float64):
        other = KINDS[kind](n)
        again = other.learn_many(advice.astype(given_as), labels)
        check_same(other, again.predictions.tolist(), again.losses.tolist())
    pieces = KINDS[kind](n)
    parts = [pieces.learn_many(advice[a:b], labels[a:b]) for a, b in ((0, 1), (1, 64), (64, 65), (65, 200), (200, 300))]
    columns = [np.concatenate([getattr(part, name) for part in parts]).tolist() for name in ("predictions", "losses")]
    check_same(pieces, *columns)
    before = _core.instruction_set()
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            kernel = KINDS[kind](n)
            again = kernel.learn_many(advice, labels)
            check_same(kernel, again.predictions.tolist(), again.losses.tolist())
    finally:
        _core.use_instruction_set(before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_goes_on_bit_for_bit(kind: str) -> None:
    advice, labels = random_rounds(9, 200, seed=3)
    whole = KINDS[kind](9)
    rest = whole.learn_many(advice, labels)
    for cut in (0, 1, 63, 64, 65, 150, 200):
        learner = KINDS[kind](9)
        learner.learn_many(advice[:cut], labels[:cut])
        parameters, arrays = learner.state()
        stored = json.loads(json.dumps(parameters))
        for twin in (type(learner).from_state(stored, arrays), copy.copy(learner), pickle.loads(pickle.dumps(learner))):
            went_on = twin.learn_many(advice[cut:], labels[cut:])
            assert went_on.losses.tolist() == rest.losses[cut:].tolist()
            assert went_on.after == rest.after
            assert twin.weights.tolist() == whole.weights.tolist()
        assert learner.rounds == cut


@pytest.mark.parametrize("beta", [0.5, 0.99, 2.0**-300])
def test_a_million_rounds_neither_underflow_nor_drift(beta: float) -> None:
    """The leader falls, and whoever was hopelessly behind leads: weights stay those of the counts."""
    rounds = 1_000_000
    learner = th.WeightedMajority(3, beta=beta)
    advice = np.ones((rounds, 3), dtype=np.uint8)
    advice[: rounds // 2, 0] = 0  # the first expert errs in the first half, the second one in the other half
    advice[rounds // 2 :, 1] = 0
    advice[:, 2] = 0  # and the third one always
    played = learner.learn_many(advice, np.ones(rounds, dtype=np.int8))
    assert learner.expert_mistakes.tolist() == [rounds // 2, rounds // 2, rounds]
    assert learner.weights.tolist() == [0.5, 0.5, 0.0]
    assert played.p_positive is not None
    gap = rounds // 2 - np.arange(rounds // 2)  # in the second half, so far is the first expert behind the second
    lead = np.float64(beta) ** gap
    assert np.allclose(played.p_positive[rounds // 2 :], lead / (1 + lead), rtol=1e-12, atol=2.0**-500)


@given(streams(5, 30), st.data())
def test_experts_asleep_have_no_weight_and_make_no_mistake(
    stream: tuple[list[list[int]], list[int]], data: st.DataObject
) -> None:
    advice, labels = stream
    rows = [[None if data.draw(st.booleans()) else said for said in row] for row in advice]
    n, beta = len(advice[0]), Fraction(1, 2)
    learner, leader = th.RandomizedMajority(n), th.FollowTheLeader(n)
    mistakes = [0] * n
    for row, y in zip(rows, labels, strict=True):
        awake = [i for i in range(n) if row[i] is not None]
        if not awake:
            with pytest.raises(th.ExampleError, match=f"round {learner.rounds + 1}: every expert is asleep"):
                learner.learn(row, y)
            continue
        plus = sum((beta ** mistakes[i] for i in awake if row[i] == 1), Fraction(0))
        total = sum((beta ** mistakes[i] for i in awake), Fraction(0))
        assert learner.learn(row, y).prediction.p_positive == pytest.approx(float(plus / total), rel=1e-13)
        best = min(awake, key=lambda i: (mistakes[i], i))
        assert leader.learn(row, y).prediction.label == (1 if row[best] == 1 else -1)
        mistakes = [count + (said is not None and said != y) for count, said in zip(mistakes, row, strict=True)]
    assert learner.expert_mistakes.tolist() == leader.expert_mistakes.tolist() == mistakes


def test_all_weight_asleep_leaves_those_awake_alike() -> None:
    learner = th.WeightedMajority(3, beta=0)
    learner.learn([1, 0, 0], 1)
    played = learner.learn([float("nan"), 1, 0], 1)  # only those are awake that are out
    assert played.prediction.p_positive == 0.5
    assert learner.expert_mistakes.tolist() == [0, 1, 2]


def test_beta_zero_needs_a_perfect_expert() -> None:
    for kind in (th.WeightedMajority, th.RandomizedMajority, th.ImprovedMajority):
        learner = kind(2, beta=0)
        learner.learn([1, 0], 1)
        with pytest.raises(th.NotRealizable, match="round 2: no expert is left"):
            learner.learn([0, 1], 1)
        assert learner.rounds == 1
        assert learner.expert_mistakes.tolist() == [0, 1]
        with pytest.raises(th.NotRealizable, match="round 3"):
            learner.learn_many([[1, 1], [0, 0], [1, 1]], [1, 1, 1])
        assert learner.rounds == 2


def test_doubling_starts_a_phase_when_its_best_expert_has_made_too_many() -> None:
    n = 8
    advice, labels = random_rounds(n, 500, seed=8)
    learner = th.RandomizedMajority(n, beta=None)
    phase, since, mistakes = 0, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for said, y in zip(advice, labels, strict=True):
        budget = 4**phase * np.log(n)
        beta = 1 / (1 + np.sqrt(2 * np.log(n) / budget))
        assert beta == pytest.approx(bounds.beta_for(budget, n=n), rel=1e-14)
        assert learner.beta == pytest.approx(beta, rel=1e-14)
        weights = beta ** (mistakes - since - (mistakes - since).min())
        expected = weights[said == 1].sum() / weights.sum()
        assert learner.learn(said, int(y)).prediction.p_positive == pytest.approx(expected, rel=1e-12)
        mistakes = mistakes + (said != y)
        if (mistakes - since).min() > budget:
            phase, since = phase + 1, mistakes
    assert phase >= 3
    assert learner.loss <= bounds.doubling(int(mistakes.min()), n=n).value


@pytest.mark.parametrize("kind", KINDS)
def test_bad_advice_is_refused_where_it_stands(kind: str) -> None:
    learner = KINDS[kind](3)
    learner.learn([1, 0, 1], 1)
    state = learner.state()[0]
    refused: list[tuple[object, str]] = [
        ([1, 0], "found the advice of 2 experts, expected n = 3"),
        ([1, 0, 2], "column 2: found what is no advice"),
        ([1, 0, 0.5], "column 2: found what is no advice"),
        ([1, 0, float("inf")], "column 2: found what is no advice"),
        ([1, -1, 1], "column 1: found -1, but minus was spelled the other way"),
        ([[1, 0, 1]], "shape"),
        (["yes", "no", "no"], "expected one number for each expert"),
        (np.ma.masked_equal([1, 0, 1], 0), "masked"),
        ([None, None, None], "round 2: every expert is asleep"),
        (np.array([1, 0, 255], dtype=np.uint8), "column 2: found what is no advice"),
        (np.array([1, 0, 2], dtype=np.int8), "column 2: found what is no advice"),
    ]
    for advice, message in refused:
        with pytest.raises(th.ExampleError, match=message):
            learner.learn(advice, 1)
        if np.ndim(np.asarray(advice, dtype=object)) == 1 and isinstance(advice, list | np.ndarray) and len(advice) == 3:
            with pytest.raises(th.ExampleError):
                learner.predict(advice)
    for label in (2, "yes", None, float("nan")):
        with pytest.raises(th.LabelError, match="found label"):
            learner.learn([1, 0, 1], label)
    learner.learn([1, 0, 1], 0)
    with pytest.raises(th.LabelError, match="the other way"):
        learner.learn([1, 0, 1], -1)
    with pytest.raises(th.ExampleError, match="found weight 2"):
        learner.learn([1, 0, 1], 1, 2.0)
    with pytest.raises(th.ExampleError, match="weights other than a 1"):
        learner.learn_many([[1, 0, 1]], [1], [0.5])
    assert learner.rounds == state["heads"]["rounds"] + 1


def test_many_stop_at_a_bad_row_as_the_loop_does() -> None:
    advice = np.array([[1, 0], [0, 1], [3, 1], [1, 1]])
    learner, alone = th.WeightedMajority(2), th.WeightedMajority(2)
    with pytest.raises(th.ExampleError, match="row 2: column 0: found what is no advice") as caught:
        learner.learn_many(advice, [1, 1, 1, 1])
    assert caught.value.row == 2
    alone.learn_many(advice[:2], [1, 1])
    assert learner.state()[0] == alone.state()[0]
    assert caught.value.rounds is not None
    assert len(caught.value.rounds) == 2
    with pytest.raises(th.LabelError, match="row 1: found label"):
        learner.learn_many(advice[:2], [1, 5])


def test_predictions_never_change_the_learner() -> None:
    advice, labels = random_rounds(7, 50, seed=4)
    for kind in KINDS.values():
        learner = kind(7)
        learner.learn_many(advice, labels)
        state = learner.state()[0]
        said = learner.predict_many(advice)
        assert said.tolist() == [learner.predict(row).label for row in advice]
        assert learner.hypothesis().predict_many(advice).tolist() == said.tolist()
        assert learner.state()[0] == state
    chances = th.RandomizedMajority(7).p_positive_many(advice)
    assert chances.tolist() == [th.RandomizedMajority(7).predict(row).p_positive for row in advice]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: th.WeightedMajority(0), "found n = 0"),
        (lambda: th.WeightedMajority(3, beta=1.0), "found beta = 1.0, expected a number from 0 to below 1"),
        (lambda: th.WeightedMajority(3, beta=-0.1), "found beta"),
        (lambda: th.WeightedMajority(3, beta=float("nan")), "found beta"),
        (lambda: th.RandomizedMajority(3, seed=-1), "found seed = -1"),
        (lambda: th.RandomizedMajority(3, seed=2**64), "found seed"),
        (lambda: th.ImprovedMajority(3, beta=1e-200), "found beta"),
    ],
)
def test_wrong_parameters(make: Callable[[], MajorityLearner], message: str) -> None:
    with pytest.raises(th.ParameterError, match=message):
        make()


def test_a_ledger_knows_the_losses() -> None:
    advice, labels = random_rounds(5, 200, seed=6)
    learner, whole, pieces = th.RandomizedMajority(5), th.Ledger(), th.Ledger()
    rounds = learner.learn_many(advice, labels)
    whole.enter(rounds)
    twin = th.RandomizedMajority(5)
    for said, y in zip(advice, labels, strict=True):
        pieces.enter(twin.learn(said, int(y)))
    assert whole.loss == pieces.loss == learner.loss == rounds.loss
    assert whole.mistakes == learner.mistakes != whole.loss
    again = pickle.loads(pickle.dumps(rounds))
    assert again.losses.tolist() == rounds.losses.tolist()
    assert again[3].loss == rounds.losses[3]
    assert pickle.loads(pickle.dumps(again[3])) == again[3]


def test_forged_states_are_refused() -> None:
    learner = th.WeightedMajority(2, beta=0)
    learner.learn([1, 0], 1)
    parameters, arrays = learner.state()

    def check_refused(message: str, heads: dict[str, object] | None = None, **changed: NDArray[Any]) -> None:
        forged = {**parameters, "heads": {**parameters["heads"], **(heads or {})}}
        with pytest.raises(th.StoreError, match=message):
            th.WeightedMajority.from_state(forged, {**arrays, **changed})

    check_refused("heads", {"rounds": -1})
    check_refused("heads", {"loss": 5.0})
    check_refused("heads", {"history": 0})
    check_refused("heads", {"loss": float("nan")})
    check_refused("no run of rounds", mistakes=np.array([5, 5]))
    check_refused("no run of rounds", base=np.array([1, 0]))
    check_refused("no run of rounds", since=np.array([0, -1]))
    check_refused("without a mistake", mistakes=np.array([1, 1]))
    check_refused("int64", mistakes=np.array([0.0, 1.0]))
    check_refused("int64", mistakes=np.array([0, 1, 1]))
    check_refused("not mistakes, base, since", more=np.array([0, 1]))
    with pytest.raises(th.StoreError, match="WeightedMajority"):
        th.FollowTheLeader.from_state(parameters, arrays)
