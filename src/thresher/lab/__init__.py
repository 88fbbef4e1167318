"""The laboratory: every theorem meets its adversary, and a learner of one's own meets both.

>>> import thresher as th
>>> result = th.lab.play("perceptron-separable", quick=True)
>>> print(f"{result.worst.attained} of at most {result.worst.bound:g} {result.on}")
4 of at most 4 mistakes
"""

from thresher.lab.experiment import Experiment
from thresher.lab.playing import play
from thresher.lab.registry import EXPERIMENTS, find
from thresher.lab.result import Outcome, Refutation, Result

__all__ = ["EXPERIMENTS", "Experiment", "Outcome", "Refutation", "Result", "find", "play"]
