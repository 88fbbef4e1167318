"""Banks in parts: any division of lanes among threads gives the same bits, in what they say, in what is kept and in files."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import thresher as th
from tests.commands import run
from tests.test_bank import LANES, RULES, N, check_equal, learned
from thresher import examples, threads
from thresher._core import Bank, Bank64, Rule
from thresher.compose import default_lanes, use_threads
from thresher.errors import ExampleError, LabelError, ParameterError
from thresher.threads import allowed_threads, processors

NUMBERS = (2, 3, 64)
KINDS: list[tuple[type[Bank] | type[Bank64], type[np.floating]]] = [(Bank, np.float32), (Bank64, np.float64)]
Told = tuple[NDArray[np.int8], NDArray[Any], NDArray[np.bool_]]


def kept(bank: Bank | Bank64) -> dict[str, bytes | str]:
    """All that a bank is, in bytes."""
    arrays, heads = bank._state()
    return {**{name: plane.tobytes() for name, plane in arrays.items()}, "heads": repr(heads)}


def workload(rows: int, n: int = 500, seed: int = 0) -> tuple[Any, NDArray[np.int8]]:
    """Rows of values of either sign, of every length up to 30, and labels."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 31, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    slots = np.concatenate([np.sort(rng.choice(n, size, replace=False)) for size in lengths])
    values = np.round(rng.normal(size=starts[-1]), 2) + 0.001
    values[: starts[rows // 2]] = np.abs(values[: starts[rows // 2]])  # those below 0 come late: records grow
    return sp.csr_array((values, slots, starts), (rows, n)), rng.choice(np.array([-1, 1], np.int8), rows)


def played(bank: Bank | Bank64, X: Any, y: NDArray[np.int8], kind: type[np.floating], cuts: tuple[int, ...] = ()) -> Told:
    """What the lanes say of each row, block by block."""
    told = np.zeros((len(y), bank.lanes), np.int8), np.zeros((len(y), bank.lanes), kind), np.zeros(len(y), np.bool_)
    for start, stop in zip((0, *cuts), (*cuts, len(y)), strict=True):
        says, scores, changed = told[0][start:stop], told[1][start:stop], told[2][start:stop]
        block = examples.block(X[start:stop], X.shape[1])
        bank._learn_block(block, y[start:stop], None, says, scores, changed, y[start:stop])
    return told


@pytest.mark.parametrize(("made", "kind"), KINDS)
def test_any_number_of_threads_gives_the_same_bits(made: type[Bank] | type[Bank64], kind: type[np.floating]) -> None:
    X, y = workload(3000)
    one = made(500, RULES)
    told, parts = played(one, X, y, kind), set()
    for count in NUMBERS:
        bank = made(500, RULES, count)
        check_equal(told, played(bank, X, y, kind))
        assert kept(bank) == kept(one)
        cut = made(500, RULES, count)
        check_equal(told, played(cut, X, y, kind, (1, 40, 1300, 2011)))
        assert kept(cut) == kept(one)
        parts.add(bank.parts)
        assert [bank.weights(lane).tobytes() for lane in range(bank.lanes)] == [
            one.weights(lane).tobytes() for lane in range(one.lanes)
        ]
        assert [(bank.group(k), bank.position(k), bank.bias_weight(k)) for k in range(bank.lanes)] == [
            (one.group(k), one.position(k), one.bias_weight(k)) for k in range(one.lanes)
        ]
    assert {2, 3} < parts
    assert one.parts == 1


@pytest.mark.parametrize("seed", range(25))
def test_lanes_of_any_rules_in_parts_are_what_they_are_together(seed: int) -> None:
    chance = random.Random(seed)
    rules, count = chance.choices(RULES, k=chance.randint(1, 9)), chance.choice(NUMBERS)
    stream = [
        (
            [chance.choice([0.0, 0.0, 1.0, -1.0, round(chance.uniform(-9, 9), 2)]) for _ in range(N)],
            chance.choice([-1, 1]),
            chance.choice([1.0, 1.0, 0.0, 0.25, 3.0]),
        )
        for _ in range(chance.randint(5, 40))
    ]
    one, other = Bank(N, rules), Bank(N, rules, count)
    check_equal(learned(one, stream, np.float32), learned(other, stream, np.float32))
    assert kept(one) == kept(other)
    says, scores = np.zeros(len(rules), np.int8), np.zeros(len(rules), np.float32)
    told = says.copy(), scores.copy()
    for x, y, weight in stream[:5]:
        one._score(x, says, scores)
        other._score(x, *told)
        assert (told[0].tobytes(), told[1].tobytes()) == (says.tobytes(), scores.tobytes())
        assert one._learn(x, y, weight, says, scores) == other._learn(x, y, weight, *told)
        assert (told[0].tobytes(), told[1].tobytes()) == (says.tobytes(), scores.tobytes())
    assert kept(one) == kept(other)


@pytest.mark.parametrize("name", list(LANES))
def test_lanes_of_one_rule_are_divided(name: str) -> None:
    X, y = workload(1500)
    rules: list[Rule] = [LANES[name].rule] * 40
    one, other = Bank(500, rules), Bank(500, rules, 2)
    check_equal(played(one, X, y, np.float32), played(other, X, y, np.float32))
    assert kept(one) == kept(other)
    assert other.parts == (1 if isinstance(LANES[name], th.Constant) else 2)


@pytest.mark.parametrize("first", [1, 2])
def test_a_state_goes_on_in_any_number_of_parts(first: int) -> None:
    X, y = workload(2400)
    whole = Bank(500, RULES)
    told = played(whole, X, y, np.float32)
    begun = Bank(500, RULES, first)
    played(begun, X[:1300], y[:1300], np.float32)
    for count in (1, *NUMBERS):
        again = Bank(500, RULES, *begun._state(), count)
        check_equal((told[0][1300:], told[1][1300:], told[2][1300:]), played(again, X[1300:], y[1300:], np.float32))
        assert kept(again) == kept(whole)
    twin = Bank(begun)
    played(begun, X[1300:1400], y[1300:1400], np.float32)
    played(twin, X[1300:], y[1300:], np.float32)
    assert kept(twin) == kept(whole) != kept(begun)


@pytest.mark.parametrize("at", [1, 15, 16, 255, 256, 700, 1025, 2999])
@pytest.mark.parametrize("wrong", ["value", "label", "weight", "both labels"])
def test_a_fault_leaves_all_lanes_after_the_same_row(at: int, wrong: str) -> None:
    X, y = workload(3000)
    y[0] = -1
    weights = np.ones(len(y))
    if wrong == "value":
        assert X.indptr[at] < X.indptr[at + 1]
        X.data[X.indptr[at]] = np.nan
    elif wrong == "weight":
        weights[at] = -1.0
    else:
        y[at] = 3 if wrong == "label" else 0
    found = []
    for count in (1, *NUMBERS):
        bank = Bank(500, RULES, count)
        told = np.zeros((3000, len(RULES)), np.int8), np.zeros((3000, len(RULES)), np.float32), np.zeros(3000, np.bool_)
        with pytest.raises((ExampleError, LabelError)) as caught:
            bank._learn_block(examples.block(X, 500), y, weights, *told, y)
        assert caught.value.row == at
        found.append((str(caught.value), bank.rounds, kept(bank), *(column[:at].tobytes() for column in told)))
    assert found[0][1] == at
    assert all(each == found[0] for each in found)


def test_portfolios_and_their_files_are_the_same(tmp_path: Path) -> None:
    X, y = workload(5000)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y))
    before, files, said = use_threads(None), set(), set()
    try:
        for count in (1, *NUMBERS):
            use_threads(count)
            portfolio = th.Portfolio(500, bias=1.0, cost_positive=2.0)
            ledger = th.Ledger(th.BestLane())
            ledger.enter(portfolio.learn_many(X[:4000], y[:4000], weights[:4000]))
            th.save(portfolio, tmp_path / "model")
            again = th.load(tmp_path / "model")
            assert isinstance(again, th.Portfolio)
            ledger.enter(again.learn_many(X[4000:], y[4000:], weights[4000:]))
            ledger.check()
            th.save(again, tmp_path / "model")
            files.add((tmp_path / "model").read_bytes())
            said.add(again.score_many(X).tobytes() + again.calibrated_many(X).tobytes())
            assert (portfolio._lanes.banked.bank.parts > 1) == (count > 1)
    finally:
        use_threads(before)
    assert len(files) == len(said) == 1


def test_a_row_that_is_refused_ends_a_portfolio_where_one_thread_ends_it() -> None:
    X, y = workload(3000)
    X.data[X.indptr[2222] :] = np.inf
    found, before = [], use_threads(None)
    try:
        for count in (1, *NUMBERS):
            use_threads(count)
            portfolio = th.Portfolio(500)
            with pytest.raises(ExampleError) as caught:
                portfolio.learn_many(X, y)
            rounds = caught.value.rounds
            assert isinstance(rounds, th.Rounds)
            found.append((str(caught.value), len(rounds), rounds.scores.tobytes(), repr(portfolio.state())))
    finally:
        use_threads(before)
    assert all(each == found[0] for each in found)
    assert found[0][1] >= 2222


def test_half_of_the_threads_of_a_command_learn_and_one_where_there_is_one() -> None:
    for given, expected in (["1"], 1), (["2"], 1), (["3"], 1), (["8"], 4), ([], max(min(processors(), 8) // 2, 1)):
        with mock.patch("thresher.compose.banked.Bank", wraps=Bank) as made:
            made.fits = Bank.fits
            assert run("learn", "demo:oranges", "--quiet", *["--threads"][: len(given)], *given).status == 0
        assert {call.args[2] for call in made.call_args_list if call.args[1]} == {expected}
    assert allowed_threads() == min(processors(), 8)


def test_the_default_lanes_take_a_line_of_the_cache_in_one_part_and_in_two() -> None:
    rules = [lane.rule for lane in default_lanes(1)]
    for count in (1, 2):
        bank = Bank(2**16, rules, count)
        assert bank.parts == count
        assert 64 * 2**16 <= bank.bytes < 65 * 2**16


def test_lanes_that_would_gain_nothing_stay_together() -> None:
    assert Bank(10, [th.Constant(10, 1).rule], 8).parts == 1
    assert Bank(10, [], 8).parts == 1
    assert Bank(10, [th.Perceptron(10).rule], 8).parts == 1
    assert Bank(10, [th.PassiveAggressive(10).rule] * 16, 8).parts == 2


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux lists the threads of a process")
def test_no_thread_is_left() -> None:
    X, y = workload(3000)
    tasks = Path("/proc/self/task")
    before = len([*tasks.iterdir()])
    played(Bank(500, RULES, 3), X, y, np.float32)
    assert len([*tasks.iterdir()]) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_after_threads_goes_on_with_its_own() -> None:
    X, y = workload(3000)
    bank, other = Bank(500, RULES, 3), Bank(500, RULES)
    played(bank, X[:1500], y[:1500], np.float32)
    played(other, X, y, np.float32)
    child = os.fork()
    if child == 0:
        played(bank, X[1500:], y[1500:], np.float32)
        os._exit(0 if kept(bank) == kept(other) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_ear_for_other_rows_is_refused() -> None:
    X, y = workload(600)
    bank, vote = Bank(500, RULES), th.Portfolio(500, [th.Perceptron(500), th.AROW(500)])._vote
    for rows in (5, 600):
        z, p, losses, chances = np.zeros((4, rows))
        ear = vote._ear(y[:rows], None, np.zeros(rows, np.bool_), np.zeros(rows, np.int8), z, p, losses, chances)
        with pytest.raises(ValueError, match="an ear for each row and lane"):
            bank._learn_block(examples.block(X, 500), y, None, None, None, np.zeros(600, np.bool_), y, ear)


def test_how_many_threads_is_checked_and_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong: Any
    for wrong in (0, 65, True, 1.5, "2"):
        with pytest.raises(ParameterError, match="expected None or a whole number from 1 to 64"):
            use_threads(wrong)
    before = use_threads(5)
    try:
        assert allowed_threads() == 5
    finally:
        assert use_threads(before) == 5
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(6), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    monkeypatch.setattr(threads, "_TOLD", tmp_path)
    assert processors() == 6
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    for text, older, expected in [
        ("max 100000", "-1", 6),
        ("250000 100000", "-1", 3),
        ("1000 100000", "-1", 1),
        ("900000 100000", "-1", 6),
        ("nonsense", "400000", 4),
        ("1 0", "-1", 6),
    ]:
        (tmp_path / "cpu.max").write_text(text)
        (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text(older)
        assert processors() == expected
