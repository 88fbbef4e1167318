"""Comparators found after the fact: any of them is a valid witness, and says how far it can be from the best."""

from thresher.hindsight.mixture import FoundMixture, best_mixture
from thresher.hindsight.sequence import FoundSequence, best_sequence

__all__ = ["FoundMixture", "FoundSequence", "best_mixture", "best_sequence"]
