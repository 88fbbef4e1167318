"""The Perceptron's theorems, and what is proven alike: the passive-aggressive rule's and the multiclass Perceptron's.

z = y·x is an example signed by its label. Streams that a u separates have unit examples of margin γ exactly, the hardest there
are, with γ² = 1/size; streams that nothing separates have `size` rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.adversaries import Orthonormal, Spiral
from thresher.adversaries.adversary import Vector, indicator
from thresher.lab.experiment import Experiment, Facts, Game, Kind, Numbers, Stream
from thresher.lab.streams import Listed, Nearest, Pairs, Stubborn, pairs, unit
from thresher.linear import MulticlassPerceptron, PassiveAggressive, Perceptron

__all__ = ["EXPERIMENTS", "Against", "Hindsight", "noisy", "of_margin"]

_N = 10
_POOL = 120
_NOISE = 0.15
_MARGIN_IN_NOISE = 0.25
_TAU = 0.25
_BELOW = 0.999  # what is strictly between two numbers leaves a gap below their difference
_CLASSES = ("ash", "oak", "fir")


class Against(Facts):
    """The rounds against a comparator u with margin γ, both known before the first.

    `distance` is D = Σ max(0, γ − u·z), `squared` Σ max(0, γ − u·z)², `squares` Σ ‖x‖² over the mistakes, `radius` the largest
    ‖x‖. Examples have their p-norm, and u the dual one.
    """

    def __init__(self, u: NDArray[np.float64], margin: float, p: float = 2.0) -> None:
        super().__init__()
        self.u, self.margin, self.p = u, margin, p
        self.norm = float(np.linalg.norm(u, 1.0 if math.isinf(p) else p / (p - 1)))
        self.radius = self.distance = self.squared = self.squares = 0.0

    def enter(self, played: Any) -> bool:
        """Adds what the example falls short of γ."""
        x = np.array(played.example)
        short = max(0.0, self.margin - played.label * float(self.u @ x))
        length = float(np.linalg.norm(x, self.p))
        self.radius = max(self.radius, length)
        self.distance += short
        self.squared += short * short
        self.squares += length * length * bool(played.mistake)
        return super().enter(played)

    def count(self, on: str) -> float:
        """Also the margin, which the converse bounds."""
        return self.margin if on == "margin" else super().count(on)


class Hindsight(Facts):
    """The rounds against the unit u along Σ z, known only afterwards, with γ the largest u·z."""

    norm = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.z: list[NDArray[np.float64]] = []

    def enter(self, played: Any) -> bool:
        """Keeps the example."""
        self.z.append(played.label * np.array(played.example))
        return super().enter(played)

    @property
    def margins(self) -> NDArray[np.float64]:
        """Each u·z."""
        Z = np.array(self.z)
        u = Z.sum(axis=0)
        return np.asarray(Z @ (u / np.linalg.norm(u)))

    @property
    def margin(self) -> float:
        """The largest."""
        return float(self.margins.max())

    @property
    def distance(self) -> float:
        """D = Σ (γ − u·z)."""
        return float((self.margin - self.margins).sum())

    @property
    def squared(self) -> float:
        """Σ (γ − u·z)²."""
        return float(((self.margin - self.margins) ** 2).sum())

    @property
    def radius(self) -> float:
        """The largest ‖x‖."""
        return max(float(np.linalg.norm(z)) for z in self.z)


def of_margin(
    chance: np.random.Generator, n: int, margin: float, rows: int, threshold: float = 0.0
) -> tuple[NDArray[np.float64], Pairs]:
    """A unit u, and unit examples with y·(u·x − τ) = γ, both labels alike.

    >>> u, rows = of_margin(np.random.default_rng(0), 4, 0.5, 3)
    >>> [round(float(y * (u @ x)), 12) for x, y in rows]
    [0.5, 0.5, 0.5]
    """
    u = unit(chance, n)[0]
    y = chance.choice([-1, 1], rows)
    across = unit(chance, n, rows)
    across -= np.outer(across @ u, u)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    along = threshold + margin * y
    return u, pairs(along[:, None] * u + np.sqrt(1 - along**2)[:, None] * across, y)


def noisy(chance: np.random.Generator, rows: Pairs) -> Pairs:
    """The same, with about one label in seven wrong."""
    return [(x, -y if wrong else y) for (x, y), wrong in zip(rows, chance.random(len(rows)) < _NOISE, strict=True)]


def _orthonormal(algorithm: Callable[..., Any]) -> Callable[[int, np.random.Generator], Game[Against]]:
    """Any learner errs in each of k rounds. Whatever the labels are, Σ ±eᵢ/√k has the margin 1/√k, and norms know no signs."""

    def game(k: int, _chance: np.random.Generator) -> Game[Against]:
        return Game(algorithm, {"n": k}, Orthonormal(k).against, _Signless(k))

    return game


class _Signless(Against):
    """Against u = Σ yᵢeᵢ/√k, of which each sign is known when its example has come."""

    def __init__(self, k: int) -> None:
        super().__init__(np.full(k, k**-0.5), k**-0.5)

    def enter(self, played: Any) -> bool:
        """Gives u the sign that the label asks for."""
        x = np.array(played.example)
        self.u = np.where(x != 0, played.label * np.abs(self.u), self.u)
        return super().enter(played)


def _separable(
    algorithm: Callable[..., Any], stream: type[Stubborn] | type[Nearest]
) -> Callable[[int, np.random.Generator], Game[Against]]:
    def game(k: int, chance: np.random.Generator) -> Game[Against]:
        u, pool = of_margin(chance, _N, k**-0.5, _POOL)
        return Game(algorithm, {"n": _N}, stream(pool).against, Against(u, k**-0.5))

    return game


def _with_noise(algorithm: Callable[..., Any]) -> Callable[[int, np.random.Generator], Game[Against]]:
    def game(rounds: int, chance: np.random.Generator) -> Game[Against]:
        u, rows = of_margin(chance, _N, _MARGIN_IN_NOISE, rounds)
        return Game(algorithm, {"n": _N}, Listed(noisy(chance, rows)).against, Against(u, _MARGIN_IN_NOISE))

    return game


def _separated(algorithm: Callable[..., Any]) -> tuple[Stream[Against], ...]:
    return (
        Stream("orthonormal examples", "forced", _orthonormal(algorithm)),
        Stream("margin γ, least sure first", "adversary", _separable(algorithm, Nearest)),
        Stream("margin γ, at random", "random", _separable(algorithm, Stubborn)),
    )


def _spiral(rounds: int, _chance: np.random.Generator) -> Game[Hindsight]:
    return Game(Perceptron, {"n": 2}, Spiral(rounds).against, Hindsight())


def _all_orthonormal(rounds: int, _chance: np.random.Generator) -> Game[Hindsight]:
    return Game(Perceptron, {"n": rounds}, Orthonormal(rounds).against, Hindsight())


def _in_hindsight(spiral: Kind) -> tuple[Stream[Any], ...]:
    return (
        Stream("orthonormal examples", "forced", _all_orthonormal),
        Stream("spiral of Theodorus", spiral, _spiral, weighted=True),
        Stream("one label in seven wrong", "random", _with_noise(Perceptron)),
    )


def _threshold(stream: type[Stubborn] | type[Nearest]) -> Callable[[int, np.random.Generator], Game[Against]]:
    """Unit examples with y·(u·x − τ) = γ = 1/size, τ = ¼, and a last attribute that is always R = 1."""

    def game(size: int, chance: np.random.Generator) -> Game[Against]:
        u, pool = of_margin(chance, _N, 1 / size, _POOL, _TAU)
        facts = Against(np.append(u, -_TAU), 1 / size)
        return Game(Perceptron, {"n": _N + 1}, stream([((*x, 1.0), y) for x, y in pool]).against, facts)

    return game


_THRESHOLDED = (
    Stream("threshold ¼, least sure first", "adversary", _threshold(Nearest)),
    Stream("threshold ¼, at random", "random", _threshold(Stubborn)),
)


class _Classes(Facts):
    """Rounds of many classes against a U of norm 1: `distance` is Σ max(0, γ − margin)."""

    def __init__(self, U: NDArray[np.float64], margin: float) -> None:
        super().__init__()
        self.U, self.margin, self.distance = U, margin, 0.0

    def enter(self, played: Any) -> bool:
        """Adds what the example's margin falls short of γ."""
        scores = self.U @ np.array(played.example)
        right = _CLASSES.index(played.label)
        self.distance += max(0.0, self.margin - float(scores[right] - np.delete(scores, right).max()))
        return super().enter(played)


class _TwoClasses(Facts):
    """So many orthonormal examples of two classes: U with ±½eᵢ in either class has margin 1 and norm √(examples/2)."""

    distance = 0.0

    def __init__(self, examples: int) -> None:
        super().__init__()
        self.margin = math.sqrt(2 / examples)


def _orthonormal_classes(rounds: int, _chance: np.random.Generator) -> Game[_TwoClasses]:
    examples = [indicator(rounds, {i}) for i in range(rounds)]

    def against(learner: Any) -> Iterator[tuple[Vector, str]]:
        for x in examples:
            yield x, _CLASSES[int(learner.predict(x).label == _CLASSES[0])]

    return Game(MulticlassPerceptron, {"n": rounds, "classes": _CLASSES[:2]}, against, _TwoClasses(rounds), "classes")


def _two_classes(k: int, chance: np.random.Generator) -> Game[_TwoClasses]:
    return _orthonormal_classes(2 * k, chance)


def _many_classes(chance: np.random.Generator, margin: float, rows: int) -> tuple[NDArray[np.float64], Pairs]:
    U = np.linalg.qr(chance.standard_normal((_N, len(_CLASSES))))[0].T / math.sqrt(len(_CLASSES))
    found: list[tuple[Any, Any]] = []
    while len(found) < rows:
        X = unit(chance, _N, 4 * rows)
        scores = np.sort(X @ U.T, axis=1)
        wide = scores[:, -1] - scores[:, -2] >= margin
        found += [(tuple(x), _CLASSES[int((U @ x).argmax())]) for x in X[wide].tolist()]
    return U, found[:rows]


def _classes_at_random(k: int, chance: np.random.Generator) -> Game[_Classes]:
    U, pool = _many_classes(chance, k**-0.5, _POOL)
    return Game(MulticlassPerceptron, {"n": _N, "classes": _CLASSES}, Stubborn(pool).against, _Classes(U, k**-0.5), "classes")


def _classes_with_noise(rounds: int, chance: np.random.Generator) -> Game[_Classes]:
    U, rows = _many_classes(chance, 0.2, rounds)
    wrong = chance.random(rounds) < _NOISE
    said = [(x, str(chance.choice(_CLASSES)) if flip else y) for (x, y), flip in zip(rows, wrong, strict=True)]
    return Game(MulticlassPerceptron, {"n": _N, "classes": _CLASSES}, Listed(said).against, _Classes(U, 0.2), "classes")


def _margin(facts: Against | Hindsight) -> Numbers:
    return {"margin": facts.margin, "radius": facts.radius, "norm": facts.norm}


def _distance(facts: Against | Hindsight) -> Numbers:
    return {"distance": facts.distance, **_margin(facts)}


def _squared(facts: Against | Hindsight) -> Numbers:
    return {"squared": facts.squared, **_margin(facts)}


def _hinge(facts: Against | Hindsight) -> Numbers:
    return {"hinge": facts.distance / facts.margin, "norm": facts.norm / facts.margin, "radius": facts.radius}


_BY_MARGIN = ("1/γ²", (4, 9, 16, 36, 64, 100, 225))
_BY_ROUNDS = ("rounds T", (5, 10, 20, 40, 80, 160, 320))
_BY_SCALE = ("1/γ", (2, 3, 4, 6, 8, 12))
_SEPARATED = _separated(Perceptron)

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Experiment(bounds.perceptron_separable, Perceptron, *_BY_MARGIN, _SEPARATED, 1.0, _margin),
    Experiment(
        bounds.perceptron_run, Perceptron, *_BY_MARGIN, _SEPARATED, 1.0,
        lambda facts: {"margin": facts.margin, "squares": facts.squares, "norm": facts.norm},
    ),
    Experiment(
        bounds.perceptron_threshold, Perceptron, *_BY_SCALE, _THRESHOLDED, 0.47,
        lambda facts: {"margin": facts.margin, "radius": 1.0},
    ),
    Experiment(
        bounds.perceptron_gap, Perceptron, *_BY_SCALE, _THRESHOLDED, 0.47,
        lambda facts: {"gap": _BELOW * 2 * facts.margin, "radius": 1.0},
    ),
    Experiment(bounds.perceptron_hinge, Perceptron, *_BY_ROUNDS, _in_hindsight("forced"), 1.0, _hinge, rising=False),
    Experiment(bounds.perceptron_distance, Perceptron, *_BY_ROUNDS, _in_hindsight("forced"), 1.0, _distance, rising=False),
    Experiment(
        bounds.perceptron_distance_textbook, Perceptron, *_BY_ROUNDS, _in_hindsight("adversary"), 1.0, _distance, rising=False
    ),
    Experiment(
        bounds.perceptron_squared_distance, Perceptron, *_BY_ROUNDS, _in_hindsight("adversary"), 1.0, _squared, rising=False
    ),
    Experiment(
        bounds.perceptron_largest_margin, Perceptron, *_BY_MARGIN, _SEPARATED, 1.0,
        lambda facts: {"mistakes": max(1, facts.mistakes), "radius": facts.radius}, rising=False,
    ),
    Experiment(
        bounds.multiclass_perceptron, MulticlassPerceptron, *_BY_MARGIN,
        (Stream("two classes, orthonormal", "forced", _two_classes), Stream("three classes", "random", _classes_at_random)),
        1.0, lambda facts: {"margin": facts.margin},
    ),
    Experiment(
        bounds.multiclass_perceptron_distance, MulticlassPerceptron, *_BY_ROUNDS,
        (
            Stream("two classes, orthonormal", "forced", _orthonormal_classes),
            Stream("one class in ten wrong", "random", _classes_with_noise),
        ),
        1.0, lambda facts: {"distance": facts.distance, "margin": facts.margin},
    ),
    Experiment(
        bounds.passive_aggressive, PassiveAggressive, *_BY_MARGIN, _separated(PassiveAggressive), 1.0, _margin,
    ),
)  # fmt: skip
