"""What every linear learner can do beside its two verbs: many rounds at once, a state, a hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import Any, Self, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import examples, labels
from thresher._core import LARGEST_STATE, MOST_ATTRIBUTES, Group, Prediction, Rounds
from thresher.errors import ExampleError, ParameterError, StoreError

__all__ = ["Hypothesis", "LinearLearner", "Parameters", "attributes", "number_or_none", "within"]

#: What JSON can hold.
Parameters = dict[str, Any]

_MOST_ROUNDS = 2**62
_HEADS = ("bias_weight", "rounds", "mistakes", "updates", "collisions", "history", "negative")


class LinearLearner(Group):
    """A learner whose prediction is read from w·x. The rule, in the core, says how w moves."""

    def _arguments(self) -> Parameters:
        """What to call the class with for a fresh learner of the same kind."""
        raise NotImplementedError(f"{type(self).__name__} must say what it was made with")

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> Rounds:
        """One round a row, in order: the same, bit for bit, as calling `learn` for each.

        X is a 2-D array or a SciPy sparse matrix, y holds the labels. A row that cannot be learned raises
        `ExampleError` with `.row`, its number, and `.rounds`, those before it; the learner is then as after them. The
        GIL is released meanwhile; X must not change until the rounds are in a ledger.
        """
        rows, read = examples.many(X, self.n)
        codes, given = labels.read(y, len(rows))
        return self._learn_block(rows, codes, _example_weights(weights, len(rows)), read, given)

    def _told(
        self, first: int, X: object, y: object, weights: ArrayLike | None, *, said: NDArray[np.int8], changed: NDArray[np.bool_]
    ) -> Rounds:
        """Rounds that it played earlier on these rows, from number `first` on, with what came out then."""
        rows, read = examples.many(X, self.n)
        return self._tell(first, rows, labels.read(y, len(rows))[0], said, changed, _example_weights(weights, len(rows)), read)

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
        weights, bias_weight, *counts = self._state()
        heads = dict(zip(_HEADS, (bias_weight, *counts), strict=True))
        return (
            {"learner": type(self).__name__, "arguments": self._arguments(), "heads": heads},
            {"weights": weights},
        )

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        return cls._made(parameters, arrays, cls._restore)

    @classmethod
    def _over(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The same in the arrays' own memory, to which nobody else may write or look from now on."""
        return cls._made(parameters, arrays, cls._adopt)

    @classmethod
    def _made(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], restore: Callable[..., None]) -> Self:
        _check_state(parameters, arrays, cls.__name__)
        arguments, heads, weights = parameters["arguments"], parameters["heads"], arrays["weights"]
        try:
            learner = cls(**arguments)
        except (TypeError, ValueError) as error:
            raise StoreError(f"the state's arguments do not fit {cls.__name__}: {error}") from error
        if learner.rule.bias is None and heads["bias_weight"] != 0.0:
            raise StoreError(f"found a bias weight of {heads['bias_weight']} in a learner without a bias")
        restore(learner, np.require(weights, np.float64, ["C", "A"]), **heads)
        return learner

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        twin = type(self)(**self._arguments())
        twin._become(self)
        return twin

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
    def rounds(self) -> int:
        """How many rounds led to it."""
        return self._learner.rounds

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


def attributes(n: object) -> int:
    """The number of attributes, checked.

    >>> attributes(3)
    3
    """
    if isinstance(n, bool) or not isinstance(n, SupportsIndex) or not 1 <= index(n) <= MOST_ATTRIBUTES:
        raise ParameterError(f"found n = {n!r}, expected a whole number of attributes from 1 to 2^48")
    return index(n)


def within(weights: NDArray[np.float64], limit: float) -> bool:
    """Whether all are finite numbers of at most this size; no memory is taken for the answer.

    >>> within(np.array([1.0, -2.0]), 2.0), within(np.array([1.0, np.nan]), 2.0)
    (True, False)
    """
    return bool(-limit <= np.min(weights, initial=0.0) and np.max(weights, initial=0.0) <= limit)


def number_or_none(name: str, value: object) -> float | None:
    """A parameter that is a number or left out, checked.

    >>> number_or_none("bias", 1)
    1.0
    """
    if value is None:
        return None
    if not isinstance(value, SupportsFloat | SupportsIndex):
        raise ParameterError(f"found {name} = {value!r}, expected None or a number")
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise ParameterError(f"found {name} = {value!r}, expected a number that float64 holds") from None


def _example_weights(weights: object, rows: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    try:
        array = np.asarray(weights)
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.dtype.kind not in "biuf" or array.shape != (rows,) or examples.is_masked(weights):
        raise ExampleError(
            f"found {type(weights).__name__} of {array.dtype} and shape {array.shape} for the weights, "
            f"expected one number for each of {rows} rows"
        )
    with np.errstate(over="ignore"):  # what becomes infinite is refused at its row
        copied = np.array(array, np.float64)
    copied.flags.writeable = False  # the rounds keep them: they must stay what was learned
    return copied


def _check_state(parameters: object, arrays: object, name: str) -> None:
    """Everything that can be checked before anything is allocated."""
    if not isinstance(parameters, Mapping) or set(parameters) != {"learner", "arguments", "heads"}:
        raise StoreError("the state's parameters are not a learner, its arguments and its heads")
    learner, arguments, heads = parameters["learner"], parameters["arguments"], parameters["heads"]
    if not isinstance(learner, str) or learner != name:
        raise StoreError(f"found the state of {learner!r}, expected one of {name!r}")
    if not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
        raise StoreError("the state's arguments are not a mapping of names")
    _check_heads(heads)
    if not isinstance(arrays, Mapping) or set(arrays) != {"weights"}:
        raise StoreError("the state's arrays are not the weights")
    _check_weights(arrays["weights"], arguments.get("n"), heads)


def _check_heads(heads: object) -> None:
    if not isinstance(heads, dict) or set(heads) != set(_HEADS):
        raise StoreError(f"the state's heads are not {', '.join(_HEADS)}")
    counts = [heads[name] for name in _HEADS[1:]]
    if not all(type(count) is int for count in counts) or type(heads["bias_weight"]) is not float:
        raise StoreError("the state's heads are not whole counts and a float bias_weight")
    rounds, mistakes, updates, collisions, history, negative = counts
    if not (0 <= mistakes <= rounds <= _MOST_ROUNDS and 0 <= updates <= rounds and 0 <= collisions <= _MOST_ROUNDS):
        raise StoreError(f"found counts {heads!r} that no run of rounds can have")
    if not 0 <= history < 2**64 or (rounds == 0) != (history == 0):
        raise StoreError(f"found history = {history} after {rounds} rounds: it is 0 before the first and only then")
    if negative not in (-1, 0, 1):
        raise StoreError(f"found negative = {negative}, expected -1, 0, or 1 for none seen")


def _check_weights(weights: object, n: object, heads: Parameters) -> None:
    if type(weights) is not np.ndarray or weights.dtype != np.float64 or type(n) is not int or weights.shape != (n,):
        raise StoreError(f"the state's weights are not n = {n!r} numbers of float64")
    bias_weight = heads["bias_weight"]
    if not within(weights, LARGEST_STATE) or not abs(bias_weight) <= LARGEST_STATE:
        raise StoreError("the state's weights are not all finite numbers that learning can reach")
    if heads["updates"] == 0 and (weights.any() or bias_weight != 0.0):
        raise StoreError("found weights other than 0 in a learner that never moved")
