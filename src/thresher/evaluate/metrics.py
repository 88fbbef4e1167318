"""How good predictions were, in the numbers that people ask for: so far, and over a window of the last rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, cast

import numpy as np

from thresher import labels
from thresher._core import Measures, Round, Rounds
from thresher.bounds.printed import shown
from thresher.errors import LabelError, ParameterError, StoreError
from thresher.examples import is_masked
from thresher.late import fetch

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Measured", "Metrics"]

_SUMS = ("found", "missed", "false_alarms", "rejected", "forecast", "log_sum", "brier_sum")
_KEPT = [("label", "i1"), ("said", "i1"), ("score", "<f8"), ("chance", "<f8"), ("weight", "<f8")]
_MOST = 2**62
_WIDEST = 10**8
_HEAVIEST = 2.0**150  # the core takes none above it

Numbers: TypeAlias = "NDArray[np.float64]"


class Judged(NamedTuple):
    """Predictions in columns; no chances, or NaN, where none were given, and no weights where all are 1."""

    labels: NDArray[np.int8]
    said: NDArray[np.int8]
    scores: Numbers
    chances: Numbers | None
    weights: Numbers | None


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
    (0.997, 0.0202)
    >>> metrics.last.rounds, round(metrics.last.accuracy, 3), round(metrics.last.auc, 4)
    (500, 0.976, 0.9668)

    Predictions of any other origin are counted likewise:

    >>> other = th.Metrics()
    >>> other.count([1, 0, 1, 1], predictions=[1, 1, 1, -1], scores=[0.9, 0.2, 0.7, -0.1])
    >>> other.last.recall, other.last.auc, other.last.log_loss is None
    (0.6666666666666666, 0.6666666666666666, True)
    """

    def __init__(self, window: int = 1000) -> None:
        if type(window) is not int or not 1 <= window <= _WIDEST:
            raise ParameterError(f"found window = {window!r}, expected a whole number of rounds from 1 to 10^8")
        self._measures = Measures(window)

    @property
    def window(self) -> int:
        """How many rounds `last` looks back."""
        return self._measures.window

    def enter(self, entered: Round | Rounds) -> None:
        """Adds a round, or many, as `learn` or `learn_many` returned them."""
        if isinstance(entered, Round):
            said = entered.prediction
            chance = said.p_positive if entered.calibrated is None else entered.calibrated
            label, prediction = np.array([entered.label], np.int8), np.array([said.label], np.int8)
            chances = None if chance is None else np.array([chance])
            self.add(Judged(label, prediction, np.array([said.score]), chances, np.array([entered.weight])))
        elif isinstance(entered, Rounds):
            self._measures.enter(entered)
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
        chances = None if p_positive is None else _column("p_positive", p_positive)
        shares = None if weights is None else _column("weights", weights)
        given = _column("predictions", predictions)
        codes = labels.read(y, len(given)).codes
        if not np.isin(codes, (-1, 0, 1)).all() or not np.isin(given, (-1, 0, 1)).all():
            raise LabelError("found labels or predictions other than -1 and +1, expected these (or 0 and 1 for labels)")
        said, truth = given.astype(np.int8), np.where(codes > 0, 1, -1).astype(np.int8)
        judged = Judged(truth, said, _column("scores", scores), chances, shares)
        columns = [column for column in judged if column is not None]
        if any(len(column) != len(said) for column in columns):
            raise ParameterError(f"found columns of {', '.join(str(len(each)) for each in columns)} rows, expected as many")
        _check(judged, ParameterError)
        self.add(judged)

    def add(self, judged: Judged) -> None:
        """Adds predictions that were checked."""
        self._measures.add(*judged)

    @property
    def so_far(self) -> Measured:
        """What was measured of all rounds; without an AUC, for which all scores would have to be kept."""
        return Measured(*self._measures.so_far)

    @property
    def last(self) -> Measured:
        """What was measured of the last `window` rounds, or of all while there are fewer."""
        fetch("numpy")
        return Measured(*self._measures.last, _area(*self._measures.columns()))

    def state(self) -> tuple[dict[str, Any], NDArray[np.uint8]]:
        """Everything, as JSON and bytes can hold it; `from_state` makes it again."""
        columns, so_far = self._measures.columns(), self.so_far
        rows = np.empty(len(columns[0]), _KEPT)
        for (name, _), column in zip(_KEPT, columns, strict=True):
            rows[name] = column
        sums = {name: getattr(so_far, name) for name in _SUMS}
        return {"window": self.window, "rounds": so_far.rounds, **sums}, np.frombuffer(rows.tobytes(), np.uint8)

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        return type(self).from_state, self.state()

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
        if kept.size != np.dtype(_KEPT).itemsize * min(*counts):
            raise StoreError(f"found a window of {kept.size} bytes, expected {min(*counts)} rounds")
        rows = np.frombuffer(kept.tobytes(), _KEPT)
        judged = Judged(*(np.ascontiguousarray(rows[name]) for name, _ in _KEPT))
        if not np.isin(judged.labels, (-1, 1)).all() or not np.isin(judged.said, (-1, 0, 1)).all():
            raise StoreError("found a window with labels other than -1 and +1")
        _check(judged, StoreError)
        made = cls(counts[0])
        made._measures.restore((counts[1], *sums), *judged)
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


def _column(name: str, given: ArrayLike) -> Numbers:
    """One number for each row, NaN where it is masked."""
    try:
        array = cast("Any", given).astype(np.float64).filled(np.nan) if is_masked(given) else np.asarray(given)
        column = np.ascontiguousarray(array, np.float64) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError):  # ragged, or no numbers
        column = None
    if column is None or np.ndim(given) != 1:
        raise ParameterError(f"found {shown(given)} for the {name}, expected one number for each row")
    return column


def _check(judged: Judged, error: type[ParameterError | StoreError]) -> None:
    if judged.chances is not None and _outside(judged.chances, 1.0).any():
        raise error("found a chance below 0 or above 1, expected a probability")
    if judged.weights is not None and (np.isnan(judged.weights) | _outside(judged.weights, _HEAVIEST)).any():
        raise error("found a weight that is no number from 0 to 2^150")


def _outside(numbers: Numbers, most: float) -> NDArray[np.bool_]:
    """Which of them are below 0 or above that; NaN is neither."""
    return (numbers < 0.0) | (numbers > most)


def _area(
    labels: NDArray[np.int8], _said: NDArray[np.int8], scores: Numbers, _chances: Numbers, weights: Numbers
) -> float | None:
    """The area under the curve, exactly: positives are compared with all negatives that score less."""
    if np.isnan(scores).any():
        return None
    levels, place = np.unique(scores, return_inverse=True)
    plus, shares = labels > 0, weights / (weights.max(initial=0.0) or 1.0)
    positive = np.bincount(place[plus], shares[plus], len(levels))
    negative = np.bincount(place[~plus], shares[~plus], len(levels))
    twice = float(np.sum(positive * (2.0 * np.cumsum(negative) - negative)))  # of pairs in order, and once of ties
    return _share(twice, 2.0 * float(positive.sum()) * float(negative.sum()))
