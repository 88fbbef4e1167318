"""The Margin Perceptron: a Perceptron that also moves where it is right by too little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import frexp
from typing import NamedTuple

from thresher import bounds
from thresher._core import MarginPerceptronRule
from thresher.errors import NotRealizable, ParameterError
from thresher.linear.learner import LinearLearner, Parameters, Planes
from thresher.parameters import attributes, number, number_or_none

__all__ = ["MarginPerceptron", "Trained", "definition"]

_NORM_SLACK = 1e-6


def definition(
    n: int, stream: Iterable[tuple[Sequence[float], int]], margin: float, epsilon: float = 0.5, bias: float | None = None
) -> Iterator[tuple[float, int, list[float]]]:
    """The algorithm as on the blackboard: yields score, prediction and the weights after each round."""
    w = [0.0] * (n + (bias is not None))
    for x, y in stream:
        z = [*x, bias] if bias is not None else list(x)
        norm = sum(v * v for v in z) ** 0.5
        score = sum(wi * zi for wi, zi in zip(w, z, strict=True)) / norm
        length = sum(wi * wi for wi in w) ** 0.5
        if length == 0 or y * score < (1 - epsilon) * margin * length:
            w = [wi + y * zi / norm for wi, zi in zip(w, z, strict=True)]
        yield score, 1 if score >= 0 else -1, w


class Trained(NamedTuple):
    """What cycling came to: every example has a margin of at least `margin`, (1 − ε)γ, or `reached` is False, and nothing
    is known.
    """

    reached: bool
    margin: float
    passes: int
    updates: int


class MarginPerceptron(LinearLearner):
    r"""The Margin Perceptron over n attributes, for examples scaled to ‖x‖₂ = 1.

    It predicts the sign of w·x (0 is +1), and moves, w ← w + y·x, wherever y·(w·x)/‖w‖ < (1 − ε)γ: on mistakes, and on
    margin mistakes. The first example initialises w and is not counted by the theorem.

    - ``margin`` is γ, in (0, 1]: the margin that some unit vector is hoped to have on every example. ``None`` begins with 1
      and halves it, from w = 0 again, each time the steps exceed what any stream of that margin allows: which proves
      that no unit vector has it (`impossible`).
    - ``epsilon``, in (0, 1): the learner ends up with a margin of (1 − ε)γ.
    - ``bias`` appends an attribute of that value to each example before it is normalised.

    Guarantee
    ---------
    If some unit u has y·(u·x) ≥ γ on every (normalised) example, then, updates counted after the first::

        updates ≤ 2/(εγ)² + 2/(εγ) − 2/ε        th.bounds.margin_perceptron
        updates ≤ the last M with γ(M + 1) ≤ f_M       th.bounds.margin_perceptron_recursion, the tightest

    with f₀ = 1 and f² growing by 2(1 − ε)γf + 1; and mistakes are at most one more.

    >>> import thresher as th
    >>> learner = th.MarginPerceptron(2, margin=0.5)
    >>> [learner.learn(x, y).changed for x, y in [([3, 0], +1), ([0, 2], +1), ([1, 1], +1)]]
    [True, True, False]
    >>> learner.train_to_margin([[3, 0], [0, 2], [-1, -1]], [+1, +1, -1]).reached
    True
    """

    _HEADS = ("bias_weight", "square", "margin", "steps", "highest", "weighted", "refuted")

    def __init__(self, n: int, margin: float | None = None, *, epsilon: float = 0.5, bias: float | None = None) -> None:
        gamma, part = number_or_none("margin", margin), number("epsilon", epsilon, "a number between 0 and 1")
        if gamma is not None and not 0.0 < gamma <= 1.0:
            raise ParameterError(f"found margin = {margin!r}, expected None, or a number above 0 and at most 1")
        if not 0.0 < part < 1.0:
            raise ParameterError(f"found epsilon = {epsilon!r}, expected a number between 0 and 1")
        rule = MarginPerceptronRule(1.0 if gamma is None else gamma, part, gamma is None, number_or_none("bias", bias))
        super().__init__(attributes(n), rule)

    @property
    def margin(self) -> float:
        """γ: as given, or the largest that is not yet known to be impossible."""
        return self._state()[1]["margin"]

    def _refutations(self) -> list[str]:
        shown = "the updates showed that no unit vector has a margin of {:g} on the examples, scaled to norm 1"
        return [shown.format(margin) for margin in self.impossible[-1:]]

    @property
    def impossible(self) -> list[float]:
        """The margins that no unit vector has on what was learned: the steps exceeded their bound.

        A margin is given up as well where some steps had a weight other than 1, but that proves nothing.

        >>> import thresher as th
        >>> learner = th.MarginPerceptron(2, None)
        >>> for t in range(40):
        ...     _ = learner.learn([1, 0.2], +1), learner.learn([1, -0.2], -1)
        >>> learner.impossible, learner.margin
        ([1.0, 0.5], 0.25)
        """
        rule = self._rule(MarginPerceptronRule)
        if not rule.halving:
            return [] if self._possible(rule) else [rule.margin]
        proved, margin, refuted = [], rule.margin, self._state()[1]["refuted"]
        while 0.0 < refuted <= margin:
            proved.append(margin)
            margin /= 2
        return proved

    def train_to_margin(self, X: object, y: object, *, most_passes: int = 10_000) -> Trained:
        """Cycles through the examples until a whole pass has no update; each has then a margin of at least (1 − ε)γ.

        If γ was given, and the updates show that no unit vector has that margin, raises `NotRealizable`. If not, γ is
        halved where it is shown, and the cycling goes on, through at most `most_passes` passes.

        >>> import thresher as th
        >>> learner = th.MarginPerceptron(2, None)
        >>> learner.train_to_margin([[1, 0.2], [1, -0.2]], [+1, -1]).margin
        0.125
        """
        rule = self._rule(MarginPerceptronRule)
        before = self.updates
        for passes in range(1, most_passes + 1):
            updates = self.learn_many(X, y).updates
            if updates == 0:
                return Trained(True, (1.0 - rule.epsilon) * self.margin, passes, self.updates - before)
            if not rule.halving and not self._possible(rule):
                limit = bounds.margin_perceptron(rule.margin, epsilon=rule.epsilon).at_most
                raise NotRealizable(
                    f"found {self.updates - 1} updates, expected at most {limit}: so no unit vector has a margin of "
                    f"{rule.margin:g} on all that was learned; try a smaller one, or None"
                )
        return Trained(False, 0.0, most_passes, self.updates - before)

    def _possible(self, rule: MarginPerceptronRule) -> bool:
        """Whether some unit vector may have the given margin; only steps of weight 1 can show that none has."""
        weighted = self._state()[1]["weighted"]
        return bool(weighted) or bounds.margin_perceptron(rule.margin, epsilon=rule.epsilon).allows(self.updates - 1)

    def _arguments(self) -> Parameters:
        rule = self._rule(MarginPerceptronRule)
        return {"n": self.n, "margin": None if rule.halving else rule.margin, "epsilon": rule.epsilon, "bias": rule.bias}

    def _impossible(self, planes: Planes, heads: Parameters) -> str:
        if impossible := super()._impossible(planes, heads):
            return impossible
        rule, weights = self._rule(MarginPerceptronRule), planes["weights"]
        square, highest, margin, steps = heads["square"], heads["highest"], heads["margin"], heads["steps"]
        own = float(weights @ weights) + heads["bias_weight"] ** 2
        halvings = (margin > 0.0 and rule.margin / margin) if rule.halving else 1.0
        if not 0.0 <= square <= highest <= square * 2.0**20 or abs(square - own) > _NORM_SLACK * highest:
            return f"found a squared norm of {square}, {highest} at its highest, with weights whose own is {own}"
        if margin != rule.margin / max(halvings, 1.0) or halvings != 2.0 ** round(halvings).bit_length() / 2.0:
            return f"found a margin of {margin}, expected {rule.margin}, or where it is not given one of its halves"
        if not (0.0 <= steps <= heads["updates"] and steps == int(steps)):
            return f"found {steps} steps among {heads['updates']} updates"
        refuted, weighted = heads["refuted"], heads["weighted"]
        if weighted not in (0.0, 1.0) or (
            refuted != 0.0 and not (margin < refuted <= rule.margin and frexp(refuted)[0] == 0.5)
        ):
            return f"found {refuted} as the least margin refuted, and {weighted} for whether steps were weighted, at {margin}"
        return ""
