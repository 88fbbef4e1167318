"""A certificate about examples that nobody has seen yet: how large a risk, with which probability, under which premises."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.bounds.bound import Theorem
from thresher.bounds.premise import Premise, Status, Verdict
from thresher.bounds.printed import above, filled
from thresher.notebook import table

__all__ = ["RiskCertificate"]


@dataclass(frozen=True, slots=True, repr=False)
class RiskCertificate:
    """What is proven of the risk of `about`, its chance to err on a fresh example: at most `risk`, by `theorem`.

    It holds with probability at least 1 − `delta` over the draw of the examples that were used; `delta` is 0 where chance has
    no part in it. That they were independent draws can only be assumed: so the verdict is conditional. `run` tells what was
    played, `verify` how to check that it was.

    >>> import thresher as th
    >>> learned = th.pac(th.Elimination(2), [([1, 0], 1), ([0, 1], 0)] * 50, mistakes=2, epsilon=0.1, delta=0.05)
    >>> learned.certificate
    <certificate: conditional: risk ≤ 0.1 with probability at least 0.95 by PAC from mistakes>
    """

    theorem: Theorem
    about: str
    risk: float
    delta: float
    examples: int
    mistakes: int
    premises: tuple[Premise, ...]
    run: str
    verify: str

    @property
    def verdict(self) -> Verdict:
        """Conditional; certified if nothing is assumed."""
        assumed = any(premise.status is Status.ASSUMED for premise in self.premises)
        return Verdict.CONDITIONAL if assumed else Verdict.CERTIFIED

    def lines(self) -> dict[str, str]:
        """The certificate, line by line: what each is about, and what it says."""
        by_status = {status: [str(p) for p in self.premises if p.status is status] for status in Status}
        return {
            "Claim": f"{self.verdict}: {self.claim}",
            "Theorem": str(self.theorem),
            "Run": self.run,
            "Checked": "; ".join(by_status[Status.CHECKED]) or "nothing",
            "Assumed": "; ".join(by_status[Status.ASSUMED]) or "nothing",
            "Says": self._says(),
            "Not said": self._not_said(),
            "Verify": self.verify,
        }

    @property
    def claim(self) -> str:
        """What is proven of the risk, if what is assumed holds."""
        chance = f" with probability at least {_rest(self.delta)}" if self.delta > 0 else ""
        return f"risk ≤ {_printed(self.risk)}{chance}"

    def _says(self) -> str:
        if self.delta == 0:
            return f"if what is assumed holds, {self.about} never errs on an example with such a label, however it is drawn"
        return (
            f"if what is assumed holds, with probability at least {_rest(self.delta)} over the draw of these {self.examples:,} "
            f"examples, {self.about} errs on at most {_printed(self.risk)} of fresh examples from the same distribution"
        )

    def _not_said(self) -> str:
        if self.delta == 0:
            return "anything about examples with labels for which the mistake bound does not hold"
        return "anything about examples from another distribution"

    def as_dict(self) -> dict[str, object]:
        """The certificate as JSON can hold it."""
        return {
            "theorem": self.theorem.name,
            "on": "risk",
            "bound": self.risk,
            "delta": self.delta,
            "verdict": self.verdict.value,
            "premises": [{"statement": p.statement, "status": p.status.value, "detail": p.detail} for p in self.premises],
            "examples": self.examples,
            "mistakes": self.mistakes,
            "verify": self.verify,
        }

    def __str__(self) -> str:
        return "\n".join(filled(text, f"{name:<10}", " " * 10) for name, text in self.lines().items())

    def __repr__(self) -> str:
        return f"<certificate: {self.verdict}: {self.claim} by {self.theorem.name}>"

    def _repr_html_(self) -> str:
        return table(("certificate", ""), self.lines().items())


def _printed(number: float) -> str:
    """A number as it was given, if that is short; else rounded up.

    >>> _printed(0.1), _printed(0.068702)
    ('0.1', '0.068702')
    >>> _printed(1 / 3)
    '0.333334'
    """
    return given if len(given := f"{number:g}") < 12 and float(given) == number else above(number)


def _rest(delta: float) -> str:
    """1 − δ: exactly, if δ was given with few digits; else rounded down.

    >>> _rest(0.05), _rest(1 / 3), _rest(1e-300)
    ('0.95', '0.666666', '0.999999')
    """
    from decimal import ROUND_FLOOR, Context, Decimal

    rest = Context(20, ROUND_FLOOR).subtract(Decimal(1), Decimal(repr(delta)))
    return str(rest) if len(str(rest)) < 12 else str(Context(6, ROUND_FLOOR).subtract(Decimal(1), Decimal(delta)))
