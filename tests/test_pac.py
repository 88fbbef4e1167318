"""From mistakes to PAC: blocks that rounding never shortens, failures within delta, certificates that say what holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import thresher as th
from tests.plain_classes import Domain, PlainHalving, all_functions, thresholds
from thresher.bounds import Status, Verdict
from thresher.classes import Thresholds
from thresher.compose.pac_learning import Learned, definition

RUNS = 1000
CONFIDENCE = 0.999


def e_between(x: Fraction) -> tuple[Fraction, Fraction]:
    """e^x from below and above, for 0 ≤ x, by the series at x/2^k and k squarings."""
    squarings = max(0, math.ceil(x)).bit_length() + 8
    z, term, total = x / 2**squarings, Fraction(1), Fraction(1)
    for j in range(1, 24):
        term *= z / j
        total += term
    low, high = total, total + 2 * term
    for _ in range(squarings):
        low, high = (Fraction(math.floor(low * low * 2**400), 2**400), Fraction(math.ceil(high * high * 2**400), 2**400))
    return low, high


def check_block(mistakes: int, epsilon: float, delta: float) -> None:
    """b is the least whole number with e^(εb) ≥ M/δ, decided in exact arithmetic."""
    b, ratio = th.bounds.pac_block(mistakes, epsilon, delta), mistakes / Fraction(delta)
    assert b >= 1
    assert e_between(Fraction(epsilon) * b)[0] >= ratio
    assert b == 1 or e_between(Fraction(epsilon) * (b - 1))[1] < ratio


@settings(max_examples=60)
@given(st.integers(1, 10**6), st.floats(1e-4, 0.999), st.floats(1e-9, 0.999))
def test_a_block_is_the_least_that_the_formula_allows(mistakes: int, epsilon: float, delta: float) -> None:
    check_block(mistakes, epsilon, delta)


def test_a_block_is_not_too_short_where_floats_would_round_it_down() -> None:
    shorter = 0
    for k in range(1, 200):
        epsilon = math.log(2) / k
        if epsilon < 1:
            check_block(1, epsilon, 0.5)
            shorter += math.ceil(math.log(1 / 0.5) / epsilon) < th.bounds.pac_block(1, epsilon, 0.5)
    assert shorter > 20  # so that this test is about something


@pytest.mark.parametrize(
    ("mistakes", "epsilon", "delta", "block"),
    [(3, 0.1, 0.05, 41), (1, 0.5, 0.5, 2), (1, 0.99, 1 - 2.0**-53, 1), (0, 0.1, 0.05, 0),
     (1, Fraction(1, 10), Fraction(1, 20), 30), (3.0, 0.1, 0.05, 41), (1, 0.5, 5e-324, 1489),
     (np.int64(3), np.float64(0.1), np.float32(0.25), 25)],
)  # fmt: skip
def test_the_block_count(mistakes: Any, epsilon: Any, delta: Any, block: int) -> None:
    assert th.bounds.pac_block(mistakes, epsilon, delta) == block
    assert th.bounds.pac_sample(mistakes, epsilon, delta).at_most == int(mistakes) * block


def test_a_block_is_not_too_short_where_sixty_digits_would_not_tell() -> None:
    ln_2 = Fraction(Context(90).ln(Decimal(2)))
    for k in (7, 49, 1000):
        below, above = (Fraction(int(ln_2 * 10**70) + step, k * 10**70) for step in (0, 1))  # k times it is just off ln 2
        assert th.bounds.pac_block(1, below, Fraction(1, 2)) == k + 1
        assert th.bounds.pac_block(1, above, Fraction(1, 2)) in (k, k + 1)


def test_a_block_for_numbers_beyond_floats() -> None:
    assert th.bounds.pac_block(10**400, 0.5, 0.5) == math.ceil(2 * (400 * math.log(10) + math.log(2)))
    assert th.bounds.pac_block(1, Fraction(1, 10**400), Fraction(1, 2)) > 10**399
    assert th.bounds.pac_sample(10**400, 0.5, 0.5).at_most == 10**400 * th.bounds.pac_block(10**400, 0.5, 0.5)


# The guarantee.


def edge_of_risk() -> tuple[Callable[[], Any], Domain[int], int]:
    """The worst there is: one mistake allowed, and a first hypothesis whose risk is a little above ε = 0.3."""
    return lambda: PlainHalving([(+1, +1), (+1, -1)]), Domain([0, 1], [+1, -1], [6999, 3001]), 1


def classes() -> Iterator[tuple[Callable[[], Any], Domain[int], int]]:
    """Halving on small classes, ours and one of one's own, with targets and distributions by chance."""
    rng = np.random.default_rng(20)
    for k in range(10):
        table = all_functions(4) if k % 2 else thresholds(15)
        points = len(table[0])
        target = table[rng.integers(len(table))]
        parts = [int(part) for part in rng.integers(1, 50, points) ** 2]
        make = partial(th.Halving, np.array(table) > 0) if k < 5 else partial(PlainHalving, table)
        yield make, Domain(range(points), target, parts), len(table).bit_length() - 1


def check_failures(failures: int, runs: int, delta: float) -> None:
    """If runs failed with a chance of δ or more, so few failures would have a chance below 1 − CONFIDENCE."""
    assert binom.cdf(failures, runs, delta) < 1 - CONFIDENCE


def run_many(
    cases: list[tuple[Callable[[], Any], Domain[int], int]], epsilon: float, delta: float, *, streaming: bool
) -> tuple[int, int]:
    """How many of RUNS seeded runs fail, and the most examples that one used."""
    failures = used = 0
    for seed in range(RUNS):
        make, domain, mistakes = cases[seed % len(cases)]
        sample = domain.draws(np.random.default_rng([6, seed]))
        learned = th.pac(make(), sample, mistakes=mistakes, epsilon=epsilon, delta=delta, streaming=streaming)
        failures += domain.risk(learned.hypothesis) > epsilon
        used = max(used, learned.examples)
        assert learned.examples <= learned.most_examples == th.bounds.pac_sample(mistakes, epsilon, delta).at_most
        assert learned.mistakes <= mistakes
    return failures, used


@pytest.mark.parametrize("streaming", [True, False])
def test_a_thousand_runs_at_the_edge_fail_less_often_than_delta(streaming: bool) -> None:
    failures, _ = run_many([edge_of_risk()], 0.3, 0.2, streaming=streaming)
    check_failures(failures, RUNS, 0.2)
    assert failures > 0.7**6 * RUNS / 2  # they do fail: a bad hypothesis survives 6 examples with a chance of 0.7^6 = 0.118
    assert th.bounds.pac_block(1, 0.3, 0.2) == 6


@pytest.mark.parametrize("streaming", [True, False])
def test_a_thousand_runs_on_small_classes_fail_less_often_than_delta(streaming: bool) -> None:
    failures, used = run_many(list(classes()), 0.15, 0.1, streaming=streaming)
    check_failures(failures, RUNS, 0.1)
    assert used > th.bounds.pac_block(4, 0.15, 0.1)


def test_the_binomial_test_would_see_blocks_that_are_too_short() -> None:
    make, domain, _ = edge_of_risk()
    failures = 0
    for seed in range(RUNS):
        learner = definition(th.Conservative(make()), domain.draws(np.random.default_rng([6, seed])), 1, 4)
        failures += domain.risk(learner) > 0.3
    assert binom.cdf(failures, RUNS, 0.2) > 1 - CONFIDENCE


# Learners of every kind.


def cube(n: int) -> list[tuple[int, ...]]:
    return list(product((0, 1), repeat=n))


def disjunction(n: int, r: int) -> Domain[Any]:
    return Domain(cube(n), [+1 if any(x[:r]) else -1 for x in cube(n)], [1 + sum(x) for x in cube(n)])


def halfplane() -> tuple[Domain[Any], float]:
    """A pool of points on the unit circle, and its margin."""
    angles = [k * math.pi / 10 + 0.15 for k in range(20)]
    points = [(math.cos(a), math.sin(a)) for a in angles]
    labels = [+1 if x > 0 else -1 for x, _ in points]
    return Domain(points, labels, [1] * 20), min(abs(x) for x, _ in points)


def pool() -> Domain[Any]:
    """The advice of sixteen experts on eight examples; one expert is perfect."""
    rng = np.random.default_rng(3)
    advice = rng.integers(0, 2, (8, 16))
    return Domain(advice.tolist(), [+1 if said else -1 for said in advice[:, 11]], [1, 2, 3, 4, 5, 6, 7, 8])


PLANE, MARGIN = halfplane()
LINE = Domain(range(7), thresholds(7)[3], [1] * 7)
KINDS: dict[str, tuple[Callable[[], Any], Domain[Any], int]] = {
    "Winnow": (lambda: th.Winnow(6), disjunction(6, 2), th.bounds.winnow_disjunction(2, n=6).at_most),
    "Elimination": (lambda: th.Elimination(6), disjunction(6, 2), th.bounds.elimination(6, r=2).at_most),
    "Perceptron": (lambda: th.Perceptron(2), PLANE, th.bounds.perceptron_separable(margin=MARGIN).at_most),
    "MarginPerceptron": (
        lambda: th.MarginPerceptron(2, MARGIN * 0.999),
        PLANE,
        th.bounds.margin_perceptron_mistakes(margin=MARGIN * 0.999).at_most,
    ),
    "WeightedMajority": (lambda: th.WeightedMajority(16), pool(), th.bounds.weighted_majority(0, n=16, beta=0.5).at_most),
    "WeightedMajority, Halving": (lambda: th.WeightedMajority(16, beta=0), pool(), 4),
    "FollowTheLeader": (lambda: th.FollowTheLeader(16), pool(), 15),
    "Consistent": (lambda: th.Consistent(Thresholds(range(7))), LINE, 7),
    "Halving": (lambda: th.Halving(Thresholds(range(7))), LINE, 3),
    "Optimal": (lambda: th.Optimal(Thresholds(range(7))), LINE, 3),
    "PlainHalving": (lambda: PlainHalving(thresholds(7)), LINE, 3),
}


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_learner_goes_through_unchanged(kind: str, streaming: bool) -> None:
    make, domain, mistakes = KINDS[kind]
    failures = 0
    for seed in range(15):
        sample = domain.draws(np.random.default_rng(seed))
        learned = th.pac(make(), sample, mistakes=mistakes, epsilon=0.2, delta=0.1, streaming=streaming)
        failures += domain.risk(learned.hypothesis) > 0.2
        assert learned.examples <= mistakes * learned.block
    assert failures == 0


@pytest.mark.parametrize("kind", KINDS)
def test_whole_blocks_are_the_definition(kind: str) -> None:
    make, domain, mistakes = KINDS[kind]
    for seed in range(5):
        sample = list(islice(domain.draws(np.random.default_rng(seed)), 1000))
        learned = th.pac(make(), sample, mistakes=mistakes, epsilon=0.3, delta=0.3, streaming=False)
        plain = definition(make(), sample, mistakes, learned.block)
        assert [learned.hypothesis.predict(x).label for x in domain.examples] == [
            plain.predict(x).label for x in domain.examples
        ]
        assert learned.examples == learned.blocks * learned.block


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_is_left_at_the_first_hypothesis_that_survives(kind: str) -> None:
    make, domain, mistakes = KINDS[kind]
    block = th.bounds.pac_block(mistakes, 0.3, 0.3)
    for seed in range(5):
        sample = list(islice(domain.draws(np.random.default_rng(seed)), 1000))
        source = iter(sample)
        learned = th.pac(make(), source, mistakes=mistakes, epsilon=0.3, delta=0.3)
        lazy = th.Conservative(make())
        right, runs = 0, [0]
        for x, y in sample[: learned.examples]:
            right = 0 if lazy.learn(x, y).mistake else right + 1
            runs.append(right)
        assert max(runs[:-1]) < block == runs[-1] == learned.survived
        assert len(list(source)) == 1000 - learned.examples  # no more was taken


def test_the_streaming_form_needs_fewer_examples_on_the_whole() -> None:
    used = dict.fromkeys((True, False), 0)
    for streaming in used:
        for make, domain, mistakes in KINDS.values():
            for seed in range(5):
                sample = domain.draws(np.random.default_rng(seed))
                used[streaming] += th.pac(
                    make(), sample, mistakes=mistakes, epsilon=0.2, delta=0.1, streaming=streaming
                ).examples
    assert used[True] < used[False]


# Where the last mistake was made.


def plain_run(labels: list[int], mistakes: int, *, streaming: bool = True, block_of: float = 0.5) -> Learned:
    """Halving over all functions of so many points, on the points in order with these labels; blocks of a few."""
    table = all_functions(len(labels))
    return th.pac(
        PlainHalving(table), list(enumerate(labels)), mistakes=mistakes, epsilon=block_of, delta=0.5, streaming=streaming
    )


@pytest.mark.parametrize("streaming", [True, False])
def test_a_sample_may_end_with_the_last_mistake(streaming: bool) -> None:
    learned = plain_run([-1, -1, -1], 3, streaming=streaming)
    assert (learned.examples, learned.mistakes, learned.survived) == (3, 3, 0)
    assert (learned.certificate.risk, learned.certificate.delta) == (0.0, 0.0)
    assert [learned.hypothesis.predict(x).label for x in range(3)] == [-1, -1, -1]


def test_after_the_last_mistake_only_the_mistake_bound_is_assumed() -> None:
    certificate = plain_run([-1, -1, -1], 3).certificate
    assumed = [premise.statement for premise in certificate.premises if premise.status is Status.ASSUMED]
    assert assumed == ["the learner makes at most M mistakes on every sequence of examples with these labels, M = 3"]
    assert certificate.lines()["Claim"] == "conditional: risk ≤ 0"
    assert "never errs on an example with such a label, however it is drawn" in certificate.lines()["Says"]


def test_a_trial_after_the_last_mistake_rests_on_the_bound_unless_it_is_a_block_of_its_own() -> None:
    """The union is over M trials: in the stream those of the first M hypotheses, in blocks those of the first M blocks."""
    streamed, in_blocks = (plain_run([-1, -1, -1, +1, +1, +1, +1, +1], 3, streaming=streaming) for streaming in (True, False))
    assert (streamed.examples, streamed.survived, streamed.block) == (7, 4, 4)
    assert (in_blocks.examples, in_blocks.survived, in_blocks.blocks) == (8, 5, 2)
    assert (streamed.certificate.risk, in_blocks.certificate.risk) == (0.0, 0.5)
    assert "M = 3" in streamed.certificate.lines()["Assumed"]
    assert "independent" in in_blocks.certificate.lines()["Assumed"]


def test_never_more_than_the_formula_even_if_every_mistake_comes_as_late_as_it_can() -> None:
    """The first point is right; each of the others errs once, at the last moment."""
    table = [(+1, *row) for row in all_functions(3)]
    block = th.bounds.pac_block(3, 0.5, 0.5)
    late = [0] * (block - 1) + [1] + [0] * (block - 1) + [2] + [0] * (block - 1) + [3]
    sample = [(x, +1 if x == 0 else -1) for x in [*late, 0, 0, 0]]
    for streaming in (True, False):
        source = iter(sample)
        learned = th.pac(PlainHalving(table), source, mistakes=3, epsilon=0.5, delta=0.5, streaming=streaming)
        assert (learned.examples, learned.most_examples, learned.mistakes) == (3 * block, 3 * block, 3)
        assert len(list(source)) == 3


@pytest.mark.parametrize("streaming", [True, False])
def test_more_mistakes_than_promised_name_the_round(streaming: bool) -> None:
    with pytest.raises(th.NotRealizable, match=r"round 3 of the sample: found mistake number 3, expected at most mistakes = 2"):
        plain_run([-1, -1, -1], 2, streaming=streaming)


@pytest.mark.parametrize("make", [lambda: PlainHalving([(+1, +1)] * 2), lambda: th.WeightedMajority(2, beta=0)])
def test_a_learner_that_nothing_fits_names_the_round_of_the_sample(make: Callable[[], Any]) -> None:
    learner = make()
    x: Any = 0 if isinstance(learner, PlainHalving) else [1, 1]
    with pytest.raises(th.NotRealizable, match=r"^round 3 of the sample: no (concept|expert) is left"):
        th.pac(learner, [(x, +1), (x, +1), (x, -1)], mistakes=4, epsilon=0.1, delta=0.1)


def test_a_hypothesis_that_survives_early_rests_on_independent_draws_and_not_on_the_bound() -> None:
    learned = plain_run([+1] * 8, 7)
    assert learned.mistakes == 0
    premises = {premise.status: premise.statement for premise in learned.certificate.premises}
    assert premises[Status.ASSUMED].startswith("the examples are independent draws from one distribution")
    assert premises[Status.CHECKED] == "at most M = 7 mistakes were made on these examples"
    assert learned.certificate.verdict is Verdict.CONDITIONAL


# What is taken, and what is not.


@pytest.mark.parametrize("how", ["rows", "sparse", "pairs", "iterator"])
def test_every_form_of_a_sample_is_the_same(how: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (500, 6))
    y = (X[:, 0] | X[:, 4]).astype(bool)
    forms: dict[str, Any] = {
        "rows": (X, y),
        "sparse": (scipy.sparse.csr_array(X.astype(float)), y),
        "pairs": list(zip(X, y, strict=True)),
        "iterator": zip(X.tolist(), y.tolist(), strict=True),
    }
    learned = th.pac(th.Winnow(6), forms[how], mistakes=19, epsilon=0.1, delta=0.05)
    plain = th.pac(th.Conservative(th.Winnow(6)), (X, y), mistakes=19, epsilon=0.1, delta=0.05)
    assert repr(learned) == repr(plain)
    assert learned.examples < 500


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1.5, math.nan, math.inf, "a", None, [0.1], Fraction(1), True])
@pytest.mark.parametrize("name", ["epsilon", "delta"])
def test_shares_outside_zero_and_one_are_refused(name: str, value: Any) -> None:
    good: dict[str, Any] = {"mistakes": 3, "epsilon": 0.1, "delta": 0.05, name: value}
    with pytest.raises(th.ParameterError, match=f"found {name} = .*, expected a number above 0 and below 1"):
        th.pac(th.Winnow(2), [], **good)
    with pytest.raises(th.ParameterError, match=f"found {name} = "):
        th.bounds.pac_sample(**good)
    with pytest.raises(th.ParameterError, match=f"found {name} = "):
        th.bounds.pac_block(**{**good, "mistakes": 0})


@pytest.mark.parametrize("value", [-1, 2.5, math.nan, math.inf, "3", None, True, [3], np.array([1, 2])])
def test_mistakes_that_are_no_count_are_refused(value: Any) -> None:
    with pytest.raises(th.ParameterError, match=r"found mistakes = (.|\n)*, expected a whole number of at least 0"):
        th.pac(th.Winnow(2), [], mistakes=value, epsilon=0.1, delta=0.1)


def test_no_mistakes_gives_the_first_hypothesis_at_once() -> None:
    def never() -> Iterator[tuple[Any, int]]:
        raise AssertionError("an example was taken")
        yield

    learned = th.pac(th.Winnow(4), never(), mistakes=0, epsilon=0.1, delta=0.1)
    assert (learned.examples, learned.blocks, learned.block, learned.most_examples) == (0, 0, 0, 0)
    assert learned.hypothesis.predict([1, 1, 1, 1]).label == +1
    assert learned.certificate.claim == "risk ≤ 0"
    assert learned.certificate.verdict is Verdict.CONDITIONAL


@pytest.mark.parametrize("streaming", [True, False])
def test_a_sample_too_short_says_how_many_more_are_always_enough(streaming: bool) -> None:
    """And so many more are enough, for every way in which the labels go on."""
    block, mistakes = th.bounds.pac_block(3, 0.5, 0.5), 3
    assert block == 4
    for labels in product((-1, +1), repeat=5):
        if labels.count(-1) >= 3 or (4 * "+") in "".join("+" if y > 0 else "-" for y in labels):
            continue
        with pytest.raises(th.ParameterError, match="found a sample of 5 examples, expected more") as caught:
            plain_run(list(labels), mistakes, streaming=streaming)
        found = re.search(r"(\d+) more are always enough, and (\d+) more if no further", str(caught.value))
        assert found is not None
        enough, soonest = int(found[1]), int(found[2])
        assert plain_run([*labels, *[+1] * soonest], mistakes, streaming=streaming).mistakes == labels.count(-1)
        with pytest.raises(th.ParameterError):
            plain_run([*labels, *[+1] * (soonest - 1)], mistakes, streaming=streaming)
        assert 5 + enough <= mistakes * block


# Certificates.


def test_a_certificate_says_everything_and_goes_into_json() -> None:
    learned = plain_run([+1] * 8, 7)
    facts = json.loads(json.dumps(learned.certificate.as_dict()))
    assert (facts["on"], facts["bound"], facts["delta"], facts["verdict"]) == ("risk", 0.5, 0.5, "conditional")
    assert (facts["examples"], facts["mistakes"], facts["theorem"]) == (6, 0, "PAC from mistakes")
    assert [premise["status"] for premise in facts["premises"]] == ["checked", "assumed"]
    lines = learned.certificate.lines()
    assert list(lines) == ["Claim", "Theorem", "Run", "Checked", "Assumed", "Says", "Not said", "Verify"]
    assert lines["Run"].startswith("6 of at most 42 examples, 0 of at most 7 mistakes; the hypothesis was right on the last 6")
    assert str(learned) == str(learned.certificate)
    assert "<td>Assumed</td>" in learned._repr_html_()
    assert learned.blocks == 1


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.3, 1 / 3, 1e-9, Fraction(1, 3), Fraction(1, 10**400), 1 - 2.0**-53])
def test_what_is_printed_claims_no_more_than_what_is_proven(delta: Any) -> None:
    learned = th.pac(PlainHalving([(+1, +1), (+1, -1)]), [(0, +1)] * 3000, mistakes=1, epsilon=Fraction(1, 3), delta=delta)
    found = re.fullmatch(r"risk ≤ (\S+) with probability at least (\S+)", learned.certificate.claim)
    assert found is not None
    assert Fraction(found[1]) >= Fraction(1, 3)
    assert Fraction(found[2]) <= 1 - Fraction(str(delta))  # a float stands for the decimal that it was given as
    assert Fraction(learned.epsilon) >= Fraction(1, 3)
    assert Fraction(learned.delta) >= Fraction(delta)
