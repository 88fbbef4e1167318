"""A class or a function out of a file of one's own: `file.py:Name`. The file is run."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from thresher.errors import LearnerError
from thresher.lab.limit import TooLong, limited
from thresher.lab.own import near, told_of

__all__ = ["load"]

#: How long a file may take to import.
_SECONDS = 60.0


def load(place: str, what: str = "class") -> Callable[..., Any]:
    """What `file.py:Name` names; a file that does not import is told with the line that is to be mended.

    >>> load("mine.py")
    Traceback (most recent call last):
        ...
    thresher.errors.LearnerError: found 'mine.py', expected file.py:Name, the class after a colon
    """
    file, colon, name = place.rpartition(":")
    if not colon or not file or not name.isidentifier():
        raise LearnerError(f"found {place!r}, expected file.py:Name, the {what} after a colon")
    found = getattr(module := _run(Path(file)), name, None)
    if found is None:
        own = {key: each for key, each in vars(module).items() if getattr(each, "__module__", None) == module.__name__}
        known = [key for key, each in own.items() if not key.startswith("_") and isinstance(each, type) == (what == "class")]
        hint = f"; it has {', '.join(known)}" if known else ""
        raise LearnerError(f"found no {what} {name}{hint}", file=file)
    if not callable(found):
        raise LearnerError(f"found {name}, which is no {what}", file=file)
    made: Callable[..., Any] = found
    return made


def _run(path: Path) -> ModuleType:
    """The file as a module: what lies beside it can be imported, as if it had been run, and nothing is written there."""
    if not path.is_file():
        raise LearnerError("there is no such file", file=str(path))
    name = f"{path.stem} of {path.resolve().parent}"  # so that files of one name do not meet
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LearnerError("found no Python file, expected a name that ends in .py", file=str(path))
    module = module_from_spec(spec)
    before = sys.dont_write_bytecode, sys.path[:]
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[name] = module  # where what is pickled of its classes looks for them
    try:
        with limited(_SECONDS):
            spec.loader.exec_module(module)
    except SyntaxError as error:
        raise LearnerError(
            f"it does not import: {error.msg}", file=near(error.filename or str(path)), line=error.lineno
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename).resolve() == path.resolve()
        ]
        told = f"it does not import: {told_of(error)}"
        if isinstance(error, TooLong):
            told = f"its import was stopped here after {_SECONDS:g} seconds: does it loop?"
        raise LearnerError(told, file=str(path), line=lines[-1] if lines else None) from error
    finally:
        sys.dont_write_bytecode, sys.path[:] = before
    return module
