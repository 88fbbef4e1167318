"""`python -m benchmarks all`: runs the cases, prints a table, keeps every sample as JSON, writes the pages that quote it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

from benchmarks import quality
from benchmarks.cases import Case, Disagreement, Result
from benchmarks.groups import BY_NAME, CASES
from benchmarks.machine import machine, version
from benchmarks.page import growth_picture, write_pages
from benchmarks.record import COMMITTED, Record, read, write
from benchmarks.sets import FILES, found
from benchmarks.timing import quantity

__all__ = ["main"]

_NO_FILE = "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 1 if a peer computed something else, 2 if a peer is not installed; the other cases run.

    Ctrl-C leaves out what is not measured yet, keeps the rest (status 130), and writes no pages.
    """
    options = _options(arguments)
    chosen = CASES | BY_NAME | ({} if options.data is None else quality.cases(options.data))
    record = Record(machine(), options.quick, options.turns, [], {})
    status = _run({name: chosen[name] for name in options.only}, record)
    if record.results:
        _show(record)
    if options.picture is not None and status != 130:
        options.picture.write_text(growth_picture(record), encoding="utf-8")
    if options.json != _NO_FILE:
        write(record, Path(options.json))
    if options.publish and status != 130:
        write_pages(read(COMMITTED), COMMITTED.parent.parent)  # of what is kept, which is rounded
    return status


def _run(cases: Mapping[str, Case], record: Record) -> int:
    """Measures each; a case that cannot be is left out, and said to be."""
    status, start = 0, perf_counter()
    for k, (name, case) in enumerate(cases.items(), start=1):
        if missing := [peer for peer in case.peers if version(peer) is None]:
            status, record.left_out[name] = max(status, 2), f"{' and '.join(missing)} must be installed: pip install '.[bench]'"
        else:
            minutes, seconds = divmod(int(perf_counter() - start), 60)
            _say(f"{k} of {len(cases)}, after {minutes}:{seconds:02}: {name} ...")
            try:
                record.results.append(case.run(record.turns, record.quick))
            except Disagreement as disagreement:
                status, record.left_out[name] = 1, str(disagreement)
            except KeyboardInterrupt:
                record.left_out.update(dict.fromkeys(list(cases)[k - 1 :], "the run was interrupted"))
                _say(f"interrupted: {', '.join(record.left_out)} are left out")
                return 130
        if name in record.left_out:
            _say(f"{name} is left out: {record.left_out[name]}")
    return status


def _show(record: Record) -> None:
    print(_table(record.results))
    print()
    print(", ".join(f"{key} {value}" for key, value in record.machine.items()))
    rows = "quick numbers of rows" if record.quick else "full numbers of rows"
    print(f"{record.turns} turns, {rows}. Ratios are of the best times; in brackets the quartiles turn by turn.")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split(": ")[1] if __doc__ else None)
    parser.add_argument("what", nargs="?", choices=["all"], help="every case, into the files that the documentation quotes")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows: to see that it works, not to quote")
    parser.add_argument("--turns", type=int, metavar="N", help="how often each contender runs (7; with --quick 2)")
    parser.add_argument(
        "--only", nargs="+", choices=[*CASES, *BY_NAME], metavar="NAME", help=f"of {', '.join([*CASES, *BY_NAME])}"
    )
    parser.add_argument("--json", metavar="FILE", help="where all samples go; - for nowhere (benchmarks.json; with --quick -)")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"where `quality` finds some of {', '.join(FILES)} (generated)"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="where `growth` is drawn (nowhere)")
    options = parser.parse_args(arguments)
    if options.what and options.only:
        parser.error("found all and --only, expected one of them")
    options.only = options.only or list(CASES)
    if options.picture is not None and "growth" not in options.only:
        parser.error("found --picture without growth among the cases, expected it: that is what is drawn")
    if options.data is not None and not found(options.data):
        parser.error(f"found none of {', '.join(FILES)} in {options.data}, expected one at least")
    if options.turns is None:
        options.turns = 2 if options.quick else 7
    if options.turns < 1:
        parser.error(f"found --turns {options.turns}, expected at least 1")
    options.publish = options.what == "all" and not options.quick and options.json is None
    if options.json is None:
        options.json = COMMITTED if options.publish else _NO_FILE if options.quick else "benchmarks.json"
    return options


def _table(results: Sequence[Result]) -> str:
    head = ("case", "ours", "best", "against", "best", "ratio", "aim")
    lines = [head]
    for result in results:
        for c in result.comparisons:
            ours, other = (quantity(result.samples.best(name), result.samples.unit) for name in (c.ours, c.other))
            lines.append((result.case, c.ours, ours, c.other, other, str(c.ratio), c.aim))
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([*table, "", *(f"{result.case}: {result.about}" for result in results)])


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
