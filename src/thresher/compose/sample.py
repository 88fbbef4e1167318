"""A sample of examples with labels, as it is given: pairs, one by one, or the rows of X with y."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sized
from itertools import zip_longest
from typing import Any, cast

from thresher.bounds.printed import shown
from thresher.errors import ExampleError, LabelError, NotRealizable, ParameterError

__all__ = ["at_round", "pairs", "placed", "rows"]

_NONE = object()


def pairs(sample: object) -> Iterator[tuple[Any, Any]]:
    """The examples with their labels, in order; of an iterator no more are taken than are asked for.

    A tuple of two is X and y, one row and one label for each example; anything else is an iterable of pairs (x, y).

    >>> list(pairs(([[1, 0], [0, 1]], [1, -1])))
    [([1, 0], 1), ([0, 1], -1)]
    >>> list(pairs([({0}, 1)]))
    [({0}, 1)]
    """
    if isinstance(sample, tuple) and len(sample) == 2:
        X, y = sample
        for row, (x, label) in enumerate(zip_longest(rows(X), _labels(y, X), fillvalue=_NONE)):
            if x is _NONE or label is _NONE:
                found = "a label without an example" if x is _NONE else "an example without a label"
                raise LabelError(f"row {row}: found {found}, expected one label for each row", row=row)
            yield x, label
        return
    if not isinstance(sample, Iterable) or isinstance(sample, str | bytes):
        raise ParameterError(f"found {type(sample).__name__} for the sample, expected pairs (x, y), or X and y as a tuple")
    for row, pair in enumerate(sample):
        try:
            x, y = pair
        except (TypeError, ValueError):
            raise ExampleError(f"row {row}: found {shown(pair)}, expected an example with its label (x, y)", row=row) from None
        yield x, y


def rows(X: object) -> Iterator[Any]:
    """One example after the other: of a sparse matrix rows that are sparse, too."""
    if hasattr(X, "tocsr"):
        matrix = cast("Any", X).tocsr()
        return (matrix[[row]] for row in range(matrix.shape[0]))
    if not isinstance(X, Iterable) or isinstance(X, str | bytes):
        raise ParameterError(f"found {type(X).__name__} for X, expected a row for each example")
    return iter(X)


def placed(error: ExampleError, row: int) -> ExampleError:
    """The same error, with the number of the row, from 0, that it is about."""
    kind = LabelError if isinstance(error, LabelError) else ExampleError
    return kind(f"row {row}: {error}", row=row, column=error.column)


def at_round(error: NotRealizable, where: str) -> NotRealizable:
    """The same error, said of another round than the one that the learner inside has counted.

    >>> at_round(NotRealizable("round 1: no expert is left"), "round 3 of the sample")
    NotRealizable('round 3 of the sample: no expert is left')
    """
    return NotRealizable(f"{where}: {re.sub(r'^round [0-9,]+: ', '', str(error))}")


def _labels(y: object, X: object) -> Iterator[Any]:
    if not isinstance(y, Iterable) or isinstance(y, str | bytes):
        raise LabelError(f"found {type(y).__name__} for the labels, expected one for each row")
    shape = getattr(X, "shape", None)
    found = shape[0] if shape else len(X) if isinstance(X, Sized) else None
    if isinstance(y, Sized) and found is not None and len(y) != found:
        raise LabelError(f"found {len(y)} labels, expected one for each of {found} rows")
    return iter(y)
