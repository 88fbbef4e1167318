"""Names that a package imports when they are first used, so that nobody waits for what they do not use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

__all__ = ["late"]


def late(package: str, **homes: str) -> Callable[[str], object]:
    """The `__getattr__` of a package: for each of its modules, the names that are to be found there, with blanks between them.

    A name may not be that of a module of the package: whoever imports the module would put it there instead.

    >>> find = late("thresher.data", names="slot_of", recipe="Recipe FORMATS")
    >>> find("Recipe")
    <class 'thresher.data.recipe.Recipe'>
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, found)  # the next one need not ask
        return found

    return find
