"""A given linear separator as comparator: the Perceptron's theorems with it as witness."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import bounds
from thresher._core import Frozen, PerceptronRule, Round, Rounds
from thresher.bounds import Bound, Certificate, Premise, Status
from thresher.bounds.rounding import perceptron_factor
from thresher.errors import ParameterError
from thresher.ledger.tally import Tally

__all__ = ["Separator"]


class Separator:
    """The comparator u: "hold the learner against this weight vector".

    `u` has one weight for each attribute; `bias_weight` is its weight for the learner's dummy attribute, if that has one.
    `margin` is the γ at which distances γ − y·(u·x) are summed for streams that u does not separate; any value gives
    valid bounds, and the best one depends on the stream. How u was found does not matter: it is checked, every number
    rounded to the safe side.

    >>> import thresher as th
    >>> ledger = th.Ledger(th.Separator([1.0, -1.0]))
    >>> ledger.enter(th.Perceptron(2).learn_many([[2, 0], [0, 2], [3, 0], [0, 3]] * 25, [+1, -1] * 50))
    >>> for certificate in ledger.certificates()[:2]:
    ...     print(certificate.verdict, certificate.bound)
    certified mistakes ≤ 1 by Perceptron, separable, after the run
    certified mistakes ≤ 4 by Perceptron, separable
    """

    def __init__(self, u: ArrayLike, *, bias_weight: float = 0.0, margin: float = 1.0) -> None:
        weights = np.array(u, dtype=np.float64, ndmin=1)
        if weights.ndim != 1 or weights.size == 0:
            raise ParameterError(f"found u of shape {weights.shape}, expected one weight for each attribute")
        largest = max(float(np.abs(weights).max()), abs(bias_weight))
        if not largest <= 2.0**250:
            raise ParameterError("found a weight in u that is not a finite number of at most 2^250 (1.8e75)")
        if not 2.0**-250 <= margin <= 2.0**250:
            raise ParameterError(f"found margin = {margin}, expected a number from 2^-250 to 2^250")
        weights.flags.writeable = False
        self._u = weights
        self._bias_weight = float(bias_weight)
        self._margin = float(margin)

    @property
    def u(self) -> NDArray[np.float64]:
        """The weights, read-only."""
        return self._u

    @property
    def bias_weight(self) -> float:
        """The weight for the learner's dummy attribute."""
        return self._bias_weight

    @property
    def margin(self) -> float:
        """The γ at which distances are summed."""
        return self._margin

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
        """The separable forms, void where u does not separate the rounds, and the forms that hold for any u."""
        frozen, gamma = self._frozen, self._separator.margin
        smallest = frozen.smallest_margin
        separated = smallest > 0.0
        margin = smallest if separated and tally.rounds else gamma
        norm, radius, rounding = frozen.norm, *self._rounded(tally, frozen.largest_norm)
        typical, typical_rounding = self._rounded(tally, math.sqrt(frozen.squares_on_mistakes / max(1, frozen.mistakes)))
        squares = typical * typical * frozen.mistakes

        seen = f"a given u with ‖u‖ ≤ {norm:.6g}, on examples of norm ≤ {frozen.largest_norm:.6g}"
        separates = Premise(
            "y·(u·x) ≥ γ > 0 on every round",
            Status.CHECKED if separated else Status.BROKEN,
            f"the smallest is {smallest:.6g}",
        )
        run = Statement(
            bounds.perceptron_run(margin, squares=squares, norm=norm),
            witness=f"{seen}; Σ‖x‖² over mistakes ≤ {frozen.squares_on_mistakes:.6g}",
            premises=(separates, typical_rounding),
        )
        separable = Statement(
            bounds.perceptron_separable(margin, radius=radius, norm=norm),
            witness=seen,
            premises=(separates, rounding),
            any_order=True,
        )
        distance = Statement(
            bounds.perceptron_distance(frozen.distance, margin=gamma, radius=radius, norm=norm),
            witness=f"{seen}; D ≤ {frozen.distance:.6g} at γ = {gamma:.6g}",
            premises=(rounding,),
            any_order=True,
        )
        squared = Statement(
            bounds.perceptron_squared_distance(frozen.squared_distance, margin=gamma, radius=radius, norm=norm),
            witness=f"{seen}; D₂ ≤ {frozen.squared_distance:.6g} at γ = {gamma:.6g}",
            premises=(rounding,),
            any_order=True,
        )
        on_mistakes = Statement(
            bounds.perceptron_distance(frozen.distance_on_mistakes, margin=gamma, radius=radius, norm=norm),
            witness=f"{seen}; D ≤ {frozen.distance_on_mistakes:.6g} over mistakes alone at γ = {gamma:.6g}",
            premises=(rounding,),
            diagnostic=True,
        )
        statements = (run, separable, distance, squared, on_mistakes)
        return [self._certificate(tally, statement) for statement in statements]

    def _rounded(self, tally: Tally, radius: float) -> tuple[float, Premise]:
        """The radius that the theorem needs for a learner that rounds, and the premise that there is one."""
        normalize = tally.rule is not None and tally.rule.normalize
        factor = perceptron_factor(radius, rounds=tally.rounds, terms=self._frozen.terms, normalize=normalize)
        statement = "rounding to float64 is covered by a larger radius"
        if math.isinf(factor):
            return radius, Premise(statement, Status.BROKEN, "too many rounds, or examples too small, for its proof")
        return radius * factor, Premise(statement, Status.CHECKED, f"by a relative {factor - 1:.1g}")

    def _certificate(self, tally: Tally, statement: Statement) -> Certificate:
        return Certificate(
            bound=statement.bound,
            count=tally.mistakes,
            rounds=tally.rounds,
            premises=(*_play(tally), *statement.premises),
            witness=statement.witness,
            verify=f"enter the same rounds into th.Ledger(th.Separator(u, bias_weight={self._separator.bias_weight!r}, "
            f"margin={self._separator.margin!r})), or sum them in exact fractions",
            best_constant=tally.best_constant,
            repeat_last=tally.repeat_last,
            any_order=statement.any_order,
            diagnostic=statement.diagnostic,
        )


class Statement(NamedTuple):
    """One bound with what it needs beside what every bound on a Perceptron needs."""

    bound: Bound
    witness: str
    premises: tuple[Premise, ...]
    any_order: bool = False
    diagnostic: bool = False


def _play(tally: Tally) -> tuple[Premise, ...]:
    """The premises on how the rounds were played."""
    known = isinstance(tally.rule, PerceptronRule)
    from_zero = tally.first == 1
    return (
        Premise("the rounds are a Perceptron's", Status.CHECKED if known else Status.ASSUMED),
        Premise(
            "they begin at zero weights",
            Status.CHECKED if from_zero else Status.BROKEN,
            "" if from_zero else f"the ledger begins at round {tally.first}",
        ),
        Premise(
            "every example has weight 1",
            Status.CHECKED if tally.weighted is None else Status.BROKEN,
            "" if tally.weighted is None else f"not the one of round {tally.weighted}",
        ),
    )
