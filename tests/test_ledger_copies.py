"""A ledger that is copied or pickled: it counts on, and says what its comparators can no longer know."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import thresher as th
from thresher.bounds import Verdict


def copies(ledger: th.Ledger) -> list[th.Ledger]:
    return [copy.copy(ledger), copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))]


def test_a_pickled_ledger_counts_on() -> None:
    X, y = np.eye(4), [1, -1, -1, 1]
    learner, ledger = th.Perceptron(4), th.Ledger()
    ledger.enter(learner.learn_many(X, y))
    again = copies(ledger)
    more = learner.learn_many(-X, y)
    ledger.enter(more)
    for other in again:
        other.enter(more)
        assert other.tally == ledger.tally


def test_a_pickled_ledger_of_a_portfolio_certifies_as_before() -> None:
    X, y = np.tile(np.eye(3), (20, 1)), [1, -1, -1] * 20
    portfolio, ledger = th.Portfolio(3), th.Ledger(th.BestLane())
    ledger.enter(portfolio.learn_many(X, y))
    for other in copies(ledger):
        assert other.certificates() == ledger.certificates()
        assert other.certificates()[0].verdict is Verdict.CERTIFIED


def test_what_a_comparator_cannot_hand_on_makes_a_pickled_ledger_conditional() -> None:
    learner, ledger = th.Perceptron(4), th.Ledger(th.Separator(-np.ones(4)))
    ledger.enter(learner.learn_many(np.eye(4), [-1] * 4))
    assert ledger.certificates()[0].verdict is Verdict.CERTIFIED
    again = copies(ledger)
    more = learner.learn_many(np.eye(4), [-1] * 4)
    for other in again:
        other.enter(more)
        assert other.tally.unseen == 4
        assert {certificate.verdict for certificate in other.certificates()} == {Verdict.CONDITIONAL}


def test_a_ledger_of_losses_is_not_pickled() -> None:
    ledger = th.Ledger(th.BestExpert())
    with pytest.raises(TypeError, match="losses"):
        pickle.dumps(ledger)
