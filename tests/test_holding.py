"""Examples held out are predicted among those that are learned: in one call as if the batch were cut at each, bit for bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from tests.commands import PERCEPTRON, fruit, read_in_pieces, run
from tests.learners import CASES, Case, N
from tests.portfolios import KITS
from tests.portfolios import N as LANES_N
from tests.test_bank_parts import workload
from thresher import examples
from thresher._core import Block
from thresher.compose import Portfolio, use_threads
from thresher.data.stream import Batch
from thresher.errors import ExampleError, ParameterError
from thresher.evaluate import Measuring, play
from thresher.evaluate.holding import Holding, held_out, judgement
from thresher.evaluate.measuring import learned_alone
from thresher.linear import LinearLearner
from thresher.store import Model


class Said(NamedTuple):
    """What came of rows, in bytes: of those that were learned, and of those that were held out."""

    learned: tuple[bytes, ...]
    held: tuple[bytes, ...]
    history: tuple[int | None, int | None]


def columns(*arrays: NDArray[Any] | None) -> tuple[bytes, ...]:
    return tuple(b"" if array is None else array.tobytes() for array in arrays)


def outcomes(rounds: th.Rounds) -> tuple[NDArray[Any] | None, ...]:
    r = rounds
    return r.predictions, r.labels, r.scores, r.changed, r.losses, r.p_positive, r.calibrated, r.weights


def asked(learner: LinearLearner | Portfolio, X: Block) -> tuple[NDArray[Any] | None, ...]:
    """What it says of rows now: labels, scores, chances."""
    if isinstance(learner, Portfolio):
        return learner.predict_many(X), learner.score_many(X), learner.calibrated_many(X)
    scores = learner.score_many(X)
    return learner.predict_many(X), scores, learner._chances(scores)


def by_hand(
    learner: LinearLearner | Portfolio, X: Block, y: NDArray[np.int8], weights: NDArray[Any] | None, held: NDArray[np.bool_]
) -> Said:
    """One row after the other: learned, or only asked for."""
    rounds, answers = [], []
    for k in range(len(X)):
        if held[k]:
            answers.append(asked(learner, X.rows(k, k + 1)))
        else:
            rounds.append(learner.learn_many(X.rows(k, k + 1), y[k : k + 1], None if weights is None else weights[k : k + 1]))
    made = [outcomes(each) for each in rounds]
    learned = tuple(b"".join(columns(*column)) for column in zip(*made, strict=True))
    said = tuple(b"".join(columns(*column)) for column in zip(*answers, strict=True))
    return Said(learned, said, (rounds[0].before, rounds[-1].after))


def at_once(
    learner: LinearLearner | Portfolio, X: Block, y: NDArray[np.int8], weights: NDArray[Any] | None, held: NDArray[np.bool_]
) -> Said:
    own, kept = None if weights is None else weights[~held], X.without(held)
    if isinstance(learner, Portfolio):
        r, answer = learner._learn_beside(kept, y[~held], own, X, held)
        said = columns(*answer.judged())
    else:
        r, scores = learner._learn_beside(kept, y[~held], own, X, held)
        said = columns(learner._predictions(scores), scores, learner._chances(scores))
    learned = columns(*outcomes(r))
    return Said(learned, said if held.any() else (), (r.before, r.after))


def everything(learner: LinearLearner | Portfolio) -> tuple[str, dict[str, bytes]]:
    parameters, arrays = learner.state()
    return repr(parameters), {name: array.tobytes() for name, array in arrays.items()}


# ---- rows left out ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_block_without_some_rows_has_the_others(sparse: bool, kind: type[np.floating]) -> None:
    dense = np.arange(12, dtype=kind).reshape(4, 3)
    block = examples.block(sp.csr_array(dense) if sparse else dense, 3)
    for out in ([0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 1, 1]):
        left = block.without(np.array(out, np.bool_))
        assert [left[k] for k in range(len(left))] == [block[k] for k in range(4) if not out[k]]
    twice = block.without(np.array([1, 0, 0, 0], np.bool_)).without(np.array([0, 1, 0], np.bool_)).rows(1, 2)
    assert (len(twice), twice[0]) == (1, block[3])
    with pytest.raises(ValueError, match="for each"):
        block.without(np.zeros(3, np.bool_))


def test_a_batch_without_some_examples_knows_where_the_others_are_from(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 2 'a| x y\n-1 'b| y z:2\n1 'c| x u\n-1 'd| v\n")
    with th.open_stream(path, n=64, tags=True) as stream:
        for batch in stream:
            left = batch.part(1, 4).without(np.array([False, True, False]))
            assert [left.X[k] for k in range(2)] == [batch.X[1], batch.X[3]]
            assert (left.y.tolist(), left.tags, left.first, [left.place(0), left.place(1)]) == ([-1, -1], ["b", "d"], 1, [1, 3])
            assert left.weights is not None
            assert np.array_equal(left.matrix().toarray(), batch.matrix().toarray()[[1, 3]])
            last = left.part(1, 2)
            assert (last.first, last.tags, set(stream.names_of(last, 0).values())) == (3, ["d"], {"v"})
            assert set(stream.names_of(left, 1).values()) == {"v"}
            stream.keep_names(left, np.array([False, True]))
            assert stream.names == b"v\n"
            assert len(left.part(1, 1)) == len(batch.without(np.ones(4, np.bool_))) == 0


def test_collisions_are_counted_with_the_last_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 | a b c d e f g\n-1 | a\n1 | b\n")
    with th.open_stream(path, n=2) as stream:
        (batch,) = stream
    assert batch.X.collisions == 5
    assert batch.X.without(np.array([True, False, False])).collisions == 5
    assert batch.X.without(np.array([False, False, True])).collisions == 0


# ---- one learner -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@given(data=st.data())
def test_a_learner_predicts_what_is_held_out_as_if_it_were_cut_out(case: Case, data: st.DataObject) -> None:
    stream = data.draw(case.streams())
    if not stream.labels:
        return
    held = np.array(data.draw(st.lists(st.booleans(), min_size=len(stream.labels), max_size=len(stream.labels))))
    held[data.draw(st.integers(0, len(held) - 1))] = False  # one at least is learned
    rows = np.array(stream.rows, np.float64).reshape(-1, N)
    y, weights = np.array(stream.labels, np.int8), np.array(stream.weights)
    for X in (examples.block(rows, N), examples.block(sp.csr_array(rows), N)):
        for own in (weights, None):
            one, other = case.make(), case.make()
            assert at_once(one, X, y, own, held) == by_hand(other, X, y, own, held)
            assert everything(one) == everything(other)


def test_a_row_that_cannot_be_learned_ends_it_where_the_loop_would() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, np.nan], [1.0, 0.0]])
    y, held = np.array([-1, 1, 1, -1, 1], np.int8), np.array([False, True, False, False, False])
    learner, other = th.Perceptron(2), th.Perceptron(2)
    block = examples.block(X, 2)
    with pytest.raises(ExampleError, match="row 2") as caught:
        learner._learn_beside(block.without(held), y[~held], None, block, held)
    other.learn_many(X[[0, 2]], y[[0, 2]])
    assert caught.value.rounds is not None
    assert (caught.value.row, len(caught.value.rounds)) == (2, 2)
    assert everything(learner) == everything(other)


def test_rows_and_what_is_held_out_must_fit() -> None:
    block, y = examples.block(np.ones((3, 2)), 2), np.ones(3, np.int8)
    for held in (np.zeros(2, np.bool_), np.array([True, False, False])):
        with pytest.raises(ValueError, match="learned or held out"):
            th.Perceptron(2)._learn_beside(block, y, None, block, held)


def test_elimination_takes_no_weights_here_either() -> None:
    learner, block, held = th.Elimination(2), examples.block(np.ones((3, 2)), 2), np.array([True, False, False])
    with pytest.raises(ExampleError, match="row 1: found weight 2"):
        learner._learn_beside(block.without(held), np.ones(2, np.int8), [1.0, 2.0], block, held)
    assert learner.rounds == 0


# ---- a portfolio -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cost", "weighted"), [(1.0, False), (2.5, True)])
def test_a_portfolio_predicts_what_is_held_out_as_if_it_were_cut_out(
    cost: float, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On any number of threads; the rows suffice for all of them, and those with values below 0 come late."""
    rows, y = workload(1500)
    X, rng = examples.block(rows, 500), np.random.default_rng(1)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], 1500) if weighted else None
    held = rng.random(1500) < 0.3
    held[-1] = False
    monkeypatch.setattr("thresher.compose.portfolio._CHUNK", 1024)
    plain = th.Portfolio(500, cost_positive=cost, bias=1.0)
    expected, parts, before = by_hand(plain, X, y, weights, held), set(), use_threads(None)
    try:
        for count in (1, 2, 3):
            use_threads(count)
            portfolio = th.Portfolio(500, cost_positive=cost, bias=1.0)
            parts.add(portfolio._lanes.banked.bank.parts)
            assert at_once(portfolio, X, y, weights, held) == expected
            assert everything(portfolio) == everything(plain)
    finally:
        use_threads(before)
    assert len(parts) > 1


def test_a_row_that_a_portfolio_cannot_learn_ends_it_where_the_loop_would() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 1.0], [1.0, 0.0]])
    y, held = np.array([-1, 1, 1, -1, 1], np.int8), np.array([False, True, False, False, False])
    for at, value, weight, says in ((3, np.nan, 1.0, "found nan"), (3, 1.0, -1.0, "found weight -1")):
        bad, weights = X.copy(), np.ones(5)
        bad[at, 1], weights[at] = value, weight
        portfolio, other, block = th.Portfolio(2), th.Portfolio(2), examples.block(bad, 2)
        with pytest.raises(ExampleError, match=f"row 2: .*{says}") as caught:
            portfolio._learn_beside(block.without(held), y[~held], weights[~held], block, held)
        other.learn_many(X[[0, 2]], y[[0, 2]])
        assert caught.value.rounds is not None
        assert (caught.value.row, len(caught.value.rounds)) == (2, 2)
        assert everything(portfolio) == everything(other)


# ---- a stream --------------------------------------------------------------------------------------------------------


def cut(measuring: Measuring, batches: Iterable[Batch], learner: LinearLearner | Portfolio) -> Iterator[Batch]:
    """As `Measuring.learned`, with each batch cut at each example that is held out."""
    assert measuring.every is not None
    assert measuring.held is not None
    for batch in batches:
        held = held_out(batch, measuring.every, measuring.seen)
        for k in range(len(batch)):
            if held[k]:
                measuring.held.add(judgement(learner, batch.part(k, k + 1)))
            else:
                yield batch.part(k, k + 1)
        measuring.seen += len(batch)


def learners(n: int) -> dict[str, LinearLearner | Portfolio]:
    made: dict[str, LinearLearner | Portfolio] = {"Perceptron": th.Perceptron(n, bias=1.0), "AdaGrad": th.AdaGrad(n)}
    return made | {"banked": th.Portfolio(n, bias=1.0), "mixed": th.Portfolio(n, [th.AROW(n), th.PNormPerceptron(n)])}


@pytest.mark.parametrize("name", ["Perceptron", "AdaGrad", "banked", "mixed"])
@pytest.mark.parametrize("every", [2, 3, 10, 200])
def test_a_stream_is_played_as_if_each_batch_were_cut(
    name: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ledger, certificates, metrics and model; pieces of every length, so that each place of a batch is held out in one."""
    read_in_pieces(monkeypatch, 397)
    path = tmp_path / "source.vw"
    path.write_text(fruit(150))
    made = []
    for way in (Measuring.learned, cut):
        learner, measuring = learners(2**7)[name], Measuring(50, every)
        ledger = th.Ledger(th.BestLane()) if isinstance(learner, Portfolio) else th.Ledger()
        with th.open_stream(path, bits=7) as stream:
            assert play(learner, way(measuring, stream, learner), ledger)
            model = Model(learner, stream.recipe, ledger.tally)
        model.save(tmp_path / "model")
        assert measuring.held is not None
        told = [(each.state()[0], each.state()[1].tobytes()) for each in (measuring.metrics, measuring.held)]
        made.append(((tmp_path / "model").read_bytes(), ledger.tally, list(map(str, ledger.certificates())), told))
        assert ledger.rounds + measuring.held.so_far.rounds == measuring.seen == 150
    assert made[0] == made[1]


def test_what_is_held_out_in_a_part_is_what_comes_before_each_of_its_examples() -> None:
    heard: list[int] = []
    learner = th.Perceptron(2**10)
    with th.open_stream("demo:oranges", bits=10) as stream:
        batch = next(iter(stream)).part(0, 40)
    held = held_out(batch, 4, 1)[:39]
    whole = Holding.of(batch.part(0, 39), held, learner, lambda judged: heard.append(len(judged.labels)))
    ends = [0, 2, 3, 3, 20, len(whole)]
    parts = [whole.part(start, end) for start, end in pairwise(ends)]
    assert [part.X[k] for part in parts for k in range(len(part))] == [whole.X[k] for k in range(len(whole))]
    assert [len(part.among) - len(part) for part in parts if isinstance(part, Holding)] == [0, 1, 5, 3]
    play(learner, parts, th.Ledger())
    assert heard == [0, 1, 5, 3]


def test_another_learner_than_the_one_that_predicts_is_refused() -> None:
    learner = th.Perceptron(2**18)
    with th.open_stream("demo:oranges") as stream, pytest.raises(ParameterError, match="which predicts what is held out"):
        play(th.Perceptron(2**18), Measuring(every=10).learned(stream, learner), th.Ledger())


def test_what_is_left_alone_is_what_was_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_pieces(monkeypatch, 100)
    path = tmp_path / "source.vw"
    path.write_text(fruit(60))
    with th.open_stream(path, bits=7) as stream:
        everything = [(batch.X[k], int(batch.y[k])) for batch in stream for k in range(len(batch))]
    for every in (2, 5, 61):
        with th.open_stream(path, bits=7) as stream:
            alone = [(part.X[k], int(part.y[k])) for part in learned_alone(stream, every) for k in range(len(part))]
        assert alone == [one for k, one in enumerate(everything, 1) if k % every]


@pytest.mark.parametrize("command", [("learn",), PERCEPTRON], ids=["portfolio", "perceptron"])
def test_a_batch_is_learned_in_one_call(command: tuple[str, ...], tmp_path: Path) -> None:
    """Or a minute goes by for each million examples."""
    path = tmp_path / "source.vw"
    path.write_text(fruit(1000))
    calls = {}
    for holding in ((), ("--holdout-every", 2)):
        with mock.patch.object(th.Ledger, "enter", autospec=True, side_effect=th.Ledger.enter) as entered:
            assert run(*command, path, "--quiet", "--bits", 7, "--no-check", *holding).status == 0
        calls[holding] = entered.call_count
    assert calls["--holdout-every", 2] <= calls[()]


def test_lanes_outside_the_bank_cannot_hold_out_in_one_call() -> None:
    portfolio, block = th.Portfolio(LANES_N, KITS["mixed"]()), examples.block(np.ones((3, LANES_N)), LANES_N)
    held = np.array([True, False, False])
    with pytest.raises(ParameterError, match="expected all lanes in the bank"):
        portfolio._learn_beside(block.without(held), np.ones(2, np.int8), None, block, held)
    assert portfolio.rounds == 0
