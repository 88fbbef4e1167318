"""Classes, their learners and their bounds at their limits: too large, too long to print, forged, masked, or not even close."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import bounds
from thresher.adversaries import Sparing
from thresher.classes import DNF, AllFunctions, ClassLearner, Disjunctions, Explicit, Intervals, Thresholds

KINDS: list[type[ClassLearner]] = [th.Consistent, th.Halving, th.Optimal]
every_kind = pytest.mark.parametrize("kind", KINDS)
LONG: Any = 10**5000  # more digits than Python prints
ONE: Any = 1.0
FIVE: Any = 5
ONES: Any = np.array([1])


# ------------------------------------------------------------------------------------------------ what does not change


@every_kind
def test_the_fitting_concepts_are_read_only_before_the_first_round_too(kind: type[ClassLearner]) -> None:
    learner = kind([[0, 0], [1, 1], [1, 0]])
    for bits in (learner.fitting, learner.state()[1]["fitting"]):
        with pytest.raises(ValueError, match="read-only"):
            bits[0] = 1
    assert learner.left == 3


# ------------------------------------------------------------------------------------------------ too large


@pytest.mark.parametrize("sizes", [(10, 10, 59048), (10, 10, 59047), (10, 2, 5), (10, 2, 150), (4, 2, 16), (4, 2, 0)])
def test_the_size_of_dnf_is_that_of_the_formula(sizes: tuple[int, int, int]) -> None:
    n, k, terms = sizes
    m = sum(math.comb(n, width) << width for width in range(1, k + 1))
    expected = {m: 1 << m, m - 1: (1 << m) - 1}.get(terms)
    assert DNF(*sizes).size == (expected or sum(math.comb(m, count) for count in range(min(terms, m) + 1)))


def test_dnf_that_is_too_large_is_refused_before_all_of_it_is_counted() -> None:
    with pytest.raises(th.ParameterError, match="found more than 1,048,576 terms of at most 65536 literals"):
        DNF(65536, 65536, 1)
    large = DNF(10, 10, 2**14)  # of 59,048 terms: its size has thousands of digits
    for refused in (lambda: large.at(0), lambda: th.Halving(large), lambda: th.Optimal(large), lambda: Sparing(large)):
        with pytest.raises(th.ParameterError, match=r"found more than 2\^\d+ concepts"):
            refused()
    assert str(large.concept(1)) == "x0"
    assert "_exact_size" not in vars(large)


def test_a_forged_state_of_a_dnf_that_is_too_large_is_refused() -> None:
    parameters, arrays = th.Halving(DNF(3, 1, 1)).state()
    for forged in ({"n": 65536, "k": 65536, "terms": 1}, {"n": 12, "k": 12, "terms": 2**19}):
        large = {**parameters, "arguments": {"concepts": {"class": "DNF", **forged}}}
        with pytest.raises(th.StoreError, match="found more than"):
            th.Halving.from_state(large, arrays)


@pytest.mark.parametrize(
    "refused", [lambda: Sparing(AllFunctions(34)), lambda: AllFunctions(60).values_many([0]), lambda: AllFunctions(34).at(0)]
)
def test_a_class_too_large_to_be_gone_through_is_refused_before_memory_is_taken(refused: Callable[[], object]) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(th.ParameterError, match="concepts, expected at most 1,073,741,824 where all are asked"):
            refused()
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("concepts", [AllFunctions(60), Disjunctions(40)], ids=repr)
def test_optimal_names_its_own_limit(concepts: Any) -> None:
    with pytest.raises(th.ParameterError, match=r"too large for the Littlestone dimension, .* tried up to 4,096 and 4,096"):
        th.Optimal(concepts)


# ------------------------------------------------------------------------------------------------ no example, no class


@pytest.mark.parametrize("concepts", [Thresholds([1, 2]), Intervals([1, 2])], ids=repr)
@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.ma.masked, "found a masked value, expected a finite number"),
        (np.ma.array(1.0, mask=True), "found a masked value"),
        (10**400, "found 1000.*…, expected a finite number"),
        pytest.param(-LONG, "found an int of 16,610 bits, expected a finite number", id="long"),
        (2**53 + 1, "found 9007199254740993, expected a number that float64 holds"),
        (np.int64(2**53 + 1), "found 9007199254740993, expected a number that float64 holds"),
        (2**63 - 1, "expected a number that float64 holds"),
        pytest.param([LONG], "found list with a number too long to print", id="list"),
    ],
)
def test_no_number_of_a_line(concepts: Any, x: Any, message: str) -> None:
    learner = th.Halving(concepts)
    for refused in (concepts.place, learner.predict, lambda x: learner.learn(x, 1)):
        with pytest.raises(th.ExampleError, match=message):
            refused(x)
    assert learner.rounds == 0


def test_whole_numbers_that_floats_hold_are_taken_however_large() -> None:
    line = Thresholds([2**53, 2**53 + 2, 2**60])
    assert [line.place(x) for x in (2**53 - 1, 2**53, 2**53 + 2, 2**70, np.uint64(2**63))] == [0, 1, 2, 3, 3]


def test_a_masked_row_is_not_learned() -> None:
    learner = th.Halving(Thresholds([-1.0, 1.0]))
    with pytest.raises(th.ExampleError, match="row 1: found a masked value") as caught:
        learner.learn_many(np.ma.masked_equal([2.0, 5.0], 5.0), [1, 1])
    assert (caught.value.row, learner.rounds) == (1, 1)
    with pytest.raises(th.ExampleError, match="expected a whole number from 0 to 2"):
        AllFunctions(3).place(np.ma.array(1, mask=True))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AllFunctions(LONG), "found k = an int of 16,610 bits"),
        (lambda: Disjunctions(-LONG), "found n = an int of"),
        (lambda: DNF(3, 1, LONG), "found terms = an int of"),
        (lambda: Disjunctions(2, monotone=LONG), "found monotone = an int of"),
        (lambda: Disjunctions(3).concept(LONG), r"found concept more than 2\^16609, expected one of 8"),
        (lambda: Disjunctions(3).concept(-LONG), r"found concept less than -2\^16609"),
        (lambda: Thresholds([LONG]), "found list with a number too long to print, expected points that are numbers"),
        (lambda: Thresholds([1, 2**53 + 1]), "found the point 9007199254740993, expected numbers that float64 holds"),
        (lambda: Intervals(np.array([0, 2**64 - 1], dtype=np.uint64)), "found the point 18446744073709551615"),
        (lambda: Explicit([[0, LONG]]), "concept 0 says an int of 16,610 bits of point 1"),
        (lambda: Explicit([LONG]), "concept 0 is an int of"),
        (lambda: Explicit([[0, 1]], points=[LONG, LONG]), "found the point an int of 16,610 bits twice"),
        (lambda: Explicit([[0, 1]], points=FIVE), "found points = 5, expected a list of examples"),
        (lambda: Disjunctions(ONES), r"found n = array\(\[1\]\), expected a whole number"),
        (lambda: Disjunctions(3).concept(ONE), "found concept 1.0, expected one of 8"),
        (lambda: Disjunctions(3).concept(ONES), r"found concept array\(\[1\]\), expected one of 8"),
    ],
)  # fmt: skip
def test_parameters_that_are_refused_by_name(make: Callable[[], object], message: str) -> None:
    with pytest.raises(th.ParameterError, match=message):
        make()


def test_points_too_long_to_print_are_points() -> None:
    concepts = Explicit([[0, 1]], points=[LONG, "a"])
    assert concepts.place(LONG) == 0
    assert repr(concepts) == "Explicit(1 concepts on an int of 16,610 bits, 'a')"
    with pytest.raises(th.ExampleError, match="found an int of 16,610 bits, expected one of the points an int of"):
        concepts.place(LONG + 1)


# ------------------------------------------------------------------------------------------------ bounds


def test_bounds_by_numbers_beyond_floats() -> None:
    assert bounds.halving(LONG).at_most == LONG.bit_length() - 1
    assert repr(bounds.consistent(LONG)).startswith("Bound(value=an int of 16,610 bits, on='mistakes', theorem=Theorem(name=")
    assert repr(bounds.consistent(8)).startswith("Bound(value=7, on='mistakes', ")
    for n in (10**400, LONG):
        for few in (bounds.online_to_batch(0, n, 0.05), bounds.online_to_batch_vote(3, n, 0.05), bounds.random_stop(3, n)):
            assert 0 < few.value < 1e-100
        assert bounds.online_to_batch(n // 2, n, 0.05).value == pytest.approx(0.5)
        assert bounds.random_stop(n, 9).value == bounds.random_stop(n, n - 1).value == 1.0
    assert bounds.online_to_batch(0, 10**300, 0.05).value == pytest.approx(math.sqrt(math.log(20) / 2) * 1e-150)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bounds.halving(-LONG), "found size = an int of 16,610 bits, expected a whole number of at least 1"),
        (lambda: bounds.halving(ONES.repeat(2)), r"found size = array\(\[1, 1\]\), expected a whole number"),
        (lambda: bounds.optimal(ONES[:0]), "found dimension = array"),
        (lambda: bounds.pac_block(-LONG, 0.1, 0.1), "found mistakes = an int of"),
        (lambda: bounds.pac_block(3, LONG, 0.1), "found epsilon = an int of"),
        (lambda: bounds.online_to_batch(LONG, 5, 0.1), "found mistakes = an int of 16,610 bits on examples = 5"),
        (lambda: bounds.random_stop(-LONG, 5), "found mistakes = an int of"),
    ],
)  # fmt: skip
def test_bounds_refuse_by_name(make: Callable[[], object], message: str) -> None:
    with pytest.raises(th.ParameterError, match=message):
        make()


# ------------------------------------------------------------------------------------------------ states


@every_kind
def test_forged_states_are_refused_with_one_error(kind: type[ClassLearner]) -> None:
    learner = kind(Explicit([[0, 1, 1], [1, 0, 1], [1, 1, 1], [0, 0, 0]]))
    learner.learn_many([2, 0], [1, 1])
    assert learner.updates == 2
    parameters, arrays = learner.state()

    def check_refused(message: str, heads: dict[str, Any], cls: dict[str, Any], **changed: Any) -> None:
        concepts = {**parameters["arguments"]["concepts"], **cls}
        forged = {**parameters, "arguments": {"concepts": concepts}, "heads": {**parameters["heads"], **heads}}
        with pytest.raises(th.StoreError, match=message):
            kind.from_state(forged, {**arrays, **changed})

    check_refused("expected one of the classes", {}, {"class": ["Explicit"]})
    check_refused("expected one of the classes", {}, {"class": LONG})
    check_refused("the table is not bits", {}, {}, columns=arrays["columns"].tolist())
    check_refused("the table is not bits", {}, {}, columns=None)
    check_refused("the table is not bits of more than 2", {}, {"size": LONG})
    check_refused("that no run of rounds can have", {"rounds": LONG}, {})
    check_refused("found 3 mistakes after 2 updates, expected at most one each", {"rounds": 9, "mistakes": 3}, {})
    with pytest.raises(th.StoreError, match="found the state of an int of 16,610 bits"):
        kind.from_state({**parameters, "learner": LONG}, arrays)


def test_more_mistakes_than_are_proven_are_refused() -> None:
    learner = th.Halving(AllFunctions(2))
    learner.learn_many([0, 1], [0, 0])
    parameters, arrays = learner.state()
    assert th.Halving.from_state(parameters, arrays).mistakes == learner.mistakes == 2
    concepts = {"concepts": {"class": "Thresholds"}}
    three = {"rounds": 3, "mistakes": 2, "updates": 2, "negative": 0}
    points = {"points": np.array([1.0, 2.0]), "fitting": np.array([4], dtype=np.uint64)}
    with pytest.raises(th.StoreError, match="found 2 mistakes after 2 updates, expected at most one each, and 1 in all"):
        th.Halving.from_state({**parameters, "arguments": concepts, "heads": three}, points)


# ------------------------------------------------------------------------------------------------ many rounds


@every_kind
def test_weights_are_one_for_each_row(kind: type[ClassLearner]) -> None:
    learner = kind(AllFunctions(3))
    weight: Any
    for weight in (np.array([1.0, 1.0]), np.array([]), [1.0], LONG):
        with pytest.raises(th.ExampleError, match="found weight "):
            learner.learn(0, 1, weight)
    for weights in ([1.0], [1.0] * 3, 1.0, [[1.0], [1.0]]):
        with pytest.raises(th.ExampleError, match="expected one for each of 2 rows"):
            learner.learn_many([0, 1], [1, 1], weights)
    with pytest.raises(th.ExampleError, match="weights other than 1"):
        learner.learn_many([0, 1], [1, 1], np.ma.masked_equal([1.0, 2.0], 2.0))
    assert learner.rounds == 0
    assert learner.learn(0, 1, 1).t == 1


@every_kind
def test_the_row_that_no_concept_fits_and_the_rounds_before_it(kind: type[ClassLearner]) -> None:
    learner, alone = kind(AllFunctions(3)), kind(AllFunctions(3))
    learner.learn(2, 1)
    alone.learn(2, 1)
    with pytest.raises(th.NotRealizable, match=r"^round 4: found label") as caught:
        learner.learn_many([0, 1, 0, 2], [1, 0, 0, 1])
    assert caught.value.row == 2
    assert caught.value.rounds is not None
    assert len(caught.value.rounds) == 2
    assert [caught.value.rounds[k] for k in range(2)] == [alone.learn(0, 1), alone.learn(1, 0)]
    assert learner.rounds == alone.rounds == 3
