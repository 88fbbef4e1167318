"""Each class against the rest: what it says, what it learns, many as one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.learners import Case
from tests.many_classes import CLASSES, KINDS, blobs, classified, columns, every_case, every_kind, everything
from tests.portfolios import KITS, MASTERS, N, alone
from thresher.class_rounds import ClassLearner, ClassRounds
from thresher.compose.binary import Binary
from thresher.compose.one_versus_rest import definition
from thresher.experts import LossRule
from thresher.linear import LinearLearner


def one_by_one(learner: th.OneVersusRest, X: Any, y: list[Any], weights: list[float] | None = None) -> list[Any]:
    return [learner.learn(x, label, weight) for x, label, weight in zip(X, y, weights or [1.0] * len(y), strict=True)]


def check_same_rounds(rounds: ClassRounds, alone: list[Any]) -> None:
    assert [rounds.classes[int(code)] for code in rounds.predictions] == [each.prediction.label for each in alone]
    assert [rounds.classes[int(code)] for code in rounds.labels] == [each.label for each in alone]
    assert rounds.scores.tolist() == [each.prediction.score for each in alone]
    assert rounds.changed.tolist() == [each.changed for each in alone]
    assert [each.t for each in alone] == [*range(rounds.first, rounds.first + len(rounds))]


def test_it_is_a_learner_of_many_classes() -> None:
    assert isinstance(th.OneVersusRest(th.Perceptron(1)), ClassLearner)
    assert not isinstance(th.OneVersusRest(th.Perceptron(1)).hypothesis(), ClassLearner)


@every_case
@settings(max_examples=15)
@given(data=st.data())
def test_it_says_what_the_definition_says(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case))
    learner = th.OneVersusRest(case.make())
    rounds = learner.learn_many(stream.rows, y)
    said = [rounds.classes[int(code)] for code in rounds.predictions]
    assert said == list(definition(case.make(), zip(stream.rows, y, strict=True)))
    assert learner.mistakes == rounds.mistakes == sum(a != b for a, b in zip(said, y, strict=True))
    assert learner.classes == tuple(dict.fromkeys(y))


def plain_votes(
    make: Callable[[], list[LinearLearner]], master: LossRule, X: Any, y: list[str]
) -> list[tuple[str | None, float]]:
    """A portfolio of many classes in plain Python: every lane says the class that scores highest in it, and they vote."""
    learners: dict[str, list[Any]] = {}
    said: list[tuple[str | None, float]] = []
    for x, label in zip(X, y, strict=True):
        scores = {each: [lane.predict(x).score for lane in lanes] for each, lanes in learners.items()}
        columns_of_lanes = [{each: own[k] for each, own in scores.items()} for k in range(master.n)]
        best = [max(column, key=column.__getitem__, default=None) for column in columns_of_lanes]
        weight = dict.fromkeys(learners, 0.0)
        for each, own in zip(best, master.weights.tolist(), strict=True):
            if each is not None:
                weight[each] += own
        said.append(max(weight.items(), key=lambda item: item[1], default=(None, 0.0)))
        master.learn_losses([float(each != label) for each in best])
        learners.setdefault(label, [*alone(make())])
        for each, lanes in learners.items():
            for lane in lanes:
                lane.learn(x, +1 if each == label else -1)
    return said


@pytest.mark.parametrize("kit", KITS)
@pytest.mark.parametrize("master", MASTERS)
def test_the_lanes_of_portfolios_vote(kit: str, master: str) -> None:
    X, y = blobs(90, seed=11)
    count = len(KITS[kit]())
    learner = th.OneVersusRest(th.Portfolio(N, KITS[kit](), MASTERS[master](count)))
    rounds = learner.learn_many(X, y)
    plain = plain_votes(KITS[kit], MASTERS[master](count), X, y)
    assert [rounds.classes[int(code)] for code in rounds.predictions] == [label for label, _ in plain]
    assert np.allclose(rounds.scores, [weight for _, weight in plain], rtol=1e-9)
    assert 5 < rounds.mistakes < 60


@pytest.mark.parametrize("master", MASTERS)
@pytest.mark.parametrize("adversary", ["noise", "the class that has least weight"])
def test_mistakes_are_at_most_twice_the_loss_which_is_close_to_the_best_lanes(master: str, adversary: str) -> None:
    rng = np.random.default_rng(12)
    lanes = KITS["mixed"]()
    learner = th.OneVersusRest(th.Portfolio(N, lanes, MASTERS[master](len(lanes))), CLASSES)
    for _ in range(120):
        x = rng.normal(size=N)
        shares = learner.score_many([x])[0]
        learner.learn(x, CLASSES[int(rng.integers(4) if adversary == "noise" else shares.argmin())])
    weighed = learner.master
    assert weighed is not None
    assert learner.mistakes <= 2 * weighed.loss + 1e-9
    if weighed.proven is not None:
        assert weighed.loss <= weighed.losses.min() + weighed.proven.value + 1e-9
    assert learner.mistakes > 60


def test_the_weights_of_portfolios_lanes_add_up_to_one() -> None:
    X, y = blobs(120, seed=13)
    learner = th.OneVersusRest(KINDS["portfolio"]())
    learner.learn_many(X, y)
    table = learner.score_many(X)
    assert np.allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert ((table > 0.0) & (table < 1.0)).any()
    assert th.OneVersusRest(th.Perceptron(1)).master is None


@every_case
@settings(max_examples=15)
@given(data=st.data())
def test_mistakes_are_at_most_those_of_the_classes_learners(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case))
    learner = th.OneVersusRest(case.make(), CLASSES)
    learner.learn_many(stream.rows, y, stream.weights)
    assert learner.mistakes <= sum(learner.learner(label).mistakes for label in CLASSES)


@every_case
@settings(max_examples=15)
@given(data=st.data())
def test_each_class_has_the_learner_that_plays_it_against_the_rest(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case))
    learner = th.OneVersusRest(case.make())
    learner.learn_many(stream.rows, y, stream.weights)
    for label in learner.classes:
        first = y.index(str(label))
        alone = case.make()
        alone.learn_many(stream.rows[first:], [1 if each == label else -1 for each in y[first:]], stream.weights[first:])
        mine = learner.learner(label)
        assert repr(mine.state()) == repr(alone.state())


@every_case
@settings(max_examples=15)
@given(data=st.data())
def test_many_are_one_by_one_bit_for_bit(case: Case, data: st.DataObject) -> None:
    stream, y = data.draw(classified(case))
    many, alone = th.OneVersusRest(case.make()), th.OneVersusRest(case.make())
    rounds = many.learn_many(stream.rows, y, stream.weights)
    check_same_rounds(rounds, one_by_one(alone, stream.rows, y, stream.weights))
    assert everything(many) == everything(alone)
    sparse = th.OneVersusRest(case.make())
    assert columns(sparse.learn_many(sp.csr_array(stream.rows), y, stream.weights)) == columns(rounds)
    assert everything(sparse) == everything(many)


@every_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_any_split_into_blocks_gives_the_same(kind: Callable[[], Binary], weighted: bool) -> None:
    X, y = blobs(100, seed=1)
    weights = np.random.default_rng(2).choice([0.0, 1.0, 2.5], 100) if weighted else None
    whole, alone = th.OneVersusRest(kind()), th.OneVersusRest(kind())
    rounds = whole.learn_many(X, y, weights)
    check_same_rounds(rounds, one_by_one(alone, X, y, None if weights is None else weights.tolist()))
    assert everything(whole) == everything(alone)
    for size in (7, 64):
        parts = th.OneVersusRest(kind())
        for at in range(0, 100, size):
            parts.learn_many(X[at : at + size], y[at : at + size], None if weights is None else weights[at : at + size])
        assert everything(parts) == everything(whole)


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = blobs(100, seed=3)
    whole = th.OneVersusRest(th.AROW(N))
    rounds = whole.learn_many(X, y)
    monkeypatch.setattr("thresher.compose.one_versus_rest._CHUNK", 8)
    chunked = th.OneVersusRest(th.AROW(N))
    assert columns(chunked.learn_many(X, y)) == columns(rounds)
    assert everything(chunked) == everything(whole)


@every_kind
def test_predicting_changes_nothing_and_agrees_with_learning(kind: Callable[[], Binary]) -> None:
    X, y = blobs(80, seed=4)
    learner = th.OneVersusRest(kind())
    assert learner.predict_many(X).tolist() == [None] * 80
    assert learner.score_many(X).shape == (80, 0)
    learner.learn_many(X, y)
    before = everything(learner)
    said, table = learner.predict_many(X), learner.score_many(X)
    assert table.shape == (80, 4)
    assert said.tolist() == [learner.classes[code] for code in table.argmax(axis=1)]
    assert [learner.predict(x).label for x in X] == said.tolist()
    assert [learner.predict(x).score for x in X] == table.max(axis=1).tolist()
    assert everything(learner) == before
    expected = learner.predict(X[0])
    assert learner.learn(X[0], y[0]).prediction == expected


def test_the_class_that_appeared_first_is_said_among_equals() -> None:
    learner = th.OneVersusRest(th.Perceptron(2), ["b", "a", "c"])
    assert learner.predict([1.0, 1.0]).label == "b"
    assert learner.learn([1.0, 1.0], "b").prediction.label == "b"
    assert th.OneVersusRest(th.Perceptron(2), [True, False]).predict([1.0, 1.0]).label is True


def test_a_class_is_not_predicted_in_the_round_in_which_it_appears() -> None:
    learner = th.OneVersusRest(th.Perceptron(1, bias=1.0))
    rounds = learner.learn_many([[1.0]] * 3, ["oak", "fir", "fir"])
    assert rounds.predictions.tolist() == [-1, 0, 1]
    assert (rounds.mistakes, learner.mistakes, learner.rounds) == (2, 2, 3)
    assert (rounds.scores[0], learner.learner("fir").rounds) == (0.0, 2)


@pytest.mark.parametrize(
    "y", [[3, -7, 3, 10**30], [True, False, True, True], np.array([5, 4, 4, 5], np.uint8), np.array(["a", "b", "a", "c"])]
)
def test_labels_come_back_as_they_were_given(y: Any) -> None:
    learner = th.OneVersusRest(th.Perceptron(2))
    learner.learn_many(np.eye(2)[[0, 1, 0, 1]], y)
    plain = [label.item() if isinstance(label, np.generic) else label for label in y]
    assert learner.classes == tuple(dict.fromkeys(plain))
    assert {type(label) for label in learner.classes} == {type(plain[0])}
    assert set(learner.predict_many(np.eye(2)).tolist()) <= set(plain)


# ---- chances ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [KINDS["AdaGrad"], KINDS["portfolio"]])
def test_chances_add_up_to_one_and_are_those_of_the_classes(kind: Callable[[], Binary]) -> None:
    X, y = blobs(80, seed=5)
    learner = th.OneVersusRest(kind())
    assert learner.p_many(X).shape == (80, 0)
    learner.learn_many(X, y)
    chances = learner.p_many(X)
    assert np.allclose(chances.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    single = [learner.learner(label) for label in learner.classes]
    own = [each.calibrated_many(X) if isinstance(each, th.Portfolio) else each.p_positive_many(X) for each in single]
    assert np.allclose(chances, np.array(own).T / np.sum(own, axis=0)[:, None], rtol=1e-12)
    assert learner.p_many(X[:0]).shape == (0, 4)


def test_chances_are_equal_where_every_class_has_none() -> None:
    learner = th.OneVersusRest(th.AdaGrad(1, rate=1000.0), ["oak", "fir"])
    for _ in range(5):
        learner.learn([1.0], "yew")
    sure = learner.p_many([[-1e6]])
    assert sure.tolist() == [[0.5, 0.5, 0.0]]
    assert learner.learner("yew").p_positive_many([[-1e6]]).tolist() == [0.0]
    hopeless = th.OneVersusRest(th.AdaGrad(1, rate=1000.0), ["oak", "fir"])
    for t in range(4):
        hopeless.learn([1.0], ("oak", "fir")[t % 2])
    assert hopeless.p_many([[1.0]]).sum() == 1.0


def test_a_learner_without_chances_is_refused() -> None:
    with pytest.raises(th.ParameterError, match=r"found Perceptron\(.*expected a learner whose scores stand for chances"):
        th.OneVersusRest(th.Perceptron(2)).p_many([[1.0, 2.0]])
