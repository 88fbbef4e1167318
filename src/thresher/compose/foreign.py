"""Learners of one's own as lanes of a portfolio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thresher._core import Prediction, Round
from thresher.bounds.printed import shown
from thresher.compose.frozen import Predictor
from thresher.errors import ExampleError, LabelError, LaneError, ParameterError
from thresher.protocol import Learner

__all__ = ["Foreign"]


class Foreign:
    """A learner of one's own as a lane, by reference: it is asked and told row by row, and may break."""

    def __init__(self, lane: int, learner: Predictor[Any]) -> None:
        self.lane = lane
        self.learner = learner
        self.name = type(learner).__name__

    def _broke(self, did: str, error: object) -> LaneError:
        return LaneError(f"lane {self.lane} ({self.name}) broke while it {did}: {error}", lane=self.lane)

    def predict(self, x: object) -> Prediction:
        """What it says of x. An `ExampleError` of its own is the example's fault, and anything else the lane's."""
        try:
            said = self.learner.predict(x)
        except Exception as error:
            if isinstance(error, ExampleError) and not isinstance(error, LabelError):  # no label was given
                raise
            raise self._broke("predicted", f"{type(error).__name__}: {error}") from error
        if not isinstance(said, Prediction):
            raise self._broke("predicted", f"found {shown(said)}, expected a Prediction")
        return said

    def learn(self, x: object, y: int, weight: float) -> bool:
        """It learns; whether it changed."""
        if not isinstance(self.learner, Learner):
            raise self._broke("learned", f"found {shown(self.learner)}, which cannot learn")
        try:
            played = self.learner.learn(x, y, weight)
        except Exception as error:
            raise self._broke("learned", f"{type(error).__name__}: {error}") from error
        if not isinstance(played, Round):
            raise self._broke("learned", f"found {shown(played)}, expected a Round")
        return played.changed

    def twin(self, copied: Callable[[Any], Any]) -> Foreign:
        """A lane with a copy of the learner."""
        try:
            return Foreign(self.lane, copied(self.learner))
        except ParameterError:
            raise
        except Exception as error:
            raise ParameterError(f"lane {self.lane} ({self.name}) cannot be copied: {error}") from error
