"""Online to batch: all hypotheses of one pass together are worth what the pass was (Cesa-Bianchi, Conconi and Gentile 2004)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from thresher.bounds.bound import Bound
from thresher.bounds.pac import INDEPENDENT, RUN_CHOSEN, rounded_up
from thresher.bounds.pac import online_to_batch as average_risk
from thresher.bounds.pac import online_to_batch_vote as vote_risk
from thresher.bounds.premise import Premise, Status
from thresher.bounds.risk import RiskCertificate
from thresher.compose.frozen import Predictor, frozen
from thresher.compose.sample import at_round, pairs, placed
from thresher.errors import ExampleError, NotRealizable, ParameterError
from thresher.protocol import Learner, Prediction, Round

__all__ = ["Averaged", "definition", "online_to_batch"]

X = TypeVar("X")


def definition(learner: Learner[X], sample: Iterable[tuple[X, int]], x: X) -> float:
    """The average as on the blackboard: what part of the hypotheses h₀, …, hₙ₋₁, each before its example, says +1 of x."""
    said = []
    for example, y in sample:
        said.append(learner.predict(x).label == +1)
        learner.learn(example, y)
    return sum(said) / len(said)


@dataclass(frozen=True, slots=True, repr=False)
class Averaged:
    """The hypotheses of one pass, each with the number of examples that it was tried on.

    `predict` is their vote, by these numbers: `p_positive` is the share that says +1, and a tie is +1. `draw` gives one of
    them, with a chance in proportion. `average` certifies the risk of a hypothesis drawn anew for each example, `vote` that
    of the vote.
    """

    hypotheses: tuple[Predictor[Any], ...]
    tried: tuple[int, ...]
    mistakes: int
    delta: float
    average: RiskCertificate
    vote: RiskCertificate

    @property
    def examples(self) -> int:
        """How many examples there were."""
        return sum(self.tried)

    def predict(self, x: object) -> Prediction:
        """What the hypotheses say by vote; `p_positive` is the average hypothesis."""
        said = [hypothesis.predict(x).label for hypothesis in self.hypotheses]
        plus = sum(tried for label, tried in zip(said, self.tried, strict=True) if label == +1)
        minus = sum(tried for label, tried in zip(said, self.tried, strict=True) if label == -1)
        return Prediction(+1 if plus >= minus else -1, float(plus - minus), plus / self.examples)

    def draw(self, seed: int) -> Predictor[Any]:
        """One of the hypotheses, by chance, each as likely as the examples that it was tried on are many.

        The same seed draws the same one. Draw with fresh seeds for the risk that `average` certifies.
        """
        ends = np.array(list(accumulate(self.tried)))
        return self.hypotheses[int(np.searchsorted(ends, random.Random(seed).randrange(self.examples), side="right"))]

    def __repr__(self) -> str:
        made = f"{self.examples:,} examples with {self.mistakes:,} mistakes"
        return f"<average of {len(self.hypotheses):,} hypotheses of {made}: {self.average.claim}>"


def online_to_batch(learner: Learner[X], sample: object, *, delta: float | Fraction) -> Averaged:
    r"""The average of the hypotheses of one pass of the learner over the sample, and its risk.

    Any learner, any labels: no hypothesis needs to fit. `sample` is an iterable of pairs (x, y), or a tuple (X, y); all of it
    is learned. A hypothesis is kept whenever the learner changed, so memory is that of the learner times its changes: give
    `th.Conservative(learner)` where these are too many. A mistake is counted where the hypothesis that is kept errs.

    Guarantee
    ---------
    For n examples that are independent draws from one distribution, on which M mistakes were made, with probability at least
    1 − δ::

        average risk ≤ M/n + √(ln(1/δ)/(2n))                  th.bounds.online_to_batch
        risk of the vote ≤ twice that                         th.bounds.online_to_batch_vote

    >>> import numpy as np
    >>> import thresher as th
    >>> from thresher.compose import online_to_batch
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = np.where(X @ [1.0, -1.0, 0.5] + rng.normal(size=2000) / 4 > 0, 1, -1)        # nothing fits all of them
    >>> averaged = online_to_batch(th.Perceptron(3), (X, y), delta=0.05)
    >>> averaged
    <average of 168 hypotheses of 2,000 examples with 167 mistakes: risk ≤ 0.110867 with probability at least 0.95>
    >>> averaged.predict([1.0, -1.0, 0.0])
    Prediction(label=+1, score=1998.0, p_positive=0.9995)
    """
    failure = rounded_up("delta", delta)  # refuses a delta before anything is learned
    hypotheses, tried, mistakes, fresh = [frozen(learner)], [0], 0, True
    for row, (x, y) in enumerate(pairs(sample)):
        if not fresh:
            hypotheses.append(frozen(learner))
            tried.append(0)
        try:
            said = hypotheses[-1].predict(x)
            played = learner.learn(x, y)
        except ExampleError as error:
            raise placed(error, row) from error
        except NotRealizable as error:
            raise at_round(error, f"round {row + 1} of the sample") from error
        mistakes += Round(1, x, said, y, changed=False).mistake
        tried[-1] += 1
        fresh = not played.changed
    n = sum(tried)
    if n == 0:
        raise ParameterError("found a sample without examples, expected at least 1")
    average, vote = average_risk(mistakes, n, delta), vote_risk(mistakes, n, delta)
    return Averaged(
        tuple(hypotheses),
        tuple(tried),
        mistakes,
        failure,
        _certificate(average, "a hypothesis drawn anew for each example", mistakes, n, failure),
        _certificate(vote, "the vote of the hypotheses", mistakes, n, failure),
    )


def _certificate(bound: Bound, about: str, mistakes: int, n: int, delta: float) -> RiskCertificate:
    return RiskCertificate(
        theorem=bound.theorem,
        about=about,
        risk=bound.value,
        delta=delta,
        examples=n,
        mistakes=mistakes,
        premises=(
            Premise("every hypothesis was tried on examples that came after it", Status.CHECKED),
            Premise(f"{INDEPENDENT}, and {RUN_CHOSEN}", Status.ASSUMED),
        ),
        run=f"one pass over {n:,} examples, {mistakes:,} mistakes",
        verify=(
            f"let each hypothesis that was kept predict the examples that it was tried on, in this order: on these {n:,} they "
            f"err {mistakes:,} times; and a learner as it was before, with the same coins if any, comes by the same hypotheses"
        ),
    )
