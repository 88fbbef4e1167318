"""Examples with labels to count mistakes on: generated streams, and five public data sets where a folder has their files."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from thresher.data.names import slot_of

__all__ = ["FILES", "GENERATED", "Labelled", "found", "words"]

#: Slots for words.
_SLOTS = 2**18
_WORD = re.compile(r"[a-z0-9']+")


@dataclass(frozen=True)
class Labelled:
    """A stream in the order in which it is to be learned: a CSR matrix of examples, and labels −1 and +1."""

    X: Any
    y: NDArray[np.int64]

    def first(self, rows: int) -> Labelled:
        return Labelled(self.X[:rows], self.y[:rows])


def separable(rng: np.random.Generator, rows: int) -> Labelled:
    """50 normal attributes, a halfspace, and no example within a tenth of a standard deviation of its border."""
    X = rng.standard_normal((2 * rows, 50))
    score = X @ rng.standard_normal(50)
    kept = np.flatnonzero(np.abs(score) > 0.1 * score.std())[:rows]
    return Labelled(scipy.sparse.csr_matrix(X[kept]), _signs(score[kept]))


def noisy(rng: np.random.Generator, rows: int) -> Labelled:
    """50 normal attributes, a halfspace, a tenth of the labels flipped."""
    X = rng.standard_normal((rows, 50))
    y = _signs(X @ rng.standard_normal(50))
    y[rng.random(rows) < 0.1] *= -1
    return Labelled(scipy.sparse.csr_matrix(X), y)


def sparse_target(rng: np.random.Generator, rows: int) -> Labelled:
    """2,000 binary attributes, 40 in an example; positive if one of 35 is there."""
    X = _binary(rng, rows, 2000, 40)
    relevant = rng.choice(2000, 35, replace=False)
    return Labelled(X, _signs(np.asarray(X[:, relevant].sum(axis=1)).ravel() - 0.5))


def dense_target(rng: np.random.Generator, rows: int) -> Labelled:
    """2,000 binary attributes, 40 in an example; all of them matter."""
    X = _binary(rng, rows, 2000, 40)
    return Labelled(X, _signs(X @ rng.standard_normal(2000)))


def drifting(rng: np.random.Generator, rows: int) -> Labelled:
    """200 binary attributes, 20 in an example, a halfspace whose sides change places half way."""
    X = _binary(rng, rows, 200, 20)
    y = _signs(X @ rng.standard_normal(200))
    y[rows // 2 :] *= -1
    return Labelled(X, y)


#: Streams that need no file.
GENERATED: dict[str, Callable[[np.random.Generator, int], Labelled]] = {
    "separable": separable,
    "noisy": noisy,
    "sparse target": sparse_target,
    "dense target": dense_target,
    "drifting": drifting,
}


def _signs(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.where(scores > 0.0, 1, -1).astype(np.int64)


def _binary(rng: np.random.Generator, rows: int, n: int, per_row: int) -> Any:
    columns = np.sort(rng.random((rows, n)).argpartition(per_row, axis=1)[:, :per_row].astype(np.int32), axis=1)
    indptr = np.arange(0, rows * per_row + 1, per_row, dtype=np.int32)
    return scipy.sparse.csr_matrix((np.ones(rows * per_row), columns.ravel(), indptr), shape=(rows, n))


def numbered(file: Path) -> Labelled:
    """Lines of a label and index:value, as svmlight has them, or Vowpal Wabbit with one namespace; labels above 0 are +1."""
    rows, labels = [], []
    for line in file.read_text(encoding="ascii").splitlines():
        label, *entries = (entry for entry in line.split() if not entry.startswith("|"))
        labels.append(float(label))
        pairs = (entry.split(":") for entry in entries)
        rows.append({int(index): float(value) for index, value in pairs})
    return Labelled(_csr(rows, 1 + max(max(row, default=0) for row in rows)), _signs(np.array(labels)))


def words(text: str) -> set[str]:
    """What is taken of a text: its lower-cased runs of letters, digits and apostrophes, each once.

    >>> sorted(words("Free entry! It's FREE."))
    ['entry', 'free', "it's"]
    """
    return set(_WORD.findall(text.lower()))


def messages(file: Path) -> Labelled:
    """Lines of ham or spam, a tab and a text, after a head line. Spam is +1; words are hashed; those in one slot are added."""
    rows, labels = [], []
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        label, _, text = line.partition("\t")
        labels.append(1.0 if label == "spam" else -1.0)
        rows.append({slot: float(count) for slot, count in Counter(slot_of(word, _SLOTS) for word in words(text)).items()})
    return Labelled(_csr(rows, _SLOTS), _signs(np.array(labels)))


def columns(file: Path, label: str) -> Labelled:
    """A CSV file of numbers with a head line; the column `label` is 1 for +1."""
    with file.open(encoding="utf-8", newline="") as lines:
        head, *cells = csv.reader(lines)
    table = np.array(cells, dtype=np.float64)
    where = head.index(label)
    return Labelled(scipy.sparse.csr_matrix(np.delete(table, where, axis=1)), _signs(table[:, where]))


def _csr(rows: Iterable[Mapping[int, float]], n: int) -> Any:
    """Rows without an entry that is 0, ascending."""
    indices: list[int] = []
    values: list[float] = []
    indptr = [0]
    for row in rows:
        for index in sorted(index for index, value in row.items() if value != 0.0):
            indices.append(index)
            values.append(row[index])
        indptr.append(len(indices))
    arrays = (np.array(values), np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int32))
    return scipy.sparse.csr_matrix(arrays, shape=(len(indptr) - 1, n))


#: The data sets by the names of their files. They are not part of the project.
FILES: dict[str, Callable[[Path], Labelled]] = {
    "mushroom.svm": numbered,
    "sms_spam.tsv": messages,
    "adult.svm": numbered,
    "electricity.csv": partial(columns, label="class"),
    "rcv1_small.vw": numbered,
}


def found(folder: Path) -> dict[str, Path]:
    """Which of the data sets the folder has: name to file."""
    files = {file.split(".", maxsplit=1)[0]: folder / file for file in FILES}
    return {name: file for name, file in files.items() if file.is_file()}
