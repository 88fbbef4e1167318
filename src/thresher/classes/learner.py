"""What the learners of finite classes share: the concepts that are left, rounds one by one and many, a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import labels
from thresher._core import NOT_A_LABEL, label_code
from thresher.bounds import Bound
from thresher.bounds.printed import shown
from thresher.classes.bits import Words, count, every
from thresher.classes.concepts import Concept, ConceptClass, rows_of
from thresher.classes.named import as_class, restored, stored
from thresher.errors import ConcurrentUse, ExampleError, LabelError, NotRealizable, StoreError
from thresher.examples import is_masked
from thresher.protocol import Prediction, Round, Rounds

__all__ = ["ClassLearner", "Parts", "Space", "VersionSpace"]

_COUNTS = ("rounds", "mistakes", "updates")
_MOST_ROUNDS = 2**62


class Space(NamedTuple):
    """Some concepts: their bits, and how many there are."""

    bits: Words
    size: int

    def parts(self, values: Words) -> Parts:
        """How what they say of an example parts them."""
        plus = self.bits & values
        ones = count(plus)
        return Parts(self, Space(plus, ones), Space(self.bits ^ plus, self.size - ones))


class Parts(NamedTuple):
    """Some concepts, those of them that say +1, and those that say −1."""

    whole: Space
    plus: Space
    minus: Space


class _Now(NamedTuple):
    """All that a learner is at one moment; replaced as a whole, so that whoever looks meanwhile sees one moment."""

    space: Space
    rounds: int = 0
    mistakes: int = 0
    updates: int = 0
    negative: int | None = None


class VersionSpace:
    """The concepts that fit all examples so far, at one moment. It predicts as the learner did then, and never changes.

    >>> import thresher as th
    >>> learner = th.Halving([[0, 0], [0, 1], [1, 1]])
    >>> frozen = learner.hypothesis()
    >>> _ = learner.learn(0, 0)
    >>> frozen.left, learner.left
    (3, 2)
    """

    def __init__(self, learner: ClassLearner) -> None:
        self._learner = learner.__copy__()

    @property
    def concepts(self) -> ConceptClass:
        """The class."""
        return self._learner.concepts

    @property
    def rounds(self) -> int:
        """How many rounds led to it."""
        return self._learner.rounds

    @property
    def left(self) -> int:
        """How many concepts fit all examples so far."""
        return self._learner.left

    def predict(self, x: object) -> Prediction:
        """What the learner would have said of one example."""
        return self._learner.predict(x)

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """What the learner would have said of many examples, one a row."""
        return self._learner.predict_many(X)

    def __repr__(self) -> str:
        return f"VersionSpace({self.left:,} of {self.concepts.size:,} concepts after {self.rounds:,} rounds)"


class ClassLearner(ABC):
    """A learner that keeps the concepts of a finite class that fit every example so far.

    `concepts` is a class of `thresher.classes`, or a table of zeros and ones with a row for each concept. In every round, right
    or wrong, those concepts go that do not fit it; where none would be left, `NotRealizable` names the round, and the
    learner is as before it.
    """

    def __init__(self, concepts: object) -> None:
        self._concepts = as_class(concepts)
        self._concepts.at(0)  # a class too large to be gone through is refused here
        bits = every(self._concepts.size)
        bits.flags.writeable = False
        self._now = _Now(Space(bits, self._concepts.size))
        self._busy = Lock()

    @abstractmethod
    def _prediction(self, parts: Parts) -> Prediction:
        """What is said of an example that parts the concepts so."""

    @property
    @abstractmethod
    def proven(self) -> Bound:
        """The most mistakes there can be on any stream that some concept fits."""

    @property
    def concepts(self) -> ConceptClass:
        """The class."""
        return self._concepts

    @property
    def left(self) -> int:
        """How many concepts fit all examples so far."""
        return self._now.space.size

    @property
    def rounds(self) -> int:
        """How many rounds were learned."""
        return self._now.rounds

    @property
    def mistakes(self) -> int:
        """In how many of them the prediction was wrong."""
        return self._now.mistakes

    @property
    def updates(self) -> int:
        """In how many of them concepts went."""
        return self._now.updates

    @property
    def fitting(self) -> Words:
        """Which concepts fit all examples so far: packed bits, read-only."""
        return self._now.space.bits

    def predict(self, x: object) -> Prediction:
        """What it says of one example. Never changes the learner."""
        return self._asked(self._now.space, self._concepts.place(x))

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """What it would say of each row in the next round. Never changes the learner."""
        return np.array([said.label for said in self._asked_many(X)], dtype=np.int8)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """What each row's label would be read from in the next round. Never changes the learner."""
        return np.array([said.score for said in self._asked_many(X)], dtype=np.float64)

    def learn(self, x: object, y: object, weight: float = 1.0) -> Round:
        """One whole round: predict, compare with the label y, drop the concepts that do not fit it.

        A concept fits or it does not, so `weight` must be 1. When labels come late, the prediction that counts is the
        one made here.
        """
        if not _is_one(weight):
            raise ExampleError(f"found weight {shown(weight)}, expected 1: a concept fits an example or does not")
        place, code = self._concepts.place(x), label_code(y)
        with self._entered():
            self._check_label(code, y)
            prediction, changed = self._play(place, code)
            return Round(self._now.rounds, x, prediction, +1 if code == 1 else -1, changed)

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> Rounds:
        """One round a row, in order: the same as calling `learn` for each.

        A row that cannot be learned raises `ExampleError`, and one that no concept fits `NotRealizable`, with `.row`, its
        number, and `.rounds`, those before it; the learner is then as after them.
        """
        rows = rows_of(X)
        _check_weights(weights, len(rows))
        codes, given = labels.read(y, len(rows))
        with self._entered():
            first, played = self._now.rounds + 1, list[tuple[Prediction, bool]]()
            try:
                for k, place in self._concepts.places_of(rows):
                    code = int(codes[k])
                    self._check_label(code, given[k], k)
                    played.append(self._play(place, code))
            except (ExampleError, NotRealizable) as error:
                error.row, error.rounds = len(played), _columns(first, X, codes, played)
                raise
            return _columns(first, X, codes, played)

    def hypothesis(self) -> VersionSpace | Concept:
        """What the learner believes now, as a predictor that never changes."""
        return VersionSpace(self)

    def _asked_many(self, X: object) -> list[Prediction]:
        """What it says of each row; of examples of one place it is asked once."""
        space, places = self._now.space, [place for _, place in self._concepts.places_of(rows_of(X))]
        said = {place: self._asked(space, place) for place in set(places)}
        return [said[place] for place in places]

    def _asked(self, space: Space, place: int) -> Prediction:
        return self._prediction(space.parts(self._concepts.at(place)))

    def _play(self, place: int, code: int) -> tuple[Prediction, bool]:
        """The prediction, and whether concepts went."""
        now = self._now
        parts = now.space.parts(self._concepts.at(place))
        label, fit = (+1, parts.plus) if code == 1 else (-1, parts.minus)
        if not fit.size:
            raise NotRealizable(
                f"round {now.rounds + 1}: found label {label:+}, but all concepts that fit the rounds before say {-label:+} "
                f"({now.space.size:,} of {self._concepts.size:,}): no concept of the class fits this stream"
            )
        prediction = self._prediction(parts)
        changed = fit.size < now.space.size
        fit.bits.flags.writeable = False
        self._now = _Now(
            fit if changed else now.space,
            now.rounds + 1,
            now.mistakes + (prediction.label != label),
            now.updates + changed,
            now.negative if code == 1 else code,
        )
        return prediction, changed

    def _check_label(self, code: int, y: object, row: int | None = None) -> None:
        where = "" if row is None else f"row {row}: "
        if code == NOT_A_LABEL:
            raise LabelError(f"{where}found label {shown(y)}, expected -1, 0 or False for minus, 1 or True for plus", row=row)
        if code != 1 and self._now.negative not in (None, code):
            raise LabelError(f"{where}found label {shown(y)}, but this stream has spelled minus the other way before", row=row)

    @contextmanager
    def _entered(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise ConcurrentUse("the learner is busy in another thread: one learner, one writer")
        try:
            yield
        finally:
            self._busy.release()

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Everything the learner is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        now = self._now
        concepts, arrays = stored(self._concepts)
        heads = {"rounds": now.rounds, "mistakes": now.mistakes, "updates": now.updates, "negative": now.negative}
        return {"learner": type(self).__name__, "arguments": {"concepts": concepts}, "heads": heads}, {
            "fitting": now.space.bits,
            **arrays,
        }

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `state()` this is. It goes on as if it had never stopped."""
        heads = _checked_heads(parameters, arrays, cls.__name__)
        concepts = restored(parameters["arguments"]["concepts"], {name: arrays[name] for name in arrays if name != "fitting"})
        try:
            learner = cls(concepts)
        except ValueError as error:
            raise StoreError(f"the state's class does not fit {cls.__name__}: {error}") from error
        learner._restore(arrays["fitting"], heads)
        return learner

    def _restore(self, fitting: NDArray[Any], heads: Mapping[str, Any]) -> None:
        full, size = self.fitting, self._concepts.size
        if (
            type(fitting) is not np.ndarray
            or fitting.dtype != np.uint64
            or fitting.shape != full.shape
            or (fitting & ~full).any()
        ):
            raise StoreError(f"the state's fitting concepts are not bits of {size:,} concepts")
        bits = np.array(fitting)
        bits.flags.writeable = False
        space, updates = Space(bits, count(bits)), heads["updates"]
        if not space.size or updates > size - space.size or (updates == 0) != (space.size == size):
            raise StoreError(f"found {space.size:,} of {size:,} concepts left after {updates} updates, which cannot be")
        if (mistakes := heads["mistakes"]) > updates or not self.proven.allows(mistakes):
            raise StoreError(
                f"found {mistakes} mistakes after {updates} updates, expected at most one each, and {self.proven.limit} in all"
            )
        self._now = _Now(space, heads["rounds"], heads["mistakes"], updates, heads["negative"])

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._busy = Lock()
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._concepts!r})"


def _columns(first: int, X: object, codes: NDArray[np.int8], played: list[tuple[Prediction, bool]]) -> Rounds:
    said = [prediction for prediction, _ in played]
    shares = [prediction.p_positive for prediction in said if prediction.p_positive is not None]
    return Rounds(
        first,
        X,
        np.array([prediction.label for prediction in said], dtype=np.int8),
        np.where(codes[: len(said)] == 1, 1, -1).astype(np.int8),
        np.array([prediction.score for prediction in said], dtype=np.float64),
        np.array([changed for _, changed in played], dtype=np.bool_),
        p_positive=np.array(shares) if said and len(shares) == len(said) else None,
    )


def _is_one(weight: object) -> bool:
    try:
        return bool(weight == 1.0)
    except ValueError:  # an array of several
        return False


def _check_weights(weights: ArrayLike | None, rows: int) -> None:
    if weights is None:
        return
    try:
        array = np.asarray(weights)
    except ValueError:
        raise ExampleError(f"found weights {shown(weights)}, expected one number for each of {rows} rows") from None
    if array.shape != (rows,):
        raise ExampleError(f"found weights of shape {array.shape}, expected one for each of {rows} rows")
    if is_masked(weights) or not np.all(array == 1.0):
        raise ExampleError("found weights other than 1: a concept fits an example or does not")


def _checked_heads(parameters: object, arrays: object, name: str) -> Mapping[str, Any]:
    if not isinstance(parameters, Mapping) or set(parameters) != {"learner", "arguments", "heads"}:
        raise StoreError("the state's parameters are not a learner, its arguments and its heads")
    if parameters["learner"] != name:
        raise StoreError(f"found the state of {shown(parameters['learner'])}, expected one of {name!r}")
    if not isinstance(parameters["arguments"], Mapping) or set(parameters["arguments"]) != {"concepts"}:
        raise StoreError("the state's arguments are not concepts")
    if not isinstance(arrays, Mapping) or "fitting" not in arrays:
        raise StoreError("the state's arrays do not say which concepts fit")
    heads = parameters["heads"]
    if not isinstance(heads, Mapping) or set(heads) != {*_COUNTS, "negative"}:
        raise StoreError(f"the state's heads are not {', '.join(_COUNTS)} and negative")
    if not all(type(heads[key]) is int for key in _COUNTS) or heads["negative"] not in (None, -1, 0):
        raise StoreError("the state's heads are not whole counts and a spelling of minus")
    if not (0 <= heads["mistakes"] <= heads["rounds"] <= _MOST_ROUNDS and 0 <= heads["updates"] <= heads["rounds"]):
        raise StoreError(f"found heads {shown(dict(heads))} that no run of rounds can have")
    return heads
