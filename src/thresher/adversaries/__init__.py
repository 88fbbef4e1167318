"""Sequences that force the bounds: one adversary, one file.

An upper bound says how badly a learner can do at most; an adversary shows that it can be made to do so.

>>> import thresher as th
>>> from thresher.adversaries import Orthonormal, force
>>> rounds = force(Orthonormal(5), th.Perceptron(5))
>>> sum(played.mistake for played in rounds), th.bounds.perceptron_separable(margin=5**-0.5).at_most
(5, 5)
"""

from thresher.adversaries.adversary import Adversary, WeightedLearner, force
from thresher.adversaries.classes import Shattering, Sparing
from thresher.adversaries.elimination import Flips
from thresher.adversaries.game import game_value, worst_sequence
from thresher.adversaries.greedy import Greedy
from thresher.adversaries.losses import (
    LeaderLoses,
    LossAdversary,
    LossesInTurn,
    RandomLosses,
    Relay,
    Scaled,
    Seesaw,
    Tug,
    WeighingRule,
    force_losses,
)
from thresher.adversaries.majority import Halves, InTurn, LeaderErrs, RandomExperts, TwoConstants
from thresher.adversaries.margin_perceptron import Grazing
from thresher.adversaries.perceptron import Orthonormal, Spiral
from thresher.adversaries.signs import Literals
from thresher.adversaries.winnow import AttributeErrors, OneByOne, TightFit

__all__ = [
    "Adversary",
    "AttributeErrors",
    "Flips",
    "Grazing",
    "Greedy",
    "Halves",
    "InTurn",
    "LeaderErrs",
    "LeaderLoses",
    "Literals",
    "LossAdversary",
    "LossesInTurn",
    "OneByOne",
    "Orthonormal",
    "RandomExperts",
    "RandomLosses",
    "Relay",
    "Scaled",
    "Seesaw",
    "Shattering",
    "Sparing",
    "Spiral",
    "TightFit",
    "Tug",
    "TwoConstants",
    "WeighingRule",
    "WeightedLearner",
    "force",
    "force_losses",
    "game_value",
    "worst_sequence",
]
