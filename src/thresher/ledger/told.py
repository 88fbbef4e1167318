"""Comparators as JSON can hold them, sparse: what a certificate's file says of its witnesses."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import ParameterError, StoreError
from thresher.ledger.best_lane import BestLane
from thresher.ledger.comparators import Comparator
from thresher.ledger.cover import Cover, Threshold
from thresher.ledger.disjunction import Disjunction
from thresher.ledger.separator import Separator

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["made", "rehearsed", "told"]

_CALLED = "the witness of the certificate"
_FIELDS = {
    "separator": {"slots", "weights", "bias_weight", "margin"},
    "disjunction": {"on", "off"},
    "cover": {"slots", "weights"},
    "threshold": {"slots", "weights", "delta"},
    "best lane": set(),
}


def told(witness: Comparator) -> dict[str, Any]:
    """A separator, disjunction, cover, threshold or the best lane as JSON can hold it; `made` makes it again, bit for bit.

    >>> told(Separator([0.5, 0.0, -2.0], margin=0.25))
    {'kind': 'separator', 'slots': [0, 2], 'weights': [0.5, -2.0], 'bias_weight': 0.0, 'margin': 0.25}
    >>> made(told(Disjunction(8, {1, 5})), 8)
    Disjunction(8, <x1 or x5>)
    """
    if isinstance(witness, Separator):
        rest = {"bias_weight": witness.bias_weight, "margin": witness.margin}
        return {"kind": "separator", **_sparse(witness.u), **rest}
    if isinstance(witness, Disjunction):
        return {"kind": "disjunction", "on": witness.plain.tolist(), "off": witness.negated.tolist()}
    if isinstance(witness, Cover):
        return {"kind": "cover", **_sparse(witness.mu)}
    if isinstance(witness, Threshold):
        return {"kind": "threshold", **_sparse(witness.mu), "delta": witness.delta}
    if isinstance(witness, BestLane):
        return {"kind": "best lane"}
    raise ParameterError(
        f"found {witness!r} as witness, expected a Separator, a Disjunction, a Cover, a Threshold, or a portfolio's BestLane"
    )


def made(stored: object, n: int) -> Comparator:
    """The comparator, over n attributes, that was `told`."""
    kind = stored.get("kind") if isinstance(stored, Mapping) else None
    if not isinstance(stored, Mapping) or not isinstance(kind, str) or kind not in _FIELDS:
        raise StoreError(f"found a witness of kind {kind!r}, expected one of {', '.join(_FIELDS)}")
    if set(stored) != {"kind", *_FIELDS[kind]}:
        raise StoreError(f"found a {kind} with {', '.join(map(str, stored))}, expected {', '.join(sorted(_FIELDS[kind]))}")
    for name in ("bias_weight", "margin", "delta"):
        if type(stored.get(name, 0.0)) is not float:
            raise StoreError(f"found {name} = {stored[name]!r} in a {kind}, expected a float")
    if kind == "best lane":
        return BestLane()
    try:
        if kind == "disjunction":
            return Disjunction(n, _ascending(stored["on"], n), _ascending(stored["off"], n), called=_CALLED)
        weights = _dense(stored["slots"], stored["weights"], n)
        if kind == "separator":
            return Separator(weights, bias_weight=stored["bias_weight"], margin=stored["margin"], called=_CALLED)
        if kind == "cover":
            return Cover(weights, called=_CALLED)
        return Threshold(weights, delta=stored["delta"], called=_CALLED)
    except ParameterError as error:
        raise StoreError(f"found a {kind} that cannot be one: {error}") from error


def rehearsed(stored: object, n: int) -> Comparator:
    """The comparator as it will be `made`, but over its own slots alone: it takes no memory that a file has not taken.

    >>> rehearsed({"kind": "cover", "slots": [7, 2**30], "weights": [0.5, 1.0]}, 2**31)
    Cover(<2 weights>)
    """
    if not isinstance(stored, Mapping) or "slots" not in stored:
        return made(stored, n)  # a disjunction is a set, however many attributes there are
    few = range(len(_ascending(stored["slots"], n)))
    return made({**stored, "slots": [*few]}, max(1, len(few)))


def _sparse(weights: NDArray[np.float64]) -> dict[str, list[Any]]:
    slots = np.flatnonzero(weights)
    return {"slots": slots.tolist(), "weights": weights[slots].tolist()}


def _dense(slots: object, weights: object, n: int) -> NDArray[np.float64]:
    if not isinstance(weights, list) or not all(type(weight) is float and weight != 0.0 for weight in weights):
        raise StoreError("found weights that are not a list of floats other than 0")
    places = _ascending(slots, n)
    if len(places) != len(weights):
        raise StoreError(f"found {len(weights):,} weights for {len(places):,} slots, expected one for each")
    dense = np.zeros(n)
    dense[places] = weights
    return dense


def _ascending(slots: object, n: int) -> list[int]:
    if not isinstance(slots, list) or not all(type(slot) is int and 0 <= slot < n for slot in slots):
        raise StoreError(f"found slots that are not a list of whole numbers from 0 to {n - 1}")
    if any(one >= other for one, other in pairwise(slots)):
        raise StoreError("found slots that do not ascend")
    return slots
