"""A learner that sees every label turned round: so a learner of disjunctions learns conjunctions."""

from __future__ import annotations

from typing import Generic, TypeVar

from thresher._core import NOT_A_LABEL, label_code
from thresher.errors import LabelError, ParameterError
from thresher.protocol import Learner, Prediction, Round

__all__ = ["Flipped"]

X = TypeVar("X")


class Flipped(Generic[X]):
    r"""Learns with the labels turned round, and turns its predictions back.

    A conjunction is the negation of a disjunction: x₁ and not x₂ is not (not x₁ or x₂). So what learns disjunctions of literals
    learns conjunctions of literals this way, and its mistakes, and the bound on them, are the same. Enter the rounds of
    `inner` into a ledger, with the disjunction of the negated literals as comparator, for a certificate: `learn_inner`
    returns them. In the commands: make the other label the positive one.

    >>> import thresher as th
    >>> from thresher.compose import Flipped
    >>> both = Flipped(th.Elimination(3))                     # the target is x0 and not x2
    >>> for x, y in [([1, 1, 0], +1), ([1, 0, 1], -1), ([0, 1, 0], -1), ([1, 0, 0], +1), ([0, 1, 1], -1)]:
    ...     _ = both.learn(x, y)
    >>> both.inner.literals, both.inner.mistakes, both.predict([1, 1, 0]).label
    (['x2', 'not x0'], 2, 1)
    """

    def __init__(self, learner: Learner[X]) -> None:
        if isinstance(learner, type) or not isinstance(learner, Learner):
            raise ParameterError(f"found {learner!r}, expected a learner, which predicts and learns")
        self.inner = learner
        self._negative: int | None = None

    def predict(self, x: X) -> Prediction:
        """What the learner does not say. Never changes it."""
        said = self.inner.predict(x)
        p_positive = None if said.p_positive is None else 1.0 - said.p_positive
        return Prediction(-said.label, -said.score, p_positive)

    def learn(self, x: X, y: object, weight: float = 1.0) -> Round:
        """One whole round, told as the user sees it."""
        played = self.learn_inner(x, y, weight)
        said = played.prediction
        p_positive = None if said.p_positive is None else 1.0 - said.p_positive
        turned = Prediction(-said.label, -said.score, p_positive)
        return Round(played.t, x, turned, -played.label, played.changed, weight)

    def learn_inner(self, x: X, y: object, weight: float = 1.0) -> Round:
        """One whole round, told as the learner inside sees it: for a ledger of its own."""
        code = label_code(y)
        if code == NOT_A_LABEL:
            raise LabelError(f"found label {y!r}, expected -1, 0 or False for minus, 1 or True for plus")
        if code != +1 and self._negative not in (None, code):
            raise LabelError(f"found label {y!r}, but this stream has spelled its negative label {self._negative} before")
        played = self.inner.learn(x, -1 if code == +1 else +1, weight)
        self._negative = self._negative if code == +1 else code
        return played

    def __repr__(self) -> str:
        return f"Flipped({self.inner!r})"
