"""From a mistake bound to a hypothesis that is probably approximately correct (Angluin 1988; Littlestone 1989)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from thresher.bounds.pac import INDEPENDENT, MISTAKE_BOUND, PAC_CHOSEN, pac_block, pac_sample, rounded_up
from thresher.bounds.premise import Premise, Status
from thresher.bounds.printed import counted
from thresher.bounds.risk import RiskCertificate
from thresher.compose.conservative import Conservative
from thresher.compose.frozen import Predictor
from thresher.compose.sample import at_round, pairs, placed
from thresher.errors import ExampleError, NotRealizable, ParameterError
from thresher.protocol import Learner

__all__ = ["Learned", "definition", "pac"]

X = TypeVar("X")


def definition(learner: Learner[X], sample: Iterable[tuple[X, int]], mistakes: int, block: int) -> Learner[X]:
    """The conversion as on the blackboard, block by block: the learner as it is when its hypothesis is given out."""
    examples = iter(sample)
    for _ in range(mistakes):
        erred = False
        for x, y in islice(examples, block):
            if learner.predict(x).label != y:
                learner.learn(x, y)
                erred = True
        if not erred:
            break
    return learner


@dataclass(frozen=True, slots=True, repr=False)
class Learned:
    """What `th.pac` gives: a hypothesis, how it was come by, and what is proven of it.

    `hypothesis` predicts and never changes. `examples` were used, of at most `most_examples` = M·b; `mistakes` were made on
    them, of at most `most_mistakes` = M; `block` is b, and `blocks` is how many were begun: of b examples each, or in the
    streaming form from one mistake to the next. On the last `survived` examples the hypothesis was right. `certificate` says
    what holds with which probability, and what it assumes.
    """

    hypothesis: Predictor[Any]
    examples: int
    mistakes: int
    blocks: int
    survived: int
    block: int
    most_mistakes: int
    epsilon: float
    delta: float
    certificate: RiskCertificate

    @property
    def most_examples(self) -> int:
        """M·b: more are never used."""
        return self.most_mistakes * self.block

    def __str__(self) -> str:
        return str(self.certificate)

    def __repr__(self) -> str:
        used = f"{self.examples:,} of at most {counted(self.most_examples)} examples"
        made = f"{self.mistakes:,} of at most {counted(self.most_mistakes)} mistakes"
        return f"<learned from {used} with {made}: {self.certificate.claim}>"

    def _repr_html_(self) -> str:
        return self.certificate._repr_html_()


class _Run(NamedTuple):
    """Where a run ended."""

    examples: int
    mistakes: int
    survived: int
    passed: bool


def pac(
    learner: Learner[X],
    sample: object,
    *,
    mistakes: int,
    epsilon: float | Fraction,
    delta: float | Fraction,
    streaming: bool = True,
) -> Learned:
    r"""A hypothesis with risk at most ε, with probability at least 1 − δ, from a learner with at most M = `mistakes` mistakes.

    The learner plays the sample as `th.Conservative`, so that its hypothesis stays the same from one mistake to the next.
    With b = ⌈ln(M/δ)/ε⌉ the first hypothesis is given out that is right on b examples in a row (`streaming=False`: on a whole
    block of b, counted from the first example). If M mistakes are made, the last hypothesis never errs, if M is true: the
    sample may end there, and otherwise that hypothesis is tried like the others, so that a wrong M is noticed.

    `sample` is an iterable of pairs (x, y), of which no more are taken than needed, or a tuple (X, y). The learner learns: it
    is then as after the last mistake.

    Guarantee
    ---------
    For examples that are independent draws from one distribution, with labels for which M is a mistake bound::

        Pr[risk ≤ ε] ≥ 1 − δ     from at most M·b examples     th.bounds.pac_sample

    M matters only where M mistakes were made: a hypothesis that survives before keeps its guarantee even if M is wrong.

    Raises `NotRealizable` with the round if more than M mistakes are made, or the learner finds that nothing fits;
    `ParameterError` with the number of examples that are missing if the sample ends too early.

    >>> import numpy as np
    >>> import thresher as th
    >>> def draws(seed):
    ...     rng = np.random.default_rng(seed)
    ...     while True:
    ...         x = rng.integers(0, 2, 5)
    ...         yield x, x[0] | x[3]                              # the target is x0 or x3
    >>> learned = th.pac(th.Elimination(5), draws(0), mistakes=6, epsilon=0.1, delta=0.05)
    >>> learned
    <learned from 53 of at most 288 examples with 2 of at most 6 mistakes: risk ≤ 0.1 with probability at least 0.95>
    >>> learned.hypothesis.predict([0, 1, 0, 0, 0]).label
    -1
    >>> print(learned.certificate)
    Claim     conditional: risk ≤ 0.1 with probability at least 0.95
    Theorem   PAC from mistakes: M·⌈ln(M/δ)/ε⌉ examples: risk ≤ ε with probability
              at least 1 − δ (Mansour 2012, corrected; after Angluin 1988 and
              Littlestone 1989)
    Run       53 of at most 288 examples, 2 of at most 6 mistakes; the hypothesis
              was right on the last 48, where 48 were to be
    Checked   at most M = 6 mistakes were made on these examples (2 were)
    Assumed   the examples are independent draws from one distribution, and the
              learner, M, ε and δ were chosen before they were seen
    Says      if what is assumed holds, with probability at least 0.95 over the draw
              of these 53 examples, the hypothesis errs on at most 0.1 of fresh
              examples from the same distribution
    Not said  anything about examples from another distribution
    Verify    let a learner as it was before play these 53 examples in this order,
              and learn from its mistakes alone: it makes 2; and ⌈ln(M/δ)/ε⌉ is 48
    """
    block, most = pac_block(mistakes, epsilon, delta), int(mistakes)
    risk, failure = rounded_up("epsilon", epsilon), rounded_up("delta", delta)
    lazy = learner if isinstance(learner, Conservative) else Conservative(learner)
    run = _play(lazy, sample, most, block, streaming)
    if not run.passed and run.mistakes < most:
        raise ParameterError(_too_short(run, most, block, streaming))
    return Learned(
        hypothesis=lazy.hypothesis(),
        examples=run.examples,
        mistakes=run.mistakes,
        blocks=run.mistakes + (run.survived > 0) if streaming else -(-run.examples // max(block, 1)),
        survived=run.survived,
        block=block,
        most_mistakes=most,
        epsilon=risk,
        delta=failure,
        certificate=_certificate(run, most, block, streaming=streaming, epsilon=risk, delta=failure),
    )


def _play(learner: Conservative[Any], sample: object, most: int, block: int, streaming: bool) -> _Run:
    t = made = survived = 0
    for x, y in islice(pairs(sample), min(most * block, sys.maxsize)):
        t += 1
        try:
            mistake = learner.learn(x, y).mistake
        except NotRealizable as error:
            raise at_round(error, f"round {t} of the sample") from error
        except ExampleError as error:
            raise placed(error, t - 1) from error
        made, survived = (made + 1, 0) if mistake else (made, survived + 1)
        if made > most:
            raise NotRealizable(
                f"round {t} of the sample: found mistake number {made}, expected at most mistakes = {most}: the mistake bound "
                f"is wrong, or the labels are not of the kind that it is for"
            )
        if survived == block if streaming else t % block == 0 and survived >= block:
            return _Run(t, made, survived, passed=True)
    return _Run(t, made, survived, passed=False)


def _too_short(run: _Run, most: int, block: int, streaming: bool) -> str:
    if streaming:
        soonest, latest = block - run.survived, (most - run.mistakes) * block - run.survived
    else:
        begun = run.examples % block
        soonest = block - begun + (block if run.survived < begun else 0)
        latest = most * block - run.examples
    return (
        f"found a sample of {run.examples:,} examples, expected more: {counted(latest)} more are always enough, and "
        f"{counted(min(soonest, latest))} more if no further mistake is made; a hypothesis must be right on "
        f"{counted(block)} in a row, and this one was on {run.survived:,}"
    )


def _certificate(run: _Run, most: int, block: int, *, streaming: bool, epsilon: float, delta: float) -> RiskCertificate:
    """Whether a hypothesis passed, or is the one after the M-th mistake: then M is all that it rests on."""
    by_trial = run.passed and (run.mistakes < most or not streaming)
    within = Premise(
        f"at most M = {counted(most)} mistakes were made on these examples", Status.CHECKED, f"{run.mistakes:,} were"
    )
    last = f"{MISTAKE_BOUND}, M = {counted(most)}"
    assumed = (f"{INDEPENDENT}, and {PAC_CHOSEN}",) if by_trial else (last,)
    right = f"the hypothesis was right on the last {run.survived:,}"
    return RiskCertificate(
        theorem=pac_sample(most, epsilon, delta).theorem,
        about="the hypothesis",
        risk=epsilon if by_trial else 0.0,
        delta=delta if by_trial else 0.0,
        examples=run.examples,
        mistakes=run.mistakes,
        premises=(within, *(Premise(statement, Status.ASSUMED) for statement in assumed)),
        run=(
            f"{run.examples:,} of at most {counted(most * block)} examples, {run.mistakes:,} of at most {counted(most)} "
            f"mistakes; {right}, " + (f"where {counted(block)} were to be" if by_trial else "and M mistakes leave none to make")
        ),
        verify=(
            f"let a learner as it was before play these {run.examples:,} examples in this order, and learn from its mistakes "
            f"alone: it makes {run.mistakes:,}; and ⌈ln(M/δ)/ε⌉ is {counted(block)}"
        ),
    )
