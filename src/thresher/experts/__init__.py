"""Prediction with expert advice: rules that weigh experts by what they lost."""

from thresher.experts.adahedge import AdaHedge
from thresher.experts.fixed_share import FixedShare
from thresher.experts.forecaster import Forecaster
from thresher.experts.hedge import Hedge
from thresher.experts.rule import Heads, LossRound, LossRounds, LossRule, Origin

__all__ = ["AdaHedge", "FixedShare", "Forecaster", "Heads", "Hedge", "LossRound", "LossRounds", "LossRule", "Origin"]
