"""The blackboard table: what a learner with weights did, round by round."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from thresher._core import Round
from thresher.compose import Portfolio
from thresher.errors import ParameterError
from thresher.experts import MajorityLearner
from thresher.linear import LinearLearner
from thresher.notebook import table

__all__ = ["Trace", "TracedRound", "trace"]

_MOST = 12
_HEAD = ("t", "x", "w before", "score", "prediction", "label", "mistake", "w after")
_LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "…": r"\dots{}"}
)


#: All weights, the bias's last; or, of more than twelve, those that are not 0, by slot.
Weights = tuple[float, ...] | Mapping[int | str, float]
Names = Mapping[Any, str]
NO_NAMES: Names = MappingProxyType({})


class TracedRound(NamedTuple):
    """A round with the weights before and after it."""

    round: Round
    before: Weights
    after: Weights

    def cells(self, digits: int = 12, names: Names = NO_NAMES, most: int = _MOST) -> tuple[str, ...]:
        """The round as a line of the table."""
        r = self.round
        return (
            str(r.t),
            _example(r.example, digits, names, most),
            _example(self.before, digits, names, most),
            _number(r.prediction.score, digits),
            _label(r.prediction.label),
            _label(r.label),
            "yes" if r.mistake else "margin" if r.margin_mistake else "",
            _example(self.after, digits, names, most),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """The rounds of a trace as a table: `print` it, or ask for Markdown or LaTeX.

    >>> import thresher as th
    >>> print(th.trace(th.Perceptron(1), [([1], -1)]).markdown())
    | t | x | w before | score | prediction | label | mistake | w after |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | 1 | (1) | (0) | 0 | +1 | -1 | yes | (-1) |
    """

    rounds: tuple[TracedRound, ...]
    digits: int = 12
    names: Names = field(default_factory=dict)
    most: int = _MOST

    def _lines(self) -> list[tuple[str, ...]]:
        return [traced.cells(self.digits, self.names, self.most) for traced in self.rounds]

    def as_dicts(self) -> list[dict[str, str]]:
        """The table as JSON can hold it: a mapping for each line."""
        return [dict(zip(_HEAD, line, strict=True)) for line in self._lines()]

    def __str__(self) -> str:
        rows = [_HEAD, *self._lines()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)

    def __repr__(self) -> str:
        return str(self)

    def markdown(self) -> str:
        """The table in Markdown."""
        rows = [_HEAD, ("---",) * len(_HEAD), *self._lines()]
        return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)

    def latex(self) -> str:
        """The table as a LaTeX tabular, numbers in mathematics."""
        head = " & ".join(_HEAD) + r" \\"
        lines = [" & ".join(_in_latex(cell) for cell in row) + r" \\" for row in self._lines()]
        return "\n".join([r"\begin{tabular}{rllrrrll}", head, r"\hline", *lines, r"\end{tabular}"])

    def _repr_html_(self) -> str:
        return table(_HEAD, self._lines())


def trace(
    learner: LinearLearner | MajorityLearner | Portfolio,
    examples: Iterable[tuple[Any, ...]],
    *,
    digits: int = 12,
    names: Names = NO_NAMES,
    most: int = _MOST,
) -> Trace:
    """Teaches the learner these (example, label) pairs and returns the blackboard table of the rounds.

    The learner learns: trace a copy to keep it as it is. An example's weight may come third. Of more than twelve weights only
    those that ever moved are shown, by slot or by what `names` calls it, and of these the first `most`. With a bias its weight
    comes last. Where a learner has negations, their weights stand behind the others; a margin mistake is marked as one. Of a
    majority an example is the advice, and the weights are the experts' shares; of a portfolio they are its lanes', the
    heaviest first.

    >>> import thresher as th
    >>> print(th.trace(th.Perceptron(2), [([0, 1], +1), ([1, 0], -1), ([0.6, 0.8], +1)]))
    t  x           w before  score  prediction  label  mistake  w after
    1  (0, 1)      (0, 0)    0      +1          +1              (0, 0)
    2  (1, 0)      (0, 0)    0      +1          -1     yes      (-1, 0)
    3  (0.6, 0.8)  (-1, 0)   -0.6   -1          +1     yes      (-0.4, 0.8)
    """
    if not isinstance(learner, LinearLearner | MajorityLearner | Portfolio):
        raise ParameterError(
            f"found {type(learner).__name__}, expected a learner with weights: a linear one, a majority, or a portfolio"
        )
    rounds = []
    before = _weights(learner, most)
    for example in examples:
        played = learner.learn(*example)
        after = _weights(learner, most)
        rounds.append(TracedRound(played, before, after))
        before = after
    return Trace(tuple(rounds), digits, names, most)


def _weights(learner: LinearLearner | MajorityLearner | Portfolio, most: int) -> Weights:
    if isinstance(learner, Portfolio):
        of_lanes = learner.lane_weights
        return {learner.lanes[i]: float(of_lanes[i]) for i in (-of_lanes).argsort(kind="stable").tolist()}
    if isinstance(learner, MajorityLearner):
        shares = learner.weights
        heaviest = shares.argsort(kind="stable")[::-1][: most + 1]
        return tuple(shares.tolist()) if len(shares) <= _MOST else {int(i): float(shares[i]) for i in heaviest}
    weights, bias = learner._on_the_blackboard(), learner.rule.bias
    if len(weights) + (bias is not None) <= _MOST:
        return tuple(weights.tolist()) if bias is None else (*weights.tolist(), learner.bias_weight)
    moved = learner._lean().nonzero()[0][: most + 1]
    by_slot: dict[int | str, float] = {int(slot): float(weights[slot]) for slot in moved}
    return by_slot if bias is None else by_slot | {"bias": learner.bias_weight}


def _number(value: float, digits: int) -> str:
    return f"{value + 0.0:.{digits}g}"  # + 0.0 turns −0 into 0


def _label(label: int) -> str:
    return f"{label:+d}" if label else "0"


def _vector(values: Sequence[float], digits: int, names: Names, most: int) -> str:
    if len(values) <= _MOST:
        return "(" + ", ".join(_number(value, digits) for value in values) + ")"
    return _mapping({slot: value for slot, value in enumerate(values) if value != 0}, digits, names, most)


def _mapping(features: Mapping[Any, Any], digits: int, names: Names, most: int) -> str:
    items = islice(features.items(), most)
    shown = [f"{names.get(key, key)}: {_number(float(value), digits)}" for key, value in items]
    return "{" + ", ".join(shown + ["…"] * (len(features) > most)) + "}"


def _example(x: object, digits: int, names: Names, most: int) -> str:
    if isinstance(x, Set):
        return "{" + ", ".join(sorted(map(str, x))) + "}"
    if hasattr(x, "toarray"):  # a sparse row
        x = x.toarray().ravel()
    if isinstance(x, Mapping):
        return _mapping(x, digits, names, most)
    values: Any = x
    return _vector([float(value) for value in values], digits, names, most)


def _in_latex(cell: str) -> str:
    if re.fullmatch(r"[-+0-9.e, ()]+", cell):
        return f"${cell}$"
    return cell.translate(_LATEX)
