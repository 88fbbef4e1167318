"""What is imported when it is first used, so that nobody waits for what they do not use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

__all__ = ["fetch", "late", "postpone"]


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


class _Postponed(ModuleType):
    """Stands for a module until something of it is asked for."""

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        found: object = getattr(import_module(self.__name__), name)
        setattr(self, name, found)  # the next one need not ask
        return found


def fetch(module: str) -> None:
    """Imports what was postponed now: before the core does, in which a Ctrl-C meanwhile would become another error."""
    if isinstance(postponed := sys.modules.get(module), _Postponed):
        getattr(postponed, "__file__", None)


def postpone(module: str) -> None:
    """From now on `import module` takes no time until something of it is used.

    It is for processes of our own: numpy takes longer to import than a command that reads text needs for all else together.
    """
    sys.modules.setdefault(module, _Postponed(module))
