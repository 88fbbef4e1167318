"""A run of `thresher learn` as a page."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from itertools import zip_longest
from operator import attrgetter

from thresher import __version__
from thresher.bounds.printed import plural
from thresher.cli.heaviest import Weight, heaviest, weighed
from thresher.cli.lanes import called, lanes_rows, lanes_won
from thresher.cli.measured import measured_rows
from thresher.cli.running import Learned
from thresher.cli.summary import constant_of, learned_again, notices_of, repeats_of, run_of, what
from thresher.compose import Portfolio
from thresher.data.recipe import FORMATS
from thresher.evaluate import Measured, percent
from thresher.evaluate.course import Point
from thresher.report.curves import GREY, Curves
from thresher.report.learned import LearnedPage, Rows, learned_page

__all__ = ["as_page"]

_TOP = 12
_OWN_COLOURS = 7
_COURSE = 12
_FAR = 4.0  # lines that are so many times as high are not drawn


def as_page(learned: Learned) -> str:
    """The report."""
    learner, recipe, run = learned.learner, learned.recipe, run_of(learned)
    plus, minus = recipe.spelled(+1), recipe.spelled(-1)
    proven = learned.checked
    headline = None if proven is None else proven.headline
    return learned_page(
        LearnedPage(
            title=f"{learned.source}: what was learned",
            about=what(learned).splitlines(),
            headline="" if headline is None else f"{headline.lines()['Claim']}, by {headline.bound.theorem.name}",
            notices=notices_of(learned),
            metrics=measured_rows(learned.measuring),
            measured=_explained(learned),
            confusion=(
                ("", f"said {plus}", f"said {minus}"),
                [(plus, f"{run.found:,}", f"{run.missed:,}"), (minus, f"{run.false_alarms:,}", f"{run.rejected:,}")],
            ),
            curves=_curves(learned),
            course=_course(learned),
            window=learned.measuring.metrics.window,
            lanes=lanes_rows(learner) if isinstance(learner, Portfolio) else ((), []),
            won=lanes_won(learner).splitlines() if isinstance(learner, Portfolio) else [],
            theorems=(("verdict", "count", "bound", "theorem"), _theorems(learned)),
            unproven=[f"Nothing more is proven: {learned.unchecked}."] if learned.unchecked else [],
            certificate={} if headline is None else headline.lines(),
            attributes=_attributes(learned),
            attributes_of=_owner(learned),
            facts=_facts(learned),
            run=_run(learned),
        )
    )


def _explained(learned: Learned) -> list[str]:
    """Which predictions, and which probabilities, the metrics are about."""
    measuring = learned.measuring
    before = "; from the second pass on not for the first time" if learned_again(learned) else ""
    lines = [f"Each prediction was made before its label was learned{before}. – stands where a number is not defined."]
    if measuring.metrics.so_far.log_loss is not None:
        of = "the calibrated ones of the portfolio" if isinstance(learned.learner, Portfolio) else "p_positive of the learner"
        lines.append(f"Log loss (in nats) and Brier score are of probabilities: {of}.")
    if measuring.every is not None:
        lines.append(
            f"Each {measuring.every}th example was held out: predicted as it came, and never learned. The mistakes, the "
            "baselines and all that is proven are of the others."
        )
    return lines


# ---- pictures ------------------------------------------------------------------------------------------------------


def _curves(learned: Learned) -> list[Curves]:
    points = [] if learned.course is None else learned.course.points
    if not points:
        return []
    x = [float(point.rounds) for point in points]
    so_far, last, held = [p.so_far for p in points], [p.last for p in points], [p.held for p in points if p.held is not None]
    window = learned.measuring.metrics.window
    errors = [("so far", _each(so_far, _error), 0), (f"of the last {window:,} rounds", _each(last, _error), 1)]
    errors += [(f"held out, of the last {window:,} of them", _each(held, _error), 2)] if held else []
    constant = _each(so_far, _constant)
    text = "The share of predictions that were wrong, up to each round."
    highest = max((value for _, values, _ in errors for value in values if not math.isnan(value)), default=0.0)
    if constant[-1] > _FAR * highest:  # beside it the others would lie on the axis
        text += f" The best constant is wrong in {constant[-1]:.2f} % of them."
    else:
        errors.append(("the best constant so far", constant, 5))
    named = {"balanced accuracy": "balanced_accuracy", "F1": "f1", "Matthews": "matthews", "AUC": "auc"}
    others = [(name, _each(last, attrgetter(field)), k) for k, (name, field) in enumerate(named.items(), 1)]
    curves = [Curves("Error", text, "error, %", x, errors)]
    text = f"Of the last {window:,} rounds, up to each round; 1 is best."
    curves.append(Curves("Other metrics", text, "metric", x, others, bottom=0.9))
    if so_far[-1].log_loss is not None:
        lines = [
            ("log loss so far", _each(so_far, attrgetter("log_loss")), 0),
            (f"log loss of the last {window:,} rounds", _each(last, attrgetter("log_loss")), 1),
            (f"Brier score of the last {window:,} rounds", _each(last, attrgetter("brier")), 2),
        ]
        text = "How far the probabilities were from what came, up to each round; 0 is best."
        curves.append(Curves("Probabilities", text, "loss", x, lines))
    return [*curves, *_weights(learned, points, x)]


def _weights(learned: Learned, points: Sequence[Point], x: Sequence[float]) -> list[Curves]:
    """How a portfolio weighed its lanes: those in colour that ever weighed most."""
    if not isinstance(learned.learner, Portfolio):
        return []
    rows = [point.weights for point in points if point.weights is not None]
    courses = list(zip(learned.learner.lanes, zip(*rows, strict=True), strict=True))
    courses.sort(key=lambda lane: -max(lane[1]))
    lines = [(name, values, k if k <= _OWN_COLOURS else GREY) for k, (name, values) in enumerate(courses, 1)]
    text = "How much each learner counts in the vote after each round; all began alike."
    return [Curves("Weights of the learners", text, "weight", x, lines, others="learner")]


def _each(measured: Sequence[Measured], value: Callable[[Measured], float | None]) -> list[float]:
    return [math.nan if (found := value(each)) is None else found for each in measured]


def _error(measured: Measured) -> float | None:
    return None if measured.accuracy is None else 100.0 * (1.0 - measured.accuracy)


def _constant(measured: Measured) -> float | None:
    rarer = min(measured.found + measured.missed, measured.false_alarms + measured.rejected)
    return 100.0 * rarer / measured.weight if measured.weight else None


# ---- numbers -------------------------------------------------------------------------------------------------------


def _course(learned: Learned) -> Rows:
    """Some points of the course, evenly apart, as a table."""
    points = [] if learned.course is None else learned.course.points
    picked = sorted({(len(points) - 1) * k // (_COURSE - 1) for k in range(_COURSE)}) if points else []
    head = ("rounds", "error so far", "error in the window", "F1", "AUC", "log loss")
    rows = []
    for point in (points[k] for k in picked):
        errors = [None if each.accuracy is None else 1.0 - each.accuracy for each in (point.so_far, point.last)]
        numbers = (point.last.f1, point.last.auc, point.last.log_loss)
        cells = (*map(percent, errors), *("–" if number is None else f"{number:.4f}" for number in numbers))
        rows.append((f"{point.rounds:,}", *cells))
    return head, rows


def _attributes(learned: Learned) -> Rows:
    """The heaviest attributes for either label, side by side."""
    model, recipe = learned.model, learned.recipe
    owner = weighed(model)
    plus, minus = ([], []) if owner is None else heaviest(model, owner, _TOP)
    pairs = zip_longest(plus, minus[::-1])
    rows = [tuple(cell for each in pair for cell in _weight(each)) for pair in pairs]
    return (f"for {recipe.spelled(+1)}", "weight", f"for {recipe.spelled(-1)}", "weight"), rows


def _weight(found: Weight | None) -> tuple[str, str]:
    return ("", "") if found is None else (" and ".join(found.names), f"{found.weight:.4g}")


def _theorems(learned: Learned) -> list[tuple[str, ...]]:
    rows = [] if learned.checked is None else learned.checked._rows()
    return [(*row[:3], f"{row[3]} ({row[4]})" if row[4] else row[3]) for row in rows]


def _facts(learned: Learned) -> dict[str, str]:
    run, recipe, held = run_of(learned), learned.recipe, learned.measuring.held
    examples, positives = run.examples, run.found + run.missed
    out = 0 if held is None else held.so_far.rounds
    resumed = ", since the run was resumed" if learned.resumed else ""
    played = examples - learned.resumed + out
    return {
        "format": FORMATS[recipe.format],
        "examples": f"{examples:,} learned" + (f", {out:,} held out" if held is not None else ""),
        "label balance": f"{positives:,} {recipe.spelled(+1)} ({percent(positives / examples)}), "
        f"{examples - positives:,} {recipe.spelled(-1)}",
        "nonzeros": f"{learned.nonzeros:,}{resumed}" + (f"; {learned.nonzeros / played:.1f} an example" if played else ""),
        "slots": f"{recipe.n:,}",
        "collisions": f"{plural(learned.collisions, 'time')} two names of one example fell into one slot",
        "weighted": "no" if learned.ledger.tally.weighted is None else f"from round {learned.ledger.tally.weighted:,} on",
        "left out": f"{plural(learned.unlabelled, 'example')} without a label, {plural(learned.bad, 'bad line')}",
        "best constant": plural(constant_of(run), "mistake"),
        "repeating the last label": plural(repeats_of(learned), "mistake"),
    }


def _run(learned: Learned) -> dict[str, str]:
    return {
        "command": f"thresher learn {shlex.join(learned.options.arguments)}",
        "learner": called(learned.learner),
        "passes": f"{learned.run.done} of {learned.run.passes}",
        "time": f"{learned.seconds:.3g} s, and {learned.check_seconds:.3g} s for the check",
        "saved to": learned.saved or "nothing was saved",
        "version": f"Thresher {__version__}",
    }


def _owner(learned: Learned) -> str:
    learner = learned.learner
    return f"the best learner, {learner.lanes[learner.best_lane]}" if isinstance(learner, Portfolio) else called(learner)
