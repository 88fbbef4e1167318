"""Portfolios at the command line: what one was made with, and which of its lanes won."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.bounds.printed import plural
from thresher.linear import LinearLearner

if TYPE_CHECKING:
    from thresher.compose import Portfolio
    from thresher.store import StoredLearner

__all__ = [
    "called",
    "lane_of",
    "lane_weights",
    "lanes_as_dicts",
    "lanes_rows",
    "lanes_table",
    "lanes_won",
    "parameters",
]

_MOST_SHOWN = 16
_HEAVY = 0.01


def parameters(learner: StoredLearner) -> dict[str, Any]:
    """What a learner was made with; of a portfolio what its options say."""
    if isinstance(learner, LinearLearner):
        return learner._arguments()
    from thresher.compose.named_portfolio import MASTERS

    master = learner.master
    kind = next(
        (name for name, made in MASTERS.items() if repr(made(master.n, learner.cost_positive)) == repr(master)), repr(master)
    )
    return {
        "n": learner.n,
        "lanes": len(learner.lanes),
        "master": kind,
        "cost_positive": learner.cost_positive,
        "bias": learner.rule.bias,
    }


def called(learner: StoredLearner) -> str:
    """A learner in words; all lanes of a portfolio would be too many."""
    if isinstance(learner, LinearLearner):
        return repr(learner)
    cost = "" if learner.cost_positive == 1.0 else f", cost_positive={learner.cost_positive!r}"
    return f"a portfolio of {len(learner.lanes)} learners under {type(learner._master).__name__}, n={learner.n}{cost}"


def lane_of(portfolio: Portfolio, lane: int) -> LinearLearner | None:
    """A lane as a learner, if it has weights."""
    from thresher.linear import Constant

    found = portfolio.learner(lane)
    return found if isinstance(found, LinearLearner) and not isinstance(found, Constant) else None


def lane_weights(learner: StoredLearner) -> list[float] | None:
    """How a portfolio weighs its lanes now."""
    return None if isinstance(learner, LinearLearner) else learner._counts()[2]


def lanes_as_dicts(learner: Portfolio) -> list[dict[str, Any]]:
    """The lanes as JSON can hold them, in their order."""
    names = ("name", "mistakes", "loss", "weight")
    return [dict(zip(names, lane, strict=True)) for lane in zip(learner.lanes, *learner._counts(), strict=True)]


def lanes_rows(learner: Portfolio) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """All lanes, the best first: a head and rows."""
    lanes, weighted = _ranked(learner)
    head = ("learner", "mistakes", *["loss"] * weighted, "weight")
    rows = [
        (lane["name"], f"{lane['mistakes']:,}", *[f"{lane['loss']:,.6g}"] * weighted, f"{100.0 * lane['weight']:.1f} %")
        for lane in lanes
    ]
    return head, rows


def lanes_won(learner: Portfolio) -> str:
    """Who lost least, and what the portfolio lost beside it."""
    return _won(learner, *_ranked(learner))


def _ranked(learner: Portfolio) -> tuple[list[dict[str, Any]], bool]:
    """The lanes from the best to the worst, and whether what they lost is not the number of their mistakes."""
    lanes = sorted(lanes_as_dicts(learner), key=lambda lane: lane["loss"])
    return lanes, any(lane["loss"] != lane["mistakes"] for lane in lanes)


def lanes_table(learner: Portfolio) -> str:
    """Which lanes won, and by how much: the best first."""
    lanes, weighted = _ranked(learner)
    shown = [lane for k, lane in enumerate(lanes) if k < _MOST_SHOWN or lane["weight"] >= _HEAVY]
    width = max(len("learner"), *(len(lane["name"]) for lane in shown))
    lines = [f"{'learner':<{width}}  mistakes" + f"  {'loss':>10}" * weighted + "   weight"]
    for lane in shown:
        loss = f"  {lane['loss']:>10,.6g}" * weighted
        lines.append(f"{lane['name']:<{width}}  {lane['mistakes']:>8,}{loss}  {100.0 * lane['weight']:>5.1f} %")
    if len(lanes) > len(shown):
        worst = lanes[-1]  # by loss; where rounds cost different amounts others may have made more mistakes
        lines.append(f"and {len(lanes) - len(shown)} more, the worst with {_lost(worst, weighted)}")
    return "\n".join([*lines, _won(learner, lanes, weighted)])


def _won(learner: Portfolio, lanes: list[dict[str, Any]], weighted: bool) -> str:
    """Who lost least, and what the portfolio lost beside it; `lanes` from the best to the worst."""
    best, others = lanes[0], lanes[1:]
    as_good = sum(lane["loss"] == best["loss"] for lane in others)
    line = f"{best['name']} won with {_lost(best, weighted)}"
    if as_good:
        line += f", as did {as_good} other{'s' * (as_good > 1)}"
    if len(others) > as_good:
        behind = others[as_good]["loss"] - best["loss"]
        line += f"; the next best {'lost' if weighted else 'made'} {behind:,.6g} more"
    proven = learner.proven
    bound = "" if proven is None else f", proven to be at most {proven.limit}"
    better = f", {-learner.regret:,.6g} less than the best of them lost" if learner.regret < 0 else ""
    total = f"the weight on wrong learners adds up to {learner.loss:,.6g}{better}"
    return f"{line}\n{total}: a regret of {learner.regret:,.6g}{bound}"


def _lost(lane: dict[str, Any], weighted: bool) -> str:
    """What a lane lost, in words."""
    return f"a loss of {lane['loss']:,.6g}" if weighted else plural(lane["mistakes"], "mistake")
