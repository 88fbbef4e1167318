"""The weights of examples: what `sample_weight` says, times what `class_weight` says."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from thresher.adapters.sklearn.classes import Classes, Codes
from thresher.errors import ParameterError

__all__ = ["balanced", "class_weights", "sample_weights"]


def sample_weights(given: object, rows: int) -> NDArray[np.float64] | None:
    """The weights of rows, or the one that all have, checked; None where none were given."""
    if given is None:
        return None
    if isinstance(given, Real):
        given = np.full(rows, float(given))
    array = check_array(given, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if array.shape != (rows,):
        raise ValueError(f"found sample_weight of shape {array.shape}, expected one weight for each of {rows} rows")
    if rows and array.min() < 0.0:
        raise ValueError(f"found {array.min()} in sample_weight, expected no weight below 0")
    return array


def class_weights(given: object, classes: Classes, codes: Codes, counts: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The weights that the classes of rows give them, after `counts` earlier rows of each class; None where all are 1."""
    if given is None:
        return None
    if isinstance(given, str) and given == "balanced":
        return balanced(codes, np.append(counts, np.zeros(len(classes) - len(counts), np.int64)))
    if not isinstance(given, Mapping):
        raise ParameterError(f'found class_weight = {given!r}, expected None, "balanced", or a weight for each class')
    known = classes.sorted.tolist()
    if not classes.open and (others := list(given.keys() - set(known))):
        raise ParameterError(f"found {others!r} in class_weight, expected some of the classes {known!r}")
    of_class = np.array([given.get(label, 1.0) for label in known], np.float64)
    if not (np.isfinite(of_class) & (of_class >= 0.0)).all():
        raise ParameterError(f"found class_weight = {given!r}, expected finite weights of at least 0")
    return of_class[classes.places][codes]


def balanced(codes: Codes, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """What brings classes into balance as rows come: t/(kₜ·cₜ) for row t, counted with all rows before it and itself.

    kₜ is how many classes there were so far, cₜ how many rows of this row's class. `counts` are the rows of each class before.

    >>> balanced(np.array([0, 0, 0, 1, 0], np.int32), np.zeros(2, np.int64))
    array([1.   , 1.   , 1.   , 2.   , 0.625])
    """
    order = np.argsort(codes, kind="stable")
    grouped = codes[order]
    begins = np.searchsorted(grouped, grouped)
    ordinal = np.empty(len(codes), np.int64)
    ordinal[order] = counts[grouped] + 1 + np.arange(len(codes)) - begins
    classes = np.count_nonzero(counts) + np.cumsum(ordinal == 1)
    t = int(counts.sum()) + np.arange(1, len(codes) + 1)
    weights: NDArray[np.float64] = t / (classes * ordinal)
    return weights
