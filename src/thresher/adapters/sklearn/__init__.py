"""Thresher's learners as classifiers of scikit-learn: `pip install 'thresher[sklearn]'`.

Each learns in one pass over the rows in the order given, batch by batch with `partial_fit`, and counts the mistakes that it
makes on the way. docs/from-scikit-learn.md shows them beside scikit-learn's own.
"""

from thresher.adapters.sklearn.classifier import BinaryLearnerClassifier, OnlineClassifier, WeightedClassifier
from thresher.adapters.sklearn.linear import (
    AdaGradClassifier,
    AROWClassifier,
    AveragedPerceptronClassifier,
    BalancedWinnowClassifier,
    EliminationClassifier,
    InvariantClassifier,
    LiteralWinnowClassifier,
    MarginPerceptronClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
    PNormPerceptronClassifier,
    ScaledWinnowClassifier,
    WinnowClassifier,
)
from thresher.adapters.sklearn.multiclass import MulticlassPerceptronClassifier
from thresher.adapters.sklearn.portfolio import PortfolioClassifier

__all__ = [
    "AROWClassifier",
    "AdaGradClassifier",
    "AveragedPerceptronClassifier",
    "BalancedWinnowClassifier",
    "BinaryLearnerClassifier",
    "EliminationClassifier",
    "InvariantClassifier",
    "LiteralWinnowClassifier",
    "MarginPerceptronClassifier",
    "MulticlassPerceptronClassifier",
    "OnlineClassifier",
    "PNormPerceptronClassifier",
    "PassiveAggressiveClassifier",
    "PerceptronClassifier",
    "PortfolioClassifier",
    "ScaledWinnowClassifier",
    "WeightedClassifier",
    "WinnowClassifier",
]
