"""Winnow over literals: how far the kept sum is off, against exact fractions on streams made to spread it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

import thresher as th
from tests.exactly import verdicts
from thresher.bounds import Verdict


def nasty(n: int, phases: int, length: int = 120) -> Iterator[list[float]]:
    """All attributes and then each alone, which drives the shared exponent down; the other way round; and at random."""
    rng, alone = np.random.default_rng(n), np.eye(n).tolist()
    everything = [1.0] * n
    for phase in range(phases):
        for _ in range(length):
            if phase % 3 == 2:
                yield (rng.random(n) < rng.choice([0.1, 0.5, 0.9])).astype(float).tolist()
            else:
                yield from [everything, *alone] if phase % 3 == 0 else [*alone, everything]


def exact_score(learner: th.LiteralWinnow, x: list[float]) -> tuple[Fraction, int]:
    """The score of the weights that the learner holds, and their shared exponent."""
    parameters, planes = learner.state()
    shared, alpha = int(parameters["heads"]["exponent"]), Fraction(parameters["arguments"]["factor"])
    on, off = planes["exponents"].tolist(), planes["negated"].tolist()
    terms = (alpha ** int(on[i]) if x[i] else alpha ** (int(off[i]) + shared) for i in range(len(x)))
    return sum(terms, Fraction(0)), shared


@pytest.mark.parametrize(
    ("n", "factor", "theta", "folds"),
    [(2, 4.0, 1.0, True), (3, 8.0, 5.0, True), (4, 2.0**20, 1.0, True), (6, 2.0, 1.0, False), (5, 1.5, 2.0**40, False)],
)
def test_the_doubt_bounds_the_error_of_every_score(n: int, factor: float, theta: float, folds: bool) -> None:
    learner, ledger = th.LiteralWinnow(n, factor=factor, threshold=theta), th.Ledger(th.Disjunction(n, {0}, {1}))
    folded = 0
    for x in nasty(n, 6):
        said, (exact, before) = learner.predict(x), exact_score(learner, x)
        ledger.enter(learner.learn(x, -said.label))
        assert abs(Fraction(said.score) - exact) <= Fraction(learner.doubt)
        folded += abs(exact_score(learner, x)[1] - before) > 1
    assert learner.mistakes == learner.rounds
    assert learner.doubt <= (n + 33) * 2.0**-50 * 2 * n * factor * max(theta, 1.0)
    assert bool(folded) >= folds
    assert verdicts(ledger) == {Verdict.CERTIFIED, Verdict.VOID}  # the disjunction does not fit
    assert th.LiteralWinnow.from_state(*learner.state()).doubt == learner.doubt


def test_a_doubt_that_reaches_the_threshold_voids() -> None:
    """A million literals and a threshold of 1: a score of so many terms may be off by a part of the threshold."""
    n = 2**20
    learner, ledger = th.LiteralWinnow(n, threshold=1.0, factor=2.0**20), th.Ledger(th.Disjunction(n, {0}))
    ledger.enter(learner.learn_many(np.ones((2, n)), [+1, +1]))
    assert learner.doubt < 0.5
    assert Verdict.CERTIFIED in verdicts(ledger)
    ledger.enter(learner.learn_many(np.stack([np.zeros(n), np.eye(1, n)[0], np.ones(n)]), [-1, +1, +1]))
    assert Verdict.VIOLATED not in verdicts(ledger)


def test_what_is_certified_over_literals_is_not_promised_for_other_orders() -> None:
    ledger = th.Ledger(th.Disjunction(3, (), {0}))
    ledger.enter(th.LiteralWinnow(3).learn_many([[0, 1, 1], [1, 0, 1], [1, 1, 0]], [+1, -1, -1]))
    assert verdicts(ledger) == {Verdict.CERTIFIED}
    assert all("in this order" in certificate.lines()["Says"] for certificate in ledger.certificates())
