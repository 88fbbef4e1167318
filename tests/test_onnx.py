"""Learners exported to ONNX predict in onnxruntime what they predict here, but for rounding at the threshold."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from thresher.adapters.onnx import to_onnx
from thresher.linear import LinearLearner

N, ROWS = 24, 400

EXPORTED: dict[str, Callable[[], LinearLearner]] = {
    "Perceptron": lambda: th.Perceptron(N),
    "Perceptron, bias, minus": lambda: th.Perceptron(N, bias=-0.7, tie="minus"),
    "Perceptron, mistake": lambda: th.Perceptron(N, tie="mistake"),
    "AveragedPerceptron": lambda: th.AveragedPerceptron(N, bias=1.0),
    "PNormPerceptron": lambda: th.PNormPerceptron(N, bias=1.0),
    "PassiveAggressive": lambda: th.PassiveAggressive(N, bias=1.0),
    "AROW": lambda: th.AROW(N, bias=2.0),
    "AdaGrad": lambda: th.AdaGrad(N, bias=1.0),
    "AdaGrad, hinge": lambda: th.AdaGrad(N, loss="hinge"),
    "BalancedWinnow": lambda: th.BalancedWinnow(N, bias=0.5),
    "Winnow": lambda: th.Winnow(N),
    "Winnow, strict": lambda: th.Winnow(N, threshold=4, factor=1.5, strict=True),
    "LiteralWinnow": lambda: th.LiteralWinnow(N),
    "Elimination": lambda: th.Elimination(N),
    "Elimination, monotone": lambda: th.Elimination(N, monotone=True),
    "Constant": lambda: th.Constant(N, -1),
}
BINARY = ("Winnow, strict", "Elimination", "Elimination, monotone", "LiteralWinnow")


def rows(name: str, seed: int = 0) -> NDArray[np.float32]:
    """On and off where the rule asks for it, else values from 0 to 1; all of them float32 already."""
    values = np.random.default_rng(seed).random((ROWS, N), dtype=np.float32)
    return (values < 0.2).astype(np.float32) if name in BINARY else values


def labels(X: NDArray[np.float32]) -> NDArray[np.int64]:
    return np.where(X[:, 0] + X[:, 1] - X[:, 2] > 0.5, 1, -1)


def taught(name: str) -> LinearLearner:
    learner, X = EXPORTED[name](), rows(name)
    learner.learn_many(X, labels(X))
    return learner


def run(model: Any, X: NDArray[Any]) -> dict[str, NDArray[Any]]:
    runtime: Any = import_module("onnxruntime")
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"x": X}), strict=True))


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", EXPORTED)
def test_onnxruntime_says_what_the_learner_says(name: str, precision: str) -> None:
    learner, X = taught(name), rows(name, seed=1)
    made = run(to_onnx(learner, precision=precision), X.astype(precision))
    scores = learner.score_many(X)
    unit = float(np.finfo(precision).eps)
    slack = 2.0 * N * unit * (np.abs(X) @ np.abs(learner.weights) + np.abs(scores) + abs(learner.bias_weight) + N)
    assert made["label"].dtype == np.int64
    assert made["score"].dtype == precision
    assert (np.abs(made["score"] - scores) <= slack).all()
    threshold = learner._arguments().get("threshold", 0.5 if isinstance(learner, th.Elimination) else 0.0)
    clear = (np.abs(scores - threshold) > slack) | (scores == made["score"])
    assert clear.mean() > 0.9
    assert (made["label"][clear] == learner.predict_many(X)[clear]).all()


@pytest.mark.parametrize("name", EXPORTED)
def test_a_score_at_the_threshold_predicts_what_the_learner_predicts(name: str) -> None:
    learner = EXPORTED[name]()
    X = np.zeros((1, N), np.float32)
    assert run(to_onnx(learner), X)["label"].tolist() == learner.predict_many(X).tolist()
    on = np.zeros((1, N), np.float32)
    on[0, :4] = 1.0  # the threshold of one Winnow before it learns
    assert run(to_onnx(learner), on)["label"].tolist() == learner.predict_many(on).tolist()


def test_labels_are_called_what_the_caller_calls_them() -> None:
    learner, X = taught("AROW"), rows("AROW")
    said = learner.predict_many(X) > 0
    assert run(to_onnx(learner, classes=("ham", "spam")), X)["label"].tolist() == np.where(said, "spam", "ham").tolist()
    assert run(to_onnx(learner, classes=(7, 3)), X)["label"].tolist() == np.where(said, 3, 7).tolist()
    assert set(said.tolist()) == {False, True}


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("labels_of", [("oak", "fir", "yew"), (7, -3, 0), (True, False)], ids=repr)
@pytest.mark.parametrize("name", ["Perceptron, bias, minus", "AROW", "AdaGrad", "Winnow", "BalancedWinnow", "multiclass"])
def test_many_classes_are_told_apart_there_as_here(name: str, labels_of: tuple[Any, ...], precision: str) -> None:
    multiclass = th.MulticlassPerceptron(N, bias=-0.7)
    learner, X = multiclass if name == "multiclass" else th.OneVersusRest(EXPORTED[name]()), rows(name)
    learner.learn_many(X, [labels_of[k % len(labels_of)] for k in np.argmax(X[:, :3], axis=1)])
    X = rows(name, seed=1)
    made, scores = run(to_onnx(learner, precision=precision), X.astype(precision)), learner.score_many(X)
    assert list(made) == ["label", "scores"]
    slack = 4.0 * N * float(np.finfo(precision).eps) * (np.abs(X) @ np.abs(learner.weights).T + np.abs(scores) + N)
    assert (np.abs(made["scores"] - scores) <= slack).all()
    first, second = np.sort(scores, axis=1)[:, -1], np.sort(scores, axis=1)[:, -2]
    clear = first - second > 2.0 * slack.max(axis=1)
    assert clear.mean() > 0.9
    assert (made["label"][clear] == learner.predict_many(X)[clear]).all()


def test_the_class_that_appeared_first_is_said_among_equals() -> None:
    classes = ["b", "a", "c"]
    for learner in (th.OneVersusRest(th.Perceptron(1), classes=classes), th.MulticlassPerceptron(1, classes=classes)):
        assert run(to_onnx(learner), np.ones((2, 1), np.float32))["label"].tolist() == ["b", "b"]


def test_learners_of_many_classes_that_cannot_be_exported_say_why() -> None:
    with pytest.raises(th.ParameterError, match="which has seen no class"):
        to_onnx(th.OneVersusRest(th.Perceptron(2)))
    with pytest.raises(th.ParameterError, match=r"whose score is not w·x \+ b"):
        to_onnx(th.OneVersusRest(th.Portfolio(2, [th.Perceptron(2)]), classes=["a"]))
    with pytest.raises(th.ParameterError, match=r"whose score is not w·x \+ b"):
        to_onnx(th.OneVersusRest(th.MarginPerceptron(2, 0.1), classes=["a"]))
    with pytest.raises(th.ParameterError, match="which has its own: leave them out"):
        to_onnx(th.OneVersusRest(th.Perceptron(2), classes=["a", "b"]), classes=("c", "d"))


def test_chances_come_where_scores_stand_for_them() -> None:
    learner, X = taught("AdaGrad"), rows("AdaGrad")
    made = run(to_onnx(learner), X)
    assert list(made) == ["label", "score", "p_positive"]
    assert made["p_positive"] == pytest.approx(learner.p_positive_many(X), abs=1e-5)
    assert "p_positive" not in run(to_onnx(taught("AdaGrad, hinge")), X)


def test_no_rows_and_one_row_are_rows() -> None:
    model = to_onnx(taught("Perceptron"))
    assert run(model, np.zeros((0, N), np.float32))["label"].shape == (0,)
    assert run(model, np.ones((1, N), np.float32))["label"].shape == (1,)


def test_the_model_says_where_it_comes_from() -> None:
    model = to_onnx(th.Perceptron(3))
    assert (model.producer_name, model.producer_version) == ("thresher", th.__version__)
    assert model.doc_string == repr(th.Perceptron(3))
    assert to_onnx(th.Perceptron(3)).SerializeToString() == model.SerializeToString()


NOT_LINEAR: dict[str, Callable[[], object]] = {
    "Perceptron": lambda: th.Perceptron(N, normalize=True),
    "AveragedPerceptron": lambda: th.AveragedPerceptron(N, normalize=True),
    "MarginPerceptron": lambda: th.MarginPerceptron(N, 0.1),
    "Invariant": lambda: th.Invariant(N),
    "ScaledWinnow": lambda: th.ScaledWinnow(N),
    "Portfolio": lambda: th.Portfolio(N, [th.Perceptron(N), th.AROW(N)]),
    "Hedge": lambda: th.Hedge(3),
    "None": lambda: None,
}


@pytest.mark.parametrize("name", NOT_LINEAR)
def test_what_is_not_linear_in_the_example_is_refused(name: str) -> None:
    with pytest.raises(th.ParameterError, match=r"whose score is not w·x \+ b; expected"):
        to_onnx(NOT_LINEAR[name]())


def test_weights_beyond_float32_are_refused_there_alone() -> None:
    learner = th.Perceptron(1)
    learner.learn([2.0**140], -1)
    with pytest.raises(
        th.ParameterError, match=r'found weights up to 1\.39e\+42, beyond float32: expected precision = "float64"'
    ):
        to_onnx(learner)
    assert run(to_onnx(learner, precision="float64"), np.ones((1, 1)))["score"][0] == learner.weights[0]


@pytest.mark.parametrize("classes", [("a",), ("a", "b", "c"), ("a", 1), ("a", "a"), (1.5, 2.5), ()])
def test_classes_that_are_not_two_labels_are_refused(classes: Any) -> None:
    with pytest.raises((th.ParameterError, th.LabelError), match="found"):
        to_onnx(th.Perceptron(2), classes=classes)


def test_a_learner_that_may_say_neither_has_no_name_for_it() -> None:
    with pytest.raises(th.ParameterError, match="which says 0 for neither label"):
        to_onnx(th.Perceptron(2, tie="mistake"), classes=("ham", "spam"))


def test_another_precision_is_refused() -> None:
    with pytest.raises(th.ParameterError, match="found precision = 'float16', expected one of float32, float64"):
        to_onnx(th.Perceptron(2), precision="float16")


def test_a_model_too_large_for_its_format_is_refused_before_it_is_made() -> None:
    """Weights that are never touched take no memory."""
    with pytest.raises(th.ParameterError, match=r"expected at most 536,608,768 in ONNX"):
        to_onnx(th.Perceptron(2**29))


def test_nan_is_refused_there_too() -> None:
    refused = import_module("onnxruntime.capi.onnxruntime_pybind11_state").InvalidArgument
    with pytest.raises(refused, match="indices element out of data bounds"):
        run(to_onnx(th.Perceptron(1)), np.array([[np.nan]], np.float32))
