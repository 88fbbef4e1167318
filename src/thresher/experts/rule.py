"""What every rule for losses can do: one round, many, a state, and what it has lost more than the best expert."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from thresher._core import LARGEST_STATE, Mixer
from thresher.bounds import Bound
from thresher.errors import ExampleError, ParameterError, StoreError
from thresher.examples import numeric
from thresher.parameters import attributes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Heads", "LossRound", "LossRounds", "LossRule", "Origin", "Parameters", "check_heads", "experts"]

#: What JSON can hold.
Parameters = dict[str, Any]

_MOST_EXPERTS = 2**31


class Heads(NamedTuple):
    """Where a rule stands after its rounds.

    `gap` is the sum of its mixability gaps, `loss` + `rest` what it lost, `slept` the first round in which an expert slept (0:
    none), `largest` the largest range of losses in a round. A Forecaster's gap and largest are those of the losses that its
    rule was given, its loss is that of its forecasts.
    """

    rounds: int
    gap: float
    loss: float
    rest: float
    slept: int
    largest: float


class Origin(NamedTuple):
    """Which rule of the core played rounds, made with which arguments, and where it stood before and after them.

    Rounds follow on others if their `before` is the others' `after`.
    """

    rule: str
    arguments: Parameters
    before: Heads
    after: Heads


class LossRound(NamedTuple):
    """A round: what each expert lost (NaN: it was asleep), the mixture that was played, and what that lost.

    A Forecaster's also has its forecast, what came, and what the experts had forecast (`given`). `origin` is None where the
    round was not played by the core.
    """

    t: int
    losses: NDArray[np.float64]
    mixture: NDArray[np.float64]
    loss: float
    forecast: float | NDArray[np.float64] | None = None
    outcome: float | None = None
    given: NDArray[np.float64] | None = None
    origin: Origin | None = None

    def __repr__(self) -> str:
        said = "" if self.forecast is None else f", forecast={np.round(self.forecast, 6)!s}, outcome={self.outcome:g}"
        return f"LossRound(t={self.t}, experts={len(self.losses)}, loss={self.loss:.6g}{said})"


class LossRounds(NamedTuple):
    """Many rounds: the number of the first, the experts' losses by reference, and what the mixture lost in each.

    A Forecaster's also have its forecasts, the outcomes, and what the experts had forecast (`given`, by reference). `origin` is
    None where the rounds were not played by the core.
    """

    first: int
    losses: NDArray[np.float32] | NDArray[np.float64]
    loss: NDArray[np.float64]
    forecasts: NDArray[np.float64] | None = None
    outcomes: NDArray[np.float64] | None = None
    given: NDArray[np.float32] | NDArray[np.float64] | None = None
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.loss)

    def __repr__(self) -> str:
        rounds, n = self.losses.shape
        return f"LossRounds(first={self.first}, rounds={rounds}, experts={n}, loss={self.loss.sum():.6g})"


def experts(n: object) -> int:
    """The number of experts, checked.

    >>> experts(3)
    3
    """
    number = attributes(n)
    if number > _MOST_EXPERTS:
        raise ParameterError(f"found n = {number}, expected at most 2^31 experts")
    return number


class LossRule(Mixer):
    """A rule that weighs n experts by what they lost, and loses what their mixture loses."""

    def __init__(self, n: int, rate: str, eta: float, alpha: float) -> None:
        super().__init__(n, rate, eta, alpha)
        self._core_rule = (rate, eta, alpha)

    # What each rule must say for itself raises until it does: classes of the core have a metaclass of their own, so ABC
    # cannot ask for it.

    def _arguments(self) -> Parameters:
        """What to call the class with for a fresh rule of the same kind."""
        raise NotImplementedError(f"{type(self).__name__} must say what it was made with")

    @property
    def proven(self) -> Bound | None:
        """What the theorem says of the regret so far, in exact arithmetic; None where it is silent.

        A `th.Ledger` adds what rounding may cost, and checks it.
        """
        return self._proves(Heads(*self._heads()))

    def _proves(self, heads: Heads) -> Bound | None:
        """What the theorem says of a rule like this one that stands there."""
        raise NotImplementedError(f"{type(self).__name__} must say what it proves")

    def learn_losses(self, losses: ArrayLike) -> LossRound:
        """One whole round: the mixture is played, loses, and everybody's loss is counted. NaN is an expert asleep."""
        row = np.require(numeric(losses, "losses", "one number for each expert"), np.float64, ["C", "A"])
        if row.ndim != 1:
            raise ExampleError(f"found losses of shape {row.shape}, expected one number for each of {self.n} experts")
        mixture, before = self.weights, Heads(*self._heads())
        loss = self._learn(row)
        awake = ~np.isnan(row)
        if not awake.all() and mixture[awake].any():
            mixture = np.where(awake, mixture, 0.0) / mixture[awake].sum()
        return LossRound(before.rounds + 1, row, mixture, loss, origin=self._origin(before))

    def learn_losses_many(self, L: ArrayLike) -> LossRounds:
        """One round a row, in order: the same, bit for bit, as `learn_losses` for each.

        A row that cannot be learned raises `ExampleError` with `.row`; the rule is then as after the row before.
        """
        table = numeric(L, "L", "rows of numbers, one for each expert")
        if table.dtype != np.float32:
            table = np.require(table, np.float64)
        if table.ndim != 2:
            raise ExampleError(f"found L of shape {table.shape}, expected rounds × {self.n} experts")
        table = np.require(table, None, ["C", "A"])
        before = Heads(*self._heads())
        loss = self._learn_many(table)
        return LossRounds(before.rounds + 1, table, loss, origin=self._origin(before))

    def _origin(self, before: Heads) -> Origin:
        return Origin(type(self).__name__, self._arguments(), before, Heads(*self._heads()))

    @property
    def losses(self) -> NDArray[np.float64]:
        """What each expert lost so far: a read-only array. For rounds that it slept through it is charged the mix loss."""
        return self._state()[0]["losses"]

    @property
    def loss(self) -> float:
        """What the mixture lost so far."""
        _, _, _, loss, rest, *_ = self._state()
        return loss + rest

    @property
    def regret(self) -> float:
        """How much more the mixture lost than the best expert."""
        return self.loss - float(self.losses.min())

    def state(self) -> tuple[Parameters, dict[str, NDArray[np.float64]]]:
        """Everything the rule is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        planes, rounds, gap, loss, rest, slept, largest = self._state()
        heads = Heads(rounds, gap, loss, rest, slept, largest)._asdict()
        return {"rule": type(self).__name__, "arguments": self._arguments(), "heads": heads}, planes

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The rule whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        _check_state(parameters, arrays, cls.__name__)
        try:
            rule = cls(**parameters["arguments"])
        except (TypeError, ValueError) as error:
            raise StoreError(f"the state's arguments do not fit {cls.__name__}: {error}") from error
        losses, weights = (np.require(arrays[name], np.float64, ["C", "A"]) for name in ("losses", "weights"))
        rule._restore(losses, weights, **parameters["heads"])
        return rule

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        Mixer.__init__(twin, self)
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._arguments().items())
        return f"{type(self).__name__}({arguments})"


def _check_state(parameters: object, arrays: object, name: str) -> None:
    if not isinstance(parameters, Mapping) or set(parameters) != {"rule", "arguments", "heads"} or parameters["rule"] != name:
        raise StoreError(f"the state's parameters are not a rule {name}, its arguments and its heads")
    heads, arguments = parameters["heads"], parameters["arguments"]
    check_heads(heads)
    if not isinstance(arguments, dict):
        raise StoreError(f"the state's arguments are not those of {name}")
    if not isinstance(arrays, Mapping) or set(arrays) != {"losses", "weights"}:
        raise StoreError("the state's arrays are not the losses and the weights")
    n = arguments.get("n")  # before memory is taken for so many
    for array in arrays.values():
        if type(array) is not np.ndarray or array.dtype != np.float64 or type(n) is not int or array.shape != (n,) or n < 1:
            raise StoreError(f"the state's arrays are not n = {n!r} numbers of float64")
        if not (np.abs(array) <= LARGEST_STATE).all():
            raise StoreError("the state's arrays are not all finite numbers that learning can reach")
    weights, fresh = arrays["weights"], heads["rounds"] == 0
    if not (weights >= 0.0).all() or not 2.0**-100 <= weights.max() <= 2.0**100:
        raise StoreError("the state's weights are not those of a mixture")
    if fresh and (
        arrays["losses"].any() or (weights != weights[0]).any() or heads != Heads(0, 0.0, 0.0, 0.0, 0, 0.0)._asdict()
    ):
        raise StoreError("found losses or unequal weights in a rule that never played")


def check_heads(heads: object) -> None:
    """Raise unless this is a rule's `Heads` as a dict.

    >>> check_heads(Heads(2, 0.5, 1.0, 0.0, 0, 1.0)._asdict())
    """
    if not isinstance(heads, dict) or set(heads) != set(Heads._fields):
        raise StoreError(f"the state's heads are not {', '.join(Heads._fields)}")
    if not all(type(heads[head]) is (int if head in {"rounds", "slept"} else float) for head in Heads._fields):
        raise StoreError("the state's heads are not whole counts and finite sums")
    if not all(np.isfinite(each) for each in (heads["gap"], heads["loss"] + heads["rest"], heads["largest"])):
        raise StoreError("the state's heads are not whole counts and finite sums")
    if not 0 <= heads["slept"] <= heads["rounds"] < 2**62 or not min(heads["gap"], heads["largest"]) >= 0.0:
        raise StoreError(f"found heads {heads!r} that no run of rounds can have")
