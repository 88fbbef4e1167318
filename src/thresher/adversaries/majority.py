"""Against majorities of experts: examples are advice, −1 or +1 from each expert."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import accumulate

from thresher import bounds
from thresher.adversaries.adversary import (
    Pair,
    Vector,
    WeightedLearner,
    check_counts,
    contrary,
    leaning,
    weights_of,
)
from thresher.protocol import Learner

__all__ = ["Halves", "InTurn", "LeaderErrs", "RandomExperts", "TwoConstants"]

#: A share of the weight that is as good as all of it.
_ALL = 0.999


@dataclass(frozen=True)
class RandomExperts:
    """Fair coins say what the experts say and what is true, all of them independent; the same seed gives the same rounds.

    Whatever a learner does, it is wrong with chance ½ in every round, while the best of the n experts is lucky. So every
    learner's regret is, on average over the seeds, exactly (`th.bounds.random_experts_regret`)::

        T/2 − Σₖ Pr[Bin(T, ½) ≥ k]^n     which tends to √(T ln n/2)

    and no theorem can promise less. It looks at nothing.

    >>> from thresher.adversaries import RandomExperts
    >>> round(RandomExperts(10, 100).regret, 3)
    7.678
    """

    n: int
    rounds: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, rounds=self.rounds, seed=self.seed)

    @property
    def regret(self) -> float:
        """What every learner loses more than the best expert, on average over the seeds."""
        return bounds.random_experts_regret(self.rounds, self.n)

    def against(self, _learner: Learner[Vector], /) -> Iterator[Pair]:
        """So many rounds, for any learner of n experts."""
        chance = random.Random(self.seed)
        for _ in range(self.rounds):
            coins = chance.getrandbits(self.n + 1)
            said = _advice(self.n, {i for i in range(self.n) if coins >> i & 1}, +1)
            yield said, +1 if coins >> self.n & 1 else -1


@dataclass(frozen=True)
class TwoConstants:
    """Two experts, one that always says +1 and one that always says −1; and what is true is what the learner did not say.

    Forces a mistake in every round on any learner without coins, while one of the two is right in at least half of them:
    regret ≥ T/2. So no such learner has a regret that grows more slowly than T, and majorities that want one must toss coins
    or answer with a share. A learner with coins is told what it was less likely to say, and loses at least ½ in each round.

    >>> from thresher.adversaries import TwoConstants
    >>> import thresher as th
    >>> class AlwaysYes:
    ...     def predict(self, advice):
    ...         return th.Prediction(+1, 0.0)
    >>> list(TwoConstants(2).against(AlwaysYes()))
    [((1.0, -1.0), -1), ((1.0, -1.0), -1)]
    """

    rounds: int

    def __post_init__(self) -> None:
        check_counts(0, rounds=self.rounds)

    def against(self, learner: Learner[Vector], /) -> Iterator[Pair]:
        """So many rounds, for any learner of two experts."""
        for _ in range(self.rounds):
            yield (1.0, -1.0), contrary(learner, (1.0, -1.0))


@dataclass(frozen=True)
class InTurn:
    """One expert errs in each round: all in turn, and after so many `mistakes` of each all but the last, until it alone counts.

    The last expert ends with m = `mistakes`. The theorem of the randomised majority loses nothing but where it takes
    1 − x ≤ e^(−x) for x = (1 − β)·loss, and with one of many experts wrong the loss of a round is small. So its bound
    (`th.bounds.randomized_majority`) ::

        L ≤ (m ln(1/β) + ln n)/(1 − β)

    is nearly reached: more than 0.99 of it with β = ½, n = 50 and m = 20. It ends when the learner gives
    the last expert, alone against all others, a chance of 0.999; without chances, when it says what that one says. Against a
    learner that never does it does not end: give `force` the `most` rounds.

    >>> import thresher as th
    >>> from thresher.adversaries import InTurn, force
    >>> learner = th.RandomizedMajority(50)
    >>> _ = force(InTurn(50, 20), learner)
    >>> round(learner.loss / th.bounds.randomized_majority(20, n=50, beta=0.5).value, 2)
    0.99
    """

    n: int
    mistakes: int

    def __post_init__(self) -> None:
        check_counts(2, n=self.n)
        check_counts(0, mistakes=self.mistakes)

    def against(self, learner: Learner[Vector], /) -> Iterator[Pair]:
        """Rounds in which +1 is true and one expert says −1."""
        last = self.n - 1
        for _ in range(self.mistakes):
            for i in range(self.n):
                yield _advice(self.n, {i}, -1), +1
        while self._doubts(learner, _advice(self.n, {last}, +1)):
            for i in range(last):
                yield _advice(self.n, {i}, -1), +1

    def _doubts(self, learner: Learner[Vector], advice: Vector) -> bool:
        chance = learner.predict(advice).p_positive
        return leaning(learner, advice) != +1 if chance is None else chance < _ALL


@dataclass(frozen=True)
class Halves:
    """As few experts err as hold half of the weight, the heaviest first: a majority errs at the least cost there is.

    Each mistake of a weighted majority leaves at most (1 + β)/2 of the weight, and here it leaves hardly less: what the wrong
    ones have above one half is less than the weight of one expert, and as the heaviest err, no weight falls far behind. The
    last expert is the last to err among equals, and after so many `mistakes` it is spared; then the others err, while they
    have half of the weight. So it is the best, with m = `mistakes`, and almost all of the weight is its own at the end, as the
    bounds have it (`th.bounds.weighted_majority`, and half of it, `th.bounds.improved_majority`)::

        M ≤ (m ln(1/β) + ln n)/ln(2/(1 + β))

    - β = 0, m = 0: half of those that never erred err, until one is left. Forces ⌊lg n⌋ mistakes of the weighted majority,
      and lg n/2, all that is allowed, of the improved one with n = 2^k.
    - β = ½: 0.93 of the weighted majority's bound with n = 16 and m = 20, 0.97 with n = 100 and m = 30, 0.98 with n = 1000 and
      m = 50; a little more of the improved one's.

    It looks at the weights, and ends where the spared expert cannot be outvoted.

    >>> import thresher as th
    >>> from thresher.adversaries import Halves, force
    >>> sum(played.mistake for played in force(Halves(16), th.WeightedMajority(16, beta=0)))
    4
    >>> th.bounds.weighted_majority(0, n=16, beta=0).at_most
    4
    """

    n: int
    mistakes: int = 0

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, mistakes=self.mistakes)

    def against(self, learner: WeightedLearner, /) -> Iterator[Pair]:
        """One mistake after the other, for a fresh learner of n experts."""
        last, left = self.n - 1, self.mistakes
        while (found := self._outvote(learner, self.n if left else last)) is not None:
            wrong, label = found
            left -= last in wrong
            yield _advice(self.n, wrong, -label), label

    def _outvote(self, learner: WeightedLearner, able: int) -> tuple[Set[int], int] | None:
        """The fewest of the first `able` experts, heaviest first, with whom the learner sides; and the label that it misses."""
        w = weights_of(learner, self.n)
        order = sorted(range(able), key=lambda i: -w[i])
        half = math.fsum(w) / 2 * (1 - 1e-9)  # who is right at the border is seen from what the learner says
        below = sum(held < half for held in accumulate(float(w[i]) for i in order))
        for count in range(below + 1, able + 1):
            wrong = set(order[:count])
            for label in (+1, -1):
                if contrary(learner, _advice(self.n, wrong, -label)) == label:
                    return wrong, label
        return None


@dataclass(frozen=True)
class LeaderErrs:
    """Only the leader errs: whoever has made the fewest mistakes, and among several the one that the learner follows.

    Goes on until everyone has made m + 1 mistakes but one, which has made m = `mistakes`. Forces nm + n − 1 mistakes of who
    follows the leader, however it breaks ties: all that is allowed (`th.bounds.follow_the_leader`): n times as many as the
    best expert makes, and one more for each of the others.

    >>> import thresher as th
    >>> from thresher.adversaries import LeaderErrs, force
    >>> sum(played.mistake for played in force(LeaderErrs(4, 3), th.FollowTheLeader(4)))
    15
    >>> th.bounds.follow_the_leader(3, n=4).at_most
    15
    """

    n: int
    mistakes: int

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, mistakes=self.mistakes)

    def against(self, learner: Learner[Vector], /) -> Iterator[Pair]:
        """Rounds in which +1 is true and the leader says −1, for a fresh learner of n experts."""
        wrong = [0] * self.n
        for _ in range(self.n * self.mistakes + self.n - 1):
            leaders = [i for i in range(self.n) if wrong[i] == min(wrong)]
            leader = next((i for i in leaders if leaning(learner, _advice(self.n, {i}, -1)) == -1), leaders[0])
            wrong[leader] += 1
            yield _advice(self.n, {leader}, -1), +1


def _advice(n: int, some: Set[int], said: int) -> Vector:
    """What n experts say, if some say this and all others the opposite."""
    return tuple(float(said if i in some else -said) for i in range(n))
