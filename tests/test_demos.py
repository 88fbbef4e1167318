"""The streams that come with the package: the same for ever, and as their description says."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import numpy as np
import pytest

import thresher as th
from thresher.data.demo_forecasts import BREAKS, COLUMNS, COMING, ROUNDS
from thresher.data.demos import DEMOS, MARGIN, RIGHTLY_LABELLED, RULE, Demo, find
from thresher.data.names import slot_of

SLOTS = 2**18
ORANGES = [
    (label, tuple(names.split(" ")))
    for label, _, names in (line.partition(" | ") for line in b"".join(find("oranges").blocks()).decode().splitlines())
]


def points_for_the_label(label: str, names: tuple[str, ...]) -> int:
    points = sum(RULE.get(name, 0) for name in names)
    return points if label == "export" else -points


def kind(name: str) -> str:
    return name.partition("=")[0]


# ---- every demo ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("demo", DEMOS.values(), ids=list(DEMOS))
def test_blocks_are_whole_lines_of_about_64_kib(demo: Demo) -> None:
    *blocks, last = demo.blocks()
    longest = max(len(line) for block in (*blocks, last) for line in block.splitlines(keepends=True))
    assert all(block.endswith(b"\n") for block in (*blocks, last))
    assert all(2**16 <= len(block) < 2**16 + longest for block in blocks)
    assert 0 < len(last) < 2**16 + longest


@pytest.mark.parametrize("demo", DEMOS.values(), ids=list(DEMOS))
def test_two_readers_at_once_see_the_same_bytes(demo: Demo) -> None:
    assert all(one == other for one, other in zip(demo.blocks(), demo.blocks(), strict=True))


@pytest.mark.parametrize("demo", [find("oranges"), find("drift")], ids=lambda demo: demo.name)
def test_the_examples_have_the_rows_and_the_label_that_their_demo_says(demo: Demo) -> None:
    labels = Counter(line.split(b" ")[0].decode() for block in demo.blocks() for line in block.splitlines())
    assert labels.total() == demo.rows
    assert len(labels) == 2
    assert demo.positive in labels


def test_demos_are_found_by_their_names() -> None:
    assert all(find(name) is demo and demo.name == name for name, demo in DEMOS.items())


def test_an_unknown_demo_is_refused_with_a_list_of_those_there_are() -> None:
    with pytest.raises(th.ParameterError, match=r"^found the demo 'apples', expected one of oranges, drift, forecasts$"):
        find("apples")


# ---- oranges ------------------------------------------------------------------------------------------------------


def test_the_oranges_never_change() -> None:
    digest = hashlib.sha256(b"".join(find("oranges").blocks())).hexdigest()
    assert digest == "12aaea12305a41127f31ff5fc9117b1ca24621ae120790fe8bb1c9448233b45a"


def test_a_line_is_a_label_and_names() -> None:
    pattern = re.compile(r"(export|local-market) \|( [a-z]+=[a-z0-9]+(-[a-z0-9]+)*)+")
    lines = [line for block in find("oranges").blocks() for line in block.decode("ascii").splitlines()]
    assert [line for line in lines if not pattern.fullmatch(line)] == []


def test_half_of_the_oranges_are_exported() -> None:
    assert Counter(label for label, _ in ORANGES) == {"export": 4964, "local-market": 4636}


def test_the_rule_separates_the_rightly_labelled_with_its_margin_and_no_more() -> None:
    right = [points_for_the_label(*orange) for orange in ORANGES[:RIGHTLY_LABELLED]]
    assert min(right) == MARGIN == 4
    assert len(right) == 8400 == len(ORANGES) * 7 // 8


def test_the_new_inspector_errs_in_two_labels_of_a_hundred() -> None:
    late = [points_for_the_label(*orange) for orange in ORANGES[RIGHTLY_LABELLED:]]
    assert min(abs(points) for points in late) == MARGIN
    assert sum(points < 0 for points in late) == 23
    assert round(100 * 23 / len(late)) == 2


def test_an_orange_has_fifteen_or_sixteen_names_and_one_of_each_kind_but_blemishes() -> None:
    kinds = {kind(name) for _, names in ORANGES for name in names}
    assert {len(names) for _, names in ORANGES} == {15, 16}
    for _, names in ORANGES:
        counts = Counter(map(kind, names))
        assert set(counts) == kinds
        assert counts.pop("blemish") <= (1 if "blemish=none" in names else 2)
        assert set(counts.values()) == {1}


def test_there_are_281_names_and_120_orchards_and_no_two_share_a_slot() -> None:
    names = {name for _, names in ORANGES for name in names}
    assert len(names) == len({slot_of(name, SLOTS) for name in names}) == 281
    assert sum(kind(name) == "orchard" for name in names) == 120
    assert set(RULE) < names


def test_the_oranges_come_in_loads_of_eighty_week_after_week() -> None:
    from_where = {"orchard", "variety", "week", "lot", "truck"}
    loads = [[name for name in names if kind(name) in from_where] for _, names in ORANGES]
    assert all(loads[row] == loads[row - row % 80] for row in range(len(loads)))
    assert len({load[0] for load in loads[::80]}) == len(loads[::80]) == 120
    weeks = [int(load[2].removeprefix("week=")) for load in loads]
    assert weeks == sorted(weeks)
    assert set(weeks) == set(range(1, 25))


# ---- what a Perceptron makes of them ------------------------------------------------------------------------------


def play(rows: int) -> tuple[th.Perceptron, list[th.Round]]:
    learner = th.Perceptron(SLOTS, bias=1.0)
    return learner, [learner.learn(set(names), +1 if label == "export" else -1) for label, names in ORANGES[:rows]]


def entered(separator: th.Separator, rounds: list[th.Round]) -> th.Ledger:
    ledger = th.Ledger(separator)
    for each in rounds:
        ledger.enter(each)
    return ledger


def the_rule() -> th.Separator:
    u = np.zeros(SLOTS)
    u[[slot_of(name, SLOTS) for name in RULE]] = list(RULE.values())
    return th.Separator(u, margin=MARGIN)


def test_few_mistakes_before_the_new_inspector_and_two_for_each_error_after() -> None:
    _, rounds = play(len(ORANGES))
    mistakes = [each.mistake for each in rounds]
    assert (sum(mistakes[:RIGHTLY_LABELLED]), sum(mistakes[RIGHTLY_LABELLED:])) == (6, 52)


def test_the_rule_certifies_the_rightly_labelled_part() -> None:
    _, rounds = play(RIGHTLY_LABELLED)
    ledger = entered(the_rule(), rounds)
    certified = [c.bound.at_most for c in ledger.certificates() if c.verdict is th.bounds.Verdict.CERTIFIED]
    assert certified[:2] == [13, 32]
    assert ledger.best_constant > 4000


@pytest.mark.parametrize(("margin", "limit"), [(1.0, 3638), (6.0, 316)])
def test_the_final_weights_certify_the_whole_stream_below_the_best_constant(margin: float, limit: int) -> None:
    learner, rounds = play(len(ORANGES))
    ledger = entered(th.Separator.of(learner, margin=margin), rounds)
    assert ledger.headline is not None
    assert (ledger.headline.count, ledger.headline.bound.at_most) == (58, limit)
    assert limit < ledger.best_constant == 4636


# ---- forecasts ----------------------------------------------------------------------------------------------------

CELLS = [line.split(",") for line in b"".join(find("forecasts").blocks()).decode("ascii").splitlines()]
PLAYED = np.array([[int(cell) for cell in cells[1:]] for cells in CELLS[1 : 1 + ROUNDS]])
ERRORS = PLAYED[:, :3] - PLAYED[:, 3:]


def test_the_forecasts_never_change() -> None:
    digest = hashlib.sha256(b"".join(find("forecasts").blocks())).hexdigest()
    assert digest == "8e88b1797ced6a376749fa46c889e3d84cb65a41002ccc59fd9a635933cee090"


def test_the_table_has_the_columns_and_rows_that_its_demo_says() -> None:
    demo = find("forecasts")
    assert tuple(CELLS[0]) == COLUMNS
    assert {demo.outcome, demo.time} < set(COLUMNS)
    assert demo.rows == ROUNDS + COMING == len(CELLS) - 1 == 800
    assert [not cells[-1] for cells in CELLS[1:]] == [False] * ROUNDS + [True] * COMING
    assert [cells[0] for cells in CELLS[1:]] == sorted({cells[0] for cells in CELLS[1:]})


def test_the_scales_are_the_best_by_far_until_they_break_and_then_the_worst() -> None:
    squares = ERRORS**2
    before, after = squares[: BREAKS - 1].mean(0), squares[BREAKS - 1 :].mean(0)
    scales = COLUMNS.index("scales") - 1
    assert before[scales] < 0.5 * np.delete(before, scales).min()
    assert after[scales] > 9 * np.delete(after, scales).max()
    assert len(set(PLAYED[BREAKS - 2 :, scales].tolist())) == 1
