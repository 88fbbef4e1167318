"""Lanes that learn ahead of their vote make the rounds, the models and the errors that they make in step with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from tests.commands import fruit, read_in_pieces, run, stop_after
from thresher import _core
from thresher._core import Block, Crew
from thresher.compose.ahead import Ahead, Begun
from thresher.data.stream import Batch
from thresher.errors import ExampleError, LaneError, ParameterError, SourceError
from thresher.evaluate import Lookahead, play
from thresher.examples import many
from thresher.store import Model

PIECE = 300
ROOMS = (("int8", (13,)), ("float32", (13,)), ("bool", ()))
QUIET = ("--quiet", "--bits", 7)
BESIDE, ALONE = ("--threads", 2), ("--threads", 1)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Text whose forty rows come in several batches."""
    read_in_pieces(monkeypatch, PIECE)
    (tmp_path / "source.vw").write_text(fruit(40))
    return tmp_path / "source.vw"


def batches(source: Path) -> list[Batch]:
    with th.open_stream(source, bits=7, threads=1) as stream:
        return list(stream)


def portfolio(cost: float = 1.0) -> th.Portfolio:
    return th.Portfolio(2**7, bias=1.0, cost_positive=cost)


def state(learner: th.Portfolio) -> tuple[object, dict[str, bytes]]:
    parameters, arrays = learner.state()
    return parameters, {name: np.asarray(array).tobytes() for name, array in arrays.items()}


def columns(rounds: th.Rounds) -> list[object]:
    names = ("predictions", "labels", "scores", "changed", "losses", "p_positive", "calibrated", "weights", "lane_mistakes")
    told = [getattr(rounds, name) for name in names]
    places = rounds.first, rounds.before, rounds.after, rounds.loss, rounds.regret_bound, len(rounds)
    return [*places, *(None if column is None else np.asarray(column).tobytes() for column in told)]


def begun(ahead: Ahead, block: Block, codes: NDArray[np.int8] | memoryview) -> Begun:
    """Rows that can be begun, and are."""
    made = ahead.begin(block, codes, None)
    assert made is not None
    return made


# ---- the same rounds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cost", [1.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_rounds_heard_in_parts_are_those_of_learn_many(source: Path, cost: float, weighted: bool) -> None:
    ahead_of, in_step = portfolio(cost), portfolio(cost)
    given = batches(source)
    weights = [np.arange(len(batch)) / 3.0 if weighted else None for batch in given]
    assert len(given) > 3
    with Ahead(ahead_of, Crew(2)) as ahead:
        begun = [ahead.begin(batch.X, batch.codes, heft) for batch, heft in zip(given, weights, strict=True)]
        for each, batch, heft in zip(begun, given, weights, strict=True):
            assert each is not None
            for start, end in ((0, 1), (1, len(batch))):
                if start < end:
                    own = batch.part(start, end)
                    expected = in_step.learn_many(own.X, own.codes, None if heft is None else heft[start:end])
                    assert columns(ahead.hear(each, end - start)) == columns(expected)
    assert state(ahead_of) == state(in_step)


def test_a_stream_is_played_ahead_as_it_is_in_step(source: Path) -> None:
    played = []
    for looks_ahead in (False, True):
        learner, ledger = portfolio(), th.Ledger(th.BestLane())
        with th.open_stream(source, bits=7, threads=2) as stream:
            if looks_ahead:
                with Lookahead(stream, learner, stream.crew) as given:
                    assert play(learner, given, ledger)
            else:
                assert play(learner, stream, ledger)
        played.append((state(learner), str(ledger), ledger.tally))
    assert played[0] == played[1]


@pytest.mark.parametrize(
    "options", [(), ("--master", "fixed-share"), ("--cost-positive", 3), ("--passes", 3), ("--metrics", "")]
)
def test_a_command_makes_the_same_of_it_by_one_thread_and_by_several(
    options: tuple[object, ...], source: Path, tmp_path: Path
) -> None:
    told = []
    for number, threads in enumerate((ALONE, BESIDE)):
        model, metrics = tmp_path / f"{number}.model", tmp_path / f"{number}.csv"
        given = ("--metrics", metrics) if "--metrics" in options else options
        ran = run("learn", source, "--bits", 7, *given, *threads, "--save", model, "--json")
        said = {name: value for name, value in ran.json.items() if name not in ("seconds", "saved", "metrics_file", "written")}
        told.append((ran.status, model.read_bytes(), metrics.read_text() if metrics.exists() else "", said["progress"]))
    assert told[0] == told[1]
    assert told[0][0] == 0


def test_a_run_interrupted_after_any_batch_goes_on_to_the_same_bytes(source: Path, tmp_path: Path) -> None:
    whole, model = tmp_path / "whole.model", tmp_path / "model"
    assert run("learn", source, *QUIET, *ALONE, "--save", whole).status == 0
    stopped = []
    for count in range(1, 9):
        with stop_after(count):
            status = run("learn", source, *QUIET, *BESIDE, "--save", model).status
        stopped.append(status == 130)
        if status == 130:
            assert 0 < Model.load(model).learner.rounds <= 40
            assert run("learn", source, *QUIET, *BESIDE, "--resume", model).status == 0
        assert model.read_bytes() == whole.read_bytes()
    assert sum(stopped) > 2


# ---- what goes wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [0, 13, 25, 39])
def test_a_bad_line_is_said_as_one_thread_says_it(line: int, source: Path, tmp_path: Path) -> None:
    lines = source.read_text().splitlines(keepends=True)
    source.write_text("".join([*lines[:line], "spam | a:nonsense\n", *lines[line:]]))
    alone, beside = (run("learn", source, "--bits", 7, *threads, "--save", tmp_path / "m") for threads in (ALONE, BESIDE))
    assert (alone.status, alone.out, alone.err) == (beside.status, beside.out, beside.err)
    assert alone.status == 2
    assert f":{line + 1}:" in alone.err
    assert not (tmp_path / "m").exists()


def test_what_goes_wrong_later_comes_when_all_before_it_were_given(source: Path) -> None:
    given = batches(source)
    learner, ledger = portfolio(), th.Ledger()

    def stream() -> Iterator[Batch]:
        yield from given[:4]
        raise SourceError("the disk is gone")

    with Lookahead(stream(), learner, Crew(2)) as ahead, pytest.raises(SourceError, match="the disk is gone"):
        play(learner, ahead, ledger)
    assert ledger.rounds == learner.rounds == sum(len(batch) for batch in given[:4])
    learner.learn({"a"}, +1)


def test_a_label_that_cannot_be_learned_is_refused_after_all_before_it(source: Path) -> None:
    given = batches(source)
    bad = Batch(given[2].X, np.full(len(given[2]), 7, np.int8), None, [], given[2].rows)
    learner, ledger = portfolio(), th.Ledger()
    with Lookahead([*given[:2], bad, given[3]], learner, Crew(2)) as ahead, pytest.raises(th.LabelError, match="found label"):
        play(learner, ahead, ledger)
    assert learner.rounds == ledger.rounds == len(given[0]) + len(given[1])
    learner.learn({"a"}, +1)


def test_rows_of_another_width_are_refused(source: Path) -> None:
    learner = th.Portfolio(2**6, bias=1.0)
    with (
        Lookahead(batches(source), learner, Crew(2)) as ahead,
        pytest.raises(ParameterError, match="128 attributes, expected 64"),
    ):
        play(learner, ahead, th.Ledger())
    assert learner.rounds == 0


def test_nothing_else_is_done_while_lanes_are_ahead(source: Path) -> None:
    learner, (first, second, *_) = portfolio(), batches(source)
    with Ahead(learner, Crew(2)) as ahead:
        one, two = (begun(ahead, batch.X, batch.codes) for batch in (first, second))
        for use in (learner.state, learner.hypothesis, lambda: learner.predict({"a"}), lambda: learner.learn({"a"}, +1)):
            with pytest.raises(LaneError, match="learn ahead of their vote"):
                use()
        with pytest.raises(ParameterError, match="to hear of"):
            ahead.hear(two, 1)
        with pytest.raises(ParameterError, match="to hear of"):
            ahead.hear(one, len(first) + 1)
        ahead.hear(one, len(first))
        ahead.hear(two, len(second))
    assert learner.learn({"a"}, +1).t == len(first) + len(second) + 1


def test_a_portfolio_left_ahead_of_its_vote_refuses_further_use(source: Path) -> None:
    learner = portfolio()
    with Ahead(learner, Crew(2)) as ahead:
        ahead.begin(batches(source)[0].X, batches(source)[0].codes, None)
    with pytest.raises(LaneError, match="learn ahead of their vote"):
        learner.predict({"a"})


def test_rows_that_lanes_cannot_learn_break_the_portfolio_and_what_was_begun_behind_them_is_not_learned() -> None:
    learner, good = th.Portfolio(3), many(np.eye(3), 3)[0]
    bad = many(np.array([[1.0, np.nan, 1.0]]), 3)[0]
    with Ahead(learner, Crew(2)) as ahead:
        first, second, _ = (begun(ahead, block, np.ones(len(block), np.int8)) for block in (good, bad, good))
        assert len(ahead.hear(first, 3)) == 3
        with pytest.raises(LaneError, match="interrupted in round 4") as raised:
            ahead.hear(second, 1)
        assert isinstance(raised.value.__cause__, ExampleError)
    assert learner.rounds == 3
    with pytest.raises(LaneError, match="not in step"):
        learner.predict([1, 0, 0])


def test_a_portfolio_left_half_way_is_not_healed_by_another_who_looks_ahead(source: Path) -> None:
    learner, (first, second, *_) = portfolio(), batches(source)
    ready = Ahead(learner, Crew(2))
    with Ahead(learner, Crew(2)) as ahead:
        ahead.hear(begun(ahead, first.X, first.codes), 1)
        with pytest.raises(LaneError, match="learn ahead of their vote"):
            ready.begin(second.X, second.codes, None)
    with pytest.raises(LaneError, match="learn ahead of their vote"):
        ready.begin(second.X, second.codes, None)
    with pytest.raises(LaneError, match="learn ahead of their vote"):
        learner.state()


def test_nothing_is_begun_after_lanes_have_failed() -> None:
    learner, bad = th.Portfolio(3), many(np.array([[1.0, np.inf, 1.0]]), 3)[0]
    codes = np.ones(1, np.int8)
    with Ahead(learner, Crew(1)) as ahead:
        failing = begun(ahead, bad, codes)
        with pytest.raises(LaneError, match="not in step"):
            ahead.hear(failing, 1)
        with pytest.raises(LaneError, match="not in step"):
            ahead.begin(many(np.eye(3), 3)[0], np.ones(3, np.int8), None)


def test_a_bank_that_somebody_uses_is_not_begun_to_teach(source: Path) -> None:
    learner, batch = portfolio(), batches(source)[0]
    other = _core.BankAhead(learner._lanes.banked.bank, Crew(1))
    says, scores, changed = (_core.room(kind, len(batch), *lanes) for kind, lanes in ROOMS)
    other.give(batch.X, batch.codes, None, says, scores, changed)
    with Ahead(learner, Crew(1)) as ahead, pytest.raises(th.ConcurrentUse):
        ahead.begin(batch.X, batch.codes, None)
    other.end()
    assert learner.learn({"a"}, +1).t == 1
    with pytest.raises(ValueError, match="it has ended"):
        other.give(batch.X, batch.codes, None, says, scores, changed)
    with pytest.raises(ValueError, match="nothing to be taken"):
        other.take()


def test_an_empty_batch_is_passed_over(source: Path) -> None:
    learner, batch = portfolio(), batches(source)[0]
    with Lookahead([batch.part(0, 1), batch.part(1, 1), batch.part(1, len(batch))], learner, Crew(2)) as ahead:
        assert play(learner, ahead, th.Ledger())
    assert learner.rounds == len(batch)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_several_may_wait_for_one_crew(threads: int, source: Path) -> None:
    crew, given = Crew(threads), batches(source)
    expected = portfolio()
    for batch in given:
        expected.learn_many(batch.X, batch.codes)
    learners = [portfolio() for _ in range(4)]
    waiting = [Thread(target=play, args=(each, Lookahead(given, each, crew), th.Ledger()), daemon=True) for each in learners]
    for each in waiting:
        each.start()
    for each in waiting:
        each.join(60)
    assert not any(each.is_alive() for each in waiting)
    assert [state(each) for each in learners] == [state(expected)] * 4


def test_a_crew_has_one_thread_at_least() -> None:
    assert Crew(3).threads == 3
    with pytest.raises(ValueError, match="one thread at least"):
        Crew(0)


def test_lanes_apart_cannot_learn_ahead() -> None:
    with pytest.raises(ParameterError, match="lanes apart"):
        Ahead(th.Portfolio(3, [th.Perceptron(3), th.PNormPerceptron(3)]), Crew(2))


def test_another_learner_is_not_taken_for_the_one_whose_lanes_have_begun(source: Path) -> None:
    learner = portfolio()
    with Lookahead(batches(source), learner, Crew(2)) as ahead, pytest.raises(ParameterError, match="whose lanes have begun"):
        play(portfolio(), ahead, th.Ledger())
