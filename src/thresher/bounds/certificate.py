"""A certificate: a bound held against a run, in words that anyone can check again."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

from thresher.bounds.bound import Bound
from thresher.bounds.premise import Premise, Status, Verdict, judge
from thresher.notebook import table

__all__ = ["Certificate"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a theorem says of a finished run, and everything needed to check it.

    `diagnostic` marks a bound that is true and may be empty, such as one that looks at the mistakes alone.
    """

    bound: Bound
    count: int
    rounds: int
    premises: tuple[Premise, ...]
    witness: str
    verify: str
    best_constant: int
    repeat_last: int
    any_order: bool = False
    diagnostic: bool = False

    @property
    def verdict(self) -> Verdict:
        """Certified, conditional, void, refuted or violated."""
        return judge(self.premises, self.count, self.bound)

    @property
    def says_little(self) -> bool:
        """Whether the best constant is as good as what the bound promises."""
        return self.diagnostic or not self.bound.value < self.best_constant

    @property
    def limit(self) -> str:
        """The largest count that the bound allows, in words."""
        return "any number" if math.isinf(self.bound.value) else f"{self.bound.at_most:,}"

    def lines(self) -> dict[str, str]:
        """The certificate, line by line: what each is about, and what it says."""
        by_status = {status: [str(p) for p in self.premises if p.status is status] for status in Status}
        lines = {
            "Claim": f"{self.verdict}: {self.count:,} of at most {self.limit} {self.bound.on} in {self.rounds:,} rounds",
            "Theorem": str(self.bound.theorem),
            "Witness": self.witness,
            "Checked": "; ".join(by_status[Status.CHECKED]) or "nothing",
            "Assumed": "; ".join(by_status[Status.ASSUMED]) or "nothing",
        }
        if by_status[Status.BROKEN]:
            lines["Broken"] = "; ".join(by_status[Status.BROKEN])
        elif self.any_order and self.verdict is Verdict.CERTIFIED:
            lines["Says"] = f"in any order of these {self.rounds:,} rows, one pass makes at most {self.limit} {self.bound.on}"
        else:
            lines["Says"] = f"in this order of these {self.rounds:,} rows there are at most {self.limit} {self.bound.on}"
        lines["Not said"] = "anything about rows that are not in this stream"
        if self.diagnostic:
            lines["Not said"] += "; a witness of zeros would say no more than that the mistakes are what they are"
        lines["Compare"] = (
            f"{self.rounds:,} examples; mistakes of the best constant {self.best_constant:,}, "
            f"of repeating the last label {self.repeat_last:,}"
        )
        lines["Verify"] = self.verify
        return lines

    def as_dict(self) -> dict[str, object]:
        """The certificate as JSON can hold it."""
        return {
            "theorem": self.bound.theorem.name,
            "on": self.bound.on,
            "count": self.count,
            "bound": None if math.isinf(self.bound.value) else self.bound.value,
            "verdict": self.verdict.value,
            "premises": [{"statement": p.statement, "status": p.status.value, "detail": p.detail} for p in self.premises],
        }

    def __str__(self) -> str:
        return "\n".join(
            textwrap.fill(text, 110, initial_indent=f"{name:<10}", subsequent_indent=" " * 10)
            for name, text in self.lines().items()
        )

    def _repr_html_(self) -> str:
        return table(("certificate", ""), self.lines().items())
