"""Other kinds of one's own than learners of two labels: of many classes, forecasters, rules for losses, portfolios."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.bounds.printed import shown
from thresher.class_rounds import ClassPrediction, ClassRound
from thresher.experts import LossRound
from thresher.lab.experiment import Game
from thresher.lab.own import OwnLearner, Watched, must_have, offered
from thresher.protocol import Prediction

__all__ = ["OwnClassLearner", "OwnForecaster", "OwnPortfolio", "OwnRule", "own"]

#: How far the sum of a mixture's weights may be from 1.
_ROUNDING = 1e-9


def own(learner: Callable[..., Any], game: Game[Any]) -> Watched:
    """One's own, made for this game, as that is played. What it is given is its own, to change as it likes."""
    given = deepcopy(dict(game.given))
    made, n = offered(learner, given), given.get("n")
    match game.plays:
        case "classes":
            return OwnClassLearner(made, given["classes"])
        case "forecasts":
            return OwnForecaster(made, given["loss"])
        case "losses":
            return OwnRule(made, given["n"])
        case "lanes":
            return OwnPortfolio(made, deepcopy(game.given["learners"]))
        case "labels" | "coins" | "chances":
            return OwnLearner(made, n, game.plays == "chances")


class OwnClassLearner(Watched):
    """A learner of many classes, with `predict` and `learn`.

    >>> class Stuck:
    ...     def predict(self, x):
    ...         return "oak"
    ...     def learn(self, x, y):
    ...         pass
    >>> OwnClassLearner(Stuck(), ("ash", "oak")).learn((1.0,), "ash")
    ClassRound(t=1, ClassPrediction(label='oak', score=0.0), label='ash', mistake=True, changed=False)
    """

    def __init__(self, made: Any, classes: Sequence[str]) -> None:
        super().__init__(made)
        self._classes = classes
        must_have(made, "predict", "learn")

    def predict(self, x: Any) -> ClassPrediction:
        """What it says; it must be one of the classes."""
        said = self.call("predict", x)
        label = said.label if isinstance(said, ClassPrediction) else said
        if not isinstance(label, str) or label not in self._classes:
            raise self.fault(
                "predict", f"gave {shown(said)}, expected one of the classes {', '.join(map(repr, self._classes))}"
            )
        return ClassPrediction(str(label), 0.0)

    def _say(self, *known: Any) -> ClassPrediction:
        return self.predict(*known)

    def counts(self, said: ClassPrediction) -> Any:
        """The class."""
        return said.label

    def learn(self, x: Any, y: str) -> ClassRound:
        """One whole round: it predicts, and is told the class."""
        said = self.ask(x)
        self.tell((x,), y, said)
        return ClassRound(self._t, x, said, y, changed=False)


class OwnForecaster(Watched):
    """A forecaster with `predict`, which gives one number out of the experts' forecasts, and `learn(forecasts, outcome)`.

    >>> class Mean:
    ...     def predict(self, forecasts):
    ...         return sum(forecasts) / len(forecasts)
    ...     def learn(self, forecasts, outcome):
    ...         pass
    >>> OwnForecaster(Mean(), "squared").learn((0.0, 0.5), 1)
    LossRound(t=1, experts=2, loss=0.5625, forecast=0.25, outcome=1)
    """

    def __init__(self, made: Any, loss: str) -> None:
        super().__init__(made)
        self._loss = loss
        must_have(made, "predict", "learn")

    def _say(self, *known: Any) -> float:
        said = self.call("predict", *known)
        try:
            p = math.nan if isinstance(said, str | bytes) or np.ndim(said) > 0 else float(said)
        except Exception:  # whatever making a number of it raises
            p = math.nan
        if self._loss == "squared" and not math.isfinite(p):
            raise self.fault("predict", f"gave {shown(said)}, expected a finite number, the forecast")
        if self._loss != "squared" and not 0 <= p <= 1:
            raise self.fault("predict", f"gave {shown(said)}, expected a number from 0 to 1, the probability of outcome 1")
        return p

    def learn(self, forecasts: Any, outcome: int) -> LossRound:
        """One whole round: it forecasts, and is told what came."""
        said: float = self.ask(forecasts)
        self.tell((forecasts,), outcome, said)
        given = np.array(forecasts)
        losses = np.array([_lost(self._loss, float(p), outcome) for p in given])
        mixture = np.full(len(given), math.nan)  # a forecaster of one's own need have none
        return LossRound(self._t, losses, mixture, _lost(self._loss, said, outcome), said, outcome, given)


def _lost(loss: str, p: float, outcome: int) -> float:
    if loss == "log":
        right = p if outcome == 1 else 1 - p
        return -math.log(right) if right > 0 else math.inf
    return (p - outcome) ** 2 * (2 if loss == "brier" else 1)


class OwnRule(Watched):
    """A rule for losses, with `weights`, a mixture of the experts, and `learn_losses`; of experts asleep the loss is NaN.

    >>> class Stuck:
    ...     weights = (0.5, 0.5)
    ...     def learn_losses(self, losses):
    ...         pass
    >>> OwnRule(Stuck(), 2).learn_losses((1.0, 0.0))
    LossRound(t=1, experts=2, loss=0.5)
    """

    asks, tells = "weights", "learn_losses"

    def __init__(self, made: Any, n: int) -> None:
        super().__init__(made)
        self._n = n
        must_have(made, "learn_losses")
        must_have(made, "weights", called=False)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The mixture that it is about to play."""
        return np.array(self._say())

    def _say(self, *_known: Any) -> tuple[float, ...]:
        given = self.read("weights")
        if callable(given):
            raise self.fault("weights", "is a method, expected numbers: write @property above it")
        try:
            w = np.array(given, dtype=np.float64)
        except Exception:  # whatever making numbers of them raises
            w = np.zeros(0)
        if w.shape != (self._n,) or not (w >= 0).all() or not abs(w.sum() - 1) <= _ROUNDING:
            raise self.fault("weights", f"gave {shown(given)}, expected {self._n} numbers of at least 0 that add up to 1")
        return tuple(w.tolist())

    def learn_losses(self, losses: Any) -> LossRound:
        """One whole round: its mixture of those awake loses, and it is told what everybody lost."""
        said, row = self.ask(), np.array(losses)
        awake = ~np.isnan(row)
        mixture = np.where(awake, said, 0.0)
        if not (total := mixture.sum()) > 0:
            raise self.fault("weights", f"gave {shown(said)}, nothing to any of the experts who are awake")
        if not awake.all():
            mixture /= total
        self.tell((), losses, said)
        return LossRound(self._t, row, mixture, float(mixture[awake] @ row[awake]))


class OwnPortfolio(OwnLearner):
    """A portfolio: given `learners`, its lanes, it says by vote, with the weight of those that say +1 as its chance.

    What the lanes get wrong is counted on copies, whatever it does with its own. It is allowed what AdaHedge is.
    """

    def __init__(self, made: Any, lanes: Sequence[Any]) -> None:
        super().__init__(made, chances=True)
        self._lanes = lanes
        self._wrong = [0] * len(lanes)

    def learn(self, x: Any, y: int) -> Any:
        """One whole round of it, and of each lane."""
        played = super().learn(x, y)
        wrong = [int(lane.learn(x, y).mistake) for lane in self._lanes]
        self._wrong = [before + now for before, now in zip(self._wrong, wrong, strict=True)]
        regret = bounds.adahedge(min(self._wrong), rounds=self._t, n=len(self._lanes)).value
        return _LanesPlayed(played.prediction, played.mistake, played.changed, played.loss, np.array(wrong), regret)


@dataclass(frozen=True)
class _LanesPlayed:
    prediction: Prediction
    mistake: bool
    changed: bool
    loss: float
    lane_mistakes: NDArray[np.int64]
    regret_bound: float
