from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike, NDArray

def validate_data(
    _estimator: object,
    /,
    X: object,
    *,
    reset: bool = ...,
    accept_sparse: str = ...,
    dtype: Sequence[DTypeLike] = ...,
    order: str = ...,
    ensure_all_finite: bool = ...,
) -> Any: ...
def check_array(array: object, *, ensure_2d: bool = ..., dtype: DTypeLike = ..., input_name: str = ...) -> NDArray[Any]: ...
def check_consistent_length(*arrays: object) -> None: ...
def check_is_fitted(estimator: object) -> None: ...
def column_or_1d(y: object, *, warn: bool = ...) -> NDArray[Any]: ...
def assert_all_finite(X: object, *, input_name: str = ...) -> None: ...
