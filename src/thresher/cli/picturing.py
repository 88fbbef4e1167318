"""`thresher certify` as a page: what happened as the learners played, and how the witness stands to the examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._core import MarginPerceptronRule, PassiveAggressiveRule, PerceptronRule, Rounds
from thresher.bounds import Certificate
from thresher.bounds.printed import plural, whole
from thresher.cli.certified import HEAD, best, found, theorem_rows
from thresher.cli.certifying import Certified, Facts, Held, Streams
from thresher.cli.duel import Duel, duel
from thresher.evaluate.proof import Played
from thresher.ledger import Comparator, Separator
from thresher.linear import LinearLearner
from thresher.report.certificates import CertifiedPage, certified_page
from thresher.report.curves import Curves

__all__ = ["Charted", "as_page"]

_POINTS = 200
_FINE, _BARS = 2000, 60
_HEAVIEST = 20
_TALLEST = 12  # times the mistakes: with a higher bound they would be a line on the ground


class Charted(Played):
    """A learner that plays, and remembers in which rounds it erred."""

    def __init__(self, learner: LinearLearner, witnesses: Sequence[Comparator]) -> None:
        super().__init__(learner, witnesses)
        self._erred: list[NDArray[np.int64]] = []

    def enter(self, X: object, y: object, weights: ArrayLike | None) -> Rounds:
        """Plays these rows and returns the rounds."""
        rounds = super().enter(X, y, weights)
        self._erred.append(rounds.first + np.flatnonzero(rounds.predictions != rounds.labels))
        return rounds

    def course(self, points: Sequence[float]) -> list[float]:
        """How many mistakes there were after each of these rounds."""
        return [float(count) for count in np.searchsorted(np.concatenate(self._erred), points, side="right")]


def as_page(made: Certified, streams: Streams) -> str:
    """The report."""
    facts, headline, fight = made.facts, best(made), duel(made)
    drawn = _drawn(made, headline)
    names = [] if drawn is None else _named(facts, drawn.witness)
    return certified_page(
        CertifiedPage(
            title=f"{made.source}: what is proven",
            about=[
                f"{plural(facts.examples, 'example')}, n={facts.recipe.n}; {facts.positives:,} are {facts.recipe.spelled(+1)}.",
                f"Baselines: {facts.baselines}.",
            ],
            notices=facts.notices,
            headline=_headline(made, headline),
            theorems=(
                HEAD,
                [tuple(whole(cell).replace("/γ", "/\N{WORD JOINER}γ") for cell in row) for row in theorem_rows(made)],
            ),
            curves=[_mistakes(made), *([] if drawn is None else _margins(facts, drawn, streams))],
            attributes=(("attribute", "weight", "part of ‖u‖₁"), names),
            attributes_of="" if drawn is None else drawn.whose,
            duel=_sides(fight),
            verdict=[each for each in (fight.margins, fight.sentence, fight.reason) if each],
            found=found(made),
            certificate={} if headline is None else headline.lines(),
        )
    )


def _headline(made: Certified, headline: Certificate | None) -> str:
    """The headline in one line, or that there is none."""
    if headline is None:
        return f"Nothing is proven below the {plural(made.facts.best_constant, 'mistake')} of the best constant."
    name = next(held.name for held in made.held if headline in held.certificates)
    says = headline.lines()["Says"]
    return f"{name}: {headline.lines()['Claim']}, by {headline.bound.theorem.name}. {says[0].upper()}{says[1:]}."


def _mistakes(made: Certified) -> Curves:
    """The mistakes of the two so far, and below what they stay in any order."""
    x = np.linspace(0.0, made.facts.examples, min(_POINTS, made.facts.examples) + 1).tolist()
    played = [(each, each.played) for each in (made.additive, made.multiplicative) if isinstance(each.played, Charted)]
    most = max((each.count.mistakes for _, each in played), default=0)
    lines: list[tuple[str, Sequence[float], int]] = []
    for style, (held, charted) in enumerate(played, 1):
        lines.append((f"mistakes of {held.name}", charted.course(x), style))
        if held.best is not None and held.best.bound.at_most <= _TALLEST * most:
            lines.append((f"its bound, {held.best.limit}", [float(held.best.bound.at_most)] * len(x), style + 2))
        elif held.best is not None:
            lines.append((f"its bound, {held.best.limit}, is above the picture", [math.nan] * len(x), style + 2))
    text = "How many mistakes there were after each round, and how many there can be in the end, in any order of the examples."
    return Curves("Mistakes under their bounds", text, "mistakes", x, lines)


class Drawn(NamedTuple):
    """A witness that is drawn, the certificate that it is of, and whose that is."""

    held: Held
    certificate: Certificate
    witness: Separator

    @property
    def whose(self) -> str:
        theorem = self.certificate.bound.theorem.name
        return f"the witness of {self.held.name} ({theorem.partition(', ')[2] or theorem})"


def _drawn(made: Certified, headline: Certificate | None) -> Drawn | None:
    """The headline's witness; where that is not a u, or there is no headline, the one of the Perceptron's least bound."""
    additive = made.additive
    shown = [(held, headline) for held in made.held] + [(additive, additive.best)]
    found = ((held, each, held.witness_of(each)) for held, each in shown if each is not None)
    return next((Drawn(held, each, witness) for held, each, witness in found if witness is not None), None)


def _margins(facts: Facts, drawn: Drawn, streams: Streams) -> list[Curves]:
    """How the examples, as the learner sees them, lie on both sides of the witness."""
    witness, rule = drawn.witness, drawn.held.learner.rule
    bias = rule.bias or 0.0
    normalised = isinstance(rule, PerceptronRule | MarginPerceptronRule | PassiveAggressiveRule) and rule.normalize
    if not facts.longest:
        return []
    norm = math.hypot(float(np.linalg.norm(witness.u)), witness.bias_weight)
    edges, counts = np.linspace(-1.0, 1.0, _FINE + 1), {+1: np.zeros(_FINE), -1: np.zeros(_FINE)}
    least = 1.0
    for batch in streams.opened(rule, "measuring margins")():
        matrix = batch.matrix()
        agreed = batch.y * (matrix @ witness.u + bias * witness.bias_weight) / norm
        lengths = np.hypot(np.sqrt(matrix.multiply(matrix).sum(axis=1)).A1, bias) if normalised else np.array(facts.longest)
        agreed /= np.where(lengths > 0.0, lengths, 1.0)
        least = min(least, float(agreed.min()))
        for label in counts:
            counts[label] += np.histogram(np.clip(agreed[batch.y == label], -1.0, 1.0), edges)[0]
    filled = np.flatnonzero(counts[+1] + counts[-1])
    step = math.ceil((filled[-1] + 1 - filled[0]) / _BARS)
    starts = range(int(filled[0]), int(filled[-1]) + 1, step)
    x = [float(edges[start] + edges[min(start + step, _FINE)]) / 2 for start in starts]
    lines = [
        (f"examples of {facts.recipe.spelled(label)}", [float(count[start : start + step].sum()) for start in starts], style)
        for (label, count), style in zip(counts.items(), (1, 2), strict=True)
    ]
    text = (
        f"y·(u·x) of {drawn.whose}, as a part of ‖u‖ and of {'each' if normalised else 'the largest'} ‖x‖: right of 0 is the "
        f"right side. {_paid(drawn, least, witness.margin / (norm * (1.0 if normalised else facts.longest)))}"
    )
    return [Curves("How far examples are on the right side", text, "examples", x, lines)]


def _paid(drawn: Drawn, least: float, gamma: float) -> str:
    """What the bound has to do with the picture: it pays for distances to γ, or for the smallest margin alone."""
    if any(drawn.certificate.numbers.get(name) for name in ("distance", "squared", "loss")):
        return f"The bound pays for what lies left of γ, which is {gamma:.3g} here."
    return f"The bound is by the smallest, which is {least:.3g} here."


def _named(facts: Facts, witness: Separator) -> list[tuple[str, str, str]]:
    """The heaviest attributes, by name."""
    sizes, total = np.abs(witness.u), float(np.abs(witness.u).sum()) + abs(witness.bias_weight)
    heaviest = [int(i) for i in np.argsort(-sizes, kind="stable")[:_HEAVIEST] if sizes[i] > 0.0]
    rows = [(facts.name(i), float(witness.u[i])) for i in heaviest]
    rows += [("(bias)", witness.bias_weight)] if witness.bias_weight else []
    rows.sort(key=lambda row: -abs(row[1]))
    return [(name, f"{weight:.4g}", f"{100.0 * abs(weight) / total:.1f} %") for name, weight in rows]


def _sides(fight: Duel) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    head, *rows = fight.rows()
    return ("learner", *head[1:]), rows
