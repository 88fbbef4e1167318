"""Linear learners: one algorithm, one file."""

from thresher.linear.learner import Hypothesis, LinearLearner
from thresher.linear.perceptron import Perceptron

__all__ = ["Hypothesis", "LinearLearner", "Perceptron"]
