"""The learners of proofs: as JSON can hold them, and made again from that, fresh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.bounds.printed import shown
from thresher.compose import Portfolio
from thresher.compose.portfolio_state import MASTERS
from thresher.data.recipe import MOST_SLOTS
from thresher.errors import ParameterError, StoreError
from thresher.evaluate.differences import differences
from thresher.linear import LEARNERS, LinearLearner
from thresher.store import StoredLearner

__all__ = ["called", "fresh", "made_player", "told_player"]

_MOST_LANES = 2**16


def fresh(learner: object) -> StoredLearner:
    """The same learner before its first round."""
    if isinstance(learner, Portfolio):
        return learner.fresh()
    if not isinstance(learner, LinearLearner) or type(learner).__name__ not in LEARNERS:
        raise ParameterError(
            f"found {learner!r}, expected a linear learner such as th.Perceptron(n), or a th.Portfolio of such"
        )
    return type(learner)(**learner._arguments())


def told_player(learner: StoredLearner) -> dict[str, Any]:
    """What a learner was made with; of a portfolio its lanes, which have its n, and its master, which has one for each lane.

    >>> told_player(Portfolio(8, [LEARNERS["AROW"](8, r=2.0)]))["parameters"]["lanes"]
    [{'name': 'AROW', 'parameters': {'r': 2.0, 'bias': None}}]
    """
    if not isinstance(learner, Portfolio):
        return {"name": type(learner).__name__, "parameters": learner._arguments()}
    kinds = [learner.fresh_learner(lane, 1) for lane in range(len(learner.lanes))]
    lanes = [_without_n(type(kind).__name__, kind._arguments()) for kind in kinds if kind is not None]
    master = _without_n(type(learner.master).__name__, learner.master._arguments())
    parameters = {"n": learner.n, "cost_positive": learner.cost_positive, "lanes": lanes, "master": master}
    return {"name": "Portfolio", "parameters": parameters}


def made_player(stored: Mapping[str, Any], n: int | None = None) -> StoredLearner:
    """The learner that was told, or, to see what can be made without taking memory for it, the same over n attributes.

    >>> made_player({"name": "Perceptron", "parameters": {"n": 2**31, "normalize": False, "bias": None, "tie": "plus"}}, 1).n
    1
    """
    name, parameters = stored["name"], stored["parameters"]
    slots = parameters.get("n") if isinstance(parameters, Mapping) else None
    if type(slots) is not int or not 1 <= slots <= MOST_SLOTS:
        raise StoreError(f"learner.parameters.n: found {shown(slots)}, expected a whole number from 1 to 2^31")
    rest = {each: value for each, value in parameters.items() if each != "n"}
    if name == "Portfolio":
        return _portfolio(rest, slots if n is None else n)
    return _linear({"name": name, "parameters": rest}, slots if n is None else n, "learner")


def called(run: Mapping[str, Any]) -> str:
    """The learner of a run in words, with what it was made with; all lanes of a portfolio would be too many."""
    name, parameters = run["learner"]["name"], run["learner"]["parameters"]
    if name != "Portfolio":
        return f"{name}({', '.join(f'{each}={value!r}' for each, value in parameters.items())})"
    cost = "" if parameters["cost_positive"] == 1.0 else f", cost_positive={parameters['cost_positive']!r}"
    return f"Portfolio(n={parameters['n']}{cost}) of {len(parameters['lanes'])} lanes under {parameters['master']['name']}"


def _portfolio(parameters: Mapping[str, Any], n: int) -> Portfolio:
    if set(parameters) != {"cost_positive", "lanes", "master"}:
        raise StoreError(f"learner.parameters: found {', '.join(parameters)}, expected n, cost_positive, lanes and master")
    lanes, master, cost = (parameters[name] for name in ("lanes", "master", "cost_positive"))
    if not isinstance(lanes, list) or not 1 <= len(lanes) <= _MOST_LANES:
        raise StoreError(f"learner.parameters.lanes: found {shown(lanes)}, expected a list of one lane at least")
    if type(cost) is not float:
        raise StoreError(f"learner.parameters.cost_positive: found {shown(cost)}, expected a float")
    kinds = [_linear(lane, 1, f"learner.parameters.lanes[{k}]") for k, lane in enumerate(lanes)]
    place = "learner.parameters.master"
    rule, given = _named(master, list(MASTERS), place)
    try:
        weighing = MASTERS[rule](len(kinds), **given)
        if any(differences(given, _without_n(rule, weighing._arguments())["parameters"])):
            raise ParameterError(f"found {shown(dict(given))}, expected {shown(weighing._arguments())} but for n")
        return Portfolio.of_kinds(n, kinds, weighing, cost_positive=cost)
    except (TypeError, ValueError) as error:
        raise StoreError(f"{place}: {error}") from error


def _linear(stored: object, n: int, place: str) -> LinearLearner:
    """The learner that is told without its n, over n attributes."""
    name, given = _named(stored, list(LEARNERS), place)
    try:
        learner = LEARNERS[name](n, **given)
    except (TypeError, ValueError) as error:
        raise StoreError(f"{place}.parameters: {error}") from error
    expected = _without_n(name, learner._arguments())["parameters"]
    if any(differences(given, expected)):
        raise StoreError(f"{place}.parameters: found {shown(dict(given))}, expected {shown(expected)}")
    return learner


def _named(stored: object, names: list[str], place: str) -> tuple[str, Mapping[str, Any]]:
    """A name, one of these, and parameters, by their names."""
    if not isinstance(stored, Mapping) or set(stored) != {"name", "parameters"}:
        raise StoreError(f"{place}: found {shown(stored)}, expected a name and parameters")
    name, parameters = stored["name"], stored["parameters"]
    if name not in names:
        others = ", ".join([*names, "Portfolio"] if place == "learner" else names)
        raise StoreError(f"{place}.name: found {shown(name)}, expected one of {others}")
    if not isinstance(parameters, Mapping) or "n" in parameters:
        raise StoreError(f"{place}.parameters: found {shown(parameters)}, expected fields, and no n of its own")
    return name, parameters


def _without_n(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "parameters": {each: value for each, value in arguments.items() if each != "n"}}
