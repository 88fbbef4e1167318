"""Commands that a user may give next: they must do what they are said to do, so they carry the options of the one that ran."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence

__all__ = ["check_command", "command", "option", "same_command"]

#: What says only how a run is shown, or what is proven of it, and whether a value follows.
_SHOWN_ALONE = ("--quiet", "--json", "--no-check", "--certify")
_SHOWN_WITH = ("--report", "--proof", "--metrics", "--window")
_HOW_SHOWN = {**dict.fromkeys(_SHOWN_ALONE, False), **dict.fromkeys(_SHOWN_WITH, True)}


def command(name: str, places: Iterable[str], options: Sequence[str] = ()) -> str:
    """A command as one would type it.

    >>> command("predict", ["a b.svm"], ["--on-bad", "skip"]), command("learn", ["-odd"], ["--save", "m"])
    ("thresher predict 'a b.svm' --on-bad skip", 'thresher learn --save m -- -odd')
    """
    listed = [*places]
    if any(place.startswith("-") and place != "-" for place in listed):
        return shlex.join(["thresher", name, *options, "--", *listed])
    return shlex.join(["thresher", name, *listed, *options])


def option(name: str, value: str) -> list[str]:
    """An option with its value: as one word, if the value would pass for an option.

    >>> option("--check", "a.json"), option("--check", "-a.json")
    (['--check', 'a.json'], ['--check=-a.json'])
    """
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def same_command(name: str, arguments: Sequence[str], *more: str) -> str:
    """The command that ran, with more options, and without those that only say how it is shown and what is proven.

    >>> same_command("certify", ["a.svm", "--n", "8", "--report=x", "--json"], "--save", "my.proof.json")
    'thresher certify a.svm --n 8 --save my.proof.json'
    """
    left, kept = iter(arguments), list[str]()
    for argument in left:
        if argument == "--":
            return shlex.join(["thresher", name, *kept, *more, "--", *left])
        name_of, given, _ = argument.partition("=")
        if name_of not in _HOW_SHOWN:
            kept.append(argument)
        elif _HOW_SHOWN[name_of] and not given:
            next(left, None)
    return shlex.join(["thresher", name, *kept, *more])


def check_command(options: argparse.Namespace, file: str) -> str:
    """What checks a proof of the source that these options read: what a proof does not remember of them is repeated."""
    more = [] if options.format is None else ["--format", options.format]
    more += [] if options.on_bad == "stop" else ["--on-bad", options.on_bad]
    return command("certify", options.source, [*option("--check", file), *more])
