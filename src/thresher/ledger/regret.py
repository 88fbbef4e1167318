"""From the sums of rounds with losses to certificates: which theorems speak of the rule that played, and with which numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from thresher import bounds
from thresher.bounds import Bound, Certificate, Lost, Premise, Status
from thresher.bounds.printed import above
from thresher.bounds.rounding import (
    adahedge_rounding,
    aggregating_rounding,
    fixed_share_rounding,
    hedge_rounding,
    log_rounding,
    loss_stretch,
    sleeping_rounding,
)
from thresher.ledger.losses import LossTally
from thresher.ledger.statement import verified
from thresher.ledger.sums import up

__all__ = ["Compared", "Promise", "Run", "certificates", "promises", "run_of"]

_RANGE = "losses of a round differ by at most 1"
_UNIT = "losses are from 0 to 1"
_AWAKE = "no expert sleeps"
_COVERED = "rounding to float64 is covered"
_U = 2.0**-53


@dataclass(frozen=True)
class Run:
    """What the rule itself was told: its own losses, which for a forecaster may be others than the experts'.

    `rule` is None if nobody knows which it is. `own` says whether these are the losses of the rounds. `extra` is what rounding
    costs beside the rule.
    """

    rule: str | None
    arguments: Mapping[str, Any]
    n: int
    rounds: int
    gap: float
    scale: float
    sizes: float
    ranges: float
    extra: float
    own: bool
    against_mixtures: bool
    called: str

    @property
    def facts(self) -> _Facts:
        """What the rules' rounding depends on."""
        return {"n": self.n, "rounds": self.rounds, "sizes": self.sizes, "ranges": self.ranges}


class _Facts(TypedDict):
    n: int
    rounds: int
    sizes: float
    ranges: float


@dataclass(frozen=True)
class Promise:
    """A theorem that speaks of the run, the numbers it is computed from, and what it needs beside what all of them need."""

    theorem: Callable[..., Bound]
    numbers: Mapping[str, float]
    premises: tuple[Premise, ...]
    sleeping: bool = False  # whether experts may sleep


@dataclass(frozen=True)
class Compared:
    """A comparator's own numbers: floats whose exact sum is at least the regret against it, its loss from above, its words.

    `doubt` is at least what that sum may be above the regret; the bound is widened by as much.
    """

    regret: list[float]
    loss: float
    witness: str
    doubt: float = 0.0


def run_of(tally: LossTally) -> Run | None:
    """The run of the rule that played these rounds; None for a rule of which no theorem is known."""
    origin = tally.origin
    run = Run(
        rule=None,
        arguments={},
        n=tally.n,
        rounds=tally.rounds,
        gap=math.inf if origin is None else origin.after.gap,
        scale=tally.largest,
        sizes=tally.sizes,
        ranges=tally.ranges,
        extra=0.0,
        own=True,
        against_mixtures=False,
        called="rule" if origin is None else origin.rule,
    )
    if origin is None:
        return run
    made = origin.arguments
    if origin.rule in ("AdaHedge", "Hedge", "FixedShare"):
        return replace(run, rule=origin.rule, arguments=made)
    if origin.rule != "Forecaster":
        return None
    if made["loss"] in ("log", "brier") or made["range"] is not None:
        return replace(run, rule=made["loss"] if made["range"] is None else "range", arguments=made)
    inner = made["rule"] or {"rule": "AdaHedge", "arguments": {}}
    extra = 2 * _U * (tally.n + 32) * tally.steepness + 8 * _U * up(tally.loss_parts)
    run = replace(run, rule=inner["rule"], arguments=inner["arguments"], extra=extra)
    if made["against"] == "expert":
        return run
    scale = origin.after.largest * (1 + 2.0**-40)  # the rule's losses have both signs in every round: none is larger than this
    total = scale * tally.rounds
    return replace(run, scale=scale, sizes=total, ranges=total, own=False, against_mixtures=True)


def promises(tally: LossTally, run: Run, switches: int) -> list[Promise]:
    """What the theorems of the rule that played promise against the best sequence of experts with so many changes."""
    if run.rule in (None, "AdaHedge") and switches == 0:
        made = _adahedge(tally, run)
        return made if run.rule is not None else [*made[1:], *_hedge(tally, run)]
    if run.rule == "Hedge" and switches == 0:
        return _hedge(tally, run)
    if run.rule == "FixedShare":
        return _fixed_share(run, switches)
    return _aggregating(tally, run) if switches == 0 else []


def _adahedge(tally: LossTally, run: Run) -> list[Promise]:
    stretch = loss_stretch(run.sizes)
    before = bounds.adahedge_scaled(run.rounds, n=run.n, scale=run.scale + stretch).value
    rounding = adahedge_rounding(**run.facts, gaps=run.gap if math.isfinite(run.gap) else before) + run.extra
    wide = 3 * adahedge_rounding(**run.facts, gaps=before) + run.extra
    unit = bounds.adahedge_scaled(run.rounds, n=run.n, scale=stretch).value
    made = [
        Promise(bounds.adahedge_run, {"gaps": run.gap, "rounding": rounding}, ()),
        Promise(
            bounds.adahedge_scaled,
            {"rounds": run.rounds, "n": run.n, "scale": run.scale, "rounding": wide + unit},
            (),
        ),
    ]
    if run.own:
        doubt = run.rounds * stretch
        low, high = tally.lost_by(tally.best)
        best = min(max(0.0, min(run.rounds / 2, high + doubt), low - doubt), float(run.rounds))
        wide += 2 * stretch * bounds.adahedge(best, rounds=run.rounds, n=run.n).value
        numbers = {"best": best, "rounds": run.rounds, "n": run.n, "rounding": wide}
        made.append(Promise(bounds.adahedge, numbers, (_within_unit(tally),)))
    return made


def _hedge(tally: LossTally, run: Run) -> list[Promise]:
    stretch, rounding = loss_stretch(run.sizes), hedge_rounding(**run.facts) + run.extra
    rate = _rate(run)
    in_range = (_in_range(tally, run),)
    if rate is None:
        value = bounds.hedge_anytime(run.rounds, n=run.n).value
        numbers = {"rounds": run.rounds, "n": run.n, "rounding": rounding + 2.01 * stretch * value}
        return [Promise(bounds.hedge_anytime, numbers, in_range)]
    if tally.slept is not None and run.own:
        awake = run.rounds - int(tally.absent[tally.best])
        doubt = sleeping_rounding(**run.facts, eta=rate) + run.extra
        wide = doubt + 2.01 * stretch * bounds.sleeping(run.rounds, n=run.n, eta=rate).value
        covered = Premise("weights never fall below what float64 holds", Status.CHECKED)
        if math.isinf(doubt):
            covered = Premise(covered.statement, Status.BROKEN, "not shown: η times the sum of the ranges exceeds 600")
            wide = 0.0
        numbers = {"rounds": awake, "n": run.n, "eta": rate, "rounding": wide}
        sleeping = Promise(bounds.sleeping, numbers, (*in_range, covered), sleeping=True)
        return [sleeping, *_hedge_awake(tally, run, rate, rounding, stretch)]
    return _hedge_awake(tally, run, rate, rounding, stretch)


def _rate(run: Run) -> float | None:
    """Hedge's rate; None if it falls."""
    eta, horizon = run.arguments.get("eta"), run.arguments.get("horizon")
    if horizon is not None:
        return math.sqrt(8 * math.log(run.n) / horizon) if run.n > 1 else 1.0
    return None if eta is None else float(eta)


def _hedge_awake(tally: LossTally, run: Run, rate: float, rounding: float, stretch: float) -> list[Promise]:
    value = bounds.hedge_fixed(run.rounds, n=run.n, eta=rate).value
    numbers = {"rounds": run.rounds, "n": run.n, "eta": rate, "rounding": rounding + 2.01 * stretch * value}
    made = [Promise(bounds.hedge_fixed, numbers, (_in_range(tally, run),))]
    beta = math.exp(-rate)
    if run.own and rate >= 2.0**-20:
        best = max(0.0, tally.lost_by(tally.best)[1]) + (run.rounds * stretch if tally.high > 0.0 else 0.0)
        value = bounds.hedge(best, n=run.n, beta=beta).value
        wide = rounding + (0.0 if math.isinf(value) else value * (2 * stretch + 2.0**-50 / rate))
        made.append(Promise(bounds.hedge, {"best": best, "n": run.n, "beta": beta, "rounding": wide}, (_within_unit(tally),)))
    return made


def _fixed_share(run: Run, switches: int) -> list[Promise]:
    eta, alpha = run.arguments["eta"], run.arguments["alpha"]
    rounding = fixed_share_rounding(**run.facts, eta=eta, alpha=alpha) + run.extra
    most = 0 if run.n == 1 else min(switches, max(0, run.rounds - 1))

    def allowed(changes: int) -> float:
        return bounds.fixed_share(run.rounds, n=run.n, switches=changes, eta=eta, alpha=alpha).value

    changes = max((0, most), key=allowed)  # it is linear in the changes
    wide = rounding + 2.0**-49 * allowed(changes)
    covered: tuple[Premise, ...] = ()
    if math.isinf(rounding):
        covered, wide = (Premise(_COVERED, Status.BROKEN, "η is above 600, or α below n·2^-900"),), 0.0
    in_range = Premise(_RANGE, *_status(run.scale <= 1.0, f"by {above(run.scale)} in one"))
    numbers = {"rounds": run.rounds, "n": run.n, "switches": changes, "eta": eta, "alpha": alpha, "rounding": wide}
    return [Promise(bounds.fixed_share, numbers, (in_range, *covered))]


def _aggregating(tally: LossTally, run: Run) -> list[Promise]:
    if run.rule == "log":
        best = tally.lost_by(tally.best)[1]
        return [Promise(bounds.mixture_log, {"n": run.n, "rounding": log_rounding(n=run.n, rounds=run.rounds, best=best)}, ())]
    if run.rule == "brier":
        rounding = aggregating_rounding(n=run.n, rounds=run.rounds, sizes=run.sizes, scale=2.0)
        return [Promise(bounds.aggregating_brier, {"n": run.n, "rounding": rounding}, ())]
    if run.rule == "range":
        low, high = run.arguments["range"]
        rounding = aggregating_rounding(n=run.n, rounds=run.rounds, sizes=run.sizes, scale=(high - low) ** 2)
        return [Promise(bounds.aggregating_squared, {"n": run.n, "low": low, "high": high, "rounding": rounding}, ())]
    return []


def _status(good: bool, detail: str) -> tuple[Status, str]:
    return (Status.CHECKED, "") if good else (Status.BROKEN, detail)


def _in_range(tally: LossTally, run: Run) -> Premise:
    where = f"in round {tally.beyond} they do not" if run.own else f"by {above(run.scale)} in one"
    return Premise(_RANGE, *_status(run.scale <= 1.0, where))


def _within_unit(tally: LossTally) -> Premise:
    return Premise(
        _UNIT, *_status(tally.low >= 0.0 and tally.high <= 1.0, f"one is {above(tally.low)}, one {above(tally.high)}")
    )


def _played(tally: LossTally, run: Run, theorem: str) -> tuple[Premise, ...]:
    """The premises on how the rounds were played."""
    whose = run.called if run.rule is not None else theorem
    status = Status.CHECKED if run.rule is not None else Status.ASSUMED
    begin = "they begin at equal weights"
    return (
        Premise(f"the rounds are one {whose}'s", status),
        Premise(begin, status)
        if tally.from_the_start
        else Premise(begin, Status.BROKEN, f"the ledger begins at round {tally.first}"),
    )


def _awake(tally: LossTally) -> Premise:
    return Premise(_AWAKE, *_status(tally.slept is None, f"one did in round {tally.slept}"))


def certificates(tally: LossTally, run: Run, made: list[Promise], compared: Compared) -> list[Certificate]:
    """The promises held against what was lost."""
    regret, loss, worst = up(compared.regret), up(tally.loss_parts), tally.worst
    lost = {"regret": Lost(tally.average, worst, up([worst, -compared.loss])), "loss": Lost(tally.average, worst, worst)}
    counts = {"regret": regret, "loss": loss}
    given = []
    for promise in made:
        rounding = promise.numbers["rounding"] + (compared.doubt if promise.theorem is not bounds.hedge else 0.0)
        numbers = {**promise.numbers, "rounding": rounding}
        bound = promise.theorem(**numbers)
        whose = "Hedge with η = 2√(ln n/t)" if promise.theorem is bounds.hedge_anytime else "AdaHedge"
        covered = Premise(
            _COVERED, Status.CHECKED if run.rule is not None else Status.ASSUMED, f"by {above(rounding)} more in the bound"
        )
        premises = (
            *_played(tally, run, whose),
            *(() if promise.sleeping else (_awake(tally),)),
            *promise.premises,
            covered,
        )
        given.append(
            Certificate(
                bound=bound,
                count=counts[bound.on],
                rounds=tally.rounds,
                premises=premises,
                witness=compared.witness,
                verify=verified(promise.theorem, numbers),
                best_constant=None,
                repeat_last=None,
                numbers=numbers,
                lost=lost[bound.on],
            )
        )
    return given
