"""One model file of each learner, in the first version of the format: they must load for ever.

`python -m tests.stored` writes those that are missing; none is ever written anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher.linear import LinearLearner

__all__ = ["CHANGED", "CLASSES", "FOLDER", "MADE", "learned", "learned_classes", "learned_portfolio", "rows"]

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
    "invariant-closed": lambda: th.Invariant(6, rate=0.7, bias=1.0),
    "scaled-winnow": lambda: th.ScaledWinnow(6, times=0.5, factor=1.5, bias=1.0),
    "constant": lambda: th.Constant(6, -1),
}


#: What took other steps when its file was written: `invariant` found a root where it takes the lesser of two bounds of it
#: now, and so did the lane of it in `portfolio`. Such a file holds what is not learned any more; it loads and goes on.
CHANGED = {"invariant"}


def learned(name: str) -> LinearLearner:
    """The learner whose file it is, after some rounds."""
    learner = MADE[name]()
    learner.learn_many(*rows())
    return learner


def learned_portfolio() -> th.Portfolio:
    """The portfolio whose file it is: each kind of lane that a bank holds, one that is called, and costs."""
    kinds = (th.Perceptron, th.AveragedPerceptron, th.PassiveAggressive, th.AROW, th.AdaGrad, th.Invariant, th.ScaledWinnow)
    lanes = [*(kind(6, bias=1.0) for kind in kinds), th.Constant(6, +1), th.PNormPerceptron(6, p=3.0)]
    portfolio = th.Portfolio(6, lanes, th.FixedShare(len(lanes), eta=0.75), cost_positive=2.0)
    portfolio.learn_many(*rows())
    return portfolio


CLASSES: dict[str, Callable[[], th.MulticlassPerceptron | th.OneVersusRest]] = {
    "multiclass-perceptron": lambda: th.MulticlassPerceptron(6, bias=0.5, classes=["two"]),
    "one-versus-rest": lambda: th.OneVersusRest(th.AROW(6, r=0.5, bias=1.0)),
    "one-versus-rest-portfolio": lambda: th.OneVersusRest(th.Portfolio(6, [th.Perceptron(6), th.ScaledWinnow(6)])),
}


def learned_classes(name: str) -> th.MulticlassPerceptron | th.OneVersusRest:
    """The learner of many classes whose file it is, after some rounds."""
    learner = CLASSES[name]()
    X, _ = rows()
    learner.learn_many(X, [("none", "one", "two", "many")[min(3, int(x[2:5].sum()))] for x in X])
    return learner


def rows() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(3)
    X = (rng.random((40, 6)) < 0.5).astype(np.float64)
    X[:, 0] = 1 - X[:, 1]  # no example is empty
    return X, np.where(X[:, 1] + X[:, 4] > 0, 1, -1)


if __name__ == "__main__":
    for made in MADE:
        place = FOLDER / f"version-1-{made}.thresher"
        if not place.exists():
            th.save(learned(made), place)
    if not (FOLDER / "version-1-portfolio-closed.thresher").exists():
        th.save(learned_portfolio(), FOLDER / "version-1-portfolio-closed.thresher")
    for made in CLASSES:
        place = FOLDER / f"version-1-{made}.thresher"
        if not place.exists():
            th.save(learned_classes(made), place)
