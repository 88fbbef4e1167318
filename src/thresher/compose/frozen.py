"""What a learner believes at one moment, as a predictor that never changes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Protocol, TypeVar, runtime_checkable

from thresher.errors import ParameterError
from thresher.protocol import Learner, Prediction

__all__ = ["Frozen", "Predictor", "frozen"]

X_contra = TypeVar("X_contra", contravariant=True)


@runtime_checkable
class Predictor(Protocol[X_contra]):
    """Whoever predicts."""

    def predict(self, x: X_contra, /) -> Prediction: ...


class Frozen:
    """A copy of a learner that can do nothing but predict."""

    def __init__(self, learner: Learner[Any]) -> None:
        try:
            self._learner = deepcopy(learner)
        except Exception as error:
            raise ParameterError(f"found {learner!r}, which has no hypothesis() and cannot be copied: {error}") from error

    def predict(self, x: object) -> Prediction:
        """What the learner said of one example when it was copied."""
        return self._learner.predict(x)

    def __repr__(self) -> str:
        return f"<hypothesis of {self._learner!r}>"


def frozen(learner: Learner[Any]) -> Predictor[Any]:
    """The learner's own `hypothesis()` where it has one that cannot learn, else a copy that only predicts.

    >>> import thresher as th
    >>> frozen(th.Elimination(2)), frozen(th.FollowTheLeader(3))
    (<hypothesis of Elimination(n=2, monotone=False) after 0 rounds>, <hypothesis of FollowTheLeader(n=3)>)
    """
    made = getattr(learner, "hypothesis", None)
    belief = made() if callable(made) else None
    return belief if isinstance(belief, Predictor) and not isinstance(belief, Learner) else Frozen(learner)
