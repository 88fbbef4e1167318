"""Which columns of a table are forecasters, and which the outcome."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from thresher.data.table import Block, Table
from thresher.errors import ParameterError, SourceError

__all__ = ["Chosen", "choose"]

_BETWEEN = ("_", ".", "-", ":", " ")
_WILD = frozenset("*?[")


class Chosen(NamedTuple):
    """Names of columns. Each forecaster has one for each outcome, if there are several, and otherwise one.

    `left_out` are columns that are nothing of this, with the reason where somebody may wonder.
    """

    outcomes: tuple[str, ...]
    experts: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    time: str | None
    left_out: tuple[tuple[str, str], ...]

    @property
    def several(self) -> bool:
        """Whether there are several outcomes, of which one happens."""
        return len(self.outcomes) > 1


def choose(table: Table, options: argparse.Namespace) -> Chosen:
    """What the options say, and what the first rows show, of a table."""
    demo = table.source.demo
    outcome = options.outcome if options.outcome is not None or demo is None else demo.outcome
    time = options.time if options.time is not None or demo is None else demo.time
    if outcome is None:
        raise ParameterError(f"{table.name}: expected --outcome COLUMN; there are {_listed(table.columns)}")
    outcomes = (outcome,) if outcome in table.columns else tuple(part.strip() for part in outcome.split(","))
    for option, names in (("--outcome", outcomes), ("--time", (time,) if time is not None else ())):
        for name in names:
            if name not in table.columns or not name:
                raise ParameterError(f"{table.name}: found no column {name!r} for {option}; there are {_listed(table.columns)}")
    if len(set(outcomes)) < len(outcomes):
        raise ParameterError(f"found --outcome {outcome}, expected different columns")
    if time in outcomes:
        raise ParameterError(f"found {time!r} for both --outcome and --time, expected different columns")
    block = next(table.blocks(), None)
    if block is None:
        raise SourceError("found an empty table, expected rows below the names of the columns", file=table.name)
    free = [name for name in table.columns if name not in (*outcomes, time)]
    found = _families(free, outcomes, block) if len(outcomes) > 1 else _numeric(free, block)
    named = _named(options.experts, found, free, outcomes, table)
    if not named:
        raise _nobody(table, outcomes, found)
    columns = {name: _whole_family(table, name, found[name], outcomes) for name in named}
    used = {column for family in columns.values() for column in family}
    left_out = tuple((name, _why(name, block, time)) for name in free if name not in used)
    return Chosen(outcomes, tuple(named), tuple(columns.values()), time, left_out)


def _numeric(free: Sequence[str], block: Block) -> dict[str, dict[str, str]]:
    return {name: {"": name} for name in free if name and block.numeric(name)}


def _families(free: Sequence[str], outcomes: tuple[str, ...], block: Block) -> dict[str, dict[str, str]]:
    """Forecasters by the names of their columns: NAME_outcome, or outcome_NAME, of columns of numbers."""
    families: dict[str, dict[str, str]] = {}
    for column in free:
        for outcome in sorted(outcomes, key=len, reverse=True):
            names = [column.removesuffix(between + outcome) for between in _BETWEEN]
            names += [column.removeprefix(outcome + between) for between in _BETWEEN]
            name = next((name for name in names if name not in ("", column)), None)
            if name is not None and block.numeric(column):
                families.setdefault(name, {})[outcome] = column
                break
    return families


def _named(
    wanted: str | None, found: dict[str, dict[str, str]], free: Sequence[str], outcomes: tuple[str, ...], table: Table
) -> list[str]:
    """The forecasters that --experts names, in the order of the table."""
    if wanted is None:
        return list(found)
    named: set[str] = set()
    for part in (wanted,) if wanted in found else (part.strip() for part in wanted.split(",")):
        if part in outcomes:
            raise ParameterError(f"found {part!r} for both --outcome and --experts, expected different columns")
        if len(outcomes) == 1 and part in free and part:
            found.setdefault(part, {"": part})  # what is no number in it will be said with its line
        matching = [name for name in found if name == part or (_WILD & set(part) and fnmatchcase(name, part))]
        if not matching:
            there = _listed(tuple(found)) if len(outcomes) > 1 else _listed(table.columns)
            raise ParameterError(f"{table.name}: found no forecaster {part!r} for --experts; there are {there}")
        named.update(matching)
    return sorted(named, key=list(found).index) if len(outcomes) > 1 else [name for name in free if name in named]


def _whole_family(table: Table, name: str, family: dict[str, str], outcomes: tuple[str, ...]) -> tuple[str, ...]:
    if len(outcomes) == 1:
        return tuple(family.values())
    missing = next((outcome for outcome in outcomes if outcome not in family), None)
    if missing is not None:
        known, column = next(iter(family.items()))
        wanted = column.replace(known, missing)
        raise SourceError(
            f"found {column!r} and no column of numbers {wanted!r}, expected one for each outcome if {name!r} is a forecaster; "
            "--experts says which are",
            file=table.name,
        )
    return tuple(family[outcome] for outcome in outcomes)


def _nobody(table: Table, outcomes: tuple[str, ...], found: dict[str, dict[str, str]]) -> SourceError:
    there = _listed(table.columns)
    if len(outcomes) > 1 and not found:
        wanted = ", ".join(f"NAME_{outcome}" for outcome in outcomes)
        return SourceError(f"found no forecaster, expected columns {wanted} of each; there are {there}", file=table.name)
    return SourceError(
        f"found no column of numbers beside the outcome, expected forecasters; there are {there}", file=table.name
    )


def _why(name: str, block: Block, time: str | None) -> str:
    if not name:
        return "without a name"
    if block.numeric(name):
        return ""
    if block.blank(name):
        return "empty at first"
    return f"no numbers; as the axis: --time {name}" if time is None and block.starts_with_digit(name) else "no numbers"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:20])
    return f"{shown} and {len(names) - 20:,} more" if len(names) > 20 else shown or "none"
