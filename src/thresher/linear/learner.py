"""What every linear learner can do beside its two verbs: many rounds at once, a state, a hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np

from thresher import examples, labels
from thresher._core import LARGEST_STATE, MOST_ATTRIBUTES, Block, Group, Prediction, Rounds, Rule
from thresher.errors import ExampleError, ParameterError, StoreError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Hypothesis", "LinearLearner", "Parameters", "Planes", "example_weights", "in_memory", "within"]

R = TypeVar("R", bound=Rule)

#: What JSON can hold.
Parameters = dict[str, Any]
#: The numbers of the slots, one array for each kind of them.
Planes: TypeAlias = "Mapping[str, NDArray[np.float64]]"

_MOST_ROUNDS = 2**62
_COUNTS = ("rounds", "mistakes", "updates", "collisions", "history", "negative")


class LinearLearner(Group):
    """A learner whose prediction is read from w·x. The rule, in the core, says how w moves."""

    #: What is kept of the slots, and the scalars that the rule keeps beside them.
    _PLANES: ClassVar[tuple[str, ...]] = ("weights",)
    _HEADS: ClassVar[tuple[str, ...]] = ("bias_weight",)
    #: Whether the ledger has a theorem about it.
    _PROVEN: ClassVar[bool] = True
    #: What a weight can reach.
    _LARGEST: ClassVar[float] = LARGEST_STATE

    def _rule(self, kind: type[R]) -> R:
        """The rule, which is of this kind."""
        rule = self.rule
        if not isinstance(rule, kind):
            raise TypeError(f"found {type(rule).__name__}, expected {kind.__name__}")
        return rule

    def _on_the_blackboard(self) -> NDArray[np.float64]:
        """The weights as a trace shows them, negations behind: those whose sum over what is on is the score."""
        return self.weights

    def _lean(self) -> NDArray[np.float64]:
        """For each slot where it leans: 0 where it never moved, the larger the more to +1."""
        return self.weights

    def _refutations(self) -> list[str]:
        """What the rounds have shown to be impossible, in words."""
        return []

    def _arguments(self) -> Parameters:
        """What to call the class with for a fresh learner of the same kind."""
        raise NotImplementedError(f"{type(self).__name__} must say what it was made with")

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        """Why no run of a learner with these arguments can lead to this state; nothing, if one can."""
        weights, bias_weight = planes["weights"], heads["bias_weight"]
        if not within(weights, self._LARGEST) or not abs(bias_weight) <= self._LARGEST:
            return "the state's weights are not all finite numbers that learning can reach"
        if heads["updates"] == 0 and (weights.any() or bias_weight != 0.0):
            return "found weights other than 0 in a learner that never moved"
        if self.rule.bias is None and bias_weight != 0.0:
            return f"found a bias weight of {bias_weight} in a learner without a bias"
        return ""

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> Rounds:
        """One round a row, in order: the same, bit for bit, as calling `learn` for each.

        X is a 2-D array or a SciPy sparse matrix, y holds the labels. A row that cannot be learned raises
        `ExampleError` with `.row`, its number, and `.rounds`, those before it; the learner is then as after them. The
        GIL is released meanwhile; X must not change until the rounds are in a ledger.
        """
        rows, read = examples.many(X, self.n)
        codes, given = labels.codes(y, len(rows))
        return self._learn_block(rows, codes, example_weights(weights, len(rows)), read, given)

    def _learn_beside(
        self, X: Block, y: object, weights: ArrayLike | None, among: Block, held: NDArray[np.bool_]
    ) -> tuple[Rounds, NDArray[np.float64]]:
        """The same for rows that come among others, which are held out; and the scores of those, each as it came."""
        codes, given = labels.codes(y, len(X))
        return self._learn_among(X, codes, example_weights(weights, len(X)), given, among, held)

    def _told(
        self, first: int, X: object, y: object, weights: ArrayLike | None, *, said: NDArray[np.int8], changed: NDArray[np.bool_]
    ) -> Rounds:
        """Rounds that it played earlier on these rows, from number `first` on, with what came out then."""
        rows, read = examples.many(X, self.n)
        return self._tell(first, rows, labels.codes(y, len(rows))[0], said, changed, example_weights(weights, len(rows)), read)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The scores of many examples, one a row. Never changes the learner."""
        return self._score_block(examples.block(X, self.n))

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """The labels predicted for many examples, one a row. Never changes the learner."""
        return self._predictions(self.score_many(X))

    def p_positive_many(self, X: object) -> NDArray[np.float64]:
        """The chances of +1 of many examples, one a row, where the learner has them. Never changes the learner."""
        chances = self._chances(self.score_many(X))
        if chances is None:
            raise ParameterError(f"found {self!r}, expected a learner whose scores stand for chances of +1")
        return chances

    def hypothesis(self) -> Hypothesis:
        """What the learner believes now, as a predictor that never changes."""
        return Hypothesis(self)

    def state(self) -> tuple[Parameters, dict[str, NDArray[np.float64]]]:
        """Everything the learner is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        planes, heads = self._state()
        return self._parameters(heads), planes

    def _bytes(self) -> tuple[Parameters, dict[str, memoryview]]:
        """The same, the arrays as plain memory."""
        planes, heads = self._memory()
        return self._parameters(heads), planes

    def _parameters(self, heads: dict[str, float]) -> Parameters:
        return {"learner": type(self).__name__, "arguments": self._arguments(), "heads": heads}

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        return cls._over(parameters, in_memory(arrays), copied=True)

    @classmethod
    def _over(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, copied: bool = False) -> Self:
        """The same; unless `copied`, in the arrays' own memory, to which nobody else may write or look from now on."""
        _check_state(parameters, arrays, cls)
        arguments, heads = parameters["arguments"], parameters["heads"]
        try:
            small = cls(**{**arguments, "n": 1})
        except (TypeError, ValueError) as error:
            raise StoreError(f"the state's arguments do not fit {cls.__name__}: {error}") from error
        if set(arguments) != set(small._arguments()):
            raise StoreError(f"the state's arguments are not {', '.join(small._arguments())}")
        if impossible := small._impossible(arrays, {**heads, "n": arguments["n"]}):
            raise StoreError(impossible)
        planes = {name: np.array(plane) if copied else np.require(plane, None, ["C", "A"]) for name, plane in arrays.items()}
        learner = cls.__new__(cls)
        Group.__init__(learner, arguments["n"], small.rule, planes, heads)
        return learner

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        Group.__init__(twin, self)
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

    def p_positive_many(self, X: object) -> NDArray[np.float64]:
        """The chances of +1 of many examples, one a row, where the learner has them."""
        return self._learner.p_positive_many(X)

    def __repr__(self) -> str:
        return f"<hypothesis of {self._learner!r} after {self._learner.rounds} rounds>"


def within(plane: NDArray[np.float64], largest: float, smallest: float | None = None) -> bool:
    """Whether all are numbers from `smallest`, or −largest, to `largest`; no memory is taken for the answer.

    >>> within(np.array([1.0, -2.0]), 2.0), within(np.array([1.0, np.nan]), 2.0)
    (True, False)
    """
    lowest = -largest if smallest is None else smallest
    return bool(lowest <= np.min(plane) and np.max(plane) <= largest)


def in_memory(arrays: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """Arrays that lie in a file, as joblib gives them back to whoever asks for that, copied to memory; others as they are."""
    if not isinstance(arrays, Mapping):
        return arrays  # refused where it is read
    return {name: np.array(array) if type(array) is np.memmap else array for name, array in arrays.items()}


def example_weights(weights: object, rows: int) -> NDArray[np.float64] | None:
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


def _check_state(parameters: object, arrays: object, cls: type[LinearLearner]) -> None:
    """Everything that can be checked before anything is allocated."""
    if not isinstance(parameters, Mapping) or set(parameters) != {"learner", "arguments", "heads"}:
        raise StoreError("the state's parameters are not a learner, its arguments and its heads")
    learner, arguments, heads = parameters["learner"], parameters["arguments"], parameters["heads"]
    if not isinstance(learner, str) or learner != cls.__name__:
        raise StoreError(f"found the state of {learner!r}, expected one of {cls.__name__!r}")
    if not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
        raise StoreError("the state's arguments are not a mapping of names")
    _check_heads(heads, cls._HEADS)
    if not isinstance(arrays, Mapping) or set(arrays) != set(cls._PLANES):
        raise StoreError(f"the state's arrays are not the {' and the '.join(cls._PLANES)}")
    n = arguments.get("n")
    if type(n) is not int or not 1 <= n <= MOST_ATTRIBUTES:
        raise StoreError(f"found n = {n!r} in the state's arguments, expected a whole number from 1 to 2^48")
    for name, plane in arrays.items():
        if type(plane) is not np.ndarray or plane.dtype != np.float64 or plane.shape != (n,):
            raise StoreError(f"the state's {name} are not n = {n} numbers of float64")


def _check_heads(heads: object, own: tuple[str, ...]) -> None:
    if not isinstance(heads, dict) or set(heads) != {*own, *_COUNTS}:
        raise StoreError(f"the state's heads are not {', '.join((*own, *_COUNTS))}")
    counts = [heads[name] for name in _COUNTS]
    if not all(type(count) is int for count in counts) or not all(type(heads[name]) is float for name in own):
        raise StoreError(f"the state's heads are not whole counts and a float {' and '.join(own)}")
    if not all(np.isfinite(heads[name]) for name in own):
        raise StoreError("the state's heads are not all finite numbers that learning can reach")
    rounds, mistakes, updates, collisions, history, negative = counts
    if not (0 <= mistakes <= rounds <= _MOST_ROUNDS and 0 <= updates <= rounds and 0 <= collisions <= _MOST_ROUNDS):
        raise StoreError(f"found counts {heads!r} that no run of rounds can have")
    if not 0 <= history < 2**64 or (rounds == 0) != (history == 0):
        raise StoreError(f"found history = {history} after {rounds} rounds: it is 0 before the first and only then")
    if negative not in (-1, 0, 1):
        raise StoreError(f"found negative = {negative}, expected -1, 0, or 1 for none seen")
