"""The kinds of learners that a model file can hold, and which of its sections are what.

A file of the kind `learner` has a linear learner's planes as sections by their names, in float64. One of the kind `portfolio`
has a numbered section for each array of its state; `precision` lists their names and types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thresher.errors import ParameterError, StoreError
from thresher.linear import LEARNERS, LinearLearner

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import TypeIs

    from thresher._core import Drawn
    from thresher.compose import Portfolio

__all__ = ["CLASSES", "HELD", "KINDS", "NAMES", "WINDOW", "StoredLearner", "is_stored", "linear", "made", "packed"]

#: What a model file can hold.
StoredLearner: TypeAlias = "LinearLearner | Portfolio"

KINDS = ("learner", "portfolio")

#: The kind of a file with a learner of many classes; thresher.store.many_classes reads those.
CLASSES = "classes"

#: The section of attributes' names, which is no array of the learner.
NAMES = "names"

#: Those of the rounds that metrics look back to, learned and held out; in files of runs that are to go on.
WINDOW, HELD = "window", "held window"

_FORMATS = {"f": "float32", "d": "float64", "l": "int64", "q": "int64"}
_TYPES = {"float32": "<f4", "float64": "<f8", "int64": "<i8"}
_MOST_ARRAYS = 1020  # of the 1,024 sections that a file can have, four are the header, the names and two windows

Sections: TypeAlias = "Mapping[str, NDArray[np.uint8]]"


def is_stored(learner: object) -> TypeIs[StoredLearner]:
    """Whether a model file can hold it."""
    if isinstance(learner, LinearLearner):
        return True
    from thresher.compose import Portfolio

    return isinstance(learner, Portfolio)


def linear(learner: object) -> LinearLearner:
    """The learner, which must be a linear one."""
    if not isinstance(learner, LinearLearner):
        raise ParameterError(f"found {learner!r}, expected a linear learner")
    return learner


def packed(learner: StoredLearner) -> tuple[dict[str, Any], Mapping[str, memoryview | Drawn]]:
    """What a header says of the learner, and its sections; `made` makes it again.

    >>> import thresher as th
    >>> header, sections = packed(th.Portfolio(4, [th.Perceptron(4), th.AROW(4)]))
    >>> header["kind"], header["learner"]["learner"], len(header["precision"]) == len(sections)
    ('portfolio', 'Portfolio', True)
    """
    if isinstance(learner, LinearLearner):
        parameters, planes = learner._bytes()
        return {"kind": "learner", "precision": "float64", "learner": parameters}, planes
    parameters, arrays = learner._bytes()
    if len(arrays) > _MOST_ARRAYS:
        raise StoreError(f"found a portfolio with {len(arrays)} arrays, expected at most {_MOST_ARRAYS}: fewer lanes")
    listed = [[name, _FORMATS[plane.format]] for name, plane in arrays.items()]
    sections = {str(k): plane for k, plane in enumerate(arrays.values())}
    return {"kind": "portfolio", "precision": listed, "learner": parameters}, sections


def made(header: Mapping[str, Any], sections: Sections) -> StoredLearner:
    """The learner of which a header and sections tell, in their memory where that can be."""
    beside = (NAMES, WINDOW, HELD) if "metrics" in header else (NAMES,)
    arrays = {name: array for name, array in sections.items() if name not in beside}
    if header["kind"] == "learner":
        return _learner(header, arrays)
    from thresher.compose import Portfolio

    return Portfolio.from_state(header["learner"], _listed(header["precision"], arrays))


def _learner(header: Mapping[str, Any], arrays: Sections) -> LinearLearner:
    if header["precision"] != "float64":
        raise StoreError(f"found precision {header['precision']!r}, expected 'float64'")
    parameters = header["learner"]
    name = parameters.get("learner") if isinstance(parameters, Mapping) else None
    if not isinstance(name, str) or name not in LEARNERS:
        raise StoreError(f"found the learner {name!r}, expected one of {', '.join(LEARNERS)}")
    return LEARNERS[name]._over(parameters, {each: _numbers(array, "float64") for each, array in arrays.items()})


def _listed(precision: object, arrays: Sections) -> dict[str, NDArray[Any]]:
    """The arrays of a portfolio by their names."""
    if not isinstance(precision, list) or set(arrays) != {str(k) for k in range(len(precision))}:
        raise StoreError("the sections are not those that the precision lists")
    found: dict[str, NDArray[Any]] = {}
    for k, each in enumerate(precision):
        if not isinstance(each, list) or len(each) != 2 or not all(isinstance(word, str) for word in each):
            raise StoreError(f"found {each!r} in the precision, expected the name of an array and its type")
        name, kind = each
        if kind not in _TYPES or name in found:
            raise StoreError(f"found {name!r} of {kind!r}, expected each array once and one of {', '.join(_TYPES)}")
        found[name] = _numbers(arrays[str(k)], kind)
    return found


def _numbers(array: NDArray[np.uint8], kind: str) -> NDArray[Any]:
    size = np.dtype(_TYPES[kind]).itemsize
    if array.size % size:
        raise StoreError(f"found an array of {array.size} bytes, expected numbers of {size}")
    return array.view(_TYPES[kind])
