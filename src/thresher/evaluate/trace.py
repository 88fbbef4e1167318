"""The blackboard table: what a linear learner did, round by round."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from thresher._core import Round
from thresher.linear import LinearLearner
from thresher.notebook import table
from thresher.protocol import Label

__all__ = ["Trace", "TracedRound", "trace"]

_MOST = 12
_HEAD = ("t", "x", "w before", "score", "prediction", "label", "mistake", "w after")
_LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "…": r"\dots{}"}
)


class TracedRound(NamedTuple):
    """A round with the weights before and after it; with a bias, its weight comes last."""

    round: Round
    before: tuple[float, ...]
    after: tuple[float, ...]

    def cells(self, digits: int = 12) -> tuple[str, ...]:
        """The round as a line of the table."""
        r = self.round
        return (
            str(r.t),
            _example(r.example, digits),
            _vector(self.before, digits),
            _number(r.prediction.score, digits),
            _label(r.prediction.label),
            _label(r.label),
            "yes" if r.mistake else "",
            _vector(self.after, digits),
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

    def _lines(self) -> list[tuple[str, ...]]:
        return [traced.cells(self.digits) for traced in self.rounds]

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


def trace(learner: LinearLearner, examples: Iterable[tuple[object, Label]], *, digits: int = 12) -> Trace:
    """Teaches the learner these (example, label) pairs and returns the blackboard table of the rounds.

    The learner learns: trace a copy to keep it as it is. Of more than twelve weights only those that are not 0 are shown,
    by slot, and of these the first twelve. With a bias its weight comes last.

    >>> import thresher as th
    >>> print(th.trace(th.Perceptron(2), [([0, 1], +1), ([1, 0], -1), ([0.6, 0.8], +1)]))
    t  x           w before  score  prediction  label  mistake  w after
    1  (0, 1)      (0, 0)    0      +1          +1              (0, 0)
    2  (1, 0)      (0, 0)    0      +1          -1     yes      (-1, 0)
    3  (0.6, 0.8)  (-1, 0)   -0.6   -1          +1     yes      (-0.4, 0.8)
    """
    rounds = []
    before = _weights(learner)
    for x, y in examples:
        played = learner.learn(x, y)
        after = _weights(learner)
        rounds.append(TracedRound(played, before, after))
        before = after
    return Trace(tuple(rounds), digits)


def _weights(learner: LinearLearner) -> tuple[float, ...]:
    bias = () if learner.rule.bias is None else (learner.bias_weight,)
    return (*learner.weights.tolist(), *bias)


def _number(value: float, digits: int) -> str:
    return f"{value + 0.0:.{digits}g}"  # + 0.0 turns −0 into 0


def _label(label: int) -> str:
    return f"{label:+d}" if label else "0"


def _vector(values: Sequence[float], digits: int) -> str:
    if len(values) <= _MOST:
        return "(" + ", ".join(_number(value, digits) for value in values) + ")"
    return _mapping({slot: value for slot, value in enumerate(values) if value != 0}, digits)


def _mapping(features: Mapping[Any, Any], digits: int) -> str:
    shown = [f"{key}: {_number(float(value), digits)}" for key, value in islice(features.items(), _MOST)]
    return "{" + ", ".join(shown + ["…"] * (len(features) > _MOST)) + "}"


def _example(x: object, digits: int) -> str:
    if isinstance(x, Set):
        return "{" + ", ".join(sorted(map(str, x))) + "}"
    if hasattr(x, "toarray"):  # a sparse row
        x = x.toarray().ravel()
    if isinstance(x, Mapping):
        return _mapping(x, digits)
    values: Any = x
    return _vector([float(value) for value in values], digits)


def _in_latex(cell: str) -> str:
    if re.fullmatch(r"[-+0-9.e, ()]+", cell):
        return f"${cell}$"
    return cell.translate(_LATEX)
