"""Thresher in river: a learner as one of river's classifiers, in its pipelines and its evaluation.

>>> import thresher as th
>>> from river import datasets, evaluate, metrics, preprocessing
>>> from thresher.adapters.river import OneExampleClassifier
>>> model = preprocessing.StandardScaler() | OneExampleClassifier(th.AROW(2**10, bias=1.0))
>>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
Accuracy: 88.56%
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np
from river import base

from thresher._core import one_block
from thresher.class_labels import ClassLabel, ClassLabels
from thresher.class_rounds import ClassLearner
from thresher.compose import Portfolio
from thresher.errors import ExampleError, LabelError, ParameterError
from thresher.linear import AdaGrad, Elimination, LiteralWinnow, Perceptron, Winnow
from thresher.protocol import Learner

__all__ = ["OneExampleClassifier"]

Features: TypeAlias = dict[Hashable, Any]
Target: TypeAlias = base.typing.ClfTarget

_HAVE = "th.AdaGrad (logistic), th.Invariant and th.Portfolio have some"
#: Learners whose values are from 0 to 1.
_NOT_NEGATIVE = (Elimination, LiteralWinnow, Winnow)
#: Keys of these types, and tuples of them, are known by how Python writes them.
_WRITTEN = (bool, float, bytes, type(None))


class OneExampleClassifier(base.Classifier):
    """A learner of Thresher's as a classifier of river's.

    `learner` is a linear learner, a `th.Portfolio`, another learner of two labels, or one of many classes such as
    `th.MulticlassPerceptron`. As river has it, a parameter never changes: a copy learns, `taught`, which has `mistakes`,
    `weights`, `state()` and whatever else learners have, and `clone()` begins anew with the learner as it was given.

    **Features.** A str is a name and is hashed into one of the learner's n slots, an int is an index and is its own slot, as
    everywhere in Thresher. Tuples (river's n-grams), floats, bools, bytes and None are names as Python writes them. A value
    of None is missing: it is left out. NaN, infinities and text are refused with `th.ExampleError`, and the model is as
    before; for text put river's `OneHotEncoder` before it.

    **Labels** of a learner of two are any two, all bool, all int or all str. True and 1 are plus, False, 0 and −1 minus; any
    other label is minus if it is the first to appear, and plus if it is the second. `classes=("ham", "spam")` says it before:
    minus, then plus; a learner that has learned before, such as one from a file, needs it. A third label is refused: more than
    two need a learner of many classes. What has not appeared is never predicted; before any label appeared, a learner of two
    says True or False.

    `predict_proba_one` is there where the learner has probabilities, such as `th.AdaGrad` under the logistic loss; those of a
    portfolio are the calibrated ones. `learn_one` takes a weight, `w`.

    >>> import thresher as th
    >>> model = OneExampleClassifier(th.Perceptron(2**10))
    >>> model.learn_one({"free": 2, "money": 1}, "spam")
    >>> model.learn_one({"lunch": 1, "free": 1}, "ham")
    >>> model.predict_one({"lunch": 1}), model.predict_one({"money": 1})
    ('ham', 'spam')
    >>> model.taught.mistakes, model.learner.rounds
    (2, 0)
    """

    def __init__(self, learner: Learner[Any] | ClassLearner[Any], classes: tuple[ClassLabel, ClassLabel] | None = None) -> None:
        self.learner = _checked(learner)
        self.classes = classes
        self._taught: Any = deepcopy(learner)
        taught = getattr(learner, "rounds", 0) > 0
        self._codes: _Sides | _Itself = _Itself() if self._multiclass else _Sides(_minus(self._taught), taught=taught)
        if classes is not None:
            self._codes = self._codes.of_both(classes)
        self._names = self._codes.names()

    @property
    def taught(self) -> Any:
        """The learner as it stands: what `learn_one` teaches."""
        return self._taught

    # Both verbs try at once what nearly always holds: the label is known, and the core reads the features as they are. Whatever
    # they do beside costs about as much as the learner.

    def learn_one(self, x: Features, y: Target, w: float = 1.0) -> None:
        """One round: the learner predicts, is told the label y, and learns. What is refused changes nothing."""
        try:
            code = self._codes[y]
        except (KeyError, TypeError):
            codes = self._codes.with_label(y)
            self._taught.learn(_readable(x), codes[y], w)
            self._codes, self._names = codes, codes.names()
            return
        try:
            self._taught.learn(x, code, w)
        except ExampleError:
            if (readable := _readable(x)) is x:
                raise
            self._taught.learn(readable, code, w)

    def predict_one(self, x: Features, **_kwargs: Any) -> Target | None:
        """The label that the learner predicts; None if it says neither, and before a learner of many classes has seen one."""
        try:
            return self._names[self._taught.predict(x).label]
        except ExampleError:
            if (readable := _readable(x)) is x:
                raise
            return self._names[self._taught.predict(readable).label]

    def predict_proba_one(self, x: Features, **_kwargs: Any) -> dict[Target, float]:
        """The probability of each label that has appeared, where the learner has probabilities."""
        taught, x = self._taught, _readable(x)
        if isinstance(self._codes, _Itself):
            chances = self._chances(x)
            if chances is not None:
                return dict(zip(taught.classes, chances, strict=True))
        else:
            plus = taught.calibrated(x) if isinstance(taught, Portfolio) else taught.predict(x).p_positive
            if plus is not None:
                return self._codes.shared(plus)
        # What river's own classifiers raise that say labels alone, and what its metrics and checks look for.
        raise NotImplementedError(f"{self.learner!r} has no probabilities; {_HAVE}")

    def _chances(self, x: Features) -> list[float] | None:
        """Those of every class, where the learner of many classes has them."""
        if not hasattr(self._taught, "p_many"):
            return None
        try:
            chances: list[float] = self._taught.p_many(one_block(x, self._taught.n))[0].tolist()
        except ParameterError:  # its learners have none
            return None
        return chances

    @property
    def _multiclass(self) -> bool:
        return isinstance(self.learner, ClassLearner)

    def _more_tags(self) -> set[str]:
        return {base.tags.POSITIVE_INPUT} if isinstance(self.learner, _NOT_NEGATIVE) else set()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"learner": Perceptron(1024, bias=1.0)}
        yield {"learner": AdaGrad(1024, bias=1.0)}


class _Itself:
    """The labels of a learner of many classes, which keeps them as they are."""

    def __getitem__(self, label: Any) -> Any:
        return label

    def names(self) -> _Itself:
        return self

    def with_label(self, label: object) -> _Itself:
        raise LabelError(f"found label {label!r}, expected a str, an int or a bool")

    def of_both(self, classes: object) -> _Itself:
        raise ParameterError(f"found classes = {classes!r} beside a learner of many classes, which has its own: leave them out")


class _Sides(dict[Any, int]):
    """The labels that appeared, each with what the learner is told instead: `minus`, −1 or 0, or +1."""

    def __init__(self, minus: int, sides: Iterable[tuple[Any, int]] = (), taught: bool = False) -> None:
        super().__init__(sides)
        self.minus = minus
        self.taught = taught  # before any of them appeared

    def of_both(self, classes: Iterable[object]) -> _Sides:
        """Both labels, of which the first is minus."""
        both = ClassLabels(classes)
        if len(both) != 2:
            raise ParameterError(f"found classes = {classes!r}, expected two: that of minus, then that of plus")
        return _Sides(self.minus, zip(both, (self.minus, +1), strict=True))

    def with_label(self, label: object) -> _Sides:
        """The same with a label that appears for the first time, on the side that it means, or else on one that is free."""
        seen = ClassLabels(self)
        if refused := seen.refused(label):
            raise LabelError(refused)
        *_, new = seen.read([label], 1)[1]
        if self.taught and not (isinstance(new, bool) or new in (0, 1, -1)):
            raise LabelError(
                f"found label {label!r} for a learner that has learned before, which does not know what it called plus; "
                'expected classes = (minus, plus), such as classes=("ham", "spam")'
            )
        if len(self) == 2 or {0, -1} <= {*self, new}:
            known = " or ".join(repr(each) for each in self)
            raise LabelError(f"found label {label!r}, expected {known}; more than two classes need a learner of many classes")
        means, other = (+1, self.minus) if new == 1 else (self.minus, +1)
        return _Sides(self.minus, [*self.items(), (new, other if means in self.values() else means)], self.taught)

    def names(self) -> dict[int, Target | None]:
        """What each prediction is called: what did not appear has no name, unless it is the other bool."""
        minus, plus = self._both()
        return {-1: minus, +1: plus, 0: None}

    def shared(self, chance: float) -> dict[Target, float]:
        """The probability of each label, where that of +1 is `chance`."""
        minus, plus = self._both()
        return {minus: 1.0} if minus == plus else {minus: 1.0 - chance, plus: chance}

    def _both(self) -> tuple[Target, Target]:
        if all(isinstance(label, bool) for label in self):
            return False, True
        named = {side: label for label, side in self.items()}
        only = next(iter(self))
        return named.get(self.minus, only), named.get(+1, only)

    def __reduce__(self) -> tuple[type[_Sides], tuple[int, list[tuple[Any, int]], bool]]:
        return _Sides, (self.minus, list(self.items()), self.taught)


def _checked(learner: Any) -> Any:
    if not isinstance(learner, Learner | ClassLearner) or isinstance(learner, type):
        raise ParameterError(f"found {learner!r} for the learner, expected one with predict and learn")
    return learner


def _minus(learner: Any) -> int:
    """How the learner was told of minus before: a stream must not spell it both as −1 and as 0."""
    heads = learner.state()[0].get("heads", {}) if hasattr(learner, "state") else {}
    return 0 if heads.get("negative") == 0 else -1


def _readable(x: Features) -> Features:
    """The features as the core can read them: without those that are missing, and with names for keys; x, if they are so."""
    if not isinstance(x, Mapping):
        return x
    kept = {key: value for key, value in x.items() if value is not None}
    named = {_name(key): value for key, value in kept.items()}
    if len(named) != len(kept):
        raise ExampleError("the example has a name and another key that Python writes like it, expected every name once")
    return x if named.keys() == x.keys() else named


def _name(key: Hashable) -> Hashable:
    if isinstance(key, np.generic):
        key = key.item()
    parts = key if isinstance(key, tuple) else (key, None)
    written = not isinstance(key, str | int) or isinstance(key, bool)
    return repr(key) if written and all(isinstance(part, (*_WRITTEN, str, int)) for part in parts) else key
