"""The lanes of a portfolio: learners that play the same rounds side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher._core import Block, Prediction, Round
from thresher.bounds.printed import shown
from thresher.compose.frozen import Predictor, frozen
from thresher.errors import ExampleError, LaneError, ParameterError
from thresher.linear import (
    AROW,
    AdaGrad,
    AveragedPerceptron,
    Invariant,
    LinearLearner,
    PassiveAggressive,
    Perceptron,
)
from thresher.parameters import attributes
from thresher.protocol import Label, Learner

__all__ = ["Called", "Constant", "Foreign", "Lanes", "Said", "default_lanes", "name_of"]


def default_lanes(n: int, bias: float | None = None) -> list[LinearLearner | Constant]:
    """The lanes of a portfolio for which none were given, all of them with this bias.

    >>> [name_of(lane) for lane in default_lanes(10)][:2]
    ['Constant(label=-1)', 'Constant(label=+1)']
    """
    return [
        Constant(n, -1),
        Constant(n, +1),
        Perceptron(n, bias=bias),
        Perceptron(n, bias=bias, normalize=bias is not None),
        AveragedPerceptron(n, bias=bias),
        PassiveAggressive(n, C=1.0, bias=bias),
        PassiveAggressive(n, C=0.1, bias=bias),
        AROW(n, r=1.0, bias=bias),
        AROW(n, r=0.1, bias=bias),
        AdaGrad(n, loss="hinge", bias=bias),
        AdaGrad(n, loss="logistic", bias=bias),
        Invariant(n, bias=bias),
    ]


class Constant:
    """Says the same label whatever comes. With both of them a portfolio is provably close to the more frequent label.

    >>> always = Constant(3, +1)
    >>> always.predict([1, 0, 0]).label, always.learn([1, 0, 0], -1).mistake
    (1, True)
    """

    def __init__(self, n: int, label: int) -> None:
        self.n = attributes(n)
        if label not in (-1, 1):
            raise ParameterError(f"found label = {shown(label)}, expected -1 or +1")
        self.label = int(label)
        self.rounds = 0

    def predict(self, _x: object, /) -> Prediction:
        """Its label, with a score of as much."""
        return Prediction(self.label, float(self.label))

    def learn(self, x: object, y: Label, /, weight: float = 1.0) -> Round:
        """One round, from which it learns nothing."""
        played = Round(self.rounds + 1, x, self.predict(x), y, changed=False, weight=weight)
        self.rounds += 1
        return played

    def _arguments(self) -> dict[str, Any]:
        return {"n": self.n, "label": self.label}

    def __repr__(self) -> str:
        return f"Constant(n={self.n}, label={self.label:+d})"


def name_of(learner: object) -> str:
    """A lane's name: its class and what it was made with, but for n, the bias and what is not there.

    >>> import thresher as th
    >>> name_of(th.AROW(100, r=0.1, bias=1.0)), name_of(th.Perceptron(100)), name_of("a learner of one's own")
    ('AROW(r=0.1)', 'Perceptron()', 'str')
    """
    if isinstance(learner, Constant):
        return f"Constant(label={learner.label:+d})"
    if not isinstance(learner, LinearLearner):
        return type(learner).__name__
    given = {name: value for name, value in learner._arguments().items() if name not in ("n", "bias")}
    told = [f"{name}={value!r}" for name, value in given.items() if value not in (None, False, "plus")]
    return f"{type(learner).__name__}({', '.join(told)})"


class Said:
    """What lanes said of some rows: labels and scores, a column a lane, and whether one moved."""

    def __init__(self, rows: int, lanes: int) -> None:
        self.says = np.empty((rows, lanes), np.int8)
        self.scores = np.empty((rows, lanes), np.float64)
        self.changed = np.zeros(rows, np.bool_)

    def part(self, rows: int) -> Said:
        """The first rows of it, in the same memory."""
        part = Said(0, 0)
        part.says, part.scores, part.changed = self.says[:rows], self.scores[:rows], self.changed[:rows]
        return part


class Called:
    """Lanes that are called one after the other: linear learners, a block of rows at once, and constants.

    It has the methods of a bank of the core, and its promises: a row that one lane cannot learn no lane learns.
    """

    def __init__(self, n: int, members: Iterable[LinearLearner | Constant]) -> None:
        self._n = n
        self.members = list(members)
        linear = [each for each in self.members if isinstance(each, LinearLearner)]
        # What a lane refuses depends on what its rule says of values and of zero vectors: one lane of each kind tells it.
        kinds = {(each.rule.values, each.rule.normalize and each.rule.bias is None): each for each in linear}
        self._outside = None if kinds else Perceptron(n)
        self._gates = [*kinds.values()] if self._outside is None else [self._outside]
        self._zero = [each._state()[1]["negative"] == 0 for each in linear]

    def fault(self, block: Block) -> ExampleError | None:
        """What is wrong with the first row that some lane cannot learn, if there is one."""
        first: ExampleError | None = None
        for gate in self._gates:
            try:
                gate._score_block(block)
            except ExampleError as error:
                if error.row is not None and (first is None or first.row is None or error.row < first.row):
                    first = error
        return first

    def learn_block(self, block: Block, codes: NDArray[np.int8], weights: NDArray[np.float64] | None, said: Said) -> None:
        """One round a row for all lanes; the rows have no fault. What they say and whether one moved is written."""
        spelled = np.where(codes > 0, codes, np.int8(-1)), np.where(codes > 0, codes, np.int8(0))
        zero = iter(self._zero)
        for i, lane in enumerate(self.members):
            if isinstance(lane, Constant):
                said.says[:, i] = said.scores[:, i] = lane.label
                lane.rounds += len(block)
                continue
            own = spelled[next(zero)]  # a lane that has learned before has spelled its negative label before
            played = lane._learn_block(block, own, weights, block, own)
            said.says[:, i], said.scores[:, i] = played.predictions, played.scores
            said.changed |= played.changed

    def score_block(self, block: Block, said: Said) -> None:
        """What the lanes say of each row is written; nothing is learned."""
        if self._outside is not None:
            self._outside._score_block(block)  # raises for rows that nobody may learn
        for i, lane in enumerate(self.members):
            if isinstance(lane, Constant):
                said.says[:, i] = said.scores[:, i] = lane.label
            else:
                made = lane._score_block(block)
                said.says[:, i], said.scores[:, i] = lane._predictions(made), made

    def __copy__(self) -> Called:
        return Called(self._n, [copy(each) for each in self.members])


class Foreign:
    """A learner of one's own as a lane, by reference: it is asked and told row by row, and may break."""

    def __init__(self, lane: int, learner: Predictor[Any]) -> None:
        self.lane = lane
        self.learner = learner
        self.name = name_of(learner)

    def _broke(self, did: str, error: object) -> LaneError:
        return LaneError(f"lane {self.lane} ({self.name}) broke while it {did}: {error}", lane=self.lane)

    def predict(self, x: object) -> Prediction:
        """What it says of x. An `ExampleError` of its own is the example's fault, and anything else the lane's."""
        try:
            said = self.learner.predict(x)
        except ExampleError:
            raise
        except Exception as error:
            raise self._broke("predicted", f"{type(error).__name__}: {error}") from error
        if not isinstance(said, Prediction):
            raise self._broke("predicted", f"found {shown(said)}, expected a Prediction")
        return said

    def learn(self, x: object, y: int, weight: float) -> bool:
        """It learns; whether it changed."""
        if not isinstance(self.learner, Learner):
            raise self._broke("learned", f"found {shown(self.learner)}, which cannot learn")
        try:
            played = self.learner.learn(x, y, weight)
        except Exception as error:
            raise self._broke("learned", f"{type(error).__name__}: {error}") from error
        if not isinstance(played, Round):
            raise self._broke("learned", f"found {shown(played)}, expected a Round")
        return played.changed

    def twin(self, copied: Callable[[Any], Any]) -> Foreign:
        """A lane with a copy of the learner."""
        try:
            return Foreign(self.lane, copied(self.learner))
        except ParameterError:
            raise
        except Exception as error:
            raise ParameterError(f"lane {self.lane} ({self.name}) cannot be copied: {error}") from error


class Lanes:
    """Learners side by side, each in its column: those that the core calls block by block, and foreign ones row by row."""

    def __init__(self, n: int, learners: object) -> None:
        self.n = attributes(n)
        members = _checked(self.n, default_lanes(self.n) if learners is None else learners)
        self.names = tuple(name_of(each) for each in members)
        self.members = [copy(each) if isinstance(each, LinearLearner | Constant) else each for each in members]
        self._split()

    @classmethod
    def over(cls, n: int, members: list[LinearLearner | Constant]) -> Self:
        """Lanes that are these learners themselves."""
        lanes = cls.__new__(cls)
        lanes.n, lanes.members, lanes.names = n, list(members), tuple(name_of(each) for each in members)
        lanes._split()
        return lanes

    def _split(self) -> None:
        own = [each for each in self.members if isinstance(each, LinearLearner | Constant)]
        self.columns = [i for i, each in enumerate(self.members) if isinstance(each, LinearLearner | Constant)]
        self.called = Called(self.n, own)
        self.foreign = [
            Foreign(i, each) for i, each in enumerate(self.members) if not isinstance(each, LinearLearner | Constant)
        ]

    def __len__(self) -> int:
        return len(self.members)

    @property
    def bias(self) -> float | None:
        """What all linear lanes have for a bias; None where they do not agree."""
        found = {each.rule.bias for each in self.called.members if isinstance(each, LinearLearner)}
        return found.pop() if len(found) == 1 else None

    def said(self, rows: int) -> Said:
        """Room for what they will say of so many rows."""
        return Said(rows, len(self))

    def learn_block(
        self, block: Block, codes: NDArray[np.int8], weights: NDArray[np.float64] | None, said: Said
    ) -> tuple[int, ExampleError | None]:
        """One round a row for all lanes that are not foreign, up to the first row that one cannot learn.

        Returns how many rows there were before it, and what is wrong with it.
        """
        fault = self.called.fault(block)
        rows = len(block) if fault is None or fault.row is None else fault.row
        part = block if rows == len(block) else block.rows(0, rows)
        own = said.part(rows) if not self.foreign else Said(rows, len(self.columns))
        self.called.learn_block(part, codes[:rows], None if weights is None else weights[:rows], own)
        if self.foreign:
            said.says[:rows, self.columns], said.scores[:rows, self.columns] = own.says, own.scores
            said.changed[:rows] |= own.changed
        return rows, fault

    def fault(self, block: Block) -> ExampleError | None:
        """What is wrong with the first row that a lane that is not foreign cannot learn."""
        return self.called.fault(block)

    def score_block(self, block: Block, said: Said) -> None:
        """What all lanes but foreign ones say of each row."""
        if not self.foreign:
            return self.called.score_block(block, said)
        own = Said(len(block), len(self.columns))
        self.called.score_block(block, own)
        said.says[:, self.columns], said.scores[:, self.columns] = own.says, own.scores
        return None

    def ask_foreign(self, x: object, said: Said, row: int) -> None:
        """What foreign lanes say of one example."""
        for lane in self.foreign:
            made = lane.predict(x)
            said.says[row, lane.lane], said.scores[row, lane.lane] = made.label, made.score

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
        twin.called = copy(self.called)
        twin.foreign = [lane.twin(copied) for lane in self.foreign]
        own, others = iter(twin.called.members), iter(twin.foreign)
        twin.members = [
            next(own) if isinstance(each, LinearLearner | Constant) else next(others).learner for each in self.members
        ]
        return twin


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
    if len({id(each) for each in members if not isinstance(each, LinearLearner | Constant)}) < sum(
        not isinstance(each, LinearLearner | Constant) for each in members
    ):
        raise ParameterError("found one learner of your own in two lanes, expected each once: it would learn every round twice")
    return members
