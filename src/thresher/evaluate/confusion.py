"""What was said, and what was so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from thresher.ledger import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Confusion", "percent"]


def percent(share: float | None) -> str:
    """A share in percent.

    >>> percent(0.125), percent(None)
    ('12.50 %', '–')
    """
    return "–" if share is None else f"{100.0 * share:.2f} %"


@dataclass(frozen=True)
class Confusion:
    """Counts of predictions by label. A prediction that is neither label counts as the wrong one.

    >>> made = Confusion(found=8, missed=2, false_alarms=4, rejected=86)
    >>> made.precision, made.recall, made.mistakes
    (0.6666666666666666, 0.8, 6)
    """

    found: int = 0
    missed: int = 0
    false_alarms: int = 0
    rejected: int = 0

    @classmethod
    def of(cls, tally: Tally) -> Self:
        """The counts of a ledger."""
        false_alarms = tally.mistakes - tally.missed
        return cls(tally.positives - tally.missed, tally.missed, false_alarms, tally.negatives - false_alarms)

    def after(self, labels: NDArray[np.int8], said: NDArray[np.int8]) -> Self:
        """The counts with these added; a label other than −1 and +1 is none."""
        plus, minus = labels == 1, labels == -1
        found, rejected = int(np.count_nonzero(plus & (said > 0))), int(np.count_nonzero(minus & (said < 0)))
        return type(self)(
            self.found + found,
            self.missed + int(np.count_nonzero(plus)) - found,
            self.false_alarms + int(np.count_nonzero(minus)) - rejected,
            self.rejected + rejected,
        )

    def __sub__(self, earlier: Confusion) -> Self:
        return type(self)(
            self.found - earlier.found,
            self.missed - earlier.missed,
            self.false_alarms - earlier.false_alarms,
            self.rejected - earlier.rejected,
        )

    @property
    def examples(self) -> int:
        """How many were counted."""
        return self.found + self.missed + self.false_alarms + self.rejected

    @property
    def mistakes(self) -> int:
        """How many of them were wrong."""
        return self.missed + self.false_alarms

    @property
    def precision(self) -> float | None:
        """Of what was called positive, the share that was; None if nothing was."""
        called = self.found + self.false_alarms
        return self.found / called if called else None

    @property
    def recall(self) -> float | None:
        """Of what was positive, the share that was called so; None if nothing was."""
        positive = self.found + self.missed
        return self.found / positive if positive else None

    def table(self, minus: str, plus: str) -> str:
        """The counts with the labels as they are spelled."""
        rows = [
            ("", f"said {plus}", f"said {minus}"),
            (plus, f"{self.found:,}", f"{self.missed:,}"),
            (minus, f"{self.false_alarms:,}", f"{self.rejected:,}"),
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}".rstrip() for a, b, c in rows)

    def in_words(self, plus: str) -> str:
        """The mistakes, and precision and recall of the positive label."""
        wrong = self.mistakes / self.examples if self.examples else None
        return (
            f"mistakes {self.mistakes:,} of {self.examples:,} ({percent(wrong)}); "
            f"of {plus}: precision {percent(self.precision)}, recall {percent(self.recall)}"
        )

    def as_dict(self) -> dict[str, int | float | None]:
        """The counts as JSON can hold them."""
        return {
            "true_positives": self.found,
            "false_negatives": self.missed,
            "false_positives": self.false_alarms,
            "true_negatives": self.rejected,
            "precision": self.precision,
            "recall": self.recall,
        }
