"""What tests of learners of many classes share: learners, streams, and what two of them are compared by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.learners import CASES, Case
from tests.portfolios import N
from tests.strategies import Stream
from thresher.class_rounds import ClassRounds
from thresher.compose.binary import Binary

__all__ = ["CLASSES", "KINDS", "blobs", "classified", "columns", "every_case", "every_kind", "everything"]

CLASSES = ("oak", "fir", "yew", "elm")
KINDS: dict[str, Callable[[], Binary]] = {
    "Perceptron": lambda: th.Perceptron(N),
    "AROW, bias": lambda: th.AROW(N, bias=1.0),
    "AdaGrad": lambda: th.AdaGrad(N),
    "portfolio": lambda: th.Portfolio(N, [th.Perceptron(N), th.AROW(N), th.AdaGrad(N, bias=1.0)]),
    "portfolio, called lanes": lambda: th.Portfolio(
        N, [th.Perceptron(N), th.PNormPerceptron(N), th.MarginPerceptron(N, 0.1, bias=1.0)]
    ),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
#: One case of each learner.
_EACH = {type(case.make()): name for name, case in CASES.items()}
every_case = pytest.mark.parametrize("case", [CASES[name] for name in _EACH.values()], ids=_EACH.values())


def everything(learner: th.OneVersusRest) -> tuple[object, dict[str, bytes]]:
    parameters, arrays = learner.state()
    return repr(parameters), {name: array.tobytes() for name, array in arrays.items()}


def columns(rounds: object) -> tuple[object, ...]:
    assert isinstance(rounds, ClassRounds)
    arrays = rounds.predictions, rounds.labels, rounds.scores, rounds.changed
    weights = None if rounds.weights is None else rounds.weights.tolist()
    return rounds.first, rounds.classes, *(array.tolist() for array in arrays), weights


def blobs(rows: int, seed: int = 0, classes: tuple[Any, ...] = CLASSES) -> tuple[NDArray[np.float64], list[Any]]:
    """Examples around a middle for each class; most classes appear after some rows."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(len(classes), N)) * 0.8
    codes = np.minimum(rng.integers(0, len(classes), rows), np.arange(rows) // 9)
    return middles[codes] + rng.normal(size=(rows, N)), [classes[code] for code in codes]


def class_labels(size: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(CLASSES), min_size=size, max_size=size)


@st.composite
def classified(draw: st.DrawFn, case: Case) -> tuple[Stream, list[str]]:
    stream = draw(case.streams())
    return stream, draw(class_labels(len(stream.rows)))
