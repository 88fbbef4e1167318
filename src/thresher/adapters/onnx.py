"""Learners as ONNX models, for whatever runs those: a linear classifier, without Python and without Thresher.

>>> import thresher as th
>>> from thresher.adapters.onnx import to_onnx
>>> learner = th.Perceptron(2)
>>> _ = learner.learn([1, 0], -1)
>>> model = to_onnx(learner, classes=("ham", "spam"))
>>> [tensor.name for tensor in model.graph.input], [tensor.name for tensor in model.graph.output]
(['x'], ['label', 'score'])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, checker, helper, numpy_helper

from thresher import __version__
from thresher.adapters.affine import Affine, affine
from thresher.class_labels import ClassLabel, ClassLabels
from thresher.class_rounds import ClassLearner
from thresher.compose import OneVersusRest
from thresher.errors import ParameterError
from thresher.linear import AdaGrad, LinearLearner, MulticlassPerceptron

__all__ = ["to_onnx"]

#: Old enough for whatever runs models today: they are of 2020.
_OPSET, _IR = 13, 7
_PRECISIONS = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}
_LARGEST = 2**31 - 2**20  # bytes: what Protocol Buffers hold, less what stands beside the weights


def to_onnx(learner: object, *, classes: tuple[ClassLabel, ClassLabel] | None = None, precision: str = "float32") -> ModelProto:
    """The learner as it stands, as an ONNX model: rows of n numbers `x` in, a label and a score for each out.

    - ``learner`` is a linear learner whose score is w·x + b, or one of many classes whose scores are; or a classifier of
      `thresher.adapters.sklearn` that holds one, with its classes. Those that scale each
      example (``normalize``, the Margin Perceptron, the invariant rule, `th.ScaledWinnow`) and portfolios are refused.
    - ``classes`` are what −1 and +1 are called, both int or both str; None means −1 and +1 themselves. A learner of many
      classes has its own.
    - ``precision`` is that of rows, weights and sums: "float32", which everything can run, or "float64", as here.

    Outputs are `label`, one a row, int64 or str (classes that are bool become 0 and 1); `score`, the learner's own, one a row,
    of many classes `scores`, rows × classes; and where the score of a learner of two stands for a chance, `p_positive`. Labels
    are those of `predict_many` wherever rounding, in the precision that was chosen, does not decide. The model checks nothing
    but NaN, which onnxruntime refuses: a row is n numbers in the order of the slots (`thresher.data.names.slot_of` says where
    a name falls).
    """
    if isinstance(learner, _Classifier):
        both = learner.classes_.tolist()
        learner = learner.learner_
        classes = (both[0], both[1]) if classes is None and not isinstance(learner, ClassLearner) else classes
    if precision not in _PRECISIONS:
        raise ParameterError(f"found precision = {precision!r}, expected one of {', '.join(_PRECISIONS)}")
    if isinstance(learner, ClassLearner):
        if classes is not None:
            raise ParameterError(
                f"found classes = {classes!r} beside a learner of many classes, which has its own: leave them out"
            )
        return _of_many(learner, precision)
    return _of_two(_linear(learner), classes, precision)


@runtime_checkable
class _Classifier(Protocol):
    """What is needed of a classifier of `thresher.adapters.sklearn`."""

    learner_: Any
    classes_: NDArray[Any]


def _of_two(learner: LinearLearner, classes: tuple[ClassLabel, ClassLabel] | None, precision: str) -> ModelProto:
    graph = _Graph(learner.n, precision)
    _two_labels(graph, affine(learner), classes)
    if isinstance(learner, AdaGrad) and learner._arguments()["loss"] == "logistic":
        graph.node("Sigmoid", ["score"], "p_positive")
        graph.output("p_positive", graph.kind, ["rows"])
    return graph.model(repr(learner))


def _of_many(learner: ClassLearner[Any], precision: str) -> ModelProto:
    """The first among equals is the one that appeared first, in ONNX as here."""
    if not learner.classes:
        raise ParameterError(f"found {learner!r}, which has seen no class, expected one at least")
    weights, intercepts = _columns(learner)
    graph = _Graph(len(weights), precision)
    graph.scores(weights, intercepts, "scores")
    graph.node("ArgMax", ["scores"], "place", axis=1, keepdims=0)
    graph.labels(learner.classes, "place")
    graph.output("scores", graph.kind, ["rows", len(learner.classes)])
    return graph.model(repr(learner))


def _columns(learner: ClassLearner[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weights of the classes, a column each, and what is added to their scores."""
    if isinstance(learner, OneVersusRest):
        parts = [affine(_linear(learner.learner(label))) for label in learner.classes]
        return np.column_stack([each.weights for each in parts]), np.array([each.intercept for each in parts])
    if isinstance(learner, MulticlassPerceptron):
        return learner.weights.T, learner.bias_weights * (learner.bias or 0.0)
    raise ParameterError(f"found {learner!r}, whose scores are not w·x + b; expected a MulticlassPerceptron or a OneVersusRest")


def _linear(learner: object) -> LinearLearner:
    if not isinstance(learner, LinearLearner):
        raise ParameterError(f"found {learner!r}, whose score is not w·x + b; expected a linear learner")
    return learner


def _two_labels(graph: _Graph, parts: Affine, classes: tuple[ClassLabel, ClassLabel] | None) -> None:
    """The place of the label among that below the threshold, at it and above it is the sign of what is above it, plus 1."""
    graph.scores(parts.weights.reshape(-1, 1), np.array([parts.intercept]), "column")
    graph.node("Reshape", ["column", graph.integers("flat", [-1])], "score")
    graph.node("Sub", ["score", graph.numbers("threshold", np.array(parts.threshold))], "above")
    graph.node("Sign", ["above"], "sign")
    graph.node("Cast", ["sign"], "side", to=TensorProto.INT64)
    graph.node("Add", ["side", graph.integers("one", [1])], "place")
    graph.labels(_spelled(classes, parts.at_threshold), "place")
    graph.output("score", graph.kind, ["rows"])


def _spelled(classes: tuple[ClassLabel, ClassLabel] | None, at_threshold: int) -> list[ClassLabel]:
    """What is said below the threshold, at it and above it."""
    if classes is None:
        return [-1, at_threshold, +1]
    both = list(ClassLabels(classes))
    if len(both) != 2:
        raise ParameterError(f"found classes = {classes!r}, expected two: that of minus, then that of plus")
    if at_threshold == 0:
        raise ParameterError('found tie = "mistake", which says 0 for neither label: then classes must be None')
    return [both[0], both[at_threshold > 0], both[1]]


class _Graph:
    """A graph that grows, node by node."""

    def __init__(self, n: int, precision: str) -> None:
        self.kind = _PRECISIONS[precision]
        self._n = n
        self._dtype = np.dtype(precision)
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._outputs: list[ValueInfoProto] = []

    def node(self, operator: str, inputs: Sequence[str], output: str, **attributes: int) -> None:
        node = helper.make_node(operator, inputs, [output])
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._nodes.append(node)

    def output(self, name: str, kind: int, shape: Sequence[str | int | None]) -> None:
        self._outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def numbers(self, name: str, values: NDArray[np.float64]) -> str:
        """Constants in the graph's precision, which must hold them."""
        if values.size * self._dtype.itemsize > _LARGEST:
            raise ParameterError(
                f"found {values.size:,} weights, expected at most {_LARGEST // self._dtype.itemsize:,} in ONNX"
            )
        with np.errstate(over="ignore"):
            rounded = values.astype(self._dtype)
        if not np.isfinite(rounded).all():
            largest = float(np.abs(values).max())
            raise ParameterError(f'found {name} up to {largest:.3g}, beyond {self._dtype}: expected precision = "float64"')
        self._constants.append(numpy_helper.from_array(rounded, name))
        return name

    def integers(self, name: str, values: Sequence[int]) -> str:
        self._constants.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def scores(self, weights: NDArray[np.float64], intercepts: NDArray[np.float64], output: str) -> None:
        """One column of scores for each column of weights."""
        self.node("MatMul", ["x", self.numbers("weights", weights)], "weighed")
        self.node("Add", ["weighed", self.numbers("intercepts", intercepts)], output)

    def labels(self, labels: Sequence[ClassLabel], place: str) -> None:
        """The output `label`: those at the places."""
        text = isinstance(labels[0], str)
        try:
            table = np.array(labels, object if text else np.int64)
            self._constants.append(numpy_helper.from_array(table, "labels"))
        except (OverflowError, UnicodeEncodeError) as error:
            raise ParameterError(f"found classes that ONNX cannot hold, expected int64 or valid Unicode: {error}") from error
        self.node("Gather", ["labels", place], "label")
        self.output("label", TensorProto.STRING if text else TensorProto.INT64, ["rows"])

    def model(self, about: str) -> ModelProto:
        rows = helper.make_tensor_value_info("x", self.kind, ["rows", self._n])
        graph = helper.make_graph(self._nodes, "learner", [rows], self._outputs, self._constants)
        model = helper.make_model(
            graph,
            producer_name="thresher",
            producer_version=__version__,
            doc_string=about,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR,
        )
        checker.check_model(model, full_check=True)
        return model
