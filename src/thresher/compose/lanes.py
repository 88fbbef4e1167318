"""The lanes of a portfolio: learners side by side, each in its column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy, deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from thresher._core import Block
from thresher.bounds.printed import shown
from thresher.compose.banked import Banked, kind_of
from thresher.compose.called import Called, Said
from thresher.compose.foreign import Foreign
from thresher.compose.frozen import frozen
from thresher.errors import ExampleError, ParameterError
from thresher.linear import AROW, AdaGrad, Constant, Invariant, LinearLearner, PassiveAggressive, ScaledWinnow
from thresher.parameters import attributes, number_or_none
from thresher.protocol import Learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Lanes", "default_lanes", "name_of"]


def default_lanes(n: int, bias: float | None = None) -> list[LinearLearner]:
    """The lanes of a portfolio for which none were given: what docs/decisions/0006-portfolio.md measured.

    A large bias suits some streams and a small one others, so lanes have one of up to this size. All of them together take 16
    numbers a slot: one line of the cache.

    >>> [name_of(lane) for lane in default_lanes(10)][:3]
    ['Constant(label=-1)', 'Constant(label=1)', 'PassiveAggressive(C=1.0)']
    """
    bias = number_or_none("bias", bias)
    some, little, least = (None if bias is None else share * bias for share in (0.3, 0.1, 0.03))
    short, shorter, shortest = (1.0, 1.0, 1.0) if bias is not None else (0.3, 0.1, 0.03)
    return [
        Constant(n, -1),
        Constant(n, +1),
        PassiveAggressive(n, C=1.0, bias=bias),
        PassiveAggressive(n, C=short, bias=some),
        PassiveAggressive(n, C=shorter, bias=little),
        PassiveAggressive(n, C=shortest, bias=least),
        ScaledWinnow(n, factor=4.0, bias=bias),
        ScaledWinnow(n, factor=8.0, bias=bias),
        ScaledWinnow(n, times=4.0, factor=8.0, bias=bias),
        AROW(n, r=10.0, bias=bias),
        AROW(n, r=0.1, bias=least),
        AdaGrad(n, loss="hinge", rate=0.3, bias=bias),
        Invariant(n, rate=2.0, bias=bias),
    ]


def name_of(learner: object, bias: float | None = None) -> str:
    """A lane's name: its class and what it was made with, but for n, this bias and what is not there.

    >>> import thresher as th
    >>> name_of(th.AROW(100, r=0.1, bias=1.0), 1.0), name_of(th.Perceptron(100)), name_of("a learner of one's own")
    ('AROW(r=0.1)', 'Perceptron()', 'str')
    """
    if not isinstance(learner, LinearLearner):
        return type(learner).__name__
    given = {name: value for name, value in learner._arguments().items() if name != "n"}
    hidden = (None, False, "plus")
    told = [
        f"{name}={value!r}" for name, value in given.items() if value not in hidden and not (name == "bias" and value == bias)
    ]
    return f"{type(learner).__name__}({', '.join(told)})"


class Lanes:
    """Learners side by side, each in its column.

    Those that fit are lanes of the bank; other linear learners are called block by block, and foreign ones row by row.
    """

    def __init__(self, n: int, learners: object) -> None:
        self._made(attributes(n), _checked(attributes(n), learners), kind_of)

    @classmethod
    def of_kinds(cls, n: int, kinds: Sequence[LinearLearner]) -> Self:
        """Fresh lanes over n attributes, of the kinds of these learners, which have one attribute."""
        lanes = cls.__new__(cls)
        lanes._made(n, kinds, lambda kind: kind if kind_of(kind) is not None else None)
        return lanes

    @classmethod
    def over(cls, n: int, banked: Banked, called: dict[int, LinearLearner]) -> Self:
        """Lanes in this bank, and these learners themselves, by their columns."""
        lanes = cls.__new__(cls)
        others = iter(banked.kinds)
        members = [called[i] if i in called else next(others) for i in range(len(banked.kinds) + len(called))]
        lanes._name(n, members)
        lanes.banked, lanes.called, lanes.foreign = banked, Called(called.values()), []
        lanes._columns = [[i for i in range(len(members)) if i not in called], list(called)]
        return lanes

    def _made(self, n: int, members: Sequence[Any], kind: Callable[[LinearLearner], LinearLearner | None]) -> None:
        self._name(n, members)
        kinds = {i: kind(each) for i, each in enumerate(members) if isinstance(each, LinearLearner)}
        banked = {i: each for i, each in kinds.items() if each is not None}
        called = [i for i in kinds if i not in banked]
        self._columns = [list(banked), called]
        self.banked = Banked(n, [*banked.values()])
        self.called = Called(_whole(n, members[i]) for i in called)
        self.foreign = [Foreign(i, each) for i, each in enumerate(members) if i not in kinds]

    def _name(self, n: int, members: Sequence[Any]) -> None:
        self.n = n
        biases = [each.rule.bias for each in members if isinstance(each, LinearLearner) and each.rule.bias is not None]
        #: The largest bias of all lanes; None where none has one.
        self.bias = max(biases, key=abs, default=None)
        self.names = tuple(name_of(each, self.bias) for each in members)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def whole(self) -> bool:
        """Whether the bank holds all lanes."""
        return len(self.banked.kinds) == len(self)

    def kind(self, lane: int) -> LinearLearner | None:
        """A learner of the lane's kind, over one attribute; None for one that is foreign."""
        banked, called = self._places
        if lane in banked:
            return self.banked.kinds[banked[lane]]
        if lane not in called:
            return None
        found = self.called.members[called[lane]]
        return type(found)(**{**found._arguments(), "n": 1})

    def learner(self, lane: int, rounds: int, mistakes: int) -> Any:
        """A lane as a learner: a copy in float64, or the foreign one itself."""
        banked, called = self._places
        if lane in banked:
            return self.banked.learner(banked[lane], rounds, mistakes)
        if lane in called:
            return copy(self.called.members[called[lane]])
        return next(each.learner for each in self.foreign if each.lane == lane)

    @cached_property
    def _places(self) -> list[dict[int, int]]:
        """Where each lane stands in the bank, and where among those that are called."""
        return [{lane: k for k, lane in enumerate(column)} for column in self._columns]

    def columns(self) -> tuple[list[int], list[int]]:
        """The columns of the lanes of the bank, and of those that are called."""
        return self._columns[0], self._columns[1]

    def said(self, rows: int) -> Said:
        """Room for what they will say of so many rows."""
        return Said(rows, len(self), "float32" if self.whole else "float64")

    def learn_block(
        self,
        block: Block,
        codes: NDArray[np.int8] | memoryview,
        weights: NDArray[np.float64] | memoryview | None,
        said: Said,
    ) -> tuple[int, ExampleError | None]:
        """One round a row for all lanes that are not foreign, up to the first row that one cannot learn.

        Returns how many rows there were before it, and what is wrong with it.
        """
        fault = self.called.fault(block)
        rows = len(block) if fault is None or fault.row is None else fault.row
        part = block.rows(0, rows)
        given = codes[:rows], None if weights is None else weights[:rows]
        own = Said(rows, len(self._columns[0]), "float32")
        played, other = self.banked.learn_block(part, *given, own.changed, says=own.says, scores=own.scores)
        if other is not None:
            part, rows, fault = block.rows(0, played), played, other
            given = codes[:rows], None if weights is None else weights[:rows]
        said.place(self._columns[0], own, rows)
        own = Said(rows, len(self._columns[1]))
        self.called.learn_block(part, *given, own)
        said.place(self._columns[1], own, rows)
        return rows, fault

    def fault(self, block: Block) -> ExampleError | None:
        """What is wrong with the first row that a lane that is not foreign cannot learn."""
        return self.called.fault(block) or self.banked.fault(block)

    def score_block(self, block: Block, said: Said) -> None:
        """What all lanes but foreign ones say of each row."""
        if self.whole:
            return self.banked.score_block(block, said)
        own = Said(len(block), len(self._columns[0]), "float32")
        self.banked.score_block(block, own)
        said.place(self._columns[0], own, len(block))
        own = Said(len(block), len(self._columns[1]))
        self.called.score_block(block, own)
        said.place(self._columns[1], own, len(block))
        return None

    def ask_foreign(self, x: object, said: Said, row: int) -> None:
        """What foreign lanes say of one example."""
        says, scores, _ = said.arrays()
        for lane in self.foreign:
            made = lane.predict(x)
            says[row, lane.lane], scores[row, lane.lane] = made.label, made.score

    def teach_foreign(self, x: object, y: int, weight: float, said: Said) -> None:
        """Foreign lanes learn one example."""
        for lane in self.foreign:
            said.changed[0] |= lane.learn(x, y, weight)

    def __copy__(self) -> Lanes:
        """Lanes that go their own way. Foreign ones are copied as deep as they can be."""
        return self._twin(deepcopy)

    def frozen(self) -> Lanes:
        """Lanes that will never learn again."""
        return self._twin(frozen)

    def _twin(self, copied: Callable[[Any], Any]) -> Lanes:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.banked, twin.called = copy(self.banked), copy(self.called)
        twin.foreign = [lane.twin(copied) for lane in self.foreign]
        return twin


def _whole(n: int, learner: LinearLearner) -> LinearLearner:
    """A copy of a learner over n attributes; a fresh one of its kind over n where it has one attribute alone."""
    return copy(learner) if learner.n == n else type(learner)(**{**learner._arguments(), "n": n})


def _checked(n: int, learners: object) -> list[Any]:
    """The learners, each of them one, all with n attributes."""
    if not isinstance(learners, Iterable) or isinstance(learners, str | bytes):
        raise ParameterError(f"found learners = {shown(learners)}, expected a sequence of learners")
    members = list(learners)
    if not members:
        raise ParameterError("found no learners, expected one at least")
    for i, each in enumerate(members):
        if isinstance(each, type) or not isinstance(each, Learner):
            raise ParameterError(f"found {shown(each)} as lane {i}, expected a learner, which predicts and learns")
    known = [(i, each.n) for i, each in enumerate(members) if hasattr(each, "n")]
    for i, own in known:
        if own != n:
            other = next((f"lane {k} ({name_of(members[k])})" for k, its in known if its == n), "the portfolio")
            raise ParameterError(
                f"found n = {shown(own)} in lane {i} ({name_of(members[i])}) and n = {n} in {other}, expected the same in all"
            )
    others = [id(each) for each in members if not isinstance(each, LinearLearner)]
    if len(set(others)) < len(others):
        raise ParameterError("found one learner of your own in two lanes, expected each once: it would learn every round twice")
    return members
