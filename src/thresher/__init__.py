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

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher import bounds, hindsight
    from thresher.class_rounds import ClassLearner, ClassPrediction, ClassRound, ClassRounds
    from thresher.classes import Consistent, Halving, Optimal
    from thresher.compose import Conservative, OneVersusRest, Portfolio, pac
    from thresher.data.stream import Batch, Stream, open_stream
    from thresher.errors import (
        BoundViolated,
        ConcurrentUse,
        ExampleError,
        LabelError,
        LaneError,
        LedgerError,
        NotRealizable,
        ParameterError,
        SourceError,
        StoreError,
        ThresherError,
    )
    from thresher.evaluate import Measured, Metrics, Proof, Trace, certify, trace
    from thresher.experts import (
        AdaHedge,
        FixedShare,
        FollowTheLeader,
        Forecaster,
        Hedge,
        ImprovedMajority,
        LossRound,
        LossRounds,
        RandomizedMajority,
        WeightedMajority,
    )
    from thresher.ledger import (
        BestExpert,
        BestLane,
        BestMixture,
        BestSequence,
        ClassSeparator,
        Cover,
        Disjunction,
        Ledger,
        Mixture,
        Separator,
        Threshold,
    )
    from thresher.linear import (
        AROW,
        AdaGrad,
        AveragedPerceptron,
        BalancedWinnow,
        Constant,
        Elimination,
        Hypothesis,
        Invariant,
        LiteralWinnow,
        MarginPerceptron,
        MulticlassPerceptron,
        PassiveAggressive,
        Perceptron,
        PNormPerceptron,
        ScaledWinnow,
        Winnow,
    )
    from thresher.protocol import Label, Learner, Prediction, Round, Rounds
    from thresher.store import load, save

__version__ = "0.1.0"

__all__ = [
    "AROW",
    "AdaGrad",
    "AdaHedge",
    "AveragedPerceptron",
    "BalancedWinnow",
    "Batch",
    "BestExpert",
    "BestLane",
    "BestMixture",
    "BestSequence",
    "BoundViolated",
    "ClassLearner",
    "ClassPrediction",
    "ClassRound",
    "ClassRounds",
    "ClassSeparator",
    "ConcurrentUse",
    "Conservative",
    "Consistent",
    "Constant",
    "Cover",
    "Disjunction",
    "Elimination",
    "ExampleError",
    "FixedShare",
    "FollowTheLeader",
    "Forecaster",
    "Halving",
    "Hedge",
    "Hypothesis",
    "ImprovedMajority",
    "Invariant",
    "Label",
    "LabelError",
    "LaneError",
    "Learner",
    "Ledger",
    "LedgerError",
    "LiteralWinnow",
    "LossRound",
    "LossRounds",
    "MarginPerceptron",
    "Measured",
    "Metrics",
    "Mixture",
    "MulticlassPerceptron",
    "NotRealizable",
    "OneVersusRest",
    "Optimal",
    "PNormPerceptron",
    "ParameterError",
    "PassiveAggressive",
    "Perceptron",
    "Portfolio",
    "Prediction",
    "Proof",
    "RandomizedMajority",
    "Round",
    "Rounds",
    "ScaledWinnow",
    "Separator",
    "SourceError",
    "StoreError",
    "Stream",
    "ThresherError",
    "Threshold",
    "Trace",
    "WeightedMajority",
    "Winnow",
    "bounds",
    "certify",
    "hindsight",
    "load",
    "open_stream",
    "pac",
    "save",
    "trace",
]

#: Where the names above live, in the order in which they are asked. A name is imported when it is first used, so that
#: `thresher --help` needs none of them.
_HOMES = (
    "errors",
    "protocol",
    "class_rounds",
    "linear",
    "experts",
    "classes",
    "compose",
    "ledger",
    "data.stream",
    "evaluate",
    "store",
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in ("bounds", "hindsight"):
            return import_module(f"thresher.{name}")
        homes = (import_module(f"thresher.{home}") for home in _HOMES if name in __all__)
        for home in homes:
            if name in home.__all__:
                globals()[name] = getattr(home, name)
                return globals()[name]
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
