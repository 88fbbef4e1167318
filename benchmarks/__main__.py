"""`python -m benchmarks`: runs the cases, prints a table, writes every sample as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from benchmarks import adapters, adapters_river, cases, experts, files, growth, multiclass, portfolio, quality, tables
from benchmarks.cases import Disagreement, Result
from benchmarks.picture import picture
from benchmarks.sets import FILES, found
from benchmarks.timing import MISTAKES
from thresher import _core

__all__ = ["CASES", "main"]

_ALL = (cases, experts, files, tables, portfolio, quality, multiclass, adapters, adapters_river, growth)
#: Every case by its name, in the order in which they run.
CASES = {name: case for each in _ALL for name, case in each.CASES.items()}

_NO_FILE = "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 1 if a peer computed something else, 2 if one is not installed."""
    options = _options(arguments)
    chosen = CASES if options.data is None else CASES | quality.cases(options.data)
    peers = {peer for name in options.only for peer in chosen[name].peers}
    if missing := sorted(peer for peer in peers if _version(peer) is None):
        _say(f"{' and '.join(missing)} must be installed to be measured: pip install '.[bench]'")
        return 2
    machine = _machine()
    results = []
    for name in options.only:
        _say(f"{name} ...")
        try:
            results.append(chosen[name].run(options.turns, options.quick))
        except Disagreement as disagreement:
            _say(str(disagreement))
            return 1
    print(_table(results))
    print()
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    rows = "quick numbers of rows" if options.quick else "full numbers of rows"
    print(f"{options.turns} turns, {rows}. Ratios are of the best times; in brackets the quartiles turn by turn.")
    grown = next((result for result in results if result.case == "growth"), None)
    if options.picture is not None and grown is not None:
        options.picture.write_text(picture(growth.times(grown.samples)), encoding="utf-8")
    if options.json != _NO_FILE:
        record = {"machine": machine, "quick": options.quick, "turns": options.turns, "results": [asdict(r) for r in results]}
        Path(options.json).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split(": ")[1] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows: to see that it works, not to quote")
    parser.add_argument("--turns", type=int, metavar="N", help="how often each contender runs (9; with --quick 3)")
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES), metavar="NAME", help=f"of {', '.join(CASES)}")
    parser.add_argument("--json", metavar="FILE", help="where all samples go; - for nowhere (benchmarks.json; with --quick -)")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"where `quality` finds some of {', '.join(FILES)} (generated)"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="where `growth` is drawn (nowhere)")
    options = parser.parse_args(arguments)
    if options.picture is not None and "growth" not in options.only:
        parser.error("found --picture without growth among the cases, expected it: that is what is drawn")
    if options.data is not None and not found(options.data):
        parser.error(f"found none of {', '.join(FILES)} in {options.data}, expected one at least")
    if options.turns is None:
        options.turns = 3 if options.quick else 9
    if options.turns < 1:
        parser.error(f"found --turns {options.turns}, expected at least 1")
    if options.json is None:
        options.json = _NO_FILE if options.quick else "benchmarks.json"
    return options


def _machine() -> dict[str, str]:
    """What the times depend on, the load before the run among it."""
    versions = {name: _version(name) or "missing" for name in ("thresher", "numpy", "scikit-learn", "river", "vowpalwabbit")}
    return {
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.2f}",
        "instructions": _core.instruction_set(),
        "Python": platform.python_version(),
        **versions,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _table(results: Sequence[Result]) -> str:
    head = ("case", "ours", "best", "against", "best", "ratio", "aim")
    lines = [head]
    for result in results:
        for c in result.comparisons:
            ours, other = (_quantity(result.samples.best(name), result.samples.unit) for name in (c.ours, c.other))
            lines.append((result.case, c.ours, ours, c.other, other, str(c.ratio), c.aim))
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([*table, "", *(f"{result.case}: {result.about}" for result in results)])


def _quantity(amount: float, unit: str) -> str:
    if unit == MISTAKES:
        return f"{amount:,.0f} {unit}"
    prefixes = (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0), ("m", 1e-3))
    prefix, scale = next(((p, s) for p, s in prefixes if amount >= s), ("µ", 1e-6))
    return f"{amount / scale:.3g} {prefix}{unit}"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
