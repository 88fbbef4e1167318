"""Comparators found after the fact: any of them is a valid witness, and says how far it can be from the best."""

from thresher.hindsight.cheap import cheap_disjunction, cheap_hinge, cheap_separator, cheap_sum_margin
from thresher.hindsight.disjunction import FoundCover, FoundDisjunction, best_cover, best_disjunction
from thresher.hindsight.hinge import FoundHinge, best_hinge
from thresher.hindsight.mixture import FoundMixture, best_mixture
from thresher.hindsight.separator import FoundSeparator, best_separator
from thresher.hindsight.sequence import FoundSequence, best_sequence
from thresher.hindsight.sum_margin import FoundSumMargin, best_sum_margin

__all__ = [
    "FoundCover",
    "FoundDisjunction",
    "FoundHinge",
    "FoundMixture",
    "FoundSeparator",
    "FoundSequence",
    "FoundSumMargin",
    "best_cover",
    "best_disjunction",
    "best_hinge",
    "best_mixture",
    "best_separator",
    "best_sequence",
    "best_sum_margin",
    "cheap_disjunction",
    "cheap_hinge",
    "cheap_separator",
    "cheap_sum_margin",
]
