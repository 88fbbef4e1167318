"""A run of `thresher experts` in words and tables, and as JSON."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from thresher.bounds import Certificate, Verdict
from thresher.cli.experting import Combined
from thresher.cli.voting import Voting
from thresher.evaluate.scores import METRICS, Metric

__all__ = [
    "COMING",
    "Board",
    "as_json",
    "as_text",
    "board",
    "coming",
    "headline",
    "in_units",
    "notices",
    "scores_table",
    "theorems",
    "unproven",
    "what",
]

_SHOWN = 12
COMING = 10
_SUSPECT = 10.0
_HOW_SHOWN = ("--quiet", "--json")
_RATE = Metric("error rate", "the share of rounds with a mistake, or the mean chance of one")
_SHARE = 4  # decimals of a probability


class Scored(NamedTuple):
    """One line of the table: who, the score over all rounds and over the last part, and how many rounds that is about."""

    name: str
    score: float
    last: float
    rounds: int
    weight: float | None = None
    hindsight: float | None = None


class Board(NamedTuple):
    """All lines of the table, and what the scores are."""

    metric: Metric
    combination: Scored
    average: Scored
    mixture: Scored | None
    experts: list[Scored]


def board(run: Combined) -> Board:
    """The scores of everybody."""
    metric = _RATE if run.binary else METRICS[run.loss]
    end, tail = run.course.points[-1], run.course.tail
    names = run.chosen.experts
    found = run.hindsight

    def scored(name: str, loss: float, last: float) -> Scored:
        return Scored(name, metric.of(loss, end.t), metric.of(last, tail.t), end.t)

    return Board(
        metric,
        scored("the combination", end.loss, tail.loss),
        scored("the plain average", end.average, tail.average),
        None if found is None else scored("the best fixed mixture", found.losses[end.t], found.tail),
        [
            Scored(
                name,
                metric.of(float(end.losses[k]), int(end.awake[k])),
                metric.of(float(tail.losses[k] if math.isfinite(end.losses[k]) else math.inf), int(tail.awake[k])),
                int(end.awake[k]),
                float(end.weights[k]),
                None if found is None else float(found.weights[k]),
            )
            for k, name in enumerate(names)
        ],
    )


# ---- words and tables ----------------------------------------------------------------------------------------------


def as_text(run: Combined) -> str:
    """What the user reads at the end."""
    scores = board(run)
    parts = [what(run), _table(*scores_table(run, scores)), *notices(run, scores), _proof(run, scores), _next(run), _hint(run)]
    return "\n\n".join(part for part in parts if part)


def what(run: Combined) -> str:
    """What was combined, and how."""
    rows = len(run.course.forecasts) - run.course.rounds
    lines = [
        f"{_counted(run.course.rounds, 'round')} of {run.table.name}"
        + (f", and {_counted(rows, 'row')} without outcome" if rows else "")
    ]
    lines.append(f"outcome: {', '.join(run.chosen.outcomes)}" + (f"; time: {run.chosen.time}" if run.chosen.time else ""))
    lines.append(f"{_counted(len(run.chosen.experts), 'forecaster')}: {_some(run.chosen.experts)}")
    if run.chosen.left_out:
        names = [f"{name or 'one'} ({why})" if why else name for name, why in run.chosen.left_out]
        lines.append(f"left out: {_some(names)}")
    lines.append(f"combined by {run.how}")
    return "\n".join(lines)


def scores_table(run: Combined, scores: Board) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of the table: the combination, baselines, and the forecasters, best first."""
    everybody = [scores.combination, *([scores.mixture] if scores.mixture else []), scores.average]
    ranked = sorted(scores.experts, key=lambda one: (math.isnan(one.score), one.score))
    numbers = [value for one in (*everybody, *ranked) for value in (one.score, one.last)]
    decimals = _decimals(numbers)
    slept = any(one.rounds < run.course.rounds for one in ranked)
    head = ["", scores.metric.name, f"last {run.course.last:,}", "weight now", "in the mixture"]
    if scores.mixture is None:
        del head[-1]
    if slept:
        head.append("awake")
    if run.binary:
        head.insert(1, "mistakes")
    counts = [round(one.score * one.rounds, 6) for one in (*everybody, *ranked)]
    places = 0 if all(count.is_integer() for count in counts) else 1
    rows = []
    for one in (*everybody, *ranked[:_SHOWN]):
        cells = [one.name, _figure(one.score, decimals, run), _figure(one.last, decimals, run), _percent(one.weight)]
        if scores.mixture is not None:
            cells.append(_percent(one.hindsight))
        if slept:
            cells.append(f"{one.rounds:,}" if one.weight is not None else "")
        if run.binary:
            cells.insert(1, f"{one.score * one.rounds:,.{places}f}")
        rows.append(cells)
    if len(ranked) > _SHOWN:
        rows.append([f"… and {len(ranked) - _SHOWN:,} more", *[""] * (len(head) - 1)])
    return head, rows


def notices(run: Combined, scores: Board) -> list[str]:
    """What the reader should know of the scores."""
    said = []
    if run.mistakes is not None:
        said.append(_about_mistakes(run, _counted(run.mistakes, "mistake")))
    if len(run.chosen.experts) == 1:
        said.append("there is one forecaster, so the combination is that one")
    if run.advice.asleep:
        said.append("forecasters slept in some rounds: each one's score is over its own rounds, and there is no fixed mixture")
    back, times = run.advice.back, run.advice.times
    if back is not None and times is not None:
        said.append(
            f"{run.chosen.time} goes back in row {back + 1:,}, to {times[back]} after {times[back - 1]}: "
            "rows are played in the order of the table"
        )
    finite = [one.score for one in scores.experts if math.isfinite(one.score)]
    least = min(finite, default=math.nan)
    for one in scores.experts:
        if run.loss in ("squared", "absolute") and not run.binary and one.score > _SUSPECT * least > 0:
            said.append(
                f"is {one.name} a forecaster? Its {scores.metric.name} is far above the others'; --experts leaves it out"
            )
        if one.score == math.inf:
            said.append(f"{one.name} gave probability 0 to what happened, and is out for good")
    return said[:_SHOWN]


def _about_mistakes(run: Combined, made: str) -> str:
    expected = "those expected, by the weight on the wrong side"
    if not isinstance(run.player, Voting):
        return f"saying what half of the weight says would make {made}; above are {expected}"
    if run.player.tosses:
        return f"with its coins the majority made {made}; above are those expected, before the coins are tossed"
    return (
        f"the combination made {made}; of averages and mixtures above are {expected}. "
        "What is forecast is the share of the weight that says 1"
    )


def _proof(run: Combined, scores: Board) -> str:
    said = in_units(run, scores) or unproven(run)
    lines = ["What is proven", *([said] if said else [])]
    if run.certificates:
        lines += ["", _table(*theorems(run), left=(0, 3))]
    best = headline(run)
    lines += ["", str(best)] if best is not None else []
    return "\n".join(lines)


def theorems(run: Combined) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a table of what each theorem says; one that does not apply counts nothing."""
    rows = []
    for each in run.certificates:
        numbers = ["–", "–"] if each.verdict is Verdict.VOID else [each.counted, "∞" if each.bound.infinite else each.limit]
        rows.append([str(each.verdict), *numbers, _noted(each.bound.theorem.name, each.note or each.condition)])
    for each in run.sequences:
        name = f"{each.bound.theorem.name}, against {each.witness}"
        rows.append([str(each.verdict), each.counted, each.limit, _noted(name, each.note)])
    return ["verdict", "count", "bound", "theorem"], rows


def _noted(name: str, note: str) -> str:
    return f"{name} ({note})" if note else name


def unproven(run: Combined) -> str:
    """Why nothing is proven, and what would help."""
    if not run.certificates:
        return run.silence
    first, end = run.certificates[0], run.course.points[-1]
    if first.verdict is not Verdict.VOID:
        return ""
    if run.advice.asleep:
        missing = zip(run.chosen.experts, (end.t - end.awake).tolist(), strict=True)
        empty = _some([f"{count:,} of {name}" for name, count in missing if count])
        return (
            f"nothing is proven, for the theorem is about forecasters that never sleep. Fill the empty cells ({empty}), "
            "drop their rows, or leave such forecasters out with --experts"
        )
    if run.options.rule in ("hedge", "fixed-share"):
        return (
            f"nothing is proven, for {run.options.rule} has a theorem only where {first.lines()['Broken']}. "
            "Divide all forecasts and the outcome by one number, or use adahedge, which has a theorem for losses of any size"
        )
    return f"nothing is proven, for this is {first.note}"


def in_units(run: Combined, scores: Board) -> str:
    """The headline in the units of the forecasts: the comparator's score and what the proof adds to it."""
    best = headline(run)
    end, metric = run.course.points[-1], scores.metric
    if best is None or best.bound.infinite:
        return ""
    if run.advice.asleep:  # this is about the rounds of one forecaster, not about a score over all
        return f"{best.verdict}: regret {best.counted} of at most {best.limit}, against {best.witness}"
    if best.bound.on != "regret":
        least = int(np.argmin(end.losses))
        return (
            f"{best.verdict}: at most {best.limit} {best.bound.on} (the best forecaster, {run.chosen.experts[least]}, made "
            f"{_counted(int(end.losses[least]), 'mistake')}); there were {best.counted}"
        )
    if run.against == "mixture":
        who, lost = "the best fixed mixture", math.nan if run.hindsight is None else run.hindsight.losses[end.t]
    else:
        least = int(np.argmin(end.losses))
        who, lost = f"the best forecaster, {run.chosen.experts[least]},", float(end.losses[least])
    if not math.isfinite(lost):
        return ""
    theirs, most, own = (metric.of(value, end.t) for value in (lost, lost + best.bound.value, end.loss))
    decimals = _decimals([own, most, theirs])
    little = ", but it says little" if best.says_little else ""
    return (
        f"{best.verdict}{little}: {metric.name} at most {_upwards(most, decimals, run)} ({who} has "
        f"{_figure(theirs, decimals, run)}, and the proven regret is the rest); it was {_figure(own, decimals, run)}"
    )


def headline(run: Combined) -> Certificate | None:
    """The tightest certificate that holds."""
    good = (Verdict.VIOLATED, Verdict.CERTIFIED, Verdict.CONDITIONAL)
    return next((certificate for certificate in run.certificates if certificate.verdict in good), None)


def _next(run: Combined) -> str:
    unknown = run.coming
    if not unknown:
        return ""
    head, rows = coming(run, unknown[-COMING:])
    shown = "" if len(unknown) <= COMING else f", the last {COMING} of {len(unknown):,}"
    return f"Next forecasts{shown}\n" + _table(head, rows)


def coming(run: Combined, rows: Sequence[int]) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a table of forecasts."""
    made = run.course.forecasts.reshape(len(run.course.forecasts), -1)[list(rows)]
    times = run.advice.times
    chances = run.binary or run.loss in ("log", "brier")
    decimals = _SHARE if chances else _decimals([float(value) for value in made.ravel()])
    first = "row" if times is None else run.chosen.time or ""
    names = [*run.chosen.outcomes]
    return [first, *names], [
        [f"{row + 1:,}" if times is None else times[row], *(f"{value:,.{decimals}f}" for value in made[k].tolist())]
        for k, row in enumerate(rows)
    ]


def _hint(run: Combined) -> str:
    arguments = shlex.join(argument for argument in run.options.arguments if argument not in _HOW_SHOWN)
    lines = []
    if run.options.forecasts is not None:
        lines.append(f"Wrote every forecast to {run.options.forecasts}.")
    if run.options.report is not None:
        lines.append(f"Wrote the report to {run.options.report}: HTML, for any browser.")
    if run.options.forecasts is None:
        lines.append(f"To keep every forecast:\n  thresher experts {arguments} --forecasts combined.csv")
    if run.options.report is None:
        lines.append(f"To see the course of weights and scores:\n  thresher experts {arguments} --report report.html")
    return "\n".join(lines)


# ---- JSON ----------------------------------------------------------------------------------------------------------


def as_json(run: Combined) -> dict[str, Any]:
    """The same as JSON can hold it."""
    scores = board(run)
    end = run.course.points[-1]
    names = run.chosen.experts

    def said(one: Scored | None) -> dict[str, Any] | None:
        if one is None:
            return None
        return {"score": {scores.metric.name: _finite(one.score)}, "last": {scores.metric.name: _finite(one.last)}}

    mixture = said(scores.mixture)
    if mixture is not None and run.hindsight is not None:
        mixture["weights"] = dict(zip(names, run.hindsight.weights.tolist(), strict=True))
        mixture["gap"] = run.hindsight.gap
    return {
        "source": run.table.name,
        "rounds": end.t,
        "rows": len(run.course.forecasts),
        "outcome": list(run.chosen.outcomes) if run.chosen.several else run.chosen.outcomes[0],
        "time": run.chosen.time,
        "left_out": [name for name, _ in run.chosen.left_out],
        "loss": end.loss,
        "loss_name": run.loss,
        "metric": scores.metric.name,
        "last_rounds": run.course.last,
        "combination": said(scores.combination),
        "experts": [
            {
                "name": one.name,
                **(said(one) or {}),
                "loss": _finite(float(end.losses[k])),
                "awake": one.rounds,
                "weight": one.weight,
            }
            for k, one in enumerate(scores.experts)
        ],
        "average": said(scores.average),
        "best_mixture": mixture,
        "weights": dict(zip(names, end.weights.tolist(), strict=True)),
        "rule": run.how,
        "against": run.against,
        "regret": _finite(run.regret),
        "proven": in_units(run, scores) or None,
        "next": _coming_json(run),
        "seconds": run.seconds,
        "mistakes": run.mistakes,
        "notices": notices(run, scores),
        "certificates": [certificate.as_dict() for certificate in run.certificates],
        "sequences": [certificate.as_dict() for certificate in run.sequences],
        "forecasts": run.options.forecasts,
        "report": run.options.report,
    }


def _coming_json(run: Combined) -> list[dict[str, Any]]:
    made = run.course.forecasts
    unknown = []
    for row in run.coming:
        said: Any = made[row].tolist()
        forecast = dict(zip(run.chosen.outcomes, said, strict=True)) if run.chosen.several else said
        unknown.append(
            {"row": row + 1, "time": None if run.advice.times is None else run.advice.times[row], "forecast": forecast}
        )
    return unknown


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


# ---- numbers -------------------------------------------------------------------------------------------------------


def _decimals(values: Sequence[float]) -> int:
    """So many decimals that the smallest number shows four digits.

    >>> _decimals([1457.3, 1480.0]), _decimals([20.1, 95.4]), _decimals([0.2, 0.6])
    (0, 2, 4)
    """
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    least = max(min(sizes, default=1.0), max(sizes, default=1.0) * 1e-3)
    return min(12, max(0, 3 - math.floor(math.log10(least))))


def _figure(value: float, decimals: int, run: Combined) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{100 * value:,.2f} %" if run.binary else f"{value:,.{decimals}f}"


def _upwards(value: float, decimals: int, run: Combined) -> str:
    """Rounded up, as a bound must be."""
    decimals = 4 if run.binary else decimals
    return _figure(math.ceil(value * 10**decimals) / 10**decimals, decimals, run)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else shown


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Columns, those in `left` to the left and the others to the right."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    lines = []
    for row in (head, *rows):
        cells = [
            f"{cell:<{width}}" if k in left else f"{cell:>{width}}"
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
