"""A given linear separator as comparator: the theorems of Perceptrons, Balanced Winnow and PA-I."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, SupportsFloat

import numpy as np

from thresher import bounds
from thresher._core import (
    LARGEST_VALUE,
    BalancedWinnowRule,
    Frozen,
    MarginPerceptronRule,
    PassiveAggressiveRule,
    PerceptronRule,
    PNormPerceptronRule,
    Round,
    Rounds,
)
from thresher.bounds import Certificate, Premise, Status
from thresher.bounds.printed import above, below
from thresher.bounds.rounding import balanced_winnow_rounding, margin_perceptron_rounding, perceptron_factor
from thresher.errors import ExampleError, ParameterError
from thresher.examples import numeric
from thresher.ledger.separated import p_norm, passive_aggressive
from thresher.ledger.statement import Statement, certificate, known, played
from thresher.ledger.tally import Tally
from thresher.linear import Hypothesis, LinearLearner
from thresher.linear.learner import within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Separator"]


class Separator:
    """The comparator u: "hold the learner against this weight vector".

    `u` has one weight for each attribute; `bias_weight` is its weight for the learner's dummy attribute, if that has one.
    `margin` is the γ at which distances γ − y·(u·x) are summed for streams that u does not separate; any value gives
    valid bounds, and the best one depends on the stream. How u was found does not matter: it is checked, every number
    rounded to the safe side. `called` is what certificates call it.

    >>> import thresher as th
    >>> ledger = th.Ledger(th.Separator([1.0, -1.0]))
    >>> ledger.enter(th.Perceptron(2).learn_many([[2, 0], [0, 2], [3, 0], [0, 3]] * 25, [+1, -1] * 50))
    >>> for certificate in ledger.certificates()[:2]:
    ...     print(certificate.verdict, certificate.bound)
    certified mistakes ≤ 1 by Perceptron, separable, after the run
    certified mistakes ≤ 4 by Perceptron, separable
    """

    def __init__(
        self, u: ArrayLike, *, bias_weight: float = 0.0, margin: float = 1.0, called: str = "the u that was given"
    ) -> None:
        expected = "one weight for each attribute; for a learner's own weights call Separator.of(learner)"
        try:
            weights = np.array(numeric(u, "u", expected), dtype=np.float64, ndmin=1)
        except ExampleError as error:
            raise ParameterError(str(error)) from None
        if weights.ndim != 1 or weights.size == 0:
            raise ParameterError(
                f"found u of shape {weights.shape}, expected one weight for each attribute in one dimension: try .ravel()"
            )
        weights.flags.writeable = False
        self._set(weights, bias_weight, margin, called)

    def _set(self, weights: NDArray[np.float64], bias_weight: float, margin: float, called: str) -> None:
        if not within(weights, LARGEST_VALUE):
            raise ParameterError("found a weight in u that is not a finite number of at most 2^250 (1.8e75)")
        self._u = weights
        self._bias_weight = _number("bias_weight", bias_weight)
        self._margin = _number("margin", margin)
        self.called = called
        if not self._margin >= 1 / LARGEST_VALUE:
            raise ParameterError(f"found margin = {margin}, expected a number of at least 2^-250")

    @classmethod
    def of(cls, learner: LinearLearner | Hypothesis, *, margin: float = 1.0) -> Separator:
        """The weights that a learner has now, as comparator.

        >>> import thresher as th
        >>> learner = th.Perceptron(2, bias=1.0)
        >>> _ = learner.learn([1, 2], -1)
        >>> th.Separator.of(learner).u.tolist()
        [-1.0, -2.0]
        """
        separator = cls.__new__(cls)  # without a copy: what a learner shows of its weights never changes
        called = f"the learner's weights after {learner.rounds:,} rounds"
        separator._set(learner.weights, learner.bias_weight, margin, called)
        return separator

    @property
    def u(self) -> NDArray[np.float64]:
        """The weights, read-only."""
        return self._u[:]

    @property
    def bias_weight(self) -> float:
        """The weight for the learner's dummy attribute."""
        return self._bias_weight

    @property
    def margin(self) -> float:
        """The γ at which distances are summed."""
        return self._margin

    @property
    def sum_of_sizes(self) -> float:
        """‖u‖₁ with the bias weight, from above."""
        return (float(np.abs(self._u).sum()) + abs(self._bias_weight)) * (1.0 + (len(self._u) + 2) * 2.0**-52)

    def norm(self, q: float) -> float:
        """‖u‖_q with the bias weight, from above, for q from 1 to 2.

        >>> 1.4142 < Separator([1.0], bias_weight=-1.0).norm(2.0) < 1.4143
        True
        """
        sizes = np.abs(np.append(self._u, self._bias_weight))
        largest = float(sizes.max())
        if largest == 0.0:
            return 0.0
        with np.errstate(under="ignore"):
            total = float(((sizes / largest) ** q).sum())
        return largest * math.pow(total, 1.0 / q) * (1.0 + (len(sizes) + 64) * 2.0**-50)

    def watch(self) -> SeparatorWatcher:
        """A fresh watcher for one ledger."""
        return SeparatorWatcher(self)

    def __repr__(self) -> str:
        return f"Separator(<{len(self.u)} weights>, bias_weight={self.bias_weight!r}, margin={self.margin!r})"


class SeparatorWatcher:
    """A separator at work: the core's frozen rule sums, and here the sums become certificates."""

    def __init__(self, separator: Separator) -> None:
        self._separator = separator
        self._frozen = Frozen(separator.u, separator.bias_weight, separator.margin)

    def enter(self, entered: Round | Rounds) -> Callable[[], None]:
        before = self._frozen.sums

        def take_back() -> None:
            self._frozen.sums = before

        self._frozen.enter(entered)
        return take_back

    def certificates(self, tally: Tally) -> list[Certificate]:
        """What the theorems of the rule that played say; nothing, if they are not about separators."""
        if isinstance(tally.rule, MarginPerceptronRule):
            return self._margin_perceptron(tally, tally.rule)
        if isinstance(tally.rule, BalancedWinnowRule):
            return self._balanced_winnow(tally, tally.rule)
        if isinstance(tally.rule, PassiveAggressiveRule):
            return passive_aggressive(self._separator.called, self._frozen, self._separator.margin, tally, tally.rule)
        if isinstance(tally.rule, PNormPerceptronRule):
            norm = self._separator.norm(tally.rule.p / (tally.rule.p - 1.0))
            return p_norm(self._separator.called, self._frozen, self._separator.margin, tally, tally.rule, norm=norm)
        if tally.rule is None or isinstance(tally.rule, PerceptronRule):
            return self._perceptron(tally)
        return []

    def _margin_perceptron(self, tally: Tally, rule: MarginPerceptronRule) -> list[Certificate]:
        """The exact recursion, on the updates after the first and on the mistakes, in any order."""
        if rule.halving:
            return []
        frozen, rho = self._frozen, (1.0 - rule.epsilon) * rule.margin
        margin = min(1.0, frozen.smallest_margin / frozen.norm) if frozen.norm > 0.0 and frozen.rounds else 0.0
        separated = margin > rho
        epsilon = math.nextafter(1.0 - rho / margin, 0.0) if separated else 0.5  # towards more updates
        numbers = {"margin": margin if separated else 1.0, "epsilon": epsilon}
        rounding = _margin_rounding(**numbers, rounds=tally.rounds, terms=frozen.terms)
        numbers["rounding"] = rounding
        separates = Premise(
            "y·(u·x)/‖u‖ ≥ γ on every round, above the (1 − ε)γ where the learner stops moving",
            Status.CHECKED if separated else Status.BROKEN,
            f"γ = {below(margin)}" if separated else f"not shown: the smallest is only known to be at least {below(margin)}",
        )
        covered = Premise(
            "the learner's rounding to float64 is covered",
            Status.CHECKED if known(tally, MarginPerceptronRule) else Status.ASSUMED,
            f"by a relative {above(rounding)}",
        )
        witness = f"{self._separator.called}, ‖u‖ ≤ {above(frozen.norm)}"
        premises = played(
            tally, MarginPerceptronRule, called="Margin Perceptron", begins="zero weights", unseen="keep to this margin"
        )
        statements = [
            Statement(
                bounds.margin_perceptron_recursion,
                numbers,
                witness,
                (separates, covered),
                any_order=True,
                counted=max(0, tally.updates - 1),
            ),
            Statement(bounds.margin_perceptron_mistakes, numbers, witness, (separates, covered), any_order=True),
        ]
        return [certificate(tally, statement, premises) for statement in statements]

    def _balanced_winnow(self, tally: Tally, rule: BalancedWinnowRule) -> list[Certificate]:
        """The separable form, void where u does not separate the rounds, and the form that holds for any u; in L₁ and L∞."""
        frozen, gamma = self._frozen, self._separator.margin
        separated = frozen.smallest_margin > 0.0 and frozen.rounds > 0
        norm = self._separator.sum_of_sizes
        if norm == 0.0:
            return []  # u = 0 is no point of the simplex
        at = gamma if frozen.distance > 0.0 else min(gamma, norm)
        rounding = balanced_winnow_rounding(mistakes=tally.rounds, terms=frozen.terms, eta=rule.eta)  # no more, in any order
        common = {
            "n": len(self._separator.u),
            "eta": rule.eta,
            "norm": norm,
            "rounding": rounding,
            "bias": rule.bias is not None,
        }
        separates = Premise(
            "y·(u·x) ≥ γ > 0 on every round",
            Status.CHECKED if separated else Status.BROKEN,
            f"γ = {below(frozen.smallest_margin)}" if separated else "not shown",
        )
        covered = Premise(
            "the learner's rounding to float64 is covered",
            Status.CHECKED if known(tally, BalancedWinnowRule) else Status.ASSUMED,
            f"by {above(rounding)} in every score",
        )
        u = f"{self._separator.called}, ‖u‖₁ ≤ {above(norm)}"
        premises = played(
            tally,
            BalancedWinnowRule,
            called="Balanced Winnow",
            begins="equal weights",
            unseen="keep to this margin, and add nothing to D",
        )
        statements = [
            Statement(
                bounds.balanced_winnow,
                {"margin": frozen.smallest_margin if separated else norm, **common},
                u,
                (separates, covered),
                any_order=True,
            ),
            Statement(
                bounds.balanced_winnow,
                {"margin": at, "distance": frozen.distance, **common},
                f"{u}; γ = {at!r}, D = Σ max(0, γ − y·(u·x)) ≤ {above(frozen.distance)}",
                (covered,),
                any_order=True,
            ),
        ]
        return [certificate(tally, statement, premises) for statement in statements]

    def _perceptron(self, tally: Tally) -> list[Certificate]:
        """The separable forms, void where u does not separate the rounds, and the forms that hold for any u."""
        frozen, gamma = self._frozen, self._separator.margin
        smallest, norm = frozen.smallest_margin, frozen.norm
        separated = smallest > 0.0
        margin = smallest if separated and frozen.rounds else gamma
        radius, rounding = self._rounded(tally, frozen.largest_norm)
        typical = math.sqrt(frozen.squares_on_mistakes / frozen.mistakes) if frozen.mistakes else frozen.largest_norm
        rounded_typical, typical_rounding = self._rounded(tally, typical)

        squares = rounded_typical * rounded_typical * frozen.mistakes
        squares += radius * radius * (tally.mistakes - frozen.mistakes)  # of rounds that were not seen: none is larger

        u = f"{self._separator.called}, ‖u‖ ≤ {above(norm)}"
        every = f"{u}; every ‖x‖ ≤ {above(frozen.largest_norm)}"
        separates = Premise(
            "y·(u·x) ≥ γ > 0 on every round",
            Status.CHECKED if separated else Status.BROKEN,
            f"γ = {below(margin)}" if separated else f"not shown: the smallest is only known to be at least {below(smallest)}",
        )
        at = f"{every}; γ = {gamma!r}"
        separable = {"margin": margin, "radius": radius, "norm": norm}
        at_gamma = {"margin": gamma, "radius": radius, "norm": norm}
        statements = [
            Statement(
                bounds.perceptron_run,
                {"margin": margin, "squares": squares, "norm": norm},
                f"{u}; Σ‖x‖² over the mistakes ≤ {above(squares)}",
                (separates, typical_rounding),
            ),
            Statement(bounds.perceptron_separable, separable, every, (separates, rounding), any_order=True),
            Statement(
                bounds.perceptron_distance,
                {"distance": frozen.distance, **at_gamma},
                f"{at}, D = Σ max(0, γ − y·(u·x)) ≤ {above(frozen.distance)}",
                (rounding,),
                any_order=True,
            ),
            Statement(
                bounds.perceptron_squared_distance,
                {"squared": frozen.squared_distance, **at_gamma},
                f"{at}, D₂ = Σ max(0, γ − y·(u·x))² ≤ {above(frozen.squared_distance)}",
                (rounding,),
                any_order=True,
            ),
            Statement(
                bounds.perceptron_distance,
                {"distance": frozen.distance_on_mistakes, **at_gamma},
                f"{at}, D over the mistakes alone ≤ {above(frozen.distance_on_mistakes)}",
                (rounding,),
                diagnostic=True,
            ),
        ]
        premises = played(
            tally,
            PerceptronRule,
            called="Perceptron",
            begins="zero weights",
            unseen="keep to this margin and these sizes, and add nothing to D",
        )
        return [certificate(tally, statement, premises) for statement in statements]

    def _rounded(self, tally: Tally, radius: float) -> tuple[float, Premise]:
        """The radius that the theorem needs for a learner that rounds, and the premise that there is one."""
        normalize = tally.rule is not None and tally.rule.normalize
        factor = perceptron_factor(radius, rounds=tally.rounds, terms=self._frozen.terms, normalize=normalize)
        statement = "the learner's rounding to float64 is covered"
        if math.isinf(factor):
            return radius, Premise(statement, Status.BROKEN, "too many rounds, or examples too small, for its proof")
        status = Status.CHECKED if known(tally, PerceptronRule) else Status.ASSUMED
        return radius * factor, Premise(statement, status, f"by norms larger by a relative {above(factor - 1)}")


def _margin_rounding(margin: float, epsilon: float, *, rounds: int, terms: int) -> float:
    """What covers the rounding of a Margin Perceptron in any order of these rounds.

    If r covers `few` updates and the theorem with r allows fewer, there never are so many: so r covers them all.
    """
    most = bounds.margin_perceptron(margin, epsilon=epsilon).value
    if 2 * most + 2 < rounds:
        few = int(2 * most) + 2
        rounding = margin_perceptron_rounding(margin, updates=few, terms=terms)
        if bounds.margin_perceptron_recursion(margin, epsilon=epsilon, rounding=rounding).value + 1 < few:
            return rounding
    return margin_perceptron_rounding(margin, updates=rounds, terms=terms)


def _number(name: str, value: object) -> float:
    if not isinstance(value, SupportsFloat) or isinstance(value, np.ndarray | complex):
        raise ParameterError(f"found {name} = {value!r}, expected one number")
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not abs(number) <= LARGEST_VALUE:
        raise ParameterError(f"found {name} = {value!r}, expected a finite number of at most 2^250 (1.8e75)")
    return number
