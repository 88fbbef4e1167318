"""Against rules for losses: what each expert loses, chosen with the rule's weights in sight."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from thresher import bounds
from thresher.adversaries.adversary import Vector, Weighing, check_counts, check_most, indicator, weights_of
from thresher.errors import ParameterError
from thresher.experts import LossRound
from thresher.parameters import number

__all__ = [
    "LeaderLoses",
    "LossAdversary",
    "LossesInTurn",
    "RandomLosses",
    "Relay",
    "Scaled",
    "Seesaw",
    "Tug",
    "WeighingRule",
    "force_losses",
]


class WeighingRule(Weighing, Protocol):
    """A rule that lets its weights be seen and learns from losses, as `th.Hedge` and its kin."""

    def learn_losses(self, losses: Vector, /) -> LossRound: ...


class LossAdversary(Protocol):
    """Whoever chooses what the experts lose, one round at a time, so that the rule does as badly as theory allows.

    As lazy as an `Adversary`: each round is chosen when it is asked for, against the rule as it then stands, whose weights are
    what it is about to play. It never changes the rule, and keeps nothing between games.
    """

    def against(self, rule: WeighingRule, /) -> Iterator[Vector]: ...


def force_losses(adversary: LossAdversary, rule: WeighingRule, *, most: int | None = None) -> list[LossRound]:
    """Plays until the adversary has no more rounds, or for the most given: what `learn_losses` returned, in order.

    >>> import thresher as th
    >>> from thresher.adversaries import Seesaw, force_losses
    >>> [played.losses.tolist() for played in force_losses(Seesaw(3), th.Hedge(2))]
    [[0.5, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    check_most(most)
    return [rule.learn_losses(losses) for losses in islice(adversary.against(rule), most)]


@dataclass(frozen=True)
class RandomLosses:
    """Fair coins: every expert loses 0 or 1 in each round. The same seed gives the same rounds.

    Every rule loses T/2 on average, and the best of n experts less: so every rule's regret is on average exactly that of
    `th.bounds.random_experts_regret`, and for many experts and rounds no rule does better than Hedge's √(T ln n/2).

    >>> import thresher as th
    >>> from thresher.adversaries import RandomLosses, force_losses
    >>> rule = th.Hedge(10, horizon=100)
    >>> _ = force_losses(RandomLosses(10, 100), rule)
    >>> rule.regret < rule.proven.value, round(RandomLosses(10, 100).regret, 3)
    (True, 7.678)
    """

    n: int
    rounds: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, rounds=self.rounds, seed=self.seed)

    @property
    def regret(self) -> float:
        """What every rule loses more than the best expert, on average over the seeds."""
        return bounds.random_experts_regret(self.rounds, self.n)

    def against(self, _rule: Weighing, /) -> Iterator[Vector]:
        """So many rounds, for any rule of n experts."""
        chance = random.Random(self.seed)
        for _ in range(self.rounds):
            coins = chance.getrandbits(self.n)
            yield indicator(self.n, {i for i in range(self.n) if coins >> i & 1})


@dataclass(frozen=True)
class Seesaw:
    """Two experts: (½, 0), then (0, 1) and (1, 0) in turn, so that whoever leads loses.

    Who follows the leader loses 1 in every round after the first, and each expert about half of that: it forces a regret of
    T/2, exactly if the first of two leaders is followed; and almost that of Hedge at a rate that is far too high. Hedge at its
    own rate and AdaHedge stay below their bounds, √(T ln 2) and 2Δ.

    >>> import thresher as th
    >>> from thresher.adversaries import Seesaw, force_losses
    >>> wild, calm, adaptive = th.Hedge(2, eta=1000.0), th.Hedge(2), th.AdaHedge(2)
    >>> for rule in (wild, calm, adaptive):
    ...     _ = force_losses(Seesaw(1000), rule)
    >>> wild.regret, calm.regret < calm.proven.value < 27, adaptive.regret < adaptive.proven.value < 55
    (499.75, True, True)
    """

    rounds: int

    def __post_init__(self) -> None:
        check_counts(0, rounds=self.rounds)

    def against(self, _rule: Weighing, /) -> Iterator[Vector]:
        """So many rounds, for any rule of two experts."""
        for t in range(self.rounds):
            yield (0.5, 0.0) if t == 0 else (float(t % 2 == 0), float(t % 2 == 1))


@dataclass(frozen=True)
class LeaderLoses:
    """The heaviest expert alone loses 1; among equals the first.

    Who follows the leader loses T, and the best of n experts at most T/n: it forces a regret of T(1 − 1/n). A rule that
    mixes loses its largest weight in each round.

    >>> import thresher as th
    >>> from thresher.adversaries import LeaderLoses, force_losses
    >>> rule = th.AdaHedge(5)
    >>> _ = force_losses(LeaderLoses(5, 1000), rule)
    >>> 0 < rule.regret < rule.proven.value
    True
    """

    n: int
    rounds: int

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, rounds=self.rounds)

    def against(self, rule: Weighing, /) -> Iterator[Vector]:
        """So many rounds, for any rule of n experts."""
        for _ in range(self.rounds):
            yield indicator(self.n, {int(weights_of(rule, self.n).argmax())})


@dataclass(frozen=True)
class LossesInTurn:
    """One expert loses 1 in each round, all in turn; after so many `turns` of everyone, all but the last.

    With many experts the mixture loses little in each round, where Hedge's bound by β = e^(−η) is tight
    (`th.bounds.hedge`)::

        L ≤ (L* ln(1/β) + ln n)/(1 − β)

    At η = ln 2 it forces more than 0.99 of this with n = 100, 30 turns, and 4,500 rounds.

    >>> import thresher as th
    >>> from thresher.adversaries import LossesInTurn, force_losses
    >>> rule = th.Hedge(100, eta=0.6931471805599453)
    >>> _ = force_losses(LossesInTurn(100, 4500, turns=30), rule)
    >>> 0.99 < rule.loss / th.bounds.hedge(30.0, n=100, beta=0.5).value <= 1
    True
    """

    n: int
    rounds: int
    turns: int = 0

    def __post_init__(self) -> None:
        check_counts(2, n=self.n)
        check_counts(0, rounds=self.rounds, turns=self.turns)

    def against(self, _rule: Weighing, /) -> Iterator[Vector]:
        """So many rounds, for any rule of n experts."""
        for t in range(self.rounds):
            later = t - self.turns * self.n
            yield indicator(self.n, {t % self.n if later < 0 else later % (self.n - 1)})


@dataclass(frozen=True)
class Relay:
    """One expert loses nothing and all others 1, for so many rounds: a leg. Then the lightest of the others takes over.

    The sequence of those loses nothing, and changes at most legs − 1 times. Who has left an expert behind for good loses every
    round of its leg: after the first, Hedge needs as many rounds to come back as it was led away. Fixed Share keeps a part of
    the weight with everyone and comes back in about ln(n/α)/η rounds, as its theorem says (`th.bounds.fixed_share`).

    >>> import thresher as th
    >>> from thresher.adversaries import Relay, force_losses
    >>> hedge, share = th.Hedge(4, eta=0.5), th.FixedShare(4, eta=0.5, alpha=0.01)
    >>> for rule in (hedge, share):
    ...     _ = force_losses(Relay(4, legs=5, length=200), rule)
    >>> share.loss < share.proven_with(4).value < 4 * 200 * 0.3 < hedge.loss
    True
    """

    n: int
    legs: int
    length: int

    def __post_init__(self) -> None:
        check_counts(1, n=self.n, legs=self.legs, length=self.length)

    @property
    def switches(self) -> int:
        """How often the sequence that loses nothing changes, at most."""
        return self.legs - 1

    def against(self, rule: Weighing, /) -> Iterator[Vector]:
        """Legs × length rounds, for any rule of n experts."""
        everyone, runner = set(range(self.n)), None
        for _ in range(self.legs):
            weights = weights_of(rule, self.n)
            runner = min(everyone - {runner} or everyone, key=lambda i: weights[i])
            for _ in range(self.length):
                yield indicator(self.n, everyone - {runner})


@dataclass(frozen=True)
class Tug:
    """Two experts who run in turn, a leg each: the runner catches up, then whoever is heavier loses, then it pulls away.

    The sequence of runners changes legs − 1 times. Catching up from the share α costs ln(1/α)/η, and while two equal experts
    lose in turn a mixture pays almost η/8 in every round; the last `pull` rounds of a leg, about ln(1/α)/η of them, bring
    the other expert down to its share again. So all terms of Fixed Share's bound are nearly reached
    (`th.bounds.fixed_share`)::

        L ≤ L(runners) + (ln n + s ln((n − 1)/α) + (T − 1 − s) ln(1/(1 − α)))/η + ηT/8

    Forces 0.98 of it without a switch (η = ½, α = 10⁻⁴, 1,600 rounds), and 0.92 with four (η = 1).

    >>> import thresher as th
    >>> from thresher.adversaries import Tug, force_losses
    >>> rule = th.FixedShare(2, eta=0.5, alpha=1e-4)
    >>> rounds = force_losses(Tug(legs=1, length=1600, pull=19), rule)
    >>> regret = rule.loss - sum(played.losses.tolist()[0] for played in rounds)
    >>> 0.98 < regret / th.bounds.fixed_share(1600, n=2, switches=0, eta=0.5, alpha=1e-4).value <= 1
    True
    """

    legs: int
    length: int
    pull: int

    def __post_init__(self) -> None:
        check_counts(1, legs=self.legs, length=self.length)
        check_counts(0, pull=self.pull)

    def runner(self, t: int) -> int:
        """Who runs in round t, counted from 0."""
        return t // self.length % 2

    def against(self, rule: Weighing, /) -> Iterator[Vector]:
        """Legs × length rounds, for any rule of two experts."""
        for t in range(self.legs * self.length):
            first, second = weights_of(rule, 2)
            runner, left = self.runner(t), self.length - t % self.length
            if left <= self.pull or (first, second)[runner] < 0.5:
                yield indicator(2, {1 - runner})
            elif first == second:
                yield (0.5, 0.0)
            else:
                yield indicator(2, {int(second > first)})


@dataclass(frozen=True)
class Scaled:
    """Another adversary's losses, each multiplied by `scale`.

    What is proven of losses from 0 to 1 is silent once they differ by more than 1. AdaHedge does not feel it: its regret is
    multiplied too, and so is 2Δ.

    >>> import thresher as th
    >>> from thresher.adversaries import Scaled, Seesaw, force_losses
    >>> hedge, adaptive = th.Hedge(2), th.AdaHedge(2)
    >>> for rule in (hedge, adaptive):
    ...     _ = force_losses(Scaled(Seesaw(100), 1e4), rule)
    >>> hedge.proven, 0 < adaptive.regret < adaptive.proven.value
    (None, True)
    """

    adversary: LossAdversary
    scale: float

    def __post_init__(self) -> None:
        if not 0 < number("scale", self.scale, "a number above 0") < math.inf:
            raise ParameterError(f"found scale = {self.scale!r}, expected a number above 0, finite")

    def against(self, rule: WeighingRule, /) -> Iterator[Vector]:
        """As many rounds as the other adversary has."""
        for losses in self.adversary.against(rule):
            yield tuple(self.scale * loss for loss in losses)
