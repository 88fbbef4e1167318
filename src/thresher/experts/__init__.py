"""Prediction with expert advice: rules that weigh experts by what they lost, and majorities of those who say yes or no."""

from typing import TYPE_CHECKING

from thresher.late import late

if TYPE_CHECKING:
    from thresher.experts.adahedge import AdaHedge
    from thresher.experts.fixed_share import FixedShare
    from thresher.experts.follow_the_leader import FollowTheLeader
    from thresher.experts.forecaster import Forecaster
    from thresher.experts.hedge import Hedge
    from thresher.experts.improved_majority import ImprovedMajority
    from thresher.experts.majority import MajorityLearner
    from thresher.experts.randomized_majority import RandomizedMajority
    from thresher.experts.rule import Heads, LossRound, LossRounds, LossRule, Origin
    from thresher.experts.weighted_majority import WeightedMajority
else:
    __getattr__, __dir__ = late(
        __name__,
        adahedge="AdaHedge",
        fixed_share="FixedShare",
        follow_the_leader="FollowTheLeader",
        forecaster="Forecaster",
        hedge="Hedge",
        improved_majority="ImprovedMajority",
        majority="MajorityLearner",
        randomized_majority="RandomizedMajority",
        rule="Heads LossRound LossRounds LossRule Origin",
        weighted_majority="WeightedMajority",
    )

__all__ = [
    "AdaHedge",
    "FixedShare",
    "FollowTheLeader",
    "Forecaster",
    "Heads",
    "Hedge",
    "ImprovedMajority",
    "LossRound",
    "LossRounds",
    "LossRule",
    "MajorityLearner",
    "Origin",
    "RandomizedMajority",
    "WeightedMajority",
]
