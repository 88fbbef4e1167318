from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")

def available_if(
    check: Callable[[S], bool],
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]: ...
