"""Pictures that are no charts: the Perceptron's steps in the plane, and the blocks of a PAC run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from thresher.bounds.printed import plural

__all__ = ["Blocks", "Plane", "Step", "block_rows", "blocks", "planes", "steps"]

_REACH = 4.0  # of a plane, from the origin to each side


class Step(NamedTuple):
    """A mistake of the Perceptron in the plane: the round, the example and its label, the weights before and after."""

    t: int
    x: tuple[float, ...]
    label: int
    before: tuple[float, ...]
    after: tuple[float, ...]


class Plane(NamedTuple):
    """Points with their labels, and the mistakes on them."""

    points: Sequence[tuple[tuple[float, ...], int]]
    steps: Sequence[Step]


class Blocks(NamedTuple):
    """So many blocks of `length` examples were played, of at most `most` = M; `erred` are the places of mistakes, from 0."""

    length: int
    played: int
    most: int
    epsilon: float
    delta: float
    erred: Sequence[int]


def planes(plane: Plane) -> str:
    """A picture for each mistake: all points, the line and the weight vector before, in grey, and after.

    >>> made = planes(Plane([((1.0, 0.0), -1)], [Step(1, (1.0, 0.0), -1, (0.0, 0.0), (-1.0, 0.0))]))
    >>> made.count("<svg"), "Round 1: (1, 0) is −, not +" in made
    (1, True)
    """
    text = (
        "A picture for each mistake. The example in the ring is added, signed by its label, to the weight vector before it, "
        "in grey; that gives the new one, and the line turns to stand across it."
    )
    pictures = "".join(f"<figure>{drawn}<figcaption>{title}</figcaption></figure>" for title, drawn in steps(plane))
    return f'<p class="soft">{escape(text)}</p><div class="planes">{pictures}</div>'


def steps(plane: Plane) -> list[tuple[str, str]]:
    """For each mistake what it was, and its picture.

    >>> steps(Plane([((1.0, 0.0), -1)], [Step(1, (1.0, 0.0), -1, (0.0, 0.0), (-1.0, 0.0))]))[0][0]
    'Round 1: (1, 0) is −, not +'
    """
    points = "".join(_mark(point, sign) for point, sign in plane.points)
    return [_picture(step, points) for step in plane.steps]


def _picture(step: Step, points: str) -> tuple[str, str]:
    (x, y), before, after = step.x, step.before, step.after
    title = f"Round {step.t}: ({x:g}, {y:g}) is {_sign(step.label)}, not {_sign(-step.label)}".replace("-", "−")
    ring = f'<circle class="line line-8" fill="none" cx="{x:g}" cy="{-y:g}" r="0.34"/>'
    added = f'<path class="line line-8" d="M{before[0]:g} {-before[1]:g}L{after[0]:g} {-after[1]:g}"/>'
    lines = f"{_line(before, 'line-8')}{_line(after, 'line-1')}{points}{ring}"
    vectors = f"{_vector(before, 'line-8')}{added}{_vector(after, 'line-0')}"
    return title, (
        f'<svg class="plane" viewBox="{-_REACH} {-_REACH} {2 * _REACH} {2 * _REACH}" role="img"><title>{title}</title>'
        f'<path class="grid" d="M0 {-_REACH}V{_REACH}M{-_REACH} 0H{_REACH}"/>{lines}{vectors}</svg>'
    )


def _sign(label: int) -> str:
    return "+" if label > 0 else "−"


def _mark(point: Sequence[float], label: int) -> str:
    x, y = point[0], -point[1]
    minus = f"M{x - 0.15:.2f} {y:.2f}h0.3"
    drawn = f"{minus}M{x:.2f} {y - 0.15:.2f}v0.3" if label > 0 else minus
    return f'<path class="line sign {"line-3" if label > 0 else "line-2"}" d="{drawn}"/>'


def _line(w: Sequence[float], style: str) -> str:
    """Where w·x = 0."""
    length = math.hypot(*w)
    if length == 0:
        return ""
    a, b = 9 * w[0] / length, 9 * w[1] / length
    return f'<path class="line {style}" d="M{-b:.3f} {-a:.3f}L{b:.3f} {a:.3f}"/>'


def _vector(w: Sequence[float], style: str) -> str:
    """An arrow from the origin."""
    length = math.hypot(*w)
    if length == 0:
        return ""
    a, b = w[0] / length, -w[1] / length
    left = f"{w[0] - 0.3 * a + 0.14 * b:.3f} {-w[1] - 0.3 * b - 0.14 * a:.3f}"
    right = f"{w[0] - 0.3 * a - 0.14 * b:.3f} {-w[1] - 0.3 * b + 0.14 * a:.3f}"
    end = f"{w[0]:.3f} {-w[1]:.3f}"
    return f'<path class="line {style}" d="M0 0L{end}M{left}L{end}L{right}"/>'


def blocks(run: Blocks) -> str:
    """A row for each block, with a cross where the learner erred.

    >>> made = blocks(Blocks(10, 2, 5, 0.3, 0.3, [3]))
    >>> "block 2: no mistake" in made, made.count('class="line sign')
    (True, 1)
    """
    text = (
        f"Blocks of ⌈ln(M/δ)/ε⌉ = {run.length} examples, with M = {run.most}, ε = {run.epsilon:g} and δ = {run.delta:g}; a "
        "cross is a mistake. As long as a block brings one there is another block, so there are at most M. The hypothesis that "
        "is right on a whole block is given out: with probability at least 1 − δ it errs on at most ε of fresh examples."
    )
    return f'<p class="soft">{escape(text)}</p>{block_rows(run)}'


def block_rows(run: Blocks) -> str:
    """The rows alone.

    >>> block_rows(Blocks(10, 2, 5, 0.3, 0.3, [3])).startswith("<svg")
    True
    """
    width, height, left = 760, 34, 170
    cell = (width - left - 10) / run.length
    parts = []
    for k in range(run.played):
        erred = [at - k * run.length for at in run.erred if k * run.length <= at < (k + 1) * run.length]
        top, style = height * k + 6, "line-8" if erred else "line-3"
        words = plural(len(erred), "mistake") if erred else "no mistake"
        parts.append(f'<text class="tick" x="0" y="{top + 15}">block {k + 1}: {words}</text>')
        parts.append(f'<rect class="line {style}" x="{left}" y="{top}" width="{run.length * cell:.1f}" height="22"/>')
        crosses = (f"M{left + (at + 0.5) * cell - 4:.1f} {top + 7}l8 8m0 -8l-8 8" for at in erred)
        parts += [f'<path class="line sign line-2" d="{cross}"/>' for cross in crosses]
    return (
        f'<svg class="blocks" viewBox="0 0 {width} {height * run.played + 4}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<title>The blocks of a PAC run, and its mistakes</title>{''.join(parts)}</svg>"
    )
