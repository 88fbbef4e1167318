"""Theorems as values: one pure function makes the bound of one theorem, and a certificate holds it against a run."""

from thresher.bounds.balanced_winnow import (
    balanced_winnow,
    balanced_winnow_gap,
    balanced_winnow_textbook,
    balanced_winnow_tuned,
)
from thresher.bounds.bound import Bound, Theorem
from thresher.bounds.certificate import Certificate
from thresher.bounds.elimination import (
    elimination,
    elimination_textbook,
)
from thresher.bounds.margin_perceptron import (
    margin_perceptron,
    margin_perceptron_mistakes,
    margin_perceptron_recursion,
    margin_perceptron_textbook,
)
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
from thresher.bounds.winnow import (
    most_promotions,
    winnow_agnostic,
    winnow_cover,
    winnow_disjunction,
    winnow_simple,
    winnow_textbook,
)
from thresher.bounds.winnow_threshold import (
    winnow_entropy,
    winnow_littlestone,
    winnow_r_of_k,
    winnow_threshold,
    winnow_threshold_simple,
    winnow_threshold_tuned,
)

__all__ = [
    "Bound",
    "Certificate",
    "Premise",
    "Status",
    "Theorem",
    "Verdict",
    "balanced_winnow",
    "balanced_winnow_gap",
    "balanced_winnow_textbook",
    "balanced_winnow_tuned",
    "elimination",
    "elimination_textbook",
    "judge",
    "margin_perceptron",
    "margin_perceptron_mistakes",
    "margin_perceptron_recursion",
    "margin_perceptron_textbook",
    "most_promotions",
    "perceptron_distance",
    "perceptron_distance_textbook",
    "perceptron_gap",
    "perceptron_hinge",
    "perceptron_largest_margin",
    "perceptron_run",
    "perceptron_separable",
    "perceptron_squared_distance",
    "perceptron_threshold",
    "winnow_agnostic",
    "winnow_cover",
    "winnow_disjunction",
    "winnow_entropy",
    "winnow_littlestone",
    "winnow_r_of_k",
    "winnow_simple",
    "winnow_textbook",
    "winnow_threshold",
    "winnow_threshold_simple",
    "winnow_threshold_tuned",
]
