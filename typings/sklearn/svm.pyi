from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

class LinearSVC:
    def __init__(
        self,
        *,
        C: float = ...,
        loss: str = ...,
        fit_intercept: bool = ...,
        tol: float = ...,
        max_iter: int = ...,
        random_state: Any = ...,
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self: ...
    @property
    def coef_(self) -> NDArray[np.float64]: ...
