"""Linear learners: one algorithm, one file."""

from thresher.linear.adagrad import AdaGrad
from thresher.linear.arow import AROW
from thresher.linear.averaged_perceptron import AveragedPerceptron
from thresher.linear.balanced_winnow import BalancedWinnow
from thresher.linear.constant import Constant
from thresher.linear.elimination import Elimination
from thresher.linear.invariant import Invariant
from thresher.linear.learner import Hypothesis, LinearLearner
from thresher.linear.literal_winnow import LiteralWinnow
from thresher.linear.margin_perceptron import MarginPerceptron
from thresher.linear.multiclass_perceptron import MulticlassPerceptron
from thresher.linear.p_norm_perceptron import PNormPerceptron
from thresher.linear.passive_aggressive import PassiveAggressive
from thresher.linear.perceptron import Perceptron
from thresher.linear.scaled_winnow import ScaledWinnow
from thresher.linear.winnow import Winnow

__all__ = [
    "AROW",
    "LEARNERS",
    "AdaGrad",
    "AveragedPerceptron",
    "BalancedWinnow",
    "Constant",
    "Elimination",
    "Hypothesis",
    "Invariant",
    "LinearLearner",
    "LiteralWinnow",
    "MarginPerceptron",
    "MulticlassPerceptron",
    "PNormPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "ScaledWinnow",
    "Winnow",
]

#: Every learner by the name that its state carries.
LEARNERS: dict[str, type[LinearLearner]] = {
    learner.__name__: learner
    for learner in (
        AROW,
        AdaGrad,
        AveragedPerceptron,
        BalancedWinnow,
        Constant,
        Elimination,
        Invariant,
        LiteralWinnow,
        MarginPerceptron,
        PNormPerceptron,
        PassiveAggressive,
        Perceptron,
        ScaledWinnow,
        Winnow,
    )
}
