"""Every learner with the examples it may be given: what a test over all learners runs through."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.strategies import Stream, portable_value, streams
from thresher.linear import LinearLearner

__all__ = ["CASES", "Case", "N", "csr", "one_by_one"]

N = 7

# All of them are exact in float32, so that every form of an example can hold them.
unit_value = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 2.0**-100, 1.0 - 2.0**-24]), st.floats(0.0, 1.0, width=32, allow_subnormal=False)
)
signed_value = st.one_of(unit_value, unit_value.map(lambda value: -value))
binary_value = st.sampled_from([0.0, 1.0])


class Case(NamedTuple):
    """A learner of N attributes: how to make it, what its examples hold, and what they may not hold."""

    make: Callable[[], LinearLearner]
    value: st.SearchStrategy[float]
    refused: tuple[float, ...]
    zeros: bool = True
    weighed: bool = True

    def streams(self) -> st.SearchStrategy[Stream]:
        drawn = streams(N, value=self.value, zeros=self.zeros)
        return drawn if self.weighed else drawn.map(lambda stream: stream._replace(weights=[1.0] * len(stream.weights)))

    def taught(self, stream: Stream) -> LinearLearner:
        learner = self.make()
        learner.learn_many(stream.rows, stream.labels, stream.weights)
        return learner


NOT_FINITE = (np.nan, np.inf, -np.inf)
NOT_UNIT = (*NOT_FINITE, -1.0, -(2.0**-100), np.nextafter(1.0, 2.0), 2.0, 1e300)
NOT_SIGNED = (*NOT_FINITE, np.nextafter(1.0, 2.0), np.nextafter(-1.0, -2.0), -1e300)
NOT_BINARY = (*NOT_UNIT, 0.5, np.nextafter(1.0, 0.0), 5e-324)

CASES: dict[str, Case] = {
    "averaged": Case(lambda: th.AveragedPerceptron(N), portable_value, NOT_FINITE),
    "averaged, normalized, bias": Case(
        lambda: th.AveragedPerceptron(N, normalize=True, bias=-0.7, tie="minus"), portable_value, NOT_FINITE
    ),
    "averaged, normalized": Case(lambda: th.AveragedPerceptron(N, normalize=True), portable_value, NOT_FINITE, zeros=False),
    "margin 0.5": Case(lambda: th.MarginPerceptron(N, 0.5), portable_value, NOT_FINITE, zeros=False),
    "margin 0.1, bias": Case(lambda: th.MarginPerceptron(N, 0.1, epsilon=0.3, bias=-0.7), portable_value, NOT_FINITE),
    "margin unknown": Case(lambda: th.MarginPerceptron(N, None, epsilon=0.9), portable_value, NOT_FINITE, zeros=False),
    "p-norm 4": Case(lambda: th.PNormPerceptron(N), portable_value, NOT_FINITE),
    "p-norm 2": Case(lambda: th.PNormPerceptron(N, p=2), portable_value, NOT_FINITE),
    "p-norm 24.95, bias": Case(lambda: th.PNormPerceptron(N, p=24.95, bias=-0.7), portable_value, NOT_FINITE),
    "p-norm 100": Case(lambda: th.PNormPerceptron(N, p=100), portable_value, NOT_FINITE),
    "passive-aggressive": Case(lambda: th.PassiveAggressive(N), portable_value, NOT_FINITE),
    "passive-aggressive 0.01, bias": Case(lambda: th.PassiveAggressive(N, C=0.01, bias=-0.7), portable_value, NOT_FINITE),
    "passive-aggressive 2^100": Case(lambda: th.PassiveAggressive(N, C=2.0**100), portable_value, NOT_FINITE),
    "Winnow": Case(lambda: th.Winnow(N), unit_value, NOT_UNIT),
    "Winnow 3/2, strict": Case(lambda: th.Winnow(N, threshold=2, factor=1.5, strict=True), unit_value, NOT_UNIT),
    "Winnow 1.1 on binary examples": Case(lambda: th.Winnow(N, threshold=2, factor=1.1), binary_value, NOT_UNIT),
    "LiteralWinnow": Case(lambda: th.LiteralWinnow(N), unit_value, NOT_UNIT),
    "LiteralWinnow 3/2, strict": Case(lambda: th.LiteralWinnow(N, threshold=3, factor=1.5, strict=True), unit_value, NOT_UNIT),
    "LiteralWinnow 1000": Case(lambda: th.LiteralWinnow(N, factor=1000.0), binary_value, NOT_UNIT),
    "BalancedWinnow": Case(lambda: th.BalancedWinnow(N), signed_value, NOT_SIGNED),
    "BalancedWinnow, bias": Case(lambda: th.BalancedWinnow(N, eta=1.5, bias=-0.7), signed_value, NOT_SIGNED),
    "BalancedWinnow 300": Case(lambda: th.BalancedWinnow(N, eta=300.0), signed_value, NOT_SIGNED),
    "Elimination": Case(lambda: th.Elimination(N), binary_value, NOT_BINARY, weighed=False),
    "Elimination, monotone": Case(lambda: th.Elimination(N, monotone=True), binary_value, NOT_BINARY, weighed=False),
    "AROW": Case(lambda: th.AROW(N), portable_value, NOT_FINITE),
    "AROW 0.01, bias": Case(lambda: th.AROW(N, r=0.01, bias=-0.7), portable_value, NOT_FINITE),
    "AdaGrad": Case(lambda: th.AdaGrad(N), portable_value, NOT_FINITE),
    "AdaGrad, hinge, bias": Case(lambda: th.AdaGrad(N, loss="hinge", rate=2.0, bias=-0.7), portable_value, NOT_FINITE),
    "Invariant": Case(lambda: th.Invariant(N), portable_value, NOT_FINITE),
    "Invariant 30, bias": Case(lambda: th.Invariant(N, rate=30.0, bias=-0.7), portable_value, NOT_FINITE),
    "ScaledWinnow": Case(lambda: th.ScaledWinnow(N), portable_value, NOT_FINITE),
    "ScaledWinnow 8, bias": Case(lambda: th.ScaledWinnow(N, times=4.0, factor=8.0, bias=1.0), portable_value, NOT_FINITE),
}


def one_by_one(learner: LinearLearner, stream: Stream) -> list[th.Round]:
    return [learner.learn(*row) for row in zip(stream.rows, stream.labels, stream.weights, strict=True)]


def csr(X: NDArray[np.float64], index: type[np.signedinteger], kind: type[np.floating], order: int = 1) -> sp.csr_array:
    """X in sparse rows, with indices and values of this kind; each row backwards where `order` is −1."""
    slots = [np.flatnonzero(row)[::order] for row in X]
    ends = np.cumsum([0, *(len(row) for row in slots)]).astype(index)
    values = [row[at] for row, at in zip(X, slots, strict=True)]
    data, columns = np.concatenate([*values, []]).astype(kind), np.concatenate([*slots, []]).astype(index)
    made = sp.csr_array((data, columns, ends), shape=X.shape)
    made.indices, made.indptr = columns, ends
    return made
