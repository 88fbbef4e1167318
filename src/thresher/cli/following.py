"""Commands that a user may give next: they must do what they are said to do, so they carry the options of the one that ran."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence

__all__ = ["check_command", "command", "same_command"]

#: What says only how a run is shown, and whether a value follows.
_HOW_SHOWN = {"--quiet": False, "--json": False, "--no-check": False, "--report": True, "--metrics": True, "--window": True}


def command(name: str, places: Iterable[str], options: Sequence[str] = ()) -> str:
    """A command as one would type it.

    >>> command("predict", ["a b.svm"], ["--on-bad", "skip"]), command("learn", ["-odd"], ["--save", "m"])
    ("thresher predict 'a b.svm' --on-bad skip", 'thresher learn --save m -- -odd')
    """
    listed = [*places]
    if any(place.startswith("-") and place != "-" for place in listed):
        return shlex.join(["thresher", name, *options, "--", *listed])
    return shlex.join(["thresher", name, *listed, *options])


def same_command(name: str, arguments: Sequence[str], *more: str, without: Sequence[str] = ()) -> str:
    """The command that ran, with more options, and without those that only say how it is shown, or which are left out.

    >>> same_command("certify", ["a.svm", "--n", "8", "--report=x", "--json"], "--save", "my.proof.json")
    'thresher certify a.svm --n 8 --save my.proof.json'
    """
    dropped, left = {**_HOW_SHOWN, **dict.fromkeys(without, False)}, iter(arguments)
    kept: list[str] = []
    for argument in left:
        if argument == "--":
            return shlex.join(["thresher", name, *kept, *more, "--", *left])
        if argument.partition("=")[0] not in dropped:
            kept.append(argument)
        elif dropped[argument.partition("=")[0]] and "=" not in argument:
            next(left, None)
    return shlex.join(["thresher", name, *kept, *more])


def check_command(options: argparse.Namespace, file: str) -> str:
    """What checks a proof of the source that these options read: what a proof does not remember of them is repeated."""
    more = [] if options.format is None else ["--format", options.format]
    more += [] if options.on_bad == "stop" else ["--on-bad", options.on_bad]
    return command("certify", options.source, ["--check", file, *more])
