"""The command line: one file for each command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from thresher import __version__
from thresher.cli import certify, experts, inspect, lab, learn, predict
from thresher.errors import ThresherError
from thresher.threads import MOST_THREADS, processors, use_threads

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

__all__ = ["COMMANDS", "main", "parser"]

#: Every command by its name.
COMMANDS: dict[str, ModuleType] = {
    "learn": learn,
    "predict": predict,
    "experts": experts,
    "certify": certify,
    "lab": lab,
    "inspect": inspect,
}

WRONG = 2
INTERRUPTED = 130


class Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal. argparse makes one for every parser, and asks shutil, which takes its time to come."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        try:
            width = int(columns) if columns.isdecimal() and int(columns) else os.get_terminal_size().columns
        except OSError:
            width = 80
        super().__init__(prog, width=width - 2)


class Parser(argparse.ArgumentParser):
    """An argument parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG, f"{self.prog}: {_one_line(message)}; see {self.prog} --help\n")

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Prints help and version, which argparse does not mind to lose where nothing can be written."""
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        print(message, end="", flush=True)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Whether it is one of the words to choose from, which are answered with the nearest of them if it is not."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            raise argparse.ArgumentError(action, f"{error.message}{_near([value], list(action.choices or ()))}") from None


class Command(Parser):
    """The parser of one command: paragraphs of its description become lines when somebody asks for help."""

    def format_help(self) -> str:
        from textwrap import fill

        self.description = "\n\n".join(fill(paragraph, 80) for paragraph in (self.description or "").split("\n\n"))
        return super().format_help()


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, or of one: who wants that need not wait for the others' options."""
    whole = Parser(
        prog="thresher",
        description="Online learning with proof: learns from a stream, one example at a time, and shows beside every result "
        "what theory proves about it.",
        epilog="Try: thresher learn demo:oranges, or thresher experts demo:forecasts",
        formatter_class=Help,
        allow_abbrev=False,
    )
    whole.set_defaults(parser=whole)
    whole.add_argument("--version", action="version", version=f"thresher {__version__}")
    # With its name given, argparse need not make its help to know it.
    commands = whole.add_subparsers(prog=whole.prog, title="commands", metavar="COMMAND", parser_class=Command)
    for name, module in COMMANDS.items() if command is None else [(command, COMMANDS[command])]:
        about = (module.__doc__ or "").strip()
        first = about.splitlines()[0].rstrip(".")
        one = commands.add_parser(
            name,
            help=first[0].lower() + first[1:],
            description=about,
            formatter_class=Help,
            allow_abbrev=False,
        )
        module.add_options(one)
        one.set_defaults(run=module.run, parser=one)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status: 2 for a wrong argument or bad data, with one line that says why."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's threads would only start, and wait, and be in the way
    _make_streams_usable()
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = argparse.Namespace()
    try:
        options = _parsed(given)
        status = _ran(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read our output has left: write what is still held to nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _say("interrupted; nothing was saved", INTERRUPTED)
    except MemoryError:
        hint = "; try smaller --bits" if hasattr(options, "bits") else ""
        return _say(f"there is not enough memory for this{hint}", WRONG)
    except (ThresherError, OSError, UnicodeError) as error:
        return _say(_one_line(_in_words(error)), WRONG)


def _parsed(given: list[str]) -> argparse.Namespace:
    whole = parser(given[0] if given and given[0] in COMMANDS else None)
    options, unknown = whole.parse_known_args(given)
    if unknown:
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}{_meant(options.parser, unknown, given)}")
    options.arguments = given[1:]
    return options


def _ran(options: argparse.Namespace) -> int:
    if not hasattr(options, "run"):
        options.parser.print_help()
        return 0
    before = use_threads(_for_lanes(getattr(options, "threads", None)))
    try:
        return int(options.run(options))
    finally:
        use_threads(before)


def _for_lanes(threads: int | None) -> int:
    """How many threads learn, where so many read: half of them, since reading a text takes longer than learning from it."""
    return min(max((min(processors(), 8) if threads is None else threads) // 2, 1), MOST_THREADS)


def _make_streams_usable() -> None:
    """A stream that the shell closed becomes an empty one, and what stdout cannot spell is escaped, not refused."""
    if sys.stdin is None:
        sys.stdin = TextIOWrapper(BufferedReader(FileIO(os.devnull)))
    if sys.stdout is None:
        sys.stdout = TextIOWrapper(BufferedWriter(FileIO(os.devnull, "w")), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = TextIOWrapper(BufferedWriter(FileIO(os.devnull, "w")), encoding="utf-8")
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _meant(command: argparse.ArgumentParser, unknown: Sequence[str], given: Sequence[str]) -> str:
    """What to do about options that are not known here: the ones that are spelled nearly like these, as a question."""
    known = [name for action in command._actions for name in action.option_strings if name.startswith("--")]
    options = [argument for argument in unknown if argument.startswith("-") and argument != "--"]
    for option in options:
        name = option.partition("=")[0]
        if name in known:
            where = "before --" if "--" in given[: given.index(option)] else f"behind {command.prog}"
            return f" ({name} has to stand {where})"
    return _near([option.partition("=")[0].lstrip("-") for option in options], [name[2:] for name in known], "--")


def _near(tried: Sequence[str], known: Sequence[str], dashes: str = "") -> str:
    """The words that are spelled nearly like those that were tried, as a question."""
    from difflib import get_close_matches

    near = dict.fromkeys(f"{dashes}{found}" for each in tried for found in get_close_matches(each, known, n=1))
    return f" (did you mean {' and '.join(near)}?)" if near else ""


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return str(error)


def _one_line(message: str) -> str:
    return " ".join(message.splitlines())


def _say(message: str, status: int) -> int:
    with suppress(OSError):
        print(f"thresher: {message}", file=sys.stderr, flush=True)
    return status
