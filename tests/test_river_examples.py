"""What river's features and labels become."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.adapters.river import OneExampleClassifier

N = 2**10

# ---- labels ---------------------------------------------------------------------------------------------------------


def taught_with(labels: list[Any], classes: Any = None) -> OneExampleClassifier:
    """A learner that was told of one attribute a label, and so predicts it there."""
    model = OneExampleClassifier(th.PassiveAggressive(N), classes)
    for label in labels:
        model.learn_one({f"is {label}": 1.0}, label)
    return model


@pytest.mark.parametrize(
    ("minus", "plus"), [(False, True), (0, 1), (-1, 1), ("ham", "spam"), (3, 7), (7, 3), (2, 1), (np.False_, np.True_)]
)
@pytest.mark.parametrize("first", [0, 1])
def test_any_two_labels_are_given_back_as_they_were_told(minus: Any, plus: Any, first: int) -> None:
    both = [minus, plus]
    model = taught_with([both[first], both[1 - first]])
    assert [model.predict_one({f"is {label}": 1.0}) for label in both] == both


def test_labels_that_have_a_sign_keep_it_and_others_are_minus_first() -> None:
    def sides(*labels: Any) -> list[int]:
        model = taught_with(list(labels))
        return [model.taught.predict({f"is {label}": 1.0}).label for label in labels]

    assert sides(True, False) == sides(1, 0) == sides(1, -1) == sides(1, 5) == [+1, -1]
    assert sides(False, True) == sides(-1, 1) == sides("b", "a") == sides("a", "b") == sides(7, 1) == [-1, +1]
    assert sides(5, 0) == [-1, +1]


def test_classes_say_which_label_is_plus() -> None:
    model = taught_with(["spam", "ham"], classes=("ham", "spam"))
    assert model.taught.predict({"is spam": 1.0}).label == +1
    assert model.predict_one({"is ham": 1.0}) == "ham"
    assert OneExampleClassifier(th.Perceptron(N), ("ham", "spam")).predict_one({}) == "spam"


@pytest.mark.parametrize("classes", [(), ("ham",), ("a", "b", "c"), ("a", "a"), ("a", 1), (1.5, 2.5)])
def test_classes_that_are_not_two_labels_are_refused(classes: Any) -> None:
    with pytest.raises((th.ParameterError, th.LabelError), match="found"):
        OneExampleClassifier(th.Perceptron(N), classes)


def test_what_has_not_appeared_is_not_predicted() -> None:
    model = OneExampleClassifier(th.AdaGrad(N))
    assert model.predict_one({"a": 1.0}) is True
    assert model.predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    model.learn_one({"a": 1.0}, "spam")
    assert model.predict_one({"b": 1.0}) == "spam"
    assert model.predict_proba_one({"a": 1.0}) == {"spam": 1.0}
    model.learn_one({"b": 1.0}, "ham")
    assert set(model.predict_proba_one({"a": 1.0})) == {"spam", "ham"}


@pytest.mark.parametrize(
    ("before", "label", "found"),
    [
        (["ham", "spam"], "news", "found label 'news', expected 'ham' or 'spam'; more than two classes need"),
        ([True, False], 2, "found label 2, expected a label of type bool"),
        ([True], "yes", "found label 'yes', expected a label of type bool"),
        (["yes"], True, "found label True, expected a label of type str"),
        ([0], -1, "found label -1, expected 0"),
        ([], None, "found label None, expected a str, an int or a bool"),
        ([], 1.5, "found label 1.5"),
        (["a"], ["a"], "found label ['a']"),
        ([], math.nan, "found label nan"),
    ],
)
def test_a_label_that_does_not_fit_is_refused_and_nothing_changes(before: list[Any], label: Any, found: str) -> None:
    model = taught_with(before)
    stood = pickle.dumps(model)
    with pytest.raises(th.LabelError) as refused:
        model.learn_one({"a": 1.0}, label)
    assert str(refused.value).startswith(found)
    assert pickle.dumps(model) == stood


def test_a_label_whose_example_is_refused_has_not_appeared() -> None:
    model = OneExampleClassifier(th.Perceptron(N))
    with pytest.raises(th.ExampleError, match="found nan"):
        model.learn_one({"a": math.nan}, "spam")
    model.learn_one({"a": 1.0}, "ham")
    model.learn_one({"b": 1.0}, "eggs")
    assert model.predict_one({"a": 1.0}) == "ham"


# ---- features -------------------------------------------------------------------------------------------------------


def weights_after(*examples: Mapping[Any, Any]) -> dict[int, float]:
    model = OneExampleClassifier(th.Perceptron(N, tie="mistake"))
    for x in examples:
        model.learn_one(dict(x), True)
    return {int(slot): float(model.taught.weights[slot]) for slot in np.flatnonzero(model.taught.weights)}


def test_a_name_is_hashed_and_an_index_is_its_own_slot() -> None:
    assert weights_after({3: 2.0}) == weights_after({np.int64(3): 2}) == {3: 2.0}
    alone = th.Perceptron(N, tie="mistake")
    alone.learn({"three": 2.0}, 1)
    assert weights_after({"three": 2.0}) == {int(np.flatnonzero(alone.weights)[0]): 2.0}


@pytest.mark.parametrize("key", [("free", "money"), ("n", 1, None), 1.5, True, None, b"raw"])
def test_another_key_is_the_name_that_python_writes(key: Any) -> None:
    assert weights_after({key: 2.0, "other": 1.0}) == weights_after({repr(key): 2.0, "other": 1.0})


def test_a_missing_value_is_left_out_when_learning_and_when_predicting() -> None:
    assert weights_after({"a": None, "b": 1.0}) == weights_after({"b": 1.0})
    assert weights_after({"a": None}) == weights_after({}) == {}
    model = OneExampleClassifier(th.AdaGrad(N))
    model.learn_one({"a": 1.0}, True)
    assert model.predict_one({"a": None}) == model.predict_one({})
    assert model.predict_proba_one({"a": None}) == model.predict_proba_one({})


@pytest.mark.parametrize(
    ("x", "found"),
    [
        ({"a": math.nan}, "found nan"),
        ({"a": math.inf}, "found inf"),
        ({"a": "red"}, "found 'red', expected a number"),
        ({"a": [1.0]}, "expected a number"),
        ({N: 1.0}, f"found index {N}"),
        ({-1: 1.0}, "found index -1"),
        ({frozenset({1}): 1.0}, "found the key frozenset"),
        ({("a", frozenset({1})): 1.0}, "found the key"),
        ({("a",): 1.0, "('a',)": 1.0}, "another key that Python writes like it"),
        (None, "found a NoneType"),
        ("text", "found a str"),
    ],
)
def test_features_that_cannot_be_read_are_refused_and_nothing_changes(x: Any, found: str) -> None:
    model = OneExampleClassifier(th.AdaGrad(N))
    model.learn_one({"a": 1.0}, True)
    stood = pickle.dumps(model)
    for call in (lambda: model.learn_one(x, False), lambda: model.predict_one(x), lambda: model.predict_proba_one(x)):
        with pytest.raises(th.ExampleError, match=found.replace("[", r"\[")):
            call()
    assert pickle.dumps(model) == stood


def test_examples_are_never_changed_and_counters_are_examples() -> None:
    x: Any = Counter({"a": 2, ("a", "b"): 1})
    x["missing"] = None
    before = copy.copy(x)
    model = OneExampleClassifier(th.Perceptron(N))
    model.learn_one(x, False)
    model.predict_one(x)
    assert x == before
    assert type(x) is Counter
