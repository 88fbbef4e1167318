"""Learners as river's classifiers: river's own checks, its pipelines and evaluation."""

from __future__ import annotations

import copy
import math
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from river import base

import thresher as th
from thresher.adapters.river import OneExampleClassifier
from thresher.class_rounds import ClassLearner
from thresher.data.names import slot_of
from thresher.protocol import Learner

# Parts of river without types.
evaluate, metrics, linear_model = (import_module(f"river.{name}") for name in ("evaluate", "metrics", "linear_model"))
feature_extraction, preprocessing = (import_module(f"river.{name}") for name in ("feature_extraction", "preprocessing"))
datasets = import_module("river.datasets")

N = 2**10

#: Learners of two labels that take what river's sets hold.
TWO: dict[str, Callable[[], Learner[Any]]] = {
    "Perceptron": lambda: th.Perceptron(N, bias=1.0),
    "Perceptron, ties": lambda: th.Perceptron(N, tie="mistake"),
    "AveragedPerceptron": lambda: th.AveragedPerceptron(N),
    "MarginPerceptron": lambda: th.MarginPerceptron(N, 0.1, bias=1.0),
    "PNormPerceptron": lambda: th.PNormPerceptron(N),
    "PassiveAggressive": lambda: th.PassiveAggressive(N),
    "AROW": lambda: th.AROW(N, bias=1.0),
    "AdaGrad": lambda: th.AdaGrad(N, bias=1.0),
    "AdaGrad, hinge": lambda: th.AdaGrad(N, loss="hinge"),
    "Invariant": lambda: th.Invariant(N),
    "Winnow": lambda: th.Winnow(N),
    "LiteralWinnow": lambda: th.LiteralWinnow(N),
    "ScaledWinnow": lambda: th.ScaledWinnow(N),
    "BalancedWinnow": lambda: th.BalancedWinnow(N),
    "Constant": lambda: th.Constant(N),
    "Conservative": lambda: th.Conservative(th.AROW(N)),
    "Portfolio": lambda: th.Portfolio(N, [th.Perceptron(N), th.AROW(N), th.Winnow(N)]),
}


#: Learners of many classes.
MANY: dict[str, Callable[[], ClassLearner[Any]]] = {
    "MulticlassPerceptron": lambda: th.MulticlassPerceptron(N, bias=1.0),
    "OneVersusRest of Perceptrons": lambda: th.OneVersusRest(th.Perceptron(N, bias=1.0)),
    "OneVersusRest with chances": lambda: th.OneVersusRest(th.AdaGrad(N, bias=1.0)),
    "OneVersusRest of portfolios": lambda: th.OneVersusRest(th.Portfolio(N, [th.Perceptron(N), th.AROW(N)])),
}

#: Those that the adapter treats differently: without a label, with chances, some values alone, learners around learners.
#: River's checks take seconds each, and of what a learner does they see nothing that our own tests do not.
DIFFERENT = ("Perceptron, ties", "AdaGrad", "Winnow", "Conservative", "Portfolio")
DIFFERENT_OF_MANY = ("MulticlassPerceptron", "OneVersusRest with chances")


def check_same(one: Any, other: Any) -> None:
    """Both learners are the same to the last bit."""
    (told, arrays), (others_told, others_arrays) = one.state(), other.state()
    assert told == others_told
    assert {name: array.tobytes() for name, array in arrays.items()} == {
        name: array.tobytes() for name, array in others_arrays.items()
    }


def check_river(model: OneExampleClassifier) -> None:
    """All that river asks of an estimator. Its checks shuffle and choose without a seed of their own."""
    random.seed(0)
    for check in import_module("river.checks").yield_checks(model):
        check(model.clone())


@pytest.mark.parametrize("name", DIFFERENT)
def test_river_has_nothing_against(name: str) -> None:
    model = OneExampleClassifier(TWO[name]())
    assert not model._unit_test_skips()
    check_river(model)


@pytest.mark.parametrize("name", DIFFERENT_OF_MANY)
def test_river_has_nothing_against_many_classes(name: str) -> None:
    model = OneExampleClassifier(MANY[name]())
    assert model._multiclass
    assert not model._unit_test_skips()
    check_river(model)


def test_the_parameters_that_river_tests_a_class_with_pass() -> None:
    for parameters in OneExampleClassifier._unit_test_params():
        check_river(OneExampleClassifier(**parameters))


def phishing() -> Iterator[tuple[dict[Any, Any], bool]]:
    yield from datasets.Phishing()


@pytest.mark.parametrize("name", [name for name in TWO if name != "Conservative"])  # which has no state to compare
def test_rounds_are_those_of_the_learner(name: str) -> None:
    model, alone = OneExampleClassifier(TWO[name]()), TWO[name]()
    said = []
    for x, y in phishing():
        said.append(model.predict_one(x))
        model.learn_one(x, y)
        assert said[-1] is {+1: True, -1: False, 0: None}[alone.learn(x, 1 if y else -1).prediction.label]
    check_same(model.taught, alone)


def test_a_perceptron_has_the_weights_of_rivers() -> None:
    model, theirs = OneExampleClassifier(th.Perceptron(N, bias=1.0, tie="mistake")), linear_model.Perceptron()
    for x, y in phishing():
        model.learn_one(x, y)
        theirs.learn_one(x, y)
    weights = {name: model.taught.weights[slot_of(name, N)] for name in theirs.weights}
    assert weights == pytest.approx(theirs.weights)
    assert model.taught.bias_weight == theirs.intercept != 0.0


def test_progressive_validation_counts_the_mistakes_that_the_learner_counts() -> None:
    model = OneExampleClassifier(th.AROW(N))
    metric = evaluate.progressive_val_score(phishing(), model, metrics.Accuracy())
    assert metric.get() == 1.0 - model.taught.mistakes / model.taught.rounds
    assert model.taught.rounds == 1250


def test_it_stands_at_the_end_of_a_pipeline() -> None:
    model = preprocessing.StandardScaler() | OneExampleClassifier(th.AdaGrad(N, bias=1.0))
    assert isinstance(model, base.Classifier)
    score = evaluate.progressive_val_score(phishing(), model, metrics.ROCAUC())
    assert score.get() > 0.9


def test_words_go_through_a_pipeline() -> None:
    model = feature_extraction.BagOfWords(ngram_range=(1, 2)) | OneExampleClassifier(th.Perceptron(N))
    mails = [("free money now", "spam"), ("lunch at noon", "ham"), ("free lunch", "ham"), ("money money money", "spam")]
    for _ in range(5):
        for text, label in mails:
            model.learn_one(text, label)
    assert [model.predict_one(text) for text, _ in mails] == [label for _, label in mails]


@pytest.mark.parametrize("name", MANY)
def test_rounds_of_many_classes_are_those_of_the_learner(name: str) -> None:
    model, alone = OneExampleClassifier(MANY[name]()), MANY[name]()
    for x, y in datasets.ImageSegments().take(200):
        assert model.predict_one(x) == alone.predict(x).label
        model.learn_one(x, y, w=0.5)
        alone.learn(x, y, 0.5)
    check_same(model.taught, alone)


def test_a_learner_of_many_classes_stands_in_a_pipeline() -> None:
    model = preprocessing.StandardScaler() | OneExampleClassifier(th.OneVersusRest(th.AROW(N, bias=1.0)))
    score = evaluate.progressive_val_score(datasets.ImageSegments().take(1000), model, metrics.Accuracy())
    assert score.get() > 0.8


def test_a_learner_of_many_classes_says_none_before_any_and_keeps_its_labels() -> None:
    model = OneExampleClassifier(th.OneVersusRest(th.AdaGrad(N)))
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    for label in (3, 1, 2):
        model.learn_one({f"is {label}": 1.0, None: None}, label)
    assert [model.predict_one({f"is {label}": 1.0}) for label in (1, 2, 3)] == [1, 2, 3]
    assert list(model.predict_proba_one({"a": 1.0})) == [3, 1, 2]
    labels: list[Any] = ["three", True, None, 1.5, [3], {3}]
    for label in labels:
        stood = pickle.dumps(model)
        with pytest.raises(th.LabelError, match="found label"):
            model.learn_one({"a": 1.0}, label)
        assert pickle.dumps(model) == stood


def test_a_learner_of_many_classes_has_its_own_classes() -> None:
    with pytest.raises(th.ParameterError, match="which has its own"):
        OneExampleClassifier(th.OneVersusRest(th.Perceptron(N)), ("ham", "spam"))


# ---- probabilities --------------------------------------------------------------------------------------------------


def test_probabilities_are_those_of_the_learner() -> None:
    for learner in (th.AdaGrad(N), th.Portfolio(N, [th.Perceptron(N), th.AROW(N)])):
        model = OneExampleClassifier(learner)
        for x, y in list(phishing())[:50]:
            model.learn_one(x, y)
        x, _ = next(phishing())
        taught = model.taught
        plus = taught.calibrated(x) if isinstance(taught, th.Portfolio) else taught.predict(x).p_positive
        assert model.predict_proba_one(x) == {False: 1.0 - plus, True: plus}
        assert 0.0 < plus < 1.0


def test_who_has_no_probabilities_says_so() -> None:
    without: list[Any] = [
        th.Perceptron(N),
        th.AdaGrad(N, loss="hinge"),
        th.OneVersusRest(th.Perceptron(N)),
        th.MulticlassPerceptron(N),
    ]
    for learner in without:
        with pytest.raises(NotImplementedError, match=r"has no probabilities; th\.AdaGrad"):  # as river's own say it
            OneExampleClassifier(learner).predict_proba_one({"a": 1.0})


# ---- weights, copies --------------------------------------------------------------------------------------------------


def test_a_weight_is_the_learners() -> None:
    model, alone = OneExampleClassifier(th.AROW(N)), th.AROW(N)
    for x, y in list(phishing())[:40]:
        model.learn_one(x, y, w=2.5)
        alone.learn(x, 1 if y else -1, 2.5)
    check_same(model.taught, alone)
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(th.ExampleError):
            model.learn_one({"a": 1.0}, True, w=bad)


def test_weights_of_a_stream_reach_the_learner_through_rivers_evaluation() -> None:
    model = OneExampleClassifier(th.Perceptron(N, tie="mistake"))
    evaluate.progressive_val_score([({0: 1.0}, True, {"w": 3.0})], model, metrics.Accuracy())
    assert model.taught.weights[0] == 3.0


def test_the_learner_that_was_given_never_changes_and_a_clone_begins_with_it() -> None:
    learner = th.Perceptron(N)
    learner.learn({"a": 1.0}, -1)
    model = OneExampleClassifier(learner)
    for x, y in list(phishing())[:40]:
        model.learn_one(x, y)
    assert (learner.rounds, model.taught.rounds) == (1, 41)
    check_same(model.clone().taught, learner)


def test_a_learner_that_was_told_0_for_minus_goes_on() -> None:
    for minus in (0, -1, False):
        for label in ("ham", False, 0, -1):
            learner = th.Perceptron(N)
            learner.learn({"a": 1.0}, minus)
            model = OneExampleClassifier(learner, classes=("ham", "spam") if label == "ham" else None)
            model.learn_one({"b": 1.0}, label)
            assert model.taught.mistakes == 2


def test_a_learner_from_elsewhere_must_be_told_what_its_labels_are_called(tmp_path: Path) -> None:
    model = OneExampleClassifier(th.Perceptron(N))
    model.learn_one({"money": 1.0}, "spam")
    model.learn_one({"lunch": 1.0}, "ham")
    th.save(model.taught, tmp_path / "model")
    loaded: Any = th.load(tmp_path / "model")
    for nameless in (OneExampleClassifier(loaded), copy.deepcopy(OneExampleClassifier(loaded))):
        with pytest.raises(th.LabelError, match=r"learned before.*expected classes = \(minus, plus\)"):
            nameless.learn_one({"lunch": 1.0}, "ham")
        assert nameless.taught.rounds == 2
    told = OneExampleClassifier(loaded, classes=("spam", "ham"))
    told.learn_one({"noon": 1.0}, "ham")
    assert (told.predict_one({"money": 1.0}), told.predict_one({"lunch": 1.0})) == ("spam", "ham")


@pytest.mark.parametrize("again", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))], ids=["copy", "pickle"])
def test_a_copy_and_a_pickle_go_on_where_it_stood(again: Callable[[OneExampleClassifier], OneExampleClassifier]) -> None:
    model = OneExampleClassifier(th.AROW(N))
    stream = [(x, "yes" if y else "no") for x, y in phishing()]
    for x, y in stream[:100]:
        model.learn_one(x, y)
    other = again(model)
    for x, y in stream[100:200]:
        assert other.predict_one(x) == model.predict_one(x)
        model.learn_one(x, y)
        other.learn_one(x, y)
    check_same(other.taught, model.taught)


def test_a_refusal_is_said_once() -> None:
    for call in ("learn_one", "predict_one"):
        model = OneExampleClassifier(th.Perceptron(N))
        model.learn_one({"a": 1.0}, True)
        with pytest.raises(th.ExampleError) as refused:
            getattr(model, call)({"a": math.nan}, *[True] * (call == "learn_one"))
        assert refused.value.__context__ is None


def test_thresher_imports_no_library_that_it_adapts_to() -> None:
    heavy = "{'river', 'onnx', 'onnxruntime', 'sklearn'} & set(sys.modules)"
    names = "import sys, thresher as th; [getattr(th, name) for name in th.__all__]; import thresher.adapters"
    said = subprocess.run([sys.executable, "-c", f"{names}; print({heavy})"], check=True, capture_output=True, text=True)
    assert said.stdout == "set()\n"


def test_what_is_no_learner_is_refused() -> None:
    none: list[Any] = [None, 3, "perceptron", th.Perceptron]
    for learner in none:
        with pytest.raises(th.ParameterError, match="expected one with predict and learn"):
            OneExampleClassifier(learner)
