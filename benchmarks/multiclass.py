"""More than two classes: mistakes in one pass, each prediction made before its label was shown, beside peers' defaults."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import thresher as th
from benchmarks.cases import Case, Result, longer
from benchmarks.class_sets import GENERATED, Classified, digits
from benchmarks.timing import MISTAKES, Samples
from thresher.compose.binary import Binary

__all__ = ["BY_NAME", "CASES", "OURS", "PEERS", "multiclass", "table"]

_ALL = {"digits": digits, **GENERATED}
_SOME = ("digits", "blobs 3", "blobs 5", "topics 4", "topics 6")
_FEW = ("digits", "blobs 5", "topics 6")
_DENSE = 64
_PORTFOLIO = "OneVersusRest(Portfolio)"


def one_versus_rest(make: Callable[..., Binary], data: Classified) -> int:
    """Classes are not announced: the first example of each is a mistake."""
    return th.OneVersusRest(make(data.X.shape[1], bias=1.0)).learn_many(data.X, data.y).mistakes


def multiclass_perceptron(data: Classified) -> int:
    return th.MulticlassPerceptron(data.X.shape[1], bias=1.0).learn_many(data.X, data.y).mistakes


def scikit_learn(name: str, options: dict[str, Any], data: Classified) -> int:
    """One `partial_fit` a row; it is told all classes at the start. The scores are computed here as `predict` does it."""
    model = getattr(import_module("sklearn.linear_model"), name)(**options)
    dense = data.X.shape[1] <= _DENSE
    X: Any = data.X.toarray() if dense else data.X
    classes, mistakes = np.unique(data.y), 0
    with import_module("sklearn").config_context(assume_finite=True, skip_parameter_validation=True):
        for t, y in enumerate(data.y.tolist()):
            row = X[[t]]
            if t:
                products = model.coef_ @ row[0] if dense else model.coef_[:, row.indices] @ row.data
                mistakes += classes[np.argmax(products + model.intercept_)] != y
            model.partial_fit(row, [y], classes=classes)
    return int(mistakes) + 1


def river(make: Callable[[], Any], data: Classified) -> int:
    model, X, mistakes = make(), data.X, 0
    for t, y in enumerate(data.y.tolist()):
        entries = slice(X.indptr[t], X.indptr[t + 1])
        x = dict(zip(X.indices[entries].tolist(), X.data[entries].tolist(), strict=True))
        mistakes += model.predict_one(x) != y
        model.learn_one(x, y)
    return int(mistakes)


def _one_vs_rest(name: str) -> Any:
    classifier = getattr(import_module("river.linear_model"), name)()
    return import_module("river.multiclass").OneVsRestClassifier(classifier)


def _bayes() -> Any:
    return import_module("river.naive_bayes").GaussianNB()


#: Ours by the name in the table.
OURS: dict[str, Callable[[Classified], int]] = {
    "MulticlassPerceptron": multiclass_perceptron,
    "OneVersusRest(Perceptron)": partial(one_versus_rest, th.Perceptron),
    "OneVersusRest(AROW)": partial(one_versus_rest, th.AROW),
    _PORTFOLIO: partial(one_versus_rest, th.Portfolio),
}

#: Each peer by its name in the table. scikit-learn's passive-aggressive classifier is called so since 1.8.
PEERS: dict[str, Callable[[Classified], int]] = {
    "scikit-learn Perceptron": partial(scikit_learn, "Perceptron", {}),
    "scikit-learn SGD, logistic": partial(scikit_learn, "SGDClassifier", {"loss": "log_loss"}),
    "scikit-learn PA": partial(scikit_learn, "SGDClassifier", {"learning_rate": "pa1", "eta0": 1.0, "penalty": None}),
    "river OneVsRest(Perceptron)": partial(river, partial(_one_vs_rest, "Perceptron")),
    "river OneVsRest(logistic)": partial(river, partial(_one_vs_rest, "LogisticRegression")),
    "river GaussianNB": partial(river, _bayes),
}


def multiclass(sets: Mapping[str, Callable[[], Classified]], _turns: int, quick: bool) -> Result:
    """Counts are the same in every turn, so there is one."""
    counted: dict[str, dict[str, int]] = {}
    for name, make in sets.items():
        if quick and name not in _FEW:
            continue
        data = make()
        if quick:
            data = data.first(len(data.y) // 10)
        counted[name] = {"rows": len(data.y), "classes": len(np.unique(data.y))}
        for who, play in (OURS | PEERS).items():
            counted[name][who] = play(data)
            print(f"  {name}: {who} {counted[name][who]:,}", file=sys.stderr, flush=True)
    samples = Samples(
        {f"{name}: {who}": [float(counts[who])] for name, counts in counted.items() for who in OURS | PEERS}, MISTAKES
    )
    comparisons = []
    for name, counts in counted.items():
        one, other = f"{name}: {_PORTFOLIO}", f"{name}: {min(PEERS, key=counts.__getitem__)}"
        comparisons.append(longer(samples, one, other))
    return Result(
        "multiclass", f"mistakes in one pass over {len(counted)} sets of many classes\n\n{table(counted)}", samples, comparisons
    )


def table(counted: Mapping[str, Mapping[str, int]]) -> str:
    """A Markdown table: a line for each data set, a column for each contender, and the sums."""
    columns = list(next(iter(counted.values())))
    lines = [["", *columns], ["---", *("---:" for _ in columns)]]
    lines += [[name, *(f"{counts[column]:,}" for column in columns)] for name, counts in counted.items()]
    sums = [sum(counts[column] for counts in counted.values()) for column in columns]
    lines.append(["all", *("" if column == "classes" else f"{total:,}" for column, total in zip(columns, sums, strict=True))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_PEERS = ("scikit-learn", "river")
CASES = {"multiclass": Case(partial(multiclass, {name: _ALL[name] for name in _SOME}), _PEERS)}

#: The same on all sets, which takes 20 minutes, most of them scikit-learn's.
BY_NAME = {"multiclass-21": Case(partial(multiclass, _ALL), _PEERS)}
