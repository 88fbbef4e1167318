"""Finite concept classes as values, and the learners that go through all their concepts."""

from thresher.classes.bits import unpack
from thresher.classes.concepts import Concept, ConceptClass
from thresher.classes.consistent import Consistent
from thresher.classes.explicit import AllFunctions, Explicit
from thresher.classes.halving import Halving
from thresher.classes.learner import ClassLearner, VersionSpace
from thresher.classes.line import Intervals, Thresholds
from thresher.classes.literals import DNF, Conjunctions, Disjunctions
from thresher.classes.littlestone import littlestone_dimension
from thresher.classes.optimal import Optimal

__all__ = [
    "DNF",
    "AllFunctions",
    "ClassLearner",
    "Concept",
    "ConceptClass",
    "Conjunctions",
    "Consistent",
    "Disjunctions",
    "Explicit",
    "Halving",
    "Intervals",
    "Optimal",
    "Thresholds",
    "VersionSpace",
    "littlestone_dimension",
    "unpack",
]
