"""The figures of the course in docs/course: every point is what Thresher's learners did, on the spot.

`python -m tests.pages docs/course` writes them, and the pages, anew. They are hand-made SVG, so they depend on no library's
version and a test can compare them to the last byte. The paper is white; site.css turns it dark with the site.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import combinations

import numpy as np

import thresher as th
from thresher.adversaries import Grazing, Halves, force
from thresher.lab import play
from thresher.report import classics, curves, theorem
from thresher.report.chart import Line
from thresher.report.curves import Curves
from thresher.report.page import on_paper
from thresher.report.panels import block_rows, steps

__all__ = ["FIGURES"]

_WIDTH, _CHART = 760, 300
_PLANE, _CAPTION = 240, 30
_LETTER, _SWATCH, _ROW = 7.8, 42, 26
_STYLE = f"""
svg {{ background: #fff }}
text {{ font: 15px sans-serif; fill: #333 }}
.grid {{ stroke: #ddd; stroke-opacity: 1 }} .axis {{ stroke: #666; fill: none }}
.line {{ fill: none; stroke-width: 2.2; stroke-linejoin: round }} .dot {{ fill: #fff; stroke-width: 2 }}
{on_paper()}.line-0 {{ stroke-width: 3 }} .line-8 {{ stroke-width: 1.2 }}
.plane .line {{ stroke-width: 0.06; stroke-dasharray: none }} .plane .grid {{ stroke-width: 0.02 }}
.plane .line-0, .plane .sign {{ stroke-width: 0.09 }}
.blocks .line {{ stroke-dasharray: none }}
"""


def _sheet(height: float, parts: Sequence[str]) -> str:
    """A picture that stands alone, with its colours."""
    size = f'viewBox="0 0 {_WIDTH} {height:g}" width="{_WIDTH}"'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}><style>{_STYLE}</style>', *parts, "</svg>", ""]
    )


def _placed(picture: str, x: float, y: float, width: float, height: float) -> str:
    """A picture in a picture."""
    return picture.replace("<svg ", f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" ', 1)


def _charted(lines: Sequence[Line], picture: str, below: str) -> str:
    """A chart between its legend and the name of its axis."""
    parts: list[str] = []
    x, top = 8.0, 20
    for line in lines:
        wide = _SWATCH + _LETTER * len(line.name)
        if x + wide > _WIDTH and x > 8:
            x, top = 8.0, top + _ROW
        dot = f'<circle class="dot {line.style}" cx="{x + 14:g}" cy="{top - 5}" r="3.5"/>' if line.dots else ""
        parts.append(f'<path class="line {line.style}" d="M{x:g} {top - 5}h28"/>{dot}')
        parts.append(f'<text x="{x + 34:g}" y="{top}">{escape(line.name)}</text>')
        x += wide + 14
    top += 10
    parts.append(_placed(picture, 0, top, _WIDTH, _CHART))
    parts.append(f'<text x="{_WIDTH / 2:g}" y="{top + _CHART + 14}" text-anchor="middle">{escape(below)}</text>')
    return _sheet(top + _CHART + 24, parts)


def _curved(made: Curves) -> str:
    return _charted(*curves.plotted(made._replace(below="")), made.below)


def _played(name: str) -> str:
    result = play(name)
    return _charted(*theorem.plotted(result, below=""), result.axis)


def _protocol() -> Curves:
    """One learner, the same examples, three ways to label them."""
    rounds, n = 300, 20
    chance = np.random.default_rng(3)
    X = chance.integers(0, 2, (rounds, n)).astype(float)
    coins = chance.choice([-1, 1], rounds)

    def counts(label: Callable[[int, th.Perceptron], int]) -> list[float]:
        learner, so_far = th.Perceptron(n, bias=1.0), [0.0]
        for t in range(rounds):
            so_far.append(so_far[-1] + learner.learn(X[t], label(t, learner)).mistake)
        return so_far

    lines = [
        ("never as it says", counts(lambda t, learner: -learner.predict(X[t]).label), 2),
        ("labels by a fair coin", counts(lambda t, _: int(coins[t])), 3),
        ("labels by a rule: x₀ ∨ x₁", counts(lambda t, _: 1 if X[t, :2].any() else -1), 1),
    ]
    return Curves("Mistakes of a Perceptron", "", "mistakes so far", range(rounds + 1), lines, below="rounds")


def _margins() -> Curves:
    """The Margin Perceptron's bounds, and what an adversary makes of it."""
    scales = (2, 3, 4, 5, 6, 8, 10, 14, 20)
    attained = [float(sum(each.changed for each in _grazed(1 / scale)) - 1) for scale in scales]
    makers = (th.bounds.margin_perceptron_textbook, th.bounds.margin_perceptron, th.bounds.margin_perceptron_recursion)
    values = [[make(1 / scale).value for scale in scales] for make in makers]
    up = theorem.scale([*attained, *values[0]], span=1)
    names = ("12/γ², as in textbooks", "8/γ² + 4/γ − 4", "the recursion")
    lines = [
        ("grazing examples", attained, 2),
        *((name, row, style) for name, row, style in zip(names, values, (3, 1, 0), strict=True)),
    ]
    return Curves(
        "Margin Perceptron", "", "updates after the first", [math.log(scale) for scale in scales],
        [(name, [up.place(height) for height in row], style) for name, row, style in lines],
        below="1/γ", marks_across={math.log(scale): str(scale) for scale in scales}, marks_up=up.marks,
        bottom=min(up.marks or [0.0]),
    )  # fmt: skip


def _grazed(margin: float) -> Iterator[th.Round]:
    learner = th.MarginPerceptron(3, margin)
    return (learner.learn(x, y) for x, y in Grazing(margin).against(learner))


def _factors() -> Curves:
    """Winnow on "at least 5 of 8", pass after pass over all examples with 5 and with 4 active."""
    examples = [(set(x), 1 if len(x) == 5 else -1) for k in (5, 4) for x in combinations(range(8), k)]
    passes, every = 12, 6

    def counts(factor: float) -> list[float]:
        learner, so_far = th.Winnow(8, factor=factor), [0.0]
        for x, y in examples * passes:
            learner.learn(x, y)
            so_far.append(float(learner.mistakes))
        return so_far[::every]

    lines = [("factor 3/2", counts(1.5), 2), ("factor 1 + 1/(2·5)", counts(1.1), 1)]
    return Curves("Winnow's factor", "", "mistakes so far", range(0, len(examples) * passes + 1, every), lines, below="rounds")


def _betas() -> Curves:
    """What an adversary makes of the weighted majority of 16 experts, whose best errs 20 times, for each β."""
    n, m = 16, 20
    betas = [k / 20 for k in range(1, 20)]
    attained, most = [], []
    for beta in betas:
        attained.append(float(sum(each.mistake for each in force(Halves(n, m), th.WeightedMajority(n, beta=beta)))))
        most.append(th.bounds.weighted_majority(m, n=n, beta=beta).value)
    lines = [
        ("the bound", most, 0),
        ("mistakes, where half of the weight errs", attained, 1),
        ("mistakes of the best expert", [float(m)] * len(betas), 3),
    ]
    return Curves("Weighted majority", "", "mistakes", betas, lines, below="β, what a wrong expert keeps")


def _planes() -> str:
    """Three in a row, each over its caption."""
    parts = []
    pictures = steps(classics.plane())
    for k, (title, picture) in enumerate(pictures):
        x, y = 8 + (_PLANE + 12) * (k % 3), 8 + (_PLANE + _CAPTION + 10) * (k // 3)
        parts.append(_placed(picture, x, y, _PLANE, _PLANE))
        parts.append(f'<rect class="axis" x="{x}" y="{y}" width="{_PLANE}" height="{_PLANE}"/>')
        parts.append(f'<text x="{x}" y="{y + _PLANE + 20}">{title}</text>')
    return _sheet(8 + (_PLANE + _CAPTION + 10) * math.ceil(len(pictures) / 3), parts)


def _blocks() -> str:
    run = classics.pac_blocks()
    height = 34 * run.played + 4
    numbers = f"M = {run.most}, ε = {run.epsilon:g}, δ = {run.delta:g}"
    words = f"blocks of ⌈ln(M/δ)/ε⌉ = {run.length} examples: {numbers}; × is a mistake"
    parts = [f'<text x="170" y="22">{words}</text>', _placed(block_rows(run), 0, 34, _WIDTH, height)]
    return _sheet(height + 44, parts)


#: By the name of its page, what draws its figure.
FIGURES: dict[str, Callable[[], str]] = {
    "01-protocol": lambda: _curved(_protocol()),
    "02-halving": lambda: _curved(classics.halving()),
    "03-elimination": lambda: _played("elimination"),
    "04-perceptron": _planes,
    "05-hinge": lambda: _curved(classics.hinge()),
    "06-margins": lambda: _curved(_margins()),
    "07-winnow": lambda: _curved(classics.wider()),
    "08-thresholds": lambda: _curved(_factors()),
    "09-majority": lambda: _curved(_betas()),
    "10-coins": lambda: _curved(classics.majorities()),
    "11-hedge": lambda: _curved(classics.leader()),
    "12-risk": _blocks,
}
