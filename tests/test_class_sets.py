"""The benchmark's own streams of many classes, and what it makes of counts; nothing here needs a peer."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.class_sets import GENERATED
from benchmarks.multiclass import CASES, OURS, PEERS, table


def test_there_are_twenty_sets_of_three_to_twenty_classes() -> None:
    assert len(GENERATED) == 20
    assert {int(name.split()[1]) for name in GENERATED} == {3, 4, 5, 6, 8, 10, 12, 15, 18, 20}


@pytest.mark.parametrize("name", ["blobs 3", "blobs 4", "topics 5", "topics 20"])
def test_a_set_has_its_classes_and_is_the_same_every_time(name: str) -> None:
    one, other = GENERATED[name](), GENERATED[name]()
    assert np.array_equal(one.y, other.y)
    assert abs(one.X - other.X).max() == 0.0
    assert np.unique(one.y).tolist() == list(range(int(name.split()[1])))
    assert one.X.shape[0] == len(one.y) == 3_000
    assert len(one.first(7).y) == one.first(7).X.shape[0] == 7


def test_texts_have_norm_1_and_some_sets_have_rare_classes() -> None:
    data = GENERATED["topics 3"]()
    assert np.allclose(data.X.multiply(data.X).sum(axis=1), 1.0)
    assert np.bincount(data.y).max() > 2 * np.bincount(data.y).min()
    even = np.bincount(GENERATED["blobs 3"]().y)
    assert even.max() < 1.2 * even.min()


def test_ours_do_better_than_chance() -> None:
    data = GENERATED["topics 5"]()
    baseline = len(data.y) - np.bincount(data.y).max()
    mistakes = {name: play(data) for name, play in OURS.items()}
    assert max(mistakes.values()) < baseline / 2
    assert mistakes["OneVersusRest(Portfolio)"] < mistakes["OneVersusRest(Perceptron)"]


def test_the_table_has_a_line_for_each_set_and_the_sums() -> None:
    counted = {"one": {"rows": 1000, "classes": 3, "ours": 20}, "other": {"rows": 500, "classes": 4, "ours": 1234}}
    assert table(counted).splitlines() == [
        "|  | rows | classes | ours |",
        "| --- | ---: | ---: | ---: |",
        "| one | 1,000 | 3 | 20 |",
        "| other | 500 | 4 | 1,234 |",
        "| all | 1,500 |  | 1,254 |",
    ]


def test_the_case_says_which_peers_it_needs() -> None:
    assert CASES["multiclass"].peers == ("scikit-learn", "river")
    assert not set(OURS) & set(PEERS)
