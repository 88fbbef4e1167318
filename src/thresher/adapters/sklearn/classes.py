"""The classes of a classifier: sorted, as scikit-learn shows them, and as codes in the order in which they were named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_consistent_length, column_or_1d

__all__ = ["Classes", "Codes", "labels"]

Codes: TypeAlias = NDArray[np.signedinteger[Any]]

_KINDS = {"b": "bool", "i": "numbers", "u": "numbers", "f": "numbers", "U": "str", "O": "str", "T": "str"}
#: So many labels usually show all classes: then the others need not be sorted.
_SOME = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """`sorted` are the classes, and `codes` the code of each. While it is `open`, others may come.

    >>> seen, codes = Classes.none().read(np.array(["spam", "ham", "spam"]))
    >>> codes, seen.sorted, seen.codes
    (array([0, 1, 0], dtype=int32), array(['ham', 'spam'], dtype='<U4'), array([1, 0], dtype=int32))
    """

    sorted: NDArray[Any]
    codes: NDArray[np.int32]
    open: bool

    @classmethod
    def none(cls) -> Self:
        """No class yet; all may come."""
        return cls(np.empty(0), np.empty(0, np.int32), open=True)

    @classmethod
    def of(cls, y: NDArray[Any]) -> Self:
        """The classes of these labels, and no others."""
        few = np.unique(y[:_SOME])
        if len(y) > _SOME and not _places(few, y)[1].all():
            few = np.unique(y)
        return cls(few, np.arange(len(few), dtype=np.int32), open=False)

    def __len__(self) -> int:
        return len(self.sorted)

    @property
    def places(self) -> NDArray[np.intp]:
        """For each code the place of its class among the sorted ones."""
        return np.argsort(self.codes)

    def first(self, count: int) -> Classes:
        """Those with the first codes."""
        if count >= len(self):
            return self
        kept = self.codes < count
        return Classes(self.sorted[kept], self.codes[kept], self.open)

    def read(self, y: NDArray[Any]) -> tuple[Classes, Codes]:
        """The codes of labels, and the classes with the new ones among them."""
        if not len(self):
            return self._with(y, np.zeros(len(y), np.bool_))
        if _kind(y) != _kind(self.sorted):
            raise ValueError(f"found labels that are {_kind(y)}, expected {_kind(self.sorted)} like the classes before them")
        places, known = _places(self.sorted, y)
        if not known.all():
            return self._with(y, known)
        return self, self.codes[places] if self.open else places  # as they are named in order, or else sorted

    def _with(self, y: NDArray[Any], known: NDArray[np.bool_]) -> tuple[Classes, Codes]:
        fresh, first = np.unique(y[~known], return_index=True)
        if not self.open:
            some = ", ".join(repr(label) for label in fresh[:5].tolist())
            raise ValueError(f"found the labels {some} in y, expected some of classes = {self.sorted.tolist()!r}")
        codes = np.empty(len(fresh), np.int32)
        codes[np.argsort(first)] = np.arange(len(self), len(self) + len(fresh))
        both = np.concatenate((self.sorted, fresh)) if len(self) else fresh
        order = np.argsort(both)
        more = Classes(both[order], np.concatenate((self.codes, codes))[order], open=True)
        return more, more.codes[_places(more.sorted, y)[0]]


def labels(y: object, X: object, who: str) -> NDArray[Any]:
    """Y as scikit-learn checks it: one label a row of X. What only a look at every label could refuse, is looked at."""
    if y is None:
        raise ValueError(f"{who} requires y to be passed, but the target y is None")
    array = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    check_consistent_length(X, array)
    if array.dtype.kind not in "biuU":  # these are labels, whatever they hold
        assert_all_finite(array, input_name="y")
        check_classification_targets(array)
    return array


def _kind(labels: NDArray[Any]) -> str:
    return _KINDS.get(labels.dtype.kind, str(labels.dtype))


def _places(among: NDArray[Any], y: NDArray[Any]) -> tuple[Codes, NDArray[np.bool_]]:
    """Where each label stands among sorted ones, and whether it does."""
    if len(among) == 2:
        last: NDArray[np.bool_] = y == among[1]
        return last.view(np.int8), last | (y == among[0])
    places = np.minimum(np.searchsorted(among, y), len(among) - 1)
    known: NDArray[np.bool_] = among[places] == y
    return places, known
