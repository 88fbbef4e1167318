"""Linear learners: one algorithm, one file."""

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from thresher.late import late
from thresher.linear.learner import Hypothesis, LinearLearner

if TYPE_CHECKING:
    from thresher.linear.adagrad import AdaGrad
    from thresher.linear.arow import AROW
    from thresher.linear.averaged_perceptron import AveragedPerceptron
    from thresher.linear.balanced_winnow import BalancedWinnow
    from thresher.linear.constant import Constant
    from thresher.linear.elimination import Elimination
    from thresher.linear.invariant import Invariant
    from thresher.linear.literal_winnow import LiteralWinnow
    from thresher.linear.margin_perceptron import MarginPerceptron
    from thresher.linear.multiclass_perceptron import MulticlassPerceptron
    from thresher.linear.p_norm_perceptron import PNormPerceptron
    from thresher.linear.passive_aggressive import PassiveAggressive
    from thresher.linear.perceptron import Perceptron
    from thresher.linear.scaled_winnow import ScaledWinnow
    from thresher.linear.winnow import Winnow
else:
    __getattr__, __dir__ = late(
        __name__,
        adagrad="AdaGrad",
        arow="AROW",
        averaged_perceptron="AveragedPerceptron",
        balanced_winnow="BalancedWinnow",
        constant="Constant",
        elimination="Elimination",
        invariant="Invariant",
        literal_winnow="LiteralWinnow",
        margin_perceptron="MarginPerceptron",
        multiclass_perceptron="MulticlassPerceptron",
        p_norm_perceptron="PNormPerceptron",
        passive_aggressive="PassiveAggressive",
        perceptron="Perceptron",
        scaled_winnow="ScaledWinnow",
        winnow="Winnow",
    )

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


class _Learners(Mapping[str, type[LinearLearner]]):
    """The learners of two labels, each imported when it is asked for."""

    def __getitem__(self, name: str) -> type[LinearLearner]:
        if name not in _NAMES:
            raise KeyError(name)
        found: type[LinearLearner] = getattr(sys.modules[__name__], name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


_NAMES = tuple(name for name in __all__ if name not in ("LEARNERS", "Hypothesis", "LinearLearner", "MulticlassPerceptron"))

#: Every learner by the name that its state carries.
LEARNERS: Mapping[str, type[LinearLearner]] = _Learners()
