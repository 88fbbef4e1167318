"""Every theorem by family, with numbers to make its bound from: what a list or a page of all theorems is made of."""

from __future__ import annotations

from collections.abc import Callable

from thresher import bounds
from thresher.bounds import Bound

__all__ = ["FAMILIES"]

#: Each function that makes a bound, with numbers to make one, by family.
FAMILIES: dict[str, dict[Callable[..., Bound], dict[str, float]]] = {
    "Perceptron": {
        bounds.perceptron_separable: {"margin": 0.1},
        bounds.perceptron_run: {"margin": 0.5, "squares": 3},
        bounds.perceptron_threshold: {"margin": 0.5, "radius": 1},
        bounds.perceptron_gap: {"gap": 1, "radius": 1},
        bounds.perceptron_hinge: {"hinge": 5, "norm": 3},
        bounds.perceptron_distance: {"distance": 1, "margin": 0.5},
        bounds.perceptron_distance_textbook: {"distance": 1, "margin": 0.5},
        bounds.perceptron_squared_distance: {"squared": 0.25, "margin": 0.5},
        bounds.perceptron_largest_margin: {"mistakes": 64},
    },
    "Multiclass Perceptron": {
        bounds.multiclass_perceptron: {"margin": 0.5},
        bounds.multiclass_perceptron_distance: {"distance": 1, "margin": 0.5},
    },
    "Margin Perceptron": {
        bounds.margin_perceptron_recursion: {"margin": 0.1},
        bounds.margin_perceptron_mistakes: {"margin": 0.1},
        bounds.margin_perceptron: {"margin": 0.1},
        bounds.margin_perceptron_textbook: {"margin": 0.1},
    },
    "Elimination": {
        bounds.elimination: {"n": 100, "r": 2},
        bounds.elimination_textbook: {"n": 100},
    },
    "Winnow, disjunctions": {
        bounds.winnow_disjunction: {"r": 2, "n": 100},
        bounds.winnow_simple: {"r": 2, "n": 100},
        bounds.winnow_textbook: {"r": 2, "n": 100},
        bounds.winnow_cover: {"norm": 1.5, "n": 100},
        bounds.winnow_agnostic: {"r": 2, "errors": 3, "n": 100},
    },
    "Winnow, linear thresholds": {
        bounds.winnow_threshold: {"norm": 3, "delta": 0.5, "n": 100, "factor": 1.25},
        bounds.winnow_threshold_tuned: {"norm": 3, "delta": 0.5, "n": 100},
        bounds.winnow_threshold_simple: {"norm": 3, "delta": 0.5, "n": 100},
        bounds.winnow_littlestone: {"norm": 3, "delta": 0.5, "n": 100},
        bounds.winnow_r_of_k: {"r": 2, "k": 6, "n": 100},
        bounds.winnow_entropy: {"norm": 3, "entropy": 0, "delta": 0.5, "n": 100, "factor": 1.25},
    },
    "Balanced Winnow": {
        bounds.balanced_winnow: {"margin": 0.5, "n": 100, "eta": 0.5},
        bounds.balanced_winnow_tuned: {"margin": 0.5, "n": 100},
        bounds.balanced_winnow_textbook: {"margin": 0.5, "n": 100},
        bounds.balanced_winnow_gap: {"gap": 1, "n": 100},
    },
    "p-norm Perceptron": {
        bounds.p_norm: {"margin": 0.5, "p": 10},
        bounds.p_norm_hinge: {"hinge": 5, "p": 10, "norm": 3},
        bounds.p_norm_distance: {"distance": 1, "margin": 0.5, "p": 10},
        bounds.p_norm_textbook: {"margin": 0.5, "n": 100},
    },
    "Passive-aggressive": {
        bounds.passive_aggressive: {"margin": 0.5, "distance": 3, "C": 0.1},
    },
    "Finite classes": {
        bounds.consistent: {"size": 1000},
        bounds.halving: {"size": 1000},
        bounds.optimal: {"dimension": 3},
    },
    "Majorities": {
        bounds.weighted_majority: {"mistakes": 5, "n": 10, "beta": 0.5},
        bounds.weighted_majority_textbook: {"mistakes": 5, "n": 10, "eta": 0.5},
        bounds.randomized_majority: {"mistakes": 5, "n": 10, "beta": 0.5},
        bounds.randomized_majority_textbook: {"mistakes": 5, "n": 10, "eta": 0.5},
        bounds.randomized_majority_tuned: {"mistakes": 5, "n": 10, "most": 10},
        bounds.doubling: {"mistakes": 5, "n": 10},
        bounds.improved_majority: {"mistakes": 5, "n": 10, "beta": 0.5},
        bounds.improved_majority_tuned: {"mistakes": 5, "n": 10, "most": 10},
        bounds.realised_mistakes: {"loss": 100, "delta": 0.01},
        bounds.follow_the_leader: {"mistakes": 5, "n": 10},
    },
    "Hedge and its kin": {
        bounds.hedge: {"best": 5, "n": 10, "beta": 0.5},
        bounds.hedge_fixed: {"rounds": 1000, "n": 10, "eta": 0.1},
        bounds.hedge_horizon: {"rounds": 1000, "n": 10},
        bounds.hedge_anytime: {"rounds": 1000, "n": 10},
        bounds.adahedge: {"best": 10, "rounds": 1000, "n": 10},
        bounds.adahedge_scaled: {"rounds": 1000, "n": 10, "scale": 0.01},
        bounds.adahedge_run: {"gaps": 3.5},
        bounds.fixed_share: {"rounds": 1000, "n": 10, "switches": 3, "eta": 0.2, "alpha": 0.003},
        bounds.sleeping: {"rounds": 400, "n": 10, "eta": 0.2},
        bounds.vote: {"loss": 10.5},
    },
    "Portfolios": {
        bounds.portfolio_loss: {"best": 118, "regret": 30.5},
        bounds.portfolio_mistakes: {"loss": 10.5},
    },
    "Losses that mix": {
        bounds.mixture_log: {"n": 10},
        bounds.aggregating_squared: {"n": 10, "low": -1, "high": 1},
        bounds.aggregating_brier: {"n": 10},
    },
    "From mistakes to risk": {
        bounds.pac_sample: {"mistakes": 3, "epsilon": 0.1, "delta": 0.05},
        bounds.online_to_batch: {"mistakes": 30, "examples": 1000, "delta": 0.05},
        bounds.online_to_batch_vote: {"mistakes": 30, "examples": 1000, "delta": 0.05},
        bounds.random_stop: {"mistakes": 3, "examples": 99},
    },
}
