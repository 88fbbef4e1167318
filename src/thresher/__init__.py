"""Thresher: online learning with proof.

Learners take one example at a time: they predict, are told the truth, and learn. The ledger shows beside what happened what
theory proves about it.

>>> import thresher as th
>>> learner = th.Perceptron(3)
>>> rounds = learner.learn_many([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, -1, -1])
>>> ledger = th.Ledger(th.Separator([-1.0, -1.0, -1.0]))
>>> ledger.enter(rounds)
>>> ledger.mistakes, str(ledger.certificates()[0].bound)
(3, 'mistakes ≤ 3 by Perceptron, separable, after the run')
"""

from thresher import bounds
from thresher.errors import (
    BoundViolated,
    ConcurrentUse,
    ExampleError,
    LabelError,
    LedgerError,
    ParameterError,
    StoreError,
    ThresherError,
)
from thresher.evaluate import Trace, trace
from thresher.ledger import Ledger, Separator
from thresher.linear import Hypothesis, Perceptron
from thresher.protocol import Label, Learner, Prediction, Round, Rounds

__version__ = "0.1.0"

__all__ = [
    "BoundViolated",
    "ConcurrentUse",
    "ExampleError",
    "Hypothesis",
    "Label",
    "LabelError",
    "Learner",
    "Ledger",
    "LedgerError",
    "ParameterError",
    "Perceptron",
    "Prediction",
    "Round",
    "Rounds",
    "Separator",
    "StoreError",
    "ThresherError",
    "Trace",
    "bounds",
    "trace",
]
