"""Elimination: begin with every literal, and strike out what a negative example shows to be wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._core import Block, EliminationRule, Round, Rounds
from thresher.bounds.printed import shown
from thresher.errors import ExampleError
from thresher.linear.learner import LinearLearner, Parameters, Planes, example_weights, within
from thresher.parameters import attributes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Elimination", "definition"]

_EXPECTED = "expected 1: a literal fits an example or does not"


def definition(
    n: int, stream: Iterable[tuple[Sequence[int], int]], monotone: bool = False
) -> Iterator[tuple[int, int, set[tuple[int, int]]]]:
    """The algorithm as on the blackboard: yields the true literals' number, the prediction and the literals left.

    (i, 1) is attribute i, (i, 0) its negation.
    """
    left = {(i, value) for i in range(n) for value in ((1,) if monotone else (0, 1))}
    for x, y in stream:
        true = {(i, value) for i, value in left if x[i] == value}
        prediction = 1 if true else -1
        if prediction == 1 and y == -1:
            left -= true
        yield len(true), prediction, set(left)


class Elimination(LinearLearner):
    r"""Elimination over n attributes that are on or off: values 0 and 1.

    L holds every literal, attributes and negations (``monotone``: attributes alone). It predicts +1 where some literal of L
    is true. A mistake on a negative example strikes out every literal that is true there. A mistake on a positive one
    shows that no disjunction of literals fits the examples so far: nothing changes, and `refuted_at` says the round.

    The score is the number of literals of L that are true. A literal fits an example or does not: weights other than 1 are
    refused.

    Guarantee
    ---------
    If a disjunction of r literals fits every example, not a tautology::

        mistakes ≤ n + 1 − r   (monotone: n − r)           th.bounds.elimination

    and this is attained for every r.

    >>> import thresher as th
    >>> learner = th.Elimination(3)
    >>> for x, y in [([0, 0, 1], -1), ([0, 1, 1], -1), ([1, 0, 0], +1)]:
    ...     _ = learner.learn(x, y)
    >>> learner.literals, learner.mistakes, learner.refuted_at
    (['x0', 'not x2'], 2, None)
    """

    _PLANES = ("weights", "met")
    _HEADS = ("removals", "negations", "refuted_at")

    def __init__(self, n: int, *, monotone: bool = False) -> None:
        super().__init__(attributes(n), EliminationRule(bool(monotone)))

    def learn(self, x: object, y: object, weight: float = 1.0) -> Round:
        """One whole round: predict, compare with the label y, update. A refused example changes nothing."""
        if not (weight == 1.0 if type(weight) is float else np.array_equal(weight, 1.0)):
            raise ExampleError(f"found weight {shown(weight)}, {_EXPECTED}")
        return super().learn(x, y)

    def _learn_block(
        self,
        block: Block,
        codes: NDArray[np.int8] | memoryview,
        weights: NDArray[np.float64] | None,
        examples: object,
        labels: object,
    ) -> Rounds:
        if weights is None or not (weights != 1.0).any():
            return super()._learn_block(block, codes, weights, examples, labels)
        row = int(np.argmax(weights != 1.0))
        rounds = super()._learn_block(block.rows(0, row), codes[:row], weights[:row], examples, labels)
        raise ExampleError(f"row {row}: found weight {shown(float(weights[row]))}, {_EXPECTED}", row=row, rounds=rounds)

    def _learn_beside(
        self, X: Block, y: object, weights: ArrayLike | None, among: Block, held: NDArray[np.bool_]
    ) -> tuple[Rounds, NDArray[np.float64]]:
        scales = example_weights(weights, len(X))
        if scales is not None and (scales != 1.0).any():  # before anything is learned
            row = int(np.argmax(scales != 1.0))
            raise ExampleError(f"row {row}: found weight {shown(float(scales[row]))}, {_EXPECTED}", row=row)
        return super()._learn_beside(X, y, scales, among, held)

    @property
    def refuted_at(self) -> int | None:
        """The first round that showed that no disjunction fits; None while one may."""
        return int(self._state()[1]["refuted_at"]) or None

    def _refutations(self) -> list[str]:
        if self.refuted_at is None:
            return []
        return [f"round {self.refuted_at:,} showed that no disjunction of literals fits the examples"]

    @property
    def left(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which attributes are in L, and which negations."""
        planes, heads = self._state()
        negations = (planes["met"] == heads["removals"]) & (not self._rule(EliminationRule).monotone)
        return planes["weights"] == 1.0, negations

    @property
    def literals(self) -> list[str]:
        """The literals of L in words, attributes first: x0 is attribute 0."""
        attributes, negations = self.left
        return [f"x{i}" for i in np.flatnonzero(attributes)] + [f"not x{i}" for i in np.flatnonzero(negations)]

    def _on_the_blackboard(self) -> NDArray[np.float64]:
        if self._rule(EliminationRule).monotone:
            return self.weights
        return np.concatenate([literals.astype(np.float64) for literals in self.left])

    def _lean(self) -> NDArray[np.float64]:
        return self.weights - 1.0

    def _arguments(self) -> Parameters:
        return {"n": self.n, "monotone": self._rule(EliminationRule).monotone}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        weights, met, removals = planes["weights"], planes["met"], heads["removals"]
        if not within(weights, 1.0, 0.0) or (weights % 1.0).any() or removals != heads["updates"]:
            return "the state's weights are not 0 and 1, or its removals are not its updates"
        struck_unmet = removals < 2.0 and ((weights == 0.0) & (met == 0.0)).any()  # what misses one removal may go in the next
        if not within(met, removals, 0.0) or (met % 1.0).any() or ((met > 0.0) & (weights == 1.0)).any() or struck_unmet:
            return "the state's counts of removals are not what removals can leave"
        left = 0.0 if self._rule(EliminationRule).monotone else float(np.count_nonzero(met == removals))
        if heads["negations"] != left:
            return f"found {heads['negations']} negations left, but counted {left}"
        if not 0.0 <= heads["refuted_at"] <= heads["rounds"] or heads["refuted_at"] % 1.0:
            return f"found refuted_at = {heads['refuted_at']} after {heads['rounds']} rounds"
        if heads["refuted_at"] > 0.0 and heads["mistakes"] <= heads["updates"]:
            return "found a refutation without a mistake on a positive example"
        return ""
