"""Metrics: against scikit-learn, against their definitions in fractions, and the same bits however rounds are cut."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics as oracle

import thresher as th
from thresher.evaluate.metrics import NAMES, Measured

ROWS = st.lists(
    st.tuples(
        st.sampled_from((-1, 1)),
        st.sampled_from((-1, 0, 1)),
        st.sampled_from((-2.0, -0.5, 0.0, 0.25, 3.0)),
        st.floats(0.0, 1.0),
        st.sampled_from((0.0, 0.5, 1.0, 3.0)),
    ),
    min_size=1,
    max_size=40,
)
Columns = list[NDArray[Any]]


def columns(rows: list[tuple[int, int, float, float, float]]) -> Columns:
    return [np.array(column) for column in zip(*rows, strict=True)]


def generated(rows: int, seed: int = 0) -> Columns:
    """Labels, predictions, scores with ties, chances and weights."""
    rng = np.random.default_rng(seed)
    y = rng.choice((-1, 1), rows)
    scores = np.round(rng.standard_normal(rows) + y, 1)
    said = np.where(scores >= 0.3, 1, -1)
    return [y, said, scores, 1 / (1 + np.exp(-scores)), rng.choice((0.5, 1.0, 2.5), rows)]


def measured(
    y: NDArray[Any],
    said: NDArray[Any],
    scores: NDArray[Any],
    p: NDArray[Any] | None = None,
    weights: NDArray[Any] | None = None,
) -> th.Measured:
    metrics = th.Metrics(window=10**6)
    metrics.count(y, said, scores, p, weights)
    return metrics.last


@pytest.mark.parametrize("weighted", [False, True])
def test_all_of_them_are_scikit_learns(weighted: bool) -> None:
    y, said, scores, p, weights = generated(700)
    w = weights if weighted else None
    found = measured(y, said, scores, p, w)
    expected = {
        "accuracy": oracle.accuracy_score(y, said, sample_weight=w),
        "balanced_accuracy": oracle.balanced_accuracy_score(y, said, sample_weight=w),
        "precision": oracle.precision_score(y, said, sample_weight=w),
        "recall": oracle.recall_score(y, said, sample_weight=w),
        "f1": oracle.f1_score(y, said, sample_weight=w),
        "matthews": oracle.matthews_corrcoef(y, said, sample_weight=w),
        "log_loss": oracle.log_loss(y, p, sample_weight=w),
        "brier": oracle.brier_score_loss(y, p, sample_weight=w),
        "auc": oracle.roc_auc_score(y, scores, sample_weight=w),
    }
    assert set(expected) == set(NAMES)
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-12), name
    cells = oracle.confusion_matrix(y, said, labels=[1, -1], sample_weight=w)
    assert [found.found, found.missed, found.false_alarms, found.rejected] == cells.ravel().tolist()


def test_sure_mistakes_cost_what_they_cost_in_scikit_learn() -> None:
    y, p = np.array([1, -1, 1, -1]), np.array([0.0, 1.0, 1e-300, 0.0])
    found = measured(y, np.ones(4, np.int8), p, p)
    assert found.log_loss == pytest.approx(oracle.log_loss(y, p), rel=1e-12)
    assert found.log_loss == pytest.approx(3 * 52 * math.log(2) / 4, rel=1e-9)


def share(part: Fraction, of: Fraction) -> Fraction | None:
    return part / of if of else None


def definitions(y: NDArray[Any], said: NDArray[Any], scores: NDArray[Any], weights: NDArray[Any]) -> dict[str, Fraction | None]:
    """The metrics in fractions, by going through the rows and through all pairs."""
    w = [Fraction(float(weight)) for weight in weights]
    cell = {
        (true, right): sum((w[i] for i in range(len(y)) if (y[i], said[i] == y[i]) == (true, right)), Fraction(0))
        for true in (-1, 1)
        for right in (False, True)
    }
    tp, fn, fp, tn = cell[1, True], cell[1, False], cell[-1, False], cell[-1, True]
    recall, specificity = share(tp, tp + fn), share(tn, tn + fp)
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] > y[j]]
    above = sum(
        (w[i] * w[j] * (Fraction(int(scores[i] > scores[j])) + Fraction(int(scores[i] == scores[j]), 2)) for i, j in pairs)
    )
    return {
        "accuracy": share(tp + tn, tp + fn + fp + tn),
        "precision": share(tp, tp + fp),
        "recall": recall,
        "f1": share(2 * tp, 2 * tp + fp + fn),
        "balanced_accuracy": None if recall is None or specificity is None else (recall + specificity) / 2,
        "auc": share(Fraction(above), sum((w[i] * w[j] for i, j in pairs), Fraction(0))),
    }


@given(ROWS)
def test_each_is_its_definition_and_what_is_0_over_0_is_none(rows: list[tuple[int, int, float, float, float]]) -> None:
    y, said, scores, p, weights = columns(rows)
    found = measured(y, said, scores, p, weights)
    for name, value in definitions(y, said, scores, weights).items():
        if value is None:
            assert getattr(found, name) is None, name
        else:
            assert getattr(found, name) == pytest.approx(float(value), rel=1e-14, abs=1e-15), name
    sides = (found.found + found.false_alarms, found.found + found.missed, found.rejected + found.false_alarms)
    assert (found.matthews is None) == (not all((*sides, found.rejected + found.missed)))


def test_before_the_first_round_nothing_is_defined() -> None:
    metrics = th.Metrics()
    for each in (metrics.so_far, metrics.last):
        assert each.as_dict() == {"rounds": 0, "weight": 0.0, **dict.fromkeys(NAMES)}
    metrics.count([], [], [])
    assert metrics.so_far == Measured()


def test_while_one_label_alone_has_come_what_needs_both_is_not_defined() -> None:
    found = measured(np.ones(3), np.array([1, 1, -1]), np.zeros(3))
    assert (found.accuracy, found.recall, found.precision) == (2 / 3, 2 / 3, 1.0)
    assert [found.balanced_accuracy, found.matthews, found.auc, found.log_loss, found.brier] == [None] * 5


@pytest.mark.parametrize("weight", [1e-160, 2.0**149])
def test_weights_of_any_size_cancel(weight: float) -> None:
    y, said, scores, p, _ = generated(50)
    light, plain = measured(y, said, scores, p, np.full(50, weight)), measured(y, said, scores, p)
    for name in NAMES:
        assert getattr(light, name) == pytest.approx(getattr(plain, name), rel=1e-12), name


# ---- rounds ----------------------------------------------------------------------------------------------------------


def stream(rows: int = 120, n: int = 6) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((rows, n))
    y = np.where(X @ rng.standard_normal(n) + 0.3 * rng.standard_normal(rows) > 0, 1, -1)
    return X, y, rng.choice((0.1, 1.0, 7.0), rows)


LEARNERS: dict[str, Callable[[], Any]] = {
    "perceptron": lambda: th.Perceptron(6),
    "adagrad": lambda: th.AdaGrad(6),
    "portfolio": lambda: th.Portfolio(6, bias=1.0),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_blocks_of_any_size_and_single_rounds_measure_the_same_bits(name: str, weighted: bool) -> None:
    X, y, weights = stream()
    apart, single = th.Metrics(window=25), th.Metrics(window=25)
    cut, alone = LEARNERS[name](), LEARNERS[name]()
    for start, end in [(0, 1), (1, 40), (40, 40), (40, 71), (71, 120)]:
        apart.enter(cut.learn_many(X[start:end], y[start:end], weights[start:end] if weighted else None))
    for k in range(len(X)):
        single.enter(alone.learn(X[k], int(y[k]), float(weights[k]) if weighted else 1.0))
    at_once = th.Metrics(window=25)
    at_once.enter(LEARNERS[name]().learn_many(X, y, weights if weighted else None))
    assert apart.so_far == single.so_far == at_once.so_far
    assert apart.last == single.last == at_once.last
    assert at_once.last.rounds == 25
    assert (at_once.so_far.log_loss is None) == (name == "perceptron")


def test_the_window_is_of_the_last_rounds_alone() -> None:
    y, said, scores, p, weights = generated(90)
    metrics = th.Metrics(window=40)
    for k in range(0, 90, 7):
        metrics.count(y[k : k + 7], said[k : k + 7], scores[k : k + 7], p[k : k + 7], weights[k : k + 7])
    assert metrics.last == measured(y[50:], said[50:], scores[50:], p[50:], weights[50:])
    assert metrics.so_far.rounds == 90


def test_the_probabilities_of_a_portfolio_are_the_calibrated_ones_from_before_each_label() -> None:
    X, y, weights = stream()
    learner, metrics = th.Portfolio(6, bias=1.0), th.Metrics()
    twin = th.Portfolio(6, bias=1.0)
    before = []
    for x, label, weight in zip(X, y, weights, strict=True):
        before.append(twin.calibrated(x))
        made = twin.learn(x, int(label), float(weight))
        assert made.calibrated == before[-1]
    rounds = learner.learn_many(X, y, weights)
    metrics.enter(rounds)
    assert rounds.calibrated is not None
    assert rounds.calibrated.tolist() == before
    assert metrics.so_far.log_loss == pytest.approx(oracle.log_loss(y, before, sample_weight=weights), rel=1e-12)
    assert metrics.so_far.log_sum == pytest.approx(learner.log_loss, rel=1e-12)


def test_rounds_keep_their_calibrated_probabilities_when_picked_or_pickled() -> None:
    X, y, _ = stream(20)
    rounds = th.Portfolio(6).learn_many(X, y)
    assert rounds.calibrated is not None
    assert rounds[7].calibrated == rounds.calibrated[7]
    assert np.array_equal(pickle.loads(pickle.dumps(rounds)).calibrated, rounds.calibrated)
    assert pickle.loads(pickle.dumps(rounds[7])).calibrated == rounds.calibrated[7]
    with pytest.raises(ValueError, match="read-only"):
        rounds.calibrated[0] = 1.0
    other = th.AdaGrad(6).learn_many(X, y)
    assert other.calibrated is None
    assert other[0].calibrated is None


def test_a_prediction_that_is_neither_label_is_wrong() -> None:
    learner, metrics = th.Perceptron(2, tie="mistake"), th.Metrics()
    metrics.enter(learner.learn_many([[1, 0], [0, 1]], [1, -1]))
    assert (metrics.so_far.missed, metrics.so_far.false_alarms, metrics.so_far.accuracy) == (1.0, 1.0, 0.0)


def test_a_score_that_is_no_number_leaves_the_rest() -> None:
    found = measured(np.array([1, -1]), np.array([1, -1]), np.array([math.nan, 0.0]))
    assert (found.accuracy, found.auc) == (1.0, None)
    assert measured(np.array([1, -1]), np.array([1, -1]), np.array([math.inf, -math.inf])).auc == 1.0


# ---- state -----------------------------------------------------------------------------------------------------------


@given(ROWS, ROWS, st.integers(1, 30))
def test_metrics_that_are_kept_and_go_on_are_those_that_never_stopped(one: list[Any], other: list[Any], window: int) -> None:
    whole, first = th.Metrics(window), th.Metrics(window)
    for rows in (one, other):
        whole.count(*columns(rows))
    first.count(*columns(one))
    again = th.Metrics.from_state(*first.state())
    again.count(*columns(other))
    assert (again.so_far, again.last) == (whole.so_far, whole.last)
    assert again.state()[0] == whole.state()[0]
    assert again.state()[1].tobytes() == whole.state()[1].tobytes()


def test_a_state_that_cannot_be_is_refused() -> None:
    metrics = th.Metrics(window=4)
    metrics.count([1, 0], [1, 1], [0.5, 0.5], [0.5, 0.5])
    told, kept = metrics.state()
    bad: list[tuple[object, NDArray[np.uint8]]] = [
        (None, kept),
        ({**told, "more": 1}, kept),
        ({**told, "window": 0}, kept),
        ({**told, "rounds": 3}, kept),
        ({**told, "rounds": True}, kept),
        ({**told, "found": -1.0}, kept),
        ({**told, "log_sum": math.inf}, kept),
        ({**told, "brier_sum": 1}, kept),
        (told, kept[:-1]),
        (told, np.frombuffer(b"\x07" + kept.tobytes()[1:], np.uint8)),
        (told, np.frombuffer(kept.tobytes()[:18] + np.float64(-1.0).tobytes() + kept.tobytes()[26:], np.uint8)),
        (told, np.frombuffer(kept.tobytes()[:10] + np.float64(1.5).tobytes() + kept.tobytes()[18:], np.uint8)),
    ]
    for state in bad:
        with pytest.raises(th.StoreError):
            th.Metrics.from_state(*state)


# ---- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [0, -1, 1.5, True, "10", 10**9])
def test_a_window_is_a_whole_number(window: Any) -> None:
    with pytest.raises(th.ParameterError, match=r"found window = .*, expected a whole number of rounds"):
        th.Metrics(window)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([1, 2], [1, 1], [0.0, 0.0]), th.LabelError),
        (([1, 1], [1, 3], [0.0, 0.0]), th.LabelError),
        (([1, 1], [1, 300], [0.0, 0.0]), th.LabelError),
        (([1, 1], [1, 0.5], [0.0, 0.0]), th.LabelError),
        (([1, 1], [1, math.nan], [0.0, 0.0]), th.LabelError),
        (([1, 1, 1], [1, 1], [0.0, 0.0]), th.LabelError),
        (([1, 1], [1, 1], [0.0]), th.ParameterError),
        (([1, 1], [1, 1], [0.0, 0.0], [0.5, 1.5]), th.ParameterError),
        (([1, 1], [1, 1], [0.0, 0.0], None, [1.0, -1.0]), th.ParameterError),
        (([1, 1], [1, 1], [0.0, 0.0], None, [1.0, math.nan]), th.ParameterError),
        (([1, 1], 1, [0.0, 0.0]), th.ParameterError),
        (([1, 1], [[1], [1]], [0.0, 0.0]), th.ParameterError),
        (([1, 1], ["1", "-1"], [0.0, 0.0]), th.ParameterError),
        (([1, 1], np.ma.masked_equal([1, -1], -1), [0.0, 0.0]), th.LabelError),
        (([1], [1], 0.5), th.ParameterError),
        (([1], [1], None), th.ParameterError),
        (([1, 1], [1, 1], [[0.0], [0.0]]), th.ParameterError),
        (([1, 1], [1, 1], [[0.0], [0.0, 1.0]]), th.ParameterError),
        (([1, 1], [1, 1], ["a", "b"]), th.ParameterError),
        (([1, 1], [1, 1], [1j, 0.0]), th.ParameterError),
        (([1, 1], [1, 1], [10**400, 0.0]), th.ParameterError),
        (([1, 1], [1, 1], [0.0, 0.0], [[0.5], [0.5]]), th.ParameterError),
        (([1, 1], [1, 1], [0.0, 0.0], None, [[1.0], [1.0]]), th.ParameterError),
    ],
)
def test_what_cannot_be_counted_changes_nothing(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    metrics = th.Metrics()
    with pytest.raises(error):
        metrics.count(*arguments)
    assert metrics.so_far == Measured()
    assert metrics.last == Measured()


def test_rounds_of_other_kinds_are_refused() -> None:
    learner: Any = th.MulticlassPerceptron(2)
    with pytest.raises(th.ParameterError, match="found ClassRound, expected a Round or Rounds with two labels"):
        th.Metrics().enter(learner.learn([1, 0], "red"))


def test_metrics_show_well() -> None:
    metrics = th.Metrics(window=3)
    metrics.count([1, 0, 1, 1], [1, 1, 1, -1], [0.9, 0.2, 0.7, -0.1])
    assert repr(metrics) == "<metrics of 4 rounds, and of the last 3>"
    assert str(metrics).splitlines()[:3] == [
        "                    so far   last 3",
        "rounds                   4        3",
        "accuracy            0.5000   0.3333",
    ]
    assert metrics._repr_html_().startswith("<table><thead><tr><th></th><th>so far</th><th>last 3</th>")
