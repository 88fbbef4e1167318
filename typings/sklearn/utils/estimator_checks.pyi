from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sklearn.base import BaseEstimator

F = TypeVar("F", bound=Callable[..., object])

def parametrize_with_checks(
    estimators: Sequence[BaseEstimator],
    *,
    expected_failed_checks: Callable[[BaseEstimator], Mapping[str, str]] = ...,
    xfail_strict: bool = ...,
) -> Callable[[F], F]: ...
def check_class_weight_classifiers(name: str, classifier_orig: BaseEstimator) -> None: ...
def check_estimator(
    estimator: BaseEstimator,
    *,
    expected_failed_checks: Mapping[str, str] = ...,
    on_skip: str | None = ...,
    on_fail: str | None = ...,
) -> list[dict[str, object]]: ...
