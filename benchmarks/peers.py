"""One pass of each peer with its defaults: how many of its predictions, each made before the label was shown, were wrong.

All see the same attributes, in the same order. What decides a score of 0 is what the peer itself decides.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.sets import Labelled

__all__ = ["DISTRIBUTIONS", "PEERS"]

#: What must be installed.
DISTRIBUTIONS = ("scikit-learn", "river", "vowpalwabbit")

#: Rows with no more attributes than this are given to scikit-learn as a dense array, as its users would.
_DENSE = 64


def scikit_learn(name: str, options: dict[str, Any], data: Labelled) -> int:
    """One `partial_fit` a row. The score is computed here as `predict` does it, which takes a tenth of its time.

    Attributes that no row has are left out: they change nothing, but each call would copy their weights. A sparse row moves
    the intercept a hundredth as far as a dense one; that is scikit-learn's own choice.
    """
    model = getattr(import_module("sklearn.linear_model"), name)(**options)
    dense = data.X.shape[1] <= _DENSE
    X = data.X.toarray() if dense else data.X[:, np.unique(data.X.indices)]
    score, mistakes = 0.0, 0
    with import_module("sklearn").config_context(assume_finite=True, skip_parameter_validation=True):
        for t, y in enumerate(data.y.tolist()):
            row = X[t : t + 1]
            if t:
                weights = model.coef_[0]
                score = (weights @ row[0] if dense else weights[row.indices] @ row.data) + model.intercept_[0]
            mistakes += (1 if score > 0.0 else -1) != y
            model.partial_fit(row, [y], classes=[-1, 1])
    return mistakes


def river(name: str, data: Labelled) -> int:
    model = getattr(import_module("river.linear_model"), name)()
    X, mistakes = data.X, 0
    for t, y in enumerate((data.y > 0).tolist()):
        entries = slice(X.indptr[t], X.indptr[t + 1])
        x = dict(zip(X.indices[entries].tolist(), X.data[entries].tolist(), strict=True))
        mistakes += bool(model.predict_one(x)) != y
        model.learn_one(x, y)
    return mistakes


def vowpal_wabbit(loss: str, data: Labelled) -> int:
    """The command, from text; its predictions are those before each row is learned. It takes 0 for +1, as we do."""
    X = data.X
    with TemporaryDirectory(prefix="benchmarks-") as folder:
        text, said = Path(folder, "text"), Path(folder, "predictions")
        with text.open("w", encoding="ascii") as lines:
            for t, y in enumerate(data.y.tolist()):
                entries = slice(X.indptr[t], X.indptr[t + 1])
                pairs = zip(X.indices[entries].tolist(), X.data[entries].tolist(), strict=True)
                lines.write(f"{y} |f {' '.join(f'{index}:{value!r}' for index, value in pairs)}\n")
        command = [sys.executable, "-m", "vowpalwabbit", "--quiet", "--loss_function", loss]
        subprocess.run([*command, "-d", str(text), "-p", str(said)], check=True)
        scores = np.loadtxt(said)
    return int(((scores >= 0.0) != (data.y > 0)).sum())


#: Each peer by the name it has in the table. scikit-learn's passive-aggressive classifier is called so since 1.8.
PEERS: dict[str, Callable[[Labelled], int]] = {
    "scikit-learn Perceptron": partial(scikit_learn, "Perceptron", {}),
    "scikit-learn SGD, hinge": partial(scikit_learn, "SGDClassifier", {}),
    "scikit-learn SGD, logistic": partial(scikit_learn, "SGDClassifier", {"loss": "log_loss"}),
    "scikit-learn PA": partial(scikit_learn, "SGDClassifier", {"learning_rate": "pa1", "eta0": 1.0, "penalty": None}),
    "river Perceptron": partial(river, "Perceptron"),
    "river logistic": partial(river, "LogisticRegression"),
    "river ALMA": partial(river, "ALMAClassifier"),
    "river PA": partial(river, "PAClassifier"),
    "Vowpal Wabbit logistic": partial(vowpal_wabbit, "logistic"),
    "Vowpal Wabbit hinge": partial(vowpal_wabbit, "hinge"),
    "Vowpal Wabbit squared": partial(vowpal_wabbit, "squared"),
}
