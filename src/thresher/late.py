"""What is imported when it is first used, so that nobody waits for what they do not use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # which one need not be, and whose module takes as long to import as all of ours

__all__ = ["fetch", "late", "postpone"]


def late(package: str, **homes: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package: for each of its modules the names to be found there, with blanks between.

    A name may not be that of a module of the package: whoever imports the module would put it there instead.

    >>> find, names = late("thresher.data", names="slot_of", recipe="Recipe FORMATS")
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

    def names() -> list[str]:
        module = sys.modules[package]
        return sorted({*module.__all__, *(name for name in vars(module) if name.startswith("__"))})

    return find, names


class _Postponed(ModuleType):
    """Stands for a module until something of it is asked for."""

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        found: object = getattr(import_module(self.__name__), name)
        setattr(self, name, found)  # the next one need not ask
        return found


class _Come:
    """Finds a module that came with its package, when the package was postponed until Python looked for the module in it.

    Python has then made up its mind to load the module, and would do so once more: it is given the one that is there.
    """

    def __init__(self, package: str) -> None:
        self._within = f"{package}."

    def find_spec(self, name: str, _path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        there = sys.modules.get(name) if name.startswith(self._within) and target is None else None
        return None if there is None else ModuleSpec(name, _There(there))


class _There(Loader):
    """Loads what is there already, and leaves it as it is."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def fetch(module: str) -> None:
    """Imports what was postponed now: before the core does, in which a Ctrl-C meanwhile would become another error."""
    if isinstance(postponed := sys.modules.get(module), _Postponed):
        getattr(postponed, "__file__", None)


def postpone(module: str) -> None:
    """From now on `import module` takes no time until something of it is used.

    It is for processes of our own: numpy takes longer to import than a command that reads text needs for all else together.
    """
    if module not in sys.modules:
        sys.modules[module] = _Postponed(module)
        sys.meta_path.insert(0, _Come(module))
