"""Lanes of a portfolio in the core's bank: learners side by side in float32, all of them in one sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thresher._core import Bank, Block, Ear, Group, room
from thresher.compose.called import Said
from thresher.errors import ExampleError, StoreError
from thresher.linear import LEARNERS, LinearLearner
from thresher.linear.learner import Parameters, within
from thresher.threads import allowed_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Banked", "kind_of", "kind_told"]

Arrays: TypeAlias = "Mapping[str, NDArray[Any]]"

_LARGEST = 2.0**60
_MOST = (2.0 - 2.0**-23) * 2.0**127  # of float32: a square beyond it is infinite in a lane, and its slot stands still
_SMALLEST = 2.0**-126
#: From where to where the numbers of a plane lie, by the plane's name.
_REACH = {
    "weights": (-_LARGEST, _LARGEST),
    "lag": (-(2.0**120), 2.0**120),
    "variances": (_SMALLEST, 1.0),
    "squares": (0.0, math.inf),
    "scales": (0.0, 2.0**40),
    "below": (2.0**-100, _LARGEST),
}
_WINNOW = (2.0**-100, _LARGEST)
_BELOW, _ABOVE = "Winnow below", "Winnow weights"
_COUNTS = ("rounds", "negative", "collisions")


def kind_of(learner: LinearLearner) -> LinearLearner | None:
    """A learner of the same kind over one attribute, if it is fresh and fits the bank: that is all a lane there needs."""
    if learner.rounds or not _fits(learner):
        return None
    return type(learner)(**{**learner._arguments(), "n": 1})


def _fits(learner: LinearLearner) -> bool:
    """Whether it can be a lane: by its rule, and by arguments that leave float32 room on both sides."""
    given = [abs(value) for value in learner._arguments().values() if isinstance(value, float)]
    return Bank.fits(learner.rule) and all(2.0**-20 <= value <= 2.0**20 for value in given)


class Banked:
    """Lanes in a bank, each of the kind of a learner over one attribute."""

    def __init__(self, n: int, kinds: Sequence[LinearLearner], bank: Bank | None = None) -> None:
        self.kinds = list(kinds)
        self._n = n
        self.bank = Bank(n, [kind.rule for kind in kinds], allowed_threads()) if bank is None else bank

    def learn_block(
        self,
        block: Block,
        codes: NDArray[np.int8] | memoryview,
        weights: NDArray[np.float64] | memoryview | None,
        changed: memoryview,
        *,
        says: memoryview | None = None,
        scores: memoryview | None = None,
        ear: Ear | None = None,
        held: NDArray[np.bool_] | None = None,
    ) -> tuple[int, ExampleError | None]:
        """One round a row, up to the first that cannot be learned: how many there were before it, and what is wrong with it.

        The ear hears what the lanes say of some rows while they play the next, so that nobody else need keep it. Rows that are
        held out are not learned.
        """
        try:
            self.bank._learn_block(block, codes, weights, says, scores, changed, codes, ear, held)
        except ExampleError as error:
            if error.row is None:
                raise
            return error.row, error
        return len(block), None

    def fault(self, block: Block) -> ExampleError | None:
        """What is wrong with the first row that cannot be learned, if there is one."""
        try:
            Bank(self._n, [])._score_block(block, room("int8", len(block), 0), room("float32", len(block), 0))
        except ExampleError as error:
            return error
        return None

    def score_block(self, block: Block, said: Said) -> None:
        """What the lanes say of each row is written; nothing is learned."""
        self.bank._score_block(block, said.says, said.scores)

    def learner(self, lane: int, rounds: int, mistakes: int) -> LinearLearner:
        """A lane as a learner of its own, in float64."""
        arrays, heads = self.bank._memory(), self.bank._heads()
        group, at = self.bank.group(lane), self.bank.position(lane)
        kind = self.kinds[lane]
        planes = {}
        for name in kind._PLANES:
            if (plane := arrays.get(f"{group} {name}")) is None:  # nothing below 0 came, or it has none
                planes[name] = np.full(self._n, 1.0 if name == "below" else 0.0)
                continue
            columns = np.asarray(plane).reshape(self._n, -1)
            planes[name] = np.minimum(columns[:, at if columns.shape[1] > at else 0].astype(np.float64), _MOST)
        own = {name: min(float(heads[f"{group} {name}"][at]), _MOST) for name in kind._HEADS}
        first, at_first = kind._state()
        moved = any((plane != first[name][0]).any() for name, plane in planes.items()) or own != {
            name: at_first[name] for name in own
        }
        # In which rounds a lane moved nobody counts: in all, if it ever did.
        counts = {"rounds": rounds, "mistakes": mistakes, "updates": rounds if moved else 0, "collisions": 0}
        learner = type(kind).__new__(type(kind))
        told = {**own, **counts, "history": min(rounds, 1), "negative": heads["negative"]}
        Group.__init__(learner, self._n, kind.rule, planes, told)
        return learner

    @classmethod
    def from_state(
        cls, n: int, kinds: Sequence[LinearLearner], heads: object, arrays: Arrays, counts: Mapping[str, Any]
    ) -> Banked:
        """The lanes whose `state` this is; `StoreError` if no run of rounds with these counts can lead to it."""
        rules = [kind.rule for kind in kinds]
        planes, expected = Bank(1, rules)._state()
        _check_heads(heads, expected, counts)
        assert isinstance(heads, dict)
        widths = {name: plane.size for name, plane in planes.items()}
        if _ABOVE in widths and _BELOW in arrays:
            widths[_BELOW] = widths[_ABOVE]
        if set(arrays) != set(widths):
            raise StoreError(f"the state's arrays of the bank are not {', '.join(sorted(widths))}")
        for name, width in widths.items():
            plane = arrays[name]
            if type(plane) is not np.ndarray or plane.dtype != np.float32 or plane.shape != (n * width,):
                raise StoreError(f"the state's {name} are not {n} × {width} numbers of float32")
            low, high = _WINNOW if name == _ABOVE else _REACH[name.rpartition(" ")[2]]
            if not within(plane, high, low):
                raise StoreError(f"the state's {name} are not all numbers that learning can reach")
        whole = {name: np.ascontiguousarray(plane) for name, plane in arrays.items()}
        return cls(n, kinds, Bank(n, rules, whole, heads, allowed_threads()))

    def __copy__(self) -> Banked:
        return Banked(self._n, self.kinds, Bank(self.bank))


def _check_heads(heads: object, expected: Parameters, counts: Mapping[str, Any]) -> None:
    if not isinstance(heads, dict) or set(heads) != set(expected):
        raise StoreError(f"the state's heads of the bank are not {', '.join(expected)}")
    if not all(type(heads[name]) is int and heads[name] == counts[name] for name in _COUNTS):
        raise StoreError(f"the state's bank has not played the portfolio's {counts['rounds']} rounds")
    for name, fresh in expected.items():
        if name in _COUNTS:
            continue
        values = heads[name]
        if not isinstance(values, list) or len(values) != len(fresh) or not all(type(each) is float for each in values):
            raise StoreError(f"the state's {name} are not a number for each lane")
        if not all(abs(each) <= 2.0**127 and float(np.float32(each)) == each for each in values):
            raise StoreError(f"the state's {name} are not all numbers of float32")
        if not name.endswith(("bias_weight", "bias_lag")) and not all(each >= 0.0 for each in values):
            raise StoreError(f"found a {name} below 0")
        if name == "Winnow scale" and len(set(values)) > 1:
            raise StoreError("found lanes of Winnow with unlike scales: they share one")
        if name.startswith("Winnow bias") and not all(_WINNOW[0] <= each <= _WINNOW[1] for each in values):
            raise StoreError("found a bias weight that Winnow cannot reach")
        if name.endswith("bias_variance") and not all(_SMALLEST <= each <= 1.0 for each in values):
            raise StoreError("found a variance above 1")


def kind_told(i: int, told: Mapping[str, Any], n: int) -> LinearLearner:
    """The kind of a banked lane that a state tells of."""
    name, arguments = told["learner"], told["arguments"]
    try:
        kind = LEARNERS[name](**{**arguments, "n": 1})
    except (TypeError, ValueError) as error:
        raise StoreError(f"lane {i}: the state's arguments do not fit {name}: {error}") from error
    own = {**kind._arguments(), "n": n}
    if {key: repr(value) for key, value in own.items()} != {key: repr(value) for key, value in arguments.items()}:
        raise StoreError(f"lane {i}: the state's arguments are not {own!r}")
    if not _fits(kind):
        raise StoreError(f"lane {i}: found a {name} without heads, which does not fit a bank")
    return kind
