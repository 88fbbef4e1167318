"""Winnow where the target is a linear threshold, Balanced Winnow, and the p-norm Perceptron: what multiplies, or nearly does.

The targets matter in few of n attributes: at least 2 of 4 for Winnow; the majority of three signs for the others, u = ⅓ in each
and γ = ⅓.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.adversaries import Greedy, Literals, TightFit, WeightedLearner
from thresher.adversaries.adversary import weights_of
from thresher.lab.experiment import Experiment, Facts, Game, Kind, Numbers, Stream
from thresher.lab.perceptron import Against, noisy
from thresher.lab.streams import Listed, Nearest, Pairs, Stubborn, pairs
from thresher.linear import BalancedWinnow, PNormPerceptron, Winnow

__all__ = ["EXPERIMENTS"]

_LEAST, _OF = 2, 4
_DELTA = 1 / _LEAST
_FACTOR = 1 + _DELTA / 2
_ROWS = 200
_LIGHTEST = 2.0**-200


class _Threshold(Facts):
    """Rounds against μ = 1/r on the first k attributes: `errors` sums by how much it misses 1, or 1 − δ."""

    norm = _OF / _LEAST
    entropy = _OF / _LEAST * math.log(1 / _LEAST)
    delta = _DELTA

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n, self.errors = n, 0.0

    def enter(self, played: Any) -> bool:
        """Adds what μ misses."""
        on = sum(played.example[:_OF]) / _LEAST
        self.errors += max(0.0, 1 - on) if played.label == +1 else max(0.0, on - (1 - self.delta))
        return super().enter(played)


def _of_four(n: int, chance: np.random.Generator, rows: int) -> Pairs:
    X = (chance.random((rows, n)) < 0.3).astype(np.float64)
    return pairs(X, np.where(X[:, :_OF].sum(axis=1) >= _LEAST, 1, -1))


def _between(n: int, chance: np.random.Generator, rows: int) -> Pairs:
    """Attributes from 0 to 1, as often as not 0; the first four moved towards where μ wants them."""
    X = np.where(chance.random((rows, n)) < 0.5, 0.0, chance.random((rows, n)))
    y = chance.choice([-1, 1], rows)
    total = X[:, :_OF].sum(axis=1)
    X[:, :_OF] = np.where((total > 0) & (y < 0), np.minimum(1, 1 / np.maximum(total, 1e-9)), 1)[:, None] * X[:, :_OF]
    short = (y > 0) & (total < _LEAST)
    X[short, :_LEAST] = 1.0
    return pairs(X, y)


def _winnow(n: int, stream: Any) -> Game[_Threshold]:
    return Game(Winnow, {"n": n, "factor": _FACTOR}, stream.against, _Threshold(n))


def _tight_fit(n: int, _chance: np.random.Generator) -> Game[_Threshold]:
    return _winnow(n, TightFit(n, frozenset(range(_OF)), factor=_FACTOR, least=_LEAST))


def _greedy(n: int, chance: np.random.Generator) -> Game[_Threshold]:
    """The proof, turned round: the relative entropy of θμ to w pays for mistakes, and that is played which costs the least."""
    pool = _between(n, chance, _ROWS)

    def potential(learner: WeightedLearner) -> float:
        w = np.maximum(weights_of(learner, n), _LIGHTEST)
        return float(w.sum() - n * np.log(w[:_OF]).sum() / _LEAST)

    return _winnow(n, Greedy[WeightedLearner](lambda _learner: pool, potential))


def _stubborn(draw: Callable[..., Pairs]) -> Callable[[int, np.random.Generator], Game[_Threshold]]:
    return lambda n, chance: _winnow(n, Stubborn(draw(n, chance, _ROWS)))


def _wrong(n: int, chance: np.random.Generator) -> Game[_Threshold]:
    return _winnow(n, Listed(noisy(chance, _of_four(n, chance, 4 * _ROWS))))


_TWO_OF_FOUR = (
    Stream("2 of 4, tight fits", "adversary", _tight_fit, weighted=True),
    Stream("2 of 4, at random", "random", _stubborn(_of_four)),
)
_AND_NOISE = (*_TWO_OF_FOUR, Stream("one label in seven wrong", "random", _wrong))
_FRACTIONS = (
    Stream("from 0 to 1, at the least cost", "adversary", _greedy, weighted=True),
    Stream("from 0 to 1, at random", "random", _stubborn(_between)),
)


def _target(facts: _Threshold) -> Numbers:
    return {"norm": facts.norm, "delta": facts.delta, "n": facts.n}


def _missing(facts: _Threshold) -> Numbers:
    return {**_target(facts), "errors": facts.errors}


# ---- signs: Balanced Winnow and the p-norm Perceptron


class _Signs(Against):
    """Rounds against u = ⅓ on the first three of n attributes, −1 or +1 each, so that γ = ⅓."""

    def __init__(self, n: int, p: float) -> None:
        super().__init__(np.array([1 / 3] * 3 + [0.0] * (n - 3)), 1 / 3, p)
        self.n, self.eta = n, math.atanh(1 / 3)


def _majority(n: int, chance: np.random.Generator, rows: int) -> Pairs:
    X = chance.choice([-1.0, 1.0], (rows, n))
    return pairs(X, np.where(X[:, :3].sum(axis=1) > 0, 1, -1))


def _balanced(n: int) -> tuple[Callable[..., Any], dict[str, Any], _Signs]:
    facts = _Signs(n, math.inf)
    return BalancedWinnow, {"n": n, "eta": facts.eta}, facts


def _p_norm(n: int) -> tuple[Callable[..., Any], dict[str, Any], _Signs]:
    facts = _Signs(n, 2 * math.log(n))
    return PNormPerceptron, {"n": n, "p": facts.p}, facts


def _by_signs(
    make: Callable[[int], tuple[Callable[..., Any], dict[str, Any], _Signs]], noise: bool
) -> tuple[Stream[_Signs], ...]:
    def nearest(n: int, chance: np.random.Generator) -> Game[_Signs]:
        algorithm, given, facts = make(n)
        return Game(algorithm, given, Nearest(_majority(n, chance, _ROWS)).against, facts)

    def stubborn(n: int, chance: np.random.Generator) -> Game[_Signs]:
        algorithm, given, facts = make(n)
        return Game(algorithm, given, Stubborn(_majority(n, chance, _ROWS)).against, facts)

    def wrong(n: int, chance: np.random.Generator) -> Game[_Signs]:
        algorithm, given, facts = make(n)
        return Game(algorithm, given, Listed(noisy(chance, _majority(n, chance, 4 * _ROWS))).against, facts)

    separable = (
        Stream("majority of 3, least sure first", "adversary", nearest),
        Stream("majority of 3, at random", "random", stubborn),
    )
    return (*separable, Stream("one label in seven wrong", "random", wrong)) if noise else separable


class _Literal(Facts):
    """One of the 2n literals is the label: u = ±e_j has the margin 1. At γ = 1 itself η would be infinite."""

    margin, norm, distance = 0.999, 1.0, 0.0
    eta = math.atanh(margin)

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n


def _literals(n: int, _chance: np.random.Generator) -> Game[_Literal]:
    return Game(BalancedWinnow, {"n": n, "eta": _Literal.eta}, Literals(n.bit_length() - 1).against, _Literal(n))


class _Gap(Facts):
    """Two at least of the first three attributes, and a last one that is always 1: u = 1 on the three leaves a gap below 1."""

    gap, norm, radius = 0.999, 3.0, 1.0

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n


def _with_gap(stream: type[Nearest] | type[Stubborn]) -> Callable[[int, np.random.Generator], Game[_Gap]]:
    def game(n: int, chance: np.random.Generator) -> Game[_Gap]:
        X: NDArray[np.float64] = (chance.random((_ROWS, n)) < 0.5).astype(np.float64)
        pool = pairs(np.column_stack([X, np.ones(_ROWS)]), np.where(X[:, :3].sum(axis=1) >= 2, 1, -1))
        return Game(BalancedWinnow, {"n": n + 1, "eta": math.atanh(_Gap.gap / 12)}, stream(pool).against, _Gap(n))

    return game


_GAPPED = (
    Stream("2 of 3, least sure first", "adversary", _with_gap(Nearest)),
    Stream("2 of 3 at random", "random", _with_gap(Stubborn)),
)


def _in_l1(facts: _Signs | _Literal) -> Numbers:
    return {"margin": facts.margin, "n": facts.n, "norm": facts.norm}


def _in_p(facts: _Signs) -> Numbers:
    return {"margin": facts.margin, "p": facts.p, "radius": facts.radius, "norm": facts.norm}


_BY_N = ("attributes n", (8, 16, 32, 64, 128))
_PNORM = _by_signs(_p_norm, False)


def _balanced_streams(kind: Kind, noise: bool = False) -> tuple[Stream[Any], ...]:
    return Stream("one literal, by halving", kind, _literals), *_by_signs(_balanced, noise)


EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(
        bounds.winnow_threshold, Winnow, *_BY_N, _AND_NOISE, 0.62, lambda facts: {**_missing(facts), "factor": _FACTOR}
    ),
    Experiment(bounds.winnow_threshold_tuned, Winnow, *_BY_N, _AND_NOISE, 0.62, _missing),
    Experiment(bounds.winnow_threshold_simple, Winnow, *_BY_N, _TWO_OF_FOUR, 0.51, _target),
    Experiment(bounds.winnow_littlestone, Winnow, *_BY_N, _TWO_OF_FOUR, 0.3, _target),
    Experiment(
        bounds.winnow_r_of_k, Winnow, *_BY_N, _TWO_OF_FOUR, 0.51, lambda facts: {"r": _LEAST, "k": _OF, "n": facts.n}
    ),
    Experiment(
        bounds.winnow_entropy, Winnow, *_BY_N, (*_FRACTIONS, *_AND_NOISE), 0.91,
        lambda facts: {**_missing(facts), "entropy": facts.entropy, "factor": _FACTOR},
    ),
    Experiment(
        bounds.balanced_winnow, BalancedWinnow, *_BY_N, _balanced_streams("forced", noise=True), 1.0,
        lambda facts: {**_in_l1(facts), "eta": facts.eta, "distance": facts.distance},
    ),
    Experiment(bounds.balanced_winnow_tuned, BalancedWinnow, *_BY_N, _balanced_streams("forced"), 1.0, _in_l1),
    Experiment(bounds.balanced_winnow_textbook, BalancedWinnow, *_BY_N, _balanced_streams("adversary"), 0.83, _in_l1),
    Experiment(
        bounds.balanced_winnow_gap, BalancedWinnow, *_BY_N, _GAPPED, 0.12,
        lambda facts: {"gap": facts.gap, "n": facts.n, "radius": facts.radius, "norm": facts.norm},
    ),
    Experiment(bounds.p_norm, PNormPerceptron, *_BY_N, _PNORM, 0.36, _in_p),
    Experiment(
        bounds.p_norm_hinge, PNormPerceptron, *_BY_N, _by_signs(_p_norm, True), 0.55,
        lambda facts: {
            "hinge": facts.distance / facts.margin, "p": facts.p, "norm": facts.norm / facts.margin, "radius": facts.radius,
        },
    ),
    Experiment(
        bounds.p_norm_distance, PNormPerceptron, *_BY_N, _by_signs(_p_norm, True), 0.55,
        lambda facts: {"distance": facts.distance, **_in_p(facts)},
    ),
    Experiment(
        bounds.p_norm_textbook, PNormPerceptron, *_BY_N, _PNORM, 0.25,
        lambda facts: {"margin": facts.margin, "n": facts.n, "radius": 1.0, "norm": 1.0},
    ),
)  # fmt: skip
