"""The blackboard table: what a linear learner did, round by round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from thresher._core import Round
from thresher.linear import LinearLearner
from thresher.notebook import table

__all__ = ["Trace", "TracedRound", "trace"]

_HEAD = ("t", "x", "w before", "score", "prediction", "label", "mistake", "w after")
_LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)


class TracedRound(NamedTuple):
    """A round with the weights before and after it; with a bias, its weight comes last."""

    round: Round
    before: tuple[float, ...]
    after: tuple[float, ...]

    def cells(self) -> tuple[str, ...]:
        r = self.round
        return (
            str(r.t),
            _example(r.example),
            _vector(self.before),
            _number(r.prediction.score),
            _label(r.prediction.label),
            _label(r.label),
            "yes" if r.mistake else "",
            _vector(self.after),
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """The rounds of a trace as a table: `print` it, or ask for Markdown or LaTeX."""

    rounds: tuple[TracedRound, ...]

    def __str__(self) -> str:
        rows = [_HEAD, *(traced.cells() for traced in self.rounds)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)

    def markdown(self) -> str:
        """The table in Markdown."""
        rows = [_HEAD, ("---",) * len(_HEAD), *(traced.cells() for traced in self.rounds)]
        return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)

    def latex(self) -> str:
        """The table as a LaTeX tabular."""
        rows = [_HEAD, *(traced.cells() for traced in self.rounds)]
        lines = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in rows]
        return "\n".join([r"\begin{tabular}{rllrrrll}", lines[0], r"\hline", *lines[1:], r"\end{tabular}"])

    def _repr_html_(self) -> str:
        return table(_HEAD, (traced.cells() for traced in self.rounds))


def trace(learner: LinearLearner, examples: Iterable[tuple[object, int]]) -> Trace:
    """Teaches the learner these (example, label) pairs and returns the blackboard table of the rounds.

    The learner learns: trace a copy to keep it as it is. Numbers are shown to twelve digits.

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
    return Trace(tuple(rounds))


def _weights(learner: LinearLearner) -> tuple[float, ...]:
    bias = () if learner.rule.bias is None else (learner.bias_weight,)
    return (*learner.weights.tolist(), *bias)


def _number(value: float) -> str:
    return f"{value + 0.0:.12g}"  # + 0.0 turns −0 into 0


def _label(label: int) -> str:
    return f"{label:+d}" if label else "0"


def _vector(values: Iterable[float]) -> str:
    return "(" + ", ".join(map(_number, values)) + ")"


def _example(x: object) -> str:
    if isinstance(x, Mapping):
        return "{" + ", ".join(f"{key}: {_number(value)}" for key, value in x.items()) + "}"
    if isinstance(x, Set):
        return "{" + ", ".join(sorted(map(str, x))) + "}"
    dense: Any = x
    if hasattr(x, "toarray"):  # a sparse row
        dense = dense.toarray().ravel()
    return _vector(float(value) for value in dense)
