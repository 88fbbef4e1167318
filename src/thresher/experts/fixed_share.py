"""Fixed Share (Herbster and Warmuth 1998): against the best sequence of experts, not the best one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from thresher import bounds
from thresher.bounds import Bound
from thresher.errors import ParameterError
from thresher.experts.rule import Heads, LossRule, Parameters, experts
from thresher.parameters import number

__all__ = ["FixedShare", "definition"]


def definition(
    n: int, rounds: Iterable[Sequence[float]], eta: float = 0.5, alpha: float = 0.01
) -> Iterator[tuple[list[float], float]]:
    """The algorithm as on the blackboard: yields the mixture and its loss in each round."""
    w = [1 / n] * n
    for losses in rounds:
        yield w, sum(p * loss for p, loss in zip(w, losses, strict=True))
        kept = [p * math.exp(-eta * loss) for p, loss in zip(w, losses, strict=True)]
        w = [each / sum(kept) for each in kept]
        if n > 1:
            w = [(1 - alpha) * p + alpha / (n - 1) * (1 - p) for p in w]


class FixedShare(LossRule):
    r"""Fixed Share over n experts whose losses lie between 0 and 1.

    Each weight is multiplied by e^(−ηℓ), and then hands a part α of itself on to the others, in equal shares: so no expert
    falls so low that it could not lead again.

    Guarantee
    ---------
    For losses in [0, 1], against every sequence of experts with s changes::

        loss ≤ loss of the sequence + (ln n + s ln((n − 1)/α) + (T − 1 − s) ln(1/(1 − α)))/η + ηT/8
                                                                     th.bounds.fixed_share

    `proven` is that for s = 0; `proven_with(switches)` for others. Both are silent (None) once losses of a round have differed
    by more than 1, or an expert slept.

    >>> import thresher as th
    >>> rule = th.FixedShare(2, eta=1.0, alpha=0.05)
    >>> early = rule.learn_losses_many([[0.0, 1.0]] * 50).loss.sum()
    >>> late = rule.learn_losses_many([[1.0, 0.0]] * 50).loss.sum()
    >>> bool(early + late < rule.proven_with(1).value)          # the best sequence lost nothing
    True
    """

    def __init__(self, n: int, *, eta: float = 0.5, alpha: float = 0.01) -> None:
        rate, part = number("eta", eta, "a number above 0"), number("alpha", alpha, "a number between 0 and 1")
        if not 0.0 < rate <= 2.0**60:
            raise ParameterError(f"found eta = {eta!r}, expected a number above 0 and at most 2^60")
        if not experts(n) * 2.0**-900 <= part < 1.0:
            raise ParameterError(f"found alpha = {alpha!r}, expected a number between 0 and 1 (n·2^-900 at least)")
        self._given = (rate, part)
        super().__init__(experts(n), "share", rate, part)

    def _proves(self, heads: Heads, switches: int = 0) -> Bound | None:
        if heads.largest > 1.0 or heads.slept or heads.rounds <= switches:
            return None
        eta, alpha = self._given
        return bounds.fixed_share(heads.rounds, n=self.n, switches=switches, eta=eta, alpha=alpha)

    def proven_with(self, switches: int) -> Bound | None:
        """What the regret against the best sequence with so many changes is proven to stay below."""
        return self._proves(Heads(*self._heads()), switches)

    def _arguments(self) -> Parameters:
        return {"n": self.n, "eta": self._given[0], "alpha": self._given[1]}
