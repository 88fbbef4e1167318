"""What scikit-learn checks of a classifier."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import check_class_weight_classifiers, check_estimator, parametrize_with_checks

from tests.sklearn_classifiers import ANY_VALUES, CLASSIFIERS, SMALL_BIAS, SOME_VALUES, SQUASHED, expected_failures
from thresher.adapters import sklearn as ours

_STATUSES = ("passed", "failed", "xfail")


@parametrize_with_checks([kind() for kind in ANY_VALUES.values()], expected_failed_checks=expected_failures, xfail_strict=True)
def test_a_classifier_of_any_values_passes(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    check(estimator)


@parametrize_with_checks([kind() for kind in SQUASHED], expected_failed_checks=expected_failures, xfail_strict=True)
def test_a_classifier_of_some_values_passes_where_it_gets_them(
    estimator: BaseEstimator, check: Callable[[BaseEstimator], None]
) -> None:
    check(estimator)


@pytest.mark.parametrize("name", SOME_VALUES)
def test_a_classifier_of_some_values_passes_all_that_can_be_passed_without_them(name: str) -> None:
    classifier = SOME_VALUES[name]()
    made = check_estimator(classifier, expected_failed_checks=expected_failures(classifier), on_skip=None, on_fail=None)
    by_status = {status: {str(each["check_name"]) for each in made if each["status"] == status} for status in _STATUSES}
    assert by_status["failed"] == set()
    assert by_status["xfail"] == set(expected_failures(classifier))
    assert by_status["passed"] & by_status["xfail"] == set()


def test_no_classifier_is_left_out() -> None:
    bases = {"BinaryLearnerClassifier", "OnlineClassifier", "WeightedClassifier"}
    assert set(CLASSIFIERS) == set(ours.__all__) - bases
    assert ours.__all__ == sorted(ours.__all__)


@pytest.mark.parametrize("name", SMALL_BIAS)
def test_class_weights_are_obeyed_where_the_bias_can_follow(name: str) -> None:
    check_class_weight_classifiers(name, ANY_VALUES[name](bias=100.0))
