"""What came of an experiment, as plain values: a table, a figure or a page is made from these alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from thresher.bounds import Theorem
from thresher.lab.experiment import Kind

__all__ = ["Outcome", "Refutation", "Result"]


class Refutation(NamedTuple):
    """The round in which a count came above its bound: what was said in it, and what was true."""

    round: int
    example: str
    said: str
    truth: str


@dataclass(frozen=True)
class Outcome:
    """A game: what was counted in so many rounds of a stream of this size, and the bound on it.

    Of several games by chance it is the one that came nearest to its bound. `allowed` is the bound, or the
    whole number below it where what is counted is whole.
    """

    stream: str
    kind: Kind
    size: int
    rounds: int
    attained: float
    bound: float
    allowed: float
    refuted: Refutation | None = None

    @property
    def ratio(self) -> float:
        """Attained / allowed; 1 where both are 0."""
        return self.attained / self.allowed if self.allowed else 1.0 if self.attained == 0 else float("inf")


@dataclass(frozen=True)
class Result:
    """All games of a theorem, in the order in which they were played: by size, then by stream. A refutation ends it.

    >>> import thresher as th
    >>> result = th.lab.play("halving", quick=True)
    >>> [(outcome.size, outcome.attained, outcome.bound) for outcome in result.of("all functions of k points")]
    [(2, 1, 1), (4, 2, 2), (8, 3, 3)]
    >>> result.worst.ratio, result.refuted
    (1.0, None)
    """

    name: str
    theorem: Theorem
    on: str
    assumes: tuple[str, ...]
    learner: str
    axis: str
    tight: float
    seed: int
    outcomes: tuple[Outcome, ...]
    skipped: tuple[str, ...] = ()

    @property
    def worst(self) -> Outcome:
        """The game that came nearest to its bound, or above it."""
        return max(self.outcomes, key=lambda outcome: (outcome.refuted is not None, outcome.ratio))

    @property
    def refuted(self) -> Outcome | None:
        """The game in which a count came above its bound."""
        return next((outcome for outcome in self.outcomes if outcome.refuted is not None), None)

    @property
    def symbol(self) -> str:
        """What the sizes are, in short: n of "attributes n"."""
        return self.axis.split()[-1]

    @property
    def streams(self) -> list[str]:
        """Their names, in order."""
        return list(dict.fromkeys(outcome.stream for outcome in self.outcomes))

    def of(self, stream: str) -> list[Outcome]:
        """The games of one stream, by size."""
        return [outcome for outcome in self.outcomes if outcome.stream == stream]

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "theorem": self.name,
            "statement": self.theorem.formula,
            "citation": self.theorem.citation,
            "counts": self.on,
            "assumes": list(self.assumes),
            "learner": self.learner,
            "axis": self.axis,
            "tight": self.tight,
            "seed": self.seed,
            "worst": self.worst.ratio,
            "refuted": self.refuted is not None,
            "skipped": list(self.skipped),
            "games": [_as_dict(outcome) for outcome in self.outcomes],
        }

    def plot(self, path: str | Path) -> None:
        """Draws what was attained under the bound, over the sizes: a PDF, SVG or PNG by the name. Needs matplotlib."""
        from thresher.lab.figure import draw

        draw(self, Path(path))


def _as_dict(outcome: Outcome) -> dict[str, Any]:
    told = asdict(outcome)
    told["refuted"] = None if outcome.refuted is None else outcome.refuted._asdict()
    return {**told, "ratio": outcome.ratio}
