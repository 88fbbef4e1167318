"""One model file of each learner, in the first version of the format: they must load for ever.

`python -m tests.stored` writes those that are missing; none is ever written anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher.linear import LinearLearner

__all__ = ["CHANGED", "CLASSES", "FOLDER", "MADE", "learned", "learned_classes", "learned_portfolio", "near"]

FOLDER = Path(__file__).parent / "models"
MADE: dict[str, Callable[[], LinearLearner]] = {
    "averaged-perceptron": lambda: th.AveragedPerceptron(6, bias=0.5),
    "margin-perceptron": lambda: th.MarginPerceptron(6, 0.2, bias=0.5),
    "margin-perceptron-halving": lambda: th.MarginPerceptron(6),
    "p-norm-perceptron": lambda: th.PNormPerceptron(6, p=5.5, bias=0.5),
    "passive-aggressive": lambda: th.PassiveAggressive(6, C=0.5, bias=0.5),
    "winnow": lambda: th.Winnow(6, factor=1.5, threshold=4.0, strict=True),
    "literal-winnow": lambda: th.LiteralWinnow(6, factor=1.25),
    "balanced-winnow": lambda: th.BalancedWinnow(6, eta=0.3, bias=1.0),
    "elimination": lambda: th.Elimination(6),
    "arow": lambda: th.AROW(6, r=0.5, bias=1.0),
    "adagrad-logistic": lambda: th.AdaGrad(6, rate=0.4, bias=1.0),
    "adagrad-hinge": lambda: th.AdaGrad(6, loss="hinge", rate=0.2),
    "invariant": lambda: th.Invariant(6, rate=0.7, bias=1.0),
    "scaled-winnow": lambda: th.ScaledWinnow(6, times=0.5, factor=1.5, bias=1.0),
    "constant": lambda: th.Constant(6, -1),
}


#: Learners whose arithmetic has changed in its last bits since their files were written, `invariant` when its step became
#: quicker: what is learned now is near what their files hold.
CHANGED = {"invariant"}


def near(one: Any, other: Any) -> bool:
    """Whether two states are the same up to the last bits of their numbers, of which the digests of rounds are made."""
    if isinstance(one, Mapping):
        return set(one) == set(other) and all(name == "history" or near(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(near, one, other))
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and np.allclose(one, other, rtol=1e-5, atol=1e-9))
    return math.isclose(one, other, rel_tol=1e-5) if isinstance(one, float) else bool(one == other)


def learned(name: str) -> LinearLearner:
    """The learner whose file it is, after some rounds."""
    learner = MADE[name]()
    learner.learn_many(*_rows())
    return learner


def learned_portfolio() -> th.Portfolio:
    """The portfolio whose file it is: each kind of lane that a bank holds, one that is called, and costs."""
    kinds = (th.Perceptron, th.AveragedPerceptron, th.PassiveAggressive, th.AROW, th.AdaGrad, th.Invariant, th.ScaledWinnow)
    lanes = [*(kind(6, bias=1.0) for kind in kinds), th.Constant(6, +1), th.PNormPerceptron(6, p=3.0)]
    portfolio = th.Portfolio(6, lanes, th.FixedShare(len(lanes), eta=0.75), cost_positive=2.0)
    portfolio.learn_many(*_rows())
    return portfolio


CLASSES: dict[str, Callable[[], th.MulticlassPerceptron | th.OneVersusRest]] = {
    "multiclass-perceptron": lambda: th.MulticlassPerceptron(6, bias=0.5, classes=["two"]),
    "one-versus-rest": lambda: th.OneVersusRest(th.AROW(6, r=0.5, bias=1.0)),
    "one-versus-rest-portfolio": lambda: th.OneVersusRest(th.Portfolio(6, [th.Perceptron(6), th.ScaledWinnow(6)])),
}


def learned_classes(name: str) -> th.MulticlassPerceptron | th.OneVersusRest:
    """The learner of many classes whose file it is, after some rounds."""
    learner = CLASSES[name]()
    X, _ = _rows()
    learner.learn_many(X, [("none", "one", "two", "many")[min(3, int(x[2:5].sum()))] for x in X])
    return learner


def _rows() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(3)
    X = (rng.random((40, 6)) < 0.5).astype(np.float64)
    X[:, 0] = 1 - X[:, 1]  # no example is empty
    return X, np.where(X[:, 1] + X[:, 4] > 0, 1, -1)


if __name__ == "__main__":
    for made in MADE:
        place = FOLDER / f"version-1-{made}.thresher"
        if not place.exists():
            th.save(learned(made), place)
    if not (FOLDER / "version-1-portfolio.thresher").exists():
        th.save(learned_portfolio(), FOLDER / "version-1-portfolio.thresher")
    for made in CLASSES:
        place = FOLDER / f"version-1-{made}.thresher"
        if not place.exists():
            th.save(learned_classes(made), place)
