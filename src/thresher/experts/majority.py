"""What every majority can do beside its two verbs: many rounds at once, a state, a hypothesis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import labels
from thresher._core import Majority, MajorityRule, Prediction, Round, Rounds
from thresher.errors import ExampleError, ParameterError, StoreError
from thresher.experts import advice
from thresher.experts.rule import Parameters, experts
from thresher.parameters import number

__all__ = ["MajorityLearner", "WeighingMajority", "beta_below_one", "seed_of"]

_MOST_ROUNDS = 2**62
_REFRESH = 64
_COUNTS = ("rounds", "mistakes", "updates", "history", "slept", "phase", "negative", "advised")
_LOSSES = ("loss", "rest")
_ARRAYS = ("mistakes", "base", "since")


class MajorityLearner(Majority):
    """A learner whose example is the advice: what each of n experts says, −1, 0 or False for minus, 1 or True for plus.

    NaN or None is an expert asleep: it has no weight in that round, and no mistake is counted for it.
    """

    _KIND: ClassVar[str]
    #: What the class is called with, each a parameter of its rule.
    _GIVEN: ClassVar[tuple[str, ...]] = ("n",)

    def __init__(self, n: int, beta: float | None, seed: int) -> None:
        super().__init__(MajorityRule(self._KIND, experts(n), beta, seed))

    def _arguments(self) -> Parameters:
        """What to call the class with for a fresh learner of the same kind."""
        return {name: getattr(self.rule, name) for name in self._GIVEN}

    def predict(self, x: object) -> Prediction:
        """What the majority says to this advice in the next round. Never changes the learner."""
        codes, _, holds = advice.read(x, 1)
        return self._predict(codes, holds)

    def learn(self, x: object, y: object, weight: float = 1.0) -> Round:
        """One whole round: predict, compare with the label y, count the experts that were wrong.

        Mistakes are counted, so `weight` must be 1. When labels come late, the prediction that counts is the one made here.
        """
        if np.ndim(weight) > 0 or weight != 1.0:
            raise ExampleError(f"found weight {weight!r}, expected 1: the mistakes of experts are counted, not weighed")
        codes, _, holds = advice.read(x, 1)
        return self._learn(codes, holds, x, y)

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> Rounds:
        """One round a row, in order: the same, bit for bit, as calling `learn` for each.

        X holds a row for each round and a column for each expert: booleans, bytes or any numbers. A row that cannot be learned
        raises `ExampleError` with `.row`, its number, and `.rounds`, those before it; the learner is then as after them.
        """
        read = advice.read(X, 2)
        codes, given = labels.read(y, len(read.codes))
        if weights is not None and not (np.shape(weights) == codes.shape and np.all(np.asarray(weights) == 1.0)):
            raise ExampleError("found weights other than a 1 for each row: the mistakes of experts are counted, not weighed")
        return self._learn_many(read.codes, read.holds, codes, read.read, given)

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """What it would say to each row of advice in the next round. Never changes the learner."""
        codes, _, holds = advice.read(X, 2)
        return self._predict_many(codes, holds)[0]

    def hypothesis(self) -> Self:
        """What the learner believes now: a copy, which goes its own way."""
        return copy(self)

    def state(self) -> tuple[Parameters, dict[str, NDArray[np.int64]]]:
        """Everything the learner is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        counts, heads = self._state()
        return {"learner": type(self).__name__, "arguments": self._arguments(), "heads": heads}, counts

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        _check_state(parameters, arrays, cls.__name__)
        try:
            learner = cls(**parameters["arguments"])
        except (TypeError, ValueError) as error:
            raise StoreError(f"the state's arguments do not fit {cls.__name__}: {error}") from error
        learner._check_counts(arrays, parameters["heads"])
        mistakes, base, since = (np.ascontiguousarray(arrays[name]) for name in _ARRAYS)
        learner._restore(mistakes, base, since, parameters["heads"])
        return learner

    def _check_counts(self, arrays: Mapping[str, NDArray[np.int64]], heads: Parameters) -> None:
        made, base, since = (arrays[name] for name in _ARRAYS)
        rounds, doubling = heads["rounds"], self.rule.beta is None
        if not (np.all(since >= 0) and np.all(since <= base) and np.all(base <= made) and np.all(made <= rounds)):
            raise StoreError("the state's experts have made mistakes that no run of rounds can lead to")
        if np.any(made - base > _REFRESH) or (not doubling and (since.any() or heads["phase"])) or not 0 <= heads["phase"] < 32:
            raise StoreError("the state's experts have counts that no run of rounds can lead to")
        if self.n > 1 and heads["phase"] and 4.0 ** (heads["phase"] - 1) * math.log(self.n) > rounds:
            raise StoreError(f"found phase {heads['phase']} after {rounds} rounds, which are too few for it")
        if self._KIND != "leader" and self.rule.beta == 0.0 and made.min() > 0:
            raise StoreError("found no expert without a mistake, which beta = 0 needs")

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        Majority.__init__(twin, self)
        vars(twin).update(vars(self))
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._arguments().items())
        return f"{type(self).__name__}({arguments})"


class WeighingMajority(MajorityLearner):
    """A majority that weighs its experts, so that +1 has a chance or a share of the weight."""

    def p_positive_many(self, X: object) -> NDArray[np.float64]:
        """The chance or share of weight of +1 for each row of advice in the next round. Never changes the learner."""
        codes, _, holds = advice.read(X, 2)
        return self._predict_many(codes, holds)[1]


def beta_below_one(beta: object) -> float:
    """What a wrong expert keeps, checked.

    >>> beta_below_one(0.5)
    0.5
    """
    kept = number("beta", beta, "a number from 0 to below 1")
    if not 0.0 <= kept < 1.0 or (kept != 0.0 and kept < 2.0**-300):
        raise ParameterError(f"found beta = {beta!r}, expected a number from 0 to below 1 (0, or at least 2^-300)")
    return kept


def seed_of(seed: object) -> int:
    """The seed of the coins, checked.

    >>> seed_of(7)
    7
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise ParameterError(f"found seed = {seed!r}, expected a whole number from 0 to 2^64 - 1")
    return int(seed)


def _check_state(parameters: object, arrays: object, name: str) -> None:
    """Everything that can be checked before anything is allocated."""
    if not isinstance(parameters, Mapping) or set(parameters) != {"learner", "arguments", "heads"}:
        raise StoreError("the state's parameters are not a learner, its arguments and its heads")
    learner, arguments, heads = parameters["learner"], parameters["arguments"], parameters["heads"]
    if learner != name:
        raise StoreError(f"found the state of {learner!r}, expected one of {name!r}")
    if not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
        raise StoreError("the state's arguments are not a mapping of names")
    n = arguments.get("n")
    if not isinstance(arrays, Mapping) or set(arrays) != set(_ARRAYS):
        raise StoreError(f"the state's arrays are not {', '.join(_ARRAYS)}")
    for key, counts in arrays.items():
        if type(counts) is not np.ndarray or counts.dtype != np.int64 or type(n) is not int or counts.shape != (n,):
            raise StoreError(f"the state's {key} are not n = {n} whole numbers of int64")
    if not isinstance(heads, dict) or set(heads) != {*_COUNTS, *_LOSSES}:
        raise StoreError(f"the state's heads are not {', '.join((*_COUNTS, *_LOSSES))}")
    if not all(type(heads[key]) is int for key in _COUNTS) or not all(type(heads[key]) is float for key in _LOSSES):
        raise StoreError("the state's heads are not whole counts and a loss in two parts")
    rounds, mistakes, updates, history, slept, _, negative, advised = (heads[key] for key in _COUNTS)
    possible = (
        0 <= mistakes <= rounds <= _MOST_ROUNDS
        and 0 <= updates <= rounds
        and 0 <= slept <= rounds
        and 0 <= history < 2**64
        and (rounds == 0) == (history == 0)
        and negative in (-1, 0, 1)
        and advised in (-1, 0, 1)
        and 0.0 <= heads["loss"] <= rounds * (1 + 1e-9)
        and math.fabs(heads["rest"]) <= 1e-9 * max(1.0, heads["loss"])
    )
    if not possible:
        raise StoreError(f"found heads {heads!r} that no run of rounds can have")
