"""AdaHedge (de Rooij, van Erven, Grünwald and Koolen 2014): Hedge that finds its own rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from thresher import bounds
from thresher.bounds import Bound
from thresher.experts.rule import Heads, LossRule, Parameters, experts

__all__ = ["AdaHedge", "definition"]


def definition(n: int, rounds: Iterable[Sequence[float]]) -> Iterator[tuple[list[float], float]]:
    """The algorithm as on the blackboard: yields the mixture and its loss in each round."""
    lost, gap = [0.0] * n, 0.0
    for losses in rounds:
        eta = math.log(n) / gap if gap > 0 and n > 1 else math.inf
        behind = [each - min(lost) for each in lost]
        w = [math.exp(-eta * each) if each > 0 else 1.0 for each in behind]
        loss = sum(each * now for each, now in zip(w, losses, strict=True)) / sum(w)
        yield [each / sum(w) for each in w], loss
        after = [each + now for each, now in zip(behind, losses, strict=True)]
        gap += max(0.0, loss - (_potential(eta, after) - _potential(eta, behind)))
        lost = [before + now for before, now in zip(lost, losses, strict=True)]


def _potential(eta: float, lost: Sequence[float]) -> float:
    """−ln(Σ e^(−ηL))/η, by whose growth the mix loss of a round is told; the least L where η is infinite."""
    least = min(lost)
    return least if eta == math.inf else least - math.log(sum(math.exp(-eta * (each - least)) for each in lost)) / eta


class AdaHedge(LossRule):
    r"""AdaHedge over n experts, whose losses may have any size: nothing has to be known or tuned.

    The rate is ln n over Δ, the sum of the mixability gaps so far: by how much the mixture's loss exceeded its mix loss
    −ln(Σ w e^(−ηℓ))/η. Multiplying all losses by a number changes no weight.

    Guarantee
    ---------
    On every run, against the best expert::

        regret ≤ 2Δ                                              th.bounds.adahedge_run: `proven`
        regret ≤ 2√(L*(T − L*)/T · ln n) + (16/3) ln n + 2       th.bounds.adahedge, for losses in [0, 1]

    The first is a number that the rule itself holds. It is silent (None) once an expert slept.

    >>> import thresher as th
    >>> rule = th.AdaHedge(2)
    >>> rounds = rule.learn_losses_many([[1200.0, 900.0], [1100.0, 950.0], [1300.0, 1000.0]])
    >>> [round(loss) for loss in rounds.loss.tolist()], [round(weight, 3) for weight in rule.weights.tolist()]
    ([1050, 980, 1036], [0.047, 0.953])
    >>> rule.regret < rule.proven.value
    True
    """

    def __init__(self, n: int) -> None:
        super().__init__(experts(n), "adaptive", 0.0, 0.0)

    def _proves(self, heads: Heads) -> Bound | None:
        return None if heads.slept else bounds.adahedge_run(heads.gap)

    def _arguments(self) -> Parameters:
        return {"n": self.n}
