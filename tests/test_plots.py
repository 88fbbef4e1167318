"""What `rounds.plot()` and `ledger.plot()` draw, looked at in the lines' data."""

from __future__ import annotations

import pickle
import sys
from copy import copy
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from thresher.ledger.course import Course
from thresher.ledger.tally import Tally

LABELS = ["mistakes", "best constant", "repeating the last label"]


@pytest.fixture
def ax() -> Any:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure  # without a window, and without pyplot's list of figures

    return Figure().subplots()


def stream(rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((rows, 4))
    return X, np.where(X @ [1.0, -2.0, 0.5, 1.0] + 0.5 * rng.standard_normal(rows) > 0, 1, -1)


def drawn(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.get_lines()}


def definitions(predictions: NDArray[Any], labels: NDArray[Any]) -> dict[str, list[float]]:
    """The three counts after each round, from 0 on."""
    made: dict[str, list[float]] = {name: [0] for name in LABELS}
    for t in range(1, len(labels) + 1):
        seen = labels[:t].tolist()
        made["mistakes"].append(int(np.count_nonzero(predictions[:t] != labels[:t])))
        made["best constant"].append(min(seen.count(1), seen.count(-1)))
        made["repeating the last label"].append(sum(one != other for one, other in zip([1, *seen], seen, strict=False)))
    return made


def test_rounds_are_drawn_as_they_were_counted(ax: Any) -> None:
    rounds = th.Perceptron(4).learn_many(*stream(60))
    assert rounds.plot(ax) is ax
    lines, expected = drawn(ax), definitions(rounds.predictions, rounds.labels)
    assert list(lines) == LABELS
    for name, values in expected.items():
        assert lines[name] == (list(range(61)), values)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_ylim()[0]) == ("round", "counted so far", 0.0)


def test_baselines_that_are_far_above_leave_the_picture(ax: Any) -> None:
    y = np.array([1, -1] * 200)
    rounds = th.Perceptron(1).learn_many(y[:, None].astype(float), y)
    rounds.plot(ax)
    assert ax.get_ylim() == (0.0, 3.0 * rounds.mistakes)
    assert drawn(ax)["best constant"][1][-1] == 200


def test_later_rounds_stand_where_they_are(ax: Any) -> None:
    learner, (X, y) = th.Perceptron(4), stream(60)
    learner.learn_many(X[:20], y[:20])
    learner.learn_many(X[20:], y[20:]).plot(ax)
    t, mistakes = drawn(ax)["mistakes"]
    assert (t[0], t[-1], mistakes[0]) == (20, 60, 0)


def test_many_rounds_are_drawn_at_fewer_points(ax: Any) -> None:
    rounds = th.Perceptron(4).learn_many(*stream(30_000))
    rounds.plot(ax)
    t, mistakes = drawn(ax)["mistakes"]
    assert len(t) == 2001
    assert (t[-1], mistakes[-1]) == (30_000, rounds.mistakes)
    right = np.append(0, np.cumsum(rounds.predictions != rounds.labels))[np.array(t, int)]
    assert mistakes == right.tolist()


def test_the_loss_is_drawn_where_it_is_not_the_mistakes(ax: Any) -> None:
    rounds = th.Portfolio(4).learn_many(*stream(50))
    rounds.plot(ax)
    lines = drawn(ax)
    assert list(lines) == ["mistakes", "loss", *LABELS[1:]]
    assert lines["loss"][1] == pytest.approx([0.0, *np.cumsum(rounds.losses)])


@pytest.mark.parametrize("cuts", [(), (1, 2, 30, 31, 90)])
def test_a_ledger_draws_all_its_rounds_and_the_headline(cuts: tuple[int, ...], ax: Any) -> None:
    X, y = stream(120)
    learner, ledger = th.Portfolio(4), th.Ledger(th.BestLane())
    parts = []
    for start, end in zip((0, *cuts), (*cuts, 120), strict=True):
        parts.append(learner.learn_many(X[start:end], y[start:end]))
        ledger.enter(parts[-1])
    ledger.plot(ax)
    lines = drawn(ax)
    said = np.concatenate([rounds.predictions for rounds in parts])
    for name, values in definitions(said, y).items():
        assert lines[name] == (list(range(121)), values)
    headline = ledger.headline
    assert headline is not None
    (bound,) = [name for name in lines if name.startswith("certified: at most ")]
    assert lines[bound][1] == [headline.bound.value] * 2
    assert bound.endswith(headline.limit)


def test_single_rounds_draw_the_same_as_many(ax: Any) -> None:
    X, y = stream(40)
    one, many = th.Ledger(), th.Ledger()
    alone = th.Perceptron(4)
    for x, label in zip(X, y, strict=True):
        one.enter(alone.learn(x, int(label)))
    many.enter(th.Perceptron(4).learn_many(X, y))
    one.plot(ax)
    first = drawn(ax)
    ax.clear()
    many.plot(ax)
    assert drawn(ax) == first


@pytest.mark.parametrize("block", [1, 7, 5_000])
def test_a_long_course_keeps_at_most_256_points_and_the_last(block: int) -> None:
    X, y = stream(5_003)
    rounds = th.Perceptron(4).learn_many(X, y)
    right = np.append(0, np.cumsum(rounds.predictions != rounds.labels))
    learner, tally = th.Perceptron(4), Tally()
    course = Course(tally)
    for start in range(0, len(X), block):
        played = learner.learn_many(X[start : start + block], y[start : start + block])
        after = tally.after(played)
        course.enter(played, tally, after)
        tally = after
    found = course.until(tally)
    assert len(found.since) <= 258
    assert found.since[[0, 1, -1]].tolist() == [0, 32, 5_003]
    assert found.mistakes.tolist() == right[found.since].tolist()


def test_a_ledger_that_goes_on_after_another_begins_there(ax: Any) -> None:
    X, y = stream(60)
    learner, before = th.Perceptron(4), th.Ledger()
    before.enter(learner.learn_many(X[:20], y[:20]))
    later = th.Ledger(after=before.tally)
    later.enter(learner.learn_many(X[20:], y[20:]))
    later.plot(ax)
    t, mistakes = drawn(ax)["mistakes"]
    assert (t[0], t[-1], mistakes[0], mistakes[-1]) == (20, 60, before.mistakes, later.mistakes)


def test_a_copy_and_a_pickle_draw_the_same(ax: Any) -> None:
    ledger = th.Ledger()
    ledger.enter(th.Perceptron(4).learn_many(*stream(30)))
    ledger.plot(ax)
    first = drawn(ax)
    for twin in (copy(ledger), pickle.loads(pickle.dumps(ledger))):
        ax.clear()
        twin.plot(ax)
        assert drawn(ax) == first


def test_an_empty_ledger_and_no_rounds_draw_nothing_but_a_start(ax: Any) -> None:
    th.Ledger().plot(ax)
    assert drawn(ax)["mistakes"] == ([0], [0])
    ax.clear()
    th.Perceptron(4).learn_many(np.empty((0, 4)), []).plot(ax)
    assert drawn(ax)["mistakes"] == ([0], [0])


def test_other_kinds_of_rounds_are_refused(ax: Any) -> None:
    losses, classes = th.Ledger(), th.Ledger()
    losses.enter(th.AdaHedge(2).learn_losses([0.0, 1.0]))
    classes.enter(th.MulticlassPerceptron(2).learn([1, 0], "red"))
    for ledger in (losses, classes):
        with pytest.raises(th.LedgerError, match="expected rounds with two labels to draw"):
            ledger.plot(ax)


def test_without_matplotlib_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(th.ParameterError, match="no matplotlib to draw with: pip install"):
        th.Ledger().plot()


def test_new_axes_are_made_where_none_are_given() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = th.Perceptron(4).learn_many(*stream(5)).plot()
    assert [line.get_label() for line in ax.get_lines()] == LABELS
    pyplot.close(ax.figure)
