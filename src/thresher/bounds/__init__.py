"""Theorems as values: one pure function makes the bound of one theorem, and a certificate holds it against a run."""

from typing import TYPE_CHECKING

from thresher.late import late

if TYPE_CHECKING:
    from thresher.bounds.aggressive import passive_aggressive
    from thresher.bounds.balanced import balanced_winnow, balanced_winnow_gap, balanced_winnow_textbook, balanced_winnow_tuned
    from thresher.bounds.bound import Bound, Theorem
    from thresher.bounds.certificate import Certificate, Lost
    from thresher.bounds.classes import consistent, halving, optimal
    from thresher.bounds.eliminating import elimination, elimination_textbook
    from thresher.bounds.hedging import (
        adahedge,
        adahedge_run,
        adahedge_scaled,
        aggregating_brier,
        aggregating_squared,
        fixed_share,
        hedge,
        hedge_anytime,
        hedge_fixed,
        hedge_horizon,
        mixture_log,
        random_experts_regret,
        sleeping,
        vote,
    )
    from thresher.bounds.improved import improved_limits, improved_share
    from thresher.bounds.majority import (
        beta_for,
        doubling,
        follow_the_leader,
        improved_majority,
        improved_majority_tuned,
        randomized_majority,
        randomized_majority_textbook,
        randomized_majority_tuned,
        realised_mistakes,
        weighted_majority,
        weighted_majority_textbook,
    )
    from thresher.bounds.margin import (
        margin_perceptron,
        margin_perceptron_mistakes,
        margin_perceptron_recursion,
        margin_perceptron_textbook,
    )
    from thresher.bounds.multiclass import multiclass_perceptron, multiclass_perceptron_distance
    from thresher.bounds.norms import p_norm, p_norm_distance, p_norm_hinge, p_norm_textbook
    from thresher.bounds.pac import online_to_batch, online_to_batch_vote, pac_block, pac_sample, random_stop
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
    from thresher.bounds.portfolio import portfolio_loss, portfolio_mistakes
    from thresher.bounds.premise import Premise, Status, Verdict, judge
    from thresher.bounds.risk import RiskCertificate
    from thresher.bounds.thresholds import (
        winnow_entropy,
        winnow_littlestone,
        winnow_r_of_k,
        winnow_threshold,
        winnow_threshold_simple,
        winnow_threshold_tuned,
    )
    from thresher.bounds.winnow import (
        most_promotions,
        winnow_agnostic,
        winnow_cover,
        winnow_disjunction,
        winnow_simple,
        winnow_textbook,
    )
else:
    __getattr__, __dir__ = late(
        __name__,
        aggressive="passive_aggressive",
        balanced="balanced_winnow balanced_winnow_gap balanced_winnow_textbook balanced_winnow_tuned",
        bound="Bound Theorem",
        certificate="Certificate Lost",
        classes="consistent halving optimal",
        eliminating="elimination elimination_textbook",
        hedging=(
            "adahedge adahedge_run adahedge_scaled aggregating_brier aggregating_squared fixed_share hedge "
            "hedge_anytime hedge_fixed hedge_horizon mixture_log random_experts_regret sleeping vote"
        ),
        improved="improved_limits improved_share",
        majority=(
            "beta_for doubling follow_the_leader improved_majority improved_majority_tuned randomized_majority "
            "randomized_majority_textbook randomized_majority_tuned realised_mistakes weighted_majority "
            "weighted_majority_textbook"
        ),
        margin="margin_perceptron margin_perceptron_mistakes margin_perceptron_recursion margin_perceptron_textbook",
        multiclass="multiclass_perceptron multiclass_perceptron_distance",
        norms="p_norm p_norm_distance p_norm_hinge p_norm_textbook",
        pac="online_to_batch online_to_batch_vote pac_block pac_sample random_stop",
        perceptron=(
            "perceptron_distance perceptron_distance_textbook perceptron_gap perceptron_hinge "
            "perceptron_largest_margin perceptron_run perceptron_separable perceptron_squared_distance "
            "perceptron_threshold"
        ),
        portfolio="portfolio_loss portfolio_mistakes",
        premise="Premise Status Verdict judge",
        risk="RiskCertificate",
        thresholds=(
            "winnow_entropy winnow_littlestone winnow_r_of_k winnow_threshold winnow_threshold_simple winnow_threshold_tuned"
        ),
        winnow="most_promotions winnow_agnostic winnow_cover winnow_disjunction winnow_simple winnow_textbook",
    )

__all__ = [
    "Bound",
    "Certificate",
    "Lost",
    "Premise",
    "RiskCertificate",
    "Status",
    "Theorem",
    "Verdict",
    "adahedge",
    "adahedge_run",
    "adahedge_scaled",
    "aggregating_brier",
    "aggregating_squared",
    "balanced_winnow",
    "balanced_winnow_gap",
    "balanced_winnow_textbook",
    "balanced_winnow_tuned",
    "beta_for",
    "consistent",
    "doubling",
    "elimination",
    "elimination_textbook",
    "fixed_share",
    "follow_the_leader",
    "halving",
    "hedge",
    "hedge_anytime",
    "hedge_fixed",
    "hedge_horizon",
    "improved_limits",
    "improved_majority",
    "improved_majority_tuned",
    "improved_share",
    "judge",
    "margin_perceptron",
    "margin_perceptron_mistakes",
    "margin_perceptron_recursion",
    "margin_perceptron_textbook",
    "mixture_log",
    "most_promotions",
    "multiclass_perceptron",
    "multiclass_perceptron_distance",
    "online_to_batch",
    "online_to_batch_vote",
    "optimal",
    "p_norm",
    "p_norm_distance",
    "p_norm_hinge",
    "p_norm_textbook",
    "pac_block",
    "pac_sample",
    "passive_aggressive",
    "perceptron_distance",
    "perceptron_distance_textbook",
    "perceptron_gap",
    "perceptron_hinge",
    "perceptron_largest_margin",
    "perceptron_run",
    "perceptron_separable",
    "perceptron_squared_distance",
    "perceptron_threshold",
    "portfolio_loss",
    "portfolio_mistakes",
    "random_experts_regret",
    "random_stop",
    "randomized_majority",
    "randomized_majority_textbook",
    "randomized_majority_tuned",
    "realised_mistakes",
    "sleeping",
    "vote",
    "weighted_majority",
    "weighted_majority_textbook",
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
