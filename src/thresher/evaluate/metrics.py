"""How good predictions were, in the numbers that people ask for: so far, and over a window of the last rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import labels
from thresher._core import Round, Rounds, log_losses
from thresher.errors import LabelError, ParameterError, StoreError

__all__ = ["Measured", "Metrics"]

_SUMS = ("found", "missed", "false_alarms", "rejected", "forecast", "log_sum", "brier_sum")
_KEPT = np.dtype([("label", "i1"), ("said", "i1"), ("score", "<f8"), ("chance", "<f8"), ("weight", "<f8")])
_MOST = 2**62
_TOGETHER = 4096
_WHOLE = 2.0**52  # counts below it are exact
_WIDEST = 10**8
_HEAVIEST = 2.0**150  # the core takes none above it

Numbers = NDArray[np.float64]


class Judged(NamedTuple):
    """Predictions in columns; a chance is NaN where none was given."""

    labels: NDArray[np.int8]
    said: NDArray[np.int8]
    scores: Numbers
    chances: Numbers
    weights: Numbers

    @classmethod
    def of(
        cls,
        labels: NDArray[np.int8],
        said: NDArray[np.int8],
        scores: Numbers,
        chances: Numbers | None,
        weights: Numbers | None,
    ) -> Judged:
        """The columns, where chances and weights may be left out."""
        rows = len(labels)
        given = np.full(rows, math.nan) if chances is None else chances
        return cls(labels, said, scores, given, np.ones(rows) if weights is None else np.asarray(weights, np.float64))


@dataclass(frozen=True)
class Measured:
    r"""What was measured of so many `rounds`; None is a number that is not defined, such as a share of nothing.

    Each example counts as much as its weight. With w(…) the sum of the weights of those examples, let
    TP = w(positive, and called so) be `found`, FN `missed`, FP `false_alarms`, TN `rejected`. A prediction that is neither
    label counts as the wrong one. Then::

        accuracy            (TP + TN) / (TP + FN + FP + TN)
        precision           TP / (TP + FP)                         of what was called positive, the share that was
        recall              TP / (TP + FN)                         of what was positive, the share that was called so
        specificity         TN / (TN + FP)                         the recall of the negative label
        balanced_accuracy   (recall + specificity) / 2
        f1                  2 TP / (2 TP + FP + FN)
        matthews            (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))
        log_loss            mean of −ln of the chance that was given to the label that came
        brier               mean of (p − 1{the label is +1})²
        auc                 the chance that a random positive example scores above a random negative one, a tie counting half

    0/0 is None, not 0: a learner that has called nothing positive has no precision; while only one label has come there is no
    balanced accuracy, no Matthews coefficient and no AUC. `log_loss` and `brier` are of the rounds with a chance p. `auc` is
    exact, and of a window alone.
    """

    rounds: int = 0
    found: float = 0.0
    missed: float = 0.0
    false_alarms: float = 0.0
    rejected: float = 0.0
    forecast: float = 0.0
    log_sum: float = 0.0
    brier_sum: float = 0.0
    auc: float | None = None

    def after(self, judged: Judged) -> Measured:
        """The sums with these added, one after the other: it does not matter how they are cut into blocks."""
        plus, right = judged.labels > 0, judged.said == judged.labels
        cells = (plus & right, plus & ~right, ~plus & ~right, ~plus & right)
        even = bool((judged.weights == 1.0).all())
        found, missed, false_alarms, rejected = (
            _counted(total, cell, None if even else judged.weights) for total, cell in zip(self._cells, cells, strict=True)
        )
        given = ~np.isnan(judged.chances)
        forecast = self.forecast, self.log_sum, self.brier_sum
        if given.any():
            p, label, weights = judged.chances[given], judged.labels[given], judged.weights[given]
            lost = log_losses(p, label), np.square(p - (label > 0))
            forecast = (
                _added(self.forecast, weights),
                _added(self.log_sum, weights * lost[0]),
                _added(self.brier_sum, weights * lost[1]),
            )
        return Measured(self.rounds + len(plus), found, missed, false_alarms, rejected, *forecast)

    @property
    def _cells(self) -> tuple[float, float, float, float]:
        return self.found, self.missed, self.false_alarms, self.rejected

    @property
    def weight(self) -> float:
        """The weights of all examples, added up."""
        return math.fsum(self._cells)

    @property
    def accuracy(self) -> float | None:
        """The share that was right."""
        return _share(self.found + self.rejected, self.weight)

    @property
    def precision(self) -> float | None:
        """Of what was called positive, the share that was."""
        return _share(self.found, self.found + self.false_alarms)

    @property
    def recall(self) -> float | None:
        """Of what was positive, the share that was called so."""
        return _share(self.found, self.found + self.missed)

    @property
    def specificity(self) -> float | None:
        """Of what was negative, the share that was called so."""
        return _share(self.rejected, self.rejected + self.false_alarms)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of the recalls of both labels."""
        recall, specificity = self.recall, self.specificity
        return None if recall is None or specificity is None else (recall + specificity) / 2.0

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return _share(2.0 * self.found, 2.0 * self.found + self.false_alarms + self.missed)

    @property
    def matthews(self) -> float | None:
        """The correlation of what was said with what was so."""
        tp, fn, fp, tn = (cell / (self.weight or 1.0) for cell in self._cells)
        scale = math.prod(math.sqrt(side) for side in (tp + fp, tp + fn, tn + fp, tn + fn))
        return max(-1.0, min(1.0, (tp * tn - fp * fn) / scale)) if scale > 0.0 else None

    @property
    def log_loss(self) -> float | None:
        """The mean of −ln of the chance given to what came; a chance below 2^−52 is taken for that."""
        return _share(self.log_sum, self.forecast)

    @property
    def brier(self) -> float | None:
        """The mean of (p − 1{the label is +1})²."""
        return _share(self.brier_sum, self.forecast)

    def as_dict(self) -> dict[str, float | None]:
        """The numbers as JSON can hold them."""
        return {"rounds": self.rounds, "weight": self.weight, **{name: getattr(self, name) for name in NAMES}}


#: The numbers of a `Measured`, as they are called in JSON and in tables.
NAMES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "matthews", "log_loss", "brier", "auc")


class Metrics:
    r"""Accuracy, precision, log loss and their kin, in one pass: of all rounds so far, and of the last `window` of them.

    Every prediction is the one that was made before its label was learned. The chances p that `log_loss` and `brier` judge
    are of a portfolio the calibrated probabilities, as `calibrated` gives them, and of other learners `p_positive`; a
    learner that has none has no log loss. `Measured` says how each number is defined.

    Blocks of rounds, or one round at a time, come to the same, bit for bit: counts are exact, and other sums are added in the
    order of the rounds. `state` keeps everything, so that a run that goes on later measures as one that was never stopped.

    >>> import thresher as th
    >>> metrics = th.Metrics(window=500)
    >>> portfolio = th.Portfolio(2**18, bias=1.0)
    >>> with th.open_stream("demo:oranges") as stream:
    ...     for batch in stream:
    ...         metrics.enter(portfolio.learn_many(batch.X, batch.y, batch.weights))
    >>> round(metrics.so_far.accuracy, 4), round(metrics.so_far.log_loss, 4)
    (0.9969, 0.0201)
    >>> metrics.last.rounds, round(metrics.last.accuracy, 3), round(metrics.last.auc, 4)
    (500, 0.972, 0.9668)

    Predictions of any other origin are counted likewise:

    >>> other = th.Metrics()
    >>> other.count([1, 0, 1, 1], predictions=[1, 1, 1, -1], scores=[0.9, 0.2, 0.7, -0.1])
    >>> other.last.recall, other.last.auc, other.last.log_loss is None
    (0.6666666666666666, 0.6666666666666666, True)
    """

    def __init__(self, window: int = 1000) -> None:
        if type(window) is not int or not 1 <= window <= _WIDEST:
            raise ParameterError(f"found window = {window!r}, expected a whole number of rounds from 1 to 10^8")
        self.window = window
        self._so_far = Measured()
        self._window = Judged.of(np.empty(0, np.int8), np.empty(0, np.int8), np.empty(0), None, None)
        self._waiting: list[Judged] = []
        self._rounds_waiting = 0

    def enter(self, entered: Round | Rounds) -> None:
        """Adds a round, or many, as `learn` or `learn_many` returned them."""
        if isinstance(entered, Round):
            said = entered.prediction
            chance = said.p_positive if entered.calibrated is None else entered.calibrated
            label, prediction = np.array([entered.label], np.int8), np.array([said.label], np.int8)
            chances = np.array([math.nan if chance is None else chance])
            self.add(Judged(label, prediction, np.array([said.score]), chances, np.array([entered.weight])))
        elif isinstance(entered, Rounds):
            chances_given = entered.p_positive if entered.calibrated is None else entered.calibrated
            columns = entered.labels, entered.predictions, entered.scores
            self.add(Judged.of(*columns, chances_given, entered.weights))
        else:
            raise ParameterError(f"found {type(entered).__name__}, expected a Round or Rounds with two labels")

    def count(
        self,
        y: object,
        predictions: ArrayLike,
        scores: ArrayLike,
        p_positive: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        """Adds predictions that were not learned from: labels, what was said of each, its score, chance of +1, and weight."""
        given = np.asarray(predictions)
        codes = labels.read(y, len(given)).codes
        if not np.isin(codes, (-1, 0, 1)).all() or not np.isin(given, (-1, 0, 1)).all():
            raise LabelError("found labels or predictions other than -1 and +1, expected these (or 0 and 1 for labels)")
        said, truth = given.astype(np.int8), np.where(codes > 0, 1, -1).astype(np.int8)
        judged = Judged.of(truth, said, np.asarray(scores, np.float64), *(_column(each) for each in (p_positive, weights)))
        if any(len(column) != len(said) for column in judged):
            raise ParameterError(f"found columns of {', '.join(str(len(each)) for each in judged)} rows, expected as many")
        _check(judged, ParameterError)
        self.add(judged)

    def add(self, judged: Judged) -> None:
        """Adds predictions that were checked. They are summed with others, a few thousand at a time."""
        truth, said, *others = judged
        self._waiting.append(Judged(truth.copy(), said.copy(), *(column.copy() for column in others)))
        self._rounds_waiting += len(truth)
        if self._rounds_waiting >= _TOGETHER:
            self._settle()

    def _settle(self) -> None:
        """Sums what waits, and keeps the last rounds of it."""
        if self._rounds_waiting:
            judged = _joined(self._waiting)
            self._so_far = self._so_far.after(judged)
            self._window = _joined([self._window, judged], self.window)
            self._waiting, self._rounds_waiting = [], 0

    @property
    def so_far(self) -> Measured:
        """What was measured of all rounds; without an AUC, for which all scores would have to be kept."""
        self._settle()
        return self._so_far

    @property
    def last(self) -> Measured:
        """What was measured of the last `window` rounds, or of all while there are fewer."""
        self._settle()
        return _with_auc(Measured().after(self._window), self._window)

    def state(self) -> tuple[dict[str, Any], NDArray[np.uint8]]:
        """Everything, as JSON and bytes can hold it; `from_state` makes it again."""
        self._settle()
        rows = np.empty(len(self._window.labels), _KEPT)
        for name, column in zip(_KEPT.names or (), self._window, strict=True):
            rows[name] = column
        sums = {name: getattr(self._so_far, name) for name in _SUMS}
        return {"window": self.window, "rounds": self._so_far.rounds, **sums}, np.frombuffer(rows.tobytes(), np.uint8)

    @classmethod
    def from_state(cls, stored: object, kept: NDArray[np.uint8]) -> Self:
        """The metrics whose `state()` this is; they go on as if they had never stopped."""
        if not isinstance(stored, Mapping) or set(stored) != {"window", "rounds", *_SUMS}:
            raise StoreError(f"the metrics' sums are not window, rounds, {', '.join(_SUMS)}")
        counts, sums = (stored["window"], stored["rounds"]), [stored[name] for name in _SUMS]
        if not all(type(count) is int and 0 <= count < _MOST for count in counts) or not 1 <= counts[0] <= _WIDEST:
            raise StoreError(f"found metrics of {counts} rounds, expected whole numbers")
        if not all(type(sum_) is float and 0.0 <= sum_ < math.inf for sum_ in sums):
            raise StoreError("the metrics' sums are not numbers of at least 0")
        if kept.size != _KEPT.itemsize * min(*counts):
            raise StoreError(f"found a window of {kept.size} bytes, expected {min(*counts)} rounds")
        rows = np.frombuffer(kept.tobytes(), _KEPT)
        judged = Judged(*(np.ascontiguousarray(rows[name]) for name in _KEPT.names or ()))
        if not np.isin(judged.labels, (-1, 1)).all() or not np.isin(judged.said, (-1, 0, 1)).all():
            raise StoreError("found a window with labels other than -1 and +1")
        _check(judged, StoreError)
        made = cls(counts[0])
        made._so_far, made._window = Measured(counts[1], *sums), judged
        return made

    def __repr__(self) -> str:
        return f"<metrics of {self.so_far.rounds:,} rounds, and of the last {min(self.window, self.so_far.rounds):,}>"

    def _rows(self) -> list[tuple[str, ...]]:
        both = self.so_far, self.last
        rows: list[tuple[str, ...]] = [("rounds", *(f"{each.rounds:,}" for each in both))]
        return rows + [(name.replace("_", " "), *(_spelled(getattr(each, name)) for each in both)) for name in NAMES]

    def __str__(self) -> str:
        rows = [("", "so far", f"last {self.window:,}"), *self._rows()]
        first, second, third = (max(len(row[k]) for row in rows) for k in range(3))
        return "\n".join(f"{row[0]:<{first}}  {row[1]:>{second}}  {row[2]:>{third}}" for row in rows)

    def _repr_html_(self) -> str:
        from thresher.notebook import table

        return table(("", "so far", f"last {self.window:,}"), self._rows())


def _spelled(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _share(part: float, of: float) -> float | None:
    return part / of if of > 0.0 else None


def _counted(total: float, cell: NDArray[np.bool_], weights: Numbers | None) -> float:
    """The sum with the weights of these, one after the other; where all are 1, and whole so far, it is a count."""
    if weights is None and total.is_integer() and total < _WHOLE:
        return total + float(np.count_nonzero(cell))
    return _added(total, np.ones(np.count_nonzero(cell)) if weights is None else weights[cell])


def _added(total: float, terms: Numbers) -> float:
    """The sum with these terms, one after the other."""
    return float(np.add.accumulate(np.concatenate(((total,), terms)))[-1])


def _column(given: ArrayLike | None) -> Numbers | None:
    return None if given is None else np.asarray(given, np.float64)


def _joined(pieces: Sequence[Judged], most: int = 0) -> Judged:
    """The pieces in one, or the last `most` rounds of them."""
    return Judged(*(np.concatenate(columns)[-most:] for columns in zip(*pieces, strict=True)))


def _check(judged: Judged, error: type[ParameterError | StoreError]) -> None:
    chances, weights = judged.chances[~np.isnan(judged.chances)], judged.weights
    if not ((chances >= 0.0) & (chances <= 1.0)).all():
        raise error("found a chance below 0 or above 1, expected a probability")
    if not ((weights >= 0.0) & (weights <= _HEAVIEST)).all():
        raise error("found a weight that is no number from 0 to 2^150")


def _with_auc(measured: Measured, judged: Judged) -> Measured:
    """The same with the area under the curve, exactly: positives are compared with all negatives that score less."""
    if np.isnan(judged.scores).any():
        return measured
    scores, place = np.unique(judged.scores, return_inverse=True)
    plus, weights = judged.labels > 0, judged.weights / (judged.weights.max(initial=0.0) or 1.0)
    positive = np.bincount(place[plus], weights[plus], len(scores))
    negative = np.bincount(place[~plus], weights[~plus], len(scores))
    twice = float(np.sum(positive * (2.0 * np.cumsum(negative) - negative)))  # of pairs in order, and once of ties
    area = _share(twice, 2.0 * float(positive.sum()) * float(negative.sum()))
    return Measured(**{**vars(measured), "auc": area})
