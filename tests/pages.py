"""What the documentation shows of the command line is what it prints: `python -m tests.pages` writes it anew, all of it or what
is named: `python -m tests.pages docs/course`.

In a block of `console`, lines that begin with `$ ` are run, all of a page in one folder, and what they print follows. At first
that folder has a file for each block of `python` whose first line names one, as `# mail.py`, and nothing else.
The pages in docs/commands are made from the commands' own options, docs/theorems.md from the functions that make bounds,
docs/benchmarks.md, its picture and the README's table of times from benchmarks/results.json, the figures of docs/course by
tests/course.py.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.page import benchmarks_page, growth_picture, readme
from benchmarks.record import COMMITTED, Record, read
from tests.course import FIGURES
from tests.theorems import theorems_page
from thresher.cli import COMMANDS, parser

__all__ = ["GENERATED", "ROOT"]

ROOT = Path(__file__).parent.parent

_GALLERY = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "gallery").glob("*.md"))
_COURSE = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "course").glob("*.md"))
_RUN = (
    "docs/tutorial.md",
    "docs/tables.md",
    "docs/metrics.md",
    "docs/forecasters.md",
    "docs/from-vowpal-wabbit.md",
    "docs/lab.md",
    *_GALLERY,
    *_COURSE,
)

_FILE = re.compile(r"^```python\n(# (\w+\.py)\n.*?)^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"(?<=^```console\n)(\$ .*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def _with_output(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for program, name in _FILE.findall(text):
            Path(folder, name).write_text(program, encoding="utf-8")
        return _BLOCK.sub(lambda block: _played(block[0], folder), text)


def _readme() -> str:
    return readme(_with_output(ROOT / "README.md"), read(COMMITTED))


def _measured(make: Callable[[Record], str]) -> str:
    return make(read(COMMITTED))


def _played(block: str, folder: str) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{command}\n{_output(command.removeprefix('$ '), folder)}" for command in commands)


def _output(command: str, folder: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode()


def _command_page(name: str) -> str:
    commands = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    command: argparse.ArgumentParser = commands.choices[name]
    title, _, about = (COMMANDS[name].__doc__ or "").strip().partition("\n")
    lines = [f"# thresher {name}", "", title, about.strip() and f"\n{about.strip()}"]
    for group in command._action_groups:
        actions = [action for action in group._group_actions if not isinstance(action, argparse._HelpAction)]
        if actions:
            heading = "arguments" if group.title == "positional arguments" else group.title or ""
            lines += ["", f"## {heading[0].upper()}{heading[1:]}", "", "| | |", "|---|---|"]
            lines += [f"| {_spelled(action)} | {action.help} |" for action in actions]
    if command.epilog:
        heading, _, examples = command.epilog.partition("\n")
        lines += ["", f"## {heading.rstrip(':').capitalize()}", "", "```console"]
        lines += [line.strip() for line in examples.splitlines()]
        lines += ["```"]
    lines += ["", "## Exit status", ""]
    lines += (
        ["0 if all went well; 1 if a learner or a bound of your own is refuted;"] if name == "lab" else ["0 if all went well;"]
    )
    lines[-1] += " 2 for a wrong argument or bad data, with one line on stderr that says what was found where"
    lines += [
        "and what was expected; 3 if a theorem with checked premises fails, which would be a bug of ours; 130 after Ctrl-C."
    ]
    return "\n".join(lines) + "\n"


def _spelled(action: argparse.Action) -> str:
    """As it is typed, in code; of several choices the first with its option, then the others."""
    several = " ..." if action.nargs == "+" else ""
    if not action.option_strings:
        return f"`{action.metavar}{several}`"
    option = action.option_strings[-1]
    if action.nargs == 0:
        return f"`{option}`"
    if action.metavar or not action.choices:
        return f"`{option} {action.metavar}`"
    first, *others = action.choices
    return f"`{option} {first}`, " + ", ".join(f"`{choice}`" for choice in others)


#: Every page that is generated or shows output, and what makes it.
GENERATED: dict[Path, Callable[[], str]] = {
    ROOT / "README.md": _readme,
    **{ROOT / page: partial(_with_output, ROOT / page) for page in _RUN},
    ROOT / "docs" / "benchmarks.md": partial(_measured, benchmarks_page),
    ROOT / "docs" / "growth.svg": partial(_measured, growth_picture),
    ROOT / "docs" / "theorems.md": theorems_page,
    **{ROOT / "docs" / "course" / f"{name}.svg": draw for name, draw in FIGURES.items()},
    **{ROOT / "docs" / "commands" / f"{name}.md": partial(_command_page, name) for name in COMMANDS},
}


if __name__ == "__main__":
    named = [Path(name).resolve() for name in sys.argv[1:]] or [ROOT]
    for path, make in GENERATED.items():
        if any(path.is_relative_to(place) for place in named):
            path.parent.mkdir(exist_ok=True)
            path.write_text(make(), encoding="utf-8")
