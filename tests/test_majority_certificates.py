"""The best expert against majorities: the experts' mistakes counted from the advice, and what is proven of each kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher.bounds import Certificate, Status, Verdict, improved_share
from thresher.ledger.best_expert import AdviceWatcher
from thresher.ledger.tally import Tally

seeds = st.integers(0, 2**32 - 1)


def majority(kind: str, advice: NDArray[np.float64], labels: NDArray[np.int8], beta: float) -> tuple[list[int], float]:
    """A majority as on the blackboard: what it says, and its loss."""
    wrong, said, loss = np.zeros(advice.shape[1], dtype=int), [], 0.0
    coin = np.random.default_rng(1)
    for row, label in zip(advice, labels, strict=True):
        w = beta ** (wrong - wrong.min()) if kind != "leader" else (np.arange(len(row)) == wrong.argmin()) * 1.0
        share = float(w[row > 0].sum() / w.sum())
        chance = improved_share(share, beta) if kind == "improved" else share
        says = chance > 0.5 if kind in ("weighted", "leader") else coin.random() < chance
        said.append(1 if says else -1)
        loss += 1 - chance if label > 0 else chance
        wrong += (row > 0) != (label > 0)
    return said, loss


def watched(
    kind: str, advice: Any, labels: Sequence[int] | NDArray[np.int8], said: Sequence[int], loss: float, beta: float | None = 0.5
) -> list[Certificate]:
    """The certificates of rounds as if a majority of the core had played them."""
    y = np.asarray(labels, dtype=np.int8)
    flat = np.zeros(len(y))
    rounds = th.Rounds(1, advice, np.array(said, dtype=np.int8), y, flat, np.ones(len(y), dtype=np.bool_))
    watcher = AdviceWatcher(th.BestExpert())
    watcher.enter(rounds)
    rule: Any = SimpleNamespace(kind=kind, beta=beta, n=np.shape(advice)[1])
    return watcher.certificates(replace(Tally().after(rounds), rule=rule, history=1, loss=loss, moved=None))


@pytest.mark.parametrize("kind", ["weighted", "randomized", "improved", "leader"])
@given(seed=seeds, beta=st.sampled_from([0.1, 0.5, 0.9, 0.999]))
def test_no_majority_exceeds_what_is_proven(kind: str, seed: int, beta: float) -> None:
    rng = np.random.default_rng(seed)
    rounds, n = int(rng.integers(1, 60)), int(rng.integers(1, 8))
    labels = np.where(rng.random(rounds) < 0.5, 1, -1).astype(np.int8)
    skill = rng.random(n)
    advice = np.where(rng.random((rounds, n)) < skill, labels[:, np.newaxis], -labels[:, np.newaxis]).astype(np.float64)
    said, loss = majority(kind, advice, labels, beta)
    certificates = watched(kind, advice, labels, said, loss, beta)
    proven = certificates[0]
    assert proven.verdict is Verdict.CERTIFIED
    best = int(((advice > 0) != (labels > 0)[:, np.newaxis]).sum(axis=0).min())
    assert proven.numbers["mistakes"] == best
    assert proven.count >= (sum(s != y for s, y in zip(said, labels, strict=True)) if proven.bound.on == "mistakes" else loss)
    assert [c.bound.on for c in certificates[1:]] == ([] if kind in ("weighted", "leader") else ["mistakes"])


def test_the_coins_are_assumed_and_their_chance_is_said() -> None:
    advice, labels = np.tile([1.0, -1.0], (50, 1)), [1] * 50
    _, realised = watched("randomized", advice, labels, [1] * 50, 3.0)
    assert realised.verdict is Verdict.CONDITIONAL
    assert realised.bound.theorem.name == "Realised mistakes"
    assert [p.status for p in realised.premises if "coins" in p.statement] == [Status.ASSUMED] * 2
    assert "with probability at least 0.99" in str(realised)
    _, unlucky = watched("randomized", advice, labels, [-1] * 50, 3.0)
    assert unlucky.verdict is Verdict.REFUTED


def test_doubling_has_its_own_theorem() -> None:
    doubling, _ = watched("randomized", np.tile([1.0, -1.0], (9, 1)), [1] * 9, [1] * 9, 2.0, None)
    assert (doubling.bound.theorem.name, doubling.count >= 2.0) == ("Randomised majority, doubling", True)


def test_no_weight_kept_and_no_perfect_expert_allows_any_count() -> None:
    [certificate] = watched("weighted", [[1, 0], [0, 1]], [1, 1], [1, 1], 1.0, 0.0)
    assert certificate.bound.infinite
    assert certificate.verdict is Verdict.CERTIFIED


@pytest.mark.parametrize(
    "advice",
    [
        [[1, 0], [0, 1], [1, 1]],
        [[True, False], [False, True], [True, True]],
        np.array([[1, 0], [0, 1], [1, 1]], dtype=np.uint8),
        np.array([[1, -1], [-1, 1], [1, 1]], dtype=np.float32),
    ],
)
def test_advice_is_coded_like_labels(advice: Any) -> None:
    [certificate] = watched("leader", advice, [1, 1, -1], [1, 1, 1], 0.0)
    assert certificate.witness == "expert 0, the best of 2, which makes 2 mistakes"
    assert certificate.verdict is Verdict.CERTIFIED


def test_an_expert_asleep_voids_the_theorem_and_makes_no_mistake() -> None:
    for advice in ([[1, 0], [None, 0], [1, 1]], [[1, 0], [math.nan, 0], [1, 1]]):
        [certificate] = watched("weighted", advice, [1, 1, 1], [1, 1, 1], 0.0)
        assert certificate.verdict is Verdict.VOID
        assert "one did in round 2" in str(certificate)
        assert certificate.numbers["mistakes"] == 0


def test_one_round_at_a_time_is_all_at_once() -> None:
    rng = np.random.default_rng(3)
    advice, labels = (rng.random((40, 3)) < 0.5) * 1, np.where(rng.random(40) < 0.5, 1, -1).astype(np.int8)
    rounds = th.Rounds(1, advice, labels, labels, np.zeros(40), np.zeros(40, dtype=np.bool_))
    at_once, singly = AdviceWatcher(th.BestExpert()), AdviceWatcher(th.BestExpert())
    at_once.enter(rounds)
    for k in range(40):
        undo = singly.enter(rounds[k])
        undo()
        singly.enter(rounds[k])
    assert singly._mistakes is not None
    assert at_once._mistakes is not None
    assert singly._mistakes.tolist() == at_once._mistakes.tolist()


@pytest.mark.parametrize("example", [[0.5, 1.0], "advice", [2, 0], {0: 1.0}])
def test_examples_that_are_no_advice_are_refused(example: Any) -> None:
    ledger = th.Ledger(th.BestExpert())
    with pytest.raises(th.LedgerError, match=r"no advice|expected the advice"):
        ledger.enter(th.Round(1, example, th.Prediction(1, 0.0, None), 1, False))
    assert ledger.rounds == 0


def test_other_learners_and_rounds_made_in_python_have_no_certificate() -> None:
    ledger = th.Ledger(th.BestExpert())
    ledger.enter(th.Round(1, [1, 0], th.Prediction(1, 0.0, None), 1, False))
    assert ledger.certificates() == []
    with pytest.raises(th.LedgerError, match="found advice of 3 experts, expected 2"):
        ledger.enter(th.Round(2, [1, 0, 1], th.Prediction(1, 0.0, None), 1, False))
    assert ledger.rounds == 1
