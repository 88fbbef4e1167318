"""The best lane as comparator: what a portfolio lost, held against the learner of its own that lost least."""

from __future__ import annotations

import math
from collections.abc import Callable

from thresher import bounds
from thresher._core import PortfolioRule, Round, Rounds, Standing
from thresher.bounds import Certificate, Lost, Premise, Status
from thresher.bounds.printed import above
from thresher.bounds.rounding import adahedge_rounding, fixed_share_rounding, hedge_rounding, loss_stretch
from thresher.ledger.statement import verified
from thresher.ledger.sums import up
from thresher.ledger.tally import Tally

__all__ = ["BestLane"]

_COVERED = "rounding to float64 is covered"


class BestLane:
    """The comparator "the best of the portfolio's own lanes, chosen after the fact": whoever lost least.

    The core sums what every lane and the mixture of them lose, so nothing is done a row here. Where every round costs 1, a
    lane's loss is its mistakes, at whatever precision it learned: they were counted, and nothing is assumed about it.

    >>> import thresher as th
    >>> portfolio, ledger = th.Portfolio(2, [th.Perceptron(2), th.AROW(2)]), th.Ledger(th.BestLane())
    >>> ledger.enter(portfolio.learn_many([[1, 0], [0, 1], [1, 1]] * 100, [+1, -1, -1] * 100))
    >>> for certificate in ledger.certificates():
    ...     print(certificate.verdict, certificate.bound)
    certified loss ≤ 2.00001 by Portfolio, loss
    certified mistakes ≤ 3 by Portfolio, mistakes
    """

    def watch(self) -> LaneWatcher:
        """A fresh watcher for one ledger."""
        return LaneWatcher()

    def __repr__(self) -> str:
        return "BestLane()"


class LaneWatcher:
    """The best lane at work: where the portfolio stands holds all that it needs."""

    def __init__(self) -> None:
        self._standing: Standing | None = None

    def enter(self, entered: Round | Rounds) -> Callable[[], None]:
        before = self._standing

        def take_back() -> None:
            self._standing = before

        self._standing = entered.standing
        return take_back

    def certificates(self, tally: Tally) -> list[Certificate]:
        """The vote's loss against the best lane's, and its mistakes against its loss; nothing, of other learners."""
        standing, rule = self._standing, tally.rule
        if standing is None or not isinstance(rule, PortfolioRule) or tally.rounds == 0:
            return []
        made = Composed(standing, rule, tally)
        return [made.loss(), made.mistakes()]


class Composed:
    """The two certificates of a portfolio, from where it stands."""

    def __init__(self, standing: Standing, rule: PortfolioRule, tally: Tally) -> None:
        self._standing, self._tally = standing, tally
        self._lanes = len(standing.losses)
        lost = [up(parts) for parts in standing.losses]
        # A sum in two parts is off by 2^-104 of itself with each round.
        self._doubt = 0.0 if standing.weighted == 0 else 2.0**-50 * max(lost)
        self._best = min(range(self._lanes), key=standing.losses.__getitem__)
        self._best_loss = lost[self._best] + self._doubt
        self._lost = Lost(sum(lost) / self._lanes, max(lost), max(lost))
        self._weighted = standing.weighted != 0
        name, erred = rule.lanes[self._best], standing._erred(self._best)
        losing = f", which lost {above(lost[self._best])} with" if self._weighted else ", which made"
        self._witness = f"the lane {name}{losing} {erred:,} mistakes"

    def loss(self) -> Certificate:
        """What the vote lost, at most what the best lane did and the master's regret."""
        regret, rounding, premises = self._regret()
        numbers = {"best": self._best_loss, "regret": regret, "rounding": rounding + self._doubt}
        bound = bounds.portfolio_loss(**numbers)
        covered = Premise(_COVERED, Status.CHECKED, f"by {above(numbers['rounding'])} more in the bound")
        return Certificate(
            bound=bound,
            count=up(self._standing.loss),
            rounds=self._tally.rounds,
            premises=(*self._played(), *premises, *(() if premises else (covered,))),
            witness=self._witness,
            verify=verified(bounds.portfolio_loss, numbers),
            best_constant=self._tally.best_constant,
            repeat_last=self._tally.repeat_last,
            numbers=numbers,
            lost=self._lost if self._weighted else None,
        )

    def mistakes(self) -> Certificate:
        """What the vote's mistakes cost, at most twice its loss."""
        loss = up(self._standing.loss)
        # The weight on wrong lanes is computed once by the vote and once by the master, each in another order.
        rounding = 2.0**-50 * (self._lanes + 32) * up(self._standing.cost)
        numbers: dict[str, float] = {"loss": loss, "rounding": rounding}
        if self._weighted:
            numbers["weighted"] = True
        return Certificate(
            bound=bounds.portfolio_mistakes(loss, weighted=self._weighted, rounding=rounding),
            count=up(self._standing.missed) if self._weighted else self._tally.mistakes,
            rounds=self._tally.rounds,
            premises=(*self._played(), Premise(_COVERED, Status.CHECKED, f"by {above(rounding)} more in the bound")),
            witness=f"the weight on wrong lanes, which adds up to {above(loss)}",
            verify=verified(bounds.portfolio_mistakes, numbers),
            best_constant=self._tally.best_constant,
            repeat_last=self._tally.repeat_last,
            numbers=numbers,
            lost=self._lost if self._weighted else None,
        )

    def _regret(self) -> tuple[float, float, tuple[Premise, ...]]:
        """What the master proves, what its rounding may cost, and what its theorem needs beside."""
        standing, n, rounds = self._standing, self._lanes, self._standing.rounds
        sizes = up(standing.cost)
        stretch, summed = loss_stretch(sizes), 2.0**-100 * rounds * sizes  # a sum in two parts is rounded once a round, too
        if standing.rate == "adaptive":
            rounding = adahedge_rounding(n=n, rounds=rounds, sizes=sizes, ranges=sizes, gaps=standing.gap)
            return bounds.adahedge_run(standing.gap).value, rounding + summed, ()
        # A rule at the rate η on losses up to S is the same rule at the rate ηS on losses up to 1, which a power of 2 shows bit
        # for bit; its regret is S times that one's.
        scale = max(1.0, standing.largest)
        two = 2.0 ** math.ceil(math.log2(scale))
        sizes /= two
        if standing.rate == "share":
            eta, alpha = standing.eta, standing.alpha
            value = scale * bounds.fixed_share(rounds, n=n, switches=0, eta=eta * scale, alpha=alpha).value
            rounding = two * fixed_share_rounding(n=n, rounds=rounds, sizes=sizes, ranges=sizes, eta=eta * two, alpha=alpha)
            if math.isinf(rounding):
                return value, 0.0, (Premise(_COVERED, Status.BROKEN, "η times a cost is above 600, or α below n·2^-900"),)
            return value, rounding + summed + 2.0**-49 * value, ()
        rounding = two * hedge_rounding(n=n, rounds=rounds, sizes=sizes, ranges=sizes)
        if standing.rate == "anytime":  # ln N/η + η(1 + 1/√2 + … )S²/8 at η = 2√(ln N/T), which is √(T ln N) where S = 1
            value = bounds.hedge_anytime(rounds, n=n).value * (1 + scale * scale) / 2
        else:
            value = scale * bounds.hedge_fixed(rounds, n=n, eta=standing.eta * scale).value
        return value, rounding + summed + 2.01 * stretch * (1 + scale) * value, ()

    def _played(self) -> tuple[Premise, ...]:
        """The premises on how the rounds were played."""
        tally = self._tally
        status = Status.ASSUMED if tally.history is None else Status.CHECKED
        begin = "they begin at equal weights"
        earlier = Premise(
            f"the first {tally.unseen:,} rounds lost what the portfolio says",
            Status.ASSUMED,
            "they were learned earlier and cannot be read again",
        )
        return (
            *((earlier,) if tally.unseen else ()),
            Premise("the rounds are one Portfolio's", status),
            Premise(begin, status)
            if tally.first == 1
            else Premise(begin, Status.BROKEN, f"the ledger begins at round {tally.first}"),
        )
