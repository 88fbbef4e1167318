"""One arithmetic for every learner: every way to the same examples gives the same bits."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.effort import tried
from tests.learners import CASES, Case, N, csr, one_by_one
from tests.oracles import bits, columns, everything
from tests.strategies import Stream, forms, values
from thresher import _core
from thresher.linear import LinearLearner

every_learner = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
few = tried(12)


# ---- many, one by one, in pieces ----------------------------------------------------------------------------------


@every_learner
@given(data=st.data())
@few
def test_many_is_one_by_one(case: Case, data: st.DataObject) -> None:
    stream = data.draw(case.streams())
    alone, together = case.make(), case.make()
    played = one_by_one(alone, stream)
    rounds = together.learn_many(stream.rows, stream.labels, stream.weights)
    assert everything(alone) == everything(together)
    assert alone.weights.tobytes() == together.weights.tobytes()
    assert [rounds[k] for k in range(len(rounds))] == played
    assert rounds.scores.tobytes() == bits(r.prediction.score for r in played)
    assert rounds.predictions.tolist() == [r.prediction.label for r in played]
    assert rounds.changed.tolist() == [r.changed for r in played]
    assert (rounds.mistakes, rounds.updates) == (sum(r.mistake for r in played), sum(r.changed for r in played))
    assert (alone.rounds, alone.mistakes, alone.updates) == (len(played), rounds.mistakes, rounds.updates)


@every_learner
@given(data=st.data())
@few
def test_many_predictions_are_predictions_one_by_one_and_change_nothing(case: Case, data: st.DataObject) -> None:
    stream = data.draw(case.streams())
    x = data.draw(values(N, case.value).filter(lambda row: case.zeros or any(row)))
    learner = case.taught(stream)
    X = np.vstack([stream.rows, [x]])
    before = everything(learner)
    alone = [learner.predict(row) for row in X]
    for predictor in (learner, learner.hypothesis()):
        assert predictor.score_many(X).tobytes() == bits(p.score for p in alone)
        assert predictor.predict_many(X).tolist() == [p.label for p in alone]
        assert predictor.predict(x) == alone[-1]
    assert everything(learner) == before
    assert learner.learn(x, 1).prediction == alone[-1]


@every_learner
@given(data=st.data(), cuts=st.lists(st.integers(0, 12), max_size=4))
@few
def test_where_blocks_end_does_not_matter(case: Case, data: st.DataObject, cuts: list[int]) -> None:
    X, y, weights = data.draw(case.streams())
    whole, pieces = case.make(), case.make()
    rounds = whole.learn_many(X, y, weights)
    at = [0, *sorted(min(cut, len(X)) for cut in cuts), len(X)]
    parts = [pieces.learn_many(X[a:b], y[a:b], weights[a:b]) for a, b in pairwise(at)]
    assert everything(whole) == everything(pieces)
    joined = zip(*(columns(part) for part in parts), strict=True)
    assert tuple(b"".join(column) for column in joined) == columns(rounds)


# ---- forms of an example ------------------------------------------------------------------------------------------


@every_learner
@given(data=st.data(), y=st.sampled_from([-1, 1]))
@few
def test_every_form_of_an_example_gives_the_same_bits(case: Case, data: st.DataObject, y: int) -> None:
    x = data.draw(values(N, case.value).filter(lambda row: case.zeros or any(row)))
    start = case.taught(data.draw(case.streams()))
    expected = copy.copy(start)
    played = expected.learn(dict(enumerate(x)), y)
    for name, form in forms(x):
        learner = copy.copy(start)
        assert bits([learner.predict(form).score]) == bits([played.prediction.score]), name
        assert learner.learn(form, y) == played, name
        assert everything(learner) == everything(expected), name


BLOCKS: dict[str, Callable[[Any], Any]] = {
    "list of lists": lambda X: X.tolist(),
    "Fortran order": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "float32": lambda X: X.astype(np.float32),
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "zeros stored": lambda X: sp.csr_array((X.ravel(), np.tile(np.arange(N), len(X)), np.arange(0, X.size + 1, N))),
    "int32 float32": partial(csr, index=np.int32, kind=np.float32),
    "int32 float64": partial(csr, index=np.int32, kind=np.float64),
    "int64 float32": partial(csr, index=np.int64, kind=np.float32),
    "int64 float64": partial(csr, index=np.int64, kind=np.float64),
    "int32 float32, backwards": partial(csr, index=np.int32, kind=np.float32, order=-1),
    "int64 float64, backwards": partial(csr, index=np.int64, kind=np.float64, order=-1),
}


@every_learner
@given(data=st.data())
@few
def test_every_form_of_a_block_gives_the_same_bits(case: Case, data: st.DataObject) -> None:
    stream = data.draw(case.streams().filter(lambda stream: len(stream.rows) > 0))
    dense = case.make()
    rounds = dense.learn_many(stream.rows, stream.labels, stream.weights)
    for name, form in BLOCKS.items():
        X, learner = form(stream.rows), case.make()
        assert columns(learner.learn_many(X, stream.labels, stream.weights)) == columns(rounds), name
        assert everything(learner) == everything(dense), name
        assert learner.score_many(X).tobytes() == dense.score_many(stream.rows).tobytes(), name


# ---- instruction sets ---------------------------------------------------------------------------------------------


@pytest.fixture
def each_instruction_set() -> Iterator[Callable[[], Iterator[str]]]:
    before = _core.instruction_set()

    def each() -> Iterator[str]:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            yield name

    yield each
    _core.use_instruction_set(before)


def rows_within(case: Case, size: int, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Rows of every length that the learner may be given, some of them binary."""
    random = np.random.default_rng(7)
    X = random.random((size, n)) if -1.0 in case.refused else random.uniform(-1.0, 1.0, (size, n))
    X = np.where(random.random((size, 1)) < (1.0 if 0.5 in case.refused else 0.5), np.ceil(X), X)
    X *= random.random((size, n)) < random.random((size, 1))
    X[~X.any(axis=1), 0] = 1.0
    return X


MAKERS: dict[str, tuple[str, Callable[[int], LinearLearner]]] = {
    "AveragedPerceptron": ("averaged", lambda n: th.AveragedPerceptron(n, bias=0.3)),
    "MarginPerceptron": ("margin 0.5", lambda n: th.MarginPerceptron(n, None, epsilon=0.9, bias=0.3)),
    "PNormPerceptron": ("p-norm 4", lambda n: th.PNormPerceptron(n, p=7.5, bias=0.3)),
    "PassiveAggressive": ("passive-aggressive", lambda n: th.PassiveAggressive(n, C=0.1, bias=0.3)),
    "Winnow": ("Winnow", lambda n: th.Winnow(n, threshold=n / 4, factor=1.5)),
    "LiteralWinnow": ("LiteralWinnow", lambda n: th.LiteralWinnow(n, factor=1.5)),
    "BalancedWinnow": ("BalancedWinnow", lambda n: th.BalancedWinnow(n, eta=3.0, bias=0.3)),
    "Elimination": ("Elimination", th.Elimination),
    "AROW": ("AROW", lambda n: th.AROW(n, r=0.3, bias=0.3)),
    "AdaGrad": ("AdaGrad", lambda n: th.AdaGrad(n, bias=0.3)),
    "AdaGrad, hinge": ("AdaGrad", lambda n: th.AdaGrad(n, loss="hinge", rate=0.1, bias=0.3)),
    "Invariant": ("Invariant", lambda n: th.Invariant(n, bias=0.3)),
}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["dense", "int32", "int64"])
@pytest.mark.parametrize("name", MAKERS)
def test_every_instruction_set_gives_the_same_bits(
    each_instruction_set: Callable[[], Iterator[str]], name: str, layout: str, kind: type[np.floating]
) -> None:
    n, (domain, make) = 41, MAKERS[name]
    X = rows_within(CASES[domain], 200, n).astype(kind).astype(np.float64)
    rows: Any = X.astype(kind) if layout == "dense" else csr(X, np.int32 if layout == "int32" else np.int64, kind)
    random = np.random.default_rng(9)
    y, weights = random.choice([-1, 1], 200), random.random(200) * 3 if CASES[domain].weighed else None
    seen = set()
    for _ in each_instruction_set():
        learner = make(n)
        rounds = learner.learn_many(rows, y, weights)
        seen.add((repr(everything(learner)), learner.weights.tobytes(), columns(rounds), learner.score_many(rows).tobytes()))
    assert len(seen) == 1
    assert learner.updates >= (2 if name == "Elimination" else 50)


# ---- stopping and going on ----------------------------------------------------------------------------------------


def through_a_file(folder: Path) -> Callable[[LinearLearner], LinearLearner]:
    def stop(learner: LinearLearner) -> LinearLearner:
        th.save(learner, folder / "model")
        loaded = th.load(folder / "model")
        assert isinstance(loaded, type(learner))
        return loaded

    return stop


@every_learner
@given(data=st.data())
@few
def test_stopping_and_going_on_is_never_having_stopped(
    case: Case, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before, after = data.draw(case.streams()), data.draw(case.streams())
    stops: dict[str, Callable[[LinearLearner], LinearLearner]] = {
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda learner: pickle.loads(pickle.dumps(learner)),
        "state": lambda learner: type(learner).from_state(*learner.state()),
        "file": through_a_file(tmp_path_factory.getbasetemp()),
    }
    uninterrupted = case.taught(before)
    left = everything(uninterrupted)
    resumed = {name: stop(uninterrupted) for name, stop in stops.items()}
    expected = uninterrupted.learn_many(after.rows, after.labels, after.weights)
    for name, learner in resumed.items():
        assert everything(learner) == left, name  # what the original learned since is its own
        rounds = learner.learn_many(after.rows, after.labels, after.weights)
        assert (rounds.first, columns(rounds)) == (expected.first, columns(expected)), name
        assert everything(learner) == everything(uninterrupted), name
        assert learner.weights.tobytes() == uninterrupted.weights.tobytes(), name


# ---- atomic -------------------------------------------------------------------------------------------------------


def check_stops_at(case: Case, k: int, X: Any, stream: Stream, y: list[Any], weights: list[float]) -> None:
    """Asserts that `learn_many` raises at row k, the rows before it learned as by a loop."""
    learner, loop = case.make(), case.make()
    played = one_by_one(loop, Stream(stream.rows[:k], stream.labels[:k], stream.weights[:k]))
    with pytest.raises(th.ExampleError, match=f"^row {k}: .*expected|^row {k}: a zero vector") as caught:
        learner.learn_many(X, y, weights)
    assert caught.value.row == k
    assert isinstance(caught.value.rounds, th.Rounds)
    assert [caught.value.rounds[i] for i in range(k)] == played
    assert len(caught.value.rounds) == k
    assert everything(learner) == everything(loop)
    assert learner.weights.tobytes() == loop.weights.tobytes()


@every_learner
@given(data=st.data(), sparse=st.booleans())
@few
def test_a_bad_row_leaves_the_learner_as_after_the_row_before(case: Case, data: st.DataObject, sparse: bool) -> None:
    stream = data.draw(case.streams().filter(lambda stream: len(stream.rows) > 0))
    k = data.draw(st.integers(0, len(stream.rows) - 1))
    bad = stream.rows.copy()
    bad[k, data.draw(st.integers(0, N - 1))] = data.draw(st.sampled_from(case.refused))
    good, changed = (sp.csr_array(X) if sparse else X for X in (stream.rows, bad))
    labels: list[Any] = [*stream.labels[:k], 2, *stream.labels[k + 1 :]]
    weights = [*stream.weights[:k], -1.0, *stream.weights[k + 1 :]]
    check_stops_at(case, k, changed, stream, stream.labels, stream.weights)
    check_stops_at(case, k, good, stream, labels, stream.weights)
    check_stops_at(case, k, good, stream, stream.labels, weights)
    if not case.zeros:
        bad[k] = 0.0
        check_stops_at(case, k, sp.csr_array(bad) if sparse else bad, stream, stream.labels, stream.weights)
