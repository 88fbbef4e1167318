"""The state of a portfolio: what is kept of it, and what a kept one must be before anything is made of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from thresher._core import LARGEST_STATE, Vote
from thresher.compose.banked import Banked, kind_told
from thresher.compose.lanes import Lanes
from thresher.errors import ParameterError, StoreError
from thresher.experts import AdaHedge, FixedShare, Hedge
from thresher.experts.rule import Heads, LossRule, Parameters
from thresher.linear import LEARNERS, LinearLearner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thresher._core import Drawn

__all__ = ["MASTERS", "parts", "state", "told", "written"]

#: The rules for losses that can weigh lanes.
MASTERS: dict[str, type[LossRule]] = {"AdaHedge": AdaHedge, "FixedShare": FixedShare, "Hedge": Hedge}

_PARTS = {"learner", "arguments", "lanes", "bank", "master", "heads"}
_MOST_ROUNDS = 2**62
_MOST_LANES = 2**16
_ARRAYS = {"sizes": "float64", "units": "float64", "mistakes": "int64", "losses": "float64", "rests": "float64"}
_COUNTS = ("rounds", "mistakes", "updates", "collisions", "history", "negative", "weighted")
_SUMS = ("missed", "missed_rest", "cost", "cost_rest")
_LINE = ("slope", "offset", "slope_spread", "cross_spread", "offset_spread", "weights", "log_loss", "log_rest", "product")
_LARGEST_SUM = 2.0**900
_SLACK = 1e-6

Arrays: TypeAlias = "dict[str, NDArray[Any]]"
Plane = TypeVar("Plane")


def state(lanes: Lanes, master: LossRule, vote: Vote) -> tuple[Parameters, Arrays]:
    """What is kept of a portfolio: `vote.<name>`, `master.<name>`, `bank.<name>`, and called lane i's `lane<i>.<name>`."""
    parameters = told(lanes, master, vote)
    return parameters, {name: np.asarray(plane) for name, plane in _owned(lanes, vote, lanes.banked.bank._memory())}


def written(lanes: Lanes, master: LossRule, vote: Vote) -> tuple[Parameters, dict[str, memoryview | Drawn]]:
    """The same for a file: the arrays as plain memory, or to be drawn from the bank when they are written."""
    parameters = told(lanes, master, vote)
    return parameters, dict(_owned(lanes, vote, lanes.banked.bank._drawn()))


def _owned(lanes: Lanes, vote: Vote, banked: Mapping[str, Plane]) -> Iterator[tuple[str, memoryview | Plane]]:
    """Every array by its name."""
    owners: dict[str, Mapping[str, memoryview | Plane]] = dict(zip(("vote", "master"), vote._memory(), strict=True))
    owners["bank"] = banked
    for i, lane in zip(lanes.columns()[1], lanes.called.members, strict=True):
        owners[f"lane{i}"] = lane._bytes()[1]
    for owner, planes in owners.items():
        for name, plane in planes.items():
            yield f"{owner}.{name}", plane


def told(lanes: Lanes, master: LossRule, vote: Vote) -> Parameters:
    """What is kept of it beside arrays."""
    if lanes.foreign:
        first = lanes.foreign[0]
        raise ParameterError(
            f"found lane {first.lane} ({first.name}), a learner of your own, whose state nobody else can keep: "
            "expected linear learners alone"
        )
    heads, master_heads = vote._heads()
    columns, called = lanes.columns()
    kinds: list[Parameters] = [{} for _ in range(len(lanes))]
    for i, kind in zip(columns, lanes.banked.kinds, strict=True):
        kinds[i] = {"learner": type(kind).__name__, "arguments": {**kind._arguments(), "n": lanes.n}, "heads": None}
    for i, lane in zip(called, lanes.called.members, strict=True):
        kinds[i] = lane.state()[0]
    return {
        "learner": "Portfolio",
        "arguments": {"n": lanes.n, "cost_positive": vote.cost_positive},
        "lanes": kinds,
        "bank": lanes.banked.bank._heads(),
        "master": {"rule": type(master).__name__, "arguments": master._arguments(), "heads": Heads(*master_heads)._asdict()},
        "heads": heads,
    }


def parts(parameters: object, arrays: object) -> tuple[Lanes, LossRule, Vote]:
    """The lanes, the master as it was made, and the vote whose `state` this is; `StoreError` if no run can lead to it."""
    if not isinstance(parameters, Mapping) or set(parameters) != _PARTS:
        raise StoreError("the state's parameters are not a learner, its arguments, lanes, bank, master and heads")
    if parameters["learner"] != "Portfolio":
        raise StoreError(f"found the state of {parameters['learner']!r}, expected one of 'Portfolio'")
    if not isinstance(arrays, Mapping) or not all(isinstance(name, str) for name in arrays):
        raise StoreError("the state's arrays are not a mapping of names")
    n, cost = _arguments(parameters["arguments"])
    listed = parameters["lanes"]
    if not isinstance(listed, list) or not 1 <= len(listed) <= _MOST_LANES:
        raise StoreError("the state's lanes are not a list of one at least")
    by_owner: dict[str, dict[str, NDArray[Any]]] = {}
    for name, array in arrays.items():
        owner, _, rest = name.partition(".")
        by_owner.setdefault(owner, {})[rest] = array
    if not set(by_owner) <= {"vote", "master", "bank", *(f"lane{i}" for i in range(len(listed)))}:
        raise StoreError("the state's arrays are not those of its vote, its master, its bank and its lanes")
    kept = by_owner.get("vote", {})
    _check_vote(kept, parameters["heads"], len(listed))
    master = _master(parameters["master"], by_owner.get("master", {}), len(listed))
    _check_together(kept, parameters["heads"], master)
    rounds = parameters["heads"]["rounds"]
    called, kinds = {}, []
    for i, each in enumerate(listed):
        _check_lane(i, each, n)
        if each["heads"] is None:
            if f"lane{i}" in by_owner:
                raise StoreError(f"found arrays of lane {i}, expected them in the bank")
            kinds.append(kind_told(i, each, n))
        else:
            called[i] = _called(i, each, by_owner.get(f"lane{i}", {}))
            if called[i].rounds < rounds:
                raise StoreError(f"found {called[i].rounds} rounds in lane {i}, expected those of the portfolio at least")
    banked = Banked.from_state(n, kinds, parameters["bank"], by_owner.get("bank", {}), parameters["heads"])
    fresh = type(master)(**parameters["master"]["arguments"])
    vote = Vote(len(listed), *fresh._core_rule, cost)
    planes = {name: np.ascontiguousarray(array) for name, array in by_owner["master"].items()}
    whole = {name: np.ascontiguousarray(array) for name, array in kept.items()}
    vote._restore(whole, parameters["heads"], planes, parameters["master"]["heads"])
    return Lanes.over(n, banked, called), fresh, vote


def _arguments(arguments: object) -> tuple[int, float]:
    if not isinstance(arguments, dict) or set(arguments) != {"n", "cost_positive"}:
        raise StoreError("the state's arguments are not n and cost_positive")
    n, cost = arguments["n"], arguments["cost_positive"]
    if type(n) is not int or not 1 <= n <= 2**48:
        raise StoreError(f"found n = {n!r} in the state's arguments, expected a whole number from 1 to 2^48")
    if type(cost) is not float or not 2.0**-100 <= cost <= 2.0**100:
        raise StoreError(f"found cost_positive = {cost!r} in the state's arguments, expected a number from 2^-100 to 2^100")
    return n, cost


def _check_lane(i: int, told: object, n: int) -> None:
    if not isinstance(told, dict) or set(told) != {"learner", "arguments", "heads"} or not isinstance(told["learner"], str):
        raise StoreError(f"lane {i} of the state is not a learner, its arguments and its heads")
    arguments = told["arguments"]
    if not isinstance(arguments, dict) or type(arguments.get("n")) is not int or arguments["n"] != n:
        raise StoreError(f"lane {i} of the state has other arguments than n = {n}")
    if told["learner"] not in LEARNERS:
        raise StoreError(f"found lane {i} of the kind {told['learner']!r}, expected a linear learner")


def _called(i: int, told: Parameters, arrays: Arrays) -> LinearLearner:
    try:
        return LEARNERS[told["learner"]].from_state(told, arrays)
    except StoreError as error:
        raise StoreError(f"lane {i}: {error}") from error


def _master(told: object, planes: Arrays, lanes: int) -> LossRule:
    if not isinstance(told, Mapping) or "rule" not in told or told["rule"] not in list(MASTERS):
        raise StoreError(f"the state's master is not one of {', '.join(MASTERS)}")
    if not isinstance(told.get("arguments"), dict) or told["arguments"].get("n") != lanes:
        raise StoreError(f"the state's master has not n = {lanes} experts, one for each lane")
    rule = MASTERS[told["rule"]].from_state(told, planes)
    if rule._arguments() != told["arguments"]:
        raise StoreError(f"the state's arguments of {told['rule']} are not {rule._arguments()}")
    return rule


def _check_vote(kept: Arrays, heads: object, lanes: int) -> None:
    if set(kept) != set(_ARRAYS):
        raise StoreError(f"the state's arrays of the vote are not {', '.join(_ARRAYS)}")
    for name, kind in _ARRAYS.items():
        array = kept[name]
        if type(array) is not np.ndarray or array.dtype != kind or array.shape != (lanes,):
            raise StoreError(f"the state's {name} of lanes are not {lanes} numbers of {kind}")
    if not isinstance(heads, dict) or set(heads) != {*_COUNTS, *_SUMS, *_LINE}:
        raise StoreError(f"the state's heads are not {', '.join((*_COUNTS, *_SUMS, *_LINE))}")
    if not all(type(heads[name]) is int for name in _COUNTS):
        raise StoreError("the state's counts are not whole numbers")
    if not all(type(heads[name]) is float and abs(heads[name]) <= _LARGEST_SUM for name in (*_SUMS, *_LINE)):
        raise StoreError("the state's sums are not finite numbers that learning can reach")
    rounds, mistakes, updates, collisions, history, negative, weighted = (heads[name] for name in _COUNTS)
    possible = (
        0 <= mistakes <= rounds <= _MOST_ROUNDS
        and 0 <= updates <= rounds
        and 0 <= collisions <= _MOST_ROUNDS
        and 0 <= history < 2**64
        and (rounds == 0) == (history == 0)
        and negative in (-1, 0, 1)
        and 0 <= weighted <= rounds
        and _pair(heads["missed"], heads["missed_rest"])
        and _pair(heads["cost"], heads["cost_rest"])
        and heads["missed"] <= heads["cost"] * (1 + _SLACK)
        and (weighted > 0 or (heads["missed"] == mistakes and heads["missed_rest"] == heads["cost_rest"] == 0.0))
        and (weighted > 0 or (heads["cost"] <= rounds and heads["cost"] == math.floor(heads["cost"])))
    )
    if not possible or not _line(heads):
        raise StoreError(f"found heads {heads!r} that no run of rounds can have")
    _check_lanes(kept, heads)


def _line(heads: Mapping[str, float]) -> bool:
    """Whether the calibration can be one: its spread shrinks from where it began, and is that of a matrix that can be."""
    begin = 0.25
    slope, cross, offset = heads["slope_spread"], heads["cross_spread"], heads["offset_spread"]
    fresh = (heads["slope"], heads["offset"], slope, cross, offset, heads["log_loss"], heads["product"])
    return (
        0.0 <= heads["slope"] <= 64.0
        and abs(heads["offset"]) <= 32.0
        and 0.0 <= slope <= begin
        and 0.0 <= offset <= begin
        and cross * cross <= slope * offset + 2.0**-60
        and heads["weights"] >= 0.0
        and (heads["rounds"] > 0 or heads["weights"] == 0.0)
        and (heads["rounds"] > 0 or fresh == (1.0, 0.0, begin, 0.0, begin, 0.0, 1.0))
        and _pair(heads["log_loss"], heads["log_rest"])
        and 2.0**-900 <= heads["product"] <= 1.0
    )


def _pair(high: float, low: float) -> bool:
    return high >= 0.0 and abs(low) <= 2.0**-52 * high


def _check_lanes(kept: Arrays, heads: Mapping[str, float]) -> None:
    sizes, units, wrong, lost, rests = (kept[name] for name in _ARRAYS)
    if not np.all((sizes >= 0.0) & (sizes <= LARGEST_STATE * 2.0**100)) or (heads["rounds"] == 0 and sizes.any()):
        raise StoreError("the state's sizes of scores are not sums that learning can reach")
    # A unit is rounds over a size that was smaller then, and 0 where that was nearly 0.
    counted = 0 if heads["rounds"] == 0 else heads["rounds"] if heads["rounds"] < 64 else heads["rounds"] // 64 * 64
    if not np.all((units >= 0.0) & (units <= 2.0**970)) or (counted == 0 and units.any()):
        raise StoreError("the state's units of scores are not numbers that learning can reach")
    if not np.all((units == 0.0) | (units * sizes >= counted * (1 - _SLACK))):
        raise StoreError("the state's units of scores are not those of their sizes")
    if not np.all((wrong >= 0) & (wrong <= heads["rounds"])):
        raise StoreError("the state's lanes have made mistakes that no run of rounds can lead to")
    if not np.all((lost >= 0.0) & (lost <= heads["cost"] * (1 + _SLACK)) & (np.abs(rests) <= 2.0**-52 * lost)):
        raise StoreError("the state's lanes have lost what no run of rounds can lead to")
    if heads["weighted"] == 0 and (not np.array_equal(lost, wrong.astype(np.float64)) or rests.any()):
        raise StoreError("the state's lanes have not lost 1 for each mistake, though nothing was weighted")


def _check_together(kept: Arrays, heads: Mapping[str, float], master: LossRule) -> None:
    """Whether the master was told what the vote has counted."""
    if master.rounds != heads["rounds"]:
        raise StoreError(f"found a master of {master.rounds} rounds in a portfolio of {heads['rounds']}")
    lost = kept["losses"]
    if not np.all(np.abs(master.losses - lost) <= _SLACK * (1.0 + lost)):
        raise StoreError("the state's master was told other losses than those of its lanes")
    if not -_SLACK <= master.loss <= heads["cost"] * (1 + _SLACK) + _SLACK:
        raise StoreError("the state's master has lost what no run of rounds can lead to")
