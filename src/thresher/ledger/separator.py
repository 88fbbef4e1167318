"""A given linear separator as comparator: the Perceptron's theorems with it as witness."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import bounds
from thresher._core import LARGEST_VALUE, Frozen, PerceptronRule, Round, Rounds
from thresher.bounds import Bound, Certificate, Premise, Status
from thresher.bounds.printed import above, below
from thresher.bounds.rounding import perceptron_factor
from thresher.errors import ExampleError, ParameterError
from thresher.examples import numeric
from thresher.ledger.tally import Tally
from thresher.linear import Hypothesis, LinearLearner
from thresher.linear.learner import within

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
        return [_certificate(tally, statement) for statement in statements]

    def _rounded(self, tally: Tally, radius: float) -> tuple[float, Premise]:
        """The radius that the theorem needs for a learner that rounds, and the premise that there is one."""
        normalize = tally.rule is not None and tally.rule.normalize
        factor = perceptron_factor(radius, rounds=tally.rounds, terms=self._frozen.terms, normalize=normalize)
        statement = "the learner's rounding to float64 is covered"
        if math.isinf(factor):
            return radius, Premise(statement, Status.BROKEN, "too many rounds, or examples too small, for its proof")
        known = Status.CHECKED if _known(tally) else Status.ASSUMED
        return radius * factor, Premise(statement, known, f"by norms larger by a relative {above(factor - 1)}")


class Statement(NamedTuple):
    """One bound: the theorem, the numbers it is computed from, and what it needs beside what every theorem here needs."""

    theorem: Callable[..., Bound]
    numbers: dict[str, float]
    witness: str
    premises: tuple[Premise, ...]
    any_order: bool = False
    diagnostic: bool = False


#: What each number stands for; all are rounded to the safe side.
_MEANING = {
    "margin": "margin is at most every y·(u·x), or γ where one is given",
    "radius": "radius at least every ‖x‖ and what covers rounding",
    "norm": "norm at least ‖u‖",
    "squares": "squares at least Σ‖x‖² over the mistakes and what covers rounding",
    "distance": "distance at least D",
    "squared": "squared at least D₂",
}


def _certificate(tally: Tally, statement: Statement) -> Certificate:
    numbers = ", ".join(
        f"{name}={value!r}" if math.isfinite(value) else f"{name}=math.inf" for name, value in statement.numbers.items()
    )
    meaning = ", ".join(_MEANING[name] for name in statement.numbers)
    bound = statement.theorem(**statement.numbers)
    return Certificate(
        bound=bound,
        count=tally.mistakes,
        rounds=tally.rounds,
        premises=(*_play(tally), *statement.premises),
        witness=statement.witness,
        verify=f"th.bounds.{statement.theorem.__name__}({numbers}); {meaning}",
        best_constant=tally.best_constant,
        repeat_last=tally.repeat_last,
        numbers=statement.numbers,
        any_order=statement.any_order,
        diagnostic=statement.diagnostic,
    )


def _known(tally: Tally) -> bool:
    """Whether the core itself played these rounds, one after the other."""
    return isinstance(tally.rule, PerceptronRule) and tally.history is not None


def _play(tally: Tally) -> tuple[Premise, ...]:
    """The premises on how the rounds were played."""
    known = Status.CHECKED if _known(tally) else Status.ASSUMED
    broken = Status.BROKEN
    unseen = Premise(
        f"the first {tally.unseen:,} rounds keep to this margin and these sizes, and add nothing to D",
        Status.ASSUMED,
        "they were learned earlier and cannot be read again",
    )
    return (
        *((unseen,) if tally.unseen else ()),
        Premise("the rounds are one Perceptron's", known)
        if tally.moved is None
        else Premise("the rounds are one Perceptron's", broken, f"round {tally.moved} moved it without a mistake"),
        Premise("they begin at zero weights", known)
        if tally.first == 1
        else Premise("they begin at zero weights", broken, f"the ledger begins at round {tally.first}"),
        Premise("every example has weight 1", Status.CHECKED)
        if tally.weighted is None
        else Premise("every example has weight 1", broken, f"not the one of round {tally.weighted}"),
    )


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
