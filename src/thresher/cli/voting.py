"""The majorities in the dress of a forecaster: their forecast is the chance, or the share of the weight, of 1."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher._core import Rounds
from thresher.bounds import Bound
from thresher.experts import FollowTheLeader, ImprovedMajority, MajorityLearner, RandomizedMajority, WeightedMajority
from thresher.experts.majority import WeighingMajority

__all__ = ["MAJORITIES", "Voting"]

#: The majorities by their names on the command line.
MAJORITIES: dict[str, type[MajorityLearner]] = {
    "weighted-majority": WeightedMajority,
    "randomized-majority": RandomizedMajority,
    "improved-majority": ImprovedMajority,
    "follow-the-leader": FollowTheLeader,
}


class Voting:
    """A majority that is played like a forecaster."""

    against: Literal["mixture", "expert"] = "expert"

    def __init__(self, options: argparse.Namespace, n: int) -> None:
        given = {name: getattr(options, name) for name in ("beta", "seed") if getattr(options, name) is not None}
        self.learner = MAJORITIES[options.rule](n, **given)
        self.tosses = isinstance(self.learner, (RandomizedMajority, ImprovedMajority))

    @property
    def weights(self) -> NDArray[np.float64]:
        return self.learner.weights

    @property
    def proven(self) -> Bound | None:
        """What the loss is proven to stay below, less the best forecaster's mistakes."""
        rule, n, m = self.learner.rule, self.learner.n, int(self.learner.expert_mistakes.min())
        if isinstance(self.learner, FollowTheLeader):
            bound = bounds.follow_the_leader(m, n=n)
        elif isinstance(self.learner, WeightedMajority) and rule.beta is not None:
            bound = bounds.weighted_majority(m, n=n, beta=rule.beta)
        elif isinstance(self.learner, RandomizedMajority) and rule.beta is not None:
            bound = bounds.randomized_majority(m, n=n, beta=rule.beta)
        elif isinstance(self.learner, ImprovedMajority) and rule.beta is not None:
            bound = bounds.improved_majority(m, n=n, beta=rule.beta)
        else:
            return None
        return replace(bound, value=bound.value - m, on="regret")

    def learn_many(self, forecasts: NDArray[np.float64], outcomes: NDArray[np.float64], /) -> Rounds:
        return self.learner.learn_many(forecasts, outcomes.astype(np.int64))

    def predict_many(self, forecasts: NDArray[np.float64], /) -> NDArray[np.float64]:
        if isinstance(self.learner, WeighingMajority):
            return self.learner.p_positive_many(forecasts)
        return (self.learner.predict_many(forecasts) > 0).astype(np.float64)
