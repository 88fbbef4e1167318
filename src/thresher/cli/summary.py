"""A run in words and tables, and as JSON."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from thresher.bounds import Certificate, Verdict
from thresher.bounds.printed import plural
from thresher.cli.following import check_command, command, option, same_command
from thresher.cli.lanes import called, lanes_as_dicts, lanes_table, parameters
from thresher.cli.learners import lower_start
from thresher.cli.measured import measured_as_dict, measured_in_words, measured_table
from thresher.data.spelling import number
from thresher.evaluate import Confusion
from thresher.linear import LinearLearner

if TYPE_CHECKING:
    from thresher.cli.running import Learned
    from thresher.store import StoredLearner

__all__ = ["as_json", "as_text", "constant_of", "learned_again", "notices_of", "repeats_of", "run_of", "what"]

_SORTED_BELOW = 0.01
_RUNS_BELOW = 0.5
_SHOWN = (Verdict.VIOLATED, Verdict.CERTIFIED, Verdict.CONDITIONAL)


def as_text(learned: Learned) -> str:
    """What the user reads at the end."""
    parts = []
    if learned.traced is not None:
        parts.append(str(learned.traced))
    parts += [what(learned), _counts(learned), _measured(learned), *notices_of(learned), _lanes(learned), _proof(learned)]
    wrote = [f"Wrote the {name} to {path}." for name, path in learned.written.items()]
    parts += ["" if learned.winner is None else _alone(learned.winner), "\n".join(wrote), _next(learned)]
    return "\n\n".join(part for part in parts if part)


def as_json(learned: Learned) -> dict[str, Any]:
    """The same as JSON can hold it."""
    run = run_of(learned)
    return {
        "source": list(learned.source.places),
        "format": learned.recipe.format,
        "examples": run.examples,
        "mistakes": run.mistakes,
        "updates": learned.ledger.updates - learned.run.began.updates,
        "loss": learned.ledger.loss - learned.run.began.loss,
        "error_rate": run.mistakes / run.examples,
        "seconds": learned.seconds,
        "check_seconds": learned.check_seconds,
        "passes": learned.run.passes,
        "positives": run.found + run.missed,
        "labels": {"positive": learned.recipe.spelled(+1), "negative": learned.recipe.spelled(-1)},
        "confusion": run.as_dict(),
        "metrics": measured_as_dict(learned.measuring),
        "baselines": {"best_constant": constant_of(run), "repeat_last": repeats_of(learned)},
        "learner": _learner(learned.learner),
        **_lanes_as_dict(learned.learner),
        "rounds_in_all": learned.ledger.rounds,
        "unlabelled": learned.unlabelled,
        "bad_lines": learned.bad,
        "first_bad_lines": [str(error) for error in learned.first_bad],
        "collisions": learned.collisions,
        "interrupted": learned.interrupted,
        "saved": learned.saved,
        "proof": learned.proof,
        "written": learned.written,
        "notices": notices_of(learned),
        **_proof_as_dict(learned),
        **({} if learned.winner is None else {"best_lane_alone": _alone_as_dict(learned.winner)}),
        "progress": [row.as_dict() for row in learned.progress],
        "trace": None if learned.traced is None else learned.traced.as_dicts(),
    }


def _learner(learner: StoredLearner) -> dict[str, Any]:
    return {"name": type(learner).__name__, "parameters": parameters(learner)}


def _lanes_as_dict(learner: StoredLearner) -> dict[str, Any]:
    if isinstance(learner, LinearLearner):
        return {}
    proven = learner.proven
    return {
        "lanes": lanes_as_dicts(learner),
        "best_lane": learner.lanes[learner.best_lane],
        "regret": learner.regret,
        "regret_bound": None if proven is None else proven.value,
        "log_loss": learner.log_loss,
    }


def _proof_as_dict(learned: Learned) -> dict[str, Any]:
    certificates = [] if learned.checked is None else learned.checked.certificates()
    headline = None if learned.checked is None else learned.checked.headline
    return {
        "certificates": [certificate.as_dict() for certificate in certificates],
        "headline": None if headline is None else headline.as_dict(),
        "unchecked": learned.unchecked or None,
    }


def _alone_as_dict(winner: Learned) -> dict[str, Any]:
    """The best lane, replayed."""
    return {"learner": _learner(winner.learner), "mistakes": winner.ledger.mistakes, **_proof_as_dict(winner)}


def run_of(learned: Learned) -> Confusion:
    """What was counted of the run alone."""
    return Confusion.of(learned.ledger.tally) - Confusion.of(learned.run.began)


def constant_of(run: Confusion) -> int:
    """The mistakes of the best constant."""
    return min(run.found + run.missed, run.false_alarms + run.rejected)


def repeats_of(learned: Learned) -> int:
    """The mistakes of repeating the last label."""
    return learned.ledger.repeat_last - learned.run.began.repeat_last


def _turned_round(learned: Learned) -> str:
    """How to have the other label positive, where the alphabet alone has chosen: it may not be what was meant."""
    options, minus = learned.options, learned.recipe.minus
    given = (options.positive, options.start, options.resume, learned.source.demo)
    if minus is None or number(minus) is not None or any(each is not None for each in given):
        return ""
    return f" ({shlex.join(option('--positive', minus))} turns it round)"


def learned_again(learned: Learned) -> bool:
    """Whether a second pass has begun."""
    return learned.run.passes > 1 and learned.run.done > 0


def what(learned: Learned) -> str:
    """What was learned, and by whom."""
    run, passes = run_of(learned), learned.run.passes
    how = "one pass" if passes == 1 else f"{passes} passes"
    state = f"interrupted in pass {learned.run.done + 1} of {passes}" if learned.interrupted else f"in {how}"
    line = f"{plural(run.examples, 'example')} of {learned.source} {state}, learned by {called(learned.learner)}"
    line += f"\n+1 is {learned.recipe.spelled(+1)}, -1 is {learned.recipe.spelled(-1)}{_turned_round(learned)}"
    if learned.recipe.table is not None:
        line += f"\n{learned.recipe.table.taken()}"
    if learned.resumed:
        line += f"\nresumed after {learned.resumed:,} of them"
    if learned.run.began.rounds:
        line += f"\nafter {plural(learned.run.began.rounds, 'example')} that the model had learned before"
    return line


def _counts(learned: Learned) -> str:
    run, recipe = run_of(learned), learned.recipe
    plus, minus = recipe.spelled(+1), recipe.spelled(-1)
    lines = [run.table(minus, plus), run.in_words(plus), measured_in_words(learned.measuring.metrics.so_far)]
    constant = plural(constant_of(run), "mistake")
    lines.append(f"baselines: the best constant makes {constant}, repeating the last label {repeats_of(learned):,}")
    return "\n".join(line for line in (*lines, *_costs(learned, run)) if line)


def _measured(learned: Learned) -> str:
    """The table of metrics, where one was asked for."""
    asked = learned.options.window is not None or learned.measuring.held is not None
    return measured_table(learned.measuring) if asked else ""


def _costs(learned: Learned, run: Confusion) -> list[str]:
    """What the mistakes cost, where labels have costs; with weights of examples too, the lanes' losses say it."""
    learner, plus = learned.learner, learned.recipe.spelled(+1)
    if isinstance(learner, LinearLearner) or learner.cost_positive == 1.0 or learned.ledger.tally.weighted is not None:
        return []
    cost = learner.cost_positive
    spent = cost * run.missed + run.false_alarms
    constant = min(cost * (run.found + run.missed), run.false_alarms + run.rejected)
    return [f"a missed {plus} costs {cost:g}: these mistakes cost {spent:,.6g}, those of the cheapest constant {constant:,.6g}"]


def notices_of(learned: Learned) -> list[str]:
    """What a user should know."""
    run = run_of(learned)
    in_any_order = learned.checked is not None and any(each.any_order for each in learned.checked.certificates())
    notices = [*learned.notices, *([learned.recipe.notice] if in_any_order and learned.recipe.notice else [])]
    since = ", since the run was resumed" if learned.resumed else ""
    if None in (learned.recipe.plus, learned.recipe.minus):
        notices.append(f"every example had the same label, {learned.recipe.plus or learned.recipe.minus}")
    if learned.unmeasured:
        notices.append("the metrics are of the rounds since the run was resumed: its file, of an older version, kept none")
    if learned.unlabelled:
        were = "was" if learned.unlabelled == 1 else "were"
        notices.append(f"{plural(learned.unlabelled, 'example')} had no label and {were} not learned{since}")
    if learned.bad:
        first = "; ".join(str(error) for error in learned.first_bad)
        were = "was" if learned.bad == 1 else "were"
        notices.append(f"{plural(learned.bad, 'line')} could not be read and {were} left out{since}: {first}")
    if learned.collisions:
        notices.append(
            f"{plural(learned.collisions, 'time')} two names of one example fell into one slot; more --bits make that rarer"
        )
    if learned.ledger.tally.weighted is None:
        notices += learned.refutations
    repeats, constant = repeats_of(learned), constant_of(run)
    if run.examples >= 100 and min(repeats, constant) < _SORTED_BELOW * run.examples:
        best = "repeating the last label" if repeats <= constant else "the best constant"
        least = plural(min(repeats, constant), "mistake")
        notices.append(
            f"the source looks sorted by label: {best} makes only {least} in {run.examples:,} "
            "examples; what is counted one by one says little here, so shuffle it first"
        )
    elif run.examples >= 100 and repeats < _RUNS_BELOW * constant:
        notices.append("labels come in runs: these figures hold only where each label is known before the next prediction")
    if learned_again(learned):
        apart = "" if learned.measuring.held is not None else ": --holdout-every K keeps some apart"
        again = "from the second pass on each example had been learned before"
        notices.append(f"{again}, so these figures say little of new ones{apart}")
    return notices


def _lanes(learned: Learned) -> str:
    if isinstance(learned.learner, LinearLearner):
        return ""
    since = f", of all {learned.ledger.rounds:,} rounds" if learned.run.began.rounds else ""
    return f"Which learners won{since}\n{lanes_table(learned.learner)}"


def _alone(winner: Learned) -> str:
    """What is proven of the best lane of a portfolio."""
    return f"The best of them alone, in float64: {winner.learner!r}\n{_proof(winner)}"


def _proof(learned: Learned) -> str:
    if learned.checked is None:
        return f"Nothing is proven yet: {learned.unchecked}."
    lines = ["What is proven", str(learned.checked)]
    made = learned.checked.certificates()
    refuted = any(certificate.verdict is Verdict.REFUTED for certificate in made)  # and so what others assume is false, too
    shown = _SHOWN[:-1] if refuted else _SHOWN
    best = next((c for c in made if c.verdict in shown and not c.says_little), None)
    lines += ["", str(best)] if best is not None else [f"  {hint}" for hint in _hints(learned.learner, made)]
    if learned.unchecked:
        lines += ["", f"Nothing more is proven: {learned.unchecked}."]
    return "\n".join(lines)


def _hints(learner: StoredLearner, made: list[Certificate]) -> list[str]:
    """What may prove more."""
    from thresher.linear import MarginPerceptron, Perceptron, Winnow

    if isinstance(learner, Winnow):
        return [lower_start(learner)]
    if isinstance(learner, MarginPerceptron) and not made:
        return [f"with --margin {learner.margin:g} there is a theorem to check"]
    if isinstance(learner, Perceptron | MarginPerceptron):
        return ["other weights as witness may prove more: in Python, th.Separator; see docs/witness.md"]
    return []


def _next(learned: Learned) -> str:
    model, places = learned.saved or "my.thresher", learned.source.places
    skip = [] if learned.options.on_bad == "stop" else ["--on-bad", learned.options.on_bad]
    if learned.interrupted and learned.saved:
        files = {"--metrics": learned.options.metrics, "--report": learned.options.report}
        more = [word for name, path in files.items() if path is not None for word in option(name, path)]
        go_on = command("learn", places, [*option("--resume", model), *skip, *more])
        return f"Saved to {model}. To go on where it stopped:\n  {go_on}"
    if learned.interrupted:
        return f"Nothing was saved. With --save {shlex.quote(model)} it would have been, and could go on."
    proof = "" if learned.proof is None else f"{_proved(learned.options, learned.proof)}\n\n"
    if not learned.saved:
        keep = same_command("learn", learned.options.arguments, "--save", model)
        return f"{proof}To keep what was learned:\n  {keep}"
    again = places if learned.source.again else ["FILE"]
    return proof + "\n".join(
        [
            f"Saved to {model}. Next:",
            f"  {command('predict', [model, *again], skip)}",
            f"  {command('inspect', [model])}",
            f"  {command('learn', ['MORE'], [*option('--from', model), *option('--save', model)])}",
        ]
    )


def _proved(options: argparse.Namespace, file: str) -> str:
    return f"Wrote what is proven to {file}. To check it again:\n  {check_command(options, file)}"
