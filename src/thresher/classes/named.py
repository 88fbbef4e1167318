"""Classes by name, for states; and what else is taken for a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from thresher.bounds.printed import shown
from thresher.classes.concepts import ConceptClass
from thresher.classes.explicit import AllFunctions, Explicit
from thresher.classes.line import Intervals, Thresholds
from thresher.classes.literals import DNF, Conjunctions, Disjunctions
from thresher.errors import ParameterError, StoreError

__all__ = ["as_class", "restored", "stored"]

_NAMED: dict[str, type[ConceptClass]] = {
    kind.__name__: kind for kind in (AllFunctions, Conjunctions, DNF, Disjunctions, Explicit, Intervals, Thresholds)
}


def as_class(concepts: object) -> ConceptClass:
    """A class as it is; a table of zeros and ones, or a list of its rows, as an explicit one.

    >>> as_class([[0, 1], [1, 1]])
    Explicit(2 concepts on 0, 1)
    """
    if isinstance(concepts, type):
        raise ParameterError(f"found the type {concepts.__name__}, expected a class of concepts made with it")
    return concepts if isinstance(concepts, ConceptClass) else Explicit(concepts)


def stored(concepts: ConceptClass) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What JSON can hold of a class, and its arrays: `restored` makes it again."""
    name = type(concepts).__name__
    if _NAMED.get(name) is not type(concepts):
        raise StoreError(f"found a class of one's own, {name}, whose state nobody could make again")
    return {"class": name, **concepts._arguments()}, concepts._arrays()


def restored(parameters: object, arrays: Mapping[str, NDArray[Any]]) -> ConceptClass:
    """The class that was `stored`.

    >>> restored({"class": "Disjunctions", "n": 3, "monotone": False}, {})
    Disjunctions(n=3, monotone=False)
    """
    name = parameters.get("class") if isinstance(parameters, Mapping) else None
    if not isinstance(parameters, Mapping) or not isinstance(name, str) or name not in _NAMED:
        raise StoreError(f"found {shown(parameters)}, expected one of the classes {', '.join(_NAMED)} with its arguments")
    arguments = {key: value for key, value in parameters.items() if key != "class"}
    try:
        return _NAMED[name]._from(arguments, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the state's arguments do not fit {name}: {error}") from error
