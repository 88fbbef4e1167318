"""What every linear learner can do beside its two verbs: many rounds at once, a state, a hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import examples, labels
from thresher._core import Group, Prediction, Rounds
from thresher.errors import ExampleError, StoreError

__all__ = ["Hypothesis", "LinearLearner", "Parameters"]

#: What JSON can hold.
Parameters = dict[str, Any]

_LARGEST_WEIGHT = 2.0**463
_HEADS = ("rounds", "mistakes", "updates", "collisions", "negative", "bias_weight")


class LinearLearner(Group):
    """A learner whose prediction is read from w·x. The rule, in the core, says how w moves."""

    def _arguments(self) -> Parameters:
        """What to call the class with for a fresh learner of the same kind."""
        raise NotImplementedError(f"{type(self).__name__} must say what it was made with")

    def learn_many(self, X: object, y: ArrayLike, weights: ArrayLike | None = None) -> Rounds:
        """One round a row, in order: the same, bit for bit, as calling `learn` for each.

        X is a 2-D array or a SciPy sparse matrix, y holds the labels. A row that cannot be learned raises
        `ExampleError` with `.row`, its number, and `.rounds`, those before it; the learner is then as after them. The
        GIL is released meanwhile.
        """
        rows = examples.block(X, self.n)
        coded = labels.codes(np.asarray(y), len(rows))
        return self._learn_block(rows, coded, _example_weights(weights, len(rows)), X, y)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The scores of many examples, one a row. Never changes the learner."""
        return self._score_block(examples.block(X, self.n))

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """The labels predicted for many examples, one a row. Never changes the learner."""
        return self._predictions(self.score_many(X))

    def hypothesis(self) -> Hypothesis:
        """What the learner believes now, as a predictor that never changes."""
        return Hypothesis(self)

    def state(self) -> tuple[Parameters, dict[str, NDArray[np.float64]]]:
        """Everything the learner is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        heads = {
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "collisions": self.collisions,
            "negative": self._negative,
            "bias_weight": self.bias_weight,
        }
        return (
            {"learner": type(self).__name__, "arguments": self._arguments(), "heads": heads},
            {"weights": self.weights},
        )

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        if set(parameters) != {"learner", "arguments", "heads"} or set(arrays) != {"weights"}:
            raise StoreError(f"found a state of {sorted(parameters)} and {sorted(arrays)}, expected one of {cls.__name__}")
        if parameters["learner"] != cls.__name__:
            raise StoreError(f"found the state of a {parameters['learner']}, expected one of {cls.__name__}")
        try:
            learner = cls(**parameters["arguments"])
        except (TypeError, ValueError) as error:
            raise StoreError(f"the state's arguments do not fit {cls.__name__}: {error}") from error
        heads, weights = parameters["heads"], arrays["weights"]
        _check_heads(heads)
        _check_weights(weights, learner.n, heads, learner.rule.bias)
        learner._restore(np.ascontiguousarray(weights), **heads)
        return learner

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        return type(self).from_state(*self.state())

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._arguments().items())
        return f"{type(self).__name__}({arguments})"


class Hypothesis:
    """A learner's belief at one moment. It predicts, and never changes.

    >>> import thresher as th
    >>> learner = th.Perceptron(2)
    >>> _ = learner.learn([1, 0], -1)
    >>> frozen = learner.hypothesis()
    >>> _ = learner.learn([0, 1], -1)
    >>> frozen.predict([0, 1]).label, learner.predict([0, 1]).label
    (1, -1)
    """

    def __init__(self, learner: LinearLearner) -> None:
        self._learner = learner.__copy__()

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""
        return self._learner.n

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights: a fresh read-only array of length n."""
        return self._learner.weights

    @property
    def bias_weight(self) -> float:
        """The weight of the appended attribute; 0 where there is none."""
        return self._learner.bias_weight

    def predict(self, x: object) -> Prediction:
        """What the hypothesis says of one example."""
        return self._learner.predict(x)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The scores of many examples, one a row."""
        return self._learner.score_many(X)

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """The labels predicted for many examples, one a row."""
        return self._learner.predict_many(X)

    def __repr__(self) -> str:
        return f"<hypothesis of {self._learner!r} after {self._learner.rounds} rounds>"


def _example_weights(weights: ArrayLike | None, rows: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.dtype.kind not in "biuf" or array.shape != (rows,):
        raise ExampleError(
            f"found weights of {array.dtype} and shape {array.shape}, expected one number for each of {rows} rows"
        )
    return np.require(array, np.float64, ["C", "A"])


def _check_heads(heads: object) -> None:
    if not isinstance(heads, dict) or set(heads) != set(_HEADS):
        raise StoreError(f"found heads {heads!r}, expected {', '.join(_HEADS)}")
    counts = [heads[name] for name in _HEADS[:-1]]
    if not all(type(count) is int for count in counts) or type(heads["bias_weight"]) is not float:
        raise StoreError(f"found heads {heads!r}, expected whole counts and a float bias_weight")
    rounds, mistakes, updates, collisions, negative = counts
    if not (0 <= mistakes <= rounds < 2**63 and 0 <= updates <= rounds and 0 <= collisions < 2**63):
        raise StoreError(f"found counts {heads!r} that no run of rounds can have")
    if negative not in (-1, 0, 1):
        raise StoreError(f"found negative = {negative}, expected -1, 0, or 1 for none seen")


def _check_weights(weights: object, n: int, heads: Parameters, bias: float | None) -> None:
    if not isinstance(weights, np.ndarray) or weights.dtype != np.float64 or weights.shape != (n,):
        raise StoreError(f"the state's weights are not {n} numbers of float64")
    bias_weight = heads["bias_weight"]
    if not (np.abs(weights) <= _LARGEST_WEIGHT).all() or not abs(bias_weight) <= _LARGEST_WEIGHT:
        raise StoreError("the state's weights are not all finite numbers that learning can reach")
    if bias is None and bias_weight != 0.0:
        raise StoreError(f"found a bias weight of {bias_weight} in a learner without a bias")
    if heads["updates"] == 0 and (weights.any() or bias_weight != 0.0):
        raise StoreError("found weights other than 0 in a learner that never moved")
