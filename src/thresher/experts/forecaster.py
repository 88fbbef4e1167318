"""One forecast from those of n forecasters: mixtures with a proof, and the aggregating rule (Vovk 1990)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import bounds
from thresher._core import LARGEST_STATE, Forecasts
from thresher.bounds import Bound
from thresher.errors import ExampleError, ParameterError, StoreError
from thresher.examples import numbers, numeric
from thresher.experts import adahedge
from thresher.experts.adahedge import AdaHedge
from thresher.experts.fixed_share import FixedShare
from thresher.experts.hedge import Hedge
from thresher.experts.rule import Heads, LossRound, LossRounds, LossRule, Origin, Parameters, check_heads
from thresher.parameters import number

__all__ = ["Forecaster", "definition", "definition_brier", "definition_log", "definition_range"]

Numbers = Sequence[float]
RuleDefinition = Callable[[int, Sequence[Numbers]], Iterator[tuple[list[float], float]]]
Probabilities = Sequence[Numbers]  # one row for each expert, one number for each outcome

_RULES: dict[str, type[LossRule]] = {rule.__name__: rule for rule in (AdaHedge, FixedShare, Hedge)}
_PLANES = ("losses", "missed", "rule_losses", "rule_weights")
_LARGEST = 2.0**100
_Stand = tuple[int, float, float, float, int, float]  # Heads, as the core gives them


def definition(
    rounds: Iterable[tuple[Numbers, float]],
    loss: Literal["squared", "absolute"] = "squared",
    against: Literal["mixture", "expert"] = "mixture",
    rule: RuleDefinition = adahedge.definition,
) -> Iterator[float]:
    """By a rule for losses, as on the blackboard: yields the forecast of each round."""
    given: list[Numbers] = []  # to the rule
    for x, y in rounds:
        *_, (w, _) = rule(len(x), [*given, [0.0] * len(x)])  # what it plays after these, whatever comes
        p = sum(weight * each for weight, each in zip(w, x, strict=True))
        yield p
        if against == "mixture":
            slope = 2 * (p - y) if loss == "squared" else math.copysign(1.0, p - y) if p != y else 0.0
            given.append([slope * (each - p) for each in x])
        else:
            given.append([(each - y) ** 2 if loss == "squared" else abs(each - y) for each in x])


def definition_range(rounds: Iterable[tuple[Numbers, float]], a: float, b: float) -> Iterator[float]:
    """Squared loss, forecasts and outcomes from a to b, as on the blackboard: yields the forecast of each round."""
    eta = 2 / (b - a) ** 2
    lost: list[float] = []
    for x, y in rounds:
        lost = lost or [0.0] * len(x)
        w = [math.exp(-eta * (each - min(lost))) for each in lost]

        def g(y: float, x: Numbers = x, w: Numbers = w) -> float:
            return -math.log(sum(v * math.exp(-eta * (each - y) ** 2) for v, each in zip(w, x, strict=True)) / sum(w)) / eta

        yield (a + b) / 2 + (g(a) - g(b)) / (2 * (b - a))
        lost = [before + (each - y) ** 2 for before, each in zip(lost, x, strict=True)]


def definition_log(rounds: Iterable[tuple[Probabilities, int]]) -> Iterator[list[float]]:
    """Log loss by Bayes's mixture, as on the blackboard: yields the probabilities that it forecasts in each round."""
    w: list[float] = []
    for x, y in rounds:
        w = w or [1 / len(x)] * len(x)
        p = [sum(weight * each[k] for weight, each in zip(w, x, strict=True)) for k in range(len(x[0]))]
        yield p
        w = [weight * each[y] / p[y] for weight, each in zip(w, x, strict=True)]


def definition_brier(rounds: Iterable[tuple[Probabilities, int]]) -> Iterator[list[float]]:
    """Brier score by the aggregating rule, as on the blackboard: yields the probabilities that it forecasts in each round."""
    w: list[float] = []
    for x, y in rounds:
        w = w or [1 / len(x)] * len(x)
        score = [[sum((q - (j == k)) ** 2 for j, q in enumerate(each)) for k in range(len(each))] for each in x]
        kept = [[v * math.exp(-each[k]) for v, each in zip(w, score, strict=True)] for k in range(len(x[0]))]
        G = [-math.log(sum(each)) for each in kept]
        s = min((2 + sum(sorted(G)[:m])) / m for m in range(1, len(G) + 1))  # then Σ (s − G)⁺ = 2
        yield [max(0.0, s - g) / 2 for g in G]
        w = [each / sum(kept[y]) for each in kept[y]]


class Forecaster(Forecasts):
    r"""One forecast a round from those of n forecasters (experts), in their units, with a proof of how good it is.

    For someone who has several forecasts of the same number or of the same outcome, is told afterwards what came, and does not
    know which to trust: demand, weather, odds, an ensemble of models. Nothing is assumed of the forecasters or of what comes.

    ========================  ======================================================  ==========================================
    loss                      the forecast                                            proven, in every run
    ========================  ======================================================  ==========================================
    squared, absolute         p = Σ wᵢxᵢ, a weighted mean; w from the rule on         loss ≤ that of the best fixed mixture
                              ℓ′(p, y)(xᵢ − p), the losses made linear at p           + the rule's regret
    ... against="expert"      p = Σ wᵢxᵢ; w from the rule on the experts' losses      loss ≤ the best expert's
                                                                                      + the rule's regret
    squared, range=(a, b)     the aggregating rule's, with η = 2/(b − a)²:            loss ≤ the best expert's + (b − a)²/2·ln n
                              (a + b)/2 + (g(a) − g(b))/(2(b − a))
    log                       Σ wᵢxᵢ with wᵢ multiplied by the probability that i     loss ≤ the best expert's + ln n
                              gave to what happened
    brier                     the aggregating rule's with η = 1                       loss ≤ the best expert's + ln n
    ========================  ======================================================  ==========================================

    - ``rule`` is a fresh `AdaHedge`, `Hedge` or `FixedShare`, and is copied; None is AdaHedge, which needs to know nothing of
      the size of the losses. Log, Brier, and squared with a range have the aggregating rule of their own.
    - Forecasts of a round are n numbers. For log and Brier they are the probability of outcome 1 (the outcome is 0 or 1), or
      n × K probabilities of K outcomes (the outcome is 0, …, K − 1), which are divided by their sum if that is 1 within 1e-6.
    - NaN or None is an expert asleep in this round: it takes no part, and its weight among all stays what it was.
    - The number of experts is known from the first round (or the rule).
    - The loss of a round is (p − y)², |p − y|, −ln of the probability of what happened, or Σ(p − 1{it happened})² over the
      outcomes: 2(p − y)² for a single probability. A forecaster who gave probability 0 to what happened has infinite log loss
      and is out for ever.

    Guarantee
    ---------
    `proven` is a bound on the regret: what the forecasts lost more than the best expert, or, if `against` is "mixture", than
    every fixed mixture of the experts, chosen after the fact::

        Σ ℓ(p, y) − Σ ℓ(u·x, y) ≤ Σ (w − u)·g ≤ the rule's regret on g = ℓ′(p, y)(x − p)    by convexity, for every mixture u
        regret ≤ (b − a)²/2·ln n                               th.bounds.aggregating_squared
        regret ≤ ln n                                          th.bounds.mixture_log, th.bounds.aggregating_brier

    It is silent (None) once an expert slept, and where the rule's own theorem is: `Hedge` and `FixedShare` need losses that
    differ by at most 1 in each round.

    >>> import thresher as th
    >>> forecaster = th.Forecaster()
    >>> played = forecaster.learn([21.0, 24.0, 19.5], 22.0)          # degrees: three forecasts, and what came
    >>> played.forecast, played.loss
    (21.5, 0.25)
    >>> rounds = forecaster.learn_many([[20.0, 22.5, 18.0], [23.0, 25.5, 20.0]], [21.0, 24.0])
    >>> round(forecaster.predict([22.0, 24.5, 19.0]), 2)
    23.36
    >>> forecaster.regret < forecaster.proven.value
    True
    """

    def __init__(
        self,
        rule: LossRule | None = None,
        *,
        loss: Literal["squared", "absolute", "log", "brier"] = "squared",
        range: tuple[float, float] | None = None,
        against: Literal["mixture", "expert"] | None = None,
    ) -> None:
        if loss not in ("squared", "absolute", "log", "brier"):
            raise ParameterError(f"found loss = {loss!r}, expected 'squared', 'absolute', 'log' or 'brier'")
        if against not in (None, "mixture", "expert"):
            raise ParameterError(f"found against = {against!r}, expected None, 'mixture' or 'expert'")
        if range is not None and loss != "squared":
            raise ParameterError(f"found range = {range!r} with loss = {loss!r}, expected it with 'squared' alone")
        aggregating = loss in ("log", "brier") or range is not None
        limits = None if range is None else _limits(range)
        if aggregating:
            which = f"loss = {loss!r}" + ("" if range is None else " with a range")
            if rule is not None:
                raise ParameterError(f"found rule = {rule!r} with {which}, expected None: it has a rule of its own")
            if against == "mixture":
                raise ParameterError(f"found against = 'mixture' with {which}, expected None or 'expert': that is proven")
        if rule is not None and (type(rule) is not _RULES.get(type(rule).__name__) or rule.rounds):
            raise ParameterError(f"found rule = {rule!r}, expected None or a fresh AdaHedge, Hedge or FixedShare")
        self._made = None if rule is None else (type(rule), rule._arguments())
        self._loss: Literal["squared", "absolute", "log", "brier"] = loss
        self._range = limits
        self._against: Literal["mixture", "expert"] = against or ("expert" if aggregating else "mixture")
        core = ("adaptive", 0.0, 0.0) if rule is None else rule._core_rule
        way = "aggregating" if aggregating else self._against
        low, high = limits or (0.0, 0.0)
        rate, eta, alpha = core
        super().__init__(0 if rule is None else rule.n, loss, way, low, high, rate, eta, alpha)

    def predict(self, forecasts: ArrayLike) -> float | NDArray[np.float64]:
        """The forecast, a number or the probabilities of the outcomes. Changes nothing."""
        said = self._predict_many(self._table(forecasts, 1)[np.newaxis], True)
        return said[0] if said.ndim == 2 else float(said[0])

    def predict_many(self, F: ArrayLike) -> NDArray[np.float64]:
        """The forecast for each row, with the weights as they are now. Changes nothing."""
        return self._predict_many(self._table(F, 2), False)

    def learn(self, forecasts: ArrayLike, outcome: float) -> LossRound:
        """One whole round: forecast, compare with what came, count everybody's loss.

        When outcomes come late, this forecasts anew: what was served earlier is not what is counted.
        """
        given, came = self._table(forecasts, 1), _outcome(outcome)
        said, loss, losses, mixture, before, after = self._learn_many(given[np.newaxis], np.array([came]), True)
        forecast = said[0] if said.ndim == 2 else float(said[0])
        row = np.require(given, np.float64)
        origin = self._origin(before, after)
        return LossRound(before[0] + 1, losses[0], mixture, float(loss[0]), forecast, came, row, origin)

    def learn_many(self, F: ArrayLike, outcomes: ArrayLike) -> LossRounds:
        """One round a row of forecasts, rounds × experts (× outcomes): the same, bit for bit, as `learn` for each.

        A row that cannot be learned raises `ExampleError` with `.row`; the forecaster is then as after the row before.
        """
        given = self._table(F, 2)
        came = numbers(numeric(outcomes, "the outcomes", "one number for each round")).astype(np.float64)
        if came.shape != (len(given),):
            raise ExampleError(f"found outcomes of shape {came.shape}, expected one for each of {len(given)} rounds")
        said, loss, losses, _, before, after = self._learn_many(given, came, False)
        return LossRounds(before[0] + 1, losses, loss, said, came, given, self._origin(before, after))

    @property
    def n(self) -> int | None:
        """The number of experts; None until it is known."""
        return self._n() or None

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self._heads()[0]

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the next round, which add up to 1: a fresh array, empty until the number of experts is known."""
        return self._weights()

    @property
    def loss(self) -> float:
        """What the forecasts lost so far."""
        heads = Heads(*self._heads())
        return heads.loss + heads.rest

    @property
    def losses(self) -> NDArray[np.float64]:
        """What each expert lost so far, in the rounds in which it was awake: a read-only array."""
        state = self._state()
        return np.zeros(self._n()) if state is None else state[0]["losses"]

    @property
    def regret(self) -> float:
        """How much more the forecasts lost than the best expert did; than each in the rounds in which it was awake."""
        state = self._state()
        if state is None:
            return 0.0
        planes, heads, *_ = state
        return float((Heads(*heads).loss + Heads(*heads).rest - planes["missed"] - planes["losses"]).max())

    @property
    def against(self) -> Literal["mixture", "expert"]:
        """What `proven` compares with: the best fixed mixture, or the best expert."""
        return self._against

    @property
    def rule(self) -> LossRule | None:
        """The rule for losses as it is now, a copy; None if the forecaster aggregates, or n is not known yet."""
        if self._aggregating or not self._n():
            return None
        kind, arguments = self._made or (AdaHedge, {"n": self._n()})
        state = self._state()
        if state is None:
            return kind(**arguments)
        planes, stand, loss, rest, _ = state
        heads = {**Heads(*stand)._asdict(), "loss": loss, "rest": rest}
        arrays = {"losses": planes["rule_losses"], "weights": planes["rule_weights"]}
        return kind.from_state({"rule": kind.__name__, "arguments": arguments, "heads": heads}, arrays)

    @property
    def proven(self) -> Bound | None:
        """What the regret so far is proven to stay below, against the best mixture or the best expert: see `against`."""
        rule, n = self.rule, self.n
        if rule is not None:
            return rule.proven
        if n is None or self._heads()[4]:
            return None
        if self._range is not None:
            return bounds.aggregating_squared(n, low=self._range[0], high=self._range[1])
        return bounds.mixture_log(n) if self._loss == "log" else bounds.aggregating_brier(n)

    def state(self) -> tuple[Parameters, dict[str, NDArray[np.float64]]]:
        """Everything the forecaster is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        state = self._state()
        parameters: Parameters = {"rule": "Forecaster", "arguments": self._arguments(), "heads": None}
        if state is None:
            return parameters, {}
        planes, stand, loss, rest, outcomes = state
        heads = {**Heads(*stand)._asdict(), "rule_loss": loss, "rule_rest": rest, "outcomes": outcomes}
        return {**parameters, "heads": heads}, planes

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The forecaster whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        _check_parameters(parameters, arrays)
        forecaster = cls._made_with(parameters["arguments"])
        heads = parameters["heads"]
        if heads is not None:
            forecaster._check_state(heads, arrays)
            lost, missed, given, weights = (np.require(arrays[name], np.float64, ["C", "A"]) for name in _PLANES)
            forecaster._restore(lost, missed, given, weights, **heads)
        elif arrays:
            raise StoreError("found arrays of a forecaster without rounds")
        return forecaster

    @classmethod
    def _made_with(cls, arguments: object) -> Self:
        if not isinstance(arguments, Mapping) or set(arguments) != {"rule", "loss", "range", "against"}:
            raise StoreError("the state's arguments are not a rule, a loss, a range and an against")
        inner, limits = arguments["rule"], arguments["range"]
        try:
            rule = None if inner is None else _RULES[inner["rule"]](**inner["arguments"])
            return cls(
                rule,
                loss=arguments["loss"],
                range=None if limits is None else (limits[0], limits[1]),
                against=arguments["against"],
            )
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise StoreError(f"the state's arguments do not fit Forecaster: {error}") from error

    def _check_state(self, heads: object, arrays: Mapping[str, NDArray[Any]]) -> None:
        more = {"rule_loss": float, "rule_rest": float, "outcomes": int}
        if not isinstance(heads, dict) or not all(type(heads.get(name)) is kind for name, kind in more.items()):
            raise StoreError("the state's heads are not those of a Forecaster")
        check_heads({name: value for name, value in heads.items() if name not in more})
        outcomes = heads["outcomes"]
        if not math.isfinite(heads["rule_loss"] + heads["rule_rest"]) or heads["rounds"] < 1:
            raise StoreError("the state's heads are not whole counts and finite sums")
        if not (outcomes == 0 or (self._loss in ("log", "brier") and 2 <= outcomes < 2**31)):
            raise StoreError(f"found {outcomes} outcomes, expected two at least, or 0 for forecasts that are single numbers")
        if set(arrays) != set(_PLANES):
            raise StoreError("the state's arrays are not the losses, the missed ones, and the rule's losses and weights")
        n = self.n or np.size(arrays["losses"])
        for name, array in arrays.items():
            if type(array) is not np.ndarray or array.dtype != np.float64 or array.shape != (n,) or n < 1:
                raise StoreError(f"the state's arrays are not n = {n} numbers of float64")
            out = np.isposinf(array) if self._loss == "log" and name in ("losses", "rule_losses") else np.zeros(n, bool)
            if not (np.abs(array[~out]) <= LARGEST_STATE).all():
                raise StoreError("the state's arrays are not all finite numbers that learning can reach")
        if not (arrays["rule_weights"] >= 0.0).all() or not arrays["rule_weights"].any():
            raise StoreError("the state's weights are not those of a mixture")

    def _arguments(self) -> Parameters:
        rule = None if self._made is None else {"rule": self._made[0].__name__, "arguments": self._made[1]}
        return {
            "rule": rule,
            "loss": self._loss,
            "range": None if self._range is None else list(self._range),
            "against": self._against,
        }

    def _origin(self, before: _Stand, after: _Stand) -> Origin:
        return Origin("Forecaster", self._arguments(), Heads(*before), Heads(*after))

    @property
    def _aggregating(self) -> bool:
        return self._range is not None or self._loss in ("log", "brier")

    def _table(self, given: object, rounds: int) -> NDArray[Any]:
        """Forecasts as the core reads them, of one round (1) or many (2)."""
        try:
            array = np.asarray(given) if type(given) is not np.ndarray else given
        except ValueError:
            array = np.empty(0, dtype=object)
        if array.dtype == object:
            given = _awake(given, rounds)
        table = numbers(numeric(given, "the forecasts", "one number for each expert, or its probabilities of the outcomes"))
        several = self._loss in ("log", "brier")
        if table.ndim not in ((rounds, rounds + 1) if several else (rounds,)):
            expected = "rounds × experts" if rounds == 2 else "one number for each expert"
            more = " (× outcomes)" if several and rounds == 2 else ", or experts × outcomes" if several else ""
            raise ExampleError(f"found forecasts of shape {table.shape}, expected {expected}{more}")
        return table

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        Forecasts.__init__(twin, self)
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        rule = None if self._made is None else self._made[0](**self._made[1])
        return f"Forecaster({rule!r}, loss={self._loss!r}, range={self._range!r}, against={self._against!r})"


def _check_parameters(parameters: object, arrays: object) -> None:
    if not isinstance(parameters, Mapping) or set(parameters) != {"rule", "arguments", "heads"}:
        raise StoreError("the state's parameters are not a rule, its arguments and its heads")
    if parameters["rule"] != "Forecaster" or not isinstance(arrays, Mapping):
        raise StoreError("the state is not that of a Forecaster")


def _limits(found: object) -> tuple[float, float]:
    if isinstance(found, str) or not isinstance(found, Sequence) or len(found) != 2:
        raise ParameterError(f"found range = {found!r}, expected two numbers (low, high)")
    low, high = (number("range", each, "two numbers (low, high)") for each in found)
    if not -_LARGEST <= low < high <= _LARGEST:
        raise ParameterError(f"found range = {found!r}, expected low < high, both within 2^100 (1.2e30)")
    return low, high


def _outcome(found: object) -> float:
    many = isinstance(found, np.ndarray) and found.ndim > 0
    if many or not isinstance(found, SupportsFloat | SupportsIndex):
        raise ExampleError(f"found outcome {found!r}, expected a number")
    try:
        return float(found)
    except (OverflowError, TypeError, ValueError):
        raise ExampleError(f"found outcome {found!r}, expected a number that float64 holds") from None


def _awake(given: Any, rounds: int) -> Any:
    """Lists in which None is an expert asleep, with NaN for it."""
    try:
        each = list(given)
    except TypeError:
        return given
    if rounds == 2:
        return [_awake(one, 1) for one in each]
    width = next((len(one) for one in each if one is not None and np.ndim(one) == 1), None)
    return [(math.nan if width is None else [math.nan] * width) if one is None else one for one in each]
