"""The Perceptron (Rosenblatt 1958): on a mistake, add the example, signed by its label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from thresher._core import PerceptronRule
from thresher.errors import ParameterError
from thresher.linear.learner import LinearLearner, Parameters
from thresher.parameters import attributes, number_or_none

__all__ = ["TIES", "Perceptron", "definition"]

#: What a score of 0 predicts; 0 is neither label, and so a mistake for both.
TIES = {"plus": +1, "minus": -1, "mistake": 0}

if TYPE_CHECKING:  # the definition runs on exact fractions, too
    from fractions import Fraction

    Number = float | Fraction


def definition(
    n: int, stream: Iterable[tuple[Sequence[Number], int]], normalize: bool = False, bias: Number | None = None, tie: int = 1
) -> Iterator[tuple[Number, int, list[Number]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round."""
    w: list[Number] = [0] * (n + (bias is not None))
    for x, y in stream:
        z = [*x, bias] if bias is not None else list(x)
        norm = sum(v * v for v in z) ** 0.5 if normalize else 1
        score = sum(wi * zi for wi, zi in zip(w, z, strict=True)) / norm
        prediction = 1 if score > 0 else -1 if score < 0 else tie
        if prediction != y:
            w = [wi + y * zi / norm for wi, zi in zip(w, z, strict=True)]
        yield score, prediction, w


class Perceptron(LinearLearner):
    r"""The Perceptron over n attributes.

    Starts from w = 0. On x it predicts the sign of w·x; on a mistake it moves, w ← w + y·x.

    - ``normalize`` scales each example to ‖x‖₂ = 1 first; a zero vector is then refused.
    - ``bias`` appends an attribute of that value to each example (before normalising), whose weight is `bias_weight`.
    - ``tie`` says what a score of 0 predicts: ``"plus"``, ``"minus"``, or ``"mistake"``: neither, wrong for both labels.

    An example is a vector of n numbers, a mapping {index or name: value}, a set of indices or names, or a sparse row. A
    name falls into the slot that its hash gives (`thresher.data.names.slot_of`).

    Guarantee
    ---------
    For every u with margin γ = min y·(u·x) > 0 and R = max ‖x‖₂ (Novikoff 1962)::

        mistakes ≤ (R‖u‖ / γ)²                        th.bounds.perceptron_separable

    and for every v whatever, with H = Σ max(0, 1 − y·(v·x)) over all rounds::

        mistakes ≤ H + R‖v‖·√mistakes, solved         th.bounds.perceptron_hinge

    Examples of weight other than 1 void both.

    >>> import thresher as th
    >>> learner = th.Perceptron(1000)
    >>> learner.learn({"size=large", "colour=green"}, -1).mistake   # before anything is known it says +1
    True
    >>> learner.predict({"size=large", "colour=orange"})
    Prediction(label=-1, score=-1.0, p_positive=None)
    >>> learner.learn({"size=large", "colour=orange"}, +1).mistake
    True
    >>> learner.predict({"colour=orange"}).label, learner.mistakes
    (1, 2)
    """

    def __init__(self, n: int, *, normalize: bool = False, bias: float | None = None, tie: str = "plus") -> None:
        if tie not in list(TIES):
            raise ParameterError(f"found tie = {tie!r}, expected one of {', '.join(TIES)}")
        super().__init__(attributes(n), PerceptronRule(bool(normalize), number_or_none("bias", bias), TIES[tie]))

    def _arguments(self) -> Parameters:
        rule = self._rule(PerceptronRule)
        tie = next(name for name, label in TIES.items() if label == rule.tie)
        return {"n": self.n, "normalize": rule.normalize, "bias": rule.bias, "tie": tie}
