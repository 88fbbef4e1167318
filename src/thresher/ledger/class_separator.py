"""Weights for every class as comparator: the theorems of the multiclass Perceptron."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import bounds, examples
from thresher._core import LARGEST_VALUE, Block
from thresher.bounds import Certificate, Premise, Status
from thresher.bounds.printed import above, below
from thresher.bounds.rounding import multiclass_factor
from thresher.class_labels import ClassLabel, ClassLabels
from thresher.class_rounds import ClassOrigin, ClassRounds
from thresher.errors import ExampleError, LedgerError, ParameterError
from thresher.ledger.class_tally import ClassTally
from thresher.ledger.statement import Statement, certificate
from thresher.linear import MulticlassPerceptron
from thresher.linear.learner import within
from thresher.parameters import number

__all__ = ["ClassSeparator"]

_ROWS = 2**20  # numbers of a table at a time


class ClassSeparator:
    """The comparator U: "hold the learner against these weights, a vector for each class".

    `weights` has a row for each of `classes` and a column for each attribute, `bias_weights` the weights of the learner's
    appended attribute, if it has one. A class that is not among them has weights of 0. `margin` is the γ at which distances
    are summed where U does not separate the classes. How U was found does not matter: it is checked, every number rounded to
    the safe side; and so is the learner: the ledger plays the rounds again, and compares.

    >>> import thresher as th
    >>> learner = th.MulticlassPerceptron(3, classes=["oak", "fir", "yew"])
    >>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 20, ["oak", "fir", "yew"] * 20
    >>> ledger = th.Ledger(th.ClassSeparator([[1, 0, 0], [0, 1, 0], [0, 0, 1]], classes=["oak", "fir", "yew"]))
    >>> ledger.enter(learner.learn_many(X, y))
    >>> ledger.headline
    <certificate: certified: 2 of at most 6 mistakes in 60 rounds by multiclass Perceptron, separable>
    >>> ledger.headline.lines()["Says"]
    'in any order of these 60 rows, one pass makes at most 6 mistakes'
    """

    def __init__(
        self,
        weights: ArrayLike,
        *,
        classes: Iterable[ClassLabel],
        bias_weights: ArrayLike | None = None,
        margin: float = 1.0,
        called: str = "the U that was given",
    ) -> None:
        self._classes = ClassLabels(classes)
        table = np.array(_numbers("weights", weights), np.float64, ndmin=2)
        biases = np.zeros(len(self.classes)) if bias_weights is None else np.array(_numbers("bias_weights", bias_weights))
        if table.ndim != 2 or len(table) != len(self.classes) or biases.shape != (len(self.classes),):
            raise ParameterError(
                f"found weights of shape {table.shape} and bias_weights of shape {biases.shape}, "
                f"expected a row, and a number, for each of {len(self.classes)} classes"
            )
        self._table = np.column_stack([table, biases])
        if self._table.size == 0 or not within(self._table, LARGEST_VALUE):
            raise ParameterError("found a weight in U that is not a finite number of at most 2^250 (1.8e75), or none")
        self._margin = number("margin", margin, "a number above 0")
        if not 1 / LARGEST_VALUE <= self.margin <= LARGEST_VALUE:
            raise ParameterError(f"found margin = {margin!r}, expected a number from 2^-250 to 2^250")
        self.called = called

    @classmethod
    def of(cls, learner: MulticlassPerceptron, *, margin: float = 1.0) -> ClassSeparator:
        """The weights that a learner has now, as comparator."""
        called = f"the learner's weights after {learner.rounds:,} rounds"
        return cls(learner.weights, classes=learner.classes, bias_weights=learner.bias_weights, margin=margin, called=called)

    @property
    def classes(self) -> ClassLabels:
        """The classes that have weights."""
        return self._classes

    @property
    def margin(self) -> float:
        """The γ at which distances are summed."""
        return self._margin

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""
        return len(self._table[0]) - 1

    @property
    def norm(self) -> float:
        """‖U‖ with the bias weights, from above."""
        largest = float(np.abs(self._table).max())
        if largest == 0.0:
            return 0.0
        return largest * math.sqrt(math.fsum(((self._table / largest) ** 2).ravel())) * (1.0 + 2.0**-48)

    def watch_classes(self) -> ClassSeparatorWatcher:
        """A fresh watcher for one ledger."""
        return ClassSeparatorWatcher(self)

    def margins(self, rows: Any, biases: float, codes: NDArray[np.int32], classes: ClassLabels) -> NDArray[np.float64]:
        """From below, for each row u_y·x − max over c ≠ y of u_c·x, over these classes and the comparator's own."""
        every = classes.with_all(self.classes)
        table = np.zeros((len(every), self._table.shape[1]))
        table[[every.code(label) for label in self.classes]] = self._table
        scores = rows @ table[:, :-1].T + biases * table[:, -1]
        sizes = abs(rows) @ np.abs(table[:, :-1]).T + np.abs(biases * table[:, -1])
        terms = int(np.diff(rows.indptr).max(initial=0)) + 2
        off = sizes * (terms * 2.0**-51) + terms * 2.0**-1000  # twice what any order of summing can be off
        at = np.arange(len(codes)), codes
        right = scores[at] - off[at]
        rest = scores + off
        rest[at] = -np.inf
        other = rest.max(axis=1) if len(every) > 1 else np.full(len(codes), -np.inf)
        with np.errstate(invalid="ignore"):
            margins = right - other
            slack = 2.0**-51 * (np.abs(right) + np.abs(other)) + 2.0**-1000
            return np.where(np.isinf(other), np.inf, margins - slack)

    def __repr__(self) -> str:
        return f"ClassSeparator(<{len(self.classes)} × {self.n} weights>, margin={self.margin!r})"


@dataclass(frozen=True)
class _Sums:
    """What was summed, each on the safe side; `different` is the first round that another learner would not have played."""

    smallest: float = math.inf
    distance: float = 0.0
    largest_norm: float = 0.0
    terms: int = 0
    different: int | None = None
    again: MulticlassPerceptron | None = None
    classes: ClassLabels = field(default_factory=ClassLabels)


class ClassSeparatorWatcher:
    """A class separator at work: it sums margins, and plays the rounds again."""

    def __init__(self, separator: ClassSeparator) -> None:
        self._separator = separator
        self._sums = _Sums()

    def enter(self, entered: ClassRounds) -> Callable[[], None]:
        before = self._sums
        origin = entered.origin
        if origin is None or origin.learner != "MulticlassPerceptron":
            return lambda: None
        if origin.n != self._separator.n:
            raise LedgerError(f"found rounds of {origin.n} attributes, expected {self._separator.n} as the comparator has")
        rows = _rows(entered, origin.n)
        again = _fresh(origin) if before.again is None else copy(before.again)
        different = before.different or _differs(again, entered, rows)
        self._sums = self._summed(before, entered, rows, origin, again=again, different=different)

        def take_back() -> None:
            self._sums = before

        return take_back

    def _summed(
        self,
        sums: _Sums,
        entered: ClassRounds,
        rows: Any,
        origin: ClassOrigin,
        *,
        again: MulticlassPerceptron,
        different: int | None,
    ) -> _Sums:
        smallest, distance, largest, bias = sums.smallest, [sums.distance], sums.largest_norm, origin.bias or 0.0
        terms = max([sums.terms, *np.diff(rows.indptr).tolist()])
        step = max(1, _ROWS // max(1, len(self._separator.classes) + len(entered.classes)))
        classes = sums.classes.with_all(ClassLabels(origin.known)).with_all(entered.classes)
        codes = np.array([classes.code(label) for label in entered.classes], np.int32)[entered.labels]
        for start in range(0, len(entered), step):
            part = rows[start : start + step]
            margins = self._separator.margins(part, bias, codes[start : start + step], classes)
            smallest = min(smallest, float(margins.min()))
            missing = np.maximum(0.0, self._separator.margin - margins) * (1.0 + 2.0**-50)
            distance.append(math.fsum(missing))
            largest = max(largest, _largest_norm(part, bias))
        total = math.fsum(distance) * (1.0 + 2.0**-50)
        return _Sums(smallest, total, largest, terms, different, again, classes)

    def certificates(self, tally: ClassTally) -> list[Certificate]:
        """The separable form, void where U does not separate the rounds, and the form that holds for any U."""
        sums, gamma = self._sums, self._separator.margin
        if sums.again is None:
            return []
        norm, counted = self._separator.norm, tally.mistakes - tally.nameless
        separated = sums.smallest > 0.0
        margin = sums.smallest if separated and math.isfinite(sums.smallest) else gamma
        factor = multiclass_factor(sums.largest_norm, rounds=tally.rounds, terms=sums.terms + 1)
        covered = "the learner's rounding to float64 is covered"
        rounding = (
            Premise(covered, Status.BROKEN, "too many rounds, or examples too small, for its proof")
            if math.isinf(factor)
            else Premise(covered, Status.CHECKED, f"by norms larger by a relative {above(factor - 1)}")
        )
        radius = sums.largest_norm * (1.0 if math.isinf(factor) else factor)
        witness = f"{self._separator.called}, ‖U‖ ≤ {above(norm)}; every ‖x‖ ≤ {above(sums.largest_norm)}"
        separates = Premise(
            "u_y·x − u_c·x ≥ γ > 0 for every other class on every round",
            Status.CHECKED if separated else Status.BROKEN,
            f"γ = {below(margin)}" if separated else f"not shown: the smallest is only known to be {below(sums.smallest)}",
        )
        named = all(label in self._separator.classes for label in sums.classes)  # in another order they might meet others
        statements = [
            Statement(
                bounds.multiclass_perceptron,
                {"margin": margin, "radius": radius, "norm": norm, "known": not tally.nameless},
                witness,
                (separates, rounding),
                any_order=named,
                counted=counted,
            ),
            Statement(
                bounds.multiclass_perceptron_distance,
                {"distance": sums.distance, "margin": gamma, "radius": radius, "norm": norm, "known": not tally.nameless},
                f"{witness}; γ = {gamma!r}, D = Σ max(0, γ − margin) ≤ {above(sums.distance)}",
                (rounding,),
                any_order=named,
                counted=counted,
            ),
        ]
        return [certificate(tally, statement, _played(tally, sums)) for statement in statements]


def _played(tally: ClassTally, sums: _Sums) -> tuple[Premise, ...]:
    """The premises on how the rounds were played: by one learner, from its beginning, every example with weight 1."""
    one, begins, even = "the rounds are one multiclass Perceptron's", "they begin at zero weights", "every example has weight 1"
    if tally.first != 1:
        first = Premise(begins, Status.BROKEN, f"the ledger begins at round {tally.first}")
        return (Premise(one, Status.ASSUMED), first)
    same = Premise(one, Status.CHECKED, "they were played again, and came out the same")
    if sums.different is not None:
        same = Premise(one, Status.BROKEN, f"round {sums.different} came out differently when it was played again")
    weighted = Premise(even, Status.CHECKED)
    if tally.weighted is not None:
        weighted = Premise(even, Status.BROKEN, f"not the one of round {tally.weighted}")
    nameless = Premise("the first round, in which no class was known, is not counted", Status.CHECKED)
    return (same, Premise(begins, Status.CHECKED), weighted, *((nameless,) if tally.nameless else ()))


def _fresh(origin: ClassOrigin) -> MulticlassPerceptron:
    try:
        return MulticlassPerceptron(origin.n, bias=origin.bias, classes=origin.known)
    except (ParameterError, ExampleError) as error:
        raise LedgerError(f"found rounds of a learner that there cannot be: {error}") from error


def _differs(again: MulticlassPerceptron, entered: ClassRounds, rows: Any) -> int | None:
    """The first round that comes out differently when it is played again; None if all are the same."""
    if entered.first != again.rounds + 1:
        return entered.first
    labels = entered.classes.labels(entered.labels)
    try:
        played = again.learn_many(rows, labels, entered.weights)
    except ExampleError as error:
        return entered.first + (error.row or 0)
    said = played.classes.labels(played.predictions).astype(object) != entered.classes.labels(entered.predictions).astype(
        object
    )
    other = said | (played.changed != entered.changed)
    found = np.flatnonzero(other)
    return entered.first + int(found[0]) if found.size else None


def _rows(entered: ClassRounds, n: int) -> Any:
    """The examples as a sparse matrix of float64."""
    import scipy.sparse as sp

    given: Any = entered.examples
    if isinstance(given, Block) and len(given) >= len(entered):
        found = [given[k] for k in range(len(entered))]
        indptr = np.cumsum([0, *(len(row) for row in found)])
        indices = [slot for row in found for slot in row]
        values = np.array([value for row in found for value in row.values()], np.float64)
        matrix = sp.csr_array((values, indices, indptr), shape=(len(found), n))
    else:
        try:
            matrix = sp.csr_array(examples.many(given, n)[1])[: len(entered)].astype(np.float64)
        except ExampleError as error:
            raise LedgerError(f"found rounds whose examples cannot be read: {error}") from error
    if matrix.shape[0] != len(entered):
        raise LedgerError(f"found {matrix.shape[0]} examples for {len(entered)} rounds, expected one for each")
    matrix.eliminate_zeros()
    return matrix


def _largest_norm(rows: Any, bias: float) -> float:
    """The largest ‖x‖ with the appended attribute, from above."""
    largest = max(abs(bias), float(np.abs(rows.data).max(initial=0.0)))
    if largest == 0.0:
        return 0.0
    scaled = rows / largest  # so that no square is lost
    squares = np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel() + (bias / largest) ** 2
    return largest * math.sqrt(float(squares.max())) * (1.0 + (int(np.diff(rows.indptr).max()) + 16) * 2.0**-51)


def _numbers(name: str, given: ArrayLike) -> NDArray[Any]:
    try:
        return examples.numeric(given, name, "one number for each class and attribute")
    except ExampleError as error:
        raise ParameterError(str(error)) from None
