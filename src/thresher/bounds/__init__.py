"""Theorems as values: one pure function makes the bound of one theorem, and a certificate holds it against a run."""

from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.certificate import Certificate
from thresher.bounds.perceptron import (
    perceptron_distance,
    perceptron_distance_textbook,
    perceptron_gap,
    perceptron_hinge,
    perceptron_largest_margin,
    perceptron_run,
    perceptron_separable,
    perceptron_squared_distance,
    perceptron_threshold,
)
from thresher.bounds.premise import Premise, Status, Verdict, judge

__all__ = [
    "Bound",
    "Certificate",
    "Premise",
    "Status",
    "Theorem",
    "Verdict",
    "judge",
    "perceptron_distance",
    "perceptron_distance_textbook",
    "perceptron_gap",
    "perceptron_hinge",
    "perceptron_largest_margin",
    "perceptron_run",
    "perceptron_separable",
    "perceptron_squared_distance",
    "perceptron_threshold",
]
