"""Learners made from learners: what an example or a label becomes before one sees it."""

from thresher.compose.flipped import Flipped
from thresher.compose.prepare import factor_for, negations, r_of_k

__all__ = ["Flipped", "factor_for", "negations", "r_of_k"]
