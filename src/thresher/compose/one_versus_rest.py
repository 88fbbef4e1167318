"""One learner of two labels for each class: it says whether an example is of its class, or of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import examples, memory
from thresher._core import Block
from thresher.busy import Busy
from thresher.class_labels import NO_CLASS, ClassLabel, ClassLabels
from thresher.class_rounds import ClassHypothesis, ClassPrediction, ClassRound, ClassRounds
from thresher.compose import binary, class_vote, one_versus_rest_state
from thresher.compose.binary import Binary
from thresher.compose.class_rows import ClassColumns, ClassRows
from thresher.compose.class_vote import Heard
from thresher.compose.given import one_row, one_weight, restated
from thresher.compose.one_versus_rest_state import Counts
from thresher.compose.shielded import Shielded
from thresher.errors import ExampleError, LabelError, LaneError, ParameterError
from thresher.experts.rule import LossRule
from thresher.linear import LinearLearner
from thresher.linear.learner import Parameters, example_weights

__all__ = ["OneVersusRest", "OneVersusRestHypothesis", "definition"]

_CHUNK = 4096


def definition(fresh: Binary, stream: Iterable[tuple[Any, ClassLabel]]) -> Iterator[ClassLabel | None]:
    """The learner as on the blackboard, made of one that is linear: yields what is said in each round."""
    learners: dict[ClassLabel, Binary] = {}
    for x, y in stream:
        scores = {label: learner.predict(x).score for label, learner in learners.items()}
        yield max(scores, key=lambda label: scores[label], default=None)
        learners.setdefault(y, copy(fresh))
        for label, learner in learners.items():
            learner.learn(x, +1 if label == y else -1)


class OneVersusRest:
    r"""A learner of many classes made of one learner of two labels: each class has a copy of it.

    A class's learner plays every round from the one in which the class first appears: +1 where the label is its class, −1
    elsewhere. The prediction is the class with the largest score among those that were seen before the round, the one that
    appeared first among equals, and None before any.

    - ``learner`` is fresh: a linear learner, or a portfolio of linear learners. It is copied, and never changes.
    - ``classes`` are known from the start; others may appear at any time, all str, all int or all bool.

    Of a **portfolio** each lane, over all classes, is a learner of many classes of its own: it says the class whose lane scores
    highest. A `master` of the portfolio's kind weighs the lanes by how often they said a wrong class, whatever the examples'
    weights, and the prediction is the class with the most weight of lanes; `score` is that weight.

    What it takes is what one learner takes, times the classes: time and memory, which is looked at before a class is added.

    Guarantee
    ---------
    Of linear learners of which the sign of the score is read: in a round in which none of the classes' learners errs, exactly
    one says +1, so that the prediction is right. After the round in which the last class appeared::

        mistakes ≤ the sum of the mistakes of the classes' learners

    and what a theorem says of each of them holds of its own rounds, in which it plays its class against the rest.

    Of a portfolio, on every stream, for every lane, with L the weight on lanes that say a wrong class, summed over the rounds::

        L ≤ the lane's mistakes + the master's regret         master.loss, master.losses, master.proven
        mistakes ≤ 2L

    because the class with the most weight is wrong only where the right one has at most half of it.

    >>> import thresher as th
    >>> learner = th.OneVersusRest(th.Perceptron(2))
    >>> rounds = learner.learn_many([[1, 0], [0, 1], [-1, -1]] * 3, ["oak", "fir", "yew"] * 3)
    >>> learner.classes, learner.mistakes, learner.predict([1, 0]).label
    (('oak', 'fir', 'yew'), 3, 'oak')
    >>> learner.predict_many([[0, 1], [-2, -1]]).tolist(), learner.learner("fir").weights.tolist()
    (['fir', 'yew'], [0.0, 2.0])
    """

    def __init__(self, learner: Binary, classes: Iterable[ClassLabel] = ()) -> None:
        fresh = copy(binary.checked(learner))
        if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
            raise ParameterError(f"found classes = {classes!r}, expected one label for each class, such as ['ham', 'spam']")
        labels = ClassLabels(classes)
        if no_room := _no_room(fresh, ClassLabels(), labels)[1]:
            raise LabelError(no_room)
        self._made(fresh, binary.master_of(fresh), labels, [copy(fresh) for _ in labels], (0, 0, 0))

    def _made(
        self, fresh: Binary, master: LossRule | None, labels: ClassLabels, learners: list[Binary], counts: Counts
    ) -> None:
        self._fresh, self._master, self._labels, self._learners = fresh, master, labels, learners
        self._rounds, self._mistakes, self._updates = counts
        self._busy = Busy()
        self._broken: LaneError | None = None

    # ---- what it has counted ----------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""
        return self._fresh.n

    @property
    def classes(self) -> tuple[ClassLabel, ...]:
        """The classes seen so far, in order of appearance."""
        return tuple(self._labels)

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self._rounds

    @property
    def mistakes(self) -> int:
        """In how many of them another class was predicted, or none."""
        return self._mistakes

    @property
    def updates(self) -> int:
        """In how many of them the learner of some class moved."""
        return self._updates

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the classes' learners, which must be linear: a fresh array, classes × n."""
        with self._reading():
            linear = [_linear(learner).weights for learner in self._learners]
        return np.array(linear).reshape(-1, self.n)

    @property
    def bias_weights(self) -> NDArray[np.float64]:
        """The weights of the classes' appended attributes, 0 where there is none: a fresh array, one a class."""
        with self._reading():
            return np.array([_linear(learner).bias_weight for learner in self._learners])

    @property
    def master(self) -> LossRule | None:
        """The rule that weighs a portfolio's lanes by how often each said a wrong class: a copy; None of a linear learner."""
        with self._reading():
            return copy(self._master)

    def learner(self, label: ClassLabel) -> Binary:
        """The learner of one class: a copy as it stands."""
        if (code := self._labels.code(label)) == NO_CLASS:
            raise LabelError(f"found the class {label!r}, expected one of those seen so far: {_listed(self._labels)}")
        with self._reading():
            return copy(self._learners[code])

    # ---- two verbs --------------------------------------------------------------------------------------------------

    def predict(self, x: object) -> ClassPrediction:
        """The class whose learner scores highest; None before there is one. Changes nothing."""
        block = self._row(x)
        try:
            with self._reading():
                codes, scores = class_vote.ask(self._heard(block), self._master)
        except ExampleError as error:
            raise restated(error, None, None) from error
        return ClassPrediction(self._labels[int(codes[0])], float(scores[0]))

    def learn(self, x: object, y: ClassLabel, weight: float = 1.0) -> ClassRound:
        """One whole round: predict, compare with the label y, and teach the learners of all classes.

        A refused example changes nothing. When labels come late, the prediction that counts is the one made here.
        """
        scale, block = one_weight(weight), self._row(x)
        with self._busy.writing():
            code = self._labels.code(y)
            codes, labels = self._labels.read([y], 1) if code == NO_CLASS else (np.array([code], np.int32), self._labels)
            rounds = self._learn(ClassRows(block, codes, labels, np.array([scale])), x, [y], one=True)
        said = ClassPrediction(rounds.classes[int(rounds.predictions[0])], float(rounds.scores[0]))
        return ClassRound(rounds.first, x, said, rounds.classes.at(int(rounds.labels[0])), bool(rounds.changed[0]), scale)

    # ---- many at once -----------------------------------------------------------------------------------------------

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> ClassRounds:
        """One round a row, in order: the same, bit for bit, as calling `learn` for each.

        X is a 2-D array or a SciPy sparse matrix, y holds the labels. A row that cannot be learned raises `ExampleError` with
        `.row`, its number, and `.rounds`, those before it; the learner is then as after them.
        """
        block, read = self._block(X)
        scales = example_weights(weights, len(block))
        with self._busy.writing():
            codes, labels, given = self._labels.read_given(y, len(block))
            return self._learn(ClassRows(block, codes, labels, scales), read, given)

    def predict_many(self, X: object) -> NDArray[Any]:
        """The classes predicted for many examples, one a row; None before there is one. Changes nothing."""
        codes = np.concatenate([class_vote.ask(heard, self._master)[0] for heard in self._chunks(X)])
        return self._labels.labels(codes)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The scores of many examples: rows × classes. Changes nothing.

        Of a portfolio they are the weights of the lanes that say each class.
        """
        if self._master is None:
            return self._table(X, lambda learner, block: binary.scores(learner, block)[:, 0])
        tables = [class_vote.shares(heard, self._master, len(self._learners)) for heard in self._chunks(X)]
        return np.concatenate(tables)

    def p_many(self, X: object) -> NDArray[np.float64]:
        """The chances of each class: rows × classes, each row with the sum 1. Changes nothing.

        They are the chances that the classes' learners give, `p_positive` of linear ones and `calibrated` of portfolios, over
        their sum; all are equal where that is 0. A learner without chances is refused.
        """
        if isinstance(self._fresh, LinearLearner):
            self._fresh.p_positive_many(np.empty((0, self.n)))  # says why it has none
        table = self._table(X, binary.chances)
        if not table.size:
            return table
        sums = table.sum(axis=1, keepdims=True)
        return np.where(sums > 0.0, table / np.where(sums > 0.0, sums, 1.0), 1.0 / table.shape[1])

    # ---- what it becomes --------------------------------------------------------------------------------------------

    def hypothesis(self) -> OneVersusRestHypothesis:
        """What it believes now, as a predictor that never changes."""
        return OneVersusRestHypothesis(self.__copy__())

    def state(self) -> tuple[Parameters, dict[str, NDArray[Any]]]:
        """Everything it is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        with self._reading():
            counts = (self._rounds, self._mistakes, self._updates)
            return one_versus_rest_state.state(self._fresh, self._master, self._labels, self._learners, counts)

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        learner = cls.__new__(cls)
        learner._made(*one_versus_rest_state.parts(parameters, arrays))
        return learner

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        with self._reading():
            twin = type(self).__new__(type(self))
            counts = (self._rounds, self._mistakes, self._updates)
            twin._made(self._fresh, copy(self._master), self._labels, [copy(learner) for learner in self._learners], counts)
            return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"<OneVersusRest of {len(self._labels)} classes, each {self._fresh!r}, after {self._rounds:,} rounds>"

    # ---- how ----------------------------------------------------------------------------------------------------------

    def _learn(self, rows: ClassRows, read: object, given: Any, *, one: bool = False) -> ClassRounds:
        """Rounds of these rows up to the first that cannot be learned, which is raised as an error."""
        self._check_whole()
        first, done, fault = self._rounds + 1, 0, None
        stop, refused = self._good(rows.codes, rows.labels, given)
        made = ClassColumns(len(rows.block))
        while done < stop and fault is None:
            played, fault = self._play(rows, slice(done, min(done + _CHUNK, stop)), made)
            done += played
        if fault is None and refused:
            fault = LabelError(refused)
        weights = None if rows.weights is None else rows.weights[:done]
        columns = made.codes[:done], rows.codes[:done], made.scores[:done], made.changed[:done]
        rounds = ClassRounds(first, read, self._labels, *columns, weights)
        if fault is not None:
            raise restated(fault, None, None) if one else restated(fault, done, rounds)
        return rounds

    def _good(self, codes: NDArray[np.int32], labels: ClassLabels, given: Any) -> tuple[int, str]:
        """How many rows there are before the first whose label is none, or a class for which there is no room; and why."""
        bad = np.flatnonzero(codes == NO_CLASS)
        stop, why = (int(bad[0]), "") if len(bad) else (len(codes), "")
        if len(bad):
            why = labels.first(self._seen(codes[:stop])).refused(given[stop])
        if len(labels) > len(self._labels):
            most, no_room = _no_room(self._fresh, self._labels, labels)
            if len(new := np.flatnonzero(codes[:stop] >= most)):
                stop, why = int(new[0]), no_room
        return stop, why

    def _play(self, given: ClassRows, part: slice, made: ClassColumns) -> tuple[int, ExampleError | None]:
        """Rounds of some rows with good labels, up to the first that cannot be learned: how many, and what is wrong with it.

        Learners refuse a row for what it holds and not for what they have learned, so the first of them finds it for all.
        """
        codes, known, last, fault = given.codes, len(self._learners), part.stop, None
        new = range(known, self._seen(codes[part]))
        begins = [part.start] * known + [part.start + int(np.argmax(codes[part] == code)) for code in new]
        learners = [*self._learners, *(copy(self._fresh) for _ in new)]
        heard = Heard(last - part.start, binary.lanes_of(self._fresh))
        with Shielded() as shield:  # Ctrl-C waits until all classes have learned the same rows
            try:
                for code, (learner, begin) in enumerate(zip(learners, begins, strict=True)):
                    if begin >= last:  # so do all that appear later
                        break
                    played = binary.learn(learner, *given.signs(code, slice(begin, last)))
                    if played.fault is not None:
                        last, fault = self._stopped(code, begin, played), played.fault
                    heard.hear(code, played.scores, begin - part.start, seen=code < known)
                    heard.move(played.changed, begin - part.start)
                rows, heard = slice(part.start, last), heard.first(last - part.start)
                made.codes[rows], made.scores[rows] = class_vote.teach(heard, codes[rows], self._master)
            except BaseException as error:  # no memory, or rows that another thread changes
                self._broken = LaneError(f"it broke off in round {self.rounds + 1}, and its classes are not in step any more")
                if isinstance(error, Exception):
                    raise self._broken from error
                raise  # it is not ours to swallow
            made.changed[rows] = heard.changed
            grown = self._seen(codes[rows])
            self._learners, self._labels = learners[:grown], given.labels.first(grown)
            self._rounds += last - part.start
            self._mistakes += int(np.count_nonzero(made.codes[rows] != codes[rows]))
            self._updates += int(np.count_nonzero(made.changed[rows]))
        shield.now()
        return last - part.start, fault

    @staticmethod
    def _stopped(code: int, begin: int, played: binary.Played) -> int:
        """The row at which the first learner stopped; that another one does cannot be."""
        if code > 0 and played.fault is not None:
            raise played.fault
        return begin + len(played.scores)

    def _seen(self, codes: NDArray[np.int32]) -> int:
        """How many classes there are after rows with these labels."""
        return max(len(self._labels), int(np.max(codes, initial=NO_CLASS)) + 1)

    def _row(self, x: object) -> Block:
        return one_row(x, self.n, self._fresh.rule.values)

    def _block(self, X: object) -> tuple[Block, Any]:
        block, read = examples.many(X, self.n)
        if block.n != self.n:
            raise ParameterError(f"found examples of {block.n} attributes, expected {self.n}")
        return block, read

    def _heard(self, block: Block) -> Heard:
        heard = Heard(len(block), binary.lanes_of(self._fresh))
        if not self._learners:
            binary.scores(self._fresh, block)  # refuses what they would refuse
        for code, learner in enumerate(self._learners):
            heard.hear(code, binary.scores(learner, block))
        return heard

    def _chunks(self, X: object) -> Iterator[Heard]:
        """What the lanes say of some rows after the other; one part at least."""
        block, _ = self._block(X)
        with self._reading():
            for at in range(0, max(len(block), 1), _CHUNK):
                try:
                    yield self._heard(block.rows(at, min(at + _CHUNK, len(block))))
                except ExampleError as error:
                    raise restated(error, at + (error.row or 0), None) from error

    def _table(self, X: object, of: Callable[[Binary, Block], NDArray[np.floating]]) -> NDArray[np.float64]:
        block, _ = self._block(X)
        with self._reading():
            of(self._fresh, block.rows(0, 0 if self._learners else len(block)))  # refuses what they would refuse
            table = np.empty((len(block), len(self._learners)))
            for code, learner in enumerate(self._learners):
                table[:, code] = of(learner, block)
        return table

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._busy.reading():
            self._check_whole()
            yield

    def _check_whole(self) -> None:
        if self._broken is not None:
            raise self._broken


class OneVersusRestHypothesis(ClassHypothesis):
    """What it believed at one moment. It predicts, and never changes.

    >>> import thresher as th
    >>> learner = th.OneVersusRest(th.AdaGrad(2), ["oak", "fir"])
    >>> frozen = learner.hypothesis()
    >>> _ = learner.learn([0, 1], "fir")
    >>> frozen.p_many([[0, 1]]).tolist(), learner.predict([0, 1]).label
    ([[0.5, 0.5]], 'fir')
    """

    def __init__(self, learner: OneVersusRest) -> None:
        super().__init__(learner)
        self._chances = learner.p_many

    def p_many(self, X: object) -> NDArray[np.float64]:
        """The chances of each class: rows × classes, each row with the sum 1."""
        return self._chances(X)


def _linear(learner: Binary) -> LinearLearner:
    if not isinstance(learner, LinearLearner):
        raise ParameterError(f"found {learner!r}, expected a linear learner: a portfolio has no weights of its own")
    return learner


def _no_room(fresh: Binary, known: ClassLabels, labels: ClassLabels) -> tuple[int, str]:
    """How many of these classes there can be beside those that are known, and why no more; nothing, if there can be all."""
    size, available = binary.bytes_of(fresh), memory.available_memory()
    most = len(labels) if available is None else len(known) + available // size
    if most >= len(labels):
        return len(labels), ""
    return most, (
        f"found the class {labels[most]!r}, whose learner needs {size:,} bytes beside those of {most:,} classes, "
        f"but {available:,} bytes are left for {most - len(known) + 1:,} new ones: "
        "expected fewer classes, a smaller n, or a learner that keeps less"
    )


def _listed(labels: ClassLabels) -> str:
    return ", ".join(repr(label) for label in labels) or "none yet"
