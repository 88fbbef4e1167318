"""Files of learners of many classes: the same container; all arrays of one type lie in one section.

`arrays` in the header lists them in order, each with its name, its type and its shape.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.compose import OneVersusRest
from thresher.data.source import Place
from thresher.errors import StoreError
from thresher.linear import MulticlassPerceptron
from thresher.store import container
from thresher.store.kinds import CLASSES
from thresher.store.spelled import in_order

__all__ = ["ClassLearners", "made", "save"]

#: The learners of many classes that a file can hold.
ClassLearners = MulticlassPerceptron | OneVersusRest

_LEARNERS: dict[str, type[MulticlassPerceptron] | type[OneVersusRest]] = {
    learner.__name__: learner for learner in (MulticlassPerceptron, OneVersusRest)
}
_TYPES = {"float32": "<f4", "float64": "<f8", "int64": "<i8"}


def save(learner: ClassLearners, path: Place) -> None:
    """Writes the learner to a file, whole or not at all."""
    told, arrays = learner.state()
    joined = {
        kind: np.concatenate([np.empty(0, code), *(a.ravel() for a in arrays.values() if a.dtype.name == kind)]).astype(code)
        for kind, code in _TYPES.items()
    }
    container.write(path, _header(told, arrays), joined)


def _header(told: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    listed = [[name, array.dtype.name, list(array.shape)] for name, array in arrays.items()]
    return {"kind": CLASSES, "learner": dict(told), "arrays": listed}


def made(header: Mapping[str, Any], sections: Mapping[str, NDArray[np.uint8]]) -> ClassLearners:
    """The learner of which a header and sections tell."""
    if set(header) != {"kind", "learner", "arrays"} or set(sections) != set(_TYPES):
        raise StoreError("the file is not a learner, its arrays and their numbers")
    told = header["learner"]
    name = told.get("learner") if isinstance(told, Mapping) else None
    if not isinstance(name, str) or name not in _LEARNERS:
        raise StoreError(f"found the learner {name!r}, expected one of {', '.join(_LEARNERS)}")
    learner = _LEARNERS[name].from_state(told, _arrays(header["arrays"], sections))
    again = _header(*learner.state())
    if repr(in_order(again)) != repr(in_order(header)):  # True is not 1, nor is 1.0
        raise StoreError("the header is not spelled as a learner would spell it")
    return learner


def _arrays(listed: object, sections: Mapping[str, NDArray[np.uint8]]) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    used = dict.fromkeys(_TYPES, 0)
    for each in listed if isinstance(listed, list) else [listed]:
        name, kind, shape = each if isinstance(each, list) and len(each) == 3 else (None, None, None)
        if not isinstance(name, str) or not isinstance(kind, str) or kind not in _TYPES:
            raise StoreError(f"found {each!r} for an array, expected its name, its type and its shape")
        if not isinstance(shape, list) or not all(type(size) is int and 0 <= size < 2**48 for size in shape) or name in found:
            raise StoreError(f"found an array {name!r} of shape {shape!r}, expected whole numbers, and every array once")
        start, size = used[kind], math.prod(shape) * np.dtype(_TYPES[kind]).itemsize
        if start + size > sections[kind].size:
            raise StoreError(f"found {sections[kind].size:,} bytes of {kind}, expected more for the array {name!r}")
        found[name] = sections[kind][start : start + size].view(_TYPES[kind]).reshape(shape)
        used[kind] += size
    if any(used[kind] != section.size for kind, section in sections.items()):
        raise StoreError("found more numbers than the arrays have")
    return found
