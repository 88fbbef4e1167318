"""Concept classes are what they say: their size, what every concept says of every example, and what they refuse."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError
from itertools import combinations, product
from typing import Any, cast

import numpy as np
import pytest

import thresher as th
from tests.golden import GOLDEN
from thresher.classes import (
    DNF,
    AllFunctions,
    ConceptClass,
    Conjunctions,
    Disjunctions,
    Explicit,
    Intervals,
    Thresholds,
    littlestone_dimension,
    unpack,
)
from thresher.classes.littlestone import definition

Example = tuple[int, ...]
CLASSES: list[ConceptClass] = [
    Explicit([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]),
    Explicit(np.random.default_rng(0).integers(0, 2, (130, 5))),
    *(AllFunctions(k) for k in (1, 2, 5, 6, 7, 9)),
    *(kind(n, monotone=monotone) for kind in (Disjunctions, Conjunctions) for n in (1, 2, 4) for monotone in (True, False)),
    Disjunctions(8),
    Conjunctions(7),
    *(DNF(*sizes) for sizes in ((3, 2, 2), (2, 1, 3), (3, 3, 1), (4, 2, 0), (2, 2, 9))),
    Thresholds([2.5]),
    Thresholds(range(70)),
    Intervals([1, 2, 5, 7.5]),
    Intervals(range(13)),
]
every_class = pytest.mark.parametrize("concepts", CLASSES, ids=repr)


def tables(concepts: ConceptClass, examples: Iterable[object]) -> Counter[tuple[bool, ...]]:
    """What each concept says of these examples, equal ones counted."""
    columns = [unpack(concepts.values(x), concepts.size).tolist() for x in examples]
    return Counter(zip(*columns, strict=True))


def literals(n: int, monotone: bool) -> list[list[tuple[int, int]]]:
    """Every set of literals without one beside its negation: (j, 1) is attribute j."""
    signs = (None, 1) if monotone else (None, 1, 0)
    return [[(j, s) for j, s in enumerate(chosen) if s is not None] for chosen in product(signs, repeat=n)]


def cube(n: int) -> list[Example]:
    return list(product((0, 1), repeat=n))


# ------------------------------------------------------------------------------------------------ what they are


@every_class
def test_all_at_once_is_each_concept_alone(concepts: ConceptClass) -> None:
    assert len(concepts) == concepts.size
    for place in range(concepts.places):
        x = concepts.example(place)
        assert concepts.place(x) == place
        said = unpack(concepts.values(x), concepts.size)
        assert said.shape == (concepts.size,)
        assert [2 * int(value) - 1 for value in said] == [concepts.concept(i).predict(x).label for i in range(concepts.size)]


@every_class
def test_bits_after_the_last_concept_are_zero(concepts: ConceptClass) -> None:
    for place in range(concepts.places):
        words = concepts.at(place)
        assert len(words) == -(-concepts.size // 64)
        assert not unpack(words, 64 * len(words))[concepts.size :].any()


@every_class
def test_many_examples_are_a_bit_matrix(concepts: ConceptClass) -> None:
    X = [concepts.example(place) for place in range(concepts.places)] * 2
    matrix = concepts.values_many(X)
    assert matrix.dtype == np.uint64
    assert np.array_equal(matrix, np.array([concepts.values(x) for x in X]))
    assert concepts.concept(0).predict_many(X).tolist() == [concepts.concept(0).predict(x).label for x in X]


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_disjunctions_and_conjunctions_are_all_there_are(n: int, monotone: bool) -> None:
    sets = literals(n, monotone)
    some = Counter(tuple(any(x[j] == s for j, s in chosen) for x in cube(n)) for chosen in sets)
    every = Counter(tuple(all(x[j] == s for j, s in chosen) for x in cube(n)) for chosen in sets)
    assert tables(Disjunctions(n, monotone), cube(n)) == some
    assert tables(Conjunctions(n, monotone), cube(n)) == every
    assert Disjunctions(n, monotone).size == Conjunctions(n, monotone).size == (2 if monotone else 3) ** n


@pytest.mark.parametrize(("n", "k", "terms"), [(1, 1, 2), (2, 2, 2), (3, 2, 2), (3, 1, 3), (3, 5, 1), (2, 1, 0)])
def test_dnf_is_every_set_of_few_short_terms(n: int, k: int, terms: int) -> None:
    short = [chosen for chosen in literals(n, monotone=False) if 1 <= len(chosen) <= k]
    formulas = [chosen for count in range(terms + 1) for chosen in combinations(short, count)]
    said = Counter(tuple(any(all(x[j] == s for j, s in term) for term in formula) for x in cube(n)) for formula in formulas)
    assert DNF(n, k, terms).size == len(formulas)
    assert tables(DNF(n, k, terms), cube(n)) == said


def test_thresholds_and_intervals_are_all_there_are() -> None:
    points, line = [1.0, 2.5, 4.0], [0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 1e9]
    steps = Counter(tuple(x >= t for x in line) for t in (*points, math.inf))
    assert tables(Thresholds([4, 1, 2.5]), line) == steps
    between = Counter(tuple(a <= x <= b for x in line) for a in points for b in points if a <= b)
    assert tables(Intervals(points), line) == between + Counter([(False,) * len(line)])


def test_all_functions_are_all_there_are() -> None:
    assert tables(AllFunctions(4), range(4)) == Counter(product((False, True), repeat=4))
    assert AllFunctions(20_000)
    assert AllFunctions(20_000).size == 2**20_000
    assert AllFunctions(20_000).concept(2**19_999 + 4).predict(19_999).label == 1


def test_a_set_of_attributes_is_the_vector() -> None:
    concepts = Conjunctions(5, monotone=False)
    for x in cube(5):
        same = [{j for j in range(5) if x[j]}, np.array(x), np.array(x, dtype=bool), [float(v) for v in x]]
        assert all(np.array_equal(concepts.values(x), concepts.values(other)) for other in same)


def test_an_explicit_class_from_functions_or_rows() -> None:
    points = ["tea", "beer", "water"]
    rows = [[1, 0, 0], [0, 1, 1]]
    by_rows, by_functions = Explicit(rows, points), Explicit([lambda w: len(w) < 4, lambda w: len(w) > 3], points)
    assert (
        by_rows == by_functions == Explicit([[1, -1, -1], [-1, 1, 1]], points) == Explicit(np.array(rows, dtype=bool), points)
    )
    assert by_rows.points == tuple(points)
    vectors = Explicit([[0, 1]], points=np.array([[0, 0], [0, 1]]))
    assert vectors.concept(0).predict([0, 1]).label == vectors.concept(0).predict(np.array([0, 1])).label == 1


@pytest.mark.parametrize(
    ("concepts", "i", "words"),
    [
        (Disjunctions(4), 9, "x0 or x3"),
        (Disjunctions(2, monotone=False), 5, "not x0 or x1"),
        (Disjunctions(3), 0, "never"),
        (Conjunctions(4), 9, "x0 and x3"),
        (Conjunctions(3), 0, "always"),
        (DNF(2, 2, 2), 0, "never"),
        (DNF(2, 2, 2), 1, "x0"),
        (DNF(2, 2, 2), 5, "(x0 and x1)"),
        (Thresholds([2.5]), 0, "x >= 2.5"),
        (Intervals([1, 3]), 1, "1.0 <= x <= 3.0"),
        (AllFunctions(3), 0, "never"),
        (Explicit([[1, 0, 1]], "abc"), 0, "x in {'a', 'c'}"),
    ],
)
def test_a_concept_in_words(concepts: ConceptClass, i: int, words: str) -> None:
    assert str(concepts.concept(i)) == words
    assert repr(concepts.concept(i)) == f"Concept({words})"


# ------------------------------------------------------------------------------------------------ values


@every_class
def test_classes_and_concepts_are_values(concepts: ConceptClass) -> None:
    for again in (copy.copy(concepts), copy.deepcopy(concepts), pickle.loads(pickle.dumps(concepts))):
        assert again == concepts
        assert hash(again) == hash(concepts)
        assert again.concept(0) == concepts.concept(0)
    assert sum(concepts == other for other in CLASSES) == 1
    assert cast("object", concepts) != "a class"
    for value in (concepts, concepts.concept(0)):
        with pytest.raises((AttributeError, FrozenInstanceError)):
            setattr(value, next(iter(vars(value))), 1)


def test_they_print_shortly() -> None:
    assert repr(Disjunctions(3)) == "Disjunctions(n=3, monotone=True)"
    assert repr(Thresholds(range(100))) == "Thresholds(100 points from 0.0 to 99.0)"
    assert repr(Intervals([1])) == "Intervals([1.0])"
    assert len(repr(Explicit(np.zeros((3, 1000), dtype=int)))) < 100


def test_a_table_is_not_the_classes_own() -> None:
    table = np.array([[0, 1], [1, 1]], dtype=bool)
    concepts = Explicit(table)
    table[:] = False
    assert unpack(concepts.values(1), 2).tolist() == [True, True]
    for own in (concepts, pickle.loads(pickle.dumps(concepts)), copy.deepcopy(concepts)):
        with pytest.raises(ValueError, match="read-only"):
            own.values(1)[0] = 0


# ------------------------------------------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Explicit([]), "found an empty class"),
        (lambda: Explicit(np.zeros((0, 3))), "found an empty class"),
        (lambda: th.Halving([]), "found an empty class"),
        (lambda: Explicit([[], []]), "no points"),
        (lambda: Explicit([[0, 1], [0, 1, 1]]), "concept 1 has 3 points, concept 0 has 2: expected concepts of one domain"),
        (lambda: Explicit([[0, 1]], points=[5, 6, 7]), "found 3 points and concepts of 2"),
        (lambda: Explicit([[0, 1]], points=["a", "a"]), "found the point 'a' twice"),
        (lambda: Explicit([[0, 1]], points=["a", None]), "found the point None"),
        (lambda: Explicit([[0, 1]], points=["a", float("nan")]), "found the point nan"),
        (lambda: Explicit([[0, 2]]), "concept 0 says 2 of point 1, expected 0 or 1"),
        (lambda: Explicit(np.array([[0, 2]])), "concept 0 says 2 of point 1"),
        (lambda: Explicit(np.array([[0, 1], [1, -1]])), "concept 1 says -1 of point 1"),
        (lambda: Explicit(np.array([[0.0, np.nan]])), "concept 0 says nan of point 1"),
        (lambda: Explicit([0, 1]), "concept 0 is 0, expected a row"),
        (lambda: Explicit(np.array([0, 1])), "two dimensions"),
        (lambda: Explicit(np.array([["0", "1"]])), "expected zeros and ones"),
        (lambda: Explicit(np.ma.masked_equal([[0, 1]], 1)), "masked"),
        (lambda: Explicit("0101"), "found str for a class"),
        (lambda: Explicit([abs, len]), "functions without points"),
        (lambda: Explicit([lambda x: 1, lambda x: x > 2], points=[1, "b"]), "concept 1 has no value at 'b'"),
        (lambda: Explicit([lambda x: None], points=["b"]), "concept 0 says None of point 'b'"),
        (lambda: th.Halving(Disjunctions), "found the type Disjunctions"),
        (lambda: AllFunctions(0), "found k = 0"),
        (lambda: AllFunctions(True), "found k = True"),
        (lambda: Disjunctions(0), "found n = 0"),
        (lambda: Disjunctions(2, monotone=cast("Any", "yes")), "found monotone = 'yes'"),
        (lambda: DNF(3, 0, 1), "found k = 0"),
        (lambda: DNF(3, 1, -1), "found terms = -1"),
        (lambda: DNF(100, 50, 1), "terms of at most 50 literals"),
        (lambda: Thresholds([]), "found no points"),
        (lambda: Thresholds([1, 1]), "found 2 points, of which 1 differ"),
        (lambda: Thresholds([1, math.inf]), "expected numbers from -1e300"),
        (lambda: Thresholds([[1, 2]]), "expected one row of numbers"),
        (lambda: Thresholds(["a"]), "expected points that are numbers"),
        (lambda: Intervals([1.0, np.nextafter(1.0, 2)]), "no float between them"),
        (lambda: Disjunctions(3).concept(8), "found concept 8, expected one of 8, from 0"),
        (lambda: Disjunctions(3).concept(-1), "found concept -1"),
        (lambda: th.Halving(Disjunctions(40)), "found 1,099,511,627,776 concepts, expected at most 1,073,741,824"),
        (lambda: AllFunctions(100).values(3), r"found more than 2\^99 concepts, expected at most"),
        (lambda: th.Optimal(AllFunctions(20_000)), r"found more than 2\^19999 concepts on 20,000 kinds .* too large"),
        (lambda: AllFunctions(20_000).concept(2**20_000), "expected one of more than"),
    ],
)
def test_what_is_no_class(make: Callable[[], object], message: str) -> None:
    with pytest.raises(th.ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("concepts", "x", "message"),
    [
        (Explicit([[0, 1]]), 2, "found 2, expected one of the points 0, 1"),
        (Explicit([[0, 1]]), {1}, "expected one of the points"),
        (Explicit([[0, 1]], "ab"), None, "found None, expected one of the points 'a', 'b'"),
        (Explicit([[0, 1]]), list(range(1000)), "…, expected one of the points"),
        (AllFunctions(3), 3, "found 3, expected a whole number from 0 to 2"),
        (AllFunctions(3), -1, "found -1"),
        (AllFunctions(3), 1.0, "found 1.0"),
        (AllFunctions(3), True, "found True"),
        (AllFunctions(3), np.array([1, 2]), "expected a whole number"),
        (Disjunctions(3), [0, 1], "shape .2,., expected 3 zeros and ones, or the set"),
        (Disjunctions(3), [0, 1, 2], "column 2: found 2, expected 0 or 1"),
        (Conjunctions(3), [0, 1, -1], "column 2: found -1"),
        (Conjunctions(3), [0, 1, float("nan")], "column 2: found nan"),
        (Conjunctions(3), ["a", 0, 0], "expected 3 zeros and ones"),
        (Conjunctions(3), [[1], [1, 2], 0], "expected 3 zeros and ones"),
        (Conjunctions(3), {3}, "found 3 among the attributes"),
        (Conjunctions(3), {"x0"}, "found 'x0' among"),
        (DNF(3, 1, 1), None, "found NoneType"),
        (DNF(3, 1, 1), np.ma.masked_equal([0, 1, 1], 0), "expected 3 zeros and ones"),
        (Thresholds([1]), "1", "found '1', expected a finite number"),
        (Thresholds([1]), math.nan, "found nan"),
        (Intervals([1]), math.inf, "found inf"),
        (Intervals([1]), [1], "expected a finite number"),
    ],
)  # fmt: skip
def test_an_example_outside_the_domain_is_refused(concepts: ConceptClass, x: Any, message: str) -> None:
    for refused in (concepts.values, concepts.concept(0).predict, th.Consistent(concepts).predict):
        with pytest.raises(th.ExampleError, match=message):
            refused(x)
    good = concepts.example(0)
    with pytest.raises(th.ExampleError, match=f"row 1: .*{message}") as caught:
        concepts.values_many([good, x])
    assert caught.value.row == 1


@pytest.mark.parametrize("X", [3, "01", None, np.array(3), {1}])
def test_many_examples_come_in_rows(X: Any) -> None:
    with pytest.raises(th.ExampleError, match="expected a list or an array with one a row"):
        AllFunctions(3).values_many(X)


# ------------------------------------------------------------------------------------------------ the Littlestone dimension


GOLDEN_CLASSES = AllFunctions(3), Explicit(np.eye(7, dtype=int)), Thresholds(range(7))


@pytest.mark.parametrize(("case", "concepts"), [*zip(GOLDEN["ldim"], GOLDEN_CLASSES, strict=True)])
def test_the_golden_dimensions(case: dict[str, Any], concepts: ConceptClass) -> None:
    assert littlestone_dimension(concepts) == case["ldim"]


def test_the_dimension_is_that_of_the_definition() -> None:
    chance = np.random.default_rng(3)
    for _ in range(150):
        table = (chance.random((chance.integers(1, 14), chance.integers(1, 6))) < chance.random()).astype(int)
        assert littlestone_dimension(table) == definition([tuple(row) for row in table.tolist()])


@pytest.mark.parametrize(
    ("concepts", "dimension"),
    [
        (AllFunctions(10), 10),
        (Thresholds(range(1000)), 9),
        (Explicit(np.eye(300, dtype=int)), 1),
        (Disjunctions(9), 9),
        (Disjunctions(5, monotone=False), 6),  # n + 1, what Elimination makes at most
        (Conjunctions(5, monotone=False), 6),
        (Explicit([[1, 0]] * 50), 0),
        (Explicit([[0, 1], [0, 1], [1, 1]]), 1),
    ],
)
def test_dimensions_of_larger_classes(concepts: ConceptClass, dimension: int) -> None:
    assert littlestone_dimension(concepts) == dimension <= concepts.size.bit_length() - 1


@pytest.mark.parametrize("concepts", [Disjunctions(13), Explicit(np.zeros((2, 5000), dtype=int)), AllFunctions(64)])
def test_a_class_too_large_for_the_dimension_says_what_is_tried(concepts: ConceptClass) -> None:
    with pytest.raises(th.ParameterError, match=r"too large .* up to 4,096 and 4,096, and given up after 16,777,216 splits"):
        littlestone_dimension(concepts)


def test_a_dimension_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.classes.littlestone.MOST_STEPS", 100)
    with pytest.raises(th.ParameterError, match=r"gave up .* after 100 splits: it is at least 1"):
        th.Optimal(Disjunctions(7, monotone=False))
