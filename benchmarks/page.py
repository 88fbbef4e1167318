"""docs/benchmarks.md, the README's table and the picture of growth, all from one record of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks import growth
from benchmarks.cases import Result
from benchmarks.groups import CASES, GROUPS
from benchmarks.picture import picture
from benchmarks.record import Record
from benchmarks.timing import MISTAKES, Ratio, quantity

__all__ = ["PEERS", "README_ROWS", "benchmarks_page", "growth_picture", "readme", "write_pages"]

#: A contender of a peer has the peer's name in its own.
PEERS = ("scikit-learn", "liblinear", "river", "Vowpal Wabbit", "NumPy", "pyarrow")

#: What the README shows: case, ours, beside whom, and the job in words. One line is there because a peer is ahead.
README_ROWS = [
    ("S1", "learn_many", "scikit-learn fit", "one pass over 400,000 sparse rows in memory"),
    ("batches-S2", "learn_many, 10,000 rows", "scikit-learn partial_fit, 10,000 rows", "a million rows in batches of 10,000"),
    ("dict-10", "learn", "river learn_one", "one example, a dict of ten names"),
    ("file-S1", "vw", "Vowpal Wabbit", "443 MB of text to a model, as a process"),
    ("few-lines", "thresher learn", "Vowpal Wabbit", "a hundred lines to a model, as a process: starting is all there is"),
    ("hedge", "Hedge, horizon", "a NumPy loop", "Hedge: 100,000 rounds of 1,000 experts"),
    (
        "solvers-S1",
        "the default portfolio",
        "liblinear (LogisticRegression)",
        "50,000 rows to a model, 13 learners beside a solver",
    ),
    (
        "held-out",
        "S1: the default portfolio",
        "S1: liblinear (LogisticRegression)",
        "mistakes of these two on 25,000 other rows",
    ),
]

_OPEN, _CLOSE = "<!-- python -m tests.pages writes this table -->", "<!-- up to here -->"
_HEAD = """# Benchmarks

`python -m benchmarks all` runs every case on this page, beside [scikit-learn](https://scikit-learn.org),
[river](https://riverml.xyz), [Vowpal Wabbit](https://vowpalwabbit.org) and
[liblinear](https://www.csie.ntu.edu.tw/~cjlin/liblinear/) (the one inside scikit-learn), and makes the page from what it
measured; `benchmarks/results.json` has every sample. In a case every contender runs once a turn, in changing order. Where
both sides compute the same, it is asserted that they did. A ratio is that of the best times; in brackets are the quartiles
of the ratios turn by turn. Times are this machine's; ratios travel better, and still the same code moves by a quarter from
run to run. [How fast](performance.md) says why the ratios are what they are.
"""


def benchmarks_page(record: Record) -> str:
    """The whole page, in Markdown."""
    parts = [_HEAD, *_machine(record), "## Where a peer is ahead\n", *_ahead(record)]
    for group in GROUPS:
        results = [result for result in record.results if result.case in group.cases]
        if results:
            parts += [f"\n## {group.title}\n\n{group.about}\n", *(_section(result) for result in results)]
        if any(result.case == "growth" for result in results):
            parts.append("![Time by rows, nonzeros, dimensions, lanes and threads](growth.svg)\n")
            parts.append("Both axes are logarithmic; dashed is what would be in proportion.\n")
    return "\n".join(parts)


def growth_picture(record: Record) -> str:
    return picture(growth.times(next(result.samples for result in record.results if result.case == "growth")))


def readme(page: str, record: Record) -> str:
    """The README with the table of this record in its place."""
    lines = ["| | | Thresher | beside |", "|---|---|---|---|"]
    for case, ours, other, job in README_ROWS:
        result = next((result for result in record.results if result.case == case), None)
        if result is not None:
            one, two = (quantity(result.samples.best(name), result.samples.unit) for name in (ours, other))
            cells = (job, _said(result, ours, other), one, f"{_plain(other)}, {two}")
            lines.append(f"| {' | '.join(cells)} |")
    about = record.machine
    lines += ["", f"{record.turns} turns on {about['cpu']}, {about['cores']} cores; load before the run {about['load']}."]
    table = "\n".join(lines)
    return re.sub(f"(?<={_OPEN}\n).*?(?={_CLOSE})", lambda _: f"\n{table}\n\n", page, flags=re.DOTALL)


def write_pages(record: Record, root: Path) -> None:
    """All that is made of a record."""
    (root / "docs" / "benchmarks.md").write_text(benchmarks_page(record), encoding="utf-8")
    (root / "docs" / "growth.svg").write_text(growth_picture(record), encoding="utf-8")
    page = root / "README.md"
    page.write_text(readme(page.read_text(encoding="utf-8"), record), encoding="utf-8")


def _machine(record: Record) -> Iterator[str]:
    about = dict(record.machine)
    hardware = ", ".join(f"{name} {about.pop(name)}" for name in ("cpu", "cores", "caches", "instructions"))
    rows = "a tenth of the rows: to see that it works, not to quote" if record.quick else "all rows"
    lines = ["| | |", "|---|---|", f"| machine | {hardware} |"]
    lines.append(f"| load | {about.pop('load')} processes wanted a core in the minute before the run |")
    lines.append(f"| versions | {', '.join(f'{name} {value}' for name, value in about.items())} |")
    lines.append(f"| turns | {record.turns}, fewer where a contender takes many seconds; {rows} |")
    yield "\n".join(lines) + "\n"
    yield from (f"`{case}` was left out: {why}\n" for case, why in record.left_out.items())
    known = record.left_out.keys() | {result.case for result in record.results}
    if absent := [f"`{case}`" for case in CASES if case not in known]:
        yield f"Not in this run: {', '.join(absent)}.\n"


def _ahead(record: Record) -> Iterator[str]:
    """Every comparison with a peer that we lose."""
    lost = [
        f"| {_said(result, c.ours, c.other)} | {_one(result, c.ours)} | {_one(result, c.other)} | `{result.case}` |"
        for result in record.results
        for c in result.comparisons
        if _peer(c.other) and result.samples.best(c.ours) > result.samples.best(c.other)
    ]
    if lost:
        yield "\n".join(["| ratio | Thresher | beside | case |", "|---|---|---|---|", *lost])
    else:
        yield "Nowhere in this run."


def _section(result: Result) -> str:
    about, _, table = result.about.partition("\n\n")
    lines = [f"**{result.case}**: {about}\n", "| ratio | Thresher | beside |", "|---|---|---|"]
    lines += [
        f"| {_said(result, c.ours, c.other)} | {_one(result, c.ours)} | {_one(result, c.other)} |" for c in result.comparisons
    ]
    return "\n".join([*lines, "", *([f"{table}\n"] if table else [])])


def _one(result: Result, name: str) -> str:
    return f"{_plain(name)}, {quantity(result.samples.best(name), result.samples.unit)}"


def _said(result: Result, ours: str, other: str) -> str:
    """Beside a peer: how many times as fast. Beside our own: how many times as long. Else how many times as much."""
    if result.samples.unit == "s" and _peer(other):
        return _spread(result.samples.ratio(other, ours), "as fast")
    says = {"s": "as long", MISTAKES: "as many"}.get(result.samples.unit, "as much")
    return _spread(result.samples.ratio(ours, other), says)


def _spread(ratio: Ratio, says: str) -> str:
    spread = f" ({_times(ratio.low)} to {_times(ratio.high)})" if ratio.low < ratio.high else ""
    return f"**{_times(ratio.of_minima)} ×** {says}{spread}"


def _times(ratio: float) -> str:
    """With three digits, or two after the point."""
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.1f}" if ratio < 100.0 else f"{ratio:,.0f}"


def _peer(name: str) -> bool:
    return any(peer in name for peer in PEERS)


def _plain(name: str) -> str:
    """Without what a table would take for its own."""
    return name.replace("|", "\\|")
