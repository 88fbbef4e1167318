"""Learners of two labels as members of a learner of many classes: all are played in the same way, a block at a time."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher._core import Block
from thresher.bounds.printed import shown
from thresher.compose.counted import Columns, Rows
from thresher.compose.portfolio import Portfolio
from thresher.errors import ExampleError, ParameterError
from thresher.experts.rule import LossRule
from thresher.linear import LEARNERS, LinearLearner

__all__ = ["Binary", "Played", "bytes_of", "chances", "checked", "lanes_of", "learn", "master_of", "scores"]

#: A learner of which there is one for each class.
Binary: TypeAlias = LinearLearner | Portfolio


class Played(NamedTuple):
    """What came out of the rows before the first that cannot be learned, and what is wrong with that one, if there is one.

    The scores are rows × lanes: a linear learner has one lane.
    """

    scores: NDArray[np.float64]
    changed: NDArray[np.bool_]
    fault: ExampleError | None


def checked(learner: object) -> Binary:
    """The learner, which must be fresh, and one of which there can be many."""
    if not isinstance(learner, Portfolio) and type(learner) not in LEARNERS.values():
        raise ParameterError(f"found {shown(learner)}, expected a linear learner or a portfolio, such as th.Perceptron(n)")
    assert isinstance(learner, LinearLearner | Portfolio)
    if learner.rounds:
        raise ParameterError(f"found a learner that has played {learner.rounds:,} rounds, expected a fresh one")
    if isinstance(learner, Portfolio) and learner._lanes.foreign:
        lane = learner._lanes.foreign[0]
        raise ParameterError(
            f"found lane {lane.lane} ({lane.name}), a learner of your own, expected a portfolio of linear learners alone"
        )
    return learner


def learn(learner: Binary, block: Block, codes: NDArray[np.int8], weights: NDArray[np.float64] | None) -> Played:
    """One round a row; the labels are −1 and +1. The scores are those from before each label."""
    if isinstance(learner, LinearLearner):
        try:
            rounds = learner._learn_block(block, codes, weights, block, codes)
        except ExampleError as error:
            if error.rounds is None:
                raise
            return Played(error.rounds.scores[:, None], error.rounds.changed, error)
        return Played(rounds.scores[:, None], rounds.changed, None)
    return _vote(learner, block, codes, weights)


def _vote(learner: Portfolio, block: Block, codes: NDArray[np.int8], weights: NDArray[np.float64] | None) -> Played:
    good = learner._vote._check(codes, weights)
    made = Columns(len(block), lane_scores := np.empty((len(block), len(learner.lanes))))
    part = Rows(block.rows(0, good), codes[:good], None if weights is None else weights[:good], block.__getitem__)
    rows, fault = learner._play(part, made, 0)
    if fault is None and good < len(block):
        try:
            learner._vote._refuse(int(codes[good]), 1.0 if weights is None else float(weights[good]), None, good, None)
        except ExampleError as error:
            fault = error
    if fault is None:
        learner._vote._collide(block.collisions)
    return Played(lane_scores[:rows], np.asarray(made.moved)[:rows], fault)


def scores(learner: Binary, block: Block) -> NDArray[np.floating]:
    """How much each lane of a learner is for +1, of each row: rows × lanes. Changes nothing."""
    if isinstance(learner, LinearLearner):
        return learner._score_block(block)[:, None]
    said = learner._lanes.said(len(block))
    learner._lanes.score_block(block, said)
    return said.arrays()[1]


def chances(learner: Binary, block: Block) -> NDArray[np.float64]:
    """The chances of +1 of each row, where the learner has them. Changes nothing."""
    return learner.p_positive_many(block) if isinstance(learner, LinearLearner) else learner.calibrated_many(block)


def lanes_of(learner: Binary) -> int:
    """How many lanes it has: a linear learner is one."""
    return 1 if isinstance(learner, LinearLearner) else len(learner.lanes)


def master_of(learner: Binary) -> LossRule | None:
    """A fresh rule like the one that weighs its lanes, where there are several."""
    return None if isinstance(learner, LinearLearner) else type(learner._master)(**learner._master._arguments())


def bytes_of(learner: Binary) -> int:
    """The memory of its numbers, one for each slot and kind.

    >>> import thresher as th
    >>> bytes_of(th.AROW(1000)), bytes_of(th.Portfolio(1000, [th.AROW(1000), th.Winnow(1000)])) > 8000
    (16000, True)
    """
    if isinstance(learner, LinearLearner):
        return 8 * learner.n * len(learner._PLANES)
    return learner._lanes.banked.bank.bytes + sum(bytes_of(lane) for lane in learner._lanes.called.members)
