"""A portfolio: many learners in one pass, and a vote that is provably close to the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from thresher import examples, labels
from thresher._core import (
    Block,
    Prediction,
    Round,
    Rounds,
    Vote,
    label_code,
    one_block,
    room,
    voted_round,
)
from thresher.bounds.printed import shown
from thresher.busy import Busy
from thresher.compose import portfolio_state
from thresher.compose.counted import Columns, Counted, Rows
from thresher.compose.given import one_weight, restated
from thresher.compose.lanes import Lanes, default_lanes
from thresher.compose.shielded import Shielded
from thresher.errors import ExampleError, LaneError, ParameterError
from thresher.experts import AdaHedge
from thresher.experts.rule import LossRule, Parameters
from thresher.linear import LinearLearner
from thresher.linear.learner import example_weights, in_memory
from thresher.parameters import attributes, number
from thresher.protocol import Label, Learner

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from thresher._core import Drawn

__all__ = ["Portfolio", "PortfolioHypothesis", "definition"]

_CHUNK = 65536  # rows of which it is kept what each lane says
_MORE = 2**18  # rows of which it is not: Ctrl-C waits for as many
_LEAST_COST, _MOST_COST = 2.0**-100, 2.0**100


def definition(
    lanes: Sequence[Learner[Any]], stream: Iterable[tuple[Any, int]], weigh: Callable[[list[float]], list[float]]
) -> Iterator[tuple[float, int]]:
    """The portfolio as on the blackboard: yields the weight that says +1 and the vote; `weigh` makes weights of losses."""
    w = [1 / len(lanes)] * len(lanes)
    for x, y in stream:
        said = [lane.predict(x).label for lane in lanes]
        p = sum(weight for weight, label in zip(w, said, strict=True) if label == +1)
        yield p, +1 if p >= 1 / 2 else -1
        w = weigh([float(label != y) for label in said])
        for lane in lanes:
            lane.learn(x, y)


class Portfolio(Counted):
    r"""Many learners over n attributes, its lanes, in one pass; it says what the weight of most of them says.

    In each round every lane predicts. p is the weight of those that say +1, and the vote is +1 where p ≥ 1/2. Then the label
    comes, each lane that was wrong loses 1, a rule for losses, the master, weighs the lanes anew, and every lane learns.

    - ``learners`` are the lanes: linear learners, which are copied, or learners of your own with `predict` and `learn`, which
      are held by reference: whoever else teaches them spoils the portfolio. Fresh linear learners of most rules become lanes
      of a bank: they lie side by side in float32, and are played in one sweep for the price of a few. None means
      `thresher.compose.default_lanes`, which need no tuning.
    - ``bias`` is that of the default lanes; learners that were given have their own.
    - ``master`` is a fresh rule for losses over as many experts as there are lanes: `th.AdaHedge` unless one is given,
      `th.FixedShare` where the best lane may change.
    - ``cost_positive`` is what a missed positive example costs; a missed negative one costs 1. What a round costs is that times
      the example's weight; lanes learn the example with this weight, and the vote's loss is counted in it.

    Where there are several processors, parts of a bank learn at the same time, with the same bits: `compose.use_threads`.

    `score` is the mean of the lanes' scores by weight, each in units of its mean size so far (and at most 16 of them); the
    units are taken anew after each of the first 64 rounds, and then every 64 rounds.
    `calibrated` turns it into a probability 1/(1 + e^−(az + b)), where a and b follow the log loss as rounds come, so that the
    probability of a round is made before its label (Platt 2000, online).

    Guarantee
    ---------
    On every stream, for every lane, with L the weight on wrong lanes, summed over the rounds::

        L ≤ the lane's mistakes + the master's regret         th.bounds.portfolio_loss
        mistakes ≤ 2L                                         th.bounds.portfolio_mistakes

    `proven` bounds the regret; a `th.Ledger(th.BestLane())` adds what rounding may cost, and checks both. With weights or costs
    they are about the weighted loss and the weighted mistakes.

    >>> import thresher as th
    >>> portfolio = th.Portfolio(3, [th.Perceptron(3), th.AROW(3)])
    >>> rounds = portfolio.learn_many([[1, 0, 1], [0, 1, 1], [1, 1, 0]] * 50, [+1, -1, +1] * 50)
    >>> portfolio.mistakes, portfolio.lanes, portfolio.lane_mistakes.tolist()
    (2, ('Perceptron()', 'AROW(r=1.0)'), [2, 2])
    >>> portfolio.predict([1, 0, 1]).label, portfolio.regret <= portfolio.proven.value
    (1, True)
    """

    def __init__(
        self,
        n: int,
        learners: Sequence[Learner[Any]] | None = None,
        master: LossRule | None = None,
        *,
        cost_positive: float = 1.0,
        bias: float | None = None,
    ) -> None:
        if learners is not None and bias is not None:
            raise ParameterError(f"found bias = {shown(bias)} beside learners, which have their own: leave it out")
        lanes = Lanes(n, learners) if learners is not None else Lanes.of_kinds(attributes(n), default_lanes(1, bias))
        rule = _master(master, len(lanes))
        self._made(lanes, rule, Vote(len(lanes), *rule._core_rule, _cost(cost_positive)))

    def _made(self, lanes: Lanes, master: LossRule, vote: Vote) -> None:
        self._count(lanes, master, vote)
        self._busy = Busy()
        self._broken: LaneError | None = None

    # ---- two verbs --------------------------------------------------------------------------------------------------

    def predict(self, x: object) -> Prediction:
        """What the lanes say of one example by vote; `p_positive` is the weight of those that say +1. Changes nothing."""
        made = self._ask_one(x)
        return Prediction(made.predictions[0], made.scores[0], made.shares[0])

    def calibrated(self, x: object) -> float:
        """The calibrated probability that one example is positive. Changes nothing."""
        return self._ask_one(x).chances[0]

    def learn(self, x: object, y: Label, weight: float = 1.0) -> Round:
        """One whole round: all lanes predict and vote, and the label y teaches them all. A refused example changes nothing.

        `weight` is the example's; at 0 no lane moves, though the round is counted. When labels come late, the prediction that
        counts is the one made here, not one that was served earlier.
        """
        code, scale = np.array([label_code(y)], np.int8), one_weight(weight)
        weights = None if scale == 1.0 else np.array([scale])
        if self._vote._check(code, None) == 0:
            self._vote._refuse(int(code[0]), 1.0, y, None, None)
        block = one_block(x, self.n)
        with self._busy.writing():
            self._check_whole()
            t, before, wrong = self.rounds + 1, self._vote.history, self._counts()[0]
            if self._vote._check(code, weights) == 0:
                self._vote._refuse(int(code[0]), scale, y, None, None)
            made = Columns(1)
            _, fault = self._play(Rows(block, code, weights, lambda _: x), made, 0)
            if fault is not None:
                raise restated(fault, None, None)
            self._vote._collide(block.collisions)
            said = Prediction(made.predictions[0], made.scores[0], made.shares[0])
            moved, loss = bool(made.moved[0]), made.losses[0]
            chance, history, standing = made.chances[0], (before, self._vote.history), self._standing(wrong)
            return voted_round(t, x, block, scale, self._rule, history, said, int(code[0]), moved, loss, chance, standing)

    # ---- many at once -----------------------------------------------------------------------------------------------

    def learn_many(self, X: object, y: object, weights: ArrayLike | None = None) -> Rounds:
        """One round a row, in order: the same, bit for bit, as calling `learn` for each.

        X is a 2-D array or a SciPy sparse matrix, y holds the labels. A row that cannot be learned raises `ExampleError` with
        `.row`, its number, and `.rounds`, those before it; the portfolio is then as after them. X must not change until the
        rounds are in a ledger.
        """
        block, read = examples.many(X, self.n)
        codes, given = labels.codes(y, len(block))
        rows = Rows(block, codes, example_weights(weights, len(block)), lambda row: read[row])
        return self._learn(rows, rows, read, given)[0]

    def _learn_beside(
        self, X: Block, y: object, weights: ArrayLike | None, among: Block, held: NDArray[np.bool_]
    ) -> tuple[Rounds, Columns]:
        """The same for rows that come among others, which are held out; and what it said of those, each as it came."""
        if not self._lanes.whole:
            raise ParameterError(f"found {self!r} with lanes apart, expected all lanes in the bank")
        codes, given = labels.codes(y, len(X))
        rows = Rows(X, codes, example_weights(weights, len(X)), X.__getitem__)
        played, made = self._learn(rows, rows.among(among, held), X, given)
        return played, made.of(held)

    def _learn(self, rows: Rows, among: Rows, read: object, given: labels.Given) -> tuple[Rounds, Columns]:
        """The rounds with these rows, where `among` are all that come, and what came of all."""
        codes, scales = rows.codes, rows.weights
        if among.block.n != self.n:
            raise ParameterError(f"found examples of {among.block.n} attributes, expected {self.n}")
        with self._busy.writing():
            self._check_whole()
            first, before, wrong, done, stop = self.rounds + 1, self._vote.history, self._counts()[0], 0, len(among.block)
            made, fault, refused = Columns(stop), None, False
            chunk = 1 if self._lanes.foreign else _MORE if self._lanes.whole else _CHUNK
            while done < stop and fault is None and not refused:
                part = among.part(done, min(done + chunk, stop))
                good = self._vote._check(part.codes, part.weights)
                refused = good < len(part.block)
                played, fault = self._play(part.part(0, good) if refused else part, made, done)
                done += played
            own = made.of(slice(done) if among.held is None else np.flatnonzero(~among.held[:done]))
            rounds = own.rounds(first, read, rows, self._rule, (before, self._vote.history), standing=self._standing(wrong))
            learned = len(rounds)
            if fault is not None:
                raise restated(fault, learned, rounds)
            if refused:
                weight = 1.0 if scales is None else float(scales[learned])
                self._vote._refuse(int(codes[learned]), weight, given[learned], learned, rounds)
            self._vote._collide(rows.block.collisions)
            return rounds, made

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """The labels that the lanes vote for, for many examples, one a row. Changes nothing."""
        return np.asarray(self._ask(X).predictions)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The combined scores of many examples, one a row. Changes nothing."""
        return np.asarray(self._ask(X).scores)

    def p_positive_many(self, X: object) -> NDArray[np.float64]:
        """The weight of the lanes that say +1, one for each example; `calibrated_many` gives probabilities. Changes nothing."""
        return np.asarray(self._ask(X).shares)

    def calibrated_many(self, X: object) -> NDArray[np.float64]:
        """The calibrated probabilities that examples are positive, one a row. Changes nothing."""
        return np.asarray(self._ask(X).chances)

    # ---- what it becomes --------------------------------------------------------------------------------------------

    def hypothesis(self) -> PortfolioHypothesis:
        """What it believes now, as a predictor that never changes."""
        with self._busy.reading():
            self._check_whole()
            return PortfolioHypothesis(self._twin(self._lanes.frozen()))

    def state(self) -> tuple[Parameters, dict[str, NDArray[Any]]]:
        """Everything the portfolio is: parameters that JSON can hold, and arrays. `from_state` makes it again."""
        with self._busy.reading():
            self._check_whole()
            return portfolio_state.state(self._lanes, self._master, self._vote)

    def _bytes(self) -> tuple[Parameters, dict[str, memoryview | Drawn]]:
        """The same for a file."""
        with self._busy.reading():
            self._check_whole()
            return portfolio_state.written(self._lanes, self._master, self._vote)

    def _told(self) -> Parameters:
        """The parameters of its state."""
        with self._busy.reading():
            self._check_whole()
            return portfolio_state.told(self._lanes, self._master, self._vote)

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The portfolio whose `state()` this is. It goes on as if it had never stopped, bit for bit."""
        portfolio = cls.__new__(cls)
        portfolio._made(*portfolio_state.parts(parameters, in_memory(arrays)))
        return portfolio

    def learner(self, lane: int) -> Any:
        """A lane as a learner of its own: a copy as it stands, in float64; one of your own is itself."""
        with self._busy.reading():
            return self._lanes.learner(range(len(self.lanes))[lane], self.rounds, self._counts()[0][lane])

    def fresh_learner(self, lane: int, n: int | None = None) -> LinearLearner | None:
        """A learner as the lane was before its first round, in float64; None for one of your own."""
        kind = self._lanes.kind(range(len(self.lanes))[lane])
        return None if kind is None else type(kind)(**{**kind._arguments(), "n": self.n if n is None else n})

    def fresh(self) -> Self:
        """The same portfolio before its first round; its lanes must be linear learners."""
        kinds = [self.fresh_learner(lane, 1) for lane in range(len(self.lanes))]
        given = [kind for kind in kinds if kind is not None]
        if len(given) < len(kinds):
            raise ParameterError("found a learner of your own among the lanes, expected linear learners alone")
        master = type(self._master)(**self._master._arguments())
        return type(self).of_kinds(self.n, given, master, cost_positive=self.cost_positive)

    @classmethod
    def of_kinds(cls, n: int, kinds: Sequence[LinearLearner], master: LossRule, *, cost_positive: float = 1.0) -> Self:
        """A portfolio over n attributes of lanes that are like these learners, which have one: no other memory is taken."""
        portfolio, lanes = cls.__new__(cls), Lanes.of_kinds(n, kinds)
        portfolio._made(lanes, _master(master, len(lanes)), Vote(len(lanes), *master._core_rule, _cost(cost_positive)))
        return portfolio

    def _twin(self, lanes: Lanes) -> Self:
        twin = type(self).__new__(type(self))
        twin._made(lanes, self._master, Vote(self._vote))
        return twin

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

    def __copy__(self) -> Self:
        with self._busy.reading():
            self._check_whole()
            return self._twin(copy(self._lanes))

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"<Portfolio of {len(self.lanes)} lanes over n = {self.n} under {self._master!r}, after {self.rounds:,} rounds>"

    # ---- how ----------------------------------------------------------------------------------------------------------

    def _play(self, rows: Rows, made: Columns, at: int) -> tuple[int, ExampleError | None]:
        """Rounds that are written to the columns from `at` on, up to a row that has a fault: how many, and the fault."""
        block, codes, weights, example, _ = rows
        costs = self._vote._costs(codes, weights)
        said = self._lanes.said(0 if self._lanes.whole else len(block))
        begun = foreign = bool(self._lanes.foreign) and len(block) == 1
        if foreign:
            if (fault := self._lanes.fault(block)) is not None:
                return 0, fault
            x = example(at)
            try:
                self._lanes.ask_foreign(x, said, 0)
            except ExampleError as error:
                return 0, error
            except LaneError as error:
                self._broken = error
                raise
        try:
            if foreign:
                self._lanes.teach_foreign(x, +1 if codes[0] > 0 else -1, 1.0 if costs is None else costs[0], said)
            with Shielded() as shield:  # Ctrl-C waits for the vote: without it lanes would be ahead of their weights
                begun = True
                if self._lanes.whole:
                    played, fault = self._hear(rows, costs, made, at)
                else:
                    played, fault = self._lanes.learn_block(block, codes, costs, said)
                    if foreign and fault is not None:  # it had none before foreign lanes learned it
                        raise LaneError(f"a learner of your own has changed an example while it learned: {fault}") from fault
                    says, scores, moved = said.first(played)
                    own = None if weights is None else weights[:played]
                    self._vote._learn_block(says, scores, codes[:played], own, moved, *made.room(at, played))
                    made.moved[at : at + played] = moved
                    made.keep_scores(at, scores)
        except LaneError as error:
            self._broken = error
            raise
        except BaseException:  # an interrupt of a foreign lane, or no memory: some lanes are ahead of others
            if begun:
                told = f"it was interrupted in round {self.rounds + 1}, and its lanes are not in step any more"
                self._broken = LaneError(told)
            raise
        shield.now()
        return played, fault

    def _hear(self, rows: Rows, costs: memoryview | None, made: Columns, at: int) -> tuple[int, ExampleError | None]:
        """The same where the bank holds all lanes: the vote hears what they say of some rows while they play the next."""
        block, codes, weights, _, held = rows
        moved = made.moved[at : at + len(block)]
        scores = None if made.lane_scores is None else room("float32", len(block), len(self.lanes))
        ear = self._vote._ear(codes, weights, moved, *made.room(at, len(block)), held)
        played, fault = self._lanes.banked.learn_block(block, codes, costs, moved, scores=scores, ear=ear, held=held)
        if scores is not None:
            made.keep_scores(at, np.asarray(scores)[:played].data)
        return played, fault

    def _ask(self, X: object) -> Columns:
        block, read = examples.many(X, self.n)
        return self._asked(block, lambda row: read[row])

    def _ask_one(self, x: object) -> Columns:
        try:
            return self._asked(one_block(x, self.n), lambda _: x)
        except ExampleError as error:
            raise restated(error, None, None) from error

    def _asked(self, block: Block, example: Callable[[int], object]) -> Columns:
        if block.n != self.n:
            raise ParameterError(f"found examples of {block.n} attributes, expected {self.n}")
        made = Columns(len(block))
        with self._busy.reading():
            self._check_whole()
            for at in range(0, len(block), _CHUNK):
                part = block.rows(at, min(at + _CHUNK, len(block)))
                said, to = self._lanes.said(len(part)), slice(at, at + len(part))
                try:
                    self._lanes.score_block(part, said)
                except ExampleError as error:
                    raise restated(error, at + (error.row or 0), None) from error
                for row in range(len(part) if self._lanes.foreign else 0):
                    try:
                        self._lanes.ask_foreign(example(at + row), said, row)
                    except ExampleError as error:
                        raise restated(error, at + row, None) from error
                columns = made.predictions[to], made.scores[to], made.shares[to], made.chances[to]
                self._vote._score_block(said.says, said.scores, *columns)
        return made

    def _check_whole(self) -> None:
        if self._broken is not None:
            raise self._broken


class PortfolioHypothesis:
    """A portfolio's belief at one moment. It predicts, and never changes.

    >>> import thresher as th
    >>> portfolio = th.Portfolio(2, [th.Perceptron(2)])
    >>> frozen = portfolio.hypothesis()
    >>> _ = portfolio.learn([0, 1], -1)
    >>> frozen.predict([0, 1]).label, portfolio.predict([0, 1]).label
    (1, -1)
    """

    def __init__(self, portfolio: Portfolio) -> None:
        self._portfolio = portfolio
        self.n, self.rounds, self.lanes = portfolio.n, portfolio.rounds, portfolio.lanes

    def predict(self, x: object) -> Prediction:
        """What the lanes say of one example by vote."""
        return self._portfolio.predict(x)

    def calibrated(self, x: object) -> float:
        """The calibrated probability that one example is positive."""
        return self._portfolio.calibrated(x)

    def score_many(self, X: object) -> NDArray[np.float64]:
        """The combined scores of many examples, one a row."""
        return self._portfolio.score_many(X)

    def predict_many(self, X: object) -> NDArray[np.int8]:
        """The labels that the lanes vote for, for many examples, one a row."""
        return self._portfolio.predict_many(X)

    def p_positive_many(self, X: object) -> NDArray[np.float64]:
        """The weight of the lanes that say +1 for many examples, one a row; `calibrated_many` gives probabilities."""
        return self._portfolio.p_positive_many(X)

    def calibrated_many(self, X: object) -> NDArray[np.float64]:
        """The calibrated probabilities that examples are positive, one a row."""
        return self._portfolio.calibrated_many(X)

    def __repr__(self) -> str:
        return f"<hypothesis of {self._portfolio!r}>"


def _cost(cost_positive: object) -> float:
    cost = number("cost_positive", cost_positive, "a number above 0")
    if not _LEAST_COST <= cost <= _MOST_COST:
        raise ParameterError(f"found cost_positive = {cost_positive!r}, expected a number from 2^-100 to 2^100")
    return cost


def _master(master: object, lanes: int) -> LossRule:
    if master is None:
        return AdaHedge(lanes)
    if type(master) not in portfolio_state.MASTERS.values():
        expected = ", ".join(f"th.{name}({lanes})" for name in portfolio_state.MASTERS)
        raise ParameterError(f"found master = {shown(master)}, expected None or a fresh rule for losses: {expected}")
    assert isinstance(master, LossRule)
    if master.n != lanes:
        raise ParameterError(f"found a master over n = {master.n} experts, expected one for each of {lanes} lanes")
    if master.rounds:
        raise ParameterError(f"found a master that has played {master.rounds:,} rounds, expected a fresh one")
    return copy(master)
