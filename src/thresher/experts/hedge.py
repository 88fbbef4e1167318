"""Hedge (Freund and Schapire 1997): experts weighed by e^(−ηL), L what each lost so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from operator import index
from typing import SupportsIndex

from thresher import bounds
from thresher.bounds import Bound
from thresher.errors import ParameterError
from thresher.experts.rule import Heads, LossRule, Parameters, experts
from thresher.parameters import number_or_none

__all__ = ["Hedge", "definition", "definition_sleeping"]


def definition(n: int, rounds: Iterable[Sequence[float]], eta: float | None = None) -> Iterator[tuple[list[float], float]]:
    """The algorithm as on the blackboard: yields the mixture and its loss in each round."""
    lost = [0.0] * n
    for t, losses in enumerate(rounds, start=1):
        rate = 2 * math.sqrt(math.log(n) / t) if eta is None else eta
        w = [math.exp(-rate * (each - min(lost))) for each in lost]
        mixture = [each / sum(w) for each in w]
        yield mixture, sum(p * loss for p, loss in zip(mixture, losses, strict=True))
        lost = [before + loss for before, loss in zip(lost, losses, strict=True)]


def definition_sleeping(
    n: int, rounds: Iterable[Sequence[float | None]], eta: float
) -> Iterator[tuple[dict[int, float], float]]:
    """For sleeping experts, as on the blackboard (None: asleep): yields the mixture of those awake, and its loss."""
    w = [1 / n] * n
    for losses in rounds:
        awake = {i: loss for i, loss in enumerate(losses) if loss is not None}
        total = sum(w[i] for i in awake)
        mixture = {i: w[i] / total for i in awake}
        yield mixture, sum(mixture[i] * loss for i, loss in awake.items())
        learned = {i: w[i] * math.exp(-eta * loss) for i, loss in awake.items()}
        for i in awake:
            w[i] = learned[i] * total / sum(learned.values())  # their total stays: who sleeps neither gains nor loses


class Hedge(LossRule):
    r"""Hedge over n experts whose losses lie between 0 and 1.

    - ``eta`` fixes the rate η; or ``horizon`` does, the number of rounds that will be played, by √(8 ln n/T).
    - With neither the rate falls as 2√(ln n/t), and the weights are always computed from all losses so far: then no number of
      rounds has to be known, and the bound holds at all of them at once.

    Guarantee
    ---------
    For losses in [0, 1], against the best expert::

        regret ≤ ln n/η + ηT/8                     th.bounds.hedge_fixed, with eta or horizon
        regret ≤ √(T ln n)                         th.bounds.hedge_anytime, with neither

    `proven` is that bound now. It is silent (None) once losses of a round have differed by more than 1, or an expert slept.

    >>> import thresher as th
    >>> rule = th.Hedge(3)
    >>> for t in range(100):
    ...     _ = rule.learn_losses([0.1, 0.5, 0.9 if t < 50 else 0.0])
    >>> [round(float(weight), 3) for weight in rule.weights]
    [0.999, 0.0, 0.001]
    >>> rule.regret < rule.proven.value
    True
    """

    def __init__(self, n: int, *, eta: float | None = None, horizon: int | None = None) -> None:
        slots = experts(n)
        rate = number_or_none("eta", eta)
        if rate is not None and not 0.0 < rate <= 2.0**60:
            raise ParameterError(f"found eta = {eta!r}, expected None, or a number above 0 and at most 2^60")
        if horizon is not None:
            horizon = _rounds(horizon)
            if rate is not None:
                raise ParameterError(f"found eta = {eta!r} and horizon = {horizon!r}, expected one of them")
        self._given = (rate, horizon)
        if horizon is not None:
            rate = math.sqrt(8 * math.log(slots) / horizon) if slots > 1 else 1.0
        super().__init__(slots, "anytime" if rate is None else "fixed", rate or 0.0, 0.0)

    def _proves(self, heads: Heads) -> Bound | None:
        if heads.largest > 1.0 or heads.slept:
            return None
        if self._given == (None, None):
            return bounds.hedge_anytime(heads.rounds, n=self.n)
        return bounds.hedge_fixed(heads.rounds, n=self.n, eta=self.rate)

    def _arguments(self) -> Parameters:
        return {"n": self.n, "eta": self._given[0], "horizon": self._given[1]}


def _rounds(horizon: object) -> int:
    if isinstance(horizon, bool) or not isinstance(horizon, SupportsIndex) or not 1 <= index(horizon) <= 2**62:
        raise ParameterError(f"found horizon = {horizon!r:.80}, expected None, or a whole number of rounds from 1 to 2^62")
    return index(horizon)
