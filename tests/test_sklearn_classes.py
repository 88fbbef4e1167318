"""Classes that come as they like, weights of examples and of classes, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.sklearn_classifiers import CLASSIFIERS
from tests.test_sklearn import N, everything, rows
from thresher.adapters import sklearn as ours
from thresher.adapters.sklearn.weights import balanced

each_classifier = pytest.mark.parametrize("name", CLASSIFIERS)
each_weighted = pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "EliminationClassifier"])

SPELLINGS: dict[str, list[Any]] = {
    "str": ["ham", "spam", "eggs"],
    "object": [np.str_("ham"), "spam", "eggs"],
    "int": [7, -3, 2**40],
    "float": [2.0, -1.0, 0.5 + 1.5],
    "bool": [True, False],
}


# ---- labels ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("opened", [True, False])
def test_labels_of_any_kind_come_back_as_they_were_given(spelling: str, opened: bool) -> None:
    labels = list(dict.fromkeys(SPELLINGS[spelling]))
    X, codes = rows(150, len(labels))
    dtype = object if spelling == "object" else None
    y = np.array(labels, dtype)[codes]
    classifier = ours.AROWClassifier()
    if opened:
        for k in range(0, 150, 50):
            classifier.partial_fit(X[k : k + 50], y[k : k + 50])
    else:
        classifier.fit(X, y)
    assert classifier.classes_.tolist() == sorted(labels)
    assert classifier.classes_.dtype == np.unique(y).dtype
    assert np.mean(classifier.predict(X) == y) > 0.8


@each_classifier
def test_the_order_of_the_classes_is_that_of_their_columns(name: str) -> None:
    X, y = rows(300, 3)
    spelled = np.array(["c", "a", "b"])[y]
    classifier = CLASSIFIERS[name]().partial_fit(X[:10], spelled[:10]).partial_fit(X[10:], spelled[10:])
    assert classifier.classes_.tolist() == ["a", "b", "c"]
    decisions = classifier.decision_function(X)
    best = decisions.max(axis=1)
    said = np.searchsorted(classifier.classes_, classifier.predict(X))
    np.testing.assert_array_equal(decisions[np.arange(300), said], best)


@each_classifier
def test_classes_may_come_at_any_time(name: str) -> None:
    X, y = rows(200, 4)
    in_batches, at_once = CLASSIFIERS[name](), CLASSIFIERS[name]().partial_fit(X, y)
    seen: set[int] = set()
    for k in range(0, 200, 3):
        in_batches.partial_fit(X[k : k + 3], y[k : k + 3])
        seen |= set(y[k : k + 3].tolist())
        assert in_batches.classes_.tolist() == sorted(seen)
    assert everything(in_batches) == everything(at_once)
    assert in_batches.mistakes_ == at_once.mistakes_


@each_classifier
def test_two_classes_that_came_unnamed_are_decided_by_the_difference(name: str) -> None:
    X, y = rows(200)
    first_comes_second = CLASSIFIERS[name]().partial_fit(X, 1 - y if y[0] == 0 else y)
    first_comes_first = CLASSIFIERS[name]().partial_fit(X, y if y[0] == 0 else 1 - y)
    for classifier in (first_comes_first, first_comes_second):
        decisions = classifier.decision_function(X)
        assert decisions.shape == (200,)
        np.testing.assert_array_equal(classifier.predict(X), (decisions > 0.0).astype(int))
        if hasattr(classifier, "coef_") and name != "MarginPerceptronClassifier":
            assert classifier.coef_.shape == (1, N)
            np.testing.assert_allclose(decisions, X @ classifier.coef_[0] + classifier.intercept_, atol=1e-9)


def test_one_class_so_far_is_what_is_predicted() -> None:
    X, _ = rows(20)
    classifier = ours.PerceptronClassifier().partial_fit(X, ["only"] * 20)
    assert set(classifier.predict(X)) == {"only"}
    assert classifier.decision_function(X).shape == (20, 1)
    with pytest.raises(ValueError, match="one class"):
        ours.PerceptronClassifier().fit(X, ["only"] * 20)


def test_thousands_of_classes_and_one_that_never_comes_again() -> None:
    X = np.eye(8)[np.arange(3000) % 8]
    classifier = ours.MulticlassPerceptronClassifier().partial_fit(X, np.arange(3000))
    classifier.partial_fit(X[:8], np.arange(8))
    assert len(classifier.classes_) == 3000
    assert classifier.mistakes_ >= 3000
    assert classifier.decision_function(X[:2]).shape == (2, 3000)


@pytest.mark.parametrize(
    ("first", "then"), [(["a", "b"], [1, 2]), ([1, 2], ["a", "b"]), ([True, False], [0, 1]), ([0, 1], [True, False])]
)
@pytest.mark.parametrize("classes", [True, False])
def test_a_type_of_labels_that_changes_is_refused(first: list[Any], then: list[Any], classes: bool) -> None:
    X, _ = rows(2)
    classifier = ours.PerceptronClassifier().partial_fit(X, first, classes=first if classes else None)
    before = everything(classifier)
    with pytest.raises(ValueError, match="like the classes before"):
        classifier.partial_fit(X, then)
    assert everything(classifier) == before


@pytest.mark.parametrize(
    ("classes", "told"),
    [([0], "two or more"), ([], "two or more"), ([[0, 1]], "two or more"), ([0, 2], r"found the labels 1 in y")],
)
def test_classes_that_cannot_be(classes: object, told: str) -> None:
    X, y = rows(20)
    with pytest.raises(ValueError, match=told):
        CLASSIFIERS["PerceptronClassifier"]().partial_fit(X, y, classes=classes)


def test_classes_must_stay_the_same() -> None:
    X, y = rows(20)
    named = ours.PerceptronClassifier().partial_fit(X, y, classes=[1, 0])
    named.partial_fit(X, y, classes=[0, 1]).partial_fit(X, y)
    with pytest.raises(ValueError, match="not the same"):
        named.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="found the labels 7 in y"):
        named.partial_fit(X, np.where(y == 1, 7, 0))
    unnamed = ours.PerceptronClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="the first call had none"):
        unnamed.partial_fit(X, y, classes=[0, 1])


@pytest.mark.parametrize("y", [[0.5, 1.5, 2.25], [0.0, np.nan, 1.0], [None, "a", "b"], [[0, 1], [1, 0], [1, 1]], None, 3])
def test_labels_that_are_none(y: object) -> None:
    for learn in ("fit", "partial_fit"):
        with pytest.raises((ValueError, TypeError)):
            getattr(ours.PerceptronClassifier(), learn)(rows(3)[0], y)


# ---- what is refused ------------------------------------------------------------------------------------------------------


@each_classifier
@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_row_leaves_all_as_after_the_row_before(name: str, opened: bool, bad: float) -> None:
    X, y = rows(40, 3 if opened else 2)
    y[30] = 9 if opened else 1
    X[25, 2] = bad
    classes = None if opened else [0, 1]
    classifier, good = CLASSIFIERS[name](), CLASSIFIERS[name]().partial_fit(X[:25], y[:25], classes=classes)
    with pytest.raises(th.ExampleError, match="NaN" if np.isnan(bad) else "inf") as caught:
        classifier.partial_fit(X, y, classes=classes)
    assert caught.value.row == 25
    assert everything(classifier) == everything(good)
    X[25, 2] = 0.0
    for each in (classifier, good):
        each.partial_fit(X[25:], y[25:])
    assert everything(classifier) == everything(good)
    assert classifier.mistakes_ == good.mistakes_


@each_weighted
def test_what_is_refused_before_it_is_learned_changes_nothing(name: str) -> None:
    X, y = rows(40, 3)
    classifier = CLASSIFIERS[name]().partial_fit(X, y)
    before = everything(classifier)
    classifier.set_params(class_weight={0: -1.0})
    with pytest.raises(th.ParameterError, match="class_weight"):
        classifier.partial_fit(X, y + 7)
    classifier.set_params(class_weight=None)
    for sample_weight in (np.full(40, -1.0), np.ones(39)):
        with pytest.raises(ValueError, match="sample_weight"):
            classifier.partial_fit(X, y + 7, sample_weight=sample_weight)
    with pytest.raises(ValueError, match="6 features"):
        classifier.partial_fit(X[:, :3], y + 7)
    assert everything(classifier) == before
    assert classifier.decision_function(X).shape == (40, 3)
    classifier.partial_fit(X, y + 7)
    assert len(classifier.classes_) == 6


def test_where_the_first_row_is_bad_nothing_is_fitted() -> None:
    classifier = ours.PerceptronClassifier()
    with pytest.raises(ValueError, match="NaN"):
        classifier.partial_fit([[np.nan, 1.0]], [0], classes=[0, 1])
    assert not hasattr(classifier, "classes_")
    classifier.partial_fit([[1.0, 2.0, 3.0]], ["a"])
    assert classifier.n_features_in_ == 3


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("WinnowClassifier", 2.0, "ScaledWinnowClassifier takes any"),
        ("WinnowClassifier", -1.0, "Negative values in data"),
        ("LiteralWinnowClassifier", 1.5, "scale the values"),
        ("BalancedWinnowClassifier", -1.5, "MaxAbsScaler"),
        ("EliminationClassifier", 0.5, "Binarizer"),
    ],
)
def test_values_that_a_learner_does_not_take_are_refused_with_a_way_out(name: str, value: float, told: str) -> None:
    X, y = rows(20)
    classifier = CLASSIFIERS[name]().fit(X, y)
    X[3, 3] = value
    with pytest.raises(ValueError, match=told):
        classifier.predict(X)
    with pytest.raises(ValueError, match=told):
        classifier.fit(X, y)


# ---- weights --------------------------------------------------------------------------------------------------------------


@each_weighted
def test_weights_are_the_learners(name: str) -> None:
    X, y = rows(100)
    weights = np.random.default_rng(1).integers(0, 4, 100) / 2
    weighted, alike = CLASSIFIERS[name]().fit(X, y, sample_weight=weights), CLASSIFIERS[name]()
    for k in range(0, 100, 30):
        alike.partial_fit(X[k : k + 30], y[k : k + 30], classes=[0, 1], sample_weight=weights[k : k + 30].tolist())
    assert everything(alike) == everything(weighted)
    by_class = CLASSIFIERS[name](class_weight={0: 0.5, 1: 2.0}).fit(X, y)
    assert everything(by_class) == everything(CLASSIFIERS[name]().fit(X, y, sample_weight=np.where(y == 1, 2.0, 0.5)))
    assert everything(CLASSIFIERS[name]().fit(X, y, sample_weight=1.0)) == everything(CLASSIFIERS[name]().fit(X, y))
    both = CLASSIFIERS[name](class_weight={1: 2.0}).fit(X, y, sample_weight=weights)
    assert everything(both) == everything(CLASSIFIERS[name]().fit(X, y, sample_weight=weights * np.where(y == 1, 2.0, 1.0)))


@pytest.mark.parametrize(
    "weights", [[-1.0] * 20, [np.nan] * 20, [np.inf] * 20, [1.0] * 19, [[1.0]] * 20, -1.0, "many", [0.0] * 20], ids=str
)
def test_weights_that_cannot_be(weights: object) -> None:
    with pytest.raises(ValueError, match=r"sample_weight|sample weight|convert"):
        CLASSIFIERS["PerceptronClassifier"]().fit(*rows(20), sample_weight=weights)


def test_a_batch_of_weight_zero_is_played_and_moves_nothing() -> None:
    X, y = rows(20)
    classifier = ours.PerceptronClassifier().partial_fit(X, y, classes=[0, 1], sample_weight=np.zeros(20))
    assert (classifier.learner_.rounds, classifier.learner_.updates) == (20, 0)
    assert not classifier.coef_.any()


@pytest.mark.parametrize("weight", [{0: -1.0}, {0: np.nan}, {0: np.inf}, {5: 1.0}, "Balanced", 3, [1.0, 2.0]], ids=str)
def test_class_weights_that_cannot_be(weight: object) -> None:
    with pytest.raises(th.ParameterError, match="class_weight"):
        CLASSIFIERS["PerceptronClassifier"](class_weight=weight).fit(*rows(20))


def test_a_class_that_has_a_weight_may_still_come() -> None:
    X, y = rows(20, 3)
    classifier = ours.PerceptronClassifier(class_weight={0: 2.0, 7: 3.0}).partial_fit(X, y)
    classifier.partial_fit(X, np.full(20, 7))
    assert 7 in classifier.classes_


def test_elimination_knows_no_weights() -> None:
    with pytest.raises(TypeError, match="sample_weight"):
        CLASSIFIERS["EliminationClassifier"]().fit(*rows(20), sample_weight=np.ones(20))
    assert "class_weight" not in ours.EliminationClassifier().get_params()


# ---- balance --------------------------------------------------------------------------------------------------------------


def plainly_balanced(codes: list[int]) -> list[Fraction]:
    counts: dict[int, int] = {}
    weights = []
    for t, code in enumerate(codes, 1):
        counts[code] = counts.get(code, 0) + 1
        weights.append(Fraction(t, len(counts) * counts[code]))
    return weights


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(0, 60))
def test_balance_is_that_of_the_running_counts(codes: list[int], cut: int) -> None:
    array = np.array(codes, np.int32)
    expected = [float(weight) for weight in plainly_balanced(codes)]
    counts = np.bincount(array[:cut], minlength=6).astype(np.int64)
    parts = [balanced(array[:cut], np.zeros(6, np.int64)), balanced(array[cut:], counts)]
    assert np.concatenate(parts).tolist() == expected


@each_weighted
@pytest.mark.parametrize("opened", [True, False])
def test_balanced_classifiers_learn_with_those_weights_in_any_batches(name: str, opened: bool) -> None:
    X, y = rows(120, 3)
    y[:15] = 1
    weights = [float(weight) for weight in plainly_balanced(y.tolist())]
    classes = None if opened else [0, 1, 2]
    balanced_one = CLASSIFIERS[name](class_weight="balanced")
    for k in range(0, 120, 35):
        balanced_one.partial_fit(X[k : k + 35], y[k : k + 35], classes=classes)
    told = CLASSIFIERS[name]().partial_fit(X, y, classes=classes, sample_weight=weights)
    assert everything(balanced_one) == everything(told)


def test_balance_goes_on_after_a_row_that_was_refused() -> None:
    X, y = rows(60)
    weights = [float(weight) for weight in plainly_balanced(y.tolist())]
    bad = X.copy()
    bad[20, 0] = np.nan
    classifier = ours.PerceptronClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="NaN"):
        classifier.partial_fit(bad, y, classes=[0, 1])
    classifier.partial_fit(X[20:], y[20:])
    assert everything(classifier) == everything(ours.PerceptronClassifier().fit(X, y, sample_weight=weights))
