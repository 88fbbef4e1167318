"""Every classifier, which of scikit-learn's checks it does not pass, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from thresher.adapters import sklearn as ours
from thresher.adapters.sklearn import OnlineClassifier, WeightedClassifier

__all__ = ["ANY_VALUES", "CLASSIFIERS", "SMALL_BIAS", "SOME_VALUES", "SQUASHED", "expected_failures"]

#: By name, those that take any values and those that do not.
ANY_VALUES: dict[str, Callable[..., Any]] = {
    name: getattr(ours, name)
    for name in (
        "AROWClassifier", "AdaGradClassifier", "AveragedPerceptronClassifier", "InvariantClassifier",
        "MarginPerceptronClassifier", "MulticlassPerceptronClassifier", "PNormPerceptronClassifier",
        "PassiveAggressiveClassifier", "PerceptronClassifier",
        "PortfolioClassifier", "ScaledWinnowClassifier",
    )
}  # fmt: skip
SOME_VALUES: dict[str, Callable[..., Any]] = {
    name: getattr(ours, name)
    for name in ("BalancedWinnowClassifier", "EliminationClassifier", "LiteralWinnowClassifier", "WinnowClassifier")
}
CLASSIFIERS = ANY_VALUES | SOME_VALUES


class Squashed(OnlineClassifier):
    """A classifier that first brings values to where its learner takes them, each for itself; signs stay as they are."""

    def _squash(self, values: Any) -> Any:
        return values / (1.0 + abs(values))

    def _rows(self, X: object, *, reset: bool = False) -> Any:
        rows = super()._rows(X, reset=reset)
        sparse: bool = issparse(rows)
        given = rows.data if sparse else rows
        with np.errstate(invalid="ignore"):
            values = np.where(np.isfinite(given), self._squash(given), given)
        return type(rows)((values, rows.indices, rows.indptr), shape=rows.shape) if sparse else values

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        assert tags.classifier_tags is not None
        tags.classifier_tags.poor_score = True  # blobs in two dimensions are no disjunctions
        return tags


class SquashedBalancedWinnowClassifier(Squashed, ours.BalancedWinnowClassifier):
    pass


class SquashedLiteralWinnowClassifier(Squashed, ours.LiteralWinnowClassifier):
    pass


class SquashedWinnowClassifier(Squashed, ours.WinnowClassifier):
    pass


class SquashedEliminationClassifier(Squashed, ours.EliminationClassifier):
    def _squash(self, values: Any) -> Any:
        return np.sign(values)


#: Those that do not take any values, behind something that makes them: then all checks can be run.
SQUASHED: list[type[OnlineClassifier]] = [
    SquashedBalancedWinnowClassifier,
    SquashedEliminationClassifier,
    SquashedLiteralWinnowClassifier,
    SquashedWinnowClassifier,
]

#: Those whose steps follow the size of x, the bias being 1.
SMALL_BIAS = (
    "AdaGradClassifier",
    "AveragedPerceptronClassifier",
    "MarginPerceptronClassifier",
    "MulticlassPerceptronClassifier",
    "PNormPerceptronClassifier",
    "PassiveAggressiveClassifier",
    "PerceptronClassifier",
)

_ONE_BY_ONE = (
    "a weight scales the one step of its round, and a row of weight 0 is a round, too; a row that comes again is another "
    "round, in which the learner predicts anew"
)
_BIAS = (
    "in one pass over 50 rows of values up to 60 the constant of 1 moves too little to outweigh them; with a bias of 100 this "
    "check passes, as test_class_weights_are_obeyed_where_the_bias_can_follow shows"
)
_VOTES = (
    "with three classes what the portfolio says is predicted, as it was in the rounds that were counted; its calibrated "
    "chances may order classes otherwise where two are near"
)
_OUTSIDE = "the check's values are not those that the learner takes, and it says so; behind a scaler the check passes"
_NEGATIVE = "the check gives values below 0 whatever the tags say"

_WEIGHTS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
_FED_OTHER_VALUES = (
    "check_classifier_data_not_an_array", "check_classifiers_classes", "check_classifiers_train", "check_dict_unchanged",
    "check_dont_overwrite_parameters", "check_estimators_dtypes", "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params", "check_estimators_partial_fit_n_features", "check_estimators_pickle",
    "check_f_contiguous_array_estimator", "check_fit2d_1feature", "check_fit2d_predict1d", "check_fit_check_is_fitted",
    "check_fit_idempotent", "check_methods_sample_order_invariance", "check_methods_subset_invariance",
    "check_n_features_in", "check_n_features_in_after_fitting", "check_pipeline_consistency", "check_readonly_memmap_input",
)  # fmt: skip
_FED_OTHER_VALUES_WITH_WEIGHTS = (
    "check_class_weight_classifiers", "check_sample_weights_not_an_array", "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series", "check_sample_weights_shape",
)  # fmt: skip
_FED_OTHERS_THAN_0_AND_1 = (
    "check_dtype_object", "check_estimator_sparse_array", "check_estimator_sparse_matrix", "check_estimator_sparse_tag",
    "check_estimators_nan_inf", "check_fit_score_takes_y", "check_supervised_y_2d",
)  # fmt: skip


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    """The checks that a classifier does not pass, each with the reason."""
    name = type(estimator).__name__
    failures: dict[str, str] = {}
    if isinstance(estimator, WeightedClassifier):
        failures |= dict.fromkeys(_WEIGHTS, _ONE_BY_ONE)
    if name in SMALL_BIAS:
        failures["check_class_weight_classifiers"] = _BIAS
    if name == "PortfolioClassifier":
        failures["check_classifiers_train"] = _VOTES
    if name in ("SquashedWinnowClassifier", "SquashedLiteralWinnowClassifier"):
        failures["check_class_weight_classifiers"] = _NEGATIVE
    if name in SOME_VALUES:
        failures |= dict.fromkeys(_FED_OTHER_VALUES, _OUTSIDE)
        if isinstance(estimator, WeightedClassifier):
            failures |= dict.fromkeys(_FED_OTHER_VALUES_WITH_WEIGHTS, _OUTSIDE)
        if name == "EliminationClassifier":
            failures |= dict.fromkeys(_FED_OTHERS_THAN_0_AND_1, _OUTSIDE)
        if name == "BalancedWinnowClassifier":  # values below 0 are fine, but for it none below -1
            failures["check_positive_only_tag_during_fit"] = _OUTSIDE
    return failures
