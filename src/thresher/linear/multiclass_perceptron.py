"""The multiclass Perceptron: on a mistake, the right class moves towards the example and the predicted one away from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from thresher import examples, memory
from thresher._core import LARGEST_STATE, LARGEST_VALUE, Multiclass
from thresher.busy import Busy
from thresher.class_labels import NO_CLASS, ClassLabel, ClassLabels
from thresher.class_rounds import ClassHypothesis, ClassOrigin, ClassPrediction, ClassRound, ClassRounds
from thresher.errors import ExampleError, LabelError, ParameterError, StoreError
from thresher.linear.learner import Parameters, example_weights, in_memory, within
from thresher.parameters import attributes, number_or_none

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["MulticlassPerceptron", "definition"]

if TYPE_CHECKING:  # the definition runs on exact fractions, too
    from fractions import Fraction

    Number = float | Fraction

_COUNTS = ("rounds", "mistakes", "updates", "collisions")
_MOST_ROUNDS = 2**62


def definition(
    n: int, stream: Iterable[tuple[Sequence[Number], ClassLabel]], classes: Sequence[ClassLabel] = ()
) -> Iterator[tuple[ClassLabel | None, dict[ClassLabel, list[Number]]]]:
    """The algorithm as on the blackboard: yields the prediction and the weights after each round."""
    w: dict[ClassLabel, list[Number]] = {c: [0] * n for c in classes}
    for x, y in stream:
        scores = {c: sum(wi * xi for wi, xi in zip(w[c], x, strict=True)) for c in w}
        prediction = max(scores, key=lambda c: scores[c], default=None)  # the first among equals
        w.setdefault(y, [0] * n)
        if prediction is not None and prediction != y:
            w[y] = [wi + xi for wi, xi in zip(w[y], x, strict=True)]
            w[prediction] = [wi - xi for wi, xi in zip(w[prediction], x, strict=True)]
        yield prediction, w


class MulticlassPerceptron:
    r"""The Perceptron for any number of classes, over n attributes.

    Every class c has weights w_c, zero at first. On x it predicts the class with the largest w_c·x, among equals the one that
    appeared first; on a mistake w_y ← w_y + x for the right class and w_p ← w_p − x for the predicted one.

    - ``bias`` appends an attribute of that value to each example; its weights are `bias_weights`.
    - ``classes`` are known from the start. Others may appear at any time: labels are all str, all int or all bool.

    A class can be predicted from the round after it first appeared in; before there is any, the prediction is None, and the
    round moves nothing. Memory is n numbers a class, and is looked at before a class is added.

    Guarantee
    ---------
    For any weights u_c of all classes, ‖U‖² = Σ ‖u_c‖², with margin γ = min (u_y·x − max over c ≠ y of u_c·x) > 0, and
    R = max ‖x‖₂ (Crammer and Singer 2003)::

        mistakes ≤ 2 (R‖U‖ / γ)²                      th.bounds.multiclass_perceptron

    and for every U whatever a form with the sum of what is missing of a margin, `th.bounds.multiclass_perceptron_distance`.
    The round in which there is no class to predict is not counted: nobody can name a class that was never heard of. The
    weights of all classes sum to zero, so a class that is new never scores above the predicted one, and the theorem needs
    no more. Examples of weight other than 1 void both; `th.ClassSeparator` checks them.

    >>> import thresher as th
    >>> learner = th.MulticlassPerceptron(1000)
    >>> for animal, name in [({"wings", "sings"}, "bird"), ({"fur", "sings"}, "cat"), ({"wings"}, "bird"), ({"fins"}, "fish")]:
    ...     _ = learner.learn(animal, name)
    >>> learner.predict({"wings"}).label, learner.predict({"fur"}).label, learner.classes, learner.mistakes
    ('bird', 'cat', ('bird', 'cat', 'fish'), 3)
    """

    def __init__(self, n: int, *, bias: float | None = None, classes: Iterable[ClassLabel] = ()) -> None:
        value = number_or_none("bias", bias)
        if value is not None and not 0.0 < abs(value) <= LARGEST_VALUE:
            raise ParameterError(f"found bias = {bias!r}, expected None, or a number other than 0 of at most 2^250 (1.8e75)")
        if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
            raise ParameterError(f"found classes = {classes!r}, expected one label for each class, such as ['ham', 'spam']")
        labels = ClassLabels(classes)
        self._made(Multiclass(attributes(n), value or 0.0), labels, tuple(labels))
        if labels:
            self._hold(labels, len(labels))
            self._core._know(len(labels))

    def _made(self, core: Multiclass, labels: ClassLabels, known: tuple[ClassLabel, ...]) -> None:
        # The core says how many classes there are: of the names here those behind were announced and never came.
        self._core, self._labels, self._busy = core, labels, Busy()
        self._origin = ClassOrigin("MulticlassPerceptron", core.n, core.bias or None, known)

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""
        return self._core.n

    @property
    def bias(self) -> float | None:
        """The value of the appended attribute; None where there is none."""
        return self._core.bias or None

    @property
    def classes(self) -> tuple[ClassLabel, ...]:
        """The classes so far, in order of appearance; those known from the start come first."""
        return tuple(self._seen())

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self._core.rounds

    @property
    def mistakes(self) -> int:
        """In how many of them another class was predicted, or none."""
        return self._core.mistakes

    @property
    def updates(self) -> int:
        """In how many of them the weights moved."""
        return self._core.updates

    @property
    def collisions(self) -> int:
        """How many features fell into a slot that another one of the same example held."""
        return self._core.collisions

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights: a fresh read-only array, classes × n."""
        with self._busy.reading():
            table = np.empty((self._core.classes, self.n))
            self._core._weights(table)
        table.flags.writeable = False
        return table

    @property
    def bias_weights(self) -> NDArray[np.float64]:
        """The weights of the appended attribute, one a class; 0 where there is none."""
        return np.array(self._core.bias_weights)

    def predict(self, x: object) -> ClassPrediction:
        """The class with the largest score; None before there is one. Never changes the learner."""
        with self._busy.reading():
            code, score = self._core._predict(x)
            return ClassPrediction(self._labels[code], score)

    def learn(self, x: object, y: ClassLabel, weight: float = 1.0) -> ClassRound:
        """One whole round: predict, compare with the label y, update. A refused example changes nothing.

        `weight` scales the step; 0 moves nothing, though the round is counted. When labels come late, the prediction that
        counts is the one made here, not one that was served earlier.
        """
        with self._busy.writing():
            seen = self._labels = self._seen()
            code = seen.code(y)
            if code == NO_CLASS:
                if refused := seen.refused(y):
                    raise LabelError(refused)
                code, (_, seen) = len(seen), seen.read([y], 1)
                self._hold(seen, len(seen))
                self._labels = seen
            t = self._core.rounds + 1
            said, score, changed = self._core._learn(x, code, weight)
        return ClassRound(t, x, ClassPrediction(seen[said], score), seen.at(code), changed, float(weight), self._origin)

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> ClassRounds:
        """One round a row, in order: the same, bit for bit, as calling `learn` for each.

        X is a 2-D array or a SciPy sparse matrix, y holds the labels. A row that cannot be learned raises `ExampleError` with
        `.row`, its number, and `.rounds`, those before it; the learner is then as after them.
        """
        block, read = examples.many(X, self.n)
        scales, rows = example_weights(weights, len(block)), len(block)
        with self._busy.writing():
            codes, labels, given = self._seen().read_given(y, rows)
            room = self._room(labels)
            usable = np.where(codes < room, codes, NO_CLASS) if room < len(labels) else codes
            self._labels = labels
            first, said = self._core.rounds + 1, np.empty(rows, np.int32)
            scores, changed = np.empty(rows), np.empty(rows, np.bool_)

            def played(count: int) -> ClassRounds:
                part = slice(count)
                hefts = None if scales is None else scales[part]
                columns = said[part], codes[part], scores[part], changed[part]
                return ClassRounds(first, read, self._seen(), *columns, hefts, self._origin)

            try:
                done = self._core._learn_block(block, usable, scales, said, scores, changed)
            except ExampleError as error:
                error.rounds = played(error.row or 0)
                raise
            if done == rows:
                return played(rows)
            seen = self._seen()
            why = self._no_room(labels, room) if codes[done] != NO_CLASS else seen.refused(given[done])
            raise LabelError(f"row {done}: {why}", row=done, rounds=played(done))

    def predict_many(self, X: object) -> NDArray[Any]:
        """The classes predicted for many examples, one a row; None before there is one. Never changes the learner."""
        block = examples.block(X, self.n)
        with self._busy.reading():
            codes = np.empty(len(block), np.int32)
            self._core._predict_block(block, codes, np.empty(len(block)))
            return self._labels.labels(codes)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The scores of many examples: rows × classes. Never changes the learner."""
        block = examples.block(X, self.n)
        with self._busy.reading():
            scores = np.empty((len(block), self._core.classes))
            self._core._score_block(block, scores)
        return scores

    def hypothesis(self) -> ClassHypothesis:
        """What the learner believes now, as a predictor that never changes."""
        return ClassHypothesis(self.__copy__())

    def state(self) -> tuple[Parameters, dict[str, NDArray[np.float64]]]:
        """Everything the learner is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        with self._busy.reading():
            heads = {name: getattr(self._core, name) for name in _COUNTS}
            weights = np.empty((self._core.classes, self.n))
            self._core._weights(weights)
            parameters = {
                "learner": "MulticlassPerceptron",
                "arguments": {"n": self.n, "bias": self.bias},
                "classes": list(self._seen()),
                "known": len(self._origin.known),
                "bias_weights": self._core.bias_weights,
                "heads": heads,
            }
        return parameters, {"weights": weights}

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        arrays = in_memory(arrays)
        labels, known = _checked(parameters, arrays)
        arguments = parameters["arguments"]
        try:
            learner = cls(arguments["n"], bias=arguments["bias"])
        except (MemoryError, ParameterError) as error:
            raise StoreError(f"the state's arguments do not fit MulticlassPerceptron: {str(error) or 'no memory'}") from error
        if learner.bias is None and any(weight != 0.0 for weight in parameters["bias_weights"]):
            raise StoreError("found weights of a bias in a learner without one")
        learner._core._restore(np.array(arrays["weights"], ndmin=2), parameters["bias_weights"], parameters["heads"])
        learner._made(learner._core, labels, tuple(labels)[:known])
        return learner

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        with self._busy.reading():
            twin = type(self).__new__(type(self))
            twin._made(Multiclass(self._core), self._labels, self._origin.known)
            return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        return (
            f"<MulticlassPerceptron(n={self.n}, bias={self.bias}) of {self._core.classes} classes after {self.rounds} rounds>"
        )

    def _seen(self) -> ClassLabels:
        return self._labels.first(self._core.classes)

    def _room(self, labels: ClassLabels) -> int:
        """For how many of these classes there is memory."""
        if self._core.bytes_for(len(labels)) == self._core.bytes or (free := memory.available_memory()) is None:
            return len(labels)
        least, most = self._core.classes, len(labels)
        while least < most:
            middle = (least + most + 1) // 2
            fits = self._core.bytes_for(middle) <= free
            least, most = (middle, most) if fits else (least, middle - 1)
        return least

    def _hold(self, labels: ClassLabels, count: int) -> None:
        if (room := self._room(labels)) < count:
            raise LabelError(self._no_room(labels, room))

    def _no_room(self, labels: ClassLabels, room: int) -> str:
        return (
            f"found the class {labels[room]!r}, with which {room + 1:,} classes need {self._core.bytes_for(room + 1):,} bytes, "
            f"but {memory.available_memory() or 0:,} bytes are left: expected fewer classes, or a smaller n"
        )


def _checked(parameters: object, arrays: object) -> tuple[ClassLabels, int]:
    """The classes of a state, and how many were known from the start; everything that can be checked beforehand is."""
    keys = {"learner", "arguments", "classes", "known", "bias_weights", "heads"}
    if not isinstance(parameters, Mapping) or set(parameters) != keys:
        raise StoreError(f"the state's parameters are not {', '.join(sorted(keys))}")
    if parameters["learner"] != "MulticlassPerceptron":
        raise StoreError(f"found the state of {parameters['learner']!r}, expected one of 'MulticlassPerceptron'")
    arguments, heads, told = parameters["arguments"], parameters["heads"], parameters["classes"]
    if not isinstance(arguments, dict) or set(arguments) != {"n", "bias"}:
        raise StoreError("the state's arguments are not n and bias")
    if not isinstance(told, list) or not all(type(label) in (str, int, bool) for label in told):
        raise StoreError("the state's classes are not a list of labels")
    try:
        labels = ClassLabels(told)
    except LabelError as error:
        raise StoreError(f"the state's classes: {error}") from error
    known, bias_weights = parameters["known"], parameters["bias_weights"]
    if type(known) is not int or not 0 <= known <= len(labels):
        raise StoreError(f"found {known!r} classes known from the start, expected from 0 to {len(labels)}")
    floats = isinstance(bias_weights, list) and all(type(weight) is float for weight in bias_weights)
    if not floats or len(bias_weights) != len(labels) or not all(abs(weight) <= LARGEST_STATE for weight in bias_weights):
        raise StoreError(f"the state's bias_weights are not one number for each of {len(labels)} classes")
    weights = arrays.get("weights") if isinstance(arrays, Mapping) and set(arrays) == {"weights"} else None
    if type(weights) is not np.ndarray or weights.dtype != np.float64 or weights.shape != (len(labels), arguments["n"]):
        raise StoreError("the state's arrays are not the weights, float64, one row for each class")
    if weights.size and not within(weights, LARGEST_STATE):
        raise StoreError("the state's weights are not all finite numbers that learning can reach")
    _check_heads(heads, len(labels) - known)
    if heads["updates"] == 0 and (weights.any() or any(bias_weights)):
        raise StoreError("found weights other than 0 in a learner that never moved")
    return labels, known


def _check_heads(heads: object, appeared: int) -> None:
    if not isinstance(heads, dict) or set(heads) != set(_COUNTS) or not all(type(count) is int for count in heads.values()):
        raise StoreError(f"the state's heads are not whole numbers of {', '.join(_COUNTS)}")
    rounds, mistakes, updates, collisions = (heads[name] for name in _COUNTS)
    if not (0 <= updates <= mistakes <= rounds <= _MOST_ROUNDS and 0 <= collisions <= _MOST_ROUNDS and appeared <= mistakes):
        raise StoreError(f"found counts {heads!r} that no run of rounds can have")
