"""Learners made from learners, hypotheses made from runs, and what an example or a label becomes before a learner sees it."""

from typing import TYPE_CHECKING

from thresher.compose.frozen import Frozen, Predictor, frozen
from thresher.late import late
from thresher.threads import use_threads

if TYPE_CHECKING:
    from thresher.compose.average import Averaged, online_to_batch
    from thresher.compose.conservative import Conservative
    from thresher.compose.flipped import Flipped
    from thresher.compose.lanes import default_lanes
    from thresher.compose.one_versus_rest import OneVersusRest, OneVersusRestHypothesis
    from thresher.compose.pac_learning import Learned, pac
    from thresher.compose.portfolio import Portfolio, PortfolioHypothesis
    from thresher.compose.prepare import factor_for, negations, r_of_k
else:
    __getattr__, __dir__ = late(
        __name__,
        average="Averaged online_to_batch",
        conservative="Conservative",
        flipped="Flipped",
        lanes="default_lanes",
        one_versus_rest="OneVersusRest OneVersusRestHypothesis",
        pac_learning="Learned pac",
        portfolio="Portfolio PortfolioHypothesis",
        prepare="factor_for negations r_of_k",
    )

__all__ = [
    "Averaged",
    "Conservative",
    "Flipped",
    "Frozen",
    "Learned",
    "OneVersusRest",
    "OneVersusRestHypothesis",
    "Portfolio",
    "PortfolioHypothesis",
    "Predictor",
    "default_lanes",
    "factor_for",
    "frozen",
    "negations",
    "online_to_batch",
    "pac",
    "r_of_k",
    "use_threads",
]
