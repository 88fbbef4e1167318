"""What tried to break learners of many classes, and their ledger."""

from __future__ import annotations

import copy
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests import stored
from thresher.adapters import sklearn as ours
from thresher.bounds import Status, Verdict
from thresher.busy import Busy
from thresher.class_labels import NO_CLASS, ClassLabels
from thresher.class_rounds import ClassOrigin, ClassRounds
from thresher.compose.shielded import Shielded
from thresher.store import container


def test_a_file_that_would_not_load_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner, place = th.MulticlassPerceptron(2, classes=range(5000)), tmp_path / "model"
    th.save(learner, place)
    loaded = th.load(place)
    assert isinstance(loaded, th.MulticlassPerceptron)
    assert len(loaded.classes) == 5000
    before = place.read_bytes()
    monkeypatch.setattr(container, "_LONGEST_HEADER", 1000)
    with pytest.raises(th.StoreError, match="expected at most 1,000"):
        th.save(learner, place)
    assert place.read_bytes() == before


def test_headers_that_lie(tmp_path: Path) -> None:
    header, sections = container.read(stored.FOLDER / "version-1-multiclass-perceptron.thresher")
    told = header["learner"]
    lies: list[dict[str, Any]] = [
        {"arrays": [["weights", ["float64"], [4, 6]]]},
        {"arrays": [["weights", "float64", [4, 7]]]},
        {"arrays": [["weights", "float64", [-4, 6]]]},
        {"arrays": 3},
        {"learner": {**told, "classes": told["classes"][::-1], "known": True}},
        {"learner": {**told, "learner": "OneVersusRest"}},
        {"more": 1},
    ]
    for lie in lies:
        container.write(tmp_path / "lie", {**header, **lie}, sections)
        with pytest.raises(th.StoreError):
            th.load(tmp_path / "lie")
    nothing = {**told, "classes": [], "known": 0, "bias_weights": [], "arguments": {"n": 2**47, "bias": 0.5}}
    nothing["heads"] = dict.fromkeys(told["heads"], 0)
    empty = {name: section[:0] for name, section in sections.items()}
    container.write(tmp_path / "lie", {**header, "learner": nothing, "arrays": [["weights", "float64", [0, 2**47]]]}, empty)
    with pytest.raises(th.StoreError):
        th.load(tmp_path / "lie")


@pytest.mark.parametrize("kind", ["reading", "writing"])
def test_who_is_interrupted_on_the_way_in_is_not_busy(kind: str) -> None:
    busy = Busy()
    entered = getattr(busy, kind)()
    entered.__enter__()
    del entered  # as when Ctrl-C comes right after: nobody is left who could leave it
    assert busy._users == 0
    with busy.writing():
        assert busy._users == -1


def test_what_is_no_error_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    from thresher.compose import class_vote

    def leaves(*_given: object) -> None:
        raise SystemExit(3)

    learner = th.OneVersusRest(th.Perceptron(2))
    learner.learn([1, 0], "a")
    with monkeypatch.context() as patched:
        patched.setattr(class_vote, "teach", leaves)
        with pytest.raises(SystemExit):
            learner.learn([0, 1], "b")
    with pytest.raises(th.LaneError, match="not in step"):
        learner.predict([1, 0])


def test_a_handler_of_sigterm_waits() -> None:
    done: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda *_: done.append("handled"))
    try:
        with Shielded() as shield:
            signal.raise_signal(signal.SIGTERM)
            done.append("all of it")
        shield.now()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert done == ["all of it", "handled"]


def test_the_first_round_is_left_out_in_words_too() -> None:
    learner, ledger = th.MulticlassPerceptron(1), th.Ledger(th.ClassSeparator([[0.5], [-0.5]], classes=["a", "b"]))
    ledger.enter(learner.learn_many([[1.0], [-1.0]] * 50, ["a", "b"] * 50))
    assert ledger.headline is not None
    assert (learner.mistakes, ledger.headline.count, ledger.headline.bound.at_most) == (2, 1, 1)
    said = ledger.headline.lines()
    assert said["Claim"] == "certified: 1 of at most 1 mistake after the first round in 100 rounds"
    assert said["Says"] == "in any order of these 100 rows, one pass makes at most 1 mistake after the first round"
    assert "known=False" in said["Verify"]


def forged(rounds: ClassRounds, **changes: Any) -> Any:
    return replace(rounds, **changes)


def test_rounds_with_another_origin_than_theirs_are_found_out() -> None:
    rounds = th.MulticlassPerceptron(1, bias=300.0).learn_many([[1.0], [-1.0]] * 3, ["a", "b"] * 3)
    other = ClassOrigin("MulticlassPerceptron", 1, None, ())
    ledger = th.Ledger(th.ClassSeparator([[0.5], [-0.5]], classes=["a", "b"]))
    ledger.enter(th.MulticlassPerceptron(1, bias=300.0).learn_many(np.empty((0, 1)), []))
    ledger.enter(forged(rounds, origin=other))
    assert {each.verdict for each in ledger.certificates()} == {Verdict.VOID}
    statements = [p.statement for c in ledger.certificates() for p in c.premises if p.status is Status.BROKEN]
    assert "the rounds are one multiclass Perceptron's" in statements


def test_a_comparator_cannot_be_changed_under_a_ledger() -> None:
    separator: Any = th.ClassSeparator([[0.5], [-0.5]], classes=["a", "b"])
    for name in ("margin", "classes", "n"):
        with pytest.raises(AttributeError):
            setattr(separator, name, 3)


def test_a_copy_of_a_ledger_counts_for_itself() -> None:
    learner, ledger = th.MulticlassPerceptron(1), th.Ledger(th.ClassSeparator([[0.5], [-0.5]], classes=["a", "b"]))
    ledger.enter(learner.learn_many([[1.0], [-1.0]] * 5, ["a", "b"] * 5))
    twin, again = copy.copy(ledger), copy.copy(learner)
    twin.enter(again.learn([1.0], "a"))
    ledger.enter(learner.learn([-1.0], "b"))
    assert [each.certificates()[0].verdict for each in (ledger, twin)] == [Verdict.CERTIFIED] * 2


def test_malformed_rounds_are_refused_and_nothing_is_entered() -> None:
    rounds = th.MulticlassPerceptron(2).learn_many([[1, 0], [0, 1]], ["a", "b"])
    ledger = th.Ledger(th.ClassSeparator(np.eye(2), classes=["a", "b"]))
    wrong: list[dict[str, Any]] = [
        {"labels": [0, 1]},
        {"labels": np.array([0.0, 1.0])},
        {"labels": np.array([[0, 1]])},
        {"predictions": np.array(["a", "b"])},
        {"classes": ["a", "b"]},
        {"examples": [[1.0, 0.0]]},
        {"examples": "no rows"},
        {"origin": "MulticlassPerceptron"},
        {"weights": np.ones(3)},
    ]
    for change in wrong:
        with pytest.raises(th.LedgerError, match="found"):
            ledger.enter(forged(rounds, **change))
    assert (ledger.rounds, ledger.certificates()) == (0, [])


def test_labels_that_arrays_would_change() -> None:
    for labels in ([2**63, -1], ["a\0", "b"], [2**70, 1]):
        for learner in (th.MulticlassPerceptron(2), th.OneVersusRest(th.Perceptron(2))):
            learner.learn_many([[1, 0], [0, 1]] * 3, labels * 3)
            assert learner.predict_many([[1, 0], [0, 1]]).tolist() == labels
    missing = np.array(["x", "a"], np.dtypes.StringDType(na_object=np.nan))
    missing[0] = np.nan
    with pytest.raises(th.LabelError, match="row 0: found label nan"):
        th.MulticlassPerceptron(2).learn_many([[1, 0], [0, 1]], missing)
    with pytest.raises(th.LabelError, match="row 0"):
        th.MulticlassPerceptron(2).learn_many([[1, 0]], np.array(["2026-01-01"], "datetime64[ns]"))
    with pytest.raises(th.LabelError, match="many digits"):
        th.MulticlassPerceptron(2, classes=["a"]).learn([1, 0], 10**5000)
    with pytest.raises(th.LabelError, match=r"try y\.astype\(int\)"):
        th.MulticlassPerceptron(2).learn_many([[1, 0]], np.array([1.0]))


def test_versions_of_classes_do_not_disturb_each_other() -> None:
    root = ClassLabels(["a"])
    (_, left), (_, right) = root.read(["b", "c"], 2), root.read(["c"], 1)
    assert (list(root), list(left), list(right)) == (["a"], ["a", "b", "c"], ["a", "c"])
    assert (root.code("b"), left.code("c"), right.code("c"), left.first(2).code("c")) == (NO_CLASS, 2, 1, NO_CLASS)
    with pytest.raises(IndexError):
        root.at(1)
    assert copy.deepcopy(left) == left != right


def test_a_refused_new_class_leaves_nothing_behind() -> None:
    learner = th.MulticlassPerceptron(2)
    learner.learn([1, 0], "a")
    for _ in range(3):
        with pytest.raises(th.ExampleError):
            learner.learn([1, float("nan")], "b")
    assert (learner.classes, learner._labels.code("b")) == (("a",), 1)  # announced, and not there
    assert learner.learn([0, 1], "c").t == 2
    assert learner.classes == ("a", "c")
    assert learner.learn([0, 1], "b").mistake


def test_decisions_and_predictions_of_a_classifier_agree_on_ties() -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]), ["d", "c", "b", "a"]
    for kind in (ours.PerceptronClassifier, ours.MulticlassPerceptronClassifier):
        classifier: Any = kind().partial_fit(X, y)
        probe = np.vstack([X, np.zeros((1, 2))])
        decided = classifier.classes_[classifier.decision_function(probe).argmax(axis=1)]
        assert decided.tolist() == classifier.predict(probe).tolist()


def test_a_comparator_that_refuses_rounds_leaves_a_classifier_that_predicts() -> None:
    classifier = ours.MulticlassPerceptronClassifier(comparators=[th.ClassSeparator(np.eye(3), classes=["a", "b", "c"])])
    with pytest.raises(th.LedgerError, match="attributes"):
        classifier.partial_fit(np.eye(2), ["a", "b"])
    alone = ours.MulticlassPerceptronClassifier().partial_fit(np.eye(2), ["a", "b"])
    assert classifier.predict(np.eye(2)).tolist() == alone.predict(np.eye(2)).tolist()
    assert (classifier.classes_.tolist(), classifier.mistakes_) == (["a", "b"], 2)
