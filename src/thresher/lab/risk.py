"""From mistakes to risk: what holds with a probability, or on average, over many runs.

Examples are drawn from finitely many points, all alike, so that every risk is computed and none is estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.bounds import Bound
from thresher.classes import Halving, Thresholds
from thresher.compose import online_to_batch, pac
from thresher.lab.experiment import Experiment, Numbers, Trials
from thresher.lab.perceptron import of_margin
from thresher.linear import Perceptron

__all__ = ["EXPERIMENTS"]

_DELTA = 0.05
_RUNS = 40
_POINTS = 32
_CUTS = 33
_ANY_LEARNER = (
    "it is about what is made of a learner's hypotheses, and holds for every learner with a mistake bound; play {}, "
    "which asks whether yours has one"
)


def _pac(size: int, chance: np.random.Generator) -> tuple[float, Numbers]:
    """Halving on 33 thresholds until a hypothesis survives: the risk of that."""
    target = int(chance.integers(_CUTS))
    mistakes, epsilon = _CUTS.bit_length() - 1, 1 / size

    def draws() -> Iterator[tuple[int, int]]:
        while True:
            x = int(chance.integers(_CUTS - 1))
            yield x, int(x >= target)

    learned = pac(Halving(Thresholds(range(_CUTS - 1))), draws(), mistakes=mistakes, epsilon=epsilon, delta=_DELTA)
    wrong = [learned.hypothesis.predict(x).label != (1 if x >= target else -1) for x in range(_CUTS - 1)]
    return sum(wrong) / len(wrong), {"mistakes": mistakes, "epsilon": epsilon, "delta": _DELTA}


def _pac_risk(mistakes: int, epsilon: float, delta: float) -> Bound:
    """The same theorem, read for the risk: so many examples give at most ε."""
    return replace(bounds.pac_sample(mistakes, epsilon, delta), value=epsilon, on="risk")


def _points(chance: np.random.Generator, margin: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    _, rows = of_margin(chance, 5, margin, _POINTS)
    return np.array([x for x, _ in rows]), np.array([y for _, y in rows])


def _noisy_points(chance: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = _points(chance, 0.2)
    return X, np.where(chance.random(_POINTS) < 0.1, -y, y)


def _mean_risk(learner: Perceptron, X: NDArray[np.float64], y: NDArray[np.int64], order: NDArray[np.int64]) -> float:
    """The average risk of the hypotheses before each of these examples."""
    risk, total = float(np.mean(learner.predict_many(X) != y)), 0.0
    for i in order:
        total += risk
        if learner.learn(X[i], int(y[i])).changed:
            risk = float(np.mean(learner.predict_many(X) != y))
    return total / len(order)


def _average(examples: int, chance: np.random.Generator) -> tuple[float, Numbers]:
    X, y = _noisy_points(chance)
    learner = Perceptron(5)
    risk = _mean_risk(learner, X, y, chance.integers(_POINTS, size=examples))
    return risk, {"mistakes": learner.mistakes, "examples": examples, "delta": _DELTA}


def _vote(examples: int, chance: np.random.Generator) -> tuple[float, Numbers]:
    X, y = _noisy_points(chance)
    order = chance.integers(_POINTS, size=examples)
    averaged = online_to_batch(Perceptron(5), (X[order], y[order]), delta=_DELTA)
    risk = float(np.mean([averaged.predict(x).label != label for x, label in zip(X, y, strict=True)]))
    return risk, {"mistakes": averaged.mistakes, "examples": examples, "delta": _DELTA}


def _stop(examples: int, chance: np.random.Generator) -> tuple[float, Numbers]:
    X, y = _points(chance, 0.25)
    # h₀, …, hₙ are the hypotheses before each of n + 1 examples; the last learns nothing that counts.
    risk = _mean_risk(Perceptron(5), X, y, chance.integers(_POINTS, size=examples + 1))
    return risk, {"mistakes": bounds.perceptron_separable(margin=0.25).at_most, "examples": examples}


def _share(
    name: str, run: Callable[[int, np.random.Generator], tuple[float, Numbers]], runs: int = _RUNS
) -> tuple[Trials, ...]:
    return (Trials(f"{name}, 19 of 20", run, runs, _DELTA),)


_BY_EXAMPLES = ("examples n", (20, 50, 100, 200))

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(
        bounds.pac_sample, pac, "1/ε", (4, 8, 16, 32, 64), _share("33 thresholds", _pac), 0.5,
        reads=_pac_risk, alone=_ANY_LEARNER.format("halving"),
    ),
    Experiment(
        bounds.online_to_batch, online_to_batch, *_BY_EXAMPLES, _share("one label in ten wrong", _average),
        0.93, alone=_ANY_LEARNER.format("perceptron-separable"),
    ),
    Experiment(
        bounds.online_to_batch_vote, online_to_batch, *_BY_EXAMPLES,
        _share("one label in ten wrong", _vote, 20), 0.54, alone=_ANY_LEARNER.format("perceptron-separable"),
    ),
    Experiment(
        bounds.random_stop, Perceptron, *_BY_EXAMPLES, (Trials("margin ¼, on average", _stop, _RUNS, "mean"),), 0.54,
        alone=_ANY_LEARNER.format("perceptron-separable"),
    ),
)  # fmt: skip
