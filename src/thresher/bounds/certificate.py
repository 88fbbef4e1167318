"""A certificate: a bound held against a run, in words that anyone can check again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from thresher.bounds.bound import Bound
from thresher.bounds.premise import Premise, Status, Verdict, judge
from thresher.bounds.printed import above, filled, plural
from thresher.notebook import table

__all__ = ["Certificate", "Lost"]


class Lost(NamedTuple):
    """What others lost in the rounds of a certificate about losses: the plain average of the experts, and the worst of them.

    `reach` is what the worst expert does to the count: a bound that is no smaller says little.
    """

    average: float
    worst: float
    reach: float


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """What a theorem says of a finished run, and everything needed to check it.

    `numbers` are what the bound was computed from, each already on the safe side of what it stands for. `diagnostic` marks
    a bound that is true and may be empty, such as one that looks at the mistakes alone. Rounds with losses have no labels, and
    so no baselines of labels: `lost` says what others lost in them.

    >>> import thresher as th
    >>> ledger = th.Ledger(th.Separator([1.0, -1.0]))
    >>> ledger.enter(th.Perceptron(2).learn_many([[2, 0], [0, 2]] * 50, [+1, -1] * 50))
    >>> certificate = ledger.headline
    >>> certificate
    <certificate: certified: 1 of at most 1 mistake in 100 rounds by Perceptron, separable, after the run>
    >>> certificate.lines()["Says"]
    'in this order of these 100 rows there is at most 1 mistake'
    """

    bound: Bound
    count: float
    rounds: int
    premises: tuple[Premise, ...]
    witness: str
    verify: str
    best_constant: int | None
    repeat_last: int | None
    numbers: Mapping[str, float]
    any_order: bool = False
    diagnostic: bool = False
    lost: Lost | None = None

    @property
    def verdict(self) -> Verdict:
        """Certified, conditional, void, refuted or violated."""
        return judge(self.premises, self.count, self.bound)

    @property
    def limit(self) -> str:
        """The largest count that the bound allows, in words."""
        return "any number of" if self.bound.infinite else self.bound.limit

    @property
    def counted(self) -> str:
        """The count in digits: a whole number, or rounded up."""
        return f"{self.count:,}" if isinstance(self.count, int) else above(self.count)

    @property
    def says_little(self) -> bool:
        """Whether the best constant, or of losses the worst expert, is as good as what the bound promises."""
        if self.lost is not None:
            return self.diagnostic or not self.bound.value < self.lost.reach
        return self.diagnostic or (self.best_constant is not None and not self.bound.value < self.best_constant)

    @property
    def note(self) -> str:
        """Why the bound says little, or nothing, if it does."""
        if self.verdict is Verdict.VOID:
            broken = next(p for p in self.premises if p.status is Status.BROKEN)
            return f"not so: {broken.statement}"
        if self.verdict is Verdict.REFUTED:
            return f"so not all of this is true: {self._assumed()}"
        if self.verdict is Verdict.VIOLATED:
            return ""
        if self.diagnostic:
            return "a diagnostic: it looks at the mistakes alone"
        return self._little() if self.says_little or self.bound.allows(self.rounds) else ""

    def _little(self) -> str:
        if self.lost is not None:
            return f"says little: the worst expert comes to {above(self.lost.reach)}" if self.says_little else ""
        if self.bound.allows(self.rounds):
            return f"says nothing: there are only {self.rounds:,} rounds"
        return f"says little: the best constant makes {self.best_constant:,}"

    def _assumed(self) -> str:
        return "; ".join(premise.statement for premise in self.premises if premise.status is Status.ASSUMED)

    @property
    def condition(self) -> str:
        """What a conditional certificate assumes."""
        return f"if {self._assumed()}" if self.verdict is Verdict.CONDITIONAL else ""

    def lines(self) -> dict[str, str]:
        """The certificate, line by line: what each is about, and what it says."""
        by_status = {status: [str(p) for p in self.premises if p.status is status] for status in Status}
        lines = {
            "Claim": self._claim(),
            "Theorem": str(self.bound.theorem),
            "Witness": self.witness,
            "Checked": "; ".join(by_status[Status.CHECKED]) or "nothing",
            "Assumed": "; ".join(by_status[Status.ASSUMED]) or "nothing",
        }
        if by_status[Status.BROKEN]:
            lines["Broken"] = "; ".join(by_status[Status.BROKEN])
        else:
            lines["Says"] = self._says()
        lines["Not said"] = "anything about rows that are not in this stream"
        lines["Compare"] = self._compare()
        lines["Verify"] = self.verify
        return lines

    def _compare(self) -> str:
        if self.lost is not None:
            return (
                f"{self.rounds:,} rounds; the plain average of the experts lost {above(self.lost.average)}, "
                f"the worst expert {above(self.lost.worst)}"
            )
        return (
            f"{self.rounds:,} examples; mistakes of the best constant {self.best_constant:,}, "
            f"of repeating the last label {self.repeat_last:,}"
        )

    def _claim(self) -> str:
        on, rounds = self.bound.on, plural(self.rounds, "round")
        if self.verdict is Verdict.VOID:
            what = _many(self.counted, on) if self.bound.counts else f"{on} {self.counted}"
            return f"void: the theorem does not apply to these {rounds} with {what}"
        if self.bound.counts:
            return f"{self.verdict}: {self.counted} of at most {_many(self.limit, on)} in {rounds}"
        return f"{self.verdict}: {on} {self.counted} of at most {self.limit} in {rounds}"

    def _says(self) -> str:
        if self.verdict is Verdict.VIOLATED:
            return "nothing: a theorem whose premises were checked has failed, which is a bug of ours; please report it"
        if self.verdict is Verdict.REFUTED:
            return f"that not all of this is true: {self._assumed()}"
        most = _many(self.limit, self.bound.on)
        promise = (
            f"in this order of these {plural(self.rounds, 'row')} there {'is' if self.limit == '1' else 'are'} at most {most}"
        )
        if self.bound.on == "weighted mistakes":
            promise = f"in these {self.rounds:,} rounds, in this order, the weighted mistakes are at most {self.limit}"
        elif self.lost is not None or self.bound.on == "loss":
            promise = f"in these {self.rounds:,} rounds, in this order, the {self.bound.on} is at most {self.limit}"
        if self.any_order:
            promise = f"in any order of these {plural(self.rounds, 'row')}, one pass makes at most {most}"
        if self.verdict is Verdict.CONDITIONAL:
            promise = f"if what is assumed holds, {promise}"
        return f"{promise} ({self.note})" if self.note else promise

    def as_dict(self) -> dict[str, object]:
        """The certificate as JSON can hold it; the bound is null where the theorem is void or allows any count."""
        silent = self.bound.infinite or self.verdict is Verdict.VOID
        return {
            "theorem": self.bound.theorem.name,
            "on": self.bound.on,
            "count": self.count,
            "bound": None if silent else self.bound.value,
            "at_most": None if silent else self.bound.most,
            "verdict": self.verdict.value,
            "premises": [{"statement": p.statement, "status": p.status.value, "detail": p.detail} for p in self.premises],
            "rounds": self.rounds,
            "numbers": _finite(self.numbers),
            "any_order": self.any_order,
            "diagnostic": self.diagnostic,
            "best_constant": self.best_constant,
            "repeat_last": self.repeat_last,
            **({} if self.lost is None else {"lost": _finite(self.lost._asdict())}),
            "verify": self.verify,
        }

    def __str__(self) -> str:
        return "\n".join(filled(text, f"{name:<10}", " " * 10) for name, text in self.lines().items())

    def __repr__(self) -> str:
        return f"<certificate: {self._claim()} by {self.bound.theorem.name}>"

    def _repr_html_(self) -> str:
        return table(("certificate", ""), self.lines().items())


def _many(count: str, on: str) -> str:
    """A count with what is counted.

    >>> _many("1", "mistakes after the first round"), _many("20", "updates")
    ('1 mistake after the first round', '20 updates')
    """
    things, space, rest = on.partition(" ")
    return f"{count} {things.removesuffix('s') if count == '1' else things}{space}{rest}"


def _finite(numbers: Mapping[str, float]) -> dict[str, float | None]:
    """The numbers as JSON can hold them."""
    return {name: number if math.isfinite(number) else None for name, number in numbers.items()}
