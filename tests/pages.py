"""What the documentation shows of the command line is what it prints: `python -m tests.pages` writes it anew.

In a block of `console`, lines that begin with `$ ` are run, all of a page in one empty folder, and what they print follows.
The pages in docs/commands are made from the commands' own options, docs/theorems.md from the functions that make bounds.
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

from tests.theorems import theorems_page
from thresher.cli import COMMANDS, parser

__all__ = ["GENERATED", "ROOT"]

ROOT = Path(__file__).parent.parent

_RUN = (
    "README.md",
    "docs/tutorial.md",
    "docs/tables.md",
    "docs/metrics.md",
    "docs/forecasters.md",
    "docs/from-vowpal-wabbit.md",
)

_BLOCK = re.compile(r"(?<=^```console\n)(\$ .*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def _with_output(page: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return _BLOCK.sub(lambda block: _played(block[0], folder), page.read_text(encoding="utf-8"))


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
            lines += [f"| `{_spelled(action)}` | {action.help} |" for action in actions]
    if command.epilog:
        heading, _, examples = command.epilog.partition("\n")
        lines += ["", f"## {heading.rstrip(':').capitalize()}", "", "```console"]
        lines += [line.strip() for line in examples.splitlines()]
        lines += ["```"]
    lines += ["", "## Exit status", ""]
    lines += ["0 if all went well; 2 for a wrong argument or bad data, with one line on stderr that says what was found where"]
    lines += [
        "and what was expected; 3 if a theorem with checked premises fails, which would be a bug of ours; 130 after Ctrl-C."
    ]
    return "\n".join(lines) + "\n"


def _spelled(action: argparse.Action) -> str:
    several = " ..." if action.nargs == "+" else ""
    value = action.metavar or (r"\|".join(action.choices) if action.choices else None)
    if not action.option_strings:
        return f"{value}{several}"
    return f"{action.option_strings[-1]} {value}" if value and action.nargs != 0 else action.option_strings[-1]


#: Every page that is generated or shows output, and what makes it.
GENERATED: dict[Path, Callable[[], str]] = {
    **{ROOT / page: partial(_with_output, ROOT / page) for page in _RUN},
    ROOT / "docs" / "theorems.md": theorems_page,
    **{ROOT / "docs" / "commands" / f"{name}.md": partial(_command_page, name) for name in COMMANDS},
}


if __name__ == "__main__":
    for path, make in GENERATED.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(make(), encoding="utf-8")
