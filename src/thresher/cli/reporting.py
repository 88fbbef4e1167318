"""A run of `thresher experts` as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from thresher.cli.experting import Combined
from thresher.cli.scoreboard import (
    COMING,
    Board,
    board,
    coming,
    headline,
    in_units,
    notices,
    scores_table,
    theorems,
    unproven,
    what,
)
from thresher.evaluate.scores import Metric
from thresher.report.curves import GREY, Curves
from thresher.report.experts import Page, page

__all__ = ["as_page"]

_OWN_COLOURS = 5
_LINES = 40
_LETTERS = 20


def as_page(run: Combined) -> str:
    """The report."""
    scores = board(run)
    about = what(run).splitlines()
    certificate = headline(run)
    return page(
        Page(
            f"{run.table.name}: forecasts of {', '.join(run.chosen.outcomes)}",
            about,
            scores_table(run, scores),
            notices(run, scores),
            in_units(run, scores) or unproven(run),
            _pictures(run, scores),
            coming(run, run.coming[-COMING:]) if run.coming else ([], []),
            theorems(run),
            {} if certificate is None else certificate.lines(),
        )
    )


def _pictures(run: Combined, scores: Board) -> list[Curves]:
    points, times = run.course.points, run.advice.times
    x = [float(point.t) for point in points]
    spelled = None if times is None else {point.t: times[point.row - 1][:_LETTERS] for point in points}
    label = None if spelled is None else lambda t: spelled[int(t)]
    drawn = partial(Curves, x=x, label=label, others="forecaster")
    names = run.chosen.experts
    most = np.max([point.weights for point in points], axis=0)
    heaviest = np.argsort(-most, kind="stable")
    owner = {int(k): place + 1 if place < _OWN_COLOURS else GREY for place, k in enumerate(heaviest)}
    order = [int(k) for k in heaviest[:_LINES]]
    weights = [(names[k], [float(point.weights[k]) for point in points], owner[k]) for k in order]
    metric = scores.metric
    course = [metric.of(point.loss, point.t) for point in points]
    lines = [("the combination", course, 0)]
    lines += [(names[k], [metric.of(float(point.losses[k]), int(point.awake[k])) for point in points], owner[k]) for k in order]
    lines.append(("the plain average", [metric.of(point.average, point.t) for point in points], _OWN_COLOURS + 1))
    if run.hindsight is not None:
        best = [metric.of(run.hindsight.losses[point.t], point.t) for point in points]
        lines.append(("the best fixed mixture, known afterwards", best, _OWN_COLOURS + 2))
    top = 3.0 * max(course)
    pictures = [
        drawn("Weights", f"How much {_who(len(names))} counts after each round; all began alike.", "weight", lines=weights),
        drawn("Score so far", _caption(metric, lines, top), metric.name, lines=lines, top=top),
    ]
    regret = _regret(run)
    if regret:
        who = "the best fixed mixture of the whole run" if run.against == "mixture" else "the best forecaster"
        heading, text = "Regret", f"What the combination lost more than {who} up to each round"
        lines = [("regret", regret, 0)]
        if headline(run) is not None and points[-1].proven is not None:
            heading, text = "Regret under its bound", f"{text}, and what that is proven to stay below"
            lines.append(("proven", [math.nan if point.proven is None else point.proven for point in points], 2))
        axis = "mistakes" if run.binary else f"{run.loss} loss"
        pictures.append(drawn(heading, f"{text}.", axis, lines=lines))
    return pictures


def _who(n: int) -> str:
    return "each forecaster" if n <= _LINES else f"each of the {_LINES} heaviest of {n:,} forecasters"


def _regret(run: Combined) -> list[float]:
    """The regret at each point, where there is one."""
    points, found = run.course.points, run.hindsight
    if run.against == "mixture":
        return [] if found is None else [point.loss - found.losses[point.t] for point in points]
    return [] if run.advice.asleep else [point.loss - float(point.losses.min()) for point in points]


def _caption(metric: Metric, lines: Sequence[tuple[str, Sequence[float], int]], top: float) -> str:
    cut = any(value > top for _, values, _ in lines for value in values)
    return f"{metric.name}, {metric.about}, up to each round." + (" Lines that leave the picture are cut off." if cut else "")
