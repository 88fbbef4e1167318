"""What `thresher lab` does: list the theorems, or play them and show what was attained."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Any

from thresher.bounds import Bound
from thresher.bounds.printed import plural
from thresher.cli.printing import print_json
from thresher.cli.progress import Bar
from thresher.errors import ParameterError
from thresher.lab.experiment import Experiment
from thresher.lab.figure import check_drawable
from thresher.lab.files import load
from thresher.lab.playing import play
from thresher.lab.registry import EXPERIMENTS, find
from thresher.lab.result import Outcome, Result
from thresher.lab.spelled import number, ratio
from thresher.lab.theorems import FAMILIES
from thresher.store.atomic import check_place, replace

__all__ = ["laboratory"]

_WIDTH = 100
_NAME = 30
_REFUTED = 1
_VIOLATED = 3


def laboratory(options: argparse.Namespace) -> int:
    """Does what the options say."""
    _check(options)
    if options.code:
        print(find(options.theorem).code, end="")
        return 0
    if options.theorem is None and not options.all:
        _list(options)
        return 0
    experiments = list(EXPERIMENTS.values()) if options.all else [find(options.theorem)]
    results = _played(options, experiments)
    if options.figure is not None:
        results[0].plot(options.figure)
    if options.report is not None:
        from thresher.report.laboratory import laboratory_page

        replace(options.report, [laboratory_page(results).encode()])
    if options.json:
        told = [result.as_dict() for result in results]
        print_json({"theorems": told} if options.all else told[0])
    else:
        print("\n".join(_summary(results) if options.all else _table(results[0], own=bool(options.learner or options.bound))))
    return _ended(options, results)


def _check(options: argparse.Namespace) -> None:
    """Refuses options that have no meaning together."""
    if options.theorem is not None and options.all:
        raise ParameterError(f"found {options.theorem!r} and --all, expected a theorem or all of them")
    one = [name for name in ("code", "figure", "learner", "bound") if getattr(options, name)]
    if options.theorem is None and one:
        raise ParameterError(f"found --{one[0]} without a theorem; thresher lab lists all")
    if options.code or (options.theorem is None and not options.all):
        for name in ("quick", "seed", "learner", "bound", "figure", "report"):
            if (given := getattr(options, name)) is not None and given is not False:  # a seed may be 0
                raise ParameterError(f"found --{name}, but nothing is played: expected a theorem, or --all, and no --code")
    if options.figure is not None:
        check_drawable(Path(options.figure))
    if options.report is not None:
        check_place(options.report)


def _played(options: argparse.Namespace, experiments: list[Experiment[Any]]) -> list[Result]:
    """Plays them in order, with a bar meanwhile; what a stranger's code prints goes to stderr."""
    results: list[Result] = []
    seed = options.seed or 0
    with Bar(quiet=options.quiet) as bar, ExitStack() as stack:
        if options.learner or options.bound:
            stack.enter_context(redirect_stdout(sys.stderr))
        learner = None if options.learner is None else load(options.learner)
        bound = None if options.bound is None else load(options.bound, "function")
        for done, experiment in enumerate(experiments):

            def watch(game: int, of: int, done: int = done, name: str = experiment.name) -> None:
                if options.all:
                    bar.count("theorems", done, len(experiments), "theorems")
                else:
                    bar.count(name, game, of, "games")

            results.append(play(experiment.name, learner=learner, bound=bound, seed=seed, quick=options.quick, watch=watch))
            if options.all:
                bar.note(f"{done + 1} of {len(experiments)}: {experiment.name}, worst {ratio(results[-1].worst)}")
    return results


def _ended(options: argparse.Namespace, results: list[Result]) -> int:
    """Says what was refuted, and gives the status."""
    refuted = [(result, outcome) for result in results if (outcome := result.refuted) is not None]
    for result, outcome in refuted:
        print(f"thresher: {_refutation(result, outcome)}; {_replayed(options, result)}", file=sys.stderr)
    if not refuted:
        return 0
    if options.learner or options.bound:
        return _REFUTED
    print("thresher: a theorem has failed, which is a bug of ours; please report it", file=sys.stderr)
    return _VIOLATED


def _refutation(result: Result, outcome: Outcome) -> str:
    """Theorem, stream, round, and what happened in it."""
    told, place = outcome.refuted, f"{result.name}, {outcome.stream}, {result.symbol} = {outcome.size}"
    counted = f"{result.on} {number(outcome.attained)}, bound {number(outcome.allowed)}"
    if told is None or not told.example:
        return f"refuted: {place}: {counted}"
    truth = f", and {told.truth} was true" if told.truth else ""
    return f"refuted: {place}, round {told.round}: {counted}; on {told.example} it said {told.said}{truth}"


def _replayed(options: argparse.Namespace, result: Result) -> str:
    chosen = [f"--{name} {getattr(options, name)}" for name in ("learner", "bound") if getattr(options, name)]
    quick = ["--quick"] if options.quick else []
    return f"again with thresher lab {' '.join([result.name, *chosen, *quick, f'--seed {result.seed}'])}"


# ---- tables


def _list(options: argparse.Namespace) -> None:
    """Every theorem: what it says, of what, by whom, if what, and how much of it is attained."""
    made = {
        family: {make.__name__.replace("_", "-"): make(**numbers) for make, numbers in makers.items()}
        for family, makers in FAMILIES.items()
    }
    if options.json:
        told = [
            {
                "theorem": name, "family": family, "title": bound.theorem.name, "statement": bound.theorem.formula,
                "counts": bound.on, "assumes": list(bound.assumes), "citation": bound.theorem.citation,
                "tight": EXPERIMENTS[name].tight, "axis": EXPERIMENTS[name].axis, "own": EXPERIMENTS[name].asks,
            }
            for family, theorems in made.items() for name, bound in theorems.items()
        ]  # fmt: skip
        print_json({"theorems": told})
        return
    for family, theorems in made.items():
        print("\n".join(_family(family, theorems)))
    print(f"{plural(len(EXPERIMENTS), 'theorem')}; thresher lab THEOREM plays one, thresher lab --all plays all")


def _family(family: str, theorems: dict[str, Bound]) -> Iterator[str]:
    """A family under its name, with the premise that all of them begin with."""
    first, *others = {bound.assumes[0] for bound in theorems.values()}
    shared = not others and len(theorems) > 1
    yield from _wrapped(f"{family}: {first}" if shared else family, _WIDTH)
    for name, bound in theorems.items():
        tight = EXPERIMENTS[name].tight
        says = (
            f"{bound.theorem.formula} ({bound.theorem.citation}); {'attained' if tight == 1 else f'{tight:.2f} of it attained'}"
        )
        premises = bound.assumes[1:] if shared else bound.assumes
        lines = [line for fact in (says, f"if {'; '.join(premises)}") for line in _wrapped(fact, _WIDTH - _NAME - 4)]
        yield from (f"  {left:<{_NAME}}  {line}" for left, line in zip([name, *[""] * len(lines)], lines, strict=False))
    yield ""


def _table(result: Result, own: bool) -> Iterator[str]:
    """One theorem: a row for each game; below, what a learner of one's own must be, unless one was played."""
    yield from _wrapped(f"{result.theorem.name}: {result.theorem.formula} ({result.theorem.citation})", _WIDTH)
    yield from _wrapped(f"if {'; '.join(result.assumes)}", _WIDTH)
    yield f"played by {result.learner}, seed {result.seed}"
    yield ""
    rows = [
        (
            str(outcome.size), outcome.stream, outcome.kind, f"{outcome.rounds:,}", number(outcome.attained),
            number(outcome.allowed), ratio(outcome),
        )
        for outcome in result.outcomes
    ]  # fmt: skip
    yield from _columns((result.axis, "stream", "kind", "rounds", result.on, "bound", "ratio"), rows, left=(1, 2))
    for skipped in result.skipped:
        yield f"left out: {skipped}"
    worst = result.worst
    yield ""
    how = "worst" if worst.refuted is None else "refuted"
    yield f"{how}: {worst.ratio:.3f} of the bound, by {worst.stream}, {result.symbol} = {worst.size}"
    if not own:
        experiment = EXPERIMENTS[result.name]
        asked = f"{experiment.asks}; --learner file.py:Mine" if experiment.asks else f"none; {experiment.alone}"
        yield from _wrapped(f"your own: {asked}", _WIDTH)


def _summary(results: list[Result]) -> Iterator[str]:
    """All theorems: a row for each, with the game that came nearest to its bound."""
    rows = [
        (
            result.name, str(len(result.outcomes)), ratio(result.worst), "yes" if result.tight == 1 else "",
            result.worst.stream, f"{result.symbol} = {result.worst.size}",
        )
        for result in results
    ]  # fmt: skip
    yield from _columns(("theorem", "games", "worst", "forced", "by", "at"), rows, left=(0, 3, 4, 5))
    above_it = sum(result.refuted is not None for result in results)
    yield ""
    yield f"{plural(len(results), 'theorem')}, seed {results[0].seed}: {above_it or 'none'} above its bound"


def _columns(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], left: tuple[int, ...]) -> Iterator[str]:
    table = [head, *rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(head))]
    for row in table:
        cells = (
            f"{cell:<{width}}" if k in left else f"{cell:>{width}}"
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
