"""Linear learners: one algorithm, one file."""

from thresher.linear.learner import Hypothesis, LinearLearner
from thresher.linear.perceptron import Perceptron

__all__ = ["LEARNERS", "Hypothesis", "LinearLearner", "Perceptron"]

#: Every learner by the name that its state carries.
LEARNERS: dict[str, type[LinearLearner]] = {learner.__name__: learner for learner in (Perceptron,)}
