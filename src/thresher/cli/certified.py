"""What `thresher certify` shows: the theorems that say something, how they were checked, and Perceptron beside Winnow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thresher.bounds import Certificate
from thresher.bounds.printed import above, filled, plural
from thresher.cli.certifying import Certified, Held
from thresher.cli.duel import duel
from thresher.cli.following import check_command, same_command
from thresher.cli.lanes import parameters
from thresher.cli.learners import lower_start, winnow_start
from thresher.linear import Winnow

__all__ = ["HEAD", "as_json", "as_text", "best", "found", "size", "theorem_rows", "theorem_table"]

HEAD = ("learner", "counted", "at most", "order", "theorem, and how large its comparator is")
_LITERALS = 3


def as_text(made: Certified) -> str:
    """What the user reads."""
    notices = map(filled, made.facts.notices)
    parts = [_what(made), *notices, _theorems(made), _witnesses(made), _premises(made), _headline(made), _duel(made)]
    return "\n\n".join(part for part in [*parts, _page(made), _next(made)] if part)


def as_json(made: Certified) -> dict[str, Any]:
    """The same as JSON can hold it."""
    facts, headline = made.facts, best(made)
    return {
        "source": list(made.source.places),
        "examples": facts.examples,
        "positives": facts.positives,
        "labels": {"positive": facts.recipe.spelled(+1), "negative": facts.recipe.spelled(-1)},
        "baselines": {"best_constant": facts.best_constant, "repeat_last": facts.repeat_last},
        "learners": [_held_as_dict(each) for each in made.held],
        "headline": None if headline is None else headline.as_dict(),
        "duel": duel(made).as_dict(),
        "notices": facts.notices,
        "saved": made.saved,
        "page": made.page,
    }


def _held_as_dict(held: Held) -> dict[str, Any]:
    tally = None if held.played is None else held.played.count.tally
    return {
        "learner": {"name": type(held.learner).__name__, "parameters": parameters(held.learner)},
        "mistakes": None if tally is None else tally.mistakes,
        "updates": None if tally is None else tally.updates,
        "fingerprint": held.fingerprint or None,
        "unable": held.unable or None,
        "found": [{"says": clue.says, "how": clue.how} for clue in held.clues],
        "certificates": [each.as_dict() for each in held.certificates],
    }


def best(made: Certified) -> Certificate | None:
    """The tightest certificate on mistakes that beats the best constant."""
    better = (each for held in made.held for each in held.certificates if not each.says_little and each.bound.on == "mistakes")
    return min(better, key=lambda each: each.bound.value, default=None)


def _what(made: Certified) -> str:
    facts, recipe = made.facts, made.facts.recipe
    lines = [
        f"{plural(facts.examples, 'example')} of {made.source}, n={recipe.n}",
        f"+1 is {recipe.spelled(+1)}, -1 is {recipe.spelled(-1)}; {facts.positives:,} are +1",
        f"baselines: {facts.baselines}",
    ]
    if None in (recipe.plus, recipe.minus):
        lines.append(f"every example has the same label, {recipe.plus or recipe.minus}: no bound is below the best constant")
    return "\n".join(lines)


def _theorems(made: Certified) -> str:
    """The table, what says little at its end; below it the learners of which nothing is proven that says anything."""
    proven = _proven(made)
    lines = ["What is proven of this stream, every premise checked on it"]
    lines += theorem_table(proven) if proven else ["  nothing below the number of examples"]
    for held in made.held:
        if held.unable:
            lines.append(_indented(f"{held.name}: nothing, for {held.unable}"))
        elif proven and not held.certificates and held.played is not None:
            counted = plural(held.played.count.mistakes, "mistake")
            lines.append(_indented(f"{held.name}: nothing below the number of examples; it made {counted}"))
        if (
            isinstance(held.learner, Winnow)
            and held.played is not None
            and winnow_start(held.learner) >= made.facts.best_constant
        ):
            lines.append(_indented(f"{held.name}: {lower_start(held.learner)}"))
    if proven and best(made) is None:
        lines.append(f"  none of this is below the {plural(made.facts.best_constant, 'mistake')} of the best constant")
    return "\n".join(lines)


def theorem_rows(made: Certified) -> list[tuple[str, ...]]:
    """The same as rows under `HEAD`: the tightest first, whosever it is."""
    return [(name, each.counted, each.limit, _order(each), _compared(each)) for name, each in ranked(_proven(made))]


def _proven(made: Certified) -> list[tuple[str, Certificate]]:
    """Every certificate that says something, with what its learner is called."""
    return [(held.name, each) for held in made.held for each in held.certificates]


def ranked(proven: Iterable[tuple[str, Certificate]]) -> list[tuple[str, Certificate]]:
    """The tightest first, what says little last."""
    return sorted(proven, key=lambda each: (each[1].says_little, each[1].bound.value))


def theorem_table(proven: Iterable[tuple[str, Certificate]]) -> list[str]:
    """Certificates, each with what its learner is called: learner by learner, that with the tightest first."""
    groups: dict[str, list[Certificate]] = {}
    for name, certificate in ranked(proven):
        groups.setdefault(name, []).append(certificate)
    rows = [(each.counted, each.limit) for some in groups.values() for each in some]
    counted, limit = (max(len(head), *(len(row[k]) for row in rows)) for k, head in enumerate(HEAD[1:3]))
    lines = [f"  {HEAD[1]:>{counted}}  {HEAD[2]:>{limit}}  {'  '.join(HEAD[3:])}"]
    for name, some in groups.items():
        lines.append(f"  {name}")
        for each in some:
            start = f"  {each.counted:>{counted}}  {each.limit:>{limit}}  {_order(each):<{len(HEAD[3])}}  "
            lines.append(filled(_compared(each), start, " " * len(start)))
    return lines


def _order(certificate: Certificate) -> str:
    return "any" if certificate.any_order else "this"


def _compared(certificate: Certificate) -> str:
    """A theorem, as one calls it who knows of which learner, and how large its comparator is."""
    name = certificate.bound.theorem.name.partition(", ")[2] or certificate.bound.theorem.name
    on = "" if certificate.bound.on in ("mistakes", name) else f" ({certificate.bound.on})"
    little = " (says little)" if certificate.says_little else ""
    return ": ".join(filter(None, (f"{name}{on}{little}", size(certificate))))


def size(certificate: Certificate) -> str:
    """How large the comparator is, as its theorem sees it.

    >>> import thresher as th
    >>> ledger = th.Ledger(th.Disjunction(4, {0}))
    >>> ledger.enter(th.Winnow(4).learn_many([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]], [+1, -1, -1]))
    >>> [size(certificate) for certificate in ledger.certificates()][0]
    '1 attribute (x0), A ≤ 1'
    """
    numbers = certificate.numbers
    short = f", A ≤ {above(numbers['errors'])}" if numbers.get("errors") else ""
    if "r" in numbers:
        r = int(numbers["r"])
        return f"{plural(r, 'attribute')}{_few(certificate, r)}{short}"
    if "margin" in numbers and "norm" in numbers:
        gamma = numbers["margin"]
        short = f", D/γ ≤ {above(numbers['distance'] / gamma)}" if numbers.get("distance") else ""
        short += f", √D₂/γ ≤ {above(numbers['squared'] ** 0.5 / gamma)}" if numbers.get("squared") else ""
        return f"‖u‖/γ ≤ {above(numbers['norm'] / gamma)}{short}"
    if "best" in numbers:
        return f"the best lane lost {above(numbers['best'])}, regret ≤ {above(numbers['regret'])}"
    if "loss" in numbers:
        return f"loss ≤ {above(numbers['loss'])}"
    if "norm" in numbers:
        return f"‖μ‖₁ ≤ {above(numbers['norm'])}{short}"
    return f"γ ≥ {numbers['margin']:.6g}" if "margin" in numbers else ""


def _few(certificate: Certificate, r: int) -> str:
    """The first of the r attributes of a disjunction."""
    if r == 0:
        return ""
    literals = certificate.witness.partition(": ")[2].partition(";")[0].split(" or ")
    named = [each.removeprefix("index ") for each in literals[:_LITERALS]]
    *most, last = [*named, f"{r - _LITERALS:,} more"] if r > _LITERALS else named
    return f" ({', '.join(most)} and {last})" if most else f" ({last})"


def found(made: Certified) -> list[str]:
    """What hindsight knows of the best comparators."""
    return [f"{held.name}: {clue.says} ({clue.how})" for held in made.held for clue in held.clues if clue.says]


def _witnesses(made: Certified) -> str:
    return "\n".join(["How good the witnesses are", *map(_indented, found(made))]) if found(made) else ""


def _premises(made: Certified) -> str:
    """What was checked for each learner's theorems; what all of them share once."""
    checked = {
        held.name: dict.fromkeys(premise.statement for each in held.certificates for premise in each.premises)
        for held in made.held
    }
    checked = {name: statements for name, statements in checked.items() if statements}
    shared = [each for each in next(iter(checked.values()), []) if all(each in some for some in checked.values())]
    if len(checked) > 1:
        checked = {"all": dict.fromkeys(shared)} | {
            name: {each: None for each in statements if each not in shared} for name, statements in checked.items()
        }
    lines = [_indented(f"{name}: {'; '.join(statements)}") for name, statements in checked.items() if statements]
    return "\n".join(["Checked on every row", *lines]) if lines else ""


def _indented(text: str) -> str:
    return filled(text, "  ", "    ")


def _headline(made: Certified) -> str:
    headline = best(made)
    return "" if headline is None else str(headline)


def _duel(made: Certified) -> str:
    return str(duel(made))


def _page(made: Certified) -> str:
    return "" if made.page is None else f"Wrote the page to {made.page}."


def _next(made: Certified) -> str:
    if not any(held.certificates for held in made.held):
        return ""
    if made.saved is None:
        keep = same_command("certify", made.options.arguments, "--save", "my.proof.json")
        return f"To keep the certificates, with their witnesses:\n  {keep}"
    return f"Saved to {made.saved}. To check it again:\n  {check_command(made.options, made.saved)}"
