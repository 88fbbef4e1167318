"""Certificates of the multiclass Perceptron: true in exact fractions, and silent where a premise fails."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher.bounds import Certificate, Status, Verdict

N = 3
NAMES = ["a", "b", "c", "d"]
values = st.sampled_from([0.0, 1.0, -1.0, 0.1, -0.3, 2.7])
vectors = st.lists(values, min_size=N, max_size=N)
streams = st.lists(st.tuples(vectors, st.sampled_from(NAMES)), min_size=1, max_size=30)
tables = st.lists(vectors, min_size=4, max_size=4)
Stream = list[tuple[list[float], str]]


def exact_margins(table: list[list[float]], biases: list[float], bias: float, stream: Stream) -> list[Fraction]:
    """Of each round, how much further the right class is than the best of the others."""
    margins = []
    for x, y in stream:
        scores = [
            sum((Fraction(u) * Fraction(v) for u, v in zip(row, x, strict=True)), Fraction(b) * Fraction(bias))
            for row, b in zip(table, biases, strict=True)
        ]
        right = NAMES.index(y)
        margins.append(scores[right] - max(score for c, score in enumerate(scores) if c != right))
    return margins


def by_theorem(ledger: th.Ledger) -> dict[str, Certificate]:
    return {each.bound.theorem.name.rpartition(" ")[2]: each for each in ledger.certificates()}


@given(streams, tables, vectors, st.sampled_from([None, 0.7]), st.sampled_from([0.5, 1.0, 3.0]), st.booleans(), st.booleans())
def test_what_is_certified_holds_in_fractions(
    stream: Stream, table: list[list[float]], more: list[float], bias: float | None, gamma: float, known: bool, single: bool
) -> None:
    biases = [*more, 0.25] if bias is not None else [0.0] * 4
    learner = th.MulticlassPerceptron(N, bias=bias, classes=NAMES if known else ())
    ledger = th.Ledger(th.ClassSeparator(table, classes=NAMES, bias_weights=biases, margin=gamma))
    if single:
        for x, y in stream:
            ledger.enter(learner.learn(x, y))
    else:
        ledger.enter(learner.learn_many([x for x, _ in stream], [y for _, y in stream]))
    ledger.check()
    margins = exact_margins(table, biases, bias or 0.0, stream)
    squares = [sum(Fraction(v) ** 2 for v in x) + Fraction(bias or 0.0) ** 2 for x, _ in stream]
    norm = sum(Fraction(u) ** 2 for row in table for u in row) + sum(Fraction(b) ** 2 for b in biases)
    made = by_theorem(ledger)
    separable, distance = made["separable"], made["distance"]
    assert separable.count == distance.count == learner.mistakes - (not known)
    if separable.verdict is Verdict.CERTIFIED:
        numbers = separable.numbers
        assert 0 < Fraction(numbers["margin"]) <= min(margins)
    else:
        assert separable.verdict is Verdict.VOID
        assert min(margins) <= Fraction(1, 2**30)  # or rounding hides it
    assert distance.verdict is Verdict.CERTIFIED or not any(squares)
    numbers = distance.numbers
    assert Fraction(numbers["radius"]) ** 2 >= max(squares)
    assert Fraction(numbers["norm"]) ** 2 >= norm
    assert Fraction(numbers["distance"]) >= sum(max(Fraction(0), Fraction(gamma) - margin) for margin in margins)
    # M ≤ D/γ + √2·R‖U‖·√M/γ, for the run itself
    count = Fraction(int(distance.count))
    missing = max(Fraction(0), count * Fraction(gamma) - Fraction(numbers["distance"]))
    assert missing**2 <= 2 * max(squares) * norm * count * Fraction(1000001, 1000000)


def test_orthonormal_examples() -> None:
    """Every class has an axis of its own: 2(R‖U‖/γ)² with γ = 1 and ‖U‖² = K allows 2K mistakes."""
    K = 20
    learner, ledger = th.MulticlassPerceptron(K), th.Ledger(th.ClassSeparator(np.eye(K), classes=range(K)))
    ledger.enter(learner.learn_many(np.tile(np.eye(K), (10, 1)), list(range(K)) * 10))
    headline = ledger.headline
    assert headline is not None
    assert (headline.bound.at_most, ledger.best_constant, ledger.repeat_last) == (2 * K, 190, 200)
    assert headline.count <= 2 * K
    assert any("is not counted" in premise.statement for premise in headline.premises)
    assert "rounds 200, mistakes" in str(ledger)


def drawn(seed: int, rows: int = 300) -> tuple[NDArray[np.float64], list[int], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    U, X = rng.normal(size=(5, 6)), rng.normal(size=(rows, 6))
    scores = np.sort(X @ U.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 0.3]
    return X, (X @ U.T).argmax(axis=1).tolist(), U


@pytest.mark.parametrize("seed", range(5))
def test_separable_streams_are_certified(seed: int) -> None:
    X, y, U = drawn(seed)
    learner = th.MulticlassPerceptron(6)
    ledger = th.Ledger(th.ClassSeparator(U, classes=range(5)))
    for start in range(0, len(y), 7):
        ledger.enter(learner.learn_many(sp.csr_array(X[start : start + 7]), y[start : start + 7]))
    ledger.check()
    assert by_theorem(ledger)["separable"].verdict is Verdict.CERTIFIED
    assert ledger.mistakes == learner.mistakes
    assert ledger.loss == float(learner.mistakes)


def test_a_learner_s_own_weights_are_a_witness() -> None:
    X, y, _ = drawn(3)
    learner = th.MulticlassPerceptron(6, bias=0.5)
    for _ in range(200):
        if learner.learn_many(X, y).mistakes == 0:
            break
    again, ledger = th.MulticlassPerceptron(6, bias=0.5), th.Ledger(th.ClassSeparator.of(learner))
    ledger.enter(again.learn_many(X, y))
    assert by_theorem(ledger)["separable"].verdict is Verdict.CERTIFIED


def broken(ledger: th.Ledger) -> list[str]:
    return [p.statement for c in ledger.certificates() for p in c.premises if p.status is Status.BROKEN]


def test_weights_void_the_theorems() -> None:
    ledger = th.Ledger(th.ClassSeparator(np.eye(2), classes=["a", "b"]))
    ledger.enter(th.MulticlassPerceptron(2).learn_many([[1, 0], [0, 1]], ["a", "b"], [1.0, 2.0]))
    assert "every example has weight 1" in broken(ledger)
    assert all(each.verdict is Verdict.VOID for each in ledger.certificates())


def test_rounds_that_are_not_a_perceptron_s_are_found_out() -> None:
    learner = th.MulticlassPerceptron(2)
    rounds = learner.learn_many([[1, 0], [0, 1], [1, 1]], ["a", "b", "a"])
    predictions = rounds.predictions.copy()
    predictions[2] = 1 - predictions[2]
    ledger = th.Ledger(th.ClassSeparator(np.eye(2), classes=["a", "b"]))
    ledger.enter(replace(rounds, predictions=predictions))
    assert "the rounds are one multiclass Perceptron's" in broken(ledger)
    later = th.Ledger(th.ClassSeparator(np.eye(2), classes=["a", "b"]))
    later.enter(learner.learn([0, 1], "b"))
    assert "they begin at zero weights" in broken(later)
    nobody = th.Ledger(th.ClassSeparator(np.eye(2), classes=["a", "b"]))
    nobody.enter(replace(rounds, origin=None))
    assert nobody.certificates() == []
    assert "no theorem" in str(nobody)


def test_an_order_with_classes_that_the_comparator_lacks_is_not_promised() -> None:
    learner, ledger = th.MulticlassPerceptron(2), th.Ledger(th.ClassSeparator([[1, 0]], classes=["a"]))
    ledger.enter(learner.learn_many([[1, 0], [-1, 0]], ["a", "b"]))
    assert not any(each.any_order for each in ledger.certificates())


def test_a_ledger_holds_one_kind_of_rounds() -> None:
    ledger = th.Ledger()
    learner = th.MulticlassPerceptron(2)
    ledger.enter(learner.learn([1, 0], "a"))
    with pytest.raises(th.LedgerError, match="expected rounds with classes"):
        ledger.enter(th.Perceptron(2).learn([1, 0], 1))
    with pytest.raises(th.LedgerError, match="found round 1, expected round 2"):
        ledger.enter(th.MulticlassPerceptron(2).learn([1, 0], "a"))
    with pytest.raises(th.LedgerError, match="another learner's"):
        ledger.enter(replace(learner.learn([0, 1], "b"), origin=None))
    with pytest.raises(th.LedgerError, match="Separator does not watch"):
        th.Ledger(th.Separator([1.0])).enter(learner.learn([1, 0], "a"))
    with pytest.raises(th.LedgerError, match="a regret is of rounds with losses"):
        _ = ledger.regret
    assert (ledger.rounds, ledger.classes.best_constant) == (1, 0)


def test_what_a_ledger_refuses_leaves_it_as_it_was() -> None:
    learner = th.MulticlassPerceptron(2)
    good = learner.learn_many([[1, 0], [0, 1]], ["a", "b"])
    ledger = th.Ledger(th.ClassSeparator(np.eye(2), classes=["a", "b"]), th.ClassSeparator(np.eye(3), classes=["a", "b", "c"]))
    with pytest.raises(th.LedgerError, match="expected 3 as the comparator has"):
        ledger.enter(good)
    assert (ledger.rounds, ledger.certificates()) == (0, [])
    short = th.Ledger()
    with pytest.raises(th.LedgerError, match="different lengths"):
        short.enter(replace(good, predictions=good.predictions[:1]))
    with pytest.raises(th.LedgerError, match="no places"):
        short.enter(replace(good, labels=good.labels + 5))


def test_comparators_that_cannot_be() -> None:
    bad: list[tuple[Any, dict[str, Any]]] = [
        ([[1.0, 2.0]], {"classes": ["a", "b"]}),
        ([[1.0], [float("nan")]], {"classes": ["a", "b"]}),
        ([["x"], ["y"]], {"classes": ["a", "b"]}),
        ([[1.0], [2.0]], {"classes": ["a", "b"], "bias_weights": [1.0]}),
        ([[1.0], [2.0]], {"classes": ["a", "b"], "margin": 0.0}),
        ([[1.0], [2.0]], {"classes": ["a", "b"], "margin": float("nan")}),
    ]
    for weights, rest in bad:
        with pytest.raises(th.ParameterError, match="found"):
            th.ClassSeparator(weights, **rest)
    assert repr(th.ClassSeparator(np.eye(2), classes=["a", "b"])) == "ClassSeparator(<2 × 2 weights>, margin=1.0)"


def test_named_examples_and_tiny_ones() -> None:
    learner = th.MulticlassPerceptron(50)
    ledger = th.Ledger(th.ClassSeparator(np.zeros((2, 50)), classes=["a", "b"]))
    for x, y in [({"red": 1e-200, "round": 1e-200}, "a"), ({"blue"}, "b"), (sp.csr_array(np.eye(1, 50)), "a")]:
        ledger.enter(learner.learn(x, y))
    distance = by_theorem(ledger)["distance"]
    assert distance.verdict is Verdict.CERTIFIED
    assert distance.numbers["radius"] >= 1.0
