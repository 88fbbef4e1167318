"""Labels of more than two classes: as they are given, and as codes in the order in which they appeared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thresher.errors import LabelError
from thresher.examples import is_masked

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_CLASS", "ClassLabel", "ClassLabels"]

ClassLabel: TypeAlias = str | int | bool

#: The code of what is no class: a label that cannot be one, or a prediction before any class was seen.
NO_CLASS = -1


class ClassLabels:
    """The classes seen so far, all str, all int or all bool. A class's code is its place among them.

    Nothing here ever changes: `read` gives the codes of more labels, and the classes with the new ones behind.

    >>> seen = ClassLabels(["spam", "ham"])
    >>> codes, more = seen.read(["ham", "news", "spam", "news"], 4)
    >>> codes, list(more), len(seen)
    (array([1, 2, 0, 2], dtype=int32), ['spam', 'ham', 'news'], 2)
    """

    def __init__(self, labels: Iterable[object] = ()) -> None:
        # Those that `read` gives share both and differ in how many are theirs: to add a class costs no copy.
        self._codes: dict[ClassLabel, int] = {}
        self._labels: list[ClassLabel] = []
        self._count = 0
        for given in labels:
            label = _plain(given)
            if label is None or not self._fits(label):
                raise LabelError(f"found {_shown(given)} for a class, expected {self._expected()}")
            if label in self._codes:
                raise LabelError(f"found the class {_shown(label)} twice, expected every class once")
            self._add(label)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[ClassLabel]:
        return iter(self._labels[: self._count])

    def __contains__(self, label: object) -> bool:
        return self.code(label) != NO_CLASS

    def __getitem__(self, code: int) -> ClassLabel | None:
        """The class with this code; None for `NO_CLASS`."""
        return None if code == NO_CLASS else self.at(code)

    def at(self, code: int) -> ClassLabel:
        """The class with this code, of which there must be one."""
        return self._labels[range(self._count)[code]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassLabels) and self._kind == other._kind and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"ClassLabels({list(self)!r})"

    def __reduce__(self) -> tuple[type[ClassLabels], tuple[list[ClassLabel]]]:
        return ClassLabels, (list(self),)

    def first(self, count: int) -> ClassLabels:
        """The classes that appeared first."""
        return self if count >= len(self) else self._with(count)

    def with_all(self, others: ClassLabels) -> ClassLabels:
        """These classes, and behind them those of the others that are not among them."""
        return self if all(label in self for label in others) else ClassLabels(dict.fromkeys([*self, *others]))

    def code(self, label: object) -> int:
        """The code of a label, `NO_CLASS` if it is none of these classes."""
        plain = _plain(label)
        code = NO_CLASS if plain is None or not self._fits(plain) else self._codes.get(plain, NO_CLASS)
        return code if code < self._count else NO_CLASS

    def refused(self, label: object) -> str:
        """Why a label cannot be a class beside these, in words; nothing, if it can."""
        plain = _plain(label)
        if plain is not None and self._fits(plain):
            return ""
        whole = isinstance(label, float) and label.is_integer() and self._kind in (None, int)
        return f"found label {_shown(label)}, expected {self._expected()}" + (": try y.astype(int)" if whole else "")

    def read(self, y: object, rows: int) -> tuple[NDArray[np.int32], ClassLabels]:
        """The codes of many labels, and these classes with the new ones behind, in order of appearance.

        A label that cannot be one has the code `NO_CLASS`: whoever comes to its row refuses it, and says why by `refused`.
        """
        codes, more, _ = self.read_given(y, rows)
        return codes, more

    def read_given(self, y: object, rows: int) -> tuple[NDArray[np.int32], ClassLabels, Sequence[object] | NDArray[Any]]:
        """The same, and the labels as they were given, one by one."""
        given = _given(y)
        if len(given) != rows:
            raise LabelError(f"found {len(given)} labels, expected one for each of {rows} rows")
        if isinstance(given, list):
            return *self._one_by_one([_plain(label) for label in given]), given
        distinct, firsts, inverse = np.unique(given, return_index=True, return_inverse=True)
        order = np.argsort(firsts)  # of appearance
        codes, more = self._one_by_one(distinct[order].tolist())
        of_distinct = np.empty_like(codes)
        of_distinct[order] = codes
        return of_distinct[inverse], more, given

    def labels(self, codes: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """The classes with these codes, as an array: of str, int or bool, of objects where one is `NO_CLASS`.

        >>> ClassLabels(["spam", "ham"]).labels(np.array([1, 1, 0]))
        array(['ham', 'ham', 'spam'], dtype='<U4')
        """
        named: NDArray[Any] = np.array([*self, None], object)[codes]
        if len(codes) == 0 or np.min(codes) < 0:
            return named
        plain = np.array(named.tolist())
        return plain if plain.dtype.kind in "biU" and plain.tolist() == named.tolist() else named  # no int, no NUL is lost

    def _one_by_one(self, labels: list[Any]) -> tuple[NDArray[np.int32], ClassLabels]:
        codes, more = np.empty(len(labels), np.int32), self._with(self._count)
        for k, label in enumerate(labels):
            if label is None or not more._fits(label):
                codes[k] = NO_CLASS
                continue
            if (code := more._codes.get(label, NO_CLASS)) == NO_CLASS or code >= more._count:
                code = more._add(label)
            codes[k] = code
        return codes, self if len(more) == len(self) else more

    def _with(self, count: int) -> ClassLabels:
        """The first of these, in the same memory."""
        same = ClassLabels()
        same._codes, same._labels, same._count = self._codes, self._labels, count
        return same

    def _add(self, label: ClassLabel) -> int:
        """A class more; if others have added some of their own behind these, first in memory of its own."""
        if len(self._labels) > self._count:
            self._labels = self._labels[: self._count]
            self._codes = {each: code for code, each in enumerate(self._labels)}
        code = self._count
        self._labels.append(label)
        self._codes[label] = code
        self._count += 1
        return code

    @property
    def _kind(self) -> type | None:
        return type(self._labels[0]) if self._count else None

    def _fits(self, label: ClassLabel) -> bool:
        return self._kind is None or type(label) is self._kind

    def _expected(self) -> str:
        if self._kind is None:
            return "a str, an int or a bool"
        return f"a label of type {self._kind.__name__} like the classes before it"


def _plain(label: object) -> ClassLabel | None:
    """The label as Python's own str, int or bool; None, if it is no such thing."""
    if isinstance(label, np.bool_ | np.integer | np.str_):
        label = label.item()
    if isinstance(label, bool):  # an int to Python, but no class beside ints
        return label
    if isinstance(label, int):
        return int(label)
    return str.__str__(label) if isinstance(label, str) else None


def _shown(label: object) -> str:
    """A label for a message, not too long."""
    try:
        text = repr(label)
    except ValueError:  # an int of too many digits
        return f"an {type(label).__name__} of many digits"
    return text if len(text) <= 80 else f"{text[:79]}…"


def _given(y: object) -> list[object] | NDArray[Any]:
    """An array where y is one of labels, else its elements one by one, each as it is."""
    if isinstance(y, np.ndarray) and not is_masked(y):
        if y.ndim != 1:
            raise LabelError(f"found labels of shape {y.shape}, expected one dimension")
        return y if y.dtype.kind in "biuU" else list(y)
    if not isinstance(y, Iterable) or isinstance(y, str | bytes):
        raise LabelError(f"found {type(y).__name__} for the labels, expected one for each row")
    return list(y)
