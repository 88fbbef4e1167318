"""Classifiers: what they learn is what the learner learns, in batches, from frames, with weights, in pipelines."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone

import thresher as th
from tests.sklearn_classifiers import ANY_VALUES, CLASSIFIERS
from thresher.adapters import sklearn as ours
from thresher.bounds import Verdict

each_classifier = pytest.mark.parametrize("name", CLASSIFIERS)
each_of_any_values = pytest.mark.parametrize("name", ANY_VALUES)

N = 6
#: What each classifier's learner is called with for n attributes, and with the classifier's defaults.
LEARNERS: dict[str, Callable[[], Any]] = {
    "AROWClassifier": lambda: th.AROW(N, bias=1.0),
    "AdaGradClassifier": lambda: th.AdaGrad(N, bias=1.0),
    "AveragedPerceptronClassifier": lambda: th.AveragedPerceptron(N, bias=1.0),
    "BalancedWinnowClassifier": lambda: th.BalancedWinnow(N, bias=1.0),
    "EliminationClassifier": lambda: th.Elimination(N),
    "InvariantClassifier": lambda: th.Invariant(N, bias=1.0),
    "LiteralWinnowClassifier": lambda: th.LiteralWinnow(N),
    "MarginPerceptronClassifier": lambda: th.MarginPerceptron(N, bias=1.0),
    "PNormPerceptronClassifier": lambda: th.PNormPerceptron(N, bias=1.0),
    "PassiveAggressiveClassifier": lambda: th.PassiveAggressive(N, bias=1.0),
    "PerceptronClassifier": lambda: th.Perceptron(N, bias=1.0),
    "PortfolioClassifier": lambda: th.Portfolio(N, bias=1.0),
    "ScaledWinnowClassifier": lambda: th.ScaledWinnow(N, bias=1.0),
    "WinnowClassifier": lambda: th.Winnow(N),
}
BINARY = pytest.mark.parametrize("name", LEARNERS)


def rows(count: int, classes: int = 2, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Zeros and ones, which every learner takes; the labels follow from them, but for a few."""
    rng = np.random.default_rng(seed)
    X = (rng.random((count, N)) < 0.4).astype(np.float64)
    y = (X[:, 0] + 2 * X[:, 1] + (rng.random(count) < 0.05)).astype(np.int64) % classes
    return X, y


def everything(classifier: Any) -> tuple[object, ...]:
    parameters, arrays = classifier.learner_.state()
    return repr(parameters), {name: array.tobytes() for name, array in arrays.items()}, classifier.classes_.tolist()


# ---- two classes: the learner itself --------------------------------------------------------------------------------------


@BINARY
def test_fit_is_one_pass_of_the_learner(name: str) -> None:
    X, y = rows(300)
    learner = LEARNERS[name]()
    played = learner.learn_many(X, 2 * y - 1)
    classifier = CLASSIFIERS[name]().fit(X, y)
    assert repr(classifier.learner_.state()) == repr(learner.state())
    assert classifier.mistakes_ == played.mistakes == classifier.ledger_.mistakes
    np.testing.assert_array_equal(classifier.predict(X), (learner.predict_many(X) + 1) // 2)


@each_classifier
@pytest.mark.parametrize("classes", [2, 3])
def test_batches_come_to_the_same_as_all_at_once(name: str, classes: int) -> None:
    X, y = rows(200, classes)
    at_once, in_batches = CLASSIFIERS[name]().fit(X, y), CLASSIFIERS[name]()
    for k in range(0, 200, 37):
        in_batches.partial_fit(X[k : k + 37], y[k : k + 37], classes=range(classes))
    assert everything(in_batches) == everything(at_once)
    sparse = CLASSIFIERS[name]().fit(scipy.sparse.csr_array(X), y)
    assert everything(sparse) == everything(at_once)
    np.testing.assert_array_equal(sparse.decision_function(scipy.sparse.csc_matrix(X)), at_once.decision_function(X))


@each_classifier
@pytest.mark.parametrize("classes", [2, 3])
def test_the_decision_is_what_coef_and_intercept_make_of_it(name: str, classes: int) -> None:
    X, y = rows(200, classes)
    classifier = CLASSIFIERS[name]().fit(X, y)
    decisions = classifier.decision_function(X)
    if name in ("PortfolioClassifier", "ScaledWinnowClassifier"):
        assert not hasattr(classifier, "coef_")
        with pytest.raises(AttributeError, match="weights"):
            _ = classifier.intercept_
        return
    lines = X @ classifier.coef_.T + classifier.intercept_
    if name == "MarginPerceptronClassifier":
        lines /= np.sqrt((X * X).sum(axis=1, keepdims=True) + 1.0)
    assert classifier.coef_.shape == (1 if classes == 2 else 3, N)
    np.testing.assert_allclose(decisions, lines[:, 0] if classes == 2 else lines, atol=1e-9)


@each_classifier
def test_the_side_of_the_decision_is_the_prediction_even_where_it_is_a_tie(name: str) -> None:
    X, y = rows(200)
    classifier = CLASSIFIERS[name]().fit(X, y)
    if name == "PortfolioClassifier":  # the vote is not the sign of the combined score
        return
    every = np.array(np.meshgrid(*[[0.0, 1.0]] * N)).reshape(N, -1).T
    for _ in range(2):
        np.testing.assert_array_equal(classifier.predict(every), (classifier.decision_function(every) > 0.0).astype(int))
        classifier = CLASSIFIERS[name]().partial_fit(X[:1], y[:1], classes=[0, 1])


def test_several_passes_are_the_rows_again() -> None:
    X, y = rows(100)
    learner = th.Perceptron(N, bias=1.0)
    for _ in range(3):
        learner.learn_many(X, 2 * y - 1)
    classifier = ours.PerceptronClassifier(passes=3).fit(X, y)
    assert classifier.learner_.state()[0] == learner.state()[0]
    assert (classifier.ledger_.rounds, classifier.mistakes_) == (300, learner.mistakes)


@pytest.mark.parametrize("passes", [0, -1, 1.5, True, "2"])
def test_passes_must_be_a_whole_number(passes: object) -> None:
    with pytest.raises(th.ParameterError, match="passes"):
        CLASSIFIERS["PerceptronClassifier"](passes=passes).fit(*rows(10))


# ---- the ledger -----------------------------------------------------------------------------------------------------------


def test_the_ledger_holds_the_run_against_what_it_is_given() -> None:
    X = np.eye(4)
    classifier = ours.PerceptronClassifier(bias=None, comparators=[th.Separator(-np.ones(4))])
    classifier.partial_fit(X, ["a"] * 4, classes=["a", "b"])
    best = classifier.ledger_.certificates()[0]
    assert (best.verdict, best.count, best.bound.at_most) == (Verdict.CERTIFIED, 4, 4)
    weighted = clone(classifier).partial_fit(X, ["a"] * 4, classes=["a", "b"], sample_weight=[1.0, 2.0, 1.0, 1.0])
    assert {certificate.verdict for certificate in weighted.ledger_.certificates()} == {Verdict.VOID}


def test_a_portfolio_is_certified_without_being_asked() -> None:
    classifier = ours.PortfolioClassifier().fit(*rows(300))
    assert [str(each.verdict) for each in classifier.ledger_.certificates()] == ["certified", "certified"]
    again = pickle.loads(pickle.dumps(classifier))
    assert again.ledger_.certificates() == classifier.ledger_.certificates()


@each_classifier
def test_with_more_classes_the_ledger_counts(name: str) -> None:
    X, y = rows(50, 3)
    classifier = CLASSIFIERS[name]().fit(X, y)
    assert (classifier.ledger_.rounds, classifier.ledger_.mistakes) == (50, classifier.mistakes_)
    assert classifier.ledger_.best_constant == 50 - np.bincount(y).max()


def test_the_multiclass_perceptron_is_held_against_weights_of_every_class() -> None:
    X, y = np.tile(np.eye(3), (20, 1)), ["oak", "fir", "yew"] * 20
    u = th.ClassSeparator(np.eye(3), classes=["oak", "fir", "yew"])
    classifier = ours.MulticlassPerceptronClassifier(bias=None, comparators=[u]).fit(X, y)
    best = classifier.ledger_.headline
    assert best is not None
    assert (best.verdict, best.count, best.bound.at_most) == (Verdict.CERTIFIED, classifier.mistakes_, 6)
    again = pickle.loads(pickle.dumps(classifier))
    assert again.ledger_.certificates() == classifier.ledger_.certificates()
    later = ours.MulticlassPerceptronClassifier(bias=None, comparators=[u]).partial_fit(X[::-1], y[::-1]).ledger_.headline
    assert later is not None
    assert (later.verdict, later.bound.at_most) == (Verdict.CERTIFIED, 6)


@pytest.mark.parametrize("labels", [["yew", "fir", "oak"], [25, 15, 5], np.array(["c", "b", "a"], object)])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kind", [ours.PerceptronClassifier, ours.MulticlassPerceptronClassifier])
def test_a_learner_of_many_classes_calls_them_by_their_labels(kind: Any, labels: Any, known: bool) -> None:
    onnx, onnxruntime = import_module("thresher.adapters.onnx"), import_module("onnxruntime")
    X, y = np.tile(np.eye(3), (9, 1)), np.tile(labels, 9)
    classifier = kind().partial_fit(X, y, classes=sorted(labels) if known else None)
    assert list(classifier.learner_.classes) == (sorted(labels) if known else list(labels))
    assert classifier.predict(X[:3]).tolist() == list(labels)
    session = onnxruntime.InferenceSession(onnx.to_onnx(classifier).SerializeToString())
    assert session.run(["label"], {"x": X[:3].astype(np.float32)})[0].tolist() == list(labels)


def test_whole_floats_are_ints_to_a_learner() -> None:
    X = np.tile(np.eye(3), (9, 1))
    classifier = ours.PerceptronClassifier().partial_fit(X, np.tile([3, 1, 2], 9))
    assert classifier.partial_fit(X, np.tile([3.0, 4.0, 2.0], 9)).learner_.classes == (3, 1, 2, 4)
    assert set(classifier.predict(X).tolist()) <= {1.0, 2.0, 3.0, 4.0}
    with pytest.raises(ValueError, match="continuous"):
        classifier.partial_fit(X, np.tile([3.0, 4.5, 2.0], 9))
    assert classifier.learner_.rounds == 54


def test_a_cost_is_of_two_known_classes() -> None:
    X, y = rows(50, 3)
    with pytest.raises(th.ParameterError, match="class_weight weighs any number"):
        ours.PortfolioClassifier(cost_positive=3.0).fit(X, y)
    with pytest.raises(th.ParameterError, match="class_weight weighs any number"):
        ours.PortfolioClassifier(cost_positive=3.0).partial_fit(X, y > 0)
    assert ours.PortfolioClassifier(cost_positive=3.0).fit(X, y > 0).mistakes_ > 0


@pytest.mark.parametrize("classes", [2, 3])
def test_a_comparator_that_cannot_watch_is_refused_before_anything_is_learned(classes: int) -> None:
    of_classes, of_labels = th.ClassSeparator(np.ones((2, N)), classes=[0, 1]), th.Separator(np.ones(N))
    classifier = ours.PerceptronClassifier(comparators=[of_classes if classes == 2 else of_labels])
    with pytest.raises(th.ParameterError, match="comparator"):
        classifier.fit(*rows(50, classes))


# ---- copies ---------------------------------------------------------------------------------------------------------------


@each_classifier
@pytest.mark.parametrize("classes", [2, 3])
def test_a_pickled_classifier_goes_on_as_if_it_had_never_stopped(name: str, classes: int) -> None:
    X, y = rows(200, classes)
    going = CLASSIFIERS[name]().partial_fit(X[:90], y[:90], classes=range(classes))
    stopped = pickle.loads(pickle.dumps(going))
    assert everything(stopped) == everything(going)
    for classifier in (going, stopped):
        classifier.partial_fit(X[90:], y[90:])
    assert everything(stopped) == everything(going)
    assert stopped.ledger_.tally == going.ledger_.tally
    assert stopped.ledger_.classes == going.ledger_.classes


@each_classifier
def test_a_clone_has_the_parameters_and_nothing_learned(name: str) -> None:
    classifier = CLASSIFIERS[name](passes=2).fit(*rows(50))
    twin = clone(classifier)
    assert twin.get_params() == classifier.get_params()
    assert not hasattr(twin, "classes_")
    with pytest.raises(import_module("sklearn.exceptions").NotFittedError):
        twin.predict(rows(5)[0])


def test_a_fit_that_fails_leaves_nothing_learned() -> None:
    X, y = rows(50)
    classifier = ours.PerceptronClassifier().fit(X, y)
    with pytest.raises(th.ExampleError):
        classifier.fit(np.vstack([X, np.full((1, N), np.nan)]), [*y, 1])
    assert not hasattr(classifier, "classes_")


# ---- chances --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_who_has_chances(classes: int) -> None:
    X, y = rows(200, classes)
    having = {name for name, kind in CLASSIFIERS.items() if hasattr(kind().fit(X, y), "predict_proba")}
    assert having == {"AdaGradClassifier", "InvariantClassifier", "PortfolioClassifier"}
    assert not hasattr(ours.AdaGradClassifier(loss="hinge").fit(X, y), "predict_proba")
    for name in having:
        classifier = CLASSIFIERS[name]().fit(X, y)
        chances = classifier.predict_proba(X)
        assert chances.shape == (200, classes)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
        np.testing.assert_array_equal(classifier.predict_log_proba(X), np.log(chances))
    learner = th.Portfolio(N, bias=1.0)
    learner.learn_many(*(X, 2 * (y % 2) - 1))
    calibrated = ours.PortfolioClassifier().fit(X, y % 2).predict_proba(X)[:, 1]
    np.testing.assert_array_equal(calibrated, learner.calibrated_many(X))


# ---- frames, pipelines, search --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_in_with_their_names(library: str) -> None:
    frames = import_module(library)
    X, y = rows(100)
    names = [f"attribute {k}" for k in range(N)]
    frame = frames.DataFrame(dict(zip(names, X.T, strict=True)))
    spelled = frames.Series(np.where(y == 1, "spam", "ham"))
    classifier = CLASSIFIERS["PassiveAggressiveClassifier"]().fit(frame, spelled)
    assert classifier.feature_names_in_.tolist() == names
    assert classifier.n_features_in_ == N
    plain = ours.PassiveAggressiveClassifier().fit(X, y)
    np.testing.assert_array_equal(classifier.coef_, plain.coef_)
    np.testing.assert_array_equal(classifier.predict(frame), np.where(plain.predict(X) == 1, "spam", "ham"))
    turned = frames.DataFrame(dict(zip(names[::-1], X.T, strict=True)))
    with pytest.raises(ValueError, match="same order"):
        classifier.predict(turned)
    with pytest.warns(UserWarning, match="valid feature names"):
        classifier.predict(X)


@each_of_any_values
def test_pipelines_searches_and_calibration(name: str) -> None:
    selection, calibration = import_module("sklearn.model_selection"), import_module("sklearn.calibration")
    X, y = import_module("sklearn.datasets").load_breast_cancer(return_X_y=True)
    scaler, pipeline = import_module("sklearn.preprocessing").StandardScaler, import_module("sklearn.pipeline")
    made = pipeline.make_pipeline(scaler(), CLASSIFIERS[name]())
    assert selection.cross_val_score(made, X, y, cv=3).mean() > 0.7
    search = selection.GridSearchCV(made, {f"{name.lower()}__passes": [1, 2]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.7
    sure = calibration.CalibratedClassifierCV(made, cv=2).fit(X, y)
    assert sure.score(X, y) > 0.7
    assert sure.predict_proba(X).shape == (len(y), 2)


def test_frames_that_a_transformer_makes_and_weights_that_are_routed() -> None:
    X, y = rows(60)
    weights = np.arange(60) % 3 + 0.5
    scaler = import_module("sklearn.preprocessing").MinMaxScaler().set_output(transform="pandas")
    classifier: Any = ours.WinnowClassifier()
    with import_module("sklearn").config_context(enable_metadata_routing=True):
        made = import_module("sklearn.pipeline").make_pipeline(scaler, classifier.set_fit_request(sample_weight=True))
        made.fit(X, y, sample_weight=weights)
    assert made[-1].feature_names_in_.tolist() == [f"x{k}" for k in range(N)]
    assert everything(made[-1]) == everything(ours.WinnowClassifier().fit(X, y, sample_weight=weights))


def test_after_fit_a_stream_may_go_on_with_the_same_classes() -> None:
    X, y = rows(60)
    classifier = ours.AROWClassifier().fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    assert everything(classifier) == everything(ours.AROWClassifier().fit(X, y))
    with pytest.raises(ValueError, match="found the labels 5"):
        classifier.partial_fit(X, np.where(y == 1, 5, 0))


def test_rows_are_read_where_they_lie_and_never_changed() -> None:
    X, y = rows(60)
    for given in (X, X.astype(np.float32), scipy.sparse.csr_matrix(X), scipy.sparse.csr_array(X.astype(np.float32))):
        classifier = ours.PerceptronClassifier()
        assert classifier._rows(given, reset=True) is given
        data = given.data if scipy.sparse.issparse(given) else given
        data.flags.writeable = False
        assert everything(classifier.fit(given, y)) == everything(ours.PerceptronClassifier().fit(X, y))


def test_the_learner_of_a_classifier_can_be_saved_and_exported(tmp_path: Path) -> None:
    X, y = rows(100)
    classifier = ours.PassiveAggressiveClassifier().fit(X, np.where(y == 1, "spam", "ham"))
    th.save(classifier.learner_, tmp_path / "model")
    loaded = th.load(tmp_path / "model")
    assert isinstance(loaded, th.PassiveAggressive)
    assert loaded.weights.tolist() == classifier.coef_[0].tolist()
    exported = import_module("thresher.adapters.onnx").to_onnx(classifier.learner_, classes=tuple(classifier.classes_.tolist()))
    session = import_module("onnxruntime").InferenceSession(exported.SerializeToString())
    far = abs(classifier.decision_function(X)) > 1e-4
    labels = session.run(None, {"x": X.astype(np.float32)})[0]
    assert labels[far].tolist() == classifier.predict(X[far]).tolist()
